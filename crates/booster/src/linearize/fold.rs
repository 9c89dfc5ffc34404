//! Arithmetic on expressions that simplifies as it builds: the identities of 0, 1 and -1, signs pulled outward, quotients
//! kept as quotients, constants folded where the machine would get the same number.
//!
//! Only expressions that the booster makes go through here; the user's own are never rewritten. Never here: derivatives.

use smol_str::{SmolStr, format_smolstr};
use xaif::Program;
use xaif::model::{BaseType, Constant, ElemType, Expr, NodeKind, VarRef};
use xaif::types::promote;

/// The number, if the expression is a numeric constant.
pub fn number(e: &Expr) -> Option<f64> {
    let c = e.as_constant()?;
    if !matches!(c.ty.base, BaseType::Real | BaseType::Integer) {
        return None;
    }
    let value: f64 = c.value.parse().ok()?;
    // A narrow constant is the number that its width holds.
    Some(if c.ty.is_real() && c.ty.bits == 32 { f64::from(value as f32) } else { value })
}

/// A real constant of that width. Narrow ones are written as short as their width allows; wide ones keep all digits of `text`.
pub fn real(value: f64, text: Option<&str>, ty: ElemType) -> Expr {
    let value: SmolStr = match (ty.bits, text) {
        (32, _) => format_smolstr!("{:?}", value as f32),
        (80 | 128, Some(t)) => t.into(),
        _ => format_smolstr!("{value:?}"),
    };
    Expr::constant(Constant {
        ty: ElemType { base: BaseType::Real, bits: ty.bits },
        fe_type: SmolStr::default(),
        value,
        spelling: SmolStr::default(),
    })
}

/// Zero of that type.
pub fn zero(ty: ElemType) -> Expr {
    if ty.base == BaseType::Integer { Expr::int(0) } else { real(0.0, None, ty) }
}

fn is(e: &Expr, value: f64) -> bool {
    number(e) == Some(value)
}

/// Operands of an operation by name, as expressions of their own.
pub(crate) fn operands<const N: usize>(e: &Expr, name: &str) -> Option<[Expr; N]> {
    let root = e.root();
    match &root.kind {
        NodeKind::Op(op) if op.name == name && root.operands.len() == N => {
            let parts: Vec<Expr> = root.operands.iter().map(|&o| e.subexpr(o)).collect();
            parts.try_into().ok()
        }
        _ => None,
    }
}

