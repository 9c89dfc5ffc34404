//! `overbar report`: structure of the page, facts on it, links of lines, escaping, size; and the page in a browser.

use crate::common;

#[path = "report/browser.rs"]
mod browser;
#[path = "report/driver.rs"]
mod driver;
#[path = "report/facts.rs"]
mod facts;
#[path = "report/page.rs"]
mod page;
#[path = "report/photographs.rs"]
mod photographs;

use common::{overbar, overbar_ok, root, shared};
use page::{Page, expanded};
use std::collections::BTreeSet;
use std::path::Path;

/// Samples in all languages, with the head that is asked for.
pub const SAMPLES: [(&str, &str); 6] = [
    ("pendulum/pendulum.c", "energy(energy)/(angle,length,damping)"),
    ("bratu/bratu.f90", "bratu(f)/(x,prm)"),
    ("newton/newton.f90", "root(root)/(p,q)"),
    ("flw2d1col/flw2d1col.f", "FLW2D1COL(rh3,rh4,sq)/(t3,pres,vnocl,g3,g4,rh3,rh4,sq)"),
    ("chain/chain.c", "chain/(x,y)"),
    ("griewank/griewank.c", "griewank/(x)"),
];

/// The head of a sample as an option.
pub fn head_of(head: &str) -> Vec<String> {
    vec!["--head".into(), head.into()]
}

fn report(folder: &Path, arguments: &[&str]) -> String {
    let arguments: Vec<&str> = ["report"].iter().chain(arguments).copied().collect();
    overbar_ok(folder, &arguments)
}

#[test]
fn the_page_has_all_of_the_source_and_all_of_the_generated_file() {
    for (sample, head) in SAMPLES {
        let folder = root().join("samples").join(Path::new(sample).parent().unwrap());
        let file = Path::new(sample).file_name().unwrap().to_str().unwrap();
        let head = head_of(head);
        let both = [file, "-d", "-b", &head[0], &head[1]];
        let text = report(&folder, &both);
        assert_eq!(text, report(&folder, &both), "{sample}: the same request gives the same bytes");
        let page = Page::parse(&text);
        page.check_structure(sample);
        let source = std::fs::read_to_string(folder.join(file)).unwrap();
        let wanted: Vec<String> = source.lines().map(expanded).collect();
        assert_eq!(page.texts("src"), wanted, "{sample}: every line of the source, once");
        // Derivative lines with the copied ones between them are the file that `diff` writes.
        let diff = overbar_ok(&folder, &["diff", file, "-d", "-b", "--certificate", "none", &head[0], &head[1]]);
        let diff: Vec<String> = diff.lines().map(expanded).collect();
        let made = page.numbered("drv");
        for (number, text) in &made {
            assert_eq!(&diff[number - 1], text, "{sample}, line {number} of the derivative code");
        }
        let copied: Vec<String> =
            diff.iter().enumerate().filter(|(k, _)| !made.iter().any(|(n, _)| n == &(k + 1))).map(|(_, l)| l.clone()).collect();
        assert_eq!(copied, wanted, "{sample}: what is not shown on the right is the source");
    }
}

#[test]
fn lines_are_linked_both_ways() {
    for (sample, head) in SAMPLES {
        let folder = root().join("samples").join(Path::new(sample).parent().unwrap());
        let file = Path::new(sample).file_name().unwrap().to_str().unwrap();
        let head = head_of(head);
        let page = Page::parse(&report(
            &folder,
            &[file, &head[0], &head[1], "--preaccumulate", "never", "--inline", "never", "--certificate", "none"],
        ));
        let (down, up) = (page.down(), page.up());
        assert!(!down.is_empty(), "{sample}: there are links");
        for (source, made) in &down {
            for k in made {
                assert_eq!(up.get(k), Some(source), "{sample}: generated line {k} leads back");
            }
        }
        for (k, source) in &up {
            assert!(down.get(source).is_some_and(|l| l.contains(k)), "{sample}: {source} leads to generated line {k}");
        }
        // Each active assignment has a line in a derivative unit that sets the derivative of what it sets.
        let facts = facts::facts(&folder, file, &head, &["--preaccumulate", "never", "--inline", "never"]);
        let made: std::collections::BTreeMap<usize, String> = page.numbered("drv").into_iter().collect();
        let (mut checked, mut adjoint) = (0, 0);
        for s in facts["units"].as_array().unwrap().iter().flat_map(|u| u["statements"].as_array().unwrap()) {
            if s["kind"] != "assignment" || s["active"] != true {
                continue;
            }
            let Some(set) = s["definitions"].as_object().unwrap().keys().next() else { continue };
            let lines = down.get(&format!("s1-{}", s["line"])).unwrap_or_else(|| panic!("{sample}: {s} has derivative code"));
            let text: Vec<&str> = lines.iter().map(|l| made[l].as_str()).collect();
            let has = |suffix: &str| {
                let wanted = format!("{set}{suffix}");
                text.iter().any(|t| page::words(t).any(|w| w.eq_ignore_ascii_case(&wanted)))
            };
            // A result has a derivative that is called after the function.
            let returned = s["text"].as_str().unwrap().starts_with("return");
            assert!(has("d") || returned, "{sample}: {set}d for {s} in {text:?}");
            // Increments that were merged into those of another statement stand there.
            adjoint += usize::from(has("b") || returned);
            checked += 1;
        }
        println!("{sample}: {checked} active assignments, the adjoints of {adjoint} stand by themselves");
        assert!(checked > 0 && 2 * adjoint >= checked, "{sample}: {adjoint} of {checked}");
    }
}

