//! Loops.
//!
//! A `for` over an integer with a fixed step becomes a `ForLoop`: operand 1 of its condition is the loop variable, operand 2 the bound, the
//! relation is the source's own. It is counted where nothing in the body can change variable, bound or step. All others become `while` loops
//! whose step stands at the end of the body and before each `continue`.
//!
//! Lives here: recognition and construction of loops. Never here: `break` and `continue` (see `jumps`).

use crate::parse::context::jump_targets::{Tail, Target};
use crate::parse::context::loop_ranges::LoopRange;
use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::terms::{op, plus, relation};
use crate::parse::context::values::Value;
use crate::parse::facts::function::{Event, Kind};
use crate::parse::language::math;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{LVALUE, Res, refuse};
use crate::parse::text::syntax::{declared_depth, declared_name};
use lang_c::ast::{
    BinaryOperator as B, DoWhileStatement, Expression as E, ForInitializer, ForStatement, Initializer, Statement, UnaryOperator as U,
    WhileStatement,
};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashMap;
use xaif::model::{BaseType, BoolOp, Expr, ForLoop, NodeKind, StmtKind, SymbolId, VarRef, VertexKind};

/// What is added (true) or taken away.
type Shift<'a> = (bool, &'a Node<E>);

/// The parts of a counted loop as the text has them.
struct Recognized<'a> {
    name: &'a str,
    relation: BoolOp,
    bound: &'a Node<E>,
    /// What is added to the variable, or taken from it, where it is compared.
    shift: Option<Shift<'a>>,
    /// Its step: positive or negative, by 1 where there is no expression.
    step: (bool, Option<&'a Node<E>>),
    step_span: Span,
    /// What else is done with the step.
    extras: Vec<&'a Node<E>>,
}

