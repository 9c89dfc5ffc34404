//! Structures: their members as variables and arguments, and what is refused of them.

use super::dump;
use crate::parse::{ParseOptions, SourceText, parse};
use xaif::model::ScopeId;
use xaif::{Diagnostic, Program};

fn read(text: &str) -> (Program, Vec<Diagnostic>) {
    parse(&[SourceText { file: "a.c", text }], &ParseOptions::default()).unwrap_or_else(|d| panic!("{text}: {d:#?}"))
}

/// Names of a unit's arguments.
fn arguments(p: &Program, unit: &str) -> String {
    let u = p.unit(p.unit_named(unit).unwrap());
    u.formals.iter().map(|f| p.symbol(f.symbol).name.as_str()).collect::<Vec<_>>().join(" ")
}

const TYPES: &str = "struct in { double a, b[2]; };\nstruct s { int n; double x; struct in in; double *w; struct s *next; };\n\
                     union u { double d; float f; };\nstruct odd { unsigned k : 3; union u v; };\n";

/// A function has the members that it needs behind the structure, and those that its callees need.
#[test]
fn members_are_arguments_behind_their_structures() {
    let text = "double f(struct s *p, const double *y) { return p->x * p->in.b[1] + p->w[0] * y[0]; }\n\
                double g(struct s *q) { return f(q, q->in.b); }\n\
                double h(struct s v) { v.x = 2; struct in k = {1}; return k.a + v.in.a; }\n\
                double k(struct s v) { v.x = 2; return v.x * v.w[0]; }\n";
    let (p, d) = read(&format!("{TYPES}{text}"));
    assert!(d.iter().all(|d| d.code == "OB2020"), "{d:#?}");
    assert_eq!(arguments(&p, "f"), "p p%in%b p%w p%x y f");
    assert_eq!(arguments(&p, "g"), "q q%in%b q%w q%x g");
    assert_eq!(dump::unit(&p, "g"), "f(q, q%in%b, q%w, q%x, q%in%b, f_1)\ng = f_1\n");
    // A copy would have a pointer of its own: who follows it is left out.
    assert_eq!(arguments(&p, "h"), "v v%in%a v%in%b v%n v%x h");
    assert!(p.unit_named("k").is_none());
}

/// What is returned is an argument that is set; assignments go member by member.
#[test]
fn structures_are_values() {
    let text = "typedef struct { double x, y; } pair;\npair turn(pair a) { return (pair){-a.y, a.x}; }\n\
                double f(double t) { pair a = {t}, b; b = turn(a); return b.x; }\n";
    let (p, d) = read(text);
    assert!(d.is_empty(), "{d:#?}");
    assert_eq!(arguments(&p, "turn"), "a a%x a%y turn turn%x turn%y");
    assert_eq!(
        dump::unit(&p, "f"),
        "a%y = 0.0\na%x = t\nturn(a, a%x, a%y, turn_1, turn_1%x, turn_1%y)\nb%x = turn_1%x\nb%y = turn_1%y\nf = b%x\n"
    );
}

/// A pointer to void is the structure that it is cast to, here or further on.
#[test]
fn pointers_to_void_become_structures() {
    let text = "double f(void *data) { struct s *s = (struct s *)data; return s->x; }\ndouble g(void *data) { return f(data); }\n\
                double h(struct s *p) { return g(p); }\n";
    let (p, d) = read(&format!("{TYPES}{text}"));
    assert!(d.is_empty(), "{d:#?}");
    assert_eq!(arguments(&p, "g"), "data data%x g");
    assert_eq!(dump::unit(&p, "h"), "g(p, p%x, g_1)\nh = g_1\n");
    let wrong = "double f(void *data) { struct in *s = (struct in *)data; return s->a; }\ndouble g(struct s *p) { return f(p); }\n";
    let (p, d) = read(&format!("{TYPES}{wrong}"));
    assert!(d.iter().any(|d| d.code == "OB2020" && d.message.contains("taken for")), "{d:#?}");
    assert!(p.unit_named("g").is_none() && p.unit_named("f").is_some());
}

/// What could be another memory than it seems, or another type, is refused at its place.
#[test]
fn what_is_not_followed_is_refused() {
    let before = "void put(struct s *);\nvoid show(struct odd);\ndouble h(double x) { return x; }\n";
    for (text, code) in [
        ("double f(struct s *s, double t) { s->w = &t; return s->x; }", "OB2010"),
        ("double f(struct s *s, double t) { s = s->next; return s->x * t; }", "OB2010"),
        ("double f(struct odd *b, double t) { b->v.d = t; return t; }", "OB2020"),
        ("double f(struct odd *b, double t) { return b->v.d * t; }", "OB2020"),
        ("double f(struct s *s, double t) { put(s); return s->w[0] * t; }", "OB2020"),
        ("double f(struct s *a, struct s *b, double t) { *b = *a; return b->x * t; }", "OB2020"),
        ("double f(struct s *a, double t) { struct s b; b = *a; return b.w[0] * t; }", "OB2020"),
        ("double f(struct s *a, double t) { struct s b; b.w = &t; b = *a; return b.x * t; }", "OB2020"),
        ("double f(struct s *a, double t) { if (a->next->next) return a->x * t; return t; }", "OB2013"),
        ("double f(struct s *a, double t) { double *p = (double *)a; return p[0] * t; }", "OB2012"),
        ("double f(struct s *a) { double y = 0; while (a) { y += a->x; a = a->next; } return y; }", "OB2020"),
        ("double f(struct odd *b, double t) { show(*b); return b->k * t; }", "OB2020"),
        ("double f(double t) { struct s s; s.w[0] = t; return s.w[0]; }", "OB2020"),
        ("double f(double t) { struct s s; s.w = &t; s.w = 0; return s.w[0]; }", "OB2010"),
        ("double f(struct in *a) { union u *p = (union u *)a; return p->d; }", "OB2012"),
    ] {
        let (p, d) = read(&format!("{TYPES}{before}{text}"));
        assert!(d.iter().any(|d| d.code == code && d.location.as_ref().is_some_and(|l| l.line == 8)), "{text}: {d:#?}");
        let f = p.lookup(ScopeId(0), "f").unwrap();
        assert!(p.unit_named("f").is_none() && p.unit_named("h").is_some() && p.symbol(f).has_attribute("refused"), "{text}");
    }
}
