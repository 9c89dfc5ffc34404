//! Bounds on the nesting of the text, checked before a recursive parser sees it.
//!
//! Lives here: the limits and the one pass that enforces them. Never here: anything that needs a tree.

use super::tokens::Scanned;

/// Brackets nest no deeper.
pub(crate) const MAX_BRACKETS: usize = 200;
/// An expression has no more tokens between two commas, semicolons or braces.
pub(crate) const MAX_RUN: usize = 20_000;
/// Statements nest no deeper, braces or not (`if` in `if`, `else if` chains).
pub(crate) const MAX_STATEMENTS: usize = 300;
/// Stack of the thread that parses: enough for the limits above.
pub(crate) const STACK: usize = 1 << 30;

/// Which limit a text exceeds, with the byte offset.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooDeep {
    pub offset: usize,
    pub what: &'static str,
}

/// Checks a text against the limits.
pub(crate) fn check(text: &str, scanned: &Scanned) -> Result<(), TooDeep> {
    let (mut depth, mut run, mut heads, mut choices) = (0usize, 0usize, 0usize, 0usize);
    for t in &scanned.tokens {
        match &text[t.start..t.end] {
            "(" | "[" | "{" => {
                depth += 1;
                run += 1;
                if &text[t.start..t.end] == "{" {
                    run = 0;
                }
            }
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                run += 1;
                if &text[t.start..t.end] == "}" {
                    run = 0;
                    heads = 0;
                }
            }
            ";" => (run, heads, choices) = (0, 0, 0),
            "," => run = 0,
            "?" => {
                choices += 1;
                run += 1;
            }
            ":" if choices > 0 => {
                choices -= 1;
                run += 1;
            }
            "if" | "else" | "for" | "while" | "do" | "switch" | "case" | "default" | ":" => {
                heads += 1;
                run += 1;
            }
            _ => run += 1,
        }
        let what = match () {
            () if depth > MAX_BRACKETS => "brackets nest too deeply",
            () if run > MAX_RUN => "an expression is too long",
            () if heads > 2 * MAX_STATEMENTS => "statements nest too deeply",
            () => continue,
        };
        return Err(TooDeep { offset: t.start, what });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::tokens::scan;

    #[test]
    fn deep_and_long_texts_are_refused() {
        let bad = |t: &str| check(t, &scan(t)).is_err();
        assert!(bad(&format!("int x = {}1{};", "(".repeat(1000), ")".repeat(1000))));
        assert!(bad(&format!("int x = {}1;", "-".repeat(100_000).replace("--", "- -"))));
        assert!(bad(&format!("void f(void) {{ {} ; }}", "if (1) ".repeat(5000))));
        assert!(!bad(&format!("double t[] = {{ {} }};", "1.0, ".repeat(50_000))));
        assert!(!bad("void f(void) { if (1) { } else if (2) { } else { } }"));
    }
}
