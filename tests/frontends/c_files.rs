//! Several C files in one request: what they say of each other, how they are read, and what is written for them.

use crate::common;

use common::{STRICT_C, overbar, overbar_ok, runtime, silently};
use std::path::Path;

fn write(at: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(at.join(name), text).unwrap();
    }
}

/// What a command says that must fail.
fn refused(at: &Path, arguments: &[&str]) -> String {
    let output = overbar(at, arguments);
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Compiles `out.c` with a main program, and gives what that prints.
fn run(at: &Path, options: &[&str], main: &str) -> String {
    write(at, &[("main.c", main)]);
    runtime(at);
    silently(at, "gcc", &[options, &["out.c", "main.c", "-o", "all", "-lm"]].concat());
    silently(at, at.join("all").to_str().unwrap(), &[])
}

const MAIN: &str = "#include <stdio.h>\nvoid f_b(double x, double *x_b, double f_b);\n\
                    int main(void) { double b = 0.0; f_b(3.0, &b, 1.0); printf(\"%.12g\", b); return 0; }\n";

/// f = x g(x, w) + side(x) with g = x w1 + w0, w = (1, 2), side = x: f' = 4x + 2.
#[test]
fn declarations_that_say_the_same_become_that_of_the_definition() {
    let at = tempfile::tempdir().unwrap();
    let a = "double g(double, void *), side(double);\nstatic double w[2] = {1.0, 2.0};\ntypedef struct { int n; } kind;\n\
             double f(double x) {\n  kind k = {1};\n  return x * k.n * g(x, w) + side(x);\n}\n";
    let b = "typedef struct { int n; } kind;\ndouble g(double x, double c[]);\ndouble side(double x);\n\
             double g(double x, double c[]) {\n  kind k = {1};\n  return x * c[1] + c[0] * k.n;\n}\ndouble side(double x) { return x; }\n";
    write(at.path(), &[("a.c", a), ("b.c", b)]);
    let command = ["diff", "a.c", "b.c", "-b", "-d", "--head", "f/(x)"];
    overbar_ok(at.path(), &[&command[..], &["-o", "out.c", "--certificate", "both"]].concat());
    let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    assert!(out.contains("double g(double, double []), side(double);") && out.contains("/* defined above */"), "{out}");
    let strict = [&STRICT_C[..], &["-Wno-redundant-decls"]].concat();
    assert_eq!(run(at.path(), &strict, MAIN), "14");
    // By way of a document it is the same.
    overbar_ok(at.path(), &["frontend", "c", "a.c", "b.c", "--head", "f/(x)", "-o", "f.xaif"]);
    overbar_ok(at.path(), &["boost", "f.xaif", "-b", "-d", "-o", "g.xaif", "--certificate", "both"]);
    assert_eq!(overbar_ok(at.path(), &["backend", "c", "g.xaif"]), out);
    // A number that is handed over in another way is another function.
    write(at.path(), &[("a.c", &a.replace("side(double)", "side(float)"))]);
    let said = refused(at.path(), &[&command[..], &["-o", "no.c"]].concat());
    assert!(said.contains("OB2009") && said.contains("side"), "{said}");
    // So are arrays of other numbers: the compiler that is asked is not content.
    write(at.path(), &[("a.c", &a.replace("static double w", "static long w"))]);
    let said = refused(at.path(), &[&command[..], &["-o", "no.c"]].concat());
    assert!(said.contains("OB2009") && !at.path().join("no.c").exists(), "{said}");
}

/// erf(x) = x / (1 + x^2) is the program's own, whichever file calls it: f = x erf(x), f' = 2x / (1 + x^2)^2, at 3 that is 6/100.
#[test]
fn functions_of_the_program_are_not_those_of_the_library() {
    let at = tempfile::tempdir().unwrap();
    let own = "double erf(double x) { return x / (1.0 + x * x); }\n";
    let caller = "double erf(double x);\ndouble f(double x) { return x * erf(x); }\n";
    let with_header = "#include <math.h>\ndouble f(double x) { return x * erf(x); }\n";
    for files in [
        &[("a.c", caller), ("b.c", own)][..],
        &[("a.c", own), ("b.c", caller)],
        &[("a.c", with_header), ("b.c", own)],
        &[("a.c", &format!("double erf(double x);\ndouble f(double x);\n{}{own}", caller.split_once('\n').unwrap().1))],
    ] {
        write(at.path(), files);
        let names: Vec<&str> = files.iter().map(|(n, _)| *n).collect();
        let all = [&["verify"], &names[..], &["--head", "f/(x)"]].concat();
        let verified = overbar_ok(at.path(), &all);
        assert!(verified.contains("interpreter and compiled"), "{verified}");
        overbar_ok(at.path(), &[&["diff"], &names[..], &["-b", "--inline", "never", "--head", "f/(x)", "-o", "out.c"]].concat());
        let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
        assert!(out.contains("erf_b"), "{out}");
        assert_eq!(run(at.path(), &["-O0", "-fno-builtin"], MAIN), "0.06", "{files:?}");
    }
    // What derivative code calls by itself has one meaning.
    write(at.path(), &[("a.c", "double exp(double x) { return 1.0 + x; }\ndouble f(double x) { return x * exp(x); }\n")]);
    assert!(refused(at.path(), &["diff", "a.c", "-b", "--head", "f/(x)"]).contains("OB2006"));
}

/// f = x g(x) with g = x^2: f' = 3 x^2. Each file has a text of its version that nothing reads, and one makes a structure in memory.
#[test]
fn what_nothing_names_is_in_no_ones_way() {
    let at = tempfile::tempdir().unwrap();
    let a = "#include <stdlib.h>\nstatic const char ident[] = \"first 1.2\";\nstatic const int version = 12;\ntypedef struct { int n; double *data; } row;\n\
             static row *row_new(int n) {\n  row *r = malloc(sizeof *r);\n  r->n = n;\n  r->data = calloc(n, sizeof(double));\n  return r;\n}\n\
             double g(double x);\ndouble f(double x) {\n  row *w = row_new(2);\n  w->data[1] = g(x);\n  double y = x * w->data[1];\n  \
             free(w->data);\n  free(w);\n  return y;\n}\n";
    let b = "static char *ident = \"second 7\";\nstatic int version = 7;\ndouble g(double x) { return x * x; }\n";
    write(at.path(), &[("a.c", a), ("b.c", b)]);
    let command = ["diff", "a.c", "b.c", "-b", "-d", "--head", "f/(x)", "--certificate", "both"];
    overbar_ok(at.path(), &[&command[..], &["-o", "out.c"]].concat());
    let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    assert!(out.contains("/* nothing names it */") && !out.contains("second 7"), "{out}");
    assert_eq!(run(at.path(), &STRICT_C, MAIN), "27");
    overbar_ok(at.path(), &[&command[..], &["-O", "apart"]].concat());
    assert!(std::fs::read_to_string(at.path().join("apart/b.c")).unwrap().contains("second 7"));
    // What one file reads and the other does not is in the way of nobody either; what both read is.
    let read = b.replace("x * x", "x * x * (version > 0)");
    write(at.path(), &[("b.c", &read)]);
    overbar_ok(at.path(), &[&command[..], &["-o", "out.c"]].concat());
    let out = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    assert!(out.contains("version = 7") && !out.contains("version = 12"), "{out}");
    assert_eq!(run(at.path(), &STRICT_C, MAIN), "27");
    write(at.path(), &[("a.c", &a.replace("row_new(2)", "row_new(1 + (version > 0))"))]);
    let said = refused(at.path(), &[&command[..], &["-o", "no.c"]].concat());
    assert!(said.contains("OB2009") && said.contains("version") && said.contains("-O FOLDER"), "{said}");
}

/// f = x g(x) with g = 3 x^2 by way of what the header keeps: each file has a `level` of its own, 2 in one and 0 in the other, so f = 2 x + 3 x^3.
#[test]
fn static_variables_of_headers_are_each_files_own() {
    let at = tempfile::tempdir().unwrap();
    let h = "#ifndef KEPT_H\n#define KEPT_H\nstatic int level;\nstatic double square;\n\
             #define SQUARE(a) (square = (a), square * square)\ndouble g(double x);\n#endif\n";
    let a = "#include \"kept.h\"\ndouble f(double x) {\n  level = 2;\n  double y = g(x);\n  return level * x + x * y;\n}\n";
    let b = "#include \"kept.h\"\ndouble g(double x) {\n  return (level > 1 ? 5 : 3) * x * x;\n}\n";
    write(at.path(), &[("kept.h", h), ("a.c", a), ("b.c", b)]);
    let command = ["diff", "a.c", "b.c", "-b", "-d", "--head", "f/(x)", "--certificate", "both"];
    let said = refused(at.path(), &[&command[..], &["-o", "no.c"]].concat());
    assert!(said.contains("OB2009") && said.contains("level") && said.contains("-O FOLDER"), "{said}");
    overbar_ok(at.path(), &[&command[..], &["-O", "apart"]].concat());
    runtime(&at.path().join("apart"));
    write(at.path(), &[("apart/kept.h", h), ("apart/main.c", MAIN)]);
    silently(&at.path().join("apart"), "gcc", &["a.c", "b.c", "main.c", "-o", "all", "-lm"]);
    let program = at.path().join("apart/all");
    // f' = 2 + 9 x^2, at 3.
    assert_eq!(silently(&at.path().join("apart"), program.to_str().unwrap(), &[]), "83");
    // An active one of the head's own file has its derivative in that file.
    write(at.path(), &[("a.c", &a.replace("x * y", "SQUARE(x) * y"))]);
    assert!(overbar_ok(at.path(), &["verify", "a.c", "b.c", "--head", "f/(x)"]).contains("interpreter and compiled"));
    // What nothing sets is the same in both.
    let table = h.replace("static int level;", "static int level = 1;");
    write(at.path(), &[("kept.h", &table), ("a.c", &a.replace("  level = 2;\n", "")), ("b.c", b)]);
    overbar_ok(at.path(), &[&command[..], &["-o", "out.c"]].concat());
    assert_eq!(run(at.path(), &["-std=c11"], MAIN), "82");
}

/// Both files have a static function and a static variable of the same names, which have nothing to do with each other: f = x^2 + 9 x^2, so f'(3) = 60.
#[test]
fn static_names_of_two_files_stay_apart() {
    let at = tempfile::tempdir().unwrap();
    let a = "static double last;\nstatic double keep(double x) {\n  last = x * x;\n  return last;\n}\ndouble g(double x);\n\
             double f(double x);\ndouble f(double x) { return keep(x) + g(x); }\n";
    let b = "static double last = 3.0;\nstatic double keep(double x) { return last * x; }\ndouble g(double x);\n\
             double g(double x) {\n  double t = keep(x);\n  return t * t;\n}\n";
    write(at.path(), &[("a.c", a), ("b.c", b)]);
    let output = overbar(
        at.path(),
        &["diff", "a.c", "b.c", "-b", "-d", "--head", "f/(x)", "--inline", "never", "-O", "out", "--certificate", "both"],
    );
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let made = |name: &str| std::fs::read_to_string(at.path().join("out").join(name)).unwrap();
    for text in [made("a.c"), made("b.c")] {
        assert!(text.contains("static void keep_b(") && !text.contains("keep_b0"), "{text}");
    }
    let out = at.path().join("out");
    write(&out, &[("main.c", MAIN)]);
    runtime(&out);
    silently(&out, "gcc", &[&STRICT_C[..], &["-Wno-missing-prototypes", "a.c", "b.c", "main.c", "-o", "all", "-lm"]].concat());
    assert_eq!(silently(&out, out.join("all").to_str().unwrap(), &[]), "60");
}

/// Options of each file by a compilation database, and those that can be given by themselves: y = SCALE x in one file, y + SHIFT x in the other.
#[test]
fn files_are_read_as_compilers_are_told_to() {
    let at = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(at.path().join("include")).unwrap();
    std::fs::create_dir_all(at.path().join("build")).unwrap();
    write(at.path(), &[("include/shift.h", "#define SHIFT 7.0\n")]);
    let a = "#ifdef OTHER\n#error OTHER\n#endif\ndouble g(double x);\ndouble f(double x) { return SCALE * x * g(x); }\n";
    let b = "double g(double x) { return SCALE + SHIFT * x; }\n";
    write(at.path(), &[("a.c", a), ("b.c", b)]);
    let root = at.path().canonicalize().unwrap().display().to_string();
    let database = format!(
        "[{{\"directory\": \"{root}/build\", \"file\": \"../a.c\", \"command\": \"cc -DSCALE=2.0 -D OTHER -UOTHER -std=c99 -c ../a.c\"}},\n\
         {{\"directory\": \"{root}/build\", \"file\": \"{root}/b.c\", \"arguments\": [\"cc\", \"-I\", \"../include\", \"-DSCALE=5.0\", \"-include\", \"shift.h\", \"-c\", \"b.c\"]}}]"
    );
    // The header that comes first is looked for among the folders.
    let database = database.replace("\\\"shift.h\\\"", "\"../include/shift.h\"").replace("\"shift.h\"", "\"../include/shift.h\"");
    write(at.path(), &[("build/compile_commands.json", &database)]);
    let files = ["a.c", "b.c", "-p", "build/compile_commands.json", "--head", "f/(x)"];
    // f = 2 x (5 + 7 x), f'(3) = 10 + 28 * 3.
    let verified = overbar_ok(at.path(), &[&["verify"], &files[..]].concat());
    assert!(verified.contains("interpreter and compiled"), "{verified}");
    overbar_ok(at.path(), &[&["diff", "-b"], &files[..], &["-O", "out"]].concat());
    let out = at.path().join("out");
    write(&out, &[("main.c", MAIN)]);
    runtime(&out);
    silently(&out, "gcc", &["-c", "-DSCALE=2.0", "a.c"]);
    silently(&out, "gcc", &["-c", "-DSCALE=5.0", "-DSHIFT=7.0", "b.c"]);
    silently(&out, "gcc", &["a.o", "b.o", "main.c", "-o", "all", "-lm"]);
    assert_eq!(silently(&out, out.join("all").to_str().unwrap(), &[]), "94");
    overbar_ok(at.path(), &["frontend", "c", "a.c", "b.c", "-p", "build/compile_commands.json", "-o", "f.xaif"]);
    // With options of their own they are no text together.
    assert!(refused(at.path(), &[&["diff", "-b"], &files[..], &["-o", "out.c"]].concat()).contains("OB2009"));
    // Without a database.
    overbar_ok(
        at.path(),
        &[
            "diff",
            "a.c",
            "-b",
            "-DSCALE=2.0",
            "-DOTHER",
            "-U",
            "OTHER",
            "-std=c99",
            "--head",
            "g/(x)",
            "b.c",
            "-include",
            "include/shift.h",
            "-o",
            "out.c",
        ],
    );
    let said = refused(at.path(), &["diff", "a.c", "-b", "-DSCALE=2.0", "-DOTHER", "--head", "f/(x)"]);
    assert!(said.contains("OB2002"), "{said}");
    // What the database does not have.
    write(at.path(), &[("c.c", "double c(double x) { return x; }\n")]);
    assert!(refused(at.path(), &["diff", "c.c", "-b", "-p", "build/compile_commands.json"]).contains("OB0135"));
    write(at.path(), &[("build/compile_commands.json", "{}")]);
    assert!(refused(at.path(), &["diff", "c.c", "-b", "-p", "build/compile_commands.json"]).contains("OB0134"));
}
