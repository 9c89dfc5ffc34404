//! Assignments: of scalars, of whole arrays, of values that are chosen.
//!
//! Lives here: left and right sides. Never here: calls.

use super::body::Body;
use super::calls::bound;
use crate::unparse::expressions::pieces::{Prelude, join};
use crate::unparse::text::problems;
use xaif::model::{Bound, Expr, Passing, Storage, Symbol, Triplet, VarRef};

/// True for an array whose last dimension (the first in row order) has no known extent and no descriptor.
fn is_assumed_size(symbol: &Symbol) -> bool {
    let Some(d) = &symbol.decl else { return false };
    let open = d.dims.iter().any(|d| d.upper == Bound::Unknown) || (symbol.rank > 0 && d.dims.is_empty());
    let described = d.passing == Passing::Descriptor || ["allocatable", "pointer", "heap"].iter().any(|a| symbol.has_attribute(a));
    symbol.rank > 0 && open && !described && d.storage == Storage::Argument
}

impl Body<'_, '_> {
    /// Prints `lhs = rhs`.
    pub fn assign(&mut self, lhs: &VarRef, rhs: &Expr) {
        let program = self.w.cx.program;
        let to = xaif::types::of_ref(program, lhs);
        if let Some(parts) = self.arrays_inside(lhs, rhs) {
            for (lhs, rhs) in &parts {
                self.assign(lhs, rhs);
            }
            return;
        }
        self.check_whole(lhs);
        if to.rank > 0
            && let Some(parts) = self.w.choice(rhs)
        {
            return self.assign_chosen_array(lhs, rhs, &parts);
        }
        let target = self.w.reference(lhs);
        let from = xaif::types::of(program, rhs).elem;
        let value = self.w.expr(rhs);
        let value = self.w.assigned(value, from, to.elem);
        // The last choice of the prelude may set the variable itself.
        if target.prelude.is_empty()
            && let Some((Prelude::Choose(t, ..), before)) = value.prelude.split_last()
            && self.w.temporaries[*t].name == value.text
            && !before.iter().any(|p| matches!(p, Prelude::Set(s, _) if s == t))
        {
            let (last, before) = (&value.prelude[before.len()..], before);
            self.prelude(before);
            return self.prelude_into(last, Some((*t, &target.text)));
        }
        let mut prelude = target.prelude;
        join(&mut prelude, value.prelude);
        self.prelude(&prelude);
        self.code(format!("{} = {}", target.text, value.text));
    }

    /// The elements of the arrays inside an array of structures that a constant or a copy sets all at once, which Fortran cannot say as a whole.
    fn arrays_inside(&self, lhs: &VarRef, rhs: &Expr) -> Option<Vec<(VarRef, Expr)>> {
        let cx = self.w.cx;
        let copied = rhs.as_var();
        if !lhs.subscripts.is_empty() || copied.map_or(rhs.as_constant().is_none(), |r| !r.subscripts.is_empty()) {
            return None;
        }
        let inside = |r: &VarRef| {
            let outer = cx.program.symbol(cx.component(r.symbol)?.0).rank;
            (outer > 0 && cx.program.symbol(r.symbol).rank > outer).then_some(usize::from(outer))
        };
        let outer = inside(lhs).or_else(|| inside(copied?))?;
        let bounds = |r: &VarRef| -> Option<Vec<(i64, i64)>> {
            let dims = cx.program.symbol(r.symbol).decl.as_ref()?.dims.get(outer..)?;
            dims.iter().map(|d| Some((bound(&d.lower)?, bound(&d.upper)?))).collect()
        };
        let (to, from) = (bounds(lhs)?, copied.map_or(Some(Vec::new()), bounds)?);
        let mut places = vec![Vec::new()];
        for (l, u) in &to {
            if u.checked_sub(*l).is_none_or(|n| n > 64) || places.len() > 64 {
                return None;
            }
            places = places.iter().flat_map(|p: &Vec<i64>| (0..=u - l).map(move |i| [p.as_slice(), &[i]].concat())).collect();
        }
        let part = |r: &VarRef, bounds: &[(i64, i64)], place: &[i64]| {
            let mut subscripts = vec![Triplet::default(); outer];
            subscripts.extend(bounds.iter().zip(place).map(|((l, _), i)| Triplet::element(Expr::int(l + i))));
            VarRef { subscripts: subscripts.into(), ..VarRef::whole(r.symbol) }
        };
        let value = |place: &[i64]| copied.map_or(rhs.clone(), |r| Expr::var(part(r, &from, place)));
        Some(places.iter().map(|p| (part(lhs, &to, p), value(p))).collect())
    }

    /// `lhs = select(c, a, b)` of arrays: MERGE where that is safe, else WHERE (or IF for a scalar condition).
    fn assign_chosen_array(&mut self, lhs: &VarRef, rhs: &Expr, parts: &[(Expr, xaif::types::ValueType); 3]) {
        let [(condition, ct), (a, _), (b, _)] = parts;
        let cx = self.w.cx;
        let before = cx.problem_count();
        if ct.rank > 0 {
            let merged = self.w.expr(rhs);
            let possible = cx.problem_count() == before;
            cx.forgive(before);
            if possible && merged.prelude.is_empty() && !merged.hazard {
                let target = self.w.reference(lhs);
                self.prelude(&target.prelude);
                return self.code(format!("{} = {}", target.text, merged.text));
            }
        }
        let (open, middle, close) = if ct.rank > 0 { ("where", "elsewhere", "end where") } else { ("if", "else", "end if") };
        let c = self.condition(condition);
        self.code(if ct.rank > 0 { format!("{open} ({c})") } else { format!("{open} ({c}) then") });
        self.indent += 1;
        self.assign(lhs, a);
        self.indent -= 1;
        // What keeps its value needs no statement.
        if b.as_var() != Some(lhs) {
            self.code(middle);
            self.indent += 1;
            self.assign(lhs, b);
            self.indent -= 1;
        }
        self.code(close);
    }

    /// A whole array of unknown extent cannot be operated on.
    pub fn check_whole(&mut self, r: &VarRef) {
        let cx = self.w.cx;
        let symbol = cx.program.symbol(r.symbol);
        if r.subscripts.is_empty() && is_assumed_size(symbol) {
            let what = format!("an operation on all of `{}`", symbol.name);
            cx.refuse(problems::no_counterpart(cx.program, self.w.span, what, "the extent of its last dimension is not known"));
        }
    }
}
