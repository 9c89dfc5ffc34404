//! Array constructors: scalars, arrays and implied loops one behind the other in a temporary array.
//!
//! Lives here: `[a, b(:), (c(i), i = 1, n)]`. Never here: what is done with the array.

use crate::parse::context::state::{Lower, Lowered, Refusal};
use crate::parse::context::structures::complex_bits;
use crate::parse::context::terms::{Val, int_op, op, shifted};
use crate::parse::text::tree::{child, field, named};
use tree_sitter::Node;
use xaif::model::*;
use xaif::types::promote;

/// An item of a constructor, with its length; that of an iteration of a loop is not there where iterations differ.
enum Item<'t> {
    Scalar(Val, Node<'t>),
    Array(Val, Expr, Node<'t>),
    Loop { index: SymbolId, trips: Expr, items: Vec<Item<'t>>, length: Option<Expr>, node: Node<'t> },
}

/// The sum of two lengths.
fn plus(a: Expr, b: Expr) -> Expr {
    if a.as_int() == Some(0) { b } else { int_op("add_scal_scal", a, b) }
}

impl<'t> Lower<'t> {
    fn unsupported_item(&self, node: Node<'t>) -> Refusal {
        let mut d = *self.refuse(node, "OB3029", "an array constructor with an item of unknown length");
        d.help = Some("assign the elements one by one".into());
        Box::new(d)
    }

    /// `[a, b, c]` in a temporary array.
    pub fn array_constructor(&mut self, node: Node<'t>) -> Lowered<Val> {
        let spec = field(node, "type");
        let nodes: Vec<Node> = named(node).into_iter().filter(|n| Some(*n) != spec && n.kind() != "intrinsic_type").collect();
        if nodes.is_empty() || nodes.len() > 1000 {
            return Err(self.unsupported_item(node));
        }
        self.needs_graph(node)?;
        let declared = match named(node).into_iter().find(|n| n.kind() == "intrinsic_type") {
            // Complex ones are looked at part by part.
            Some(t) => {
                let spec = self.type_spec(t)?;
                Some(complex_bits(&spec.text).map_or(spec.ty, |bits| ElemType { base: BaseType::Real, bits }))
            }
            None => None,
        };
        let mut items = Vec::new();
        let mut types = Vec::new();
        for n in nodes {
            items.push(self.constructor_item(n, &mut types, 0)?);
        }
        let ty = declared.or_else(|| types.into_iter().reduce(promote)).unwrap_or_default();
        let Some(length) = total(&items) else { return self.counted_out(items, ty, node) };
        let length = if length.as_int().is_some() || length.as_var().is_some() {
            length
        } else {
            self.in_variable("length", Val::new(length, ElemType::INTEGER, 0), node)
        };
        let t = self.fresh_array("array", ty, vec![(Expr::int(1), length)], node);
        self.fill(t, items, Expr::int(0))?;
        Ok(Val::new(Expr::sym(t), ty, 1))
    }

    fn constructor_item(&mut self, n: Node<'t>, types: &mut Vec<ElemType>, depth: usize) -> Lowered<Item<'t>> {
        if n.kind() != "implied_do_loop_expression" {
            let v = self.expr(n)?;
            self.numeric(&v, n).or_else(|e| if v.ty.base == BaseType::Bool { Ok(()) } else { Err(e) })?;
            types.push(v.ty);
            if v.rank == 0 {
                return Ok(Item::Scalar(v, n));
            }
            if depth > 0 && (v.rank > 1 || self.element_at(&v.e, &[Expr::int(1)]).is_none()) {
                return Err(self.unsupported_item(n));
            }
            let v = self.elements(v, "item", n)?;
            let v = if v.rank > 1 { self.flattened(&v, n)? } else { v };
            let length = self.known_extents(&v, n)?.into_iter().map(|(_, n)| n).next().ok_or_else(|| self.unsupported_item(n))?;
            return Ok(Item::Array(v, length, n));
        }
        let control = child(n, "loop_control_expression").ok_or_else(|| self.unsupported_item(n))?;
        let parts = named(control);
        let (Some(variable), Some(from), Some(to)) = (parts.first(), parts.get(1), parts.get(2)) else {
            return Err(self.unsupported_item(n));
        };
        // What makes statements would have to make them in each iteration.
        let bodies: Vec<Node> = named(n).into_iter().filter(|b| b.kind() != "loop_control_expression").collect();
        let calls = bodies.iter().any(|b| b.kind() != "implied_do_loop_expression" && self.calls_units(*b));
        if depth == 0
            && calls
            && let [body] = bodies[..]
            && body.kind() != "implied_do_loop_expression"
        {
            return self.computed_items(n, control, body, types);
        }
        if depth > 5 || calls {
            let mut d = *self.refuse(n, "OB3029", "an implied loop over what calls a function");
            d.help = Some("assign the elements in a loop".into());
            return Err(Box::new(d));
        }
        let (first, last) = (self.expr(*from)?, self.expr(*to)?);
        let step = match parts.get(3) {
            Some(s) => Some(self.expr(*s)?),
            None => None,
        };
        for v in [&first, &last].into_iter().chain(&step) {
            if v.ty.base != BaseType::Integer || v.rank > 0 {
                return Err(self.refuse(control, "OB3041", "a bound of the loop is no integer"));
            }
        }
        let step = step.map(|s| s.e).filter(|s| s.as_int() != Some(1));
        let span = int_op("sub_scal_scal", last.e, first.e.clone());
        let trips = match &step {
            None => int_op("add_scal_scal", span, Expr::int(1)),
            Some(s) => int_op("div_scal_scal", int_op("add_scal_scal", span, s.clone()), s.clone()),
        };
        let trips = if trips.as_int().is_some() { trips } else { op("nc_max_scal_scal", "", None, [trips, Expr::int(0)]) };
        let index = match self.cur.free_indices.pop() {
            Some(i) => i,
            None => self.temp("i", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(n)),
        };
        // The loop's variable stands for the value that the count of the iteration gives.
        let name = self.lower(*variable);
        let value = shifted(first.e.clone(), Expr::sym(index), step.clone());
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        frame.insert(name, Val::new(value, ElemType::INTEGER, 0));
        self.cur.frames.push(frame);
        let items: Lowered<Vec<Item>> = bodies.into_iter().map(|b| self.constructor_item(b, types, depth + 1)).collect();
        self.cur.frames.pop();
        let items = items?;
        let length = total(&items).filter(|length| {
            let mut depends = false;
            length.for_each_ref(&mut |r| depends |= r.symbol == index);
            !depends
        });
        Ok(Item::Loop { index, trips, items, length, node: n })
    }

    /// An implied loop over scalars that take statements to compute, as a loop that fills an array.
    fn computed_items(&mut self, n: Node<'t>, control: Node<'t>, body: Node<'t>, types: &mut Vec<ElemType>) -> Lowered<Item<'t>> {
        let parts = named(control);
        let [variable, from, to] = parts[..] else { return Err(self.unsupported_item(n)) };
        let (first, last) = (self.expr(from)?, self.expr(to)?);
        if [&first, &last].iter().any(|v| v.ty.base != BaseType::Integer || v.rank > 0) {
            return Err(self.refuse(control, "OB3041", "a bound of the loop is no integer"));
        }
        let first = self.in_variable("first", first, n);
        let span = int_op("sub_scal_scal", last.e, first.clone());
        let trips = int_op("add_scal_scal", span, Expr::int(1));
        let trips = match trips.as_int() {
            Some(_) => trips,
            None => {
                let most = op("nc_max_scal_scal", "", None, [trips, Expr::int(0)]);
                self.in_variable("trips", Val::new(most, ElemType::INTEGER, 0), n)
            }
        };
        let dims = vec![(Expr::int(1), trips.clone())];
        let t = self.fresh_array("items", ElemType::REAL64, dims.clone(), n);
        let indices = self.open_nest(&dims, n);
        let [index] = indices[..] else { return Err(self.unsupported_item(n)) };
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        frame.insert(self.lower(variable), Val::new(shifted(first, Expr::sym(index), None), ElemType::INTEGER, 0));
        let waiting = self.cur.after.len();
        self.cur.frames.push(frame);
        let value = self.expr(body);
        self.cur.frames.pop();
        let v = value?;
        let number = matches!(v.ty.base, BaseType::Real | BaseType::Integer);
        if v.rank > 0 || !number {
            return Err(self.unsupported_item(body));
        }
        self.p.symbol_mut(t).ty = v.ty;
        types.push(v.ty);
        self.emit(StmtKind::Assignment { lhs: VarRef::element(t, [Expr::sym(index)]), rhs: v.e }, body, true);
        // What an iteration allocates it frees.
        for s in self.cur.after.split_off(waiting) {
            if let Some(g) = &mut self.cur.graph {
                g.stmt(s);
            }
        }
        self.close_nest(indices);
        Ok(Item::Array(Val::new(Expr::sym(t), self.p.symbol(t).ty, 1), trips, n))
    }

    /// Assigns the items from an offset on.
    fn fill(&mut self, t: SymbolId, items: Vec<Item<'t>>, offset: Expr) -> Lowered<()> {
        let mut offset = offset;
        for item in items {
            let length = item.length().unwrap_or_default();
            match item {
                Item::Scalar(v, n) => {
                    let lhs = VarRef::element(t, [plus(offset.clone(), Expr::int(1))]);
                    self.emit(StmtKind::Assignment { lhs, rhs: v.e }, n, true);
                }
                Item::Array(v, extent, n) => {
                    let indices = self.open_nest(&[(Expr::int(1), extent)], n);
                    let rhs = self.element(&v, &indices, n)?;
                    let lhs = VarRef::element(t, [plus(offset.clone(), Expr::sym(indices[0]))]);
                    self.emit(StmtKind::Assignment { lhs, rhs }, n, true);
                    self.close_nest(indices);
                }
                Item::Loop { index, trips, items, length, node } => {
                    let indices = self.open_loop(index, trips, node);
                    let length = length.unwrap_or_default();
                    let before = int_op("sub_scal_scal", Expr::sym(index), Expr::int(1));
                    let before = if length.as_int() == Some(1) { before } else { int_op("mul_scal_scal", length, before) };
                    self.fill(t, items, plus(offset.clone(), before))?;
                    self.close_nest(indices);
                }
            }
            offset = plus(offset, length);
        }
        Ok(())
    }

    /// The loop over items that were made with this variable.
    fn open_loop(&mut self, index: SymbolId, trips: Expr, node: Node<'t>) -> Vec<SymbolId> {
        self.cur.free_indices.retain(|i| *i != index);
        self.cur.free_indices.push(index);
        self.open_nest(&[(Expr::int(1), trips)], node)
    }

    /// Items of which a loop has to count how many they are (`((a(i, j), i = 1, j), j = 1, n)`): the next place is in a variable.
    fn counted_out(&mut self, items: Vec<Item<'t>>, ty: ElemType, node: Node<'t>) -> Lowered<Val> {
        let length = self.counter("length", node);
        self.count(&items, &length, node);
        let t = self.fresh_array("array", ty, vec![(Expr::int(1), Expr::var(length))], node);
        let last = self.counter("last", node);
        self.fill_on(t, items, &last)?;
        Ok(Val::new(Expr::sym(t), ty, 1))
    }

    /// A variable that is zero.
    fn counter(&mut self, stem: &str, node: Node<'t>) -> VarRef {
        let t = VarRef::whole(self.temp(stem, ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(node)));
        self.emit(StmtKind::Assignment { lhs: t.clone(), rhs: Expr::int(0) }, node, true);
        t
    }

    /// Adds the number of items to a variable.
    fn count(&mut self, items: &[Item<'t>], counter: &VarRef, node: Node<'t>) {
        for item in items {
            match (item, item.length()) {
                (Item::Loop { index, trips, items, node, .. }, None) => {
                    let indices = self.open_loop(*index, trips.clone(), node.to_owned());
                    self.count(items, counter, *node);
                    self.close_nest(indices);
                }
                (_, length) => self.advance(counter, length.unwrap_or_default(), node),
            }
        }
    }

    fn advance(&mut self, counter: &VarRef, by: Expr, node: Node<'t>) {
        let rhs = int_op("add_scal_scal", Expr::var(counter.clone()), by);
        self.emit(StmtKind::Assignment { lhs: counter.clone(), rhs }, node, true);
    }

    /// Assigns the items one by one behind the place that a variable tells.
    fn fill_on(&mut self, t: SymbolId, items: Vec<Item<'t>>, last: &VarRef) -> Lowered<()> {
        let next = || VarRef::element(t, [Expr::var(last.clone())]);
        for item in items {
            match item {
                Item::Scalar(v, n) => {
                    self.advance(last, Expr::int(1), n);
                    self.emit(StmtKind::Assignment { lhs: next(), rhs: v.e }, n, true);
                }
                Item::Array(v, extent, n) => {
                    let indices = self.open_nest(&[(Expr::int(1), extent)], n);
                    let rhs = self.element(&v, &indices, n)?;
                    self.advance(last, Expr::int(1), n);
                    self.emit(StmtKind::Assignment { lhs: next(), rhs }, n, true);
                    self.close_nest(indices);
                }
                Item::Loop { index, trips, items, node, .. } => {
                    let indices = self.open_loop(index, trips, node);
                    self.fill_on(t, items, last)?;
                    self.close_nest(indices);
                }
            }
        }
        Ok(())
    }
}

/// How many elements items are; `None` where a loop has to count them.
fn total(items: &[Item]) -> Option<Expr> {
    items.iter().try_fold(Expr::int(0), |sum, i| Some(plus(sum, i.length()?)))
}

impl Item<'_> {
    fn length(&self) -> Option<Expr> {
        Some(match self {
            Item::Scalar(..) => Expr::int(1),
            Item::Array(_, n, _) => n.clone(),
            Item::Loop { trips, length, .. } => {
                let length = length.clone()?;
                match (trips.as_int(), length.as_int()) {
                    (Some(a), Some(b)) => Expr::int(a.saturating_mul(b)),
                    (_, Some(1)) => trips.clone(),
                    _ => int_op("mul_scal_scal", trips.clone(), length),
                }
            }
        })
    }
}
