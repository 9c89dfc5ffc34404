//! Figures that are known.

use super::budget::Budget;
use super::cost::Counting;
use super::names::Heuristic::*;
use super::*;

fn shared(name: &str) -> Option<graph::Graph> {
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

#[test]
fn orders_cost_what_is_known() {
    let rows = [
        ("Hole", [[28, 24, 26, 26, 22, 26, 26, 22], [16, 10, 16, 16, 14, 16, 16, 14]]),
        ("HumanHeartDipole", [[240, 172, 194, 148, 148, 150, 148, 148], [48, 60, 48, 48, 48, 48, 48, 48]]),
        ("Lighthouse", [[22, 24, 20, 18, 22, 18, 18, 18], [15, 18, 14, 12, 17, 12, 12, 12]]),
        ("PropaneCombustion", [[151, 90, 111, 88, 88, 88, 88, 88], [26, 26, 24, 24, 24, 24, 24, 24]]),
        ("RobotArm_6DOF", [[397, 301, 288, 221, 221, 221, 221, 221], [227, 221, 179, 157, 210, 173, 157, 157]]),
        ("RoeFlux_1d", [[620, 364, 407, 344, 350, 328, 384, 304], [362, 234, 278, 267, 295, 266, 305, 225]]),
        ("random_layered_1000", [[14675, 18824, 21041, 20461, 0, 0, 11259, 14462], [9329, 11974, 19711, 19082, 0, 0, 8367, 10747]]),
    ];
    let chains = [
        vec![Forward],
        vec![Reverse],
        vec![Markowitz, Forward],
        vec![Markowitz, Reverse],
        vec![RelativeMarkowitz, Reverse],
        vec![FillIn, Reverse],
        vec![Pre1, Forward],
        vec![Pre1, Reverse],
    ];
    for (name, known) in rows {
        let Some(g) = shared(name) else { return };
        for (counting, known) in [Counting::Plain, Counting::Aware].into_iter().zip(known) {
            let found: Vec<u64> = chains
                .iter()
                .map(|chain| vertices::order(&g, counting, chain, u64::MAX, &mut Budget::steps(u64::MAX)).expect("no limit").cost)
                .collect();
            println!("{name} {counting:?} {found:?} known {known:?}");
        }
    }
}
