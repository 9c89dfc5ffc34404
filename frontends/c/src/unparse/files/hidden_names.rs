//! Names of the library that the user's text has for something of its own.
//!
//! ```text
//! #define index ob_library_index
//! #include <string.h>
//! #undef index
//! ```
//!
//! Derivative code needs headers that the user's text does not include, and may not: it has a
//! function `div`, a table `y1`, a type `select` of its own. While such headers are read, what the
//! library calls so has another name. Lives here: which names these are. Never here: which headers
//! are needed, and names that derivative code itself calls.

use crate::unparse::language::identifiers::is_reserved;
use crate::unparse::language::library_names::is_of_library;
use crate::unparse::language::runtime::RUNTIME;
use crate::unparse::text::source_text::blanked;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The headers that the run-time support includes.
const OF_RUNTIME: [&str; 5] = ["<math.h>", "<stddef.h>", "<stdio.h>", "<stdlib.h>", "<string.h>"];

/// Whether derivative code or its run-time support may mean the library by that name.
fn is_needed(name: &str) -> bool {
    static SET: std::sync::OnceLock<FxHashSet<&str>> = std::sync::OnceLock::new();
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    is_reserved(name) || SET.get_or_init(|| RUNTIME.split(word).collect()).contains(name)
}

/// The names of the library at file scope of these texts.
pub(crate) fn names<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for text in texts {
        let blank = blanked(text);
        let (mut braces, mut parentheses, mut before, mut k) = (0usize, 0usize, "", 0);
        while k < blank.len() {
            let start = k;
            while k < blank.len() && (blank[k].is_ascii_alphanumeric() || blank[k] == b'_') {
                k += 1;
            }
            if k > start {
                let name = &text[start..k];
                if braces == 0 && parentheses == 0 && is_of_library(name) && !is_needed(name) {
                    out.insert(name.to_owned());
                }
                // What an enumeration lists is at file scope too.
                before = if before == "enum" && braces == 0 { before } else { name };
                continue;
            }
            match blank[k] {
                b'{' if before != "enum" => braces += 1,
                b'}' if before != "enum" => braces = braces.saturating_sub(1),
                b'(' => (parentheses, before) = (parentheses + 1, ""),
                b')' => parentheses = parentheses.saturating_sub(1),
                b';' => before = "",
                _ => {}
            }
            k += 1;
        }
    }
    out
}

/// The `#include` lines, with the names of the library hidden as they are read.
pub(crate) fn wrapped(mut lines: Vec<String>, own: &BTreeSet<String>) -> Vec<String> {
    if own.is_empty() || lines.is_empty() {
        return lines;
    }
    let runtime = lines.pop_if(|l| l.ends_with('"'));
    if runtime.is_some() {
        let more = OF_RUNTIME.iter().map(|h| format!("#include {h}")).filter(|l| !lines.contains(l)).collect::<Vec<_>>();
        lines.extend(more);
    }
    let mut out: Vec<String> = own.iter().map(|n| format!("#define {n} ob_library_{n}")).collect();
    out.extend(lines);
    out.extend(own.iter().map(|n| format!("#undef {n}")));
    out.extend(runtime);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_file_scope_alone_are_hidden() {
        let text = "static double y1(double x, int index) { int div = 1; return x * div; }\nenum e { select, random };\nstruct s { int rand; };\n\
                    /* gamma */ double free(double remove);\nint jnf;";
        let found = names([text].into_iter());
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["jnf", "random", "select", "y1"]);
        let lines = wrapped(vec!["#include <math.h>".into(), "#include \"overbar.h\"".into()], &names(["int div;"].into_iter()));
        assert_eq!(lines.first().map(String::as_str), Some("#define div ob_library_div"));
        assert_eq!(lines.last().map(String::as_str), Some("#include \"overbar.h\""));
        assert_eq!(lines[lines.len() - 2], "#undef div");
        assert_eq!(lines.iter().filter(|l| l.starts_with("#include <")).count(), 5);
    }
}
