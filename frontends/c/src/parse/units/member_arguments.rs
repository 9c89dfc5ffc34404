//! Members of structures as arguments, once all functions are translated.
//!
//! ```text
//! move(b, dt)  with  b%x, b%v in move      ->      move(b, b%x, b%v, dt)        and a call of it:  move(s, s%x, s%v, h)
//! ```
//!
//! Which members a function needs shows in its text and in those that it calls; so arguments are added until nothing changes. A function whose text is not here gets all
//! that is known of the structures that it is given, by reference. Statements that are kept as text use all members of the structures that they name.
//! Lives here: arguments and positions. Never here: which members there are (see `structures`).

use super::passed_rows;
use super::passed_structures::{PassedStructure, is_endless, no_target, other_type, without_end};
use crate::parse::context::places::Pointer;
use crate::parse::memory::null_tests::become_absent;
use crate::parse::structures::member_variables::place_within;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use xaif::members::{NULLABLE_POINTER, PATH, REACHED, Step, UNTYPED, Way, around, is_structure, way};
use xaif::model::{
    Call, CallArgument, Expr, Formal, Intent, Passing, Span, StmtKind, Storage, Symbol, SymbolId, Triplet, UnitId, VarRef, VertexKind,
};
use xaif::rows::ROWS;
use xaif::{Diagnostic, Program};

/// What pointers in structures of functions point to.
pub(crate) type Targets = FxHashMap<(SymbolId, SmolStr), Pointer>;

/// What is known of the structures of a program while arguments are completed.
pub(crate) struct Structures<'t> {
    /// For each structure the variables of its members, in the order in which they were made.
    pub members: FxHashMap<SymbolId, Vec<SymbolId>>,
    /// By scope and name.
    pub by_name: FxHashMap<(u32, SmolStr), SymbolId>,
    pub targets: &'t Targets,
    pub units: FxHashMap<SymbolId, UnitId>,
}

/// Completes arguments and calls. Returns the functions that cannot be translated after all, which are left out, and why.
pub(crate) fn complete(program: &mut Program, targets: &Targets) -> Vec<(Span, Diagnostic)> {
    let mut gone = Vec::new();
    loop {
        let problems = passed_rows::problems(program);
        if problems.is_empty() {
            break;
        }
        leave_out(program, problems, &mut gone);
    }
    let needed = |s: &Symbol| is_structure(s) || s.has_attribute(&UNTYPED);
    if !program.symbol_ids().any(|s| needed(program.symbol(s))) {
        return gone;
    }
    let mut structures = Structures::of(program, targets);
    loop {
        let mut problems = structures.settle(program);
        problems.extend(structures.spread(program));
        problems.extend(structures.exposed_pointers(program));
        if problems.is_empty() {
            break;
        }
        leave_out(program, problems, &mut gone);
        structures.units = units(program);
    }
    let externals = structures.extend_externals(program);
    let moved = structures.extend_formals(program);
    for u in 0..program.units.len() {
        let mut graph = std::mem::take(&mut program.units[u].graph);
        for v in graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
            for s in stmts {
                match &mut s.kind {
                    StmtKind::Call(c) => match moved.get(&c.callee) {
                        Some(map) => structures.extend_call(program, map, c),
                        None => structures.extend_unknown_call(program, &externals, c),
                    },
                    StmtKind::Marker(m) => {
                        structures.with_members(&mut m.reads);
                        structures.with_members(&mut m.writes);
                    }
                    _ => {}
                }
            }
        }
        program.units[u].graph = graph;
    }
    spread_absence(program, &units(program));
    gone
}

