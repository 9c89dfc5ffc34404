//! Facts about a program as a document: what the analyses found, with the lines of the source.
//!
//! [`of_program`] tells what is known of the originals; what was decided for each adjoint ([`Reversal`]) comes from where adjoints are made. The fields are documented
//! here and in `docs/facts.md`; names are those of the source, sets are in alphabetical order, statements in the order of the text.
//!
//! Lives here: the form of the document, and the way from side tables to it. Never here: analyses ([`crate::analysis`]), files.

mod annotated;
mod carried;
mod original;

pub use annotated::annotate;
pub use original::of_program;

use serde::Serialize;
use std::collections::BTreeMap;

/// All facts about a program.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Document {
    /// Name and version of this form.
    pub format: &'static str,
    /// The units, in document order, containers left out.
    pub units: Vec<UnitFacts>,
}

/// The form's name and version.
pub const FORMAT: &str = "overbar-facts-1";

/// Where facts come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The analyses of this tool.
    #[default]
    Computed,
    /// The file.
    File,
}

/// Facts about one unit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UnitFacts {
    /// Its name.
    pub unit: String,
    /// The file it stands in, empty if unknown.
    pub file: String,
    /// Its first line, 0 if unknown.
    pub line: u32,
    /// Its formal arguments, the result last.
    pub formals: Vec<String>,
    /// Variables that may overlap.
    pub aliases: Vec<Alias>,
    /// What it reads and writes, its callees included.
    pub effects: Effects,
    /// What has a derivative; absent where no head reaches the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<UnitActivity>,
    /// Its statements and the heads of its loops and branches.
    pub statements: Vec<Statement>,
    /// Data dependences between statements of the same block.
    pub dependences: Vec<Dependence>,
    /// What was decided for its adjoints.
    pub adjoints: Vec<Reversal>,
}

/// A pair of variables that may overlap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Alias {
    /// One.
    pub first: String,
    /// The other.
    pub second: String,
    /// `call`: some call hands over the same storage; `declaration`: their declarations allow it; `file`: the file's alias sets have an address in common.
    pub because: &'static str,
}

/// Side effects.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Effects {
    /// Whether the file lists them.
    pub source: Source,
    /// R: read before the unit has written it.
    #[serde(rename = "R")]
    pub exposed: Vec<String>,
    /// W: written somewhere.
    #[serde(rename = "W")]
    pub writes: Vec<String>,
    /// K: certainly overwritten as a whole.
    #[serde(rename = "K")]
    pub kills: Vec<String>,
    /// Read anywhere.
    pub reads: Vec<String>,
    /// Arguments that declarations of arrays read (`n` in `x(n)`).
    pub extents: Vec<String>,
    /// Something is called that the program does not have.
    pub calls_unknown: bool,
}

/// Activity of a unit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UnitActivity {
    /// Varied and useful at some point.
    pub active: Vec<String>,
    /// Varied on entry.
    pub varied_on_entry: Vec<String>,
    /// Useful on entry.
    pub useful_on_entry: Vec<String>,
    /// Varied on exit.
    pub varied_on_exit: Vec<String>,
    /// Useful on exit.
    pub useful_on_exit: Vec<String>,
}

/// A statement, or what the head of a loop or branch does.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Statement {
    /// Its number in the unit, from 1.
    pub number: usize,
    /// The line, 0 if unknown.
    pub line: u32,
    /// `assignment`, `call`, `opaque`, `loop start`, `loop step` or `condition`.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
    /// What it reads, and for each the numbers of the statements that may have set the value; 0 stands for the value on entry.
    pub uses: BTreeMap<String, Vec<usize>>,
    /// Of these, those where the file's chains are given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from_file: Vec<String>,
    /// What it may set, and for each the numbers of the statements that may read the value.
    pub definitions: BTreeMap<String, Vec<usize>>,
    /// What it certainly sets as a whole.
    pub kills: Vec<String>,
    /// Its value depends on an independent.
    pub varied: bool,
    /// Its value influences a dependent.
    pub useful: bool,
    /// Both.
    pub active: bool,
    /// Its references to parts of active arrays that are not active themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passive: Vec<String>,
}

/// An arrow of the dependence graph of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dependence {
    /// The earlier statement.
    pub from: usize,
    /// The later one.
    pub to: usize,
    /// The variable.
    pub variable: String,
    /// What each does to it: two of `w` (writes), `r` (reads), `i` (increments).
    pub kind: String,
}

/// What was decided for the adjoint of a unit. Names of variables are those of the original; flags and counters of the adjoint's own may be among them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Reversal {
    /// The adjoint unit; of a pair the reverse sweep.
    pub unit: String,
    /// `joint`: both sweeps in one unit; `split`: a pair.
    pub form: &'static str,
    /// N: variables whose values on entry it reads.
    #[serde(rename = "N")]
    pub necessary: Vec<String>,
    /// W: variables of others that it leaves overwritten.
    #[serde(rename = "W")]
    pub overwritten: Vec<String>,
    /// Variables whose values at the end of the forward sweep the reverse sweep reads.
    pub required_at_end: Vec<String>,
    /// Its statements, loops and branches.
    pub statements: Vec<Decided>,
}

impl Reversal {
    /// Calls `change` for every name of a variable.
    pub fn each_name(&mut self, change: &dyn Fn(&mut String)) {
        for list in [&mut self.necessary, &mut self.overwritten, &mut self.required_at_end] {
            list.iter_mut().for_each(change);
        }
        for d in &mut self.statements {
            d.needs.iter_mut().chain(d.snapshot.iter_mut().flatten()).for_each(change);
            d.recorded.iter_mut().chain(&mut d.kept).for_each(|r| change(&mut r.variable));
        }
    }
}

/// What was decided for a statement, loop or branch.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Decided {
    /// The line, 0 if unknown.
    pub line: u32,
    /// `statement`, `call`, `counted loop`, `loop` or `branch`.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
    /// Adjoint liveness: the forward sweep executes it.
    pub executed: bool,
    /// The reverse sweep has something to do for it.
    pub reversed: bool,
    /// What its adjoint reads of the original's variables.
    pub needs: Vec<String>,
    /// What is recorded before it.
    pub recorded: Vec<Record>,
    /// What the reverse sweep itself saves around its adjoint.
    pub kept: Vec<Record>,
    /// Calls: the snapshot, what the adjoint of the call reads and what is changed before it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Vec<String>>,
    /// Branches and loops: `computed again`, `recorded`; loops too: `fused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<&'static str>,
}

/// A value that is recorded.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Record {
    /// The variable.
    pub variable: String,
    /// The lines of the statements whose adjoints read it; where that is the caller's reverse sweep, there is none.
    pub needed_by: Vec<u32>,
}

impl Document {
    /// Adds what was decided for adjoints, by the originals.
    pub fn add(&mut self, program: &xaif::Program, reversals: Vec<(xaif::model::UnitId, Reversal)>) {
        for (original, reversal) in reversals {
            let name = program.unit_name(original);
            let line = program.unit(original).span.line;
            if let Some(unit) = self.units.iter_mut().find(|u| u.unit == name && u.line == line) {
                unit.adjoints.push(reversal);
            }
        }
    }
}

/// The document as JSON.
pub fn json(document: &Document) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}
