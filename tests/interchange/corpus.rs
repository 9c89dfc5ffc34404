//! Real XAIF files that stock tools wrote: read, validated, boosted in both modes, written; the counts may not drop.

use crate::common;

use overbar::Options;
use std::collections::BTreeMap;
use xaif::Diagnostic;
use xaif::read::{Limits, read};

/// How many files are at least transformed in each mode; the others are refused with a reason.
const TANGENT_AT_LEAST: usize = 89;
const ADJOINT_AT_LEAST: usize = 89;

#[test]
fn real_files_are_transformed_or_refused_with_a_reason() {
    let Some(folder) = common::shared("xaif/corpus") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "xaif"));
    files.sort();
    let mut counts = BTreeMap::new();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read(file).unwrap();
        let (program, _) = read(&name, &text, &Limits::default()).unwrap_or_else(|found| panic!("{name}: {found:?}"));
        for tangent in [true, false] {
            let options = Options { tangent, adjoint: !tangent, ..Options::default() };
            let mode = if tangent { "tangent" } else { "adjoint" };
            match overbar::boost(program.clone(), &options) {
                Ok(boosted) => {
                    *counts.entry((mode, "transformed".to_owned())).or_insert(0) += 1;
                    let out = xaif::write::write(&boosted.program);
                    let problems: Vec<Diagnostic> = xaif::validate::schema(&name, out.as_bytes());
                    // A file that was invalid to begin with stays so.
                    if xaif::validate::schema(&name, &text).is_empty() {
                        assert!(problems.is_empty(), "{name}, {mode}: {:?}", &problems[..problems.len().min(3)]);
                    }
                    // The other dialect's validator sees more.
                    let own = xaif::Program { dialect: xaif::model::Dialect::Overbar, ..boosted.program.clone() };
                    let problems: Vec<Diagnostic> = xaif::validate::semantics(&own).into_iter().filter(|d| d.is_error()).collect();
                    assert!(problems.is_empty(), "{name}, {mode}: {problems:?}");
                    let (again, _) =
                        read(&name, out.as_bytes(), &Limits::default()).unwrap_or_else(|found| panic!("{name}, {mode}: {found:?}"));
                    assert_eq!(xaif::write::write(&again), out, "{name}, {mode}: reading and writing changes it");
                }
                Err(found) => {
                    assert!(!found.is_empty(), "{name}: refused without a reason");
                    for d in &found {
                        assert!(d.is_error() && d.location.is_some() && d.help.is_some(), "{name}: {d:?}");
                    }
                    println!("{mode:8} {name}: {}", found[0]);
                    *counts.entry((mode, format!("refused, {}", found[0].code))).or_insert(0) += 1;
                }
            }
        }
    }
    for ((mode, what), count) in &counts {
        println!("{mode:8} {count:3} {what}");
    }
    let transformed = |mode| counts.get(&(mode, "transformed".to_owned())).copied().unwrap_or(0);
    assert!(transformed("tangent") >= TANGENT_AT_LEAST, "{counts:?}");
    assert!(transformed("adjoint") >= ADJOINT_AT_LEAST, "{counts:?}");
}
