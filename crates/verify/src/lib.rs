//! Derivative certificates: does the derivative code of a head compute the derivative?
//!
//! [`verify`] draws or takes a point, computes value and Jacobian of the *original* there by dual numbers in the interpreter, with the error that
//! rounding may cause in every entry, and compares with them what tangent and adjoint return: interpreted, and compiled where there is a
//! compiler. A head is *pass*, *kink* (the program is not smooth at the point: the statement is named, and beside it all is right) or *wrong* (the first
//! statement whose local derivative is wrong is named).
//!
//! * [`subject`], [`hints`], [`draw`], [`reach`], [`points`]: what is checked, and where
//! * [`oracle`], [`taylor`]: the reference, and what it is itself tied to
//! * [`differences`]: another one, where the interpreter cannot run the program
//! * [`checks`]: the comparisons; [`mod@check`]: which of them, and what comes of them
//! * [`workshop`], [`messages`]: compiled code, and what compilers say of it
//! * [`made`]: the certificate of a program that is about to be written, by [`brief`] checks against [`slopes`]; [`standing`]: what is said of it
//! * [`promises`]: whether parallel loops are
//! * [`locate`]: which statement is to blame
//! * [`certificate`], [`text`], [`xml`], [`frozen`]: what came out, printed and compared
//!
//! Tolerances come from [`overbar_evaluate::Noisy`]: disturbed copies of the computation show how much rounding may change each number, so
//! ill-conditioned programs are not called wrong, and well-conditioned ones are held to a few units in the last place.

pub mod answer;
mod beside;
pub mod brief;
pub mod certificate;
pub mod check;
pub mod checks;
pub mod compiled;
pub mod differences;
pub mod draw;
pub mod engine;
pub mod frozen;
pub mod harness_c;
pub mod harness_fortran;
mod harness_interfaces;
mod harness_structures;
pub mod hints;
pub mod locate;
pub mod made;
pub mod messages;
pub mod opened;
pub mod oracle;
mod outlined;
mod place;
pub mod points;
pub mod promises;
pub mod random;
pub mod reach;
pub mod reduced;
pub mod request;
pub mod slopes;
pub mod standing;
pub mod subject;
pub mod taylor;
pub mod text;
pub mod workshop;
pub mod xml;

pub use certificate::{Certificate, OneSided, Place, Report, Verdict};
pub use check::check;
pub use made::certify;
pub use request::{Remake, Request, Wanted};
pub use workshop::{Built, Workshop};

use engine::Programs;
use overbar_booster::{Boosted, Options, boost};
use subject::Subject;
use xaif::{Diagnostic, Program};

/// Checks one head.
///
/// # Errors
/// What the booster refuses; a point at which the program cannot be run or has no finite derivative; nothing that could be checked.
pub fn verify(program: &Program, request: &Request) -> Result<Report, Vec<Diagnostic>> {
    let subject = Subject::new(program, &request.head)?;
    let made = |tangent: bool, adjoint: bool, plain: bool| -> Result<Boosted, Vec<Diagnostic>> {
        let heads = if subject::by_flags(program, &request.head) { Vec::new() } else { vec![subject.head()] };
        boost(program.clone(), &Options { tangent, adjoint, heads, plain, ..request.options.clone() })
    };
    let (tangent, adjoint) = (made(true, false, false)?, made(false, true, false)?);
    let programs = Programs::both(&tangent.program, &adjoint.program);
    check(&subject, request, programs, &|what| match what {
        Wanted::Both => made(true, true, false),
        Wanted::Plain => made(true, true, true),
    })
}
