//! Labels of `case` as the user writes them: enumerators where an enumeration is asked for, characters where a `char` is.
//!
//! Lives here: the text of labels. Never here: where they stand (see `structured`, `unstructured`).

use crate::unparse::printer::Printer;
use rustc_hash::FxHashMap;
use xaif::model::{Expr, SymbolId};

/// How the labels of one `switch` are written.
pub(crate) enum Labels {
    Numbers,
    Characters,
    Enumerators(FxHashMap<i64, SymbolId>),
}

impl Printer<'_> {
    /// How the values of a selector are written.
    pub(crate) fn labels_of(&self, selector: &Expr) -> Labels {
        let Some(symbol) = selector.as_var().map(|r| self.program.symbol(r.symbol)).filter(|_| self.c) else { return Labels::Numbers };
        let Some(decl) = &symbol.decl else { return Labels::Numbers };
        if decl.type_text == "char" {
            return Labels::Characters;
        }
        let Some(enumeration) = decl.attributes.iter().find(|a| a.starts_with("of:") && symbol.has_attribute("enum")) else {
            return Labels::Numbers;
        };
        let mut named = FxHashMap::default();
        for id in self.program.symbol_ids() {
            let s = self.program.symbol(id);
            let value = s.decl.as_ref().and_then(|d| d.init.as_ref()?.as_int());
            if let Some(value) = value.filter(|_| s.has_attribute("enumerator") && s.has_attribute(enumeration)) {
                named.entry(value).or_insert(id);
            }
        }
        Labels::Enumerators(named)
    }

    /// The label of a value, or of all that have none.
    pub(crate) fn label_of(&mut self, labels: &Labels, value: Option<i64>) -> String {
        let Some(value) = value else { return "default:".to_owned() };
        match labels {
            Labels::Enumerators(named) => {
                if let Some(&id) = named.get(&value) {
                    return format!("case {}:", self.name(id));
                }
            }
            Labels::Characters => {
                if let Some(c) = u8::try_from(value).ok().filter(|c| (b' '..=b'~').contains(c)) {
                    return format!("case '{}':", char::from(c).escape_default());
                }
            }
            Labels::Numbers => {}
        }
        format!("case {value}:")
    }
}
