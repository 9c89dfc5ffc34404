//! Intrinsic subroutines.
//!
//! Lives here: those that are kept as text and carry no derivative. Never here: intrinsic functions.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Intrinsic subroutines: opaque statements that carry no derivative.
    pub fn intrinsic_subroutine(&mut self, name: &str, list: Option<Node<'t>>, node: Node<'t>) -> Lowered<bool> {
        const NAMES: &[&str] = &[
            "random_number",
            "random_seed",
            "random_init",
            "cpu_time",
            "system_clock",
            "date_and_time",
            "get_command_argument",
            "get_command",
            "get_environment_variable",
            "execute_command_line",
            "flush",
            "abort",
            "exit",
            "getarg",
            "second",
            "etime",
            "dtime",
            "sleep",
        ];
        if name == "move_alloc" {
            return if self.swap(node)? { Ok(true) } else { self.move_alloc(list, node).map(|()| true) };
        }
        if name == "mvbits" {
            return Err(self.refuse(node, "OB3031", format!("the intrinsic `{name}` is not supported")));
        }
        if !NAMES.contains(&name) {
            return Ok(false);
        }
        let class = match name {
            "flush" => MarkerClass::Io,
            "abort" | "exit" => MarkerClass::Stop,
            _ => MarkerClass::Passive,
        };
        let mut writes = Vec::new();
        for a in list.map(named).unwrap_or_default() {
            let value = if a.kind() == "keyword_argument" { field(a, "value") } else { Some(a) };
            if let Some(v) = value
                && let Some(symbol) = self.base_variable(v)?
            {
                writes.push(symbol);
            }
        }
        let reads = self.symbols_in(node)?;
        self.marker(class, reads, writes, node);
        Ok(true)
    }
}
