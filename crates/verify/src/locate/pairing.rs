//! Which executions of derivative code stand for which executions of the original.
//!
//! Activations are paired from the head inward: those that the same execution of the same call has made, in two activations that are a pair. Within a
//! pair, what both have executed is aligned by the places of the statements: in order for tangents and forward sweeps, in the opposite order for
//! reverse sweeps. What is left without partner in the original was dropped. Lives here: pairs. Never here: values.

use super::align::align;
use super::run::{Key, Run};
use overbar_evaluate::Scalar;
use overbar_evaluate::trace::{Act, Seen};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::model::Mode;

/// Executions of a statement of the original, and those of the derivative code that was made for it.
#[derive(Clone, Debug)]
pub struct Block {
    /// Events of the original, in order.
    pub original: Vec<usize>,
    /// Events of derivative code, in order.
    pub derived: Vec<usize>,
}

/// What is paired in one direction.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Executions.
    pub blocks: Vec<Block>,
    /// Activations of the original.
    pub frames: FxHashSet<u32>,
    /// Where something was executed for a statement of the original, with partner or without.
    pub starts: Vec<usize>,
    of: FxHashMap<usize, Vec<usize>>,
    by: FxHashMap<usize, usize>,
}

impl Pairs {
    fn add(&mut self, original: Vec<usize>, derived: Vec<usize>) {
        let n = self.blocks.len();
        original.iter().for_each(|&k| self.of.entry(k).or_default().push(n));
        derived.iter().for_each(|&k| {
            self.by.insert(k, n);
        });
        self.blocks.push(Block { original, derived });
    }

    /// Where an event of the original has partners.
    pub fn of(&self, event: usize) -> impl Iterator<Item = &Block> {
        self.of.get(&event).into_iter().flatten().map(|&b| &self.blocks[b])
    }

    /// Where an event of derivative code has a partner.
    pub fn by(&self, event: usize) -> Option<&Block> {
        self.by.get(&event).map(|&b| &self.blocks[b])
    }
}

/// Consecutive events of one execution of a statement.
struct Item {
    key: Key,
    events: Vec<usize>,
}

/// Consecutive executions of one statement.
type Series<'i> = (Key, Vec<&'i Item>);

/// Pairs what goes forward, and what goes backward.
pub fn pairs<S: Scalar>(original: &Run<S>, derived: &Run<f64>) -> (Pairs, Pairs) {
    let mut pairing = Pairing {
        own: (own(original), own(derived)),
        written: FxHashMap::default(),
        original,
        derived,
        forward: Pairs::default(),
        backward: Pairs::default(),
    };
    for k in 0..original.trace.events.len() {
        if let Some(key) = original.key(k) {
            let names = original.trace.events[k].writes.iter().filter_map(|w| original.name(w.0.cell)).map(|n| n.0.0);
            pairing.written.entry(key).or_default().extend(names);
        }
    }
    let mut open = vec![(0, 0)];
    while let Some((o, d)) = open.pop() {
        open.extend(pairing.activations(o, d));
    }
    let (mut forward, mut backward) = (pairing.forward, pairing.backward);
    forward.starts.sort_unstable();
    backward.starts.sort_unstable();
    (forward, backward)
}

/// The events of each activation.
fn own<S: Scalar>(run: &Run<S>) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); run.trace.frames.len()];
    for (k, e) in run.trace.events.iter().enumerate() {
        if let Some(list) = out.get_mut(e.frame as usize) {
            list.push(k);
        }
    }
    out
}

struct Pairing<'r, 't, S> {
    original: &'r Run<'t, S>,
    derived: &'r Run<'t, f64>,
    own: (Vec<Vec<usize>>, Vec<Vec<usize>>),
    /// Names of what the statements of the original set.
    written: FxHashMap<Key, FxHashSet<SmolStr>>,
    forward: Pairs,
    backward: Pairs,
}

