//! Statements kept as text that put a text together: parts of texts, `trim`, `adjustl`, `adjustr`, `//`.
//!
//! ```text
//! text_1 = name(1:3)        text_1 = trim(name)//', again'
//! ```
//!
//! The model has no operations on texts; what is compared with them often decides where a program goes on. Lives here: reading such a statement. Never
//! here: which variable is meant by a name.

use smol_str::SmolStr;

/// What a name stands for.
pub enum Named {
    /// A text with all its characters.
    Text(SmolStr),
    /// A whole number.
    Number(i64),
}

/// The value that a statement gives to its left side, which is a name; `None` for what is not understood.
pub fn assigned(statement: &str, left: &str, lookup: &mut dyn FnMut(&str) -> Option<Named>) -> Option<SmolStr> {
    let (name, right) = statement.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case(left) {
        return None;
    }
    let mut reader = Reader { rest: right.trim(), lookup, depth: 0 };
    let value = reader.sum()?;
    reader.rest.is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
    lookup: &'a mut dyn FnMut(&str) -> Option<Named>,
    depth: usize,
}

/// Parentheses nest no deeper.
const DEEPEST: usize = 50;

impl<'a> Reader<'a> {
    fn eat(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(word)
    }

    fn sum(&mut self) -> Option<SmolStr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut value = self.term()?.to_string();
        while self.eat("//") {
            value.push_str(&self.term()?);
        }
        self.depth -= 1;
        Some(value.into())
    }

    fn term(&mut self) -> Option<SmolStr> {
        if self.eat("(") {
            let value = self.sum()?;
            return self.eat(")").then_some(value);
        }
        if let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            return self.literal(quote);
        }
        let word = self.word()?.to_ascii_lowercase();
        if matches!(word.as_str(), "trim" | "adjustl" | "adjustr") && self.eat("(") {
            let value = self.sum()?;
            let width = value.chars().count();
            let value = match word.as_str() {
                "trim" => value.trim_end_matches(' ').to_owned(),
                "adjustl" => format!("{:<width$}", value.trim_start_matches(' ')),
                _ => format!("{:>width$}", value.trim_end_matches(' ')),
            };
            return self.eat(")").then(|| value.into());
        }
        let Some(Named::Text(value)) = (self.lookup)(&word) else { return None };
        if !self.eat("(") {
            return Some(value);
        }
        let length = value.chars().count() as i64;
        let from = if self.rest.starts_with(':') { 1 } else { self.number()? };
        if !self.eat(":") {
            return None;
        }
        let to = if self.rest.starts_with(')') { length } else { self.number()? };
        let part = value.chars().skip(usize::try_from(from - 1).ok()?).take(usize::try_from((to - from + 1).max(0)).ok()?);
        // Behind the end there are the blanks with which a text is filled.
        let part = part.chain(std::iter::repeat_n(' ', usize::try_from(to - length.max(from - 1)).unwrap_or(0).min(1 << 16)));
        let part = SmolStr::from_iter(part);
        self.eat(")").then_some(part)
    }

    fn literal(&mut self, quote: char) -> Option<SmolStr> {
        let mut out = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((_, c)) = chars.next() {
            if c != quote {
                out.push(c);
            } else if chars.peek().is_some_and(|(_, c)| *c == quote) {
                out.push(quote);
                chars.next();
            } else {
                let end = chars.peek().map_or(self.rest.len(), |(at, _)| *at);
                self.rest = self.rest[end..].trim_start();
                return Some(out.into());
            }
        }
        None
    }

    fn number(&mut self) -> Option<i64> {
        let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        if digits > 0 {
            let n = self.rest[..digits].parse().ok();
            self.rest = self.rest[digits..].trim_start();
            return n;
        }
        let word = self.word()?.to_ascii_lowercase();
        match (self.lookup)(&word)? {
            Named::Number(n) => Some(n),
            Named::Text(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_put_together() {
        let mut lookup = |n: &str| match n {
            "name" => Some(Named::Text("ice cap  ".into())),
            "n" => Some(Named::Number(3)),
            _ => None,
        };
        let mut value = |s: &str| assigned(s, "t", &mut lookup).map(String::from);
        assert_eq!(value("t = name(1:3)").as_deref(), Some("ice"));
        assert_eq!(value("T = trim(name)//', it''s'//name(:n)").as_deref(), Some("ice cap, it'sice"));
        assert_eq!(value("t = (adjustr(name))").as_deref(), Some("  ice cap"));
        assert_eq!(value("t = name(8:11)").as_deref(), Some("    "));
        assert_eq!(value("t = name(5:)//\"x\"").as_deref(), Some("cap  x"));
        for s in ["t = other", "t = name(n)", "t = name + 1", "u = name", "t = name(1:m)", "t = trim(name"] {
            assert_eq!(value(s), None, "{s}");
        }
    }
}
