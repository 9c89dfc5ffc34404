//! Gathering what is known of the whole program.
//!
//! Lives here: what every unit uses, who calls itself, who is impure. Never here: questions to these facts (see `context`).

use super::context::Context;
use super::uses::{self, Uses};
use super::{imports, outer_names};
use crate::unparse::nesting::exchanges;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::cell::RefCell;
use xaif::model::{IndexOrder, Program, ScopeId, Storage, SymbolId, SymbolKind, Unit, UnitId};
use xaif::unparsed::UnparseOptions;

impl<'p> Context<'p> {
    /// Gathers the facts.
    pub fn new(program: &'p Program, options: &UnparseOptions) -> Context<'p> {
        let foreign = program.sources.iter().any(|s| s.language != "fortran") || program.index_order == IndexOrder::Row;
        let mut owner = FxHashMap::default();
        for u in program.unit_ids() {
            owner.entry(program.unit(u).scope).or_insert(u);
        }
        let mut cx = Context {
            program,
            foreign,
            row: program.index_order == IndexOrder::Row,
            wrapped: foreign,
            no_primal: options.no_primal,
            beside_text: options.no_primal
                || (!foreign && !program.sources.is_empty() && program.sources.iter().all(|s| !s.text.is_empty())),
            outer_names: FxHashMap::default(),
            owner,
            uses: Vec::new(),
            exchanges: program.units.iter().map(|u| exchanges::of_unit(program, u)).collect(),
            ordered: Vec::new(),
            recursive: Vec::new(),
            impure: Vec::new(),
            open: xaif::open::needed(program),
            problems: RefCell::new(Vec::new()),
        };
        cx.gather_uses();
        cx.wrapped |= cx.uses.iter().any(|u| {
            u.symbols.iter().any(|&s| {
                let symbol = program.symbol(s);
                symbol.scope == ScopeId(0) && symbol.kind != SymbolKind::Subroutine && !matches!(symbol.storage(), Storage::Common(_))
            })
        });
        cx.outer_names = outer_names::outer(&cx);
        cx.call_facts();
        cx
    }

    fn gather_uses(&mut self) {
        let program = self.program;
        let mut all: Vec<Uses> = program.units.iter().zip(&self.exchanges).map(|(u, x)| uses::of_unit(u, x)).collect();
        for (u, open) in all.iter_mut().zip(&self.open) {
            u.symbols.extend(open);
        }
        for u in &mut all {
            let passed: Vec<SymbolId> = u.symbols.iter().flat_map(|s| self.procedures_passed_to(*s)).collect();
            u.symbols.extend(passed);
            let bases: Vec<SymbolId> = u.symbols.iter().filter_map(|s| self.component(*s)).map(|(b, _)| b).collect();
            u.symbols.extend(bases);
        }
        // A host declares what its internal procedures use of it; internal procedures come behind their hosts or before them,
        // so go on until nothing changes.
        loop {
            let mut changed = false;
            for u in program.unit_ids() {
                let mut closed = std::mem::take(&mut all[u.index()]);
                let before = closed.symbols.len();
                self.whole_commons(u, &mut closed);
                closed.close(program, &|s| self.is_local(u, s));
                self.kind_parameters(u, &mut closed);
                self.whole_commons(u, &mut closed);
                changed |= closed.symbols.len() != before;
                if let Some(host) = self.host(u) {
                    let scope = program.unit(host).scope;
                    for &s in &closed.symbols {
                        if program.symbol(s).scope == scope && host != u {
                            changed |= all[host.index()].symbols.insert(s);
                        }
                    }
                }
                all[u.index()] = closed;
            }
            if !changed {
                break;
            }
        }
        // In the order of declaration: the numbers of symbols depend on how the program came about.
        let mut place = vec![(0, 0); program.symbols.len()];
        for (i, scope) in program.scopes.iter().enumerate() {
            for (k, s) in scope.symbols.iter().enumerate() {
                place[s.index()] = (i, k);
            }
        }
        let in_order = |u: &Uses| {
            let mut list: Vec<SymbolId> = u.symbols.iter().copied().collect();
            list.sort_by_key(|s| place[s.index()]);
            list
        };
        self.ordered = all.iter().map(in_order).collect();
        self.uses = all;
    }

    /// Kind parameters are mentioned by name only.
    pub fn kind_parameters(&self, unit: UnitId, uses: &mut Uses) {
        let u = self.program.unit(unit);
        let origin = u.derivation.and_then(|d| self.program.units.get(d.of.index()));
        let definitions = self.import_lines(unit).iter().filter(|l| imports::is_definition(l));
        let words = definitions.flat_map(|l| uses::identifiers(l)).map(SmolStr::from);
        for kind in uses.kinds.iter().cloned().chain(words).collect::<Vec<_>>() {
            // What the original calls so goes before what others around the derivative do.
            let near = self.program.lookup(u.scope, &kind);
            let own = near.filter(|&s| self.program.symbol(s).scope == u.scope);
            let found = own.or_else(|| self.program.lookup(origin?.scope, &kind)).or(near);
            uses.symbols.extend(found.filter(|&s| *self.program.symbol(s).storage() == Storage::Constant));
        }
    }

    /// Who declares one variable of a COMMON block declares all.
    fn whole_commons(&self, unit: UnitId, uses: &mut Uses) {
        let mut blocks: Vec<(ScopeId, &Storage)> = Vec::new();
        for &s in &uses.symbols {
            let symbol = self.program.symbol(s);
            if matches!(symbol.storage(), Storage::Common(_))
                && self.is_local(unit, s)
                && !blocks.contains(&(symbol.scope, symbol.storage()))
            {
                blocks.push((symbol.scope, symbol.storage()));
            }
        }
        for (scope, storage) in blocks {
            let members = self.program.scope(scope).symbols.iter().copied();
            uses.symbols.extend(members.filter(|&s| self.program.symbol(s).storage() == storage));
        }
    }

    fn call_facts(&mut self) {
        let n = self.program.units.len();
        let callees: Vec<Vec<UnitId>> = self.program.units.iter().map(|u| uses::callees(self.program, u)).collect();
        let reaches_self = |start: usize| {
            let mut seen = vec![false; n];
            let mut todo: Vec<UnitId> = callees[start].clone();
            while let Some(u) = todo.pop() {
                if u.index() == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[u.index()], true) {
                    todo.extend(&callees[u.index()]);
                }
            }
            false
        };
        self.recursive = (0..n).map(reaches_self).collect();
        let mut impure: Vec<bool> = self.program.units.iter().zip(&self.uses).map(|(u, s)| s.records || !declares_pure(u)).collect();
        loop {
            let more: Vec<usize> = (0..n).filter(|&u| !impure[u] && callees[u].iter().any(|c| impure[c.index()])).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|u| impure[u] = true);
        }
        self.impure = impure;
    }
}

fn declares_pure(unit: &Unit) -> bool {
    let has = |w: &str| unit.prefixes.iter().any(|p| p == w);
    (has("pure") || has("elemental")) && !has("impure")
}
