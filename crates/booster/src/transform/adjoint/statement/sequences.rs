//! Sequences with preaccumulated local Jacobians in the adjoint.
//!
//! ```text
//! t = x*y;  u = sin(t)*t    ->    w = sin(t);  t = x*y;  u = w*t;  c = w + t*cos(t);  c1 = c*y;  c2 = c*x     executed forward,
//!                                 u' = c1*x' + c2*y'                                                          a linear statement
//! ```
//!
//! The entries are variables of the code like any other, so what of them is recorded, kept or computed again is decided like for all else; the original
//! statements have no adjoints of their own, and the linear statements that propagate stand for them all.
//!
//! Lives here: both halves of that: the code as the analyses see it, and the adjoint of linear statements. Which sequences are chosen is decided in
//! [`crate::transform::preaccumulate`].

use super::drafts::{self, Draft, Drafted, Run, Seen};
use super::maker::Maker;
use crate::analysis::arrays::counted::range;
use crate::linearize::Factor;
use crate::linearize::fold::{self, Fold};
use crate::linearize::places::apart;
use crate::transform::adjoint::code::expressions::same_place;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind};
use crate::transform::adjoint::code::writes::Places;
use crate::transform::copied::without_code;
use crate::transform::preaccumulate::emit::Emitted;
use crate::transform::preaccumulate::exposure::Exposed;
use crate::transform::preaccumulate::slots::{Named, Use};
use crate::transform::preaccumulate::{NEIGHBOURHOOD, Preaccumulate};
use arcstr::ArcStr;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::ops::Range;
use xaif::model::{Expr, Propagation, Stmt, StmtKind, SymbolId, Tri, VarRef};
use xaif::{Program, spread, types};

/// What drafts are made in, and what came of it.
#[derive(Default)]
struct Room {
    program: Option<Program>,
    drafted: Option<Drafted>,
}

/// The code of a sequence, and the statements that it replaces.
type Made = (Range<usize>, Vec<Item>);

fn run_of(items: &[Item]) -> usize {
    items.iter().take_while(|i| matches!(i.kind, ItemKind::Stmt(_))).count()
}

fn statements(items: &[Item]) -> impl Iterator<Item = &Stmt> {
    items.iter().filter_map(|i| match &i.kind {
        ItemKind::Stmt(s) => Some(&**s),
        _ => None,
    })
}

fn survey(items: &[Item], exposed: &mut Exposed) {
    let mut rest = items;
    while let Some(first) = rest.first() {
        let run = run_of(rest);
        if run > 0 {
            exposed.block(statements(&rest[..run]));
            rest = &rest[run..];
            continue;
        }
        match &first.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { condition, arms, .. } => {
                exposed.expr(condition);
                arms.iter().for_each(|a| survey(&a.body, exposed));
            }
            ItemKind::Loop { kind, body, .. } => {
                match kind {
                    LoopKind::For(f) => exposed.head(f),
                    LoopKind::While(c) | LoopKind::Until(c) => exposed.expr(c),
                }
                survey(body, exposed);
            }
        }
        rest = &rest[1..];
    }
}

/// The loops around some code.
#[derive(Default)]
struct Around {
    depth: usize,
    /// The indices of those that count.
    indices: Vec<SymbolId>,
}

/// Takes the basic blocks out of some code. Of each its first item stays, without its statement, where it was.
fn taken_out(program: &Program, items: &mut Vec<Item>, around: &mut Around, runs: &mut Vec<Run>) {
    let mut left = Vec::with_capacity(items.len());
    let (mut ids, mut stmts) = (Vec::new(), Vec::new());
    for item in std::mem::take(items) {
        let mut item = match item.kind {
            ItemKind::Stmt(s) => {
                if stmts.is_empty() {
                    left.push(Item { id: item.id, ..Item::stmt(Stmt::new(StmtKind::Propagator(Vec::new()))) });
                }
                ids.push(item.id);
                stmts.push(s);
                continue;
            }
            kind => Item { id: item.id, kind },
        };
        if !stmts.is_empty() {
            runs.push(Run::new(std::mem::take(&mut ids), std::mem::take(&mut stmts), around.depth, around.indices.clone()));
        }
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| taken_out(program, &mut a.body, around, runs)),
            ItemKind::Loop { kind, body, .. } => {
                let index = match kind {
                    LoopKind::For(f) => range(program, f).map(|r| r.index),
                    _ => None,
                };
                around.depth += 1;
                around.indices.extend(index);
                taken_out(program, body, around, runs);
                around.depth -= 1;
                if index.is_some() {
                    around.indices.pop();
                }
            }
        }
        left.push(item);
    }
    if !stmts.is_empty() {
        runs.push(Run::new(ids, stmts, around.depth, around.indices.clone()));
    }
    *items = left;
}

