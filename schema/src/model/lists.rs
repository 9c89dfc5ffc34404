//! Short lists that take little room: the operands of a vertex, the subscripts of a reference.
//!
//! A large program has millions of vertices, most of them with at most two operands and no subscripts. Lives here: how these lists are held; they are
//! used like slices. Never here: what operands and subscripts mean.

use super::expr::{NodeId, Triplet};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The operands of a vertex, by position.
#[derive(Clone)]
pub struct Operands(Held);

/// So many operands stand in the vertex itself.
const FEW: usize = 3;

#[derive(Clone)]
#[allow(clippy::box_collection)] // a list of its own would take more room in the vertices that have none
enum Held {
    Few(u8, [NodeId; FEW]),
    #[allow(clippy::box_collection)] // a vector itself would make every list as large
    Many(Box<Vec<NodeId>>),
}

impl Operands {
    /// No operands.
    pub const fn new() -> Operands {
        Operands(Held::Few(0, [NodeId(0); FEW]))
    }

    /// Adds one behind the others.
    pub fn push(&mut self, operand: NodeId) {
        match &mut self.0 {
            Held::Few(n, list) => match list.get_mut(usize::from(*n)) {
                Some(place) => {
                    *place = operand;
                    *n += 1;
                }
                None => self.0 = Held::Many(Box::new(list.iter().copied().chain([operand]).collect())),
            },
            Held::Many(list) => list.push(operand),
        }
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        *self = Operands::new();
    }
}

impl Default for Operands {
    fn default() -> Operands {
        Operands::new()
    }
}

impl Deref for Operands {
    type Target = [NodeId];

    fn deref(&self) -> &[NodeId] {
        match &self.0 {
            Held::Few(n, list) => &list[..usize::from(*n)],
            Held::Many(list) => list,
        }
    }
}

impl DerefMut for Operands {
    fn deref_mut(&mut self) -> &mut [NodeId] {
        match &mut self.0 {
            Held::Few(n, list) => &mut list[..usize::from(*n)],
            Held::Many(list) => list,
        }
    }
}

impl FromIterator<NodeId> for Operands {
    fn from_iter<I: IntoIterator<Item = NodeId>>(operands: I) -> Operands {
        let mut out = Operands::new();
        operands.into_iter().for_each(|o| out.push(o));
        out
    }
}

/// The subscripts of a reference, one for each dimension, in source order. Copies share them until one is changed: adjoints name most elements again and
/// again.
#[derive(Clone, Default)]
pub struct Subscripts(Option<Arc<SmallVec<[Triplet; 1]>>>);

impl Subscripts {
    /// Adds one behind the others.
    pub fn push(&mut self, subscript: Triplet) {
        self.extend([subscript]);
    }

    /// Takes one out.
    ///
    /// # Panics
    /// Where there is none at that place.
    pub fn remove(&mut self, at: usize) -> Triplet {
        let mut list = self.to_vec();
        let taken = list.remove(at);
        *self = list.into();
        taken
    }

    /// Lets `change` change them. They stay shared where it changes nothing.
    pub fn change(&mut self, change: impl FnOnce(&mut [Triplet])) {
        let Some(list) = &mut self.0 else { return };
        if let Some(own) = Arc::get_mut(list) {
            return change(own);
        }
        let mut copy: SmallVec<[Triplet; 2]> = list.iter().cloned().collect();
        change(&mut copy);
        if copy[..] != list[..] {
            *self = copy.into_iter().collect();
        }
    }
}

impl Deref for Subscripts {
    type Target = [Triplet];

    fn deref(&self) -> &[Triplet] {
        self.0.as_ref().map_or(&[], |list| list)
    }
}

impl DerefMut for Subscripts {
    fn deref_mut(&mut self) -> &mut [Triplet] {
        match &mut self.0 {
            Some(list) => &mut Arc::make_mut(list)[..],
            None => &mut [],
        }
    }
}

