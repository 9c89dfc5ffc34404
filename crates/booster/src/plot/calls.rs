//! The call graph as a drawing.

use super::drawing::{Drawing, Edge, Node, Shape, Stroke};
use crate::notation;
use std::collections::BTreeMap;
use xaif::Program;
use xaif::model::{Intent, StmtKind, SymbolId, UnitKind};

/// Who calls whom: units of the program, and procedures that are known by name only.
pub fn calls(program: &Program) -> Drawing {
    let mut nodes = Vec::new();
    let mut at: BTreeMap<SymbolId, usize> = BTreeMap::new();
    let units: Vec<_> = program.unit_ids().filter(|&u| !program.unit(u).is_container()).collect();
    for &u in &units {
        let unit = program.unit(u);
        let name = program.unit_name(u);
        let arguments: Vec<&str> = unit.formals.iter().filter(|f| !f.result).map(|f| program.symbol(f.symbol).name.as_str()).collect();
        let line = notation::line(unit.span, 0);
        let head = notation::numbered(line, &format!("{name}({})", arguments.join(", ")));
        let shape = match unit.kind {
            UnitKind::Main => Shape::Double,
            UnitKind::Function => Shape::Round,
            UnitKind::Subroutine | UnitKind::Container => Shape::Plain,
        };
        let directions: Vec<String> = unit
            .formals
            .iter()
            .map(|f| {
                let intent = match f.intent {
                    _ if f.result => "result",
                    Intent::In => "in",
                    Intent::Out => "out",
                    Intent::Inout => "in/out",
                };
                format!("{} ({intent})", program.symbol(f.symbol).name)
            })
            .collect();
        at.insert(unit.symbol, nodes.len());
        nodes.push(Node::new([head], shape).tip(&notation::place(program, unit.span)).tip(&directions.join(", ")).known_as(name));
    }
    // All calls of one unit by another are one arrow.
    let mut arrows: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for &u in &units {
        let Some(&from) = at.get(&program.unit(u).symbol) else { continue };
        for s in program.unit(u).graph.node_weights().flat_map(xaif::model::Vertex::stmts) {
            let StmtKind::Call(call) = &s.kind else { continue };
            let to = *at.entry(call.callee).or_insert_with(|| {
                let name = program.symbol(call.callee).name.to_string();
                nodes.push(Node::new([name.clone()], Shape::Dashed).tip("not in this program").known_as(name));
                nodes.len() - 1
            });
            let line = notation::line(s.span, s.line);
            arrows.entry((from, to)).or_default().push(notation::numbered(line, &notation::statement(program, s)));
        }
    }
    for e in &program.calls {
        let ends = (at.get(&program.unit(e.caller).symbol), at.get(&program.unit(e.callee).symbol));
        if let (Some(&from), Some(&to)) = ends {
            arrows.entry((from, to)).or_default();
        }
    }
    let edges = arrows
        .into_iter()
        .map(|((source, target), places)| Edge {
            source,
            target,
            label: if places.len() > 1 { format!("{} calls", places.len()) } else { String::new() },
            tip: places.join("\n"),
            stroke: Stroke::Solid,
        })
        .collect();
    Drawing {
        title: "call graph".to_owned(),
        nodes,
        edges,
        shapes: vec![
            (Shape::Plain, "subroutine (line: name)"),
            (Shape::Round, "function"),
            (Shape::Double, "main program"),
            (Shape::Dashed, "not in this program"),
        ],
        strokes: vec![(Stroke::Solid, "calls")],
    }
}
