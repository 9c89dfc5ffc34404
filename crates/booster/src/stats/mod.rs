//! What derivative code records: bytes, their peak, and where, read off the code itself.
//!
//! ```text
//! do i = 1, n
//!   call push(p)          8*n bytes: p, 8 in each of n iterations, before the statement of line 12
//!   p = p*x(i)
//! end do
//! ```
//!
//! Each statement of a derivative unit adds to what is held (`push`, an element of an array for records, room for snapshots) or takes from it; calls do what
//! the callee does with these arguments. Loops multiply by their iterations, of branches the arm that takes most counts. The same events are what the
//! interpreter counts when it runs the code ([`overbar_evaluate`]).
//!
//! Lives here: that walk, and the answer as JSON. Never here: what is recorded (that is decided by the transformation), formulas (see [`formula`]).

pub mod formula;
mod json;
mod walk;

pub use formula::{Factor, Formula};
pub use json::json;

use xaif::Program;
use xaif::model::{Mode, UnitId};

/// What one piece of code does to what is held.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// What is held more at its end.
    pub net: Formula,
    /// The most that is held more while it runs.
    pub peak: Formula,
    /// What is recorded in all.
    pub taped: Formula,
}

/// A statement that records.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The variable, with its subscripts.
    pub variable: String,
    /// The stack, or an array.
    pub place: String,
    /// The line of the statement before which it stands; 0 where none is known.
    pub line: u32,
    /// The file.
    pub file: String,
    /// Why.
    pub reason: &'static str,
    /// Bytes each time.
    pub bytes: Formula,
    /// How often; branches are taken to be run.
    pub times: Formula,
}

/// A loop in which something is recorded.
#[derive(Clone, Debug)]
pub struct Looped {
    /// Its line; 0 where none is known.
    pub line: u32,
    /// The file.
    pub file: String,
    /// Its head as the source has it.
    pub text: String,
    /// Its iterations.
    pub iterations: Formula,
    /// What all its iterations record.
    pub bytes: Formula,
}

/// A statement that is run more than once for one adjoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// Its line.
    pub line: u32,
    /// The file.
    pub file: String,
    /// The statement.
    pub text: String,
    /// In how many places of the derivative code it stands.
    pub places: u32,
}

/// What one derivative unit records.
#[derive(Clone, Debug)]
pub struct UnitStats {
    /// The unit.
    pub unit: UnitId,
    /// The original.
    pub of: UnitId,
    /// What it is.
    pub mode: Mode,
    /// Bytes.
    pub cost: Cost,
    /// A branch, or a loop in it, may record less than the formulas say.
    pub bound: bool,
    /// Statements that record.
    pub records: Vec<Recorded>,
    /// Loops in which something is recorded.
    pub loops: Vec<Looped>,
    /// What is computed again.
    pub again: Vec<Again>,
    /// Names in formulas that are no variables on entry, with what they stand for.
    pub symbols: Vec<(String, String)>,
}

/// What all adjoint units of a program record, in the program's order.
pub fn collect(program: &Program) -> Vec<UnitStats> {
    let adjoint = |u: &UnitId| program.unit(*u).derivation.filter(|d| d.mode != Mode::Tangent).map(|d| (*u, d));
    program.unit_ids().filter_map(|u| adjoint(&u)).map(|(u, d)| walk::unit(program, u, d)).collect()
}
