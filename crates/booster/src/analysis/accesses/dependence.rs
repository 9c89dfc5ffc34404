//! Data dependences between statements, with increments as an action of their own.
//!
//! A statement acts on a place by writing it (w), reading it (r) or incrementing it (i: `v = v + e`, `v` not in `e`). Two statements must keep their order if
//! for some place both touch
//!
//! ```text
//! D(first, second)    w     r     i
//!               w     yes   yes   yes
//!               r     yes   -     yes
//!               i     yes   yes   -
//! ```
//!
//! unless the place is written as a whole in between: sums come out the same, but for rounding, in whatever order they are added up.
//!
//! Source: Araya-Polo and Hascoët, "Data flow algorithms in the Tapenade tool for automatic differentiation" (2004), Section 6.
//!
//! Lives here: actions of statements, the table, the graph of a block. Never here: reordering.

use crate::linearize::places::apart;
use xaif::model::{Expr, NodeId, NodeKind, Stmt, StmtKind, SymbolId, VarRef};

/// What a statement does to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Overwrites it.
    Write,
    /// Reads it.
    Read,
    /// Adds to it.
    Increment,
}

/// Whether two actions on one place must keep their order.
pub fn ordered(first: Action, second: Action) -> bool {
    first != second || first == Action::Write
}

/// A place and what is done to it.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where.
    pub place: VarRef,
    /// What.
    pub action: Action,
    /// All of the place is overwritten for certain.
    pub whole: bool,
}

/// All that one statement does.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// To variables.
    pub list: Vec<Access>,
    /// It works on the run-time stack, whose order stays.
    pub stack: bool,
}

impl Accesses {
    /// What an assignment, a push or a pop does; `None` for other statements, whose text does not tell it, and where units are called in expressions.
    pub fn of(stmt: &Stmt, meet: &dyn Fn(&VarRef, &VarRef) -> bool) -> Option<Accesses> {
        let mut out = Accesses::default();
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => {
                if has_calls(rhs) {
                    return None;
                }
                lhs.index_exprs().for_each(|e| out.reads(e));
                let own = increment(rhs, lhs);
                out.reads_but(rhs, own);
                let alone = |o: &Accesses| !o.list.iter().any(|a| meet(&a.place, lhs));
                let action = if own.is_some() && alone(&out) { Action::Increment } else { Action::Write };
                if own.is_some() && action == Action::Write {
                    out.list.push(Access { place: lhs.clone(), action: Action::Read, whole: false });
                }
                out.list.push(Access { place: lhs.clone(), action, whole: action == Action::Write });
            }
            StmtKind::Runtime { name, arguments } if matches!(name.as_str(), "push" | "pop") => {
                out.stack = true;
                for a in arguments {
                    match a.value.as_var().filter(|_| name == "pop") {
                        Some(r) => {
                            r.index_exprs().for_each(|e| out.reads(e));
                            out.list.push(Access { place: r.clone(), action: Action::Write, whole: true });
                        }
                        None => out.reads(&a.value),
                    }
                }
            }
            _ => return None,
        }
        Some(out)
    }

    /// The place that it increments, if that is all it changes.
    pub fn incremented(&self) -> Option<&VarRef> {
        self.list.iter().find(|a| a.action == Action::Increment).map(|a| &a.place)
    }

    fn reads(&mut self, e: &Expr) {
        self.reads_but(e, None);
    }

    fn reads_but(&mut self, e: &Expr, but: Option<NodeId>) {
        for (i, n) in e.nodes.iter().enumerate() {
            let NodeKind::Var(r) = &n.kind else { continue };
            r.index_exprs().for_each(|x| self.reads(x));
            if but != Some(NodeId(i as u32)) {
                self.list.push(Access { place: r.clone(), action: Action::Read, whole: false });
            }
        }
    }

    /// Whether this statement and a later one must keep their order.
    pub fn before(&self, later: &Accesses, meet: &dyn Fn(&VarRef, &VarRef) -> bool) -> bool {
        self.stack && later.stack
            || self.list.iter().any(|a| later.list.iter().any(|b| ordered(a.action, b.action) && meet(&a.place, &b.place)))
    }
}

/// Whether functions of the program are called, in subscripts as well.
pub(crate) fn has_calls(e: &Expr) -> bool {
    e.nodes.iter().any(|n| match &n.kind {
        NodeKind::FunctionCall(_) => true,
        NodeKind::Var(r) => r.index_exprs().any(has_calls),
        _ => false,
    })
}

/// The vertex of `v` in `v + ... - ...`, however the sum is nested, where `v` stands with a plus.
pub fn increment(rhs: &Expr, v: &VarRef) -> Option<NodeId> {
    let mut open = vec![rhs.root_id()];
    // Sums that share vertices could be looked at over and over.
    for _ in 0..rhs.nodes.len() {
        let at = open.pop()?;
        let node = rhs.node_at(at);
        match &node.kind {
            NodeKind::Var(r) if r.symbol == v.symbol && r.subscripts == v.subscripts && at != rhs.root_id() => return Some(at),
            NodeKind::Op(op) if op.name == "add_scal_scal" => open.extend(node.operands.iter().rev().copied()),
            NodeKind::Op(op) if op.name == "sub_scal_scal" => open.extend(node.operands.first().copied()),
            _ => {}
        }
    }
    None
}

