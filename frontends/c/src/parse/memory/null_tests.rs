//! Pointers that may be null, and the tests of them.
//!
//! A parameter that is tested, or for which some call passes null, is an argument that may be absent: a test of it is the operation `present`. A local pointer that is null
//! at times has a truth value beside it, which says whether it has a target; where the text alone tells, no variable is asked. What malloc gives is taken to be there
//! (generated code checks its own allocations), and objects have addresses. Never here: where pointers point to (`pointer_declarations`, `pointer_reassignment`).

use crate::parse::context::places::{Nullable, Place, Pointer};
use crate::parse::context::records::Found;
use crate::parse::context::state::{Lower, Variable};
use crate::parse::context::terms::{op, relation};
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{POINTER_VALUE, Refusal, Res};
use crate::parse::text::syntax::{callee_name, uncast};
use lang_c::ast::{BinaryOperator as B, Expression as E};
use lang_c::span::{Node, Span};
use smol_str::SmolStr;
use xaif::members::{REACHED, RETURNED, way};
use xaif::model::{BoolOp, Expr, FlowGraph, Passing, StmtKind, Storage, Symbol, SymbolId, VarRef, VertexKind};
use xaif::rows::ROWS;

impl<'a> Lower<'a> {
    /// A pointer is declared: where it may be null, a truth value is kept for it.
    pub fn begin_nullable(&mut self, name: &str, fact: Option<usize>) {
        let facts = self.body().facts.clone();
        let Some(fact) = fact.filter(|&f| facts.may_be_null(f)) else { return };
        let there = self.temporary(&format!("{name}_there"), &CType::Bool);
        self.body().nulls.push(Nullable { fact, there, known: None, asked: false });
    }

    /// A pointer has been set to the value of an expression; `None`: it comes without one.
    pub fn note_target(&mut self, fact: Option<usize>, e: Option<&'a Node<E>>, span: Span) -> Res<()> {
        let Some(k) = fact.and_then(|f| self.body().nulls.iter().position(|n| n.fact == f)) else { return Ok(()) };
        let value = match e {
            Some(e) => self.is_there(e)?,
            None => Expr::bool(false),
        };
        self.keep_target(k, value, span);
        Ok(())
    }

    /// A parameter that the function sets to null comes as its caller gives it.
    pub fn note_argument(&mut self, fact: Option<usize>, symbol: SymbolId, span: Span) {
        if let Some(k) = fact.and_then(|f| self.body().nulls.iter().position(|n| n.fact == f)) {
            let value = self.is_present(symbol).unwrap_or_else(|| Expr::bool(true));
            self.keep_target(k, value, span);
        }
    }

    fn keep_target(&mut self, k: usize, value: Expr, span: Span) {
        let labels = self.body().facts.labels;
        let n = &mut self.body().nulls[k];
        n.known = truth(&value).filter(|_| !labels);
        let there = n.there;
        self.emit_with_text(StmtKind::Assignment { lhs: VarRef::whole(there), rhs: value }, span, String::new());
    }

    /// Whether what an expression points to is there.
    fn is_there(&mut self, e: &'a Node<E>) -> Res<Expr> {
        let e = uncast(e);
        if self.operand_is_null(e) == Some(true) {
            return Ok(Expr::bool(false));
        }
        match &e.node {
            E::Conditional(c) => {
                let sides = [self.is_there(&c.node.then_expression)?, self.is_there(&c.node.else_expression)?];
                if sides[0] == sides[1] {
                    return Ok(sides[0].clone());
                }
                if self.effects_of(c.node.condition.span) > 0 {
                    return Err(Refusal::new(POINTER_VALUE, e.span, "a condition with side effects decides whether a pointer is null")
                        .help("compute the condition in a statement before"));
                }
                let condition = self.condition(&c.node.condition)?;
                Ok(match sides.each_ref().map(truth) {
                    [Some(true), Some(false)] => condition,
                    [Some(false), Some(true)] => relation(BoolOp::Not, [condition]),
                    _ => {
                        let [x, y] = sides;
                        op("select", "", [condition, x, y])
                    }
                })
            }
            E::Call(c) if callee_name(&c.node).and_then(|n| self.giver(n)).is_some_and(|g| g.empty_is_null) => {
                Err(null_when_empty(&self.original(e.span), e.span))
            }
            _ => match self.named_variable(e) {
                Some(v) => Ok(self.has_target(&v).unwrap_or_else(|| Expr::bool(true))),
                None => Ok(Expr::bool(true)),
            },
        }
    }

