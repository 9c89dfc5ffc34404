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

/// Members in sums that are handed to functions are numbers: what is handed on is one structure, whose members have no unknown length.
#[test]
fn members_in_sums_are_no_arrays() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <math.h>\n\
        struct orbit { double rate, angle, last; int count; };\n\
        struct sky { struct orbit sun; double other; };\n\
        static void shift(struct orbit *o, double t) {\n\
        \x20 o->angle = sin(t + o->rate - t * o->angle) + fabs(1.0 - o->angle);\n\
        \x20 o->last = o->last + cos(2.0 * (t + o->angle));\n\
        }\n\
        static int follow(struct orbit *o, double t, double *r) {\n\
        \x20 o->rate = o->rate * t;\n\
        \x20 r[1] = o->last * o->last * o->angle;\n\
        \x20 shift(o, t);\n\
        \x20 shift(o, t + o->rate);\n\
        \x20 r[0] = o->angle * o->last + sqrt(t + o->rate + 4.0);\n\
        \x20 return o->count;\n\
        }\n\
        void see(struct sky *s, double t, double r[2]) {\n\
        \x20 s->sun.count = 0;\n\
        \x20 follow(&s->sun, t, r);\n\
        }\n";
    std::fs::write(at.path().join("see.c"), text).unwrap();
    for head in ["see(r)/(t)", "see(r,s)/(s,t)"] {
        let out = overbar_ok(at.path(), &["verify", "see.c", "--head", head]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
    }
}

/// What a pointer leads to is copied into a structure as a whole: they are the same or lie apart.
#[test]
fn structures_behind_pointers_are_copied() {
    let at = tempfile::tempdir().unwrap();
    let text = "struct curve { float p[4][8]; float duration; };\n\
        struct path { float start; int n; struct curve *pieces; };\n\
        static struct curve now;\n\
        static float at(const struct curve *c, float t) {\n\
        \x20 float x = 0;\n\
        \x20 for (int i = 7; i >= 0; --i)\n\
        \x20   x = x * t + c->p[0][i] + c->p[1][i] * t;\n\
        \x20 return x;\n\
        }\n\
        static void stretch(struct curve *c, float s) {\n\
        \x20 for (int k = 0; k < 4; k++)\n\
        \x20   for (int i = 0; i < 8; i++)\n\
        \x20     c->p[k][i] *= s;\n\
        \x20 c->duration *= s;\n\
        }\n\
        float along(const struct path *q, float t) {\n\
        \x20 t -= q->start;\n\
        \x20 for (int k = 0; k < q->n; k++) {\n\
        \x20   struct curve const *piece = &(q->pieces[k]);\n\
        \x20   if (t <= piece->duration || k == q->n - 1) {\n\
        \x20     now = *piece;\n\
        \x20     stretch(&now, t);\n\
        \x20     return at(&now, t);\n\
        \x20   }\n\
        \x20   t -= piece->duration;\n\
        \x20 }\n\
        \x20 return 0;\n\
        }\n";
    std::fs::write(at.path().join("along.c"), text).unwrap();
    for head in ["along/(q,t)", "along/(t)"] {
        let out = overbar_ok(at.path(), &["verify", "along.c", "--head", head]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
    }
}

/// A structure that is passed as an array of its numbers has values of its own only from its first call on: none are handed over before, so nothing may come back there.
#[test]
fn structures_that_calls_fill_are_not_come_back_to() {
    let at = tempfile::tempdir().unwrap();
    let text = |before: &str, behind: &str| {
        format!(
            "struct v3 {{ double x, y, z; }};\n\
             static void step(double *p, int first, double t) {{\n\
             \x20 if (first) {{ p[0] = t; p[1] = 2 * t; p[2] = 3 * t; }} else {{ p[0] = p[0] * p[1]; p[1] = p[1] + t; }}\n\
             }}\n\
             double f(double t) {{\n  struct v3 v;\n  int k = 0;\n  {before}\n  step((double *)&v, k == 0, t);\n  v.x = v.x * 2;\n  k++;\n  {behind}\n  return v.x * v.y + v.z;\n}}\n"
        )
    };
    for (before, behind) in [("again:", "if (k < 3) goto again;"), ("for (; k < 3;) {", "}")] {
        std::fs::write(at.path().join("f.c"), text(before, behind)).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "-d", "-b", "--head", "f/(t)", "-o", "out.c"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && said.contains("OB2012") && said.contains("f.c:9:"), "{before}: {said}");
    }
    std::fs::write(at.path().join("f.c"), text("", "step((double *)&v, k == 0, t);")).unwrap();
    let out = overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(t)"]);
    assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
}

