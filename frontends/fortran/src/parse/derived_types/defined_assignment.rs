//! Assignments for which the program has a procedure.
//!
//! Lives here: which procedure it is. Never here: the language's own assignment.

use crate::parse::context::arguments::Raw;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::{Binding, is_member, type_name};
use crate::parse::text::tree::field;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// An assignment for which the program has a procedure: a call of it. False where the language's own assignment is meant.
    ///
    /// # Errors
    /// Both sides name one variable: what is handed over would have to be a copy.
    pub fn defined_assignment(&mut self, node: Node<'t>) -> Lowered<bool> {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return Ok(false) };
        let types = [left, right].map(|n| self.declared_type(n).and_then(|t| type_name(&t)));
        if types.iter().all(Option::is_none) {
            return Ok(false);
        }
        let name = "assignment(=)";
        let mut candidates = self.usable(&self.generic(self.cur.scope, name));
        for of in types.iter().flatten() {
            for b in self.generic_binding(of, name) {
                if let Some((Binding { procedure: Some(p), .. }, scope)) = self.binding(of, &b) {
                    candidates.extend(self.lookup(scope, &p));
                }
            }
        }
        if candidates.is_empty() {
            return Ok(false);
        }
        let fitting = |l: &mut Self, s: SymbolId| {
            let Some(&p) = l.proc_of.get(&s) else { return true };
            let declared = |f: &Formal| l.type_of_symbol(l.p.symbol(f.symbol));
            let whole: Vec<Formal> = l.procs[p].formals.iter().filter(|f| !is_member(l.p.symbol(f.symbol))).cloned().collect();
            whole.iter().map(declared).zip(&types).all(|(formal, actual)| match (formal, actual) {
                (Some(f), Some(a)) => l.is_kind_of(a, &f),
                (None, None) => true,
                _ => false,
            })
        };
        candidates.retain(|s| fitting(self, *s));
        let Some(&symbol) = candidates.first() else { return Ok(false) };
        let (names, again) = (self.symbols_in(left)?, self.symbols_in(right)?);
        if candidates.iter().any(|s| *s != symbol) || names.iter().any(|s| again.contains(s)) {
            let mut d = *self.refuse(node, "OB3033", "an assignment for which the program has a procedure");
            d.reason = Some("which procedure it is, or what it is handed, is not certain".into());
            d.help = Some("call the procedure by its name".into());
            return Err(Box::new(d));
        }
        let mut raws = Vec::new();
        for n in [left, right] {
            let value = match self.passed_structure(n)? {
                Some(v) => v,
                None => self.expr(n)?,
            };
            raws.push(Raw { keyword: String::new(), value, node: n, whole: n });
        }
        self.call_with(symbol, raws, node)?;
        Ok(true)
    }
}
