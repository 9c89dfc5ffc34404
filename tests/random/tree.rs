//! Programs as trees of statements, from which parts can be dropped; made into the model by one walk.

use xaif::build::GraphBuilder;
use xaif::model::*;

/// A statement or construct.
#[derive(Clone, Debug)]
pub enum Item {
    Assign(VarRef, Expr),
    Call(SymbolId, Vec<Expr>),
    If(Expr, Vec<Item>, Vec<Item>),
    /// Arms with their values; an arm without values is the default one. True: runs on into the next.
    Switch(Expr, Vec<(Vec<i64>, Vec<Item>, bool)>),
    For(Box<ForLoop>, Vec<Item>),
    While(Expr, Vec<Item>),
    DoWhile(Expr, Vec<Item>),
    /// Out of, or on in, the loop that many levels out; nothing where there is no such loop.
    Break(usize),
    Continue(usize),
    Return,
    /// `if (condition) goto label; items; label:`
    Skip(Expr, Vec<Item>),
    /// `label: items; if (condition) goto label;`
    Again(Expr, Vec<Item>),
    /// Parts with labels, and behind each a jump to the part of that number where the condition holds. The variable counts jumps, which end some time.
    Web(SymbolId, Vec<Part>),
    /// A jump to that part of the web around it, out of whatever lies between; nothing where there is none.
    Leave(Expr, usize),
    /// `goto test; body: items; test: if (condition) goto body;`
    Bottom(Expr, Vec<Item>),
    /// A directive of another tool: it says nothing here.
    Foreign,
    /// Memory for an array, with these bounds.
    Allocate(SymbolId, Expr, Expr),
    Free(SymbolId),
}

/// Part of a web: its items, and the jump behind them.
pub type Part = (Vec<Item>, Option<(Expr, usize)>);

/// Jumps of a web.
const JUMPS: i64 = 5;

/// A program without its graphs, and a body for each unit.
#[derive(Clone, Debug)]
pub struct Tree {
    pub shell: Program,
    pub bodies: Vec<Vec<Item>>,
}

impl Tree {
    /// The program in the model.
    pub fn build(&self) -> Program {
        let mut p = self.shell.clone();
        for (u, body) in self.bodies.iter().enumerate() {
            let mut w =
                Walk { graph: GraphBuilder::new(p.units[u].scope), labels: 0, webs: Vec::new(), row: p.index_order == IndexOrder::Row };
            w.items(body);
            let built = w.graph.finish().expect("labels are unique");
            p.units[u].graph = built.graph;
            p.units[u].structured = built.structured;
        }
        for (u, body) in self.bodies.iter().enumerate() {
            let mut callees = Vec::new();
            called(body, &mut callees);
            for c in callees {
                let callee = p.unit_of_symbol(c).expect("called units exist");
                let caller = UnitId(u as u32);
                if !p.calls.iter().any(|e| e.caller == caller && e.callee == callee) {
                    let id = format!("{}", p.calls.len() + 1).into();
                    p.calls.push(CallEdge { id, caller, callee, extras: Extras::default() });
                }
            }
        }
        p
    }

    /// Number of items, for reports.
    pub fn size(&self) -> usize {
        fn count(items: &[Item]) -> usize {
            items.iter().map(|i| 1 + children(i).iter().map(|c| count(c)).sum::<usize>()).sum()
        }
        self.bodies.iter().map(|b| count(b)).sum()
    }
}

/// The lists of items inside an item.
pub fn children(item: &Item) -> Vec<&Vec<Item>> {
    match item {
        Item::If(_, a, b) => vec![a, b],
        Item::Switch(_, arms) => arms.iter().map(|(_, b, _)| b).collect(),
        Item::For(_, b) | Item::While(_, b) | Item::DoWhile(_, b) | Item::Skip(_, b) | Item::Again(_, b) | Item::Bottom(_, b) => vec![b],
        Item::Web(_, parts) => parts.iter().map(|(b, _)| b).collect(),
        _ => Vec::new(),
    }
}

