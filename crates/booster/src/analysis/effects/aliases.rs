//! What may overlap.
//!
//! Two questions with two answers. Which objects *do* overlap in a unit because some call of it hands the same storage over
//! twice, or hands over what the unit also sees as a global:
//!
//! ```text
//! known(P)  =  { (a, b) : the file, or a pointer that can point there, puts them into one place }
//!           +  { (f, g) : a call of P in Q hands a to f and b to g, with a = b or (a, b) in known(Q) }
//!           +  { (f, s) : a call of P in Q hands a to f, P sees s, with a = s or (a, s) in known(Q) }
//! ```
//!
//! And which *may* overlap by their declarations (C pointers without `restrict`): [`Aliases::may_overlap`], for whoever orders
//! reads and writes. For units that only the program itself calls declarations are not the last word ([`Aliases::close`]):
//!
//! ```text
//! may(P)    =  known(P) + { (f, g) : declared so, and a call of P in Q hands a to f and b to g, with a = b or (a, b) in may(Q) }
//! ```
//!
//! Activity goes by the first. The arguments of a head are taken not to overlap each other, as the contract of generated code says, unless whoever asks says that
//! they may ([`crate::Options::may_overlap`]). Both grow from nothing; a unit is looked at again where pairs were added to it, of which it has as many as pairs of
//! objects, at most. Elements and sections of one array are told apart by [`crate::analysis::arrays::regions`] and [`crate::analysis::accesses::elements`].
//!
//! Source: flow-insensitive alias pairs of formals, propagated over the call graph: Banning, "An efficient way to find the side effects of procedure calls and the
//! aliases of variables" (1979).
//!
//! Lives here: pairs of objects. Never here: which parts of an array they are.

use crate::analysis::program::addresses::{self, Addresses};
use crate::analysis::program::objects::{Objects, is_by_reference};
use crate::analysis::program::table::{CallStep, Step, UnitTable};
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::members::REACHED;
use xaif::model::{Storage, Symbol, SymbolId, SymbolKind, UnitId};

/// The overlaps of a program.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    units: Vec<BTreeMap<SymbolId, BTreeSet<SymbolId>>>,
    /// For each unit the pairs that the file puts into one place.
    given: Vec<BTreeSet<(SymbolId, SymbolId)>>,
    /// Formals that promise not to overlap, with what some call hands over that may overlap nevertheless (allowed for what is only read).
    together: BTreeMap<SymbolId, BTreeSet<SymbolId>>,
    /// For each unit of which all callers are known, or what they promise, what may overlap there nevertheless; see [`Aliases::close`].
    inside: Vec<Option<Pairs>>,
    /// See [`escaping`].
    escaping: BTreeSet<SymbolId>,
}

/// Objects with those that they may overlap.
type Pairs = BTreeMap<SymbolId, BTreeSet<SymbolId>>;

