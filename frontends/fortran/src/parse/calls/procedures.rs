//! Which procedure is meant by a name: generic names, external procedures.
//!
//! Lives here: the choice among specific procedures. Never here: what is passed.

use crate::parse::context::arguments::Raw;
use crate::parse::context::state::{Lower, Lowered, ProcKind};
use crate::parse::context::structures::{is_member, type_name};
use tree_sitter::Node;
use xaif::model::*;

/// Whether a dummy takes objects of types that extend its own.
fn is_class(dummy: &Symbol) -> bool {
    dummy.decl.as_ref().and_then(|d| d.type_text.get(..5).map(|w| w.eq_ignore_ascii_case("class"))).unwrap_or_default()
}

/// Whether a procedure belongs to code that Overbar made: it records values, or takes them back.
pub fn is_record(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("overbar_push") || name.starts_with("overbar_pop")
}

impl<'t> Lower<'t> {
    /// The procedures among those of a generic name that code here can call, by their names where they are. They may have no names here; derivative code can
    /// import them, and makes them public. What has such a name here is something else.
    pub fn usable(&self, specifics: &[(ScopeId, String)]) -> Vec<SymbolId> {
        let symbols = specifics.iter().filter_map(|(place, s)| {
            let symbol = self.lookup(*place, s)?;
            let here = self.lookup(self.cur.scope, s);
            here.is_none_or(|h| h == symbol).then_some(symbol)
        });
        symbols.collect()
    }

