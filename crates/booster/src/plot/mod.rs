//! Drawings of programs and graphs: call graph, control flow, expressions, linearized graphs before and after elimination.
//!
//! Lives here: pure functions from a program or a graph to a [`Drawing`], and from a drawing to SVG or DOT text; [`layout`] puts boxes into layers.
//! Never here: files, options, anything that changes a program.

pub mod blocks;
pub mod calls;
pub mod dot;
pub mod drawing;
pub mod flow;
pub mod graph_file;
pub mod graphs;
pub mod layered;
pub mod layout;
pub mod linear;
pub mod measured;
pub mod svg;
pub mod terms;

pub use drawing::Drawing;

#[cfg(test)]
mod tests;
