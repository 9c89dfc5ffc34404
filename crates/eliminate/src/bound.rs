//! Lower bounds: whenever a vertex is eliminated, its predecessors at that time separate it from the inputs, so there are at least as many of them as
//! there are vertex-disjoint paths from the inputs; likewise for its successors and the outputs.
//!
//! Only predecessors by an edge that is no unit count. A predecessor by a unit edge has a path of unit edges to the vertex, so paths that avoid all
//! vertices with such a path still bound the number of the others from below. The same holds for variable edges.

use super::bits::{Row, Set, has, ones};

/// Finds vertex-disjoint paths. It owns what a search needs, so that searches allocate nothing.
pub struct Paths<const W: usize> {
    next: Vec<u16>,
    previous: Vec<u16>,
    came_in: Vec<u16>,
    came_out: Vec<u16>,
    queue: Vec<u16>,
}

const NONE: u16 = u16::MAX;

impl<const W: usize> Default for Paths<W> {
    fn default() -> Self {
        let n = W * 64;
        let list = || vec![NONE; n];
        Paths { next: list(), previous: list(), came_in: list(), came_out: list(), queue: Vec::new() }
    }
}

/// The vertices with a path to `v`, inside of `within` but for its last vertex, whose edges all have the property that `weak` picks.
fn closure<const W: usize>(rows: &[Row<W>], v: usize, within: &Set<W>, weak: impl Fn(&Row<W>) -> Set<W>) -> Set<W> {
    let mut found = weak(&rows[v]);
    let mut done = [0u64; W];
    loop {
        let mut todo = [0u64; W];
        let mut any = false;
        for w in 0..W {
            todo[w] = found[w] & within[w] & !done[w];
            any |= todo[w] != 0;
        }
        if !any {
            return found;
        }
        for u in ones(&todo, rows.len()) {
            let more = weak(&rows[u]);
            for w in 0..W {
                found[w] |= more[w];
            }
        }
        for w in 0..W {
            done[w] |= todo[w];
        }
    }
}

impl<const W: usize> Paths<W> {
    /// How few edges that are no units, and how few variable edges, a vertex can have on one side when it is eliminated, while everything outside of
    /// `within` is still there. `rows` are the edges on that side.
    pub fn fewest(&mut self, rows: &[Row<W>], v: usize, within: &Set<W>) -> (u32, u32) {
        let units = closure(rows, v, within, |r| std::array::from_fn(|w| r.all[w] & !r.nonunit[w]));
        let known = closure(rows, v, within, |r| std::array::from_fn(|w| r.all[w] & !r.variable[w]));
        let nonunit = self.disjoint(rows, v, within, &units);
        if units == known {
            return (nonunit, nonunit);
        }
        (nonunit, self.disjoint(rows, v, within, &known))
    }

    /// The greatest number of paths from `v` through `within` to its outside that share no vertex but `v` and avoid `blocked` (Menger's theorem: as many
    /// as a smallest separator has vertices).
    fn disjoint(&mut self, rows: &[Row<W>], v: usize, within: &Set<W>, blocked: &Set<W>) -> u32 {
        self.next.fill(NONE);
        self.previous.fill(NONE);
        let mut first = [0u64; W];
        let mut count = 0;
        while let Some(end) = self.augment(rows, v, within, blocked, &first) {
            self.apply(v, end, &mut first);
            count += 1;
        }
        count
    }

    /// Looks for one more path; its last vertex.
    fn augment(&mut self, rows: &[Row<W>], v: usize, within: &Set<W>, blocked: &Set<W>, first: &Set<W>) -> Option<usize> {
        // Every vertex has an entrance and an exit. One on a path already can be entered only to turn that path away.
        let mut entered = [0u64; W];
        let mut left = [0u64; W];
        self.queue.clear();
        self.queue.push(v as u16);
        let mut head = 0;
        while head < self.queue.len() {
            let x = self.queue[head] as usize;
            head += 1;
            let mut targets = [0u64; W];
            for w in 0..W {
                targets[w] = rows[x].all[w] & !blocked[w] & !entered[w] & if x == v { !first[w] } else { !0 };
            }
            for t in ones(&targets, W * 64) {
                if x != v && self.next[x] == t as u16 {
                    continue;
                }
                entered[t / 64] |= 1 << (t % 64);
                self.came_in[t] = x as u16;
                if self.previous[t] == NONE {
                    if !has(within, t) {
                        return Some(t);
                    }
                    if !has(&left, t) {
                        left[t / 64] |= 1 << (t % 64);
                        self.came_out[t] = NONE;
                        self.queue.push(t as u16);
                    }
                    continue;
                }
                // The path through here is taken back, vertex by vertex, until it can leave by another edge.
                let mut at = t;
                loop {
                    let p = self.previous[at] as usize;
                    if p == v || has(&left, p) {
                        break;
                    }
                    left[p / 64] |= 1 << (p % 64);
                    self.came_out[p] = at as u16;
                    self.queue.push(p as u16);
                    if has(&entered, p) {
                        break;
                    }
                    entered[p / 64] |= 1 << (p % 64);
                    self.came_in[p] = NONE;
                    at = p;
                }
            }
        }
        None
    }

    /// Adds the path that was found.
    fn apply(&mut self, v: usize, end: usize, first: &mut Set<W>) {
        // From the end back: each step is an edge x -> t to be added, then what led to the exit of x.
        let mut added: Vec<(usize, usize)> = Vec::new();
        let mut removed: Vec<(usize, usize)> = Vec::new();
        let mut t = end;
        loop {
            let x = self.came_in[t] as usize;
            added.push((x, t));
            if x == v {
                break;
            }
            // The exit of x was reached through x itself, or by taking back edges x -> y, y -> z, ...
            let mut at = x;
            while self.came_out[at] != NONE {
                let y = self.came_out[at] as usize;
                removed.push((at, y));
                at = y;
                if self.came_in[at] != NONE {
                    break;
                }
            }
            t = at;
        }
        for &(x, y) in &removed {
            self.next[x] = NONE;
            self.previous[y] = NONE;
        }
        for &(x, t) in &added {
            self.previous[t] = x as u16;
            if x == v {
                first[t / 64] |= 1 << (t % 64);
            } else {
                self.next[x] = t as u16;
            }
        }
    }
}

/// The fewest multiplications for a vertex with at least so many edges on its two sides.
pub fn least_product((p1, p2): (u32, u32), (s1, s2): (u32, u32)) -> u32 {
    p1 * s2 + p2 * s1 - p2 * s2
}
