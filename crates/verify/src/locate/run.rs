//! A recorded run: names of what was touched, and what every element held at any moment.
//!
//! A moment is a number of events that are done. Lives here: the record from the side of the variables. Never here: comparisons.

use overbar_evaluate::trace::{Act, Address, Cell, Copied, Event, Seen, Trace};
use overbar_evaluate::{Scalar, Value};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use xaif::Program;
use xaif::model::{NodeId, NodeKind, Span, StmtKind, VertexId};

/// A variable's element by the name of the original's variable.
pub type Name = (SmolStr, i64);

/// A statement's place, spans where they are known, else lines; and whether it is a call.
pub type Key = (Span, u32, bool);

/// What an element holds from a moment on.
struct Entry<'t, S> {
    since: usize,
    /// The event that set it.
    event: Option<usize>,
    /// The element it was copied from.
    from: Option<Address>,
    /// Nothing: nobody has looked.
    value: Option<&'t Value<S>>,
}

/// A run.
pub struct Run<'t, S> {
    /// What was run.
    pub program: &'t Program,
    /// Its record.
    pub trace: &'t Trace<S>,
    /// For each symbol the name of the original's variable, and whether it holds its derivative.
    names: Vec<(SmolStr, bool)>,
    /// Directions in which derivatives are held side by side; the first is looked at.
    lanes: i64,
    entries: FxHashMap<Address, Vec<Entry<'t, S>>>,
    places: FxHashMap<(u32, Name, bool), Address>,
}

