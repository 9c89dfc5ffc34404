//! Two work arrays that change their names: `t = a; a = b; b = t;`.
//!
//! Pointers are no values of the model, so their contents change places instead. That is the same to everybody where both are memory of the
//! function's own that nothing else points into, and of the same extents. Never here: other assignments of pointers (see `pointers`).

use super::facts::{Facts, Kind, Origin, declared_depth, declared_name, uncast};
use super::lower::Lower;
use super::refusal::{POINTER_TARGET, Refusal, Res};
use super::types::CType;
use super::values::{moved, op, relation};
use lang_c::ast::{BinaryOperator as B, BlockItem, Declarator, Expression as E, Initializer, Statement};
use lang_c::span::{Node, Span};
use xaif::model::{BoolOp, Expr, ForLoop, StmtKind, Storage, SymbolId, VarRef};
use xaif::types;

/// An exchange as the text has it.
pub(crate) struct Exchange<'e> {
    /// The declarator of the pointer that keeps one target meanwhile, if it is declared here.
    pub declared: Option<&'e Declarator>,
    pub between: &'e str,
    pub first: &'e str,
    pub second: &'e str,
    pub span: Span,
}

/// An exchange by the variables of the facts.
#[derive(Clone, Debug)]
pub(crate) struct Swap {
    pub start: usize,
    pub between: usize,
    pub first: usize,
    pub second: usize,
}

fn name_of(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

fn assignment(item: &Node<BlockItem>) -> Option<(&str, &str)> {
    let BlockItem::Statement(s) = &item.node else { return None };
    let Statement::Expression(Some(e)) = &s.node else { return None };
    let E::BinaryOperator(b) = &e.node else { return None };
    if b.node.operator.node != B::Assign {
        return None;
    }
    Some((name_of(&b.node.lhs)?, name_of(&b.node.rhs)?))
}

/// The exchange that three items are.
pub(crate) fn exchange(items: &[Node<BlockItem>]) -> Option<Exchange<'_>> {
    let [keep, one, two, ..] = items else { return None };
    let ((to, from), (last, kept)) = (assignment(one)?, assignment(two)?);
    let (between, first, declared) = match &keep.node {
        BlockItem::Declaration(d) => {
            let [i] = &d.node.declarators[..] else { return None };
            let Initializer::Expression(e) = &i.node.initializer.as_ref()?.node else { return None };
            let declarator = &i.node.declarator.node;
            if declared_depth(declarator) == 0 {
                return None;
            }
            (declared_name(declarator)?.0, name_of(e)?, Some(declarator))
        }
        _ => {
            let (t, a) = assignment(keep)?;
            (t, a, None)
        }
    };
    let span = Span { start: keep.span.start, end: two.span.end };
    let fits = to == first && last == from && kept == between && first != from && between != first && between != from;
    fits.then_some(Exchange { declared, between, first, second: from, span })
}

impl Facts {
    /// The exchange of contents that begins at this byte.
    pub fn swap_at(&self, start: usize) -> Option<&Swap> {
        self.swaps.iter().find(|s| s.start == start)
    }

    /// Whether contents may change places instead of pointers.
    fn may_swap(&self, s: &Swap) -> bool {
        let own = |v: usize| {
            let var = &self.vars[v];
            let memory = var.origins.iter().all(|o| matches!(o, Origin::Allocation | Origin::Null));
            let other = self.vars.iter().any(|w| w.origins.contains(&Origin::Variable(v)));
            var.origins.contains(&Origin::Allocation) && memory && !other && !var.stepped && !var.address
        };
        let unused = self.vars[s.between].origins.is_empty() && !self.all().iter().any(|e| e.kind != Kind::Call && e.var == s.between);
        own(s.first) && own(s.second) && unused
    }

    /// Takes exchanges back that must be assignments of pointers.
    pub fn settle_swaps(&mut self) {
        while let Some(k) = self.swaps.iter().position(|s| !self.may_swap(s)) {
            let s = self.swaps.remove(k);
            for (to, from) in [(s.between, s.first), (s.first, s.second), (s.second, s.between)] {
                self.vars[to].arrayish = true;
                self.vars[from].arrayish = true;
                self.vars[to].origins.push(Origin::Variable(from));
                self.note(s.start, from, Kind::Read);
                self.note(s.start, to, Kind::Write);
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

    /// An exchange of contents.
    pub fn swap(&mut self, swap: &Swap, span: Span) -> Res<()> {
        self.begin_statement(span, true);
        let symbols = (self.body().symbols.get(&swap.first).copied(), self.body().symbols.get(&swap.second).copied());
        let refused = |reason: &str| {
            Err(Refusal::new(POINTER_TARGET, span, "two pointers exchange their targets")
                .because(reason.to_string())
                .help("allocate both with the same number of elements, which does not change afterwards, or copy the elements"))
        };
        let (Some(a), Some(b)) = symbols else { return refused("it is not known what they point to") };
        let extents = |l: &mut Self, s: SymbolId| l.body().heap.get(&s).cloned().flatten();
        let (Some(last), Some(other)) = (extents(self, a), extents(self, b)) else {
            return refused("how many elements they have here is not known");
        };
        let (x, y) = (self.program.symbol(a), self.program.symbol(b));
        if last != other || x.ty != y.ty || x.has_attribute("const") || y.has_attribute("const") {
            return refused("their targets have different extents or types");
        }
        let ty = x.ty;
        let mut counters = Vec::new();
        for e in last {
            let mut unsigned = false;
            e.for_each_ref(&mut |r| unsigned |= self.program.symbol(r.symbol).has_attribute("unsigned"));
            let kind = match types::of(self.program, &e).elem.bits {
                _ if unsigned => CType::SIZE,
                64 => CType::LONG,
                _ => CType::INT,
            };
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
        let name = self.body().facts.clone().vars[swap.between].name.clone();
        let kept = self.temporary(&name, &CType::Real(64));
        let like = self.program.symbol(a).decl.as_ref().map(|d| (d.type_text.clone(), d.attributes.clone()));
        let symbol = self.program.symbol_mut(kept);
        symbol.ty = ty;
        if let (Some(d), Some((text, attributes))) = (&mut symbol.decl, like) {
            d.type_text = text;
            d.attributes = attributes.into_iter().filter(|a| a == "unsigned").collect();
        }
        self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(kept), rhs: Expr::var(element(a)) }, span, String::new());
        self.emit_with_text(StmtKind::Assignment { lhs: element(a), rhs: Expr::var(element(b)) }, span, String::new());
        self.emit_with_text(StmtKind::Assignment { lhs: element(b), rhs: Expr::sym(kept) }, span, String::new());
        for _ in &counters {
            self.body().builder.end_loop();
        }
        Ok(())
    }
}