impl Maker<'_> {
    /// The code with its chosen sequences replaced.
    pub(crate) fn with_sequences(&mut self, mut items: Vec<Item>, written: &Places) -> Vec<Item> {
        if self.ledger.when == Preaccumulate::Never {
            return items;
        }
        let mut exposed = Exposed::default();
        survey(&items, &mut exposed);
        let mut runs = Vec::new();
        taken_out(self.program, &mut items, &mut Around::default(), &mut runs);
        let seen = Seen::new(self.frame, self.form, &exposed, written);
        let made = self.made(&runs, &seen);
        put_back(items, &mut runs.into_iter().zip(made))
    }

    /// For each block the code of the sequences that are chosen of it: they are drafted on all processors, and get their variables in order.
    fn made(&mut self, runs: &[Run], seen: &Seen) -> Vec<Vec<Made>> {
        let mut made: Vec<Vec<Made>> = runs.iter().map(|_| Vec::new()).collect();
        let pieces = drafts::pieces(runs, if self.ledger.when == Preaccumulate::Auto { NEIGHBOURHOOD } else { usize::MAX });
        let of = (runs, runs.iter().map(|r| r.stmts.len()).sum());
        let given = self.ledger.share(1, 1);
        if spread::threads(pieces.len()) <= 1 {
            for piece in &pieces {
                let drafted = seen.of_piece(self.program, &given, of, piece);
                self.written(drafted, runs, &mut made);
            }
            return made;
        }
        let whole = without_code(self.program);
        let draft = |k: usize, mut room: Room| {
            let program = room.program.get_or_insert_with(|| without_code(&whole));
            room.drafted = Some(seen.of_piece(program, &given, of, &pieces[k]));
            room
        };
        spread::in_order(pieces.len(), draft, |mut room| {
            room.drafted.take().into_iter().for_each(|drafted| self.written(drafted, runs, &mut made));
            room
        });
        made
    }

    /// Writes sequences that were drafted.
    fn written(&mut self, (found, share): Drafted, runs: &[Run], made: &mut [Vec<Made>]) {
        self.ledger.absorb(share);
        for (k, drafts) in found {
            for d in drafts {
                let named = self.named(&d);
                let replaced = d.chosen.statements;
                let code = written(&self.frame.companions, &runs[k].stmts, d.chosen.emitted, &named, replaced.clone());
                made[k].push((replaced, code));
            }
        }
    }

    /// The variables that the values of a sequence get.
    fn named(&mut self, draft: &Draft) -> Named {
        let mut free = std::mem::take(&mut self.factors);
        let named = draft.plan.named(draft.chosen.values(), &mut |request| match request {
            Use::Take(ty) => free.take(ty).unwrap_or_else(|| self.namer.add(self.program, "c", ty)),
            Use::Keep(ty) => {
                let entry = self.namer.add(self.program, "c", ty);
                self.entries.insert(entry);
                entry
            }
            Use::Sum(ty) => self.temporary("sum", ty),
            Use::Back(ty, s) => free.back(ty, s),
        });
        self.factors = free;
        named
    }
}

/// Puts the basic blocks back into the code, with their sequences written.
fn put_back(items: Vec<Item>, runs: &mut impl Iterator<Item = (Run, Vec<Made>)>) -> Vec<Item> {
    let mut out = Vec::with_capacity(items.len());
    for mut item in items {
        match &mut item.kind {
            ItemKind::Stmt(_) => {
                if let Some((run, made)) = runs.next() {
                    whole(run, made, &mut out);
                }
                continue;
            }
            ItemKind::Branch { arms, .. } => {
                arms.iter_mut().for_each(|a| a.body = put_back(std::mem::take(&mut a.body), runs));
            }
            ItemKind::Loop { body, .. } => **body = put_back(std::mem::take(&mut **body), runs),
        }
        out.push(item);
    }
    out
}

/// A block with its sequences in place of the statements that they replace.
fn whole(run: Run, made: Vec<Made>, out: &mut Vec<Item>) {
    let Run { ids, stmts, .. } = run;
    out.reserve(stmts.len() + made.iter().map(|(_, items)| items.len()).sum::<usize>());
    let mut made = made.into_iter().peekable();
    let mut behind = 0;
    for (k, (id, stmt)) in ids.into_iter().zip(stmts).enumerate() {
        if let Some((range, items)) = made.next_if(|(r, _)| r.start == k) {
            behind = range.end;
            out.extend(items);
        }
        if k >= behind {
            out.push(Item { id, kind: ItemKind::Stmt(stmt) });
        }
    }
}

