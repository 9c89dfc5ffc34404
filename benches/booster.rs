//! How long the booster takes, and how that grows: adjoints of programs of many assignments, as `boost -b` makes them (reading, semantic checks,
//! transformation, writing). `cargo bench --bench booster`.
//!
//! Printed are the first of three runs and the fastest. The first gets its memory from the system, which has to clear it; the others find it, so that what
//! grows with a program is its work alone.

use overbar::Options;
use std::hint::black_box;
use std::time::{Duration, Instant};
use xaif::build::GraphBuilder;
use xaif::model::{
    BoolOp, CallEdge, Decl, Dim, ElemType, Expr, ForLoop, Formal, Head, Intent, Program, Scope, Stmt, Storage, Symbol, SymbolId, Unit,
    UnitId, VarRef,
};

// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `units` subroutines of 100 assignments each, half of them in a loop, and a head that calls them all in turn.
fn program(units: usize) -> Program {
    let mut p = Program { prefix: "ob_".into(), ..Program::default() };
    let file = p.add_scope(Scope::default());
    let argument = |p: &mut Program, scope, name: &str, ty, rank: u8| {
        let mut s = Symbol::variable(name, ty, scope);
        s.rank = rank;
        if let Some(d) = s.decl.as_mut() {
            **d = Decl { storage: Storage::Argument, dims: vec![Dim::default(); rank as usize], ..Decl::default() };
            if rank > 0 {
                d.dims[0].lower = xaif::model::Bound::Expr(Expr::int(1));
                d.dims[0].upper = xaif::model::Bound::Expr(Expr::int(100));
            }
        }
        p.add_symbol(s)
    };
    let add = |a, b| Expr::op("add_scal_scal", [a, b]);
    let mul = |a, b| Expr::op("mul_scal_scal", [a, b]);
    let mut callees = Vec::new();
    for u in 0..units {
        let name = p.add_symbol(Symbol::subroutine(format!("part{u}"), file));
        let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
        let x = argument(&mut p, scope, "x", ElemType::REAL64, 1);
        let i = p.add_symbol(Symbol::variable("i", ElemType::INTEGER, scope));
        let t: Vec<SymbolId> = (0..5).map(|k| p.add_symbol(Symbol::variable(format!("t{k}"), ElemType::REAL64, scope))).collect();
        let mut b = GraphBuilder::new(scope);
        let at = |k: i64| Expr::var(VarRef::element(x, [Expr::int(k)]));
        for k in 0..50i64 {
            let previous = if k == 0 { at(1) } else { Expr::sym(t[(k as usize - 1) % 5]) };
            let rhs = add(mul(previous, at(k % 100 + 1)), Expr::op("sin_scal", [at((7 * k) % 100 + 1)]));
            b.stmt(Stmt::assign(VarRef::whole(t[k as usize % 5]), rhs));
        }
        b.begin_for(ForLoop {
            explicit: false,
            init: Stmt::assign(VarRef::whole(i), Expr::int(1)),
            condition: Expr::boolean(BoolOp::LessOrEqual, [Expr::sym(i), Expr::int(100)]),
            update: Stmt::assign(VarRef::whole(i), add(Expr::sym(i), Expr::int(1))),
            counted: true,
        });
        for k in 0..50usize {
            let xi = VarRef::element(x, [Expr::sym(i)]);
            b.stmt(Stmt::assign(xi.clone(), mul(Expr::var(xi), Expr::sym(t[k % 5]))));
        }
        b.end_loop();
        let mut unit = Unit::new(name, scope);
        unit.graph = b.finish().expect("no labels").graph;
        unit.formals = vec![Formal::new(1, x, Intent::Inout)];
        p.add_unit(unit);
        callees.push(name);
    }
    let name = p.add_symbol(Symbol::subroutine("whole", file));
    let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
    let x = argument(&mut p, scope, "x", ElemType::REAL64, 1);
    let mut b = GraphBuilder::new(scope);
    for callee in callees {
        b.stmt(Stmt::new(xaif::model::StmtKind::Call(xaif::model::Call {
            callee,
            arguments: vec![xaif::model::CallArgument::new(1, Expr::sym(x))],
            formal_count: Some(1),
            active: Default::default(),
        })));
    }
    let mut unit = Unit::new(name, scope);
    unit.graph = b.finish().expect("no labels").graph;
    unit.formals = vec![Formal::new(1, x, Intent::Inout)];
    let whole = p.add_unit(unit);
    p.calls = (0..units as u32)
        .map(|callee| CallEdge { id: format!("{callee}").into(), caller: whole, callee: UnitId(callee), extras: Default::default() })
        .collect();
    p
}

