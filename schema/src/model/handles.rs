//! Handles of what a program has, and what any part of it may carry: a place, and what is passed through.
//!
//! Lives here: plain data that knows no other part of the model. Never here: what handles stand for.

use smol_str::SmolStr;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

handle!(
    /// A scope of [`super::Program::scopes`].
    ScopeId
);
handle!(
    /// A symbol of [`super::Program::symbols`].
    SymbolId
);
handle!(
    /// A unit of [`super::Program::units`].
    UnitId
);
handle!(
    /// A source text of [`super::Program::sources`].
    SourceId
);

/// Attributes and child elements that the model does not interpret, kept so that writing gives them back.
///
/// Empty for almost every element, hence boxed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras(pub Option<Box<Vec<(SmolStr, SmolStr)>>>);

/// Where something stands. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Which text; [`Span::XML`] for the XAIF document itself.
    pub source: SourceId,
    /// First line, 0 if unknown.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
}

impl Span {
    /// The pseudo source of positions in the XAIF document itself.
    pub const XML: SourceId = SourceId(u32::MAX);
    /// No position known.
    pub const NONE: Span = Span { source: Span::XML, line: 0, column: 0, end_line: 0, end_column: 0 };

    /// True where a position is known.
    pub fn is_known(&self) -> bool {
        self.line > 0
    }
}

impl Default for Span {
    fn default() -> Self {
        Span::NONE
    }
}
