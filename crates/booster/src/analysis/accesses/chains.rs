//! Use-definition and definition-use chains.
//!
//! ```text
//! in(s)   =  union of out(p) over the steps p from which control comes to s; at the entry every object has its value from outside
//! out(s)  =  (in(s) - { d : d sets an object that s sets as a whole }) + { definitions of s }
//! ud(s, x)  =  { d in in(s) : d sets x, or what may overlap x }
//! ```
//!
//! Elements of arrays ([`super::elements`]) have chains of their own as long as the scalars in their subscripts stay as they are:
//!
//! ```text
//! at(e)  =  { d } behind a step d that sets e;  at(e) + { d } behind a step that may set it;  not known behind a step that sets a scalar of its subscripts
//! at(e)  =  the union where control comes together, if it is known on all ways
//! ud(s, e)  =  at(e) where that is known; else ud of the array, but for elements with other constant subscripts
//! ```
//!
//! Sets grow, and there are as many definitions as the unit has steps. Source: reaching definitions, Aho, Lam, Sethi and Ullman, "Compilers: Principles, Techniques,
//! and Tools" (2006), Section 9.2.4, with elements of arrays added; forward over the control-flow graph; calls define and use what their callees do ([`crate::analysis::effects`]). The head of a
//! `for` loop is three steps: coming from outside control passes the first, coming from the end of the body the second.
//!
//! Lives here: chains of one unit. Never here: chains that a file brings along (see [`crate::facts`]).

use super::elements::Accesses;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::facts::Facts;
use crate::analysis::program::table::{Step, Target, UnitTable};
use petgraph::Direction;
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{UnitId, VertexId, VertexKind};

/// Where a value comes from: a step of a vertex, or outside of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// It is there on entry.
    Entry,
    /// A step (of a block: a statement) of a vertex.
    Step(VertexId, usize),
}

/// A use with the definitions that reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The vertex.
    pub vertex: VertexId,
    /// Its step.
    pub step: usize,
    /// The object, by its number in the unit's table.
    pub object: u32,
    /// The definitions, in order.
    pub origins: Vec<Origin>,
    /// The only definition sets all of the object, and nothing overlaps it: the value certainly comes from there.
    pub certain: bool,
}

/// What a step sets: the object, and whether all of it for certain.
pub fn definitions(program: &Program, facts: &Facts, table: &UnitTable, step: &Step) -> Vec<Target> {
    match step {
        Step::Assign { lhs, perhaps, .. } => vec![Target { object: lhs.object, whole: lhs.whole && !perhaps }],
        Step::Call(c) => {
            let e = facts.effects.of_call(program, table, c);
            let mut list: Vec<Target> = Vec::new();
            for &object in &e.writes {
                if list.iter().all(|t| t.object != object) {
                    list.push(Target { object, whole: e.kills.contains(&object) });
                }
            }
            list
        }
        Step::Opaque { writes, .. } => writes.iter().map(|&object| Target { object, whole: false }).collect(),
        Step::Test { .. } => Vec::new(),
    }
}

/// What a step reads, each object once.
pub fn uses(program: &Program, facts: &Facts, table: &UnitTable, step: &Step) -> Vec<u32> {
    let list = match step {
        Step::Assign { reads, .. } | Step::Test { reads } | Step::Opaque { reads, .. } => reads.clone(),
        Step::Call(c) => facts.effects.of_call(program, table, c).exposed,
    };
    let mut out: Vec<u32> = Vec::new();
    for n in list {
        if !out.contains(&n) {
            out.push(n);
        }
    }
    out
}

/// What holds at a point.
#[derive(Clone)]
struct State {
    /// Definitions that reach it.
    reach: Bits,
    /// For elements of arrays those by which they have their values, where that is known.
    at: Vec<Option<Bits>>,
}

impl State {
    /// Control comes from here too; true if that says more is possible.
    fn join(&mut self, other: &State) -> bool {
        let mut grew = self.reach.join(&other.reach);
        for (own, other) in self.at.iter_mut().zip(&other.at) {
            match (own.as_mut(), other) {
                (Some(a), Some(b)) => grew |= a.join(b),
                (Some(_), None) => {
                    *own = None;
                    grew = true;
                }
                (None, _) => {}
            }
        }
        grew
    }
}

