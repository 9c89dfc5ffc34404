//! Loops and switches that are open, as `break` and `continue` need them.
//!
//! Lives here: what is kept of them. Never here: the jumps (see `control`).

use lang_c::ast::Expression;
use lang_c::span::Node;
use xaif::model::SymbolId;

/// What must be done before control goes back to the head of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Tail<'a> {
    /// The step of a `for` that became a `while`.
    Effect(&'a Node<Expression>),
    /// The condition is computed into this variable.
    Condition(&'a Node<Expression>, SymbolId),
}

/// A construct that `break` leaves.
#[derive(Clone, Debug)]
pub(crate) enum Target<'a> {
    Loop {
        tail: Vec<Tail<'a>>,
        /// Arrays of late extent that were there outside.
        late: usize,
    },
    /// A switch, with the number of branches that were open outside.
    Switch {
        branches: usize,
        /// And of blocks.
        blocks: usize,
        late: usize,
    },
}
