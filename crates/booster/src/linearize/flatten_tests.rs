//! Graphs of statement sequences: those of the papers, and what aliases do to them.

use super::flatten::{Setting, next};
use super::graph::{Edge, Line, Sequence};
use super::places::Sharing;
use super::tests::walk;
use super::*;
use overbar_eliminate::check;
use overbar_eliminate::code::{Step, write};
use overbar_eliminate::cost::{Class, Counting};
use overbar_eliminate::graph::Role;
use xaif::model::*;

/// Real scalars by name, arrays by capital name, integers i, j, k.
struct Unit {
    program: Program,
    names: Vec<&'static str>,
    /// Pairs that may share memory.
    overlaps: Vec<(&'static str, &'static str)>,
    dead: Vec<&'static str>,
}

impl Unit {
    fn new(names: &[&'static str]) -> Unit {
        let mut program = Program::default();
        let scope = program.add_scope(Scope::default());
        for &name in names {
            let ty = if matches!(name, "i" | "j" | "k") { ElemType::INTEGER } else { ElemType::REAL64 };
            let mut s = Symbol::variable(name, ty, scope);
            s.rank = u8::from(name.starts_with(char::is_uppercase));
            program.add_symbol(s);
        }
        Unit { program, names: names.to_vec(), overlaps: Vec::new(), dead: Vec::new() }
    }

    fn at(&self, name: &str) -> SymbolId {
        SymbolId(self.names.iter().position(|n| *n == name).unwrap() as u32)
    }

    fn v(&self, name: &str) -> Expr {
        Expr::sym(self.at(name))
    }

    fn set(&self, name: &str, rhs: Expr) -> Box<Stmt> {
        Box::new(Stmt::assign(VarRef::whole(self.at(name)), rhs))
    }

    fn element(&self, name: &str, index: &str) -> VarRef {
        VarRef::element(self.at(name), [self.v(index)])
    }

    fn all(&mut self, stmts: &[Box<Stmt>]) -> Vec<Sequence> {
        let mut out: Vec<Sequence> = Vec::new();
        while let Some(s) = next(self, stmts, out.last().map_or(0, |s| s.statements.end)) {
            out.push(s);
        }
        out
    }
}

impl Sharing for Unit {
    fn suspect(&self, s: SymbolId) -> bool {
        self.overlaps.iter().any(|(a, b)| self.at(a) == s || self.at(b) == s)
    }
    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool {
        self.overlaps.iter().any(|(x, y)| (self.at(x), self.at(y)) == (a, b) || (self.at(x), self.at(y)) == (b, a))
    }
}

impl Setting for Unit {
    fn program(&self) -> &Program {
        &self.program
    }
    fn catalogue(&self) -> &Catalogue {
        Catalogue::builtin()
    }
    fn is_active(&self, symbol: SymbolId) -> bool {
        symbol.index() < self.names.len() && self.program.symbol(symbol).ty.is_real()
    }
    fn takes_part(&self, _: &Stmt) -> bool {
        true
    }
    fn variable(&mut self, ty: ElemType) -> SymbolId {
        self.program.add_symbol(Symbol::variable("", ty, ScopeId(0)))
    }
    fn is_dead_behind(&self, symbol: SymbolId, _: usize) -> bool {
        self.dead.iter().any(|d| self.at(d) == symbol)
    }
}

fn mul(a: Expr, b: Expr) -> Expr {
    Expr::op("mul_scal_scal", [a, b])
}

fn call(name: &str, x: Expr) -> Expr {
    Expr::op(name, [x])
}

/// The factors at a point: the sequence is run with them.
fn factors(s: &Sequence, stmts: &[Box<Stmt>], start: &[(SymbolId, f64)]) -> Vec<f64> {
    let mut values = vec![f64::NAN; 200];
    start.iter().for_each(|(v, x)| values[v.index()] = *x);
    let mut out = vec![f64::NAN; s.edges.len()];
    for line in &s.lines {
        match line {
            Line::Set(v, e) => values[v.index()] = walk(e, &values),
            Line::Edge(k) => out[*k as usize] = walk(&s.edges[*k as usize].factor.to_expr(s.ty), &values),
            Line::Statement(k, rhs) => {
                let StmtKind::Assignment { lhs, rhs: old } = &stmts[*k].kind else { panic!() };
                values[lhs.symbol.index()] = walk(rhs.as_ref().unwrap_or(old), &values);
            }
        }
    }
    out
}

/// The local Jacobian by complete elimination: entries by output and input, as vertices of the sequence.
fn jacobian(s: &Sequence, at: &[f64]) -> Vec<((u32, u32), f64)> {
    let graph = s.graph().unwrap();
    let steps: Vec<Step> = (0..graph.vertices.len() as u32).filter(|&v| graph.role(v) == Role::Intermediate).map(Step::Vertex).collect();
    let code = write(&graph, Counting::Aware, &steps).unwrap();
    let entries = check::run(&code, at, 1.0, |a, b| a + b, |a, b| a * b, |a| -a);
    code.remaining
        .iter()
        .zip(entries)
        .map(|(r, x)| ((graph.vertices[r.target as usize].origin, graph.vertices[r.source as usize].origin), x))
        .collect()
}

fn entry(j: &[((u32, u32), f64)], s: &Sequence, of: SymbolId, by: SymbolId) -> f64 {
    let row = s.outputs.iter().find(|(r, _)| r.symbol == of).unwrap().1.unwrap();
    let column = s.inputs.iter().find(|(r, _)| r.symbol == by).map(|i| i.1);
    j.iter().find(|(k, _)| column == Some(k.1) && k.0 == row).map_or(0.0, |e| e.1)
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()), "{a} {b}");
}

