//! Structures that get their memory from malloc, and memory that their members get.
//!
//! ```text
//! vec *v = malloc(sizeof *v);              v is a structure of the function
//! v->data = calloc(n, sizeof(double));     v->data is an array of its own, with memory of the heap
//! free(v->data);                           which goes here
//! free(v);                                 nothing
//! vec *w = malloc(n * sizeof *w);          w is an array of n structures of the function
//! ```
//!
//! Such a pointer gets memory once, in the block that declares it, and that of several structures where it is declared. Lives here: which pointers these are, and what is done with their memory. Never here: memory of arrays
//! (see `memory::allocation`), members that get other targets (see `member_targets`).

use super::member_variables::open_dim;
use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::state::{Lower, Variable};
use crate::parse::context::terms::zero_of;
use crate::parse::facts::function::Origin;
use crate::parse::language::library::ALLOCATORS;
use crate::parse::language::types::{CType, Extent};
use crate::parse::memory::pointer_declarations::PointerUse;
use crate::parse::text::refusals::{ALLOCATION, Refusal, Res};
use crate::parse::text::syntax::{callee_name, uncast};
use lang_c::ast::Expression as E;
use lang_c::span::{Node, Span};
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::model::{Expr, Storage, SymbolId};

impl<'a> Lower<'a> {
    /// Declares a pointer that gets memory for one structure and points to nothing else; false for other pointers.
    pub fn declare_owned_structure(&mut self, p: &PointerUse<'_, 'a>, init: Option<&'a Node<E>>) -> Res<bool> {
        let (CType::Pointer(target), Some(fact)) = (&p.declared.ty, p.fact) else { return Ok(false) };
        let to = target.to.clone();
        let facts = self.body().facts.clone();
        let var = &facts.vars[fact];
        let only = var.origins.iter().all(|o| matches!(o, Origin::Allocation | Origin::Null)) && var.origins.contains(&Origin::Allocation);
        let empty = init.is_some_and(|e| self.operand_is_null(e) == Some(true));
        let once = var.given.len() == 1 + usize::from(empty) && !var.address && !var.stepped && !p.specified.fixed && !facts.labels;
        if !matches!(to, CType::Record(_)) || !self.is_structure(&to) || !only || !once {
            return Ok(false);
        }
        // `sizeof *v` asks for its type only.
        let unset = Refusal::new(ALLOCATION, p.span, format!("`{}` is used where it gets its memory", p.declared.name));
        self.bind_pointer(p, Place::Refused(Rc::new(unset)));
        let given = init.filter(|_| !empty);
        let (count, zeroed) = match given {
            Some(e) => self.structure_count(&p.declared.name, &to, e)?,
            None => (Expr::int(1), false),
        };
        let several = count.as_int() != Some(1);
        let whole = match self.in_entry_terms(&count, p.span.start) {
            _ if !several => to.clone(),
            Some(n) => CType::Array(Rc::new(to.clone()), n.as_int().map_or_else(|| Extent::Variable(Rc::new(n)), Extent::Fixed)),
            None => {
                return Err(Refusal::new(ALLOCATION, p.span, format!("`{}` gets memory for structures", p.declared.name))
                    .because("how many they are is not known on entry to the function")
                    .help("compute their number from arguments that do not change"));
            }
        };
        let mut symbol = self.new_symbol(&p.declared.name, &whole, p.specified, p.declared.place);
        self.become_structure(&mut symbol, &to);
        let text = self.record_text(&to);
        let decl = symbol.decl.get_or_insert_default();
        decl.storage = Storage::Local;
        decl.type_text = text;
        decl.attributes.retain(|a| a != "const");
        let name = symbol.name.clone();
        let depth = self.blocks.len();
        self.body().depths.insert(name, depth);
        let symbol = self.program.add_symbol(symbol);
        self.structures.insert(symbol, to.clone());
        self.body().owned.push(symbol);
        let subs = if several { vec![Expr::int(0)] } else { Vec::new() };
        self.bind_pointer(p, Place::Target(Pointer { base: symbol, subs, to: to.clone() }));
        self.link(Some(fact), symbol);
        if zeroed {
            self.clear_numbers(&LValue { base: symbol, subs: Vec::new(), ty: to }, p.span)?;
        }
        Ok(true)
    }

