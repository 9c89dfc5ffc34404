//! Loops that are reversed from snapshots: right derivatives with every other option, the fewest iterations, less memory, and what is refused.

use crate::common;

use common::{STRICT_C, STRICT_FORTRAN, overbar, overbar_ok, runtime, silently};
use overbar::evaluate::{self, Inputs, Limits};
use overbar::transform::{Preaccumulate, Reversal};
use overbar::verify::{Request, Verdict, verify};
use overbar::{Options, boost};
use std::collections::BTreeMap;
use xaif::model::Head;
use xaif::{Diagnostic, Program};

/// A program whose loops say `@N` where a directive is to stand, its head, and a point.
struct Case {
    name: &'static str,
    text: &'static str,
    head: &'static str,
    point: &'static str,
}

/// An explicit time step in arrays of the procedure's own; the work array is set before it is read.
const BURGERS: Case = Case {
    name: "burgers.c",
    text: "#include <stdlib.h>\ndouble f(int n, int nt, const double u0[n]) {\n  double *u = malloc(n * sizeof(double));\n  double *un = malloc(n * sizeof(double));\n  double c = 0.2, d = 0.1, j = 0;\n  for (int i = 0; i < n; i++) {\n    u[i] = u0[i];\n    un[i] = u0[i];\n  }\n@N\n  for (int t = 0; t < nt; t++) {\n    for (int i = 1; i < n - 1; i++)\n      un[i] = u[i] - c * u[i] * (u[i] - u[i - 1]) + d * (u[i + 1] - 2.0 * u[i] + u[i - 1]);\n    for (int i = 1; i < n - 1; i++)\n      u[i] = un[i];\n  }\n  for (int i = 0; i < n; i++)\n    j += u[i] * u[i];\n  free(u);\n  free(un);\n  return j;\n}\n",
    head: "f/(u0)",
    point: r#"{"args":{"n":5,"nt":11,"u0":[0.5,0.75,1.25,0.25,0.375]}}"#,
};

/// Steps of two, a scalar state, a sum that nothing in the loop reads, a branch on the state.
const STRIDE: Case = Case {
    name: "stride.f90",
    text: "subroutine f(n, nt, x, a, y)\n  implicit none\n  integer, intent(in) :: n, nt\n  double precision, intent(in) :: x(n), a\n  double precision, intent(out) :: y\n  double precision :: u(n), un(n), s\n  integer :: i, t, k\n  u = x\n  y = 0\n  s = 1\n  k = 1\n@N\n  do t = 2*nt, 2, -2\n    un(1) = u(1)\n    do i = 2, n - 1\n      un(i) = u(i) - a*u(i)*(u(i) - u(i-1)) + 0.1d0*(u(i+1) - 2*u(i) + u(i-1))\n    end do\n    un(n) = u(n)\n    do i = 1, n\n      u(i) = un(i)\n    end do\n    if (u(2) > 0.7d0) then\n      s = sin(s*u(2))\n      k = k + 1\n    else\n      s = s*u(k) + t\n    end if\n    if (k > n) k = 1\n    y = y + s*u(3)\n  end do\n  do i = 1, n\n    y = y + u(i)**2*s\n  end do\nend subroutine\n",
    head: "f(y)/(x,a)",
    point: r#"{"args":{"n":4,"nt":9,"x":[0.5,0.75,1.25,0.25],"a":0.2,"y":0}}"#,
};

/// A loop whose iterations are not known before it runs, left by a jump.
const WHILE: Case = Case {
    name: "while.c",
    text: "#include <math.h>\ndouble f(double x, double end) {\n  double u = x, t = 0, v = 1, h = 0.1;\n  int k = 0;\n@N\n  while (t < end) {\n    u = u + h * sin(u * v);\n    v = v * cos(h * u);\n    t = t + h;\n    k = k + 1;\n    if (k > 40)\n      break;\n    h = h * 1.05;\n  }\n  return u * v + t;\n}\n",
    head: "f/(x)",
    point: r#"{"args":{"x":0.7,"end":1.5}}"#,
};

