//! The constructs of a unit, and what its jumps become.
//!
//! Lives here: whether a graph nests. Never here: text.

use super::counted;
use super::plan::{self, Plan};
use xaif::model::{Program, Unit, VertexId, VertexKind};
use xaif::structure::{Region, regions};

/// The constructs of a unit and what its jumps become; `None` where only labels and GOTOs can say it.
pub fn nested(program: &Program, unit: &Unit) -> Option<(Vec<Region>, Plan)> {
    let cycle_safe = |v: VertexId| match &unit.graph[v].kind {
        VertexKind::For(f) => counted::counted(program, f).is_some(),
        VertexKind::Pre(_) => true,
        _ => false,
    };
    let tree = regions(&unit.graph).ok()?;
    let plan = plan::plan(&unit.graph, &tree, &cycle_safe)?;
    Some((tree, plan))
}
