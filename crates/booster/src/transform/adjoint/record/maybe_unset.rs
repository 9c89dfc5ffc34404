//! Local scalars that the reverse sweep finds as the forward sweep left them, though not every way through the code sets them.
//!
//! ```text
//! if (c) then; m = 2*n; ...; end if         set in a branch,
//! if (c) then; do i = m, 1, -1; ...         looked at in its adjoint
//! ```
//!
//! That is right, but compilers cannot always see it and warn. Such variables are set at the start, and so are those, and local arrays, that are recorded
//! or saved before anything has been put there: a loop records in its first iteration what only later iterations need. The forward half of a pair saves
//! what its caller hands it. Compilers follow single elements, too, and in memory that is allocated
//! they tell those that a loop sets from others:
//!
//! ```text
//! v = malloc(...); for (i = 1; ...) v[i] = ...;
//! old = v[0]; v[0] = s;                       nothing has set v[0]
//! ```
//!
//! Lives here: which variables these are. Never here: what is recorded.

use crate::analysis::dataflow::bits::Marks;
use crate::transform::adjoint::code::tree::{Item, ItemKind, LoopKind};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use xaif::model::{Call, Expr, Stmt, StmtKind, SymbolId, VarRef};

/// What variables are.
pub(crate) struct Kinds<'a> {
    /// Local scalars that hold something between the sweeps.
    pub scalars: &'a dyn Fn(SymbolId) -> bool,
    /// Variables that derivative code has added.
    pub records: &'a dyn Fn(SymbolId) -> bool,
    /// Local arrays.
    pub arrays: &'a dyn Fn(SymbolId) -> bool,
    /// Those among them that the unit allocates.
    pub allocated: &'a dyn Fn(SymbolId) -> bool,
    /// Whether a call saves what it is handed.
    pub saves: &'a dyn Fn(&Call, SymbolId) -> bool,
}

/// The variables among `scalars` that code from item `reverse` on, an assignment to a variable of `records`, or the stack, may read before every way to
/// it has set them, in the order of reading. Of `arrays` those that such an assignment or the stack reads before anything sets an element,
/// and those that a call `saves` then.
pub(crate) fn may_be_unset(items: &[Item], reverse: usize, kinds: &Kinds) -> Vec<SymbolId> {
    let mut s = Scan {
        kinds,
        touched: Marks::default(),
        elements: FxHashSet::default(),
        set: Marks::default(),
        trail: Vec::new(),
        found: IndexSet::default(),
        looking: false,
    };
    s.sequence(items.get(..reverse).unwrap_or_default());
    s.looking = true;
    s.sequence(items.get(reverse..).unwrap_or_default());
    s.found.into_iter().collect()
}

/// The numbers in the subscripts of `r`: an element that is the same wherever it is named; none for the whole variable.
fn fixed_element(r: &VarRef) -> Option<Vec<i64>> {
    if r.has_section() { None } else { r.index_exprs().map(Expr::as_int).collect() }
}

struct Scan<'a> {
    kinds: &'a Kinds<'a>,
    /// Arrays of which something further up may set elements.
    touched: Marks,
    /// Elements that were set, by their subscripts; without subscripts all of an array.
    elements: FxHashSet<(SymbolId, Vec<i64>)>,
    /// What is set on every way to here.
    set: Marks,
    /// The same in the order in which it was set, to take it back.
    trail: Vec<SymbolId>,
    found: IndexSet<SymbolId, FxBuildHasher>,
    looking: bool,
}

