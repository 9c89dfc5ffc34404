//! Which variables are members of structures.
//!
//! Lives here: structures and their members, found by their names. Never here: their text.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::Program;
use xaif::members::{Way, is_structure, way};
use xaif::model::SymbolId;

/// The structure that a member is a part of, and the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub base: SymbolId,
    pub path: SmolStr,
    /// Nothing is set through it.
    pub constant: bool,
}

impl Component {
    /// The way from the structure to the member.
    pub fn way(&self) -> Way<'_> {
        Way(&self.path)
    }
}

/// The members of a program.
pub(crate) fn components(program: &Program) -> FxHashMap<SymbolId, Component> {
    let mut bases: FxHashMap<(u32, &str), SymbolId> = FxHashMap::default();
    let outermost = program.symbol_ids().filter(|s| is_structure(program.symbol(*s)) && !program.symbol(*s).name.contains('%'));
    bases.extend(outermost.map(|s| ((program.symbol(s).scope.0, program.symbol(s).name.as_str()), s)));
    let mut out = FxHashMap::default();
    for s in program.symbol_ids() {
        let y = program.symbol(s);
        let Some((base, _)) = y.name.split_once('%') else { continue };
        if let (Some(&base), Some(way)) = (bases.get(&(y.scope.0, base)), way(y)) {
            out.insert(s, Component { base, path: way.0.into(), constant: y.has_attribute("const") });
        }
    }
    out
}

/// The structures that these variables are members of.
pub(crate) fn bases(program: &Program, mentioned: &FxHashSet<SymbolId>) -> Vec<SymbolId> {
    let mut wanted: FxHashSet<(u32, &str)> = FxHashSet::default();
    for y in mentioned.iter().map(|s| program.symbol(*s)) {
        wanted.extend(y.name.split_once('%').map(|(base, _)| (y.scope.0, base)));
    }
    let scopes: FxHashSet<u32> = wanted.iter().map(|w| w.0).collect();
    let own = |s: &u32| program.scopes.get(*s as usize).map_or(&[][..], |s| &s.symbols[..]);
    let all = scopes.iter().flat_map(own).copied();
    all.filter(|s| wanted.contains(&(program.symbol(*s).scope.0, program.symbol(*s).name.as_str()))).collect()
}
