//! What is asked of the booster for a random program, by name.
//!
//! Never here: programs, what comes back.

use super::check::Depth;
use overbar::eliminate::names::Heuristic;
use overbar::transform::{Directions, Preaccumulate, Reversal};
use std::num::NonZeroU16;
use xaif::model::Mode;

/// What is asked of the booster for a program: every option that changes the code, in all combinations over the seeds.
pub fn modes(seed: u64, depth: Depth) -> Vec<&'static str> {
    let mut out = vec!["tangent and adjoint", "split adjoint"];
    if seed.is_multiple_of(3) {
        out.push("joint adjoint");
    }
    out.push(match seed % 8 {
        0 | 4 => "accumulated tangent and adjoint",
        1 | 5 => "accumulated split adjoint",
        2 => "selected tangent and adjoint",
        3 => "selected split adjoint",
        6 => "accumulated joint adjoint",
        _ => "selected joint adjoint",
    });
    out.push(match seed % 7 {
        0 => "zeroed adjoint",
        1 => "zeroed split adjoint",
        2 => "zeroed joint adjoint",
        3 => "zeroed accumulated adjoint",
        _ => "several tangent and adjoint",
    });
    if seed % 4 < 2 {
        out.push(["checkpointed adjoint", "checkpointed split adjoint", "checkpointed accumulated joint adjoint"][(seed / 4 % 3) as usize]);
    }
    if seed.is_multiple_of(5) {
        out.push(if seed.is_multiple_of(2) { "vector tangent and adjoint" } else { "vector accumulated split adjoint" });
    }
    if depth == Depth::One {
        let one = out[(seed / 168) as usize % out.len()];
        out = if one.ends_with("tangent and adjoint") { vec![one] } else { vec!["tangent", one] };
    }
    out
}

/// The name of one of two things that were asked for together.
pub fn part(request: &'static str, mode: Mode) -> &'static str {
    match (request, mode) {
        ("tangent and adjoint", Mode::Tangent) => "tangent",
        ("tangent and adjoint", _) => "adjoint",
        ("accumulated tangent and adjoint", Mode::Tangent) => "accumulated tangent",
        ("accumulated tangent and adjoint", _) => "accumulated adjoint",
        ("selected tangent and adjoint", Mode::Tangent) => "selected tangent",
        ("selected tangent and adjoint", _) => "selected adjoint",
        ("several tangent and adjoint", Mode::Tangent) => "several tangent",
        ("several tangent and adjoint", _) => "several adjoint",
        ("vector tangent and adjoint", Mode::Tangent) => "vector tangent",
        ("vector tangent and adjoint", _) => "vector adjoint",
        (other, _) => other,
    }
}

/// Elimination orders for the accumulated modes: none (a search), and some of the heuristics.
pub fn order(request: &str, seed: u64) -> Option<Vec<Heuristic>> {
    let chains: [&[Heuristic]; 4] = [
        &[Heuristic::Forward],
        &[Heuristic::Reverse],
        &[Heuristic::Sibling, Heuristic::Markowitz, Heuristic::Reverse],
        &[Heuristic::Pre1, Heuristic::Lmmd],
    ];
    if preaccumulate(request) == Preaccumulate::Never || seed.is_multiple_of(2) {
        return None;
    }
    Some(chains[(seed / 2 % 4) as usize].to_vec())
}

/// Half of the vector modes with a number of directions that is fixed.
pub fn directions(request: &str, seed: u64) -> Directions {
    match (request.starts_with("vector"), seed / 5 % 2) {
        (false, _) => Directions::One,
        (true, 0) => Directions::Counted,
        (true, _) => NonZeroU16::new(1 + (seed / 10 % 4) as u16).map_or(Directions::One, Directions::Fixed),
    }
}

pub fn preaccumulate(request: &str) -> Preaccumulate {
    match request {
        r if r.contains("accumulated") => Preaccumulate::Always,
        r if r.starts_with("selected") => Preaccumulate::Auto,
        _ => Preaccumulate::Never,
    }
}

pub fn reversal(mode: &str) -> Reversal {
    match mode {
        m if m.ends_with("split adjoint") => Reversal::Split,
        m if m.ends_with("joint adjoint") => Reversal::Joint,
        _ => Reversal::Auto,
    }
}
