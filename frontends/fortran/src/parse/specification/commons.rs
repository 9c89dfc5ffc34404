//! COMMON blocks.
//!
//! Lives here: their members in storage order. Never here: EQUIVALENCE, and blocks that units lay out differently (see `shared_storage`).

use super::variables::Attributes;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::{child, named};
use tree_sitter::Node;
use xaif::model::*;

/// Why a variable in two COMMON blocks, or one that is an argument as well, is refused.
pub const ONE_PLACE: &str = "a variable has one place in memory";
/// The way out.
pub const TAKE_OUT: &str = "take it out of one of the declarations";

impl<'t> Lower<'t> {
    /// COMMON.
    pub fn common(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut blank = Vec::new();
        for c in named(node) {
            if c.kind() == "variable_group" {
                let name = child(c, "name").map(|n| self.lower(n)).unwrap_or_default();
                let mut members = Vec::new();
                for d in named(c).into_iter().filter(|d| d.kind() != "name") {
                    members.push(self.common_member(d, &name)?);
                }
                self.common_members(&name, members);
            } else {
                blank.push(self.common_member(c, "")?);
            }
        }
        if !blank.is_empty() {
            self.common_members("", blank);
        }
        Ok(())
    }

    /// A variable is in one block, once.
    fn common_member(&mut self, node: Node<'t>, block: &str) -> Lowered<SymbolId> {
        let symbol = self.declarator(node, None, &Attributes::default())?;
        match self.p.symbol(symbol).storage() {
            Storage::Local | Storage::Static | Storage::Global => {
                self.decl(symbol).storage = Storage::Common(block.into());
                Ok(symbol)
            }
            _ => {
                let d = self.refuse(node, "OB3013", format!("`{}` is in a COMMON block already", self.text(node)));
                Err(Box::new(d.because(ONE_PLACE).help(TAKE_OUT)))
            }
        }
    }

    fn common_members(&mut self, name: &str, members: Vec<SymbolId>) {
        let commons = &mut self.scope_info(self.cur.scope).commons;
        match commons.iter_mut().find(|(n, _)| n == name) {
            Some((_, all)) => all.extend(members),
            None => commons.push((name.into(), members)),
        }
    }
}
