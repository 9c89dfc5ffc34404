//! Sums of products of whole numbers that are not known, and whether some of them can all be at least zero.
//!
//! ```text
//! k' <= k,  k + 1 <= i,  i = k'       never: the sums k - k', i - k - 1, i - k', k' - i are not all >= 0
//! ```
//!
//! Unknowns are eliminated one after the other (Fourier and Motzkin): a sum in which one has a positive coefficient, and one in which it has a negative
//! coefficient, add up to a sum without it. What is left are numbers. Each sum is divided by what all its coefficients have in common, and its constant rounded
//! down, since only whole numbers count. A product of unknowns is one more unknown. "No" means "not known".
//!
//! Lives here: this arithmetic. Never here: which sums say something of a program.

use std::collections::{BTreeMap, BTreeSet};
use xaif::model::{Expr, NodeKind, SymbolId};

/// Systems do not grow beyond this.
const MAX_SUMS: usize = 160;

/// No more products in one sum.
const MAX_TERMS: usize = 24;

/// A sum of products, each with its coefficient; the empty product is the constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sum<T: Ord>(BTreeMap<Vec<T>, i64>);

impl<T: Ord + Clone> Sum<T> {
    /// A number.
    pub fn number(n: i64) -> Sum<T> {
        Sum(BTreeMap::from([(Vec::new(), n)])).tidy()
    }

    /// An unknown.
    pub fn unknown(t: T) -> Sum<T> {
        Sum(BTreeMap::from([(vec![t], 1)]))
    }

    /// What an expression is, if it is made of sums and products; `unknown` tells what a scalar stands for.
    pub fn of(e: &Expr, unknown: &dyn Fn(SymbolId) -> Option<T>) -> Option<Sum<T>> {
        let mut done: Vec<Sum<T>> = Vec::with_capacity(e.nodes.len());
        for node in &e.nodes {
            let at = |k: usize| node.operands.get(k).and_then(|o| done.get(o.index()));
            let sum = match &node.kind {
                NodeKind::Const(_) => Sum::number(Expr { nodes: vec![node.clone()] }.as_int()?),
                NodeKind::Var(r) if r.subscripts.is_empty() => Sum::unknown(unknown(r.symbol)?),
                NodeKind::Op(op) => match op.name.as_str() {
                    "add_scal_scal" => at(0)?.plus(at(1)?, 1)?,
                    "sub_scal_scal" => at(0)?.plus(at(1)?, -1)?,
                    "mul_scal_scal" => at(0)?.times(at(1)?)?,
                    "minus_scal" => Sum::number(0).plus(at(0)?, -1)?,
                    // Another type for the same number; narrow types may not have it.
                    "int_scal" if op.ty.as_ref().is_some_and(|t| t.bits >= 64) => at(0)?.clone(),
                    _ => return None,
                },
                _ => return None,
            };
            done.push(sum);
        }
        done.pop()
    }

    fn tidy(mut self) -> Sum<T> {
        self.0.retain(|_, c| *c != 0);
        self
    }

    /// The sum with so many times another one; `None` where numbers become too large.
    pub fn plus(&self, other: &Sum<T>, times: i64) -> Option<Sum<T>> {
        let mut out = self.clone();
        for (product, c) in &other.0 {
            let place = out.0.entry(product.clone()).or_insert(0);
            *place = place.checked_add(c.checked_mul(times)?)?;
        }
        (out.0.len() <= MAX_TERMS).then(|| out.tidy())
    }

    /// The product of two sums.
    pub fn times(&self, other: &Sum<T>) -> Option<Sum<T>> {
        let mut out = Sum::number(0);
        for (p, a) in &self.0 {
            for (q, b) in &other.0 {
                let mut product = [&p[..], &q[..]].concat();
                product.sort();
                out = out.plus(&Sum(BTreeMap::from([(product, a.checked_mul(*b)?)])), 1)?;
            }
        }
        Some(out)
    }

