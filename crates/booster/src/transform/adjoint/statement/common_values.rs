//! Values that the adjoint of one statement would compute more than once.
//!
//! ```text
//! xb = xb - sin(x/sqrt(n))*p*pb/sqrt(n)      ->      t = sqrt(n);  t1 = x/t
//! pb = cos(x/sqrt(n))*pb                             xb = xb - sin(t1)*p*pb/t;  pb = cos(t1)*pb
//! ```
//!
//! Compilers share sums and products; they do not share calls of library functions, which may set errno. So subexpressions in which such a
//! function occurs get a temporary, and, for whoever reads the code, great ones that occur often; the greatest first, and only where every execution computes
//! them anyway.
//!
//! Lives here: this clean-up of one statement's adjoint. Never here: values that several statements share.

use crate::transform::adjoint::code::expressions::replace;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use xaif::model::{Expr, Node, NodeId, NodeKind, Stmt, StmtKind, SymbolKind, VarRef};
use xaif::types;

/// Statements with more vertices than this are left as they are.
const MAX_VERTICES: usize = 4_000;

/// What has that many vertices and occurs that often is shared for the reader's sake.
const GREAT: (usize, usize) = (9, 3);

/// Gives repeated values temporaries.
pub(crate) fn share(s: &mut dyn Surroundings, mut items: Vec<Item>) -> Vec<Item> {
    let size = items.iter().filter_map(rhs).map(|e| e.nodes.len()).sum::<usize>();
    if size > MAX_VERTICES || !may_repeat(&items, size) {
        return items;
    }
    let mut tried = Vec::new();
    while let Some((at, value)) = repeated(s, &items, &tried) {
        let ty = types::of(s.program(), &value);
        if ty.rank > 0 || !ty.elem.is_real() {
            tried.push(value);
            continue;
        }
        let t = s.scratch(ty.elem);
        for item in &mut items[at..] {
            replace(item, &value, &Expr::sym(t));
        }
        items.insert(at, Item::stmt(Stmt::assign(VarRef::whole(t), value)));
    }
    items
}

/// Whether it is worth looking for values that are repeated: a function must stand in two places, or there must be room for something great.
fn may_repeat(items: &[Item], size: usize) -> bool {
    if size >= GREAT.0 * GREAT.1 {
        return true;
    }
    let mut functions: SmallVec<[&str; 8]> = SmallVec::new();
    for e in items.iter().filter_map(rhs) {
        for op in e.nodes.iter().filter_map(|n| if let NodeKind::Op(op) = &n.kind { Some(&*op.name) } else { None }) {
            if !is_arithmetic(op) {
                if functions.contains(&op) {
                    return true;
                }
                functions.push(op);
            }
        }
    }
    false
}

/// Sums, products, choices and conversions.
fn is_arithmetic(operation: &str) -> bool {
    matches!(
        operation,
        "add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "div_scal_scal" | "minus_scal" | "select" | "int_scal" | "real_scal"
    )
}

/// The right-hand side of an assignment.
fn rhs(item: &Item) -> Option<&Expr> {
    match &item.kind {
        ItemKind::Stmt(s) => match &s.kind {
            StmtKind::Assignment { rhs, .. } => Some(rhs),
            _ => None,
        },
        _ => None,
    }
}

/// The greatest value that is worth a temporary, and the first item with it.
fn repeated(s: &dyn Surroundings, items: &[Item], tried: &[Expr]) -> Option<(usize, Expr)> {
    let mut classes = Classes::default();
    for (at, item) in items.iter().enumerate() {
        if let Some(e) = rhs(item) {
            classes.add(s, at, e);
        }
    }
    let mut best: Option<&Class> = None;
    for c in &classes.list {
        let often = c.uses > 1 && (c.function || (c.size >= GREAT.0 && c.uses >= GREAT.1));
        let counts = often && c.fixed && best.is_none_or(|b| c.size > b.size);
        if counts && !tried.contains(&c.expr()) {
            best = Some(c);
        }
    }
    best.map(|c| (c.first, c.expr()))
}

