//! Intrinsics whose result has another shape than their operands.
//!
//! Lives here: sums, products of matrices, largest and smallest elements, shapes. Never here: elementwise operations.

use super::arrays::advance;
use super::fault::{Fault, fault};
use super::intrinsics::{binary, defined};
use super::scalar::{Fn2, Scalar};
use super::value::{Operand, Shape, Value};
use smallvec::SmallVec;
use std::cmp::Ordering;
use xaif::model::{IndexOrder, Operation};

/// Applies it; `None` where the name is not one of these.
pub(super) fn apply<S: Scalar>(name: &str, operands: &[&Operand<S>], order: IndexOrder) -> Result<Option<Operand<S>>, Fault> {
    let value = match (name, operands) {
        ("sum_arr", [a]) => sum(a.elements().iter().map(|v| defined(v).cloned()))?,
        ("dot_product_arr", [a, b]) => {
            if a.elements().len() != b.elements().len() {
                return Err(fault("OB6015", "a dot product of arrays of different lengths"));
            }
            sum(a.elements().iter().zip(b.elements()).map(|(x, y)| binary(Fn2::Mul, x, y, &plain())))?
        }
        ("maxval_arr" | "nc_maxval", [a]) => extreme(a, Ordering::Greater)?.1,
        ("minval_arr" | "nc_minval", [a]) => extreme(a, Ordering::Less)?.1,
        ("maxloc_arr" | "minloc_arr", [a]) => {
            let Operand::Many(shape, _) = a else { return Err(fault("OB6015", format!("`{name}` takes an array"))) };
            let (mut position, _) = extreme(a, if name == "maxloc_arr" { Ordering::Greater } else { Ordering::Less })?;
            let mut index = vec![Value::int(0); shape.len()];
            for k in 0..shape.len() {
                let d = if order == IndexOrder::Column { k } else { shape.len() - 1 - k };
                index[d] = Value::int((position % shape[d]) as i64 + 1);
                position /= shape[d];
            }
            return Ok(Some(Operand::Many(SmallVec::from_slice(&[index.len()]), index)));
        }
        ("transpose_arr", [a]) => return transpose(a, order).map(Some),
        ("reshape_arr", [a, b]) => return reshape(a, b).map(Some),
        ("matmul_arr", [a, b]) => return matmul(a, b, order).map(Some),
        ("shape_arr", [Operand::Many(shape, _)]) => {
            let list: Vec<_> = shape.iter().map(|&n| Value::int(n as i64)).collect();
            return Ok(Some(Operand::Many(SmallVec::from_slice(&[list.len()]), list)));
        }
        ("size", [a]) => Value::int(a.elements().len() as i64),
        _ => return Ok(None),
    };
    Ok(Some(Operand::One(value)))
}

fn plain() -> Operation {
    Operation { name: "mul_scal_scal".into(), ty: None, spelling: smol_str::SmolStr::default() }
}

/// The sum in memory order, rounded after each addition.
fn sum<S: Scalar>(mut terms: impl Iterator<Item = Result<Value<S>, Fault>>) -> Result<Value<S>, Fault> {
    let Some(first) = terms.next() else { return Ok(Value::real(0.0)) };
    terms.try_fold(first?, |s, t| binary(Fn2::Add, &s, &t?, &plain()))
}

/// The first largest or smallest element and its position.
fn extreme<S: Scalar>(a: &Operand<S>, better: Ordering) -> Result<(usize, Value<S>), Fault> {
    let mut best: Option<(usize, &Value<S>)> = None;
    for (k, v) in a.elements().iter().enumerate() {
        let v = defined(v)?;
        let replace = match best {
            None => true,
            Some((_, b)) => v.as_scalar()?.value().partial_cmp(&b.as_scalar()?.value()) == Some(better),
        };
        if replace {
            best = Some((k, v));
        }
    }
    best.map(|(k, v)| (k, v.clone())).ok_or_else(|| fault("OB6015", "the largest element of an empty array"))
}

/// Position of an element in memory order.
fn position(shape: &[usize], index: &[usize], order: IndexOrder) -> usize {
    let fold = |p: usize, d: usize| p * shape[d] + index[d];
    match order {
        IndexOrder::Column => (0..shape.len()).rev().fold(0, fold),
        IndexOrder::Row => (0..shape.len()).fold(0, fold),
    }
}