/// One assignment after the other in one unit: `t(k) = t(k-1) * sin(t(k-2))`.
fn straight(assignments: usize) -> Program {
    let mut p = Program { prefix: "ob_".into(), ..Program::default() };
    let file = p.add_scope(Scope::default());
    let name = p.add_symbol(Symbol::subroutine("whole", file));
    let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
    let mut x = Symbol::variable("x", ElemType::REAL64, scope);
    x.decl = Some(Box::new(Decl { storage: Storage::Argument, ..Decl::default() }));
    let x = p.add_symbol(x);
    let t: Vec<SymbolId> = (0..100).map(|k| p.add_symbol(Symbol::variable(format!("t{k}"), ElemType::REAL64, scope))).collect();
    let mut b = GraphBuilder::new(scope);
    for &s in &t {
        b.stmt(Stmt::assign(VarRef::whole(s), Expr::sym(x)));
    }
    for k in 0..assignments {
        let back = |d: usize| Expr::sym(t[(k + 100 - d) % 100]);
        let rhs = Expr::op("mul_scal_scal", [back(1), Expr::op("sin_scal", [back(2)])]);
        b.stmt(Stmt::assign(VarRef::whole(t[k % 100]), rhs));
    }
    b.stmt(Stmt::assign(VarRef::whole(x), Expr::sym(t[(assignments + 99) % 100])));
    let mut unit = Unit::new(name, scope);
    unit.graph = b.finish().expect("no labels").graph;
    unit.formals = vec![Formal::new(1, x, Intent::Inout)];
    p.add_unit(unit);
    p
}

/// A unit with one argument, `x`, and two scalars, filled by `fill`.
fn one_unit(fill: impl Fn(&mut GraphBuilder, SymbolId, [SymbolId; 2], SymbolId)) -> Program {
    let mut p = Program { prefix: "ob_".into(), ..Program::default() };
    let file = p.add_scope(Scope::default());
    let name = p.add_symbol(Symbol::subroutine("whole", file));
    let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
    let mut x = Symbol::variable("x", ElemType::REAL64, scope);
    x.decl = Some(Box::new(Decl { storage: Storage::Argument, ..Decl::default() }));
    let x = p.add_symbol(x);
    let local = |p: &mut Program, name: &str, ty| p.add_symbol(Symbol::variable(name, ty, scope));
    let t = ["t", "s"].map(|n| local(&mut p, n, ElemType::REAL64));
    let i = local(&mut p, "i", ElemType::INTEGER);
    let mut b = GraphBuilder::new(scope);
    t.iter().for_each(|&s| b.stmt(Stmt::assign(VarRef::whole(s), Expr::sym(x))));
    fill(&mut b, x, t, i);
    b.stmt(Stmt::assign(VarRef::whole(x), Expr::sym(t[0])));
    let mut unit = Unit::new(name, scope);
    unit.graph = b.finish().expect("no labels").graph;
    unit.formals = vec![Formal::new(1, x, Intent::Inout)];
    p.add_unit(unit);
    p
}

/// One loop after the other, each with two assignments.
fn loops(assignments: usize) -> Program {
    one_unit(|b, x, [t, s], i| {
        for _ in 0..assignments / 2 {
            b.begin_for(ten_times(i));
            b.stmt(Stmt::assign(VarRef::whole(t), Expr::op("mul_scal_scal", [Expr::sym(t), Expr::sym(x)])));
            b.stmt(Stmt::assign(VarRef::whole(s), Expr::op("add_scal_scal", [Expr::sym(s), Expr::sym(t)])));
            b.end_loop();
        }
    })
}

/// A loop over `i` from 1 to 10.
fn ten_times(i: SymbolId) -> ForLoop {
    ForLoop {
        explicit: false,
        init: Stmt::assign(VarRef::whole(i), Expr::int(1)),
        condition: Expr::boolean(BoolOp::LessOrEqual, [Expr::sym(i), Expr::int(10)]),
        update: Stmt::assign(VarRef::whole(i), Expr::op("add_scal_scal", [Expr::sym(i), Expr::int(1)])),
        counted: true,
    }
}

/// One loop with all assignments.
fn long_loop(assignments: usize) -> Program {
    one_unit(|b, x, [t, s], i| {
        b.begin_for(ten_times(i));
        for _ in 0..assignments / 2 {
            b.stmt(Stmt::assign(VarRef::whole(t), Expr::op("mul_scal_scal", [Expr::sym(t), Expr::op("sin_scal", [Expr::sym(s)])])));
            b.stmt(Stmt::assign(
                VarRef::whole(s),
                Expr::op("add_scal_scal", [Expr::sym(s), Expr::op("mul_scal_scal", [Expr::sym(t), Expr::sym(x)])]),
            ));
        }
        b.end_loop();
    })
}