impl<S: Scalar> Pairing<'_, '_, S> {
    fn mode(&self, frame: u32) -> Option<Mode> {
        let program = self.derived.program;
        self.derived.trace.frames.get(frame as usize).and_then(|f| program.unit(f.unit).derivation).map(|d| d.mode)
    }

    /// Whether an activation of derivative code stands for one of the original.
    fn stands_for(&self, d: u32, o: u32) -> bool {
        let (Some(o), Some(d)) = (self.original.trace.frames.get(o as usize), self.derived.trace.frames.get(d as usize)) else {
            return false;
        };
        let (p, q) = (self.original.program, self.derived.program);
        let base = q.unit(d.unit).derivation.map_or(d.unit, |x| x.of);
        p.same_name(p.unit_name(o.unit), q.unit_name(base))
    }

    /// Pairs what two activations have executed. Returns the activations that they have made.
    fn activations(&mut self, o: u32, d: u32) -> Vec<(u32, u32)> {
        if !self.stands_for(d, o) {
            return Vec::new();
        }
        let mode = self.mode(d);
        let (there, here) = (&self.own.0[o as usize], &self.own.1[d as usize]);
        let mut calls = Vec::new();
        let original = items(self.original, there.iter().copied(), &|_| true);
        // What comes behind the first derivative is calculated anew, in another order.
        let first = here.iter().copied().find(|&k| self.goes_backward(k) && self.derived.key(k).is_some());
        if mode != Some(Mode::Reverse) {
            let end = first.filter(|_| mode == Some(Mode::Adjoint)).unwrap_or(usize::MAX);
            let wanted = |k| k < end && self.goes_forward(mode, k);
            let derived = items(self.derived, here.iter().copied(), &wanted);
            self.forward.frames.insert(o);
            self.forward.starts.extend(derived.iter().map(|i| i.events[0]));
            for (a, b) in self.paired(&original, &derived) {
                calls.extend(self.called(&a, &b));
                self.forward.add(a, b);
            }
        }
        if matches!(mode, Some(Mode::Reverse | Mode::Adjoint)) {
            // Intermediate results of derivatives have no names of their own.
            let first = first.filter(|_| mode == Some(Mode::Adjoint)).unwrap_or(0);
            let wanted = |k| self.goes_backward(k) || (k >= first && self.is_assignment(k) && !self.goes_forward(mode, k));
            let derived = items(self.derived, here.iter().copied(), &wanted);
            let original: Vec<Item> = original.into_iter().rev().collect();
            self.backward.frames.insert(o);
            self.backward.starts.extend(derived.iter().map(|i| i.events[0]));
            for (a, b) in self.paired(&original, &derived) {
                calls.extend(self.called(&a, &b));
                self.backward.add(a, b);
            }
        }
        calls
    }

    fn is_assignment(&self, k: usize) -> bool {
        self.derived.trace.events[k].act == Act::Assignment
    }

    fn goes_forward(&self, mode: Option<Mode>, k: usize) -> bool {
        let e = &self.derived.trace.events[k];
        match e.act {
            Act::Pop | Act::Call(None) => false,
            Act::Call(Some(f)) => !matches!(self.mode(f), Some(Mode::Reverse | Mode::Adjoint)),
            Act::Assignment => {
                let written = |n: &SmolStr| self.derived.key(k).and_then(|key| self.written.get(&key)).is_some_and(|l| l.contains(n));
                mode == Some(Mode::Tangent)
                    || (!self.goes_backward(k) && e.writes.iter().all(|w| self.derived.name(w.0.cell).is_none_or(|n| written(&n.0.0))))
            }
        }
    }

    fn goes_backward(&self, k: usize) -> bool {
        match self.derived.trace.events[k].act {
            Act::Pop | Act::Call(None) => false,
            Act::Call(Some(f)) => matches!(self.mode(f), Some(Mode::Reverse | Mode::Adjoint)),
            Act::Assignment => self.derived.seen(k).any(|s| self.derived.is_derivative(s.cell)),
        }
    }

