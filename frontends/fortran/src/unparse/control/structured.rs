//! Structured control flow: the region tree of a unit as IF, SELECT CASE and DO constructs.
//!
//! Lives here: constructs. Never here: which jump becomes what (see `nesting`), graphs that do not nest (see `unstructured`).

use super::labels::Labels;
use crate::unparse::expressions::pieces::Prelude;
use crate::unparse::language::identifiers;
use crate::unparse::nesting::plan::{self, Leave, Plan};
use crate::unparse::nesting::{counted, exchanges};
use crate::unparse::statements::body::Body;
use rustc_hash::FxHashMap;
use xaif::exchange::Exchange;
use xaif::model::{BaseType, BoolOp, Expr, ForLoop, NodeKind, Span, Unit, UnitKind, VertexId, VertexKind};
use xaif::structure::{Arm, Region};

/// Prints the statements of a unit whose graph nests.
pub fn body<'p>(b: &mut Body<'_, 'p>, unit: &'p Unit, tree: &[Region], plan: Plan) {
    let mut c = Control { b, unit, plan, names: FxHashMap::default(), labels: Labels::new(unit), iterations: FxHashMap::default() };
    c.sequence(tree);
}

fn opposite(op: BoolOp) -> Option<BoolOp> {
    Some(match op {
        BoolOp::LessThan => BoolOp::GreaterOrEqual,
        BoolOp::LessOrEqual => BoolOp::GreaterThan,
        BoolOp::GreaterThan => BoolOp::LessOrEqual,
        BoolOp::GreaterOrEqual => BoolOp::LessThan,
        BoolOp::Equal => BoolOp::NotEqual,
        BoolOp::NotEqual => BoolOp::Equal,
        _ => return None,
    })
}

struct Control<'b, 'c, 'p> {
    b: &'b mut Body<'c, 'p>,
    unit: &'p Unit,
    plan: Plan,
    names: FxHashMap<VertexId, String>,
    iterations: FxHashMap<VertexId, String>,
    labels: Labels,
}