/// Two loops, one in the other, both from snapshots; values from before the loops are needed behind them in the reverse sweep.
const NESTED: Case = Case {
    name: "nested.c",
    text: "#include <math.h>\nvoid f(int n, int m, double u[3], double y[1]) {\n  double w = u[0] * u[1];\n  u[2] = u[2] * w * u[0];\n@N\n  for (int i = 0; i < n; i++) {\n    double a = u[0];\n@N\n    for (int j = m; j >= 1; j--) {\n      a = sin(a * u[1]) + 0.1 * j;\n      u[1] = u[1] * a;\n    }\n    u[0] = a * u[2] + cos(u[1]);\n  }\n  y[0] = u[0] * u[0] * w + u[1];\n}\n",
    head: "f(u,y)/(u)",
    point: r#"{"args":{"n":5,"m":4,"u":[0.5,0.75,1.25],"y":[0]}}"#,
};

/// The state is a module's, a procedure makes the step, and another loop is around; nothing is known of the branch before.
const MODULE: Case = Case {
    name: "module.f90",
    text: "module model\n  implicit none\n  double precision, allocatable :: u(:,:)\n  double precision :: energy\ncontains\n  subroutine step(h)\n    double precision, intent(in) :: h\n    integer :: i, j\n    do j = 2, size(u, 2)\n      do i = 1, size(u, 1)\n        u(i,j) = u(i,j) + h*u(i,j-1)*u(i,j)\n      end do\n    end do\n    energy = energy + sum(u)*h\n  end subroutine\n  subroutine f(nt, x, y)\n    integer, intent(in) :: nt\n    double precision, intent(in) :: x(2,3)\n    double precision, intent(out) :: y\n    integer :: t, r\n    allocate (u(2,3))\n    u = x\n    energy = 0\n    do r = 1, 2\n      if (x(1,1) > 0.1d0*r) then\n@N\n        do t = 1, nt\n          call step(0.05d0*x(1,2))\n          u(1,1) = cos(u(1,1)*energy)\n        end do\n      end if\n    end do\n    y = energy*u(2,3)\n    deallocate (u)\n  end subroutine\nend module\n",
    head: "f(y)/(x)",
    point: r#"{"args":{"nt":5,"x":[[0.5,0.75,1.25],[0.25,0.375,0.625]],"y":0}}"#,
};

/// In a procedure that others call; rows of arrays, an index without a sign, and nothing behind the loop that needs its end.
const CALLED: Case = Case {
    name: "called.c",
    text: "#include <math.h>\n#include <stddef.h>\nvoid advance(int n, int m, size_t nt, double u[n][m], double *s) {\n  double v[4];\n  for (int k = 0; k < 4; k++)\n    v[k] = u[0][0] * k;\n@N\n  for (size_t t = nt; t > 0; t--) {\n    for (int i = 0; i < n; i++)\n      for (int j = 1; j < m; j++)\n        u[i][j] = u[i][j] * cos(u[i][j - 1]) + 0.01 * t;\n    v[t % 4] = sin(v[(t + 1) % 4] * u[0][m - 1]);\n    *s = *s * v[1] + v[2];\n  }\n}\nvoid f(int n, int m, double u[n][m], double y[1]) {\n  y[0] = 1;\n  u[0][1] = u[0][1] * u[0][0];\n  advance(n, m, 6, u, y);\n  u[0][0] = u[0][0] * u[n - 1][m - 1] * y[0];\n  advance(n, m, 3, u, y);\n}\n",
    head: "f(y)/(u)",
    point: r#"{"args":{"n":2,"m":3,"u":[[0.5,0.75,1.25],[0.25,0.375,0.625]],"y":[0]}}"#,
};

/// Assumed shapes, logical and integer states, a loop with a condition at its end, a stride that is not known.
const SHAPES: Case = Case {
    name: "shapes.f90",
    text: "module shapes\n  implicit none\ncontains\n  subroutine f(u, k, first, last, by, y)\n    double precision, intent(inout) :: u(:)\n    integer, intent(in) :: k, first, last, by\n    double precision, intent(out) :: y\n    logical :: up\n    integer :: i, j\n    double precision :: q\n    up = .true.\n    j = k\n    q = u(1)\n@N\n    do i = first, last, by\n      if (up) then\n        u(j) = u(j)*q + sin(u(1))\n      else\n        q = q*u(2) + i*0.01d0\n      end if\n      up = .not. up\n      j = mod(j, size(u)) + 1\n    end do\n    j = 0\n@N\n    do\n      q = q*cos(u(3)) + 0.1d0\n      u(3) = u(3)*q\n      j = j + 1\n      if (j >= k + 4) exit\n    end do\n    y = q*u(2)*u(3)\n  end subroutine\nend module\n",
    head: "f(u,y)/(u)",
    point: r#"{"args":{"u":[0.5,0.75,1.25,0.3],"k":2,"first":9,"last":-6,"by":-2,"y":0}}"#,
};

