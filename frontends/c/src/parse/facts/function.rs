//! What a function's text does with each name, before anything is translated.
//!
//! Lives here: every read, write and escape with its place, and what is therefore known of parameters, pointers and calls. Never here: how they are found (see `walk`).

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// What happens to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its own value is used (of a pointer: where it points to).
    Read,
    /// It is set.
    Write,
    /// An element, or what it points to, is used.
    Load,
    /// An element, or what it points to, is set.
    Store,
    /// Its address is taken.
    Address,
    /// It is handed to a call: what it points to may be read and written.
    Handed,
    /// A function is called; the variable is the index into [`Facts::callees`].
    Call,
}

/// Something that happens at a place.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub offset: usize,
    pub var: usize,
    pub kind: Kind,
    /// The call that it is an argument of (index into [`Facts::callees`]) and the position there.
    pub call: Option<(usize, usize)>,
}

/// Where a pointer's value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    Variable(usize),
    Null,
    Allocation,
    Other,
}

/// What a pointer is given: a variable, what this points to, or a member of it, wherever there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub variable: usize,
    /// The members on the way.
    pub members: Vec<SmolStr>,
}

/// A name of a function's text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variable {
    pub name: SmolStr,
    /// Position among the parameters.
    pub parameter: Option<usize>,
    /// Declared outside of the function.
    pub global: bool,
    /// Declared as pointer or array.
    pub memory: bool,
    /// How many times it can be indexed or dereferenced.
    pub(super) depth: usize,
    /// Used as an array: indexed, stepped, arithmetic, or given to another pointer.
    pub arrayish: bool,
    /// The same, other pointers apart.
    pub indexed: bool,
    /// Compared with null.
    pub tested: bool,
    /// Members of it, or of what it points to, are used.
    pub membered: bool,
    /// A pointer that is moved.
    pub stepped: bool,
    pub address: bool,
    /// Variables of which it is given the value, or a place in the same array, if it is a pointer; what comes out of structures does not count.
    pub alike: Vec<usize>,
    /// Values it was given, if it is a pointer.
    pub origins: Vec<Origin>,
    /// Where it gets a target, if it is a pointer; steps along an array do not count.
    pub given: Vec<usize>,
    /// What these targets are; `None` where the text does not tell.
    pub targets: Vec<Option<Target>>,
    /// It gets a target that is no whole array.
    pub offset: bool,
    /// Declared inside a loop.
    pub in_loop: bool,
    /// Handed on as it is: callee and position.
    pub handed: Vec<(SmolStr, usize)>,
}

impl Variable {
    /// It is used as an array.
    pub(super) fn index(&mut self) {
        (self.arrayish, self.indexed) = (true, true);
    }
}

/// An exchange by the variables of the facts.
#[derive(Clone, Debug)]
pub(crate) struct Swap {
    pub start: usize,
    pub between: usize,
    pub turn: Vec<usize>,
    /// Where each assignment has its target and its value, in order.
    pub places: Vec<(usize, usize)>,
    /// The pointers change their targets (see `pointer_choices`), not the arrays their contents.
    pub turning: bool,
}

/// All about one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub vars: Vec<Variable>,
    pub(super) by_declaration: FxHashMap<usize, usize>,
    pub(super) globals: FxHashMap<SmolStr, usize>,
    pub callees: Vec<SmolStr>,
    pub(super) events: Vec<Event>,
    /// Work arrays that exchange their contents.
    pub swaps: Vec<Swap>,
    /// Statements that only count (`n++;`), as bytes.
    pub(super) counting: Vec<(usize, usize)>,
    /// Where pointers are only compared: with null (true) or with another one.
    pub compared: FxHashMap<usize, bool>,
    /// There are labels that `goto` may name.
    pub labels: bool,
    /// Calls that pass null: the function and the position.
    pub(super) null_passed: Vec<(SmolStr, usize)>,
}

impl Facts {
    /// Adds an event; they are sorted in the end.
    pub fn note(&mut self, offset: usize, var: usize, kind: Kind) {
        self.events.push(Event { offset, var, kind, call: None });
    }

    /// Takes back what is said of the contents of these variables at this place.
    pub fn unnote(&mut self, offset: usize, vars: &[usize]) {
        self.events.retain(|e| e.offset != offset || !matches!(e.kind, Kind::Load | Kind::Store) || !vars.contains(&e.var));
    }

    /// The variable whose name is declared at this byte.
    pub fn declared_at(&self, offset: usize) -> Option<usize> {
        self.by_declaration.get(&offset).copied()
    }

    /// The variable of that name from outside the function.
    pub fn global(&self, name: &str) -> Option<usize> {
        self.globals.get(name).copied()
    }

    /// True where a variable is only stepped by a constant, in a statement of its own.
    pub fn only_counts(&self, e: &Event) -> bool {
        self.counting.iter().any(|&(from, to)| from <= e.offset && e.offset < to)
    }

    /// What happens between two bytes.
    pub fn events(&self, start: usize, end: usize) -> &[Event] {
        let from = self.events.partition_point(|e| e.offset < start);
        let to = self.events.partition_point(|e| e.offset < end);
        &self.events[from..to.max(from)]
    }

