//! Input and output: statements that are kept as text.
//!
//! Lives here: what they read and write. Never here: their formats' meaning.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::canonical::squeeze;
use crate::parse::text::tree::{child, field, label_text, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Input and output.
    pub fn io(&mut self, node: Node<'t>) -> Lowered<()> {
        self.own_names_only(node)?;
        let mut writes = Vec::new();
        let mut reads = self.symbols_in(node)?;
        let inquire = node.kind() == "inquire_statement";
        for k in named(node).into_iter().filter(|c| c.kind() == "keyword_argument") {
            let name = field(k, "name").map(|n| self.lower(n)).unwrap_or_default();
            let Some(v) = field(k, "value") else { continue };
            match name.as_str() {
                "end" | "err" | "eor" => {
                    let mut d = *self.refuse(k, "OB3035", format!("jump out of an input or output statement (`{name}=`)"));
                    d.help = Some("use `iostat=` and branch on it".into());
                    return Err(Box::new(d));
                }
                "nml" => self.namelist(v, node, &mut reads, &mut writes),
                "iostat" | "iomsg" | "size" | "newunit" | "id" => writes.extend(self.base_variable(v)?),
                "unit" | "fmt" | "file" if !inquire => {}
                _ if inquire && !matches!(name.as_str(), "unit" | "file" | "id") => writes.extend(self.base_variable(v)?),
                _ => {}
            }
        }
        if let Some(f) = child(node, "format_identifier")
            && let Some(group) = named(f).into_iter().find(|n| n.kind() == "identifier")
        {
            self.namelist(group, node, &mut reads, &mut writes);
        }
        if node.kind() == "read_statement" {
            for item in child(node, "input_item_list").map(named).unwrap_or_default() {
                self.input_item(item, &mut writes)?;
            }
        }
        // An internal file is a variable.
        if matches!(node.kind(), "write_statement")
            && let Some(u) = child(node, "unit_identifier")
            && let Some(v) = named(u).first()
            && let Some(symbol) = self.base_variable(*v)?
            && self.p.symbol(symbol).ty.base == BaseType::String
        {
            writes.push(symbol);
        }
        // The index of an implied loop is written, too.
        let mut indices = Vec::new();
        walk(node, &mut |n| {
            if n.kind() == "loop_control_expression" {
                indices.extend(named(n).first().copied());
            }
            true
        });
        for i in indices {
            writes.push(self.variable(i)?);
        }
        if self.calls_user(node) && !self.calls_pure_only(node) && !self.calls_without_effects(node) {
            let mut d = *self.refuse(node, "OB3047", "input or output of what a function returns that may have side effects");
            d.help = Some("assign the function's value to a variable first".into());
            return Err(Box::new(d));
        }
        reads.sort_unstable();
        reads.dedup();
        let text = self.with_format(node);
        writes.sort_unstable();
        writes.dedup();
        let class = if self.is_terminal(node, &text) { MarkerClass::Terminal } else { MarkerClass::Io };
        let marker = Marker { class, text, reads, writes, ..Marker::default() };
        self.emit(StmtKind::Marker(Box::new(marker)), node, false);
        Ok(())
    }

    /// Whether a statement reads from or writes to the terminal, or text of the program: nothing goes to a file.
    fn is_terminal(&self, node: Node<'t>, text: &str) -> bool {
        let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        let behind = |word: &str| {
            let unit = squeezed.strip_prefix(word).and_then(|r| r.strip_prefix('(')).map(|r| r.strip_prefix("unit=").unwrap_or(r));
            unit.and_then(|r| r.split([',', ')']).next()).unwrap_or_default().to_owned()
        };
        let internal = |unit: &str| {
            self.lookup(self.cur.scope, unit.split(['(', '%']).next().unwrap_or_default())
                .is_some_and(|s| matches!(self.p.symbol(s).ty.base, BaseType::String | BaseType::Char))
        };
        match node.kind() {
            "print_statement" => true,
            "write_statement" => {
                let unit = behind("write");
                matches!(unit.as_str(), "*" | "6" | "0" | "output_unit" | "error_unit") || internal(&unit)
            }
            "read_statement" => {
                let unit = behind("read");
                matches!(unit.as_str(), "*" | "5" | "input_unit") || internal(&unit) || !squeezed.starts_with("read(")
            }
            _ => false,
        }
    }

    /// The text of an input or output statement with a format in place of the label of one: the text then stands for itself.
    fn with_format(&self, node: Node<'t>) -> String {
        let mut label = None;
        walk(node, &mut |n| {
            let reference = n.kind() == "statement_label_reference"
                || n.kind() == "number_literal"
                    && n.parent().is_some_and(|p| {
                        p.kind() == "format_identifier"
                            || p.kind() == "keyword_argument" && field(p, "name").is_some_and(|k| self.lower(k) == "fmt")
                    });
            if reference && label.is_none() {
                label = Some(n);
            }
            label.is_none()
        });
        let whole = self.text(node);
        if let Some(l) = label
            && let Some(format) = self.cur.formats.get(&label_text(self.text(l)))
            && let (Some(before), Some(after)) =
                (whole.get(..l.start_byte() - node.start_byte()), whole.get(l.end_byte() - node.start_byte()..))
        {
            let text = format!("{before}'{}'{after}", format.replace('\'', "''"));
            return squeeze(text.trim().chars());
        }
        self.file().squeezed(node).replace('\n', " ")
    }

    fn namelist(&mut self, group: Node<'t>, node: Node<'t>, reads: &mut Vec<SymbolId>, writes: &mut Vec<SymbolId>) {
        let name = self.lower(group);
        if let Some(members) = self.search(self.cur.scope, &|i| i.namelists.get(&name).cloned()) {
            if node.kind() == "read_statement" { writes } else { reads }.extend(members);
        }
    }

    fn input_item(&mut self, item: Node<'t>, writes: &mut Vec<SymbolId>) -> Lowered<()> {
        if item.kind() == "implied_do_loop_expression" {
            for i in named(item).into_iter().filter(|n| n.kind() != "loop_control_expression") {
                self.input_item(i, writes)?;
            }
            return Ok(());
        }
        match self.base_variable(item)? {
            Some(symbol) => {
                writes.push(symbol);
                Ok(())
            }
            None => Err(self.refuse(item, "OB3046", "this cannot be read into")),
        }
    }
}
