//! Units compiled to compact steps.
//!
//! Every data-flow analysis walks over statements again and again; here they become lists of numbers once. A unit's table
//! numbers the objects that the unit or its callees touch. Lives here: what a statement reads, writes and depends on
//! differentiably, read off its own text. Never here: facts that flow.

use super::objects::{Objects, is_by_reference};
use super::outside::Outside;
use super::steps::{self, Numbering};
use crate::analysis::dataflow::equations::reverse_postorder;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use xaif::Program;
use xaif::catalogue::{Catalogue, PartialKind};
use xaif::model::{
    BaseType, Call, Expr, MarkerClass, NodeKind, Stmt, StmtKind, Storage, SymbolId, SymbolKind, UnitId, VarRef, VertexId, VertexKind,
};
use xaif::types;

/// Numbers of objects in a table.
pub type Numbers = SmallVec<[u32; 4]>;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The object.
    pub object: u32,
    /// The whole of it.
    pub whole: bool,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct ArgStep {
    /// Index in the callee's list of formals, if the callee is known and has it.
    pub formal: Option<usize>,
    /// The variable that is handed over, where it is handed over itself.
    pub target: Option<Target>,
    /// What the caller reads: subscripts; for a value all of it.
    pub reads: Numbers,
    /// What the value depends on differentiably.
    pub depends: Numbers,
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallStep {
    /// The unit, if the program has it.
    pub callee: Option<UnitId>,
    /// Its name.
    pub name: SymbolId,
    /// The arguments in the order of the statement.
    pub args: Vec<ArgStep>,
    /// What it touches besides: of an unknown unit all that it may reach, of another one what units below it may have kept the address of.
    pub outside: Outside,
}

/// A statement, or what a loop or branch vertex evaluates.
#[derive(Clone, Debug)]
pub enum Step {
    /// An assignment.
    Assign {
        /// What is set.
        lhs: Target,
        /// Whether its type can carry a derivative.
        carries: bool,
        /// Everything that is read.
        reads: Numbers,
        /// What the value depends on differentiably.
        depends: Numbers,
        /// May not happen although control passes (update of a loop).
        perhaps: bool,
    },
    /// A call.
    Call(CallStep),
    /// An opaque statement.
    Opaque {
        /// What it reads.
        reads: Numbers,
        /// What it writes.
        writes: Numbers,
        /// What is known of it besides.
        outside: Outside,
    },
    /// A condition.
    Test {
        /// What it reads.
        reads: Numbers,
    },
}

/// A unit as steps.
#[derive(Clone, Debug, Default)]
pub struct UnitTable {
    /// The objects by number: canonical symbols.
    pub objects: Vec<SymbolId>,
    /// Whether the object's type can carry a derivative; text can, which statements that are kept as text write numbers to.
    pub carries: Vec<bool>,
    /// For each formal its number.
    pub formals: Vec<u32>,
    /// The steps of each vertex. For a block: one for each statement.
    pub steps: Vec<Vec<Step>>,
    /// Their handles.
    pub numbering: Numbering,
    /// The vertices that control reaches, in reverse postorder.
    pub order: Vec<VertexId>,
    /// Units called, each once.
    pub callees: Vec<UnitId>,
    /// Names of units called that the program does not have.
    pub unknown: Vec<SymbolId>,
    numbers: FxHashMap<SymbolId, u32>,
    /// What the declarations of the unit's arrays read on entry: `n` in `x(n)`; its formals, and the objects of variables that others declare.
    pub extents: Vec<SymbolId>,
}

impl UnitTable {
    /// The number of a canonical symbol.
    pub fn number(&self, symbol: SymbolId) -> Option<u32> {
        self.numbers.get(&symbol).copied()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// True for a container.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    pub(super) fn intern(&mut self, program: &Program, symbol: SymbolId) -> u32 {
        *self.numbers.entry(symbol).or_insert_with(|| {
            self.objects.push(symbol);
            let text = matches!(program.symbol(symbol).ty.base, BaseType::Char | BaseType::String);
            self.carries.push(text || carries_derivative(program, symbol));
            self.objects.len() as u32 - 1
        })
    }
}

/// Types whose values could carry a derivative: real numbers, and those that would have to be refused (complex, opaque).
pub fn carries_derivative(program: &Program, symbol: SymbolId) -> bool {
    matches!(program.symbol(symbol).ty.base, BaseType::Real | BaseType::Complex | BaseType::Opaque)
}

/// A unit as steps; `by_symbol` has the units of the program.
pub(super) fn of_unit(program: &Program, objects: &Objects, by_symbol: &FxHashMap<SymbolId, UnitId>, unit: UnitId) -> UnitTable {
    Compiler { program, objects, by_symbol, table: UnitTable::default() }.unit(unit)
}

struct Compiler<'a> {
    program: &'a Program,
    objects: &'a Objects,
    by_symbol: &'a FxHashMap<SymbolId, UnitId>,
    table: UnitTable,
}

