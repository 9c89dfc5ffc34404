//! Coordinates: where boxes, labels and arrows of a drawing are.
//!
//! In each layer the boxes go as near to their neighbours as their distances allow (weighted least squares under these distances, solved exactly by pooling adjacent
//! violators), so that no two can overlap; then the bends of each arrow go under each other where there is room. Arrows are vertical where they pass a layer and bend between layers only, so they never cross a box.
//! Never here: colours, text formats.

use super::drawing::{Drawing, Shape};
use super::layered::{Layers, Slot};

/// Size of a character of a box, of a line of text, and of a character of a label.
pub const CHARACTER: f64 = 7.2;
/// Height of a line of text in a box.
pub const LINE: f64 = 16.0;
/// Width of a character of a label.
pub const SMALL_CHARACTER: f64 = 6.6;
/// Height of a label.
pub const SMALL_LINE: f64 = 14.0;
/// Room between text and outline, at the sides.
pub const PADDING: f64 = 10.0;
/// Room between text and outline, above and below.
const PADDING_ABOVE: f64 = 5.0;
const GAP: f64 = 18.0;
const BEND_GAP: f64 = 9.0;
const LAYER_GAP: f64 = 30.0;
const MARGIN: f64 = 16.0;
const LOOP: f64 = 26.0;

/// A rectangle by its upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left side.
    pub x: f64,
    /// Upper side.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A part of an arrow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// A straight line to there.
    Line(f64, f64),
    /// A cubic curve: two control points and the end.
    Curve([f64; 6]),
}

/// An arrow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// Where it starts.
    pub start: (f64, f64),
    /// How it goes on.
    pub pieces: Vec<Piece>,
}

/// A drawing with coordinates.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The boxes.
    pub boxes: Vec<Rect>,
    /// The arrows.
    pub paths: Vec<Path>,
    /// Where the labels of arrows are.
    pub labels: Vec<Option<Rect>>,
    /// Width of all.
    pub width: f64,
    /// Height of all.
    pub height: f64,
}

/// The columns that a text takes: letters of East Asian scripts and pictures take two.
pub fn columns(text: &str) -> usize {
    text.chars().map(|c| if (c as u32) < 0x1100 { 1 } else { 2 }).sum()
}

impl Path {
    /// Where it ends.
    pub fn end(&self) -> (f64, f64) {
        match self.pieces.last() {
            Some(&Piece::Line(x, y)) => (x, y),
            Some(&Piece::Curve([.., x, y])) => (x, y),
            None => self.start,
        }
    }

    fn line(&mut self, x: f64, y: f64) {
        if self.end() != (x, y) {
            self.pieces.push(Piece::Line(x, y));
        }
    }

    /// Leaves and arrives vertically.
    fn bend(&mut self, x: f64, y: f64) {
        let (x0, y0) = self.end();
        let middle = (y0 + y) / 2.0;
        self.pieces.push(Piece::Curve([x0, middle, x, middle, x, y]));
    }

    fn turned(&self) -> Path {
        let mut points = vec![self.start];
        let mut pieces = Vec::new();
        for piece in &self.pieces {
            let &from = points.last().unwrap_or(&self.start);
            let (to, back) = match *piece {
                Piece::Line(x, y) => ((x, y), Piece::Line(from.0, from.1)),
                Piece::Curve([a, b, c, d, x, y]) => ((x, y), Piece::Curve([c, d, a, b, from.0, from.1])),
            };
            points.push(to);
            pieces.push(back);
        }
        pieces.reverse();
        Path { start: self.end(), pieces }
    }
}

