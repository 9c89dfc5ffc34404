//! Random calls.
//!
//! Never here: what the callee does.

use super::generate::{Generator, N, Role, Variable, add, sub};
use super::tree::Item;
use xaif::model::*;

impl Generator {
    /// A call. What is written overlaps nothing, except where the program says that arguments may; what is only read may be passed twice.
    pub(super) fn call(&mut self, k: usize) -> Vec<Item> {
        let callee = self.signatures[k].clone();
        // Where a unit calls itself, its own n goes on; else an array may be passed from its second element on.
        let shifted = k != self.self_index
            && self.self_index == 0
            && !callee.told
            && callee.formals.iter().all(|f| f.rank < 2)
            && self.rng.percent(25);
        let n = if shifted { sub(Expr::sym(self.n), Expr::int(1)) } else { Expr::sym(self.n) };
        let mut before = Vec::new();
        let mut arguments = vec![self.in_expr(n, &mut before)];
        if callee.recursive {
            let d = match self.depth {
                Some(d) if k == self.self_index => sub(Expr::sym(d), Expr::int(1)),
                _ => Expr::int(1 + self.rng.below(2) as i64),
            };
            arguments.push(self.in_expr(d, &mut before));
        }
        if callee.told {
            let at = self.index();
            arguments.push(self.in_expr(at, &mut before));
        }
        // Whether something was passed already, and whether it is written.
        let mut taken: Vec<(SymbolId, bool)> = self.globals.iter().map(|g| (g.symbol, true)).collect();
        let overlaps = self.features.alias && self.features.order == IndexOrder::Row && self.rng.percent(50);
        for f in &callee.formals {
            let value = f.role == Role::In && self.shell.symbol(f.symbol).passing() == Passing::Value;
            if value {
                arguments.push(self.real(2));
                continue;
            }
            let written = f.role != Role::In;
            // A result is a variable of its own until the callee returns, but C and Fortran differ in where it goes then.
            let apart = |v: &Variable| {
                let clash = |&(s, w): &(SymbolId, bool)| s == v.symbol && (w || written);
                !taken.iter().any(clash) || (overlaps && !self.globals.iter().any(|g| g.symbol == v.symbol) && !callee.result)
            };
            let column = f.rank == 1 && !shifted && self.features.order == IndexOrder::Column && self.rng.percent(30);
            let fits = |v: &&Variable| v.single == f.single && (!written || v.writable()) && apart(v);
            let rank = |v: &&Variable| f.rank == 0 || v.rank == f.rank || (column && v.rank == 2);
            let by_value = |v: &&Variable| !written || self.shell.symbol(v.symbol).passing() != Passing::Value || v.rank == 0;
            let list: Vec<Variable> = self.reals.iter().filter(fits).filter(rank).filter(by_value).cloned().collect();
            let Some(v) = self.rng.pick(&list).cloned() else { return self.assignment() };
            taken.push((v.symbol, written));
            let unshaped = self.shell.symbol(f.symbol).passing() == Passing::Descriptor;
            arguments.push(if f.rank == 0 {
                Expr::var(self.reference(&v))
            } else if v.rank > f.rank {
                self.line(&v)
            } else if shifted && unshaped {
                let from = Triplet { index: Some(Expr::int(v.lower + 1)), bound: Some(Expr::int(v.lower + N - 1)), stride: None };
                Expr::var(VarRef { subscripts: vec![from].into(), ..VarRef::whole(v.symbol) })
            } else if shifted {
                Expr::var(VarRef::element(v.symbol, [Expr::int(v.lower + 1)]))
            } else {
                Expr::sym(v.symbol)
            });
        }
        before.push(Item::Call(callee.symbol, arguments));
        before
    }

    /// A row or column of a matrix.
    fn line(&mut self, v: &Variable) -> Expr {
        let at = add(self.index(), Expr::int(v.lower));
        let mut subscripts = vec![Triplet::default(), Triplet::element(at)];
        if self.rng.percent(40) {
            subscripts.reverse();
        }
        Expr::var(VarRef { subscripts: subscripts.into(), ..VarRef::whole(v.symbol) })
    }

    /// An integer argument: an expression where it is passed by value, else a variable that holds it.
    pub(super) fn in_expr(&mut self, e: Expr, before: &mut Vec<Item>) -> Expr {
        if self.by_value() == Passing::Value || e.as_var().is_some() || e.as_constant().is_some() {
            return e;
        }
        let scope = self.shell.unit(self.signatures[self.self_index].unit).scope;
        let name = format!("arg_{}", self.shell.symbols.len());
        let s = self.symbol(scope, &name, ElemType::INTEGER, &[], Storage::Local, Passing::Reference);
        before.push(Item::Assign(VarRef::whole(s), e));
        Expr::sym(s)
    }
}
