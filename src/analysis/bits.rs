//! Sets of small numbers, for data-flow equations.

/// A set of numbers below a fixed size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set of numbers below `size`.
    pub fn none(size: usize) -> Bits {
        Bits { words: vec![0; size.div_ceil(64)] }
    }

    /// All numbers below `size` (and those that fill its last word).
    pub fn all(size: usize) -> Bits {
        Bits { words: vec![u64::MAX; size.div_ceil(64)] }
    }

    /// Membership; what is beyond the size is no member.
    pub fn has(&self, i: u32) -> bool {
        self.words.get(i as usize / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }

    /// Adds a member; true if it is new.
    pub fn insert(&mut self, i: u32) -> bool {
        let Some(w) = self.words.get_mut(i as usize / 64) else { return false };
        let old = *w;
        *w |= 1 << (i % 64);
        *w != old
    }

    /// Adds a member, however great.
    pub fn add(&mut self, i: u32) {
        let word = i as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (i % 64);
    }

    /// Takes a member out.
    pub fn remove(&mut self, i: u32) {
        if let Some(w) = self.words.get_mut(i as usize / 64) {
            *w &= !(1 << (i % 64));
        }
    }

    /// Union; true if it grew.
    pub fn join(&mut self, other: &Bits) -> bool {
        let mut grew = false;
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            grew |= *o & !*w != 0;
            *w |= *o;
        }
        grew
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

    /// Intersection; true if it shrank.
    pub fn meet(&mut self, other: &Bits) -> bool {
        let mut shrank = false;
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            shrank |= *w & !*o != 0;
            *w &= *o;
        }
        shrank
    }

    /// True where every member is in the other set, too.
    pub fn is_subset(&self, other: &Bits) -> bool {
        self.words.iter().enumerate().all(|(i, w)| w & !other.words.get(i).copied().unwrap_or(0) == 0)
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(k, &w)| (0..64).filter(move |b| w >> b & 1 == 1).map(move |b| k as u32 * 64 + b))
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
}
