//! Real expressions, conditions and subscripts.

use super::{Author, Bound, N, Real, Shape};

impl Author {
    /// A literal, in one of the ways to write it.
    pub fn constant(&mut self) -> String {
        let list =
            ["0.5", "1.25", "0.3", ".75", "2.0", "1.", "0.1", "3e-1", "1.1", "0.62", "25.0e-2", "0.05", "1.7", "0.9", "-0.4", "-1.3"];
        self.pick(&list).to_owned()
    }

    /// A literal that no value is equal to.
    pub fn odd(&mut self) -> String {
        let list = ["0.3173", "-0.2719", "0.0791", "0.6137", "1.0913", "-0.7177"];
        self.pick(&list).to_owned()
    }

    /// An integer expression below the bound: what a subscript of an array of that length is.
    pub fn index(&mut self, length: Bound) -> String {
        let fits = |b: Bound| b == length || (b == Bound::Argument && length == Bound::Macro);
        let limit = if length == Bound::Argument { "n" } else { "Q_N" };
        let good: Vec<String> = self.indices.iter().filter(|i| fits(i.bound)).map(|i| i.text.clone()).collect();
        let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
        let tables: Vec<_> = self.tables.iter().filter(|t| fits(t.contents)).cloned().collect();
        match self.rng.below(20) {
            0..=8 if !good.is_empty() => self.pick(&good),
            9 if !good.is_empty() => format!("{limit} - 1 - {}", self.pick(&good)),
            10 if !good.is_empty() => format!("({} + {}) % {limit}", self.pick(&good), 1 + self.rng.below(3)),
            11 if !good.is_empty() => {
                let i = self.pick(&good);
                format!("{i} > 0 ? {i} - 1 : {}", self.rng.below(2))
            }
            12..=14 if !tables.is_empty() && self.depth < 6 => {
                let t = self.pick(&tables);
                self.depth += 4;
                let inner = self.index(t.length);
                self.depth -= 4;
                format!("{}[{inner}]", t.name)
            }
            15 | 16 if !all.is_empty() => format!("({} * {} + {}) % {limit}", self.pick(&all), 1 + self.rng.below(4), self.rng.below(3)),
            17 if !all.is_empty() => format!("({} + {}) % {limit}", self.pick(&all), self.pick(&all)),
            18 if !all.is_empty() => format!("abs({} - {}) % {limit}", self.pick(&all), 1 + self.rng.below(4)),
            _ if length == Bound::Argument => self.rng.below(2).to_string(),
            _ => self.rng.below(N).to_string(),
        }
    }

    /// How a real variable is named in an expression; an element of it where it is an array.
    pub fn element(&mut self, v: &Real) -> String {
        match v.shape {
            Shape::Scalar => v.name.clone(),
            Shape::Array(b) => {
                let i = self.index(b);
                if self.rng.percent(4) { format!("*({} + ({i}))", v.name) } else { format!("{}[{i}]", v.name) }
            }
            Shape::Matrix(rows) => {
                let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
                let row = if all.is_empty() || self.rng.percent(20) {
                    self.rng.below(rows).to_string()
                } else {
                    format!("{} % {rows}", self.pick(&all))
                };
                let column = self.index(Bound::Macro);
                format!("{}[{row}][{column}]", v.name)
            }
        }
    }

    fn leaf(&mut self) -> String {
        let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
        match self.rng.below(20) {
            0..=1 => self.constant(),
            2 if !all.is_empty() => format!("(double) {}", self.pick(&all)),
            3 if !all.is_empty() => format!("0.1 * {}", self.pick(&all)),
            4 | 5 if !self.constants.is_empty() => {
                let t = self.pick(&self.constants.clone());
                let i = self.index(Bound::Macro);
                format!("{t}[{i}]")
            }
            6 if !self.tables.is_empty() => {
                let t = self.pick(&self.tables.clone());
                let i = self.index(t.length);
                format!("0.2 * {}[{i}]", t.name)
            }
            _ if self.reals.is_empty() => self.constant(),
            _ => {
                let v = self.pick(&self.reals.clone());
                self.element(&v)
            }
        }
    }

    /// A real expression of moderate size.
    pub fn real(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.rng.below(40) {
            0..=6 => format!("{} + {}", self.real(d), self.factor(d)),
            7..=10 => format!("{} - {}", self.real(d), self.factor(d)),
            11..=17 => format!("{} * {}", self.factor(d), self.factor(d)),
            18 | 19 => format!("{} / {}", self.factor(d), self.positive(d)),
            20 => format!("(RE({}) > {} ? {} : {})", self.leaf(), self.odd(), self.factor(d), self.factor(d)),
            21 => format!("-{}", self.factor(d)),
            22 => format!("{} * {} * {}", self.constant(), self.factor(d), self.leaf()),
            23 => self.leaf(),
            24 if self.single => format!("(float) {}", self.factor(d)),
            25 | 26 => self.call_in_expression().unwrap_or_else(|| self.elementary(d)),
            _ => self.elementary(d),
        }
    }

