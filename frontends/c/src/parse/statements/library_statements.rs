//! Calls of the standard library that are statements of their own kind: output, assertions, the end of the program.
//!
//! Lives here: what becomes of them. Never here: which names they have, mathematics (see `language`), memory (see `allocation`), filling and copying (see `fill_and_copy`).

use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, Lower};
use crate::parse::context::terms::moved_back;
use crate::parse::facts::function::Kind;
use crate::parse::language::library::{ASSERT, INPUT, OUTPUT, STOP, is_output};
use crate::parse::text::refusals::{LIBRARY, Refusal, Res};
use crate::parse::text::syntax::{callee_name, is_errno, uncast};
use lang_c::ast::{Expression as E, Statement};
use lang_c::span::{Node, Span};
use xaif::callbacks;
use xaif::model::{Expr, Marker, MarkerClass, StmtKind, SymbolId};

/// Calls anywhere inside an expression, statement expressions included, up to what an expanded `assert` needs.
fn calls_one_of(e: &Node<E>, names: &[&str]) -> bool {
    match &e.node {
        E::Call(c) => callee_name(&c.node).is_some_and(|n| names.contains(&n)),
        E::Comma(list) => list.iter().any(|e| calls_one_of(e, names)),
        E::Cast(c) => calls_one_of(&c.node.expression, names),
        E::Conditional(c) => calls_one_of(&c.node.then_expression, names) || calls_one_of(&c.node.else_expression, names),
        E::BinaryOperator(b) => calls_one_of(&b.node.lhs, names) || calls_one_of(&b.node.rhs, names),
        E::Statement(s) => statement_calls(s, names),
        _ => false,
    }
}

fn statement_calls(s: &Node<Statement>, names: &[&str]) -> bool {
    use lang_c::ast::BlockItem;
    match &s.node {
        Statement::Compound(items) => items.iter().any(|i| matches!(&i.node, BlockItem::Statement(s) if statement_calls(s, names))),
        Statement::If(i) => {
            statement_calls(&i.node.then_statement, names) || i.node.else_statement.as_ref().is_some_and(|s| statement_calls(s, names))
        }
        Statement::Expression(Some(e)) => calls_one_of(e, names),
        _ => false,
    }
}

