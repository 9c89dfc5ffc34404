//! Where derivative units come from: the comment over generated code.
//!
//! No date and no paths: the same request gives the same bytes.

use super::request::{Directions, Options, Reversal};
use sha2::{Digest, Sha256};
use xaif::Program;

/// Tool version, modes, options, heads, and a hash of the request and the sources.
pub fn describe(program: &Program, options: &Options) -> String {
    let mut request = String::new();
    let modes = match (options.tangent, options.adjoint) {
        (true, true) => "tangent and adjoint",
        (true, false) => "tangent",
        _ => "adjoint",
    };
    request.push_str(modes);
    let asked = if options.heads.is_empty() { &program.heads } else { &options.heads };
    for h in asked {
        request.push_str(&format!(", head {h}"));
    }
    match options.directions {
        Directions::One => {}
        Directions::Counted => request.push_str(", several directions"),
        Directions::Fixed(n) => request.push_str(&format!(", {n} directions")),
    }
    if options.zero_init {
        request.push_str(", adjoints of inputs start from zero");
    }
    if options.with_values && options.adjoint {
        request.push_str(", adjoints with values");
    }
    if options.may_overlap {
        request.push_str(", arguments may overlap");
    }
    match options.reversal {
        Reversal::Auto => {}
        Reversal::Joint => request.push_str(", calls reversed jointly"),
        Reversal::Split => request.push_str(", calls reversed split"),
        Reversal::ByCost => request.push_str(", calls reversed by cost"),
    }
    for c in &options.checkpoints {
        request.push_str(&format!(", checkpoints {c}"));
    }
    let s = &options.suffixes;
    for (what, suffix, usual) in [
        ("tangent units", &s.tangent_unit, "_d"),
        ("adjoint units", &s.adjoint_unit, "_b"),
        ("tangents", &s.tangent_variable, "d"),
        ("adjoints", &s.adjoint_variable, "b"),
    ] {
        if !suffix.is_empty() && suffix != usual {
            request.push_str(&format!(", suffix of {what} {suffix}"));
        }
    }
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(&request);
    for source in &program.sources {
        // Names of files may be longer or shorter for the same request: only what stands in them counts.
        hash.update((source.text.len() as u64).to_le_bytes());
        hash.update(&source.text);
    }
    hash.update(options.rules.as_ref().map_or("", |r| r.text.as_str()));
    for u in program.unit_ids() {
        hash.update(program.unit_name(u));
    }
    let digest: String = hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
    format!("Overbar {}: {request}. Request {digest}.", env!("CARGO_PKG_VERSION"))
}
