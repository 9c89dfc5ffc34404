//! Derivatives that are lost outside of the program.
//!
//! ```text
//! z = x*x; put(z); y = get();          what put gets varies, and what get gives is useful: neither has a derivative to hand on
//! ```
//!
//! The equations of [`super::solver`] for a step C that calls an unknown unit or is kept as text, with o the outside and r, w what C reads and writes:
//!
//! ```text
//! varied:   out(C)  =  in(C) + w(C) + { o if C takes }     if some r(C), or o if C gives, is in in(C)
//! useful:   in(C)   =  out(C) + r(C) + { o if C gives }    if some w(C), or o if C takes, is in out(C)
//! ```
//!
//! What is set by C is not killed: it may stay. A derivative is lost in C where both hold, or where C may set what has a derivative and is useful behind it: nobody
//! would set that derivative. What only goes out, to a log or a screen, is not lost.
//!
//! Lives here: these equations, and the refusals. Never here: what is read and written (see [`crate::analysis::program::outside`]).

use super::active::{Activity, Escape};
use super::solver::Solver;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::facts::Facts;
use crate::analysis::program::outside::Outside;
use crate::analysis::program::table::{CallStep, Numbers, Step, UnitTable};
use std::collections::BTreeMap;
use xaif::model::{Marker, MarkerClass, Stmt, StmtKind, SymbolId, UnitId, VertexId};
use xaif::{Diagnostic, Program};

/// What a call of an unknown unit reads and writes.
pub(super) fn touched(c: &CallStep) -> (Numbers, Numbers) {
    let (mut reads, mut writes) = (Numbers::new(), Numbers::new());
    for a in &c.args {
        reads.extend_from_slice(&a.depends);
        writes.extend(a.target.map(|t| t.object));
    }
    reads.extend_from_slice(&c.outside.reads);
    writes.extend_from_slice(&c.outside.writes);
    (reads, writes)
}

type Touched<'a> = (&'a Numbers, &'a Numbers, &'a Outside);

impl Solver<'_> {
    /// See the front of this file.
    pub(super) fn varied_unknown(&mut self, u: usize, at: (usize, usize), (reads, writes, outside): Touched, state: &mut Bits) -> bool {
        let table = &self.facts.tables[u];
        let cell = self.outside(u);
        let carries = |n: &u32| table.carries.get(*n as usize).copied().unwrap_or(false);
        let given: Numbers = reads.iter().copied().filter(|n| carries(n) && state.has(*n)).collect();
        let gives = outside.gives && state.has(cell);
        let varied = gives || !given.is_empty();
        let entry = self.escapes.entry(at).or_default();
        (entry.given, entry.gives) = (given.iter().map(|&n| table.objects[n as usize]).collect(), gives);
        if varied {
            writes.iter().for_each(|&n| self.set(u, state, n));
            if outside.takes {
                state.insert(cell);
            }
        }
        varied && (outside.takes || !writes.is_empty())
    }

    /// See the front of this file.
    pub(super) fn useful_unknown(&mut self, u: usize, at: (usize, usize), (reads, writes, outside): Touched, state: &mut Bits) -> bool {
        let table = &self.facts.tables[u];
        let cell = self.outside(u);
        let back: Numbers = writes.iter().copied().filter(|&n| state.has(n)).collect();
        let takes = outside.takes && state.has(cell);
        let useful = takes || !back.is_empty();
        let entry = self.escapes.entry(at).or_default();
        (entry.back, entry.takes) = (back.iter().map(|&n| table.objects[n as usize]).collect(), takes);
        if useful {
            reads.iter().for_each(|&n| self.set(u, state, n));
            if outside.gives {
                state.insert(cell);
            }
        }
        useful
    }
}

