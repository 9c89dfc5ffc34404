//! Figures that are known, random graphs against brute force and path products.

use super::bits::{Bits, Frame};
use super::budget::Budget;
use super::code::{self, Step, Writer};
use super::cost::{Class, Counting, Objective};
use super::dag::Dag;
use super::exact::Exact;
use super::graph::{Graph, Role};
use super::layered::tangled;
use super::names::Heuristic::{self, *};
use super::names::Technique;
use super::random::Random;
use super::search::{Request, search};
use super::*;
use std::time::Instant;

fn shared(name: &str) -> Option<Graph> {
    let root = std::env::var_os("OVERBAR_SHARED")
        .map(std::path::PathBuf::from)
        .unwrap_or_else(|| std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let file = root.join(format!("elimination/graphs/{name}.json"));
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: {} is not there", file.display());
        return None;
    };
    Some(json::read(name, &text).expect("a graph").graph)
}

fn unlimited() -> Budget {
    Budget::steps(u64::MAX)
}

/// What each complete vertex order of a graph costs at least: by dynamic programming over all sets of vertices.
fn brute_force(graph: &Graph, counting: Counting) -> u32 {
    let frame = Frame::new(graph, counting);
    let m = frame.intermediates;
    let mut best = vec![u32::MAX; 1 << m];
    best[0] = 0;
    for set in 0..1usize << m {
        let mut bits: Bits<1> = frame.start(graph);
        for v in (0..m).filter(|v| set >> v & 1 == 1) {
            frame.eliminate(&mut bits, v);
        }
        for v in (0..m).filter(|v| set >> v & 1 == 0) {
            let next = set | 1 << v;
            best[next] = best[next].min(best[set] + frame.cost(&bits, v));
        }
    }
    best[(1 << m) - 1]
}

#[test]
fn orders_cost_what_is_known() {
    let rows = [
        ("Hole", [[28, 24, 26, 26, 26, 22], [16, 10, 16, 16, 16, 14]]),
        ("HumanHeartDipole", [[240, 172, 194, 148, 148, 148], [48, 60, 48, 48, 48, 48]]),
        ("Lighthouse", [[22, 24, 20, 18, 18, 18], [15, 18, 14, 12, 12, 12]]),
        ("PropaneCombustion", [[151, 90, 111, 88, 88, 88], [26, 26, 24, 24, 24, 24]]),
        ("RobotArm_6DOF", [[397, 301, 288, 221, 221, 221], [227, 221, 179, 157, 157, 157]]),
        ("RoeFlux_1d", [[620, 364, 407, 344, 384, 304], [362, 234, 278, 267, 305, 225]]),
        ("random_layered_1000", [[14675, 18824, 21041, 20461, 11259, 14462], [9329, 11974, 19711, 19082, 8367, 10747]]),
    ];
    let chains: [&[Heuristic]; 6] =
        [&[Forward], &[Reverse], &[Markowitz, Forward], &[Markowitz, Reverse], &[Pre1, Forward], &[Pre1, Reverse]];
    for (name, known) in rows {
        let Some(g) = shared(name) else { return };
        for (counting, known) in [Counting::Plain, Counting::Aware].into_iter().zip(known) {
            let found = chains.map(|chain| vertices::order(&g, counting, chain, u64::MAX, &mut unlimited()).expect("no limit").cost);
            assert_eq!(found, known, "{name} {counting:?}");
        }
    }
}

#[test]
fn sweeps_cost_what_the_eliminations_cost() {
    for seed in 0..200 {
        let g = tangled(24, 4, 3, 0.3, seed).expect("a graph");
        for counting in [Counting::Plain, Counting::Aware] {
            for (heuristic, direction) in [(Forward, sweeps::Direction::Forward), (Reverse, sweeps::Direction::Reverse)] {
                let done = vertices::order(&g, counting, &[heuristic], u64::MAX, &mut unlimited()).expect("no limit");
                assert_eq!(sweeps::cost(&Dag::new(&g, counting), counting, direction), done.cost, "{seed} {counting:?} {heuristic:?}");
            }
        }
    }
}