/// a = cos(x);  b = sin(y)*y*y;  f = exp(a*b)
fn example(u: &Unit) -> Stmts {
    vec![
        u.set("a", call("cos_scal", u.v("x"))),
        u.set("b", mul(mul(call("sin_scal", u.v("y")), u.v("y")), u.v("y"))),
        u.set("f", call("exp_scal", mul(u.v("a"), u.v("b")))),
    ]
}

fn edges(s: &Sequence) -> Vec<(&str, &str)> {
    let label = |v: u32| s.vertices[v as usize].label.trim_end_matches("_scal").trim_end_matches("_scal");
    let mut out: Vec<(&str, &str)> = s.edges.iter().map(|e| (label(e.source), label(e.target))).collect();
    out.sort_unstable();
    out
}

/// Paper 002, Fig. 2 and 10: all three statements are one graph; Fig. 3: after elimination of a*b.
#[test]
fn one_graph_without_aliases() {
    let mut u = Unit::new(&["a", "b", "f", "x", "y"]);
    u.dead = vec!["a", "b"];
    let stmts = example(&u);
    let all = u.all(&stmts);
    let [s] = &all[..] else { panic!("{all:?}") };
    assert_eq!((s.statements.clone(), s.vertices.len()), (0..3, 8));
    let expected = [
        ("cos", "mul"),
        ("mul", "exp"),
        ("mul", "mul"),
        ("mul", "mul"),
        ("sin", "mul"),
        ("x", "cos"),
        ("y", "mul"),
        ("y", "mul"),
        ("y", "sin"),
    ];
    assert_eq!(edges(s), expected);
    let start = [(u.at("x"), 1.0), (u.at("y"), 2.0)];
    let at = factors(s, &stmts, &start);
    let j = jacobian(s, &at);
    let (a, b) = (1f64.cos(), 2f64.sin() * 4.0);
    let f = (a * b).exp();
    close(entry(&j, s, u.at("f"), u.at("x")), f * b * -1f64.sin());
    close(entry(&j, s, u.at("f"), u.at("y")), f * a * (2f64.cos() * 4.0 + 2f64.sin() * 4.0));
    // Fig. 3
    let graph = s.graph().unwrap();
    let product = (0..8).find(|&v| graph.role(v) == Role::Intermediate && s.edges.iter().any(|e| e.source == v && e.target == 7)).unwrap();
    let code = write(&graph, Counting::Aware, &[Step::Vertex(product)]).unwrap();
    assert_eq!((code.remaining.len(), code.multiplications), (8, 2));
    let into: Vec<u32> = code.remaining.iter().filter(|r| graph.role(r.target) == Role::Output).map(|r| r.source).collect();
    let labels: Vec<&str> = into.iter().map(|&v| s.vertices[graph.vertices[v as usize].origin as usize].label.as_str()).collect();
    assert_eq!(labels, ["cos_scal", "mul_scal_scal"]);
}