/// True where folding in the constant's own width gives what the compiled program would compute.
fn fold(a: &Expr, b: &Expr, int: fn(i64, i64) -> Option<i64>, float: fn(f64, f64) -> f64) -> Option<Expr> {
    let (ca, cb) = (a.as_constant()?, b.as_constant()?);
    let ty = promote(ca.ty, cb.ty);
    match ty.base {
        BaseType::Integer => {
            let value = int(a.as_int()?, b.as_int()?)?;
            i32::try_from(value).ok().map(|v| Expr::int(v.into()))
        }
        BaseType::Real => {
            let (x, y) = (number(a)?, number(b)?);
            let v = float(x, y);
            let exact = |z: f64| z.fract() == 0.0 && z.abs() < 1e6;
            if !v.is_finite() {
                return None;
            }
            match ty.bits {
                32 => {
                    let v = float(f64::from(x as f32), f64::from(y as f32));
                    Some(real(v, None, ty))
                }
                0 | 64 => Some(real(v, None, ty)),
                _ if exact(x) && exact(y) && exact(v) => Some(real(v, None, ty)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Simplifying arithmetic for expressions over the symbols of a program.
#[derive(Clone, Copy)]
pub struct Fold<'a> {
    /// The program, for the types of variables.
    pub program: &'a Program,
}

impl Fold<'_> {
    /// The expression with some references replaced, in subscripts as well.
    pub fn rebuilt(self, e: &Expr, change: &dyn Fn(&VarRef) -> Option<Expr>) -> Expr {
        let mut made: Vec<Expr> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let new = match &n.kind {
                NodeKind::Var(r) => change(r),
                _ => None,
            };
            let operand = |k: usize| n.operands.get(k).map(|o| made[o.index()].clone()).unwrap_or_default();
            let new = new.unwrap_or_else(|| match &n.kind {
                NodeKind::Var(r) if !r.subscripts.is_empty() => {
                    let mut r = r.clone();
                    r.index_exprs_mut().for_each(|e| *e = self.rebuilt(e, change));
                    Expr::var(r)
                }
                // Signs that meet where values are put in.
                NodeKind::Op(op) if op.name == "add_scal_scal" => self.add(operand(0), operand(1)),
                NodeKind::Op(op) if op.name == "sub_scal_scal" => self.sub(operand(0), operand(1)),
                NodeKind::Op(op) if op.name == "minus_scal" => self.neg(operand(0)),
                kind => Expr::node(kind.clone(), n.operands.iter().map(|o| made[o.index()].clone())),
            });
            made.push(new);
        }
        made.pop().unwrap_or_default()
    }

    /// Numerator and denominator of a quotient of reals; the quotient of integers truncates and is left alone.
    fn quotient(self, e: &Expr) -> Option<[Expr; 2]> {
        operands::<2>(e, "div_scal_scal").filter(|_| xaif::types::of(self.program, e).elem.is_real())
    }

    /// Whether what is computed in `part` is computed as precisely as what it meets: if not, its rounding is part of its value, and it stays as it is.
    fn as_precise(self, part: &Expr, other: &Expr) -> bool {
        let (p, o) = (xaif::types::of(self.program, part).elem, xaif::types::of(self.program, other).elem);
        !p.is_real() || !o.is_real() || p.bits == o.bits
    }

    /// A product as a number and its other factors.
    fn multiple(self, e: &Expr) -> (f64, Vec<Expr>) {
        let (mut factors, mut rest) = (Vec::new(), e.clone());
        while let Some([left, right]) = operands::<2>(&rest, "mul_scal_scal") {
            factors.push(right);
            rest = left;
        }
        let number = number(&rest);
        factors.extend(number.is_none().then_some(rest));
        factors.reverse();
        (number.unwrap_or(1.0), factors)
    }

    /// a + b, or a - b, where both are small whole multiples of one product.
    fn multiples(self, a: &Expr, b: &Expr, sign: f64) -> Option<Expr> {
        // Sums are put together term by term: nothing is taken apart that cannot be so. A number and its multiplication are two vertices.
        let is_product = |e: &Expr| matches!(&e.root().kind, NodeKind::Op(op) if op.name == "mul_scal_scal");
        if a.nodes.len().abs_diff(b.nodes.len()) > 2 || !(is_product(a) || is_product(b)) {
            return None;
        }
        let ((m, product), (n, other)) = (self.multiple(a), self.multiple(b));
        let small = |x: f64| x.fract() == 0.0 && x.abs() < 1e6;
        let total = m + sign * n;
        if product.is_empty() || product != other || (m, n) == (1.0, 1.0) && product.len() < 2 || !small(m) || !small(n) || total == 0.0 {
            return None;
        }
        let types = [a, b].map(|e| xaif::types::of(self.program, e));
        let pure = |e: &Expr| e.nodes.iter().all(|n| !matches!(n.kind, NodeKind::FunctionCall(_)));
        if types[0] != types[1] || !types[0].elem.is_real() || types[0].rank > 0 || !product.iter().all(pure) {
            return None;
        }
        let (first, minus) = (real(total.abs(), None, types[0].elem), total < 0.0);
        let e = product.into_iter().fold(first, |e, x| self.mul(e, x));
        Some(if minus { self.neg(e) } else { e })
    }

    /// -a
    pub fn neg(self, a: Expr) -> Expr {
        if let Some([inner]) = operands::<1>(&a, "minus_scal") {
            return inner;
        }
        if let Some([x, y]) = operands::<2>(&a, "sub_scal_scal") {
            return self.sub(y, x);
        }
        if let (Some(c), Some(v)) = (a.as_constant(), number(&a)) {
            if v == 0.0 {
                return a;
            }
            if c.ty.base == BaseType::Real {
                let text = match c.value.strip_prefix('-') {
                    Some(t) => t.to_owned(),
                    None => format!("-{}", c.value),
                };
                return real(-v, Some(&text), c.ty);
            }
            if let Some(i) = a.as_int() {
                return Expr::int(-i);
            }
        }
        Expr::op("minus_scal", [a])
    }

    /// a + b
    pub fn add(self, a: Expr, b: Expr) -> Expr {
        if is(&a, 0.0) {
            return b;
        }
        if is(&b, 0.0) {
            return a;
        }
        if let Some(e) = fold(&a, &b, i64::checked_add, |x, y| x + y) {
            return e;
        }
        if let Some([y]) = operands::<1>(&b, "minus_scal") {
            return self.sub(a, y);
        }
        if let Some([x]) = operands::<1>(&a, "minus_scal") {
            return self.sub(b, x);
        }
        if let (Some([ca, x1, y1]), Some([cb, x2, y2])) = (operands::<3>(&a, "select"), operands::<3>(&b, "select"))
            && ca == cb
        {
            return self.select(ca, self.add(x1, x2), self.add(y1, y2));
        }
        if let (Some([x, p]), Some([y, q])) = (self.quotient(&a), self.quotient(&b))
            && p == q
            && self.as_precise(&a, &b)
        {
            return self.div(self.add(x, y), p);
        }
        if let Some(e) = self.multiples(&a, &b, 1.0) {
            return e;
        }
        Expr::op("add_scal_scal", [a, b])
    }

    /// a - b
    pub fn sub(self, a: Expr, b: Expr) -> Expr {
        if is(&b, 0.0) {
            return a;
        }
        if is(&a, 0.0) {
            return self.neg(b);
        }
        if let Some(e) = fold(&a, &b, i64::checked_sub, |x, y| x - y) {
            return e;
        }
        if let Some([y]) = operands::<1>(&b, "minus_scal") {
            return self.add(a, y);
        }
        // -c in `a - (-c)` of constants, and `(i + 1) - 1` of index arithmetic
        if let (Some(y), Some([x, z])) = (b.as_int(), operands::<2>(&a, "add_scal_scal"))
            && let Some(w) = z.as_int()
        {
            return self.add(x, Expr::int(w.saturating_sub(y)));
        }
        if let (Some([x, p]), Some([y, q])) = (self.quotient(&a), self.quotient(&b))
            && p == q
            && self.as_precise(&a, &b)
        {
            return self.div(self.sub(x, y), p);
        }
        if let Some(e) = self.multiples(&a, &b, -1.0) {
            return e;
        }
        Expr::op("sub_scal_scal", [a, b])
    }

    /// a * b
    pub fn mul(self, a: Expr, b: Expr) -> Expr {
        if is(&a, 0.0) || is(&b, 1.0) {
            return a;
        }
        if is(&b, 0.0) || is(&a, 1.0) {
            return b;
        }
        if is(&a, -1.0) {
            return self.neg(b);
        }
        if is(&b, -1.0) {
            return self.neg(a);
        }
        if let Some(e) = fold(&a, &b, i64::checked_mul, |x, y| x * y) {
            return e;
        }
        if let Some([x]) = operands::<1>(&a, "minus_scal") {
            return self.neg(self.mul(x, b));
        }
        if let Some([y]) = operands::<1>(&b, "minus_scal") {
            return self.neg(self.mul(a, y));
        }
        // constants come first, and meet, unless their product is no number
        if number(&b).is_some() && number(&a).is_none() {
            return self.mul(b, a);
        }
        if number(&a).is_some()
            && let Some([c, y]) = operands::<2>(&b, "mul_scal_scal")
        {
            let (a, c) = self.meeting(a.clone(), c, xaif::types::of(self.program, &b).elem, |x, y| x * y);
            if let Some(folded) = fold(&a, &c, i64::checked_mul, |x, y| x * y) {
                return self.mul(folded, y);
            }
        }
        // products and quotients lean to the left: a*x*y, a*x/y
        if !self.as_precise(&b, &a) {
            return Expr::op("mul_scal_scal", [a, b]);
        }
        // k*(n*x) must not become a product of integers, which may overflow, nor one of narrow numbers, which has another rounding; i*(1.0/j) must not become
        // a quotient of integers, which truncates.
        let whole = xaif::types::of(self.program, &b).elem;
        let keeps = |e: &Expr| {
            let part = xaif::types::of(self.program, e).elem;
            part.is_real() && part.bits == whole.bits
        };
        // Constants whose product is no number stay where they are: they would change places for ever.
        let apart = |x: &Expr| number(&a).is_some() && number(x).is_some();
        if let Some([x, y]) = operands::<2>(&b, "mul_scal_scal").filter(|[x, _]| !apart(x)) {
            let left = self.mul(a.clone(), x);
            if !whole.is_real() || keeps(&left) {
                return self.mul(left, y);
            }
        }
        if let Some([x, y]) = self.quotient(&b) {
            let n = self.mul(a.clone(), x);
            if keeps(&n) || (n == a && keeps(&y)) {
                return self.div(n, y);
            }
        }
        Expr::op("mul_scal_scal", [a, b])
    }

    /// Two constants that meet in an expression of that type: as wide as it is, where their own width would round what comes of them.
    pub fn meeting(self, a: Expr, b: Expr, ty: ElemType, float: fn(f64, f64) -> f64) -> (Expr, Expr) {
        let narrow = |e: &Expr| e.as_constant().is_some_and(|c| c.ty.base == BaseType::Integer || c.ty.is_real() && c.ty.bits == 32);
        let real = |e: &Expr| e.as_constant().is_some_and(|c| c.ty.is_real());
        let rounds = |x: f64, y: f64| (real(&a) || real(&b)) && f64::from(float(x, y) as f32) != float(x, y);
        match (number(&a), number(&b)) {
            (Some(x), Some(y)) if ty.is_real() && ty.bits != 32 && narrow(&a) && narrow(&b) && rounds(x, y) => {
                (self.precise(a, ty), self.precise(b, ty))
            }
            _ => (a, b),
        }
    }

    /// The value with the precision of `ty` at least: products and sums of integers would overflow, those of narrow numbers lose digits, where the operations that they come from
    /// do neither because a wide operand is among them.
    pub fn precise(self, e: Expr, ty: ElemType) -> Expr {
        let found = xaif::types::of(self.program, &e).elem;
        let bits = |t: ElemType| if t.bits == 0 { 64 } else { t.bits };
        if found.is_real() && bits(found) >= bits(ty) {
            return e;
        }
        match number(&e) {
            Some(v) => real(v, None, ty),
            None => Expr::op_typed("real_scal", ty, "", [e]),
        }
    }

    /// a / b of reals
    pub fn div(self, a: Expr, b: Expr) -> Expr {
        if is(&a, 0.0) || is(&b, 1.0) {
            return a;
        }
        if is(&b, -1.0) {
            return self.neg(a);
        }
        if let Some([x]) = operands::<1>(&a, "minus_scal") {
            return self.neg(self.div(x, b));
        }
        // A quotient of constants is folded only where it is exact, so that x/3 keeps its rounding.
        if let (Some(x), Some(y)) = (number(&a), number(&b))
            && let (Some(ca), Some(cb)) = (a.as_constant(), b.as_constant())
            && promote(ca.ty, cb.ty).is_real()
            && y.abs().log2().fract() == 0.0
            && (x / y).abs() < 1e6
            && (x * 1024.0).fract() == 0.0
            && (x / y * 1024.0).fract() == 0.0
        {
            return real(x / y, None, promote(ca.ty, cb.ty));
        }
        Expr::op("div_scal_scal", [a, b])
    }

    /// Product of a factor with a derivative: a quotient takes the derivative into its numerator, a choice into its branches.
    pub fn times(self, factor: Expr, derivative: Expr) -> Expr {
        if let Some([c, x, y]) = operands::<3>(&factor, "select")
            && (number(&x).is_some() || number(&y).is_some())
        {
            return self.select(c, self.times(x, derivative.clone()), self.times(y, derivative));
        }
        if let Some([n, d]) = self.quotient(&factor).filter(|_| self.as_precise(&factor, &derivative)) {
            return self.div(self.times(n, derivative), d);
        }
        if let Some([x]) = operands::<1>(&factor, "minus_scal") {
            return self.neg(self.times(x, derivative));
        }
        self.mul(factor, derivative)
    }

    /// a ** b
    pub fn pow(self, a: Expr, b: Expr) -> Expr {
        match number(&b) {
            Some(0.0) => Expr::int(1),
            Some(1.0) => a,
            Some(2.0) if a.nodes.len() == 1 => self.mul(a.clone(), a),
            _ => Expr::op("pow_scal_scal", [a, b]),
        }
    }

    /// c ? a : b
    pub fn select(self, c: Expr, a: Expr, b: Expr) -> Expr {
        if let Some(t) = c.as_constant().filter(|k| k.ty.base == BaseType::Bool) {
            return if t.value == "true" { a } else { b };
        }
        if a == b {
            return a;
        }
        Expr::op("select", [c, a, b])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::SymbolId;

    fn f(p: &Program) -> Fold<'_> {
        Fold { program: p }
    }
    fn x() -> Expr {
        Expr::sym(SymbolId(0))
    }
    fn r(v: f64) -> Expr {
        Expr::real(v, 64)
    }

    #[test]
    fn integers_do_not_divide_integers() {
        let mut p = crate::linearize::tests::program();
        let scope = p.symbols[0].scope;
        let [i, j] = ["i", "j"].map(|n| Expr::sym(p.add_symbol(xaif::model::Symbol::variable(n, ElemType::INTEGER, scope))));
        let w = f(&p);
        let product = w.mul(i.clone(), w.div(r(1.0), j.clone()));
        assert!(xaif::types::of(&p, &product).elem.is_real(), "{product:?}");
        // Nor do they multiply each other, or narrow numbers, where a wide one stood between.
        let narrow = Expr::op_typed("real_scal", ElemType { base: BaseType::Real, bits: 32 }, "", [j.clone()]);
        for part in [j, narrow] {
            for b in [w.div(part.clone(), x()), Expr::op("mul_scal_scal", [part.clone(), x()])] {
                assert_eq!(w.mul(i.clone(), b.clone()), Expr::op("mul_scal_scal", [i.clone(), b]));
            }
        }
        assert_eq!(w.mul(i.clone(), w.div(r(1.0), x())), w.div(i.clone(), x()));
        assert_eq!(w.precise(i.clone(), ElemType::REAL64), Expr::op_typed("real_scal", ElemType::REAL64, "", [i]));
        assert_eq!(w.precise(Expr::real(0.1, 32), ElemType::REAL64), r(f64::from(0.1f32)));
        assert_eq!(w.precise(Expr::int(3), ElemType::REAL64), r(3.0));
        assert_eq!(w.precise(x(), ElemType::REAL64), x());
    }

    #[test]
    fn identities() {
        let p = crate::linearize::tests::program();
        let w = f(&p);
        assert_eq!(w.mul(r(1.0), x()), x());
        assert_eq!(w.mul(r(-1.0), x()), w.neg(x()));
        assert_eq!(w.mul(x(), r(0.0)), r(0.0));
        assert_eq!(w.add(x(), w.neg(x())), w.sub(x(), x()));
        assert_eq!(w.sub(Expr::int(3), Expr::int(1)), Expr::int(2));
        assert_eq!(w.times(w.div(r(1.0), r(3.0)), x()), w.div(x(), r(3.0)));
        assert_eq!(w.neg(w.neg(x())), x());
    }

    #[test]
    fn numbers_that_do_not_fold_stay_a_product() {
        let p = crate::linearize::tests::program();
        let w = f(&p);
        let q = |text| real(2.5, Some(text), ElemType { base: BaseType::Real, bits: 128 });
        for (a, b) in [(r(1e200), r(1e200)), (r(f64::INFINITY), r(0.5)), (q("2.5"), q("2.50"))] {
            assert_eq!(w.mul(a.clone(), b.clone()), Expr::op("mul_scal_scal", [a.clone(), b.clone()]));
            // Nor do three of them change places for ever.
            let product = Expr::op("mul_scal_scal", [a.clone(), b.clone()]);
            assert_eq!(w.mul(b.clone(), product.clone()), Expr::op("mul_scal_scal", [b.clone(), product.clone()]));
            assert_eq!(w.mul(product.clone(), b.clone()), Expr::op("mul_scal_scal", [b, product]));
        }
    }

    #[test]
    fn folding_keeps_the_width() {
        let p = crate::linearize::tests::program();
        let w = f(&p);
        let f = |v: f64| real(v, None, ElemType { base: BaseType::Real, bits: 32 });
        assert_eq!(w.sub(f(1.2), f(1.0)), real(f64::from(1.2f32) - 1.0, None, ElemType { base: BaseType::Real, bits: 32 }));
        let q = ElemType { base: BaseType::Real, bits: 128 };
        assert!(w.sub(real(1.2, Some("1.2"), q), real(1.0, Some("1.0"), q)).as_constant().is_none());
        assert_eq!(w.div(r(1.0), r(4.0)), r(0.25));
        assert!(w.div(r(1.0), r(3.0)).as_constant().is_none());
    }

    #[test]
    fn narrow_constants_meet_in_the_width_of_what_they_multiply() {
        let p = crate::linearize::tests::program();
        let w = f(&p);
        let narrow = |v: f64| real(v, None, ElemType { base: BaseType::Real, bits: 32 });
        let (a, b) = (f64::from(0.1f32), f64::from(0.3f32));
        assert_eq!(w.mul(narrow(0.1), w.mul(narrow(0.3), x())), w.mul(r(a * b), x()));
        // Where nothing is rounded they stay as they are.
        assert_eq!(w.mul(narrow(0.5), w.mul(narrow(1.5), x())), w.mul(narrow(0.75), x()));
        let (c, d) = w.meeting(narrow(0.1), narrow(0.3), ElemType::REAL64, |x, y| x + y);
        assert_eq!(w.add(c, d), r(a + b));
    }

    #[test]
    fn multiples_of_one_product_are_one_term() {
        let p = crate::linearize::tests::program();
        let w = f(&p);
        let product = || Expr::op("mul_scal_scal", [x(), x()]);
        let times = |n: f64| w.mul(w.mul(r(n), x()), x());
        assert_eq!(w.add(times(2.0), product()), times(3.0));
        assert_eq!(w.sub(product(), times(3.0)), w.neg(times(2.0)));
        // Nothing would be left but what is not a number of it; a factor that is no whole number; another product.
        let apart = |a: Expr, b: Expr| assert_eq!(w.sub(a.clone(), b.clone()), Expr::op("sub_scal_scal", [a, b]));
        apart(product(), product());
        apart(times(0.5), product());
        apart(times(2.0), x());
    }

    #[test]
    fn quotients_of_integers_stay_as_they_are() {
        let p = crate::linearize::tests::program();
        let w = f(&p);
        let n = || Expr::op("div_scal_scal", [Expr::sym(SymbolId(3)), Expr::int(2)]);
        assert_eq!(w.times(n(), x()), Expr::op("mul_scal_scal", [n(), x()]));
        assert_eq!(w.add(n(), n()), Expr::op("add_scal_scal", [n(), n()]));
    }
}
