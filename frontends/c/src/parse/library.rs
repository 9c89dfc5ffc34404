//! Calls of the standard library that are statements of their own kind: output, assertions, the end of the program, filling and copying.
//!
//! Lives here: which names, and what becomes of them. Never here: memory (see `allocation`), mathematics (see `math`).

use super::facts::{Kind, callee_name, uncast};
use super::lower::{Binding, Lower, Pointer};
use super::refusal::{LIBRARY, Refusal, Res};
use super::rows::Round;
use super::types::{CType, Extent};
use super::values::{moved_back, op, relation};
use lang_c::ast::{CallExpression, Expression as E, Statement};
use lang_c::span::{Node, Span};
use xaif::model::{BoolOp, Expr, ForLoop, Marker, MarkerClass, NodeKind, Stmt, StmtKind, SymbolId, VarRef};

const OUTPUT: [&str; 12] =
    ["printf", "fprintf", "puts", "putchar", "fputs", "fputc", "putc", "fflush", "perror", "vprintf", "vfprintf", "fclose"];
const INPUT: [&str; 5] = ["scanf", "fscanf", "sscanf", "sprintf", "snprintf"];
const STOP: [&str; 5] = ["exit", "abort", "_Exit", "quick_exit", "__builtin_abort"];
const ASSERT: [&str; 3] = ["assert", "__assert_fail", "__assert_rtn"];

/// True for functions that only write to files.
pub(crate) fn is_output(name: &str) -> bool {
    OUTPUT.contains(&name) || STOP.contains(&name) || ASSERT.contains(&name)
}

/// Calls anywhere inside an expression, statement expressions included, up to what an expanded `assert` needs.
fn calls_one_of(e: &Node<E>, names: &[&str]) -> bool {
    match &e.node {
        E::Call(c) => callee_name(&c.node).is_some_and(|n| names.contains(&n)),
        E::Comma(list) => list.iter().any(|e| calls_one_of(e, names)),
        E::Cast(c) => calls_one_of(&c.node.expression, names),
        E::Conditional(c) => calls_one_of(&c.node.then_expression, names) || calls_one_of(&c.node.else_expression, names),
        E::BinaryOperator(b) => calls_one_of(&b.node.lhs, names) || calls_one_of(&b.node.rhs, names),
        E::Statement(s) => statement_calls(s, names),
        _ => false,
    }
}

fn statement_calls(s: &Node<Statement>, names: &[&str]) -> bool {
    use lang_c::ast::BlockItem;
    match &s.node {
        Statement::Compound(items) => items.iter().any(|i| matches!(&i.node, BlockItem::Statement(s) if statement_calls(s, names))),
        Statement::If(i) => {
            statement_calls(&i.node.then_statement, names) || i.node.else_statement.as_ref().is_some_and(|s| statement_calls(s, names))
        }
        Statement::Expression(Some(e)) => calls_one_of(e, names),
        _ => false,
    }
}

/// `errno`, as the preprocessor leaves it.
pub(crate) fn is_errno(e: &Node<E>) -> bool {
    match &uncast(e).node {
        E::UnaryOperator(u) if u.node.operator.node == lang_c::ast::UnaryOperator::Indirection => {
            matches!(&uncast(&u.node.operand).node, E::Call(c) if callee_name(&c.node).is_some_and(|n| matches!(n, "__errno_location" | "__error" | "_errno")))
        }
        E::Identifier(i) => i.node.name == "errno",
        _ => false,
    }
}

impl<'a> Lower<'a> {
    /// Translates a statement that is such a call; false if it is none.
    pub fn library_statement(&mut self, place: Span, e: &'a Node<E>) -> Res<bool> {
        if calls_one_of(e, &ASSERT) && !self.is_own("assert") {
            self.marker(MarkerClass::Assertion, place, e.span, false)?;
            return Ok(true);
        }
        if let E::BinaryOperator(b) = &e.node
            && b.node.operator.node == lang_c::ast::BinaryOperator::Assign
            && is_errno(&b.node.lhs)
        {
            self.marker(MarkerClass::Io, place, b.node.rhs.span, false)?;
            return Ok(true);
        }
        let inner = uncast(e);
        let E::Call(c) = &inner.node else { return Ok(false) };
        let Some(name) = callee_name(&c.node) else { return Ok(false) };
        if self.is_own(name) {
            return Ok(false);
        }
        match name {
            _ if OUTPUT.contains(&name) => self.marker(MarkerClass::Io, place, e.span, false)?,
            _ if INPUT.contains(&name) => self.marker(MarkerClass::Io, place, e.span, true)?,
            _ if STOP.contains(&name) => self.marker(MarkerClass::Stop, place, e.span, false)?,
            "free" | "cfree" => self.free(place, &c.node)?,
            "memset" => self.fill(e, &c.node)?,
            "memcpy" | "memmove" => self.copy(e, &c.node)?,
            "__builtin_unreachable" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn is_own(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Binding::Function(f)) if f.defined) || matches!(self.find(name), Some(Binding::Variable(_)))
    }

