//! The intrinsics, with their partial derivatives, as data.
//!
//! Lives here: what an intrinsic is and how the catalogue file is read. Never here: names in C or Fortran, code.

use crate::model::expr::{BoolOp, Constant};
use crate::model::types::{BaseType, ElemType};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::sync::OnceLock;

/// How a partial derivative enters a linearization. The class wins over the expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialKind {
    /// No dependence that counts: zero almost everywhere.
    Passive,
    /// Always 1.
    One,
    /// Always -1.
    MinusOne,
    /// A literal constant.
    Linear,
    /// To be evaluated.
    Nonlinear,
    /// Exists, but cannot be written down: whoever needs it must refuse.
    Unsupported,
}

/// A vertex of a partial derivative's term graph.
#[derive(Clone, Debug, PartialEq)]
pub enum PartialNode {
    /// The intrinsic's argument, from 1.
    Argument(u32),
    /// The intrinsic's own result.
    Result,
    /// A constant. A whole-numbered real constant takes the type of what it is combined with: `b - 1.0` is an integer where b is one.
    Const(Constant),
    /// An intrinsic of the catalogue over earlier nodes.
    Op(SmolStr, SmallVec<[u32; 3]>),
    /// A relation or connective over earlier nodes.
    Bool(BoolOp, SmallVec<[u32; 3]>),
}

/// The derivative of an intrinsic with respect to one argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// How it enters.
    pub kind: PartialKind,
    /// Term graph: operands before operators, root last; empty for [`PartialKind::Passive`].
    pub nodes: Vec<PartialNode>,
    /// The argument is not read for its value (`size`).
    pub inquiry: bool,
}

/// Type of an intrinsic's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// Follows the operands (arithmetic promotion).
    Promoted,
    /// Real, of the operands' width (double where they are integers).
    Real,
    /// Integer.
    Integer,
    /// Truth value.
    Bool,
    /// Text.
    String,
    /// Complex.
    Complex,
}

/// Shape of an intrinsic's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultShape {
    /// Elementwise.
    Elementwise,
    /// A scalar whatever the operands' rank (`sum`, `size`).
    Scalar,
    /// Depends on the operands (`matmul`, `transpose`, `shape`).
    Special,
}

/// An intrinsic.
#[derive(Clone, Debug, PartialEq)]
pub struct Intrinsic {
    /// Name in XAIF.
    pub name: SmolStr,
    /// Name in mathematics, with arguments a, b, c: `atan2(a, b)`.
    pub formula: String,
    /// Number of operands.
    pub arity: u32,
    /// Type of the result.
    pub result: ResultType,
    /// Shape of the result.
    pub shape: ResultShape,
    /// Not differentiable somewhere inside its domain.
    pub non_smooth: bool,
    /// One for each operand.
    pub partials: Vec<Partial>,
    /// Where it is not differentiable and what is returned there; the domain outside of which results mean nothing.
    pub ties: String,
    /// Part of the stock catalogue.
    pub stock: bool,
}

/// The intrinsics by name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    entries: Vec<Intrinsic>,
    by_name: FxHashMap<SmolStr, usize>,
}

/// What is wrong with a catalogue file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("intrinsic catalogue: {0}")]
pub struct CatalogueError(pub String);

