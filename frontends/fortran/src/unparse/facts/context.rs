//! What is known of the whole program before anything is printed: who owns which scope, what every unit uses, which units are recursive
//! or impure.
//!
//! Lives here: the facts, and the refusals so far. Never here: how they are found (see `gather`), text beyond names.

use super::imports::{self, Use};
use super::uses::Uses;
use crate::unparse::nesting::exchanges::Exchanges;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use xaif::Diagnostic;
use xaif::model::{Program, ScopeId, Storage, SymbolId, UnitId};

/// The program and what is known of it.
pub struct Context<'p> {
    /// The program.
    pub program: &'p Program,
    /// It was not written in Fortran: spellings mean nothing here.
    pub foreign: bool,
    /// The last dimension varies fastest, so dimensions are printed in reverse.
    pub row: bool,
    /// Everything is printed as procedures of one module: the program has variables at file scope, or comes from another language.
    pub wrapped: bool,
    /// Only derivative procedures are written.
    pub no_primal: bool,
    /// What is printed stands in or beside the original text, which defines what the model does not hold.
    pub beside_text: bool,
    /// Names of what stands at file scope and in modules.
    pub outer_names: FxHashMap<SymbolId, String>,
    pub(super) owner: FxHashMap<ScopeId, UnitId>,
    pub(super) uses: Vec<Uses>,
    pub(super) exchanges: Vec<Exchanges>,
    pub(super) ordered: Vec<Vec<SymbolId>>,
    pub(super) recursive: Vec<bool>,
    pub(super) impure: Vec<bool>,
    /// The procedures that derivative units get from their callers; empty where the program has none.
    pub(super) open: Vec<Vec<SymbolId>>,
    pub(super) problems: RefCell<Vec<Diagnostic>>,
}

impl<'p> Context<'p> {
    /// The procedure of the text of which a unit is a version for what is passed to it.
    pub fn version_of(&self, s: SymbolId) -> Option<String> {
        let attributes = &self.program.symbol(s).decl.as_ref()?.attributes;
        let original = attributes.iter().find_map(|a| a.strip_prefix("version:"))?;
        // A derivative unit has copies of the internal procedures that it calls, versions among them.
        let derived = |u: UnitId| self.program.unit(u).derivation.is_some();
        let derivative = self.program.unit_of_symbol(s).is_some_and(|u| derived(u) || self.host(u).is_some_and(derived));
        (self.beside_text && !self.foreign && !derivative).then(|| original.to_owned())
    }

    /// A constant of an intrinsic module that a USE in force brings in by that name.
    pub fn is_brought_in(&self, unit: UnitId, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        *symbol.storage() == Storage::Constant
            && symbol.has_attribute("intrinsic")
            && self.uses_in_force(unit).iter().any(|u| {
                u.module.starts_with("iso_") && (!u.only || u.names.iter().any(|(local, _)| symbol.name.eq_ignore_ascii_case(local)))
            })
    }

    /// The variable that a symbol is a component of, and the path to it.
    pub fn component(&self, s: SymbolId) -> Option<(SymbolId, &'p str)> {
        let symbol = self.program.symbol(s);
        let (base, path) = symbol.name.split_once('%')?;
        let table = &self.program.scopes.get(symbol.scope.index())?.symbols;
        let base = table.iter().copied().find(|b| self.program.symbol(*b).name.eq_ignore_ascii_case(base))?;
        Some((base, path))
    }

    /// What the text passes to it besides: place, dummy and procedure.
    pub fn passed_to(&self, s: SymbolId) -> Vec<(usize, &'p str, &'p str)> {
        if self.version_of(s).is_none() {
            return Vec::new();
        }
        let attributes = self.program.symbol(s).decl.iter().flat_map(|d| &d.attributes);
        attributes
            .filter_map(|a| {
                let (place, rest) = a.strip_prefix("passes:")?.split_once(':')?;
                let (dummy, procedure) = rest.split_once('=')?;
                Some((place.parse().ok()?, dummy, procedure))
            })
            .collect()
    }

    /// The procedures that a derivative unit gets from its callers (see [`xaif::open`]): its first arguments.
    pub fn open_procedures(&self, unit: UnitId) -> &[SymbolId] {
        let derived = self.program.unit(unit).derivation.is_some() && !self.is_open(unit);
        self.open.get(unit.index()).filter(|_| derived).map_or(&[], Vec::as_slice)
    }

    /// The unit stands for such a procedure: it is never printed.
    pub fn is_open(&self, unit: UnitId) -> bool {
        xaif::open::is_open(self.program.symbol(self.program.unit(unit).symbol))
    }

    /// The symbols of these procedures.
    pub fn procedures_passed_to(&self, s: SymbolId) -> Vec<SymbolId> {
        let scope = self.program.symbol(s).scope;
        self.passed_to(s).into_iter().filter_map(|(_, _, p)| self.program.lookup(scope, p)).collect()
    }