/// Paper 002, Fig. 6: a is b, so the last statement reads the second definition twice, and x reaches nothing.
#[test]
fn the_same_variable_twice() {
    let mut u = Unit::new(&["b", "f", "x", "y"]);
    u.dead = vec!["b"];
    let stmts = vec![
        u.set("b", call("cos_scal", u.v("x"))),
        u.set("b", mul(mul(call("sin_scal", u.v("y")), u.v("y")), u.v("y"))),
        u.set("f", call("exp_scal", mul(u.v("b"), u.v("b")))),
    ];
    let all = u.all(&stmts);
    let [s] = &all[..] else { panic!("{all:?}") };
    let at = factors(s, &stmts, &[(u.at("x"), 1.0), (u.at("y"), 2.0)]);
    let j = jacobian(s, &at);
    let b = 2f64.sin() * 4.0;
    close(entry(&j, s, u.at("f"), u.at("x")), 0.0);
    close(entry(&j, s, u.at("f"), u.at("y")), (b * b).exp() * 2.0 * b * (2f64.cos() * 4.0 + 2f64.sin() * 4.0));
    assert!(s.graph().unwrap().vertices.iter().all(|v| s.vertices[v.origin as usize].label != "x"), "x lies on no path");
}

/// Paper 002, Fig. 7: where it is not known whether a is b, the use of either begins a new graph.
#[test]
fn unknown_aliases_keep_graphs_apart() {
    let mut u = Unit::new(&["a", "b", "f", "x", "y"]);
    u.overlaps = vec![("a", "b")];
    let stmts = example(&u);
    let ranges: Vec<_> = u.all(&stmts).into_iter().map(|s| (s.statements, s.edges.len())).collect();
    assert_eq!(ranges, [(0..2, 6), (2..3, 3)]);
}

/// Paper 002, Section 5: b(k) = 2*x;  b(i) = sin(y)*y*y;  f = exp(a*b(j))
#[test]
fn unknown_subscripts_keep_graphs_apart() {
    let mut u = Unit::new(&["a", "B", "f", "x", "y", "i", "j", "k"]);
    let stmts = |u: &Unit, last: &str| {
        vec![
            u.set("a", call("cos_scal", u.v("x"))),
            Box::new(Stmt::assign(u.element("B", "k"), mul(Expr::real(2.0, 64), u.v("x")))),
            Box::new(Stmt::assign(u.element("B", "i"), mul(mul(call("sin_scal", u.v("y")), u.v("y")), u.v("y")))),
            u.set("f", call("exp_scal", mul(u.v("a"), Expr::var(u.element("B", last))))),
        ]
    };
    let apart = stmts(&u, "j");
    let ranges: Vec<_> = u.all(&apart).into_iter().map(|s| s.statements).collect();
    assert_eq!(ranges, [0..3, 3..4]);
    // b(i) has been set last, so what stands there is known; both elements are outputs.
    let merged = stmts(&u, "i");
    let all = u.all(&merged);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].outputs.len(), 4);
    // b(k) may have been set again.
    let early = stmts(&u, "k");
    assert_eq!(u.all(&early).len(), 2);
}

#[test]
fn a_subscript_that_changes_ends_the_sequence() {
    let mut u = Unit::new(&["B", "x", "i"]);
    let next_i = u.set("i", Expr::op("add_scal_scal", [u.v("i"), Expr::int(1)]));
    let at_i = |u: &Unit| Box::new(Stmt::assign(u.element("B", "i"), mul(u.v("x"), u.v("x"))));
    let stmts = vec![at_i(&u), next_i, at_i(&u)];
    let ranges: Vec<_> = u.all(&stmts).into_iter().map(|s| s.statements).collect();
    assert_eq!(ranges, [0..1, 2..3]);
    let before = vec![at_i(&u), u.set("x", u.v("x"))];
    assert_eq!(u.all(&before)[0].statements, 0..2);
}