/// The variable of a program that has one of that name.
fn named(p: &Program, name: &str) -> SymbolId {
    p.symbol_ids().find(|&s| p.symbol(s).name == name).expect("it is there")
}

/// One loop after the other, each of which sets an array of its own from the one before.
fn local_arrays(assignments: usize) -> Program {
    let mut p = one_unit(|_, _, _, _| {});
    let scope = p.units[0].scope;
    let (x, t, i) = (named(&p, "x"), named(&p, "t"), named(&p, "i"));
    let mut b = GraphBuilder::new(scope);
    let mut last = Expr::sym(x);
    for k in 0..assignments {
        let mut a = Symbol::variable(format!("a{k}"), ElemType::REAL64, scope);
        a.rank = 1;
        if let Some(d) = a.decl.as_mut() {
            d.dims = vec![Dim { lower: xaif::model::Bound::Expr(Expr::int(1)), upper: xaif::model::Bound::Expr(Expr::int(10)) }];
        }
        let at = VarRef::element(p.add_symbol(a), [Expr::sym(i)]);
        b.begin_for(ten_times(i));
        b.stmt(Stmt::assign(at.clone(), Expr::op("mul_scal_scal", [Expr::op("sin_scal", [last]), Expr::sym(x)])));
        b.end_loop();
        last = Expr::var(at);
    }
    b.stmt(Stmt::assign(VarRef::whole(t), Expr::sym(x)));
    b.begin_for(ten_times(i));
    b.stmt(Stmt::assign(VarRef::whole(t), Expr::op("add_scal_scal", [Expr::sym(t), last])));
    b.end_loop();
    b.stmt(Stmt::assign(VarRef::whole(x), Expr::sym(t)));
    p.units[0].graph = b.finish().expect("no labels").graph;
    p
}

/// One branch after the other, each with two arms of one assignment.
fn branches(assignments: usize) -> Program {
    one_unit(|b, x, [t, s], _| {
        for k in 0..assignments / 2 {
            b.begin_branch(Expr::boolean(BoolOp::LessThan, [Expr::sym(t), Expr::real(k as f64, 64)]));
            b.arm(&[1]);
            b.stmt(Stmt::assign(VarRef::whole(t), Expr::op("mul_scal_scal", [Expr::sym(t), Expr::sym(x)])));
            b.arm(&[]);
            b.stmt(Stmt::assign(VarRef::whole(s), Expr::op("add_scal_scal", [Expr::sym(s), Expr::sym(t)])));
            b.end_branch();
        }
        b.stmt(Stmt::assign(VarRef::whole(t), Expr::op("mul_scal_scal", [Expr::sym(t), Expr::sym(s)])));
    })
}

/// Every assignment sets a variable of its own: straight, each in a branch, or each in a loop.
fn own_variables(assignments: usize, around: impl Fn(&mut GraphBuilder, SymbolId, Stmt, Stmt)) -> Program {
    let mut p = one_unit(|_, _, _, _| {});
    let scope = p.units[0].scope;
    let (x, i) = (named(&p, "x"), named(&p, "i"));
    let mut b = GraphBuilder::new(scope);
    let mut last = [x; 3];
    for k in 0..assignments {
        let own = p.add_symbol(Symbol::variable(format!("v{k}"), ElemType::REAL64, scope));
        let product = Expr::op("mul_scal_scal", [Expr::sym(last[k % 3]), Expr::op("sin_scal", [Expr::sym(last[(k + 1) % 3])])]);
        around(&mut b, i, Stmt::assign(VarRef::whole(own), Expr::sym(x)), Stmt::assign(VarRef::whole(own), product));
        last[(k + 2) % 3] = own;
    }
    b.stmt(Stmt::assign(VarRef::whole(x), Expr::sym(last[(assignments + 1) % 3])));
    p.units[0].graph = b.finish().expect("no labels").graph;
    p
}

fn own_straight(assignments: usize) -> Program {
    own_variables(assignments, |b, _, _, s| b.stmt(s))
}

fn own_branches(assignments: usize) -> Program {
    own_variables(assignments / 2, |b, i, first, s| {
        b.begin_branch(Expr::boolean(BoolOp::LessThan, [Expr::sym(i), Expr::int(0)]));
        b.arm(&[1]);
        b.stmt(first);
        b.arm(&[]);
        b.stmt(s);
        b.end_branch();
    })
}

