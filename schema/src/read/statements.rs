//! Statements of basic blocks and of loop heads.
//!
//! Lives here: assignments, calls, markers, propagators. Never here: what they refer to or compute.

use super::reader::Reader;
use super::references::old_layout;
use super::syntax::shown;
use super::xml::{Fallible, Ns, Tag};
use crate::model::*;
use smol_str::SmolStr;

/// What stands for a malformed expression, which was noted as an error.
fn nothing() -> Expr {
    Expr::int(0)
}

impl<'a> Reader<'a> {
    /// A statement of a block, if the element is one.
    pub(super) fn statement(&mut self, tag: &Tag<'a>) -> Fallible<Option<Stmt>> {
        if tag.ns != Ns::Xaif {
            return Ok(None);
        }
        let stmt = match tag.local {
            "Assignment" => self.assignment(tag)?,
            "SubroutineCall" => self.call(tag)?,
            "Marker" => self.marker(tag)?,
            "InlinableSubroutineCall" => {
                let mut stmt = self.common(tag, true)?;
                let name = SmolStr::new(self.x.required(tag, "subroutine_name")?);
                self.x.rest(tag, &mut stmt.extras)?;
                stmt.kind = StmtKind::Runtime { name, arguments: self.arguments()? };
                stmt
            }
            "DerivativePropagator" => {
                let mut stmt = self.common(tag, false)?;
                self.x.rest(tag, &mut stmt.extras)?;
                stmt.kind = StmtKind::Propagator(self.propagations()?);
                stmt
            }
            _ => return Ok(None),
        };
        Ok(Some(stmt))
    }

    /// The attributes that all statements share.
    fn common(&mut self, tag: &Tag<'a>, has_id: bool) -> Fallible<Stmt> {
        let mut stmt = Stmt::new(StmtKind::Propagator(Vec::new()));
        if has_id {
            stmt.id = (*self.x.required(tag, "statement_id")?).into();
        } else {
            stmt.id = self.x.ob_shared("id");
        }
        stmt.span = self.place(tag)?;
        stmt.comment = self.x.ob_shared("comment");
        stmt.text = self.x.ob_shared("text");
        if let Some(line) = self.x.ob_number(tag, "line")? {
            stmt.line = line;
        }
        Ok(stmt)
    }

    /// `ob:loc`, or the place in the document.
    pub(super) fn place(&mut self, tag: &Tag<'a>) -> Fallible<Span> {
        let Some(loc) = self.x.ob("loc") else { return Ok(self.x.span(tag)) };
        match parse_place(&loc) {
            Some(span) => Ok(span),
            None => {
                self.x.bad_value(tag, "ob:loc", &loc, "source:line:column-line:column")?;
                Ok(self.x.span(tag))
            }
        }
    }

