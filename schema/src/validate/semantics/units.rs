//! Units, formals, call graph, derivations, heads.
//!
//! Lives here: what ties units together. Never here: their bodies.

use super::Checker;
use crate::model::*;
use std::collections::HashSet;

impl Checker<'_> {
    pub(super) fn units(&mut self) {
        let mut ids = HashSet::new();
        let mut names = HashSet::new();
        for unit in &self.p.units {
            let symbol = self.p.symbol(unit.symbol);
            if !unit.id.is_empty() && !ids.insert(unit.id.as_str()) {
                self.error("OB1025", unit.span, format!("a second unit {}", unit.id));
            }
            if symbol.kind != SymbolKind::Subroutine {
                self.error("OB1028", unit.span, format!("unit {} is named by a symbol that is not a subroutine", symbol.name));
            }
            if !names.insert(unit.symbol) {
                self.error("OB1025", unit.span, format!("two units are named {}", symbol.name));
            }
            self.formals(unit);
            self.derivation(unit);
            let e = &unit.effects;
            for r in [&e.mod_local, &e.modified, &e.read_local, &e.read, &e.on_entry].into_iter().flatten().flatten() {
                self.reference(r, unit.span);
            }
        }
        self.call_graph();
        for head in &self.p.heads {
            if self.p.unit_named(&head.unit).is_none() {
                self.error("OB1058", Span::NONE, format!("the document asks to differentiate {}, which is no unit of it", head.unit));
            }
        }
    }

    fn formals(&mut self, unit: &Unit) {
        let name = &self.p.symbol(unit.symbol).name;
        for (i, f) in unit.formals.iter().enumerate() {
            let formal = self.p.symbol(f.symbol);
            if f.position as usize != i + 1 {
                let message = format!("formal argument {} of {name} has position {}, not {}", formal.name, f.position, i + 1);
                // Files written by hand number from 2.
                if self.ours() {
                    self.error("OB1054", unit.span, message)
                } else {
                    self.warning("OB1054", unit.span, message)
                }
                break;
            }
        }
        let mut seen = HashSet::new();
        for (i, f) in unit.formals.iter().enumerate() {
            let formal = self.p.symbol(f.symbol);
            if !seen.insert(f.symbol) {
                self.error("OB1025", unit.span, format!("{} is a formal argument of {name} twice", formal.name));
            }
            if self.ours() && formal.scope != unit.scope {
                self.error("OB1027", unit.span, format!("formal argument {} of {name} is declared in another scope", formal.name));
            }
            if f.result && i + 1 != unit.formals.len() {
                self.error("OB1054", unit.span, format!("the result of {name} is not its last formal argument"));
            }
        }
    }

    fn derivation(&mut self, unit: &Unit) {
        let mut at = unit.derivation;
        for _ in 0..=self.p.units.len() {
            at = at.and_then(|d| self.p.unit(d.of).derivation);
        }
        if at.is_some() {
            let name = &self.p.symbol(unit.symbol).name;
            self.error("OB1046", unit.span, format!("unit {name} is derived from itself"));
        }
    }

    fn call_graph(&mut self) {
        // Real files have several edges for one pair.
        let mut pairs: HashSet<_> = self.p.calls.iter().map(|e| (e.caller, e.callee)).collect();
        for (i, unit) in self.p.units.iter().enumerate() {
            let caller = UnitId(i as u32);
            for stmt in crate::write::statements(&unit.graph) {
                let StmtKind::Call(call) = &stmt.kind else { continue };
                let Some(&callee) = self.tables.units.get(&call.callee) else { continue };
                if pairs.insert((caller, callee)) {
                    let (a, b) = (self.p.unit_name(caller), self.p.unit_name(callee));
                    self.warning("OB1045", stmt.span, format!("the call graph has no edge for the call of {b} in {a}"));
                }
            }
        }
    }
}
