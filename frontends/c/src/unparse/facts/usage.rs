//! What the statements of a unit do with each symbol: which are mentioned, which are read, which are written, how arrays are allocated.
//!
//! Lives here: one pass over a unit before it is printed. Never here: data flow.

use super::members::bases;
use super::symbols::{is_heap, is_own};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Bound, Dim, Expr, Formal, Intent, Marker, MarkerClass, Stmt, StmtKind, SymbolId, Unit, VarRef, VertexKind};

/// Facts of one unit.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// Everything that statements, bounds and formals mention.
    pub mentioned: FxHashSet<SymbolId>,
    /// Symbols that are set somewhere (or may be, by a call).
    pub written: FxHashSet<SymbolId>,
    /// How many statements set each.
    pub times: FxHashMap<SymbolId, u32>,
    /// Own variables whose values nothing reads: setting them would only draw warnings.
    pub unread: FxHashSet<SymbolId>,
    /// Variables that are recorded, perhaps before anything has set them.
    pub recorded: FxHashSet<SymbolId>,
    /// Bounds that an array gets from its only ALLOCATE; `None` where there are several.
    pub allocated: FxHashMap<SymbolId, Option<Vec<Dim>>>,
}

/// Whether statements assign (and read what the right-hand side has), or read everything.
struct Walk<'p> {
    program: &'p Program,
    /// target and what is read for it; `None`: read for good
    reads: Vec<(Option<SymbolId>, SymbolId)>,
    usage: Usage,
}

impl Usage {
    /// Walks a unit.
    pub fn of(program: &Program, unit: &Unit) -> Usage {
        let mut walk = Walk { program, reads: Vec::new(), usage: Usage::default() };
        for f in &unit.formals {
            walk.mention(f.symbol);
        }
        for v in unit.graph.node_weights() {
            match &v.kind {
                VertexKind::Block { stmts, .. } => stmts.iter().for_each(|s| walk.stmt(s)),
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => walk.read(None, e),
                VertexKind::For(head) => {
                    for s in [&head.init, &head.update] {
                        if let StmtKind::Assignment { lhs, rhs } = &s.kind {
                            walk.target(lhs);
                            walk.read(None, rhs);
                            walk.reads.push((None, lhs.symbol));
                        }
                    }
                    walk.read(None, &head.condition);
                }
                _ => {}
            }
        }
        let Walk { reads, mut usage, .. } = walk;
        let bases = bases(program, &usage.mentioned);
        usage.mentioned.extend(bases);
        // Bounds of what is mentioned count as read.
        let mut todo: Vec<SymbolId> = usage.mentioned.iter().copied().collect();
        todo.sort_unstable();
        let mut read: FxHashSet<SymbolId> = reads.iter().filter(|(t, _)| t.is_none()).map(|&(_, s)| s).collect();
        while let Some(s) = todo.pop() {
            let Some(decl) = &program.symbol(s).decl else { continue };
            for e in decl.bound_exprs().chain(&decl.init) {
                e.for_each_ref(&mut |r| {
                    read.insert(r.symbol);
                    if usage.mentioned.insert(r.symbol) {
                        todo.push(r.symbol);
                    }
                });
            }
        }
        let own = |s: SymbolId| is_own(program, unit, s);
        let result = unit.result().map(|f| f.symbol);
        // What is read for a variable that is itself unread is not read.
        let mut by_target: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
        for &(target, s) in &reads {
            match target {
                Some(t) if own(t) => by_target.entry(t).or_default().push(s),
                _ => {
                    read.insert(s);
                }
            }
        }
        read.extend(result);
        // Memory that is allocated is freed, too.
        read.extend(usage.mentioned.iter().copied().filter(|&s| is_heap(program.symbol(s))));
        let mut todo: Vec<SymbolId> = read.iter().copied().collect();
        while let Some(s) = todo.pop() {
            for &r in by_target.get(&s).into_iter().flatten() {
                if read.insert(r) {
                    todo.push(r);
                }
            }
        }
        usage.unread = usage.written.iter().copied().filter(|&s| own(s) && !read.contains(&s)).collect();
        usage
    }
}

impl Walk<'_> {
    fn mention(&mut self, s: SymbolId) {
        self.usage.mentioned.insert(s);
    }

    fn read(&mut self, target: Option<SymbolId>, e: &Expr) {
        let mut seen = Vec::new();
        e.for_each_ref(&mut |r| seen.push(r.symbol));
        for s in seen {
            self.mention(s);
            self.reads.push((target, s));
        }
    }

    fn target(&mut self, lhs: &VarRef) {
        self.mention(lhs.symbol);
        self.usage.written.insert(lhs.symbol);
        *self.usage.times.entry(lhs.symbol).or_default() += 1;
        for e in lhs.index_exprs() {
            self.read(Some(lhs.symbol), e);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.target(lhs);
                self.read(Some(lhs.symbol), rhs);
            }
            StmtKind::Call(call) => {
                let unit = self.program.units.iter().find(|u| u.symbol == call.callee);
                let result = unit.and_then(|u| u.result()).map(|f| f.position);
                for a in &call.arguments {
                    if let Some(r) = a.value.as_var().filter(|_| !self.program.passes_value(call, a.position)) {
                        let kept = |f: &Formal| f.position == a.position && f.intent_declared && f.intent == Intent::In;
                        if unit.is_some_and(|u| u.formals.iter().any(kept)) {
                            self.read(None, &a.value);
                            continue;
                        }
                        self.target(r);
                        if result == Some(a.position) {
                            continue;
                        }
                    }
                    self.read(None, &a.value);
                }
                self.mention(call.callee);
            }
            StmtKind::Marker(m) => self.marker(m),
            StmtKind::Runtime { name, arguments } => {
                for a in arguments {
                    match a.value.as_var() {
                        Some(r) if name == "pop" => self.target(r),
                        r => {
                            self.usage.recorded.extend(r.map(|r| r.symbol));
                            self.read(None, &a.value);
                        }
                    }
                }
            }
            StmtKind::Propagator(_) => {}
        }
    }

    fn marker(&mut self, m: &Marker) {
        for &s in m.reads.iter().chain(&m.writes) {
            self.mention(s);
            if !matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) {
                self.reads.push((None, s));
            }
        }
        for &s in &m.writes {
            self.usage.written.insert(s);
            *self.usage.times.entry(s).or_default() += 1;
        }
        let Some(object) = &m.object else { return };
        self.mention(object.symbol);
        for e in object.index_exprs() {
            self.read(None, e);
        }
        if m.class == MarkerClass::Allocate {
            let dims = object.subscripts.iter().map(|t| match (&t.index, &t.bound) {
                (Some(l), Some(u)) => Some(Dim { lower: Bound::Expr(l.clone()), upper: Bound::Expr(u.clone()) }),
                _ => None,
            });
            let dims: Option<Vec<Dim>> = dims.collect();
            let entry = self.usage.allocated.entry(object.symbol);
            entry
                .and_modify(|d| {
                    if *d != dims {
                        *d = None;
                    }
                })
                .or_insert(dims);
        }
    }
}
