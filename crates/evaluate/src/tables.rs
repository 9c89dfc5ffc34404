//! Tables of numbers as C and Fortran declarations spell them.
//!
//! Lives here: `{1.0, 2.f, {3, 4}, [5] = 6}`, `(/ 1.d0, 2.d0/3 /)`, `[real :: 1, 2]`, `reshape([1, 2], [1, 2])`, `3*0.0`, and the arithmetic that stands in them. Never here:
//! what a name means.

use super::scalar::Scalar;
use super::value::{IntKind, Value};

/// The value of a named constant; of the empty name the kind of constants whose own is not known.
pub type Named<'a> = &'a dyn Fn(&str) -> Option<Number>;

/// Parentheses in each other.
const DEEPEST: usize = 64;

/// The numbers of a variable of that shape, in the order of memory; elements that braces leave out are zero. `None` where something stands there that
/// is no number. In Fortran constants say of what kind they are.
pub fn numbers<S: Scalar>(text: &str, shape: &[usize], named: Named, fortran: bool) -> Option<Vec<Value<S>>> {
    let text = text.trim();
    let count = shape.iter().try_fold(1usize, |p, &n| p.checked_mul(n))?;
    if text.starts_with('{') {
        let mut out: Vec<Option<Value<S>>> = vec![None; count];
        braces(text, shape, &mut out, named, 0)?;
        let zero = match out.iter().flatten().next()? {
            Value::Real(..) => Value::real(0.0),
            Value::Bool(_) => Value::Bool(false),
            _ => Value::int(0),
        };
        return Some(out.into_iter().map(|v| v.unwrap_or_else(|| zero.clone())).collect());
    }
    // The declaration has the shape, too.
    let reshaped = text.get(..7).filter(|t| t.eq_ignore_ascii_case("reshape")).map(|_| text[7..].trim());
    if let Some(arguments) = reshaped.and_then(|t| t.strip_prefix('(')).and_then(|t| t.strip_suffix(')')) {
        let [list, _] = split(arguments)[..] else { return None };
        return list.starts_with(['[', '(']).then(|| numbers(list, shape, named, fortran)).flatten();
    }
    let inner = |open: &str, close: &str| text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
    let constructor = inner("(/", "/)").or_else(|| inner("[", "]"));
    let body = constructor.unwrap_or(text);
    let body = body.split_once("::").map_or(body, |(_, list)| list);
    let list = split(body);
    // In a constructor a star multiplies, in a list of data it repeats.
    let plain = || list.iter().map(|t| number(t, named, fortran)).collect::<Option<Vec<_>>>().filter(|l| l.len() == count);
    let repeated = || {
        let mut out = Vec::new();
        for item in &list {
            let (times, item) = match item.split_once('*') {
                Some((n, rest)) => (n.trim().parse::<usize>().ok()?, rest.trim()),
                None => (1, *item),
            };
            if out.len().saturating_add(times) > count {
                return None;
            }
            out.extend(std::iter::repeat_n(number(item, named, fortran)?, times));
        }
        Some(out)
    };
    let mut out: Vec<Value<S>> = if constructor.is_some() { plain().or_else(repeated)? } else { repeated().or_else(plain)? };
    if out.len() == 1 && count > 1 {
        return Some(vec![out.swap_remove(0); count]);
    }
    (out.len() == count).then_some(out)
}

/// The items between commas that stand in no brackets; empty ones are left out.
fn split(text: &str) -> Vec<&str> {
    let (mut out, mut depth, mut from) = (Vec::new(), 0i32, 0);
    for (k, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[from..k]);
                from = k + 1;
            }
            _ => {}
        }
    }
    out.push(&text[from..]);
    let blank = |c: char| c.is_whitespace() || c == '&';
    out.into_iter().map(|t| t.trim_matches(blank)).filter(|t| !t.is_empty()).collect()
}