    /// A statement that is kept as text.
    pub fn marker(&mut self, class: MarkerClass, statement: Span, expression: Span, writes_arguments: bool) -> Res<()> {
        let facts = self.body().facts.clone();
        let own_effects = facts.events(expression.start, expression.end).iter().any(|e| match e.kind {
            Kind::Write | Kind::Store => true,
            Kind::Call => {
                let name = facts.callees[e.var].as_str();
                !super::math::is_known(name) && !is_output(name) && !INPUT.contains(&name) && !self.leaves_alone(name)
            }
            _ => false,
        });
        let what = self.original(statement);
        if own_effects {
            return Err(Refusal::new(LIBRARY, statement, format!("`{what}` has side effects of its own"))
                .because("statements like this one are kept as text and may be repeated or left out in derivative code")
                .help("compute the values in statements before it"));
        }
        let (mut reads, mut writes): (Vec<SymbolId>, Vec<SymbolId>) = (Vec::new(), Vec::new());
        for e in facts.events(expression.start, expression.end).iter().filter(|e| e.kind != Kind::Call) {
            let v = &facts.vars[e.var];
            let symbol = match self.body().symbols.get(&e.var).copied() {
                Some(s) => Some(s),
                None => match self.find(&v.name) {
                    Some(Binding::Variable(var)) if v.global => match var.place {
                        super::lower::Place::Object(s) => Some(s),
                        _ => None,
                    },
                    _ => None,
                },
            };
            let Some(symbol) = symbol else { continue };
            if !reads.contains(&symbol) {
                reads.push(symbol);
            }
            if writes_arguments && matches!(e.kind, Kind::Address | Kind::Handed) && !writes.contains(&symbol) {
                writes.push(symbol);
            }
        }
        let text = if what.is_empty() { self.text.get(statement.start..statement.end).unwrap_or_default().to_owned() } else { what };
        self.emit_with_text(
            StmtKind::Marker(Box::new(Marker { class, text: text.clone(), reads, writes, ..Marker::default() })),
            statement,
            text,
        );
        Ok(())
    }

    /// True for functions of the program that change nothing outside of themselves.
    fn leaves_alone(&self, name: &str) -> bool {
        self.effects.touched(name, self.file).is_some_and(|t| t.writes.is_empty() && !t.unknown)
            && (0..64).all(|k| match self.find(name) {
                Some(Binding::Function(f)) if k < f.signature.parameters.len() => self.effects.stores(name, self.file, k) == Some(false),
                _ => true,
            })
    }

    /// The pointer and the number of elements that `bytes` are; of rows, how many there are and what each of them has.
    fn stretch(&mut self, e: &'a Node<E>, pointer: &'a Node<E>, bytes: &'a Node<E>) -> Res<(Pointer, Vec<Expr>)> {
        let p = self.pointer(uncast(pointer))?;
        let element = p.to.element().clone();
        let unclear = || {
            Refusal::new(LIBRARY, e.span, "the number of elements that this call moves is not clear")
                .help("write the number of bytes as `n * sizeof(double)` or `sizeof array`, with the type of the elements")
        };
        if let Some(whole) = self.whole_size(bytes, &p)? {
            return Ok((p, vec![whole]));
        }
        let mut inner = Vec::new();
        for extent in p.to.extents() {
            inner.push(match extent {
                Extent::Fixed(n) => Expr::int(n),
                Extent::Variable(n) => (*n).clone(),
                _ => return Err(unclear()),
            });
        }
        let rows = match self.element_count(bytes, &p.to)? {
            Some(count) => count,
            None if inner.is_empty() => return Err(unclear()),
            // Elements of a matrix: whole rows of it.
            None => self.element_count(bytes, &element)?.and_then(|n| quotient(&n, &inner)).ok_or_else(unclear)?,
        };
        inner.insert(0, rows);
        Ok((p, inner))
    }

