//! Intrinsic subroutines.
//!
//! Lives here: those that are kept as text and carry no derivative, and MVBITS, which is an assignment. Never here: intrinsic functions.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::op;
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
            return self.move_bits(list, node).map(|()| true);
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

    /// `call mvbits(from, frompos, len, to, topos)`: what is not the same in both places is turned round in `to`.
    fn move_bits(&mut self, list: Option<Node<'t>>, node: Node<'t>) -> Lowered<()> {
        let Some(list) = list else { return Err(self.refuse(node, "OB3032", "an argument of the intrinsic is missing")) };
        let args = self.arguments_of(list, &["from", "frompos", "len", "to", "topos"])?;
        let (from, start, length) = (self.needed(&args, 0, node)?, self.needed(&args, 1, node)?, self.needed(&args, 2, node)?);
        let (to, place) = (self.needed(&args, 3, node)?, self.needed(&args, 4, node)?);
        let (target, ty, _) = self.target(args.get(3).unwrap_or(node))?;
        if ty.base != BaseType::Integer || from.ty != ty {
            return Err(self.refuse(node, "OB3043", "`mvbits` needs integers of one kind"));
        }
        let bits = |e: Expr, start: Expr| op("ibits", "ibits", Some(ty), [e, start, length.e.clone()]);
        let other = op("b_xor", "ieor", None, [bits(from.e, start.e), bits(to.e.clone(), place.e.clone())]);
        let turned = op("ishft", "ishft", Some(ty), [other, place.e]);
        let rhs = op("b_xor", "ieor", None, [to.e, turned]);
        self.emit(StmtKind::Assignment { lhs: target, rhs }, node, false);
        Ok(())
    }
}
