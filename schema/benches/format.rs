//! Speed of the format: reading with semantic validation, schema validation, writing. MB/s of stock XAIF.
//!
//! `real` repeats the real files where they are there, `made` is one document of some 20 MB that this file makes.

use divan::{Bencher, counter::BytesCount};
use std::path::Path;
use std::sync::OnceLock;
use xaif::build::GraphBuilder;
use xaif::model::*;
use xaif::read::{Limits, read};
use xaif::{validate, write::write};

fn main() {
    divan::main();
}

/// A unit with nested loops over arrays, as front ends write them.
fn unit(p: &mut Program, file: ScopeId, n: usize) {
    let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
    let name = p.add_symbol(Symbol { active: true, ..Symbol::subroutine(format!("kernel_{n}"), file) });
    let mut variable = |name: &str, ty, rank| {
        let s = Symbol { rank, active: rank > 0, decl: None, ..Symbol::variable(name, ty, scope) };
        p.add_symbol(s)
    };
    let (x, y) = (variable("X_1", ElemType::REAL64, 1), variable("Y_2", ElemType::REAL64, 2));
    let (i, j, k) = (variable("I_3", ElemType::INTEGER, 0), variable("J_4", ElemType::INTEGER, 0), variable("N_5", ElemType::INTEGER, 0));
    let at = |a, index: &[SymbolId]| {
        let mut r = VarRef::element(a, index.iter().map(|&s| Expr::sym(s)));
        r.set_keys(1, 1);
        r
    };
    let head = |v: SymbolId| ForLoop {
        explicit: false,
        init: Stmt::assign(VarRef::whole(v), Expr::int(1)),
        condition: Expr::boolean(BoolOp::LessOrEqual, [Expr::sym(v), Expr::sym(k)]),
        update: Stmt::assign(VarRef::whole(v), Expr::op("add_scal_scal", [Expr::sym(v), Expr::int(1)])),
        counted: true,
    };
    let mut b = GraphBuilder::new(scope);
    b.begin_for(head(i));
    b.begin_for(head(j));
    for _ in 0..8 {
        let product = Expr::op("mul_scal_scal", [Expr::var(at(x, &[i])), Expr::op("sin_scal", [Expr::var(at(y, &[i, j]))])]);
        let rhs = Expr::op("add_scal_scal", [product, Expr::op("div_scal_scal", [Expr::var(at(x, &[j])), Expr::real(2.5, 64)])]);
        b.stmt(Stmt { line: 7, do_chain: 1, ..Stmt::assign(at(y, &[i, j]), rhs) });
    }
    b.end_loop();
    b.end_loop();
    let Ok(built) = b.finish() else { return };
    let mut u = Unit { graph: built.graph, structured: built.structured, ..Unit::new(name, scope) };
    u.formals = vec![Formal::new(1, x, Intent::In), Formal::new(2, y, Intent::Inout), Formal::new(3, k, Intent::In)];
    p.add_unit(u);
}

fn made() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let mut p = Program { dialect: Dialect::Openad, name: "made".into(), ..Program::default() };
        let file = p.add_scope(Scope::default());
        p.alias_sets = (0..2).map(|key| AliasSet { key, ranges: Vec::new() }).collect();
        p.duud_sets = (0..2).map(|key| StatementSet { key, statements: Vec::new() }).collect();
        p.do_sets = p.duud_sets.clone();
        for n in 0..600 {
            unit(&mut p, file, n);
        }
        write(&p)
    })
}

/// All real files, some ten times over.
fn real() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = ["../../shared/xaif/corpus", "../../../shared/xaif/corpus"].iter().map(|f| root.join(f)).find(|f| f.is_dir());
        let Some(folder) = folder else {
            eprintln!("skipped: no folder shared/xaif/corpus beside the workspace");
            return Vec::new();
        };
        let mut paths: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.retain(|p| p.extension().is_some_and(|e| e == "xaif"));
        paths.sort();
        let once: Vec<Vec<u8>> = paths.iter().filter_map(|p| std::fs::read(p).ok()).collect();
        (0..10).flat_map(|_| once.clone()).collect()
    })
}

fn checked(bytes: &[u8]) -> usize {
    match read("bench.xaif", bytes, &Limits::default()) {
        Ok((program, _)) => program.symbols.len() + validate::semantics(&program).len(),
        Err(problems) => panic!("{}", problems[0]),
    }
}

#[divan::bench(sample_count = 8)]
fn read_and_check_made(bencher: Bencher) {
    let text = made();
    assert!(validate::document("bench.xaif", text.as_bytes(), &Limits::default()).is_empty());
    bencher.counter(BytesCount::new(text.len())).bench(|| checked(text.as_bytes()));
}

#[divan::bench(sample_count = 8)]
fn read_and_check_real(bencher: Bencher) {
    let files = real();
    let size: usize = files.iter().map(Vec::len).sum();
    bencher.counter(BytesCount::new(size)).bench(|| files.iter().map(|f| checked(f)).sum::<usize>());
}

#[divan::bench(sample_count = 8)]
fn read_made(bencher: Bencher) {
    let text = made();
    bencher.counter(BytesCount::new(text.len())).bench(|| read("bench.xaif", text.as_bytes(), &Limits::default()).is_ok());
}

#[divan::bench(sample_count = 8)]
fn write_made(bencher: Bencher) {
    let text = made();
    let Ok((program, _)) = read("bench.xaif", text.as_bytes(), &Limits::default()) else { return };
    bencher.counter(BytesCount::new(text.len())).bench(|| write(&program));
}

#[divan::bench(sample_count = 4)]
fn schema_made(bencher: Bencher) {
    let text = made();
    bencher.counter(BytesCount::new(text.len())).bench(|| validate::schema("bench.xaif", text.as_bytes()).len());
}

#[divan::bench(sample_count = 4)]
fn schema_real(bencher: Bencher) {
    let files = real();
    let size: usize = files.iter().map(Vec::len).sum();
    bencher.counter(BytesCount::new(size)).bench(|| files.iter().map(|f| validate::schema("bench.xaif", f).len()).sum::<usize>());
}
