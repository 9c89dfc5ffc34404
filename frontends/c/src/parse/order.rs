//! Side effects inside expressions: how many there are, and whether operands disturb each other.
//!
//! Lives here: queries over the facts of the function. Never here: translation.

use super::facts::{Event, Kind};
use super::lower::{Binding, Lower};
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

#[derive(Default)]
struct Touch {
    uses: FxHashSet<Key>,
    changes: FxHashSet<Key>,
}

impl Touch {
    fn disturbs<'t>(&'t self, other: &'t Touch) -> Option<&'t Key> {
        let outside = |k: &Key| matches!(k, Key::Global(_));
        self.changes.iter().find(|k| other.uses.contains(*k) || other.changes.contains(*k)).or_else(|| {
            self.changes.iter().find(|k| **k == Key::Outside).and_then(|_| other.uses.iter().chain(&other.changes).find(|k| outside(k)))
        })
    }
}

impl Lower<'_> {
    /// True for functions that change nothing of the program's.
    fn is_pure_call(&self, name: &str) -> bool {
        super::math::is_known(name) && !matches!(self.find(name), Some(Binding::Function(f)) if f.defined)
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
    pub fn assignment_disturbance(&self, lhs: &Node<E>, rhs: &Node<E>) -> Option<SmolStr> {
        let mut left = self.touch(lhs.span);
        let right = self.touch(rhs.span);
        let body = self.body.as_ref()?;
        let own = matches!(lhs.node, E::Identifier(_));
        if own {
            // `i = i++`
            let again = left.changes.iter().find(|k| right.changes.contains(*k))?;
            return Some(match again {
                Key::Local(v, _) => body.facts.vars[*v].name.clone(),
                Key::Global(name) => name.clone(),
                Key::Outside => return None,
            });
        }
        left.changes.retain(|k| !matches!(k, Key::Local(_, true)));
        if self.effects_of(lhs.span) <= 1 {
            left.changes.clear();
        }
        let k = left.disturbs(&right).or_else(|| right.disturbs(&left)).filter(|k| **k != Key::Outside)?;
        match k {
            Key::Local(v, _) => Some(body.facts.vars[*v].name.clone()),
            Key::Global(name) => Some(name.clone()),
            Key::Outside => None,
        }
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

    fn touch_of_call(&self, name: &str, t: &mut Touch) {
        if self.is_pure_call(name) {
            return;
        }
        match self.effects.touched(name, self.file) {
            Some(touched) => {
                t.uses.extend(touched.reads.iter().cloned().map(Key::Global));
                t.changes.extend(touched.writes.iter().cloned().map(Key::Global));
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
            Some(Binding::Function(f)) => f.signature.parameters.get(position).is_none_or(|p| !p.constant),
            _ => true,
        }
    }

    /// Declared by a system header, so it knows nothing of the program's variables.
    pub fn is_library(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Binding::Function(f)) if f.system) || super::library::is_output(name)
    }

    /// What one part changes and another uses, if anything.
    pub fn disturbance(&self, parts: &[&Node<E>]) -> Option<SmolStr> {
        self.disturbance_in(parts, None)
    }

    /// The same among the arguments of a call.
    pub fn argument_disturbance(&self, call: &Node<E>, arguments: &[&Node<E>]) -> Option<SmolStr> {
        let facts = &self.body.as_ref()?.facts;
        let own = facts.events(call.span.start, call.span.start + 1).iter().find(|e| e.kind == Kind::Call).map(|e| e.var);
        self.disturbance_in(arguments, own)
    }

    fn disturbance_in(&self, parts: &[&Node<E>], own: Option<usize>) -> Option<SmolStr> {
        let touches: Vec<Touch> = parts.iter().map(|p| self.touch_outside(p.span, own)).collect();
        for (i, a) in touches.iter().enumerate() {
            for b in touches.iter().skip(i + 1) {
                // Two unknown functions, one after the other, are as the user ordered them.
                if let Some(k) = a.disturbs(b).or_else(|| b.disturbs(a)).filter(|k| **k != Key::Outside) {
                    return Some(match k {
                        Key::Local(v, _) => self.body.as_ref().map_or_else(SmolStr::default, |b| b.facts.vars[*v].name.clone()),
                        Key::Global(name) => name.clone(),
                        Key::Outside => SmolStr::default(),
                    });
                }
            }
        }
        None
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
