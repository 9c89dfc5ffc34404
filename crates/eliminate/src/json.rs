//! Graphs from JSON text: `vertices` with `id`, `edges` with `src`, `dst`, `kind`, and perhaps `copy` and `value`, `inputs`, `outputs`.
//! Unknown members are comments.

use super::cost::Class;
use super::graph::{Graph, GraphError, RawEdge};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use xaif::Diagnostic;
use xaif::diagnostic::Location;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    name: Option<String>,
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

#[derive(Deserialize)]
struct Vertex {
    id: u64,
}

#[derive(Deserialize)]
struct Edge {
    src: u64,
    dst: u64,
    kind: Kind,
    #[serde(default)]
    copy: bool,
    #[serde(default)]
    value: Option<f64>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Unit,
    Constant,
    Variable,
}

/// The text of each element of the lists, to find places.
#[derive(Deserialize)]
struct Places<'a> {
    #[serde(borrow)]
    vertices: Vec<&'a RawValue>,
    #[serde(borrow)]
    edges: Vec<&'a RawValue>,
    #[serde(borrow)]
    inputs: Vec<&'a RawValue>,
    #[serde(borrow)]
    outputs: Vec<&'a RawValue>,
}

enum List {
    Vertices,
    Edges,
    Inputs,
    Outputs,
}

/// A graph as a file gives it.
#[derive(Clone, Debug)]
pub struct Named {
    /// The graph.
    pub graph: Graph,
    /// What the file calls the graph.
    pub name: Option<String>,
    /// What the file calls each vertex.
    pub ids: Vec<u64>,
}

/// More inputs or outputs than this make Jacobians that no program can use.
pub const MOST_ENDS: usize = 200_000;
/// More vertices or edges than this do not fit into the memory that elimination may take.
pub const MOST_EDGES: usize = 50_000_000;

/// Reads a graph. `file` is the name that diagnostics call it by.
pub fn read(file: &str, text: &str) -> Result<Named, Diagnostic> {
    let document: Document = serde_json::from_str(text).map_err(|e| malformed(file, text, &e))?;
    Reader { file, text, document: &document }.read().map(|(graph, ids)| Named { graph, name: document.name.clone(), ids })
}

/// A document on its way to a graph.
struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    document: &'a Document,
}

