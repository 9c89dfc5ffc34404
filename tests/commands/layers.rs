//! Imports run one way: between the parts of the booster, of the program around it, of the analyses, of the adjoint and of both front ends, in the order
//! that is written here. A part imports from those before it; ARCHITECTURE.md says what each is for. Files of the whole workspace do not import one another in
//! large circles, and none is long, nor is any function; what still does is listed with its size, which may only shrink.

use crate::common;

use common::root;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The crates, by their folders.
const CRATES: [&str; 8] =
    ["schema", "crates/eliminate", "crates/evaluate", "frontends/c", "frontends/fortran", "crates/booster", "crates/verify", "."];

/// Crates that know the program model and nothing else of the workspace: what judges derivative code must not share code with what makes it, and
/// elimination is of use to others.
const ALONE: [&str; 4] = ["crates/eliminate", "crates/evaluate", "frontends/c", "frontends/fortran"];

/// The booster's parts. The tables of diagnostics and help for tests stand apart.
const BOOSTER: [&str; 10] =
    ["linearize", "signature", "rules", "analysis", "notation", "facts", "transform", "plot", "stats", "diagnostics"];

/// The parts of the program.
const PROGRAM: [&str; 10] = ["differentiate", "arguments", "pipeline", "console", "page", "commands", "project", "batch", "serve", "cli"];

/// The rooms of the analyses.
const ANALYSIS: [&str; 8] = ["dataflow", "program", "arrays", "effects", "facts", "accesses", "activity", "reversal"];

/// The rooms of the adjoint.
const ADJOINT: [&str; 10] = ["code", "facts", "variables", "boundary", "shape", "statement", "cleanup", "record", "sweep", "unit"];

/// The rooms of the Fortran front end, and of its back end.
const FORTRAN_PARSE: [&str; 12] = [
    "text",
    "context",
    "specification",
    "facts",
    "derived_types",
    "expressions",
    "complex",
    "arrays",
    "calls",
    "statements",
    "control",
    "units",
];
const FORTRAN_UNPARSE: [&str; 10] =
    ["text", "language", "nesting", "facts", "expressions", "statements", "control", "declarations", "units", "files"];

/// The rooms of the C front end, and of its back end.
const C_PARSE: [&str; 13] = [
    "language",
    "text",
    "facts",
    "sources",
    "context",
    "types",
    "memory",
    "structures",
    "expressions",
    "calls",
    "statements",
    "control",
    "units",
];
const C_UNPARSE: [&str; 11] =
    ["language", "text", "foreign", "facts", "printer", "expressions", "statements", "control", "declarations", "units", "files"];

/// More files than this may not import one another in a circle.
const LARGEST_CIRCLE: usize = 4;

/// Circles that still stand: one of the files, and how many there are.
const CIRCLES: &[(&str, usize)] = &[];

/// A file may not have more lines than this, be it of tests.
const LONGEST_FILE: usize = 600;

/// Files that are still longer.
const LONG_FILES: &[(&str, usize)] = &[];

/// A function may not have more lines than this.
const LONGEST_FUNCTION: usize = 80;

/// Functions that are longer: tables of names.
const LONG_FUNCTIONS: &[(&str, usize)] = &[("language/intrinsics/function", 84)];

/// A module by its path from the crate's root.
type Module = Vec<String>;

/// The modules below a folder, with their texts.
fn modules(folder: &Path) -> BTreeMap<Module, String> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path.strip_prefix(folder).expect("inside").with_extension("");
                let mut module: Module = inside.iter().map(|p| p.to_string_lossy().into_owned()).collect();
                if module.last().is_some_and(|l| ["mod", "lib", "main"].contains(&l.as_str())) {
                    module.pop();
                }
                // Tests may look at everything.
                if !module.iter().any(|m| m == "tests" || m == "testing") {
                    out.insert(module, std::fs::read_to_string(&path).expect("text"));
                }
            }
        }
    }
    out
}

