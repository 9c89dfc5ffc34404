//! How far a unit goes in a vector that it is handed without a length.
//!
//! ```text
//! void layer(const double *w, int n, const double *in, double *out)        reaches in[n - 1]: for (j = 0; j < n; j++) ... in[j]
//! ```
//!
//! The hull of what it names, if that starts at a constant no less than the first element and ends at one expression of arguments that it does not change. What
//! is named by subscripts that no loop bounds may not be executed, and is not counted on.
//!
//! What it hands on as a whole goes as far as the units do that get it.
//!
//! Lives here: this question, asked of one unit. Never here: what is done with the answer.

use crate::analysis::arrays::fresh::{Piece, ascending};
use crate::analysis::arrays::regions::{Around, Known, Span, spans};
use crate::analysis::effects::covered::Whole;
use crate::analysis::effects::outline::{Changes, Outline};
use crate::analysis::facts::Facts;
use crate::analysis::program::table::{CallStep, Step, UnitTable};
use xaif::model::{Bound, Call, Expr, StmtKind, Storage, SymbolId, UnitId, VarRef};
use xaif::{Program, types};

/// Calls within calls are followed no deeper.
const DEEPEST: usize = 8;

/// The elements of a formal of rank one that the unit which a call runs may name, in terms of the call's arguments; `None` where that is not known.
pub(crate) fn reached(program: &Program, facts: &Facts, unit: UnitId, formal: SymbolId, call: &Call) -> Option<Span> {
    reached_within(program, facts, (unit, formal), call, DEEPEST)
}

fn reached_within(program: &Program, facts: &Facts, (unit, formal): (UnitId, SymbolId), call: &Call, depth: usize) -> Option<Span> {
    let Span { low, mut high } = reach(program, facts, unit, formal, depth)?;
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

/// The elements of a formal of rank one that a unit may name, in terms of its formals and of constants.
fn reach(program: &Program, facts: &Facts, unit: UnitId, formal: SymbolId, depth: usize) -> Option<Span> {
    let table = facts.tables.get(unit.index())?;
    let Bound::Expr(first) = &program.symbol(formal).decl.as_ref()?.dims.first()?.lower else { return None };
    let first = first.as_int().filter(|_| program.symbol(formal).rank == 1)?;
    let passed = handed_on(program, facts, (unit, table), formal, depth).unwrap_or_default();
    if passed.is_empty() && is_written_unseen(program, facts, table, formal) {
        return None;
    }
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
        canonical: &|s| facts.objects.canonical(s),
        handed: &handed,
        first,
        calls_known: !passed.is_empty(),
        around: Vec::new(),
        constants: Vec::new(),
        last: None,
    };
    (walk.sequence(&code.pieces) && passed.iter().all(|span| walk.span(Some(span)))).then_some(())?;
    Some(Span { low: Expr::int(first), high: walk.end()? })
}

/// How far the units go that are handed the whole vector; `None` where something else than such units and statements that name elements may use it.
fn handed_on(program: &Program, facts: &Facts, (unit, table): (UnitId, &UnitTable), formal: SymbolId, depth: usize) -> Option<Vec<Span>> {
    let object = facts.objects.canonical(formal);
    let n = table.number(object)?;
    let unseen = |step: &Step| match step {
        Step::Call(c) => {
            c.callee.is_none()
                && (c.outside.reads.contains(&n)
                    || c.outside.writes.contains(&n)
                    || c.args.iter().any(|a| a.target.is_some_and(|t| t.object == n)))
        }
        Step::Opaque { reads, writes, .. } => reads.contains(&n) || writes.contains(&n),
        Step::Assign { .. } | Step::Test { .. } => false,
    };
    if table.steps.iter().flatten().any(unseen) {
        return None;
    }
    let mut out = Vec::new();
    for stmt in program.unit(unit).graph.node_weights().flat_map(|v| v.stmts()) {
        let StmtKind::Call(call) = &stmt.kind else { continue };
        for a in &call.arguments {
            let Some(r) = a.value.as_var().filter(|r| facts.objects.canonical(r.symbol) == object) else { continue };
            let callee = program.unit_of_symbol(call.callee).filter(|_| r.subscripts.is_empty() && depth > 0)?;
            let inner = program.unit(callee).formals.iter().find(|f| f.position == a.position)?.symbol;
            out.push(reached_within(program, facts, (callee, inner), call, depth - 1)?);
        }
    }
    Some(out)
}

/// Whether callees, or text that is kept as it is, write the variable without reading it before: outlines do not show that.
fn is_written_unseen(program: &Program, facts: &Facts, table: &UnitTable, formal: SymbolId) -> bool {
    let object = facts.objects.canonical(formal);
    let Some(n) = table.number(object) else { return true };
    let called = |c: &CallStep| {
        let Some(callee) = c.callee else { return c.outside.writes.contains(&n) };
        let effects = facts.effects.unit(callee);
        let formals = &program.unit(callee).formals;
        let unseen = |s: &SymbolId| effects.writes.contains(s) && !effects.exposed.contains(s);
        let handed = c.args.iter().filter(|a| a.target.is_some_and(|t| t.object == n));
        unseen(&object) || handed.map(|a| a.formal.and_then(|k| formals.get(k))).any(|f| f.is_none_or(|f| unseen(&f.symbol)))
    };
    table.steps.iter().flatten().any(|step| match step {
        Step::Call(c) => called(c),
        Step::Opaque { writes, .. } => writes.contains(&n),
        Step::Assign { .. } | Step::Test { .. } => false,
    })
}

struct Walk<'a> {
    formal: SymbolId,
    canonical: &'a dyn Fn(SymbolId) -> SymbolId,
    handed: &'a dyn Fn(SymbolId) -> bool,
    first: i64,
    /// How far calls go that get all of it is known apart.
    calls_known: bool,
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
            Piece::Reads(list) => self.calls_known || !list.iter().any(|&s| self.is_it(s)),
            Piece::ReadsPart(s, part) | Piece::Sets(s, part) => {
                self.calls_known || !self.is_it(*s) || part.first().is_some_and(|span| self.span(Some(span)))
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
        matches!(&found[..], [span] if self.span(span.as_ref()))
    }

    /// Whether a span fits with those found before.
    fn span(&mut self, span: Option<&Span>) -> bool {
        let Some(span) = span else { return false };
        let starts = span.low.as_int().is_some_and(|low| low >= self.first);
        if !starts || !span.high.every_ref(&|v| v.subscripts.is_empty() && (self.handed)(v.symbol)) {
            return false;
        }
        if let Some(c) = span.high.as_int() {
            // Where an iteration is run, its loop goes at least as far as it starts.
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