#[test]
fn modes_and_certificates_are_as_asked() {
    let folder = root().join("samples/pendulum");
    let head = ["--head", "energy(energy)/(angle,length,damping)", "--inline", "never"];
    let run = |more: &[&str]| Page::parse(&report(&folder, &[&["pendulum.c"], &head[..], more].concat()));
    let tangent = run(&["-d", "--certificate", "none"]);
    assert_eq!(tangent.units(), ["acceleration_d", "step_d", "energy_d"]);
    assert!(tangent.section("records").contains("no adjoint"));
    assert!(tangent.section("certificate").contains("not checked"));
    let adjoint = run(&["-b", "--certificate", "both"]);
    assert_eq!(adjoint.units().iter().map(|u| u.rsplit('_').next().unwrap().to_owned()).collect::<BTreeSet<_>>(), ["b".to_owned()].into());
    assert!(adjoint.section("certificate").contains("compiled") && adjoint.section("certificate").contains("interpreter"));
    let both = run(&[]);
    assert!(both.units().len() >= 6 && both.section("certificate").contains("interpreter"));
    assert!(!both.section("certificate").contains("compiled"), "nothing is compiled unless that is asked for");
}

#[test]
fn a_kink_is_marked_at_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("k.c"), "#include <math.h>\ndouble f(double x)\n{\n  double y = 2.0 * x;\n  return fabs(y);\n}\n").unwrap();
    std::fs::write(dir.join("at.json"), "{\"args\": {\"x\": 0.0}}").unwrap();
    let page = Page::parse(&report(dir, &["k.c", "--head", "f/(x)", "--input", "at.json"]));
    assert!(page.classes("s1-5").contains("doubtful"), "{}", page.classes("s1-5"));
    assert!(page.marks("s1-5").contains('!') && page.says("s1-5").contains("not smooth"), "{}", page.says("s1-5"));
    assert!(page.section("summary").contains("kink"));
    assert!(!page.classes("s1-4").contains("doubtful"));
}

#[test]
fn text_of_the_user_is_never_markup() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let name = "a<b>&'\"\u{e9}.c";
    let source = "/* <script>alert(1)</script> </code></div> ]]> <!-- & &lt; \u{202e}gnp.exe */\n#include <stdio.h>\n\
                  double f(double x)\n{\n\tprintf(\"<script src='http://x.example/y.js'></script> %d\\n\", 1);\n\tdouble y = x < 1 && x > 0 ? x*x : x; // <img src=x onerror=alert(2)>\n\treturn y;\n}\n";
    std::fs::write(dir.join(name), source).unwrap();
    let text = report(dir, &[name, "--head", "f/(x)"]);
    assert_eq!(text.matches("<script").count(), 1, "the page's own");
    assert!(!text.contains("<img") && !text.contains("<!--") && !text.contains('\u{202e}'));
    let page = Page::parse(&text);
    page.check_structure(name);
    let lines = page.texts("src");
    assert!(lines[0].contains("<script>alert(1)</script>") && lines[0].contains("]]> <!-- & &lt; [U+202E]gnp.exe"), "{}", lines[0]);
    assert!(lines[4].starts_with("        printf(\"<script src="), "{}", lines[4]);
    assert!(text.contains("a&lt;b&gt;&amp;&#39;&quot;\u{e9}.c"));
}

#[test]
fn a_document_gives_the_page_of_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let head = "bratu(f)/(x,prm)";
    std::fs::copy(root().join("samples/bratu/bratu.f90"), dir.join("bratu.f90")).unwrap();
    overbar_ok(dir, &["frontend", "fortran", "bratu.f90", "--head", head, "-o", "bratu.xaif"]);
    // (A certificate has the hash of the request, which names the head here and not there.)
    let unchecked = ["--certificate", "none"];
    let of_document = report(dir, &[&["bratu.xaif"], &unchecked[..]].concat());
    let of_source = report(dir, &[&["bratu.f90", "--head", head], &unchecked[..]].concat());
    // Boxes of drawings tell their places in the document.
    let without_drawings = |t: &str| {
        let (before, rest) = t.split_once("<section id=\"graphs\">").unwrap();
        format!("{before}{}", rest.split_once("<section id=\"certificate\">").unwrap().1)
    };
    assert_eq!(without_drawings(&of_document), without_drawings(&of_source));
}

