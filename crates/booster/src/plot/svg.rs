//! SVG text of a drawing. Never here: where things are.

use super::drawing::{Drawing, Shape, Stroke};
use super::layout::{CHARACTER, LINE, Layout, Path, Piece, Rect, SMALL_CHARACTER, columns, layout};
use crate::notation::cut;
use std::fmt::Write;

const TITLE_ROOM: f64 = 34.0;
const LEGEND_LINE: f64 = 20.0;

/// Text as XML holds it: markup escaped, characters that XML does not know replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            '\t' => out.push(' '),
            c if (c as u32) < 0x20 || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A number with at most one decimal.
fn number(v: f64) -> String {
    let text = format!("{v:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The text of the drawing as SVG.
pub fn svg(drawing: &Drawing) -> String {
    let placed = layout(drawing);
    // The legend has what occurs.
    let shapes: Vec<_> = drawing.shapes.iter().filter(|s| drawing.nodes.iter().any(|n| n.shape == s.0)).collect();
    let strokes: Vec<_> = drawing.strokes.iter().filter(|s| drawing.edges.iter().any(|e| e.stroke == s.0)).collect();
    let entries = shapes.len() + strokes.len();
    let legend_width = shapes.iter().map(|s| s.1).chain(strokes.iter().map(|s| s.1)).map(columns).max().unwrap_or(0);
    let title = cut(&drawing.title, 160);
    let width = placed.width.max(legend_width as f64 * SMALL_CHARACTER + 90.0).max(columns(&title) as f64 * CHARACTER + 40.0);
    let height = TITLE_ROOM + placed.height + entries as f64 * LEGEND_LINE + 10.0;
    let (w, h) = (number(width.ceil()), number(height.ceil()));
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n\
         <title>{}</title>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" \
         orient=\"auto\"><path d=\"M0,1 L10,5 L0,9 z\" fill=\"#222\"/></marker></defs>\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>",
        escape(&drawing.title)
    );
    text(&mut out, &title, 16.0, 22.0, CHARACTER, "font-weight=\"bold\"");
    let _ = writeln!(out, "<g transform=\"translate(0 {})\">", number(TITLE_ROOM));
    arrows(&mut out, drawing, &placed);
    for (node, rect) in drawing.nodes.iter().zip(&placed.boxes) {
        out.push_str("<g>");
        if !node.tip.is_empty() {
            let _ = write!(out, "<title>{}</title>", escape(&node.tip));
        }
        outline(&mut out, node.shape, rect);
        let widest = node.lines.iter().map(|l| columns(l)).max().unwrap_or(0) as f64 * CHARACTER;
        let left = rect.x + (rect.width - widest) / 2.0;
        let top = rect.y + (rect.height - node.lines.len() as f64 * LINE) / 2.0;
        for (k, line) in node.lines.iter().enumerate() {
            text(&mut out, line, left, top + LINE * k as f64 + 12.0, CHARACTER, "");
        }
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n");
    legend(&mut out, (&shapes, &strokes), TITLE_ROOM + placed.height);
    out.push_str("</svg>\n");
    out
}

fn text(out: &mut String, line: &str, x: f64, y: f64, character: f64, more: &str) {
    if line.trim().is_empty() {
        return;
    }
    let size = if character == CHARACTER { 12 } else { 11 };
    let more = if more.is_empty() { String::new() } else { format!(" {more}") };
    // The length is set, so that the text keeps to its box whatever font there is.
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"{size}\" fill=\"#111\" \
         textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"{more}>{}</text>",
        number(x),
        number(y),
        number(columns(line) as f64 * character),
        escape(line)
    );
}

fn arrows(out: &mut String, drawing: &Drawing, placed: &Layout) {
    for ((edge, path), label) in drawing.edges.iter().zip(&placed.paths).zip(&placed.labels) {
        out.push_str("<g>");
        let tip = if edge.tip.is_empty() { &edge.label } else { &edge.tip };
        if !tip.is_empty() {
            let _ = write!(out, "<title>{}</title>", escape(tip));
        }
        let _ = write!(out, "<path d=\"{}\" fill=\"none\" {} marker-end=\"url(#arrow)\"/>", data(path), pen(edge.stroke));
        if let Some(r) = label {
            let _ = write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#fff\"/>",
                number(r.x),
                number(r.y),
                number(r.width),
                number(r.height)
            );
            text(out, &edge.label, r.x + 3.0, r.y + 10.5, SMALL_CHARACTER, "");
        }
        out.push_str("</g>\n");
    }
}

