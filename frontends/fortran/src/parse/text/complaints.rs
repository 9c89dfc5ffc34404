//! What a text that the parser does not understand lacks: an operand, a parenthesis, a comma, the end of a construct.
//!
//! ```text
//! if (x > 0) then           2 |
//!   y = x                   3 |
//! end subroutine f          4 |   expected `end if` for the `if` of line 2, found `end subroutine`
//! ```
//!
//! Only asked where there is a syntax error already; what is not sure is not said. Lives here: a look at statements one by one, and at how constructs nest. Never here:
//! whether the text is understood; which statements begin units (see `outline`).

use super::lines::{FormError, Spliced};
use super::outline::{Kind, closing, heading, opens_interface, opens_type};

/// What an assignment or a list may not end with.
const DANGLING: [&str; 9] = ["*", "+", "-", "=", ",", ".and.", ".or.", "==", "//"];
/// Words of declarations that stand behind a comma.
const ATTRIBUTES: [&str; 9] = ["intent", "dimension", "allocatable", "parameter", "pointer", "target", "optional", "save", "value"];
/// First words of declarations.
const TYPES: [&str; 7] = ["integer", "real", "double", "complex", "logical", "character", "type"];
const HELP: &str = "check that the compiler accepts the file in this source form";

/// A construct or unit that is open: what its end is called, and its line.
struct Open {
    kind: &'static str,
    line: u32,
}

/// A statement, in lower case and without what stands in quotes, with the places of its characters.
struct Statement<'a> {
    text: String,
    places: &'a [(u32, u32)],
}

impl Statement<'_> {
    fn place(&self, at: usize) -> (u32, u32) {
        self.places.get(at).or(self.places.last()).copied().unwrap_or((1, 1))
    }

    fn complaint(&self, at: usize, message: String) -> FormError {
        let (line, column) = self.place(at);
        FormError { code: "OB3001", line, column, message: format!("syntax error: {message}"), help: HELP }
    }
}

/// The first thing that a text lacks, as far as that is plain.
pub(super) fn first(spliced: &Spliced) -> Option<FormError> {
    let (mut open, mut at) = (Vec::new(), 0);
    let mut last = None;
    for row in spliced.text.split_inclusive('\n') {
        let places = spliced.places.get(at..at + row.len()).unwrap_or_default();
        at += row.len();
        let s = Statement { text: quiet(row.trim_end()), places };
        if s.text.trim().is_empty() {
            continue;
        }
        if let Some(found) = alone(&s) {
            return Some(found);
        }
        match nested(&s, &mut open) {
            Ok(true) => {}
            // Loops that end at a label, which may be shared.
            Ok(false) => return None,
            Err(found) => return Some(found),
        }
        last = Some(s);
    }
    let (open, last) = (open.pop()?, last?);
    let end = last.text.len().saturating_sub(1);
    Some(last.complaint(end, format!("expected `end {0}` for the `{0}` of line {1}, found the end of the file", open.kind, open.line)))
}

/// Text in lower case, with blanks for what stands in quotes. As many bytes as before.
fn quiet(row: &str) -> String {
    let mut quote = None;
    let one = |c: char| match quote {
        Some(q) => {
            if c == q {
                quote = None;
            }
            if c == q { '\'' } else { '_' }
        }
        None if matches!(c, '\'' | '"') => {
            quote = Some(c);
            '\''
        }
        None => c.to_ascii_lowercase(),
    };
    if row.is_ascii() { row.chars().map(one).collect() } else { String::new() }
}

/// What a statement lacks by itself.
fn alone(s: &Statement) -> Option<FormError> {
    let text = s.text.as_str();
    let mut depth = 0i32;
    for (k, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return Some(s.complaint(k, "`)` closes no `(`".into()));
        }
    }
    if depth > 0 {
        return Some(s.complaint(text.len(), "expected `)`".into()));
    }
    let ending = DANGLING.into_iter().filter(|d| text.ends_with(d)).max_by_key(|d| d.len());
    if let Some(sign) = ending.filter(|d| *d == "," || text[..text.len() - d.len()].contains('=') || text.ends_with('=')) {
        return Some(s.complaint(text.len() - sign.len(), format!("expected an operand behind `{sign}`")));
    }
    let head = text.split("::").next().filter(|h| h.len() < text.len())?;
    TYPES.into_iter().find(|t| head.trim_start().starts_with(t))?;
    for word in ATTRIBUTES {
        let Some(k) = head.find(word).filter(|&k| k > 0) else { continue };
        let before = head[..k].trim_end();
        let apart = before.ends_with(')') || before.len() < k && before.ends_with(|c: char| c.is_ascii_alphanumeric());
        if apart && !before.ends_with(',') {
            return Some(s.complaint(k, format!("expected `,` before `{word}`")));
        }
    }
    None
}

/// Takes note of constructs that a statement begins or ends; false where how they nest cannot be told.
fn nested(s: &Statement, open: &mut Vec<Open>) -> Result<bool, FormError> {
    let text = unlabelled(&s.text);
    if let Some(kind) = ended(text) {
        let first = s.text.len() - s.text.trim_start().len();
        return match open.pop() {
            Some(o) if kind.is_empty() && is_unit(o.kind) || o.kind == kind => Ok(true),
            // Units may be told by prefixes that are not looked at.
            None if kind.is_empty() || is_unit(kind) => Ok(false),
            None => Err(s.complaint(first, format!("`end {kind}` ends no `{kind}`"))),
            Some(o) if is_unit(o.kind) && !is_unit(kind) => Err(s.complaint(first, format!("`end {kind}` ends no `{kind}`"))),
            Some(o) if is_unit(o.kind) => Ok(false),
            Some(o) => {
                let found = format!("end {kind}");
                let message = format!("expected `end {0}` for the `{0}` of line {1}, found `{2}`", o.kind, o.line, found.trim_end());
                Err(s.complaint(first, message))
            }
        };
    }
    if let Some(rest) = text.strip_prefix("do")
        && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
    {
        return Ok(false);
    }
    if let Some(kind) = begun(text) {
        open.push(Open { kind, line: s.place(0).0 });
    }
    Ok(true)
}