/// The same, to be changed.
pub fn children_mut(item: &mut Item) -> Vec<&mut Vec<Item>> {
    match item {
        Item::If(_, a, b) => vec![a, b],
        Item::Switch(_, arms) => arms.iter_mut().map(|(_, b, _)| b).collect(),
        Item::For(_, b) | Item::While(_, b) | Item::DoWhile(_, b) | Item::Skip(_, b) | Item::Again(_, b) | Item::Bottom(_, b) => vec![b],
        Item::Web(_, parts) => parts.iter_mut().map(|(b, _)| b).collect(),
        _ => Vec::new(),
    }
}

fn called(items: &[Item], out: &mut Vec<SymbolId>) {
    for i in items {
        if let Item::Call(c, _) = i {
            out.push(*c);
        }
        children(i).iter().for_each(|c| called(c, out));
    }
}

struct Walk {
    graph: GraphBuilder,
    labels: usize,
    /// The webs around, each with its counter and labels.
    webs: Vec<(SymbolId, Vec<String>)>,
    /// The program is one of C.
    row: bool,
}

impl Walk {
    fn items(&mut self, items: &[Item]) {
        for i in items {
            // Text behind a jump has a meaning only where a label leads to it.
            if self.graph.is_dead() && !matches!(i, Item::Again(..) | Item::Web(..)) {
                continue;
            }
            self.item(i);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Assign(lhs, rhs) => {
                let mut s = Stmt::assign(lhs.clone(), rhs.clone());
                s.text = "assignment".into();
                self.graph.stmt(s);
            }
            Item::Call(callee, arguments) => {
                let list: Vec<_> = arguments.iter().enumerate().map(|(k, e)| CallArgument::new(k as u32 + 1, e.clone())).collect();
                let formal_count = Some(list.len() as u32);
                self.graph.stmt(Stmt::new(StmtKind::Call(Call { callee: *callee, arguments: list, formal_count, active: Tri::Undefined })));
            }
            Item::If(c, then, other) => {
                self.graph.begin_branch(c.clone());
                self.graph.arm(&[1]);
                self.items(then);
                if !other.is_empty() {
                    self.graph.arm(&[]);
                    self.items(other);
                }
                self.graph.end_branch();
            }
            Item::Switch(c, arms) => {
                self.graph.begin_branch(c.clone());
                let mut running_on = false;
                for (values, body, falls) in arms {
                    if running_on {
                        self.graph.arm_falling_through(values, values.is_empty());
                    } else {
                        self.graph.arm(values);
                    }
                    self.items(body);
                    running_on = *falls;
                }
                self.graph.end_branch();
            }
            Item::For(head, body) => {
                self.graph.begin_for((**head).clone());
                self.items(body);
                self.graph.end_loop();
            }
            Item::While(c, body) => {
                self.graph.begin_while(c.clone());
                self.items(body);
                self.graph.end_loop();
            }
            Item::DoWhile(c, body) => {
                self.graph.begin_do_while(c.clone());
                self.items(body);
                self.graph.end_loop();
            }
            Item::Break(n) if *n < self.graph.loop_depth() => self.graph.jump_break(*n),
            Item::Continue(n) if *n < self.graph.loop_depth() => self.graph.jump_continue(*n),
            Item::Break(_) | Item::Continue(_) => {}
            Item::Return => self.graph.jump_return(),
            Item::Skip(c, body) => {
                let label = self.label();
                self.goto_if(c, &label);
                self.items(body);
                self.graph.label(label);
            }
            Item::Web(guard, parts) => {
                let labels: Vec<String> = parts.iter().map(|_| self.label()).collect();
                if !self.graph.is_dead() {
                    self.graph.stmt(Stmt::assign(VarRef::whole(*guard), Expr::int(0)));
                }
                self.webs.push((*guard, labels.clone()));
                for (k, (body, jump)) in parts.iter().enumerate() {
                    self.graph.label(labels[k].clone());
                    self.items(body);
                    if let Some((c, to)) = jump {
                        self.jump_in_web(*guard, c, &labels[to % labels.len()]);
                    }
                }
                self.webs.pop();
            }
            Item::Leave(c, to) => {
                if let Some((guard, labels)) = self.webs.last().cloned() {
                    self.jump_in_web(guard, c, &labels[to % labels.len()]);
                }
            }
            Item::Allocate(s, low, high) => self.marker(MarkerClass::Allocate, *s, Some((low, high))),
            Item::Free(s) => self.marker(MarkerClass::Deallocate, *s, None),
            Item::Bottom(c, body) => {
                let (again, test) = (self.label(), self.label());
                self.graph.jump_goto(&*test);
                self.graph.label(again.clone());
                self.items(body);
                self.graph.label(test);
                self.goto_if(c, &again);
            }
            Item::Foreign => {
                let text = if self.row { "#pragma vendor note(here)" } else { "!vendor$ note" };
                let marker = Marker { class: MarkerClass::Pragma, text: text.into(), ..Marker::default() };
                self.graph.stmt(Stmt::new(StmtKind::Marker(Box::new(marker))));
            }
            Item::Again(c, body) => {
                let label = self.label();
                self.graph.label(label.clone());
                self.items(body);
                if !self.graph.is_dead() {
                    self.goto_if(c, &label);
                }
            }
        }
    }

