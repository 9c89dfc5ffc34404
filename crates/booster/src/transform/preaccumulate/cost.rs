//! The cost model of preaccumulation: all that a sequence computes in one direction, values and partial derivatives included, and what must be kept for the
//! reverse sweep, with and without the local Jacobian.
//!
//! Counts of multiplications alone would miss most: an adjoint made statement by statement computes sines, roots and quotients again that a local Jacobian
//! computes once, where the values are.
//!
//! Lives here: these estimates. Never here: how sequences are found.

use super::emit::Emitted;
use crate::linearize::Factor;
use crate::linearize::graph::{Line, Sequence};
use crate::linearize::work::{ADDITION, Load, MULTIPLICATION, Tally};
use overbar_eliminate::brief::Answer;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{Expr, Propagation, Stmt, StmtKind, SymbolId};

/// A value that is recorded and found again, and one that is kept in a variable from the one sweep to the other.
pub const RECORD: u64 = 4 * MULTIPLICATION;
/// See [`RECORD`].
pub const KEEP: u64 = ADDITION;

/// What must be saved at least, and one part in so many of the whole: less where most of what is saved are divisions, roots and functions, which no
/// compiler saves.
const LEAST_SAVED: u64 = 3 * MULTIPLICATION;
const LEAST_PART_HEAVY: u64 = 16;
const LEAST_PART_LIGHT: u64 = 3;

/// Whether the work after is so much less than the work before that it is worth while.
pub fn pays(before: Load, after: Load) -> bool {
    let saved = before.all.saturating_sub(after.all);
    let heavy = before.heavy.saturating_sub(after.heavy);
    let part = if 2 * heavy >= saved { LEAST_PART_HEAVY } else { LEAST_PART_LIGHT };
    saved >= LEAST_SAVED && saved * part >= before.all
}

/// The values of a sequence and its partial derivatives, with what they share computed once.
pub fn shared(stmts: &[Box<Stmt>], sequence: &Sequence) -> Load {
    let mut sum = Load::default();
    let mut tally = Tally::default();
    for line in &sequence.lines {
        match line {
            Line::Set(_, e) => tally.add(e),
            Line::Edge(k) => {
                if let Some(Factor::Value(e)) = sequence.edges.get(*k as usize).map(|e| &e.factor) {
                    tally.add(e);
                }
            }
            Line::Statement(k, rhs) => {
                let own = stmts.get(*k).and_then(|s| match &s.kind {
                    StmtKind::Assignment { rhs, .. } => Some(rhs),
                    _ => None,
                });
                if let Some(e) = rhs.as_ref().or(own) {
                    tally.add(e);
                }
                // Variables may have other values from here on.
                sum += std::mem::take(&mut tally).sum;
            }
        }
    }
    sum + tally.sum
}

/// The accumulation, and one direction through what is left.
pub fn propagated(answer: &Answer) -> Load {
    let sums: usize = answer.code.operations.iter().map(|o| o.terms.len().saturating_sub(1)).sum();
    let products = answer.code.multiplications + answer.left;
    Load::light(MULTIPLICATION * products + ADDITION * (sums + answer.code.remaining.len()) as u64)
}

/// What the adjoint has to find again each time the sequence has run: entries of the local Jacobian that were computed for it or read variables that the
/// sequence sets; and, statement by statement, variables that partial derivatives read and the sequence sets, as often as it sets them.
pub fn kept(stmts: &[Box<Stmt>], sequence: &Sequence, emitted: &Emitted, base: usize) -> (u64, u64) {
    let mut set: FxHashMap<SymbolId, u64> = FxHashMap::default();
    for s in stmts.get(sequence.statements.clone()).unwrap_or_default() {
        if let StmtKind::Assignment { lhs, .. } = &s.kind {
            *set.entry(lhs.symbol).or_insert(0) += 1;
        }
    }
    let sums: FxHashSet<SymbolId> = emitted.sums.iter().copied().collect();
    let mut entries: FxHashSet<SymbolId> = FxHashSet::default();
    for line in &emitted.propagation {
        if let Propagation::Sax { terms, .. } = line {
            for (a, _) in terms {
                a.for_each_ref(&mut |r| {
                    if (r.symbol.index() >= base && !sums.contains(&r.symbol)) || set.contains_key(&r.symbol) {
                        entries.insert(r.symbol);
                    }
                });
            }
        }
    }
    let mut shared: FxHashMap<SymbolId, &Expr> = FxHashMap::default();
    let mut met: FxHashSet<SymbolId> = FxHashSet::default();
    let mut values = 0;
    for line in &sequence.lines {
        let factor = match line {
            Line::Set(s, e) => {
                shared.insert(*s, e);
                continue;
            }
            Line::Edge(k) => sequence.edges.get(*k as usize).map(|e| &e.factor),
            Line::Statement(..) => None,
        };
        let Some(Factor::Value(e)) = factor else { continue };
        let mut work: Vec<&Expr> = vec![e];
        while let Some(e) = work.pop() {
            e.for_each_ref(&mut |r| {
                if met.insert(r.symbol) {
                    match shared.get(&r.symbol) {
                        Some(inner) => work.push(inner),
                        None => values += set.get(&r.symbol).copied().unwrap_or(0),
                    }
                }
            });
        }
    }
    (entries.len() as u64, values)
}
