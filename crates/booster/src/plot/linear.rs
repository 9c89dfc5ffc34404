//! Linearized graphs of assignments, with the texts of their vertices and partial derivatives. Every real variable counts as active: no head is asked for.

use super::graphs::Labelled;
use super::terms::Assignment;
use crate::linearize::{self, Factor, fold};
use crate::notation;
use overbar_eliminate::cost::Class;
use overbar_eliminate::graph::{Graph, RawEdge};
use overbar_eliminate::json::Named;
use std::collections::BTreeMap;
use xaif::catalogue::Catalogue;
use xaif::model::NodeKind;
use xaif::{Diagnostic, Program};

/// The linearized graph of an assignment, with its factors; `None` where nothing on its right-hand side has a derivative.
///
/// # Errors
/// Operations without a derivative, with the place of the statement.
pub fn of_assignment(program: &Program, a: &Assignment) -> Result<Option<(Labelled, Vec<Factor>)>, Diagnostic> {
    let blame = |d: Diagnostic| {
        let d = if d.location.is_none() { d.at(program.location(a.stmt.span)) } else { d };
        if d.help.is_none() { d.help("choose other statements with `--line`") } else { d }
    };
    let partials = linearize::local_partials(program, Catalogue::builtin(), a.rhs, &|_| true).map_err(blame)?;
    let root = a.rhs.nodes.len() - 1;
    if !partials.active.get(root).copied().unwrap_or(false) {
        return Ok(None);
    }
    let place = notation::place(program, a.stmt.span);
    let (mut names, mut tips, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    let mut inputs = Vec::new();
    let mut number = vec![0u32; a.rhs.nodes.len()];
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let (mut edges, mut factors, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (k, n) in a.rhs.nodes.iter().enumerate().filter(|(k, _)| partials.active[*k]) {
        let text = notation::node(program, &n.kind);
        let is_input = matches!(n.kind, NodeKind::Var(_));
        // The same variable is one vertex however often it is read.
        if let (true, Some(&same)) = (is_input, known.get(&text)) {
            number[k] = same;
            continue;
        }
        let v = names.len() as u32;
        number[k] = v;
        if is_input {
            known.insert(text.clone(), v);
            inputs.push(v);
            names.push(text.clone());
            keys.push(vec![text]);
            tips.push(place.clone());
        } else {
            let whole = notation::expression(program, &a.rhs.subexpr(xaif::model::NodeId(k as u32)));
            names.push(crate::notation::cut(&whole, 40));
            keys.push(Vec::new());
            tips.push(format!("{whole}\n{place}"));
        }
        for (o, factor) in n.operands.iter().zip(&partials.factors[k]) {
            let (class, value, text) = match factor {
                None => continue,
                Some(Factor::One) => (Class::Unit, Some(1.0), "1".to_owned()),
                Some(Factor::MinusOne) => (Class::Unit, Some(-1.0), "-1".to_owned()),
                Some(Factor::Value(e)) => {
                    let value = fold::number(e).filter(|v| v.is_finite());
                    let class = if value.is_some() { Class::Constant } else { Class::Variable };
                    (class, value, notation::expression(program, e))
                }
            };
            edges.push(RawEdge { source: number[o.index()], target: v, class, value });
            factors.push(text);
            values.extend(factor.clone());
        }
    }
    // What is assigned is a vertex of its own.
    let output = names.len() as u32;
    names.push(notation::numbered(a.line, &notation::statement(program, a.stmt)));
    tips.push(place);
    keys.push(vec![notation::reference(program, a.lhs), a.line.to_string()]);
    edges.push(RawEdge { source: number[root], target: output, class: Class::Copy, value: Some(1.0) });
    factors.push("1".to_owned());
    let graph = Graph::new(output + 1, edges, inputs, vec![output])
        .map_err(|e| blame(Diagnostic::error("OB0129", format!("the statement has no linearized graph: {e}"))))?;
    values.push(Factor::One);
    Ok(Some((Labelled { title: String::new(), graph, names, tips, keys, factors }, values)))
}

/// A graph from a file: its vertices by their ids, its factors by their values.
pub fn of_file(named: &Named) -> Labelled {
    let names: Vec<String> = named.ids.iter().map(u64::to_string).collect();
    let factors = named.graph.given.iter().enumerate().map(|(k, e)| match (e.value, e.class) {
        (Some(v), _) => format!("{v}"),
        (None, Class::Copy) => "1".to_owned(),
        (None, Class::Unit) => format!("s{k}"),
        (None, Class::Constant | Class::Variable) => format!("c{k}"),
    });
    Labelled {
        title: named.name.clone().unwrap_or_else(|| "graph".to_owned()),
        factors: factors.collect(),
        tips: names.iter().map(|n| format!("vertex {n}")).collect(),
        keys: names.iter().map(|n| vec![n.clone()]).collect(),
        names,
        graph: named.graph.clone(),
    }
}
