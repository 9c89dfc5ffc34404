//! Pragmas that speak to Overbar, in the text as the preprocessor left it: what `#if` takes out says nothing.
//!
//! Lives here: finding them and their places. Never here: what they mean (see [`xaif::directives`]).

use xaif::directives::{Family, Found};
use xaif::model::{SourceId, Span};

/// The pragmas of a text. `preprocessed` has line markers and comes from `file`; without it the text itself is read. `name` gives the source of a
/// file by its name.
pub(crate) fn find(
    source: SourceId,
    file: &str,
    text: &str,
    preprocessed: Option<&str>,
    name: &dyn Fn(&str) -> Option<SourceId>,
) -> Vec<Found> {
    let mut out = Vec::new();
    let (mut at, mut number) = (Some(source), 1u32);
    let mut lines = preprocessed.unwrap_or(text).lines();
    let raw: Vec<&str> = text.lines().collect();
    let mut comment = false;
    while let Some(line) = lines.next() {
        let here = number;
        number += 1;
        let mut joined = line.to_owned();
        while preprocessed.is_none() && joined.ends_with('\\') {
            joined.pop();
            let Some(more) = lines.next() else { break };
            joined.push_str(more);
            number += 1;
        }
        if preprocessed.is_none() && inside_comment(line, &mut comment) {
            continue;
        }
        let Some(rest) = joined.trim_start().strip_prefix('#').map(str::trim_start) else {
            let code = joined.split("//").next().unwrap_or_default();
            let code = code.split_once("*/").map_or(code, |(_, c)| c).split("/*").next().unwrap_or_default();
            if !code.trim().is_empty() {
                let waiting = out.iter_mut().rev().take_while(|f: &&mut Found| f.before == 0);
                waiting.filter(|f| Some(f.span.source) == at && f.span.line < here).for_each(|f| f.before = here);
            }
            continue;
        };
        if let Some((line, from)) = marker(rest).filter(|_| preprocessed.is_some()) {
            number = line;
            at = if from == file { Some(source) } else { name(&from) };
            continue;
        }
        let words = rest.strip_prefix("pragma").filter(|r| r.starts_with(char::is_whitespace));
        let (Some(text), Some(source_here)) = (words, at) else { continue };
        let Some((family, text)) = Family::split(text) else { continue };
        let original = raw.get(here as usize - 1).filter(|_| source_here == source).copied().unwrap_or_default();
        let column = original.chars().take_while(|c| c.is_whitespace()).count() as u32 + 1;
        let width = original.trim().chars().count().max(1) as u32;
        let span = Span { source: source_here, line: here, column, end_line: here, end_column: column + width };
        let text = text.split("/*").next().unwrap_or_default().split("//").next().unwrap_or_default();
        out.push(Found { family, text: text.split_whitespace().collect::<Vec<_>>().join(" "), span, before: 0 });
    }
    out
}

/// `12 "file" 1`: the number of the next line, and its file.
fn marker(rest: &str) -> Option<(u32, String)> {
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let (number, rest) = rest.split_once(' ')?;
    let name = rest.trim_start().strip_prefix('"')?;
    let name = &name[..name.rfind('"')?];
    Some((number.parse().ok()?, name.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// Whether a line starts inside a comment; keeps track of where comments end.
fn inside_comment(line: &str, open: &mut bool) -> bool {
    let before = *open;
    let mut rest = line;
    loop {
        let found = if *open { rest.find("*/") } else { rest.find("/*") };
        let Some(k) = found else { return before };
        *open = !*open;
        rest = &rest[k + 2..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, preprocessed: Option<&str>) -> Vec<(u32, String)> {
        find(SourceId(0), "a.c", text, preprocessed, &|_| None).into_iter().map(|f| (f.span.line, f.text)).collect()
    }

    #[test]
    fn the_text_of_a_pragma_is_found_where_it_stands() {
        let text =
            "int x;\n#pragma omp simd\n  # pragma overbar head f(y)/(x) // why\n/*\n#pragma AD II-LOOP\n*/\n#pragma AD \\\n NOCHECKPOINT\n";
        let want = [(3, "head f(y)/(x)".to_owned()), (7, "NOCHECKPOINT".to_owned())];
        assert_eq!(lines(text, None), want);
    }

    #[test]
    fn line_markers_are_followed() {
        let text = "a\nb\n#pragma AD II-LOOP\n";
        let out = "# 1 \"a.c\"\n# 1 \"h.h\" 1\n#pragma overbar parallel\n# 3 \"a.c\" 2\n#pragma AD II-LOOP\n";
        assert_eq!(lines(text, Some(out)), [(3, "II-LOOP".to_owned())]);
    }
}
