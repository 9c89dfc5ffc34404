//! From places in preprocessed text back to places in the original.
//!
//! Lives here: line markers, the alignment of tokens with the original, positions. The preprocessor keeps lines but not columns, and a macro's
//! expansion stands where its name stood, so each line's tokens are matched with the original line's: what differs is an expansion.
//! Never here: grammar, comments.

use super::tokens::{Scanned, Token, scan};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::model::{SourceId, Span};

/// Where a token of the preprocessed text comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// Bytes of the original text.
    Main { start: usize, end: usize },
    /// A line of another file.
    Other { file: u32, line: u32, column: u32 },
}

/// A stretch of preprocessed text from one file.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// First byte.
    start: usize,
    /// From a system header.
    system: bool,
    main: bool,
    /// Line of the `#include` in the original that brought it in, 0 in the original itself.
    included: u32,
}

/// The map of one source file.
#[derive(Clone, Debug)]
pub(crate) struct SourceMap {
    source: SourceId,
    tokens: Vec<(Token, Origin)>,
    stretches: Vec<Stretch>,
    raw: String,
    raw_lines: Vec<usize>,
    /// Bytes with which no character begins: a line may have millions, and columns are asked for often.
    inner_bytes: Vec<usize>,
    /// Names of other files that the text includes.
    pub files: Vec<String>,
    other_sources: FxHashMap<u32, SourceId>,
}

/// A token that is put into the text, with the place of another one.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub word: SmolStr,
    /// The first byte of the token whose place it has.
    pub like: usize,
}

/// Tokens in the place of some bytes of the text.
#[derive(Clone, Debug)]
pub(crate) struct Splice {
    pub from: usize,
    pub to: usize,
    pub tokens: Vec<Written>,
}

/// `# 12 "file" 1 3`
pub(crate) fn marker(line: &str) -> Option<(u32, String, [bool; 5])> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").map_or(rest, str::trim_start);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim_start();
    let inner = rest.strip_prefix('"')?;
    let mut name = String::new();
    let mut chars = inner.char_indices();
    let mut end = None;
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => {
                end = Some(i);
                break;
            }
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            c => name.push(c),
        }
    }
    let mut flags = [false; 5];
    for f in inner[end? + 1..].split_whitespace() {
        if let Some(slot) = f.parse::<usize>().ok().and_then(|f| flags.get_mut(f)) {
            *slot = true;
        }
    }
    Some((number, name, flags))
}

impl SourceMap {
    /// The map of text in which bytes stand where they stood (after a preamble of `shift` bytes, which counts as a system header).
    pub fn identity(source: SourceId, raw: &str, scanned: &Scanned, shift: usize) -> SourceMap {
        let tokens = scanned
            .tokens
            .iter()
            .map(|t| (Token { start: t.start + shift, end: t.end + shift, line: t.line }, Origin::Main { start: t.start, end: t.end }))
            .collect();
        let stretches = vec![
            Stretch { start: 0, system: true, main: false, included: 1 },
            Stretch { start: shift, system: false, main: true, included: 0 },
        ];
        SourceMap::new(source, raw, tokens, stretches, Vec::new())
    }

