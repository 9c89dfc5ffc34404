//! Control flow that nests: the region tree as `if`, `switch` and loops.
//!
//! A jump is printed as `break`, `continue` or `return` where that word, at that place, leads to the vertex that the edge leads to; else
//! as a `goto` to a label there. So a `break` out of an `if`, out of two loops, or out of a loop from inside a `switch` comes out right
//! whatever the edge calls itself.
//!
//! Lives here: the walk over regions. Never here: graphs without a region tree (see `unstructured`), statements.

use crate::unparse::facts::declaration_places::Sites;
use crate::unparse::language::identifiers;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use crate::unparse::text::layout::{Line, Lines};
use crate::unparse::text::source_text::offset;
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use smol_str::SmolStr;
use xaif::model::{
    BaseType, BoolOp, CallArgument, EdgeId, Expr, FlowGraph, ForLoop, Jump, NodeKind, Stmt, StmtKind, Storage, SymbolId, Unit, UnitKind,
    VertexId, VertexKind,
};
use xaif::structure::{Arm, Region, end_of_loop};
use xaif::{offsets, types};

/// A construct that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Loop { end: Option<VertexId>, after: Option<VertexId> },
    Switch { after: Option<VertexId> },
}

/// How a jump is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Return,
    Continue,
    Break,
    Goto(VertexId),
}

fn target(graph: &FlowGraph, e: EdgeId) -> VertexId {
    graph.edge_endpoints(e).map_or(VertexId::new(0), |(_, t)| t)
}

/// Where a loop's exit leads.
fn loop_exit(graph: &FlowGraph, v: VertexId) -> Option<VertexId> {
    graph.edges_directed(v, Direction::Outgoing).find(|e| e.weight().value.is_none_or(|x| x == 0)).map(|e| e.target())
}

fn way(graph: &FlowGraph, frames: &[Frame], e: EdgeId) -> Way {
    let to = target(graph, e);
    if matches!(graph[to].kind, VertexKind::Exit) {
        return Way::Return;
    }
    let innermost = frames.iter().rev().find_map(|f| match f {
        Frame::Loop { end, .. } => Some(*end),
        Frame::Switch { .. } => None,
    });
    if innermost == Some(Some(to)) {
        return Way::Continue;
    }
    match frames.last() {
        Some(Frame::Loop { after, .. } | Frame::Switch { after }) if *after == Some(to) => Way::Break,
        _ => Way::Goto(to),
    }
}

