//! The catalogue for stock output: partial derivatives in terms of operations that the stock tools know (no `select`).

use smallvec::smallvec;
use smol_str::SmolStr;
use xaif::catalogue::{Catalogue, Intrinsic, Partial, PartialKind, PartialNode};
use xaif::model::{BaseType, Constant, ElemType};

fn one() -> PartialNode {
    PartialNode::Const(Constant {
        ty: ElemType { base: BaseType::Real, bits: 0 },
        fe_type: SmolStr::default(),
        value: "1.0".into(),
        spelling: SmolStr::default(),
    })
}

/// A catalogue with the partials of `abs`, `pow` and `mod` as the stock catalogue has them.
pub fn catalogue(given: &Catalogue) -> Catalogue {
    use PartialNode::{Argument, Op, Result};
    let nonlinear = |nodes| Partial { kind: PartialKind::Nonlinear, nodes, inquiry: false };
    let linear = || Partial { kind: PartialKind::One, nodes: vec![one()], inquiry: false };
    let changes = [
        ("abs_scal", vec![nonlinear(vec![one(), Argument(1), Op("sign_scal_scal".into(), smallvec![0, 1])])]),
        (
            "pow_scal_scal",
            vec![
                // b * a ** (b - 1)
                nonlinear(vec![
                    Argument(2),
                    Argument(1),
                    one(),
                    Op("sub_scal_scal".into(), smallvec![0, 2]),
                    Op("pow_scal_scal".into(), smallvec![1, 3]),
                    Op("mul_scal_scal".into(), smallvec![0, 4]),
                ]),
                // ln(a) * r
                nonlinear(vec![Argument(1), Op("ln_scal".into(), smallvec![0]), Result, Op("mul_scal_scal".into(), smallvec![1, 2])]),
            ],
        ),
        (
            "mod_scal_scal",
            vec![
                linear(),
                // -int(a / b)
                nonlinear(vec![
                    Argument(1),
                    Argument(2),
                    Op("div_scal_scal".into(), smallvec![0, 1]),
                    Op("int_scal".into(), smallvec![2]),
                    Op("minus_scal".into(), smallvec![3]),
                ]),
            ],
        ),
    ];
    changes.into_iter().fold(given.clone(), |catalogue, (name, partials)| match given.get(name) {
        Some(entry) => catalogue.with(Intrinsic { partials, ..entry.clone() }),
        None => catalogue,
    })
}
