//! Sequences of assignments whose local Jacobian is accumulated before it is propagated.
//!
//! ```text
//! t = x*y              c = cos(t);  t = x*y;  u = sin(t)*z
//! u = sin(t)*z   ->    c1 = z*c;  c2 = c1*y;  c3 = c1*x
//!                      u' = c2*x' + c3*y' + w*z'              one propagation: three factors are recorded, each index once
//! ```
//!
//! A sequence is taken where that leaves less to be multiplied, propagated and recorded than its statements one by one. Lives here: this choice, and both
//! sweeps of a sequence. How graphs are built is in [`crate::linearize::flatten`], how they are written out in [`crate::transform::preaccumulate::emit`].

use super::guards;
use super::partials::terms;
use super::references::{canonical, derivative, is_active, value};
use super::steps::{Maker, Recorded, Step, Sweep, inline, term};
use super::temporaries::Kind;
use crate::analysis::facts::Facts;
use crate::linearize::Factor;
use crate::linearize::flatten::{self, Setting};
use crate::linearize::fold;
use crate::linearize::graph::{Line, Sequence};
use crate::linearize::places::Sharing;
use crate::transform::adjoint::sharing;
use crate::transform::preaccumulate::emit::{Emitted, emit};
use crate::transform::preaccumulate::exposure::{Accesses, Exposed};
use crate::transform::preaccumulate::slots::{self, Pool, Use};
use crate::transform::preaccumulate::{Ledger, NEIGHBOURHOOD, Preaccumulate, is_private};
use overbar_eliminate::brief::{Question, brief};
use overbar_eliminate::names::Heuristic;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use xaif::Diagnostic;
use xaif::catalogue::Catalogue;
use xaif::model::{ElemType, Expr, Program, Propagation, ScopeId, Stmt, StmtKind, Symbol, SymbolId, Tri, UnitId, VarRef};

/// What is known of a unit as a whole.
pub struct Surroundings {
    sharing: FxHashMap<SymbolId, Vec<SymbolId>>,
    exposed: Exposed,
    /// What is seen from outside of the unit.
    formals: FxHashSet<SymbolId>,
    /// Other units see its variables.
    hosts: bool,
}

impl Surroundings {
    /// Whether a variable may have another name.
    pub fn is_shared(&self, s: SymbolId) -> bool {
        self.sharing.contains_key(&s)
    }

    /// Those of a unit.
    pub fn of(program: &Program, facts: &Facts, id: UnitId) -> Surroundings {
        let unit = program.unit(id);
        let own = facts.tables.get(id.index()).into_iter().flat_map(|t| t.objects.iter().map(|&s| (s, s)));
        let named = program.scope(unit.scope).symbols.iter().map(|&s| (facts.objects.canonical(s), s));
        let here: FxHashMap<SymbolId, SymbolId> = own.chain(named).collect();
        Surroundings {
            sharing: sharing(program, facts, id, &here),
            exposed: Exposed::of(&unit.graph),
            formals: unit.formals.iter().map(|f| f.symbol).collect(),
            hosts: program.units.iter().any(|u| program.scope(u.scope).parent == Some(unit.scope)),
        }
    }
}

/// A sequence while it is drafted: its values are symbols from `base` on.
struct Drafting<'a> {
    program: &'a mut Program,
    catalogue: &'a Catalogue,
    scope: ScopeId,
    around: &'a Surroundings,
    accesses: &'a Accesses,
    base: usize,
    most_vertices: usize,
}

impl Sharing for Drafting<'_> {
    fn suspect(&self, s: SymbolId) -> bool {
        s.index() < self.base && self.around.sharing.contains_key(&s)
    }
    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool {
        self.around.sharing.get(&a).is_some_and(|l| l.contains(&b))
    }
}

impl Setting for Drafting<'_> {
    fn program(&self) -> &Program {
        self.program
    }
    fn catalogue(&self) -> &Catalogue {
        self.catalogue
    }
    fn is_active(&self, symbol: SymbolId) -> bool {
        symbol.index() < self.base && self.program.symbol(symbol).active && self.program.symbol(symbol).ty.is_real()
    }
    fn takes_part(&self, stmt: &Stmt) -> bool {
        matches!(&stmt.kind, StmtKind::Assignment { rhs, .. } if guards::check(self.program, rhs).is_ok())
    }
    fn variable(&mut self, ty: ElemType) -> SymbolId {
        self.program.symbols.push(Symbol::made("", ty, self.scope));
        SymbolId(self.program.symbols.len() as u32 - 1)
    }
    fn most_vertices(&self) -> usize {
        self.most_vertices
    }
    fn is_dead_behind(&self, s: SymbolId, number: usize) -> bool {
        let a = self.around;
        let seen = a.hosts || a.formals.contains(&s) || a.sharing.contains_key(&s) || a.exposed.has(s);
        !seen && is_private(self.program, self.scope, s) && !self.accesses.read_from(s, number)
    }
}

