//! Type-bound procedures: which procedure `object%name(...)` calls, where the text alone says it.
//!
//! ```text
//! call s%advance(dt)     ->     call advance_state(s, dt)
//! y = m%value(x)         ->     y = model_value(m, x)
//! ```
//!
//! An object that is declared `type(t)` has that type and no other. One that is declared `class(t)` may have a type that extends `t`; what it calls is
//! known if no such type may have a procedure of its own for the name. Lives here: bindings, generic ones too, and who inherits them. Never here: the
//! arguments of the call that comes out (see `calls`).

use crate::parse::context::arguments::Raw;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::{Binding, Bindings, Pass, is_member, type_name};
use crate::parse::text::tree::{child, named, walk};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tree_sitter::Node;
use xaif::Diagnostic;
use xaif::model::*;

/// Types extend each other no deeper.
pub const MAX_DEPTH: usize = 40;

impl<'t> Lower<'t> {
    fn bindings_of(&mut self, of: &str) -> Option<Rc<Bindings>> {
        if let Some(b) = self.bindings.get(of) {
            return Some(b.clone());
        }
        let (file, definition) = self.type_definition(of)?;
        let scope = self.unit_around(file, definition)?.scope;
        let mut out = Bindings { scope, specific: FxHashMap::default(), generic: FxHashMap::default() };
        let text = |n: Node| self.files[file].lower(n);
        for s in child(definition, "derived_type_procedures").map(named).unwrap_or_default() {
            let mut cursor = s.walk();
            let declared: Vec<Node> = s.children_by_field_name("declarator", &mut cursor).collect();
            match s.kind() {
                "procedure_statement" => {
                    let words: Vec<String> = named(s).into_iter().filter(|a| a.kind() == "procedure_attribute").map(text).collect();
                    let squeezed = |w: &str| w.replace([' ', '\t'], "");
                    let pass = words.iter().map(|w| squeezed(w)).find_map(|w| match w.as_str() {
                        "nopass" => Some(Pass::Nowhere),
                        w => Some(Pass::Named(w.strip_prefix("pass(")?.trim_end_matches(')').to_owned())),
                    });
                    let pass = pass.unwrap_or(Pass::First);
                    let has = |w: &str| words.iter().any(|a| squeezed(a) == w);
                    for d in declared {
                        let parts = named(d);
                        let (name, procedure) = match (d.kind(), &parts[..]) {
                            ("binding", [name, procedure]) => (text(*name), text(*procedure)),
                            _ => (text(d), text(d)),
                        };
                        let procedure = Some(procedure).filter(|_| !has("deferred"));
                        out.specific.insert(name, Binding { procedure, pass: pass.clone(), last: has("non_overridable") });
                    }
                }
                "generic_statement" => {
                    for d in declared {
                        let parts = named(d);
                        if let Some((name, those)) = parts.split_first() {
                            let name = text(*name).replace(' ', "");
                            out.generic.entry(name).or_default().extend(those.iter().map(|p| text(*p)));
                        }
                    }
                }
                _ => {}
            }
        }
        let out = Rc::new(out);
        self.bindings.insert(of.to_owned(), out.clone());
        Some(out)
    }

    /// A binding of a type or of what it extends, with the module of the definition that has it.
    pub fn binding(&mut self, of: &str, name: &str) -> Option<(Binding, ScopeId)> {
        let mut at = of.to_owned();
        for _ in 0..MAX_DEPTH {
            let b = self.bindings_of(&at)?;
            if let Some(found) = b.specific.get(name) {
                return Some((found.clone(), b.scope));
            }
            at = self.parent_type(&at)?;
        }
        None
    }

    /// The names of bindings that a generic name of a type stands for.
    pub fn generic_binding(&mut self, of: &str, name: &str) -> Vec<String> {
        let (mut out, mut at) = (Vec::new(), of.to_owned());
        for _ in 0..MAX_DEPTH {
            let Some(b) = self.bindings_of(&at) else { break };
            out.extend(b.generic.get(name).into_iter().flatten().cloned());
            match self.parent_type(&at) {
                Some(p) => at = p,
                None => break,
            }
        }
        out.sort();
        out.dedup();
        out
    }

    /// Whether a type that extends another has a procedure of its own for a name.
    fn is_overridden(&mut self, of: &str, name: &str) -> bool {
        let extending: Vec<String> = self.all_types().into_iter().filter(|t| *t != of && self.is_kind_of(t, of)).collect();
        extending.iter().any(|t| self.bindings_of(t).is_none_or(|b| b.specific.contains_key(name)))
    }

    /// The functions that are called below by way of structures (`s%f(x)`), which may be bound to several types; `None` where one of them is not known.
    pub fn bound_functions(&mut self, node: Node<'t>) -> Option<Vec<usize>> {
        let mut callees = Vec::new();
        walk(node, &mut |n| {
            if n.kind() == "call_expression" {
                callees.extend(named(n).first().filter(|c| c.kind() == "derived_type_member_expression").copied());
            }
            true
        });
        let mut out = Vec::new();
        for callee in callees {
            let parts = named(callee);
            let (object, member) = (*parts.first()?, self.lower(*parts.last()?));
            let of = self.type_around(object)?;
            if self.has_component(&of, &member) {
                continue;
            }
            let mut names = self.generic_binding(&of, &member);
            if names.is_empty() {
                names.push(member);
            }
            for name in names {
                // Whatever takes its place in types that extend this one is as pure as it is.
                let (binding, scope) = self.binding(&of, &name)?;
                let symbol = self.lookup(scope, &binding.procedure?)?;
                out.push(*self.proc_of.get(&symbol)?);
            }
        }
        Some(out)
    }