/// What a called function asks whether it is null may be null for those that hand it on, too.
fn spread_absence(program: &mut Program, units: &FxHashMap<SymbolId, UnitId>) {
    loop {
        let shared = structures_that_may_be_absent(program);
        for &s in &shared {
            match is_structure(program.symbol(s)) {
                true => program.symbol_mut(s).decl.get_or_insert_default().attributes.push(SmolStr::new_static("nullable")),
                false => become_absent(program.symbol_mut(s)),
            }
        }
        let absent = |s: SymbolId| program.symbol(s).has_attribute("optional");
        let handed_on = |s: SymbolId| {
            let y = program.symbol(s);
            way(y).is_some() && y.has_attribute(&REACHED) && *y.storage() == Storage::Argument && !absent(s)
        };
        let mut found: Vec<SymbolId> = Vec::new();
        for stmt in program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()) {
            let StmtKind::Call(call) = &stmt.kind else { continue };
            let Some(&callee) = units.get(&call.callee) else { continue };
            for a in &call.arguments {
                let formal = program.unit(callee).formals.iter().find(|f| f.position == a.position);
                let Some(r) = a.value.as_var().filter(|_| formal.is_some_and(|f| absent(f.symbol))) else { continue };
                found.extend(handed_on(r.symbol).then_some(r.symbol));
            }
        }
        if found.is_empty() && shared.is_empty() {
            break;
        }
        for s in found {
            become_absent(program.symbol_mut(s));
        }
    }
    // Derivative code asks for the pointers that lead to a member.
    let pointer =
        |s: SymbolId| way(program.symbol(s)).and_then(|w| w.0.strip_suffix('*')).map(|w| format_smolstr!("{NULLABLE_POINTER}{w}"));
    let mut words: Vec<(SymbolId, Vec<SmolStr>)> = Vec::new();
    for s in program.symbol_ids().filter(|&s| way(program.symbol(s)).is_some() && program.symbol(s).has_attribute("optional")) {
        let null = around(program, s).filter(|&b| is_structure(program.symbol(b)) && program.symbol(b).has_attribute("nullable"));
        words.push((s, null.filter_map(pointer).collect()));
    }
    for (s, list) in words {
        let attributes = &mut program.symbol_mut(s).decl.get_or_insert_default().attributes;
        attributes.retain(|a| !a.starts_with(NULLABLE_POINTER));
        attributes.extend(list);
    }
}

/// Where a number of a structure that a pointer leads to may be absent, so may all that is in the structure: those of which that is not said yet.
fn structures_that_may_be_absent(program: &Program) -> Vec<SymbolId> {
    let inside = |s: SymbolId| {
        let y = program.symbol(s);
        way(y).is_some_and(|w| !w.0.ends_with('*')) && y.has_attribute("optional") && *y.storage() == Storage::Argument
    };
    let reached = |b: &SymbolId| way(program.symbol(*b)).is_some_and(|w| w.0.ends_with('*'));
    let innermost = program.symbol_ids().filter(|&s| inside(s)).filter_map(|s| around(program, s).rev().find(reached));
    let absent: FxHashSet<SymbolId> = innermost.collect();
    let within = |s: &SymbolId| {
        let y = program.symbol(*s);
        if absent.contains(s) {
            return !y.has_attribute("nullable");
        }
        !y.has_attribute("optional")
            && way(y).is_some()
            && !is_structure(y)
            && *y.storage() == Storage::Argument
            && around(program, *s).any(|b| absent.contains(&b))
    };
    if absent.is_empty() { Vec::new() } else { program.symbol_ids().filter(within).collect() }
}

fn units(program: &Program) -> FxHashMap<SymbolId, UnitId> {
    program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect()
}

/// Leaves functions out: for those that call them they are functions without a text.
fn leave_out(program: &mut Program, problems: Vec<(UnitId, Diagnostic)>, gone: &mut Vec<(Span, Diagnostic)>) {
    let bad: FxHashSet<UnitId> = problems.iter().map(|(u, _)| *u).collect();
    for (u, mut d) in problems {
        let unit = program.unit(u);
        let (symbol, name, span) = (unit.symbol, program.unit_name(u).to_owned(), unit.span);
        let words: Vec<SmolStr> = unit.formals.iter().filter(|f| !f.result).map(|f| word(program.symbol(f.symbol))).collect();
        let decl = program.symbol_mut(symbol).decl.get_or_insert_default();
        if decl.storage != Storage::Extern {
            decl.storage = Storage::Extern;
            decl.attributes.splice(0..0, words.into_iter().chain(["refused", "keeps"].map(SmolStr::new_static)));
        }
        decl.comment = if decl.comment.is_empty() { d.to_string().into() } else { format_smolstr!("{}\n{d}", decl.comment) };
        d.message = format!("function `{name}` is left out: {}", d.message);
        gone.push((span, d));
    }
    program.remove_units(&|u| bad.contains(&u));
}

