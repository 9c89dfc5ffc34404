//! Whether files that are given together can be written as one text.
//!
//! ```text
//! a.c    #define EPS 0.1          b.c    #ifndef EPS
//!                                        #define EPS 0.2
//!                                        #endif
//!                                        double g(double x) { return EPS * x; }        0.2 alone, 0.1 behind a.c
//! ```
//!
//! Each file is a translation unit with its own macros. Written as one text, macros of the first file reach into the next, a header is read once or, without a guard,
//! twice. Where all tokens stay what they are in each file alone, and the whole compiles, the text means what the files mean. A file for which this does not hold
//! says so ([`Joining`]); the back end writes it apart only.
//!
//! Lives here: that comparison. Never here: names that two files define (`clashes`), which need no preprocessor to be found.

use super::reading::Parsed;
use super::{clashes, redeclared};
use crate::joined_text;
use crate::parse::text::input::{ParseOptions, SourceText};
use crate::parse::text::preprocess;
use crate::parse::text::refusals::JOINED;
use crate::parse::text::source_map::marker;
use crate::parse::text::tokens::scan;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::model::{Joining, Replaced};
use xaif::{Diagnostic, Program};

/// What tells the files in the joined text apart.
const SEAM: &str = "#pragma overbar_seam";

/// A token of preprocessed text.
#[derive(Clone, Copy)]
struct Piece<'t> {
    text: &'t str,
    start: usize,
}

/// The tokens of a preprocessed file by the files that they come from, without those of system headers.
#[derive(Default)]
struct Pieces<'t> {
    files: Vec<(String, Vec<Piece<'t>>)>,
}

impl<'t> Pieces<'t> {
    fn of(&self, file: &str) -> &[Piece<'t>] {
        self.files.iter().find(|(f, _)| f == file).map_or(&[], |(_, list)| list)
    }

    /// Whether a header of this name, in whatever folder, has these tokens.
    fn has(&self, header: &str, list: &[Piece]) -> bool {
        let same = |own: &[Piece]| own.len() == list.len() && own.iter().zip(list).all(|(a, b)| a.text == b.text);
        self.files.iter().any(|(f, own)| file_name(f) == file_name(header) && same(own))
    }

    /// Whether a header of this name is there.
    fn names(&self, header: &str) -> bool {
        self.files.iter().any(|(f, _)| file_name(f) == file_name(header))
    }

