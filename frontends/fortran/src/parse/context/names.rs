//! Names: who is meant by one, through hosts and used modules, and names that nobody has.
//!
//! Lives here: looking up, adding and inventing names. Never here: statements, expressions.

use super::intrinsic_modules::is_intrinsic_module;
use super::scopes::{ScopeInfo, TypeSpec};
use super::state::Lower;
use rustc_hash::FxHashSet;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Adds a symbol under its name.
    pub fn add(&mut self, symbol: Symbol) -> SymbolId {
        let key = (symbol.scope, symbol.name.to_ascii_lowercase());
        let id = self.p.add_symbol(symbol);
        self.names.insert(key, id);
        id
    }

    /// Takes a symbol out of its scope: it turned out to be no variable.
    pub fn remove(&mut self, id: SymbolId) {
        let (scope, name) = (self.p.symbol(id).scope, self.p.symbol(id).name.to_ascii_lowercase());
        self.p.scopes[scope.index()].symbols.retain(|s| *s != id);
        self.names.remove(&(scope, name));
    }

    /// The symbol of a name in a scope itself or through its USE statements.
    fn in_scope(&self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        self.in_scope_but(scope, name, &mut FxHashSet::default())
    }

    /// The same, leaving out modules that were asked before: many ways may lead to one.
    fn in_scope_but(&self, scope: ScopeId, name: &str, seen: &mut FxHashSet<(ScopeId, String)>) -> Option<SymbolId> {
        let key = (scope, name.to_owned());
        if let Some(&id) = self.names.get(&key) {
            return Some(id);
        }
        let info = self.info.get(scope.index()).filter(|i| !i.uses.is_empty() && seen.insert(key))?;
        // A component is where its variable is.
        let (base, path) = name.split_at(name.find('%').unwrap_or(name.len()));
        info.uses.iter().find_map(|u| {
            let there = format!("{}{path}", u.name_there(base)?);
            self.in_scope_but(u.scope?, &there, seen).filter(|&s| !self.p.symbol(s).has_attribute("private"))
        })
    }

    /// The specific procedures of a generic name, each with the scope of the interface that names it: of the innermost scope in which the name means something,
    /// those of the modules that it uses included.
    pub fn generic(&self, scope: ScopeId, name: &str) -> Vec<(ScopeId, String)> {
        let mut at = Some(scope);
        let (mut out, mut seen) = (Vec::new(), FxHashSet::default());
        for _ in 0..8 {
            let Some(s) = at else { break };
            self.generic_in(s, name, &mut seen, &mut out);
            if !out.is_empty() || self.in_scope(s, name).is_some() {
                break;
            }
            at = self.p.scope(s).parent;
        }
        out
    }

    fn generic_in(&self, scope: ScopeId, name: &str, seen: &mut FxHashSet<(ScopeId, String)>, out: &mut Vec<(ScopeId, String)>) {
        let Some(info) = self.info.get(scope.index()).filter(|_| seen.insert((scope, name.to_owned()))) else { return };
        out.extend(info.generics.get(name).into_iter().flatten().map(|specific| (scope, specific.clone())));
        for u in &info.uses {
            let Some((module, there)) = u.scope.zip(u.name_there(name)) else { continue };
            if self.info.get(module.index()).is_some_and(|i| i.is_open(there)) {
                self.generic_in(module, there, seen, out);
            }
        }
    }

    /// The symbol of a name, innermost scope first.
    pub fn lookup(&self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        let mut at = Some(scope);
        for _ in 0..8 {
            let s = at?;
            if let Some(id) = self.in_scope(s, name) {
                return Some(id);
            }
            at = self.p.scope(s).parent;
        }
        None
    }

    /// Follows a scope and its hosts and used modules until `find` answers.
    pub fn search<T>(&self, scope: ScopeId, find: &dyn Fn(&ScopeInfo<'t>) -> Option<T>) -> Option<T> {
        let mut at = Some(scope);
        for _ in 0..8 {
            let s = at?;
            let mut seen = vec![s];
            let mut i = 0;
            while i < seen.len() {
                if let Some(info) = self.info.get(seen[i].index()) {
                    if let Some(t) = find(info) {
                        return Some(t);
                    }
                    for u in info.uses.iter().filter_map(|u| u.scope) {
                        if !seen.contains(&u) {
                            seen.push(u);
                        }
                    }
                }
                i += 1;
            }
            at = self.p.scope(s).parent;
        }
        None
    }

    /// The module outside the program that a name may come from.
    pub fn unknown_module(&self, scope: ScopeId, name: &str) -> Option<String> {
        self.search(scope, &|info| {
            info.uses
                .iter()
                .find(|u| u.scope.is_none() && u.only.as_ref().is_none_or(|o| o.contains(name)) && !is_intrinsic_module(&u.module))
                .map(|u| u.module.clone())
        })
    }

    /// The implicit type of a name in a scope.
    pub fn implicit_type(&self, scope: ScopeId, name: &str) -> Option<TypeSpec> {
        let table = self.info.get(scope.index())?.implicit.as_ref()?;
        let first = name.bytes().next()?.to_ascii_lowercase();
        table.get(first.wrapping_sub(b'a') as usize).cloned()
    }

    /// A name that nothing visible in the scope has, and nothing in the unit's text.
    pub fn fresh(&mut self, stem: &str) -> String {
        let stem = stem.to_ascii_lowercase();
        let mut n = self.cur.counters.get(&stem).copied().unwrap_or(0);
        loop {
            n += 1;
            let name = format!("{stem}_{n}");
            if self.lookup(self.cur.scope, &name).is_none() && !self.cur.words.contains(&name) {
                self.cur.counters.insert(stem, n);
                return name;
            }
        }
    }

    /// A temporary variable of the current unit.
    pub fn temp(&mut self, stem: &str, ty: ElemType, text: &str, dims: Vec<Dim>, allocatable: bool, span: Span) -> SymbolId {
        let name = self.fresh(stem);
        let mut s = Symbol::variable(name, ty, self.cur.scope);
        s.temp = true;
        s.rank = dims.len() as u8;
        s.span = span;
        if let Some(d) = &mut s.decl {
            // Numbers are spelled as the unit spells them.
            if !matches!(ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool) {
                d.type_text = text.into();
            }
            d.dims = dims;
            if allocatable {
                d.attributes.push("allocatable".into());
            }
        }
        let id = self.add(s);
        self.scope_info(self.cur.scope).typed.insert(id);
        id
    }
}
