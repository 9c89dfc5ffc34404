//! Program units: finding them, and their order.
//!
//! Lives here: modules, procedures, main programs as wholes. Never here: single declarations or statements.

use crate::parse::context::state::{Current, Lower, Lowered, Proc, ProcKind, empty_current};
use crate::parse::text::tree::{child, children, named};
use tree_sitter::Node;
use xaif::model::*;

/// The kind of unit that a node is.
pub fn kind_of(node: Node) -> Option<ProcKind> {
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
pub fn head(node: Node) -> Option<Node> {
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
        let Some(kind) = kind_of(node) else { return self.scan_other(node, file, host) };
        let head = head(node);
        let name_node = head.and_then(|h| child(h, "name"));
        let default = match kind {
            ProcKind::Main => "main",
            _ => "block_data",
        };
        let spelled = name_node.map_or(default, |n| self.text(n).trim()).to_string();
        let name = spelled.to_ascii_lowercase();
        let outer = host.map_or(ScopeId(0), |h| self.procs[h].scope);
        let lost = self.lost_units(node);
        if self.names.contains_key(&(outer, name.clone())) {
            // What directives choose from may be there twice.
            if !lost.is_empty() || self.procs.iter().any(|p| p.name == name && p.host == host && !p.failed.is_empty()) {
                return;
            }
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
        let (elemental, pure) = self.purity(node, file);
        let index = self.add_proc(Proc { host, elemental, pure, failed: lost, ..Proc::new(name, (node, file), kind, symbol, scope) });
        if kind == ProcKind::Subroutine {
            self.scan_entries(index);
        }
        for c in named(node) {
            if c.kind() == "internal_procedures" {
                self.scan(c, file, Some(index));
            }
        }
    }

    /// Takes up a unit that has been found.
    pub fn add_proc(&mut self, proc: Proc<'t>) -> usize {
        let index = self.procs.len();
        self.proc_of.insert(proc.symbol, index);
        self.procs.push(proc);
        index
    }

    /// Reads the declarations of a unit that is found while another one is in hand.
    pub fn declare_apart(&mut self, proc: usize) -> Lowered<()> {
        let outer = std::mem::replace(&mut self.cur, empty_current());
        self.enter(proc);
        let declared = self.declare_in(proc);
        self.cur = outer;
        declared
    }

    /// Whether the head of a unit says that it is elemental, and whether that it is pure: elemental units are, unless they are impure.
    pub fn purity(&self, unit: Node<'t>, file: usize) -> (bool, bool) {
        let words = head(unit).map(named).unwrap_or_default().into_iter().filter(|c| c.kind() == "procedure_qualifier");
        let words: Vec<String> = words.map(|c| self.files[file].lower(c)).collect();
        let is = |w: &str| words.iter().any(|q| q == w);
        (is("elemental"), is("pure") || is("elemental") && !is("impure"))
    }

    /// What is no unit.
    fn scan_other(&mut self, node: Node<'t>, file: usize, host: Option<usize>) {
        match node.kind() {
            "internal_procedures" => {
                for c in named(node) {
                    self.scan(c, file, host);
                }
            }
            "submodule" | "module_procedure" => {
                let d = self.refuse(node, "OB3048", "submodule");
                self.without_unit.push(*d);
            }
            "include_statement" => {
                let d = self.include(node);
                self.diagnostics.push(*d);
            }
            "interface" => {
                let d = self.refuse(node, "OB3001", "an interface block outside of a program unit");
                self.without_unit.push(*d);
            }
            _ => {}
        }
    }

    /// The further entries of a subroutine: units with the same text that begin where they stand.
    fn scan_entries(&mut self, of: usize) {
        let p = &self.procs[of];
        let (node, file, host, elemental, pure) = (p.node, p.file, p.host, p.elemental, p.pure);
        let outer = host.map_or(ScopeId(0), |h| self.procs[h].scope);
        for entry in children(node).into_iter().filter(|c| c.kind() == "entry_statement") {
            let Some(name_node) = child(entry, "name") else { continue };
            let name = self.lower(name_node);
            if self.names.contains_key(&(outer, name.clone())) {
                let d = self.refuse(name_node, "OB3013", format!("`{name}` is defined twice"));
                self.diagnostics.push(*d);
                continue;
            }
            let mut symbol = Symbol::subroutine(self.text(name_node).trim(), outer);
            symbol.span = self.file().span(name_node);
            let symbol = self.add(symbol);
            let scope = self.p.add_scope(Scope { parent: Some(outer), span: self.file().span(node), ..Scope::default() });
            self.scope_info(scope);
            let failed = self.procs[of].failed.clone();
            self.add_proc(Proc {
                host,
                entry: Some(entry),
                elemental,
                pure,
                failed,
                ..Proc::new(name, (node, file), ProcKind::Subroutine, symbol, scope)
            });
        }
    }

    /// Whether the text of a unit has several entries.
    pub fn has_entries(&self, proc: usize) -> bool {
        children(self.procs[proc].node).iter().any(|c| c.kind() == "entry_statement")
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
}