    /// Records a refusal.
    pub fn refuse(&self, problem: Diagnostic) {
        let mut problems = self.problems.borrow_mut();
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    /// All refusals.
    pub fn into_problems(self) -> Vec<Diagnostic> {
        self.problems.into_inner()
    }

    /// How many refusals there are so far.
    pub fn problem_count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// Takes back the refusals behind the first `count`: what was tried is written in another way.
    pub fn forgive(&self, count: usize) {
        self.problems.borrow_mut().truncate(count);
    }

    /// The symbols that a unit uses, in the order of declaration.
    pub fn symbols(&self, unit: UnitId) -> &[SymbolId] {
        &self.ordered[unit.index()]
    }

    /// What a unit uses.
    pub fn uses(&self, unit: UnitId) -> &Uses {
        &self.uses[unit.index()]
    }

    /// The loops of a unit that exchange arrays.
    pub fn exchanges(&self, unit: UnitId) -> &Exchanges {
        &self.exchanges[unit.index()]
    }

    /// The unit calls itself, perhaps through others.
    pub fn is_recursive(&self, unit: UnitId) -> bool {
        self.recursive[unit.index()]
    }

    /// The unit may not be declared PURE, whatever the original was.
    pub fn is_impure(&self, unit: UnitId) -> bool {
        self.impure[unit.index()]
    }

    /// The scopes that enclose a scope, itself first.
    pub fn chain(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        let mut at = Some(scope);
        let mut left = self.program.scopes.len() + 1;
        std::iter::from_fn(move || {
            let s = at.filter(|s| s.index() < self.program.scopes.len())?;
            left = left.checked_sub(1)?;
            at = self.program.scope(s).parent;
            Some(s)
        })
    }

    /// The unit whose own scope this is.
    pub fn owner_of(&self, scope: ScopeId) -> Option<UnitId> {
        self.owner.get(&scope).copied()
    }

    /// The unit in which a unit stands (its host procedure or its module).
    pub fn parent(&self, unit: UnitId) -> Option<UnitId> {
        let parent = self.program.scope(self.program.unit(unit).scope).parent?;
        self.owner_of(parent).filter(|&p| p != unit)
    }

    /// The host of an internal procedure.
    pub fn host(&self, unit: UnitId) -> Option<UnitId> {
        self.parent(unit).filter(|&p| !self.program.unit(p).is_container())
    }

    /// The module in which a unit stands, directly or through its host.
    pub fn module(&self, unit: UnitId) -> Option<UnitId> {
        self.chain(self.program.unit(unit).scope).skip(1).filter_map(|s| self.owner_of(s)).find(|&u| self.program.unit(u).is_container())
    }

    /// True where the unit itself declares the symbol: it is its own, or belongs to the unit that it was derived from (a named
    /// constant, a COMMON variable).
    pub fn is_local(&self, unit: UnitId, symbol: SymbolId) -> bool {
        let scope = self.program.symbol(symbol).scope;
        let own = self.program.unit(unit).scope;
        if scope == own {
            return true;
        }
        if scope == ScopeId(0) || self.chain(own).any(|s| s == scope) {
            return false;
        }
        self.owner_of(scope).is_none_or(|u| !self.program.unit(u).is_container())
    }

    /// The import lines of a unit: its own, or those of the unit that it was derived from.
    pub fn import_lines(&self, unit: UnitId) -> &'p [String] {
        let u = self.program.unit(unit);
        match u.derivation {
            Some(d) if u.imports.is_empty() && d.of.index() < self.program.units.len() => &self.program.unit(d.of).imports,
            _ => &u.imports,
        }
    }

    /// The USE statements that hold in a unit: its own and those of what it stands in.
    pub fn uses_in_force(&self, unit: UnitId) -> Vec<Use> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut at = Some(unit);
        while let Some(u) = at {
            if !seen.insert(u) {
                break;
            }
            found.extend(self.import_lines(u).iter().filter_map(|l| imports::parse_use(l)));
            at = self.parent(u);
        }
        found
    }

    /// The module whose entity the symbol is.
    pub fn module_of_symbol(&self, symbol: SymbolId) -> Option<UnitId> {
        self.owner_of(self.program.symbol(symbol).scope).filter(|&u| self.program.unit(u).is_container())
    }

    /// The symbol is visible in the unit because the unit stands inside the scope that declares it.
    pub fn is_enclosing(&self, unit: UnitId, symbol: SymbolId) -> bool {
        let scope = self.program.symbol(symbol).scope;
        self.chain(self.program.unit(unit).scope).skip(1).any(|s| s == scope)
    }

    /// The unit is a derivative or stands inside one.
    pub fn is_derivative(&self, unit: UnitId) -> bool {
        let mut at = Some(unit);
        for _ in 0..=self.program.units.len() {
            match at {
                Some(u) if self.program.unit(u).derivation.is_some() => return true,
                Some(u) => at = self.host(u),
                None => return false,
            }
        }
        false
    }
}
