//! Faults planted in derivative programs, one at a time: each is called wrong, and the statement of the original is named.
//!
//! Planted are wrong factors and signs, increments and zeros left out, statements with the derivative of the next one, calls left out or handed
//! another derivative, records and what is taken from them, numbers of iterations, indices and branches; and partials of the catalogue. A fault that
//! changes no derivative at any point that was drawn, with several seeds, to the last bit, is none.

use overbar::evaluate::{Limits, Values, json};
use overbar::transform::Reversal;
use overbar::verify::checks::Bench;
use overbar::verify::engine::{Engine, Interpreter, Map, Programs};
use overbar::verify::oracle::Oracle;
use overbar::verify::random::Random;
use overbar::verify::subject::Subject;
use overbar::verify::{Place, Report, Request, Verdict, check, locate};
use overbar::{Options, boost};
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::{BoolOp, Expr, Mode, NodeKind, Stmt, StmtKind, SymbolId, UnitId, VertexId, VertexKind};

/// Faults at least.
const FEWEST: usize = 60;

const NEST: &str = "\
subroutine f(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: s, t
  integer :: i
  s = 1
  do i = 1, n
    t = s*x(i)
    if (t > 0.1d0) then
      s = s + t*t
    else
      s = s - t
    end if
    call g(s, t)
    s = s*0.5d0 + t
  end do
  y = s*x(1)
end subroutine
subroutine g(a, b)
  implicit none
  real(8), intent(inout) :: a, b
  a = a + 0.25d0*b
  b = cos(b)*sin(a)
  a = a*b
end subroutine
";

const STENCIL: &str = "\
#include <math.h>
static double flux(double a, double b) {
  double r = a / b;
  return r * b + exp(-r * r);
}
void step(int n, double *u, const double *k, double *energy) {
  double w[64];
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < n - 1; i++)
      w[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
    for (int i = 1; i < n - 1; i++)
      u[i] = w[i] * w[i] + 0.5;
    u[0] = flux(u[1], 2.0 + u[0] * u[0]);
  }
  *energy = 0.0;
  for (int i = 0; i < n; i++)
    *energy = *energy + u[i] * u[i] * u[i];
}
";

const JUMPS: &str = "\
#include <math.h>
double search(int n, const double *x, double p) {
  double s = p;
  int i = 0;
  while (i < n) {
    double q = s * x[i];
    if (q > 3.0)
      s = sqrt(q) + p;
    else
      s = q * q + sin(p) * s;
    i++;
  }
  s = s * p;
  return s * s;
}
";

struct Case<'a> {
    name: &'static str,
    program: Program,
    head: &'a str,
    reversal: Reversal,
}

fn cases() -> Vec<Case<'static>> {
    let mut out = Vec::new();
    for reversal in [Reversal::Split, Reversal::Joint] {
        let source = overbar_fortran::parse::SourceText { file: "nest.f90", text: NEST };
        let program = overbar_fortran::parse(&[source], &overbar_fortran::ParseOptions::default()).unwrap_or_else(|e| panic!("{e:?}")).0;
        out.push(Case { name: "nest.f90", program, head: "f(y)/(x)", reversal });
        // Without calls in loops, or with one that is as short, either would do.
        if reversal == Reversal::Split {
            continue;
        }
        for (name, text, head) in [("stencil.c", STENCIL, "step(u,energy)/(u,k)"), ("jumps.c", JUMPS, "search/(x,p)")] {
            let source = overbar_c::parse::SourceText { file: name, text };
            let options = overbar_c::ParseOptions { preprocess: true, ..Default::default() };
            let program = overbar_c::parse(&[source], &options).unwrap_or_else(|e| panic!("{e:?}")).0;
            out.push(Case { name, program, head, reversal });
        }
    }
    out
}

/// A fault.
struct Fault {
    kind: &'static str,
    program: Program,
    /// Lines of the original that may be named.
    lines: BTreeSet<u32>,
    what: String,
}

fn is_derivative(p: &Program, s: SymbolId) -> bool {
    p.symbol(s).decl.as_ref().is_some_and(|d| d.derivative_of.is_some())
}

fn derivative_assigned(p: &Program, s: &Stmt) -> bool {
    matches!(&s.kind, StmtKind::Assignment { lhs, .. } if is_derivative(p, lhs.symbol))
}

