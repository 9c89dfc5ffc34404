//! The statements of a unit to its graph.
//!
//! Lives here: what stands before the first statement and behind the last one. Never here: single statements.

use super::scan::head;
use crate::parse::context::state::{Lower, Proc, ProcKind};
use crate::parse::text::tree::{children, has, label_text, named, walk};
use rustc_hash::FxHashSet;
use tree_sitter::Node;
use xaif::Diagnostic;
use xaif::build::GraphBuilder;
use xaif::model::*;

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

impl<'t> Lower<'t> {
    /// The executable part of a unit.
    pub fn body(&mut self, proc: usize) -> Option<Unit> {
        self.enter(proc);
        let (node, scope) = (self.procs[proc].node, self.procs[proc].scope);
        let file = self.file();
        let mut unit = self.unit_head(proc);
        if unit.kind == UnitKind::Container {
            return Some(unit);
        }
        self.note_labels(node);
        self.enter_overlays();
        self.cur.swaps = self.find_swaps();
        self.cur.graph = Some(GraphBuilder::new(scope));
        let functions: FxHashSet<usize> = self.info[scope.index()].statement_functions.values().map(|f| f.definition.id()).collect();
        // Who comes in by another entry starts there; passing one does nothing.
        let from = self.procs[proc].entry.map_or(0, |e| e.end_byte());
        let statements: Vec<Node> = named(node)
            .into_iter()
            .filter(|c| c.kind() != "entry_statement" && c.start_byte() >= from)
            .filter(|c| {
                !is_specification(c.kind())
                    && !functions.contains(&c.id())
                    && !c.kind().starts_with("end_")
                    && c.kind() != "internal_procedures"
            })
            .collect();
        let statements = self.up_to_next_entry(statements, node);
        let mut refusals = Vec::new();
        self.cur.pointers = self.followed_pointers(&statements);
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
                let gone = self.names_overlaid(&built.graph);
                self.procs[proc].failed.extend(gone);
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

    /// The statements in front of an entry that the way to it does not go on to: RETURN stands there, and no jump leads behind it.
    fn up_to_next_entry(&self, mut statements: Vec<Node<'t>>, node: Node<'t>) -> Vec<Node<'t>> {
        let file = self.file();
        let ends = |n: &Node| n.kind() == "stop_statement" || n.kind() == "keyword_statement" && file.lower(*n).trim() == "return";
        for entry in children(node).into_iter().filter(|c| c.kind() == "entry_statement") {
            let kept = statements.iter().take_while(|s| s.end_byte() <= entry.start_byte()).count();
            if kept == 0 || !ends(&statements[kept - 1]) {
                continue;
            }
            let (mut used, mut defined) = (FxHashSet::default(), FxHashSet::default());
            for s in &statements[..kept] {
                walk(*s, &mut |n| {
                    if n.kind() == "statement_label_reference" {
                        used.insert(label_text(&file.lower(n)));
                    }
                    defined.insert(file.label(n).to_string());
                    true
                });
            }
            if used.is_subset(&defined) {
                statements.truncate(kept);
                break;
            }
        }
        statements
    }

    /// What the head of a unit says.
    fn unit_head(&self, proc: usize) -> Unit {
        let Proc { node, scope, kind, symbol, .. } = self.procs[proc];
        let file = self.file();
        let mut unit = Unit::new(symbol, scope);
        unit.kind = match kind {
            ProcKind::Subroutine => UnitKind::Subroutine,
            // What returns a structure sets an argument.
            ProcKind::Function if !self.procs[proc].formals.iter().any(|f| f.result) => UnitKind::Subroutine,
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
        if kind == ProcKind::BlockData {
            unit.prefixes.push("block_data".into());
        }
        unit
    }

    /// Notes the texts of FORMAT statements and the labels that some jump goes to.
    fn note_labels(&mut self, node: Node<'t>) {
        let file = self.file();
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
                self.cur.targets.insert(label_text(&file.lower(n)));
            }
            true
        });
    }
}
