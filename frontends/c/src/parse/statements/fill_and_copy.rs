//! `memset`, `memcpy` and `memmove` of numbers: assignments of whole arrays, or loops over elements.
//!
//! A copy inside one array goes from the end that nothing overwrites; where that is not known, and the two stretches may overlap, through memory of its own.
//! Never here: other functions of the library (see `library_statements`).

use crate::parse::context::loop_ranges::LoopRange;
use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::state::Lower;
use crate::parse::context::terms::{constant, difference, moved_back, op, relation};
use crate::parse::language::types::{CType, Extent, same_element};
use crate::parse::text::refusals::{LIBRARY, Refusal, Res};
use crate::parse::text::syntax::uncast;
use lang_c::ast::{CallExpression, Expression as E};
use lang_c::span::{Node, Span};
use smol_str::SmolStr;
use xaif::model::{
    BoolOp, Bound, Dim, Expr, ForLoop, Marker, MarkerClass, NodeKind, Passing, Stmt, StmtKind, Storage, SymbolId, Triplet, VarRef,
};

/// The order in which the outermost loop over a stretch goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Up,
    Down,
}

/// How a copy is made.
enum Way {
    Loop(Order),
    /// Down where this holds, else up.
    Either(Expr),
    /// Through memory of its own.
    Between,
}

