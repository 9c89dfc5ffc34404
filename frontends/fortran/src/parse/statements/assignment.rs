//! Assignments.
//!
//! Lives here: left sides, right sides, results that need no copy. Never here: WHERE, structures.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::{is_component, is_member};
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// `left = right`.
    pub fn assignment(&mut self, node: Node<'t>) -> Lowered<()> {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return Err(self.refuse(node, "OB3034", "malformed assignment"));
        };
        if self.complex_assignment(node, left, right)? || self.structure_assignment(node)? {
            return Ok(());
        }
        let (lhs, ty, rank) = self.target(left)?;
        if ty.base == BaseType::String && !matches!(right.kind(), "identifier" | "string_literal") {
            return Err(self.refuse(node, "OB3044", "text expression"));
        }
        if rank == 0 && self.direct_result(&lhs, ty, right)? || rank > 0 && self.direct_elements(&lhs, ty, rank, right)? {
            return Ok(());
        }
        let mut v = self.expr(right)?;
        let classes = |b: BaseType| match b {
            BaseType::Real | BaseType::Integer => 0,
            other => other as u8 + 1,
        };
        if classes(v.ty.base) != classes(ty.base) {
            return Err(self.refuse(node, "OB3043", "the types on both sides do not go together"));
        }
        if v.rank > 0 && v.rank != rank {
            return Err(self.refuse(node, "OB3043", "the ranks on both sides differ"));
        }
        if ty.base == BaseType::String && v.e.nodes.len() > 1 {
            return Err(self.refuse(node, "OB3044", "text expression"));
        }
        self.before_whole_assignment(&lhs, &mut v, node)?;
        self.emit(StmtKind::Assignment { lhs, rhs: v.e }, node, false);
        Ok(())
    }

    /// The name and the arguments of a function that may fill `lhs` itself, as far as that depends on who else sees it.
    fn filling_call(&self, lhs: &VarRef, right: Node<'t>) -> Option<(String, Node<'t>)> {
        let parts = named(right);
        let [callee, list] = parts[..] else { return None };
        if right.kind() != "call_expression" || callee.kind() != "identifier" || list.kind() != "argument_list" {
            return None;
        }
        let name = self.lower(callee);
        let s = self.p.symbol(lhs.symbol);
        // A structure that is passed may be the one that is set.
        let own = s.scope == self.cur.scope
            && matches!(s.storage(), Storage::Local | Storage::Argument)
            && s.kind == SymbolKind::Variable
            && !is_member(s);
        let aliased = s.decl.as_ref().is_some_and(|d| d.may_alias);
        let hosted = self.procs.iter().any(|p| p.host == Some(self.cur.proc) && !p.interface_only);
        let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
        let seen = !own || aliased || hosted || framed;
        (!seen && !self.is_array_or_text(&name) && !self.means_intrinsic(&name)).then_some((name, list))
    }

    /// `y = f(x)`: the call fills `y` itself where the arguments cannot notice.
    fn direct_result(&mut self, lhs: &VarRef, ty: ElemType, right: Node<'t>) -> Lowered<bool> {
        let Some((name, list)) = self.filling_call(lhs, right) else { return Ok(false) };
        let plain = lhs.index_exprs().all(|e| e.as_constant().is_some());
        if !plain || self.statement_function(&name).is_some() {
            return Ok(false);
        }
        let Some(symbol) = self.lookup(self.cur.scope, &name).filter(|s| self.proc_of.contains_key(s)) else { return Ok(false) };
        let Some(result) = self.procs[self.proc_of[&symbol]].formals.iter().find(|f| f.result).map(|f| self.p.symbol(f.symbol)) else {
            return Ok(false);
        };
        if result.ty != ty || result.rank > 0 || self.symbols_in(list)?.contains(&lhs.symbol) {
            return Ok(false);
        }
        let (raws, passed) = self.evaluated_with(Some(list))?;
        let symbol = self.specialised(symbol, &passed)?;
        let bound = self.matched(symbol, raws, right)?;
        let arguments = self.actuals(symbol, bound)?;
        let comment = std::mem::take(&mut self.cur.comment);
        self.finish_function(symbol, arguments, right, Some((lhs.clone(), comment)))?;
        Ok(true)
    }

    /// `y = f(x)` with an elemental function: the calls fill `y` itself where the arguments are not parts of it.
    fn direct_elements(&mut self, lhs: &VarRef, ty: ElemType, rank: u8, right: Node<'t>) -> Lowered<bool> {
        let Some((name, list)) = self.filling_call(lhs, right) else { return Ok(false) };
        if self.p.symbol(lhs.symbol).has_attribute("allocatable") {
            return Ok(false);
        }
        let Some(&proc) = self.lookup(self.cur.scope, &name).and_then(|s| self.proc_of.get(&s)) else { return Ok(false) };
        let (symbol, p) = (self.procs[proc].symbol, &self.procs[proc]);
        let result = p.formals.iter().find(|f| f.result).map(|f| self.p.symbol(f.symbol).ty);
        if !p.elemental || result != Some(ty) || self.symbols_in(list)?.contains(&lhs.symbol) {
            return Ok(false);
        }
        let raws = self.evaluated(Some(list))?;
        let bound = self.matched(symbol, raws, right)?;
        if !self.is_elementwise(symbol, &bound) {
            let arguments = self.actuals(symbol, bound)?;
            let v = self.finish_function(symbol, arguments, right, None)?;
            self.emit(StmtKind::Assignment { lhs: lhs.clone(), rhs: v.e }, right, false);
            return Ok(true);
        }
        if bound.iter().any(|a| a.value.rank > 0 && a.value.rank != rank) {
            return Err(self.refuse(right, "OB3043", "the ranks on both sides differ"));
        }
        self.call_elements(symbol, bound, right, Some(lhs.clone()))?;
        Ok(true)
    }

    /// The left side of an assignment.
    pub fn target(&mut self, node: Node<'t>) -> Lowered<(VarRef, ElemType, u8)> {
        let component = is_component(node);
        if component && self.member_symbol(node).is_none() {
            return Err(self.refuse(node, "OB3020", "component of a derived type"));
        }
        let v = match node.kind() {
            _ if component => self.expr(node)?,
            "identifier" => self.expr(node)?,
            "call_expression" => {
                let callee = named(node).first().copied();
                let known = callee.filter(|c| c.kind() == "identifier").map(|c| self.lower(c));
                if let Some(name) = known {
                    let is_variable = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.rank > 0 || s.ty.base == BaseType::String
                    });
                    let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
                    let substring = !framed && self.lookup(self.cur.scope, &name).is_some_and(|s| self.p.symbol(s).rank == 0);
                    if is_variable && substring {
                        return Err(self.refuse(node, "OB3044", "substring"));
                    }
                    if !is_variable && !framed {
                        return Err(self.refuse(node, "OB3046", format!("`{name}` is assigned to, but is no array")));
                    }
                }
                self.expr(node)?
            }
            _ => self.expr(node)?,
        };
        let Some(r) = v.e.as_var() else { return Err(self.refuse(node, "OB3046", "this cannot be assigned to")) };
        let s = self.p.symbol(r.symbol);
        // Its components are what carries values.
        if v.ty.base == BaseType::Opaque {
            let code = if self.is_complex(node) { "OB3021" } else { "OB3020" };
            return Err(self.refuse(node, code, "assignment to a variable of derived or complex type"));
        }
        if *s.storage() == Storage::Constant {
            return Err(self.refuse(node, "OB3046", format!("the constant `{}` is assigned to", s.name)));
        }
        Ok((r.clone(), v.ty, v.rank))
    }
}
