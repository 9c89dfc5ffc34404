//! Nothing silent on the way through the stock dialect: for each head of the test programs and samples, `frontend | boost --dialect openad` gives the derivatives
//! of the original, certified by the interpreter, or a refusal.

use crate::common;

use common::{overbar, root};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

/// What the stock form cannot say, or is not made to say.
const REFUSALS: [&str; 11] = ["OB0146", "OB4018", "OB4031", "OB4084", "OB4086", "OB4087", "OB4089", "OB4090", "OB4091", "OB4092", "OB4094"];

/// No point comes to all statements, or the interpreter does not have what the program uses.
const UNCERTIFIED: [&str; 2] = ["OB6082", "OB6083"];

/// The samples, but for the one that calls a library.
const SAMPLES: [(&str, &str); 10] = [
    ("griewank/griewank.f90", "griewank(c)/(a)"),
    ("griewank/griewank.c", "griewank/(x)"),
    ("fragment/fragment.c", "fragment(x)/(x,y)"),
    ("bratu/bratu.f90", "bratu(f)/(x,prm)"),
    ("control_flow/example.f90", "example(y)/(x)"),
    ("chain/chain.c", "chain/(x,y)"),
    ("chain/chain.c", "chain_aliased/(x,y)"),
    ("flw2d1col/flw2d1col.f", "FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)"),
    ("newton/newton.f90", "root(root)/(p,q)"),
    ("pendulum/pendulum.c", "energy/(angle,length,damping)"),
];

/// Heads with their files.
fn heads() -> Vec<(PathBuf, String)> {
    let mut out = Vec::new();
    for folder in ["tests/c_programs", "tests/fortran_programs"] {
        for e in std::fs::read_dir(root().join(folder)).expect("the folder") {
            let path = e.expect("an entry").path();
            if !matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "f" | "f90" | "F90")) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let heads = text.lines().filter_map(|l| l.strip_prefix("//: head ").or_else(|| l.strip_prefix("! head: ")));
            out.extend(heads.map(|h| (path.clone(), h.trim().to_owned())));
        }
    }
    out.extend(SAMPLES.iter().map(|(file, head)| (root().join("samples").join(file), (*head).to_owned())));
    out.sort();
    out
}

/// `certified`, or the code of what is said last.
fn outcome(folder: &std::path::Path, number: usize, (file, head): &(PathBuf, String), mode: &str) -> (String, String) {
    let document = format!("{number}.xaif");
    let language = if file.extension().is_some_and(|e| e == "c") { "c" } else { "fortran" };
    let path = file.to_str().expect("text");
    let read = overbar(folder, &["frontend", language, path, "--head", head, "-o", &document]);
    assert!(read.status.success(), "{path}: {}", String::from_utf8_lossy(&read.stderr));
    let made = overbar(folder, &["boost", &document, mode, "--dialect", "openad", "--require-certificate", "-o", "/dev/null"]);
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    if made.status.success() {
        return ("certified".into(), said);
    }
    let code = common::codes(&said).last().copied().unwrap_or("nothing").to_owned();
    (code, said)
}

#[test]
fn every_program_is_certified_in_the_stock_dialect_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = heads();
    let next = Mutex::new(all.iter().enumerate());
    let found = Mutex::new((BTreeMap::<(&str, String), usize>::new(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((k, asked)) = next.lock().expect("no thread panics").next() else { return };
                    for mode in ["-d", "-b"] {
                        let (code, said) = outcome(folder.path(), k, asked, mode);
                        let mut found = found.lock().expect("no thread panics");
                        if code != "certified" && !REFUSALS.contains(&code.as_str()) && !UNCERTIFIED.contains(&code.as_str()) {
                            found.1.push(format!("{} {} {mode}: {code}\n{said}", asked.0.display(), asked.1));
                        }
                        *found.0.entry((mode, code)).or_default() += 1;
                    }
                }
            });
        }
    });
    let (counts, problems) = found.into_inner().expect("no thread panics");
    for ((mode, code), n) in &counts {
        println!("{mode} {code}: {n}");
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let certified = |mode| counts.get(&(mode, "certified".to_owned())).copied().unwrap_or_default();
    let uncertified =
        UNCERTIFIED.iter().map(|c| counts.iter().filter(|((_, code), _)| code == c).map(|(_, n)| n).sum::<usize>()).sum::<usize>();
    assert!(certified("-d") >= 480 && certified("-b") >= 430 && uncertified <= 80, "{counts:?}");
}
