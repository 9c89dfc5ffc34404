//! Members of structures as arguments, once all functions are translated.
//!
//! ```text
//! move(b, dt)  with  b%x, b%v in move      ->      move(b, b%x, b%v, dt)        and a call of it:  move(s, s%x, s%v, h)
//! ```
//!
//! Which members a function needs shows in its text and in those that it calls; so arguments are added until nothing changes. A function whose text is not here gets all
//! that is known of the structures that it is given, by reference. Statements that are kept as text use all members of the structures that they name.
//! Lives here: arguments and positions. Never here: which members there are (see `structures`).

use super::structures::{PATH, REACHED, STRUCTURE, path_of};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use xaif::model::{
    Call, CallArgument, Expr, Formal, Passing, Storage, StmtKind, Symbol, SymbolId, Triplet, UnitId, VarRef, VertexKind,
};
use xaif::{Diagnostic, Program};

/// The members of structures: for each structure its variables, in the order in which they were made.
type Members = FxHashMap<SymbolId, Vec<SymbolId>>;

/// Completes arguments and calls.
///
/// # Errors
/// Structures with pointers that are given to functions that may change them.
pub(super) fn complete(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    if !program.symbol_ids().any(|s| program.symbol(s).has_attribute(&STRUCTURE)) {
        return Ok(());
    }
    let mut members = find(program);
    spread(program, &mut members);
    let problems = exposed_pointers(program, &members);
    if !problems.is_empty() {
        return Err(problems);
    }
    let externals = extend_externals(program, &mut members);
    let moved = extend_formals(program, &members);
    for u in 0..program.units.len() {
        let mut graph = std::mem::take(&mut program.units[u].graph);
        for v in graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
            for s in stmts {
                match &mut s.kind {
                    StmtKind::Call(c) => extend_call(program, &members, &moved, &externals, c),
                    StmtKind::Marker(m) => {
                        with_members(&members, &mut m.reads);
                        with_members(&members, &mut m.writes);
                    }
                    _ => {}
                }
            }
        }
        program.units[u].graph = graph;
    }
    Ok(())
}

/// Whether a symbol is a structure whose members have variables.
fn is_structure(symbol: &Symbol) -> bool {
    symbol.has_attribute(&STRUCTURE)
}

/// The members that there are: of every structure all variables below it that are numbers.
fn find(program: &Program) -> Members {
    let mut by_name: FxHashMap<(u32, SmolStr), SymbolId> = FxHashMap::default();
    for s in program.symbol_ids().filter(|s| is_structure(program.symbol(*s))) {
        let y = program.symbol(s);
        by_name.insert((y.scope.0, y.name.clone()), s);
    }
    let mut out = Members::default();
    for s in program.symbol_ids() {
        let y = program.symbol(s);
        if path_of(y).is_none() || is_structure(y) {
            continue;
        }
        for (at, _) in y.name.match_indices('%') {
            if let Some(&base) = by_name.get(&(y.scope.0, y.name[..at].into())) {
                out.entry(base).or_default().push(s);
            }
        }
    }
    out
}

/// The path of a member below a structure.
fn below<'p>(program: &'p Program, base: SymbolId, member: SymbolId) -> &'p str {
    let start = program.symbol(base).name.len() + 1;
    program.symbol(member).name.get(start..).unwrap_or_default()
}

/// The structures that calls of a unit pass: the callee's variable and the caller's reference.
fn passed(program: &Program, unit: UnitId) -> Vec<(SymbolId, VarRef)> {
    let mut out = Vec::new();
    for s in program.unit(unit).graph.node_weights().flat_map(|v| v.stmts()) {
        let StmtKind::Call(c) = &s.kind else { continue };
        let Some(callee) = program.unit_of_symbol(c.callee) else { continue };
        for a in &c.arguments {
            let Some(r) = a.value.as_var().filter(|r| is_structure(program.symbol(r.symbol))) else { continue };
            let formal = program.unit(callee).formals.iter().find(|f| f.position == a.position);
            if let Some(f) = formal.filter(|f| is_structure(program.symbol(f.symbol))) {
                out.push((f.symbol, r.clone()));
            }
        }
    }
    out
}

