use super::drawing::{Drawing, Edge, Node, Shape, Stroke};
use super::layout::{Layout, Piece, Rect, layout};
use super::{dot, svg};
use proptest::prelude::*;

fn drawing(texts: &[String], edges: &[(usize, usize, bool)]) -> Drawing {
    let shapes = [Shape::Plain, Shape::Round, Shape::Pointed, Shape::Double, Shape::Heavy, Shape::Dashed];
    let n = texts.len();
    Drawing {
        title: "<a & \"b\">".to_owned(),
        nodes: texts
            .iter()
            .enumerate()
            .map(|(k, t)| Node::new(t.lines().map(str::to_owned), shapes[k % 6]).known_as(k.to_string()))
            .collect(),
        edges: edges
            .iter()
            .map(|&(s, t, l)| Edge {
                source: s % n,
                target: t % n,
                label: if l { format!("x<{s}&{t}") } else { String::new() },
                tip: String::new(),
                stroke: Stroke::Dashed,
            })
            .collect(),
        shapes: vec![(Shape::Plain, "a < b")],
        strokes: vec![(Stroke::Heavy, "c & d")],
    }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.x + b.width - 1e-6 && b.x < a.x + a.width - 1e-6 && a.y < b.y + b.height - 1e-6 && b.y < a.y + a.height - 1e-6
}

fn on_border(r: &Rect, (x, y): (f64, f64)) -> bool {
    let within = |v: f64, from: f64, length: f64| v >= from - 1e-6 && v <= from + length + 1e-6;
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    within(x, r.x, r.width)
        && within(y, r.y, r.height)
        && (near(x, r.x) || near(x, r.x + r.width) || near(y, r.y) || near(y, r.y + r.height))
}

/// Points along an arrow.
fn samples(placed: &Layout, k: usize) -> Vec<(f64, f64)> {
    let path = &placed.paths[k];
    let mut at = path.start;
    let mut out = Vec::new();
    for piece in &path.pieces {
        for step in 1..=16 {
            let t = f64::from(step) / 16.0;
            let s = 1.0 - t;
            out.push(match *piece {
                Piece::Line(x, y) => (s * at.0 + t * x, s * at.1 + t * y),
                Piece::Curve([a, b, c, d, x, y]) => {
                    let w = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
                    (w[0] * at.0 + w[1] * a + w[2] * c + w[3] * x, w[0] * at.1 + w[1] * b + w[2] * d + w[3] * y)
                }
            });
        }
        at = match *piece {
            Piece::Line(x, y) => (x, y),
            Piece::Curve([.., x, y]) => (x, y),
        };
    }
    out
}

fn check(d: &Drawing) {
    let placed = layout(d);
    let rects: Vec<Rect> = placed.boxes.iter().copied().chain(placed.labels.iter().flatten().copied()).collect();
    for (i, a) in rects.iter().enumerate() {
        assert!(a.x >= 0.0 && a.y >= 0.0 && a.x + a.width <= placed.width && a.y + a.height <= placed.height, "{a:?} is outside");
        for b in &rects[i + 1..] {
            assert!(!overlap(a, b), "{a:?} overlaps {b:?}");
        }
    }
    for (node, r) in d.nodes.iter().zip(&placed.boxes) {
        for line in &node.lines {
            assert!(super::layout::columns(line) as f64 * super::layout::CHARACTER <= r.width, "{line} is wider than its box");
        }
        assert!(node.lines.len() as f64 * super::layout::LINE <= r.height);
    }
    for (k, e) in d.edges.iter().enumerate() {
        assert!(on_border(&placed.boxes[e.source], placed.paths[k].start), "arrow {k} does not start at its box");
        assert!(on_border(&placed.boxes[e.target], placed.paths[k].end()), "arrow {k} does not end at its box");
        assert_eq!(placed.labels[k].is_some(), !e.label.is_empty());
        for (x, y) in samples(&placed, k) {
            for (v, r) in placed.boxes.iter().enumerate() {
                let inside = x > r.x + 1e-6 && x < r.x + r.width - 1e-6 && y > r.y + 1e-6 && y < r.y + r.height - 1e-6;
                assert!(!inside, "arrow {k} crosses box {v}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boxes_and_labels_never_overlap_and_arrows_end_at_boxes(
        texts in prop::collection::vec("[ -~éあ\n]{0,30}", 1..25),
        edges in prop::collection::vec((0usize..25, 0usize..25, any::<bool>()), 0..50),
    ) {
        check(&drawing(&texts, &edges));
    }

    #[test]
    fn any_text_gives_well_formed_xml(texts in prop::collection::vec(any::<String>(), 1..6)) {
        let d = drawing(&texts, &[(0, 1, true), (1, 0, false), (0, 0, true)]);
        let text = svg::svg(&d);
        let document = roxmltree::Document::parse(&text).map_err(|e| TestCaseError::fail(format!("{e}")))?;
        prop_assert!(document.root_element().attribute("viewBox").is_some());
        prop_assert_eq!(&text, &svg::svg(&d));
        let text = dot::dot(&d);
        prop_assert!(text.starts_with("digraph"), "{}", text);
    }
}

#[test]
fn a_large_drawing_has_no_overlaps_either() {
    let texts: Vec<String> = (0..300).map(|k| format!("vertex {k}")).collect();
    let mut x = 7usize;
    let edges: Vec<(usize, usize, bool)> = (0..500)
        .map(|_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let s = (x >> 33) % 299;
            (s, (s + 1 + (x >> 50) % 12).min(299), x.is_multiple_of(3))
        })
        .collect();
    check(&drawing(&texts, &edges));
}

#[test]
fn a_chain_is_drawn_straight_and_downwards() {
    let texts: Vec<String> = (0..5).map(|k| "x".repeat(3 + k)).collect();
    let placed = layout(&drawing(&texts, &[(0, 1, false), (1, 2, false), (2, 3, false), (3, 4, false)]));
    let middle = |r: &Rect| r.x + r.width / 2.0;
    for pair in placed.boxes.windows(2) {
        assert!((middle(&pair[0]) - middle(&pair[1])).abs() < 1e-6);
        assert!(pair[0].y + pair[0].height < pair[1].y);
    }
}

#[test]
fn a_part_has_what_is_near() {
    let texts: Vec<String> = (0..6).map(|k| format!("v{k}")).collect();
    let d = drawing(&texts, &[(0, 1, false), (1, 2, false), (2, 3, false), (3, 4, false), (5, 3, false)]);
    let part = d.around("2", 1).expect("there is a 2");
    assert_eq!(part.nodes.iter().map(|n| n.lines[0].as_str()).collect::<Vec<_>>(), ["v1", "v2", "v3"]);
    assert_eq!(part.edges.len(), 2);
    assert!(d.around("7", 1).is_none());
}
