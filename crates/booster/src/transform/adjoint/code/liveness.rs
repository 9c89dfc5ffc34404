//! Scalars whose values code reads before it sets them.
//!
//! Backward through the tree, with `out` the scalars that are read later:
//!
//! ```text
//! v = e                  out - v + those in e
//! if (c) A else B        A(out) + B(out) + those in c
//! loop over B            out + B(out + B(out)) + those in the head: what an iteration reads may be of the one before
//! other statements       out + all that they name
//! ```
//!
//! Lives here: the walk, for plain variables of a unit. Never here: arrays, what callers see.

use super::mentions;
use super::tree::{Item, ItemKind, LoopKind};
use rustc_hash::FxHashSet;
use xaif::model::{Expr, Stmt, StmtKind, SymbolId};

/// Takes a set of variables that are read after some code to those that are read after what is before it.
pub(crate) fn backward(items: &[Item], live: &mut FxHashSet<SymbolId>) {
    items.iter().rev().for_each(|i| item(i, live));
}

/// The same for one item.
pub(crate) fn item(item: &Item, live: &mut FxHashSet<SymbolId>) {
    match &item.kind {
        ItemKind::Stmt(s) => stmt(s, live),
        ItemKind::Branch { condition, arms, .. } => {
            let after = live.clone();
            if arms.iter().any(|a| a.values.is_empty()) {
                live.clear();
            }
            for arm in arms.iter() {
                let mut here = after.clone();
                backward(&arm.body, &mut here);
                live.extend(here);
            }
            reads(condition, live);
        }
        ItemKind::Loop { kind, body, .. } => {
            *live = around(kind, body, live);
            // An iteration is run in any case.
            if matches!(kind, LoopKind::Until(_)) {
                backward(body, live);
            }
            if let LoopKind::For(f) = kind {
                stmt(&f.init, live);
            }
        }
    }
}

/// What is read after each iteration of a loop behind which `after` is read.
pub(crate) fn around(kind: &LoopKind, body: &[Item], after: &FxHashSet<SymbolId>) -> FxHashSet<SymbolId> {
    let mut out = after.clone();
    for _ in 0..2 {
        ends(kind, &mut out);
        let mut here = out.clone();
        if let LoopKind::For(f) = kind {
            stmt(&f.update, &mut here);
        }
        backward(body, &mut here);
        out.extend(here);
    }
    ends(kind, &mut out);
    out
}

/// What the condition of a loop reads.
fn ends(kind: &LoopKind, live: &mut FxHashSet<SymbolId>) {
    match kind {
        LoopKind::For(f) => {
            reads(&f.condition, live);
            if let StmtKind::Assignment { rhs, .. } = &f.update.kind {
                reads(rhs, live);
            }
        }
        LoopKind::While(c) | LoopKind::Until(c) => reads(c, live),
    }
}

fn stmt(s: &Stmt, live: &mut FxHashSet<SymbolId>) {
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => {
            if lhs.subscripts.is_empty() {
                live.remove(&lhs.symbol);
            }
            lhs.index_exprs().chain([rhs]).for_each(|e| reads(e, live));
        }
        _ => mentions::in_stmt(s, &mut |v| {
            live.insert(v);
        }),
    }
}

fn reads(e: &Expr, live: &mut FxHashSet<SymbolId>) {
    e.for_each_ref(&mut |r| {
        live.insert(r.symbol);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Maker, UnitMaker};
    use xaif::model::{BoolOp, VarRef};

    #[test]
    fn what_is_read_before_it_is_set() {
        let mut m = Maker::new();
        m.unit("f", &["x:real", "y:real", "z:real", "w:real"], |u| {
            let assign = |u: &UnitMaker, to: &str, from: &str| Item::stmt(Stmt::assign(VarRef::whole(u.sym(to)), u.expr(from)));
            let test = |u: &UnitMaker| Expr::boolean(BoolOp::GreaterThan, [u.expr("w"), Expr::int(0)]);
            let names = |u: &UnitMaker, items: &[Item], after: &[&str]| {
                let mut live = after.iter().map(|n| u.sym(n)).collect();
                backward(items, &mut live);
                let mut out: Vec<&str> = ["x", "y", "z", "w"].into_iter().filter(|n| live.contains(&u.sym(n))).collect();
                out.sort_unstable();
                out.join(" ")
            };
            let straight = [assign(u, "x", "y"), assign(u, "z", "x")];
            assert_eq!(names(u, &straight, &[]), "y");
            assert_eq!(names(u, &straight, &["x", "w"]), "w y");
            // One way does not set it.
            let branch = |otherwise| [Item::branch(test(u), vec![assign(u, "x", "y")], otherwise), assign(u, "z", "x")];
            assert_eq!(names(u, &branch(Vec::new()), &[]), "w x y");
            assert_eq!(names(u, &branch(vec![assign(u, "x", "1")]), &[]), "w y");
            // The iteration before may have set it; or there is none.
            let around = [Item::repeat(LoopKind::While(Box::new(test(u))), vec![assign(u, "z", "x"), assign(u, "x", "y")])];
            assert_eq!(names(u, &around, &[]), "w x y");
            let inside = [Item::repeat(LoopKind::While(Box::new(test(u))), vec![assign(u, "x", "y"), assign(u, "w", "x")])];
            assert_eq!(names(u, &inside, &["x"]), "w x y");
            let once = [Item::repeat(LoopKind::Until(Box::new(test(u))), vec![assign(u, "x", "y"), assign(u, "w", "x")])];
            assert_eq!(names(u, &once, &["x"]), "y");
        });
    }
}
