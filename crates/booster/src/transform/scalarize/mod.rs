//! Array statements as loops over elements.
//!
//! ```text
//! y = 2*sum(a(:, 1)) + b(3)      s = 0
//!                                do i = 1, n
//!                                  s = s + a(i, 1)
//!                                end do
//!                                y = 2*s + b(3)
//! ```
//!
//! Loops nest so that the dimension that varies fastest is innermost. What the left side overlaps goes through a temporary array.
//! Lives here: statements and reductions. Shapes and elements are in [`shape`], products of matrices in [`product`].

mod allocated;
mod hazard;
mod product;
mod shape;

use super::region::{self, Item};
use crate::linearize::fold;
use rustc_hash::{FxHashMap, FxHashSet};
use shape::Range;
use smol_str::SmolStr;
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::{
    BaseType, BoolOp, Bound, CallArgument, Decl, Dim, ElemType, Expr, ForLoop, Intent, Marker, MarkerClass, Node, NodeKind, ScopeId, Stmt,
    StmtKind, Storage, Symbol, SymbolId, Triplet, UnitId, VarRef, VertexId, VertexKind,
};
use xaif::types::{self, ValueType};
use xaif::{Diagnostic, Program};

/// What is needed to add variables to a unit.
pub struct Additions<'a> {
    /// A free name close to a wish.
    pub fresh: &'a mut dyn FnMut(&str) -> SmolStr,
    /// What has been found and made so far.
    pub scratch: &'a mut Scratch,
}

/// What is kept from one statement of a unit to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Loop variables by depth: they are used again.
    loop_variables: Vec<SymbolId>,
    /// The variables that the unit may change, and whether it has calls.
    written: Option<(FxHashSet<SymbolId>, bool)>,
    /// The bounds of arrays that one statement allocates.
    allocated: allocated::Bounds,
}

/// A statement as loops.
#[derive(Clone, Debug, Default)]
pub struct Expanded {
    /// The code.
    pub items: Vec<Item>,
    /// Variables that hold real values on the way, and may need derivatives.
    pub values: Vec<SymbolId>,
}

/// True for an assignment that handles whole arrays or sections.
pub fn handles_arrays(program: &Program, stmt: &Stmt) -> bool {
    let StmtKind::Assignment { lhs, rhs } = &stmt.kind else { return false };
    types::of_ref(program, lhs).rank > 0 || types::of_expr(program, rhs).iter().any(|t| t.rank > 0)
}

