//! Whether code computes the Jacobian: it is run with random factors in a finite field, where nothing is rounded, and compared with the path products.
//!
//! Both Jacobians are multiplied with a random vector; different ones agree with a probability of about the number of operations over 2^61 only
//! (Schwartz and Zippel).

use super::code::{Base, Code, Value};
use super::cost::Class;
use super::graph::{Graph, Role};
use super::random::Random;

/// The prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn add(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

fn negate(a: u64) -> u64 {
    if a == 0 { 0 } else { PRIME - a }
}

/// Runs code with these factors on the given edges.
pub fn run<T: Copy>(
    code: &Code,
    given: &[T],
    one: T,
    add: impl Fn(T, T) -> T,
    multiply: impl Fn(T, T) -> T,
    negate: impl Fn(T) -> T,
) -> Vec<T> {
    let mut results: Vec<T> = Vec::with_capacity(code.operations.len());
    let value = |v: Value, results: &[T]| {
        let base = match v.base {
            Base::One => one,
            Base::Given(k) => given[k as usize],
            Base::Result(k) => results[k as usize],
        };
        if v.negative { negate(base) } else { base }
    };
    for operation in &code.operations {
        let mut sum: Option<T> = None;
        for t in &operation.terms {
            let left = value(t.left, &results);
            let term = t.right.map_or(left, |right| multiply(left, value(right, &results)));
            sum = Some(sum.map_or(term, |s| add(s, term)));
        }
        results.push(sum.unwrap_or(one));
    }
    code.remaining.iter().map(|r| value(r.value, &results)).collect()
}

/// True if the code, whose remaining edges may be any graph between inputs and outputs, has the Jacobian of the graph.
pub fn holds(graph: &Graph, code: &Code, seed: u64) -> bool {
    let mut random = Random::new(seed);
    let given: Vec<u64> = graph
        .given
        .iter()
        .map(|e| match e.value {
            Some(v) if v.abs() == 1.0 && e.class < Class::Variable => {
                if v < 0.0 {
                    PRIME - 1
                } else {
                    1
                }
            }
            _ if e.class == Class::Copy => 1,
            _ if e.class == Class::Unit => {
                if random.below(2) == 0 {
                    1
                } else {
                    PRIME - 1
                }
            }
            _ => random.bits() % PRIME,
        })
        .collect();
    let left = run(code, &given, 1, add, multiply, negate);
    let n = graph.vertices.len();
    let seeds: Vec<u64> = (0..n).map(|_| random.bits() % PRIME).collect();
    let start = |v: usize| if graph.vertices[v].role == Role::Input { seeds[v] } else { 0 };

    let mut expected: Vec<u64> = (0..n).map(start).collect();
    for e in &graph.edges {
        let factor = if e.parts.is_empty() { 1 } else { e.parts.iter().fold(0, |s, &k| add(s, given[k as usize])) };
        expected[e.target as usize] = add(expected[e.target as usize], multiply(factor, expected[e.source as usize]));
    }
    // The remaining edges come by target. Vertices made by splits have numbers that are in no topological order, but none of them is left.
    let mut found: Vec<u64> = (0..n).map(start).collect();
    for (r, &factor) in code.remaining.iter().zip(&left) {
        if r.source >= r.target || r.target as usize >= n {
            return false;
        }
        found[r.target as usize] = add(found[r.target as usize], multiply(factor, found[r.source as usize]));
    }
    (0..n).filter(|&v| graph.vertices[v].role == Role::Output).all(|v| expected[v] == found[v])
}
