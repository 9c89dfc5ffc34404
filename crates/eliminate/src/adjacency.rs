//! Sets of neighbours with the class of the edge to each: sorted and compact while small, hashed when large.

use super::cost::{Class, Counting, product};
use rustc_hash::FxHashMap;

/// A neighbour and the class of the edge to it, in one word that sorts by neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u32);

impl Entry {
    /// An entry. Vertices are numbered below 2^30.
    pub fn new(vertex: u32, class: Class) -> Entry {
        Entry(vertex << 2 | class as u32)
    }

    /// The neighbour.
    pub fn vertex(self) -> u32 {
        self.0 >> 2
    }

    /// The class of the edge.
    pub fn class(self) -> Class {
        match self.0 & 3 {
            0 => Class::Copy,
            1 => Class::Unit,
            2 => Class::Constant,
            _ => Class::Variable,
        }
    }
}

/// Beyond this many neighbours a sorted list costs more to change than a hash table.
const LARGE: usize = 4096;

/// The neighbours of a vertex on one side.
#[derive(Clone, Debug)]
pub enum Adjacency {
    /// Sorted by neighbour.
    Sorted(Vec<Entry>),
    /// Hashed by neighbour.
    Hashed(FxHashMap<u32, Class>),
}

impl Default for Adjacency {
    fn default() -> Self {
        Adjacency::Sorted(Vec::new())
    }
}

/// What a change of a set did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Edges that are new.
    pub fill: u64,
    /// By how much the number of edges that are neither +1 nor -1 grew.
    pub nonunit: i64,
}

impl Adjacency {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Adjacency::Sorted(list) => list.len(),
            Adjacency::Hashed(map) => map.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbours, sorted.
    pub fn sorted(&self) -> std::borrow::Cow<'_, [Entry]> {
        match self {
            Adjacency::Sorted(list) => list.into(),
            Adjacency::Hashed(map) => {
                let mut list: Vec<Entry> = map.iter().map(|(&v, &c)| Entry::new(v, c)).collect();
                list.sort_unstable();
                list.into()
            }
        }
    }

    /// The class of the edge to a neighbour, where there is one.
    pub fn get(&self, vertex: u32) -> Option<Class> {
        match self {
            Adjacency::Sorted(list) => find(list, vertex).ok().map(|at| list[at].class()),
            Adjacency::Hashed(map) => map.get(&vertex).copied(),
        }
    }

    /// Takes a neighbour out; the class of the edge it had.
    pub fn remove(&mut self, vertex: u32) -> Option<Class> {
        match self {
            Adjacency::Sorted(list) => find(list, vertex).ok().map(|at| list.remove(at).class()),
            Adjacency::Hashed(map) => map.remove(&vertex),
        }
    }

    /// Sets the class of the edge to a neighbour.
    pub fn insert(&mut self, vertex: u32, class: Class) {
        match self {
            Adjacency::Sorted(list) => match find(list, vertex) {
                Ok(at) => list[at] = Entry::new(vertex, class),
                Err(at) => list.insert(at, Entry::new(vertex, class)),
            },
            Adjacency::Hashed(map) => {
                map.insert(vertex, class);
            }
        }
    }

    /// Adds edges to these neighbours, each multiplied by a factor of that class; an edge that exists becomes the sum. `scratch` saves allocations.
    pub fn add(&mut self, added: &[Entry], factor: Class, counting: Counting, scratch: &mut Vec<Entry>) -> Change {
        let mut change = Change::default();
        let fresh = |e: Entry, change: &mut Change| {
            let class = product(e.class(), factor);
            change.fill += 1;
            change.nonunit += i64::from(class > Class::Unit);
            class
        };
        let absorb = |old: Class, e: Entry, change: &mut Change| {
            let class = counting.sum(old, product(e.class(), factor));
            change.nonunit += i64::from(class > Class::Unit) - i64::from(old > Class::Unit);
            class
        };
        if let Adjacency::Sorted(list) = self
            && list.len() + added.len() > LARGE
            && added.len() * 16 < list.len()
        {
            *self = Adjacency::Hashed(list.iter().map(|e| (e.vertex(), e.class())).collect());
        }
        match self {
            Adjacency::Hashed(map) => {
                for &e in added {
                    let v = e.vertex();
                    let class = match map.get(&v) {
                        Some(&old) => absorb(old, e, &mut change),
                        None => fresh(e, &mut change),
                    };
                    map.insert(v, class);
                }
            }
            Adjacency::Sorted(list) if added.len() * 8 < list.len() => {
                for &e in added {
                    match find(list, e.vertex()) {
                        Ok(at) => list[at] = Entry::new(e.vertex(), absorb(list[at].class(), e, &mut change)),
                        Err(at) => list.insert(at, Entry::new(e.vertex(), fresh(e, &mut change))),
                    }
                }
            }
            Adjacency::Sorted(list) => {
                scratch.clear();
                scratch.reserve(list.len() + added.len());
                let mut old = list.iter().copied().peekable();
                for &e in added {
                    while let Some(o) = old.next_if(|o| o.vertex() < e.vertex()) {
                        scratch.push(o);
                    }
                    let class = match old.next_if(|o| o.vertex() == e.vertex()) {
                        Some(o) => absorb(o.class(), e, &mut change),
                        None => fresh(e, &mut change),
                    };
                    scratch.push(Entry::new(e.vertex(), class));
                }
                scratch.extend(old);
                std::mem::swap(list, scratch);
            }
        }
        change
    }
}

fn find(list: &[Entry], vertex: u32) -> Result<usize, usize> {
    list.binary_search_by_key(&vertex, |e| e.vertex())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_and_hashed_sets_agree() {
        let mut scratch = Vec::new();
        let mut sorted = Adjacency::default();
        let mut hashed = Adjacency::Hashed(FxHashMap::default());
        let mut x = 1u32;
        for round in 0..200 {
            let mut added: Vec<Entry> = (0..1 + round % 7)
                .map(|_| {
                    x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    Entry::new(x >> 24, if x & 64 == 0 { Class::Unit } else { Class::Variable })
                })
                .collect();
            added.sort_unstable();
            added.dedup_by_key(|e| e.vertex());
            let factor = if round % 3 == 0 { Class::Unit } else { Class::Constant };
            let a = sorted.add(&added, factor, Counting::Aware, &mut scratch);
            let b = hashed.add(&added, factor, Counting::Aware, &mut scratch);
            assert_eq!(a, b);
            assert_eq!(sorted.sorted(), hashed.sorted());
            assert_eq!(sorted.remove(x >> 24), hashed.remove(x >> 24));
            assert_eq!(sorted.len(), hashed.len());
        }
    }
}
