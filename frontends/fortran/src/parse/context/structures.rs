//! What is known of derived types: their components and the procedures bound to them.
//!
//! Lives here: the tables, and what a name says of a component. Never here: how they are filled (see `derived_types`).

use crate::parse::text::tree::named;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use tree_sitter::Node;
use xaif::model::*;

/// The attribute of a function whose result is a structure: in the model a subroutine, whose last argument is what it returns. The back end knows it by this text.
pub const RETURNS: &str = "returns structure";

/// A component of a derived type, or one of a component.
#[derive(Clone)]
pub struct Member<'t> {
    /// `inner%x`
    pub path: String,
    pub ty: ElemType,
    pub text: SmolStr,
    pub dims: Vec<Dim>,
    pub allocatable: bool,
    /// A pointer: what it leads to is no part of the structure.
    pub pointer: bool,
    /// The initial value of every new variable, where the type is defined.
    pub init: Option<(Node<'t>, usize, ScopeId)>,
}

/// What is known of a derived type.
#[derive(Clone, Default)]
pub struct Members<'t> {
    pub list: Vec<Member<'t>>,
    /// There are no other components.
    pub complete: bool,
}

/// The name in `type(name)` and `class(name)`; a complex type is one with two components, whose name no type of the text can have.
pub fn type_name(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if let Some(bits) = complex_bits(&lower) {
        return Some(format!("complex({})", kind_of_bits(bits)));
    }
    let (word, rest) = lower.split_once('(')?;
    matches!(word.trim(), "type" | "class").then(|| rest.trim_end_matches([')', ' ']).trim().to_owned())
}

/// How a complex type is spelled whose parts have that many bits.
pub fn complex_text(bits: u16) -> SmolStr {
    match bits {
        32 => "complex".into(),
        bits => smol_str::format_smolstr!("complex({})", kind_of_bits(bits)),
    }
}

/// The bits of each part where that text is a complex type as [`complex_text`] spells it.
pub fn complex_bits(text: &str) -> Option<u16> {
    let kind = text.strip_prefix("complex")?;
    match kind {
        "" => Some(32),
        _ => match kind.strip_prefix('(')?.strip_suffix(')')?.parse().ok()? {
            10 => Some(80),
            kind => Some(kind * 8u16),
        },
    }
}

fn kind_of_bits(bits: u16) -> u16 {
    if bits == 80 { 10 } else { bits / 8 }
}

/// True for a component's variable.
pub fn is_member(symbol: &Symbol) -> bool {
    symbol.name.contains('%')
}

/// The variables of a structure's components.
pub fn members_in(program: &Program, base: SymbolId) -> Vec<SymbolId> {
    let s = program.symbol(base);
    if s.ty.base != BaseType::Opaque || s.kind != SymbolKind::Variable {
        return Vec::new();
    }
    let start = format!("{}%", s.name);
    let all = program.scope(s.scope).symbols.iter().copied();
    all.filter(|m| program.symbol(*m).name.get(..start.len()).is_some_and(|n| n.eq_ignore_ascii_case(&start))).collect()
}

/// The pointers of all texts.
#[derive(Default)]
pub struct Pointers {
    /// Types of structures that pointers lead to, by name.
    pub types: FxHashSet<String>,
    /// There are pointers to numbers, truth values or text.
    pub plain: bool,
    /// There are pointers that may lead anywhere.
    pub any: bool,
}

/// Which argument the object is.
#[derive(Clone, Debug, PartialEq)]
pub enum Pass {
    First,
    Named(String),
    Nowhere,
}

/// A procedure under a name of a type.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Its own name; `None` where it is deferred.
    pub procedure: Option<String>,
    pub pass: Pass,
    /// NON_OVERRIDABLE
    pub last: bool,
}

/// What the definition of a type says of procedures.
pub struct Bindings {
    /// The module around the definition.
    pub scope: ScopeId,
    pub specific: FxHashMap<String, Binding>,
    /// Generic names with those of bindings.
    pub generic: FxHashMap<String, Vec<String>>,
}

/// Whether a node is a component, or an element of one.
pub fn is_component(node: Node) -> bool {
    match node.kind() {
        "derived_type_member_expression" => true,
        "call_expression" => named(node).first().is_some_and(|c| c.kind() == "derived_type_member_expression"),
        _ => false,
    }
}
