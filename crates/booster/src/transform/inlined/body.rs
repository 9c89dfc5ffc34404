//! What a small unit does, as code that can stand where it is called.
//!
//! Lives here: which units are small, and their statements. Never here: a call, its arguments.

use crate::analysis::arrays::counted::range;
use crate::linearize::places::offset;
use crate::transform::adjoint::code::tree::{self, ItemKind, LoopKind};
use crate::transform::adjoint::shape::normalization::nested;
use crate::transform::region::Item;
use rustc_hash::FxHashSet;
use xaif::Program;
use xaif::model::{BaseType, Bound, Expr, MarkerClass, Stmt, StmtKind, Storage, SymbolId, SymbolKind, UnitId, UnitKind, VarRef};

/// More statements than these are not put where a call is.
pub(super) const MOST_STATEMENTS: usize = 40;

/// A unit that calls nothing and loops over nothing but a few elements.
#[derive(Debug)]
pub(super) struct Body {
    /// The code; what it names is the unit's.
    pub items: Vec<Item>,
    /// How many statements it has.
    pub statements: usize,
    /// The unit's own variables but for its arguments.
    pub locals: Vec<SymbolId>,
    /// The variables that it sets.
    pub written: FxHashSet<SymbolId>,
    /// The variables of others that it names.
    pub outer: FxHashSet<SymbolId>,
}

impl Body {
    /// Whether a unit is of a kind and a size that can stand in another one.
    pub(super) fn may_be(program: &Program, unit: UnitId) -> bool {
        let u = program.unit(unit);
        let plain = matches!(u.kind, UnitKind::Subroutine | UnitKind::Function) && u.replacements.is_none() && u.derivation.is_none();
        plain && u.graph.node_count() > 0 && count(program, unit) <= MOST_STATEMENTS && u.reversal.is_none()
    }

    /// The body of a unit, where that can stand in another one.
    pub(super) fn of(program: &Program, unit: UnitId) -> Option<Body> {
        if !Body::may_be(program, unit) {
            return None;
        }
        let u = program.unit(unit);
        let statements = count(program, unit);
        let formals: FxHashSet<SymbolId> = u.formals.iter().map(|f| f.symbol).collect();
        let own = |s: SymbolId| program.symbol(s).scope == u.scope;
        let mut flags = 0;
        let code = nested(&mut u.graph.clone(), &mut |_, _| {
            flags += 1;
            SymbolId(u32::MAX - flags)
        });
        let mut out =
            Body { items: Vec::new(), statements, locals: Vec::new(), written: FxHashSet::default(), outer: FxHashSet::default() };
        out.items = converted(code)?;
        let mut named = FxHashSet::default();
        let mut fits = true;
        for_each_ref(&out.items, &mut |r| {
            // Jumps that became flags are no code of the user's.
            fits &= r.symbol.index() < program.symbols.len() && elements_only(program, r);
            named.insert(r.symbol);
        });
        for_each_written(&out.items, &mut |s| {
            out.written.insert(s);
        });
        if !fits {
            return None;
        }
        let mut named: Vec<SymbolId> = named.into_iter().filter(|s| !formals.contains(s)).collect();
        named.sort_unstable();
        for s in named {
            if !own(s) {
                out.outer.insert(s);
            } else if is_plain_local(program, s) {
                out.locals.push(s);
            } else {
                return None;
            }
        }
        formals.iter().all(|&s| is_plain(program, s)).then_some(out)
    }
}

fn count(program: &Program, unit: UnitId) -> usize {
    program.unit(unit).graph.node_weights().map(|v| v.stmts().len()).sum()
}

/// The lowest and the highest subscript with which some code uses an array in one of its dimensions, where all of them are numbers or count from one to another.
pub(super) fn reach(program: &Program, items: &[Item], array: SymbolId, dimension: usize) -> Option<(i64, i64)> {
    let mut reach = Reach { program, array, dimension, counters: Vec::new(), found: Some((i64::MAX, i64::MIN)) };
    reach.walk(items);
    reach.found
}

struct Reach<'a> {
    program: &'a Program,
    array: SymbolId,
    dimension: usize,
    /// Indices of the loops around with what they count from and to.
    counters: Vec<(SymbolId, i64, i64)>,
    found: Option<(i64, i64)>,
}

impl Reach<'_> {
    fn of(&self, e: &Expr) -> Option<(i64, i64)> {
        let (base, constant) = offset(e);
        let Some(base) = base else { return Some((constant, constant)) };
        let index = base.as_var().filter(|r| r.subscripts.is_empty())?.symbol;
        let (_, low, high) = self.counters.iter().rev().find(|(c, ..)| *c == index)?;
        Some((low + constant, high + constant))
    }

    fn see(&mut self, r: &VarRef) {
        if r.symbol == self.array {
            let at = r.subscripts.get(self.dimension).and_then(|t| self.of(t.index.as_ref()?));
            self.found = self.found.zip(at).map(|(f, a)| (f.0.min(a.0), f.1.max(a.1)));
        }
    }

    fn walk(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Stmt(s) => stmt_refs(s, &mut |r| self.see(r)),
                Item::Branch { condition, then, otherwise } => {
                    condition.for_each_ref(&mut |r| self.see(r));
                    self.walk(then);
                    self.walk(otherwise);
                }
                Item::Loop { head, body } => {
                    let ends = range(self.program, head).and_then(|r| Some((r.index, r.first.as_int()?, r.bound.as_int()?)));
                    let Some((index, first, bound)) = ends else {
                        self.found = None;
                        return;
                    };
                    self.counters.push((index, first.min(bound), first.max(bound)));
                    self.walk(body);
                    self.counters.pop();
                }
            }
        }
    }
}

