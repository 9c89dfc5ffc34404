//! The user's text with the derivatives added: every derivative unit behind the unit that it comes from, derivative variables in the
//! specification part of the module whose variables they belong to.
//!
//! Lives here: where in the text something goes. Never here: how units are printed.

use super::context::Context;
use super::layout::{Line, render};
use super::{Unparsed, modules, problems, units, uses, whole};
use std::collections::{BTreeMap, BTreeSet};
use xaif::lined::Lined;
use xaif::model::{SourceId, Span, SymbolId, SymbolKind, UnitId};

/// True where the program carries Fortran text into which its derivatives can be put.
pub fn applies(cx: &Context) -> bool {
    cx.beside_text && !cx.no_primal
}

/// What goes behind which line of which source.
type Insertions = BTreeMap<(u32, u32), Vec<Line>>;

/// Writes the user's text with the derivatives added.
pub fn write(cx: &Context) -> Unparsed {
    let program = cx.program;
    let mut out = Unparsed::default();
    if let Some(other) = program.sources.iter().find(|s| s.fixed_form != program.sources[0].fixed_form) {
        cx.refuse(problems::mixed_sources(&program.sources[0].file, &other.file));
        return out;
    }
    let mut insertions = Insertions::new();
    for m in program.unit_ids().filter(|&u| program.unit(u).is_container()) {
        module_additions(cx, m, &mut insertions);
    }
    let derivatives = units::in_order(cx, |u| {
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
        let printed = units::unit(cx, d, nested, cx.host(d).is_none());
        out.needs_runtime |= printed.needs_runtime;
        let lines = insertions.entry((span.source.0, line)).or_default();
        lines.push(Line::Blank);
        if !told {
            told = true;
            lines.extend(whole::provenance(cx, nested));
        }
        lines.extend(printed.lines);
    }
    let mut made = Lined::default();
    for (i, source) in program.sources.iter().enumerate() {
        if i > 0 && !made.text().ends_with('\n') {
            made.push_str("\n");
        }
        let mut number = 0;
        let mut text = source.text.split_inclusive('\n').peekable();
        while let Some(line) = text.next() {
            number += 1;
            made.copy(line, SourceId(i as u32), number);
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
    }
    (out.source, out.origins) = made.into_parts();
    out
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

/// The line behind which text can be put: the last of the span, if nothing but a comment follows there.
fn end_line(cx: &Context, span: Span) -> Option<u32> {
    let source = cx.program.sources.get(span.source.index()).filter(|_| span.is_known() && span.source != Span::XML)?;
    // A span may end at the start of the line behind the unit.
    let line = if span.end_column <= 1 && span.end_line > span.line { span.end_line - 1 } else { span.end_line };
    let text = source.text.lines().nth(line as usize - 1)?;
    if line == span.end_line {
        let rest: String = text.chars().skip((span.end_column as usize).saturating_sub(1)).collect();
        let rest = rest.trim();
        if !rest.is_empty() && !rest.starts_with('!') {
            return None;
        }
    }
    Some(line)
}

/// The lines of a module's specification part: number, text without comment, lower case.
struct Specification {
    source: SourceId,
    lines: Vec<(u32, String)>,
    /// The line behind which declarations can be added.
    end: u32,
}

fn specification(cx: &Context, module: UnitId) -> Option<Specification> {
    let program = cx.program;
    let span = program.unit(module).span;
    let source = program.sources.get(span.source.index()).filter(|_| span.is_known())?;
    let last = end_line(cx, span).unwrap_or(span.end_line);
    let first_procedure = program
        .unit_ids()
        .filter(|&u| cx.parent(u) == Some(module) && program.unit(u).derivation.is_none())
        .map(|u| program.unit(u).span)
        .filter(|s| s.is_known() && s.source == span.source)
        .map(|s| s.line)
        .min();
    let clean = |text: &str| {
        let bare = if source.fixed_form && text.starts_with(['c', 'C', '*', '!']) { "" } else { text };
        bare.split('!').next().unwrap_or_default().trim().to_ascii_lowercase()
    };
    let all: Vec<(u32, String)> = source.text.lines().enumerate().map(|(i, l)| (i as u32 + 1, clean(l))).collect();
    let stop = match first_procedure {
        // The CONTAINS of the module is the last one before its first procedure.
        Some(first) => all.iter().rev().find(|(n, t)| *n < first && *n > span.line && t == "contains").map(|(n, _)| *n)?,
        None => {
            let inside = |n: u32| n > span.line && n < last;
            let contains = all.iter().rev().find(|(n, t)| inside(*n) && t == "contains").map(|(n, _)| *n);
            contains.filter(|c| all.iter().any(|(n, t)| n > c && *n <= last && t.starts_with("end module"))).unwrap_or(last)
        }
    };
    // Behind the last line of the specification part that says something.
    let lines: Vec<(u32, String)> = all.into_iter().filter(|(n, _)| *n > span.line && *n < stop).collect();
    let end = lines.iter().rev().find(|(_, t)| !t.is_empty()).map_or(span.line, |(n, _)| *n);
    Some(Specification { source: span.source, lines, end: end.max(span.line) })
}

impl Specification {
    /// A PRIVATE statement without a list.
    fn private_by_default(&self) -> bool {
        self.lines.iter().any(|(_, t)| t == "private")
    }

    /// The names of PUBLIC statements.
    fn public_names(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut open = false;
        for (_, t) in &self.lines {
            let starts = t == "public" || t.starts_with("public ") || t.starts_with("public::");
            if starts || open {
                let list = t.strip_prefix("public").filter(|_| starts).unwrap_or(t);
                let list = list.trim().trim_start_matches("::").trim_matches('&');
                out.extend(list.split(',').map(|n| n.trim_matches(['&', ' ']).to_owned()).filter(|n| !n.is_empty()));
                open = t.ends_with('&');
            }
        }
        out
    }

    /// The declaration on that line says PUBLIC.
    fn declared_public(&self, line: u32) -> bool {
        let text = self.lines.iter().find(|(n, _)| *n == line).map_or("", |(_, t)| t.as_str());
        text.split("::").next().unwrap_or_default().split(',').any(|a| a.trim() == "public")
    }
}

/// Derivative variables of a module, and PUBLIC statements for what is new.
fn module_additions(cx: &Context, module: UnitId, insertions: &mut Insertions) {
    let program = cx.program;
    let scope = program.unit(module).scope;
    let derivative_variables: Vec<SymbolId> = program
        .scope(scope)
        .symbols
        .iter()
        .copied()
        .filter(|&s| program.symbol(s).temp && program.symbol(s).kind != SymbolKind::Subroutine)
        .collect();
    let derivatives = units::in_order(cx, |u| program.unit(u).derivation.is_some() && cx.parent(u) == Some(module));
    // Procedures that have only a generic name outside of the module are called by their own in derivative code.
    let private = |u: UnitId| cx.parent(u) == Some(module) && program.unit(u).prefixes.iter().any(|p| p == "private");
    let private: Vec<SymbolId> = units::in_order(cx, private).into_iter().map(|u| program.unit(u).symbol).collect();
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
    let public = spec.public_names();
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
        let shown = of.is_some_and(|o| is_public(&o.name) || spec.declared_public(o.span.line) || o.has_attribute("public"));
        if explicit && (shown || elsewhere.contains(&s)) {
            added.push(program.symbol(s).name.to_string());
        }
    }
    if !added.is_empty() {
        lines.push(Line::code(1, format!("public :: {}", added.join(", "))));
    }
    lines.extend(modules::declarations(cx, module, derivative_variables, elsewhere, 1));
    if !lines.is_empty() {
        insertions.entry((spec.source.0, spec.end)).or_default().extend(lines);
    }
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
        if !specification(cx, module).is_some_and(|spec| spec.private_by_default()) || is_listed_private(cx, module, s) {
            let help = format!("take PRIVATE off `{}`, or put what calls the module's procedures into the module", symbol.name);
            refuse(format!("module `{name}` says that it is private"), help);
        } else if let Some(other) = clash(cx, module, s) {
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

/// A unit that would see the variable of a module, were it public, and means something else by the name.
fn clash<'p>(cx: &Context<'p>, module: UnitId, s: SymbolId) -> Option<&'p str> {
    let program = cx.program;
    let name = |u: UnitId| program.unit_name(u).to_ascii_lowercase();
    let mut handing_on = vec![name(module)];
    let mut at = 0;
    while let Some(from) = handing_on.get(at).cloned() {
        at += 1;
        for u in program.unit_ids() {
            let uses = cx.import_lines(u).iter().filter_map(|l| super::imports::parse_use(l));
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

/// The module's text makes the entity private.
pub fn is_private(cx: &Context, module: UnitId, symbol: SymbolId) -> bool {
    let Some(spec) = specification(cx, module) else { return false };
    let s = cx.program.symbol(symbol);
    let name = s.name.to_ascii_lowercase();
    let public = spec.public_names().contains(&name) || spec.declared_public(s.span.line) || s.has_attribute("public");
    is_listed_private(cx, module, symbol) || (spec.private_by_default() && !public)
}

/// A PRIVATE statement or attribute names the entity.
fn is_listed_private(cx: &Context, module: UnitId, symbol: SymbolId) -> bool {
    let Some(spec) = specification(cx, module) else { return false };
    let s = cx.program.symbol(symbol);
    let name = s.name.to_ascii_lowercase();
    let listed = spec.lines.iter().any(|(_, t)| {
        t.strip_prefix("private").is_some_and(|list| list.trim_start_matches([' ', ':']).split(',').any(|n| n.trim() == name))
    });
    let attribute = spec
        .lines
        .iter()
        .find(|(n, _)| *n == s.span.line)
        .is_some_and(|(_, t)| t.split_once("::").is_some_and(|(head, _)| head.split(',').any(|a| a.trim() == "private")));
    listed || attribute
}
