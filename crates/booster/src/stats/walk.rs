//! The walk over a derivative unit.
//!
//! Lives here: what statements, loops and branches do to what is held. Never here: arithmetic of formulas, JSON.

use super::formula::{Factor, Formula};
use super::{Again, Cost, Looped, Recorded, UnitStats};
use crate::analysis::arrays::counted::{range, trips};
use crate::linearize::fold::Fold;
use crate::notation::{expression, reference};
use arcstr::ArcStr;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{
    BaseType, Bound, Call, Derivation, Dim, ElemType, Expr, Intent, MarkerClass, NodeKind, Passing, Span, Stmt, StmtKind, SymbolId,
    Triplet, UnitId, VarRef, VertexId, VertexKind,
};
use xaif::structure::{Region, regions};
use xaif::{Program, types};

/// Calls are followed so deep; beyond that, and where a unit calls itself, what is recorded is not known.
const DEEPEST: usize = 12;

/// So many units are walked through for one; what calls beyond that record is not known.
const MOST_CALLS: usize = 5_000;

struct Walk<'p> {
    program: &'p Program,
    out: UnitStats,
    /// Units that are being walked through, the outermost first.
    open: Vec<UnitId>,
    /// What formals stand for in each of them.
    arguments: Vec<FxHashMap<SymbolId, Expr>>,
    /// New variables that the unit sets to one and the same value on entry, wherever it sets them.
    fixed: FxHashMap<SymbolId, Expr>,
    /// What the unit itself sets: such a name in a formula is no value on entry.
    set: FxHashSet<SymbolId>,
    /// What snapshots take, by their arrays.
    rooms: FxHashMap<SymbolId, Formula>,
    /// How often the present place is reached.
    times: Vec<Formula>,
    calls: usize,
    /// Places of statements of the original.
    seen: IndexMap<(u32, u32, ArcStr), (Span, u32)>,
}

/// What a derivative unit records.
pub(super) fn unit(program: &Program, unit: UnitId, derivation: Derivation) -> UnitStats {
    let out = UnitStats {
        unit,
        of: derivation.of,
        mode: derivation.mode,
        cost: Cost::default(),
        bound: false,
        records: Vec::new(),
        loops: Vec::new(),
        again: Vec::new(),
        symbols: Vec::new(),
    };
    let mut w = Walk {
        program,
        out,
        open: vec![unit],
        arguments: vec![FxHashMap::default()],
        fixed: fixed(program, unit),
        set: written(program, unit),
        rooms: FxHashMap::default(),
        times: Vec::new(),
        calls: 0,
        seen: IndexMap::new(),
    };
    w.out.cost = w.graph(unit);
    let again = w.seen.into_iter().filter(|(_, (_, places))| *places > 1).map(|((line, _, text), (span, places))| Again {
        line,
        file: file(program, span),
        text: text.to_string(),
        places,
    });
    w.out.again = again.collect();
    w.out.again.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    w.out
}

/// New variables that a unit sets to values of variables on entry, by one and the same expression each time.
fn fixed(program: &Program, unit: UnitId) -> FxHashMap<SymbolId, Expr> {
    let set = written(program, unit);
    let mut out: FxHashMap<SymbolId, Option<Expr>> = FxHashMap::default();
    let mut assigned = |s: &Stmt| {
        if let StmtKind::Assignment { lhs, rhs } = &s.kind {
            let mut steady = lhs.subscripts.is_empty() && program.symbol(lhs.symbol).temp;
            rhs.for_each_ref(&mut |r| steady &= r.subscripts.is_empty() && !set.contains(&r.symbol));
            let value = steady.then(|| rhs.clone());
            let known = out.entry(lhs.symbol).or_insert_with(|| value.clone());
            if *known != value {
                *known = None;
            }
        }
    };
    for v in program.unit(unit).graph.node_weights() {
        v.stmts().iter().for_each(|s| assigned(s));
        if let VertexKind::For(f) = &v.kind {
            assigned(&f.init);
            assigned(&f.update);
        }
    }
    out.into_iter().filter_map(|(s, e)| Some((s, e?))).collect()
}

