//! What a module's text makes private, and where its specification part ends.
//!
//! Lives here: reading of specification parts. Never here: what is added to them (see `files`).

use crate::unparse::facts::context::Context;
use xaif::model::{SourceId, Span, SymbolId, UnitId};

/// The statements of a module's specification part: first and last line, text without comments and signs of continuation, lower case.
pub struct Specification {
    pub source: SourceId,
    pub statements: Vec<(u32, u32, String)>,
    /// The line behind which declarations can be added.
    pub end: u32,
}

impl Specification {
    /// A PRIVATE statement without a list.
    pub fn private_by_default(&self) -> bool {
        self.statements.iter().any(|(.., t)| t == "private")
    }

    /// The names of PUBLIC or PRIVATE statements.
    pub fn names(&self, word: &str) -> Vec<String> {
        self.statements.iter().flat_map(|(.., t)| self.listed(t, word)).collect()
    }

    /// The names of a statement, if it is a PUBLIC or PRIVATE statement with a list.
    pub fn listed(&self, statement: &str, word: &str) -> Vec<String> {
        let list = statement.strip_prefix(word).filter(|l| l.starts_with([' ', ':']) && !l.contains('='));
        let names = list.into_iter().flat_map(|l| l.trim_start_matches([' ', ':']).split(','));
        names.map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect()
    }

    /// The lines of the statement on a line.
    pub fn statement_of(&self, line: u32) -> Option<(u32, u32)> {
        self.statements.iter().find(|(from, to, _)| (*from..=*to).contains(&line)).map(|(from, to, _)| (*from, *to))
    }

    /// The declaration on that line says PUBLIC or PRIVATE.
    pub fn declares(&self, line: u32, word: &str) -> bool {
        let text = self.statements.iter().find(|(from, to, _)| (*from..=*to).contains(&line)).map_or("", |(.., t)| t.as_str());
        text.split_once("::").is_some_and(|(head, _)| head.split(',').any(|a| a.trim() == word))
    }
}

/// Lines put together to statements.
fn joined(lines: &[(u32, String)], fixed: bool) -> Vec<(u32, u32, String)> {
    let mut out: Vec<(u32, u32, String)> = Vec::new();
    let mut open = false;
    for (n, t) in lines.iter().filter(|(_, t)| !t.is_empty()) {
        // In fixed form the sign stands before the text that goes on.
        let more = if fixed { t.starts_with('&') } else { open };
        let text = t.trim_matches('&').trim();
        match out.last_mut().filter(|_| more) {
            Some(last) => {
                last.1 = *n;
                last.2.push(' ');
                last.2.push_str(text);
            }
            None => out.push((*n, *n, text.to_owned())),
        }
        open = t.ends_with('&');
    }
    out
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
    Some(Specification { source: span.source, statements: joined(&lines, source.fixed_form), end: end.max(span.line) })
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
        // Text that a line includes ends with it.
        let start = text.trim_start_matches(['#', ' ', '\t']);
        let includes = start.get(..7).is_some_and(|w| w.eq_ignore_ascii_case("include"));
        if !rest.is_empty() && !includes && !rest.starts_with('!') {
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
    let public = spec.names("public").contains(&name) || spec.declares(s.span.line, "public") || s.has_attribute("public");
    is_listed_private(cx, module, symbol) || (spec.private_by_default() && !public)
}

/// A PRIVATE statement or attribute names the entity.
pub fn is_listed_private(cx: &Context, module: UnitId, symbol: SymbolId) -> bool {
    let Some(spec) = specification(cx, module) else { return false };
    let s = cx.program.symbol(symbol);
    let name = s.name.to_ascii_lowercase();
    spec.names("private").contains(&name) || spec.declares(s.span.line, "private")
}