fn transpose<S: Scalar>(a: &Operand<S>, order: IndexOrder) -> Result<Operand<S>, Fault> {
    let Operand::Many(shape, list) = a else { return Err(fault("OB6015", "`transpose` takes a matrix")) };
    let &[n, m] = &shape[..] else { return Err(fault("OB6015", "`transpose` takes a matrix")) };
    let mut out = Vec::with_capacity(list.len());
    let mut index = [0, 0];
    if n * m > 0 {
        loop {
            out.push(list[position(shape, &[index[1], index[0]], order)].clone());
            if !advance(&mut index, |d| [m, n][d], order) {
                break;
            }
        }
    }
    Ok(Operand::Many(SmallVec::from_slice(&[m, n]), out))
}

/// The elements in memory order, in another shape; what is too many is left out.
fn reshape<S: Scalar>(a: &Operand<S>, extents: &Operand<S>) -> Result<Operand<S>, Fault> {
    let extent = |v: &Value<S>| Ok(usize::try_from(defined(v)?.as_int()?).unwrap_or(0));
    let shape: Shape = extents.elements().iter().map(extent).collect::<Result<_, Fault>>()?;
    let count: usize = shape.iter().product();
    let Some(list) = a.elements().get(..count) else {
        return Err(fault("OB6015", format!("`reshape` of {} elements to the shape {:?}", a.elements().len(), &shape[..])));
    };
    Ok(Operand::Many(shape, list.to_vec()))
}

fn matmul<S: Scalar>(a: &Operand<S>, b: &Operand<S>, order: IndexOrder) -> Result<Operand<S>, Fault> {
    let (Operand::Many(sa, la), Operand::Many(sb, lb)) = (a, b) else { return Err(fault("OB6015", "`matmul` takes arrays")) };
    let bad = || fault("OB6015", format!("`matmul` of arrays of shapes {:?} and {:?}", &sa[..], &sb[..]));
    let (rows, inner) = match sa[..] {
        [k] => (None, k),
        [n, k] => (Some(n), k),
        _ => return Err(bad()),
    };
    let columns = match sb[..] {
        [k] if k == inner && rows.is_some() => None,
        [k, m] if k == inner => Some(m),
        _ => return Err(bad()),
    };
    let shape: Shape = rows.iter().chain(&columns).copied().collect();
    let count: usize = shape.iter().product();
    let mut out = Vec::with_capacity(count);
    let mut index: SmallVec<[usize; 2]> = SmallVec::from_elem(0, shape.len());
    if count > 0 {
        loop {
            let i = index.first().copied().unwrap_or(0);
            let j = index.last().copied().unwrap_or(0);
            out.push(sum((0..inner).map(|k| {
                let x = if rows.is_some() { position(sa, &[i, k], order) } else { k };
                let y = if columns.is_some() { position(sb, &[k, j], order) } else { k };
                binary(Fn2::Mul, &la[x], &lb[y], &plain())
            }))?);
            if !advance(&mut index, |d| shape[d], order) {
                break;
            }
        }
    }
    Ok(Operand::Many(shape, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[usize], list: &[f64]) -> Operand<f64> {
        Operand::Many(SmallVec::from_slice(shape), list.iter().map(|&x| Value::real(x)).collect())
    }

    #[test]
    fn matrices_in_both_orders() {
        // [[1,2,3],[4,5,6]] times (1,10,100), and its transpose times (1,10).
        for (order, list) in [(IndexOrder::Row, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), (IndexOrder::Column, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0])] {
            let a = array(&[2, 3], &list);
            assert_eq!(matmul(&a, &array(&[3], &[1.0, 10.0, 100.0]), order).unwrap(), array(&[2], &[321.0, 654.0]));
            assert_eq!(matmul(&array(&[2], &[1.0, 10.0]), &a, order).unwrap(), array(&[3], &[41.0, 52.0, 63.0]));
            let t = transpose(&a, order).unwrap();
            let ata = matmul(&t, &a, order).unwrap();
            assert_eq!(ata, array(&[3, 3], &[17.0, 22.0, 27.0, 22.0, 29.0, 36.0, 27.0, 36.0, 45.0]));
            assert!(matmul(&a, &a, order).is_err());
        }
    }
}
