//! Statements of blocks: assignments, calls, opaque statements, recording and restoring.
//!
//! Lives here: what one statement becomes. Never here: control flow, declarations.

use super::expressions::Writer;
use super::layout::{Line, Maker, comment};
use super::pieces::{Piece, Prelude, join};
use super::{problems, types};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xaif::model::{
    BaseType, Bound, Call, CallArgument, Expr, Marker, MarkerClass, Passing, Program, Span, Stmt, StmtKind, Storage, Symbol, SymbolId,
    Triplet, Unit, UnitKind, VarRef,
};

/// A unit's statements as they are printed.
pub struct Body<'c, 'p> {
    /// Expressions.
    pub w: Writer<'c, 'p>,
    /// What is printed so far.
    pub lines: Vec<Line>,
    /// Nesting depth.
    pub indent: usize,
    /// Labels that the next statement carries.
    pub pending_label: Option<u32>,
    /// The place of what is printed now.
    pub place: Span,
}

/// True for a function: called as `r = f(...)`.
pub fn is_function(program: &Program, callee: SymbolId) -> bool {
    match program.unit_of_symbol(callee) {
        Some(u) => program.unit(u).kind == UnitKind::Function && program.unit(u).result().is_some(),
        None => !matches!(program.symbol(callee).ty.base, BaseType::Void | BaseType::Opaque),
    }
}

/// The value of a bound that is a number.
fn bound(b: &Bound) -> Option<i64> {
    match b {
        Bound::Expr(e) => e.as_int(),
        Bound::Unknown => None,
    }
}

/// The position of a function's result in the argument list.
fn result_position(unit: &Unit) -> Option<u32> {
    unit.result().map(|r| r.position)
}

/// The argument is a structure whose components are arguments as well.
fn has_components(cx: &super::context::Context, unit: Option<xaif::model::UnitId>, base: SymbolId) -> bool {
    unit.is_some_and(|u| cx.program.unit(u).formals.iter().any(|f| cx.component(f.symbol).is_some_and(|(b, _)| b == base)))
}

impl Body<'_, '_> {
    /// Prints a line of code.
    pub fn code(&mut self, text: impl Into<String>) {
        let label = self.pending_label.take();
        let maker = Maker { unit: None, place: self.place };
        self.lines.push(Line::Code { indent: self.indent, label, text: text.into(), maker });
    }

    /// Prints a comment.
    pub fn comment(&mut self, text: &str) {
        let place = self.place;
        self.lines.extend(comment(self.indent, text).map(|l| l.at(place)));
    }

    /// Prints what must be done before an expression.
    pub fn prelude(&mut self, items: &[Prelude]) {
        self.prelude_into(items, None);
    }

    /// The same, with one variable replaced by the target of an assignment.
    fn prelude_into(&mut self, items: &[Prelude], target: Option<(usize, &str)>) {
        for item in items {
            match item {
                Prelude::Set(t, text) => match target {
                    Some((other, target)) if other == *t => self.code(format!("{target} = {text}")),
                    _ => {
                        self.w.temporaries[*t].used = true;
                        let name = self.w.temporaries[*t].name.clone();
                        self.code(format!("{name} = {text}"));
                    }
                },
                Prelude::Choose(_, condition, then, other) => {
                    self.code(format!("if ({condition}) then"));
                    self.indent += 1;
                    self.prelude_into(then, target);
                    self.indent -= 1;
                    if !other.is_empty() {
                        self.code("else");
                        self.indent += 1;
                        self.prelude_into(other, target);
                        self.indent -= 1;
                    }
                    self.code("end if");
                }
            }
        }
    }

    /// Prints an expression's prelude and returns its text.
    pub fn value(&mut self, e: &Expr) -> String {
        let p = self.w.expr(e);
        self.prelude(&p.prelude);
        p.text
    }

    /// Prints a condition's prelude and returns its text as a truth value.
    pub fn condition(&mut self, e: &Expr) -> String {
        let (prelude, text) = self.condition_parts(e);
        self.prelude(&prelude);
        text
    }

    /// A condition and what must be done before it.
    pub fn condition_parts(&mut self, e: &Expr) -> (Vec<Prelude>, String) {
        let from = xaif::types::of(self.w.cx.program, e).elem;
        let p = self.w.expr(e);
        let p = self.w.assigned(p, from, xaif::model::ElemType::BOOL);
        (p.prelude, p.text)
    }

