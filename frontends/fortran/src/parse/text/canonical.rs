//! One statement made canonical: label apart, blanks put where the grammar needs them.
//!
//! Lives here: small repairs of a statement's text that the language allows to be written without blanks. Never here: lines,
//! comments, meaning.

use super::lines::{FormError, Line, Open, Placed, Spliced};

/// Parentheses nested deeper than this are refused.
const MAX_PARENTHESES: usize = 100;

/// Adds a statement to the canonical text.
pub fn finish(mut open: Open, fixed: bool, out: &mut Spliced) -> Result<(), FormError> {
    while open.chars.last().is_some_and(|p| p.0.is_whitespace()) {
        open.chars.pop();
    }
    let skip = open.chars.iter().take_while(|p| p.0.is_whitespace()).count();
    open.chars.drain(..skip);
    if !fixed {
        // In free form the label stands at the start of the text.
        let digits = open.chars.iter().take_while(|p| p.0.is_ascii_digit()).count();
        if digits > 0 && digits <= 5 && open.chars.get(digits).is_some_and(|p| p.0.is_whitespace()) {
            let label: String = open.chars.drain(..digits).map(|p| p.0).collect();
            open.label = label.trim_start_matches('0').to_string();
            let skip = open.chars.iter().take_while(|p| p.0.is_whitespace()).count();
            open.chars.drain(..skip);
        }
    }
    if open.chars.is_empty() {
        return Ok(());
    }
    depth(&open.chars)?;
    if fixed {
        close_dots(&mut open.chars);
        close_numbers(&mut open.chars);
    }
    let start = after_if(&open.chars);
    repair(&mut open.chars, start, fixed);
    let first = open.chars[0];
    if !open.label.is_empty() {
        for c in open.label.chars().chain(std::iter::once(' ')) {
            emit(out, c, first.1, first.2);
        }
    }
    for &(c, line, column) in &open.chars {
        emit(out, c, line, column);
    }
    let last = open.chars[open.chars.len() - 1];
    emit(out, '\n', last.1, last.2 + 1);
    let text = squeeze(open.chars.iter().map(|p| p.0));
    // What speaks to Overbar is no comment (see `directives`).
    open.comments.retain(|c| c.strip_prefix('$').is_none_or(|c| xaif::directives::Family::split(c).is_none()));
    out.lines.push(Line { label: open.label, comment: open.comments.join("\n"), text });
    Ok(())
}

fn emit(out: &mut Spliced, c: char, line: u32, column: u32) {
    out.text.push(c);
    for _ in 0..c.len_utf8() {
        out.places.push((line, column));
    }
}

/// The same text with runs of blanks outside character constants as one blank.
pub fn squeeze(chars: impl IntoIterator<Item = char>) -> String {
    let mut text = String::new();
    let mut quote = None;
    for c in chars {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() => {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
                continue;
            }
            None => {}
        }
        text.push(c);
    }
    text
}

/// Refuses text that nests too deeply for the passes over its tree.
fn depth(chars: &[Placed]) -> Result<(), FormError> {
    let mut depth = 0usize;
    let mut quote = None;
    for &(c, line, column) in chars {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_PARENTHESES {
            let message = format!("parentheses nest deeper than {MAX_PARENTHESES}");
            return Err(FormError { code: "OB3005", line, column, message, help: "split the statement" });
        }
    }
    Ok(())
}

fn matches_word(chars: &[Placed], at: usize, word: &str) -> bool {
    word.chars().enumerate().all(|(k, w)| chars.get(at + k).is_some_and(|p| p.0.eq_ignore_ascii_case(&w)))
}

fn skip_blanks(chars: &[Placed], mut at: usize) -> usize {
    while chars.get(at).is_some_and(|p| p.0.is_whitespace()) {
        at += 1;
    }
    at
}

