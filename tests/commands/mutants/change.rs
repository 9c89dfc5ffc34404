//! One random change of a text: of bytes, of XML elements and attributes, of tokens.
//!
//! Never here: what becomes of the text.

use super::judge::Kind;
use super::rng::Rng;
use std::ops::Range;

/// Changes a text; says how.
pub fn change(kind: Kind, text: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    if text.is_empty() {
        text.extend(b"x");
        return "something";
    }
    if rng.percent(15) {
        return bytes(text, rng);
    }
    match kind {
        Kind::Xaif => elements(text, rng),
        _ => tokens(text, rng),
    }
}

fn bytes(text: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let at = rng.below(text.len());
    match rng.below(4) {
        0 => {
            text[at] ^= 1 << rng.below(8);
            "a flipped bit"
        }
        1 => {
            text[at] = rng.pick(b"<>\"'&/=;(){}[]+-*,!$%0\n \t\0\xff").copied().unwrap_or(0);
            "another byte"
        }
        2 => {
            text.truncate(at);
            "cut off"
        }
        _ => {
            let end = (at + 1 + rng.below(200)).min(text.len());
            text.drain(at..end);
            "a hole"
        }
    }
}

/// A start tag, and the whole element.
struct Element {
    tag: Range<usize>,
    whole: Range<usize>,
}

fn find_elements(text: &[u8]) -> Vec<Element> {
    let mut out: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(|&b| b == b'<').map(|p| p + at) {
        let Some(end) = text[start..].iter().position(|&b| b == b'>').map(|p| p + start + 1) else { break };
        match text.get(start + 1) {
            Some(b'/') => {
                if let Some(k) = open.pop() {
                    out[k].whole.end = end;
                }
            }
            Some(b'?' | b'!') => {}
            _ => {
                out.push(Element { tag: start..end, whole: start..end });
                if text[end - 2] != b'/' {
                    open.push(out.len() - 1);
                }
            }
        }
        at = end;
    }
    out
}

/// The values of attributes in a range, without their quotes, each with the place of its name.
fn attributes(text: &[u8], tag: &Range<usize>) -> Vec<(usize, Range<usize>)> {
    let mut out = Vec::new();
    let mut at = tag.start;
    while let Some(q) = text[at..tag.end].iter().position(|&b| b == b'"').map(|p| p + at) {
        let Some(e) = text[q + 1..tag.end].iter().position(|&b| b == b'"').map(|p| p + q + 1) else { break };
        let name = text[tag.start..q].iter().rposition(|&b| b == b' ').map_or(q, |p| p + tag.start);
        out.push((name, q + 1..e));
        at = e + 1;
    }
    out
}

fn elements(text: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let list = find_elements(text);
    let Some(e) = rng.pick(&list) else { return bytes(text, rng) };
    let other = &list[rng.below(list.len())];
    match rng.below(10) {
        0 => {
            text.drain(e.whole.clone());
            "an element dropped"
        }
        1 => {
            let copy = text[e.whole.clone()].to_vec();
            let at = e.whole.end;
            text.splice(at..at, copy);
            "an element twice"
        }
        2 => {
            let (a, b) = if e.whole.start < other.whole.start { (e, other) } else { (other, e) };
            if a.whole.end <= b.whole.start {
                let (x, y) = (text[a.whole.clone()].to_vec(), text[b.whole.clone()].to_vec());
                text.splice(b.whole.clone(), x);
                text.splice(a.whole.clone(), y);
            }
            "elements swapped"
        }
        3 => {
            let copy = text[e.whole.clone()].to_vec();
            let at = other.whole.end;
            text.splice(at..at, copy);
            "an element elsewhere"
        }
        4 => {
            if let Some((name, value)) = rng.pick(&attributes(text, &e.tag)).cloned() {
                text.drain(name..(value.end + 1).min(text.len()));
            }
            "an attribute dropped"
        }
        _ => {
            let (ours, theirs) = (attributes(text, &e.tag), attributes(text, &other.tag));
            let Some((_, value)) = rng.pick(&ours).cloned() else { return "nothing" };
            let new: Vec<u8> = match rng.below(9) {
                0 => Vec::new(),
                1 => b"0".to_vec(),
                2 => b"-1".to_vec(),
                3 => b"99999999999999999999".to_vec(),
                4 => b"true".to_vec(),
                5 => format!("{}", rng.below(60)).into_bytes(),
                6 => vec![b'a'; 3000],
                _ => rng.pick(&theirs).map_or(b"x".to_vec(), |(_, v)| text[v.clone()].to_vec()),
            };
            text.splice(value, new);
            "an attribute changed"
        }
    }
}

/// Words, numbers, single signs; blanks are no tokens, ends of lines are.
fn find_tokens(text: &[u8]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
        let start = at;
        at += 1;
        if word(text[start]) {
            while at < text.len() && word(text[at]) {
                at += 1;
            }
        } else if text[start] == b' ' {
            continue;
        }
        out.push(start..at);
    }
    out
}

fn tokens(text: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let list = find_tokens(text);
    let Some(t) = rng.pick(&list).cloned() else { return bytes(text, rng) };
    let other = list[rng.below(list.len())].clone();
    match rng.below(8) {
        0 => {
            text.drain(t);
            "a token dropped"
        }
        1 => {
            let copy = text[t.clone()].to_vec();
            text.splice(t.end..t.end, [b" ".to_vec(), copy].concat());
            "a token twice"
        }
        2 => {
            let (a, b) = if t.start < other.start { (t, other) } else { (other, t) };
            if a.end <= b.start {
                let (x, y) = (text[a.clone()].to_vec(), text[b.clone()].to_vec());
                text.splice(b, x);
                text.splice(a, y);
            }
            "tokens swapped"
        }
        3 => {
            let words: [&[u8]; 14] =
                [b"0", b"-1", b"1e999", b"99999999999", b"if", b"end", b"do", b"for", b"return", b"(", b")", b"&", b"double", b"call"];
            text.splice(t, words[rng.below(words.len())].to_vec());
            "another token"
        }
        4 => {
            // A line somewhere else.
            let lines: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            let (from, to) = (rng.below(lines.len()), rng.below(lines.len()));
            let mut lines = lines;
            let line = lines[from].clone();
            lines.insert(to, line);
            *text = lines.join(&b'\n');
            "a line elsewhere"
        }
        _ => {
            let copy = text[other].to_vec();
            text.splice(t, copy);
            "a token for another"
        }
    }
}
