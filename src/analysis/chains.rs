//! Use-definition and definition-use chains.
//!
//! ```text
//! in(s)   =  union of out(p) over the steps p from which control comes to s; at the entry every object has its value from outside
//! out(s)  =  (in(s) - { d : d sets an object that s sets as a whole }) + { definitions of s }
//! ud(s, x)  =  { d in in(s) : d sets x, or what may overlap x }
//! ```
//!
//! The usual equations of reaching definitions, forward over the control-flow graph; calls define and use what their callees do ([`super::effects`]). The head of a
//! `for` loop is three steps: coming from outside control passes the first, coming from the end of the body the second.
//!
//! Lives here: chains of one unit. Never here: chains that a file brings along (see [`crate::facts`]).

use super::Facts;
use super::bits::Bits;
use super::table::{Step, Target, UnitTable};
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

struct Solver<'a> {
    program: &'a Program,
    facts: &'a Facts,
    table: &'a UnitTable,
    /// Definitions; the first ones are the values on entry, one for each object.
    list: Vec<(Origin, Target)>,
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
        list: Vec::new(),
        of_object: vec![Vec::new(); table.len()],
        of_step: FxHashMap::default(),
        others: overlapping(program, facts, unit, table),
    };
    for object in 0..table.len() as u32 {
        s.define(Origin::Entry, Target { object, whole: true });
    }
    for &v in &table.order {
        for (k, step) in table.steps.get(v.index()).into_iter().flatten().enumerate() {
            for target in definitions(program, facts, table, step) {
                let n = s.define(Origin::Step(v, k), target);
                s.of_step.entry((v, k)).or_default().push(n);
            }
        }
    }
    let mut out_of = vec![Bits::none(s.list.len()); graph.node_count()];
    let mut found = Vec::new();
    loop {
        let mut grew = false;
        found.clear();
        for (i, &v) in table.order.iter().enumerate() {
            let (mut first, mut again) = (Bits::none(s.list.len()), Bits::none(s.list.len()));
            if i == 0 {
                (0..table.len() as u32).for_each(|n| {
                    first.insert(n);
                });
            }
            for p in graph.neighbors_directed(v, Direction::Incoming) {
                let back = matches!(graph[v].kind, VertexKind::For(_)) && matches!(graph[p].kind, VertexKind::EndLoop);
                if back {
                    again.join(&out_of[p.index()])
                } else {
                    first.join(&out_of[p.index()])
                };
            }
            let steps = table.steps.get(v.index()).map_or(&[][..], Vec::as_slice);
            if matches!(graph[v].kind, VertexKind::For(_)) {
                s.pass(v, 0, steps, &mut first, &mut found);
                s.pass(v, 1, steps, &mut again, &mut found);
                first.join(&again);
                s.pass(v, 2, steps, &mut first, &mut found);
            } else {
                (0..steps.len()).for_each(|k| s.pass(v, k, steps, &mut first, &mut found));
            }
            grew |= out_of[v.index()].join(&first);
        }
        if !grew {
            return found;
        }
    }
}

impl Solver<'_> {
    fn define(&mut self, origin: Origin, target: Target) -> u32 {
        let n = self.list.len() as u32;
        self.list.push((origin, target));
        self.of_object[target.object as usize].push(n);
        n
    }

    fn pass(&self, v: VertexId, k: usize, steps: &[Step], state: &mut Bits, found: &mut Vec<Use>) {
        let Some(step) = steps.get(k) else { return };
        for object in uses(self.program, self.facts, self.table, step) {
            let mut origins = Vec::new();
            let mut certain = self.others[object as usize].is_empty();
            for &o in self.others[object as usize].iter().chain([&object]) {
                for &n in self.of_object[o as usize].iter().filter(|&&n| state.has(n)) {
                    let (origin, target) = self.list[n as usize];
                    // What an overlapping variable was on entry is what this one was.
                    if origin != Origin::Entry || o == object {
                        origins.push(origin);
                        certain &= target.whole;
                    }
                }
            }
            origins.sort_unstable();
            origins.dedup();
            certain &= origins.len() == 1;
            found.push(Use { vertex: v, step: k, object, origins, certain });
        }
        let own = self.of_step.get(&(v, k)).map_or(&[][..], Vec::as_slice);
        // In a loop's update nothing is uncertain once control is there.
        let update = k == 1
            && matches!(steps.first(), Some(Step::Assign { .. }))
            && matches!(step, Step::Assign { perhaps: true, lhs, .. } if lhs.whole);
        for &n in own {
            let target = self.list[n as usize].1;
            if target.whole || update {
                self.of_object[target.object as usize].iter().for_each(|&m| state.remove(m));
            }
        }
        own.iter().for_each(|&n| {
            state.insert(n);
        });
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
