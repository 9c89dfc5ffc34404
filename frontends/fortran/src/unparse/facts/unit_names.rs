//! Names of a unit: as they are where that is possible, else changed in the same way everywhere.
//!
//! Lives here: the choice of names. Never here: layout, declarations.

use super::context::Context;
use super::imports;
use crate::unparse::language::identifiers::{legal, unique};
use crate::unparse::language::intrinsics;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::model::{Storage, SymbolId, SymbolKind, UnitId};

/// The names of a unit, and the set that new ones must avoid.
#[derive(Clone, Debug, Default)]
pub struct Names {
    by_symbol: FxHashMap<SymbolId, String>,
    taken: FxHashSet<String>,
}

impl Names {
    /// The name of a symbol.
    pub fn get(&self, symbol: SymbolId) -> Option<&str> {
        self.by_symbol.get(&symbol).map(String::as_str)
    }

    /// Gives a symbol a name.
    pub fn set(&mut self, symbol: SymbolId, name: String) {
        self.taken.insert(name.to_ascii_lowercase());
        self.by_symbol.insert(symbol, name);
    }

    /// A name like `wanted` that nothing else in the unit has; it is taken from now on.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let base = legal(wanted);
        let name = unique(&base, |n| self.taken.contains(n));
        self.taken.insert(name.to_ascii_lowercase());
        name
    }
}

/// The names that whole modules bring in. What is brought in by the unit itself is taken: it cannot be declared again there; what lies around it is better
/// not either, and is handed back.
fn brought_in(cx: &Context, unit: UnitId, in_force: &[imports::Use], names: &mut Names) -> FxHashSet<String> {
    let program = cx.program;
    let here: Vec<imports::Use> = cx.import_lines(unit).iter().filter_map(|l| imports::parse_use(l)).collect();
    let mut around: FxHashSet<String> = FxHashSet::default();
    for use_ in in_force {
        let own = here.iter().any(|x| x.module.eq_ignore_ascii_case(&use_.module));
        let to = if own { &mut names.taken } else { &mut around };
        let module = program.units.iter().find(|m| m.is_container() && program.symbol(m.symbol).name.eq_ignore_ascii_case(&use_.module));
        if let Some(m) = module.filter(|_| !use_.only) {
            to.extend(program.scope(m.scope).symbols.iter().map(|&s| program.symbol(s).name.to_ascii_lowercase()));
        }
        to.extend(use_.names.iter().map(|(local, _)| local.clone()));
    }
    around
}

/// The names of everything that a unit uses or declares; its own avoid those of `avoid`.
pub fn of_unit(cx: &Context, unit: UnitId, avoid: &BTreeSet<&'static str>) -> Names {
    let program = cx.program;
    let u = program.unit(unit);
    let mut names = match cx.host(unit) {
        Some(h) if cx.host(h).is_none() => Names { by_symbol: of_unit(cx, h, avoid).by_symbol, taken: FxHashSet::default() },
        _ => Names::default(),
    };
    let in_force = cx.uses_in_force(unit);
    let used = cx.uses(unit);
    let own = cx.outer_names.get(&u.symbol).cloned().unwrap_or_else(|| legal(&program.symbol(u.symbol).name));

    // What comes from outside keeps its name.
    for &s in cx.symbols(unit) {
        if cx.is_local(unit, s) {
            continue;
        }
        let mut name = cx.outer_names.get(&s).cloned().unwrap_or_else(|| legal(&program.symbol(s).name));
        if let (Some(module), false) = (cx.module_of_symbol(s), cx.is_enclosing(unit, s))
            && let Some(local) = imports::local_name(&in_force, program.unit_name(module), &program.symbol(s).name)
            && !local.eq_ignore_ascii_case(&name)
        {
            name = local;
        }
        let name = names.by_symbol.get(&s).cloned().unwrap_or(name);
        names.taken.insert(name.to_ascii_lowercase());
        names.by_symbol.insert(s, name);
    }
    if cx.foreign {
        names.taken.extend(cx.outer_names.values().map(|n| n.to_ascii_lowercase()));
    }
    let around = brought_in(cx, unit, &in_force, &mut names);
    for op in &used.operations {
        names.taken.extend(intrinsics::fortran_words(op).iter().map(|w| w.to_string()));
    }
    names.taken.extend(avoid.iter().map(|w| w.to_string()));
    names.taken.insert(own.to_ascii_lowercase());
    names.by_symbol.insert(u.symbol, own.clone());

    let formals = u.formals.iter().map(|f| f.symbol);
    let rest = cx.symbols(unit).iter().copied();
    for s in formals.chain(rest) {
        if !cx.is_local(unit, s) || (names.by_symbol.contains_key(&s) && program.symbol(s).scope == u.scope && s == u.symbol) {
            continue;
        }
        if program.symbol(s).scope != u.scope || !names.by_symbol.contains_key(&s) {
            let symbol = program.symbol(s);
            let base = legal(&symbol.name);
            if cx.is_brought_in(unit, s) {
                names.by_symbol.insert(s, base);
                continue;
            }
            let is_result = u.result().is_some_and(|r| r.symbol == s);
            let name = if (is_result && base.eq_ignore_ascii_case(&own) && !cx.is_recursive(unit)) || symbol.kind == SymbolKind::Subroutine
            {
                base
            } else {
                // The spelling of types and kinds names constants.
                let constant = *symbol.storage() == Storage::Constant;
                unique(&base, |n| names.taken.contains(n) || !constant && around.contains(n))
            };
            names.taken.insert(name.to_ascii_lowercase());
            names.by_symbol.insert(s, name);
        }
    }
    names.taken.extend(around);
    // Components are named after their variables.
    for s in u.formals.iter().map(|f| f.symbol).chain(cx.symbols(unit).iter().copied()) {
        if let Some((base, path)) = cx.component(s) {
            let base = names.by_symbol.get(&base).cloned().unwrap_or_else(|| legal(&program.symbol(base).name));
            names.by_symbol.insert(s, format!("{base}%{path}"));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clashes_get_numbers() {
        let mut n = Names::default();
        assert_eq!(n.fresh("t"), "t");
        assert_eq!(n.fresh("T"), "T_1");
        assert_eq!(n.fresh("t"), "t_2");
    }
}
