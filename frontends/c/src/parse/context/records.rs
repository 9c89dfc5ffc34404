//! Structures and unions that are defined: their members.
//!
//! Lives here: what is kept of a definition. Never here: how it is read (see `types`).

use crate::parse::language::types::CType;
use smol_str::SmolStr;

/// A member.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Empty for a structure or union whose members are members of the outer one.
    pub name: SmolStr,
    pub ty: CType,
    /// The type of what stands in it, as it was spelled.
    pub text: SmolStr,
    /// It has a width in bits.
    pub bits: bool,
    /// It is declared `const`.
    pub constant: bool,
    pub volatile: bool,
}

/// A structure or union that is defined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub fields: Vec<Field>,
    pub union: bool,
    /// The definition's text without its name, where derivative code does not know the name.
    pub text: Option<SmolStr>,
    /// Members that are not understood.
    pub odd: bool,
}

/// A member with the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub field: Field,
    /// It shares its memory with other members.
    pub in_union: bool,
    /// Its type is that of a cast in the text, not that of the definition.
    pub assumed: bool,
    /// It is no member, but what a function of this name hands out.
    pub handed_out: bool,
    /// It is a member of a union of numbers: the field is the array that stands for all of them, and this says where in it the member begins, and its type.
    pub overlay: Option<(i64, CType)>,
}

impl Found {
    /// The type of what was asked for.
    pub fn ty(self) -> CType {
        self.overlay.map_or(self.field.ty, |(_, ty)| ty)
    }
}
