//! Tests of the front end: small programs and what the model says of them.
//!
//! `show` prints a unit's region tree as compact text, so that a test reads like the program it is about.

mod constructs;
mod declarations;
mod hostile;
mod lost;
mod refusals;

use super::*;
use xaif::model::*;
use xaif::structure::{Region, regions};

/// Parses free-form text that is accepted.
fn program(text: &str) -> Program {
    form(text, false).unwrap_or_else(|d| panic!("{}", lines(&d))).0
}

fn form(text: &str, fixed_form: bool) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    parse(&[SourceText { file: "t.f90", text }], &ParseOptions { fixed_form, ..ParseOptions::default() })
}

fn lines(d: &[Diagnostic]) -> String {
    d.iter().map(|d| format!("{d}\n")).collect()
}

/// The codes and places of a refusal.
fn codes(text: &str) -> Vec<String> {
    match form(text, false) {
        Ok((_, d)) => d.iter().map(|d| format!("warning {}", d.code)).collect(),
        Err(d) => d
            .iter()
            .map(|d| format!("{} {}:{}", d.code, d.location.as_ref().map_or(0, |l| l.line), d.location.as_ref().map_or(0, |l| l.column)))
            .collect(),
    }
}

fn reference(p: &Program, r: &VarRef) -> String {
    let mut s = p.symbol(r.symbol).name.to_string();
    if !r.subscripts.is_empty() {
        let part = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| expr(p, e));
        let subs: Vec<String> = r
            .subscripts
            .iter()
            .map(|t| match (t.is_section(), &t.stride) {
                (false, _) => part(&t.index),
                (true, None) => format!("{}:{}", part(&t.index), part(&t.bound)),
                (true, Some(_)) => format!("{}:{}:{}", part(&t.index), part(&t.bound), part(&t.stride)),
            })
            .collect();
        s = format!("{s}({})", subs.join(","));
    }
    s
}

fn expr(p: &Program, e: &Expr) -> String {
    let mut parts: Vec<String> = Vec::new();
    for n in &e.nodes {
        let a: Vec<&str> = n.operands.iter().map(|o| parts[o.index()].as_str()).collect();
        parts.push(match &n.kind {
            NodeKind::Var(r) => reference(p, r),
            NodeKind::Const(c) if c.ty.base == BaseType::Real => format!("{}_{}", c.value, c.ty.bits),
            NodeKind::Const(c) => c.value.to_string(),
            NodeKind::Op(o) => {
                let spelled = if o.spelling.is_empty() { String::new() } else { format!("'{}'", o.spelling) };
                match (o.name.as_str(), &a[..]) {
                    ("add_scal_scal", [x, y]) => format!("({x} + {y})"),
                    ("sub_scal_scal", [x, y]) => format!("({x} - {y})"),
                    ("mul_scal_scal", [x, y]) => format!("({x} * {y})"),
                    ("div_scal_scal", [x, y]) => format!("({x} / {y})"),
                    ("pow_scal_scal", [x, y]) => format!("({x} ** {y})"),
                    ("minus_scal", [x]) => format!("-{x}"),
                    (name, a) => format!("{name}{spelled}({})", a.join(", ")),
                }
            }
            NodeKind::Bool(b) => format!("{}({})", b.name(), a.join(", ")),
            NodeKind::FunctionCall(_) => unreachable!("never made"),
        });
    }
    parts.pop().unwrap()
}

fn stmt(p: &Program, s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => format!("{} = {}", reference(p, lhs), expr(p, rhs)),
        StmtKind::Call(c) => {
            let a: Vec<String> = c.arguments.iter().map(|a| format!("{}:{}", a.position, expr(p, &a.value))).collect();
            format!("call {}({})", p.symbol(c.callee).name, a.join(", "))
        }
        StmtKind::Marker(m) => {
            let names = |l: &[SymbolId]| l.iter().map(|s| p.symbol(*s).name.to_string()).collect::<Vec<_>>().join(" ");
            let object = m.object.as_ref().map_or(String::new(), |o| format!(" {}", reference(p, o)));
            format!("{:?}{object} [{}] -> [{}] {{{}}}", m.class, names(&m.reads), names(&m.writes), m.text)
        }
        other => format!("{other:?}"),
    }
}

fn show_regions(p: &Program, g: &FlowGraph, list: &[Region], depth: usize, out: &mut Vec<String>) {
    let pad = "  ".repeat(depth);
    for r in list {
        match r {
            Region::Block(v) => {
                if !g[*v].label.is_empty() {
                    out.push(format!("{pad}{}:", g[*v].label));
                }
                for s in g[*v].stmts() {
                    out.push(format!("{pad}{}", stmt(p, s)));
                }
            }
            Region::Branch { vertex, arms, .. } => {
                let VertexKind::Branch(c) = &g[*vertex].kind else { panic!() };
                out.push(format!("{pad}branch {}", expr(p, c)));
                for a in arms {
                    let values: Vec<String> = a.edges.iter().map(|e| g[*e].value.map_or("else".to_string(), |v| v.to_string())).collect();
                    if a.body.is_empty() && values == ["else"] {
                        continue;
                    }
                    out.push(format!("{pad} {}:", values.join(",")));
                    show_regions(p, g, &a.body, depth + 1, out);
                }
            }
            Region::Loop { vertex, body, .. } => {
                out.push(match &g[*vertex].kind {
                    VertexKind::For(f) => {
                        format!("{pad}for {}; {}; {}", stmt(p, &f.init), expr(p, &f.condition), stmt(p, &f.update))
                    }
                    VertexKind::Pre(c) => format!("{pad}while {}", expr(p, c)),
                    _ => panic!(),
                });
                show_regions(p, g, body, depth + 1, out);
            }
            Region::Jump(e) => {
                let to = g.edge_endpoints(*e).unwrap().1;
                out.push(format!("{pad}{:?} {}", g[*e].jump.unwrap(), g[to].label).trim_end().to_string());
            }
        }
    }
}

/// A unit's statements, one a line.
fn show(p: &Program, unit: &str) -> Vec<String> {
    let u = p.unit(p.unit_named(unit).unwrap_or_else(|| panic!("no unit {unit}")));
    let r = regions(&u.graph).unwrap();
    let mut out = Vec::new();
    show_regions(p, &u.graph, &r, 0, &mut out);
    out
}

/// The statements of a subroutine `s` with these lines.
fn body(declarations: &str, statements: &str) -> Vec<String> {
    let text = format!("subroutine s(x, y, n, a)\n integer n\n real(8) x, y, a(n)\n{declarations}\n{statements}\nend subroutine\n");
    let p = program(&text);
    show(&p, "s")
}

fn symbol<'a>(p: &'a Program, unit: &str, name: &str) -> &'a Symbol {
    let u = p.unit(p.unit_named(unit).unwrap());
    p.symbol(p.lookup(u.scope, name).unwrap_or_else(|| panic!("no symbol {name}")))
}
