use super::harness::text;
use overbar_fortran::parse::{ParseOptions, SourceText, parse};

#[test]
#[ignore]
fn show() {
    let file = std::env::var("SHOW").unwrap();
    let t = std::fs::read_to_string(&file).unwrap();
    let p = if file.ends_with(".c") {
        use overbar_c::parse as c;
        c::parse(&[c::SourceText { file: &file, text: &t }], &c::ParseOptions { preprocess: true, ..Default::default() }).unwrap().0
    } else {
        parse(&[SourceText { file: &file, text: &t }], &ParseOptions::default()).unwrap().0
    };
    let head = crate::heads::parse_head(&std::env::var("HEAD").unwrap()).unwrap();
    let o = crate::Options { adjoint: true, heads: vec![head], ..Default::default() };
    match crate::boost(p, &o) {
        Ok(b) => {
            for u in b.program.unit_ids() {
                if b.program.unit(u).derivation.is_some() {
                    println!("{}:\n{}", b.program.unit_name(u), text(&b.program, u));
                }
            }
        }
        Err(d) => d.iter().for_each(|d| println!("{d}")),
    }
}
