//! Derivative units before they have statements: names, scopes, arguments, companions.
//!
//! [`Plan::new`] makes all derivative units of a request with their signatures, so that calls can refer to each other.
//! [`Plan::copy_body`] then gives a derivative unit its own copy of the original's graph, declarations and companions; from there on
//! a transformation works on the copy alone, and asks [`Derived::companion`] for derivatives. Never here: derivative statements.

use super::names::{Everywhere, Names, Taken};
use super::preaccumulate::{Ledger, Preaccumulate};
use super::request::Options;
use crate::analysis::activity::active::Activity;
use crate::analysis::activity::heads::ResolvedHead;
use crate::analysis::effects::kept::Keeps;
use crate::analysis::facts::Facts;
use crate::analysis::program::objects::extent;
use crate::analysis::program::steps;
use crate::signature::{Role, Signature, companion_intent};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use std::collections::BTreeSet;
use std::sync::Arc;
use xaif::catalogue::Catalogue;
use xaif::model::{
    Bound, CallReversal, Decl, Derivation, Dim, ElemType, Expr, Formal, IndexOrder, Intent, Mode, Passing, Scope, ScopeId, Stmt, StmtKind,
    Storage, Symbol, SymbolId, SymbolKind, Unit, UnitId, UnitKind,
};
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
    /// The number of directions that it serves at once, which is its first argument then.
    pub directions: Option<SymbolId>,
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
    /// Derivative units serve several directions at once.
    pub(super) vector: bool,
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
            names: Names::of(&options.suffixes, options.vector),
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
            vector: options.vector,
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
    fn formal_has_companion(&self, program: &Program, unit: UnitId, k: usize) -> bool {
        let Some(f) = program.unit(unit).formals.get(k) else { return false };
        if let Some(rule) = self.facts.externals.rule(unit) {
            return rule.arguments.get(k).is_some_and(|a| a.derivative);
        }
        match self.head_of(unit) {
            Some(h) => self.heads[h].names(f.symbol),
            None => self.activity.formal(program, unit, k).active,
        }
    }

    /// Makes a derivative unit with its name and its scope.
    fn name(&mut self, program: &mut Program, original: UnitId, mode: Mode) {
        let from = header(program.unit(original));
        if self.facts.externals.has(original) {
            return self.external(program, original, mode);
        }
        let signature =
            Signature::of(program, &from, mode, self.vector, &|k| mode != Mode::Forward && self.formal_has_companion(program, original, k));
        // the name
        let name_symbol = program.symbol(from.symbol).clone();
        let host = Plan::host(program, self.facts, original).and_then(|h| self.index_of(h, mode));
        let name_scope = host.map_or(name_symbol.scope, |h| self.derived[h].scope);
        let mut taken = Taken::visible_from(program, &self.everywhere, name_scope);
        let wish = format_smolstr!("{}{}{}", name_symbol.name, self.variant_suffix(program, original), self.names.unit_suffix(mode));
        let name = taken.fresh(&wish);
        self.report_clash(program, &wish, &name, &name_symbol);
        let mut named = Symbol { id: name.clone(), name, scope: name_scope, temp: true, ..name_symbol };
        if !signature.is_function {
            named.ty = Symbol::subroutine("", name_scope).ty;
            if let Some(d) = &mut named.decl {
                d.type_text = SmolStr::default();
            }
        }
        let symbol = program.add_symbol(named);
        let parent = host.map(|h| self.derived[h].scope).or(program.scope(from.scope).parent);
        let scope = program.add_scope(Scope { parent, ..Scope::default() });
        let mut unit = Unit::new(symbol, scope);
        unit.kind = if signature.is_function { UnitKind::Function } else { UnitKind::Subroutine };
        unit.structured = from.structured;
        unit.imports = from.imports.clone();
        unit.prefixes =
            from.prefixes.iter().filter(|p| !matches!(p.as_str(), "pure" | "elemental" | "private" | "impure")).cloned().collect();
        let head = self.head_of(original);
        if head.is_none() {
            unit.prefixes.extend(from.prefixes.iter().filter(|p| *p == "private").cloned());
        }
        unit.comment = self.describe(program, original, mode, head);
        self.enter(program, unit, Derivation { of: original, mode }, signature, head);
    }

    /// The arguments with derivatives of a variant, by their names.
    fn active_arguments<'p>(&self, program: &'p Program, variant: UnitId) -> Vec<&'p str> {
        let formals = program.unit(variant).formals.iter().enumerate();
        let active = formals.filter(|(k, f)| !f.result && self.activity.formal(program, variant, *k).active);
        active.map(|(_, f)| program.symbol(f.symbol).name.as_str()).collect()
    }

    /// What stands between the name of a unit and the suffix of its derivative where that is for some calls only: `_x_y`.
    fn variant_suffix(&self, program: &Program, unit: UnitId) -> String {
        const MOST: usize = 3;
        if !self.facts.variants.contains_key(&unit) {
            return String::new();
        }
        let names = self.active_arguments(program, unit);
        if names.is_empty() || names.len() > MOST {
            return format!("_{}", names.len());
        }
        names.into_iter().fold(String::new(), |all, name| all + "_" + name)
    }

    /// Takes up a derivative unit.
    fn enter(&mut self, program: &mut Program, mut unit: Unit, derivation: Derivation, signature: Signature, head: Option<usize>) {
        let (Derivation { of: original, mode }, scope) = (derivation, unit.scope);
        unit.derivation = Some(derivation);
        let id = program.add_unit(unit);
        self.everywhere.add(program, program.unit_name(id));
        self.index.insert((original, mode), self.derived.len());
        self.derived.push(Derived {
            original,
            mode,
            unit: id,
            scope,
            signature,
            head,
            directions: None,
            copies: FxHashMap::default(),
            originals: FxHashMap::default(),
            companions: FxHashMap::default(),
            own: Vec::new(),
            taken: Taken::default(),
            ids: FxHashSet::default(),
        });
    }

    /// The derivative of an external unit: there already, under the name that its rule gives.
    fn external(&mut self, program: &mut Program, original: UnitId, mode: Mode) {
        let Some(rule) = self.facts.externals.derivative(original, mode).cloned() else { return };
        let of = program.symbol(program.unit(original).symbol).clone();
        let result = program.unit(original).result().map(|f| program.symbol(f.symbol).ty);
        let known = program.scope(of.scope).symbols.iter().copied().find(|&s| program.same_name(&program.symbol(s).name, &rule.unit));
        let symbol = known.unwrap_or_else(|| {
            let ty = result.filter(|_| rule.signature.is_function).unwrap_or(Symbol::subroutine("", of.scope).ty);
            let type_text = of.decl.as_ref().filter(|_| rule.signature.is_function).map(|d| d.type_text.clone()).unwrap_or_default();
            let decl = Decl { storage: Storage::Extern, type_text, ..Decl::default() };
            program.add_symbol(Symbol { ty, temp: true, decl: Some(Box::new(decl)), ..Symbol::subroutine(rule.unit.as_str(), of.scope) })
        });
        let scope = program.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
        let mut unit = Unit::new(symbol, scope);
        unit.kind = if rule.signature.is_function { UnitKind::Function } else { UnitKind::Subroutine };
        self.enter(program, unit, Derivation { of: original, mode }, rule.signature, None);
    }

    /// Says how derivatives of external units are called, and gives their callers the lines that they need for it.
    pub fn declare_externals(&self, program: &mut Program) {
        for d in self.derived.iter().filter(|d| self.facts.externals.has(d.original)) {
            let symbol = program.unit(d.unit).symbol;
            let words = crate::rules::declare::words(program, d.unit);
            let decl = program.symbol_mut(symbol).decl.get_or_insert_default();
            if decl.attributes.iter().all(|a| !a.starts_with("arg:")) && program.index_order == IndexOrder::Row {
                program.symbol_mut(symbol).decl.get_or_insert_default().attributes.extend(words);
            }
            let line = self.facts.externals.derivative(d.original, d.mode).and_then(|r| r.declaration.clone());
            let Some(line) = line else { continue };
            let calls = |u: &Unit| {
                let mut stmts = u.graph.node_weights().flat_map(|v| v.stmts());
                stmts.any(|s| matches!(&s.kind, StmtKind::Call(c) if c.callee == symbol))
            };
            for unit in program.units.iter_mut().filter(|u| u.derivation.is_some() && calls(u)) {
                if !unit.imports.contains(&line) {
                    unit.imports.push(line.clone());
                }
            }
        }
    }

    /// Declares the arguments of a derivative unit.
    fn arguments(&mut self, program: &mut Program, at: usize, problems: &mut Vec<Diagnostic>) {
        let Derived { original, mode, unit: id, scope, head, .. } = self.derived[at];
        let signature = self.derived[at].signature.clone();
        let from = header(program.unit(original));
        let mut taken = Taken::visible_from(program, &self.everywhere, scope);
        taken.scope(program, from.scope);
        // Globals of other modules that the unit uses.
        if let Some(t) = self.facts.tables.get(original.index()) {
            t.objects.iter().for_each(|&s| taken.symbol(program, s));
        }
        self.derived[at].taken = taken;
        for (i, &role) in signature.roles.iter().enumerate() {
            let f = &from.formals[role.index()];
            let is_result = signature.is_function && i + 1 == signature.roles.len();
            let symbol = match role {
                Role::Primal(_) => {
                    let s = self.local(program, at, f.symbol);
                    if f.result && !is_result {
                        let decl = program.symbol_mut(s).decl.get_or_insert_default();
                        decl.passing = Passing::Reference;
                        decl.storage = Storage::Argument;
                    }
                    s
                }
                Role::Derivative(_) => {
                    let primal = self.local(program, at, f.symbol);
                    let c = self.make_companion(program, at, primal, true);
                    if f.result && mode != Mode::Tangent {
                        // It goes in as the result came out: as a value where the language passes scalars as values.
                        let by_value = program.symbol(f.symbol).passing() == Passing::Value || program.index_order == IndexOrder::Row;
                        program.symbol_mut(c).decl.get_or_insert_default().passing =
                            if by_value { Passing::Value } else { Passing::Reference };
                    }
                    c
                }
            };
            let intent = match role {
                Role::Primal(_) if f.result => Intent::Out,
                Role::Derivative(_) if f.result && mode == Mode::Tangent => Intent::Out,
                // What an adjoint leaves in an output is not specified: it need not be set. A reverse sweep starts from what the forward sweep left there.
                Role::Primal(_) if matches!(mode, Mode::Adjoint | Mode::Reverse) && f.intent == Intent::Out => Intent::Inout,
                Role::Primal(_) => f.intent,
                Role::Derivative(_) if f.result && mode != Mode::Tangent => Intent::In,
                Role::Derivative(_) => companion_intent(mode, f.intent),
            };
            let formal = Formal { intent_declared: f.intent_declared, result: is_result, ..Formal::new(i as u32 + 1, symbol, intent) };
            let formal = Formal { deriv: matches!(role, Role::Derivative(_)), ..formal };
            program.units[id.index()].formals.push(formal);
        }
        if let Some(h) = head.filter(|_| mode != Mode::Forward) {
            let named: Vec<SymbolId> = self.heads[h].dependents.iter().chain(&self.heads[h].independents).copied().collect();
            for s in named.into_iter().filter(|&s| from.formals.iter().all(|f| f.symbol != s)) {
                let copy = self.local(program, at, s);
                self.make_companion(program, at, copy, false);
            }
        }
        // The value of a result that is no argument is a local variable.
        for (k, f) in from.formals.iter().enumerate() {
            if f.result && !signature.roles.contains(&Role::Primal(k)) {
                let s = self.local(program, at, f.symbol);
                let decl = program.symbol_mut(s).decl.get_or_insert_default();
                decl.storage = Storage::Local;
                decl.passing = Passing::default();
            }
        }
        // The result's derivative exists before the locals do even where it is no argument; so do those that a head does not name.
        for k in 0..from.formals.len() {
            let f = &from.formals[k];
            let active = mode != Mode::Forward && self.activity.is_active(original, f.symbol);
            if active && !self.formal_has_companion(program, original, k) {
                let primal = self.local(program, at, f.symbol);
                if let Err(d) = self.local_companion_of_argument(program, at, primal, f.symbol) {
                    problems.push(d);
                }
            }
        }
    }

    pub(super) fn report_clash(&mut self, program: &Program, wish: &str, name: &str, of: &Symbol) {
        if wish != name {
            let note = Diagnostic::warning("OB4022", format!("{wish} is taken: the derivative of {} is called {name}", of.name))
                .at(program.location(of.span))
                .help("if it is from an earlier run, give the text without it; choose other suffixes if the name matters");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    fn describe(&self, program: &Program, original: UnitId, mode: Mode, head: Option<usize>) -> String {
        let what = match mode {
            Mode::Tangent => "Tangent",
            Mode::Adjoint => "Adjoint",
            Mode::Forward => "Forward sweep",
            Mode::Reverse => "Reverse sweep",
        };
        let name = program.unit_name(original);
        let several = if self.vector && mode != Mode::Forward { " in several directions" } else { "" };
        match head.filter(|_| matches!(mode, Mode::Tangent | Mode::Adjoint)) {
            Some(h) => format!("{what} of {name}{several}, head {}.", self.heads[h].describe(program)),
            None if self.facts.variants.contains_key(&original) => {
                let names = self.active_arguments(program, original);
                let active = if names.is_empty() { "no argument".to_owned() } else { names.join(", ") };
                format!("{what} of {name}{several}, for calls in which {active} {} active.", if names.len() > 1 { "are" } else { "is" })
            }
            None => format!("{what} of {name}{several}."),
        }
    }

    /// The symbol that stands for an original's symbol in its derivative: a copy of what the unit or its host declares, else itself.
    pub fn local(&mut self, program: &mut Program, at: usize, symbol: SymbolId) -> SymbolId {
        let mut pending = Vec::new();
        let result = self.shallow_copy(program, at, symbol, &mut pending);
        while let Some((at, copy)) = pending.pop() {
            // Who declares one variable of a COMMON block declares all, in order.
            if let block @ Storage::Common(_) = program.symbol(copy).storage().clone() {
                let scope = program.symbol(self.derived[at].original_of(copy)).scope;
                for m in program.scope(scope).symbols.clone() {
                    if *program.symbol(m).storage() == block && !program.symbol(m).temp {
                        self.shallow_copy(program, at, m, &mut pending);
                    }
                }
            }
            let Some(mut decl) = program.symbol(copy).decl.clone() else { continue };
            for e in decl_exprs(&mut decl) {
                e.for_each_ref_mut(&mut |r| r.symbol = self.shallow_copy(program, at, r.symbol, &mut pending));
            }
            program.symbol_mut(copy).decl = Some(decl);
        }
        result
    }

    fn shallow_copy(&mut self, program: &mut Program, at: usize, symbol: SymbolId, pending: &mut Vec<(usize, SymbolId)>) -> SymbolId {
        if self.unit_names.contains(&symbol) {
            return symbol;
        }
        let (original, mode) = (self.derived[at].original, self.derived[at].mode);
        let owner = self.facts.objects.owner(symbol);
        let at = match owner {
            Some(o) if o == original => at,
            Some(o) => match self.index_of(o, mode) {
                Some(host) => host,
                None => return symbol,
            },
            None => return symbol,
        };
        if let Some(&c) = self.derived[at].copies.get(&symbol) {
            return c;
        }
        // A component needs the variable that it is a part of.
        if let Some((base, _)) = program.symbol(symbol).name.clone().split_once('%') {
            let scope = program.symbol(symbol).scope;
            let found = program.scope(scope).symbols.iter().copied().find(|s| program.same_name(&program.symbol(*s).name, base));
            if let Some(b) = found {
                self.shallow_copy(program, at, b, pending);
            }
        }
        let mut copy = program.symbol(symbol).clone();
        let keeps = || self.facts.kept.in_unit(self.derived[at].original).iter().find(|(s, _)| *s == symbol).map(|(_, k)| *k);
        let alone = || !self.facts.calls_itself(self.derived[at].original);
        if *copy.storage() == Storage::Static && keeps() == Some(Keeps::Nothing) && fits_on_stack(program, &copy) && alone() {
            let decl = copy.decl.get_or_insert_default();
            decl.storage = Storage::Local;
            decl.init = None;
            decl.attributes.retain(|a| a != "static" && a != "save");
        }
        if self.changes_under_two_names(program, at, symbol) {
            copy.decl.get_or_insert_default().attributes.push("target".into());
        }
        copy.scope = self.derived[at].scope;
        copy.id = copy.name.clone();
        if !self.derived[at].ids.insert(copy.id.to_lowercase()) {
            copy.id = self.derived[at].taken.fresh(&copy.name);
        }
        let copy = program.add_symbol(copy);
        self.derived[at].copies.insert(symbol, copy);
        self.derived[at].originals.insert(copy, symbol);
        pending.push((at, copy));
        copy
    }

    /// A new local variable; its name is the wish or close to it.
    pub fn temporary(&mut self, program: &mut Program, at: usize, wish: &str, ty: ElemType) -> SymbolId {
        let name = self.derived[at].taken.fresh(wish);
        let scope = self.derived[at].scope;
        program.add_symbol(Symbol { temp: true, ..Symbol::variable(name, ty, scope) })
    }

    /// A new local variable that is declared like another one.
    pub fn temporary_like(&mut self, program: &mut Program, at: usize, wish: &str, like: &Symbol, dims: Vec<Dim>) -> SymbolId {
        let name = self.derived[at].taken.fresh(wish);
        let mut s = Symbol { id: name.clone(), name, scope: self.derived[at].scope, temp: true, rank: dims.len() as u8, ..like.clone() };
        let mut decl = Decl { dims, type_text: s.decl.as_ref().map(|d| d.type_text.clone()).unwrap_or_default(), ..Decl::default() };
        decl.storage = Storage::Local;
        s.decl = Some(Box::new(decl));
        s.bounds.clear();
        s.pointer = false;
        s.kind = SymbolKind::Variable;
        program.add_symbol(s)
    }

    /// A free name in a derivative unit, which is taken from now on.
    pub fn fresh_name(&mut self, at: usize, wish: &str) -> SmolStr {
        self.derived[at].taken.fresh(wish)
    }

    /// Gives the derivative unit its copy of the original's graph, with copies of what the original declares, and companions of all that is active.
    pub fn copy_body(&mut self, program: &mut Program, at: usize) {
        let original = self.derived[at].original;
        let mut graph = program.unit(original).graph.clone();
        steps::number(&mut graph);
        if let Some(activity) = self.activity.unit(original) {
            super::marks::set(&mut graph, &activity.passive);
        }
        let scope = self.derived[at].scope;
        for v in graph.node_weights_mut() {
            if let xaif::model::VertexKind::Block { scope: s, stmts } = &mut v.kind {
                *s = scope;
                // What is said to compilers about the original need not hold of the derivative.
                stmts.retain(|s| {
                    let pragma = matches!(&s.kind, StmtKind::Marker(m) if m.class == xaif::model::MarkerClass::Pragma);
                    if pragma {
                        let note = left_behind(program, s);
                        // One of each kind is enough.
                        if !self.notes.iter().any(|d| d.code == note.code && d.message == note.message) {
                            self.notes.push(note);
                        }
                    }
                    !pragma
                });
            }
            super::walk::symbols_mut(v, &mut |s| *s = self.local(program, at, *s));
        }
        program.units[self.derived[at].unit.index()].graph = graph;
        if self.derived[at].mode == Mode::Forward {
            return;
        }
        let table = &self.facts.tables[original.index()];
        for &s in &table.objects {
            if !self.activity.is_active(original, s) || !program.symbol(s).ty.is_real() {
                continue;
            }
            // Of a COMMON variable the unit's own declaration, if it has one.
            let declared: Vec<SymbolId> = if matches!(program.symbol(s).storage(), Storage::Common(_)) {
                let own = program.unit(original).scope;
                program.scope(own).symbols.iter().copied().filter(|&m| self.facts.objects.canonical(m) == s).collect()
            } else {
                vec![s]
            };
            for m in declared {
                let primal = self.local(program, at, m);
                self.make_companion(program, at, primal, false);
            }
        }
    }

    /// The order of declaration: originals in their order, each with its derivative behind it, then what was added.
    pub fn finish(&self, program: &mut Program) {
        for d in &self.derived {
            let order: FxHashMap<SymbolId, usize> =
                program.scope(program.unit(d.original).scope).symbols.iter().enumerate().map(|(i, &s)| (s, i + 1)).collect();
            // What rows of derivatives are as long as comes before them.
            let mut key: FxHashMap<SymbolId, (usize, u8)> = d.directions.map(|n| (n, (0, 0))).into_iter().collect();
            for (o, c) in &d.copies {
                key.insert(*c, (order.get(o).copied().unwrap_or(usize::MAX - 1), 0));
            }
            for (p, c) in &d.companions {
                if let Some(&(i, _)) = key.get(p) {
                    key.insert(*c, (i, 1));
                }
            }
            let symbols = &mut program.scopes[d.scope.index()].symbols;
            symbols.sort_by_key(|s| key.get(s).copied().unwrap_or((usize::MAX, 0)));
        }
    }
}

/// How many statements a program has.
fn statements(program: &Program) -> usize {
    program.units.iter().flat_map(|u| u.graph.node_weights()).map(|v| v.stmts().len()).sum()
}

/// A unit without its graph.
fn header(unit: &Unit) -> Unit {
    Unit {
        kind: unit.kind,
        structured: unit.structured,
        formals: unit.formals.clone(),
        imports: unit.imports.clone(),
        prefixes: unit.prefixes.clone(),
        ..Unit::new(unit.symbol, unit.scope)
    }
}

/// So many bytes a local variable may take: what C programs declare `static` may be long, and stacks are short.
const STACK: i64 = 1 << 16;

/// Whether a variable of this form may be a local one.
fn fits_on_stack(program: &Program, symbol: &Symbol) -> bool {
    let dims = symbol.decl.iter().flat_map(|d| &d.dims);
    let elements = dims.map(|d| extent(program, d)).try_fold(1i64, |n, e| n.checked_mul(e?));
    elements.is_some_and(|n| n <= STACK / i64::from(symbol.ty.bits.max(8) / 8))
}

/// The expressions of a declaration.
pub(super) fn decl_exprs(decl: &mut Decl) -> impl Iterator<Item = &mut Expr> {
    decl.dims
        .iter_mut()
        .flat_map(|d| [&mut d.lower, &mut d.upper])
        .filter_map(|b| match b {
            Bound::Expr(e) => Some(e),
            Bound::Unknown => None,
        })
        .chain(&mut decl.init)
}

/// A pragma that derivative units do not have.
fn left_behind(program: &Program, s: &Stmt) -> Diagnostic {
    let words: Vec<&str> = s.text.trim_start_matches(['#', ' ']).split_whitespace().collect();
    // What comes in brackets is of one line alone.
    let kind: Vec<&str> =
        words.iter().map_while(|w| w.find('(').map_or(Some(*w), |k| Some(&w[..k])).filter(|w| !w.is_empty())).take(3).collect();
    let sign = if s.text.trim_start().starts_with('#') { "#" } else { "" };
    let message = format!("derivative code is without `{sign}{}`", kind.join(" "));
    let parallel = words.iter().take(2).any(|w| matches!(w.trim_start_matches(['!', '$', 'c', 'C', '*']), "omp" | "acc"));
    let d = if parallel {
        Diagnostic::warning("OB4110", message)
    } else {
        Diagnostic { severity: xaif::Severity::Note, ..Diagnostic::warning("OB4111", message) }
    };
    let d = d.at(program.location(s.span));
    if parallel {
        d.because(
            "the program is differentiated as it runs without it; in the adjoint, iterations that only read a variable add to its adjoint",
        )
        .help("derivatives run on one thread; parallelize them by hand where iterations add to different elements")
    } else {
        d.because("what holds of the original need not hold of its derivative")
    }
}
