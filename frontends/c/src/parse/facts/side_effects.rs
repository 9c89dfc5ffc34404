//! What is known of functions from each other: which parameters are arrays, which globals a call touches.
//!
//! Lives here: fixed points over the call graph. Never here: translation.

use super::function::{Facts, Kind};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

/// A function of the program: its name, and its file where it is `static`.
pub(crate) type FunctionKey = (SmolStr, Option<usize>);

/// What a call may do to variables at file scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    pub reads: FxHashSet<SmolStr>,
    pub writes: FxHashSet<SmolStr>,
    /// Those that it does not only count in: of the others, the order of calls makes no difference.
    pub told: FxHashSet<SmolStr>,
    /// Calls something whose text is not here.
    pub unknown: bool,
}

/// All functions.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    arrays: FxHashMap<FunctionKey, Vec<bool>>,
    /// Parameters that are indexed, here or in functions that they are handed on to.
    indexed: FxHashMap<FunctionKey, Vec<bool>>,
    touched: FxHashMap<FunctionKey, Touched>,
    stores: FxHashMap<FunctionKey, Vec<bool>>,
    absent: FxHashMap<FunctionKey, Vec<bool>>,
    /// The arguments for which some call passes null.
    null_passed: FxHashSet<(SmolStr, usize)>,
    /// Parameters whose targets nothing in the function looks at: how many elements callers have there, nobody says.
    idle: FxHashMap<FunctionKey, Vec<bool>>,
    /// What each function calls by name.
    callees: FxHashMap<FunctionKey, Vec<SmolStr>>,
}

/// A function with what is needed of it.
pub(crate) struct Described<'a> {
    pub key: FunctionKey,
    pub file: usize,
    pub facts: &'a Facts,
    /// For each parameter: declared with brackets.
    pub declared_arrays: Vec<bool>,
}

fn resolve<'m, T>(map: &'m FxHashMap<FunctionKey, T>, name: &str, file: usize) -> Option<&'m T> {
    map.get(&(name.into(), Some(file))).or_else(|| map.get(&(name.into(), None)))
}

impl Effects {
    /// Solves for all functions of a program. `library` says which names are known to leave the program's variables alone.
    pub fn new(functions: &[Described], library: &dyn Fn(&str) -> bool) -> Effects {
        let mut e = Effects::default();
        // For each function the globals whose addresses it hands on, and to which parameter of which function.
        let mut globals: Vec<(usize, SmolStr, SmolStr, usize)> = Vec::new();
        for (k, f) in functions.iter().enumerate() {
            let mut arrays = f.declared_arrays.clone();
            let mut touched = Touched::default();
            for v in &f.facts.vars {
                if let Some(slot) = v.parameter.and_then(|p| arrays.get_mut(p)) {
                    *slot |= v.arrayish;
                }
            }
            for event in f.facts.all() {
                if event.kind == Kind::Call {
                    continue;
                }
                let v = &f.facts.vars[event.var];
                if v.global {
                    touched.reads.insert(v.name.clone());
                    if !f.facts.only_counts(event) {
                        touched.told.insert(v.name.clone());
                    }
                    match (&event.kind, event.call) {
                        (Kind::Read | Kind::Load, _) => {}
                        // The called function may only read it.
                        (Kind::Address | Kind::Handed, Some((call, position))) => {
                            globals.push((k, v.name.clone(), f.facts.callees[call].clone(), position));
                        }
                        _ => drop(touched.writes.insert(v.name.clone())),
                    }
                }
            }
            let mut stores = vec![false; arrays.len()];
            for p in f.facts.stored_parameters() {
                if let Some(slot) = stores.get_mut(p) {
                    *slot = true;
                }
            }
            let mut indexed = f.declared_arrays.clone();
            for p in f.facts.indexed_parameters() {
                if let Some(slot) = indexed.get_mut(p) {
                    *slot = true;
                }
            }
            e.indexed.insert(f.key.clone(), indexed);
            let mut absent = vec![false; arrays.len()];
            for p in f.facts.tested_parameters() {
                if let Some(slot) = absent.get_mut(p) {
                    *slot = true;
                }
            }
            let mut idle = vec![false; arrays.len()];
            for p in f.facts.idle_parameters() {
                if let Some(slot) = idle.get_mut(p) {
                    *slot = true;
                }
            }
            e.idle.insert(f.key.clone(), idle);
            e.null_passed.extend(f.facts.null_passed.iter().cloned());
            e.callees.insert(f.key.clone(), f.facts.callees.clone());
            e.absent.insert(f.key.clone(), absent);
            e.stores.insert(f.key.clone(), stores);
            e.arrays.insert(f.key.clone(), arrays);
            e.touched.insert(f.key.clone(), touched);
        }
        let handed: Vec<_> = functions.iter().map(|f| f.facts.handed_parameters()).collect();
        e.solve_absent(functions, &handed);
        loop {
            let mut changed = false;
            for (k, name, callee, position) in &globals {
                let f = &functions[*k];
                if e.stores(callee, f.file, *position).unwrap_or(true)
                    && let Some(touched) = e.touched.get_mut(&f.key)
                {
                    changed |= touched.writes.insert(name.clone());
                }
            }
            for (f, handed) in functions.iter().zip(&handed) {
                for (p, callee, position) in handed {
                    let may_store = e.stores(callee, f.file, *position).unwrap_or(true);
                    if may_store && let Some(slot) = e.stores.get_mut(&f.key).and_then(|l| l.get_mut(*p)) {
                        changed |= !*slot;
                        *slot = true;
                    }
                }
                for (p, callee, position) in f.facts.passed_on() {
                    let indexed = e.is_indexed(&callee, f.file, position);
                    if let Some(slot) = e.indexed.get_mut(&f.key).and_then(|l| l.get_mut(p)).filter(|_| indexed) {
                        changed |= !*slot;
                        *slot = true;
                    }
                }
                let mut arrays = e.arrays[&f.key].clone();
                for v in &f.facts.vars {
                    let Some(p) = v.parameter.filter(|_| v.memory) else { continue };
                    for (callee, position) in &v.handed {
                        let is_array = match resolve(&e.arrays, callee, f.file) {
                            Some(list) => list.get(*position).copied().unwrap_or(true),
                            None => true,
                        };
                        if let Some(slot) = arrays.get_mut(p) {
                            changed |= is_array && !*slot;
                            *slot |= is_array;
                        }
                    }
                }
                e.arrays.insert(f.key.clone(), arrays);
                let mut touched = e.touched[&f.key].clone();
                let before = (touched.reads.len(), touched.writes.len(), touched.told.len(), touched.unknown);
                for callee in &f.facts.callees {
                    match resolve(&e.touched, callee, f.file) {
                        Some(t) => {
                            touched.reads.extend(t.reads.iter().cloned());
                            touched.writes.extend(t.writes.iter().cloned());
                            touched.told.extend(t.told.iter().cloned());
                            touched.unknown |= t.unknown;
                        }
                        None => touched.unknown |= !library(callee),
                    }
                }
                changed |= before != (touched.reads.len(), touched.writes.len(), touched.told.len(), touched.unknown);
                e.touched.insert(f.key.clone(), touched);
            }
            if !changed {
                return e;
            }
        }
    }

