//! Tokens of C text with their places: enough to align preprocessed text with the original and to bound nesting.
//!
//! Lives here: a scanner that knows identifiers, numbers, literals, comments and directive lines. Never here: grammar.

/// A token: byte offsets and the line it starts on (from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub start: usize,
    pub end: usize,
    pub line: u32,
}

/// A directive line (`#` to the end of the line, continuation lines included).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    pub start: usize,
    pub end: usize,
    pub line: u32,
}

/// What the scanner found, in text order.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    pub tokens: Vec<Token>,
    pub directives: Vec<Directive>,
    /// Byte ranges of comments.
    pub comments: Vec<(usize, usize)>,
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

const THREE: [&[u8]; 3] = [b"<<=", b">>=", b"..."];
const TWO: [&[u8]; 19] =
    [b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||", b"++", b"--", b"->", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^="];

/// Scans a whole text. Never fails: what is no token of C becomes a token of one byte.
pub(crate) fn scan(text: &str) -> Scanned {
    let b = text.as_bytes();
    let mut out = Scanned::default();
    let (mut i, mut line, mut fresh) = (0usize, 1u32, true);
    while i < b.len() {
        let c = b[i];
        if c == b'\n' {
            line += 1;
            fresh = true;
            i += 1;
        } else if c.is_ascii_whitespace() {
            i += 1;
        } else if c == b'\\' && splice(b, i).is_some() {
            i = splice(b, i).unwrap_or(i + 1);
            line += 1;
        } else if b[i..].starts_with(b"/*") {
            let end = find(b, i + 2, b"*/").map_or(b.len(), |p| p + 2);
            out.comments.push((i, end));
            line += newlines(&b[i..end]);
            i = end;
        } else if b[i..].starts_with(b"//") {
            let end = line_end(b, i);
            out.comments.push((i, end));
            line += newlines(&b[i..end]);
            i = end;
        } else if c == b'#' && fresh {
            let end = directive_end(b, i);
            out.directives.push(Directive { start: i, end, line });
            line += newlines(&b[i..end]);
            i = end;
        } else {
            fresh = false;
            let end = token_end(b, i);
            out.tokens.push(Token { start: i, end, line });
            line += newlines(&b[i..end]);
            i = end;
        }
    }
    out
}

fn newlines(b: &[u8]) -> u32 {
    b.iter().filter(|&&c| c == b'\n').count() as u32
}

fn find(b: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    (from..b.len().saturating_sub(what.len() - 1)).find(|&p| b[p..].starts_with(what))
}

/// Behind a backslash-newline, if there is one here.
pub(crate) fn splice(b: &[u8], i: usize) -> Option<usize> {
    match b.get(i + 1) {
        Some(b'\n') => Some(i + 2),
        Some(b'\r') if b.get(i + 2) == Some(&b'\n') => Some(i + 3),
        _ => None,
    }
}

fn line_end(b: &[u8], mut i: usize) -> usize {
    while i < b.len() && b[i] != b'\n' {
        i = if b[i] == b'\\' { splice(b, i).unwrap_or(i + 1) } else { i + 1 };
    }
    i
}

/// The end of a directive line: continuation lines and block comments that start on it belong to it.
fn directive_end(b: &[u8], mut i: usize) -> usize {
    while i < b.len() && b[i] != b'\n' {
        if b[i..].starts_with(b"/*") {
            i = find(b, i + 2, b"*/").map_or(b.len(), |p| p + 2);
        } else if b[i..].starts_with(b"//") {
            return line_end(b, i);
        } else if b[i] == b'\\' {
            i = splice(b, i).unwrap_or(i + 1);
        } else {
            i += 1;
        }
    }
    i
}

fn token_end(b: &[u8], i: usize) -> usize {
    let c = b[i];
    if c == b'"' || c == b'\'' {
        let mut j = i + 1;
        while j < b.len() && b[j] != c && b[j] != b'\n' {
            j += if b[j] == b'\\' { 2 } else { 1 };
        }
        return (j + usize::from(b.get(j) == Some(&c))).min(b.len());
    }
    if c.is_ascii_digit() || (c == b'.' && b.get(i + 1).is_some_and(u8::is_ascii_digit)) {
        let mut j = i;
        while j < b.len()
            && (is_word(b[j]) || b[j] == b'.' || (matches!(b[j], b'+' | b'-') && matches!(b[j - 1], b'e' | b'E' | b'p' | b'P')))
        {
            j += 1;
        }
        return j;
    }
    if is_word(c) {
        return i + b[i..].iter().take_while(|&&c| is_word(c)).count();
    }
    if THREE.iter().any(|t| b[i..].starts_with(t)) {
        return i + 3;
    }
    if TWO.iter().any(|t| b[i..].starts_with(t)) {
        return i + 2;
    }
    i + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_comments_and_directives_are_told_apart() {
        let text = "#define A \\\n 1 /* x\n */\nint a = 'c' /* c */ + 1.5e-3; // d\nchar *s = \"a//b\"; a>>=2;";
        let s = scan(text);
        let t: Vec<&str> = s.tokens.iter().map(|t| &text[t.start..t.end]).collect();
        assert_eq!(t, ["int", "a", "=", "'c'", "+", "1.5e-3", ";", "char", "*", "s", "=", "\"a//b\"", ";", "a", ">>=", "2", ";"]);
        assert_eq!(s.tokens[0].line, 4);
        assert_eq!(s.comments.len(), 2);
        assert_eq!(s.directives.len(), 1);
    }

    #[test]
    fn unfinished_text_is_no_trouble() {
        for text in ["\"abc", "'", "/* x", "#", "\\", "1e", "a\\", "\"\\", "é"] {
            scan(text);
        }
    }
}