/// What a way to propagate takes.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Products to accumulate factors.
    products: usize,
    /// Factors that the program computes: each is a product of the propagation, and recorded for the adjoint sweep.
    factors: usize,
    /// Terms of the propagation.
    terms: usize,
}

impl Cost {
    fn sum(self, sweep: Sweep) -> usize {
        self.products + self.factors * directions(sweep) as usize + self.terms
    }
}

/// What a factor costs, in products: in the adjoint sweep it is pushed and popped besides.
fn directions(sweep: Sweep) -> u64 {
    if sweep == Sweep::Adjoint { 3 } else { 1 }
}

fn is_variable(f: &Expr) -> bool {
    fold::number(f).is_none()
}

impl Maker<'_> {
    /// The sequences of a block that are taken, with the statements that they replace.
    pub(super) fn sequences(
        &mut self,
        stmts: &[Box<Stmt>],
        around: &Surroundings,
        ledger: &mut Ledger,
    ) -> Result<Vec<(Range<usize>, Step)>, Diagnostic> {
        let mut out = Vec::new();
        if ledger.when == Preaccumulate::Never || stmts.iter().any(|s| self.says_passive(s)) {
            return Ok(out);
        }
        let accesses = Accesses::of(stmts);
        let most_vertices = if ledger.when == Preaccumulate::Auto { NEIGHBOURHOOD } else { flatten::MOST_VERTICES };
        let mut at = 0;
        loop {
            let base = self.program.symbols.len();
            let (program, catalogue) = (&mut *self.program, self.catalogue);
            let mut drafting = Drafting { program, catalogue, scope: self.scope, around, accesses: &accesses, base, most_vertices };
            let Some(sequence) = flatten::next(&mut drafting, stmts, at) else {
                self.program.symbols.truncate(base);
                return Ok(out);
            };
            at = sequence.statements.end;
            let drafted = drafted(&mut drafting, stmts, &sequence, ledger, self.sweep);
            let types: Vec<ElemType> = self.program.symbols.from(base).map(|s| s.ty).collect();
            self.program.symbols.truncate(base);
            let Some((emitted, cost)) = drafted else { continue };
            let less = |s: Cost| cost.sum(self.sweep) < s.sum(self.sweep);
            if ledger.when == Preaccumulate::Always || self.separately(stmts, &sequence).is_some_and(less) {
                let step = self.written(emitted, slots::Values { base, types: &types })?;
                out.push((sequence.statements, step));
            }
        }
    }

    /// A reference that is passive by itself, though its variable is not.
    fn says_passive(&self, stmt: &Stmt) -> bool {
        let StmtKind::Assignment { lhs, rhs } = &stmt.kind else { return false };
        let mut found = false;
        let mut look = |r: &VarRef| found |= r.is_passive() && is_active(self.program, r);
        look(lhs);
        rhs.for_each_ref(&mut look);
        found
    }

    /// What the statements take one by one; none where one of them cannot be differentiated so.
    fn separately(&self, stmts: &[Box<Stmt>], sequence: &Sequence) -> Option<Cost> {
        let mut sum = Cost::default();
        for line in &sequence.lines {
            let Line::Statement(k, _) = line else { continue };
            let StmtKind::Assignment { lhs, rhs } = &stmts[*k].kind else { continue };
            if is_active(self.program, lhs) {
                let found = terms(self.program, self.catalogue, rhs).ok()?;
                sum.products += found.products;
                sum.factors += found.terms.iter().filter(|t| matches!(&t.factor, Factor::Value(e) if is_variable(e))).count();
                sum.terms += found.terms.len();
            }
        }
        Some(sum)
    }
}

