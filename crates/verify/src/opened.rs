//! Modules that keep nothing to themselves that a driver has to reach.
//!
//! Lives here: the accessibility of names in a text that is compiled for checks only; no line of it moves. Never here: drivers.

use std::collections::{BTreeMap, BTreeSet};

/// A text in free form with some names of its modules made public.
pub fn opened(text: &str, private: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut out = String::with_capacity(text.len() + 200);
    // The names of the module that is open, up to its CONTAINS.
    let mut names: Option<&BTreeSet<String>> = None;
    // Inside a statement that says what is private, or a definition of a type, whose components it says it of.
    let (mut listing, mut in_type) = (false, false);
    let mut list: Vec<Listed> = Vec::new();
    for line in text.split_inclusive('\n') {
        let code = line.split('!').next().unwrap_or_default().trim().to_ascii_lowercase();
        let first = code.split(';').next().unwrap_or_default().trim();
        let words: Vec<&str> = first.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        match words[..] {
            ["module", name] if first.len() == 7 + name.len() => {
                names = private.iter().find(|(m, _)| m.eq_ignore_ascii_case(name)).map(|m| m.1)
            }
            ["contains"] if !in_type => names = None,
            ["type", ..] if !code.starts_with("type(") && !code.starts_with("type (") => in_type = true,
            ["end", "type", ..] | ["endtype", ..] => in_type = false,
            _ => {}
        }
        let Some(names) = names.filter(|_| !in_type) else {
            out.push_str(line);
            continue;
        };
        // It may stand behind another statement in the line.
        if code.split(';').any(|s| s.trim() == "private") {
            let list: Vec<&str> = names.iter().map(String::as_str).collect();
            let end = line.to_ascii_lowercase().find("private").map_or(0, |at| at + 7);
            let names = format!("{}; public :: {}", &line[..end], list.join(", "));
            // Where the names take more than a line may have, all of them become public.
            let fits = names.len() < 132 || end < 7;
            let names = if fits { names } else { format!("{}public", &line[..end - 7]) };
            out.push_str(&format!("{names}{}", &line[end..]));
            continue;
        }
        let starts = words.first() == Some(&"private") && !code.contains('=');
        if starts || listing {
            list.push(Listed::of(line, names, starts));
            listing = code.ends_with('&') || listing && code.is_empty();
            if !listing {
                write(&mut out, &std::mem::take(&mut list));
            }
            continue;
        }
        let declares = code
            .find("::")
            .is_some_and(|at| code[..at].contains("private") && words.iter().any(|w| names.iter().any(|n| n.eq_ignore_ascii_case(w))));
        match line.to_ascii_lowercase().find("private").filter(|_| declares) {
            // All names of the declaration become public, which harms none.
            Some(at) => out.push_str(&format!("{}public {}", &line[..at], &line[at + 7..])),
            None => out.push_str(line),
        }
    }
    out
}

/// A line of a list of names, without those that become public.
struct Listed {
    kept: String,
    comment: String,
    end: &'static str,
}

impl Listed {
    fn of(line: &str, names: &BTreeSet<String>, starts: bool) -> Listed {
        let (code, comment) = line
            .split_once('!')
            .map_or((line.trim_end_matches('\n'), String::new()), |(c, rest)| (c, format!("!{}", rest.trim_end_matches('\n'))));
        let list = code.trim().trim_start_matches('&').trim_end_matches('&');
        let list = if starts { list.trim_start()[7..].trim_start().trim_start_matches(':') } else { list };
        let kept: Vec<&str> =
            list.split(',').map(str::trim).filter(|n| !n.is_empty() && !names.iter().any(|p| p.eq_ignore_ascii_case(n))).collect();
        Listed { kept: kept.join(", "), comment, end: if line.ends_with('\n') { "\n" } else { "" } }
    }
}

/// A list, line by line: it goes on where names follow; without any it is no statement.
fn write(out: &mut String, list: &[Listed]) {
    let names = |l: &Listed| !l.kept.is_empty();
    let (first, last) = (list.iter().position(names), list.iter().rposition(names));
    for (k, l) in list.iter().enumerate() {
        let start = if Some(k) == first { "private :: " } else { "" };
        let more = if names(l) && Some(k) != last { ", &" } else { "" };
        out.push_str(&format!("{start}{}{more} {}{}", l.kept, l.comment, l.end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_names_become_public_where_they_stand() {
        let names = BTreeMap::from([("m".to_owned(), BTreeSet::from(["a".to_owned(), "b".to_owned()]))]);
        let text = "module m\nprivate ! all\nprivate :: a, c\nprivate b\nreal, private :: a = 1\ntype t\nprivate\nend type\ncontains\nprivate = 1\nend module\nmodule n\nprivate\nend module\nmodule m ; implicit none ; private\nend module\n";
        let want = "module m\nprivate; public :: a, b ! all\nprivate :: c \n \nreal, public  :: a = 1\ntype t\nprivate\nend type\ncontains\nprivate = 1\nend module\nmodule n\nprivate\nend module\nmodule m ; implicit none ; private; public :: a, b\nend module\n";
        assert_eq!(opened(text, &names), want);
        let text = "module m\nprivate :: c, & ! first\n  a, &\n  d, &\n  b\nprivate :: a, &\n  b\nend module\n";
        let want = "module m\nprivate :: c, & ! first\n \nd \n \n \n \nend module\n";
        assert_eq!(opened(text, &names), want);
        let long = BTreeMap::from([("m".to_owned(), (0..9).map(|k| format!("a_name_of_many_letters_{k}")).collect())]);
        assert_eq!(opened("module m ; private ! all\nend module\n", &long), "module m ; public ! all\nend module\n");
    }
}
