//! Bounds on the nesting of the text, checked before a recursive parser sees it.
//!
//! Lives here: the limits and the one pass that enforces them. Never here: anything that needs a tree.

use super::tokens::Scanned;

/// Stack of the thread that parses: several times what the limits below take.
pub(crate) const STACK: usize = 256 << 20;
/// With no less there is no parsing.
pub(crate) const LEAST_STACK: usize = 8 << 20;

/// How deep things may nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Brackets nest no deeper.
    pub brackets: usize,
    /// An expression has no more tokens between two commas, semicolons or braces.
    pub run: usize,
    /// Statements nest no deeper, braces or not (`if` in `if`, `else if` chains).
    pub statements: usize,
}

/// What a stack of [`STACK`] bytes is enough for.
const FULL: Limits = Limits { brackets: 200, run: 20_000, statements: 300 };

/// The limits on the present stack, where the system does not give a large one.
pub(crate) fn limits() -> Limits {
    // The limits take less than a sixth of the whole stack.
    let part = |n: usize| (n as u64 * xaif::stack::size().min(STACK / 2) as u64 / (STACK as u64 / 2)) as usize;
    Limits { brackets: part(FULL.brackets), run: part(FULL.run), statements: part(FULL.statements) }
}

/// Which limit a text exceeds, with the byte offset.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooDeep {
    pub offset: usize,
    pub what: &'static str,
}

/// Checks a text against the limits.
pub(crate) fn check(text: &str, scanned: &Scanned, limits: Limits) -> Result<(), TooDeep> {
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
            () if depth > limits.brackets => "brackets nest too deeply",
            () if run > limits.run => "an expression is too long",
            () if heads > 2 * limits.statements => "statements nest too deeply",
            () => continue,
        };
        return Err(TooDeep { offset: t.start, what });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::text::tokens::scan;

    #[test]
    fn deep_and_long_texts_are_refused() {
        let bad = |t: &str| check(t, &scan(t), FULL).is_err();
        assert!(bad(&format!("int x = {}1{};", "(".repeat(1000), ")".repeat(1000))));
        assert!(bad(&format!("int x = {}1;", "-".repeat(100_000).replace("--", "- -"))));
        assert!(bad(&format!("void f(void) {{ {} ; }}", "if (1) ".repeat(5000))));
        assert!(!bad(&format!("double t[] = {{ {} }};", "1.0, ".repeat(50_000))));
        assert!(!bad("void f(void) { if (1) { } else if (2) { } else { } }"));
    }
}