    fn new(source: SourceId, raw: &str, tokens: Vec<(Token, Origin)>, stretches: Vec<Stretch>, files: Vec<String>) -> SourceMap {
        let raw_lines = std::iter::once(0).chain(raw.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let inner_bytes = raw.bytes().enumerate().filter(|(_, b)| (*b as i8) < -0x40).map(|(at, _)| at).collect();
        SourceMap { source, tokens, stretches, raw: raw.to_owned(), raw_lines, inner_bytes, files, other_sources: FxHashMap::default() }
    }

    /// The map of preprocessed text. `main` is the name that line markers give the original.
    pub fn preprocessed(source: SourceId, raw: &str, raw_scan: &Scanned, main: &str, text: &str, scanned: &Scanned) -> SourceMap {
        let mut files: Vec<String> = Vec::new();
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut tokens = Vec::with_capacity(scanned.tokens.len());
        let mut directives = scanned.directives.iter().peekable();
        // Present file (None: the original), the line that its next line has, and the line of the text at which that was said.
        let (mut file, mut line, mut said): (Option<u32>, u32, u32) = (None, 1, 0);
        let (mut include_line, mut last_main_line, mut line_start) = (0u32, 0u32, (0u32, 0usize));
        let mut next_raw = 0usize;
        let mut i = 0;
        // What the original says and the preprocessed text never does is the name of a macro (or inside the arguments of one).
        let words = words_of(text, scanned, main);
        let lines = said_lines(text, scanned);
        while i < scanned.tokens.len() || directives.peek().is_some() {
            let at_directive = match (scanned.tokens.get(i), directives.peek()) {
                (Some(t), Some(d)) => d.start < t.start,
                (None, Some(_)) => true,
                _ => false,
            };
            if at_directive {
                let Some(d) = directives.next() else { break };
                let Some((number, name, flags)) = marker(&text[d.start..d.end]) else { continue };
                let is_main = name == main;
                if !is_main && file.is_none() {
                    include_line = last_main_line.max(line + d.line.saturating_sub(said + 1));
                }
                file = if is_main {
                    None
                } else {
                    Some(match files.iter().position(|f| *f == name) {
                        Some(p) => p as u32,
                        None => {
                            files.push(name);
                            files.len() as u32 - 1
                        }
                    })
                };
                (line, said) = (number, d.line);
                if is_main {
                    last_main_line = number;
                }
                let included = if is_main { 0 } else { include_line };
                stretches.push(Stretch { start: d.start, system: flags[3] && !is_main, main: is_main, included });
                continue;
            }
            let t = scanned.tokens[i];
            let at = line + t.line.saturating_sub(said + 1);
            match file {
                Some(f) => {
                    if line_start.0 != t.line {
                        line_start = (t.line, text[..t.start].rfind('\n').map_or(0, |p| p + 1));
                    }
                    let column = (t.start - line_start.1) as u32 + 1;
                    tokens.push((t, Origin::Other { file: f, line: at, column }));
                    i += 1;
                }
                None => {
                    last_main_line = at;
                    let first = raw_scan.tokens.partition_point(|r| r.line < at);
                    next_raw = next_raw.max(first);
                    let step = align(text, (&scanned.tokens, &lines), i, raw, &raw_scan.tokens, &mut next_raw, &words);
                    for _ in 0..step.taken {
                        let Some(t) = scanned.tokens.get(i) else { break };
                        tokens.push((*t, Origin::Main { start: step.start, end: step.end }));
                        i += 1;
                    }
                }
            }
        }
        if stretches.is_empty() {
            stretches.push(Stretch { start: 0, system: false, main: true, included: 0 });
        }
        SourceMap::new(source, raw, tokens, stretches, files)
    }

    /// Puts tokens into the text of the map, in the order of their places, and returns that.
    pub fn spliced(&mut self, text: &str, splices: &[Splice]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut tokens = Vec::with_capacity(self.tokens.len());
        let old = std::mem::take(&mut self.tokens);
        let mut stretches = self.stretches.iter_mut().peekable();
        let (mut at, mut next) = (0, 0);
        let end = Splice { from: text.len(), to: text.len(), tokens: Vec::new() };
        for s in splices.iter().chain([&end]) {
            let moved = |offset: usize, out: &String| offset + out.len() - at;
            while let Some((t, origin)) = old.get(next).filter(|(t, _)| t.start < s.from) {
                tokens.push((Token { start: moved(t.start, &out), end: moved(t.end, &out), line: t.line }, *origin));
                next += 1;
            }
            while let Some(stretch) = stretches.next_if(|x| x.start <= s.from) {
                stretch.start = moved(stretch.start, &out);
            }
            out.push_str(&text[at..s.from]);
            let line = old.get(next).map_or(0, |(t, _)| t.line);
            for w in &s.tokens {
                let origin = old.binary_search_by_key(&w.like, |(t, _)| t.start).unwrap_or_else(|k| k.min(old.len() - 1));
                out.push(' ');
                let start = out.len();
                out.push_str(&w.word);
                tokens.push((Token { start, end: out.len(), line }, old[origin].1));
            }
            while old.get(next).is_some_and(|(t, _)| t.start < s.to) {
                next += 1;
            }
            at = s.to;
        }
        drop(stretches);
        self.tokens = tokens;
        out
    }

    /// Makes file number `file` of [`SourceMap::files`] a source of the program.
    pub fn name_source(&mut self, file: u32, source: SourceId) {
        self.other_sources.insert(file, source);
    }

    fn stretch(&self, offset: usize) -> Option<&Stretch> {
        self.stretches[..self.stretches.partition_point(|s| s.start <= offset)].last()
    }

    /// True for what stands in a system header.
    pub fn is_system(&self, offset: usize) -> bool {
        self.stretch(offset).is_some_and(|s| s.system)
    }

    /// The line of the `#include` that brought this in, if it does not stand in the original itself.
    pub fn included_at(&self, offset: usize) -> Option<Span> {
        let s = self.stretch(offset).filter(|s| !s.main)?;
        let line = s.included.max(1);
        Some(Span { source: self.source, line, column: 1, end_line: line, end_column: 1 })
    }

    fn covered(&self, start: usize, end: usize) -> Option<(Origin, Origin)> {
        let first = self.tokens.partition_point(|(t, _)| t.end <= start);
        let past = self.tokens.partition_point(|(t, _)| t.start < end.max(start + 1));
        let first_origin = self.tokens.get(first).or(self.tokens.last())?.1;
        let last_origin = self.tokens.get(past.max(first + 1) - 1).map_or(first_origin, |t| t.1);
        Some((first_origin, last_origin))
    }

    /// The bytes of the original that stand for these bytes of the preprocessed text.
    pub fn raw_range(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        match self.covered(start, end)? {
            (Origin::Main { start, .. }, Origin::Main { end, .. }) if start < end => Some((start, end)),
            _ => None,
        }
    }

    /// All bytes of the preprocessed text for which the same bytes of the original stand: more than these where they are a part of what a macro stands for.
    pub fn expansion(&self, start: usize, end: usize) -> (usize, usize) {
        let first = self.tokens.partition_point(|(t, _)| t.end <= start);
        let past = self.tokens.partition_point(|(t, _)| t.start < end.max(start + 1));
        let same = |a: usize, b: usize| match (self.tokens.get(a), self.tokens.get(b)) {
            (Some((_, Origin::Main { start: a, end: x })), Some((_, Origin::Main { start: b, end: y }))) => a == b && x == y,
            _ => false,
        };
        let (mut from, mut to) = (first, past);
        while from > 0 && same(from - 1, from) {
            from -= 1;
        }
        while to > 0 && same(to - 1, to) {
            to += 1;
        }
        let start = if from < first { self.tokens[from].0.start } else { start };
        let end = if to > past { self.tokens[to - 1].0.end } else { end };
        (start, end)
    }

    /// Line and column of a byte of the original.
    pub fn raw_position(&self, offset: usize) -> (u32, u32) {
        let line = self.raw_lines.partition_point(|&s| s <= offset).max(1);
        let start = self.raw_lines[line - 1];
        let inner = self.inner_bytes.partition_point(|&b| b < offset) - self.inner_bytes.partition_point(|&b| b < start);
        let column = offset - start - inner;
        (line as u32, column as u32 + 1)
    }

    /// A place in the original.
    pub fn raw_span(&self, start: usize, end: usize) -> Span {
        let ((line, column), (end_line, end_column)) = (self.raw_position(start), self.raw_position(end));
        Span { source: self.source, line, column, end_line, end_column }
    }

    /// Where these bytes of the preprocessed text stand in the file that they come from.
    pub fn span(&self, start: usize, end: usize) -> Span {
        match self.covered(start, end) {
            Some((Origin::Main { start, end: first_end }, last)) => {
                let end = match last {
                    Origin::Main { end, .. } if end > start => end,
                    _ => first_end,
                };
                self.raw_span(start, end)
            }
            Some((Origin::Other { file, line, column }, last)) => {
                let source = self.other_sources.get(&file).copied().unwrap_or(self.source);
                let (end_line, end_column) = match last {
                    Origin::Other { file: f, line: l, column: c } if f == file => (l, c + 1),
                    _ => (line, column + 1),
                };
                Span { source, line, column, end_line, end_column }
            }
            None => Span::NONE,
        }
    }

    /// The original text between two bytes of it, on one line, comments left out.
    pub fn one_line(&self, start: usize, end: usize) -> String {
        let Some(text) = self.raw.get(start..end) else { return String::new() };
        let scanned = scan(text);
        let mut out = String::new();
        let mut last = 0;
        for t in &scanned.tokens {
            if last != 0 && t.start > last {
                out.push(' ');
            }
            out.push_str(&text[t.start..t.end]);
            last = t.end;
        }
        out
    }

    /// Names that the original uses: no temporary may be called so.
    pub fn words(&self, scanned: &Scanned) -> impl Iterator<Item = SmolStr> {
        scanned.tokens.iter().map(|t| SmolStr::from(&self.raw[t.start..t.end]))
    }
}

/// One step of the alignment: `taken` tokens of the text stand for these bytes of the original.
struct Step {
    taken: usize,
    start: usize,
    end: usize,
}

/// How many tokens must agree for the end of an expansion to be believed.
const AGREE: usize = 4;
/// How many tokens of an expansion are looked through on one line.
const LOOK: usize = 4000;

/// The line of each token as the markers before it say.
fn said_lines(text: &str, scanned: &Scanned) -> Vec<u32> {
    let (mut line, mut said) = (1, 0);
    let mut directives = scanned.directives.iter().peekable();
    let at = |t: &Token| {
        while let Some(d) = directives.next_if(|d| d.start < t.start) {
            if let Some((number, ..)) = marker(&text[d.start..d.end]) {
                (line, said) = (number, d.line);
            }
        }
        line + t.line.saturating_sub(said + 1)
    };
    scanned.tokens.iter().map(at).collect()
}

/// The words that the original itself is left with: a header may have the name of a macro as another word before it defines the macro.
fn words_of<'t>(text: &'t str, scanned: &Scanned, main: &str) -> FxHashSet<&'t str> {
    let mut inside = true;
    let mut directives = scanned.directives.iter().peekable();
    let of_original = |t: &&Token| {
        while let Some(d) = directives.next_if(|d| d.start < t.start) {
            if let Some((_, name, flags)) = marker(&text[d.start..d.end]) {
                inside = name == main && !flags[3];
            }
        }
        inside
    };
    scanned.tokens.iter().filter(of_original).map(|t| &text[t.start..t.end]).collect()
}

