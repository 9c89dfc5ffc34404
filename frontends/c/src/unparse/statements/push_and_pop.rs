//! `push` and `pop`.
//!
//! Lives here: which function of the run-time support records a value. Never here: the stack itself (see `runtime/overbar.h`).

use crate::unparse::language::c_types;
use crate::unparse::language::precedence::Place;
use crate::unparse::printer::Printer;
use xaif::model::{BaseType, CallArgument, ElemType, Expr};
use xaif::types;

impl Printer<'_> {
    /// A statement of run-time support.
    pub fn runtime(&mut self, name: &str, arguments: &[CallArgument]) {
        let (push, [argument]) = (name == "push", arguments) else {
            return self.refuse_runtime(name);
        };
        if !push && name != "pop" {
            return self.refuse_runtime(name);
        }
        let value = &argument.value;
        if value.nodes.is_empty() {
            return self.refuse_runtime(name);
        }
        self.needs.runtime = true;
        let ty = types::of(self.program, value);
        let suffix = match value.as_var().and_then(|r| c_types::of_symbol(self.program, self.program.symbol(r.symbol))) {
            Some(t) => t.runtime,
            None => c_types::of_elem(ElemType { bits: ty.elem.bits, ..ty.elem }, false, self.c).map_or("", |t| t.runtime),
        };
        if suffix.is_empty() || !matches!(ty.elem.base, BaseType::Real | BaseType::Integer | BaseType::Bool | BaseType::Char) {
            let reason = c_types::unsupported(ty.elem);
            return self.refuse("OB5102", format!("a value of this type cannot be recorded (`{name}`)"), reason, "");
        }
        match (value.as_var(), ty.rank) {
            (Some(r), 0) if !push => {
                if self.usage.unread.contains(&r.symbol) {
                    return self.out.text(format!("(void)ob_pop_{suffix}();"));
                }
                let target = self.target(r);
                self.declare_or(format!("{target} = ob_pop_{suffix}()"));
            }
            (_, 0) if push => {
                let text = self.expression(value, Place::Bare);
                self.out.text(format!("ob_push_{suffix}({text});"));
            }
            (Some(r), _) => {
                let r = r.clone();
                if self.contiguous(&r) {
                    let Some(count) = self.count(&r, Place::Bare) else {
                        return self.refuse_array(r.symbol, "its extents are not known");
                    };
                    let address = self.address(&r);
                    return self.out.text(format!("ob_{name}_{suffix}_array({address}, {count});"));
                }
                let Some(shape) = self.shape(&r) else {
                    return self.refuse_array(r.symbol, "its extents are not known");
                };
                // What was pushed last comes first.
                let loops = self.open_loops(&shape, !push);
                let element = self.expression(&Expr::var(r), Place::Bare);
                self.out.text(if push { format!("ob_push_{suffix}({element});") } else { format!("{element} = ob_pop_{suffix}();") });
                self.close_loops(loops);
            }
            _ => self.refuse_runtime(name),
        }
    }

    fn refuse_runtime(&mut self, name: &str) {
        self.refuse(
            "OB5111",
            format!("the run-time support has no `{name}` of this form"),
            "only `push` and `pop` of one variable are written in C",
            "boost with `--dialect overbar`",
        );
    }
}
