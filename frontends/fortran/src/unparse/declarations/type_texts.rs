//! Types of declarations: as the source spells them where that means the same here.
//!
//! Lives here: the choice of the text. Never here: what a spelling means (see `language`).

use super::access;
use super::order::Declarations;
use crate::unparse::facts::{imports, uses};
use crate::unparse::language::types;
use crate::unparse::text::problems;
use xaif::model::{BaseType, Storage, Symbol, SymbolId};

impl<'w, 'c, 'p> Declarations<'w, 'c, 'p> {
    /// The type of a symbol: the source's spelling where it is Fortran's.
    pub fn type_text(&mut self, symbol: &Symbol) -> String {
        let cx = self.w.cx;
        if !cx.foreign
            && let Some(t) = symbol.decl.as_ref().and_then(|d| types::source_spelling(&d.type_text))
        {
            if self.names_hidden_kind(&t)
                && let Some(spelled) = self.w.spellings.of_type(symbol.ty)
            {
                return spelled;
            }
            let derived = ["type", "class"].iter().any(|w| t.to_ascii_lowercase().starts_with(w));
            if derived && !self.w.cx.beside_text && !self.type_is_imported(&t) {
                let what = format!("the derived type `{t}` without its definition");
                let reason = "definitions of derived types are part of the original text, which the program does not carry";
                cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, reason));
            }
            // Only what somebody else provides can have a type that extends the declared one.
            let own = *symbol.storage() == Storage::Local && !symbol.has_attribute("allocatable") && !symbol.has_attribute("pointer");
            return match t.get(..5) {
                Some(w) if derived && own && w.eq_ignore_ascii_case("class") => format!("type{}", &t[5..]),
                _ => t,
            };
        }
        if cx.foreign && symbol.ty.base == BaseType::Integer && symbol.ty.bits < 32 && symbol.has_attribute("unsigned") {
            let what = format!("the unsigned variable `{}` of {} bits", symbol.name, symbol.ty.bits);
            cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, "Fortran has no unsigned integers, which wrap around"));
        }
        match self.w.spellings.of_type(symbol.ty) {
            Some(t) => t,
            None => {
                let spelled = symbol.decl.as_ref().map_or("", |d| d.type_text.as_str());
                let what = format!("the type `{spelled}` of `{}`", symbol.name);
                cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, "it is neither real, integer nor logical"));
                "real".into()
            }
        }
    }

    /// A kind in the text is a constant of a module that is not seen here: the variable is a copy of one of that module.
    fn names_hidden_kind(&self, text: &str) -> bool {
        let (cx, unit) = (self.w.cx, self.w.unit);
        let program = cx.program;
        let seen = |scope| cx.chain(scope).collect::<Vec<_>>();
        let (u, origin) = (program.unit(unit), program.unit(unit).derivation.map(|d| program.unit(d.of).scope));
        let around: Vec<_> = seen(u.scope).into_iter().chain(origin.into_iter().flat_map(seen)).collect();
        let in_force = cx.uses_in_force(unit);
        let named = |scope, word: &str| {
            let mut table = program.scope(scope).symbols.iter().copied();
            table.find(|&k| program.symbol(k).name.eq_ignore_ascii_case(word))
        };
        let modules = || program.unit_ids().filter(|&m| program.unit(m).is_container());
        // A module that the program does not have, or that hands on what it gets from others, may bring in anything.
        let open = |used: &imports::Use| {
            let module = modules().find(|&m| program.unit_name(m).eq_ignore_ascii_case(&used.module));
            !used.only && module.is_none_or(|m| cx.import_lines(m).iter().any(|l| imports::parse_use(l).is_some()))
        };
        let words = uses::identifiers(text).skip(1).filter(|w| !w.eq_ignore_ascii_case("kind"));
        words.into_iter().any(|word| {
            let known = around.iter().any(|&s| named(s, word).is_some());
            let brought = in_force.iter().any(|used| open(used) || used.names.iter().any(|(l, _)| l.eq_ignore_ascii_case(word)));
            let homes: Vec<_> = modules().filter_map(|m| Some((m, named(program.unit(m).scope, word)?))).collect();
            let seen = |&(m, k): &(_, SymbolId)| {
                imports::local_name(&in_force, program.unit_name(m), word).is_some() && !access::is_private(cx, m, k)
            };
            !known && !brought && !homes.is_empty() && !homes.iter().any(seen)
        })
    }

    /// The imports of the unit mention the type's name.
    fn type_is_imported(&self, text: &str) -> bool {
        let words: Vec<&str> = uses::identifiers(text).skip(1).collect();
        let imports = self.w.cx.import_lines(self.w.unit).iter();
        let mut found = imports.flat_map(|l| uses::identifiers(l));
        found.any(|w| words.iter().any(|n| n.eq_ignore_ascii_case(w)))
    }
}
