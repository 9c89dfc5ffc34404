//! Exact search over vertex orders.
//!
//! Whatever vertex of a connected part goes last, the rest of the part falls into components that do not influence each other: what an elimination in one
//! costs depends on that component and on what surrounds it, which is still there. So the least cost of a component is the least, over its vertices, of
//! the cost of that vertex as the last plus the least costs of what the component falls into without it. Costs of components are remembered, bounds
//! ([`super::bound`]) cut the search, and the bound that a cost is searched below is raised step by step, so that a search that is stopped still leaves a
//! better lower bound behind.

use super::bits::{Bits, Frame, Row, Set, count, has, ones};
use super::bound::{Paths, least_product};
use super::budget::Budget;
use super::cost::Counting;
use rustc_hash::FxHashMap;

/// What is known of a component.
#[derive(Clone)]
struct Known {
    /// No order costs less.
    lower: u32,
    /// Some order costs just that.
    exact: bool,
    /// The vertex to go last in the best order, where that is known.
    last: u16,
    /// The least that each vertex costs, in the order of the vertices; cut off at 255.
    least: Box<[u8]>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// No order costs less.
    pub lower_bound: u32,
    /// A best order, where it is known. It may be missing although the bound is sharp, when the order given was best already.
    pub order: Option<Vec<usize>>,
}

/// A search.
pub struct Exact<'a, const W: usize> {
    frame: &'a Frame,
    base: Bits<W>,
    known: FxHashMap<Set<W>, Known>,
    paths: Paths<W>,
    budget: &'a mut Budget,
}

/// More components than this are not remembered: memory is bounded.
const MOST_KNOWN: usize = 1_500_000;

/// The budget is used up.
struct Stop;

