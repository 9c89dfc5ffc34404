//! Statements without control flow: assignment, WHERE, allocation, input and output.
//!
//! Lives here: one statement of the text to statements of the model. Never here: loops, branches, jumps.

use super::expressions::{combine, op};
use super::scope::{Lower, Lowered};
use super::tree::{child, children, field, has, named};
use tree_sitter::Node;
use xaif::model::*;

/// WHERE nests no deeper.
const MAX_WHERE: usize = 60;

impl<'t> Lower<'t> {
    /// A statement without control flow. What cannot be said in the model becomes an opaque statement where that is sound.
    pub fn simple(&mut self, node: Node<'t>) -> Lowered<()> {
        self.cur.partly.clear();
        self.cur.whole.clear();
        let result = match node.kind() {
            "assignment_statement" => self.assignment(node),
            "subroutine_call" => self.call_statement(node),
            "where_statement" => self.where_statement(node),
            "allocate_statement" => self.allocate(node),
            "deallocate_statement" => self.deallocate(node),
            "print_statement"
            | "write_statement"
            | "read_statement"
            | "open_statement"
            | "close_statement"
            | "inquire_statement"
            | "file_position_statement" => self.io(node),
            "stop_statement" => {
                let reads = self.symbols_in(node)?;
                self.marker(MarkerClass::Stop, reads, Vec::new(), node);
                Ok(())
            }
            "pointer_association_statement" => Err(self.refuse(node, "OB3022", "pointer assignment")),
            "nullify_statement" => Err(self.refuse(node, "OB3022", "NULLIFY")),
            "coarray_statement" => Err(self.refuse(node, "OB3026", "coarray statement")),
            "forall_statement" => self.forall(node),
            other => Err(self.refuse(node, "OB3034", format!("unsupported statement ({})", other.replace('_', " ")))),
        };
        self.flush_after();
        let Err(refusal) = result else { return Ok(()) };
        // A statement that calls nothing and goes nowhere can be kept as text: what it names, it may read and write.
        let opaque =
            matches!(node.kind(), "assignment_statement" | "pointer_association_statement" | "nullify_statement" | "forall_statement")
                && matches!(refusal.code, "OB3020" | "OB3021" | "OB3022" | "OB3028" | "OB3029" | "OB3031" | "OB3034" | "OB3042" | "OB3044")
                && !self.calls_user(node);
        if !opaque {
            return Err(refusal);
        }
        self.own_names_only(node)?;
        let reads = self.symbols_in(node)?;
        let writes = match node.kind() {
            "assignment_statement" => match field(node, "left") {
                Some(l) => self.base_variable(l)?.into_iter().collect(),
                None => reads.clone(),
            },
            "forall_statement" => self.assigned_in(node)?,
            _ => reads.clone(),
        };
        // Through a pointer anything with the same type and the right to be pointed at may be written.
        let class = match writes.first().map(|w| self.p.symbol(*w)) {
            Some(w) if node.kind() == "assignment_statement" && matches!(w.ty.base, BaseType::String) => MarkerClass::Passive,
            _ => MarkerClass::Unknown,
        };
        // What could not be said is told to whoever must refuse the statement.
        let why = Some(refusal.message.as_str()).filter(|_| class == MarkerClass::Unknown).unwrap_or_default().into();
        self.noted_marker(class, why, reads, writes, node);
        Ok(())
    }

    /// The variables on the left of assignments.
    fn assigned_in(&mut self, node: Node<'t>) -> Lowered<Vec<SymbolId>> {
        let mut lefts = Vec::new();
        super::tree::walk(node, &mut |n| {
            if matches!(n.kind(), "assignment_statement" | "pointer_association_statement") {
                lefts.push(field(n, "left"));
            }
            true
        });
        let mut out = Vec::new();
        for l in lefts {
            match l {
                Some(l) => out.extend(self.base_variable(l)?),
                None => return self.symbols_in(node),
            }
        }
        Ok(out)
    }

