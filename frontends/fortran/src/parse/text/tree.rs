//! Helpers over the parser's tree: text, children, positions, labels.
//!
//! Lives here: everything that knows how tree-sitter presents a text. Never here: symbols, the program model.

use super::canonical::squeeze;
use super::isolate::Lost;
use super::lines::Spliced;
use super::sentinels::Said;
use tree_sitter::{Node, Tree};
use xaif::model::{SourceId, Span};

/// A parsed source file.
pub struct File {
    pub id: SourceId,
    pub spliced: Spliced,
    pub tree: Tree,
    /// The original lines, for verbatim quotations.
    pub original: Vec<String>,
    /// Where each row of the canonical text starts.
    pub row_starts: Vec<usize>,
    /// What it says to compilers.
    pub said: Vec<Said>,
    /// What was taken out because it is not understood.
    pub lost: Vec<Lost>,
}

/// Constructs nested deeper than this are refused.
pub const MAX_NESTING: usize = 60;

impl File {
    /// The canonical text of a node.
    pub fn text(&self, node: Node) -> &str {
        self.spliced.text.get(node.byte_range()).unwrap_or("")
    }

    /// The same in lower case, without blanks at the ends.
    pub fn lower(&self, node: Node) -> String {
        self.text(node).trim().to_ascii_lowercase()
    }

    /// The text of a node with runs of blanks as one.
    pub fn squeezed(&self, node: Node) -> String {
        squeeze(self.text(node).trim().chars())
    }

    /// Where a node stood in the original text.
    pub fn span(&self, node: Node) -> Span {
        self.range_span(node.start_byte(), node.end_byte())
    }

    fn range_span(&self, start: usize, end: usize) -> Span {
        let place = |i: usize| self.spliced.places.get(i).or(self.spliced.places.last()).copied().unwrap_or((1, 1));
        // Canonical text never starts a statement with blanks, but nodes may end with the newline.
        let mut end = end.min(self.spliced.text.len());
        let bytes = self.spliced.text.as_bytes();
        while end > start + 1 && bytes.get(end - 1).is_some_and(|b| b.is_ascii_whitespace()) {
            end -= 1;
        }
        let (line, column) = place(start);
        let (end_line, last) = place(end.saturating_sub(1).max(start));
        Span { source: self.id, line, column, end_line, end_column: last + 1 }
    }

    /// The whole statement on a row of the canonical text.
    pub fn row_span(&self, row: usize) -> Span {
        let end = self.row_starts.get(row + 1).map_or(self.spliced.text.len(), |e| e.saturating_sub(1));
        self.range_span(self.row_starts.get(row).copied().unwrap_or(end).min(end), end)
    }

    /// The statement label on the row where a node starts.
    pub fn label(&self, node: Node) -> &str {
        self.spliced.lines.get(node.start_position().row).map_or("", |l| &l.label)
    }

    /// What is said above the row where a node starts.
    pub fn comment(&self, node: Node) -> String {
        self.spliced.lines.get(node.start_position().row).map_or(String::new(), |l| l.comment.clone())
    }
}

/// All children, anonymous ones too.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The named children.
pub fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The children of a field.
pub fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The first child of a kind.
pub fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    children(node).into_iter().find(|c| c.kind() == kind)
}

/// True if the node has an anonymous child of that kind.
pub fn has(node: Node, kind: &str) -> bool {
    child(node, kind).is_some()
}

/// Calls `visit` for a node and all below it, in text order; where it returns false, not below.
pub fn walk<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>) -> bool) {
    let mut stack = vec![node];
    while let Some(n) = stack.pop() {
        if visit(n) {
            let mut c = children(n);
            c.reverse();
            stack.append(&mut c);
        }
    }
}

/// Children that end or head a construct and are no statements.
pub fn is_bracket(kind: &str) -> bool {
    kind.starts_with("end_")
        || matches!(
            kind,
            "statement_label"
                | "block_label_start_expression"
                | "do_statement"
                | "parenthesized_expression"
                | "selector"
                | "block_label"
                | "case_value_range_list"
                | "default"
                | "statement_label_reference"
                | "association_list"
                | "contains_statement"
        )
}

/// A label without leading zeros and blanks.
pub fn label_text(text: &str) -> String {
    text.trim().trim_start_matches('0').to_string()
}