    /// The target that an assignment gives to a pointer; of `c ? target : NULL`, the one that it has where it has one.
    pub fn target_or_null(&mut self, e: &'a Node<E>) -> Res<Pointer> {
        let E::Conditional(c) = &uncast(e).node else { return self.pointer(e) };
        let sides = [&c.node.then_expression, &c.node.else_expression];
        let taken = match sides.map(|s| self.operand_is_null(s) == Some(true)) {
            [false, true] => 0,
            [true, false] => 1,
            _ => return self.pointer(e),
        };
        let condition = self.condition(&c.node.condition)?;
        let mut p = self.target_or_null(sides[taken])?;
        for s in p.subs.iter_mut().filter(|s| s.as_constant().is_none()) {
            // What is computed for the target need not be defined where there is none.
            let (mut x, mut y) = (s.clone(), Expr::int(0));
            if taken == 1 {
                std::mem::swap(&mut x, &mut y);
            }
            *s = op("select", "", [condition.clone(), x, y]);
        }
        Ok(p)
    }

    /// Whether a pointer variable has a target; `None` where that does not depend on anything.
    fn has_target(&mut self, v: &Variable) -> Option<Expr> {
        if let Some(k) = self.nullable(v) {
            return Some(self.ask(k));
        }
        match &v.place {
            // A row of an array that is there.
            Place::Target(Pointer { base, subs, .. }) if subs.len() > 1 && self.program.symbol(*base).has_attribute(&ROWS) => None,
            Place::Target(Pointer { base, .. }) | Place::Walking { base, .. } => self.is_present(*base),
            _ => None,
        }
    }

    /// Whether a pointer that is null at times has a target; `None` for all others.
    pub fn nullable_has_target(&mut self, v: &Variable) -> Option<Expr> {
        self.nullable(v).map(|k| self.ask(k))
    }

    fn ask(&mut self, k: usize) -> Expr {
        let n = &mut self.body().nulls[k];
        n.asked |= n.known.is_none();
        n.known.map_or_else(|| Expr::sym(n.there), Expr::bool)
    }

    fn nullable(&self, v: &Variable) -> Option<usize> {
        let fact = v.fact?;
        self.body.as_ref()?.nulls.iter().position(|n| n.fact == fact)
    }

    /// `present(argument)` for an argument that may be absent.
    fn is_present(&self, base: SymbolId) -> Option<Expr> {
        self.program.symbol(base).has_attribute("optional").then(|| op("present", "", [Expr::sym(base)]))
    }

    /// Whether a pointer variable is null, as far as the text alone says.
    pub fn known_null(&mut self, v: &Variable) -> Option<bool> {
        match self.nullable(v) {
            Some(k) => self.body().nulls[k].known.map(|there| !there),
            None => Some(false),
        }
    }

    /// `!p` (`null`) or `p` as a condition, for a name; `None` for what is no pointer, or no name.
    pub fn named_null_test(&mut self, e: &Node<E>, null: bool) -> Option<Res<Expr>> {
        let v = self.named_variable(uncast(e))?;
        if !matches!(v.ty, CType::Pointer(_)) {
            return None;
        }
        if let Place::Opaque(symbol) = v.place {
            let there = op("present", "", [Expr::sym(symbol)]);
            return Some(Ok(if null { negated(there) } else { there }));
        }
        let k = self.nullable(&v)?;
        let fact = self.body().nulls[k].fact;
        // Before the first exchange each still has the target that it got.
        let body = self.body();
        let before = !body.facts.labels && body.builder.loop_depth() == 0;
        if body.facts.swaps.iter().any(|s| s.turn.contains(&fact) && !(before && e.span.start < s.start)) {
            return Some(Err(Refusal::new(POINTER_VALUE, e.span, "a pointer that changes its target with others is compared with null")
                .because("which of them is null is not followed")
                .help("keep in an integer whether there is a target")));
        }
        let there = self.ask(k);
        Some(Ok(if null { negated(there) } else { there }))
    }

    /// `p == NULL` and the like, where `p` is a name.
    pub fn compared_with_null(&mut self, operator: &B, lhs: &Node<E>, rhs: &Node<E>) -> Option<Res<Expr>> {
        let null = match operator {
            B::Equals => true,
            B::NotEquals => false,
            _ => return None,
        };
        if self.operand_is_null(rhs) == Some(true) {
            return self.named_null_test(lhs, null);
        }
        if self.operand_is_null(lhs) == Some(true) { self.named_null_test(rhs, null) } else { None }
    }