/// Without a number in front, and without the name of a construct.
fn unlabelled(text: &str) -> &str {
    let text = text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim();
    match text.split_once(':') {
        Some((name, rest))
            if !rest.starts_with(':') && !name.trim().is_empty() && name.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_') =>
        {
            rest.trim_start()
        }
        _ => text,
    }
}

const UNITS: [&str; 5] = ["subroutine", "function", "program", "module", "submodule"];

fn is_unit(kind: &str) -> bool {
    UNITS.contains(&kind)
}

/// What a statement ends: the word behind `end`, nothing where it stands alone; `None` for other statements.
fn ended(text: &str) -> Option<&'static str> {
    let rest = text.strip_prefix("end")?;
    if rest.trim().is_empty() {
        return Some("");
    }
    let rest = rest.trim_start();
    let kinds = ["if", "do", "select", "where", "forall", "associate", "block", "critical", "type", "interface", "enum"];
    let known = UNITS.into_iter().chain(kinds).find(|k| {
        let behind = rest.strip_prefix(k);
        behind.is_some_and(|b| b.is_empty() || b.starts_with(' '))
    })?;
    Some(known)
}

/// What a statement begins, by the word with which that ends.
fn begun(text: &str) -> Option<&'static str> {
    let word = |w: &str| text.strip_prefix(w).filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    if word("if").is_some() && text.ends_with("then") && !text.contains('=') || word("if").is_some() && text.ends_with(") then") {
        return Some("if");
    }
    if word("do").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ','])) && !text.starts_with("do =") {
        return Some("do");
    }
    if text.starts_with("select case") || text.starts_with("select type") || text.starts_with("select rank") {
        return Some("select");
    }
    for kind in ["where", "forall"] {
        if word(kind).is_some_and(|rest| rest.trim_start().starts_with('(') && closes_at_the_end(rest)) {
            return Some(kind);
        }
    }
    if word("associate").is_some_and(|rest| rest.trim_start().starts_with('(') && closes_at_the_end(rest)) {
        return Some("associate");
    }
    if let Some(kind) = ["block", "critical", "enum"].into_iter().find(|k| *k == text) {
        return Some(kind);
    }
    if opens_interface(text) {
        return Some("interface");
    }
    if opens_type(text) {
        return Some("type");
    }
    match heading(text)?.0 {
        Kind::Subroutine => Some("subroutine"),
        Kind::Function => Some("function"),
        Kind::Module if text.starts_with("submodule") => Some("submodule"),
        Kind::Module => Some("module"),
        Kind::Other if text.starts_with("program") => Some("program"),
        Kind::Other | Kind::Headless => None,
    }
}

/// Whether the parenthesis that comes first closes with the last character.
fn closes_at_the_end(text: &str) -> bool {
    let text = text.trim();
    closing(text).is_some_and(|k| k + 1 == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        let places = text.split_inclusive('\n').zip(1u32..).flat_map(|(row, n)| (1..=row.len() as u32).map(move |c| (n, c))).collect();
        first(&Spliced { text: text.to_owned(), places, lines: Vec::new() }).map(|e| format!("{}:{}: {}", e.line, e.column, e.message))
    }

    #[test]
    fn what_is_missing_is_named_where_it_is_missing() {
        for (text, wanted) in [
            ("y = x *\n", "1:7: syntax error: expected an operand behind `*`"),
            ("y = sin(x\n", "1:10: syntax error: expected `)`"),
            ("y = x)\n", "1:6: syntax error: `)` closes no `(`"),
            ("real(8) intent(in) :: x\n", "1:9: syntax error: expected `,` before `intent`"),
            (
                "subroutine f(x)\nif (x > 0) then\nx = 1\nend subroutine f\n",
                "4:1: syntax error: expected `end if` for the `if` of line 2, found `end subroutine`",
            ),
            ("do i = 1, 3\ny = x\nend if\n", "3:1: syntax error: expected `end do` for the `do` of line 1, found `end if`"),
            ("subroutine f\nend if\nend\n", "2:1: syntax error: `end if` ends no `if`"),
            (
                "subroutine f\ndo while (x > 0)\nx = x - 1\n",
                "3:9: syntax error: expected `end do` for the `do` of line 2, found the end of the file",
            ),
        ] {
            assert_eq!(said(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_lacks_nothing_is_not_complained_of() {
        let whole = "module m\ninterface\nreal function g(x)\nreal x\nend function\nend interface\ninterface assignment(=)\nmodule procedure s\nend interface\ntype, extends(a) :: t\nreal :: x\nend type t\ncontains\n\
            pure real(8) function f(x) result(y)\nreal(8), intent(in), dimension(3) :: x\nouter: do i = 1, 3\nif (x(1) > 0) y = 1\nif (x(1) > 0) then\ny = 'a)*'\nelse if (y > 2) then\ny = 2\n\
            endif\nend do outer\nwhere (x > 0) x = 1\nwhere (x > 0)\nx = 2\nend where\nselect case (i)\ncase (1)\ncall s\nend select\nprint *\nsave /b/\nend function f\nend module\n";
        assert_eq!(said(whole), None);
        assert_eq!(said("do 10 i = 1, n\n10 continue\nend if\n"), None, "loops with labels are not followed");
    }
}
