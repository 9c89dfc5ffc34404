//! Dummy procedures of units that are asked for by name: each is a unit at file scope of which only the arguments are known (`xaif::open`).
//!
//! ```text
//! subroutine solve(fcn, n, x)     ->     solve(n, x), which calls `fcn`; whoever asks for the derivative of `solve` hands over that of `fcn`
//! ```
//!
//! Its arguments are those of its interface; where that is not explicit, of its calls. Lives here: which dummies these are, and what is known of them. Never
//! here: procedures that are passed in the text (see `specialised`).

use super::scan::kind_of;
use crate::parse::context::state::{Lower, OpenProcedure, Proc, ProcKind};
use crate::parse::context::terms::type_text;
use crate::parse::text::tree::{field, named, walk};
use rustc_hash::FxHashMap;
use tree_sitter::Node;
use xaif::Diagnostic;
use xaif::model::*;
use xaif::open::{EXPLICIT, GETS, OPEN};

/// What calls say of an argument.
#[derive(PartialEq)]
struct Seen {
    ty: ElemType,
    /// The bounds of the array that is passed, in terms of the other arguments; nothing where a scalar is.
    dims: Option<Vec<Dim>>,
}

impl<'t> Lower<'t> {
    /// Opens the dummy procedures of a unit.
    pub fn open_dummies(&mut self, proc: usize) {
        let p = &self.procs[proc];
        let kept = p.failed.is_empty() && p.bound.is_empty() && !p.interface_only;
        if !kept || !matches!(p.kind, ProcKind::Subroutine | ProcKind::Function) || p.elemental {
            return;
        }
        self.called_dummies(proc);
        let mut dummies = self.text_dummies(proc);
        let formals: Vec<(usize, SymbolId)> = self.procs[proc].formals.iter().filter(|f| !f.result).map(|f| f.symbol).enumerate().collect();
        let mut bound = Vec::new();
        for (place, own) in formals {
            let s = self.p.symbol(own);
            if !s.has_attribute("external") || s.has_attribute("optional") {
                continue;
            }
            let name = s.name.to_ascii_lowercase();
            if let Some(d) = dummies.iter_mut().find(|d| d.0 == name) {
                d.1 = true;
            }
            let symbol = self.open_symbol(own, proc);
            let interface = self.interfaces.get(&own).copied();
            let interface = interface.and_then(|(node, file)| self.open_interface(symbol, node, file, proc));
            self.open.push(OpenProcedure { symbol, interface });
            let text = smol_str::format_smolstr!("{GETS}{}={}", place + 1, self.p.symbol(symbol).name);
            let unit = self.procs[proc].symbol;
            self.p.symbol_mut(unit).decl.get_or_insert_default().attributes.push(text);
            bound.push((name, symbol));
        }
        if !bound.is_empty() {
            self.procs[proc].dummies = dummies;
            self.bind_dummies(proc, bound);
        }
    }

    /// Dummies that are called without a word of what they are.
    fn called_dummies(&mut self, proc: usize) {
        let (node, scope, file) = (self.procs[proc].node, self.procs[proc].scope, self.procs[proc].file);
        let mut called: Vec<String> = Vec::new();
        walk(node, &mut |n| {
            let callee = match n.kind() {
                "subroutine_call" => field(n, "subroutine"),
                "call_expression" => named(n).first().copied(),
                _ => None,
            };
            if let Some(c) = callee.filter(|c| c.kind() == "identifier") {
                called.push(self.files[file].lower(c));
            }
            n.kind() != "interface"
        });
        for f in self.procs[proc].formals.clone().iter().filter(|f| !f.result) {
            let s = self.p.symbol(f.symbol);
            let plain = s.kind == SymbolKind::Variable && s.rank == 0 && s.ty.base != BaseType::String && !s.has_attribute("external");
            if plain && called.contains(&s.name.to_ascii_lowercase()) && s.scope == scope {
                self.attribute(f.symbol, "external");
            }
        }
    }

