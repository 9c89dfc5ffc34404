//! What programs become.

use super::{dump, plain, preprocessed};

#[test]
fn show() {
    for f in ["tests/c/flow.c", "tests/c/data.c", "../shared/bench/kernels.c", "../shared/golden/burgers.c"] {
        let Ok(text) = std::fs::read_to_string(format!("{}/../../{f}", env!("CARGO_MANIFEST_DIR"))) else { continue };
        let r = preprocessed(&text);
        let (p, w) = match r {
            Ok(x) => x,
            Err(e) => panic!("{e:#?}"),
        };
        for w in w {
            println!("{w}");
        }
        for u in p.unit_ids() {
            println!("== {} {:?}", p.unit_name(u), p.unit(u).comment);
            println!("{}", dump::unit(&p, p.unit_name(u)));
        }
    }
    let _ = plain;
}
