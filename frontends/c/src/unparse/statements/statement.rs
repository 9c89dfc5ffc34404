//! Statements.
//!
//! Lives here: assignments, opaque statements, allocation. Never here: control flow, arguments of calls.

use crate::unparse::language::c_types;
use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use crate::unparse::text::layout::Line;
use xaif::callbacks;
use xaif::model::{BaseType, Expr, Marker, MarkerClass, NodeKind, Stmt, StmtKind, Triplet, VarRef};
use xaif::rows::has_rows;
use xaif::types;

impl Printer<'_> {
    /// Writes a statement with its comment.
    pub fn stmt(&mut self, stmt: &Stmt) {
        let outer = self.go_to(stmt.span);
        let falls =
            matches!(stmt.comment.trim().to_ascii_lowercase().replace('-', " ").as_str(), "fall through" | "fallthrough" | "falls through");
        if !falls {
            self.out.comment(&stmt.comment);
        }
        self.may_hoist = true;
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => {
                if rhs.nodes.is_empty() {
                    self.refuse("OB5113", "an assignment has no right-hand side", "the program is malformed", "");
                } else if !self.usage.unread.contains(&lhs.symbol) {
                    if types::of_ref(self.program, lhs).rank > 0 {
                        self.assign_array(lhs, rhs);
                    } else {
                        let text = self.assignment(lhs, rhs);
                        self.declare_or(text);
                    }
                }
            }
            StmtKind::Call(call) => {
                let text = self.call(call);
                self.declare_or(text);
                for line in std::mem::take(&mut self.behind) {
                    self.out.text(line);
                }
            }
            StmtKind::Marker(m) => self.marker(m),
            StmtKind::Runtime { name, arguments } => self.runtime(name, arguments),
            StmtKind::Propagator(_) => self.refuse(
                "OB5104",
                "operations on derivative components have no counterpart in C",
                "the openad dialect leaves the type of active variables open",
                "boost with `--dialect overbar`",
            ),
        }
        self.may_hoist = false;
        self.back_to(outer);
    }

    /// Writes a statement that sets a variable; where it is the one that declares it, as a declaration. Several in a row share a line.
    pub fn declare_or(&mut self, text: String) {
        let Some(id) = self.declaring.take().filter(|s| !self.usage.unread.contains(s)) else {
            return self.out.text(format!("{text};"));
        };
        let symbol = self.program.symbol(id);
        let constant = if symbol.has_attribute("const") && self.usage.times.get(&id) == Some(&1) { "const " } else { "" };
        let volatile = if symbol.has_attribute("volatile") { "volatile " } else { "" };
        let ty = self.type_text(id);
        let inside = c_types::around_name(&ty);
        let head = format!("{volatile}{constant}{}", inside.map_or(ty.as_str(), |(outer, ..)| outer));
        // The text begins with the variable.
        let name = self.names.of(self.program, id);
        let text = match (text.strip_prefix(name.as_str()), inside) {
            (Some(rest), _) if symbol.rank > 0 => format!("{}{rest}", self.heap_declarator(id)),
            (Some(rest), Some((_, open, behind))) => format!("{open}{name}{behind}{rest}"),
            _ => text,
        };
        let at = self.out.lines.len();
        if let (Some((line, same)), Some((Line::Text(level, last), _))) = (&self.declared, self.out.lines.last_mut())
            && *line + 1 == at
            && *same == head
            && *level == self.out.level
            && last.len() + text.len() < 80
            && last.ends_with(';')
        {
            last.pop();
            last.push_str(&format!(", {text};"));
            return;
        }
        self.out.text(format!("{head} {text};"));
        self.declared = Some((at, head));
    }

    /// What stands left of `=`.
    pub fn target(&mut self, lhs: &VarRef) -> String {
        let read = self.used.contains(&lhs.symbol) && !self.only_set.contains(&lhs.symbol);
        let text = self.expression(&Expr::var(lhs.clone()), Place::Bare);
        if !read {
            self.only_set.insert(lhs.symbol);
        }
        text
    }

    /// A scalar assignment without its semicolon.
    pub fn assignment(&mut self, lhs: &VarRef, rhs: &Expr) -> String {
        let left = self.target(lhs);
        if let NodeKind::Op(op) = &rhs.root().kind
            && let [a, b] = rhs.root().operands[..]
        {
            let sign = match op.name.as_str() {
                "add_scal_scal" => "+",
                "sub_scal_scal" => "-",
                "mul_scal_scal" => "*",
                "div_scal_scal" => "/",
                _ => "",
            };
            // The other operand of a sum or product may be the target as well: the value is the same.
            let first = !sign.is_empty() && self.is_target(lhs, &left, &rhs.subexpr(a));
            let second = matches!(sign, "+" | "*") && !first && self.is_target(lhs, &left, &rhs.subexpr(b));
            if first || second {
                let other = rhs.subexpr(if first { b } else { a });
                // `*x++` would be something else.
                let whole = self.program.symbol(lhs.symbol).ty.base == BaseType::Integer && !left.starts_with('*');
                if whole && sign != "*" && sign != "/" && other.as_int() == Some(1) {
                    return format!("{left}{sign}{sign}");
                }
                if let (Some(n), "+" | "-") = (other.as_int().filter(|&n| n < 0 && n > i64::MIN), sign) {
                    let sign = if sign == "+" { "-" } else { "+" };
                    return if whole && n == -1 { format!("{left}{sign}{sign}") } else { format!("{left} {sign}= {}", -n) };
                }
                let operand = self.expression(&other, Place::Bare);
                return format!("{left} {sign}= {operand}");
            }
        }
        let right = self.expression(rhs, Place::Bare);
        format!("{left} = {right}")
    }

    fn is_target(&mut self, lhs: &VarRef, left: &str, e: &Expr) -> bool {
        e.as_var().is_some_and(|r| r.symbol == lhs.symbol) && self.expression(e, Place::Bare) == left
    }

    fn marker(&mut self, m: &Marker) {
        match m.class {
            // Memory whose values nothing reads is not needed.
            MarkerClass::Allocate | MarkerClass::Deallocate
                if self.c && m.object.as_ref().is_some_and(|o| self.usage.unread.contains(&o.symbol)) => {}
            MarkerClass::Allocate => self.allocate(m),
            MarkerClass::Deallocate => match &m.object {
                Some(object) => {
                    self.needs.stdlib = true;
                    let name = self.name(object.symbol);
                    self.out.text(format!("free({name});"));
                }
                None => self.opaque(m),
            },
            MarkerClass::Comment => {
                let text = if m.text.is_empty() { m.annotation.as_str() } else { &m.text };
                self.out.comment(text);
            }
            MarkerClass::Assertion if m.annotation == "allocation check" || self.is_checked(&m.text) => {}
            MarkerClass::Stop if m.annotation == callbacks::NO_TARGET => {
                self.needs.stdlib = true;
                self.out.text("abort(); /* for this function there is no derivative */");
            }
            MarkerClass::Stop if !self.c => {
                self.needs.stdlib = true;
                self.out.text("exit(EXIT_FAILURE);");
            }
            MarkerClass::Pragma if self.c => self.out.push(Line::Raw(m.text.trim().to_string())),
            // A directive to another compiler says nothing to this one.
            MarkerClass::Pragma => {}
            // What a stock file keeps of directives and USE lines says nothing of its own.
            MarkerClass::Unknown if m.text.is_empty() && is_silent(&m.annotation) => {}
            _ => self.opaque(m),
        }
    }

    /// True for `if (!w) abort();` behind the allocation of `w`, which is checked where it is made.
    fn is_checked(&self, text: &str) -> bool {
        let Some(rest) = text.trim().strip_prefix("if") else { return false };
        let condition = rest.trim_start().trim_start_matches('(');
        self.usage.allocated.keys().any(|&w| {
            let name = self.source_name(w);
            let ends = |r: &str| !r.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            condition.strip_prefix('!').and_then(|c| c.strip_prefix(name)).is_some_and(ends)
                || condition.strip_prefix(name).is_some_and(|r| r.trim_start().starts_with("== NULL"))
        })
    }

    /// A statement that only its text tells.
    fn opaque(&mut self, m: &Marker) {
        if !self.c || m.text.trim().is_empty() {
            let what = if m.text.trim().is_empty() { m.annotation.trim() } else { m.text.trim() };
            let what = what.lines().next().unwrap_or_default().to_string();
            return self.refuse(
                "OB5101",
                format!("the statement `{what}` has no counterpart in C"),
                "it is kept as text of another language",
                "take it out of the unit, or translate back to the language it came from",
            );
        }
        for &s in m.reads.iter().chain(&m.writes) {
            if self.components.contains_key(&s) {
                continue;
            }
            let name = self.name(s);
            if name != self.program.symbol(s).name {
                self.refuse(
                    "OB5112",
                    format!("`{}` has to be called `{name}` here", self.source_name(s)),
                    "a statement that is kept as text uses the old name",
                    "rename the variable",
                );
            }
        }
        let text = m.text.trim();
        let end = if text.ends_with([';', '}']) { "" } else { ";" };
        self.out.text(format!("{text}{end}"));
    }

    /// What `sizeof *a` counts: rows where there are any, or else elements.
    fn leading(&self, object: &VarRef) -> VarRef {
        let mut rows = object.clone();
        if !self.flat.contains(&object.symbol) {
            for t in rows.subscripts.iter_mut().skip(1) {
                *t = Triplet { index: Some(Expr::int(0)), bound: None, stride: None };
            }
        }
        rows
    }

    fn allocate(&mut self, m: &Marker) {
        let Some(object) = &m.object else { return self.opaque(m) };
        let symbol = self.program.symbol(object.symbol);
        if has_rows(symbol) {
            return self.allocate_rows(object, m.zeroed);
        }
        let rows = self.leading(object);
        let mut count = |place| if object.subscripts.is_empty() { None } else { self.count(&rows, place) };
        let (Some(bare), Some(factor), Some(compared)) =
            (count(Place::Bare), count(Place::Left(Prec::Mul)), count(Place::Left(Prec::Relation)))
        else {
            return self.refuse_array(object.symbol, "the extents of its allocation are not known");
        };
        self.needs.stdlib = true;
        self.needs.stdio = true;
        let name = self.name(object.symbol);
        let memory = if m.zeroed { format!("calloc({bare}, sizeof *{name})") } else { format!("malloc({factor} * sizeof *{name})") };
        // No elements need no memory; nor may a negative number of them become a huge one, not even on a path that only a compiler takes.
        let (memory, some) = match bare.parse::<u64>() {
            Ok(_) => (memory, String::new()),
            Err(_) => (format!("{compared} > 0 ? {memory} : NULL"), format!(" && {compared} > 0")),
        };
        self.declare_or(format!("{name} = {memory}"));
        self.out.open(format!("if (!{name}{some}) {{"));
        self.out.text(format!("fprintf(stderr, \"no memory for {}\\n\");", symbol.name));
        self.out.text("abort();");
        self.out.close("}");
    }
}

/// Statements of stock files that do nothing.
fn is_silent(annotation: &str) -> bool {
    ["OPR_PRAGMA", "OPR_USE", "OPR_COMMENT"].iter().any(|o| annotation.contains(&format!("[passive: {o}]")))
}
