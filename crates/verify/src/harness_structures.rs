//! Structures of the driver in C: the members of an argument are variables of the driver, copied into a structure before a call and out of it behind the call.
//!
//! Lives here: text of C for structures and their members. Never here: calls and plain variables (see [`super::harness_c`]).

use super::compiled::{Layout, Slot};
use super::harness_c::type_of;
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
            Step::Function(f) => out = format!("{f}(&{})", out.trim_end_matches('.')),
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
            let directions = layout.directions().filter(|_| letter == 't').map_or(1, |d| d.count);
            let _ = writeln!(o, "static {ty} ob_h_{letter}{i}[{}];", count * directions);
            for (inner, shape) in pointed_at(layout, s) {
                let count: usize = shape.iter().product();
                let own = match inner.before_cast().1 {
                    Some(ty) => ty.to_owned(),
                    None => format!("__typeof__(*{})", first(&format!("((({ty} *)0)[0])"), inner)),
                };
                let _ = writeln!(o, "static {own} {}[{count}];", stored(letter, i, inner));
            }
            for (pointers, m) in rows(layout, s) {
                let count = m.shape.iter().rev().skip(1).product::<usize>().max(1);
                let own = type_of(program.symbol(m.symbol));
                let _ = writeln!(o, "static {own} *{}[{count}];", stored(letter, i, pointers));
            }
        }
    }
}

/// The functions that hand out numbers of structures, which no library is there for: they hand out those of the driver.
pub(super) fn accessors(o: &mut String, layout: &Layout) {
    let program = layout.subject.program;
    let mut functions: Vec<(&str, String, String, String)> = Vec::new();
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| is_whole(layout, s)) {
        let (y, base) = (program.symbol(s.symbol), usize::from(program.symbol(s.symbol).rank));
        let ty = y.decl.as_ref().map_or("int", |d| d.type_text.as_str());
        for (j, m) in members(layout, s) {
            let path = way(program.symbol(m.symbol)).unwrap_or_default();
            let Some((before, Step::Function(f))) = handed_out(path) else { continue };
            let result = program.symbol(m.symbol).decl.as_ref().map_or("double", |d| d.type_text.as_str());
            let parameter = format!("__typeof__(&{})", first(&format!("((({ty} *)0)[0])"), before));
            let k = functions.iter().position(|known| known.0 == f).unwrap_or_else(|| {
                functions.push((f, result.to_owned(), parameter, String::new()));
                functions.len() - 1
            });
            let Some((length, outer)) = m.shape.split_last() else { continue };
            for letter in ['s', 't'].into_iter().take(1 + usize::from(m.named)) {
                let (line, names, index) = loops(outer);
                let (own, at) = (if letter == 's' { 'w' } else { 'e' }, place((&format!("ob_h_{letter}{i}"), base), before, &names));
                let _ = writeln!(functions[k].3, "{line}if (ob_h_of == &{at}) return ob_h_{own}{j} + ({index}) * {length};");
            }
        }
    }
    for (f, result, parameter, body) in functions {
        let _ = writeln!(o, "{result} *{f}({parameter} ob_h_of) {{\n{body}      abort();\n}}");
    }
}

/// The function at the end of a way, and the way to what it is given.
fn handed_out(path: Way) -> Option<(Way, Step)> {
    let before = path.0.strip_suffix('*').map(|w| Way(w).before_cast().0)?;
    let function = before.steps().last().filter(|s| matches!(s, Step::Function(_)))?;
    let Step::Function(f) = function else { return None };
    Some((Way(&before.0[..before.0.len() - f.len() - 2]), function))
}

/// Structures that pointers in a structure point to: the ways to them, outermost first, and how many there are for each subscript on the way, that of the pointer last.
fn pointed_at<'l>(layout: &'l Layout, whole: &'l Slot) -> Vec<(Way<'l>, Vec<usize>)> {
    let program = layout.subject.program;
    let outer = usize::from(program.symbol(whole.symbol).rank);
    let mut out: Vec<(Way, Vec<usize>)> = Vec::new();
    for (_, m) in members(layout, whole) {
        for (before, _) in way(program.symbol(m.symbol)).unwrap_or_default().pointers() {
            let shape = (0..=outer + before.subscripts()).map(|k| m.shape.get(k).copied().unwrap_or(1).max(1));
            match out.iter_mut().find(|(w, _)| *w == before) {
                Some((_, known)) => known.iter_mut().zip(shape).for_each(|(n, new)| *n = new.max(*n)),
                None => out.push((before, shape.collect())),
            }
        }
    }
    out.sort_by_key(|(w, _)| w.0.len());
    out
}

