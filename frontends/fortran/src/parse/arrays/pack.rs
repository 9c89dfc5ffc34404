//! PACK and UNPACK as loops.
//!
//! Lives here: which element goes where under a mask. Never here: rearrangements without one (see `rearrange`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Extents, Val, at, int_op};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// PACK: the elements where the mask holds, in memory order.
    pub fn pack(&mut self, a: Val, mask: Val, node: Node<'t>) -> Lowered<Val> {
        self.copyable(&a, "pack", node)?;
        self.logical(&mask, node)?;
        if a.rank == 0 || mask.rank > 0 && mask.rank != a.rank {
            return Err(self.refuse(node, "OB3043", "the ranks in `pack` differ"));
        }
        let a = self.elements(a, "pack", node)?;
        let mask = if mask.rank == 0 {
            let t = self.temp("mask", ElemType::BOOL, "logical", Vec::new(), false, self.file().span(node));
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: mask.e }, node, true);
            Val::new(Expr::sym(t), ElemType::BOOL, 0)
        } else {
            self.elements(mask, "mask", node)?
        };
        let dims = self.known_extents(&a, node)?;
        let count = self.temp("n", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(node));
        self.counted_where(&dims, &mask, count, node, &mut |_, _| Ok(()))?;
        // Another variable than the one that counts: the extent stays.
        let size = self.temp("n", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(node));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(size), rhs: Expr::sym(count) }, node, true);
        let t = self.fresh_array("pack", a.ty, vec![(Expr::int(1), Expr::sym(size))], node);
        self.picked(t, &a, (&dims, &mask, count), node)?;
        Ok(Val::new(Expr::sym(t), a.ty, 1))
    }

    /// PACK with a vector, whose elements stand behind those that are picked.
    pub fn pack_into(&mut self, a: Val, mask: Val, vector: Val, node: Node<'t>) -> Lowered<Val> {
        self.copyable(&a, "pack", node)?;
        self.logical(&mask, node)?;
        if a.rank == 0 || mask.rank > 0 && mask.rank != a.rank || vector.rank != 1 || vector.ty != a.ty {
            return Err(self.refuse(node, "OB3043", "the ranks or types in `pack` differ"));
        }
        let a = self.elements(a, "pack", node)?;
        let mask = self.elements(mask, "mask", node)?;
        let vector = self.elements(vector, "vector", node)?;
        let (dims, all) = (self.known_extents(&a, node)?, self.known_extents(&vector, node)?);
        let t = self.fresh_array("pack", a.ty, all.clone(), node);
        self.each_element(t, &all, &vector, node)?;
        let count = self.temp("n", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(node));
        self.picked(t, &a, (&dims, &mask, count), node)?;
        Ok(Val::new(Expr::sym(t), a.ty, 1))
    }

    /// UNPACK: where the mask holds the next element of the vector, else that of the field.
    pub fn unpack(&mut self, vector: Val, mask: Val, field: Val, node: Node<'t>) -> Lowered<Val> {
        self.copyable(&vector, "unpack", node)?;
        self.logical(&mask, node)?;
        if vector.rank != 1 || mask.rank == 0 || field.rank > 0 && field.rank != mask.rank || field.ty != vector.ty {
            return Err(self.refuse(node, "OB3043", "the ranks or types in `unpack` differ"));
        }
        let vector = self.elements(vector, "vector", node)?;
        let mask = self.elements(mask, "mask", node)?;
        let field = self.elements(field, "field", node)?;
        let dims = self.known_extents(&mask, node)?;
        let t = self.fresh_array("unpack", vector.ty, dims.clone(), node);
        self.each_element(t, &dims, &field, node)?;
        let count = self.temp("n", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(node));
        self.counted_where(&dims, &mask, count, node, &mut |l, indices| {
            let unknown = l.refuse(node, "OB3037", "the elements of this array expression are not known");
            let rhs = l.element_at(&vector.e, &[Expr::sym(count)]).ok_or(unknown)?;
            l.emit(StmtKind::Assignment { lhs: at(t, indices), rhs }, node, true);
            Ok(())
        })?;
        Ok(Val::new(Expr::sym(t), vector.ty, mask.rank))
    }

    /// Loops that set all of an array to the elements of a value.
    fn each_element(&mut self, t: SymbolId, dims: &Extents, value: &Val, node: Node<'t>) -> Lowered<()> {
        let indices = self.open_nest(dims, node);
        let rhs = self.element(value, &indices, node)?;
        self.emit(StmtKind::Assignment { lhs: at(t, &indices), rhs }, node, true);
        self.close_nest(indices);
        Ok(())
    }

    /// Loops that put the elements where a mask holds one behind the other.
    fn picked(&mut self, t: SymbolId, a: &Val, (dims, mask, count): (&Extents, &Val, SymbolId), node: Node<'t>) -> Lowered<()> {
        self.counted_where(dims, mask, count, node, &mut |l, indices| {
            let rhs = l.element(a, indices, node)?;
            l.emit(StmtKind::Assignment { lhs: VarRef::element(t, [Expr::sym(count)]), rhs }, node, true);
            Ok(())
        })
    }

    /// Loops that count the elements where a mask holds, with something done at each.
    fn counted_where(
        &mut self,
        dims: &Extents,
        mask: &Val,
        count: SymbolId,
        node: Node<'t>,
        body: &mut dyn FnMut(&mut Self, &[SymbolId]) -> Lowered<()>,
    ) -> Lowered<()> {
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(count), rhs: Expr::int(0) }, node, true);
        let indices = self.open_nest(dims, node);
        let holds = self.element(mask, &indices, node)?;
        self.open_test(holds);
        let next = int_op("add_scal_scal", Expr::sym(count), Expr::int(1));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(count), rhs: next }, node, true);
        body(self, &indices)?;
        self.close_test();
        self.close_nest(indices);
        Ok(())
    }
}
