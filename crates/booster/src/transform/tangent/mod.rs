//! Tangent units: derivatives computed along with the values.
//!
//! ```text
//! x = x*sin(y)     ->     xd = sin(y)*xd + x*cos(y)*yd
//!                         x = x*sin(y)
//! ```
//!
//! Control flow is copied; each tangent statement stands before the statement it belongs to, so that it sees the values from
//! before. Lives here: the walk over a unit. Calls are in [`calls`], what is zero on entry in [`zeros`].

mod calls;
mod sequences;
mod temporaries;
mod zeros;

use super::plan::Plan;
use super::region::{self, Item};
use super::scalarize::{self, Additions, Scratch};
use crate::analysis::activity::active::StepFacts;
use crate::linearize::{Refusal, fold, tangent_expr};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{ElemType, Marker, MarkerClass, Span, Stmt, StmtKind, Stmts, SymbolId, VarRef, VertexId, VertexKind};
use xaif::{Diagnostic, Program, types};

/// Writes the statements of a tangent unit.
///
/// # Errors
/// Everything in the unit that cannot be differentiated.
pub fn write(program: &mut Program, plan: &mut Plan, at: usize) -> Result<(), Vec<Diagnostic>> {
    plan.copy_body(program, at);
    let unit = plan.derived[at].unit;
    let blocks: Vec<(VertexId, Stmts)> = {
        let graph = &program.unit(unit).graph;
        graph
            .node_indices()
            .filter_map(|v| match &graph[v].kind {
                VertexKind::Block { stmts, .. } => Some((v, stmts.clone())),
                _ => None,
            })
            .collect()
    };
    let mut writer = Writer {
        program,
        plan,
        at,
        problems: Vec::new(),
        zero_arguments: FxHashMap::default(),
        scratch: Scratch::default(),
        temporaries: Vec::new(),
        silently_written: None,
        surroundings: sequences::Surroundings::default(),
    };
    writer.survey();
    let mut code: FxHashMap<VertexId, Vec<Item>> = FxHashMap::default();
    for (v, stmts) in blocks {
        let mut out = Vec::with_capacity(2 * stmts.len());
        let mut parts = writer.sequences(&stmts).into_iter().peekable();
        let mut behind = 0;
        for (i, s) in stmts.into_iter().enumerate() {
            if let Some(part) = parts.next_if(|p| p.statements.start == i) {
                behind = part.statements.end;
                out.extend(part.items);
            }
            if i >= behind {
                writer.statement(*s, &mut out);
            }
        }
        code.insert(v, out);
    }
    let on_entry = writer.on_entry();
    let problems = writer.problems;
    if !problems.is_empty() {
        return Err(problems);
    }
    let graph = &mut program.units[unit.index()].graph;
    if let Some(entry) = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Entry)) {
        code.insert(entry, on_entry);
    }
    region::replace(graph, plan.derived[at].scope, code);
    Ok(())
}

struct Writer<'p, 'a> {
    program: &'p mut Program,
    plan: &'p mut Plan<'a>,
    /// Which derivative unit.
    at: usize,
    problems: Vec<Diagnostic>,
    /// Zero derivatives that are handed to calls, by the variable they belong to.
    zero_arguments: FxHashMap<SymbolId, SymbolId>,
    scratch: Scratch,
    /// Variables for shared values, by type and number.
    temporaries: Vec<(ElemType, usize, SymbolId)>,
    /// Objects, by number in the original's table, that something writes without taking their derivative along.
    silently_written: Option<FxHashSet<u32>>,
    /// What preaccumulation knows of the unit.
    surroundings: sequences::Surroundings,
}

impl Writer<'_, '_> {
    fn companion(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.plan.derived[self.at].companion(symbol)
    }

    /// The derivative of a reference, if it has one.
    fn derivative(&self, r: &VarRef) -> Option<VarRef> {
        self.companion(r.symbol).filter(|_| !r.is_passive()).map(|c| r.with_symbol(c))
    }

    /// derivative of a reference = 0
    fn zero(&self, target: VarRef) -> Stmt {
        let ty = types::of_ref(self.program, &target).elem;
        Stmt::assign(target, fold::zero(ty))
    }

    fn problem(&mut self, d: Diagnostic, span: Span) {
        let unit = self.plan.derived[self.at].original;
        let place = self.program.location(span).or_else(|| self.program.location(self.program.unit(unit).span));
        let d = if d.location.is_none() { d.at(place) } else { d };
        self.problems.push(d);
    }

    fn statement(&mut self, s: Stmt, out: &mut Vec<Item>) {
        let facts = self.plan.activity.step(self.plan.derived[self.at].original, s.step);
        match &s.kind {
            StmtKind::Assignment { .. } => self.assignment(s, facts, out),
            StmtKind::Call(_) => self.call(s, facts, out),
            StmtKind::Marker(m) => {
                let m = m.clone();
                self.marker(s, &m, out);
            }
            StmtKind::Propagator(_) | StmtKind::Runtime { .. } => out.push(Item::Stmt(s)),
        }
    }