impl Catalogue {
    /// The catalogue that is built in (`data/intrinsics.xml`).
    ///
    /// # Panics
    /// If the file that was compiled in is malformed, which a test excludes.
    pub fn builtin() -> &'static Catalogue {
        static BUILTIN: OnceLock<Catalogue> = OnceLock::new();
        BUILTIN.get_or_init(|| Catalogue::parse(BUILTIN_XML).expect("the built-in catalogue is well-formed"))
    }

    /// Reads a catalogue.
    ///
    /// # Errors
    /// Ill-formed XML, missing or unknown attributes, partials that are no term graph.
    pub fn parse(xml: &str) -> Result<Catalogue, CatalogueError> {
        let document = roxmltree::Document::parse(xml).map_err(|e| CatalogueError(e.to_string()))?;
        let mut catalogue = Catalogue::default();
        for item in document.root_element().children().filter(|n| n.has_tag_name((II, "InlinableIntrinsic"))) {
            let entry = intrinsic(item).map_err(|m| {
                let at = document.text_pos_at(item.range().start);
                CatalogueError(format!("line {}: {m}", at.row))
            })?;
            catalogue.by_name.insert(entry.name.clone(), catalogue.entries.len());
            catalogue.entries.push(entry);
        }
        Ok(catalogue)
    }

    /// The built-in catalogue with the intrinsics that a file defines besides. What is built in keeps its definition.
    ///
    /// # Errors
    /// As of [`Catalogue::parse`]; partials of operations that nobody defines, or of arguments that there are not.
    pub fn extended(xml: &str) -> Result<Catalogue, CatalogueError> {
        let own = Catalogue::parse(xml)?;
        let builtin = Catalogue::builtin();
        let new: Vec<&Intrinsic> = own.iter().filter(|i| builtin.get(&i.name).is_none()).collect();
        for i in &new {
            for n in i.partials.iter().flat_map(|p| &p.nodes) {
                let wrong = match n {
                    PartialNode::Op(name, operands) => match builtin.get(name).or_else(|| own.get(name)) {
                        None => Some(format!("{name} is not defined")),
                        Some(used) if used.arity as usize != operands.len() => Some(format!("{name} has {} operands", operands.len())),
                        Some(_) => None,
                    },
                    PartialNode::Argument(k) if *k > i.arity => Some(format!("there is no argument {k}")),
                    _ => None,
                };
                if let Some(wrong) = wrong {
                    return Err(CatalogueError(format!("{}: {wrong}", i.name)));
                }
            }
        }
        Ok(new.into_iter().cloned().fold(builtin.clone(), Catalogue::with))
    }

    /// The intrinsic of that name.
    pub fn get(&self, name: &str) -> Option<&Intrinsic> {
        self.by_name.get(name).map(|&i| &self.entries[i])
    }

    /// The same catalogue with one intrinsic replaced, to try another partial derivative.
    pub fn with(mut self, entry: Intrinsic) -> Catalogue {
        match self.by_name.get(&entry.name) {
            Some(&i) => self.entries[i] = entry,
            None => {
                self.by_name.insert(entry.name.clone(), self.entries.len());
                self.entries.push(entry);
            }
        }
        self
    }

    /// All of them, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Intrinsic> {
        self.entries.iter()
    }
}

/// The built-in catalogue as it is written.
pub const BUILTIN_XML: &str = include_str!("../data/intrinsics.xml");

const II: &str = "http://www.mcs.anl.gov/XAIFInlinableIntrinsics";
const XAIF: &str = "http://www.mcs.anl.gov/XAIF";
const OB: &str = "urn:overbar:xaif:1";

fn required<'a>(n: roxmltree::Node<'a, '_>, name: &str) -> Result<&'a str, String> {
    n.attribute(name).ok_or_else(|| format!("{} has no attribute {name}", n.tag_name().name()))
}

fn number(n: roxmltree::Node, name: &str) -> Result<u32, String> {
    required(n, name)?.parse().map_err(|_| format!("attribute {name} is no number"))
}

fn intrinsic(n: roxmltree::Node) -> Result<Intrinsic, String> {
    let name = SmolStr::from(required(n, "name")?);
    let arity = number(n, "nr_arguments")?;
    let returns = n.attribute("return_type").unwrap_or("real");
    let result = match n.attribute((OB, "result")).unwrap_or(returns) {
        "promoted" => ResultType::Promoted,
        "real" => ResultType::Real,
        "integer" => ResultType::Integer,
        "bool" => ResultType::Bool,
        "string" => ResultType::String,
        "complex" => ResultType::Complex,
        other => return Err(format!("{name}: unknown result type {other}")),
    };
    let shape = match n.attribute("shapeChange").unwrap_or("no_change") {
        "no_change" => ResultShape::Elementwise,
        "scalar" => ResultShape::Scalar,
        "rank" => ResultShape::Special,
        other => return Err(format!("{name}: unknown shape change {other}")),
    };
    let mut partials = Vec::new();
    for p in n.children().filter(|c| c.has_tag_name((II, "Partial"))) {
        if number(p, "partial_id")? as usize != partials.len() + 1 {
            return Err(format!("{name}: partials are not numbered 1..{arity}"));
        }
        partials.push(partial(p).map_err(|m| format!("{name}: {m}"))?);
    }
    if partials.len() != arity as usize {
        return Err(format!("{name}: {} partials for {arity} arguments", partials.len()));
    }
    let flag = |v: Option<&str>| matches!(v, Some("true" | "1"));
    Ok(Intrinsic {
        formula: n.attribute((OB, "formula")).unwrap_or_default().into(),
        arity,
        result,
        shape,
        non_smooth: flag(n.attribute("nonSmooth")),
        partials,
        ties: n.attribute((OB, "ties")).unwrap_or_default().into(),
        stock: flag(n.attribute((OB, "stock"))),
        name,
    })
}