    /// Whether a type declaration of a unit names something.
    fn is_declared_with_type(&self, proc: usize, name: &str) -> bool {
        let (node, file) = (self.procs[proc].node, self.procs[proc].file);
        let mut found = false;
        walk(node, &mut |n| {
            if n.kind() == "variable_declaration" {
                let text = self.files[file].lower(n);
                let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                found |= words.any(|w| w.eq_ignore_ascii_case(name));
            }
            !matches!(n.kind(), "interface" | "internal_procedures")
        });
        found
    }

    /// The procedure that stands for a dummy, at file scope.
    fn open_symbol(&mut self, own: SymbolId, proc: usize) -> SymbolId {
        let dummy = self.p.symbol(own).clone();
        let mut name = dummy.name.to_string();
        let mut n = 1;
        while self.names.contains_key(&(ScopeId(0), name.to_ascii_lowercase())) {
            n += 1;
            name = format!("{}_{n}", dummy.name);
        }
        let mut s = Symbol::subroutine(name, ScopeId(0));
        s.span = dummy.span;
        // Where nothing declares its type, its calls tell whether it has one.
        if self.is_declared_with_type(proc, &dummy.name) && !self.interfaces.contains_key(&own) {
            s.ty = dummy.ty;
        }
        let d = s.decl.get_or_insert_default();
        d.storage = Storage::Extern;
        d.attributes.push(OPEN.into());
        if s.ty.base != BaseType::Void {
            d.type_text = type_text(s.ty).into();
        }
        self.add(s)
    }

    /// What an explicit interface says.
    fn open_interface(&mut self, symbol: SymbolId, node: Node<'t>, file: usize, proc: usize) -> Option<usize> {
        let kind = kind_of(node)?;
        let around = self.procs.iter().find(|p| p.node == node && p.file == file).and_then(|p| self.p.scope(p.scope).parent);
        let parent = around.unwrap_or(self.procs[proc].scope);
        let scope = self.p.add_scope(Scope { parent: Some(parent), ..Scope::default() });
        self.scope_info(scope);
        let name = self.p.symbol(symbol).name.to_ascii_lowercase();
        let (elemental, pure) = self.purity(node, file);
        let index = self.add_proc(Proc { elemental, pure, interface_only: true, ..Proc::new(name, (node, file), kind, symbol, scope) });
        if let Err(d) = self.declare_apart(index) {
            self.procs[index].failed.push(*d);
        }
        self.attribute(symbol, EXPLICIT);
        Some(index)
    }

    /// The units that stand for open procedures. Who calls one of which too little is known is refused.
    pub fn open_units(&mut self, units: &mut [Option<Unit>]) -> Vec<Unit> {
        let mut out = Vec::new();
        for i in 0..self.open.len() {
            let OpenProcedure { symbol, interface } = self.open[i];
            let made = match interface {
                Some(p) => self.by_interface(p),
                None => self.by_calls(symbol, units),
            };
            match made {
                Ok(unit) => out.extend(unit),
                Err(why) => {
                    for (u, unit) in units.iter_mut().enumerate() {
                        let calls = |u: &Unit| calls_of(u, symbol).next().is_some();
                        if unit.as_ref().is_some_and(calls) {
                            let at = self.p.location(self.p.symbol(symbol).span);
                            let d = Diagnostic::error("OB3030", format!("dummy procedure `{}`", self.p.symbol(symbol).name)).at(at);
                            self.procs[u].failed.push(d.because(why.clone()).help("call a procedure that is known where it is called"));
                            *unit = None;
                        }
                    }
                }
            }
        }
        out
    }

