//! Structures, whose members are variables of the model: `s%v` is `s.v`, `s->v` or `s[i].v`.
//!
//! What stands between the structure and the member is told by the attribute `path:` (see `parse/structures/member_variables.rs`): a pair of brackets for each subscript, a star for one that
//! goes with a pointer. Lives here: members as text, declarations of structures, and how calls pass them: as they are, or, where the members that are passed are not those of
//! one structure, put together for the call. Never here: which members there are.

use super::forms::{Form, Part};
use crate::unparse::facts::members::Component;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use smol_str::SmolStr;
use xaif::members::{REACHED, Step, UNTYPED, Way, is_structure, pointers_that_may_be_null};
use xaif::model::{Call, CallArgument, Expr, Formal, Passing, SymbolId, Unit, VarRef};

/// A pointer to a type, in front of a name. Of a type without a name that has a name for pointers to it, this name.
fn pointer_to(ty: &str) -> String {
    let named = ty.strip_prefix("__typeof__(*(").and_then(|rest| rest.strip_suffix(")0)"));
    named.map_or_else(|| format!("{ty} *"), |name| format!("{name} "))
}

/// What is passed for a structure.
struct Passed {
    /// The structure itself.
    value: String,
    /// A pointer to it, or to the first of several.
    address: String,
}