fn partial(n: roxmltree::Node) -> Result<Partial, String> {
    let inquiry = matches!(n.attribute("nonValueInquiry"), Some("true" | "1"));
    if matches!(n.attribute((OB, "unsupported")), Some("true" | "1")) {
        return Ok(Partial { kind: PartialKind::Unsupported, nodes: Vec::new(), inquiry });
    }
    let constant = |v: &'static str| {
        PartialNode::Const(Constant {
            ty: ElemType { base: BaseType::Real, bits: 0 },
            fe_type: SmolStr::default(),
            value: SmolStr::new_static(v),
            spelling: SmolStr::default(),
        })
    };
    let (kind, nodes) = match n.attribute("partial_type").unwrap_or("nonlinear") {
        "passive" => (PartialKind::Passive, Vec::new()),
        "linear_one" => (PartialKind::One, vec![constant("1.0")]),
        "linear_minus_one" => (PartialKind::MinusOne, vec![constant("-1.0")]),
        "linear" => (PartialKind::Linear, term_graph(n)?),
        "nonlinear" => (PartialKind::Nonlinear, term_graph(n)?),
        other => return Err(format!("unknown partial type {other}")),
    };
    Ok(Partial { kind, nodes, inquiry })
}

/// The expression below a Partial, operands first.
fn term_graph(n: roxmltree::Node) -> Result<Vec<PartialNode>, String> {
    let mut vertices: Vec<(&str, PartialNode)> = Vec::new();
    let mut edges: Vec<(&str, &str, u32)> = Vec::new();
    for c in n.children().filter(roxmltree::Node::is_element) {
        let node = match (c.tag_name().namespace(), c.tag_name().name()) {
            (Some(II), "ArgumentReference") => match number(c, "argument")? {
                0 => PartialNode::Result,
                k => PartialNode::Argument(k),
            },
            (Some(XAIF), "Constant") => PartialNode::Const(Constant {
                ty: ElemType { base: if required(c, "type")? == "integer" { BaseType::Integer } else { BaseType::Real }, bits: 0 },
                fe_type: SmolStr::default(),
                value: required(c, "value")?.into(),
                spelling: SmolStr::default(),
            }),
            (Some(XAIF), "Intrinsic") => PartialNode::Op(required(c, "name")?.into(), SmallVec::new()),
            (Some(XAIF), "BooleanOperation") => {
                let name = required(c, "name")?;
                PartialNode::Bool(BoolOp::from_name(name).ok_or_else(|| format!("unknown relation {name}"))?, SmallVec::new())
            }
            (Some(XAIF), "ExpressionEdge") => {
                edges.push((required(c, "source")?, required(c, "target")?, number(c, "position")?));
                continue;
            }
            (_, other) => return Err(format!("unexpected element {other}")),
        };
        vertices.push((c.attribute("vertex_id").unwrap_or("1"), node));
    }
    // Depth first from the vertex without a parent; `place` is the position in the result.
    let root = vertices.iter().position(|(id, _)| !edges.iter().any(|(s, ..)| s == id)).ok_or("the term graph has no root")?;
    let mut place: Vec<Option<u32>> = vec![None; vertices.len()];
    let mut out = Vec::new();
    let mut stack = vec![(root, false)];
    while let Some((v, done)) = stack.pop() {
        if place[v].is_some() {
            continue;
        }
        let mut operands: Vec<(u32, usize)> = Vec::new();
        for (s, t, p) in &edges {
            if *t == vertices[v].0 {
                let source = vertices.iter().position(|(id, _)| id == s).ok_or_else(|| format!("edge from unknown vertex {s}"))?;
                operands.push((*p, source));
            }
        }
        operands.sort_unstable();
        if !done {
            if stack.len() > 2 * vertices.len() * vertices.len() {
                return Err("the term graph has a cycle".into());
            }
            stack.push((v, true));
            stack.extend(operands.iter().rev().map(|&(_, o)| (o, false)));
            continue;
        }
        let mut node = vertices[v].1.clone();
        if let PartialNode::Op(_, list) | PartialNode::Bool(_, list) = &mut node {
            for (_, o) in &operands {
                list.push(place[*o].ok_or("the term graph has a cycle")?);
            }
        }
        place[v] = Some(out.len() as u32);
        out.push(node);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_catalogue_is_well_formed_and_closed() {
        let c = Catalogue::builtin();
        assert!(c.iter().count() > 90);
        assert_eq!(c.iter().filter(|i| i.stock).count(), 48);
        for i in c.iter() {
            for p in &i.partials {
                for n in &p.nodes {
                    match n {
                        PartialNode::Op(name, operands) => {
                            let used = c.get(name).unwrap_or_else(|| panic!("{}: {name} is not in the catalogue", i.name));
                            assert_eq!(used.arity as usize, operands.len(), "{}", i.name);
                        }
                        PartialNode::Argument(k) => assert!(*k <= i.arity, "{}", i.name),
                        _ => {}
                    }
                }
            }
        }
    }

    #[test]
    fn files_add_intrinsics_to_those_that_are_built_in() {
        let with = |name: &str, partial: &str| {
            Catalogue::extended(&format!(
                r#"<i:InlinableIntrinsicDefinitions xmlns:i="{II}" xmlns:x="{XAIF}" language="CPP"><i:InlinableIntrinsic name="{name}" nr_arguments="1">
                <i:Partial partial_id="1">{partial}</i:Partial></i:InlinableIntrinsic></i:InlinableIntrinsicDefinitions>"#
            ))
        };
        let cosine = r#"<x:Intrinsic vertex_id="1" name="cos_scal"/><i:ArgumentReference vertex_id="2" argument="1"/>
            <x:ExpressionEdge edge_id="1" source="2" target="1" position="1"/>"#;
        let made = with("my_sine", cosine).expect("a catalogue");
        assert_eq!(made.get("my_sine").map(|i| i.partials.len()), Some(1));
        assert_eq!(made.iter().count(), Catalogue::builtin().iter().count() + 1);
        // A definition that is built in stays.
        assert_eq!(with("exp_scal", cosine).expect("a catalogue").get("exp_scal"), Catalogue::builtin().get("exp_scal"));
        assert!(with("f", &cosine.replace("cos_scal", "cosine")).is_err());
        assert!(with("f", &cosine.replace("argument=\"1\"", "argument=\"2\"")).is_err());
    }

    #[test]
    fn malformed_catalogues_are_refused() {
        let with = |body: &str| {
            Catalogue::parse(&format!(
                r#"<i:InlinableIntrinsicDefinitions xmlns:i="{II}" xmlns:x="{XAIF}" language="CPP"><i:InlinableIntrinsic name="f" nr_arguments="1">{body}</i:InlinableIntrinsic></i:InlinableIntrinsicDefinitions>"#
            ))
        };
        assert!(with(r#"<i:Partial partial_id="1" partial_type="linear_one"/>"#).is_ok());
        assert!(with("").is_err());
        assert!(with(r#"<i:Partial partial_id="1" partial_type="bent"/>"#).is_err());
        let cycle = r#"<i:Partial partial_id="1"><x:Intrinsic vertex_id="1" name="f"/><x:Intrinsic vertex_id="2" name="f"/><x:Intrinsic vertex_id="3" name="f"/>
            <x:ExpressionEdge edge_id="1" source="2" target="3" position="1"/><x:ExpressionEdge edge_id="2" source="3" target="2" position="1"/>
            <x:ExpressionEdge edge_id="3" source="2" target="1" position="1"/></i:Partial>"#;
        assert!(with(cycle).is_err());
    }
}