impl<'a, const W: usize> Exact<'a, W> {
    /// A search that ends with the budget at the latest.
    pub fn new(frame: &'a Frame, start: &Bits<W>, budget: &'a mut Budget) -> Exact<'a, W> {
        Exact { frame, base: start.clone(), known: FxHashMap::default(), paths: Paths::default(), budget }
    }

    /// Looks for an order that costs less than `upper`, which some order is known to cost.
    pub fn run(mut self, upper: u32) -> Found {
        let mut all = [0u64; W];
        (0..self.frame.intermediates).for_each(|v| all[v / 64] |= 1 << (v % 64));
        let mut done = Vec::new();
        let mut spent = 0;
        if self.frame.counting() == Counting::Plain {
            spent = self.reduce(&mut all, &mut done);
        }
        let parts = self.components(&all);
        let mut lower: Vec<u32> = parts.iter().map(|p| self.lower(p)).collect();
        let mut solved = vec![false; parts.len()];
        // Small parts first; the bound of one part rises to what the others leave.
        let mut turn: Vec<usize> = (0..parts.len()).collect();
        turn.sort_by_key(|&k| count(&parts[k]));
        for k in turn {
            loop {
                let others: u32 = spent + lower.iter().enumerate().filter(|&(j, _)| j != k).map(|(_, l)| l).sum::<u32>();
                if others + lower[k] >= upper {
                    return Found { lower_bound: upper, order: None };
                }
                match self.solve(&parts[k], lower[k]) {
                    Err(Stop) => return Found { lower_bound: spent + lower.iter().sum::<u32>(), order: None },
                    Ok(Some(cost)) => {
                        lower[k] = cost;
                        solved[k] = true;
                        break;
                    }
                    Ok(None) => lower[k] = self.known.get(&parts[k]).map_or(lower[k] + 1, |known| known.lower.max(lower[k] + 1)),
                }
            }
        }
        let mut order = done;
        for part in &parts {
            self.write_order(*part, &mut order);
        }
        let complete = order.len() == self.frame.intermediates && solved.iter().all(|&s| s);
        Found { lower_bound: spent + lower.iter().sum::<u32>(), order: complete.then_some(order) }
    }

    /// Eliminates vertices that some best order starts with: those with one predecessor and one successor, and those at their bound whose only
    /// predecessor is an input or whose only successor is an output. Only for plain counting without copies at the vertex.
    fn reduce(&mut self, all: &mut Set<W>, done: &mut Vec<usize>) -> u32 {
        let m = self.frame.intermediates;
        let mut spent = 0;
        loop {
            let mut changed = false;
            for v in 0..m {
                if !has(all, v) {
                    continue;
                }
                let (into, out) = (self.base.into[v], self.base.out[v]);
                if into.all != into.nonunit || out.all != out.nonunit {
                    continue;
                }
                let (p, s) = (count(&into.all), count(&out.all));
                let at_end = |row: &Row<W>| ones(&row.all, m).next().is_none();
                let safe = (p == 1 && s == 1) || (((p == 1 && at_end(&into)) || (s == 1 && at_end(&out))) && self.least(v, all) == p * s);
                if safe {
                    spent += self.frame.eliminate(&mut self.base, v);
                    all[v / 64] &= !(1 << (v % 64));
                    done.push(v);
                    changed = true;
                }
            }
            if !changed {
                return spent;
            }
        }
    }

    /// The least that a vertex costs, whenever it goes, as long as everything outside of `within` is there.
    fn least(&mut self, v: usize, within: &Set<W>) -> u32 {
        let into = self.paths.fewest(&self.base.into, v, within);
        let out = self.paths.fewest(&self.base.out, v, within);
        least_product(into, out)
    }

    /// The lower bound of a component that may not be known yet.
    fn lower(&mut self, part: &Set<W>) -> u32 {
        if let Some(known) = self.known.get(part) {
            return known.lower;
        }
        let vertices: Vec<usize> = ones(part, self.frame.intermediates).collect();
        if let [v] = vertices[..] {
            let cost = self.last_cost(v, part);
            self.known.insert(*part, Known { lower: cost, exact: true, last: v as u16, least: [cost.min(255) as u8].into() });
            return cost;
        }
        let least: Vec<u32> = vertices.iter().map(|&v| self.least(v, part)).collect();
        self.budget.spend(vertices.len() as u64 * 100);
        let lower = least.iter().sum();
        let least = least.iter().map(|&l| l.min(255) as u8).collect();
        self.known.insert(*part, Known { lower, exact: false, last: u16::MAX, least });
        lower
    }

    /// The least cost of a component, where it is not above the limit.
    fn solve(&mut self, part: &Set<W>, limit: u32) -> Result<Option<u32>, Stop> {
        let lower = self.lower(part);
        let known = &self.known[part];
        if known.exact {
            return Ok((lower <= limit).then_some(lower));
        }
        if lower > limit {
            return Ok(None);
        }
        let least = known.least.clone();
        let vertices: Vec<usize> = ones(part, self.frame.intermediates).collect();
        if !self.budget.spend(vertices.len() as u64 * 20) || self.known.len() > MOST_KNOWN {
            return Err(Stop);
        }
        let total: u32 = least.iter().map(|&l| u32::from(l)).sum();
        let mut candidates = Vec::new();
        let mut lowest = u32::MAX;
        for (k, &v) in vertices.iter().enumerate() {
            let cost = self.last_cost(v, part);
            let mut bound = cost + total - u32::from(least[k]);
            if bound <= limit {
                let mut rest = *part;
                rest[v / 64] &= !(1 << (v % 64));
                let parts = self.components(&rest);
                bound = cost;
                for p in &parts {
                    bound += self.lower(p);
                }
                if bound <= limit {
                    candidates.push((bound, cost, v, parts));
                    continue;
                }
            }
            lowest = lowest.min(bound);
        }
        candidates.sort_by_key(|c| (c.0, std::cmp::Reverse(c.3.len())));
        let mut best: Option<(u32, usize)> = None;
        for (_, cost, v, mut parts) in candidates {
            let most = best.map_or(limit, |(b, _)| b - 1);
            parts.sort_by_key(count);
            let mut bound = cost;
            for p in &parts {
                bound += self.lower(p);
            }
            for p in &parts {
                if bound > most {
                    break;
                }
                let mine = self.lower(p);
                match self.solve(p, most - (bound - mine))? {
                    Some(found) => bound = bound - mine + found,
                    None => bound = bound - mine + self.lower(p).max(most - (bound - mine) + 1),
                }
            }
            if bound <= most {
                best = Some((bound, v));
                if bound == lower {
                    break;
                }
            } else {
                lowest = lowest.min(bound);
            }
        }
        if let Some(known) = self.known.get_mut(part) {
            match best {
                Some((cost, v)) => (known.lower, known.exact, known.last) = (cost, true, v as u16),
                None => known.lower = known.lower.max(lowest).max(limit + 1),
            }
        }
        Ok(best.map(|(cost, _)| cost))
    }

    /// What a vertex costs when everything else of a component is gone and everything around it is there.
    fn last_cost(&self, v: usize, part: &Set<W>) -> u32 {
        // Against the order of the rows, which is topological, all paths into a vertex have been merged when its turn comes.
        let plain = self.frame.counting() == Counting::Plain;
        let into = close(&self.base.into, self.base.into[v], part, plain, true);
        let out = close(&self.base.out, self.base.out[v], part, plain, false);
        super::bits::product(&into, &out)
    }

    /// The components of a set of vertices, by edges in any direction.
    fn components(&self, of: &Set<W>) -> Vec<Set<W>> {
        let mut left = *of;
        let mut parts = Vec::new();
        while let Some(start) = ones(&left, self.frame.intermediates).next() {
            let mut part = [0u64; W];
            part[start / 64] |= 1 << (start % 64);
            let mut todo = part;
            loop {
                let mut fresh = [0u64; W];
                for v in ones(&todo, self.frame.intermediates) {
                    let (into, out) = (&self.base.into[v].all, &self.base.out[v].all);
                    fresh.iter_mut().zip(into.iter().zip(out)).for_each(|(f, (i, o))| *f |= i | o);
                }
                let mut any = 0;
                for w in 0..W {
                    fresh[w] &= left[w] & !part[w];
                    part[w] |= fresh[w];
                    any |= fresh[w];
                }
                if any == 0 {
                    break;
                }
                todo = fresh;
            }
            for w in 0..W {
                left[w] &= !part[w];
            }
            parts.push(part);
        }
        parts
    }

    /// Appends the best order of a component.
    fn write_order(&self, part: Set<W>, order: &mut Vec<usize>) {
        let mut todo = vec![part];
        let from = order.len();
        while let Some(mut part) = todo.pop() {
            let Some(known) = self.known.get(&part).filter(|k| k.exact) else { return };
            let v = known.last as usize;
            order.push(v);
            part[v / 64] &= !(1 << (v % 64));
            todo.extend(self.components(&part));
        }
        order[from..].reverse();
    }
}

/// The neighbours of a vertex on one side after a set is gone.
fn close<const W: usize>(rows: &[Row<W>], mut row: Row<W>, gone: &Set<W>, plain: bool, down: bool) -> Row<W> {
    loop {
        let next = if down {
            (0..W).rev().find_map(|w| {
                let word = row.all[w] & gone[w];
                (word != 0).then(|| w * 64 + 63 - word.leading_zeros() as usize)
            })
        } else {
            (0..W).find_map(|w| {
                let word = row.all[w] & gone[w];
                (word != 0).then(|| w * 64 + word.trailing_zeros() as usize)
            })
        };
        let Some(u) = next else { return row };
        let (nonunit, variable) = (has(&row.nonunit, u), has(&row.variable, u));
        super::bits::connect(&mut row, &rows[u], nonunit, variable, plain, u);
    }
}