    /// One that binds tighter than a product does.
    pub fn factor(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.percent(40) {
            let l = self.leaf();
            return if l.contains(' ') || l.starts_with('-') { format!("({l})") } else { l };
        }
        if self.rng.percent(50) { self.elementary(depth) } else { format!("({})", self.real(depth)) }
    }

    /// At least one.
    pub fn positive(&mut self, depth: usize) -> String {
        let e = self.leaf();
        match self.rng.below(4) {
            0 if self.macros.iter().any(|m| m == "Q_SQ") => format!("(1.5 + Q_SQ({e}))"),
            1 => format!("(1.0 + exp({}))", self.real(depth.min(1)).replace("exp", "tanh")),
            2 => format!("(2.0 + cos({}))", self.real(depth)),
            _ => format!("(1.2 + {} * {})", paren(&e), paren(&e)),
        }
    }

    fn elementary(&mut self, depth: usize) -> String {
        let e = self.real(depth.saturating_sub(1));
        match self.rng.below(32) {
            0..=5 => format!("sin({e})"),
            6..=9 => format!("cos({e})"),
            10..=11 => format!("tanh({e})"),
            12 => format!("exp(-{} * {})", paren(&e), paren(&e)),
            13 | 14 => format!("exp(0.3 * sin({e}))"),
            15 | 16 => format!("sqrt({})", self.positive(depth.saturating_sub(1))),
            17 | 18 => format!("log({})", self.positive(depth.saturating_sub(1))),
            19 => format!("atan({e})"),
            20 => format!("fabs({} + {})", paren(&e), self.odd()),
            21 => format!("fmax({e}, {})", self.odd()),
            22 => format!("fmin({e}, {})", self.odd()),
            23 => format!("pow({}, {})", self.positive(depth.saturating_sub(1)), self.pick(&["1.3", "2.0", "2", "0.5", "-1.0", "3"])),
            24 => format!("pow({}, 2)", e),
            25 => format!("atan2({e}, {})", self.positive(0)),
            26 => format!("hypot({e}, {})", self.positive(0)),
            27 => format!("{}(sin({e}))", self.pick(&["sinh", "cosh", "erf", "expm1", "tan"])),
            28 if self.rng.percent(50) => format!("cbrt({})", self.positive(0)),
            28 => format!("log1p({} - 1.0)", self.positive(0)),
            29 if self.single => format!("sinf({e})"),
            _ if !self.macros.is_empty() => {
                let m = self.pick(&self.macros.clone());
                format!("{m}({e})")
            }
            _ => format!("sin({e})"),
        }
    }

    /// A condition: of reals, of integers, or both.
    pub fn condition(&mut self) -> String {
        let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
        let integer = |a: &mut Author, all: &[String]| {
            let k = a.pick(all);
            match a.rng.below(6) {
                0 => format!("{k} % 2 == 0"),
                1 => format!("{k} > {}", a.rng.below(4)),
                2 => format!("{k} != {}", a.rng.below(4)),
                3 => format!("{k} & 1"),
                4 => format!("{k} == {}", a.pick(all)),
                _ => format!("{k} < {}", 1 + a.rng.below(4)),
            }
        };
        let one = |a: &mut Author| {
            if !all.is_empty() && a.rng.percent(45) {
                return integer(a, &all);
            }
            let op = a.pick(&["<", ">", "<=", ">="]);
            if a.rng.percent(25) {
                let (x, y) = (a.real(1), a.real(1));
                return format!("RE({x}) {op} RE({y}) + {}", a.odd().replace('-', ""));
            }
            let x = a.real(1);
            format!("RE({x}) {op} {}", a.odd())
        };
        match self.rng.below(8) {
            0 => format!("({}) && {}", one(self), one(self).replace(" & 1", " % 2 == 1")),
            1 => format!("({}) || {}", one(self), one(self).replace(" & 1", " % 2 == 1")),
            2 => format!("!({})", one(self)),
            _ => one(self),
        }
    }
}

/// As it can stand in a product.
pub fn paren(e: &str) -> String {
    let plain = e.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '[' || c == ']');
    if plain { e.to_owned() } else { format!("({e})") }
}
