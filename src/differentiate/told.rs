//! What is said of a request: what belongs to its heads, errors first, each with the calls that lead to it.
//!
//! Lives here: which units the heads reach, and what of all that was found has to do with them. Never here: finding anything, printing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xaif::callbacks::is_function_value;
use xaif::model::{Head, StmtKind, SymbolId, SymbolKind, UnitId};
use xaif::{Diagnostic, Program, Severity};

/// At most so many names are listed.
const LISTED: usize = 12;

/// A unit that the heads reach.
struct Reached {
    name: String,
    /// Its file, and the lines of its text.
    file: String,
    lines: (u32, u32),
    /// Who calls it, and in which line; `None` for what a head names.
    caller: Option<(usize, u32)>,
}

/// What the heads reach.
pub struct Reach {
    units: Vec<Reached>,
    /// Names of all that is called.
    names: BTreeSet<String>,
    /// Functions that are called, and have no text.
    missing: BTreeSet<String>,
}

impl Reach {
    /// What these heads reach, or those of the program where there are none; `None` where all of it may be meant.
    pub fn of(program: &Program, heads: &[Head]) -> Option<Reach> {
        let heads = if heads.is_empty() { &program.heads[..] } else { heads };
        if heads.is_empty() {
            return None;
        }
        let by_symbol: BTreeMap<SymbolId, UnitId> = program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect();
        let by_name: BTreeMap<&str, UnitId> = program.unit_ids().map(|u| (program.unit_name(u), u)).collect();
        // The unit that a symbol is, or stands for.
        let behind = |s: SymbolId| {
            let symbol = program.symbol(s);
            if is_function_value(symbol) { by_name.get(symbol.name.as_str()) } else { by_symbol.get(&s) }.copied()
        };
        let mut out = Reach { units: Vec::new(), names: BTreeSet::new(), missing: BTreeSet::new() };
        let mut seen: BTreeMap<UnitId, usize> = BTreeMap::new();
        let mut open: VecDeque<(UnitId, Option<(usize, u32)>)> = VecDeque::new();
        for head in heads {
            out.names.insert(head.unit.clone());
            open.extend(program.unit_ids().filter(|&u| program.same_name(program.unit_name(u), &head.unit)).map(|u| (u, None)));
        }
        while let Some((unit, caller)) = open.pop_front() {
            if seen.contains_key(&unit) {
                continue;
            }
            let number = out.units.len();
            seen.insert(unit, number);
            let it = program.unit(unit);
            let file = program.sources.get(it.span.source.index()).map_or_else(String::new, |s| s.file.clone());
            let name = program.unit_name(unit).to_owned();
            out.names.insert(name.clone());
            out.units.push(Reached { name, file, lines: (it.span.line, it.span.end_line), caller });
            for (symbol, line) in called(program, unit) {
                match behind(symbol) {
                    Some(callee) => open.push_back((callee, Some((number, line)))),
                    None => out.note_missing(program, symbol),
                }
            }
        }
        Some(out)
    }

    fn note_missing(&mut self, program: &Program, symbol: SymbolId) {
        let it = program.symbol(symbol);
        self.names.insert(it.name.to_string());
        if it.kind == SymbolKind::Subroutine && !it.has_attribute("refused") && !it.has_attribute("library") && !is_function_value(it) {
            self.missing.insert(it.name.to_string());
        }
    }

    /// What was said when the program was read, without the reasons for units that the heads do not reach.
    pub fn belonging(&self, mut said: Vec<Diagnostic>) -> Vec<Diagnostic> {
        said.retain(|d| d.severity == Severity::Error || d.unit.as_ref().is_none_or(|u| self.names.contains(&**u)));
        said
    }

