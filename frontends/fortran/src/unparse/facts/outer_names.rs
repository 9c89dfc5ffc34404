//! Names of what stands at file scope and in modules.
//!
//! Lives here: names that all units share. Never here: those of one unit (see `unit_names`).

use super::context::Context;
use crate::unparse::language::identifiers::{legal, unique};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{ScopeId, SymbolId, SymbolKind};

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
