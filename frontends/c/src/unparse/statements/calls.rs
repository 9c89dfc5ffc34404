//! Calls.
//!
//! Lives here: how each argument is handed over. Never here: run-time support.

use crate::unparse::expressions::forms::Part;
use crate::unparse::facts::symbols::is_returned;
use crate::unparse::language::c_types;
use crate::unparse::language::precedence::Place;
use crate::unparse::printer::Printer;
use smol_str::SmolStr;
use xaif::model::{BaseType, Call, CallArgument, ElemType, Expr, Formal, Passing, Storage, SymbolId, Unit, UnitKind, VarRef};
use xaif::rows::{CONSTANT_ROWS, has_rows};
use xaif::types;

/// How a callee takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Value,
    /// A pointer to one value, or to the first of an array.
    Pointer,
    /// An array of that rank whose rows have a type of their own.
    Rows(u8),
}

impl Printer<'_> {
    /// The text of a call without a semicolon. `target`: what takes the result, if the statement is to use it.
    pub fn call(&mut self, call: &Call) -> String {
        let unit = self.units.get(&call.callee).map(|&u| self.program.unit(u));
        let formals: &[Formal] = unit.map_or(&[], |u| &u.formals);
        let symbol = self.program.symbol(call.callee);
        let words: Vec<&str> = symbol.decl.iter().flat_map(|d| &d.attributes).filter_map(|a| a.strip_prefix("arg:")).collect();
        let result_position = match unit {
            Some(u) if u.kind == UnitKind::Function => u.result().map(|f| f.position),
            Some(_) => None,
            // A function whose text is not here: its symbol has the type of its result.
            None if symbol.ty.base != BaseType::Void => {
                call.arguments.iter().map(|a| a.position).max().filter(|&p| p as usize > words.len())
            }
            None => None,
        };
        let count = formals.iter().map(|f| f.position).chain(call.arguments.iter().map(|a| a.position)).max().unwrap_or(0);
        let mut texts: Vec<String> = Vec::new();
        let (mut target, mut returned) = (None, None);
        let mut structures: Vec<SymbolId> = Vec::new();
        for position in 1..=count {
            let argument = call.arguments.iter().find(|a| a.position == position);
            if Some(position) == result_position {
                target = argument.and_then(|a| a.value.as_var());
                continue;
            }
            let formal = formals.iter().find(|f| f.position == position);
            if let (Some(f), Some(u)) = (formal, unit)
                && let Some(base) = self.structure_behind(f)
            {
                if is_returned(self.program.symbol(base), u) {
                    returned = returned.or_else(|| self.structure_target(call, f));
                } else if !structures.contains(&base) {
                    structures.push(base);
                    let text = self.structure_argument(call, formals, base);
                    texts.push(text);
                }
                continue;
            }
            if let Some(a) = argument {
                if unit.is_none() && a.keyword == "%" {
                    continue;
                }
                let by_value = unit.is_none() && words.get(position as usize - 1) == Some(&"value");
                if let Some(text) = self.exposed_structure(&a.value, by_value) {
                    texts.push(text);
                    continue;
                }
            }
            let taken = self.taken_by(unit, formal, words.get(position as usize - 1).copied(), argument);
            match argument {
                Some(a) => {
                    if let (Some(f), true) = (formal, taken != Taken::Value) {
                        self.check_type(f, &a.value, call.callee);
                    }
                    let text = self.argument(&a.value, taken, call.callee);
                    let cast = match (formal, taken, a.value.as_var()) {
                        (Some(f), Taken::Rows(rank), Some(r)) => self.constant_rows(f.symbol, r, rank),
                        _ => String::new(),
                    };
                    texts.push(format!("{cast}{text}"));
                }
                None => {
                    self.needs.stdlib = true;
                    texts.push("NULL".into());
                }
            }
        }
        let name = self.name(call.callee);
        let text = format!("{name}({})", texts.join(", "));
        if let Some(to) = returned {
            return format!("{to} = {text}");
        }
        match target {
            Some(r) if !self.usage.unread.contains(&r.symbol) => {
                let lhs = self.target(r);
                format!("{lhs} = {text}")
            }
            _ => text,
        }
    }

    /// The structure that an argument of a callee is, or is a member of.
    fn structure_behind(&self, formal: &Formal) -> Option<SymbolId> {
        let base = self.components.get(&formal.symbol).map_or(formal.symbol, |c| c.base);
        xaif::members::is_structure(self.program.symbol(base)).then_some(base)
    }

    /// Rows that the callee promises not to set have another type in C, which wants a cast: `(const double(*)[3])`.
    fn constant_rows(&mut self, formal: SymbolId, r: &VarRef, rank: u8) -> String {
        let actual = self.program.symbol(r.symbol);
        let fixed = |s: &xaif::model::Symbol| s.has_attribute("const") || *s.storage() == Storage::Constant;
        if !fixed(self.program.symbol(formal)) || fixed(actual) || self.flat.contains(&r.symbol) {
            return String::new();
        }
        if has_rows(self.program.symbol(formal)) {
            let pointers = if self.program.symbol(formal).has_attribute(&CONSTANT_ROWS) { "*const *" } else { "**" };
            return format!("(const {} {pointers})", self.type_text(formal));
        }
        let extents = self.extents(r.symbol);
        let inner: Option<Vec<Expr>> = extents.into_iter().rev().take(rank as usize - 1).collect();
        let Some(inner) = inner else { return String::new() };
        let mut text = format!("(const {}(*)", self.type_text(formal));
        for e in inner.iter().rev() {
            let e = self.expression(e, Place::Bare);
            text.push_str(&format!("[{e}]"));
        }
        text.push(')');
        text
    }

    /// What is passed by reference must have the type of the formal.
    fn check_type(&mut self, formal: &Formal, value: &Expr, callee: SymbolId) {
        let wanted = self.program.symbol(formal.symbol).ty;
        let given = types::of(self.program, value).elem;
        let same = c_types::of_elem(wanted, false, self.c) == c_types::of_elem(given, false, self.c);
        let numeric = |t: ElemType| matches!(t.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
        if !same && value.as_var().is_some() && numeric(wanted) && numeric(given) {
            self.refuse(
                "OB5109",
                format!(
                    "`{}` and what is passed for it to `{}` have different types",
                    self.source_name(formal.symbol),
                    self.source_name(callee)
                ),
                "they share memory that would be read as another type",
                "convert the argument into a variable of the right type",
            );
        }
    }

    /// The same where the unit may address it as an array of one dimension.
    fn taken_by(&self, unit: Option<&Unit>, formal: Option<&Formal>, word: Option<&str>, argument: Option<&CallArgument>) -> Taken {
        match (self.taken(formal, word, argument), formal, unit) {
            (Taken::Rows(_), Some(f), Some(u)) if !self.c && self.has_late_extents(f.symbol, u) => Taken::Pointer,
            (taken, ..) => taken,
        }
    }

    fn taken(&self, formal: Option<&Formal>, word: Option<&str>, argument: Option<&CallArgument>) -> Taken {
        if let Some(f) = formal {
            let s = self.program.symbol(f.symbol);
            return match (s.rank, s.passing()) {
                (0, Passing::Value) => Taken::Value,
                (0, _) if self.is_pointer(f) => Taken::Pointer,
                (0, _) => Taken::Value,
                (1, _) => Taken::Pointer,
                (rank, _) => Taken::Rows(rank),
            };
        }
        match (word, argument.and_then(|a| a.value.as_var())) {
            (Some("value"), _) => Taken::Value,
            (Some(_), Some(r)) if types::of_ref(self.program, r).rank > 1 => Taken::Rows(self.program.symbol(r.symbol).rank),
            (Some(_), _) => Taken::Pointer,
            (None, Some(r)) if self.program.symbol(r.symbol).rank > 1 && r.subscripts.is_empty() => {
                Taken::Rows(self.program.symbol(r.symbol).rank)
            }
            (None, Some(_)) if !self.c => Taken::Pointer,
            (None, Some(r)) if types::of_ref(self.program, r).rank > 0 => Taken::Pointer,
            (None, None) if !self.c => Taken::Pointer,
            _ => Taken::Value,
        }
    }

    fn argument(&mut self, value: &Expr, taken: Taken, callee: SymbolId) -> String {
        if taken == Taken::Value {
            return self.expression(value, Place::Bare);
        }
        let Some(r) = value.as_var() else {
            // A value that is passed by reference gets a place of its own.
            let ty = types::of(self.program, value);
            if ty.elem.base == BaseType::String {
                return self.expression(value, Place::Bare);
            }
            let c = c_types::of_elem(ty.elem, false, self.c).filter(|_| ty.rank == 0);
            let Some(c) = c else {
                self.refuse(
                    "OB5109",
                    format!("an argument of `{}` has no counterpart in C", self.source_name(callee)),
                    "it is an array-valued expression",
                    "assign it to a variable first",
                );
                return "0".into();
            };
            let text = self.expression(value, Place::Bare);
            return format!("&({}){{{text}}}", c.text);
        };
        match taken {
            Taken::Value => String::new(),
            Taken::Pointer => self.address(r),
            Taken::Rows(rank) => self.rows(r, rank, callee),
        }
    }

    /// The address of a variable, an element or the start of an array or contiguous section.
    pub fn address(&mut self, r: &VarRef) -> String {
        let symbol = self.program.symbol(r.symbol);
        let name = self.name(r.symbol);
        if symbol.rank == 0 && *symbol.storage() == Storage::Constant {
            // A constant has no place of its own that a callee may be given.
            let ty = self.type_text(r.symbol);
            return format!("&({ty}){{{name}}}");
        }
        if symbol.rank == 0 {
            return if self.pointers.contains(&r.symbol) || symbol.pointer { name.to_string() } else { format!("&{name}") };
        }
        let own = self.own_rank(r.symbol);
        let one_dimension = own == 1 || self.flat.contains(&r.symbol);
        if r.subscripts.is_empty() && own < symbol.rank as usize {
            self.refuse_array(r.symbol, "its elements do not lie one behind the other");
        }
        if r.subscripts.is_empty() {
            return if one_dimension { name.to_string() } else { format!("&{name}{}", "[0]".repeat(symbol.rank as usize)) };
        }
        if r.has_section() && !self.contiguous(r) {
            self.refuse_array(r.symbol, "a section with gaps is passed, which would need a copy");
            return name.to_string();
        }
        let text = self.first_element(r);
        match text.strip_suffix("[0]") {
            Some(start) if one_dimension && self.components.contains_key(&r.symbol) => start.to_owned(),
            Some(start) if one_dimension && start == name.as_str() => name.to_string(),
            _ => format!("&{text}"),
        }
    }

    /// The element where a reference begins.
    fn first_element(&mut self, r: &VarRef) -> String {
        let outer = std::mem::replace(&mut self.index, vec![SmolStr::new_static("0"); r.subscripts.len()]);
        let form = self.reference(r);
        self.index = outer;
        let mut text = String::new();
        for p in &form.parts {
            match p {
                Part::Text(t) => text.push_str(t),
                Part::Whole(t, place) => text.push_str(&self.typed(t, *place)),
                Part::Node(..) => {}
            }
        }
        text
    }

    /// An argument for a formal of rank 2 or more: as many trailing dimensions as the formal has.
    fn rows(&mut self, r: &VarRef, rank: u8, callee: SymbolId) -> String {
        let symbol = self.program.symbol(r.symbol);
        let name = self.name(r.symbol);
        if self.flat.contains(&r.symbol) {
            // The same memory, as rows.
            let inner: Option<Vec<Expr>> = self.extents(r.symbol).into_iter().skip(1).collect();
            if let Some(inner) = inner.filter(|_| !self.c && r.subscripts.is_empty() && symbol.rank == rank) {
                let mut text = format!("({} (*)", self.type_text(r.symbol));
                for e in inner {
                    let e = self.expression(&e, Place::Bare);
                    text.push_str(&format!("[{e}]"));
                }
                return format!("{text}){name}");
            }
            self.refuse(
                "OB5109",
                format!("`{}` cannot be passed to `{}` as an array of {rank} dimensions", symbol.name, self.source_name(callee)),
                "it is addressed as an array of one dimension here",
                "put the extents before the array in the argument list",
            );
            return name.to_string();
        }
        if r.subscripts.is_empty() && symbol.rank == rank {
            return name.to_string();
        }
        if has_rows(symbol) && symbol.rank == rank {
            self.refuse_array(r.symbol, "only part of its rows would be passed");
        }
        if symbol.rank < rank {
            self.refuse(
                "OB5109",
                format!("`{}` has fewer dimensions than the argument of `{}`", symbol.name, self.source_name(callee)),
                "",
                "pass an array of the same rank",
            );
            return name.to_string();
        }
        if self.components.contains_key(&r.symbol) {
            let text = self.first_element(r);
            let start = text.strip_suffix("[0]".repeat(rank as usize).as_str());
            if start.is_none() || self.own_rank(r.symbol) < rank as usize {
                self.refuse_array(r.symbol, "only part of its rows would be passed");
            }
            return start.unwrap_or_default().to_owned();
        }
        if !self.c && r.has_section() && symbol.rank == rank && types::of_ref(self.program, r).rank == rank && self.contiguous(r) {
            // From one of the outermost rows on.
            let text = self.first_element(r);
            if let Some(start) = text.strip_suffix("[0]".repeat(usize::from(rank) - 1).as_str()) {
                return format!("&{start}");
            }
        }
        // Leading subscripts select a row; those of the dimensions that are passed must be at their start.
        let subscripts = self.subscripts(r);
        let lead = (symbol.rank - rank) as usize;
        let mut text = name.to_string();
        for (k, s) in subscripts.iter().enumerate() {
            let s = match s {
                Part::Whole(t, p) => self.typed(t, *p),
                Part::Text(t) => t.to_string(),
                Part::Node(..) => String::new(),
            };
            if k < lead {
                text = format!("{text}[{s}]");
            } else if k == lead && s != "0" && !r.has_section() {
                text = format!("&{text}[{s}]");
            } else if s != "0" && !s.is_empty() {
                self.refuse_array(r.symbol, "only part of its rows would be passed");
            }
        }
        text
    }
}
