//! The control-flow graph of a unit as a drawing, with or without the activity of its statements.

use super::drawing::{Drawing, Edge, Node, Shape, Stroke};
use crate::analysis::activity::active::Activity;
use crate::analysis::program::steps::Numbering;
use crate::notation;
use petgraph::visit::EdgeRef;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{Jump, SymbolId, UnitId, Vertex, VertexId, VertexKind};

/// The control flow of a unit; with an activity, statements that take part are marked.
pub fn flow(program: &Program, unit: UnitId, activity: Option<&Activity>) -> Drawing {
    let graph = &program.unit(unit).graph;
    let mut nodes = Vec::with_capacity(graph.node_count());
    let marks = activity.map(|a| (a, Numbering::of(graph)));
    for v in graph.node_indices() {
        nodes.push(box_of(program, unit, v, marks.as_ref()));
    }
    let edges = graph
        .edge_references()
        .map(|e| {
            let from = &graph[e.source()];
            let (label, stroke) = match e.weight().jump {
                Some(Jump::Break) => ("break".to_owned(), Stroke::Heavy),
                Some(Jump::Continue) => ("continue".to_owned(), Stroke::Heavy),
                Some(Jump::Return) => ("return".to_owned(), Stroke::Heavy),
                Some(Jump::Goto) => ("goto".to_owned(), Stroke::Heavy),
                Some(Jump::FallThrough) => ("falls through".to_owned(), Stroke::Heavy),
                None if matches!(from.kind, VertexKind::EndLoop) => (String::new(), Stroke::Dashed),
                None => (arm(from, e.weight().value), Stroke::Solid),
            };
            Edge { source: e.source().index(), target: e.target().index(), label, tip: String::new(), stroke }
        })
        .collect();
    let name = program.unit_name(unit);
    let mut shapes = vec![
        (Shape::Plain, "statements (line: text)"),
        (Shape::Pointed, "branch or loop"),
        (Shape::Round, "entry, exit, end of a branch or loop"),
    ];
    if activity.is_some() {
        shapes.push((Shape::Heavy, "has active statements: * active, v varied only, u useful only"));
    }
    Drawing {
        title: format!("{} of {name}", if activity.is_some() { "activity" } else { "control-flow graph" }),
        nodes,
        edges,
        shapes,
        strokes: vec![(Stroke::Solid, "goes on"), (Stroke::Dashed, "next iteration of a loop"), (Stroke::Heavy, "jump")],
    }
}

/// What has to hold for control to go along an edge.
fn arm(from: &Vertex, value: Option<i64>) -> String {
    let is_switch = matches!(&from.kind, VertexKind::Branch(e) if !e.nodes.is_empty() && !is_condition(e));
    match (&from.kind, value) {
        (VertexKind::Branch(_), Some(v)) if is_switch => format!("{v}"),
        (VertexKind::Branch(_), None) if is_switch => "default".to_owned(),
        (VertexKind::Branch(_), Some(1)) => "true".to_owned(),
        (VertexKind::Branch(_), _) => "false".to_owned(),
        (VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_), Some(_)) => "body".to_owned(),
        (VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_), None) => "done".to_owned(),
        _ => String::new(),
    }
}

/// Truth values, as far as they can be told by the root.
fn is_condition(e: &xaif::model::Expr) -> bool {
    use xaif::model::{BaseType, NodeKind};
    match e.nodes.last().map(|n| &n.kind) {
        Some(NodeKind::Bool(_)) => true,
        Some(NodeKind::Const(c)) => c.ty.base == BaseType::Bool,
        Some(NodeKind::Op(_)) => false,
        // A variable: a switch over a truth value has the same arms as a branch.
        Some(NodeKind::Var(_) | NodeKind::FunctionCall(_)) | None => false,
    }
}

