//! Components of derived types as variables of their own.
//!
//! ```text
//! type(state) :: s      ->     s, and with it  s%x, s%v, s%t
//! ```
//!
//! A variable of a derived type stays what it is, for statements that are kept as text; beside it stands a variable for each component that is a
//! number, a truth value or an array of them, with the variable's dimensions before its own. Where a variable is an argument its components are
//! arguments behind it. Lives here: these variables, references to them, assignments between structures. Never here: components without a variable
//! of their own (see `components`).

use super::calls::Actual;
use super::expressions::Val;
use super::scope::{Lower, Lowered};
use super::tree::{child, field, named};
use std::rc::Rc;
use tree_sitter::Node;
use xaif::model::*;

/// A component of a derived type, or one of a component.
#[derive(Clone)]
pub(super) struct Member<'t> {
    /// `inner%x`
    path: String,
    ty: ElemType,
    text: smol_str::SmolStr,
    dims: Vec<Dim>,
    allocatable: bool,
    /// The initial value of every new variable, where the type is defined.
    init: Option<(Node<'t>, usize, ScopeId)>,
}

/// What is known of a derived type.
#[derive(Clone, Default)]
pub(super) struct Members<'t> {
    list: Vec<Member<'t>>,
    /// There are no other components.
    complete: bool,
}

/// A structure in the text: the name with its path, and the subscripts of the variable.
struct Structure<'t> {
    path: String,
    list: Option<Node<'t>>,
}

/// The name in `type(name)` and `class(name)`.
pub(super) fn type_name(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (word, rest) = lower.split_once('(')?;
    matches!(word.trim(), "type" | "class").then(|| rest.trim_end_matches([')', ' ']).trim().to_owned())
}

/// True for a component's variable.
pub(super) fn is_member(symbol: &Symbol) -> bool {
    symbol.name.contains('%')
}

/// The variables of a structure's components.
pub(super) fn members_in(program: &Program, base: SymbolId) -> Vec<SymbolId> {
    let s = program.symbol(base);
    if s.ty.base != BaseType::Opaque || s.kind != SymbolKind::Variable {
        return Vec::new();
    }
    let start = format!("{}%", s.name);
    let all = program.scope(s.scope).symbols.iter().copied();
    all.filter(|m| program.symbol(*m).name.get(..start.len()).is_some_and(|n| n.eq_ignore_ascii_case(&start))).collect()
}