    /// Parameters that may be null: those that are tested, those that some call passes null for, and all that these are handed on to or come from.
    fn solve_absent(&mut self, functions: &[Described], handed: &[Vec<(usize, SmolStr, usize)>]) {
        let key = |name: &SmolStr, file: usize, absent: &FxHashMap<FunctionKey, Vec<bool>>| {
            [(name.clone(), Some(file)), (name.clone(), None)].into_iter().find(|k| absent.contains_key(k))
        };
        let mark = |absent: &mut FxHashMap<FunctionKey, Vec<bool>>, key: &FunctionKey, position: usize| {
            let slot = absent.get_mut(key).and_then(|l| l.get_mut(position)).filter(|slot| !**slot);
            slot.map(|slot| *slot = true).is_some()
        };
        for f in functions {
            for (callee, position) in f.facts.null_arguments() {
                if let Some(k) = key(&callee, f.file, &self.absent) {
                    mark(&mut self.absent, &k, position);
                }
            }
        }
        loop {
            let mut changed = false;
            for (f, handed) in functions.iter().zip(handed) {
                for (p, callee, position) in handed {
                    let Some(k) = key(callee, f.file, &self.absent) else { continue };
                    let there = self.absent[&k].get(*position).copied().unwrap_or(false);
                    let here = self.absent[&f.key].get(*p).copied().unwrap_or(false);
                    changed |= (there && mark(&mut self.absent, &f.key, *p)) | (here && mark(&mut self.absent, &k, *position));
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether what is passed for a parameter may be null.
    pub fn may_be_absent(&self, name: &str, file: usize, position: usize) -> bool {
        resolve(&self.absent, name, file).is_some_and(|l| l.get(position).copied().unwrap_or(false))
    }

    /// Whether some call of a function of that name passes null for this parameter.
    pub fn gets_null(&self, name: &str, position: usize) -> bool {
        self.null_passed.contains(&(name.into(), position))
    }

    /// Whether a parameter of a function is used as an array; `None` for a function that is not here.
    pub fn is_array(&self, name: &str, file: usize, position: usize) -> Option<bool> {
        resolve(&self.arrays, name, file).map(|l| l.get(position).copied().unwrap_or(true))
    }

    /// Whether a parameter of a function stands for several structures, one behind the other.
    pub fn is_indexed(&self, name: &str, file: usize, position: usize) -> bool {
        resolve(&self.indexed, name, file).is_some_and(|l| l.get(position).copied().unwrap_or(false))
    }

    /// Whether nothing looks at what a parameter of a function points to.
    pub fn is_idle(&self, name: &str, file: usize, position: usize) -> bool {
        resolve(&self.idle, name, file).is_some_and(|l| l.get(position).copied().unwrap_or(false))
    }

    /// Whether a call may set what this argument points to; `None` for a function that is not here.
    pub fn stores(&self, name: &str, file: usize, position: usize) -> Option<bool> {
        resolve(&self.stores, name, file).map(|l| l.get(position).copied().unwrap_or(true))
    }

    /// Whether a call may lead to a function: of what is not here, only the library is known not to call back.
    pub fn leads_to(&self, callee: &str, file: usize, function: &str, library: &dyn Fn(&str) -> bool) -> bool {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut open: Vec<&str> = vec![callee];
        while let Some(name) = open.pop() {
            if name == function {
                return true;
            }
            match resolve(&self.callees, name, file) {
                _ if !seen.insert(name) => {}
                Some(list) => open.extend(list.iter().map(SmolStr::as_str)),
                None if library(name) => {}
                None => return true,
            }
        }
        false
    }

    /// What a call touches; `None` for a function that is not here.
    pub fn touched(&self, name: &str, file: usize) -> Option<&Touched> {
        resolve(&self.touched, name, file)
    }
}
