//! New variables of a derivative unit: names that nothing in sight has.
//!
//! Lives here: which names are taken. Never here: what the variables are for.

use crate::transform::names::Everywhere;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use xaif::Program;
use xaif::model::{ElemType, ScopeId, Symbol, SymbolId};

/// New names in a scope.
#[derive(Debug)]
pub(crate) struct Namer<'a> {
    scope: ScopeId,
    fold: bool,
    everywhere: &'a Everywhere,
    /// The scopes in sight, whose names are with `everywhere`.
    around: Vec<ScopeId>,
    used: FxHashSet<SmolStr>,
    /// The least number that a wish has not been tried with; 0 for the wish itself.
    next: FxHashMap<SmolStr, u32>,
}

fn folded(fold: bool, name: &str) -> SmolStr {
    if fold && !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
        name.to_lowercase().into()
    } else {
        name.into()
    }
}

impl<'a> Namer<'a> {
    /// Everything that is visible from the scope, and every unit's name, is taken.
    pub fn new(program: &Program, scope: ScopeId, everywhere: &'a Everywhere) -> Namer<'a> {
        let mut around = Vec::new();
        let mut at = Some(scope);
        for _ in 0..=program.scopes.len() {
            let Some(s) = at.filter(|s| s.index() > 0).filter(|s| s.index() < program.scopes.len()) else { break };
            everywhere.scope(program, s);
            around.push(s);
            at = program.scope(s).parent;
        }
        Namer { scope, fold: program.case_insensitive, everywhere, around, used: FxHashSet::default(), next: FxHashMap::default() }
    }

    fn key(&self, name: &str) -> SmolStr {
        folded(self.fold, name)
    }

    /// A name that nobody may have.
    pub fn take(&mut self, name: &str) {
        let key = self.key(name);
        self.used.insert(key);
    }

    /// Adds a local scalar; the name is the wish, with a number if that is taken.
    pub fn add(&mut self, program: &mut Program, wish: &str, ty: ElemType) -> SymbolId {
        // What comes of a component is no component.
        let name = if wish.contains('%') { self.free(&wish.replace('%', "_")) } else { self.free(wish) };
        program.add_symbol(Symbol::made(name, ty, self.scope))
    }

    /// A name that nobody has, taken. Long code gets hundreds of thousands of them.
    fn free(&mut self, wish: &str) -> SmolStr {
        let mut number = self.next.get(wish).copied().unwrap_or(0);
        loop {
            let name = if number == 0 { wish.into() } else { format_smolstr!("{wish}{number}") };
            number += 1;
            let key = self.key(&name);
            if !self.everywhere.has(&self.around, &key) && self.used.insert(key) {
                match self.next.get_mut(wish) {
                    Some(next) => *next = number,
                    None => drop(self.next.insert(wish.into(), number)),
                }
                return name;
            }
        }
    }
}
