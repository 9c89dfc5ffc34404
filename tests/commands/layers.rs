//! Imports run one way: between the parts of the booster, of the program around it and of the adjoint, in the order that is written here. A part imports
//! from those before it; ARCHITECTURE.md says what each is for.

use crate::common;

use common::root;
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
const PROGRAM: [&str; 8] = ["arguments", "pipeline", "console", "page", "commands", "batch", "serve", "cli"];

/// The rooms of the adjoint.
const ADJOINT: [&str; 10] = ["code", "facts", "variables", "boundary", "shape", "statement", "cleanup", "record", "sweep", "unit"];

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

/// The paths that a text names from its crate's root or from the module above.
fn paths(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: String = code.lines().map(|l| l.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut out = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = rest.find("use ") {
        let whole = at == 0 || !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        rest = &rest[at + 4..];
        if let (true, Some(end)) = (whole, rest.find(';')) {
            expanded(&rest[..end], &mut out);
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let path: String = code[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':').collect();
            out.push(path.trim_end_matches(':').to_owned());
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

/// The module that a path means, seen from another one.
fn target(path: &str, from: &Module, all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut parts = path.split("::").map(str::trim).peekable();
    let mut at = match parts.peek() {
        Some(&"crate") => {
            parts.next();
            Vec::new()
        }
        Some(&"super") => from.clone(),
        _ => return None,
    };
    while parts.next_if(|p| *p == "super").is_some() {
        at.pop();
    }
    at.extend(parts.map(str::to_owned));
    while !at.is_empty() && !all.contains_key(&at) {
        at.pop();
    }
    (!at.is_empty()).then_some(at)
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

fn assert_layers(folder: &str, above: &[&str], order: &[&str]) {
    let all = modules(&root().join(folder));
    let found = upward(&all, above, order);
    assert!(found.is_empty(), "these imports run upward:\n{}", found.join("\n"));
    let there: BTreeSet<&str> = all.keys().filter(|m| m.len() > above.len()).map(|m| m[above.len()].as_str()).collect();
    let known: BTreeSet<&str> = order.iter().copied().collect();
    assert!(known.is_subset(&there), "not there any more: {:?}", known.difference(&there));
    if above.is_empty() {
        assert!(there.is_subset(&known), "no place in the order: {:?}", there.difference(&known));
    }
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
