//! DOT text of a drawing, for those who have a program for it.

use super::drawing::{Drawing, Shape, Stroke};
use std::fmt::Write;

fn quote(text: &str, newline: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str(newline),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text of the drawing as DOT.
pub fn dot(drawing: &Drawing) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "digraph {} {{", quote(&drawing.title, " "));
    let _ = writeln!(out, "  label={}; labelloc=t; fontname=\"monospace\";", quote(&drawing.title, " "));
    out.push_str("  node [shape=box, fontname=\"monospace\", fontsize=11];\n  edge [fontname=\"monospace\", fontsize=10];\n");
    for (k, node) in drawing.nodes.iter().enumerate() {
        let look = match node.shape {
            Shape::Plain => "",
            Shape::Round => ", style=\"rounded\"",
            Shape::Pointed => ", shape=hexagon",
            Shape::Double => ", peripheries=2",
            Shape::Heavy => ", penwidth=2.4",
            Shape::Dashed => ", style=\"dashed\"",
        };
        let mut label = node.lines.join("\n");
        label.push('\n');
        let _ = writeln!(out, "  n{k} [label={}, tooltip={}{look}];", quote(&label, "\\l"), quote(&node.tip, "\\n"));
    }
    for edge in &drawing.edges {
        let mut look = Vec::new();
        if !edge.label.is_empty() {
            look.push(format!("label={}", quote(&edge.label, " ")));
        }
        let tip = if edge.tip.is_empty() { &edge.label } else { &edge.tip };
        if !tip.is_empty() {
            look.push(format!("tooltip={}", quote(tip, "\\n")));
        }
        match edge.stroke {
            Stroke::Solid => {}
            Stroke::Dashed => look.push("style=dashed".to_owned()),
            Stroke::Dotted => look.push("style=dotted".to_owned()),
            Stroke::Heavy => look.push("penwidth=2.2".to_owned()),
        }
        let look = if look.is_empty() { String::new() } else { format!(" [{}]", look.join(", ")) };
        let _ = writeln!(out, "  n{} -> n{}{look};", edge.source, edge.target);
    }
    out.push_str("}\n");
    out
}
