//! Program units: finding them, their order, their assembly.
//!
//! Lives here: modules, procedures, main programs as wholes. Never here: single declarations or statements.

use super::scope::{Current, Lower, Lowered, Proc, ProcKind, StatementFunction, default_implicit};
use super::tree::{child, children, field, has, named, walk};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;
use xaif::Diagnostic;
use xaif::build::GraphBuilder;
use xaif::model::*;

/// The kind of unit that a node is.
fn kind_of(node: Node) -> Option<ProcKind> {
    match node.kind() {
        "subroutine" => Some(ProcKind::Subroutine),
        "function" => Some(ProcKind::Function),
        "module" => Some(ProcKind::Module),
        "program" => Some(ProcKind::Main),
        "block_data" => Some(ProcKind::BlockData),
        _ => None,
    }
}

/// The statement that heads a unit.
fn head(node: Node) -> Option<Node> {
    children(node).into_iter().find(|c| {
        matches!(
            c.kind(),
            "subroutine_statement" | "function_statement" | "module_statement" | "program_statement" | "block_data_statement"
        )
    })
}

impl<'t> Lower<'t> {
    /// Finds a unit and all inside it.
    pub fn scan(&mut self, node: Node<'t>, file: usize, host: Option<usize>) {
        self.cur.file = file;
        let Some(kind) = kind_of(node) else {
            match node.kind() {
                "internal_procedures" => {
                    for c in named(node) {
                        self.scan(c, file, host);
                    }
                }
                "submodule" | "module_procedure" => {
                    let d = self.refuse(node, "OB3048", "submodule");
                    self.diagnostics.push(*d);
                }
                "include_statement" => {
                    let d = self.include(node);
                    self.diagnostics.push(*d);
                }
                "interface" => {
                    let d = self.refuse(node, "OB3001", "an interface block outside of a program unit");
                    self.diagnostics.push(*d);
                }
                _ => {}
            }
            return;
        };
        let head = head(node);
        let name_node = head.and_then(|h| child(h, "name"));
        let default = match kind {
            ProcKind::Main => "main",
            _ => "block_data",
        };
        let spelled = name_node.map_or(default, |n| self.text(n).trim()).to_string();
        let name = spelled.to_ascii_lowercase();
        let outer = host.map_or(ScopeId(0), |h| self.procs[h].scope);
        if self.names.contains_key(&(outer, name.clone())) {
            let d = self.refuse(name_node.unwrap_or(node), "OB3013", format!("`{name}` is defined twice"));
            self.diagnostics.push(*d);
            return;
        }
        let mut symbol = Symbol::subroutine(spelled, outer);
        symbol.span = name_node.map_or(Span::NONE, |n| self.file().span(n));
        let symbol = self.add(symbol);
        let span = self.file().span(node);
        let scope = self.p.add_scope(Scope { parent: Some(outer), span, ..Scope::default() });
        self.scope_info(scope);
        if kind == ProcKind::Module {
            self.modules.insert(name.clone(), scope);
        }
        let qualifiers: Vec<String> =
            head.map(named).unwrap_or_default().into_iter().filter(|c| c.kind() == "procedure_qualifier").map(|c| self.lower(c)).collect();
        let is = |w: &str| qualifiers.iter().any(|q| q == w);
        let index = self.procs.len();
        self.procs.push(Proc {
            name,
            node,
            file,
            kind,
            symbol,
            scope,
            host,
            formals: Vec::new(),
            elemental: is("elemental"),
            pure: is("pure") || is("elemental") && !is("impure"),
            failed: Vec::new(),
            interface_only: false,
            bound: Vec::new(),
            behind: None,
        });
        self.proc_of.insert(symbol, index);
        for c in named(node) {
            if c.kind() == "internal_procedures" {
                self.scan(c, file, Some(index));
            }
        }
    }