/// A whole number added to every use of a variable among the subscripts.
fn shifted(e: &mut Expr) -> bool {
    let old = std::mem::take(e);
    let constant = old.as_int().is_some();
    *e = Expr::op(if constant { "add_scal_scal" } else { "sub_scal_scal" }, [old, Expr::int(1)]);
    true
}

/// Where values are kept that are brought back, by name.
fn is_record(p: &Program, s: SymbolId) -> bool {
    let name = &p.symbol(s).name;
    ["_tape", "_old", "_saved", "_kept"].iter().any(|part| name.contains(part))
}

/// The lines in which an original unit sets a variable of that name, reads it, or hands it to a call: what is recorded at the start of an iteration is missed where that first
/// reads it.
fn lines_that_name(p: &Program, derived: UnitId, name: &str) -> BTreeSet<u32> {
    let Some(d) = p.unit(derived).derivation else { return BTreeSet::new() };
    let mut out = BTreeSet::new();
    for s in p.unit(d.of).graph.node_weights().flat_map(|v| v.stmts()).filter(|s| s.span.is_known()) {
        let sets = match &s.kind {
            StmtKind::Assignment { lhs, rhs } => [lhs].into_iter().chain(rhs.refs()).any(|r| p.symbol(r.symbol).name == name),
            StmtKind::Call(c) => c.arguments.iter().any(|a| a.value.refs().any(|r| p.symbol(r.symbol).name == name)),
            _ => false,
        };
        if sets {
            out.insert(s.span.line);
        }
    }
    out
}

/// All faults of the derivative units of a program.
fn faults(p: &Program) -> Vec<Fault> {
    let mut out = Vec::new();
    for u in p.unit_ids().filter(|&u| p.unit(u).derivation.is_some()) {
        let graph = &p.unit(u).graph;
        for v in graph.node_indices() {
            for k in 0..graph[v].stmts().len() {
                statement(p, u, v, k, &mut out);
            }
            construct(p, u, v, &mut out);
        }
    }
    out
}

fn statement(p: &Program, u: UnitId, v: VertexId, k: usize, out: &mut Vec<Fault>) {
    let all = p.unit(u).graph[v].stmts();
    let s = &all[k];
    let own: BTreeSet<u32> = s.span.is_known().then_some(s.span.line).into_iter().collect();
    let mut plant = |kind: &'static str, lines: &BTreeSet<u32>, change: &dyn Fn(&mut Vec<Box<Stmt>>)| {
        let mut q = p.clone();
        if let VertexKind::Block { stmts, .. } = &mut q.units[u.index()].graph[v].kind {
            change(stmts);
        }
        let what = format!("{} in {}: {:?}", kind, p.unit_name(u), s.kind).chars().take(300).collect();
        out.push(Fault { kind, program: q, lines: lines.clone(), what });
    };
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } if is_derivative(p, lhs.symbol) => {
            if own.is_empty() {
                return;
            }
            plant(if rhs.as_constant().is_some() { "missed zero" } else { "dropped derivative" }, &own, &|l| {
                l.remove(k);
            });
            if rhs.as_constant().is_none() {
                let with = |op: &'static str, f: f64| {
                    move |l: &mut Vec<Box<Stmt>>| {
                        if let StmtKind::Assignment { rhs, .. } = &mut l[k].kind {
                            *rhs = Expr::op(op, [Expr::real(f, 64), std::mem::take(rhs)]);
                        }
                    }
                };
                plant("factor", &own, &with("mul_scal_scal", 1.01));
                plant("sign", &own, &with("mul_scal_scal", -1.0));
            }
            // The derivative of the next statement in its place.
            let next = all.iter().skip(k + 1).find(|t| derivative_assigned(p, t) && t.span.is_known() && t.span != s.span);
            if let Some(next) = next {
                let mut other = next.clone();
                (other.span, other.line) = (s.span, s.line);
                plant("shifted facts", &own, &|l| l[k] = other.clone());
            }
            if !lhs.subscripts.is_empty() {
                plant("wrong index", &own, &|l| {
                    if let StmtKind::Assignment { lhs, .. } = &mut l[k].kind {
                        let _ = lhs.index_exprs_mut().next().map(shifted);
                    }
                });
            }
        }
        StmtKind::Assignment { lhs, rhs } if is_record(p, lhs.symbol) || rhs.as_var().is_some_and(|r| is_record(p, r.symbol)) => {
            let variable = if is_record(p, lhs.symbol) { rhs.as_var().map(|r| r.symbol) } else { Some(lhs.symbol) };
            let Some(variable) = variable else { return };
            let lines = lines_that_name(p, u, &p.symbol(variable).name);
            if !lines.is_empty() {
                plant("lost record", &lines, &|l| {
                    l.remove(k);
                });
            }
        }
        StmtKind::Runtime { name, arguments } if name == "push" || name == "pop" => {
            let Some(r) = arguments.first().and_then(|a| a.value.as_var()) else { return };
            let lines = lines_that_name(p, u, &p.symbol(r.symbol).name);
            if !lines.is_empty() {
                plant("lost record", &lines, &|l| {
                    l.remove(k);
                });
            }
        }
        StmtKind::Call(c) => {
            let derived = p.unit_of_symbol(c.callee).is_some_and(|t| p.unit(t).derivation.is_some());
            let positions: Vec<usize> =
                (0..c.arguments.len()).filter(|&a| c.arguments[a].value.as_var().is_some_and(|r| is_derivative(p, r.symbol))).collect();
            if !derived || own.is_empty() {
                return;
            }
            plant("dropped call", &own, &|l| {
                l.remove(k);
            });
            if let [a, b, ..] = positions[..] {
                plant("wrong argument", &own, &|l| {
                    if let StmtKind::Call(c) = &mut l[k].kind {
                        let (x, y) = (c.arguments[a].value.clone(), c.arguments[b].value.clone());
                        (c.arguments[a].value, c.arguments[b].value) = (y, x);
                    }
                });
            }
        }
        _ => {}
    }
}

