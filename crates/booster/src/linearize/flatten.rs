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
//! Lives here: the walk over the statements. Which definition a use meets is found in [`super::places`].

use super::graph::{Edge, Line, Sequence, Vertex};
use super::places::{Met, Places, Sharing};
use super::work::{self, Load, Tally, Work};
use super::{Factor, LocalPartials, factor, fold, local_partials};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smol_str::SmolStr;
use xaif::catalogue::{Catalogue, PartialNode, ResultShape};
use xaif::model::{BaseType, ElemType, Expr, NodeId, NodeKind, Stmt, StmtKind, SymbolId, SymbolKind, VarRef};
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

/// A part of a right-hand side with variables in the place of values that are shared.
struct Rewritten {
    expr: Expr,
    /// There are none.
    same: bool,
}

/// An operation over values in variables.
struct Operation<'e> {
    whole: &'e Expr,
    /// It is what stands in the statement.
    same: bool,
    /// The variable in which its result is, if it is in one.
    small: Option<&'e Expr>,
}

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

    fn value(&mut self, key: Key) -> u32 {
        let fresh = self.values.len() as u32;
        let n = *self.keys.entry(key).or_insert(fresh);
        if n == fresh {
            self.values.push(Value::default());
        }
        n
    }

    fn vertex(&mut self, label: SmolStr, statement: usize, node: usize) -> u32 {
        self.vertices.push(Vertex { label, statement, node: node as u32 });
        self.vertices.len() as u32 - 1
    }

    /// The value of an active reference.
    fn active_leaf(&mut self, r: &VarRef, at: usize, node: usize) -> u32 {
        if let Met::One(d) = self.definition_places.find(r, self.setting_sharing())
            && let Some(Some((_, v))) = self.definitions.get(d as usize)
        {
            return *v;
        }
        if let Some(k) = self.input_places.exact(r) {
            return self.input_values[k as usize];
        }
        let name = self.setting.program().symbol(r.symbol).name.clone();
        let vertex = self.vertex(name, at, node);
        self.values.push(Value { vertex: Some(vertex), variable: None });
        let value = self.values.len() as u32 - 1;
        let k = self.inputs.len() as u32;
        self.inputs.push(r.clone());
        self.input_values.push(value);
        let Flattening { input_places, setting, .. } = self;
        input_places.enter(r, k, &**setting);
        self.hold(r);
        value
    }

    /// The value of a reference without derivative; that of its subscripts counts with it.
    fn passive_leaf(&mut self, r: &VarRef) -> u32 {
        let suspect = self.setting.suspect(r.symbol);
        let version = self.writes.get(&r.symbol).copied().unwrap_or(0) + if suspect { self.suspects_written << 32 } else { 0 };
        let mut subscripts = SmallVec::new();
        for e in r.index_exprs() {
            let n = self.passive(e);
            subscripts.push(n);
        }
        self.value(Key::Leaf(r.symbol, subscripts, version))
    }

    fn passive(&mut self, e: &Expr) -> u32 {
        let mut numbers: Vec<u32> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let operands: SmallVec<[u32; 2]> = n.operands.iter().map(|o| numbers[o.index()]).collect();
            numbers.push(self.number(&n.kind, operands));
        }
        numbers.pop().unwrap_or_else(|| self.anything())
    }

    /// A value that is equal to no other.
    fn anything(&mut self) -> u32 {
        self.values.push(Value::default());
        self.values.len() as u32 - 1
    }

    fn number(&mut self, kind: &NodeKind, operands: SmallVec<[u32; 2]>) -> u32 {
        match kind {
            NodeKind::Var(r) => self.passive_leaf(r),
            NodeKind::Const(c) => self.value(Key::Constant(c.ty.base, c.ty.bits, c.value.clone())),
            NodeKind::Op(op) => self.value(Key::Operation(op.name.clone(), op.ty, operands)),
            NodeKind::Bool(op) => self.value(Key::Relation(*op as u8, operands)),
            NodeKind::FunctionCall(_) => self.anything(),
        }
    }

    /// Puts a value into a variable, unless it is in one. False where it stays as it is.
    fn shared(&mut self, e: &mut Expr, value: u32) -> bool {
        if e.nodes.len() == 1 || !e.nodes.iter().any(|n| matches!(n.kind, NodeKind::Var(_))) {
            return false;
        }
        match self.values[value as usize].variable {
            Some(s) => *e = Expr::sym(s),
            None => {
                let ty = types::of(self.setting.program(), e).elem;
                let s = self.setting.variable(ty);
                self.lines.push(Line::Set(s, std::mem::replace(e, Expr::sym(s))));
                self.values[value as usize].variable = Some(s);
            }
        }
        true
    }

    fn extend(&mut self, at: usize, lhs: &VarRef, rhs: &Expr, partials: &LocalPartials) {
        let wanted = wanted(rhs, partials);
        let mut exprs: Vec<Rewritten> = Vec::with_capacity(rhs.nodes.len());
        let mut numbers: SmallVec<[u32; 16]> = SmallVec::new();
        // How often each vertex is still asked for.
        let mut uses: SmallVec<[u32; 16]> = smallvec::smallvec![0; rhs.nodes.len()];
        rhs.nodes.iter().flat_map(|n| &*n.operands).for_each(|o| uses[o.index()] += 1);
        for (i, n) in rhs.nodes.iter().enumerate() {
            let operands: SmallVec<[u32; 2]> = n.operands.iter().map(|o| numbers[o.index()]).collect();
            if let (NodeKind::Var(r), true) = (&n.kind, wanted[i]) {
                let value = self.active_leaf(r, at, i);
                numbers.push(value);
                exprs.push(Rewritten { expr: Expr::var(r.clone()), same: true });
                continue;
            }
            // What is computed from values with derivatives, but has none, is no value that another statement could share by its key alone.
            let value = match &n.kind {
                NodeKind::Var(r) if self.has_derivative(r) => match self.definition_places.find(r, self.setting_sharing()) {
                    Met::One(d) => match self.definitions.get(d as usize) {
                        Some(Some((_, v))) => *v,
                        _ => self.anything(),
                    },
                    _ => self.passive_leaf(r),
                },
                kind => self.number(kind, operands),
            };
            numbers.push(value);
            let mut same = n.operands.iter().all(|o| exprs[o.index()].same);
            let mut inner: SmallVec<[Expr; 2]> = SmallVec::new();
            for o in &*n.operands {
                uses[o.index()] -= 1;
                let operand = &mut exprs[o.index()].expr;
                inner.push(if uses[o.index()] == 0 { std::mem::take(operand) } else { operand.clone() });
            }
            let op = match &n.kind {
                NodeKind::Op(op) if wanted[i] => op,
                kind => {
                    exprs.push(Rewritten { expr: Expr::node(kind.clone(), inner), same });
                    continue;
                }
            };
            let known = self.values[value as usize];
            if known.vertex.is_some() {
                exprs.push(match known.variable {
                    Some(s) => Rewritten { expr: Expr::sym(s), same: false },
                    None => Rewritten { expr: Expr::node(n.kind.clone(), inner), same },
                });
                continue;
            }
            let (arguments, result) = self.read_by_partials(op.name.as_str(), &partials.factors[i]);
            for (k, e) in inner.iter_mut().enumerate() {
                if arguments.contains(&(k as u32 + 1)) {
                    same &= !self.shared(e, numbers[n.operands[k].index()]);
                }
            }
            let whole = Expr::node(n.kind.clone(), inner);
            let mut small = result.then(|| whole.clone());
            if !small.as_mut().is_some_and(|small| self.shared(small, value)) {
                small = None;
            }
            let vertex = self.vertex(op.name.clone(), at, i);
            self.values[value as usize].vertex = Some(vertex);
            let operation = Operation { whole: &whole, same, small: small.as_ref() };
            self.edges_into(vertex, &operation, &n.operands, &numbers, &partials.factors[i]);
            same &= small.is_none();
            exprs.push(Rewritten { expr: small.unwrap_or(whole), same });
        }
        let rewritten = exprs.pop().filter(|r| !r.same).map(|r| r.expr);
        let value = numbers.pop().unwrap_or_else(|| self.anything());
        self.lines.push(Line::Statement(at, rewritten));
        if let Met::One(d) = self.definition_places.find(lhs, self.setting_sharing())
            && let Some(old) = self.definitions.get_mut(d as usize)
        {
            *old = None;
        }
        let d = self.definitions.len() as u32;
        self.definitions.push(Some((lhs.clone(), value)));
        let Flattening { definition_places, setting, .. } = self;
        definition_places.enter(lhs, d, &**setting);
        self.hold(lhs);
        self.written(lhs.symbol);
        self.active += 1;
        self.behind = at + 1;
        self.lines_kept = self.lines.len();
        self.reckon(rhs, Some(partials));
        self.work_kept = self.work;
    }

    /// Adds up what a statement is to compute by itself.
    fn reckon(&mut self, rhs: &Expr, partials: Option<&LocalPartials>) {
        let mut together = Tally::default();
        together.add(rhs);
        self.work.values += together.sum;
        if let Some(partials) = partials {
            let mut apart = Tally::default();
            let mut edges = 0;
            for f in partials.factors.iter().flatten().flatten() {
                if let Factor::Value(e) = f {
                    together.factor(e);
                    apart.factor(e);
                    edges += work::MULTIPLICATION;
                }
                edges += work::ADDITION;
            }
            let edges = Load::light(edges);
            self.work.adjoint += apart.sum + edges;
            together.sum += edges;
        }
        self.work.tangent += together.sum;
    }

    /// Which operands the factors of an operation read, and whether they read its result.
    fn read_by_partials(&self, name: &str, factors: &[Option<Factor>]) -> (SmallVec<[u32; 4]>, bool) {
        let mut arguments = SmallVec::new();
        let mut result = false;
        let Some(entry) = self.setting.catalogue().get(name) else { return (arguments, result) };
        for (f, p) in factors.iter().zip(&entry.partials) {
            if !matches!(f, Some(Factor::Value(_))) {
                continue;
            }
            for n in &p.nodes {
                match n {
                    PartialNode::Argument(k) => arguments.push(*k),
                    PartialNode::Result => result = true,
                    _ => {}
                }
            }
        }
        (arguments, result)
    }

    /// The edges of an operation, whose factors were `before` in the statement as it stands.
    fn edges_into(&mut self, vertex: u32, operation: &Operation, operands: &[NodeId], numbers: &[u32], before: &[Option<Factor>]) {
        let &Operation { whole, same, small } = operation;
        let types = if same { Vec::new() } else { types::of_expr(self.setting.program(), whole) };
        let root = whole.nodes.len() - 1;
        let first = self.edges.len();
        for (k, o) in operands.iter().enumerate() {
            let Some(Some(as_it_stands)) = before.get(k) else { continue };
            let Some(source) = self.values[numbers[o.index()] as usize].vertex else { continue };
            let mut factor = if same {
                as_it_stands.clone()
            } else {
                let Ok(Some(f)) = factor(self.setting.program(), self.setting.catalogue(), whole, &types, root, k) else { continue };
                f
            };
            if let Factor::Value(e) = &mut factor {
                if let Some(small) = small
                    && let Some(shorter) = e.replaced(whole, small)
                {
                    *e = shorter;
                }
                // `-2.5` is an operation where it is written, and a number here.
                if let (NodeKind::Op(op), [o]) = (&e.root().kind, &e.root().operands[..])
                    && op.name == "minus_scal"
                    && let inner = e.subexpr(*o)
                    && fold::number(&inner).is_some_and(|n| n > 0.0)
                {
                    factor = Factor::from_expr(fold::Fold { program: self.setting.program() }.neg(inner)).unwrap_or(factor);
                }
            }
            match self.edges[first..].iter_mut().find(|e| e.source == source) {
                Some(edge) => {
                    let f = fold::Fold { program: self.setting.program() };
                    let (a, b) = (edge.factor.to_expr(self.ty), factor.to_expr(self.ty));
                    let sum = if a == b { f.mul(fold::real(2.0, None, self.ty), a) } else { f.add(a, b) };
                    // A sum of opposite constants is no dependence, but as an edge it does no harm.
                    edge.factor = Factor::from_expr(sum.clone()).unwrap_or(Factor::Value(sum));
                }
                None => self.edges.push(Edge { source, target: vertex, factor }),
            }
        }
        self.lines.extend((first..self.edges.len()).map(|k| Line::Edge(k as u32)));
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

/// The vertices of an expression that active variables reach and that reach the root.
fn wanted(e: &Expr, partials: &LocalPartials) -> Vec<bool> {
    let mut out = vec![false; e.nodes.len()];
    if let (Some(root), Some(true)) = (out.last_mut(), partials.active.last()) {
        *root = true;
    }
    for i in (0..e.nodes.len()).rev() {
        if out[i] {
            for (o, f) in e.nodes[i].operands.iter().zip(&partials.factors[i]) {
                if f.is_some() {
                    out[o.index()] = true;
                }
            }
        }
    }
    out
}

/// Whether a factor is zero on one side of a condition.
fn chooses_zero(e: &Expr) -> bool {
    e.nodes.iter().any(|n| match &n.kind {
        NodeKind::Op(op) if op.name == "select" => n.operands.iter().skip(1).any(|&o| fold::number(&e.subexpr(o)) == Some(0.0)),
        _ => false,
    })
}
