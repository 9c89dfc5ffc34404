//! Straight-line code that accumulates a Jacobian: what a sequence of eliminations implies.
//!
//! Every operation is a sum of products of factors that are there already (a Jacobian accumulation expression). A factor that several entries need is
//! computed once.

use super::cost::{Class, Counting, multiplications, product};
use super::graph::{Graph, Role};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;

/// What a factor is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// The number one.
    One,
    /// The partial derivative on a given edge.
    Given(u32),
    /// The result of an operation.
    Result(u32),
}

/// A factor with its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// What it is but for the sign.
    pub base: Base,
    /// Whether it is the negative of that.
    pub negative: bool,
}

/// A product of one or two factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// One factor; its sign is that of the term.
    pub left: Value,
    /// The other, not negative.
    pub right: Option<Value>,
}

/// An operation: its result is the sum of its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The terms, at least one.
    pub terms: SmallVec<[Term; 2]>,
}

/// An edge that is left: an entry of the Jacobian where elimination is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Its source, a vertex of the graph.
    pub source: u32,
    /// Its target, a vertex of the graph.
    pub target: u32,
    /// Its factor.
    pub value: Value,
    /// What is known about the factor.
    pub class: Class,
}

/// Straight-line code.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The operations, in order; number k has result k.
    pub operations: Vec<Operation>,
    /// The edges that are left, by target, then source.
    pub remaining: Vec<Remaining>,
    /// The multiplications, as they are counted.
    pub multiplications: u64,
}

/// A step of a sequence. Vertices are those of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Elimination of a vertex.
    Vertex(u32),
    /// Elimination of a face: of two edges, by their numbers in the line graph.
    Face(u32, u32),
    /// Front elimination of the edge from the first to the second.
    Front(u32, u32),
    /// Back elimination of the edge from the first to the second.
    Back(u32, u32),
    /// A new vertex beside another takes over its edges from these predecessors, and reads nothing else; both keep all successors. What is eliminated
    /// then is a part of the edges of a vertex, or, once the predecessors are gone, a part of the faces.
    SplitFront(u32, Vec<u32>),
    /// The same on the other side: the new vertex takes over the edges to these successors, and both keep all predecessors.
    SplitBack(u32, Vec<u32>),
    /// The edge (source, target) is led over the edge (pivot, target), whose factor is a unit: nothing is eliminated, but an edge is gone.
    Reroute {
        /// Where the edge starts.
        source: u32,
        /// Where it ends.
        target: u32,
        /// Over which vertex it is led.
        pivot: u32,
    },
}

/// The factor on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The factor.
    pub value: Value,
    /// By what it counts.
    pub class: Class,
}

/// A graph whose edges carry factors; applying steps to it writes code.
#[derive(Clone, Debug)]
pub struct Writer {
    counting: Counting,
    roles: Vec<Role>,
    into: Vec<BTreeMap<u32, Cell>>,
    out: Vec<BTreeMap<u32, ()>>,
    code: Code,
}

/// The step names an edge or a vertex that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a step of the sequence has no target")]
pub struct NoTarget;

impl Value {
    /// One, or minus one.
    pub fn one(negative: bool) -> Value {
        Value { base: Base::One, negative }
    }

    fn times_sign(self, negative: bool) -> Value {
        Value { negative: self.negative != negative, ..self }
    }

    fn absolute(self) -> Value {
        Value { negative: false, ..self }
    }
}

impl Term {
    /// The product of two factors.
    pub fn product(a: Value, b: Value) -> Term {
        let sign = a.negative != b.negative;
        let (a, b) = (a.absolute(), b.absolute());
        match (a.base, b.base) {
            (Base::One, _) => Term { left: b.times_sign(sign), right: None },
            (_, Base::One) => Term { left: a.times_sign(sign), right: None },
            _ => Term { left: a.times_sign(sign), right: Some(b) },
        }
    }
}

