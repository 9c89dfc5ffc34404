//! Flattening: the statements of a basic block as few linearized computational graphs (paper 002, Section 5).
//!
//! ```text
//! t = x*y          x ─y─▶ t ─cos t─▶ · ─z─▶ u        one graph: the use of t has one definition inside,
//! u = sin(t)*z     y ─x─▶ t                          those of x, y, z have none
//! ```
//!
//! A use whose chain has exactly one definition inside the sequence is merged with it; a use with none is an input; where it is not known which
//! of the two holds, the sequence ends and another begins. It ends as well before a statement that changes a subscript in use.
//!
//! Equal values get one vertex (value numbers). Values that partial derivatives read get variables, so that each is computed once. Statements with
//! derivatives that are chosen by a condition are left alone: what is not chosen may not be defined.
//!
//! Lives here: the walk over the statements; `values` has the value numbers, `operations` the graph of one statement. Which definition a use meets is found in
//! [`super::places`].

mod operations;
mod values;

use super::graph::{Edge, Line, Sequence, Vertex};
use super::places::{Met, Places, Sharing};
use super::work::Work;
use super::{Factor, LocalPartials, fold, local_partials};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smol_str::SmolStr;
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::{BaseType, ElemType, Expr, NodeKind, Stmt, StmtKind, SymbolId, SymbolKind, VarRef};
use xaif::{Program, types};

/// What flattening must know about the unit.
pub trait Setting: Sharing {
    /// The program, for types.
    fn program(&self) -> &Program;
    /// Where partial derivatives come from.
    fn catalogue(&self) -> &Catalogue;
    /// Whether a variable has a derivative.
    fn is_active(&self, symbol: SymbolId) -> bool;
    /// Whether a statement may be differentiated as a part of a sequence.
    fn takes_part(&self, stmt: &Stmt) -> bool;
    /// A new variable for a value that is shared.
    fn variable(&mut self, ty: ElemType) -> SymbolId;
    /// Whether nobody looks at the derivative of a variable behind a statement of the list.
    fn is_dead_behind(&self, symbol: SymbolId, number: usize) -> bool;
    /// How many vertices a graph may have before its sequence ends.
    fn most_vertices(&self) -> usize {
        MOST_VERTICES
    }
}

/// What a statement is to a sequence.
enum Part {
    /// It ends the sequence.
    Barrier,
    /// It has no derivative and stays where it is.
    Passive,
    /// It has one.
    Active(LocalPartials),
}

/// What a value is computed from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Leaf(SymbolId, SmallVec<[u32; 2]>, u64),
    Constant(BaseType, u16, SmolStr),
    Operation(SmolStr, Option<ElemType>, SmallVec<[u32; 2]>),
    Relation(u8, SmallVec<[u32; 2]>),
}

/// A value number.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    vertex: Option<u32>,
    variable: Option<SymbolId>,
}

/// More vertices than this make no graph: what comes of them would be read by nobody and take long.
pub const MOST_VERTICES: usize = 400_000;

/// Longer statements are left alone: their partial derivatives, written out, would grow with the square of their length.
const LONGEST: usize = 1000;

struct Flattening<'a> {
    setting: &'a mut dyn Setting,
    stmts: &'a [Box<Stmt>],
    ty: ElemType,
    first: usize,
    behind: usize,
    active: usize,
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    inputs: Vec<VarRef>,
    input_places: Places,
    /// Definitions with their value numbers; none where another definition took the place.
    definitions: Vec<Option<(VarRef, u32)>>,
    definition_places: Places,
    lines: Vec<Line>,
    /// How many lines there are up to the last statement with a derivative.
    lines_kept: usize,
    work: Work,
    /// The same up to the last statement with a derivative.
    work_kept: Work,
    values: Vec<Value>,
    keys: FxHashMap<Key, u32>,
    input_values: Vec<u32>,
    writes: FxHashMap<SymbolId, u64>,
    suspects_written: u64,
    /// Variables that subscripts of the sequence read.
    subscripts: FxHashSet<SymbolId>,
    suspect_subscripts: Vec<SymbolId>,
}