/// Arms that run on into others, in the loop and behind it.
const FALL: Case = Case {
    name: "fall.c",
    text: "#include <math.h>\ndouble f(int n, const double x[n]) {\n  int i = 0;\n  double a = 1.0;\n@N\n  while (i < n) {\n    if (i == 2) {\n      i++;\n      continue;\n    }\n    switch (i % 4) {\n    case 0:\n      a = a * x[i]; /* fall through */\n    case 1:\n      if (a > 10.0)\n        break;\n      a = a * a * x[i]; /* fall through */\n    case 3:\n      a = a + 0.5;\n      break;\n    default:\n      a = a + x[i];\n    }\n    i++;\n  }\n  switch (n) {\n  case 5:\n    if (x[0] > 4.0)\n      return a * x[0];\n    a = a * 2.0; /* fall through */\n  default:\n    a = sin(a);\n  }\n  return a;\n}\n",
    head: "f/(x)",
    point: r#"{"args":{"n":5,"x":[0.5,0.75,1.25,0.25,0.375]}}"#,
};

/// A state of one element and one of two dimensions, in loops one in the other.
const ROWS: Case = Case {
    name: "rows.c",
    text: "void f(int n, int m, double a[n][m], const double x[n], double y[n]) {\n@N\n  for (int i = 0; i < n; i++) {\n    double s = 0.0;\n@N\n    for (int j = 0; j < m; j++) {\n      s += a[i][j] * x[j];\n      a[i][j] = s * x[j];\n    }\n    y[i] = s * s;\n  }\n}\n",
    head: "f(a,y)/(a,x)",
    point: r#"{"args":{"n":3,"m":2,"a":[[0.5,0.75],[1.25,0.25],[0.375,0.625]],"x":[0.5,0.75,1.25],"y":[0,0,0]}}"#,
};

/// Array expressions as arguments and masks, which get temporaries.
const EXPRESSIONS: Case = Case {
    name: "expressions.f90",
    text: "subroutine f(n, nt, x, y)\n  implicit none\n  integer, intent(in) :: n, nt\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: y\n  double precision :: q(n)\n  integer :: it\n  q = x\n@N\n  do it = 1, nt\n    call g(n, q, 0.5d0*q + x)\n    where (q > 1.0d0)\n      q = 1.0d0 + 0.1d0*log(q)\n    elsewhere (q < 0.3d0)\n      q = q*q + 0.2d0\n    end where\n  end do\n  y = sum(q*x)\nend subroutine\nsubroutine g(n, q, r)\n  implicit none\n  integer, intent(in) :: n\n  double precision, intent(inout) :: q(n)\n  double precision, intent(in) :: r(n)\n  q = q*r + 0.1d0\nend subroutine\n",
    head: "f(y)/(x)",
    point: r#"{"args":{"n":4,"nt":7,"x":[0.5,0.75,1.25,0.25],"y":0}}"#,
};

const CASES: [&Case; 10] = [&BURGERS, &STRIDE, &WHILE, &NESTED, &MODULE, &CALLED, &SHAPES, &FALL, &ROWS, &EXPRESSIONS];

impl Case {
    fn is_c(&self) -> bool {
        self.name.ends_with(".c")
    }

    /// The text with directives; without any where `snapshots` is empty.
    fn with(&self, snapshots: &str) -> String {
        let sign = if self.is_c() { "#pragma" } else { "!$" };
        let line = match snapshots {
            "" => String::new(),
            s if s.starts_with("BINOMIAL") => format!("{sign} AD {s}").replace("!$ ", "!$"),
            s => format!("{sign} overbar checkpoint {s}").replace("!$ ", "!$"),
        };
        self.text.replace("@N", &line)
    }

    fn read(&self, snapshots: &str) -> Program {
        parse(self.name, &self.with(snapshots)).unwrap_or_else(|e| panic!("{}: {e:?}", self.name))
    }

