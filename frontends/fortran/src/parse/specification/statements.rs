//! Specification statements: which declaration one is, and what is kept of it.
//!
//! Lives here: the way of one statement to the file that knows it. Never here: variables, blocks, interfaces.

use crate::parse::context::state::{Lower, Lowered, ProcKind};
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

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

    /// The declaration of a symbol.
    pub fn decl(&mut self, symbol: SymbolId) -> &mut Decl {
        self.p.symbol_mut(symbol).decl.get_or_insert_default()
    }

    /// Gives a symbol an attribute.
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
            "parameter_statement" => self.parameters(node)?,
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
            "namelist_statement" => self.namelist_groups(node),
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
            "equivalence_statement" if self.procs[self.cur.proc].kind == ProcKind::Module => {
                return Err(Box::new(self.refuse(node, "OB3023", "EQUIVALENCE in a module").help("use one name for the storage")));
            }
            "equivalence_statement" => self.scope_info(self.cur.scope).equivalences.push(node),
            "entry_statement" if self.procs[self.cur.proc].kind == ProcKind::Subroutine => {}
            // With these the unit is not represented, but the declarations behind them say how it is called.
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
                if self.procs[self.cur.proc].kind != ProcKind::Module {
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

    /// PARAMETER as a statement.
    fn parameters(&mut self, node: Node<'t>) -> Lowered<()> {
        for a in named(node).into_iter().filter(|c| c.kind() == "parameter_assignment") {
            if let [name, value] = named(a)[..] {
                let s = self.entity(name);
                self.decl(s).storage = Storage::Constant;
                self.apply_implicit(s);
                self.initial(s, value)?;
            }
        }
        Ok(())
    }

    /// NAMELIST: groups and their members.
    fn namelist_groups(&mut self, node: Node<'t>) {
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
            let module = self.procs[self.cur.proc].kind == ProcKind::Module;
            let info = self.scope_info(self.cur.scope);
            // Derivative units of a procedure need it as well; a module has its own text.
            if !module {
                info.imports.push(format!("namelist /{group}/ {}", names.join(", ")));
            }
            info.namelists.entry(group).or_default().extend(symbols);
        }
    }

    /// The text of a construct, a line for each statement.
    pub fn statements_text(&self, node: Node<'t>) -> String {
        let end = node.end_position();
        let rows = self.file().spliced.lines.iter().take(end.row + usize::from(end.column > 0)).skip(node.start_position().row);
        rows.map(|l| l.text.as_str()).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
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
}
