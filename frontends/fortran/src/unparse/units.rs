//! Program units: header, imports, declarations, statements, internal procedures.
//!
//! Lives here: procedures and main programs as a whole. Never here: where in a file they stand.

use super::context::Context;
use super::declarations::{Declarations, MAX_ENTITIES, Member};
use super::expressions::Writer;
use super::layout::{Line, comment};
use super::statements::{Body, is_function};
use super::{control, imports, names, problems, types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::model::{Intent, Mode, Passing, Span, StmtKind, Storage, SymbolId, SymbolKind, Unit, UnitId, UnitKind, VertexKind};

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
    let w = Writer::new(cx, unit, names::of_unit(cx, unit, avoid));
    let mut body = Body { w, lines: Vec::new(), indent: indent + 1, pending_label: None, place: Span::NONE };
    control::body(&mut body, u);
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
        let p = super::units::unit(cx, child, indent + 1, false);
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

/// The procedures that stand inside a procedure, derivatives behind what they were derived from.
pub fn children(cx: &Context, unit: UnitId) -> Vec<UnitId> {
    in_order(cx, |u| cx.host(u) == Some(unit))
}

/// Units in document order, each derivative behind the unit that it was derived from.
pub fn in_order(cx: &Context, wanted: impl Fn(UnitId) -> bool) -> Vec<UnitId> {
    let program = cx.program;
    let all: Vec<UnitId> = program.unit_ids().filter(|&u| wanted(u)).collect();
    let known: FxHashSet<UnitId> = all.iter().copied().collect();
    let origin = |u: UnitId| program.unit(u).derivation.map(|d| d.of).filter(|o| known.contains(o) && *o != u);
    let mut derived: FxHashMap<UnitId, Vec<UnitId>> = FxHashMap::default();
    for &u in &all {
        if let Some(o) = origin(u) {
            derived.entry(o).or_default().push(u);
        }
    }
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    fn place(u: UnitId, derived: &FxHashMap<UnitId, Vec<UnitId>>, seen: &mut FxHashSet<UnitId>, out: &mut Vec<UnitId>) {
        // Derivatives of derivatives nest as deep as the tool was applied.
        if seen.insert(u) {
            out.push(u);
            for &d in derived.get(&u).into_iter().flatten() {
                place(d, derived, seen, out);
            }
        }
    }
    for &u in &all {
        if origin(u).is_none() {
            place(u, &derived, &mut seen, &mut out);
        }
    }
    out.extend(all.iter().copied().filter(|u| !seen.contains(u)));
    out
}

/// First and last line of a unit.
pub fn headings(cx: &Context, unit: UnitId, w: &Writer) -> (String, String) {
    let program = cx.program;
    let u = program.unit(unit);
    let name = w.name(u.symbol);
    let mut prefix = String::new();
    let has = |p: &str| u.prefixes.iter().any(|x| x == p);
    let elemental = has("elemental");
    let pure = (has("pure") || elemental) && may_be_pure(cx, unit);
    if elemental {
        prefix.push_str(if pure { "elemental " } else { "impure elemental " });
    } else if pure {
        prefix.push_str("pure ");
    }
    if has("recursive") || cx.is_recursive(unit) {
        prefix.push_str("recursive ");
    }
    let mut arguments: Vec<String> = Vec::new();
    for f in u.formals.iter().filter(|f| !f.result) {
        let s = cx.component(f.symbol).map_or(f.symbol, |(base, _)| base);
        let name = w.name(s);
        if !arguments.contains(&name) {
            arguments.push(name);
        }
    }
    let list = arguments.join(", ");
    match (u.kind, u.result()) {
        (UnitKind::Main, _) => (format!("program {name}"), format!("end program {name}")),
        (UnitKind::Function, Some(r)) => {
            let result = w.name(r.symbol);
            let clause = if result.eq_ignore_ascii_case(&name) { String::new() } else { format!(" result({result})") };
            (format!("{prefix}function {name}({list}){clause}"), format!("end function {name}"))
        }
        _ => (format!("{prefix}subroutine {name}({list})"), format!("end subroutine {name}")),
    }
}

/// Nothing in the unit forbids PURE.
fn may_be_pure(cx: &Context, unit: UnitId) -> bool {
    let u = cx.program.unit(unit);
    let arguments = u.formals.iter().filter(|f| !f.result);
    let declared = arguments.clone().all(|f| {
        let s = cx.program.symbol(f.symbol);
        f.intent_declared || s.passing() == Passing::Value || s.has_attribute("pointer") || s.kind == SymbolKind::Subroutine
    });
    let inputs = u.kind != UnitKind::Function || arguments.clone().all(|f| f.intent == Intent::In);
    let saved = cx.symbols(unit).iter().any(|&s| cx.is_local(unit, s) && *cx.program.symbol(s).storage() == Storage::Static);
    declared && inputs && !saved && (u.derivation.is_none() || !cx.is_impure(unit))
}

/// USE statements: the unit's own, then what its derivative code needs besides.
fn use_lines(cx: &Context, unit: UnitId, w: &Writer, indent: usize) -> Vec<Line> {
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

/// Declarations of a unit. `interface`: of its arguments only.
pub fn specification(cx: &Context, unit: UnitId, w: &mut Writer, indent: usize, interface: bool) -> Vec<Line> {
    let program = cx.program;
    let u = program.unit(unit);
    let used = cx.symbols(unit);
    let variable = |s: &SymbolId| program.symbol(*s).kind != SymbolKind::Subroutine && cx.is_local(unit, *s);
    let mut wanted: Vec<SymbolId> = used.iter().copied().filter(variable).collect();
    if interface {
        let mut needed = super::uses::Uses::default();
        needed.symbols.extend(u.formals.iter().map(|f| f.symbol));
        needed.close(program, &|s| cx.is_local(unit, s));
        cx.kind_parameters(unit, &mut needed);
        needed.close(program, &|s| cx.is_local(unit, s));
        wanted.retain(|s| needed.symbols.contains(s));
    }
    let commons = if interface { Vec::new() } else { derivative_commons(cx, unit, w, &wanted) };
    let formals: &[xaif::model::Formal] = &u.formals;
    let externals = external_lines(cx, unit, w, indent, interface);
    let mut d = Declarations::new(w, formals, false, wanted);
    d.commons = commons;
    let mut lines = d.constants(indent);
    let rest = cx.import_lines(unit).iter().filter(|l| imports::parse_use(l).is_none());
    let (groups, rest): (Vec<&String>, Vec<&String>) = rest.partition(|l| imports::namelist(l).is_some());
    for text in rest {
        lines.extend(import_lines(text, indent));
    }
    lines.extend(d.arguments(indent));
    lines.extend(externals);
    lines.extend(d.others(indent));
    // Groups name what is declared, and only units that read or write them have declared it all.
    for text in groups.into_iter().filter(|l| !interface && imports::namelist(l).is_some_and(|g| names_group(u, g))) {
        lines.extend(import_lines(text, indent));
    }
    lines
}

/// Whether a statement that is kept as text names a group.
fn names_group(unit: &xaif::model::Unit, group: &str) -> bool {
    let named = |text: &str| super::uses::identifiers(text).any(|i| i.eq_ignore_ascii_case(group));
    let mut stmts = unit.graph.node_weights().flat_map(|v| v.stmts());
    stmts.any(|s| matches!(&s.kind, xaif::model::StmtKind::Marker(m) if named(&m.text)))
}

/// Derivative COMMON blocks: one place for each real variable of the original block, in its order, so that the block has the same layout
/// in every unit.
fn derivative_commons(cx: &Context, unit: UnitId, w: &mut Writer, wanted: &[SymbolId]) -> Vec<(String, Vec<Member>)> {
    let program = cx.program;
    let mode = program.unit(unit).derivation.map(|d| d.mode);
    let suffix = match mode {
        Some(Mode::Tangent) => "d",
        _ => "b",
    };
    let mut out: Vec<(String, Vec<Member>)> = Vec::new();
    for &s in wanted {
        let symbol = program.symbol(s);
        let Storage::Common(block) = symbol.storage() else { continue };
        let Some(of) = symbol.decl.as_ref().and_then(|d| d.derivative_of) else { continue };
        let original = program.symbol(of);
        let Storage::Common(original_block) = original.storage() else { continue };
        if out.iter().any(|(_, m)| m.contains(&Member::Own(s))) {
            continue;
        }
        let name = match (block == original_block, block.is_empty()) {
            (false, _) => block.to_string(),
            (true, true) => format!("blank_{suffix}"),
            (true, false) => format!("{block}_{suffix}"),
        };
        let mut members = Vec::new();
        for &m in &program.scope(original.scope).symbols {
            let member = program.symbol(m);
            if *member.storage() != Storage::Common(original_block.clone()) || member.temp || !member.ty.is_real() {
                continue;
            }
            let companion = wanted.iter().copied().find(|&c| {
                let c = program.symbol(c);
                c.decl.as_ref().is_some_and(|d| d.derivative_of == Some(m) && d.storage == *symbol.storage())
            });
            members.push(match companion {
                Some(c) => Member::Own(c),
                None => Member::Filler(w.names.fresh(&format!("{}{suffix}", member.name)), m),
            });
        }
        out.push((name, members));
    }
    out
}

/// Declarations of external functions, and interfaces of external procedures that need one.
fn external_lines(cx: &Context, unit: UnitId, w: &mut Writer, indent: usize, interface: bool) -> Vec<Line> {
    let program = cx.program;
    let u = program.unit(unit);
    let mut lines = Vec::new();
    let imported: Vec<String> =
        cx.import_lines(unit).iter().flat_map(|l| super::uses::identifiers(l)).map(str::to_ascii_lowercase).collect();
    let mut passed = passed_procedures(u);
    passed.extend(cx.symbols(unit).iter().flat_map(|s| cx.procedures_passed_to(*s)));
    let formals: Vec<SymbolId> = u.formals.iter().map(|f| f.symbol).collect();
    for &s in cx.symbols(unit) {
        let symbol = program.symbol(s);
        let is_formal = formals.contains(&s);
        if symbol.kind != SymbolKind::Subroutine || s == u.symbol || (interface && !is_formal) {
            continue;
        }
        if imported.contains(&symbol.name.to_ascii_lowercase()) {
            continue;
        }
        let target = program.unit_of_symbol(s);
        let external = match target {
            Some(t) => cx.parent(t).is_none() && !cx.wrapped && !program.unit(t).is_container(),
            None => is_formal || symbol.scope == u.scope || symbol.scope == xaif::model::ScopeId(0),
        };
        if !external || symbol.has_attribute("intrinsic") {
            continue;
        }
        if let Some(t) = target.filter(|&t| needs_interface(cx, t)) {
            lines.push(Line::code(indent, "interface"));
            lines.extend(super::interfaces::body(cx, t, indent + 1));
            lines.push(Line::code(indent, "end interface"));
            continue;
        }
        let name = w.name(s);
        if is_function(program, s) {
            let result = target.and_then(|t| program.unit(t).result()).map(|r| program.symbol(r.symbol)).unwrap_or(symbol);
            let mut own = Declarations::new(w, &[], false, Vec::new());
            let mut ty = own.type_text(result);
            // The kind of another unit's result may not be known here by its name.
            if super::uses::identifiers(&ty).any(|word| !is_type_word(word)) {
                ty = types::spelling(result.ty).map_or(ty, str::to_owned);
            }
            // Several versions are one procedure.
            let again = cx.version_of(s).is_some()
                && cx.symbols(unit).iter().take_while(|t| **t != s).any(|t| cx.version_of(*t).is_some() && w.name(*t) == name);
            if !again {
                lines.push(Line::code(indent, format!("{ty}, external :: {name}")));
            }
        } else if is_formal || passed.contains(&s) || symbol.has_attribute("external") {
            lines.push(Line::code(indent, format!("external :: {name}")));
        }
    }
    lines
}

fn is_type_word(word: &str) -> bool {
    ["double", "precision", "real", "integer", "logical", "complex", "kind", "character", "len"]
        .iter()
        .any(|w| word.eq_ignore_ascii_case(w))
}

/// Procedures that the unit hands on as arguments.
fn passed_procedures(u: &Unit) -> Vec<SymbolId> {
    let mut out = Vec::new();
    for v in u.graph.node_weights() {
        let VertexKind::Block { stmts, .. } = &v.kind else { continue };
        for s in stmts {
            if let StmtKind::Call(c) = &s.kind {
                out.extend(c.arguments.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol));
            }
        }
    }
    out
}

/// The unit can be called only where its interface is explicit.
pub fn needs_interface(cx: &Context, unit: UnitId) -> bool {
    let u = cx.program.unit(unit);
    u.formals.iter().any(|f| {
        let s = cx.program.symbol(f.symbol);
        let marked = ["optional", "allocatable", "pointer", "target", "volatile", "asynchronous"].iter().any(|a| s.has_attribute(a));
        marked || matches!(s.passing(), Passing::Descriptor | Passing::Value) || (f.result && s.rank > 0)
    })
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
