//! Side effects inside expressions: how many there are, and whether operands disturb each other.
//!
//! Lives here: queries over the facts of the function. Never here: translation.

use super::separate_elements::separate;
use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, Lower};
use crate::parse::facts::function::{Event, Kind};
use crate::parse::language::library::is_output;
use crate::parse::language::math;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{ORDER, Refusal};
use lang_c::ast::{BinaryOperator as B, Expression as E};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// Something that an operand uses or changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A variable of the function, or what it points to.
    Local(usize, bool),
    /// A variable at file scope.
    Global(SmolStr),
    /// Everything that other files can see.
    Outside,
}

#[derive(Clone, Default)]
struct Touch {
    uses: FxHashSet<Key>,
    changes: FxHashSet<Key>,
    /// Integers that are only counted up or down.
    counts: FxHashSet<Key>,
    /// What calls set before they use it, and nobody sees behind them.
    scratch: FxHashSet<Key>,
}

impl Touch {
    /// What this changes and the other one uses or changes; whether that is only because a function without a text may change it.
    fn disturbs<'t>(&'t self, other: &'t Touch) -> Option<(&'t Key, bool)> {
        let met = |k: &&Key| **k != Key::Outside && (other.uses.contains(*k) || other.changes.contains(*k));
        let certain = self.changes.iter().chain(&self.counts).chain(&self.scratch).find(met);
        certain.map(|k| (k, false)).or_else(|| {
            let seen = |k: &&Key| matches!(k, Key::Global(_));
            let unknown = self.changes.contains(&Key::Outside);
            other.uses.iter().chain(&other.changes).chain(&other.counts).find(|k| unknown && seen(k)).map(|k| (k, true))
        })
    }
}

/// A variable that one part of an expression changes and another one uses, where C leaves open which comes first.
pub(crate) struct Disturbance {
    name: SmolStr,
    /// A function without a text may change it.
    unknown: bool,
}

impl Disturbance {
    /// Why this is not translated.
    pub fn refusal(&self, place: Span) -> Refusal {
        let name = &self.name;
        if self.unknown {
            return Refusal::new(ORDER, place, format!("`{name}` is used in one expression with a call that may change it"))
                .because("the text of the called function is not known, and C leaves the order of these two open")
                .help("give the function's text too, or put the call into a statement of its own");
        }
        Refusal::new(ORDER, place, format!("`{name}` is changed and used in one expression"))
            .because("C leaves the order of these two open")
            .help("split the expression into statements")
    }
}

