//! Whole arrays and sections: loops over their elements.
//!
//! Lives here: shapes, contiguity, loops, element-wise assignment. Never here: reductions (see `reductions`), the stack (see `push_and_pop`).

use crate::unparse::expressions::forms::{Form, Typed};
use crate::unparse::facts::symbols::is_heap;
use crate::unparse::language::c_types;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use crate::unparse::text::layout::Line;
use smol_str::SmolStr;
use xaif::model::{BaseType, Dim, ElemType, Expr, IndexOrder, NodeId, NodeKind, Storage, SymbolId, Triplet, VarRef};
use xaif::rows::has_rows;
use xaif::{offsets, types};

impl Printer<'_> {
    /// The number of elements along each open dimension of a reference, in source order; `None` where one is not known.
    pub fn shape(&self, r: &VarRef) -> Option<Vec<Expr>> {
        let dims = self.dims(r.symbol);
        let whole = vec![Triplet::default(); dims.len()];
        let triplets = if r.subscripts.is_empty() { &whole[..] } else { &r.subscripts };
        let mut shape = Vec::new();
        for (dim, t) in dims.iter().zip(triplets) {
            if t.is_section() {
                shape.push(self.section_extent(dim, t)?);
            }
        }
        Some(shape)
    }

    fn section_extent(&self, dim: &Dim, t: &Triplet) -> Option<Expr> {
        if t.index.is_none() && t.bound.is_none() && t.stride.is_none() {
            return self.extent(dim);
        }
        let lower = t.index.clone().unwrap_or_else(|| self.lower(dim));
        let upper = match (&t.bound, &dim.upper) {
            (Some(b), _) => b.clone(),
            (None, xaif::model::Bound::Expr(e)) => e.clone(),
            (None, xaif::model::Bound::Unknown) => return None,
        };
        let span = offsets::minus(upper, &lower);
        Some(match &t.stride {
            None => offsets::plus(span, 1),
            Some(s) if s.as_int() == Some(1) => offsets::plus(span, 1),
            Some(s) => offsets::plus(Expr::op("div_scal_scal", [span, s.clone()]), 1),
        })
    }

    /// True where the elements of a reference lie one behind the other in memory.
    pub fn contiguous(&self, r: &VarRef) -> bool {
        if has_rows(self.program.symbol(r.symbol)) && r.subscripts.first().is_none_or(Triplet::is_section) {
            return false;
        }
        if r.subscripts.is_empty() {
            return !self.is_scattered(r.symbol);
        }
        let outer = self.program.symbol(r.symbol).rank as usize - self.own_rank(r.symbol);
        if r.subscripts.iter().take(outer).any(Triplet::is_section) {
            return false;
        }
        let mut triplets: Vec<&Triplet> = r.subscripts.iter().collect();
        if self.program.index_order == IndexOrder::Column {
            triplets.reverse();
        }
        // Elements, then one range, then whole dimensions.
        let mut state = 0;
        for t in triplets {
            let whole = t.index.is_none() && t.bound.is_none() && t.stride.is_none();
            let unit = t.stride.as_ref().is_none_or(|s| s.as_int() == Some(1));
            match (state, t.is_section()) {
                (0, false) => {}
                (0, true) if unit => state = 1,
                (1, true) if whole => {}
                _ => return false,
            }
        }
        true
    }

    /// The type of a loop variable that counts to this extent.
    fn counter_type(&mut self, extent: &Expr) -> &'static str {
        let mut unsigned = false;
        extent.for_each_ref(&mut |r| unsigned |= self.program.symbol(r.symbol).has_attribute("unsigned"));
        let t = types::of(self.program, extent).elem;
        match (t.base, t.bits, unsigned) {
            (BaseType::Integer, 64, true) => "unsigned long",
            (_, _, true) => "unsigned int",
            (BaseType::Integer, 64, _) => {
                if self.c {
                    "long"
                } else {
                    "long long"
                }
            }
            _ => "int",
        }
    }

    /// Refuses extents that have changed since the array was declared.
    fn check_extents(&mut self, id: SymbolId, shape: &[Expr]) {
        let mut changed = None;
        for e in shape {
            // Who asks for the extents of an array does not look at its elements.
            let asks =
                |n: &xaif::model::Node| matches!(&n.kind, NodeKind::Op(op) if matches!(op.name.as_str(), "size" | "lbound" | "ubound"));
            let asked: Vec<usize> = e.nodes.iter().filter(|n| asks(n)).flat_map(|n| n.operands.first()).map(|o| o.index()).collect();
            for (_, n) in e.nodes.iter().enumerate().filter(|(k, _)| !asked.contains(k)) {
                let NodeKind::Var(whole) = &n.kind else { continue };
                let inside = whole.index_exprs().flat_map(Expr::refs);
                for r in std::iter::once(whole).chain(inside) {
                    if self.usage.written.contains(&r.symbol) && *self.program.symbol(r.symbol).storage() == Storage::Argument {
                        changed = Some(r.symbol);
                    }
                }
            }
        }
        if let Some(c) = changed {
            let reason = format!("`{}`, which its extents depend on, is set in the unit", self.source_name(c));
            self.refuse_array(id, &reason);
        }
    }

    /// Opens a loop for each dimension of a shape (in source order); the subscripts are in `self.index` until they are closed.
    /// `backwards`: from the last element to the first.
    pub fn open_loops(&mut self, shape: &[Expr], backwards: bool) -> usize {
        let names: Vec<SmolStr> = shape.iter().map(|_| self.names.fresh(&["i", "j", "k", "l", "k"])).collect();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if self.program.index_order == IndexOrder::Column {
            order.reverse();
        }
        for k in order {
            let ty = self.counter_type(&shape[k]);
            let i = &names[k];
            let head = if backwards {
                let extent = self.expression(&shape[k], Place::Bare);
                format!("for ({ty} {i} = {extent}; {i}-- > 0;)")
            } else {
                let extent = self.expression(&shape[k], Place::Right(Prec::Relation));
                format!("for ({ty} {i} = 0; {i} < {extent}; {i}++)")
            };
            self.out.text(head);
            self.out.level += 1;
        }
        self.index = names;
        shape.len()
    }

    /// Closes loops whose bodies were one statement.
    pub fn close_loops(&mut self, count: usize) {
        self.out.level -= count;
        for name in std::mem::take(&mut self.index) {
            self.names.give_back(&name);
        }
    }

    /// An assignment to a whole array or a section.
    pub fn assign_array(&mut self, lhs: &VarRef, rhs: &Expr) {
        if lhs.subscripts.iter().any(|t| t.index.as_ref().is_some_and(|e| types::of(self.program, e).rank > 0)) {
            return self.refuse_array(lhs.symbol, "a subscript is an array itself");
        }
        if self.feeds_product(lhs, rhs) {
            return self.refuse_array(lhs.symbol, "the result of a matrix product or transpose is one of its operands");
        }
        let ty = types::of(self.program, rhs);
        if ty.rank == 0 && is_zero(rhs) && self.zero_block(lhs) {
            return;
        }
        let Some(shape) = self.shape(lhs) else {
            return self.refuse_array(lhs.symbol, "its extents are not known");
        };
        self.check_extents(lhs.symbol, &shape);
        // Reductions have one value for all elements, which is computed first.
        let rhs = &self.without_reductions(rhs);
        if let Some(other) = self.overlap(lhs, rhs) {
            let reason = format!("the elements of `{}` on the right may be overwritten before they are read", self.source_name(other));
            return self.refuse_array(lhs.symbol, &reason);
        }
        let loops = self.open_loops(&shape, false);
        let start = self.out.lines.len();
        let text = self.assignment(lhs, rhs);
        let several = self.out.lines.len() > start;
        self.out.text(format!("{text};"));
        if several {
            if let Some((Line::Text(_, head), _)) = start.checked_sub(1).and_then(|k| self.out.lines.get_mut(k)) {
                head.push_str(" {");
            }
            self.out.level -= 1;
            self.out.text("}");
            self.out.level += 1;
        }
        self.close_loops(loops);
    }

    /// `memset` for a whole local array.
    fn zero_block(&mut self, lhs: &VarRef) -> bool {
        let symbol = self.program.symbol(lhs.symbol);
        let own = matches!(symbol.storage(), Storage::Local | Storage::Static | Storage::Global);
        if self.is_scattered(lhs.symbol) || !lhs.subscripts.is_empty() || !own || is_heap(symbol) || symbol.pointer {
            return false;
        }
        // An array that was declared elsewhere without its size has no `sizeof`.
        if self.dims(lhs.symbol).iter().any(|d| self.extent(d).is_none()) {
            return false;
        }
        if !matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool) {
            return false;
        }
        self.needs.string = true;
        let name = self.name(lhs.symbol);
        self.out.text(format!("memset({name}, 0, sizeof {name});"));
        true
    }

    /// A variable on the right whose elements an element-wise loop might overwrite too early.
    fn overlap(&self, lhs: &VarRef, rhs: &Expr) -> Option<SymbolId> {
        let target = self.program.symbol(lhs.symbol);
        let aliased = |s: SymbolId| {
            let other = self.program.symbol(s);
            let may = |x: &xaif::model::Symbol| x.decl.as_ref().is_some_and(|d| d.may_alias);
            s != lhs.symbol && may(other) && may(target) && other.ty == target.ty
        };
        let mut found = None;
        rhs.for_each_ref(&mut |r| {
            let same_elements = offsets::same_place(r, lhs);
            if (r.symbol == lhs.symbol && !same_elements) || aliased(r.symbol) && !self.are_members(r, lhs) {
                found = Some(r.symbol);
            }
        });
        for e in lhs.index_exprs() {
            e.for_each_ref(&mut |r| {
                if r.symbol == lhs.symbol {
                    found = Some(r.symbol);
                }
            });
        }
        found
    }

    /// An element of `matmul(a, b)` or `transpose(a)` inside the loops over the elements of an array expression.
    pub fn product_element(&mut self, t: &Typed, name: &str, ty: ElemType, operands: &[NodeId]) -> Option<Form> {
        let whole = |&o: &NodeId| match &t.expr.node_at(o).kind {
            NodeKind::Var(r) if r.subscripts.is_empty() => Some(r.clone()),
            _ => None,
        };
        let arrays: Option<Vec<VarRef>> = operands.iter().map(whole).collect();
        match (name, arrays.as_deref()) {
            ("transpose_arr", Some([a])) if self.index.len() == 2 => {
                self.index.reverse();
                let form = self.reference(a);
                self.index.reverse();
                Some(form)
            }
            ("matmul_arr", Some([a, b])) => self.matmul(a, b, ty),
            _ => None,
        }
    }

    fn matmul(&mut self, a: &VarRef, b: &VarRef, ty: ElemType) -> Option<Form> {
        let (shape_a, shape_b) = (self.shape(a)?, self.shape(b)?);
        if shape_a.len() + shape_b.len() != self.index.len() + 2 || !self.may_hoist {
            return None;
        }
        let inner = shape_a.last()?.clone();
        let c = c_types::of_elem(ty, false, self.c)?;
        let sum = self.names.fresh(&["sum"]);
        self.extra_locals.push((c.text, sum.clone()));
        self.out.text(format!("{sum} = 0;"));
        let outer = std::mem::take(&mut self.index);
        let one = self.open_loops(std::slice::from_ref(&inner), false);
        let k = self.index.first().cloned().unwrap_or_default();
        let (rows, columns) = if shape_a.len() == 2 { (&outer[..1], &outer[1..]) } else { (&outer[..0], &outer[..]) };
        self.index = rows.iter().cloned().chain([k.clone()]).collect();
        let x = self.expression(&Expr::var(a.clone()), Place::Left(Prec::Mul));
        self.index = [k.clone()].into_iter().chain(columns.iter().cloned()).collect();
        let y = self.expression(&Expr::var(b.clone()), Place::Right(Prec::Mul));
        self.out.text(format!("{sum} += {x} * {y};"));
        self.index = vec![k];
        self.close_loops(one);
        self.index = outer;
        Some(Form::leaf(sum))
    }

    /// True where an operand of a product is the array that is being set, whose elements would be overwritten too early.
    fn feeds_product(&self, lhs: &VarRef, rhs: &Expr) -> bool {
        rhs.nodes.iter().any(|n| match &n.kind {
            NodeKind::Op(op) if matches!(op.name.as_str(), "matmul_arr" | "transpose_arr") => {
                n.operands.iter().any(|&o| rhs.subexpr(o).refs().any(|r| r.symbol == lhs.symbol))
            }
            _ => false,
        })
    }

    /// The number of elements of a reference, as a C expression.
    pub fn count(&mut self, r: &VarRef, place: Place) -> Option<String> {
        let shape = self.shape(r)?;
        self.check_extents(r.symbol, &shape);
        let mut e = Expr::int(1);
        for s in shape {
            e = offsets::times(e, s);
        }
        // A product of extents may be too large for an int.
        if matches!(&e.root().kind, NodeKind::Op(op) if op.name == "mul_scal_scal") {
            let text = self.expression(&e, Place::Left(Prec::Mul));
            let cast = if text.starts_with("(size_t)") { "" } else { "(size_t)" };
            return Some(format!("{cast}{text}"));
        }
        Some(self.expression(&e, place))
    }
}

/// The constant 0, with a plus sign.
pub(crate) fn is_zero(e: &Expr) -> bool {
    e.as_constant().is_some_and(|c| !c.value.starts_with('-') && c.value.replace(['d', 'D'], "e").parse::<f64>() == Ok(0.0))
}
