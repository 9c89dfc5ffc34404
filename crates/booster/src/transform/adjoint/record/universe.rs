//! The variables of a unit, numbered, as the to-be-recorded analysis wants them.
//!
//! Never here: what is known of them.

use super::recomputed::Renewed;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::reversal::flow::{Overlaps, Var};
use rustc_hash::FxHashMap;
use xaif::model::SymbolId;

/// The variables of a unit, numbered.
#[derive(Debug, Default)]
pub(crate) struct Universe {
    /// The symbols in order of their numbers.
    pub symbols: Vec<SymbolId>,
    /// The numbers of symbols, which are asked for again and again, in pages: a program may have many more symbols than the unit.
    numbers: Vec<Option<Box<[Var; PAGE]>>>,
}

/// So many symbols are on one page.
pub(crate) const PAGE: usize = 256;

/// In the place of the number of a symbol that has none.
pub(crate) const NONE: Var = Var::MAX;

impl Universe {
    /// The number of a variable.
    pub fn var(&mut self, symbol: SymbolId) -> Var {
        let (page, at) = (symbol.index() / PAGE, symbol.index() % PAGE);
        if self.numbers.len() <= page {
            self.numbers.resize(page + 1, None);
        }
        let number = &mut self.numbers[page].get_or_insert_with(|| Box::new([NONE; PAGE]))[at];
        if *number == NONE {
            *number = self.symbols.len() as Var;
            self.symbols.push(symbol);
        }
        *number
    }

    /// The number of a variable, if it has one.
    pub fn known(&self, symbol: SymbolId) -> Option<Var> {
        let page = self.numbers.get(symbol.index() / PAGE)?.as_ref()?;
        Some(page[symbol.index() % PAGE]).filter(|&n| n != NONE)
    }

    /// Who may overlap whom; `sharing` has what may share memory with each variable. And what the reverse sweep sets again.
    pub fn overlaps(&self, sharing: &FxHashMap<SymbolId, Vec<SymbolId>>, renewed: &Renewed) -> Overlaps {
        let mut others = vec![Vec::new(); self.symbols.len()];
        for (i, a) in self.symbols.iter().enumerate() {
            for j in sharing.get(a).into_iter().flatten().filter_map(|b| self.known(*b)).filter(|&j| j as usize != i) {
                others[i].push(j);
                others[j as usize].push(i as Var);
            }
        }
        for list in &mut others {
            list.sort_unstable();
            list.dedup();
        }
        let mut again = Bits::none(self.symbols.len());
        renewed.variables().filter_map(|s| self.known(s)).for_each(|v| again.add(v));
        Overlaps { others, renewed: again }
    }
}
