//! Functions that give memory whose first index is one of their arguments, read as if it were 0.
//!
//! ```text
//! double *vector(long nl, long nh) {                        double *vector(long nl, long nh) {
//!   double *v = malloc((nh - nl + 1 + 1) * sizeof *v); ->     double *v = malloc((nh - nl + 1 + 1 - (1 - nl)) * sizeof *v);
//!   return v - nl + 1;                                        return v;
//! }                                                         }
//! ```
//!
//! The same with rows: `m += 1; m -= nrl;`, then one block for all rows (`m[nrl]`, likewise shifted, and `m[i] = m[i - 1] + ncol`) or memory for each.
//! As long as all that functions are asked for begins at 0 or behind it, memory that begins at 0 holds it too. What they give in front of what they are
//! asked for is left out: nobody may look there. What is freed may be shifted back.
//!
//! Lives here: the syntax tree, changed before anything looks at it. Never here: what allocations become.

use super::syntax::{callee_name, declared_depth, declared_name, parameter_names, uncast};
use lang_c::ast::{
    BinaryOperator as B, BinaryOperatorExpression, BlockItem, CallExpression, Constant, Declaration, Expression as E, ExternalDeclaration,
    ForInitializer, ForStatement, FunctionDefinition, Identifier, Initializer, Integer, IntegerBase, IntegerSize, IntegerSuffix, Statement,
    TranslationUnit, UnaryOperator as U, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashMap;

/// Parts of a sum, each with its sign.
type Terms = Vec<(bool, Node<E>)>;

/// What a function does that gives shifted memory.
struct Shifted {
    /// The variable that holds the memory, and its declaration.
    variable: String,
    declaration: Node<Declaration>,
    /// What is allocated for it.
    memory: Node<E>,
    shift: Terms,
    rows: Option<Rows>,
}

/// Memory of rows.
struct Rows {
    memory: Node<E>,
    shift: Terms,
    /// How far each row is from the one before, where all are one block.
    step: Option<Node<E>>,
}

/// Lets such functions give memory that begins at 0.
pub(crate) fn settle(trees: &mut [&mut TranslationUnit]) {
    let mut found: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for tree in &*trees {
        for item in &tree.0 {
            if let ExternalDeclaration::FunctionDefinition(f) = &item.node
                && let Some(s) = shifted(&f.node)
                && let Some((name, _)) = declared_name(&f.node.declarator.node)
                && let Some(lower) = lower_bounds(&f.node, &s)
            {
                found.insert(name.to_owned(), lower);
            }
        }
    }
    if found.is_empty() {
        return;
    }
    let mut calls = Calls { found };
    for tree in &*trees {
        calls.visit_translation_unit(tree);
    }
    for tree in trees {
        for item in &mut tree.0 {
            let ExternalDeclaration::FunctionDefinition(f) = &mut item.node else { continue };
            let ours = declared_name(&f.node.declarator.node).is_some_and(|(n, _)| calls.found.contains_key(n));
            if let Some(s) = shifted(&f.node).filter(|_| ours)
                && let Some(body) = unshifted(&s, f.span)
            {
                f.node.statement.node = body;
            }
        }
    }
}

/// Which functions are asked for nothing before 0.
struct Calls {
    /// Their parameters that must not be negative.
    found: FxHashMap<String, Vec<usize>>,
}

impl<'a> Visit<'a> for Calls {
    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Span) {
        if let Some(name) = callee_name(c)
            && let Some(lower) = self.found.get(name)
            && !lower.iter().all(|&k| c.arguments.get(k).and_then(number).is_some_and(|n| n >= 0))
        {
            self.found.remove(name);
        }
        visit::visit_call_expression(self, c, span);
    }
}

