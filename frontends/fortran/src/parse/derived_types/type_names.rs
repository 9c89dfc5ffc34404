//! Which definition the name of a derived type means: several modules may have types of one name.
//!
//! ```text
//! module a: type state      module b: type state      ->     state@0, state@1
//! ```
//!
//! A name that the text defines once stands for itself. Lives here: names as scopes see them. Never here: what the definitions say (see `definitions`).

use crate::parse::context::state::Lower;
use crate::parse::context::structures::type_name;
use crate::parse::text::tree::child;
use rustc_hash::FxHashSet;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The type that a name means in a scope; the name itself where no definition is known for it.
    pub fn type_called(&self, name: &str, scope: ScopeId) -> String {
        if name.contains('@') || self.definitions().get(name).is_some_and(|d| d.len() == 1) {
            return name.to_owned();
        }
        let (mut at, mut seen) = (Some(scope), FxHashSet::default());
        for _ in 0..8 {
            let Some(s) = at else { break };
            if let Some(found) = self.type_in(s, name, &mut seen) {
                return found;
            }
            at = self.p.scope(s).parent;
        }
        name.to_owned()
    }

    /// The type of that name that a scope defines or gets from the modules that it uses.
    fn type_in(&self, scope: ScopeId, name: &str, seen: &mut FxHashSet<(ScopeId, String)>) -> Option<String> {
        if !seen.insert((scope, name.to_owned())) {
            return None;
        }
        let all = self.definitions().get(name).map(Vec::as_slice).unwrap_or_default();
        if let Some(k) = all.iter().position(|(file, d)| self.unit_around(*file, *d).is_some_and(|u| u.scope == scope)) {
            return Some(if all.len() == 1 { name.to_owned() } else { format!("{name}@{k}") });
        }
        let info = self.info.get(scope.index())?;
        info.uses.iter().find_map(|u| {
            let (module, there) = u.scope.zip(u.name_there(name))?;
            let found = self.type_in(module, there, seen)?;
            self.is_handed_on(&found, module, there).then_some(found)
        })
    }

    /// Whether a module lets others see a type, by its definition or by what the module says of the name.
    fn is_handed_on(&self, of: &str, module: ScopeId, name: &str) -> bool {
        let access = self.type_definition(of).and_then(|(file, d)| {
            let own = self.unit_around(file, d).is_some_and(|u| u.scope == module);
            let word = child(child(d, "derived_type_statement")?, "access_specifier").filter(|_| own)?;
            Some(self.files[file].lower(word))
        });
        match access {
            Some(word) => word.trim() == "public",
            None => self.info.get(module.index()).is_some_and(|i| i.is_open(name)),
        }
    }

    /// The type of a structure.
    pub fn type_of_symbol(&self, s: &Symbol) -> Option<String> {
        Some(self.type_called(&type_name(&s.decl.as_ref()?.type_text)?, s.scope))
    }

    /// How the type of a variable is spelled, with the type that is meant.
    pub fn declared_text(&self, s: &Symbol) -> Option<String> {
        Some(self.text_with_type(&s.decl.as_ref()?.type_text, s.scope))
    }

    /// `type(name)` or `class(name)` of a scope, with the type that is meant.
    pub fn text_with_type(&self, text: &str, scope: ScopeId) -> String {
        let meant = type_name(text).map(|name| (self.type_called(&name, scope), name)).filter(|(meant, name)| meant != name);
        match (meant, text.split_once('(')) {
            (Some((meant, _)), Some((word, _))) => format!("{word}({meant})"),
            _ => text.to_owned(),
        }
    }

    /// All types of the text.
    pub fn all_types(&self) -> Vec<String> {
        let one = |(name, all): (&String, &Vec<_>)| match all.len() {
            1 => vec![name.clone()],
            n => (0..n).map(|k| format!("{name}@{k}")).collect(),
        };
        self.definitions().iter().flat_map(one).collect()
    }
}
