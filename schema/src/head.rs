//! How a head is written: `unit(dependents)/(independents)`; either part may be left out.
//!
//! Lives here: its syntax. Never here: what the names mean.

use crate::Diagnostic;
use crate::model::Head;

fn syntax(text: &str, problem: &str) -> Diagnostic {
    Diagnostic::error("OB0010", format!("head '{text}': {problem}"))
        .help("write unit(dependents)/(independents), such as 'f(y,z)/(x)'; either list may be left out")
}

/// Reads `f(y,z)/(x)`.
///
/// # Errors
/// OB0010 with what is wrong and how a head is written.
pub fn parse_head(text: &str) -> Result<Head, Diagnostic> {
    let (left, right) = match text.split_once('/') {
        Some((l, r)) => (l.trim(), Some(r.trim())),
        None => (text.trim(), None),
    };
    let (unit, dependents) = match left.split_once('(') {
        Some((u, rest)) => {
            let inner = rest.trim_end().strip_suffix(')').ok_or_else(|| syntax(text, "the list of dependents is not closed"))?;
            (u.trim(), Some(names(text, inner)?))
        }
        None => (left, None),
    };
    if !is_name(unit) {
        return Err(syntax(text, if unit.is_empty() { "the unit's name is missing" } else { "the unit's name is no name" }));
    }
    let independents = match right {
        None => None,
        Some(r) => {
            let inner = r
                .strip_prefix('(')
                .and_then(|r| r.strip_suffix(')'))
                .ok_or_else(|| syntax(text, "the independents must stand in parentheses behind the slash"))?;
            Some(names(text, inner)?)
        }
    };
    Ok(Head { unit: unit.to_owned(), dependents, independents })
}

pub(crate) fn is_name(s: &str) -> bool {
    !s.is_empty() && s.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.')) && !s.starts_with(|c: char| c.is_ascii_digit())
}

fn names(text: &str, inner: &str) -> Result<Vec<String>, Diagnostic> {
    if inner.trim().is_empty() {
        return Err(syntax(text, "a list in parentheses is empty"));
    }
    inner
        .split(',')
        .map(|n| {
            let n = n.trim();
            // A component is called by the names on the way to it: `s%x`.
            if n.split('%').all(is_name) { Ok(n.to_owned()) } else { Err(syntax(text, &format!("'{n}' is no name"))) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_with_either_part_left_out() {
        let head = |d: Option<&[&str]>, i: Option<&[&str]>| Head {
            unit: "f".into(),
            dependents: d.map(|l| l.iter().map(|s| s.to_string()).collect()),
            independents: i.map(|l| l.iter().map(|s| s.to_string()).collect()),
        };
        assert_eq!(parse_head("f(y,z)/(x)"), Ok(head(Some(&["y", "z"]), Some(&["x"]))));
        assert_eq!(parse_head(" f ( y , z ) / ( x ) "), Ok(head(Some(&["y", "z"]), Some(&["x"]))));
        assert_eq!(parse_head("f"), Ok(head(None, None)));
        assert_eq!(parse_head("f(y)"), Ok(head(Some(&["y"]), None)));
        assert_eq!(parse_head("f/(x)"), Ok(head(None, Some(&["x"]))));
        for bad in ["", "f(", "f(y", "f()/(x)", "f(y)/x", "f(y)/(x", "(y)/(x)", "f(y)(x)", "f(y,)/(x)", "1f", "f(y)/(x)/(z)"] {
            assert_eq!(parse_head(bad).map_err(|d| d.code), Err("OB0010"), "{bad}");
        }
    }
}
