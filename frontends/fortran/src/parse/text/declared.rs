//! The names that a declaration gives a meaning, told by its words alone: for declarations that nobody understands.
//!
//! Lives here: reading words; rather too many names than too few. Never here: what they mean.

use super::outline::{heading, opens_interface, opens_type};
use rustc_hash::FxHashSet;

/// The names that the statements of a declaration declare.
pub fn names(statements: &[&str]) -> FxHashSet<String> {
    let mut out = FxHashSet::default();
    let first = statements.first().map(|s| s.to_ascii_lowercase()).unwrap_or_default();
    if opens_interface(&first) {
        words(first.split_once("interface").map_or("", |p| p.1), &mut out);
        for s in &statements[1..] {
            let s = s.to_ascii_lowercase();
            match heading(&s) {
                Some((_, name)) => drop(out.insert(name)),
                None if s.contains("procedure") => words(&s, &mut out),
                None => {}
            }
        }
    } else if opens_type(&first) {
        // Whoever names a component has a variable of the type.
        words(first.split_once("::").map_or(&first[4..], |p| p.1), &mut out);
    } else {
        for s in statements {
            let s = s.to_ascii_lowercase();
            match declared(&s) {
                Some(behind) => entities(behind, &mut out),
                None => words(&s, &mut out),
            }
        }
        if statements.iter().all(|s| declared(&s.to_ascii_lowercase()).is_none()) {
            out.retain(|w| !says_how(w));
        }
    }
    out.retain(|w| !matches!(w.as_str(), "procedure" | "module"));
    out
}

/// What stands behind the two colons of a declaration.
fn declared(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (k, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 && text[k..].starts_with("::") {
            return Some(&text[k + 2..]);
        }
    }
    None
}

/// The first word of each part of a list: what stands behind it are bounds and values.
fn entities(list: &str, out: &mut FxHashSet<String>) {
    let (mut depth, mut start) = (0, 0);
    let mut quote = None;
    for (k, c) in list.char_indices().chain([(list.len(), ',')]) {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ',') if depth == 0 || k == list.len() => {
                let name = list[start..k].trim_start();
                let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
                out.extend((end > 0).then(|| name[..end].to_owned()));
                start = k + 1;
            }
            (None, _) => {}
        }
    }
}

fn words(text: &str, out: &mut FxHashSet<String>) {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    out.extend(words.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_owned));
}

/// Words at the start of statements without colons.
fn says_how(word: &str) -> bool {
    matches!(
        word,
        "integer" | "real" | "double" | "precision" | "complex" | "logical" | "character" | "dimension" | "parameter" | "save" | "common"
    ) || matches!(
        word,
        "data" | "use" | "only" | "equivalence" | "external" | "intrinsic" | "public" | "private" | "end" | "enum" | "namelist"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_declared() {
        let found = |s: &[&str]| {
            let mut names: Vec<String> = names(s).into_iter().collect();
            names.sort_unstable();
            names.join(" ")
        };
        assert_eq!(found(&["real(kind=wp), odd(3) :: a = b, data(2) = [real(c), d], e"]), "a data e");
        assert_eq!(found(&["type, extends(s) :: t", "real :: x", "end type"]), "t");
        assert_eq!(
            found(&["interface g", "subroutine f(x)", "real :: x", "end subroutine", "module procedure h", "end interface"]),
            "f g h"
        );
        assert_eq!(found(&["data a, b /1, c/"]), "a b c");
    }
}