/// Lists have an end that is known only where the program runs.
#[test]
fn ends_of_lists_are_not_guessed() {
    let at = tempfile::tempdir().unwrap();
    let start = "struct item { int n; struct item *next; double *w, v; };\n";
    for (text, code, line) in [
        (
            "double f(struct item *a, double t) {\n  double s = a->v * t;\n  if (a->next->next == 0)\n    s = s * s;\n  else\n    s = s + a->next->v;\n  return s;\n}",
            "OB2013",
            4,
        ),
        (
            "double f(struct item *a, double t) {\n  struct item *b = a->next->next;\n  if (!b)\n    return t * t;\n  return b->v * t * a->v;\n}",
            "OB2013",
            4,
        ),
        (
            "double f(struct item *a, double t) {\n  double s = a->v * t;\n  if (a->n > 0)\n    s += f(a->next, t);\n  return s;\n}",
            "OB2010",
            5,
        ),
    ] {
        std::fs::write(at.path().join("f.c"), format!("{start}{text}\n")).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "-d", "-b", "--head", "f/(t)", "-o", "out.c"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && said.contains(code) && said.contains(&format!("f.c:{line}:")), "{text}\n{said}");
    }
    // Whether there is one more item is asked as the original does.
    let next =
        "double f(struct item *a, double t) {\n  struct item *b = a->next;\n  if (!b)\n    return t * t;\n  return b->v * t * a->v;\n}\n";
    std::fs::write(at.path().join("f.c"), format!("{start}{next}")).unwrap();
    for head in ["f/(t)", "f/(a,t)"] {
        let out = overbar_ok(at.path(), &["verify", "f.c", "--head", head]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
    }
    // What is asserted holds, or nothing is computed.
    let asserted =
        "#include <assert.h>\ndouble f(struct item *a, double t) {\n  assert(a->next != 0);\n  return a->next->v * t * a->v;\n}\n";
    std::fs::write(at.path().join("f.c"), format!("{start}{asserted}")).unwrap();
    let out = overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(t)"]);
    assert!(out.starts_with("pass "), "{out}");
}

