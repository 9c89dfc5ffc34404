//! What the text alone tells before a statement is lowered.
//!
//! Lives here: questions to the text, answered without a change to the program. Never here: statements that are made, analyses of the model.

pub mod callees;
pub mod changes;
pub mod effects;
pub mod exchanges;
pub mod shapes;
pub mod steady;