/// Members that lead to pointers to rows: the ways to these pointers, which the driver has memory for.
fn rows<'l>(layout: &'l Layout, whole: &'l Slot) -> impl Iterator<Item = (Way<'l>, &'l Slot)> {
    let program = layout.subject.program;
    members(layout, whole).filter_map(|(_, m)| {
        let pointers = way(program.symbol(m.symbol))?.0.strip_suffix("**")?;
        Some((Way(pointers), m))
    })
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
                let outer = usize::from(layout.subject.program.symbol(s.symbol).rank);
                for (way, shape) in pointed_at(layout, s) {
                    target(o, (&base, outer), way.before_cast().0, &shape, &stored(letter, i, way));
                }
                for (way, m) in rows(layout, s) {
                    let shape = &m.shape[..m.shape.len().saturating_sub(1)];
                    target(o, (&base, outer), way.before_cast().0, shape, &format!("(void *){}", stored(letter, i, way)));
                }
            }
            for (j, m) in members(layout, s).filter(|(_, m)| letter == 's' || m.named) {
                let own = format!("ob_h_{}{j}", if letter == 's' { 'w' } else { 'e' });
                let (y, outer) = (layout.subject.program.symbol(m.symbol), usize::from(layout.subject.program.symbol(s.symbol).rank));
                match layout.directions().filter(|_| letter == 't') {
                    Some(d) => in_directions(o, y, outer, m, (&base, &own), d.count, inward),
                    None => member(o, y, outer, m, (&base, &own), inward),
                }
            }
        }
    }
}

/// Loops over all of these subscripts, and the number of the element that they reach.
fn loops(shape: &[usize]) -> (String, Vec<String>, String) {
    let names: Vec<String> = (0..shape.len()).map(|k| format!("ob_h_k{k}")).collect();
    let mut line = String::from("      ");
    let mut index = String::from("0");
    for (name, n) in names.iter().zip(shape) {
        let _ = write!(line, "for (int {name} = 0; {name} < {n}; {name}++) ");
        index = format!("({index}) * {n} + {name}");
    }
    (line, names, index)
}

/// A place in the structures of `base`, which take `outer` subscripts.
fn place((base, outer): (&str, usize), way: Way, names: &[String]) -> String {
    let first: String = names.iter().take(outer).map(|n| format!("[{n}]")).collect();
    let first = if first.is_empty() { "[0]".to_owned() } else { first };
    text(&format!("{base}{first}"), way, names.get(outer..).unwrap_or_default())
}

/// Lets the pointers that lie along a way point into the driver's array `own`, each to its own part: the last number of `shape` says how long that is.
fn target(o: &mut String, base: (&str, usize), pointer: Way, shape: &[usize], own: &str) {
    let Some((length, before)) = shape.split_last() else { return };
    let (line, names, index) = loops(before);
    let at = if before.is_empty() { String::new() } else { format!(" + ({index}) * {length}") };
    let _ = writeln!(o, "{line}{} = {own}{at};", place(base, pointer, &names));
}

/// Copies one member of the driver's array `own`.
fn member(o: &mut String, y: &Symbol, outer: usize, m: &Slot, (base, own): (&str, &str), inward: bool) {
    let way = way(y).unwrap_or_default();
    if let Some(pointer) = way.0.strip_suffix('*').map(Way) {
        // The numbers stay where they are.
        if inward && handed_out(way).is_none() {
            target(o, (base, outer), pointer.before_cast().0, &m.shape, own);
        }
        return;
    }
    let (line, names, index) = loops(&m.shape);
    let place = place((base, outer), way, &names);
    let _ = match inward {
        true => writeln!(o, "{line}{place} = {own}[{index}];"),
        false => writeln!(o, "{line}{own}[{index}] = {place};"),
    };
}

/// The same for a derivative in so many directions, in structures that lie side by side; no number where a direction is not what it must be.
fn in_directions(o: &mut String, y: &Symbol, outer: usize, m: &Slot, (base, own): (&str, &str), directions: usize, inward: bool) {
    let (line, names, index) = loops(&m.shape);
    let at = |direction: &str| {
        let number = if outer > 0 { format!("{} * {directions} + {direction}", names[0]) } else { direction.to_owned() };
        text(&format!("{base}[{number}]"), way(y).unwrap_or_default(), &names[outer.min(names.len())..])
    };
    let (each, other) = (format!("ob_h_k < {directions}; ob_h_k++)"), format!("ob_h_factor(ob_h_k) * {own}[{index}]"));
    let _ = match inward {
        true => writeln!(o, "{line}for (int ob_h_k = 0; {each} {} = {other};", at("ob_h_k")),
        false => writeln!(
            o,
            "{line}{{\n        {own}[{index}] = {};\n        for (int ob_h_k = 1; {each}\n          if ({} != {other}) {own}[{index}] = NAN;\n      }}",
            at("0"),
            at("ob_h_k")
        ),
    };
}

/// Copies between a member of the derivative of a global structure, in so many directions, and the driver's array; false for what is no member.
pub(super) fn global_in_directions(
    o: &mut String,
    program: &Program,
    s: &Slot,
    (name, array): (&str, &str),
    directions: usize,
    inward: bool,
) -> bool {
    let y = program.symbol(s.symbol);
    let (Some(whole), Some((base, _))) = (structure_of(program, s.symbol).filter(|_| way(y).is_some()), name.split_once('%')) else {
        return false;
    };
    // Several structures have a row for each, which lie one behind the other.
    let outer = usize::from(program.symbol(whole).rank);
    let base = if outer > 0 { format!("{base}[0]") } else { base.to_owned() };
    in_directions(o, y, outer, s, (&base, array), directions, inward);
    true
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
