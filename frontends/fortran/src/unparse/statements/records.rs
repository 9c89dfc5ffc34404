//! Recording and restoring: calls of the run-time support.
//!
//! Lives here: which of its procedures is called. Never here: calls of units.

use super::body::Body;
use crate::unparse::language::types;
use crate::unparse::text::problems;
use xaif::model::{BaseType, CallArgument, Symbol};

impl Body<'_, '_> {
    /// Prints a call of the run-time support.
    pub fn runtime(&mut self, name: &str, arguments: &[CallArgument]) {
        let cx = self.w.cx;
        // Text without a length of its own need not be there yet.
        let open = |a: &CallArgument| {
            let symbol = a.value.as_var().filter(|r| r.subscripts.is_empty()).map(|r| cx.program.symbol(r.symbol));
            let there = |s: &Symbol| s.ty.base == BaseType::String && ["allocatable", "heap"].iter().any(|a| s.has_attribute(a));
            symbol.is_some_and(|s| s.rank == 0 && there(s))
        };
        let function = match (name, arguments.first().is_some_and(open)) {
            ("push", false) => "overbar_push",
            ("pop", false) => "overbar_pop",
            ("push", true) => "overbar_push_text",
            ("pop", true) => "overbar_pop_text",
            _ => return cx.refuse(problems::stock_only(cx.program, self.w.span, &format!("the run-time call `{name}`"))),
        };
        let [argument] = arguments else {
            return cx.refuse(problems::malformed(cx.program, self.w.span, format!("`{name}` takes one argument")));
        };
        let ty = xaif::types::of(cx.program, &argument.value).elem;
        let known = match ty.base {
            BaseType::Real => matches!(types::width(ty), 32 | 64 | 128),
            BaseType::Integer => matches!(types::width(ty), 32 | 64),
            BaseType::Bool => cx.foreign || matches!(ty.bits, 0 | 32),
            BaseType::Char | BaseType::String => !cx.foreign,
            _ => false,
        };
        if !known {
            let what = match argument.value.as_var() {
                Some(r) => format!("`{}`", cx.program.symbol(r.symbol).name),
                None => "a value of this type".to_owned(),
            };
            cx.refuse(problems::not_recordable(cx.program, self.w.span, &what));
        }
        if let Some(r) = argument.value.as_var() {
            self.check_whole(r);
        } else if name == "pop" {
            cx.refuse(problems::malformed(cx.program, self.w.span, "`pop` of something that is no variable"));
        }
        let text = self.value(&argument.value);
        self.w.runtime.insert(function);
        self.code(format!("call {function}({text})"));
    }
}
