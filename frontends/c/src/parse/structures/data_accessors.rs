//! Functions of libraries that hand out the numbers of a structure.
//!
//! ```text
//! double *u = N_VGetArrayPointer(v);      ->      u is v%N_VGetArrayPointer, which is reached like a member by the way (N_VGetArrayPointer)*
//! ```
//!
//! What such a function returns belongs to the structure: the same for each call, another for each structure, and of a derivative of the structure the derivatives.
//! Lives here: such a call as a pointer. Never here: which functions these are (see `language::library`).

use crate::parse::context::places::Pointer;
use crate::parse::context::records::{Field, Found};
use crate::parse::context::state::{Binding, Lower};
use crate::parse::language::library::DATA_ACCESSORS;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{POINTER_TARGET, Refusal, Res};
use crate::parse::text::syntax::callee_name;
use lang_c::ast::{CallExpression, Expression as E};
use lang_c::span::Node;
use smol_str::SmolStr;
use xaif::model::Expr;

impl<'a> Lower<'a> {
    /// Whether a call is one of a function of a library that hands out the numbers of a structure.
    pub fn is_data_accessor(&self, c: &CallExpression) -> bool {
        let function = callee_name(c).filter(|n| DATA_ACCESSORS.contains(n)).and_then(|n| self.find(n));
        matches!(function, Some(Binding::Function(f)) if !f.defined) && c.arguments.len() == 1
    }

    /// What such a call returns.
    pub fn handed_out_pointer(&mut self, e: &'a Node<E>, c: &'a CallExpression) -> Res<Pointer> {
        let odd = || {
            Refusal::new(POINTER_TARGET, e.span, "a function hands out a pointer")
                .because("what it is given is no structure whose definition is here, or it hands out no numbers")
                .help("pass the array as an argument")
        };
        let (Some(name), [argument]) = (callee_name(c), &c.arguments[..]) else { return Err(odd()) };
        let Some(Binding::Function(f)) = self.find(name).cloned() else { return Err(odd()) };
        let CType::Pointer(numbers) = &f.signature.result else { return Err(odd()) };
        let of = self.pointer(argument)?;
        if !numbers.to.is_arithmetic() || !self.structures.contains_key(&of.base) {
            return Err(odd());
        }
        let field = Field {
            name: SmolStr::from(name),
            ty: f.signature.result.clone(),
            text: numbers.to.spelling(),
            bits: false,
            constant: false,
            volatile: false,
        };
        let base =
            self.member_symbol(of.base, &Found { field, in_union: false, assumed: false, handed_out: true, overlay: None }, e.span)?;
        let mut subs = of.subs;
        subs.push(Expr::int(0));
        Ok(Pointer { base, subs, to: numbers.to.clone() })
    }
}
