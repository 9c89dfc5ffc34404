//! Actual arguments of calls.
//!
//! Lives here: what is passed for which dummy argument. Never here: which procedure is meant (see `procedures`).

use crate::parse::context::arguments::{Actual, Passed, Raw};
use crate::parse::context::state::{Lower, Lowered, Refusal};
use crate::parse::context::structures::{is_component, is_member};
use crate::parse::context::terms::{Val, op, type_text};
use crate::parse::text::tree::{field, named};
use smol_str::SmolStr;
use tree_sitter::Node;
use xaif::model::{Node as Node_, *};

/// What is known of a dummy argument.
struct Dummy {
    name: SmolStr,
    position: u32,
    ty: ElemType,
    rank: u8,
    descriptor: bool,
    pointer: bool,
    value: bool,
    optional: bool,
    /// It is not changed.
    input: bool,
}

/// The value of a lower bound that is a number.
fn lower_bound(b: &Bound) -> Option<i64> {
    match b {
        Bound::Expr(e) => e.as_int(),
        Bound::Unknown => None,
    }
}

impl<'t> Lower<'t> {
    fn dummies(&self, symbol: SymbolId) -> Option<Vec<Dummy>> {
        let proc = &self.procs[*self.proc_of.get(&symbol)?];
        let returned = self.structure_result(symbol);
        Some(
            proc.formals
                .iter()
                .filter(|f| !f.result && Some(f.symbol) != returned && !is_member(self.p.symbol(f.symbol)))
                .map(|f| {
                    let s = self.p.symbol(f.symbol);
                    Dummy {
                        name: s.name.clone(),
                        position: f.position,
                        ty: s.ty,
                        rank: s.rank,
                        pointer: s.pointer,
                        descriptor: s.passing() == Passing::Descriptor,
                        value: s.passing() == Passing::Value,
                        optional: s.has_attribute("optional"),
                        input: f.intent_declared && f.intent == Intent::In || s.passing() == Passing::Value,
                    }
                })
                .collect(),
        )
    }