impl Scan<'_> {
    fn add(&mut self, s: SymbolId) {
        if self.set.add(s.0) {
            self.trail.push(s);
        }
    }

    fn touch(&mut self, s: SymbolId) {
        self.touched.add(s.0);
    }

    fn set_element(&mut self, s: SymbolId, element: Option<Vec<i64>>) {
        if (self.kinds.allocated)(s) {
            self.elements.extend(element.map(|e| (s, e)));
        } else if (self.kinds.arrays)(s) {
            self.elements.insert((s, element.unwrap_or_default()));
        }
    }

    /// Forgets what was set since; gives it.
    fn take_back(&mut self, to: usize) -> FxHashSet<SymbolId> {
        let added: FxHashSet<SymbolId> = self.trail.split_off(to).into_iter().collect();
        for s in &added {
            self.set.remove(s.0);
        }
        added
    }

    fn read(&mut self, e: &Expr) {
        if self.looking {
            e.for_each_ref(&mut |r| {
                if !self.set.has(r.symbol.0) && (self.kinds.scalars)(r.symbol) {
                    self.found.insert(r.symbol);
                }
            });
        }
    }

    /// An array is recorded or saved.
    fn array(&mut self, e: &Expr) {
        let Some(r) = e.as_var() else { return };
        let touched = self.touched.has(r.symbol.0);
        let element = fixed_element(r).filter(|e| !e.is_empty());
        let unset = element.is_some_and(|e| !self.elements.contains(&(r.symbol, Vec::new())) && !self.elements.contains(&(r.symbol, e)));
        if (!touched || unset) && (self.kinds.arrays)(r.symbol) {
            self.found.insert(r.symbol);
        }
    }

    fn sequence(&mut self, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Stmt(s) => self.stmt(s),
                ItemKind::Branch { condition, arms, .. } => {
                    self.read(condition);
                    let mut common: Option<FxHashSet<SymbolId>> =
                        if arms.iter().any(|a| a.values.is_empty()) { None } else { Some(FxHashSet::default()) };
                    for a in &**arms {
                        let before = self.trail.len();
                        self.sequence(&a.body);
                        let added: FxHashSet<SymbolId> = self.take_back(before);
                        common = Some(match common {
                            None => added,
                            Some(c) => c.intersection(&added).copied().collect(),
                        });
                    }
                    common.into_iter().flatten().for_each(|s| self.add(s));
                }
                ItemKind::Loop { kind, body, .. } => {
                    match kind {
                        LoopKind::For(f) => {
                            self.stmt(&f.init);
                            self.read(&f.condition);
                        }
                        LoopKind::While(c) => self.read(c),
                        LoopKind::Until(_) => {}
                    }
                    let before = self.trail.len();
                    self.sequence(body);
                    if let LoopKind::Until(c) = kind {
                        self.read(c);
                    } else {
                        self.take_back(before);
                    }
                }
            }
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                let looking = self.looking;
                let record = (self.kinds.records)(lhs.symbol);
                // A scalar that is recorded in a scalar matters where something may have been put there.
                let partly = rhs.as_var().is_some_and(|r| r.subscripts.is_empty() && self.touched.has(r.symbol.0));
                self.looking |= record && (!lhs.subscripts.is_empty() || partly);
                self.read(rhs);
                self.looking = looking;
                if record {
                    self.array(rhs);
                }
                self.touch(lhs.symbol);
                self.set_element(lhs.symbol, fixed_element(lhs));
                lhs.index_exprs().for_each(|e| self.read(e));
                if lhs.subscripts.is_empty() {
                    self.add(lhs.symbol);
                }
            }
            StmtKind::Call(c) => {
                // What it gets by reference it may read, where something was put there; compilers look into it.
                for r in c.arguments.iter().filter_map(|a| a.value.as_var()).filter(|r| r.subscripts.is_empty()) {
                    if self.looking && self.touched.has(r.symbol.0) {
                        self.read(&Expr::sym(r.symbol));
                    }
                }
                for r in c.arguments.iter().filter_map(|a| a.value.as_var()) {
                    if !self.touched.has(r.symbol.0) && (self.kinds.saves)(c, r.symbol) {
                        self.found.insert(r.symbol);
                    }
                }
                // What a call gets by reference it may set.
                for r in c.arguments.iter().filter_map(|a| a.value.as_var()) {
                    self.touch(r.symbol);
                    self.set_element(r.symbol, Some(Vec::new()));
                }
                for a in &c.arguments {
                    match a.value.as_var() {
                        Some(r) if r.subscripts.is_empty() => self.add(r.symbol),
                        _ => self.read(&a.value),
                    }
                }
            }
            StmtKind::Runtime { name, arguments } => {
                let looking = std::mem::replace(&mut self.looking, true);
                for a in arguments {
                    match a.value.as_var() {
                        Some(r) if name == "pop" && r.subscripts.is_empty() => self.add(r.symbol),
                        _ => {
                            self.read(&a.value);
                            self.array(&a.value);
                        }
                    }
                }
                self.looking = looking;
            }
            StmtKind::Marker(m) => {
                for &s in &m.writes {
                    self.touch(s);
                    self.set_element(s, Some(Vec::new()));
                    self.add(s);
                }
            }
            StmtKind::Propagator(_) => {}
        }
    }
}
