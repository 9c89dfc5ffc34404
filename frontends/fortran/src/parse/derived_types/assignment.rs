//! Structures as wholes: assigned to one another, or passed to procedures, component by component.
//!
//! Lives here: what becomes of the components. Never here: single components.

use super::references::Structure;
use crate::parse::context::arguments::Actual;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::{Member, complex_bits, is_component, members_in, type_name};
use crate::parse::context::terms::{Val, type_text};
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The components of the structures among the arguments of a call.
    pub fn member_arguments(&mut self, callee: SymbolId, bound: &[Actual<'t>]) -> Lowered<Vec<CallArgument>> {
        let mut out = Vec::new();
        let Some(&proc) = self.proc_of.get(&callee) else { return Ok(out) };
        let formals: Vec<(u32, SymbolId)> = self.procs[proc].formals.iter().map(|f| (f.position, f.symbol)).collect();
        for a in bound {
            let Some(&(_, base)) = formals.iter().find(|(p, _)| *p == a.position) else { continue };
            let base = self.p.symbol(base);
            if base.ty.base != BaseType::Opaque {
                continue;
            }
            let start = format!("{}%", base.name);
            let wanted: Vec<(u32, String)> =
                formals.iter().filter_map(|(p, s)| Some((*p, self.p.symbol(*s).name.strip_prefix(&start)?.to_ascii_lowercase()))).collect();
            if wanted.is_empty() && self.procs[proc].failed.is_empty() && !self.procs[proc].interface_only {
                // What such a procedure does to components it does to variables of which it knows nothing.
                let real = |m: &SymbolId| self.p.symbol(*m).ty.base == BaseType::Real;
                let known = a.value.e.as_var().is_some_and(|r| members_in(&self.p, r.symbol).iter().any(real));
                if known {
                    let mut d = *self.refuse(
                        a.node,
                        "OB3020",
                        "a structure with real components is passed for an argument whose components are not known",
                    );
                    d.reason = Some("the argument is a pointer, may be absent or is allocated by the procedure".into());
                    d.help = Some("pass the components".into());
                    return Err(Box::new(d));
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let formal_rank = base.rank;
            let complex = base.decl.as_ref().is_some_and(|d| complex_bits(&d.type_text).is_some());
            let open_numbers = complex && formal_rank > 0 && base.passing() != Passing::Descriptor;
            let unknown = |l: &Self| {
                let mut d = *l.refuse(a.node, "OB3020", "a structure whose components are not known is passed");
                d.help = Some("pass a variable of that type".into());
                Box::new(d)
            };
            let intent = self.procs[proc].formals.iter().find(|f| f.position == a.position).map(|f| (f.intent_declared, f.intent));
            let copied = |l: &mut Self| match intent {
                // A component was copied when it was looked at.
                Some((true, Intent::In)) if is_component(a.node) => Ok(a.value.e.as_var().map(|r| r.symbol)),
                Some((true, Intent::In)) => l.copied_structure(a.node),
                _ => Ok(None),
            };
            let s = match self.structure(a.node) {
                Some(s) => s,
                None => match copied(self)? {
                    Some(t) => {
                        out.retain(|o: &CallArgument| o.position != a.position);
                        out.push(CallArgument { keyword: a.keyword.clone(), ..CallArgument::new(a.position, Expr::sym(t)) });
                        Structure { path: self.p.symbol(t).name.to_ascii_lowercase(), list: None }
                    }
                    None => return Err(unknown(self)),
                },
            };
            let variable = s.path.split('%').next().unwrap_or_default().to_owned();
            let rank = self.lookup(self.cur.scope, &variable).map_or(0, |v| self.p.symbol(v).rank);
            for (position, path) in wanted {
                let Some(leaf) = self.lookup(self.cur.scope, &format!("{}%{path}", s.path)) else { return Err(unknown(self)) };
                let r = self.member_reference(leaf, rank, s.list, None, a.node)?;
                // An element that is passed for an array of structures would be the array from there on: complex arrays have nothing but their parts.
                let passed = a.value.rank;
                let numbers = open_numbers && (passed > 0 || s.list.is_some());
                if passed != formal_rank && !numbers {
                    return Err(unknown(self));
                }
                out.push(CallArgument::new(position, Expr::var(r)));
            }
        }
        Ok(out)
    }

    /// A copy of a structure that is a component without variables of its own.
    pub fn copied_component(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        if !is_component(node) || self.cur.graph.is_none() || self.component_of(node, 0).is_none_or(|(c, _)| c.array) {
            return Ok(None);
        }
        Ok(self.copied_structure(node)?.map(|t| Val::new(Expr::sym(t), self.p.symbol(t).ty, 0)))
    }

    /// A copy of a structure of which nothing but its type is known, for a procedure that only reads it; nothing where its type has more to it than that.
    fn copied_structure(&mut self, node: Node<'t>) -> Lowered<Option<SymbolId>> {
        let Some(declared) = self.declared_type(node).filter(|t| t.trim_start().to_ascii_lowercase().starts_with("type")) else {
            return Ok(None);
        };
        let Some(of) = type_name(&declared) else { return Ok(None) };
        // Types that share a name with another one cannot be named here with certainty.
        if of.contains('@') {
            return Ok(None);
        }
        let assigned = self.info.iter().any(|i| i.generics.contains_key("assignment(=)"));
        if assigned || self.cur.graph.is_none() || !self.generic_binding(&of, "assignment(=)").is_empty() {
            return Ok(None);
        }
        self.own_names_only(node)?;
        let t = self.structure_of_type(declared.into(), &of, node);
        let text = format!("{} = {}", self.p.symbol(t).name, self.file().squeezed(node));
        let reads = self.symbols_in(node)?;
        let marker = Marker { class: MarkerClass::Passive, text, reads, writes: vec![t], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
        Ok(Some(t))
    }

    /// `a = b` and `a = t(x, y)` of structures, component by component; false where it is something else.
    pub fn structure_assignment(&mut self, node: Node<'t>) -> Lowered<bool> {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return Ok(false) };
        if self.member_symbol(left).is_some() {
            return Ok(false);
        }
        let Some(to) = self.structure(left) else { return Ok(false) };
        if self.defined_assignment(node)? {
            return Ok(true);
        }
        let Some((of, to_rank)) = self.structure_type(&to) else { return Ok(false) };
        let members = self.members_of(&of, 0);
        if !members.complete {
            return Ok(false);
        }
        let constructor = named(right).first().is_some_and(|c| right.kind() == "call_expression" && self.is_constructor(&self.lower(*c)));
        if !constructor {
            self.structure_call(right)?;
        }
        let mut values: Vec<(SymbolId, Val)> = Vec::new();
        let leaf = |l: &Self, s: &Structure<'t>, m: &Member<'t>| l.lookup(l.cur.scope, &format!("{}%{}", s.path, m.path));
        if let Some(from) = self.structure(right) {
            let Some((same, from_rank)) = self.structure_type(&from) else { return Ok(false) };
            if same != of {
                return Ok(false);
            }
            for m in &members.list {
                let (Some(l), Some(r)) = (leaf(self, &to, m), leaf(self, &from, m)) else { return Ok(false) };
                let value = self.member_reference(r, from_rank, from.list, None, right)?;
                let rank = xaif::types::of_ref(&self.p, &value).rank;
                values.push((l, Val::new(Expr::var(value), m.ty, rank)));
            }
        } else {
            let parts = named(right);
            let [callee, list] = parts[..] else { return Ok(false) };
            if right.kind() != "call_expression" || callee.kind() != "identifier" || self.lower(callee) != of {
                return Ok(false);
            }
            match self.constructed(&of, &to.path, list, right)? {
                Some(list) => values = list,
                None => return Ok(false),
            }
        }
        // All values are taken before anything is assigned.
        let targets: Vec<SymbolId> = values.iter().map(|(l, _)| *l).collect();
        for (k, (_, v)) in values.iter_mut().enumerate() {
            let mut reads = false;
            v.e.for_each_ref(&mut |r| reads |= targets[..k].contains(&r.symbol));
            if !reads {
                continue;
            }
            let t = match v.rank {
                0 => {
                    let t = self.temp("value", v.ty, &type_text(v.ty), Vec::new(), false, self.file().span(node));
                    self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e.clone() }, node, true);
                    t
                }
                _ => self.array_value("value", v.clone(), node)?,
            };
            v.e = Expr::sym(t);
        }
        for (l, mut v) in values {
            let lhs = self.member_reference(l, to_rank, to.list, None, left)?;
            self.before_whole_assignment(&lhs, &mut v, node)?;
            self.emit(StmtKind::Assignment { lhs, rhs: v.e }, node, true);
        }
        Ok(true)
    }

    /// The values that a constructor of a type gives the components of a structure; nothing where it is not understood.
    #[allow(clippy::type_complexity)] // taken apart at once
    pub fn constructed(&mut self, of: &str, path: &str, list: Node<'t>, node: Node<'t>) -> Lowered<Option<Vec<(SymbolId, Val)>>> {
        let members = self.members_of(of, 0);
        let mut values: Vec<(SymbolId, Val)> = Vec::new();
        for (i, a) in named(list).into_iter().enumerate() {
            let (place, value) = match (a.kind(), field(a, "name"), field(a, "value")) {
                ("keyword_argument", Some(k), Some(v)) => {
                    let k = self.lower(k);
                    (members.list.iter().position(|m| m.path == k), v)
                }
                _ => (Some(i), a),
            };
            let Some(m) = place.and_then(|p| members.list.get(p)).filter(|m| !m.path.contains('%')) else { return Ok(None) };
            let Some(l) = self.lookup(self.cur.scope, &format!("{path}%{}", m.path)) else { return Ok(None) };
            let v = self.expr(value)?;
            self.comparable(&v, m, value)?;
            values.push((l, self.converted(v, m.ty)));
        }
        if values.len() != members.list.len() || members.list.iter().any(|m| m.allocatable) {
            return Err(self.refuse(node, "OB3020", "a structure constructor that leaves components open"));
        }
        Ok(Some(values))
    }

    fn comparable(&self, v: &Val, m: &Member<'t>, node: Node<'t>) -> Lowered<()> {
        let number = |b: BaseType| matches!(b, BaseType::Real | BaseType::Integer);
        let fits = v.ty.base == m.ty.base || number(v.ty.base) && number(m.ty.base);
        if !fits || v.rank > 0 && v.rank as usize != m.dims.len() {
            return Err(self.refuse(node, "OB3043", "the value does not go with the component"));
        }
        Ok(())
    }
}