/// Where the statement behind `if (...)` starts; 0 if there is no such prefix.
fn after_if(chars: &[Placed]) -> usize {
    if !matches_word(chars, 0, "if") {
        return 0;
    }
    let open = skip_blanks(chars, 2);
    if chars.get(open).is_none_or(|p| p.0 != '(') {
        return 0;
    }
    let mut depth = 0usize;
    let mut quote = None;
    for (i, p) in chars.iter().enumerate().skip(open) {
        match (quote, p.0) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, c @ ('\'' | '"')) => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    let next = skip_blanks(chars, i + 1);
                    return if chars.get(next).is_some_and(|p| p.0 == '=') { 0 } else { next };
                }
            }
            _ => {}
        }
    }
    0
}

/// Puts the blanks in that the grammar needs: `goto10`, and in fixed form `do10i=1,n`; `common // x`, which it does not know, is `common x`.
fn repair(chars: &mut Vec<Placed>, start: usize, fixed: bool) {
    let digits = |chars: &[Placed], at: usize| chars.iter().skip(at).take_while(|p| p.0.is_ascii_digit()).count();
    if matches_word(chars, start, "goto") {
        let at = start + 4;
        let n = digits(chars, at);
        if n > 0 && at + n == chars.len() {
            blank_before(chars, at);
        }
    } else if start == 0 && matches_word(chars, 0, "common") {
        let first = skip_blanks(chars, "common".len());
        let second = skip_blanks(chars, first + 1);
        if [first, second].iter().all(|&k| chars.get(k).is_some_and(|p| p.0 == '/')) {
            (chars[first].0, chars[second].0) = (' ', ' ');
        }
    } else if start == 0 && matches_word(chars, 0, "forall") {
        operator_in_mask(chars);
    } else if fixed && start == 0 && matches_word(chars, 0, "do") {
        let at = skip_blanks(chars, 2);
        let n = digits(chars, at);
        let name = at + n;
        let rest: String = chars.iter().skip(name).map(|p| p.0.to_ascii_lowercase()).filter(|c| !c.is_whitespace()).collect();
        let loop_head = rest.starts_with("while(") || {
            let word = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').count();
            let tail: String = rest.chars().skip(word).collect();
            word > 0 && tail.starts_with('=') && top_level_comma(&tail)
        };
        if n > 0 && loop_head {
            if chars.get(name).is_some_and(|p| !p.0.is_whitespace()) {
                blank_before(chars, name);
            }
            if at == 2 {
                blank_before(chars, 2);
            }
        }
    }
}

/// The grammar takes a mask of FORALL for one by its operators: `m(i)` becomes `m(i) .and. .true.`.
fn operator_in_mask(chars: &mut Vec<Placed>) {
    let open = skip_blanks(chars, "forall".len());
    let (mut depth, mut item, mut triplet, mut operator) = (0, 0, false, false);
    for k in open..chars.len() {
        match chars[k].0 {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 1 => (item, triplet, operator) = (item + 1, false, false),
            ':' if depth == 1 => triplet = true,
            '.' | '<' | '>' | '=' if depth == 1 => operator = true,
            _ => {}
        }
        if depth == 0 {
            if item > 0 && !triplet && !operator {
                let (_, line, column) = chars[k];
                chars.splice(k..k, " .and. .true.".chars().map(|c| (c, line, column)));
            }
            return;
        }
    }
}

/// Takes the blanks out of `. and .`.
fn close_dots(chars: &mut Vec<Placed>) {
    const WORDS: [&str; 13] = ["and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "eqv", "neqv", "true", "false"];
    let mut quote = None;
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i].0;
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == '.' => {
                let word = skip_blanks(chars, i + 1);
                let letters: String =
                    chars.iter().skip(word).map(|p| p.0.to_ascii_lowercase()).take_while(|c| c.is_ascii_alphabetic()).collect();
                let after = word + letters.len();
                let end = skip_blanks(chars, after);
                if WORDS.contains(&letters.as_str()) && chars.get(end).is_some_and(|p| p.0 == '.') {
                    chars.drain(after..end);
                    chars.drain(i + 1..word);
                    i += letters.len() + 1;
                }
            }
            None => {}
        }
        i += 1;
    }
}

