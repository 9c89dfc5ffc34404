//! The user's text with the derivatives added: every derivative unit behind the unit that it comes from, derivative variables in the
//! specification part of the module whose variables they belong to.
//!
//! Lives here: where in the text something goes. Never here: how units are printed.

use super::released::{Edits, released};
use crate::unparse::declarations::access::{Specification, end_line, is_listed_private, is_private, specification};
use crate::unparse::facts::context::Context;
use crate::unparse::facts::{imports, uses};
use crate::unparse::text::layout::{Line, render};
use crate::unparse::text::problems;
use crate::unparse::units::{modules, provenance, sequence, unit};
use std::collections::{BTreeMap, BTreeSet};
use xaif::lined::Lined;
use xaif::model::{SourceId, SymbolId, SymbolKind, UnitId};
use xaif::unparsed::Unparsed;

/// True where the program carries Fortran text into which its derivatives can be put.
pub fn applies(cx: &Context) -> bool {
    cx.beside_text && !cx.no_primal
}

/// What goes behind which line of which source, and which lines change.
#[derive(Default)]
struct Changes {
    insertions: Insertions,
    edits: Edits,
}

/// What goes behind which line of which source.
type Insertions = BTreeMap<(u32, u32), Vec<Line>>;

/// Writes the user's text with the derivatives added, as one text.
pub fn write(cx: &Context) -> Unparsed {
    let program = cx.program;
    if let Some(other) = program.sources.iter().find(|s| s.fixed_form != program.sources[0].fixed_form) {
        cx.refuse(problems::mixed_sources(&program.sources[0].file, &other.file));
        return Unparsed::default();
    }
    let (files, needs_runtime) = files(cx);
    let mut made = Lined::default();
    for text in &files {
        if !made.is_empty() && !made.text().ends_with('\n') {
            made.push_str("\n");
        }
        made.append(text);
    }
    let (source, origins) = made.into_parts();
    Unparsed { source, origins, header: None, needs_runtime }
}

/// The user's files with the derivatives added, and whether they need the run-time support.
pub fn files(cx: &Context) -> (Vec<Lined>, bool) {
    let program = cx.program;
    let mut needs_runtime = false;
    let mut changes = Changes::default();
    for m in program.unit_ids().filter(|&u| program.unit(u).is_container()) {
        module_additions(cx, m, &mut changes);
    }
    let Changes { mut insertions, edits } = changes;
    let derivatives = sequence::in_order(cx, |u| {
        program.unit(u).derivation.is_some() && !program.unit(u).is_container() && !cx.host(u).is_some_and(|h| cx.is_derivative(h))
    });
    let mut told = false;
    for d in derivatives {
        let origin = origin(cx, d);
        let span = program.unit(origin).span;
        let Some(line) = end_line(cx, span) else {
            cx.refuse(problems::no_place(program, span, program.unit_name(d), "the end of the original unit is not on a line of its own"));
            continue;
        };
        let nested = cx.parent(d).map_or(0, |p| if cx.program.unit(p).is_container() { 1 } else { 2 });
        let nested = if nested == 2 && cx.module(d).is_none() { 1 } else { nested };
        let printed = unit::unit(cx, d, nested, cx.host(d).is_none());
        needs_runtime |= printed.needs_runtime;
        let lines = insertions.entry((span.source.0, line)).or_default();
        lines.push(Line::Blank);
        if !told {
            told = true;
            lines.extend(provenance::provenance(cx, nested));
        }
        lines.extend(printed.lines);
    }
    let mut out = Vec::new();
    for (i, source) in program.sources.iter().enumerate() {
        let mut made = Lined::default();
        let mut number = 0;
        let mut text = source.text.split_inclusive('\n').peekable();
        while let Some(line) = text.next() {
            number += 1;
            match edits.get(&(i as u32, number)) {
                None => made.copy(line, SourceId(i as u32), number),
                Some(Some(new)) => made.push_str(&format!("{new}\n")),
                Some(None) => {}
            }
            if let Some(lines) = insertions.get(&(i as u32, number)) {
                if !line.ends_with('\n') {
                    made.push_str("\n");
                }
                if lines.first() == Some(&Line::Blank) {
                    made.push_str("\n");
                }
                made.append(&render(lines, source.fixed_form, 0));
                // What follows is another unit, unless it ends the one around.
                let follows = text.peek().map(|l| l.trim().to_ascii_lowercase()).filter(|l| !l.is_empty() && !l.starts_with("end"));
                if lines.first() == Some(&Line::Blank) && follows.is_some_and(|l| !l.starts_with('#')) {
                    made.push_str("\n");
                }
            }
        }
        out.push(made);
    }
    (out, needs_runtime)
}