struct Solver<'a> {
    program: &'a Program,
    facts: &'a Facts,
    table: &'a UnitTable,
    accesses: Accesses,
    /// Definitions; the first ones are the values on entry, one for each object.
    list: Vec<(Origin, Target)>,
    /// The element that each of them sets.
    elements: Vec<Option<u32>>,
    of_object: Vec<Vec<u32>>,
    of_step: FxHashMap<(VertexId, usize), Vec<u32>>,
    /// Objects that may overlap each object.
    others: Vec<Vec<u32>>,
}

/// The chains of a unit, in the order of its control flow.
pub fn chains(program: &Program, facts: &Facts, unit: UnitId) -> Vec<Use> {
    let Some(table) = facts.tables.get(unit.index()) else { return Vec::new() };
    let graph = &program.unit(unit).graph;
    let mut s = Solver {
        program,
        facts,
        table,
        accesses: Accesses::of(program, facts, unit, table),
        list: Vec::new(),
        elements: Vec::new(),
        of_object: vec![Vec::new(); table.len()],
        of_step: FxHashMap::default(),
        others: overlapping(program, facts, unit, table),
    };
    for object in 0..table.len() as u32 {
        s.define(Origin::Entry, Target { object, whole: true }, None);
    }
    for &v in &table.order {
        for (k, step) in table.steps.get(v.index()).into_iter().flatten().enumerate() {
            for target in definitions(program, facts, table, step) {
                let element = s.accesses.at(v, k).and_then(|n| n.sets);
                let n = s.define(Origin::Step(v, k), target, element);
                s.of_step.entry((v, k)).or_default().push(n);
            }
        }
    }
    let mut out_of: Vec<Option<State>> = vec![None; graph.node_count()];
    let mut found = Vec::new();
    loop {
        let mut grew = false;
        found.clear();
        for (i, &v) in table.order.iter().enumerate() {
            let (mut first, mut again) = ((i == 0).then(|| s.entry()), None);
            for p in graph.neighbors_directed(v, Direction::Incoming) {
                let back = matches!(graph[v].kind, VertexKind::For(_)) && matches!(graph[p].kind, VertexKind::EndLoop);
                let into = if back { &mut again } else { &mut first };
                match (into.as_mut(), &out_of[p.index()]) {
                    (Some(state), Some(out)) => _ = state.join(out),
                    (None, Some(out)) => *into = Some(out.clone()),
                    (_, None) => {}
                }
            }
            let Some(mut first) = first.or_else(|| again.clone()) else { continue };
            let steps = table.steps.get(v.index()).map_or(&[][..], Vec::as_slice);
            if matches!(graph[v].kind, VertexKind::For(_)) {
                s.pass(v, 0, steps, &mut first, &mut found);
                if let Some(mut again) = again {
                    s.pass(v, 1, steps, &mut again, &mut found);
                    first.join(&again);
                }
                s.pass(v, 2, steps, &mut first, &mut found);
            } else {
                (0..steps.len()).for_each(|k| s.pass(v, k, steps, &mut first, &mut found));
            }
            match &mut out_of[v.index()] {
                Some(out) => grew |= out.join(&first),
                none => {
                    *none = Some(first);
                    grew = true;
                }
            }
        }
        if !grew {
            return found;
        }
    }
}

