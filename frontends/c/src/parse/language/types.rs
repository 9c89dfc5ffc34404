//! The types of C, as far as programs can use them here.
//!
//! Lives here: the type representation, sizes, promotions, the model's element types. Never here: syntax (see `declarations`).

use smol_str::SmolStr;
use std::rc::Rc;
use xaif::model::{BaseType, ElemType, Expr};

/// An extent of an array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Extent {
    /// `[]`, `[*]`
    Unknown,
    /// A constant.
    Fixed(i64),
    /// An expression over what is known on entry.
    Variable(Rc<Expr>),
    /// An expression that is not known on entry, with the bytes where it stands.
    Late(usize, usize),
    /// The rows of `double **a`, which lie wherever pointers to them say.
    Rows,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CType {
    Void,
    Bool,
    Int {
        bits: u16,
        unsigned: bool,
        char: bool,
    },
    Real(u16),
    Pointer(Rc<Pointee>),
    Array(Rc<CType>, Extent),
    Function(Rc<Signature>),
    /// A pointer to a function, by its declaration with an `@` for the name: a number that stands for the function.
    Callback(SmolStr),
    /// struct or union
    Record(SmolStr),
    /// Anything else.
    Other(SmolStr),
}

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pointee {
    pub to: CType,
    pub constant: bool,
    pub restrict: bool,
}

/// A parameter of a signature.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub name: SmolStr,
    /// Bytes of the name.
    pub place: (usize, usize),
    /// Arrays are still arrays here.
    pub ty: CType,
    pub constant: bool,
    pub text: SmolStr,
    pub restrict: bool,
}

/// A function type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature {
    pub result: CType,
    pub parameters: Vec<Parameter>,
    pub variadic: bool,
    /// `()`: nothing is known of the parameters.
    pub unknown: bool,
    pub old_style: bool,
}

/// Same element type, `const` apart.
pub(crate) fn same_element(a: &CType, b: &CType) -> bool {
    match (a, b) {
        (CType::Array(x, m), CType::Array(y, n)) => (*m == Extent::Rows) == (*n == Extent::Rows) && same_element(x, y),
        (CType::Int { bits: x, char: c, .. }, CType::Int { bits: y, char: d, .. }) => x == y && c == d,
        _ => a == b,
    }
}

impl Signature {
    /// The declaration of a pointer to such a function, with an `@` for its name. `spelled`: how structures are called.
    pub fn pointer(&self, spelled: &dyn Fn(&CType) -> SmolStr) -> SmolStr {
        let list: Vec<String> = self.parameters.iter().map(|p| declared(&p.ty, &p.text, String::new(), spelled)).collect();
        let list = match () {
            () if self.unknown => String::new(),
            () if self.variadic => format!("{}, ...", list.join(", ")),
            () if list.is_empty() => "void".to_owned(),
            () => list.join(", "),
        };
        declared(&self.result, "", format!("(*@)({list})"), spelled).into()
    }
}

/// A declaration of a type; `base`: how what is left without pointers and arrays is spelled.
fn declared(ty: &CType, base: &str, name: String, spelled: &dyn Fn(&CType) -> SmolStr) -> String {
    match ty {
        CType::Pointer(p) => {
            let inner = if matches!(p.to, CType::Array(..) | CType::Function(_)) { format!("(*{name})") } else { format!("*{name}") };
            let plain = !matches!(p.to, CType::Pointer(_));
            format!("{}{}", if p.constant && plain { "const " } else { "" }, declared(&p.to, base, inner, spelled))
        }
        CType::Array(of, extent) => {
            let n = if let Extent::Fixed(n) = extent { n.to_string() } else { String::new() };
            declared(of, base, format!("{name}[{n}]"), spelled)
        }
        CType::Callback(text) => text.replace('@', &name),
        other => {
            let word = if base.is_empty() || base.contains('@') { spelled(other) } else { base.into() };
            let space = if name.is_empty() { "" } else { " " };
            format!("{word}{space}{name}")
        }
    }
}

