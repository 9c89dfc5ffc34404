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
//! library calls so has another name; what is a macro there (`extern double NAN`) is taken back
//! behind them.
//!
//! Lives here: which names these are. Never here: which headers are needed, and names that
//! derivative code itself calls.

use crate::unparse::language::identifiers::is_reserved;
use crate::unparse::language::library_names::is_of_library;
use crate::unparse::language::runtime::RUNTIME;
use crate::unparse::text::source_text::{Directive, blanked, directives};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Macros of headers that printed code may need.
const MACROS: [(&str, &str); 5] = [
    (
        "<math.h>",
        "FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF HUGE_VALL INFINITY MAXFLOAT M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 \
         M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN fpclassify isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan \
         isnormal isunordered signbit",
    ),
    ("<stdio.h>", "BUFSIZ EOF FILENAME_MAX FOPEN_MAX SEEK_CUR SEEK_END SEEK_SET TMP_MAX"),
    ("<stdlib.h>", "EXIT_FAILURE EXIT_SUCCESS MB_CUR_MAX RAND_MAX"),
    ("<float.h>", "DBL_DIG DBL_EPSILON DBL_MAX DBL_MAX_EXP DBL_MIN DBL_MIN_EXP FLT_DIG FLT_EPSILON FLT_MAX FLT_MIN FLT_RADIX"),
    ("<limits.h>", "CHAR_BIT CHAR_MAX CHAR_MIN INT_MAX INT_MIN LONG_MAX LONG_MIN SHRT_MAX SHRT_MIN UCHAR_MAX UINT_MAX ULONG_MAX"),
];

/// The headers that the run-time support includes.
const OF_RUNTIME: [&str; 5] = ["<math.h>", "<stddef.h>", "<stdio.h>", "<stdlib.h>", "<string.h>"];

/// Whether derivative code or its run-time support may mean the library by that name; `own`: the program defines it.
fn is_needed(name: &str, own: bool) -> bool {
    static SET: std::sync::OnceLock<FxHashSet<&str>> = std::sync::OnceLock::new();
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    (is_reserved(name) && !own) || SET.get_or_init(|| RUNTIME.split(word).collect()).contains(name)
}

/// Whether what the library calls so is a type.
fn is_library_type(name: &str) -> bool {
    name == "FILE" || name.ends_with("_t") || name.starts_with("u_") || matches!(name, "uint" | "ushort" | "ulong")
}

/// Whether the text goes on with what a type stands before: `FILE *log;`, `time_t now;`.
fn stands_before_what_is_declared(rest: &[u8]) -> bool {
    let next = rest.iter().find(|c| !c.is_ascii_whitespace());
    next.is_some_and(|c| *c == b'*' || *c == b'_' || c.is_ascii_alphabetic())
}

/// Names of the library that the user has for something of its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Own {
    /// What the library declares.
    names: BTreeSet<String>,
    /// What it defines as a macro.
    macros: BTreeSet<String>,
}

/// The header that defines a macro of that name.
fn defining(name: &str) -> Option<&'static str> {
    MACROS.iter().find(|(_, list)| list.split_whitespace().any(|m| m == name)).map(|(header, _)| *header)
}

