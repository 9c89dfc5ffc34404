//! Names of what the booster adds.
//!
//! Tangent of `f` is `f_d`, of `x` is `xd`; adjoint `f_b`, `xb`; the suffixes can be set. Where the user has the name
//! already, digits are appended until it is free. For several directions at once units are `f_dv` and `f_bv`. Never here: symbols, scopes.

use super::request::Suffixes;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use std::sync::{Arc, PoisonError, RwLock};
use xaif::Program;
use xaif::model::{Mode, ScopeId, SymbolId};

/// The suffixes in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    suffixes: Suffixes,
}

/// Words that a suffix could complete and that mean something in some language, so that no variable may be called so.
const RESERVED: [&str; 6] = ["void", "and", "mod", "fmod", "round", "nd"];

impl Names {
    /// The suffixes asked for, the usual ones where nothing was.
    pub fn of(suffixes: &Suffixes, vector: bool) -> Names {
        let or = |s: &str, d: &str| if s.is_empty() { d.to_owned() } else { s.to_owned() };
        Names {
            suffixes: Suffixes {
                tangent_unit: or(&suffixes.tangent_unit, if vector { "_dv" } else { "_d" }),
                adjoint_unit: or(&suffixes.adjoint_unit, if vector { "_bv" } else { "_b" }),
                tangent_variable: or(&suffixes.tangent_variable, "d"),
                adjoint_variable: or(&suffixes.adjoint_variable, "b"),
            },
        }
    }

    /// Suffix of units.
    pub fn unit_suffix(&self, mode: Mode) -> &str {
        match mode {
            Mode::Tangent => &self.suffixes.tangent_unit,
            Mode::Adjoint => &self.suffixes.adjoint_unit,
            Mode::Forward => "_fwd",
            Mode::Reverse => "_bwd",
        }
    }

    /// Suffix of variables.
    pub fn variable_suffix(&self, mode: Mode) -> &str {
        if mode == Mode::Tangent { &self.suffixes.tangent_variable } else { &self.suffixes.adjoint_variable }
    }
}

/// In the place of a scope: all there are.
const ALL: ScopeId = ScopeId(u32::MAX);

/// The names that a scope declares, and how many of its symbols are in here already.
type Declared = (FxHashSet<String>, usize);

/// Names that are taken everywhere: those of file scope and of units, old and new.
#[derive(Clone, Debug, Default)]
pub struct Everywhere {
    names: Arc<RwLock<FxHashSet<String>>>,
    /// What scopes declare that others look into.
    around: Arc<RwLock<FxHashMap<ScopeId, Declared>>>,
}

/// Names that are not free in some place.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    everywhere: Everywhere,
    names: FxHashSet<String>,
    /// The scopes in sight, whose names are with `everywhere`.
    around: Vec<ScopeId>,
    case_insensitive: bool,
    /// The number after the last one that a wish got: names are only ever added.
    next: FxHashMap<SmolStr, u32>,
}

fn folded(case_insensitive: bool, name: &str) -> String {
    if case_insensitive { name.to_lowercase() } else { name.to_owned() }
}

impl Everywhere {
    /// The names of file scope and of units, and the words of which the source spells types.
    pub fn of(program: &Program) -> Everywhere {
        let e = Everywhere::default();
        let symbols = program.scopes.first().map(|s| s.symbols.as_slice()).unwrap_or_default();
        for &s in symbols.iter().chain(program.units.iter().map(|u| &u.symbol)) {
            e.add(program, &program.symbol(s).name);
            e.add(program, &program.symbol(s).id);
        }
        let spelled: FxHashSet<&str> = program.symbols.iter().filter_map(|s| Some(s.decl.as_ref()?.type_text.as_str())).collect();
        for word in spelled.into_iter().flat_map(|t| t.split(|c: char| !c.is_alphanumeric() && c != '_')).filter(|w| !w.is_empty()) {
            e.add(program, word);
        }
        e
    }

    /// Takes one more.
    pub fn add(&self, program: &Program, name: &str) {
        self.names.write().unwrap_or_else(PoisonError::into_inner).insert(folded(program.case_insensitive, name));
    }