    /// The unit that a name in a call or function reference means.
    pub fn procedure(&mut self, callee: Node<'t>, name: &str, raws: &[Raw<'t>], function: bool) -> Lowered<SymbolId> {
        let specifics = self.generic(self.cur.scope, name);
        let of_runtime = |(place, s): &(ScopeId, String)| {
            let module = self.p.units.iter().find(|u| u.scope == *place).map(|u| self.p.symbol(u.symbol).name.to_ascii_lowercase());
            module.as_deref() == Some("overbar_runtime") && (s.starts_with("push_") || s.starts_with("pop_"))
        };
        if is_record(name) || specifics.iter().any(of_runtime) {
            let mut d = *self.refuse(callee, "OB3053", format!("`{name}` belongs to code that Overbar made"));
            d.reason = Some("it records values for a reverse sweep, and their derivatives would be lost on the stack".into());
            d.help = Some("make the tangent first (--tangent), then the adjoint of that tangent (--adjoint)".into());
            return Err(Box::new(d));
        }
        if !specifics.is_empty() {
            let symbols = self.usable(&specifics);
            return self.resolve_among(callee, name, &symbols, raws, function);
        }
        if let Some(symbol) = self.lookup(self.cur.scope, name) {
            let s = self.p.symbol(symbol);
            if s.kind == SymbolKind::Subroutine {
                return Ok(symbol);
            }
            if *s.storage() == Storage::Argument {
                let mut d = *self.refuse(callee, "OB3030", format!("call of the dummy procedure `{name}`"));
                d.help = Some("call a procedure that is known where it is called".into());
                return Err(Box::new(d));
            }
            if s.scope != self.cur.scope && !s.has_attribute("external") || s.rank > 0 || s.kind == SymbolKind::Pointer {
                return Err(self.refuse(callee, "OB3043", format!("`{name}` is no procedure")));
            }
            return Ok(self.external(symbol));
        }
        if let Some(module) = self.unknown_module(self.cur.scope, name) {
            let listed =
                self.search(self.cur.scope, &|i| i.uses.iter().any(|u| u.only.as_ref().is_some_and(|o| o.contains(name))).then_some(()));
            if function || listed.is_some() {
                let mut d = *self.refuse(callee, "OB3012", format!("`{name}` comes from module `{module}`, which is not given"));
                d.help = Some("give the file that defines the module as well".into());
                return Err(Box::new(d));
            }
        }
        // An external procedure that nothing declares.
        let mut s = Symbol::subroutine(self.text(callee).trim(), ScopeId(0));
        s.span = self.file().span(callee);
        if function {
            match self.implicit_type(self.cur.scope, name) {
                Some(t) => s.ty = t.ty,
                None => return Err(self.refuse(callee, "OB3010", format!("`{name}` is not declared"))),
            }
        }
        if let Some(d) = &mut s.decl {
            d.storage = Storage::Extern;
        }
        Ok(self.add(s))
    }

    /// A name that was declared like a variable turns out to be an external procedure.
    pub fn external(&mut self, local: SymbolId) -> SymbolId {
        let s = self.p.symbol(local).clone();
        let key = s.name.to_ascii_lowercase();
        self.remove(local);
        let id = match self.names.get(&(ScopeId(0), key.clone())) {
            Some(&id) => id,
            None => {
                let mut e = Symbol::subroutine(s.name.clone(), ScopeId(0));
                e.span = s.span;
                if self.info[s.scope.index()].typed.contains(&local) || !s.has_attribute("external") {
                    e.ty = s.ty;
                }
                if let (Some(d), Some(from)) = (&mut e.decl, &s.decl) {
                    d.type_text = from.type_text.clone();
                    d.storage = Storage::Extern;
                }
                self.add(e)
            }
        };
        self.names.insert((s.scope, key), id);
        id
    }

    /// The procedure of several to which the arguments fit in type, kind and rank.
    pub fn resolve_among(
        &mut self,
        callee: Node<'t>,
        name: &str,
        specifics: &[SymbolId],
        raws: &[Raw<'t>],
        function: bool,
    ) -> Lowered<SymbolId> {
        let mut found: Option<(bool, SymbolId)> = None;
        // Structures of different types fit different procedures; those of which the type is not known could fit any.
        let types: Vec<Option<String>> = raws
            .iter()
            .map(|r| if r.value.ty.base == BaseType::Opaque { self.type_of_value(r.node).and_then(|t| type_name(&t)) } else { None })
            .collect();
        let (mut uncertain, mut fitting) = (false, 0);
        for &symbol in specifics {
            let Some(&proc) = self.proc_of.get(&symbol) else { continue };
            let p = &self.procs[proc];
            if (p.kind == ProcKind::Function) != function {
                continue;
            }
            let returned = self.structure_result(symbol);
            let formals: Vec<_> = p
                .formals
                .iter()
                .filter(|f| !f.result && Some(f.symbol) != returned)
                .map(|f| self.p.symbol(f.symbol))
                .filter(|s| !is_member(s))
                .collect();
            let mut given = vec![false; formals.len()];
            let mut doubtful = false;
            let fits = raws.iter().enumerate().all(|(i, raw)| {
                let at = match raw.keyword.as_str() {
                    "" => Some(i),
                    k => formals.iter().position(|f| f.name.eq_ignore_ascii_case(k)),
                };
                let Some((f, g)) = at.and_then(|at| Some((formals.get(at)?, given.get_mut(at)?))) else { return false };
                *g = true;
                let wanted = self.type_of_symbol(f).filter(|_| f.ty.base == BaseType::Opaque);
                let same = match (types.get(i).and_then(Option::as_ref), &wanted) {
                    (Some(a), Some(w)) => a == w || is_class(f) && self.is_kind_of(a, w),
                    (None, Some(_)) => {
                        doubtful = true;
                        true
                    }
                    _ => true,
                };
                same && raw.value.ty == f.ty && (raw.value.rank == f.rank || p.elemental && f.rank == 0)
            });
            let exact = raws.iter().zip(&formals).all(|(raw, f)| raw.value.rank == f.rank);
            let complete = formals.iter().zip(&given).all(|(f, g)| *g || f.has_attribute("optional"));
            // A specific procedure of the same rank goes before an elemental one.
            if fits && complete {
                fitting += 1;
                uncertain |= doubtful;
            }
            if fits && complete && found.is_none_or(|(was_exact, _)| exact && !was_exact) {
                found = Some((exact, symbol));
            }
        }
        found.filter(|_| fitting == 1 || !uncertain).map(|(_, s)| s).ok_or_else(|| {
            let mut d = *self.refuse(callee, "OB3033", format!("no specific procedure of `{name}` fits the arguments"));
            d.help = Some("call the specific procedure by its name".into());
            Box::new(d)
        })
    }
}
