//! What a scope holds that the model's scope does not: USE lines, implicit types, generic names.
//!
//! Lives here: the tables of one scope. Never here: the search through several (see `names`).

use super::overlays::Overlay;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use tree_sitter::Node;
use xaif::model::*;

/// The type that a declaration spells.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSpec {
    pub ty: ElemType,
    pub text: SmolStr,
}

/// USE of a module.
#[derive(Clone, Debug)]
pub struct Use {
    pub module: String,
    /// The module's scope, if it is in the program.
    pub scope: Option<ScopeId>,
    /// The local names of an ONLY list, lower case.
    pub only: Option<FxHashSet<String>>,
    /// Local names of renamed entities with their own names, lower case.
    pub renames: FxHashMap<String, String>,
}

impl Use {
    /// The name that an entity has in the module, if this makes it visible under a local name.
    pub fn name_there<'n>(&'n self, local: &'n str) -> Option<&'n str> {
        // What is renamed is not visible by its own name.
        let hidden = || !self.renames.contains_key(local) && self.renames.values().any(|n| n == local);
        let visible = self.only.as_ref().map_or_else(|| !hidden(), |o| o.contains(local));
        visible.then(|| self.renames.get(local).map_or(local, String::as_str))
    }
}

/// A statement function.
#[derive(Clone, Copy)]
pub struct StatementFunction<'t> {
    pub definition: Node<'t>,
}

/// What the model's scope does not hold.
#[derive(Default)]
pub struct ScopeInfo<'t> {
    /// Type for each first letter; `None`: no implicit typing.
    pub implicit: Option<Vec<TypeSpec>>,
    pub uses: Vec<Use>,
    /// Symbols whose type was declared.
    pub typed: FxHashSet<SymbolId>,
    pub statement_functions: FxHashMap<String, StatementFunction<'t>>,
    /// Generic names with their specific procedures.
    pub generics: FxHashMap<String, Vec<String>>,
    /// Names of NAMELIST groups with their members.
    pub namelists: FxHashMap<String, Vec<SymbolId>>,
    /// Members of COMMON blocks in storage order.
    pub commons: Vec<(SmolStr, Vec<SymbolId>)>,
    /// EQUIVALENCE statements, and the names that turned out to share memory.
    pub equivalences: Vec<Node<'t>>,
    pub overlays: FxHashMap<String, Overlay>,
    /// The result of a function whose shape is known, and the place of the statement that allocates it.
    pub shaped: Option<(SymbolId, usize)>,
    /// Named integer constants.
    pub constants: FxHashMap<String, i64>,
    /// Arrays that were declared with `:`.
    pub deferred: FxHashSet<SymbolId>,
    /// Values of DATA statements by offset in memory.
    pub data: std::collections::BTreeMap<SymbolId, std::collections::BTreeMap<i64, String>>,
    /// USE lines, interface blocks and definitions of types, verbatim.
    pub imports: Vec<String>,
    /// PRIVATE without a list.
    pub default_private: bool,
    pub public: FxHashSet<String>,
    pub private: FxHashSet<String>,
    /// SAVE without a list.
    pub save_all: bool,
}

impl ScopeInfo<'_> {
    /// Whether a module hands a name on to who uses it.
    pub fn is_open(&self, name: &str) -> bool {
        self.public.contains(name) || !self.default_private && !self.private.contains(name)
    }
}

/// The types that names have without declaration: integer for i to n, else default real.
pub fn default_implicit() -> Vec<TypeSpec> {
    (b'a'..=b'z')
        .map(|c| match c {
            b'i'..=b'n' => TypeSpec { ty: ElemType::INTEGER, text: "integer".into() },
            _ => TypeSpec { ty: ElemType { base: BaseType::Real, bits: 32 }, text: "real".into() },
        })
        .collect()
}
