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

use super::flow::{Overlap, Places};
use super::loops::range;
use super::statements::{Surroundings, same_place};
use super::tree::{Item, ItemId, ItemKind, LoopKind};
use super::unit::Maker;
use crate::linearize::Factor;
use crate::linearize::fold::{self, Fold};
use crate::linearize::places::apart;
use crate::transform::preaccumulate::exposure::{Accesses, Exposed};
use crate::transform::preaccumulate::slots::{self, Use};
use crate::transform::preaccumulate::{Block, Chosen, Ledger, Preaccumulate, View, is_private};
use rustc_hash::FxHashSet;
use xaif::model::{ElemType, Expr, Mode, Propagation, Stmt, StmtKind, SymbolId, Tri, VarRef};
use xaif::types;

/// Derivatives of these left-hand sides are set elsewhere.
pub(super) fn has_no_adjoint(lhs: &VarRef) -> bool {
    lhs.active == Tri::False
}

/// Forgets what a file says of single references: activity is ours.
pub(super) fn forget_flags(items: &mut [Item]) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(s) => {
                if let StmtKind::Assignment { lhs, .. } = &mut s.kind {
                    lhs.active = Tri::Undefined;
                }
            }
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| forget_flags(&mut a.body)),
            ItemKind::Loop { body, .. } => forget_flags(body),
        }
    }
}

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
                    LoopKind::For(f) => {
                        exposed.expr(&f.condition);
                        for head in [&f.init, &f.update] {
                            if let StmtKind::Assignment { lhs, rhs } = &head.kind {
                                exposed.symbol(lhs.symbol);
                                exposed.expr(rhs);
                            }
                        }
                    }
                    LoopKind::While(c) | LoopKind::Until(c) => exposed.expr(c),
                }
                survey(body, exposed);
            }
        }
        rest = &rest[1..];
    }
}

/// What is the same for all of a unit.
struct Context<'a> {
    exposed: &'a Exposed,
    /// Where variables are written.
    written: &'a Places,
}

/// The loops around some code.
#[derive(Default)]
struct Around {
    depth: usize,
    /// The indices of those that count.
    indices: Vec<SymbolId>,
}