impl Aliases {
    /// Finds the pairs that calls bring about.
    pub fn of(program: &Program, objects: &Objects, tables: &[UnitTable]) -> Aliases {
        let mut out = Aliases { units: vec![BTreeMap::new(); tables.len()], escaping: escaping(program, tables), ..Aliases::default() };
        let sets = addresses::sets(program);
        for (u, t) in tables.iter().enumerate() {
            let unit = UnitId(u as u32);
            let addresses = Addresses::of(program, &sets, unit);
            let pairs = addresses.pairs.iter().map(|&(a, b)| (objects.canonical(a), objects.canonical(b)));
            let given: BTreeSet<_> = pairs.filter(|(a, b)| a != b).collect();
            given.iter().for_each(|&(a, b)| {
                out.add(unit, a, b);
            });
            out.given.push(given);
            for &p in t.objects.iter().filter(|&&p| is_pointer(program, p)) {
                for &o in t.objects.iter().filter(|&&o| o != p && can_be_pointed_at(program, p, o) && !addresses.apart(p, o)) {
                    out.add(unit, p, o);
                }
            }
        }
        let mut work: BTreeSet<usize> = (0..tables.len()).collect();
        while let Some(u) = work.pop_first() {
            for step in tables[u].steps.iter().flatten() {
                let Step::Call(call) = step else { continue };
                let Some(callee) = call.callee else { continue };
                let handed = handed(program, &tables[u], call, callee);
                let mut grew = false;
                for (i, &(f, a)) in handed.iter().enumerate() {
                    for &(g, b) in &handed[i + 1..] {
                        if a == b || out.overlap(UnitId(u as u32), a, b) {
                            grew |= out.add(callee, f, g);
                        }
                    }
                    // what the callee sees under its own name as well
                    let known: Vec<SymbolId> = out.known(UnitId(u as u32), a).chain([a]).collect();
                    for s in known {
                        if objects.is_shared(callee, s) && tables[callee.index()].number(s).is_some() {
                            grew |= out.add(callee, f, s);
                        }
                    }
                }
                if grew {
                    work.insert(callee.index());
                }
            }
        }
        out.find_together(program, objects, tables);
        out
    }

    /// See [`Aliases::together`].
    fn find_together(&mut self, program: &Program, objects: &Objects, tables: &[UnitTable]) {
        for (u, t) in tables.iter().enumerate() {
            let unit = UnitId(u as u32);
            for step in t.steps.iter().flatten() {
                let Step::Call(call) = step else { continue };
                let Some(callee) = call.callee else { continue };
                let handed = handed(program, t, call, callee);
                for (i, &(f, a)) in handed.iter().enumerate().filter(|(_, (f, _))| program.symbol(*f).has_attribute("restrict")) {
                    let others = handed.iter().enumerate().filter(|&(j, &(_, b))| j != i && self.may_overlap(program, unit, a, b));
                    let mut found: BTreeSet<SymbolId> = others.map(|(_, &(g, _))| g).collect();
                    let seen = tables.get(callee.index()).map_or(&[][..], |t| &t.objects[..]);
                    found.extend(
                        seen.iter().copied().filter(|&s| objects.is_shared(callee, s) && s != f && self.may_overlap(program, unit, a, s)),
                    );
                    if !found.is_empty() {
                        self.together.entry(f).or_default().extend(found);
                    }
                }
            }
        }
    }

    /// Takes it that nobody calls the derivatives of units but derivatives of others of the program: pointers among their arguments may
    /// overlap only where pointers that some call hands over may, whatever their declarations say. `open` are called from elsewhere, too, and what may
    /// overlap in them is declared; `apart` as well, but nobody hands them arguments that overlap each other.
    pub fn close(&mut self, program: &Program, tables: &[UnitTable], open: &BTreeSet<UnitId>, apart: &BTreeSet<UnitId>) {
        let number = |u: usize| UnitId(u as u32);
        let globals: Vec<SymbolId> = program.symbol_ids().filter(|&s| self.is_within_reach(program, s)).collect();
        let of = |u: usize| match (open.contains(&number(u)), apart.contains(&number(u))) {
            (true, false) => None,
            (_, true) => Some(self.within_arguments(program, &tables[u], &globals)),
            (false, false) => Some(Pairs::default()),
        };
        let inside = (0..tables.len()).map(of).collect();
        self.inside = inside;
        let mut work: BTreeSet<usize> = (0..tables.len()).collect();
        while let Some(u) = work.pop_first() {
            let mut found: Vec<(UnitId, SymbolId, SymbolId)> = Vec::new();
            for step in tables[u].steps.iter().flatten() {
                let Step::Call(call) = step else { continue };
                let Some(callee) = call.callee.filter(|c| self.inside.get(c.index()).is_some_and(Option::is_some)) else { continue };
                let handed = handed(program, &tables[u], call, callee);
                let may = |a: SymbolId, b: SymbolId| self.may_overlap(program, number(u), a, b);
                for (i, &(f, a)) in handed.iter().enumerate().filter(|(_, (f, _))| is_unbound(program.symbol(*f))) {
                    let others =
                        handed.iter().enumerate().filter(|(j, (g, b))| *j != i && self.declared_to_overlap(program, f, *g) && may(a, *b));
                    found.extend(others.map(|(_, &(g, _))| (callee, f, g)));
                    // What it or those that it calls see under its own name.
                    let seen = globals.iter().filter(|&&s| self.declared_to_overlap(program, f, s) && may(a, s));
                    found.extend(seen.map(|&s| (callee, f, s)));
                }
            }
            for (callee, f, g) in found {
                let Some(Some(pairs)) = self.inside.get_mut(callee.index()) else { continue };
                if pairs.entry(f).or_default().insert(g) | pairs.entry(g).or_default().insert(f) {
                    work.insert(callee.index());
                }
            }
        }
    }

