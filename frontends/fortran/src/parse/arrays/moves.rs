//! MOVE_ALLOC and the shapes that arrays get from others.
//!
//! Lives here: moves that are no exchange. Never here: exchanges (see `exchanges`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Extents, Val, length, op};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// MOVE_ALLOC: the other array is freed, gets the shape and the values, and the first is freed.
    pub fn move_alloc(&mut self, list: Option<Node<'t>>, node: Node<'t>) -> Lowered<()> {
        let raws = self.evaluated(list)?;
        let mut ends = [None, None];
        for (i, r) in raws.iter().enumerate() {
            let place = match r.keyword.as_str() {
                "" => i,
                "from" => 0,
                "to" => 1,
                _ => 2,
            };
            let whole = r.value.e.as_var().filter(|v| v.subscripts.is_empty() && self.p.symbol(v.symbol).has_attribute("allocatable"));
            match (ends.get_mut(place), whole) {
                (Some(end), Some(v)) => *end = Some((v.symbol, r.value.clone())),
                _ => return Err(self.refuse(r.node, "OB3031", "`move_alloc` of other than two allocatable arrays")),
            }
        }
        let [Some((from, v)), Some((to, _))] = ends else {
            return Err(self.refuse(node, "OB3032", "an argument of the intrinsic is missing"));
        };
        if from == to {
            return Err(self.refuse(node, "OB3031", "`move_alloc` of an array to itself"));
        }
        self.needs_graph(node)?;
        self.may_be_like(to, &v, true, node)?;
        let allocated = |s| op("allocated", "", None, [Expr::sym(s)]);
        self.open_test(allocated(to));
        self.free(to, node);
        self.close_test();
        self.open_test(allocated(from));
        self.allocate_like(to, &v, node)?;
        self.filled(to, &v, true, node);
        self.free(from, node);
        self.close_test();
        for s in [from, to] {
            self.cur.shapes.remove(&s);
            if !self.alike.contains(&s) {
                self.reallocated.push((s, node.start_byte()));
            }
        }
        Ok(())
    }

    /// What SOURCE gives a newly allocated array.
    pub fn filled(&mut self, symbol: SymbolId, v: &Val, copied: bool, node: Node<'t>) {
        if copied {
            let ty = self.p.symbol(symbol).ty;
            let v = self.converted(v.clone(), ty);
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(symbol), rhs: v.e }, node, true);
        }
    }

    /// Refuses ALLOCATE with a SOURCE or MOLD that does not go with the array.
    pub fn may_be_like(&self, symbol: SymbolId, v: &Val, copied: bool, node: Node<'t>) -> Lowered<()> {
        let s = self.p.symbol(symbol);
        if !s.has_attribute("allocatable") {
            return Err(self.refuse(node, "OB3022", format!("`{}` is not ALLOCATABLE", s.name)));
        }
        if v.ty.base != s.ty.base
            || !matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool)
            || v.rank > 0 && v.rank != s.rank
            || !copied && v.rank == 0
        {
            return Err(self.refuse(node, "OB3043", "the type or rank of SOURCE or MOLD is not that of the array"));
        }
        Ok(())
    }

    /// `allocate (a(...))` with the shape of the value, whose bounds it has where that is a whole array.
    pub fn allocate_like(&mut self, symbol: SymbolId, v: &Val, node: Node<'t>) -> Lowered<()> {
        let mut dims: Extents = self.known_extents(v, node)?;
        if let Some(r) = v.e.as_var().filter(|r| r.subscripts.is_empty()) {
            let bound = |what: &str, k: usize| op(what, "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)]);
            let lowers = self.p.symbol(r.symbol).decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
            for (k, d) in dims.iter_mut().enumerate() {
                let one = matches!(lowers.get(k).map(|d| &d.lower), Some(Bound::Expr(e)) if e.as_int() == Some(1));
                if !one && !self.cur.one_based.contains(&r.symbol) {
                    *d = (bound("lbound", k), bound("ubound", k));
                }
            }
        }
        let mut object = VarRef::whole(symbol);
        object.subscripts = dims.into_iter().map(|(l, u)| Triplet { index: Some(l), bound: Some(u), stride: None }).collect();
        if let Some(l) = self.lengths(&v.e, v.e.root_id(), 0) {
            self.cur.shapes.insert(symbol, (l, node));
        }
        let mut reads = Vec::new();
        for e in object.index_exprs() {
            e.for_each_ref(&mut |r| reads.push(r.symbol));
        }
        reads.sort_unstable();
        reads.dedup();
        let text = format!("allocate({})", self.p.symbol(symbol).name);
        let marker = Marker { class: MarkerClass::Allocate, text, object: Some(object), reads, writes: vec![symbol], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
        Ok(())
    }

    /// Notes the shape that ALLOCATE gives.
    pub fn note_shape(&mut self, symbol: SymbolId, object: &VarRef, node: Node<'t>) {
        let bounds = object.subscripts.iter().map(|t| t.index.clone().zip(t.bound.clone())).collect::<Option<Vec<_>>>();
        if let Some(bounds) = bounds {
            let l: Vec<Expr> = bounds.iter().map(|(l, u)| length(l.clone(), u.clone())).collect();
            self.cur.given.insert(symbol, bounds);
            let l = l.into_iter().map(|e| self.declared(e)).collect();
            self.cur.shapes.insert(symbol, (l, node));
        }
    }
}
