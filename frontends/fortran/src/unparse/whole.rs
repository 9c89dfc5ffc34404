//! A whole file from the model: for programs that carry no text, or text of another language.
//!
//! Lives here: the order of units in a file. Never here: single units.

use super::context::Context;
use super::layout::{Line, comment, render};
use super::{Unparsed, modules, names, units};

/// The file's name without folder and extension, as a Fortran name.
pub fn stem(cx: &Context) -> String {
    let file = cx.program.sources.first().map_or(cx.program.document.as_str(), |s| s.file.as_str());
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let stem = if stem.is_empty() { "program" } else { stem };
    let mut legal = names::legal(stem);
    legal.truncate(50); // room for a suffix
    legal
}

/// The comment that tells what made the derivatives.
pub fn provenance(cx: &Context, indent: usize) -> Vec<Line> {
    comment(indent, &cx.program.provenance).collect()
}

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
    let top = units::in_order(cx, |u| cx.parent(u).is_none() && (program.unit(u).is_container() || !cx.wrapped));
    let mut told = false;
    for u in top {
        let unit = program.unit(u);
        let module = unit.is_container();
        if unit.derivation.is_some() && !told {
            told = true;
            lines.extend(provenance(cx, 0));
        }
        let printed = if module { modules::module(cx, u) } else { units::unit(cx, u, 0, true) };
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
