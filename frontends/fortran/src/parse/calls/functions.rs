//! Calls of functions: statements of their own, whose results are values.
//!
//! Lives here: temporaries for results. Never here: intrinsic functions.

use crate::parse::context::arguments::Raw;
use crate::parse::context::intrinsic_names::is_intrinsic;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, substitute, type_text};
use rustc_hash::FxHashMap;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// A function reference that is no array element.
    pub fn function(&mut self, callee: Node<'t>, name: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        if self.means_intrinsic(name) {
            if let Some(s) = self.names.get(&(self.cur.scope, name.to_string())).copied()
                && self.p.symbol(s).kind == SymbolKind::Variable
            {
                // Its type was declared, which changes nothing.
                self.remove(s);
            }
            return self.intrinsic(name, list, node);
        }
        self.needs_graph(node)?;
        let (raws, passed) = self.evaluated_with(Some(list))?;
        let symbol = match self.procedure(callee, name, &raws, true) {
            // A generic name that adds to an intrinsic.
            Err(why) if why.code == "OB3033" && is_intrinsic(name) && !self.calls_user(list) => return self.intrinsic(name, list, node),
            found => found?,
        };
        let symbol = self.specialised(symbol, &passed)?;
        if self.p.symbol(symbol).ty.base == BaseType::Void && !self.proc_of.contains_key(&symbol) {
            // `external f` alone: the type is the implicit one.
            let Some(t) = self.implicit_type(self.cur.scope, name) else {
                return Err(self.refuse(callee, "OB3010", format!("`{name}` is not declared")));
            };
            self.p.symbol_mut(symbol).ty = t.ty;
        }
        self.call_function(symbol, raws, node)
    }

    /// A call of a function into a temporary.
    pub fn call_function(&mut self, symbol: SymbolId, raws: Vec<Raw<'t>>, node: Node<'t>) -> Lowered<Val> {
        let bound = self.matched(symbol, raws, node)?;
        if self.is_elementwise(symbol, &bound)
            && let Some(v) = self.call_elements(symbol, bound.clone(), node, None)?
        {
            return Ok(v);
        }
        if self.hands_over_structures(symbol, &bound) {
            let mut d = *self.refuse(node, "OB3020", "a structure is passed to a function whose text is not given");
            d.help = Some("give the file that defines the function as well".into());
            return Err(Box::new(d));
        }
        let arguments = self.actuals(symbol, bound)?;
        self.finish_function(symbol, arguments, node, None)
    }

    /// The call itself, its result into `target` or a temporary.
    pub fn finish_function(
        &mut self,
        symbol: SymbolId,
        mut arguments: Vec<CallArgument>,
        node: Node<'t>,
        target: Option<(VarRef, String)>,
    ) -> Lowered<Val> {
        let proc = self.proc_of.get(&symbol).copied();
        let result = proc.and_then(|p| self.procs[p].formals.iter().find(|f| f.result).map(|f| f.symbol));
        if proc.is_some() && result.is_none() {
            return Err(self.refuse(node, "OB3032", format!("`{}` is no function", self.p.symbol(symbol).name)));
        }
        let (ty, rank) = match result {
            Some(r) => (self.p.symbol(r).ty, self.p.symbol(r).rank),
            None => (self.p.symbol(symbol).ty, 0),
        };
        if ty.base == BaseType::Void {
            return Err(self.refuse(node, "OB3032", format!("`{}` is no function", self.p.symbol(symbol).name)));
        }
        if ty.base == BaseType::Opaque {
            let code = if self.is_complex(node) { "OB3021" } else { "OB3020" };
            return Err(self.refuse(node, code, "a function whose result is of derived or complex type"));
        }
        let stem = self.p.symbol(symbol).name.to_string();
        let count = proc.map_or(arguments.len() as u32 + 1, |p| self.procs[p].formals.len() as u32);
        let direct = target.is_some();
        let reference = match target {
            Some((r, comment)) => {
                self.cur.comment = comment;
                r
            }
            None if rank == 0 => {
                let text = result
                    .and_then(|r| self.p.symbol(r).decl.as_ref().map(|d| d.type_text.to_string()))
                    .filter(|_| ty.base == BaseType::String);
                let text = text.filter(|t| !t.contains("(*)") && !t.contains("=*")).unwrap_or_else(|| type_text(ty));
                VarRef::whole(self.temp(&stem, ty, &text, Vec::new(), false, self.file().span(node)))
            }
            None => {
                let dims = self.result_dims(symbol, result, &arguments, node)?;
                VarRef::whole(self.array_temp(&stem, ty, dims, node))
            }
        };
        arguments.push(CallArgument::new(count, Expr::var(reference.clone())));
        let call = Call { callee: symbol, arguments, formal_count: Some(count), active: Tri::Undefined };
        self.note_call(symbol);
        self.emit(StmtKind::Call(call), node, !direct);
        Ok(Val::new(Expr::var(reference), ty, rank))
    }

    /// The shape of an array function's result in the caller's terms.
    fn result_dims(
        &self,
        symbol: SymbolId,
        result: Option<SymbolId>,
        arguments: &[CallArgument],
        node: Node,
    ) -> Lowered<Vec<(Expr, Expr)>> {
        let refusal = || {
            let mut d =
                *self.refuse(node, "OB3037", format!("the shape of the result of `{}` is not known here", self.p.symbol(symbol).name));
            d.help = Some("make it a subroutine with an output argument".into());
            Box::new(d)
        };
        let proc = self.proc_of.get(&symbol).copied().ok_or_else(refusal)?;
        let mut map = FxHashMap::default();
        for f in &self.procs[proc].formals {
            if let Some(a) = arguments.iter().find(|a| a.position == f.position) {
                map.insert(f.symbol, a.value.clone());
            }
        }
        let callee_scope = self.procs[proc].scope;
        let decl = result.and_then(|r| self.p.symbol(r).decl.clone()).ok_or_else(refusal)?;
        let mut out = Vec::new();
        for d in &decl.dims {
            let (Bound::Expr(l), Bound::Expr(u)) = (&d.lower, &d.upper) else { return Err(refusal()) };
            let (Some(l), Some(u)) = (substitute(l, &map), substitute(u, &map)) else { return Err(refusal()) };
            let mut foreign = false;
            for e in [&l, &u] {
                e.for_each_ref(&mut |r| {
                    let s = self.p.symbol(r.symbol);
                    foreign |= s.scope == callee_scope || self.lookup(self.cur.scope, &s.name.to_ascii_lowercase()) != Some(r.symbol);
                });
            }
            if foreign {
                return Err(refusal());
            }
            out.push((l, u));
        }
        Ok(out)
    }
}
