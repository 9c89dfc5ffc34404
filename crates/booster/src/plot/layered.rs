//! Layers of a graph: cycles broken, ranks, bends of long arrows, few crossings (Sugiyama, Tagawa and Toda 1981).
//!
//! Lives here: everything that needs no sizes. Never here: coordinates.

/// What stands at a place of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A box.
    Node(usize),
    /// An arrow passes; its label stands here where the second is true.
    Bend(usize, bool),
}

/// Boxes and bends in layers.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The slots: the boxes first, by their numbers, then the bends.
    pub slots: Vec<Slot>,
    /// The slots of each layer, from left to right.
    pub layers: Vec<Vec<usize>>,
    /// Neighbours in the layer above.
    pub up: Vec<Vec<usize>>,
    /// Neighbours in the layer below.
    pub down: Vec<Vec<usize>>,
    /// For each arrow the slots on its way from top to bottom; empty for an arrow from a box to itself.
    pub chains: Vec<Vec<usize>>,
    /// Whether the arrow points up.
    pub reversed: Vec<bool>,
}

/// More slots than this get few sweeps: the drawing would not be readable anyway.
const MANY_SLOTS: usize = 20_000;

impl Layers {
    /// Layers for `n` boxes and these arrows, of which some have labels.
    pub fn new(n: usize, edges: &[(usize, usize)], labelled: &[bool]) -> Layers {
        let reversed = break_cycles(n, edges);
        let directed: Vec<(usize, usize)> = edges.iter().zip(&reversed).map(|(&(s, t), &r)| if r { (t, s) } else { (s, t) }).collect();
        let mut rank = ranks(n, &directed);
        // A label stands in a layer of its own.
        if labelled.iter().any(|&l| l) {
            rank.iter_mut().for_each(|r| *r *= 2);
        }
        pack_single(n, &directed, &mut rank);
        let height = rank.iter().max().map_or(0, |m| m + 1);
        let mut layers = Layers {
            slots: (0..n).map(Slot::Node).collect(),
            layers: vec![Vec::new(); height],
            up: vec![Vec::new(); n],
            down: vec![Vec::new(); n],
            chains: Vec::with_capacity(edges.len()),
            reversed,
        };
        for (k, &(s, t)) in directed.iter().enumerate() {
            if s == t {
                layers.chains.push(Vec::new());
                continue;
            }
            let mut chain = vec![s];
            let label = (rank[s] + rank[t]) / 2;
            for r in rank[s] + 1..rank[t] {
                let slot = layers.slots.len();
                layers.slots.push(Slot::Bend(k, r == label && labelled.get(k).copied().unwrap_or(false)));
                layers.up.push(Vec::new());
                layers.down.push(Vec::new());
                layers.layers[r].push(slot);
                chain.push(slot);
            }
            chain.push(t);
            for pair in chain.windows(2) {
                layers.down[pair[0]].push(pair[1]);
                layers.up[pair[1]].push(pair[0]);
            }
            layers.chains.push(chain);
        }
        layers.start(n, &rank);
        layers.reduce();
        layers
    }

    /// The first order: depth first from above, so that what belongs together is together.
    fn start(&mut self, n: usize, rank: &[usize]) {
        let mut layer_of = vec![0; self.slots.len()];
        layer_of[..n].copy_from_slice(rank);
        for (r, layer) in self.layers.iter_mut().enumerate() {
            layer.drain(..).for_each(|s| layer_of[s] = r);
        }
        let mut seen = vec![false; self.slots.len()];
        let mut roots: Vec<usize> = (0..n).collect();
        roots.sort_by_key(|&v| (!self.up[v].is_empty(), rank[v], v));
        for root in roots {
            let mut stack = vec![root];
            while let Some(v) = stack.pop() {
                if !std::mem::replace(&mut seen[v], true) {
                    self.layers[layer_of[v]].push(v);
                    stack.extend(self.down[v].iter().rev());
                }
            }
        }
    }

