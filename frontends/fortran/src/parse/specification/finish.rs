//! The end of a specification part: what can be said only when all of it is known.
//!
//! Lives here: implicit types, arrays of old style, storage that a later line settles. Never here: single declarations.

use super::commons::{ONE_PLACE, TAKE_OUT};
use crate::parse::context::state::{LostNames, Lower, Lowered, ProcKind};
use crate::parse::text::tree::{child, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Gives a name that was not declared its implicit type.
    pub fn apply_implicit(&mut self, symbol: SymbolId) {
        let s = self.p.symbol(symbol);
        let scope = s.scope;
        if self.info.get(scope.index()).is_some_and(|i| i.typed.contains(&symbol)) {
            return;
        }
        let name = s.name.to_ascii_lowercase();
        if let Some(t) = self.implicit_type(scope, &name) {
            self.p.symbol_mut(symbol).ty = t.ty;
            self.decl(symbol).type_text = t.text;
            self.scope_info(scope).typed.insert(symbol);
        }
    }

    /// Old programs declare dummy arrays with the bound 1 where they mean `*`: that is what an element behind the first shows.
    fn open_old_arrays(&mut self, unit: Node<'t>) {
        for f in self.procs[self.cur.proc].formals.clone() {
            let symbol = self.p.symbol(f.symbol);
            let one = |b: &Bound| matches!(b, Bound::Expr(e) if e.as_int() == Some(1));
            let last = symbol.decl.as_ref().and_then(|d| d.dims.last());
            if f.result || !last.is_some_and(|d| one(&d.lower) && one(&d.upper)) {
                continue;
            }
            let name = symbol.name.to_ascii_lowercase();
            let (mut beyond, mut whole) = (false, false);
            walk(unit, &mut |n| {
                if n.kind().ends_with("_declaration") || matches!(n.kind(), "parameters" | "variable_modification") {
                    return false;
                }
                if n.kind() != "identifier" || self.lower(n) != name {
                    return true;
                }
                let Some(parent) = n.parent() else { return true };
                if parent.kind() == "call_expression" && parent.named_child(0) == Some(n) {
                    let index = child(parent, "argument_list").and_then(|l| named(l).last().copied());
                    // Who says INTENT has left the habit behind: a variable is 1 there.
                    let others = |i: Node<'t>| self.const_int(i).map_or(!f.intent_declared, |n| n != 1);
                    beyond |= index.is_some_and(|i| i.kind() != "extent_specifier" && others(i));
                } else {
                    whole |= parent.kind() != "argument_list";
                }
                true
            });
            if beyond
                && !whole
                && let Some(d) = self.decl(f.symbol).dims.last_mut()
            {
                d.upper = Bound::Unknown;
            }
        }
    }

    /// The end of a specification part: types by default, storage, passing.
    pub fn finish_specification(&mut self) -> Lowered<()> {
        let (kind, node) = (self.procs[self.cur.proc].kind, self.procs[self.cur.proc].node);
        for s in self.p.scope(self.cur.scope).symbols.clone() {
            if let Err(why) = self.settle(s) {
                if kind != ProcKind::Module {
                    return Err(why);
                }
                // Who names it is lost, nobody else.
                let names = std::iter::once(self.p.symbol(s).name.to_ascii_lowercase()).collect();
                self.lost_names.push(LostNames { module: self.cur.proc, names, why: *why });
            }
        }
        self.make_members();
        self.open_old_arrays(node);
        self.finish_data();
        self.initial_parts();
        self.order_commons();
        if kind == ProcKind::Module {
            self.mark_private();
        }
        Ok(())
    }

    /// Type, storage and passing of a symbol.
    fn settle(&mut self, s: SymbolId) -> Lowered<()> {
        let (scope, proc) = (self.cur.scope, self.cur.proc);
        let kind = self.procs[proc].kind;
        if self.p.symbol(s).kind == SymbolKind::Subroutine {
            return Ok(());
        }
        let formal = self.procs[proc].formals.iter().any(|f| f.symbol == s);
        let external = self.p.symbol(s).has_attribute("external");
        if external && !formal {
            self.external(s);
            return Ok(());
        }
        let name = self.p.symbol(s).name.to_ascii_lowercase();
        if !self.info[scope.index()].typed.contains(&s) {
            if self.info[scope.index()].generics.contains_key(&name) {
                self.remove(s);
                return Ok(());
            }
            self.apply_implicit(s);
            if !self.info[scope.index()].typed.contains(&s) && !external {
                let place = self.p.location(self.p.symbol(s).span);
                return Err(Box::new(xaif::Diagnostic::error("OB3010", format!("`{name}` is not declared")).at(place)));
            }
        }
        if !formal && !self.info[scope.index()].save_all && !self.p.symbol(s).has_attribute("save") {
            self.own_memory(s);
        }
        let deferred = self.info[scope.index()].deferred.contains(&s);
        let save_all = self.info[scope.index()].save_all;
        let (allocatable, pointer) = (self.p.symbol(s).has_attribute("allocatable"), self.p.symbol(s).has_attribute("pointer"));
        let saved = save_all || self.p.symbol(s).has_attribute("save");
        if deferred && !formal && !allocatable && !pointer {
            let place = self.p.location(self.p.symbol(s).span);
            return Err(Box::new(xaif::Diagnostic::error("OB3013", format!("`{name}` has no bounds")).at(place)));
        }
        if formal && matches!(self.p.symbol(s).storage(), Storage::Common(_)) {
            let place = self.p.location(self.p.symbol(s).span);
            let d = xaif::Diagnostic::error("OB3013", format!("the argument `{name}` is in a COMMON block")).at(place);
            return Err(Box::new(d.because(ONE_PLACE).help(TAKE_OUT)));
        }
        let d = self.decl(s);
        if formal {
            d.storage = Storage::Argument;
            if (deferred || allocatable || pointer) && d.passing != Passing::Value {
                d.passing = Passing::Descriptor;
            }
            if deferred && !allocatable && !pointer {
                for dim in &mut d.dims {
                    if dim.lower == Bound::Unknown {
                        dim.lower = Bound::Expr(Expr::int(1));
                    }
                }
            }
        } else if d.storage == Storage::Local {
            if matches!(kind, ProcKind::Module | ProcKind::BlockData) {
                d.storage = Storage::Global;
            } else if saved {
                d.storage = Storage::Static;
            }
        }
        Ok(())
    }

    /// Members of COMMON blocks stand in the order of the block.
    fn order_commons(&mut self) {
        let scope = self.cur.scope;
        for (_, members) in self.info[scope.index()].commons.clone() {
            let table = &mut self.p.scopes[scope.index()].symbols;
            let mut places: Vec<usize> = members.iter().filter_map(|m| table.iter().position(|s| s == m)).collect();
            places.sort_unstable();
            for (at, m) in places.into_iter().zip(members) {
                table[at] = m;
            }
        }
    }

    /// What a module keeps to itself.
    fn mark_private(&mut self) {
        let scope = self.cur.scope;
        let info = &self.info[scope.index()];
        let private: Vec<SymbolId> = self
            .p
            .scope(scope)
            .symbols
            .iter()
            .copied()
            .filter(|s| {
                // A component is as open as its structure.
                let name = self.p.symbol(*s).name.to_ascii_lowercase();
                !info.is_open(name.split('%').next().unwrap_or_default())
            })
            .collect();
        for s in private {
            self.attribute(s, "private");
        }
    }
}
