//! Scopes and symbols.
//!
//! Lives here: the ScopeHierarchy. Never here: uses of symbols.

use super::reader::Reader;
use super::syntax::shown;
use super::xml::{Fallible, Ns, Tag};
use crate::model::*;
use crate::vocabulary::{BY_ROWS, SHAPES, fe_bits, stock_name};
use smol_str::SmolStr;

impl<'a> Reader<'a> {
    /// ScopeHierarchy.
    pub(super) fn scope_hierarchy(&mut self, tag: &Tag<'a>) -> Fallible<()> {
        self.x.no_rest(tag)?;
        self.pending = Some(Vec::new());
        let mut edges = Vec::new();
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "Scope") => self.scope_table(&child)?,
                (Ns::Xaif, "ScopeEdge") => {
                    let id = SmolStr::new(self.x.required(&child, "edge_id")?);
                    let source = self.x.required(&child, "source")?;
                    let target = self.x.required(&child, "target")?;
                    self.x.no_rest(&child)?;
                    self.x.leaf()?;
                    edges.push((id, source, target, child));
                }
                _ => self.x.foreign(&child)?,
            }
        }
        if self.program.scopes.is_empty() {
            self.x.error(tag, "OB1015", "a scope hierarchy without a scope")?;
            self.program.add_scope(Scope::default());
        }
        for (id, source, target, edge) in edges {
            let (inner, outer) = (self.scope(&edge, &source)?, self.scope(&edge, &target)?);
            let scope = &mut self.program.scopes[inner.index()];
            scope.edge_id = id;
            if scope.parent.replace(outer).is_some() {
                self.x.error(&edge, "OB1027", format!("scope {} has a second enclosing scope", shown(&source)))?;
            }
        }
        self.scope_cycles(tag)?;
        self.settle()
    }

    fn scope_cycles(&mut self, tag: &Tag<'a>) -> Fallible<()> {
        let n = self.program.scopes.len();
        // 0: not looked at, 1: on the present chain, 2: leads to a root.
        let mut state = vec![0u8; n];
        for start in 0..n {
            let mut chain = Vec::new();
            let mut at = Some(start);
            while let Some(s) = at.filter(|&s| state[s] == 0) {
                state[s] = 1;
                chain.push(s);
                at = self.program.scopes[s].parent.map(ScopeId::index);
            }
            if let Some(s) = at.filter(|&s| state[s] == 1) {
                let id = self.program.scopes[s].id.clone();
                self.x.error(tag, "OB1027", format!("the scopes around scope {} form a cycle", shown(&id)))?;
                self.program.scopes[s].parent = None;
            }
            for s in chain {
                state[s] = 2;
            }
        }
        Ok(())
    }

    fn scope_table(&mut self, tag: &Tag<'a>) -> Fallible<()> {
        let mut scope = Scope {
            id: self.x.get("vertex_id").map_or(SmolStr::new_static("1"), |id| SmolStr::new(&*id)),
            annotation: self.x.name("annotation"),
            ..Scope::default()
        };
        if self.program.scopes.is_empty()
            && self.program.dialect == Dialect::Openad
            && let Some(own) = scope.annotation.strip_suffix(BY_ROWS)
        {
            scope.annotation = own.into();
            (self.program.index_order, self.program.case_insensitive) = (IndexOrder::Row, false);
        }
        scope.span = self.place(tag)?;
        self.x.rest(tag, &mut scope.extras)?;
        let id = ScopeId(self.program.scopes.len() as u32);
        self.declare_scope(tag, scope.id.clone(), id)?;
        self.program.scopes.push(scope);
        let mut tables = 0;
        while let Some(child) = self.x.child()? {
            if child.ns != Ns::Xaif || child.local != "SymbolTable" {
                self.x.foreign(&child)?;
                continue;
            }
            tables += 1;
            self.x.no_rest(&child)?;
            while let Some(symbol) = self.x.child()? {
                if symbol.ns == Ns::Xaif && symbol.local == "Symbol" {
                    self.symbol_element(&symbol, id)?;
                } else {
                    self.x.foreign(&symbol)?;
                }
            }
        }
        match tables {
            1 => Ok(()),
            0 => self.x.error(tag, "OB1015", "a scope without a symbol table"),
            _ => self.x.problem(tag, crate::Diagnostic::warning("OB1017", "the symbol tables of one scope are read as one")),
        }
    }

    fn symbol_element(&mut self, tag: &Tag<'a>, scope: ScopeId) -> Fallible<()> {
        let id = SmolStr::new(self.x.required(tag, "symbol_id")?);
        let kind = self.x.word(tag, "kind", SymbolKind::Variable)?;
        let fe_type = self.x.name("feType");
        let base = self.x.word(tag, "type", BaseType::Real)?;
        let bits = self.x.ob_number(tag, "bits")?.unwrap_or_else(|| fe_bits(&fe_type));
        let decl = self.decl(tag)?;
        let name = match self.x.ob("name") {
            Some(name) => SmolStr::new(name),
            None if decl.is_some() => id.clone(),
            None => SmolStr::new(stock_name(&id, kind)),
        };
        let mut symbol = Symbol { name, kind, fe_type, decl, ..Symbol::variable(id, ElemType { base, bits }, scope) };
        match self.x.get("shape") {
            None => {}
            Some(shape) if shape == "void" => symbol.void_shape = true,
            Some(shape) => match SHAPES.iter().position(|s| *s == shape) {
                Some(rank) => symbol.rank = rank as u8,
                None => self.x.bad_value(tag, "shape", &shape, "a shape")?,
            },
        }
        symbol.active = self.x.spelled_flag(tag, "active", true, &mut symbol.extras)?;
        symbol.temp = self.x.spelled_flag(tag, "temp", false, &mut symbol.extras)?;
        symbol.pointer = self.x.spelled_flag(tag, "pointer", false, &mut symbol.extras)?;
        symbol.annotation = self.x.name("annotation");
        symbol.span = self.place(tag)?;
        self.x.rest(tag, &mut symbol.extras)?;
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local, &mut symbol.decl) {
                (Ns::Xaif, "DimensionBounds", _) => {
                    let lower = self.x.required_number(&child, "lower", 0)?;
                    let upper = self.x.required_number(&child, "upper", 0)?;
                    self.x.no_rest(&child)?;
                    self.x.leaf()?;
                    symbol.bounds.push((lower, upper));
                }
                (Ns::Ob, "Dim", Some(decl)) => {
                    let dim = self.dim(&child)?;
                    decl.dims.push(dim);
                }
                (Ns::Ob, "Init", Some(decl)) => {
                    self.x.no_rest(&child)?;
                    decl.init = self.expression(&child)?;
                }
                _ => self.x.foreign(&child)?,
            }
        }
        if let Some(decl) = &symbol.decl
            && self.literal(decl) == symbol.bounds
        {
            symbol.bounds.clear();
        }
        let handle = SymbolId(self.program.symbols.len() as u32);
        if !self.declare_symbol(scope, &symbol.id, handle) {
            self.x.error(tag, "OB1025", format!("a second symbol {} in one scope", shown(&symbol.id)))?;
        }
        if let Some(scope) = self.program.scopes.get_mut(scope.index()) {
            scope.symbols.push(handle);
        }
        self.program.symbols.push(symbol);
        Ok(())
    }

    /// The stock bounds that the writer makes of the declaration; the reader does not keep them twice.
    fn literal(&self, decl: &Decl) -> Vec<(i64, i64)> {
        crate::write::literal_bounds(decl, self.program.index_order).unwrap_or_default()
    }

    /// The declaration, if the symbol has one: it says where the variable lives.
    fn decl(&mut self, tag: &Tag<'a>) -> Fallible<Option<Box<Decl>>> {
        let Some(storage) = self.x.ob("storage") else { return Ok(None) };
        let storage = match &*storage {
            "local" => Storage::Local,
            "argument" => Storage::Argument,
            "static" => Storage::Static,
            "global" => Storage::Global,
            "extern" => Storage::Extern,
            "constant" => Storage::Constant,
            "common" => Storage::Common(SmolStr::new(self.x.ob_text("common"))),
            other => {
                self.x.bad_value(tag, "ob:storage", other, "local, argument, static, global, extern, common or constant")?;
                Storage::Local
            }
        };
        let mut decl = Decl {
            type_text: SmolStr::new(self.x.ob_text("type")),
            passing: self.x.ob_word(tag, "passing")?.unwrap_or_default(),
            storage,
            attributes: self.x.ob_list("attributes", ' '),
            init_text: SmolStr::new(self.x.ob_text("initText")),
            may_alias: self.x.ob_flag(tag, "mayAlias")?,
            comment: SmolStr::new(self.x.ob_text("comment")),
            ..Decl::default()
        };
        if let (Some(symbol), Some(scope)) = (self.x.ob("derivativeOf"), self.x.ob("derivativeOfScope")) {
            decl.derivative_of = Some(self.symbol(tag, &scope, &symbol)?);
        }
        Ok(Some(Box::new(decl)))
    }

    fn dim(&mut self, tag: &Tag<'a>) -> Fallible<Dim> {
        self.x.no_rest(tag)?;
        let mut dim = Dim::default();
        while let Some(child) = self.x.child()? {
            let slot = match (child.ns, child.local) {
                (Ns::Ob, "Lower") => &mut dim.lower,
                (Ns::Ob, "Upper") => &mut dim.upper,
                _ => {
                    self.x.foreign(&child)?;
                    continue;
                }
            };
            self.x.no_rest(&child)?;
            if let Some(e) = self.expression(&child)? {
                *slot = Bound::Expr(e);
            }
        }
        Ok(dim)
    }
}