    /// Counts a jump, and makes it while there are not too many.
    fn jump_in_web(&mut self, guard: SymbolId, c: &Expr, label: &str) {
        if self.graph.is_dead() {
            return;
        }
        let more = Expr::op("add_scal_scal", [Expr::sym(guard), Expr::int(1)]);
        self.graph.stmt(Stmt::assign(VarRef::whole(guard), more));
        let few = Expr::boolean(BoolOp::LessOrEqual, [Expr::sym(guard), Expr::int(JUMPS)]);
        self.goto_if(&Expr::boolean(BoolOp::And, [few, c.clone()]), label);
    }

    fn marker(&mut self, class: MarkerClass, s: SymbolId, bounds: Option<(&Expr, &Expr)>) {
        let mut object = VarRef::whole(s);
        if let Some((low, high)) = bounds {
            object.subscripts = vec![Triplet { index: Some(low.clone()), bound: Some(high.clone()), stride: None }].into();
        }
        let writes = if bounds.is_none() { vec![s] } else { Vec::new() };
        // Without a text of its own it is printed from what it does.
        let marker = Marker { class, object: Some(object), writes, ..Marker::default() };
        self.graph.stmt(Stmt::new(StmtKind::Marker(Box::new(marker))));
    }

    fn goto_if(&mut self, c: &Expr, label: &str) {
        self.graph.begin_branch(c.clone());
        self.graph.arm(&[1]);
        self.graph.jump_goto(label);
        self.graph.end_branch();
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("{}", 10 * self.labels)
    }
}

/// A program as text, good enough to be read.
pub fn show(tree: &Tree) -> String {
    use std::fmt::Write;
    let p = &tree.shell;
    let mut out = String::new();
    let mut called_units = vec![p.units[0].symbol];
    tree.bodies.iter().for_each(|b| called(b, &mut called_units));
    for (u, body) in p.units.iter().zip(&tree.bodies) {
        if !called_units.contains(&u.symbol) {
            continue;
        }
        let used = used(body);
        let formals: Vec<String> = u
            .formals
            .iter()
            .map(|f| {
                let s = p.symbol(f.symbol);
                format!("{:?} {:?} {}{}", f.intent, s.passing(), declared(p, f.symbol), if f.result { " (result)" } else { "" })
            })
            .collect();
        let _ = writeln!(out, "{}({})", p.symbol(u.symbol).name, formals.join(", "));
        for &s in &p.scope(u.scope).symbols {
            if *p.symbol(s).storage() == Storage::Local && used.contains(&s) {
                let _ = writeln!(out, "  local {}", declared(p, s));
            }
        }
        lines(p, body, 1, &mut out);
    }
    out
}

/// All variables of a list of items.
fn used(items: &[Item]) -> Vec<SymbolId> {
    let mut out = Vec::new();
    for i in items {
        let mut see = |e: &Expr| e.for_each_ref(&mut |r| out.push(r.symbol));
        match i {
            Item::Assign(l, r) => {
                see(&Expr::var(l.clone()));
                see(r);
            }
            Item::Call(_, a) => a.iter().for_each(see),
            Item::If(c, ..)
            | Item::Switch(c, _)
            | Item::While(c, _)
            | Item::DoWhile(c, _)
            | Item::Skip(c, _)
            | Item::Again(c, _)
            | Item::Bottom(c, _) => see(c),
            Item::For(h, _) => see(&h.condition),
            Item::Web(_, parts) => parts.iter().filter_map(|p| p.1.as_ref()).for_each(|j| see(&j.0)),
            Item::Leave(c, _) => see(c),
            Item::Allocate(s, ..) => out.push(*s),
            _ => {}
        }
        children(i).into_iter().for_each(|c| out.extend(used(c)));
    }
    out
}

