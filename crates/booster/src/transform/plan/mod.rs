//! Derivative units before they have statements: names, scopes, arguments, companions.
//!
//! [`Plan::new`] (with `signatures`) makes all derivative units of a request with their signatures, so that calls can refer to each other.
//! [`Plan::copy_body`] (in `copies`) then gives a derivative unit its own copy of the original's graph, declarations and companions; from there on
//! a transformation works on the copy alone, and asks [`Derived::companion`] for derivatives. Never here: derivative statements.

pub(super) mod copies;
mod signatures;

use super::names::{Everywhere, Names, Taken};
use super::preaccumulate::{Ledger, Preaccumulate};
use super::request::{Directions, Options};
use super::times::UnitTimes;
use crate::analysis::activity::active::Activity;
use crate::analysis::activity::heads::ResolvedHead;
use crate::analysis::facts::Facts;
use crate::signature::{Role, Signature};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use xaif::catalogue::Catalogue;
use xaif::model::{CallReversal, Formal, Mode, ScopeId, Stmt, StmtKind, SymbolId, UnitId};
use xaif::{Diagnostic, Program};

/// A derivative unit.
#[derive(Clone, Debug)]
pub struct Derived {
    /// Where it comes from.
    pub original: UnitId,
    /// Tangent or adjoint.
    pub mode: Mode,
    /// The derivative unit itself.
    pub unit: UnitId,
    /// Its scope.
    pub scope: ScopeId,
    /// What its arguments are.
    pub signature: Signature,
    /// A head asks for it.
    pub head: Option<usize>,
    /// The argument that is the number of directions that it serves at once, its first one; `None` where it serves one, or a fixed number.
    pub count: Option<SymbolId>,
    pub(super) copies: FxHashMap<SymbolId, SymbolId>,
    pub(super) originals: FxHashMap<SymbolId, SymbolId>,
    /// By the symbol that stands in the derivative unit: the copy of a local or formal, a global itself.
    pub(super) companions: FxHashMap<SymbolId, SymbolId>,
    /// Companions that no caller hands in and nothing shares: zero on entry unless their variable is written first.
    pub(super) own: Vec<(SymbolId, SymbolId)>,
    pub(super) taken: Taken,
    /// Ids of copies, in lower case.
    pub(super) ids: FxHashSet<String>,
}

impl Derived {
    /// The copy of an original local or formal; a global stands for itself.
    pub fn copy_of(&self, symbol: SymbolId) -> SymbolId {
        self.copies.get(&symbol).copied().unwrap_or(symbol)
    }

    /// The original of a copy; a global stands for itself.
    pub fn original_of(&self, copy: SymbolId) -> SymbolId {
        self.originals.get(&copy).copied().unwrap_or(copy)
    }

    /// The derivative of a variable of the derivative unit; `None` where it has none.
    pub fn companion(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.companions.get(&symbol).copied()
    }

    /// All variables with their derivatives, in the order of symbols.
    pub fn companions(&self) -> Vec<(SymbolId, SymbolId)> {
        let mut all: Vec<_> = self.companions.iter().map(|(&a, &b)| (a, b)).collect();
        all.sort_unstable();
        all
    }

    /// Variables whose derivative is local to the unit, with it, in the order of declaration.
    pub fn own(&self) -> &[(SymbolId, SymbolId)] {
        &self.own
    }

    /// The argument of the derivative unit that plays a role.
    pub fn argument<'a>(&self, program: &'a Program, role: Role) -> Option<&'a Formal> {
        let at = self.signature.roles.iter().position(|&r| r == role)?;
        program.unit(self.unit).formals.get(at)
    }
}

/// All derivative units of a request.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Facts about the originals.
    pub facts: &'a Facts,
    /// Activity of the originals.
    pub activity: &'a Activity,
    /// The request.
    pub heads: &'a [ResolvedHead],
    /// The derivative units: hosts before their internal procedures, else in document order, mode by mode.
    pub derived: Vec<Derived>,
    /// Warnings and notes.
    pub notes: Vec<Diagnostic>,
    /// Derivatives of globals: by canonical symbol and mode.
    pub globals: FxHashMap<(SymbolId, Mode), SymbolId>,
    /// Derivatives of structures, whose components are named after them: by structure, scope and mode.
    pub structures: FxHashMap<(SymbolId, ScopeId, Mode), SymbolId>,
    pub(super) names: Names,
    pub(super) catalogue: Option<Arc<Catalogue>>,
    index: FxHashMap<(UnitId, Mode), usize>,
    /// Names of units, which are never copied.
    unit_names: FxHashSet<SymbolId>,
    pub(super) everywhere: Everywhere,
    pub(super) active_shared: Arc<BTreeSet<SymbolId>>,
    /// Scopes in which other scopes of units lie.
    pub(super) hosts: FxHashSet<ScopeId>,
    /// Preaccumulation: the request and what was decided.
    pub ledger: Ledger,
    /// What was decided for adjoints, by the originals, where that is asked for.
    pub reversals: Vec<(UnitId, crate::facts::Reversal)>,
    /// What adjoints take, by the originals, where that is asked for.
    pub(crate) weights: Vec<(UnitId, super::weights::Weight)>,
    /// How long each adjoint took, where that is asked for.
    pub times: Vec<UnitTimes>,
    /// How many directions derivative units serve at once.
    pub(super) directions: Directions,
    /// Adjoints of heads hand back what the originals do.
    pub(super) with_values: bool,
    /// The units whose calls go to a pair where neither call nor unit says anything else.
    split: BTreeSet<UnitId>,
}

