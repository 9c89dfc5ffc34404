//! What two sequences have in common: the longest common subsequence.
//!
//! After E. W. Myers, *An O(ND) difference algorithm and its variations*, Algorithmica 1, 1986. Of several, it takes one that agrees as long as
//! possible from the start on. Never here: what the sequences stand for.

/// Differences beyond which the rest is left without partner.
const MOST: usize = 1000;

/// Pairs of equal items, in order.
pub fn align<K: PartialEq>(a: &[K], b: &[K]) -> Vec<(usize, usize)> {
    // How far one comes with so many differences, by the distance between the positions in both.
    let mut rows: Vec<Vec<Option<usize>>> = Vec::new();
    for d in 0..=MOST.min(a.len() + b.len()) {
        let row: Vec<Option<usize>> = (0..=d)
            .map(|i| {
                let mut x = start(&rows, d, i, a.len(), b.len())?;
                while x < a.len() && y(x, d, i) < b.len() && a[x] == b[y(x, d, i)] {
                    x += 1;
                }
                Some(x)
            })
            .collect();
        let end = row.iter().enumerate().position(|(i, x)| x.is_some_and(|x| x == a.len() && y(x, d, i) == b.len()));
        rows.push(row);
        if let Some(i) = end {
            return pairs(&rows, d, i, a.len(), b.len());
        }
    }
    // The longest way that was found.
    let d = rows.len() - 1;
    let far = |i: &usize| rows[d][*i].map(|x| x + y(x, d, *i));
    (0..=d).max_by_key(far).map_or_else(Vec::new, |i| pairs(&rows, d, i, a.len(), b.len()))
}

/// The position in the second sequence on the diagonal of that number, `d` differences from the start.
fn y(x: usize, d: usize, i: usize) -> usize {
    x + d - 2 * i
}

/// Where a diagonal is come to from its neighbours with one difference less.
fn start(rows: &[Vec<Option<usize>>], d: usize, i: usize, n: usize, m: usize) -> Option<usize> {
    let Some(before) = rows.last().filter(|_| d > 0).map(|_| &rows[d - 1]) else { return Some(0) };
    let down = before.get(i).copied().flatten().filter(|&x| x + d >= 2 * i && y(x, d, i) <= m);
    let right = i.checked_sub(1).and_then(|j| before[j]).map(|x| x + 1).filter(|&x| x <= n);
    down.max(right)
}

fn pairs(rows: &[Vec<Option<usize>>], mut d: usize, mut i: usize, n: usize, m: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    while let Some(x) = rows[d][i] {
        let Some(from) = start(&rows[..d.max(1)], d, i, n, m) else { break };
        out.extend((from..x).rev().map(|k| (k, y(k, d, i))));
        if d == 0 {
            break;
        }
        let right = i.checked_sub(1).and_then(|j| rows[d - 1][j]).is_some_and(|x| x + 1 == from);
        (d, i) = (d - 1, if right { i - 1 } else { i });
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(a: &str, b: &str) -> String {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let list = align(&a, &b);
        assert!(list.iter().all(|&(i, j)| a[i] == b[j]) && list.is_sorted_by(|p, q| p.0 < q.0 && p.1 < q.1));
        list.iter().map(|&(i, _)| a[i]).collect()
    }

    #[test]
    fn common_subsequences_are_the_longest() {
        for (a, b, length) in [("", "", 0), ("abc", "", 0), ("", "abc", 0), ("abcabba", "cbabac", 4), ("abcdabcd", "abcdacd", 7)] {
            assert_eq!(common(a, b).len(), length, "{a} {b}");
        }
        assert_eq!(common("abab", "ab"), "ab");
        assert_eq!(align(b"abab", b"ab"), [(0, 0), (1, 1)]);
    }
}
