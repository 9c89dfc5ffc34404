//! What activity cannot be followed through: refusals and warnings, each with its place.
//!
//! Never here: refusals that a transformation finds while it writes a statement.

use super::active::Activity;
use super::escapes::Escapes;
use super::heads::ResolvedHead;
use super::rounded::Rounded;
use crate::analysis::effects::kept::Keeps;
use crate::analysis::facts::Facts;
use crate::analysis::program::table::{ArgStep, CallStep, Step};
use std::collections::BTreeSet;
use xaif::model::{BaseType, Expr, MarkerClass, Span, Stmt, StmtKind, Storage, SymbolId, SymbolKind, UnitId, VertexKind};
use xaif::{Diagnostic, Program};

/// All of them, in document order.
pub fn check(program: &Program, facts: &Facts, activity: &Activity, heads: &[ResolvedHead], adjoint: bool) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut following = Vec::new();
    let rounded = Rounded::of(program, facts, activity);
    let escapes = Escapes::of(program, facts, activity);
    for u in activity.reached().filter(|&u| !facts.externals.has(u)) {
        let mut check = Check { program, facts, activity, escapes: &escapes, unit: u, out: &mut out, following: &mut following };
        check.symbols();
        check.kept();
        check.statements();
        check.out.extend(rounded.places(u));
        check.stack(adjoint);
        check.allocations_below(adjoint);
        check.laid_out_twice();
        let named = heads.iter().filter(|h| h.unit == u).map(|h| h.dependents.iter().chain(&h.independents).copied().collect());
        one_place(program, facts, activity, u, &named.collect::<Vec<_>>(), &mut out);
    }
    without_consequences(&mut out, &following);
    for h in heads {
        for &y in &h.dependents {
            if !activity.is_active(h.unit, y) {
                let is_result = program.unit(h.unit).result().is_some_and(|f| f.symbol == y);
                let name = if is_result { program.unit_name(h.unit) } else { &program.symbol(y).name };
                out.push(
                    Diagnostic::warning(
                        "OB4008",
                        format!("{name} does not depend on {} in {}", names(program, &h.independents), program.unit_name(h.unit)),
                    )
                    .at(program.location(program.symbol(y).span))
                    .because("no differentiable path leads from the independents to it, so its derivative is zero"),
                );
            }
        }
        overlap_note(program, facts, activity, h, &mut out);
    }
    out
}

/// What is said because of a variable that is no number.
struct Following {
    /// Its place in the list.
    at: usize,
    /// It is about a statement, not about a declaration.
    is_statement: bool,
}

/// What an unknown procedure gets may be in all that it sees: where one is refused, what is refused of variables that are no numbers would only hide that, but for
/// statements that come before it.
fn without_consequences(out: &mut Vec<Diagnostic>, following: &[Following]) {
    let place = |d: &Diagnostic| d.location.as_ref().map(|l| (l.file.clone(), l.line, l.column));
    let unknown: Vec<_> = out.iter().filter(|d| d.code == "OB4002" && d.severity == xaif::Severity::Error).map(place).collect();
    if unknown.is_empty() {
        return;
    }
    let first = |d: &Diagnostic| {
        let own = place(d);
        own.is_some() && unknown.iter().flatten().all(|u| own.as_ref().is_some_and(|o| o.0 == u.0 && *o < *u))
    };
    let gone = |k: usize, d: &Diagnostic| following.iter().any(|f| f.at == k && !(f.is_statement && first(d))) && d.code != "OB4002";
    let mut at = 0..;
    out.retain(|d| at.next().is_none_or(|k| !gone(k, d)));
}

