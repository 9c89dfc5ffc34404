//! Pointers in structures of the function itself: each stands for the one target that it gets.
//!
//! ```text
//! struct data d = {n, w};  rates(x, &d);      ->      the member d.w is the array w, and the call hands over w for it
//! ```
//!
//! The target must be given once, by the initializer or by an assignment in the block that declares the structure. Lives here: targets and their uses. Never here: pointers
//! in structures that are arguments, which have variables (see `structures`).

use crate::parse::context::places::{LValue, Pointer};
use crate::parse::context::records::Found;
use crate::parse::context::state::Lower;
use crate::parse::context::values::Operand;
use crate::parse::language::types::{CType, same_element};
use crate::parse::text::refusals::{POINTER_TARGET, Refusal, Res};
use crate::parse::text::syntax::uncast;
use lang_c::ast::{Expression as E, MemberExpression, MemberOperator, UnaryOperator as U};
use lang_c::span::Node;
use smol_str::SmolStr;
use xaif::model::Storage;

/// True for a name, its address, and members of it.
fn is_plain(e: &Node<E>) -> bool {
    match &e.node {
        E::Identifier(_) => true,
        E::Member(m) => is_plain(&m.node.expression),
        E::UnaryOperator(u) => u.node.operator.node == U::Address && is_plain(&u.node.operand),
        _ => false,
    }
}

impl<'a> Lower<'a> {
    /// The structure that a member expression names a member of, where that is a plain name.
    fn structure_in(&mut self, m: &'a MemberExpression) -> Option<LValue> {
        if !is_plain(&m.expression) {
            return None;
        }
        match m.operator.node {
            MemberOperator::Direct => self.place(&m.expression).ok(),
            MemberOperator::Indirect => {
                let p = self.pointer(&m.expression).ok()?;
                Some(LValue { base: p.base, subs: p.subs, ty: p.to })
            }
        }
    }

    /// What a pointer in a structure of the function points to.
    pub fn member_target(&mut self, e: &'a Node<E>) -> Option<Pointer> {
        let E::Member(m) = &e.node else { return None };
        let of = self.structure_in(&m.node)?;
        self.targets.get(&(of.base, SmolStr::from(m.node.identifier.node.name.as_str()))).cloned()
    }

    /// `s.w = x` for a structure of the function; `None` for other pointers.
    pub fn give_member_target(&mut self, e: &'a Node<E>, lhs: &'a Node<E>, rhs: &'a Node<E>) -> Res<Option<Operand>> {
        let E::Member(m) = &lhs.node else { return Ok(None) };
        let Some(of) = self.structure_in(&m.node) else { return Ok(None) };
        let name = SmolStr::from(m.node.identifier.node.name.as_str());
        let Some(depth) = self.depth_of(&of) else { return Ok(None) };
        let null = self.operand_is_null(rhs) == Some(true);
        let target = self.targets.get(&(of.base, name.clone())).map(|t| t.base);
        // Null is no target; it is what memory that was given back leaves.
        if null && target.is_none_or(|t| self.body().owned.contains(&t)) {
            return Ok(Some(Operand::Null));
        }
        if self.targets.contains_key(&(of.base, name.clone())) || self.blocks.len() != depth || self.body().facts.labels {
            return Err(Refusal::new(POINTER_TARGET, e.span, format!("the pointer `{name}` in a structure gets another target"))
                .because("a pointer in a structure must get its target once, in the block that declares the structure")
                .help("use one structure for each target"));
        }
        self.set_member_target(&of, name, rhs).map(Some)
    }

    /// How many blocks are open where a structure of the function is declared; `None` for other structures, and elements of several.
    fn depth_of(&mut self, of: &LValue) -> Option<usize> {
        let symbol = self.program.symbol(of.base);
        let own = *symbol.storage() == Storage::Local && symbol.rank == 0 && of.subs.is_empty() && self.structures.contains_key(&of.base);
        let outermost = SmolStr::from(symbol.name.split('%').next().unwrap_or_default());
        if own { self.body().depths.get(&outermost).copied() } else { None }
    }

    /// Takes note of the target of a pointer in a structure.
    pub fn set_member_target(&mut self, of: &LValue, name: SmolStr, value: &'a Node<E>) -> Res<Operand> {
        let wanted = self.field(&of.ty, &name).map(Found::ty);
        // A text can only be handed on.
        if let (E::StringLiteral(_), Some(CType::Pointer(p))) = (&uncast(value).node, &wanted)
            && matches!(p.to, CType::Int { bits: 8, .. })
        {
            return Ok(Operand::Opaque);
        }
        if let Some(CType::Pointer(p)) = &wanted
            && p.to.is_arithmetic()
            && self.gives_memory(value)
        {
            let target = self.member_memory(of, &name, &p.to.clone(), value)?;
            self.targets.insert((of.base, name), target.clone());
            return Ok(Operand::Pointer(target));
        }
        let target = self.full(value, |l, e| l.pointer(e))?;
        let target = self.settled(&name, target, value.span)?;
        match wanted {
            Some(CType::Pointer(p)) if same_element(&p.to, &target.to) => {}
            _ => {
                return Err(Refusal::new(
                    POINTER_TARGET,
                    value.span,
                    format!("the pointer `{name}` in a structure gets a target of another type"),
                )
                .because("what it points to is not followed"));
            }
        }
        self.targets.insert((of.base, name), target.clone());
        Ok(Operand::Pointer(target))
    }
}