/// The user's own unit that a derivative comes from.
fn origin(cx: &Context, unit: UnitId) -> UnitId {
    let mut at = unit;
    for _ in 0..cx.program.units.len() {
        match cx.program.unit(at).derivation {
            Some(d) if d.of.index() < cx.program.units.len() => at = d.of,
            _ => break,
        }
    }
    at
}

/// Derivative variables of a module, and PUBLIC statements for what is new.
fn module_additions(cx: &Context, module: UnitId, changes: &mut Changes) {
    let program = cx.program;
    let scope = program.unit(module).scope;
    let derivative_variables: Vec<SymbolId> = program
        .scope(scope)
        .symbols
        .iter()
        .copied()
        .filter(|&s| program.symbol(s).temp && program.symbol(s).kind != SymbolKind::Subroutine)
        .collect();
    let derivatives = sequence::in_order(cx, |u| program.unit(u).derivation.is_some() && cx.parent(u) == Some(module));
    // Procedures that have only a generic name outside of the module are called by their own in derivative code.
    let private = |u: UnitId| cx.parent(u) == Some(module) && program.unit(u).prefixes.iter().any(|p| p == "private");
    let private: Vec<SymbolId> = sequence::in_order(cx, private).into_iter().map(|u| program.unit(u).symbol).collect();
    let called = used_elsewhere(cx, module, &private);
    let opened = opened(cx, module);
    if derivative_variables.is_empty() && derivatives.is_empty() && called.is_empty() && opened.is_empty() {
        return;
    }
    let Some(spec) = specification(cx, module) else {
        let span = program.unit(module).span;
        return cx.refuse(problems::no_place(
            program,
            span,
            program.unit_name(module),
            "the specification part of the module was not found",
        ));
    };
    let mut lines = Vec::new();
    let public = spec.names("public");
    let is_public = |name: &str| public.iter().any(|p| p.eq_ignore_ascii_case(name));
    let mut added: Vec<String> = Vec::new();
    let explicit = spec.private_by_default();
    let elsewhere = used_elsewhere(cx, module, &derivative_variables);
    added.extend(called.iter().chain(&opened).map(|&s| program.symbol(s).name.to_string()));
    for &d in &derivatives {
        let of = program.unit_name(origin(cx, d));
        if is_public(of) && !called.contains(&program.unit(d).symbol) {
            added.push(program.unit_name(d).to_owned());
        }
    }
    for &s in &derivative_variables {
        let of = program.symbol(s).decl.as_ref().and_then(|d| d.derivative_of).map(|o| program.symbol(o));
        let shown = of.is_some_and(|o| is_public(&o.name) || spec.declares(o.span.line, "public") || o.has_attribute("public"));
        if explicit && (shown || elsewhere.contains(&s)) {
            added.push(program.symbol(s).name.to_string());
        }
    }
    if !added.is_empty() {
        lines.push(Line::code(1, format!("public :: {}", added.join(", "))));
    }
    lines.extend(modules::declarations(cx, module, derivative_variables, elsewhere, 1));
    if !lines.is_empty() {
        changes.insertions.entry((spec.source.0, spec.end)).or_default().extend(lines);
    }
    let listed = called.iter().chain(&opened).copied().filter(|&s| is_listed_private(cx, module, s)).collect::<Vec<_>>();
    match edits(cx, &spec, &listed) {
        Some(edits) => changes.edits.extend(edits),
        None => listed.iter().for_each(|&s| not_opened(cx, module, s)),
    }
}

/// The user's lines without PRIVATE for some names.
fn edits(cx: &Context, spec: &Specification, names: &[SymbolId]) -> Option<Edits> {
    if names.is_empty() {
        return Some(Edits::new());
    }
    let source = cx.program.sources.get(spec.source.index())?;
    let names = names.iter().map(|&s| (cx.program.symbol(s).name.to_ascii_lowercase(), cx.program.symbol(s).span.line)).collect();
    released(&source.text, source.fixed_form, spec, &names)
}

/// Refuses what the module says is private.
fn not_opened(cx: &Context, module: UnitId, s: SymbolId) {
    let (program, symbol) = (cx.program, cx.program.symbol(s));
    let help = format!("take PRIVATE off `{}`, or put what calls the module's procedures into the module", symbol.name);
    let why = format!("module `{}` says that it is private", program.unit_name(module));
    cx.refuse(problems::hidden_state(program, symbol.span, &symbol.name, why, help));
}