    fn by_interface(&mut self, proc: usize) -> Result<Option<Unit>, String> {
        let p = &self.procs[proc];
        if let Some(d) = p.failed.first() {
            return Err(format!("its interface is not understood: {}", d.message));
        }
        let (symbol, scope, formals, pure, elemental) = (p.symbol, p.scope, p.formals.clone(), p.pure, p.elemental);
        if elemental {
            return Err("a dummy argument cannot be elemental".into());
        }
        for f in &formals {
            let s = self.p.symbol(f.symbol);
            let odd = ["optional", "allocatable", "pointer", "external", "volatile", "asynchronous"].iter().find(|a| s.has_attribute(a));
            let number = matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
            if odd.is_some() || !number || f.result && s.rank > 0 {
                return Err(format!("its argument `{}` is none of a plain number or array of numbers", s.name));
            }
        }
        let own: Vec<SymbolId> = formals.iter().map(|f| f.symbol).collect();
        for s in own {
            let text = type_text(self.p.symbol(s).ty);
            let dims = self.p.symbol(s).decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
            let dims = dims.into_iter().map(|d| self.own_dim(d, scope)).collect();
            let d = self.decl(s);
            d.type_text = text.into();
            d.dims = dims;
        }
        self.p.scopes[scope.index()].parent = Some(ScopeId(0));
        let result = formals.iter().find(|f| f.result).map(|f| self.p.symbol(f.symbol).ty);
        if let Some(ty) = result {
            self.p.symbol_mut(symbol).ty = ty;
        }
        let mut unit = Unit::new(symbol, scope);
        unit.kind = if result.is_some() { UnitKind::Function } else { UnitKind::Subroutine };
        unit.formals = formals;
        if pure {
            unit.prefixes.push("pure".into());
        }
        Ok(Some(unit))
    }

    /// Bounds that name nothing but arguments and numbers; others are not known.
    fn own_dim(&self, dim: Dim, scope: ScopeId) -> Dim {
        let bound = |b: Bound| match b {
            Bound::Expr(e) => {
                let mut own = true;
                e.for_each_ref(&mut |r| own &= self.p.symbol(r.symbol).scope == scope);
                if own { Bound::Expr(e) } else { Bound::Unknown }
            }
            b => b,
        };
        Dim { lower: bound(dim.lower), upper: bound(dim.upper) }
    }