fn data(path: &Path) -> String {
    let mut d = format!("M{},{}", number(path.start.0), number(path.start.1));
    for piece in &path.pieces {
        let _ = match piece {
            Piece::Line(x, y) => write!(d, " L{},{}", number(*x), number(*y)),
            Piece::Curve([a, b, c, e, x, y]) => {
                write!(d, " C{},{} {},{} {},{}", number(*a), number(*b), number(*c), number(*e), number(*x), number(*y))
            }
        };
    }
    d
}

fn pen(stroke: Stroke) -> &'static str {
    match stroke {
        Stroke::Solid => "stroke=\"#222\" stroke-width=\"1.2\"",
        Stroke::Dashed => "stroke=\"#7a4a00\" stroke-width=\"1.2\" stroke-dasharray=\"6 3\"",
        Stroke::Dotted => "stroke=\"#555\" stroke-width=\"1.2\" stroke-dasharray=\"1.5 3\"",
        Stroke::Heavy => "stroke=\"#123f7a\" stroke-width=\"2.2\"",
    }
}

fn outline(out: &mut String, shape: Shape, r: &Rect) {
    let rect = |out: &mut String, inset: f64, more: &str| {
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {more}/>",
            number(r.x + inset),
            number(r.y + inset),
            number(r.width - 2.0 * inset),
            number(r.height - 2.0 * inset)
        );
    };
    match shape {
        Shape::Plain => rect(out, 0.0, "fill=\"#fff\" stroke=\"#222\""),
        Shape::Round => rect(out, 0.0, "rx=\"12\" fill=\"#e4efdc\" stroke=\"#222\""),
        Shape::Heavy => rect(out, 0.0, "fill=\"#dfe9f7\" stroke=\"#111\" stroke-width=\"2.4\""),
        Shape::Dashed => rect(out, 0.0, "fill=\"#f6f6f6\" stroke=\"#222\" stroke-dasharray=\"5 3\""),
        Shape::Double => {
            rect(out, 0.0, "fill=\"#fdf0d5\" stroke=\"#222\"");
            rect(out, 2.5, "fill=\"none\" stroke=\"#222\"");
        }
        Shape::Pointed => {
            let (left, right, low) = (r.x, r.x + r.width, r.y + r.height);
            let middle = r.y + r.height / 2.0;
            let points =
                [(left, middle), (left + 10.0, r.y), (right - 10.0, r.y), (right, middle), (right - 10.0, low), (left + 10.0, low)];
            let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
            let _ = write!(out, "<polygon points=\"{}\" fill=\"#f3e6f5\" stroke=\"#222\"/>", points.join(" "));
        }
    }
}

type Meanings<'a, T> = &'a [&'a (T, &'static str)];

fn legend(out: &mut String, (shapes, strokes): (Meanings<Shape>, Meanings<Stroke>), top: f64) {
    let mut y = top;
    for (shape, meaning) in shapes {
        outline(out, *shape, &Rect { x: 16.0, y: y + 1.0, width: 36.0, height: 14.0 });
        text(out, meaning, 60.0, y + 12.0, SMALL_CHARACTER, "");
        out.push('\n');
        y += LEGEND_LINE;
    }
    for (stroke, meaning) in strokes {
        let _ = write!(out, "<path d=\"M16,{0} L52,{0}\" fill=\"none\" {1} marker-end=\"url(#arrow)\"/>", number(y + 8.0), pen(*stroke));
        text(out, meaning, 60.0, y + 12.0, SMALL_CHARACTER, "");
        out.push('\n');
        y += LEGEND_LINE;
    }
}
