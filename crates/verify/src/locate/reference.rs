//! The run of the original, and how its statements are named.
//!
//! Lives here: which statement stands for an execution. Never here: comparisons.

use super::pairing::Pairs;
use super::run::Run;
use crate::certificate::Place;
use crate::checks::Bench;
use crate::place::line_of;
use overbar_evaluate::trace::Act;
use overbar_evaluate::{Fault, Scalar};
use xaif::model::Span;

/// The original.
pub struct Reference<'a, 't, S> {
    /// What is compared.
    pub bench: &'a Bench<'a>,
    /// Its run.
    pub run: &'a Run<'t, S>,
}

impl<S: Scalar> Reference<'_, '_, S> {
    fn place(&self, frame: u32, span: Span, text: &str, message: String) -> Place {
        let p = self.run.program;
        let location = p.location(span);
        let statement = if text.is_empty() { location.as_ref().map_or_else(String::new, |l| line_of(p, l)) } else { text.to_owned() };
        let units = self.run.trace.callers(frame).into_iter().map(|u| p.unit_name(u).to_owned()).collect();
        Place { location, units, statement, message }
    }

    /// An event's own statement.
    pub fn event(&self, k: usize, message: String) -> Option<Place> {
        let e = self.run.trace.events.get(k)?;
        Some(self.place(e.frame, e.span, &e.text, message))
    }

    /// An event's statement; the call of its unit where that call has no partner, and so on outward.
    pub fn blame(&self, k: usize, pairs: &Pairs, message: String) -> Option<Place> {
        let mut call = None;
        let mut frame = self.run.trace.events.get(k)?.frame;
        while !pairs.frames.contains(&frame)
            && let Some(f) = self.run.trace.frames.get(frame as usize)
            && let Some(caller) = f.caller
        {
            if f.span.is_known() {
                call = Some((caller, f.span));
            }
            frame = caller;
        }
        match call {
            Some((caller, span)) => Some(self.place(caller, span, "", message)),
            None => self.event(k, message),
        }
    }

    /// The call that made an activation.
    pub fn call(&self, frame: u32, message: String) -> Option<Place> {
        let f = self.run.trace.frames.get(frame as usize)?;
        f.caller.map(|c| self.place(c, f.span, "", message))
    }

    /// An event's statement as an activation, or one outside of it, sees it: a call where it is further inward.
    pub fn seen_from(&self, k: usize, frame: u32, message: String) -> Option<Place> {
        match self.inward(k, frame) {
            Some(f) => self.call(f, message),
            None => self.event(k, message),
        }
    }

    /// The event of that call, where it is one.
    pub fn call_seen_from(&self, k: usize, frame: u32) -> Option<usize> {
        let start = self.run.trace.frames.get(self.inward(k, frame)? as usize)?.start;
        start.checked_sub(1).filter(|&c| matches!(self.run.trace.events[c].act, Act::Call(_)))
    }

    /// The outermost activation around an event that is not one around the given activation, too.
    fn inward(&self, k: usize, frame: u32) -> Option<u32> {
        let frames = &self.run.trace.frames;
        let mut around = vec![frame];
        while let Some(c) = around.last().and_then(|&f| frames.get(f as usize)).and_then(|f| f.caller) {
            around.push(c);
        }
        let mut last = None;
        let mut at = self.run.trace.events.get(k)?.frame;
        while !around.contains(&at) {
            last = Some(at);
            at = frames.get(at as usize)?.caller?;
        }
        last
    }

    /// The statement for which derivative code has set something that is not its own.
    pub fn stray<T: Scalar>(&self, derived: &Run<T>, pairs: &Pairs, event: usize, frame: u32, message: String) -> Option<Place> {
        if let Some(b) = pairs.by(event) {
            return self.event(b.original[0], message);
        }
        let e = derived.trace.events.get(event)?;
        e.span.is_known().then(|| self.place(frame, e.span, "", message))
    }

    /// The statement at which a run ended: the event that comes next with its place, searched among these, or the place alone.
    pub fn ended(&self, f: &Fault, next: Option<usize>, pairs: &Pairs) -> Option<Place> {
        let message = format!("derivative code stops in what was made for this statement: {} ({})", f.message, f.code);
        let p = self.run.program;
        let there = |k: &usize| f.location.is_some() && p.location(self.run.trace.events[*k].span) == f.location;
        if let Some(k) = (0..self.run.trace.events.len()).find(there) {
            return self.event(k, message);
        }
        match (&f.location, next) {
            (Some(l), _) => Some(Place { location: f.location.clone(), units: Vec::new(), statement: line_of(p, l), message }),
            (None, Some(k)) => self.blame(k, pairs, message),
            _ => None,
        }
    }
}
