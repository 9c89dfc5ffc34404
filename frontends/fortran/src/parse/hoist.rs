//! What must become statements of its own: calls of functions, array constructors, products.
//!
//! Lives here: temporaries and the statements that fill them. Never here: which statement asked for them.

use super::calls::Raw;
use super::expressions::{Val, combine, op};
use super::members::type_name;
use super::scope::{Lower, Lowered, ProcKind};
use super::tree::{field, named, walk};
use rustc_hash::FxHashMap;
use tree_sitter::Node;
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::*;

/// Whether a dummy takes objects of types that extend its own.
fn is_class(dummy: &Symbol) -> bool {
    dummy.decl.as_ref().and_then(|d| d.type_text.get(..5).map(|w| w.eq_ignore_ascii_case("class"))).unwrap_or_default()
}

/// How a declaration of a type is spelled.
pub(super) fn type_text(ty: ElemType) -> String {
    let kind = if ty.bits == 80 { 10 } else { ty.bits / 8 };
    match (ty.base, ty.bits) {
        (BaseType::Real, 64) => "double precision".into(),
        (BaseType::Real, 32 | 0) => "real".into(),
        (BaseType::Real, _) => format!("real({kind})"),
        (BaseType::Integer, 32 | 0) => "integer".into(),
        (BaseType::Integer, _) => format!("integer({kind})"),
        (BaseType::Bool, _) => "logical".into(),
        (BaseType::Complex, 64) => "complex(8)".into(),
        (BaseType::Complex, _) => "complex".into(),
        _ => "character(len=256)".into(),
    }
}

pub(super) fn int_op(name: &str, a: Expr, b: Expr) -> Expr {
    match (name, a.as_int(), b.as_int()) {
        ("add_scal_scal", Some(x), Some(y)) if x.checked_add(y).is_some() => Expr::int(x + y),
        ("sub_scal_scal", Some(x), Some(y)) if x.checked_sub(y).is_some() => Expr::int(x - y),
        ("add_scal_scal", _, Some(0)) => a,
        ("sub_scal_scal", _, Some(0)) => a,
        ("div_scal_scal", _, Some(1)) | ("mul_scal_scal", _, Some(1)) => a,
        _ => op(name, "", None, [a, b]),
    }
}

/// The expression with variables replaced; `None` where a replaced array is subscripted.
pub(super) fn substitute(e: &Expr, map: &FxHashMap<SymbolId, Expr>) -> Option<Expr> {
    let mut parts: Vec<Expr> = Vec::with_capacity(e.nodes.len());
    for n in &e.nodes {
        let part = match &n.kind {
            NodeKind::Var(r) => match map.get(&r.symbol) {
                Some(with) if r.subscripts.is_empty() => with.clone(),
                Some(with) => {
                    let whole = with.as_var().filter(|w| w.subscripts.is_empty())?;
                    let mut r = r.clone();
                    r.symbol = whole.symbol;
                    for e in r.index_exprs_mut() {
                        *e = substitute(e, map)?;
                    }
                    Expr::var(r)
                }
                None => {
                    let mut r = r.clone();
                    for e in r.index_exprs_mut() {
                        *e = substitute(e, map)?;
                    }
                    Expr::var(r)
                }
            },
            kind => combine(kind.clone(), n.operands.iter().map(|o| parts[o.index()].clone())),
        };
        // A leaf's `combine` makes a node without operands.
        parts.push(part);
    }
    parts.pop()
}

impl<'t> Lower<'t> {
    /// Adds a statement to the graph, with the place of the statement or expression it comes from.
    pub fn emit(&mut self, mut kind: StmtKind, node: Node<'t>, node_text: bool) {
        if let StmtKind::Marker(m) = &mut kind {
            self.with_members(&mut m.reads);
            self.with_members(&mut m.writes);
        }
        let file = self.file();
        let from = if node_text { node } else { self.cur.statement.unwrap_or(node) };
        let mut s = Stmt::new(kind);
        s.span = file.span(from);
        s.line = s.span.line;
        s.text = file.squeezed(from).replace('\n', " ").into();
        if !node_text {
            s.comment = std::mem::take(&mut self.cur.comment).into();
        }
        if let Some(g) = &mut self.cur.graph {
            g.stmt(s);
        }
    }

    /// Emits what waits for the statement's end.
    pub fn flush_after(&mut self) {
        for s in std::mem::take(&mut self.cur.after) {
            if let Some(g) = &mut self.cur.graph {
                g.stmt(s);
            }
        }
    }

    pub fn needs_graph(&self, node: Node) -> Lowered<()> {
        if self.cur.graph.is_some() { Ok(()) } else { Err(self.refuse(node, "OB3045", "a call is not supported in a declaration")) }
    }

