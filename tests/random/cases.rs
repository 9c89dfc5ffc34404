//! Programs that were once differentiated wrongly, written down by hand.

use super::parts::check::{Verdict, check};
use super::parts::tree::{Item, Tree};
use crate::model::*;
use xaif::model::*;

fn extent(n: SymbolId) -> Vec<(Expr, Option<Expr>)> {
    vec![(int(0), Some(sub(sym(n), int(1))))]
}

fn set(s: SymbolId, e: Expr) -> Item {
    Item::Assign(VarRef::whole(s), e)
}

fn set_at(s: SymbolId, i: Expr, e: Expr) -> Item {
    Item::Assign(VarRef::element(s, [i]), e)
}

/// `head(n, x, y)` that calls `f(n, y)`; the bodies are made from n, x, y and n, y.
fn pair(
    rank: usize,
    head: impl FnOnce(SymbolId, SymbolId, SymbolId, SymbolId) -> Vec<Item>,
    callee: impl FnOnce(SymbolId, SymbolId) -> Vec<Item>,
) -> Tree {
    let mut p = program(IndexOrder::Row);
    let dims = |n: SymbolId, rank: usize| if rank == 0 { Vec::new() } else { extent(n) };
    let mut b = Builder::new(&mut p, "head");
    let n = b.value("n", INT);
    let x = b.value("x", R64);
    let y = b.formal("y", R64, &extent(n), Intent::Inout, Passing::Reference);
    b.finish();
    let mut b = Builder::new(&mut p, "f");
    let f = b.unit.symbol;
    let m = b.value("n", INT);
    let z = b.formal("z", R64, &dims(m, rank), Intent::Out, Passing::Reference);
    b.finish();
    let bodies = vec![head(n, x, y, f), callee(m, z)];
    Tree { shell: p, bodies }
}

/// A callee that nothing active goes through still ends the life of what it sets.
#[test]
fn a_passive_callee_that_sets_an_active_element() {
    let tree = pair(
        0,
        |n, x, y, f| {
            vec![
                set_at(y, int(1), mul(at(y, [int(1)]), sym(x))),
                Item::Call(f, vec![sym(n), at(y, [int(1)])]),
                set_at(y, int(0), mul(at(y, [int(1)]), at(y, [int(0)]))),
            ]
        },
        |_, z| vec![set(z, real(1.5))],
    );
    assert_eq!(check(&tree, 1), Verdict::Pass);
}

#[test]
fn a_passive_callee_that_sets_an_active_array() {
    let tree = pair(
        1,
        |n, x, y, f| {
            vec![
                set_at(y, int(1), mul(at(y, [int(1)]), sym(x))),
                Item::Call(f, vec![sym(n), sym(y)]),
                set_at(y, int(0), mul(at(y, [int(1)]), sym(x))),
            ]
        },
        |_, z| vec![set(z, real(1.5))],
    );
    assert_eq!(check(&tree, 1), Verdict::Pass);
}

/// The same with a loop over the elements.
#[test]
fn a_passive_callee_that_sets_the_elements_of_an_active_array() {
    let tree = pair(
        1,
        |n, x, y, f| {
            vec![
                set_at(y, int(1), mul(at(y, [int(1)]), sym(x))),
                Item::Call(f, vec![sym(n), sym(y)]),
                set_at(y, int(0), mul(at(y, [int(1)]), sym(x))),
            ]
        },
        |_, z| vec![set_at(z, int(0), real(0.5)), set_at(z, int(1), real(1.5))],
    );
    assert_eq!(check(&tree, 1), Verdict::Pass);
}

/// k(k(i)) = 1 moves k(k(i)) itself.
#[test]
fn an_index_array_that_subscripts_itself() {
    let mut p = program(IndexOrder::Row);
    let mut b = Builder::new(&mut p, "head");
    let n = b.value("n", INT);
    let x = b.value("x", R64);
    let y = b.formal("y", R64, &extent(n), Intent::Inout, Passing::Reference);
    let k = b.local_array("k", INT, &extent(n));
    let i = b.local("i", INT);
    b.finish();
    let head = |up: bool| ForLoop {
        explicit: false,
        init: Stmt::assign(VarRef::whole(i), int(0)),
        condition: less(sym(i), if up { sym(n) } else { int(2) }),
        update: Stmt::assign(VarRef::whole(i), add(sym(i), int(1))),
        counted: true,
    };
    let bodies = vec![vec![
        Item::For(Box::new(head(true)), vec![set_at(k, sym(i), sym(i))]),
        Item::For(
            Box::new(head(false)),
            vec![set_at(y, at(k, [int(1)]), mul(at(y, [at(k, [int(1)])]), sym(x))), set_at(k, at(k, [sym(i)]), sub(int(3), sym(i)))],
        ),
        set_at(y, at(k, [int(0)]), mul(at(y, [at(k, [int(0)])]), at(y, [int(2)]))),
    ]];
    assert_eq!(check(&Tree { shell: p, bodies }, 1), Verdict::Pass);
}