/// A pointer to numbers in a structure may be null: derivative code asks as the original does, also where the structure is handed on.
#[test]
fn pointers_in_structures_may_be_null() {
    let at = tempfile::tempdir().unwrap();
    let text = "#include <stddef.h>\n\
        struct layer { double *bias; int n; double *w, *g; };\n\
        static double use(const struct layer *l, double x) {\n\
        \x20 double s = x;\n\
        \x20 if (l->bias != NULL) s += l->bias[0] * x * l->bias[l->n - 1];\n\
        \x20 if (!l->w) return s * s;\n\
        \x20 return s * l->w[1] + x;\n\
        }\n\
        static void inner(struct layer *l, double *out) {\n\
        \x20 for (int i = 0; i < l->n; i++) {\n\
        \x20   out[i] = use(l, out[i]);\n\
        \x20   if (l->w && l->g) l->w[i] += out[i] * l->g[i];\n\
        \x20   if (l->bias == NULL) out[i] *= out[0];\n\
        \x20 }\n\
        }\n\
        void pass(struct layer *l, double *out) {\n\
        \x20 const double *g = l->g;\n\
        \x20 inner(l, out);\n\
        \x20 out[0] += g != NULL ? g[0] * out[1] : out[1];\n\
        \x20 inner(l, out);\n\
        }\n\
        double without(double *b, double x) {\n\
        \x20 struct layer l = {b, 2, NULL, NULL};\n\
        \x20 return use(&l, x);\n\
        }\n";
    std::fs::write(at.path().join("pass.c"), text).unwrap();
    for head in ["pass(out,l)/(out,l)", "pass(out,l)/(l)", "pass(out,l%w)/(l%g,l%w)", "use/(l,x)"] {
        let out = overbar_ok(at.path(), &["verify", "pass.c", "--head", head]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{head}: {out}");
    }
    // A structure of the function itself has no pointer to hand on where it has no target.
    let out = overbar(at.path(), &["diff", "pass.c", "-b", "--head", "without/(x)", "-o", "out.c"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && said.contains("OB2010") && said.contains("pass.c:24:"), "{said}");
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

/// A table that is defined as const stays what it is, whoever gets its address, and so does what a pointer to const leads to: neither is recorded nor restored, which
/// tables would not survive and compilers would not take.
#[test]
fn unknown_functions_leave_what_is_constant() {
    let at = tempfile::tempdir().unwrap();
    let text = "static const double rate[3] = {0.5, 0.25, 1.5};\nextern void watch(const double v[], double w);\n\
        double f(double x, const double *z) {\n  for (int i = 0; i < 3; i++) {\n    watch(rate, 1.0);\n    watch(z, 0.5);\n    \
        x = x * x * rate[i] * *z;\n  }\n  return x;\n}\n";
    // f = 0.5^4 0.25^2 1.5 z^7 x^8 = 0.005859375 x^8 where z is 1.
    let main = "#include <math.h>\n#include <stdio.h>\nvoid f_b(double x, double *xb, const double *z, double fb);\nstatic int seen;\n\
        void watch(const double v[], double w) {\n  seen += v[0] * w == 0.5;\n}\nint main(void) {\n  double xb = 0.0, z = 1.0;\n  \
        f_b(1.25, &xb, &z, 2.0);\n  double want = 2.0 * 8.0 * 0.005859375 * pow(1.25, 7.0);\n  \
        printf(\"%.17g %.17g\\n\", xb, want);\n  return fabs(xb - want) > 1e-14 * want || seen < 6;\n}\n";
    std::fs::write(at.path().join("f.c"), text).unwrap();
    std::fs::write(at.path().join("main.c"), main).unwrap();
    for reversal in ["joint", "split"] {
        overbar_ok(at.path(), &["diff", "f.c", "-b", "--head", "f/(x)", "-o", "g.c", "--reversal", reversal, "--certificate", "none"]);
        runtime(at.path());
        for level in ["-O0", "-O2"] {
            silently(at.path(), "gcc", &["-std=c11", level, "g.c", "main.c", "-o", "run", "-lm"]);
            silently(at.path(), "./run", &[]);
        }
    }
}

/// A cast lifts the const: what the function may have changed is not taken for what it was.
#[test]
fn unknown_functions_may_change_what_a_cast_hands_over() {
    let at = tempfile::tempdir().unwrap();
    for (parameter, given, refused) in [("double *v", "(double *)z", true), ("", "(double *)z", true), ("const double *v", "z", false)] {
        let text = format!(
            "extern void put({parameter});\ndouble f(double x, const double *z) {{\n  for (int i = 0; i < 3; i++) {{\n    put({given});\n    \
             x = x * x * *z;\n  }}\n  return x;\n}}\n"
        );
        std::fs::write(at.path().join("f.c"), &text).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "-b", "--head", "f/(x)", "-o", "g.c", "--certificate", "none"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(said.contains("OB4051") && !out.status.success(), refused, "{text}: {said}");
    }
}

/// Structures have a companion for each direction, but for those with pointers.
#[test]
fn structures_have_directions() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("arm.c"), TEXT).unwrap();
    let out = overbar_ok(at.path(), &["verify", "arm.c", "--vector", "--head", "height/(a%angles,g)"]);
    assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
    let out = overbar(at.path(), &["diff", "arm.c", "-d", "--vector", "--head", "height/(a)", "-o", "out.c"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && said.contains("OB4141") && !at.path().join("out.c").exists(), "{said}");
}

const POINTERS: &str = "#include <math.h>\nstruct layer { int inputs, outputs; double *weights, *bias; };\nstruct net { int count; struct layer *layers; };\n\
                        static void through(const struct layer *l, const double *in, double *out) {\n  for (int i = 0; i < l->outputs; i++) {\n\
                        \x20   double s = l->bias[i];\n    for (int j = 0; j < l->inputs; j++)\n      s += l->weights[i * l->inputs + j] * in[j];\n\
                        \x20   out[i] = tanh(0.3 * s);\n  }\n}\n\
                        void forward(const struct net *net, const double in[3], double out[3]) {\n  double between[3];\n\
                        \x20 const struct layer *first = &net->layers[0];\n  through(first, in, between);\n  through(&net->layers[1], between, out);\n\
                        \x20 out[0] += net->layers[1].bias[0] * first->bias[2];\n}\n\
                        struct numbers { long length; double *data; };\nstruct vector { void *content; };\ntypedef struct vector *Vector;\n\
                        #define DATA(v) (((struct numbers *)((v)->content))->data)\n\
                        int rhs(double t, Vector y, Vector f) {\n  DATA(f)[0] = t * DATA(y)[0] - DATA(y)[0] * DATA(y)[1];\n\
                        \x20 DATA(f)[1] = sin(DATA(y)[0]) * DATA(y)[1];\n  return 0;\n}\n\
                        struct matrix { int rows; double *data; };\nvoid scaled(struct matrix m, double s) {\n  m.rows = 2;\n\
                        \x20 for (int i = 0; i < m.rows; i++)\n    m.data[i] = s * m.data[i] * m.data[i];\n}\n";

/// Pointers in structures that pointers lead to, in arrays of structures, and in structures that are passed by value.
#[test]
fn pointers_in_structures_lead_on() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("p.c"), POINTERS).unwrap();
    for head in ["forward(out)/(net,in)", "rhs(f)/(t,y)", "scaled(m)/(s,m)"] {
        let out = overbar_ok(at.path(), &["verify", "p.c", "--head", head]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{head}: {out}");
        overbar_ok(at.path(), &["diff", "p.c", "-d", "-b", "-o", "out.c", "--head", head]);
        runtime(at.path());
        silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
    }
}

const HANDED_OUT: &str = "typedef struct generic_vector { void *content; } *N_Vector;\ndouble *N_VGetArrayPointer(N_Vector v);\n\
                          static double slope(N_Vector v, int i) {\n  double *x = N_VGetArrayPointer(v);\n  return x[i + 1] - x[i - 1];\n}\n\
                          int rhs(double t, N_Vector y, N_Vector f, void *user) {\n  double *yd = NULL, *fd = NULL;\n  (void)user;\n\
                          \x20 yd = N_VGetArrayPointer(y);\n  fd = N_VGetArrayPointer(f);\n  for (int i = 1; i < 99; i++)\n\
                          \x20   fd[i] = t * slope(y, i) * yd[i];\n  return 0;\n}\n";

/// What a function of a library hands out for a structure belongs to it; a derivative of the structure hands out derivatives.
#[test]
fn numbers_that_a_library_hands_out_are_followed() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(at.path().join("v.c"), format!("#include <stddef.h>\n{HANDED_OUT}")).unwrap();
    let head = ["--head", "rhs(f)/(t,y)"];
    let out = overbar_ok(at.path(), &[&["verify", "v.c"], &head[..]].concat());
    assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
    overbar_ok(at.path(), &[&["diff", "v.c", "-b", "-o", "out.c"], &head[..]].concat());
    let text = std::fs::read_to_string(at.path().join("out.c")).unwrap();
    // The function is called once for each structure.
    let (_, adjoint) = text.split_once("void rhs_b(").expect("an adjoint");
    let (adjoint, _) = adjoint.split_once("\n}\n").expect("its end");
    for vector in ["y", "yb", "fb"] {
        assert_eq!(adjoint.matches(&format!("{vector}_data =")).count(), 1, "{vector}: {text}");
        assert_eq!(adjoint.matches(&format!("N_VGetArrayPointer({vector})")).count(), 1, "{vector}: {text}");
    }
    // What the output held is nobody's business.
    assert!(!adjoint.contains("N_VGetArrayPointer(f)"), "{text}");
    runtime(at.path());
    silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
}