fn number(e: &Node<E>) -> Option<i64> {
    match &uncast(e).node {
        E::Constant(c) => match &c.node {
            Constant::Integer(n) if n.base == IntegerBase::Decimal => n.number.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn name(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

/// Adds the parts of a sum.
fn terms(e: &Node<E>, plus: bool, out: &mut Terms) {
    match &e.node {
        E::BinaryOperator(b) if matches!(b.node.operator.node, B::Plus | B::Minus) => {
            terms(&b.node.lhs, plus, out);
            terms(&b.node.rhs, plus == (b.node.operator.node == B::Plus), out);
        }
        _ => out.push((plus, e.clone())),
    }
}

/// The parameters that are subtracted in shifts; nothing where a shift has other parts than those and numbers.
fn lower_bounds(f: &FunctionDefinition, s: &Shifted) -> Option<Vec<usize>> {
    let names = parameter_names(f)?;
    let mut out = Vec::new();
    for (plus, t) in s.shift.iter().chain(s.rows.iter().flat_map(|r| &r.shift)) {
        match name(t) {
            Some(n) if !plus => out.push(names.iter().position(|p| *p == n)?),
            None if number(t).is_some() => {}
            _ => return None,
        }
    }
    (!out.is_empty()).then_some(out)
}

/// What stands in a function's body, read one after the other.
#[derive(Default)]
struct Reading {
    /// Integers that stand for what they are set to.
    values: FxHashMap<String, Node<E>>,
    variable: Option<String>,
    declaration: Option<Node<Declaration>>,
    memory: Option<Node<E>>,
    shift: Terms,
    rows: Option<Rows>,
    /// The index of the row that all rows' memory is given to.
    first: Option<Node<E>>,
}

fn shifted(f: &FunctionDefinition) -> Option<Shifted> {
    let depth = declared_depth(&f.declarator.node);
    let Statement::Compound(items) = &f.statement.node else { return None };
    let (last, before) = items.split_last()?;
    let BlockItem::Statement(s) = &last.node else { return None };
    let Statement::Return(Some(e)) = &s.node else { return None };
    let mut r = Reading::default();
    for item in before {
        match &item.node {
            BlockItem::Declaration(d) => r.declaration(d, depth)?,
            BlockItem::Statement(s) => r.statement(s)?,
            BlockItem::StaticAssert(_) => return None,
        }
    }
    let mut parts = Terms::new();
    terms(e, true, &mut parts);
    let variable = r.variable.clone()?;
    let at = parts.iter().position(|(plus, t)| *plus && name(t) == Some(&variable))?;
    parts.remove(at);
    for (plus, t) in parts {
        r.shift.push((plus, r.plain(&t)?));
    }
    let complete = depth == 1 && r.rows.is_none() || depth == 2 && r.rows.is_some();
    let fits = complete && (r.first.is_none() || r.rows.as_ref().is_some_and(|r| r.step.is_some()));
    let any = !r.shift.is_empty() || r.rows.as_ref().is_some_and(|r| r.step.is_some() || !r.shift.is_empty());
    let (declaration, memory) = (r.declaration?, r.memory?);
    (fits && any).then_some(Shifted { variable, declaration, memory, shift: r.shift, rows: r.rows })
}

impl Reading {
    fn declaration(&mut self, d: &Node<Declaration>, depth: usize) -> Option<()> {
        for i in &d.node.declarators {
            let (declared, _) = declared_name(&i.node.declarator.node)?;
            let value = match i.node.initializer.as_ref().map(|i| &i.node) {
                None => None,
                Some(Initializer::Expression(e)) => Some(&**e),
                Some(Initializer::List(_)) => return None,
            };
            match declared_depth(&i.node.declarator.node) {
                0 => {
                    if let Some(e) = value {
                        let e = self.plain(e)?;
                        self.values.insert(declared.to_owned(), e);
                    }
                }
                n if n == depth && self.variable.is_none() => {
                    self.variable = Some(declared.to_owned());
                    let mut one = i.clone();
                    one.node.initializer = None;
                    let only = Declaration { specifiers: d.node.specifiers.clone(), declarators: vec![one] };
                    self.declaration = Some(Node::new(only, d.span));
                    if let Some(e) = value {
                        self.memory = Some(self.allocation(e)?);
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn statement(&mut self, s: &Node<Statement>) -> Option<()> {
        match &s.node {
            Statement::Expression(None) => Some(()),
            // `(void)n;`
            Statement::Expression(Some(e)) if matches!(&e.node, E::Cast(c) if name(&c.node.expression).is_some()) => Some(()),
            Statement::Expression(Some(e)) => self.expression(e),
            // What is done without memory is nothing to those that have it.
            Statement::If(i) if i.node.else_statement.is_none() && self.asks(&i.node.condition) => Some(()),
            Statement::For(f) if self.memory.is_some() => self.rows(&f.node),
            _ => None,
        }
    }

    fn expression(&mut self, e: &Node<E>) -> Option<()> {
        let E::BinaryOperator(b) = &e.node else { return None };
        let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
        let plus = match b.node.operator.node {
            B::Assign => None,
            B::AssignPlus => Some(true),
            B::AssignMinus => Some(false),
            _ => return None,
        };
        if name(lhs).is_some() && name(lhs) == self.variable.as_deref() {
            match plus {
                None if self.memory.is_none() => self.memory = Some(self.allocation(rhs)?),
                Some(plus) if self.memory.is_some() && self.rows.is_none() => {
                    let rhs = self.plain(rhs)?;
                    self.shift.push((plus, rhs));
                }
                _ => return None,
            }
            return Some(());
        }
        let index = self.row(lhs)?;
        match plus {
            None if self.rows.is_none() && self.memory.is_some() => {
                self.rows = Some(Rows { memory: self.allocation(rhs)?, shift: Terms::new(), step: None });
                self.first = Some(index);
            }
            Some(plus) if self.first.as_ref().is_some_and(|f| same(f, &index)) => {
                let rhs = self.plain(rhs)?;
                self.rows.as_mut().filter(|r| r.step.is_none())?.shift.push((plus, rhs));
            }
            _ => return None,
        }
        Some(())
    }

    /// `m[i]`: the index.
    fn row(&self, e: &Node<E>) -> Option<Node<E>> {
        match &uncast(e).node {
            E::BinaryOperator(b)
                if b.node.operator.node == B::Index && name(&b.node.lhs).is_some() && name(&b.node.lhs) == self.variable.as_deref() =>
            {
                self.plain(&b.node.rhs)
            }
            _ => None,
        }
    }

    /// A loop over the rows: each begins behind the one before, or gets memory of its own.
    fn rows(&mut self, f: &ForStatement) -> Option<()> {
        let E::UnaryOperator(step) = &f.step.as_ref()?.node else { return None };
        let counter = name(&step.node.operand).filter(|_| matches!(step.node.operator.node, U::PostIncrement | U::PreIncrement))?;
        let list: Vec<&Node<Statement>> = match &f.statement.node {
            Statement::Compound(items) => items
                .iter()
                .map(|i| match &i.node {
                    BlockItem::Statement(s) => Some(s),
                    _ => None,
                })
                .collect::<Option<_>>()?,
            _ => vec![&f.statement],
        };
        for s in list {
            match &s.node {
                Statement::If(i) if i.node.else_statement.is_none() && self.asks(&i.node.condition) => continue,
                Statement::Expression(Some(e)) => {
                    let E::BinaryOperator(b) = &e.node else { return None };
                    let index = self.row(&b.node.lhs)?;
                    if name(&index) != Some(counter) {
                        return None;
                    }
                    match (b.node.operator.node.clone(), self.first.is_some()) {
                        (B::Assign, true) => {
                            let step = self.behind(&b.node.rhs, counter)?;
                            let rows = self.rows.as_mut().filter(|r| r.step.is_none())?;
                            rows.step = Some(step);
                        }
                        (B::Assign, false) if self.rows.is_none() => {
                            self.rows = Some(Rows { memory: self.allocation(&b.node.rhs)?, shift: Terms::new(), step: None });
                        }
                        (o @ (B::AssignPlus | B::AssignMinus), false) => {
                            let rhs = self.plain(&b.node.rhs)?;
                            self.rows.as_mut()?.shift.push((o == B::AssignPlus, rhs));
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// `m[i - 1] + n`: how far that is from the row before.
    fn behind(&self, e: &Node<E>, counter: &str) -> Option<Node<E>> {
        let E::BinaryOperator(b) = &e.node else { return None };
        let E::BinaryOperator(before) = &self.row(&b.node.lhs).filter(|_| b.node.operator.node == B::Plus)?.node else { return None };
        let one_less =
            before.node.operator.node == B::Minus && name(&before.node.lhs) == Some(counter) && number(&before.node.rhs) == Some(1);
        one_less.then(|| self.plain(&b.node.rhs)).flatten()
    }

    /// `!v`, `v == NULL`, `!m[i]`.
    fn asks(&self, e: &Node<E>) -> bool {
        let ours = |e: &Node<E>| self.variable.is_some() && (name(e) == self.variable.as_deref() || self.row(e).is_some());
        let null = |e: &Node<E>| number(e) == Some(0) || name(e) == Some("NULL");
        match &e.node {
            E::UnaryOperator(u) => u.node.operator.node == U::Negate && ours(&u.node.operand),
            E::BinaryOperator(b) => {
                let (x, y) = (&b.node.lhs, &b.node.rhs);
                b.node.operator.node == B::Equals && (ours(x) && null(y) || null(x) && ours(y))
            }
            _ => false,
        }
    }

    /// `malloc(...)` or `calloc(...)`.
    fn allocation(&self, e: &Node<E>) -> Option<Node<E>> {
        let e = uncast(e);
        let E::Call(c) = &e.node else { return None };
        if !matches!(callee_name(&c.node), Some("malloc" | "calloc")) {
            return None;
        }
        let arguments = c.node.arguments.iter().map(|a| self.plain(a)).collect::<Option<Vec<_>>>()?;
        let call = CallExpression { callee: c.node.callee.clone(), arguments };
        Some(Node::new(E::Call(Box::new(Node::new(call, c.span))), e.span))
    }

    /// Without effects, and in terms of parameters.
    fn plain(&self, e: &Node<E>) -> Option<Node<E>> {
        let node = match &e.node {
            E::Identifier(i) => match self.values.get(&i.node.name) {
                Some(value) => return Some(value.clone()),
                None => e.node.clone(),
            },
            E::Constant(_) | E::SizeOfTy(_) | E::SizeOfVal(_) => e.node.clone(),
            E::Cast(c) => {
                let mut c = c.clone();
                *c.node.expression = self.plain(&c.node.expression)?;
                E::Cast(c)
            }
            E::BinaryOperator(b) if matches!(b.node.operator.node, B::Plus | B::Minus | B::Multiply) => {
                let (x, y) = (self.plain(&b.node.lhs)?, self.plain(&b.node.rhs)?);
                return Some(joined(b.node.operator.node.clone(), x, y));
            }
            _ => return None,
        };
        Some(Node::new(node, e.span))
    }
}

fn same(a: &Node<E>, b: &Node<E>) -> bool {
    match (&uncast(a).node, &uncast(b).node) {
        (E::Identifier(x), E::Identifier(y)) => x.node.name == y.node.name,
        (E::BinaryOperator(x), E::BinaryOperator(y)) => {
            x.node.operator.node == y.node.operator.node && same(&x.node.lhs, &y.node.lhs) && same(&x.node.rhs, &y.node.rhs)
        }
        _ => number(a).is_some() && number(a) == number(b),
    }
}

fn joined(operator: B, lhs: Node<E>, rhs: Node<E>) -> Node<E> {
    let span = Span::span(lhs.span.start, rhs.span.end.max(lhs.span.start));
    let whole = BinaryOperatorExpression { operator: Node::new(operator, span), lhs: Box::new(lhs), rhs: Box::new(rhs) };
    Node::new(E::BinaryOperator(Box::new(Node::new(whole, span))), span)
}

/// A number less the parts of a shift.
fn less(e: Node<E>, shift: &Terms) -> Node<E> {
    shift.iter().fold(e, |e, (plus, t)| joined(if *plus { B::Minus } else { B::Plus }, e, t.clone()))
}

fn is_size(e: &Node<E>) -> bool {
    matches!(uncast(e).node, E::SizeOfTy(_) | E::SizeOfVal(_))
}

/// An allocation of another number of elements.
fn of_number(memory: &Node<E>, number: impl FnOnce(Node<E>) -> Option<Node<E>>) -> Option<Node<E>> {
    let E::Call(c) = &memory.node else { return None };
    let mut c = c.clone();
    match &mut c.node.arguments[..] {
        [n, _] => *n = number(n.clone())?,
        [bytes] => {
            let E::BinaryOperator(b) = &uncast(bytes).node else { return None };
            let (x, y) = (b.node.lhs.as_ref().clone(), b.node.rhs.as_ref().clone());
            *bytes = match (is_size(&x), is_size(&y)) {
                _ if b.node.operator.node != B::Multiply => return None,
                (false, true) => joined(B::Multiply, number(x)?, y),
                (true, false) => joined(B::Multiply, x, number(y)?),
                _ => return None,
            };
        }
        _ => return None,
    }
    Some(Node::new(E::Call(c), memory.span))
}

/// How many elements a row has, behind its first, that is part of a block of `total`.
fn row_length(total: &Node<E>, step: &Node<E>) -> Option<Node<E>> {
    let mut parts = Terms::new();
    terms(uncast(total), true, &mut parts);
    let product = |t: &Node<E>| matches!(&uncast(t).node, E::BinaryOperator(b) if b.node.operator.node == B::Multiply && (same(&b.node.lhs, step) || same(&b.node.rhs, step)));
    let at = parts.iter().position(|(plus, t)| *plus && product(t))?;
    parts.remove(at);
    let rest = parts.iter().all(|(_, t)| number(t).is_some());
    let sum = |e, (plus, t): (bool, Node<E>)| joined(if plus { B::Plus } else { B::Minus }, e, t);
    rest.then(|| parts.into_iter().fold(step.clone(), sum))
}

fn named(name: &str, span: Span) -> Node<E> {
    Node::new(E::Identifier(Box::new(Node::new(Identifier { name: name.to_owned() }, span))), span)
}

fn integer(n: u8, span: Span) -> Node<E> {
    let suffix = IntegerSuffix { size: IntegerSize::Int, unsigned: false, imaginary: false };
    let n = Integer { base: IntegerBase::Decimal, number: n.to_string().into(), suffix };
    Node::new(E::Constant(Box::new(Node::new(Constant::Integer(n), span))), span)
}

/// The body of a function that gives memory from 0 on.
fn unshifted(s: &Shifted, span: Span) -> Option<Statement> {
    let item = |s: Statement| Node::new(BlockItem::Statement(Node::new(s, span)), span);
    let set = |place: Node<E>, value: Node<E>| Statement::Expression(Some(Box::new(joined(B::Assign, place, value))));
    let variable = || named(&s.variable, span);
    let mut items = vec![Node::new(BlockItem::Declaration(s.declaration.clone()), span)];
    items.push(item(set(variable(), of_number(&s.memory, |n| Some(less(n, &s.shift)))?)));
    if let Some(r) = &s.rows {
        let memory = of_number(&r.memory, |n| {
            let length = match &r.step {
                Some(step) => row_length(&n, step)?,
                None => n,
            };
            Some(less(length, &r.shift))
        })?;
        let counter = || named("i", span);
        let step = U::PostIncrement;
        let step = UnaryOperatorExpression { operator: Node::new(step, span), operand: Box::new(counter()) };
        let given = set(joined(B::Index, variable(), counter()), memory);
        let f = ForStatement {
            initializer: Node::new(ForInitializer::Expression(Box::new(joined(B::Assign, counter(), integer(0, span)))), span),
            condition: Some(Box::new(joined(B::Less, counter(), integer(1, span)))),
            step: Some(Box::new(Node::new(E::UnaryOperator(Box::new(Node::new(step, span))), span))),
            statement: Box::new(Node::new(given, span)),
        };
        items.push(item(Statement::For(Node::new(f, span))));
    }
    items.push(item(Statement::Return(Some(Box::new(variable())))));
    Some(Statement::Compound(items))
}
