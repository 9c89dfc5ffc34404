//! Work arrays that change their names: `t = a; a = b; b = t;`, or more of them in turn.
//!
//! Pointers are no values of the model, so their contents change places instead. That is the same
//! to everybody where all are memory of the function's own that nothing else points into, and of
//! the same extents. Never here: other assignments of pointers (see `pointers`).

use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, Lower};
use crate::parse::context::terms::{moved, op, relation};
use crate::parse::facts::function::Swap;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{POINTER_TARGET, Refusal, Res};
use lang_c::span::Span;
use xaif::model::{BoolOp, Bound, Expr, ForLoop, StmtKind, Storage, SymbolId, VarRef};
use xaif::types;

impl<'a> Lower<'a> {
    /// What an allocation gave: the last index of each dimension, if that can still be told where the text goes on.
    pub fn note_extents(&mut self, symbol: SymbolId, last: Vec<Expr>, at: usize) {
        let again = self.body().heap.contains_key(&symbol);
        let in_loop = self.body().builder.loop_depth() > 0;
        let facts = self.body().facts.clone();
        let mut settled = !again && !in_loop;
        for e in &last {
            for r in e.nodes.iter().filter_map(|n| if let xaif::model::NodeKind::Var(r) = &n.kind { Some(r) } else { None }) {
                let known = match self.body().fact_of.get(&r.symbol) {
                    Some(&f) => {
                        let v = &facts.vars[f];
                        !v.global && !v.address && !v.memory && !facts.changes(f, at, usize::MAX)
                    }
                    None => *self.program.symbol(r.symbol).storage() == Storage::Constant,
                };
                settled &= known && r.subscripts.is_empty();
            }
        }
        self.body().heap.insert(symbol, settled.then_some(last));
    }

    /// The memory that a pointer owns, with the last index of each dimension.
    fn exchanged(&mut self, pointer: &str) -> Option<(SymbolId, Vec<Expr>)> {
        let Some(Binding::Variable(v)) = self.find(pointer) else { return None };
        match v.place.clone() {
            Place::Heap(s) => Some((s, self.body().heap.get(&s).cloned().flatten()?)),
            Place::Target(p) => {
                let symbol = self.program.symbol(p.base);
                let start = p.subs.len() == 1 && p.subs[0].as_int() == Some(0) && symbol.rank as usize == 1 + p.to.rank();
                let decl = symbol.decl.as_ref().filter(|d| start && d.storage == Storage::Local)?;
                let last = |d: &xaif::model::Dim| match &d.upper {
                    Bound::Expr(e) if e.as_int().is_some() => Some(e.clone()),
                    _ => None,
                };
                Some((p.base, decl.dims.iter().map(last).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// The type of a variable that counts to a number.
    pub fn counter_type(&self, bound: &Expr) -> CType {
        let mut unsigned = false;
        bound.for_each_ref(&mut |r| unsigned |= self.program.symbol(r.symbol).has_attribute("unsigned"));
        match types::of(self.program, bound).elem.bits {
            _ if unsigned => CType::SIZE,
            64 => CType::LONG,
            _ => CType::INT,
        }
    }

    /// An exchange of contents.
    pub fn swap(&mut self, swap: &Swap, span: Span) -> Res<()> {
        if swap.turning {
            return self.next_turn(swap, span);
        }
        self.begin_statement(span, true);
        let refused = |reason: &str| {
            Err(Refusal::new(POINTER_TARGET, span, "pointers exchange their targets")
                .because(reason.to_string())
                .help("allocate them with the same number of elements, which does not change afterwards, or copy the elements"))
        };
        let facts = self.body().facts.clone();
        let mut arrays: Vec<(SymbolId, Vec<Expr>)> = Vec::new();
        for &v in &swap.turn {
            let Some(found) = self.exchanged(&facts.vars[v].name) else { return refused("how many elements they have here is not known") };
            arrays.push(found);
        }
        let Some((a, last)) = arrays.first().cloned() else { return Ok(()) };
        let ty = self.program.symbol(a).ty;
        let alike = |(s, l): &(SymbolId, Vec<Expr>)| {
            let x = self.program.symbol(*s);
            *l == last && x.ty == ty && !x.has_attribute("const")
        };
        if !arrays.iter().all(alike) {
            return refused("their targets have different extents or types");
        }
        let mut counters = Vec::new();
        for e in last {
            let kind = self.counter_type(&e);
            let k = self.temporary("k", &kind);
            let stmt = |l: &mut Self, rhs: Expr| {
                let kind = StmtKind::Assignment { lhs: VarRef::whole(k), rhs };
                l.statement_of(kind, span, String::new())
            };
            let init = stmt(self, Expr::int(0));
            let update = stmt(self, op("add_scal_scal", "", [Expr::sym(k), Expr::int(1)]));
            let condition = relation(BoolOp::LessThan, [Expr::sym(k), moved(e, Expr::int(1))]);
            let v = self.body().builder.begin_for(ForLoop { explicit: false, init, condition, update, counted: true });
            self.dress(v, span, String::new());
            counters.push(k);
        }
        let element = |s: SymbolId| VarRef::element(s, counters.iter().map(|&k| Expr::sym(k)));
        let name = facts.vars[swap.between].name.clone();
        let kept = self.temporary(&name, &CType::Real(64));
        let like = self.program.symbol(a).decl.as_ref().map(|d| (d.type_text.clone(), d.attributes.clone()));
        let symbol = self.program.symbol_mut(kept);
        symbol.ty = ty;
        if let (Some(d), Some((text, attributes))) = (&mut symbol.decl, like) {
            d.type_text = text;
            d.attributes = attributes.into_iter().filter(|a| a == "unsigned").collect();
        }
        self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(kept), rhs: Expr::var(element(a)) }, span, String::new());
        for w in arrays.windows(2) {
            let kind = StmtKind::Assignment { lhs: element(w[0].0), rhs: Expr::var(element(w[1].0)) };
            self.emit_with_text(kind, span, String::new());
        }
        let end = arrays.last().map_or(a, |l| l.0);
        self.emit_with_text(StmtKind::Assignment { lhs: element(end), rhs: Expr::sym(kept) }, span, String::new());
        for _ in &counters {
            self.body().builder.end_loop();
        }
        Ok(())
    }
}