impl CType {
    pub const INT: CType = CType::Int { bits: 32, unsigned: false, char: false };
    pub const LONG: CType = CType::Int { bits: 64, unsigned: false, char: false };
    pub const SIZE: CType = CType::Int { bits: 64, unsigned: true, char: false };

    pub fn pointer(to: CType, constant: bool) -> CType {
        CType::Pointer(Rc::new(Pointee { to, constant, restrict: false }))
    }

    pub fn is_arithmetic(&self) -> bool {
        matches!(self, CType::Bool | CType::Int { .. } | CType::Real(_) | CType::Callback(_))
    }

    pub fn is_integer(&self) -> bool {
        matches!(self, CType::Bool | CType::Int { .. } | CType::Callback(_))
    }

    pub fn is_real(&self) -> bool {
        matches!(self, CType::Real(_))
    }

    pub fn is_unsigned(&self) -> bool {
        matches!(self, CType::Int { unsigned: true, .. })
    }

    /// The model's type of a value, or of an element of an array.
    pub fn elem(&self) -> ElemType {
        match self {
            CType::Void => ElemType { base: BaseType::Void, bits: 0 },
            CType::Bool => ElemType::BOOL,
            CType::Int { bits, char: true, .. } => ElemType { base: BaseType::Char, bits: *bits },
            CType::Int { bits, .. } => ElemType { base: BaseType::Integer, bits: *bits },
            CType::Callback(_) => ElemType { base: BaseType::Integer, bits: 64 },
            CType::Real(bits) => ElemType { base: BaseType::Real, bits: *bits },
            CType::Array(of, _) => of.elem(),
            _ => ElemType { base: BaseType::Opaque, bits: 0 },
        }
    }

    /// Element type of an array of any rank, else the type itself.
    pub fn element(&self) -> &CType {
        let mut t = self;
        while let CType::Array(of, _) = t {
            t = of;
        }
        t
    }

    /// Number of array dimensions.
    pub fn rank(&self) -> usize {
        let (mut t, mut n) = (self, 0);
        while let CType::Array(of, _) = t {
            t = of;
            n += 1;
        }
        n
    }

    /// True for a row of `double **a`: what C has in its place is a pointer to its first element.
    pub fn is_row(&self) -> bool {
        matches!(self, CType::Array(_, Extent::Rows))
    }

    /// Pointers to pointers to numbers, and arrays of such pointers, as arrays of rows; any other type as it is.
    pub fn with_rows(&self) -> CType {
        let row = |to: &CType| match to {
            CType::Pointer(p) if p.to.is_arithmetic() && !matches!(p.to, CType::Int { char: true, .. }) => {
                Some((CType::Array(Rc::new(p.to.clone()), Extent::Rows), p.constant))
            }
            _ => None,
        };
        match self {
            CType::Pointer(p) => match row(&p.to) {
                Some((to, constant)) => CType::Pointer(Rc::new(Pointee { to, constant, restrict: p.restrict })),
                None => self.clone(),
            },
            CType::Array(of, extent) => row(of).map_or_else(|| self.clone(), |(of, _)| CType::Array(Rc::new(of), extent.clone())),
            _ => self.clone(),
        }
    }

    /// For what `with_rows` sees as rows: whether their elements are constant, and whether the pointers to them are.
    pub fn constant_rows(&self) -> Option<(bool, bool)> {
        let (to, pointers) = match self {
            CType::Pointer(p) => (&p.to, p.constant),
            CType::Array(of, _) => (&**of, false),
            _ => return None,
        };
        match to {
            CType::Pointer(p) if self.with_rows() != *self => Some((p.constant, pointers)),
            _ => None,
        }
    }

    /// The extents, outermost first.
    pub fn extents(&self) -> Vec<Extent> {
        let (mut t, mut out) = (self, Vec::new());
        while let CType::Array(of, extent) = t {
            out.push(extent.clone());
            t = of;
        }
        out
    }