    /// How many structures a call gives memory for, and whether all in it is zero.
    fn structure_count(&mut self, name: &str, ty: &CType, e: &'a Node<E>) -> Res<(Expr, bool)> {
        let odd = |why: &str| {
            Refusal::new(ALLOCATION, e.span, format!("`{name}` gets memory in a form that is not understood"))
                .because(why.to_owned())
                .help("write `T *s = malloc(sizeof *s);` where the pointer is declared")
        };
        let E::Call(c) = &uncast(e).node else { return Err(odd("it is no call of malloc")) };
        let (count, zeroed) = match (callee_name(&c.node), &c.node.arguments[..]) {
            (Some("malloc"), [bytes]) => (self.element_count(bytes, ty)?, false),
            (Some("calloc"), [n, size]) => {
                let (n, size) = if matches!(n.node, E::SizeOfTy(_) | E::SizeOfVal(_)) { (size, n) } else { (n, size) };
                let one = self.element_count(size, ty)?.is_some_and(|one| one.as_int() == Some(1));
                (if one { Some(self.count_of(n)?) } else { None }, true)
            }
            _ => return Err(odd("it is no call of malloc or calloc")),
        };
        count.map(|n| (n, zeroed)).ok_or_else(|| odd("it is not the memory of so many structures"))
    }

    /// The structure that a pointer owns.
    pub fn owned_structure(&self, v: &Variable) -> Option<SymbolId> {
        let owned = |s: &SymbolId| self.body.as_ref().is_some_and(|b| b.owned.contains(s));
        match &v.place {
            Place::Target(p) => Some(p.base).filter(|s| owned(s) && self.structures.contains_key(s)),
            _ => None,
        }
    }

    /// The array that a member owns.
    pub fn owned_array(&mut self, e: &'a Node<E>) -> Option<SymbolId> {
        let base = self.member_target(uncast(e))?.base;
        (self.body().owned.contains(&base) && !self.structures.contains_key(&base)).then_some(base)
    }

    /// A structure gets its memory: with what is zero in it.
    pub fn structure_memory(&mut self, symbol: SymbolId, e: &'a Node<E>, span: Span) -> Res<()> {
        let name = self.program.symbol(symbol).name.clone();
        let odd = |why: &str| {
            Refusal::new(ALLOCATION, e.span, format!("`{name}` gets memory in a form that is not understood"))
                .because(why.to_owned())
                .help("write `T *s = malloc(sizeof *s);` where the pointer is declared")
        };
        if self.body().depths.get(&name).copied() != Some(self.blocks.len()) {
            return Err(odd("a structure gets its memory in the block that declares its pointer"));
        }
        let Some(ty) = self.structures.get(&symbol).cloned() else { return Err(odd("it is no structure")) };
        let (count, zeroed) = self.structure_count(&name, &ty, e)?;
        if count.as_int() != Some(1) {
            return Err(odd("memory of several structures is given to a pointer where that is declared"));
        }
        if zeroed { self.clear_numbers(&LValue { base: symbol, subs: Vec::new(), ty }, span) } else { Ok(()) }
    }

    /// The numbers of a structure become zero; pointers in it have no targets yet.
    fn clear_numbers(&mut self, to: &LValue, span: Span) -> Res<()> {
        for found in self.all_fields(&to.ty).unwrap_or_default() {
            let inner = found.field.ty.clone();
            if found.in_union || matches!(inner, CType::Pointer(_)) {
                continue;
            }
            let place = LValue { base: self.member_symbol(to.base, &found, span)?, subs: to.subs.clone(), ty: inner.clone() };
            if inner.element().is_arithmetic() {
                let lhs = self.whole_reference(&place);
                self.emit_part(lhs, zero_of(inner.element()), span, false);
            } else {
                self.clear_numbers(&LValue { ty: inner.element().clone(), ..place }, span)?;
            }
        }
        Ok(())
    }

    /// True for calls that give memory.
    pub fn gives_memory(&self, e: &Node<E>) -> bool {
        matches!(&uncast(e).node, E::Call(c) if callee_name(&c.node).is_some_and(|n| ALLOCATORS.contains(&n) || self.giver(n).is_some()))
    }

    /// `s.w = malloc(...)`: an array of its own, which the member stands for.
    pub fn member_memory(&mut self, of: &LValue, name: &SmolStr, to: &CType, value: &'a Node<E>) -> Res<Pointer> {
        let outer = self.program.symbol(of.base).name.replace('%', "_");
        let symbol = self.temporary(&format_smolstr!("{outer}_{name}"), to);
        let y = self.program.symbol_mut(symbol);
        y.rank += 1;
        let decl = y.decl.get_or_insert_default();
        decl.dims.insert(0, open_dim());
        decl.attributes.push(SmolStr::new_static("heap"));
        self.body().owned.push(symbol);
        self.allocate(symbol, &CType::pointer(to.clone(), false), value, value.span)?;
        Ok(Pointer { base: symbol, subs: vec![Expr::int(0)], to: to.clone() })
    }
}