/// The names of the library at file scope of these texts. `defined`: functions that the program has otherwise than the library.
pub(super) fn names<'t>(texts: impl Iterator<Item = &'t str>, defined: &FxHashSet<&str>) -> Own {
    let mut out = Own::default();
    for text in texts {
        out.macros.extend(directives(text).iter().filter_map(Directive::defined).filter(|m| defining(m).is_some()).map(str::to_owned));
        let blank = blanked(text);
        let (mut braces, mut parentheses, mut before, mut k) = (0usize, 0usize, "", 0);
        // Whether a name that stands here is declared.
        let mut declares = false;
        while k < blank.len() {
            let start = k;
            while k < blank.len() && (blank[k].is_ascii_alphanumeric() || blank[k] == b'_') {
                k += 1;
            }
            if k > start {
                let name = &text[start..k];
                if braces == 0 && parentheses == 0 {
                    if declares && defining(name).is_some() {
                        out.macros.insert(name.to_owned());
                    }
                    let used = is_library_type(name) && stands_before_what_is_declared(&blank[k..]);
                    if is_of_library(name) && !used && !is_needed(name, defined.contains(name)) {
                        out.names.insert(name.to_owned());
                    }
                    declares |= before != "=";
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
                b'=' => (before, declares) = ("=", false),
                b',' if before != "enum" => (before, declares) = ("", true),
                b';' => (before, declares) = ("", false),
                _ => {}
            }
            k += 1;
        }
    }
    out
}

/// The `#include` lines, with the names of the library hidden as they are read. `present`: headers that the user's text includes.
pub(super) fn wrapped(mut lines: Vec<String>, own: &Own, present: &[&str]) -> Vec<String> {
    if lines.is_empty() {
        return lines;
    }
    let runtime = lines.iter().any(|l| l.ends_with("\"overbar.h\""));
    let read = |header: &str| lines.iter().any(|l| l.ends_with(header)) || (runtime && OF_RUNTIME.contains(&header));
    let added = |m: &&String| defining(m).is_some_and(|h| !present.contains(&h) && read(h));
    let undefined: Vec<String> = own.macros.iter().filter(added).map(|n| format!("#undef {n}")).collect();
    let mut out: Vec<String> = own.names.iter().map(|n| format!("#define {n} ob_library_{n}")).collect();
    // Headers put a macro of that name before mathematical functions.
    let vector = || own.names.iter().filter(|n| is_reserved(n)).map(|n| format!("__DECL_SIMD_ob_library_{n}"));
    out.extend(vector().map(|n| format!("#define {n}")));
    let mut last = None;
    if !own.names.is_empty() || !undefined.is_empty() {
        // What the run-time support includes is read before it, so that it is hidden there as well.
        last = lines.pop_if(|l| l.ends_with('"'));
        if last.is_some() {
            let more = OF_RUNTIME.iter().map(|h| format!("#include {h}")).filter(|l| !lines.contains(l)).collect::<Vec<_>>();
            lines.extend(more);
        }
    }
    out.extend(lines);
    out.extend(own.names.iter().map(|n| format!("#undef {n}")));
    out.extend(vector().map(|n| format!("#undef {n}")));
    out.extend(last);
    out.extend(undefined);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_file_scope_alone_are_hidden() {
        let text = "static double y1(double x, int index) { int div = 1; return x * div; }\nenum e { select, random };\nstruct s { int rand; };\n\
                    /* gamma */ double free(double remove);\nint jnf;";
        let found = names([text].into_iter(), &FxHashSet::default()).names;
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["jnf", "random", "select", "y1"]);
        let lines = wrapped(
            vec!["#include <math.h>".into(), "#include \"overbar.h\"".into()],
            &names(["int div;"].into_iter(), &FxHashSet::default()),
            &[],
        );
        assert_eq!(lines.first().map(String::as_str), Some("#define div ob_library_div"));
        assert_eq!(lines.last().map(String::as_str), Some("#include \"overbar.h\""));
        assert_eq!(lines[lines.len() - 2], "#undef div");
        assert_eq!(lines.iter().filter(|l| l.starts_with("#include <")).count(), 5);
    }

    #[test]
    fn types_of_the_library_that_are_used_are_not_the_users_own() {
        let text =
            "static FILE *log_file;\nextern time_t now, then;\nFILE *open_it(void);\ntypedef struct { int k; } clock_t;\nint mode_t;\n";
        let found = names([text].into_iter(), &FxHashSet::default()).names;
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["clock_t", "mode_t"]);
    }

    #[test]
    fn macros_of_added_headers_are_taken_back() {
        let own = names(
            ["#define M_PI 3.0\nextern double a, NAN;\ndouble b = INFINITY, c[] = { HUGE_VAL };\nint isnan(double x);\n"].into_iter(),
            &FxHashSet::default(),
        );
        assert_eq!(own.macros.iter().map(String::as_str).collect::<Vec<_>>(), ["M_PI", "NAN", "isnan"]);
        let lines = wrapped(vec!["#include <math.h>".into()], &own, &[]);
        assert_eq!(lines, ["#include <math.h>", "#undef M_PI", "#undef NAN", "#undef isnan"]);
        assert_eq!(wrapped(vec!["#include <stdlib.h>".into()], &own, &["<math.h>"]), ["#include <stdlib.h>"]);
        // What the run-time support includes is there, too.
        let lines = wrapped(vec!["#include \"overbar.h\"".into()], &own, &[]);
        assert_eq!(lines.last().map(String::as_str), Some("#undef isnan"));
        assert_eq!(lines.iter().filter(|l| l.starts_with("#include ")).count(), 6);
    }
}
