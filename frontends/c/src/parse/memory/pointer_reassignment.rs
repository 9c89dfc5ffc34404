//! Pointers that get targets in several arrays: `p = buffer; ...; p = &state[k];`.
//!
//! An integer says in which of the arrays the pointer is, others where in it, as for pointers that walk. Where the text alone says which array is meant, accesses
//! name it; other statements are written once for each array (see `pointer_choices`).
//!
//! Lives here: what assignments do to such a pointer, and where its array is known. Never here: pointers with one array (`pointer_declarations`), exchanges (`array_exchange`).

use super::pointer_declarations::PointerUse;
use crate::parse::context::places::{Choice, Known, Place, Pointer, Reassigned};
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::terms::relation;
use crate::parse::context::values::Operand;
use crate::parse::facts::function::Origin;
use crate::parse::language::library::ALLOCATORS;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{POINTER_TARGET, Refusal, Res};
use crate::parse::text::syntax::{callee_name, uncast};
use lang_c::ast::{BinaryOperator as B, BlockItem, Expression as E, Statement};
use lang_c::span::{Node, Span};
use xaif::model::{BoolOp, Expr, StmtKind, SymbolId, VarRef};

impl<'a> Lower<'a> {
    /// Declares a pointer into these arrays. False where it cannot be followed.
    pub fn declare_reassigned(&mut self, p: &PointerUse<'_, 'a>, fact: usize, bases: &[SymbolId]) -> Res<bool> {
        let facts = self.body().facts.clone();
        let var = &facts.vars[fact];
        let CType::Pointer(target) = &p.declared.ty else { return Ok(false) };
        if facts.labels || var.address || var.global || !facts.changes_only_by_name(fact) {
            return Ok(false);
        }
        let to = target.to.clone();
        let name = p.declared.name.clone();
        let number = self.new_choice(fact, &name, bases, &to);
        let place = self.undecided(&name, p.span);
        self.bind(name, Binding::Variable(Variable { ty: p.declared.ty.clone(), place, value: None, fact: Some(fact) }));
        match p.init.map(|n| &n.node) {
            Some(lang_c::ast::Initializer::Expression(e)) if self.operand_is_null(e) != Some(true) => self.retarget(number, p.span, e)?,
            _ => self.set_state(number, Expr::int(0), p.span),
        }
        Ok(true)
    }

