//! What is said of one entity: attributes, bounds, initial values.
//!
//! Lives here: the parts of a declaration. Never here: the order of declarations.

use super::order::Declarations;
use crate::unparse::language::tables;
use crate::unparse::text::problems;
use xaif::model::{Bound, Dim, Expr, Formal, Intent, Passing, Storage, Symbol, SymbolId};

impl<'w, 'c, 'p> Declarations<'w, 'c, 'p> {
    /// The attributes of an entity, in the order in which they are written.
    pub fn attributes(&self, s: SymbolId, symbol: &Symbol, formal: Option<&Formal>) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let has = |a: &str| symbol.has_attribute(a);
        if *symbol.storage() == Storage::Constant {
            out.push("parameter".into());
            if self.in_module && has("private") {
                out.push("private".into());
            }
            return out;
        }
        let is_result = formal.is_some_and(|f| f.result);
        if let Some(f) = formal.filter(|f| !f.result) {
            let value = symbol.passing() == Passing::Value;
            if value {
                out.push("value".into());
            }
            if f.intent_declared && !(value && f.intent != Intent::In) && !(value && self.w.cx.foreign) {
                let intent = match f.intent {
                    Intent::In => "in",
                    Intent::Out => "out",
                    Intent::Inout => "inout",
                };
                out.push(format!("intent({intent})"));
            }
        }
        let deferred = has("heap") || (symbol.rank > 0 && formal.is_none() && self.open(symbol));
        for a in
            ["allocatable", "pointer", "target", "optional", "contiguous", "volatile", "asynchronous", "private", "public", "protected"]
        {
            let module_only = matches!(a, "private" | "public" | "protected");
            let formal_only = a == "optional";
            if a == "private" && self.shown.contains(&s) {
                continue;
            }
            if has(a) && (!module_only || self.in_module) && (!formal_only || formal.is_some_and(|f| !f.result)) {
                out.push(a.into());
            }
        }
        if deferred && !has("allocatable") && !has("pointer") {
            out.push("allocatable".into());
        }
        let saved = *symbol.storage() == Storage::Static || (has("save") && formal.is_none());
        if saved && !is_result && !self.in_module {
            out.push("save".into());
        }
        out
    }

    /// True where some upper bound is not known.
    fn open(&self, symbol: &Symbol) -> bool {
        match &symbol.decl {
            Some(d) if !d.dims.is_empty() => d.dims.iter().any(|d| d.upper == Bound::Unknown),
            _ => symbol.bounds.is_empty(),
        }
    }

    /// `(n, 0:m)`
    pub fn dimensions(&mut self, symbol: &Symbol, formal: Option<&Formal>) -> String {
        if symbol.rank == 0 {
            return String::new();
        }
        let program = self.w.cx.program;
        let mut dims: Vec<Dim> = symbol.decl.as_ref().map_or(Vec::new(), |d| d.dims.clone());
        if dims.is_empty() {
            let number = |n: i64| Bound::Expr(Expr::int(n));
            dims = symbol.bounds.iter().map(|&(l, u)| Dim { lower: number(l), upper: number(u) }).collect();
            if !self.w.cx.row {
                dims.reverse(); // stock files list the slowest dimension first
            }
        }
        dims.resize(usize::from(symbol.rank), Dim::default());
        if self.w.cx.row {
            dims.reverse();
        }
        let has = |a: &str| symbol.has_attribute(a);
        let deferred = has("allocatable") || has("pointer") || has("heap") || (formal.is_none() && self.open(symbol));
        let last = dims.len() - 1;
        let only_last_open = dims[..last].iter().all(|d| d.upper != Bound::Unknown);
        let described = symbol.passing() == Passing::Descriptor || !only_last_open;
        if described && formal.is_some() && !deferred && self.w.cx.foreign {
            let what = format!("the array `{}`", symbol.name);
            let cx = self.w.cx;
            cx.refuse(problems::no_counterpart(program, symbol.span, what, "an extent other than the first is not known"));
        }
        let constant = *symbol.storage() == Storage::Constant;
        let mut texts = Vec::with_capacity(dims.len());
        for (i, d) in dims.iter().enumerate() {
            if deferred {
                texts.push(":".to_owned());
                continue;
            }
            let lower = match &d.lower {
                Bound::Expr(e) if e.as_int() != Some(1) => format!("{}:", self.w.plain(e)),
                _ => String::new(),
            };
            texts.push(match &d.upper {
                Bound::Expr(e) => format!("{lower}{}", self.w.plain(e)),
                Bound::Unknown if described => {
                    if lower.is_empty() {
                        ":".into()
                    } else {
                        lower
                    }
                }
                Bound::Unknown if i == last || constant => format!("{lower}*"),
                Bound::Unknown => ":".into(),
            });
        }
        format!("({})", texts.join(", "))
    }

    /// ` = value`
    pub fn initial(&mut self, symbol: &Symbol) -> String {
        let cx = self.w.cx;
        let Some(d) = &symbol.decl else { return String::new() };
        if !matches!(d.storage, Storage::Constant | Storage::Static | Storage::Global | Storage::Local) {
            return String::new();
        }
        // A local's first value is an assignment in C; in Fortran it makes the variable a saved one.
        if d.storage == Storage::Local && (cx.foreign || d.derivative_of.is_some()) {
            return String::new();
        }
        if !d.init_text.is_empty() && !cx.foreign {
            let sign = if symbol.has_attribute("pointer") { "=>" } else { "=" };
            return format!(" {sign} {}", d.init_text.trim());
        }
        if let Some(e) = &d.init {
            let from = xaif::types::of(cx.program, e).elem;
            let before = std::mem::replace(&mut self.w.no_prelude, true);
            let p = self.w.expr(e);
            let p = self.w.assigned(p, from, symbol.ty);
            self.w.no_prelude = before;
            return format!(" = {}", p.text);
        }
        if d.init_text.is_empty() {
            if d.storage == Storage::Constant {
                cx.refuse(problems::malformed(cx.program, symbol.span, format!("the named constant `{}` has no value", symbol.name)));
            }
            return String::new();
        }
        match tables::from_braces(&d.init_text, symbol) {
            Some(text) => format!(" = {text}"),
            None => {
                let what = format!("the initial value `{}` of `{}`", d.init_text, symbol.name);
                cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, "only complete tables of numbers are translated"));
                String::new()
            }
        }
    }
}