    /// An element of a stretch: of a matrix by row and column, of a plain array by its number.
    fn element_of(&mut self, p: &Pointer, shape: &[Expr], at: &[Expr], span: Span) -> Res<VarRef> {
        let (Some(first), rest) = (at.first(), at.get(1..).unwrap_or_default()) else { return Ok(p.target()) };
        if p.to.rank() == 0 {
            let mut number = first.clone();
            for (k, n) in rest.iter().zip(shape.iter().skip(1)) {
                number = op("add_scal_scal", "", [op("mul_scal_scal", "", [number, n.clone()]), k.clone()]);
            }
            let p = self.moved(p.clone(), number, span)?;
            let subs = self.in_rows(p.base, p.subs, span)?;
            return Ok(Pointer { subs, ..p }.target());
        }
        let mut row = self.moved(p.clone(), first.clone(), span)?;
        row.subs.extend(rest.iter().cloned());
        Ok(row.target())
    }

    /// `sizeof array`, if that is what the bytes are: its number of elements.
    fn whole_size(&mut self, bytes: &'a Node<E>, p: &Pointer) -> Res<Option<Expr>> {
        let E::SizeOfVal(v) = &uncast(bytes).node else { return Ok(None) };
        let Some(ty @ CType::Array(..)) = self.type_of(&v.node.0) else { return Ok(None) };
        if ty.rank() != 1 || p.to.rank() != 0 || !super::pointers::same_element(ty.element(), &p.to) {
            return Ok(None);
        }
        Ok(match &ty.extents()[..] {
            [Extent::Fixed(n)] => Some(Expr::int(*n)),
            [Extent::Variable(n)] => Some((**n).clone()),
            _ => None,
        })
    }

    /// An array of several dimensions that is filled or copied as a whole.
    fn whole_array(&mut self, pointer: &Node<E>, bytes: &Node<E>) -> Option<(SymbolId, CType)> {
        let E::SizeOfVal(v) = &uncast(bytes).node else { return None };
        let var = self.named_variable(uncast(pointer))?;
        let super::lower::Place::Object(symbol) = var.place else { return None };
        let named = self.type_of(&v.node.0)?;
        (var.ty.rank() > 1 && named == var.ty && var.ty.extents().iter().all(|x| matches!(x, Extent::Fixed(_) | Extent::Variable(_))))
            .then_some((symbol, var.ty))
    }

    fn fill(&mut self, e: &'a Node<E>, c: &'a CallExpression) -> Res<()> {
        let [pointer, value, bytes] = &c.arguments[..] else {
            return Err(Refusal::new(LIBRARY, e.span, "`memset` takes 3 arguments"));
        };
        if self.constant_integer(value) != Some(0) {
            return Err(Refusal::new(LIBRARY, e.span, "`memset` with another value than 0 is not supported").help("write a loop"));
        }
        if let Some((symbol, ty)) = self.whole_array(pointer, bytes) {
            let zero = zero_of(ty.element());
            self.emit_assignment(VarRef::whole(symbol), zero, e.span);
            return Ok(());
        }
        let (p, shape) = self.stretch(e, pointer, bytes)?;
        let zero = zero_of(p.to.element());
        self.element_loop(e.span, shape.clone(), |l, at| Ok((l.element_of(&p, &shape, at, e.span)?, zero.clone())))
    }

