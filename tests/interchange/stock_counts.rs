//! What the booster writes for stock files beside what the stock booster writes: multiplications, factors and indices pushed, terms propagated.

use crate::common;

use overbar::Options;
use std::collections::BTreeMap;
use xaif::model::{FlowGraph, NodeKind, Program, Stmt, StmtKind};
use xaif::read::{Limits, read};

/// Files that push more than the stock booster, and by how many.
const MORE: [(&str, usize); 3] = [("Loop_simple_4c.xaif", 2), ("dfdcfj_MemOps.xaif", 1), ("nested_calls_5.xaif", 1)];

/// Of what stock writes, in hundredths, at most.
const MULTIPLICATIONS: usize = 35;
const REAL_PUSHES: usize = 70;
const INDEX_PUSHES: usize = 50;
const TERMS: usize = 95;

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

/// Factors pushed, indices pushed, multiplications and terms of an adjoint.
fn counts(p: &Program) -> [usize; 4] {
    let mut out = [0; 4];
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

#[test]
fn adjoints_record_and_multiply_less_than_those_of_the_stock_booster() {
    let Some(table) = common::shared("xaif/STOCK_COUNTS.tsv") else { return };
    let text = std::fs::read_to_string(&table).unwrap();
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let column = |name: &str| head.iter().position(|h| *h == name).unwrap();
    let columns = ["real_pushes", "index_pushes", "adjoint_multiplications", "saxpy"].map(column);
    let more: BTreeMap<&str, usize> = MORE.into_iter().collect();
    let (mut ours, mut stock, mut files) = ([0; 4], [0; 4], 0);
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let name = row[0];
        let Some(theirs) = columns.iter().map(|&c| row.get(c)?.parse::<usize>().ok()).collect::<Option<Vec<usize>>>() else { continue };
        let Ok(text) = std::fs::read(table.with_file_name("corpus").join(name)) else { continue };
        let (program, _) = read(name, &text, &Limits::default()).unwrap();
        let Ok(boosted) = overbar::boost(program, &Options { adjoint: true, ..Options::default() }) else { continue };
        let found = counts(&boosted.program);
        println!("{name:40} {found:?} {theirs:?}");
        let allowed = more.get(name).copied().unwrap_or(0);
        assert!(found[0] + found[1] <= theirs[0] + theirs[1] + allowed, "{name}: {found:?}, stock {theirs:?}");
        for k in 0..4 {
            ours[k] += found[k];
            stock[k] += theirs[k];
        }
        files += 1;
    }
    println!("{files} files: {ours:?}, stock {stock:?}");
    assert!(files >= 75, "{files}");
    for (k, most) in [REAL_PUSHES, INDEX_PUSHES, MULTIPLICATIONS, TERMS].into_iter().enumerate() {
        assert!(100 * ours[k] <= most * stock[k], "{ours:?}, stock {stock:?}");
    }
}
