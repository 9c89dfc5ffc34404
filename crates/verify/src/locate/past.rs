//! Values of the original that derivative code does not have where it needs them.
//!
//! What was overwritten must have been brought back: the statement that has overwritten it is to blame. What was not overwritten was not set as in
//! the original. Lives here: values. Never here: derivatives.

use super::pairing::{Block, Pairs};
use super::reference::Reference;
use super::run::{Name, Run, number};
use crate::certificate::Place;
use overbar_evaluate::trace::{Act, Address, Seen};
use overbar_evaluate::{Scalar, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{Stmt, StmtKind};

/// Both runs, and what is paired in either direction.
pub struct Past<'r, 't, S> {
    /// The original.
    pub r: &'r Reference<'r, 't, S>,
    /// Derivative code.
    pub derived: &'r Run<'t, f64>,
    /// What goes forward.
    pub forward: &'r Pairs,
    /// What goes backward.
    pub backward: &'r Pairs,
}

/// A value that is wrong where derivative code reads it.
struct Stale {
    /// Where it lies in the original, and in derivative code.
    there: Address,
    here: Address,
    /// The event of the original that reads it, in that activation.
    event: usize,
    frame: u32,
    /// The event of derivative code.
    moment: usize,
    message: String,
}

/// An element, where it lies in the original, and what it may hold.
type Known = FxHashMap<Name, (Address, Vec<Option<f64>>)>;

fn other(a: f64, b: f64) -> bool {
    (a - b).abs() > 1e-8 * (1.0 + a.abs().max(b.abs()))
}

impl<'r, S: Scalar> Past<'r, '_, S> {
    /// The first value that is wrong where derivative code reads it, up to one of its events, with the consequence that what is set there is wrong,
    /// too.
    pub fn first(&self, until: usize, backward: &dyn Fn(&Block) -> bool) -> Option<Place> {
        let of = |pairs: &'r Pairs, back: bool| pairs.blocks.iter().filter(|b| b.derived[0] <= until).map(move |b| (b, back));
        let mut blocks: Vec<(&Block, bool)> = of(self.forward, false).chain(of(self.backward, true)).collect();
        blocks.sort_by_key(|b| b.0.derived[0]);
        let matters = |b: &Block, back: bool| if back { backward(b) } else { self.sets_another(b) };
        blocks.into_iter().find_map(|(b, back)| self.block(b, &|| matters(b, back)))
    }

    /// Whether derivative code sets a variable to another value than the original.
    fn sets_another(&self, b: &Block) -> bool {
        let original = self.r.run;
        let mut set: FxHashMap<Name, Vec<Option<f64>>> = FxHashMap::default();
        for (s, _) in b.original.iter().flat_map(|&k| &original.trace.events[k].writes) {
            if let Some((n, _)) = original.name(s.cell) {
                set.entry(n).or_default().push(number(&s.value));
            }
        }
        let differs = |w: &(Seen<f64>, Value<f64>)| {
            let own = self.derived.name(w.0.cell).filter(|n| !n.1).and_then(|n| set.get(&n.0));
            let got = number(&w.0.value);
            own.is_some_and(|l| l.iter().all(|v| v.zip(got).is_none_or(|(v, g)| other(v, g))))
        };
        let mut events = b.derived.iter().map(|&k| &self.derived.trace.events[k]);
        events.any(|e| e.writes.is_empty() || e.writes.iter().any(differs))
    }

    /// A value that is wrong where the code made for a statement reads it, if that matters.
    fn block(&self, b: &Block, matters: &dyn Fn() -> bool) -> Option<Place> {
        // What a call is handed need not be used.
        if matches!(self.r.run.trace.events[b.original[0]].act, Act::Call(_)) {
            return None;
        }
        let wrong = self.wrong(b).next().filter(|_| matters())?;
        self.cause(&wrong)
    }

    /// Values that are wrong where the code made for a statement reads them.
    fn wrong(&self, b: &Block) -> impl Iterator<Item = Stale> {
        let known = self.known(b);
        let (event, frame) = (b.original[0], self.r.run.trace.events[b.original[0]].frame);
        let mut out = Vec::new();
        for &k in &b.derived {
            for s in &self.derived.trace.events[k].reads {
                let Some((n, false)) = self.derived.name(s.cell) else { continue };
                let Some((a, values)) = known.get(&n) else { continue };
                let got = number(&s.value);
                let wrong = match got {
                    Some(g) => values.iter().all(|v| v.is_some_and(|v| other(v, g))),
                    None => values.iter().all(Option::is_some),
                };
                if wrong {
                    let told = |v: Option<f64>| v.map_or("not there".into(), |v| format!("{v:.10e}"));
                    let want = values.first().copied().flatten();
                    let message = format!("`{}` is {} where the derivative needs it, should be {}", n.0, told(got), told(want));
                    out.push(Stale { there: *a, here: s.address, event, frame, moment: k, message });
                }
            }
        }
        out.into_iter()
    }

    fn known(&self, b: &Block) -> Known {
        let original = self.r.run;
        let mut out = Known::default();
        for &k in &b.original {
            let e = &original.trace.events[k];
            let old = e.writes.iter().map(|(s, old)| (s, old));
            for (s, v) in e.reads.iter().map(|s| (s, &s.value)).chain(old).chain(e.writes.iter().map(|(s, _)| (s, &s.value))) {
                if let Some((n, _)) = original.name(s.cell) {
                    out.entry(n).or_insert((s.address, Vec::new())).1.push(number(v));
                }
            }
        }
        out
    }

    /// Why an element does not hold what it should.
    fn cause(&self, s: &Stale) -> Option<Place> {
        if let Some(outer) = self.outside(s) {
            return self.cause(&outer);
        }
        let message = s.message.clone();
        let overwriting = self.r.run.next_writer(s.there, s.event).filter(|&o| self.is_done(o, s.frame, s.moment));
        if let Some(o) = overwriting {
            return self.r.seen_from(o, s.frame, message);
        }
        let Some((w, _)) = self.r.run.writer(s.there, s.event) else {
            return self.r.call(s.frame, message.clone()).or_else(|| self.r.event(s.event, message));
        };
        let partners: Vec<&Block> = self.forward.of(w).filter(|b| b.derived[0] < s.moment).collect();
        // What has set it since, in derivative code only.
        let last = self.derived.writer(s.here, s.moment).map(|d| d.0);
        if let Some(d) = last.filter(|d| partners.iter().any(|b| b.derived.last() < Some(d))) {
            return self.r.stray(self.derived, self.forward, d, s.frame, message);
        }
        self.r.blame(w, self.forward, message)
    }

    /// The same where the call hands it over, if it has not been set since in either run.
    fn outside(&self, s: &Stale) -> Option<Stale> {
        let start = self.r.run.trace.frames.get(s.frame as usize)?.start;
        let here = self.derived.trace.frames.get(self.derived.trace.events.get(s.moment)?.frame as usize)?.start;
        let before = |w: Option<(usize, Address)>, start: usize| w.is_none_or(|w| w.0 < start);
        if !before(self.r.run.writer(s.there, s.event), start) || !before(self.derived.writer(s.here, s.moment), here) {
            return None;
        }
        let (call, made) = (start.checked_sub(1)?, here.checked_sub(1)?);
        let pairs = [self.forward, self.backward];
        let block = pairs.iter().find_map(|p| p.by(made).filter(|b| b.original[0] == call))?;
        let all: Vec<Stale> = self.wrong(block).collect();
        let same = all.iter().position(|x| x.here == s.here).unwrap_or(0);
        let found = all.into_iter().nth(same).or_else(|| {
            let handed = self.r.run.next_writer(s.there, 0).is_some();
            let frame = self.r.run.trace.events[call].frame;
            handed.then(|| Stale { event: call, frame, moment: made, message: s.message.clone(), ..*s })
        });
        found.filter(|x| x.frame < s.frame)
    }

    /// Whether an event, or the call seen from an activation that leads to it, was executed in derivative code before a moment.
    fn is_done(&self, event: usize, frame: u32, moment: usize) -> bool {
        let before = |k: usize| self.forward.of(k).any(|b| b.derived.last().is_some_and(|&d| d < moment));
        before(event) || before(self.r.call_seen_from(event, frame).unwrap_or(event))
    }

    /// What has not come back where the reverse sweep cannot go on: of what it takes from the stack, the last that was overwritten.
    pub fn stopped(&self) -> Option<Place> {
        let moment = self.derived.trace.events.len();
        let done = self.backward.blocks.iter().map(|b| b.original[0]).min()?;
        let mut found = None;
        let mut met = FxHashSet::default();
        for b in &self.backward.blocks {
            let frames = (self.r.run.trace.events[b.original[0]].frame, self.derived.trace.events[b.derived[0]].frame);
            if !met.insert(frames) {
                continue;
            }
            for n in self.stacked(frames.1) {
                let (Some(a), Some(here)) = (self.r.run.place(frames.0, &n, false), self.derived.place(frames.1, &n, false)) else {
                    continue;
                };
                let want = self.r.run.at(a, done).and_then(number);
                let got = self.derived.at(here, moment).and_then(number);
                if want.zip(got).is_some_and(|(w, g)| other(w, g)) {
                    let o = self.r.run.next_writer(a, done);
                    found = found.max(o.map(|o| (o, frames.0, n.0)));
                }
            }
        }
        let (o, frame, n) = found?;
        self.r.seen_from(o, frame, format!("`{n}` does not come back where this statement is reversed"))
    }

    /// What derivative units of the same original as that of an activation put on the stack, or take from it.
    fn stacked(&self, frame: u32) -> FxHashSet<Name> {
        let p = self.derived.program;
        let of = self.derived.trace.frames.get(frame as usize).and_then(|f| p.unit(f.unit).derivation).map(|d| d.of);
        let units = p.units.iter().filter(|u| of.is_some() && u.derivation.map(|d| d.of) == of);
        let statements = units.flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts());
        let variable = |s: &Stmt| match &s.kind {
            StmtKind::Runtime { arguments, .. } => arguments.first()?.value.as_var().map(|r| r.symbol),
            _ => None,
        };
        statements.filter_map(|s| variable(s)).filter_map(|s| self.derived.name((s, 0))).map(|n| n.0).collect()
    }
}
