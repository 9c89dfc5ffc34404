//! Whether a statement may do more than it says: procedures without side effects.
//!
//! Lives here: what the text of the callees shows. Never here: effects of units in the model, which the booster finds.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::{children, field, has, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Whether all the user's functions that are called below are known and pure.
    pub fn calls_pure_only(&mut self, node: Node<'t>) -> bool {
        let Some(bound) = self.bound_functions(node) else { return false };
        let mut pure = bound.iter().all(|p| self.procs[*p].pure);
        walk(node, &mut |n| {
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first().filter(|c| c.kind() == "identifier")
            {
                let name = self.lower(*callee);
                let symbol = self.lookup(self.cur.scope, &name);
                let variable = symbol.is_some_and(|s| self.p.symbol(s).kind != SymbolKind::Subroutine && self.p.symbol(s).rank > 0);
                let known = symbol.and_then(|s| self.proc_of.get(&s)).is_some_and(|p| self.procs[*p].pure);
                pure &= variable || known || self.means_intrinsic(&name);
            }
            pure &= self.is_pure_operator(n);
            pure
        });
        pure
    }

    /// Whether all the user's functions that are called below visibly change nothing: they assign to variables of their own only.
    pub fn calls_without_effects(&mut self, node: Node<'t>) -> bool {
        let mut called = Vec::new();
        let mut pure = true;
        walk(node, &mut |n| {
            pure &= self.is_pure_operator(n);
            pure
        });
        if !pure {
            return false;
        }
        if !self.called(node, &mut called) {
            return false;
        }
        let mut at = 0;
        while let Some(&p) = called.get(at) {
            at += 1;
            let proc = &self.procs[p];
            if proc.pure {
                continue;
            }
            if proc.interface_only || at > 100 || self.files.get(proc.file).is_none() {
                return false;
            }
            let file = &self.files[proc.file];
            let mut clean = true;
            walk(proc.node, &mut |n| {
                if n.kind() == "internal_procedures" {
                    clean = false;
                }
                if n.kind() == "assignment_statement" {
                    let base =
                        field(n, "left").map(|l| if l.kind() == "call_expression" { named(l).first().copied().unwrap_or(l) } else { l });
                    let name = base.map(|b| file.lower(b)).unwrap_or_default();
                    let result = proc.formals.iter().any(|f| f.result && self.p.symbol(f.symbol).name.eq_ignore_ascii_case(&name));
                    clean &= result
                        || match self.names.get(&(proc.scope, name.clone())) {
                            Some(&s) => *self.p.symbol(s).storage() == Storage::Local,
                            None => self.lookup(proc.scope, &name).is_none() && base.is_some_and(|b| b.kind() == "identifier"),
                        };
                } else if n.kind().ends_with("_statement") {
                    let harmless = matches!(
                        n.kind(),
                        "if_statement"
                            | "do_statement"
                            | "where_statement"
                            | "select_case_statement"
                            | "case_statement"
                            | "function_statement"
                            | "arithmetic_if_statement"
                            | "keyword_statement"
                            | "use_statement"
                            | "implicit_statement"
                            | "allocate_statement"
                            | "deallocate_statement"
                            | "while_statement"
                            | "save_statement"
                            | "end_if_statement"
                            | "parameter_statement"
                    ) || n.kind().starts_with("end_");
                    clean &= harmless;
                }
                clean &= n.kind() != "subroutine_call";
                clean
            });
            if !clean {
                return false;
            }
            let (unit, scope, file) = (proc.node, proc.scope, proc.file);
            let here = (std::mem::replace(&mut self.cur.scope, scope), std::mem::replace(&mut self.cur.file, file));
            let known = self.called(unit, &mut called);
            (self.cur.scope, self.cur.file) = here;
            if !known {
                return false;
            }
        }
        true
    }

    /// Adds the user's functions that are called below, where the text of the current file and scope stands; an unknown one counts as the current unit, which
    /// is no function without effects. False where a function that is called by way of a structure is not known.
    fn called(&mut self, node: Node<'t>, out: &mut Vec<usize>) -> bool {
        let scope = self.cur.scope;
        let Some(bound) = self.bound_functions(node) else { return false };
        for p in bound {
            if !out.contains(&p) {
                out.push(p);
            }
        }
        walk(node, &mut |n| {
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first().filter(|c| c.kind() == "identifier")
            {
                let name = self.lower(*callee);
                if let Some(s) = self.lookup(scope, &name)
                    && self.p.symbol(s).kind == SymbolKind::Subroutine
                {
                    let p = self.proc_of.get(&s).copied().unwrap_or(self.cur.proc);
                    if !out.contains(&p) {
                        out.push(p);
                    }
                }
            }
            true
        });
        true
    }

    /// Refuses text that only has its meaning inside an ASSOCIATE construct.
    pub fn own_names_only(&self, node: Node<'t>) -> Lowered<()> {
        let mut dummy = false;
        walk(node, &mut |n| {
            let bound = &self.procs[self.cur.proc].bound;
            dummy |= n.kind() == "identifier" && !bound.is_empty() && bound.iter().any(|(b, _)| *b == self.lower(n));
            !dummy
        });
        if dummy {
            let mut d = *self.refuse(node, "OB3030", "a dummy procedure in a statement that is kept as text");
            d.help = Some("assign what it returns to a variable first".into());
            return Err(Box::new(d));
        }
        let Some(frame) = self.cur.frames.last() else { return Ok(()) };
        let mut alias = false;
        walk(node, &mut |n| {
            alias |= n.kind() == "identifier" && frame.contains_key(&self.lower(n));
            !alias
        });
        if !alias {
            return Ok(());
        }
        let mut shared = false;
        walk(node, &mut |n| {
            shared |= n.kind() == "identifier" && self.overlay(&self.lower(n)).is_some();
            !shared
        });
        if shared {
            return Err(self.overlaid_refusal(node, "a statement that is kept as text names what shares memory with others"));
        }
        let mut d = *self.refuse(node, "OB3034", "an associated name in a statement that is kept as text");
        d.help = Some("use the variable's own name".into());
        Err(Box::new(d))
    }

    /// Whether a statement or clause has that word (`then`, `default`).
    pub fn has_word(&self, node: Node, word: &str) -> bool {
        has(node, word) || children(node).iter().any(|c| !c.is_named() && self.lower(*c) == word)
    }
}
