//! Short texts for statements and expressions: the source's own where it is carried, else infix notation made from the term graph. For eyes only; never
//! for compilers.

use xaif::Program;
use xaif::model::{Expr, MarkerClass, NodeKind, Span, Stmt, StmtKind, SymbolId, VarRef};

/// Longer texts are cut while they are made, so that shared parts cannot blow them up.
const MOST: usize = 240;
/// Subscripts within subscripts are shown to this depth.
const DEEPEST: usize = 6;

/// A line cut to that many characters, on one line and without control characters.
pub fn cut(line: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    if line.chars().count() <= most {
        return line.chars().map(clean).collect();
    }
    let mut short: String = line.chars().take(most.saturating_sub(3)).map(clean).collect();
    short.push_str("...");
    short
}

/// `name` of an operation without the marks of its arity: `sin_scal` is `sin`.
pub fn plain_name(name: &str) -> &str {
    let mut rest = name;
    for _ in 0..4 {
        match rest.strip_suffix("_scal").or_else(|| rest.strip_suffix("_arr")) {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    rest
}

/// The sign of an operation written between its operands, with its precedence.
fn infix(name: &str) -> Option<(&'static str, u8)> {
    Some(match plain_name(name) {
        "add" => (" + ", 4),
        "sub" => (" - ", 4),
        "mul" => ("*", 5),
        "div" => ("/", 5),
        "pow" => ("**", 7),
        "equal" => (" == ", 3),
        "not_equal" => (" /= ", 3),
        "less_than" => (" < ", 3),
        "less_or_equal" => (" <= ", 3),
        "greater_than" => (" > ", 3),
        "greater_or_equal" => (" >= ", 3),
        "and" => (" and ", 2),
        "or" => (" or ", 1),
        _ => return None,
    })
}

/// The operator at a vertex, or the text of a leaf.
pub fn node(program: &Program, kind: &NodeKind) -> String {
    node_at(program, kind, 0)
}

fn node_at(program: &Program, kind: &NodeKind, depth: usize) -> String {
    match kind {
        NodeKind::Var(r) => reference_at(program, r, depth),
        NodeKind::Const(c) if !c.spelling.is_empty() => c.spelling.to_string(),
        NodeKind::Const(c) => c.value.to_string(),
        NodeKind::Op(op) => infix(&op.name).map_or_else(
            || match plain_name(&op.name) {
                "minus" => "-".to_owned(),
                _ if !op.spelling.is_empty() => op.spelling.to_string(),
                name => name.to_owned(),
            },
            |(sign, _)| sign.trim().to_owned(),
        ),
        NodeKind::Bool(op) => infix(op.name()).map_or_else(|| op.name().to_owned(), |(sign, _)| sign.trim().to_owned()),
        NodeKind::FunctionCall(s) => program.symbol(*s).name.to_string(),
    }
}

/// A reference: `a(i,2:n)`.
pub fn reference(program: &Program, r: &VarRef) -> String {
    reference_at(program, r, 0)
}

fn reference_at(program: &Program, r: &VarRef, depth: usize) -> String {
    let name = &program.symbol(r.symbol).name;
    if r.subscripts.is_empty() {
        return if r.deriv { format!("{name}.d") } else { name.to_string() };
    }
    if depth >= DEEPEST {
        return format!("{name}(...)");
    }
    let part = |e: &Option<Expr>| e.as_ref().map_or_else(String::new, |e| expression_at(program, e, depth + 1));
    let list: Vec<String> = r
        .subscripts
        .iter()
        .map(|t| match (t.is_section(), &t.stride) {
            (false, _) => part(&t.index),
            (true, None) => format!("{}:{}", part(&t.index), part(&t.bound)),
            (true, Some(_)) => format!("{}:{}:{}", part(&t.index), part(&t.bound), part(&t.stride)),
        })
        .collect();
    let deriv = if r.deriv { ".d" } else { "" };
    cut(&format!("{name}{deriv}({})", list.join(",")), MOST)
}

/// An expression in infix notation.
pub fn expression(program: &Program, e: &Expr) -> String {
    expression_at(program, e, 0)
}

fn expression_at(program: &Program, e: &Expr, depth: usize) -> String {
    let mut done: Vec<(String, u8)> = Vec::with_capacity(e.nodes.len());
    for n in &e.nodes {
        let part = |k: usize| n.operands.get(k).and_then(|o| done.get(o.index())).cloned().unwrap_or_else(|| ("?".to_owned(), 9));
        let within = |k: usize, least: u8| {
            let (text, precedence) = part(k);
            if precedence < least { format!("({text})") } else { text }
        };
        let name = match &n.kind {
            NodeKind::Op(op) => Some(op.name.as_str()),
            NodeKind::Bool(op) => Some(op.name()),
            _ => None,
        };
        let made = match name.map(|name| (infix(name), plain_name(name), n.operands.len())) {
            Some((Some((sign, p)), _, 2)) => (format!("{}{sign}{}", within(0, p), within(1, p + 1)), p),
            Some((_, "minus", 1)) => (format!("-{}", within(0, 6)), 4),
            Some((_, "not", 1)) => (format!("not {}", within(0, 3)), 3),
            Some(_) => {
                let list: Vec<String> = (0..n.operands.len()).map(|k| part(k).0).collect();
                (format!("{}({})", node_at(program, &n.kind, depth), list.join(", ")), 9)
            }
            None => {
                let text = node_at(program, &n.kind, depth);
                let precedence = if text.starts_with('-') { 4 } else { 9 };
                (text, precedence)
            }
        };
        done.push((cut(&made.0, MOST), made.1));
    }
    done.pop().map_or_else(String::new, |d| d.0)
}

/// A statement.
pub fn statement(program: &Program, s: &Stmt) -> String {
    if !s.text.is_empty() {
        return s.text.to_string();
    }
    let call = |name: &str, arguments: &[xaif::model::CallArgument]| {
        let list: Vec<String> = arguments.iter().map(|a| expression(program, &a.value)).collect();
        format!("{name}({})", list.join(", "))
    };
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => format!("{} = {}", reference(program, lhs), expression(program, rhs)),
        StmtKind::Call(c) => format!("call {}", call(symbol(program, c.callee), &c.arguments)),
        StmtKind::Runtime { name, arguments } => call(name, arguments),
        StmtKind::Propagator(list) => format!("propagate derivatives ({} operations)", list.len()),
        StmtKind::Marker(m) if !m.text.is_empty() => m.text.clone(),
        StmtKind::Marker(m) => match m.class {
            MarkerClass::Comment => "! ...".to_owned(),
            _ => format!("[{}]", if m.annotation.is_empty() { "marker" } else { &m.annotation }),
        },
    }
}

fn symbol(program: &Program, s: SymbolId) -> &str {
    &program.symbol(s).name
}

/// The line of a span, or the one that is given, 0 where neither is known.
pub fn line(span: Span, given: u32) -> u32 {
    if span.is_known() && span.source != Span::XML {
        span.line
    } else if given > 0 {
        given
    } else {
        span.line
    }
}

/// A statement with its line before it, where that is known.
pub fn numbered(line: u32, text: &str) -> String {
    if line > 0 { format!("{line}: {text}") } else { text.to_owned() }
}

/// `file:line:column`, empty where that is not known.
pub fn place(program: &Program, span: Span) -> String {
    program.location(span).map_or_else(String::new, |l| format!("{}:{}:{}", l.file, l.line, l.column))
}
