//! What a file says of the names that its functions use.
//!
//! Lives here: declarations at file scope, as the walk over functions needs them. Never here: what
//! functions do.

use super::allocation_wrappers::AllocationWrappers;
use super::returned_pointers::ReturnedPointer;
use crate::parse::text::syntax::{declared_depth, declared_name, function_part};
use lang_c::ast::Declaration;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

/// Depth of what a typedef hides.
pub(crate) const HIDDEN: usize = 8;

/// What the file says of names that a function uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileNames {
    /// Typedef names of pointers and arrays.
    pub memory_types: FxHashSet<SmolStr>,
    /// Depth of the variables at file scope.
    pub depths: FxHashMap<SmolStr, usize>,
    /// Integers at file scope.
    pub integers: FxHashSet<SmolStr>,
    /// Functions that only give memory.
    pub giving: FxHashSet<SmolStr>,
    /// Functions that only take it back.
    pub freeing: FxHashSet<SmolStr>,
    /// Functions that only return a pointer into what an argument points to: its position, and how often it is indexed.
    pub pointing: FxHashMap<SmolStr, (usize, usize)>,
}

impl FileNames {
    /// Takes note of functions that give memory or take it back: those of the file, and those of others that it has no function of that name beside.
    pub fn note_wrappers(
        &mut self,
        wrappers: &AllocationWrappers,
        shared: &(FxHashSet<SmolStr>, FxHashSet<SmolStr>),
        own: &FxHashSet<SmolStr>,
    ) {
        self.giving = wrappers.giving.keys().chain(shared.0.difference(own)).cloned().collect();
        self.freeing = wrappers.freeing.keys().chain(shared.1.difference(own)).cloned().collect();
    }

    /// Takes note of functions that return a pointer into what an argument points to.
    pub fn note_returned_pointers(&mut self, found: &FxHashMap<SmolStr, ReturnedPointer>) {
        self.pointing = found.iter().map(|(n, r)| (n.clone(), (r.argument, r.indexed))).collect();
    }

    /// Takes note of a declaration at file scope.
    pub fn note(&mut self, d: &Declaration) {
        use lang_c::ast::{DeclarationSpecifier as S, StorageClassSpecifier, TypeSpecifier};
        let typedef = d.specifiers.iter().any(|s| matches!(&s.node, S::StorageClass(c) if c.node == StorageClassSpecifier::Typedef));
        let hidden = d.specifiers.iter().any(|s| match &s.node {
            S::TypeSpecifier(t) => matches!(&t.node, TypeSpecifier::TypedefName(n) if self.memory_types.contains(n.node.name.as_str())),
            _ => false,
        });
        let words = || {
            d.specifiers.iter().filter_map(|s| match &s.node {
                S::TypeSpecifier(t) => Some(&t.node),
                _ => None,
            })
        };
        let whole = |t: &TypeSpecifier| {
            matches!(t, TypeSpecifier::Int | TypeSpecifier::Long | TypeSpecifier::Short | TypeSpecifier::Unsigned | TypeSpecifier::Signed)
        };
        let integer = words().count() > 0 && words().all(whole);
        for i in &d.declarators {
            let Some((name, _)) = declared_name(&i.node.declarator.node) else { continue };
            if integer && !typedef && i.node.declarator.node.derived.is_empty() {
                self.integers.insert(name.into());
            }
            let depth = declared_depth(&i.node.declarator.node) + if hidden { HIDDEN } else { 0 };
            if typedef && depth > 0 {
                self.memory_types.insert(name.into());
            } else if !typedef && function_part(&i.node.declarator.node).is_none() {
                self.depths.insert(name.into(), depth);
            }
        }
    }
}
