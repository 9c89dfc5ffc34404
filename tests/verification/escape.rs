//! Data that leaves the program by units that it does not contain: refused where it may come back into what is differentiated, and only there.

use crate::common;

use common::overbar;
use std::path::Path;

/// What is to come out.
enum Wanted {
    /// A code at a line of the first file.
    Refused(&'static str, u64),
    /// Derivative code.
    Made,
}
use Wanted::{Made, Refused};

/// `diff` in both modes; what was said.
fn run(folder: &Path, file: &str, text: &str, head: &str) -> (Option<i32>, Vec<serde_json::Value>, String) {
    std::fs::write(folder.join(file), text).unwrap();
    let out = folder.join("out");
    let _ = std::fs::remove_file(&out);
    let output = overbar(folder, &["--message-format", "json", "diff", file, "-b", "-d", "--head", head, "-o", "out"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let found = errors.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    (output.status.code(), found, std::fs::read_to_string(out).unwrap_or_default())
}

fn check(extension: &str, head: &str, cases: &[(&str, &str, Wanted)]) {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (name, text, wanted) in cases {
        let file = format!("{name}.{extension}");
        let (code, found, out) = run(folder.path(), &file, text, head);
        let errors: Vec<_> = found.iter().filter(|d| d["severity"] == "error").collect();
        let right = match wanted {
            Refused(c, line) => {
                code == Some(1) && out.is_empty() && errors.iter().any(|d| d["code"] == *c && d["location"]["line"] == *line)
            }
            Made => code == Some(0) && out.contains("f_b"),
        };
        if !right {
            wrong.push(format!("{name}: exit {code:?}, {errors:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const PUT: &str = "void put(double); double get(void);";

#[test]
fn c_programs() {
    let c = |body: &str| format!("{PUT}\n{body}\n");
    let lost = [
        ("value", c("double f(double x) { double z = x*x;\n put(z);\n return x + 3*get(); }"), 3),
        ("expression", c("double f(double x) {\n put(x*x);\n return x + 3*get(); }"), 3),
        ("loop", c("double f(double x) { double s = 0; for (int i = 0; i < 3; i++) {\n s += get();\n put(s*x); }\n return s + x; }"), 4),
        ("later", c("static double g(double x) {\n put(x*x); return x; }\nstatic double h(void) { return get(); }\ndouble f(double x) { double y = g(x); return y + h(); }"), 3),
        ("other", "void put(double); void take(double *);\ndouble f(double x) { double y[2];\n put(x*x);\n take(y); return x + y[0]; }\n".into(), 3),
        ("address", "void put(const double *); double get(void);\ndouble f(double x) { double z = x*x;\n put(&z);\n return x + get(); }\n".into(), 3),
        ("array", "void put(double *); double get(void);\ndouble f(double x) { double z[2]; z[0] = x*x; z[1] = x;\n put(z);\n return x + get(); }\n".into(), 3),
        ("global", "double cell; void tick(void);\ndouble f(double x) { cell = x*x;\n tick();\n return cell; }\n".into(), 3),
        ("global_read", "double cell; double get(void);\ndouble f(double x) { cell = x*x;\n return x + get(); }\n".into(), 3),
        ("kept", "void reg(double *); void fill(void);\ndouble f(double x) { double z[2]; reg(z); z[0] = x*x;\n fill();\n return z[0]*x; }\n".into(), 3),
        ("called_back", "static double cell; void set(double v) { cell = v; } void tick(void);\ndouble f(double x) { cell = x*x;\n tick();\n return cell*x; }\n".into(), 3),
        ("left_out", "static union { double v; long n; } cell;\nstatic void put(double v) { cell.v = v; }\nstatic double get(void) { return cell.v; }\ndouble f(double x) { double z = x*x;\n put(z);\n return x + 3*get(); }\n".into(), 5),
        ("text", "#include <stdio.h>\n#include <stdlib.h>\ndouble f(double x) { char b[80]; double y = x*x;\n snprintf(b, 80, \"%g\", y);\n return x + atof(b); }\n".into(), 4),
        ("variadic", "void put(int, ...); double get(void);\ndouble f(double x) {\n put(1, x*x);\n return x + get(); }\n".into(), 3),
    ];
    let lost: Vec<_> = lost.iter().map(|(n, t, l)| (*n, t.as_str(), Refused(if *n == "text" { "OB4003" } else { "OB4002" }, *l))).collect();
    check("c", "f/(x)", &lost);
    let made: [(&str, &str, Wanted); 16] = [
        (
            "structure",
            "static struct { double v; } cell;\nstatic void put(double v) { cell.v = v; }\nstatic double get(void) { return cell.v; }\n\
             double f(double x) { double z = x*x; put(z); return x + 3*get(); }\n",
            Made,
        ),
        ("print", "#include <stdio.h>\ndouble f(double x) { double y = x*x; printf(\"%g\\n\", y); return y*x; }\n", Made),
        ("error", "#include <stdio.h>\ndouble f(double x) { double y = x*x; fprintf(stderr, \"%g\\n\", y); return y*x; }\n", Made),
        ("logger", "void log_value(double);\ndouble f(double x) { double y = x*x; log_value(y); return y*x; }\n", Made),
        (
            "logger_address",
            "void log_value(const double *);\ndouble f(double x) { double y = x*x, z = y; log_value(&z); return y*x; }\n",
            Made,
        ),
        ("passive", "double factor(int);\ndouble f(double x) { return x*factor(3); }\n", Made),
        ("passive_array", "void fill(double *);\ndouble f(double x) { double w[3]; fill(w); return x*w[0]*w[1]; }\n", Made),
        (
            "timer",
            "#include <time.h>\ndouble f(double x) { clock_t t = clock(); double y = x*x; t = clock() - t; return y + 0*(double)t; }\n",
            Made,
        ),
        ("control", "int wanted(void);\ndouble f(double x) { if (wanted()) return x*x; return x; }\n", Made),
        ("before", "void put(double); double get(void);\ndouble f(double x) { double k = get(), y = k*x*x; put(y); return y; }\n", Made),
        ("after", "double cell; void tick(void);\ndouble f(double x) { double y; cell = x*x; y = cell*x; tick(); return y; }\n", Made),
        ("static_kept_in", "static double cell; void tick(void);\ndouble f(double x) { cell = x*x; tick(); return cell*x; }\n", Made),
        ("chance", "#include <stdlib.h>\ndouble f(double x) { return x*rand(); }\n", Made),
        (
            "logged_then_rand",
            "#include <stdlib.h>\nvoid log_value(double);\ndouble f(double x) { double y = x*x; log_value(y); return y*rand(); }\n",
            Made,
        ),
        (
            "variadic_logger",
            "void log_info(const char *, ...);\ndouble f(double x) { double y = x*x; log_info(\"%g\", y); return y*x; }\n",
            Made,
        ),
        ("stop", "#include <stdlib.h>\ndouble f(double x) { if (x < 0) exit(1); return x*x; }\n", Made),
    ];
    check("c", "f/(x)", &made);
}

#[test]
fn fortran_programs() {
    let unit = |declared: &str, body: &str| format!("subroutine f(x, y)\n  real(8) :: x, y, z\n  {declared}\n{body}\nend subroutine\n");
    let lost = [
        ("value", unit("real(8), external :: get", "  z = x*x\n  call put(z)\n  y = x + 3*get()"), 5, "OB4002"),
        ("expression", unit("real(8), external :: get", "  call put(x*x)\n  y = x + 3*get()"), 4, "OB4002"),
        ("function", unit("real(8), external :: put, get", "  z = put(x*x)\n  y = x + 3*get()"), 4, "OB4002"),
        ("argument", unit("external :: take", "  call put(x*x)\n  call take(z)\n  y = x + z"), 4, "OB4002"),
        ("common", unit("common /c/ z", "  z = x*x\n  call tick()\n  y = z*x"), 5, "OB4002"),
        ("common_read", unit("common /c/ z\n  real(8), external :: get", "  z = x*x\n  y = x + get()"), 6, "OB4002"),
        ("module", "module m\n  real(8) :: cell\ncontains\nsubroutine f(x, y)\n  real(8) :: x, y\n  cell = x*x\n  call tick()\n  y = cell\nend subroutine\nend module\n".into(), 7, "OB4002"),
        ("left_out", "module m\n  real(8), private :: cell\ncontains\nsubroutine f(x, y)\n  real(8) :: x, y\n  cell = x*x\n  call tick()\n  y = cell\nend subroutine\nsubroutine tick()\n  procedure(), pointer :: p\n  cell = 3\nend subroutine\nend module\n".into(), 7, "OB4002"),
        ("file", unit("", "  write(10) x*x\n  rewind(10)\n  read(10) z\n  y = z + x"), 4, "OB4003"),
        ("internal_file", unit("character(80) :: b", "  z = x*x\n  write(b, *) z\n  read(b, *) y\n  y = y + x"), 5, "OB4003"),
    ];
    let lost: Vec<_> = lost.iter().map(|(n, t, l, c)| (*n, t.as_str(), Refused(c, *l))).collect();
    check("f90", "f(y)/(x)", &lost);
    let made = [
        ("print", unit("", "  z = x*x\n  print *, z\n  y = z*x")),
        ("write", unit("", "  z = x*x\n  write(*, *) z\n  y = z*x")),
        ("log_file", unit("", "  z = x*x\n  write(10, *) z\n  y = z*x")),
        ("logger", unit("", "  y = x*x\n  z = y\n  call log_value(z)")),
        ("logger_expression", unit("", "  call log_value(x*x)\n  y = x*x")),
        ("passive", unit("real(8), external :: factor", "  y = x*factor(3)")),
        ("passive_set", unit("real(8) :: w(3)", "  call fill(w)\n  y = x*w(1)*w(2)")),
        ("timer", unit("real(8) :: t", "  call cpu_time(t)\n  y = x*x\n  call cpu_time(t)")),
        ("unknown_timer", unit("", "  call tic('a')\n  y = x*x\n  call toc('a')")),
        ("control", unit("logical, external :: wanted", "  if (wanted()) then\n    y = x*x\n  else\n    y = x\n  end if")),
        ("internal_text", unit("character(80) :: b", "  z = x*x\n  write(b, *) z\n  print *, b\n  y = z*x")),
        ("common_behind", unit("common /c/ z", "  z = x*x\n  y = z*x\n  call tick()")),
        ("before", unit("real(8), external :: get", "  z = get()\n  y = z*x*x\n  call log_value(x*x)")),
    ];
    let made: Vec<_> = made.iter().map(|(n, t)| (*n, t.as_str(), Made)).collect();
    check("f90", "f(y)/(x)", &made);
}

/// What an unknown unit may change is brought back: the factor of the first product is not that of the second.
#[test]
fn what_may_change_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let text = "double scale = 2.0;\nvoid tick(void);\ndouble f(double x) {\n  double y = x*scale;\n  tick();\n  return y + x*scale;\n}\n";
    let again =
        "double next(void);\nstatic double g(double x) { return x*next(); }\ndouble h(double x) { double y = g(x*x); return y*x; }\n";
    let main = "#include <stdio.h>\n#include <math.h>\nextern double scale;\nvoid f_b(double, double *, double);\nvoid h_b(double, double *, double);\n\
                static double count = 1.0;\ndouble next(void) { return count += 1.0; }\nvoid tick(void) { scale = 5.0; }\n\
                int main(void) {\n  double xb = 0.0;\n  f_b(3.0, &xb, 1.0);\n  if (fabs(xb - 7.0) > 1e-12) return printf(\"%g\", xb), 1;\n\
                xb = 0.0;\n  h_b(3.0, &xb, 1.0);\n  if (fabs(xb - 3*9.0*2.0) > 1e-12) return printf(\"%g\", xb), 1;\n  return 0;\n}\n";
    for (file, text, head) in [("f.c", text, "f/(x)"), ("h.c", again, "h/(x)")] {
        std::fs::write(folder.path().join(file), text).unwrap();
        common::overbar_ok(folder.path(), &["diff", file, "-b", "--head", head, "-o", &format!("{file}_b.c")]);
    }
    std::fs::write(folder.path().join("main.c"), main).unwrap();
    for level in ["-O0", "-O2"] {
        let run = |name: &str, args: &[&str]| {
            let out = std::process::Command::new(name).current_dir(folder.path()).args(args).output().unwrap();
            assert!(out.status.success(), "{level}: {} {}", String::from_utf8_lossy(&out.stderr), String::from_utf8_lossy(&out.stdout));
        };
        common::runtime(folder.path());
        run("gcc", &[level, "-I.", "f.c_b.c", "h.c_b.c", "main.c", "-o", "t", "-lm"]);
        run("./t", &[]);
    }
}
