//! Symbols: variables and unit names, with what is known of their declarations.

use super::expr::Expr;
use super::handles::{Extras, ScopeId, Span, SymbolId};
use super::types::{BaseType, ElemType};
use smol_str::SmolStr;

/// What a symbol names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SymbolKind {
    /// A variable or named constant.
    #[default]
    Variable,
    /// A program unit, known or external.
    Subroutine,
    /// A pointer, which the booster does not look through.
    Pointer,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Passing {
    /// The caller's variable itself (Fortran; a C pointer or array).
    #[default]
    Reference,
    /// A copy (C scalars; Fortran VALUE).
    Value,
    /// By reference with a descriptor of its shape (Fortran assumed-shape, allocatable and pointer dummies).
    Descriptor,
}

/// Where a variable lives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Automatic: one for each call.
    #[default]
    Local,
    /// A formal argument.
    Argument,
    /// Local by name but kept between calls (C `static`, Fortran SAVE).
    Static,
    /// File or module scope.
    Global,
    /// Declared here, defined elsewhere.
    Extern,
    /// In the named COMMON block (empty name: blank common).
    Common(SmolStr),
    /// A named constant: PARAMETER, enumerator, or `const` with an initializer that is never written.
    Constant,
}

/// A bound of a dimension.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Bound {
    /// Not declared: `*`, `:`, or a C pointer.
    #[default]
    Unknown,
    /// An integer expression in terms of constants, arguments and globals, with the value it has on entry to the unit.
    Expr(Expr),
}

/// One dimension of an array, in source order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dim {
    /// The lower bound (0 in C, 1 where Fortran says nothing, also for assumed shapes).
    pub lower: Bound,
    /// The upper bound, inclusive.
    pub upper: Bound,
}

/// What the stock format cannot say of a declaration. Exact spellings are for back ends of the same language only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decl {
    /// The type as it was spelled, without declarator, qualifiers or attributes: `double`, `real(kind=wp)`, `character(len=*)`.
    pub type_text: SmolStr,
    /// How it is passed, if it is an argument.
    pub passing: Passing,
    /// Where it lives.
    pub storage: Storage,
    /// The dimensions in source order, as many as [`Symbol::rank`].
    pub dims: Vec<Dim>,
    /// Qualifiers and attributes that matter and that nothing else here says, one word each, lower case: `const`, `restrict`, `volatile`,
    /// `allocatable`, `pointer`, `target`, `optional`, `contiguous`, `save`, `private`, `external`, `intrinsic`, `bind(c)`, `unsigned`, `heap` (a C
    /// pointer that owns what malloc gave), `library` (a function of a system header: it sees nothing of the program but its arguments). Of external units: `keeps` (may keep the
    /// addresses that it gets), `forgets` (its results do not depend on what earlier calls of it or others got), `pure` (changes nothing but its arguments), `refused` (its text was left out).
    pub attributes: Vec<SmolStr>,
    /// The initial value as an expression, where it is a scalar that the model can say.
    pub init: Option<Expr>,
    /// The initial value as it was spelled (without `=`), for tables and all else.
    pub init_text: SmolStr,
    /// Objects for which this holds may overlap each other where their types are the same (C pointers without `restrict`,
    /// Fortran targets and pointers). Others overlap nothing.
    pub may_alias: bool,
    /// The variable whose tangent or adjoint this one is; only in derivative programs.
    pub derivative_of: Option<SymbolId>,
    /// The comment that stood beside the declaration, without comment signs.
    pub comment: SmolStr,
}

/// A symbol. `PartialEq` compares everything, positions included.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// `symbol_id`: unique in its scope.
    pub id: SmolStr,
    /// Source spelling. For stock files the id without its running number (`u_1`: `u`).
    pub name: SmolStr,
    /// The scope that declares it.
    pub scope: ScopeId,
    /// Variable, subroutine or pointer.
    pub kind: SymbolKind,
    /// Base and width.
    pub ty: ElemType,
    /// `feType`, verbatim.
    pub fe_type: SmolStr,
    /// Number of dimensions, 0 to 7.
    pub rank: u8,
    /// Whether `shape` is void rather than scalar (rank 0).
    pub void_shape: bool,
    /// Has, or shall get, a derivative.
    pub active: bool,
    /// Made by a booster, or by a front end that hoisted something.
    pub temp: bool,
    /// `pointer` attribute.
    pub pointer: bool,
    /// Annotation, verbatim.
    pub annotation: SmolStr,
    /// Stock `DimensionBounds` in file order (slowest first).
    pub bounds: Vec<(i64, i64)>,
    /// The exact declaration; `None` in stock files, and for local scalars that were made and of which there is no more to say.
    pub decl: Option<Box<Decl>>,
    /// Where it is declared.
    pub span: Span,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

impl Decl {
    /// The expressions among the bounds of an array, dimension by dimension.
    pub fn bound_exprs(&self) -> impl Iterator<Item = &Expr> {
        self.dims.iter().flat_map(|d| [&d.lower, &d.upper]).filter_map(|b| match b {
            Bound::Expr(e) => Some(e),
            Bound::Unknown => None,
        })
    }
}

impl Symbol {
    /// A scalar variable with that name, type and scope; the id is the name.
    pub fn variable(name: impl Into<SmolStr>, ty: ElemType, scope: ScopeId) -> Symbol {
        Symbol { temp: false, decl: Some(Box::default()), ..Symbol::made(name, ty, scope) }
    }

    /// A local scalar that a booster makes and of which there is no more to say.
    pub fn made(name: impl Into<SmolStr>, ty: ElemType, scope: ScopeId) -> Symbol {
        let name = name.into();
        Symbol {
            id: name.clone(),
            name,
            scope,
            kind: SymbolKind::Variable,
            ty,
            fe_type: SmolStr::default(),
            rank: 0,
            void_shape: false,
            active: false,
            temp: true,
            pointer: false,
            annotation: SmolStr::default(),
            bounds: Vec::new(),
            decl: None,
            span: Span::NONE,
            extras: Extras::default(),
        }
    }

    /// A unit's name.
    pub fn subroutine(name: impl Into<SmolStr>, scope: ScopeId) -> Symbol {
        Symbol { kind: SymbolKind::Subroutine, ..Symbol::variable(name, ElemType { base: BaseType::Void, bits: 0 }, scope) }
    }

    /// True for an array.
    pub fn is_array(&self) -> bool {
        self.rank > 0
    }

    /// True where the declaration carries that attribute.
    pub fn has_attribute(&self, attribute: &str) -> bool {
        self.decl.as_ref().is_some_and(|d| d.attributes.iter().any(|a| a == attribute))
    }

    /// Where it lives; a stock file does not say, so: local.
    pub fn storage(&self) -> &Storage {
        static LOCAL: Storage = Storage::Local;
        self.decl.as_ref().map_or(&LOCAL, |d| &d.storage)
    }

    /// True for an object that no unit can change: a named constant, or one that outlives calls and is defined `const` (C11 6.7.3, paragraph 6).
    pub fn is_fixed(&self) -> bool {
        match self.storage() {
            Storage::Constant => true,
            Storage::Static | Storage::Global | Storage::Extern => self.has_attribute("const"),
            Storage::Local | Storage::Argument | Storage::Common(_) => false,
        }
    }

    /// How it is passed; a stock file passes by reference.
    pub fn passing(&self) -> Passing {
        self.decl.as_ref().map_or(Passing::Reference, |d| d.passing)
    }
}
