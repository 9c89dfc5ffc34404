//! Statements: assignments, calls, markers.
//!
//! Lives here: what a statement's parts must have to do with each other. Never here: the inside of expressions.

use super::Checker;
use crate::model::*;
use crate::types::{ValueType, of_ref};
use std::collections::HashSet;

/// Types between which values are converted.
pub(super) fn class(ty: ElemType) -> u8 {
    match ty.value_base() {
        BaseType::Real | BaseType::Integer | BaseType::Complex => 1,
        BaseType::Bool => 2,
        BaseType::Char | BaseType::String => 3,
        BaseType::Void => 4,
        BaseType::Opaque => 0,
    }
}

impl Checker<'_> {
    pub(super) fn statement(&mut self, s: &Stmt) {
        if s.do_chain > 0 && !self.tables.do_keys.contains(&s.do_chain) {
            self.error("OB1024", s.span, format!("there is no do set with key {}", s.do_chain));
        }
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.reference(lhs, s.span);
                let from = self.value(rhs, s.span);
                self.stored(lhs, from, s.span);
            }
            StmtKind::Call(call) => self.call(call, s.span),
            StmtKind::Runtime { name, arguments } => {
                for a in arguments {
                    self.value(&a.value, s.span);
                }
                self.positions(arguments, s.span, name);
                if self.ours() && matches!(name.as_str(), "push" | "pop") && arguments.len() != 1 {
                    self.error("OB1053", s.span, format!("{name} has {} arguments, not 1", arguments.len()));
                }
            }
            StmtKind::Marker(m) => {
                if let Some(object) = &m.object {
                    self.reference(object, s.span);
                }
                if matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) && m.object.is_none() {
                    self.error("OB1015", s.span, "an allocation or deallocation without its object");
                }
            }
            StmtKind::Propagator(list) => list.iter().for_each(|p| self.propagation(p, s.span)),
        }
    }

    fn stored(&mut self, lhs: &VarRef, from: ValueType, span: Span) {
        let to = of_ref(self.p, lhs);
        let symbol = self.p.symbol(lhs.symbol);
        if symbol.kind == SymbolKind::Subroutine {
            self.error("OB1029", span, format!("{} is assigned to, but it names a unit", symbol.name));
            return;
        }
        let (a, b) = (class(to.elem), class(from.elem));
        if a != b && a != 0 && b != 0 && !self.stock_logical(a, b) {
            let message = format!("a value of type {:?} is assigned to {} of type {:?}", from.elem.base, symbol.name, to.elem.base);
            self.error("OB1050", span, message);
        }
        if from.rank > 0 && from.rank != to.rank {
            let message = format!("a value of rank {} is assigned to {}, which has rank {}", from.rank, symbol.name, to.rank);
            self.error("OB1051", span, message);
        }
    }

    /// In stock files logical values are sometimes integers.
    pub(super) fn stock_logical(&self, a: u8, b: u8) -> bool {
        !self.ours() && matches!((a, b), (1, 2) | (2, 1))
    }

    fn positions(&mut self, arguments: &[CallArgument], span: Span, name: &str) {
        let mut seen = HashSet::new();
        for a in arguments {
            if a.position == 0 || !seen.insert(a.position) {
                self.error("OB1054", span, format!("argument position {} of {name} is 0 or stands twice", a.position));
            }
        }
    }

    fn call(&mut self, call: &Call, span: Span) {
        let callee = self.p.symbol(call.callee);
        let name = callee.name.clone();
        // A formal argument may stand for a procedure.
        if callee.kind == SymbolKind::Variable {
            self.error("OB1028", span, format!("{name} is called, but it is a variable"));
        }
        self.positions(&call.arguments, span, &name);
        for a in &call.arguments {
            self.value(&a.value, span);
            if call.formal_count.is_some_and(|n| a.position > n) {
                let n = call.formal_count.unwrap_or(0);
                self.error("OB1053", span, format!("argument {} of {name}, which takes {n}", a.position));
            }
        }
        let Some(&unit) = self.tables.units.get(&call.callee) else { return };
        let unit = self.p.unit(unit);
        if call.formal_count.is_some_and(|n| n as usize != unit.formals.len()) {
            let n = call.formal_count.unwrap_or(0);
            self.error("OB1053", span, format!("the call of {name} counts {n} formal arguments, {name} has {}", unit.formals.len()));
            return;
        }
        for a in &call.arguments {
            match unit.formals.iter().find(|f| f.position == a.position) {
                Some(f) => self.passed(a, f, span, &name),
                None => self.error("OB1053", span, format!("{name} has no formal argument at position {}", a.position)),
            }
        }
        if !self.ours() {
            return;
        }
        for f in &unit.formals {
            let optional = self.p.symbol(f.symbol).has_attribute("optional");
            if !optional && !call.arguments.iter().any(|a| a.position == f.position) {
                let formal = &self.p.symbol(f.symbol).name;
                self.error("OB1053", span, format!("the call of {name} has no argument for {formal}"));
            }
        }
    }

    fn passed(&mut self, a: &CallArgument, f: &Formal, span: Span, callee: &str) {
        let formal = self.p.symbol(f.symbol);
        let actual = crate::types::of(self.p, &a.value);
        let (x, y) = (class(actual.elem), class(formal.ty));
        let procedure = a.value.as_var().is_some_and(|r| self.p.symbol(r.symbol).kind == SymbolKind::Subroutine);
        // A text is an array of characters where it is written.
        let text = actual.elem.base == BaseType::String && a.value.as_var().is_none() && formal.ty.base == BaseType::Char;
        if x != y && x != 0 && y != 0 && !text && !self.stock_logical(x, y) && !procedure && formal.kind == SymbolKind::Variable {
            let message = format!(
                "argument {} of {callee} is of type {:?}, {} is of type {:?}",
                a.position, actual.elem.base, formal.name, formal.ty.base
            );
            self.error("OB1053", span, message);
        }
        if f.intent == Intent::Out && formal.passing() != Passing::Value && a.value.as_var().is_none() {
            let message = format!("argument {} of {callee} is written there, but it is no variable", a.position);
            self.error("OB1057", span, message);
        }
    }

    fn propagation(&mut self, p: &Propagation, span: Span) {
        match p {
            Propagation::Zero { target } => self.reference(target, span),
            Propagation::Set { target, source }
            | Propagation::SetNeg { target, source }
            | Propagation::Inc { target, source }
            | Propagation::Dec { target, source } => {
                self.reference(target, span);
                self.reference(source, span);
            }
            Propagation::Sax { terms, y } | Propagation::Saxpy { terms, y } => {
                for (a, x) in terms {
                    self.value(a, span);
                    self.reference(x, span);
                }
                self.reference(y, span);
            }
        }
    }
}
