//! What directives are attached to: the procedure around them, or what stands behind them.
//!
//! Places decide, so it is the same for all languages. Lives here: finding that. Never here: words.

use super::{CONTRADICTION, Directive, Found, MISPLACED, parse};
use crate::model::{CallReversal, Head, Program, Snapshots, Span, StmtKind, UnitId, VertexId, VertexKind};
use crate::ranges::{self, Range};
use crate::{Diagnostic, Severity, structure};

/// Something of the program at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Unit(UnitId),
    Vertex(UnitId, VertexId),
    Statement(UnitId, VertexId, usize),
}

/// Everything that a program has in one of its sources, by place.
struct Index {
    things: Vec<(Span, Thing)>,
}

impl Index {
    fn of(program: &Program, source: crate::model::SourceId) -> Index {
        let mut things = Vec::new();
        let here = |s: Span| s.is_known() && s.source == source;
        for u in program.unit_ids() {
            let unit = program.unit(u);
            if here(unit.span) && !unit.is_container() {
                things.push((unit.span, Thing::Unit(u)));
            }
            for v in unit.graph.node_indices() {
                let vertex = &unit.graph[v];
                if here(vertex.span) && (vertex.is_loop() || matches!(vertex.kind, VertexKind::Branch(_))) {
                    things.push((vertex.span, Thing::Vertex(u, v)));
                }
                for (k, s) in vertex.stmts().iter().enumerate() {
                    let silent = matches!(&s.kind, StmtKind::Marker(m) if m.class == crate::model::MarkerClass::Pragma);
                    if here(s.span) && !silent {
                        things.push((s.span, Thing::Statement(u, v, k)));
                    }
                }
            }
        }
        things.sort_by_key(|(s, t)| (s.line, s.column, *t));
        Index { things }
    }

    /// What stands in the statement behind a directive.
    fn behind(&self, f: &Found) -> Vec<(Span, Thing)> {
        let from = self.things.partition_point(|(s, _)| s.line < f.before);
        let Some((first, _)) = self.things.get(from).filter(|(s, _)| s.line == f.before) else { return Vec::new() };
        let rest = &self.things[from..];
        // A statement may go on over several lines, and calls inside it have places of their own.
        let end = rest.iter().take_while(|(s, _)| s.line == first.line);
        let end = end.filter(|(_, t)| matches!(t, Thing::Statement(..))).map(|(s, _)| s.end_line).max().unwrap_or(first.line);
        rest.iter().take_while(|(s, _)| s.line <= end.max(first.line)).copied().collect()
    }

    /// The innermost unit around a directive.
    fn around(&self, program: &Program, d: Span) -> Option<UnitId> {
        let around = self.things.iter().filter_map(|(s, t)| match t {
            Thing::Unit(u) if s.line <= d.line && d.line <= s.end_line => Some(*u),
            _ => None,
        });
        around.min_by_key(|u| program.unit(*u).span.end_line - program.unit(*u).span.line)
    }
}