impl Compiler<'_> {
    fn unit(mut self, id: UnitId) -> UnitTable {
        let unit = self.program.unit(id);
        for f in &unit.formals {
            let n = self.number(f.symbol);
            self.table.formals.push(n);
        }
        for s in self.extents_named(id) {
            self.number(s);
            self.table.extents.push(self.objects.canonical(s));
        }
        let Some(entry) = unit.entry() else { return self.table };
        for v in unit.graph.node_indices() {
            let steps = match &unit.graph[v].kind {
                VertexKind::Block { stmts, .. } => stmts.iter().map(|s| self.stmt(s)).collect(),
                VertexKind::For(f) => {
                    let mut update = self.stmt(&f.update);
                    if let Step::Assign { perhaps, .. } = &mut update {
                        *perhaps = true;
                    }
                    vec![self.stmt(&f.init), update, self.test(&f.condition)]
                }
                VertexKind::Pre(c) | VertexKind::Post(c) | VertexKind::Branch(c) => vec![self.test(c)],
                _ => Vec::new(),
            };
            debug_assert_eq!(steps.len(), steps::count(&unit.graph[v].kind));
            self.table.steps.push(steps);
        }
        self.table.numbering = Numbering::of(&unit.graph);
        self.table.order = reverse_postorder(&unit.graph, entry);
        let mut seen = FxHashSet::default();
        for steps in &self.table.steps {
            for s in steps {
                if let Step::Call(c) = s {
                    match c.callee {
                        Some(u) if seen.insert(c.name) => self.table.callees.push(u),
                        None if seen.insert(c.name) => self.table.unknown.push(c.name),
                        _ => {}
                    }
                }
            }
        }
        self.table
    }

    /// Formals, and variables from outside, that bounds in the unit's declarations name.
    fn extents_named(&self, id: UnitId) -> Vec<SymbolId> {
        let unit = self.program.unit(id);
        let formal = |s: SymbolId| unit.formals.iter().any(|f| f.symbol == s && !f.result);
        let foreign = |s: SymbolId| {
            let symbol = self.program.symbol(s);
            let own = symbol.scope == unit.scope && matches!(symbol.storage(), Storage::Local | Storage::Argument);
            symbol.kind == SymbolKind::Variable && *symbol.storage() != Storage::Constant && !own
        };
        let mut out = self.program.extents_named(unit.scope);
        out.retain(|&s| formal(s) || foreign(s));
        out
    }

    fn number(&mut self, symbol: SymbolId) -> u32 {
        let canonical = self.objects.canonical(symbol);
        self.table.intern(self.program, canonical)
    }

    fn test(&mut self, e: &Expr) -> Step {
        Step::Test { reads: self.reads(e) }
    }

    /// All variables whose values are read; those asked for their shape only are not.
    fn reads(&mut self, e: &Expr) -> Numbers {
        let mut out = Numbers::new();
        let mut inquired: SmallVec<[bool; 16]> = SmallVec::from_elem(false, e.nodes.len());
        for n in &e.nodes {
            if let NodeKind::Op(op) = &n.kind
                && let Some(entry) = Catalogue::builtin().get(&op.name)
            {
                for (o, p) in n.operands.iter().zip(&entry.partials) {
                    if p.inquiry {
                        inquired[o.index()] = true;
                    }
                }
            }
        }
        for (n, skip) in e.nodes.iter().zip(inquired) {
            if let NodeKind::Var(r) = &n.kind {
                self.subscripts(r, &mut out);
                if !skip {
                    push(&mut out, self.number(r.symbol));
                }
            }
        }
        out
    }

    fn subscripts(&mut self, r: &VarRef, out: &mut Numbers) {
        for e in r.index_exprs() {
            for n in self.reads(e) {
                push(out, n);
            }
        }
    }

    fn target(&mut self, r: &VarRef) -> Target {
        let whole = r.subscripts.iter().all(|t| t.index.is_none() && t.bound.is_none() && t.stride.is_none());
        Target { object: self.number(r.symbol), whole }
    }

    fn depends(&mut self, e: &Expr) -> Numbers {
        let mut out = Numbers::new();
        for s in differentiable(self.program, e) {
            let n = self.number(s);
            push(&mut out, n);
        }
        out
    }

    fn stmt(&mut self, s: &Stmt) -> Step {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                let mut reads = self.reads(rhs);
                self.subscripts(lhs, &mut reads);
                let depends = self.depends(rhs);
                let carries = carries_derivative(self.program, lhs.symbol);
                Step::Assign { lhs: self.target(lhs), carries, reads, depends, perhaps: false }
            }
            StmtKind::Call(c) => Step::Call(self.call(c)),
            StmtKind::Marker(m) => {
                let mut reads: Numbers = m.reads.iter().map(|&s| self.number(s)).collect();
                if let Some(o) = &m.object {
                    self.subscripts(o, &mut reads);
                    if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) {
                        self.number(o.symbol);
                    }
                }
                let writes = m.writes.iter().map(|&s| self.number(s)).collect();
                Step::Opaque { reads, writes, outside: Outside::of_marker(m) }
            }
            StmtKind::Propagator(_) => Step::Opaque { reads: Numbers::new(), writes: Numbers::new(), outside: Outside::default() },
            StmtKind::Runtime { arguments, .. } => {
                let mut reads = Numbers::new();
                let mut writes = Numbers::new();
                for a in arguments {
                    for n in self.reads(&a.value) {
                        push(&mut reads, n);
                    }
                    if let Some(r) = a.value.as_var() {
                        push(&mut writes, self.number(r.symbol));
                    }
                }
                Step::Opaque { reads, writes, outside: Outside::default() }
            }
        }
    }

    fn call(&mut self, c: &Call) -> CallStep {
        let callee = self.by_symbol.get(&c.callee).copied().filter(|&u| !self.program.unit(u).is_container());
        let args = c
            .arguments
            .iter()
            .map(|a| {
                let formal = callee.and_then(|u| self.program.unit(u).formals.iter().position(|f| f.position == a.position));
                let by_value = match (callee, formal) {
                    (Some(u), Some(k)) => !is_by_reference(self.program, self.program.unit(u).formals[k].symbol),
                    (None, _) => self.program.changeable(c, a).is_none(),
                    _ => false,
                };
                match a.value.as_var() {
                    Some(r) if !by_value => {
                        let mut reads = Numbers::new();
                        self.subscripts(r, &mut reads);
                        let target = self.target(r);
                        let depends = SmallVec::from_slice(&[target.object]);
                        ArgStep { formal, target: Some(target), reads, depends }
                    }
                    _ => ArgStep { formal, target: None, reads: self.reads(&a.value), depends: self.depends(&a.value) },
                }
            })
            .collect();
        let outside = if callee.is_some() { Outside::default() } else { Outside::of_unknown(self.program.symbol(c.callee)) };
        CallStep { callee, name: c.callee, args, outside }
    }
}