/// Where a file's flags say what is active, everything that is active goes in and comes back.
pub(super) fn by_flags(table: &UnitTable, flagged: &dyn Fn(SymbolId) -> bool) -> BTreeMap<(usize, usize), Escape> {
    let mut out = BTreeMap::new();
    let active = |list: &Numbers| list.iter().map(|&n| table.objects[n as usize]).filter(|&s| flagged(s)).collect::<Vec<_>>();
    for (v, steps) in table.steps.iter().enumerate() {
        for (k, step) in steps.iter().enumerate() {
            let (reads, writes, call) = match step {
                Step::Call(c) if c.callee.is_none() => (touched(c).0, touched(c).1, true),
                Step::Opaque { reads, writes, .. } => (reads.clone(), writes.clone(), false),
                _ => continue,
            };
            let (given, back) = (active(&reads), active(&writes));
            out.insert((v, k), Escape { takes: call && !given.is_empty(), gives: false, given, back });
        }
    }
    out
}

/// A step that gives back what others got.
struct Giver {
    name: String,
    line: u32,
}

/// Steps at which derivatives are lost.
pub(super) struct Escapes<'a> {
    program: &'a Program,
    facts: &'a Facts,
    activity: &'a Activity,
    giver: Option<Giver>,
}

impl<'a> Escapes<'a> {
    /// Looks for where what goes out comes back.
    pub fn of(program: &'a Program, facts: &'a Facts, activity: &'a Activity) -> Escapes<'a> {
        let mut out = Escapes { program, facts, activity, giver: None };
        out.giver = activity.reached().find_map(|u| {
            let escapes = &activity.unit(u)?.escapes;
            let (&(v, k), _) = escapes.iter().find(|(_, e)| e.gives && !e.back.is_empty())?;
            let stmt = program.unit(u).graph[VertexId::new(v)].stmts().get(k)?;
            let line = program.location(stmt.span).map_or(0, |l| l.line);
            Some(Giver { name: out.name(stmt), line })
        });
        out
    }

    /// What is called, or done.
    fn name(&self, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Call(c) => self.program.symbol(c.callee).name.to_string(),
            StmtKind::Marker(m) if !m.text.is_empty() => format!("'{}'", m.text),
            _ => format!("'{}'", stmt.text),
        }
    }

    /// What is lost at a statement.
    pub fn check(&self, unit: UnitId, at: (usize, usize), stmt: &Stmt) -> Option<Diagnostic> {
        let escape = self.activity.unit(unit)?.escapes.get(&at)?;
        let set = escape.back.iter().copied().find(|&s| self.activity.is_active(unit, s));
        // Said already of a call of what nothing declares.
        let undeclared = matches!(&stmt.kind, StmtKind::Call(c) if self.program.symbol(c.callee).has_attribute("undeclared"));
        if undeclared || !escape.is_lost() && set.is_none() {
            return None;
        }
        let place = self.program.location(stmt.span).or_else(|| self.program.location(self.program.unit(unit).span));
        match &stmt.kind {
            StmtKind::Call(_) => Some(self.unknown(stmt, escape, set).at(place)),
            StmtKind::Marker(m) => match m.class {
                MarkerClass::Allocate | MarkerClass::Deallocate | MarkerClass::Comment | MarkerClass::Pragma => None,
                MarkerClass::Call => Some(self.unknown(stmt, escape, set).at(place)),
                _ => Some(self.kept_as_text(m, stmt, escape, set).at(place)),
            },
            _ => None,
        }
    }

    fn variable(&self, s: SymbolId) -> &str {
        &self.program.symbol(s).name
    }

