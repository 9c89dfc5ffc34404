//! Pointers that point into one of several arrays: `double *a = in, *b = work;` that exchange their targets, or `p = odd ? in : work`.
//!
//! An integer says which of the arrays is meant at present. Statements that use such pointers are written once for each answer, in a branch on
//! that integer, with each array by its own name. Never here: which exchanges there are (see `pointer_exchanges`), pointers with one target (`pointer_declarations`).

use super::pointer_declarations::PointerUse;
use crate::parse::context::places::{Choice, Place, Pointer};
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::terms::{op, relation};
use crate::parse::facts::function::{Event, Kind, Swap};
use crate::parse::language::types::{CType, same_element};
use crate::parse::text::refusals::{POINTER_TARGET, Refusal, Res};
use crate::parse::text::syntax::{has_label, uncast};
use lang_c::ast::{BlockItem, Expression as E};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use xaif::model::{BoolOp, Expr, StmtKind, VarRef};

/// More copies of a statement than this are no code that anybody wants to read.
const MAX_COPIES: usize = 9;

impl<'a> Lower<'a> {
    /// What a pointer with several targets is where nothing says which of them is meant.
    pub fn undecided(&self, name: &str, span: Span) -> Place {
        let r = Refusal::new(POINTER_TARGET, span, format!("`{name}` points into more than one array"))
            .because("which of them is meant is known only for whole statements of the block in which it is declared")
            .help("use one pointer for each array, or the arrays themselves");
        Place::Refused(Rc::new(r))
    }

    /// A pointer that takes turns with others gets its first target.
    pub fn begin_turn(&mut self, swap: &Swap, fact: usize, first: Pointer, span: Span) -> Res<()> {
        let end = self.body().block_ends.last().copied().unwrap_or(usize::MAX);
        let n = swap.turn.len();
        let facts = self.body().facts.clone();
        let at = match self.body().choices.iter().position(|c| c.members.iter().any(|(v, _)| *v == fact)) {
            Some(at) => at,
            None => {
                let state = self.temporary("turn", &CType::INT);
                let kind = StmtKind::Assignment { lhs: VarRef::whole(state), rhs: Expr::int(0) };
                self.emit_with_text(kind, span, String::new());
                let members = swap.turn.iter().map(|&v| (v, vec![None; n])).collect();
                self.body().choices.push(Choice { state, count: n, members, end, condition: None, reassigned: None });
                self.body().choices.len() - 1
            }
        };
        let choice = &mut self.body().choices[at];
        let alike = choice.members.iter().flat_map(|(_, t)| t.iter().flatten()).all(|p| same_element(&p.to, &first.to));
        if choice.end != end || !alike {
            return Err(Refusal::new(
                POINTER_TARGET,
                span,
                format!("`{}` exchanges its target with other pointers", facts.vars[fact].name),
            )
            .because("they are declared in different blocks or have different types")
            .help("declare them together"));
        }
        // After `k` exchanges member `m` has what member `m + k` had first.
        let Some(position) = swap.turn.iter().position(|&v| v == fact) else { return Ok(()) };
        for k in 0..n {
            choice.members[(position + n - k) % n].1[k] = Some(first.clone());
        }
        Ok(())
    }

