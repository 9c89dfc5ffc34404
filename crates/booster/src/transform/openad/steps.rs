//! What each statement becomes: statements of the forward (tangent or taping) sweep and of the adjoint sweep.

use super::calls;
use super::guards;
use super::loop_indices::{self, Known, LoopIndices};
use super::partials::{Term, terms};
use super::references::{canonical, canonical_expr, derivative, is_active, plain, value};
use super::sequences::Surroundings;
use super::shared_records;
use super::temporaries::{Kind, Temporaries};
use crate::analysis::facts::Facts;
use crate::linearize::Factor;
use crate::transform::preaccumulate::Ledger;
use arcstr::ArcStr;
use rustc_hash::FxHashMap;
use xaif::catalogue::Catalogue;
use xaif::model::{
    BaseType, CallArgument, ElemType, Expr, Program, Propagation, ScopeId, Stmt, StmtKind, SymbolId, Tri, UnitId, VarRef, VertexId,
    VertexKind,
};
use xaif::structure::Region;
use xaif::{Diagnostic, types};

/// Which sweep the forward statements are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// Derivatives are propagated on the way.
    Tangent,
    /// Factors and indices are recorded, derivatives propagated in the adjoint sweep.
    Adjoint,
}

/// A statement in both sweeps.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// In order of execution.
    pub forward: Vec<Stmt>,
    /// In order of execution; the steps of a block are executed last to first.
    pub reverse: Vec<Stmt>,
}

/// Subscripts that were pushed at one point, each with what it is popped to.
pub type Recorded = Vec<(Expr, SymbolId)>;

/// The statements of a unit in both sweeps, block by block.
#[derive(Debug, Default)]
pub struct UnitSteps {
    /// The steps of each block.
    pub steps: FxHashMap<VertexId, Vec<Step>>,
    /// How the graph nests, if it does.
    pub tree: Option<Vec<Region>>,
    /// What the adjoint sweep counts again.
    pub indices: LoopIndices,
}

/// What the making of steps needs.
pub struct Maker<'a> {
    pub program: &'a mut Program,
    pub temporaries: &'a mut Temporaries,
    pub catalogue: &'a Catalogue,
    pub unit: UnitId,
    pub scope: ScopeId,
    pub sweep: Sweep,
    /// Indices of the loops around the block that the adjoint sweep counts again.
    pub known: Known,
    counter: u32,
}

