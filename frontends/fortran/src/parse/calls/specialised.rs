//! Procedures that are passed as arguments: a unit with dummy procedures is lowered once for each choice of what is passed for them.
//!
//! ```text
//! x = newton(cubic, x0, p)     ->     x = newton_cubic(x0, p), a unit in which the dummy is `cubic`
//! ```
//!
//! The version's symbol says what the text has instead (`version:newton`, `passes:1:f=cubic`), so that a back end which keeps the text calls the
//! procedure that is there. Where an internal procedure is passed, which works on the variables of its host, the version is an internal procedure of that
//! host, too. Lives here: these versions. Never here: calls as such.

use crate::parse::context::arguments::Passed;
use crate::parse::context::scopes::Use;
use crate::parse::context::state::{Lower, Lowered, Proc, ProcKind, Refusal};
use crate::parse::context::structures::is_member;
use crate::parse::text::tree::{child, field, walk};
use tree_sitter::Node;
use xaif::model::*;

/// More versions than this are refused.
const MAX_VERSIONS: usize = 500;

/// What a version of a unit is made of.
struct Version {
    /// The unit whose text it has.
    of: usize,
    /// The dummies by place and name, with what is passed.
    bound: Vec<(usize, String, SymbolId)>,
    /// The unit in which it stands.
    home: Option<usize>,
    /// The place behind which its derivatives go, where that is not behind the text's.
    behind: Option<Span>,
}

impl Version {
    fn key(&self) -> Vec<(String, SymbolId)> {
        self.bound.iter().map(|(_, n, s)| (n.clone(), *s)).collect()
    }
}

impl<'t> Lower<'t> {
    /// Notes `procedure(f) :: g` of dummy arguments; false where something else is declared.
    pub fn dummy_procedures(&mut self, node: Node<'t>) -> bool {
        let mut cursor = node.walk();
        if node.children_by_field_name("attribute", &mut cursor).next().is_some() {
            return false;
        }
        let mut cursor = node.walk();
        let declared: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        let formals: Vec<SymbolId> = self.procs[self.cur.proc].formals.iter().map(|f| f.symbol).collect();
        let symbols: Option<Vec<SymbolId>> = declared
            .iter()
            .map(|d| self.names.get(&(self.cur.scope, self.lower(*d))).copied().filter(|s| d.kind() == "identifier" && formals.contains(s)))
            .collect();
        let Some(symbols) = symbols else { return false };
        let scope = self.cur.scope;
        let interface = field(node, "type").and_then(|t| child(t, "procedure_interface")).map(|n| self.lower(n));
        let interface = interface.and_then(|n| self.lookup(scope, &n)).and_then(|s| self.proc_of.get(&s).copied());
        for s in symbols {
            self.p.symbol_mut(s).decl.get_or_insert_default().attributes.push("external".into());
            self.scope_info(scope).typed.insert(s);
            if let Some(p) = interface.map(|p| &self.procs[p]) {
                self.interfaces.insert(s, (p.node, p.file));
            }
        }
        true
    }

