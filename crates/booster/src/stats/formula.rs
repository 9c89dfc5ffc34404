//! Sums of products: bytes in terms of the iterations of loops and the lengths of arrays.
//!
//! ```text
//! 8*n*m + 4*n
//! ```
//!
//! A factor is the number of iterations of a loop or the extent of an array, and zero where that would be negative. Lives here: arithmetic, text and values of
//! formulas. Never here: programs.

use std::collections::BTreeMap;

/// What a formula is made of besides numbers: known by its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// A value: text of an expression over integers.
    Value(String),
    /// How often a loop runs that is not counted: a name of its own.
    Unknown(String),
    /// The sum over the values of an index: the index, its first and last value and its step, and what is summed.
    Sum {
        /// The index.
        index: String,
        /// Its first value.
        first: String,
        /// What it does not pass.
        last: String,
        /// The step.
        step: String,
        /// The summand.
        of: Box<Formula>,
    },
    /// The greatest of several.
    Most(Vec<Formula>),
}

/// A polynomial with integer coefficients: products of factors, each with its coefficient.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Formula(BTreeMap<Vec<Factor>, i128>);

impl Formula {
    /// A number.
    pub fn number(n: i128) -> Formula {
        let mut out = Formula::default();
        out.term(Vec::new(), n);
        out
    }

    /// A factor alone.
    pub fn factor(f: Factor) -> Formula {
        Formula(BTreeMap::from([(vec![f], 1)]))
    }

    fn term(&mut self, factors: Vec<Factor>, n: i128) {
        let sum = self.0.get(&factors).copied().unwrap_or(0).saturating_add(n);
        if sum == 0 {
            self.0.remove(&factors);
        } else {
            self.0.insert(factors, sum);
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The sum.
    pub fn plus(&self, other: &Formula) -> Formula {
        let mut out = self.clone();
        other.0.iter().for_each(|(f, &n)| out.term(f.clone(), n));
        out
    }

    /// The difference.
    pub fn minus(&self, other: &Formula) -> Formula {
        let mut out = self.clone();
        other.0.iter().for_each(|(f, &n)| out.term(f.clone(), n.saturating_neg()));
        out
    }

    /// The product.
    pub fn times(&self, other: &Formula) -> Formula {
        let mut out = Formula::default();
        for (a, &m) in &self.0 {
            for (b, &n) in &other.0 {
                let mut factors: Vec<Factor> = a.iter().chain(b).cloned().collect();
                factors.sort();
                out.term(factors, m.saturating_mul(n));
            }
        }
        out
    }

    /// What is added, and what is taken away.
    pub fn parts(&self) -> (Formula, Formula) {
        let side =
            |sign: i128| Formula(self.0.iter().filter(|(_, n)| n.signum() == sign).map(|(f, n)| (f.clone(), n.saturating_abs())).collect());
        (side(1), side(-1))
    }

    /// Whether it is nowhere below zero, as far as signs tell.
    pub fn not_negative(&self) -> bool {
        self.0.values().all(|&n| n > 0)
    }

    /// Whether it is nowhere above zero, as far as signs tell.
    pub fn not_positive(&self) -> bool {
        self.0.values().all(|&n| n < 0)
    }

    /// The greatest of several, without those that another one covers.
    pub fn most(list: Vec<Formula>) -> Formula {
        let mut kept: Vec<Formula> = Vec::new();
        for f in list {
            if kept.iter().any(|k| k.minus(&f).not_negative()) {
                continue;
            }
            kept.retain(|k| !f.minus(k).not_negative());
            kept.push(f);
        }
        match kept.len() {
            0 => Formula::default(),
            1 => kept.remove(0),
            _ => {
                kept.sort();
                Formula::factor(Factor::Most(kept))
            }
        }
    }

    /// Calls `visit` for every factor, those inside sums and choices too.
    pub fn for_each<'a>(&'a self, visit: &mut dyn FnMut(&'a Factor)) {
        for f in self.0.keys().flatten() {
            visit(f);
            match f {
                Factor::Sum { of, .. } => of.for_each(visit),
                Factor::Most(list) => list.iter().for_each(|l| l.for_each(visit)),
                Factor::Value(_) | Factor::Unknown(_) => {}
            }
        }
    }
}

/// A text as an operand of a product.
fn operand(text: &str) -> String {
    if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '%' | '(' | ')' | ',')) && balanced(text) {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

/// A name, or a name with one list of operands.
fn balanced(text: &str) -> bool {
    !text.starts_with('(')
}

impl std::fmt::Display for Factor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Factor::Value(text) => out.write_str(&operand(text)),
            Factor::Unknown(name) => out.write_str(name),
            Factor::Sum { index, first, last, step, of } if step == "1" => write!(out, "sum({index} = {first}:{last}, {of})"),
            Factor::Sum { index, first, last, step, of } => write!(out, "sum({index} = {first}:{last}:{step}, {of})"),
            Factor::Most(list) => {
                let texts: Vec<String> = list.iter().map(Formula::to_string).collect();
                write!(out, "max({})", texts.join(", "))
            }
        }
    }
}

impl std::fmt::Display for Formula {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return out.write_str("0");
        }
        // Long products first.
        let mut terms: Vec<(&Vec<Factor>, i128)> = self.0.iter().map(|(f, &n)| (f, n)).collect();
        terms.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(b.0)));
        for (k, (factors, n)) in terms.into_iter().enumerate() {
            let sign = match (k, n < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            out.write_str(sign)?;
            let mut parts: Vec<String> = Vec::new();
            if n.unsigned_abs() != 1 || factors.is_empty() {
                parts.push(n.unsigned_abs().to_string());
            }
            parts.extend(factors.iter().map(Factor::to_string));
            out.write_str(&parts.join("*"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(name: &str) -> Formula {
        Formula::factor(Factor::Value(name.into()))
    }

    #[test]
    fn formulas_are_sums_of_products() {
        let n = Formula::number;
        let f = n(8).times(&v("n")).times(&v("m")).plus(&n(4).times(&v("n")));
        assert_eq!(f.to_string(), "8*m*n + 4*n");
        assert_eq!(f.minus(&f).to_string(), "0");
        assert_eq!(n(3).times(&v("n - 2")).plus(&n(5)).to_string(), "3*(n - 2) + 5");
        assert!(f.not_negative() && f.minus(&f).not_negative() && !f.minus(&n(1)).not_negative());
        assert_eq!(Formula::most(vec![v("n"), v("n").plus(&n(8)), n(4)]).to_string(), "n + 8");
        assert_eq!(Formula::most(vec![v("n"), v("m")]).to_string(), "max(m, n)");
    }
}
