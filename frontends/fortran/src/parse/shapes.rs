//! Assignments to whole ALLOCATABLE arrays, which may allocate them anew: the model knows no such thing.
//!
//! Lives here: what is certain of such an assignment; the first one becomes an ALLOCATE of its own, one that keeps the shape is an assignment
//! like any other; before the rest stands what Fortran does: `if (allocated(a)) then; if (size(a) /= n) deallocate(a)` and the like. Never here: ALLOCATE as the user writes it (see `statements`).

use super::elements::Extents;
use super::expressions::{Val, combine, op};
use super::hoist::int_op;
use super::scope::{Lower, Lowered};
use super::tree::{child, field, named, walk};
use tree_sitter::Node;
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::*;

impl<'t> Lower<'t> {
    /// What has to happen before `a = v`.
    pub fn before_whole_assignment(&mut self, lhs: &VarRef, v: &mut Val, node: Node<'t>) -> Lowered<()> {
        let s = self.p.symbol(lhs.symbol);
        if v.rank == 0 || !lhs.subscripts.is_empty() || !s.has_attribute("allocatable") || s.temp || s.pointer {
            return Ok(());
        }
        if self.keeps_shape(lhs.symbol, &v.e, v.e.root_id(), 0) {
            return Ok(());
        }
        let name = s.name.to_ascii_lowercase();
        if super::members::is_member(s) && matches!(s.storage(), Storage::Local | Storage::Global) {
            // Nobody knows what a structure went through: names do not tell.
            return self.reallocate(lhs.symbol, v, node);
        }
        let sites = self.allocation_sites(&name);
        let own = s.scope == self.cur.scope && *s.storage() == Storage::Local;
        if sites.is_empty() && own && self.cur.constructs.is_empty() && self.is_first_use(&name, node) {
            return self.allocate_like(lhs.symbol, v, node);
        }
        let known = self.cur.shapes.get(&lhs.symbol).cloned();
        if let (Some((known, given)), Some(new)) = (known, self.lengths(&v.e, v.e.root_id(), 0))
            && known == new
        {
            // ALLOCATE stands before it in the same sequence, or all of the unit's say the same.
            let (unit, start) = (self.procs[self.cur.proc].node, given.end_byte());
            let near = given.parent() == node.parent() && start <= node.start_byte();
            let range = if near { start..node.start_byte() } else { 0..usize::MAX };
            let again = self.reallocated.iter().any(|(s, at)| *s == lhs.symbol && range.contains(at));
            // Any unit may allocate a module's variables.
            let local = *self.p.symbol(lhs.symbol).storage() == Storage::Local;
            let follows = near && !self.allocates_in(unit, &name, &range) && (local || !self.calls_in(unit, &range));
            let alike = follows || local && sites.iter().all(|t| *t == sites[0]);
            if alike && !again && known.iter().all(|e| self.never_changes(e, &range)) {
                if !follows {
                    self.alike.push(lhs.symbol);
                }
                return Ok(());
            }
        }
        // What was said of another assignment may rest on this array never changing its shape.
        if matches!(self.p.symbol(lhs.symbol).storage(), Storage::Local | Storage::Global) && !self.alike.contains(&lhs.symbol) {
            self.reallocated.push((lhs.symbol, node.start_byte()));
            return self.reallocate(lhs.symbol, v, node);
        }
        let mut d = *self.refuse(node, "OB3049", format!("this assignment may allocate `{name}` anew with another shape"));
        d.help = Some(format!("write `{name}({}) = ...` if the shape stays, else a second array", vec![":"; s.rank as usize].join(", ")));
        Err(Box::new(d))
    }