fn names(program: &Program, list: &[SymbolId]) -> String {
    list.iter().map(|&s| program.symbol(s).name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Variables that the file puts into one place, which derivatives of their own would not share. `named` has what each head of this unit names.
fn one_place(program: &Program, facts: &Facts, activity: &Activity, u: UnitId, named: &[BTreeSet<SymbolId>], out: &mut Vec<Diagnostic>) {
    let formals: BTreeSet<SymbolId> = program.unit(u).formals.iter().map(|f| f.symbol).collect();
    // Callers hand over derivatives as they hand over variables.
    let handed = |s: &SymbolId| formals.contains(s) && named.iter().all(|n| n.contains(s));
    let shared = |s: &SymbolId| !matches!(program.symbol(*s).storage(), Storage::Local | Storage::Argument);
    for (a, b) in facts.aliases.given(u) {
        let together = handed(&a) && (handed(&b) || shared(&b)) || shared(&a) && handed(&b);
        if together || !activity.is_active(u, a) || !activity.is_active(u, b) {
            continue;
        }
        let (x, y) = (&program.symbol(a).name, &program.symbol(b).name);
        out.push(
            Diagnostic::error("OB4123", format!("the file puts {x} and {y} of {} into one place", program.unit_name(u)))
                .at(program.location(program.symbol(b).span))
                .because("their alias sets have an address in common, and their derivatives would be two variables that do not")
                .help("use one name for both, name both in the head if they are arguments, or choose the openad dialect"),
        );
    }
}

/// Arguments of a head that could overlap by their declarations, of which one has a derivative and the other has none or one that
/// is local to the derivative procedure.
fn overlap_note(program: &Program, facts: &Facts, activity: &Activity, h: &ResolvedHead, out: &mut Vec<Diagnostic>) {
    let formals: Vec<SymbolId> = program.unit(h.unit).formals.iter().map(|f| f.symbol).collect();
    let writes = &facts.effects.unit(h.unit).writes;
    let named: BTreeSet<SymbolId> = h.dependents.iter().chain(&h.independents).copied().collect();
    let active: Vec<SymbolId> = formals.iter().copied().filter(|&s| activity.is_active(h.unit, s)).collect();
    let promised = |a: SymbolId, b: SymbolId| {
        (writes.contains(&a) || writes.contains(&b))
            && (activity.is_active(h.unit, a) || activity.is_active(h.unit, b))
            && facts.aliases.promised_apart(program, h.unit, a, b)
    };
    let apart: Vec<SymbolId> = formals.iter().copied().filter(|&a| formals.iter().any(|&b| promised(a, b))).collect();
    if let Some(&first) = apart.first() {
        let mut note =
            Diagnostic::warning("OB4009", format!("{} of {} are taken not to overlap", names(program, &apart), program.unit_name(h.unit)))
                .at(program.location(program.symbol(first).span))
                .because("pointers may overlap, and the derivative is made for callers whose arguments do not")
                .help("give --may-overlap if some caller's do");
        note.severity = xaif::Severity::Note;
        out.push(note);
    }
    let local = |s: SymbolId| !named.contains(&s);
    let locals: Vec<(usize, SymbolId)> = active.iter().copied().enumerate().filter(|(_, s)| local(*s)).collect();
    for (i, &a) in active.iter().enumerate() {
        for &(k, b) in &locals {
            // Two local ones are met twice.
            let apart = !local(a) || i < k;
            if apart && (writes.contains(&a) || writes.contains(&b)) && facts.aliases.may_overlap(program, h.unit, a, b) {
                let (x, y) = (&program.symbol(a).name, &program.symbol(b).name);
                out.push(
                    Diagnostic::warning("OB4017", format!("{x} and {y} of {} are taken not to overlap", program.unit_name(h.unit)))
                        .at(program.location(program.symbol(b).span))
                        .because(format!("the head does not name {y}, so its derivative is local and shares nothing with that of {x}"))
                        .help("declare them restrict, or name both in the head if they may overlap"),
                );
            }
        }
    }
    let passive: Vec<SymbolId> = formals.iter().copied().filter(|&s| !activity.is_active(h.unit, s)).collect();
    for &a in &active {
        for &b in &passive {
            if (writes.contains(&a) || writes.contains(&b)) && facts.aliases.may_overlap(program, h.unit, a, b) {
                let (x, y) = (&program.symbol(a).name, &program.symbol(b).name);
                let mut note =
                    Diagnostic::warning("OB4009", format!("{x} and {y} of {} are taken not to overlap", program.unit_name(h.unit)))
                        .at(program.location(program.symbol(b).span))
                        .because(format!("{x} has a derivative and {y} has none"))
                        .help("declare them restrict, or name both in the head if they may overlap");
                note.severity = xaif::Severity::Note;
                out.push(note);
            }
        }
    }
}

/// Whether a unit, or what it calls with it, allocates or frees an argument; one that goes out is freed on entry.
fn allocates(program: &Program, unit: UnitId, formal: SymbolId) -> bool {
    let mut seen = BTreeSet::from([(unit, formal)]);
    let mut open = vec![(unit, formal)];
    while let Some((u, s)) = open.pop() {
        let unit = program.unit(u);
        if unit.formals.iter().any(|f| f.symbol == s && f.intent == xaif::model::Intent::Out && f.intent_declared) {
            return true;
        }
        for stmt in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            match &stmt.kind {
                StmtKind::Marker(m)
                    if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate)
                        && m.object.as_ref().is_some_and(|o| o.symbol == s) =>
                {
                    return true;
                }
                StmtKind::Call(c) => {
                    let Some(callee) = program.unit_of_symbol(c.callee) else { continue };
                    for a in c.arguments.iter().filter(|a| a.value.as_var().is_some_and(|r| r.symbol == s)) {
                        let formal = program.unit(callee).formals.iter().find(|f| f.position == a.position).map(|f| f.symbol);
                        if let Some(next) = formal.filter(|f| program.symbol(*f).has_attribute("allocatable"))
                            && seen.insert((callee, next))
                        {
                            open.push((callee, next));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    false
}

struct Check<'a> {
    program: &'a Program,
    facts: &'a Facts,
    activity: &'a Activity,
    escapes: &'a Escapes<'a>,
    unit: UnitId,
    out: &'a mut Vec<Diagnostic>,
    /// What in `out` is said because of variables that are no numbers.
    following: &'a mut Vec<Following>,
}

impl Check<'_> {
    fn error(&mut self, code: &'static str, message: String, span: Span, reason: &str, help: &str) {
        // The place of the unit is better than none.
        let place = self.program.location(span).or_else(|| self.program.location(self.program.unit(self.unit).span));
        self.out.push(Diagnostic::error(code, message).at(place).because(reason).help(help));
    }

    fn active(&self, s: SymbolId) -> bool {
        self.activity.is_active(self.unit, s)
    }

    /// Variables of COMMON blocks that this unit and those below it set under one name and see under another, which only storage tells.
    fn laid_out_twice(&mut self) {
        let effects = self.facts.effects.unit(self.unit);
        let seen = |s: &SymbolId| effects.reads.contains(s) || effects.writes.contains(s);
        for &w in &effects.writes {
            let Some(&other) = self.facts.objects.beside(w).iter().find(|s| seen(s)) else { continue };
            let (x, y) = (self.program.symbol(w), self.program.symbol(other));
            // Each pair once where both are set.
            if self.facts.objects.is_odd(w) && !(effects.writes.contains(&other) && other < w) {
                let (name, beside, span) = (x.name.clone(), y.name.clone(), x.span);
                self.error(
                    "OB4023",
                    format!("{name} is set in a COMMON block where another unit has {beside}"),
                    span,
                    "the analyses take variables with names of their own for apart, so what depends on either could be lost",
                    "declare the block with the same types and shapes in every unit",
                );
            }
        }
    }

    /// Calls that allocate or free an array with a derivative: the derivative follows in tangents of units that have it, too.
    fn allocations_below(&mut self, adjoint: bool) {
        let program = self.program;
        let unit = program.unit(self.unit);
        for stmt in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Call(call) = &stmt.kind else { continue };
            let Some(callee) = program.unit_of_symbol(call.callee) else { continue };
            for a in &call.arguments {
                let Some(r) = a.value.as_var().filter(|r| self.active(r.symbol)) else { continue };
                let Some(f) = program.unit(callee).formals.iter().find(|f| f.position == a.position) else { continue };
                let deferred =
                    program.symbol(r.symbol).has_attribute("allocatable") && program.symbol(f.symbol).has_attribute("allocatable");
                if !deferred || self.activity.is_active(callee, f.symbol) && !adjoint || !allocates(program, callee, f.symbol) {
                    continue;
                }
                let (name, called) = (program.symbol(r.symbol).name.clone(), program.unit_name(callee).to_owned());
                self.error(
                    "OB4037",
                    format!("{called} allocates or frees its argument {name}, which has a derivative"),
                    stmt.span,
                    "the derivative would have to follow in each sweep",
                    "allocate it where it is used, or before the differentiated code",
                );
            }
        }
    }

    /// The first assignment to a whole allocatable variable that nothing else allocates.
    fn allocated_by_assignment(&self, s: SymbolId) -> Option<Span> {
        let unit = self.program.unit(self.unit);
        let comes_in = unit.formals.iter().any(|f| f.symbol == s && !f.result && f.intent != xaif::model::Intent::Out);
        let mut first = None;
        for stmt in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            match &stmt.kind {
                StmtKind::Marker(m) if m.class == MarkerClass::Allocate && m.object.as_ref().is_some_and(|o| o.symbol == s) => return None,
                StmtKind::Call(c) if c.arguments.iter().any(|a| a.value.as_var().is_some_and(|r| r.symbol == s)) => return None,
                StmtKind::Assignment { lhs, .. } if lhs.symbol == s && lhs.subscripts.is_empty() => first = first.or(Some(stmt.span)),
                _ => {}
            }
        }
        first.filter(|_| !comes_in)
    }

    fn symbols(&mut self) {
        let Some(u) = self.activity.unit(self.unit) else { return };
        let unit_name = self.program.unit_name(self.unit).to_owned();
        for &s in &u.active {
            let symbol = self.program.symbol(s);
            let (name, span, before) = (symbol.name.clone(), symbol.span, self.out.len());
            match symbol.ty.base {
                BaseType::Complex => self.error(
                    "OB4005",
                    format!("{name} in {unit_name} is complex and needs a derivative"),
                    span,
                    "complex derivatives are not supported",
                    "write real and imaginary part as two real variables",
                ),
                BaseType::Opaque => self.error(
                    "OB4005",
                    format!("{name} in {unit_name} has a type that cannot carry the derivative it needs"),
                    span,
                    "only real variables and arrays of them have derivatives",
                    "copy what is differentiated into real variables",
                ),
                _ => {}
            }
            if (symbol.kind == SymbolKind::Pointer || symbol.pointer || symbol.has_attribute("pointer")) && !symbol.has_attribute("heap") {
                self.error(
                    "OB4004",
                    format!("{name} in {unit_name} is a pointer and needs a derivative"),
                    span,
                    "what it points to may change, and its derivative would not follow",
                    "use the array itself, or pass it as an argument",
                );
            }
            if !symbol.ty.is_real() {
                self.following.extend((before..self.out.len()).map(|at| Following { at, is_statement: false }));
            }
            if self.facts.objects.is_odd(s) {
                self.error(
                    "OB4023",
                    format!("{name} in {unit_name} needs a derivative, but units declare its COMMON block differently"),
                    span,
                    "the derivatives of the block would not line up",
                    "declare the block with the same names, types and order in every unit",
                );
            }
            let own = self.facts.objects.owner(s) == Some(self.unit);
            if own
                && symbol.has_attribute("allocatable")
                && let Some(place) = self.allocated_by_assignment(s)
            {
                self.error(
                    "OB4035",
                    format!("{name} in {unit_name} is allocated by an assignment"),
                    place,
                    "its derivative would have to be allocated along with it, and both again in the reverse sweep",
                    "write ALLOCATE with its bounds before the assignment",
                );
            }
            // All calls of a unit share its static variables, those that are under way as well.
            let carries = || self.facts.effects.unit(self.unit).exposed.contains(&s) || self.facts.calls_itself(self.unit);
            if own && *symbol.storage() == Storage::Static && carries() {
                self.error(
                    "OB4010",
                    format!("{name} in {unit_name} keeps its value between calls and needs a derivative"),
                    span,
                    "the derivative unit has no access to another unit's static variable",
                    "move it to file or module scope, or pass it as an argument",
                );
            }
        }
    }

    /// Static variables of which derivative code has copies that do not follow the originals.
    fn kept(&mut self) {
        if !self.activity.is_differentiated(self.unit) {
            return;
        }
        let unit_name = self.program.unit_name(self.unit).to_owned();
        for &(s, keeps) in self.facts.kept.in_unit(self.unit) {
            let symbol = self.program.symbol(s);
            let (name, span) = (symbol.name.clone(), symbol.span);
            match keeps {
                Keeps::Nothing => {}
                // Said already of what needs a derivative.
                _ if self.active(s) => {}
                Keeps::Once => self.out.push(
                    Diagnostic::warning("OB4039", format!("{name} in {unit_name} is set once and keeps its value between calls"))
                        .at(self.program.location(span))
                        .because("derivative code has a copy of its own, which it sets at its first call"),
                ),
                Keeps::History if !self.facts.kept.has_history(s, |u| self.activity.is_differentiated(u)) => {}
                Keeps::History => self.error(
                    "OB4038",
                    format!("{name} in {unit_name} keeps what earlier calls have set"),
                    span,
                    "derivative code has no access to another unit's static variable, so it would go on from other values",
                    "move it to file or module scope, or pass it as an argument",
                ),
            }
        }
    }

    fn statements(&mut self) {
        let graph = &self.program.unit(self.unit).graph;
        let facts = self.facts;
        for v in graph.node_indices() {
            match &graph[v].kind {
                VertexKind::Block { stmts, .. } => {
                    let table = &facts.tables[self.unit.index()];
                    for (k, (s, step)) in stmts.iter().zip(&table.steps[v.index()]).enumerate() {
                        self.statement(s, step);
                        if self.activity.step(self.unit, table.numbering.at(v, k)).varied {
                            self.undeclared(s, step);
                        }
                        let before = self.out.len();
                        self.out.extend(self.escapes.check(self.unit, (v.index(), k), s));
                        if matches!(&s.kind, StmtKind::Marker(m) if !m.writes.iter().any(|w| self.program.symbol(*w).ty.is_real())) {
                            self.following.extend((before..self.out.len()).map(|at| Following { at, is_statement: true }));
                        }
                    }
                }
                VertexKind::For(f) => {
                    if let StmtKind::Assignment { lhs, .. } = &f.init.kind
                        && self.active(lhs.symbol)
                    {
                        let name = &self.program.symbol(lhs.symbol).name;
                        self.error(
                            "OB4006",
                            format!("loop variable {name} needs a derivative"),
                            if f.init.span.is_known() { f.init.span } else { graph[v].span },
                            "loop variables are not differentiated",
                            "count with an integer and compute the real value inside the loop",
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// A call that gets what depends on an independent, of a function that nothing declares: its value is not what the text says.
    fn undeclared(&mut self, s: &Stmt, step: &Step) {
        let Step::Call(c) = step else { return };
        let symbol = self.program.symbol(c.name);
        if c.callee.is_some() || !symbol.has_attribute("undeclared") {
            return;
        }
        let message = format!("call of {}, which nothing declares, with an argument that depends on independents", symbol.name);
        self.error(
            "OB4002",
            message,
            s.span,
            "without a declaration its result is taken for an int, and the derivative would be lost",
            "include the header that declares it, or declare it and add the file that defines it to the input",
        );
    }

    /// Derivative code of an earlier run: what it has on the stack has no derivative there, and an adjoint's records would come between.
    fn stack(&mut self, adjoint: bool) {
        let graph = &self.program.unit(self.unit).graph;
        let counts =
            |e: &Expr| !matches!(xaif::types::of(self.program, e).elem.base, BaseType::Integer | BaseType::Bool | BaseType::String);
        let records = |s: &&Stmt| match &s.kind {
            StmtKind::Runtime { arguments, .. } => adjoint || arguments.iter().any(|a| counts(&a.value)),
            StmtKind::Propagator(_) => true,
            _ => false,
        };
        let found = graph.node_weights().flat_map(|v| v.stmts()).map(|s| &**s).find(records).map(|s| s.span);
        if let Some(span) = found {
            let span = if span.is_known() { span } else { self.program.unit(self.unit).span };
            let name = self.program.unit_name(self.unit).to_owned();
            self.error(
                "OB4124",
                format!("{name} is derivative code: it records values on the run-time stack"),
                span,
                "the stack keeps no derivatives of what goes over it",
                "make the tangent first, then the adjoint of that tangent",
            );
        }
    }

    /// An argument of a unit of the program for which it has none.
    fn statement(&mut self, s: &Stmt, step: &Step) {
        let table = &self.facts.tables[self.unit.index()];
        let Step::Call(CallStep { callee: Some(callee), args, .. }) = step else { return };
        let object = |n: u32| table.objects.get(n as usize).copied();
        let touches = |a: &ArgStep| a.depends.iter().copied().filter_map(object).find(|&s| self.active(s));
        if let Some(x) = args.iter().filter(|a| a.formal.is_none()).find_map(touches) {
            let (callee, x) = (self.program.unit_name(*callee).to_owned(), self.program.symbol(x).name.clone());
            self.error(
                "OB4024",
                format!("call of {callee} passes {x}, for which {callee} has no argument"),
                s.span,
                "the argument is active",
                "call it with the arguments it declares",
            );
        }
    }
}
