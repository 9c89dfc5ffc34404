//! How tightly operators bind, and where parentheses must or should stand.
//!
//! Lives here: the one rule for parentheses, with what gcc warns of under `-Wparentheses`. Never here: text of operators.

/// Binding strength, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Prec {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Add,
    Mul,
    Unary,
    Postfix,
}

/// Where an operand stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between brackets or commas: never in parentheses.
    Bare,
    /// Left of a binary operator.
    Left(Prec),
    /// Right of a binary operator that is not associative in floating-point arithmetic.
    Right(Prec),
    /// Behind a unary operator or a cast.
    Operand,
    /// The condition of `?:`, or what stands before its colon.
    Condition,
    /// What stands behind the colon of `?:`.
    Otherwise,
}

/// Whether an operand needs parentheses; `signed`: its text begins with a sign.
pub(crate) fn parenthesized(place: Place, operand: Prec, signed: bool) -> bool {
    match place {
        Place::Bare => false,
        Place::Operand => operand < Prec::Unary || signed,
        Place::Condition => operand <= Prec::Conditional,
        Place::Otherwise => false,
        Place::Left(op) => operand < op || confusing(op, operand),
        Place::Right(op @ (Prec::And | Prec::Or)) => operand < op || confusing(op, operand),
        Place::Right(op) => operand <= op || confusing(op, operand) || (signed && op == Prec::Add),
    }
}

/// Legal without parentheses, but gcc suggests them.
fn confusing(op: Prec, operand: Prec) -> bool {
    match op {
        Prec::Or => operand == Prec::And,
        Prec::BitOr | Prec::BitXor | Prec::BitAnd => operand != op && operand < Prec::Unary,
        Prec::Equality | Prec::Relation => operand <= Prec::Relation,
        Prec::Shift => operand <= Prec::Add,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_are_minimal_and_warnings_avoided() {
        assert!(!parenthesized(Place::Left(Prec::Add), Prec::Add, false)); // a - b - c
        assert!(parenthesized(Place::Right(Prec::Add), Prec::Add, false)); // a - (b - c)
        assert!(!parenthesized(Place::Right(Prec::Add), Prec::Mul, false)); // a + b * c
        assert!(parenthesized(Place::Left(Prec::Or), Prec::And, false)); // (a && b) || c
        assert!(!parenthesized(Place::Right(Prec::And), Prec::And, false)); // a && b && c
        assert!(parenthesized(Place::Left(Prec::Shift), Prec::Add, false)); // (a + b) << c
        assert!(parenthesized(Place::Left(Prec::Relation), Prec::Relation, false)); // (a < b) < c
        assert!(parenthesized(Place::Operand, Prec::Unary, true)); // -(-a)
        assert!(!parenthesized(Place::Operand, Prec::Unary, false)); // -*x
        assert!(!parenthesized(Place::Otherwise, Prec::Conditional, false)); // a ? b : c ? d : e
    }
}
