//! Formulas of what adjoints record, evaluated and compared with what the interpreter counts.
#![allow(dead_code)] // each test file uses its part

use overbar::evaluate::{Counters, Data, Value};
use overbar::stats::{Formula, UnitStats, collect};
use std::collections::BTreeMap;
use xaif::Program;
use xaif::model::UnitId;

/// Values of names in formulas.
pub type Names = BTreeMap<String, i128>;

/// The value of a formula; `None` where a name in it has none.
pub fn value(formula: &Formula, names: &Names) -> Option<i128> {
    let text = formula.to_string();
    let mut r = Reader { text: text.as_bytes(), at: 0 };
    let value = r.sum(names)?;
    (r.at == r.text.len()).then_some(value)
}

/// Checks what is recorded and its peak in a run of an adjoint. Whether the formula has a value there.
pub fn agree(with: &Program, unit: UnitId, inputs: &[(&str, Data<f64>)], counters: &Counters) -> bool {
    let stats = collect(with);
    let Some(stats) = stats.iter().find(|s| s.unit == unit) else { panic!("no statistics of the unit") };
    let integer = |d: &Data<f64>| match d.values[..] {
        [Value::Int(n, _)] if d.shape.is_empty() => Some(n),
        _ => None,
    };
    let names: Names = inputs.iter().filter_map(|(n, d)| Some(((*n).to_owned(), integer(d)?))).collect();
    compare(with, stats, names, counters)
}

fn compare(with: &Program, stats: &UnitStats, mut names: Names, counters: &Counters) -> bool {
    names.retain(|n, _| stats.symbols.iter().all(|(s, _)| s != n));
    let name = with.unit_name(stats.unit);
    let (Some(taped), Some(peak)) = (value(&stats.cost.taped, &names), value(&stats.cost.peak, &names)) else { return false };
    let (ran, most) = (i128::from(counters.taped_bytes), i128::from(counters.peak_bytes));
    let fits = |formula: i128, run: i128| if stats.bound { formula >= run } else { formula == run };
    assert!(fits(taped, ran), "{name} records {ran} bytes, and {} says {taped}", stats.cost.taped);
    assert!(fits(peak, most), "{name} holds {most} bytes, and {} says {peak}", stats.cost.peak);
    true
}

/// Reads formulas. What stands in parentheses, and any name, is zero where it would be negative.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, c: u8) -> bool {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let there = self.text.get(self.at) == Some(&c);
        self.at += usize::from(there);
        there
    }

    fn sum(&mut self, names: &Names) -> Option<i128> {
        let negative = self.take(b'-');
        let first = self.product(names)?;
        let mut value = if negative { -first } else { first };
        loop {
            if self.take(b'+') {
                value += self.product(names)?;
            } else if self.take(b'-') {
                value -= self.product(names)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self, names: &Names) -> Option<i128> {
        let mut value = self.factor(names)?;
        loop {
            if self.take(b'*') {
                value *= self.factor(names)?;
            } else if self.take(b'/') {
                value = value.checked_div(self.factor(names)?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn word(&mut self) -> String {
        self.take(b' ');
        let start = self.at;
        while self.text.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.at]).into_owned()
    }

    fn factor(&mut self, names: &Names) -> Option<i128> {
        if self.take(b'(') {
            let value = self.sum(names)?;
            return self.take(b')').then_some(value.max(0));
        }
        let word = self.word();
        if let Ok(n) = word.parse() {
            return Some(n);
        }
        if !self.take(b'(') {
            return names.get(&word).map(|n| (*n).max(0));
        }
        match word.as_str() {
            "max" => {
                let mut best = self.sum(names)?;
                while self.take(b',') {
                    best = best.max(self.sum(names)?);
                }
                self.take(b')').then_some(best)
            }
            "sum" => self.over(names),
            _ => None,
        }
    }

    /// `i = first:last:step, summand)`
    fn over(&mut self, names: &Names) -> Option<i128> {
        let index = self.word();
        self.take(b'=').then_some(())?;
        let first = self.sum(names)?;
        self.take(b':').then_some(())?;
        let last = self.sum(names)?;
        let step = if self.take(b':') { self.sum(names)? } else { 1 };
        self.take(b',').then_some(())?;
        let start = self.at;
        let mut inner = names.clone();
        let mut at = |r: &mut Self, i: i128| {
            r.at = start;
            inner.insert(index.clone(), i);
            r.sum(&inner)
        };
        // Once for where the summand ends, whether there is anything to be summed or not.
        at(self, first)?;
        let end = self.at;
        let (mut total, mut i) = (0, first);
        while step > 0 && i <= last || step < 0 && i >= last {
            total += at(self, i)?;
            i += step;
        }
        self.at = end;
        self.take(b')').then_some(total)
    }
}
