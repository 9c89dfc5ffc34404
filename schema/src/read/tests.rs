//! Documents read in rows give what one reader gives, findings included.

use super::{Limits, Read, read_with};
use crate::build::GraphBuilder;
use crate::model::*;

fn stmt(x: SymbolId, k: usize) -> Stmt {
    let span = Span { source: SourceId(0), line: k as u32 + 1, column: 1, end_line: k as u32 + 1, end_column: 2 };
    Stmt { span, ..Stmt::assign(VarRef::whole(x), Expr::op("add_scal_scal", [Expr::sym(x), Expr::int(k as i64)])) }
}

/// A large block, many small units, many branches, a large block among small ones.
fn document() -> String {
    let mut p = Program::default();
    p.sources.push(Source::new("f", "c", false, ""));
    let file = p.add_scope(Scope::default());
    let x = p.add_symbol(Symbol::variable("x", ElemType::REAL64, file));
    let add = |p: &mut Program, name: String, fill: &dyn Fn(&mut GraphBuilder)| crate::build::subroutine(p, file, &name, fill);
    let branches = |b: &mut GraphBuilder, n: usize| {
        for k in 0..n {
            b.begin_branch(Expr::bool(true));
            b.arm(&[1]);
            b.stmt(stmt(x, k));
            b.end_branch();
        }
    };
    (0..900).for_each(|u| add(&mut p, format!("u{u}"), &|b| b.stmt(stmt(x, u))));
    add(&mut p, "block".into(), &|b| (0..4000).for_each(|k| b.stmt(stmt(x, k))));
    add(&mut p, "branches".into(), &|b| branches(b, 2500));
    add(&mut p, "both".into(), &|b| {
        branches(b, 900);
        (0..4000).for_each(|k| b.stmt(stmt(x, k)));
        branches(b, 900);
    });
    (0..900).for_each(|u| add(&mut p, format!("v{u}"), &|b| b.stmt(stmt(x, u))));
    crate::write::write(&p)
}

fn shown(read: &Read) -> String {
    format!("{read:?}")
}

#[test]
fn rows_come_together_as_if_read_one_after_the_other() {
    let text = document();
    let limits = Limits::default();
    let alone = read_with("d", text.as_bytes(), &limits, false).unwrap();
    assert!(alone.is_ok());
    let together = read_with("d", text.as_bytes(), &limits, true).expect("nothing is wrong with it");
    assert!(shown(&alone) == shown(&together));
    // Places at the very end are the places of the text.
    let limits = Limits { elements: 100_000, ..limits };
    assert_eq!(
        shown(&super::read("d", text.as_bytes(), &limits).map(|_| unreachable!())),
        shown(&read_with("d", text.as_bytes(), &limits, false).unwrap())
    );
}

#[test]
fn findings_are_those_of_one_reader() {
    let text = document();
    let middle = text.len() / 2;
    let limits = Limits::default();
    let changes: [(&str, &str); 8] = [
        ("<xaif:Assignment ", "<xaif:Asignment "),
        ("</xaif:Assignment>", "</xaif:Assignmnt>"),
        ("symbol_id=\"x\"", "symbol_id=\"nobody\""),
        ("statement_id=\"", "strange=\"1\" statement_id=\""),
        ("statement_id=\"", "statement_id=\"1"),
        ("<xaif:BasicBlock ", "<!-- <xaif:BasicBlock --><xaif:BasicBlock "),
        ("</xaif:BasicBlock>", "</xaif:BasicBlock></xaif:ControlFlowGraph>"),
        ("<xaif:ControlFlowEdge ", "]]><xaif:ControlFlowEdge "),
    ];
    for (from, to) in changes {
        let at = middle + text[middle..].find(from).unwrap();
        let changed = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
        let alone = read_with("d", changed.as_bytes(), &limits, false).unwrap();
        // Programs are compared above.
        let findings = |read: Read| read.map(|(_, warnings)| warnings);
        assert_eq!(findings(super::read("d", changed.as_bytes(), &limits)), findings(alone), "{to}");
    }
}