/// Paper 003, Eq. (3) to (5): v3 = v1*v2;  v4 = v1*v3;  v6 = sin(v4);  v7 = (v3*v2)*v4
#[test]
fn worked_example_of_preaccumulation() {
    let mut u = Unit::new(&["v1", "v2", "v3", "v4", "v6", "v7"]);
    u.dead = vec!["v4"];
    let stmts = vec![
        u.set("v3", mul(u.v("v1"), u.v("v2"))),
        u.set("v4", mul(u.v("v1"), u.v("v3"))),
        u.set("v6", call("sin_scal", u.v("v4"))),
        u.set("v7", mul(mul(u.v("v3"), u.v("v2")), u.v("v4"))),
    ];
    let all = u.all(&stmts);
    let [s] = &all[..] else { panic!("{all:?}") };
    // Eq. (4): c31, c32, c41, c43, ct3, ct2, c7t, c74, c64
    assert_eq!((s.vertices.len(), s.edges.len()), (7, 9));
    assert!(s.edges.iter().all(|e| e.class() == Class::Variable));
    let (v1, v2) = (0.7, 1.3);
    let at = factors(s, &stmts, &[(u.at("v1"), v1), (u.at("v2"), v2)]);
    let (v3, v4, t) = (v1 * v2, v1 * v1 * v2, v1 * v2 * v2);
    let expected = [v2, v1, v3, v1, v4.cos(), v2, v3, v4, t];
    let mut sorted: Vec<f64> = at.clone();
    let mut wanted = expected.to_vec();
    sorted.sort_by(f64::total_cmp);
    wanted.sort_by(f64::total_cmp);
    sorted.iter().zip(&wanted).for_each(|(a, b)| close(*a, *b));
    // Eq. (5): the Jacobian of (v3, v6, v7); the entries of v3 are the edges (1, 3) and (2, 3) themselves.
    let j = jacobian(s, &at);
    let e = |of, by| entry(&j, s, u.at(of), u.at(by));
    close(e("v3", "v1"), v2);
    close(e("v3", "v2"), v1);
    close(e("v6", "v1"), v4.cos() * 2.0 * v1 * v2);
    close(e("v6", "v2"), v4.cos() * v1 * v1);
    close(e("v7", "v1"), 3.0 * v1 * v1 * v2.powi(3));
    close(e("v7", "v2"), 3.0 * v1.powi(3) * v2 * v2);
}

#[test]
fn equal_values_are_one_vertex() {
    let mut u = Unit::new(&["a", "b", "x", "y"]);
    let product = |u: &Unit| mul(call("exp_scal", u.v("x")), u.v("y"));
    let stmts = vec![u.set("a", product(&u)), u.set("b", product(&u))];
    let s = &u.all(&stmts)[0];
    assert_eq!((s.vertices.len(), s.outputs[0].1), (4, s.outputs[1].1));
    // Not after x has changed.
    let stmts = vec![u.set("a", product(&u)), u.set("x", u.v("y")), u.set("b", product(&u))];
    let s = &u.all(&stmts)[0];
    assert_ne!(s.outputs[0].1, s.outputs[2].1);
}

#[test]
fn classes_of_factors() {
    let mut u = Unit::new(&["a", "x", "y"]);
    let stmts = vec![u.set("a", Expr::op("sub_scal_scal", [mul(Expr::real(5.0, 64), u.v("x")), u.v("y")]))];
    let s = &u.all(&stmts)[0];
    let classes: Vec<Class> = s.edges.iter().map(Edge::class).collect();
    assert_eq!(classes, [Class::Constant, Class::Unit, Class::Unit]);
}

#[test]
fn passive_definitions_are_no_dependences() {
    let mut u = Unit::new(&["a", "b", "x"]);
    let stmts = vec![u.set("a", Expr::real(3.0, 64)), u.set("b", mul(u.v("a"), u.v("x")))];
    let s = &u.all(&stmts)[0];
    assert_eq!((s.edges.len(), s.outputs[0].1), (1, None));
}
