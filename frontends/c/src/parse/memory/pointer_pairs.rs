//! Pointers that are compared with each other, or subtracted.
//!
//! Lives here: what two pointers have in common. Never here: tests for null (see `null_tests`).

use crate::parse::context::places::Pointer;
use crate::parse::context::state::Lower;
use crate::parse::context::terms::conversion;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{POINTER_VALUE, Res, refuse};
use lang_c::ast::Expression as E;
use lang_c::span::Node;
use xaif::model::Expr;

impl Lower<'_> {
    /// A subscript as a number that may be below zero: differences of pointers have a sign, whatever their parts are made of.
    pub fn signed(&self, e: Expr) -> Expr {
        let mut unsigned = false;
        e.for_each_ref(&mut |r| unsigned |= self.program.symbol(r.symbol).has_attribute("unsigned"));
        if unsigned { conversion(e, &CType::LONG, "long") } else { e }
    }

    /// Whether two pointers are the beginnings of different objects. What two arguments point to may be one.
    pub fn are_apart(&self, p: &Pointer, q: &Pointer) -> bool {
        let start = |p: &Pointer| p.subs.iter().all(|s| s.as_int() == Some(0));
        let argument = |p: &Pointer| *self.program.symbol(p.base).storage() == xaif::model::Storage::Argument;
        p.base != q.base && start(p) && start(q) && !(argument(p) && argument(q))
    }

    /// The last subscripts of two pointers into the same array (the same row of it).
    pub fn same_array(&mut self, p: &Pointer, q: &Pointer, e: &Node<E>) -> Res<(Expr, Expr)> {
        let same = p.base == q.base && p.subs.len() == q.subs.len() && !p.subs.is_empty();
        match (p.subs.split_last(), q.subs.split_last()) {
            (Some((x, rows)), Some((y, other))) if same && rows == other => {
                let (x, y) = (x.clone(), y.clone());
                Ok((self.signed(x), self.signed(y)))
            }
            _ => refuse(POINTER_VALUE, e, "pointers into different arrays are compared or subtracted"),
        }
    }
}