/// How an argument is passed.
fn word(symbol: &Symbol) -> SmolStr {
    SmolStr::new_static(if symbol.passing() == Passing::Value { "arg:value" } else { "arg:reference" })
}

/// The path of a member below a structure.
fn below(program: &Program, base: SymbolId, member: SymbolId) -> &str {
    let start = program.symbol(base).name.len() + 1;
    program.symbol(member).name.get(start..).unwrap_or_default()
}

fn like(program: &Program, base: SymbolId, of: SymbolId, member: SymbolId, path: &str) -> Symbol {
    let (outer, inner, callee) = (program.symbol(base), program.symbol(member), program.symbol(of));
    let (around, mut decl) = (outer.decl.clone().unwrap_or_default(), inner.decl.clone().unwrap_or_default());
    let mut symbol = Symbol::variable(format_smolstr!("{}%{path}", outer.name), inner.ty, outer.scope);
    symbol.span = outer.span;
    symbol.temp = outer.temp;
    let text = way(inner).unwrap_or_default().0;
    let text = way(callee).and_then(|w| text.strip_prefix(w.0)).map_or(text, |t| t.trim_start_matches('.'));
    let path = way(outer).unwrap_or_default().then(Way(text));
    let reached = inner.has_attribute(&REACHED) && !callee.has_attribute(&REACHED) || outer.has_attribute(&REACHED);
    decl.attributes.retain(|a| !a.starts_with(PATH) && *a != REACHED && (*a != "const" || reached));
    decl.attributes.insert(0, format_smolstr!("{PATH}{path}"));
    if reached {
        decl.attributes.push(REACHED);
    } else if outer.has_attribute("const") {
        decl.attributes.push(SmolStr::new_static("const"));
    }
    let dims = around.dims.iter().chain(decl.dims.iter().skip(callee.rank as usize)).cloned().collect();
    decl.dims = dims;
    symbol.rank = decl.dims.len().min(u8::MAX as usize) as u8;
    decl.attributes.retain(|a| *a != ROWS);
    if outer.has_attribute(&ROWS) || pointer_within(&decl.attributes, around.dims.len()) {
        decl.attributes.push(ROWS);
    }
    symbol.decl = Some(decl);
    place_within(&mut symbol, outer, reached);
    symbol
}

/// Whether a pointer on the way of a member has subscripts before its own, those of `outer` dimensions among them: each element leads to memory of its own.
fn pointer_within(attributes: &[SmolStr], outer: usize) -> bool {
    let way = Way(attributes.iter().find_map(|a| a.strip_prefix(PATH)).unwrap_or_default());
    let subscripts = way.steps().scan(outer, |n, s| {
        let before = *n;
        *n += usize::from(matches!(s, Step::Subscript | Step::Pointer));
        Some((s, before))
    });
    subscripts.into_iter().any(|(s, before)| s == Step::Pointer && before > 0)
}

/// The reference to a member of what a call passes.
fn member_of(program: &Program, r: &VarRef, member: SymbolId) -> VarRef {
    let rank = program.symbol(member).rank as usize;
    let mut subscripts = r.subscripts.clone();
    if !subscripts.is_empty() {
        subscripts.extend((subscripts.len()..rank).map(|_| Triplet::element(Expr::int(0))));
    }
    VarRef { subscripts, ..VarRef::whole(member) }
}

/// What functions without a text get besides: for each position in a call the paths of members.
type Externals = FxHashMap<SymbolId, Vec<(u32, Vec<SmolStr>)>>;