    fn assignment(&mut self, mut s: Stmt, facts: StepFacts, out: &mut Vec<Item>) {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { return out.push(Item::Stmt(s)) };
        let Some(target) = self.derivative(lhs).filter(|_| facts.useful) else { return out.push(Item::Stmt(s)) };
        let length = rhs.nodes.len();
        if length > 10 * temporaries::LONG && self.in_pieces(&mut s, facts, out) {
            return;
        }
        let StmtKind::Assignment { rhs, .. } = &s.kind else { return };
        let found = tangent_expr(self.program, self.plan.catalogue(), rhs, &|r| self.derivative(r));
        let grown = matches!(&found, Ok(Some(d)) if length > temporaries::LONG && d.nodes.len() > 4 * length);
        if grown && self.in_pieces(&mut s, facts, out) {
            return;
        }
        let StmtKind::Assignment { rhs, .. } = &s.kind else { return };
        match found {
            Ok(Some(mut d)) => {
                let mut comment = std::mem::take(&mut s.comment);
                let mut place = |made: Stmt| Item::Stmt(Stmt { comment: std::mem::take(&mut comment), span: s.span, line: s.line, ..made });
                let mut primal = rhs.clone();
                for (t, value) in self.share(&mut primal, &mut d) {
                    out.push(place(Stmt::assign(VarRef::whole(t), value)));
                }
                out.push(place(Stmt::assign(target, d)));
                if let StmtKind::Assignment { rhs, .. } = &mut s.kind {
                    *rhs = primal;
                }
                out.push(Item::Stmt(s));
            }
            Ok(None) => {
                let comment = std::mem::take(&mut s.comment);
                out.push(Item::Stmt(Stmt { comment, span: s.span, line: s.line, ..self.zero(target) }));
                out.push(Item::Stmt(s));
            }
            Err(Refusal::Unsupported(d)) => self.problem(d, s.span),
            Err(Refusal::NeedsLoops) => {
                let unit = self.plan.derived[self.at].unit;
                let (plan, at) = (&mut *self.plan, self.at);
                let mut fresh = |wish: &str| plan.fresh_name(at, wish);
                let mut additions = Additions { fresh: &mut fresh, scratch: &mut self.scratch };
                match scalarize::expand(self.program, unit, &s, &mut additions) {
                    Ok(expanded) if matches!(&expanded.items[..], [Item::Stmt(same)] if same.kind == s.kind) => {
                        let d = Diagnostic::error("OB4034", "an operation on arrays has operands that are none");
                        self.problem(d, s.span);
                    }
                    Ok(expanded) => {
                        for t in expanded.values {
                            self.plan.make_companion(self.program, self.at, t, false);
                        }
                        self.items(expanded.items, out);
                    }
                    Err(d) => self.problem(d, s.span),
                }
            }
        }
    }

    /// Writes a long assignment as several; false where it cannot be cut.
    fn in_pieces(&mut self, s: &mut Stmt, facts: StepFacts, out: &mut Vec<Item>) -> bool {
        let StmtKind::Assignment { rhs, .. } = &s.kind else { return false };
        if types::of(self.program, rhs).rank > 0 {
            return false;
        }
        let (pieces, rest) = self.cut(rhs);
        if pieces.is_empty() {
            return false;
        }
        let mut comment = std::mem::take(&mut s.comment);
        for (t, e) in pieces {
            self.plan.make_companion(self.program, self.at, t, false);
            let piece = Stmt { comment: std::mem::take(&mut comment), span: s.span, line: s.line, ..Stmt::assign(VarRef::whole(t), e) };
            self.assignment(piece, StepFacts::COUNTS, out);
        }
        if let StmtKind::Assignment { rhs, .. } = &mut s.kind {
            *rhs = rest;
        }
        self.assignment(s.clone(), facts, out);
        true
    }

    /// Tangents of the assignments in a piece of code that has been made.
    fn items(&mut self, items: Vec<Item>, out: &mut Vec<Item>) {
        for item in items {
            match item {
                Item::Stmt(s) if matches!(s.kind, StmtKind::Assignment { .. }) => {
                    self.assignment(s, StepFacts::COUNTS, out);
                }
                Item::Stmt(s) => match &s.kind {
                    StmtKind::Marker(m) => {
                        let m = m.clone();
                        self.marker(s, &m, out);
                    }
                    _ => out.push(Item::Stmt(s)),
                },
                Item::Loop { head, body } => {
                    let mut inner = Vec::new();
                    self.items(body, &mut inner);
                    out.push(Item::Loop { head, body: inner });
                }
                Item::Branch { condition, then, otherwise } => {
                    let (mut a, mut b) = (Vec::new(), Vec::new());
                    self.items(then, &mut a);
                    self.items(otherwise, &mut b);
                    out.push(Item::Branch { condition, then: a, otherwise: b });
                }
            }
        }
    }

    /// Derivatives are allocated with their variables and freed with them.
    fn marker(&mut self, s: Stmt, m: &Marker, out: &mut Vec<Item>) {
        let object = match (&m.class, &m.object) {
            (MarkerClass::Allocate | MarkerClass::Deallocate, Some(o)) => self.derivative(o),
            _ => None,
        };
        let Some(object) = object else { return out.push(Item::Stmt(s)) };
        let symbol = m.object.as_ref().map(|o| o.symbol);
        let zeroed = m.class == MarkerClass::Allocate && (m.zeroed || symbol.is_some_and(|o| self.has_silent_writes(o)));
        let companion = Marker { class: m.class.clone(), object: Some(object), zeroed, ..Marker::default() };
        let span = s.span;
        out.push(Item::Stmt(s));
        out.push(Item::Stmt(Stmt { span, ..Stmt::new(StmtKind::Marker(Box::new(companion))) }));
    }
}