    /// What overlaps by its declaration where arguments do not overlap each other: what lies within one argument, and what lives outside of the unit.
    fn within_arguments(&self, program: &Program, table: &UnitTable, globals: &[SymbolId]) -> Pairs {
        let mut out = Pairs::default();
        let argument = |s: SymbolId| program.symbol(s).name.split('%').next().map(str::to_owned);
        let unbound: Vec<SymbolId> = table.objects.iter().copied().filter(|&s| is_unbound(program.symbol(s))).collect();
        for (i, &a) in unbound.iter().enumerate() {
            let same = unbound[i + 1..].iter().filter(|&&b| argument(a) == argument(b));
            for &b in same.chain(globals).filter(|&&b| self.declared_to_overlap(program, a, b)) {
                out.entry(a).or_default().insert(b);
                out.entry(b).or_default().insert(a);
            }
        }
        out
    }

    /// Whether nothing that is known, declared or handed over lets anything overlap an argument of a unit.
    pub fn stands_alone(&self, unit: UnitId, formal: SymbolId) -> bool {
        let inside = self.inside.get(unit.index()).and_then(Option::as_ref);
        inside.is_some_and(|pairs| pairs.get(&formal).is_none_or(BTreeSet::is_empty)) && self.known(unit, formal).next().is_none()
    }

    /// Whether two arguments overlap as far as their declarations say, and are taken not to ([`Aliases::close`]).
    pub fn promised_apart(&self, program: &Program, unit: UnitId, a: SymbolId, b: SymbolId) -> bool {
        a != b && self.declared_to_overlap(program, a, b) && !self.may_overlap(program, unit, a, b)
    }

