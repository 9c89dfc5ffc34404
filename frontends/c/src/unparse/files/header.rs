//! A header with the interfaces of the derivative functions, for C and C++.
//!
//! Lives here: the header. Never here: function bodies.

use crate::unparse::facts::symbols::is_private;
use crate::unparse::language::c_types;
use crate::unparse::printer::Printer;
use crate::unparse::text::layout::{Line, comment_lines, render};
use xaif::model::{SymbolId, UnitId};

impl Printer<'_> {
    /// The text of the header.
    pub fn header(&mut self) -> String {
        let units: Vec<UnitId> = self.program.unit_ids().filter(|&u| self.program.unit(u).derivation.is_some()).collect();
        let stem: String = match self.program.sources.first() {
            Some(s) => s.file.rsplit(['/', '\\']).next().unwrap_or_default().to_string(),
            None => self.program.name.to_string(),
        };
        let guard: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
        let guard = format!("OVERBAR_{}_DERIVATIVES", guard.trim_matches('_'));
        let mut lines: Vec<Line> = comment_lines(&self.program.provenance).into_iter().map(|l| Line::Text(0, l)).collect();
        let raw = |s: &str| Line::Raw(s.to_string());
        lines.extend([raw(&format!("#ifndef {guard}")), raw(&format!("#define {guard}")), Line::Blank]);
        lines.extend([raw("#ifdef __cplusplus"), raw("extern \"C\" {"), raw("#endif"), Line::Blank]);
        for (derivative, original) in self.derivative_globals() {
            if let Some(d) = self.exported(derivative, original) {
                lines.push(Line::Text(0, d));
            }
        }
        for u in units {
            let unit = self.program.unit(u);
            self.enter(unit);
            if self.prefixes(unit).contains("static") {
                continue;
            }
            let bare = self.prototype(u, true);
            let variable = unit.formals.iter().any(|f| self.has_variable_rows(f.symbol));
            if variable {
                // C++ has no arrays whose extents are arguments.
                lines.push(raw("#ifdef __cplusplus"));
                lines.push(Line::Text(0, bare));
                lines.push(raw("#else"));
                let full = self.prototype(u, false);
                lines.push(Line::Text(0, full));
                lines.push(raw("#endif"));
            } else {
                lines.push(Line::Text(0, bare));
            }
        }
        lines.extend([Line::Blank, raw("#ifdef __cplusplus"), raw("}"), raw("#endif"), Line::Blank, raw("#endif")]);
        render(&lines, "  ")
    }

    fn exported(&mut self, derivative: SymbolId, original: SymbolId) -> Option<String> {
        if is_private(self.program.symbol(original)) {
            return None;
        }
        self.names.enter_file();
        let mut d = self.variable(derivative, "extern ");
        let ty = self.type_text(derivative);
        if self.c && !c_types::is_builtin_spelling(&ty) {
            d.head = d.head.replace(ty.as_str(), &self.portable_type(derivative));
        }
        Some(format!("{};", d.text()))
    }

    fn has_variable_rows(&self, s: SymbolId) -> bool {
        self.program.symbol(s).rank > 1
            && !self.flat.contains(&s)
            && self.extents(s).iter().skip(1).any(|e| e.as_ref().is_none_or(|e| e.as_int().is_none()))
    }
}