    /// Makes a unit the current one.
    pub fn enter(&mut self, proc: usize) {
        let p = &self.procs[proc];
        let (scope, file, node) = (p.scope, p.file, p.node);
        self.cur = Current { proc, scope, file, ..empty_current() };
        let text = self.text(node).to_ascii_lowercase();
        self.cur.words =
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| w.contains('_')).map(String::from).collect();
    }

    /// The modules in an order in which each comes after those that it uses, then all other units.
    pub fn order(&mut self) -> Vec<usize> {
        let mut out: Vec<usize> = Vec::new();
        let modules: Vec<usize> = (0..self.procs.len()).filter(|&i| self.procs[i].kind == ProcKind::Module).collect();
        let mut waiting = modules;
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|&m| {
                self.cur.file = self.procs[m].file;
                children(self.procs[m].node).into_iter().filter(|c| c.kind() == "use_statement").all(|u| {
                    let used = child(u, "module_name").map(|n| self.lower(n)).unwrap_or_default();
                    !waiting.iter().any(|&w| self.procs[w].name == used)
                })
            });
            match ready {
                Some(at) => out.push(waiting.remove(at)),
                None => {
                    let m = waiting[0];
                    self.cur.file = self.procs[m].file;
                    let d =
                        self.refuse(self.procs[m].node, "OB3014", format!("module `{}` uses itself through others", self.procs[m].name));
                    self.diagnostics.push(*d);
                    break;
                }
            }
        }
        out.extend((0..self.procs.len()).filter(|&i| self.procs[i].kind != ProcKind::Module));
        out
    }

    /// The specification part of a unit.
    pub fn declare(&mut self, proc: usize) {
        self.enter(proc);
        if let Err(d) = self.declare_in(proc) {
            self.procs[proc].failed.push(*d);
        }
    }

    pub fn declare_in(&mut self, proc: usize) -> Lowered<()> {
        let (node, scope, kind) = (self.procs[proc].node, self.procs[proc].scope, self.procs[proc].kind);
        let implicit = match self.procs[proc].host {
            Some(h) if !self.procs[proc].interface_only => self.info[self.procs[h].scope.index()].implicit.clone(),
            _ => Some(default_implicit()),
        };
        self.scope_info(scope).implicit = implicit;
        let head = head(node);
        // Dummy arguments come first, in their order.
        let mut position = 0;
        for d in head.and_then(|h| child(h, "parameters")).map(children).unwrap_or_default() {
            if d.kind() == "*" {
                return Err(self.refuse(d, "OB3025", "alternate return"));
            }
            if d.kind() != "identifier" {
                continue;
            }
            position += 1;
            if self.names.contains_key(&(scope, self.lower(d))) {
                return Err(self.refuse(d, "OB3013", format!("the argument `{}` appears twice", self.text(d))));
            }
            let mut s = Symbol::variable(self.text(d).trim(), ElemType::default(), scope);
            s.span = self.file().span(d);
            let symbol = self.add(s);
            let mut f = Formal::new(position, symbol, Intent::Inout);
            f.intent_declared = false;
            self.procs[proc].formals.push(f);
        }
        if kind == ProcKind::Function
            && let Some(h) = head
        {
            let name = child(h, "function_result").and_then(|r| child(r, "identifier")).or_else(|| child(h, "name"));
            if let Some(n) = name {
                let mut s = Symbol::variable(self.text(n).trim(), ElemType::default(), scope);
                s.span = self.file().span(n);
                let symbol = self.add(s);
                let mut f = Formal::new(position + 1, symbol, Intent::Out);
                f.result = true;
                self.procs[proc].formals.push(f);
            }
        }
        let mut executable = false;
        // USE and IMPLICIT first: the type before FUNCTION may need them.
        let parts = children(node);
        for c in parts.iter().filter(|c| matches!(c.kind(), "use_statement" | "implicit_statement")) {
            self.specification(*c)?;
        }
        let prefix = head.and_then(|h| field(h, "type"));
        let mut prefix_done = prefix.is_none();
        for pass in 0..2 {
            if let (false, Some(t)) = (prefix_done, prefix)
                && (pass == 1 || self.type_spec(t).is_ok())
            {
                let spec = self.type_spec(t)?;
                if let Some(r) = self.procs[proc].formals.iter().find(|f| f.result).map(|f| f.symbol) {
                    self.p.symbol_mut(r).ty = spec.ty;
                    if let Some(d) = &mut self.p.symbol_mut(r).decl {
                        d.type_text = spec.text;
                    }
                    self.scope_info(scope).typed.insert(r);
                }
                prefix_done = true;
            }
            if pass == 1 {
                break;
            }
            for c in &parts {
                if matches!(c.kind(), "use_statement" | "implicit_statement") {
                    continue;
                }
                if c.kind() == "assignment_statement" {
                    if !executable && self.is_statement_function(*c) {
                        let name = field(*c, "left").and_then(|l| named(l).first().copied()).map(|n| self.lower(n)).unwrap_or_default();
                        self.scope_info(scope).statement_functions.insert(name, StatementFunction { definition: *c });
                    } else {
                        executable = true;
                    }
                    continue;
                }
                if c.is_named() && !self.specification(*c)? {
                    executable |= !c.kind().starts_with("end_") && c.kind() != "internal_procedures";
                }
            }
        }
        self.finish_specification()?;
        // The unit's name has the function's type.
        if let Some(r) = self.procs[proc].formals.iter().find(|f| f.result).map(|f| f.symbol) {
            let ty = self.p.symbol(r).ty;
            self.p.symbol_mut(self.procs[proc].symbol).ty = ty;
        }
        Ok(())
    }

    fn is_statement_function(&self, node: Node<'t>) -> bool {
        let Some(left) = field(node, "left").filter(|l| l.kind() == "call_expression") else { return false };
        let parts = named(left);
        let [callee, list] = parts[..] else { return false };
        if callee.kind() != "identifier" || list.kind() != "argument_list" || !named(list).iter().all(|a| a.kind() == "identifier") {
            return false;
        }
        match self.lookup(self.cur.scope, &self.lower(callee)) {
            Some(s) => {
                let s = self.p.symbol(s);
                s.kind == SymbolKind::Variable && s.rank == 0 && s.ty.base != BaseType::String && s.scope == self.cur.scope
            }
            None => true,
        }
    }

    /// An external procedure's signature in an interface block.
    pub fn interface_body(&mut self, node: Node<'t>) -> Lowered<Option<String>> {
        let Some(kind) = kind_of(node) else { return Ok(None) };
        let Some(name_node) = head(node).and_then(|h| child(h, "name")) else { return Ok(None) };
        let name = self.lower(name_node);
        let scope = self.cur.scope;
        if let Some(&own) = self.names.get(&(scope, name.clone())) {
            // The interface of a dummy procedure.
            self.p.symbol_mut(own).decl.get_or_insert_default().attributes.push("external".into());
            self.scope_info(scope).typed.insert(own);
            return Ok(None);
        }
        if let Some(&known) = self.names.get(&(ScopeId(0), name.clone())) {
            self.names.insert((scope, name.clone()), known);
            return Ok(Some(name));
        }
        let mut s = Symbol::subroutine(self.text(name_node), ScopeId(0));
        s.span = self.file().span(name_node);
        if let Some(d) = &mut s.decl {
            d.storage = Storage::Extern;
        }
        let symbol = self.add(s);
        self.names.insert((scope, name.clone()), symbol);
        // An interface body sees its surroundings only through IMPORT.
        let parent = if child(node, "import_statement").is_some() { scope } else { ScopeId(0) };
        let own = self.p.add_scope(Scope { parent: Some(parent), span: self.file().span(node), ..Scope::default() });
        self.scope_info(own);
        let index = self.procs.len();
        let (file, host) = (self.cur.file, Some(self.cur.proc));
        let elemental =
            head(node).is_some_and(|h| named(h).iter().any(|q| q.kind() == "procedure_qualifier" && self.lower(*q) == "elemental"));
        let pure = head(node).is_some_and(|h| {
            named(h).iter().any(|q| q.kind() == "procedure_qualifier" && matches!(self.lower(*q).as_str(), "pure" | "elemental"))
        });
        self.procs.push(Proc {
            name: name.clone(),
            node,
            file,
            kind,
            symbol,
            scope: own,
            host,
            formals: Vec::new(),
            elemental,
            pure,
            failed: Vec::new(),
            interface_only: true,
            bound: Vec::new(),
            behind: None,
        });
        self.proc_of.insert(symbol, index);
        let outer = std::mem::replace(&mut self.cur, empty_current());
        self.enter(index);
        let result = self.declare_in(index);
        self.cur = outer;
        result?;
        Ok(Some(name))
    }

    /// The executable part of a unit.
    pub fn body(&mut self, proc: usize) -> Option<Unit> {
        self.enter(proc);
        let (node, scope, kind, symbol) = (self.procs[proc].node, self.procs[proc].scope, self.procs[proc].kind, self.procs[proc].symbol);
        let file = self.file();
        let mut unit = Unit::new(symbol, scope);
        unit.kind = match kind {
            ProcKind::Subroutine => UnitKind::Subroutine,
            ProcKind::Function => UnitKind::Function,
            ProcKind::Main => UnitKind::Main,
            ProcKind::Module | ProcKind::BlockData => UnitKind::Container,
        };
        unit.span = self.procs[proc].behind.unwrap_or_else(|| file.span(node));
        unit.formals = self.procs[proc].formals.clone();
        unit.imports = self.info[scope.index()].imports.clone();
        if let Some(h) = head(node) {
            unit.comment = file.comment(h);
            unit.prefixes = named(h).into_iter().filter(|c| c.kind() == "procedure_qualifier").map(|c| self.lower(c).into()).collect();
            if has(h, "language_binding") {
                unit.prefixes.push("bind(c)".into());
            }
        }
        if self.procs[proc].host.is_some_and(|h| self.procs[h].kind != ProcKind::Module) {
            unit.prefixes.push("internal".into());
        }
        if self.p.symbol(symbol).has_attribute("private") {
            unit.prefixes.push("private".into());
        }
        if unit.kind == UnitKind::Container {
            if kind == ProcKind::BlockData {
                unit.prefixes.push("block_data".into());
            }
            return Some(unit);
        }
        walk(node, &mut |n| {
            if n.kind() == "internal_procedures" {
                return false;
            }
            if n.kind() == "format_statement" {
                let text = file.text(n);
                if let Some(at) = text.find('(') {
                    self.cur.formats.insert(file.label(n).to_string(), text[at..].trim().to_string());
                }
            }
            if n.kind() == "statement_label_reference"
                && n.parent().is_some_and(|p| matches!(p.kind(), "keyword_statement" | "arithmetic_if_statement"))
            {
                self.cur.targets.insert(super::control::label_text(&file.lower(n)));
            }
            true
        });
        self.cur.swaps = self.find_swaps();
        self.cur.graph = Some(GraphBuilder::new(scope));
        let functions: FxHashSet<usize> = self.info[scope.index()].statement_functions.values().map(|f| f.definition.id()).collect();
        let statements: Vec<Node> = named(node)
            .into_iter()
            .filter(|c| {
                !is_specification(c.kind())
                    && !functions.contains(&c.id())
                    && !c.kind().starts_with("end_")
                    && c.kind() != "internal_procedures"
            })
            .collect();
        let mut refusals = Vec::new();
        self.freed_on_entry(node);
        self.initial_members();
        self.components_on_entry(&statements);
        self.statements(&statements, &mut refusals);
        if let Some(end) = children(node).into_iter().rev().find(|c| c.kind().starts_with("end_")) {
            let label = file.label(end).to_string();
            if self.cur.targets.contains(&label)
                && let Some(g) = &mut self.cur.graph
            {
                g.label(label);
            }
        }
        self.procs[proc].failed.extend(refusals);
        let graph = self.cur.graph.take()?;
        match graph.finish() {
            Ok(built) => {
                unit.graph = built.graph;
                unit.structured = built.structured;
            }
            Err(e) if self.procs[proc].failed.is_empty() => {
                let d =
                    Diagnostic::error("OB3036", format!("the label {} is not defined exactly once", e.0)).at(self.p.location(unit.span));
                self.procs[proc].failed.push(d);
            }
            Err(_) => {}
        }
        if self.procs[proc].failed.is_empty() { Some(unit) } else { None }
    }
}