    /// A call of which only the name is known.
    fn unknown(&self, stmt: &Stmt, escape: &Escape, set: Option<SymbolId>) -> Diagnostic {
        let callee = self.name(stmt);
        let handed = |s: &SymbolId| match &stmt.kind {
            StmtKind::Call(c) => c.arguments.iter().any(|a| a.value.refs().any(|r| self.facts.objects.canonical(r.symbol) == *s)),
            _ => false,
        };
        let argument = escape.given.iter().chain(set.iter()).chain(&escape.back).copied().find(handed);
        let (message, other) = match argument.or(escape.given.first().copied()) {
            Some(x) if argument.is_some() => (format!("call of {callee} with active argument {}", self.variable(x)), Some(x)),
            Some(x) => (format!("call of {callee}, which may see {}, which has a derivative", self.variable(x)), Some(x)),
            None => match set.or(escape.back.first().copied()) {
                Some(y) => (format!("call of {callee}, which may set {}, which has a derivative", self.variable(y)), Some(y)),
                None => (format!("call of {callee}, which may give back what has a derivative"), None),
            },
        };
        let back = escape.back.iter().copied().find(|&y| Some(y) != other);
        let why = match (&self.giver, back) {
            (Some(g), _) if escape.takes && !escape.gives && g.line > 0 => {
                format!("what it gets may come back by {} (line {})", g.name, g.line)
            }
            (_, Some(y)) => format!("its value may come back in {}", self.variable(y)),
            _ => "what it does to the derivative is not known".to_owned(),
        };
        let kind = |word: &str| matches!(&stmt.kind, StmtKind::Call(c) if self.program.symbol(c.callee).has_attribute(word));
        let left_out = left_out(self.program, stmt);
        let annotation = if let StmtKind::Marker(m) = &stmt.kind { m.annotation.as_str() } else { "" };
        let (what, help) = match () {
            () if !annotation.is_empty() => {
                (annotation, "add the file that defines it to the input, or keep it away from what is differentiated")
            }
            () if kind("library") => (
                "the program does not contain that unit",
                "keep it away from what is differentiated, or use the functions that `overbar intrinsics` lists",
            ),
            () if kind("refused") || matches!(stmt.kind, StmtKind::Marker(_)) => {
                (left_out.as_str(), "rewrite what could not be represented, or keep the unit away from what is differentiated")
            }
            () => (
                "the program does not contain that unit",
                "add the file that defines it to the input, or say in a rules file what it does (docs/rules.md)",
            ),
        };
        Diagnostic::error("OB4002", message).because(format!("{what}, and {why}")).help(help)
    }

    /// Input, output, and what could not be said otherwise.
    fn kept_as_text(&self, m: &Marker, stmt: &Stmt, escape: &Escape, set: Option<SymbolId>) -> Diagnostic {
        let text = if m.text.is_empty() { stmt.text.as_str() } else { &m.text };
        let Some(x) = set.or(escape.back.first().copied()) else {
            let x = escape.given.first().map_or("what it writes", |&x| self.variable(x));
            let by = self.giver.as_ref().map_or_else(String::new, |g| format!(" by {} (line {})", g.name, g.line));
            return Diagnostic::error("OB4003", format!("'{text}' takes {x} out of the program, which has a derivative"))
                .because(format!("it may come back{by}, and its derivative would be lost"))
                .help("keep the value in a variable");
        };
        let known = match m.annotation.as_str() {
            "" => "what it writes is not known to the differentiation".to_owned(),
            why => format!("it is kept as text, so what it writes is not known to the differentiation: {why}"),
        };
        Diagnostic::error("OB4003", format!("'{text}' writes {}, which has a derivative", self.variable(x))).because(known).help(
            match m.class {
                MarkerClass::Io | MarkerClass::Terminal => {
                    "read into another variable and assign that to this one: what comes from a file has no derivative"
                }
                _ => "compute the value outside the differentiated code, or copy it with an assignment",
            },
        )
    }
}

/// Why the unit that a statement calls is not in the program, though its text is there.
fn left_out(program: &Program, stmt: &Stmt) -> String {
    let symbol = match &stmt.kind {
        StmtKind::Call(c) => program.symbol(c.callee),
        _ => return "the unit was left out of the program, for the reason that a warning or note gives".to_owned(),
    };
    match symbol.decl.as_ref().and_then(|d| d.comment.lines().next()).and_then(Diagnostic::parts) {
        Some((Some(l), code, message)) => {
            format!("the unit was left out of the program: {message} ({code}, {}:{}:{})", l.file, l.line, l.column)
        }
        Some((None, code, message)) => format!("the unit was left out of the program: {message} ({code})"),
        None => "the unit was left out of the program, for the reason that a warning or note gives".to_owned(),
    }
}
