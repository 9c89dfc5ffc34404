//! Functions that return a pointer to numbers: to memory that they allocate for the purpose, or into what their arguments point to.
//!
//! ```text
//! double *scaled(int n, const double *x) {          void scaled(int n, const double *x, double scaled[n]) {
//!   double *y = malloc(n * sizeof(double));
//!   ...                                        ->     ...
//!   return y;                                         return;
//! }                                                 }
//! ```
//!
//! Memory that a function gives to its caller is an argument of the model that it sets, as a structure is that a function returns; callers of derivative code pass that memory.
//! A pointer into what an argument points to, or to a variable outside, tells the caller nothing that he does not have: such a function returns nothing in the model.
//! Lives here: which of the two a function does, and its argument. Never here: calls of such functions (see `sources::calls_written_out`).

use crate::parse::context::state::{Lower, result_name};
use crate::parse::context::terms::zero_of;
use crate::parse::facts::function::{Facts, Kind, Origin};
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{ALLOCATION, FUNCTION, Refusal, Res};
use crate::parse::text::syntax::uncast;
use lang_c::ast::{BinaryOperator as B, Expression as E, FunctionDefinition, Statement, UnaryOperator as U};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use smol_str::SmolStr;
use xaif::members::RETURNED;
use xaif::model::{Bound, Decl, Dim, Expr, Formal, Intent, Passing, Storage, Symbol, SymbolId, Unit, VarRef};

/// What a function returns.
#[derive(Default)]
struct Returns<'a>(Vec<&'a Node<E>>);

impl<'a> Visit<'a> for Returns<'a> {
    fn visit_statement(&mut self, s: &'a Statement, span: &'a Span) {
        if let Statement::Return(Some(e)) = s {
            self.0.push(e);
        }
        visit::visit_statement(self, s, span);
    }
}

/// The name at the bottom of a pointer expression.
fn bottom(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        E::Member(m) => bottom(&m.node.expression),
        E::UnaryOperator(u) if matches!(u.node.operator.node, U::Address | U::Indirection) => bottom(&u.node.operand),
        E::BinaryOperator(b) if matches!(b.node.operator.node, B::Plus | B::Minus | B::Index) => bottom(&b.node.lhs),
        _ => None,
    }
}

impl<'a> Lower<'a> {
    /// The result of a function that returns a pointer: an argument for memory that it gives to its caller.
    pub fn pointer_result(
        &mut self,
        f: &'a Node<FunctionDefinition>,
        unit: &Unit,
        (to, text): (&CType, &SmolStr),
        name: &SmolStr,
    ) -> Res<Option<Formal>> {
        let facts = self.body().facts.clone();
        let refused = |why: &str| {
            Refusal::new(FUNCTION, f.node.declarator.span, "a function that returns a pointer to something else is not supported")
                .because(why.to_owned())
                .help("return it through an argument")
        };
        let mut returns = Returns::default();
        returns.visit_statement(&f.node.statement.node, &f.node.statement.span);
        let mut given = None;
        let mut lent = false;
        for e in returns.0 {
            if self.operand_is_null(e) == Some(true) {
                continue;
            }
            let named =
                |n: &str| facts.events(e.span.start, e.span.end).iter().find(|e| e.kind != Kind::Call && facts.vars[e.var].name == n);
            let var = bottom(e).and_then(named).map(|e| e.var);
            let Some(var) = var else { return Err(refused("where it points to is not known")) };
            if matches!(uncast(e).node, E::Identifier(_)) && is_memory(&facts, var) {
                if given.is_some_and(|g| g != var) {
                    return Err(refused("it returns one of several pointers"));
                }
                given = Some(var);
                continue;
            }
            let outside = |v: &usize| facts.vars[*v].parameter.is_some() || facts.vars[*v].global;
            if !facts.roots(var).is_some_and(|r| !r.is_empty() && r.iter().all(outside)) {
                return Err(refused("it points to memory of the function, or it is not known where it points to"));
            }
            lent = true;
        }
        let Some(var) = given else { return Ok(None) };
        if lent || facts.labels || facts.swaps.iter().any(|s| s.turn.contains(&var)) || !to.is_real() {
            return Err(refused("it is memory of the function at times only, or exchanged for other memory"));
        }
        let own = if facts.vars.iter().any(|v| v.name == *name) || facts.callees.contains(name) { result_name(name) } else { name.clone() };
        let own = if self.words.contains(&own) && own != *name { self.fresh_name(&own) } else { own };
        let mut symbol = Symbol::variable(own.clone(), to.elem(), unit.scope);
        symbol.span = unit.span;
        symbol.rank = 1;
        symbol.decl = Some(Box::new(Decl {
            type_text: text.clone(),
            storage: Storage::Argument,
            passing: Passing::Reference,
            dims: vec![Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Unknown }],
            attributes: vec![SmolStr::new_static("restrict"), RETURNED],
            ..Decl::default()
        }));
        self.body().names.insert(own);
        let symbol = self.program.add_symbol(symbol);
        self.body().given_out = Some((var, symbol));
        Ok(Some(Formal::new(unit.formals.len() as u32 + 1, symbol, Intent::Out)))
    }

    /// The argument that a pointer stands for whose memory is given to the caller.
    pub fn given_out(&self, fact: usize) -> Option<SymbolId> {
        self.body.as_ref()?.given_out.filter(|(v, _)| *v == fact).map(|(_, s)| s)
    }

    /// Whether a variable is memory that is given to the caller.
    pub fn is_given_out(&self, symbol: SymbolId) -> bool {
        self.body.as_ref().and_then(|b| b.given_out).is_some_and(|(_, s)| s == symbol)
    }

    /// Memory for the caller is allocated: he has it already, so many elements.
    pub fn take_given(&mut self, symbol: SymbolId, count: &Expr, zeroed: bool, span: Span) -> Res<()> {
        let refused = |why: &str| {
            Refusal::new(ALLOCATION, span, "memory is allocated here that the function returns")
                .because(why.to_owned())
                .help("allocate it once, outside of branches and loops, with a number of elements that is made of arguments which the function does not change")
        };
        if self.body().branches > 0 || self.body().builder.loop_depth() > 0 {
            return Err(refused("it is allocated in a branch or loop"));
        }
        let known = self.in_entry_terms(count, span.start);
        let Some(count) = known else { return Err(refused("how much it is the caller of derivative code cannot tell")) };
        if let Some(dim) = self.program.symbol_mut(symbol).decl.as_mut().and_then(|d| d.dims.first_mut()) {
            dim.upper = Bound::Expr(Self::last_of(count));
        }
        if zeroed {
            let zero = zero_of(&CType::Real(self.program.symbol(symbol).ty.bits));
            self.emit_assignment(VarRef::whole(symbol), zero, span);
        }
        Ok(())
    }
}

/// A local pointer that gets memory once, and nothing else.
fn is_memory(facts: &Facts, var: usize) -> bool {
    let v = &facts.vars[var];
    let nulls = v.origins.iter().filter(|o| **o == Origin::Null).count();
    let only = v.origins.iter().all(|o| matches!(o, Origin::Allocation | Origin::Null)) && v.origins.contains(&Origin::Allocation);
    let local = v.parameter.is_none() && !v.global;
    local && only && v.given.len() == 1 + nulls.min(1) && !v.address && !v.stepped && !v.in_loop
}
