//! Functions of the C library that a program calls and does not contain: characters and texts, bits, chance, time.
//!
//! Every run sees the same: chance starts with the same numbers, and time stands still. So a derivative unit meets what its original met, and one that asks
//! chance more often or less often than its original does is found out. Lives here: values, and how a call hands arguments over. Never here: mathematics that is an
//! intrinsic (see [`super::intrinsics`]), functions that end the program or write to files, which are no calls.

use super::arrays::View;
use super::expr::variable;
use super::fault::{Fault, fault};
use super::machine::Machine;
use super::scalar::{Fn2, Scalar};
use super::value::{CellType, IntKind, Operand, Value};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::VecDeque;
use xaif::model::{BaseType, Call, ElemType, Expr, NodeKind, Symbol};

/// What `time` and `clock` tell.
const SECONDS: i128 = 1_000_000_000;
const TICKS: i128 = 10_000;

/// Numbers by chance, as glibc draws them.
#[derive(Debug)]
pub(super) struct Chance {
    /// The last 31 numbers of the sequence `r[k] = r[k-3] + r[k-31]`.
    ring: VecDeque<u32>,
    /// The state of `drand48` and its like.
    x48: u64,
}

impl Default for Chance {
    fn default() -> Chance {
        Chance { ring: seeded(1), x48: 0 }
    }
}

/// The sequence after a seed: 31 numbers of a linear congruence, of which the first three go to the end; 310 of what follows are left out.
fn seeded(seed: u32) -> VecDeque<u32> {
    let mut r = i64::from(seed.max(1) as i32);
    let mut ring = VecDeque::with_capacity(32);
    for _ in 0..31 {
        ring.push_back(r as u32);
        r = 16807 * r % 2_147_483_647;
        if r < 0 {
            r += 2_147_483_647;
        }
    }
    ring.rotate_left(3);
    for _ in 0..310 {
        follow(&mut ring);
    }
    ring
}

/// The next number of the sequence.
fn follow(ring: &mut VecDeque<u32>) -> u32 {
    let next = ring[0].wrapping_add(ring[28]);
    ring.pop_front();
    ring.push_back(next);
    next
}

impl Chance {
    /// The next number of 31 bits.
    fn draw(&mut self) -> i128 {
        i128::from(follow(&mut self.ring) >> 1)
    }

    /// The next state of 48 bits.
    fn draw48(&mut self) -> u64 {
        self.x48 = self.x48.wrapping_mul(0x5_DEEC_E66D).wrapping_add(11) & ((1 << 48) - 1);
        self.x48
    }
}

const INT: IntKind = IntKind::DEFAULT;
const LONG: IntKind = IntKind { bits: 64, unsigned: false };
const CHARACTER: CellType = CellType { elem: ElemType { base: BaseType::Char, bits: 8 }, unsigned: false };
const SIZE: IntKind = IntKind { bits: 64, unsigned: true };

/// The name by which a symbol means the library: a function of a system header, or one that the compiler brings along.
fn library_name(symbol: &Symbol) -> Option<&str> {
    (symbol.has_attribute("library") || symbol.name.starts_with("__builtin_")).then_some(symbol.name.as_str())
}