fn declared(p: &Program, s: SymbolId) -> String {
    let s = p.symbol(s);
    let dims: Vec<String> = s
        .decl
        .iter()
        .flat_map(|d| &d.dims)
        .map(|d| {
            let b = |b: &Bound| match b {
                Bound::Unknown => "*".into(),
                Bound::Expr(e) => text(p, e),
            };
            format!("{}:{}", b(&d.lower), b(&d.upper))
        })
        .collect();
    let base = if s.ty.is_real() { "real" } else { "int" };
    let dims = if dims.is_empty() { String::new() } else { format!("[{}]", dims.join(", ")) };
    format!("{base}{} {}{dims}", s.ty.bits, s.name)
}

fn lines(p: &Program, items: &[Item], depth: usize, out: &mut String) {
    use std::fmt::Write;
    let pad = "  ".repeat(depth);
    for i in items {
        let _ = match i {
            Item::Assign(l, r) => writeln!(out, "{pad}{} = {}", reference(p, l), text(p, r)),
            Item::Call(c, a) => {
                let a: Vec<String> = a.iter().map(|e| text(p, e)).collect();
                writeln!(out, "{pad}call {}({})", p.symbol(*c).name, a.join(", "))
            }
            Item::If(c, ..) => writeln!(out, "{pad}if {}", text(p, c)),
            Item::Switch(c, arms) => {
                let v: Vec<_> = arms.iter().map(|(v, _, f)| (v, f)).collect();
                writeln!(out, "{pad}switch {} {v:?}", text(p, c))
            }
            Item::For(h, _) => {
                let (StmtKind::Assignment { lhs, rhs }, StmtKind::Assignment { rhs: update, .. }) = (&h.init.kind, &h.update.kind) else {
                    return;
                };
                let counted = if h.counted { "" } else { " (not counted)" };
                writeln!(out, "{pad}for {} = {}; {}; {}{counted}", reference(p, lhs), text(p, rhs), text(p, &h.condition), text(p, update))
            }
            Item::While(c, _) => writeln!(out, "{pad}while {}", text(p, c)),
            Item::DoWhile(c, _) => writeln!(out, "{pad}do ... while {}", text(p, c)),
            Item::Break(n) => writeln!(out, "{pad}break {n}"),
            Item::Continue(n) => writeln!(out, "{pad}continue {n}"),
            Item::Return => writeln!(out, "{pad}return"),
            Item::Web(_, parts) => {
                let jumps = parts.iter().map(|(_, j)| j.as_ref().map_or("on".into(), |(c, to)| format!("part {to} if {}", text(p, c))));
                writeln!(out, "{pad}web of parts, behind each: {}", jumps.collect::<Vec<_>>().join("; "))
            }
            Item::Leave(c, to) => writeln!(out, "{pad}if {} goto part {to}", text(p, c)),
            Item::Allocate(s, a, b) => writeln!(out, "{pad}allocate {}[{}:{}]", p.symbol(*s).name, text(p, a), text(p, b)),
            Item::Free(s) => writeln!(out, "{pad}free {}", p.symbol(*s).name),
            Item::Skip(c, _) => writeln!(out, "{pad}if {} goto the end of", text(p, c)),
            Item::Again(c, _) => writeln!(out, "{pad}do ... goto its beginning if {}", text(p, c)),
            Item::Bottom(c, _) => writeln!(out, "{pad}goto the end of, which goes to the beginning if {}", text(p, c)),
            Item::Foreign => writeln!(out, "{pad}a directive of another tool"),
        };
        for (k, c) in children(i).into_iter().enumerate() {
            if k > 0 {
                let _ = writeln!(out, "{pad}else/arm");
            }
            lines(p, c, depth + 1, out);
        }
    }
}