/// Writes the assignments of a unit that are wanted as loops. Gives the variables that hold real values on the way.
///
/// # Errors
/// Extents that are not known, operations that have no form as loops: all that were found.
pub fn scalarize(
    program: &mut Program,
    unit: UnitId,
    wanted: &dyn Fn(&Program, &Stmt) -> bool,
    fresh: &mut dyn FnMut(&str) -> SmolStr,
) -> Result<Vec<SymbolId>, Vec<Diagnostic>> {
    let mut scratch = Scratch::default();
    let mut additions = Additions { fresh, scratch: &mut scratch };
    let mut problems = Vec::new();
    let mut values = Vec::new();
    let mut code: FxHashMap<VertexId, Vec<Item>> = FxHashMap::default();
    let vertices: Vec<VertexId> = program.unit(unit).graph.node_indices().collect();
    for v in vertices {
        let stmts = program.unit(unit).graph[v].stmts();
        if !stmts.iter().any(|s| handles_arrays(program, s) && wanted(program, s)) {
            continue;
        }
        let stmts = stmts.to_vec();
        let mut out = Vec::new();
        for s in stmts {
            if !(handles_arrays(program, &s) && wanted(program, &s)) {
                out.push(Item::Stmt(*s));
                continue;
            }
            match expand(program, unit, &s, &mut additions) {
                Ok(e) => {
                    out.extend(e.items);
                    values.extend(e.values);
                }
                Err(d) => {
                    let place = program.location(s.span).or_else(|| program.location(program.unit(unit).span));
                    problems.push(d.at(place));
                }
            }
        }
        code.insert(v, out);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let scope = program.unit(unit).scope;
    region::replace(&mut program.units[unit.index()].graph, scope, code);
    Ok(values)
}

/// Writes one assignment as loops.
///
/// # Errors
/// A diagnostic without location.
pub fn expand(program: &mut Program, unit: UnitId, stmt: &Stmt, additions: &mut Additions) -> Result<Expanded, Diagnostic> {
    let StmtKind::Assignment { lhs, rhs } = &stmt.kind else {
        return Ok(Expanded { items: vec![Item::Stmt(stmt.clone())], values: Vec::new() });
    };
    let scope = program.unit(unit).scope;
    if additions.scratch.written.is_none() {
        additions.scratch.written = Some(written(program, unit));
        additions.scratch.allocated = allocated::bounds(program, unit);
    }
    let mut e = Expander { program, scope, additions, out: Expanded::default(), frees: Vec::new() };
    e.assignment(lhs, rhs)?;
    let frees = std::mem::take(&mut e.frees);
    let mut out = e.out;
    out.items.extend(frees.into_iter().map(Item::Stmt));
    inherit(&mut out.items, stmt);
    Ok(out)
}

/// The first statement gets the comment, all get the place.
fn inherit(items: &mut [Item], from: &Stmt) {
    let mut comment = Some(from.comment.clone());
    let mut work: Vec<&mut Item> = items.iter_mut().rev().collect();
    while let Some(item) = work.pop() {
        match item {
            Item::Stmt(s) => {
                if let Some(c) = comment.take() {
                    s.comment = c;
                    s.text = from.text.clone();
                }
                s.span = from.span;
                s.line = from.line;
            }
            Item::Loop { body, .. } => work.extend(body.iter_mut().rev()),
            Item::Branch { then, otherwise, .. } => work.extend(then.iter_mut().chain(otherwise).rev()),
        }
    }
}

/// A refusal because an array's extent is not known.
fn unknown_extent(program: &Program, symbol: SymbolId) -> Diagnostic {
    Diagnostic::error("OB4031", format!("the extent of {} is not known here", program.symbol(symbol).name))
        .because("the array operation has to be written as a loop over the elements")
        .help("give the bounds of the section, or declare the array with its extents")
}

struct Expander<'p, 'a, 'b> {
    program: &'p mut Program,
    scope: ScopeId,
    additions: &'a mut Additions<'b>,
    out: Expanded,
    /// Deallocations for the end.
    frees: Vec<Stmt>,
}

