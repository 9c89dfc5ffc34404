//! Source text to canonical text: one statement a line, comments taken out, continuation lines spliced, each character with
//! the place it came from.
//!
//! Lives here: free and fixed form, what is a comment, where a statement ends. Never here: what a statement means.

use super::canonical::finish;
use super::isolate::Region;
use super::lines::{FormError, Open, Row, Spliced};

struct Splicer {
    out: Spliced,
    errors: Vec<FormError>,
    fixed: bool,
    /// The statement so far; `None` between statements.
    open: Option<Open>,
    /// Comment lines that wait for the next statement.
    pending: Vec<String>,
    /// The quote of the string that is open.
    quote: Option<char>,
}

/// A text made canonical, as far as it can be.
pub struct Formed {
    pub spliced: Spliced,
    /// What is wrong with its form: statements that are missing.
    pub errors: Vec<FormError>,
    /// Where a preprocessor would have to choose.
    pub regions: Vec<Region>,
}

/// Makes a text canonical.
pub fn splice(rows: &[Row], fixed: bool) -> Formed {
    let mut s = Splicer { out: Spliced::default(), errors: Vec::new(), fixed, open: None, pending: Vec::new(), quote: None };
    let mut continued = false;
    let mut directives = Vec::new();
    for Row { number, text } in rows {
        // The form feed means nothing.
        let line: Vec<char> = text.chars().map(|c| if c == '\u{c}' { ' ' } else { c }).collect();
        let number = *number;
        if line.first() == Some(&'#') {
            directives.push((number, text.trim_end()));
        } else if fixed {
            s.fixed_line(&line, number);
        } else {
            continued = s.free_line(&line, number, continued);
        }
    }
    if continued {
        let line = rows.iter().rev().find(|r| !r.text.trim().is_empty()).map_or(1, |r| r.number);
        s.error("OB3002", line, 1, "the last line is continued, but nothing follows", "remove the `&`");
    }
    s.close();
    Formed { spliced: s.out, errors: s.errors, regions: regions(&directives) }
}

/// The outermost pairs of `#if` and `#endif`, and all other directives.
fn regions(directives: &[(u32, &str)]) -> Vec<Region> {
    let mut out: Vec<Region> = Vec::new();
    let mut depth = 0_usize;
    for &(number, text) in directives {
        let word = text[1..].trim_start();
        if depth == 0 || word.starts_with("define") || word.starts_with("include") {
            out.push(Region { from: number, to: number, text: text.to_owned() });
        }
        if word.starts_with("if") {
            depth += 1;
        } else if word.starts_with("endif") {
            depth = depth.saturating_sub(1);
        }
        if let Some(opened) = out
            .iter_mut()
            .rev()
            .find(|r| r.text[1..].trim_start().starts_with("if"))
            .filter(|r| word.starts_with("endif") && r.from == r.to && depth == 0)
        {
            opened.to = number;
        }
    }
    out
}

/// The text of a comment without its sign.
fn comment_text(chars: &[char]) -> String {
    let text: String = chars.iter().collect();
    let text = text.trim_start_matches('!');
    text.strip_prefix(' ').unwrap_or(text).trim_end().to_string()
}

impl Splicer {
    fn error(&mut self, code: &'static str, line: u32, column: u32, message: &str, help: &'static str) {
        if self.errors.len() < 50 {
            self.errors.push(FormError { code, line, column, message: message.into(), help });
        }
    }

