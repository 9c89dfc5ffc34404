//! Where the variables of a COMMON block lie, as each unit lays it out.
//!
//! ```text
//! common /c/ n, x, q(4)          n and x are the same variables in both; q lies upon a, b and r
//! common /c/ m, y, a, b, r(2)
//! ```
//!
//! Bytes from the start of the block tell, each variable at the next multiple of its element's size. Behind a variable whose size is not known the
//! order in the list is what is known.
//!
//! Lives here: places in one block. Never here: what follows for derivatives.

use super::objects::extent;
use xaif::Program;
use xaif::model::{BaseType, SymbolId};

/// What is known of the place of a variable.
#[derive(Clone, Debug)]
pub struct Place {
    /// The first variable that is certainly the same one, in the order of the lists.
    pub first: SymbolId,
    /// Whether another list has something else there.
    pub odd: bool,
    /// Variables of other lists that lie there and are not the same; the first one of each.
    pub beside: Vec<SymbolId>,
}

/// Bytes from where to where; behind a variable without a size only where that one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Bytes(i64, i64),
    From(i64),
}

/// The places of all variables of a block; a list for each unit that declares it.
pub fn lay(program: &Program, lists: &[Vec<SymbolId>]) -> Vec<Vec<Place>> {
    // Most programs repeat one declaration, thousands of times perhaps: only different layouts are compared.
    let alike = |a: &[SymbolId], b: &[SymbolId]| a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| same(program, x, y));
    let mut kinds: Vec<usize> = Vec::new();
    let of_kind: Vec<usize> = (0..lists.len())
        .map(|i| match kinds.iter().position(|&k| alike(&lists[k], &lists[i])) {
            Some(n) => n,
            None => {
                kinds.push(i);
                kinds.len() - 1
            }
        })
        .collect();
    let wheres: Vec<Vec<Where>> = kinds.iter().map(|&k| places(program, &lists[k])).collect();
    let mut laid: Vec<Vec<Place>> = Vec::new();
    for (n, &k) in kinds.iter().enumerate() {
        let mine = lists[k].iter().map(|&first| Place { first, odd: false, beside: Vec::new() });
        let mut mine: Vec<Place> = mine.collect();
        for (m, &other) in kinds.iter().enumerate().filter(|&(m, _)| m != n) {
            // As far as that the lists are one.
            let agree = lists[k].iter().zip(&lists[other]).take_while(|&(&s, &t)| same(program, s, t)).count();
            for (at, place) in mine.iter_mut().enumerate() {
                for (there, &t) in lists[other].iter().enumerate() {
                    let one = same(program, lists[k][at], t)
                        && (at == there && at < agree || matches!(wheres[n][at], Where::Bytes(..)) && wheres[n][at] == wheres[m][there]);
                    if one {
                        if m < n && place.first == lists[k][at] {
                            place.first = laid[m][there].first;
                        }
                    } else if at >= agree && there >= agree && meet(wheres[n][at], wheres[m][there]) {
                        place.odd = true;
                        place.beside.push(t);
                    }
                }
            }
        }
        laid.push(mine);
    }
    // What the first one of several calls the same variable they all do.
    let names: Vec<(SymbolId, SymbolId)> =
        kinds.iter().zip(&laid).flat_map(|(&k, places)| lists[k].iter().zip(places).map(|(&s, p)| (s, p.first))).collect();
    for p in laid.iter_mut().flatten() {
        for b in &mut p.beside {
            *b = names.iter().find(|(s, _)| s == b).map_or(*b, |&(_, first)| first);
        }
        p.beside.sort_unstable();
        p.beside.dedup();
    }
    of_kind.into_iter().map(|n| laid[n].clone()).collect()
}

/// Whether two variables have the same type and shape, as far as bounds are numbers.
fn same(program: &Program, a: SymbolId, b: SymbolId) -> bool {
    let (x, y) = (program.symbol(a), program.symbol(b));
    let bounds = || match (&x.decl, &y.decl) {
        (Some(p), Some(q)) => {
            p.dims.iter().zip(&q.dims).all(|(d, e)| extent(program, d).zip(extent(program, e)).is_none_or(|(d, e)| d == e))
        }
        _ => true,
    };
    x.ty == y.ty && x.rank == y.rank && bounds()
}

fn places(program: &Program, list: &[SymbolId]) -> Vec<Where> {
    let (mut next, mut known) = (0, true);
    list.iter()
        .map(|&s| {
            if known && let Some((start, end)) = bytes(program, s, next) {
                next = end;
                return Where::Bytes(start, end);
            }
            known = false;
            Where::From(next)
        })
        .collect()
}

/// Where a variable starts and ends that comes next; elements lie at multiples of their size.
fn bytes(program: &Program, s: SymbolId, next: i64) -> Option<(i64, i64)> {
    let y = program.symbol(s);
    let size = match y.ty.base {
        BaseType::Real | BaseType::Integer if y.ty.bits >= 8 && y.ty.bits.is_power_of_two() => i64::from(y.ty.bits / 8),
        _ => return None,
    };
    let dims = y.decl.as_ref().map_or(&[][..], |d| &d.dims[..]);
    if dims.len() != y.rank as usize {
        return None;
    }
    let count = dims.iter().try_fold(1_i64, |n, d| n.checked_mul(extent(program, d)?))?;
    let start = next.checked_add(size - 1)? / size * size;
    Some((start, start.checked_add(size.checked_mul(count)?)?))
}

/// Whether two places may have something in common.
fn meet(a: Where, b: Where) -> bool {
    match (a, b) {
        (Where::Bytes(from, to), Where::Bytes(other, end)) => from < end && other < to,
        (Where::Bytes(_, to), Where::From(from)) | (Where::From(from), Where::Bytes(_, to)) => to > from,
        (Where::From(_), Where::From(_)) => true,
    }
}
