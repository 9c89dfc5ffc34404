//! From which files functions are called.
//!
//! Lives here: where each stands, and its callers. Never here: what is printed in which file.

use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{Span, StmtKind, SymbolId, UnitId};

/// The callers of functions.
#[derive(Debug, Default)]
pub(crate) struct Callers(FxHashMap<SymbolId, Vec<UnitId>>);

/// Where a function stands, or the one that it is the derivative of.
pub(crate) fn origin(program: &Program, u: UnitId) -> Span {
    let unit = program.unit(u);
    unit.derivation.map_or(unit.span, |d| program.unit(d.of).span)
}

impl Callers {
    /// Reads the calls of a program.
    pub fn of(program: &Program) -> Callers {
        let mut out = Callers::default();
        for u in program.unit_ids() {
            for s in program.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
                if let StmtKind::Call(c) = &s.kind {
                    let list = out.0.entry(c.callee).or_default();
                    if !list.contains(&u) {
                        list.push(u);
                    }
                }
            }
        }
        out
    }

    fn others(&self, program: &Program, u: UnitId) -> impl Iterator<Item = UnitId> + '_ {
        self.0.get(&program.unit(u).symbol).into_iter().flatten().copied().filter(move |&c| c != u)
    }

    /// Whether a function calls it that is another one.
    pub fn any(&self, program: &Program, u: UnitId) -> bool {
        self.others(program, u).next().is_some()
    }

    /// The same, and all of them come from the same file.
    pub fn in_one_file(&self, program: &Program, u: UnitId) -> bool {
        let file = |u: UnitId| origin(program, u).source;
        self.any(program, u) && self.others(program, u).all(|c| file(c) == file(u))
    }
}