impl<'t> Structures<'t> {
    /// The members that there are: of every structure all variables below it that are numbers.
    fn of(program: &Program, targets: &'t Targets) -> Structures<'t> {
        let mut out = Structures { members: FxHashMap::default(), by_name: FxHashMap::default(), targets, units: units(program) };
        for s in program.symbol_ids().filter(|s| is_structure(program.symbol(*s))) {
            let y = program.symbol(s);
            out.by_name.insert((y.scope.0, y.name.clone()), s);
        }
        for s in program.symbol_ids() {
            let y = program.symbol(s);
            if way(y).is_some() && !is_structure(y) {
                out.enter(program, s);
            }
        }
        out
    }

    /// Takes note of a member: it is one of everything around it.
    fn enter(&mut self, program: &Program, member: SymbolId) {
        let y = program.symbol(member);
        for (at, _) in y.name.match_indices('%') {
            if let Some(&base) = self.by_name.get(&(y.scope.0, y.name[..at].into())) {
                self.members.entry(base).or_default().push(member);
            }
        }
    }

    /// The members of a structure.
    pub fn members(&self, base: SymbolId) -> &[SymbolId] {
        self.members.get(&base).map_or(&[], Vec::as_slice)
    }

    fn member(&self, program: &Program, base: SymbolId, path: &str) -> Option<SymbolId> {
        self.members(base).iter().copied().find(|m| below(program, base, *m) == path)
    }

    /// Whether a pointer leads from a structure to this member of it.
    fn is_reached(&self, program: &Program, base: SymbolId, path: &str) -> bool {
        let reached = |s: SymbolId| program.symbol(s).has_attribute(&REACHED);
        !reached(base) && self.member(program, base, path).is_some_and(reached)
    }

    /// Gives callers the members that their callees use.
    fn spread(&mut self, program: &mut Program) -> Vec<(UnitId, Diagnostic)> {
        let all: Vec<(UnitId, Vec<PassedStructure>)> = program.unit_ids().map(|u| (u, self.passed(program, program.unit(u)))).collect();
        let mut problems = Vec::new();
        loop {
            let mut grew = false;
            for (u, list) in all.iter().rev() {
                for p in list {
                    if let Some(d) = other_type(program, p) {
                        problems.push((*u, d));
                        return problems;
                    }
                    if is_endless(program, p) {
                        problems.push((*u, without_end(program, p)));
                        return problems;
                    }
                    for m in self.members(p.formal).to_vec() {
                        match self.need(program, p.actual.symbol, p.formal, m) {
                            Ok(new) => grew |= new,
                            Err(what) => {
                                problems.push((*u, no_target(program, p, &what)));
                                return problems;
                            }
                        }
                    }
                }
            }
            if !grew {
                return problems;
            }
        }
    }

    /// Makes the variable of a structure that goes with a member of another one; false where it is there. An error is the pointer that has no target.
    fn need(&mut self, program: &mut Program, base: SymbolId, of: SymbolId, member: SymbolId) -> Result<bool, SmolStr> {
        let path: SmolStr = below(program, of, member).into();
        if self.member(program, base, &path).is_some() {
            return Ok(false);
        }
        // A pointer on the way stands for its target.
        let (mut at, mut callee, mut rest) = (base, of, path.as_str());
        while !rest.is_empty() {
            let (name, further) = rest.split_once('%').unwrap_or((rest, ""));
            let inner = |l: &Self, s: SymbolId| {
                let y = program.symbol(s);
                l.by_name.get(&(y.scope.0, format_smolstr!("{}%{name}", y.name))).copied()
            };
            if let Some(target) = self.targets.get(&(at, name.into())) {
                let to = target.base;
                return match (further.is_empty(), inner(self, callee)) {
                    (true, _) => Ok(false),
                    (false, Some(c)) => self.need(program, to, c, member),
                    (false, None) => Err(path),
                };
            }
            match (inner(self, at), inner(self, callee)) {
                (Some(a), Some(c)) => (at, callee, rest) = (a, c, further),
                _ => break,
            }
        }
        let outer = program.symbol(base);
        if program.symbol(member).has_attribute(&REACHED)
            && !program.symbol(of).has_attribute(&REACHED)
            && *outer.storage() != Storage::Argument
        {
            return Err(path);
        }
        let new = program.add_symbol(like(program, base, of, member, &path));
        self.enter(program, new);
        Ok(true)
    }

    fn extend_externals(&mut self, program: &mut Program) -> Externals {
        let mut wanted: FxHashMap<SymbolId, Vec<(u32, SymbolId)>> = FxHashMap::default();
        for s in program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()) {
            let StmtKind::Call(c) = &s.kind else { continue };
            if self.units.contains_key(&c.callee) {
                continue;
            }
            for a in &c.arguments {
                if let Some(r) = a.value.as_var().filter(|r| is_structure(program.symbol(r.symbol))) {
                    wanted.entry(c.callee).or_default().push((a.position, r.symbol));
                }
            }
        }
        let mut callees: Vec<SymbolId> = wanted.keys().copied().collect();
        callees.sort_unstable();
        callees.into_iter().map(|c| (c, self.extend_external(program, c, &wanted[&c]))).collect()
    }

