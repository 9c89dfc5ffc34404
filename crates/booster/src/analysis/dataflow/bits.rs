//! Sets of small numbers, for data-flow equations.
//!
//! A program has a state for each of its blocks, over all of its variables: both grow with it, and most states differ little from their neighbours. So sets are
//! trees whose parts are shared until they change: a copy takes no time, and union and comparison skip what two sets share.
//!
//! Lives here: the sets and their algebra. Never here: what the numbers stand for.

use std::sync::Arc;

/// Words of a leaf.
const WORDS: usize = 8;
/// Numbers of a leaf.
const LEAF: usize = 64 * WORDS;
/// Parts of an inner node.
const PARTS: usize = 16;

/// A set that has members, over numbers that start at zero: [`LEAF`] of them, or [`PARTS`] times as many for each level of inner nodes.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(Arc<[u64; WORDS]>),
    Inner(Arc<[Option<Tree>; PARTS]>),
}

/// A set of numbers below a fixed size.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    /// The size in words.
    words: usize,
    /// Levels of inner nodes.
    height: u32,
    root: Option<Tree>,
}

/// Levels of inner nodes that so many words need.
fn height(words: usize) -> u32 {
    let mut height = 0;
    let mut room = WORDS;
    while room < words {
        room *= PARTS;
        height += 1;
    }
    height
}

/// How many numbers a tree of that height is over.
fn span(height: u32) -> usize {
    LEAF * PARTS.pow(height)
}

/// The word of a leaf, and the bit in it.
fn place(i: usize) -> (usize, u64) {
    (i % LEAF / 64, 1 << (i % 64))
}

