//! Side effects and activity of programs made by hand.

use super::activity::heads::{parse_head, resolve};
use super::activity::refusals;
use super::*;
use crate::testing::Maker;
use xaif::Program;
use xaif::model::{SymbolId, UnitId};

fn names(p: &Program, set: impl IntoIterator<Item = SymbolId>) -> String {
    let mut v: Vec<&str> = set.into_iter().map(|s| p.symbol(s).name.as_str()).collect();
    v.sort_unstable();
    v.join(" ")
}

fn activity(p: &Program, head: &str) -> (Facts, Activity, Vec<xaif::Diagnostic>) {
    let facts = Facts::of(p);
    let heads = resolve(p, &facts.objects, &facts.effects, &[parse_head(head).unwrap()]).unwrap();
    let a = Activity::of(p, &facts, &heads);
    let problems = refusals::check(p, &facts, &a, &heads, true);
    (facts, a, problems)
}

fn active(p: &Program, a: &Activity, u: UnitId) -> String {
    names(p, a.unit(u).map(|u| u.active.clone()).unwrap_or_default())
}

#[test]
fn effects_of_a_chain_of_calls() {
    let mut m = Maker::new();
    let g = m.global("g");
    let _ = g;
    let inner = m.unit("inner", &["a:real", "b:real", "c:value"], |u| {
        u.set("a", "(* b c)");
        u.set("c", "g");
        u.begin_if_positive("b");
        u.set("g", "a");
        u.graph.end_branch();
    });
    let outer = m.unit("outer", &["x:real", "y:real"], |u| {
        u.local("t", "real");
        u.call("inner", &["t", "x", "y"]);
        u.set("y", "t");
    });
    let p = m.program;
    let f = Facts::of(&p);
    let e = f.effects.unit(inner);
    assert_eq!(names(&p, e.reads.clone()), "a b c g");
    assert_eq!(names(&p, e.exposed.clone()), "b c g");
    assert_eq!(names(&p, e.writes.clone()), "a g");
    assert_eq!(names(&p, e.kills.clone()), "a");
    let e = f.effects.unit(outer);
    assert_eq!(
        (names(&p, e.exposed.clone()), names(&p, e.writes.clone()), names(&p, e.kills.clone())),
        ("g x y".into(), "g y".into(), "y".into())
    );
}

#[test]
fn activity_is_varied_and_useful() {
    let mut m = Maker::new();
    let f = m.unit("f", &["x:real", "y:real", "z:real"], |u| {
        for t in ["t", "dead", "konst"] {
            u.local(t, "real");
        }
        u.set("konst", "2.0");
        u.set("t", "(* x konst)");
        u.set("dead", "(sin_scal x)");
        u.set("t", "(+ t z)");
        u.set("y", "(* t t)");
    });
    let p = m.program;
    let (_, a, problems) = activity(&p, "f(y)/(x)");
    assert_eq!(active(&p, &a, f), "t x y");
    assert!(problems.is_empty());
    let (_, a, _) = activity(&p, "f");
    assert_eq!(active(&p, &a, f), "t x y z");
}

#[test]
fn activity_passes_through_calls_globals_and_recursion() {
    let mut m = Maker::new();
    m.global("g");
    m.global("h");
    let sq = m.unit("sq", &["a:value", "r:result"], |u| u.set("r", "(* a a)"));
    let put = m.unit("put", &["a:real"], |u| u.set("g", "a"));
    let rec = m.unit("rec", &["n:int", "v:real"], |u| {
        u.begin_if_positive("n");
        u.set("v", "(* v g)");
        u.set("n", "(- n 1)");
        u.call("rec", &["n", "v"]);
        u.graph.end_branch();
    });
    let f = m.unit("f", &["x:real", "y:real", "n:int"], |u| {
        u.local("t", "real");
        u.local("p", "real");
        u.call("sq", &["(+ x 1.0)", "t"]);
        u.set("p", "3.0");
        u.call("sq", &["p", "h"]);
        u.call("put", &["t"]);
        u.set("y", "1.0");
        u.call("rec", &["n", "y"]);
    });
    let p = m.program;
    let (facts, a, problems) = activity(&p, "f(y)/(x)");
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(active(&p, &a, sq), "a r");
    assert_eq!(active(&p, &a, put), "a g");
    assert_eq!(active(&p, &a, rec), "g v");
    // h is varied in the union over call sites of sq, and useful nowhere
    assert_eq!(active(&p, &a, f), "g t x y");
    assert_eq!(names(&p, a.active_shared(&facts)), "g");
    let v = a.formal(&p, rec, 1);
    assert!(v.active && v.input && v.output);
    assert!(!a.formal(&p, rec, 0).active);
}

#[test]
fn overlaps_made_by_calls_are_followed() {
    let mut m = Maker::new();
    let g = m.unit("g", &["a:real", "b:real", "c:real"], |u| {
        u.set("a", "(* a 2.0)");
        u.set("c", "b");
    });
    m.unit("f", &["x:real", "y:real"], |u| u.call("g", &["x", "x", "y"]));
    let p = m.program;
    let (_, a, _) = activity(&p, "f(y)/(x)");
    assert_eq!(active(&p, &a, g), "a b c");
}

#[test]
fn severed_dependences_are_refused() {
    let mut m = Maker::new();
    m.unit("f", &["x:real", "y:real"], |u| {
        u.call("nobody", &["x"]);
        u.set("y", "x");
    });
    m.unit("k", &["x:real", "y:real"], |u| {
        u.local("n", "int");
        u.set("n", "(int_scal x)");
        u.set("y", "(* x n)");
    });
    m.unit("z", &["x:real", "y:real"], |u| u.set("y", "1.0"));
    let p = m.program;
    let codes = |h: &str| activity(&p, h).2.iter().map(|d| d.code).collect::<Vec<_>>();
    assert_eq!(codes("f(y)/(x)"), ["OB4002"]);
    assert_eq!(codes("k(y)/(x)"), ["OB4007"]);
    assert_eq!(codes("z(y)/(x)"), ["OB4008"]);
}

#[test]
fn heads_that_do_not_exist_say_what_there_is() {
    let mut m = Maker::new();
    m.unit("f", &["x:real", "n:int", "y:real"], |u| u.set("y", "x"));
    let p = m.program;
    let facts = Facts::of(&p);
    let err = |h: &str| resolve(&p, &facts.objects, &facts.effects, &[parse_head(h).unwrap()]).unwrap_err().remove(0);
    assert_eq!((err("g(y)/(x)").code, err("g(y)/(x)").help.unwrap().as_str()), ("OB0011", "there are: f"));
    assert_eq!((err("f(q)/(x)").code, err("f(q)/(x)").help.unwrap().as_str()), ("OB0012", "real arguments of f: x, y"));
    assert_eq!(err("f(y)/(n)").code, "OB0013");
}

#[test]
fn activity_goes_round_a_loop() {
    let mut m = Maker::new();
    let f = m.unit("f", &["n:int", "x:array", "y:real"], |u| {
        for t in ["a", "b", "c"] {
            u.local(t, "real");
        }
        u.local("i", "int");
        for t in ["a", "b", "c", "y"] {
            u.set(t, "0.0");
        }
        u.begin_do("i", "n");
        u.set("y", "c");
        u.set("c", "b");
        u.set("b", "a");
        u.set("a", "(at x i)");
        u.graph.end_loop();
    });
    let p = m.program;
    let (_, a, problems) = activity(&p, "f(y)/(x)");
    assert!(problems.is_empty());
    assert_eq!(active(&p, &a, f), "a b c x y");
}