    /// `!p` (`null`) or `p` as a condition.
    pub fn null_test(&mut self, p: &Pointer, null: bool, e: &Node<E>) -> Res<Expr> {
        let symbol = self.program.symbol(p.base);
        if p.subs.len() > 1 && symbol.has_attribute(&ROWS) {
            return Err(Refusal::new(POINTER_VALUE, e.span, format!("a row of `{}` is compared with null", symbol.name))
                .because("all rows are taken to be there"));
        }
        // A structure behind a parameter is there where no call passes null for it; what a pointer in a structure leads to need not be there.
        let structure = self.structures.contains_key(&p.base);
        if structure && symbol.has_attribute(&REACHED) {
            if symbol.rank == 1
                && p.subs.iter().all(|s| s.as_int() == Some(0))
                && let Some(there) = self.structure_is_there(p, e.span)?
            {
                return Ok(if null { negated(there) } else { there });
            }
            let name = self.program.symbol(p.base).name.replace('%', "->");
            return Err(Refusal::new(POINTER_VALUE, e.span, format!("the pointer `{name}` in a structure is compared with null"))
                .because("whether there is a structure is known only where it runs")
                .help("keep in an integer whether there is one, and test that"));
        }
        if self.body.as_ref().is_some_and(|b| b.null_when_empty.contains(&p.base)) {
            let name = &self.program.symbol(p.base).name;
            return Err(null_when_empty(name, e.span));
        }
        if structure
            || symbol.has_attribute("heap")
            || symbol.has_attribute(&RETURNED)
            || symbol.passing() == Passing::Value
            || !matches!(symbol.storage(), Storage::Argument)
        {
            return Ok(Expr::bool(!null));
        }
        // A pointer to numbers in a structure that is an argument is one more argument, which may be null.
        let name = symbol.name.clone();
        let member = way(symbol).is_some() && symbol.has_attribute(&REACHED) && p.subs.iter().all(|s| s.as_int() == Some(0));
        if member && !symbol.has_attribute(&ROWS) && !symbol.has_attribute("optional") {
            become_absent(self.program.symbol_mut(p.base));
        }
        match self.is_present(p.base) {
            Some(there) => Ok(if null { negated(there) } else { there }),
            None => Err(Refusal::new(POINTER_VALUE, e.span, format!("the pointer `{name}` is compared with null"))
                .because("only arguments whose tests stand in the text by name can be absent")
                .help("test the argument by its name")),
        }
    }

    /// Whether a pointer in an argument leads to a structure: its numbers are arguments that may all be absent, and one of them stands for them.
    fn structure_is_there(&mut self, p: &Pointer, span: Span) -> Res<Option<Expr>> {
        let plain = |f: &Found| {
            f.field.ty.is_arithmetic() && !f.field.bits && !f.field.volatile && !f.field.constant && !f.in_union && f.overlay.is_none()
        };
        let Some(found) = self.all_fields(&p.to).unwrap_or_default().into_iter().find(plain) else { return Ok(None) };
        if *self.program.symbol(p.base).storage() != Storage::Argument {
            return Ok(None);
        }
        let number = self.member_symbol(p.base, &found, span)?;
        become_absent(self.program.symbol_mut(number));
        Ok(Some(op("present", "", [Expr::sym(number)])))
    }

    /// What the text alone says of the pointers that may be null.
    pub fn known_nulls(&mut self) -> Vec<Option<bool>> {
        self.body().nulls.iter().map(|n| n.known).collect()
    }

    /// Takes that back.
    pub fn set_known_nulls(&mut self, known: &[Option<bool>]) {
        for (k, n) in self.body().nulls.iter_mut().enumerate() {
            n.known = known.get(k).copied().flatten();
        }
    }

    /// Pointers that are set in this stretch of text may be null or not.
    pub fn forget_nulls(&mut self, span: Span) {
        let facts = self.body().facts.clone();
        for n in &mut self.body().nulls {
            if n.known.is_some() && facts.gets_target(n.fact, span) {
                n.known = None;
            }
        }
    }
}

/// An argument may be null from now on.
pub(crate) fn become_absent(symbol: &mut Symbol) {
    if !symbol.has_attribute("optional") {
        symbol.decl.get_or_insert_default().attributes.extend(["optional", "nullable"].map(SmolStr::new_static));
    }
}

/// Memory of a function that gives null where it is asked for nothing.
fn null_when_empty(name: &str, span: Span) -> Refusal {
    Refusal::new(POINTER_VALUE, span, format!("`{name}` is asked whether it is null"))
        .because("the function that gives this memory returns null for no elements, and memory is taken to be there")
        .help("ask for the number of elements instead")
}

/// Takes out what is kept for pointers that nothing asks whether they are null.
pub(crate) fn drop_unasked(nulls: &[Nullable], graph: &mut FlowGraph) {
    let unasked: Vec<SymbolId> = nulls.iter().filter(|n| !n.asked).map(|n| n.there).collect();
    if unasked.is_empty() {
        return;
    }
    for v in graph.node_weights_mut() {
        if let VertexKind::Block { stmts, .. } = &mut v.kind {
            stmts.retain(|s| !matches!(&s.kind, StmtKind::Assignment { lhs, .. } if unasked.contains(&lhs.symbol)));
        }
    }
}

/// The value of a constant truth value.
fn truth(e: &Expr) -> Option<bool> {
    [true, false].into_iter().find(|&b| *e == Expr::bool(b))
}

fn negated(e: Expr) -> Expr {
    match truth(&e) {
        Some(b) => Expr::bool(!b),
        None => relation(BoolOp::Not, [e]),
    }
}