/// The variables that a unit's own text may set.
fn written(program: &Program, unit: UnitId) -> FxHashSet<SymbolId> {
    let mut out = FxHashSet::default();
    let mut stmt = |s: &Stmt| match &s.kind {
        StmtKind::Assignment { lhs, .. } => {
            out.insert(lhs.symbol);
        }
        StmtKind::Call(c) => {
            let formals = program.unit_of_symbol(c.callee).map_or(&[][..], |u| &program.unit(u).formals);
            // A value, and what the callee says that it only reads, stays.
            let stays = |position: u32| {
                let formal = formals.iter().find(|f| f.position == position);
                formal.is_some_and(|f| f.intent == Intent::In || program.symbol(f.symbol).passing() == Passing::Value)
            };
            out.extend(c.arguments.iter().filter(|a| !stays(a.position)).filter_map(|a| a.value.as_var()).map(|r| r.symbol));
        }
        StmtKind::Marker(m) => out.extend(m.writes.iter().chain(m.object.iter().map(|o| &o.symbol)).copied()),
        StmtKind::Runtime { .. } | StmtKind::Propagator(_) => {}
    };
    for v in program.unit(unit).graph.node_weights() {
        v.stmts().iter().for_each(|s| stmt(s));
        if let VertexKind::For(f) = &v.kind {
            stmt(&f.init);
        }
    }
    out
}

fn file(program: &Program, span: Span) -> String {
    program.location(span).map_or_else(String::new, |l| l.file)
}

/// Bytes that the interpreter counts for an element; a truth value takes as much as an integer, in C as in Fortran.
fn width(ty: ElemType) -> i128 {
    match (ty.base, ty.bits) {
        (BaseType::Real, 0) => 8,
        (BaseType::Real, 80) => 16,
        (BaseType::Char | BaseType::String, 0) => 1,
        (_, 0) => 4,
        (_, bits) => i128::from(bits.div_ceil(8)),
    }
}

/// The sum of pieces one behind the other.
fn then(a: &Cost, b: &Cost) -> Cost {
    Cost { net: a.net.plus(&b.net), peak: Formula::most(vec![a.peak.clone(), a.net.plus(&b.peak)]), taped: a.taped.plus(&b.taped) }
}

fn mentions(f: &Formula, name: &str) -> bool {
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '%')).any(|w| w == name);
    let mut found = false;
    f.for_each(&mut |x| match x {
        Factor::Value(text) => found |= word(text),
        Factor::Sum { first, last, .. } => found |= word(first) || word(last),
        Factor::Unknown(_) | Factor::Most(_) => {}
    });
    found
}