/// A function without a text can set what pointers lead to in a structure that it gets, constant or a copy.
#[test]
fn unknown_functions_may_change_what_pointers_lead_to() {
    let at = tempfile::tempdir().unwrap();
    for parameter in ["const struct vec *v", "struct vec v"] {
        let dot = if parameter.contains('*') { "->" } else { "." };
        let text = format!(
            "struct vec {{ int n; double *data; }};\nvoid relax({parameter});\ndouble f({parameter}) {{\n  relax(v);\n  return v{dot}data[0] * v{dot}data[1];\n}}\n"
        );
        std::fs::write(at.path().join("f.c"), text).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "-b", "--head", "f/(v)", "-o", "out.c", "--certificate", "none"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && said.contains("OB4002") && said.contains("f.c:4:"), "{parameter}: {said}");
    }
}

/// Structures that functions make, give memory and take back; members that own arrays; questions for missing memory; names that both functions have.
#[test]
fn structures_are_made_by_functions() {
    let at = tempfile::tempdir().unwrap();
    let matrices = "#include <stdlib.h>\n#include <math.h>\ntypedef struct { int rows, columns; double *data; } matrix;\n\
                    matrix *matrix_new(int rows, int columns) {\n  matrix *m = (matrix *)malloc(sizeof(matrix));\n  if (m == NULL)\n    return NULL;\n\
                    \x20 m->rows = rows;\n  m->columns = columns;\n  m->data = malloc(rows * columns * sizeof(double));\n  if (!m->data) {\n    free(m);\n    return NULL;\n  }\n\
                    \x20 for (int i = 0; i < rows * columns; i++)\n    m->data[i] = 0.0;\n  return m;\n}\n\
                    void matrix_free(matrix *m) {\n  if (!m)\n    return;\n  free(m->data);\n  free(m);\n}\n\
                    static void multiply(const matrix *a, const matrix *b, matrix *c) {\n  for (int i = 0; i < a->rows; i++)\n    for (int j = 0; j < b->columns; j++)\n\
                    \x20     for (int k = 0; k < a->columns; k++)\n        c->data[i * c->columns + j] += a->data[i * a->columns + k] * b->data[k * b->columns + j];\n}\n\
                    static matrix *squared(const matrix *a) {\n  matrix *m = matrix_new(a->rows, a->columns);\n  multiply(a, a, m);\n  return m;\n}\n\
                    double f(int n, const double *x) {\n  double t = 0.0;\n  matrix *m = matrix_new(n, n), *s;\n  for (int i = 0; i < n * n; i++)\n    m->data[i] = sin(x[i]);\n\
                    \x20 s = squared(m);\n  for (int i = 0; i < n; i++)\n    t += s->data[i * n + i] * x[i];\n  matrix_free(m);\n  matrix_free(s);\n  return t;\n}\n";
    let spaces = "#include <stdlib.h>\ntypedef struct { int n; double *w, *g; } space;\n\
                  static int begin(space *s, int n) {\n  s->n = n;\n  s->w = malloc(n * sizeof(double));\n  s->g = malloc(n * sizeof(double));\n\
                  \x20 if (!s->w || !s->g)\n    return -1;\n  return 0;\n}\nstatic void end(space *s) {\n  free(s->w);\n  free(s->g);\n  s->w = NULL;\n  s->g = NULL;\n}\n\
                  static double run(const double *x, space *s) {\n  double r = 0.0;\n  for (int i = 0; i < s->n; i++) {\n    s->w[i] = x[i] * x[i];\n    s->g[i] = s->w[i] * x[i];\n  }\n\
                  \x20 for (int i = 0; i < s->n; i++)\n    r += s->w[i] * s->g[s->n - 1 - i];\n  return r;\n}\n\
                  double f(int n, const double *x) {\n  space s, t;\n  if (begin(&s, n) != 0)\n    return -1.0;\n  begin(&t, n);\n  double r = run(x, &s) - run(x, &t) * x[0];\n  end(&s);\n  end(&t);\n  return r;\n}\n";
    // An argument keeps its value while what its address leads to is set.
    let by_address = "#include <stdlib.h>\ntypedef struct { int n; double *d; } vec;\n\
                      static vec *made(int *k, int n) {\n  vec *v = malloc(sizeof *v);\n  *k = 1;\n  v->n = n;\n  v->d = malloc(4 * sizeof(double));\n  return v;\n}\n\
                      double f(const double x[4]) {\n  int k = 3;\n  vec *v = made(&k, k);\n  double s = k;\n  for (int i = 0; i < 4; i++)\n    v->d[i] = x[i] * x[i];\n\
                      \x20 for (int i = 0; i < v->n; i++)\n    s += v->d[i];\n  free(v->d);\n  free(v);\n  return s;\n}\n";
    // Numbers are passed as numbers of the parameter's type.
    let converted = "#include <stdlib.h>\ntypedef struct { int n; double h, *d; } vec;\n\
                     static vec *made(int n, double h) {\n  vec *v = malloc(sizeof *v);\n  v->n = n / 2 * 2;\n  v->h = h / 4;\n  v->d = malloc(8 * sizeof(double));\n  return v;\n}\n\
                     double f(const double x[8]) {\n  double m = 5.9, s = 0.0;\n  int k = 6;\n  vec *v = made(m, k), *u = made(5, 3);\n  for (int i = 0; i < 8; i++) {\n\
                     \x20   v->d[i] = x[i] * x[i];\n    u->d[i] = x[i];\n  }\n  for (int i = 0; i < v->n; i++)\n    s += v->d[i] * v->h + u->d[i] * u->h * u->n;\n\
                     \x20 free(v->d);\n  free(v);\n  free(u->d);\n  free(u);\n  return s;\n}\n";
    let result = "#include <stdlib.h>\ntypedef struct { int n; double *d; } vec;\n\
                  static int start(vec *v, int n) {\n  v->n = n;\n  v->d = malloc(4 * sizeof(double));\n  return n * 0.4;\n}\n\
                  double f(const double x[4]) {\n  vec v;\n  double r = start(&v, 4), s = 0.0;\n  for (int i = 0; i < 4; i++)\n    v.d[i] = x[i] * x[i];\n\
                  \x20 for (int i = 0; i < v.n; i++)\n    s += v.d[i] * r;\n  free(v.d);\n  return s;\n}\n";
    for text in [matrices, spaces, by_address, converted, result] {
        std::fs::write(at.path().join("f.c"), text).unwrap();
        let out = overbar_ok(at.path(), &["verify", "f.c", "--head", "f/(x)"]);
        assert!(out.starts_with("pass ") && out.contains("interpreter and compiled"), "{out}");
        overbar_ok(at.path(), &["diff", "f.c", "-d", "-b", "-o", "out.c", "--head", "f/(x)"]);
        runtime(at.path());
        silently(at.path(), "gcc", &[&STRICT_C[..], &["-c", "out.c"]].concat());
    }
}

