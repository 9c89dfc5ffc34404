//! Exchanges of allocatable arrays, as loops that exchange their elements.
//!
//! Lives here: the statements that an exchange becomes. Never here: how one is found (see `facts`).

use crate::parse::context::exchanges::Part;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::at;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The exchange that begins here, or belongs to one that does; `false` where the text has to be taken as it is.
    pub fn swap(&mut self, node: Node<'t>) -> Lowered<bool> {
        let (between, names) = match self.cur.swaps.get(&node.start_byte()) {
            None => return Ok(false),
            Some(Part::Later(first)) => return Ok(self.cur.swaps.contains_key(first)),
            Some(Part::First(between, names)) => (between.clone(), names.clone()),
        };
        let Some(arrays) = names.iter().map(|n| self.own_allocatable(n)).collect::<Option<Vec<_>>>() else { return Ok(false) };
        let bounds = self.cur.given.get(&arrays[0]).cloned();
        let again = self.reallocated.iter().any(|(s, _)| arrays.contains(s));
        let Some(bounds) = bounds.filter(|_| !again) else {
            let at = node.start_byte();
            self.cur.swaps.retain(|&k, p| k != at && !matches!(p, Part::Later(first) if *first == at));
            return Ok(false);
        };
        self.alike.extend(arrays.iter().filter(|a| !self.alike.contains(a)).copied().collect::<Vec<_>>());
        self.needs_graph(node)?;
        let ty = self.p.symbol(arrays[0]).ty;
        let kept = self.temp(&between, ty, "", Vec::new(), false, self.file().span(node));
        let indices = self.open_nest(&bounds, node);
        let element = |s: SymbolId| at(s, &indices);
        let mut pairs = vec![(VarRef::whole(kept), element(arrays[0]))];
        pairs.extend(arrays.windows(2).map(|w| (element(w[0]), element(w[1]))));
        pairs.push((element(arrays[arrays.len() - 1]), VarRef::whole(kept)));
        // As many as there are calls, whose texts and comments they get.
        let mut call = Some(node);
        for (lhs, value) in pairs {
            if let Some(c) = call.filter(|c| *c != node) {
                self.cur.statement = Some(c);
                self.cur.comment = self.file().comment(c);
            }
            self.emit(StmtKind::Assignment { lhs, rhs: Expr::var(value) }, node, false);
            call = call.and_then(|c| c.next_named_sibling());
        }
        self.close_nest(indices);
        Ok(true)
    }
}