/// Lays a drawing out.
pub fn layout(drawing: &Drawing) -> Layout {
    let ends: Vec<(usize, usize)> = drawing.edges.iter().map(|e| (e.source, e.target)).collect();
    let labelled: Vec<bool> = drawing.edges.iter().map(|e| !e.label.is_empty() && e.source != e.target).collect();
    let layers = Layers::new(drawing.nodes.len(), &ends, &labelled);
    let sizes: Vec<(f64, f64)> = drawing
        .nodes
        .iter()
        .map(|n| {
            let text = n.lines.iter().map(|l| columns(l)).max().unwrap_or(0).max(2) as f64 * CHARACTER;
            let sides = if matches!(n.shape, Shape::Pointed | Shape::Round) { 2.0 * PADDING } else { PADDING };
            (text + 2.0 * sides, n.lines.len().max(1) as f64 * LINE + 2.0 * PADDING_ABOVE)
        })
        .collect();
    // Arrows from a box to itself stand at its right side.
    let mut loops = vec![Vec::new(); drawing.nodes.len()];
    for (k, e) in drawing.edges.iter().enumerate().filter(|(_, e)| e.source == e.target) {
        loops[e.source].push(k);
    }
    let beside = |v: usize| -> f64 { loops[v].iter().map(|&k| LOOP + label_width(&drawing.edges[k].label)).sum() };
    let width = |s: usize| match layers.slots[s] {
        Slot::Node(v) => sizes[v].0 + beside(v),
        Slot::Bend(k, true) => label_width(&drawing.edges[k].label),
        Slot::Bend(_, false) => 2.0,
    };
    let height = |s: usize| match layers.slots[s] {
        Slot::Node(v) => sizes[v].1,
        Slot::Bend(_, true) => SMALL_LINE,
        Slot::Bend(_, false) => 0.0,
    };
    let widths: Vec<f64> = (0..layers.slots.len()).map(width).collect();
    let x = places(&layers, &widths);

    let mut out = Layout::default();
    let mut tops = Vec::with_capacity(layers.layers.len());
    let mut y = MARGIN;
    for layer in &layers.layers {
        let tall = layer.iter().map(|&s| height(s)).fold(0.0, f64::max);
        tops.push((y, y + tall));
        y += tall + LAYER_GAP;
    }
    out.height = (y - LAYER_GAP + MARGIN).max(2.0 * MARGIN);
    let mut layer_of = vec![0; layers.slots.len()];
    layers.layers.iter().enumerate().for_each(|(r, layer)| layer.iter().for_each(|&s| layer_of[s] = r));
    out.width = (0..layers.slots.len()).map(|s| x[s] + widths[s] / 2.0).fold(0.0, f64::max) + MARGIN;
    for (v, &(w, h)) in sizes.iter().enumerate() {
        let (top, bottom) = tops[layer_of[v]];
        out.boxes.push(Rect { x: x[v] - widths[v] / 2.0, y: (top + bottom - h) / 2.0, width: w, height: h });
    }
    let (leave, arrive) = ports(&layers, &out.boxes, &x);
    for (k, chain) in layers.chains.iter().enumerate() {
        let edge = &drawing.edges[k];
        let (Some(&s), Some(&t)) = (chain.first(), chain.last()) else {
            let (path, label) = own_loop(&out.boxes[edge.source], &loops[edge.source], k, drawing);
            out.paths.push(path);
            out.labels.push(label);
            continue;
        };
        let (from, to) = (out.boxes[s], out.boxes[t]);
        let mut path = Path { start: (leave[k], from.y + from.height), pieces: Vec::new() };
        path.line(leave[k], tops[layer_of[s]].1);
        let mut label = None;
        for &bend in &chain[1..chain.len() - 1] {
            let (top, bottom) = tops[layer_of[bend]];
            path.bend(x[bend], top);
            path.line(x[bend], bottom);
            if let Slot::Bend(_, true) = layers.slots[bend] {
                let (w, h) = (widths[bend], SMALL_LINE);
                label = Some(Rect { x: x[bend] - w / 2.0, y: (top + bottom - h) / 2.0, width: w, height: h });
            }
        }
        path.bend(arrive[k], tops[layer_of[t]].0);
        path.line(arrive[k], to.y);
        out.paths.push(if layers.reversed[k] { path.turned() } else { path });
        out.labels.push(label);
    }
    out
}

fn label_width(label: &str) -> f64 {
    if label.is_empty() { 0.0 } else { columns(label) as f64 * SMALL_CHARACTER + 6.0 }
}

fn own_loop(at: &Rect, loops: &[usize], k: usize, drawing: &Drawing) -> (Path, Option<Rect>) {
    let before = loops.iter().take_while(|&&l| l != k);
    let offset: f64 = before.map(|&l| LOOP + label_width(&drawing.edges[l].label)).sum();
    let right = at.x + at.width;
    let reach = right + offset + LOOP - 8.0;
    let (high, low) = (at.y + 0.25 * at.height, at.y + 0.75 * at.height);
    let path = Path { start: (right, high), pieces: vec![Piece::Curve([reach, high, reach, low, right, low])] };
    let label = &drawing.edges[k].label;
    let rect = Rect { x: reach, y: at.y + (at.height - SMALL_LINE) / 2.0, width: label_width(label), height: SMALL_LINE };
    (path, (!label.is_empty()).then_some(rect))
}

/// Where each arrow leaves its upper box and arrives at its lower one: spread over the side, in the order of where they come from.
fn ports(layers: &Layers, boxes: &[Rect], x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut leave, mut arrive) = (vec![0.0; layers.chains.len()], vec![0.0; layers.chains.len()]);
    let mut below: Vec<Vec<(f64, usize)>> = vec![Vec::new(); boxes.len()];
    let mut above = below.clone();
    for (k, chain) in layers.chains.iter().enumerate().filter(|(_, c)| c.len() > 1) {
        below[chain[0]].push((x[chain[1]], k));
        above[chain[chain.len() - 1]].push((x[chain[chain.len() - 2]], k));
    }
    let spread = |lists: Vec<Vec<(f64, usize)>>, ends: &mut [f64]| {
        for (v, mut list) in lists.into_iter().enumerate() {
            list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let flat = (boxes[v].width - 4.0 * PADDING).max(4.0);
            let step = (flat / list.len().max(1) as f64).min(24.0);
            let middle = boxes[v].x + boxes[v].width / 2.0;
            for (p, &(_, k)) in list.iter().enumerate() {
                ends[k] = middle + step * (p as f64 - (list.len() as f64 - 1.0) / 2.0);
            }
        }
    };
    spread(below, &mut leave);
    spread(above, &mut arrive);
    (leave, arrive)
}

