//! Structures that are set as a whole: assigned, copied, cleared, one of them or several.
//!
//! ```text
//! struct body p = b[i];                     ->      p%x = b%x(i), p%v = b%v(i)
//! memcpy(w, b, n * sizeof *w);              ->      w%x(0:n-1) = b%x(0:n-1), ...
//! ```
//!
//! Lives here: statements of the model for each number in a structure. Pointers in it are lost where the structure is one of the function itself. Never here: members by
//! themselves (see `member_variables`), initial values (see `initializers`).

use crate::parse::context::places::{LValue, Pointer};
use crate::parse::context::records::Found;
use crate::parse::context::state::Lower;
use crate::parse::context::terms::{sum, zero_of};
use crate::parse::context::values::Operand;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{LIBRARY, RECORD, Refusal, Res};
use lang_c::ast::{ConditionalExpression, Expression as E};
use lang_c::span::{Node, Span};
use xaif::members::RETURNED;
use xaif::model::{Expr, StmtKind, Storage, Symbol, Triplet, VarRef};

/// What is done with pointers in a structure that is set as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointers {
    /// They are left out: nobody follows them.
    Lost,
    Refused,
}

impl<'a> Lower<'a> {
    /// `c ? a : b` of structures: a structure of its own.
    pub fn conditional_structure(&mut self, e: &'a Node<E>, c: &'a ConditionalExpression, ty: &CType) -> Res<Operand> {
        let condition = self.condition(&c.condition)?;
        let to = LValue { base: self.temporary_structure("choice", ty), subs: Vec::new(), ty: ty.clone() };
        self.open_branch(condition, c.condition.span);
        for (k, side) in [&c.then_expression, &c.else_expression].into_iter().enumerate() {
            if k > 0 {
                self.body().builder.arm(&[]);
            }
            let Operand::Structure(from) = self.operand(side)? else { return Err(self.no_member(e)) };
            self.copy_structure(&to, &from, side.span)?;
        }
        self.close_branch();
        Ok(Operand::Structure(to))
    }

    /// `a = b` of structures, member by member.
    pub fn copy_structure(&mut self, to: &LValue, from: &LValue, span: Span) -> Res<()> {
        if to.ty != from.ty {
            return Err(Refusal::new(RECORD, span, "structures of different types are assigned"));
        }
        if to.base == from.base && to.subs == from.subs {
            return Ok(());
        }
        if self.is_overlay(to) || self.is_overlay(from) {
            return self.copy_numbers(to, from, span);
        }
        let mut first = true;
        let pointers = self.pointers_in(to);
        self.each_number_in(&to.ty.clone(), pointers, &mut Vec::new(), span, &mut |l, path| {
            let (Some(x), Some(y)) = (l.at_path(to, path, span)?, l.at_path(from, path, span)?) else { return Ok(()) };
            l.settable(&x, span)?;
            let (lhs, rhs) = (l.whole_reference(&x), l.whole_reference(&y));
            l.emit_part(lhs, Expr::var(rhs), span, std::mem::take(&mut first));
            Ok(())
        })
    }

    /// An assignment to a member for a statement that sets several: the first one has the statement's text.
    pub fn emit_part(&mut self, lhs: VarRef, rhs: Expr, span: Span, first: bool) {
        match first {
            true => self.emit_assignment(lhs, rhs, span),
            false => self.emit_with_text(StmtKind::Assignment { lhs, rhs }, span, String::new()),
        }
    }

    /// What becomes of pointers in a structure that is set as a whole. One of the function itself that has no targets in it has none behind that either, and whoever follows them is
    /// refused; what others can see must get its pointers, too.
    fn pointers_in(&self, to: &LValue) -> Pointers {
        let symbol = self.program.symbol(to.base);
        let own = *symbol.storage() == Storage::Local || symbol.has_attribute(&RETURNED);
        let within = |other: &Symbol| {
            other.scope == symbol.scope && other.name.strip_prefix(symbol.name.as_str()).is_some_and(|n| n.is_empty() || n.starts_with('%'))
        };
        let aimed = self.targets.keys().any(|(base, _)| within(self.program.symbol(*base)));
        if own && !aimed { Pointers::Lost } else { Pointers::Refused }
    }

    /// All numbers of a structure become zero.
    pub fn clear_structure(&mut self, to: &LValue, span: Span) -> Res<()> {
        let mut first = true;
        let pointers = self.pointers_in(to);
        self.each_number_in(&to.ty.clone(), pointers, &mut Vec::new(), span, &mut |l, path| {
            let Some(x) = l.at_path(to, path, span)? else { return Ok(()) };
            l.settable(&x, span)?;
            let zero = zero_of(x.ty.element());
            let lhs = l.whole_reference(&x);
            l.emit_part(lhs, zero, span, std::mem::take(&mut first));
            Ok(())
        })
    }

    /// Calls for every member of a type, and of the structures in it, that is a number or an array of numbers. A type with other members is refused.
    pub fn each_number(&mut self, ty: &CType, span: Span, each: &mut dyn FnMut(&mut Self, &[Found]) -> Res<()>) -> Res<()> {
        self.each_number_in(ty, Pointers::Refused, &mut Vec::new(), span, each)
    }