fn push(list: &mut Numbers, n: u32) {
    if !list.contains(&n) {
        list.push(n);
    }
}

/// The variables that an expression's value depends on along edges that carry a derivative. An operation that is not known
/// carries it: it will be refused, not overlooked.
pub fn differentiable(program: &Program, e: &Expr) -> Vec<SymbolId> {
    let types = types::of_expr(program, e);
    let may_carry = |i: usize| matches!(types[i].elem.base, BaseType::Real | BaseType::Complex | BaseType::Opaque);
    let mut wanted: SmallVec<[bool; 16]> = SmallVec::from_elem(false, e.nodes.len());
    if let Some(last) = wanted.last_mut() {
        *last = true;
    }
    let mut out = Vec::new();
    for (i, n) in e.nodes.iter().enumerate().rev() {
        if !wanted[i] || !(may_carry(i) || matches!(n.kind, NodeKind::FunctionCall(_))) {
            continue;
        }
        match &n.kind {
            NodeKind::Var(r) => {
                if !out.contains(&r.symbol) {
                    out.push(r.symbol);
                }
            }
            NodeKind::Const(_) | NodeKind::Bool(_) => {}
            NodeKind::FunctionCall(_) => n.operands.iter().for_each(|o| wanted[o.index()] = true),
            NodeKind::Op(op) => {
                let entry = Catalogue::builtin().get(&op.name);
                for (k, o) in n.operands.iter().enumerate() {
                    let passive = entry.and_then(|e| e.partials.get(k)).is_some_and(|p| p.inquiry || p.kind == PartialKind::Passive);
                    if !passive || op.name == "transfer" {
                        wanted[o.index()] = true;
                    }
                }
            }
        }
    }
    out.reverse();
    out
}
