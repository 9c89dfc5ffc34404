//! What a multiplication costs: classes of edges, and the objectives under which elimination sequences are compared.
//!
//! The class of the edge (i, k) after a set of vertices is gone depends on that set alone, not on the order: it is `Variable` as soon as one
//! of the paths that were merged into it has a variable factor.

use std::fmt;

/// What is known about the factor on an edge, from the cheapest to the dearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Class {
    /// A mere copy: the factor one that no count of multiplications includes.
    Copy = 0,
    /// +1 or -1.
    Unit = 1,
    /// Known when the code is compiled.
    Constant = 2,
    /// Known when the code runs.
    Variable = 3,
}

/// Which products are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counting {
    /// Every product, except those with a copy.
    Plain,
    /// Only products of which neither factor is +1 or -1 and not both are constants.
    Aware,
}

impl Counting {
    /// The class by which an edge counts. Plain counting knows copies (as `Unit`) and everything else (as `Variable`).
    pub fn class(self, class: Class) -> Class {
        match (self, class) {
            (_, Class::Copy) | (Counting::Aware, Class::Unit) => Class::Unit,
            (Counting::Plain, _) => Class::Variable,
            (Counting::Aware, other) => other,
        }
    }

    /// The class of a sum of two edges, given as [`Counting::class`] gives them.
    pub fn sum(self, a: Class, b: Class) -> Class {
        match self {
            Counting::Plain => Class::Variable,
            Counting::Aware => a.max(b).max(Class::Constant),
        }
    }
}

/// The class of a product of two edges.
pub fn product(a: Class, b: Class) -> Class {
    a.max(b)
}

/// Whether a product is a multiplication: 0 or 1. The classes are those that [`Counting::class`] gives.
pub fn multiplications(a: Class, b: Class) -> u64 {
    u64::from(a.min(b) > Class::Unit && a.max(b) > Class::Constant)
}

/// What is minimized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Products of a complete elimination, all but those with copies.
    Plain,
    /// Multiplications of a complete elimination that is aware of unit and constant factors.
    Aware,
    /// Multiplications of an elimination that may end early, plus this many for each edge of the graph left whose factor is not +1 or -1:
    /// what that many directions cost when they are propagated through it.
    Propagate(u64),
}

impl Objective {
    /// The products that count.
    pub fn counting(self) -> Counting {
        match self {
            Objective::Plain => Counting::Plain,
            Objective::Aware | Objective::Propagate(_) => Counting::Aware,
        }
    }

    /// Reads `plain`, `aware` or `propagate:K`.
    pub fn parse(text: &str) -> Option<Objective> {
        match text {
            "plain" => Some(Objective::Plain),
            "aware" => Some(Objective::Aware),
            _ => {
                let directions: u64 = text.strip_prefix("propagate:")?.parse().ok()?;
                (1..=MOST_DIRECTIONS).contains(&directions).then_some(Objective::Propagate(directions))
            }
        }
    }
}

/// More directions than this are the same as a complete elimination for every graph that fits into memory, and sums of costs stay in range.
pub const MOST_DIRECTIONS: u64 = 1_000_000_000;

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objective::Plain => f.write_str("plain"),
            Objective::Aware => f.write_str("aware"),
            Objective::Propagate(k) => write!(f, "propagate:{k}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_with_units_and_of_constants_are_free() {
        use Class::*;
        assert_eq!(multiplications(Unit, Variable), 0);
        assert_eq!(multiplications(Constant, Constant), 0);
        assert_eq!(multiplications(Constant, Variable), 1);
        assert_eq!(multiplications(Variable, Variable), 1);
    }

    #[test]
    fn objectives_are_read_as_they_are_printed() {
        for text in ["plain", "aware", "propagate:1", "propagate:17"] {
            assert_eq!(Objective::parse(text).map(|o| o.to_string()).as_deref(), Some(text));
        }
        for text in ["", "Plain", "propagate", "propagate:", "propagate:-1", "propagate:1.5", "propagate:0"] {
            assert_eq!(Objective::parse(text), None, "{text}");
        }
    }
}