/// The code of a sequence that replaces these statements of a block.
fn written(
    companions: &FxHashMap<SymbolId, SymbolId>,
    stmts: &[Box<Stmt>],
    mut emitted: Emitted,
    named: &Named,
    replaced: Range<usize>,
) -> Vec<Item> {
    named.write(&mut emitted, &mut []);
    let first = &stmts[replaced.start];
    let mut out = Vec::with_capacity(emitted.stmts.len() + 1);
    for (mut s, original) in emitted.stmts {
        if original.is_none() {
            (s.span, s.line) = (first.span, first.line);
        } else if let StmtKind::Assignment { lhs, .. } = &mut s.kind
            && companions.contains_key(&lhs.symbol)
        {
            // The propagation sets its derivative.
            lhs.active = Tri::False;
        }
        out.push(Item::stmt(s));
    }
    let mut propagation = Stmt::new(StmtKind::Propagator(emitted.propagation));
    (propagation.span, propagation.line) = (first.span, first.line);
    let mut texts: SmallVec<[&ArcStr; 8]> = stmts[replaced].iter().map(|s| &s.text).filter(|t| !t.is_empty()).collect();
    // Statements that stand for one call have its text.
    texts.dedup();
    propagation.text = match texts[..] {
        [] => ArcStr::new(),
        [only] => only.clone(),
        [first, .., last] if texts.len() > MOST_LINES => arcstr::format!("{first}\n...\n{last}"),
        _ => texts.iter().map(|t| t.as_str()).collect::<Vec<_>>().join("\n").into(),
    };
    out.push(Item::stmt(propagation));
    out
}

/// The adjoint of linear statements between derivatives: the last comes first.
pub(crate) fn propagated(unit: &mut dyn Surroundings, list: &[Propagation]) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    // Sums have no variables, so they stand for their own adjoints; those that nothing has reached are zero.
    let mut reached: FxHashSet<SymbolId> = FxHashSet::default();
    let mut scratch: Option<SymbolId> = None;
    for line in list.iter().rev() {
        match line {
            Propagation::Zero { target } => {
                if let Some(b) = unit.adjoint(target.symbol) {
                    out.push(Item::stmt(zeroed(unit, &target.with_symbol(b))));
                }
            }
            Propagation::Sax { terms, y } => {
                let Some(b) = unit.adjoint(y.symbol) else {
                    if reached.contains(&y.symbol) {
                        increments(unit, terms, &Expr::var(y.clone()), None, &mut reached, &mut out);
                    }
                    continue;
                };
                let yb = y.with_symbol(b);
                let touches =
                    |x: &VarRef| (x.symbol == y.symbol && !apart(x, y)) || (x.symbol != y.symbol && unit.overlap(x.symbol, y.symbol));
                let own = terms.iter().find(|(_, x)| same_place(x, y)).map(|(a, _)| a.clone());
                if terms.iter().any(|(_, x)| !same_place(x, y) && touches(x)) {
                    let ty = types::of_ref(unit.program(), y).elem;
                    let t = match scratch {
                        Some(t) => t,
                        None => *scratch.insert(unit.scratch(ty)),
                    };
                    out.push(Item::stmt(Stmt::assign(VarRef::whole(t), Expr::var(yb.clone()))));
                    out.push(Item::stmt(zeroed(unit, &yb)));
                    increments(unit, terms, &Expr::sym(t), None, &mut reached, &mut out);
                    continue;
                }
                increments(unit, terms, &Expr::var(yb.clone()), Some(y), &mut reached, &mut out);
                match own {
                    Some(a) => {
                        let value = scaled(Fold { program: unit.program() }, &a, &Expr::var(yb.clone()));
                        if value != Expr::var(yb.clone()) {
                            out.push(Item::stmt(Stmt::assign(yb, value)));
                        }
                    }
                    None => out.push(Item::stmt(zeroed(unit, &yb))),
                }
            }
            _ => {}
        }
    }
    out
}

fn zeroed(unit: &dyn Surroundings, place: &VarRef) -> Stmt {
    let ty = types::of_ref(unit.program(), place).elem;
    Stmt::assign(place.clone(), fold::zero(ty))
}

fn increments(
    unit: &dyn Surroundings,
    terms: &[(Expr, VarRef)],
    seed: &Expr,
    but: Option<&VarRef>,
    reached: &mut FxHashSet<SymbolId>,
    out: &mut Vec<Item>,
) {
    let f = Fold { program: unit.program() };
    for (a, x) in terms {
        if but.is_some_and(|y| same_place(x, y)) {
            continue;
        }
        // A factor may turn out to be zero when constants are added up.
        if fold::number(a) == Some(0.0) {
            continue;
        }
        let value = scaled(f, a, seed);
        match unit.adjoint(x.symbol) {
            Some(b) => {
                let xb = x.with_symbol(b);
                let sum = f.add(Expr::var(xb.clone()), value);
                out.push(Item::stmt(Stmt::assign(xb, sum)));
            }
            None if reached.insert(x.symbol) => out.push(Item::stmt(Stmt::assign(x.clone(), value))),
            None => {
                let sum = f.add(Expr::var(x.clone()), value);
                out.push(Item::stmt(Stmt::assign(x.clone(), sum)));
            }
        }
    }
}

/// Statements whose texts are quoted over the adjoint of a sequence.
const MOST_LINES: usize = 12;

fn scaled(f: Fold, factor: &Expr, seed: &Expr) -> Expr {
    let ty = types::of(f.program, seed).elem;
    Factor::from_expr(factor.clone()).map_or_else(|| fold::zero(ty), |a| a.times(f.program, seed.clone()))
}