    /// Frees the array where it has another shape than the value, and allocates it where it is not allocated then.
    fn reallocate(&mut self, symbol: SymbolId, v: &mut Val, node: Node<'t>) -> Lowered<()> {
        self.needs_graph(node)?;
        let mut own = false;
        v.e.for_each_ref(&mut |r| own |= r.symbol == symbol);
        if own {
            let t = self.array_value("temp", v.clone(), node)?;
            *v = Val::new(Expr::sym(t), v.ty, v.rank);
        }
        let dims = self.known_extents(v, node)?;
        let allocated = || op("allocated", "", None, [Expr::sym(symbol)]);
        let differs = dims.iter().enumerate().map(|(k, (_, n))| {
            let size = op("size", "", None, [Expr::sym(symbol), Expr::int(k as i64 + 1)]);
            combine(NodeKind::Bool(BoolOp::NotEqual), [size, n.clone()])
        });
        let Some(differs) = differs.reduce(|a, b| combine(NodeKind::Bool(BoolOp::Or), [a, b])) else { return Ok(()) };
        self.open_test(allocated());
        self.open_test(differs);
        self.free(symbol, node);
        self.close_test();
        self.close_test();
        let absent = self.negated(allocated());
        self.open_test(absent);
        self.allocate_like(symbol, v, node)?;
        self.close_test();
        self.cur.shapes.remove(&symbol);
        Ok(())
    }

    /// Allocatable arguments with INTENT(OUT) come in unallocated, whatever the caller hands over.
    pub fn freed_on_entry(&mut self, unit: Node<'t>) {
        let node = super::tree::named(unit).into_iter().next().unwrap_or(unit);
        for f in self.procs[self.cur.proc].formals.clone() {
            let s = self.p.symbol(f.symbol);
            // A component of an array of structures would be freed in each of them.
            let outer = s.name.split_once('%').and_then(|(base, _)| self.p.lookup(s.scope, base)).map_or(0, |b| self.p.symbol(b).rank);
            if f.result || !f.intent_declared || f.intent != Intent::Out || !s.has_attribute("allocatable") || outer > 0 {
                continue;
            }
            let optional = s.has_attribute("optional");
            if optional {
                self.open_test(op("present", "", None, [Expr::sym(f.symbol)]));
            }
            self.open_test(op("allocated", "", None, [Expr::sym(f.symbol)]));
            self.free(f.symbol, node);
            self.close_test();
            if optional {
                self.close_test();
            }
        }
    }

    /// DEALLOCATE of a whole variable.
    fn free(&mut self, symbol: SymbolId, node: Node<'t>) {
        let text = format!("deallocate({})", self.p.symbol(symbol).name);
        let object = Some(VarRef::whole(symbol));
        let marker = Marker { class: MarkerClass::Deallocate, text, object, writes: vec![symbol], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
    }

    /// Notes the shape that ALLOCATE gives.
    pub fn note_shape(&mut self, symbol: SymbolId, object: &VarRef, node: Node<'t>) {
        let bounds = object.subscripts.iter().map(|t| t.index.clone().zip(t.bound.clone())).collect::<Option<Vec<_>>>();
        if let Some(bounds) = bounds {
            let l: Vec<Expr> = bounds.iter().map(|(l, u)| length(l.clone(), u.clone())).collect();
            self.cur.given.insert(symbol, bounds);
            let l = l.into_iter().map(|e| self.declared(e)).collect();
            self.cur.shapes.insert(symbol, (l, node));
        }
    }

    /// `allocate (a(...))` with the shape of the value, whose bounds it has where that is a whole array.
    pub fn allocate_like(&mut self, symbol: SymbolId, v: &Val, node: Node<'t>) -> Lowered<()> {
        let mut dims: Extents = self.known_extents(v, node)?;
        if let Some(r) = v.e.as_var().filter(|r| r.subscripts.is_empty()) {
            let bound = |what: &str, k: usize| op(what, "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)]);
            let lowers = self.p.symbol(r.symbol).decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
            for (k, d) in dims.iter_mut().enumerate() {
                let one = matches!(lowers.get(k).map(|d| &d.lower), Some(Bound::Expr(e)) if e.as_int() == Some(1));
                if !one && !self.cur.one_based.contains(&r.symbol) {
                    *d = (bound("lbound", k), bound("ubound", k));
                }
            }
        }
        let mut object = VarRef::whole(symbol);
        object.subscripts = dims.into_iter().map(|(l, u)| Triplet { index: Some(l), bound: Some(u), stride: None }).collect();
        if let Some(l) = self.lengths(&v.e, v.e.root_id(), 0) {
            self.cur.shapes.insert(symbol, (l, node));
        }
        let mut reads = Vec::new();
        for e in object.index_exprs() {
            e.for_each_ref(&mut |r| reads.push(r.symbol));
        }
        reads.sort_unstable();
        reads.dedup();
        let text = format!("allocate({})", self.p.symbol(symbol).name);
        let marker = Marker { class: MarkerClass::Allocate, text, object: Some(object), reads, writes: vec![symbol], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
        Ok(())
    }

    /// Refuses ALLOCATE with a SOURCE or MOLD that does not go with the array.
    pub fn may_be_like(&self, symbol: SymbolId, v: &Val, copied: bool, node: Node<'t>) -> Lowered<()> {
        let s = self.p.symbol(symbol);
        if !s.has_attribute("allocatable") {
            return Err(self.refuse(node, "OB3022", format!("`{}` is not ALLOCATABLE", s.name)));
        }
        if v.ty.base != s.ty.base
            || !matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool)
            || v.rank > 0 && v.rank != s.rank
            || !copied && v.rank == 0
        {
            return Err(self.refuse(node, "OB3043", "the type or rank of SOURCE or MOLD is not that of the array"));
        }
        Ok(())
    }

    /// What SOURCE gives a newly allocated array.
    pub fn filled(&mut self, symbol: SymbolId, v: &Val, copied: bool, node: Node<'t>) {
        if copied {
            let ty = self.p.symbol(symbol).ty;
            let v = self.converted(v.clone(), ty);
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(symbol), rhs: v.e }, node, true);
        }
    }