fn own_loops(assignments: usize) -> Program {
    own_variables(assignments / 2, |b, i, first, s| {
        b.stmt(first);
        b.begin_for(ten_times(i));
        b.stmt(s);
        b.end_loop();
    })
}

/// Three runs: the first in all; the fastest in all; its reading with semantics, boosting, writing; and the size of what is written.
fn time(xml: &str) -> ([Duration; 2], [Duration; 3], usize) {
    let limits = xaif::read::Limits::default();
    let mut first = None;
    let mut best = Duration::MAX;
    let mut size = 0;
    let mut parts = [Duration::ZERO; 3];
    for _ in 0..3 {
        let start = Instant::now();
        let (program, _) = xaif::read::read("bench", xml.as_bytes(), &limits).expect("what was written can be read");
        let problems = xaif::validate::semantics(&program);
        if problems.iter().any(xaif::Diagnostic::is_error) {
            panic!("{:?}", &problems[..problems.len().min(3)]);
        }
        let semantics = start.elapsed();
        let options = Options {
            adjoint: true,
            heads: vec![Head { unit: "whole".into(), dependents: Some(vec!["x".into()]), independents: Some(vec!["x".into()]) }],
            ..Options::default()
        };
        let before = start.elapsed();
        let boosted = overbar::boost_for_xaif(program, &options).unwrap_or_else(|found| panic!("{:?}", found.first()));
        let after = start.elapsed();
        let mut out = Counted(0);
        xaif::write::write_to(&boosted.program, &mut out).expect("counting cannot fail");
        size = black_box(out.0);
        let all = start.elapsed();
        first.get_or_insert(all);
        if all < best {
            best = all;
            parts = [semantics, after - before, all - after];
        }
    }
    ([first.unwrap_or(best), best], parts, size)
}

/// A sink that counts.
struct Counted(usize);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Peak resident memory of the process so far in MiB, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

/// Makes a program of so many assignments.
type Make = fn(usize) -> Program;

fn main() {
    // The allocator is told where it starts that memory stays with the process.
    const STAYS: &str = "MIMALLOC_PURGE_DELAY";
    if std::env::var_os(STAYS).is_none() {
        let program = std::env::current_exe().expect("this program has a path");
        let status = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(STAYS, "-1").status();
        std::process::exit(status.expect("this program runs").code().unwrap_or(1));
    }
    // `cargo test` runs benchmarks too, to see that they still work.
    let sizes: &[usize] = if std::env::args().any(|a| a == "--bench") { &[500, 1000, 2000] } else { &[5, 10] };
    println!(
        "{:<48} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6} {:>6} {:>9}",
        "program", "in MB", "out MB", "first s", "read", "boost", "write", "best s", "peak MiB"
    );
    // With the number of assignments for each of a size.
    let shapes: [(&str, usize, Make); 9] = [
        ("units of 100 assignments", 100, |n| program(n / 100)),
        ("one unit, straight", 100, straight),
        ("one unit, loops", 100, loops),
        ("one unit, branches", 100, branches),
        ("one unit, one loop", 20, long_loop),
        ("one unit, local arrays", 10, local_arrays),
        ("own variables, straight", 100, own_straight),
        ("own variables, branches", 100, own_branches),
        ("own variables, loops", 100, own_loops),
    ];
    // A word of the command line picks the programs that it is in.
    let word = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    for (what, each, make) in shapes.into_iter().filter(|(what, ..)| what.contains(&word)) {
        let mut last: Option<f64> = None;
        // The largest size only where growth is not seen otherwise.
        let sizes = if ["loops", "branches", "arrays"].iter().any(|w| what.ends_with(w)) { &sizes[..sizes.len() - 1] } else { sizes };
        for assignments in sizes.iter().map(|n| n * each) {
            let xml = xaif::write::write(&make(assignments));
            let (times, parts, out) = time(&xml);
            let [read, boost, write] = parts.map(|p| p.as_secs_f64());
            let [first, seconds] = times.map(|t| t.as_secs_f64());
            let growth = last.map_or(String::new(), |l| format!("  {:.2} times the half", seconds / l));
            let memory = peak().map_or("?".to_owned(), |m| m.to_string());
            let name = format!("{what}: {assignments} assignments");
            let (input, output) = (xml.len() as f64 / 1e6, out as f64 / 1e6);
            println!(
                "{name:<48} {input:>7.1} {output:>7.1} {first:>7.2} {read:>6.2} {boost:>6.2} {write:>6.2} {seconds:>6.2} {memory:>9}{growth}"
            );
            last = Some(seconds);
        }
    }
}
