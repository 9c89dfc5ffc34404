//! Statements of a derivative unit for all directions.
//!
//! Statements that set derivatives are held back as long as nothing sets what they read, so that one loop over directions takes many of them; in the loop each
//! direction is on its own. What has no direction and costs something is computed once, in front of the loop. Never here: declarations, arguments.

use super::contract::contract;
use super::expressions::{at_direction, depends, reference, shift_inquiries};
use super::places::{Places, is_array_in_one, last};
use crate::analysis::arrays::counted::for_loop;
use crate::linearize::fold::Fold;
use crate::transform::adjoint::{objects_here, sharing};
use crate::transform::namer::Namer;
use crate::transform::plan::Plan;
use crate::transform::region::{self, Item};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{
    BoolOp, ElemType, Expr, IndexOrder, Marker, MarkerClass, Node, NodeKind, ScopeId, Span, Stmt, StmtKind, Storage, SymbolId, Triplet,
    UnitId, VarRef, VertexId, VertexKind,
};
use xaif::{Diagnostic, Program, types};

/// What rewrites one unit.
pub(super) struct Writer<'p> {
    pub(super) program: &'p mut Program,
    pub(super) places: &'p mut Places,
    /// Formals of derivative units that were values when there was one direction.
    pub(super) values: &'p FxHashSet<SymbolId>,
    /// The number of directions.
    pub(super) number: Expr,
    pub(super) order: IndexOrder,
    pub(super) namer: Namer<'p>,
    /// Units for several directions, by their names.
    callees: &'p FxHashMap<SymbolId, UnitId>,
    /// The scope of the unit.
    pub(super) scope: ScopeId,
    /// Procedures inside of the unit may know its variables.
    pub(super) is_host: bool,
    /// The direction of a loop.
    direction: SymbolId,
    /// Variables that may be the same memory.
    pub(super) sharing: FxHashMap<SymbolId, Vec<SymbolId>>,
    out: Vec<Item>,
    /// Statements that wait for a loop over directions, and the variables that they read.
    waiting: Vec<Stmt>,
    read: FxHashSet<SymbolId>,
    /// What has been computed for the loop, while it holds.
    factors: Vec<(Expr, SymbolId)>,
    /// Variables for such values, by type; how many are in use.
    pool: Vec<(ElemType, SymbolId)>,
    busy: FxHashSet<SymbolId>,
    problems: Vec<Diagnostic>,
    /// Where problems are that have no place of their own.
    place: Span,
}

/// Rewrites the graph of a unit; `entry` is done first.
pub(super) fn rewrite(
    program: &mut Program,
    plan: &Plan,
    at: usize,
    callees: &FxHashMap<SymbolId, UnitId>,
    places: &mut Places,
    values: &FxHashSet<SymbolId>,
    entry: Vec<Stmt>,
) -> Vec<Diagnostic> {
    let d = &plan.derived[at];
    let Some(number) = super::number(plan, at) else { return Vec::new() };
    let here = objects_here(program, plan, d);
    let sharing = sharing(program, plan.facts, d.original, &here);
    let mut graph = std::mem::take(&mut program.units[d.unit.index()].graph);
    let mut namer = Namer::new(program, d.scope, &plan.everywhere);
    let direction = namer.add(program, "dir", ElemType::INTEGER);
    let (order, place) = (program.index_order, program.unit(d.original).span);
    // Internal procedures may know all others.
    let hosts = plan.hosts.contains(&program.unit(d.original).scope);
    let mut writer = Writer {
        program,
        places,
        values,
        number,
        order,
        namer,
        callees,
        scope: d.scope,
        is_host: hosts,
        direction,
        sharing,
        out: Vec::new(),
        waiting: Vec::new(),
        read: FxHashSet::default(),
        factors: Vec::new(),
        pool: Vec::new(),
        busy: FxHashSet::default(),
        problems: Vec::new(),
        place,
    };
    let mut code: FxHashMap<VertexId, Vec<Item>> = FxHashMap::default();
    for v in graph.node_indices() {
        match &mut graph[v].kind {
            VertexKind::Block { stmts, .. } => {
                let items = writer.sequence(std::mem::take(stmts).into_iter().map(|s| *s));
                code.insert(v, items);
            }
            VertexKind::Entry => {
                let items = writer.sequence(entry.iter().cloned());
                code.insert(v, items);
            }
            VertexKind::For(f) => {
                writer.decides(&mut f.condition);
                for s in [&mut f.init, &mut f.update] {
                    if let StmtKind::Assignment { rhs, .. } = &mut s.kind {
                        writer.decides(rhs);
                    }
                }
            }
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => writer.decides(e),
            _ => {}
        }
    }
    let problems = writer.problems;
    if !code.values().flatten().any(|i| matches!(i, Item::Loop { .. })) {
        program.scopes[d.scope.index()].symbols.retain(|s| *s != direction);
    }
    let formals = &program.unit(d.unit).formals;
    let local = |s: &SymbolId| {
        let symbol = program.symbol(*s);
        symbol.scope == d.scope && *symbol.storage() == Storage::Local && formals.iter().all(|f| f.symbol != *s)
    };
    let scalars: FxHashSet<SymbolId> = places.iter().filter(|(s, p)| p.rank == 0 && !hosts && local(s)).map(|(s, _)| *s).collect();
    for s in contract(program, &mut code, scalars) {
        places.remove(&s);
    }
    region::replace(&mut graph, d.scope, code);
    program.units[d.unit.index()].graph = graph;
    problems
}