/// The first sequence at or behind statement `from`.
pub fn next(setting: &mut dyn Setting, stmts: &[Box<Stmt>], from: usize) -> Option<Sequence> {
    let mut first = from;
    while first < stmts.len() {
        let mut f = Flattening {
            setting,
            stmts,
            ty: ElemType::REAL64,
            first,
            behind: first,
            active: 0,
            vertices: Vec::new(),
            edges: Vec::new(),
            inputs: Vec::new(),
            input_places: Places::default(),
            definitions: Vec::new(),
            definition_places: Places::default(),
            lines: Vec::new(),
            lines_kept: 0,
            work: Work::default(),
            work_kept: Work::default(),
            values: Vec::new(),
            keys: FxHashMap::default(),
            input_values: Vec::new(),
            writes: FxHashMap::default(),
            suspects_written: 0,
            subscripts: FxHashSet::default(),
            suspect_subscripts: Vec::new(),
        };
        if !matches!(f.part(first), Part::Active(_)) {
            first += 1;
            continue;
        }
        let mut at = first;
        while at < stmts.len() && f.take(at) {
            at += 1;
        }
        if f.active > 0 {
            return Some(f.finish());
        }
        first += 1;
    }
    None
}

impl Flattening<'_> {
    fn part(&self, at: usize) -> Part {
        let stmt = &self.stmts[at];
        let program = self.setting.program();
        let StmtKind::Assignment { lhs, rhs } = &stmt.kind else { return Part::Barrier };
        let target = types::of_ref(program, lhs);
        let symbol = program.symbol(lhs.symbol);
        let plain = matches!(target.elem.base, BaseType::Real | BaseType::Integer | BaseType::Bool) && symbol.kind == SymbolKind::Variable;
        if !plain || target.rank > 0 || symbol.pointer {
            return Part::Barrier;
        }
        if !self.has_derivative(lhs) || !target.elem.is_real() {
            return Part::Passive;
        }
        if !self.setting.takes_part(stmt) || rhs.nodes.len() > LONGEST || self.own_subscripts(lhs, rhs) {
            return Part::Barrier;
        }
        let is_active = |r: &VarRef| self.has_derivative(r) && !self.is_constant_here(r);
        match local_partials(program, self.setting.catalogue(), rhs, &is_active) {
            Ok(p) if self.is_simple(rhs, &p, target.elem) => Part::Active(p),
            _ => Part::Barrier,
        }
    }

    fn has_derivative(&self, r: &VarRef) -> bool {
        !r.is_passive() && self.setting.is_active(r.symbol)
    }

    /// Whether the reference has a definition inside whose derivative is zero.
    fn is_constant_here(&self, r: &VarRef) -> bool {
        match self.definition_places.find(r, self.setting_sharing()) {
            Met::One(d) => {
                self.definitions.get(d as usize).and_then(Option::as_ref).is_some_and(|(_, v)| self.values[*v as usize].vertex.is_none())
            }
            _ => false,
        }
    }

    fn setting_sharing(&self) -> &dyn Sharing {
        &*self.setting
    }

    /// Whether the statement changes a subscript of its own.
    fn own_subscripts(&self, lhs: &VarRef, rhs: &Expr) -> bool {
        let mut hit = false;
        let mut look = |r: &VarRef| {
            for e in r.index_exprs() {
                e.for_each_ref(&mut |s| hit |= self.touches(lhs.symbol, s.symbol));
            }
        };
        look(lhs);
        rhs.nodes.iter().for_each(|n| {
            if let NodeKind::Var(r) = &n.kind {
                look(r);
            }
        });
        hit
    }

    fn touches(&self, a: SymbolId, b: SymbolId) -> bool {
        a == b || (self.setting.suspect(a) && self.setting.suspect(b) && self.setting.overlap(a, b))
    }

    /// Elements of one type, and no derivative that a condition chooses.
    fn is_simple(&self, rhs: &Expr, partials: &LocalPartials, ty: ElemType) -> bool {
        let program = self.setting.program();
        let types = &partials.types;
        for (i, n) in rhs.nodes.iter().enumerate() {
            if let NodeKind::Op(op) = &n.kind
                && self.setting.catalogue().get(&op.name).is_none_or(|e| e.shape != ResultShape::Elementwise)
            {
                return false;
            }
            if types[i].rank > 0 || matches!(n.kind, NodeKind::FunctionCall(_)) {
                return false;
            }
            if partials.active[i] && types[i].elem != ty {
                return false;
            }
            if let (NodeKind::Var(r), true) = (&n.kind, partials.active[i])
                && (r.has_section() || program.symbol(r.symbol).kind != SymbolKind::Variable)
            {
                return false;
            }
            for f in partials.factors[i].iter().flatten() {
                if let Factor::Value(e) = f
                    && chooses_zero(e)
                {
                    return false;
                }
            }
        }
        true
    }

    /// Takes a statement in; false where the sequence ends before it.
    fn take(&mut self, at: usize) -> bool {
        let stmts = self.stmts;
        let StmtKind::Assignment { lhs, rhs } = &stmts[at].kind else { return false };
        if self.changes_subscripts(lhs.symbol) || self.vertices.len() > self.setting.most_vertices() {
            return false;
        }
        match self.part(at) {
            Part::Barrier => false,
            Part::Passive => {
                if self.setting.suspect(lhs.symbol) && self.definition_places.find(lhs, self.setting_sharing()) != Met::Nothing {
                    return false;
                }
                self.written(lhs.symbol);
                self.lines.push(Line::Statement(at, None));
                self.reckon(rhs, None);
                true
            }
            Part::Active(partials) => {
                let ty = types::of_ref(self.setting.program(), lhs).elem;
                if self.active == 0 {
                    self.ty = ty;
                }
                let unclear = rhs.nodes.iter().enumerate().any(|(i, n)| match &n.kind {
                    NodeKind::Var(r) if partials.active[i] => self.definition_places.find(r, self.setting_sharing()) == Met::Unclear,
                    _ => false,
                });
                if ty != self.ty || unclear {
                    return false;
                }
                self.extend(at, lhs, rhs, &partials);
                true
            }
        }
    }

    fn changes_subscripts(&self, s: SymbolId) -> bool {
        self.subscripts.contains(&s) || (self.setting.suspect(s) && self.suspect_subscripts.iter().any(|&x| self.setting.overlap(s, x)))
    }

    /// Notes that a variable has another value now.
    fn written(&mut self, s: SymbolId) {
        *self.writes.entry(s).or_insert(0) += 1;
        if self.setting.suspect(s) {
            self.suspects_written += 1;
        }
    }

    /// Keeps the subscripts of a place.
    fn hold(&mut self, r: &VarRef) {
        let mut read = Vec::new();
        r.index_exprs().for_each(|e| e.for_each_ref(&mut |s| read.push(s.symbol)));
        for s in read {
            if self.subscripts.insert(s) && self.setting.suspect(s) {
                self.suspect_subscripts.push(s);
            }
        }
    }

    fn vertex(&mut self, label: SmolStr, statement: usize, node: usize) -> u32 {
        self.vertices.push(Vertex { label, statement, node: node as u32 });
        self.vertices.len() as u32 - 1
    }

    fn finish(mut self) -> Sequence {
        self.lines.truncate(self.lines_kept);
        let dead = |r: &VarRef| r.subscripts.is_empty() && self.setting.is_dead_behind(r.symbol, self.behind);
        let outputs =
            self.definitions.iter().flatten().filter(|(r, _)| !dead(r)).map(|(r, v)| (r.clone(), self.values[*v as usize].vertex));
        let outputs = outputs.collect();
        let inputs = self.inputs.iter().zip(&self.input_values).filter_map(|(r, &v)| Some((r.clone(), self.values[v as usize].vertex?)));
        Sequence {
            statements: self.first..self.behind,
            active: self.active,
            ty: self.ty,
            inputs: inputs.collect(),
            outputs,
            vertices: self.vertices,
            edges: self.edges,
            lines: self.lines,
            work: self.work_kept,
        }
    }
}

/// Whether a factor is zero on one side of a condition.
fn chooses_zero(e: &Expr) -> bool {
    e.nodes.iter().any(|n| match &n.kind {
        NodeKind::Op(op) if op.name == "select" => n.operands.iter().skip(1).any(|&o| fold::number(&e.subexpr(o)) == Some(0.0)),
        _ => false,
    })
}