    fn copy(&mut self, e: &'a Node<E>, c: &'a CallExpression) -> Res<()> {
        let [to, from, bytes] = &c.arguments[..] else {
            return Err(Refusal::new(LIBRARY, e.span, "`memcpy` takes 3 arguments"));
        };
        if let Some((symbol, ty)) = self.whole_array(to, bytes)
            && let Some(source) = self.named_variable(uncast(from))
            && let super::lower::Place::Object(source_symbol) = source.place
            && source.ty == ty
        {
            self.emit_assignment(VarRef::whole(symbol), Expr::sym(source_symbol), e.span);
            return Ok(());
        }
        let different = || Refusal::new(LIBRARY, e.span, "`memcpy` between arrays of different types is not supported");
        let target = self.pointer(uncast(to))?;
        // Rows on either side say how the elements lie.
        let (p, q, shape) = if target.to.rank() > 0 {
            let (p, shape) = self.stretch(e, to, bytes)?;
            (p, self.pointer(uncast(from))?, shape)
        } else {
            let source = self.pointer(uncast(from))?;
            if source.to.rank() > 0 {
                let (q, shape) = self.stretch(e, from, bytes)?;
                (target, q, shape)
            } else {
                let (p, shape) = self.stretch(e, to, bytes)?;
                (p, source, shape)
            }
        };
        let rows = |p: &Pointer| p.to.rank() > 0;
        if !super::pointers::same_element(p.to.element(), q.to.element()) || (rows(&p) && rows(&q) && p.to.extents() != q.to.extents()) {
            return Err(different());
        }
        if p.base == q.base {
            return Err(Refusal::new(LIBRARY, e.span, "`memcpy` or `memmove` inside one array is not supported").help("write a loop"));
        }
        self.element_loop(e.span, shape.clone(), |l, at| {
            let target = l.element_of(&p, &shape, at, e.span)?;
            Ok((target, Expr::var(l.element_of(&q, &shape, at, e.span)?)))
        })
    }

    /// `for (k = 0; k < count; k++) lhs = rhs;`, one loop for each dimension.
    fn element_loop(&mut self, span: Span, shape: Vec<Expr>, mut body: impl FnMut(&mut Self, &[Expr]) -> Res<(VarRef, Expr)>) -> Res<()> {
        let counters: Vec<SymbolId> = shape
            .iter()
            .map(|n| {
                let ty = self.counter_type(n);
                self.temporary("k", &ty)
            })
            .collect();
        let at: Vec<Expr> = counters.iter().map(|&k| Expr::sym(k)).collect();
        let open = self.body().rounds.len();
        let whole =
            |(&variable, n): (&SymbolId, &Expr)| Round { variable, lowest: Expr::int(0), highest: moved_back(n.clone(), Expr::int(1)) };
        self.body().rounds.extend(counters.iter().zip(&shape).map(whole));
        let element = body(self, &at);
        self.body().rounds.truncate(open);
        let (lhs, rhs) = element?;
        let text = self.body().top.map_or(span, |(_, s)| s);
        let text = self.original(text);
        for (&k, count) in counters.iter().zip(shape) {
            let init = Stmt::assign(VarRef::whole(k), Expr::int(0));
            let update = Stmt::assign(VarRef::whole(k), op("add_scal_scal", "", [Expr::sym(k), Expr::int(1)]));
            let condition = relation(BoolOp::LessThan, [Expr::sym(k), count]);
            let v = self.body().builder.begin_for(ForLoop { explicit: false, init, condition, update, counted: true });
            self.dress(v, span, text.clone());
        }
        self.emit_with_text(StmtKind::Assignment { lhs, rhs }, span, text);
        for _ in &counters {
            self.body().builder.end_loop();
        }
        Ok(())
    }

    /// The last of `count` elements.
    pub fn last_of(count: Expr) -> Expr {
        moved_back(count, Expr::int(1))
    }
}

fn zero_of(ty: &CType) -> Expr {
    if ty.is_real() { super::constants::constant(ty, "0.0", "") } else { Expr::int(0) }
}

/// How many rows so many elements are, if that is plain: `n * m` of rows with `m`, 12 of rows with 3.
fn quotient(count: &Expr, row: &[Expr]) -> Option<Expr> {
    let mut factors = vec![count.clone()];
    while let Some(k) = factors.iter().position(|f| matches!(&f.root().kind, NodeKind::Op(o) if o.name == "mul_scal_scal")) {
        let product = factors.remove(k);
        let parts: Vec<Expr> = product.root().operands.iter().map(|&o| product.subexpr(o)).collect();
        factors.splice(k..k, parts);
    }
    for r in row {
        if let Some(k) = factors.iter().position(|f| f == r) {
            factors.remove(k);
            continue;
        }
        let n = r.as_int().filter(|&n| n > 0)?;
        let k = factors.iter().position(|f| f.as_int().is_some_and(|c| c % n == 0))?;
        factors[k] = Expr::int(factors[k].as_int()? / n);
    }
    Some(factors.into_iter().reduce(|a, b| op("mul_scal_scal", "", [a, b])).unwrap_or_else(|| Expr::int(1)))
}
