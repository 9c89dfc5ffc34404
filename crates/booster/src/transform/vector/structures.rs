//! Structures whose components are numbers or arrays of them: `zd` gets a dimension of directions, and with it each component.
//!
//! ```text
//! zd%re, zd%im      ->      zd(dir)%re, zd(dir)%im        zd(i)%x(j)      ->      zd(dir, i)%x(j)
//! ```
//!
//! An array in a structure is one for each direction; it cannot be handed to a procedure that knows arrays with directions. Never here: declarations, statements.

use super::Ranks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{BaseType, IndexOrder, ScopeId, SymbolId, SymbolKind};

/// A derivative structure and the variables of its components.
#[derive(Default)]
struct Family {
    base: Option<SymbolId>,
    components: Vec<SymbolId>,
}

/// The carriers with what must have directions because a component of the same structure has: the structure and its other components. Nothing is added where
/// that cannot be.
pub(super) fn with_structures(program: &Program, carriers: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
    // Where pointers lead to structures, each has its own row.
    if program.index_order == IndexOrder::Row {
        return carriers;
    }
    let key = |s: SymbolId| {
        let symbol = program.symbol(s);
        Some((symbol.scope, symbol.name.split_once('%')?.0.to_ascii_lowercase()))
    };
    let mut families: FxHashMap<(ScopeId, String), Family> = carriers.iter().filter_map(|&s| Some((key(s)?, Family::default()))).collect();
    if families.is_empty() {
        return carriers;
    }
    let scopes: FxHashSet<ScopeId> = families.keys().map(|(s, _)| *s).collect();
    for s in scopes.into_iter().flat_map(|scope| &program.scope(scope).symbols).copied() {
        let symbol = program.symbol(s);
        let (name, component) = symbol.name.split_once('%').map_or((symbol.name.as_str(), false), |(base, _)| (base, true));
        let Some(family) = families.get_mut(&(symbol.scope, name.to_ascii_lowercase())) else { continue };
        match component {
            true => family.components.push(s),
            false => family.base = Some(s),
        }
    }
    let mut out = carriers;
    for family in families.values() {
        let Some(base) = family.base.filter(|&b| fits(program, b, &family.components)) else { continue };
        out.insert(base);
        out.extend(&family.components);
    }
    out
}

/// Whether directions can be a dimension of the structure: its components are real numbers and arrays of them that lie in it.
fn fits(program: &Program, base: SymbolId, components: &[SymbolId]) -> bool {
    let b = program.symbol(base);
    b.ty.base == BaseType::Opaque
        && b.kind == SymbolKind::Variable
        && components.iter().map(|&c| program.symbol(c)).all(|c| {
            let plain = c.kind == SymbolKind::Variable && !c.pointer && !c.has_attribute("allocatable");
            plain && c.rank >= b.rank && c.ty.base == BaseType::Real
        })
}

/// Whether a component is an array of its own, where the ranks are those without directions.
pub(super) fn is_array(program: &Program, ranks: &Ranks, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    let Some((base, _)) = symbol.name.split_once('%') else { return false };
    let rank = |s: SymbolId| ranks.get(&s).copied().unwrap_or_default();
    program.lookup(symbol.scope, base).is_some_and(|b| rank(s) > rank(b))
}

/// Whether it is an array in one structure, not in each of several.
pub(super) fn is_array_in_one(program: &Program, ranks: &Ranks, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    let base = symbol.name.split_once('%').and_then(|(base, _)| program.lookup(symbol.scope, base));
    is_array(program, ranks, s) && base.is_some_and(|b| ranks.get(&b) == Some(&0))
}

/// Whether a carrier is such a structure or a component of one.
pub(super) fn is_widened(program: &Program, carriers: &BTreeSet<SymbolId>, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    let Some((base, _)) = symbol.name.split_once('%') else { return symbol.ty.base == BaseType::Opaque };
    let base = |c: &&SymbolId| {
        let c = program.symbol(**c);
        c.scope == symbol.scope && c.ty.base == BaseType::Opaque && c.name.eq_ignore_ascii_case(base)
    };
    carriers.iter().any(|c| base(&c))
}
