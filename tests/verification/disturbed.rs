//! Every assignment of a derivative disturbed, one at a time: each is called wrong, at its line.

use super::planted::{numbers, points_of};
use super::verify::{PROGRAM, c, fortran, request};
use crate::common::root;
use overbar::verify::engine::Programs;
use overbar::verify::subject::Subject;
use overbar::verify::{Request, Verdict, check};
use overbar::{Options, boost};
use xaif::Program;

/// Every assignment of a derivative in the derivative units, disturbed one at a time: multiplied by 1.01.
fn disturbed(boosted: &Program) -> Vec<(Program, Option<u32>, String)> {
    use xaif::model::{Expr, StmtKind, VertexKind};
    let mut out = Vec::new();
    for u in boosted.unit_ids().filter(|&u| boosted.unit(u).derivation.is_some()) {
        for v in boosted.unit(u).graph.node_indices() {
            for k in 0..boosted.unit(u).graph[v].stmts().len() {
                let mut p = boosted.clone();
                let VertexKind::Block { stmts, .. } = &mut p.units[u.index()].graph[v].kind else { continue };
                let line = stmts[k].span.is_known().then_some(stmts[k].span.line);
                let StmtKind::Assignment { lhs, rhs } = &mut stmts[k].kind else { continue };
                let derivative = boosted.symbol(lhs.symbol).decl.as_ref().is_some_and(|d| d.derivative_of.is_some());
                // Zero stays zero.
                if !derivative || rhs.as_constant().is_some() {
                    continue;
                }
                let what = format!("{} in {}", boosted.symbol(lhs.symbol).name, boosted.unit_name(u));
                *rhs = Expr::op("mul_scal_scal", [Expr::real(1.01, 64), std::mem::take(rhs)]);
                out.push((p, line, what));
            }
        }
    }
    out
}

/// Seeds of points that are drawn until a disturbance shows.
const DRAWS: u64 = 8;

/// How many disturbed derivatives there are; those that no point shows, and those whose line is not named.
fn find_disturbed(p: &Program, head: &str) -> Option<(usize, Vec<String>, Vec<String>)> {
    let r = request(p, head, None);
    let subject = Subject::new(p, &r.head).unwrap();
    let made = |tangent: bool| {
        boost(p.clone(), &Options { tangent, adjoint: !tangent, heads: vec![subject.head()], plain: true, ..Options::default() })
            .unwrap()
            .program
    };
    let (tangent, adjoint) = (made(true), made(false));
    let (mut all, mut missed, mut unnamed) = (0, Vec::new(), Vec::new());
    let both = [(&tangent, true), (&adjoint, false)];
    for (program, is_tangent) in both {
        for (mutant, line, what) in disturbed(program) {
            let (t, a) = if is_tangent { (&mutant, &adjoint) } else { (&tangent, &mutant) };
            let at = |seed| check(&subject, &Request { seed, ..request(p, head, None) }, Programs::both(t, a), &|_| Err(Vec::new())).ok();
            let (mut wrong, mut points) = (None, Vec::new());
            for report in (r.seed..r.seed + DRAWS).filter_map(at) {
                if report.verdict == Verdict::Wrong {
                    wrong = Some(report);
                    break;
                }
                points.extend(points_of(&report, p));
            }
            // What changes no derivative, to the last bit, is no fault there.
            if wrong.is_none() && numbers(&subject, t, a, &points) == numbers(&subject, &tangent, &adjoint, &points) {
                continue;
            }
            all += 1;
            let blame = wrong.as_ref().and_then(|r| r.blame.as_ref());
            let named = blame.and_then(|b| b.location.as_ref()).map(|l| l.line);
            let text = format!("{head}: {what}, line {line:?}: {named:?} {}", blame.map_or("", |b| b.message.as_str()));
            match wrong {
                None => missed.push(text),
                Some(_) if line.is_none() || named != line => unnamed.push(text),
                Some(_) => {}
            }
        }
    }
    Some((all, missed, unnamed))
}

#[test]
fn disturbed_derivatives_are_found() {
    // `OVERBAR_PROGRAM=all` takes every program of the collections.
    let wanted = std::env::var("OVERBAR_PROGRAM").unwrap_or_default();
    let usual =
        ["pendulum.c", "bratu.f90", "newton.f90", "calls.c", "increments.c", "lu_solve.f90", "internal.f90", "stencil1d.c", "jumps.f"];
    let mut files: Vec<_> = ["tests/c_programs", "tests/fortran_programs"]
        .iter()
        .flat_map(|f| std::fs::read_dir(root().join(f)).unwrap())
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_file())
        .collect();
    files.sort();
    let mut cases = vec![("PROGRAM".to_owned(), fortran(PROGRAM), "f(y)/(x)".to_owned())];
    for (file, head) in [
        ("pendulum/pendulum.c", "energy/(angle,length,damping)"),
        ("newton/newton.f90", "root(root)/(p,q)"),
        ("bratu/bratu.f90", "bratu(f)/(x,prm)"),
    ] {
        let text = std::fs::read_to_string(root().join("samples").join(file)).unwrap();
        cases.push((file.into(), if file.ends_with(".c") { c(&text) } else { fortran(&text) }, head.into()));
    }
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let is_c = name.ends_with(".c");
        let mark = if is_c { "//: head " } else { "! head: " };
        let Some(head) = text.lines().find_map(|l| l.strip_prefix(mark)) else { continue };
        if wanted == "all" || (wanted.is_empty() && usual.contains(&name.as_str())) || wanted.split(',').any(|w| w == name) {
            let source = overbar_fortran::parse::SourceText { file: &name, text: &text };
            let options = overbar_fortran::ParseOptions { fixed_form: name.ends_with(".f"), ..Default::default() };
            let program = if is_c { c(&text) } else { overbar_fortran::parse(&[source], &options).unwrap().0 };
            cases.push((name, program, head.trim().to_owned()));
        }
    }
    let (mut all, mut missed, mut unnamed) = (0, Vec::new(), Vec::new());
    for (name, p, head) in &cases {
        let Some((a, m, u)) = find_disturbed(p, head) else { continue };
        println!("{name} {head}: {a} disturbed, {} missed, {} not named", m.len(), u.len());
        all += a;
        missed.extend(m);
        unnamed.extend(u);
    }
    println!("{all} disturbed, missed:\n{}\nnot named:\n{}", missed.join("\n"), unnamed.join("\n"));
    assert!(missed.is_empty() && unnamed.is_empty(), "{} missed, {} not named", missed.len(), unnamed.len());
}
