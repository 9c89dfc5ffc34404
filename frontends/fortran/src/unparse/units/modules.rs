//! Modules printed from the model.
//!
//! Lives here: specification parts of modules and the procedures inside. Never here: modules that exist as text (see `files`).

use super::unit::{self, Printed};
use super::{provenance, sequence, use_lines};
use crate::unparse::declarations::order::Declarations;
use crate::unparse::expressions::writer::Writer;
use crate::unparse::facts::context::Context;
use crate::unparse::facts::uses::Uses;
use crate::unparse::facts::{imports, unit_names};
use crate::unparse::language::identifiers;
use crate::unparse::text::layout::{Line, comment};
use crate::unparse::text::problems;
use std::collections::BTreeSet;
use xaif::model::{ScopeId, Storage, SymbolId, SymbolKind, UnitId, UnitKind};

/// The variables and constants of a scope that the program needs a home for.
fn variables(cx: &Context, scope: ScopeId, only_used: bool) -> Vec<SymbolId> {
    let program = cx.program;
    let used: BTreeSet<SymbolId> = program.unit_ids().flat_map(|u| cx.symbols(u).iter().copied()).collect();
    let table = program.scope(scope).symbols.iter().copied();
    let variables = table.filter(|&s| program.symbol(s).kind != SymbolKind::Subroutine);
    let wanted = |s: SymbolId| !only_used || used.contains(&s) || *program.symbol(s).storage() == Storage::Global;
    // Constants that only the declarations of others mention come along.
    let mut closed = Uses::default();
    closed.symbols.extend(variables.clone().filter(|&s| wanted(s)));
    closed.close(program, &|s| program.symbol(s).scope == scope);
    variables.filter(|s| closed.symbols.contains(s)).collect()
}

/// Declarations of module variables.
pub fn declarations(cx: &Context, unit: UnitId, wanted: Vec<SymbolId>, shown: BTreeSet<SymbolId>, indent: usize) -> Vec<Line> {
    let mut n = unit_names::of_unit(cx, unit, &BTreeSet::new());
    for &s in &wanted {
        let name = cx.outer_names.get(&s).cloned().unwrap_or_else(|| identifiers::legal(&cx.program.symbol(s).name));
        n.set(s, name);
    }
    let mut w = Writer::new(cx, unit, n);
    for &s in &wanted {
        let symbol = cx.program.symbol(s);
        if *symbol.storage() == Storage::Extern {
            let what = format!("the variable `{}`, which another file defines,", symbol.name);
            cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, "a module holds its variables itself"));
        }
        for r in bound_references(symbol) {
            if w.names.get(r).is_none() {
                let name = cx.outer_names.get(&r).cloned().unwrap_or_else(|| identifiers::legal(&cx.program.symbol(r).name));
                w.names.set(r, name);
            }
        }
    }
    let mut d = Declarations::new(&mut w, &[], true, wanted);
    d.shown = shown;
    let mut lines = d.constants(indent);
    lines.extend(d.others(indent));
    lines
}

fn bound_references(symbol: &xaif::model::Symbol) -> Vec<SymbolId> {
    let mut found = Vec::new();
    if let Some(d) = &symbol.decl {
        d.bound_exprs().chain(&d.init).for_each(|e| e.for_each_ref(&mut |r| found.push(r.symbol)));
    }
    found
}

/// Prints a module of the program.
pub fn module(cx: &Context, unit: UnitId) -> Printed {
    let program = cx.program;
    let u = program.unit(unit);
    let name = program.unit_name(unit).to_owned();
    let mut out = Printed::default();
    let lines = &mut out.lines;
    lines.extend(comment(0, &u.comment));
    lines.push(Line::code(0, format!("module {}", identifiers::legal(&name))));
    for text in u.imports.iter().filter(|l| imports::parse_use(l).is_some()) {
        lines.extend(use_lines::import_lines(text, 1));
    }
    lines.push(Line::code(1, "implicit none"));
    let inside = sequence::in_order(cx, |p| cx.parent(p) == Some(unit) && p != unit);
    let private: Vec<String> = inside
        .iter()
        .filter(|&&p| program.unit(p).prefixes.iter().any(|x| x == "private"))
        .map(|&p| program.unit_name(p).to_owned())
        .collect();
    if !private.is_empty() {
        lines.push(Line::code(1, format!("private :: {}", private.join(", "))));
    }
    lines.extend(declarations(cx, unit, variables(cx, u.scope, false), BTreeSet::new(), 1));
    for text in u.imports.iter().filter(|l| imports::parse_use(l).is_none()) {
        lines.extend(use_lines::import_lines(text, 1));
    }
    contains(cx, &inside, &mut out);
    out.lines.push(Line::code(0, format!("end module {}", identifiers::legal(&name))));
    out
}

/// The procedures of a module behind CONTAINS.
fn contains(cx: &Context, inside: &[UnitId], out: &mut Printed) {
    if inside.is_empty() {
        return;
    }
    out.lines.push(Line::Blank);
    out.lines.push(Line::code(0, "contains"));
    let mut first = true;
    for &p in inside {
        out.lines.push(Line::Blank);
        if first && cx.program.unit(p).derivation.is_some() {
            out.lines.extend(provenance::provenance(cx, 1));
            first = false;
        }
        let printed = unit::unit(cx, p, 1, false);
        out.needs_runtime |= printed.needs_runtime;
        out.lines.extend(printed.lines);
    }
    out.lines.push(Line::Blank);
}

/// Prints a whole program as one module: what stood at file scope in another language.
pub fn wrapped(cx: &Context) -> Printed {
    let program = cx.program;
    let mut out = Printed::default();
    let inside = sequence::in_order(cx, |p| cx.parent(p).is_none() && !program.unit(p).is_container() && !is_main(cx, p));
    let name = format!("{}_module", provenance::stem(cx));
    out.lines.push(Line::code(0, format!("module {name}")));
    out.lines.push(Line::code(1, "implicit none"));
    let is_static = |p: UnitId| program.unit(p).prefixes.iter().any(|x| x == "static");
    let private: Vec<&str> =
        inside.iter().filter(|&&p| is_static(p)).filter_map(|&p| cx.outer_names.get(&program.unit(p).symbol)).map(String::as_str).collect();
    if !private.is_empty() {
        out.lines.push(Line::code(1, format!("private :: {}", private.join(", "))));
    }
    if let Some(&any) = inside.first() {
        let wanted = variables(cx, ScopeId(0), true);
        out.lines.extend(declarations(cx, any, wanted, BTreeSet::new(), 1));
    }
    contains(cx, &inside, &mut out);
    out.lines.push(Line::code(0, format!("end module {name}")));
    for main in sequence::in_order(cx, |p| is_main(cx, p)) {
        let printed = unit::unit(cx, main, 0, true);
        out.needs_runtime |= printed.needs_runtime;
        out.lines.push(Line::Blank);
        for (i, l) in printed.lines.into_iter().enumerate() {
            out.lines.push(l);
            if i == 0 {
                out.lines.push(Line::code(1, format!("use {name}")));
            }
        }
    }
    out
}

fn is_main(cx: &Context, p: UnitId) -> bool {
    cx.program.unit(p).kind == UnitKind::Main
}