    /// The members that calls of a function without a text hand over, with a word for each among those that say how its arguments are passed.
    fn extend_external(&mut self, program: &mut Program, callee: SymbolId, uses: &[(u32, SymbolId)]) -> Vec<(u32, Vec<SmolStr>)> {
        let mut positions: Vec<u32> = uses.iter().map(|(p, _)| *p).collect();
        positions.sort_unstable();
        positions.dedup();
        let mut list = Vec::new();
        for p in positions {
            let bases: Vec<SymbolId> = uses.iter().filter(|(q, _)| *q == p).map(|(_, s)| *s).collect();
            let mut paths: Vec<SmolStr> = Vec::new();
            let mut examples: Vec<(SymbolId, SymbolId)> = Vec::new();
            for &base in &bases {
                for &m in self.members(base) {
                    let path: SmolStr = below(program, base, m).into();
                    if !paths.contains(&path) {
                        paths.push(path);
                        examples.push((base, m));
                    }
                }
            }
            for &base in &bases {
                for &(of, m) in &examples {
                    // What is no pointer always has a variable.
                    let _ = self.need(program, base, of, m);
                }
            }
            list.push((p, paths));
        }
        let all = list.iter().flat_map(|(_, paths)| paths);
        let reached: FxHashSet<SmolStr> =
            all.filter(|path| uses.iter().any(|&(_, base)| self.is_reached(program, base, path))).cloned().collect();
        let decl = program.symbol_mut(callee).decl.get_or_insert_default();
        let first = decl.attributes.iter().position(|a| a.starts_with("arg:")).unwrap_or(decl.attributes.len());
        for (p, paths) in list.iter().rev() {
            let at = (first + *p as usize).min(decl.attributes.len());
            let own = decl.attributes.get(at.saturating_sub(1)).cloned().unwrap_or_default();
            // What pointers in a structure lead to can be set, even where the structure is a copy or constant.
            let word = |path: &SmolStr| if reached.contains(path) { SmolStr::new_static("arg:reference") } else { own.clone() };
            decl.attributes.splice(at..at, paths.iter().map(word));
        }
        list
    }

    /// Adds members to the arguments of each unit. Returns for each unit the new positions of the old ones.
    fn extend_formals(&self, program: &mut Program) -> FxHashMap<SymbolId, FxHashMap<u32, u32>> {
        let mut out = FxHashMap::default();
        for u in 0..program.units.len() {
            let mut moved = FxHashMap::default();
            let mut formals: Vec<Formal> = Vec::new();
            for f in program.units[u].formals.clone() {
                let mut own = self.members(f.symbol).to_vec();
                own.sort_by_key(|m| program.symbol(*m).name.clone());
                let base = Formal { position: formals.len() as u32 + 1, ..f.clone() };
                moved.insert(f.position, base.position);
                formals.push(base);
                for m in own {
                    let formal = Formal { symbol: m, position: formals.len() as u32 + 1, ..f.clone() };
                    formals.push(directed(program, formal));
                }
            }
            out.insert(program.units[u].symbol, moved);
            program.units[u].formals = formals;
        }
        out
    }

    /// What stands in the caller for a member of a structure that a call passes.
    fn actual(&self, program: &Program, r: &VarRef, path: &str) -> Option<VarRef> {
        if let Some(m) = self.member(program, r.symbol, path) {
            return Some(member_of(program, r, m));
        }
        let (mut at, mut rest) = (r.symbol, path);
        while !rest.is_empty() {
            let (name, further) = rest.split_once('%').unwrap_or((rest, ""));
            if let Some(target) = self.targets.get(&(at, name.into())) {
                let pointed = target.target();
                return match further.is_empty() {
                    true => Some(from_start(program, pointed)),
                    false => self.actual(program, &pointed, further),
                };
            }
            let y = program.symbol(at);
            at = self.by_name.get(&(y.scope.0, format_smolstr!("{}%{name}", y.name))).copied()?;
            rest = further;
        }
        None
    }