    /// All events.
    pub fn all(&self) -> &[Event] {
        &self.events
    }

    /// True where the variable's own value may change between two bytes.
    pub fn changes(&self, var: usize, start: usize, end: usize) -> bool {
        self.events(start, end).iter().any(|e| e.var == var && matches!(e.kind, Kind::Write | Kind::Address))
    }

    /// Parameters whose targets are set here, directly or through another pointer of the function.
    pub fn stored_parameters(&self) -> Vec<usize> {
        let mut stored: Vec<bool> = vec![false; self.vars.len()];
        for e in &self.events {
            if e.kind == Kind::Store {
                stored[e.var] = true;
            }
        }
        self.spread(stored)
    }

    /// Parameters whose own values are read at most, to be thrown away (`(void)p`).
    pub fn idle_parameters(&self) -> Vec<usize> {
        let mut used: Vec<bool> = vec![false; self.vars.len()];
        for e in self.events.iter().filter(|e| !matches!(e.kind, Kind::Read | Kind::Call)) {
            used[e.var] = true;
        }
        for o in self.vars.iter().flat_map(|v| &v.origins) {
            if let Origin::Variable(w) = o {
                used[*w] = true;
            }
        }
        self.vars.iter().zip(used).filter(|(_, used)| !used).filter_map(|(v, _)| v.parameter).collect()
    }

    /// Takes what holds of pointers over to the variables that they point into, and returns the parameters among these.
    fn spread(&self, mut of: Vec<bool>) -> Vec<usize> {
        self.close(&mut of);
        self.vars.iter().enumerate().filter(|(v, _)| of[*v]).filter_map(|(_, var)| var.parameter).collect()
    }

    /// Takes what holds of pointers over to the variables of which they have the value, and returns the parameters among these.
    fn spread_alike(&self, mut of: Vec<bool>) -> Vec<usize> {
        let mut todo: Vec<usize> = of.iter().enumerate().filter(|(_, of)| **of).map(|(v, _)| v).collect();
        while let Some(v) = todo.pop() {
            for &w in &self.vars[v].alike {
                if !std::mem::replace(&mut of[w], true) {
                    todo.push(w);
                }
            }
        }
        self.vars.iter().enumerate().filter(|(v, _)| of[*v]).filter_map(|(_, var)| var.parameter).collect()
    }

    /// Takes what holds of pointers over to the variables that they point into.
    fn close(&self, of: &mut [bool]) {
        loop {
            let mut changed = false;
            for (v, var) in self.vars.iter().enumerate().filter(|(_, var)| !var.origins.is_empty()) {
                for o in &var.origins {
                    if let Origin::Variable(w) = o
                        && of[v]
                        && !of[*w]
                    {
                        of[*w] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Parameters that are handed to this argument of this call, directly or through another pointer.
    pub fn handed_parameters(&self) -> Vec<(usize, SmolStr, usize)> {
        let mut out = Vec::new();
        for e in &self.events {
            if let (Kind::Handed | Kind::Address, Some((call, position))) = (&e.kind, e.call) {
                let mut of = vec![false; self.vars.len()];
                of[e.var] = true;
                out.extend(self.spread(of).into_iter().map(|p| (p, self.callees[call].clone(), position)));
            }
        }
        out
    }

    /// Parameters that are handed on as they are, directly or through another pointer: to which function and where.
    pub fn passed_on(&self) -> Vec<(usize, SmolStr, usize)> {
        let mut out = Vec::new();
        for (v, var) in self.vars.iter().enumerate().filter(|(_, var)| !var.handed.is_empty()) {
            let mut of = vec![false; self.vars.len()];
            of[v] = true;
            let parameters = self.spread_alike(of);
            out.extend(var.handed.iter().flat_map(|(callee, at)| parameters.iter().map(|p| (*p, callee.clone(), *at))));
        }
        out
    }

    /// Parameters that are used as arrays, directly or through another pointer of the function.
    pub fn indexed_parameters(&self) -> Vec<usize> {
        self.spread_alike(self.vars.iter().map(|v| v.indexed).collect())
    }

    /// Parameters that are compared with null, directly or through another pointer of the function.
    pub fn tested_parameters(&self) -> Vec<usize> {
        self.spread(self.vars.iter().map(|v| v.tested).collect())
    }

    /// Calls that pass a null pointer, or one that may be null: the function and the position.
    pub fn null_arguments(&self) -> Vec<(SmolStr, usize)> {
        let handed = self.vars.iter().enumerate().filter(|(v, var)| !var.handed.is_empty() && self.may_be_null(*v));
        self.null_passed.iter().cloned().chain(handed.flat_map(|(_, var)| var.handed.iter().cloned())).collect()
    }

    /// Whether members of what a variable is or points to are used, by this name or by one that gets its value.
    pub fn has_members(&self, var: usize) -> bool {
        let mut of: Vec<bool> = self.vars.iter().map(|v| v.membered).collect();
        self.close(&mut of);
        of[var]
    }

    /// How often it is set.
    pub fn writes(&self, var: usize) -> usize {
        self.events.iter().filter(|e| e.var == var && e.kind == Kind::Write).count()
    }
}
