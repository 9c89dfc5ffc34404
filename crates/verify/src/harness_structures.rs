//! Structures of the driver in C: the members of an argument are variables of the driver, copied into a structure before a call and out of it behind the call.
//!
//! Lives here: text of C for structures and their members. Never here: calls and plain variables (see [`super::harness_c`]).

use super::compiled::{Layout, Slot};
use std::fmt::Write;
use xaif::Program;
use xaif::model::{BaseType, Symbol, SymbolId};

/// The way from a structure to a member: `inner.v[]`, with a star where a pointer is followed.
fn way(y: &Symbol) -> Option<&str> {
    y.decl.as_ref()?.attributes.iter().find_map(|a| a.strip_prefix("path:"))
}

/// What a pointer is cast to before it is followed, and the way behind that.
fn cast(way: &str) -> Option<(&str, &str)> {
    let mark = way.chars().next().filter(|c| matches!(c, '!' | '?'))?;
    way[1..].split_once(mark)
}

/// A way up to a pointer, without the type that it is cast to.
fn before_cast(way: &str) -> &str {
    way.strip_suffix(['!', '?']).and_then(|w| w.rfind(['!', '?']).map(|k| &w[..k])).unwrap_or(way)
}

/// True for a structure of the driver.
pub(super) fn is_whole(layout: &Layout, s: &Slot) -> bool {
    s.base == BaseType::Opaque && !s.present && layout.subject.program.symbol(s.symbol).has_attribute("structure")
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
fn text(base: &str, way: &str, subscripts: &[String]) -> String {
    let (mut out, mut rest) = (String::from(base), subscripts.iter());
    let mut at = way;
    if !way.is_empty() {
        out.push('.');
    }
    while let Some(k) = at.find(['[', '*', '!', '?']) {
        out.push_str(&at[..k]);
        if let Some((ty, behind)) = cast(&at[k..]) {
            out = format!("(({ty} *){out})");
            at = behind;
            continue;
        }
        let star = at[k..].starts_with('*');
        if let Some(s) = rest.next() {
            let _ = write!(out, "[{s}]");
        }
        at = &at[k + if star { 1 } else { 2 }..];
    }
    out + at
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
                let (name, path) = (stored(letter, i, &inner), text("(*ob_h_x)", &inner, &[]));
                let path = path.replace("(*ob_h_x)", &format!("((({ty} *)0)[0])"));
                let cast_to = inner.strip_suffix(['!', '?']).and_then(|w| w.rfind(['!', '?']).map(|k| w[k + 1..].to_owned()));
                let own = cast_to.unwrap_or_else(|| format!("__typeof__(*{path})"));
                let _ = writeln!(o, "static {own} {name}[{count}];");
            }
        }
    }
}

/// Structures that pointers in a structure point to: the ways to them, outermost first, and how many there are.
fn pointed_at(layout: &Layout, whole: &Slot) -> Vec<(String, usize)> {
    let program = layout.subject.program;
    let mut out: Vec<(String, usize)> = Vec::new();
    for (_, m) in members(layout, whole) {
        let y = program.symbol(m.symbol);
        let way = way(y).unwrap_or_default();
        let outer = usize::from(program.symbol(whole.symbol).rank);
        for (at, _) in way.match_indices('*').filter(|(at, _)| at + 1 < way.len()) {
            let before = &way[..at];
            let dims = outer + before.matches("[]").count() + before.matches('*').count();
            let count = m.shape.get(dims).copied().unwrap_or(1).max(1);
            match out.iter_mut().find(|(w, _)| w == before) {
                Some((_, n)) => *n = count.max(*n),
                None => out.push((before.to_owned(), count)),
            }
        }
    }
    out.sort_by_key(|(w, _)| w.len());
    out
}

fn stored(letter: char, i: usize, way: &str) -> String {
    let plain: String = way.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("ob_h_{letter}{i}_{plain}")
}

/// Copies members into the structures (`inward`), or out of them; with `derivatives` those of the companions, too.
pub(super) fn copy(o: &mut String, layout: &Layout, inward: bool, derivatives: bool) {
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| is_whole(layout, s)) {
        for letter in ['s', 't'].into_iter().take(if derivatives { 2 } else { 1 }) {
            let base = format!("ob_h_{letter}{i}");
            if inward {
                for (way, _) in pointed_at(layout, s) {
                    let zeros = vec![String::from("0"); way.matches("[]").count() + way.matches('*').count()];
                    let _ = writeln!(o, "      {} = {};", text(&format!("{base}[0]"), before_cast(&way), &zeros), stored(letter, i, &way));
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
    if let Some(pointer) = way.strip_suffix('*') {
        // The numbers stay where they are.
        let zeros = vec![String::from("0"); pointer.matches("[]").count() + pointer.matches('*').count()];
        if inward {
            let _ = writeln!(o, "      {} = {own};", text(&format!("{base}[0]"), before_cast(pointer), &zeros));
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