    /// Assignment, Initialization or Update.
    pub(super) fn assignment(&mut self, tag: &Tag<'a>) -> Fallible<Stmt> {
        let mut stmt = self.common(tag, true)?;
        if tag.local == "Assignment" {
            stmt.line = self.x.number(tag, "lineNumber", stmt.line)?;
        }
        stmt.do_chain = self.x.number(tag, "do_chain", 0)?;
        self.x.rest(tag, &mut stmt.extras)?;
        let (mut lhs, mut rhs) = (None, None);
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "AssignmentLHS") if lhs.is_none() => lhs = Some(self.lone_reference(&child)?),
                (Ns::Xaif, "AssignmentRHS") if rhs.is_none() => {
                    self.x.no_rest(&child)?;
                    rhs = Some(self.expression(&child)?.unwrap_or_else(nothing));
                }
                (Ns::Xaif, "AssignmentLHS" | "AssignmentRHS") => {
                    self.x.error(&child, "OB1016", format!("a second {} in one statement", shown(child.name)))?;
                    self.x.skip()?;
                }
                _ => self.x.foreign(&child)?,
            }
        }
        if lhs.is_none() || rhs.is_none() {
            self.x.error(tag, "OB1015", format!("{} needs a left-hand side and a right-hand side", shown(tag.name)))?;
        }
        stmt.kind = StmtKind::Assignment { lhs: lhs.unwrap_or_else(|| VarRef::whole(SymbolId(0))), rhs: rhs.unwrap_or_else(nothing) };
        Ok(stmt)
    }

    fn call(&mut self, tag: &Tag<'a>) -> Fallible<Stmt> {
        let mut stmt = self.common(tag, true)?;
        stmt.line = self.x.number(tag, "lineNumber", stmt.line)?;
        let active = self.tri(tag, &mut stmt.extras)?;
        let formal_count = match self.x.get("formalArgCount") {
            None => {
                self.x.problem(tag, old_layout("SubroutineCall without formalArgCount"))?;
                None
            }
            Some(v) => match v.trim().parse() {
                Ok(n) => Some(n),
                Err(_) => {
                    self.x.bad_value(tag, "formalArgCount", &v, "a number")?;
                    None
                }
            },
        };
        let callee = self.symbol_of(tag)?;
        stmt.reversal = self.x.ob_word(tag, "reversal")?;
        self.x.rest(tag, &mut stmt.extras)?;
        let arguments = self.arguments()?;
        stmt.kind = StmtKind::Call(Call { callee, arguments, formal_count, active });
        Ok(stmt)
    }

    fn arguments(&mut self) -> Fallible<Vec<CallArgument>> {
        let mut out: Vec<CallArgument> = Vec::new();
        while let Some(child) = self.x.child()? {
            if child.ns != Ns::Xaif || child.local != "Argument" {
                self.x.foreign(&child)?;
                continue;
            }
            let argument = self.argument(&child)?;
            if out.iter().any(|a| a.position == argument.position) {
                self.x.error(&child, "OB1025", format!("a second argument at position {}", argument.position))?;
            }
            out.push(argument);
        }
        Ok(out)
    }

    fn argument(&mut self, tag: &Tag<'a>) -> Fallible<CallArgument> {
        let mut argument = CallArgument::new(self.x.required_number(tag, "position", 1)?, Expr::default());
        argument.annotation = self.x.name("annotation");
        argument.keyword = SmolStr::new(self.x.ob_text("keyword"));
        self.x.rest(tag, &mut argument.extras)?;
        let (first_vertex, first_edge) = (self.vertices.len(), self.edges.len());
        let mut exact = None;
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "VariableReference" | "Constant") if self.vertices.len() == first_vertex => {
                    self.expression_part(&child)?;
                }
                (Ns::Xaif, "VariableReference" | "Constant") => {
                    self.x.error(&child, "OB1016", "an argument with more than one value")?;
                    self.x.skip()?;
                }
                (Ns::Ob, "Value") if exact.is_none() => {
                    self.x.no_rest(&child)?;
                    exact = Some(self.expression(&child)?.unwrap_or_else(nothing));
                }
                _ => self.x.foreign(&child)?,
            }
        }
        let stock = self.assemble(tag, first_vertex, first_edge)?;
        argument.value = exact.or(stock).unwrap_or_else(nothing);
        Ok(argument)
    }

    fn marker(&mut self, tag: &Tag<'a>) -> Fallible<Stmt> {
        let mut stmt = self.common(tag, true)?;
        let mut marker = Marker {
            annotation: self.x.name("annotation"),
            class: self.x.ob_word(tag, "class")?.unwrap_or_default(),
            text: self.x.ob_text("code"),
            zeroed: self.x.ob_flag(tag, "zeroed")?,
            ..Marker::default()
        };
        self.x.rest(tag, &mut stmt.extras)?;
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Ob, "Object") if marker.object.is_none() => marker.object = Some(self.lone_reference(&child)?),
                (Ns::Ob, "Reads" | "Writes") => {
                    let symbol = self.symbol_of(&child)?;
                    self.x.no_rest(&child)?;
                    self.x.leaf()?;
                    if child.local == "Reads" { marker.reads.push(symbol) } else { marker.writes.push(symbol) }
                }
                _ => self.x.foreign(&child)?,
            }
        }
        stmt.kind = StmtKind::Marker(Box::new(marker));
        Ok(stmt)
    }

    fn propagations(&mut self) -> Fallible<Vec<Propagation>> {
        let mut out = Vec::new();
        while let Some(child) = self.x.child()? {
            let p = match (child.ns, child.local) {
                (Ns::Xaif, "ZeroDeriv") => Some(Propagation::Zero { target: self.lone_reference(&child)? }),
                (Ns::Xaif, "SetDeriv" | "SetNegDeriv" | "IncDeriv" | "DecDeriv") => self.transfer(&child)?,
                (Ns::Xaif, "Sax" | "Saxpy") => self.sax(&child)?,
                _ => {
                    self.x.foreign(&child)?;
                    None
                }
            };
            out.extend(p);
        }
        Ok(out)
    }

    fn transfer(&mut self, tag: &Tag<'a>) -> Fallible<Option<Propagation>> {
        self.x.no_rest(tag)?;
        let (mut target, mut source) = (None, None);
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "Tgt") if target.is_none() => target = Some(self.lone_reference(&child)?),
                (Ns::Xaif, "Src") if source.is_none() => source = Some(self.lone_reference(&child)?),
                _ => self.x.foreign(&child)?,
            }
        }
        let (Some(target), Some(source)) = (target, source) else {
            self.x.error(tag, "OB1015", format!("{} needs a target and a source", shown(tag.name)))?;
            return Ok(None);
        };
        Ok(Some(match tag.local {
            "SetDeriv" => Propagation::Set { target, source },
            "SetNegDeriv" => Propagation::SetNeg { target, source },
            "IncDeriv" => Propagation::Inc { target, source },
            _ => Propagation::Dec { target, source },
        }))
    }

    fn sax(&mut self, tag: &Tag<'a>) -> Fallible<Option<Propagation>> {
        self.x.no_rest(tag)?;
        let (mut terms, mut result) = (Vec::new(), None);
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "AX") => terms.extend(self.product(&child)?),
                (Ns::Xaif, "Y") if result.is_none() => result = Some(self.lone_reference(&child)?),
                _ => self.x.foreign(&child)?,
            }
        }
        let Some(y) = result.filter(|_| !terms.is_empty()) else {
            self.x.error(tag, "OB1015", format!("{} needs a term and a result", shown(tag.name)))?;
            return Ok(None);
        };
        Ok(Some(if tag.local == "Sax" { Propagation::Sax { terms, y } } else { Propagation::Saxpy { terms, y } }))
    }

    fn product(&mut self, tag: &Tag<'a>) -> Fallible<Option<(Expr, VarRef)>> {
        self.x.no_rest(tag)?;
        let (mut a, mut x) = (None, None);
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "A") if a.is_none() => {
                    self.x.no_rest(&child)?;
                    a = Some(self.expression(&child)?.unwrap_or_else(nothing));
                }
                (Ns::Xaif, "X") if x.is_none() => x = Some(self.lone_reference(&child)?),
                _ => self.x.foreign(&child)?,
            }
        }
        match (a, x) {
            (Some(a), Some(x)) => Ok(Some((a, x))),
            _ => {
                self.x.error(tag, "OB1015", format!("{} needs a factor and a variable", shown(tag.name)))?;
                Ok(None)
            }
        }
    }
}

/// `source:line:column-line:column`.
fn parse_place(text: &str) -> Option<Span> {
    let (from, to) = text.rsplit_once('-')?;
    let mut from = from.split(':');
    let mut to = to.split(':');
    let number = |part: &mut std::str::Split<char>| part.next()?.parse().ok();
    let span = Span {
        source: SourceId(number(&mut from)?),
        line: number(&mut from)?,
        column: number(&mut from)?,
        end_line: number(&mut to)?,
        end_column: number(&mut to)?,
    };
    (from.next().is_none() && to.next().is_none() && span.source != Span::XML).then_some(span)
}
