//! Arrays whose rows pointers lead to: `double **a`.
//!
//! Such a parameter is an array of two dimensions with the attribute `rows`. Rows do not overlap, as arguments of a head do not; that stays
//! so because no function that is translated sets a pointer to a row. Lives here: what is refused for their sake, and how they are passed on.
//! Never here: accesses, which are those of any array (see `pointers`).

use crate::parse::context::places::Pointer;
use crate::parse::context::state::{FunctionInfo, Lower};
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{POINTER_TO_POINTER, Refusal, Res};
use lang_c::ast::Expression as E;
use lang_c::span::{Node, Span};
use xaif::model::{Expr, VarRef};

impl Lower<'_> {
    /// A pointer to a row gets another target.
    pub fn row_pointer_set(&self, place: Span) -> Refusal {
        Refusal::new(POINTER_TO_POINTER, place, "a pointer to a row of an array gets another target")
            .because("which rows an array has, and that they do not overlap, must stay as it is")
            .help("exchange the elements of rows, or keep the numbers of rows in an array of integers")
    }

    /// What a call passes for a pointer to pointers: the whole array, to a function that takes one and whose text is here.
    pub fn rows_argument(&self, a: &Node<E>, p: Pointer, wanted: Option<&CType>, info: &FunctionInfo) -> Res<Expr> {
        let why = if !info.defined {
            "what the function does with the pointers is not known"
        } else if !p.to.is_row() {
            "the function takes pointers to rows, which are not there"
        } else if !wanted.is_some_and(CType::is_row) {
            "the function takes something else than rows"
        } else if p.subs.len() != 1 || p.subs[0].as_int() != Some(0) {
            "it does not begin with the first row"
        } else {
            return Ok(Expr::var(VarRef::whole(p.base)));
        };
        let name = &self.program.symbol(p.base).name;
        Err(Refusal::new(POINTER_TO_POINTER, a.span, format!("`{name}` is passed as pointers to rows"))
            .because(why)
            .help("pass the whole array to a function whose text is here, or one row of it"))
    }
}
