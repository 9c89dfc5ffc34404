//! Calls of units.
//!
//! Lives here: actual arguments, structures as arguments, results. Never here: the run-time support (see `records`).

use super::body::Body;
use crate::unparse::expressions::pieces::{Piece, Prelude, join};
use crate::unparse::facts::context::Context;
use crate::unparse::facts::unit_names;
use crate::unparse::language::types;
use crate::unparse::text::problems;
use std::collections::BTreeSet;
use xaif::model::{BaseType, Bound, Call, CallArgument, Passing, Program, SymbolId, Unit, UnitId, UnitKind, VarRef};

/// The attribute that the front end gives a function whose result is a structure: in the model a subroutine, whose last argument is what it returns.
const RETURNS: &str = "returns structure";

/// True for a function: called as `r = f(...)`.
pub fn is_function(program: &Program, callee: SymbolId) -> bool {
    match program.unit_of_symbol(callee) {
        Some(u) => program.unit(u).kind == UnitKind::Function && program.unit(u).result().is_some(),
        None => !matches!(program.symbol(callee).ty.base, BaseType::Void | BaseType::Opaque),
    }
}

/// What a function returns whose result is a structure; nothing of derivative units, which are subroutines.
pub fn returned(program: &Program, callee: SymbolId) -> Option<SymbolId> {
    let unit = program.unit_of_symbol(callee).map(|u| program.unit(u))?;
    let function = program.symbol(callee).has_attribute(RETURNS) && unit.derivation.is_none();
    let mut whole = unit.formals.iter().map(|f| f.symbol).filter(|s| !program.symbol(*s).name.contains('%'));
    whole.next_back().filter(|_| function)
}

/// The value of a bound that is a number.
pub fn bound(b: &Bound) -> Option<i64> {
    match b {
        Bound::Expr(e) => e.as_int(),
        Bound::Unknown => None,
    }
}

/// The position of a function's result in the argument list.
fn result_position(unit: &Unit) -> Option<u32> {
    unit.result().map(|r| r.position)
}

/// The argument is a structure whose components are arguments as well.
fn has_components(cx: &Context, unit: Option<UnitId>, base: SymbolId) -> bool {
    unit.is_some_and(|u| cx.program.unit(u).formals.iter().any(|f| cx.component(f.symbol).is_some_and(|(b, _)| b == base)))
}

/// Printed arguments.
struct Arguments {
    prelude: Vec<Prelude>,
    texts: Vec<String>,
    /// One is left out in front of others, which have keywords.
    gap: bool,
}

impl Body<'_, '_> {
    /// Prints a call of a subroutine, or a function's as an assignment.
    pub fn call(&mut self, call: &Call) {
        let program = self.w.cx.program;
        let unit = program.unit_of_symbol(call.callee);
        let name = self.w.name(call.callee);
        if let Some(host) = unit.and_then(|u| self.w.cx.host(u))
            && !self.w.cx.chain(program.unit(self.w.unit).scope).any(|s| s == program.unit(host).scope)
        {
            let (host, caller) = (program.unit_name(host), program.unit_name(self.w.unit));
            self.w.cx.refuse(problems::internal_elsewhere(program, self.w.span, &name, host, caller));
        }
        let function = is_function(program, call.callee);
        let mut arguments: Vec<&CallArgument> = call.arguments.iter().collect();
        arguments.sort_by_key(|a| a.position);
        let mut result = None;
        if function {
            let at = match unit.and_then(|u| result_position(program.unit(u))) {
                Some(p) => arguments.iter().position(|a| a.position == p),
                None => arguments.len().checked_sub(1),
            };
            result = at.map(|i| arguments.remove(i));
            if result.is_none() {
                let cx = self.w.cx;
                cx.refuse(problems::malformed(program, self.w.span, format!("the call of `{name}` does not take its result")));
            }
        }
        let Arguments { mut prelude, mut texts, gap } = self.arguments(&arguments, unit);
        for (place, dummy, procedure) in self.w.cx.passed_to(call.callee) {
            let at = place.saturating_sub(1).min(texts.len());
            let named = gap || at + 1 < place;
            texts.insert(at, if named { format!("{dummy}={procedure}") } else { procedure.to_owned() });
        }
        let open = unit.map_or(&[][..], |u| self.w.cx.open_procedures(u)).iter().map(|&s| self.w.name(s));
        texts.splice(0..0, open);
        let list = texts.join(", ");
        match result {
            Some(r) => {
                let cx = self.w.cx;
                let Some(target) = r.value.as_var() else {
                    return cx.refuse(problems::malformed(program, self.w.span, "a function's result goes to no variable"));
                };
                let (to, from) = (xaif::types::of_ref(program, target).elem, self.result_type(call.callee));
                let target = self.w.reference(target);
                join(&mut prelude, target.prelude);
                self.prelude(&prelude);
                let text = format!("{name}({list})");
                let narrow = from.is_real() && to.is_real() && types::width(from) > types::width(to);
                let text = if narrow { types::converted(&text, to) } else { text };
                self.code(format!("{} = {text}", target.text));
            }
            None if returned(program, call.callee).is_some() => {
                // What it returns is its last argument in the model alone.
                let target = texts.pop().unwrap_or_default();
                let target = target.split_once('=').map_or(target.as_str(), |(_, t)| t).to_owned();
                self.prelude(&prelude);
                self.code(format!("{target} = {name}({})", texts.join(", ")));
            }
            None => {
                self.prelude(&prelude);
                let arguments = if texts.is_empty() { String::new() } else { format!("({list})") };
                self.code(format!("call {name}{arguments}"));
            }
        }
    }