fn is_specification(kind: &str) -> bool {
    matches!(
        kind,
        "use_statement"
            | "implicit_statement"
            | "variable_declaration"
            | "variable_modification"
            | "parameter_statement"
            | "common_statement"
            | "data_statement"
            | "save_statement"
            | "namelist_statement"
            | "public_statement"
            | "private_statement"
            | "interface"
            | "equivalence_statement"
            | "cray_pointer_declaration"
            | "enum"
            | "enumeration_type"
            | "derived_type_definition"
            | "import_statement"
            | "bind_statement"
            | "format_statement"
            | "subroutine_statement"
            | "function_statement"
            | "module_statement"
            | "program_statement"
            | "block_data_statement"
            | "statement_label"
    )
}

/// A place holder while a nested signature is read.
pub(super) fn empty_current<'t>() -> Current<'t> {
    Current {
        proc: 0,
        scope: ScopeId(0),
        file: 0,
        graph: None,
        frames: Vec::new(),
        constructs: Vec::new(),
        targets: FxHashSet::default(),
        after: Vec::new(),
        statement: None,
        comment: String::new(),
        depth: 0,
        data_index: FxHashMap::default(),
        formats: FxHashMap::default(),
        words: FxHashSet::default(),
        counters: FxHashMap::default(),
        free_indices: Vec::new(),
        one_based: FxHashSet::default(),
        mask: None,
        components: FxHashMap::default(),
        partly: FxHashSet::default(),
        whole: FxHashSet::default(),
        shapes: FxHashMap::default(),
        given: FxHashMap::default(),
        swaps: super::swaps::Swaps::default(),
    }
}
