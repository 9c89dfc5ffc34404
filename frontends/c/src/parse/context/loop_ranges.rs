//! Ranges of the variables of counted loops that are open.
//!
//! Lives here: what the head of a loop tells. Never here: what is concluded from it.

use super::terms::plus;
use xaif::model::{BoolOp, Expr, ForLoop, NodeKind, StmtKind, SymbolId};

/// The range of an open loop's variable.
#[derive(Clone, Debug)]
pub(crate) struct LoopRange {
    pub variable: SymbolId,
    pub lowest: Expr,
    pub highest: Expr,
}

impl LoopRange {
    /// The range that the head of a counted loop gives.
    pub fn of(head: &ForLoop) -> Option<LoopRange> {
        let StmtKind::Assignment { lhs, rhs: first } = &head.init.kind else { return None };
        let root = head.condition.root();
        let (NodeKind::Bool(relation), [_, bound]) = (&root.kind, &root.operands[..]) else { return None };
        let bound = head.condition.subexpr(*bound);
        let first = first.clone();
        let (lowest, highest) = match relation {
            BoolOp::LessThan => (first, plus(bound, -1)),
            BoolOp::LessOrEqual => (first, bound),
            BoolOp::GreaterThan => (plus(bound, 1), first),
            BoolOp::GreaterOrEqual => (bound, first),
            _ => return None,
        };
        head.counted.then_some(LoopRange { variable: lhs.symbol, lowest, highest })
    }
}