impl Maker<'_> {
    /// The code with its chosen sequences replaced.
    pub(super) fn with_sequences(&mut self, items: Vec<Item>, written: &Places) -> Vec<Item> {
        if self.ledger.when == Preaccumulate::Never {
            return items;
        }
        let mut exposed = Exposed::default();
        survey(&items, &mut exposed);
        self.list(items, &Context { exposed: &exposed, written }, &mut Around::default())
    }

    fn list(&mut self, items: Vec<Item>, context: &Context, around: &mut Around) -> Vec<Item> {
        let mut out = Vec::with_capacity(items.len());
        let mut run: Vec<Item> = Vec::new();
        for mut item in items {
            match &mut item.kind {
                ItemKind::Stmt(_) => {
                    run.push(item);
                    continue;
                }
                ItemKind::Branch { arms, .. } => {
                    for a in arms {
                        a.body = self.list(std::mem::take(&mut a.body), context, around);
                    }
                }
                ItemKind::Loop { kind, body, .. } => {
                    let index = match kind {
                        LoopKind::For(f) => range(self.program, f).map(|r| r.index),
                        _ => None,
                    };
                    around.depth += 1;
                    around.indices.extend(index);
                    *body = self.list(std::mem::take(body), context, around);
                    around.depth -= 1;
                    if index.is_some() {
                        around.indices.pop();
                    }
                }
            }
            out.extend(self.run(std::mem::take(&mut run), context, around));
            out.push(item);
        }
        out.extend(self.run(run, context, around));
        out
    }

    fn run(&mut self, items: Vec<Item>, context: &Context, around: &Around) -> Vec<Item> {
        if items.is_empty() {
            return items;
        }
        let (numbers, stmts): (Vec<ItemId>, Vec<Stmt>) = items
            .into_iter()
            .filter_map(|i| match i.kind {
                ItemKind::Stmt(s) => Some((i.id, *s)),
                _ => None,
            })
            .unzip();
        let accesses = Accesses::of(&stmts);
        let private: FxHashSet<SymbolId> = {
            let frame = self.frame;
            let own = |x: SymbolId| !frame.hosts && !frame.formals.contains(&x) && !frame.sharing.contains_key(&x);
            let assigned = stmts.iter().filter_map(|s| match &s.kind {
                StmtKind::Assignment { lhs, .. } => Some(lhs.symbol),
                _ => None,
            });
            assigned.filter(|&x| own(x) && is_private(self.program, frame.scope, x)).collect()
        };
        let dead = |x: SymbolId, behind: usize| private.contains(&x) && !context.exposed.has(x) && !accesses.read_from(x, behind);
        let mode = if self.form == super::unit::Form::Joint { Mode::Adjoint } else { Mode::Reverse };
        let name = self.frame.name.clone();
        let mut block = Block { stmts: &stmts, at: 0, unit: &name, mode };
        let mut ledger = std::mem::take(self.ledger);
        let recorded = around.depth > 0 || self.form == super::unit::Form::Split;
        let frame = self.frame;
        let settled = |x: SymbolId| around.indices.contains(&x) || !frame.sharing(x).into_iter().any(|o| context.written.contains(o));
        let mut found = Vec::new();
        while let Some(chosen) = self.next_sequence(&mut block, &mut ledger, &dead, &settled, recorded) {
            found.push((chosen.statements.clone(), self.written(&stmts, chosen)));
        }
        *self.ledger = ledger;
        let mut found = found.into_iter().peekable();
        let mut out = Vec::with_capacity(stmts.len());
        let mut behind = 0;
        for (k, (id, stmt)) in numbers.into_iter().zip(stmts).enumerate() {
            if let Some((range, made)) = found.next_if(|(r, _)| r.start == k) {
                behind = range.end;
                out.extend(made);
            }
            if k >= behind {
                out.push(Item { id, kind: ItemKind::Stmt(Box::new(stmt)) });
            }
        }
        out
    }

    fn next_sequence(
        &mut self,
        block: &mut Block,
        ledger: &mut Ledger,
        dead: &dyn Fn(SymbolId, usize) -> bool,
        settled: &dyn Fn(SymbolId) -> bool,
        recorded: bool,
    ) -> Option<Chosen> {
        let frame = self.frame;
        let mut view = View {
            program: self.program,
            catalogue: frame.calls.catalogue(),
            scope: frame.scope,
            active: &|x| frame.companions.contains_key(&x),
            suspect: &|x| frame.sharing.contains_key(&x),
            overlap: &|a, b| frame.sharing.get(&a).is_some_and(|l| l.contains(&b)),
            takes_part: &|_, _| true,
            recorded,
            settled,
            dead,
        };
        block.next(&mut view, ledger, None)
    }

    fn written(&mut self, stmts: &[Stmt], mut chosen: Chosen) -> Vec<Item> {
        let mut emitted = std::mem::take(&mut chosen.emitted);
        let mut free = std::mem::take(&mut self.factors);
        let mut given_back: Vec<(ElemType, SymbolId)> = Vec::new();
        slots::assign(&mut emitted, &mut [], &|s| chosen.value(s), &mut |request| match request {
            Use::Take(ty) => {
                free.append(&mut given_back);
                match free.iter().rposition(|(t, _)| *t == ty) {
                    Some(k) => free.swap_remove(k).1,
                    None => self.namer.add(self.program, "c", ty),
                }
            }
            Use::Keep(ty) => {
                let entry = self.namer.add(self.program, "c", ty);
                self.entries.insert(entry);
                entry
            }
            Use::Sum(ty) => self.temporary("sum", ty),
            Use::Back(ty, s) => {
                given_back.push((ty, s));
                s
            }
        });
        free.append(&mut given_back);
        self.factors = free;
        let first = &stmts[chosen.statements.start];
        let mut out = Vec::with_capacity(emitted.stmts.len() + 1);
        for (mut s, original) in emitted.stmts {
            if original.is_none() {
                (s.span, s.line) = (first.span, first.line);
            } else if let StmtKind::Assignment { lhs, .. } = &mut s.kind
                && self.frame.companions.contains_key(&lhs.symbol)
            {
                lhs.active = Tri::False;
            }
            out.push(Item::stmt(s));
        }
        let mut propagation = Stmt::new(StmtKind::Propagator(emitted.propagation));
        (propagation.span, propagation.line) = (first.span, first.line);
        let texts: Vec<&str> = stmts[chosen.statements].iter().map(|s| s.text.as_str()).filter(|t| !t.is_empty()).collect();
        propagation.text = match texts[..] {
            [] => String::new(),
            [.., last] if texts.len() > MOST_LINES => format!("{}\n...\n{last}", texts[0]),
            _ => texts.join("\n"),
        };
        out.push(Item::stmt(propagation));
        out
    }

    /// The adjoint of linear statements between derivatives: the last comes first.
    pub(super) fn propagated(&mut self, list: &[Propagation]) -> Vec<Item> {
        let mut out: Vec<Stmt> = Vec::new();
        // Sums have no variables, so they stand for their own adjoints; those that nothing has reached are zero.
        let mut reached: FxHashSet<SymbolId> = FxHashSet::default();
        let mut scratch: Option<SymbolId> = None;
        for line in list.iter().rev() {
            match line {
                Propagation::Zero { target } => {
                    if let Some(b) = self.adjoint(target.symbol) {
                        out.push(self.zeroed(&target.with_symbol(b)));
                    }
                }
                Propagation::Sax { terms, y } => {
                    let Some(b) = self.adjoint(y.symbol) else {
                        if reached.contains(&y.symbol) {
                            self.increments(terms, &Expr::var(y.clone()), None, &mut reached, &mut out);
                        }
                        continue;
                    };
                    let yb = y.with_symbol(b);
                    let touches =
                        |x: &VarRef| (x.symbol == y.symbol && !apart(x, y)) || (x.symbol != y.symbol && self.overlap(x.symbol, y.symbol));
                    let own = terms.iter().find(|(_, x)| same_place(x, y)).map(|(a, _)| a.clone());
                    if terms.iter().any(|(_, x)| !same_place(x, y) && touches(x)) {
                        let ty = types::of_ref(self.program(), y).elem;
                        let t = match scratch {
                            Some(t) => t,
                            None => *scratch.insert(self.scratch(ty)),
                        };
                        out.push(Stmt::assign(VarRef::whole(t), Expr::var(yb.clone())));
                        out.push(self.zeroed(&yb));
                        self.increments(terms, &Expr::sym(t), None, &mut reached, &mut out);
                        continue;
                    }
                    self.increments(terms, &Expr::var(yb.clone()), Some(y), &mut reached, &mut out);
                    match own {
                        Some(a) => {
                            let value = scaled(Fold { program: self.program() }, &a, &Expr::var(yb.clone()));
                            if value != Expr::var(yb.clone()) {
                                out.push(Stmt::assign(yb, value));
                            }
                        }
                        None => out.push(self.zeroed(&yb)),
                    }
                }
                _ => {}
            }
        }
        out.into_iter().map(Item::stmt).collect()
    }

    fn zeroed(&self, place: &VarRef) -> Stmt {
        let ty = types::of_ref(self.program(), place).elem;
        Stmt::assign(place.clone(), fold::zero(ty))
    }

    fn increments(
        &self,
        terms: &[(Expr, VarRef)],
        seed: &Expr,
        but: Option<&VarRef>,
        reached: &mut FxHashSet<SymbolId>,
        out: &mut Vec<Stmt>,
    ) {
        let f = Fold { program: self.program() };
        for (a, x) in terms {
            if but.is_some_and(|y| same_place(x, y)) {
                continue;
            }
            // A factor may turn out to be zero when constants are added up.
            if fold::number(a) == Some(0.0) {
                continue;
            }
            let value = scaled(f, a, seed);
            match self.adjoint(x.symbol) {
                Some(b) => {
                    let xb = x.with_symbol(b);
                    let sum = f.add(Expr::var(xb.clone()), value);
                    out.push(Stmt::assign(xb, sum));
                }
                None if reached.insert(x.symbol) => out.push(Stmt::assign(x.clone(), value)),
                None => {
                    let sum = f.add(Expr::var(x.clone()), value);
                    out.push(Stmt::assign(x.clone(), sum));
                }
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