/// Gives callers the members that their callees use.
fn spread(program: &mut Program, members: &mut Members) {
    let mut work: Vec<UnitId> = program.unit_ids().collect();
    loop {
        let mut grew = false;
        for &u in &work {
            for (formal, actual) in passed(program, u) {
                for m in members.get(&formal).cloned().unwrap_or_default() {
                    grew |= need(program, members, actual.symbol, formal, m);
                }
            }
        }
        if !grew {
            return;
        }
        work.reverse();
    }
}

/// Makes the variable of a structure that goes with a member of another one; false where it is there.
fn need(program: &mut Program, members: &mut Members, base: SymbolId, of: SymbolId, member: SymbolId) -> bool {
    let path: SmolStr = below(program, of, member).into();
    if members.get(&base).is_some_and(|l| l.iter().any(|&m| below(program, base, m) == path)) {
        return false;
    }
    let new = like(program, base, of, member, &path);
    let scope = new.scope;
    let name = new.name.clone();
    let symbol = program.add_symbol(new);
    // It is a member of everything around it.
    let around: Vec<SymbolId> = program
        .scope(scope)
        .symbols
        .iter()
        .copied()
        .filter(|s| {
            let y = program.symbol(*s);
            is_structure(y) && name.strip_prefix(y.name.as_str()).is_some_and(|rest| rest.starts_with('%'))
        })
        .collect();
    for s in around {
        members.entry(s).or_default().push(symbol);
    }
    true
}

fn like(program: &Program, base: SymbolId, of: SymbolId, member: SymbolId, path: &str) -> Symbol {
    let (outer, inner, callee) = (program.symbol(base), program.symbol(member), program.symbol(of));
    let (around, own) = (outer.decl.clone().unwrap_or_default(), inner.decl.clone().unwrap_or_default());
    let mut symbol = Symbol::variable(format_smolstr!("{}%{path}", outer.name), inner.ty, outer.scope);
    symbol.span = outer.span;
    symbol.temp = outer.temp;
    let text = path_of(inner).unwrap_or_default();
    let text = path_of(callee).and_then(|p| text.strip_prefix(p)).map_or(text, |t| t.trim_start_matches('.'));
    let before = path_of(outer).map_or(String::new(), |p| format!("{p}."));
    let reached = inner.has_attribute(&REACHED) && !callee.has_attribute(&REACHED) || outer.has_attribute(&REACHED);
    let by_value = around.passing == Passing::Value && !reached;
    let mut decl = own;
    decl.attributes.retain(|a| !a.starts_with(PATH) && *a != REACHED && (*a != "const" || reached));
    decl.attributes.insert(0, format_smolstr!("{PATH}{before}{text}"));
    if reached {
        decl.attributes.push(REACHED);
    } else if outer.has_attribute("const") {
        decl.attributes.push(SmolStr::new_static("const"));
    }
    decl.attributes.extend(around.attributes.iter().filter(|a| matches!(a.as_str(), "static" | "thread_local")).cloned());
    let dims = around.dims.iter().chain(decl.dims.iter().skip(callee.rank as usize)).cloned().collect();
    decl.dims = dims;
    symbol.rank = decl.dims.len().min(u8::MAX as usize) as u8;
    decl.passing = match around.storage {
        Storage::Argument if by_value && symbol.rank == 0 => Passing::Value,
        Storage::Argument => Passing::Reference,
        _ => Passing::default(),
    };
    decl.may_alias = match around.storage {
        Storage::Argument => reached || !by_value && !outer.has_attribute("restrict"),
        _ => around.may_alias,
    };
    decl.storage = around.storage.clone();
    symbol.decl = Some(decl);
    symbol
}

