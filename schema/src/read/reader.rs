//! What the readers of all parts share: the program so far and the tables that ids are resolved in.
//!
//! Lives here: names to handles. Never here: the content of any element.

use super::expressions::{RawEdge, RawVertex};
use super::syntax::shown;
use super::xml::{Fallible, Tag, Xml};
use crate::model::{Program, ScopeId, SymbolId, UnitId, VarRef};
use crate::spread;
use smol_str::SmolStr;
use std::collections::HashMap;
use std::sync::Arc;

/// A symbol that was named before it was declared; its handle is [`PENDING`] and up.
pub(super) struct Pending<'a> {
    pub scope: SmolStr,
    pub symbol: SmolStr,
    pub tag: Tag<'a>,
}

/// Handles from here on number [`Reader::pending`].
const PENDING: u32 = 1 << 31;

/// What ids mean, once all declarations are read.
#[derive(Clone, Default)]
struct Names {
    scopes: HashMap<SmolStr, ScopeId>,
    tables: Vec<HashMap<SmolStr, SymbolId>>,
}

/// The reader.
pub(super) struct Reader<'a> {
    pub x: Xml<'a>,
    pub program: Program,
    names: Arc<Names>,
    last_scope: Option<(SmolStr, ScopeId)>,
    /// Parts of the document are read at the same time.
    in_rows: bool,
    /// That did not work: something is to be said, or the document is not what it looked like.
    pub failed: bool,
    /// While the declarations are read: what they name.
    pub pending: Option<Vec<Pending<'a>>>,
    pub units: HashMap<SmolStr, UnitId>,
    pub vertices: Vec<RawVertex<'a>>,
    pub edges: Vec<RawEdge<'a>>,
}

