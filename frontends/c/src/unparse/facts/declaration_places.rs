//! Where local variables are declared: at the top, in the head of a `for`, or at their first assignment.
//!
//! A variable is declared in the head of its loops where nothing outside of them mentions it. It is declared at its first assignment
//! where that stands directly in the innermost sequence of statements that has all mentions. All else goes to the top, as does everything
//! in a unit with labels.
//!
//! Lives here: one walk over the region tree. Never here: text.

use crate::unparse::language::c_types::from_c;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Expr, MarkerClass, Stmt, StmtKind, Storage, SymbolId, Unit, VarRef, VertexId, VertexKind};
use xaif::structure::Region;

/// The places of declarations in one unit.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    /// Variables that the heads of their loops declare.
    pub loops: FxHashSet<SymbolId>,
    /// Variables that a statement declares: its block and position.
    pub statements: FxHashMap<SymbolId, (VertexId, usize)>,
    /// The sequences of statements in which a variable declared below the top is known.
    scopes: FxHashMap<SymbolId, Vec<usize>>,
    parents: Vec<Option<usize>>,
}

/// What a mention is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mention {
    /// The statement sets the variable without reading it.
    Set(VertexId, usize),
    Other,
}

struct Walk<'p> {
    program: &'p Program,
    unit: &'p Unit,
    /// For each sequence: the one around it, and whether it is an arm of a `switch`.
    sequences: Vec<(Option<usize>, bool)>,
    first: FxHashMap<SymbolId, (usize, Mention)>,
    /// Innermost sequence with all mentions so far.
    around: FxHashMap<SymbolId, usize>,
    /// Loop variables of the loops that are open.
    open: Vec<SymbolId>,
    loop_variables: FxHashMap<SymbolId, Vec<usize>>,
    outside: FxHashSet<SymbolId>,
}

impl Sites {
    /// Finds the places. `result`: the variable that carries the result.
    pub fn of(program: &Program, unit: &Unit, regions: &[Region], result: Option<SymbolId>, top: &FxHashSet<SymbolId>) -> Sites {
        let mut walk = Walk {
            program,
            unit,
            sequences: vec![(None, false)],
            first: FxHashMap::default(),
            around: FxHashMap::default(),
            open: Vec::new(),
            loop_variables: FxHashMap::default(),
            outside: FxHashSet::default(),
        };
        walk.regions(regions, 0, result);
        if let Some(r) = result {
            walk.mention(r, 0, Mention::Other);
        }
        // Bounds of arrays are evaluated at the top.
        let mut bounds = FxHashSet::default();
        for &s in top {
            for e in program.symbol(s).decl.iter().flat_map(|d| d.bound_exprs()) {
                e.for_each_ref(&mut |r| {
                    bounds.insert(r.symbol);
                });
            }
        }
        // Whole arrays of other languages are loops over what was allocated, wherever they stand.
        if !from_c(program) {
            for s in unit.graph.node_weights().flat_map(|v| v.stmts()) {
                if let StmtKind::Marker(m) = &s.kind
                    && m.class == MarkerClass::Allocate
                {
                    let extents = m.object.iter().flat_map(VarRef::index_exprs);
                    extents.for_each(|e| e.for_each_ref(&mut |r| _ = bounds.insert(r.symbol)));
                }
            }
        }
        let own = |s: SymbolId| {
            let symbol = program.symbol(s);
            symbol.scope == unit.scope
                && !symbol.name.contains('%')
                && !xaif::members::is_structure(symbol)
                && (*symbol.storage() == Storage::Local || Some(s) == result)
                && !bounds.contains(&s)
                && !unit.formals.iter().any(|f| f.symbol == s && Some(s) != result)
        };
        let mut sites = Sites::default();
        for (&s, bodies) in &walk.loop_variables {
            if own(s) && Some(s) != result && !walk.outside.contains(&s) {
                sites.loops.insert(s);
                sites.scopes.insert(s, bodies.clone());
            }
        }
        for (&s, &(sequence, mention)) in &walk.first {
            if let Mention::Set(v, k) = mention
                && own(s)
                && !sites.loops.contains(&s)
                && walk.around.get(&s) == Some(&sequence)
                && !walk.sequences[sequence].1
            {
                sites.statements.insert(s, (v, k));
                sites.scopes.insert(s, vec![sequence]);
            }
        }
        sites.parents = walk.sequences.iter().map(|(p, _)| *p).collect();
        sites
    }

    /// True where two variables are never known at the same place.
    pub fn apart(&self, a: SymbolId, b: SymbolId) -> bool {
        let (Some(x), Some(y)) = (self.scopes.get(&a), self.scopes.get(&b)) else { return false };
        x.iter().all(|&p| y.iter().all(|&q| !self.inside(p, q) && !self.inside(q, p)))
    }

    fn inside(&self, mut inner: usize, outer: usize) -> bool {
        loop {
            if inner == outer {
                return true;
            }
            match self.parents.get(inner).copied().flatten() {
                Some(p) => inner = p,
                None => return false,
            }
        }
    }
}