#[test]
fn every_heuristic_gives_code_for_the_jacobian_at_its_cost() {
    for seed in 0..60 {
        let g = tangled(20, 3, 3, 0.35, seed).expect("a graph");
        for (heuristic, _) in names::NAMES {
            for counting in [Counting::Plain, Counting::Aware] {
                let order = vertices::order(&g, counting, &[heuristic, Reverse], u64::MAX, &mut unlimited()).expect("no limit");
                assert_eq!(order.vertices.len(), g.intermediates());
                let steps: Vec<Step> = order.vertices.iter().map(|&v| Step::Vertex(v)).collect();
                let code = code::write(&g, counting, &steps).expect("all vertices are there");
                assert_eq!(code.multiplications, order.cost);
                assert!(code.remaining.iter().all(|r| g.role(r.source) == Role::Input && g.role(r.target) == Role::Output));
                assert!(check::holds(&g, &code, seed));
            }
        }
    }
}

#[test]
fn exact_search_agrees_with_brute_force() {
    let mut larger = 0;
    for seed in 0..600 {
        let n = 8 + (seed % 8) as u32;
        let g = tangled(n, 2 + (seed % 3) as u32, 2, 0.3 + 0.05 * (seed % 5) as f64, seed).expect("a graph");
        if g.intermediates() > 11 {
            continue;
        }
        for counting in [Counting::Plain, Counting::Aware] {
            let frame = Frame::new(&g, counting);
            let least = brute_force(&g, counting);
            let mut budget = unlimited();
            let found = Exact::<1>::new(&frame, &frame.start(&g), &mut budget).run(least + 10);
            assert_eq!(found.lower_bound, least, "{seed} {counting:?}");
            let order = found.order.expect("an order below the bound");
            let mut bits: Bits<1> = frame.start(&g);
            assert_eq!(order.iter().map(|&v| frame.eliminate(&mut bits, v)).sum::<u32>(), least, "{seed} {counting:?}");
            // Nothing is claimed below what exists.
            let mut budget = unlimited();
            assert_eq!(Exact::<1>::new(&frame, &frame.start(&g), &mut budget).run(least).lower_bound, least);
            larger += usize::from(least > 10);
        }
    }
    assert!(larger > 200, "the graphs are too simple: {larger}");
}

/// A random step that has a target.
fn random_step(g: &Graph, dag: &Dag, random: &mut Random) -> Option<Step> {
    let v = random.below(g.vertices.len()) as u32;
    let incoming = dag.predecessors(v).sorted();
    let pick = |random: &mut Random| (!incoming.is_empty()).then(|| incoming[random.below(incoming.len())]);
    match random.below(8) {
        0 => dag.is_present(v).then_some(Step::Vertex(v)),
        1..=3 => pick(random).filter(|_| dag.is_present(v)).map(|e| Step::Front(e.vertex(), v)),
        4..=6 => pick(random).filter(|e| dag.is_present(e.vertex())).map(|e| Step::Back(e.vertex(), v)),
        _ => {
            let pivot = pick(random).filter(|p| p.class() <= Class::Unit && dag.is_present(p.vertex()))?;
            let source = pick(random).filter(|s| s.vertex() < pivot.vertex())?;
            Some(Step::Reroute { source: source.vertex(), target: v, pivot: pivot.vertex() })
        }
    }
}

