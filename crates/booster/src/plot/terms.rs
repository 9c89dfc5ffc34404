//! Term graphs of the right-hand sides of a unit's assignments as a drawing.

use super::drawing::{Drawing, Edge, Node, Shape, Stroke};
use crate::notation;
use xaif::Program;
use xaif::model::{Expr, NodeKind, Stmt, StmtKind, UnitId, VarRef, VertexId};

/// An assignment, and where it stands.
pub struct Assignment<'a> {
    /// The vertex.
    pub vertex: VertexId,
    /// The statement.
    pub stmt: &'a Stmt,
    /// Its left-hand side.
    pub lhs: &'a VarRef,
    /// Its right-hand side.
    pub rhs: &'a Expr,
    /// Its line, 0 where that is not known.
    pub line: u32,
}

/// The assignments of a unit, in the order of its graph; those that begin within the lines, if some are given.
pub fn assignments(program: &Program, unit: UnitId, lines: Option<(u32, u32)>) -> Vec<Assignment<'_>> {
    let graph = &program.unit(unit).graph;
    let mut found = Vec::new();
    for vertex in graph.node_indices() {
        for stmt in graph[vertex].stmts() {
            let line = notation::line(stmt.span, stmt.line);
            if let StmtKind::Assignment { lhs, rhs } = &stmt.kind
                && lines.is_none_or(|(from, to)| (from..=to).contains(&line))
                && !rhs.nodes.is_empty()
            {
                found.push(Assignment { vertex, stmt, lhs, rhs, line });
            }
        }
    }
    found
}

/// The expressions as they stand in the program: operands above, results below.
pub fn terms(program: &Program, unit: UnitId, list: &[Assignment]) -> Drawing {
    let mut drawing = Drawing {
        title: format!("expressions of {}", program.unit_name(unit)),
        shapes: vec![(Shape::Round, "variable or constant"), (Shape::Plain, "operation"), (Shape::Double, "result (line: statement)")],
        strokes: vec![(Stroke::Solid, "is an operand (its position, where there are several)")],
        ..Drawing::default()
    };
    for a in list {
        let base = drawing.nodes.len();
        let text = notation::statement(program, a.stmt);
        let place = notation::place(program, a.stmt.span);
        for (k, n) in a.rhs.nodes.iter().enumerate() {
            let leaf = matches!(n.kind, NodeKind::Var(_) | NodeKind::Const(_));
            let shape = if leaf { Shape::Round } else { Shape::Plain };
            let whole = notation::expression(program, &a.rhs.subexpr(xaif::model::NodeId(k as u32)));
            let mut node = Node::new([notation::node(program, &n.kind)], shape);
            node.tip = whole;
            if let NodeKind::Op(op) = &n.kind {
                node = node.tip(&op.name);
            }
            drawing.nodes.push(node.tip(&place));
            for (position, o) in n.operands.iter().enumerate() {
                let label = if n.operands.len() > 1 { (position + 1).to_string() } else { String::new() };
                let (source, target) = (base + o.index(), base + k);
                drawing.edges.push(Edge { source, target, label, tip: String::new(), stroke: Stroke::Solid });
            }
        }
        let root = drawing.nodes.len() - 1;
        let result =
            Node::new([notation::numbered(a.line, &text)], Shape::Double).tip(&place).known_as(notation::reference(program, a.lhs));
        drawing.nodes.push(result.known_as(a.line.to_string()));
        drawing.edges.push(Edge { source: root, target: root + 1, ..Edge::default() });
    }
    drawing
}