impl Control<'_, '_, '_> {
    fn sequence(&mut self, regions: &[Region]) {
        for region in regions {
            let outer = self.b.place;
            match region {
                Region::Block(v) => {
                    self.head(*v);
                    for s in self.unit.graph[*v].stmts() {
                        self.b.stmt(s);
                    }
                    self.flush_label();
                }
                Region::Jump(e) => {
                    let leave = self.plan.jumps.get(e).copied().unwrap_or(Leave::Nothing);
                    if let Some(text) = self.jump(leave) {
                        self.b.code(text);
                    }
                }
                Region::Branch { vertex, arms, end } => {
                    self.head(*vertex);
                    if self.plan.tables.contains(vertex) {
                        self.table(*vertex, arms, *end);
                    } else if plan::is_two_way(self.b.w.cx.program, &self.unit.graph, *vertex, arms) {
                        self.two_way(*vertex, arms, false);
                    } else {
                        self.select(*vertex, arms);
                    }
                }
                Region::Loop { vertex, body, .. } => {
                    self.head(*vertex);
                    self.loop_(*vertex, body);
                }
            }
            self.b.place = outer;
        }
    }

    /// Comment and label of a vertex.
    fn head(&mut self, v: VertexId) {
        let vertex = &self.unit.graph[v];
        self.b.w.begin(vertex.span);
        // A block's statements have places of their own.
        if !matches!(vertex.kind, VertexKind::Block { .. }) {
            self.b.go_to(vertex.span);
        }
        self.label(v);
        if !vertex.comment.is_empty() {
            self.b.comment(&vertex.comment);
        }
    }

    fn label(&mut self, v: VertexId) {
        if self.plan.labelled.contains(&v) {
            self.flush_label();
            self.b.pending_label = Some(self.labels.of(v));
        }
    }

    /// A label that no statement took stands on a CONTINUE.
    fn flush_label(&mut self) {
        if self.b.pending_label.is_some() {
            self.b.code("continue");
        }
    }

    /// The text of a jump.
    fn jump(&mut self, leave: Leave) -> Option<String> {
        Some(match leave {
            Leave::Exit => "exit".into(),
            Leave::Cycle => "cycle".into(),
            Leave::ExitNamed(v) => format!("exit {}", self.construct_name(v)),
            Leave::CycleNamed(v) => format!("cycle {}", self.construct_name(v)),
            Leave::ExitIteration(v) => format!("exit {}", self.iteration_name(v)),
            Leave::Return => if self.unit.kind == UnitKind::Main { "stop" } else { "return" }.into(),
            Leave::Goto(v) => format!("goto {}", self.labels.of(v)),
            Leave::Nothing => return None,
        })
    }

    fn construct_name(&mut self, v: VertexId) -> String {
        if let Some(n) = self.names.get(&v) {
            return n.clone();
        }
        let label = &self.unit.graph[v].label;
        let wanted = match &self.unit.graph[v].kind {
            _ if identifiers::is_legal(label) => label.as_str(),
            VertexKind::Branch(_) => "choice",
            _ => "outer",
        };
        let name = self.b.w.names.fresh(wanted);
        self.names.insert(v, name.clone());
        name
    }

    fn iteration_name(&mut self, v: VertexId) -> String {
        if let Some(n) = self.iterations.get(&v) {
            return n.clone();
        }
        let name = self.b.w.names.fresh("iteration");
        self.iterations.insert(v, name.clone());
        name
    }

    /// `name: ` and ` name` for a construct that needs its name.
    fn tags(&mut self, v: VertexId) -> (String, String) {
        if !self.plan.named.contains(&v) {
            return (String::new(), String::new());
        }
        let n = self.construct_name(v);
        (format!("{n}: "), format!(" {n}"))
    }

    fn nested(&mut self, regions: &[Region]) {
        self.b.indent += 1;
        self.sequence(regions);
        self.flush_label();
        self.b.indent -= 1;
    }

    /// IF constructs. `chained`: the IF continues an ELSE.
    fn two_way(&mut self, vertex: VertexId, arms: &[Arm], chained: bool) {
        let graph = &self.unit.graph;
        let VertexKind::Branch(condition) = &graph[vertex].kind else { return };
        let is_then = |a: &Arm| a.edges.iter().any(|&e| graph[e].value.is_some_and(|v| v != 0));
        let empty: &[Region] = &[];
        let then = arms.iter().find(|a| is_then(a)).map_or(empty, |a| &a.body);
        let other = arms.iter().find(|a| !is_then(a)).map_or(empty, |a| &a.body);
        if !chained {
            let (open, close) = self.tags(vertex);
            if then.is_empty() && !other.is_empty() {
                let (prelude, text) = self.negated(condition);
                self.b.prelude(&prelude);
                self.b.code(format!("{open}if ({text}) then"));
                self.nested(other);
                return self.b.code(format!("end if{close}"));
            }
            let (prelude, text) = self.b.condition_parts(condition);
            self.b.prelude(&prelude);
            // A lone jump needs no construct.
            if let ([Region::Jump(e)], true, true) = (self.effective(then), other.is_empty(), open.is_empty()) {
                let leave = self.plan.jumps.get(e).copied().unwrap_or(Leave::Nothing);
                if let Some(jump) = self.jump(leave) {
                    return self.b.code(format!("if ({text}) {jump}"));
                }
            }
            self.b.code(format!("{open}if ({text}) then"));
        }
        self.nested(then);
        self.otherwise(other);
        if !chained {
            let (_, close) = self.tags(vertex);
            self.b.code(format!("end if{close}"));
        }
    }

    /// Regions without the empty blocks that jumps start from.
    fn effective<'r>(&self, regions: &'r [Region]) -> &'r [Region] {
        match regions {
            [Region::Block(v), rest @ ..]
                if !rest.is_empty()
                    && self.unit.graph[*v].stmts().is_empty()
                    && self.unit.graph[*v].comment.is_empty()
                    && !self.plan.labelled.contains(v) =>
            {
                rest
            }
            all => all,
        }
    }

    fn otherwise(&mut self, other: &[Region]) {
        if other.is_empty() {
            return;
        }
        if let [Region::Branch { vertex, arms, .. }] = other
            && !self.plan.tables.contains(vertex)
            && !self.plan.named.contains(vertex)
            && !self.plan.labelled.contains(vertex)
            && plan::is_two_way(self.b.w.cx.program, &self.unit.graph, *vertex, arms)
            && let VertexKind::Branch(condition) = &self.unit.graph[*vertex].kind
        {
            self.b.w.begin(self.unit.graph[*vertex].span);
            let (prelude, text) = self.b.condition_parts(condition);
            if prelude.is_empty() {
                let outer = self.b.go_to(self.unit.graph[*vertex].span);
                self.b.code(format!("else if ({text}) then"));
                let comment = &self.unit.graph[*vertex].comment;
                if !comment.is_empty() {
                    self.b.indent += 1;
                    self.b.comment(comment);
                    self.b.indent -= 1;
                }
                self.two_way(*vertex, arms, true);
                self.b.place = outer;
                return;
            }
        }
        self.b.code("else");
        self.nested(other);
    }

    /// The opposite of a condition, and what must be done before it. Integers are compared the other way round; reals are not, since a
    /// comparison with a NaN is false either way.
    fn negated(&mut self, condition: &Expr) -> (Vec<Prelude>, String) {
        let program = self.b.w.cx.program;
        let root = condition.root();
        let integers = || {
            let types = xaif::types::of_expr(program, condition);
            root.operands.iter().all(|o| types[o.index()].elem.base == BaseType::Integer)
        };
        let negation = match (&root.kind, &root.operands[..]) {
            // The operand itself, rather than a double negation.
            (NodeKind::Bool(BoolOp::Not), &[o]) => condition.subexpr(o),
            (NodeKind::Bool(op), &[a, b]) if integers() && opposite(*op).is_some() => {
                Expr::boolean(opposite(*op).unwrap_or(*op), [condition.subexpr(a), condition.subexpr(b)])
            }
            _ => Expr::boolean(BoolOp::Not, [condition.clone()]),
        };
        self.b.condition_parts(&negation)
    }

    fn select(&mut self, vertex: VertexId, arms: &[Arm]) {
        let VertexKind::Branch(selector) = &self.unit.graph[vertex].kind else { return };
        let (open, close) = self.tags(vertex);
        let text = self.b.value(selector);
        self.b.code(format!("{open}select case ({text})"));
        for arm in arms {
            let default = arm.edges.iter().any(|&e| self.unit.graph[e].value.is_none());
            if default && arm.body.is_empty() {
                continue;
            }
            let values: Vec<String> = arm.edges.iter().filter_map(|&e| self.unit.graph[e].value).map(|v| v.to_string()).collect();
            self.b.code(if default { "case default".to_owned() } else { format!("case ({})", values.join(", ")) });
            self.nested(&arm.body);
        }
        self.b.code(format!("end select{close}"));
    }

    /// A `switch` whose arms run into each other: a jump table, then the arms in order.
    fn table(&mut self, vertex: VertexId, arms: &[Arm], end: Option<VertexId>) {
        let VertexKind::Branch(selector) = &self.unit.graph[vertex].kind else { return };
        let text = self.b.value(selector);
        self.b.code(format!("select case ({text})"));
        let mut default_done = false;
        for arm in arms {
            let target = arm.edges.first().and_then(|&e| self.unit.graph.edge_endpoints(e)).map(|(_, t)| t);
            let Some(target) = target else { continue };
            let values: Vec<String> = arm.edges.iter().filter_map(|&e| self.unit.graph[e].value).map(|v| v.to_string()).collect();
            let default = arm.edges.iter().any(|&e| self.unit.graph[e].value.is_none());
            default_done |= default;
            self.b.code(if default { "case default".to_owned() } else { format!("case ({})", values.join(", ")) });
            self.b.indent += 1;
            let label = self.labels.of(target);
            self.b.code(format!("goto {label}"));
            self.b.indent -= 1;
        }
        if let (false, Some(end)) = (default_done, end) {
            self.b.code("case default");
            self.b.indent += 1;
            let label = self.labels.of(end);
            self.b.code(format!("goto {label}"));
            self.b.indent -= 1;
        }
        self.b.code("end select");
        for (i, arm) in arms.iter().enumerate() {
            self.sequence(&arm.body);
            self.flush_label();
            let falls_off = !arm.body.is_empty() && !matches!(arm.body.last(), Some(Region::Jump(_)));
            if let (true, Some(end)) = (falls_off && i + 1 < arms.len(), end) {
                let label = self.labels.of(end);
                self.b.code(format!("goto {label}"));
            }
        }
        if let Some(end) = end
            && self.plan.labelled.contains(&end)
        {
            self.label(end);
            self.flush_label();
        }
    }

    fn loop_(&mut self, vertex: VertexId, body: &[Region]) {
        if let Some(x) = self.b.w.cx.exchanges(self.b.w.unit).get(&vertex) {
            return self.exchange(x);
        }
        let (open, close) = self.tags(vertex);
        let unit = self.unit;
        match &unit.graph[vertex].kind {
            VertexKind::For(f) => self.for_(vertex, f, body, &open, &close),
            VertexKind::Pre(condition) => {
                let (prelude, text) = self.b.condition_parts(condition);
                if prelude.is_empty() {
                    self.b.code(if text == ".true." { format!("{open}do") } else { format!("{open}do while ({text})") });
                    self.nested(body);
                } else {
                    self.b.code(format!("{open}do"));
                    self.test(condition);
                    self.nested(body);
                }
                self.b.code(format!("end do{close}"));
            }
            VertexKind::Post(condition) => {
                self.b.code(format!("{open}do"));
                self.iteration(vertex, body);
                self.test(condition);
                self.b.code(format!("end do{close}"));
            }
            _ => {}
        }
    }

    /// Arrays that change places.
    fn exchange(&mut self, x: &Exchange) {
        self.b.comment(&x.comment);
        for (from, to) in x.turns.iter().flat_map(exchanges::moves) {
            let text = format!("call move_alloc({}, {})", self.b.w.name(from), self.b.w.name(to));
            self.b.code(text);
        }
    }

    /// `if (.not. condition) exit`, one level deeper.
    fn test(&mut self, condition: &Expr) {
        self.b.indent += 1;
        self.b.w.begin(Span::NONE);
        let (prelude, text) = self.negated(condition);
        self.b.prelude(&prelude);
        if text != ".not. .true." && text != ".false." {
            self.b.code(format!("if ({text}) exit"));
        }
        self.b.indent -= 1;
    }

    /// A loop's body, wrapped into a block where a jump goes to its end.
    fn iteration(&mut self, vertex: VertexId, body: &[Region]) {
        if !self.plan.wrapped.contains(&vertex) {
            return self.nested(body);
        }
        let name = self.iteration_name(vertex);
        self.b.indent += 1;
        self.b.code(format!("{name}: block"));
        self.nested(body);
        self.b.code(format!("end block {name}"));
        self.b.indent -= 1;
    }

    fn for_(&mut self, vertex: VertexId, f: &ForLoop, body: &[Region], open: &str, close: &str) {
        if let Some(d) = counted::counted(self.b.w.cx.program, f) {
            let name = self.b.w.name(d.variable);
            let first = self.b.value(&d.first);
            let last = match (d.adjust, d.last.as_int()) {
                (0, _) => d.last,
                (by, Some(n)) if n.checked_add(by).is_some() => Expr::int(n + by),
                (by, _) if by < 0 => Expr::op("sub_scal_scal", [d.last, Expr::int(1)]),
                _ => Expr::op("add_scal_scal", [d.last, Expr::int(1)]),
            };
            let last = self.b.value(&last);
            let step = d.step.as_ref().map(|s| format!(", {}", self.b.value(s))).unwrap_or_default();
            self.b.code(format!("{open}do {name} = {first}, {last}{step}"));
            self.nested(body);
            return self.b.code(format!("end do{close}"));
        }
        self.b.stmt(&f.init);
        let (prelude, text) = self.b.condition_parts(&f.condition);
        if prelude.is_empty() {
            self.b.code(format!("{open}do while ({text})"));
        } else {
            self.b.code(format!("{open}do"));
            self.test(&f.condition);
        }
        self.iteration(vertex, body);
        self.b.indent += 1;
        self.b.stmt(&f.update);
        self.b.indent -= 1;
        self.b.code(format!("end do{close}"));
    }
}