impl<'p, S: Scalar> Machine<'p, S> {
    /// Does what a function of the library does; false where it is none that is known here.
    pub(super) fn library_call(&mut self, call: &'p Call) -> Result<bool, Fault> {
        let Some(name) = library_name(self.symbol(call.callee)?) else { return Ok(false) };
        let mut arguments: SmallVec<[(u32, &'p Expr); 4]> = call.arguments.iter().map(|a| (a.position, &a.value)).collect();
        arguments.sort_by_key(|a| a.0);
        let arguments: SmallVec<[&'p Expr; 4]> = arguments.into_iter().map(|a| a.1).collect();
        match (name, &arguments[..]) {
            ("srand" | "srandom", [seed]) => {
                self.chance.ring = seeded(self.whole(seed)? as u32);
                return Ok(true);
            }
            ("srand48", [seed]) => {
                self.chance.x48 = (self.whole(seed)? as u64 & 0xffff_ffff) << 16 | 0x330e;
                return Ok(true);
            }
            _ => {}
        }
        // The variable for the result comes last.
        let Some((result, arguments)) = arguments.split_last() else { return Ok(false) };
        let Some(value) = self.library_value(name, arguments)? else { return Ok(false) };
        self.give(result, value)?;
        Ok(true)
    }

    /// What a function of the library returns; `None` for others.
    fn library_value(&mut self, name: &str, arguments: &[&'p Expr]) -> Result<Option<Value<S>>, Fault> {
        Ok(Some(match (name, arguments) {
            ("rand" | "random", []) => Value::Int(self.chance.draw(), if name == "rand" { INT } else { LONG }),
            ("drand48", []) => Value::real(libm::ldexp(self.chance.draw48() as f64, -48)),
            ("lrand48", []) => Value::Int(i128::from(self.chance.draw48() >> 17), LONG),
            ("mrand48", []) => Value::Int(i128::from((self.chance.draw48() >> 16) as u32 as i32), LONG),
            ("clock", []) => Value::Int(TICKS, LONG),
            // A null pointer is no argument.
            ("time", []) => Value::Int(SECONDS, LONG),
            ("time", [place]) => {
                self.give(place, Value::Int(SECONDS, LONG))?;
                Value::Int(SECONDS, LONG)
            }
            ("difftime", [a, b]) => Value::Real(self.real(a)?.binary(&self.real(b)?, Fn2::Sub), false),
            ("nextafter", [x, to]) => {
                let (x, to) = (self.real(x)?, self.real(to)?.value());
                let next = S::constant(libm::nextafter(x.value(), to) - x.value());
                Value::Real(x.binary(&next, Fn2::Add), false)
            }
            ("strlen", [s]) => Value::Int(self.text(s, usize::MAX)?.len() as i128, SIZE),
            ("strcmp", [a, b]) => Value::Int(compared(&self.text(a, usize::MAX)?, &self.text(b, usize::MAX)?), INT),
            ("strncmp", [a, b, most]) => {
                let most = usize::try_from(self.whole(most)?).unwrap_or(usize::MAX);
                Value::Int(compared(&self.text(a, most)?, &self.text(b, most)?), INT)
            }
            ("atof", [s]) => Value::real(leading_real(&self.text(s, usize::MAX)?)?),
            ("atoi", [s]) => Value::Int(leading_whole(&self.text(s, usize::MAX)?, INT)?, INT),
            ("atol" | "atoll", [s]) => Value::Int(leading_whole(&self.text(s, usize::MAX)?, LONG)?, LONG),
            // Where the number ends is not asked for.
            ("strtod" | "strtof" | "strtold", [s]) => {
                let number = leading_real(&self.text(s, usize::MAX)?)?;
                Value::real(if name == "strtof" { f64::from(number as f32) } else { number })
            }
            ("strtol" | "strtoll", [s, base]) => Value::Int(leading_digits(&self.text(s, usize::MAX)?, self.whole(base)?, false)?, LONG),
            ("strtoul" | "strtoull", [s, base]) => Value::Int(leading_digits(&self.text(s, usize::MAX)?, self.whole(base)?, true)?, SIZE),
            (_, [x]) if is_of_characters(name) => Value::Int(of_character(name, self.whole(x)?)?, INT),
            (_, [x]) if let Some((what, bits)) = of_bits(name) => Value::Int(counted(what, self.whole(x)?, bits)?, INT),
            _ => return Ok(None),
        }))
    }

    fn whole(&mut self, e: &'p Expr) -> Result<i128, Fault> {
        self.eval(e)?.one()?.as_int()
    }

    fn real(&mut self, e: &'p Expr) -> Result<S, Fault> {
        self.eval(e)?.one()?.as_scalar()
    }

    /// Stores a value in a variable that a call hands over.
    fn give(&mut self, place: &'p Expr, value: Value<S>) -> Result<(), Fault> {
        let Some(r) = variable(place) else { return Err(fault("OB6005", "a result needs a variable")) };
        let view = self.view(r)?;
        self.assign(&view, Operand::One(value))?;
        self.note_set(&view, false);
        Ok(())
    }

    /// The characters from a place on up to the zero behind them, or so many.
    fn text(&mut self, e: &'p Expr, most: usize) -> Result<Vec<u8>, Fault> {
        if let [only] = &e.nodes[..]
            && let NodeKind::Const(c) = &only.kind
            && matches!(c.ty.base, BaseType::Char | BaseType::String)
        {
            let text = literal(&c.spelling);
            return text
                .map(|t| t[..most.min(t.len())].to_vec())
                .ok_or_else(|| fault("OB6021", format!("the text {} is not understood", c.spelling)));
        }
        let Some(r) = variable(e) else { return Err(fault("OB6005", "a text is no variable")) };
        let id = self.locate(r.symbol)?;
        let subscripts = self.subscripts(r)?;
        let descriptor = self.memory.descriptor(id);
        let start = if subscripts.is_empty() {
            descriptor.target
        } else {
            descriptor.view(self.name(r.symbol), &subscripts, false).map(|v| Some((v.object, v.base)))?
        };
        let Some((object, base)) = start else { return Err(fault("OB6016", format!("`{}` has no memory", self.name(r.symbol)))) };
        let mut out = Vec::new();
        while out.len() < most {
            self.counters.operations += 1;
            let place = View { object, base: base + out.len() as i64, steps: SmallVec::new(), ty: CHARACTER, deriv: false };
            match self.load(&place)?.one()?.as_int()? as u8 {
                0 => break,
                c => out.push(c),
            }
        }
        Ok(out)
    }
}

/// The order of two texts: of the first characters that are not the same.
fn compared(a: &[u8], b: &[u8]) -> i128 {
    match a.cmp(b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// The characters of a text that is written where memory of characters is expected, with the zero behind them.
pub(super) fn characters<S: Scalar>(e: &Expr) -> Option<Vec<Value<S>>> {
    let [only] = &e.nodes[..] else { return None };
    let NodeKind::Const(c) = &only.kind else { return None };
    if !matches!(c.ty.base, BaseType::Char | BaseType::String) {
        return None;
    }
    // One that is not understood may still be handed on.
    let Some(known) = literal(&c.spelling) else { return Some(vec![Value::Undefined]) };
    Some(known.into_iter().chain([0]).map(|b| Value::int(i64::from(b as i8))).collect())
}

/// The characters of a literal as it is written; `None` where it is not one literal.
fn literal(spelling: &str) -> Option<Vec<u8>> {
    let inside = spelling.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = Vec::with_capacity(inside.len());
    let mut rest = inside.bytes();
    while let Some(c) = rest.next() {
        out.push(match c {
            b'"' => return None,
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                c @ (b'"' | b'\'' | b'\\' | b'?') => c,
                _ => return None,
            },
            c => c,
        });
    }
    Some(out)
}

/// White space, as `isspace` has it.
fn is_space(c: u8) -> bool {
    matches!(c, b' ' | 9..=13)
}

/// A sign and digits behind white space: where they begin and end.
fn leading(text: &[u8]) -> (usize, usize, usize) {
    let start = text.iter().take_while(|c| is_space(**c)).count();
    let first = start + usize::from(matches!(text.get(start), Some(b'+' | b'-')));
    (start, first, first + digits(text, first))
}

fn digits(text: &[u8], from: usize) -> usize {
    text[from..].iter().take_while(|c| c.is_ascii_digit()).count()
}

/// The whole number that a text begins with, zero where there is none.
fn leading_whole(text: &[u8], kind: IntKind) -> Result<i128, Fault> {
    let (start, first, end) = leading(text);
    let size = text[first..end].iter().try_fold(0i128, |n, c| n.checked_mul(10)?.checked_add(i128::from(c - b'0')));
    let size = size.ok_or_else(|| fault("OB6013", "integer overflow in a text"))?;
    kind.fit(if text.get(start) == Some(&b'-') { -size } else { size })
}

/// The whole number to a base that a text begins with, zero where there is none; what is beyond 64 bits is the number nearest to it.
fn leading_digits(text: &[u8], base: i128, unsigned: bool) -> Result<i128, Fault> {
    if base != 0 && !(2..=36).contains(&base) {
        return Err(fault("OB6014", format!("there is no number to the base {base}")));
    }
    let (start, first, _) = leading(text);
    let digit = |c: &u8, base: u32| char::from(*c).to_digit(base);
    let hexadecimal = matches!(text.get(first..), Some([b'0', b'x' | b'X', c, ..]) if c.is_ascii_hexdigit()) && matches!(base, 0 | 16);
    let (from, base) = match (hexadecimal, base) {
        (true, _) => (first + 2, 16),
        (_, 0) => (first, if text.get(first) == Some(&b'0') { 8 } else { 10 }),
        (_, base) => (first, base as u32),
    };
    let digits = text[from..].iter().map_while(|c| digit(c, base));
    let size = digits.fold(0i128, |n, d| n.saturating_mul(base.into()).saturating_add(d.into()));
    let negative = text.get(start) == Some(&b'-');
    if unsigned {
        let most = i128::from(u64::MAX);
        return Ok(if size > most {
            most
        } else if negative {
            i128::from((size as u64).wrapping_neg())
        } else {
            size
        });
    }
    Ok((if negative { -size } else { size }).clamp(i64::MIN.into(), i64::MAX.into()))
}

/// The real number that a text begins with, zero where there is none.
fn leading_real(text: &[u8]) -> Result<f64, Fault> {
    let (start, first, whole) = leading(text);
    if text.get(first).is_some_and(|c| matches!(c, b'i' | b'I' | b'n' | b'N')) || matches!(text.get(whole), Some(b'x' | b'X')) {
        return Err(fault("OB6021", "a number in a text is not decimal"));
    }
    let mut end = whole;
    if text.get(end) == Some(&b'.') {
        end += 1 + digits(text, end + 1);
    }
    if end - first <= usize::from(end > whole) {
        return Ok(0.0);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let from = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let power = if from <= text.len() { digits(text, from) } else { 0 };
        end = if power > 0 { from + power } else { end };
    }
    let number = std::str::from_utf8(&text[start..end]).ok().and_then(|t| t.parse().ok());
    number.ok_or_else(|| fault("OB6021", "a number in a text is not understood"))
}

fn is_of_characters(name: &str) -> bool {
    matches!(
        name,
        "toupper"
            | "tolower"
            | "isalpha"
            | "isdigit"
            | "isalnum"
            | "isspace"
            | "isupper"
            | "islower"
            | "isxdigit"
            | "ispunct"
            | "isprint"
            | "isgraph"
            | "iscntrl"
    )
}

/// The other case of a character, or whether it is of a class; those that are no ASCII are of none.
fn of_character(name: &str, x: i128) -> Result<i128, Fault> {
    if !(-1..=255).contains(&x) {
        return Err(fault("OB6014", format!("`{name}` of {x}, which is no character")));
    }
    let Some(c) = u8::try_from(x).ok().filter(u8::is_ascii) else { return Ok(if name.starts_with("to") { x } else { 0 }) };
    Ok(match name {
        "toupper" => c.to_ascii_uppercase().into(),
        "tolower" => c.to_ascii_lowercase().into(),
        "isalpha" => c.is_ascii_alphabetic().into(),
        "isdigit" => c.is_ascii_digit().into(),
        "isalnum" => c.is_ascii_alphanumeric().into(),
        "isspace" => is_space(c).into(),
        "isupper" => c.is_ascii_uppercase().into(),
        "islower" => c.is_ascii_lowercase().into(),
        "isxdigit" => c.is_ascii_hexdigit().into(),
        "ispunct" => c.is_ascii_punctuation().into(),
        "isprint" => (32..127).contains(&c).into(),
        "isgraph" => c.is_ascii_graphic().into(),
        _ => c.is_ascii_control().into(),
    })
}

/// What a function of the compiler counts in a word, and how wide the word is.
fn of_bits(name: &str) -> Option<(&str, u32)> {
    let name = name.strip_prefix("__builtin_")?;
    let what = name.trim_end_matches('l');
    let known = matches!(what, "popcount" | "parity" | "clz" | "ctz" | "ffs");
    known.then_some((what, if what.len() == name.len() { 32 } else { 64 }))
}

fn counted(what: &str, x: i128, bits: u32) -> Result<i128, Fault> {
    let word = x as u64 & (u64::MAX >> (64 - bits));
    if word == 0 && what.starts_with('c') {
        return Err(fault("OB6014", format!("`__builtin_{what}` of zero is not defined")));
    }
    Ok(i128::from(match what {
        "popcount" => word.count_ones(),
        "parity" => word.count_ones() % 2,
        "clz" => word.leading_zeros() - (64 - bits),
        "ctz" => word.trailing_zeros(),
        _ if word == 0 => 0,
        _ => word.trailing_zeros() + 1,
    }))
}
