//! How far a unit goes in an array that it is handed without a length.
//!
//! ```text
//! void layer(const double *w, int n, const double *in, double *out)        reaches in[n - 1]: for (j = 0; j < n; j++) ... in[j]
//! ```
//!
//! The hull of what it names, if that starts at a constant no less than the first element and ends at one expression of arguments that it does not change. What
//! is named by subscripts that no loop bounds may not be executed, and is not counted on.
//!
//! Lives here: this question, asked of one unit. Never here: what is done with the answer.

use super::Facts;
use super::covered::Whole;
use super::fresh::{Piece, ascending};
use super::outline::{Changes, Outline};
use super::regions::{Around, Known, Span, spans};
use xaif::model::{Bound, Call, Expr, Storage, SymbolId, UnitId, VarRef};
use xaif::{Program, types};

/// The elements of a formal of rank one that the unit which a call runs may name, in terms of the call's arguments; `None` where that is not known.
pub(crate) fn reached(program: &Program, facts: &Facts, unit: UnitId, formal: SymbolId, call: &Call) -> Option<Span> {
    let Span { low, mut high } = reach(program, facts, unit, formal, 0).filter(|_| program.symbol(formal).rank == 1)?;
    let mut named: Vec<SymbolId> = Vec::new();
    high.for_each_ref(&mut |r| named.push(r.symbol));
    for s in named {
        let position = program.unit(unit).formals.iter().find(|f| f.symbol == s).map(|f| f.position);
        let value = match position {
            Some(p) => call.arguments.iter().find(|a| a.position == p)?.value.clone(),
            None => program.symbol(s).decl.as_ref()?.init.clone()?,
        };
        let ty = types::of(program, &value);
        if ty.rank > 0 || ty.elem != program.symbol(s).ty {
            return None;
        }
        high = high.replaced(&Expr::sym(s), &value).unwrap_or(high);
    }
    Some(Span { low, high })
}

/// What a unit may name of a formal in one of its dimensions, in terms of its formals, which keep these values, and of constants.
pub(crate) fn reach(program: &Program, facts: &Facts, unit: UnitId, formal: SymbolId, dim: usize) -> Option<Span> {
    let table = facts.tables.get(unit.index())?;
    let Bound::Expr(first) = &program.symbol(formal).decl.as_ref()?.dims.get(dim)?.lower else { return None };
    let first = first.as_int()?;
    let rank = usize::from(program.symbol(formal).rank);
    let whole = Whole::of(program, &facts.objects, &facts.tables);
    let code = Outline::of(program, unit, table, &facts.effects)?;
    let changes = Changes::of(program, table, &facts.effects, &|s| whole.is_private(unit, s));
    let formals = &program.unit(unit).formals;
    let handed = |s: SymbolId| {
        *program.symbol(s).storage() == Storage::Constant
            || formals.iter().any(|f| f.symbol == s) && changes.steady.contains(&facts.objects.canonical(s))
    };
    let mut walk = Walk {
        formal,
        dim,
        rank,
        canonical: &|s| facts.objects.canonical(s),
        handed: &handed,
        first,
        around: Vec::new(),
        constants: Vec::new(),
        last: None,
    };
    walk.sequence(&code.pieces).then_some(())?;
    Some(Span { low: Expr::int(first), high: walk.end()? })
}

struct Walk<'a> {
    formal: SymbolId,
    dim: usize,
    rank: usize,
    canonical: &'a dyn Fn(SymbolId) -> SymbolId,
    handed: &'a dyn Fn(SymbolId) -> bool,
    first: i64,
    around: Vec<Around>,
    /// Constant ends, with ends of loops that are no less.
    constants: Vec<(Expr, Vec<Expr>)>,
    last: Option<Expr>,
}

impl Walk<'_> {
    /// Whether all that the code names of the formal is known.
    fn sequence(&mut self, code: &[Piece]) -> bool {
        code.iter().all(|p| self.piece(p))
    }

    fn piece(&mut self, piece: &Piece) -> bool {
        match piece {
            Piece::Assign(lhs, rhs) => self.named(lhs) && lhs.index_exprs().all(|e| self.expr(e)) && self.expr(rhs),
            Piece::Test(e) => self.expr(e),
            Piece::Reads(list) => !list.iter().any(|&s| self.is_it(s)),
            Piece::ReadsPart(s, part) | Piece::Sets(s, part) => {
                !self.is_it(*s) || part.get(self.dim).is_some_and(|span| part.len() == self.rank && self.span(Some(span)))
            }
            Piece::Branch { arms, .. } => arms.iter().all(|a| self.sequence(&a.body)),
            Piece::Loop { range, body, .. } => {
                if !range.iter().flat_map(|r| [&r.first, &r.bound, &r.stride]).all(|e| self.expr(e)) {
                    return false;
                }
                let around = range.as_ref().and_then(ascending);
                let depth = self.around.len();
                self.around.extend(around);
                let fine = self.sequence(body);
                self.around.truncate(depth);
                fine
            }
            Piece::Goto(_) | Piece::Label(_) => true,
        }
    }

    fn is_it(&self, s: SymbolId) -> bool {
        (self.canonical)(s) == (self.canonical)(self.formal)
    }

    fn expr(&mut self, e: &Expr) -> bool {
        let mut fine = true;
        e.for_each_ref(&mut |r| fine &= self.named(r));
        fine
    }

    fn named(&mut self, r: &VarRef) -> bool {
        if !self.is_it(r.symbol) {
            return true;
        }
        let found = spans(r, &self.around, &|v| v.subscripts.is_empty() && (self.handed)(v.symbol));
        found.len() == self.rank && self.span(found[self.dim].as_ref())
    }

    /// Whether a span fits with those found before.
    fn span(&mut self, span: Option<&Span>) -> bool {
        let Some(span) = span else { return false };
        let starts = span.low.as_int().is_some_and(|low| low >= self.first);
        if !starts || !span.high.every_ref(&|v| v.subscripts.is_empty() && (self.handed)(v.symbol)) {
            return false;
        }
        if let Some(c) = span.high.as_int() {
            // Where a round is run, its loop goes at least as far as it starts.
            let beyond = self.around.iter().filter(|a| a.span.low.as_int().is_some_and(|low| low >= c)).map(|a| a.span.high.clone());
            self.constants.push((span.high.clone(), beyond.collect()));
            return true;
        }
        let known = Known::default();
        match &self.last {
            Some(last) if known.at_most(&span.high, last) => true,
            Some(last) if !known.at_most(last, &span.high) => false,
            _ => {
                self.last = Some(span.high.clone());
                true
            }
        }
    }

    /// The end of all that is named, if there is one.
    fn end(self) -> Option<Expr> {
        let greatest = self.constants.iter().max_by_key(|(c, _)| c.as_int()).map(|(c, _)| c.clone());
        let Some(last) = self.last else { return greatest };
        let known = Known::default();
        let within = |e: &Expr| known.at_most(e, &last);
        let fine = self.constants.iter().all(|(c, beyond)| within(c) || beyond.iter().any(within));
        fine.then(|| last.clone())
    }
}