/// What braces give the elements of an object of that shape. An item in braces of its own is the next part of the object, others go on element by
/// element; `[i] =` says which part is the next one.
fn braces<S: Scalar>(text: &str, shape: &[usize], out: &mut [Option<Value<S>>], named: Named, depth: usize) -> Option<()> {
    let body = text.strip_prefix('{')?.strip_suffix('}')?;
    let rest = shape.get(1..).unwrap_or_default();
    let part: usize = rest.iter().product();
    let mut at = 0;
    for item in split(body) {
        let mut item = item;
        let mut inner = rest;
        let mut size = part;
        if item.starts_with('[') {
            let (places, value) = item.split_once('=')?;
            let (mut stride, mut axes) = (part, rest);
            at = 0;
            for (k, place) in places.trim().split('[').skip(1).enumerate() {
                if k > 0 {
                    let (&n, behind) = axes.split_first()?;
                    stride /= n.max(1);
                    axes = behind;
                }
                let index = place.trim().strip_suffix(']')?;
                let Value::Int(i, _) = number::<S>(index, named, false)? else { return None };
                at += usize::try_from(i).ok()?.checked_mul(stride)?;
            }
            (inner, size, item) = (axes, stride, value.trim());
        }
        if item.starts_with('{') {
            if depth > shape.len() || depth > DEEPEST || (size > 0 && at % size != 0) {
                return None;
            }
            let target = out.get_mut(at..at.checked_add(size)?)?;
            // A single number may stand in braces too.
            if depth > 0 && shape.is_empty() {
                return None;
            }
            braces(item, inner, target, named, depth + 1)?;
            at += size;
        } else {
            *out.get_mut(at)? = Some(number(item, named, false)?);
            at += 1;
        }
    }
    Some(())
}

/// A number, or sums, products and powers of numbers, of Fortran or of C.
fn number<S: Scalar>(text: &str, named: Named, fortran: bool) -> Option<Value<S>> {
    let mut p = Arithmetic { rest: text.trim(), named, fortran, depth: 0 };
    let found = p.sum()?;
    p.rest.trim().is_empty().then(|| match found {
        Number::Int(x) => Value::Int(x, IntKind { bits: 64, unsigned: x > i128::from(i64::MAX) }),
        Number::Real(x, single) => Value::Real(S::constant(x), single),
        Number::Bool(b) => Value::Bool(b),
    })
}

/// A constant.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// A whole number.
    Int(i128),
    /// A real, and whether it is of single precision.
    Real(f64, bool),
    /// A truth value.
    Bool(bool),
}

impl Number {
    fn real(self) -> Option<f64> {
        match self {
            Number::Int(x) => Some(x as f64),
            Number::Real(x, _) => Some(x),
            Number::Bool(_) => None,
        }
    }

    fn with(self, o: Number, op: char) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, o) {
            return Some(Number::Int(match op {
                '+' => a.checked_add(b)?,
                '-' => a.checked_sub(b)?,
                '*' => a.checked_mul(b)?,
                '/' => a.checked_div(b)?,
                _ => a.checked_pow(u32::try_from(b).ok()?)?,
            }));
        }
        let single = |n: Number| matches!(n, Number::Int(_) | Number::Real(_, true));
        let (a, b, single) = (self.real()?, o.real()?, single(self) && single(o));
        let x = match op {
            '+' => a + b,
            '-' => a - b,
            '*' => a * b,
            '/' => a / b,
            _ => a.powf(b),
        };
        Some(Number::Real(if single { f64::from(x as f32) } else { x }, single))
    }
}

struct Arithmetic<'a> {
    rest: &'a str,
    named: Named<'a>,
    /// What a real constant says of its kind.
    fortran: bool,
    depth: usize,
}

