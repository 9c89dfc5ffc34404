//! Comment lines that speak to Overbar: `!$overbar`, `!$openad`, `!$AD`, in fixed form also with `c`, `C` or `*` in the first column.
//!
//! Lives here: finding them and their places. Never here: what they mean (see [`xaif::directives`]).

use super::lines::Row;
use xaif::directives::{Family, Found};
use xaif::model::{SourceId, Span};

/// The directives of a text.
pub fn find(rows: &[Row], fixed: bool, source: SourceId) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    for row in rows {
        let text = row.text.as_str();
        let comment = text.trim_start().starts_with('!') || (fixed && text.starts_with(['c', 'C', '*']));
        if !comment && !text.trim().is_empty() && !text.starts_with('#') {
            out.iter_mut().rev().take_while(|f| f.before == 0).for_each(|f| f.before = row.number);
        }
        let Some((at, rest)) = sentinel(text, fixed) else { continue };
        let Some((family, words)) = Family::split(rest) else { continue };
        let alone = text[..at].trim().is_empty();
        let column = text[..at].chars().count() as u32 + 1;
        let words = words.split('!').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let end_column = column + text[at..].trim_end().chars().count() as u32;
        let span = Span { source, line: row.number, column, end_line: row.number, end_column };
        out.push(Found { family, text: words, span, before: 0, alone });
    }
    out
}

/// Where a comment that starts with `$` begins, and what stands behind the sign.
pub fn sentinel(text: &str, fixed: bool) -> Option<(usize, &str)> {
    if fixed && text.starts_with(['c', 'C', '*', '!']) {
        return text[1..].strip_prefix('$').map(|rest| (0, rest));
    }
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '!') => return text[i + 1..].strip_prefix('$').map(|rest| (i, rest)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, fixed: bool) -> Vec<Found> {
        let rows: Vec<Row> = text.lines().enumerate().map(|(i, l)| Row { number: i as u32 + 1, text: l.into() }).collect();
        find(&rows, fixed, SourceId(0))
    }

    fn read(text: &str, fixed: bool) -> Vec<(u32, String)> {
        found(text, fixed).into_iter().map(|f| (f.span.line, f.text)).collect()
    }

    #[test]
    fn sentinels_of_both_forms_are_known() {
        let free = "  !$overbar head f(y)/(x) ! why\n!$omp parallel do\n!$ x = 1\n! $overbar no\ns = '!$overbar no'\n!$AD II-LOOP\n";
        assert_eq!(read(free, false), [(1, "head f(y)/(x)".to_owned()), (6, "II-LOOP".to_owned())]);
        let fixed = "c$overbar independent x\nC$OPENAD XXX Simple Loop\n*$ad II-LOOP\n      !$overbar parallel\ncomment\nc$omp do\n\t!$openad\tDEPENDENT(y)\n*$openad\txxx\tTemplate\ta.f\n";
        let want = ["independent x", "XXX Simple Loop", "II-LOOP", "parallel", "DEPENDENT(y)", "xxx Template a.f"];
        assert_eq!(read(fixed, true).into_iter().map(|f| f.1).collect::<Vec<_>>(), want);
    }

    #[test]
    fn a_directive_behind_a_statement_is_not_alone() {
        let found = found("do i = 1, n !$overbar parallel\n", false);
        assert_eq!((found[0].alone, found[0].span.line, found[0].span.column), (false, 1, 13));
    }
}
