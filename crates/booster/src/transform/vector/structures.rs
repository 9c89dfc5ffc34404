//! Structures whose components are numbers or arrays of them: `zd` gets a dimension of directions, and with it each component.
//!
//! ```text
//! zd%re, zd%im      ->      zd(dir)%re, zd(dir)%im        zd(i)%x(j)      ->      zd(dir, i)%x(j)
//! zd->re            ->      zd[dir].re                    zd[i].x[j]      ->      zd[i][dir].x[j]
//! ```
//!
//! An array in a structure is one for each direction; it cannot be handed to a procedure that knows arrays with directions. Pointers in structures have no
//! place for them. Never here: declarations, statements.

use crate::transform::plan::Plan;
use crate::transform::written::is_written;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::Program;
use xaif::members::way;
use xaif::model::{BaseType, Passing, ScopeId, SymbolId, SymbolKind};

/// A derivative structure and the variables of its components.
#[derive(Default)]
struct Family {
    base: Option<SymbolId>,
    components: Vec<SymbolId>,
}

/// The carriers with what must have directions because a component of the same structure has: the structure and its other components. Nothing is added where
/// that cannot be.
pub(super) fn with_structures(program: &Program, plan: &Plan, units: &[usize], carriers: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
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
        // What comes in by value is the unit's own: rows of directions are not.
        let unit = |b: SymbolId| units.iter().map(|&at| &plan.derived[at]).find(|d| d.scope == program.symbol(b).scope).map(|d| d.unit);
        let value = |b: SymbolId| program.symbol(b).passing() == Passing::Value;
        let changed = |b: SymbolId| value(b) && unit(b).is_some_and(|u| family.components.iter().any(|&c| is_written(program, u, c)));
        let Some(base) = family.base.filter(|&b| fits(program, b, &family.components) && !changed(b)) else { continue };
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
            let pointers = c.pointer || way(c).is_some_and(|w| w.pointers().next().is_some() || w.0.ends_with('*'));
            let plain = c.kind == SymbolKind::Variable && !pointers && !c.has_attribute("allocatable");
            plain && c.rank >= b.rank && c.ty.base == BaseType::Real
        })
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