/// Entry or exit, with the variables that are varied or useful there and that callers see.
fn end_of_unit(program: &Program, unit: UnitId, name: &str, sets: Option<(&BTreeSet<SymbolId>, &BTreeSet<SymbolId>)>) -> Vec<String> {
    let mut lines = vec![name.to_owned()];
    let Some((varied, useful)) = sets else { return lines };
    let own = program.unit(unit).scope;
    let seen = |s: &SymbolId| program.symbol(*s).scope != own || program.unit(unit).formals.iter().any(|f| f.symbol == *s);
    for (word, set) in [("varied", varied), ("useful", useful)] {
        let mut names: Vec<&str> = set.iter().filter(|s| seen(s)).map(|&s| program.symbol(s).name.as_str()).collect();
        names.sort_unstable();
        lines.push(format!("{word}: {}", if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }));
    }
    lines
}

fn box_of(program: &Program, unit: UnitId, v: VertexId, marks: Option<&(&Activity, Numbering)>) -> Node {
    let vertex = &program.unit(unit).graph[v];
    let line = notation::line(vertex.span, vertex.line);
    let text = |e: &xaif::model::Expr| notation::expression(program, e);
    let head = |own: String| notation::numbered(line, if vertex.text.is_empty() { &own } else { &vertex.text });
    let mut lines: Vec<u32> = vec![line];
    let mut node = match &vertex.kind {
        VertexKind::Entry => {
            let sets = marks.and_then(|(a, _)| a.unit(unit)).map(|a| (&a.entry_varied, &a.entry_useful));
            Node::new(end_of_unit(program, unit, "entry", sets), Shape::Round)
        }
        VertexKind::Exit => {
            let sets = marks.and_then(|(a, _)| a.unit(unit)).map(|a| (&a.exit_varied, &a.exit_useful));
            Node::new(end_of_unit(program, unit, "exit", sets), Shape::Round)
        }
        VertexKind::EndLoop => Node::new(["end of loop".to_owned()], Shape::Round),
        VertexKind::EndBranch => Node::new(["end of branch".to_owned()], Shape::Round),
        VertexKind::Goto => Node::new([head("goto".to_owned())], Shape::Plain),
        VertexKind::Label => Node::new([head("label".to_owned())], Shape::Plain),
        VertexKind::Branch(e) => Node::new([head(format!("if {}", text(e)))], Shape::Pointed),
        VertexKind::Pre(e) => Node::new([head(format!("while {}", text(e)))], Shape::Pointed),
        VertexKind::Post(e) => Node::new([head(format!("do ... while {}", text(e)))], Shape::Pointed),
        VertexKind::For(f) => {
            let statement = |s| notation::statement(program, s);
            let own = format!("for {}; {}; {}", statement(&f.init), text(&f.condition), statement(&f.update));
            Node::new([head(own)], Shape::Pointed)
        }
        VertexKind::Block { stmts, .. } => {
            let mut active = false;
            let mut shown = Vec::with_capacity(stmts.len());
            for (k, s) in stmts.iter().enumerate() {
                let line = notation::line(s.span, s.line);
                lines.push(line);
                let mark = marks.map(|(a, numbering)| a.step(unit, numbering.at(v, k))).map(|facts| match (facts.varied, facts.useful) {
                    (true, true) => {
                        active = true;
                        "* "
                    }
                    (true, false) => "v ",
                    (false, true) => "u ",
                    (false, false) => "  ",
                });
                shown.push(format!("{}{}", mark.unwrap_or_default(), notation::numbered(line, &notation::statement(program, s))));
            }
            if shown.is_empty() {
                shown.push("(empty)".to_owned());
            }
            Node::new(shown, if active { Shape::Heavy } else { Shape::Plain })
        }
    };
    if !vertex.label.is_empty() {
        node = node.tip(&format!("label {}", vertex.label));
    }
    lines.sort_unstable();
    lines.dedup();
    node.keys = lines.into_iter().filter(|&l| l > 0).map(|l| l.to_string()).collect();
    if !vertex.id.is_empty() {
        node.keys.push(format!("#{}", vertex.id));
    }
    node.tip(&notation::place(program, vertex.span))
}