impl From<Vec<Triplet>> for Subscripts {
    fn from(list: Vec<Triplet>) -> Subscripts {
        list.into_iter().collect()
    }
}

impl FromIterator<Triplet> for Subscripts {
    fn from_iter<I: IntoIterator<Item = Triplet>>(subscripts: I) -> Subscripts {
        let list: SmallVec<[Triplet; 1]> = subscripts.into_iter().collect();
        Subscripts((!list.is_empty()).then(|| Arc::new(list)))
    }
}

impl Extend<Triplet> for Subscripts {
    fn extend<I: IntoIterator<Item = Triplet>>(&mut self, subscripts: I) {
        *self = std::mem::take(self).into_iter().chain(subscripts).collect();
    }
}

impl IntoIterator for Subscripts {
    type Item = Triplet;
    type IntoIter = std::vec::IntoIter<Triplet>;

    fn into_iter(self) -> Self::IntoIter {
        Vec::from(&*self).into_iter()
    }
}

impl PartialEq for Subscripts {
    fn eq(&self, other: &Subscripts) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl PartialEq for Operands {
    fn eq(&self, other: &Operands) -> bool {
        **self == **other
    }
}

/// What makes a list like a slice in loops and messages.
macro_rules! like_a_slice {
    ($list:ty, $item:ty) => {
        impl std::fmt::Debug for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<'a> IntoIterator for &'a $list {
            type Item = &'a $item;
            type IntoIter = std::slice::Iter<'a, $item>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<'a> IntoIterator for &'a mut $list {
            type Item = &'a mut $item;
            type IntoIter = std::slice::IterMut<'a, $item>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter_mut()
            }
        }
    };
}

like_a_slice!(Operands, NodeId);
like_a_slice!(Subscripts, Triplet);

#[cfg(test)]
mod tests {
    use super::super::expr::{Expr, Node};
    use super::*;

    #[test]
    fn operands_are_a_list_however_many_there_are() {
        let mut grown = Operands::new();
        for n in 0..7u32 {
            let made: Operands = (0..n).map(NodeId).collect();
            assert_eq!(made, grown);
            assert_eq!(made.iter().map(|o| o.0).collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
            grown.push(NodeId(n));
        }
        grown.iter_mut().for_each(|o| o.0 += 1);
        assert_eq!(grown.last(), Some(&NodeId(7)));
        grown.clear();
        assert_eq!(grown, Operands::default());
    }

    #[test]
    fn subscripts_are_a_list() {
        let t = |k| Triplet::element(Expr::int(k));
        let mut s = Subscripts::from(vec![t(1), t(3)]);
        s.push(t(4));
        assert_eq!(s.remove(1), t(3));
        s.extend([t(5)]);
        assert_eq!(s, [1, 4, 5].into_iter().map(t).collect());
        assert_eq!(s.into_iter().filter_map(|t| t.index?.as_int()).sum::<i64>(), 10);
    }

    #[test]
    fn copies_of_subscripts_are_changed_alone() {
        let t = |k| Triplet::element(Expr::int(k));
        let first = Subscripts::from(vec![t(1), t(3)]);
        let mut second = first.clone();
        assert_eq!(first, second);
        second[1] = t(4);
        assert_ne!(first, second);
        assert_eq!((&first[1], &second[1]), (&t(3), &t(4)));
        let mut third = second.clone();
        third.change(|list| list[1] = t(4));
        assert!(std::ptr::eq(&*third, &*second));
        third.change(|list| list[0] = t(7));
        assert_eq!((&second[0], &third[0]), (&t(1), &t(7)));
        assert_eq!(Subscripts::from(vec![]), Subscripts::default());
        assert!(Subscripts::default().iter_mut().next().is_none());
    }

    #[test]
    fn vertices_are_small() {
        assert!(size_of::<Node>() <= 48, "{}", size_of::<Node>());
    }
}