/// Refusals of structures with pointers that are used, which functions without a text may change.
fn exposed_pointers(program: &Program, members: &Members) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for unit in &program.units {
        for s in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Call(c) = &s.kind else { continue };
            if program.unit_of_symbol(c.callee).is_some() {
                continue;
            }
            for r in c.arguments.iter().filter_map(|a| a.value.as_var()) {
                let y = program.symbol(r.symbol);
                let reached = |m: &&SymbolId| program.symbol(**m).has_attribute(&REACHED) && !y.has_attribute(&REACHED);
                if is_structure(y)
                    && !y.has_attribute("const")
                    && let Some(&m) = members.get(&r.symbol).and_then(|l| l.iter().find(reached))
                {
                    let (name, callee) = (&program.symbol(m).name, &program.symbol(c.callee).name);
                    out.push(
                        Diagnostic::error(
                            super::refusal::RECORD,
                            format!("`{}` is passed to `{callee}`, whose text is not here", y.name),
                        )
                        .at(program.location(s.span))
                        .because(format!("it may give another target to the pointer in it that is used as `{}`", name.replace('%', "->")))
                        .help("give the function's text too, or declare its parameter `const`"),
                    );
                }
            }
        }
    }
    out
}

/// What functions without a text get besides: for each position in a call the paths of members, by value or not.
type Externals = FxHashMap<SymbolId, Vec<(u32, Vec<SmolStr>)>>;

fn extend_externals(program: &mut Program, members: &mut Members) -> Externals {
    let mut wanted: FxHashMap<SymbolId, Vec<(u32, SymbolId)>> = FxHashMap::default();
    for unit in &program.units {
        for s in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Call(c) = &s.kind else { continue };
            if program.unit_of_symbol(c.callee).is_some() {
                continue;
            }
            for a in &c.arguments {
                if let Some(r) = a.value.as_var().filter(|r| is_structure(program.symbol(r.symbol))) {
                    wanted.entry(c.callee).or_default().push((a.position, r.symbol));
                }
            }
        }
    }
    let mut out = Externals::default();
    let mut callees: Vec<SymbolId> = wanted.keys().copied().collect();
    callees.sort_unstable();
    for callee in callees {
        let uses = &wanted[&callee];
        let mut positions: Vec<u32> = uses.iter().map(|(p, _)| *p).collect();
        positions.sort_unstable();
        positions.dedup();
        let mut list = Vec::new();
        for p in positions {
            let at = || uses.iter().filter(|(q, _)| *q == p).map(|(_, s)| *s);
            let mut paths: Vec<SmolStr> = Vec::new();
            let mut examples: Vec<(SymbolId, SymbolId)> = Vec::new();
            for base in at() {
                for &m in members.get(&base).map_or(&[][..], Vec::as_slice) {
                    let path: SmolStr = below(program, base, m).into();
                    if !program.symbol(m).has_attribute(&REACHED) && !paths.contains(&path) {
                        paths.push(path);
                        examples.push((base, m));
                    }
                }
            }
            for base in at().collect::<Vec<_>>() {
                for &(of, m) in &examples {
                    need(program, members, base, of, m);
                }
            }
            list.push((p, paths));
        }
        // A word for each argument, those that are added among them.
        let decl = program.symbol_mut(callee).decl.get_or_insert_default();
        let first = decl.attributes.iter().position(|a| a.starts_with("arg:")).unwrap_or(decl.attributes.len());
        for (p, paths) in list.iter().rev() {
            let at = (first + *p as usize).min(decl.attributes.len());
            let own = decl.attributes.get(at.saturating_sub(1)).cloned().unwrap_or_default();
            let words = paths.iter().map(|_| own.clone());
            decl.attributes.splice(at..at, words);
        }
        out.insert(callee, list);
    }
    out
}

