//! Linearized graphs as drawings: before elimination, and what is left after it.

use super::drawing::{Drawing, Edge, MOST_COLUMNS, Node, Shape, Stroke};
use overbar_eliminate::code::{Base, Code, Term, Value};
use overbar_eliminate::cost::Class;
use overbar_eliminate::graph::{Graph, Role};

/// A linearized graph with the texts that are drawn with it.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// What it is the graph of.
    pub title: String,
    /// The graph.
    pub graph: Graph,
    /// For each vertex given its text.
    pub names: Vec<String>,
    /// For each vertex given the text shown when pointed at.
    pub tips: Vec<String>,
    /// For each vertex given the names by which the user may mean it.
    pub keys: Vec<Vec<String>>,
    /// For each edge given its factor, as text.
    pub factors: Vec<String>,
}

/// The arrow of a class.
pub fn stroke(class: Class) -> Stroke {
    match class {
        Class::Copy | Class::Unit => Stroke::Dotted,
        Class::Constant => Stroke::Dashed,
        Class::Variable => Stroke::Heavy,
    }
}

/// An empty drawing of linearized graphs, with its legend.
pub fn sheet(title: String) -> Drawing {
    Drawing {
        title,
        shapes: vec![(Shape::Round, "input"), (Shape::Plain, "intermediate"), (Shape::Double, "output")],
        strokes: vec![(Stroke::Dotted, "factor 1 or -1"), (Stroke::Dashed, "constant factor"), (Stroke::Heavy, "variable factor")],
        ..Drawing::default()
    }
}

/// Adds the boxes of a graph; `wanted` says which vertices are left. Returns where each of them is.
fn boxes(drawing: &mut Drawing, labelled: &Labelled, wanted: &[bool]) -> Vec<usize> {
    let mut place = vec![usize::MAX; wanted.len()];
    for (k, v) in labelled.graph.vertices.iter().enumerate().filter(|(k, _)| wanted[*k]) {
        let origin = v.origin as usize;
        let shape = match v.role {
            Role::Input => Shape::Round,
            Role::Intermediate => Shape::Plain,
            Role::Output => Shape::Double,
        };
        let text = |list: &[String]| list.get(origin).cloned().unwrap_or_default();
        let mut node = Node::new([text(&labelled.names)], shape).tip(&text(&labelled.tips));
        node.keys = labelled.keys.get(origin).cloned().unwrap_or_default();
        place[k] = drawing.nodes.len();
        drawing.nodes.push(node);
    }
    place
}

/// Adds the graph as it is.
pub fn before(drawing: &mut Drawing, labelled: &Labelled) {
    let place = boxes(drawing, labelled, &vec![true; labelled.graph.vertices.len()]);
    for e in &labelled.graph.edges {
        let parts: Vec<&str> = e.parts.iter().filter_map(|&k| labelled.factors.get(k as usize)).map(String::as_str).collect();
        let factor = if parts.is_empty() { "1".to_owned() } else { parts.join(" + ") };
        add(drawing, (place[e.source as usize], place[e.target as usize]), &factor, "", e.class);
    }
}

/// Adds what is left when the code has been executed.
pub fn after(drawing: &mut Drawing, labelled: &Labelled, code: &Code) {
    let mut wanted: Vec<bool> = labelled.graph.vertices.iter().map(|v| v.role != Role::Intermediate).collect();
    for r in &code.remaining {
        for v in [r.source, r.target] {
            if let Some(w) = wanted.get_mut(v as usize) {
                *w = true;
            }
        }
    }
    let place = boxes(drawing, labelled, &wanted);
    // A result that is short is written out where it is used, a long one has a name and its own line in the tooltip.
    let mut texts: Vec<(String, bool)> = Vec::with_capacity(code.operations.len());
    let mut lines: Vec<Vec<u32>> = Vec::with_capacity(code.operations.len());
    let mut spelled: Vec<String> = Vec::with_capacity(code.operations.len());
    for (k, operation) in code.operations.iter().enumerate() {
        let mut text = String::new();
        let mut used = Vec::new();
        for term in &operation.terms {
            let t = product(term, labelled, &texts);
            match (text.is_empty(), t.strip_prefix('-')) {
                (true, _) => text.push_str(&t),
                (false, Some(rest)) => text.push_str(&format!(" - {rest}")),
                (false, None) => text.push_str(&format!(" + {t}")),
            }
            for value in [Some(term.left), term.right].into_iter().flatten() {
                if let Base::Result(r) = value.base {
                    used.extend(lines.get(r as usize).into_iter().flatten().copied());
                }
            }
        }
        spelled.push(format!("t{} = {text}", k + 1));
        used.sort_unstable();
        used.dedup();
        if text.chars().count() > MOST_COLUMNS {
            used.push(k as u32);
            texts.push((format!("t{}", k + 1), false));
        } else {
            texts.push((text, operation.terms.len() > 1));
        }
        lines.push(used);
    }
    for r in &code.remaining {
        let factor = one(r.value, labelled, &texts, false);
        let tip: Vec<&str> = match r.value.base {
            Base::Result(k) => {
                lines.get(k as usize).into_iter().flatten().filter_map(|&l| spelled.get(l as usize)).map(String::as_str).collect()
            }
            _ => Vec::new(),
        };
        if let (Some(&s), Some(&t)) = (place.get(r.source as usize), place.get(r.target as usize)) {
            add(drawing, (s, t), &factor, &tip.join("\n"), r.class);
        }
    }
}

fn add(drawing: &mut Drawing, (source, target): (usize, usize), factor: &str, more: &str, class: Class) {
    let class_name = match class {
        Class::Copy => "copy",
        Class::Unit => "unit",
        Class::Constant => "constant",
        Class::Variable => "variable",
    };
    let factor = if factor.is_empty() { class_name } else { factor };
    let label = if class == Class::Copy { String::new() } else { crate::notation::cut(factor, MOST_COLUMNS) };
    let mut tip = format!("{factor} ({class_name})");
    if !more.is_empty() {
        tip.push('\n');
        tip.push_str(more);
    }
    drawing.edges.push(Edge { source, target, label, tip, stroke: stroke(class) });
}

fn is_simple(text: &str) -> bool {
    !text.contains([' ', '/']) && !text.starts_with('-')
}

fn one(value: Value, labelled: &Labelled, texts: &[(String, bool)], factor: bool) -> String {
    let (text, closed) = match value.base {
        Base::One => ("1".to_owned(), true),
        Base::Given(k) => {
            let text = labelled.factors.get(k as usize).cloned().unwrap_or_default();
            let text = if text.is_empty() { format!("c{k}") } else { text };
            let simple = is_simple(&text);
            (text, simple)
        }
        Base::Result(k) => {
            texts.get(k as usize).map_or_else(|| (format!("t{}", k + 1), true), |(t, sum)| (t.clone(), !sum && !t.contains('/')))
        }
    };
    let text = if (factor || value.negative) && !closed { format!("({text})") } else { text };
    if value.negative { format!("-{text}") } else { text }
}

fn product(term: &Term, labelled: &Labelled, texts: &[(String, bool)]) -> String {
    match term.right {
        None => one(term.left, labelled, texts, false),
        Some(right) => format!("{}*{}", one(term.left, labelled, texts, true), one(right, labelled, texts, true)),
    }
}