impl<'a> Lower<'a> {
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
        if ty.rank() != 1 || p.to.rank() != 0 || !same_element(ty.element(), &p.to) {
            return Ok(None);
        }
        Ok(match &ty.extents()[..] {
            [Extent::Fixed(n)] => Some(Expr::int(*n)),
            [Extent::Variable(n)] => Some((**n).clone()),
            _ => None,
        })
    }

    /// The structure that a pointer points to, if that is one and the bytes are its size.
    fn one_structure(&mut self, pointer: &'a Node<E>, bytes: &Node<E>) -> Res<Option<LValue>> {
        let of = match self.type_of(uncast(pointer)) {
            Some(CType::Pointer(p)) => p.to.clone(),
            _ => return Ok(None),
        };
        let size = match &uncast(bytes).node {
            E::SizeOfVal(v) => self.type_of(&v.node.0),
            E::SizeOfTy(t) => self.type_name(&t.node.0).ok().map(|(t, _)| t),
            _ => None,
        };
        if !matches!(of, CType::Record(_)) || size.as_ref() != Some(&of) {
            return Ok(None);
        }
        let p = self.pointer(uncast(pointer))?;
        Ok(Some(LValue { base: p.base, subs: p.subs, ty: p.to }))
    }

    /// An array of several dimensions that is filled or copied as a whole.
    fn whole_array(&mut self, pointer: &Node<E>, bytes: &Node<E>) -> Option<(SymbolId, CType)> {
        let E::SizeOfVal(v) = &uncast(bytes).node else { return None };
        let var = self.named_variable(uncast(pointer))?;
        let Place::Object(symbol) = var.place else { return None };
        let named = self.type_of(&v.node.0)?;
        (var.ty.rank() > 1 && named == var.ty && var.ty.extents().iter().all(|x| matches!(x, Extent::Fixed(_) | Extent::Variable(_))))
            .then_some((symbol, var.ty))
    }

    /// `memset` to zero.
    pub fn fill(&mut self, e: &'a Node<E>, c: &'a CallExpression) -> Res<()> {
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
        if let Some(to) = self.one_structure(pointer, bytes)? {
            return self.clear_structure(&to, e.span);
        }
        let (p, shape) = self.stretch(e, pointer, bytes)?;
        if let Some(count) = self.number_of_structures(&p, &shape) {
            return self.clear_structures(&p, count, e.span);
        }
        let zero = zero_of(p.to.element());
        self.element_loop(e.span, shape.clone(), Order::Up, |l, at| Ok((l.element_of(&p, &shape, at, e.span)?, zero.clone())))
    }

    /// `memcpy`, or `memmove`, whose stretches may overlap.
    pub fn copy(&mut self, e: &'a Node<E>, c: &'a CallExpression, overlapping: bool) -> Res<()> {
        let [to, from, bytes] = &c.arguments[..] else {
            return Err(Refusal::new(LIBRARY, e.span, "`memcpy` takes 3 arguments"));
        };
        if let Some((symbol, ty)) = self.whole_array(to, bytes)
            && let Some(source) = self.named_variable(uncast(from))
            && let Place::Object(source_symbol) = source.place
            && source.ty == ty
        {
            self.emit_assignment(VarRef::whole(symbol), Expr::sym(source_symbol), e.span);
            return Ok(());
        }
        if let Some(to) = self.one_structure(to, bytes)? {
            let from = self.pointer(uncast(from))?;
            let from = LValue { base: from.base, subs: from.subs, ty: from.to };
            return self.copy_structure(&to, &from, e.span);
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
        if let Some(count) = self.number_of_structures(&p, &shape) {
            return self.copy_structures(&p, &q, count, overlapping, e.span);
        }
        let rows = |p: &Pointer| p.to.rank() > 0;
        if !same_element(p.to.element(), q.to.element()) || (rows(&p) && rows(&q) && p.to.extents() != q.to.extents()) {
            return Err(different());
        }
        let stretch = |l: &mut Self, order| {
            l.element_loop(e.span, shape.clone(), order, |l, at| {
                let target = l.element_of(&p, &shape, at, e.span)?;
                Ok((target, Expr::var(l.element_of(&q, &shape, at, e.span)?)))
            })
        };
        match self.way(&p, &q, overlapping) {
            Way::Loop(order) => stretch(self, order),
            Way::Either(down) => {
                self.open_branch(down, e.span);
                stretch(self, Order::Down)?;
                self.body().builder.arm(&[]);
                stretch(self, Order::Up)?;
                self.close_branch();
                Ok(())
            }
            Way::Between => self.copy_between(e.span, &p, &q, &shape),
        }
    }

    /// How a copy is made, if its two stretches may overlap. What two pointer arguments point to may be one array.
    fn way(&mut self, p: &Pointer, q: &Pointer, overlapping: bool) -> Way {
        if !overlapping {
            return Way::Loop(Order::Up);
        }
        if p.base != q.base {
            let open = |l: &Self, s: SymbolId| {
                let s = l.program.symbol(s);
                *s.storage() == Storage::Argument && s.passing() == Passing::Reference && s.decl.as_ref().is_some_and(|d| d.may_alias)
            };
            return if open(self, p.base) && open(self, q.base) { Way::Between } else { Way::Loop(Order::Up) };
        }
        let (Some((to, rows)), Some((from, other))) = (p.subs.split_last(), q.subs.split_last()) else { return Way::Loop(Order::Up) };
        if rows != other || p.subs.len() != q.subs.len() {
            return Way::Between;
        }
        match difference(to.clone(), from.clone()).as_int() {
            Some(d) if d > 0 => Way::Loop(Order::Down),
            Some(_) => Way::Loop(Order::Up),
            None => {
                let (to, from) = (self.signed(to.clone()), self.signed(from.clone()));
                Way::Either(relation(BoolOp::GreaterThan, [to, from]))
            }
        }
    }

    /// A copy through memory of its own: right however the two stretches lie.
    fn copy_between(&mut self, span: Span, p: &Pointer, q: &Pointer, shape: &[Expr]) -> Res<()> {
        let between = self.temporary("moved", p.to.element());
        let s = self.program.symbol_mut(between);
        s.rank = shape.len().min(u8::MAX as usize) as u8;
        let decl = s.decl.get_or_insert_default();
        let last = |n: &Expr| Self::last_of(n.clone());
        let upper = |k: usize, n: &Expr| if k == 0 { Bound::Unknown } else { Bound::Expr(last(n)) };
        decl.dims = shape.iter().enumerate().map(|(k, n)| Dim { lower: Bound::Expr(Expr::int(0)), upper: upper(k, n) }).collect();
        decl.attributes.push(SmolStr::new_static("heap"));
        let section = |n: &Expr| Triplet { index: Some(Expr::int(0)), bound: Some(last(n)), stride: None };
        let subscripts: Vec<Triplet> = shape.iter().map(section).collect();
        let object = VarRef { subscripts: subscripts.into(), ..VarRef::whole(between) };
        let whole = self.body().top.map_or(span, |(_, s)| s);
        let text = self.original(whole);
        let marker = Marker { class: MarkerClass::Allocate, text: text.clone(), object: Some(object), ..Marker::default() };
        self.emit_with_text(StmtKind::Marker(Box::new(marker)), whole, text);
        self.element_loop(span, shape.to_vec(), Order::Up, |l, at| {
            let from = Expr::var(l.element_of(q, shape, at, span)?);
            Ok((VarRef::element(between, at.iter().cloned()), from))
        })?;
        self.element_loop(span, shape.to_vec(), Order::Up, |l, at| {
            Ok((l.element_of(p, shape, at, span)?, Expr::var(VarRef::element(between, at.iter().cloned()))))
        })?;
        let marker = Marker { class: MarkerClass::Deallocate, object: Some(VarRef::whole(between)), ..Marker::default() };
        self.emit_with_text(StmtKind::Marker(Box::new(marker)), whole, String::new());
        Ok(())
    }

    /// `for (k = 0; k < count; k++) lhs = rhs;`, one loop for each dimension; the outermost in this order.
    fn element_loop(
        &mut self,
        span: Span,
        shape: Vec<Expr>,
        order: Order,
        mut body: impl FnMut(&mut Self, &[Expr]) -> Res<(VarRef, Expr)>,
    ) -> Res<()> {
        let down = |k: usize| k == 0 && order == Order::Down;
        let counter = |l: &mut Self, (k, n): (usize, &Expr)| {
            let ty = if down(k) { CType::LONG } else { l.counter_type(n) };
            l.temporary("k", &ty)
        };
        let counters: Vec<SymbolId> = shape.iter().enumerate().map(|x| counter(self, x)).collect();
        let at: Vec<Expr> = counters.iter().map(|&k| Expr::sym(k)).collect();
        let open = self.body().loop_ranges.len();
        let whole =
            |(&variable, n): (&SymbolId, &Expr)| LoopRange { variable, lowest: Expr::int(0), highest: moved_back(n.clone(), Expr::int(1)) };
        self.body().loop_ranges.extend(counters.iter().zip(&shape).map(whole));
        let element = body(self, &at);
        self.body().loop_ranges.truncate(open);
        let (lhs, rhs) = element?;
        let text = self.body().top.map_or(span, |(_, s)| s);
        let text = self.original(text);
        for (nest, (&k, count)) in counters.iter().zip(shape).enumerate() {
            let k_is = |rhs: Expr| Stmt::assign(VarRef::whole(k), rhs);
            let by = |name: &'static str| op(name, "", [Expr::sym(k), Expr::int(1)]);
            let (init, condition, update) = if down(nest) {
                let last = moved_back(self.signed(count), Expr::int(1));
                (k_is(last), relation(BoolOp::GreaterOrEqual, [Expr::sym(k), Expr::int(0)]), k_is(by("sub_scal_scal")))
            } else {
                (k_is(Expr::int(0)), relation(BoolOp::LessThan, [Expr::sym(k), count]), k_is(by("add_scal_scal")))
            };
            let v = self.body().builder.begin_for(ForLoop { explicit: false, init, condition, update, counted: true });
            self.dress(v, span, text.clone());
        }
        self.emit_with_text(StmtKind::Assignment { lhs, rhs }, span, text);
        for _ in &counters {
            self.body().builder.end_loop();
        }
        Ok(())
    }
}

fn zero_of(ty: &CType) -> Expr {
    if ty.is_real() { constant(ty, "0.0", "") } else { Expr::int(0) }
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
