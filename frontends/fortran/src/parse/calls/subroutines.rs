//! CALL statements.
//!
//! Lives here: calls of the user's subroutines. Never here: which procedure is meant (see `procedures`).

use crate::parse::calls::procedures::is_record;
use crate::parse::context::arguments::{Actual, Raw};
use crate::parse::context::state::{Lower, Lowered, ProcKind};
use crate::parse::context::structures::members_in;
use crate::parse::text::tree::{child, field, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// `call s(x)`.
    pub fn call_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        let (Some(callee), list) = (field(node, "subroutine"), child(node, "argument_list")) else {
            return Err(self.refuse(node, "OB3034", "unsupported call"));
        };
        if callee.kind() != "identifier" {
            // `call s (x)` may come as an expression.
            if callee.kind() == "call_expression" && list.is_none() {
                let parts = named(callee);
                if let [inner, list] = parts[..]
                    && inner.kind() == "identifier"
                    && list.kind() == "argument_list"
                {
                    return self.call_by_name(inner, Some(list), node);
                }
            }
            let (bound, list) = match callee.kind() == "call_expression" && list.is_none() {
                true => (named(callee).first().copied().unwrap_or(callee), child(callee, "argument_list")),
                false => (callee, list),
            };
            if let Some((symbol, raws)) = self.bound_procedure(bound, list, false)? {
                return self.call_with(symbol, raws, node);
            }
            return Err(self.refuse(callee, "OB3027", "call of a type-bound procedure"));
        }
        self.call_by_name(callee, list, node)
    }

    /// Whether a procedure whose text is not given gets structures whose components have variables.
    pub fn hands_over_structures(&self, symbol: SymbolId, bound: &[Actual<'t>]) -> bool {
        let unknown = self.proc_of.get(&symbol).is_none_or(|p| self.procs[*p].interface_only);
        let structure = |a: &Actual| a.value.e.as_var().is_some_and(|r| !members_in(&self.p, r.symbol).is_empty());
        unknown && bound.iter().any(structure)
    }

    /// A call of a subroutine.
    pub fn call_with(&mut self, symbol: SymbolId, raws: Vec<Raw<'t>>, node: Node<'t>) -> Lowered<()> {
        let bound = self.matched(symbol, raws, node)?;
        if self.is_elementwise(symbol, &bound) {
            self.call_elements(symbol, bound, node, None)?;
            return Ok(());
        }
        // Of a procedure whose text is not given, all that is known is which variables it may change; a structure stands for its components.
        if self.hands_over_structures(symbol, &bound) {
            let used = self.symbols_in(list_of(node))?;
            let why = "a structure is passed to a procedure whose text is not given";
            self.noted_marker(MarkerClass::Call, why.into(), used.clone(), used, node);
            return Ok(());
        }
        let arguments = self.actuals(symbol, bound)?;
        let count = self.proc_of.get(&symbol).map_or(arguments.len() as u32, |p| self.procs[*p].formals.len() as u32);
        self.note_call(symbol);
        let call = Call { callee: symbol, arguments, formal_count: Some(count), active: Tri::Undefined };
        self.emit(StmtKind::Call(call), node, false);
        Ok(())
    }

    /// An argument that only a module has which is not given, and that module: a call with it stays as it is.
    fn named_elsewhere(&self, list: Node<'t>) -> Option<(String, String)> {
        let value = |a: Node<'t>| if a.kind() == "keyword_argument" { field(a, "value") } else { Some(a) };
        let names = named(list).into_iter().filter_map(value).filter(|a| a.kind() == "identifier").map(|a| self.lower(a));
        let unknown = |name: &String| {
            let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(name));
            !framed && self.lookup(self.cur.scope, name).is_none()
        };
        names.filter(unknown).find_map(|name| Some((name.clone(), self.unknown_module(self.cur.scope, &name)?)))
    }

    /// Whether procedures are called below a node.
    fn names_procedures(&self, node: Node<'t>) -> bool {
        let is_procedure = |n: &Node| {
            let symbol = self.lookup(self.cur.scope, &self.lower(*n));
            symbol.is_some_and(|s| self.p.symbol(s).kind == SymbolKind::Subroutine)
        };
        let mut stack = vec![node];
        while let Some(n) = stack.pop() {
            if n.kind() == "identifier" && is_procedure(&n) {
                return true;
            }
            stack.extend(named(n));
        }
        false
    }

    fn call_by_name(&mut self, callee: Node<'t>, list: Option<Node<'t>>, node: Node<'t>) -> Lowered<()> {
        let name = self.lower(callee);
        if self.lookup(self.cur.scope, &name).is_none() && self.intrinsic_subroutine(&name, list, node)? {
            return Ok(());
        }
        if self.lookup(self.cur.scope, &name).is_none()
            && !is_record(&name)
            && let Some(module) = self.unknown_module(self.cur.scope, &name)
            && !list.is_some_and(|l| self.names_procedures(l))
        {
            // All that is known is which variables it may change; what else it is given comes from such modules, too.
            let used = list.map_or(Ok(Vec::new()), |l| self.symbols_in(l))?;
            let why = format!("`{name}` comes from module `{module}`, which is not given");
            self.noted_marker(MarkerClass::Call, why.into(), used.clone(), used, node);
            return Ok(());
        }
        if let Some((value, module)) = list.and_then(|l| self.named_elsewhere(l))
            && !is_record(&name)
            && !list.is_some_and(|l| self.names_procedures(l))
        {
            let used = list.map_or(Ok(Vec::new()), |l| self.symbols_in(l))?;
            let why = format!("`{value}` comes from module `{module}`, which is not given");
            self.noted_marker(MarkerClass::Call, why.into(), used.clone(), used, node);
            return Ok(());
        }
        let (raws, passed) = self.evaluated_with(list)?;
        let symbol = self.procedure(callee, &name, &raws, false)?;
        let symbol = self.specialised(symbol, &passed)?;
        if self.proc_of.get(&symbol).is_some_and(|p| self.procs[*p].kind == ProcKind::Function) {
            return Err(self.refuse(callee, "OB3032", format!("`{name}` is a function")));
        }
        self.call_with(symbol, raws, node)
    }
}

/// The arguments of a call, or the whole statement.
fn list_of(node: Node) -> Node {
    child(node, "argument_list").unwrap_or(node)
}