    /// The version of a unit for the procedures that are passed; the unit itself where there are none.
    pub fn specialised(&mut self, symbol: SymbolId, passed: &[Passed<'t>]) -> Lowered<SymbolId> {
        let Some(first) = passed.first() else { return Ok(symbol) };
        let Some(&of) = self.proc_of.get(&symbol).filter(|p| !self.procs[**p].interface_only) else {
            return Err(self.not_known(first.node, "the text of the called procedure is not given"));
        };
        let p = &self.procs[of];
        if child(p.node, "internal_procedures").is_some() {
            return Err(self.not_known(first.node, "the called procedure has internal procedures"));
        }
        if p.elemental {
            return Err(self.not_known(first.node, "the called procedure is an elemental one"));
        }
        let version = self.version(of, passed, first.node)?;
        let key = version.key();
        let same = |v: &Proc| v.file == p.file && v.node == p.node && v.entry == p.entry && v.bound == key && v.host == version.home;
        if let Some(v) = self.procs.iter().find(|p| same(p)) {
            return Ok(v.symbol);
        }
        if self.procs.iter().filter(|p| !p.bound.is_empty()).count() >= MAX_VERSIONS {
            return Err(self.not_known(first.node, "there are too many combinations of procedures that are passed"));
        }
        self.make_version(symbol, &version, first.node)
    }

    /// The refusal of a procedure as an argument, with the reason.
    fn not_known(&self, node: Node<'t>, why: &str) -> Refusal {
        let mut d = *self.passes_procedure(node);
        d.reason = Some(why.into());
        Box::new(d)
    }

    /// What is passed for which dummy, and where the version stands.
    fn version(&self, of: usize, passed: &[Passed<'t>], node: Node<'t>) -> Lowered<Version> {
        let p = &self.procs[of];
        let host = p.host;
        let dummies = if p.dummies.is_empty() { self.text_dummies(of) } else { p.dummies.clone() };
        let mut bound: Vec<(usize, String, SymbolId)> = Vec::new();
        let mut elsewhere = false;
        let internal = |p: Option<usize>| p.filter(|h| self.procs[*h].kind != ProcKind::Module);
        let mut inner = internal(host);
        for a in passed {
            let at = match a.keyword.as_str() {
                "" => Some(a.place),
                k => dummies.iter().position(|(d, _)| d == k),
            };
            let Some((name, true)) = at.and_then(|at| dummies.get(at)) else {
                return Err(self.not_known(node, "the dummy argument is not declared as a procedure"));
            };
            let open = self.open.iter().any(|o| o.symbol == a.target);
            let target = self.proc_of.get(&a.target).copied().filter(|t| !self.procs[*t].interface_only);
            if target.is_none() && !open {
                return Err(self.not_known(node, "the text of the procedure that is passed is not given"));
            }
            if let Some(h) = target.and_then(|t| internal(self.procs[t].host)) {
                if inner.is_some_and(|i| i != h) {
                    return Err(self.not_known(node, "internal procedures of several hosts come together"));
                }
                inner = Some(h);
            }
            let around = host.map_or(ScopeId(0), |h| self.procs[h].scope);
            elsewhere |= self.lookup(around, &self.p.symbol(a.target).name.to_ascii_lowercase()) != Some(a.target);
            bound.push((at.unwrap_or(0), name.clone(), a.target));
        }
        bound.sort();
        // Where what is passed is not visible from the called procedure, the version stands with the caller.
        let caller = &self.procs[self.cur.proc];
        let (home, behind) = match (elsewhere, inner) {
            (_, Some(h)) => (Some(h), None),
            (false, None) => (host, None),
            (true, None) => {
                let from = self.p.location(self.files[caller.file].span(caller.node));
                let inside = caller.host.is_some_and(|h| self.procs[h].kind != ProcKind::Module);
                if inside || from.is_none() || caller.kind == ProcKind::Main {
                    return Err(self.not_known(node, "the procedure that is passed is not visible where the called one is written"));
                }
                (caller.host, Some(caller.behind.unwrap_or_else(|| self.files[caller.file].span(caller.node))))
            }
        };
        Ok(Version { of, bound, home, behind })
    }

    /// The arguments of a unit as its text has them, and whether each is a procedure.
    pub fn text_dummies(&self, of: usize) -> Vec<(String, bool)> {
        let own = self.procs[of].formals.iter().map(|f| (f.result, self.p.symbol(f.symbol)));
        let own = own.filter(|(result, s)| !result && !is_member(s));
        own.map(|(_, s)| (s.name.to_ascii_lowercase(), s.has_attribute("external"))).collect()
    }

    /// Declares a version: a unit with the text of another one.
    fn make_version(&mut self, symbol: SymbolId, version: &Version, at: Node<'t>) -> Lowered<SymbolId> {
        let Version { of, home, behind, .. } = *version;
        let p = &self.procs[of];
        let (node, file, kind, host, elemental, pure) = (p.node, p.file, p.kind, p.host, p.elemental, p.pure);
        let outer = home.map_or(ScopeId(0), |h| self.procs[h].scope);
        let moved = home != host;
        let around = |h: usize| home.is_some_and(|i| i == h || self.procs[i].host == Some(h));
        let module = host.filter(|h| moved && !around(*h)).map(|h| (self.procs[h].name.clone(), self.procs[h].scope));
        let there = host.map_or(ScopeId(0), |h| self.procs[h].scope);
        if moved && let Some(word) = self.means_another(of, there, outer) {
            let why = format!(
                "the procedure that is passed is not visible where the called one is written, and `{word}` means another thing here"
            );
            return Err(self.not_known(at, &why));
        }
        let (name, s) = self.version_symbol(symbol, version, outer, moved);
        let symbol = self.add(s);
        let span = self.files[file].span(node);
        let scope = self.p.add_scope(Scope { parent: Some(outer), span, ..Scope::default() });
        let info = self.scope_info(scope);
        if let Some((module, of)) = module {
            info.uses.push(Use { module, scope: Some(of), only: None, renames: Default::default() });
        }
        let index = self.add_proc(Proc {
            host: home,
            entry: self.procs[of].entry,
            elemental,
            pure,
            bound: version.key(),
            behind,
            ..Proc::new(name, (node, file), kind, symbol, scope)
        });
        if let Err(d) = self.declare_apart(index) {
            self.procs[index].failed.push(*d);
        }
        self.bind_dummies(index, version.key());
        Ok(symbol)
    }

    /// The version's name, and its symbol, which says what the text calls.
    fn version_symbol(&self, symbol: SymbolId, version: &Version, outer: ScopeId, moved: bool) -> (String, Symbol) {
        let original = self.p.symbol(symbol);
        let mut stem: String = original.name.to_ascii_lowercase();
        for (_, _, s) in &version.bound {
            stem = format!("{stem}_{}", self.p.symbol(*s).name.to_ascii_lowercase());
        }
        stem.truncate(40);
        let mut name = stem.clone();
        let mut n = 1;
        while self.lookup(outer, &name).is_some() || self.names.contains_key(&(ScopeId(0), name.clone())) {
            n += 1;
            name = format!("{stem}_{n}");
        }
        let mut s = Symbol::subroutine(name.clone(), outer);
        s.span = original.span;
        let d = s.decl.get_or_insert_default();
        d.attributes = original.decl.as_ref().map(|d| d.attributes.clone()).unwrap_or_default();
        if moved {
            d.attributes.retain(|a| a != "private" && a != "public");
        }
        d.attributes.push(smol_str::format_smolstr!("version:{}", original.name));
        for (place, dummy, target) in &version.bound {
            d.attributes.push(smol_str::format_smolstr!("passes:{}:{dummy}={}", place + 1, self.p.symbol(*target).name));
        }
        (name, s)
    }

    /// The dummies are no arguments any more: each name means what is passed.
    pub fn bind_dummies(&mut self, index: usize, bound: Vec<(String, SymbolId)>) {
        let scope = self.procs[index].scope;
        for (dummy, target) in bound {
            if let Some(&own) = self.names.get(&(scope, dummy.clone())) {
                self.procs[index].formals.retain(|f| f.symbol != own);
                self.remove(own);
            }
            self.names.insert((scope, dummy), target);
        }
        for (k, f) in self.procs[index].formals.iter_mut().enumerate() {
            f.position = k as u32 + 1;
        }
    }

    /// A name in the text that would not mean the same in another module.
    fn means_another(&self, proc: usize, here: ScopeId, there: ScopeId) -> Option<String> {
        let (node, file, own) = (self.procs[proc].node, self.procs[proc].file, self.procs[proc].scope);
        let mut found = None;
        walk(node, &mut |n| {
            if n.kind() != "identifier" || found.is_some() {
                return found.is_none();
            }
            let word = self.files[file].lower(n);
            let constant = |s: SymbolId| {
                let s = self.p.symbol(s);
                self.info.get(s.scope.index())?.constants.get(&s.name.to_ascii_lowercase()).copied()
            };
            if self.names.contains_key(&(own, word.clone())) {
                return true;
            }
            let same = match (self.lookup(here, &word), self.lookup(there, &word)) {
                (None, None) => true,
                (Some(a), Some(b)) => a == b || constant(a).is_some() && constant(a) == constant(b),
                // It can be imported, unless it may be the kind of something.
                (Some(a), None) => !self.p.symbol(a).has_attribute("private") && constant(a).is_none(),
                (None, Some(_)) => false,
            };
            if !same {
                found = Some(word);
            }
            true
        });
        found
    }
}