impl Writer {
    /// The graph before any step.
    pub fn new(graph: &Graph, counting: Counting) -> Writer {
        let n = graph.vertices.len();
        let mut writer = Writer {
            counting,
            roles: graph.vertices.iter().map(|v| v.role).collect(),
            into: vec![BTreeMap::new(); n],
            out: vec![BTreeMap::new(); n],
            code: Code::default(),
        };
        for e in &graph.edges {
            let given = |&k: &u32| {
                let raw = graph.given[k as usize];
                match raw.value {
                    _ if raw.class == Class::Copy => Value::one(false),
                    Some(v) if v.abs() == 1.0 && raw.class < Class::Variable => Value::one(v < 0.0),
                    _ => Value { base: Base::Given(k), negative: false },
                }
            };
            let value = match e.parts[..] {
                [] => Value::one(false),
                [k] => given(&k),
                _ => writer.push(e.parts.iter().map(|k| Term { left: given(k), right: None }).collect()),
            };
            writer.set(e.source, e.target, Cell { value, class: counting.class(e.class) });
        }
        writer
    }

    fn set(&mut self, source: u32, target: u32, cell: Cell) {
        self.into[target as usize].insert(source, cell);
        self.out[source as usize].insert(target, ());
    }

    fn unset(&mut self, source: u32, target: u32) -> Option<Cell> {
        self.out[source as usize].remove(&target);
        self.into[target as usize].remove(&source)
    }

    fn push(&mut self, terms: SmallVec<[Term; 2]>) -> Value {
        self.code.operations.push(Operation { terms });
        Value { base: Base::Result(self.code.operations.len() as u32 - 1), negative: false }
    }

    /// The product of two factors, as a term, counted.
    fn multiply(&mut self, a: Cell, b: Cell) -> (Term, Class) {
        self.code.multiplications += multiplications(a.class, b.class);
        let term = Term::product(a.value, b.value);
        (term, product(a.class, b.class))
    }

    /// Adds a product to an edge.
    fn add(&mut self, source: u32, target: u32, term: Term, class: Class) {
        let cell = match self.into[target as usize].get(&source).copied() {
            Some(old) => {
                let value = self.push(smallvec![Term { left: old.value, right: None }, term]);
                Cell { value, class: self.counting.sum(old.class, class) }
            }
            None => {
                let value = if term.right.is_none() { term.left } else { self.push(smallvec![term]) };
                Cell { value, class }
            }
        };
        self.set(source, target, cell);
    }

    fn connect(&mut self, incoming: &[(u32, Cell)], outgoing: &[(u32, Cell)]) {
        for &(k, c) in outgoing {
            for &(i, d) in incoming {
                let (term, class) = self.multiply(d, c);
                self.add(i, k, term, class);
            }
        }
    }

    fn incoming(&self, v: u32) -> Vec<(u32, Cell)> {
        self.into[v as usize].iter().map(|(&i, &c)| (i, c)).collect()
    }

    fn outgoing(&self, v: u32) -> Vec<(u32, Cell)> {
        self.out[v as usize].keys().filter_map(|&k| Some((k, *self.into[k as usize].get(&v)?))).collect()
    }

