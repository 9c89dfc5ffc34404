//! Elimination on plain graphs: how to accumulate a Jacobian from local partial derivatives with few multiplications.
//!
//! A linearized computational graph has values for vertices and partial derivatives for edges. The entry (k, i) of its Jacobian is the sum, over all
//! paths from input i to output k, of the products along the path. Eliminating the intermediate vertices one after the other computes all entries, and the
//! order decides how many multiplications that takes (Griewank and Reese 1991); eliminating edges, or pairs of edges, is finer (Naumann 2004).
//!
//! Lives here: graphs, costs, rules, heuristics, search, and the straight-line code that a sequence implies. Never here: programs, statements, files.

pub mod adjacency;
pub mod anneal;
pub mod bits;
pub mod bound;
pub mod brief;
pub mod budget;
pub mod check;
pub mod code;
pub mod cost;
pub mod dag;
pub mod edges;
pub mod emit;
pub mod exact;
pub mod faces;
pub mod graph;
pub mod json;
pub mod large;
pub mod layered;
pub mod names;
pub mod partial;
pub mod random;
pub mod search;
pub mod sequence;
pub mod small;
pub mod splits;
pub mod sweeps;
pub mod vertices;

#[cfg(test)]
mod tests;
