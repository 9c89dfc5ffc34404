//! All units as steps: what the text of each says, and what units that the program does not contain reach, keep, and give back.
//!
//! Nothing is known of an unknown unit but where it stands, so it may do whatever its language lets it do with what it can reach:
//!
//! ```text
//! reach(C)   =  arguments of C
//!             + variables that other files see            (globals, variables of modules, COMMON)
//!             + what its own file sees                    if C has a text that was left out: all but what procedures keep for themselves
//!             + what it may change by calls into the program: all that units touch which others see, and which do not lead to unknown units
//!               themselves (those would be under way already)
//!             + escaped
//! escaped    =  what is handed by its address to an unknown unit that may keep it, directly or as an argument of a unit that hands it on
//! ```
//!
//! What it reads it may keep somewhere, and give back later: by another call, or by a call of another unknown unit. All such places together are one cell, the
//! *outside*, which takes what is read and gives what is written ([`Outside::takes`], [`Outside::gives`]); files are among them. Activity treats it as a variable.
//!
//! Units of a library ([`xaif::model::Decl::attributes`]) reach their arguments alone.
//!
//! Source: the worst-case assumptions for calls of unknown procedures, Banning, "An efficient way to find the side effects of procedure calls and the aliases of
//! variables" (1979); one cell for all unknown memory as in Andersen, "Program analysis and specialization for the C programming language" (1994), Section 4.
//!
//! Lives here: all units as steps, with what is reached. Never here: steps themselves (see [`super::table`]), whether what is reached matters (see
//! [`crate::analysis::activity::escapes`]).

use super::objects::Objects;
use super::outside::{Outside, Sight};
use super::table::{CallStep, Numbers, Step, UnitTable, of_unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use xaif::Program;
use xaif::callbacks::is_function_value;
use xaif::model::{Storage, Symbol, SymbolId, SymbolKind, UnitId, UnitKind};

/// All units as steps.
pub fn compile(program: &Program, objects: &Objects) -> Vec<UnitTable> {
    let by_symbol: FxHashMap<SymbolId, UnitId> = program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect();
    let mut tables: Vec<UnitTable> = program.unit_ids().map(|u| of_unit(program, objects, &by_symbol, u)).collect();
    reach(program, objects, &mut tables);
    // Objects that outlive calls pass through callers that do not name them.
    let mut touched: Vec<BTreeSet<SymbolId>> =
        program.unit_ids().zip(&tables).map(|(u, t)| t.objects.iter().copied().filter(|&s| objects.is_shared(u, s)).collect()).collect();
    loop {
        let mut grew = false;
        for (i, t) in tables.iter().enumerate() {
            for &c in &t.callees {
                if c.index() != i {
                    let more: Vec<SymbolId> = touched[c.index()].difference(&touched[i]).copied().collect();
                    grew |= !more.is_empty();
                    touched[i].extend(more);
                }
            }
        }
        if !grew {
            break;
        }
    }
    for (t, extra) in tables.iter_mut().zip(&touched) {
        if !t.steps.is_empty() {
            for &s in extra {
                t.intern(program, s);
            }
        }
    }
    tables
}

/// For each unit the units that call it.
pub fn callers(tables: &[UnitTable]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); tables.len()];
    for (u, t) in tables.iter().enumerate() {
        for c in &t.callees {
            out[c.index()].push(u);
        }
    }
    out
}

/// The unknown unit that a step calls, if it is such a step.
fn far(step: &mut Step) -> Option<&mut Outside> {
    match step {
        Step::Call(CallStep { outside, .. }) | Step::Opaque { outside, .. } => Some(outside).filter(|o| o.is_far()),
        _ => None,
    }
}

/// Finds what the steps of all units reach, and gives the objects numbers where they have none.
fn reach(program: &Program, objects: &Objects, tables: &mut [UnitTable]) {
    let mut strange: Vec<bool> = tables.iter_mut().map(|t| t.steps.iter_mut().flatten().any(|s| far(s).is_some())).collect();
    if !strange.contains(&true) {
        return;
    }
    let own = strange.clone();
    let callers = callers(tables);
    let mut open: Vec<usize> = (0..tables.len()).filter(|&u| strange[u]).collect();
    while let Some(u) = open.pop() {
        for &c in &callers[u] {
            if !std::mem::replace(&mut strange[c], true) {
                open.push(c);
            }
        }
    }
    let lasting = |&s: &SymbolId| {
        let y = program.symbol(s);
        objects.outlives_call(s) && y.kind != SymbolKind::Subroutine && !y.is_fixed()
    };
    let named: BTreeSet<SymbolId> = tables.iter().flat_map(|t| t.objects.iter().copied()).filter(lasting).collect();
    let escaped = escaped(program, tables);
    let back = called_back(program, objects, tables, &strange);
    let seen = |s: &&SymbolId| escaped.contains(s) || back.contains(s) || is_visible(program.symbol(**s));
    let other: Vec<SymbolId> = named.iter().filter(seen).copied().collect();
    // What a procedure keeps for itself has a name nowhere else.
    let own_name = |s: &SymbolId| {
        let of = objects.owner(*s).filter(|_| *program.symbol(*s).storage() == Storage::Static);
        of.is_some_and(|u| program.unit(u).kind != UnitKind::Container)
    };
    let inside: Vec<SymbolId> = named.iter().filter(|s| seen(s) || !own_name(s)).copied().collect();
    for (u, t) in tables.iter_mut().enumerate().filter(|(u, _)| strange[*u]) {
        let unit = UnitId(u as u32);
        let is_kept = |s: &SymbolId| escaped.contains(s) && !program.symbol(*s).is_fixed();
        let kept: Vec<u32> = (0..t.len() as u32).filter(|&n| is_kept(&t.objects[n as usize])).collect();
        // Shared ones are in the effects of whoever is called.
        let hidden: Arc<[u32]> = kept.iter().copied().filter(|&n| !objects.is_shared(unit, t.objects[n as usize])).collect();
        let mut found: FxHashMap<Sight, Arc<[u32]>> = FxHashMap::default();
        if own[u] {
            for (sight, list) in [(Sight::Other, &other), (Sight::Inside, &inside)] {
                let mut numbers: Vec<u32> = list.iter().map(|&s| t.intern(program, s)).chain(kept.iter().copied()).collect();
                numbers.sort_unstable();
                numbers.dedup();
                found.insert(sight, numbers.into());
            }
        }
        complete(t, &strange, &hidden, &found);
    }
}