    /// `sizeof`, where it is a constant.
    pub fn size(&self) -> Option<i64> {
        match self {
            CType::Void | CType::Bool => Some(1),
            CType::Int { bits, .. } => Some(i64::from(*bits) / 8),
            CType::Real(80) => Some(16),
            CType::Real(bits) => Some(i64::from(*bits) / 8),
            CType::Pointer(_) | CType::Callback(_) | CType::Array(_, Extent::Rows) => Some(8),
            CType::Array(of, Extent::Fixed(n)) => of.size()?.checked_mul(*n),
            _ => None,
        }
    }

    /// How the type is spelled in a cast.
    pub fn spelling(&self) -> SmolStr {
        if let CType::Callback(text) = self {
            return text.clone();
        }
        SmolStr::new_static(match self {
            CType::Void => "void",
            CType::Bool => "_Bool",
            CType::Int { char: true, .. } => "char",
            CType::Int { bits: 8, unsigned: false, .. } => "signed char",
            CType::Int { bits: 8, .. } => "unsigned char",
            CType::Int { bits: 16, unsigned: false, .. } => "short",
            CType::Int { bits: 16, .. } => "unsigned short",
            CType::Int { bits: 32, unsigned: false, .. } => "int",
            CType::Int { bits: 32, .. } => "unsigned int",
            CType::Int { unsigned: false, .. } => "long",
            CType::Int { .. } => "unsigned long",
            CType::Real(32) => "float",
            CType::Real(80) => "long double",
            CType::Real(_) => "double",
            _ => "",
        })
    }

    /// For messages.
    pub fn describe(&self) -> String {
        match self {
            CType::Pointer(p) => format!("pointer to {}", p.to.describe()),
            CType::Array(of, _) => format!("array of {}", of.describe()),
            CType::Function(_) => "function".into(),
            CType::Callback(_) => "pointer to a function".into(),
            CType::Record(name) => name.split(" (").next().unwrap_or_default().to_owned(),
            CType::Other(name) => name.to_string(),
            other => other.spelling().to_string(),
        }
    }

    /// Integer promotion.
    pub fn promoted(&self) -> CType {
        match self {
            CType::Bool => CType::INT,
            CType::Int { bits, .. } if *bits < 32 => CType::INT,
            CType::Int { bits, unsigned, .. } => CType::Int { bits: *bits, unsigned: *unsigned, char: false },
            other => other.clone(),
        }
    }

    /// The usual arithmetic conversions.
    pub fn common(a: &CType, b: &CType) -> CType {
        match (a.promoted(), b.promoted()) {
            (CType::Real(x), CType::Real(y)) => CType::Real(x.max(y)),
            (CType::Real(x), _) | (_, CType::Real(x)) => CType::Real(x),
            (CType::Int { bits: x, unsigned: u, .. }, CType::Int { bits: y, unsigned: v, .. }) => CType::Int {
                bits: x.max(y),
                unsigned: match x.cmp(&y) {
                    std::cmp::Ordering::Greater => u,
                    std::cmp::Ordering::Less => v,
                    std::cmp::Ordering::Equal => u || v,
                },
                char: false,
            },
            (x, _) => x,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_follow_the_standard() {
        let short = CType::Int { bits: 16, unsigned: true, char: false };
        let uint = CType::Int { bits: 32, unsigned: true, char: false };
        assert_eq!(CType::common(&short, &short), CType::INT);
        assert_eq!(CType::common(&uint, &CType::INT), uint);
        assert_eq!(CType::common(&uint, &CType::LONG), CType::LONG);
        assert_eq!(CType::common(&CType::Real(32), &CType::LONG), CType::Real(32));
        assert_eq!(CType::Array(Rc::new(CType::Real(64)), Extent::Fixed(3)).size(), Some(24));
    }
}