/// Takes the blanks out of numbers: `0.91893 85332 D0`.
fn close_numbers(chars: &mut Vec<Placed>) {
    if matches_word(chars, 0, "format") {
        return;
    }
    let digit = |chars: &[Placed], at: usize| chars.get(at).is_some_and(|p| p.0.is_ascii_digit());
    let is = |chars: &[Placed], at: usize, any: &str| chars.get(at).is_some_and(|p| any.contains(p.0.to_ascii_lowercase()));
    let mut quote = None;
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i].0;
        let starts = match quote {
            Some(q) => {
                if c == q {
                    quote = None;
                }
                false
            }
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                false
            }
            None => digit(chars, i) && (i == 0 || !(chars[i - 1].0.is_alphanumeric() || chars[i - 1].0 == '_')),
        };
        if !starts {
            i += 1;
            continue;
        }
        // What comes before it may be the point of the number, or that of `.gt.`, which is no matter.
        let mut point = i > 0 && chars[i - 1].0 == '.';
        loop {
            while digit(chars, i) {
                i += 1;
            }
            let next = skip_blanks(chars, i);
            if digit(chars, next) {
                chars.drain(i..next);
            } else if !point && is(chars, next, ".") {
                let behind = skip_blanks(chars, next + 1);
                let more = digit(chars, behind);
                if !more && next > i {
                    break;
                }
                point = true;
                if more {
                    chars.drain(next + 1..behind);
                }
                chars.drain(i..next);
                i += 1;
            } else {
                break;
            }
        }
        if is(chars, i, "h") {
            // A constant as old as that has its blanks in it.
            return;
        }
        let letter = skip_blanks(chars, i);
        let sign = skip_blanks(chars, letter + 1);
        let exponent = skip_blanks(chars, sign + usize::from(is(chars, sign, "+-")));
        if point && is(chars, letter, "ed") && digit(chars, exponent) {
            if exponent > sign {
                chars.drain(sign + 1..exponent);
            }
            chars.drain(letter + 1..sign);
            chars.drain(i..letter);
        }
    }
}

fn blank_before(chars: &mut Vec<Placed>, at: usize) {
    if let Some(&(_, line, column)) = chars.get(at) {
        chars.insert(at, (' ', line, column));
    }
}

fn top_level_comma(text: &str) -> bool {
    let mut depth = 0i32;
    text.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::super::{form::splice, preprocess};

    fn text(line: &str, fixed: bool) -> String {
        splice(&preprocess::rows("a.f", line, false, fixed, &[], false).unwrap(), fixed).spliced.lines[0].text.clone()
    }

    #[test]
    fn blanks_are_put_in_where_the_grammar_needs_them() {
        assert_eq!(text("      do10i=1,n", true), "do 10 i=1,n");
        assert_eq!(text("      do10i=1.5", true), "do10i=1.5");
        assert_eq!(text("      if(a(1).gt.')')goto10", true), "if(a(1).gt.')')goto 10");
        assert_eq!(text("      l = a .and . b. not .c.eq.'. or .'", true), "l = a .and. b.not.c.eq.'. or .'");
        assert_eq!(
            text("      data a / 0.91893 85332 d + 0, - .1 2 E 3,1 2 3 / , c/'1 2'/", true),
            "data a / 0.9189385332d+0, - .12E3,123 / , c/'1 2'/"
        );
        assert_eq!(
            text("      if (x .gt. 1. and. i 1 .eq. 1. e0) do 1 0 e1 = 1, 2", true),
            "if (x .gt. 1.and. i 1 .eq. 1.e0) do 10 e1 = 1, 2"
        );
        assert_eq!(text("      x = 1 . 5 .gt. 2 . eq. 3 .", true), "x = 1.5 .gt. 2 .eq. 3 .");
        assert_eq!(text("      x = 5hab 1 2", true), "x = 5hab 1 2");
        assert_eq!(text("forall (i=1:n, m(i)) y(i) = 1", false), "forall (i=1:n, m(i) .and. .true.) y(i) = 1");
        assert_eq!(text("forall (i=1:n, j=1:m(i):2) y(i) = 1", false), "forall (i=1:n, j=1:m(i):2) y(i) = 1");
        assert_eq!(text("if (x) = 3", false), "if (x) = 3");
        assert_eq!(text("goto10 = 3", false), "goto10 = 3");
    }
}
