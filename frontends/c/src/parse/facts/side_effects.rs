//! What is known of functions from each other: which parameters are arrays, which globals a call touches.
//!
//! Lives here: fixed points over the call graph. Never here: translation.

use super::function::{Facts, Kind};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use std::borrow::Cow;

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
    /// The file of each function, and the variables that each file keeps to itself.
    files: FxHashMap<FunctionKey, usize>,
    private: Vec<FxHashSet<SmolStr>>,
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
    /// What each file keeps to itself and sets before each use, in one expression.
    scratch: Vec<FxHashSet<SmolStr>>,
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

/// A global whose address a function hands on, and to which parameter of which function.
struct HandedGlobal<'f> {
    by: &'f Described<'f>,
    name: SmolStr,
    callee: &'f str,
    position: usize,
}

/// A list with some of its places set.
fn marked(mut list: Vec<bool>, places: impl IntoIterator<Item = usize>) -> Vec<bool> {
    for p in places {
        if let Some(slot) = list.get_mut(p) {
            *slot = true;
        }
    }
    list
}

/// The globals that a function touches by itself; those that it hands on are noted, as the called function may only read them.
fn touched_at_once<'f>(f: &'f Described, globals: &mut Vec<HandedGlobal<'f>>) -> Touched {
    let mut touched = Touched::default();
    for event in f.facts.all().iter().filter(|e| e.kind != Kind::Call) {
        let v = &f.facts.vars[event.var];
        if !v.global {
            continue;
        }
        touched.reads.insert(v.name.clone());
        if !f.facts.only_counts(event) {
            touched.told.insert(v.name.clone());
        }
        match (&event.kind, event.call) {
            (Kind::Read | Kind::Load, _) => {}
            (Kind::Address | Kind::Handed, Some((call, position))) => {
                globals.push(HandedGlobal { by: f, name: v.name.clone(), callee: &f.facts.callees[call], position });
            }
            _ => drop(touched.writes.insert(v.name.clone())),
        }
    }
    touched
}

fn resolve<'m, T>(map: &'m FxHashMap<FunctionKey, T>, name: &str, file: usize) -> Option<&'m T> {
    map.get(&(name.into(), Some(file))).or_else(|| map.get(&(name.into(), None)))
}

impl Effects {
    /// Solves for all functions of a program. `private` has the variables that each file keeps to itself, `library` says which names are known to leave the
    /// program's variables alone.
    pub fn new(functions: &[Described], private: Vec<FxHashSet<SmolStr>>, library: &dyn Fn(&str) -> bool) -> Effects {
        let mut e = Effects { private, ..Effects::default() };
        let mut globals = Vec::new();
        for f in functions {
            e.enter(f, &mut globals);
        }
        let handed: Vec<_> = functions.iter().map(|f| f.facts.handed_parameters()).collect();
        e.solve_absent(functions, &handed);
        loop {
            let mut changed = e.stored_globals(&globals);
            for (f, handed) in functions.iter().zip(&handed) {
                changed |= e.stored_parameters(f, handed);
                changed |= e.handed_arrays(f);
                changed |= e.touched_by_callees(f, library);
            }
            if !changed {
                return e;
            }
        }
    }