impl Lower<'_> {
    /// True for functions that change nothing of the program's.
    fn is_pure_call(&self, name: &str) -> bool {
        self.is_math(name) || self.is_bessel(name)
    }

    /// True for a Bessel function of the library: a header has declared it, or none is read.
    pub fn is_bessel(&self, name: &str) -> bool {
        math::bessel(name).is_some()
            && match self.find(name) {
                Some(Binding::Function(f)) => f.system,
                Some(_) => false,
                None => self.builtin_macros,
            }
    }

    /// How many side effects (stores, steps, calls) these bytes have.
    pub fn effects_of(&self, span: Span) -> usize {
        let Some(body) = &self.body else { return 0 };
        let facts = &body.facts;
        facts
            .events(span.start, span.end)
            .iter()
            .filter(|e| match e.kind {
                Kind::Write | Kind::Store => true,
                Kind::Call => !self.is_pure_call(&facts.callees[e.var]),
                _ => false,
            })
            .count()
    }

    /// True where nothing in the expression needs `x++` done before its end.
    pub fn may_defer(&self, e: &Node<E>) -> bool {
        let Some(body) = &self.body else { return false };
        let facts = &body.facts;
        if facts.events(e.span.start, e.span.end).iter().any(|x| x.kind == Kind::Call && !self.is_pure_call(&facts.callees[x.var])) {
            return false;
        }
        !has_sequence(e)
    }

    /// What an assignment's right side changes that its left side uses, or the other way round. The assignment's own store does not count:
    /// it comes after both sides.
    pub fn assignment_disturbance(&self, lhs: &Node<E>, rhs: &Node<E>) -> Option<Disturbance> {
        let mut left = self.touch(lhs.span);
        let right = self.touch(rhs.span);
        let body = self.body.as_ref()?;
        let own = matches!(lhs.node, E::Identifier(_));
        if own {
            if let Some(k) = left.uses.iter().find(|k| right.changes.contains(*k) || right.counts.contains(*k)) {
                // `w += f(&w)`
                return self.named(k, false);
            }
            // `i = i++`. What a call does to `i` comes before it returns.
            let facts = &body.facts;
            let direct = |e: &&Event| {
                let Some(v) = facts.vars.get(e.var).filter(|_| e.kind == Kind::Write) else { return false };
                let key = if v.global { Key::Global(v.name.clone()) } else { Key::Local(e.var, false) };
                left.changes.contains(&key)
            };
            let mut last = Vec::new();
            evaluated_last(rhs, &mut last);
            let again = last.iter().find_map(|s| facts.events(s.start, s.end).iter().find(direct))?;
            return Some(Disturbance { name: facts.vars[again.var].name.clone(), unknown: false });
        }
        left.changes.retain(|k| !matches!(k, Key::Local(_, true)));
        if self.effects_of(lhs.span) <= 1 {
            left.changes.clear();
        }
        self.between(&left, &right)
    }

    /// What one part does to the other.
    fn between(&self, a: &Touch, b: &Touch) -> Option<Disturbance> {
        let (key, unknown) = a.disturbs(b).or_else(|| b.disturbs(a))?;
        self.named(key, unknown)
    }

    fn named(&self, key: &Key, unknown: bool) -> Option<Disturbance> {
        let name = match key {
            Key::Local(v, _) => self.body.as_ref()?.facts.vars[*v].name.clone(),
            Key::Global(name) => name.clone(),
            // Two unknown functions, one after the other, are as the user ordered them.
            Key::Outside => return None,
        };
        Some(Disturbance { name, unknown })
    }

    fn touch(&self, span: Span) -> Touch {
        self.touch_outside(span, None)
    }

    /// What is used and changed, apart from what this call does once its arguments are evaluated.
    fn touch_outside(&self, span: Span, own: Option<usize>) -> Touch {
        let mut t = Touch::default();
        let Some(body) = &self.body else { return t };
        let facts = &body.facts;
        let key = |e: &Event, target: bool| {
            let v = &facts.vars[e.var];
            if v.global { Key::Global(v.name.clone()) } else { Key::Local(e.var, target) }
        };
        for e in facts.events(span.start, span.end) {
            if e.kind != Kind::Call && facts.vars[e.var].global && self.is_fixed(&facts.vars[e.var].name) {
                continue;
            }
            match e.kind {
                Kind::Read => {
                    // Which array a global name means does not change.
                    if !(facts.vars[e.var].global && facts.vars[e.var].memory) {
                        t.uses.insert(key(e, false));
                    }
                }
                Kind::Load => {
                    t.uses.insert(key(e, true));
                }
                Kind::Write => {
                    t.changes.insert(key(e, false));
                }
                Kind::Store => {
                    t.changes.insert(key(e, true));
                }
                Kind::Address | Kind::Handed => {
                    let k = key(e, e.kind == Kind::Handed);
                    let changed = match e.call {
                        Some((call, _)) if Some(call) == own => false,
                        Some((call, position)) => self.argument_is_changed(&facts.callees[call], position),
                        None => false,
                    };
                    if changed {
                        t.changes.insert(k.clone());
                    }
                    t.uses.insert(k);
                }
                Kind::Call => self.touch_of_call(&facts.callees[e.var], &mut t),
            }
        }
        t
    }

    /// Functions, and the streams of the library: nothing that has an order with others changes them.
    fn is_fixed(&self, name: &str) -> bool {
        let is_stream = matches!(name, "stdin" | "stdout" | "stderr");
        match self.find(name) {
            Some(Binding::Function(_)) => true,
            Some(Binding::Variable(v)) => is_stream && matches!(v.place, Place::Refused(_) | Place::Opaque(_)),
            // What other files read of the library's.
            None => is_stream,
            _ => false,
        }
    }

    fn touch_of_call(&self, name: &str, t: &mut Touch) {
        if self.is_pure_call(name) {
            return;
        }
        match self.effects.touched(name, self.file) {
            Some(touched) => {
                let told = |name: &&SmolStr| touched.told.contains(*name);
                let scratch = |name: &&SmolStr| self.effects.is_scratch(self.file, name);
                t.scratch.extend(touched.writes.iter().filter(scratch).cloned().map(Key::Global));
                let variable = |name: &&SmolStr| !self.is_fixed(name) && !scratch(name);
                t.uses.extend(touched.reads.iter().filter(told).filter(variable).cloned().map(Key::Global));
                t.changes.extend(touched.writes.iter().filter(told).filter(variable).cloned().map(Key::Global));
                t.counts.extend(touched.writes.iter().filter(|name| !told(name) && !scratch(name)).cloned().map(Key::Global));
                if touched.unknown {
                    t.changes.insert(Key::Outside);
                }
            }
            None if self.is_library(name) => {}
            None => {
                t.changes.insert(Key::Outside);
            }
        }
    }

    /// Whether a call may set what this argument points to.
    fn argument_is_changed(&self, callee: &str, position: usize) -> bool {
        if let Some(stores) = self.effects.stores(callee, self.file, position) {
            return stores;
        }
        match self.find(callee) {
            // A number that is read through a pointer is a number for the callee.
            Some(Binding::Function(f)) => f.signature.parameters.get(position).is_none_or(|p| !p.constant && !p.ty.is_arithmetic()),
            _ => true,
        }
    }

    /// Declared by a system header, so it knows nothing of the program's variables.
    pub fn is_library(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Binding::Function(f)) if f.system) || is_output(name)
    }

    /// What one part changes and another uses, if anything.
    pub fn disturbance(&self, parts: &[&Node<E>]) -> Option<Disturbance> {
        self.disturbance_in(parts, None)
    }

    /// The same among the arguments of a call.
    pub fn argument_disturbance(&self, call: &Node<E>, arguments: &[&Node<E>]) -> Option<Disturbance> {
        let facts = &self.body.as_ref()?.facts;
        let own = facts.events(call.span.start, call.span.start + 1).iter().find(|e| e.kind == Kind::Call).map(|e| e.var);
        self.disturbance_in(arguments, own)
    }

    fn disturbance_in(&self, parts: &[&Node<E>], own: Option<usize>) -> Option<Disturbance> {
        let touches: Vec<Touch> = parts.iter().map(|p| self.touch_outside(p.span, own)).collect();
        for (i, a) in touches.iter().enumerate() {
            for (j, b) in touches.iter().enumerate().skip(i + 1) {
                let (a, b) = (self.without_separate(a, b, (parts[i], parts[j])), b);
                if let Some(d) = self.between(&a, b) {
                    return Some(d);
                }
            }
        }
        None
    }

    /// True for a pointer to numbers, or an array of them.
    fn has_numbers(&self, name: &str) -> bool {
        match self.find(name) {
            Some(Binding::Variable(v)) => match &v.ty {
                CType::Pointer(p) => p.to.is_arithmetic(),
                CType::Array(of, _) => of.is_arithmetic(),
                _ => false,
            },
            _ => false,
        }
    }

    /// What a part does, without the arrays of which the other one uses other elements.
    fn without_separate(&self, a: &Touch, b: &Touch, (first, second): (&Node<E>, &Node<E>)) -> Touch {
        let mut out = a.clone();
        let Some(body) = &self.body else { return out };
        let vars = &body.facts.vars;
        let fixed = |name: &str| {
            let changes = |k: &Key| match k {
                Key::Local(v, false) => vars[*v].name == name,
                Key::Global(g) => g == name,
                Key::Local(_, true) | Key::Outside => false,
            };
            ![a, b].iter().any(|t| t.changes.iter().chain(&t.counts).any(changes))
        };
        let shared = |k: &&Key| matches!(k, Key::Local(_, true)) && (b.uses.contains(*k) || b.changes.contains(*k));
        for k in a.uses.iter().chain(&a.changes).filter(shared) {
            let Key::Local(v, _) = k else { continue };
            // Where the array stands does not change either.
            let names = separate(&vars[*v].name, first, second).filter(|names| names.iter().all(|n| fixed(n)));
            // Elements that are pointers may lead to the same place.
            if names.is_some() && fixed(&vars[*v].name) && self.has_numbers(&vars[*v].name) {
                out.uses.remove(k);
                out.changes.remove(k);
            }
        }
        out
    }
}

/// The parts of an expression that no sequence point separates from its value: what comes before one is done when the value is there.
fn evaluated_last(e: &Node<E>, out: &mut Vec<Span>) {
    match &e.node {
        E::Comma(list) => list.iter().next_back().into_iter().for_each(|e| evaluated_last(e, out)),
        E::Cast(c) => evaluated_last(&c.node.expression, out),
        E::Conditional(c) => {
            evaluated_last(&c.node.then_expression, out);
            evaluated_last(&c.node.else_expression, out);
        }
        _ => out.push(e.span),
    }
}

fn has_sequence(e: &Node<E>) -> bool {
    match &e.node {
        E::Comma(_) | E::Conditional(_) | E::Statement(_) => true,
        E::BinaryOperator(b) => {
            matches!(b.node.operator.node, B::LogicalAnd | B::LogicalOr) || has_sequence(&b.node.lhs) || has_sequence(&b.node.rhs)
        }
        E::UnaryOperator(u) => has_sequence(&u.node.operand),
        E::Cast(c) => has_sequence(&c.node.expression),
        E::Call(c) => c.node.arguments.iter().any(has_sequence),
        E::Member(m) => has_sequence(&m.node.expression),
        _ => false,
    }
}
