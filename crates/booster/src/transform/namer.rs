//! New variables of a derivative unit: names that nothing in sight has.
//!
//! Lives here: which names are taken. Never here: what the variables are for.

use super::names::Everywhere;
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
    /// Names that nobody may have, besides.
    used: FxHashSet<SmolStr>,
    /// For each wish, folded, the least number that it has not been tried with; 0 for the wish itself. What it was tried with is taken: long code gets hundreds
    /// of thousands of names, which need no list of their own.
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

    /// Adds a variable like that one, under another name: the wish, with a number if that is taken.
    pub fn add_like(&mut self, program: &mut Program, wish: &str, like: Symbol) -> SymbolId {
        let name = self.free(wish);
        program.add_symbol(Symbol { id: name.clone(), name, scope: self.scope, ..like })
    }

    /// A name that nobody has, taken: the wish, with a number if that is taken.
    pub fn free(&mut self, wish: &str) -> SmolStr {
        let folded = self.key(wish);
        let mut number = self.next.get(&folded).copied().unwrap_or(0);
        loop {
            let name = if number == 0 { wish.into() } else { format_smolstr!("{wish}{number}") };
            number += 1;
            let key = self.key(&name);
            if !self.everywhere.has(&self.around, &key) && !self.used.contains(&key) && !self.given(&key) {
                self.next.insert(folded, number);
                return name;
            }
        }
    }

    /// Whether a folded name was tried already: it is a wish with a number, for one of the ways to take the two apart.
    fn given(&self, key: &str) -> bool {
        let digits = key.bytes().rev().take_while(u8::is_ascii_digit).count();
        (key.len() - digits..=key.len()).any(|at| {
            let (wish, number) = key.split_at(at);
            let plain = !number.starts_with('0');
            let number = if number.is_empty() { Some(0) } else { number.parse::<u32>().ok() };
            plain && number.is_some_and(|n| self.next.get(wish).is_some_and(|&next| n < next))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::Scope;

    #[test]
    fn no_name_is_given_twice_however_it_is_put_together() {
        let mut p = Program { case_insensitive: true, ..Program::default() };
        let file = p.add_scope(Scope::default());
        let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
        p.add_symbol(Symbol::variable("C3", ElemType::REAL64, scope));
        let everywhere = Everywhere::of(&p);
        let mut namer = Namer::new(&p, scope, &everywhere);
        namer.take("c5");
        let mut given = |wish: &str| namer.free(wish).to_lowercase();
        let names: Vec<String> = ["c", "c", "C", "c", "c1", "c1", "c12", "c", "c01", "c0", "c0"].map(&mut given).into();
        assert_eq!(names, ["c", "c1", "c2", "c4", "c11", "c12", "c121", "c6", "c01", "c0", "c02"]);
        let many: FxHashSet<String> = (0..200).flat_map(|_| ["c", "c1", "c2"]).map(given).collect();
        assert_eq!(many.len(), 600);
    }
}