impl<'t> Lower<'t> {
    /// The components of a type that the text defines once.
    fn members_of(&mut self, of: &str, depth: usize) -> Rc<Members<'t>> {
        if let Some(m) = self.types.get(of) {
            return m.clone();
        }
        // A definition may, wrongly, ask for itself.
        self.types.insert(of.to_owned(), Rc::default());
        let found = if depth > 10 { Members::default() } else { self.find_members(of, depth).unwrap_or_default() };
        let found = Rc::new(found);
        self.types.insert(of.to_owned(), found.clone());
        found
    }

    fn find_members(&mut self, of: &str, depth: usize) -> Option<Members<'t>> {
        let (file, definition) = self.type_definition(of)?;
        let head = child(definition, "derived_type_statement")?;
        // A type with parameters is several types.
        let plain = ["type_name", "access_specifier", "language_binding", "base_type_specifier", "abstract_specifier"];
        if named(head).iter().any(|n| !plain.contains(&n.kind())) {
            return None;
        }
        // What happens where a variable ceases to be is in no statement.
        if child(definition, "derived_type_procedures").is_some_and(|p| child(p, "final_statement").is_some()) {
            return None;
        }
        let inherited = self.parent_type(of).map(|p| self.members_of(&p, depth + 1));
        let around = self.unit_around(file, definition)?.scope;
        let here = (std::mem::replace(&mut self.cur.scope, around), std::mem::replace(&mut self.cur.file, file));
        let mut out = inherited.map_or_else(|| Members { list: Vec::new(), complete: true }, |m| (*m).clone());
        for d in named(definition) {
            match d.kind() {
                "variable_declaration" => self.members_in(d, (file, around), depth, &mut out),
                "derived_type_statement" | "end_type_statement" | "derived_type_procedures" | "comment" | "sequence_statement" => {}
                k if k.ends_with("private_statement") || k.ends_with("public_statement") => {}
                _ => out.complete = false,
            }
        }
        (self.cur.scope, self.cur.file) = here;
        Some(out)
    }

    fn members_in(&mut self, d: Node<'t>, (file, around): (usize, ScopeId), depth: usize, out: &mut Members<'t>) {
        let Some(spec) = field(d, "type").filter(|t| t.kind() != "procedure").and_then(|t| self.type_spec(t).ok()) else {
            out.complete = false;
            return;
        };
        let mut cursor = d.walk();
        let attributes: Vec<Node> = d.children_by_field_name("attribute", &mut cursor).collect();
        let words: Vec<String> = attributes.iter().map(|a| self.lower(*a)).collect();
        let shape = attributes.iter().find(|a| self.lower(**a).starts_with("dimension")).and_then(|a| child(*a, "argument_list"));
        let allocatable = words.iter().any(|w| w == "allocatable");
        let plain = words.iter().all(|w| ["allocatable", "private", "public"].contains(&w.as_str()) || w.starts_with("dimension"));
        let mut cursor = d.walk();
        for x in d.children_by_field_name("declarator", &mut cursor).collect::<Vec<_>>() {
            let (target, init) = match x.kind() {
                "init_declarator" => (field(x, "left"), field(x, "right")),
                _ => (Some(x), None),
            };
            let (name, size) = match target.map(|t| (t.kind(), t)) {
                Some(("identifier", t)) => (Some(t), None),
                Some(("sized_declarator", t)) => (named(t).first().copied(), child(t, "size")),
                _ => (None, None),
            };
            let Some(name) = name.filter(|_| plain).map(|n| self.lower(n)) else {
                out.complete = false;
                continue;
            };
            let dims = match size.or(shape) {
                Some(s) => self.fixed_dims(s, allocatable),
                None => Some(Vec::new()),
            };
            let Some(dims) = dims.filter(|d| !allocatable || !d.is_empty()) else {
                out.complete = false;
                continue;
            };
            match spec.ty.base {
                BaseType::Real | BaseType::Integer | BaseType::Bool => out.list.push(Member {
                    path: name,
                    ty: spec.ty,
                    text: spec.text.clone(),
                    dims,
                    allocatable,
                    init: init.map(|i| (i, file, around)),
                }),
                BaseType::Opaque if dims.is_empty() && init.is_none() => {
                    let inner = type_name(&spec.text).map(|t| self.members_of(&t, depth + 1));
                    match inner {
                        Some(inner) => {
                            out.complete &= inner.complete;
                            out.list.extend(inner.list.iter().map(|m| Member { path: format!("{name}%{}", m.path), ..m.clone() }));
                        }
                        None => out.complete = false,
                    }
                }
                _ => out.complete = false,
            }
        }
    }

    /// Constant bounds, or as many open ones.
    fn fixed_dims(&self, size: Node<'t>, allocatable: bool) -> Option<Vec<Dim>> {
        let items = named(size);
        if items.is_empty() || items.len() > 7 {
            return None;
        }
        let constant = |n: Node<'t>| Some(Bound::Expr(Expr::int(self.const_int(n)?)));
        items
            .into_iter()
            .map(|item| {
                if item.kind() != "extent_specifier" {
                    return Some(Dim { lower: Bound::Expr(Expr::int(1)), upper: constant(item)? }).filter(|_| !allocatable);
                }
                let parts = named(item);
                if allocatable {
                    return parts.is_empty().then(Dim::default);
                }
                match parts[..] {
                    [l, u] => Some(Dim { lower: constant(l)?, upper: constant(u)? }),
                    _ => None,
                }
            })
            .collect()
    }

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
    fn make_members_of(&mut self, base: SymbolId) {
        let (scope, proc) = (self.cur.scope, self.cur.proc);
        let s = self.p.symbol(base);
        let odd = ["allocatable", "pointer", "optional", "target", "value", "volatile", "external"].iter().any(|a| s.has_attribute(a));
        let shared = matches!(s.storage(), Storage::Constant | Storage::Common(_) | Storage::Extern);
        let result = self.procs[proc].formals.iter().any(|f| f.symbol == base && f.result);
        if s.kind != SymbolKind::Variable || s.ty.base != BaseType::Opaque || odd || shared || result || s.passing() == Passing::Value {
            return;
        }
        let Some(decl) = s.decl.clone() else { return };
        let Some(of) = type_name(&decl.type_text) else { return };
        let (name, span, rank) = (s.name.clone(), s.span, s.rank);
        let members = self.members_of(&of, 0);
        let mut formals = Vec::new();
        let formal = self.procs[proc].formals.iter().find(|f| f.symbol == base).cloned();
        for m in &members.list {
            // An array of structures with arrays in them is no array of numbers.
            let one_value = m.init.is_none_or(|(i, ..)| matches!(i.kind(), "number_literal" | "boolean_literal" | "unary_expression"));
            if rank > 0 && (m.allocatable || !one_value && !m.dims.is_empty()) || rank as usize + m.dims.len() > 7 {
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
            if m.allocatable {
                d.attributes.push("allocatable".into());
                d.passing = if formal.is_some() { Passing::Descriptor } else { d.passing };
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
                formals.push(Formal { symbol: leaf, ..f.clone() });
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
            _ => super::expressions::op(name, "", None, [Expr::sym(leaf), Expr::int(k as i64 + 1)]),
        };
        let both = |(k, d): (usize, &Dim)| (bound(&d.lower, "lbound", k), bound(&d.upper, "ubound", k));
        (dims.iter().take(rank as usize).enumerate().map(both).collect(), s.rank - rank)
    }

    /// The names and subscripts of `a(i)%b%c(j)`: variable, its subscripts, path, subscripts of the last component.
    #[allow(clippy::type_complexity)]
    fn parts_of(&self, node: Node<'t>) -> Option<(Node<'t>, Option<Node<'t>>, Vec<String>, Option<Node<'t>>)> {
        let mut path = Vec::new();
        let mut last = None;
        let mut at = node;
        for _ in 0..30 {
            match at.kind() {
                "derived_type_member_expression" => {
                    let parts = named(at);
                    let (&inner, &member) = (parts.first()?, parts.last()?);
                    path.insert(0, self.lower(member));
                    at = inner;
                }
                "call_expression" => {
                    let parts = named(at);
                    let [callee, list] = parts[..] else { return None };
                    if list.kind() != "argument_list" {
                        return None;
                    }
                    if callee.kind() == "identifier" {
                        return Some((callee, Some(list), path, last));
                    }
                    // Subscripts in the middle are those of an array of structures inside a structure.
                    if !path.is_empty() {
                        return None;
                    }
                    last = Some(list);
                    at = callee;
                }
                "identifier" => return Some((at, None, path, last)),
                _ => return None,
            }
        }
        None
    }

    /// The variable of a component.
    pub fn member_symbol(&self, node: Node<'t>) -> Option<SymbolId> {
        let (base, _, path, _) = self.parts_of(node)?;
        let base = self.lower(base);
        if path.is_empty() || self.cur.frames.last().is_some_and(|f| f.contains_key(&base)) {
            return None;
        }
        let found = self.lookup(self.cur.scope, &format!("{base}%{}", path.join("%")));
        found.or_else(|| {
            let path = self.without_parents(self.lookup(self.cur.scope, &base)?, &path)?;
            self.lookup(self.cur.scope, &format!("{base}%{}", path.join("%")))
        })
    }

    /// `s%base%x` is `s%x` where the type of `s` extends `base`; `None` where a path names no such type.
    fn without_parents(&self, base: SymbolId, path: &[String]) -> Option<Vec<String>> {
        let mut of = type_name(&self.p.symbol(base).decl.as_ref()?.type_text)?;
        let mut out = Vec::new();
        for (k, part) in path.iter().enumerate() {
            if part != &of && self.is_kind_of(&of, part) && k + 1 < path.len() {
                of = part.clone();
                continue;
            }
            out.push(part.clone());
            if k + 1 < path.len() {
                of = self.component_type(&of, part)?;
            }
        }
        (out.len() < path.len()).then_some(out)
    }

    /// The component of an argument that a declaration names: a bound of an array.
    pub fn member_of_argument(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        let Some((base, ..)) = self.parts_of(node) else { return Ok(None) };
        let name = self.lower(base);
        let Some(symbol) = self.lookup(self.cur.scope, &name) else { return Ok(None) };
        let formal = self.procs[self.cur.proc].formals.iter().any(|f| f.symbol == symbol);
        if !formal || self.p.symbol(symbol).rank > 0 || self.has_members(symbol, &name) {
            return Ok(None);
        }
        self.make_members_of(symbol);
        self.member(node)
    }

    /// A component that has a variable of its own.
    pub fn member(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        let Some(symbol) = self.member_symbol(node) else { return Ok(None) };
        let Some((base, outer, _, inner)) = self.parts_of(node) else { return Ok(None) };
        let base = self.lower(base);
        let rank = self.lookup(self.cur.scope, &base).map_or(0, |s| self.p.symbol(s).rank);
        let ty = self.p.symbol(symbol).ty;
        let r = self.member_reference(symbol, rank, outer, inner, node)?;
        let rank = xaif::types::of_ref(&self.p, &r).rank;
        Ok(Some(Val::new(Expr::var(r), ty, rank)))
    }

    /// The reference with the subscripts of the variable before those of the component.
    fn member_reference(
        &mut self,
        symbol: SymbolId,
        outer_rank: u8,
        outer: Option<Node<'t>>,
        inner: Option<Node<'t>>,
        node: Node<'t>,
    ) -> Lowered<VarRef> {
        let rank = self.p.symbol(symbol).rank;
        let mut r = VarRef::whole(symbol);
        if outer.is_none() && inner.is_none() {
            return Ok(r);
        }
        for (list, count) in [(outer, outer_rank), (inner, rank - outer_rank.min(rank))] {
            match list {
                Some(list) => {
                    let subscripts = self.subscripts(list)?;
                    if subscripts.len() != count as usize {
                        return Err(self.refuse(node, "OB3043", "the number of subscripts differs from the number of dimensions"));
                    }
                    r.subscripts.extend(subscripts.into_iter().map(|(t, _)| t));
                }
                None => r.subscripts.extend((0..count).map(|_| Triplet::default())),
            }
        }
        Ok(r)
    }

    /// `a`, `a%b` or `a(i)` where that is a structure whose components have variables.
    fn structure(&self, node: Node<'t>) -> Option<Structure<'t>> {
        let (base, list, path, last) = self.parts_of(node)?;
        let name = self.lower(base);
        if last.is_some() || self.cur.frames.last().is_some_and(|f| f.contains_key(&name)) {
            return None;
        }
        let s = self.lookup(self.cur.scope, &name)?;
        if self.p.symbol(s).ty.base != BaseType::Opaque {
            return None;
        }
        let path = std::iter::once(name).chain(path).collect::<Vec<_>>().join("%");
        self.has_members(s, &path).then_some(Structure { path, list })
    }

    fn has_members(&self, base: SymbolId, path: &str) -> bool {
        let start = format!("{path}%");
        let symbols = &self.p.scope(self.p.symbol(base).scope).symbols;
        symbols.iter().any(|s| self.p.symbol(*s).name.get(..start.len()).is_some_and(|n| n.eq_ignore_ascii_case(&start)))
    }

    /// What stands for a structure that is passed: the variable that it is a part of.
    pub fn passed_structure(&mut self, node: Node<'t>) -> Lowered<Option<Val>> {
        if node.kind() != "derived_type_member_expression" || self.member_symbol(node).is_some() || self.structure(node).is_none() {
            return Ok(None);
        }
        let Some((base, ..)) = self.parts_of(node) else { return Ok(None) };
        let s = self.variable(base)?;
        Ok(Some(Val::new(Expr::sym(s), self.p.symbol(s).ty, 0)))
    }

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
            let unknown = |l: &Self| {
                let mut d = *l.refuse(a.node, "OB3020", "a structure whose components are not known is passed");
                d.help = Some("pass a variable of that type".into());
                Box::new(d)
            };
            let Some(s) = self.structure(a.node) else { return Err(unknown(self)) };
            let variable = s.path.split('%').next().unwrap_or_default().to_owned();
            let rank = self.lookup(self.cur.scope, &variable).map_or(0, |v| self.p.symbol(v).rank);
            for (position, path) in wanted {
                let Some(leaf) = self.lookup(self.cur.scope, &format!("{}%{path}", s.path)) else { return Err(unknown(self)) };
                let r = self.member_reference(leaf, rank, s.list, None, a.node)?;
                // An element that is passed for an array of structures would be the array from there on.
                let passed = a.value.rank;
                if passed != formal_rank {
                    return Err(unknown(self));
                }
                out.push(CallArgument::new(position, Expr::var(r)));
            }
        }
        Ok(out)
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
            for (i, a) in named(list).into_iter().enumerate() {
                let (place, value) = match (a.kind(), field(a, "name"), field(a, "value")) {
                    ("keyword_argument", Some(k), Some(v)) => {
                        let k = self.lower(k);
                        (members.list.iter().position(|m| m.path == k), v)
                    }
                    _ => (Some(i), a),
                };
                let Some(m) = place.and_then(|p| members.list.get(p)).filter(|m| !m.path.contains('%')) else { return Ok(false) };
                let Some(l) = leaf(self, &to, m) else { return Ok(false) };
                let v = self.expr(value)?;
                self.comparable(&v, m, value)?;
                values.push((l, self.converted(v, m.ty)));
            }
            if values.len() != members.list.len() || members.list.iter().any(|m| m.allocatable) {
                return Err(self.refuse(right, "OB3020", "a structure constructor that leaves components open"));
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
                    let t = self.temp("value", v.ty, &super::hoist::type_text(v.ty), Vec::new(), false, self.file().span(node));
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

    fn comparable(&self, v: &Val, m: &Member<'t>, node: Node<'t>) -> Lowered<()> {
        let number = |b: BaseType| matches!(b, BaseType::Real | BaseType::Integer);
        let fits = v.ty.base == m.ty.base || number(v.ty.base) && number(m.ty.base);
        if !fits || v.rank > 0 && v.rank as usize != m.dims.len() {
            return Err(self.refuse(node, "OB3043", "the value does not go with the component"));
        }
        Ok(())
    }

    /// The type of a structure, and the rank of the variable.
    fn structure_type(&mut self, s: &Structure<'t>) -> Option<(String, u8)> {
        let mut parts = s.path.split('%');
        let base = self.lookup(self.cur.scope, parts.next()?)?;
        let (rank, mut of) = (self.p.symbol(base).rank, type_name(&self.p.symbol(base).decl.as_ref()?.type_text)?);
        for part in parts {
            of = self.component_type(&of, part)?;
        }
        Some((of, rank))
    }

    /// The type of a component that is a structure, which may be inherited.
    fn component_type(&self, of: &str, member: &str) -> Option<String> {
        let mut at = of.to_owned();
        for _ in 0..=20 {
            let (file, definition) = self.type_definition(&at)?;
            let f = &self.files[file];
            for d in named(definition).into_iter().filter(|d| d.kind() == "variable_declaration") {
                let mut cursor = d.walk();
                if d.children_by_field_name("declarator", &mut cursor).any(|x| f.lower(x) == member) {
                    return field(d, "type").and_then(|t| type_name(&f.squeezed(t)));
                }
            }
            at = self.parent_type(&at)?;
        }
        None
    }

    /// Notes what a text names below a structure: the variable of a component, or the structure, of which `partly` and `whole` know how much is
    /// meant. The subscripts are left to be looked at.
    pub fn named_members(&mut self, node: Node<'t>, out: &mut Vec<SymbolId>) -> Option<Vec<Node<'t>>> {
        if !matches!(node.kind(), "derived_type_member_expression" | "call_expression") {
            return None;
        }
        let (base, outer, path, inner) = self.parts_of(node)?;
        let name = self.lower(base);
        if path.is_empty() || self.cur.frames.last().is_some_and(|f| f.contains_key(&name)) {
            return None;
        }
        let symbol = self.lookup(self.cur.scope, &name).filter(|s| self.p.symbol(*s).ty.base == BaseType::Opaque)?;
        out.push(symbol);
        if let Some(leaf) = self.member_symbol(node) {
            out.push(leaf);
            self.cur.partly.insert(symbol);
        } else if self.structure(node).is_some() || self.names_parent(symbol, &path) {
            self.cur.whole.insert(symbol);
        } else {
            self.cur.partly.insert(symbol);
        }
        Some(outer.into_iter().chain(inner).collect())
    }

    /// Whether a path goes through the type that the variable's type extends: all that is inherited.
    fn names_parent(&self, symbol: SymbolId, path: &[String]) -> bool {
        let of = self.p.symbol(symbol).decl.as_ref().and_then(|d| type_name(&d.type_text));
        of.is_some_and(|of| path.first().is_some_and(|p| *p != of && self.is_kind_of(&of, p)))
    }

    /// What a statement kept as text does to a structure it does to its components.
    pub fn with_members(&self, symbols: &mut Vec<SymbolId>) {
        let mut more = Vec::new();
        for &s in symbols.iter() {
            if self.cur.partly.contains(&s) && !self.cur.whole.contains(&s) {
                continue;
            }
            more.extend(members_in(&self.p, s));
        }
        if !more.is_empty() {
            symbols.extend(more);
            symbols.sort_unstable();
            symbols.dedup();
        }
    }
}