    /// Refuses text that only has its meaning inside an ASSOCIATE construct.
    pub fn own_names_only(&self, node: Node<'t>) -> Lowered<()> {
        let mut dummy = false;
        super::tree::walk(node, &mut |n| {
            let bound = &self.procs[self.cur.proc].bound;
            dummy |= n.kind() == "identifier" && !bound.is_empty() && bound.iter().any(|(b, _)| *b == self.lower(n));
            !dummy
        });
        if dummy {
            let mut d = *self.refuse(node, "OB3030", "a dummy procedure in a statement that is kept as text");
            d.help = Some("assign what it returns to a variable first".into());
            return Err(Box::new(d));
        }
        let Some(frame) = self.cur.frames.last() else { return Ok(()) };
        let mut alias = false;
        super::tree::walk(node, &mut |n| {
            alias |= n.kind() == "identifier" && frame.contains_key(&self.lower(n));
            !alias
        });
        if !alias {
            return Ok(());
        }
        let mut d = *self.refuse(node, "OB3034", "an associated name in a statement that is kept as text");
        d.help = Some("use the variable's own name".into());
        Err(Box::new(d))
    }

    /// Whether a node calls a procedure of the user's.
    pub fn calls_user(&self, node: Node) -> bool {
        let mut found = false;
        super::tree::walk(node, &mut |n| {
            if matches!(n.kind(), "subroutine_call" | "user_defined_operator") {
                found = true;
            }
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first()
            {
                if callee.kind() == "identifier" {
                    let name = self.lower(*callee);
                    let array = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.kind != SymbolKind::Subroutine && (s.rank > 0 || matches!(s.ty.base, BaseType::String))
                    });
                    let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
                    found |= !array && !framed && !self.means_intrinsic(&name);
                } else if self.text(*callee).contains('%') && !n.parent().is_some_and(|p| field(p, "left") == Some(n)) {
                    // `x%f(y)` may be a type-bound function.
                    found = true;
                }
            }
            !found
        });
        found
    }

    fn assignment(&mut self, node: Node<'t>) -> Lowered<()> {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return Err(self.refuse(node, "OB3034", "malformed assignment"));
        };
        if self.structure_assignment(node)? {
            return Ok(());
        }
        let (lhs, ty, rank) = self.target(left)?;
        if matches!(ty.base, BaseType::Complex | BaseType::Opaque) {
            let code = if ty.base == BaseType::Opaque { "OB3020" } else { "OB3021" };
            return Err(self.refuse(left, code, "assignment to a variable of derived or complex type"));
        }
        if ty.base == BaseType::String && !matches!(right.kind(), "identifier" | "string_literal") {
            return Err(self.refuse(node, "OB3044", "text expression"));
        }
        if rank == 0 && self.direct_result(&lhs, ty, right)? || rank > 0 && self.direct_elements(&lhs, ty, rank, right)? {
            return Ok(());
        }
        let mut v = self.expr(right)?;
        let classes = |b: BaseType| match b {
            BaseType::Real | BaseType::Integer => 0,
            other => other as u8 + 1,
        };
        if classes(v.ty.base) != classes(ty.base) {
            let code = if v.ty.base == BaseType::Complex { "OB3021" } else { "OB3043" };
            return Err(self.refuse(node, code, "the types on both sides do not go together"));
        }
        if v.rank > 0 && v.rank != rank {
            return Err(self.refuse(node, "OB3043", "the ranks on both sides differ"));
        }
        if ty.base == BaseType::String && v.e.nodes.len() > 1 {
            return Err(self.refuse(node, "OB3044", "text expression"));
        }
        self.before_whole_assignment(&lhs, &mut v, node)?;
        self.emit(StmtKind::Assignment { lhs, rhs: v.e }, node, false);
        Ok(())
    }

    /// `y = f(x)`: the call fills `y` itself where the arguments cannot notice.
    fn direct_result(&mut self, lhs: &VarRef, ty: ElemType, right: Node<'t>) -> Lowered<bool> {
        let parts = named(right);
        let [callee, list] = parts[..] else { return Ok(false) };
        if right.kind() != "call_expression" || callee.kind() != "identifier" || list.kind() != "argument_list" {
            return Ok(false);
        }
        let name = self.lower(callee);
        let s = self.p.symbol(lhs.symbol);
        // A structure that is passed may be the one that is set.
        let own = s.scope == self.cur.scope
            && matches!(s.storage(), Storage::Local | Storage::Argument)
            && s.kind == SymbolKind::Variable
            && !super::members::is_member(s);
        let hosted = self.procs.iter().any(|p| p.host == Some(self.cur.proc) && !p.interface_only);
        let aliased = s.decl.as_ref().is_some_and(|d| d.may_alias);
        let plain = lhs.index_exprs().all(|e| e.as_constant().is_some());
        let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
        if !own
            || hosted
            || aliased
            || !plain
            || framed
            || self.is_array_or_text(&name)
            || self.statement_function(&name).is_some()
            || self.means_intrinsic(&name)
        {
            return Ok(false);
        }
        let Some(symbol) = self.lookup(self.cur.scope, &name).filter(|s| self.proc_of.contains_key(s)) else { return Ok(false) };
        let Some(result) = self.procs[self.proc_of[&symbol]].formals.iter().find(|f| f.result).map(|f| self.p.symbol(f.symbol)) else {
            return Ok(false);
        };
        if result.ty != ty || result.rank > 0 || self.symbols_in(list)?.contains(&lhs.symbol) {
            return Ok(false);
        }
        let (raws, passed) = self.evaluated_with(Some(list))?;
        let symbol = self.specialised(symbol, &passed)?;
        let bound = self.matched(symbol, raws, right)?;
        let arguments = self.actuals(symbol, bound)?;
        let comment = std::mem::take(&mut self.cur.comment);
        self.finish_function(symbol, arguments, right, Some((lhs.clone(), comment)))?;
        Ok(true)
    }

    /// `y = f(x)` with an elemental function: the calls fill `y` itself where the arguments are not parts of it.
    fn direct_elements(&mut self, lhs: &VarRef, ty: ElemType, rank: u8, right: Node<'t>) -> Lowered<bool> {
        let parts = named(right);
        let [callee, list] = parts[..] else { return Ok(false) };
        if right.kind() != "call_expression" || callee.kind() != "identifier" || list.kind() != "argument_list" {
            return Ok(false);
        }
        let name = self.lower(callee);
        let s = self.p.symbol(lhs.symbol);
        // A structure that is passed may be the one that is set.
        let own = s.scope == self.cur.scope
            && matches!(s.storage(), Storage::Local | Storage::Argument)
            && s.kind == SymbolKind::Variable
            && !super::members::is_member(s);
        let hosted = self.procs.iter().any(|p| p.host == Some(self.cur.proc) && !p.interface_only);
        let fixed = !s.has_attribute("allocatable") && !s.decl.as_ref().is_some_and(|d| d.may_alias);
        let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
        if !own || hosted || !fixed || framed || self.is_array_or_text(&name) || self.means_intrinsic(&name) {
            return Ok(false);
        }
        let Some(&proc) = self.lookup(self.cur.scope, &name).and_then(|s| self.proc_of.get(&s)) else { return Ok(false) };
        let (symbol, p) = (self.procs[proc].symbol, &self.procs[proc]);
        let result = p.formals.iter().find(|f| f.result).map(|f| self.p.symbol(f.symbol).ty);
        if !p.elemental || result != Some(ty) || self.symbols_in(list)?.contains(&lhs.symbol) {
            return Ok(false);
        }
        let raws = self.evaluated(Some(list))?;
        let bound = self.matched(symbol, raws, right)?;
        if !self.is_elementwise(symbol, &bound) {
            let arguments = self.actuals(symbol, bound)?;
            let v = self.finish_function(symbol, arguments, right, None)?;
            self.emit(StmtKind::Assignment { lhs: lhs.clone(), rhs: v.e }, right, false);
            return Ok(true);
        }
        if bound.iter().any(|a| a.value.rank > 0 && a.value.rank != rank) {
            return Err(self.refuse(right, "OB3043", "the ranks on both sides differ"));
        }
        self.call_elements(symbol, bound, right, Some(lhs.clone()))?;
        Ok(true)
    }

    /// The left side of an assignment.
    pub fn target(&mut self, node: Node<'t>) -> Lowered<(VarRef, ElemType, u8)> {
        let component = super::components::is_component(node);
        if component && self.member_symbol(node).is_none() {
            return Err(self.refuse(node, "OB3020", "component of a derived type"));
        }
        let v = match node.kind() {
            _ if component => self.expr(node)?,
            "identifier" => self.expr(node)?,
            "call_expression" => {
                let callee = named(node).first().copied();
                let known = callee.filter(|c| c.kind() == "identifier").map(|c| self.lower(c));
                if let Some(name) = known {
                    let is_variable = self.lookup(self.cur.scope, &name).is_some_and(|s| {
                        let s = self.p.symbol(s);
                        s.rank > 0 || s.ty.base == BaseType::String
                    });
                    let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(&name));
                    let substring = !framed && self.lookup(self.cur.scope, &name).is_some_and(|s| self.p.symbol(s).rank == 0);
                    if is_variable && substring {
                        return Err(self.refuse(node, "OB3044", "substring"));
                    }
                    if !is_variable && !framed {
                        return Err(self.refuse(node, "OB3046", format!("`{name}` is assigned to, but is no array")));
                    }
                }
                self.expr(node)?
            }
            _ => self.expr(node)?,
        };
        let Some(r) = v.e.as_var() else { return Err(self.refuse(node, "OB3046", "this cannot be assigned to")) };
        let s = self.p.symbol(r.symbol);
        if *s.storage() == Storage::Constant {
            return Err(self.refuse(node, "OB3046", format!("the constant `{}` is assigned to", s.name)));
        }
        Ok((r.clone(), v.ty, v.rank))
    }

    /// WHERE: the element where the mask holds gets the new value, any other keeps its own.
    fn where_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        self.where_under(node, None, 0)
    }

    /// WHERE in one with that mask, `depth` deep.
    fn where_under(&mut self, node: Node<'t>, outer: Option<(&Expr, u8)>, depth: usize) -> Lowered<()> {
        if depth > MAX_WHERE {
            return Err(self.refuse(node, "OB3005", "constructs nest too deeply"));
        }
        let parts = named(node);
        let Some(mask_node) = parts.iter().copied().find(|c| c.kind() == "parenthesized_expression") else {
            return Err(self.refuse(node, "OB3034", "malformed WHERE"));
        };
        let mask = self.expr(mask_node)?;
        self.logical(&mask, mask_node)?;
        if mask.rank == 0 {
            return Err(self.refuse(mask_node, "OB3043", "the mask of WHERE must be an array"));
        }
        let body: Vec<Node> = parts.iter().copied().filter(|c| is_where_body(c.kind())).collect();
        let clauses: Vec<Node> = parts.iter().copied().filter(|c| c.kind() == "elsewhere_clause").collect();
        // The mask is evaluated once; it needs a variable unless it is used once only.
        let simple = |b: &Node<'t>| b.kind() == "assignment_statement" && !self.calls_units(*b);
        let once = body.len() == 1 && clauses.is_empty() && body.iter().all(simple);
        let mut mask = mask;
        if let Some((around, rank)) = outer {
            if rank != mask.rank {
                return Err(self.refuse(mask_node, "OB3043", "the ranks in WHERE differ"));
            }
            mask.e = combine(NodeKind::Bool(BoolOp::And), [around.clone(), mask.e]);
        }
        if !once {
            let t = self.array_value("mask", mask.clone(), mask_node)?;
            mask.e = Expr::sym(t);
        }
        let mut pending = self.negated(mask.e.clone());
        if let Some((around, _)) = outer {
            pending = combine(NodeKind::Bool(BoolOp::And), [around.clone(), pending]);
        }
        for s in body {
            self.masked(s, &mask.e, mask.rank, depth)?;
        }
        for c in clauses {
            let mut own = pending.clone();
            if let Some(m) = child(c, "parenthesized_expression") {
                let v = self.expr(m)?;
                self.logical(&v, m)?;
                let both =
                    super::expressions::Val::new(combine(NodeKind::Bool(BoolOp::And), [pending.clone(), v.e]), ElemType::BOOL, mask.rank);
                let t = self.array_value("mask", both, m)?;
                own = Expr::sym(t);
                pending = combine(NodeKind::Bool(BoolOp::And), [pending, self.negated(own.clone())]);
            }
            for s in named(c).into_iter().filter(|s| is_where_body(s.kind())) {
                self.masked(s, &own, mask.rank, depth)?;
            }
        }
        Ok(())
    }

    fn masked(&mut self, node: Node<'t>, mask: &Expr, rank: u8, depth: usize) -> Lowered<()> {
        if node.kind() == "where_statement" {
            return self.where_under(node, Some((mask, rank)), depth + 1);
        }
        if node.kind() != "assignment_statement" {
            return Err(self.refuse(node, "OB3034", "only assignments are supported in WHERE"));
        }
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return Err(self.refuse(node, "OB3034", "malformed assignment"));
        };
        let (lhs, ty, r) = self.target(left)?;
        let outer = self.cur.mask.replace(super::expressions::Val::new(mask.clone(), ElemType::BOOL, rank));
        let v = self.expr(right);
        self.cur.mask = outer;
        let v = v?;
        let truth = ty.base == BaseType::Bool;
        if truth {
            self.logical(&v, right)?
        } else {
            self.numeric(&v, right)?
        }
        if r != rank || (v.rank != 0 && v.rank != rank) || !(truth || matches!(ty.base, BaseType::Real | BaseType::Integer)) {
            return Err(self.refuse(node, "OB3043", "the ranks in WHERE differ"));
        }
        let own = Expr::var(lhs.clone());
        // What is not chosen need not have a value yet.
        let v = if truth { v } else { self.converted(v, ty) };
        let rhs = op("select", "merge", None, [mask.clone(), v.e, own]);
        self.emit(StmtKind::Assignment { lhs, rhs }, node, true);
        Ok(())
    }

    fn allocate(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut options = String::new();
        let mut writes = Vec::new();
        let mut like: Option<(super::expressions::Val, bool, Node<'t>)> = None;
        for k in named(node).into_iter().filter(|c| c.kind() == "keyword_argument") {
            let name = field(k, "name").map(|n| self.lower(n)).unwrap_or_default();
            match (name.as_str(), field(k, "value")) {
                ("stat" | "errmsg", Some(v)) => writes.extend(self.base_variable(v)?),
                ("source" | "mold", Some(v)) if like.is_none() => {
                    like = Some((self.expr(v)?, name == "source", v));
                    continue;
                }
                _ => return Err(self.refuse(k, "OB3034", format!("ALLOCATE with `{name}`"))),
            }
            options.push_str(", ");
            options.push_str(&self.file().squeezed(k));
        }
        if field(node, "type").is_some() {
            return Err(self.refuse(node, "OB3034", "ALLOCATE with a type"));
        }
        let mut cursor = node.walk();
        let objects: Vec<Node> = node.children_by_field_name("allocation", &mut cursor).collect();
        for o in objects {
            let (name, size) = match (o.kind(), child(o, "size")) {
                ("sized_allocation", Some(size)) => (named(o).first().copied().unwrap_or(o), size),
                ("identifier", _) if options.is_empty() && like.as_ref().is_some_and(|l| l.0.rank > 0) => {
                    let symbol = self.variable(o)?;
                    if let Some((v, copied, at)) = &like {
                        self.may_be_like(symbol, v, *copied, *at)?;
                        self.allocate_like(symbol, v, node)?;
                        self.filled(symbol, v, *copied, node);
                    }
                    continue;
                }
                _ => return Err(self.refuse(o, "OB3022", "ALLOCATE of a scalar or a component")),
            };
            let symbol = match self.member_symbol(name) {
                Some(s) => s,
                None if name.kind() != "identifier" => return Err(self.refuse(name, "OB3020", "ALLOCATE of a component")),
                None => self.variable(name)?,
            };
            let s = self.p.symbol(symbol);
            if !s.has_attribute("allocatable") {
                return Err(self.refuse(name, "OB3022", format!("`{}` is not ALLOCATABLE", s.name)));
            }
            let mut object = VarRef::whole(symbol);
            for (t, _) in self.subscripts(size)? {
                object.subscripts.push(match t.bound {
                    Some(_) => t,
                    None => Triplet { index: Some(Expr::int(1)), bound: t.index, stride: None },
                });
            }
            if object.subscripts.len() != self.p.symbol(symbol).rank as usize {
                return Err(self.refuse(o, "OB3043", "the number of bounds differs from the number of dimensions"));
            }
            self.note_shape(symbol, &object, node);
            let mut reads = Vec::new();
            for e in object.index_exprs() {
                e.for_each_ref(&mut |r| reads.push(r.symbol));
            }
            reads.sort_unstable();
            reads.dedup();
            let text = format!("allocate({}{options})", self.file().squeezed(o));
            let mut all = writes.clone();
            all.push(symbol);
            let marker = Marker { class: MarkerClass::Allocate, text, object: Some(object), reads, writes: all, ..Marker::default() };
            if let Some((v, copied, at)) = &like {
                self.may_be_like(symbol, v, *copied, *at)?;
            }
            self.emit(StmtKind::Marker(Box::new(marker)), node, like.is_some());
            if let Some((v, copied, _)) = &like {
                self.filled(symbol, v, *copied, node);
            }
        }
        Ok(())
    }

    fn deallocate(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut options = String::new();
        let mut writes = Vec::new();
        for k in named(node).into_iter().filter(|c| c.kind() == "keyword_argument") {
            if let Some(v) = field(k, "value") {
                writes.extend(self.base_variable(v)?);
            }
            options.push_str(", ");
            options.push_str(&self.file().squeezed(k));
        }
        for o in named(node).into_iter().filter(|c| c.kind() != "keyword_argument") {
            let symbol = match self.member_symbol(o) {
                Some(s) => s,
                None if o.kind() != "identifier" => return Err(self.refuse(o, "OB3020", "DEALLOCATE of a component")),
                None => self.variable(o)?,
            };
            let s = self.p.symbol(symbol);
            if !s.has_attribute("allocatable") {
                return Err(self.refuse(o, "OB3022", format!("`{}` is not ALLOCATABLE", s.name)));
            }
            let text = format!("deallocate({}{options})", self.text(o));
            let mut all = writes.clone();
            all.push(symbol);
            let object = Some(VarRef::whole(symbol));
            let marker = Marker { class: MarkerClass::Deallocate, text, object, writes: all, ..Marker::default() };
            self.emit(StmtKind::Marker(Box::new(marker)), node, false);
        }
        Ok(())
    }

    /// Input and output.
    fn io(&mut self, node: Node<'t>) -> Lowered<()> {
        self.own_names_only(node)?;
        let mut writes = Vec::new();
        let mut reads = self.symbols_in(node)?;
        let inquire = node.kind() == "inquire_statement";
        for k in named(node).into_iter().filter(|c| c.kind() == "keyword_argument") {
            let name = field(k, "name").map(|n| self.lower(n)).unwrap_or_default();
            let Some(v) = field(k, "value") else { continue };
            match name.as_str() {
                "end" | "err" | "eor" => {
                    let mut d = *self.refuse(k, "OB3035", format!("jump out of an input or output statement (`{name}=`)"));
                    d.help = Some("use `iostat=` and branch on it".into());
                    return Err(Box::new(d));
                }
                "nml" => self.namelist(v, node, &mut reads, &mut writes),
                "iostat" | "iomsg" | "size" | "newunit" | "id" => writes.extend(self.base_variable(v)?),
                "unit" | "fmt" | "file" if !inquire => {}
                _ if inquire && !matches!(name.as_str(), "unit" | "file" | "id") => writes.extend(self.base_variable(v)?),
                _ => {}
            }
        }
        if let Some(f) = child(node, "format_identifier")
            && let Some(group) = named(f).into_iter().find(|n| n.kind() == "identifier")
        {
            self.namelist(group, node, &mut reads, &mut writes);
        }
        if node.kind() == "read_statement" {
            for item in child(node, "input_item_list").map(named).unwrap_or_default() {
                self.input_item(item, &mut writes)?;
            }
        }
        // An internal file is a variable.
        if matches!(node.kind(), "write_statement")
            && let Some(u) = child(node, "unit_identifier")
            && let Some(v) = named(u).first()
            && let Some(symbol) = self.base_variable(*v)?
            && self.p.symbol(symbol).ty.base == BaseType::String
        {
            writes.push(symbol);
        }
        // The index of an implied loop is written, too.
        let mut indices = Vec::new();
        super::tree::walk(node, &mut |n| {
            if n.kind() == "loop_control_expression" {
                indices.extend(named(n).first().copied());
            }
            true
        });
        for i in indices {
            writes.push(self.variable(i)?);
        }
        if self.calls_user(node) && !self.calls_pure_only(node) && !self.calls_without_effects(node) {
            let mut d = *self.refuse(node, "OB3047", "input or output of what a function returns that may have side effects");
            d.help = Some("assign the function's value to a variable first".into());
            return Err(Box::new(d));
        }
        reads.sort_unstable();
        reads.dedup();
        let text = self.with_format(node);
        writes.sort_unstable();
        writes.dedup();
        let class = if self.is_terminal(node, &text) { MarkerClass::Terminal } else { MarkerClass::Io };
        let marker = Marker { class, text, reads, writes, ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, false);
        Ok(())
    }

    /// Whether a statement reads from or writes to the terminal, or text of the program: nothing goes to a file.
    fn is_terminal(&self, node: Node<'t>, text: &str) -> bool {
        let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        let behind = |word: &str| {
            let unit = squeezed.strip_prefix(word).and_then(|r| r.strip_prefix('(')).map(|r| r.strip_prefix("unit=").unwrap_or(r));
            unit.and_then(|r| r.split([',', ')']).next()).unwrap_or_default().to_owned()
        };
        let internal = |unit: &str| {
            self.lookup(self.cur.scope, unit.split(['(', '%']).next().unwrap_or_default())
                .is_some_and(|s| matches!(self.p.symbol(s).ty.base, BaseType::String | BaseType::Char))
        };
        match node.kind() {
            "print_statement" => true,
            "write_statement" => {
                let unit = behind("write");
                matches!(unit.as_str(), "*" | "6" | "0" | "output_unit" | "error_unit") || internal(&unit)
            }
            "read_statement" => {
                let unit = behind("read");
                matches!(unit.as_str(), "*" | "5" | "input_unit") || internal(&unit) || !squeezed.starts_with("read(")
            }
            _ => false,
        }
    }

    /// The text of an input or output statement with a format in place of the label of one: the text then stands for itself.
    fn with_format(&self, node: Node<'t>) -> String {
        let mut label = None;
        super::tree::walk(node, &mut |n| {
            let reference = n.kind() == "statement_label_reference"
                || n.kind() == "number_literal"
                    && n.parent().is_some_and(|p| {
                        p.kind() == "format_identifier"
                            || p.kind() == "keyword_argument" && field(p, "name").is_some_and(|k| self.lower(k) == "fmt")
                    });
            if reference && label.is_none() {
                label = Some(n);
            }
            label.is_none()
        });
        let whole = self.text(node);
        if let Some(l) = label
            && let Some(format) = self.cur.formats.get(&super::control::label_text(self.text(l)))
            && let (Some(before), Some(after)) =
                (whole.get(..l.start_byte() - node.start_byte()), whole.get(l.end_byte() - node.start_byte()..))
        {
            let text = format!("{before}'{}'{after}", format.replace('\'', "''"));
            return super::canonical::squeeze(text.trim().chars());
        }
        self.file().squeezed(node).replace('\n', " ")
    }

    fn namelist(&mut self, group: Node<'t>, node: Node<'t>, reads: &mut Vec<SymbolId>, writes: &mut Vec<SymbolId>) {
        let name = self.lower(group);
        if let Some(members) = self.search(self.cur.scope, &|i| i.namelists.get(&name).cloned()) {
            if node.kind() == "read_statement" { writes } else { reads }.extend(members);
        }
    }

    fn input_item(&mut self, item: Node<'t>, writes: &mut Vec<SymbolId>) -> Lowered<()> {
        if item.kind() == "implied_do_loop_expression" {
            for i in named(item).into_iter().filter(|n| n.kind() != "loop_control_expression") {
                self.input_item(i, writes)?;
            }
            return Ok(());
        }
        match self.base_variable(item)? {
            Some(symbol) => {
                writes.push(symbol);
                Ok(())
            }
            None => Err(self.refuse(item, "OB3046", "this cannot be read into")),
        }
    }

    /// Whether all the user's functions that are called below are known and pure.
    pub fn calls_pure_only(&self, node: Node) -> bool {
        let mut pure = true;
        super::tree::walk(node, &mut |n| {
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first().filter(|c| c.kind() == "identifier")
            {
                let name = self.lower(*callee);
                let symbol = self.lookup(self.cur.scope, &name);
                let variable = symbol.is_some_and(|s| self.p.symbol(s).kind != SymbolKind::Subroutine && self.p.symbol(s).rank > 0);
                let known = symbol.and_then(|s| self.proc_of.get(&s)).is_some_and(|p| self.procs[*p].pure);
                pure &= variable || known || self.means_intrinsic(&name);
            }
            pure
        });
        pure
    }

    /// Whether all the user's functions that are called below visibly change nothing: they assign to variables of their own only.
    fn calls_without_effects(&self, node: Node) -> bool {
        let mut called = Vec::new();
        self.called(node, self.cur.scope, &mut called);
        let mut at = 0;
        while let Some(&p) = called.get(at) {
            at += 1;
            let proc = &self.procs[p];
            if proc.pure {
                continue;
            }
            if proc.interface_only || at > 100 || self.files.get(proc.file).is_none() {
                return false;
            }
            let file = &self.files[proc.file];
            let mut clean = true;
            super::tree::walk(proc.node, &mut |n| {
                if n.kind() == "internal_procedures" {
                    clean = false;
                }
                if n.kind() == "assignment_statement" {
                    let base =
                        field(n, "left").map(|l| if l.kind() == "call_expression" { named(l).first().copied().unwrap_or(l) } else { l });
                    let name = base.map(|b| file.lower(b)).unwrap_or_default();
                    let result = proc.formals.iter().any(|f| f.result && self.p.symbol(f.symbol).name.eq_ignore_ascii_case(&name));
                    clean &= result
                        || match self.names.get(&(proc.scope, name.clone())) {
                            Some(&s) => *self.p.symbol(s).storage() == Storage::Local,
                            None => self.lookup(proc.scope, &name).is_none() && base.is_some_and(|b| b.kind() == "identifier"),
                        };
                } else if n.kind().ends_with("_statement") {
                    let harmless = matches!(
                        n.kind(),
                        "if_statement"
                            | "do_statement"
                            | "where_statement"
                            | "select_case_statement"
                            | "case_statement"
                            | "function_statement"
                            | "arithmetic_if_statement"
                            | "keyword_statement"
                            | "use_statement"
                            | "implicit_statement"
                            | "allocate_statement"
                            | "deallocate_statement"
                            | "while_statement"
                            | "save_statement"
                            | "end_if_statement"
                            | "parameter_statement"
                    ) || n.kind().starts_with("end_");
                    clean &= harmless;
                }
                clean &= n.kind() != "subroutine_call";
                clean
            });
            if !clean {
                return false;
            }
            self.called(proc.node, proc.scope, &mut called);
        }
        true
    }

    /// The user's functions that are called below; an unknown one counts as the current unit, which is no function without effects.
    fn called(&self, node: Node, scope: ScopeId, out: &mut Vec<usize>) {
        super::tree::walk(node, &mut |n| {
            if n.kind() == "call_expression"
                && let Some(callee) = named(n).first().filter(|c| c.kind() == "identifier")
            {
                let name = self.lower(*callee);
                if let Some(s) = self.lookup(scope, &name)
                    && self.p.symbol(s).kind == SymbolKind::Subroutine
                {
                    let p = self.proc_of.get(&s).copied().unwrap_or(self.cur.proc);
                    if !out.contains(&p) {
                        out.push(p);
                    }
                }
            }
            true
        });
    }

    /// Whether a statement or clause has that word (`then`, `default`).
    pub fn has_word(&self, node: Node, word: &str) -> bool {
        has(node, word) || children(node).iter().any(|c| !c.is_named() && self.lower(*c) == word)
    }
}

/// What may stand in WHERE.
fn is_where_body(kind: &str) -> bool {
    kind.ends_with("_statement") && kind != "end_where_statement" && kind != "block_label_start_expression" || kind == "subroutine_call"
}