/// Attaches directives to the program that was made from the texts they were found in. What comes back are warnings: directives of other tools that
/// say nothing here, each kind once. `left_out` are the places of procedures that are not in the program: nothing in them is asked for, unless it asks to differentiate one.
///
/// # Errors
/// Directives that are not known, not built, written wrongly, in a wrong place or against each other: all that were found.
pub fn apply(program: &mut Program, found: &[Found], left_out: &[Span]) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let (mut problems, mut warnings): (Vec<Diagnostic>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    let mut asked: Vec<(UnitId, Span, Head)> = Vec::new();
    let mut sources: Vec<_> = found.iter().map(|f| f.span.source).collect();
    sources.sort_unstable();
    sources.dedup();
    for source in sources {
        let index = Index::of(program, source);
        for f in found.iter().filter(|f| f.span.source == source) {
            let lost = left_out.iter().any(|s| s.source == source && s.line <= f.span.line && f.span.line <= s.end_line);
            let done = parse(f.family, &f.text).and_then(|d| match d {
                Directive::Independent(_) | Directive::Dependent(_) if lost => Err(misplaced(
                    f,
                    "stands in a procedure that was left out of the program",
                    "rewrite what another message says of that procedure, or differentiate another one",
                )),
                Directive::Head(_) => attach(program, &index, f, d, &mut asked),
                _ if lost => Ok(()),
                _ => attach(program, &index, f, d, &mut asked),
            });
            if let Err(d) = done {
                let d = if d.location.is_some() { d } else { d.at(program.location(f.span)) };
                if d.severity == Severity::Error {
                    problems.push(d);
                } else if warnings.iter().all(|w| w.message != d.message) {
                    warnings.push(d);
                }
            }
        }
    }
    for (unit, span, head) in asked {
        if program.heads.iter().any(|h| program.unit_named(&h.unit) == Some(unit)) {
            problems.push(
                Diagnostic::error(CONTRADICTION, format!("{} has a head of its own besides this directive", head.unit))
                    .at(program.location(span))
                    .help("name dependents and independents in one place"),
            );
        } else {
            program.heads.push(head);
        }
    }
    if problems.is_empty() { Ok(warnings) } else { Err(problems) }
}

fn misplaced(f: &Found, why: &str, help: &str) -> Diagnostic {
    Diagnostic::error(MISPLACED, format!("directive `{} {}` {why}", f.family.word(), f.text)).help(help)
}

/// A directive at its place. Where it means nothing there and nothing is lost without it, that is a warning.
fn attach(
    program: &mut Program,
    index: &Index,
    f: &Found,
    directive: Directive,
    asked: &mut Vec<(UnitId, Span, Head)>,
) -> Result<(), Diagnostic> {
    let severity = f.family.severity(Some(&directive));
    let done = if f.alone {
        one(program, index, f, directive, asked)
    } else {
        Err(misplaced(f, "stands behind a statement", "put it on a line of its own before the statement"))
    };
    done.map_err(|d| if d.code == MISPLACED { Diagnostic { severity, ..d } } else { d })
}

fn one(
    program: &mut Program,
    index: &Index,
    f: &Found,
    directive: Directive,
    asked: &mut Vec<(UnitId, Span, Head)>,
) -> Result<(), Diagnostic> {
    match directive {
        Directive::Head(head) => {
            if program.unit_named(&head.unit).is_none() {
                let why = format!("names {}, which is no procedure of the program, or was left out of it", head.unit);
                return Err(misplaced(f, &why, "name a procedure of this file"));
            }
            if program.heads.iter().any(|h| program.same_name(&h.unit, &head.unit) && *h != head) {
                return Err(Diagnostic::error(CONTRADICTION, format!("two different heads for {}", head.unit))
                    .help("name all dependents and independents in one head"));
            }
            if !program.heads.contains(&head) {
                program.heads.push(head);
            }
            Ok(())
        }
        Directive::Independent(names) => side(program, index, f, asked, |h| h.independents.get_or_insert_default().extend(names)),
        Directive::Dependent(names) => side(program, index, f, asked, |h| h.dependents.get_or_insert_default().extend(names)),
        Directive::Parallel | Directive::Simple => on_loop(program, index, f, directive == Directive::Parallel),
        Directive::Reversal(r) => on_call(program, index, f, r),
        Directive::Checkpoint(s) => checkpoint(program, index, f, s),
        Directive::Range(list) => range(program, index, f, list),
    }
}

/// Adds to the head of the procedure around a directive.
fn side(
    program: &Program,
    index: &Index,
    f: &Found,
    asked: &mut Vec<(UnitId, Span, Head)>,
    add: impl FnOnce(&mut Head),
) -> Result<(), Diagnostic> {
    let Some(unit) = index.around(program, f.span) else {
        return Err(misplaced(f, "stands in no procedure", "put it into the procedure whose variables it names"));
    };
    let at = asked.iter().position(|(u, ..)| *u == unit).unwrap_or_else(|| {
        asked.push((unit, f.span, Head { unit: program.unit_name(unit).to_owned(), ..Head::default() }));
        asked.len() - 1
    });
    add(&mut asked[at].2);
    Ok(())
}