    /// Parameters that get targets in other arrays in this statement of the function's own block: they begin as pointers into several arrays where they are.
    pub fn begin_parameter_targets(&mut self, span: Span) {
        let facts = self.body().facts.clone();
        let body = self.body();
        if facts.labels || body.branches > 0 || body.builder.loop_depth() > 0 || body.block_ends.len() != 1 {
            return;
        }
        for (fact, var) in facts.vars.iter().enumerate().filter(|(f, v)| v.parameter.is_some() && facts.gets_target(*f, span)) {
            let begun = self.body().choices.iter().any(|c| c.members.iter().any(|(m, _)| *m == fact));
            let Some(Binding::Variable(v)) = self.find(&var.name).cloned().filter(|_| !begun && !var.address) else { continue };
            let Place::Walking { base, offsets: first, to, rows } = v.place else { continue };
            let memory = var.origins.contains(&Origin::Allocation) || self.structures.contains_key(&base);
            let Some(roots) = facts.roots(fact).filter(|_| !memory && rows.is_empty() && facts.changes_only_by_name(fact)) else {
                continue;
            };
            let others: Option<Vec<SymbolId>> = roots.iter().filter(|r| **r != fact).map(|&r| self.base_of(r)).collect();
            let Some(mut bases) = others.filter(|o| !o.is_empty()) else { continue };
            bases.retain(|b| *b != base);
            bases.insert(0, base);
            bases.dedup();
            let number = self.new_choice(fact, &var.name, &bases, &to);
            let own = self.body().choices[number].clone();
            self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(own.state), rhs: Expr::int(0) }, span, String::new());
            for (k, &o) in own.reassigned.iter().flat_map(|r| &r.offsets).enumerate() {
                let rhs = first.get(k).map_or(Expr::int(0), |&s| Expr::sym(s));
                self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(o), rhs }, span, String::new());
            }
            self.know(number, Some(0));
        }
    }

    /// A pointer that may be in several arrays, without a target yet: the number of its choice.
    fn new_choice(&mut self, fact: usize, name: &str, bases: &[SymbolId], to: &CType) -> usize {
        let facts = self.body().facts.clone();
        let ranks: Vec<usize> = bases.iter().map(|&b| (self.program.symbol(b).rank as usize).saturating_sub(to.rank())).collect();
        let most = ranks.iter().copied().max().unwrap_or(0);
        let offsets: Vec<SymbolId> = match facts.stays_at_start(fact) {
            true => Vec::new(),
            false => (0..most).map(|_| self.temporary(&format!("{name}_at"), &CType::LONG)).collect(),
        };
        let state = self.temporary(&format!("{name}_in"), &CType::INT);
        let of = |(&base, &rank): (&SymbolId, &usize)| Some(Pointer { base, subs: vec![Expr::int(0); rank], to: to.clone() });
        let targets: Vec<Option<Pointer>> = bases.iter().zip(&ranks).map(of).collect();
        let end = self.body().block_ends.last().copied().unwrap_or(usize::MAX);
        let reassigned = Some(Reassigned { offsets, known: None });
        self.body().choices.push(Choice { state, count: bases.len(), members: vec![(fact, targets)], end, condition: None, reassigned });
        self.body().choices.len() - 1
    }

    /// The choice of a pointer that gets other targets.
    pub fn reassigned(&self, v: &Variable) -> Option<usize> {
        let body = self.body.as_ref()?;
        let fact = v.fact?;
        body.choices.iter().position(|c| c.reassigned.is_some() && c.members.iter().any(|(m, _)| *m == fact))
    }

    /// True where it is not known at this place in which array a pointer is.
    pub fn in_unknown_array(&self, v: &Variable) -> Option<usize> {
        self.reassigned(v).filter(|_| matches!(v.place, Place::Refused(_)))
    }

    fn set_state(&mut self, number: usize, value: Expr, span: Span) {
        let state = self.body().choices[number].state;
        let text = self.original(span);
        self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(state), rhs: value }, span, text);
    }

    /// `p = target` as a statement.
    pub fn retarget(&mut self, number: usize, span: Span, rhs: &'a Node<E>) -> Res<()> {
        let rhs = uncast(rhs);
        if let E::Conditional(c) = &rhs.node {
            let condition = self.condition(&c.node.condition)?;
            let v = self.body().builder.begin_branch(condition);
            let text = self.original(span);
            self.dress(v, span, text);
            self.body().branches += 1;
            self.body().builder.arm(&[1]);
            let first = self.retarget(number, span, &c.node.then_expression);
            self.body().builder.arm(&[]);
            let second = self.retarget(number, span, &c.node.else_expression);
            self.close_branch();
            self.know(number, None);
            return first.and(second);
        }
        if self.operand_is_null(rhs) == Some(true) {
            return Ok(());
        }
        let own = self.body().choices[number].clone();
        let Some(reassigned) = own.reassigned.clone() else { return Ok(()) };
        let memory = self.body().own.get(&own.members[0].0).copied();
        if let (E::Call(c), Some(memory)) = (&rhs.node, memory)
            && callee_name(&c.node).is_some_and(|n| ALLOCATORS.contains(&n) || self.giver(n).is_some())
        {
            let target = own.members[0].1.iter().flatten().position(|t| t.base == memory);
            let to = own.members[0].1.iter().flatten().next().map_or(CType::Void, |t| t.to.clone());
            self.allocate(memory, &CType::pointer(to, false), rhs, span)?;
            self.set_state(number, Expr::int(target.unwrap_or_default() as i64), span);
            for &o in &reassigned.offsets {
                self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(o), rhs: Expr::int(0) }, span, String::new());
            }
            self.know(number, target);
            return Ok(());
        }
        // Another pointer into the same arrays, wherever it is.
        if let Some(theirs) = self.in_same_arrays(&own, rhs)
            && let Some(from) = &theirs.reassigned
        {
            self.set_state(number, Expr::sym(theirs.state), span);
            for (k, &o) in reassigned.offsets.iter().enumerate() {
                let rhs = from.offsets.get(k).map_or(Expr::int(0), |&s| Expr::sym(s));
                self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(o), rhs }, span, String::new());
            }
            self.know(number, None);
            return Ok(());
        }
        let target = self.pointer(rhs)?;
        let found = own.members[0].1.iter().flatten().position(|t| t.base == target.base && t.subs.len() == target.subs.len());
        let at_start = || target.subs.iter().all(|s| s.as_int() == Some(0));
        let Some(found) = found.filter(|_| !reassigned.offsets.is_empty() || at_start()) else {
            return Err(Refusal::new(POINTER_TARGET, span, "a pointer gets a target that cannot be followed")
                .because("it must stay in arrays that are known where it is declared")
                .help("use one pointer for each array, or the arrays themselves"));
        };
        self.set_state(number, Expr::int(found as i64), span);
        let mut values = target.subs;
        if values.len() > 1 {
            // One subscript may be computed from another one's old value.
            values = values.into_iter().map(|s| Expr::sym(self.keep("at", s, &CType::LONG, span))).collect();
        }
        for (&o, rhs) in reassigned.offsets.iter().zip(values) {
            self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(o), rhs }, span, String::new());
        }
        self.know(number, Some(found));
        Ok(())
    }

    /// `p == a` for a pointer that may be in several arrays and the name of one of them.
    pub fn compared_with_array(&mut self, operator: &B, lhs: &'a Node<E>, rhs: &'a Node<E>) -> Option<Expr> {
        if !matches!(operator, B::Equals | B::NotEquals) {
            return None;
        }
        let sides = [(lhs, rhs), (rhs, lhs)];
        let (number, other) =
            sides.into_iter().find_map(|(p, a)| Some((self.in_unknown_array(&self.named_variable(uncast(p))?)?, uncast(a))))?;
        let array = match self.named_variable(other)?.place {
            Place::Object(base) => base,
            Place::Target(p) if p.subs.iter().all(|s| s.as_int() == Some(0)) => p.base,
            _ => return None,
        };
        let choice = self.body().choices.get(number)?.clone();
        let found = choice.members[0].1.iter().flatten().position(|t| t.base == array)?;
        let zero = |&o: &SymbolId| relation(BoolOp::Equal, [Expr::sym(o), Expr::int(0)]);
        let there = relation(BoolOp::Equal, [Expr::sym(choice.state), Expr::int(found as i64)]);
        let offsets = choice.reassigned.as_ref().map_or(&[][..], |r| &r.offsets);
        let same = offsets.iter().map(zero).fold(there, |x, y| relation(BoolOp::And, [x, y]));
        Some(if *operator == B::Equals { same } else { relation(BoolOp::Not, [same]) })
    }

    /// The choice of another pointer, wherever it is, that points into the same arrays as one that takes its value.
    fn in_same_arrays(&self, own: &Choice, rhs: &Node<E>) -> Option<Choice> {
        let other = self.named_variable(rhs).and_then(|v| self.in_unknown_array(&v))?;
        let theirs = self.body.as_ref()?.choices.get(other)?;
        let bases = |c: &Choice| c.members[0].1.iter().map(|t| t.as_ref().map(|p| p.base)).collect::<Vec<_>>();
        let offsets = |c: &Choice| c.reassigned.as_ref().map_or(0, |r| r.offsets.len());
        let alike = bases(theirs) == bases(own) && (offsets(theirs) == offsets(own) || offsets(theirs) == 0);
        alike.then(|| theirs.clone())
    }

    /// `p = q` as a statement that needs no copies, wherever `q` is: see [`Lower::retarget`].
    pub fn copies_pointer(&self, item: &Node<BlockItem>) -> bool {
        self.copied(item).is_some()
    }

    fn copied(&self, item: &Node<BlockItem>) -> Option<()> {
        let BlockItem::Statement(s) = &item.node else { return None };
        let Statement::Expression(Some(e)) = &s.node else { return None };
        let E::BinaryOperator(b) = &e.node else { return None };
        let to = self.named_variable(&b.node.lhs).filter(|_| b.node.operator.node == B::Assign)?;
        let own = self.body.as_ref()?.choices.get(self.reassigned(&to)?)?;
        self.in_same_arrays(own, uncast(&b.node.rhs)).map(|_| ())
    }

    /// From here on a pointer is in the array of this number, or it is not known where.
    fn know(&mut self, number: usize, known: Option<usize>) {
        let Some(choice) = self.body().choices.get_mut(number) else { return };
        let Some(reassigned) = &mut choice.reassigned else { return };
        if reassigned.known == known {
            return;
        }
        reassigned.known = known;
        let choice = choice.clone();
        let fact = choice.members[0].0;
        let name = self.body().facts.vars[fact].name.clone();
        let place = known.and_then(|k| choice.place(0, k));
        match &place {
            Some(Place::Target(Pointer { base, .. }) | Place::Walking { base, .. }) => self.body().symbols.insert(fact, *base),
            _ => self.body().symbols.remove(&fact),
        };
        let place = place.unwrap_or_else(|| self.undecided(&name, Span { start: 0, end: 0 }));
        for block in self.blocks.iter_mut().rev() {
            if let Some(Binding::Variable(v)) = block.get_mut(&name)
                && v.fact == Some(fact)
            {
                v.place = place;
                return;
            }
        }
    }

    /// The choice of a pointer that a statement does nothing but step, where it is not known in which array it is.
    pub fn stepped_in_unknown_array(&mut self, e: &Node<E>, operand: &Node<E>) -> Option<usize> {
        let alone = self.body().top.is_some_and(|(x, _)| x.start == e.span.start && x.end == e.span.end);
        self.named_variable(operand).filter(|_| alone).and_then(|v| self.in_unknown_array(&v))
    }

    /// Does something with a pointer taken to be in its first array, whatever array it is in: steps are the same in all of them.
    pub fn in_any<T>(&mut self, number: usize, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.know(number, Some(0));
        let r = f(self);
        self.know(number, None);
        r
    }

    /// Pointers that get targets in this stretch of text may be anywhere.
    pub fn forget_targets(&mut self, span: Span) {
        let facts = self.body().facts.clone();
        for k in 0..self.body().choices.len() {
            let fact = self.body().choices[k].members[0].0;
            if self.body().choices[k].is_known() && facts.gets_target(fact, span) {
                self.know(k, None);
            }
        }
        self.forget_nulls(span);
    }

    /// Which arrays pointers are known to be in.
    pub fn known_targets(&mut self) -> Known {
        let arrays = self.body().choices.iter().map(|c| c.reassigned.as_ref().and_then(|r| r.known)).collect();
        Known { arrays, there: self.known_nulls() }
    }

    /// Takes that back.
    pub fn set_known_targets(&mut self, known: &Known) {
        for k in 0..self.body().choices.len() {
            self.know(k, known.arrays.get(k).copied().flatten());
        }
        self.set_known_nulls(&known.there);
    }

    /// `p = q`, `p = p + 1` for a pointer that gets other targets.
    pub fn assign_reassigned(&mut self, number: usize, e: &'a Node<E>, v: &Variable, lhs: &Node<E>, rhs: &'a Node<E>) -> Res<Operand> {
        let whole = self.body().top.filter(|(x, _)| x.start == e.span.start && x.end == e.span.end);
        let Some((_, whole)) = whole else {
            return Err(Refusal::new(POINTER_TARGET, e.span, "a pointer gets another target inside of an expression")
                .because("which array it is in is followed from statement to statement")
                .help("make the assignment a statement of its own"));
        };
        let fact = v.fact.unwrap_or_default();
        let facts = self.body().facts.clone();
        if facts.gets_target(fact, lhs.span) {
            self.retarget(number, whole, rhs)?;
            return Ok(Operand::Null);
        }
        let step = |l: &mut Self| {
            let Some(now) = l.named_variable(lhs) else { return Ok(Operand::Null) };
            let to = l.pointer(rhs)?;
            l.set_pointer(e, &now, to)
        };
        if self.in_unknown_array(v).is_some() { self.in_any(number, step) } else { step(self) }
    }
}