impl Writer<'_> {
    fn carries(&self, s: SymbolId) -> bool {
        self.places.contains_key(&s)
    }

    fn has_direction(&self, e: &Expr) -> bool {
        depends(e, &|s| self.carries(s))
    }

    pub(super) fn refuse(&mut self, span: Span, what: &str) {
        let place = self.program.location(span).or_else(|| self.program.location(self.place));
        let d = Diagnostic::error("OB4142", format!("{what} in several directions"))
            .at(place)
            .because("only what is linear in derivatives can be done for each direction by itself")
            .help("leave --vector out, and call the derivative once for each direction");
        if !self.problems.contains(&d) {
            self.problems.push(d);
        }
    }

    /// A condition or a bound: it may ask about a derivative, but not depend on its value.
    fn decides(&mut self, e: &mut Expr) {
        if self.has_direction(e) {
            self.refuse(self.place, "control flow depends on a derivative, which cannot be");
        }
        shift_inquiries(e, self.places, self.order);
    }

    fn sequence(&mut self, stmts: impl IntoIterator<Item = Stmt>) -> Vec<Item> {
        for s in stmts {
            self.statement(s);
        }
        self.flush();
        std::mem::take(&mut self.out)
    }

    fn statement(&mut self, mut s: Stmt) {
        match &mut s.kind {
            StmtKind::Assignment { lhs, .. } if self.carries(lhs.symbol) => return self.directional(s),
            StmtKind::Assignment { lhs, rhs } => {
                lhs.index_exprs_mut().for_each(|e| shift_inquiries(e, self.places, self.order));
                shift_inquiries(rhs, self.places, self.order);
                let set = lhs.symbol;
                self.before_setting(set);
            }
            StmtKind::Call(call) => {
                match self.callees.get(&call.callee) {
                    Some(&callee) => {
                        let call = call.clone();
                        s.kind = StmtKind::Call(self.widened(&call, callee, s.span));
                    }
                    None if self.is_lost(call) => {
                        let name = self.program.symbol(call.callee).name.clone();
                        self.refuse(s.span, &format!("{name} is handed a derivative, which it cannot take"));
                    }
                    None => {}
                }
                self.flush();
            }
            StmtKind::Marker(m) => {
                let m = std::mem::take(&mut **m);
                let m = self.marker(m, s.span);
                s.kind = StmtKind::Marker(Box::new(m));
                self.flush();
            }
            StmtKind::Runtime { arguments, .. } => {
                if arguments.iter().any(|a| depends(&a.value, &|s| self.places.contains_key(&s))) {
                    self.refuse(s.span, "a derivative is recorded, which cannot be done");
                }
                let set: Vec<SymbolId> = arguments.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol).collect();
                set.into_iter().for_each(|s| self.before_setting(s));
            }
            StmtKind::Propagator(_) => self.refuse(s.span, "a propagator cannot be written"),
        }
        self.out.push(Item::Stmt(s));
    }

    /// Memory for all directions.
    fn marker(&mut self, mut m: Marker, span: Span) -> Marker {
        if let Some(object) = m.object.as_mut().filter(|o| self.places.contains_key(&o.symbol)) {
            if m.class == MarkerClass::Allocate && object.subscripts.is_empty() {
                self.refuse(span, "memory is allocated in the shape of something else, which cannot be done");
            } else if m.class == MarkerClass::Allocate {
                let row = self.order == IndexOrder::Row;
                let all = Triplet { index: Some(Expr::int(i64::from(!row))), bound: Some(last(&self.number, row)), stride: None };
                reference(object, self.places, self.order, &all);
            }
        } else if let Some(object) = &mut m.object {
            object.index_exprs_mut().for_each(|e| shift_inquiries(e, self.places, self.order));
        }
        if m.reads.iter().chain(&m.writes).any(|s| self.places.contains_key(s)) {
            self.refuse(span, "a statement that is kept as text uses a derivative, which cannot be");
        }
        m
    }

    /// A statement that sets a derivative.
    pub(super) fn directional(&mut self, mut s: Stmt) {
        let StmtKind::Assignment { lhs, rhs } = &mut s.kind else { return };
        let whole = lhs.subscripts.is_empty()
            && self.places.get(&lhs.symbol).is_some_and(|p| p.rank > 0)
            && !is_array_in_one(self.program, self.places, lhs.symbol);
        if whole && !self.has_direction(rhs) && types::of(self.program, rhs).rank == 0 {
            // All directions of all elements have the same value.
            self.flush();
            self.out.push(Item::Stmt(s));
            return;
        }
        let direction = Triplet::element(Expr::sym(self.direction));
        let value = self.factored(std::mem::take(rhs));
        *rhs = value;
        at_direction(rhs, self.places, self.order, &direction);
        reference(lhs, self.places, self.order, &direction);
        let mut read = Vec::new();
        rhs.for_each_ref(&mut |r| read.push(r.symbol));
        lhs.index_exprs().for_each(|e| e.for_each_ref(&mut |r| read.push(r.symbol)));
        self.read.extend(read.into_iter().filter(|s| !self.places.contains_key(s)));
        self.waiting.push(s);
    }

    /// Something is about to be set: what has to be done with its old value is done.
    fn before_setting(&mut self, set: SymbolId) {
        let others = self.sharing.get(&set).map(Vec::as_slice).unwrap_or_default();
        let touched = |s: &SymbolId| *s == set || others.contains(s);
        if self.read.iter().any(touched) {
            return self.flush();
        }
        self.factors.retain(|(e, _)| {
            let mut holds = true;
            e.for_each_ref(&mut |r| holds &= !touched(&r.symbol));
            holds
        });
    }

    /// The loop for what waits.
    fn flush(&mut self) {
        self.factors.clear();
        self.busy.clear();
        self.read.clear();
        if self.waiting.is_empty() {
            return;
        }
        let row = self.order == IndexOrder::Row;
        // In C a loop goes up to the number, not to the one before.
        let last = if row { Expr::op("sub_scal_scal", [self.number.clone(), Expr::int(1)]) } else { self.number.clone() };
        let first = Expr::int(i64::from(!row));
        let head = for_loop(Fold { program: self.program }, self.direction, first, last, Expr::int(1));
        let body = std::mem::take(&mut self.waiting).into_iter().map(Item::Stmt).collect();
        self.out.push(Item::Loop { head: Box::new(head), body });
    }

    /// An expression with variables for what has no direction and costs something.
    fn factored(&mut self, e: Expr) -> Expr {
        let types = types::of_expr(self.program, &e);
        let mut wide = vec![false; e.nodes.len()];
        let mut costs = vec![false; e.nodes.len()];
        for (i, n) in e.nodes.iter().enumerate() {
            wide[i] = n.operands.iter().any(|o| wide[o.index()])
                || matches!(&n.kind, NodeKind::Var(r) if self.carries(r.symbol) || r.index_exprs().any(|e| self.has_direction(e)));
            costs[i] = is_expensive(n) || n.operands.iter().any(|o| costs[o.index()]);
        }
        // What stands in an arm of a choice may have no value where it is not chosen.
        let mut wanted = vec![false; e.nodes.len()];
        let mut taken = vec![false; e.nodes.len()];
        if let Some(root) = wanted.last_mut() {
            *root = true;
        }
        for i in (0..e.nodes.len()).rev() {
            if !wanted[i] {
                continue;
            }
            let n = &e.nodes[i];
            let plain = types[i].rank == 0 && types[i].elem.is_real();
            if !wide[i] {
                taken[i] = costs[i] && plain;
                continue;
            }
            let guarded = match &n.kind {
                NodeKind::Bool(BoolOp::And | BoolOp::Or) => n.operands.len().min(1),
                NodeKind::Op(op) if op.name == "select" => n.operands.len().min(1),
                _ => n.operands.len(),
            };
            n.operands.iter().take(guarded).for_each(|o| wanted[o.index()] = true);
        }
        if !taken.contains(&true) {
            return e;
        }
        let mut out = e.clone();
        for i in (0..e.nodes.len()).rev().filter(|&i| taken[i]) {
            let value = e.subexpr(xaif::model::NodeId(i as u32));
            let t = self.factor(value.clone(), types[i].elem);
            if let Some(shorter) = out.replaced(&value, &Expr::sym(t)) {
                out = shorter;
            }
        }
        out
    }

    /// The variable that has a value in front of the loop.
    fn factor(&mut self, value: Expr, ty: ElemType) -> SymbolId {
        if let Some((_, t)) = self.factors.iter().find(|(e, _)| *e == value) {
            return *t;
        }
        let free = self.pool.iter().find(|(elem, s)| *elem == ty && !self.busy.contains(s)).map(|(_, s)| *s);
        let t = free.unwrap_or_else(|| {
            let t = self.namer.add(self.program, "factor", ty);
            self.pool.push((ty, t));
            t
        });
        self.busy.insert(t);
        let mut inner = value.clone();
        shift_inquiries(&mut inner, self.places, self.order);
        self.out.push(Item::Stmt(Stmt::assign(VarRef::whole(t), inner)));
        self.factors.push((value, t));
        t
    }
}

/// What a loop should not do again for each direction: functions and quotients. Compilers take products out themselves.
fn is_expensive(n: &Node) -> bool {
    const CHEAP: [&str; 9] =
        ["add_scal_scal", "sub_scal_scal", "mul_scal_scal", "minus_scal", "plus_scal", "real_scal", "int_scal", "lbound", "ubound"];
    matches!(&n.kind, NodeKind::Op(op) if !CHEAP.contains(&op.name.as_str()))
}
