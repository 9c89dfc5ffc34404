//! The table of intrinsics with their partials, made from the catalogue.

use crate::arguments::Output;
use crate::console::files::{Content, Target, write_all};
use crate::console::report::{Failed, Session};
use std::fmt::Write;
use xaif::catalogue::{Catalogue, Partial, PartialKind, PartialNode};

/// Prints the table.
pub fn print(session: &mut Session, a: &Output) -> Result<(), Failed> {
    let mut text = String::from("name | function r | partial derivatives | where it is not smooth or not defined\n--- | --- | --- | ---\n");
    for i in Catalogue::builtin().iter() {
        let partials: Vec<String> =
            i.partials.iter().zip(["a", "b", "c", "d"]).map(|(p, argument)| format!("d{argument}: {}", partial(p))).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} | {} | {} | {}", i.name, i.formula, partials.join("; "), i.ties);
    }
    write_all(session, &[Target { path: a.output.as_deref(), content: Content::Text(&text) }])
}

fn partial(p: &Partial) -> String {
    match p.kind {
        PartialKind::Passive => "0".to_owned(),
        PartialKind::One => "1".to_owned(),
        PartialKind::MinusOne => "-1".to_owned(),
        PartialKind::Unsupported => "refused".to_owned(),
        PartialKind::Linear | PartialKind::Nonlinear => p.nodes.len().checked_sub(1).map_or(String::new(), |root| formula(&p.nodes, root)),
    }
}

/// A term graph in the notation of mathematics. Graphs of the catalogue are a few levels deep.
fn formula(nodes: &[PartialNode], at: usize) -> String {
    let operand = |o: &u32| formula(nodes, *o as usize);
    let infix = |sign: &str, operands: &[u32]| operands.iter().map(operand).collect::<Vec<_>>().join(sign);
    match &nodes[at] {
        PartialNode::Argument(k) => ["r", "a", "b", "c"].get(*k as usize).unwrap_or(&"?").to_string(),
        PartialNode::Result => "r".to_owned(),
        PartialNode::Const(c) => c.value.to_string(),
        PartialNode::Op(name, o) => match (name.as_str(), &o[..]) {
            ("add_scal_scal", _) => format!("({})", infix(" + ", o)),
            ("sub_scal_scal", _) => format!("({})", infix(" - ", o)),
            ("mul_scal_scal", _) => infix("*", o),
            ("div_scal_scal", _) => format!("({})", infix(" / ", o)),
            ("pow_scal_scal", _) => infix("**", o),
            ("minus_scal", [x]) => format!("-{}", operand(x)),
            ("select", [c, x, y]) => format!("({} if {} else {})", operand(x), operand(c), operand(y)),
            (name, _) => {
                let short = name.trim_end_matches("_scal").replace("_scal", "").replace("arc", "a").replace("ln", "log");
                format!("{short}({})", infix(", ", o))
            }
        },
        PartialNode::Bool(op, o) => {
            let sign = match op.name() {
                "less_than" => " < ",
                "greater_than" => " > ",
                "less_or_equal" => " <= ",
                "greater_or_equal" => " >= ",
                "equal" => " = ",
                other => other,
            };
            infix(sign, o)
        }
    }
}
