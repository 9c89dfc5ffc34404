//! What is handed to derivative units: the number of directions, and all directions of each derivative.
//!
//! A scalar goes as the row of its directions. A value that is no variable is put into one for each direction first. Never here: the
//! statements around a call.

use super::expressions::reference;
use super::places::{Place, is_array};
use super::statements::Writer;
use super::widen_symbol;
use xaif::model::{Call, CallArgument, Expr, Formal, IndexOrder, Intent, Span, Stmt, SymbolId, Triplet, UnitId, VarRef};

impl Writer<'_> {
    /// A call of a derivative unit that knows directions.
    pub(super) fn widened(&mut self, call: &Call, callee: UnitId, span: Span) -> Call {
        let formals: Vec<Formal> = self.program.unit(callee).formals.clone();
        // A number that is fixed is no argument.
        let mut arguments = match self.number.as_int() {
            Some(_) => Vec::new(),
            None => vec![CallArgument::new(1, self.number.clone())],
        };
        let before = arguments.len() as u32;
        for a in &call.arguments {
            let mut a = CallArgument { position: a.position + before, ..a.clone() };
            if let Some(f) = formals.iter().find(|f| f.position == a.position)
                && let Some(&Place { rank, .. }) = self.places.get(&f.symbol)
            {
                let changed = self.values.contains(&f.symbol) && self.is_changed_meanwhile(call, &formals, &a, before);
                let array = |r: &VarRef| is_array(self.program, self.places, r.symbol);
                let inside = is_array(self.program, self.places, f.symbol);
                // The directions of an array in a structure are farther apart than those of another one.
                if rank > 0 && a.value.as_var().is_some_and(|r| array(r) != inside) {
                    self.refuse(span, "the derivative of an array in a structure is handed over as one that is in none, or the reverse, which cannot be done");
                }
                a.value = self.handed(f.symbol, rank, &a.value, changed);
            }
            arguments.push(a);
        }
        Call { arguments, formal_count: call.formal_count.map(|n| n + before), ..call.clone() }
    }

    /// Whether the callee may change what it has been handed by value when there was one direction: a row is no copy. So many arguments stand `before` those of the call.
    fn is_changed_meanwhile(&self, call: &Call, formals: &[Formal], argument: &CallArgument, before: u32) -> bool {
        let Some(r) = argument.value.as_var() else { return false };
        let primal = |s: SymbolId| self.program.symbol(s).decl.as_ref().and_then(|d| d.derivative_of).unwrap_or(s);
        let same = |s: SymbolId| {
            let (x, y) = (primal(r.symbol), primal(s));
            x == y || self.sharing.get(&x).is_some_and(|list| list.contains(&y))
        };
        // Procedures inside of others know their variables without an argument.
        if self.program.symbol(r.symbol).scope != self.scope || self.is_host {
            return true;
        }
        call.arguments.iter().filter(|a| a.position + before != argument.position).any(|a| {
            let Some(f) = formals.iter().find(|f| f.position == a.position + before) else { return false };
            let set = f.intent != Intent::In && !self.values.contains(&f.symbol);
            set && self.places.contains_key(&f.symbol) && a.value.as_var().is_some_and(|q| same(q.symbol))
        })
    }

    /// All directions of an argument of a formal of that rank; of one that is `changed` meanwhile a copy.
    fn handed(&mut self, formal: SymbolId, rank: u8, value: &Expr, changed: bool) -> Expr {
        let direct = value.as_var().filter(|r| self.places.contains_key(&r.symbol));
        // Values are converted on their way, variables are not.
        let converted = |r: &&VarRef| self.values.contains(&formal) && self.program.symbol(r.symbol).ty != self.program.symbol(formal).ty;
        let Some(r) = direct.filter(|r| !changed && !converted(r)) else {
            let t = self.row_like(formal);
            self.directional(Stmt::assign(VarRef::whole(t), value.clone()));
            return Expr::sym(t);
        };
        let own = self.places.get(&r.symbol).map_or(0, |p| p.rank);
        if own == 0 {
            return Expr::sym(r.symbol);
        }
        let mut r = r.clone();
        if rank == 0 {
            if r.subscripts.is_empty() {
                r.subscripts = (0..own).map(|k| Triplet::element(self.first(r.symbol, k))).collect();
            }
            self.with_all(&mut r);
        } else if !r.subscripts.is_empty() {
            if r.has_section() {
                self.with_all(&mut r);
            } else {
                let first = Triplet::element(Expr::int(i64::from(self.order == IndexOrder::Column)));
                reference(&mut r, self.places, self.order, &first);
            }
        }
        Expr::var(r)
    }

    fn with_all(&self, r: &mut VarRef) {
        reference(r, self.places, self.order, &Triplet::default());
    }

    /// The lower bound of a dimension, not counting directions.
    fn first(&self, symbol: SymbolId, k: u8) -> Expr {
        let row = self.order == IndexOrder::Row;
        let at = usize::from(k) + usize::from(self.places.get(&symbol).is_some_and(|p| k >= p.before));
        match self.program.symbol(symbol).decl.as_ref().and_then(|d| d.dims.get(at)).map(|d| &d.lower) {
            Some(xaif::model::Bound::Expr(e)) => e.clone(),
            _ if row => Expr::int(0),
            _ => Expr::op("lbound", [Expr::sym(symbol), Expr::int(at as i64 + 1)]),
        }
    }

    /// A local row of directions for the value of an argument.
    fn row_like(&mut self, formal: SymbolId) -> SymbolId {
        let (name, ty) = (self.program.symbol(formal).name.clone(), self.program.symbol(formal).ty);
        let t = self.namer.add(self.program, &name, ty);
        let place = Place::default();
        self.places.insert(t, place);
        widen_symbol(self.program, t, place, &self.number.clone());
        t
    }

    /// Whether somebody who knows nothing of directions is handed a derivative.
    pub(super) fn is_lost(&self, call: &Call) -> bool {
        call.arguments.iter().any(|a| super::expressions::depends(&a.value, &|s| self.places.contains_key(&s)))
    }
}
