//! `#if`: constant expressions of whole numbers.
//!
//! Lives here: their grammar and values, by precedence climbing with a bounded depth. Never here: macros.

use super::macros::{Macros, Token};
use super::{Problem, broken, uncertain};

/// Brackets and signs nest no deeper.
const MAX_DEPTH: usize = 100;

/// Whether a condition holds.
pub(super) fn holds(macros: &Macros, tokens: Vec<Token>, line: u32) -> Result<bool, Problem> {
    // `defined` first: its names are not expanded.
    let mut ready = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(t) = rest.next() {
        if &*t.text != "defined" {
            ready.push(t);
            continue;
        }
        let open = rest.next_if(|t| &*t.text == "(").is_some();
        let name = rest.next().filter(Token::is_name).ok_or_else(|| broken(line, "`defined` needs a name"))?;
        if open && rest.next_if(|t| &*t.text == ")").is_none() {
            return Err(broken(line, "`defined` has no closing bracket"));
        }
        ready.push(Token::new(if macros.is_defined(&name.text, line)? { "1" } else { "0" }, line));
    }
    let expanded = macros.expand(ready)?;
    if expanded.iter().any(|t| &*t.text == "defined") {
        return Err(uncertain(line, "`defined` that a macro makes"));
    }
    let mut reader = Reader { macros, tokens: &expanded, at: 0, line };
    let value = reader.choice(0, true)?;
    match reader.tokens.get(reader.at) {
        None => Ok(value != 0),
        Some(t) => Err(broken(line, format!("the condition ends before `{}`", t.text))),
    }
}

struct Reader<'a> {
    macros: &'a Macros,
    tokens: &'a [Token],
    at: usize,
    line: u32,
}

/// How tightly an operator binds.
fn strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Reader<'_> {
    fn next(&self) -> &str {
        self.tokens.get(self.at).map_or("", |t| &t.text)
    }

    fn take(&mut self, text: &str) -> bool {
        let is = self.next() == text;
        self.at += usize::from(is);
        is
    }

    /// `a ? b : c`. What is not `wanted` is read, but may divide by zero.
    fn choice(&mut self, depth: usize, wanted: bool) -> Result<i128, Problem> {
        let condition = self.binary(1, depth, wanted)?;
        if !self.take("?") {
            return Ok(condition);
        }
        if depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        let yes = self.choice(depth + 1, wanted && condition != 0)?;
        if !self.take(":") {
            return Err(broken(self.line, "a `?` has no `:`"));
        }
        let no = self.choice(depth + 1, wanted && condition == 0)?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn binary(&mut self, least: u8, depth: usize, wanted: bool) -> Result<i128, Problem> {
        if depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        let mut left = self.unary(depth, wanted)?;
        while let Some(s) = strength(self.next()).filter(|s| *s >= least) {
            let operator = self.next().to_owned();
            self.at += 1;
            let needed = wanted && !matches!((operator.as_str(), left), ("&&", 0)) && !(operator == "||" && left != 0);
            let right = self.binary(s + 1, depth + 1, needed)?;
            left = self.apply(&operator, left, right, needed)?;
        }
        Ok(left)
    }

    fn apply(&self, operator: &str, a: i128, b: i128, wanted: bool) -> Result<i128, Problem> {
        let truth = |v: bool| Some(i128::from(v));
        let value = match operator {
            "||" => truth(a != 0 || b != 0),
            "&&" => truth(a != 0 && b != 0),
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            "&" => Some(a & b),
            "==" => truth(a == b),
            "!=" => truth(a != b),
            "<" => truth(a < b),
            ">" => truth(a > b),
            "<=" => truth(a <= b),
            ">=" => truth(a >= b),
            "<<" => u32::try_from(b).ok().filter(|b| *b < 63).and_then(|b| a.checked_mul(1 << b)),
            ">>" => u32::try_from(b).ok().filter(|b| *b < 64).map(|b| a >> b),
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            "/" => a.checked_div(b),
            _ => a.checked_rem(b),
        };
        match value.filter(|v| i64::try_from(*v).is_ok()) {
            Some(v) => Ok(v),
            None if !wanted => Ok(0),
            None => Err(uncertain(self.line, format!("the value of `{a} {operator} {b}` in a condition"))),
        }
    }

    fn unary(&mut self, depth: usize, wanted: bool) -> Result<i128, Problem> {
        if depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        for sign in ["!", "-", "+", "~"] {
            if self.take(sign) {
                let v = self.unary(depth + 1, wanted)?;
                return Ok(match sign {
                    "!" => i128::from(v == 0),
                    "-" => -v,
                    "+" => v,
                    _ => !v,
                });
            }
        }
        if self.take("(") {
            let v = self.choice(depth + 1, wanted)?;
            return if self.take(")") { Ok(v) } else { Err(broken(self.line, "a bracket in a condition is not closed")) };
        }
        let Some(t) = self.tokens.get(self.at) else { return Err(broken(self.line, "a condition ends too early")) };
        self.at += 1;
        if t.is_name() {
            return if wanted { self.macros.value(&t.text, self.line) } else { Ok(0) };
        }
        number(&t.text).ok_or_else(|| uncertain(self.line, format!("`{}` in a condition", t.text)))
    }

    fn too_deep(&self) -> Problem {
        Problem { code: "OB2005", line: self.line, message: "a condition nests too deeply".to_owned(), reason: "the parser has limits" }
    }
}

/// A whole number that a signed 64-bit integer holds; others depend on how the compiler takes them.
fn number(text: &str) -> Option<i128> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches('l');
    // Unsigned arithmetic has other rules.
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        i64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    value.ok().map(i128::from)
}
