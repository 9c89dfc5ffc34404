//! Values: one element, or an array of them, and the conversions between types.
//!
//! Lives here: what a variable can hold and how it is converted when stored. Never here: memory, expressions.

use super::fault::{Fault, fault};
use super::scalar::Scalar;
use smallvec::SmallVec;
use smol_str::SmolStr;
use xaif::model::{BaseType, ElemType};

/// Width and sign of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntKind {
    /// 8 to 64.
    pub bits: u16,
    /// Wraps around where the others overflow.
    pub unsigned: bool,
}

impl IntKind {
    /// The default integer.
    pub const DEFAULT: IntKind = IntKind { bits: 32, unsigned: false };

    /// Smallest and largest value.
    pub fn range(self) -> (i128, i128) {
        let bits = u32::from(self.bits.clamp(1, 64));
        if self.unsigned { (0, (1i128 << bits) - 1) } else { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) }
    }

    /// The kind of an operation on two: at least the default width, the wider one, unsigned where that is.
    pub fn promote(self, other: IntKind) -> IntKind {
        let bits = self.bits.max(other.bits).max(32);
        let unsigned = (self.unsigned && self.bits == bits) || (other.unsigned && other.bits == bits);
        IntKind { bits, unsigned }
    }

    /// The value that fits, wrapped around where the kind does so.
    ///
    /// # Errors
    /// Overflow of a signed kind.
    pub fn fit(self, x: i128) -> Result<i128, Fault> {
        let (low, high) = self.range();
        if (low..=high).contains(&x) {
            Ok(x)
        } else if self.unsigned {
            Ok(x.rem_euclid(high + 1))
        } else {
            Err(fault("OB6013", format!("integer overflow: {x} does not fit in {} bits", self.bits)))
        }
    }
}

/// One element.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<S> {
    /// Never set, or lost.
    Undefined,
    /// A real; true: single precision.
    Real(S, bool),
    /// An integer.
    Int(i128, IntKind),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(SmolStr),
}

/// Type and sign of what a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellType {
    /// Base and width.
    pub elem: ElemType,
    /// Unsigned integer.
    pub unsigned: bool,
}

impl CellType {
    /// True for reals of single precision.
    pub fn is_single(self) -> bool {
        self.elem.base == BaseType::Real && self.elem.bits == 32
    }

    /// Kind of the integer, the default one where the width is not known.
    pub fn int_kind(self) -> IntKind {
        IntKind { bits: if self.elem.bits == 0 { 32 } else { self.elem.bits }, unsigned: self.unsigned }
    }

    /// Bytes of an element on the stack; a truth value takes as much as an integer, in C as in Fortran.
    pub fn bytes(self) -> u64 {
        match (self.elem.base, self.elem.bits) {
            (BaseType::Real, 0) => 8,
            (BaseType::Real, 80) => 16,
            (BaseType::Char | BaseType::String, 0) => 1,
            (_, 0) => 4,
            (_, bits) => u64::from(bits.div_ceil(8)),
        }
    }

    /// Zero.
    pub fn zero<S: Scalar>(self) -> Value<S> {
        match self.elem.value_base() {
            BaseType::Real => Value::Real(S::constant(0.0), self.is_single()),
            BaseType::Integer => Value::Int(0, self.int_kind()),
            BaseType::Bool => Value::Bool(false),
            BaseType::Char | BaseType::String => Value::Text(SmolStr::default()),
            _ => Value::Undefined,
        }
    }

    /// What a variable of this type holds after the value has been stored in it.
    ///
    /// # Errors
    /// Values that have no counterpart, and integers that do not fit.
    pub fn convert<S: Scalar>(self, value: Value<S>) -> Result<Value<S>, Fault> {
        Ok(match (self.elem.value_base(), value) {
            (_, Value::Undefined) => Value::Undefined,
            (BaseType::Real, Value::Real(x, single)) => {
                if self.is_single() && !single {
                    Value::Real(x.to_single(), true)
                } else {
                    Value::Real(x, self.is_single())
                }
            }
            (BaseType::Real, v @ (Value::Int(..) | Value::Bool(_))) => {
                let x = v.as_int()? as f64;
                Value::Real(S::constant(if self.is_single() { f64::from(x as f32) } else { x }), self.is_single())
            }
            (BaseType::Integer, Value::Real(x, _)) => Value::Int(truncate(x.value(), self.int_kind())?, self.int_kind()),
            (BaseType::Integer, v @ (Value::Int(..) | Value::Bool(_))) => Value::Int(self.int_kind().fit(v.as_int()?)?, self.int_kind()),
            (BaseType::Bool, v @ (Value::Int(..) | Value::Bool(_))) => Value::Bool(v.as_bool()?),
            (BaseType::Char | BaseType::String, Value::Text(t)) => Value::Text(t),
            (base, v) => return Err(fault("OB6014", format!("{} cannot be stored in a variable of type {base:?}", v.describe()))),
        })
    }
}

