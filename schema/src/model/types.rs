//! Types of values.
//!
//! Lives here: the type of one value. Never here: shapes, declarations.

/// The kind of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BaseType {
    /// None.
    Void,
    /// Floating point.
    #[default]
    Real,
    /// Integer of any width and sign.
    Integer,
    /// Complex.
    Complex,
    /// Truth values.
    Bool,
    /// One character.
    Char,
    /// Text.
    String,
    /// Anything else, passed through.
    Opaque,
}

/// Type of one value: base and width. The width of a real is 32, 64, 80 or 128 bits; 0 stands for the language's default or for unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ElemType {
    /// The base.
    pub base: BaseType,
    /// Width in bits, 0 if not known.
    pub bits: u16,
}

impl ElemType {
    /// Double precision.
    pub const REAL64: ElemType = ElemType { base: BaseType::Real, bits: 64 };
    /// The default integer.
    pub const INTEGER: ElemType = ElemType { base: BaseType::Integer, bits: 32 };
    /// Truth value.
    pub const BOOL: ElemType = ElemType { base: BaseType::Bool, bits: 0 };

    /// True for real numbers.
    pub fn is_real(self) -> bool {
        self.base == BaseType::Real
    }

    /// What values of the type are: a character with a width is C's `char`, a whole number.
    pub fn value_base(self) -> BaseType {
        if self.base == BaseType::Char && self.bits > 0 { BaseType::Integer } else { self.base }
    }
}