/// Notes ranges for variables of the procedure around a directive.
fn range(program: &mut Program, index: &Index, f: &Found, list: Vec<(String, Range)>) -> Result<(), Diagnostic> {
    let Some(unit) = index.around(program, f.span) else {
        return Err(misplaced(f, "stands in no procedure", "put it into the procedure whose variables it names"));
    };
    for (name, range) in list {
        if !ranges::note(program, unit, &name, range) {
            let why = format!("names `{name}`, which is no argument of {} and no shared variable", program.unit_name(unit));
            return Err(misplaced(f, &why, "name an argument of the procedure around it"));
        }
    }
    Ok(())
}

/// The loop behind a directive, in the same procedure.
fn loop_behind(program: &Program, index: &Index, f: &Found) -> Option<(UnitId, VertexId)> {
    let behind = index.behind(f);
    let inside = index.around(program, f.span);
    let found = behind.iter().find_map(|(_, t)| match t {
        Thing::Vertex(u, v) if program.unit(*u).graph[*v].is_loop() => Some((*u, *v)),
        _ => None,
    });
    found.filter(|(u, _)| Some(*u) == inside)
}

fn checkpoint(program: &mut Program, index: &Index, f: &Found, snapshots: Snapshots) -> Result<(), Diagnostic> {
    let Some((unit, v)) = loop_behind(program, index, f) else {
        return Err(misplaced(f, "stands before no loop", "put it on the line before the loop"));
    };
    match program.units[unit.index()].graph[v].checkpoint.replace(snapshots) {
        Some(other) if other != snapshots => {
            Err(Diagnostic::error(CONTRADICTION, "two different numbers of snapshots for one loop").help("take one of the directives out"))
        }
        _ => Ok(()),
    }
}

fn on_loop(program: &mut Program, index: &Index, f: &Found, parallel: bool) -> Result<(), Diagnostic> {
    let help = "put it on the line before a loop whose number of iterations is known when it starts";
    let Some((unit, v)) = loop_behind(program, index, f) else {
        return Err(misplaced(f, "stands before no loop", help));
    };
    let graph = &mut program.units[unit.index()].graph;
    if parallel && structure::left_by_jump(graph, v) {
        return Err(misplaced(
            f,
            "stands before a loop that is left by a jump",
            "iterations that may end the loop depend on each other: take it out",
        ));
    }
    let vertex = &mut graph[v];
    match &mut vertex.kind {
        VertexKind::For(head) if head.counted => {
            head.explicit |= !parallel;
            vertex.parallel |= parallel;
            Ok(())
        }
        _ => Err(misplaced(f, "stands before a loop whose number of iterations is not known when it starts", help)),
    }
}

fn on_call(program: &mut Program, index: &Index, f: &Found, reversal: CallReversal) -> Result<(), Diagnostic> {
    let behind = index.behind(f);
    let twice =
        |old: &mut Option<CallReversal>| match old.replace(reversal) {
            Some(r) if r != reversal => Err(Diagnostic::error(CONTRADICTION, "two different reversals for one call or procedure")
                .help("take one of the directives out")),
            _ => Ok(()),
        };
    if let Some((_, Thing::Unit(u))) = behind.first() {
        return twice(&mut program.units[u.index()].reversal);
    }
    let mut calls = 0;
    for (_, thing) in behind {
        let Thing::Statement(u, v, k) = thing else { continue };
        if let VertexKind::Block { stmts, .. } = &mut program.units[u.index()].graph[v].kind
            && let Some(s) = stmts.get_mut(k)
            && matches!(s.kind, StmtKind::Call(_))
        {
            twice(&mut s.reversal)?;
            calls += 1;
        }
    }
    if calls > 0 {
        return Ok(());
    }
    Err(misplaced(f, "stands before no call and no procedure", "put it on the line before a call, or before the procedure"))
}