/// A number, or an array of numbers of which nothing is known but its declaration.
pub(super) fn is_plain(program: &Program, symbol: SymbolId) -> bool {
    let s = program.symbol(symbol);
    let base = matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
    let words = s.decl.iter().flat_map(|d| &d.attributes).all(|a| matches!(a.as_str(), "const" | "restrict" | "contiguous" | "register"));
    s.kind == SymbolKind::Variable && base && words && !s.name.contains('%')
}

/// A local variable that begins without a value, of a size that is a number.
fn is_plain_local(program: &Program, symbol: SymbolId) -> bool {
    let s = program.symbol(symbol);
    let fixed = |b: &Bound| matches!(b, Bound::Expr(e) if e.as_int().is_some());
    let Some(d) = &s.decl else { return s.rank == 0 };
    let extents = d.dims.len() == usize::from(s.rank) && d.dims.iter().all(|d| fixed(&d.lower) && fixed(&d.upper));
    d.storage == Storage::Local && d.init.is_none() && d.init_text.is_empty() && extents && is_plain(program, symbol)
}

/// Whether a reference is to a scalar or to one element.
fn elements_only(program: &Program, r: &VarRef) -> bool {
    usize::from(program.symbol(r.symbol).rank) == r.subscripts.len() && !r.subscripts.iter().any(|t| t.is_section() || t.index.is_none())
}

fn converted(code: Vec<tree::Item>) -> Option<Vec<Item>> {
    let mut out = Vec::with_capacity(code.len());
    for item in code {
        match item.kind {
            ItemKind::Stmt(s) => match &s.kind {
                StmtKind::Assignment { .. } => out.push(Item::Stmt(*s)),
                StmtKind::Marker(m) if m.class == MarkerClass::Comment => {}
                _ => return None,
            },
            ItemKind::Branch { condition, arms, .. } => {
                let (mut then, mut otherwise) = (None, Vec::new());
                for arm in *arms {
                    match arm.values[..] {
                        [1] if then.is_none() => then = Some(converted(arm.body)?),
                        [] => otherwise = converted(arm.body)?,
                        _ => return None,
                    }
                }
                out.push(Item::Branch { condition: *condition, then: then?, otherwise });
            }
            ItemKind::Loop { head, kind: LoopKind::For(f), body } if f.counted && !head.parallel && head.checkpoint.is_none() => {
                out.push(Item::Loop { head: f, body: converted(*body)? });
            }
            ItemKind::Loop { .. } => return None,
        }
    }
    Some(out)
}

fn stmt_refs<'a>(s: &'a Stmt, visit: &mut dyn FnMut(&'a VarRef)) {
    if let StmtKind::Assignment { lhs, rhs } = &s.kind {
        lhs.index_exprs().for_each(|e| e.for_each_ref(visit));
        visit(lhs);
        rhs.for_each_ref(visit);
    }
}

/// Calls `visit` for every reference in some code.
pub(super) fn for_each_ref<'a>(items: &'a [Item], visit: &mut dyn FnMut(&'a VarRef)) {
    for item in items {
        match item {
            Item::Stmt(s) => stmt_refs(s, visit),
            Item::Branch { condition, then, otherwise } => {
                condition.for_each_ref(visit);
                for_each_ref(then, visit);
                for_each_ref(otherwise, visit);
            }
            Item::Loop { head, body } => {
                stmt_refs(&head.init, visit);
                head.condition.for_each_ref(visit);
                stmt_refs(&head.update, visit);
                for_each_ref(body, visit);
            }
        }
    }
}

fn for_each_written(items: &[Item], visit: &mut dyn FnMut(SymbolId)) {
    for item in items {
        let (set, inner): (_, [&[Item]; 2]) = match item {
            Item::Stmt(s) => (Some(s), [&[], &[]]),
            Item::Branch { then, otherwise, .. } => (None, [then, otherwise]),
            Item::Loop { head, body } => (Some(&head.init), [body, &[]]),
        };
        if let Some(StmtKind::Assignment { lhs, .. }) = set.map(|s| &s.kind) {
            visit(lhs.symbol);
        }
        inner.into_iter().for_each(|list| for_each_written(list, visit));
    }
}

/// Calls `change` for every statement and condition of some code.
pub(super) fn for_each_part_mut(items: &mut [Item], statement: &mut dyn FnMut(&mut Stmt), condition: &mut dyn FnMut(&mut Expr)) {
    for item in items {
        match item {
            Item::Stmt(s) => statement(s),
            Item::Branch { condition: c, then, otherwise } => {
                condition(c);
                for_each_part_mut(then, statement, condition);
                for_each_part_mut(otherwise, statement, condition);
            }
            Item::Loop { head, body } => {
                statement(&mut head.init);
                condition(&mut head.condition);
                statement(&mut head.update);
                for_each_part_mut(body, statement, condition);
            }
        }
    }
}