/// Whether two units can share the work of one: each would have static variables of its own.
pub(crate) fn may_be_pair(facts: &Facts, unit: UnitId) -> bool {
    facts.kept.in_unit(unit).is_empty()
}

impl<'a> Plan<'a> {
    /// Where partial derivatives come from.
    pub fn catalogue(&self) -> &Catalogue {
        self.catalogue.as_deref().unwrap_or_else(|| Catalogue::builtin())
    }

    /// Makes names, scopes and signatures of all derivative units. Those of `split` get a pair, one for each sweep, for the adjoints of their calls.
    ///
    /// # Errors
    /// Active arguments that can have no local derivative, calls of a head with more active arguments than it names.
    pub fn new(
        program: &mut Program,
        facts: &'a Facts,
        activity: &'a Activity,
        heads: &'a [ResolvedHead],
        options: &Options,
        split: &BTreeSet<UnitId>,
    ) -> Result<Plan<'a>, Vec<Diagnostic>> {
        let mut plan = Plan {
            facts,
            activity,
            heads,
            derived: Vec::new(),
            notes: Vec::new(),
            globals: FxHashMap::default(),
            structures: FxHashMap::default(),
            names: Names::of(&options.suffixes, options.directions.are_several()),
            catalogue: options.catalogue.clone(),
            index: FxHashMap::default(),
            unit_names: program.units.iter().map(|u| u.symbol).collect(),
            everywhere: Everywhere::of(program),
            active_shared: Arc::new(activity.active_shared(facts)),
            hosts: program.units.iter().filter_map(|u| program.scope(u.scope).parent).collect(),
            ledger: Ledger::new(
                if options.plain { Preaccumulate::Never } else { options.preaccumulate },
                options.order.clone(),
                options.search,
                statements(program),
            ),
            reversals: Vec::new(),
            weights: Vec::new(),
            times: Vec::new(),
            directions: options.directions,
            with_values: options.with_values,
            split: split.iter().copied().filter(|&u| may_be_pair(facts, u)).collect(),
        };
        let (pairs, whole) = plan.called_as(program);
        let mut problems = plan.heads_as_callees(program, options.tangent);
        let wanted = plan.wanted(program);
        for &u in wanted.iter().filter(|_| options.tangent) {
            plan.name(program, u, Mode::Tangent);
        }
        for &u in wanted.iter().filter(|_| options.adjoint) {
            // Calls of a split unit go to the pair; only a head needs both sweeps in one.
            let pair = pairs.contains(&u);
            if !pair || heads.is_empty() || whole.contains(&u) || plan.head_of(u).is_some() {
                plan.name(program, u, Mode::Adjoint);
            }
            if pair {
                plan.name(program, u, Mode::Forward);
                plan.name(program, u, Mode::Reverse);
            }
        }
        // Variables get their names when those of all units are known.
        for at in 0..plan.derived.len() {
            plan.arguments(program, at, &mut problems);
        }
        if problems.is_empty() { Ok(plan) } else { Err(problems) }
    }

    /// Whether a call is reversed by a pair: as the user says of the call, else of the callee, else as the request has it.
    pub fn is_split(&self, program: &Program, call: &Stmt, callee: UnitId) -> bool {
        if self.facts.externals.has(callee) || !may_be_pair(self.facts, callee) {
            return false;
        }
        match call.reversal.or(program.unit(callee).reversal) {
            Some(r) => r == CallReversal::Split,
            None => self.split.contains(&callee),
        }
    }

    /// The units that need a pair, and those whose adjoint in one piece is called.
    fn called_as(&self, program: &Program) -> (BTreeSet<UnitId>, BTreeSet<UnitId>) {
        let (mut pairs, mut whole) = (self.split.clone(), BTreeSet::new());
        for u in self.activity.reached() {
            for s in program.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
                let StmtKind::Call(call) = &s.kind else { continue };
                let Some(callee) = program.unit_of_symbol(call.callee) else { continue };
                if self.is_split(program, s, callee) {
                    pairs.insert(callee)
                } else {
                    whole.insert(callee)
                };
            }
        }
        (pairs, whole)
    }

    /// A head's arguments are fixed by the request: a call of it from within that needs more is refused.
    fn heads_as_callees(&self, program: &Program, tangent: bool) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        let objects = &self.facts.objects;
        let shared = if tangent { self.activity.active_shared(self.facts) } else { BTreeSet::new() };
        for h in self.heads {
            let caller = self.activity.reached().find(|u| self.facts.tables[u.index()].callees.contains(&h.unit));
            let Some(caller) = caller else { continue };
            let (name, caller_name) = (program.unit_name(h.unit), program.unit_name(caller));
            for (k, f) in program.unit(h.unit).formals.iter().enumerate() {
                let a = self.activity.formal(program, h.unit, k);
                if a.active && (a.input || a.output) && !h.names(f.symbol) {
                    problems.push(
                        Diagnostic::error(
                            "OB4021",
                            format!(
                                "{caller_name} calls {name} with an active {}, which the head of {name} does not name",
                                program.symbol(f.symbol).name
                            ),
                        )
                        .at(program.location(program.unit(h.unit).span))
                        .because("the head fixes the arguments of the derivative")
                        .help(format!("name {} in the head of {name}", program.symbol(f.symbol).name)),
                    );
                }
            }
            let Some(u) = self.activity.unit(h.unit) else { continue };
            let mut zeroed: BTreeSet<SymbolId> =
                u.entry_varied.intersection(&u.entry_useful).copied().filter(|&g| objects.is_shared(h.unit, g)).collect();
            // A tangent sets what it reads to zero, though none of its own results may depend on it: the caller's do.
            zeroed.extend(shared.intersection(&self.facts.effects.unit(h.unit).exposed));
            for g in zeroed {
                if !h.names_object(objects, g) {
                    problems.push(
                        Diagnostic::error(
                            "OB4025",
                            format!("{caller_name} calls {name}, a head, while {} is active", program.symbol(g).name),
                        )
                        .at(program.location(program.unit(h.unit).span))
                        .because("derivatives of globals that a head does not name are zero where the head is entered")
                        .help(format!("name {} in the head of {name}, or ask for one of the two heads at a time", program.symbol(g).name)),
                    );
                }
            }
        }
        problems
    }

    /// The unit in whose scope another unit is declared, if it is an internal procedure.
    pub fn host(program: &Program, facts: &Facts, unit: UnitId) -> Option<UnitId> {
        let parent = program.scope(program.unit(unit).scope).parent?;
        facts.objects.unit_of_scope(parent).filter(|&u| u != unit)
    }

    /// Whether the plan has derivatives of internal procedures of a unit.
    pub fn is_host(&self, program: &Program, unit: UnitId) -> bool {
        self.derived.iter().any(|d| Plan::host(program, self.facts, d.original) == Some(unit))
    }

    /// Units to differentiate: those with something active, heads, and the hosts of all these. Hosts come first.
    fn wanted(&self, program: &Program) -> Vec<UnitId> {
        let mut set: BTreeSet<UnitId> =
            self.activity.reached().filter(|&u| self.activity.is_differentiated(u) || self.heads.iter().any(|h| h.unit == u)).collect();
        // An internal procedure is nowhere without its host.
        loop {
            let mut more = Vec::new();
            for u in program.unit_ids().filter(|&u| !program.unit(u).is_container()) {
                if let Some(h) = Plan::host(program, self.facts, u).filter(|h| set.contains(&u) && !set.contains(h)) {
                    more.push(h);
                }
            }
            if more.is_empty() {
                break;
            }
            set.extend(more);
        }
        let depth = |mut u: UnitId| {
            let mut d = 0;
            while let Some(h) = Plan::host(program, self.facts, u).filter(|_| d < 8) {
                (u, d) = (h, d + 1);
            }
            d
        };
        let mut order: Vec<UnitId> = set.into_iter().collect();
        // Variants stand with the units that they are copies of.
        order.sort_by_key(|&u| (depth(u), self.facts.variants.get(&u).copied().unwrap_or(u), u));
        order
    }

    /// The derivative of a unit, if it has one.
    pub fn index_of(&self, unit: UnitId, mode: Mode) -> Option<usize> {
        self.index.get(&(unit, mode)).copied()
    }

    /// The derivative of a unit, if it has one.
    pub fn of(&self, unit: UnitId, mode: Mode) -> Option<&Derived> {
        self.index_of(unit, mode).map(|i| &self.derived[i])
    }

    fn head_of(&self, unit: UnitId) -> Option<usize> {
        self.heads.iter().position(|h| h.unit == unit)
    }

    /// True where the derivative of a unit exists and takes the derivative of a formal (by index in the original).
    pub fn takes_derivative(&self, program: &Program, unit: UnitId, mode: Mode, formal: usize) -> bool {
        self.index_of(unit, mode).is_some() && self.formal_has_companion(program, unit, formal)
    }

    /// Whether a formal of the original gets a companion among the arguments.
    pub(super) fn formal_has_companion(&self, program: &Program, unit: UnitId, k: usize) -> bool {
        let Some(f) = program.unit(unit).formals.get(k) else { return false };
        if let Some(rule) = self.facts.externals.rule(unit) {
            return rule.arguments.get(k).is_some_and(|a| a.derivative);
        }
        match self.head_of(unit) {
            Some(h) => self.heads[h].names(f.symbol),
            None => self.activity.formal(program, unit, k).active,
        }
    }
}

/// How many statements a program has.
fn statements(program: &Program) -> usize {
    program.units.iter().flat_map(|u| u.graph.node_weights()).map(|v| v.stmts().len()).sum()
}