impl Printer<'_> {
    /// The structures among a unit's arguments, those among them that only members stand for.
    pub fn structure_arguments(&self, unit: &Unit) -> Vec<SymbolId> {
        let mut out: Vec<SymbolId> = Vec::new();
        for f in &unit.formals {
            let base = self.components.get(&f.symbol).map_or(f.symbol, |c| c.base);
            if is_structure(self.program.symbol(base)) && !out.contains(&base) {
                out.push(base);
            }
        }
        out
    }

    /// Whether C has a pointer for a structure.
    fn is_structure_pointer(&self, base: SymbolId) -> bool {
        let symbol = self.program.symbol(base);
        self.structures.contains(&base) && symbol.passing() != Passing::Value && symbol.rank == 0
    }

    /// The structure as text, in front of its subscripts or of what selects a member.
    fn structure_name(&mut self, base: SymbolId) -> String {
        let name = self.name(base);
        if self.program.symbol(base).has_attribute(&UNTYPED) && self.structures.contains(&base) {
            let constant = if self.program.symbol(base).has_attribute("const") { "const " } else { "" };
            let ty = pointer_to(&self.type_text(base));
            return format!("(({constant}{}){name})", ty.trim_end());
        }
        name.to_string()
    }

    /// The name of a member without subscripts of its own.
    pub fn member_name(&mut self, id: SymbolId) -> Option<SmolStr> {
        let c = self.components.get(&id).cloned()?;
        let rank = self.program.symbol(id).rank as usize;
        let zeros = vec![String::from("0"); rank - c.way().own_subscripts().min(rank)];
        Some(self.way(&c, &zeros).into())
    }

    /// The pointers that must not be null for a member to be there, outermost first: those to structures that may be absent, and one that leads to its numbers.
    pub fn pointers_to(&mut self, id: SymbolId) -> Vec<String> {
        let Some(c) = self.components.get(&id).cloned() else { return vec![self.name(id).to_string()] };
        let y = self.program.symbol(id).clone();
        let outer = usize::from(self.program.symbol(c.base).rank);
        let mut list = Vec::new();
        for pointer in pointers_that_may_be_null(&y) {
            let (before, _) = Way(pointer).before_cast();
            let zeros = vec![String::from("0"); outer + before.subscripts()];
            list.push(self.way(&Component { path: before.0.into(), ..c.clone() }, &zeros));
        }
        if list.is_empty() || c.path.ends_with('*') {
            list.push(self.name(id).to_string());
        }
        list
    }

    /// True where the elements of a member do not lie one behind the other: those of other members are between them.
    pub fn is_scattered(&self, id: SymbolId) -> bool {
        self.components.get(&id).is_some_and(|c| c.way().own_subscripts() < self.program.symbol(id).rank as usize)
    }

    /// True for members of one structure each: they are one member, element by element, or lie apart.
    pub fn are_members(&self, a: &VarRef, b: &VarRef) -> bool {
        let single = |r: &VarRef| {
            let symbol = self.program.symbol(r.symbol);
            let outer = symbol.rank as usize - self.own_rank(r.symbol);
            let known = outer == 0 || !r.subscripts.is_empty() && !r.subscripts.iter().take(outer).any(xaif::model::Triplet::is_section);
            // What a pointer to numbers leads to may begin anywhere; all of an array in a structure that a pointer leads to is where the structure is.
            let all = r.subscripts.iter().skip(outer).all(|t| *t == xaif::model::Triplet::default());
            let within = |way: Way| !symbol.has_attribute(&REACHED) || all && !way.0.ends_with('*');
            self.components.get(&r.symbol).is_some_and(|c| within(c.way())) && known
        };
        single(a) && single(b)
    }

    /// The subscripts that are the member's own, counted from the last.
    pub fn own_rank(&self, id: SymbolId) -> usize {
        let rank = self.program.symbol(id).rank as usize;
        self.components.get(&id).map_or(rank, |c| c.way().own_subscripts().min(rank))
    }

    /// A member with as many subscripts as there are.
    fn way(&mut self, c: &Component, subscripts: &[String]) -> String {
        let (base, path, constant) = (c.base, c.path.clone(), c.constant);
        let rank = self.program.symbol(base).rank as usize;
        let mut text = self.structure_name(base);
        let mut rest = subscripts.iter();
        for s in rest.by_ref().take(rank) {
            text.push_str(&format!("[{s}]"));
        }
        let arrow = self.is_structure_pointer(base);
        if !path.is_empty() && !path.starts_with('(') {
            text.push_str(if arrow { "->" } else { "." });
        }
        let mut steps = Way(&path).steps().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::Names(names) => text.push_str(names),
                Step::Cast { always, ty } if always || !constant => {
                    let space = if ty.ends_with('*') { "" } else { " " };
                    text = format!("(({ty}{space}*){text})");
                }
                Step::Cast { .. } => {}
                Step::Function(f) => {
                    let address = match text.strip_suffix("[0]") {
                        Some(start) => start.to_owned(),
                        None if arrow && path.starts_with('(') => text,
                        None => format!("&{text}"),
                    };
                    text = if path.starts_with('(') && rank == 0 { self.handed_out(base, f, &address) } else { format!("{f}({address})") };
                }
                Step::Subscript | Step::Pointer => {
                    let Some(s) = rest.next() else { break };
                    match steps.next_if(|n| step == Step::Pointer && s == "0" && matches!(n, Step::Names(_))) {
                        Some(Step::Names(names)) => text.push_str(&names.replacen('.', "->", 1)),
                        _ => text.push_str(&format!("[{s}]")),
                    }
                }
            }
        }
        text
    }

    /// What a function hands out for a structure that is an argument: a variable, which gets it at the beginning.
    fn handed_out(&mut self, base: SymbolId, function: &str, address: &str) -> String {
        if let Some((.., name)) = self.handed_out.iter().find(|(b, f, _)| *b == base && f == function) {
            return name.to_string();
        }
        let name = self.names.fresh(&[&format!("{}_data", self.program.symbol(base).name)]);
        let y = self.program.symbol(base);
        let ty = self.program.lookup(y.scope, &format!("{}%{function}", y.name)).map(|m| self.type_text(m));
        self.extra_locals.push((ty.unwrap_or_else(|| "double".into()), smol_str::format_smolstr!("*{name} = {function}({address})")));
        self.handed_out.push((base, function.into(), name.clone()));
        name.to_string()
    }

    /// A member in an expression.
    pub fn member(&mut self, r: &VarRef) -> Option<Form> {
        let c = self.components.get(&r.symbol).cloned()?;
        self.name(r.symbol);
        let rank = self.program.symbol(r.symbol).rank as usize;
        if rank == 0 {
            return Some(Form { prec: Prec::Postfix, parts: vec![Part::text(self.way(&c, &[]))] });
        }
        let open = xaif::types::of_ref(self.program, r).rank > 0 && self.index.is_empty();
        if open {
            if !r.subscripts.is_empty() || self.is_scattered(r.symbol) {
                self.refuse_array(r.symbol, "a section stands where C wants one value");
            }
            let name = self.name(r.symbol);
            return Some(Form::leaf(name));
        }
        let subscripts: Vec<String> = self.subscripts(r).iter().map(|s| self.part(s, Place::Bare)).collect();
        Some(Form { prec: Prec::Postfix, parts: vec![Part::text(self.way(&c, &subscripts))] })
    }

    /// A structure as a parameter.
    pub fn structure_parameter(&mut self, base: SymbolId) -> String {
        let symbol = self.program.symbol(base);
        let constant = if symbol.has_attribute("const") { "const " } else { "" };
        let ty = if symbol.has_attribute(&UNTYPED) { "void".into() } else { self.type_text(base) };
        let name = self.name(base);
        if symbol.passing() == Passing::Value {
            return format!("{constant}{ty} {name}");
        }
        let restrict = if symbol.has_attribute("restrict") { "restrict " } else { "" };
        if symbol.rank > 1 {
            // Rows, one for each structure of the original.
            let inner: Vec<Expr> = self.extents(base).into_iter().skip(1).flatten().collect();
            let rows: String = inner.iter().map(|e| format!("[{}]", self.expression(e, Place::Bare))).collect();
            return format!("{constant}{ty} (*{restrict}{name}){rows}");
        }
        let pointer = pointer_to(&ty);
        format!("{constant}{pointer}{restrict}{name}")
    }

    /// The structure that a reference to a member, or to a structure, is about: of the member, what is in front of `path`.
    fn structure_of(&mut self, r: &VarRef, path: &str) -> Option<Passed> {
        let symbol = self.program.symbol(r.symbol);
        let c = match self.components.get(&r.symbol) {
            Some(c) => c.clone(),
            None if is_structure(symbol) => Component { base: r.symbol, path: SmolStr::default(), constant: true },
            None => return None,
        };
        let before = c.way().without(Way(path))?.0;
        let outer = self.program.symbol(c.base).rank as usize + Way(before).subscripts();
        let c = Component { path: before.into(), ..c };
        let whole = r.subscripts.is_empty();
        let list: Vec<String> = if whole {
            Vec::new()
        } else {
            // All of the last dimension: several structures, from the first one on.
            let open = usize::from(r.subscripts.get(outer.wrapping_sub(1)).is_some_and(|t| *t == xaif::model::Triplet::default()));
            if r.subscripts.iter().take(outer - open.min(outer)).any(|t| t.is_section()) {
                return None;
            }
            let all = self.subscripts(&VarRef { subscripts: r.subscripts.clone(), ..r.clone() });
            let zero = (open > 0).then(|| String::from("0"));
            all.iter().take(outer - open.min(outer)).map(|s| self.part(s, Place::Bare)).chain(zero).collect()
        };
        self.name(r.symbol);
        if outer == 0 {
            let text = self.way(&c, &[]);
            let pointer = c.path.is_empty() && self.is_structure_pointer(c.base);
            return Some(match pointer {
                true => Passed { value: format!("*{text}"), address: self.name(c.base).to_string() },
                false => Passed { address: format!("&{text}"), value: text },
            });
        }
        if whole {
            // Several structures, from the first one on.
            let zeros = vec![String::from("0"); outer - 1];
            let text = self.way(&c, &zeros);
            return Some(Passed { value: format!("{text}[0]"), address: text });
        }
        let text = self.way(&c, &list);
        let address = match text.strip_suffix("[0]") {
            Some(start) => start.to_owned(),
            None => format!("&{text}"),
        };
        Some(Passed { value: text, address })
    }

    /// What a call passes for a structure of the callee: the text, from the arguments for it and for its members.
    pub fn structure_argument(&mut self, call: &Call, formals: &[Formal], base: SymbolId) -> String {
        let own = formals.iter().find(|f| f.symbol == base);
        let actual = |f: &Formal| call.arguments.iter().find(|a| a.position == f.position);
        let whole = own.and_then(actual).and_then(|a| a.value.as_var()).cloned();
        let mut members: Vec<(Component, SymbolId, CallArgument)> = Vec::new();
        for f in formals {
            if let (Some(c), Some(a)) = (self.components.get(&f.symbol).filter(|c| c.base == base), actual(f)) {
                members.push((c.clone(), f.symbol, a.clone()));
            }
        }
        let by_value = self.program.symbol(base).passing() == Passing::Value;
        let mut common: Option<Passed> = whole.as_ref().and_then(|r| self.structure_of(r, ""));
        let mut fits = common.is_some() || !members.is_empty();
        for (c, _, a) in &members {
            let passed = a.value.as_var().cloned().and_then(|r| self.structure_of(&r, &c.path));
            match (passed, &common) {
                (None, _) => fits = false,
                (Some(p), Some(known)) => fits &= p.value == known.value,
                (Some(p), None) => common = Some(p),
            }
        }
        match common {
            Some(p) if fits => match (by_value, self.program.symbol(base).rank) {
                (true, _) => p.value,
                (false, 0 | 1) => p.address,
                // The row that begins there.
                (false, _) => {
                    let row = p.value.strip_suffix("[0]").unwrap_or(&p.value);
                    row.strip_suffix("[0]").map_or_else(|| format!("&{row}"), str::to_owned)
                }
            },
            // A callee that has no argument for a derivative in use.
            None if members.is_empty() => {
                self.needs.stdlib = true;
                "NULL".into()
            }
            _ if by_value => self.literal(base, &members),
            _ => self.put_together(base, whole.as_ref(), &members),
        }
    }

    /// A structure that is put together from values.
    fn literal(&mut self, base: SymbolId, members: &[(Component, SymbolId, CallArgument)]) -> String {
        let ty = self.type_text(base);
        let mut list = Vec::new();
        for (c, formal, a) in members {
            let reached = c.way().steps().last() == Some(Step::Pointer) && c.way().pointers().next().is_none();
            if let (true, Some(r), Some(place)) = (reached, a.value.as_var().cloned(), c.way().names()) {
                let address = self.address(&r);
                list.push(format!(".{place} = {address}"));
                continue;
            }
            if self.program.symbol(*formal).rank > 0 {
                self.refuse_array(*formal, "an array in a structure is passed by value apart from the structure");
                continue;
            }
            let value = self.expression(&a.value, Place::Bare);
            list.push(format!(".{} = {value}", c.path));
        }
        format!("({ty}){{{}}}", list.join(", "))
    }

    /// A structure of the back end's own that has the members which are passed: filled before the call, and read behind it.
    fn put_together(&mut self, base: SymbolId, whole: Option<&VarRef>, members: &[(Component, SymbolId, CallArgument)]) -> String {
        let symbol = self.program.symbol(base);
        let (ty, constant) = (self.type_text(base), symbol.has_attribute("const"));
        if symbol.rank > 0 {
            self.refuse_array(base, "members of several structures are passed apart from each other");
            return "NULL".into();
        }
        let name = self.names.fresh(&[symbol.name.split('%').next().unwrap_or_default(), "s"]);
        self.extra_locals.push((ty.clone(), name.clone()));
        match whole.and_then(|r| self.structure_of(r, "")) {
            Some(p) => self.out.text(format!("{name} = {};", p.value)),
            None => self.out.text(format!("{name} = ({ty}){{0}};")),
        }
        let apart = "members of several structures are passed apart from each other";
        // What pointers on the way point to, as text.
        let mut targets: Vec<(String, String)> = Vec::new();
        for (c, formal, a) in members {
            let own = self.program.symbol(*formal);
            if let Some((pointer, behind)) = c.way().pointers().next() {
                // All that lies behind the pointer has to be of one structure, to which it then points.
                let to = a.value.as_var().cloned().and_then(|r| self.structure_of(&r, behind.0));
                let Some((place, to)) = pointer.names().map(|n| format!("{name}.{n}")).zip(to) else {
                    self.refuse_array(*formal, apart);
                    continue;
                };
                match targets.iter().find(|(p, _)| *p == place) {
                    None => {
                        self.out.text(format!("{place} = {};", to.address));
                        targets.push((place, to.value));
                    }
                    Some((_, known)) if *known == to.value => {}
                    Some(_) => self.refuse_array(*formal, apart),
                }
                continue;
            }
            let Some(place) = c.way().names().map(|n| format!("{name}.{n}")) else {
                self.refuse_array(*formal, apart);
                continue;
            };
            let reached = c.way().steps().last() == Some(Step::Pointer);
            if own.rank == 0 {
                let value = self.expression(&a.value, Place::Bare);
                self.out.text(format!("{place} = {value};"));
                if let Some(r) = a.value.as_var().filter(|_| !constant) {
                    let target = self.target(r);
                    self.behind.push(format!("{target} = {place};"));
                }
                continue;
            }
            let Some(r) = a.value.as_var().cloned() else {
                self.refuse_array(*formal, "an expression is passed for an array in a structure");
                continue;
            };
            let address = self.address(&r);
            if reached {
                self.out.text(format!("{place} = {address};"));
            } else {
                self.needs.string = true;
                self.out.text(format!("memcpy({place}, {address}, sizeof {place});"));
                if !constant {
                    self.behind.push(format!("memcpy({address}, {place}, sizeof {place});"));
                }
            }
        }
        format!("&{name}")
    }

    /// A structure that is passed to a function whose text is not here.
    pub fn exposed_structure(&mut self, value: &Expr, by_value: bool) -> Option<String> {
        let r = value.as_var().filter(|r| is_structure(self.program.symbol(r.symbol)))?.clone();
        let p = self.structure_of(&r, "")?;
        Some(if by_value { p.value } else { p.address })
    }

    /// What takes the structure that a function returns.
    pub fn structure_target(&mut self, call: &Call, formal: &Formal) -> Option<String> {
        let a = call.arguments.iter().find(|a| a.position == formal.position)?;
        let r = a.value.as_var()?.clone();
        Some(self.structure_of(&r, "")?.value)
    }
}
