//! Options as the command line names them, as options of the booster and of the certificate.
//!
//! Lives here: that translation. Never here: what they do.

use super::heads;
use crate::arguments;
use overbar::differentiate::Certification;
use overbar::eliminate::names::parse_chain;
use overbar::transform::{Checkpoint, Directions, Effort, Inline, Preaccumulate, Reversal, Suffixes};
use overbar::verify::Workshop;
use xaif::Diagnostic;

/// Options of `diff` and `boost`. Rules are for whoever reads files to add.
///
/// # Errors
/// Errors of usage: nothing is asked for, a head or an amount of search is written wrongly.
pub fn derivatives(a: &arguments::Derivatives) -> Result<overbar::Options, Vec<Diagnostic>> {
    if !a.tangent && !a.adjoint {
        return Err(vec![Diagnostic::error("OB0104", "neither tangent nor adjoint is asked for").help("give -d, -b or both")]);
    }
    let accumulated = accumulation(&a.accumulation).map_err(|d| vec![d])?;
    Ok(overbar::Options {
        tangent: a.tangent,
        adjoint: a.adjoint,
        heads: heads(&a.head)?,
        directions: directions(&a.several),
        zero_init: a.zero_init,
        with_values: a.with_values,
        may_overlap: a.may_overlap,
        reversal: reversal(a.reversal),
        facts: a.facts.is_some(),
        timed: a.explain == Some(None),
        checkpoints: checkpoints(&a.checkpointing).map_err(|d| vec![d])?,
        suffixes: Suffixes {
            tangent_unit: a.tangent_suffix.clone(),
            adjoint_unit: a.adjoint_suffix.clone(),
            tangent_variable: a.tangent_variable_suffix.clone(),
            adjoint_variable: a.adjoint_variable_suffix.clone(),
        },
        ..accumulated
    })
}

/// How many directions derivatives serve at once.
pub fn directions(a: &arguments::Several) -> Directions {
    match a.vector {
        None => Directions::One,
        Some(None) => Directions::Counted,
        Some(Some(n)) => Directions::Fixed(n),
    }
}

/// How derivatives are certified. The point is for whoever reads files to add.
pub fn certification<'a>(a: &arguments::Certifying, workshop: &'a dyn Workshop) -> Certification<'a> {
    Certification {
        budget: (a.certificate != arguments::Checker::None).then_some(a.certify_budget),
        require: a.require_certificate,
        values: None,
        workshop: (a.certificate == arguments::Checker::Both).then_some(workshop),
    }
}

/// The options of preaccumulation, all others left at their defaults.
///
/// # Errors
/// A heuristic or an amount of search that is written wrongly.
pub fn accumulation(a: &arguments::Accumulation) -> Result<overbar::Options, Diagnostic> {
    let order = match &a.order {
        Some(text) => Some(parse_chain(text)?),
        None => None,
    };
    let search = match &a.search {
        Some(text) => Some(effort(text).ok_or_else(|| {
            Diagnostic::error("OB0131", format!("`{text}` is no amount of search")).help("give seconds (0.5) or moves (20000moves)")
        })?),
        None => None,
    };
    Ok(overbar::Options {
        preaccumulate: match a.preaccumulate {
            arguments::Preaccumulate::Auto => Preaccumulate::Auto,
            arguments::Preaccumulate::Never => Preaccumulate::Never,
            arguments::Preaccumulate::Always => Preaccumulate::Always,
        },
        order,
        search,
        inline: match a.inline {
            Some(arguments::Inline::Never) => Inline::Never,
            Some(arguments::Inline::Auto) | None => Inline::Auto,
        },
        left_out: a.passes.unwrap_or_default(),
        ..overbar::Options::default()
    })
}

/// The loops that are to be reversed from snapshots.
///
/// # Errors
/// What is no such loop.
pub fn checkpoints(a: &arguments::Checkpointing) -> Result<Vec<Checkpoint>, Diagnostic> {
    let one = |text: &String| {
        text.parse().map_err(|why: String| {
            Diagnostic::error("OB0132", format!("--checkpoint {text}: {why}"))
                .help("give UNIT:LINE=SNAPSHOTS, as in step_all:12=10 or step_all:12=memory:64000")
        })
    };
    a.checkpoint.iter().map(one).collect()
}

/// Seconds, or moves.
fn effort(text: &str) -> Option<Effort> {
    if let Some(moves) = text.strip_suffix("moves") {
        return moves.trim().parse().ok().map(Effort::Moves);
    }
    let seconds: f64 = text.parse().ok()?;
    (0.0..=1e6).contains(&seconds).then(|| Effort::Time(std::time::Duration::from_secs_f64(seconds)))
}

/// Reversal of calls.
pub fn reversal(a: Option<arguments::Reversal>) -> Reversal {
    match a {
        Some(arguments::Reversal::Joint) => Reversal::Joint,
        Some(arguments::Reversal::Split) => Reversal::Split,
        Some(arguments::Reversal::Auto) => Reversal::ByCost,
        None => Reversal::Auto,
    }
}