fn name_of(e: &Node<E>) -> Option<&str> {
    match &e.node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

/// `i`, `i + c`, `c + i`, `i - c`: the name, and what is added or taken away.
fn shifted(e: &Node<E>) -> Option<(&str, Option<Shift<'_>>)> {
    if let Some(name) = name_of(e) {
        return Some((name, None));
    }
    let E::BinaryOperator(b) = &e.node else { return None };
    match b.node.operator.node {
        B::Plus => match (name_of(&b.node.lhs), name_of(&b.node.rhs)) {
            (Some(name), _) => Some((name, Some((true, &b.node.rhs)))),
            (_, Some(name)) => Some((name, Some((true, &b.node.lhs)))),
            _ => None,
        },
        B::Minus => Some((name_of(&b.node.lhs)?, Some((false, &b.node.rhs)))),
        _ => None,
    }
}

/// `i++`, `i += c`, `i = i + c`: the name, the direction and the amount.
fn step_of(e: &Node<E>) -> Option<(&str, bool, Option<&Node<E>>)> {
    match &e.node {
        E::UnaryOperator(u) => match u.node.operator.node {
            U::PostIncrement | U::PreIncrement => Some((name_of(&u.node.operand)?, true, None)),
            U::PostDecrement | U::PreDecrement => Some((name_of(&u.node.operand)?, false, None)),
            _ => None,
        },
        E::BinaryOperator(b) => match b.node.operator.node {
            B::AssignPlus => Some((name_of(&b.node.lhs)?, true, Some(&b.node.rhs))),
            B::AssignMinus => Some((name_of(&b.node.lhs)?, false, Some(&b.node.rhs))),
            B::Assign => {
                let name = name_of(&b.node.lhs)?;
                let E::BinaryOperator(sum) = &b.node.rhs.node else { return None };
                match sum.node.operator.node {
                    B::Plus if name_of(&sum.node.lhs) == Some(name) => Some((name, true, Some(&sum.node.rhs))),
                    B::Plus if name_of(&sum.node.rhs) == Some(name) => Some((name, true, Some(&sum.node.lhs))),
                    B::Minus if name_of(&sum.node.lhs) == Some(name) => Some((name, false, Some(&sum.node.rhs))),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

fn recognize(f: &ForStatement) -> Option<Recognized<'_>> {
    let (E::BinaryOperator(c), step) = (&f.condition.as_ref()?.node, f.step.as_ref()?) else { return None };
    let plain = |b: &B| match b {
        B::Less => Some(BoolOp::LessThan),
        B::LessOrEqual => Some(BoolOp::LessOrEqual),
        B::Greater => Some(BoolOp::GreaterThan),
        B::GreaterOrEqual => Some(BoolOp::GreaterOrEqual),
        B::NotEquals => Some(BoolOp::NotEqual),
        _ => None,
    };
    let relation = plain(&c.node.operator.node)?;
    let mut parts: Vec<&Node<E>> = match &step.node {
        E::Comma(list) => list.iter().collect(),
        _ => vec![step.as_ref()],
    };
    for (compared, relation, bound) in
        [(shifted(&c.node.lhs), relation, c.node.rhs.as_ref()), (shifted(&c.node.rhs), mirrored(relation), c.node.lhs.as_ref())]
    {
        let Some((name, shift)) = compared else { continue };
        let Some(k) = parts.iter().position(|p| step_of(p).is_some_and(|(n, ..)| n == name)) else { continue };
        let part = parts.remove(k);
        let (_, up, amount) = step_of(part)?;
        return Some(Recognized { name, relation, bound, shift, step: (up, amount), step_span: part.span, extras: parts });
    }
    None
}

fn mirrored(r: BoolOp) -> BoolOp {
    match r {
        BoolOp::LessThan => BoolOp::GreaterThan,
        BoolOp::LessOrEqual => BoolOp::GreaterOrEqual,
        BoolOp::GreaterThan => BoolOp::LessThan,
        BoolOp::GreaterOrEqual => BoolOp::LessOrEqual,
        other => other,
    }
}

impl<'a> Lower<'a> {
    /// `for`
    pub fn for_(&mut self, s: &'a Node<Statement>, f: &'a ForStatement) -> Res<()> {
        self.begin_statement(Span { start: s.span.start, end: f.initializer.span.start }, false);
        self.blocks.push(FxHashMap::default());
        self.body().block_ends.push(s.span.end);
        let r = self.for_inside(s, f);
        self.body().block_ends.pop();
        self.blocks.pop();
        r
    }

    fn for_inside(&mut self, s: &'a Node<Statement>, f: &'a ForStatement) -> Res<()> {
        let recognized = recognize(f);
        // Everything the head starts with except the loop variable's own value.
        let mut start: Option<(&'a Node<E>, Span)> = None;
        let counted_name = recognized.as_ref().map(|r| r.name);
        let mut set = false;
        match &f.initializer.node {
            ForInitializer::Declaration(d) => {
                let initializer =
                    d.node.declarators.iter().find_map(|i| match (&i.node.initializer, declared_name(&i.node.declarator.node)) {
                        (Some(init), Some((name, _))) if Some(name) == counted_name && declared_depth(&i.node.declarator.node) == 0 => {
                            match &init.node {
                                Initializer::Expression(e) => Some((e.as_ref(), i.span)),
                                Initializer::List(_) => None,
                            }
                        }
                        _ => None,
                    });
                let alone = d.node.declarators.len() == 1;
                if let Some(found) = initializer.filter(|_| alone || !self.reads(d.span, counted_name)) {
                    start = Some(found);
                }
                self.declare_locals(d, start.map(|(e, _)| e.span))?;
                // A pointer has its first value by its declaration.
                if let ([i], true) = (&d.node.declarators[..], start.is_none())
                    && declared_name(&i.node.declarator.node).is_some_and(|(name, _)| Some(name) == counted_name)
                    && let Some(Initializer::Expression(e)) = i.node.initializer.as_ref().map(|n| &n.node)
                {
                    set = true;
                    start = Some((e.as_ref(), i.span));
                }
            }
            ForInitializer::Expression(e) => {
                let parts: Vec<&'a Node<E>> = match &e.node {
                    E::Comma(list) => list.iter().collect(),
                    _ => vec![e],
                };
                for p in &parts {
                    let own = match &p.node {
                        E::BinaryOperator(b)
                            if b.node.operator.node == B::Assign && name_of(&b.node.lhs) == counted_name && counted_name.is_some() =>
                        {
                            Some(b.node.rhs.as_ref())
                        }
                        _ => None,
                    };
                    match own {
                        Some(value)
                            if start.is_none()
                                && !parts.iter().any(|q| q.span.start > p.span.start && self.mentions(q.span, counted_name)) =>
                        {
                            start = Some((value, p.span));
                            // A pointer must be known to be in its array before the loop is built.
                            if let E::BinaryOperator(b) = &p.node
                                && self.named_variable(&b.node.lhs).is_some_and(|v| self.reassigned(&v).is_some())
                            {
                                set = true;
                                self.initial_effect(p)?;
                            }
                        }
                        _ => self.initial_effect(p)?,
                    }
                }
            }
            _ => {}
        }
        let rest = Span { start: f.initializer.span.end, end: s.span.end };
        self.forget_targets(rest);
        let r = self.for_iterations(s, f, recognized, (start, set));
        self.forget_targets(rest);
        r
    }

    fn initial_effect(&mut self, p: &'a Node<E>) -> Res<()> {
        self.body().top = Some((p.span, p.span));
        let done = self.full_with_deferral(p, |l, e| l.effect(e));
        self.body().top = None;
        done
    }

    /// The loop behind its initializations: the first value of what counts, and whether it has that already.
    fn for_iterations(
        &mut self,
        s: &'a Node<Statement>,
        f: &'a ForStatement,
        recognized: Option<Recognized<'a>>,
        (start, set): (Option<(&'a Node<E>, Span)>, bool),
    ) -> Res<()> {
        let head = Span { start: s.span.start, end: f.statement.span.start };
        let counted_name = recognized.as_ref().map(|r| r.name);
        if let Some(r) = recognized
            && let Some(head_loop) = self.counted_head(&r, start, f)?
        {
            let text = self.original(head);
            let open = self.body().loop_ranges.len();
            self.body().loop_ranges.extend(LoopRange::of(&head_loop));
            let v = self.body().builder.begin_for(head_loop);
            self.dress(v, head, text);
            let tail: Vec<Tail> = r.extras.iter().map(|e| Tail::Effect(e)).collect();
            let r = self.body_of_loop(&f.statement, tail);
            self.body().loop_ranges.truncate(open);
            return r;
        }
        if let (Some((value, span)), Some(name), false) = (start, counted_name, set) {
            self.start_variable(name, value, span)?;
        }
        let mut tail: Vec<Tail> = f.step.iter().map(|e| Tail::Effect(e)).collect();
        let condition = match &f.condition {
            Some(c) => self.loop_condition(c, &mut tail)?,
            None => Expr::bool(true),
        };
        let text = self.original(head);
        let v = self.body().builder.begin_while(condition);
        self.dress(v, head, text);
        self.body_of_loop(&f.statement, tail)
    }

    /// True where the other declarators of a `for` head use the loop variable.
    fn reads(&mut self, declaration: Span, name: Option<&str>) -> bool {
        let facts = self.body().facts.clone();
        facts
            .events(declaration.start, declaration.end)
            .iter()
            .any(|e| e.kind == Kind::Read && Some(facts.vars[e.var].name.as_str()) == name)
    }

    /// True where these bytes use or change the variable of that name.
    fn mentions(&mut self, span: Span, name: Option<&str>) -> bool {
        let facts = self.body().facts.clone();
        facts.events(span.start, span.end).iter().any(|e| e.kind != Kind::Call && Some(facts.vars[e.var].name.as_str()) == name)
    }

    /// The loop variable gets its first value in a statement of its own.
    fn start_variable(&mut self, name: &str, value: &'a Node<E>, span: Span) -> Res<()> {
        let Some(Binding::Variable(v)) = self.find(name).cloned() else { return Ok(()) };
        match v.place {
            Place::Object(symbol) => {
                let e = self.full(value, |l, e| l.value(e))?.stored_as(&v.ty);
                self.emit_assignment(VarRef::whole(symbol), e, span);
            }
            Place::Walking { .. } => {
                let target = self.full(value, |l, e| l.pointer(e))?;
                self.set_pointer(value, &v, target)?;
            }
            _ => {
                return refuse(LVALUE, value, format!("`{name}` cannot be the variable of a loop"));
            }
        }
        Ok(())
    }

    fn loop_variable(&self, name: &str) -> Option<(Variable, SymbolId)> {
        match self.find(name) {
            Some(Binding::Variable(v)) => match &v.place {
                Place::Object(symbol) if matches!(v.ty, CType::Int { .. }) => Some((v.clone(), *symbol)),
                // A pointer counts by its subscript.
                Place::Walking { offsets, .. } => match offsets[..] {
                    [at] => Some((Variable { ty: CType::LONG, ..v.clone() }, at)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// First value or bound of a loop: an integer, or where a pointer is in the array of the loop's pointer.
    fn limit(&mut self, variable: &Variable, e: &'a Node<E>) -> Res<Option<Value>> {
        let Place::Walking { base, rows, .. } = &variable.place else { return Ok(Some(self.full(e, |l, e| l.value(e))?)) };
        let p = self.full(e, |l, e| l.pointer(e))?;
        let same = p.base == *base && p.subs.len() == rows.len() + 1 && p.subs.starts_with(rows);
        Ok(p.subs.last().filter(|_| same).map(|at| Value::new(at.clone(), CType::LONG)))
    }

    /// By how much the variable is moved where it is compared, if the bound may be moved instead.
    fn moved_where_compared(&mut self, r: &Recognized<'a>, variable: &Variable) -> Option<i64> {
        let Some((plus, c)) = r.shift else { return Some(0) };
        // Sums of numbers without a sign start again at 0.
        let signed = |t: CType| t.is_integer() && !t.is_unsigned();
        let pointer = matches!(variable.place, Place::Walking { .. });
        if !signed(variable.ty.clone()) || !signed(self.type_of(c)?) || !pointer && !signed(self.type_of(r.bound)?) {
            return None;
        }
        let c = i64::try_from(self.constant_integer(c)?).ok().filter(|c| c.unsigned_abs() <= 1 << 30)?;
        Some(if plus { c } else { -c })
    }

    /// The head of a `ForLoop`, if the loop is one.
    fn counted_head(&mut self, r: &Recognized<'a>, start: Option<(&'a Node<E>, Span)>, f: &'a ForStatement) -> Res<Option<ForLoop>> {
        let Some((variable, symbol)) = self.loop_variable(r.name) else { return Ok(None) };
        let (Some((first, first_span)), Some(fact)) = (start, variable.fact) else { return Ok(None) };
        let simple = |l: &Self, span: Span| l.effects_of(span) == 0;
        let (up, amount) = r.step;
        if !simple(self, r.bound.span) || !amount.is_none_or(|a| simple(self, a.span)) {
            return Ok(None);
        }
        let facts = self.body().facts.clone();
        let mentions = |span: Span, var: usize| facts.events(span.start, span.end).iter().any(|e| e.var == var && e.kind != Kind::Call);
        // The bound may not depend on the variable, and what else is done with the step neither.
        if mentions(r.bound.span, fact) || amount.is_some_and(|a| mentions(a.span, fact)) || r.extras.iter().any(|e| mentions(e.span, fact))
        {
            return Ok(None);
        }
        if amount.is_some_and(|a| !r.extras.iter().all(|x| self.unchanged(a.span, x.span))) {
            return Ok(None);
        }
        let Some(moved) = self.moved_where_compared(r, &variable) else { return Ok(None) };
        // What follows may emit statements: from here on the loop is one.
        if amount.is_some_and(|a| !self.type_of(a).is_some_and(|t| t.is_integer())) {
            return Ok(None);
        }
        if matches!(variable.place, Place::Walking { .. }) && !simple(self, first.span) {
            return Ok(None);
        }
        let (Some(first), Some(bound)) = (self.limit(&variable, first)?, self.limit(&variable, r.bound)?) else { return Ok(None) };
        let (first, mut bound) = (first.stored_as(&variable.ty), bound.number());
        if moved != 0 {
            bound.expr = plus(bound.expr, -moved);
        }
        let step = match amount {
            Some(a) => self.value(a)?.number(),
            None => Value::new(Expr::int(1), CType::INT),
        };
        let body = f.statement.span;
        let constant = step.expr.as_int();
        let forwards = matches!(r.relation, BoolOp::LessThan | BoolOp::LessOrEqual);
        let direction = match constant {
            Some(n) => n != 0 && (n > 0) == (forwards == up),
            // Iterations in the other direction are none, however the sum may look.
            None => forwards == up && self.is_never_negative(&step.expr),
        };
        let counted = direction
            && r.relation != BoolOp::NotEqual
            && bound.ty.is_integer()
            && !facts.vars[fact].address
            && !facts.vars[fact].global
            && (*self.program.symbol(symbol).storage() != xaif::model::Storage::Static || !self.comes_back(body))
            && !facts.changes(fact, body.start, body.end)
            && self.unchanged(r.bound.span, body)
            && r.extras.iter().all(|x| self.unchanged(r.bound.span, x.span))
            && amount.is_none_or(|a| self.unchanged(a.span, body));
        // Without a sign, what comes before the first iteration would be far behind the last.
        let cast = |e: &Expr| e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(o) if o.name == "int_scal"));
        let counted = counted && (variable.ty.is_unsigned() || !bound.ty.is_unsigned() || !cast(&bound.expr));
        // A negative number that is compared without a sign is a great one.
        let compared = CType::common(&variable.ty, &bound.ty);
        let counted = counted && (variable.ty.is_unsigned() || !compared.is_unsigned() || forwards && self.is_never_negative(&first));
        let condition = relation(r.relation, [Expr::sym(symbol), bound.expr]);
        let text = self.original(first_span);
        let comment = std::mem::take(&mut self.body().comment);
        let init = self.statement_of(StmtKind::Assignment { lhs: VarRef::whole(symbol), rhs: first }, first_span, text);
        let next = match (up, constant) {
            (true, Some(n)) if n < 0 && n > i64::MIN => op("sub_scal_scal", "", [Expr::sym(symbol), Expr::int(-n)]),
            (false, Some(n)) if n < 0 && n > i64::MIN => op("add_scal_scal", "", [Expr::sym(symbol), Expr::int(-n)]),
            (true, _) => op("add_scal_scal", "", [Expr::sym(symbol), step.expr]),
            (false, _) => op("sub_scal_scal", "", [Expr::sym(symbol), step.expr]),
        };
        let text = self.original(r.step_span);
        let update = self.statement_of(StmtKind::Assignment { lhs: VarRef::whole(symbol), rhs: next }, r.step_span, text);
        self.body().comment = comment;
        Ok(Some(ForLoop { explicit: false, init, condition, update, counted }))
    }

    /// Whether an integer is a sum or product of numbers that cannot be negative.
    fn is_never_negative(&self, e: &Expr) -> bool {
        let loop_ranges = self.body.as_ref().map_or(&[][..], |b| &b.loop_ranges);
        match &e.root().kind {
            NodeKind::Const(_) => e.as_int().is_some_and(|n| n >= 0),
            NodeKind::Var(r) => {
                self.program.symbol(r.symbol).has_attribute("unsigned")
                    || loop_ranges.iter().any(|x| x.variable == r.symbol && self.is_never_negative(&x.lowest))
            }
            NodeKind::Op(o) if matches!(o.name.as_str(), "add_scal_scal" | "mul_scal_scal") => {
                e.root().operands.iter().all(|&o| self.is_never_negative(&e.subexpr(o)))
            }
            _ => false,
        }
    }

    /// True where nothing in `region` can change what these bytes are worth.
    pub fn unchanged(&mut self, value: Span, region: Span) -> bool {
        let facts = self.body().facts.clone();
        let inside = facts.events(region.start, region.end);
        let calls: Vec<&str> = inside.iter().filter(|e| e.kind == Kind::Call).map(|e| facts.callees[e.var].as_str()).collect();
        let changes_element = |l: &Self, e: &Event| match e.kind {
            Kind::Store => true,
            Kind::Handed | Kind::Address => true,
            _ => l.body.is_none(),
        };
        for e in facts.events(value.start, value.end) {
            let v = &facts.vars[e.var];
            match e.kind {
                Kind::Read if !v.global => {
                    if facts.changes(e.var, region.start, region.end) {
                        return false;
                    }
                }
                Kind::Read => {
                    if self.global_constant(&v.name) || v.memory {
                        continue;
                    }
                    let written = inside.iter().any(|x| x.var == e.var && matches!(x.kind, Kind::Write | Kind::Address));
                    if written
                        || self.calls_may_change(&calls, &v.name)
                        || (self.escaping.contains(&v.name) && self.stores_integers(inside, e.var))
                    {
                        return false;
                    }
                }
                Kind::Load => {
                    if inside.iter().any(|x| x.var == e.var && x.kind != Kind::Call && (changes_element(self, x) || x.kind == Kind::Write))
                    {
                        return false;
                    }
                    let local = self.body().symbols.get(&e.var).copied();
                    let aliases = local.is_none_or(|s| self.program.symbol(s).decl.as_ref().is_none_or(|d| d.may_alias) || v.global);
                    if aliases && self.stores_integers(inside, e.var) {
                        return false;
                    }
                    if (v.global || aliases) && !calls.iter().all(|c| self.is_harmless(c)) {
                        return false;
                    }
                }
                Kind::Call => {
                    if !self.is_math(&facts.callees[e.var]) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// True for a variable at file scope that is never written.
    fn global_constant(&self, name: &str) -> bool {
        match self.find(name) {
            Some(Binding::Variable(v)) => {
                v.value.is_some()
                    || matches!(v.place, Place::Object(s) if *self.program.symbol(s).storage() == xaif::model::Storage::Constant)
            }
            Some(Binding::Enumerator { .. }) => true,
            _ => math::builtin_macro(name).is_some(),
        }
    }

    /// Whether calls in a region may lead to the function itself, which has one static variable for all its calls.
    fn comes_back(&mut self, region: Span) -> bool {
        let (facts, name) = (self.body().facts.clone(), self.body().name.clone());
        let calls = facts.events(region.start, region.end).iter().filter(|e| e.kind == Kind::Call);
        calls.into_iter().any(|e| self.effects.leads_to(&facts.callees[e.var], self.file, &name, &|c| self.is_harmless(c)))
    }

    fn is_harmless(&self, callee: &str) -> bool {
        self.is_math(callee) || self.is_library(callee)
    }

    fn calls_may_change(&self, calls: &[&str], global: &str) -> bool {
        calls.iter().any(|c| match self.effects.touched(c, self.file) {
            Some(t) => t.writes.contains(global) || t.unknown,
            None => !self.is_harmless(c),
        })
    }

    /// Whether integers are stored through another array or pointer that could be this variable.
    fn stores_integers(&mut self, inside: &[Event], except: usize) -> bool {
        let symbols = self.body().symbols.clone();
        inside.iter().any(|x| {
            x.kind != Kind::Call
                && x.var != except
                && matches!(x.kind, Kind::Store | Kind::Handed)
                && symbols.get(&x.var).is_none_or(|s| {
                    let s = self.program.symbol(*s);
                    !matches!(s.ty.base, BaseType::Real) && s.decl.as_ref().is_none_or(|d| d.may_alias)
                })
        })
    }

    /// The condition of a loop that tests first. Where it has side effects it is computed into a variable, here and in the tail.
    fn loop_condition(&mut self, c: &'a Node<E>, tail: &mut Vec<Tail<'a>>) -> Res<Expr> {
        if self.effects_of(c.span) == 0 {
            return self.full(c, |l, e| l.condition(e));
        }
        let t = self.temporary("test", &CType::Bool);
        let pieces = [Tail::Condition(c, t)];
        self.tail(&pieces)?;
        tail.extend(pieces);
        Ok(Expr::sym(t))
    }

    fn body_of_loop(&mut self, body: &'a Node<Statement>, tail: Vec<Tail<'a>>) -> Res<()> {
        let late = self.body().late.len();
        self.body().targets.push(Target::Loop { tail: tail.clone(), late });
        self.scoped(body);
        self.body().targets.pop();
        let r = if self.body().builder.is_dead() { Ok(()) } else { self.tail(&tail) };
        self.body().builder.end_loop();
        r
    }

    /// `while`
    pub fn while_(&mut self, s: &'a Node<Statement>, w: &'a WhileStatement) -> Res<()> {
        self.begin_statement(s.span, false);
        let head = Span { start: s.span.start, end: w.statement.span.start };
        let mut tail = Vec::new();
        let condition = self.loop_condition(&w.expression, &mut tail);
        let condition = self.noted(condition).unwrap_or_else(|| Expr::bool(true));
        let text = self.original(head);
        let v = self.body().builder.begin_while(condition);
        self.dress(v, head, text);
        self.body_of_loop(&w.statement, tail)
    }

    /// `do ... while`
    pub fn do_while(&mut self, s: &'a Node<Statement>, w: &'a DoWhileStatement) -> Res<()> {
        self.begin_statement(s.span, false);
        if self.constant_integer(&w.expression) == Some(0) && !leaves(&w.statement.node) {
            self.scoped(&w.statement);
            return Ok(());
        }
        let head = Span { start: s.span.start, end: w.statement.span.start };
        let v = self.body().builder.begin_do_while(Expr::bool(true));
        let text = format!("do ... while ({})", self.original(w.expression.span));
        self.dress(v, head, text);
        let (condition, tail) = if self.effects_of(w.expression.span) == 0 {
            let c = self.full(&w.expression, |l, e| l.condition(e));
            (self.noted(c).unwrap_or_else(|| Expr::bool(true)), Vec::new())
        } else {
            let t = self.temporary("test", &CType::Bool);
            (Expr::sym(t), vec![Tail::Condition(w.expression.as_ref(), t)])
        };
        self.body().builder.vertex_mut(v).kind = VertexKind::Post(condition);
        self.body_of_loop(&w.statement, tail)
    }
}

/// True where `break` or `continue` leaves this statement.
fn leaves(s: &Statement) -> bool {
    use lang_c::ast::BlockItem;
    match s {
        Statement::Break | Statement::Continue => true,
        Statement::Labeled(l) => leaves(&l.node.statement.node),
        Statement::Compound(items) => items.iter().any(|i| matches!(&i.node, BlockItem::Statement(s) if leaves(&s.node))),
        Statement::If(i) => leaves(&i.node.then_statement.node) || i.node.else_statement.as_ref().is_some_and(|e| leaves(&e.node)),
        // `break` belongs to the switch, `continue` does not.
        Statement::Switch(w) => leaves(&w.node.statement.node),
        _ => false,
    }
}
