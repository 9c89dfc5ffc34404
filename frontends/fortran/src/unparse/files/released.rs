//! The user's text where names are taken out of PRIVATE, because derivative code outside of the module keeps or calls what they mean.
//!
//! ```text
//! real, private, allocatable :: u(:)     ->     real, allocatable :: u(:)
//! private :: a, b, u                     ->     private :: a, b
//! ```
//!
//! Lives here: the lines that change. Never here: which names these are (see `splice`).

use crate::unparse::declarations::access::Specification;
use std::collections::{BTreeMap, BTreeSet};

/// New texts of lines, by source and line; nothing for a line that goes.
pub type Edits = BTreeMap<(u32, u32), Option<String>>;

/// A list is broken where a line would be longer.
const WIDTH: usize = 100;

/// What a line of Fortran says, without its comment.
fn said(line: &str, fixed: bool) -> &str {
    if fixed && line.starts_with(['c', 'C', '*', '!']) {
        return "";
    }
    line.split('!').next().unwrap_or_default().trim_end()
}

/// The lines of a text in which the statements of a specification part no longer make these names private (lower case, with the lines of their declarations).
/// Nothing where a statement is not written in a way that can be changed.
pub fn released(text: &str, fixed: bool, spec: &Specification, names: &BTreeMap<String, u32>) -> Option<Edits> {
    let lines: Vec<&str> = text.lines().collect();
    let mut edits = Edits::new();
    for (from, to, statement) in &spec.statements {
        let listed: BTreeSet<String> = spec.listed(statement, "private").into_iter().collect();
        let declared = names.values().any(|l| (*from..=*to).contains(l)) && spec.declares(*from, "private");
        let source = spec.source.0;
        if listed.iter().any(|n| names.contains_key(n)) {
            let rest = |n: &&str| !names.contains_key(&n.to_ascii_lowercase());
            let raw: Vec<&str> = (*from..=*to).map(|n| lines.get(n as usize - 1).map(|l| said(l, fixed))).collect::<Option<_>>()?;
            let words = raw.iter().flat_map(|l| l.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
            let kept: Vec<&str> = words.filter(|w| listed.contains(&w.to_ascii_lowercase())).filter(rest).collect();
            let first = *raw.first()?;
            if raw.iter().any(|l| l.contains(';')) {
                return None;
            }
            for n in *from..=*to {
                edits.insert((source, n), None);
            }
            if !kept.is_empty() {
                let indent: String = first.chars().take_while(|c| c.is_whitespace()).collect();
                edits.insert((source, *from), Some(list(&indent, &kept, fixed)?));
            }
        } else if declared {
            let n = (*from..=*to)
                .find(|n| lines.get(*n as usize - 1).is_some_and(|l| said(l, fixed).to_ascii_lowercase().contains("private")))?;
            let line = lines[n as usize - 1];
            edits.insert((source, n), Some(without_attribute(line, said(line, fixed))?));
        }
    }
    Some(edits)
}

/// A PRIVATE statement.
fn list(indent: &str, names: &[&str], fixed: bool) -> Option<String> {
    let mut out = format!("{indent}private :: ");
    let mut width = out.len();
    for (k, name) in names.iter().enumerate() {
        let comma = if k + 1 < names.len() { ", " } else { "" };
        if width + name.len() + 2 > WIDTH {
            out.push_str(&format!("&\n{indent}  "));
            width = indent.len() + 2;
        }
        out.push_str(name);
        out.push_str(comma);
        width += name.len() + comma.len();
    }
    (!fixed || out.len() <= 72).then_some(out)
}

/// A declaration without the attribute.
fn without_attribute(line: &str, said: &str) -> Option<String> {
    let head = said.split("::").next()?.to_ascii_lowercase();
    let at = head.match_indices("private").map(|m| m.0).find(|&at| {
        let behind = head[at + "private".len()..].chars().next();
        head[..at].trim_end().ends_with(',') && behind.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
    })?;
    let comma = head[..at].rfind(',')?;
    Some(format!("{}{}", &line[..comma], &line[at + "private".len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::SourceId;

    #[test]
    fn lists_and_attributes() {
        let text = "module m\n  real, Private, allocatable :: u(:), v ! kept\n  private :: a, &\n    Bee, c\nend module\n";
        let statement = |a, b, t: &str| (a, b, t.to_owned());
        let statements = vec![statement(2, 2, "real, private, allocatable :: u(:), v"), statement(3, 4, "private :: a, bee, c")];
        let spec = Specification { source: SourceId(0), statements, end: 4 };
        let names = BTreeMap::from([("u".to_owned(), 2), ("c".to_owned(), 9)]);
        let edits = released(text, false, &spec, &names).unwrap();
        let expected = [
            ((0, 2), Some("  real, allocatable :: u(:), v ! kept".to_owned())),
            ((0, 3), Some("  private :: a, Bee".to_owned())),
            ((0, 4), None),
        ];
        assert_eq!(edits, Edits::from(expected));
    }
}