    /// What a function does by itself.
    fn enter<'f>(&mut self, f: &'f Described, globals: &mut Vec<HandedGlobal<'f>>) {
        let mut arrays = f.declared_arrays.clone();
        for v in &f.facts.vars {
            if let Some(slot) = v.parameter.and_then(|p| arrays.get_mut(p)) {
                *slot |= v.arrayish;
            }
        }
        let touched = touched_at_once(f, globals);
        let none = vec![false; arrays.len()];
        self.indexed.insert(f.key.clone(), marked(f.declared_arrays.clone(), f.facts.indexed_parameters()));
        self.idle.insert(f.key.clone(), marked(none.clone(), f.facts.idle_parameters()));
        self.null_passed.extend(f.facts.null_passed.iter().cloned());
        self.callees.insert(f.key.clone(), f.facts.callees.clone());
        self.null_passed.extend(f.facts.null_passed.iter().cloned());
        self.absent.insert(f.key.clone(), marked(none.clone(), f.facts.tested_parameters()));
        self.stores.insert(f.key.clone(), marked(none, f.facts.stored_parameters()));
        self.arrays.insert(f.key.clone(), arrays);
        self.touched.insert(f.key.clone(), touched);
        self.files.insert(f.key.clone(), f.file);
    }

    /// Globals that functions store to which get their addresses; whether there is more to know than before.
    fn stored_globals(&mut self, globals: &[HandedGlobal]) -> bool {
        let mut changed = false;
        for g in globals {
            if self.stores(g.callee, g.by.file, g.position).unwrap_or(true)
                && let Some(touched) = self.touched.get_mut(&g.by.key)
            {
                changed |= touched.writes.insert(g.name.clone());
            }
        }
        changed
    }

    /// Parameters that called functions store to or index.
    fn stored_parameters(&mut self, f: &Described, handed: &[(usize, SmolStr, usize)]) -> bool {
        let mut changed = false;
        for (p, callee, position) in handed {
            let may_store = self.stores(callee, f.file, *position).unwrap_or(true);
            if may_store && let Some(slot) = self.stores.get_mut(&f.key).and_then(|l| l.get_mut(*p)) {
                changed |= !*slot;
                *slot = true;
            }
        }
        for (p, callee, position) in f.facts.passed_on() {
            let indexed = self.is_indexed(&callee, f.file, position);
            if let Some(slot) = self.indexed.get_mut(&f.key).and_then(|l| l.get_mut(p)).filter(|_| indexed) {
                changed |= !*slot;
                *slot = true;
            }
        }
        changed
    }

    /// Parameters that are arrays in called functions.
    fn handed_arrays(&mut self, f: &Described) -> bool {
        let mut changed = false;
        let mut arrays = self.arrays[&f.key].clone();
        for v in &f.facts.vars {
            let Some(p) = v.parameter.filter(|_| v.memory) else { continue };
            for (callee, position) in &v.handed {
                let is_array = match resolve(&self.arrays, callee, f.file) {
                    Some(list) => list.get(*position).copied().unwrap_or(true),
                    None => true,
                };
                if let Some(slot) = arrays.get_mut(p) {
                    changed |= is_array && !*slot;
                    *slot |= is_array;
                }
            }
        }
        self.arrays.insert(f.key.clone(), arrays);
        changed
    }

    /// What a name of a file is in another one: what a file keeps to itself has its number before it there.
    fn seen_from(&self, file: usize, name: &SmolStr, of: usize) -> SmolStr {
        if of == file {
            return name.clone();
        }
        match name.split_once(':') {
            Some((home, own)) if home.parse() == Ok(file) => own.into(),
            None if self.private.get(of).is_some_and(|list| list.contains(name)) => format_smolstr!("{of}:{name}"),
            _ => name.clone(),
        }
    }

    /// What called functions touch.
    fn touched_by_callees(&mut self, f: &Described, library: &dyn Fn(&str) -> bool) -> bool {
        let mut touched = self.touched[&f.key].clone();
        let size = |t: &Touched| (t.reads.len(), t.writes.len(), t.told.len(), t.unknown);
        let before = size(&touched);
        for callee in &f.facts.callees {
            match resolve(&self.touched, callee, f.file) {
                Some(t) => {
                    let of = resolve(&self.files, callee, f.file).copied().unwrap_or(f.file);
                    let seen = |n: &SmolStr| self.seen_from(f.file, n, of);
                    touched.reads.extend(t.reads.iter().map(seen));
                    touched.writes.extend(t.writes.iter().map(seen));
                    touched.told.extend(t.told.iter().map(seen));
                    touched.unknown |= t.unknown;
                }
                None => touched.unknown |= !library(callee),
            }
        }
        let changed = before != size(&touched);
        self.touched.insert(f.key.clone(), touched);
        changed
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

    /// The same with the scratch variables of each file.
    pub fn with_scratch(self, scratch: Vec<FxHashSet<SmolStr>>) -> Effects {
        Effects { scratch, ..self }
    }

    /// Whether nobody sees what a call leaves in a variable, as a file names it.
    pub fn is_scratch(&self, file: usize, name: &str) -> bool {
        let (home, own) = name.split_once(':').map_or((file, name), |(home, own)| (home.parse().unwrap_or(file), own));
        self.scratch.get(home).is_some_and(|list| list.contains(own))
    }

    /// What a call touches, as a file sees it; `None` for a function that is not here.
    pub fn touched(&self, name: &str, file: usize) -> Option<Cow<'_, Touched>> {
        let touched = resolve(&self.touched, name, file)?;
        let of = resolve(&self.files, name, file).copied().unwrap_or(file);
        if of == file {
            return Some(Cow::Borrowed(touched));
        }
        let seen = |list: &FxHashSet<SmolStr>| list.iter().map(|n| self.seen_from(file, n, of)).collect();
        let (reads, writes, told) = (seen(&touched.reads), seen(&touched.writes), seen(&touched.told));
        Some(Cow::Owned(Touched { reads, writes, told, unknown: touched.unknown }))
    }
}
