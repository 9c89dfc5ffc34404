//! The specification part of a unit, from its head to its last declaration.
//!
//! Lives here: dummy arguments and results. Never here: single declarations (see `specification`).

use super::scan::head;
use crate::parse::context::scopes::{StatementFunction, default_implicit};
use crate::parse::context::state::{Lower, Lowered, ProcKind};
use crate::parse::text::tree::{child, children, field, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The specification part of a unit.
    pub fn declare(&mut self, proc: usize) {
        self.enter(proc);
        let lost = !self.procs[proc].failed.is_empty();
        if let Err(d) = self.declare_in(proc)
            && !lost
        {
            self.procs[proc].failed.push(*d);
        }
    }

    /// The same, where the unit has been entered.
    pub fn declare_in(&mut self, proc: usize) -> Lowered<()> {
        let (node, scope) = (self.procs[proc].node, self.procs[proc].scope);
        let implicit = match self.procs[proc].host {
            Some(h) if !self.procs[proc].interface_only => self.info[self.procs[h].scope.index()].implicit.clone(),
            _ => Some(default_implicit()),
        };
        self.scope_info(scope).implicit = implicit;
        let head = head(node);
        self.declare_formals(proc, head)?;
        let mut executable = false;
        // USE and IMPLICIT first: the type before FUNCTION may need them.
        let parts = children(node);
        for c in parts.iter().filter(|c| matches!(c.kind(), "use_statement" | "implicit_statement")) {
            self.specified(proc, *c)?;
        }
        let prefix = head.and_then(|h| field(h, "type"));
        let mut prefix_done = prefix.is_none();
        for pass in 0..2 {
            if let (false, Some(t)) = (prefix_done, prefix)
                && (pass == 1 || self.type_spec(t).is_ok())
            {
                let spec = self.type_spec(t)?;
                if let Some(r) = self.procs[proc].formals.iter().find(|f| f.result).map(|f| f.symbol) {
                    self.p.symbol_mut(r).ty = spec.ty;
                    if let Some(d) = &mut self.p.symbol_mut(r).decl {
                        d.type_text = spec.text;
                    }
                    self.scope_info(scope).typed.insert(r);
                }
                prefix_done = true;
            }
            if pass == 1 {
                break;
            }
            for c in &parts {
                if matches!(c.kind(), "use_statement" | "implicit_statement") {
                    continue;
                }
                if c.kind() == "assignment_statement" {
                    if !executable && self.is_statement_function(*c) {
                        let name = field(*c, "left").and_then(|l| named(l).first().copied()).map(|n| self.lower(n)).unwrap_or_default();
                        self.scope_info(scope).statement_functions.insert(name, StatementFunction { definition: *c });
                    } else {
                        executable = true;
                    }
                    continue;
                }
                if c.is_named() && !self.specified(proc, *c)? {
                    executable |= !c.kind().starts_with("end_") && c.kind() != "internal_procedures";
                }
            }
        }
        self.finish_specification()?;
        self.shape_result(proc);
        self.saved_between_entries(proc)?;
        // The unit's name has the function's type.
        if let Some(r) = self.procs[proc].formals.iter().find(|f| f.result).map(|f| f.symbol) {
            let ty = self.p.symbol(r).ty;
            self.p.symbol_mut(self.procs[proc].symbol).ty = ty;
        }
        Ok(())
    }

    /// What is saved belongs to all entries of a text, which are units of their own here.
    fn saved_between_entries(&self, proc: usize) -> Lowered<()> {
        if !self.has_entries(proc) {
            return Ok(());
        }
        let node = self.procs[proc].node;
        let saved =
            self.p.scope(self.procs[proc].scope).symbols.iter().map(|&s| self.p.symbol(s)).find(|s| *s.storage() == Storage::Static);
        let inside = children(node).iter().any(|c| c.kind() == "internal_procedures");
        let why = match saved {
            Some(s) => format!("`{}` keeps its value between calls of several entries", s.name),
            None if inside => "its internal procedures belong to several entries".to_owned(),
            None => return Ok(()),
        };
        let at = children(node).into_iter().find(|c| c.kind() == "entry_statement").unwrap_or(node);
        let d = self.refuse(at, "OB3024", "ENTRY");
        Err(Box::new(d.because(why).help("put what the entries share into a module, and make two procedures")))
    }

    /// One statement of a specification part: of a module, one that is refused costs those who name what it declares.
    fn specified(&mut self, proc: usize, node: Node<'t>) -> Lowered<bool> {
        match self.specification(node) {
            Err(why) if self.procs[proc].kind == ProcKind::Module => {
                self.lose_declaration(proc, node, *why);
                Ok(true)
            }
            other => other,
        }
    }

    /// Dummy arguments in their order, then the result.
    fn declare_formals(&mut self, proc: usize, head: Option<Node<'t>>) -> Lowered<()> {
        let (scope, kind) = (self.procs[proc].scope, self.procs[proc].kind);
        let mut position = 0;
        let list = self.procs[proc].entry.or(head);
        for d in list.and_then(|h| child(h, "parameters")).map(children).unwrap_or_default() {
            if d.kind() == "*" {
                return Err(self.refuse(d, "OB3025", "alternate return"));
            }
            if d.kind() != "identifier" {
                continue;
            }
            position += 1;
            if self.names.contains_key(&(scope, self.lower(d))) {
                return Err(self.refuse(d, "OB3013", format!("the argument `{}` appears twice", self.text(d))));
            }
            let mut s = Symbol::variable(self.text(d).trim(), ElemType::default(), scope);
            s.span = self.file().span(d);
            let symbol = self.add(s);
            let mut f = Formal::new(position, symbol, Intent::Inout);
            f.intent_declared = false;
            self.procs[proc].formals.push(f);
        }
        if kind == ProcKind::Function
            && let Some(h) = head
        {
            let name = child(h, "function_result").and_then(|r| child(r, "identifier")).or_else(|| child(h, "name"));
            if let Some(n) = name {
                let mut s = Symbol::variable(self.text(n).trim(), ElemType::default(), scope);
                s.span = self.file().span(n);
                let symbol = self.add(s);
                let mut f = Formal::new(position + 1, symbol, Intent::Out);
                f.result = true;
                self.procs[proc].formals.push(f);
            }
        }
        Ok(())
    }

    fn is_statement_function(&self, node: Node<'t>) -> bool {
        let Some(left) = field(node, "left").filter(|l| l.kind() == "call_expression") else { return false };
        let parts = named(left);
        let [callee, list] = parts[..] else { return false };
        if callee.kind() != "identifier" || list.kind() != "argument_list" || !named(list).iter().all(|a| a.kind() == "identifier") {
            return false;
        }
        match self.lookup(self.cur.scope, &self.lower(callee)) {
            Some(s) => {
                let s = self.p.symbol(s);
                s.kind == SymbolKind::Variable && s.rank == 0 && s.ty.base != BaseType::String && s.scope == self.cur.scope
            }
            None => true,
        }
    }
}