    /// An exchange of targets.
    pub fn next_turn(&mut self, swap: &Swap, span: Span) -> Res<()> {
        self.begin_statement(span, true);
        let Some(&first) = swap.turn.first() else { return Ok(()) };
        let found = self.body().choices.iter().find(|c| c.complete() && c.members.iter().any(|(v, _)| *v == first)).cloned();
        let Some(choice) = found else {
            return Err(Refusal::new(POINTER_TARGET, span, "pointers exchange their targets")
                .because("what they point to first is not known here")
                .help("give each of them its array where it is declared"));
        };
        let state = Expr::sym(choice.state);
        let rhs = match choice.count {
            2 => op("sub_scal_scal", "", [Expr::int(1), state]),
            n => op("mod_scal_scal", "", [op("add_scal_scal", "", [state, Expr::int(1)]), Expr::int(n as i64)]),
        };
        let text = self.original(span);
        self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(choice.state), rhs }, span, text);
        Ok(())
    }

    /// `double *p = c ? a : b;` for a pointer that keeps this target. False where it is something else.
    pub fn conditional_pointer(&mut self, p: &PointerUse<'_, 'a>, fact: usize, init: &'a Node<E>) -> Res<bool> {
        let E::Conditional(c) = &uncast(init).node else { return Ok(false) };
        // Where a target would be is computed whether it is taken or not.
        let facts = self.body().facts.clone();
        let sides = [c.node.then_expression.span, c.node.else_expression.span];
        let loads = |s: &Span| facts.events(s.start, s.end).iter().any(|e| e.kind == Kind::Load);
        if self.effects_of(init.span) > 0 || sides.iter().any(loads) {
            return Ok(false);
        }
        let name = p.declared.name.clone();
        let mut targets = Vec::new();
        for side in [&c.node.then_expression, &c.node.else_expression] {
            let target = self.pointer(uncast(side))?;
            targets.push(Some(self.settled(&name, target, p.span)?));
        }
        let [Some(x), Some(y)] = &targets[..] else { return Ok(false) };
        if !same_element(&x.to, &y.to) {
            return Ok(false);
        }
        let text = self.text.get(c.node.condition.span.start..c.node.condition.span.end).unwrap_or_default().to_owned();
        let facts = self.body().facts.clone();
        let end = self.body().block_ends.last().copied().unwrap_or(usize::MAX);
        // The same condition right before: one integer tells both.
        let same = self.body().choices.iter().position(|other| {
            let Some((t, place)) = &other.condition else { return false };
            let pointers = |v: usize| v == fact || other.members.iter().any(|(m, _)| *m == v);
            let quiet = |e: &&Event| match e.kind {
                Kind::Write => pointers(e.var),
                Kind::Store | Kind::Call | Kind::Address | Kind::Handed => false,
                _ => true,
            };
            *t == text && other.end == end && facts.events(place.start, init.span.start).iter().all(|e| quiet(&e))
        });
        match same {
            Some(k) => self.body().choices[k].members.push((fact, targets)),
            None => {
                let condition = self.condition(&c.node.condition)?;
                let value = op("select", "", [condition, Expr::int(0), Expr::int(1)]);
                let state = self.keep(&format!("{name}_is"), value, &CType::INT, p.span);
                let condition = Some((text, c.node.condition.span));
                self.body().choices.push(Choice { state, count: 2, members: vec![(fact, targets)], end, condition, reassigned: None });
            }
        }
        Ok(true)
    }

    /// Items of a block that use pointers with several targets, written for each of them. How many items were done.
    pub fn versions(&mut self, items: &'a [Node<BlockItem>]) -> usize {
        let Some(item) = items.first().filter(|i| !self.copies_pointer(i)) else { return 0 };
        let used = self.choices_in(item.span);
        let facts = self.body().facts.clone();
        let changes = |choice: &Choice, span: Span| {
            let sets = |v: usize| facts.events(span.start, span.end).iter().any(|e| e.kind == Kind::Write && e.var == v);
            let other = |v: usize| if choice.reassigned.is_some() { facts.gets_target(v, span) } else { sets(v) };
            choice.members.iter().any(|(v, _)| other(*v))
        };
        let found = used.iter().find(|&&k| self.body().choices.get(k).is_some_and(|c| !changes(c, item.span))).copied();
        let Some((number, choice)) = found.and_then(|k| Some((k, self.body().choices.get(k)?.clone()))) else { return 0 };
        let changes = |span: Span| changes(&choice, span);
        let mut count = 1;
        let stands_alone = |i: &Node<BlockItem>| matches!(i.node, BlockItem::Statement(_));
        if stands_alone(item) {
            while items
                .get(count)
                .is_some_and(|i| stands_alone(i) && !changes(i.span) && !self.copies_pointer(i) && !self.choices_in(i.span).is_empty())
            {
                count += 1;
            }
        } else {
            // What is declared is known to the end of the block: all that follows belongs to it, up to the next exchange.
            while items.get(count).is_some_and(|i| !changes(i.span)) {
                count += 1;
            }
        }
        let run = &items[..count];
        let span = Span { start: item.span.start, end: run.last().map_or(item.span.end, |i| i.span.end) };
        if let Err(r) = self.may_repeat(run, &items[count..], span) {
            self.noted::<()>(Err(r));
            return count;
        }
        self.copies(&choice, number, run, span);
        count
    }

    /// The choices that a stretch of text depends on and that are still open.
    fn choices_in(&mut self, span: Span) -> Vec<usize> {
        let body = self.body();
        if body.choices.is_empty() {
            return Vec::new();
        }
        let events = body.facts.events(span.start, span.end);
        let open = |(k, c): (usize, &Choice)| {
            let asks = |e: &Event| {
                if c.reassigned.is_some() { body.facts.asks_target(e) } else { e.kind != Kind::Call }
            };
            let uses = |v: usize| events.iter().any(|e| e.var == v && asks(e));
            let here = !body.decided.contains(&k) && !c.is_known() && c.complete() && span.start < c.end;
            (here && c.members.iter().any(|(v, _)| uses(*v))).then_some(k)
        };
        body.choices.iter().enumerate().filter_map(open).collect()
    }

    fn may_repeat(&mut self, run: &'a [Node<BlockItem>], rest: &'a [Node<BlockItem>], span: Span) -> Res<()> {
        let refused = |reason: &str| {
            Err(Refusal::new(POINTER_TARGET, span, "pointers with more than one target are used here")
                .because(reason.to_string())
                .help("use one pointer for each array, or the arrays themselves"))
        };
        let label = |i: &Node<BlockItem>| matches!(&i.node, BlockItem::Statement(s) if has_label(&s.node, false));
        if run.iter().any(label) {
            return refused("a label among these statements cannot be repeated");
        }
        let copies: usize = self.choices_in(span).iter().map(|&k| self.body().choices[k].count).product();
        if copies > MAX_COPIES {
            return refused("there are too many cases");
        }
        let facts = self.body().facts.clone();
        let declared: Vec<usize> = (span.start..span.end).filter_map(|at| facts.declared_at(at)).collect();
        let end = rest.last().map_or(span.end, |i| i.span.end);
        if facts.events(span.end, end).iter().any(|e| e.kind != Kind::Call && declared.contains(&e.var)) {
            return refused("variables that are declared among them are used after the pointers have changed");
        }
        Ok(())
    }

    fn copies(&mut self, choice: &Choice, number: usize, run: &'a [Node<BlockItem>], span: Span) {
        let remark = self.body().remark;
        let symbols = self.body().symbols.clone();
        let known = self.known_targets();
        self.body().decided.push(number);
        for k in 0..choice.count {
            if k + 1 < choice.count {
                let condition = relation(BoolOp::Equal, [Expr::sym(choice.state), Expr::int(k as i64)]);
                let v = self.body().builder.begin_branch(condition);
                self.dress(v, span, String::new());
                self.body().branches += 1;
                self.body().builder.arm(&[1]);
            }
            self.body().remark = remark;
            self.blocks.push(FxHashMap::default());
            let facts = self.body().facts.clone();
            for (m, (v, _)) in choice.members.iter().enumerate() {
                let Some(place) = choice.place(m, k) else { continue };
                let name = facts.vars[*v].name.clone();
                if let Place::Target(Pointer { base, .. }) | Place::Walking { base, .. } = &place {
                    self.body().symbols.insert(*v, *base);
                }
                if let Some(Binding::Variable(old)) = self.find(&name).cloned() {
                    self.bind(name, Binding::Variable(Variable { place, ..old }));
                }
            }
            self.set_known_targets(&known);
            self.items(run);
            self.blocks.pop();
            self.body().symbols.clone_from(&symbols);
            if k + 1 < choice.count {
                self.body().builder.arm(&[]);
            }
        }
        for _ in 1..choice.count {
            self.close_branch();
        }
        self.body().decided.pop();
        self.forget_targets(span);
    }
}