    /// The values of the actual arguments, in text order.
    pub fn evaluated(&mut self, list: Option<Node<'t>>) -> Lowered<Vec<Raw<'t>>> {
        let (raws, passed) = self.evaluated_with(list)?;
        match passed.first() {
            Some(p) => Err(self.passes_procedure(p.node)),
            None => Ok(raws),
        }
    }

    /// The same with the procedures among them apart.
    pub fn evaluated_with(&mut self, list: Option<Node<'t>>) -> Lowered<(Vec<Raw<'t>>, Vec<Passed<'t>>)> {
        let mut out: Vec<Raw> = Vec::new();
        let mut passed: Vec<Passed> = Vec::new();
        for (place, a) in list.map(named).unwrap_or_default().into_iter().enumerate() {
            let mut keyword = String::new();
            let mut node = a;
            if a.kind() == "keyword_argument" {
                let (Some(k), Some(v)) = (field(a, "name"), field(a, "value")) else { continue };
                keyword = self.lower(k);
                node = v;
            }
            if matches!(node.kind(), "assumed_size" | "extent_specifier" | "assumed_rank") {
                let mut d = *self.refuse(node, "OB3025", "alternate return");
                d.help = Some("return a status argument and branch on it".into());
                return Err(Box::new(d));
            }
            if node.kind() == "identifier"
                && let Some(target) = self.passed_procedure(node)?
            {
                passed.push(Passed { place, keyword, target, node });
                continue;
            }
            let rows = if node.kind() == "identifier" { self.overlay(&self.lower(node)).filter(|o| o.dims.len() > 1) } else { None };
            let value = match (rows.map(|o| self.overlaid_start(o)), self.passed_structure(node)?) {
                (Some(v), _) | (None, Some(v)) => v,
                (None, None) => match self.copied_component(node)? {
                    Some(v) => v,
                    None => self.expr(node)?,
                },
            };
            out.push(Raw { keyword, value, node, whole: a });
        }
        Ok((out, passed))
    }

    /// The arguments of a call by position, without the result.
    pub fn matched(&self, symbol: SymbolId, raws: Vec<Raw<'t>>, node: Node<'t>) -> Lowered<Vec<Actual<'t>>> {
        let dummies = self.dummies(symbol);
        if self.proc_of.get(&symbol).is_some_and(|p| {
            let p = &self.procs[*p];
            p.elemental && p.formals.iter().any(|f| is_member(self.p.symbol(f.symbol)))
        }) && raws.iter().any(|r| r.value.rank > 0)
        {
            return Err(self.refuse(node, "OB3020", "an elemental procedure is applied to arrays and structures"));
        }
        let stem = self.p.symbol(symbol).name.to_string();
        let elemental = self.proc_of.get(&symbol).is_some_and(|p| self.procs[*p].elemental);
        let mut out: Vec<Actual> = Vec::new();
        for (i, raw) in raws.into_iter().enumerate() {
            let mut position = match &dummies {
                Some(d) => d.get(i).map_or(u32::MAX, |d| d.position),
                None => i as u32 + 1,
            };
            let mut keyword = SmolStr::default();
            if !raw.keyword.is_empty() {
                let found = dummies.as_ref().and_then(|d| d.iter().find(|d| d.name.eq_ignore_ascii_case(&raw.keyword)));
                position = match found {
                    Some(d) => d.position,
                    None => return Err(self.refuse(raw.whole, "OB3032", format!("`{stem}` has no known argument `{}`", raw.keyword))),
                };
                keyword = raw.keyword.into();
            }
            let dummy = dummies.as_ref().map(|d| d.iter().find(|d| d.position == position));
            if let Some(None) = dummy {
                return Err(self.refuse(raw.node, "OB3032", format!("too many arguments for `{stem}`")));
            }
            if out.iter().any(|o| o.position == position) {
                return Err(self.refuse(raw.node, "OB3032", "the argument is passed twice"));
            }
            let dummy = dummy.flatten();
            let mut value = raw.value;
            if let Some(d) = dummy {
                if d.rank == 0 && !elemental {
                    value = self.first_element(symbol, value);
                }
                let rows = raw.node.kind() == "identifier" && self.overlay(&self.lower(raw.node)).is_some_and(|o| o.dims.len() > 1);
                if rows && (d.descriptor || d.rank == 0) {
                    return Err(
                        self.overlaid_refusal(raw.node, "an array that shares memory with others, for an argument of assumed shape")
                    );
                }
                if d.pointer && !value.e.as_var().is_some_and(|r| self.p.symbol(r.symbol).pointer && r.subscripts.is_empty()) {
                    let d = self.refuse(raw.node, "OB3022", format!("what is passed for the pointer `{}`", d.name));
                    return Err(Box::new(d.help("declare the argument without POINTER")));
                }
                self.fits(&value, d, elemental, raw.node)?;
            }
            // A component is handed over as a copy.
            let structure = dummy.is_some_and(|d| d.ty.base == BaseType::Opaque) && self.structure(raw.node).is_some();
            let own = structure || value.e.as_var().is_some_and(|r| is_member(self.p.symbol(r.symbol)));
            if is_component(raw.node) && !own && !dummy.is_some_and(|d| d.input) {
                let mut d = *self.refuse(raw.node, "OB3020", "a component of a derived type is passed for an argument that may be changed");
                d.help = Some("copy it to a variable and back, or declare the argument INTENT(IN)".into());
                return Err(Box::new(d));
            }
            out.push(Actual { position, keyword, value, by_value: dummy.is_some_and(|d| d.value), node: raw.node });
        }
        if let Some(d) = dummies.iter().flatten().find(|d| !d.optional && !out.iter().any(|o| o.position == d.position)) {
            return Err(self.refuse(node, "OB3032", format!("the argument `{}` of `{stem}` is missing", d.name)));
        }
        out.sort_by_key(|o| o.position);
        Ok(out)
    }

    /// What is passed for them.
    pub fn actuals(&mut self, symbol: SymbolId, bound: Vec<Actual<'t>>) -> Lowered<Vec<CallArgument>> {
        let stem = self.p.symbol(symbol).name.to_string();
        let members = self.member_arguments(symbol, &bound)?;
        let mut out = Vec::new();
        for a in bound {
            // What stands for it has come with its components.
            if members.iter().any(|m| m.position == a.position) {
                continue;
            }
            let value = self.passed(a.value, a.by_value, &stem, a.node)?;
            out.push(CallArgument { keyword: a.keyword, ..CallArgument::new(a.position, value) });
        }
        out.extend(members);
        out.sort_by_key(|a| a.position);
        Ok(out)
    }

    /// The procedure that an actual argument is, if it is one.
    fn passed_procedure(&mut self, node: Node<'t>) -> Lowered<Option<SymbolId>> {
        let name = self.lower(node);
        let procedure = match self.lookup(self.cur.scope, &name) {
            Some(s) => {
                let s = self.p.symbol(s);
                s.kind == SymbolKind::Subroutine
                    || s.has_attribute("external")
                    || s.has_attribute("intrinsic") && *s.storage() != Storage::Constant
            }
            None => false,
        };
        let Some(symbol) = self.lookup(self.cur.scope, &name).filter(|_| procedure) else { return Ok(None) };
        let s = self.p.symbol(symbol);
        let target = match s.kind == SymbolKind::Subroutine {
            true => Some(symbol),
            false if *s.storage() == Storage::Argument || s.has_attribute("intrinsic") || s.scope != self.cur.scope => None,
            false => self.names.get(&(ScopeId(0), name)).copied().filter(|g| self.p.symbol(*g).kind == SymbolKind::Subroutine),
        };
        match target {
            Some(t) => Ok(Some(t)),
            None => Err(self.passes_procedure(node)),
        }
    }

