//! Linearized computational graphs of statement sequences.
//!
//! Vertices are values, edges carry partial derivatives (Griewank; paper 002, Section 3). Inputs are the active variables that the sequence finds,
//! outputs those that it leaves. Lives here: the data, and the way to [`overbar_eliminate`]. Never here: how a graph is built.

use super::Factor;
use super::fold;
use super::work::Work;
use overbar_eliminate::cost::Class;
use overbar_eliminate::graph::{Graph, GraphError, RawEdge};
use smol_str::SmolStr;
use std::ops::Range;
use xaif::model::{ElemType, Expr, SymbolId, VarRef};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The operation that computes it, or the name of the variable.
    pub label: SmolStr,
    /// The first statement that has it.
    pub statement: usize,
    /// Where it stands in the right-hand side of that statement.
    pub node: u32,
}

/// A dependence of one value on another.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The value that is read.
    pub source: u32,
    /// The value that reads it.
    pub target: u32,
    /// The partial derivative.
    pub factor: Factor,
}

impl Edge {
    /// What is known about the factor before the program runs.
    pub fn class(&self) -> Class {
        match &self.factor {
            Factor::One | Factor::MinusOne => Class::Unit,
            Factor::Value(e) if fold::number(e).is_some() => Class::Constant,
            Factor::Value(_) => Class::Variable,
        }
    }

    fn value(&self) -> Option<f64> {
        match &self.factor {
            Factor::One => Some(1.0),
            Factor::MinusOne => Some(-1.0),
            Factor::Value(e) => fold::number(e).filter(|v| v.is_finite()),
        }
    }
}

/// A line of the sequence with its partial derivatives.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A value that a statement and its partial derivatives share is computed.
    Set(SymbolId, Expr),
    /// From here to the next statement the factor of that edge can be computed.
    Edge(u32),
    /// A statement, by its number in the list; with another right-hand side, if it shares values.
    Statement(usize, Option<Expr>),
}

/// A sequence of statements that became one graph.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The statements, by their numbers in the list that was flattened.
    pub statements: Range<usize>,
    /// How many of them have derivatives.
    pub active: usize,
    /// The type of all values.
    pub ty: ElemType,
    /// The values.
    pub vertices: Vec<Vertex>,
    /// The dependences.
    pub edges: Vec<Edge>,
    /// The variables that are found, with their values.
    pub inputs: Vec<(VarRef, u32)>,
    /// The variables that are left, in the order of their definition, with their values; `None` for those whose derivative is zero.
    pub outputs: Vec<(VarRef, Option<u32>)>,
    /// The statements with what they share.
    pub lines: Vec<Line>,
    /// What they are to compute without it, with their partial derivatives.
    pub work: Work,
}

impl Sequence {
    /// The graph for elimination. Edges keep their numbers as given edges.
    ///
    /// # Errors
    /// More vertices than can be numbered.
    pub fn graph(&self) -> Result<Graph, GraphError> {
        let n = u32::try_from(self.vertices.len()).map_err(|_| GraphError::TooLarge)?;
        let given = self.edges.iter().map(|e| RawEdge { source: e.source, target: e.target, class: e.class(), value: e.value() }).collect();
        let mut outputs: Vec<u32> = self.outputs.iter().filter_map(|o| o.1).collect();
        outputs.sort_unstable();
        outputs.dedup();
        Graph::new(n, given, self.inputs.iter().map(|i| i.1).collect(), outputs)
    }

    /// How many partial derivatives are neither 1 nor -1: the multiplications of one direction, statement by statement.
    pub fn multiplications(&self) -> usize {
        self.edges.iter().filter(|e| e.class() > Class::Unit).count()
    }
}