/// Writes into the steps of a unit what they reach.
fn complete(table: &mut UnitTable, strange: &[bool], hidden: &Arc<[u32]>, found: &FxHashMap<Sight, Arc<[u32]>>) {
    for step in table.steps.iter_mut().flatten() {
        if let Step::Call(CallStep { callee: Some(c), outside, .. }) = step {
            if strange[c.index()] {
                (outside.reads, outside.writes) = (hidden.clone(), hidden.clone());
            }
        } else if let Some(outside) = far(step) {
            let sight = if outside.sight == Sight::Looks { Sight::Other } else { outside.sight };
            let all = found.get(&sight).cloned().unwrap_or_default();
            if outside.sight != Sight::Looks {
                outside.writes = all.clone();
            }
            outside.reads = all;
        }
        if let Step::Opaque { reads, writes, outside } = step {
            let more = |list: &mut Numbers, from: &[u32]| {
                let new: Vec<u32> = from.iter().copied().filter(|n| !list.contains(n)).collect();
                list.extend(new);
            };
            more(reads, &outside.reads);
            more(writes, &outside.writes);
        }
    }
}

/// A variable that other files see.
fn is_visible(s: &Symbol) -> bool {
    *s.storage() != Storage::Static && !s.has_attribute("static") && !s.has_attribute("private")
}

/// What units touch that other files may call, by their names or through pointers, and that do not lead to unknown units themselves.
fn called_back(program: &Program, objects: &Objects, tables: &[UnitTable], strange: &[bool]) -> FxHashSet<SymbolId> {
    // A function whose address is taken may be called by whoever comes to know it.
    let values: FxHashSet<&str> = program.symbols.iter().filter(|s| is_function_value(s)).map(|s| s.name.as_str()).collect();
    let open = |u: &UnitId| {
        let unit = program.unit(*u);
        let hidden = unit.prefixes.iter().any(|p| matches!(p.as_str(), "static" | "private" | "internal"));
        (!hidden || values.contains(program.unit_name(*u)))
            && !strange[u.index()]
            && !matches!(unit.kind, UnitKind::Main | UnitKind::Container)
    };
    let mut open: Vec<UnitId> = program.unit_ids().filter(open).collect();
    let mut seen: FxHashSet<UnitId> = open.iter().copied().collect();
    let mut out = FxHashSet::default();
    while let Some(u) = open.pop() {
        let t = &tables[u.index()];
        out.extend(t.objects.iter().copied().filter(|&s| objects.is_shared(u, s)));
        open.extend(t.callees.iter().copied().filter(|&c| seen.insert(c)));
    }
    out
}

/// The variables whose addresses unknown units may have kept, and arguments that may be such a variable.
fn escaped(program: &Program, tables: &[UnitTable]) -> FxHashSet<SymbolId> {
    let mut out: FxHashSet<SymbolId> = program.symbol_ids().filter(|&s| is_let_out(program.symbol(s))).collect();
    // What arguments of units of the program stand for.
    let mut pairs: Vec<(SymbolId, SymbolId)> = Vec::new();
    for t in tables {
        let object = |n: u32| t.objects[n as usize];
        let pointed_at = |s: SymbolId| ["target", "pointer"].iter().any(|a| program.symbol(s).has_attribute(a));
        for step in t.steps.iter().flatten() {
            match step {
                Step::Call(c) => {
                    let keeps = program.symbol(c.name).has_attribute("keeps");
                    for (a, target) in c.args.iter().filter_map(|a| Some((a, object(a.target?.object)))) {
                        match c.callee {
                            Some(u) => pairs.extend(a.formal.and_then(|k| program.unit(u).formals.get(k)).map(|f| (f.symbol, target))),
                            None if c.outside.is_far() && (keeps || pointed_at(target)) => _ = out.insert(target),
                            None => {}
                        }
                    }
                }
                Step::Opaque { reads, outside, .. } if outside.is_far() => {
                    out.extend(reads.iter().map(|&n| object(n)).filter(|&s| pointed_at(s)));
                }
                _ => {}
            }
        }
    }
    loop {
        let before = out.len();
        for (f, a) in &pairs {
            if out.contains(f) || out.contains(a) {
                out.extend([*f, *a]);
            }
        }
        if out.len() == before {
            return out;
        }
    }
}

/// A variable of a file whose address the text of some unit takes.
fn is_let_out(s: &Symbol) -> bool {
    let lasting = matches!(s.storage(), Storage::Global | Storage::Static);
    lasting && s.decl.as_ref().is_some_and(|d| d.may_alias) && s.has_attribute("static")
}
