//! Reads C and writes it again from the model: `reprint FILE [keep|alone]`.
use overbar_c::{ParseOptions, UnparseOptions, parse, unparse};

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap_or_default();
    let how = args.next().unwrap_or_default();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let options = ParseOptions { preprocess: true, ..Default::default() };
    match parse(&[parse::SourceText { file: &file, text: &text }], &options) {
        Ok((mut program, notes)) => {
            for n in notes {
                eprintln!("{n}");
            }
            if how != "keep" {
                for s in &mut program.sources {
                    s.text.clear();
                }
            }
            match unparse(&program, &UnparseOptions { no_primal: how == "alone", header: false }) {
                Ok(out) => print!("{}", out.source),
                Err(problems) => problems.iter().for_each(|d| eprintln!("{d}")),
            }
        }
        Err(problems) => problems.iter().for_each(|d| eprintln!("{d}")),
    }
}