impl Maker<'_> {
    /// Both sweeps of a sequence.
    fn written(&mut self, mut emitted: Emitted, values: slots::Values) -> Result<Step, Diagnostic> {
        let first = self.program.symbols.len();
        self.name_values(&mut emitted, values);
        let mut step = Step::default();
        for (mut stmt, original) in emitted.stmts {
            if let StmtKind::Assignment { lhs, rhs } = &mut stmt.kind {
                let own = |r: &mut VarRef| {
                    if r.symbol.index() >= first {
                        r.active = Tri::False;
                    }
                };
                own(lhs);
                rhs.for_each_ref_mut(&mut |r| own(r));
            }
            if original.is_none() {
                stmt.id = self.statement_id("elementary_partial");
            }
            step.forward.push(*stmt);
        }
        let mut lines = Vec::with_capacity(emitted.propagation.len());
        let mut known = Vec::new();
        for p in emitted.propagation {
            lines.extend(self.line(p, &mut known, &mut step.forward));
        }
        if self.sweep == Sweep::Tangent {
            let propagation: Vec<Propagation> = lines.iter().flat_map(Propagated::forward).collect();
            step.forward.push(Stmt::new(StmtKind::Propagator(propagation)));
            return Ok(step);
        }
        self.reversed(&lines, &mut step)?;
        Ok(step)
    }

    /// Gives values variables.
    fn name_values(&mut self, emitted: &mut Emitted, values: slots::Values) {
        let mut free = Pool::default();
        let mut add = |kind: Kind, ty: ElemType| self.temporaries.add(self.program, self.scope, kind, ty, None);
        let named = slots::Plan::of(emitted, &[], values).named(values, &mut |request| match request {
            Use::Take(ty) => free.take(ty).unwrap_or_else(|| add(Kind::Partial, ty)),
            Use::Keep(ty) => add(Kind::Partial, ty),
            Use::Sum(ty) => add(Kind::Carrier, ty),
            Use::Back(ty, s) => free.back(ty, s),
        });
        named.write(emitted, &mut []);
    }

    /// A line of the propagation, its factors in variables of their own; `known` has those that there are.
    fn line(&mut self, p: Propagation, known: &mut Vec<(Expr, VarRef)>, forward: &mut Vec<Stmt>) -> Option<Propagated> {
        let (terms, y) = match p {
            Propagation::Sax { terms, y } => (terms, y),
            Propagation::Zero { target } => (Vec::new(), target),
            _ => return None,
        };
        let mut out = Propagated { target: y, keeps: false, carrier: None, terms: Vec::new() };
        for (a, x) in terms {
            // A variable is one that has been recorded.
            let again = self.computed_again(&a).filter(|e| e.as_var().is_none());
            let factor = match (fold::number(&a), again) {
                (Some(1.0), _) => Factor::One,
                (Some(-1.0), _) => Factor::MinusOne,
                (Some(_), _) => Factor::Value(a),
                (None, Some(again)) => Factor::Value(again),
                (None, None) => Factor::Value(Expr::var(self.factor(a, known, forward))),
            };
            if canonical(&x) != canonical(&out.target) {
                out.terms.push((factor, x));
            } else if matches!(factor, Factor::One) {
                out.keeps = true;
            } else {
                let ty = self.program.symbol(x.symbol).ty;
                let carrier = VarRef::whole(self.temporaries.add(self.program, self.scope, Kind::Carrier, ty, None));
                out.terms.push((factor, carrier.clone()));
                out.carrier = Some(carrier);
            }
        }
        Some(out)
    }

    /// A variable with the value of a factor; those that were made for it are `known`.
    fn factor(&mut self, a: Expr, known: &mut Vec<(Expr, VarRef)>, forward: &mut Vec<Stmt>) -> VarRef {
        let own = |v: &&VarRef| self.program.symbol(v.symbol).temp && v.subscripts.is_empty() && !is_active(self.program, v);
        if let Some(v) = a.as_var().filter(own) {
            return VarRef { active: Tri::False, ..v.clone() };
        }
        if let Some((_, v)) = known.iter().find(|(e, _)| *e == a) {
            return v.clone();
        }
        let bits = xaif::types::of(self.program, &a).elem.bits;
        let ty = ElemType { base: xaif::model::BaseType::Real, bits: if bits == 0 { 64 } else { bits } };
        let symbol = self.temporaries.add(self.program, self.scope, Kind::Partial, ty, None);
        let lin = VarRef { active: Tri::False, ..VarRef::whole(symbol) };
        let id = self.statement_id("elementary_partial");
        forward.push(Stmt { id, ..Stmt::assign(lin.clone(), a.clone()) });
        known.push((a, lin.clone()));
        lin
    }

    /// Factors and indices are pushed behind the statements, each once; the adjoint sweep pops them and goes through the lines backwards.
    fn reversed(&mut self, lines: &[Propagated], step: &mut Step) -> Result<(), Diagnostic> {
        let mut pops = Vec::new();
        let mut popped: FxHashMap<SymbolId, VarRef> = FxHashMap::default();
        let (mut body, mut recorded) = (Vec::new(), Recorded::new());
        for line in lines.iter().rev() {
            let y = value(&self.record_subscripts(&line.target, &mut recorded, &mut step.forward, &mut pops)?);
            for (factor, x) in &line.terms {
                let x = value(&self.record_subscripts(x, &mut recorded, &mut step.forward, &mut pops)?);
                match factor {
                    Factor::One => body.push(inline("IncDeriv", "inline_incderiv", [y.clone(), x])),
                    Factor::MinusOne => body.push(inline("DecDeriv", "inline_decderiv", [y.clone(), x])),
                    Factor::Value(a) => {
                        let a = match a.as_var() {
                            None => self.literal_factor(a, &line.target, &mut body),
                            Some(lin) => match popped.get(&lin.symbol) {
                                Some(p) => p.clone(),
                                None => {
                                    step.forward.push(inline("push_s0", "inline_push", [lin.clone()]));
                                    let ty = self.program.symbol(lin.symbol).ty;
                                    let p = self.temporary(Kind::Plain, ty, &line.target, 0, &mut Vec::new());
                                    pops.push(inline("pop_s0", "inline_pop", [p.clone()]));
                                    popped.insert(lin.symbol, p.clone());
                                    p
                                }
                            },
                        };
                        body.push(inline("Saxpy", "inline_saxpy", [a, y.clone(), x]));
                    }
                }
            }
            if !line.keeps {
                body.push(inline("ZeroDeriv", "inline_zeroderiv", [y.clone()]));
            }
            if let Some(c) = &line.carrier {
                body.push(inline("IncDeriv", "inline_incderiv", [value(c), y]));
                body.push(inline("ZeroDeriv", "inline_zeroderiv", [value(c)]));
            }
        }
        pops.reverse();
        step.reverse = pops;
        step.reverse.append(&mut body);
        Ok(())
    }
}

