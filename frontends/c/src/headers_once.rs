//! Headers that several files include, read once where the files are one text.
//!
//! ```text
//! a.c   #include "grid.h"     b.c   #include "grid.h"     b.c behind a.c   /* "grid.h" is included above */
//! ```
//!
//! Lives here: which lines that is. Never here: whether it changes what the text means (see `parse::sources::joined`).

use crate::parse::text::tokens::scan;
use rustc_hash::FxHashSet;

/// The texts, one behind the other; those that are marked without inclusions of the user's headers that an earlier text includes too. No line goes.
pub(crate) fn texts<'t>(list: impl Iterator<Item = (&'t str, bool)>) -> Vec<String> {
    let mut before: FxHashSet<String> = FxHashSet::default();
    let mut out = Vec::new();
    for (source, marked) in list {
        let (mut text, mut from, mut depth) = (String::new(), 0, 0usize);
        let mut own = Vec::new();
        for d in &scan(source).directives {
            let line = source[d.start..d.end].trim_start().trim_start_matches('#').trim_start();
            let (word, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
            match word {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let quoted = rest.trim_start().strip_prefix('"').filter(|_| word == "include" && depth == 0);
            let Some((name, _)) = quoted.and_then(|r| r.split_once('"')) else { continue };
            if marked && before.contains(name) && !name.contains("*/") {
                let breaks = source[d.start..d.end].matches('\n').count();
                text.push_str(&source[from..d.start]);
                text.push_str(&format!("/* \"{name}\" is included above */{}", "\n".repeat(breaks)));
                from = d.end;
            }
            own.push(name.to_owned());
        }
        text.push_str(&source[from..]);
        before.extend(own);
        out.push(text);
    }
    out
}
