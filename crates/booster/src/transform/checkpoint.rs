//! Loops that a request names to be reversed from snapshots.
//!
//! ```text
//! main_loop:12=10              the loop at line 12 of main_loop, from 10 snapshots
//! main_loop:12=memory:64000    from as many as fit into 64000 bytes
//! main_loop:12=10,every:32     from 10 snapshots, with 32 iterations recorded together
//! ```
//!
//! Lives here: finding these loops. Never here: what becomes of them (see `adjoint::checkpoints`).

use xaif::model::{Dialect, Snapshots, UnitId, VertexId};
use xaif::{Diagnostic, Program};

/// The code of a loop that is not there.
pub const NO_LOOP: &str = "OB0021";

/// A loop and its snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The procedure.
    pub unit: String,
    /// The line on which the loop begins.
    pub line: u32,
    /// How many snapshots there may be.
    pub snapshots: Snapshots,
}

impl std::fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}={}", self.unit, self.line, self.snapshots)
    }
}

impl std::str::FromStr for Checkpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Checkpoint, String> {
        let (place, snapshots) = text.split_once('=').ok_or("`=` and a number of snapshots are missing")?;
        let (unit, line) = place.rsplit_once(':').ok_or("`:` and the line of a loop are missing before `=`")?;
        let line = line.trim().parse().map_err(|_| format!("`{}` is no line", line.trim()))?;
        Ok(Checkpoint { unit: unit.trim().to_owned(), line, snapshots: snapshots.parse()? })
    }
}

/// Notes the wishes at their loops, over what directives say there.
///
/// # Errors
/// Loops that are not there: all of them.
pub fn mark(program: &mut Program, wanted: &[Checkpoint]) -> Result<(), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    if program.dialect == Dialect::Openad && !wanted.is_empty() {
        return Err(vec![
            Diagnostic::error("OB0022", "loops of the openad dialect are not checkpointed here")
                .because("its adjoint leaves that to the templates of the unit")
                .help("boost with `--dialect overbar`, or name a template with checkpoints"),
        ]);
    }
    for w in wanted {
        let Some(unit) = program.unit_named(&w.unit) else {
            problems.push(Diagnostic::error(NO_LOOP, format!("--checkpoint {w}: there is no procedure {}", w.unit)));
            continue;
        };
        let loops = loops(program, unit);
        let found: Vec<VertexId> = loops.iter().filter(|(_, line)| *line == w.line).map(|(v, _)| *v).collect();
        if found.is_empty() {
            let lines: Vec<String> = loops.iter().map(|(_, l)| l.to_string()).collect();
            let help = match &lines[..] {
                [] => "it has no loops".to_owned(),
                [line] => format!("its loop is at line {line}"),
                _ => format!("its loops are at lines {}", lines.join(", ")),
            };
            problems
                .push(Diagnostic::error(NO_LOOP, format!("--checkpoint {w}: no loop begins at line {} of {}", w.line, w.unit)).help(help));
        }
        // Of several on one line the first is the outermost.
        if let Some(&v) = found.first() {
            program.units[unit.index()].graph[v].checkpoint = Some(w.snapshots);
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// The loops of a unit with their lines, in the order of the text.
fn loops(program: &Program, unit: UnitId) -> Vec<(VertexId, u32)> {
    let graph = &program.unit(unit).graph;
    let all = graph.node_indices().filter(|&v| graph[v].is_loop());
    let mut out: Vec<(VertexId, u32, u32)> = all
        .map(|v| {
            let (span, line) = (graph[v].span, graph[v].line);
            if span.is_known() { (v, span.line, span.column) } else { (v, line, 0) }
        })
        .collect();
    out.sort_by_key(|&(v, line, column)| (line, column, v));
    out.into_iter().map(|(v, line, _)| (v, line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_and_written() {
        for text in ["f:12=10", "main_loop:1=memory:64000", "g:3=5,every:7", "g:3=memory:800,every:2"] {
            assert_eq!(text.parse::<Checkpoint>().map(|c| c.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "f",
            "f=10",
            "f:12",
            "f:x=10",
            "f:12=0",
            "f:12=-1",
            "f:12=memory",
            "f:12=memory:1k",
            "f:12=ten",
            "f:12=10,",
            "f:12=10,every:0",
            "f:12=10,each:2",
            "f:12=10,every:4294967295",
            ":=",
            "f:12=99999999999",
        ] {
            assert!(text.parse::<Checkpoint>().is_err(), "{text}");
        }
    }
}