impl Reader<'_> {
    fn whole(&self, code: &'static str, message: String) -> Diagnostic {
        Diagnostic::error(code, message).at(Some(location(self.file, self.text, 0, self.text.len().min(1))))
    }

    fn blame(&self, code: &'static str, message: String, list: List, k: usize) -> Diagnostic {
        Diagnostic::error(code, message).at(place(self.file, self.text, &list, k))
    }

    /// The graph, and the ids of its vertices.
    fn read(&self) -> Result<(Graph, Vec<u64>), Diagnostic> {
        self.bounded()?;
        let (ids, number) = self.vertices()?;
        let given = self.edges(&number)?;
        let inputs = self.ends(&self.document.inputs, || List::Inputs, "input", &number)?;
        let outputs = self.ends(&self.document.outputs, || List::Outputs, "output", &number)?;
        let graph = Graph::new(ids.len() as u32, given, inputs, outputs).map_err(|e| self.no_graph(e))?;
        Ok((graph, ids))
    }

    /// Refuses what is too large to be worked with.
    fn bounded(&self) -> Result<(), Diagnostic> {
        for (what, count) in [("inputs", self.document.inputs.len()), ("outputs", self.document.outputs.len())] {
            if count > MOST_ENDS {
                return Err(self
                    .whole("OB7008", format!("the graph has {count} {what}, more than {MOST_ENDS}"))
                    .because("a Jacobian of that size cannot be accumulated")
                    .help(format!("split the graph, or name as {what} only what is wanted")));
            }
        }
        if self.document.vertices.len().max(self.document.edges.len()) > MOST_EDGES {
            return Err(self.whole("OB7008", format!("the graph has more than {MOST_EDGES} vertices or edges")).help("split the graph"));
        }
        Ok(())
    }

    /// The ids in their order, and the numbers that they get.
    fn vertices(&self) -> Result<(Vec<u64>, FxHashMap<u64, u32>), Diagnostic> {
        let mut number: FxHashMap<u64, u32> = FxHashMap::default();
        let mut ids = Vec::with_capacity(self.document.vertices.len());
        for (k, v) in self.document.vertices.iter().enumerate() {
            if number.insert(v.id, k as u32).is_some() {
                let d = self.blame("OB7002", format!("vertex {} is there twice", v.id), List::Vertices, k);
                return Err(d.help("give every vertex an id of its own"));
            }
            ids.push(v.id);
        }
        Ok((ids, number))
    }

    fn edges(&self, number: &FxHashMap<u64, u32>) -> Result<Vec<RawEdge>, Diagnostic> {
        let mut given = Vec::with_capacity(self.document.edges.len());
        for (k, e) in self.document.edges.iter().enumerate() {
            let end = |id: u64| {
                let missing = || format!("the edge from {} to {} ends in vertex {id}, which is not there", e.src, e.dst);
                let found = number.get(&id).copied();
                found.ok_or_else(|| self.blame("OB7003", missing(), List::Edges, k).help("list that vertex, or drop the edge"))
            };
            let class = match (e.copy, e.kind) {
                (true, Kind::Unit) => Class::Copy,
                (true, _) => {
                    let message = format!("the edge from {} to {} is a copy, but its kind is not unit", e.src, e.dst);
                    return Err(self.blame("OB7007", message, List::Edges, k).help("a copy has the factor one: kind unit"));
                }
                (false, Kind::Unit) => Class::Unit,
                (false, Kind::Constant) => Class::Constant,
                (false, Kind::Variable) => Class::Variable,
            };
            given.push(RawEdge { source: end(e.src)?, target: end(e.dst)?, class, value: e.value });
        }
        Ok(given)
    }

    /// The numbers of inputs or outputs.
    fn ends(&self, list: &[u64], which: fn() -> List, what: &str, number: &FxHashMap<u64, u32>) -> Result<Vec<u32>, Diagnostic> {
        let mut seen = vec![false; number.len()];
        let mut found = Vec::with_capacity(list.len());
        for (k, id) in list.iter().enumerate() {
            let Some(&v) = number.get(id) else {
                return Err(self.blame("OB7003", format!("{what} {id} is not a vertex"), which(), k).help("list it among the vertices"));
            };
            if std::mem::replace(&mut seen[v as usize], true) {
                return Err(self.blame("OB7009", format!("{what} {id} is named twice"), which(), k).help("name it once"));
            }
            found.push(v);
        }
        Ok(found)
    }

    /// Why vertices and edges are no graph, and what helps.
    fn no_graph(&self, e: GraphError) -> Diagnostic {
        let blame = |code, message, k: u32| self.blame(code, message, List::Edges, k as usize);
        let named = |e: &Edge| format!("the edge from {} to {}", e.src, e.dst);
        let edge = |k: u32| self.document.edges.get(k as usize).map_or_else(String::new, named);
        match e {
            GraphError::Dangling(k) => blame("OB7003", format!("{} has an end that is not there", edge(k)), k),
            GraphError::Cycle(k) => blame("OB7004", format!("{} lies on a cycle", edge(k)), k)
                .because("no value can depend on itself")
                .help("number the values of each iteration anew"),
            GraphError::InputRead(k) => blame("OB7005", format!("{} ends in an input", edge(k)), k)
                .because("an input has no predecessors")
                .help("drop the edge, or take the vertex off the inputs"),
            GraphError::NotFinite(k) => blame("OB7006", format!("the value of {} is not a finite number", edge(k)), k),
            GraphError::NotUnit(k) => blame("OB7007", format!("{} is of kind unit, but its value is not what that says", edge(k)), k)
                .help("a unit factor is 1 or -1, that of a copy 1"),
            GraphError::TooLarge => {
                self.whole("OB7008", "the graph has more vertices than can be numbered".to_owned()).help("split the graph")
            }
        }
    }
}

fn malformed(file: &str, text: &str, e: &serde_json::Error) -> Diagnostic {
    let start = offset(text, e.line(), e.column());
    let message = e.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let rest = text[start..].trim_start_matches(['-', '+']);
    let numberlike = ["NaN", "nan", "Infinity", "Inf", "inf"].iter().any(|w| rest.starts_with(w) || text[..start].ends_with(w));
    if numberlike || message == "number out of range" {
        return Diagnostic::error("OB7006", "a value is not a finite number")
            .at(location(file, text, start, start + 1))
            .help("leave out the value of an edge where it is not known");
    }
    Diagnostic::error("OB7001", format!("this is not a graph in JSON: {message}"))
        .at(location(file, text, start, start + 1))
        .help("see `overbar help eliminate` for the form")
}

/// The byte at a line and column as the JSON reader counts them (columns in bytes), on a character boundary.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn place(file: &str, text: &str, list: &List, k: usize) -> Option<Location> {
    let places: Places = serde_json::from_str(text).ok()?;
    let elements = match list {
        List::Vertices => &places.vertices,
        List::Edges => &places.edges,
        List::Inputs => &places.inputs,
        List::Outputs => &places.outputs,
    };
    let element = elements.get(k)?.get();
    let start = (element.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    Some(location(file, text, start, start + element.len()))
}

fn location(file: &str, text: &str, start: usize, end: usize) -> Location {
    let position = |at: usize| {
        let before = text.get(..at.min(text.len())).unwrap_or_default();
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
        (line, column)
    };
    let ((line, column), (end_line, end_column)) = (position(start), position(end));
    Location { file: file.to_owned(), line, column, end_line, end_column }
}