impl Tree {
    fn is(&self, other: &Tree) -> bool {
        match (self, other) {
            (Tree::Leaf(a), Tree::Leaf(b)) => Arc::ptr_eq(a, b),
            (Tree::Inner(a), Tree::Inner(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// All numbers of so many words.
    fn full(height: u32, words: usize) -> Option<Tree> {
        if words == 0 {
            return None;
        }
        if height == 0 {
            return Some(Tree::Leaf(Arc::new(std::array::from_fn(|k| if k < words { u64::MAX } else { 0 }))));
        }
        let each = span(height - 1) / 64;
        let whole = Tree::full(height - 1, each.min(words));
        let part = |k: usize| match words.saturating_sub(k * each) {
            left if left >= each => whole.clone(),
            left => Tree::full(height - 1, left),
        };
        Some(Tree::Inner(Arc::new(std::array::from_fn(part))))
    }

    fn insert(tree: &mut Option<Tree>, height: u32, i: usize) {
        let empty = || match height {
            0 => Tree::Leaf(Arc::default()),
            _ => Tree::Inner(Arc::default()),
        };
        match tree.get_or_insert_with(empty) {
            Tree::Leaf(words) => {
                let (word, bit) = place(i);
                Arc::make_mut(words)[word] |= bit;
            }
            Tree::Inner(parts) => {
                let each = span(height - 1);
                Tree::insert(&mut Arc::make_mut(parts)[i / each], height - 1, i % each);
            }
        }
    }

    fn remove(tree: &mut Option<Tree>, height: u32, i: usize) {
        let left = match tree {
            None => return,
            Some(Tree::Leaf(words)) => {
                let (word, bit) = place(i);
                let words = Arc::make_mut(words);
                words[word] &= !bit;
                words.iter().any(|w| *w != 0)
            }
            Some(Tree::Inner(parts)) => {
                let each = span(height - 1);
                let parts = Arc::make_mut(parts);
                Tree::remove(&mut parts[i / each], height - 1, i % each);
                parts.iter().any(Option::is_some)
            }
        };
        if !left {
            *tree = None;
        }
    }

    /// Whether a set of that height is within another one.
    fn within(a: &Option<Tree>, b: &Option<Tree>) -> bool {
        match (a, b) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) if a.is(b) => true,
            (Some(Tree::Leaf(a)), Some(Tree::Leaf(b))) => a.iter().zip(b.iter()).all(|(a, b)| a & !b == 0),
            (Some(Tree::Inner(a)), Some(Tree::Inner(b))) => a.iter().zip(b.iter()).all(|(a, b)| Tree::within(a, b)),
            _ => false,
        }
    }

    /// Makes a set the union with another one of its height; true if it grew.
    fn join(a: &mut Option<Tree>, b: &Option<Tree>) -> bool {
        if Tree::within(b, a) {
            return false;
        }
        match (&mut *a, b) {
            (Some(Tree::Leaf(a)), Some(Tree::Leaf(b))) => Arc::make_mut(a).iter_mut().zip(b.iter()).for_each(|(a, b)| *a |= b),
            (Some(Tree::Inner(a)), Some(Tree::Inner(b))) => {
                Arc::make_mut(a).iter_mut().zip(b.iter()).for_each(|(a, b)| {
                    Tree::join(a, b);
                });
            }
            _ => a.clone_from(b),
        }
        true
    }

    /// Makes a set the intersection with another one of its height; true if it shrank.
    fn meet(a: &mut Option<Tree>, b: &Option<Tree>) -> bool {
        if Tree::within(a, b) {
            return false;
        }
        let left = match (&mut *a, b) {
            (Some(Tree::Leaf(a)), Some(Tree::Leaf(b))) => {
                let words = Arc::make_mut(a);
                words.iter_mut().zip(b.iter()).for_each(|(a, b)| *a &= b);
                words.iter().any(|w| *w != 0)
            }
            (Some(Tree::Inner(a)), Some(Tree::Inner(b))) => {
                let parts = Arc::make_mut(a);
                parts.iter_mut().zip(b.iter()).for_each(|(a, b)| {
                    Tree::meet(a, b);
                });
                parts.iter().any(Option::is_some)
            }
            _ => false,
        };
        if !left {
            *a = None;
        }
        true
    }

    /// The leaves that have members, in ascending order, with their first numbers.
    fn leaves<'a>(&'a self, height: u32, first: usize, out: &mut Vec<(usize, &'a [u64; WORDS])>) {
        match self {
            Tree::Leaf(words) => out.push((first, words)),
            Tree::Inner(parts) => {
                let parts = parts.iter().enumerate().filter_map(|(k, p)| Some((k, p.as_ref()?)));
                parts.for_each(|(k, p)| p.leaves(height - 1, first + k * span(height - 1), out));
            }
        }
    }
}

impl Bits {
    /// The empty set of numbers below `size`.
    pub fn none(size: usize) -> Bits {
        let words = size.div_ceil(64);
        Bits { words, height: height(words), root: None }
    }

    /// All numbers below `size` (and those that fill its last word).
    pub fn all(size: usize) -> Bits {
        let none = Bits::none(size);
        Bits { root: Tree::full(none.height, none.words), ..none }
    }

    /// Membership; what is beyond the size is no member.
    pub fn has(&self, i: u32) -> bool {
        let mut i = i as usize;
        if i >= 64 * self.words {
            return false;
        }
        let (mut at, mut height) = (&self.root, self.height);
        loop {
            match at {
                None => return false,
                Some(Tree::Leaf(words)) => {
                    let (word, bit) = place(i);
                    return words[word] & bit != 0;
                }
                Some(Tree::Inner(parts)) => {
                    height -= 1;
                    at = &parts[i / span(height)];
                    i %= span(height);
                }
            }
        }
    }

    /// Adds a member; true if it is new.
    pub fn insert(&mut self, i: u32) -> bool {
        if i as usize >= 64 * self.words || self.has(i) {
            return false;
        }
        Tree::insert(&mut self.root, self.height, i as usize);
        true
    }

    /// Adds a member, however great.
    pub fn add(&mut self, i: u32) {
        self.words = self.words.max(i as usize / 64 + 1);
        while self.height < height(self.words) {
            self.height += 1;
            self.root = self.root.take().map(|tree| {
                let mut parts: [Option<Tree>; PARTS] = Default::default();
                parts[0] = Some(tree);
                Tree::Inner(Arc::new(parts))
            });
        }
        self.insert(i);
    }

    /// Takes a member out.
    pub fn remove(&mut self, i: u32) {
        if self.has(i) {
            Tree::remove(&mut self.root, self.height, i as usize);
        }
    }

    /// Union with a set of the same size; true if it grew.
    pub fn join(&mut self, other: &Bits) -> bool {
        if self.words == other.words {
            return Tree::join(&mut self.root, &other.root);
        }
        other.iter().fold(false, |grew, i| self.insert(i) | grew)
    }

    /// Grows until `round`, which adds to what it is given, adds nothing any more: what holds at the head of a loop.
    pub fn close(&mut self, mut round: impl FnMut(&mut Bits)) {
        loop {
            let mut next = self.clone();
            round(&mut next);
            if !self.join(&next) {
                break;
            }
        }
    }

    /// Intersection with a set of the same size; true if it shrank.
    pub fn meet(&mut self, other: &Bits) -> bool {
        debug_assert_eq!(self.words, other.words);
        Tree::meet(&mut self.root, &other.root)
    }

    /// True where every member is in the other set, too.
    pub fn is_subset(&self, other: &Bits) -> bool {
        if self.words == other.words { Tree::within(&self.root, &other.root) } else { self.iter().all(|i| other.has(i)) }
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let mut leaves = Vec::new();
        if let Some(tree) = &self.root {
            tree.leaves(self.height, 0, &mut leaves);
        }
        let words = leaves.into_iter().flat_map(|(first, words)| words.iter().enumerate().map(move |(k, &w)| (first + 64 * k, w)));
        words.filter(|(_, w)| *w != 0).flat_map(|(first, w)| (0..64).filter(move |b| w >> b & 1 == 1).map(move |b| first as u32 + b))
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        self.is_subset(other) && other.is_subset(self)
    }
}

impl Eq for Bits {}

/// A set of numbers that nobody copies: in pages, of which there are those that it takes.
#[derive(Debug, Default)]
pub struct Marks(Vec<Option<Box<[u64; MARKS]>>>);

/// Words of a page of marks.
const MARKS: usize = 64;

impl Marks {
    /// Whether a number is in it.
    pub fn has(&self, i: u32) -> bool {
        let (word, bit) = (i as usize / 64, 1 << (i % 64));
        self.0.get(word / MARKS).and_then(Option::as_ref).is_some_and(|page| page[word % MARKS] & bit != 0)
    }

    /// Adds a number; false if it was there.
    pub fn add(&mut self, i: u32) -> bool {
        let (word, bit) = (i as usize / 64, 1 << (i % 64));
        if self.0.len() <= word / MARKS {
            self.0.resize(word / MARKS + 1, None);
        }
        let word = &mut self.0[word / MARKS].get_or_insert_with(|| Box::new([0; MARKS]))[word % MARKS];
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes a number out.
    pub fn remove(&mut self, i: u32) {
        let (word, bit) = (i as usize / 64, 1u64 << (i % 64));
        if let Some(Some(page)) = self.0.get_mut(word / MARKS) {
            page[word % MARKS] &= !bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_in_order() {
        let mut a = Bits::none(130);
        assert!(a.insert(129) && a.insert(3) && !a.insert(3));
        assert!(!a.insert(400) && !a.has(400));
        let mut b = Bits::none(130);
        b.insert(64);
        assert!(a.join(&b) && !a.join(&b));
        assert_eq!(a.iter().collect::<Vec<_>>(), [3, 64, 129]);
        assert!(a.meet(&b));
        assert_eq!(a, b);
        a.remove(64);
        a.add(700);
        assert!(a.has(700) && !a.has(701));
        assert!(!a.has(64));
    }

    /// Sets of all heights do what ordered sets of the library do, and copies are not changed along.
    #[test]
    fn as_ordered_sets() {
        use std::collections::BTreeSet;
        let mut seed = 1u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for size in [0, 1, 64, 500, 513, 8192, 8300, 140_000] {
            let mut sets = vec![(Bits::none(size), BTreeSet::new()); 3];
            assert_eq!(Bits::all(size).iter().count(), size.div_ceil(64) * 64);
            assert!(sets[0].0.is_subset(&Bits::all(size)));
            for round in 0..600 {
                let (a, b) = (random(3), random(3));
                // Numbers that lie close together and far apart.
                let i = if random(2) == 0 { random(size.max(1)) } else { random(size.clamp(1, 40)) } as u32;
                let (other, others) = sets[b].clone();
                let (bits, members) = &mut sets[a];
                match random(6) {
                    0 | 1 => assert_eq!(bits.insert(i), (i as usize) < size && members.insert(i)),
                    2 => {
                        bits.remove(i);
                        members.remove(&i);
                    }
                    3 => {
                        let before = members.len();
                        members.extend(&others);
                        assert_eq!(bits.join(&other), members.len() > before);
                    }
                    4 => {
                        let before = members.len();
                        members.retain(|m| others.contains(m));
                        assert_eq!(bits.meet(&other), members.len() < before);
                    }
                    _ if round % 50 == 0 => (*bits, *members) = (Bits::none(size), BTreeSet::new()),
                    _ => {}
                }
                assert!(bits.iter().eq(members.iter().copied()));
                assert_eq!(bits.is_subset(&other), members.is_subset(&others));
                assert_eq!(*bits == other, *members == others);
                assert_eq!(bits.has(i), members.contains(&i));
                assert!(sets[b].0 == other || a == b);
            }
        }
    }

    #[test]
    fn sets_of_different_sizes() {
        let (mut small, mut great) = (Bits::none(10), Bits::none(100_000));
        great.insert(5);
        great.insert(90_000);
        assert!(small.join(&great) && !small.join(&great));
        assert_eq!(small.iter().collect::<Vec<_>>(), [5], "what does not fit is left out");
        assert!(small.is_subset(&great) && !great.is_subset(&small) && small != great);
        small.add(90_000);
        assert!(small == great);
    }

    #[test]
    fn marks_are_a_set() {
        let mut marks = Marks::default();
        let numbers = [0, 63, 64, 4095, 4096, 1_000_000];
        assert!(numbers.iter().all(|&n| !marks.has(n) && marks.add(n) && marks.has(n) && !marks.add(n)));
        marks.remove(64);
        marks.remove(77_777_777);
        assert!(numbers.iter().all(|&n| marks.has(n) == (n != 64)) && !marks.has(1) && !marks.has(77_777_777));
    }
}