    /// MOVE_ALLOC: the other array is freed, gets the shape and the values, and the first is freed.
    pub fn move_alloc(&mut self, list: Option<Node<'t>>, node: Node<'t>) -> Lowered<()> {
        let raws = self.evaluated(list)?;
        let mut ends = [None, None];
        for (i, r) in raws.iter().enumerate() {
            let place = match r.keyword.as_str() {
                "" => i,
                "from" => 0,
                "to" => 1,
                _ => 2,
            };
            let whole = r.value.e.as_var().filter(|v| v.subscripts.is_empty() && self.p.symbol(v.symbol).has_attribute("allocatable"));
            match (ends.get_mut(place), whole) {
                (Some(end), Some(v)) => *end = Some((v.symbol, r.value.clone())),
                _ => return Err(self.refuse(r.node, "OB3031", "`move_alloc` of other than two allocatable arrays")),
            }
        }
        let [Some((from, v)), Some((to, _))] = ends else {
            return Err(self.refuse(node, "OB3032", "an argument of the intrinsic is missing"));
        };
        if from == to {
            return Err(self.refuse(node, "OB3031", "`move_alloc` of an array to itself"));
        }
        self.needs_graph(node)?;
        self.may_be_like(to, &v, true, node)?;
        let allocated = |s| op("allocated", "", None, [Expr::sym(s)]);
        self.open_test(allocated(to));
        self.free(to, node);
        self.close_test();
        self.open_test(allocated(from));
        self.allocate_like(to, &v, node)?;
        self.filled(to, &v, true, node);
        self.free(from, node);
        self.close_test();
        for s in [from, to] {
            self.cur.shapes.remove(&s);
            if !self.alike.contains(&s) {
                self.reallocated.push((s, node.start_byte()));
            }
        }
        Ok(())
    }

    /// The bounds of all ALLOCATE statements for a name in the unit, as text.
    fn allocation_sites(&self, name: &str) -> Vec<String> {
        let mut out = Vec::new();
        walk(self.procs[self.cur.proc].node, &mut |n| {
            // Other ways to get a shape are like no bounds.
            let other = match n.kind() {
                "allocate_statement" => named(n).into_iter().any(|o| o.kind() == "identifier" && self.lower(o) == name),
                "subroutine_call" => {
                    let callee = field(n, "subroutine").is_some_and(|c| self.lower(c) == "move_alloc");
                    let list = child(n, "argument_list").filter(|_| callee && !self.cur.swaps.contains_key(&n.start_byte()));
                    list.is_some_and(|l| named(l).into_iter().any(|a| self.lower(a).ends_with(name)))
                }
                _ => false,
            };
            if other {
                out.push(format!("at {}", n.start_byte()));
            }
            if n.kind() == "sized_allocation"
                && let (Some(object), Some(size)) = (named(n).first(), child(n, "size"))
                && self.lower(*object) == name
            {
                out.push(self.file().squeezed(size).to_ascii_lowercase());
            }
            true
        });
        out
    }