#[test]
fn vertices_edges_and_reroutings_compose() {
    for seed in 0..300 {
        let g = tangled(16, 3, 3, 0.35, seed).expect("a graph");
        if g.vertices.is_empty() {
            continue;
        }
        let mut random = Random::new(seed);
        for counting in [Counting::Plain, Counting::Aware] {
            let mut dag = Dag::new(&g, counting);
            let mut writer = Writer::new(&g, counting);
            let mut cost = 0;
            for _ in 0..2000 {
                let Some(step) = random_step(&g, &dag, &mut random) else { continue };
                cost += match step {
                    Step::Vertex(v) => dag.eliminate(v),
                    Step::Front(i, j) => dag.eliminate_front(i, j).expect("there"),
                    Step::Back(j, k) => dag.eliminate_back(j, k).expect("there"),
                    Step::Reroute { source, target, pivot } => dag.reroute(source, target, pivot).expect("there"),
                    Step::Face(..) | Step::SplitFront(..) | Step::SplitBack(..) => unreachable!("not made"),
                };
                writer.apply(&step).expect("there");
                let code = writer.clone().finish();
                assert_eq!(code.multiplications, cost, "{seed}");
                assert_eq!(code.remaining.len() as u64, dag.edges(), "{seed}");
                let nonunit = code.remaining.iter().filter(|r| r.class > Class::Unit).count() as u64;
                assert_eq!(nonunit, dag.nonunit(), "{seed}");
                assert!(check::holds(&g, &code, seed), "{seed} {step:?}");
            }
        }
    }
}

#[test]
fn wrong_code_is_found_out() {
    let g = tangled(16, 3, 3, 0.35, 5).expect("a graph");
    let order = vertices::order(&g, Counting::Plain, &[Forward], u64::MAX, &mut unlimited()).expect("no limit");
    let steps: Vec<Step> = order.vertices.iter().map(|&v| Step::Vertex(v)).collect();
    let good = code::write(&g, Counting::Plain, &steps).expect("all there");
    assert!(check::holds(&g, &good, 1));
    for at in 0..good.operations.len() {
        let mut bad = good.clone();
        bad.operations[at].terms[0].left.negative ^= true;
        let used = bad.remaining.iter().any(|r| r.value.base == code::Base::Result(at as u32));
        assert!(!used || !check::holds(&g, &bad, 1), "{at}");
    }
}

#[test]
fn searches_reach_what_is_known() {
    let rows = [
        ("Simple", Objective::Plain, 6, true),
        ("Simple", Objective::Aware, 4, true),
        ("Lighthouse", Objective::Plain, 18, true),
        ("Lighthouse", Objective::Aware, 12, true),
        ("Hole", Objective::Plain, 22, true),
        ("Hole", Objective::Aware, 10, true),
        ("PropaneCombustion", Objective::Plain, 88, true),
        ("PropaneCombustion", Objective::Aware, 24, true),
        ("HumanHeartDipole", Objective::Plain, 148, true),
        ("RobotArm_6DOF", Objective::Plain, 221, true),
    ];
    for (name, objective, known, proven) in rows {
        let Some(g) = shared(name) else { return };
        let request = Request { objective, order: None, technique: Technique::Vertex, time: None, seed: 1, code: false };
        let found = search(&g, &request, Instant::now()).expect("found");
        assert!(found.checked);
        assert!(found.cost <= known && found.optimal() == proven, "{name} {objective}: {} {}", found.cost, found.lower_bound);
    }
}

#[test]
fn searches_without_a_clock_are_deterministic() {
    for objective in [Objective::Plain, Objective::Aware, Objective::Propagate(3)] {
        let g = tangled(40, 4, 4, 0.25, 7).expect("a graph");
        let request = Request { objective, order: None, technique: Technique::Vertex, time: None, seed: 3, code: false };
        let (a, b) = (search(&g, &request, Instant::now()).expect("found"), search(&g, &request, Instant::now()).expect("found"));
        assert_eq!((a.cost, a.steps), (b.cost, b.steps));
    }
}

#[test]
fn stopping_early_never_costs_more_than_doing_nothing_or_everything() {
    for seed in 0..12 {
        let g = tangled(24, 4, 3, 0.3, seed).expect("a graph");
        for directions in [1, 4, 50] {
            let request = Request {
                objective: Objective::Propagate(directions),
                order: None,
                technique: Technique::Vertex,
                time: None,
                seed: 1,
                code: true,
            };
            let found = search(&g, &request, Instant::now()).expect("found");
            let nothing = directions * Dag::new(&g, Counting::Aware).nonunit();
            let all = search(&g, &Request { objective: Objective::Aware, ..request.clone() }, Instant::now()).expect("found");
            let left = all.code.expect("asked for").remaining.iter().filter(|r| r.class > Class::Unit).count() as u64;
            assert!(found.cost <= nothing.min(all.cost + directions * left), "{seed} {directions}: {} {nothing} {}", found.cost, all.cost);
        }
    }
}

