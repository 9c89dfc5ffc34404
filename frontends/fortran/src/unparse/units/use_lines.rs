//! USE and IMPORT lines, and definitions of types that a unit carries verbatim.
//!
//! Lives here: what a unit brings in. Never here: its own declarations.

use crate::unparse::expressions::writer::Writer;
use crate::unparse::facts::context::Context;
use crate::unparse::facts::imports;
use crate::unparse::text::layout::Line;
use std::collections::BTreeSet;
use xaif::model::{SymbolId, SymbolKind, UnitId};

/// USE statements: the unit's own, then what its derivative code needs besides.
pub fn use_lines(cx: &Context, unit: UnitId, w: &Writer, indent: usize) -> Vec<Line> {
    let program = cx.program;
    let mut lines = Vec::new();
    for text in cx.import_lines(unit).iter().filter(|l| imports::parse_use(l).is_some()) {
        lines.extend(import_lines(text, indent));
    }
    let in_force = cx.uses_in_force(unit);
    let mut missing: Vec<(String, Vec<String>)> = Vec::new();
    for &s in cx.symbols(unit) {
        let Some(module) = cx.module_of_symbol(s) else { continue };
        // A component comes with its structure.
        if cx.is_local(unit, s) || cx.is_enclosing(unit, s) || cx.component(s).is_some() {
            continue;
        }
        let derivative = is_derivative_entity(cx, s);
        let visible = imports::local_name(&in_force, program.unit_name(module), &program.symbol(s).name).is_some();
        if visible && !(cx.no_primal && derivative) {
            continue;
        }
        let suffix = if cx.no_primal && derivative { "_diff" } else { "" };
        let from = format!("{}{suffix}", program.unit_name(module));
        let name = w.name(s);
        match missing.iter_mut().find(|(m, _)| *m == from) {
            Some((_, names)) => names.push(name),
            None => missing.push((from, vec![name])),
        }
    }
    lines.extend(missing.into_iter().map(|(m, names)| Line::code(indent, format!("use {m}, only: {}", names.join(", ")))));
    let list = |names: &BTreeSet<&'static str>| names.iter().copied().collect::<Vec<_>>().join(", ");
    if !w.ieee.is_empty() {
        lines.push(Line::code(indent, format!("use, intrinsic :: ieee_arithmetic, only: {}", list(&w.ieee))));
    }
    if !w.runtime.is_empty() {
        lines.push(Line::code(indent, format!("use overbar_runtime, only: {}", list(&w.runtime))));
    }
    lines
}

/// True for a derivative variable or a derivative unit's name.
pub fn is_derivative_entity(cx: &Context, s: SymbolId) -> bool {
    let symbol = cx.program.symbol(s);
    match symbol.kind {
        SymbolKind::Subroutine => cx.program.unit_of_symbol(s).is_some_and(|u| cx.program.unit(u).derivation.is_some()),
        _ => symbol.temp,
    }
}

/// A verbatim import, which may have several lines.
pub fn import_lines(text: &str, indent: usize) -> Vec<Line> {
    let mut depth = 0usize;
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| {
            let trimmed = l.trim();
            let lower = trimmed.to_ascii_lowercase();
            if lower.starts_with("end") {
                depth = depth.saturating_sub(1);
            }
            let line = if trimmed.starts_with('!') || trimmed.ends_with('&') || trimmed.starts_with('&') {
                Line::Verbatim(format!("{}{trimmed}", " ".repeat(2 * (indent + depth))))
            } else {
                Line::code(indent + depth, trimmed)
            };
            let opens = ["interface", "abstract interface", "subroutine", "function", "pure ", "recursive ", "elemental "];
            let typed_function = lower.contains(" function ") && !lower.starts_with("end");
            if opens.iter().any(|o| lower.starts_with(o)) || typed_function || imports::is_definition(&lower) {
                depth += 1;
            }
            line
        })
        .collect()
}