/// A line of the propagation: the derivative of `target` is a sum of terms.
struct Propagated {
    target: VarRef,
    /// The sum is added to the derivative that the target has.
    keeps: bool,
    /// What holds that derivative, where the sum has a multiple of it.
    carrier: Option<VarRef>,
    terms: Vec<(Factor, VarRef)>,
}

impl Propagated {
    fn forward(&self) -> Vec<Propagation> {
        let target = derivative(&self.target);
        let mut out = Vec::new();
        if let Some(c) = &self.carrier {
            out.push(Propagation::Set { target: derivative(c), source: target.clone() });
        }
        let mut first = !self.keeps;
        if self.terms.is_empty() && first {
            out.push(Propagation::Zero { target: target.clone() });
        }
        for (factor, x) in &self.terms {
            out.push(term(std::mem::take(&mut first), target.clone(), factor, derivative(x)));
        }
        out
    }
}

/// A sequence written out, with what it takes: eliminated as far as it pays, or completely where that leaves less.
fn drafted(
    drafting: &mut Drafting,
    stmts: &[Box<Stmt>],
    sequence: &Sequence,
    ledger: &mut Ledger,
    sweep: Sweep,
) -> Option<(Emitted, Cost)> {
    let graph = sequence.graph().ok()?;
    let edges = graph.edges.len();
    let mut best: Option<(Emitted, Cost)> = None;
    for complete in [false, true] {
        if !complete && ledger.when == Preaccumulate::Always {
            continue;
        }
        let given = ledger.budget(edges);
        // A search for what pays stops early: everything is eliminated in an order.
        let chain = ledger.chain.as_deref().or(complete.then_some(&[Heuristic::Markowitz][..]));
        let Some(answer) = brief(&graph, &Question { chain, directions: directions(sweep), complete, budget: given }) else { continue };
        ledger.spent(edges, given, answer.budget);
        let emitted = emit(drafting, stmts, sequence, &graph, &answer.code);
        let mut cost = Cost { products: answer.code.multiplications as usize, ..Cost::default() };
        for p in &emitted.propagation {
            if let Propagation::Sax { terms, .. } = p {
                cost.terms += terms.len();
                cost.factors += terms.iter().filter(|(a, _)| is_variable(a)).count();
            }
        }
        if best.as_ref().is_none_or(|(_, c)| cost.sum(sweep) < c.sum(sweep)) {
            best = Some((emitted, cost));
        }
    }
    best
}