    /// The arguments of a procedure whose interface is not explicit; none where it is never called.
    fn by_calls(&mut self, symbol: SymbolId, units: &[Option<Unit>]) -> Result<Option<Unit>, String> {
        let mut seen: Vec<Seen> = Vec::new();
        let mut spoken: Vec<String> = Vec::new();
        let mut calls = 0;
        for call in units.iter().flatten().flat_map(|u| calls_of(u, symbol)) {
            let these: Vec<Seen> = call.arguments.iter().map(|a| self.seen(call, &a.value)).collect();
            if calls > 0 && (these.len() != seen.len() || these.iter().zip(&seen).any(|(a, b)| a.ty != b.ty)) {
                return Err("its calls pass different numbers or types of arguments".into());
            }
            if calls == 0 {
                seen = these;
                spoken = self.spoken(call);
            } else {
                for (s, t) in seen.iter_mut().zip(these).filter(|(s, t)| s.dims != t.dims) {
                    // An element may stand for an array that begins there; a scalar does not.
                    let array = s.dims.is_some() && t.dims.is_some();
                    s.dims = array.then(|| vec![Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Unknown }]);
                }
            }
            calls += 1;
        }
        if calls == 0 {
            return Ok(None);
        }
        if let Some(s) = seen.iter().find(|s| !matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool)) {
            return Err(format!("an argument of type {:?} is passed to it, and only numbers are handed on", s.ty.base).to_lowercase());
        }
        let ty = self.p.symbol(symbol).ty;
        let function = ty.base != BaseType::Void;
        let scope = self.p.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
        self.scope_info(scope);
        let mut unit = Unit::new(symbol, scope);
        unit.kind = if function { UnitKind::Function } else { UnitKind::Subroutine };
        let count = seen.len();
        let names: Vec<SymbolId> = seen
            .iter()
            .enumerate()
            .map(|(k, s)| {
                let result = function && k + 1 == count;
                let name = if result { format!("{}_value", self.p.symbol(symbol).name) } else { spoken[k].clone() };
                let mut y = Symbol::variable(name, s.ty, scope);
                y.decl = Some(Box::new(Decl { storage: Storage::Argument, type_text: type_text(s.ty).into(), ..Decl::default() }));
                self.add(y)
            })
            .collect();
        for (k, s) in seen.into_iter().enumerate() {
            let result = function && k + 1 == count;
            let mut formal = Formal::new(k as u32 + 1, names[k], if result { Intent::Out } else { Intent::Inout });
            formal.result = result;
            formal.intent_declared = false;
            unit.formals.push(formal);
            if let Some(dims) = s.dims {
                let places = |e: &Expr| e.as_int().is_some_and(|n| n < 0);
                let named = |b: Bound| match b {
                    // A place among the arguments stands for itself (see `seen`).
                    Bound::Expr(e) if places(&e) => {
                        let at = e.as_int().map_or(0, |n| (-n - 1) as usize);
                        names.get(at).map_or(Bound::Unknown, |&s| Bound::Expr(Expr::sym(s)))
                    }
                    b => b,
                };
                let y = self.p.symbol_mut(names[k]);
                y.rank = dims.len() as u8;
                y.decl.get_or_insert_default().dims = dims.into_iter().map(|d| Dim { lower: d.lower, upper: named(d.upper) }).collect();
            }
        }
        Ok(Some(unit))
    }

    /// Names for arguments: those of the variables that are passed, where these are all different.
    fn spoken(&self, call: &Call) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for (k, a) in call.arguments.iter().enumerate() {
            let variable = a.value.as_var().map(|r| self.p.symbol(r.symbol)).filter(|s| !s.temp && !s.name.contains('%'));
            let name = variable.map(|s| s.name.to_string()).filter(|n| !out.iter().any(|o| o.eq_ignore_ascii_case(n)));
            out.push(name.unwrap_or_else(|| format!("a{}", k + 1)));
        }
        out
    }

    /// What a call says of an argument. An extent that is another argument is the place of that, counted down from -1.
    fn seen(&self, call: &Call, value: &Expr) -> Seen {
        let ty = xaif::types::of(&self.p, value).elem;
        let Some(r) = value.as_var() else { return Seen { ty, dims: None } };
        let s = self.p.symbol(r.symbol);
        if s.rank == 0 {
            return Seen { ty, dims: None };
        }
        if !r.subscripts.is_empty() {
            let open = Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Unknown };
            return Seen { ty, dims: Some(vec![open]) };
        }
        let places: FxHashMap<SymbolId, i64> = {
            let whole = call.arguments.iter().enumerate().filter_map(|(k, a)| Some((a.value.as_var()?, k)));
            let whole = whole.filter(|(r, _)| r.subscripts.is_empty() && self.p.symbol(r.symbol).rank == 0);
            whole.map(|(r, k)| (r.symbol, -(k as i64) - 1)).collect()
        };
        let dims = s.decl.iter().flat_map(|d| &d.dims).map(|d| {
            let one = matches!(&d.lower, Bound::Expr(e) if e.as_int() == Some(1));
            let upper = match &d.upper {
                Bound::Expr(e) if one => match (e.as_int().filter(|n| *n >= 0), e.as_var().and_then(|r| places.get(&r.symbol))) {
                    (Some(n), _) => Bound::Expr(Expr::int(n)),
                    (_, Some(&place)) => Bound::Expr(Expr::int(place)),
                    _ => Bound::Unknown,
                },
                _ => Bound::Unknown,
            };
            Dim { lower: Bound::Expr(Expr::int(1)), upper }
        });
        let dims: Vec<Dim> = dims.collect();
        let all = dims.iter().all(|d| d.upper != Bound::Unknown);
        let open = || vec![Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Unknown }];
        Seen { ty, dims: Some(if all { dims } else { open() }) }
    }
}

/// The calls of a procedure in a unit.
fn calls_of(unit: &Unit, symbol: SymbolId) -> impl Iterator<Item = &Call> {
    let stmts = unit.graph.node_weights().flat_map(|v| v.stmts());
    stmts.filter_map(move |s| match &s.kind {
        StmtKind::Call(c) if c.callee == symbol => Some(c),
        _ => None,
    })
}