fn reference(p: &Program, r: &VarRef) -> String {
    let name = &p.symbol(r.symbol).name;
    if r.subscripts.is_empty() {
        return name.to_string();
    }
    let part = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| text(p, e));
    let list: Vec<String> = r
        .subscripts
        .iter()
        .map(|t| if t.is_section() { format!("{}:{}:{}", part(&t.index), part(&t.bound), part(&t.stride)) } else { part(&t.index) })
        .collect();
    format!("{name}[{}]", list.join(", "))
}

/// An expression as text.
pub fn text(p: &Program, e: &Expr) -> String {
    fn node(p: &Program, e: &Expr, k: NodeId) -> String {
        let n = e.node_at(k);
        let o: Vec<String> = n.operands.iter().map(|&o| node(p, e, o)).collect();
        let infix = |s: &str| format!("({})", o.join(s));
        match &n.kind {
            NodeKind::Var(r) => reference(p, r),
            NodeKind::Const(c) => c.value.to_string(),
            NodeKind::Op(op) => match op.name.as_str() {
                "add_scal_scal" => infix(" + "),
                "sub_scal_scal" => infix(" - "),
                "mul_scal_scal" => infix(" * "),
                "div_scal_scal" => infix(" / "),
                name => format!("{}({})", name.trim_end_matches("_scal").trim_end_matches("_scal"), o.join(", ")),
            },
            NodeKind::Bool(op) => format!("{}({})", op.name(), o.join(", ")),
            NodeKind::FunctionCall(_) => "?".into(),
        }
    }
    node(p, e, e.root_id())
}

/// A unit of any program as text, from its graph.
pub fn show_unit(p: &Program, unit: UnitId) -> String {
    use xaif::structure::{Region, regions};
    fn stmt(p: &Program, s: &Stmt, pad: &str, out: &mut String) {
        let line = match &s.kind {
            StmtKind::Assignment { lhs, rhs } => format!("{} = {}", reference(p, lhs), text(p, rhs)),
            StmtKind::Call(c) => {
                let a: Vec<String> = c.arguments.iter().map(|a| text(p, &a.value)).collect();
                format!("call {}({})", p.symbol(c.callee).name, a.join(", "))
            }
            StmtKind::Runtime { name, arguments } => {
                format!("{name} {}", arguments.iter().map(|a| text(p, &a.value)).collect::<Vec<_>>().join(", "))
            }
            other => format!("{other:?}"),
        };
        out.push_str(&format!("{pad}{line}\n"));
    }
    fn walk(p: &Program, g: &FlowGraph, list: &[Region], depth: usize, out: &mut String) {
        let pad = "  ".repeat(depth);
        for r in list {
            match r {
                Region::Block(v) => g[*v].stmts().iter().for_each(|s| stmt(p, s, &pad, out)),
                Region::Jump(e) => out.push_str(&format!("{pad}jump {:?}\n", g[*e].jump)),
                Region::Branch { vertex, arms, .. } => {
                    if let VertexKind::Branch(c) = &g[*vertex].kind {
                        out.push_str(&format!("{pad}branch {}\n", text(p, c)));
                    }
                    for a in arms {
                        let values: Vec<_> = a.edges.iter().map(|e| g[*e].value).collect();
                        out.push_str(&format!("{pad}arm {values:?}\n"));
                        walk(p, g, &a.body, depth + 1, out);
                    }
                }
                Region::Loop { vertex, body, .. } => {
                    match &g[*vertex].kind {
                        VertexKind::For(h) => {
                            stmt(p, &h.init, &format!("{pad}for "), out);
                            out.push_str(&format!("{pad}    while {}\n", text(p, &h.condition)));
                            stmt(p, &h.update, &format!("{pad}    step "), out);
                        }
                        VertexKind::Pre(c) => out.push_str(&format!("{pad}while {}\n", text(p, c))),
                        VertexKind::Post(c) => out.push_str(&format!("{pad}do while {}\n", text(p, c))),
                        _ => {}
                    }
                    walk(p, g, body, depth + 1, out);
                }
            }
        }
    }
    let u = p.unit(unit);
    let formals: Vec<&str> = u.formals.iter().map(|f| p.symbol(f.symbol).name.as_str()).collect();
    let mut out = format!("{}({})\n", p.unit_name(unit), formals.join(", "));
    match regions(&u.graph) {
        Ok(tree) => walk(p, &u.graph, &tree, 1, &mut out),
        Err(e) => out.push_str(&format!("  {e}\n")),
    }
    out
}