    /// Ends the statement that is open.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        if let (Some(_), Some(&(_, line, column))) = (self.quote.take(), open.chars.last()) {
            self.error("OB3002", line, column, "a character constant is not closed", "close it, or continue it with `&`");
        }
        if let Err(e) = finish(open, self.fixed, &mut self.out) {
            self.errors.push(e);
        }
    }

    /// The statement that is open, opened if there is none.
    fn statement(&mut self) -> &mut Open {
        let pending = &mut self.pending;
        self.open.get_or_insert_with(|| Open { comments: std::mem::take(pending), ..Open::default() })
    }

    /// Takes the characters of a line; returns whether it ends with a continuation sign (free form).
    fn take(&mut self, chars: &[(char, u32)], line: u32) -> bool {
        let mut i = 0;
        while i < chars.len() {
            let (c, column) = chars[i];
            if let Some(q) = self.quote {
                if c == '&' && !self.fixed && chars[i + 1..].iter().all(|(c, _)| c.is_whitespace()) {
                    return true;
                }
                if c == q {
                    self.quote = None;
                }
            } else {
                match c {
                    '\'' | '"' => self.quote = Some(c),
                    '!' => {
                        let text: Vec<char> = chars[i..].iter().map(|(c, _)| *c).collect();
                        let text = comment_text(&text);
                        match &mut self.open {
                            Some(open) => open.comments.push(text),
                            None => self.pending.push(text),
                        }
                        return false;
                    }
                    ';' => {
                        self.close();
                        i += 1;
                        continue;
                    }
                    '&' if !self.fixed => {
                        let rest: Vec<char> = chars[i + 1..].iter().map(|(c, _)| *c).skip_while(|c| c.is_whitespace()).collect();
                        if rest.first().is_none_or(|c| *c == '!') {
                            if !rest.is_empty() {
                                let text = comment_text(&rest);
                                self.statement().comments.push(text);
                            }
                            return true;
                        }
                        self.error("OB3002", line, column, "`&` inside a line", "put it at the line's end");
                    }
                    _ if c.is_ascii_digit() && self.fixed => {
                        // A Hollerith constant may hold quotes.
                        let before = self.open.as_ref().and_then(|o| o.chars.last()).map_or(' ', |p| p.0);
                        if !before.is_alphanumeric() && before != '_' {
                            let digits: String = chars[i..].iter().map(|(c, _)| *c).take_while(char::is_ascii_digit).collect();
                            let n: usize = digits.parse().unwrap_or(0);
                            let start = i + digits.len();
                            if n > 0 && chars.get(start).is_some_and(|(c, _)| matches!(c, 'h' | 'H')) && start + n < chars.len() {
                                for &(c, column) in &chars[i..=start + n] {
                                    self.statement().chars.push((c, line, column));
                                }
                                i = start + n + 1;
                                continue;
                            }
                        }
                    }
                    _ => {}
                }
            }
            if !(c.is_whitespace() && self.open.is_none()) {
                self.statement().chars.push((c, line, column));
            }
            i += 1;
        }
        false
    }

    fn free_line(&mut self, line: &[char], number: u32, continued: bool) -> bool {
        let Some(first) = line.iter().position(|c| !c.is_whitespace()) else { return continued };
        if line[first] == '!' && self.quote.is_none() {
            let text = comment_text(&line[first..]);
            match (&mut self.open, continued) {
                (Some(open), true) => open.comments.push(text),
                _ => self.pending.push(text),
            }
            return continued;
        }
        let mut start = 0;
        if continued {
            if line[first] == '&' {
                start = first + 1;
            } else if self.quote.is_some() {
                self.error(
                    "OB3002",
                    number,
                    first as u32 + 1,
                    "a continued character constant needs `&` at the start of its next line",
                    "add it",
                );
            }
        } else {
            self.close();
        }
        let placed: Vec<(char, u32)> = (start..line.len()).map(|i| (line[i], i as u32 + 1)).collect();
        let more = self.take(&placed, number);
        if !more {
            self.close();
        }
        more
    }

    fn fixed_line(&mut self, line: &[char], number: u32) {
        let blank = line.iter().all(|c| c.is_whitespace());
        if blank {
            return;
        }
        if matches!(line[0], 'c' | 'C' | '*' | '!') {
            let text: String = line[1..].iter().collect();
            self.pending.push(text.trim_start_matches('!').trim().to_string());
            return;
        }
        if let Some(bang) = line.iter().position(|c| !c.is_whitespace()).filter(|&i| line[i] == '!' && i != 5) {
            self.pending.push(comment_text(&line[bang..]));
            return;
        }
        // With a tab in the first six columns the statement starts behind it, and a digit there continues the line before.
        let tab = line.iter().take(6).position(|c| *c == '\t');
        let (label, continuation, start) = match tab {
            Some(t) => {
                let digit = line.get(t + 1).is_some_and(|c| ('1'..='9').contains(c));
                (&line[..t], digit, t + 1 + usize::from(digit))
            }
            None => {
                let sign = line.get(5).is_some_and(|c| *c != ' ' && *c != '0');
                (&line[..line.len().min(5)], sign, 6)
            }
        };
        let end = if tab.is_some() { line.len() } else { line.len().min(72) };
        if let Some(at) = label.iter().position(|c| !c.is_whitespace() && !c.is_ascii_digit()) {
            let help = "check the source form: fixed form has labels in columns 1 to 5 and statements from column 7 on";
            self.error("OB3002", number, at as u32 + 1, "only a label may stand before column 6", help);
            return;
        }
        let label: String = label.iter().filter(|c| c.is_ascii_digit()).collect();
        let placed: Vec<(char, u32)> = (start..end).map(|i| (line[i], i as u32 + 1)).collect();
        if continuation && label.is_empty() {
            if self.open.is_none() {
                self.error("OB3002", number, 6, "a continuation line without a line before it", "clear column 6");
                return;
            }
            let comments = std::mem::take(&mut self.pending);
            let quoted = self.quote.is_some();
            let open = self.statement();
            open.comments.extend(comments);
            // A line that does not reach column 72 is filled with blanks, which end a token here (but not inside a constant).
            if let Some(&(_, l, c)) = open.chars.last() {
                let fill = if quoted { 72u32.saturating_sub(c) } else { u32::from(c < 72) };
                for k in 0..fill {
                    open.chars.push((' ', l, c + 1 + k));
                }
            }
        } else {
            self.close();
            let label = label.trim_start_matches('0').to_string();
            if !label.is_empty() {
                self.statement().label = label;
            }
        }
        self.take(&placed, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::text::preprocess;

    fn splice(text: &str, fixed: bool) -> Result<Spliced, Vec<FormError>> {
        let formed = super::splice(&preprocess::rows("a.f", text, false, fixed, &[], false)?, fixed);
        if formed.errors.is_empty() { Ok(formed.spliced) } else { Err(formed.errors) }
    }

    fn texts(text: &str, fixed: bool) -> Vec<String> {
        splice(text, fixed).unwrap().lines.into_iter().map(|l| l.text).collect()
    }

    #[test]
    fn free_form_continuation_splits_tokens_and_strings() {
        assert_eq!(texts("x = al&\n   ! note\n  &pha + 1 ; y = 'a!&\n  &b'", false), ["x = alpha + 1", "y = 'a!b'"]);
        assert_eq!(texts("x = a + & ! why\n\n  b", false), ["x = a + b"]);
    }

    #[test]
    fn fixed_form_columns_labels_and_comments() {
        let text = "c head\n   10 if (a .gt. b)\n     1goto20\nC inner\n      write(*,'(a\n     &b)') x\n\tx = 1\n      y = 2                                                             zzz\n";
        let s = splice(text, true).unwrap();
        assert_eq!(s.lines[0].label, "10");
        assert_eq!(s.lines[0].text, "if (a .gt. b) goto 20");
        assert_eq!(s.lines[0].comment, "head");
        assert_eq!(s.lines[2].text, "x = 1");
        assert_eq!(s.lines[3].text, "y = 2");
    }

    #[test]
    fn every_byte_knows_where_it_stood() {
        let s = splice("  x = 1; abc = 2\n", false).unwrap();
        assert_eq!(s.text.len(), s.places.len());
        let at = s.text.find("abc").unwrap();
        assert_eq!(s.places[at], (1, 10));
    }

    #[test]
    fn directives_are_outermost_pairs() {
        let rows =
            preprocess::rows("a.f90", "#define A 1\n#ifdef B\n#if C\n#endif\n#else\n#endif\n#include <b.h>\n", false, false, &[], false)
                .unwrap();
        let found: Vec<(u32, u32)> = super::splice(&rows, false).regions.iter().map(|r| (r.from, r.to)).collect();
        assert_eq!(found, [(1, 1), (2, 6), (7, 7)]);
    }

    #[test]
    fn bad_forms_are_refused() {
        assert_eq!(splice("x = 'a\ny = 1", false).unwrap_err()[0].code, "OB3002");
        assert_eq!(splice("x = 1 &\n", false).unwrap_err()[0].code, "OB3002");
        assert_eq!(splice("subroutine f\n", true).unwrap_err()[0].code, "OB3002");
        let deep = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
        assert_eq!(splice(&deep, false).unwrap_err()[0].code, "OB3005");
    }
}