impl<'a> Arithmetic<'a> {
    fn take(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<Number> {
        let negative = self.take("-");
        let _ = !negative && self.take("+");
        let mut left = self.product()?;
        if negative {
            left = match left {
                Number::Int(x) => Number::Int(x.checked_neg()?),
                Number::Real(x, single) => Number::Real(-x, single),
                Number::Bool(_) => return None,
            };
        }
        loop {
            let op = if self.take("+") {
                '+'
            } else if self.take("-") {
                '-'
            } else {
                return Some(left);
            };
            left = left.with(self.product()?, op)?;
        }
    }

    fn product(&mut self) -> Option<Number> {
        let mut left = self.power()?;
        loop {
            let op = if self.take("*") {
                '*'
            } else if self.take("/") {
                '/'
            } else {
                return Some(left);
            };
            left = left.with(self.power()?, op)?;
        }
    }

    fn power(&mut self) -> Option<Number> {
        let base = self.atom()?;
        if self.take("**") { base.with(self.atom()?, '^') } else { Some(base) }
    }

    fn atom(&mut self) -> Option<Number> {
        self.rest = self.rest.trim_start();
        if self.take("(") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return None;
            }
            let inner = self.sum()?;
            return self.take(")").then_some(inner);
        }
        if self.take("-") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return None;
            }
            return Number::Int(0).with(self.atom()?, '-');
        }
        let word = self.word();
        let (word, rest) = self.rest.split_at(word);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.trim_start().starts_with('(') {
            return self.function(&word.to_ascii_lowercase());
        }
        match literal(word) {
            // `0.1` is of single precision there, whatever it initializes.
            Some(Number::Real(..)) if self.fortran && self.is_single(word) == Some(true) => {
                let digits = word.split('_').next().unwrap_or_default();
                digits.parse::<f32>().ok().map(|x| Number::Real(f64::from(x), true))
            }
            found => found.or_else(|| (self.named)(word)),
        }
    }

    /// An intrinsic function of Fortran, whose arguments come next.
    fn function(&mut self, name: &str) -> Option<Number> {
        self.depth += 1;
        if self.depth > DEEPEST || !self.take("(") {
            return None;
        }
        if matches!(name, "epsilon" | "tiny" | "huge") {
            let end = self.rest.find(')')?;
            let single = self.is_single(self.rest[..end].trim())?;
            self.rest = &self.rest[end + 1..];
            let limits = if single {
                [f32::EPSILON, f32::MIN_POSITIVE, f32::MAX].map(f64::from)
            } else {
                [f64::EPSILON, f64::MIN_POSITIVE, f64::MAX]
            };
            let at = ["epsilon", "tiny", "huge"].iter().position(|n| *n == name)?;
            return Some(Number::Real(limits[at], single));
        }
        let x = self.sum()?;
        if !self.take(")") {
            return None;
        }
        let f: fn(f64) -> f64 = match name {
            "abs" | "dabs" => f64::abs,
            "sqrt" | "dsqrt" => f64::sqrt,
            "exp" | "dexp" => f64::exp,
            "log" | "dlog" | "alog" => f64::ln,
            "log10" | "dlog10" | "alog10" => f64::log10,
            "sin" | "dsin" => f64::sin,
            "cos" | "dcos" => f64::cos,
            "tan" | "dtan" => f64::tan,
            "asin" | "dasin" => f64::asin,
            "acos" | "dacos" => f64::acos,
            "atan" | "datan" => f64::atan,
            "dble" => |x| x,
            _ => return None,
        };
        match x {
            Number::Real(x, single) if name != "dble" => {
                let y = f(x);
                Some(Number::Real(if single { f64::from(y as f32) } else { y }, single))
            }
            // Other functions ask for reals.
            Number::Int(x) if name == "abs" => Some(Number::Int(x.checked_abs()?)),
            x if name == "dble" => Some(Number::Real(x.real()?, false)),
            _ => None,
        }
    }

    /// Whether a real literal of Fortran is of single precision; `None` where its kind is not known.
    fn is_single(&self, text: &str) -> Option<bool> {
        let lower = text.to_ascii_lowercase();
        let number = lower.split('_').next().unwrap_or_default();
        if !lower.starts_with(|c: char| c.is_ascii_digit() || c == '.') || !number.contains(['.', 'd', 'e']) {
            return None;
        }
        let Some((_, kind)) = lower.split_once('_') else { return Some(!lower.contains('d')) };
        let at = text.len() - kind.len();
        let kind = kind.parse().ok().map(Number::Int).or_else(|| (self.named)(&text[at..])).or_else(|| (self.named)(""))?;
        match kind {
            Number::Int(4) => Some(true),
            Number::Int(8) => Some(false),
            _ => None,
        }
    }

    /// The length of the number or name that comes next.
    fn word(&self) -> usize {
        let text = self.rest.as_bytes();
        let exponent = |k: usize| {
            let hex = text.starts_with(b"0x") || text.starts_with(b"0X");
            let digit = text.first().is_some_and(|c| c.is_ascii_digit() || *c == b'.');
            !hex && digit && matches!(text[k - 1], b'e' | b'E' | b'd' | b'D')
        };
        let part =
            |k: usize, c: u8| c.is_ascii_alphanumeric() || c == b'.' || c == b'_' || (matches!(c, b'+' | b'-') && k > 0 && exponent(k));
        text.iter().enumerate().position(|(k, &c)| !part(k, c)).unwrap_or(text.len())
    }
}