impl Expander<'_, '_, '_> {
    fn assignment(&mut self, lhs: &VarRef, rhs: &Expr) -> Result<(), Diagnostic> {
        let rank = types::of_ref(self.program, lhs).rank;
        let elem = types::of_ref(self.program, lhs).elem;
        let mut mentions = false;
        rhs.for_each_ref(&mut |r| mentions |= self.may_share(r.symbol, lhs.symbol));
        for e in lhs.index_exprs() {
            e.for_each_ref(&mut |r| mentions |= r.symbol == lhs.symbol);
        }
        // The left side itself takes the sum where it is a reduction and nothing else.
        if rank == 0 && !mentions && self.is_reduction(rhs) && types::of(self.program, rhs).elem == elem {
            let operands: Vec<Expr> = rhs.root().operands.iter().map(|&o| rhs.subexpr(o)).collect();
            let operands = operands.iter().map(|o| self.hoist(o)).collect::<Result<Vec<_>, _>>()?;
            return self.reduce(lhs, &op_name(rhs), operands);
        }
        if !mentions && op_name(rhs) == "matmul_arr" {
            let operands = rhs.root().operands.iter().map(|&o| self.hoist(&rhs.subexpr(o))).collect::<Result<Vec<_>, _>>()?;
            return self.matmul(lhs, &operands);
        }
        let rhs = self.hoist(rhs)?;
        if rank == 0 {
            self.out.items.push(Item::Stmt(Stmt::assign(lhs.clone(), rhs)));
            return Ok(());
        }
        let ranges = self.ranges(lhs)?;
        if !self.hazard(lhs, &rhs) {
            return self.nest(&ranges, |e, i| {
                let target = e.element_ref(lhs, &ranges, i)?;
                let value = e.element(&rhs, &ranges, i)?;
                Ok(vec![Item::Stmt(Stmt::assign(target, value))])
            });
        }
        let t = self.array(&ranges, elem, "temp")?;
        self.nest(&ranges, |e, i| Ok(vec![Item::Stmt(Stmt::assign(VarRef::element(t, i.to_vec()), e.element(&rhs, &ranges, i)?))]))?;
        self.nest(&ranges, |e, i| {
            let target = e.element_ref(lhs, &ranges, i)?;
            Ok(vec![Item::Stmt(Stmt::assign(target, Expr::var(VarRef::element(t, i.to_vec()))))])
        })
    }

    fn is_reduction(&self, e: &Expr) -> bool {
        matches!(op_name(e).as_str(), "sum_arr" | "dot_product_arr" | "maxval_arr" | "minval_arr")
            && e.root().operands.iter().all(|&o| types::of(self.program, &e.subexpr(o)).rank > 0)
    }

    fn may_share(&self, a: SymbolId, b: SymbolId) -> bool {
        let (x, y) = (self.program.symbol(a), self.program.symbol(b));
        let alias = |s: &Symbol| s.decl.as_ref().is_some_and(|d| d.may_alias);
        a == b || (alias(x) && alias(y) && x.ty == y.ty)
    }

    /// True where an element of the left side may be read after it has been written.
    fn hazard(&self, lhs: &VarRef, rhs: &Expr) -> bool {
        let mut found = false;
        let moves = |n: &Node| matches!(&n.kind, NodeKind::Op(op) if matches!(op.name.as_str(), "transpose_arr" | "reshape_arr"));
        let transposed = rhs.nodes.iter().any(moves);
        for r in rhs.refs() {
            if self.may_share(r.symbol, lhs.symbol) {
                found |= r.symbol != lhs.symbol || transposed || hazard::reads_what_is_set(self.program, lhs, r);
            }
            for e in r.index_exprs() {
                e.for_each_ref(&mut |x| found |= self.may_share(x.symbol, lhs.symbol));
            }
        }
        for e in lhs.index_exprs() {
            e.for_each_ref(&mut |x| found |= self.may_share(x.symbol, lhs.symbol));
        }
        found
    }

    /// The same expression with reductions and products of matrices computed beforehand.
    fn hoist(&mut self, e: &Expr) -> Result<Expr, Diagnostic> {
        let mut done: Vec<Expr> = Vec::with_capacity(e.nodes.len());
        let types: Vec<ValueType> = types::of_expr(self.program, e);
        if !e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(op) if shape_of(&op.name) != ResultShape::Elementwise)) {
            return Ok(e.clone());
        }
        for (i, n) in e.nodes.iter().enumerate() {
            let operands: Vec<Expr> = n.operands.iter().map(|o| done[o.index()].clone()).collect();
            let over_arrays = n.operands.iter().any(|o| types[o.index()].rank > 0);
            let made = match &n.kind {
                NodeKind::Op(op) if over_arrays => match op.name.as_str() {
                    "sum_arr" | "dot_product_arr" | "maxval_arr" | "minval_arr" => {
                        let t = self.scalar(types[i].elem, "s");
                        self.reduce(&VarRef::whole(t), &op.name, operands)?;
                        Expr::sym(t)
                    }
                    "matmul_arr" => {
                        let ranges = self.matmul_ranges(&operands)?;
                        let t = self.array(&ranges, types[i].elem, "temp")?;
                        self.matmul(&VarRef::whole(t), &operands)?;
                        Expr::sym(t)
                    }
                    _ => Expr::node(n.kind.clone(), operands),
                },
                _ => Expr::node(n.kind.clone(), operands),
            };
            done.push(made);
        }
        Ok(done.pop().unwrap_or_default())
    }

    /// target = reduction of operands
    fn reduce(&mut self, target: &VarRef, name: &str, operands: Vec<Expr>) -> Result<(), Diagnostic> {
        let elem = types::of_ref(self.program, target).elem;
        let Some(first) = operands.first() else { return Err(self.no_form(name)) };
        let ranges = self.shape(first)?;
        let sum = Expr::var(target.clone());
        let start = match name {
            "maxval_arr" => Expr::op("minus_scal", [Expr::op("huge", [sum.clone()])]),
            "minval_arr" => Expr::op("huge", [sum.clone()]),
            _ => fold::zero(elem),
        };
        self.out.items.push(Item::Stmt(Stmt::assign(target.clone(), start)));
        self.nest(&ranges, |e, i| {
            let mut values = operands.iter().map(|o| e.element(o, &ranges, i)).collect::<Result<Vec<_>, _>>()?;
            let (Some(last), rest) = (values.pop(), values.pop()) else { return Ok(Vec::new()) };
            Ok(match name {
                "maxval_arr" | "minval_arr" => {
                    let op = if name == "maxval_arr" { BoolOp::GreaterThan } else { BoolOp::LessThan };
                    let condition = Expr::boolean(op, [last.clone(), sum.clone()]);
                    let then = vec![Item::Stmt(Stmt::assign(target.clone(), last))];
                    vec![Item::Branch { condition, then, otherwise: Vec::new() }]
                }
                _ => {
                    let term = match rest {
                        Some(a) => Expr::op("mul_scal_scal", [a, last]),
                        None => last,
                    };
                    vec![Item::Stmt(Stmt::assign(target.clone(), Expr::op("add_scal_scal", [sum.clone(), term])))]
                }
            })
        })
    }

    fn no_form(&self, name: &str) -> Diagnostic {
        Diagnostic::error("OB4032", format!("{name} has no form as a loop over elements")).help("write the loop")
    }

    /// A nest of loops over ranges; `body` gets the loop variables in the order of the dimensions.
    fn nest(&mut self, ranges: &[Range], body: impl FnOnce(&mut Self, &[Expr]) -> Result<Vec<Item>, Diagnostic>) -> Result<(), Diagnostic> {
        let variables: Vec<SymbolId> = (0..ranges.len()).map(|k| self.loop_variable(k)).collect();
        let indices: Vec<Expr> = variables.iter().map(|&v| Expr::sym(v)).collect();
        let mut items = body(self, &indices)?;
        let mut order: Vec<usize> = (0..ranges.len()).collect();
        if self.program.index_order == xaif::model::IndexOrder::Row {
            order.reverse();
        }
        for k in order {
            let head = loop_head(variables[k], &ranges[k]);
            items = vec![Item::Loop { head: Box::new(head), body: items }];
        }
        self.out.items.extend(items);
        Ok(())
    }

    fn loop_variable(&mut self, depth: usize) -> SymbolId {
        const WISHES: [&str; 7] = ["i", "j", "k", "l", "m", "ii", "jj"];
        while self.additions.scratch.loop_variables.len() <= depth {
            let at = self.additions.scratch.loop_variables.len();
            let name = (self.additions.fresh)(WISHES[at % WISHES.len()]);
            let s = self.program.add_symbol(Symbol { temp: true, ..Symbol::variable(name, ElemType::INTEGER, self.scope) });
            self.additions.scratch.loop_variables.push(s);
        }
        self.additions.scratch.loop_variables[depth]
    }

    fn scalar(&mut self, ty: ElemType, wish: &str) -> SymbolId {
        let name = (self.additions.fresh)(wish);
        let s = self.program.add_symbol(Symbol { temp: true, ..Symbol::variable(name, ty, self.scope) });
        if ty.base == BaseType::Real {
            self.out.values.push(s);
        }
        s
    }

    /// A temporary array over these ranges: automatic where its bounds hold on entry, else allocated here and freed behind the statement.
    fn array(&mut self, ranges: &[Range], ty: ElemType, wish: &str) -> Result<SymbolId, Diagnostic> {
        let name = (self.additions.fresh)(wish);
        let mut s = Symbol { temp: true, rank: ranges.len() as u8, ..Symbol::variable(name, ty, self.scope) };
        let stable = ranges.iter().all(|r| self.holds_on_entry(&r.lower) && self.holds_on_entry(&r.upper));
        let mut bounds = Vec::new();
        for r in ranges {
            let negative = r.stride.as_ref().is_some_and(|s| s.as_int().is_some_and(|v| v < 0));
            if r.stride.as_ref().is_some_and(|s| s.as_int().is_none()) {
                return Err(Diagnostic::error("OB4033", "a section with a variable stride overlaps what is assigned to it")
                    .because("its bounds are not known to be in order")
                    .help("write the loop"));
            }
            bounds.push(if negative { (r.upper.clone(), r.lower.clone()) } else { (r.lower.clone(), r.upper.clone()) });
        }
        let mut decl = Decl { storage: Storage::Local, ..Decl::default() };
        if stable {
            decl.dims = bounds.iter().map(|(l, u)| Dim { lower: Bound::Expr(l.clone()), upper: Bound::Expr(u.clone()) }).collect();
        } else {
            decl.dims = vec![Dim::default(); ranges.len()];
            decl.attributes.push("allocatable".into());
        }
        s.decl = Some(Box::new(decl));
        let t = self.program.add_symbol(s);
        if ty.base == BaseType::Real {
            self.out.values.push(t);
        }
        if !stable {
            let subscripts = bounds.into_iter().map(|(l, u)| Triplet { index: Some(l), bound: Some(u), stride: None }).collect();
            let marker = |class, subscripts| {
                Stmt::new(StmtKind::Marker(Box::new(Marker {
                    class,
                    object: Some(VarRef { subscripts, ..VarRef::whole(t) }),
                    ..Marker::default()
                })))
            };
            self.out.items.push(Item::Stmt(marker(MarkerClass::Allocate, subscripts)));
            self.frees.push(marker(MarkerClass::Deallocate, Default::default()));
        }
        Ok(t)
    }

    /// True where an expression has the same value now as on entry: nothing in the unit changes what it is made of.
    fn holds_on_entry(&self, e: &Expr) -> bool {
        let mut symbols = Vec::new();
        e.for_each_ref(&mut |r| symbols.push(r.symbol));
        if symbols.is_empty() {
            return true;
        }
        let asked = e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(op) if matches!(op.name.as_str(), "lbound" | "ubound" | "size")));
        if symbols.iter().any(|&s| {
            let y = self.program.symbol(s);
            let local = y.scope == self.scope && *y.storage() == Storage::Local;
            local || (asked && y.has_attribute("allocatable"))
        }) {
            return false;
        }
        let Some((written, calls)) = &self.additions.scratch.written else { return false };
        !(symbols.iter().any(|s| written.contains(s)) || *calls && self.is_global(&symbols))
    }

    fn is_global(&self, symbols: &[SymbolId]) -> bool {
        symbols.iter().any(|&s| {
            let y = self.program.symbol(s);
            y.scope != self.scope && *y.storage() != Storage::Constant
        })
    }
}