    /// What is refused, before what was said until then: errors with the calls that lead to them, and what they say already said once.
    pub fn refused(&self, before: Vec<Diagnostic>, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let (mut errors, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(Diagnostic::is_error);
        let place = |d: &Diagnostic| d.location.as_ref().map(|l| (l.file.clone(), l.line, l.column));
        // What was said of a unit that is not there is the error itself, where a head names that unit.
        for d in errors.iter_mut().filter(|d| d.code == "OB0011" && d.location.is_some()) {
            let name = d.message.split(' ').next().unwrap_or_default();
            let of_unit = |b: &&Diagnostic| b.location.is_some() && b.unit.as_ref().is_some_and(|u| u.eq_ignore_ascii_case(name));
            let same_place = before.iter().find(|b| b.unit.is_some() && place(b) == place(d));
            // Of several reasons the first stands for all: the place to look at is that of the construct.
            if let Some(reason) = same_place.or_else(|| before.iter().find(of_unit)) {
                *d = Diagnostic { severity: Severity::Error, ..reason.clone() };
            }
        }
        let known: BTreeSet<_> = errors.iter().filter_map(place).collect();
        for d in &mut errors {
            if let Some(chain) = self.chain(d) {
                d.reason = Some(d.reason.take().map_or_else(|| chain.clone(), |r| format!("{r}; {chain}")));
            }
        }
        self.name_missing(&mut errors);
        let told = |d: &Diagnostic| d.unit.is_some() && place(d).is_some_and(|p| known.contains(&p));
        errors.extend(self.belonging(before).into_iter().filter(|d| !told(d)).chain(rest));
        errors
    }

    /// The calls from a head to where that is: `f calls g (line 3), g calls h (line 8)`.
    fn chain(&self, d: &Diagnostic) -> Option<String> {
        let l = d.location.as_ref()?;
        let inside = |u: &Reached| u.file == l.file && u.lines.0 <= l.line && l.line <= u.lines.1;
        // The innermost, where units stand in one another.
        let mut at = self.units.iter().enumerate().filter(|(_, u)| inside(u)).max_by_key(|(_, u)| u.lines.0)?.0;
        let mut calls = Vec::new();
        while let Some((caller, line)) = self.units[at].caller {
            calls.push(format!("{} calls {} (line {line})", self.units[caller].name, self.units[at].name));
            at = caller;
        }
        calls.reverse();
        (!calls.is_empty()).then(|| calls.join(", "))
    }

    /// Where something is refused for a function without a text: all that have none.
    fn name_missing(&self, errors: &mut [Diagnostic]) {
        let Some(first) = errors.iter_mut().find(|d| d.code == "OB4002" && self.missing.iter().any(|m| d.message.contains(m.as_str())))
        else {
            return;
        };
        let listed: Vec<&str> = self.missing.iter().map(String::as_str).take(LISTED).collect();
        let more = self.missing.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let said = format!("what is called and has no text: {}{more}; the files that define them can be given, too", listed.join(", "));
        first.help = Some(first.help.take().map_or_else(|| said.clone(), |h| format!("{h}; {said}")));
    }
}

/// What is left of the reasons for which a text gives no program at all: those of the units that heads name, where there are any.
pub fn without_program(heads: &[Head], said: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let named = |d: &Diagnostic| d.unit.as_ref().is_some_and(|u| heads.iter().any(|h| h.unit == **u));
    if said.iter().any(named) { said.into_iter().filter(|d| d.unit.is_none() || named(d)).collect() } else { said }
}

/// What a unit calls, or hands on as a function, with the lines.
fn called(program: &Program, unit: UnitId) -> Vec<(SymbolId, u32)> {
    let mut out = Vec::new();
    for s in program.unit(unit).graph.node_weights().flat_map(|v| v.stmts()) {
        let line = s.span.line;
        match &s.kind {
            StmtKind::Call(c) => {
                out.push((c.callee, line));
                out.extend(c.arguments.iter().flat_map(|a| a.value.refs()).map(|r| (r.symbol, line)));
            }
            StmtKind::Assignment { rhs, .. } => out.extend(rhs.refs().map(|r| (r.symbol, line))),
            _ => {}
        }
    }
    out.retain(|(s, _)| program.symbol(*s).kind == SymbolKind::Subroutine || is_function_value(program.symbol(*s)));
    out
}