fn literal(text: &str) -> Option<Number> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        ".true." | "true" => return Some(Number::Bool(true)),
        ".false." | "false" => return Some(Number::Bool(false)),
        _ => {}
    }
    if !lower.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let body = lower.split_once('_').map_or(lower.as_str(), |(v, _)| v);
    if let Some(hex) = body.strip_prefix("0x") {
        return i128::from_str_radix(hex.trim_end_matches(['u', 'l']), 16).ok().map(Number::Int);
    }
    if let Ok(x) = body.trim_end_matches(['u', 'l']).parse::<i128>() {
        return Some(Number::Int(x));
    }
    let single = body.ends_with('f');
    let body = body.trim_end_matches(['f', 'l']).replace('d', "e");
    let x = if single { f64::from(body.parse::<f32>().ok()?) } else { body.parse::<f64>().ok()? };
    Some(Number::Real(x, single))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(text: &str, shape: &[usize]) -> Option<Vec<f64>> {
        let named = |n: &str| match n {
            "H2" => Some(Number::Int(0)),
            "LAST" => Some(Number::Int(2)),
            _ => (n == "HALF").then_some(Number::Real(0.5, false)),
        };
        let fortran = !text.starts_with('{') && !text.ends_with('f');
        numbers::<f64>(text, shape, &named, fortran).map(|l| l.iter().map(|v| v.as_scalar().unwrap()).collect())
    }

    #[test]
    fn reshaped_lists_have_the_declared_shape() {
        assert_eq!(shaped("reshape([1.0, 2.0, 3.0, 4.0], [2, LAST])", &[2, 2]), Some(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(shaped("RESHAPE((/ 1.0, 2.0 /), (/ 2, 1 /))", &[2, 1]), Some(vec![1.0, 2.0]));
        assert_eq!(shaped("reshape([1.0], [2], [3.0])", &[2]), None);
        assert_eq!(shaped("reshape(reshape([1.0], [1]), [1])", &[1]), None);
    }

    #[test]
    fn intrinsic_functions_of_constants() {
        let wanted = vec![f64::EPSILON, f64::from(f32::MIN_POSITIVE), f64::MAX];
        assert_eq!(shaped("[epsilon(1.0_8), TINY(1.0), huge(1d0)]", &[3]), Some(wanted));
        assert_eq!(shaped("(/ 4*atan(1d0), -sqrt(HALF*8), abs(-3) /)", &[3]), Some(vec![std::f64::consts::PI, -2.0, 3.0]));
        // A function that is not known, a kind that is not known, a real where there is none.
        assert_eq!(shaped("[gamma(2d0)]", &[1]), None);
        assert_eq!(shaped("[epsilon(1.0_wp)]", &[1]), None);
        assert_eq!(shaped("[epsilon(1)]", &[1]), None);
    }

    fn reals(text: &str, n: usize) -> Option<Vec<f64>> {
        shaped(text, &[n])
    }

    #[test]
    fn constants_of_single_precision_in_tables_of_double_precision() {
        let (a, b) = (f64::from(0.1f32), f64::from(0.3f32));
        assert_eq!(reals("(/ 0.1, -0.3, 0.1d0, 0.1_8, 0.3_4 /)", 5), Some(vec![a, -b, 0.1, 0.1, b]));
        assert_eq!(reals("[real(8) :: 0.1, 1, 1.0/3]", 3), Some(vec![a, 1.0, f64::from(1.0f32 / 3.0)]));
        assert_eq!(reals("0.1, 2*0.3", 3), Some(vec![a, b, b]));
        // In C they are of double precision.
        assert_eq!(reals("{0.1, 0.3f}", 2), Some(vec![0.1, b]));
    }

    #[test]
    fn tables_of_both_languages() {
        assert_eq!(reals("{1.0, -2.5e1, 3}", 3), Some(vec![1.0, -25.0, 3.0]));
        assert_eq!(reals("{1.0}", 3), Some(vec![1.0, 0.0, 0.0]));
        assert_eq!(shaped("{{1, 2}, {3, 4}}", &[2, 2]), Some(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(reals("(/ 1.d0, 2*3.0_wp /)", 3), Some(vec![1.0, 3.0, 3.0]));
        assert_eq!(reals("(/ 1.d0, 2*3.0_wp /)", 2), Some(vec![1.0, 6.0]));
        assert_eq!(reals("[real(8) :: 1, 2]", 2), Some(vec![1.0, 2.0]));
        assert_eq!(reals("1.0, 2*0.5", 3), Some(vec![1.0, 0.5, 0.5]));
        assert_eq!(reals("0.1f", 1), Some(vec![f64::from(0.1f32)]));
        assert_eq!(shaped("{{1}, {2, 3}}", &[2, 2]), Some(vec![1.0, 0.0, 2.0, 3.0]));
        assert_eq!(reals("{a, b}", 2), None);
        assert_eq!(reals("{1, 2, 3}", 2), None);
        assert_eq!(reals("1.0", 2), Some(vec![1.0, 1.0]));
    }

    #[test]
    fn designators_and_arithmetic() {
        let rows = "{{-2, -1, 2}, {[H2] = -1, [LAST] = 2}, {0, 0, -1}}";
        assert_eq!(shaped(rows, &[3, 3]), Some(vec![-2.0, -1.0, 2.0, -1.0, 0.0, 2.0, 0.0, 0.0, -1.0]));
        assert_eq!(reals("{[1] = 5, 6, [0] = 4}", 4), Some(vec![4.0, 5.0, 6.0, 0.0]));
        assert_eq!(shaped("{[1][1] = 7, [0] = {1, 2}}", &[2, 2]), Some(vec![1.0, 2.0, 0.0, 7.0]));
        assert_eq!(shaped("{1, 2, 3}", &[2, 2]), Some(vec![1.0, 2.0, 3.0, 0.0]));
        assert_eq!(reals("{5.0/9, -(1 + 2)*0.5, 1/2, 1e-3 - 1}", 4), Some(vec![5.0 / 9.0, -1.5, 0.0, 1e-3 - 1.0]));
        assert_eq!(reals("[2.0d0**3, -1.5_dp/(-3)]", 2), Some(vec![8.0, 0.5]));
        assert_eq!(reals("1.0d0, HALF, 2*HALF - 1", 3), Some(vec![1.0, 0.5, 0.0]));
        assert_eq!(reals("{[9] = 1}", 4), None);
        assert_eq!(reals("{(1, 2}", 2), None);
    }
}