/// What is not sure is no memory of a structure: a test that decides something else stays, and a structure that gets memory again is refused.
#[test]
fn structures_without_one_memory_are_refused() {
    let at = tempfile::tempdir().unwrap();
    let start = "#include <stdlib.h>\ntypedef struct { int n; double *w; } space;\n";
    for body in [
        "double f(int n, const double *x) {\n  space *s = NULL;\n  if (n > 2)\n    s = malloc(sizeof *s);\n  s->n = n;\n  return s->n * x[0];\n}\n",
        "double f(int n, const double *x) {\n  space *s = malloc(sizeof *s), *t = s;\n  s->n = n;\n  s = malloc(sizeof *s);\n  s->n = 1;\n  return t->n * x[0];\n}\n",
    ] {
        std::fs::write(at.path().join("f.c"), format!("{start}{body}")).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "-b", "-o", "out.c", "--head", "f/(x)"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && !at.path().join("out.c").exists() && said.contains("OB20"), "{said}");
    }
}

/// A call is worth the argument that its function returns, as that was before the call: what the call may change is refused.
#[test]
fn returned_arguments_are_those_before_the_call() {
    let at = tempfile::tempdir().unwrap();
    let start = "static int k = 0;\nstatic double *bump(double *a) {\n  k = 1;\n  a[0] *= 2.0;\n  return a;\n}\n";
    for (argument, good) in [("x + k", false), ("&x[k]", false), ("x + 1", true), ("&x[j]", true)] {
        let text = format!(
            "{start}double f(double x[3], int j) {{\n  k = 0;\n  double *q = bump({argument});\n  return q[0] * q[1] * x[1];\n}}\n"
        );
        std::fs::write(at.path().join("f.c"), text).unwrap();
        let command = ["diff", "f.c", "-d", "--head", "f(f)/(x)", "-o", "out.c", "--certificate", "both"];
        let out = overbar(at.path(), &command);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success() == good && (good || said.contains("OB2010")), "{argument}: {said}");
    }
}