    /// The procedures that `object%name` may mean, with the place of the object among their arguments; `None` where that is no type-bound procedure.
    #[allow(clippy::type_complexity)] // taken apart by the one caller
    fn bound_to(&mut self, node: Node<'t>) -> Lowered<Option<Vec<(SymbolId, Pass)>>> {
        let parts = named(node);
        let (Some(&object), Some(&member)) = (parts.first(), parts.last()) else { return Ok(None) };
        let Some(declared) = self.declared_type(object) else { return Ok(None) };
        let Some(of) = type_name(&declared) else { return Ok(None) };
        let name = self.lower(member);
        let mut names = self.generic_binding(&of, &name);
        if names.is_empty() {
            names.push(name);
        }
        let mut out = Vec::new();
        for name in names {
            let Some((binding, scope)) = self.binding(&of, &name) else { return Ok(None) };
            let open = declared.trim_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case("class")) && !binding.last;
            let dispatched = open && self.is_overridden(&of, &name);
            let Some(procedure) = binding.procedure.filter(|_| !dispatched) else {
                let mut d =
                    *self.refuse(node, "OB3027", format!("which procedure `{name}` means here is known only when the program runs"));
                d.reason = Some(format!("types that extend `{of}` have their own"));
                d.help = Some(format!("declare the object type({of}), or call the procedure by its own name"));
                return Err(Box::new(d));
            };
            let Some(symbol) = self.lookup(scope, &procedure).filter(|s| self.proc_of.contains_key(s)) else {
                return Err(self.refuse(node, "OB3027", format!("call of the type-bound procedure `{name}`, whose text is not given")));
            };
            // Derivative code calls it, and its derivative, by name.
            if self.lookup(self.cur.scope, &procedure) != Some(symbol) {
                let mut d = *self.refuse(
                    node,
                    "OB3027",
                    format!("the type-bound procedure `{name}` is `{procedure}`, which is private to its module"),
                );
                d.help = Some(format!("declare `{procedure}` public, and import it where it is called"));
                return Err(Box::new(d));
            }
            if open {
                self.taken_as_last(&of, &name, node);
            }
            out.push((symbol, binding.pass));
        }
        Ok(Some(out))
    }

    /// Says once of a name that types which are not given might have another procedure for it.
    fn taken_as_last(&mut self, of: &str, name: &str, node: Node<'t>) {
        let message = format!("`{name}` of class({of}) is taken to be that of `{of}`: no type that is given has another");
        if self.diagnostics.iter().all(|d| d.message != message) {
            let span = self.file().span(node);
            let d = Diagnostic::warning("OB3051", message).at(self.p.location(span));
            self.diagnostics.push(d.help("declare the binding NON_OVERRIDABLE, or give the files with the types that extend it"));
        }
    }

    /// The procedure that a type-bound call means, with the object among its arguments; `None` where it is no such call.
    ///
    /// # Errors
    /// One of which only the run decides what it calls.
    pub fn bound_procedure(
        &mut self,
        callee: Node<'t>,
        list: Option<Node<'t>>,
        function: bool,
    ) -> Lowered<Option<(SymbolId, Vec<Raw<'t>>)>> {
        if callee.kind() != "derived_type_member_expression" {
            return Ok(None);
        }
        let Some(candidates) = self.bound_to(callee)? else { return Ok(None) };
        self.needs_graph(callee)?;
        let Some((first, pass)) = candidates.first().cloned() else { return Ok(None) };
        if candidates.iter().any(|(_, p)| *p != pass) {
            return Err(self.refuse(callee, "OB3027", "a generic type-bound procedure whose versions take the object at different places"));
        }
        let mut raws = self.evaluated(list)?;
        let object = named(callee).first().copied().unwrap_or(callee);
        if pass != Pass::Nowhere {
            let value = match self.passed_structure(object)? {
                Some(v) => v,
                None => self.expr(object)?,
            };
            let mut raw = Raw { keyword: String::new(), value, node: object, whole: object };
            let place = match &pass {
                Pass::Named(n) => self.place_of_dummy(first, n),
                _ => Some(0),
            };
            let positional = raws.iter().take_while(|r| r.keyword.is_empty()).count();
            match (place, &pass) {
                (Some(k), _) if k <= positional => raws.insert(k, raw),
                (_, Pass::Named(n)) => {
                    raw.keyword = n.clone();
                    raws.push(raw);
                }
                _ => raws.insert(0, raw),
            }
        }
        let symbols: Vec<SymbolId> = candidates.iter().map(|(s, _)| *s).collect();
        let symbol = match symbols[..] {
            [only] => only,
            _ => self.resolve_among(callee, &self.lower(callee), &symbols, &raws, function)?,
        };
        Ok(Some((symbol, raws)))
    }

    fn place_of_dummy(&self, symbol: SymbolId, name: &str) -> Option<usize> {
        let p = &self.procs[*self.proc_of.get(&symbol)?];
        let dummies = p.formals.iter().filter(|f| !f.result).map(|f| self.p.symbol(f.symbol)).filter(|s| !is_member(s));
        dummies.into_iter().position(|s| s.name.eq_ignore_ascii_case(name))
    }
}
