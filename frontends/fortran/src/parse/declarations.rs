//! Specification parts: declarations to symbols.
//!
//! Lives here: types, dimensions, attributes, storage of names. Never here: executable statements.

use super::scope::{Lower, Lowered, ProcKind, TypeSpec, Use};
use super::tree::{child, children, field, named};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;
use xaif::model::*;

/// What is declared for all names of a declaration.
#[derive(Default)]
struct Attributes<'t> {
    words: Vec<String>,
    dims: Option<Node<'t>>,
    intent: Option<Intent>,
}

const ONE_PLACE: &str = "a variable has one place in memory";
const TAKE_OUT: &str = "take it out of one of the declarations";

impl<'t> Lower<'t> {
    /// The symbol of a name in the current scope itself, made if there is none.
    pub fn entity(&mut self, node: Node<'t>) -> SymbolId {
        let name = self.lower(node);
        if let Some(&s) = self.names.get(&(self.cur.scope, name)) {
            return s;
        }
        let mut s = Symbol::variable(self.text(node).trim(), ElemType::default(), self.cur.scope);
        s.span = self.file().span(node);
        let row = node.start_position().row;
        // A list that goes on over several lines is one statement: the comment is for the entities on its first line.
        let first = s.span.line == self.file().row_span(row).line;
        if let Some(d) = s.decl.as_mut().filter(|_| first) {
            d.comment = self.files[self.cur.file].spliced.lines.get(row).map_or("", |l| l.comment.as_str()).into();
        }
        self.add(s)
    }

    pub fn decl(&mut self, symbol: SymbolId) -> &mut Decl {
        self.p.symbol_mut(symbol).decl.get_or_insert_default()
    }

    pub fn attribute(&mut self, symbol: SymbolId, word: &str) {
        let d = self.decl(symbol);
        if !d.attributes.iter().any(|a| a == word) {
            d.attributes.push(word.into());
        }
    }