/// `tokens`: those of the preprocessed text, and their lines.
fn align(text: &str, tokens: (&[Token], &[u32]), i: usize, raw: &str, raws: &[Token], next: &mut usize, words: &FxHashSet<&str>) -> Step {
    let (tokens, lines) = tokens;
    let word = |k: usize| tokens.get(k).map(|t| &text[t.start..t.end]);
    let raw_word = |k: usize| raws.get(k).map(|t| &raw[t.start..t.end]);
    let Some(r) = raws.get(*next) else {
        let end = raw.len();
        return Step { taken: 1, start: raws.last().map_or(end, |t| t.start), end };
    };
    if word(i) == raw_word(*next) {
        *next += 1;
        return Step { taken: 1, start: r.start, end: r.end };
    }
    // A macro's name stands here. Its arguments, if it has any, belong to the invocation.
    let mut ends = vec![*next + 1];
    if raw_word(*next + 1) == Some("(") {
        let mut depth = 0;
        for k in *next + 1..raws.len().min(*next + LOOK) {
            match raw_word(k) {
                Some("(") => depth += 1,
                Some(")") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                ends.insert(0, k + 1);
                break;
            }
        }
    }
    // With arguments first: an expansion that repeats them must not be taken for the text behind the name.
    let is_macro = |w: Option<&str>| w.is_some_and(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_') && !words.contains(w));
    for &k in &ends {
        // Brackets of the expansion that are open.
        let mut depth = 0i64;
        for taken in 0..LOOK {
            if i + taken > tokens.len() {
                break;
            }
            // An expansion stands on one line; what agrees farther down may belong to lines that were left out.
            if taken > 0 && lines[i + taken - 1] > lines[i].max(raws[k - 1].line) {
                break;
            }
            match taken.checked_sub(1).and_then(|t| word(i + t)) {
                Some("(" | "[" | "{") => depth += 1,
                Some(")" | "]" | "}") => depth -= 1,
                _ => {}
            }
            let agree = (0..AGREE).take_while(|&a| word(i + taken + a).is_some() && word(i + taken + a) == raw_word(k + a)).count();
            let ends = word(i + taken + agree).is_none() || raw_word(k + agree).is_none();
            // Another macro may follow before so many tokens agree: then what was taken must be complete in itself.
            let next_macro = depth == 0 && taken > 0 && is_macro(raw_word(k + agree));
            // An expansion stands on one line: where the invocation is the last thing on its line, so is the expansion.
            let breaks =
                |list: &[Token], k: usize| k > 0 && list.get(k).zip(list.get(k - 1)).is_none_or(|(next, last)| next.line > last.line);
            let last_of_line = taken > 0 && breaks(raws, k) && breaks(tokens, i + taken);
            let rest_of_line = taken > 0
                && (1..=agree).any(|a| breaks(raws, k + a) && lines.get(i + taken + a).is_none_or(|l| *l > lines[i + taken + a - 1]));
            let whole = agree == AGREE || (agree > 0 && (ends || next_macro)) || last_of_line || rest_of_line;
            if whole || (i + taken >= tokens.len() && k >= raws.len()) {
                let end = raws.get(k - 1).map_or(raw.len(), |t| t.end);
                *next = k;
                if taken == 0 {
                    // The macro expands to nothing: what it hides has no tokens of its own.
                    let Some(n) = raws.get(k) else { break };
                    *next = k + 1;
                    return Step { taken: 1, start: n.start, end: n.end };
                }
                return Step { taken, start: r.start, end };
            }
        }
    }
    Step { taken: 1, start: r.start, end: r.end }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(raw: &str, text: &str) -> SourceMap {
        SourceMap::preprocessed(SourceId(0), raw, &scan(raw), "a.c", text, &scan(text))
    }

    #[test]
    fn columns_come_from_the_original() {
        let raw = "#define N 10\n#define SQ(x) ((x)*(x))\nint  a = SQ(N) /* c */ +  b;\n  c;\n";
        let text = "# 1 \"a.c\"\n\n\nint a = ((10)*(10)) + b;\n c;\n";
        let m = map(raw, text);
        let at = |s: &str| {
            let p = text.find(s).unwrap();
            let x = m.span(p, p + s.len());
            (x.line, x.column, x.end_line, x.end_column)
        };
        assert_eq!(at("int a"), (3, 1, 3, 7));
        assert_eq!(at("10"), (3, 10, 3, 15));
        assert_eq!(at("b;"), (3, 27, 3, 29));
        assert_eq!(at("((10)*(10))"), (3, 10, 3, 15));
        assert_eq!(at("c;"), (4, 3, 4, 5));
    }

    #[test]
    fn expansions_end_before_the_next_macro() {
        let raw = "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint f(int c) { return c ? MAX(c - 1, 0) : MAX(1 - c, 0); }\nint g;\n";
        let first = "((c - 1) > (0) ? (c - 1) : (0))";
        let text = format!("# 1 \"a.c\"\n\nint f(int c) {{ return c ? {first} : ((1 - c) > (0) ? (1 - c) : (0)); }}\nint g;\n");
        let m = map(raw, &text);
        let at = |from: usize, to: usize| m.raw_range(from, to).map(|(s, e)| &raw[s..e]);
        let p = text.find(first).unwrap();
        assert_eq!(at(p, p + first.len()), Some("MAX(c - 1, 0)"));
        let (start, end) = (text.find("int f").unwrap(), text.find("}").unwrap() + 1);
        assert_eq!(at(start, end).map(|t| t.ends_with('}')), Some(true));
    }

    #[test]
    fn a_macro_may_have_the_name_of_a_word_in_a_header() {
        let raw = "#include <m.h>\nint f(int x) { return KIND(x)==GOOD ? x*x : x; }\nint g;\n";
        let header = "# 1 \"/usr/include/m.h\" 1 3 4\nenum { GOOD =\n\n 4 };\n";
        let line = "int f(int x) { return \n# 2 \"a.c\" 3 4\nkind (0, 4,\n# 2 \"a.c\"\n x\n# 2 \"a.c\" 3 4\n)\n# 2 \"a.c\"\n ==\n# 2 \"a.c\" 3 4\n 4\n# 2 \"a.c\"\n ? x*x : x; }\nint g;\n";
        let text = format!("# 1 \"a.c\"\n{header}# 2 \"a.c\" 2\n{line}");
        let m = map(raw, &text);
        let (start, end) = (text.find("int f").unwrap(), text.find('}').unwrap());
        let end = text[end + 1..].find('}').map_or(end, |p| end + 1 + p) + 1;
        assert_eq!(m.raw_range(start, end).map(|(s, e)| &raw[s..e]), Some("int f(int x) { return KIND(x)==GOOD ? x*x : x; }"));
    }

    #[test]
    fn functions_that_macros_define_stand_where_the_macros_are_used() {
        let raw = "#define DEF(f, b) double f(double a) { return b; }\nDEF(f, a * a)\nDEF(g, a + a)\nint k;\n";
        let text = "# 1 \"a.c\"\n\ndouble f(double a) { return a * a; }\ndouble g(double a) { return a + a; }\nint k;\n";
        let m = map(raw, text);
        for (from, name) in [("double f", "DEF(f, a * a)"), ("double g", "DEF(g, a + a)")] {
            let start = text.find(from).unwrap();
            let end = start + text[start..].find('}').unwrap() + 1;
            assert_eq!(m.raw_range(start, end).map(|(s, e)| &raw[s..e]), Some(name));
        }
        let k = text.find("int k").unwrap();
        assert_eq!(m.raw_range(k, k + 5).map(|(s, e)| &raw[s..e]), Some("int k"));
    }

    #[test]
    fn lines_that_were_left_out_are_no_part_of_an_expansion() {
        let raw = "#define DEGREES (180 / 3)\nint f(int x)\n{\n#if 1\n  int r = x * DEGREES;\n#else\n  int r = x;\n#endif\n  return r;\n}\n\
                   int g(int x)\n{\n#if 0\n  int r = x * 2;\n#else\n  int r = x;\n#endif\n  return r;\n}\n";
        let text = "# 1 \"a.c\"\n\nint f(int x)\n{\n\n  int r = x * (180 / 3);\n\n\n\n  return r;\n}\nint g(int x)\n{\n\n\n\n  int r = x;\n\n  return r;\n}\n";
        let m = map(raw, text);
        let end = text.find("}\nint g").unwrap();
        let line = |p: usize| m.span(p, p + 1).line;
        assert_eq!((line(end - 6), line(end), line(text.rfind('}').unwrap())), (9, 10, 19));
    }

    #[test]
    fn headers_keep_their_own_lines() {
        let raw = "#include \"h.h\"\nint f;\n";
        let text = "# 1 \"a.c\"\n# 1 \"./h.h\" 1\n\nint g;\n# 2 \"a.c\" 2\nint f;\n";
        let m = map(raw, text);
        let g = text.find('g').unwrap();
        assert_eq!((m.span(g, g + 1).line, m.is_system(g)), (2, false));
        assert_eq!(m.included_at(g).unwrap().line, 1);
        let f = text.find("f;").unwrap();
        assert_eq!((m.span(f, f + 1).line, m.span(f, f + 1).column), (2, 5));
        assert!(m.included_at(f).is_none());
    }
}
