//! The mutable graph that eliminations work on, and the rules: vertex, front and back elimination, with what each costs.

use super::adjacency::{Adjacency, Entry};
use super::cost::{Class, Counting};
use super::graph::{Graph, Role};

/// A graph under elimination. Successors of inputs are not kept: no rule needs them, and they may be very many.
#[derive(Clone, Debug)]
pub struct Dag {
    counting: Counting,
    roles: Vec<Role>,
    predecessors: Vec<Adjacency>,
    successors: Vec<Adjacency>,
    nonunit: i64,
    edges: i64,
    scratch: Vec<Entry>,
}

/// The number of multiplications when every pair of these edges is multiplied.
pub fn pairs(incoming: &[Entry], outgoing: &[Entry]) -> u64 {
    let (p1, p2) = counts(incoming);
    let (s1, s2) = counts(outgoing);
    // Neither a unit, and not both constant.
    p1 * s2 + p2 * s1 - p2 * s2
}

/// How many are not units, and how many are variable.
fn counts(edges: &[Entry]) -> (u64, u64) {
    edges.iter().fold((0, 0), |(n, v), e| (n + u64::from(e.class() > Class::Unit), v + u64::from(e.class() == Class::Variable)))
}

impl Dag {
    /// The graph before any elimination.
    pub fn new(graph: &Graph, counting: Counting) -> Dag {
        let n = graph.vertices.len();
        let mut predecessors = vec![Vec::new(); n];
        let mut successors = vec![Vec::new(); n];
        let mut nonunit = 0;
        // Edges come by target, then source, so both lists are sorted.
        for e in &graph.edges {
            let class = counting.class(e.class);
            nonunit += i64::from(class > Class::Unit);
            predecessors[e.target as usize].push(Entry::new(e.source, class));
            if graph.role(e.source) != Role::Input {
                successors[e.source as usize].push(Entry::new(e.target, class));
            }
        }
        Dag {
            counting,
            roles: graph.vertices.iter().map(|v| v.role).collect(),
            predecessors: predecessors.into_iter().map(Adjacency::Sorted).collect(),
            successors: successors.into_iter().map(Adjacency::Sorted).collect(),
            nonunit,
            edges: graph.edges.len() as i64,
            scratch: Vec::new(),
        }
    }

    /// How many vertices the graph had.
    pub fn len(&self) -> usize {
        self.roles.len()
    }

    /// Whether the graph had no vertices.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// What a vertex is.
    pub fn role(&self, v: u32) -> Role {
        self.roles[v as usize]
    }

    /// The edges that come in.
    pub fn predecessors(&self, v: u32) -> &Adjacency {
        &self.predecessors[v as usize]
    }

    /// The edges that go out; none are kept for inputs.
    pub fn successors(&self, v: u32) -> &Adjacency {
        &self.successors[v as usize]
    }

    /// True for an intermediate vertex that is not eliminated yet.
    pub fn is_present(&self, v: u32) -> bool {
        self.roles[v as usize] == Role::Intermediate && !self.predecessors[v as usize].is_empty()
    }

    /// Edges left whose factor is neither +1 nor -1.
    pub fn nonunit(&self) -> u64 {
        self.nonunit.max(0) as u64
    }

    /// Edges left.
    pub fn edges(&self) -> u64 {
        self.edges.max(0) as u64
    }

    /// What eliminating a vertex costs now.
    pub fn vertex_cost(&self, v: u32) -> u64 {
        pairs(&self.predecessors[v as usize].sorted(), &self.successors[v as usize].sorted())
    }

    /// How many edges the elimination of a vertex would add, counted up to a bound.
    pub fn fill(&self, v: u32, most: u64) -> u64 {
        let incoming = self.predecessors[v as usize].sorted();
        let mut fill = 0;
        for k in self.successors[v as usize].sorted().iter() {
            let there = &self.predecessors[k.vertex() as usize];
            fill += incoming.iter().filter(|i| there.get(i.vertex()).is_none()).count() as u64;
            if fill >= most {
                return most;
            }
        }
        fill
    }

    /// Eliminates a vertex: every predecessor is connected with every successor. Returns the multiplications.
    pub fn eliminate(&mut self, v: u32) -> u64 {
        let incoming = std::mem::take(&mut self.predecessors[v as usize]);
        let outgoing = std::mem::take(&mut self.successors[v as usize]);
        let (incoming, outgoing) = (incoming.sorted(), outgoing.sorted());
        self.connect(v, &incoming, &outgoing);
        for e in incoming.iter() {
            self.successors[e.vertex() as usize].remove(v);
        }
        for e in outgoing.iter() {
            self.predecessors[e.vertex() as usize].remove(v);
        }
        self.forget(&incoming);
        self.forget(&outgoing);
        pairs(&incoming, &outgoing)
    }

