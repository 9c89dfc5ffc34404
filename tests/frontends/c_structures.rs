//! Structures of C from end to end: arguments of heads, what functions without a text may do to them, both ways to derivative code.

use crate::common;

use common::{STRICT_C, overbar, overbar_ok, runtime, silently};

const TEXT: &str = "struct link { double length, mass; };\nstruct arm { struct link links[2]; double angles[2]; int count; const double *weights; };\n\
                    double height(const struct arm *a, double g) {\n  double y = 0.0, e = 0.0;\n  for (int i = 0; i < a->count; i++) {\n\
                    \x20   y += a->links[i].length * a->angles[i];\n    e += a->weights[i] * a->links[i].mass * g * y;\n  }\n  return e;\n}\n\
                    void move(struct arm *a, double h) {\n  for (int i = 0; i < 2; i++)\n    a->angles[i] += h * height(a, a->angles[i]);\n}\n";

/// A head names a structure, or a member; both engines agree with the original, and the three stages give the bytes of `diff`.
#[test]
fn structures_are_arguments_of_heads() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("arm.c"), TEXT).unwrap();
    for head in ["move(a)/(a,h)", "move(a%angles)/(a%links%mass,a%weights)", "height/(a,g)"] {
        let out = overbar_ok(at.path(), &["verify", "arm.c", "--head", head]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
    }
    let head = ["--head", "move(a)/(a,h)"];
    overbar_ok(at.path(), &[&["diff", "arm.c", "-d", "-b", "-o", "out.c"], &head[..]].concat());
    overbar_ok(at.path(), &["frontend", "c", "arm.c", "-o", "arm.xaif"]);
    overbar_ok(at.path(), &[&["boost", "arm.xaif", "-d", "-b", "-o", "boosted.xaif"], &head[..]].concat());
    overbar_ok(at.path(), &["backend", "c", "boosted.xaif", "-o", "staged.c"]);
    let [direct, staged] = ["out.c", "staged.c"].map(|f| std::fs::read_to_string(at.path().join(f)).unwrap());
    assert_eq!(direct, staged);
    assert!(direct.contains("void move_b(struct arm *a, struct arm *ab, double h, double *hb) {"), "{direct}");
    runtime(at.path());
    silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
}

/// A structure at file scope has its derivative beside it.
#[test]
fn structures_are_shared() {
    let at = tempfile::tempdir().unwrap();
    let text = "struct state { double a, h[2]; int n; };\nstruct state now = {1.0, {0.5, 0.25}, 2}, old[2];\n\
                static void rise(struct state *s, double x) {\n  s->a += x * s->h[s->n - 1];\n  s->h[0] = s->a * x;\n}\n\
                double next(double x) {\n  old[1] = now;\n  rise(&now, x);\n  rise(&old[1], x * x);\n  return now.a * old[1].h[0];\n}\n";
    std::fs::write(at.path().join("next.c"), text).unwrap();
    for head in ["next/(x)", "next(next,now)/(x,now)", "next(next,old)/(now%h,old)"] {
        let out = overbar_ok(at.path(), &["verify", "next.c", "--head", head]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{head}: {out}");
    }
}

/// What a function without a text may keep or change of a structure is lost to derivatives, and said.
#[test]
fn unknown_functions_may_change_what_they_get() {
    let at = tempfile::tempdir().unwrap();
    let start = "struct pair { double x, y; };\nvoid put(struct pair *);\nvoid see(struct pair);\n";
    for (body, refused) in [
        ("struct pair p = {x, 1.0};\n  put(&p);\n  return p.x * p.y;", true),
        ("struct pair p = {2.0, 1.0};\n  put(&p);\n  return x * p.y;", false),
        ("struct pair p = {x, 1.0}, q = {3.0, 4.0};\n  put(&q);\n  return p.x * q.y;", false),
    ] {
        std::fs::write(at.path().join("f.c"), format!("{start}double f(double x) {{\n  {body}\n}}\n")).unwrap();
        let command = ["diff", "f.c", "-d", "-b", "--head", "f/(x)", "-o", "out.c", "--certificate", "none"];
        if refused {
            let out = overbar(at.path(), &command);
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert!(!out.status.success() && said.contains("OB4002") && said.contains("f.c:6:"), "{said}");
            continue;
        }
        overbar_ok(at.path(), &command);
        let text = std::fs::read_to_string(at.path().join("out.c")).unwrap();
        assert!(text.matches("put(&").count() == 3, "{text}");
        runtime(at.path());
        silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
    }
}

/// Derivatives of structures in several directions are refused.
#[test]
fn several_directions_want_plain_arrays() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("arm.c"), TEXT).unwrap();
    let out = overbar(at.path(), &["diff", "arm.c", "-d", "--vector", "--head", "height/(a)", "-o", "out.c"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && said.contains("OB4141") && !at.path().join("out.c").exists(), "{said}");
}
