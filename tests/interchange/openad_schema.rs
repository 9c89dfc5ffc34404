//! What the booster writes in the stock dialect, from our own front ends and from random programs, is valid: xmllint is the judge.

use crate::common;
#[path = "../random/parts.rs"]
mod parts;

use overbar::Options;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use xaif::Program;
use xaif::model::Dialect;

/// Random programs that are written.
const PROGRAMS: u64 = 60;

fn samples() -> Vec<(String, Program)> {
    let mut out = Vec::new();
    for folder in std::fs::read_dir(common::root().join("samples")).unwrap().filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir()) {
        for file in std::fs::read_dir(&folder).unwrap().filter_map(|e| Some(e.ok()?.path())) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let is_source = [".c", ".f90", ".f"].iter().any(|e| name.ends_with(e));
            if name.starts_with("driver") || name.starts_with("client") || !is_source {
                continue;
            }
            let text = std::fs::read_to_string(&file).unwrap();
            let program = if name.ends_with(".c") {
                let preprocessor = vec![format!("-I{}", folder.display())];
                let options = overbar_c::ParseOptions { preprocess: true, preprocessor, ..Default::default() };
                overbar_c::parse(&[overbar_c::parse::SourceText { file: &name, text: &text }], &options).unwrap().0
            } else {
                let options = overbar_fortran::ParseOptions { fixed_form: name.ends_with(".f"), ..Default::default() };
                overbar_fortran::parse(&[overbar_fortran::parse::SourceText { file: &name, text: &text }], &options).unwrap().0
            };
            out.push((name, program));
        }
    }
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

#[test]
fn stock_output_is_valid() {
    let mut programs = samples();
    let of_samples = programs.len();
    programs.extend((0..PROGRAMS).map(|seed| (format!("seed_{seed}"), parts::generate::generate(seed).build())));
    let folder = tempfile::tempdir().unwrap();
    let mut files: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (k, (name, program)) in programs.into_iter().enumerate() {
        for (mode, tangent) in [("tangent", true), ("adjoint", false)] {
            let mut stock = program.clone();
            stock.dialect = Dialect::Openad;
            stock.sources.clear();
            let what = if k < of_samples { "samples" } else { "random" };
            match overbar::boost(stock, &Options { tangent, adjoint: !tangent, ..Options::default() }) {
                Ok(b) => {
                    let text = xaif::write::write(&b.program);
                    let schema = if text.contains("xaif_output.xsd") { "xaif_output.xsd" } else { "xaif.xsd" };
                    let file = folder.path().join(format!("{name}_{mode}.xaif"));
                    std::fs::write(&file, text).unwrap();
                    files.entry(schema).or_default().push(file);
                    *counts.entry(format!("{what} {mode} written")).or_default() += 1;
                }
                Err(found) => *counts.entry(format!("{what} {mode} refused, {}", found[0].code)).or_default() += 1,
            }
        }
    }
    counts.iter().for_each(|(what, n)| println!("{n:5} {what}"));
    for (schema, list) in files {
        let schema = common::root().join("schema/xsd").join(schema);
        let Ok(out) = Command::new("xmllint").args(["--noout", "--nonet", "--schema"]).arg(&schema).args(&list).output() else {
            println!("skipped: there is no xmllint");
            return;
        };
        let told = String::from_utf8_lossy(&out.stderr);
        let invalid: Vec<&str> = told.lines().filter(|l| !l.ends_with(" validates")).take(6).collect();
        assert!(out.status.success(), "{}", invalid.join("\n"));
    }
    // Many of these programs choose between elements inside of expressions, which stock derivatives cannot do.
    assert!(counts.get("random adjoint written").is_some_and(|&n| n > PROGRAMS as usize / 3));
}
