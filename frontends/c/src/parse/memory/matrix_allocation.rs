//! Matrices whose rows get memory of their own: `a = malloc(n * sizeof *a)`, then `a[i] = malloc(m * sizeof **a)` for each row.
//!
//! Both together are one allocation of `n` rows of `m` elements, where the loop stands. Rows that the text leaves without memory have some in
//! the model: nobody may look. Lives here: that, and what frees them. Never here: memory of arrays (see `allocation`).

use crate::parse::context::places::{Place, RowsAwaited};
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::facts::allocation_wrappers::{Giver, is_plain};
use crate::parse::facts::row_allocation_loops::{has_own_counter, mentions, rows_freed, rows_made};
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{ALLOCATION, Refusal, Res};
use crate::parse::text::syntax::{callee_name, uncast};
use lang_c::ast::{BinaryOperator as B, Expression as E, ForStatement, Statement};
use lang_c::span::{Node, Span};
use xaif::model::{Expr, Marker, MarkerClass, StmtKind, SymbolId, Triplet, VarRef};
use xaif::rows::has_rows;

impl<'a> Lower<'a> {
    fn odd_rows(&self, symbol: SymbolId, place: Span) -> Refusal {
        Refusal::new(
            ALLOCATION,
            place,
            format!("the rows of `{}` get memory in a form that is not understood", self.program.symbol(symbol).name),
        )
        .because("all rows must have one length, which is known where they get their memory")
        .help("write `a = malloc(n * sizeof *a); for (int i = 0; i < n; i++) a[i] = malloc(m * sizeof **a);`")
    }

    /// How many elements of a type `malloc` or `calloc` gives, and whether they are zero.
    fn memory_given(&mut self, e: &'a Node<E>, element: &CType) -> Res<Option<(Expr, bool)>> {
        let E::Call(c) = &uncast(e).node else { return Ok(None) };
        Ok(match (callee_name(&c.node), &c.node.arguments[..]) {
            (Some("malloc"), [bytes]) => self.element_count(bytes, element)?.map(|n| (n, false)),
            (Some("calloc"), [n, size]) if self.element_count(size, element)?.is_some_and(|one| one.as_int() == Some(1)) => {
                Some((self.index(n)?, true))
            }
            _ => None,
        })
    }

    /// Pointers to rows get memory: that of the rows follows, unless a function gives both.
    pub fn allocate_rows(&mut self, symbol: SymbolId, to: &CType, e: &'a Node<E>, span: Span) -> Res<()> {
        let Some((count, _)) = self.memory_given(e, to)? else { return Err(self.odd_rows(symbol, span)) };
        let count = self.steady("rows", count, &CType::LONG, span);
        let depth = self.body().builder.loop_depth();
        self.body().rows_awaited.retain(|r| r.symbol != symbol);
        self.body().rows_awaited.push(RowsAwaited { symbol, count, depth });
        Ok(())
    }

    /// Rows and pointers to them at once, by a function that gives both; its parameters are bound.
    pub fn allocate_rows_by(&mut self, symbol: SymbolId, to: &CType, giver: Giver<'a>, span: Span) -> Res<()> {
        let (Some(row), CType::Array(element, _)) = (giver.row, to) else { return Err(self.odd_rows(symbol, span)) };
        let (count, length) = (self.memory_given(giver.call, to)?, self.memory_given(row, element)?);
        let (Some((count, _)), Some((length, zeroed))) = (count, length) else { return Err(self.odd_rows(symbol, span)) };
        self.emit_rows(symbol, count, length, zeroed, span);
        Ok(())
    }

    fn emit_rows(&mut self, symbol: SymbolId, count: Expr, length: Expr, zeroed: bool, span: Span) {
        let section = |n: Expr| Triplet { index: Some(Expr::int(0)), bound: Some(Self::last_of(n)), stride: None };
        let subscripts = vec![section(count), section(length)];
        let last = subscripts.iter().filter_map(|t| t.bound.clone()).collect();
        self.note_extents(symbol, last, span.start);
        let object = VarRef { subscripts: subscripts.into(), ..VarRef::whole(symbol) };
        let text = self.original(span);
        let marker = Marker { class: MarkerClass::Allocate, text: text.clone(), object: Some(object), zeroed, ..Marker::default() };
        self.emit_with_text(StmtKind::Marker(Box::new(marker)), span, text);
    }

    /// The matrix with memory of its own that a name stands for.
    fn rows_named(&self, name: &str) -> Option<(SymbolId, CType)> {
        match self.find(name) {
            Some(Binding::Variable(Variable { place: Place::Heap(symbol), ty: CType::Pointer(p), .. })) if p.to.is_row() => {
                Some((*symbol, p.to.clone()))
            }
            _ => None,
        }
    }

    /// Whether an expression is a row of a matrix with memory of its own.
    pub fn is_row_of_memory(&self, e: &Node<E>) -> bool {
        let E::BinaryOperator(b) = &uncast(e).node else { return false };
        let name = if let E::Identifier(i) = &b.node.lhs.node { &i.node.name } else { return false };
        let plain = matches!(b.node.rhs.node, E::Identifier(_) | E::Constant(_));
        b.node.operator.node == B::Index && plain && self.rows_named(name).is_some_and(|(s, _)| has_rows(self.program.symbol(s)))
    }

    /// A loop that does nothing but give memory to rows, or take it back; false if it is none.
    pub fn row_loop(&mut self, s: &'a Node<Statement>, f: &'a ForStatement) -> Res<bool> {
        if let Some(array) = rows_freed(s) {
            // Rows go with the pointers to them.
            return Ok(self.rows_named(array).is_some() && self.is_done(f));
        }
        let Some(made) = rows_made(s) else { return Ok(false) };
        let Some((symbol, CType::Array(element, _))) = self.rows_named(made.array) else { return Ok(false) };
        let depth = self.body().builder.loop_depth();
        let awaited = self.body().rows_awaited.iter().position(|r| r.symbol == symbol && r.depth == depth);
        let facts = self.body().facts.clone();
        let (Some(k), false) = (awaited, facts.labels || mentions(made.memory, made.counter)) else {
            return Err(self.odd_rows(symbol, s.span));
        };
        let RowsAwaited { count, .. } = self.body().rows_awaited.remove(k);
        self.begin_statement(s.span, true);
        let Some((length, zeroed)) = self.row_given(symbol, made.memory, &element)? else { return Err(self.odd_rows(symbol, s.span)) };
        self.emit_rows(symbol, count, length, zeroed, s.span);
        Ok(self.is_done(f))
    }

    /// What each row gets: by `malloc` or `calloc`, or from a function that only gives memory.
    fn row_given(&mut self, symbol: SymbolId, e: &'a Node<E>, element: &CType) -> Res<Option<(Expr, bool)>> {
        let E::Call(c) = &uncast(e).node else { return Ok(None) };
        if !c.node.arguments.iter().all(is_plain) {
            return Ok(None);
        }
        match callee_name(&c.node).and_then(|n| self.giver(n)) {
            Some(giver) => {
                let ty = CType::pointer(element.clone(), false);
                self.within_giver(symbol, &ty, giver, &c.node, e.span, |l| l.memory_given(giver.call, element))
            }
            None => self.memory_given(e, element),
        }
    }

    /// Whether nothing is left of a loop: where others see what it counts with, it stays, with nothing in it.
    fn is_done(&mut self, f: &ForStatement) -> bool {
        let own = has_own_counter(f);
        if !own {
            self.body().without_effect.push(f.statement.span);
        }
        own
    }
}
