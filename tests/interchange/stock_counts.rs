//! What the booster writes for stock files beside what the stock booster writes: edges of what is propagated, multiplications, factors and indices pushed.
//!
//! `tests/corpus/COUNTS.tsv` has both for every file; `OVERBAR_TABLE=write` writes it anew. No file may have more multiplications or pushes than stock, nor more edges, but for three
//! that are named.

use crate::common;

use overbar::Options;
use std::collections::BTreeMap;
use xaif::model::{FlowGraph, NodeKind, Program, Propagation, Stmt, StmtKind};
use xaif::read::{Limits, read};

const TABLE: &str = "tests/corpus/COUNTS.tsv";

/// What is counted, in the order of the stock counts.
const COLUMNS: [&str; 7] = ["edges", "multiplications", "propagators", "real_pushes", "index_pushes", "adjoint_multiplications", "saxpy"];

/// Files of whose edges more are left, and how many: in the first two it takes more products to eliminate them than to propagate one direction; in the last
/// two edges of a statement have the same factor, and are not joined.
const MORE_EDGES: [(&str, usize); 3] = [("GriewankRerouting.xaif", 4), ("daerfj.xaif", 1), ("nested_calls_4.xaif", 1)];

/// Of what stock writes, in hundredths, at most in sum.
const MOST: [usize; 7] = [96, 25, 103, 60, 45, 30, 95];

fn stmts(g: &FlowGraph) -> impl Iterator<Item = &Stmt> {
    g.node_weights().flat_map(|v| v.stmts()).map(|s| &**s)
}

fn products(g: &FlowGraph) -> usize {
    let in_stmt = |s: &Stmt| match &s.kind {
        StmtKind::Assignment { rhs, .. } => {
            rhs.nodes.iter().filter(|n| matches!(&n.kind, NodeKind::Op(op) if op.name == "mul_scal_scal")).count()
        }
        _ => 0,
    };
    stmts(g).map(in_stmt).sum()
}

fn named(g: &FlowGraph, start: &str) -> usize {
    stmts(g).filter(|s| matches!(&s.kind, StmtKind::Runtime { name, .. } if name.starts_with(start))).count()
}

/// Edges with a factor of their own that are propagated, multiplications that the input does not have, propagators.
fn tangent_counts(input: &Program, p: &Program) -> Vec<usize> {
    let all = |p: &Program| p.units.iter().map(|u| products(&u.graph)).sum::<usize>();
    let propagators = || {
        p.units.iter().flat_map(|u| stmts(&u.graph)).filter_map(|s| match &s.kind {
            StmtKind::Propagator(list) => Some(list),
            _ => None,
        })
    };
    let edges = |p: &Propagation| match p {
        Propagation::Saxpy { terms, .. } | Propagation::Sax { terms, .. } => terms.len(),
        _ => 0,
    };
    vec![propagators().flatten().map(edges).sum(), all(p).saturating_sub(all(input)), propagators().count()]
}

/// Factors pushed, indices pushed, multiplications and products with factors of an adjoint.
fn adjoint_counts(p: &Program) -> Vec<usize> {
    let mut out = vec![0; 4];
    for (_, sweeps) in p.units.iter().filter_map(|u| u.replacements.as_ref()) {
        let at = |n: u32| sweeps.iter().find(|r| r.placeholder == n).map(|r| &r.graph).expect("the placeholder is there");
        let (original, taping, reverse) = (at(1), at(2), at(3));
        out[0] += named(taping, "push_s");
        out[1] += named(taping, "push_i");
        out[2] += products(taping).saturating_sub(products(original));
        out[3] += named(reverse, "Saxpy");
    }
    out
}

/// Stock counts by file; none where stock wrote nothing.
fn stock_counts(text: &str) -> BTreeMap<String, Vec<Option<usize>>> {
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let columns = COLUMNS.map(|name| head.iter().position(|h| *h == name).unwrap());
    lines
        .map(|line| {
            let row: Vec<&str> = line.split('\t').collect();
            (row[0].to_owned(), columns.iter().map(|&c| row.get(c)?.parse().ok()).collect())
        })
        .collect()
}

/// Ours: tangent and adjoint; none where that is refused.
fn our_counts(program: &Program) -> Vec<Option<usize>> {
    let boosted = |tangent: bool| {
        let options = Options { tangent, adjoint: !tangent, ..Options::default() };
        overbar::boost(program.clone(), &options).ok().map(|b| b.program)
    };
    let tangent = boosted(true).map_or(vec![None; 3], |p| tangent_counts(program, &p).into_iter().map(Some).collect());
    let adjoint = boosted(false).map_or(vec![None; 4], |p| adjoint_counts(&p).into_iter().map(Some).collect());
    [tangent, adjoint].concat()
}

#[test]
fn no_file_has_more_edges_multiplications_or_pushes_than_the_stock_booster_writes() {
    let Some(table) = common::shared("xaif/STOCK_COUNTS.tsv") else { return };
    let stock = stock_counts(&std::fs::read_to_string(&table).unwrap());
    let (mut ours, mut theirs, mut both) = ([0; 7], [0; 7], [0; 7]);
    let mut more = Vec::new();
    let mut more_edges = Vec::new();
    let mut text = format!("file\t{}\n", COLUMNS.join("\t"));
    for (name, stock) in &stock {
        let Ok(bytes) = std::fs::read(table.with_file_name("corpus").join(name)) else { continue };
        let (program, _) = read(name, &bytes, &Limits::default()).unwrap();
        let found = our_counts(&program);
        let shown = |n: &Option<usize>| n.map_or("-".to_owned(), |n| n.to_string());
        let cells: Vec<String> = found.iter().zip(stock).map(|(o, s)| format!("{}/{}", shown(o), shown(s))).collect();
        text += &format!("{name}\t{}\n", cells.join("\t"));
        for k in 0..COLUMNS.len() {
            if let (Some(o), Some(s)) = (found[k], stock[k]) {
                ours[k] += o;
                theirs[k] += s;
                both[k] += 1;
                // What is pushed counts together; propagators are brackets around edges.
                if o > s && [0, 1, 5].contains(&k) {
                    if k == 0 {
                        more_edges.push((name.as_str(), o - s));
                    } else {
                        more.push(format!("{name}: {o} {}, stock {s}", COLUMNS[k]));
                    }
                }
            }
        }
        let pushes = |l: &[Option<usize>]| Some(l[3]? + l[4]?);
        if let (Some(o), Some(s)) = (pushes(&found), pushes(stock))
            && o > s
        {
            more.push(format!("{name}: {o} pushes, stock {s}"));
        }
    }
    let sums: Vec<String> = ours.iter().zip(theirs).map(|(o, s)| format!("{o}/{s}")).collect();
    text += &format!("sum\t{}\n", sums.join("\t"));
    println!("{text}");
    let file = common::root().join(TABLE);
    if std::env::var("OVERBAR_TABLE").is_ok_and(|v| v == "write") {
        std::fs::write(&file, &text).unwrap();
    }
    assert!(more.is_empty(), "{}", more.join("\n"));
    assert_eq!(more_edges, MORE_EDGES);
    for k in 0..COLUMNS.len() {
        assert!(both[k] >= 75, "{}: {} files", COLUMNS[k], both[k]);
        assert!(100 * ours[k] <= MOST[k] * theirs[k], "{}: {} of {}", COLUMNS[k], ours[k], theirs[k]);
    }
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(before == text, "{TABLE} is stale: `OVERBAR_TABLE=write cargo test --test interchange stock` writes it anew");
}