#[test]
fn edges_and_faces_by_heuristics_give_the_jacobian_at_their_cost() {
    for seed in 0..30 {
        let g = tangled(14, 3, 3, 0.35, seed).expect("a graph");
        for (heuristic, _) in names::NAMES {
            for counting in [Counting::Plain, Counting::Aware] {
                let (steps, cost) = edges::sequence(&g, counting, &[heuristic, Reverse], &mut unlimited()).expect("no limit");
                let code = code::write(&g, counting, &steps).expect("all there");
                assert_eq!(code.multiplications, cost);
                assert!(check::holds(&g, &code, seed), "{seed} {heuristic:?}");
                let (steps, cost) = faces::sequence(&g, counting, &[heuristic, Reverse], &mut unlimited()).expect("no limit");
                let code = faces::write(&g, counting, &steps).expect("all there");
                assert_eq!(code.multiplications, cost);
                assert!(check::holds(&g, &code, seed), "{seed} {heuristic:?}");
                assert!(code.remaining.iter().all(|r| g.role(r.source) == Role::Input && g.role(r.target) == Role::Output));
            }
        }
    }
}

/// The basic block of Eq. (3) of the paper on control-flow reversal: v3 = v1*v2; v4 = v1*v3; t = v3*v2; v7 = t*v4; v6 = sin(v4), where every vertex but t
/// is an output.
fn block() -> Graph {
    let edge = |source, target| graph::RawEdge { source, target, class: Class::Variable, value: None };
    // v1 v2 v3 v4 t v6 v7
    let edges = [(0, 2), (1, 2), (0, 3), (2, 3), (2, 4), (1, 4), (3, 5), (4, 6), (3, 6)].map(|(i, k)| edge(i, k)).to_vec();
    Graph::new(7, edges, vec![0, 1], vec![2, 3, 5, 6]).expect("a graph")
}

#[test]
fn sibling_degree_eliminates_the_block_of_the_paper_as_printed() {
    let g = block();
    let (steps, cost) = edges::sequence(&g, Counting::Plain, &[Sibling, Markowitz, Reverse], &mut unlimited()).expect("no limit");
    // Eq. (5).
    let printed =
        [Step::Front(2, 4), Step::Back(3, 6), Step::Back(2, 6), Step::Back(4, 6), Step::Back(3, 5), Step::Back(2, 5), Step::Back(2, 3)];
    assert_eq!(steps[..7], printed);
    assert!(steps[7..].iter().all(|s| matches!(s, Step::Vertex(2 | 3))), "{steps:?}");
    assert_eq!(cost, 12);
    // Eq. (6): eight entries.
    let code = code::write(&g, Counting::Plain, &steps).expect("all there");
    assert_eq!(code.remaining.len(), 8);
    assert!(check::holds(&g, &code, 1));
}

#[test]
fn splits_beat_the_best_vertex_order_of_some_graphs() {
    // Found by trying small random graphs: about one in twenty.
    for (n, seed, counting) in [(12, 100, Counting::Plain), (12, 149, Counting::Plain), (12, 81, Counting::Aware)] {
        let g = tangled(n, 3, 3, 0.35, seed).expect("a graph");
        let frame = Frame::new(&g, counting);
        let least = brute_force(&g, counting);
        let mut budget = unlimited();
        let found = Exact::<1>::new(&frame, &frame.start(&g), &mut budget).run(least + 1);
        let order = found.order.expect("a best order");
        let order = vertices::Order { vertices: order.iter().map(|&r| frame.vertices[r]).collect(), cost: u64::from(least) };
        let split = splits::search(&g, counting, &order, 1, 1000, &mut Budget::steps(300_000));
        let code = code::write(&g, counting, &split.steps()).expect("all there");
        assert_eq!(code.multiplications, split.cost);
        assert!(check::holds(&g, &code, seed));
        assert!(split.cost < u64::from(least), "{seed}: {} {least}", split.cost);
    }
}
