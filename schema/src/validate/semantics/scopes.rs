//! Scopes, symbols and their declarations.
//!
//! Lives here: what can be said of a declaration without looking at its uses. Never here: units.

use super::Checker;
use crate::model::*;
use std::collections::HashSet;

impl Checker<'_> {
    pub(super) fn scopes(&mut self) {
        let endless = self.endless();
        for (i, scope) in self.p.scopes.iter().enumerate() {
            if endless[i] {
                self.error("OB1027", scope.span, format!("the scopes around scope {} form a cycle", scope.id));
            }
            let mut ids = HashSet::with_capacity(scope.symbols.len());
            for &s in &scope.symbols {
                let symbol = self.p.symbol(s);
                if symbol.scope.index() != i {
                    self.error("OB1027", symbol.span, format!("symbol {} is listed in a scope that is not its own", symbol.id));
                }
                if !ids.insert(symbol.id.as_str()) {
                    self.error("OB1025", symbol.span, format!("a second symbol {} in one scope", symbol.id));
                }
            }
        }
        for (key, sets) in [("alias", self.p.alias_sets.len()), ("du/ud", self.p.duud_sets.len()), ("do", self.p.do_sets.len())] {
            let distinct = match key {
                "alias" => self.tables.alias_keys.len(),
                "do" => self.tables.do_keys.len(),
                _ => self.tables.duud_keys.len(),
            };
            if distinct != sets {
                self.error("OB1025", Span::NONE, format!("two {key} sets have the same key"));
            }
        }
        for id in self.p.symbol_ids() {
            self.symbol(id, self.p.symbol(id));
        }
    }

    /// For each scope whether the scopes around it never end.
    fn endless(&self) -> Vec<bool> {
        let scopes = &self.p.scopes;
        let mut known: Vec<Option<bool>> = vec![None; scopes.len()];
        let mut walk = Vec::new();
        for start in 0..scopes.len() {
            let mut at = Some(ScopeId(start as u32));
            let endless = loop {
                let Some(s) = at else { break false };
                if let Some(known) = known[s.index()] {
                    break known;
                }
                // For now: whoever comes here again walks in a circle.
                known[s.index()] = Some(true);
                walk.push(s);
                at = scopes[s.index()].parent;
            };
            for s in walk.drain(..) {
                known[s.index()] = Some(endless);
            }
        }
        known.into_iter().map(|k| k.unwrap_or(false)).collect()
    }

    fn symbol(&mut self, id: SymbolId, s: &Symbol) {
        if s.rank > 7 {
            self.error("OB1051", s.span, format!("symbol {} has {} dimensions; 7 are the most", s.name, s.rank));
        }
        if !s.bounds.is_empty() && s.bounds.len() != usize::from(s.rank) {
            let message = format!("symbol {} has {} dimensions and bounds for {}", s.name, s.rank, s.bounds.len());
            self.error("OB1051", s.span, message);
        }
        let Some(decl) = &s.decl else { return };
        if !decl.dims.is_empty() && decl.dims.len() != usize::from(s.rank) {
            let message = format!("symbol {} has {} dimensions and declares {}", s.name, s.rank, decl.dims.len());
            self.error("OB1051", s.span, message);
        }
        for bound in decl.dims.iter().flat_map(|d| [&d.lower, &d.upper]) {
            if let Bound::Expr(e) = bound {
                self.index(e, s.span, "bound");
            }
        }
        if let Some(e) = &decl.init {
            self.value(e, s.span);
        }
        if decl.derivative_of == Some(id) {
            self.error("OB1046", s.span, format!("symbol {} is its own derivative", s.name));
        }
    }
}
