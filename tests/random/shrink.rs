//! A failing program made smaller while it still fails in the same mode.

use super::check::{Verdict, check, class};
use super::tree::{Item, Tree, children, children_mut};
use xaif::model::{Expr, NodeId};

/// The smallest program found with so many attempts.
pub fn shrink(tree: &Tree, seed: u64, mode: &str, attempts: usize) -> Tree {
    let mut best = tree.clone();
    let mut left = attempts;
    // A smaller program may fail in another way: that would be another mistake.
    let kind = match check(tree, seed) {
        Verdict::Wrong(_, what) => class(&what).to_owned(),
        _ => return best,
    };
    let fails = |t: &Tree| matches!(check(t, seed), Verdict::Wrong(m, what) if m == mode && class(&what) == kind);
    loop {
        let mut improved = false;
        let mut k = 0;
        // Every place in turn, every simpler form of what stands there.
        while k < best.size() {
            let mut form = 0;
            loop {
                let mut candidate = best.clone();
                if !change(&mut candidate, k, form) {
                    break;
                }
                if left == 0 {
                    return best;
                }
                left -= 1;
                if fails(&candidate) {
                    best = candidate;
                    improved = true;
                    form = 0;
                    if k >= best.size() {
                        break;
                    }
                } else {
                    form += 1;
                }
            }
            k += 1;
        }
        if !improved {
            return best;
        }
    }
}

/// Replaces the k-th item (in text order) by its n-th simpler form; false where there is none.
fn change(tree: &mut Tree, k: usize, form: usize) -> bool {
    let mut at = k;
    for body in &mut tree.bodies {
        if let Some(done) = change_in(body, &mut at, form) {
            return done;
        }
    }
    false
}

fn change_in(items: &mut Vec<Item>, at: &mut usize, form: usize) -> Option<bool> {
    for i in 0..items.len() {
        if *at == 0 {
            return Some(simplify(items, i, form));
        }
        *at -= 1;
        for c in children_mut(&mut items[i]) {
            if let Some(done) = change_in(c, at, form) {
                return Some(done);
            }
        }
    }
    None
}

fn simplify(items: &mut Vec<Item>, i: usize, form: usize) -> bool {
    // Without it the program would be another one: wrong itself.
    if matches!(items[i], Item::Allocate(..) | Item::Free(_)) {
        return false;
    }
    if form == 0 {
        items.remove(i);
        return true;
    }
    let parts: Vec<Vec<Item>> = children(&items[i]).into_iter().cloned().collect();
    if let Some(part) = parts.get(form - 1) {
        items.splice(i..=i, part.clone());
        return true;
    }
    let form = form - 1 - parts.len();
    if let Item::Web(_, parts) = &mut items[i] {
        let mut there = parts.iter_mut().filter(|p| p.1.is_some());
        return there.nth(form).is_some_and(|p| p.1.take().is_some());
    }
    let expr = match &mut items[i] {
        Item::Assign(_, e) => e,
        Item::If(c, _, other) => {
            if form == 0 && !other.is_empty() {
                other.clear();
                return true;
            }
            c
        }
        Item::While(c, _) | Item::DoWhile(c, _) => c,
        _ => return false,
    };
    // An operand instead of the whole, at every operator in turn.
    let mut n = 0;
    for k in 0..expr.nodes.len() {
        let node = &expr.nodes[k];
        for &o in &node.operands {
            let old = expr.subexpr(NodeId(k as u32));
            let new = expr.subexpr(o);
            if truth(&old) != truth(&new) {
                continue;
            }
            if n == form {
                *expr = replace(expr, k, &new);
                return true;
            }
            n += 1;
        }
    }
    false
}

fn truth(e: &Expr) -> bool {
    matches!(e.root().kind, xaif::model::NodeKind::Bool(_))
}

/// The expression with the part at `k` replaced.
fn replace(e: &Expr, k: usize, new: &Expr) -> Expr {
    fn copy(e: &Expr, at: usize, k: usize, new: &Expr) -> Expr {
        if at == k {
            return new.clone();
        }
        let n = &e.nodes[at];
        if n.operands.is_empty() {
            return e.subexpr(NodeId(at as u32));
        }
        Expr::node(n.kind.clone(), n.operands.iter().map(|o| copy(e, o.index(), k, new)).collect::<Vec<_>>())
    }
    copy(e, e.nodes.len() - 1, k, new)
}
