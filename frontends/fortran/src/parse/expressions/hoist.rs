//! Operands that must become statements of their own: what AND and OR leave out, texts put together.
//!
//! Lives here: temporaries for such operands. Never here: calls of functions (see `calls`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::is_component;
use crate::parse::context::terms::{Val, combine, type_text};
use crate::parse::text::tree::field;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// `t = a; if (t) t = b` for `a .and. b` where b makes statements.
    pub fn short_circuit(&mut self, sign: &str, left: Val, right: Node<'t>) -> Lowered<Val> {
        self.needs_graph(right)?;
        self.logical(&left, right)?;
        if left.rank > 0 && self.calls_pure_only(right) {
            // Both sides may be evaluated.
            let value = self.expr(right)?;
            return self.apply(sign, left, value, right);
        }
        if left.rank > 0 {
            return Err(self.refuse(right, "OB3040", "function reference beside an array of truth values"));
        }
        let t = self.temp("test", ElemType::BOOL, "logical", Vec::new(), false, self.file().span(right));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: left.e }, right, true);
        let condition = if sign == ".and." { Expr::sym(t) } else { combine(NodeKind::Bool(BoolOp::Not), [Expr::sym(t)]) };
        if let Some(g) = &mut self.cur.graph {
            g.begin_branch(condition);
            g.arm(&[1]);
        }
        let outer = std::mem::take(&mut self.cur.after);
        self.cur.perhaps += 1;
        let value = self.expr(right);
        self.cur.perhaps -= 1;
        if let Ok(v) = &value {
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e.clone() }, right, true);
        }
        self.flush_after();
        self.cur.after = outer;
        if let Some(g) = &mut self.cur.graph {
            g.end_branch();
        }
        self.logical(&value?, right)?;
        Ok(Val::new(Expr::sym(t), ElemType::BOOL, 0))
    }

    /// A text expression in a variable of its own, filled by an opaque statement: the model has no operations on text.
    pub fn text_value(&mut self, node: Node<'t>) -> Lowered<Val> {
        let effects = self.calls_user(node) && !self.calls_without_effects(node);
        if self.cur.graph.is_none() || effects || !self.cur.frames.is_empty() {
            return Err(self.refuse(node, "OB3044", "text expression"));
        }
        let ty = ElemType { base: BaseType::String, bits: 0 };
        let t = self.temp("text", ty, "character(len=:)", Vec::new(), true, self.file().span(node));
        let text = format!("{} = {}", self.p.symbol(t).name, self.file().squeezed(node));
        let reads = self.symbols_in(node)?;
        let marker = Marker { class: MarkerClass::Passive, text, reads, writes: vec![t], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
        Ok(Val::new(Expr::sym(t), ty, 0))
    }

    /// A truth value that only the text can ask for: whether a pointer has a target.
    pub fn asked_of_text(&mut self, stem: &str, node: Node<'t>) -> Lowered<Val> {
        self.own_names_only(node)?;
        let t = self.temp(stem, ElemType::BOOL, &type_text(ElemType::BOOL), Vec::new(), false, self.file().span(node));
        let text = format!("{} = {}", self.p.symbol(t).name, self.file().squeezed(node));
        let reads = self.symbols_in(node)?;
        let marker = Marker { class: MarkerClass::Passive, text, reads, writes: vec![t], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
        Ok(Val::new(Expr::sym(t), ElemType::BOOL, 0))
    }

    /// A comparison with a component that is text; nothing where it is another one.
    pub fn text_comparison(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        if node.kind() != "relational_expression" || self.cur.graph.is_none() || self.calls_user(node) {
            return Ok(None);
        }
        let sides = [field(node, "left"), field(node, "right")];
        let of_text = |l: &mut Self, n: Node<'t>| {
            is_component(n) && l.component_of(n, 0).is_some_and(|(c, _)| c.ty.base == BaseType::String && !c.array)
        };
        if !sides.into_iter().flatten().any(|n| of_text(self, n)) {
            return Ok(None);
        }
        self.asked_of_text("test", node).map(Some)
    }
}
