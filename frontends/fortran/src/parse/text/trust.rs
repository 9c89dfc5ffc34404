//! The check that a tree can be trusted: nothing in it that the parser did not understand.
//!
//! Lives here: syntax errors and their places. Never here: what a statement means.

use super::complaints;
use super::lines::FormError;
use super::tree::File;
use tree_sitter::Node;

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

/// What in a tree shows that the text was not understood. Where it is plain what the text lacks, that is said in place of where the parser stopped.
pub fn check(file: &File) -> Vec<FormError> {
    let mut errors = in_tree(file);
    if errors.iter().any(|e| e.code == "OB3001")
        && let Some(lacking) = complaints::first(&file.spliced)
    {
        errors.retain(|e| e.code != "OB3001");
        errors.insert(0, lacking);
    }
    errors
}

fn in_tree(file: &File) -> Vec<FormError> {
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

/// Trees deeper than this are refused (left-leaning chains of operators apart, which are walked without recursion).
pub const MAX_DEPTH: usize = 50_000;