impl Walk<'_> {
    /// Whether the present place is in the unit itself, and not in one that it calls.
    fn is_outer(&self) -> bool {
        self.open.len() == 1
    }

    fn graph(&mut self, unit: UnitId) -> Cost {
        let program = self.program;
        match regions(&program.unit(unit).graph) {
            Ok(tree) => self.sequence(&tree),
            Err(_) => self.unknown(&format!("bytes_{}", program.unit_name(unit)), "what this unit records: its control flow does not nest"),
        }
    }

    /// Bytes of which nothing is known but a name.
    fn unknown(&mut self, name: &str, meaning: &str) -> Cost {
        self.named(name, meaning);
        let f = Formula::factor(Factor::Unknown(name.to_owned()));
        Cost { net: Formula::default(), peak: f.clone(), taped: f }
    }

    fn named(&mut self, name: &str, meaning: &str) {
        if !self.out.symbols.iter().any(|(n, _)| n == name) {
            self.out.symbols.push((name.to_owned(), meaning.to_owned()));
        }
    }

    fn graph_of(&self) -> &'_ xaif::model::FlowGraph {
        let unit = self.open.last().copied().unwrap_or(self.out.unit);
        &self.program.unit(unit).graph
    }

    fn sequence(&mut self, list: &[Region]) -> Cost {
        let mut sum = Cost::default();
        for (k, region) in list.iter().enumerate() {
            let cost = match region {
                Region::Block(v) => {
                    let behind = list[k + 1..].iter().find_map(|r| self.place(r));
                    self.block(*v, behind)
                }
                Region::Branch { arms, .. } => {
                    let arms: Vec<Cost> = arms.iter().map(|a| self.sequence(&a.body)).collect();
                    self.branch(arms)
                }
                Region::Loop { vertex, body, .. } => self.repeat(*vertex, body),
                Region::Jump(_) => Cost::default(),
            };
            sum = then(&sum, &cost);
        }
        sum
    }

    /// Where a region of the original's code stands.
    fn place(&self, region: &Region) -> Option<Span> {
        let graph = self.graph_of();
        match region {
            Region::Block(v) => graph[*v].stmts().iter().map(|s| s.span).find(|s| s.is_known()),
            Region::Branch { vertex, .. } | Region::Loop { vertex, .. } => Some(graph[*vertex].span).filter(|s| s.is_known()),
            Region::Jump(_) => None,
        }
    }

    fn block(&mut self, v: VertexId, behind: Option<Span>) -> Cost {
        let program = self.program;
        let unit = self.open.last().copied().unwrap_or(self.out.unit);
        let stmts = program.unit(unit).graph[v].stmts();
        let mut sum = Cost::default();
        for (k, s) in stmts.iter().enumerate() {
            let span = stmts[k..].iter().map(|s| s.span).find(|s| s.is_known()).or(behind).unwrap_or(Span::NONE);
            let cost = self.stmt(s, span);
            sum = then(&sum, &cost);
        }
        sum
    }

    fn stmt(&mut self, s: &Stmt, span: Span) -> Cost {
        let program = self.program;
        let recorded = |r: &VarRef| !r.subscripts.is_empty() && program.symbol(r.symbol).has_attribute("recorded");
        match &s.kind {
            StmtKind::Runtime { name, arguments } => {
                let Some(value) = arguments.first().map(|a| &a.value) else { return Cost::default() };
                let ty = types::of(program, value).elem;
                let count = value.as_var().map_or_else(|| Formula::number(1), |r| self.count(r));
                let bytes = Formula::number(width(ty)).times(&count);
                match name.as_str() {
                    "push" => self.adds(&expression(program, value), "stack", span, bytes),
                    "pop" => Cost { net: Formula::default().minus(&bytes), ..Cost::default() },
                    _ => Cost::default(),
                }
            }
            StmtKind::Assignment { lhs, rhs } => match rhs.as_var() {
                Some(r) if recorded(lhs) => {
                    let bytes = Formula::number(width(program.symbol(lhs.symbol).ty));
                    self.adds(&reference(program, r), &program.symbol(lhs.symbol).name, span, bytes)
                }
                Some(r) if recorded(r) => Cost { net: Formula::number(-width(program.symbol(lhs.symbol).ty)), ..Cost::default() },
                _ => {
                    self.note(s, lhs);
                    Cost::default()
                }
            },
            StmtKind::Marker(m) => {
                let Some(object) = m.object.as_ref().filter(|o| program.symbol(o.symbol).has_attribute("snapshot")) else {
                    return Cost::default();
                };
                if m.class == MarkerClass::Deallocate {
                    let room = self.rooms.get(&object.symbol).cloned().unwrap_or_default();
                    return Cost { net: Formula::default().minus(&room), ..Cost::default() };
                }
                let bytes = Formula::number(width(program.symbol(object.symbol).ty)).times(&self.count(object));
                self.rooms.insert(object.symbol, bytes.clone());
                let name = program.symbol(object.symbol).name.clone();
                let mut cost = self.adds(name.trim_end_matches("_snap"), &name, span, bytes);
                cost.taped = Formula::default();
                cost
            }
            StmtKind::Call(c) => self.call(c),
            StmtKind::Propagator(_) => Cost::default(),
        }
    }

    /// A statement that records.
    fn adds(&mut self, variable: &str, place: &str, span: Span, bytes: Formula) -> Cost {
        if self.is_outer() {
            let times = self.times.iter().fold(Formula::number(1), |a, b| a.times(b));
            let reason = if place.ends_with("_snap") || place.starts_with("snap_iteration") {
                "the checkpointed loop overwrites it, and later iterations read it"
            } else {
                "it is overwritten there, and the reverse sweep needs its value from before"
            };
            self.out.records.push(Recorded {
                variable: variable.to_owned(),
                place: place.to_owned(),
                line: span.line,
                file: file(self.program, span),
                reason,
                bytes: bytes.clone(),
                times,
            });
        }
        Cost { net: bytes.clone(), peak: bytes.clone(), taped: bytes }
    }

    /// A statement of the original.
    fn note(&mut self, s: &Stmt, lhs: &VarRef) {
        let own = self.program.symbol(lhs.symbol).decl.as_ref().is_some_and(|d| d.derivative_of.is_some());
        if own || !self.is_outer() || !s.span.is_known() || s.text.is_empty() {
            return;
        }
        self.seen.entry((s.span.line, s.span.column, s.text.clone())).or_insert((s.span, 0)).1 += 1;
    }

    fn branch(&mut self, arms: Vec<Cost>) -> Cost {
        let idle = |c: &Cost| c.taped == Formula::default() && c.net == Formula::default() && c.peak == Formula::default();
        if arms.iter().all(idle) {
            return Cost::default();
        }
        self.out.bound = true;
        let all = |pick: fn(&Cost) -> &Formula| {
            let mut list: Vec<Formula> = arms.iter().map(|c| pick(c).clone()).collect();
            list.push(Formula::default());
            Formula::most(list)
        };
        let taken: Vec<Formula> = arms.iter().map(|c| Formula::default().minus(&c.net)).chain([Formula::default()]).collect();
        let net = if arms.iter().all(|c| c.net.not_positive()) { Formula::default().minus(&Formula::most(taken)) } else { all(|c| &c.net) };
        Cost { net, peak: all(|c| &c.peak), taped: all(|c| &c.taped) }
    }

    fn repeat(&mut self, v: VertexId, body: &[Region]) -> Cost {
        let program = self.program;
        let unit = self.open.last().copied().unwrap_or(self.out.unit);
        let vertex = &program.unit(unit).graph[v];
        let head = match &vertex.kind {
            VertexKind::For(f) if f.counted => range(program, f),
            _ => None,
        };
        let line = if vertex.span.is_known() { vertex.span.line } else { vertex.line };
        let (iterations, index) = match &head {
            Some(r) => (self.value(&trips(Fold { program }, r)), Some(r.clone())),
            None if !self.touches(unit, body) => {
                self.sequence(body);
                return Cost::default();
            }
            None => (self.counter(unit, body, line), None),
        };
        self.times.push(iterations.clone());
        let iteration = self.sequence(body);
        self.times.pop();
        let name = index.as_ref().map(|r| program.symbol(r.index).name.to_string());
        let many = |w: &mut Self, f: &Formula| match (&name, &index) {
            (Some(i), Some(r)) if mentions(f, i) => {
                let (first, last, step) = (w.text(&r.first), w.text(&r.bound), w.text(&r.stride));
                let sum = |of: Formula| {
                    if of == Formula::default() {
                        return of;
                    }
                    let (index, first, last, step) = (i.clone(), first.clone(), last.clone(), step.clone());
                    Formula::factor(Factor::Sum { index, first, last, step, of: Box::new(of) })
                };
                let (added, taken) = f.parts();
                sum(added).minus(&sum(taken))
            }
            _ => iterations.times(f),
        };
        let (net, taped) = (many(self, &iteration.net), many(self, &iteration.taped));
        let loose = name.as_ref().is_some_and(|i| mentions(&iteration.peak, i));
        let peak = if loose {
            self.out.bound = true;
            many(self, &iteration.peak)
        } else if iteration.net.not_negative() {
            net.plus(&iteration.peak.minus(&iteration.net))
        } else if iteration.net.not_positive() {
            iteration.peak.clone()
        } else {
            self.out.bound = true;
            iterations.times(&iteration.peak)
        };
        if self.is_outer() && taped != Formula::default() {
            self.out.loops.push(Looped {
                line,
                file: file(program, vertex.span),
                text: vertex.text.to_string(),
                iterations,
                bytes: taped.clone(),
            });
        }
        Cost { net, peak, taped }
    }

    /// Whether anything is recorded, or taken back, in some code.
    fn touches(&self, unit: UnitId, body: &[Region]) -> bool {
        let program = self.program;
        let recorded = |r: &VarRef| program.symbol(r.symbol).has_attribute("recorded");
        let mut lists = vec![body];
        while let Some(list) = lists.pop() {
            for region in list {
                match region {
                    Region::Block(v) => {
                        let any = program.unit(unit).graph[*v].stmts().iter().any(|s| match &s.kind {
                            StmtKind::Runtime { .. } => true,
                            StmtKind::Assignment { lhs, rhs } => recorded(lhs) || rhs.as_var().is_some_and(recorded),
                            StmtKind::Marker(m) => m.object.as_ref().is_some_and(|o| program.symbol(o.symbol).has_attribute("snapshot")),
                            StmtKind::Call(c) => program.unit_of_symbol(c.callee).is_some_and(|u| program.unit(u).derivation.is_some()),
                            StmtKind::Propagator(_) => false,
                        });
                        if any {
                            return true;
                        }
                    }
                    Region::Branch { arms, .. } => lists.extend(arms.iter().map(|a| a.body.as_slice())),
                    Region::Loop { body, .. } => lists.push(body),
                    Region::Jump(_) => {}
                }
            }
        }
        false
    }

    /// The iterations of a loop that is not counted: the variable that the forward sweep counts them in, or a name.
    fn counter(&mut self, unit: UnitId, body: &[Region], line: u32) -> Formula {
        let program = self.program;
        let first = body.first().and_then(|r| match r {
            Region::Block(v) => program.unit(unit).graph[*v].stmts().first(),
            _ => None,
        });
        let counted = first.and_then(|s| match &s.kind {
            StmtKind::Assignment { lhs, rhs } if program.symbol(lhs.symbol).temp && lhs.subscripts.is_empty() => {
                let step = Expr::op("add_scal_scal", [Expr::sym(lhs.symbol), Expr::int(1)]);
                (*rhs == step).then_some(lhs.symbol)
            }
            _ => None,
        });
        let meaning = format!("iterations of the loop at line {line}, which are not known before it runs");
        match counted {
            Some(s) if self.is_outer() => {
                let name = program.symbol(s).name.to_string();
                self.named(&name, &meaning);
                Formula::factor(Factor::Value(name))
            }
            _ => {
                let name = format!("iterations_{line}");
                self.named(&name, &meaning);
                Formula::factor(Factor::Unknown(name))
            }
        }
    }

    fn call(&mut self, c: &Call) -> Cost {
        let program = self.program;
        let Some(callee) = program.unit_of_symbol(c.callee) else { return Cost::default() };
        // Originals record nothing.
        if program.unit(callee).derivation.is_none() || program.unit(callee).is_container() {
            return Cost::default();
        }
        self.calls += 1;
        if self.open.contains(&callee) || self.open.len() >= DEEPEST || self.calls > MOST_CALLS {
            let name = program.unit_name(callee);
            return self.unknown(&format!("bytes_{name}"), &format!("what a call of {name} records"));
        }
        let formals = &program.unit(callee).formals;
        let handed = c.arguments.iter().filter_map(|a| {
            let formal = formals.iter().find(|f| f.position == a.position)?;
            Some((formal.symbol, self.substituted(&a.value)?))
        });
        let handed: FxHashMap<SymbolId, Expr> = handed.collect();
        self.open.push(callee);
        self.arguments.push(handed);
        let times = std::mem::take(&mut self.times);
        let cost = self.graph(callee);
        self.times = times;
        self.arguments.pop();
        self.open.pop();
        cost
    }

    /// An expression in terms of the outermost unit; `None` where it names variables that only a callee has.
    fn substituted(&self, e: &Expr) -> Option<Expr> {
        let known = if self.is_outer() { &self.fixed } else { self.arguments.last()? };
        if self.is_outer() && known.is_empty() {
            return Some(e.clone());
        }
        // Whatever is not known belongs to the outermost unit itself, or only to the callee.
        let mut places: Vec<Expr> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let made = match &n.kind {
                NodeKind::Var(r) => match known.get(&r.symbol).filter(|_| r.subscripts.is_empty()) {
                    Some(value) => value.clone(),
                    None if self.is_outer() => Expr::var(r.clone()),
                    None => return None,
                },
                kind => {
                    let operands: Vec<Expr> = n.operands.iter().filter_map(|o| places.get(o.index()).cloned()).collect();
                    Expr::node(kind.clone(), operands)
                }
            };
            places.push(made);
        }
        places.pop()
    }

    fn text(&mut self, e: &Expr) -> String {
        match self.substituted(e) {
            Some(e) => {
                self.settled(&e);
                expression(self.program, &plain(&e))
            }
            None => expression(self.program, e),
        }
    }

    /// Notes the names in an expression that are no values on entry.
    fn settled(&mut self, e: &Expr) {
        let mut moving: Vec<String> = Vec::new();
        let program = self.program;
        e.for_each_ref(&mut |r| {
            if self.set.contains(&r.symbol) {
                moving.push(program.symbol(r.symbol).name.to_string());
            }
        });
        for name in moving {
            self.named(&name, "its value where it is used");
        }
    }

    /// The value of an integer expression, taken as zero where it is negative.
    fn value(&mut self, e: &Expr) -> Formula {
        match self.substituted(e) {
            Some(e) => match e.as_int() {
                Some(n) => Formula::number(n.max(0).into()),
                None => {
                    self.settled(&e);
                    Formula::factor(Factor::Value(expression(self.program, &plain(&e))))
                }
            },
            None => {
                let unit = self.open.last().copied().unwrap_or(self.out.unit);
                let (text, of) = (expression(self.program, e), self.program.unit_name(unit).to_owned());
                let name: String = format!("{text} in {of}").chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
                self.named(&name, &format!("{text} in {of}"));
                Formula::factor(Factor::Unknown(name))
            }
        }
    }

    /// How many elements a reference stands for.
    fn count(&mut self, r: &VarRef) -> Formula {
        let program = self.program;
        let symbol = program.symbol(r.symbol);
        let f = Fold { program };
        let rank = symbol.rank as usize;
        let dims: Vec<Option<Dim>> = (0..rank).map(|k| symbol.decl.as_ref().and_then(|d| d.dims.get(k).cloned())).collect();
        let whole = vec![Triplet::default(); rank];
        let triplets: &[Triplet] = if r.subscripts.is_empty() { &whole } else { &r.subscripts };
        let mut out = Formula::number(1);
        for (k, t) in triplets.iter().enumerate().filter(|(_, t)| t.is_section()) {
            let bound = |b: Option<&Bound>| match b {
                Some(Bound::Expr(e)) => Some(e.clone()),
                _ => None,
            };
            let dim = dims.get(k).and_then(Option::as_ref);
            let low = t.index.clone().or_else(|| bound(dim.map(|d| &d.lower)));
            let high = t.bound.clone().or_else(|| bound(dim.map(|d| &d.upper)));
            out = out.times(&match (low, high) {
                (Some(l), Some(h)) => self.value(&crate::analysis::arrays::counted::extent(f, &l, &h)),
                _ => {
                    let text = format!("size({}, {})", symbol.name, k + 1);
                    self.named(&text, "the extent of the array when it is recorded");
                    Formula::factor(Factor::Value(text))
                }
            });
        }
        out
    }
}

/// An expression without conversions between integers.
fn plain(e: &Expr) -> Expr {
    let mut done: Vec<Expr> = Vec::with_capacity(e.nodes.len());
    for n in &e.nodes {
        let operand = |k: usize| n.operands.get(k).and_then(|o| done.get(o.index())).cloned();
        let made = match (&n.kind, operand(0)) {
            (NodeKind::Op(op), Some(of)) if op.name == "int_scal" => of,
            (kind, _) => Expr::node(kind.clone(), n.operands.iter().filter_map(|o| done.get(o.index()).cloned())),
        };
        done.push(made);
    }
    done.pop().unwrap_or_default()
}