/// Adds members to the arguments of each unit. Returns for each unit the new positions of the old ones.
fn extend_formals(program: &mut Program, members: &Members) -> FxHashMap<SymbolId, FxHashMap<u32, u32>> {
    let mut out = FxHashMap::default();
    for u in 0..program.units.len() {
        let mut moved = FxHashMap::default();
        let mut formals: Vec<Formal> = Vec::new();
        for f in program.units[u].formals.clone() {
            let mut own = members.get(&f.symbol).cloned().unwrap_or_default();
            own.sort_by_key(|m| program.symbol(*m).name.clone());
            let old = f.position;
            let base = Formal { position: formals.len() as u32 + 1, ..f.clone() };
            moved.insert(old, base.position);
            formals.push(base);
            for m in own {
                let y = program.symbol(m);
                let (constant, reached) = (y.has_attribute("const"), y.has_attribute(&REACHED));
                let mut formal = Formal { symbol: m, position: formals.len() as u32 + 1, ..f.clone() };
                if reached || y.passing() != Passing::Value {
                    formal.intent = match () {
                        () if constant => xaif::model::Intent::In,
                        () if f.intent == xaif::model::Intent::Out => xaif::model::Intent::Out,
                        () => xaif::model::Intent::Inout,
                    };
                    formal.intent_declared = constant;
                }
                formals.push(formal);
            }
        }
        out.insert(program.units[u].symbol, moved);
        program.units[u].formals = formals;
    }
    out
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

fn extend_call(
    program: &Program,
    members: &Members,
    moved: &FxHashMap<SymbolId, FxHashMap<u32, u32>>,
    externals: &Externals,
    call: &mut Call,
) {
    if let Some(map) = moved.get(&call.callee) {
        let Some(unit) = program.unit_of_symbol(call.callee).map(|u| program.unit(u)) else { return };
        let mut list = Vec::new();
        for a in &call.arguments {
            let position = map.get(&a.position).copied().unwrap_or(a.position);
            let r = a.value.as_var().filter(|r| is_structure(program.symbol(r.symbol)));
            if let Some((r, f)) = r.and_then(|r| Some((r, unit.formals.iter().find(|f| f.position == position)?))) {
                for g in unit.formals.iter().filter(|g| path_of(program.symbol(g.symbol)).is_some()) {
                    let Some(path) = program.symbol(g.symbol).name.strip_prefix(program.symbol(f.symbol).name.as_str()) else { continue };
                    let found = members.get(&r.symbol).and_then(|l| {
                        l.iter().find(|m| path.strip_prefix('%').is_some_and(|p| below(program, r.symbol, **m) == p))
                    });
                    if let Some(&m) = found {
                        list.push(CallArgument { position: g.position, value: Expr::var(member_of(program, r, m)), ..a.clone() });
                    }
                }
            }
            list.push(CallArgument { position, ..a.clone() });
        }
        list.sort_by_key(|a| a.position);
        call.arguments = list;
        call.formal_count = call.formal_count.map(|_| unit.formals.len() as u32);
        return;
    }
    let Some(more) = externals.get(&call.callee) else { return };
    let mut list = Vec::new();
    let mut ahead = 0;
    call.arguments.sort_by_key(|a| a.position);
    let mut waiting = more.iter().peekable();
    for a in call.arguments.drain(..) {
        let (old, r) = (a.position, a.value.as_var().cloned());
        while waiting.peek().is_some_and(|(p, _)| *p < old) {
            ahead += waiting.next().map_or(0, |(_, paths)| paths.len() as u32);
        }
        let position = old + ahead;
        list.push(CallArgument { position, ..a.clone() });
        if let (Some((p, paths)), Some(r)) = (waiting.peek(), &r)
            && *p == old
        {
            for (k, path) in paths.iter().enumerate() {
                let found = members.get(&r.symbol).and_then(|l| l.iter().find(|m| below(program, r.symbol, **m) == path));
                if let Some(&m) = found {
                    let value = Expr::var(member_of(program, r, m));
                    list.push(CallArgument { position: position + 1 + k as u32, value, keyword: SmolStr::new_static("%"), ..a.clone() });
                }
            }
        }
    }
    call.arguments = list;
}

/// What a statement that is kept as text does to a structure it does to its members.
fn with_members(members: &Members, symbols: &mut Vec<SymbolId>) {
    let more: Vec<SymbolId> = symbols.iter().filter_map(|s| members.get(s)).flatten().copied().collect();
    let mut seen: FxHashSet<SymbolId> = symbols.iter().copied().collect();
    symbols.extend(more.into_iter().filter(|m| seen.insert(*m)));
}
