//! A whole file from the model: for programs that carry no text, or text of another language.
//!
//! Lives here: the order of units in a file. Never here: single units.

use crate::unparse::facts::context::Context;
use crate::unparse::text::layout::{Line, render};
use crate::unparse::units::provenance::provenance;
use crate::unparse::units::{modules, sequence, unit};
use xaif::unparsed::Unparsed;

/// Prints the program.
pub fn write(cx: &Context) -> Unparsed {
    let program = cx.program;
    let mut out = Unparsed::default();
    let mut lines = Vec::new();
    if cx.wrapped {
        let printed = modules::wrapped(cx);
        out.needs_runtime |= printed.needs_runtime;
        lines.extend(printed.lines);
        lines.push(Line::Blank);
    }
    let top = sequence::in_order(cx, |u| cx.parent(u).is_none() && (program.unit(u).is_container() || !cx.wrapped));
    let mut told = false;
    for u in top {
        let unit = program.unit(u);
        let module = unit.is_container();
        if unit.derivation.is_some() && !told {
            told = true;
            lines.extend(provenance(cx, 0));
        }
        let printed = if module { modules::module(cx, u) } else { unit::unit(cx, u, 0, true) };
        out.needs_runtime |= printed.needs_runtime;
        lines.extend(printed.lines);
        lines.push(Line::Blank);
    }
    while lines.last() == Some(&Line::Blank) {
        lines.pop();
    }
    let fixed = !program.sources.is_empty() && program.sources.iter().all(|s| s.fixed_form);
    (out.source, out.origins) = render(&lines, fixed, 0).into_parts();
    out
}
