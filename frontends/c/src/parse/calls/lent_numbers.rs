//! Structures of numbers that calls pass as arrays.
//!
//! ```text
//! struct vec3 { double x, y, z; } v;
//! normalize((double *)&v);          ->      t[0] = v.x; t[1] = v.y; t[2] = v.z;  normalize(t);  v.x = t[0]; v.y = t[1]; v.z = t[2];
//! ```
//!
//! Numbers of one type alone lie one behind the other, and while the call lasts nobody else uses the structure: it is no variable at file scope, and the call passes it
//! in no other form. Lives here: such arguments. Never here: unions of numbers (see `structures::overlaid_numbers`), other casts (see `memory::pointers`).

use crate::parse::context::places::{LValue, Place};
use crate::parse::context::state::Lower;
use crate::parse::facts::function::Kind;
use crate::parse::language::types::{CType, Parameter};
use crate::parse::text::refusals::{POINTER_CAST, Refusal, Res};
use crate::parse::text::syntax::uncast;
use lang_c::ast::{Expression as E, UnaryOperator as U};
use lang_c::span::{Node, Span};
use xaif::model::{Bound, CallArgument, Dim, Expr, Storage, SymbolId, Triplet, VarRef};

/// More numbers are not copied one by one.
const MOST: i64 = 32;

/// A structure whose numbers a call has got as an array.
pub(crate) struct LentNumbers {
    array: SymbolId,
    of: LValue,
    count: i64,
    /// Some parameter lets the function set them.
    changed: bool,
}

fn element(array: SymbolId, k: i64) -> VarRef {
    VarRef { subscripts: [Triplet::element(Expr::int(k))].into_iter().collect(), ..VarRef::whole(array) }
}

impl<'a> Lower<'a> {
    /// The array that stands for a structure which is cast to a pointer to its numbers; `None` for other arguments.
    pub fn lend_numbers(&mut self, a: &'a Node<E>, parameter: Option<&CType>, lent: &mut Vec<LentNumbers>) -> Res<Option<SymbolId>> {
        let E::Cast(c) = &a.node else { return Ok(None) };
        let (CType::Pointer(target), _) = self.type_name(&c.node.type_name)? else { return Ok(None) };
        let inner = uncast(&c.node.expression);
        let Some(CType::Pointer(from)) = self.type_of(inner) else { return Ok(None) };
        let Some((number, count)) = self.numbers_of(&from.to).filter(|_| matches!(from.to, CType::Record(_))) else { return Ok(None) };
        let takes = |t: &CType| matches!(t, CType::Pointer(p) if p.to == number) || matches!(t, CType::Array(of, _) if **of == number);
        if number != target.to || count > MOST || !self.is_structure(&from.to) || !parameter.is_some_and(takes) {
            return Ok(None);
        }
        let of = match &inner.node {
            E::UnaryOperator(u) if u.node.operator.node == U::Address => self.place(&u.node.operand)?,
            E::Identifier(_) if self.named_variable(inner).is_some_and(|v| matches!(v.place, Place::Target(_))) => {
                let p = self.pointer(inner)?;
                LValue { base: p.base, subs: p.subs, ty: p.to }
            }
            _ => return Ok(None),
        };
        let known = matches!(self.program.symbol(of.base).storage(), Storage::Local | Storage::Argument);
        if !self.structures.contains_key(&of.base) || !known || self.is_overlay(&of) {
            return Ok(None);
        }
        let Some(set) = self.is_set_before(inner, &of, a.span) else { return Ok(None) };
        let constant = matches!(parameter, Some(CType::Pointer(p)) if p.constant);
        if let Some(l) = lent.iter_mut().find(|l| l.of.base == of.base) {
            if l.of.subs != of.subs || l.of.ty != of.ty {
                return Err(Refusal::new(POINTER_CAST, a.span, "two structures that may be one are passed as arrays of numbers")
                    .because("what is stored through one could not be followed through the other")
                    .help("copy one of them to a variable before the call"));
            }
            l.changed |= !constant;
            return Ok(Some(l.array));
        }
        let name = format!("{}_numbers", self.program.symbol(of.base).name.replace('%', "_"));
        let array = self.temporary(&name, &number);
        let symbol = self.program.symbol_mut(array);
        symbol.rank = 1;
        symbol.decl.get_or_insert_default().dims = vec![Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Expr(Expr::int(count - 1)) }];
        for k in 0..if set { count } else { 0 } {
            let from = self.number_at(&of, k, a.span)?;
            self.emit_part(element(array, k), Expr::var(from.reference()), a.span, k == 0);
        }
        lent.push(LentNumbers { array, of, count, changed: !constant });
        Ok(Some(array))
    }

    /// Whether a structure has values when a call gets it: a local one that nothing names before the call has none. `None` where that changes with iterations.
    fn is_set_before(&mut self, inner: &Node<E>, of: &LValue, call: Span) -> Option<bool> {
        if *self.program.symbol(of.base).storage() != Storage::Local {
            return Some(true);
        }
        let E::UnaryOperator(u) = &inner.node else { return Some(true) };
        let Some(fact) = self.named_variable(&u.node.operand).and_then(|v| v.fact) else { return Some(true) };
        let facts = self.body().facts.clone();
        // A parameter that is passed as a value comes with its numbers.
        if facts.vars[fact].parameter.is_some() {
            return Some(true);
        }
        if facts.events(0, call.start).iter().any(|e| e.kind != Kind::Call && e.var == fact) {
            return Some(true);
        }
        // A jump may come back to the call, as an iteration does.
        if facts.labels {
            return None;
        }
        let loops = self.body().builder.loop_depth();
        (loops == usize::from(facts.vars[fact].in_loop)).then_some(false)
    }

    /// Refuses calls that pass a structure as an array and in another form, too.
    pub fn check_lent(&self, lent: &[LentNumbers], list: &[CallArgument], parameters: &[Parameter], span: Span) -> Res<()> {
        for l in lent {
            let base = self.program.symbol(l.of.base);
            let of_it = |s: SymbolId| {
                let y = self.program.symbol(s);
                y.scope == base.scope
                    && y.name.strip_prefix(base.name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('%'))
            };
            let by_reference = |a: &CallArgument| !parameters.get(a.position as usize - 1).is_some_and(|p| p.ty.is_arithmetic());
            if list.iter().any(|a| by_reference(a) && a.value.as_var().is_some_and(|r| of_it(r.symbol))) {
                return Err(Refusal::new(
                    POINTER_CAST,
                    span,
                    format!("`{}` is passed as an array of numbers and as a structure", base.name),
                )
                .because("what is stored through one could not be followed through the other")
                .help("copy it to a variable before the call"));
            }
        }
        Ok(())
    }

    /// Gives structures their numbers back, behind the call.
    pub fn take_numbers_back(&mut self, lent: Vec<LentNumbers>, span: Span) -> Res<()> {
        for l in lent.into_iter().filter(|l| l.changed) {
            for k in 0..l.count {
                let to = self.number_at(&l.of, k, span)?;
                self.settable(&to, span)?;
                self.emit_part(to.reference(), Expr::var(element(l.array, k)), span, k == 0);
            }
        }
        Ok(())
    }
}