    /// Whether the array is allocated or freed in a part of the text.
    fn allocates_in(&self, unit: Node<'t>, name: &str, range: &std::ops::Range<usize>) -> bool {
        let mut found = false;
        walk(unit, &mut |n| {
            let may = matches!(n.kind(), "allocate_statement" | "deallocate_statement" | "subroutine_call");
            if may && range.contains(&n.start_byte()) && !self.cur.swaps.contains_key(&n.start_byte()) {
                walk(n, &mut |m| {
                    found |= m.kind() == "identifier" && self.lower(m) == name;
                    !found
                });
            }
            !found
        });
        found
    }

    /// Whether a part of the text calls procedures.
    fn calls_in(&self, unit: Node<'t>, range: &std::ops::Range<usize>) -> bool {
        let mut found = false;
        walk(unit, &mut |n| {
            found |= range.contains(&n.start_byte())
                && (n.kind() == "subroutine_call" || n.kind() == "assignment_statement" && self.calls_user(n));
            !found
        });
        found
    }

    /// Whether no statement before this one names the variable.
    fn is_first_use(&self, name: &str, node: Node<'t>) -> bool {
        let mut earlier = false;
        walk(self.procs[self.cur.proc].node, &mut |n| {
            if n.kind().ends_with("_declaration") || n.start_byte() >= node.start_byte() || n.kind() == "internal_procedures" {
                return false;
            }
            earlier |= n.kind() == "identifier" && self.lower(n) == name;
            !earlier
        });
        !earlier && !self.procs.iter().any(|p| p.host == Some(self.cur.proc) && !p.interface_only)
    }

    /// Whether the shape of an expression is that of the variable because the variable is an operand.
    fn keeps_shape(&self, symbol: SymbolId, e: &Expr, at: NodeId, depth: usize) -> bool {
        let node = e.node_at(at);
        match &node.kind {
            NodeKind::Var(r) => r.symbol == symbol && r.subscripts.is_empty(),
            NodeKind::Op(o) if Catalogue::builtin().get(&o.name).map(|i| i.shape) != Some(ResultShape::Elementwise) => false,
            NodeKind::Op(_) | NodeKind::Bool(_) => depth < 100 && node.operands.iter().any(|&n| self.keeps_shape(symbol, e, n, depth + 1)),
            _ => false,
        }
    }

    /// The extents of an array expression in terms of what declarations say.
    fn lengths(&self, e: &Expr, at: NodeId, depth: usize) -> Option<Vec<Expr>> {
        let lengths = self.lengths_as_written(e, at, depth)?;
        Some(lengths.into_iter().map(|l| self.declared(l)).collect())
    }