/// Whether two references may stand for the same memory; `overlap` tells it of different variables.
pub fn meet(a: &VarRef, b: &VarRef, overlap: &dyn Fn(SymbolId, SymbolId) -> bool) -> bool {
    if a.symbol == b.symbol { !apart(a, b) } else { overlap(a.symbol, b.symbol) }
}

/// An arrow of a dependence graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The earlier statement, by its index in the block.
    pub from: usize,
    /// The later one.
    pub to: usize,
    /// The variable, as the later one names it.
    pub variable: SymbolId,
    /// What the earlier one does to it.
    pub first: Action,
    /// What the later one does to it.
    pub second: Action,
}

/// The dependence graph of a block: statements by their accesses, arrows by the later statement, each reason once.
pub fn graph(statements: &[Accesses], meet: &dyn Fn(&VarRef, &VarRef) -> bool) -> Vec<Arrow> {
    let mut out: Vec<Arrow> = Vec::new();
    for (to, later) in statements.iter().enumerate() {
        let start = out.len();
        for b in &later.list {
            for (from, earlier) in statements[..to].iter().enumerate().rev() {
                let mut hidden = false;
                for a in earlier.list.iter().filter(|a| meet(&a.place, &b.place)) {
                    let arrow = Arrow { from, to, variable: b.place.symbol, first: a.action, second: b.action };
                    if ordered(a.action, b.action) && !out[start..].contains(&arrow) {
                        out.push(arrow);
                    }
                    hidden |= a.whole && covers(&a.place, &b.place);
                }
                if hidden {
                    break;
                }
            }
        }
        out[start..].sort_by_key(|a| (a.from, a.variable, a.first, a.second));
    }
    out
}

/// Whether a write of one place leaves nothing of the other.
fn covers(written: &VarRef, other: &VarRef) -> bool {
    written.symbol == other.symbol && (written.subscripts.is_empty() || written.subscripts == other.subscripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(n: u32) -> Expr {
        Expr::sym(SymbolId(n))
    }

    fn add(a: Expr, b: Expr) -> Expr {
        Expr::op("add_scal_scal", [a, b])
    }

    fn set(n: u32, e: Expr) -> Accesses {
        let own = |a: &VarRef, b: &VarRef| meet(a, b, &|_, _| false);
        Accesses::of(&Stmt::assign(VarRef::whole(SymbolId(n)), e), &own).unwrap()
    }

    #[test]
    fn the_table_of_section_six() {
        use Action::{Increment, Read, Write};
        let rows = [(Write, [true, true, true]), (Read, [true, false, true]), (Increment, [true, true, false])];
        for (first, row) in rows {
            assert_eq!([Write, Read, Increment].map(|second| ordered(first, second)), row, "{first:?}");
        }
    }

    #[test]
    fn increments_are_told_from_writes() {
        assert_eq!(set(0, add(v(0), v(1))).incremented().map(|r| r.symbol), Some(SymbolId(0)));
        assert_eq!(set(0, add(add(v(1), v(0)), v(2))).incremented().map(|r| r.symbol), Some(SymbolId(0)));
        assert!(set(0, Expr::op("sub_scal_scal", [v(1), v(0)])).incremented().is_none(), "with a minus it is no increment");
        assert!(set(0, add(v(0), v(0))).incremented().is_none(), "what is added must not depend on it");
        assert!(set(0, v(0)).incremented().is_none());
    }

    #[test]
    fn increments_of_one_variable_may_be_exchanged() {
        let own = |a: &VarRef, b: &VarRef| meet(a, b, &|_, _| false);
        // d = 0; d = d - b; d = d + a; q = d
        let block = [set(0, v(9)), set(0, Expr::op("sub_scal_scal", [v(0), v(1)])), set(0, add(v(0), v(2))), set(3, v(0))];
        assert!(!block[1].before(&block[2], &own));
        let arrows: Vec<(usize, usize)> = graph(&block, &own).iter().map(|a| (a.from, a.to)).collect();
        assert_eq!(arrows, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]);
    }

    #[test]
    fn a_whole_write_hides_what_came_before() {
        let own = |a: &VarRef, b: &VarRef| meet(a, b, &|_, _| false);
        let block = [set(0, v(9)), set(0, v(8)), set(1, v(0))];
        let arrows: Vec<(usize, usize)> = graph(&block, &own).iter().map(|a| (a.from, a.to)).collect();
        assert_eq!(arrows, [(0, 1), (1, 2)]);
    }

    #[test]
    fn elements_that_may_be_the_same_keep_their_order_but_for_increments() {
        let own = |a: &VarRef, b: &VarRef| meet(a, b, &|_, _| false);
        let at = |i: u32| VarRef::element(SymbolId(0), [v(i)]);
        let inc = |i: u32| Accesses::of(&Stmt::assign(at(i), add(Expr::var(at(i)), v(9))), &own).unwrap();
        let write = |i: u32| Accesses::of(&Stmt::assign(at(i), v(9)), &own).unwrap();
        assert!(!inc(1).before(&inc(2), &own));
        assert!(write(1).before(&inc(2), &own));
    }
}