    fn extend_call(&self, program: &Program, map: &FxHashMap<u32, u32>, call: &mut Call) {
        let Some(unit) = self.units.get(&call.callee).map(|u| program.unit(*u)) else { return };
        let mut list = Vec::new();
        for a in &call.arguments {
            let position = map.get(&a.position).copied().unwrap_or(a.position);
            let r = a.value.as_var().filter(|r| is_structure(program.symbol(r.symbol)));
            if let Some((r, f)) = r.and_then(|r| Some((r, unit.formals.iter().find(|f| f.position == position)?))) {
                for g in unit.formals.iter().filter(|g| way(program.symbol(g.symbol)).is_some()) {
                    let name = &program.symbol(g.symbol).name;
                    let path = name.strip_prefix(program.symbol(f.symbol).name.as_str()).and_then(|p| p.strip_prefix('%'));
                    if let Some(actual) = path.and_then(|p| self.actual(program, r, p)) {
                        list.push(CallArgument { position: g.position, value: Expr::var(actual), ..a.clone() });
                    }
                }
            }
            list.push(CallArgument { position, ..a.clone() });
        }
        list.sort_by_key(|a| a.position);
        call.arguments = list;
        call.formal_count = call.formal_count.map(|_| unit.formals.len() as u32);
    }

    fn extend_unknown_call(&self, program: &Program, externals: &Externals, call: &mut Call) {
        let Some(more) = externals.get(&call.callee) else { return };
        let mut list = Vec::new();
        let mut ahead = 0;
        call.arguments.sort_by_key(|a| a.position);
        let mut waiting = more.iter().peekable();
        for a in call.arguments.drain(..) {
            let old = a.position;
            while waiting.peek().is_some_and(|(p, _)| *p < old) {
                ahead += waiting.next().map_or(0, |(_, paths)| paths.len() as u32);
            }
            let position = old + ahead;
            list.push(CallArgument { position, ..a.clone() });
            let Some(((_, paths), r)) = waiting.peek().filter(|(p, _)| *p == old).zip(a.value.as_var()) else { continue };
            for (k, path) in paths.iter().enumerate() {
                if let Some(m) = self.member(program, r.symbol, path) {
                    let value = Expr::var(member_of(program, r, m));
                    let keyword = SmolStr::new_static("%");
                    list.push(CallArgument { position: position + 1 + k as u32, value, keyword, ..a.clone() });
                }
            }
        }
        call.arguments = list;
    }

    /// What a statement that is kept as text does to a structure it does to its members.
    fn with_members(&self, symbols: &mut Vec<SymbolId>) {
        let more: Vec<SymbolId> = symbols.iter().flat_map(|s| self.members(*s)).copied().collect();
        let mut seen: FxHashSet<SymbolId> = symbols.iter().copied().collect();
        symbols.extend(more.into_iter().filter(|m| seen.insert(*m)));
    }
}

/// The direction of a member that is an argument.
fn directed(program: &Program, mut formal: Formal) -> Formal {
    let y = program.symbol(formal.symbol);
    if y.has_attribute(&REACHED) || y.passing() != Passing::Value {
        let constant = y.has_attribute("const");
        formal.intent = match () {
            () if constant => Intent::In,
            () if formal.intent == Intent::Out => Intent::Out,
            () => Intent::Inout,
        };
        formal.intent_declared = constant;
    }
    formal
}

/// A reference to numbers from a place on: the whole variable where that is its start.
fn from_start(program: &Program, r: VarRef) -> VarRef {
    let rank = program.symbol(r.symbol).rank as usize;
    let start = r.subscripts.iter().all(|t| t.index.as_ref().and_then(Expr::as_int) == Some(0));
    if rank == 0 || start && rank == 1 {
        return VarRef::whole(r.symbol);
    }
    let mut subscripts = r.subscripts.clone();
    subscripts.extend((subscripts.len()..rank).map(|_| Triplet::element(Expr::int(0))));
    VarRef { subscripts, ..VarRef::whole(r.symbol) }
}
