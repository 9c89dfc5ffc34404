//! Origins of the lines of an XAIF document: the written document is read again, and its statements are those of the program, in the same order.
//!
//! Lives here: that comparison. Never here: XML (see `xaif::read`).

use xaif::Program;
use xaif::lined::Origin;
use xaif::model::{FlowGraph, Span, Unit, UnitId};
use xaif::read::Limits;

/// The origins of the lines of the text that a program was written as; none where it does not read as the same program.
pub fn origins(program: &Program, text: &str) -> Vec<Origin> {
    let mut out = vec![Origin::NONE; text.lines().count()];
    let Ok((again, _)) = xaif::read::read("", text.as_bytes(), &Limits::default()) else { return out };
    for (k, (of, to)) in program.units.iter().zip(&again.units).enumerate() {
        let id = UnitId(k as u32);
        for (of, to) in graphs(of).zip(graphs(to)) {
            for (v, w) in of.node_weights().zip(to.node_weights()) {
                if v.stmts().is_empty() {
                    note(&mut out, id, w.span, v.span);
                }
                for (s, t) in v.stmts().iter().zip(w.stmts()) {
                    note(&mut out, id, t.span, s.span);
                }
            }
        }
    }
    out
}

/// The graph of a unit, or those that replace it.
fn graphs(u: &Unit) -> impl Iterator<Item = &FlowGraph> {
    std::iter::once(&u.graph).chain(u.replacements.iter().flat_map(|(_, list)| list.iter().map(|r| &r.graph)))
}

fn note(out: &mut [Origin], unit: UnitId, at: Span, place: Span) {
    if !at.is_known() || !place.is_known() {
        return;
    }
    let (first, last) = (at.line as usize - 1, at.end_line.max(at.line) as usize);
    for origin in out.iter_mut().take(last).skip(first) {
        *origin = Origin::Made { unit: Some(unit), place };
    }
}