    /// Front elimination of the edge (i, j): `i` is connected with every successor of `j`. Returns the multiplications, `None` where there is no
    /// such edge or `j` is an output.
    pub fn eliminate_front(&mut self, i: u32, j: u32) -> Option<u64> {
        let class = self.predecessors[j as usize].get(i).filter(|_| self.roles[j as usize] == Role::Intermediate)?;
        let incoming = [Entry::new(i, class)];
        let outgoing = self.successors[j as usize].clone();
        let outgoing = outgoing.sorted();
        self.connect(j, &incoming, &outgoing);
        self.predecessors[j as usize].remove(i);
        self.successors[i as usize].remove(j);
        self.forget(&incoming);
        self.sweep(j);
        Some(pairs(&incoming, &outgoing))
    }

    /// Back elimination of the edge (j, k): every predecessor of `j` is connected with `k`. Returns the multiplications, `None` where there is no
    /// such edge or `j` is an input.
    pub fn eliminate_back(&mut self, j: u32, k: u32) -> Option<u64> {
        let class = self.predecessors[k as usize].get(j).filter(|_| self.roles[j as usize] == Role::Intermediate)?;
        let outgoing = [Entry::new(k, class)];
        let incoming = self.predecessors[j as usize].clone();
        let incoming = incoming.sorted();
        self.connect(j, &incoming, &outgoing);
        self.predecessors[k as usize].remove(j);
        self.successors[j as usize].remove(k);
        self.forget(&outgoing);
        self.sweep(j);
        Some(pairs(&incoming, &outgoing))
    }

    /// Leads the edge (source, target) over the edge (pivot, target), a unit: an edge is gone, and the Jacobian is the same. Returns the
    /// multiplications, `None` where that cannot be done.
    pub fn reroute(&mut self, source: u32, target: u32, pivot: u32) -> Option<u64> {
        let over = self.predecessors[target as usize].get(pivot)?;
        if over > Class::Unit || self.roles[pivot as usize] != Role::Intermediate || source >= pivot {
            return None;
        }
        let class = self.predecessors[target as usize].remove(source)?;
        self.successors[source as usize].remove(target);
        self.forget(&[Entry::new(source, class)]);
        let moved = [Entry::new(source, class)];
        let mut rest = self.successors[pivot as usize].sorted().into_owned();
        rest.retain(|e| e.vertex() != target);
        self.connect(pivot, &moved, &rest);
        self.connect(pivot, &moved, &[Entry::new(pivot, Class::Unit)]);
        Some(pairs(&moved, &rest))
    }

    fn connect(&mut self, through: u32, incoming: &[Entry], outgoing: &[Entry]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for k in outgoing {
            let change = self.predecessors[k.vertex() as usize].add(incoming, k.class(), self.counting, &mut scratch);
            self.nonunit += change.nonunit;
            self.edges += change.fill as i64;
        }
        for i in incoming.iter().filter(|i| self.roles[i.vertex() as usize] != Role::Input) {
            debug_assert!(i.vertex() < through);
            self.successors[i.vertex() as usize].add(outgoing, i.class(), self.counting, &mut scratch);
        }
        self.scratch = scratch;
    }

    fn forget(&mut self, edges: &[Entry]) {
        self.edges -= edges.len() as i64;
        self.nonunit -= edges.iter().filter(|e| e.class() > Class::Unit).count() as i64;
    }

    /// Drops the edges of a vertex that lost its last edge on the other side. Its neighbours were connected with each other before, so none of
    /// them loses its last edge by that.
    fn sweep(&mut self, v: u32) {
        let (incoming, outgoing) = (self.predecessors[v as usize].len(), self.successors[v as usize].len());
        if self.roles[v as usize] != Role::Intermediate || (incoming > 0 && outgoing > 0) {
            return;
        }
        let dropped = std::mem::take(&mut self.successors[v as usize]);
        let dropped = dropped.sorted();
        self.forget(&dropped);
        for k in dropped.iter() {
            self.predecessors[k.vertex() as usize].remove(v);
        }
        let dropped = std::mem::take(&mut self.predecessors[v as usize]);
        let dropped = dropped.sorted();
        self.forget(&dropped);
        for i in dropped.iter() {
            self.successors[i.vertex() as usize].remove(v);
        }
    }
}
