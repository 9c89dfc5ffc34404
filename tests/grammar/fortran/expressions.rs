//! Real expressions, conditions and subscripts.

use super::{Author, Bound, N, Real, Shape, alt, re};

/// As it can stand in a product.
pub fn paren(e: &str) -> String {
    let plain = e.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '%');
    if plain { e.to_owned() } else { format!("({e})") }
}

impl Author {
    pub fn constant(&mut self) -> String {
        if self.single && self.rng.percent(20) {
            return self.choose(&["0.5", "1.25e0", "0.25_4"]).to_owned();
        }
        let list = ["0.5d0", "1.25d0", "0.3d0", ".75d0", "2.0d0", "1.d0", "0.1d0", "3d-1", "1.1D0", "0.62d0", "0.05d0", "1.7d0"];
        self.choose(&list).to_owned()
    }

    /// A literal that no value is equal to.
    pub fn odd(&mut self) -> String {
        self.choose(&["0.3173d0", "0.0791d0", "0.6137d0", "1.0913d0"]).to_owned()
    }

    pub fn length(bound: Bound) -> &'static str {
        if bound == Bound::Argument { "n" } else { "5" }
    }

    /// A subscript from one to the bound.
    pub fn index(&mut self, length: Bound) -> String {
        let fits = |b: Bound| b == length || (b == Bound::Argument && length == Bound::Five);
        let limit = Self::length(length);
        let good: Vec<String> = self.indices.iter().filter(|i| fits(i.bound)).map(|i| i.name.clone()).collect();
        let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
        let tables: Vec<_> = self.tables.iter().filter(|t| fits(t.length)).cloned().collect();
        match self.rng.below(20) {
            0..=8 if !good.is_empty() => self.choose(&good),
            9 if !good.is_empty() => format!("{limit} + 1 - {}", self.choose(&good)),
            10 if !good.is_empty() => format!("mod({} + {}, {limit}) + 1", self.choose(&good), self.rng.below(3)),
            11 if !good.is_empty() => format!("max({} - 1, 1)", self.choose(&good)),
            12 if !good.is_empty() => format!("min({} + 1, {limit})", self.choose(&good)),
            13..=15 if !tables.is_empty() && self.depth < 6 => {
                let t = self.choose(&tables);
                self.depth += 4;
                let inner = self.index(t.length);
                self.depth -= 4;
                format!("{}({inner})", t.name)
            }
            16 | 17 if !all.is_empty() => format!("mod({} * {}, {limit}) + 1", self.choose(&all), 1 + self.rng.below(4)),
            18 if !all.is_empty() => format!("1 + modulo({} - {}, {limit})", self.choose(&all), 1 + self.rng.below(4)),
            _ if length == Bound::Argument => (1 + self.rng.below(2)).to_string(),
            _ => (1 + self.rng.below(N)).to_string(),
        }
    }

    pub fn element(&mut self, v: &Real) -> String {
        match v.shape {
            Shape::Scalar => v.name.clone(),
            Shape::Array(b, lower) => {
                let i = self.index(b);
                match lower {
                    1 => format!("{}({i})", v.name),
                    0 => format!("{}({i} - 1)", v.name),
                    l => format!("{}({i} + ({}))", v.name, l - 1),
                }
            }
            Shape::Matrix(columns) => {
                let row = self.index(Bound::Five);
                let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
                let column = if all.is_empty() || self.rng.percent(30) {
                    (1 + self.rng.below(columns)).to_string()
                } else {
                    format!("mod({}, {columns}) + 1", self.choose(&all))
                };
                format!("{}({row}, {column})", v.name)
            }
        }
    }

    fn leaf(&mut self) -> String {
        let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
        match self.rng.below(20) {
            0..=1 => self.constant(),
            2 if !all.is_empty() => format!("dble({})", self.choose(&all)),
            3 if !all.is_empty() => format!("0.1d0*{}", self.choose(&all)),
            4 | 5 if !self.constants.is_empty() => {
                let t = self.choose(&self.constants.clone());
                let i = self.index(Bound::Five);
                format!("{t}({i})")
            }
            6 if !self.tables.is_empty() => {
                let t = self.choose(&self.tables.clone());
                let i = self.index(t.length);
                format!("0.2d0*{}({i})", t.name)
            }
            7 => self.reduction(),
            _ if self.reals.is_empty() => self.constant(),
            _ => {
                let v = self.choose(&self.reals.clone());
                self.element(&v)
            }
        }
    }

    /// A whole array, or part of one, made a number.
    fn reduction(&mut self) -> String {
        let list: Vec<Real> = self.reals.iter().filter(|v| v.whole && matches!(v.shape, Shape::Array(..)) && !v.single).cloned().collect();
        if list.is_empty() || self.work > 30 {
            return self.constant();
        }
        let v = self.choose(&list);
        let Shape::Array(b, lower) = v.shape else { return self.constant() };
        let n = Self::length(b);
        match self.rng.below(7) {
            0 | 1 => format!("0.3d0*sum({})", v.name),
            2 if lower == 1 => format!("0.3d0*sum({}(1:2))", v.name),
            3 => alt(&format!("dot_product({0}, {0})", v.name), &format!("sum({0}*{0})", v.name)),
            4 if lower == 1 => alt(&format!("maxval({})", v.name), &format!("sum({0}(maxloc(real({0}))))", v.name)),
            5 if lower == 1 => format!("sum(sin({}(1:{n}:2)))", v.name),
            _ => format!("product(1.1d0 + 0.1d0*{})", v.name),
        }
    }

    pub fn real(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.rng.below(40) {
            0..=6 => format!("{} + {}", self.real(d), self.factor(d)),
            7..=10 => format!("{} - {}", self.real(d), self.factor(d)),
            11..=17 => format!("{}*{}", self.factor(d), self.factor(d)),
            18 | 19 => format!("{}/{}", self.factor(d), self.positive(d)),
            21 => format!("-{}", self.factor(d)),
            22 => format!("{}*{}*{}", self.constant(), self.factor(d), paren(&self.leaf())),
            23 => self.leaf(),
            24 if self.single => {
                let e = self.factor(d);
                alt(&format!("real({e})"), &format!("cmplx({e}, kind=4)"))
            }
            25..=27 => self.call_in_expression().unwrap_or_else(|| self.elementary(d)),
            _ => self.elementary(d),
        }
    }

    pub fn factor(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.percent(40) {
            let l = self.leaf();
            return if l.contains(['+', '*', '-', ' ', '\u{a6}']) { format!("({l})") } else { l };
        }
        if self.rng.percent(50) { self.elementary(depth) } else { format!("({})", self.real(depth)) }
    }

    /// At least one.
    pub fn positive(&mut self, depth: usize) -> String {
        let e = paren(&self.leaf());
        match self.rng.below(4) {
            0 => format!("(1.5d0 + {e}**2)"),
            1 => format!("(2.0d0 + cos({}))", self.real(depth)),
            2 => format!("(1.0d0 + exp(sin({e})))"),
            _ => format!("(1.2d0 + {e}*{e})"),
        }
    }

    fn elementary(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        let e = self.real(d);
        match self.rng.below(30) {
            0..=5 => format!("sin({e})"),
            6..=9 => format!("cos({e})"),
            10..=11 => format!("tanh({e})"),
            12 => format!("exp(-{0}*{0})", paren(&e)),
            13 | 14 => format!("exp(0.3d0*sin({e}))"),
            15 | 16 => format!("sqrt({})", self.positive(d)),
            17 | 18 => format!("log({})", self.positive(d)),
            19 => format!("atan({e})"),
            20 => {
                let e = format!("{} + {}", paren(&e), self.odd());
                alt(&format!("abs({e})"), &format!("(({e})*sign(1d0, real({e}, 8)))"))
            }
            21 | 22 => {
                let (name, op) = self.choose(&[("max", ">="), ("min", "<=")]);
                let c = self.odd();
                let e = format!("dble({e})");
                let z = e.replacen("dble(", "(", 1);
                alt(&format!("{name}({e}, {c})"), &format!("merge(cmplx({z}, kind=8), cmplx({c}, kind=8), real{z} {op} {c})"))
            }
            23 => format!("{}**{}", self.positive(d), self.choose(&["1.3d0", "2", "0.5d0", "(-1)", "3"])),
            24 | 25 => format!("{}**{}", paren(&e), self.choose(&["2", "3"])),
            26 => {
                let p = self.positive(0);
                alt(&format!("atan2(dble({e}), dble({p}))"), &format!("atan(({e})/{p})"))
            }
            27 => format!("{}(sin({e}))", self.choose(&["sinh", "cosh", "tan"])),
            28 => {
                let c = self.odd();
                let x = format!("{} + {c}", paren(&e));
                alt(&format!("sign({c}, dble({x}))"), &format!("sign({c}, real({x}, 8))"))
            }
            29 if self.statement_functions => {
                let arg = alt(&format!("dble({e})"), &format!("cmplx({e}, kind=8)"));
                format!("soft({arg})")
            }
            _ => format!("cos({e})"),
        }
    }

    pub fn condition(&mut self) -> String {
        let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
        let old = self.fixed() || self.rng.percent(20);
        let one = |a: &mut Author| {
            let ops: [&str; 6] = if old { [".lt.", ".gt.", ".le.", ".ge.", ".eq.", ".ne."] } else { ["<", ">", "<=", ">=", "==", "/="] };
            if !all.is_empty() && a.rng.percent(45) {
                let k = a.choose(&all);
                return match a.rng.below(4) {
                    0 => format!("mod({k}, 2) {} 0", ops[4]),
                    1 => format!("{k} {} {}", ops[a.rng.below(6)], a.rng.below(5)),
                    2 => format!("{k} {} {}", ops[a.rng.below(6)], a.choose(&all)),
                    _ if a.rng.percent(10) => format!("btest({k}, 0)"),
                    _ => format!("mod({k}, 3) {} 1", ops[4]),
                };
            }
            let x = a.real(1);
            let sign = a.choose(&["", "-"]);
            format!("{} {} {sign}{}", re(&x), ops[a.rng.below(4)], a.odd())
        };
        match self.rng.below(8) {
            0 => format!("({}) .and. ({})", one(self), one(self)),
            1 => format!("({}) .or. ({})", one(self), one(self)),
            2 => format!(".not. ({})", one(self)),
            _ => one(self),
        }
    }
}
