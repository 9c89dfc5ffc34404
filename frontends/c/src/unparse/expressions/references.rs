//! Variables, elements and the dimensions of arrays.
//!
//! Lives here: subscripts and extents as C counts them. Never here: operators, declarations.

use super::forms::{Form, Part, Typed};
use crate::unparse::facts::symbols::is_heap;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use xaif::model::{Bound, Dim, Expr, IndexOrder, Storage, Symbol, SymbolId, Triplet, Unit, VarRef};
use xaif::rows::has_rows;
use xaif::{offsets, types};

impl Printer<'_> {
    /// The dimensions of a symbol in source order; those of an allocated array as it is allocated.
    pub fn dims(&self, id: SymbolId) -> Vec<Dim> {
        let symbol = self.program.symbol(id);
        let declared = match &symbol.decl {
            Some(d) if d.dims.len() == symbol.rank as usize => d.dims.clone(),
            _ => stock_dims(symbol, self.program.index_order),
        };
        if declared.iter().any(|d| d.upper == Bound::Unknown)
            && let Some(Some(dims)) = self.usage.allocated.get(&id)
            && dims.len() == declared.len()
        {
            return dims.clone();
        }
        declared
    }

    /// The lower bound of a dimension.
    pub fn lower(&self, dim: &Dim) -> Expr {
        match &dim.lower {
            Bound::Expr(e) => e.clone(),
            Bound::Unknown => Expr::int(if self.program.index_order == IndexOrder::Row { 0 } else { 1 }),
        }
    }

    /// The number of elements along a dimension, if it is known.
    pub fn extent(&self, dim: &Dim) -> Option<Expr> {
        match &dim.upper {
            Bound::Expr(u) => Some(offsets::plus(offsets::minus(u.clone(), &self.lower(dim)), 1)),
            Bound::Unknown => None,
        }
    }

    /// Extents in the order of C: the last varies fastest.
    pub fn extents(&self, id: SymbolId) -> Vec<Option<Expr>> {
        let mut list: Vec<_> = self.dims(id).iter().map(|d| self.extent(d)).collect();
        if self.program.index_order == IndexOrder::Column {
            list.reverse();
        }
        list
    }

    /// True where the unit, or the one that it comes from, declares an array behind a test: its extents need not be positive at the start, where
    /// everything is declared.
    pub fn has_guarded_arrays(&self, unit: &Unit) -> bool {
        let original = unit.derivation.map(|d| self.program.unit(d.of).scope);
        [Some(unit.scope), original]
            .into_iter()
            .flatten()
            .filter_map(|s| self.program.scopes.get(s.index()))
            .flat_map(|s| &s.symbols)
            .any(|&s| self.program.symbol(s).has_attribute("guarded"))
    }

    /// Arrays of a unit that cannot be declared with their dimensions: those that own heap memory and have rows of a length that is
    /// not known where they are declared, and formals whose extents stand behind them in the argument list.
    pub fn flat_arrays(&self, unit: &Unit) -> FxHashSet<SymbolId> {
        let mut flat = FxHashSet::default();
        for id in self.usage.mentioned.iter().copied().filter(|&s| self.program.symbol(s).rank > 1) {
            let symbol = self.program.symbol(id);
            if is_heap(symbol) {
                if !has_rows(symbol) && !self.has_fixed_rows(id, unit) {
                    flat.insert(id);
                }
                continue;
            }
            if self.has_late_extents(id, unit) {
                flat.insert(id);
            }
        }
        flat
    }

    /// True for an argument whose extents stand behind it in the list.
    pub fn has_late_extents(&self, id: SymbolId, unit: &Unit) -> bool {
        let Some(at) = unit.formals.iter().position(|f| f.symbol == id) else { return false };
        let before: Vec<SymbolId> = unit.formals[..at].iter().map(|f| f.symbol).collect();
        let mut late = false;
        for e in self.extents(id).into_iter().skip(1).flatten() {
            e.for_each_ref(&mut |r| late |= unit.formals.iter().any(|f| f.symbol == r.symbol) && !before.contains(&r.symbol));
        }
        late
    }

    /// True for memory of the heap that is a sequence of rows, all of one length that is known on entry: `double (*a)[3]`.
    fn has_fixed_rows(&self, id: SymbolId, unit: &Unit) -> bool {
        let symbol = self.program.symbol(id);
        let Some(decl) = symbol.decl.as_ref().filter(|_| self.program.index_order == IndexOrder::Row) else { return false };
        let same = |dims: &[Dim]| dims.len() == decl.dims.len() && dims.iter().zip(&decl.dims).skip(1).all(|(x, y)| x == y);
        if self.usage.allocated.get(&id).is_some_and(|d| d.as_deref().is_none_or(|d| !same(d))) {
            return false;
        }
        self.extents(id).iter().skip(1).all(|e| {
            let Some(e) = e else { return false };
            let mut fixed = true;
            e.for_each_ref(&mut |r| {
                let given = unit.formals.iter().any(|f| f.symbol == r.symbol) && !self.usage.written.contains(&r.symbol);
                fixed &= r.subscripts.is_empty() && (given || *self.program.symbol(r.symbol).storage() == Storage::Constant);
            });
            fixed
        })
    }

    /// A pointer to memory of the heap as it is declared: `*a`, or `(*a)[3]` where it has rows.
    pub fn heap_declarator(&mut self, id: SymbolId) -> String {
        if has_rows(self.program.symbol(id)) {
            return self.rows_declarator(id, "");
        }
        let name = self.name(id);
        if self.program.symbol(id).rank < 2 || self.flat.contains(&id) {
            return format!("*{name}");
        }
        let mut text = format!("(*{name})");
        for e in self.extents(id).into_iter().skip(1).flatten() {
            let e = self.expression(&e, Place::Bare);
            text.push_str(&format!("[{e}]"));
        }
        text
    }

    /// A variable as it stands in an expression.
    pub fn reference(&mut self, r: &VarRef) -> Form {
        if r.deriv {
            self.refuse(
                "OB5104",
                format!("the derivative component of `{}` has no counterpart in C", self.source_name(r.symbol)),
                "the openad dialect leaves the type of active variables open",
                "boost with `--dialect overbar`",
            );
        }
        if let Some(form) = self.member(r) {
            return form;
        }
        let name = self.name(r.symbol);
        let symbol = self.program.symbol(r.symbol);
        if symbol.rank == 0 {
            return if self.pointers.contains(&r.symbol) {
                Form { prec: Prec::Unary, parts: vec![Part::text(format!("*{name}"))] }
            } else {
                Form::leaf(name)
            };
        }
        let rank = types::of_ref(self.program, r).rank;
        if rank > 0 && self.index.is_empty() {
            if r.subscripts.is_empty() {
                return Form::leaf(name);
            }
            self.refuse_array(r.symbol, "a section stands where C wants one value");
            return Form::leaf(name);
        }
        let subscripts = self.subscripts(r);
        let mut parts = vec![Part::text(name)];
        if self.flat.contains(&r.symbol) {
            let linear = self.linear(r.symbol, &subscripts);
            parts.extend([Part::text("["), linear, Part::text("]")]);
        } else {
            for s in subscripts {
                parts.extend([Part::text("["), s, Part::text("]")]);
            }
        }
        Form { prec: Prec::Postfix, parts }
    }

    /// The subscripts of an element in the order of C, counted from 0. Open dimensions take the loops' subscripts in turn.
    pub fn subscripts(&mut self, r: &VarRef) -> Vec<Part> {
        let dims = self.dims(r.symbol);
        let whole = vec![Triplet::default(); dims.len()];
        let triplets = if r.subscripts.is_empty() { &whole[..] } else { &r.subscripts };
        let mut open = 0;
        let mut list = Vec::with_capacity(dims.len());
        for (dim, t) in dims.iter().zip(triplets) {
            let lower = self.lower(dim);
            if t.is_section() {
                let k = self.index.get(open).cloned().unwrap_or_default();
                open += 1;
                let start = t.index.clone().map_or(Expr::int(0), |i| offsets::minus(i, &lower));
                list.push(self.stepped(k, start, t.stride.clone()));
                continue;
            }
            let index = t.index.clone().unwrap_or_default();
            if types::of(self.program, &index).rank > 0 {
                self.refuse_array(r.symbol, "a subscript is an array itself");
            }
            list.push(Part::Whole(Typed::of(self.program, offsets::minus(index, &lower)), Place::Bare));
        }
        if self.program.index_order == IndexOrder::Column {
            list.reverse();
        }
        list
    }

    /// `start + k * stride`
    fn stepped(&mut self, k: SmolStr, start: Expr, stride: Option<Expr>) -> Part {
        if k == "0" {
            return Part::Whole(Typed::of(self.program, start), Place::Bare);
        }
        let step = match stride.as_ref().map(Expr::as_int) {
            None | Some(Some(1)) => k.to_string(),
            Some(Some(-1)) => {
                let start = self.expression(&start, Place::Left(Prec::Add));
                return Part::text(format!("{start} - {k}"));
            }
            _ => format!("{k} * {}", self.expression(&stride.unwrap_or_default(), Place::Right(Prec::Mul))),
        };
        match start.as_int() {
            Some(0) => Part::text(step),
            Some(n) if n > 0 => Part::text(format!("{step} + {n}")),
            _ => {
                let start = self.expression(&start, Place::Left(Prec::Add));
                Part::text(format!("{start} + {step}"))
            }
        }
    }

    /// One subscript for an array without dimensions of its own.
    fn linear(&mut self, id: SymbolId, subscripts: &[Part]) -> Part {
        let extents = self.extents(id);
        let mut text = String::new();
        for (k, s) in subscripts.iter().enumerate() {
            if k == 0 {
                text = self.part(s, Place::Left(Prec::Mul));
                continue;
            }
            let Some(Some(extent)) = extents.get(k).cloned() else {
                self.refuse_array(id, "its extents are not known");
                return Part::text("0");
            };
            let extent = self.expression(&extent, Place::Right(Prec::Mul));
            let own = self.part(s, Place::Right(Prec::Add));
            text = if k + 1 < subscripts.len() { format!("({text} * {extent} + {own})") } else { format!("{text} * {extent} + {own}") };
        }
        Part::text(text)
    }

    /// A subscript as text.
    pub fn part(&mut self, part: &Part, place: Place) -> String {
        match part {
            Part::Whole(t, _) => self.typed(t, place),
            Part::Text(t) if t.contains(' ') && place != Place::Bare => format!("({t})"),
            Part::Text(t) => t.to_string(),
            Part::Node(..) => String::new(),
        }
    }

    /// Refuses an array construct.
    pub fn refuse_array(&mut self, id: SymbolId, reason: &str) {
        self.refuse(
            "OB5105",
            format!("this use of the array `{}` has no counterpart in C", self.source_name(id)),
            reason,
            "write a loop over its elements, or declare its extents as arguments",
        );
    }
}

/// The dimensions that a stock file gives, slowest first.
fn stock_dims(symbol: &Symbol, order: IndexOrder) -> Vec<Dim> {
    let mut dims: Vec<Dim> =
        symbol.bounds.iter().map(|&(l, u)| Dim { lower: Bound::Expr(Expr::int(l)), upper: Bound::Expr(Expr::int(u)) }).collect();
    if order == IndexOrder::Column {
        dims.reverse();
    }
    dims.resize(symbol.rank as usize, Dim::default());
    dims
}