/// The steps of all blocks of a unit.
pub fn unit_steps(
    program: &mut Program,
    temporaries: &mut Temporaries,
    id: UnitId,
    sweep: Sweep,
    (facts, ledger, catalogue): (&Facts, &mut Ledger, &Catalogue),
) -> Result<UnitSteps, Vec<Diagnostic>> {
    let graph = program.unit(id).graph.clone();
    let scope = program.unit(id).scope;
    let around = Surroundings::of(program, facts, id);
    let mut all = UnitSteps { tree: loop_indices::tree(&graph), ..UnitSteps::default() };
    if sweep == Sweep::Adjoint
        && let Some(tree) = &all.tree
    {
        all.indices = loop_indices::find(program, temporaries, id, tree, &|s| around.is_shared(s));
    }
    let known = Known::default();
    let mut maker = Maker { program, temporaries, catalogue, unit: id, scope, sweep, known, counter: 0 };
    let mut problems = Vec::new();
    for v in graph.node_indices() {
        match &graph[v].kind {
            VertexKind::Block { stmts, .. } => {
                let mut steps = Vec::new();
                maker.known = all.indices.around.get(&v).cloned().unwrap_or_default();
                let mut sequences = maker.sequences(stmts, &around, ledger).map_err(|d| vec![d])?.into_iter().peekable();
                let mut behind = 0;
                for (at, stmt) in stmts.iter().enumerate() {
                    if let Some((statements, step)) = sequences.next_if(|(r, _)| r.start == at) {
                        behind = statements.end;
                        steps.push(step);
                    }
                    if at < behind {
                        continue;
                    }
                    match maker.step(stmt) {
                        Ok(step) => steps.push(step),
                        Err(mut d) => {
                            if d.location.is_none() {
                                d.location = maker.program.location(stmt.span);
                            }
                            d.help.get_or_insert_with(|| {
                                "write it with operations that have a derivative (see `overbar intrinsics`)".to_owned()
                            });
                            problems.push(d);
                        }
                    }
                }
                if sweep == Sweep::Adjoint {
                    shared_records::share(maker.program, &around, &maker.known, &mut steps);
                }
                all.steps.insert(v, steps);
            }
            VertexKind::For(head) => {
                for stmt in [&head.init, &head.update] {
                    if let StmtKind::Assignment { lhs, .. } = &stmt.kind
                        && is_active(maker.program, lhs)
                    {
                        problems.push(
                            Diagnostic::error("OB4083", "the loop variable is active")
                                .at(maker.program.location(graph[v].span))
                                .help("count with an integer"),
                        );
                    }
                }
            }
            _ => {}
        }
    }
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

/// A term of the derivative of `target`: the `first` sets it, the others are added.
pub fn term(first: bool, target: VarRef, factor: &Factor, source: VarRef) -> Propagation {
    match (first, factor) {
        (true, Factor::One) => Propagation::Set { target, source },
        (true, Factor::MinusOne) => Propagation::SetNeg { target, source },
        (true, Factor::Value(a)) => Propagation::Sax { terms: vec![(a.clone(), source)], y: target },
        (false, Factor::One) => Propagation::Inc { target, source },
        (false, Factor::MinusOne) => Propagation::Dec { target, source },
        (false, Factor::Value(a)) => Propagation::Saxpy { terms: vec![(a.clone(), source)], y: target },
    }
}

/// A call of stock run-time support.
pub fn inline(name: &str, id: &str, arguments: impl IntoIterator<Item = VarRef>) -> Stmt {
    let arguments = arguments.into_iter().zip(1..).map(|(r, position)| CallArgument::new(position, Expr::var(r))).collect();
    Stmt { id: id.into(), ..Stmt::new(StmtKind::Runtime { name: name.into(), arguments }) }
}

impl Maker<'_> {
    pub fn statement_id(&mut self, what: &str) -> ArcStr {
        self.counter += 1;
        arcstr::format!("_{what}_{}", self.counter - 1)
    }

    fn step(&mut self, stmt: &Stmt) -> Result<Step, Diagnostic> {
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } if is_active(self.program, lhs) => self.assignment(stmt, lhs, rhs),
            StmtKind::Call(call) => calls::step(self, stmt, call),
            StmtKind::Marker(m) if m.writes.iter().any(|&s| self.program.symbol(s).active && self.program.symbol(s).ty.is_real()) => {
                Err(Diagnostic::error("OB4084", "an opaque statement writes an active variable")
                    .help("express it as an assignment or a call"))
            }
            StmtKind::Marker(m) if self.sweep == Sweep::Adjoint && m.object.as_ref().is_some_and(|r| is_active(self.program, r)) => {
                Err(Diagnostic::error("OB4092", "memory for active values is allocated or freed in the adjoint of the openad dialect")
                    .because("the adjoint sweep begins when the unit has been left, and that memory is gone then")
                    .help("use arrays whose extents are declared, or write the overbar dialect with --dialect overbar"))
            }
            StmtKind::Propagator(_) | StmtKind::Runtime { .. } => {
                Err(Diagnostic::error("OB4085", "the program has been differentiated already")
                    .help("give the booster the original program"))
            }
            _ => Ok(Step { forward: vec![stmt.clone()], reverse: Vec::new() }),
        }
    }

    /// A scalar or array temporary like a reference, with the allocation that it may need.
    pub fn temporary(&mut self, kind: Kind, ty: ElemType, like: &VarRef, rank: u8, out: &mut Vec<Stmt>) -> VarRef {
        let symbol = self.temporaries.add(self.program, self.scope, kind, ty, Some((like, rank)));
        let whole = VarRef { active: if self.program.symbol(symbol).active { Tri::True } else { Tri::False }, ..VarRef::whole(symbol) };
        if rank > 0 && self.program.symbol(symbol).bounds.is_empty() {
            out.push(inline("oad_AllocateMatching", "inline_allocate", [whole.clone(), plain(like)]));
        }
        whole
    }

    /// The subscripts of a reference recorded: the forward statements that push them, and the reference in terms of what is popped, in whose
    /// order `pops` are to be executed backwards. What is `recorded` already at the same point is not pushed again.
    pub fn record_subscripts(
        &mut self,
        r: &VarRef,
        recorded: &mut Recorded,
        forward: &mut Vec<Stmt>,
        pops: &mut Vec<Stmt>,
    ) -> Result<VarRef, Diagnostic> {
        let mut popped = r.clone();
        popped.forget_ids();
        for e in popped.index_exprs_mut() {
            if e.as_constant().is_some() {
                continue;
            }
            if types::of(self.program, e).rank > 0 {
                return Err(
                    Diagnostic::error("OB4086", "a vector subscript of an active array cannot be recorded").help("write it as a loop")
                );
            }
            if let Some(again) = loop_indices::in_terms_of(self.program, &self.known, e) {
                *e = again;
                continue;
            }
            let key = canonical_expr(e);
            if let Some((_, known)) = recorded.iter().find(|(k, _)| *k == key) {
                *e = Expr::sym(*known);
                continue;
            }
            let pushed = match e.as_var() {
                Some(v) => plain(v),
                None => {
                    let t = self.integer();
                    let assign = Stmt::assign(VarRef::whole(t), e.clone());
                    forward.push(Stmt { id: "index_expression_assignment_for_taping".into(), ..assign });
                    VarRef::whole(t)
                }
            };
            forward.push(inline("push_i_s0", "inline_push_i", [pushed]));
            let t = self.integer();
            pops.push(inline("pop_i_s0", "inline_pop_i", [VarRef::whole(t)]));
            recorded.push((key, t));
            *e = Expr::sym(t);
        }
        Ok(popped)
    }

    pub fn integer(&mut self) -> SymbolId {
        self.temporaries.add(self.program, self.scope, Kind::Plain, ElemType { base: BaseType::Integer, bits: 64 }, None)
    }

    fn assignment(&mut self, stmt: &Stmt, lhs: &VarRef, rhs: &Expr) -> Result<Step, Diagnostic> {
        guards::check(self.program, rhs)?;
        let found = terms(self.program, self.catalogue, rhs)?.terms;
        let lhs_type = types::of_ref(self.program, lhs);
        let mut step = Step::default();

        // x = x + e: the derivative of x stays, the others are added to it.
        let same = |t: &Term| canonical(&t.leaf) == canonical(lhs);
        let increments = found.iter().filter(|t| same(t)).count() == 1
            && found.iter().any(|t| same(t) && matches!(t.factor, Factor::One))
            && found.iter().all(|t| same(t) || !self.may_overlap(&t.leaf, lhs));
        let mut propagation = Vec::new();
        let mut factors: Vec<(VarRef, Expr, u8)> = Vec::new(); // leaf or carrier, factor to be recorded, rank
        let mut entries: Vec<(Option<usize>, Factor, VarRef)> = Vec::new();
        let mut carriers: Vec<(VarRef, VarRef)> = Vec::new();
        for t in found.iter().filter(|t| !(increments && same(t))) {
            let leaf_type = types::of_ref(self.program, &t.leaf);
            if self.sweep == Sweep::Adjoint && leaf_type.rank != lhs_type.rank {
                return Err(Diagnostic::error(
                    "OB4087",
                    "a scalar that enters an array assignment cannot be propagated backwards in the openad dialect",
                )
                .because("its adjoint is a sum over the array")
                .help("write the assignment as a loop"));
            }
            let again = if let Factor::Value(e) = &t.factor { self.computed_again(e) } else { None };
            let factor = match (&t.factor, again) {
                (_, Some(again)) => (None, Factor::Value(again)),
                (Factor::Value(e), None) if e.as_constant().is_none() => {
                    let rank = types::of(self.program, e).rank;
                    let ty = ElemType { base: BaseType::Real, bits: if lhs_type.elem.bits == 0 { 64 } else { lhs_type.elem.bits } };
                    let mut before = Vec::new();
                    let lin = self.temporary(Kind::Partial, ty, lhs, rank, &mut before);
                    step.forward.append(&mut before);
                    let id = self.statement_id("elementary_partial");
                    step.forward.push(Stmt { id, ..Stmt::assign(lin.clone(), e.clone()) });
                    factors.push((lin.clone(), e.clone(), rank));
                    (Some(factors.len() - 1), Factor::Value(Expr::var(lin)))
                }
                (other, None) => (None, other.clone()),
            };
            let from = if self.may_overlap(&t.leaf, lhs) {
                let mut before = Vec::new();
                let carrier = self.temporary(Kind::Carrier, leaf_type.elem, &t.leaf, leaf_type.rank, &mut before);
                step.forward.append(&mut before);
                propagation.push(Propagation::Set { target: derivative(&carrier), source: derivative(&t.leaf) });
                carriers.push((carrier.clone(), t.leaf.clone()));
                carrier
            } else {
                t.leaf.clone()
            };
            entries.push((factor.0, factor.1, from));
        }
        step.forward.push(stmt.clone());

        let mut first = !increments;
        if entries.is_empty() && first {
            propagation.push(Propagation::Zero { target: derivative(lhs) });
        }
        for (_, factor, from) in &entries {
            propagation.push(term(std::mem::take(&mut first), derivative(lhs), factor, derivative(from)));
        }
        if self.sweep == Sweep::Tangent {
            if !propagation.is_empty() {
                step.forward.push(Stmt::new(StmtKind::Propagator(propagation)));
            }
            return Ok(step);
        }
        self.reverse_assignment(&mut step, lhs, &entries, &carriers, increments, &factors)?;
        Ok(step)
    }

    /// Pushes behind the assignment; in the adjoint sweep pops, increments of the leaves, and the zero of what was overwritten.
    fn reverse_assignment(
        &mut self,
        step: &mut Step,
        lhs: &VarRef,
        entries: &[(Option<usize>, Factor, VarRef)],
        carriers: &[(VarRef, VarRef)],
        increments: bool,
        factors: &[(VarRef, Expr, u8)],
    ) -> Result<(), Diagnostic> {
        let mut pops = Vec::new();
        let mut recorded = Recorded::new();
        // The memory of array factors is allocated with the subscripts, so these are popped before them.
        let arrays = factors.iter().any(|(.., rank)| *rank > 0);
        let (mut subscripts, mut subscript_pops) = (Vec::new(), Vec::new());
        let target = self.record_subscripts(lhs, &mut recorded, &mut subscripts, &mut subscript_pops)?;
        if !arrays {
            step.forward.append(&mut subscripts);
            pops.append(&mut subscript_pops);
        }
        let mut popped_factors = Vec::new();
        for (lin, _, rank) in factors {
            step.forward.push(inline(&format!("push_s{rank}"), "inline_push", [lin.clone()]));
            let mut before = Vec::new();
            let ty = self.program.symbol(lin.symbol).ty;
            let popped = self.temporary(Kind::Plain, ty, &target, *rank, &mut before);
            // What is popped last is pushed first: an allocation goes in front of its pop when the list is reversed.
            pops.push(inline(&format!("pop_s{rank}"), "inline_pop", [popped.clone()]));
            pops.append(&mut before);
            popped_factors.push(popped);
        }
        step.forward.append(&mut subscripts);
        pops.append(&mut subscript_pops);
        let mut body = Vec::new();
        let mut carried = Vec::new();
        for (factor, kind, from) in entries {
            let source = match carriers.iter().find(|(c, _)| c.symbol == from.symbol) {
                Some((carrier, leaf)) => {
                    let leaf = self.record_subscripts(leaf, &mut recorded, &mut step.forward, &mut pops)?;
                    carried.push((carrier.clone(), leaf));
                    carrier.clone()
                }
                None => self.record_subscripts(from, &mut recorded, &mut step.forward, &mut pops)?,
            };
            let (y, x) = (value(&target), value(&source));
            match (factor, kind) {
                (Some(k), _) => body.push(inline("Saxpy", "inline_saxpy", [popped_factors[*k].clone(), y, x])),
                (None, Factor::One) => body.push(inline("IncDeriv", "inline_incderiv", [y, x])),
                (None, Factor::MinusOne) => body.push(inline("DecDeriv", "inline_decderiv", [y, x])),
                (None, Factor::Value(a)) => {
                    let a = self.literal_factor(a, &target, &mut body);
                    body.push(inline("Saxpy", "inline_saxpy", [a, y, x]));
                }
            }
        }
        if !increments {
            body.push(inline("ZeroDeriv", "inline_zeroderiv", [value(&target)]));
        }
        let mut allocations = Vec::new();
        for (carrier, leaf) in carried {
            let symbol = self.program.symbol(carrier.symbol);
            if symbol.rank > 0 && symbol.bounds.is_empty() {
                allocations.push(inline("oad_AllocateMatching", "inline_allocate", [carrier.clone(), plain(&leaf)]));
            }
            body.push(inline("IncDeriv", "inline_incderiv", [value(&carrier), value(&leaf)]));
            body.push(inline("ZeroDeriv", "inline_zeroderiv", [value(&carrier)]));
        }
        pops.reverse();
        step.reverse = pops;
        // The memory that the taping sweep gave to a carrier is gone.
        step.reverse.extend(allocations);
        step.reverse.extend(body);
        Ok(())
    }

    /// A factor in terms of the adjoint sweep, if that can compute it anew.
    pub fn computed_again(&self, factor: &Expr) -> Option<Expr> {
        let wanted = self.sweep == Sweep::Adjoint && factor.as_constant().is_none() && types::of(self.program, factor).rank == 0;
        if wanted { loop_indices::in_terms_of(self.program, &self.known, factor) } else { None }
    }

    /// A factor that is known to the adjoint sweep in a temporary, which the run-time support can take as an argument.
    pub fn literal_factor(&mut self, a: &Expr, target: &VarRef, out: &mut Vec<Stmt>) -> VarRef {
        let ty = self.program.symbol(target.symbol).ty;
        let t = VarRef::whole(self.temporaries.add(self.program, self.scope, Kind::Plain, ty, None));
        let id = self.statement_id("constant_factor");
        out.push(Stmt { id, ..Stmt::assign(t.clone(), a.clone()) });
        t
    }

    /// Whether a leaf may share storage with what is assigned (stock alias rules: same symbol, a common address, or nothing known).
    fn may_overlap(&self, leaf: &VarRef, lhs: &VarRef) -> bool {
        if leaf.symbol == lhs.symbol {
            return true;
        }
        let set = |key: u32| self.program.alias_sets.iter().find(|s| s.key == key).filter(|_| key != 0);
        let (Some(a), Some(b)) = (set(leaf.alias()), set(lhs.alias())) else {
            // Nothing is known: only arguments and globals can be handed in twice.
            return !self.program.symbol(leaf.symbol).temp && !self.program.symbol(lhs.symbol).temp;
        };
        a.ranges.iter().any(|x| b.ranges.iter().any(|y| x.from <= y.to && y.from <= x.to))
    }
}
