//! Entries that the reverse sweep computes itself.
//!
//! ```text
//! c1 = 2*x(i)/400;  c2 = sin(t)*d                    c2 = sin(t)*d
//! yb = ...                                   ->      ...
//! xb(i) = xb(i) + c1*yb;  tb = c2*yb                 xb(i) = xb(i) + 2*x(i)/400*yb;  tb = c2*yb
//! ```
//!
//! An entry whose operands nobody in the unit changes is as good there as here, and then it need not be recorded: it is computed once in either case, so this costs
//! nothing. An entry that is read more than once stays, unless it is as simple as a variable.
//!
//! Lives here: which entries these are, and their way into the propagation. Never here: what is recorded.

use super::emit::Emitted;
use rustc_hash::FxHashMap;
use xaif::model::{Expr, Propagation, StmtKind, SymbolId};

/// So many vertices are as simple as a variable with a factor.
const SIMPLE: usize = 3;

/// Moves entries of a sequence into its propagation. `is_value`: variables that stand for values of the sequence; `settled`: variables that the unit never changes.
pub fn move_entries(e: &mut Emitted, is_value: &dyn Fn(SymbolId) -> bool, settled: &dyn Fn(SymbolId) -> bool) {
    let mut uses: FxHashMap<SymbolId, (usize, usize)> = FxHashMap::default();
    for (s, _) in &e.stmts {
        if let StmtKind::Assignment { lhs, rhs } = &s.kind {
            lhs.index_exprs().chain([rhs]).for_each(|x| x.for_each_ref(&mut |r| uses.entry(r.symbol).or_default().0 += 1));
        }
    }
    for line in &e.propagation {
        if let Propagation::Sax { terms, .. } = line {
            terms.iter().for_each(|(a, _)| a.for_each_ref(&mut |r| uses.entry(r.symbol).or_default().1 += 1));
        }
    }
    let mut moved: FxHashMap<SymbolId, Expr> = FxHashMap::default();
    e.stmts.retain_mut(|(s, original)| {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { return true };
        let (here, there) = uses.get(&lhs.symbol).copied().unwrap_or_default();
        let once = here == 0 && (there == 1 || there > 1 && rhs.nodes.len() <= SIMPLE);
        if original.is_some() || !is_value(lhs.symbol) || !once {
            return true;
        }
        let mut stays = true;
        rhs.for_each_ref(&mut |r| stays &= !is_value(r.symbol) && settled(r.symbol));
        if stays {
            moved.insert(lhs.symbol, rhs.clone());
        }
        !stays
    });
    if moved.is_empty() {
        return;
    }
    for line in &mut e.propagation {
        let Propagation::Sax { terms, .. } = line else { continue };
        for (a, _) in terms {
            let entries: Vec<SymbolId> = a.refs().map(|r| r.symbol).filter(|s| moved.contains_key(s)).collect();
            for s in entries {
                if let Some(new) = a.replaced(&Expr::sym(s), &moved[&s]) {
                    *a = new;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::{Stmt, VarRef};

    fn v(n: u32) -> Expr {
        Expr::sym(SymbolId(n))
    }

    fn set(n: u32, e: Expr) -> (Box<Stmt>, Option<usize>) {
        (Box::new(Stmt::assign(VarRef::whole(SymbolId(n)), e)), None)
    }

    /// 0 and 1 are settled, 2 is not, from 10 on there are values.
    fn moved(stmts: Vec<(Box<Stmt>, Option<usize>)>, factors: Vec<Expr>) -> Emitted {
        let x = VarRef::whole(SymbolId(0));
        let terms = factors.into_iter().map(|a| (a, x.clone())).collect();
        let mut e = Emitted { stmts, propagation: vec![Propagation::Sax { terms, y: VarRef::whole(SymbolId(3)) }], sums: Vec::new() };
        move_entries(&mut e, &|s| s.0 >= 10, &|s| s.0 < 2);
        e
    }

    fn terms(e: &Emitted) -> Vec<Expr> {
        match &e.propagation[0] {
            Propagation::Sax { terms, .. } => terms.iter().map(|t| t.0.clone()).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn entries_of_settled_variables_move() {
        let product = Expr::op("sin_scal", [Expr::op("mul_scal_scal", [v(0), v(1)])]);
        let e = moved(
            vec![set(10, product.clone()), set(11, Expr::op("mul_scal_scal", [v(0), v(2)]))],
            vec![Expr::op("minus_scal", [v(10)]), v(11)],
        );
        assert_eq!(e.stmts.len(), 1);
        assert_eq!(terms(&e), [Expr::op("minus_scal", [product]), v(11)]);
    }

    #[test]
    fn what_is_read_twice_or_by_other_entries_stays() {
        let sine = Expr::op("sin_scal", [Expr::op("mul_scal_scal", [v(0), v(1)])]);
        assert_eq!(moved(vec![set(10, sine.clone())], vec![v(10), v(10)]).stmts.len(), 1);
        assert_eq!(moved(vec![set(10, Expr::op("mul_scal_scal", [v(0), v(1)]))], vec![v(10), v(10)]).stmts.len(), 0);
        assert_eq!(moved(vec![set(10, sine), set(11, Expr::op("mul_scal_scal", [v(10), v(2)]))], vec![v(10), v(11)]).stmts.len(), 2);
    }
}
