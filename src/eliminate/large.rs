//! Search on graphs of any size.

use super::cost::Counting;
use super::dag::Dag;
use super::graph::Graph;

/// The beginning of an order after which it is best to stop, when that many directions are propagated through what is left.
pub fn best_beginning(graph: &Graph, directions: u64, order: &[u32]) -> Vec<u32> {
    let mut dag = Dag::new(graph, Counting::Aware);
    let (mut spent, mut best, mut going) = (0u64, directions.saturating_mul(dag.nonunit()), 0);
    for (k, &v) in order.iter().enumerate() {
        spent += dag.eliminate(v);
        if spent >= best {
            break;
        }
        let total = spent + directions.saturating_mul(dag.nonunit());
        if total < best {
            (best, going) = (total, k + 1);
        }
    }
    order[..going].to_vec()
}