    fn each_number_in(
        &mut self,
        ty: &CType,
        pointers: Pointers,
        path: &mut Vec<Found>,
        span: Span,
        each: &mut dyn FnMut(&mut Self, &[Found]) -> Res<()>,
    ) -> Res<()> {
        let whole = |what: &str| {
            Refusal::new(RECORD, span, format!("`{}` is used as a whole", ty.describe()))
                .because(format!("its member `{what}` is no number, so that what it is worth is not followed"))
                .help("assign the members that are needed one by one")
        };
        let Some(fields) = self.all_fields(ty) else { return Err(whole("?")) };
        for found in fields {
            let inner = found.field.ty.clone();
            if pointers == Pointers::Lost && matches!(inner.element(), CType::Pointer(_)) {
                continue;
            }
            if found.in_union || !(inner.element().is_arithmetic() || self.is_structure(&inner)) {
                return Err(whole(&found.field.name));
            }
            path.push(found);
            let done = match inner.element().is_arithmetic() {
                true => each(self, path),
                false => self.each_number_in(inner.element(), pointers, path, span, each),
            };
            path.pop();
            done?;
        }
        Ok(())
    }

    /// The place of a member on such a path: open dimensions of arrays of structures on the way stay open.
    pub fn at_path(&mut self, of: &LValue, path: &[Found], span: Span) -> Res<Option<LValue>> {
        let Some(last) = path.last() else { return Ok(None) };
        if self.is_overlay(of) {
            return Err(Refusal::new(RECORD, span, "a part of a union is used as a whole")
                .because("it is a place in the array of the union's numbers")
                .help("use its members one by one"));
        }
        let mut base = of.base;
        for found in path {
            base = self.member_symbol(base, found, span)?;
        }
        Ok(Some(LValue { base, subs: of.subs.clone(), ty: last.field.ty.clone() }))
    }

    /// A reference to all that is behind the subscripts of a place.
    pub fn whole_reference(&self, lv: &LValue) -> VarRef {
        let rank = self.program.symbol(lv.base).rank as usize;
        if lv.subs.is_empty() || lv.subs.len() >= rank {
            return lv.reference();
        }
        let elements = lv.subs.iter().cloned().map(Triplet::element);
        let open = (lv.subs.len()..rank).map(|_| Triplet::default());
        VarRef { subscripts: elements.chain(open).collect(), ..VarRef::whole(lv.base) }
    }

    /// What a call to a function without a text may use of a structure: all of it.
    pub fn expose(&mut self, lv: &LValue, span: Span) -> Res<()> {
        let of = lv.clone();
        self.each_number(&lv.ty.clone(), span, &mut |l, path| l.at_path(&of, path, span).map(drop))
    }

    /// How many structures a stretch of memory holds; `None` for numbers.
    pub fn number_of_structures(&self, p: &Pointer, shape: &[Expr]) -> Option<Expr> {
        match shape {
            [count] if matches!(p.to, CType::Record(_)) && self.structures.contains_key(&p.base) => Some(count.clone()),
            _ => None,
        }
    }

    /// `memcpy` of several structures, member by member.
    pub fn copy_structures(&mut self, p: &Pointer, q: &Pointer, count: Expr, overlapping: bool, span: Span) -> Res<()> {
        let odd = |why: &str| Refusal::new(LIBRARY, span, "structures are copied in a way that is not followed").because(why.to_owned());
        if p.to != q.to || !self.structures.contains_key(&q.base) {
            return Err(odd("they have different types"));
        }
        let argument = |l: &Self, p: &Pointer| *l.program.symbol(p.base).storage() == Storage::Argument;
        if overlapping && (p.base == q.base || argument(self, p) && argument(self, q)) {
            return Err(odd("the two stretches of memory may overlap").help("write a loop that assigns them one by one"));
        }
        let to = LValue { base: p.base, subs: p.subs.clone(), ty: p.to.clone() };
        let from = LValue { base: q.base, subs: q.subs.clone(), ty: q.to.clone() };
        let pointers = self.pointers_in(&to);
        let mut first = true;
        self.each_number_in(&to.ty.clone(), pointers, &mut Vec::new(), span, &mut |l, path| {
            let (Some(x), Some(y)) = (l.at_path(&to, path, span)?, l.at_path(&from, path, span)?) else { return Ok(()) };
            l.settable(&x, span)?;
            let (Some(lhs), Some(rhs)) = (l.stretch_of(&x, &count), l.stretch_of(&y, &count)) else {
                return Err(odd("one side is a single structure"));
            };
            l.emit_part(lhs, Expr::var(rhs), span, std::mem::take(&mut first));
            Ok(())
        })
    }

    /// `memset` of several structures to zero.
    pub fn clear_structures(&mut self, p: &Pointer, count: Expr, span: Span) -> Res<()> {
        let to = LValue { base: p.base, subs: p.subs.clone(), ty: p.to.clone() };
        let pointers = self.pointers_in(&to);
        let mut first = true;
        self.each_number_in(&to.ty.clone(), pointers, &mut Vec::new(), span, &mut |l, path| {
            let Some(x) = l.at_path(&to, path, span)? else { return Ok(()) };
            l.settable(&x, span)?;
            let Some(lhs) = l.stretch_of(&x, &count) else {
                return Err(Refusal::new(LIBRARY, span, "more than one structure is cleared where there is one"));
            };
            l.emit_part(lhs, zero_of(x.ty.element()), span, std::mem::take(&mut first));
            Ok(())
        })
    }

    /// A reference to a member of so many structures, from the one that a place names on.
    fn stretch_of(&self, lv: &LValue, count: &Expr) -> Option<VarRef> {
        let (start, before) = lv.subs.split_last()?;
        let last = Self::last_of(count.clone());
        let last = if start.as_int() == Some(0) { last } else { sum(start.clone(), last) };
        let rank = self.program.symbol(lv.base).rank as usize;
        let open = (lv.subs.len()..rank).map(|_| Triplet::default());
        let stretch = Triplet { index: Some(start.clone()), bound: Some(last), stride: None };
        let subscripts = before.iter().cloned().map(Triplet::element).chain([stretch]).chain(open).collect();
        Some(VarRef { subscripts, ..VarRef::whole(lv.base) })
    }
}
