//! Program units: header, imports, declarations, statements, internal procedures.
//!
//! Lives here: procedures and main programs as a whole. Never here: where in a file they stand.

use super::headings::headings;
use super::sequence::children;
use super::specification::specification;
use super::use_lines::use_lines;
use crate::unparse::control::statements;
use crate::unparse::declarations::order::MAX_ENTITIES;
use crate::unparse::expressions::writer::Writer;
use crate::unparse::facts::context::Context;
use crate::unparse::facts::unit_names;
use crate::unparse::statements::body::Body;
use crate::unparse::text::layout::{Line, comment};
use crate::unparse::text::problems;
use std::collections::BTreeSet;
use xaif::model::{Span, SymbolKind, UnitId};

/// A printed unit.
#[derive(Debug, Default)]
pub struct Printed {
    /// Its lines.
    pub lines: Vec<Line>,
    /// It, or a procedure inside it, uses the run-time module.
    pub needs_runtime: bool,
}

/// Prints a procedure or a main program with everything inside it.
pub fn unit(cx: &Context, unit: UnitId, indent: usize, implicit_none: bool) -> Printed {
    let mut avoid: BTreeSet<&'static str> = BTreeSet::new();
    // A local name that hides an intrinsic which the code turns out to need gives way, so print again.
    for _ in 0..4 {
        match attempt(cx, unit, indent, implicit_none, &avoid) {
            Ok(printed) => return printed,
            Err(more) => avoid.extend(more),
        }
    }
    attempt(cx, unit, indent, implicit_none, &avoid).unwrap_or_default()
}

fn attempt(
    cx: &Context,
    unit: UnitId,
    indent: usize,
    implicit_none: bool,
    avoid: &BTreeSet<&'static str>,
) -> Result<Printed, BTreeSet<&'static str>> {
    let program = cx.program;
    let u = program.unit(unit);
    if u.replacements.is_some() {
        let what = format!("the ReplacementList of `{}`", program.unit_name(unit));
        cx.refuse(problems::stock_only(program, u.span, &what));
        return Ok(Printed::default());
    }
    let w = Writer::new(cx, unit, unit_names::of_unit(cx, unit, avoid));
    let mut body = Body { w, lines: Vec::new(), indent: indent + 1, pending_label: None, place: Span::NONE };
    statements::body(&mut body, u);
    while matches!(body.lines.last(), Some(Line::Code { text, label: None, .. }) if text == "return") {
        body.lines.pop();
    }
    let Body { mut w, lines: statements, .. } = body;

    let called: BTreeSet<&'static str> = w.intrinsics.iter().chain(&w.runtime).chain(&w.ieee).copied().collect();
    let hidden = hidden_by_locals(cx, unit, &w, &called);
    if !hidden.is_empty() && !hidden.is_subset(avoid) {
        return Err(hidden);
    }
    check_hidden(cx, unit, &called);

    let mut printed = Printed { needs_runtime: !w.runtime.is_empty(), lines: Vec::new() };
    let inside: Vec<UnitId> = children(cx, unit);
    let mut nested = Vec::new();
    for &child in &inside {
        let p = self::unit(cx, child, indent + 1, false);
        printed.needs_runtime |= p.needs_runtime;
        nested.push(Line::Blank);
        nested.extend(p.lines);
    }

    let out = &mut printed.lines;
    let (first, last) = program.ends_of(u);
    out.extend(comment(indent, &u.comment).map(|l| l.at(first)));
    let (head, end) = headings(cx, unit, &w);
    out.push(Line::code(indent, head).at(first));
    out.extend(use_lines(cx, unit, &w, indent + 1));
    if implicit_none {
        out.push(Line::code(indent + 1, "implicit none"));
    }
    out.extend(specification(cx, unit, &mut w, indent + 1, false));
    let temporaries: Vec<_> = w.temporaries.iter().filter(|t| t.used).cloned().collect();
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for t in temporaries {
        let spelling = w.spellings.of_type(t.ty).unwrap_or_else(|| "double precision".into());
        match kinds.iter_mut().find(|(s, list)| *s == spelling && list.len() < MAX_ENTITIES) {
            Some((_, list)) => list.push(t.name),
            None => kinds.push((spelling, vec![t.name])),
        }
    }
    out.extend(kinds.into_iter().map(|(s, list)| Line::code(indent + 1, format!("{s} :: {}", list.join(", ")))));
    if !statements.is_empty() {
        out.push(Line::Blank);
        out.extend(statements);
    }
    if !inside.is_empty() {
        out.push(Line::Blank);
        out.push(Line::code(indent, "contains"));
        out.extend(nested);
        out.push(Line::Blank);
    }
    out.push(Line::code(indent, end).at(last));
    out.iter_mut().for_each(|l| l.belong_to(unit));
    Ok(printed)
}

/// Intrinsics that a name of the unit itself hides.
fn hidden_by_locals(cx: &Context, unit: UnitId, w: &Writer, called: &BTreeSet<&'static str>) -> BTreeSet<&'static str> {
    let own = cx.symbols(unit).iter().filter(|&&s| cx.is_local(unit, s)).filter_map(|&s| w.names.get(s));
    own.filter_map(|n| called.iter().copied().find(|c| c.eq_ignore_ascii_case(n))).collect()
}

/// Refuses where a name from outside hides an intrinsic that the unit needs.
fn check_hidden(cx: &Context, unit: UnitId, called: &BTreeSet<&'static str>) {
    let program = cx.program;
    let u = program.unit(unit);
    let mut scopes: Vec<xaif::model::ScopeId> = cx.chain(u.scope).skip(1).filter(|s| s.index() != 0 || cx.wrapped).collect();
    for used in cx.uses_in_force(unit).iter().filter(|x| !x.only) {
        let found = program.units.iter().find(|m| m.is_container() && program.symbol(m.symbol).name.eq_ignore_ascii_case(&used.module));
        scopes.extend(found.map(|m| m.scope));
    }
    for scope in scopes {
        for &s in &program.scope(scope).symbols {
            if program.symbol(s).kind == SymbolKind::Subroutine && program.unit_of_symbol(s).is_none() {
                continue; // the intrinsic itself, as stock files list it
            }
            let name = cx.outer_names.get(&s).map_or(program.symbol(s).name.as_str(), String::as_str);
            if called.iter().any(|c| c.eq_ignore_ascii_case(name)) {
                cx.refuse(problems::hidden_intrinsic(program, program.symbol(s).span, name, program.unit_name(unit)));
            }
        }
    }
}
