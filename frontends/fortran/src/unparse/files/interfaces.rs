//! The interface module that `--header` asks for.
//!
//! Lives here: its lines in free and fixed form. Never here: single interface bodies.

use crate::unparse::facts::context::Context;
use crate::unparse::text::layout::{Line, comment, render};
use crate::unparse::units::specification::body;
use crate::unparse::units::{provenance, sequence};
use xaif::model::UnitId;

/// The module with the interfaces of all external derivative procedures.
pub fn module(cx: &Context, fixed: bool) -> String {
    let program = cx.program;
    let wanted =
        |u: UnitId| program.unit(u).derivation.is_some() && cx.parent(u).is_none() && !program.unit(u).is_container() && !cx.wrapped;
    let list = sequence::in_order(cx, wanted);
    let name = format!("{}_interfaces", provenance::stem(cx));
    let mut lines = Vec::new();
    lines.extend(provenance::provenance(cx, 0));
    lines.push(Line::code(0, format!("module {name}")));
    lines.push(Line::code(1, "implicit none"));
    if list.is_empty() {
        lines.extend(comment(1, "All derivative procedures stand in modules, which make their interfaces explicit."));
    } else {
        lines.push(Line::Blank);
        lines.push(Line::code(1, "interface"));
        for (i, u) in list.into_iter().enumerate() {
            if i > 0 {
                lines.push(Line::Blank);
            }
            lines.extend(body(cx, u, 2));
        }
        lines.push(Line::code(1, "end interface"));
    }
    lines.push(Line::code(0, format!("end module {name}")));
    let text = render(&lines, fixed, 0).into_parts().0;
    if fixed { in_both_forms(&text) } else { text }
}

/// Fixed-form text that is free-form text as well: who writes the interfaces of a fixed-form program may ask for either. A line that is
/// continued gets an ampersand in column 73, where fixed form ends.
fn in_both_forms(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        if lines.peek().is_some_and(|next| next.starts_with("     &")) {
            out.extend(std::iter::repeat_n(' ', 72usize.saturating_sub(line.chars().count())));
            out.push('&');
        }
        out.push('\n');
    }
    out
}
