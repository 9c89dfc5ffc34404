//! Comment lines that speak to compilers: OpenMP, OpenACC, `!dir$` and the like, and the lines that OpenMP compiles only with it (`!$ x = 1`). The
//! original keeps them; derivative code does not have them, so each kind is said once.
//!
//! Lives here: finding them, and what is said of them. Never here: directives to Overbar (see `directives`).

use super::directives::sentinel;
use super::lines::Row;
use xaif::model::{SourceId, Span};
use xaif::{Diagnostic, Program, Severity};

/// Behind the sign: `!$omp parallel do`.
const BEHIND: [&str; 3] = ["omp", "ompx", "acc"];

/// Before the sign: `!dir$ ivdep`.
const BEFORE: [&str; 6] = ["dir", "dec", "gcc", "ibm", "nec", "pgi"];

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directive of this family, by its word.
    Directive(&'static str),
    /// Code for a compiler with OpenMP.
    Conditional,
}

/// The lines of one kind in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub kind: Kind,
    /// The first of them.
    pub text: String,
    pub span: Span,
    /// How many there are.
    pub count: usize,
}

/// What a text says to compilers, by kinds in the order of the first of each.
pub fn find(rows: &[Row], fixed: bool, source: SourceId) -> Vec<Said> {
    let mut out: Vec<Said> = Vec::new();
    for row in rows {
        let Some((kind, at)) = kind_of(&row.text, fixed) else { continue };
        if let Some(said) = out.iter_mut().find(|s| s.kind == kind) {
            said.count += 1;
            continue;
        }
        let text = row.text[at..].trim();
        let column = row.text[..at].chars().count() as u32 + 1;
        let end_column = column + text.chars().count() as u32;
        let span = Span { source, line: row.number, column, end_line: row.number, end_column };
        out.push(Said { kind, text: text.split_whitespace().collect::<Vec<_>>().join(" "), span, count: 1 });
    }
    out
}

/// What a line is, and where it begins.
fn kind_of(text: &str, fixed: bool) -> Option<(Kind, usize)> {
    let start = text.len() - text.trim_start().len();
    let comment = match fixed {
        true if text.starts_with(['c', 'C', '*']) => text.get(1..)?,
        _ => text.get(start..)?.strip_prefix('!')?,
    };
    let word = |t: &str| t.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let known = |list: &[&'static str], w: &str| list.iter().copied().find(|k| *k == w);
    let first = word(comment);
    if let Some(family) = known(&BEFORE, &first).filter(|_| comment[first.len()..].starts_with(['$', '*'])) {
        return Some((Kind::Directive(family), start));
    }
    let (at, rest) = sentinel(text, fixed)?;
    if let Some(family) = known(&BEHIND, &word(rest)) {
        return Some((Kind::Directive(family), at));
    }
    // Behind the sign stands a blank, in fixed form also a label; nothing else is code.
    let code = rest.starts_with([' ', '\t', '&']) || fixed && rest.starts_with(|c: char| c.is_ascii_digit());
    (code && !rest.trim_start_matches(['&', ' ', '\t']).is_empty()).then_some((Kind::Conditional, at))
}

/// The same with what differentiation makes of it.
pub fn diagnostic(program: &Program, said: &Said) -> Diagnostic {
    let more = match said.count {
        1 => String::new(),
        n => format!(" and {} more of this kind", n - 1),
    };
    let without = format!("derivative code is without `{}`{more}", said.text);
    let d = match said.kind {
        Kind::Conditional => {
            Diagnostic::warning("OB3052", format!("`{}`{more} is code with OpenMP only, and read as a comment", said.text))
                .because("the program is differentiated as it is without OpenMP")
                .help("compile derivative code without OpenMP, or write the line without the sign")
        }
        Kind::Directive("omp" | "ompx" | "acc") => Diagnostic::warning("OB4110", without)
            .because(
                "the program is differentiated as it runs without it; in the adjoint, iterations that only read a variable add to its adjoint",
            )
            .help("derivatives run on one thread; parallelize them by hand where iterations add to different elements"),
        Kind::Directive(_) => Diagnostic { severity: Severity::Note, ..Diagnostic::warning("OB4111", without) },
    };
    d.at(program.location(said.span))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, fixed: bool) -> Vec<(Kind, u32, usize)> {
        let rows: Vec<Row> = text.lines().enumerate().map(|(i, l)| Row { number: i as u32 + 1, text: l.into() }).collect();
        find(&rows, fixed, SourceId(0)).into_iter().map(|s| (s.kind, s.span.line, s.count)).collect()
    }

    #[test]
    fn what_speaks_to_compilers_is_found_in_both_forms() {
        let free = "!$Id: a.f90 $\n  !$omp parallel do\ndo i = 1, n\n!$OMP END PARALLEL DO\n!$ t = omp_get_wtime()\n!DIR$ IVDEP\n!$acc loop\n!$\n! $omp no\nx = '!$ no'\n!$overbar parallel\n!dirty trick\n";
        let omp = Kind::Directive("omp");
        let want = [(omp, 2, 2), (Kind::Conditional, 5, 1), (Kind::Directive("dir"), 6, 1), (Kind::Directive("acc"), 7, 1)];
        assert_eq!(kinds(free, false), want);
        let fixed = "c$omp do\nC$ 10  x = 1\n*$10   x = 1\ncdec$ attributes inline :: f\ncall it\nc$Id$\n";
        assert_eq!(kinds(fixed, true), [(omp, 1, 1), (Kind::Conditional, 2, 2), (Kind::Directive("dec"), 4, 1)]);
    }
}