    /// The arguments of a call, a structure for its components.
    fn arguments(&mut self, arguments: &[&CallArgument], unit: Option<UnitId>) -> Arguments {
        let program = self.w.cx.program;
        let mut prelude = Vec::new();
        let mut texts = Vec::new();
        let mut gap = false;
        let mut structures: Vec<(SymbolId, String)> = Vec::new();
        for (i, a) in arguments.iter().enumerate() {
            gap |= a.position as usize != i + 1 + usize::from(self.result_before(unit, a.position));
            let formal = unit.and_then(|u| program.unit(u).formals.iter().find(|f| f.position == a.position)).map(|f| f.symbol);
            let component = formal.and_then(|f| self.w.cx.component(f));
            if component.is_none() && formal.is_some_and(|f| has_components(self.w.cx, unit, f)) {
                continue; // its components say which variable it is
            }
            let before = self.w.cx.problem_count();
            let mut p = self.argument(a, formal);
            if let Some((base, path)) = component {
                // What is written is the structure, whatever cannot be said of its component.
                self.w.cx.forgive(before);
                p.text = match self.structure_of(a, path) {
                    Some(text) => text,
                    None => {
                        let what = format!("a value for the component `{path}` of the argument `{}` alone", program.symbol(base).name);
                        let reason = "a structure is passed as a whole";
                        self.w.cx.refuse(problems::no_counterpart(program, self.w.span, what, reason));
                        continue;
                    }
                };
                if let Some((_, text)) = structures.iter().find(|(b, _)| *b == base) {
                    if *text != p.text {
                        let what = format!("components of different variables for the argument `{}`", program.symbol(base).name);
                        let reason = "a structure is passed as a whole";
                        self.w.cx.refuse(problems::no_counterpart(program, self.w.span, what, reason));
                    }
                    continue;
                }
                structures.push((base, p.text.clone()));
            }
            let text = if gap {
                // Components stand for their structure.
                let formal = component.map_or(formal, |(base, _)| Some(base));
                let keyword = match (unit, formal) {
                    (Some(u), Some(f)) => unit_names::of_unit(self.w.cx, u, &BTreeSet::new()).get(f).map(str::to_owned),
                    _ => Some(a.keyword.to_string()).filter(|k| !k.is_empty()),
                };
                match keyword {
                    Some(k) => format!("{k}={}", p.text),
                    None => p.text,
                }
            } else {
                p.text
            };
            join(&mut prelude, p.prelude);
            texts.push(text);
        }
        Arguments { prelude, texts, gap }
    }

    /// The structure of which the argument is that component, as text.
    fn structure_of(&mut self, a: &CallArgument, path: &str) -> Option<String> {
        let cx = self.w.cx;
        let r = a.value.as_var()?;
        let (base, own) = cx.component(r.symbol)?;
        let prefix = match own.len().checked_sub(path.len()).and_then(|at| Some((own.get(..at)?, own.get(at..)?))) {
            Some((before, same)) if same.eq_ignore_ascii_case(path) => before.trim_end_matches('%').to_owned(),
            _ => return None,
        };
        let outer = r.subscripts.len().min(cx.program.symbol(base).rank as usize);
        let text = match outer {
            0 => self.w.name(base),
            _ => {
                let part = VarRef { subscripts: r.subscripts[..outer].to_vec().into(), ..VarRef::whole(base) };
                self.w.reference(&part).text
            }
        };
        Some(if prefix.is_empty() { text } else { format!("{text}%{prefix}") })
    }

    fn result_before(&self, unit: Option<UnitId>, position: u32) -> bool {
        unit.and_then(|u| result_position(self.w.cx.program.unit(u))).is_some_and(|r| r < position)
    }

    fn result_type(&self, callee: SymbolId) -> xaif::model::ElemType {
        let program = self.w.cx.program;
        match program.unit_of_symbol(callee).and_then(|u| program.unit(u).result()) {
            Some(r) => program.symbol(r.symbol).ty,
            None => program.symbol(callee).ty,
        }
    }

    fn argument<'e>(&mut self, a: &'e CallArgument, formal: Option<SymbolId>) -> Piece<'e> {
        let cx = self.w.cx;
        let program = cx.program;
        let given = xaif::types::of(program, &a.value);
        let p = self.w.expr(&a.value);
        let Some(formal) = formal.map(|f| program.symbol(f)) else { return p };
        if formal.passing() == Passing::Value && formal.rank == 0 {
            // A copy is converted as an assignment would, but here the types must agree.
            let before = p.text.clone();
            let p = self.w.assigned(p, given.elem, formal.ty);
            let number = |t: BaseType| matches!(t, BaseType::Real | BaseType::Integer);
            let differs = number(given.elem.base) && number(formal.ty.base) && !types::same(given.elem, formal.ty);
            return if differs && p.text == before { self.w.convert(p, formal.ty) } else { p };
        }
        if let Some(r) = a.value.as_var()
            && r.subscripts.is_empty()
            && program.symbol(r.symbol).rank == 0
            && formal.rank > 0
            && program.symbol(r.symbol).kind != xaif::model::SymbolKind::Subroutine
        {
            let what = format!("the scalar `{}` passed for the array `{}`", program.symbol(r.symbol).name, formal.name);
            cx.refuse(problems::no_counterpart(program, self.w.span, what, "only arrays and their elements are passed for arrays"));
        }
        p
    }
}