/// The variables that statements of a unit assign, or hand to calls that may change them, and whether it has calls.
fn written(program: &Program, unit: UnitId) -> (FxHashSet<SymbolId>, bool) {
    let mut set = FxHashSet::default();
    let mut calls = false;
    for v in program.unit(unit).graph.node_weights() {
        let head = match &v.kind {
            VertexKind::For(f) => Some(&f.init),
            _ => None,
        };
        for s in v.stmts().iter().map(|s| &**s).chain(head) {
            match &s.kind {
                StmtKind::Assignment { lhs, .. } => {
                    set.insert(lhs.symbol);
                }
                StmtKind::Call(c) => {
                    calls = true;
                    let formals = program.unit_of_symbol(c.callee).map_or(&[][..], |u| &program.unit(u).formals);
                    let only_read = |a: &CallArgument| formals.iter().any(|f| f.position == a.position && f.intent == Intent::In);
                    set.extend(c.arguments.iter().filter(|a| !only_read(a)).filter_map(|a| a.value.as_var()).map(|r| r.symbol));
                }
                StmtKind::Marker(m) => set.extend(m.writes.iter().copied()),
                _ => {}
            }
        }
    }
    (set, calls)
}

fn loop_head(variable: SymbolId, range: &Range) -> ForLoop {
    let i = Expr::sym(variable);
    let one = Expr::int(1);
    let stride = range.stride.as_ref().unwrap_or(&one);
    ForLoop {
        explicit: false,
        init: Stmt::assign(VarRef::whole(variable), range.lower.clone()),
        condition: ForLoop::within(&i, &range.upper, stride, stride.as_int()),
        update: Stmt::assign(VarRef::whole(variable), Expr::op("add_scal_scal", [i, stride.clone()])),
        counted: true,
    }
}

fn op_name(e: &Expr) -> SmolStr {
    match &e.root().kind {
        NodeKind::Op(op) => op.name.clone(),
        _ => SmolStr::default(),
    }
}

fn shape_of(name: &str) -> ResultShape {
    Catalogue::builtin().get(name).map_or(ResultShape::Elementwise, |e| e.shape)
}

#[cfg(test)]
mod tests;
