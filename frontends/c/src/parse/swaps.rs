//! Work arrays that change their names: `t = a; a = b; b = t;`, or more of them in turn.
//!
//! Pointers are no values of the model, so their contents change places instead. That is the same to everybody where all are memory of the
//! function's own that nothing else points into, and of the same extents. Never here: other assignments of pointers (see `pointers`).

use super::facts::{Facts, Kind, Origin, declared_depth, declared_name, uncast};
use super::lower::{Binding, Lower, Place};
use super::refusal::{POINTER_TARGET, Refusal, Res};
use super::types::CType;
use super::values::{moved, op, relation};
use lang_c::ast::{BinaryOperator as B, BlockItem, Declarator, Expression as E, Initializer, Statement};
use lang_c::span::{Node, Span};
use xaif::model::{BoolOp, Bound, Expr, ForLoop, StmtKind, Storage, SymbolId, VarRef};
use xaif::types;

/// An exchange as the text has it.
pub(crate) struct Exchange<'e> {
    /// The declarator of the pointer that keeps one target meanwhile, if it is declared here.
    pub declared: Option<&'e Declarator>,
    pub between: &'e str,
    /// Each gets what the next one has, the last what the first had.
    pub names: Vec<&'e str>,
    /// Where each assignment has its target and its value, in order.
    pub places: Vec<(usize, usize)>,
    pub span: Span,
}

/// An exchange by the variables of the facts.
#[derive(Clone, Debug)]
pub(crate) struct Swap {
    pub start: usize,
    pub between: usize,
    pub turn: Vec<usize>,
    /// Where each assignment has its target and its value, in order.
    pub places: Vec<(usize, usize)>,
    /// The pointers change their targets (see `choices`), not the arrays their contents.
    pub turning: bool,
}

fn name_of(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

fn assignment(item: &Node<BlockItem>) -> Option<(&str, &str, (usize, usize))> {
    let BlockItem::Statement(s) = &item.node else { return None };
    let Statement::Expression(Some(e)) = &s.node else { return None };
    let E::BinaryOperator(b) = &e.node else { return None };
    if b.node.operator.node != B::Assign {
        return None;
    }
    Some((name_of(&b.node.lhs)?, name_of(&b.node.rhs)?, (b.node.lhs.span.start, b.node.rhs.span.start)))
}

/// The exchange that the first items are.
pub(crate) fn exchange(items: &[Node<BlockItem>]) -> Option<Exchange<'_>> {
    let (keep, rest) = items.split_first()?;
    let (between, first, declared, place) = match &keep.node {
        BlockItem::Declaration(d) => {
            let [i] = &d.node.declarators[..] else { return None };
            let Initializer::Expression(e) = &i.node.initializer.as_ref()?.node else { return None };
            let declarator = &i.node.declarator.node;
            if declared_depth(declarator) == 0 {
                return None;
            }
            (declared_name(declarator)?.0, name_of(e)?, Some(declarator), (i.node.declarator.span.start, e.span.start))
        }
        _ => {
            let (t, a, place) = assignment(keep)?;
            (t, a, None, place)
        }
    };
    let (mut names, mut places) = (vec![first], vec![place]);
    for item in rest {
        let (to, from, place) = assignment(item)?;
        places.push(place);
        if names.last() != Some(&to) || to == between {
            return None;
        }
        if from == between {
            let span = Span { start: keep.span.start, end: item.span.end };
            return (names.len() > 1).then_some(Exchange { declared, between, names, places, span });
        }
        if names.contains(&from) {
            return None;
        }
        names.push(from);
    }
    None
}

impl Facts {
    /// The exchange of contents that begins at this byte.
    pub fn swap_at(&self, start: usize) -> Option<&Swap> {
        self.swaps.iter().find(|s| s.start == start)
    }

    /// Whether contents may change places instead of pointers.
    fn may_swap(&self, s: &Swap) -> bool {
        let unused = self.vars[s.between].origins.is_empty() && !self.all().iter().any(|e| e.kind != Kind::Call && e.var == s.between);
        unused && s.turn.iter().all(|&v| self.owns(v))
    }

    /// True for a pointer that alone knows the memory that it points to.
    fn owns(&self, v: usize) -> bool {
        let var = &self.vars[v];
        let pointed = |v: usize, by: Option<usize>| {
            self.vars.iter().enumerate().any(|(w, x)| Some(w) != by && x.origins.contains(&Origin::Variable(v)))
        };
        if var.stepped || var.address || pointed(v, None) {
            return false;
        }
        if let [Origin::Variable(array)] = var.origins[..] {
            // An array of the function's own that has no other name from the pointer's declaration on.
            let a = &self.vars[array];
            let mut set = self.all().iter().filter(|e| e.var == v && e.kind == Kind::Write);
            let (Some(given), None) = (set.next(), set.next()) else { return false };
            let late: Vec<_> = self.all().iter().filter(|e| e.kind != Kind::Call && e.var == array && e.offset >= given.offset).collect();
            let once = matches!(late[..], [e] if e.kind == Kind::Read);
            return once
                && a.memory
                && a.parameter.is_none()
                && !a.global
                && !a.address
                && !var.in_loop
                && !self.labels
                && !pointed(array, Some(v));
        }
        let memory = var.origins.iter().all(|o| matches!(o, Origin::Allocation | Origin::Null));
        memory && var.origins.contains(&Origin::Allocation)
    }

    /// Takes exchanges back that must be assignments of pointers.
    pub fn settle_swaps(&mut self) {
        // Pointers that all point into one array are followed by their offsets.
        let one_array = |f: &Facts, s: &Swap| match s.turn.iter().map(|&v| f.roots(v)).collect::<Option<Vec<_>>>() {
            Some(roots) => roots.windows(2).all(|w| w[0] == w[1] && w[0].len() == 1),
            None => false,
        };
        let contents: Vec<bool> = self.swaps.iter().map(|s| self.may_swap(s)).collect();
        let turning: Vec<bool> = self.swaps.iter().zip(&contents).map(|(s, own)| !own && self.may_turn(s) && !one_array(self, s)).collect();
        // Pointers take turns everywhere or nowhere.
        for k in 0..self.swaps.len() {
            let all = self.swaps.iter().zip(&turning).all(|(s, t)| *t || s.turn != self.swaps[k].turn);
            self.swaps[k].turning = turning[k] && all;
        }
        for s in self.swaps.clone().iter().filter(|s| s.turning) {
            self.unnote(s.start, &s.turn);
            for (k, &v) in s.turn.iter().enumerate() {
                let next = s.turn[(k + 1) % s.turn.len()];
                self.vars[v].origins.push(Origin::Variable(next));
                self.note(s.start, v, Kind::Read);
                self.note(s.start, v, Kind::Write);
            }
        }
        while let Some(k) = self.swaps.iter().position(|s| !s.turning && !self.may_swap(s)) {
            let s = self.swaps.remove(k);
            self.unnote(s.start, &s.turn);
            let mut given = vec![(s.between, s.turn[0])];
            given.extend(s.turn.windows(2).map(|w| (w[0], w[1])));
            given.extend(s.turn.last().map(|&last| (last, s.between)));
            for ((to, from), (target, value)) in given.into_iter().zip(s.places) {
                self.vars[to].arrayish = true;
                self.vars[from].arrayish = true;
                self.vars[to].origins.push(Origin::Variable(from));
                self.vars[to].given.push(target);
                self.note(value, from, Kind::Read);
                self.note(target, to, Kind::Write);
            }
        }
    }
}

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