    fn certify(&self, snapshots: &str, options: Options) {
        let program = self.read(snapshots);
        let values = evaluate::json::request(self.point, program.index_order).unwrap().inputs.values;
        let request = Request {
            head: head(self.head),
            values: Some(values),
            seed: 1,
            options: options.clone(),
            limits: Limits::default(),
            interpret: true,
            workshop: None,
        };
        let report = verify(&program, &request).unwrap_or_else(|e| panic!("{} {snapshots} {options:?}: {e:?}", self.name));
        assert_eq!(report.verdict, Verdict::Pass, "{} {snapshots} {options:?}: {report:?}", self.name);
    }
}

fn parse(name: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
    if name.ends_with(".c") {
        let source = overbar_c::parse::SourceText { file: name, text };
        return overbar_c::parse(&[source], &overbar_c::ParseOptions { preprocess: true, ..Default::default() }).map(|p| p.0);
    }
    let source = overbar_fortran::parse::SourceText { file: name, text };
    overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions::default()).map(|p| p.0)
}

fn head(text: &str) -> Head {
    overbar::heads::parse_head(text).unwrap()
}

fn adjoint(program: &Program, of: &str) -> Result<Program, Vec<Diagnostic>> {
    boost(program.clone(), &Options { adjoint: true, heads: vec![head(of)], ..Options::default() }).map(|b| b.program)
}

#[test]
fn certificates_pass_with_any_number_of_snapshots() {
    for case in CASES {
        for snapshots in ["1", "2", "5", "memory:1", "memory:300", "1,every:3", "2,every:2", "3,every:40", "memory:300,every:4"] {
            case.certify(snapshots, Options::default());
        }
    }
}