/// A real as an integer, truncated.
pub fn truncate(x: f64, kind: IntKind) -> Result<i128, Fault> {
    let t = x.trunc();
    if !(-1.0e19..=1.0e20).contains(&t) {
        return Err(fault("OB6013", format!("{x} has no integer value of {} bits", kind.bits)));
    }
    kind.fit(t as i128)
}

impl<S: Scalar> Value<S> {
    /// A double precision real.
    pub fn real(x: f64) -> Value<S> {
        Value::Real(S::constant(x), false)
    }

    /// A default integer.
    pub fn int(x: i64) -> Value<S> {
        Value::Int(i128::from(x), IntKind::DEFAULT)
    }

    /// The value as a variable holds it: see [`Scalar::stored`].
    pub fn stored(&self) -> Value<S> {
        match self {
            Value::Real(x, single) => Value::Real(x.stored(), *single),
            other => other.clone(),
        }
    }

    /// True unless undefined.
    pub fn is_defined(&self) -> bool {
        !matches!(self, Value::Undefined)
    }

    /// The integer, also of a truth value.
    ///
    /// # Errors
    /// Anything else.
    pub fn as_int(&self) -> Result<i128, Fault> {
        match self {
            Value::Int(x, _) => Ok(*x),
            Value::Bool(b) => Ok(i128::from(*b)),
            other => Err(fault("OB6014", format!("an integer is needed here, not {}", other.describe()))),
        }
    }

    /// The truth value, also of an integer.
    ///
    /// # Errors
    /// Anything else.
    pub fn as_bool(&self) -> Result<bool, Fault> {
        match self {
            Value::Bool(b) => Ok(*b),
            Value::Int(x, _) => Ok(*x != 0),
            other => Err(fault("OB6014", format!("a truth value is needed here, not {}", other.describe()))),
        }
    }

    /// The number, whatever its type.
    ///
    /// # Errors
    /// Text and undefined values.
    pub fn as_scalar(&self) -> Result<S, Fault> {
        match self {
            Value::Real(x, _) => Ok(x.clone()),
            Value::Int(..) | Value::Bool(_) => Ok(S::constant(self.as_int()? as f64)),
            other => Err(fault("OB6014", format!("a number is needed here, not {}", other.describe()))),
        }
    }

    /// For messages.
    pub fn describe(&self) -> String {
        match self {
            Value::Undefined => "an undefined value".into(),
            Value::Real(x, _) => format!("the real {:?}", x.value()),
            Value::Int(x, _) => format!("the integer {x}"),
            Value::Bool(b) => format!("the truth value {b}"),
            Value::Text(t) => format!("the text {t:?}"),
        }
    }
}

/// Extents of an array.
pub type Shape = SmallVec<[usize; 2]>;

/// What an expression yields.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<S> {
    /// One element.
    One(Value<S>),
    /// An array, its elements in memory order of the program.
    Many(Shape, Vec<Value<S>>),
}

impl<S: Scalar> Operand<S> {
    /// The one element.
    ///
    /// # Errors
    /// An array.
    pub fn one(self) -> Result<Value<S>, Fault> {
        match self {
            Operand::One(v) => Ok(v),
            Operand::Many(shape, _) => Err(fault("OB6015", format!("one element is needed here, not an array of shape {:?}", &shape[..]))),
        }
    }

    /// The elements, whatever the shape.
    pub fn elements(&self) -> &[Value<S>] {
        match self {
            Operand::One(v) => std::slice::from_ref(v),
            Operand::Many(_, list) => list,
        }
    }

    /// The elements, to be changed.
    pub fn elements_mut(&mut self) -> &mut [Value<S>] {
        match self {
            Operand::One(v) => std::slice::from_mut(v),
            Operand::Many(_, list) => list,
        }
    }
}