    /// The activations that a pair of calls has made.
    fn called(&self, a: &[usize], b: &[usize]) -> Option<(u32, u32)> {
        match (self.original.trace.events[*a.first()?].act, self.derived.trace.events[*b.first()?].act) {
            (Act::Call(Some(o)), Act::Call(Some(d))) => Some((o, d)),
            _ => None,
        }
    }

    /// Aligns series of executions, and executions within them. Statements that one side does not have at all are no differences.
    fn paired(&self, a: &[Item], b: &[Item]) -> Vec<(Vec<usize>, Vec<usize>)> {
        let keys = |l: &[Item]| l.iter().map(|i| i.key).collect::<FxHashSet<Key>>();
        let (in_a, in_b) = (keys(a), keys(b));
        let (left, right) = (series(a, &in_b), series(b, &in_a));
        let key = |l: &[Series]| l.iter().map(|s| s.0).collect::<Vec<Key>>();
        let mut out = Vec::new();
        for (i, j) in align(&key(&left), &key(&right)) {
            self.within(&left[i].1, &right[j].1, &mut out);
        }
        out
    }

    /// One by one; but a loop is a pair as a whole where its iterations go another way, or where it is one statement on the other side.
    fn within(&self, a: &[&Item], b: &[&Item], out: &mut Vec<(Vec<usize>, Vec<usize>)>) {
        let call = a.first().is_some_and(|i| i.key.2);
        let whole = |l: &[&Item]| {
            let mut all: Vec<usize> = l.iter().flat_map(|i| i.events.iter().copied()).collect();
            all.sort_unstable();
            all
        };
        let pairs = || a.iter().zip(b);
        if call || ((a.len() == b.len() || a.len() > 1) && pairs().all(|(a, b)| self.fits(a, b))) {
            out.extend(pairs().map(|(a, b)| (a.events.clone(), b.events.clone())));
        } else {
            out.push((whole(a), whole(b)));
        }
    }

    /// Whether derivatives that are touched are those of elements that the original touches, and those of what it sets are among them.
    fn fits(&self, a: &Item, b: &Item) -> bool {
        let name = |s: &Seen<S>| self.original.name(s.cell).map(|n| n.0);
        let names: FxHashSet<_> = a.events.iter().flat_map(|&k| self.original.seen(k)).filter_map(name).collect();
        let touched = b.events.iter().flat_map(|&k| self.derived.seen(k)).filter_map(|s| self.derived.name(s.cell)).filter(|n| n.1);
        let touched: FxHashSet<_> = touched.map(|n| n.0).collect();
        let mut set = a.events.iter().flat_map(|&k| &self.original.trace.events[k].writes).filter_map(|w| name(&w.0));
        touched.is_empty() || (touched.is_subset(&names) && set.all(|n| touched.contains(&n)))
    }
}

/// Executions in order: they end where another statement begins, or the same once more.
fn items<S: Scalar>(run: &Run<S>, events: impl Iterator<Item = usize>, wanted: &dyn Fn(usize) -> bool) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    let mut met: FxHashSet<(u32, u32)> = FxHashSet::default();
    for k in events {
        let Some(key) = run.key(k).filter(|_| wanted(k)) else { continue };
        let at = run.trace.events[k].at;
        match out.last_mut() {
            Some(last) if last.key == key && !key.2 && met.insert(at) => last.events.push(k),
            _ => {
                met.clear();
                met.insert(at);
                out.push(Item { key, events: vec![k] });
            }
        }
    }
    out
}

/// Series of the statements that both sides have. What one side has alone may stand between any two executions there, and says nothing; but a call
/// ends a series.
fn series<'i>(items: &'i [Item], common: &FxHashSet<Key>) -> Vec<Series<'i>> {
    let mut out: Vec<Series> = Vec::new();
    let mut ended = false;
    for i in items {
        if !common.contains(&i.key) {
            ended |= i.key.2;
            continue;
        }
        match out.last_mut() {
            Some(s) if s.0 == i.key && !ended => s.1.push(i),
            _ => out.push((i.key, vec![i])),
        }
        ended = false;
    }
    out
}
