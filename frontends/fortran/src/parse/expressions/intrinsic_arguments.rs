//! Arguments of intrinsic functions.
//!
//! Lives here: positions, keywords, KIND. Never here: what the function is.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::Val;
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;

/// Arguments in position order, with keywords resolved against the dummies' names.
pub struct Arguments<'t>(Vec<Option<Node<'t>>>);

impl<'t> Arguments<'t> {
    /// The argument at a position.
    pub fn get(&self, i: usize) -> Option<Node<'t>> {
        self.0.get(i).copied().flatten()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().filter(|a| a.is_some()).count()
    }
}

impl<'t> Lower<'t> {
    /// The arguments of a list.
    pub fn arguments_of(&self, list: Node<'t>, dummies: &[&str]) -> Lowered<Arguments<'t>> {
        let mut out: Vec<Option<Node>> = Vec::new();
        for (i, a) in named(list).into_iter().enumerate() {
            if a.kind() != "keyword_argument" {
                out.push(Some(a));
                continue;
            }
            let (Some(k), Some(v)) = (field(a, "name"), field(a, "value")) else { continue };
            let k = self.lower(k);
            let at = dummies.iter().position(|d| *d == k).ok_or_else(|| self.refuse(a, "OB3032", format!("unknown keyword `{k}`")))?;
            while out.len() <= at.max(i) && out.len() <= at {
                out.push(None);
            }
            out[at] = Some(v);
        }
        Ok(Arguments(out))
    }

    /// The value of an argument that must be there.
    pub fn needed(&mut self, args: &Arguments<'t>, i: usize, node: Node<'t>) -> Lowered<Val> {
        match args.get(i) {
            Some(a) => self.expr(a),
            None => Err(self.refuse(node, "OB3032", "an argument of the intrinsic is missing")),
        }
    }

    /// An integer argument that selects a kind.
    pub fn kind_argument(&self, args: &Arguments<'t>, i: usize) -> Lowered<Option<(u16, String)>> {
        let Some(n) = args.get(i) else { return Ok(None) };
        let bits = self.const_int(n).and_then(Self::bits);
        match bits {
            Some(b) => Ok(Some((b, self.file().squeezed(n)))),
            None => Err(self.unknown_kind(n, n)),
        }
    }
}
