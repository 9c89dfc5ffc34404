//! Regions of a control-flow graph: how deep they nest, how they begin, and where jumps in them go.
//!
//! Lives here: what is read off regions. Never here: what becomes of them.

use rustc_hash::FxHashSet;
use xaif::model::{FlowGraph, VertexId};
use xaif::structure::Region;

/// How deep regions nest.
pub(super) fn depth(tree: &[Region]) -> usize {
    let mut deepest = 0;
    let mut lists: Vec<(&[Region], usize)> = vec![(tree, 1)];
    while let Some((list, depth)) = lists.pop() {
        deepest = deepest.max(depth);
        for region in list {
            match region {
                Region::Branch { arms, .. } => lists.extend(arms.iter().map(|a| (a.body.as_slice(), depth + 1))),
                Region::Loop { body, .. } => lists.push((body, depth + 1)),
                Region::Block(_) | Region::Jump(_) => {}
            }
        }
    }
    deepest
}

/// The vertex with which a region begins.
pub(super) fn start(region: &Region) -> Option<VertexId> {
    match region {
        Region::Block(v) => Some(*v),
        Region::Branch { vertex, .. } | Region::Loop { vertex, .. } => Some(*vertex),
        Region::Jump(_) => None,
    }
}

/// Visits all regions of some code, in no particular order.
fn for_each_region<'r>(code: &'r [Region], visit: &mut dyn FnMut(&'r Region)) {
    let mut lists: Vec<&[Region]> = vec![code];
    while let Some(list) = lists.pop() {
        for region in list {
            visit(region);
            match region {
                Region::Block(_) | Region::Jump(_) => {}
                Region::Branch { arms, .. } => lists.extend(arms.iter().map(|a| a.body.as_slice())),
                Region::Loop { body, .. } => lists.push(body),
            }
        }
    }
}

/// Where jumps in some code go.
pub(super) fn jumps(graph: &FlowGraph, code: &[Region]) -> Vec<VertexId> {
    let mut out = Vec::new();
    for_each_region(code, &mut |region| {
        if let Region::Jump(e) = region {
            out.extend(graph.edge_endpoints(*e).map(|(_, to)| to));
        }
    });
    out
}

/// Whether some jump in a loop's body leads out of it.
pub(super) fn leaves(graph: &FlowGraph, body: &[Region], end: Option<VertexId>) -> bool {
    let mut inside: FxHashSet<VertexId> = end.into_iter().collect();
    for_each_region(body, &mut |region| match region {
        Region::Block(v) => {
            inside.insert(*v);
        }
        Region::Jump(_) => {}
        Region::Branch { vertex, end, .. } | Region::Loop { vertex, end, .. } => {
            inside.insert(*vertex);
            inside.extend(*end);
        }
    });
    jumps(graph, body).iter().any(|to| !inside.contains(to))
}