#[test]
fn certificates_pass_with_every_other_option() {
    for case in CASES {
        for reversal in [Reversal::Joint, Reversal::Split] {
            for preaccumulate in [Preaccumulate::Never, Preaccumulate::Always] {
                for snapshots in ["3", "2,every:3"] {
                    case.certify(snapshots, Options { reversal, preaccumulate, zero_init: false, ..Options::default() });
                }
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_adjoint_that_records() {
    for case in CASES {
        let run = |snapshots: &str| {
            let made = adjoint(&case.read(snapshots), case.head).unwrap();
            let unit = made.unit_named("f_b").unwrap();
            let mut inputs = evaluate::json::request(case.point, made.index_order).unwrap().inputs;
            for f in &made.unit(unit).formals {
                let symbol = made.symbol(f.symbol);
                let name = symbol.name.to_string();
                if !inputs.values.contains_key(&name) {
                    let of = inputs.values.get(name.trim_end_matches('b')).cloned();
                    let mut data = of.unwrap_or_else(|| evaluate::Data::real(1.0));
                    data.values.iter_mut().enumerate().for_each(|(k, v)| *v = evaluate::Value::real(1.0 + k as f64));
                    inputs.values.insert(name, data);
                }
            }
            let out = evaluate::run::<f64>(&made, unit, &Inputs { values: inputs.values, ..Inputs::default() }, &Limits::default());
            let out = out.unwrap_or_else(|e| panic!("{} {snapshots}: {e:?}", case.name));
            assert_eq!(out.counters.left, 0, "{}", case.name);
            let bars: Vec<(String, Vec<f64>)> =
                out.arguments.iter().filter(|(n, _)| n.ends_with('b')).map(|(n, d)| (n.clone(), d.to_reals())).collect();
            (bars, out.counters.peak_bytes)
        };
        let (recorded, _) = run("");
        for snapshots in ["1", "2", "3", "20", "memory:200", "BINOMIAL-CKP nt+1 4 1", "1,every:2", "2,every:4", "9,every:1000"] {
            let (again, _) = run(snapshots);
            for ((name, a), (_, b)) in recorded.iter().zip(&again) {
                let near = a.iter().zip(b).all(|(x, y)| (x - y).abs() <= 1e-13 * (1.0 + x.abs()));
                assert!(near && a.len() == b.len(), "{} {snapshots} {name}: {a:?} {b:?}", case.name);
            }
        }
    }
}

#[test]
fn generated_code_compiles_without_a_word() {
    let at = tempfile::tempdir().unwrap();
    runtime(at.path());
    silently(at.path(), "gfortran", &["-c", "overbar_runtime.f90"]);
    for case in CASES {
        for snapshots in ["1", "3", "1000", "memory:100000", "3,every:8"] {
            std::fs::write(at.path().join(case.name), case.with(snapshots)).unwrap();
            let out = format!("out_{}", case.name);
            for reversal in ["auto", "split"] {
                overbar_ok(at.path(), &["diff", case.name, "-b", "-d", "--head", case.head, "--reversal", reversal, "-o", &out]);
                if case.is_c() {
                    let flags: Vec<&str> = STRICT_C.iter().copied().chain(["-Wno-unknown-pragmas", "-c", &out]).collect();
                    silently(at.path(), "gcc", &flags);
                } else {
                    let flags: Vec<&str> = STRICT_FORTRAN.iter().copied().chain(["-c", &out]).collect();
                    silently(at.path(), "gfortran", &flags);
                }
            }
        }
        std::fs::write(at.path().join("point.json"), case.point).unwrap();
        overbar_ok(at.path(), &["verify", case.name, "--head", case.head, "--input", "point.json", "--run", "compiled"]);
    }
}

/// What the iterations read is set again from what the caller changes before the reverse unit of the pair is called.
#[test]
fn iterations_read_what_is_set_again() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <math.h>\nstatic void g(int n, double x[n], double y[n], const int *k)\n{\n  for (int i = 0; i < n; i++) {\n    int r = (i + *k) % n;\n#pragma overbar checkpoint 2\n    for (int j = 0; j < n; j++) {\n      double d = sqrt(r + j + 1.0);\n      y[j] = sin(0.2 * d * x[j] * y[j]);\n    }\n  }\n}\n\
                void f(int n, double x[n], double y[n])\n{\n  int k = 1;\n  for (int t = 0; t < 2; t++) {\n    g(n, x, y, &k);\n    k = k + t + 1;\n  }\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    std::fs::write(at.path().join("point.json"), r#"{"args": {"n": 3, "x": [0.5, 0.7, -0.3], "y": [0.2, 0.9, 0.4]}}"#).unwrap();
    for reversal in ["joint", "split", "auto"] {
        let head = ["verify", "f.c", "--head", "f(x,y)/(x,y)", "--reversal", reversal, "--input", "point.json"];
        overbar_ok(at.path(), &head);
    }
}

/// Loops without iterations have no snapshots, and yet what is overwritten behind them comes back.
#[test]
fn loops_without_iterations_bring_back_what_they_read() {
    let at = tempfile::tempdir().unwrap();
    for (name, around) in [("f.c", ("", "")), ("g.c", ("  for (int o = 0; o < 2; o++) {\n", "  }\n"))] {
        let text = format!(
            "#include <math.h>\nvoid f(int n, double x[n], double y[n])\n{{\n  double h = 0.5, u[2] = {{0.3, 0.4}};\n{}  for (int i = 0; i < n; i++)\n    x[i] = 0.5 * x[i] * h * u[0] + 0.3 * y[i];\n#pragma overbar checkpoint 2\n  for (int i = 1; i < n; i++) {{\n    h = sin(h);\n    u[0] = u[0] * h;\n  }}\n  for (int j = 0; j < n + 2; j++) {{\n    h = 0.4 * h + x[j % n] * y[j % n];\n    h = sin(h);\n    u[0] = u[0] + h;\n  }}\n{}  y[0] += 0.1 * h + u[0];\n}}\n",
            around.0, around.1
        );
        std::fs::write(at.path().join(name), text).unwrap();
        for point in [r#"{"args": {"n": 1, "x": [0.5], "y": [0.7]}}"#, r#"{"args": {"n": 3, "x": [0.5, 0.7, -0.3], "y": [0.2, 0.9, 0.4]}}"#]
        {
            std::fs::write(at.path().join("point.json"), point).unwrap();
            for reversal in ["joint", "split"] {
                overbar_ok(at.path(), &["verify", name, "--head", "f(x,y)/(x,y)", "--reversal", reversal, "--input", "point.json"]);
            }
        }
    }
}

/// t(l, s), by its recursion: the iterations before the next snapshot, then what is behind it, then what is before it.
fn fewest(l: usize, s: usize) -> BTreeMap<(usize, usize), u64> {
    let mut t: BTreeMap<(usize, usize), u64> = (0..=s).flat_map(|left| [((0, left), 0), ((1, left), 0)]).collect();
    for len in 2..=l {
        for left in 1..=s {
            let all = (len as u64) * (len as u64 - 1) / 2;
            let best = (1..len).filter(|_| left > 1).map(|m| m as u64 + t[&(len - m, left - 1)] + t[&(m, left)]).min();
            t.insert((len, left), best.map_or(all, |b| b.min(all)));
        }
    }
    t
}

/// r l - b(s + 1, r - 1), Griewank and Walther 2000.
fn formula(l: u64, s: u64) -> u64 {
    let b = |s: u64, r: i64| if r < 0 { 0 } else { (1..=r as u64).fold(1u64, |v, k| v * (s + k) / k) };
    let r = (0..).find(|&r| b(s, r) >= l).unwrap();
    (r as u64 * l).saturating_sub(b(s + 1, r - 1))
}

#[test]
fn the_schedule_runs_the_fewest_iterations() {
    let (most, snapshots) = (70usize, 7usize);
    let t = fewest(most + 1, snapshots);
    for l in 1..=most {
        for s in 1..=snapshots {
            assert_eq!(t[&(l, s)], formula(l as u64, s as u64), "{l} {s}");
        }
    }
    let (mut units, mut heads, mut calls) = (String::new(), Vec::new(), String::new());
    for s in 1..=snapshots {
        units += &format!(
            "void last{s}(int n, double u[2]) {{\n#pragma overbar checkpoint {s}\n  for (int t = 0; t < n; t++)\n    step(u);\n}}\n\
             double more{s}(int n, double u[2]) {{\n#pragma overbar checkpoint {s}\n  for (int t = n; t > 0; t--)\n    step(u);\n  return u[0] * u[1];\n}}\n\
             double tested{s}(int n, double u[2]) {{\n  int t = 0;\n#pragma overbar checkpoint {s}\n  while (t < n) {{\n    step(u);\n    t++;\n  }}\n  return u[0] * u[1];\n}}\n"
        );
        heads.extend([format!("last{s}(u)/(u)"), format!("more{s}/(u)"), format!("tested{s}/(u)")]);
        calls += &format!(
            "  for (int l = 0; l <= {most}; l++) {{\n    double u[2] = {{0.3, 0.4}}, b[2] = {{1, 1}};\n    steps = 0;\n    last{s}_b(l, u, b);\n    printf(\"last {s} %d %ld\\n\", l, steps);\n\
             \x20   double v[2] = {{0.3, 0.4}}, c[2] = {{0, 0}};\n    steps = 0;\n    more{s}_b(l, v, c, 1.0);\n    printf(\"more {s} %d %ld\\n\", l, steps);\n\
             \x20   double w[2] = {{0.3, 0.4}}, d[2] = {{0, 0}};\n    steps = 0;\n    tested{s}_b(l, w, d, 1.0);\n    printf(\"tested {s} %d %ld\\n\", l, steps);\n  }}\n"
        );
    }
    let out = counted_steps(&units, &heads, &calls);
    let mut seen = 0;
    for line in out.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [kind, s, l, steps] = words[..] else { panic!("{line}") };
        let (s, l, steps) = (s.parse::<usize>().unwrap(), l.parse::<usize>().unwrap(), steps.parse::<u64>().unwrap());
        let expected = match kind {
            _ if l == 0 => 0,
            // Nothing behind the loop asks for its end.
            "last" => t[&(l, s)],
            // What follows is one more step of the chain.
            "more" => t[&(l + 1, s)],
            // Iterations are counted first.
            _ => l as u64 + t[&(l, s)],
        };
        assert_eq!(steps, expected, "{line}");
        seen += 1;
    }
    assert_eq!(seen, 3 * snapshots * (most + 1));
}

/// What is printed by calls of adjoints of units that call `step`; `steps` counts how often that runs. A step is a call, so that those run for what they
/// compute are not those of the adjoint.
fn counted_steps(units: &str, heads: &[String], calls: &str) -> String {
    let step = "void step(double u[2]) {\n";
    let text = format!("{step}  double a = u[0];\n  u[0] = u[0] * u[1] + 0.1;\n  u[1] = 0.5 * u[1] * a;\n}}\n{units}");
    let at = tempfile::tempdir().unwrap();
    runtime(at.path());
    std::fs::write(at.path().join("steps.c"), text).unwrap();
    let mut arguments = vec!["diff", "steps.c", "-b", "-o", "out.c", "--inline", "never"];
    heads.iter().for_each(|h| arguments.extend(["--head", h]));
    overbar_ok(at.path(), &arguments);
    let made = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    let counting = made.replacen(step, &format!("static long steps;\n{step}  steps++;\n"), 1);
    assert!(counting.contains("steps++"), "{made}");
    let driver = format!("{counting}\n#include <stdio.h>\nint main(void) {{\n{calls}  return 0;\n}}\n");
    std::fs::write(at.path().join("driver.c"), driver).unwrap();
    silently(at.path(), "gcc", &["-std=c11", "-O1", "-w", "driver.c", "-o", "driver", "-lm"]);
    silently(at.path(), "./driver", &[])
}

/// Iterations that are recorded together are one step of the chain, but for running each once more with its records.
#[test]
fn groups_are_the_steps_of_the_schedule() {
    let (most, snapshots) = (9usize, 4usize);
    let t = fewest(most + 1, snapshots);
    for every in [2usize, 5] {
        let (mut units, mut heads, mut calls) = (String::new(), Vec::new(), String::new());
        for s in 1..=snapshots {
            units += &format!(
                "double more{s}(int n, double u[2]) {{\n#pragma overbar checkpoint {s},every:{every}\n  for (int t = n; t > 0; t--)\n    step(u);\n  return u[0] * u[1];\n}}\n"
            );
            heads.push(format!("more{s}/(u)"));
            calls += &format!(
                "  for (int g = 0; g <= {most}; g++) {{\n    double u[2] = {{0.3, 0.4}}, b[2] = {{0, 0}};\n    steps = 0;\n    more{s}_b({every} * g, u, b, 1.0);\n    printf(\"{s} %d %ld\\n\", g, steps);\n  }}\n"
            );
        }
        let out = counted_steps(&units, &heads, &calls);
        assert_eq!(out.lines().count(), snapshots * (most + 1));
        for line in out.lines() {
            let [s, groups, steps] = line.split(' ').map(|w| w.parse::<usize>().unwrap()).collect::<Vec<_>>()[..] else { panic!("{line}") };
            let chain = if groups == 0 { 0 } else { t[&(groups + 1, s)] as usize + groups };
            assert_eq!(steps, every * chain, "{line} {every}");
        }
    }
}

#[test]
fn the_command_line_names_loops_and_wins() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("f.c"), BURGERS.with("")).unwrap();
    let direct = overbar_ok(at.path(), &["diff", "f.c", "-b", "--head", "f/(u0)", "--checkpoint", "f:11=4"]);
    assert!(direct.contains("checkpoints: 4 snapshots of u ") || direct.contains("checkpoints: 4 snapshots of u\n"), "{direct}");
    // By way of XAIF, from a directive.
    std::fs::write(at.path().join("g.c"), BURGERS.with("4")).unwrap();
    overbar_ok(at.path(), &["frontend", "c", "g.c", "-o", "g.xaif"]);
    overbar_ok(at.path(), &["validate", "g.xaif"]);
    assert!(std::fs::read_to_string(at.path().join("g.xaif")).unwrap().contains("ob:checkpoint=\"4\""));
    overbar_ok(at.path(), &["boost", "g.xaif", "-b", "--head", "f/(u0)", "-o", "h.xaif"]);
    overbar_ok(at.path(), &["validate", "h.xaif"]);
    let piped = overbar_ok(at.path(), &["backend", "c", "h.xaif"]);
    assert_eq!(overbar_ok(at.path(), &["diff", "g.c", "-b", "--head", "f/(u0)"]), piped);
    let other = overbar_ok(at.path(), &["diff", "g.c", "-b", "--head", "f/(u0)", "--checkpoint", "f:11=memory:4000"]);
    assert!(other.contains("snapshots in 4000 bytes"), "{other}");
    for (wish, code, status) in [("f:10=4", "OB0021", 1), ("g:11=4", "OB0021", 1), ("f:11", "OB0132", 2), ("f:11=0", "OB0132", 2)] {
        let o = overbar(at.path(), &["diff", "f.c", "-b", "--head", "f/(u0)", "--checkpoint", wish]);
        let err = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(status) && err.contains(code) && o.stdout.is_empty(), "{wish}: {err}");
    }
}

#[test]
fn what_cannot_be_run_again_is_refused() {
    let fortran = |declared: &str, body: &str| {
        format!(
            "subroutine f(n, x, y)\n  implicit none\n  integer, intent(in) :: n\n  double precision, intent(in) :: x(n)\n  double precision, intent(out) :: y\n  integer :: t\n{declared}\n  y = x(1)\n  !$overbar checkpoint 3\n  do t = 1, n\n{body}\n    y = sin(y*x(t))\n  end do\nend subroutine\n"
        )
    };
    for (name, text, code) in [
        ("a.f90", fortran("  double precision :: a", "    read (*, *) a\n    y = y*a"), "OB4070"),
        ("b.f90", fortran("  double precision, allocatable :: a(:)", "    allocate (a(n))\n    a = x*y\n    y = a(t)*y\n    deallocate (a)"), "OB4070"),
        (
            "c.c",
            "#include <math.h>\nvoid f(int n, double *u) {\n#pragma overbar checkpoint 2\n  for (int i = 0; i < n; i++)\n    u[i % 3] = sin(u[0] * u[1]);\n}\n".to_owned(),
            "OB4051",
        ),
    ] {
        let program = parse(name, &text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let of = if name.ends_with(".c") { "f(u)/(u)" } else { "f(y)/(x)" };
        let found = match adjoint(&program, of) {
            Err(found) => found,
            Ok(_) => panic!("{name} is accepted"),
        };
        assert!(found.iter().any(|d| d.code == code && d.location.is_some() && d.help.is_some()), "{name}: {found:?}");
    }
    // Output is printed once, by the forward sweep.
    let text = fortran("", "    print *, t");
    let made = adjoint(&parse("p.f90", &text).unwrap(), "f(y)/(x)").unwrap();
    let printed = overbar_fortran::unparse(&made, &overbar_fortran::UnparseOptions { no_primal: true, header: false });
    assert_eq!(printed.unwrap().source.matches("print").count(), 1);
}

/// A method of two stages that a callee sets, in arrays of two kinds.
const STAGES: &str = "#include <stdlib.h>
#include <math.h>
static void slope(int n, double p, const double *restrict y, double *restrict dy) {
  dy[0] = y[n - 1] * y[1] - y[0];
  for (int i = 1; i < n - 1; i++) dy[i] = (y[i + 1] - y[i - 1]) * y[i] + p;
  dy[n - 1] = sin(y[0]) * y[n - 1];
}
void stages(int n, int nt, double p, double y[restrict n]) {
  double k1[n], w[n];
  double *k2 = malloc((size_t)n * sizeof(double));
  if (!k2) return;
#pragma overbar checkpoint 2
  for (int t = 0; t < nt; t++) {
    slope(n, p, y, k1);
    for (int i = 0; i < n; i++) w[i] = y[i] + 0.05 * k1[i];
    slope(n, p, w, k2);
    for (int i = 0; i < n; i++) y[i] += 0.1 * k2[i];
  }
  free(k2);
}
";

/// Snapshots hold what steps read from before them: the state, not the stages that callees set.
#[test]
fn stages_need_no_snapshots() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("stages.c"), STAGES).expect("written");
    std::fs::copy(common::root().join("tests/fortran_programs/stages.f90"), at.join("stages.f90")).expect("copied");
    for file in ["stages.c", "stages.f90"] {
        let made = overbar_ok(at, &["diff", file, "-b", "--head", "stages(y)/(y,p)"]);
        let told = made.lines().find(|l| l.contains("snapshots of")).unwrap_or_else(|| panic!("{made}"));
        assert!(told.trim_end_matches(" */").ends_with("2 snapshots of y"), "{told}");
        let told = overbar_ok(at, &["verify", file, "--head", "stages(y)/(y,p)"]);
        assert!(told.starts_with("pass"), "{told}");
    }
}

/// Snapshots of numbers without a sign have none.
#[test]
fn unsigned_states() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <stdint.h>\ndouble f(int n, const double x[8]) {\n  uint32_t h = 2166136261u;\n  double s = 1.0;\n  for (int i = 0; i < n; i++) {\n    h = (h ^ (uint32_t)i) * 16777619u;\n    s *= x[h % 8u] + 0.1 * s;\n  }\n  return s;\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    let asked = ["f.c", "--head", "f/(x)", "--checkpoint", "f:5=2"];
    let said = overbar_ok(at.path(), &[&["verify"], &asked[..]].concat());
    assert!(said.starts_with("pass"), "{said}");
    let made = overbar_ok(at.path(), &[&["diff", "-b"], &asked[..]].concat());
    assert!(made.contains("uint32_t h_snap[2];"), "{made}");
}
