//! Which derivative functions are called from their own file alone.
//!
//! Lives here: the callers of each. Never here: what is printed in which file.

use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{SourceId, StmtKind, SymbolId, UnitId};

/// The callers of functions.
#[derive(Debug, Default)]
pub(crate) struct Callers(FxHashMap<SymbolId, Vec<UnitId>>);

/// The file of the function, or of the one that it is the derivative of.
fn file(program: &Program, u: UnitId) -> SourceId {
    let unit = program.unit(u);
    unit.derivation.map_or(unit.span, |d| program.unit(d.of).span).source
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
        self.any(program, u) && self.others(program, u).all(|c| file(program, c) == file(program, u))
    }
}
