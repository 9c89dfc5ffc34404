//! Declarators: parameters, local variables, file-scope variables.
//!
//! Lives here: how a symbol is declared. Never here: which symbols are (see `units` and `files`).

use crate::unparse::facts::symbols::{is_heap, is_returned};
use crate::unparse::language::c_types;
use crate::unparse::language::initializer_lists::table;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use smol_str::SmolStr;
use std::fmt::Write;
use xaif::members::is_structure;
use xaif::model::{BaseType, Expr, Formal, NodeKind, Storage, SymbolId, SymbolKind, Unit};
use xaif::rows::{CONSTANT_ROWS, has_rows};

/// A declaration in two parts, so that several of the same type can share a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// Specifiers: `static const double`.
    pub head: String,
    /// Declarator, with initializer: `*x`, `a[3] = {1, 2, 3}`.
    pub declarator: String,
}

impl Declaration {
    /// The whole as one line without a semicolon.
    pub fn text(&self) -> String {
        let blank = if self.declarator.is_empty() { "" } else { " " };
        format!("{}{blank}{}", self.head, self.declarator)
    }
}

impl Printer<'_> {
    /// The type of a symbol's elements.
    pub fn type_text(&mut self, id: SymbolId) -> SmolStr {
        let symbol = self.program.symbol(id);
        match c_types::of_symbol(self.program, symbol) {
            Some(t) => t.text,
            None => {
                let name = symbol.name.clone();
                let reason = c_types::unsupported(symbol.ty);
                self.refuse(
                    "OB5102",
                    format!("the type of `{name}` has no counterpart in C"),
                    reason,
                    "change its declaration, or leave it out of what is translated",
                );
                SmolStr::new_static("int")
            }
        }
    }

    /// The type that a function returns.
    pub fn result_type(&mut self, unit: &Unit) -> SmolStr {
        match unit.result().filter(|_| unit.kind == xaif::model::UnitKind::Function) {
            Some(f) => {
                if self.program.symbol(f.symbol).rank > 0 {
                    self.refuse_array(f.symbol, "a C function cannot return an array");
                }
                self.type_text(f.symbol)
            }
            None => SmolStr::new_static("void"),
        }
    }

    /// A parameter. `bare`: without qualifiers of the pointer itself and without names of other parameters, for C++.
    pub fn parameter(&mut self, formal: &Formal, bare: bool) -> String {
        let symbol = self.program.symbol(formal.symbol);
        let mut ty = self.type_text(formal.symbol).to_string();
        if bare && self.c && !c_types::is_builtin_spelling(&ty) {
            ty = self.portable_type(formal.symbol);
        }
        let name = self.name(formal.symbol);
        // The whole declarator as the user wrote it.
        if let Some((before, behind)) = ty.split_once('@') {
            return format!("{before}{name}{behind}");
        }
        let restrict = if symbol.has_attribute("restrict") && !bare { "restrict " } else { "" };
        let fixed = symbol.has_attribute("const") || (!self.c && self.constant.contains(&formal.symbol));
        let constant = if fixed { "const " } else { "" };
        let volatile = if symbol.has_attribute("volatile") { "volatile " } else { "" };
        if symbol.rank == 0 {
            return if self.pointers.contains(&formal.symbol) {
                format!("{volatile}{constant}{ty} *{restrict}{name}")
            } else {
                let space = if ty.ends_with('*') { "" } else { " " };
                // A const copy is nobody's business but the function's own.
                format!("{constant}{ty}{space}{restrict}{name}")
            };
        }
        if has_rows(symbol) {
            let stars = self.rows_declarator(formal.symbol, restrict);
            return format!("{volatile}{constant}{ty} {stars}");
        }
        if symbol.rank == 1 || self.flat.contains(&formal.symbol) || bare && !self.fixed_inner(formal.symbol) {
            return format!("{volatile}{constant}{ty} *{restrict}{name}");
        }
        let mut extents = self.extents(formal.symbol);
        // The outermost extent says nothing to the compiler where it is not known.
        let first = extents.first_mut().and_then(Option::take);
        let mut text = format!("{volatile}{constant}{ty} {name}");
        let first = match first {
            Some(e) if !bare || e.as_int().is_some() => self.expression(&e, Place::Bare),
            _ => String::new(),
        };
        let _ = write!(text, "[{}{first}]", if first.is_empty() { restrict.trim_end() } else { restrict });
        for e in extents.into_iter().skip(1) {
            match e {
                Some(e) => {
                    let e = self.expression(&e, Place::Bare);
                    let _ = write!(text, "[{e}]");
                }
                None => self.refuse(
                    "OB5106",
                    format!("the extents of `{}` are not known", symbol.name),
                    "C needs all extents of an array but the first",
                    "declare them as arguments: a(n, m)",
                ),
            }
        }
        text
    }

    /// Pointers to pointers to the rows of an array: `**a`, or `(**a)[3]` where its elements are arrays themselves.
    pub fn rows_declarator(&mut self, id: SymbolId, restrict: &str) -> String {
        let name = self.name(id);
        let constant = if self.program.symbol(id).has_attribute(&CONSTANT_ROWS) { "const " } else { "" };
        let inner = self.extents(id).into_iter().skip(2).collect::<Vec<_>>();
        let pointers = format!("*{constant}*{restrict}{name}");
        if inner.is_empty() {
            return pointers;
        }
        let mut text = format!("({pointers})");
        for e in inner {
            match e {
                Some(e) => {
                    let e = self.expression(&e, Place::Bare);
                    let _ = write!(text, "[{e}]");
                }
                None => self.refuse_array(id, "its extents are not known"),
            }
        }
        text
    }

    fn fixed_inner(&self, id: SymbolId) -> bool {
        self.extents(id).iter().skip(1).all(|e| e.as_ref().and_then(Expr::as_int).is_some())
    }

    /// A type without names that some other declaration would have to give.
    pub fn portable_type(&mut self, id: SymbolId) -> String {
        let symbol = self.program.symbol(id);
        match c_types::of_elem(symbol.ty, symbol.has_attribute("unsigned"), self.c) {
            Some(t)
                if symbol.ty.base != BaseType::Void
                    && !symbol.has_attribute("enum")
                    && !symbol.pointer
                    && symbol.kind != SymbolKind::Pointer =>
            {
                t.text.to_string()
            }
            _ => {
                let text = self.type_text(id);
                self.refuse(
                    "OB5102",
                    format!("the type `{text}` of `{}` cannot be declared in a header of its own", symbol.name),
                    "the header does not know what the name means",
                    "leave the header out, or use a type of the language itself",
                );
                "int".into()
            }
        }
    }

    /// A function's head without braces or semicolon.
    pub fn signature(&mut self, unit: &Unit, prefixes: &str, bare: bool) -> String {
        let mut result = self.result_type(unit);
        if let Some(own) = self.result.filter(|_| bare && self.c && !c_types::is_builtin_spelling(&result)) {
            result = self.portable_type(own).into();
        }
        let name = self.name(unit.symbol);
        if unit.kind == xaif::model::UnitKind::Main {
            return "int main(void)".into();
        }
        let mut list = Vec::new();
        let own = self.result;
        let mut structures: Vec<SymbolId> = Vec::new();
        for f in unit.formals.iter().filter(|f| Some(f.symbol) != own) {
            let base = self.components.get(&f.symbol).map_or(f.symbol, |c| c.base);
            if !is_structure(self.program.symbol(base)) {
                list.push(self.parameter(f, bare));
            } else if !structures.contains(&base) {
                structures.push(base);
                if is_returned(self.program.symbol(base), unit) {
                    result = self.type_text(base);
                    continue;
                }
                if bare {
                    self.portable_type(base);
                }
                list.push(self.structure_parameter(base));
            }
        }
        let list = if list.is_empty() { "void".to_string() } else { list.join(", ") };
        let space = if result.ends_with('*') { "" } else { " " };
        format!("{prefixes}{result}{space}{name}({list})")
    }

    /// A variable of a unit or a file. `specifier`: `static ` or `extern ` or nothing.
    pub fn variable(&mut self, id: SymbolId, specifier: &str) -> Declaration {
        let symbol = self.program.symbol(id);
        let saved = self.go_to(symbol.span);
        let ty = self.type_text(id);
        let name = self.name(id);
        let mut head = specifier.to_string();
        if symbol.has_attribute("volatile") {
            head.push_str("volatile ");
        }
        // A const local that is set by an assignment cannot be const.
        let set = matches!(symbol.storage(), Storage::Local) && !symbol.pointer && symbol.kind != SymbolKind::Pointer;
        if (symbol.has_attribute("const") && !set) || *symbol.storage() == Storage::Constant {
            head.push_str("const ");
        }
        // A pointer to a function has its name inside.
        let inside = c_types::around_name(&ty);
        head.push_str(inside.map_or(ty.as_str(), |(outer, ..)| outer));
        let mut declarator = name.to_string();
        if is_heap(symbol) {
            declarator = self.heap_declarator(id);
        } else if symbol.rank > 0 {
            let extents = self.extents(id);
            let sized = extents.len();
            for (k, e) in extents.into_iter().enumerate() {
                match e {
                    Some(e) if self.guarded && e.as_int().is_none() => {
                        let (tested, bare) = (self.expression(&e, Place::Left(Prec::Relation)), self.expression(&e, Place::Bare));
                        let _ = write!(declarator, "[{tested} > 0 ? {bare} : 1]");
                    }
                    Some(e) => {
                        let e = self.expression(&e, Place::Bare);
                        let _ = write!(declarator, "[{e}]");
                    }
                    None if k == 0 && (specifier == "extern " || symbol.decl.as_ref().is_some_and(|d| !d.init_text.is_empty())) => {
                        declarator.push_str("[]");
                    }
                    None if sized == 1 && symbol.pointer => declarator.insert(0, '*'),
                    None => {
                        self.refuse(
                            "OB5106",
                            format!("the extents of `{}` are not known", symbol.name),
                            "C needs them to declare an array",
                            "declare the array with its extents",
                        );
                        break;
                    }
                }
            }
        }
        if let Some((_, open, behind)) = inside {
            declarator = format!("{open}{declarator}{behind}");
        }
        if specifier != "extern " {
            let init = self.initializer(id, specifier == "static ");
            declarator.push_str(&init);
        }
        self.back_to(saved);
        Declaration { head, declarator }
    }

    /// Whether C may compute an expression before the program runs.
    fn is_constant(&self, e: &Expr) -> bool {
        e.nodes.iter().all(|n| match &n.kind {
            NodeKind::Const(_) | NodeKind::Bool(_) => true,
            NodeKind::Var(r) => {
                let s = self.program.symbol(r.symbol);
                s.rank == 0 && s.ty.base == BaseType::Integer && *s.storage() == Storage::Constant
            }
            NodeKind::Op(op) => matches!(
                op.name.as_str(),
                "add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "div_scal_scal" | "minus_scal" | "real_scal" | "int_scal"
            ),
            NodeKind::FunctionCall(_) => false,
        })
    }

    /// ` = value` where the declaration gives one. `kept`: it stands before the program runs.
    fn initializer(&mut self, id: SymbolId, kept: bool) -> String {
        let symbol = self.program.symbol(id);
        let Some(decl) = symbol.decl.as_ref().filter(|d| d.derivative_of.is_none()) else { return String::new() };
        if let Some(e) = &decl.init {
            if kept && !self.c && !self.is_constant(e) {
                self.refuse(
                    "OB5101",
                    format!("the initial value of `{}` has no counterpart in C", symbol.name),
                    "it calls a function, or is made of numbers that do",
                    "write it as a number",
                );
            }
            let text = self.expression(e, Place::Bare);
            return format!(" = {text}");
        }
        if decl.init_text.is_empty() {
            return String::new();
        }
        if self.c {
            return format!(" = {}", decl.init_text.trim_start_matches('=').trim_start());
        }
        let extents: Vec<Option<i64>> = self.extents(id).iter().map(|e| e.as_ref().and_then(|e| self.whole_number(e))).collect();
        match table(&decl.init_text, symbol.ty, &extents) {
            Some(text) => format!(" = {text}"),
            None => {
                self.refuse(
                    "OB5101",
                    format!("the initial value of `{}` has no counterpart in C", symbol.name),
                    "its text is not C, and it is no plain list of constants",
                    "set it by assignments",
                );
                String::new()
            }
        }
    }

    /// The value of a whole number that constants of the program may stand in.
    fn whole_number(&self, e: &Expr) -> Option<i64> {
        let mut values: Vec<i64> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let operand = |k: usize| n.operands.get(k).map(|o| values[o.index()]);
            values.push(match &n.kind {
                NodeKind::Const(c) => c.value.parse().ok()?,
                NodeKind::Var(r) => {
                    let symbol = self.program.symbol(r.symbol);
                    symbol.decl.as_ref().filter(|_| *symbol.storage() == Storage::Constant)?.init.as_ref()?.as_int()?
                }
                NodeKind::Op(op) => match (op.name.as_str(), operand(0)?, operand(1)) {
                    ("add_scal_scal", a, Some(b)) => a.checked_add(b)?,
                    ("sub_scal_scal", a, Some(b)) => a.checked_sub(b)?,
                    ("mul_scal_scal", a, Some(b)) => a.checked_mul(b)?,
                    _ => return None,
                },
                _ => return None,
            });
        }
        values.pop()
    }

    /// A whole-number constant of the program as an enumerator, which may stand where C wants constants.
    pub fn enumerator(&mut self, id: SymbolId) -> Option<String> {
        let symbol = self.program.symbol(id);
        let whole = symbol.rank == 0
            && symbol.ty.base == BaseType::Integer
            && matches!(symbol.ty.bits, 0 | 8 | 16 | 32)
            && *symbol.storage() == Storage::Constant
            && (!self.c || symbol.has_attribute("enumerator"));
        let init = symbol.decl.as_ref().and_then(|d| d.init.as_ref()).filter(|_| whole)?;
        let value = self.expression(init, Place::Bare);
        let name = self.name(id);
        Some(format!("enum {{ {name} = {value} }}"))
    }
}