impl<'a> Lower<'a> {
    /// Translates a statement that is such a call; false if it is none.
    pub fn library_statement(&mut self, place: Span, e: &'a Node<E>) -> Res<bool> {
        if calls_one_of(e, &ASSERT) && !self.is_own("assert") {
            self.marker(MarkerClass::Assertion, place, e.span, false)?;
            return Ok(true);
        }
        if let E::BinaryOperator(b) = &e.node
            && b.node.operator.node == lang_c::ast::BinaryOperator::Assign
            && is_errno(&b.node.lhs)
        {
            self.marker(MarkerClass::Io, place, b.node.rhs.span, false)?;
            return Ok(true);
        }
        let inner = uncast(e);
        let E::Call(c) = &inner.node else { return Ok(false) };
        let Some(name) = callee_name(&c.node) else { return Ok(false) };
        if let (Some(&k), Some(Binding::Function(_))) = (self.allocation_wrappers.freeing.get(name), self.find(name)) {
            if let Some(p) = c.node.arguments.get(k) {
                self.free(place, p)?;
            }
            return Ok(true);
        }
        if self.is_own(name) {
            return Ok(false);
        }
        match name {
            _ if OUTPUT.contains(&name) => {
                let class = if self.is_terminal(name, &c.node.arguments) { MarkerClass::Terminal } else { MarkerClass::Io };
                self.marker(class, place, e.span, false)?;
            }
            // Text is a variable of the program.
            "sscanf" | "sprintf" | "snprintf" => self.marker(MarkerClass::Passive, place, e.span, true)?,
            "scanf" => self.marker(MarkerClass::Terminal, place, e.span, true)?,
            _ if INPUT.contains(&name) => self.marker(MarkerClass::Io, place, e.span, true)?,
            // Put there instead of a call through a pointer.
            "__builtin_abort" if !["return", name].iter().any(|w| self.original(e.span).starts_with(w)) => {
                let marker = Marker { class: MarkerClass::Stop, annotation: callbacks::NO_TARGET, ..Marker::default() };
                self.emit_with_text(StmtKind::Marker(Box::new(marker)), place, self.original(e.span));
            }
            // Put there instead of a return of null.
            "__builtin_abort" if self.original(e.span).starts_with("return") => {
                let marker = Marker { class: MarkerClass::Stop, text: "abort();".into(), ..Marker::default() };
                self.emit_with_text(StmtKind::Marker(Box::new(marker)), place, self.original(e.span));
            }
            _ if STOP.contains(&name) => self.marker(MarkerClass::Stop, place, e.span, false)?,
            "free" | "cfree" => match &c.node.arguments[..] {
                [p] => self.free(place, p)?,
                _ => return Err(Refusal::new(LIBRARY, e.span, "`free` takes 1 argument")),
            },
            "memset" => self.fill(e, &c.node)?,
            "memcpy" => self.copy(e, &c.node, false)?,
            "memmove" => self.copy(e, &c.node, true)?,
            "__builtin_unreachable" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether the name of a macro stands for this statement and for more that does something: in its place it would do all of that.
    fn is_part_of_macro(&self, statement: Span) -> bool {
        let (from, to) = self.map.expansion(statement.start, statement.end);
        let around = [self.text.get(from..statement.start), self.text.get(statement.end..to)];
        let does_nothing = |w: &str| matches!(w, "" | "do" | "while" | "0" | "else");
        let parts = |t: &str| t.split(|c: char| c.is_whitespace() || "{}();".contains(c)).all(does_nothing);
        !around.into_iter().flatten().all(parts)
    }

    /// The text of a statement with its macros expanded, on one line.
    fn expanded(&self, statement: Span) -> String {
        let text = self.text.get(statement.start..statement.end).unwrap_or_default();
        text.lines().filter(|l| !l.starts_with('#')).flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    fn is_own(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Binding::Function(f)) if f.defined) || matches!(self.find(name), Some(Binding::Variable(_)))
    }

    /// A statement that is kept as text.
    pub fn marker(&mut self, class: MarkerClass, statement: Span, expression: Span, writes_arguments: bool) -> Res<()> {
        let facts = self.body().facts.clone();
        let own_effects = facts.events(expression.start, expression.end).iter().any(|e| match e.kind {
            Kind::Write | Kind::Store => true,
            Kind::Call => {
                let name = facts.callees[e.var].as_str();
                !self.is_math(name) && !is_output(name) && !INPUT.contains(&name) && !self.leaves_alone(name)
            }
            _ => false,
        });
        for e in facts.events(expression.start, expression.end).iter().filter(|e| e.kind == Kind::Call) {
            if let Some(Binding::Function(f)) = self.find(&facts.callees[e.var]).cloned()
                && f.defined
            {
                self.body().calls.push(f.symbol);
            }
        }
        let part = self.is_part_of_macro(statement);
        let what = if part { self.expanded(statement) } else { self.original(statement) };
        if own_effects {
            return Err(Refusal::new(LIBRARY, statement, format!("`{what}` has side effects of its own"))
                .because("statements like this one are kept as text and may be repeated or left out in derivative code")
                .help("compute the values in statements before it"));
        }
        // Such a pointer is no variable of derivative code, where its name would mean nothing.
        let unnamed = |l: &Self, v: usize| {
            let v = &facts.vars[v];
            let known = match l.find(&v.name) {
                Some(Binding::Variable(var)) => !matches!(var.place, Place::Target(_) | Place::Walking { .. } | Place::Refused(_)),
                _ => true,
            };
            v.memory && !v.global && v.parameter.is_none() && !known
        };
        let told = matches!(class, MarkerClass::Assertion | MarkerClass::Terminal | MarkerClass::Io) && !writes_arguments;
        // What an assertion stands for is nothing that anybody wants to read.
        let nameless = part && class == MarkerClass::Assertion;
        if nameless || told && facts.events(expression.start, expression.end).iter().any(|e| e.kind != Kind::Call && unnamed(self, e.var)) {
            return Ok(());
        }
        let (mut reads, mut writes): (Vec<SymbolId>, Vec<SymbolId>) = (Vec::new(), Vec::new());
        for e in facts.events(expression.start, expression.end).iter().filter(|e| e.kind != Kind::Call) {
            let v = &facts.vars[e.var];
            let symbol = match self.body().symbols.get(&e.var).copied() {
                Some(s) => Some(s),
                None => match self.find(&v.name) {
                    Some(Binding::Variable(var)) if v.global => match var.place {
                        Place::Object(s) => Some(s),
                        _ => None,
                    },
                    _ => None,
                },
            };
            let Some(symbol) = symbol else { continue };
            if !reads.contains(&symbol) {
                reads.push(symbol);
            }
            if writes_arguments && matches!(e.kind, Kind::Address | Kind::Handed) && !writes.contains(&symbol) {
                writes.push(symbol);
            }
        }
        let text = if what.is_empty() { self.text.get(statement.start..statement.end).unwrap_or_default().to_owned() } else { what };
        self.emit_with_text(
            StmtKind::Marker(Box::new(Marker { class, text: text.clone(), reads, writes, ..Marker::default() })),
            statement,
            text,
        );
        Ok(())
    }

    /// True for functions of the program that change nothing outside of themselves.
    fn leaves_alone(&self, name: &str) -> bool {
        self.effects.touched(name, self.file).is_some_and(|t| t.writes.is_empty() && !t.unknown)
            && (0..64).all(|k| match self.find(name) {
                Some(Binding::Function(f)) if k < f.signature.parameters.len() => self.effects.stores(name, self.file, k) == Some(false),
                _ => true,
            })
    }

    /// Whether output goes to the terminal, from where nothing comes back.
    fn is_terminal(&self, name: &str, arguments: &'a [Node<E>]) -> bool {
        let standard = |a: &Node<E>| matches!(self.original(a.span).trim(), "stdout" | "stderr");
        match name {
            "printf" | "puts" | "putchar" | "perror" | "vprintf" | "fflush" | "fclose" => true,
            "fprintf" | "vfprintf" => arguments.first().is_some_and(standard),
            _ => arguments.last().is_some_and(standard),
        }
    }

    /// The last of `count` elements.
    pub fn last_of(count: Expr) -> Expr {
        moved_back(count, Expr::int(1))
    }
}
