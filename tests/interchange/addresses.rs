//! Alias sets of a file: what they put into one place is differentiated as one place, though the text has two names for it.

use crate::common;

use common::{overbar_with_input, silently};
use std::path::Path;
use xaif::model::{AliasRange, AliasSet, StmtKind, VertexKind};

const TEXT: &str = "\
subroutine f(x, p, q, y)
  real(8), intent(in) :: x
  real(8), intent(inout) :: p, q
  real(8), intent(out) :: y
  p = cos(x)
  q = sin(x)*x
  y = exp(p*q)
end subroutine
";

/// With one variable for p and q, whose derivatives are one, too: both modes, at x = 0.7.
const DRIVER: &str = "\
program driver
  real(8) :: x, xd, xb, t, td, tb, y, yd, yb
  external f_d, f_b
  x = 0.7d0; xd = 1; t = 0; td = 0
  call f_d(x, xd, t, td, t, td, y, yd)
  print '(2es26.17)', y, yd
  xb = 0; t = 0; tb = 0; yb = 1
  call f_b(x, xb, t, tb, t, tb, y, yb)
  print '(2es26.17)', xb, yb
end program
";

/// The program as a document in which p is at the address 5 and q at another one, or the same.
fn document(q: u64) -> String {
    let source = overbar_fortran::parse::SourceText { file: "f.f90", text: TEXT };
    let (mut program, _) = overbar_fortran::parse(&[source], &Default::default()).unwrap_or_else(|d| panic!("{d:?}"));
    let unit = program.unit_named("f").unwrap();
    let scope = program.unit(unit).scope;
    let keys = [("p", 2), ("q", 3)].map(|(name, key)| (program.lookup(scope, name).unwrap(), key));
    let set = |key: u32, from: u64| AliasSet { key, ranges: vec![AliasRange { from, to: from, partial: false }] };
    program.alias_sets = vec![AliasSet::default(), set(2, 5), set(3, q)];
    for vertex in program.units[unit.index()].graph.node_weights_mut() {
        let VertexKind::Block { stmts, .. } = &mut vertex.kind else { continue };
        for s in stmts {
            let StmtKind::Assignment { lhs, rhs } = &mut s.kind else { continue };
            let key = |s| keys.iter().find(|(k, _)| *k == s).map_or(0, |(_, key)| *key);
            lhs.set_keys(key(lhs.symbol), 0);
            rhs.for_each_ref_mut(&mut |r| r.set_keys(key(r.symbol), 0));
        }
    }
    xaif::write::write(&program)
}

fn differentiated(folder: &Path, q: u64) -> String {
    let derivative = overbar_with_input(folder, &["boost", "-d", "-b", "--head", "f(y,p,q)/(x,p,q)"], document(q).as_bytes());
    assert!(derivative.status.success(), "{}", String::from_utf8_lossy(&derivative.stderr));
    let text = overbar_with_input(folder, &["backend", "fortran"], &derivative.stdout);
    assert!(text.status.success(), "{}", String::from_utf8_lossy(&text.stderr));
    String::from_utf8(text.stdout).unwrap()
}

#[test]
fn two_names_for_one_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("f.f90"), differentiated(folder, 5)).unwrap();
    std::fs::write(folder.join("driver.f90"), DRIVER).unwrap();
    common::runtime(folder);
    let runtime: Vec<String> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    let runtime: Vec<&str> = runtime.iter().map(String::as_str).filter(|n| n.contains("overbar") && n.ends_with(".f90")).collect();
    // Fortran itself allows no such call: nothing may be optimized by what it promises.
    let arguments = [&["-O0"], &runtime[..], &["f.f90", "driver.f90", "-o", "driver"]].concat();
    silently(folder, "gfortran", &arguments);
    let out = silently(folder, "./driver", &[]);
    let n: Vec<f64> = out.split_whitespace().map(|w| w.parse().unwrap()).collect();
    let x = 0.7f64;
    let place = x.sin() * x;
    let y = (place * place).exp();
    let slope = y * 2.0 * place * (x.cos() * x + x.sin());
    for (found, wanted) in [(n[0], y), (n[1], slope), (n[2], slope), (n[3], 0.0)] {
        assert!((found - wanted).abs() <= 1e-14 * wanted.abs(), "{out}{wanted}");
    }
}

#[test]
fn derivatives_that_would_not_share_it_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let boost = |q| overbar_with_input(folder.path(), &["boost", "-b", "--head", "f(y)/(x)"], document(q).as_bytes());
    let (one, two) = (boost(5), boost(6));
    let told = String::from_utf8_lossy(&one.stderr).into_owned();
    assert!(!one.status.success() && one.stdout.is_empty() && told.contains("OB4123") && told.contains("f.f90:3"), "{told}");
    assert!(two.status.success());
}

#[test]
fn two_places_are_two() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (differentiated(folder.path(), 5), differentiated(folder.path(), 6));
    // Apart, all three statements have one local Jacobian; in one place, what p is when y is set is not what its own assignment has made it.
    assert_ne!(one, two);
}
