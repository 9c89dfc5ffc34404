//! A program that computes the factors of its linearized graphs on its way, so that a run gives their numbers.
//!
//! ```text
//! t = x*y                e1 = y;  e2 = x;  t = x*y          each edge has a variable that outlives the run; a mark says that control
//! u = sin(t)      ->     e3 = cos(t);      u = sin(t)       came there
//! ```
//!
//! A statement that runs several times leaves the factors of its last run. Lives here: this program. Never here: how graphs are built, who runs it.

use super::graphs::Labelled;
use crate::linearize::Factor;
use crate::linearize::fold;
use crate::linearize::graph::{Line, Sequence};
use smol_str::format_smolstr;
use xaif::model::{Decl, ElemType, Expr, ScopeId, Stmt, StmtKind, Stmts, Storage, Symbol, SymbolId, UnitId, VarRef, VertexId, VertexKind};
use xaif::{Program, types};

/// The type of marks.
const MARK: ElemType = ElemType::INTEGER;

/// The graphs of a unit, and the program.
#[derive(Debug)]
pub struct Measured {
    /// The graphs.
    pub graphs: Vec<Labelled>,
    /// The program; before it is finished, the original.
    pub program: Program,
    unit: UnitId,
    /// For each graph, the factors of its edges that are computed.
    factors: Vec<Vec<Option<SymbolId>>>,
    /// For each graph, what is set when control comes to it.
    marks: Vec<SymbolId>,
    /// The statements of the block at hand.
    block: Stmts,
    blocks: Vec<(VertexId, Stmts)>,
    /// Variables that are added, by their numbers behind those of all drafts; named when these are known.
    added: Vec<ElemType>,
}

/// Variables that are added stand behind all others; until their number is known they are counted from here.
const FIRST: u32 = 1 << 31;

impl Measured {
    /// No graph yet.
    pub(super) fn new(program: &Program, unit: UnitId) -> Measured {
        let (graphs, factors, marks, block, blocks, added) = Default::default();
        Measured { graphs, program: Program::clone(program), unit, factors, marks, block, blocks, added }
    }

    /// A variable that outlives the run.
    fn variable(&mut self, ty: ElemType) -> SymbolId {
        self.added.push(ty);
        SymbolId(FIRST + self.added.len() as u32 - 1)
    }

    fn set(&mut self, symbol: SymbolId, value: Expr) {
        self.block.push(Box::new(Stmt::assign(VarRef::whole(symbol), value)));
    }

    fn mark(&mut self) {
        let mark = self.variable(MARK);
        self.marks.push(mark);
        self.set(mark, Expr::int(1));
    }

    /// Computes a factor, if it is a single number that is not known before.
    fn factor(&mut self, program: &Program, factor: &Factor) -> Option<SymbolId> {
        let Factor::Value(e) = factor else { return None };
        let ty = types::of(program, e);
        if fold::number(e).is_some() || ty.rank > 0 {
            return None;
        }
        let symbol = self.variable(if ty.elem.is_real() && ty.elem.bits > 0 { ty.elem } else { ElemType::REAL64 });
        self.set(symbol, e.clone());
        Some(symbol)
    }

    /// A statement of the block at hand, with the graph that it has for itself.
    pub(super) fn statement(&mut self, program: &Program, stmt: &Stmt, graph: Option<(Labelled, Vec<Factor>)>) {
        if let Some((labelled, factors)) = graph {
            self.mark();
            let computed = factors.iter().map(|f| self.factor(program, f)).collect();
            self.factors.push(computed);
            self.graphs.push(labelled);
        }
        self.block.push(Box::new(stmt.clone()));
    }

    /// A sequence of statements that is one graph.
    pub(super) fn sequence(&mut self, program: &Program, stmts: &[Box<Stmt>], sequence: &Sequence, labelled: Labelled) {
        self.mark();
        let mut computed = vec![None; sequence.edges.len()];
        for line in &sequence.lines {
            match line {
                Line::Set(s, e) => self.set(*s, e.clone()),
                Line::Edge(k) => computed[*k as usize] = self.factor(program, &sequence.edges[*k as usize].factor),
                Line::Statement(k, rhs) => {
                    let mut stmt = stmts[*k].clone();
                    if let (StmtKind::Assignment { rhs: own, .. }, Some(other)) = (&mut stmt.kind, rhs) {
                        *own = other.clone();
                    }
                    self.block.push(stmt);
                }
            }
        }
        self.factors.push(computed);
        self.graphs.push(labelled);
    }

    /// The block at hand is done.
    pub(super) fn end_of_block(&mut self, vertex: VertexId) {
        self.blocks.push((vertex, std::mem::take(&mut self.block)));
    }

    /// The program is put together; `drafted` has the variables of all drafts.
    pub(super) fn finish(&mut self, mut drafted: Program) {
        let first = drafted.symbols.len() as u32;
        for (k, &ty) in self.added.iter().enumerate() {
            // No name of a program has a blank.
            let mut symbol = Symbol::variable(format_smolstr!("factor {k}"), ty, ScopeId(0));
            symbol.decl = Some(Box::new(Decl { storage: Storage::Global, ..Decl::default() }));
            drafted.symbols.push(symbol);
        }
        let at = |s: SymbolId| if s.0 >= FIRST { SymbolId(s.0 - FIRST + first) } else { s };
        for (vertex, mut stmts) in std::mem::take(&mut self.blocks) {
            for stmt in &mut stmts {
                if let StmtKind::Assignment { lhs, .. } = &mut stmt.kind {
                    lhs.symbol = at(lhs.symbol);
                }
            }
            if let Some(VertexKind::Block { stmts: old, .. }) =
                drafted.units[self.unit.index()].graph.node_weight_mut(vertex).map(|v| &mut v.kind)
            {
                *old = stmts;
            }
        }
        self.marks.iter_mut().for_each(|m| *m = at(*m));
        self.factors.iter_mut().flatten().flatten().for_each(|f| *f = at(*f));
        self.program = drafted;
    }

    /// Gives edges the values that a run left; says how many graphs it came to.
    pub fn take(&mut self, value: &dyn Fn(&str) -> Option<f64>) -> usize {
        let named = |s: SymbolId| value(&self.program.symbol(s).name);
        let mut reached = 0;
        for ((graph, factors), mark) in self.graphs.iter_mut().zip(&self.factors).zip(&self.marks) {
            if named(*mark) != Some(1.0) {
                continue;
            }
            reached += 1;
            for (k, symbol) in factors.iter().enumerate() {
                if let Some(v) = symbol.and_then(named).filter(|v| v.is_finite()) {
                    graph.graph.given[k].value = Some(v);
                    graph.factors[k] = number(v);
                }
            }
        }
        reached
    }
}

/// A number as people write it.
fn number(v: f64) -> String {
    let short = format!("{v:.6}");
    let plain = v == 0.0 || (1e-3..1e6).contains(&v.abs());
    if plain { short.trim_end_matches('0').trim_end_matches('.').to_owned() } else { format!("{v:.6e}") }
}