    /// Pairs of variables of a unit that the file puts into one place.
    pub fn given(&self, unit: UnitId) -> impl Iterator<Item = (SymbolId, SymbolId)> + '_ {
        self.given.get(unit.index()).into_iter().flatten().copied()
    }

    /// What may overlap a formal that promises not to overlap, because some call hands over what may.
    pub fn together(&self, formal: SymbolId) -> impl Iterator<Item = SymbolId> + '_ {
        self.together.get(&formal).into_iter().flatten().copied()
    }

    fn add(&mut self, unit: UnitId, a: SymbolId, b: SymbolId) -> bool {
        let Some(map) = self.units.get_mut(unit.index()) else { return false };
        a != b && (map.entry(a).or_default().insert(b) | map.entry(b).or_default().insert(a))
    }

    /// The objects that are known to overlap this one in a unit.
    pub fn known(&self, unit: UnitId, symbol: SymbolId) -> impl Iterator<Item = SymbolId> + '_ {
        self.units.get(unit.index()).and_then(|m| m.get(&symbol)).into_iter().flatten().copied()
    }

    /// True where two objects are known to overlap in a unit.
    pub fn overlap(&self, unit: UnitId, a: SymbolId, b: SymbolId) -> bool {
        self.units.get(unit.index()).and_then(|m| m.get(&a)).is_some_and(|s| s.contains(&b))
    }

    /// A variable that lives outside of units and that a pointer may lead to.
    fn is_within_reach(&self, program: &Program, s: SymbolId) -> bool {
        if !matches!(program.symbol(s).kind, SymbolKind::Variable | SymbolKind::Pointer) {
            return false;
        }
        match program.symbol(s).storage() {
            Storage::Global | Storage::Extern => true,
            Storage::Static => self.escaping.contains(&s),
            _ => false,
        }
    }

    /// Overlap by declaration: pointers without `restrict`, to each other and to what lives outside the unit.
    fn declared_to_overlap(&self, program: &Program, a: SymbolId, b: SymbolId) -> bool {
        let (x, y) = (program.symbol(a), program.symbol(b));
        let to = |p: &Symbol, q: &Symbol, s: SymbolId| is_unbound(p) && (is_unbound(q) || self.is_within_reach(program, s));
        x.ty == y.ty && !are_other_members(x, y) && (to(x, y, b) || to(y, x, a))
    }

    /// True unless two objects certainly occupy different storage.
    pub fn may_overlap(&self, program: &Program, unit: UnitId, a: SymbolId, b: SymbolId) -> bool {
        let by_declaration = || match self.inside.get(unit.index()) {
            Some(Some(pairs)) => pairs.get(&a).is_some_and(|s| s.contains(&b)),
            _ => self.declared_to_overlap(program, a, b),
        };
        a == b || self.overlap(unit, a, b) || by_declaration()
    }
}

/// A variable that can be made to stand for another one.
fn is_pointer(program: &Program, s: SymbolId) -> bool {
    let y = program.symbol(s);
    (y.kind == SymbolKind::Pointer || y.pointer || y.has_attribute("pointer")) && !y.has_attribute("heap")
}

fn can_be_pointed_at(program: &Program, pointer: SymbolId, s: SymbolId) -> bool {
    let y = program.symbol(s);
    program.symbol(pointer).ty == y.ty && (is_pointer(program, s) || y.has_attribute("target") || is_unbound(y))
}

/// What a call hands over by reference: formals with the objects behind them.
fn handed(program: &Program, caller: &UnitTable, call: &CallStep, callee: UnitId) -> Vec<(SymbolId, SymbolId)> {
    let formals = &program.unit(callee).formals;
    call.args
        .iter()
        .filter_map(|a| {
            let formal = formals.get(a.formal?)?.symbol;
            let actual = *caller.objects.get(a.target?.object as usize)?;
            is_by_reference(program, formal).then_some((formal, actual))
        })
        .collect()
}

/// Members of structures that are different ones: of one structure, or called differently. What members point to is no part of the structure.
fn are_other_members(a: &Symbol, b: &Symbol) -> bool {
    let within = |s: &Symbol| !s.has_attribute(&REACHED) && s.name.contains('%');
    let last = |s: &Symbol| s.name.rsplit('%').next().map(str::to_owned);
    let base = |s: &Symbol| s.name.split('%').next().map(str::to_owned);
    within(a) && within(b) && (a.scope == b.scope && base(a) == base(b) || last(a) != last(b))
}

/// A pointer without `restrict`.
fn is_unbound(s: &Symbol) -> bool {
    s.decl.as_ref().is_some_and(|d| d.may_alias)
}

/// The variables that keep their value between calls and whose address some call has: nothing else is known of them by another name.
pub(super) fn escaping(program: &Program, tables: &[UnitTable]) -> BTreeSet<SymbolId> {
    let mut out = BTreeSet::new();
    for t in tables {
        let calls = t.steps.iter().flatten().filter_map(|s| if let Step::Call(c) = s { Some(c) } else { None });
        let objects = calls.flat_map(|c| &c.args).filter_map(|a| t.objects.get(a.target?.object as usize));
        out.extend(objects.filter(|&&s| *program.symbol(s).storage() == Storage::Static));
    }
    out
}
