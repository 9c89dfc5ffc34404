//! What is drawn: boxes with text, and arrows between them. Never here: coordinates, programs.

use std::collections::VecDeque;

/// More boxes than this are not readable.
pub const MOST_BOXES: usize = 300;
/// More arrows than this are not readable.
pub const MOST_ARROWS: usize = 1500;
/// Characters of a line before it is cut; the tooltip has all of it.
pub const MOST_COLUMNS: usize = 56;
/// Lines of a box before it is cut.
pub const MOST_LINES: usize = 14;

/// The outline of a box. Outlines differ in form as well as in colour, so that a print without colours says the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// A rectangle.
    #[default]
    Plain,
    /// Rounded ends: where something comes in.
    Round,
    /// Pointed sides: a decision.
    Pointed,
    /// A double line: where something goes out.
    Double,
    /// A heavy outline.
    Heavy,
    /// A dashed outline: known by name only.
    Dashed,
}

/// How an arrow is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stroke {
    /// Solid.
    #[default]
    Solid,
    /// Dashed.
    Dashed,
    /// Dotted.
    Dotted,
    /// Heavy.
    Heavy,
}

/// A box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The text, line by line, as it is drawn.
    pub lines: Vec<String>,
    /// The text shown on top of it when pointed at: places and what was cut.
    pub tip: String,
    /// Names by which the user may mean it.
    pub keys: Vec<String>,
    /// Its outline.
    pub shape: Shape,
}

/// An arrow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// The box where it starts.
    pub source: usize,
    /// The box where it ends.
    pub target: usize,
    /// The text beside it; may be empty.
    pub label: String,
    /// The text when pointed at; may be empty.
    pub tip: String,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// What it shows.
    pub title: String,
    /// The boxes.
    pub nodes: Vec<Node>,
    /// The arrows; their ends are indices of boxes.
    pub edges: Vec<Edge>,
    /// What outlines mean.
    pub shapes: Vec<(Shape, &'static str)>,
    /// What arrows mean.
    pub strokes: Vec<(Stroke, &'static str)>,
}

impl Node {
    /// A box with these lines, cut where they are long.
    pub fn new(lines: impl IntoIterator<Item = String>, shape: Shape) -> Node {
        let all: Vec<String> = lines.into_iter().collect();
        let tip = all.join("\n");
        let mut lines: Vec<String> = all.iter().take(MOST_LINES).map(|l| crate::notation::cut(l, MOST_COLUMNS)).collect();
        if all.len() > MOST_LINES {
            lines.pop();
            lines.push(format!("... {} more lines", all.len() - lines.len()));
        }
        Node { lines, tip, keys: Vec::new(), shape }
    }

    /// The same, known by a name.
    pub fn known_as(mut self, key: impl Into<String>) -> Node {
        self.keys.push(key.into());
        self
    }

    /// The same with a line more in the tooltip.
    pub fn tip(mut self, line: &str) -> Node {
        if !line.is_empty() {
            if !self.tip.is_empty() {
                self.tip.push('\n');
            }
            self.tip.push_str(line);
        }
        self
    }
}

impl Drawing {
    /// The boxes within that many arrows of those that the user means by a name; `None` where there is no such box.
    pub fn around(&self, name: &str, depth: usize) -> Option<Drawing> {
        let mut distance = vec![usize::MAX; self.nodes.len()];
        let mut queue = VecDeque::new();
        for (k, node) in self.nodes.iter().enumerate() {
            if node.keys.iter().any(|key| key.eq_ignore_ascii_case(name)) {
                distance[k] = 0;
                queue.push_back(k);
            }
        }
        if queue.is_empty() {
            return None;
        }
        let mut neighbours = vec![Vec::new(); self.nodes.len()];
        for e in &self.edges {
            neighbours[e.source].push(e.target);
            neighbours[e.target].push(e.source);
        }
        while let Some(k) = queue.pop_front() {
            if distance[k] < depth {
                for &n in &neighbours[k] {
                    if distance[n] == usize::MAX {
                        distance[n] = distance[k] + 1;
                        queue.push_back(n);
                    }
                }
            }
        }
        let mut drawing = self.only(&distance.iter().map(|&d| d < usize::MAX).collect::<Vec<_>>());
        drawing.title = format!("{} (around {name})", self.title);
        Some(drawing)
    }

    /// The boxes that are wanted, and the arrows between them.
    fn only(&self, wanted: &[bool]) -> Drawing {
        let mut place = vec![usize::MAX; self.nodes.len()];
        let mut nodes = Vec::new();
        for (k, node) in self.nodes.iter().enumerate().filter(|(k, _)| wanted[*k]) {
            place[k] = nodes.len();
            nodes.push(node.clone());
        }
        let kept = |e: &&Edge| wanted[e.source] && wanted[e.target];
        let edges =
            self.edges.iter().filter(kept).map(|e| Edge { source: place[e.source], target: place[e.target], ..e.clone() }).collect();
        Drawing { nodes, edges, ..self.clone() }
    }

    /// Whether it can be read.
    pub fn is_readable(&self) -> bool {
        self.nodes.len() <= MOST_BOXES && self.edges.len() <= MOST_ARROWS
    }
}