    /// Prints a statement.
    pub fn stmt(&mut self, stmt: &Stmt) {
        self.w.begin(stmt.span);
        let outer = self.go_to(stmt.span);
        self.stmt_here(stmt);
        self.place = outer;
    }

    /// Moves to a place, where it is known; the old one.
    pub fn go_to(&mut self, span: Span) -> Span {
        let outer = self.place;
        if span.is_known() {
            self.place = span;
        }
        outer
    }

    fn stmt_here(&mut self, stmt: &Stmt) {
        if !stmt.comment.is_empty() {
            self.comment(&stmt.comment);
        }
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => self.assign(lhs, rhs),
            StmtKind::Call(call) => self.call(call),
            StmtKind::Marker(marker) => self.marker(marker),
            StmtKind::Runtime { name, arguments } => self.runtime(name, arguments),
            StmtKind::Propagator(_) => {
                let cx = self.w.cx;
                cx.refuse(problems::stock_only(cx.program, self.w.span, "a DerivativePropagator"));
            }
        }
    }

    /// Prints `lhs = rhs`.
    pub fn assign(&mut self, lhs: &VarRef, rhs: &Expr) {
        let program = self.w.cx.program;
        let to = xaif::types::of_ref(program, lhs);
        if let Some(parts) = self.arrays_inside(lhs, rhs) {
            for (lhs, rhs) in &parts {
                self.assign(lhs, rhs);
            }
            return;
        }
        self.check_whole(lhs);
        if to.rank > 0
            && let Some(parts) = self.w.choice(rhs)
        {
            return self.assign_chosen_array(lhs, rhs, &parts);
        }
        let target = self.w.reference(lhs);
        let from = xaif::types::of(program, rhs).elem;
        let value = self.w.expr(rhs);
        let value = self.w.assigned(value, from, to.elem);
        // The last choice of the prelude may set the variable itself.
        if target.prelude.is_empty()
            && let Some((Prelude::Choose(t, ..), before)) = value.prelude.split_last()
            && self.w.temporaries[*t].name == value.text
            && !before.iter().any(|p| matches!(p, Prelude::Set(s, _) if s == t))
        {
            let (last, before) = (&value.prelude[before.len()..], before);
            self.prelude(before);
            return self.prelude_into(last, Some((*t, &target.text)));
        }
        let mut prelude = target.prelude;
        join(&mut prelude, value.prelude);
        self.prelude(&prelude);
        self.code(format!("{} = {}", target.text, value.text));
    }

    /// The elements of the arrays inside an array of structures that a constant or a copy sets all at once, which Fortran cannot say as a whole.
    fn arrays_inside(&self, lhs: &VarRef, rhs: &Expr) -> Option<Vec<(VarRef, Expr)>> {
        let cx = self.w.cx;
        let copied = rhs.as_var();
        if !lhs.subscripts.is_empty() || copied.map_or(rhs.as_constant().is_none(), |r| !r.subscripts.is_empty()) {
            return None;
        }
        let inside = |r: &VarRef| {
            let outer = cx.program.symbol(cx.component(r.symbol)?.0).rank;
            (outer > 0 && cx.program.symbol(r.symbol).rank > outer).then_some(usize::from(outer))
        };
        let outer = inside(lhs).or_else(|| inside(copied?))?;
        let bounds = |r: &VarRef| -> Option<Vec<(i64, i64)>> {
            let dims = cx.program.symbol(r.symbol).decl.as_ref()?.dims.get(outer..)?;
            dims.iter().map(|d| Some((bound(&d.lower)?, bound(&d.upper)?))).collect()
        };
        let (to, from) = (bounds(lhs)?, copied.map_or(Some(Vec::new()), bounds)?);
        let mut places = vec![Vec::new()];
        for (l, u) in &to {
            if u.checked_sub(*l).is_none_or(|n| n > 64) || places.len() > 64 {
                return None;
            }
            places = places.iter().flat_map(|p: &Vec<i64>| (0..=u - l).map(move |i| [p.as_slice(), &[i]].concat())).collect();
        }
        let part = |r: &VarRef, bounds: &[(i64, i64)], place: &[i64]| {
            let mut subscripts = vec![Triplet::default(); outer];
            subscripts.extend(bounds.iter().zip(place).map(|((l, _), i)| Triplet::element(Expr::int(l + i))));
            VarRef { subscripts: subscripts.into(), ..VarRef::whole(r.symbol) }
        };
        let value = |place: &[i64]| copied.map_or(rhs.clone(), |r| Expr::var(part(r, &from, place)));
        Some(places.iter().map(|p| (part(lhs, &to, p), value(p))).collect())
    }

    /// `lhs = select(c, a, b)` of arrays: MERGE where that is safe, else WHERE (or IF for a scalar condition).
    fn assign_chosen_array(&mut self, lhs: &VarRef, rhs: &Expr, parts: &[(Expr, xaif::types::ValueType); 3]) {
        let [(condition, ct), (a, _), (b, _)] = parts;
        let cx = self.w.cx;
        let before = cx.problem_count();
        if ct.rank > 0 {
            let merged = self.w.expr(rhs);
            let possible = cx.problem_count() == before;
            cx.forgive(before);
            if possible && merged.prelude.is_empty() && !merged.hazard {
                let target = self.w.reference(lhs);
                self.prelude(&target.prelude);
                return self.code(format!("{} = {}", target.text, merged.text));
            }
        }
        let (open, middle, close) = if ct.rank > 0 { ("where", "elsewhere", "end where") } else { ("if", "else", "end if") };
        let c = self.condition(condition);
        self.code(if ct.rank > 0 { format!("{open} ({c})") } else { format!("{open} ({c}) then") });
        self.indent += 1;
        self.assign(lhs, a);
        self.indent -= 1;
        // What keeps its value needs no statement.
        if b.as_var() != Some(lhs) {
            self.code(middle);
            self.indent += 1;
            self.assign(lhs, b);
            self.indent -= 1;
        }
        self.code(close);
    }

    /// A whole array of unknown extent cannot be operated on.
    fn check_whole(&mut self, r: &VarRef) {
        let cx = self.w.cx;
        let symbol = cx.program.symbol(r.symbol);
        if r.subscripts.is_empty() && is_assumed_size(symbol) {
            let what = format!("an operation on all of `{}`", symbol.name);
            cx.refuse(problems::no_counterpart(cx.program, self.w.span, what, "the extent of its last dimension is not known"));
        }
    }

    fn call(&mut self, call: &Call) {
        let program = self.w.cx.program;
        let unit = program.unit_of_symbol(call.callee);
        let name = self.w.name(call.callee);
        if let Some(host) = unit.and_then(|u| self.w.cx.host(u))
            && !self.w.cx.chain(program.unit(self.w.unit).scope).any(|s| s == program.unit(host).scope)
        {
            let (host, caller) = (program.unit_name(host), program.unit_name(self.w.unit));
            self.w.cx.refuse(problems::internal_elsewhere(program, self.w.span, &name, host, caller));
        }
        let function = is_function(program, call.callee);
        let mut arguments: Vec<&CallArgument> = call.arguments.iter().collect();
        arguments.sort_by_key(|a| a.position);
        let mut result = None;
        if function {
            let at = match unit.and_then(|u| result_position(program.unit(u))) {
                Some(p) => arguments.iter().position(|a| a.position == p),
                None => arguments.len().checked_sub(1),
            };
            result = at.map(|i| arguments.remove(i));
            if result.is_none() {
                let cx = self.w.cx;
                cx.refuse(problems::malformed(program, self.w.span, format!("the call of `{name}` does not take its result")));
            }
        }
        let mut prelude = Vec::new();
        let mut texts = Vec::new();
        let mut gap = false;
        let mut structures: Vec<(SymbolId, String)> = Vec::new();
        for (i, a) in arguments.iter().enumerate() {
            gap |= a.position as usize != i + 1 + usize::from(self.result_before(unit, a.position));
            let formal = unit.and_then(|u| program.unit(u).formals.iter().find(|f| f.position == a.position)).map(|f| f.symbol);
            let component = formal.and_then(|f| self.w.cx.component(f));
            if component.is_none() && formal.is_some_and(|f| has_components(self.w.cx, unit, f)) {
                continue; // its components say which variable it is
            }
            let before = self.w.cx.problem_count();
            let mut p = self.argument(a, formal);
            if let Some((base, path)) = component {
                // What is written is the structure, whatever cannot be said of its component.
                self.w.cx.forgive(before);
                p.text = match self.structure_of(a, path) {
                    Some(text) => text,
                    None => {
                        let what = format!("a value for the component `{path}` of the argument `{}` alone", program.symbol(base).name);
                        let reason = "a structure is passed as a whole";
                        self.w.cx.refuse(problems::no_counterpart(program, self.w.span, what, reason));
                        continue;
                    }
                };
                if let Some((_, text)) = structures.iter().find(|(b, _)| *b == base) {
                    if *text != p.text {
                        let what = format!("components of different variables for the argument `{}`", program.symbol(base).name);
                        let reason = "a structure is passed as a whole";
                        self.w.cx.refuse(problems::no_counterpart(program, self.w.span, what, reason));
                    }
                    continue;
                }
                structures.push((base, p.text.clone()));
            }
            let text = if gap {
                let keyword = match (unit, formal) {
                    (Some(u), Some(f)) => super::names::of_unit(self.w.cx, u, &BTreeSet::new()).get(f).map(str::to_owned),
                    _ => Some(a.keyword.to_string()).filter(|k| !k.is_empty()),
                };
                match keyword {
                    Some(k) => format!("{k}={}", p.text),
                    None => p.text,
                }
            } else {
                p.text
            };
            join(&mut prelude, p.prelude);
            texts.push(text);
        }
        for (place, dummy, procedure) in self.w.cx.passed_to(call.callee) {
            let at = place.saturating_sub(1).min(texts.len());
            let named = gap || at + 1 < place;
            texts.insert(at, if named { format!("{dummy}={procedure}") } else { procedure.to_owned() });
        }
        let list = texts.join(", ");
        match result {
            Some(r) => {
                let cx = self.w.cx;
                let Some(target) = r.value.as_var() else {
                    return cx.refuse(problems::malformed(program, self.w.span, "a function's result goes to no variable"));
                };
                let (to, from) = (xaif::types::of_ref(program, target).elem, self.result_type(call.callee));
                let target = self.w.reference(target);
                join(&mut prelude, target.prelude);
                self.prelude(&prelude);
                let text = format!("{name}({list})");
                let narrow = from.is_real() && to.is_real() && types::width(from) > types::width(to);
                let text = if narrow { types::converted(&text, to) } else { text };
                self.code(format!("{} = {text}", target.text));
            }
            None => {
                self.prelude(&prelude);
                let arguments = if texts.is_empty() { String::new() } else { format!("({list})") };
                self.code(format!("call {name}{arguments}"));
            }
        }
    }

    /// The structure of which the argument is that component, as text.
    fn structure_of(&mut self, a: &CallArgument, path: &str) -> Option<String> {
        let cx = self.w.cx;
        let r = a.value.as_var()?;
        let (base, own) = cx.component(r.symbol)?;
        let prefix = match own.len().checked_sub(path.len()).and_then(|at| Some((own.get(..at)?, own.get(at..)?))) {
            Some((before, same)) if same.eq_ignore_ascii_case(path) => before.trim_end_matches('%').to_owned(),
            _ => return None,
        };
        let outer = r.subscripts.len().min(cx.program.symbol(base).rank as usize);
        let text = match outer {
            0 => self.w.name(base),
            _ => {
                let part = VarRef { subscripts: r.subscripts[..outer].to_vec().into(), ..VarRef::whole(base) };
                self.w.reference(&part).text
            }
        };
        Some(if prefix.is_empty() { text } else { format!("{text}%{prefix}") })
    }

    fn result_before(&self, unit: Option<xaif::model::UnitId>, position: u32) -> bool {
        unit.and_then(|u| result_position(self.w.cx.program.unit(u))).is_some_and(|r| r < position)
    }

    fn result_type(&self, callee: SymbolId) -> xaif::model::ElemType {
        let program = self.w.cx.program;
        match program.unit_of_symbol(callee).and_then(|u| program.unit(u).result()) {
            Some(r) => program.symbol(r.symbol).ty,
            None => program.symbol(callee).ty,
        }
    }

    fn argument<'e>(&mut self, a: &'e CallArgument, formal: Option<SymbolId>) -> Piece<'e> {
        let cx = self.w.cx;
        let program = cx.program;
        let given = xaif::types::of(program, &a.value);
        let p = self.w.expr(&a.value);
        let Some(formal) = formal.map(|f| program.symbol(f)) else { return p };
        if formal.passing() == Passing::Value && formal.rank == 0 {
            // A copy is converted as an assignment would, but here the types must agree.
            let before = p.text.clone();
            let p = self.w.assigned(p, given.elem, formal.ty);
            let number = |t: BaseType| matches!(t, BaseType::Real | BaseType::Integer);
            let differs = number(given.elem.base) && number(formal.ty.base) && !types::same(given.elem, formal.ty);
            return if differs && p.text == before { self.w.convert(p, formal.ty) } else { p };
        }
        if let Some(r) = a.value.as_var()
            && r.subscripts.is_empty()
            && program.symbol(r.symbol).rank == 0
            && formal.rank > 0
            && program.symbol(r.symbol).kind != xaif::model::SymbolKind::Subroutine
        {
            let what = format!("the scalar `{}` passed for the array `{}`", program.symbol(r.symbol).name, formal.name);
            cx.refuse(problems::no_counterpart(program, self.w.span, what, "only arrays and their elements are passed for arrays"));
        }
        p
    }

    fn marker(&mut self, m: &Marker) {
        let cx = self.w.cx;
        match (&m.class, &m.object) {
            (MarkerClass::Comment, _) => self.comment(&m.text),
            (MarkerClass::Allocate, Some(object)) => {
                let name = self.w.name(object.symbol);
                let mut prelude = Vec::new();
                let mut dims = Vec::new();
                for t in &object.subscripts {
                    let mut part = |w: &mut Writer, e: &Option<Expr>| {
                        e.as_ref().map(|e| {
                            let p = w.expr(e);
                            join(&mut prelude, p.prelude);
                            p.text
                        })
                    };
                    let (lower, upper) = match (&t.index, &t.bound) {
                        (lower, Some(_)) => (part(&mut self.w, lower), part(&mut self.w, &t.bound)),
                        (upper, None) => (None, part(&mut self.w, upper)),
                    };
                    dims.push(match (lower, upper) {
                        (Some(l), Some(u)) if l != "1" => format!("{l}:{u}"),
                        (_, Some(u)) => u,
                        _ => ":".into(),
                    });
                }
                if cx.row {
                    dims.reverse();
                }
                self.prelude(&prelude);
                let dims = if dims.is_empty() { String::new() } else { format!("({})", dims.join(", ")) };
                let status = self.status(&m.text);
                self.code(format!("allocate ({name}{dims}{status})"));
                if m.zeroed {
                    let zero = if cx.program.symbol(object.symbol).ty.base == BaseType::Bool { ".false." } else { "0" };
                    self.code(format!("{name} = {zero}"));
                }
            }
            (MarkerClass::Deallocate, Some(object)) => {
                let name = self.w.name(object.symbol);
                let status = self.status(&m.text);
                self.code(format!("deallocate ({name}{status})"));
            }
            _ if cx.foreign => self.foreign_marker(m),
            _ if m.text.trim().is_empty() => {}
            _ => {
                let renamed = m
                    .reads
                    .iter()
                    .chain(&m.writes)
                    .copied()
                    .any(|s| self.w.names.get(s).is_some_and(|n| !n.eq_ignore_ascii_case(&cx.program.symbol(s).name)));
                if renamed {
                    cx.refuse(problems::foreign_text(cx.program, self.w.span, m.text.trim()));
                }
                if m.class == MarkerClass::Pragma || m.text.trim_start().starts_with('!') {
                    self.lines.push(Line::Verbatim(m.text.trim_end().to_owned()));
                } else {
                    for line in m.text.lines() {
                        self.code(line.trim());
                    }
                }
            }
        }
    }

    /// The `stat=` of an ALLOCATE or DEALLOCATE statement, with the comma before it.
    fn status(&self, text: &str) -> String {
        let cx = self.w.cx;
        let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let lower = squeezed.to_ascii_lowercase();
        let Some(at) = lower.find(",stat=").filter(|_| !cx.foreign) else { return String::new() };
        let name: String = squeezed[at + 6..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let symbol = cx.program.lookup(cx.program.unit(self.w.unit).scope, &name);
        match symbol.and_then(|s| self.w.names.get(s)) {
            Some(n) => format!(", stat={n}"),
            None => String::new(),
        }
    }

    /// The few opaque statements of C that Fortran has as well.
    fn foreign_marker(&mut self, m: &Marker) {
        let cx = self.w.cx;
        let squeezed: String = m.text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = squeezed.trim_end_matches(';');
        match (&m.class, text) {
            (_, "") => {}
            (MarkerClass::Stop, "abort()") => self.code("error stop"),
            (MarkerClass::Stop, "exit(EXIT_FAILURE)") => self.code("error stop 1"),
            (MarkerClass::Stop, "exit(EXIT_SUCCESS)" | "exit(0)") => self.code("stop"),
            (MarkerClass::Stop, t) => {
                let code = t.strip_prefix("exit(").and_then(|r| r.strip_suffix(')')).and_then(|r| r.parse::<i32>().ok());
                match code {
                    Some(code) => self.code(format!("error stop {code}")),
                    None => cx.refuse(problems::foreign_text(cx.program, self.w.span, m.text.trim())),
                }
            }
            _ => cx.refuse(problems::foreign_text(cx.program, self.w.span, m.text.trim())),
        }
    }

    fn runtime(&mut self, name: &str, arguments: &[CallArgument]) {
        let cx = self.w.cx;
        // Text without a length of its own need not be there yet.
        let open = |a: &CallArgument| {
            let symbol = a.value.as_var().filter(|r| r.subscripts.is_empty()).map(|r| cx.program.symbol(r.symbol));
            let there = |s: &Symbol| s.ty.base == BaseType::String && ["allocatable", "heap"].iter().any(|a| s.has_attribute(a));
            symbol.is_some_and(|s| s.rank == 0 && there(s))
        };
        let function = match (name, arguments.first().is_some_and(open)) {
            ("push", false) => "overbar_push",
            ("pop", false) => "overbar_pop",
            ("push", true) => "overbar_push_text",
            ("pop", true) => "overbar_pop_text",
            _ => return cx.refuse(problems::stock_only(cx.program, self.w.span, &format!("the run-time call `{name}`"))),
        };
        let [argument] = arguments else {
            return cx.refuse(problems::malformed(cx.program, self.w.span, format!("`{name}` takes one argument")));
        };
        let ty = xaif::types::of(cx.program, &argument.value).elem;
        let known = match ty.base {
            BaseType::Real => matches!(types::width(ty), 32 | 64 | 128),
            BaseType::Integer => matches!(types::width(ty), 32 | 64),
            BaseType::Bool => cx.foreign || matches!(ty.bits, 0 | 32),
            BaseType::Char | BaseType::String => !cx.foreign,
            _ => false,
        };
        if !known {
            let what = match argument.value.as_var() {
                Some(r) => format!("`{}`", cx.program.symbol(r.symbol).name),
                None => "a value of this type".to_owned(),
            };
            cx.refuse(problems::not_recordable(cx.program, self.w.span, &what));
        }
        if let Some(r) = argument.value.as_var() {
            self.check_whole(r);
        } else if name == "pop" {
            cx.refuse(problems::malformed(cx.program, self.w.span, "`pop` of something that is no variable"));
        }
        let text = self.value(&argument.value);
        self.w.runtime.insert(function);
        self.code(format!("call {function}({text})"));
    }
}

/// True for an array whose last dimension (the first in row order) has no known extent and no descriptor.
pub fn is_assumed_size(symbol: &Symbol) -> bool {
    let Some(d) = &symbol.decl else { return false };
    let open = d.dims.iter().any(|d| d.upper == Bound::Unknown) || (symbol.rank > 0 && d.dims.is_empty());
    let described = d.passing == Passing::Descriptor || ["allocatable", "pointer", "heap"].iter().any(|a| symbol.has_attribute(a));
    symbol.rank > 0 && open && !described && d.storage == Storage::Argument
}

/// The names of construct and statement labels that a unit's vertices carry.
pub fn numeric_labels(unit: &Unit) -> FxHashMap<xaif::model::VertexId, u32> {
    let label = |v: xaif::model::VertexId| unit.graph[v].label.parse::<u32>().ok().filter(|l| (1..=99999).contains(l));
    unit.graph.node_indices().filter_map(|v| Some((v, label(v)?))).collect()
}
