//! Specification parts of units, with the interfaces of the procedures that they call or get.
//!
//! Lives here: interface bodies, whose own specification parts may have interfaces again. Never here: statements.

use super::headings;
use super::use_lines::{self, import_lines};
use crate::unparse::declarations::order::{Declarations, Member};
use crate::unparse::expressions::writer::Writer;
use crate::unparse::facts::context::Context;
use crate::unparse::facts::uses::{self, Uses};
use crate::unparse::facts::{imports, unit_names};
use crate::unparse::language::types;
use crate::unparse::statements::calls::{is_function, returned};
use crate::unparse::text::layout::Line;
use std::collections::BTreeSet;
use xaif::model::{Mode, Passing, StmtKind, Storage, SymbolId, SymbolKind, Unit, UnitId, VertexKind};

/// Declarations of a unit. `interface`: of its arguments only.
pub fn specification(cx: &Context, unit: UnitId, w: &mut Writer, indent: usize, interface: bool) -> Vec<Line> {
    let program = cx.program;
    let u = program.unit(unit);
    let used = cx.symbols(unit);
    let variable = |s: &SymbolId| program.symbol(*s).kind != SymbolKind::Subroutine && cx.is_local(unit, *s);
    let mut wanted: Vec<SymbolId> = used.iter().copied().filter(variable).collect();
    if interface {
        let mut needed = Uses::default();
        // A component is declared with its structure, which need not be an argument of the model itself.
        needed.symbols.extend(u.formals.iter().flat_map(|f| [Some(f.symbol), cx.component(f.symbol).map(|(base, _)| base)]).flatten());
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
    let named = |text: &str| uses::identifiers(text).any(|i| i.eq_ignore_ascii_case(group));
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
    let imported: Vec<String> = cx.import_lines(unit).iter().flat_map(|l| uses::identifiers(l)).map(str::to_ascii_lowercase).collect();
    let mut passed = passed_procedures(u);
    passed.extend(cx.symbols(unit).iter().flat_map(|s| cx.procedures_passed_to(*s)));
    let mut formals: Vec<SymbolId> = u.formals.iter().map(|f| f.symbol).collect();
    formals.extend(cx.open_procedures(unit));
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
            lines.extend(body(cx, t, indent + 1));
            lines.push(Line::code(indent, "end interface"));
            continue;
        }
        let name = w.name(s);
        let structure = returned(program, s);
        if is_function(program, s) || structure.is_some() {
            let result = structure.or_else(|| target.and_then(|t| program.unit(t).result()).map(|r| r.symbol));
            let result = result.map_or(symbol, |r| program.symbol(r));
            let mut own = Declarations::new(w, &[], false, Vec::new());
            let mut ty = own.type_text(result);
            // The kind of another unit's result may not be known here by its name.
            if uses::identifiers(&ty).any(|word| !is_type_word(word)) {
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
    let explicit = cx.is_open(unit) && cx.program.symbol(u.symbol).has_attribute(xaif::open::EXPLICIT);
    explicit
        || u.formals.iter().any(|f| {
            let s = cx.program.symbol(f.symbol);
            let marked = ["optional", "allocatable", "pointer", "target", "volatile", "asynchronous"].iter().any(|a| s.has_attribute(a));
            marked || matches!(s.passing(), Passing::Descriptor | Passing::Value) || (f.result && s.rank > 0)
        })
}

/// The interface body of a procedure.
pub fn body(cx: &Context, unit: UnitId, indent: usize) -> Vec<Line> {
    let mut w = Writer::new(cx, unit, unit_names::of_unit(cx, unit, &BTreeSet::new()));
    let (head, end) = headings::headings(cx, unit, &w);
    let mut lines = vec![Line::code(indent, head)];
    let uses = cx.import_lines(unit).iter().filter(|l| imports::parse_use(l).is_some());
    lines.extend(uses.flat_map(|l| use_lines::import_lines(l, indent + 1)));
    lines.push(Line::code(indent + 1, "implicit none"));
    lines.extend(specification(cx, unit, &mut w, indent + 1, true));
    lines.push(Line::code(indent, end));
    lines
}
