//! Helpers over the parser's tree: text, children, positions, and the check that the tree can be trusted.
//!
//! Lives here: everything that knows how tree-sitter presents a text. Never here: symbols, the program model.

use super::source::{FormError, Spliced};
use tree_sitter::{Node, Tree};
use xaif::model::{SourceId, Span};

/// A parsed source file.
pub(super) struct File {
    pub id: SourceId,
    pub spliced: Spliced,
    pub tree: Tree,
    /// The original lines, for verbatim quotations.
    pub original: Vec<String>,
    /// Where each row of the canonical text starts.
    pub row_starts: Vec<usize>,
    /// What it says to compilers.
    pub said: Vec<super::sentinels::Said>,
}

/// Trees deeper than this are refused (left-leaning chains of operators apart, which are walked without recursion).
pub(super) const MAX_DEPTH: usize = 50_000;

/// Constructs nested deeper than this are refused.
pub(super) const MAX_NESTING: usize = 60;

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
        super::canonical::squeeze(self.text(node).trim().chars())
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
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The named children.
pub(super) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The children of a field.
pub(super) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The first child of a kind.
pub(super) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    children(node).into_iter().find(|c| c.kind() == kind)
}

/// True if the node has an anonymous child of that kind.
pub(super) fn has(node: Node, kind: &str) -> bool {
    child(node, kind).is_some()
}

/// Calls `visit` for a node and all below it, in text order; where it returns false, not below.
pub(super) fn walk<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>) -> bool) {
    let mut stack = vec![node];
    while let Some(n) = stack.pop() {
        if visit(n) {
            let mut c = children(n);
            c.reverse();
            stack.append(&mut c);
        }
    }
}

/// The first part of an error that is no whole statement or declaration.
fn loose_part(error: Node) -> Option<Node> {
    let whole = |kind: &str| {
        kind.ends_with("_statement")
            || kind.ends_with("_declaration")
            || matches!(kind, "comment" | "end_of_statement" | "\n" | ";" | "implicit_statement")
    };
    let mut cursor = error.walk();
    error.children(&mut cursor).find(|n| !whole(n.kind()) || n.has_error())
}

/// What in a tree shows that the text was not understood.
pub(super) fn check(file: &File) -> Vec<FormError> {
    let mut errors: Vec<FormError> = Vec::new();
    let mut cursor = file.tree.walk();
    let mut depth = 0usize;
    loop {
        let node = cursor.node();
        let span = file.span(node);
        let mut report = |code, message: String, help| {
            if errors.len() < 20 && errors.last().is_none_or(|e: &FormError| e.line != span.line) {
                errors.push(FormError { code, line: span.line, column: span.column, message, help });
            }
        };
        let mut descend = true;
        if node.is_error() && loose_part(node).is_some_and(|n| file.span(n).line != span.line) {
            // The parser gave up on a whole unit: what it could not place is where the text went wrong.
            if let Some(part) = loose_part(node) {
                let at = file.span(part);
                let text: String = file.text(part).chars().take_while(|c| *c != '\n').take(40).collect();
                errors.push(FormError {
                    code: "OB3001",
                    line: at.line,
                    column: at.column,
                    message: format!("syntax error in the statement at `{}`", text.trim()),
                    help: "check that the compiler accepts the file in this source form",
                });
            }
            descend = false;
        } else if node.is_error() {
            let text: String = file.text(node).chars().take_while(|c| *c != '\n').take(40).collect();
            let before = node.prev_sibling().map(|n| n.kind());
            let dummy = node.parent().is_some_and(|p| p.kind() == "parameters") && text.trim_matches([',', ' ']) == "*";
            if dummy {
                report("OB3025", "alternate return `*`".into(), "return a status argument and branch on it");
            } else if node.parent().is_some_and(|p| p.kind() == "argument_list") && before == Some("assumed_size") {
                report("OB3025", format!("alternate return `*{}`", text.trim()), "return a status argument and branch on it");
            } else {
                report(
                    "OB3001",
                    format!("syntax error at `{}`", text.trim()),
                    "check that the compiler accepts the file in this source form",
                );
            }
            descend = false;
        } else if node.is_missing() {
            report(
                "OB3001",
                format!("syntax error: `{}` is missing", node.kind()),
                "check that the compiler accepts the file in this source form",
            );
        } else if matches!(node.kind(), "custom_directive" | "multiline_preproc_comment" | "inline_preproc_comment" | "comment" | "&") {
            report("OB3006", format!("stray characters `{}`", file.text(node)), "remove them");
        } else if node.kind().starts_with("preproc_") {
            report(
                "OB3003",
                "preprocessor directive".into(),
                "give the file an extension in upper case (.F90, .F), which asks for the preprocessor",
            );
        } else if depth > MAX_DEPTH {
            report("OB3005", "the statement nests too deeply".into(), "split it");
            descend = false;
        }
        if descend && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return errors;
            }
            depth = depth.saturating_sub(1);
        }
    }
}
