//! Actual arguments between the text and the call.
//!
//! Lives here: what is known of one argument. Never here: what it is passed for.

use super::terms::Val;
use smol_str::SmolStr;
use tree_sitter::Node;
use xaif::model::*;

/// An actual argument as it stands in the text.
pub struct Raw<'t> {
    /// The dummy that it names, lower case.
    pub keyword: String,
    pub value: Val,
    pub node: Node<'t>,
    /// With the keyword.
    pub whole: Node<'t>,
}

/// A procedure that is passed.
pub struct Passed<'t> {
    /// Its place among all arguments, counted from zero.
    pub place: usize,
    pub keyword: String,
    pub target: SymbolId,
    pub node: Node<'t>,
}

/// An actual argument that belongs to a dummy.
#[derive(Clone)]
pub struct Actual<'t> {
    pub position: u32,
    pub keyword: SmolStr,
    pub value: Val,
    pub by_value: bool,
    pub node: Node<'t>,
}
