//! ALLOCATE and DEALLOCATE as the user writes them.
//!
//! Lives here: shapes and status. Never here: what assignments allocate (see `arrays`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::Val;
use crate::parse::text::tree::{child, field, named};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// ALLOCATE.
    pub fn allocate(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut options = String::new();
        let mut writes = Vec::new();
        let mut like: Option<(Val, bool, Node<'t>)> = None;
        for k in named(node).into_iter().filter(|c| c.kind() == "keyword_argument") {
            let name = field(k, "name").map(|n| self.lower(n)).unwrap_or_default();
            match (name.as_str(), field(k, "value")) {
                ("stat" | "errmsg", Some(v)) => writes.extend(self.base_variable(v)?),
                ("source" | "mold", Some(v)) if like.is_none() => {
                    like = Some((self.expr(v)?, name == "source", v));
                    continue;
                }
                _ => return Err(self.refuse(k, "OB3034", format!("ALLOCATE with `{name}`"))),
            }
            options.push_str(", ");
            options.push_str(&self.file().squeezed(k));
        }
        if field(node, "type").is_some() {
            return Err(self.refuse(node, "OB3034", "ALLOCATE with a type"));
        }
        let mut cursor = node.walk();
        let objects: Vec<Node> = node.children_by_field_name("allocation", &mut cursor).collect();
        if self.info[self.cur.scope.index()].shaped.is_some_and(|(_, at)| at == node.start_byte()) {
            // The result has its memory from whoever calls.
            return Ok(());
        }
        for o in objects {
            let (name, size) = match (o.kind(), child(o, "size")) {
                ("sized_allocation", Some(size)) => (named(o).first().copied().unwrap_or(o), size),
                ("identifier", _) if options.is_empty() && like.as_ref().is_some_and(|l| l.0.rank > 0) => {
                    let symbol = self.variable(o)?;
                    if let Some((v, copied, at)) = &like {
                        self.may_be_like(symbol, v, *copied, *at)?;
                        self.allocate_like(symbol, v, node)?;
                        self.filled(symbol, v, *copied, node);
                    }
                    continue;
                }
                _ => return Err(self.refuse(o, "OB3022", "ALLOCATE of a scalar or a component")),
            };
            let symbol = match self.member_symbol(name) {
                Some(s) => s,
                None if name.kind() != "identifier" => return Err(self.refuse(name, "OB3020", "ALLOCATE of a component")),
                None => self.variable(name)?,
            };
            let s = self.p.symbol(symbol);
            if !s.has_attribute("allocatable") {
                return Err(self.refuse(name, "OB3022", format!("`{}` is not ALLOCATABLE", s.name)));
            }
            let mut object = VarRef::whole(symbol);
            for (t, _) in self.subscripts(size)? {
                object.subscripts.push(match t.bound {
                    Some(_) => t,
                    None => Triplet { index: Some(Expr::int(1)), bound: t.index, stride: None },
                });
            }
            if object.subscripts.len() != self.p.symbol(symbol).rank as usize {
                return Err(self.refuse(o, "OB3043", "the number of bounds differs from the number of dimensions"));
            }
            self.note_shape(symbol, &object, node);
            let mut reads = Vec::new();
            for e in object.index_exprs() {
                e.for_each_ref(&mut |r| reads.push(r.symbol));
            }
            reads.sort_unstable();
            reads.dedup();
            let text = format!("allocate({}{options})", self.file().squeezed(o));
            let mut all = writes.clone();
            all.push(symbol);
            let marker = Marker { class: MarkerClass::Allocate, text, object: Some(object), reads, writes: all, ..Marker::default() };
            if let Some((v, copied, at)) = &like {
                self.may_be_like(symbol, v, *copied, *at)?;
            }
            self.emit(StmtKind::Marker(Box::new(marker)), node, like.is_some());
            if let Some((v, copied, _)) = &like {
                self.filled(symbol, v, *copied, node);
            }
        }
        Ok(())
    }

    /// DEALLOCATE.
    pub fn deallocate(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut options = String::new();
        let mut writes = Vec::new();
        for k in named(node).into_iter().filter(|c| c.kind() == "keyword_argument") {
            if let Some(v) = field(k, "value") {
                writes.extend(self.base_variable(v)?);
            }
            options.push_str(", ");
            options.push_str(&self.file().squeezed(k));
        }
        for o in named(node).into_iter().filter(|c| c.kind() != "keyword_argument") {
            let symbol = match self.member_symbol(o) {
                Some(s) => s,
                None if o.kind() != "identifier" => return Err(self.refuse(o, "OB3020", "DEALLOCATE of a component")),
                None => self.variable(o)?,
            };
            let s = self.p.symbol(symbol);
            if !s.has_attribute("allocatable") {
                return Err(self.refuse(o, "OB3022", format!("`{}` is not ALLOCATABLE", s.name)));
            }
            let text = format!("deallocate({}{options})", self.text(o));
            let mut all = writes.clone();
            all.push(symbol);
            let object = Some(VarRef::whole(symbol));
            let marker = Marker { class: MarkerClass::Deallocate, text, object, writes: all, ..Marker::default() };
            self.emit(StmtKind::Marker(Box::new(marker)), node, false);
        }
        Ok(())
    }
}