    /// The products with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[T], i64)> {
        self.0.iter().map(|(p, c)| (p.as_slice(), *c))
    }

    /// All unknowns.
    pub fn unknowns(&self) -> BTreeSet<T> {
        self.0.keys().flatten().cloned().collect()
    }

    /// The number, where it is one.
    pub fn as_number(&self) -> Option<i64> {
        self.0.keys().all(Vec::is_empty).then(|| self.coefficient(&[]))
    }

    /// What an unknown is multiplied with, and what is left; `None` where it has powers.
    pub fn split(&self, unknown: &T) -> Option<(Sum<T>, Sum<T>)> {
        let (mut factor, mut rest) = (BTreeMap::new(), BTreeMap::new());
        for (product, c) in &self.0 {
            let mut less: Vec<T> = product.iter().filter(|t| *t != unknown).cloned().collect();
            less.sort();
            match product.len() - less.len() {
                0 => drop(rest.insert(less, *c)),
                1 => drop(factor.insert(less, *c)),
                _ => return None,
            }
        }
        Some((Sum(factor), Sum(rest)))
    }

    /// The same with a sum in place of an unknown.
    pub fn with(&self, unknown: &T, sum: &Sum<T>) -> Option<Sum<T>> {
        let mut out = Sum::number(0);
        for (product, c) in &self.0 {
            let less: Vec<T> = product.iter().filter(|t| *t != unknown).cloned().collect();
            let mut term = Sum(BTreeMap::from([(less.clone(), *c)]));
            for _ in less.len()..product.len() {
                term = term.times(sum)?;
            }
            out = out.plus(&term, 1)?;
        }
        Some(out)
    }

    /// The unknowns of products of several.
    pub fn in_products(&self) -> BTreeSet<T> {
        self.0.keys().filter(|p| p.len() > 1).flatten().cloned().collect()
    }

    /// Quotient and rest of a division by an unknown plus a number, so that the rest does not have the unknown.
    pub fn divided(&self, by: &T, number: i64) -> Option<(Sum<T>, Sum<T>)> {
        let (mut quotient, mut rest) = (Sum::number(0), self.clone());
        for _ in 0..4 {
            let mut part = Sum::number(0);
            for (product, c) in &rest.0 {
                if let Some(at) = product.iter().position(|t| t == by) {
                    let mut less = product.clone();
                    less.remove(at);
                    part = part.plus(&Sum(BTreeMap::from([(less, *c)])), 1)?;
                }
            }
            if part.0.is_empty() {
                return Some((quotient, rest));
            }
            let divisor = Sum::unknown(by.clone()).plus(&Sum::number(number), 1)?;
            rest = rest.plus(&part.times(&divisor)?, -1)?;
            quotient = quotient.plus(&part, 1)?;
        }
        None
    }

    fn coefficient(&self, product: &[T]) -> i64 {
        self.0.get(product).copied().unwrap_or(0)
    }

    /// The same for whole numbers, with the smallest coefficients.
    fn tightened(mut self) -> Sum<T> {
        let common = self.0.iter().filter(|(p, _)| !p.is_empty()).fold(0u64, |g, (_, c)| divisor(g, c.unsigned_abs()));
        if let Ok(common @ 2..) = i64::try_from(common) {
            self.0.iter_mut().for_each(|(_, c)| *c = c.div_euclid(common));
        }
        self.tidy()
    }
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Whether no whole numbers make all of these sums zero or more.
pub(crate) fn never<T: Ord + Clone>(system: Vec<Sum<T>>) -> bool {
    let mut sums: BTreeSet<Sum<T>> = system.into_iter().map(Sum::tightened).collect();
    loop {
        if sums.iter().any(|s| s.0.len() <= 1 && s.coefficient(&[]) < 0 && s.0.keys().all(Vec::is_empty)) {
            return true;
        }
        let products: BTreeSet<Vec<T>> = sums.iter().flat_map(|s| s.0.keys()).filter(|p| !p.is_empty()).cloned().collect();
        let signs = |p: &[T]| {
            let of = |positive: bool| sums.iter().filter(|s| if positive { s.coefficient(p) > 0 } else { s.coefficient(p) < 0 }).count();
            of(true) * of(false)
        };
        let Some(next) = products.into_iter().min_by_key(|p| signs(p)) else { return false };
        let (with, mut without): (Vec<Sum<T>>, BTreeSet<Sum<T>>) = {
            let (a, b): (Vec<_>, Vec<_>) = sums.into_iter().partition(|s| s.coefficient(&next) != 0);
            (a, b.into_iter().collect())
        };
        for low in with.iter().filter(|s| s.coefficient(&next) > 0) {
            for high in with.iter().filter(|s| s.coefficient(&next) < 0) {
                let (a, b) = (low.coefficient(&next), high.coefficient(&next));
                let scaled = |s: &Sum<T>, by: i64| Sum::number(0).plus(s, by);
                let Some(sum) = b.checked_neg().and_then(|b| scaled(low, b)?.plus(&scaled(high, a)?, 1)) else { return false };
                without.insert(sum.tightened());
            }
        }
        if without.len() > MAX_SUMS {
            return false;
        }
        sums = without;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type S = Sum<char>;

    fn sum(terms: &[(&str, i64)]) -> S {
        Sum(terms.iter().map(|(p, c)| (p.chars().collect(), *c)).collect())
    }

    #[test]
    fn what_cannot_be() {
        // k' <= k, k + 1 <= i, i = k'
        assert!(never(vec![
            sum(&[("k", 1), ("q", -1)]),
            sum(&[("i", 1), ("k", -1), ("", -1)]),
            sum(&[("i", 1), ("q", -1)]),
            sum(&[("i", -1), ("q", 1)])
        ]));
        // 2 x = 1: only for fractions
        assert!(never(vec![sum(&[("x", 2), ("", -1)]), sum(&[("x", -2), ("", 1)])]));
        assert!(!never(vec![sum(&[("x", 2), ("", -1)]), sum(&[("x", -2), ("", 3)])]));
        assert!(!never(vec![sum(&[("x", 1)]), sum(&[("y", 1), ("x", -1)])]));
        assert!(never(vec![S::number(-1)]));
        assert!(!never(Vec::<S>::new()));
    }

    /// Every system of few sums with small numbers, against all numbers within bounds.
    #[test]
    fn never_is_never_said_of_what_can_be() {
        let mut seed = 7u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % 7) as i64 - 3
        };
        let mut said = 0;
        for _ in 0..2000 {
            let mut system: Vec<[i64; 4]> = (0..4).map(|_| [draw(), draw(), draw(), draw()]).collect();
            for k in 0..3 {
                for sign in [1, -1] {
                    let mut bound = [0, 0, 0, 4];
                    bound[k] = sign;
                    system.push(bound);
                }
            }
            let holds = |x: [i64; 3]| system.iter().all(|s| s[0] * x[0] + s[1] * x[1] + s[2] * x[2] + s[3] >= 0);
            let mut some = false;
            for x in -4..=4 {
                for y in -4..=4 {
                    some |= (-4..=4).any(|z| holds([x, y, z]));
                }
            }
            let sums = system.iter().map(|s| sum(&[("x", s[0]), ("y", s[1]), ("z", s[2]), ("", s[3])]).tidy()).collect();
            let answer = never(sums);
            assert!(!(answer && some), "{system:?}");
            said += usize::from(answer);
        }
        assert!(said > 200, "{said}");
    }

    #[test]
    fn rows_and_columns() {
        // (i + 1)*(m + 1) + j + 2
        let flat = sum(&[("im", 1), ("i", 1), ("m", 1), ("j", 1), ("", 3)]);
        let (row, column) = flat.divided(&'m', 1).unwrap();
        assert_eq!(row, sum(&[("i", 1), ("", 1)]));
        assert_eq!(column, sum(&[("j", 1), ("", 2)]));
        let cube = sum(&[("inn", 1), ("jn", 1), ("k", 1)]);
        let (row, k) = cube.divided(&'n', 0).unwrap();
        assert_eq!((row, k), (sum(&[("in", 1), ("j", 1)]), sum(&[("k", 1)])));
    }
}
