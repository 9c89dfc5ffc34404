//! Components of derived types as variables of their own.
//!
//! ```text
//! type(state) :: s      ->     s, and with it  s%x, s%v, s%t
//! ```
//!
//! A variable of a derived type stays what it is, for statements that are kept as text; beside it stands a variable for each component that is a
//! number, a truth value or an array of them, with the variable's dimensions before its own. Where a variable is an argument its components are
//! arguments behind it. Lives here: making these variables. Never here: references to them (see `references`), components without a variable of their
//! own (see `components`).

use crate::parse::context::state::Lower;
use crate::parse::context::terms::op;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Makes variables of the components of everything that the specification part declares.
    pub fn make_members(&mut self) {
        let (scope, proc) = (self.cur.scope, self.cur.proc);
        for base in self.p.scope(scope).symbols.clone() {
            // A declaration may have asked for them.
            let name = self.p.symbol(base).name.clone();
            if !self.has_members(base, &name) {
                self.make_members_of(base);
            }
        }
        for (k, f) in self.procs[proc].formals.iter_mut().enumerate() {
            f.position = k as u32 + 1;
        }
    }

    /// The same for one variable, where a declaration further down needs them.
    pub fn make_members_of(&mut self, base: SymbolId) {
        let (scope, proc) = (self.cur.scope, self.cur.proc);
        let s = self.p.symbol(base);
        let odd = ["allocatable", "pointer", "optional", "value", "volatile", "external"].iter().any(|a| s.has_attribute(a));
        let target = s.has_attribute("target");
        // Tables of complex constants are read element by element.
        let constant = *s.storage() == Storage::Constant && !(self.is_complex_symbol(base) && s.rank > 0);
        let shared = constant || matches!(s.storage(), Storage::Common(_) | Storage::Extern);
        let result = self.procs[proc].formals.iter().any(|f| f.symbol == base && f.result);
        let result = result && !self.returns_structure(base);
        let s = self.p.symbol(base);
        if s.kind != SymbolKind::Variable || s.ty.base != BaseType::Opaque || odd || shared || result || s.passing() == Passing::Value {
            return;
        }
        let Some(mut decl) = s.decl.clone() else { return };
        let Some(of) = self.type_of_symbol(s) else { return };
        let (name, span, rank) = (s.name.clone(), s.span, s.rank);
        if target && self.may_be_pointed_at(&of) {
            return;
        }
        let members = self.members_of(&of, 0);
        if self.procs[proc].formals.iter().any(|f| f.symbol == base && f.result) {
            self.result_as_argument(base);
            decl.storage = Storage::Argument;
        }
        let mut formals = Vec::new();
        let formal = self.procs[proc].formals.iter().find(|f| f.symbol == base).cloned();
        for m in &members.list {
            // An array of structures with arrays in them is no array of numbers.
            let one_value = m.init.is_none_or(|(i, ..)| matches!(i.kind(), "number_literal" | "boolean_literal" | "unary_expression"));
            if rank > 0 && (m.allocatable || m.pointer || !one_value && !m.dims.is_empty()) || rank as usize + m.dims.len() > 7 {
                continue;
            }
            let mut symbol = Symbol::variable(format!("{name}%{}", m.path), m.ty, scope);
            symbol.span = span;
            symbol.rank = rank + m.dims.len() as u8;
            let d = symbol.decl.get_or_insert_default();
            d.type_text = m.text.clone();
            d.storage = decl.storage.clone();
            d.passing = decl.passing;
            d.dims = decl.dims.iter().chain(&m.dims).cloned().collect();
            if m.allocatable || m.pointer {
                d.attributes.push(if m.pointer { "pointer".into() } else { "allocatable".into() });
                d.passing = if formal.is_some() { Passing::Descriptor } else { d.passing };
            }
            if target {
                self.as_target(d);
            }
            if m.pointer {
                d.may_alias = true;
                symbol.kind = SymbolKind::Pointer;
                symbol.pointer = true;
            }
            d.attributes.extend(decl.attributes.iter().filter(|a| matches!(a.as_str(), "private" | "public" | "save")).cloned());
            let leaf = self.add(symbol);
            self.scope_info(scope).typed.insert(leaf);
            let out = formal.as_ref().is_some_and(|f| f.intent == Intent::Out && f.intent_declared);
            // Where a declaration asks for them it is not yet settled where arguments are.
            if let Some(i) = m.init
                && (formal.is_none() && decl.storage == Storage::Local || out)
            {
                self.new_values.push((scope, leaf, i));
            }
            if let Some(f) = &formal {
                // A structure that is only read may lead to what is written.
                let (intent, intent_declared) = if m.pointer { (Intent::Inout, false) } else { (f.intent, f.intent_declared) };
                formals.push(Formal { symbol: leaf, intent, intent_declared, ..f.clone() });
            }
        }
        if let Some(at) = self.procs[proc].formals.iter().position(|f| f.symbol == base) {
            self.procs[proc].formals.splice(at + 1..at + 1, formals);
        }
    }

    /// Gives new variables the initial values of their types.
    pub fn initial_members(&mut self) {
        let scope = self.cur.scope;
        let values: Vec<_> = self.new_values.iter().filter(|(s, ..)| *s == scope).map(|(_, leaf, i)| (*leaf, *i)).collect();
        for (leaf, (init, file, around)) in values {
            let here = (std::mem::replace(&mut self.cur.scope, around), std::mem::replace(&mut self.cur.file, file));
            let value = self.expr(init);
            if let Ok(v) = value {
                let v = self.converted(v, self.p.symbol(leaf).ty);
                self.cur.scope = scope;
                let (outer, inner) = self.outer_bounds(leaf);
                let indices = self.open_nest(&outer, init);
                let mut lhs = VarRef::whole(leaf);
                if !indices.is_empty() {
                    let elements = indices.iter().map(|i| Triplet::element(Expr::sym(*i)));
                    lhs.subscripts = elements.chain((0..inner).map(|_| Triplet::default())).collect();
                }
                self.emit(StmtKind::Assignment { lhs, rhs: v.e }, init, true);
                self.close_nest(indices);
            }
            (self.cur.scope, self.cur.file) = here;
        }
    }

    /// The bounds of the array of structures that an array is a component of, and the array's own rank; no bounds where one reference may take all.
    fn outer_bounds(&self, leaf: SymbolId) -> (Vec<(Expr, Expr)>, u8) {
        let s = self.p.symbol(leaf);
        let base = s.name.split('%').next().unwrap_or_default().to_ascii_lowercase();
        let rank = self.names.get(&(s.scope, base)).map_or(0, |b| self.p.symbol(*b).rank);
        if rank == 0 || rank == s.rank {
            return (Vec::new(), s.rank);
        }
        let dims = s.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        let bound = |b: &Bound, name: &str, k: usize| match b {
            Bound::Expr(e) => e.clone(),
            _ => op(name, "", None, [Expr::sym(leaf), Expr::int(k as i64 + 1)]),
        };
        let both = |(k, d): (usize, &Dim)| (bound(&d.lower, "lbound", k), bound(&d.upper, "ubound", k));
        (dims.iter().take(rank as usize).enumerate().map(both).collect(), s.rank - rank)
    }

    /// Whether there are variables below that path of a structure.
    pub fn has_members(&self, base: SymbolId, path: &str) -> bool {
        let start = format!("{path}%");
        let symbols = &self.p.scope(self.p.symbol(base).scope).symbols;
        symbols.iter().any(|s| self.p.symbol(*s).name.get(..start.len()).is_some_and(|n| n.eq_ignore_ascii_case(&start)))
    }
}
