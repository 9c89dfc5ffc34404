//! Allocatable arrays that change places: MOVE_ALLOC instead of a loop over their elements.
//!
//! Lives here: what Fortran has to say of these arrays, and the statements. Never here: which loops these are (see [`xaif::exchange`]).

use super::nested;
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::exchange::{Exchange, Language, Turn};
use xaif::model::{SymbolId, Unit, VertexId};

/// The exchanges of a unit, by the outermost vertices of their loops.
pub type Exchanges = FxHashMap<VertexId, Exchange>;

struct Allocatable<'p>(&'p Program);

impl Language for Allocatable<'_> {
    fn may_move(&self, array: SymbolId) -> bool {
        let symbol = self.0.symbol(array);
        let has = |a: &str| symbol.has_attribute(a);
        let known_elsewhere = ["target", "pointer", "volatile", "asynchronous"].into_iter().any(has);
        // A component's name has a `%`.
        (has("allocatable") || has("heap")) && !known_elsewhere && !symbol.name.contains('%')
    }
}

/// The loops of a unit that exchange allocatable arrays.
pub fn of_unit(program: &Program, unit: &Unit) -> Exchanges {
    let language = Allocatable(program);
    let stmts = || unit.graph.node_weights().flat_map(|v| v.stmts());
    if stmts().filter_map(|s| xaif::exchange::allocated_array(s)).filter(|&a| language.may_move(a)).nth(1).is_none() {
        return Exchanges::default();
    }
    let Some((regions, _)) = nested::nested(program, unit) else { return Exchanges::default() };
    let mut found = xaif::exchange::exchanges(program, unit, &regions, &language);
    // What takes an array meanwhile is declared once.
    let rank = |t: &Turn| (t.kept, program.symbol(t.arrays[0]).rank);
    let mut ranks: Vec<(SymbolId, u8)> = found.values().flat_map(|x| &x.turns).map(rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let once = |t: &Turn| ranks.iter().filter(|r| r.0 == t.kept).count() == 1;
    let torn = found.values().any(|x| !x.turns.iter().all(once));
    if torn {
        found.clear();
    }
    found
}

/// The rank of the array that a scalar of the model is here, if exchanges use it.
pub fn rank_of_kept(program: &Program, exchanges: &Exchanges, kept: SymbolId) -> Option<u8> {
    let turn = exchanges.values().flat_map(|x| &x.turns).find(|t| t.kept == kept)?;
    Some(program.symbol(turn.arrays[0]).rank)
}

/// The moves, from the array to the name that gets it.
pub fn moves(turn: &Turn) -> Vec<(SymbolId, SymbolId)> {
    let (first, last) = (turn.arrays[0], turn.arrays[turn.arrays.len() - 1]);
    let between = turn.arrays.windows(2).map(|w| (w[1], w[0]));
    [(first, turn.kept)].into_iter().chain(between).chain([(turn.kept, last)]).collect()
}
