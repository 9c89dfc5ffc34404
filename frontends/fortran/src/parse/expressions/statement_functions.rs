//! Statement functions: their expression stands for each reference.
//!
//! Lives here: finding and expanding them. Never here: other functions.

use crate::parse::context::scopes::StatementFunction;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::Val;
use crate::parse::text::tree::{child, field, named};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// The statement function of a name.
    pub fn statement_function(&self, name: &str) -> Option<StatementFunction<'t>> {
        let mut at = Some(self.cur.scope);
        while let Some(s) = at {
            let info = self.info.get(s.index())?;
            if let Some(f) = info.statement_functions.get(name) {
                return Some(*f);
            }
            if self.names.contains_key(&(s, name.to_string())) {
                return None;
            }
            at = self.p.scope(s).parent;
        }
        None
    }

    /// Replaces a statement function by its expression.
    pub fn expand(&mut self, f: StatementFunction<'t>, node: Node<'t>, list: Node<'t>) -> Lowered<Val> {
        let (Some(head), Some(body)) = (field(f.definition, "left"), field(f.definition, "right")) else {
            return Err(self.refuse(node, "OB3034", "malformed statement function"));
        };
        if self.cur.frames.len() > 20 {
            return Err(self.refuse(node, "OB3005", "statement functions nest too deeply"));
        }
        let dummies = child(head, "argument_list").map(named).unwrap_or_default();
        let actuals = named(list);
        if dummies.len() != actuals.len() {
            return Err(self.refuse(node, "OB3032", format!("{} arguments for {}", actuals.len(), dummies.len())));
        }
        // Other names of its text mean what they mean in the unit.
        let mut frame: rustc_hash::FxHashMap<String, Val> = self.cur.overlays.iter().map(|(n, o)| (n.clone(), o.value.clone())).collect();
        for (d, a) in dummies.iter().zip(actuals) {
            let v = self.expr(a)?;
            if v.rank > 0 {
                return Err(self.refuse(a, "OB3040", "array argument of a statement function"));
            }
            let name = self.lower(*d);
            let declared = self.lookup(self.cur.scope, &name).map(|s| self.p.symbol(s).ty);
            let ty = declared.or_else(|| self.implicit_type(self.cur.scope, &name).map(|t| t.ty)).unwrap_or(v.ty);
            frame.insert(name, self.converted(v, ty));
        }
        let callee = named(head).first().map(|n| self.lower(*n)).unwrap_or_default();
        let ty = match self.lookup(self.cur.scope, &callee) {
            Some(s) => Some(self.p.symbol(s).ty),
            None => self.implicit_type(self.cur.scope, &callee).map(|t| t.ty),
        };
        self.cur.frames.push(frame);
        let value = self.expr(body);
        self.cur.frames.pop();
        let value = value?;
        let ty = ty.unwrap_or(value.ty);
        Ok(self.converted(value, ty))
    }
}