    /// Barycentre sweeps down and up; the best order stays.
    fn reduce(&mut self) {
        let sweeps = if self.slots.len() > MANY_SLOTS { 2 } else { 16 };
        let mut place = vec![0usize; self.slots.len()];
        self.layers.iter().for_each(|layer| layer.iter().enumerate().for_each(|(p, &s)| place[s] = p));
        let mut best = (self.crossings(&place), self.layers.clone());
        for sweep in 0..sweeps {
            if best.0 == 0 {
                break;
            }
            let downward = sweep % 2 == 0;
            let h = self.layers.len();
            for step in 0..h {
                let at = if downward { step } else { h - 1 - step };
                let neighbours = if downward { &self.up } else { &self.down };
                let mut keyed: Vec<(f64, usize, usize)> = self.layers[at]
                    .iter()
                    .enumerate()
                    .map(|(p, &s)| {
                        let list = &neighbours[s];
                        let mean = list.iter().map(|&o| place[o] as f64).sum::<f64>() / list.len() as f64;
                        // What has no neighbour there keeps its place.
                        (if list.is_empty() { p as f64 } else { mean }, p, s)
                    })
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                for (p, &(_, _, s)) in keyed.iter().enumerate() {
                    place[s] = p;
                    self.layers[at][p] = s;
                }
            }
            let crossings = self.crossings(&place);
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// How many pairs of arrows cross.
    fn crossings(&self, place: &[usize]) -> u64 {
        let mut total = 0;
        for pair in self.layers.windows(2) {
            let mut ends = Vec::new();
            for &s in &pair[0] {
                let from = ends.len();
                ends.extend(self.down[s].iter().map(|&t| place[t]));
                ends[from..].sort_unstable();
            }
            // Inversions, counted with a Fenwick tree.
            let mut tree = vec![0u64; pair[1].len() + 1];
            for (seen, &e) in ends.iter().enumerate() {
                let (mut i, mut below) = (e + 1, 0);
                while i > 0 {
                    below += tree[i];
                    i &= i - 1;
                }
                total += seen as u64 - below;
                let mut i = e + 1;
                while i < tree.len() {
                    tree[i] += 1;
                    i += i & i.wrapping_neg();
                }
            }
        }
        total
    }
}

/// Which arrows point back, found depth first from the boxes without predecessors.
fn break_cycles(n: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut out = vec![Vec::new(); n];
    let mut indegree = vec![0usize; n];
    for (k, &(s, t)) in edges.iter().enumerate().filter(|(_, e)| e.0 != e.1) {
        out[s].push((k, t));
        indegree[t] += 1;
    }
    let mut reversed = vec![false; edges.len()];
    // 0 not seen, 1 on the path, 2 done
    let mut state = vec![0u8; n];
    let roots = (0..n).filter(|&v| indegree[v] == 0).chain(0..n);
    for root in roots {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut path = vec![(root, 0)];
        while let Some((v, next)) = path.last_mut() {
            let Some(&(k, t)) = out[*v].get(*next) else {
                state[*v] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            match state[t] {
                0 => {
                    state[t] = 1;
                    path.push((t, 0));
                }
                1 => reversed[k] = true,
                _ => {}
            }
        }
    }
    reversed
}

/// Longest paths from above; a box without predecessors goes as near to its successors as it can.
fn ranks(n: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut out = vec![Vec::new(); n];
    let mut waiting = vec![0usize; n];
    for &(s, t) in edges.iter().filter(|e| e.0 != e.1) {
        out[s].push(t);
        waiting[t] += 1;
    }
    let sources: Vec<usize> = (0..n).filter(|&v| waiting[v] == 0).collect();
    let mut ready = sources.clone();
    let mut rank = vec![0usize; n];
    let mut next = 0;
    while let Some(&v) = ready.get(next) {
        next += 1;
        for &t in &out[v] {
            rank[t] = rank[t].max(rank[v] + 1);
            waiting[t] -= 1;
            if waiting[t] == 0 {
                ready.push(t);
            }
        }
    }
    for v in sources {
        if let Some(lowest) = out[v].iter().map(|&t| rank[t]).min() {
            rank[v] = lowest.saturating_sub(1);
        }
    }
    rank
}

/// Boxes without arrows stand in rows below the others.
fn pack_single(n: usize, edges: &[(usize, usize)], rank: &mut [usize]) {
    let mut single = vec![true; n];
    for &(s, t) in edges.iter().filter(|e| e.0 != e.1) {
        single[s] = false;
        single[t] = false;
    }
    let count = single.iter().filter(|s| **s).count();
    let mut first = (0..n).filter(|&v| !single[v]).map(|v| rank[v] + 1).max().unwrap_or(0);
    let a_row = ((count as f64).sqrt().ceil() as usize).clamp(4, 12);
    let mut in_row = 0;
    for v in (0..n).filter(|&v| single[v]) {
        if in_row == a_row {
            in_row = 0;
            first += 1;
        }
        rank[v] = first;
        in_row += 1;
    }
}