    fn add(&mut self, file: &str, piece: Piece<'t>) {
        match self.files.iter_mut().find(|(f, _)| f == file) {
            Some((_, list)) => list.push(piece),
            None => self.files.push((file.to_owned(), vec![piece])),
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Takes preprocessed text apart, at its seams and by the files that its tokens come from.
fn parts(text: &str) -> Vec<Pieces<'_>> {
    let scanned = scan(text);
    let mut out = vec![Pieces::default()];
    let mut directives = scanned.directives.iter().peekable();
    let (mut file, mut system) = (String::new(), false);
    for t in &scanned.tokens {
        while let Some(d) = directives.next_if(|d| d.start < t.start) {
            let line = &text[d.start..d.end];
            if line.starts_with(SEAM) {
                out.push(Pieces::default());
            } else if let Some((_, name, flags)) = marker(line) {
                (file, system) = (name, flags[3]);
            }
        }
        if let (false, Some(last)) = (system, out.last_mut()) {
            last.add(&file, Piece { text: &text[t.start..t.end], start: t.start });
        }
    }
    // Files without any token of their own.
    out.extend(directives.filter(|d| text[d.start..d.end].starts_with(SEAM)).map(|_| Pieces::default()));
    out
}

/// The first token that is another one in the joined text; of a file that is shorter there, the first that is missing.
fn difference<'t>(alone: &[Piece<'t>], joined: &[Piece<'t>]) -> Option<(Option<Piece<'t>>, Option<Piece<'t>>)> {
    let same = alone.iter().zip(joined).take_while(|(a, j)| a.text == j.text).count();
    let (a, j) = (alone.get(same), joined.get(same));
    (a.is_some() || j.is_some()).then_some((a.or(alone.last()).copied(), j.copied()))
}

/// Notes at each file how it goes behind those before it: as it stands, without headers that are read already, or not at all.
/// `stored`: variables at file scope that some function may set.
pub(crate) fn settle(program: &mut Program, sources: &[SourceText], files: &[Parsed], stored: &FxHashSet<SmolStr>, options: &ParseOptions) {
    if sources.len() < 2 || sources.len() != files.len() {
        return;
    }
    // Without a preprocessor the texts stay as they stand.
    let mut found = clashes::find(program, sources, files, stored, options.preprocess);
    if found.is_empty() {
        found = differently_read(sources, options);
    }
    if found.is_empty() {
        if !options.preprocess {
            found = macros(program, sources, files);
        } else {
            match arranged(program, sources, files, options) {
                Ok(list) => {
                    for (s, joining) in program.sources.iter_mut().zip(list) {
                        s.joining = joining;
                    }
                    return;
                }
                Err(said) => found = said,
            }
        }
    }
    for (k, d) in found {
        let it = &mut program.sources[k];
        if it.joining == Joining::AsItStands {
            let place = d.location.filter(|l| l.file == it.file);
            let (line, column) = place.map_or((0, 0), |l| (l.line, l.column));
            it.joining = Joining::Apart { line, column, why: d.message };
        }
    }
}

/// Files that are read with other options than the first.
fn differently_read(sources: &[SourceText], options: &ParseOptions) -> Vec<(usize, Diagnostic)> {
    let first = options.of(sources[0].file);
    let other = sources.iter().enumerate().filter(|(_, s)| options.of(s.file) != first);
    let said =
        |s: &SourceText| Diagnostic::error(JOINED, format!("`{}` is compiled with other options than `{}`", s.file, sources[0].file));
    other.map(|(k, s)| (k, said(s))).collect()
}

/// How the files go one behind the other: as they stand, without headers that are read already, or with declarations as the definitions have them. Where they do
/// not, what is in the way at last.
fn arranged(
    program: &Program,
    sources: &[SourceText],
    files: &[Parsed],
    options: &ParseOptions,
) -> Result<Vec<Joining>, Vec<(usize, Diagnostic)>> {
    let plain = vec![Joining::AsItStands; sources.len()];
    let mut said = compare(program, sources, files, options, &plain);
    if said.is_empty() {
        return Ok(plain);
    }
    let replaced = redeclared::find(sources, files);
    let edits = |list: &[Joining]| joined_text::edits(sources.iter().map(|s| s.text).zip(list));
    let mut tried = vec![edits(&plain)];
    for (headers_once, redeclare) in [(true, false), (false, true), (true, true)] {
        let one = |replaced: &Vec<Replaced>| match (headers_once, redeclare && !replaced.is_empty()) {
            (_, true) => Joining::Redeclared { headers_once, replaced: replaced.clone() },
            (true, false) => Joining::HeadersOnce,
            (false, false) => Joining::AsItStands,
        };
        let mut list: Vec<Joining> = replaced.iter().map(one).collect();
        let changes = edits(&list);
        if tried.contains(&changes) {
            continue;
        }
        said = compare(program, sources, files, options, &list);
        if said.is_empty() {
            for (joining, _) in list.iter_mut().zip(&changes).filter(|(_, c)| c.is_empty()) {
                *joining = Joining::AsItStands;
            }
            return Ok(list);
        }
        tried.push(changes);
    }
    Err(said)
}

/// Each file by itself, as it is preprocessed: what is said otherwise is no part of the comparison.
fn alone(source: &SourceText, file: &Parsed, options: &ParseOptions, joining: &Joining) -> Result<String, Vec<Diagnostic>> {
    let Joining::Redeclared { replaced, .. } = joining else { return Ok(file.compiled().0.to_owned()) };
    let own = Joining::Redeclared { headers_once: false, replaced: replaced.clone() };
    let edits = joined_text::edits(std::iter::once((source.text, &own)));
    preprocess::run(source.file, &joined_text::applied(source.text, &edits[0], 0..source.text.len()), &options.of(source.file))
}

/// What the texts say otherwise one behind the other than each for itself.
fn compare(
    program: &Program,
    sources: &[SourceText],
    files: &[Parsed],
    options: &ParseOptions,
    joinings: &[Joining],
) -> Vec<(usize, Diagnostic)> {
    let mut text = String::new();
    let last = sources.len() - 1;
    let edits = joined_text::edits(sources.iter().map(|s| s.text).zip(joinings));
    for (s, edits) in sources.iter().zip(&edits) {
        let own = joined_text::applied(s.text, edits, 0..s.text.len());
        text.push_str(&format!("{SEAM}\n{}{own}\n", preprocess::line_one(s.file)));
    }
    let names: Vec<&str> = sources.iter().map(|s| s.file).collect();
    let joined = match preprocess::run_all(&names, &text, &options.of(names[0])) {
        Ok(text) => text,
        Err(list) => return list.into_iter().map(|d| (last, as_one(d))).collect(),
    };
    let together = parts(&joined);
    let mut texts = Vec::new();
    for ((s, file), joining) in sources.iter().zip(files).zip(joinings) {
        match alone(s, file, options, joining) {
            Ok(text) => texts.push(text),
            Err(list) => return list.into_iter().map(|d| (last, as_one(d))).collect(),
        }
    }
    let apart: Vec<Pieces> = texts.iter().map(|t| parts(t).into_iter().next().unwrap_or_default()).collect();
    let mut out = Vec::new();
    for (k, (file, alone)) in files.iter().zip(&apart).enumerate() {
        // Before the first seam nothing stands.
        let Some(here) = together.get(k + 1) else { continue };
        let own = sources[k].file;
        if let Some((token, other)) = difference(alone.of(own), here.of(own)) {
            // Places are those of the text as it stands.
            let place = token.filter(|_| !matches!(joinings[k], Joining::Redeclared { .. }));
            let said = token.map_or_else(String::new, |t| t.text.to_owned());
            out.push((k, otherwise(program, file, &names[..k], own, (place, said), other)));
            continue;
        }
        for (header, list) in alone.files.iter().filter(|(f, _)| !names.contains(&f.as_str()) && !f.starts_with('<')) {
            let before = (0..k).any(|j| apart[j].has(header, list));
            if !here.has(header, list) && (here.names(header) || !before) {
                let d = Diagnostic::error(JOINED, format!("`{header}` does not say here what it says in `{own}` alone"));
                let place = list.first().and_then(|p| file.compiled().1.included_at(p.start));
                out.push((k, d.at(place.and_then(|span| program.location(span)))));
            }
        }
    }
    let strict = joinings.iter().any(|j| matches!(j, Joining::Redeclared { .. }));
    if out.is_empty() { uncompilable(&joined, files, strict).into_iter().map(|d| (last, d)).collect() } else { out }
}

fn otherwise(
    program: &Program,
    file: &Parsed,
    before: &[&str],
    own: &str,
    (token, said): (Option<Piece>, String),
    other: Option<Piece>,
) -> Diagnostic {
    let (_, map) = file.compiled();
    let span = token.map(|t| map.span(t.start, t.start + t.text.len()));
    let name = token.and_then(|t| map.raw_range(t.start, t.start + t.text.len()).map(|(a, b)| map.one_line(a, b)));
    let name = name.filter(|n| !n.is_empty()).unwrap_or_else(|| said.clone());
    let is = |text: Option<&str>| text.filter(|t| !t.is_empty()).map_or_else(|| "nothing".to_owned(), |t| format!("`{t}`"));
    let message = format!(
        "`{name}` begins with {} in `{own}` alone, and with {} in one text with {}",
        is(Some(&said)),
        is(other.map(|p| p.text)),
        before.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ")
    );
    Diagnostic::error(JOINED, message).at(span.and_then(|s| program.location(s)))
}

/// A complaint about the joined text alone.
fn as_one(d: Diagnostic) -> Diagnostic {
    let message = format!("the files are no text of C together: {}", d.message);
    Diagnostic::error(JOINED, message).at(d.location)
}

/// What a compiler says against the joined text, and not against the files. `strict`: with its warnings.
fn uncompilable(joined: &str, files: &[Parsed], strict: bool) -> Vec<Diagnostic> {
    let found = preprocess::objections(joined, strict);
    if found.is_empty() {
        return Vec::new();
    }
    let known: FxHashSet<String> = files.iter().flat_map(|f| preprocess::objections(f.compiled().0, strict)).map(|d| d.message).collect();
    found.into_iter().filter(|d| !known.contains(&d.message)).map(as_one).collect()
}

/// Without a preprocessor: macros that a file names and an earlier one defines, unless both define them alike.
fn macros(program: &Program, sources: &[SourceText], files: &[Parsed]) -> Vec<(usize, Diagnostic)> {
    let mut out = Vec::new();
    let mut earlier: FxHashMap<String, (&str, Vec<String>)> = FxHashMap::default();
    for (k, (s, file)) in sources.iter().zip(files).enumerate() {
        let scanned = scan(s.text);
        let mut own: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for d in &scanned.directives {
            let rest = s.text[d.start..d.end].trim_start_matches('#').trim_start();
            let Some(rest) = rest.strip_prefix("define").filter(|r| r.starts_with(char::is_whitespace)) else { continue };
            let line = rest.split_whitespace().collect::<Vec<_>>().join(" ");
            let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
            own.entry(line[..end].to_owned()).or_default().push(line);
        }
        let mut said: FxHashSet<&str> = FxHashSet::default();
        for t in &scanned.tokens {
            let word = &s.text[t.start..t.end];
            let Some((other, _)) = earlier.get(word).filter(|(_, lines)| own.get(word) != Some(lines)) else { continue };
            if said.insert(word) {
                let d = Diagnostic::error(JOINED, format!("`{word}` is a macro of `{other}`, behind which `{}` is written", s.file));
                out.push((k, d.at(program.location(file.map.raw_span(t.start, t.end)))));
            }
        }
        for (name, lines) in own {
            earlier.entry(name).or_insert((s.file, lines));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[(&str, &str)], preprocess: bool) -> Vec<String> {
        let sources: Vec<SourceText> = texts.iter().map(|&(file, text)| SourceText { file, text }).collect();
        let read = crate::parse(&sources, &ParseOptions { preprocess, ..ParseOptions::default() });
        let (program, _) = read.expect("each file is good");
        let apart = |s: &xaif::model::Source| matches!(s.joining, Joining::Apart { .. }).then(|| s.joining.word().unwrap_or_default());
        program.sources.iter().filter_map(apart).collect()
    }

    #[test]
    fn what_nothing_names_is_left_out_where_text_is_edited() {
        let texts = [("a.c", "static int g = 1;\nint h(int k) { return k; }\n"), ("b.c", "static int g = 2;\nint f(void) { return g; }\n")];
        assert_eq!(found(&texts, true), Vec::<String>::new());
        assert_eq!(found(&texts, false).len(), 1);
    }

    #[test]
    fn macros_that_reach_into_the_next_file_are_found() {
        let scale = "#ifndef SCALE\n#define SCALE 4.0\n#endif\ndouble lower(double t) { return SCALE * t; }\n";
        let first = "#define SCALE 3.0\ndouble lower(double t);\ndouble upper(double t) { return SCALE + lower(t); }\n";
        for preprocess in [true, false] {
            let said = found(&[("up.c", first), ("low.c", scale)], preprocess);
            assert!(said.len() == 1 && said[0].starts_with("4:33 `SCALE`"), "{said:?}");
            // The other way round the second defines it anew.
            let own = scale.replace("#ifndef SCALE\n", "").replace("#endif\n", "").replace("4.0", "3.0");
            assert!(found(&[("up.c", first), ("low.c", &own)], preprocess).is_empty());
        }
        let undone = format!("{first}#undef SCALE\n");
        assert!(found(&[("up.c", &undone), ("low.c", scale)], true).is_empty());
    }

    #[test]
    fn headers_without_a_guard_are_read_once() {
        let folder = std::env::temp_dir().join(format!("overbar_joined_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let place = |name: &str| folder.join(name).to_string_lossy().into_owned();
        std::fs::write(place("spec.h"), "typedef struct { int n; } spec;\n#define TWO 2.0\n").unwrap();
        let (a, b) = (place("a.c"), place("b.c"));
        let first = "#include \"spec.h\"\ndouble lower(double t);\ndouble upper(double t) { return TWO + lower(t); }\n";
        let second = "#include \"spec.h\" /* n */\ndouble lower(double t) { return TWO * t; }\n";
        let sources = [SourceText { file: &a, text: first }, SourceText { file: &b, text: second }];
        let parsed = crate::parse(&sources, &ParseOptions { preprocess: true, ..ParseOptions::default() }).unwrap();
        assert_eq!(parsed.0.sources[1].joining, Joining::HeadersOnce);
        assert_eq!(parsed.0.sources[0].joining, Joining::AsItStands);
        // What the first file takes back is missing in the second.
        let undone = format!("{first}#undef TWO\n");
        assert!(!found(&[(&a, &undone), (&b, second)], true).is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_does_not_compile_together_is_found() {
        let a = "double area(double, int);\nstatic int w = 2;\ndouble twice(double t) { return area(t, w); }\n";
        let b = "double area(double t, double w) { return t * w; }\n";
        let said = found(&[("a.c", a), ("b.c", b)], true);
        assert!(said.len() == 1 && said[0].starts_with("1:") && said[0].contains("area"), "{said:?}");
        let a = "typedef struct { int n; } spec;\ndouble id(double t) { return t; }\n";
        let b = "typedef struct { long n; } spec;\ndouble di(double t) { return 2.0 * t; }\n";
        assert!(found(&[("a.c", a), ("b.c", b)], true)[0].contains("spec"));
        let fits = "double area(double t, double w[]);\ndouble twice(double t) { double w[1] = {2.0}; return area(t, w); }\n";
        assert!(found(&[("a.c", fits), ("b.c", "double area(double t, double w[]) { return t * w[0]; }\n")], true).is_empty());
    }

    /// The joined text, where the files go together.
    fn joined(texts: &[(&str, &str)]) -> Option<String> {
        let sources: Vec<SourceText> = texts.iter().map(|&(file, text)| SourceText { file, text }).collect();
        let (program, _) =
            crate::parse(&sources, &ParseOptions { preprocess: true, ..ParseOptions::default() }).expect("each file is good");
        if program.sources.iter().any(|s| matches!(s.joining, Joining::Apart { .. })) {
            return None;
        }
        let edits = joined_text::edits(program.sources.iter().map(|s| (s.text.as_str(), &s.joining)));
        Some(program.sources.iter().zip(&edits).map(|(s, e)| joined_text::applied(&s.text, e, 0..s.text.len())).collect())
    }

    #[test]
    fn declarations_say_what_the_definition_says() {
        let a = "extern double area(double, void *), side(double);\nstatic double w[1] = {2.0};\n\
                 double twice(double t) { double area(double,\nvoid *); return side(area(t, w)); }\n";
        let b = "double area(t, w)\ndouble t;\ndouble w[];\n{ return t * w[0]; }\ndouble side(double t) { return t; }\n";
        let text = joined(&[("a.c", a), ("b.c", b)]).expect("one text");
        assert!(text.starts_with("extern double area(double, double []), side(double);\n"), "{text}");
        assert!(text.contains("{ double area(double, double [])\n; return"), "{text}");
        assert_eq!(text.matches('\n').count(), a.matches('\n').count() + b.matches('\n').count());
        // The definition first: compilers want no prototype behind one of the old style.
        assert!(joined(&[("b.c", b), ("a.c", a)]).is_none());
        let prototyped = "double area(double t, double w[]) { return t * w[0]; }\ndouble side(double t) { return t; }\n";
        assert!(joined(&[("b.c", prototyped), ("a.c", a)]).is_some());
        // Another array than the definition takes; a number that is handed over in another way; another result; another count.
        for (from, to) in
            [("static double w", "static float w"), ("(double, void *)", "(float, void *)"), ("extern double", "extern float")]
        {
            assert!(joined(&[("a.c", &a.replace(from, to)), ("b.c", b)]).is_none(), "{to}");
        }
        assert!(
            joined(&[("a.c", "double f(int, int);\ndouble g(void) { return f(1, 2); }\n"), ("b.c", "double f(int n) { return n; }\n")])
                .is_none()
        );
    }

    #[test]
    fn a_type_that_two_files_define_alike_is_one() {
        let a = "typedef struct { double re, im; } pair;\ndouble first(pair *p) { return p->re; }\n";
        let b = "/* the other */ typedef struct { double re,\n im; } pair;\ndouble second(pair *p) { return p->im; }\n";
        let text = joined(&[("a.c", a), ("b.c", b)]).expect("one text");
        assert!(text.contains("/* the other */ /* defined above */\n\ndouble second"), "{text}");
        assert!(joined(&[("a.c", a), ("b.c", &b.replace("re,", "im0,"))]).is_none());
    }
}