    /// Takes what a scope declares, so far. Symbols are only ever added.
    pub(super) fn scope(&self, program: &Program, scope: ScopeId) {
        let symbols = &program.scope(scope).symbols;
        self.declared(program, scope, symbols.len(), |k| symbols[k]);
    }

    fn declared(&self, program: &Program, scope: ScopeId, count: usize, symbol: impl Fn(usize) -> SymbolId) {
        let mut around = self.around.write().unwrap_or_else(PoisonError::into_inner);
        let (names, done) = around.entry(scope).or_default();
        for s in (*done..count).map(symbol) {
            let symbol = program.symbol(s);
            names.insert(folded(program.case_insensitive, &symbol.name));
            if symbol.id != symbol.name {
                names.insert(folded(program.case_insensitive, &symbol.id));
            }
        }
        *done = count;
    }

    /// Whether a name, folded, is taken everywhere or in one of these scopes.
    pub(super) fn has(&self, scopes: &[ScopeId], name: &str) -> bool {
        let around = self.around.read().unwrap_or_else(PoisonError::into_inner);
        self.names.read().unwrap_or_else(PoisonError::into_inner).contains(name)
            || scopes.iter().any(|s| around.get(s).is_some_and(|(names, _)| names.contains(name)))
    }
}

impl Taken {
    /// What is visible from a scope, and what is taken everywhere.
    pub fn visible_from(program: &Program, everywhere: &Everywhere, scope: ScopeId) -> Taken {
        let mut taken = Taken {
            everywhere: everywhere.clone(),
            names: FxHashSet::default(),
            around: Vec::new(),
            case_insensitive: program.case_insensitive,
            next: FxHashMap::default(),
        };
        let mut at = Some(scope);
        for _ in 0..=program.scopes.len() {
            let Some(s) = at.filter(|&s| s != ScopeId(0)) else { break };
            everywhere.scope(program, s);
            taken.around.push(s);
            at = program.scope(s).parent;
        }
        taken
    }

    /// Everything that any scope declares.
    pub fn anywhere(program: &Program, everywhere: &Everywhere) -> Taken {
        everywhere.declared(program, ALL, program.symbols.len(), |k| SymbolId(k as u32));
        Taken { everywhere: everywhere.clone(), around: vec![ALL], case_insensitive: program.case_insensitive, ..Taken::default() }
    }

    /// Everything a scope declares.
    pub fn scope(&mut self, program: &Program, scope: ScopeId) {
        for &s in &program.scope(scope).symbols {
            self.symbol(program, s);
        }
    }

    /// A symbol's name and id.
    pub fn symbol(&mut self, program: &Program, symbol: SymbolId) {
        let symbol = program.symbol(symbol);
        self.add(&symbol.name);
        if symbol.id != symbol.name {
            self.add(&symbol.id);
        }
    }

    /// A name.
    pub fn add(&mut self, name: &str) {
        self.names.insert(folded(self.case_insensitive, name));
    }

    /// True if nobody has it.
    pub fn is_free(&self, name: &str) -> bool {
        let folded = folded(self.case_insensitive, name);
        !self.names.contains(&folded) && !self.everywhere.has(&self.around, &folded) && !RESERVED.contains(&folded.as_str())
    }

    /// The wish itself, or the wish with the first number that makes it free; from now on it is taken.
    pub fn fresh(&mut self, wish: &str) -> SmolStr {
        // What comes of a component is no component.
        let plain = wish.replace('%', "_");
        let wish = plain.as_str();
        let mut name = SmolStr::from(wish);
        let mut i = self.next.get(wish).copied().unwrap_or(0);
        while !self.is_free(&name) {
            name = format_smolstr!("{wish}{i}");
            i += 1;
        }
        if i > 0 {
            self.next.insert(wish.into(), i);
        }
        self.add(&name);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clashes_get_a_longer_suffix_whatever_the_case() {
        let mut t = Taken { case_insensitive: true, ..Taken::default() };
        t.add("XD");
        assert_eq!(t.fresh("xd"), "xd0");
        assert_eq!(t.fresh("xd"), "xd1");
        assert_eq!(t.fresh("void"), "void0");
        let mut c = Taken::default();
        c.add("XD");
        assert_eq!(c.fresh("xd"), "xd");
    }
}
