//! What several tests need: the real files, and a comparison of documents that ignores what has no meaning.
#![allow(dead_code)]

pub mod random;

use roxmltree::Node;
use std::path::PathBuf;

/// The shared real files; `None` (with a message) where they are absent.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/xaif").join(folder);
    let alternative = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/xaif").join(folder);
    let found = [path, alternative].into_iter().find(|p| p.is_dir());
    if found.is_none() {
        eprintln!("skipped: no folder shared/xaif/{folder} beside the workspace");
    }
    found
}

/// All documents of a shared folder, by name.
pub fn documents(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Some(path) = shared(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "xaif"));
    files.sort();
    files.iter().map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(p).unwrap())).collect()
}

/// Schema defaults, which a writer may or may not spell out.
fn default(element: &str, attribute: &str) -> Option<&'static str> {
    Some(match (element, attribute) {
        (_, "vertex_id") => "1",
        (_, "annotation" | "feType") => "",
        (_, "alias" | "du_ud" | "do_chain" | "lineNumber" | "deriv" | "constant" | "temp" | "pointer") => "0",
        (_, "live" | "structured" | "condition_value" | "partial") => "1",
        ("Symbol" | "ControlFlowGraph", "active") => "1",
        (_, "active") => "undefined",
        (_, "has_condition_value") => "false",
        ("Symbol", "kind") => "variable",
        ("Symbol", "type") => "real",
        ("Symbol", "shape") => "scalar",
        (_, "intent") => "inout",
        (_, "reversal") => "anonymous",
        _ => return None,
    })
}

/// Differences between two documents, where neither attribute order, white space, comments, spelled-out defaults nor the interleaving of
/// vertices and edges count.
pub fn differences(before: &str, after: &str) -> Vec<String> {
    let a = roxmltree::Document::parse(before).unwrap();
    let b = roxmltree::Document::parse(after).unwrap();
    let mut out = Vec::new();
    compare(a.root_element(), b.root_element(), "", &mut out);
    out
}

fn elements<'a, 'i>(n: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    let mut list: Vec<_> = n.children().filter(Node::is_element).collect();
    let key = |n: &Node| {
        let name = n.tag_name().name().to_string();
        let edge = name.ends_with("Edge");
        // Vertices of an expression have no order of their own.
        let unordered = matches!(
            name.as_str(),
            "VariableReference" | "Constant" | "Intrinsic" | "BooleanOperation" | "FunctionCall" | "ExpressionEdge"
        );
        let id = n.attribute("vertex_id").or(n.attribute("edge_id")).unwrap_or("1");
        (edge, if unordered { id.to_string() } else { String::new() })
    };
    list.sort_by_key(key);
    list
}

fn compare(a: Node, b: Node, path: &str, out: &mut Vec<String>) {
    let path = format!("{path}/{}[{}]", a.tag_name().name(), a.attribute("vertex_id").or(a.attribute("statement_id")).unwrap_or(""));
    if a.tag_name() != b.tag_name() {
        out.push(format!("{path}: {:?} became {:?}", a.tag_name(), b.tag_name()));
        return;
    }
    for x in a.attributes() {
        let key = (x.namespace().unwrap_or_default(), x.name());
        let there = b.attributes().find(|y| (y.namespace().unwrap_or_default(), y.name()) == key);
        let gone = there.is_none() && default(a.tag_name().name(), x.name()).is_some_and(|d| same(d, x.value()));
        if there.is_none_or(|y| y.value() != x.value()) && !gone {
            out.push(format!("{path}: {}={:?} became {:?}", x.name(), x.value(), there.map(|y| y.value().to_string())));
        }
    }
    for y in b.attributes() {
        let there = a.attributes().any(|x| (x.namespace(), x.name()) == (y.namespace(), y.name()));
        if !there && !default(b.tag_name().name(), y.name()).is_some_and(|d| same(d, y.value())) {
            out.push(format!("{path}: {}={:?} is new", y.name(), y.value()));
        }
    }
    let (x, y) = (elements(a), elements(b));
    if x.len() != y.len() {
        out.push(format!("{path}: {} children became {}", x.len(), y.len()));
        return;
    }
    for (x, y) in x.into_iter().zip(y) {
        compare(x, y, &path, out);
    }
}

fn same(a: &str, b: &str) -> bool {
    let plain = |s: &str| match s {
        "true" => "1".to_string(),
        "false" => "0".to_string(),
        other => other.to_string(),
    };
    plain(a) == plain(b)
}
