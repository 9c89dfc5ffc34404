//! A unit as text, one statement a line.

use std::fmt::Write;
use xaif::Program;
use xaif::model::{BoolOp, Expr, Jump, NodeKind, Stmt, StmtKind, Unit, VarRef, VertexKind};
use xaif::structure::{Region, regions};

fn reference(p: &Program, r: &VarRef) -> String {
    let mut out = p.symbol(r.symbol).name.to_string();
    for t in &r.subscripts {
        let part = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| expr(p, e));
        match t.is_section() {
            false => write!(out, "[{}]", part(&t.index)),
            true => write!(out, "[{}:{}]", part(&t.index), part(&t.bound)),
        }
        .unwrap();
    }
    out
}

/// An expression with every operator in parentheses.
pub(crate) fn expr(p: &Program, e: &Expr) -> String {
    let mut texts: Vec<String> = Vec::new();
    for n in &e.nodes {
        let operands: Vec<&str> = n.operands.iter().map(|o| texts[o.index()].as_str()).collect();
        let text = match &n.kind {
            NodeKind::Var(r) => reference(p, r),
            NodeKind::Const(c) => c.value.to_string(),
            NodeKind::Bool(op) => match (op, &operands[..]) {
                (BoolOp::Not, [a]) => format!("!{a}"),
                (_, [a, b]) => {
                    let sign = match op {
                        BoolOp::LessThan => "<",
                        BoolOp::LessOrEqual => "<=",
                        BoolOp::GreaterThan => ">",
                        BoolOp::GreaterOrEqual => ">=",
                        BoolOp::Equal => "==",
                        BoolOp::NotEqual => "!=",
                        BoolOp::And => "&&",
                        _ => "||",
                    };
                    format!("({a} {sign} {b})")
                }
                _ => "?".into(),
            },
            NodeKind::Op(op) => match (op.name.as_str(), &operands[..]) {
                ("add_scal_scal", [a, b]) => format!("({a} + {b})"),
                ("sub_scal_scal", [a, b]) => format!("({a} - {b})"),
                ("mul_scal_scal", [a, b]) => format!("({a} * {b})"),
                ("div_scal_scal", [a, b]) => format!("({a} / {b})"),
                ("select", [a, b, c]) => format!("({a} ? {b} : {c})"),
                ("real_scal" | "int_scal", [a]) => format!("({}){a}", op.spelling),
                (name, list) => format!("{name}({})", list.join(", ")),
            },
            NodeKind::FunctionCall(_) => "call".into(),
        };
        texts.push(text);
    }
    texts.pop().unwrap_or_default()
}

fn stmt(p: &Program, s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => format!("{} = {}", reference(p, lhs), expr(p, rhs)),
        StmtKind::Call(c) => {
            let list: Vec<String> = c.arguments.iter().map(|a| expr(p, &a.value)).collect();
            format!("{}({})", p.symbol(c.callee).name, list.join(", "))
        }
        StmtKind::Marker(m) => {
            let object = m.object.as_ref().map_or(String::new(), |o| format!(" {}", reference(p, o)));
            format!("<{:?}{object}> {}", m.class, m.text)
        }
        other => format!("{other:?}"),
    }
}

fn walk(p: &Program, u: &Unit, list: &[Region], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for r in list {
        match r {
            Region::Block(v) => {
                if !u.graph[*v].label.is_empty() {
                    writeln!(out, "{}:", u.graph[*v].label).unwrap();
                }
                for s in u.graph[*v].stmts() {
                    writeln!(out, "{pad}{}", stmt(p, s)).unwrap();
                }
            }
            Region::Branch { vertex, arms, .. } => {
                let VertexKind::Branch(c) = &u.graph[*vertex].kind else { continue };
                writeln!(out, "{pad}branch {}", expr(p, c)).unwrap();
                for a in arms {
                    let values: Vec<String> = a.edges.iter().map(|e| u.graph[*e].value.map_or("else".into(), |v| v.to_string())).collect();
                    if a.body.is_empty() {
                        continue;
                    }
                    writeln!(out, "{pad}{}:", values.join(",")).unwrap();
                    walk(p, u, &a.body, depth + 1, out);
                }
            }
            Region::Loop { vertex, body, .. } => {
                match &u.graph[*vertex].kind {
                    VertexKind::For(f) => {
                        let kind = if f.counted { "counted" } else { "for" };
                        writeln!(out, "{pad}{kind} {}; {}; {}", stmt(p, &f.init), expr(p, &f.condition), stmt(p, &f.update)).unwrap();
                    }
                    VertexKind::Pre(c) => writeln!(out, "{pad}while {}", expr(p, c)).unwrap(),
                    VertexKind::Post(c) => writeln!(out, "{pad}do while {}", expr(p, c)).unwrap(),
                    _ => {}
                }
                walk(p, u, body, depth + 1, out);
            }
            Region::Jump(e) => {
                let word = match u.graph[*e].jump {
                    Some(Jump::Break) => "break",
                    Some(Jump::Continue) => "continue",
                    Some(Jump::Return) => "return",
                    Some(Jump::Goto) => "goto",
                    Some(Jump::FallThrough) => "fall through",
                    None => "?",
                };
                writeln!(out, "{pad}{word}").unwrap();
            }
        }
    }
}

/// The body of a unit.
pub(crate) fn unit(p: &Program, name: &str) -> String {
    let u = p.unit(p.unit_named(name).unwrap_or_else(|| panic!("no unit {name}")));
    let mut out = String::new();
    walk(p, u, &regions(&u.graph).unwrap(), 0, &mut out);
    out
}