/// Derivative variables of a module that derivative units outside of it name: their original may be private, a head's derivative sets them to zero.
fn used_elsewhere(cx: &Context, module: UnitId, variables: &[SymbolId]) -> BTreeSet<SymbolId> {
    if variables.is_empty() {
        return BTreeSet::new();
    }
    let named = derivatives_outside(cx, module).flat_map(|u| cx.symbols(u).iter().copied());
    named.filter(|s| variables.contains(s)).collect()
}

/// The derivative units that do not stand in a module.
fn derivatives_outside<'c>(cx: &'c Context, module: UnitId) -> impl Iterator<Item = UnitId> + 'c {
    let within = move |u: UnitId| std::iter::successors(Some(u), |&u| cx.parent(u)).any(|u| u == module);
    cx.program.unit_ids().filter(move |&u| cx.program.unit(u).derivation.is_some() && !within(u))
}

/// The user's own variables and constants of a module that derivative units outside of it name, and that are private or may not be set there: what calls
/// change is kept around their adjoints. They become public where the text leaves that open and nobody takes the name for something else.
fn opened(cx: &Context, module: UnitId) -> Vec<SymbolId> {
    let program = cx.program;
    let own = |s: &SymbolId| {
        let symbol = program.symbol(*s);
        !symbol.temp && symbol.kind != SymbolKind::Subroutine && cx.component(*s).is_none()
    };
    let table: Vec<SymbolId> = program.scope(program.unit(module).scope).symbols.iter().copied().filter(own).collect();
    let mut out = Vec::new();
    for s in used_elsewhere(cx, module, &table) {
        let symbol = program.symbol(s);
        let refuse = |why: String, help: String| cx.refuse(problems::hidden_state(program, symbol.span, &symbol.name, why, help));
        let name = program.unit_name(module);
        let is_set = || derivatives_outside(cx, module).any(|u| uses::sets(program, program.unit(u), cx.uses(u), s));
        if symbol.has_attribute("protected") && is_set() {
            refuse(
                format!("module `{name}` protects it"),
                "take PROTECTED out, or put what calls the module's procedures into the module".into(),
            );
            continue;
        }
        if !is_private(cx, module, s) {
            continue;
        }
        if let Some(other) = with_it(cx, module, s, &table).find_map(|s| clash(cx, module, s)) {
            let help = format!("rename one of them, or name what `{other}` takes from `{name}` in an ONLY list");
            refuse(
                format!("it is private to module `{name}`, and `{other}`, which uses all of that module, has another `{}`", symbol.name),
                help,
            );
        } else {
            out.push(s);
        }
    }
    out
}

/// A variable, and those that its declaration makes private together with it, where nothing else does.
fn with_it<'t>(cx: &'t Context, module: UnitId, s: SymbolId, table: &'t [SymbolId]) -> impl Iterator<Item = SymbolId> + 't {
    let line = |s: SymbolId| cx.program.symbol(s).span.line;
    let spec = specification(cx, module).filter(|spec| !spec.private_by_default() && spec.declares(line(s), "private"));
    let lines = spec.and_then(|spec| spec.statement_of(line(s)));
    let along = move |&&o: &&SymbolId| lines.is_some_and(|(from, to)| (from..=to).contains(&line(o)));
    std::iter::once(s).chain(table.iter().filter(along).copied())
}

/// A unit that would see the variable of a module, were it public, and means something else by the name.
fn clash<'p>(cx: &Context<'p>, module: UnitId, s: SymbolId) -> Option<&'p str> {
    let program = cx.program;
    let name = |u: UnitId| program.unit_name(u).to_ascii_lowercase();
    let mut handing_on = vec![name(module)];
    let mut at = 0;
    while let Some(from) = handing_on.get(at).cloned() {
        at += 1;
        for u in program.unit_ids() {
            let uses = cx.import_lines(u).iter().filter_map(|l| imports::parse_use(l));
            if !uses.into_iter().any(|used| used.module == from && !used.only) {
                continue;
            }
            if program.lookup(program.unit(u).scope, &program.symbol(s).name).is_some_and(|other| other != s) {
                return Some(program.unit_name(u));
            }
            if program.unit(u).is_container() && !handing_on.contains(&name(u)) {
                handing_on.push(name(u));
            }
        }
    }
    None
}