#[test]
fn stock_documents_are_shown_themselves() {
    let Some(corpus) = shared("xaif/corpus") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(corpus).unwrap().map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "xaif")).collect();
    files.sort_by_key(|f| (std::fs::metadata(f).unwrap().len(), f.clone()));
    let mut seen = 0;
    for (k, file) in files.iter().enumerate().step_by(12) {
        let name = format!("{k}.xaif");
        std::fs::copy(file, folder.path().join(&name)).unwrap();
        for mode in ["-d", "-b"] {
            let done = overbar(folder.path(), &["report", &name, mode, "-o", "page.html"]);
            if !done.status.success() {
                assert!(!folder.path().join("page.html").exists(), "{}: refused, so nothing is written", file.display());
                continue;
            }
            let page = Page::parse(&std::fs::read_to_string(folder.path().join("page.html")).unwrap());
            std::fs::remove_file(folder.path().join("page.html")).unwrap();
            page.check_structure(&name);
            let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
            assert_eq!(page.texts("src"), text.lines().map(expanded).collect::<Vec<_>>(), "{}", file.display());
            let (down, up) = (page.down(), page.up());
            assert!(!down.is_empty() && !up.is_empty(), "{}: links", file.display());
            // What leads to an assignment is one, of the same statement, or what was made for it.
            let made: std::collections::BTreeMap<usize, String> = page.numbered("drv").into_iter().collect();
            let sources: std::collections::BTreeMap<usize, String> = page.numbered("src").into_iter().collect();
            let id = |line: &str| line.split("statement_id=\"").nth(1).and_then(|r| r.split('"').next()).map(str::to_owned);
            let mut same = 0;
            for (k, s) in &up {
                let source = &sources[&s.rsplit('-').next().unwrap().parse::<usize>().unwrap()];
                if let (Some(a), Some(b)) = (id(&made[k]), id(source)) {
                    same += usize::from(a == b);
                }
            }
            println!("{}: {mode}, {} links, {same} of the same statement", file.display(), up.len());
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
}

#[test]
fn what_is_refused_leaves_no_page() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), "double f(double x) { return x +; }\n").unwrap();
    let done = overbar(folder.path(), &["report", "f.c", "--head", "f/(x)", "-o", "page.html"]);
    assert_eq!(done.status.code(), Some(1));
    let done = overbar(folder.path(), &["report", "f.c", "--head", "f)(", "-o", "page.html"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(!folder.path().join("page.html").exists());
}

#[test]
fn the_page_grows_with_the_program_and_no_faster() {
    let folder = tempfile::tempdir().unwrap();
    let size = |lines: usize| {
        let units = lines / 25;
        let mut text = String::from("#include <math.h>\n");
        for u in 0..units {
            text.push_str(&format!(
                "double f{u}(int n, const double *x, double a)\n{{\n  double s = a;\n  for (int i = 0; i < n; i++) {{\n"
            ));
            for k in 0..8 {
                text.push_str(&format!("    /* part {k} of {u} */\n    s = s * x[i] + sin(s * {k}.5);\n"));
            }
            let next = if u + 1 < units && u % 10 != 9 { format!("f{}(n, x, s)", u + 1) } else { "s".into() };
            text.push_str(&format!("  }}\n  return {next};\n}}\n\n"));
        }
        // What is called must be known.
        let declared: String = (0..units).map(|u| format!("double f{u}(int n, const double *x, double a);\n")).collect();
        let text = text.replacen('\n', &format!("\n{declared}"), 1);
        std::fs::write(folder.path().join("big.c"), &text).unwrap();
        let start = std::time::Instant::now();
        let heads: Vec<String> = (0..units).step_by(10).map(|u| format!("f{u}/(x,a)")).collect();
        let mut arguments = vec!["big.c", "--certificate", "none"];
        for h in &heads {
            arguments.extend(["--head", h]);
        }
        let page = report(folder.path(), &arguments);
        println!("{} lines: {} bytes of page in {:.1} s", text.lines().count(), page.len(), start.elapsed().as_secs_f64());
        Page::parse(&page).check_structure("big.c");
        (page.len() as f64, text.lines().count() as f64)
    };
    let (small, large) = (size(1250), size(5000));
    let growth = (large.0 / large.1) / (small.0 / small.1);
    assert!(growth < 1.15, "bytes for each line grow by {growth}");
}