/// A text without comments and without the module of tests at its end.
fn code(text: &str) -> String {
    let attributes = text.match_indices("#[cfg(").filter(|(at, _)| text[*at..].lines().next().is_some_and(|l| l.contains("test")));
    let module = |l: &str| l.starts_with("mod ") && l.ends_with('{');
    let tests = attributes.into_iter().find(|(at, _)| text[*at..].lines().nth(1).is_some_and(module));
    let code = tests.map_or(text, |(at, _)| &text[..at]);
    // Where something may be seen is no import.
    let plain = |l: &str| l.split("//").next().unwrap_or_default().replace("pub(in crate::", "pub(");
    code.lines().map(plain).collect::<Vec<_>>().join("\n")
}

/// The paths that a text names.
fn paths(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut open: Option<String> = None;
    for line in code(text).lines() {
        let visible = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        match (&mut open, visible.strip_prefix("use ")) {
            (Some(tree), _) => tree.push_str(line),
            (None, Some(tree)) => open = Some(tree.to_owned()),
            (None, None) => {
                let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
                out.extend(words.map(|w| w.trim_matches(':')).filter(|w| w.contains("::")).map(str::to_owned));
            }
        }
        if let Some((tree, _)) = open.as_ref().and_then(|t| t.split_once(';')) {
            expanded(tree, &mut out);
            open = None;
        }
    }
    out
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`.
fn expanded(tree: &str, out: &mut Vec<String>) {
    let Some((before, inside)) = tree.split_once('{') else { return out.push(tree.trim().to_owned()) };
    let inside = inside.rsplit_once('}').map_or(inside, |p| p.0);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            let part = inside[start..at].trim();
            if !part.is_empty() {
                expanded(&format!("{}{part}", before.trim()), out);
            }
            start = at + 1;
        }
    }
}

/// The module that a path means, seen from another one; `None` for what is no module of the crate.
fn target(path: &str, from: &Module, all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut parts = path.split("::").map(str::trim).peekable();
    let mut at = match *parts.peek()? {
        "crate" => {
            parts.next();
            Vec::new()
        }
        "self" => {
            parts.next();
            from.clone()
        }
        "super" => from.clone(),
        // What lies in the module itself.
        first => {
            let inside = [from.as_slice(), &[first.to_owned()]].concat();
            all.contains_key(&inside).then(|| from.clone())?
        }
    };
    while parts.next_if(|p| *p == "super").is_some() {
        at.pop();
    }
    at.extend(parts.map(str::to_owned));
    while !at.is_empty() && !all.contains_key(&at) {
        at.pop();
    }
    Some(at)
}

/// What is imported from parts that come later, or from parts that are not in the list.
fn upward(all: &BTreeMap<Module, String>, above: &[&str], order: &[&str]) -> Vec<String> {
    let part = |m: &Module| -> Option<String> {
        let inside = m.iter().zip(above).filter(|(a, b)| a == b).count() == above.len() && m.len() > above.len();
        inside.then(|| m[above.len()].clone())
    };
    let place = |p: &str| order.iter().position(|o| *o == p);
    let mut out = BTreeSet::new();
    for (from, text) in all {
        let Some(a) = part(from) else { continue };
        for path in paths(text) {
            let Some(to) = target(&path, from, all) else { continue };
            let Some(b) = part(&to).filter(|b| *b != a) else { continue };
            if let (Some(x), Some(y)) = (place(&a), place(&b))
                && y > x
            {
                out.insert(format!("{} imports {}", from.join("/"), to.join("/")));
            }
        }
    }
    out.into_iter().collect()
}

fn assert_layers(source: &str, above: &[&str], order: &[&str]) {
    let all = modules(&root().join(source));
    let found = upward(&all, above, order);
    assert!(found.is_empty(), "these imports run upward:\n{}", found.join("\n"));
    let inside = |m: &Module| m.len() > above.len() && m.iter().zip(above).all(|(a, b)| a == b);
    let there: BTreeSet<&str> = all.keys().filter(|m| inside(m)).map(|m| m[above.len()].as_str()).collect();
    let known: BTreeSet<&str> = order.iter().copied().collect();
    assert!(known.is_subset(&there), "not there any more: {:?}", known.difference(&there));
}

/// Whether the order names all parts below a module.
fn assert_placed(source: &str, above: &[&str], order: &[&str]) {
    let all = modules(&root().join(source));
    let inside = |m: &&Module| m.len() > above.len() && m.iter().zip(above).all(|(a, b)| a == b);
    let parts: BTreeSet<&str> = all.keys().filter(inside).map(|m| m[above.len()].as_str()).collect();
    let placed: BTreeSet<&str> = order.iter().copied().collect();
    assert!(parts.is_subset(&placed), "no place in the order: {:?}", parts.difference(&placed));
}

/// The functions of a text with their lengths in lines, as `rustfmt` lays them out.
fn functions(code: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut out = Vec::new();
    for (k, line) in lines.iter().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|w| *w == "fn") else { continue };
        if !words[..at].iter().all(|w| matches!(*w, "const" | "async" | "unsafe") || w.starts_with("pub")) {
            continue;
        }
        let name = words.get(at + 1).and_then(|w| w.split(|c: char| !c.is_alphanumeric() && c != '_').next()).unwrap_or_default();
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |l: &&str| l.strip_prefix(indent).is_some_and(|l| l == "}" || (l.starts_with(')') && l.ends_with(';')));
        let more = if line.ends_with(['}', ';']) { 0 } else { lines[k..].iter().position(ends).unwrap_or_default() };
        out.push((name.to_owned(), more + 1));
    }
    out
}

/// The folders of source text of all crates.
fn sources() -> Vec<String> {
    CRATES.iter().map(|c| format!("{c}/src").trim_start_matches("./").to_owned()).collect()
}

/// The circles of modules that import one another.
fn circles(all: &BTreeMap<Module, String>) -> Vec<Vec<&Module>> {
    let mut graph: DiGraphMap<usize, ()> = DiGraphMap::new();
    let number: BTreeMap<&Module, usize> = all.keys().enumerate().map(|(i, m)| (m, i)).collect();
    for (from, text) in all {
        let to = paths(text).into_iter().filter_map(|p| target(&p, from, all)).filter_map(|m| number.get(&m).copied());
        for to in to {
            graph.add_edge(number[from], to, ());
        }
    }
    let keys: Vec<&Module> = all.keys().collect();
    tarjan_scc(&graph).into_iter().filter(|c| c.len() > 1).map(|c| c.into_iter().map(|i| keys[i]).collect()).collect()
}

/// What is larger than the limit and not in the list, or than the list says; and what need not be in the list any more. Each thing goes by its names.
fn beyond(found: &[(Vec<String>, usize)], limit: usize, known: &[(&str, usize)]) -> Vec<String> {
    let is = |names: &[String], known: &str| names.iter().any(|n| n == known || n.ends_with(&format!("/{known}")));
    let large = || found.iter().filter(|(_, size)| *size > limit);
    let grown = large().filter(|(names, size)| !known.iter().any(|(k, most)| is(names, k) && size <= most));
    let grown = grown.map(|(names, size)| format!("{size} > {limit}: {}", names.join(" ")));
    let past = known.iter().filter(|(k, _)| !large().any(|(names, _)| is(names, k)));
    grown.chain(past.map(|(k, _)| format!("take out of the list: {k}"))).collect()
}

#[test]
fn parts_of_the_booster_import_from_those_before_them() {
    assert_layers("crates/booster/src", &[], &BOOSTER);
}

#[test]
fn parts_of_the_program_import_from_those_before_them() {
    assert_layers("src", &[], &PROGRAM);
}

#[test]
fn rooms_of_the_analyses_import_from_those_before_them() {
    assert_layers("crates/booster/src", &["analysis"], &ANALYSIS);
}

#[test]
fn rooms_of_the_adjoint_import_from_those_before_them() {
    assert_layers("crates/booster/src", &["transform", "adjoint"], &ADJOINT);
}

/// The crates of the workspace that a crate is made with; tests may use others.
fn dependencies(folder: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    let names = manifest["dependencies"].as_table().expect("a table").keys();
    names.filter(|n| *n == "xaif" || n.starts_with("overbar-")).map(|n| n.trim_start_matches("overbar-").to_owned()).collect()
}

#[test]
fn crates_depend_on_those_before_them() {
    let name = |folder: &str| match folder {
        "schema" => "xaif".to_owned(),
        _ => folder.rsplit('/').next().unwrap_or_default().to_owned(),
    };
    let order: Vec<String> = CRATES.iter().map(|c| name(c)).collect();
    for (k, folder) in CRATES.iter().enumerate() {
        let used = dependencies(folder);
        let later: Vec<&String> = used.iter().filter(|d| !order[..k].contains(d)).collect();
        assert!(later.is_empty(), "{folder} depends on {later:?}");
        assert!(!ALONE.contains(folder) || used == ["xaif"], "{folder} depends on {used:?}");
    }
}

#[test]
fn rooms_of_the_fortran_front_end_import_from_those_before_them() {
    assert_layers("frontends/fortran/src", &["parse"], &FORTRAN_PARSE);
    assert_layers("frontends/fortran/src", &["unparse"], &FORTRAN_UNPARSE);
}

#[test]
fn rooms_of_the_c_front_end_import_from_those_before_them() {
    assert_layers("frontends/c/src", &["parse"], &C_PARSE);
    assert_layers("frontends/c/src", &["unparse"], &C_UNPARSE);
}

#[test]
fn every_part_has_a_place() {
    assert_placed("crates/booster/src", &[], &BOOSTER);
    assert_placed("crates/booster/src", &["analysis"], &ANALYSIS);
    assert_placed("src", &[], &PROGRAM);
    assert_placed("frontends/fortran/src", &["parse"], &FORTRAN_PARSE);
    assert_placed("frontends/fortran/src", &["unparse"], &FORTRAN_UNPARSE);
    assert_placed("frontends/c/src", &["parse"], &C_PARSE);
    assert_placed("frontends/c/src", &["unparse"], &C_UNPARSE);
}

#[test]
fn no_large_circle_of_files() {
    let mut found = Vec::new();
    for source in sources() {
        let all = modules(&root().join(&source));
        let named = |c: Vec<&Module>| (c.iter().map(|m| format!("{source}/{}", m.join("/"))).collect::<Vec<_>>(), c.len());
        found.extend(circles(&all).into_iter().map(named));
    }
    let beyond = beyond(&found, LARGEST_CIRCLE, CIRCLES);
    assert!(beyond.is_empty(), "circles of files:\n{}", beyond.join("\n"));
}

#[test]
fn no_long_file() {
    let mut found = Vec::new();
    for source in sources().into_iter().chain(["tests".to_owned()]) {
        let all = modules(&root().join(&source));
        found.extend(all.iter().map(|(m, text)| (vec![format!("{source}/{}", m.join("/"))], text.lines().count())));
    }
    let beyond = beyond(&found, LONGEST_FILE, LONG_FILES);
    assert!(beyond.is_empty(), "long files:\n{}", beyond.join("\n"));
}

#[test]
fn no_long_function() {
    let mut found = Vec::new();
    for source in sources() {
        for (m, text) in &modules(&root().join(&source)) {
            let place = format!("{source}/{}", m.join("/"));
            found.extend(functions(&code(text)).into_iter().map(|(f, length)| (vec![format!("{place}/{f}")], length)));
        }
    }
    let beyond = beyond(&found, LONGEST_FUNCTION, LONG_FUNCTIONS);
    assert!(beyond.is_empty(), "long functions:\n{}", beyond.join("\n"));
}

#[test]
fn an_import_that_runs_upward_is_found() {
    let text = |t: &str| t.to_owned();
    let module = |m: &str| m.split('/').map(str::to_owned).collect::<Module>();
    let mut all: BTreeMap<Module, String> = BTreeMap::new();
    all.insert(module("low"), text("//! use crate::high;\nuse super::low::x;\n"));
    all.insert(module("low/part"), text("use crate::{low::{self, a}, high::b as c};\n"));
    all.insert(module("high"), text("use crate::low::part;\nfn f() { super::low::g() }\n"));
    assert_eq!(upward(&all, &[], &["low", "high"]), ["low/part imports high"]);
    assert_eq!(upward(&all, &[], &["high", "low"]), ["high imports low", "high imports low/part"]);
}

#[test]
fn a_circle_and_a_long_file_are_found() {
    let module = |m: &str| m.split('/').map(str::to_owned).collect::<Module>();
    let mut all: BTreeMap<Module, String> = BTreeMap::new();
    all.insert(module("room"), "mod a;\nfn f() { a::g() }\n#[cfg(test)]\nmod tests;\n".into());
    all.insert(module("room/a"), "use crate::other;\n#[cfg(test)]\nmod tests {\n    use crate::apart;\n}\n".into());
    all.insert(module("other"), "use crate::room::{self, x};\n".into());
    all.insert(module("apart"), "use crate::room;\n".into());
    let found: Vec<BTreeSet<String>> = circles(&all).into_iter().map(|c| c.into_iter().map(|m| m.join("/")).collect()).collect();
    assert_eq!(found, [BTreeSet::from(["room".into(), "room/a".into(), "other".into()])]);
    assert_eq!(code(&all[&module("room/a")]).lines().count(), 1);

    let sizes = [(vec!["src/a".to_owned(), "src/b".to_owned()], 7), (vec!["src/c".to_owned()], 3)];
    assert_eq!(beyond(&sizes, 4, &[]), ["7 > 4: src/a src/b"]);
    assert_eq!(beyond(&sizes, 4, &[("b", 6)]), ["7 > 4: src/a src/b"]);
    assert_eq!(beyond(&sizes, 4, &[("b", 8)]), [""; 0]);
    assert_eq!(beyond(&sizes, 4, &[("b", 7), ("c", 3)]), ["take out of the list: c"]);
}

#[test]
fn a_long_function_is_found() {
    let text = "trait T {\n    fn said(&self);\n    fn told(\n        &self,\n    );\n}\n\npub(crate) fn short(x: u8) -> u8 {\n    x\n}\n\nconst fn one() {}\n\n\
                impl A {\n    pub(in crate::b) const fn long<T: Fn(u8)>(\n        f: T,\n    ) {\n        if x {\n        }\n\n        // fn none(\n        f(\"fn no\")\n    }\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn apart() {\n    }\n}\n";
    let found = functions(&code(text));
    assert_eq!(
        found.iter().map(|(f, n)| (f.as_str(), *n)).collect::<Vec<_>>(),
        [("said", 1), ("told", 3), ("short", 3), ("one", 1), ("long", 9)]
    );
    let names = |f: &str| vec![format!("src/a/{f}")];
    let sizes: Vec<_> = found.iter().map(|(f, n)| (names(f), *n)).collect();
    assert_eq!(beyond(&sizes, 8, &[]), ["9 > 8: src/a/long"]);
    assert_eq!(beyond(&sizes, 8, &[("a/long", 9)]), [""; 0]);
    assert_eq!(beyond(&sizes, 9, &[("a/long", 9)]), ["take out of the list: a/long"]);
}
