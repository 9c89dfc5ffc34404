//! Arrays on the heap that change places: pointers that change their targets.
//!
//! Lives here: what C has to say of these arrays, and the text. Never here: which loops these are (see [`xaif::exchange`]), how the parser reads such exchanges
//! (see `parse/memory/array_exchange.rs`).

use crate::unparse::facts::symbols::is_heap;
use crate::unparse::printer::Printer;
use rustc_hash::FxHashMap;
use xaif::exchange::{Exchange, Language};
use xaif::model::{Storage, SymbolId, Unit, VertexId};
use xaif::structure::Region;

impl Language for Printer<'_> {
    fn may_move(&self, array: SymbolId) -> bool {
        let symbol = self.program.symbol(array);
        is_heap(symbol) && !symbol.has_attribute("const")
    }

    fn are_alike(&self, a: SymbolId, b: SymbolId) -> bool {
        self.flat.contains(&a) == self.flat.contains(&b)
    }

    fn has_other_names(&self, variable: SymbolId) -> bool {
        // In other languages nobody may set an argument under another name.
        self.c && *self.program.symbol(variable).storage() == Storage::Argument && self.pointers.contains(&variable)
    }

    fn vanishes(&self, index: SymbolId) -> bool {
        self.sites.loops.contains(&index)
    }
}

impl Printer<'_> {
    /// The loops of a unit that exchange arrays on the heap.
    pub fn exchanges(&self, unit: &Unit, regions: &[Region]) -> FxHashMap<VertexId, Exchange> {
        xaif::exchange::exchanges(self.program, unit, regions, self)
    }

    /// Writes exchanges, in braces where the name of a pointer is another one's, too.
    pub fn exchange(&mut self, x: &Exchange) {
        self.out.comment(&x.comment);
        let all: Vec<SymbolId> = self.exchanges.values().flat_map(|y| &y.turns).map(|t| t.kept).collect();
        for turn in &x.turns {
            let pointer = self.names.of(self.program, turn.kept).to_string();
            let shared = all.iter().filter(|&&t| self.names.of(self.program, t) == pointer.as_str()).count() > 1;
            let names: Vec<String> = turn.arrays.iter().map(|&a| self.name(a).to_string()).collect();
            let declarator = self.heap_declarator(turn.arrays[0]).replacen(&names[0], &pointer, 1);
            let head = self.type_text(turn.arrays[0]);
            if shared {
                self.out.open("{");
            }
            self.out.text(format!("{head} {declarator} = {};", names[0]));
            for w in names.windows(2) {
                self.out.text(format!("{} = {};", w[0], w[1]));
            }
            self.out.text(format!("{} = {pointer};", names[names.len() - 1]));
            if shared {
                self.out.close("}");
            }
        }
    }
}
