//! Whether the loops that the user calls parallel are: their iterations are followed in a run of the original.
//!
//! Lives here: what comes of a promise that is not kept. Never here: how that is noticed (see [`overbar_evaluate::promises`]).

use super::certificate::Place;
use super::checks::{Check, Tally};
use super::place::line_of;
use super::subject::Subject;
use overbar_evaluate::{Fault, Inputs, Limits, Values, promises};

/// What was found.
pub(super) struct Promises {
    /// The check, where there is something to check.
    pub check: Option<Check>,
    /// The loop to blame.
    pub blame: Option<Place>,
}

/// Follows the iterations of all promised loops at a point.
pub(super) fn broken(subject: &Subject, x: &Values<f64>, limits: &Limits) -> Result<Promises, Fault> {
    let program = subject.program;
    if !promises::promised(program) {
        return Ok(Promises { check: None, blame: None });
    }
    let inputs = Inputs { values: x.clone(), derivatives: Values::new() };
    let found = promises::broken::<f64>(program, subject.unit, &inputs, limits)?;
    let mut tally = Tally::new("parallel loops", "interpreter");
    let place = |b: &overbar_evaluate::iterations::Broken| {
        let at = program.location(b.at).map_or_else(String::new, |l| format!(" (seen at {}:{}:{}: {})", l.file, l.line, l.column, b.text));
        let location = program.location(b.head);
        Place {
            statement: location.as_ref().map_or_else(String::new, |l| line_of(program, l)),
            location,
            units: vec![program.unit_name(b.unit).to_owned()],
            message: format!("the iterations of this loop depend on each other, though a directive calls it parallel{at}"),
        }
    };
    tally.hold(|| found.first().map_or_else(String::new, |b| place(b).message), found.is_empty());
    Ok(Promises { check: Some(tally.done()), blame: found.first().map(place) })
}
