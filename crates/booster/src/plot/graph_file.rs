//! Linearized graphs as JSON, in the form in which `eliminate` reads them.
//!
//! Several graphs become one, side by side: elimination in one does not touch another. Lives here: this form. Never here: how graphs are built.

use super::graphs::Labelled;
use overbar_eliminate::cost::Class;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    name: &'a str,
    vertices: Vec<Vertex<'a>>,
    edges: Vec<Edge<'a>>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

#[derive(Serialize)]
struct Vertex<'a> {
    id: usize,
    /// What the vertex stands for; a comment to whoever eliminates.
    op: &'a str,
}

#[derive(Serialize)]
struct Edge<'a> {
    src: usize,
    dst: usize,
    kind: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    copy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// The partial derivative as text.
    factor: &'a str,
}

/// The text of the graphs; vertices are numbered as they are met.
pub fn text(title: &str, graphs: &[Labelled]) -> String {
    let mut out = Document { name: title, vertices: Vec::new(), edges: Vec::new(), inputs: Vec::new(), outputs: Vec::new() };
    for g in graphs {
        let first = out.vertices.len();
        let id = |v: u32| first + v as usize;
        out.vertices.extend(g.names.iter().enumerate().map(|(k, op)| Vertex { id: first + k, op }));
        for (e, factor) in g.graph.given.iter().zip(&g.factors) {
            let kind = match e.class {
                Class::Copy | Class::Unit => "unit",
                Class::Constant => "constant",
                Class::Variable => "variable",
            };
            out.edges.push(Edge { src: id(e.source), dst: id(e.target), kind, copy: e.class == Class::Copy, value: e.value, factor });
        }
        out.inputs.extend(g.graph.inputs.iter().map(|&v| id(v)));
        out.outputs.extend(g.graph.outputs.iter().map(|&v| id(v)));
    }
    let mut text = serde_json::to_string_pretty(&out).unwrap_or_default();
    text.push('\n');
    text
}