    /// Whether lowering this expression makes statements.
    pub fn calls_units(&self, node: Node) -> bool {
        self.calls_units_in(node, 0)
    }

    fn calls_units_in(&self, node: Node, depth: usize) -> bool {
        let mut found = false;
        walk(node, &mut |n| {
            if matches!(n.kind(), "array_literal" | "concatenation_expression" | "derived_type_member_expression") {
                found = true;
            }
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first().filter(|c| c.kind() == "identifier")
            {
                let name = self.lower(*callee);
                if let Some(f) = self.statement_function(&name) {
                    found |= depth > 20 || field(f.definition, "right").is_some_and(|b| self.calls_units_in(b, depth + 1));
                } else {
                    let array = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.kind != SymbolKind::Subroutine && (s.rank > 0 || s.ty.base == BaseType::String)
                    });
                    let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
                    let text = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.rank == 0 && s.ty.base == BaseType::String
                    });
                    found |= text || matches!(name.as_str(), "trim" | "adjustl" | "adjustr" | "repeat" | "achar" | "char");
                    let several = named(n).get(1).is_some_and(|l| named(*l).len() > 1);
                    let loops = match name.as_str() {
                        "sum" | "maxval" | "minval" | "count" | "any" | "all" | "norm2" => several,
                        "product" | "spread" | "reshape" | "cshift" | "eoshift" | "pack" | "unpack" => true,
                        _ => false,
                    };
                    found |= !array && !framed && (loops || !self.means_intrinsic(&name));
                }
            }
            !found
        });
        found
    }

    /// Whether a name with arguments is an intrinsic function here.
    pub fn means_intrinsic(&self, name: &str) -> bool {
        if !super::intrinsics::is_intrinsic(name) || !self.generic(self.cur.scope, name).is_empty() {
            return false;
        }
        match self.lookup(self.cur.scope, name) {
            None => true,
            Some(s) => {
                let s = self.p.symbol(s);
                if s.kind == SymbolKind::Subroutine {
                    s.scope == ScopeId(0) && !self.names.contains_key(&(self.cur.scope, name.to_string()))
                } else {
                    s.rank == 0 && !s.has_attribute("external") && *s.storage() != Storage::Argument
                }
            }
        }
    }

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
        let symbol = self.procedure(callee, name, &raws, true)?;
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

    /// The procedures among those of a generic name that code here can call, by their names where they are. They may have no names here; derivative code can
    /// import them, and makes them public, if the text does not say that they are private. What has such a name here is something else.
    pub fn usable(&self, specifics: &[(ScopeId, String)]) -> Vec<SymbolId> {
        let open = |place: ScopeId, s: &str| !self.info[place.index()].private.contains(s);
        let symbols = specifics.iter().filter_map(|(place, s)| {
            let symbol = self.lookup(*place, s)?;
            let here = self.lookup(self.cur.scope, s);
            here.map_or_else(|| open(*place, s), |h| h == symbol).then_some(symbol)
        });
        symbols.collect()
    }

    /// The unit that a name in a call or function reference means.
    pub fn procedure(&mut self, callee: Node<'t>, name: &str, raws: &[Raw<'t>], function: bool) -> Lowered<SymbolId> {
        let specifics = self.generic(self.cur.scope, name);
        let is_record = |n: &str| n.starts_with("overbar_push") || n.starts_with("overbar_pop");
        let of_runtime = |(place, s): &(ScopeId, String)| {
            let module = self.p.units.iter().find(|u| u.scope == *place).map(|u| self.p.symbol(u.symbol).name.to_ascii_lowercase());
            module.as_deref() == Some("overbar_runtime") && (s.starts_with("push_") || s.starts_with("pop_"))
        };
        if is_record(&name.to_ascii_lowercase()) || specifics.iter().any(of_runtime) {
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
            .map(|r| if r.value.ty.base == BaseType::Opaque { self.declared_type(r.node).and_then(|t| type_name(&t)) } else { None })
            .collect();
        let (mut uncertain, mut fitting) = (false, 0);
        for &symbol in specifics {
            let Some(&proc) = self.proc_of.get(&symbol) else { continue };
            let p = &self.procs[proc];
            if (p.kind == ProcKind::Function) != function {
                continue;
            }
            let formals: Vec<_> =
                p.formals.iter().filter(|f| !f.result).map(|f| self.p.symbol(f.symbol)).filter(|s| !super::members::is_member(s)).collect();
            let mut given = vec![false; formals.len()];
            let mut doubtful = false;
            let fits = raws.iter().enumerate().all(|(i, raw)| {
                let at = match raw.keyword.as_str() {
                    "" => Some(i),
                    k => formals.iter().position(|f| f.name.eq_ignore_ascii_case(k)),
                };
                let Some((f, g)) = at.and_then(|at| Some((formals.get(at)?, given.get_mut(at)?))) else { return false };
                *g = true;
                let wanted = f.decl.as_ref().and_then(|d| type_name(&d.type_text)).filter(|_| f.ty.base == BaseType::Opaque);
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
        if matches!(ty.base, BaseType::Opaque | BaseType::Complex) {
            let code = if ty.base == BaseType::Opaque { "OB3020" } else { "OB3021" };
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

    /// A temporary array; allocated here and freed behind the statement unless its bounds are the same throughout the procedure.
    pub fn array_temp(&mut self, stem: &str, ty: ElemType, dims: Vec<(Expr, Expr)>, node: Node<'t>) -> SymbolId {
        let constant = dims.iter().all(|(l, u)| self.is_settled(l) && self.is_settled(u));
        let span = self.file().span(node);
        let declared = dims.iter().map(|(l, u)| match constant {
            true => Dim { lower: Bound::Expr(l.clone()), upper: Bound::Expr(u.clone()) },
            false => Dim::default(),
        });
        let declared = declared.collect();
        let symbol = self.temp(stem, ty, &type_text(ty), declared, !constant, span);
        if !constant {
            let name = self.p.symbol(symbol).name.clone();
            let mut object = VarRef::whole(symbol);
            object.subscripts = dims.into_iter().map(|(l, u)| Triplet { index: Some(l), bound: Some(u), stride: None }).collect();
            let mut reads = Vec::new();
            for e in object.index_exprs() {
                e.for_each_ref(&mut |r| reads.push(r.symbol));
            }
            reads.sort_unstable();
            reads.dedup();
            let marker = Marker {
                class: MarkerClass::Allocate,
                text: format!("allocate({name})"),
                object: Some(object),
                reads,
                writes: vec![symbol],
                ..Marker::default()
            };
            self.emit(StmtKind::Marker(Box::new(marker)), node, true);
            let text = format!("deallocate({name})");
            let marker = Marker {
                class: MarkerClass::Deallocate,
                text: text.clone(),
                object: Some(VarRef::whole(symbol)),
                writes: vec![symbol],
                ..Marker::default()
            };
            let mut s = Stmt::new(StmtKind::Marker(Box::new(marker)));
            (s.span, s.line, s.text) = (span, span.line, text.into());
            self.cur.after.push(s);
        }
        symbol
    }

    /// Whether a bound is made of constants and of integers that the procedure only reads.
    fn is_settled(&self, e: &Expr) -> bool {
        let plain = |s: SymbolId| self.p.symbol(s).rank == 0 && !self.p.symbol(s).has_attribute("optional");
        e.nodes.iter().all(|n| !matches!(n.kind, NodeKind::FunctionCall(_)))
            && e.every_ref(&|r| r.subscripts.is_empty() && plain(r.symbol) && self.is_declared_input(r.symbol))
    }

    /// The bounds 1:n of each dimension of an array expression.
    pub fn extents(&self, e: &Expr, at: NodeId, depth: usize) -> Option<Vec<(Expr, Expr)>> {
        if depth > 100 {
            return None;
        }
        let node = e.node_at(at);
        // Scalars among the operands have no extents.
        let arrays = || node.operands.iter().find_map(|&n| self.extents(e, n, depth + 1).filter(|d| !d.is_empty()));
        match &node.kind {
            NodeKind::Var(r) => {
                let s = self.p.symbol(r.symbol);
                let dims = s.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
                let bound = |k: usize, upper: bool| -> Option<Expr> {
                    let d = dims.get(k)?;
                    match if upper { &d.upper } else { &d.lower } {
                        Bound::Expr(e) if e.as_int().is_some() => Some(e.clone()),
                        Bound::Unknown if upper && s.passing() == Passing::Reference && !s.has_attribute("allocatable") => None,
                        _ => Some(op(if upper { "ubound" } else { "lbound" }, "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)])),
                    }
                };
                let extent = |k: usize| -> Option<Expr> {
                    if let Some(Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) }) = dims.get(k)
                        && l.as_int() == Some(1)
                        && self.is_settled(u)
                    {
                        return Some(u.clone());
                    }
                    match (bound(k, false)?, bound(k, true)?) {
                        (l, u) if l.as_int().is_some() && u.as_int().is_some() => {
                            Some(int_op("add_scal_scal", int_op("sub_scal_scal", u, l), Expr::int(1)))
                        }
                        _ => Some(op("size", "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)])),
                    }
                };
                if r.subscripts.is_empty() {
                    return (0..s.rank as usize).map(|k| Some((Expr::int(1), extent(k)?))).collect();
                }
                let mut out = Vec::new();
                for (k, t) in r.subscripts.iter().enumerate() {
                    if !t.is_section() {
                        if let Some(i) = t.index.as_ref().filter(|i| xaif::types::of(&self.p, i).rank > 0) {
                            out.extend(self.extents(i, i.root_id(), depth + 1)?);
                        }
                        continue;
                    }
                    if t.index.is_none() && t.bound.is_none() && t.stride.is_none() {
                        out.push((Expr::int(1), extent(k)?));
                        continue;
                    }
                    let lower = t.index.clone().or_else(|| bound(k, false))?;
                    let upper = t.bound.clone().or_else(|| bound(k, true))?;
                    let stride = t.stride.clone().unwrap_or_else(|| Expr::int(1));
                    if stride.as_int() == Some(1) {
                        out.push((Expr::int(1), super::shapes::length(lower, upper)));
                        continue;
                    }
                    let n = int_op("add_scal_scal", int_op("sub_scal_scal", upper, lower), stride.clone());
                    out.push((Expr::int(1), int_op("div_scal_scal", n, stride)));
                }
                Some(out)
            }
            NodeKind::Op(o) => {
                let shape = Catalogue::builtin().get(&o.name).map(|i| i.shape)?;
                let first = |i: usize| node.operands.get(i).and_then(|&n| self.extents(e, n, depth + 1));
                match shape {
                    ResultShape::Scalar => None,
                    ResultShape::Elementwise => arrays(),
                    ResultShape::Special => match o.name.as_str() {
                        "transpose_arr" => first(0).map(|mut d| {
                            d.reverse();
                            d
                        }),
                        "matmul_arr" => {
                            let (mut a, mut b) = (first(0)?, first(1)?);
                            a.pop();
                            b.remove(0);
                            a.extend(b);
                            Some(a)
                        }
                        _ => None,
                    },
                }
            }
            NodeKind::Bool(_) => arrays(),
            _ => None,
        }
    }

    /// The value of an array expression in a temporary array.
    pub fn array_value(&mut self, stem: &str, v: Val, node: Node<'t>) -> Lowered<SymbolId> {
        let dims = self.known_extents(&v, node)?;
        self.needs_graph(node)?;
        let symbol = self.array_temp(stem, v.ty, dims, node);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(symbol), rhs: v.e }, node, true);
        Ok(symbol)
    }

    /// `t = a; if (t) t = b` for `a .and. b` where b makes statements.
    pub fn short_circuit(&mut self, sign: &str, left: Val, right: Node<'t>) -> Lowered<Val> {
        self.needs_graph(right)?;
        self.logical(&left, right)?;
        if left.rank > 0 && self.calls_pure_only(right) {
            // Both sides may be evaluated.
            let value = self.expr(right)?;
            return self.apply(sign, left, value, right);
        }
        if left.rank > 0 {
            return Err(self.refuse(right, "OB3040", "function reference beside an array of truth values"));
        }
        let t = self.temp("test", ElemType::BOOL, "logical", Vec::new(), false, self.file().span(right));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: left.e }, right, true);
        let condition = if sign == ".and." { Expr::sym(t) } else { combine(NodeKind::Bool(BoolOp::Not), [Expr::sym(t)]) };
        if let Some(g) = &mut self.cur.graph {
            g.begin_branch(condition);
            g.arm(&[1]);
        }
        let outer = std::mem::take(&mut self.cur.after);
        let value = self.expr(right);
        if let Ok(v) = &value {
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e.clone() }, right, true);
        }
        self.flush_after();
        self.cur.after = outer;
        if let Some(g) = &mut self.cur.graph {
            g.end_branch();
        }
        self.logical(&value?, right)?;
        Ok(Val::new(Expr::sym(t), ElemType::BOOL, 0))
    }

    /// A text expression in a variable of its own, filled by an opaque statement: the model has no operations on text.
    pub fn text_value(&mut self, node: Node<'t>) -> Lowered<Val> {
        if self.cur.graph.is_none() || self.calls_user(node) || !self.cur.frames.is_empty() {
            return Err(self.refuse(node, "OB3044", "text expression"));
        }
        let ty = ElemType { base: BaseType::String, bits: 0 };
        let t = self.temp("text", ty, "character(len=:)", Vec::new(), true, self.file().span(node));
        let text = format!("{} = {}", self.p.symbol(t).name, self.file().squeezed(node));
        let reads = self.symbols_in(node)?;
        let marker = Marker { class: MarkerClass::Passive, text, reads, writes: vec![t], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
        Ok(Val::new(Expr::sym(t), ty, 0))
    }

    /// Adds an edge to the call graph.
    pub fn note_call(&mut self, callee: SymbolId) {
        if let Some(&callee) = self.proc_of.get(&callee) {
            self.calls.insert((self.cur.proc, callee));
        }
    }
}
