//! Pragmas that speak to Overbar, in the text as the preprocessor left it: what `#if` takes out says nothing. And comments that start with `$AD`, `$openad` or
//! `$overbar`, which the preprocessor takes out all: they say something if the code behind them is left.
//!
//! Lives here: finding them and their places. Never here: what they mean (see [`xaif::directives`]).

use super::comments::Remark;
use crate::parse::text::comments;
use rustc_hash::FxHashSet;
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
    let mut left: FxHashSet<u32> = FxHashSet::default();
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
                if at == Some(source) {
                    left.insert(here);
                }
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
        out.push(Found { family, text: text.split_whitespace().collect::<Vec<_>>().join(" "), span, before: 0, alone: true });
    }
    if text.contains('$') {
        out.extend(in_comments(source, text, preprocessed.map(|_| &left)));
        out.sort_by_key(|f| (f.span.source, f.span.line));
    }
    out
}

/// The text of a comment that speaks to Overbar.
pub(crate) fn spoken(bare: &str) -> Option<(Family, &str)> {
    Family::split(bare.strip_prefix('$')?)
}

/// Comments that start with `$AD` and the like, as others write them in C. `left` are the lines with code that the preprocessor has left.
fn in_comments(source: SourceId, text: &str, left: Option<&FxHashSet<u32>>) -> Vec<Found> {
    let remarks = comments::find(text);
    let comments: Vec<&Remark> = remarks.iter().filter(|r| !r.pragma).collect();
    // The text without comments, line for line.
    let mut code = text.as_bytes().to_vec();
    for r in &comments {
        code.get_mut(r.start..r.end).into_iter().flatten().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
    }
    let code = String::from_utf8_lossy(&code);
    let code: Vec<&str> = code.lines().collect();
    let number = |at: usize| text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count();
    let mut out = Vec::new();
    for r in comments {
        let Some((family, words)) = spoken(&r.text) else { continue };
        let (first, last) = (number(r.start), number(r.end));
        let alone = (first..=last).all(|k| code.get(k).is_none_or(|l| l.trim().is_empty()));
        // What stands behind it; `#if` and the like in between leave it open whether that is still behind it.
        let behind = code.iter().enumerate().skip(last + 1).find(|(_, l)| !l.trim().is_empty());
        let behind = behind.filter(|(_, l)| alone && !l.trim_start().starts_with('#')).map(|(k, _)| k as u32 + 1);
        if behind.is_some_and(|line| left.is_some_and(|l| !l.contains(&line))) {
            continue;
        }
        let start = text.get(..r.start).and_then(|t| t.rfind('\n')).map_or(0, |k| k + 1);
        let column = text.get(start..r.start).map_or(0, |t| t.chars().count()) as u32 + 1;
        let width = text.get(r.start..r.end).and_then(|t| t.lines().next()).map_or(1, |t| t.chars().count()).max(1) as u32;
        let line = first as u32 + 1;
        let span = Span { source, line, column, end_line: line, end_column: column + width };
        out.push(Found { family, text: words.split_whitespace().collect::<Vec<_>>().join(" "), span, before: behind.unwrap_or(0), alone });
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
    fn comments_in_the_words_of_others_are_heard_where_their_code_is_left() {
        let text = "int x;\n  /* $AD II-LOOP */\n  x = 1; // $AD why\n//$AD NOCHECKPOINT\n/* on */\nf();\n/* AD II-LOOP */\n#if 0\n/* $AD II-LOOP */\ng();\n#endif\nh();\n";
        let out = "# 1 \"a.c\"\nint x;\n\n  x = 1;\n\n\nf();\n# 12 \"a.c\"\nh();\n";
        let found = find(SourceId(0), "a.c", text, Some(out), &|_| None);
        let told: Vec<(u32, u32, &str, u32)> = found.iter().map(|f| (f.span.line, f.span.column, f.text.as_str(), f.before)).collect();
        assert_eq!(told, [(2, 3, "II-LOOP", 3), (3, 10, "why", 0), (4, 1, "NOCHECKPOINT", 6)]);
    }

    #[test]
    fn line_markers_are_followed() {
        let text = "a\nb\n#pragma AD II-LOOP\n";
        let out = "# 1 \"a.c\"\n# 1 \"h.h\" 1\n#pragma overbar parallel\n# 3 \"a.c\" 2\n#pragma AD II-LOOP\n";
        assert_eq!(lines(text, Some(out)), [(3, "II-LOOP".to_owned())]);
    }
}