    /// The same expression with the declared extent in the place of `size(a, k)`.
    fn declared(&self, e: Expr) -> Expr {
        let mut parts: Vec<Expr> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let known = match &n.kind {
                NodeKind::Op(o) if o.name == "size" && n.operands.len() == 2 => {
                    self.declared_extent(&parts[n.operands[0].index()], &parts[n.operands[1].index()])
                }
                _ => None,
            };
            let part = known.unwrap_or_else(|| combine(n.kind.clone(), n.operands.iter().map(|o| parts[o.index()].clone())));
            parts.push(part);
        }
        parts.pop().unwrap_or(e)
    }

    fn declared_extent(&self, array: &Expr, dim: &Expr) -> Option<Expr> {
        let r = array.as_var().filter(|r| r.subscripts.is_empty())?;
        let k = usize::try_from(dim.as_int()? - 1).ok()?;
        let s = self.p.symbol(r.symbol);
        if s.has_attribute("allocatable") || s.pointer {
            return None;
        }
        match s.decl.as_ref()?.dims.get(k)? {
            Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) } => Some(length(l.clone(), u.clone())),
            _ => None,
        }
    }

    fn lengths_as_written(&self, e: &Expr, at: NodeId, depth: usize) -> Option<Vec<Expr>> {
        if depth > 100 {
            return None;
        }
        let node = e.node_at(at);
        match &node.kind {
            NodeKind::Var(r) if r.subscripts.is_empty() => {
                let s = self.p.symbol(r.symbol);
                if s.rank == 0 {
                    return None;
                }
                if let Some(known) = self.cur.shapes.get(&r.symbol) {
                    return Some(known.0.clone());
                }
                let dims = &s.decl.as_ref()?.dims;
                (0..s.rank as usize)
                    .map(|k| match dims.get(k) {
                        Some(Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) }) => Some(length(l.clone(), u.clone())),
                        _ => Some(op("size", "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)])),
                    })
                    .collect()
            }
            NodeKind::Var(_) => {
                let one = e.subexpr(at);
                let dims = self.extents(&one, one.root_id(), 0)?;
                (!dims.is_empty()).then(|| dims.into_iter().map(|(_, n)| n).collect())
            }
            NodeKind::Op(o) if Catalogue::builtin().get(&o.name).map(|i| i.shape) == Some(ResultShape::Elementwise) => {
                node.operands.iter().find_map(|&n| self.lengths(e, n, depth + 1))
            }
            NodeKind::Op(o) if o.name == "transpose_arr" => {
                let mut all = self.lengths(e, *node.operands.first()?, depth + 1)?;
                all.reverse();
                Some(all)
            }
            NodeKind::Op(o) if o.name == "matmul_arr" => {
                let mut rows = self.lengths(e, *node.operands.first()?, depth + 1)?;
                let mut columns = self.lengths(e, *node.operands.get(1)?, depth + 1)?;
                rows.pop();
                if !columns.is_empty() {
                    columns.remove(0);
                }
                rows.append(&mut columns);
                Some(rows)
            }
            NodeKind::Bool(_) => node.operands.iter().find_map(|&n| self.lengths(e, n, depth + 1)),
            _ => None,
        }
    }

    /// Whether an expression has the same value everywhere in a part of the unit's text, as far as names tell.
    pub fn never_changes(&self, e: &Expr, range: &std::ops::Range<usize>) -> bool {
        let mut names: Vec<String> = Vec::new();
        e.for_each_ref(&mut |r| {
            let s = self.p.symbol(r.symbol);
            if *s.storage() != Storage::Constant && s.rank == 0 {
                names.push(s.name.to_ascii_lowercase());
            }
        });
        if names.is_empty() {
            return true;
        }
        // Structures change under other names than those of their components.
        if names.iter().any(|n| n.contains('%') && !n.split('%').next().is_some_and(|base| self.is_read_only(base))) {
            return false;
        }
        let mut changes = self.has_other_names(e);
        walk(self.procs[self.cur.proc].node, &mut |n| {
            let inside = n.start_byte() < range.end && n.end_byte() > range.start;
            if !inside {
                return false;
            }
            let written = match n.kind() {
                "assignment_statement" => field(n, "left"),
                "loop_control_expression" => named(n).first().copied(),
                "subroutine_call" | "read_statement" => {
                    walk(n, &mut |m| {
                        let passed = m.kind() == "identifier" && m.parent().is_some_and(|p| p.kind() != "call_expression");
                        changes |= passed && names.contains(&self.lower(m)) && !self.is_read_only(&self.lower(m));
                        true
                    });
                    None
                }
                _ => None,
            };
            changes |= written.is_some_and(|w| w.kind() == "identifier" && names.contains(&self.lower(w)));
            !changes
        });
        !changes
    }

    fn is_read_only(&self, name: &str) -> bool {
        let Some(s) = self.lookup(self.cur.scope, name) else { return false };
        self.procs[self.cur.proc].formals.iter().any(|f| f.symbol == s && f.intent == Intent::In)
    }
}

/// `upper - lower + 1`, with numbers taken together.
pub(super) fn length(lower: Expr, upper: Expr) -> Expr {
    let Some(l) = lower.as_int() else {
        return int_op("add_scal_scal", int_op("sub_scal_scal", upper, lower), Expr::int(1));
    };
    let split = match &upper.root().kind {
        NodeKind::Op(o) if upper.root().operands.len() == 2 => {
            let (a, b) = (upper.subexpr(upper.root().operands[0]), upper.subexpr(upper.root().operands[1]));
            match (o.name.as_str(), b.as_int()) {
                ("add_scal_scal", Some(c)) => Some((a, c)),
                ("sub_scal_scal", Some(c)) => Some((a, -c)),
                _ => None,
            }
        }
        _ => None,
    };
    let (base, more) = split.unwrap_or((upper, 0));
    match more - l + 1 {
        0 => base,
        d if d < 0 => int_op("sub_scal_scal", base, Expr::int(-d)),
        d => int_op("add_scal_scal", base, Expr::int(d)),
    }
}
