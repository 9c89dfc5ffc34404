//! What a module's text makes private, and where its specification part ends.
//!
//! Lives here: reading of specification parts. Never here: what is added to them (see `files`).

use crate::unparse::facts::context::Context;
use xaif::model::{SourceId, Span, SymbolId, UnitId};

/// The lines of a module's specification part: number, text without comment, lower case.
pub struct Specification {
    pub source: SourceId,
    pub lines: Vec<(u32, String)>,
    /// The line behind which declarations can be added.
    pub end: u32,
}

impl Specification {
    /// A PRIVATE statement without a list.
    pub fn private_by_default(&self) -> bool {
        self.lines.iter().any(|(_, t)| t == "private")
    }

    /// The names of PUBLIC statements.
    pub fn public_names(&self) -> Vec<String> {
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
    pub fn declared_public(&self, line: u32) -> bool {
        let text = self.lines.iter().find(|(n, _)| *n == line).map_or("", |(_, t)| t.as_str());
        text.split("::").next().unwrap_or_default().split(',').any(|a| a.trim() == "public")
    }
}

/// The specification part of a module, in its text.
pub fn specification(cx: &Context, module: UnitId) -> Option<Specification> {
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

/// The line behind which text can be put: the last of the span, if nothing but a comment follows there.
pub fn end_line(cx: &Context, span: Span) -> Option<u32> {
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

/// The module's text makes the entity private.
pub fn is_private(cx: &Context, module: UnitId, symbol: SymbolId) -> bool {
    let Some(spec) = specification(cx, module) else { return false };
    let s = cx.program.symbol(symbol);
    let name = s.name.to_ascii_lowercase();
    let public = spec.public_names().contains(&name) || spec.declared_public(s.span.line) || s.has_attribute("public");
    is_listed_private(cx, module, symbol) || (spec.private_by_default() && !public)
}

/// A PRIVATE statement or attribute names the entity.
pub fn is_listed_private(cx: &Context, module: UnitId, symbol: SymbolId) -> bool {
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