/// Subexpressions that are the same.
struct Class<'a> {
    /// One of them.
    of: (&'a Expr, NodeId),
    first: usize,
    uses: usize,
    size: usize,
    function: bool,
    fixed: bool,
}

impl Class<'_> {
    fn expr(&self) -> Expr {
        self.of.0.subexpr(self.of.1)
    }
}

#[derive(Default)]
struct Classes<'a> {
    list: Vec<Class<'a>>,
    /// By operands; those with the same operands differ in their kind.
    by_operands: FxHashMap<Vec<usize>, Vec<usize>>,
}

impl<'a> Classes<'a> {
    fn add(&mut self, s: &dyn Surroundings, at: usize, e: &'a Expr) {
        let always = unconditional(e);
        let mut class_of: Vec<usize> = Vec::with_capacity(e.nodes.len());
        for (i, node) in e.nodes.iter().enumerate() {
            let operands: Vec<usize> = node.operands.iter().map(|o| class_of[o.index()]).collect();
            let same = self.by_operands.get(&operands);
            let found = same.and_then(|l| l.iter().copied().find(|&c| self.list[c].of.0.node_at(self.list[c].of.1).kind == node.kind));
            let class = found.unwrap_or_else(|| {
                let inside = |test: fn(&Class) -> bool| operands.iter().any(|&o| test(&self.list[o]));
                self.list.push(Class {
                    of: (e, NodeId(i as u32)),
                    first: at,
                    uses: 0,
                    size: 1 + operands.iter().map(|&o| self.list[o].size).sum::<usize>(),
                    function: is_function(e, node) || inside(|c| c.function),
                    fixed: is_fixed(s, node) && !inside(|c| !c.fixed),
                });
                self.by_operands.entry(operands).or_default().push(self.list.len() - 1);
                self.list.len() - 1
            });
            if always[i] {
                let c = &mut self.list[class];
                if c.uses == 0 {
                    c.first = at;
                }
                c.uses += 1;
            }
            class_of.push(class);
        }
    }
}

/// Which vertices are evaluated whenever the expression is.
fn unconditional(e: &Expr) -> Vec<bool> {
    let mut out = vec![false; e.nodes.len()];
    if let Some(root) = out.last_mut() {
        *root = true;
    }
    for i in (0..e.nodes.len()).rev() {
        let lazy = match &e.nodes[i].kind {
            NodeKind::Op(op) => op.name == "select",
            NodeKind::Bool(_) => true,
            _ => false,
        };
        for (k, o) in e.nodes[i].operands.iter().enumerate() {
            if out[i] && (k == 0 || !lazy) {
                out[o.index()] = true;
            }
        }
    }
    out
}

/// A function that compilers do not share; they write powers with small exponents as products.
pub(crate) fn is_function(e: &Expr, node: &Node) -> bool {
    let NodeKind::Op(op) = &node.kind else { return false };
    let product = op.name == "pow_scal_scal" && node.operands.get(1).is_some_and(|&n| e.subexpr(n).as_int().is_some());
    !product && !is_arithmetic(&op.name)
}

/// Whether the vertex stands for the same value throughout the adjoint of the statement: no adjoint variable, nothing that is assigned in it.
fn is_fixed(s: &dyn Surroundings, node: &Node) -> bool {
    match &node.kind {
        NodeKind::Var(r) => {
            let mut old = !s.is_new(r.symbol) && s.program().symbol(r.symbol).kind == SymbolKind::Variable && !r.has_section();
            r.index_exprs().for_each(|e| e.for_each_ref(&mut |r| old &= !s.is_new(r.symbol)));
            old
        }
        NodeKind::FunctionCall(_) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_choice_may_skip_is_conditional() {
        let e = Expr::op("select", [Expr::bool(true), Expr::op("sqrt_scal", [Expr::int(2)]), Expr::int(1)]);
        assert_eq!(unconditional(&e).iter().filter(|u| **u).count(), 2);
    }
}