impl Solver<'_> {
    fn define(&mut self, origin: Origin, target: Target, element: Option<u32>) -> u32 {
        let n = self.list.len() as u32;
        self.list.push((origin, target));
        self.elements.push(element);
        self.of_object[target.object as usize].push(n);
        n
    }

    /// Every object, and so every element, has its value from outside.
    fn entry(&self) -> State {
        let only = |object: u32| {
            let mut bits = Bits::none(self.list.len());
            bits.insert(object);
            bits
        };
        let mut reach = Bits::none(self.list.len());
        (0..self.table.len() as u32).for_each(|n| _ = reach.insert(n));
        State { reach, at: self.accesses.elements.iter().map(|e| Some(only(e.object))).collect() }
    }

    fn pass(&self, v: VertexId, k: usize, steps: &[Step], state: &mut State, found: &mut Vec<Use>) {
        let Some(step) = steps.get(k) else { return };
        for object in uses(self.program, self.facts, self.table, step) {
            found.push(self.used(v, k, object, state));
        }
        let own = self.of_step.get(&(v, k)).map_or(&[][..], Vec::as_slice);
        // In a loop's update nothing is uncertain once control is there.
        let update = k == 1
            && matches!(steps.first(), Some(Step::Assign { .. }))
            && matches!(step, Step::Assign { perhaps: true, lhs, .. } if lhs.whole);
        for &n in own {
            let target = self.list[n as usize].1;
            if target.whole || update {
                self.of_object[target.object as usize].iter().for_each(|&m| state.reach.remove(m));
            }
        }
        for &n in own {
            state.reach.insert(n);
            self.set(n, &mut state.at);
        }
    }

    /// The definitions that reach a use of an object.
    fn used(&self, v: VertexId, k: usize, object: u32, state: &State) -> Use {
        let others = &self.others[object as usize];
        let known = |e: &Option<u32>| e.and_then(|e| state.at[e as usize].as_ref());
        let named = self.accesses.at(v, k).map_or(&[][..], |n| &n.reads).iter().filter(|(o, _)| *o == object).map(|(_, e)| *e);
        let mut places: Vec<Option<u32>> = named.collect();
        if places.is_empty() {
            places.push(None);
        }
        let mut origins = Vec::new();
        let mut certain = others.is_empty();
        for place in places {
            let reached = known(&place);
            for &o in others.iter().chain([&object]) {
                for &n in self.of_object[o as usize].iter().filter(|&&n| reached.unwrap_or(&state.reach).has(n)) {
                    let (origin, target) = self.list[n as usize];
                    let elements = place.zip(self.elements[n as usize]).filter(|_| o == object);
                    let apart = elements
                        .is_some_and(|(a, b)| self.accesses.elements[a as usize].is_always_apart(&self.accesses.elements[b as usize]));
                    // What an overlapping variable was on entry is what this one was.
                    if !apart && (origin != Origin::Entry || o == object) {
                        origins.push(origin);
                        certain &= target.whole || reached.is_some();
                    }
                }
            }
        }
        origins.sort_unstable();
        origins.dedup();
        certain &= origins.len() == 1;
        Use { vertex: v, step: k, object, origins, certain }
    }

    /// What a definition does to what is known of elements.
    fn set(&self, n: u32, at: &mut [Option<Bits>]) {
        let (target, own) = (self.list[n as usize].1, self.elements[n as usize]);
        for (e, known) in at.iter_mut().enumerate() {
            let element = &self.accesses.elements[e];
            let meets = |o: u32| o == target.object || self.others[o as usize].contains(&target.object);
            if element.scalars.iter().any(|&o| meets(o)) {
                *known = None;
            }
            if !meets(element.object) {
                continue;
            }
            let same = element.object == target.object;
            if same && (target.whole || own == Some(e as u32)) {
                *known = Some(Bits::none(self.list.len()));
            } else if same && own.is_some_and(|own| element.is_apart(&self.accesses.elements[own as usize])) {
                continue;
            }
            if let Some(bits) = known {
                bits.insert(n);
            }
        }
    }
}

/// For each object the others that it may overlap.
pub fn overlapping(program: &Program, facts: &Facts, unit: UnitId, table: &UnitTable) -> Vec<Vec<u32>> {
    let suspect = |s| program.symbol(s).decl.as_ref().is_some_and(|d| d.may_alias) || facts.aliases.known(unit, s).next().is_some();
    let mut out = vec![Vec::new(); table.len()];
    for (i, &a) in table.objects.iter().enumerate().filter(|(_, a)| suspect(**a)) {
        for (j, &b) in table.objects.iter().enumerate() {
            if i != j && facts.aliases.may_overlap(program, unit, a, b) {
                for (x, y) in [(i, j as u32), (j, i as u32)] {
                    if !out[x].contains(&y) {
                        out[x].push(y);
                    }
                }
            }
        }
    }
    out.iter_mut().for_each(|l| l.sort_unstable());
    out
}
