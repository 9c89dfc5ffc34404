//! Which structures pointers may lead to.
//!
//! TARGET says that a pointer may be another name for a variable. Where no text declares a pointer that could be one, it says nothing.
//!
//! Lives here: what pointers the texts declare. Never here: what a pointer stands for (see `control::pointers`).

use crate::parse::context::state::Lower;
use crate::parse::context::structures::{Pointers, type_name};
use crate::parse::text::tree::{child, field, walk};
use rustc_hash::FxHashSet;
use xaif::model::*;

impl<'t> Lower<'t> {
    fn pointers(&self) -> &Pointers {
        self.pointers.get_or_init(|| {
            let mut out = Pointers::default();
            for f in self.files {
                out.any |= f.lower(f.tree.root_node()).contains("c_loc");
                walk(f.tree.root_node(), &mut |n| {
                    match n.kind() {
                        "variable_declaration" => {
                            let mut cursor = n.walk();
                            let is_pointer = n.children_by_field_name("attribute", &mut cursor).any(|a| f.lower(a) == "pointer");
                            match field(n, "type").filter(|t| is_pointer && t.kind() != "procedure") {
                                Some(t) if t.kind() == "intrinsic_type" => out.plain = true,
                                Some(t) => out.types.extend(type_name(&f.squeezed(t))),
                                None => {}
                            }
                        }
                        "variable_modification" => out.any |= f.lower(n).contains("pointer"),
                        "cray_pointer_declaration" => out.any = true,
                        _ => {}
                    }
                    true
                });
            }
            out
        })
    }

    /// Whether a pointer may be another name for a structure of this type as a whole, or for a structure in it.
    pub fn may_be_pointed_at(&self, of: &str) -> bool {
        let pointers = self.pointers();
        let plain = |t: &str| t.split('@').next().unwrap_or_default().to_owned();
        // A type under another name may be any.
        let unknown = |t: &String| self.definitions().get(t).is_none_or(|d| d.len() != 1);
        if pointers.any || pointers.types.iter().any(|t| unknown(t) || self.is_kind_of(t, &plain(of))) {
            return true;
        }
        let (mut seen, mut open) = (FxHashSet::default(), vec![plain(of)]);
        while let Some(t) = open.pop() {
            if pointers.types.contains(&t) {
                return true;
            }
            if !seen.insert(t.clone()) {
                continue;
            }
            for &(file, definition) in self.definitions().get(&t).into_iter().flatten() {
                let f = &self.files[file];
                walk(definition, &mut |n| {
                    match n.kind() {
                        "base_type_specifier" => open.extend(child(n, "identifier").map(|p| f.lower(p))),
                        "derived_type" => open.extend(type_name(&f.squeezed(n))),
                        _ => {}
                    }
                    true
                });
            }
        }
        false
    }

    /// What TARGET of a structure says of its component's variable: pointers to numbers may lead there.
    pub fn as_target(&self, decl: &mut Decl) {
        if self.pointers().plain {
            decl.attributes.push("target".into());
            decl.may_alias = true;
        }
    }
}