/// The lines of a construct of the original, from its head on.
fn extent(p: &Program, v: &xaif::model::Vertex, u: UnitId) -> BTreeSet<u32> {
    let Some(d) = p.unit(u).derivation else { return BTreeSet::new() };
    if !v.span.is_known() {
        return BTreeSet::new();
    }
    let whole = p.unit(d.of).graph.node_weights().filter(|w| w.span.is_known() && w.span.line >= v.span.line).map(|w| w.span);
    let statements = p.unit(d.of).graph.node_weights().flat_map(|w| w.stmts()).map(|s| s.span).filter(|s| s.is_known());
    whole.chain(statements).map(|s| s.line).filter(|&l| l >= v.span.line).collect()
}

fn construct(p: &Program, u: UnitId, v: VertexId, out: &mut Vec<Fault>) {
    let vertex = &p.unit(u).graph[v];
    let lines = extent(p, vertex, u);
    if lines.is_empty() {
        return;
    }
    let mut q = p.clone();
    let kind = match &mut q.units[u.index()].graph[v].kind {
        VertexKind::For(head) => {
            // One iteration less, whichever way it goes.
            let strict = |op: BoolOp| match op {
                BoolOp::LessOrEqual => BoolOp::LessThan,
                BoolOp::GreaterOrEqual => BoolOp::GreaterThan,
                other => other,
            };
            let mut changed = false;
            for n in &mut head.condition.nodes {
                if let NodeKind::Bool(op) = &mut n.kind {
                    changed |= strict(*op) != *op;
                    *op = strict(*op);
                }
            }
            if !changed {
                return;
            }
            "trip count"
        }
        VertexKind::Branch(c) => {
            *c = Expr::boolean(BoolOp::Not, [std::mem::take(c)]);
            "wrong branch"
        }
        _ => return,
    };
    let what = format!("{kind} in {}: {}", p.unit_name(u), vertex.text);
    out.push(Fault { kind, program: q, lines, what });
}

fn request(case: &Case, seed: u64, values: Option<&Values<f64>>) -> Request<'static> {
    Request {
        head: overbar::heads::parse_head(case.head).unwrap(),
        values: values.cloned(),
        seed,
        options: Options { reversal: case.reversal, ..Options::default() },
        limits: Limits { steps: 200_000, ..Limits::default() },
        interpret: true,
        workshop: None,
    }
}