    /// One statement of a specification part; false if it is none.
    pub fn specification(&mut self, node: Node<'t>) -> Lowered<bool> {
        match node.kind() {
            "use_statement" => self.use_statement(node)?,
            "implicit_statement" => self.implicit_statement(node)?,
            "variable_declaration" => self.variable_declaration(node)?,
            "variable_modification" => self.variable_modification(node)?,
            "parameter_statement" => {
                for a in named(node).into_iter().filter(|c| c.kind() == "parameter_assignment") {
                    if let [name, value] = named(a)[..] {
                        let s = self.entity(name);
                        self.decl(s).storage = Storage::Constant;
                        self.apply_implicit(s);
                        self.initial(s, value)?;
                    }
                }
            }
            "common_statement" => self.common(node)?,
            "data_statement" => self.data(node)?,
            "save_statement" => {
                let list: Vec<Node> = named(node);
                if list.is_empty() {
                    self.scope_info(self.cur.scope).save_all = true;
                }
                for n in list.into_iter().filter(|n| n.kind() == "identifier") {
                    let s = self.entity(n);
                    self.attribute(s, "save");
                }
            }
            "namelist_statement" => {
                for g in named(node) {
                    let mut members = named(g).into_iter();
                    let group = members.next().map(|n| self.lower(n)).unwrap_or_default();
                    let mut symbols = Vec::new();
                    let mut names = Vec::new();
                    for m in members {
                        let own = self.lower(m);
                        names.push(self.text(m).trim().to_owned());
                        symbols.push(match self.lookup(self.cur.scope, &own) {
                            Some(s) => s,
                            None => self.entity(m),
                        });
                    }
                    let module = self.procs[self.cur.proc].kind == super::scope::ProcKind::Module;
                    let info = self.scope_info(self.cur.scope);
                    // Derivative units of a procedure need it as well; a module has its own text.
                    if !module {
                        info.imports.push(format!("namelist /{group}/ {}", names.join(", ")));
                    }
                    info.namelists.entry(group).or_default().extend(symbols);
                }
            }
            "public_statement" | "private_statement" => {
                let private = node.kind() == "private_statement";
                let names: Vec<String> = named(node).iter().map(|n| self.generic_name(*n)).collect();
                let info = self.scope_info(self.cur.scope);
                match (names.is_empty(), private) {
                    (true, p) => info.default_private = p,
                    (false, true) => info.private.extend(names),
                    (false, false) => info.public.extend(names),
                }
            }
            "interface" => self.interface(node)?,
            // With these the unit is not represented, but the declarations behind them say how it is called.
            "equivalence_statement" => {
                let mut d = *self.refuse(node, "OB3023", "EQUIVALENCE");
                d.help = Some("use one name for the storage".into());
                self.procs[self.cur.proc].failed.push(d);
            }
            "entry_statement" => {
                let d = *self.refuse(node, "OB3024", "ENTRY");
                self.procs[self.cur.proc].failed.push(d);
            }
            "cray_pointer_declaration" => return Err(self.refuse(node, "OB3022", "Cray pointer")),
            "include_statement" => return Err(self.include(node)),
            "enum" => self.enumeration(node)?,
            "enumeration_type" => return Err(self.refuse(node, "OB3034", "ENUMERATION TYPE")),
            "derived_type_definition" => {
                // Derivative units of a procedure need it as well; a module has its own text.
                if self.procs[self.cur.proc].kind != super::scope::ProcKind::Module {
                    let text = self.statements_text(node);
                    self.scope_info(self.cur.scope).imports.push(text);
                }
            }
            "import_statement"
            | "bind_statement"
            | "format_statement"
            | "statement_label"
            | ";"
            | "subroutine_statement"
            | "function_statement"
            | "module_statement"
            | "program_statement"
            | "block_data_statement" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn use_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        let module = child(node, "module_name").map(|m| self.lower(m)).unwrap_or_default();
        let scope = self.modules.get(&module).copied();
        let mut renames = FxHashMap::default();
        let mut only = None;
        let mut rename = |l: &Self, a: Node| {
            if let (Some(local), Some(own)) = (child(a, "local_name"), child(a, "identifier")) {
                renames.insert(l.lower(local), l.lower(own));
                return Some(l.lower(local));
            }
            None
        };
        if let Some(items) = child(node, "included_items") {
            let mut names = FxHashSet::default();
            for i in named(items) {
                match i.kind() {
                    "use_alias" => names.extend(rename(self, i)),
                    "identifier" | "assignment" => {
                        names.insert(self.generic_name(i));
                    }
                    _ => {}
                }
            }
            only = Some(names);
        }
        for a in named(node).into_iter().filter(|c| c.kind() == "use_alias") {
            rename(self, a);
        }
        let text = self.file().squeezed(node);
        let info = self.scope_info(self.cur.scope);
        info.uses.push(Use { module, scope, only, renames });
        info.imports.push(text);
        Ok(())
    }

    fn implicit_statement(&mut self, node: Node<'t>) -> Lowered<()> {
        if child(node, "none").is_some() {
            self.scope_info(self.cur.scope).implicit = None;
            return Ok(());
        }
        let mut spec: Option<TypeSpec> = None;
        for c in named(node) {
            match c.kind() {
                "implicit_range" => {
                    let range = self.lower(c);
                    let letters: Vec<u8> = range.bytes().filter(u8::is_ascii_lowercase).collect();
                    let (Some(&from), Some(&to), Some(t)) = (letters.first(), letters.last(), &spec) else { continue };
                    let t = t.clone();
                    let info = self.scope_info(self.cur.scope);
                    let table = info.implicit.get_or_insert_with(super::scope::default_implicit);
                    for l in from..=to {
                        table[(l - b'a') as usize] = t.clone();
                    }
                }
                _ => spec = Some(self.type_spec(c)?),
            }
        }
        Ok(())
    }

    fn variable_declaration(&mut self, node: Node<'t>) -> Lowered<()> {
        let Some(t) = field(node, "type") else { return Err(self.refuse(node, "OB3034", "malformed declaration")) };
        if t.kind() == "procedure" {
            if self.dummy_procedures(node) {
                return Ok(());
            }
            return Err(self.refuse(node, "OB3030", "procedure pointer or dummy procedure"));
        }
        if t.kind() == "declared_type" {
            return Err(self.refuse(t, "OB3027", "TYPEOF"));
        }
        let spec = self.type_spec(t)?;
        let mut attributes = Attributes::default();
        let mut cursor = node.walk();
        for a in node.children_by_field_name("attribute", &mut cursor) {
            self.qualifier(a, &mut attributes)?;
        }
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        for d in declarators {
            let (target, value) = match d.kind() {
                "init_declarator" => (field(d, "left"), field(d, "right")),
                "pointer_init_declarator" | "data_declarator" => (field(d, "left"), None),
                _ => (Some(d), None),
            };
            let Some(target) = target else { continue };
            let symbol = self.declarator(target, Some(&spec), &attributes)?;
            if let Some(v) = value {
                self.initial(symbol, v)?;
            }
            if d.kind() == "data_declarator"
                && let Some(v) = child(d, "data_value")
            {
                self.data_set(&[target], v)?;
            }
        }
        Ok(())
    }

    fn variable_modification(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut attributes = Attributes::default();
        match child(node, "type_qualifier") {
            Some(q) => self.qualifier(q, &mut attributes)?,
            None => return Err(self.refuse(node, "OB3034", "unsupported attribute")),
        }
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        if attributes.words.first().is_some_and(|w| w == "intrinsic") {
            // Intrinsic procedures need no declaration.
            return Ok(());
        }
        for d in declarators {
            self.declarator(d, None, &attributes)?;
        }
        Ok(())
    }

    fn qualifier(&mut self, node: Node<'t>, out: &mut Attributes<'t>) -> Lowered<()> {
        if node.kind() == "language_binding" {
            out.words.push("bind(c)".into());
            return Ok(());
        }
        let words: Vec<String> = children(node).iter().filter(|c| !c.is_named()).map(|c| self.lower(*c)).collect();
        match words.first().map_or("", |w| w.as_str()) {
            "dimension" => out.dims = child(node, "argument_list"),
            "intent" => {
                let what: String = words[1..].iter().filter(|w| *w != "(" && *w != ")").cloned().collect();
                out.intent = Some(match what.as_str() {
                    "in" => Intent::In,
                    "out" => Intent::Out,
                    _ => Intent::Inout,
                });
            }
            "codimension" => return Err(self.refuse(node, "OB3026", "coarray")),
            "rank" => return Err(self.refuse(node, "OB3034", "RANK attribute")),
            word => out.words.push(word.into()),
        }
        Ok(())
    }

    /// One name of a declaration.
    fn declarator(&mut self, node: Node<'t>, spec: Option<&TypeSpec>, attributes: &Attributes<'t>) -> Lowered<SymbolId> {
        let (name, size, length) = match node.kind() {
            "identifier" => (node, None, None),
            "sized_declarator" => {
                let name = named(node).first().copied().unwrap_or(node);
                (name, child(node, "size"), child(node, "character_length"))
            }
            _ => return Err(self.refuse(node, "OB3026", "coarray")),
        };
        if name.kind() != "identifier" {
            return Err(self.refuse(node, "OB3034", "malformed declaration"));
        }
        let symbol = self.entity(name);
        if self.p.symbol(symbol).kind == SymbolKind::Subroutine {
            return Err(self.refuse(name, "OB3013", format!("`{}` is a procedure of the same scope", self.text(name))));
        }
        if let Some(spec) = spec {
            let mut text = spec.text.clone();
            if let Some(l) = length {
                let n = self.text(l).trim_start_matches('*').trim();
                text = format!("character(len={})", n.trim_start_matches('(').trim_end_matches(')')).into();
            }
            let s = self.p.symbol_mut(symbol);
            s.ty = spec.ty;
            let span = self.files[self.cur.file].span(name);
            self.p.symbol_mut(symbol).span = span;
            self.decl(symbol).type_text = text;
            self.scope_info(self.cur.scope).typed.insert(symbol);
        }
        if let Some(size) = size.or(attributes.dims) {
            self.dimensions(symbol, size)?;
        }
        for w in &attributes.words {
            match w.as_str() {
                "parameter" => self.decl(symbol).storage = Storage::Constant,
                "value" => self.decl(symbol).passing = Passing::Value,
                "private" | "public" => {
                    let name = self.lower(name);
                    let info = self.scope_info(self.cur.scope);
                    if w == "private" { &mut info.private } else { &mut info.public }.insert(name);
                }
                "static" => self.attribute(symbol, "save"),
                w => self.attribute(symbol, w),
            }
            if w == "pointer" {
                self.p.symbol_mut(symbol).kind = SymbolKind::Pointer;
                self.p.symbol_mut(symbol).pointer = true;
            }
            if w == "pointer" || w == "target" {
                self.decl(symbol).may_alias = true;
            }
        }
        if let Some(intent) = attributes.intent {
            let proc = self.cur.proc;
            match self.procs[proc].formals.iter_mut().find(|f| f.symbol == symbol) {
                Some(f) => {
                    f.intent = intent;
                    f.intent_declared = true;
                }
                None => return Err(self.refuse(name, "OB3013", format!("`{}` has INTENT, but is no argument", self.text(name)))),
            }
        }
        Ok(symbol)
    }

    fn dimensions(&mut self, symbol: SymbolId, size: Node<'t>) -> Lowered<()> {
        let mut dims = Vec::new();
        let items = named(size);
        if items.len() > 7 {
            return Err(self.refuse(size, "OB3034", "more than seven dimensions"));
        }
        for item in items {
            let one = || Bound::Expr(Expr::int(1));
            let mut dim = Dim::default();
            match item.kind() {
                "assumed_size" => dim.lower = one(),
                "assumed_rank" => return Err(self.refuse(item, "OB3034", "assumed rank")),
                "extent_specifier" => {
                    let mut colon = false;
                    let mut star = false;
                    for c in children(item) {
                        match (c.is_named(), c.kind()) {
                            (false, ":") => colon = true,
                            (true, "assumed_size") => star = true,
                            (true, _) => {
                                let v = self.bound(c)?;
                                if colon { dim.upper = Bound::Expr(v) } else { dim.lower = Bound::Expr(v) }
                            }
                            _ => {}
                        }
                    }
                    if dim.upper == Bound::Unknown && !star {
                        self.scope_info(self.cur.scope).deferred.insert(symbol);
                    }
                }
                _ => {
                    dim.lower = one();
                    dim.upper = Bound::Expr(self.bound(item)?);
                }
            }
            dims.push(dim);
        }
        self.p.symbol_mut(symbol).rank = dims.len() as u8;
        self.decl(symbol).dims = dims;
        Ok(())
    }

    fn bound(&mut self, node: Node<'t>) -> Lowered<Expr> {
        Ok(self.expr(node)?.e)
    }

    /// An initial value.
    fn initial(&mut self, symbol: SymbolId, value: Node<'t>) -> Lowered<()> {
        let s = self.p.symbol(symbol);
        let (rank, ty) = (s.rank, s.ty);
        let constant = *s.storage() == Storage::Constant;
        let name = s.name.to_ascii_lowercase();
        if constant
            && ty.base == BaseType::Integer
            && rank == 0
            && let Some(v) = self.const_int(value)
        {
            self.scope_info(self.cur.scope).constants.insert(name, v);
        }
        let text = self.file().squeezed(value);
        let e = if rank == 0 { self.expr(value).ok().filter(|v| v.rank == 0) } else { None };
        let d = self.decl(symbol);
        match e {
            Some(v) => d.init = Some(v.e),
            None => d.init_text = text.into(),
        }
        if !constant {
            self.attribute(symbol, "save");
        }
        Ok(())
    }

    /// ENUM: named constants, each one more than the one before unless it says its value.
    fn enumeration(&mut self, node: Node<'t>) -> Lowered<()> {
        let mut next = 0i64;
        for list in named(node).into_iter().filter(|c| c.kind() == "enumerator_statement") {
            for d in named(list) {
                let (name, value) = match d.kind() {
                    "identifier" => (Some(d), None),
                    "init_declarator" => (field(d, "left"), field(d, "right")),
                    _ => (None, None),
                };
                let Some(name) = name else { return Err(self.refuse(d, "OB3034", "malformed ENUM")) };
                if let Some(v) = value {
                    next = self.const_int(v).ok_or_else(|| self.refuse(v, "OB3011", "this enumerator has no known value"))?;
                }
                let s = self.entity(name);
                self.p.symbol_mut(s).ty = ElemType::INTEGER;
                let d = self.decl(s);
                d.storage = Storage::Constant;
                d.type_text = "integer".into();
                d.init = Some(Expr::int(next));
                let key = self.lower(name);
                self.scope_info(self.cur.scope).typed.insert(s);
                self.scope_info(self.cur.scope).constants.insert(key, next);
                next = next.saturating_add(1);
            }
        }
        Ok(())
    }

    fn common(&mut self, node: Node<'t>) -> Lowered<()> {
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

    /// The text of a construct, a line for each statement.
    fn statements_text(&self, node: Node<'t>) -> String {
        let end = node.end_position();
        let rows = self.file().spliced.lines.iter().take(end.row + usize::from(end.column > 0)).skip(node.start_position().row);
        rows.map(|l| l.text.as_str()).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// A name, or what stands for one: `assignment(=)`.
    fn generic_name(&self, node: Node<'t>) -> String {
        self.lower(node).replace(' ', "")
    }

    /// Interface blocks: signatures of external procedures, and generic names.
    fn interface(&mut self, node: Node<'t>) -> Lowered<()> {
        let span = self.file().span(node);
        let file = self.file();
        let lines = file.original.iter().skip(span.line as usize - 1).take((span.end_line - span.line) as usize + 1);
        let mut text = lines.cloned().collect::<Vec<_>>().join("\n");
        if !text.to_ascii_lowercase().contains("interface") {
            // The block stands in an included file.
            text = self.statements_text(node);
        }
        self.scope_info(self.cur.scope).imports.push(text);
        let generic = child(node, "interface_statement").and_then(|s| child(s, "name").or_else(|| child(s, "assignment")));
        let generic = generic.map(|n| self.generic_name(n));
        let mut specifics = Vec::new();
        for c in named(node) {
            match c.kind() {
                "procedure_statement" => {
                    specifics.extend(named(c).iter().filter(|n| n.kind() == "method_name").map(|n| self.lower(*n)));
                }
                "function" | "subroutine" => specifics.extend(self.interface_body(c)?),
                _ => {}
            }
        }
        if let Some(g) = generic {
            self.scope_info(self.cur.scope).generics.entry(g).or_default().extend(specifics);
        }
        Ok(())
    }

    /// Gives a name that was not declared its implicit type.
    pub fn apply_implicit(&mut self, symbol: SymbolId) {
        let s = self.p.symbol(symbol);
        let scope = s.scope;
        if self.info.get(scope.index()).is_some_and(|i| i.typed.contains(&symbol)) {
            return;
        }
        let name = s.name.to_ascii_lowercase();
        if let Some(t) = self.implicit_type(scope, &name) {
            self.p.symbol_mut(symbol).ty = t.ty;
            self.decl(symbol).type_text = t.text;
            self.scope_info(scope).typed.insert(symbol);
        }
    }

    /// Old programs declare dummy arrays with the bound 1 where they mean `*`: that is what an element behind the first shows.
    fn open_old_arrays(&mut self, unit: Node<'t>) {
        for f in self.procs[self.cur.proc].formals.clone() {
            let symbol = self.p.symbol(f.symbol);
            let one = |b: &Bound| matches!(b, Bound::Expr(e) if e.as_int() == Some(1));
            let last = symbol.decl.as_ref().and_then(|d| d.dims.last());
            if f.result || !last.is_some_and(|d| one(&d.lower) && one(&d.upper)) {
                continue;
            }
            let name = symbol.name.to_ascii_lowercase();
            let (mut beyond, mut whole) = (false, false);
            super::tree::walk(unit, &mut |n| {
                if n.kind().ends_with("_declaration") || n.kind() == "parameters" {
                    return false;
                }
                if n.kind() != "identifier" || self.lower(n) != name {
                    return true;
                }
                let Some(parent) = n.parent() else { return true };
                if parent.kind() == "call_expression" && parent.named_child(0) == Some(n) {
                    let index = child(parent, "argument_list").and_then(|l| named(l).last().copied());
                    beyond |= index.is_some_and(|i| i.kind() != "extent_specifier" && self.const_int(i) != Some(1));
                } else {
                    whole |= parent.kind() != "argument_list";
                }
                true
            });
            if beyond
                && !whole
                && let Some(d) = self.decl(f.symbol).dims.last_mut()
            {
                d.upper = Bound::Unknown;
            }
        }
    }

    /// The end of a specification part: types by default, storage, passing.
    pub fn finish_specification(&mut self) -> Lowered<()> {
        let scope = self.cur.scope;
        let proc = self.cur.proc;
        let (kind, node) = (self.procs[proc].kind, self.procs[proc].node);
        let symbols = self.p.scope(scope).symbols.clone();
        for s in symbols {
            if self.p.symbol(s).kind == SymbolKind::Subroutine {
                continue;
            }
            let formal = self.procs[proc].formals.iter().any(|f| f.symbol == s);
            let external = self.p.symbol(s).has_attribute("external");
            if external && !formal {
                self.external(s);
                continue;
            }
            let name = self.p.symbol(s).name.to_ascii_lowercase();
            if !self.info[scope.index()].typed.contains(&s) {
                if self.info[scope.index()].generics.contains_key(&name) {
                    self.remove(s);
                    continue;
                }
                self.apply_implicit(s);
                if !self.info[scope.index()].typed.contains(&s) && !external {
                    let place = self.p.location(self.p.symbol(s).span);
                    let _ = node;
                    return Err(Box::new(xaif::Diagnostic::error("OB3010", format!("`{name}` is not declared")).at(place)));
                }
            }
            let deferred = self.info[scope.index()].deferred.contains(&s);
            let save_all = self.info[scope.index()].save_all;
            let (allocatable, pointer) = (self.p.symbol(s).has_attribute("allocatable"), self.p.symbol(s).has_attribute("pointer"));
            let saved = save_all || self.p.symbol(s).has_attribute("save");
            if deferred && !formal && !allocatable && !pointer {
                let place = self.p.location(self.p.symbol(s).span);
                return Err(Box::new(xaif::Diagnostic::error("OB3013", format!("`{name}` has no bounds")).at(place)));
            }
            if formal && matches!(self.p.symbol(s).storage(), Storage::Common(_)) {
                let place = self.p.location(self.p.symbol(s).span);
                let d = xaif::Diagnostic::error("OB3013", format!("the argument `{name}` is in a COMMON block")).at(place);
                return Err(Box::new(d.because(ONE_PLACE).help(TAKE_OUT)));
            }
            let d = self.decl(s);
            if formal {
                d.storage = Storage::Argument;
                if (deferred || allocatable || pointer) && d.passing != Passing::Value {
                    d.passing = Passing::Descriptor;
                }
                if deferred && !allocatable && !pointer {
                    for dim in &mut d.dims {
                        if dim.lower == Bound::Unknown {
                            dim.lower = Bound::Expr(Expr::int(1));
                        }
                    }
                }
            } else if d.storage == Storage::Local {
                if matches!(kind, ProcKind::Module | ProcKind::BlockData) {
                    d.storage = Storage::Global;
                } else if saved {
                    d.storage = Storage::Static;
                }
            }
        }
        self.make_members();
        self.open_old_arrays(node);
        self.finish_data();
        // Members of COMMON blocks stand in the order of the block.
        for (_, members) in self.info[scope.index()].commons.clone() {
            let table = &mut self.p.scopes[scope.index()].symbols;
            let mut places: Vec<usize> = members.iter().filter_map(|m| table.iter().position(|s| s == m)).collect();
            places.sort_unstable();
            for (at, m) in places.into_iter().zip(members) {
                table[at] = m;
            }
        }
        if kind == ProcKind::Module {
            let info = &self.info[scope.index()];
            let private: Vec<SymbolId> = self
                .p
                .scope(scope)
                .symbols
                .iter()
                .copied()
                .filter(|s| {
                    let name = self.p.symbol(*s).name.to_ascii_lowercase();
                    info.private.contains(&name) || info.default_private && !info.public.contains(&name)
                })
                .collect();
            for s in private {
                self.attribute(s, "private");
            }
        }
        Ok(())
    }
}