impl Walk<'_> {
    fn sequence(&mut self, parent: usize, arm: bool) -> usize {
        self.sequences.push((Some(parent), arm));
        self.sequences.len() - 1
    }

    fn mention(&mut self, s: SymbolId, at: usize, mention: Mention) {
        self.first.entry(s).or_insert((at, mention));
        let joined = match self.around.get(&s) {
            Some(&old) => self.join(old, at),
            None => at,
        };
        self.around.insert(s, joined);
        if !self.open.contains(&s) {
            self.outside.insert(s);
        }
    }

    /// The innermost sequence around two: numbers grow inwards.
    fn join(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let (larger, smaller) = if a > b { (a, b) } else { (b, a) };
            let Some(p) = self.sequences[larger].0 else { return 0 };
            (a, b) = (p, smaller);
        }
        a
    }

    fn expr(&mut self, e: &Expr, at: usize) {
        let mut seen = Vec::new();
        e.for_each_ref(&mut |r| seen.push(r.symbol));
        for s in seen {
            self.mention(s, at, Mention::Other);
        }
    }

    fn indices(&mut self, r: &VarRef, at: usize) {
        for e in r.index_exprs() {
            self.expr(e, at);
        }
    }

    fn regions(&mut self, regions: &[Region], at: usize, result: Option<SymbolId>) {
        for r in regions {
            match r {
                Region::Block(v) => {
                    for (k, s) in self.unit.graph[*v].stmts().iter().enumerate() {
                        self.stmt(s, at, *v, k);
                    }
                }
                Region::Jump(e) => {
                    if let (Some(r), Some(xaif::model::Jump::Return)) = (result, self.unit.graph[*e].jump) {
                        self.mention(r, at, Mention::Other);
                    }
                }
                Region::Branch { vertex, arms, .. } => {
                    let VertexKind::Branch(c) = &self.unit.graph[*vertex].kind else { continue };
                    self.expr(c, at);
                    let switch = xaif::types::of(self.program, c).elem.base != xaif::model::BaseType::Bool;
                    for a in arms {
                        let inner = self.sequence(at, switch);
                        self.regions(&a.body, inner, result);
                    }
                }
                Region::Loop { vertex, body, .. } => {
                    let inner = self.sequence(at, false);
                    match &self.unit.graph[*vertex].kind {
                        VertexKind::For(head) => {
                            let StmtKind::Assignment { lhs, rhs } = &head.init.kind else { continue };
                            // The start is evaluated before the variable is known.
                            self.expr(rhs, at);
                            let mut own_start = false;
                            rhs.for_each_ref(&mut |r| own_start |= r.symbol == lhs.symbol);
                            self.indices(lhs, at);
                            self.loop_variables.entry(lhs.symbol).or_default().push(inner);
                            if own_start || !lhs.subscripts.is_empty() {
                                self.outside.insert(lhs.symbol);
                            }
                            self.open.push(lhs.symbol);
                            self.mention(lhs.symbol, at, Mention::Other);
                            if let StmtKind::Assignment { lhs, rhs } = &head.update.kind {
                                self.expr(rhs, at);
                                self.mention(lhs.symbol, at, Mention::Other);
                            }
                            self.expr(&head.condition, at);
                            self.regions(body, inner, result);
                            self.open.pop();
                        }
                        VertexKind::Pre(c) | VertexKind::Post(c) => {
                            self.expr(c, at);
                            self.regions(body, inner, result);
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// A reference that is set whole.
    fn set(&mut self, r: &VarRef, read: bool, at: usize, v: VertexId, k: usize) {
        self.indices(r, at);
        let scalar = self.program.symbol(r.symbol).rank == 0 && r.subscripts.is_empty();
        let mention = if scalar && !read { Mention::Set(v, k) } else { Mention::Other };
        self.mention(r.symbol, at, mention);
    }

    fn stmt(&mut self, s: &Stmt, at: usize, v: VertexId, k: usize) {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                let mut read = false;
                rhs.for_each_ref(&mut |r| read |= r.symbol == lhs.symbol);
                self.expr(rhs, at);
                self.set(lhs, read, at, v, k);
            }
            StmtKind::Call(call) => {
                let result = self.program.units.iter().find(|u| u.symbol == call.callee).and_then(|u| u.result()).map(|f| f.position);
                let mut target = None;
                for a in &call.arguments {
                    match a.value.as_var() {
                        Some(r) if Some(a.position) == result => target = Some(r),
                        _ => self.expr(&a.value, at),
                    }
                }
                if let Some(r) = target {
                    self.set(r, false, at, v, k);
                }
            }
            StmtKind::Runtime { name, arguments } => {
                for a in arguments {
                    match a.value.as_var() {
                        Some(r) if name == "pop" => self.set(r, false, at, v, k),
                        _ => self.expr(&a.value, at),
                    }
                }
            }
            StmtKind::Marker(m) => {
                for &s in m.reads.iter().chain(&m.writes) {
                    if m.object.as_ref().is_none_or(|o| o.symbol != s) {
                        self.mention(s, at, Mention::Other);
                    }
                }
                if let Some(o) = &m.object {
                    self.indices(o, at);
                    let mention = if m.class == MarkerClass::Allocate { Mention::Set(v, k) } else { Mention::Other };
                    self.mention(o.symbol, at, mention);
                }
            }
            StmtKind::Propagator(_) => {}
        }
    }
}