/// Derivatives at points, to the last bit; nothing where a run fails.
pub(super) fn numbers(subject: &Subject, tangent: &Program, adjoint: &Program, points: &[Values<f64>]) -> Vec<Option<Vec<u64>>> {
    let limits = Limits { steps: 200_000, ..Limits::default() };
    let Ok(mut engine) = Interpreter::new(subject, Programs::both(tangent, adjoint), limits) else { return Vec::new() };
    let mut out = Vec::new();
    for x in points {
        let mut seeds = Values::new();
        for s in subject.named() {
            let mut d = subject.value(x, s).cloned().unwrap_or_else(|| overbar::evaluate::Data::real(1.0));
            for (k, v) in d.values.iter_mut().enumerate() {
                *v = overbar::evaluate::Value::real(1.0 + 0.25 * k as f64);
            }
            seeds.insert(subject.name(s).to_owned(), d);
        }
        let bits = |v: &Values<f64>| v.values().flat_map(|d| d.to_reals()).map(f64::to_bits).collect::<Vec<u64>>();
        // Of tangents those count that were asked for.
        let asked = |v: &Values<f64>| -> Values<f64> {
            let of = |&s: &SymbolId| Some((subject.name(s).to_owned(), subject.value(v, s)?.clone()));
            subject.dependents.iter().filter_map(of).collect()
        };
        out.push(engine.tangent(x, &seeds).ok().map(|s| bits(&asked(&s.derivatives))));
        out.push(engine.adjoint(x, &seeds).ok().map(|s| bits(&s.derivatives)));
    }
    out
}

pub(super) fn points_of(report: &Report, p: &Program) -> Vec<Values<f64>> {
    let text = |x: &serde_json::Value| format!("{{\"args\":{x}}}");
    report.points.iter().map(|x| json::request(&text(x), p.index_order).unwrap().inputs.values).collect()
}

/// What is to blame in programs at a point, asked although nothing is known to be wrong.
fn blamed(subject: &Subject, made: Programs, x: &Values<f64>) -> Vec<Place> {
    let limits = Limits { steps: 200_000, ..Limits::default() };
    let Ok(oracle) = Oracle::new(subject, x, &mut Random::new(1), &limits) else { return Vec::new() };
    let bench = Bench { subject, oracle: &oracle, x, zero_init: false, with_values: false, stock: false };
    let at = |(mode, p): (Mode, &Program)| {
        let map = Map::new(subject, p, mode).ok()?;
        match mode {
            Mode::Tangent => locate::tangent(&bench, p, &map, &limits),
            _ => locate::adjoint(&bench, p, &map, &limits, false),
        }
    };
    made.modes().filter_map(at).collect()
}

/// Programs of the collections, with their heads.
fn collected() -> Vec<(String, Program, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = ["c_programs", "fortran_programs"].map(|f| std::fs::read_dir(root.join(f)).unwrap());
    let mut files: Vec<_> = folders.into_iter().flatten().map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect();
    files.sort();
    let mut out = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(head) = text.lines().find_map(|l| l.strip_prefix("//: head ").or_else(|| l.strip_prefix("! head: "))) else { continue };
        let program = if name.ends_with(".c") {
            let options = overbar_c::ParseOptions { preprocess: true, ..Default::default() };
            overbar_c::parse(&[overbar_c::parse::SourceText { file: &name, text: &text }], &options).map(|p| p.0).ok()
        } else {
            let options = overbar_fortran::ParseOptions { fixed_form: name.ends_with(".f"), ..Default::default() };
            overbar_fortran::parse(&[overbar_fortran::parse::SourceText { file: &name, text: &text }], &options).map(|p| p.0).ok()
        };
        out.extend(program.map(|p| (name, p, head.trim().to_owned())));
    }
    out
}

#[test]
fn nothing_is_to_blame_where_nothing_is_wrong() {
    let only = std::env::var("OVERBAR_PROGRAM").unwrap_or_default();
    let (mut asked, mut found) = (0, Vec::new());
    for (name, program, head) in collected().iter().filter(|c| only.is_empty() || only.split(',').any(|o| o == c.0)) {
        for reversal in [Reversal::Split, Reversal::Joint] {
            let case = Case { name: "", program: program.clone(), head: head.as_str(), reversal };
            let r = request(&case, 1, None);
            let Ok(subject) = Subject::new(program, &r.head) else { continue };
            // Without local Jacobians, as statements are looked for first.
            let made = |tangent: bool| {
                let options = Options { tangent, adjoint: !tangent, heads: vec![subject.head()], plain: true, ..r.options.clone() };
                boost(program.clone(), &options).map(|b| b.program)
            };
            let (Ok(tangent), Ok(adjoint)) = (made(true), made(false)) else { continue };
            let both = Programs::both(&tangent, &adjoint);
            let Ok(good) = check(&subject, &r, both, &|_| Err(Vec::new())) else { continue };
            if good.verdict != Verdict::Pass {
                continue;
            }
            for x in points_of(&good, program).iter().take(1) {
                asked += 1;
                let said = |b: Place| format!("{name} {reversal:?}: {}: {}", b.spoken(), b.message);
                found.extend(blamed(&subject, both, x).into_iter().map(said));
            }
        }
    }
    println!("{asked} asked");
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(asked > 20 || !only.is_empty(), "{asked}");
}