    /// The refusal of a procedure as an actual argument.
    pub fn passes_procedure(&self, node: Node<'t>) -> Refusal {
        let name = self.lower(node);
        let mut d = *self.refuse(node, "OB3030", format!("the procedure `{name}` is passed as an argument"));
        d.help = Some("write a version of the called procedure that calls it by name".into());
        Box::new(d)
    }

    /// A whole array that is passed to an external procedure for a scalar: old programs mean its first element.
    fn first_element(&self, callee: SymbolId, v: Val) -> Val {
        let external = self.proc_of.get(&callee).is_some_and(|p| self.procs[*p].host.is_none() && !self.procs[*p].interface_only);
        let Some(r) = v.e.as_var().filter(|r| external && v.rank > 0 && r.subscripts.is_empty()) else { return v };
        let symbol = self.p.symbol(r.symbol);
        if is_member(symbol) || v.ty.base == BaseType::Opaque {
            return v;
        }
        let declared: Vec<Option<i64>> = symbol.decl.iter().flat_map(|d| &d.dims).map(|d| lower_bound(&d.lower)).collect();
        let mut first = VarRef::whole(r.symbol);
        for k in 0..symbol.rank {
            let lower = match declared.get(usize::from(k)).copied().flatten() {
                Some(n) => Expr::int(n),
                None => op("lbound", "", None, [Expr::sym(r.symbol), Expr::int(i64::from(k) + 1)]),
            };
            first.subscripts.push(Triplet::element(lower));
        }
        Val::new(Expr::var(first), v.ty, 0)
    }

    fn fits(&self, v: &Val, d: &Dummy, elemental: bool, node: Node<'t>) -> Lowered<()> {
        if v.rank > 0 && d.rank == 0 && !elemental {
            let mut e = *self.refuse(node, "OB3040", "array argument for a scalar");
            e.help = Some("pass the element that is meant, or call it for each element in a loop".into());
            return Err(Box::new(e));
        }
        let element = v.e.as_var().is_some_and(|r| !r.subscripts.is_empty());
        if v.rank == 0 && d.rank > 0 && !element && v.ty.base != BaseType::String {
            return Err(self.refuse(node, "OB3032", format!("a scalar is passed for the array `{}`", d.name)));
        }
        if v.ty != d.ty
            && v.ty.base != BaseType::String
            && !(v.ty.base == d.ty.base && v.ty.base != BaseType::Real && v.ty.base != BaseType::Integer)
        {
            return Err(self.refuse(node, "OB3032", format!("type and kind differ from those of the argument `{}`", d.name)));
        }
        Ok(())
    }

    /// What is passed for a value: itself where it is a variable or a constant, else a temporary.
    pub fn passed(&mut self, v: Val, by_value: bool, stem: &str, node: Node<'t>) -> Lowered<Expr> {
        // What a vector of subscripts picks out cannot be changed by the callee: it is a value.
        let picked = v.e.as_var().is_some_and(|r| r.index_exprs().any(|e| xaif::types::of(&self.p, e).rank > 0));
        let variable = v.e.as_var().is_some() && !picked && node.kind() != "parenthesized_expression";
        if by_value || variable || v.e.as_constant().is_some() {
            return Ok(v.e);
        }
        // -1 is a constant too.
        if let [Node_ { kind: NodeKind::Const(c), .. }, Node_ { kind: NodeKind::Op(o), .. }] = &v.e.nodes[..]
            && o.name == "minus_scal"
        {
            let mut c = (**c).clone();
            c.value = smol_str::format_smolstr!("-{}", c.value);
            if !c.spelling.is_empty() {
                c.spelling = smol_str::format_smolstr!("-{}", c.spelling);
            }
            return Ok(Expr::constant(c));
        }
        if v.rank > 0 {
            let t = self.array_value(stem, v, node)?;
            return Ok(Expr::sym(t));
        }
        if v.ty.base == BaseType::String {
            // Text is passed as it stands: it has no length here.
            return Ok(v.e);
        }
        let t = self.temp(stem, v.ty, &type_text(v.ty), Vec::new(), false, self.file().span(node));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, node, true);
        Ok(Expr::sym(t))
    }
}