/// A union of numbers of one type is one array; what is no place in it is refused, where it is used.
#[test]
fn unions_of_numbers_are_one_array() {
    let at = tempfile::tempdir().unwrap();
    let types = "typedef struct { double x, y; } pair;\ntypedef union { struct { double a, b, c, d; }; double v[4]; double m[2][2]; pair two[2]; } all;\n\
                 typedef union { struct { double a, b[2]; }; double v[4]; pair two[2]; } most;\n";
    let good = [
        "double f(double x) { all u = {{x, 2, 3, x * x}}; pair *p = &u.two[1]; p->y *= u.m[1][0]; return u.d * u.two[0].x; }",
        "double f(double x) { all u; u.a = x; u.two[1] = u.two[0] = (pair){x * x, x}; double *p = &u.b; p[1] *= x; return u.c * u.v[3]; }",
        "static most kept = {{3.0, {2.0}}};\ndouble f(double x) { most u = {{x, {2.0, x * x}}}, w = {0}; kept.two[0].y *= x; w.a = u.b[1];\n\
         return u.two[1].x * w.v[0] + kept.b[0] + w.v[3] * kept.a + u.v[3]; }",
        "static double g(pair p, const double *v) { return p.x * v[1]; }\n\
         double f(double x) { all u = {.two = {{x, x * x}, {2, x}}}; return g(u.two[1], u.v) * g(u.two[0], &u.c); }",
    ];
    for text in good {
        std::fs::write(at.path().join("f.c"), format!("{types}{text}\n")).unwrap();
        for more in [&[][..], &["--reversal", "split"]] {
            let out = overbar(at.path(), &[&["verify", "f.c", "--head", "f"], more].concat());
            let said = String::from_utf8_lossy(&out.stdout).into_owned();
            let refused = !more.is_empty() && String::from_utf8_lossy(&out.stderr).contains("would have to be recorded");
            assert!(refused || said.starts_with("pass") && said.contains("interpreter and compiled"), "{text}: {said}");
        }
    }
    for (text, code, said) in [
        (
            "static double g(pair *p) { return p->x; }\ndouble f(double x) { all u = {{x}}; return g(&u.two[1]); }",
            "OB2020",
            "a structure is passed that is not followed",
        ),
        (
            "static double g(double (*p)[2]) { return p[0][1]; }\ndouble f(double x) { all u = {{x}}; return g(u.m); }",
            "OB2050",
            "a row of a union of numbers is passed",
        ),
        (
            "union bits { double d; long k; };\ndouble f(double x) { union bits u; u.d = x; u.k ^= 1; return u.d; }",
            "OB2020",
            "`union bits`",
        ),
        (
            "union wide { double d[2]; float s[4]; };\ndouble f(double x) { union wide u; u.d[0] = x; return u.s[1]; }",
            "OB2020",
            "`union wide`",
        ),
    ] {
        std::fs::write(at.path().join("f.c"), format!("{types}{text}\n")).unwrap();
        let out = overbar(at.path(), &["diff", "f.c", "--head", "f", "-b"]);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && error.contains(code) && error.contains(said), "{text}: {error}");
    }
}
