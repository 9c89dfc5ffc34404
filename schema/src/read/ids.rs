//! Ids that must differ.
//!
//! Lives here: whether an id was there before. Never here: what it names.

use smol_str::SmolStr;
use std::collections::HashSet;

/// The ids so far: most documents count, so that numbers in ascending order take little.
#[derive(Default)]
pub(super) struct Ids {
    ascending: Vec<u64>,
    others: HashSet<SmolStr>,
}

/// The number, where the id is one and spelled as numbers are.
fn number(id: &str) -> Option<u64> {
    let plain = id.len() <= 18 && !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()) && (!id.starts_with('0') || id.len() == 1);
    if plain { id.parse().ok() } else { None }
}

impl Ids {
    /// Adds one; false if it was there.
    pub fn insert(&mut self, id: &str) -> bool {
        if let Some(n) = number(id) {
            if self.ascending.last().is_none_or(|&last| last < n) {
                self.ascending.push(n);
                // It may have come out of order before.
                return self.others.is_empty() || !self.others.contains(id);
            }
            if self.ascending.binary_search(&n).is_ok() {
                return false;
            }
        }
        self.others.insert(id.into())
    }

    /// Adds others; false if some were there.
    pub fn join(&mut self, other: Ids) -> bool {
        let mut distinct = true;
        for n in other.ascending {
            if self.others.is_empty() && self.ascending.last().is_none_or(|&last| last < n) {
                self.ascending.push(n);
            } else {
                distinct &= self.insert(&smol_str::format_smolstr!("{n}"));
            }
        }
        other.others.into_iter().fold(distinct, |distinct, id| self.insert(&id) && distinct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_is_found_whatever_the_order() {
        let mut ids = Ids::default();
        let new: Vec<bool> = ["1", "3", "2", "x", "3", "2", "03", "x", "7", "5", "8", "5", "1"].iter().map(|i| ids.insert(i)).collect();
        assert_eq!(new, [true, true, true, true, false, false, true, false, true, true, true, false, false]);
        let mut more = Ids::default();
        assert!(more.insert("9"));
        assert!(ids.join(more));
        let mut again = Ids::default();
        again.insert("y");
        again.insert("5");
        assert!(!ids.join(again));
    }
}
