//! Calls of functions that do nothing but return a pointer: what they return, in terms of their arguments.
//!
//! Lives here: such a call as a pointer. Never here: which functions these are (see `facts::returned_pointers`).

use crate::parse::context::places::{Place, Pointer};
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::facts::returned_pointers::ReturnedPointer;
use crate::parse::language::types::{CType, same_element};
use crate::parse::text::refusals::{POINTER_TARGET, Refusal, Res};
use crate::parse::text::syntax::{callee_name, parameter_names};
use lang_c::ast::{CallExpression, Expression as E};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

impl<'a> Lower<'a> {
    /// The function that a call names, if it does nothing but return a pointer into what an argument points to.
    pub fn returned_pointer(&self, c: &CallExpression) -> Option<ReturnedPointer<'a>> {
        let name = callee_name(c)?;
        let is_function = matches!(self.find(name), Some(Binding::Function(_)));
        self.returned_pointers.get(name).copied().filter(|_| is_function)
    }

    /// `row(a, i, n)`, where `row` returns `a + i * n`: that pointer, with the arguments in the place of the parameters.
    pub fn pointer_of_call(&mut self, e: &'a Node<E>, c: &'a CallExpression) -> Res<Pointer> {
        let odd = || {
            Refusal::new(POINTER_TARGET, e.span, "a function returns a pointer in a form that is not understood")
                .because("types or arguments do not fit")
                .help("pass the array as an argument")
        };
        let Some(r) = self.returned_pointer(c) else { return Err(odd()) };
        let f = r.function;
        let arguments: Vec<&Node<E>> = c.arguments.iter().collect();
        self.check_order(e, &arguments)?;
        let specified = self.specifiers(&f.specifiers, f.declarator.span)?;
        let declared = self.declarator(&specified.ty, specified.constant, &f.declarator)?;
        let CType::Function(signature) = &declared.ty else { return Err(odd()) };
        let names = parameter_names(f).filter(|n| n.len() == c.arguments.len() && n.len() == signature.parameters.len());
        let Some(names) = names else { return Err(odd()) };
        let mut inside: FxHashMap<SmolStr, Binding> = FxHashMap::default();
        for (k, (argument, p)) in c.arguments.iter().zip(&signature.parameters).enumerate() {
            let place = if k == r.argument {
                let target = self.pointer(argument)?;
                let to = match &p.ty {
                    CType::Pointer(t) => t.to.clone(),
                    CType::Array(of, _) => (**of).clone(),
                    _ => return Err(odd()),
                };
                let same = same_element(&to, &target.to) && (to.rank() == 0 || to.is_row() || to == target.to);
                if !same {
                    return Err(odd());
                }
                Place::Target(target)
            } else if p.ty.is_integer() {
                Place::Number(self.value(argument)?.stored_as(&p.ty))
            } else {
                return Err(odd());
            };
            // What decays is a pointer in there.
            let ty = match (&p.ty, &place) {
                (CType::Array(of, _), _) => CType::pointer((**of).clone(), false),
                (ty, _) => ty.clone(),
            };
            inside.insert(names[k].into(), Binding::Variable(Variable { ty, place, value: None, fact: None }));
        }
        // Nothing of the caller's is seen in there.
        let own = self.blocks.split_off(1);
        self.blocks.push(inside);
        let found = self.pointer(r.value);
        self.blocks.truncate(1);
        self.blocks.extend(own);
        let found = found?;
        match &signature.result.with_rows() {
            CType::Pointer(t) if same_element(&t.to, &found.to) => Ok(found),
            _ => Err(odd()),
        }
    }
}
