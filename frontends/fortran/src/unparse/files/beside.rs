//! Only the derivative procedures, to be linked beside the original: those of a module `m` in a module `m_diff` that uses `m`.
//!
//! Lives here: what `--no-primal` means. Never here: how units are printed.

use crate::unparse::declarations::access;
use crate::unparse::facts::context::Context;
use crate::unparse::facts::imports;
use crate::unparse::text::layout::{Line, render};
use crate::unparse::text::problems;
use crate::unparse::units::{modules, provenance, sequence, unit, use_lines};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use xaif::model::{SymbolId, SymbolKind, UnitId};
use xaif::unparsed::Unparsed;

/// Writes the derivative procedures.
pub fn write(cx: &Context) -> Unparsed {
    let program = cx.program;
    let mut out = Unparsed::default();
    let mut lines = provenance::provenance(cx, 0);
    let own = |u: UnitId| program.unit(u).derivation.is_some() && !program.unit(u).is_container() && !cx.is_open(u);
    for u in program.unit_ids().filter(|&u| own(u)) {
        if let Some(h) = cx.host(u).filter(|&h| !cx.is_derivative(h)) {
            let why = format!("it stands inside `{}`, which only the original file holds", program.unit_name(h));
            cx.refuse(problems::not_reachable(program, program.unit(h).span, program.unit_name(h), program.unit_name(u), &why));
        }
        check_private(cx, u);
    }
    for m in ordered_modules(cx) {
        let inside = sequence::in_order(cx, |u| own(u) && cx.parent(u) == Some(m));
        let variables = derivative_variables(cx, m);
        let name = program.unit_name(m);
        lines.push(Line::code(0, format!("module {name}_diff")));
        lines.push(Line::code(1, format!("use {name}")));
        for text in program.unit(m).imports.iter().filter(|l| imports::parse_use(l).is_some()) {
            lines.extend(use_lines::import_lines(text, 1));
        }
        lines.push(Line::code(1, "implicit none"));
        lines.extend(modules::declarations(cx, m, variables, BTreeSet::new(), 1));
        if !inside.is_empty() {
            lines.push(Line::Blank);
            lines.push(Line::code(0, "contains"));
        }
        for u in inside {
            lines.push(Line::Blank);
            let printed = unit::unit(cx, u, 1, false);
            out.needs_runtime |= printed.needs_runtime;
            lines.extend(printed.lines);
        }
        lines.push(Line::Blank);
        lines.push(Line::code(0, format!("end module {name}_diff")));
        lines.push(Line::Blank);
    }
    for u in sequence::in_order(cx, |u| own(u) && cx.parent(u).is_none()) {
        let printed = unit::unit(cx, u, 0, true);
        out.needs_runtime |= printed.needs_runtime;
        lines.extend(printed.lines);
        lines.push(Line::Blank);
    }
    while lines.last() == Some(&Line::Blank) {
        lines.pop();
    }
    let fixed = !cx.foreign && program.sources.first().is_some_and(|s| s.fixed_form);
    (out.source, out.origins) = render(&lines, fixed, 0).into_parts();
    out
}

/// Derivative variables in a module's scope.
fn derivative_variables(cx: &Context, module: UnitId) -> Vec<SymbolId> {
    let symbols = &cx.program.scope(cx.program.unit(module).scope).symbols;
    symbols.iter().copied().filter(|&s| cx.program.symbol(s).temp && cx.program.symbol(s).kind != SymbolKind::Subroutine).collect()
}

/// The modules that have derivatives, each behind those whose derivatives it uses.
fn ordered_modules(cx: &Context) -> Vec<UnitId> {
    let program = cx.program;
    let in_module = |m: UnitId, u: UnitId| program.unit(u).derivation.is_some() && cx.module(u) == Some(m);
    let modules: Vec<UnitId> = program
        .unit_ids()
        .filter(|&m| program.unit(m).is_container())
        .filter(|&m| !derivative_variables(cx, m).is_empty() || program.unit_ids().any(|u| in_module(m, u)))
        .collect();
    let needs = |m: UnitId| -> Vec<UnitId> {
        let used = program.unit_ids().filter(|&u| in_module(m, u)).flat_map(|u| cx.symbols(u).iter().copied());
        used.filter(|&s| use_lines::is_derivative_entity(cx, s)).filter_map(|s| cx.module_of_symbol(s)).filter(|&o| o != m).collect()
    };
    let mut out: Vec<UnitId> = Vec::new();
    let mut seen = FxHashSet::default();
    // Modules cannot use each other in a circle, so as many iterations as there are modules suffice.
    for _ in 0..=modules.len() {
        for &m in &modules {
            if !seen.contains(&m) && needs(m).iter().all(|o| seen.contains(o) || !modules.contains(o)) {
                seen.insert(m);
                out.push(m);
            }
        }
    }
    out.extend(modules.iter().copied().filter(|m| !seen.contains(m)));
    out
}

/// Refuses where a derivative procedure needs a private entity of a module.
fn check_private(cx: &Context, unit: UnitId) {
    let program = cx.program;
    for &s in cx.symbols(unit) {
        let Some(module) = cx.module_of_symbol(s) else { continue };
        if use_lines::is_derivative_entity(cx, s) || s == program.unit(module).symbol {
            continue;
        }
        let symbol = program.symbol(s);
        let marked = symbol.has_attribute("private")
            || program.unit_of_symbol(s).is_some_and(|u| program.unit(u).prefixes.iter().any(|p| p == "private"));
        if marked || access::is_private(cx, module, s) {
            let why = format!("it is private to module `{}`", program.unit_name(module));
            cx.refuse(problems::not_reachable(program, symbol.span, &symbol.name, program.unit_name(unit), &why));
        }
    }
}
