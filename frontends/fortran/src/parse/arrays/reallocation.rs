//! Assignments to whole ALLOCATABLE arrays, which may allocate them anew: the model knows no such thing.
//!
//! Lives here: what is certain of such an assignment; the first one becomes an ALLOCATE of its own, one that keeps the shape is an assignment
//! like any other; before the rest stands what Fortran does: `if (allocated(a)) then; if (size(a) /= n) deallocate(a)` and the like.
//! Never here: ALLOCATE as the user writes it (see `statements`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::is_member;
use crate::parse::context::terms::{Val, combine, op};
use crate::parse::text::tree::named;
use tree_sitter::Node;
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
        if is_member(s) && matches!(s.storage(), Storage::Local | Storage::Global) {
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
        let node = named(unit).into_iter().next().unwrap_or(unit);
        for f in self.procs[self.cur.proc].formals.clone() {
            let s = self.p.symbol(f.symbol);
            // A component of an array of structures would be freed in each of them.
            let outer = s.name.split_once('%').and_then(|(base, _)| self.p.lookup(s.scope, base)).map_or(0, |b| self.p.symbol(b).rank);
            if f.result
                || !f.intent_declared
                || f.intent != Intent::Out
                || !s.has_attribute("allocatable")
                || outer > 0
                || s.ty.base == BaseType::String
            {
                // A text has no derivative, and an assignment gives it its length.
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
    pub fn free(&mut self, symbol: SymbolId, node: Node<'t>) {
        let text = format!("deallocate({})", self.p.symbol(symbol).name);
        let object = Some(VarRef::whole(symbol));
        let marker = Marker { class: MarkerClass::Deallocate, text, object, writes: vec![symbol], ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, true);
    }
}