#[test]
fn every_planted_fault_is_found() {
    let only = std::env::var("OVERBAR_PROGRAM").unwrap_or_default();
    let (mut planted, mut equivalent) = (BTreeMap::<&str, usize>::new(), 0);
    let (mut missed, mut unnamed) = (Vec::new(), Vec::new());
    for case in cases().iter().filter(|c| only.is_empty() || only.split(',').any(|o| o == c.name)) {
        let r = request(case, 1, None);
        let subject = Subject::new(&case.program, &r.head).unwrap();
        let made = |tangent: bool| {
            let options = Options { tangent, adjoint: !tangent, heads: vec![subject.head()], plain: true, ..r.options.clone() };
            boost(case.program.clone(), &options).unwrap_or_else(|e| panic!("{}: {e:?}", case.name)).program
        };
        let (tangent, adjoint) = (made(true), made(false));
        let (mut points, mut first) = (Vec::new(), 0);
        for seed in 1..4 {
            let good = check(&subject, &request(case, seed, None), Programs::both(&tangent, &adjoint), &|_| Err(Vec::new())).unwrap();
            assert_eq!(good.verdict, Verdict::Pass, "{} {:?}", case.name, good.checks);
            points.extend(points_of(&good, &case.program));
            if seed == 1 {
                first = points.len();
            }
        }
        for x in &points {
            let found = blamed(&subject, Programs::both(&tangent, &adjoint), x);
            assert!(found.is_empty(), "{} {:?}: {:?}", case.name, case.reversal, found);
        }
        let right = numbers(&subject, &tangent, &adjoint, &points);
        for (program, is_tangent) in [(&tangent, true), (&adjoint, false)] {
            for fault in faults(program) {
                let (t, a) = if is_tangent { (&fault.program, &adjoint) } else { (&tangent, &fault.program) };
                // The points of the certificate, as if it were made anew.
                let at = |x: &Values<f64>| check(&subject, &request(case, 1, Some(x)), Programs::both(t, a), &|_| Err(Vec::new()));
                let is_wrong = |r: &Result<Report, _>| r.as_ref().is_ok_and(|r| r.verdict == Verdict::Wrong);
                let mut report = at(&points[0]);
                for x in points.iter().take(first).skip(1) {
                    if !is_wrong(&report) {
                        report = at(x);
                    }
                }
                let wrong = is_wrong(&report);
                if !wrong && numbers(&subject, t, a, &points) == right {
                    equivalent += 1;
                    continue;
                }
                *planted.entry(fault.kind).or_default() += 1;
                let blame = report.as_ref().ok().and_then(|r| r.blame.clone());
                let line = blame.as_ref().and_then(|b| b.location.as_ref()).map(|l| l.line);
                if !wrong || !line.is_some_and(|l| fault.lines.contains(&l)) {
                    let said = blame.map(|b| format!("{}: {}", b.spoken(), b.message));
                    let text = format!(
                        "{} {:?} {}, line {:?}: {:?} {said:?}",
                        case.name,
                        case.reversal,
                        fault.what,
                        fault.lines,
                        report.map(|r| r.verdict)
                    );
                    println!("{text}");
                    if wrong { unnamed.push(text) } else { missed.push(text) }
                }
            }
        }
    }
    let count: usize = planted.values().sum();
    println!("{count} faults planted, {} missed, {} not named, {equivalent} that change nothing; {planted:?}", missed.len(), unnamed.len());
    assert!(missed.is_empty(), "{} of {count} faults missed:\n{}", missed.len(), missed.join("\n"));
    assert!(unnamed.is_empty(), "{} of {count} faults are not named:\n{}", unnamed.len(), unnamed.join("\n"));
    assert!(count >= FEWEST || !only.is_empty(), "only {count} faults");
}
