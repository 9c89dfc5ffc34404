//! How few multiplications the search finds in a given time, and how the heuristics scale. `cargo bench --bench elimination`; with the argument `long`
//! also ten seconds for each graph, and graphs of a million vertices. Graphs are read from `elimination/graphs` beside the project, or the folder that
//! `OVERBAR_SHARED` names.

use overbar::Options;
use overbar::eliminate::budget::Budget;
use overbar::eliminate::cost::{Counting, Objective};
use overbar::eliminate::graph::Graph;
use overbar::eliminate::json;
use overbar::eliminate::layered::layered;
use overbar::eliminate::names::{Heuristic, NAMES, Technique};
use overbar::eliminate::search::{Request, search};
use overbar::eliminate::vertices;
use overbar::transform::Preaccumulate;
use std::path::PathBuf;
use std::time::{Duration, Instant};

// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Run as a test it only shows that it runs.
    let bench = arguments.iter().any(|a| a == "--bench");
    let long = bench && arguments.iter().any(|a| a == "long");
    let times: &[u64] = match (bench, long) {
        (false, _) => &[1],
        (true, false) => &[10, 1000],
        (true, true) => &[10, 1000, 10_000],
    };
    counts(times);
    let sizes: &[u32] = match (bench, long) {
        (false, _) => &[100],
        (true, false) => &[1000, 10_000, 100_000],
        (true, true) => &[1000, 10_000, 100_000, 1_000_000],
    };
    scaling(sizes);
    flattening(sizes);
}

/// Time for each statement of a program that is one chain: the tangent without and with graphs, elimination and code.
fn flattening(sizes: &[u32]) {
    println!("{:>9} {:>14} {:>14} {:>14}", "statements", "never us/stmt", "auto us/stmt", "always us/stmt");
    for &n in sizes.iter().filter(|&&n| n <= 100_000) {
        let mut text = String::from("subroutine f(x, y, z)\n  real(8) :: x, y, z\n");
        (0..=n).for_each(|k| text.push_str(&format!("  real(8) :: t{k}\n")));
        text.push_str("  t0 = x\n  t1 = y\n");
        (2..=n).for_each(|k| text.push_str(&format!("  t{k} = t{}*sin(t{})\n", k - 1, k - 2)));
        text.push_str(&format!("  z = t{n}\nend subroutine\n"));
        let parsed = overbar_fortran::parse(&[overbar_fortran::parse::SourceText { file: "f.f90", text: &text }], &Default::default());
        let Ok((program, _)) = parsed else { panic!("the chain is Fortran") };
        let time = |preaccumulate: Preaccumulate| {
            let heads = overbar::heads::parse_head("f(z)/(x,y)").into_iter().collect();
            let options = Options { tangent: true, heads, preaccumulate, ..Options::default() };
            let program = program.clone();
            let start = Instant::now();
            let made = overbar::boost(program, &options);
            let took = start.elapsed();
            assert!(made.is_ok());
            took.as_secs_f64() * 1e6 / f64::from(n)
        };
        let [never, auto, always] = [Preaccumulate::Never, Preaccumulate::Auto, Preaccumulate::Always].map(time);
        println!("{n:>9} {never:>14.2} {auto:>14.2} {always:>14.2}");
    }
}

fn graphs() -> Vec<(String, Graph)> {
    let root =
        std::env::var_os("OVERBAR_SHARED").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = root.join("elimination/graphs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: {} is not there", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    let read = |file: PathBuf| {
        let name = file.file_stem()?.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).ok()?;
        Some((name.clone(), json::read(&name, &text).ok()?.graph))
    };
    files.into_iter().filter_map(read).collect()
}

fn counts(times: &[u64]) {
    println!("{:24} {:12} {:>9} {:>10} {:>10} {:>7} {:>8}  method", "graph", "objective", "asked ms", "cost", "bound", "proven", "took ms");
    for (name, graph) in graphs() {
        for objective in [Objective::Plain, Objective::Aware, Objective::Propagate(1)] {
            for &ms in times {
                let started = Instant::now();
                let time = Some(Duration::from_millis(ms));
                let request = Request { objective, order: None, technique: Technique::Vertex, time, seed: 1, code: false };
                let Ok(found) = search(&graph, &request, started) else { continue };
                let took = started.elapsed().as_millis();
                let proven = if found.optimal() { "yes" } else { "" };
                println!(
                    "{name:24} {:12} {ms:9} {:10} {:10} {proven:>7} {took:8}  {}",
                    objective.to_string(),
                    found.cost,
                    found.lower_bound,
                    found.method
                );
            }
        }
    }
}

/// Steps after which a heuristic is given up: about a minute.
const STEPS: u64 = 3_000_000_000;

fn scaling(sizes: &[u32]) {
    println!("\n{:10} {:20} {:>14} {:>10}", "vertices", "heuristic", "cost (plain)", "took ms");
    let mut given_up: Vec<Heuristic> = Vec::new();
    for &n in sizes {
        let Ok(graph) = layered(n, 1) else { continue };
        for (heuristic, _) in NAMES {
            let name = heuristic.name();
            if given_up.contains(&heuristic) {
                println!("{n:10} {name:20} {:>14}", "given up");
                continue;
            }
            let started = Instant::now();
            let mut budget = Budget::steps(STEPS);
            let found = vertices::order(&graph, Counting::Plain, &[heuristic, Heuristic::Forward], u64::MAX, &mut budget);
            let took = started.elapsed().as_millis();
            match found {
                Some(order) => println!("{n:10} {name:20} {:14} {took:10}", order.cost),
                None => println!("{n:10} {name:20} {:>14} {took:10}", "given up"),
            }
            // The next graph takes at least ten times as long.
            if took > 8000 {
                given_up.push(heuristic);
            }
        }
        let started = Instant::now();
        let time = Some(Duration::from_secs(1));
        let request = Request { objective: Objective::Plain, order: None, technique: Technique::Vertex, time, seed: 1, code: false };
        if let Ok(found) = search(&graph, &request, started) {
            println!("{n:10} {:20} {:14} {:10}  {}", "search, 1 s", found.cost, started.elapsed().as_millis(), found.method);
        }
    }
}
