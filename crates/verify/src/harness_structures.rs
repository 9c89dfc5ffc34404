//! Structures of the driver in C: the members of an argument are variables of the driver, copied into a structure before a call and out of it behind the call.
//!
//! Lives here: text of C for structures and their members. Never here: calls and plain variables (see [`super::harness_c`]).

use super::compiled::{Layout, Slot};
use std::fmt::Write;
use xaif::Program;
use xaif::members::{Step, Way, is_structure, way};
use xaif::model::{BaseType, Symbol, SymbolId};

/// True for a structure of the driver.
pub(super) fn is_whole(layout: &Layout, s: &Slot) -> bool {
    s.base == BaseType::Opaque && !s.present && is_structure(layout.subject.program.symbol(s.symbol))
}

/// True for a member of a structure, which calls pass with it.
pub(super) fn is_member(program: &Program, s: SymbolId) -> bool {
    way(program.symbol(s)).is_some() && program.symbol(s).name.contains('%')
}

/// The structure that a symbol is a member of.
pub(super) fn structure_of(program: &Program, s: SymbolId) -> Option<SymbolId> {
    let y = program.symbol(s);
    let (base, _) = y.name.split_once('%')?;
    program.scope(y.scope).symbols.iter().copied().find(|b| program.symbol(*b).name == base)
}

/// The slots of a structure's members.
fn members<'l>(layout: &'l Layout, whole: &'l Slot) -> impl Iterator<Item = (usize, &'l Slot)> {
    let of = |s: &Slot| s.name.split_once('%').is_some_and(|(b, _)| b == whole.name);
    layout.slots.iter().enumerate().filter(move |(_, s)| s.present && s.formal.is_some() && of(s))
}

/// Text of a member with these subscripts.
fn text(base: &str, way: Way, subscripts: &[String]) -> String {
    let (mut out, mut rest) = (String::from(base), subscripts.iter());
    if way != Way::default() {
        out.push('.');
    }
    for step in way.steps() {
        match step {
            Step::Names(names) => out.push_str(names),
            Step::Cast { ty, .. } => out = format!("(({ty} *){out})"),
            Step::Subscript | Step::Pointer => out.extend(rest.next().map(|s| format!("[{s}]"))),
        }
    }
    out
}

/// Text of the first of the elements that a way leads to.
fn first(base: &str, way: Way) -> String {
    text(base, way, &vec![String::from("0"); way.subscripts()])
}

/// The structures of the driver, and what pointers in them point to.
pub(super) fn declare(o: &mut String, layout: &Layout) {
    let program = layout.subject.program;
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| is_whole(layout, s)) {
        let y = program.symbol(s.symbol);
        let ty = y.decl.as_ref().map_or("int", |d| d.type_text.as_str());
        let rank = usize::from(y.rank);
        let count = members(layout, s).map(|(_, m)| m.shape.iter().take(rank).product::<usize>()).max().unwrap_or(1).max(1);
        for letter in ['s', 't'] {
            let _ = writeln!(o, "static {ty} ob_h_{letter}{i}[{count}];");
            for (inner, count) in pointed_at(layout, s) {
                let own = match inner.before_cast().1 {
                    Some(ty) => ty.to_owned(),
                    None => format!("__typeof__(*{})", first(&format!("((({ty} *)0)[0])"), inner)),
                };
                let _ = writeln!(o, "static {own} {}[{count}];", stored(letter, i, inner));
            }
        }
    }
}

/// Structures that pointers in a structure point to: the ways to them, outermost first, and how many there are.
fn pointed_at<'l>(layout: &'l Layout, whole: &'l Slot) -> Vec<(Way<'l>, usize)> {
    let program = layout.subject.program;
    let outer = usize::from(program.symbol(whole.symbol).rank);
    let mut out: Vec<(Way, usize)> = Vec::new();
    for (_, m) in members(layout, whole) {
        for (before, _) in way(program.symbol(m.symbol)).unwrap_or_default().pointers() {
            let count = m.shape.get(outer + before.subscripts()).copied().unwrap_or(1).max(1);
            match out.iter_mut().find(|(w, _)| *w == before) {
                Some((_, n)) => *n = count.max(*n),
                None => out.push((before, count)),
            }
        }
    }
    out.sort_by_key(|(w, _)| w.0.len());
    out
}

fn stored(letter: char, i: usize, way: Way) -> String {
    let plain: String = way.0.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("ob_h_{letter}{i}_{plain}")
}

/// Copies members into the structures (`inward`), or out of them; with `derivatives` those of the companions, too.
pub(super) fn copy(o: &mut String, layout: &Layout, inward: bool, derivatives: bool) {
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| is_whole(layout, s)) {
        for letter in ['s', 't'].into_iter().take(if derivatives { 2 } else { 1 }) {
            let base = format!("ob_h_{letter}{i}");
            if inward {
                for (way, _) in pointed_at(layout, s) {
                    let place = first(&format!("{base}[0]"), way.before_cast().0);
                    let _ = writeln!(o, "      {place} = {};", stored(letter, i, way));
                }
            }
            for (j, m) in members(layout, s).filter(|(_, m)| letter == 's' || m.named) {
                let own = format!("ob_h_{}{j}", if letter == 's' { 'w' } else { 'e' });
                member(
                    o,
                    layout.subject.program.symbol(m.symbol),
                    usize::from(layout.subject.program.symbol(s.symbol).rank),
                    m,
                    (&base, &own),
                    inward,
                );
            }
        }
    }
}

/// Copies one member of the driver's array `own`.
fn member(o: &mut String, y: &Symbol, outer: usize, m: &Slot, (base, own): (&str, &str), inward: bool) {
    let way = way(y).unwrap_or_default();
    if let Some(pointer) = way.0.strip_suffix('*').map(Way) {
        // The numbers stay where they are.
        if inward {
            let _ = writeln!(o, "      {} = {own};", first(&format!("{base}[0]"), pointer.before_cast().0));
        }
        return;
    }
    let names: Vec<String> = (0..m.shape.len()).map(|k| format!("ob_h_k{k}")).collect();
    let mut line = String::from("      ");
    let mut index = String::from("0");
    for (name, n) in names.iter().zip(&m.shape) {
        let _ = write!(line, "for (int {name} = 0; {name} < {n}; {name}++) ");
        index = format!("({index}) * {n} + {name}");
    }
    let first: String = names.iter().take(outer).map(|n| format!("[{n}]")).collect();
    let first = if first.is_empty() { "[0]".to_owned() } else { first };
    let place = text(&format!("{base}{first}"), way, names.get(outer..).unwrap_or_default());
    let _ = match inward {
        true => writeln!(o, "{line}{place} = {own}[{index}];"),
        false => writeln!(o, "{line}{own}[{index}] = {place};"),
    };
}

/// Copies between a member of a global structure and the driver's array.
pub(super) fn global(o: &mut String, program: &Program, s: &Slot, name: &str, array: &str, inward: bool) -> bool {
    let y = program.symbol(s.symbol);
    let (Some(whole), Some((base, _))) = (structure_of(program, s.symbol).filter(|_| way(y).is_some()), name.split_once('%')) else {
        return false;
    };
    let outer = usize::from(program.symbol(whole).rank);
    let base = if outer == 0 { format!("(&{base})") } else { base.to_owned() };
    member(o, y, outer, s, (&base, array), inward);
    true
}
