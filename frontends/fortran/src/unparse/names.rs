//! Names that are legal in Fortran: as they are where that is possible, else changed in the same way everywhere.
//!
//! Lives here: the choice of names. Never here: layout, declarations.

use super::context::Context;
use super::{imports, intrinsics};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::model::{ScopeId, Storage, SymbolId, SymbolKind, UnitId};

/// The longest name that Fortran allows.
const MAX_LENGTH: usize = 63;

/// A legal name as near as possible to the given one.
pub fn legal(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert(0, 'x');
    }
    out.truncate(MAX_LENGTH);
    out
}

/// True where the name can stand as it is.
pub fn is_legal(name: &str) -> bool {
    !name.is_empty() && legal(name) == name
}

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

/// `base`, or `base_1`, `base_2`, ... until it is free (`taken` sees lower case).
fn unique(base: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(&base.to_ascii_lowercase()) {
        return base.to_owned();
    }
    let mut n = 1;
    loop {
        let suffix = format!("_{n}");
        let mut name = base.to_owned();
        name.truncate(MAX_LENGTH - suffix.len());
        name.push_str(&suffix);
        if !taken(&name.to_ascii_lowercase()) {
            return name;
        }
        n += 1;
    }
}

/// Names of what stands at file scope and in modules.
pub fn outer(cx: &Context) -> FxHashMap<SymbolId, String> {
    let mut names = FxHashMap::default();
    let program = cx.program;
    let mut scopes = vec![ScopeId(0)];
    scopes.extend(program.units.iter().filter(|u| u.is_container()).map(|u| u.scope));
    let used: FxHashSet<SymbolId> =
        program.unit_ids().flat_map(|u| cx.symbols(u).iter().copied()).chain(program.units.iter().map(|u| u.symbol)).collect();
    let mut taken = FxHashSet::default();
    let mut components = Vec::new();
    for scope in scopes {
        if !cx.foreign {
            taken.clear(); // modules are separate name spaces, and a Fortran program says itself what it sees
        }
        let Some(table) = program.scopes.get(scope.index()) else { continue };
        // Unit names first, so that a variable gives way.
        let units = table.symbols.iter().filter(|&&s| program.symbol(s).kind == SymbolKind::Subroutine);
        let others = table.symbols.iter().filter(|&&s| program.symbol(s).kind != SymbolKind::Subroutine);
        for &s in units.chain(others) {
            if names.contains_key(&s) || (!cx.foreign && scope == ScopeId(0) && !used.contains(&s)) {
                continue;
            }
            if let Some(original) = cx.version_of(s) {
                names.insert(s, original);
                continue;
            }
            if cx.component(s).is_some() {
                components.push(s);
                continue;
            }
            let name = unique(&legal(&program.symbol(s).name), |n| taken.contains(n));
            taken.insert(name.to_ascii_lowercase());
            names.insert(s, name);
        }
    }
    for s in components {
        if let Some((base, path)) = cx.component(s) {
            let base = names.get(&base).cloned().unwrap_or_else(|| legal(&program.symbol(base).name));
            names.insert(s, format!("{base}%{path}"));
        }
    }
    names
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
    // An entity that a whole module brings in cannot be declared again where it is brought in; in what lies inside it is better not.
    let here: Vec<imports::Use> = cx.import_lines(unit).iter().filter_map(|l| imports::parse_use(l)).collect();
    let mut around: FxHashSet<String> = FxHashSet::default();
    for use_ in &in_force {
        let own = here.iter().any(|x| x.module.eq_ignore_ascii_case(&use_.module));
        let to = if own { &mut names.taken } else { &mut around };
        let module = program.units.iter().find(|m| m.is_container() && program.symbol(m.symbol).name.eq_ignore_ascii_case(&use_.module));
        if let Some(m) = module.filter(|_| !use_.only) {
            to.extend(program.scope(m.scope).symbols.iter().map(|&s| program.symbol(s).name.to_ascii_lowercase()));
        }
        to.extend(use_.names.iter().map(|(local, _)| local.clone()));
    }
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
    fn legal_names() {
        assert_eq!(legal("_x"), "x_x");
        assert_eq!(legal("a.b c"), "a_b_c");
        assert_eq!(legal("2d"), "x2d");
        assert_eq!(legal(&"y".repeat(90)).len(), MAX_LENGTH);
        assert!(is_legal("Nx_1"));
        assert!(!is_legal(""));
    }

    #[test]
    fn clashes_get_numbers() {
        let mut n = Names::default();
        assert_eq!(n.fresh("t"), "t");
        assert_eq!(n.fresh("T"), "T_1");
        assert_eq!(n.fresh("t"), "t_2");
    }
}