/// The middle of every slot.
fn places(layers: &Layers, widths: &[f64]) -> Vec<f64> {
    let is_bend = |s: usize| matches!(layers.slots[s], Slot::Bend(..));
    // Distances of the middles of neighbours in a layer.
    let distance = |a: usize, b: usize| {
        let gap = if is_bend(a) || is_bend(b) { BEND_GAP } else { GAP };
        (widths[a] + widths[b]) / 2.0 + gap
    };
    let mut x = vec![0.0; layers.slots.len()];
    for layer in &layers.layers {
        let mut at = 0.0;
        for (p, &s) in layer.iter().enumerate() {
            if p > 0 {
                at += distance(layer[p - 1], s);
            }
            x[s] = at;
        }
        let shift = at / 2.0;
        layer.iter().for_each(|&s| x[s] -= shift);
    }
    let rounds = 12;
    for round in 0..rounds {
        let h = layers.layers.len();
        for step in 0..h {
            let at = if round % 2 == 0 { step } else { h - 1 - step };
            let layer = &layers.layers[at];
            let wanted: Vec<(f64, f64)> = layer
                .iter()
                .map(|&s| {
                    let (mut sum, mut weight) = (0.0, 0.0);
                    // Straight long arrows matter most; in the last iterations both sides count.
                    let both = round + 4 >= rounds;
                    let above = layers.up[s].iter().filter(|_| both || round % 2 == 0);
                    let below = layers.down[s].iter().filter(|_| both || round % 2 == 1);
                    for &o in above.chain(below) {
                        let w = match (is_bend(s), is_bend(o)) {
                            (true, true) => 8.0,
                            (false, false) => 1.0,
                            _ => 2.0,
                        };
                        sum += w * x[o];
                        weight += w;
                    }
                    if weight > 0.0 { (sum / weight, weight) } else { (x[s], 0.1) }
                })
                .collect();
            let mut offset = 0.0;
            let offsets: Vec<f64> = layer
                .iter()
                .enumerate()
                .map(|(p, &s)| {
                    if p > 0 {
                        offset += distance(layer[p - 1], s);
                    }
                    offset
                })
                .collect();
            for ((&s, y), o) in layer.iter().zip(isotonic(&wanted, &offsets)).zip(&offsets) {
                x[s] = y + o;
            }
        }
    }
    straighten(layers, &mut x, &distance);
    let left = (0..x.len()).map(|s| x[s] - widths[s] / 2.0).fold(f64::INFINITY, f64::min);
    if left.is_finite() {
        x.iter_mut().for_each(|v| *v += MARGIN - left);
    }
    x
}

/// Puts the bends of each arrow under each other, as long as there is room between their neighbours: an arrow that turned at every layer could not be followed.
fn straighten(layers: &Layers, x: &mut [f64], distance: &dyn Fn(usize, usize) -> f64) {
    let mut beside = vec![(None, None); layers.slots.len()];
    for layer in &layers.layers {
        for pair in layer.windows(2) {
            beside[pair[0]].1 = Some(pair[1]);
            beside[pair[1]].0 = Some(pair[0]);
        }
    }
    for chain in layers.chains.iter().filter(|c| c.len() > 3) {
        let bends = &chain[1..chain.len() - 1];
        let mut at = 0;
        while at < bends.len() {
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            let mut end = at;
            while end < bends.len() {
                let s = bends[end];
                let from = beside[s].0.map_or(f64::NEG_INFINITY, |l: usize| x[l] + distance(l, s));
                let to = beside[s].1.map_or(f64::INFINITY, |r: usize| x[r] - distance(s, r));
                if low.max(from) > high.min(to) {
                    break;
                }
                (low, high) = (low.max(from), high.min(to));
                end += 1;
            }
            // A bend that is as near to both its neighbours as it may be stays by itself.
            let end = end.max(at + 1);
            if end > at + 1 {
                let mean = bends[at..end].iter().map(|&s| x[s]).sum::<f64>() / (end - at) as f64;
                bends[at..end].iter().for_each(|&s| x[s] = mean.clamp(low, high));
            }
            at = end;
        }
    }
}

/// The non-decreasing sequence nearest to wishes minus offsets: adjacent violators are pooled.
fn isotonic(wanted: &[(f64, f64)], offsets: &[f64]) -> Vec<f64> {
    // mean, weight, count
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(wanted.len());
    for (&(d, w), o) in wanted.iter().zip(offsets) {
        let mut new = (d - o, w, 1);
        while let Some(&(mean, weight, count)) = pools.last() {
            if mean <= new.0 {
                break;
            }
            let sum = weight + new.1;
            new = ((mean * weight + new.0 * new.1) / sum, sum, count + new.2);
            pools.pop();
        }
        pools.push(new);
    }
    pools.into_iter().flat_map(|(mean, _, count)| std::iter::repeat_n(mean, count)).collect()
}
