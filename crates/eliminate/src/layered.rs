//! Random graphs that look like linearized programs: layers of operations on values of the layers just before.

use super::cost::Class;
use super::graph::{Graph, GraphError, RawEdge};
use super::random::Random;

/// A layered graph of about `n` vertices and 1.8 edges into each: layers of about sqrt(n)/2 vertices, the first of them inputs, the last outputs.
pub fn layered(n: u32, seed: u64) -> Result<Graph, GraphError> {
    let width = ((f64::from(n).sqrt() / 2.0) as u32).max(2);
    let layers = (n / width).max(2);
    let n = width * layers;
    let mut random = Random::new(seed);
    let mut edges = Vec::new();
    for v in width..n {
        let layer = v / width;
        // Four in five read two values, now and then from two layers above.
        let reads = if random.below(5) == 0 { 1 } else { 2 };
        let mut sources = [0; 2];
        for k in 0..reads {
            let above = if layer > 1 && random.below(6) == 0 { 2 } else { 1 };
            sources[k] = (layer - above) * width + random.below(width as usize) as u32;
            if k == 1 && sources[1] == sources[0] {
                continue;
            }
            let class = match random.below(10) {
                0..=2 => Class::Unit,
                3 => Class::Constant,
                _ => Class::Variable,
            };
            edges.push(RawEdge { source: sources[k], target: v, class, value: None });
        }
    }
    Graph::new(n, edges, (0..width).collect(), (n - width..n).collect())
}

/// A small graph of any shape: `n` vertices, each read by some later ones.
pub fn tangled(n: u32, inputs: u32, outputs: u32, density: f64, seed: u64) -> Result<Graph, GraphError> {
    let mut random = Random::new(seed);
    let mut edges = Vec::new();
    for target in inputs..n {
        for source in 0..target {
            let near = if target - source < 4 { density } else { density / 3.0 };
            if random.unit() < near {
                let class = match random.below(8) {
                    0 => Class::Copy,
                    1 | 2 => Class::Unit,
                    3 => Class::Constant,
                    _ => Class::Variable,
                };
                edges.push(RawEdge { source, target, class, value: None });
            }
        }
    }
    Graph::new(n, edges, (0..inputs).collect(), (n - outputs..n).collect())
}