    /// Applies a step. A split makes the vertex with the next free number.
    pub fn apply(&mut self, step: &Step) -> Result<(), NoTarget> {
        let n = self.roles.len() as u32;
        let there = |v: u32| if v < n { Ok(v) } else { Err(NoTarget) };
        let intermediate = |v: u32| if v < n && self.roles[v as usize] == Role::Intermediate { Ok(v) } else { Err(NoTarget) };
        match *step {
            Step::Vertex(v) => {
                intermediate(v)?;
                let (incoming, outgoing) = (self.incoming(v), self.outgoing(v));
                if incoming.is_empty() || outgoing.is_empty() {
                    return Err(NoTarget);
                }
                for &(i, _) in &incoming {
                    self.unset(i, v);
                }
                for &(k, _) in &outgoing {
                    self.unset(v, k);
                }
                self.connect(&incoming, &outgoing);
            }
            // Faces live in the line graph: see `faces::write`.
            Step::Face(..) => return Err(NoTarget),
            Step::Front(i, j) => {
                intermediate(j)?;
                there(i)?;
                let cell = self.unset(i, j).ok_or(NoTarget)?;
                let outgoing = self.outgoing(j);
                self.connect(&[(i, cell)], &outgoing);
                self.sweep(j);
            }
            Step::Back(j, k) => {
                intermediate(j)?;
                there(k)?;
                let cell = self.unset(j, k).ok_or(NoTarget)?;
                let incoming = self.incoming(j);
                self.connect(&incoming, &[(k, cell)]);
                self.sweep(j);
            }
            Step::SplitFront(v, ref predecessors) => {
                intermediate(v)?;
                let outgoing = self.outgoing(v);
                let copy = self.grow();
                for &i in predecessors {
                    there(i)?;
                    let cell = self.unset(i, v).ok_or(NoTarget)?;
                    self.set(i, copy, cell);
                }
                outgoing.into_iter().for_each(|(k, cell)| self.set(copy, k, cell));
            }
            Step::SplitBack(v, ref successors) => {
                intermediate(v)?;
                let incoming = self.incoming(v);
                let copy = self.grow();
                for &k in successors {
                    there(k)?;
                    let cell = self.unset(v, k).ok_or(NoTarget)?;
                    self.set(copy, k, cell);
                }
                incoming.into_iter().for_each(|(i, cell)| self.set(i, copy, cell));
            }
            Step::Reroute { source, target, pivot } => {
                intermediate(pivot)?;
                there(source)?;
                there(target)?;
                self.reroute(source, target, pivot)?;
            }
        }
        Ok(())
    }

    /// Leads an edge over a pivot: what the pivot's other successors get by that is taken off again.
    fn reroute(&mut self, source: u32, target: u32, pivot: u32) -> Result<(), NoTarget> {
        let over = *self.into[target as usize].get(&pivot).filter(|c| c.class <= Class::Unit).ok_or(NoTarget)?;
        let moved = self.unset(source, target).ok_or(NoTarget)?;
        // Divided by a unit is multiplied by it.
        let (term, class) = self.multiply(moved, over);
        let value = if term.right.is_none() { term.left } else { self.push(smallvec![term]) };
        let moved = Cell { value, class };
        self.add(source, pivot, Term { left: value, right: None }, class);
        for (k, c) in self.outgoing(pivot) {
            if k != target {
                let (mut term, class) = self.multiply(moved, c);
                term.left.negative = !term.left.negative;
                self.add(source, k, term, class);
            }
        }
        Ok(())
    }

    fn grow(&mut self) -> u32 {
        self.roles.push(Role::Intermediate);
        self.into.push(BTreeMap::new());
        self.out.push(BTreeMap::new());
        self.roles.len() as u32 - 1
    }

    fn sweep(&mut self, v: u32) {
        if self.into[v as usize].is_empty() {
            for (k, _) in self.outgoing(v) {
                self.unset(v, k);
            }
        } else if self.out[v as usize].is_empty() {
            for (i, _) in self.incoming(v) {
                self.unset(i, v);
            }
        }
    }

    /// The factor on an edge.
    pub fn value(&self, source: u32, target: u32) -> Option<Value> {
        self.into[target as usize].get(&source).map(|c| c.value)
    }

    /// The operations alone.
    pub fn finish_operations(self) -> Code {
        self.code
    }

    /// The code, with what is left of the graph.
    pub fn finish(mut self) -> Code {
        for (target, into) in (0u32..).zip(&self.into) {
            self.code.remaining.extend(into.iter().map(|(&source, c)| Remaining { source, target, value: c.value, class: c.class }));
        }
        self.code
    }
}

/// The code of a sequence.
pub fn write(graph: &Graph, counting: Counting, steps: &[Step]) -> Result<Code, NoTarget> {
    let mut writer = Writer::new(graph, counting);
    steps.iter().try_for_each(|s| writer.apply(s))?;
    Ok(writer.finish())
}
