//! The table of all symbols of a program.
//!
//! Whoever drafts something works on a copy of the program, with symbols of its own behind those that are there, and a large program has hundreds of thousands
//! of them. So the table lies in pages that copies share until one of them changes something on it.
//!
//! Lives here: how the table is held; it is used like a vector. Never here: what a symbol is.

use super::symbol::Symbol;
use std::iter::FlatMap;
use std::ops::{Index, IndexMut};
use std::slice;
use std::sync::Arc;

/// So many symbols are on one page. Only the last page has less.
const PAGE: usize = 256;

type Page = Arc<Vec<Symbol>>;

/// Symbols, by their numbers. Copies take next to no time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symbols(Vec<Page>);

impl Symbols {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * PAGE + last.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The symbol with a number, if there is one.
    pub fn get(&self, at: usize) -> Option<&Symbol> {
        self.0.get(at / PAGE)?.get(at % PAGE)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut Symbol> {
        Arc::make_mut(self.0.get_mut(at / PAGE)?).get_mut(at % PAGE)
    }

    /// Adds one behind the others.
    pub fn push(&mut self, symbol: Symbol) {
        match self.0.last_mut() {
            Some(last) if last.len() < PAGE => Arc::make_mut(last).push(symbol),
            _ => {
                // Small programs have a small page.
                let mut page = Vec::with_capacity(if self.0.is_empty() { 0 } else { PAGE });
                page.push(symbol);
                self.0.push(Arc::new(page));
            }
        }
    }

    /// Leaves the first `length`.
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length.div_ceil(PAGE));
        if length < self.len()
            && let Some(last) = self.0.last_mut()
        {
            Arc::make_mut(last).truncate(length % PAGE);
        }
    }

    /// Takes out all from number `at` on.
    pub fn split_off(&mut self, at: usize) -> Vec<Symbol> {
        let mut pages = self.0.split_off(self.0.len().min(at / PAGE)).into_iter().map(Arc::unwrap_or_clone);
        let Some(mut first) = pages.next() else { return Vec::new() };
        let mut out = first.split_off(first.len().min(at % PAGE));
        out.extend(pages.flatten());
        if !first.is_empty() {
            self.0.push(Arc::new(first));
        }
        out
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Symbol> {
        self.into_iter()
    }

    /// Those from number `at` on.
    pub fn from(&self, at: usize) -> impl Iterator<Item = &Symbol> {
        let first = self.0.get(at / PAGE).and_then(|page| page.get(at % PAGE..)).unwrap_or_default();
        first.iter().chain(self.0.iter().skip(at / PAGE + 1).flat_map(|page| page.iter()))
    }

    /// All of them, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Symbol> {
        self.into_iter()
    }
}

impl Index<usize> for Symbols {
    type Output = Symbol;

    fn index(&self, at: usize) -> &Symbol {
        &self.0[at / PAGE][at % PAGE]
    }
}

impl IndexMut<usize> for Symbols {
    fn index_mut(&mut self, at: usize) -> &mut Symbol {
        &mut Arc::make_mut(&mut self.0[at / PAGE])[at % PAGE]
    }
}

impl FromIterator<Symbol> for Symbols {
    fn from_iter<I: IntoIterator<Item = Symbol>>(symbols: I) -> Symbols {
        let mut out = Symbols::default();
        symbols.into_iter().for_each(|s| out.push(s));
        out
    }
}

impl IntoIterator for Symbols {
    type Item = Symbol;
    type IntoIter = FlatMap<std::vec::IntoIter<Page>, Vec<Symbol>, fn(Page) -> Vec<Symbol>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().flat_map(Arc::unwrap_or_clone)
    }
}

impl<'a> IntoIterator for &'a Symbols {
    type Item = &'a Symbol;
    type IntoIter = FlatMap<slice::Iter<'a, Page>, slice::Iter<'a, Symbol>, fn(&'a Page) -> slice::Iter<'a, Symbol>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().flat_map(|page| page.iter())
    }
}

impl<'a> IntoIterator for &'a mut Symbols {
    type Item = &'a mut Symbol;
    type IntoIter = FlatMap<slice::IterMut<'a, Page>, slice::IterMut<'a, Symbol>, fn(&'a mut Page) -> slice::IterMut<'a, Symbol>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut().flat_map(|page| Arc::make_mut(page).iter_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ElemType, ScopeId};

    fn symbol(k: usize) -> Symbol {
        Symbol::made(format!("s{k}"), ElemType::REAL64, ScopeId(0))
    }

    fn names(symbols: &Symbols) -> Vec<String> {
        symbols.iter().map(|s| s.name.to_string()).collect()
    }

    /// The same as of a vector, for lengths at the ends of pages and elsewhere.
    #[test]
    fn used_like_a_vector() {
        for n in [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 2 * PAGE + 7] {
            let list: Vec<Symbol> = (0..n).map(symbol).collect();
            let table: Symbols = list.iter().cloned().collect();
            assert_eq!((table.len(), table.is_empty()), (n, n == 0));
            assert_eq!(table.iter().collect::<Vec<_>>(), list.iter().collect::<Vec<_>>());
            assert_eq!(table.clone().into_iter().collect::<Vec<_>>(), list);
            assert!(table.get(n).is_none() && list.iter().enumerate().all(|(k, s)| table.get(k) == Some(s) && table[k] == *s));
            for at in [0, 1, n / 2, n.saturating_sub(1), n, n + 1, PAGE] {
                let mut cut = table.clone();
                cut.truncate(at);
                assert_eq!(cut.iter().collect::<Vec<_>>(), list.iter().take(at).collect::<Vec<_>>(), "{n} {at}");
                assert_eq!(cut, list.iter().take(at).cloned().collect());
                assert_eq!(table.from(at).collect::<Vec<_>>(), list.iter().skip(at).collect::<Vec<_>>(), "{n} {at}");
                let mut rest = table.clone();
                assert_eq!(rest.split_off(at), list.get(at..).unwrap_or_default());
                assert_eq!(rest, cut);
            }
        }
    }

    #[test]
    fn a_copy_is_its_own() {
        let mut first: Symbols = (0..PAGE + 10).map(symbol).collect();
        let before = names(&first);
        let mut second = first.clone();
        second.push(symbol(1000));
        second[3].name = "changed".into();
        second.iter_mut().skip(PAGE).for_each(|s| s.rank = 1);
        assert_eq!(names(&first), before);
        assert!(first.iter().all(|s| s.rank == 0));
        first.truncate(2);
        first[0].name = "other".into();
        assert_eq!((second.len(), second[0].name.as_str(), second[3].name.as_str()), (PAGE + 11, "s0", "changed"));
    }
}
