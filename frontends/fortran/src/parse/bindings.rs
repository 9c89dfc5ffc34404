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

use super::calls::Raw;
use super::members::type_name;
use super::scope::{Lower, Lowered};
use super::tree::{child, field, named, walk};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tree_sitter::Node;
use xaif::Diagnostic;
use xaif::model::*;

/// Types extend each other no deeper.
const MAX_DEPTH: usize = 40;

/// Which argument the object is.
#[derive(Clone, Debug, PartialEq)]
enum Pass {
    First,
    Named(String),
    Nowhere,
}

/// A procedure under a name of a type.
#[derive(Clone, Debug)]
struct Binding {
    /// Its own name; `None` where it is deferred.
    procedure: Option<String>,
    pass: Pass,
    /// NON_OVERRIDABLE
    last: bool,
}

/// What the definition of a type says of procedures.
pub(super) struct Bindings {
    /// The module around the definition.
    scope: ScopeId,
    specific: FxHashMap<String, Binding>,
    /// Generic names with those of bindings.
    generic: FxHashMap<String, Vec<String>>,
}

/// The type that a type extends.
pub(super) fn parent_in(head: Node, lower: &dyn Fn(Node) -> String) -> Option<String> {
    child(head, "base_type_specifier").and_then(|b| child(b, "identifier")).map(lower)
}

impl<'t> Lower<'t> {
    /// The type that a type extends.
    pub fn parent_type(&self, of: &str) -> Option<String> {
        let (file, definition) = self.type_definition(of)?;
        parent_in(child(definition, "derived_type_statement")?, &|n| self.files[file].lower(n))
    }

    /// Whether a type is another one or extends it.
    pub fn is_kind_of(&self, of: &str, ancestor: &str) -> bool {
        let mut at = of.to_owned();
        for _ in 0..MAX_DEPTH {
            if at == ancestor {
                return true;
            }
            match self.parent_type(&at) {
                Some(p) => at = p,
                None => return false,
            }
        }
        false
    }

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
    fn binding(&mut self, of: &str, name: &str) -> Option<(Binding, ScopeId)> {
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
    fn generic_binding(&mut self, of: &str, name: &str) -> Vec<String> {
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
        let extending: Vec<String> = self.definitions().keys().filter(|t| *t != of && self.is_kind_of(t, of)).cloned().collect();
        extending.iter().any(|t| self.bindings_of(t).is_none_or(|b| b.specific.contains_key(name)))
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
        let dummies = p.formals.iter().filter(|f| !f.result).map(|f| self.p.symbol(f.symbol)).filter(|s| !super::members::is_member(s));
        dummies.into_iter().position(|s| s.name.eq_ignore_ascii_case(name))
    }

    /// The definitions of derived types in all files, by name.
    pub fn definitions(&self) -> &FxHashMap<String, Vec<(usize, Node<'t>)>> {
        self.definitions.get_or_init(|| {
            let mut out: FxHashMap<String, Vec<(usize, Node<'t>)>> = FxHashMap::default();
            for (i, f) in self.files.iter().enumerate() {
                walk(f.tree.root_node(), &mut |n| {
                    if n.kind() == "derived_type_definition" {
                        if let Some(name) = child(n, "derived_type_statement").and_then(|s| child(s, "type_name")) {
                            out.entry(f.lower(name)).or_default().push((i, n));
                        }
                        return false;
                    }
                    !n.kind().ends_with("_statement")
                });
            }
            out
        })
    }

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
            let declared = |f: &Formal| l.p.symbol(f.symbol).decl.as_ref().and_then(|d| type_name(&d.type_text));
            let whole: Vec<Formal> =
                l.procs[p].formals.iter().filter(|f| !super::members::is_member(l.p.symbol(f.symbol))).cloned().collect();
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