impl<'t, S: Scalar> Run<'t, S> {
    /// From its record.
    pub fn new(program: &'t Program, trace: &'t Trace<S>, lanes: i64) -> Run<'t, S> {
        let name = |y: &xaif::model::Symbol| {
            let base = y.decl.as_ref().and_then(|d| d.derivative_of);
            let text = base.map_or(y.name.as_str(), |b| program.symbol(b).name.as_str());
            (if program.case_insensitive { text.to_lowercase().into() } else { text.into() }, base.is_some())
        };
        let names = program.symbols.iter().map(name).collect();
        let mut run = Run { program, trace, names, lanes, entries: FxHashMap::default(), places: FxHashMap::default() };
        let mut copies = trace.copies.iter().peekable();
        for (k, e) in trace.events.iter().enumerate() {
            while let Some(c) = copies.next_if(|c| c.before <= k) {
                run.copy(c);
            }
            run.event(k, e);
        }
        copies.for_each(|c| run.copy(c));
        run
    }

    fn event(&mut self, k: usize, e: &'t Event<S>) {
        for s in &e.reads {
            self.look(e.frame, s, &s.value);
        }
        for (s, old) in &e.writes {
            self.look(e.frame, s, old);
            let entry = Entry { since: k + 1, event: Some(k), from: None, value: Some(&s.value) };
            self.entries.entry(s.address).or_default().push(entry);
        }
    }

    fn look(&mut self, frame: u32, s: &Seen<S>, value: &'t Value<S>) {
        if let Some((n, derivative)) = self.name(s.cell) {
            self.places.insert((frame, n, derivative), s.address);
        }
        let list = self.entries.entry(s.address).or_default();
        match list.last_mut() {
            Some(last) => {
                last.value.get_or_insert(value);
            }
            None => list.push(Entry { since: 0, event: None, from: None, value: Some(value) }),
        }
    }

    fn copy(&mut self, c: &Copied) {
        let value = self.entries.get(&c.from).and_then(|l| l.last()).and_then(|e| e.value);
        self.entries.entry(c.to).or_default().push(Entry { since: c.before, event: None, from: Some(c.from), value });
    }

    /// The name of an element, and whether it is that of a derivative; none for further directions.
    pub fn name(&self, (symbol, k): Cell) -> Option<(Name, bool)> {
        let (text, derivative) = self.names.get(symbol.index())?;
        let lanes = if *derivative { self.lanes } else { 1 };
        (k % lanes == 0).then(|| ((text.clone(), k / lanes), *derivative))
    }

    /// Whether a variable holds derivatives.
    pub fn is_derivative(&self, (symbol, _): Cell) -> bool {
        self.names.get(symbol.index()).is_some_and(|n| n.1)
    }

    fn entry(&self, a: Address, moment: usize) -> Option<&Entry<'t, S>> {
        let list = self.entries.get(&a)?;
        list[..list.partition_point(|e| e.since <= moment)].last()
    }

    /// What an element holds at a moment.
    pub fn at(&self, a: Address, moment: usize) -> Option<&'t Value<S>> {
        self.entry(a, moment).and_then(|e| e.value)
    }

    /// The event before a moment that has set an element, or that from which it was copied, and the element that it set.
    pub fn writer(&self, mut a: Address, mut moment: usize) -> Option<(usize, Address)> {
        loop {
            let e = self.entry(a, moment)?;
            match (e.event, e.from) {
                (Some(k), _) => return Some((k, a)),
                (None, Some(from)) => (a, moment) = (from, e.since),
                (None, None) => return None,
            }
        }
    }

    /// The element from which one was copied when an activation began, or itself.
    pub fn origin(&self, a: Address, frame: u32) -> Address {
        let start = self.trace.frames.get(frame as usize).map_or(0, |f| f.start);
        self.entry(a, start).and_then(|e| e.from.filter(|_| e.since == start)).unwrap_or(a)
    }

    /// The elements that an activation has touched under their names, or under those of their derivatives.
    pub fn places(&self, frame: u32, derivative: bool) -> impl Iterator<Item = (&Name, Address)> {
        let own = move |p: &(&(u32, Name, bool), &Address)| p.0.0 == frame && p.0.2 == derivative;
        self.places.iter().filter(own).map(|(p, a)| (&p.1, *a))
    }

    /// The first event from that number on that sets an element.
    pub fn next_writer(&self, a: Address, event: usize) -> Option<usize> {
        self.entries.get(&a)?.iter().filter_map(|e| e.event).find(|&k| k >= event)
    }

    /// Where an element lies under its name in an activation.
    pub fn place(&self, frame: u32, n: &Name, derivative: bool) -> Option<Address> {
        self.places.get(&(frame, n.clone(), derivative)).copied()
    }

    /// Where the derivative of an element lay that an activation had touched under its name before a moment, most lately.
    pub fn place_at(&self, frame: u32, n: &Name, moment: usize) -> Option<Address> {
        let events = self.trace.events.get(..moment)?;
        let own = |s: &&Seen<S>| self.name(s.cell).is_some_and(|(name, derivative)| derivative && name == *n);
        let seen = |e: &'t Event<S>| e.writes.iter().map(|w| &w.0).chain(&e.reads).find(own).map(|s| s.address);
        events.iter().rev().filter(|e| e.frame == frame).find_map(seen)
    }

    /// The place of an event's statement, where it has one.
    pub fn key(&self, k: usize) -> Option<Key> {
        let e = self.trace.events.get(k)?;
        let known = e.span.is_known();
        let call = matches!(e.act, Act::Call(_));
        (e.act != Act::Pop && (known || e.line > 0)).then_some((e.span, if known { 0 } else { e.line }, call))
    }

    /// The number of events when an event is done; a call with all that it does.
    pub fn behind(&self, k: usize) -> usize {
        match self.trace.events[k].act {
            Act::Call(Some(f)) => self.trace.frames[f as usize].end.min(self.trace.events.len()),
            _ => k + 1,
        }
    }

    /// Whether an event adds something to what it sets.
    pub fn is_increment(&self, k: usize) -> bool {
        let e = &self.trace.events[k];
        let Some(f) = self.trace.frames.get(e.frame as usize) else { return false };
        let vertex = self.program.unit(f.unit).graph.node_weight(VertexId::new(e.at.0 as usize));
        let stmt = (e.at.1 as usize).checked_sub(1).and_then(|n| vertex?.stmts().get(n));
        let Some(StmtKind::Assignment { lhs, rhs }) = stmt.map(|s| &s.kind) else { return false };
        let root = rhs.root();
        let sum = matches!(&root.kind, NodeKind::Op(o) if o.name.starts_with("add") || o.name.starts_with("sub"));
        let own =
            |o: &NodeId| matches!(&rhs.nodes[o.index()].kind, NodeKind::Var(r) if r.symbol == lhs.symbol && r.subscripts == lhs.subscripts);
        sum && root.operands.iter().any(own)
    }

    /// All that an event reads and sets.
    pub fn seen(&self, k: usize) -> impl Iterator<Item = &'t Seen<S>> + use<'t, S> {
        let e = &self.trace.events[k];
        e.reads.iter().chain(e.writes.iter().map(|w| &w.0))
    }
}

/// The number that a value is.
pub fn number<S: Scalar>(v: &Value<S>) -> Option<f64> {
    match v {
        Value::Real(x, _) => Some(x.value()),
        Value::Int(n, _) => Some(*n as f64),
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        _ => None,
    }
}