impl<'a> Reader<'a> {
    pub fn new(name: &str, x: Xml<'a>, in_rows: bool) -> Reader<'a> {
        Reader {
            x,
            program: Program { document: name.to_string(), ..Program::default() },
            names: Arc::default(),
            last_scope: None,
            in_rows,
            failed: false,
            pending: None,
            units: HashMap::new(),
            vertices: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Reads rows of elements that stand next in `parent` at the same time, as far as that pays: see [`Xml::rows_ahead`]. `read` reads one row.
    pub fn rows<T: Send>(
        &mut self,
        parent: &Tag<'a>,
        names: &[&str],
        closed: bool,
        read: impl Fn(&mut Reader<'a>) -> Fallible<T> + Sync,
    ) -> Fallible<Vec<T>> {
        if !self.in_rows {
            return Ok(Vec::new());
        }
        let rows = self.x.rows_ahead(parent, names, closed);
        let Some(last) = rows.last().cloned() else { return Ok(Vec::new()) };
        let readers: Vec<Reader> =
            rows.into_iter().map(|row| Reader { names: self.names.clone(), ..Reader::new("", self.x.row(row), false) }).collect();
        let done = spread::over(readers, |mut r| {
            let out = read(&mut r).ok().filter(|_| r.x.diags.is_empty());
            (out, r.x.elements())
        });
        let (mut all, mut elements) = (Vec::with_capacity(done.len()), 0usize);
        for (out, n) in done {
            let Some(out) = out else { return self.give_up() };
            all.push(out);
            elements = elements.saturating_add(n);
        }
        if self.x.pass(&last, elements) { Ok(all) } else { self.give_up() }
    }

    /// Stops, so that one reader goes through the document in order.
    pub fn give_up<T>(&mut self) -> Fallible<T> {
        self.failed = true;
        Err(Box::new(crate::Diagnostic::error("OB1002", "the document cannot be read in pieces")))
    }

    /// Adds a scope under its id.
    pub fn declare_scope(&mut self, tag: &Tag, id: SmolStr, scope: ScopeId) -> Fallible<()> {
        let names = Arc::make_mut(&mut self.names);
        names.tables.push(HashMap::new());
        match names.scopes.entry(id) {
            std::collections::hash_map::Entry::Vacant(v) => {
                v.insert(scope);
                Ok(())
            }
            std::collections::hash_map::Entry::Occupied(o) => {
                let message = format!("a second scope {}", shown(o.key()));
                self.x.error(tag, "OB1025", message)
            }
        }
    }

    /// Adds a symbol under its id; false if the scope has it already.
    pub fn declare_symbol(&mut self, scope: ScopeId, id: &SmolStr, symbol: SymbolId) -> bool {
        match Arc::make_mut(&mut self.names).tables.get_mut(scope.index()) {
            Some(table) => table.insert(id.clone(), symbol).is_none(),
            None => false,
        }
    }

    /// The scope of that id.
    pub fn scope(&mut self, tag: &Tag, id: &str) -> Fallible<ScopeId> {
        if let Some((last, scope)) = &self.last_scope
            && last == id
        {
            return Ok(*scope);
        }
        match self.names.scopes.get_key_value(id) {
            Some((key, &scope)) => {
                self.last_scope = Some((key.clone(), scope));
                Ok(scope)
            }
            None => {
                self.x.error(tag, "OB1021", format!("there is no scope {}", shown(id)))?;
                Ok(ScopeId(0))
            }
        }
    }

    /// The symbol of that id in that scope; while declarations are read, a promise of it.
    pub fn symbol(&mut self, tag: &Tag<'a>, scope: &str, symbol: &str) -> Fallible<SymbolId> {
        if let Some(pending) = &mut self.pending {
            pending.push(Pending { scope: SmolStr::new(scope), symbol: SmolStr::new(symbol), tag: *tag });
            return Ok(SymbolId(PENDING + pending.len() as u32 - 1));
        }
        let in_scope = self.scope(tag, scope)?;
        match self.names.tables.get(in_scope.index()).and_then(|t| t.get(symbol)) {
            Some(&s) => Ok(s),
            None => {
                if self.names.scopes.contains_key(scope) {
                    self.x.error(tag, "OB1020", format!("there is no symbol {} in scope {}", shown(symbol), shown(scope)))?;
                }
                Ok(SymbolId(0))
            }
        }
    }

    /// The symbol that the attributes `symbol_id` and `scope_id` name.
    pub fn symbol_of(&mut self, tag: &Tag<'a>) -> Fallible<SymbolId> {
        let symbol = self.x.required(tag, "symbol_id")?;
        let scope = self.x.required(tag, "scope_id")?;
        if symbol.is_empty() && scope.is_empty() {
            return Ok(SymbolId(0));
        }
        self.symbol(tag, &scope, &symbol)
    }

    /// Makes the promises of [`Reader::symbol`] good, now that all symbols are declared.
    pub fn settle(&mut self) -> Fallible<()> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        let mut found = Vec::with_capacity(pending.len());
        for p in &pending {
            found.push(self.symbol(&p.tag, &p.scope, &p.symbol)?);
        }
        let settled = |s: &mut SymbolId| {
            if s.0 >= PENDING {
                *s = found.get((s.0 - PENDING) as usize).copied().unwrap_or(SymbolId(0));
            }
        };
        for symbol in &mut self.program.symbols {
            let Some(decl) = &mut symbol.decl else { continue };
            decl.derivative_of.iter_mut().for_each(settled);
            let bounds = decl.dims.iter_mut().flat_map(|d| [&mut d.lower, &mut d.upper]);
            let bounds = bounds.filter_map(|b| match b {
                crate::model::Bound::Expr(e) => Some(e),
                crate::model::Bound::Unknown => None,
            });
            for e in bounds.chain(&mut decl.init) {
                e.for_each_ref_mut(&mut |r: &mut VarRef| settled(&mut r.symbol));
                for n in &mut e.nodes {
                    if let crate::model::NodeKind::FunctionCall(s) = &mut n.kind {
                        settled(s);
                    }
                }
            }
        }
        Ok(())
    }
}