impl Printer<'_> {
    /// Writes a unit's body.
    pub fn body(&mut self, unit: &Unit) {
        match xaif::structure::regions(&unit.graph) {
            Ok(regions) => {
                let mut frames = Vec::new();
                self.goto_targets(unit, &regions, &mut frames);
                // A jump must not pass over declarations.
                if self.labels.is_empty() && unit.graph.node_weights().all(|v| v.label.is_empty()) {
                    self.sites = Sites::of(self.program, unit, &regions, self.result, &self.usage.mentioned);
                    self.exchanges = self.exchanges(unit, &regions);
                    self.shorten_names(unit);
                }
                self.regions(unit, &regions, &mut frames, true);
            }
            Err(_) => self.unnested(unit),
        }
    }

    /// Variables of different blocks that had the same name get it back, where they are declared in blocks of their own again.
    fn shorten_names(&mut self, unit: &Unit) {
        let Some(scope) = self.program.scopes.get(unit.scope.index()) else { return };
        let below: Vec<SymbolId> =
            scope.symbols.iter().copied().filter(|s| self.sites.loops.contains(s) || self.sites.statements.contains_key(s)).collect();
        let mut shared: Vec<(SmolStr, Vec<SymbolId>)> = Vec::new();
        for &s in &below {
            let name = self.names.of(self.program, s);
            let base = name.rsplit_once('_').filter(|(b, k)| !b.is_empty() && k.parse::<u32>().is_ok()).map(|(b, _)| SmolStr::from(b));
            let wish = base.filter(|b| self.was_called(s, b)).unwrap_or_else(|| name.clone());
            match shared.iter_mut().find(|(n, _)| *n == wish) {
                Some((_, others)) if others.iter().all(|&o| self.sites.apart(o, s)) => {
                    others.push(s);
                    self.names.share(s, wish);
                }
                Some(_) => {}
                None if wish == name => shared.push((wish, vec![s])),
                None => {}
            }
        }
    }

    /// True where the text has this name at a symbol's declaration.
    fn was_called(&self, s: SymbolId, name: &str) -> bool {
        let span = self.program.symbol(s).span;
        let Some(source) = self.program.sources.get(span.source.index()).filter(|_| span.is_known()) else { return false };
        let at = offset(&source.text, span.line, span.column);
        let rest = &source.text[at..];
        rest.strip_prefix(name).is_some_and(|r| !r.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    }

    /// True for a `switch`: a branch over integers.
    fn is_switch(&self, condition: &Expr) -> bool {
        matches!(types::of(self.program, condition).elem.base, BaseType::Integer | BaseType::Char)
    }

    fn branch_frame(&self, graph: &FlowGraph, v: VertexId, end: Option<VertexId>) -> Option<Frame> {
        match &graph[v].kind {
            VertexKind::Branch(c) if self.is_switch(c) => Some(Frame::Switch { after: end }),
            _ => None,
        }
    }

    /// Gives a label to every vertex that a `goto` must name.
    fn goto_targets(&mut self, unit: &Unit, regions: &[Region], frames: &mut Vec<Frame>) {
        for r in regions {
            match r {
                Region::Block(_) => {}
                Region::Jump(e) => {
                    if unit.graph[*e].jump != Some(Jump::FallThrough)
                        && let Way::Goto(v) = way(&unit.graph, frames, *e)
                    {
                        self.need_label(unit, v);
                    }
                }
                Region::Branch { vertex, arms, end } => {
                    let frame = self.branch_frame(&unit.graph, *vertex, *end);
                    frames.extend(frame);
                    for (k, arm) in arms.iter().enumerate() {
                        self.goto_targets(unit, &arm.body, frames);
                        if let Some(Region::Jump(e)) = arm.body.last()
                            && unit.graph[*e].jump == Some(Jump::FallThrough)
                            && !falls_into(&unit.graph, *e, arms.get(k + 1))
                        {
                            self.need_label(unit, target(&unit.graph, *e));
                        }
                    }
                    if frame.is_some() {
                        frames.pop();
                    }
                }
                Region::Loop { vertex, body, .. } => {
                    frames.push(Frame::Loop { end: end_of_loop(&unit.graph, *vertex), after: loop_exit(&unit.graph, *vertex) });
                    self.goto_targets(unit, body, frames);
                    frames.pop();
                }
            }
        }
    }

    /// Gives a vertex a label.
    pub fn need_label(&mut self, unit: &Unit, v: VertexId) {
        if self.labels.contains_key(&v) {
            return;
        }
        let wish = match unit.graph[v].label.as_str() {
            "" => SmolStr::new_static("next"),
            l if l.starts_with(|c: char| c.is_ascii_digit()) => smol_str::format_smolstr!("l{l}"),
            l => l.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect(),
        };
        let taken = |n: &str, p: &Printer| p.labels.values().any(|l| l == n);
        let mut label = wish.clone();
        let mut k = 1;
        while taken(&label, self) || identifiers::is_keyword(&label) {
            label = smol_str::format_smolstr!("{wish}_{k}");
            k += 1;
        }
        self.labels.insert(v, label);
    }

    /// Writes the label of a vertex, if it has one.
    pub fn label(&mut self, v: VertexId) {
        if let Some(l) = self.labels.get(&v) {
            self.out.push(Line::Label(self.out.level.saturating_sub(1), l.to_string()));
        }
    }

    fn regions(&mut self, unit: &Unit, regions: &[Region], frames: &mut Vec<Frame>, outermost: bool) {
        let graph = &unit.graph;
        let mut at = 0;
        while let Some(region) = regions.get(at) {
            at += 1;
            match region {
                Region::Block(v) => {
                    self.label(*v);
                    self.out.comment(&graph[*v].comment);
                    let stmts = graph[*v].stmts();
                    let returns = match regions.get(at) {
                        Some(Region::Jump(e)) => way(graph, frames, *e) == Way::Return,
                        Some(_) => false,
                        None => outermost && unit.kind == UnitKind::Function,
                    };
                    if returns && self.returned(*v, stmts) {
                        return self.regions_after(unit, regions, at + 1, frames, outermost);
                    }
                    self.block(*v, stmts);
                }
                Region::Jump(e) => self.jump(unit, frames, *e),
                Region::Branch { vertex, arms, end } => self.branch(unit, *vertex, arms, *end, frames),
                Region::Loop { vertex, body, .. } => self.loop_(unit, *vertex, body, frames),
            }
        }
        if outermost && ends_at_exit(unit) {
            self.last_return();
        }
    }

    fn regions_after(&mut self, unit: &Unit, regions: &[Region], from: usize, frames: &mut Vec<Frame>, outermost: bool) {
        match regions.get(from..) {
            Some(rest) if !rest.is_empty() => self.regions(unit, rest, frames, outermost),
            _ => {}
        }
    }

    pub fn last_return(&mut self) {
        if let Some(r) = self.result {
            let r = self.name(r);
            self.out.text(format!("return {r};"));
        }
    }

    /// Statements that set the result to `e` before a return print as `...; return e;`. False where they do not.
    fn returned(&mut self, v: VertexId, stmts: &[Box<Stmt>]) -> bool {
        let Some(result) = self.result else { return false };
        let sets = |s: &Stmt| matches!(&s.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == result && lhs.subscripts.is_empty());
        let Some(at) = stmts.iter().rposition(|s| sets(s)) else { return false };
        let StmtKind::Assignment { rhs: value, .. } = &stmts[at].kind else { return false };
        if value.nodes.is_empty() || types::of(self.program, value).rank > 0 || !self.may_wait(result, value, &stmts[at + 1..]) {
            return false;
        }
        for (k, s) in stmts.iter().enumerate().filter(|(k, _)| *k != at) {
            self.block_stmt(v, k, s);
        }
        let outer = self.go_to(stmts[at].span);
        self.out.comment(&stmts[at].comment);
        self.may_hoist = true;
        let text = self.expression(value, Place::Bare);
        self.may_hoist = false;
        self.out.text(format!("return {text};"));
        self.back_to(outer);
        true
    }

    /// True where a value is the same behind these assignments: they set nothing that it reads.
    fn may_wait(&self, result: SymbolId, value: &Expr, later: &[Box<Stmt>]) -> bool {
        let mut own = true;
        let mut read = Vec::new();
        value.for_each_ref(&mut |r| {
            let symbol = self.program.symbol(r.symbol);
            own &= symbol.rank == 0 && !self.pointers.contains(&r.symbol) && matches!(symbol.storage(), Storage::Local | Storage::Argument);
            read.push(r.symbol);
        });
        let harmless = |s: &Stmt| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                let mut mentions = lhs.symbol == result || read.contains(&lhs.symbol);
                rhs.for_each_ref(&mut |r| mentions |= r.symbol == result);
                for e in lhs.index_exprs() {
                    e.for_each_ref(&mut |r| mentions |= r.symbol == result);
                }
                !mentions
            }
            _ => false,
        };
        later.is_empty() || (own && later.iter().all(|s| harmless(s)))
    }

    /// Statements of a block; some of them declare what they set.
    fn block(&mut self, v: VertexId, stmts: &[Box<Stmt>]) {
        for (k, s) in stmts.iter().enumerate() {
            self.block_stmt(v, k, s);
        }
    }

    fn block_stmt(&mut self, v: VertexId, k: usize, s: &Stmt) {
        let here = |p: &Self, s: SymbolId| p.sites.statements.get(&s) == Some(&(v, k));
        let arguments =
            |list: &[CallArgument], p: &Self| list.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol).find(|&s| here(p, s));
        self.declaring = match &s.kind {
            StmtKind::Assignment { lhs, .. } => Some(lhs.symbol).filter(|&s| here(self, s)),
            StmtKind::Call(c) => arguments(&c.arguments, self),
            StmtKind::Runtime { arguments: list, .. } => arguments(list, self),
            StmtKind::Marker(m) => m.object.as_ref().map(|o| o.symbol).filter(|&s| here(self, s)),
            StmtKind::Propagator(_) => None,
        };
        self.stmt(s);
        self.declaring = None;
    }

    fn jump(&mut self, unit: &Unit, frames: &[Frame], e: EdgeId) {
        if unit.graph[e].jump == Some(Jump::FallThrough) {
            return;
        }
        match way(&unit.graph, frames, e) {
            Way::Return => match self.result {
                Some(_) => self.last_return(),
                None => self.out.text("return;"),
            },
            Way::Continue => self.out.text("continue;"),
            Way::Break => self.out.text("break;"),
            Way::Goto(v) => self.goto(v),
        }
    }

    fn goto(&mut self, v: VertexId) {
        let label = self.labels.get(&v).cloned().unwrap_or_default();
        self.out.text(format!("goto {label};"));
    }

    /// Writes something into lines of its own, one level deeper.
    fn nested(&mut self, write: impl FnOnce(&mut Self)) -> Lines {
        let inner = Lines { lines: Vec::new(), level: self.out.level + 1, place: self.out.place };
        let outer = std::mem::replace(&mut self.out, inner);
        self.declared = None;
        write(self);
        self.declared = None;
        std::mem::replace(&mut self.out, outer)
    }

    fn branch(&mut self, unit: &Unit, v: VertexId, arms: &[Arm], end: Option<VertexId>, frames: &mut Vec<Frame>) {
        let VertexKind::Branch(condition) = &unit.graph[v].kind else { return };
        self.label(v);
        let outer = self.go_to(unit.graph[v].span);
        self.out.comment(&unit.graph[v].comment);
        if self.is_switch(condition) {
            self.switch(unit, condition, arms, end, frames);
        } else {
            self.if_(unit, condition, arms, frames, "");
        }
        self.back_to(outer);
        if let Some(end) = end {
            self.label(end);
        }
    }

    fn if_(&mut self, unit: &Unit, condition: &Expr, arms: &[Arm], frames: &mut Vec<Frame>, before: &str) {
        let truth = |a: &Arm| a.edges.iter().any(|&e| unit.graph[e].value.is_some_and(|x| x != 0));
        let yes = arms.iter().find(|a| truth(a));
        let no = arms.iter().find(|a| !truth(a));
        let empty = |a: Option<&Arm>| a.is_none_or(|a| a.body.is_empty());
        if empty(yes) && empty(no) {
            return;
        }
        let (first, second, wanted) = if empty(yes) { (no, None, false) } else { (yes, no, true) };
        self.may_hoist = before.is_empty();
        let text = self.condition(condition, wanted);
        self.may_hoist = false;
        let first = self.nested(|p| p.regions(unit, first.map_or(&[][..], |a| &a.body), frames, false));
        // A chain of else-ifs stays on one level.
        let chain = match second.map(|a| &a.body[..]) {
            Some([Region::Branch { vertex, arms, end }]) => match &unit.graph[*vertex].kind {
                VertexKind::Branch(c)
                    if !self.is_switch(c)
                        && !Printer::has_reduction(c)
                        && unit.graph[*vertex].comment.is_empty()
                        && !self.labels.contains_key(vertex)
                        && end.is_none_or(|e| !self.labels.contains_key(&e))
                        && arms.iter().any(|a| !a.body.is_empty()) =>
                {
                    Some((c, arms))
                }
                _ => None,
            },
            _ => None,
        };
        let second_lines = match (second, &chain) {
            (Some(arm), None) if !arm.body.is_empty() => Some(self.nested(|p| p.regions(unit, &arm.body, frames, false))),
            _ => None,
        };
        let braces = !before.is_empty() || !is_single(&first) || second_lines.as_ref().is_some_and(|l| !is_single(l)) || chain.is_some();
        let open = if braces { " {" } else { "" };
        self.out.text(format!("{before}if ({text}){open}"));
        self.out.lines.extend(first.lines);
        if let Some((c, arms)) = chain {
            self.if_(unit, c, arms, frames, "} else ");
            return;
        }
        if let Some(lines) = second_lines {
            self.out.text(if braces { "} else {" } else { "else" });
            self.out.lines.extend(lines.lines);
        }
        if braces {
            self.out.text("}");
        }
    }

    fn switch(&mut self, unit: &Unit, condition: &Expr, arms: &[Arm], end: Option<VertexId>, frames: &mut Vec<Frame>) {
        if arms.iter().all(|a| a.body.is_empty()) {
            return;
        }
        self.may_hoist = true;
        let text = self.expression(condition, Place::Bare);
        self.may_hoist = false;
        self.out.text(format!("switch ({text}) {{"));
        let labels = self.labels_of(condition);
        frames.push(Frame::Switch { after: end });
        // A default that does nothing.
        let is_left_out = |a: &Arm| a.body.is_empty() && a.edges.len() == 1 && unit.graph[a.edges[0]].value.is_none();
        for (k, arm) in arms.iter().enumerate() {
            if is_left_out(arm) {
                continue;
            }
            for v in arm.edges.iter().map(|&e| unit.graph[e].value) {
                let label = self.label_of(&labels, v);
                self.out.text(label);
            }
            let mut lines = self.nested(|p| p.regions(unit, &arm.body, frames, false));
            lines.level = self.out.level + 1;
            let falls = match arm.body.last() {
                Some(Region::Jump(e)) if unit.graph[*e].jump == Some(Jump::FallThrough) => Some(*e),
                _ => None,
            };
            match (falls, arm.body.last()) {
                (Some(e), _) if falls_into(&unit.graph, e, arms.get(k + 1)) => {
                    lines.text(if arms.get(k + 1).is_some_and(is_left_out) { "break;" } else { "/* fall through */" });
                }
                (Some(e), _) => {
                    let label = self.labels.get(&target(&unit.graph, e)).cloned().unwrap_or_default();
                    lines.text(format!("goto {label};"));
                }
                (None, Some(Region::Jump(_))) => {}
                (None, Some(Region::Branch { end: None, .. })) => {}
                _ => lines.text("break;"),
            }
            self.out.lines.extend(lines.lines);
        }
        // Compilers want to hear of every enumerator.
        let enumeration = condition.as_var().is_some_and(|r| self.program.symbol(r.symbol).has_attribute("enum"));
        if enumeration && !arms.iter().any(|a| !is_left_out(a) && a.edges.iter().any(|&e| unit.graph[e].value.is_none())) {
            self.out.text("default:");
            self.out.level += 1;
            self.out.text("break;");
            self.out.level -= 1;
        }
        frames.pop();
        self.out.text("}");
    }

    fn loop_(&mut self, unit: &Unit, v: VertexId, body: &[Region], frames: &mut Vec<Frame>) {
        // The body may come to its end by jumps only.
        let end = end_of_loop(&unit.graph, v);
        let vertex = &unit.graph[v];
        self.label(v);
        let outer = self.go_to(vertex.span);
        self.out.comment(&vertex.comment);
        if let Some(x) = self.exchanges.get(&v).cloned() {
            self.exchange(&x);
            return self.back_to(outer);
        }
        let head = match &vertex.kind {
            VertexKind::For(head) => self.for_head(head),
            VertexKind::Pre(c) => {
                let text = self.condition(c, true);
                format!("while ({text})")
            }
            _ => "do".to_string(),
        };
        frames.push(Frame::Loop { end, after: loop_exit(&unit.graph, v) });
        let lines = self.nested(|p| {
            p.regions(unit, body, frames, false);
            if let Some(end) = end {
                p.label(end);
            }
        });
        frames.pop();
        if let VertexKind::Post(c) = &vertex.kind {
            let text = self.condition(c, true);
            self.out.text("do {");
            self.out.lines.extend(lines.lines);
            self.out.text(format!("}} while ({text});"));
        } else if is_single(&lines) {
            self.out.text(head);
            self.out.lines.extend(lines.lines);
        } else {
            self.out.text(format!("{head} {{"));
            self.out.lines.extend(lines.lines);
            self.out.text("}");
        }
        self.back_to(outer);
    }

    /// `for (i = a; i < b; i++)`
    pub fn for_head(&mut self, head: &ForLoop) -> String {
        if let Some(text) = self.unsigned_countdown(head) {
            return text;
        }
        let mut init = self.head_part(&head.init);
        if let StmtKind::Assignment { lhs, .. } = &head.init.kind
            && self.sites.loops.contains(&lhs.symbol)
        {
            let ty = self.type_text(lhs.symbol);
            init = format!("{ty} {init}");
        }
        let update = self.head_part(&head.update);
        let condition = self.condition(&head.condition, true);
        let update = if update.is_empty() { update } else { format!(" {update}") };
        format!("for ({init}; {condition};{update})")
    }

    fn head_part(&mut self, s: &Stmt) -> String {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } if !rhs.nodes.is_empty() => {
                let target = self.target(lhs);
                // `i = i` says that the variable starts with what it has.
                match self.assignment(lhs, rhs) {
                    t if t == format!("{target} = {target}") => String::new(),
                    t => t,
                }
            }
            _ => {
                self.refuse("OB5108", "the head of a loop holds something else than assignments", "", "write a `while` loop");
                String::new()
            }
        }
    }

    /// A loop of an unsigned variable down to 0 must test before it steps: `for (i = n; i-- > 0;)`.
    fn unsigned_countdown(&mut self, head: &ForLoop) -> Option<String> {
        let (StmtKind::Assignment { lhs, rhs: first }, StmtKind::Assignment { rhs: next, .. }) = (&head.init.kind, &head.update.kind)
        else {
            return None;
        };
        let symbol = self.program.symbol(lhs.symbol);
        let root = head.condition.nodes.last()?;
        let (NodeKind::Bool(BoolOp::GreaterOrEqual), &[i, bound]) = (&root.kind, &root.operands[..]) else { return None };
        if !symbol.has_attribute("unsigned") || !is_symbol(&head.condition.subexpr(i), lhs.symbol) {
            return None;
        }
        let bound = head.condition.subexpr(bound);
        let step = offsets::minus(Expr::sym(lhs.symbol), next);
        if let (Some(lowest), Some(step)) = (bound.as_int(), step.as_int())
            && lowest >= step
        {
            return None;
        }
        if step.as_int() != Some(1) {
            self.refuse(
                "OB5114",
                format!("the unsigned variable `{}` counts down in steps to a bound that may be 0", symbol.name),
                "it would wrap around instead of ending the loop",
                "declare it as a signed integer",
            );
            return None;
        }
        let name = self.name(lhs.symbol);
        let ty = if self.sites.loops.contains(&lhs.symbol) { format!("{} ", self.type_text(lhs.symbol)) } else { String::new() };
        let start = self.expression(&offsets::plus(first.clone(), 1), Place::Bare);
        let bound = self.expression(&bound, Place::Right(Prec::Relation));
        Some(format!("for ({ty}{name} = {start}; {name}-- > {bound};)"))
    }
}

fn is_symbol(e: &Expr, s: SymbolId) -> bool {
    e.as_var().is_some_and(|r| r.symbol == s)
}

fn falls_into(graph: &FlowGraph, e: EdgeId, arm: Option<&Arm>) -> bool {
    arm.is_some_and(|a| a.edges.first().is_some_and(|&f| target(graph, f) == target(graph, e)))
}

/// One line that is a statement of its own.
fn is_single(lines: &Lines) -> bool {
    matches!(&lines.lines[..], [(Line::Text(_, t), _)] if t.ends_with(';'))
}

/// True where control reaches the end of the unit's text.
fn ends_at_exit(unit: &Unit) -> bool {
    unit.exit().is_some_and(|x| unit.graph.edges_directed(x, Direction::Incoming).any(|e| e.weight().jump.is_none()))
}
