//! Expressions: term graphs to text with as few parentheses as the language allows.
//!
//! A value that may be computed only under a condition (the operands of a choice, the right side of a short-circuit) cannot
//! stand in a Fortran expression; it is computed by statements before it, the prelude. So can be whatever grows too long for one
//! statement. Lives here: operators, references, preludes. Never here: statements, layout.

use super::context::Context;
use super::intrinsics::{self, Home, Rule};
use super::names::Names;
use super::pieces::{Level, Piece, Prelude, absorb, infix, join, prefix, product, stronger, sum, tight};
use super::spellings::Spellings;
use super::{problems, types};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xaif::model::{BaseType, BoolOp, ElemType, Expr, Node, NodeKind, Operation, Span, SymbolKind, Triplet, UnitId, VarRef};
use xaif::types::ValueType;

/// Text longer than this is computed into a variable of its own.
const MAX_TEXT: usize = 3000;
/// Subscripts within subscripts are followed this far, and choices within choices.
const MAX_DEPTH: usize = 60;
/// A variable that a prelude sets.
#[derive(Clone, Debug)]
pub struct Temporary {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: ElemType,
    /// It was printed.
    pub used: bool,
}

/// What printing a unit's expressions needs and collects.
pub struct Writer<'c, 'p> {
    /// The program.
    pub cx: &'c Context<'p>,
    /// The unit.
    pub unit: UnitId,
    /// Its names.
    pub names: Names,
    /// How its own declarations spell types.
    pub spellings: Spellings,
    /// Variables that preludes set.
    pub temporaries: Vec<Temporary>,
    /// Functions of `overbar_runtime` that are called.
    pub runtime: BTreeSet<&'static str>,
    /// Functions of `ieee_arithmetic` that are called.
    pub ieee: BTreeSet<&'static str>,
    /// Intrinsics that are called.
    pub intrinsics: BTreeSet<&'static str>,
    /// What is being printed, for diagnostics.
    pub span: Span,
    /// No statement can stand before the expression (declarations).
    pub no_prelude: bool,
    free: FxHashMap<&'static str, usize>,
    nesting: usize,
}

/// The literal is a zero: `0.0d0`, `0.0_wp`.
fn is_zero(text: &str) -> bool {
    let number = text.split('_').next().unwrap_or_default();
    let digits = number.split(['d', 'D', 'e', 'E']).next().unwrap_or_default();
    digits.contains('0') && digits.chars().all(|c| matches!(c, '0' | '.'))
}

impl<'c, 'p> Writer<'c, 'p> {
    /// A writer for a unit.
    pub fn new(cx: &'c Context<'p>, unit: UnitId, names: Names) -> Writer<'c, 'p> {
        Writer {
            cx,
            unit,
            names,
            spellings: Spellings::of(cx, unit),
            temporaries: Vec::new(),
            runtime: BTreeSet::new(),
            ieee: BTreeSet::new(),
            intrinsics: BTreeSet::new(),
            span: Span::NONE,
            no_prelude: false,
            free: FxHashMap::default(),
            nesting: 0,
        }
    }

    /// A new statement: the variables of earlier preludes are free again.
    pub fn begin(&mut self, span: Span) {
        self.free.clear();
        if span.is_known() {
            self.span = span;
        }
    }

    /// A variable for a prelude.
    fn temporary(&mut self, ty: ElemType) -> usize {
        let spelling = types::spelling(ty).unwrap_or("double precision");
        let wanted = self.free.entry(spelling).or_insert(0);
        let nth = *wanted;
        *wanted += 1;
        let same: Option<usize> =
            self.temporaries.iter().enumerate().filter(|(_, t)| types::spelling(t.ty) == Some(spelling)).map(|(i, _)| i).nth(nth);
        if let Some(i) = same {
            return i;
        }
        let letter = match ty.base {
            BaseType::Bool => "decided",
            BaseType::Integer => "chosen",
            _ => "value",
        };
        let name = self.names.fresh(&format!("{letter}{}", nth + 1));
        let ty = if types::spelling(ty).is_some() { ty } else { ElemType::REAL64 };
        self.temporaries.push(Temporary { name, ty, used: false });
        self.temporaries.len() - 1
    }

    fn temporary_piece(&self, t: usize, prelude: Vec<Prelude>, depth: usize) -> Piece<'static> {
        Piece { prelude, depth, ..Piece::of(self.temporaries[t].name.clone(), Level::Primary) }
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: xaif::model::SymbolId) -> String {
        match self.names.get(symbol) {
            Some(n) => n.to_owned(),
            None => {
                let s = self.cx.program.symbol(symbol);
                self.cx.refuse(problems::malformed(self.cx.program, self.span, format!("`{}` is used but nowhere found", s.name)));
                s.name.to_string()
            }
        }
    }

    /// Prints an expression.
    pub fn expr<'e>(&mut self, e: &'e Expr) -> Piece<'e> {
        if self.nesting >= MAX_DEPTH || e.nodes.is_empty() {
            self.cx.refuse(problems::too_large(self.cx.program, self.span, "an expression"));
            return Piece::of("0", Level::Primary);
        }
        self.nesting += 1;
        let types = xaif::types::of_expr(self.cx.program, e);
        // Operands are earlier; the last parent takes a piece, earlier ones copy it.
        let mut parents = vec![0usize; e.nodes.len()];
        e.nodes.iter().flat_map(|n| &n.operands).for_each(|o| parents[o.index()] += 1);
        let mut pieces: Vec<Option<Piece<'e>>> = Vec::with_capacity(e.nodes.len());
        for (i, node) in e.nodes.iter().enumerate() {
            let mut operands = Vec::with_capacity(node.operands.len());
            for o in &node.operands {
                parents[o.index()] -= 1;
                let p = if parents[o.index()] == 0 { pieces[o.index()].take() } else { pieces[o.index()].clone() };
                operands.push((p.unwrap_or_else(|| Piece::of("0", Level::Primary)), types[o.index()]));
            }
            let mut piece = self.node(node, operands, types[i]);
            if piece.text.len() > MAX_TEXT {
                piece = self.set_aside(piece, types[i]);
            }
            pieces.push(Some(piece));
        }
        self.nesting -= 1;
        pieces.pop().flatten().unwrap_or_else(|| Piece::of("0", Level::Primary))
    }

    /// Text only, for places where nothing can stand before.
    pub fn plain(&mut self, e: &Expr) -> String {
        let before = std::mem::replace(&mut self.no_prelude, true);
        let piece = self.expr(e);
        self.no_prelude = before;
        piece.text
    }

    fn set_aside<'e>(&mut self, mut piece: Piece<'e>, ty: ValueType) -> Piece<'e> {
        if ty.rank > 0 || self.no_prelude || types::spelling(ty.elem).is_none() {
            self.cx.refuse(problems::too_large(self.cx.program, self.span, "an expression"));
            return Piece::of("0", Level::Primary);
        }
        let t = self.temporary(ty.elem);
        piece.prelude.push(Prelude::Set(t, std::mem::take(&mut piece.text)));
        Piece {
            text: self.temporaries[t].name.clone(),
            level: Level::Primary,
            negative: false,
            hazard: piece.hazard,
            elements: piece.elements,
            prelude: piece.prelude,
            depth: piece.depth,
        }
    }

    fn node<'e>(&mut self, node: &'e Node, operands: Vec<(Piece<'e>, ValueType)>, ty: ValueType) -> Piece<'e> {
        match &node.kind {
            NodeKind::Var(r) => self.reference(r),
            NodeKind::Const(c) => match self.spellings.literal(c, self.cx.foreign) {
                Some((text, negative)) => Piece { negative, ..Piece::of(text, if negative { Level::Sum } else { Level::Primary }) },
                None => {
                    let what = format!("the constant `{}`", if c.spelling.is_empty() { &c.value } else { &c.spelling });
                    self.cx.refuse(problems::no_counterpart(self.cx.program, self.span, what, "there is no literal for its value"));
                    Piece::of("0", Level::Primary)
                }
            },
            NodeKind::Bool(op) => self.boolean(*op, operands),
            NodeKind::Op(op) => self.operation(op, operands, ty),
            NodeKind::FunctionCall(s) => {
                let name = self.name(*s);
                self.call(&name, operands.into_iter().map(|(p, _)| p).collect(), true)
            }
        }
    }

    /// A reference to a variable, an element or a section.
    pub fn reference<'e>(&mut self, r: &'e VarRef) -> Piece<'e> {
        let symbol = self.cx.program.symbol(r.symbol);
        if r.deriv {
            self.cx.refuse(problems::stock_only(self.cx.program, self.span, "a reference to a derivative component"));
        }
        let mut piece: Piece<'e> = Piece::of(self.name(r.symbol), Level::Primary);
        let special = ["optional", "allocatable", "pointer"].iter().any(|a| symbol.has_attribute(a));
        piece.hazard = special || symbol.kind == SymbolKind::Pointer;
        if r.subscripts.is_empty() {
            if let Some((base, _)) = self.cx.component(r.symbol) {
                let outer = self.cx.program.symbol(base).rank;
                if outer > 0 && symbol.rank > outer {
                    let reason = "a part of a reference with a rank may not follow another one";
                    self.cx.refuse(problems::no_counterpart(
                        self.cx.program,
                        self.span,
                        "a value for all arrays in an array of structures at once",
                        reason,
                    ));
                }
            }
            return piece;
        }
        let mut prelude = Vec::new();
        let mut texts = Vec::with_capacity(r.subscripts.len());
        for t in &r.subscripts {
            texts.push(self.triplet(t, &mut prelude));
        }
        if self.cx.row {
            texts.reverse();
        }
        if let Some((base, path)) = self.cx.component(r.symbol) {
            // The variable's own subscripts come before the component.
            let outer = texts.len().min(self.cx.program.symbol(base).rank as usize);
            let list = |t: &[String]| if t.is_empty() { String::new() } else { format!("({})", t.join(", ")) };
            let sections = |t: &[Triplet]| t.iter().any(Triplet::is_section);
            let (before, behind) = (&r.subscripts[..outer], &r.subscripts[outer..]);
            if sections(before) && sections(behind) {
                let reason = "a part of a reference with a rank may not follow another one";
                self.cx.refuse(problems::no_counterpart(
                    self.cx.program,
                    self.span,
                    "a section of arrays in an array of structures",
                    reason,
                ));
            }
            piece.text = format!("{}{}%{path}{}", self.name(base), list(&texts[..outer]), list(&texts[outer..]));
        } else {
            piece.text = format!("{}({})", piece.text, texts.join(", "));
        }
        piece.prelude = prelude;
        let constant = r.subscripts.iter().all(|t| !t.is_section() && t.index.as_ref().is_some_and(|e| e.as_int().is_some()));
        if !constant {
            piece.elements = vec![r];
        }
        piece
    }

    fn triplet(&mut self, t: &Triplet, prelude: &mut Vec<Prelude>) -> String {
        let mut part = |w: &mut Self, e: &Option<Expr>| match e {
            Some(e) => {
                let p = w.expr(e);
                join(prelude, p.prelude);
                p.text
            }
            None => String::new(),
        };
        let index = part(self, &t.index);
        if !t.is_section() {
            return index;
        }
        let bound = part(self, &t.bound);
        let stride = part(self, &t.stride);
        if stride.is_empty() || stride == "1" { format!("{index}:{bound}") } else { format!("{index}:{bound}:{stride}") }
    }

    /// `name(operands)`
    fn call<'e>(&mut self, name: &str, operands: Vec<Piece<'e>>, hazard: bool) -> Piece<'e> {
        let mut piece = Piece::of(String::new(), Level::Primary);
        let texts: Vec<String> = operands.into_iter().map(|p| absorb(&mut piece, p)).collect();
        piece.text = format!("{name}({})", texts.join(", "));
        piece.hazard |= hazard;
        piece
    }

    fn boolean<'e>(&mut self, op: BoolOp, operands: Vec<(Piece<'e>, ValueType)>) -> Piece<'e> {
        let logical = |w: &Self, (p, t): (Piece<'e>, ValueType)| w.as_logical(p, t.elem);
        let mut operands = operands.into_iter();
        let Some(first) = operands.next() else { return self.missing_operand() };
        if op == BoolOp::Not {
            let inner = logical(self, first);
            return prefix(".not. ", inner, Level::Not, Level::Primary);
        }
        let Some(second) = operands.next() else { return self.missing_operand() };
        let bools = first.1.elem.base == BaseType::Bool && second.1.elem.base == BaseType::Bool;
        match op {
            BoolOp::And | BoolOp::Or => {
                let guards = first.0.text.contains("present(") || first.0.text.contains("allocated(");
                let (left, right) = (logical(self, first), logical(self, second));
                let loose = right.hazard || right.elements.iter().any(|e| !left.elements.contains(e));
                if !right.prelude.is_empty() || ((self.cx.foreign || guards) && loose) {
                    return self.short_circuit(op == BoolOp::And, left, right);
                }
                let (sign, level) = if op == BoolOp::And { (".and.", Level::And) } else { (".or.", Level::Or) };
                infix(left, sign, right, level, level, stronger(level))
            }
            BoolOp::Xor | BoolOp::NotEqual if bools || op == BoolOp::Xor => {
                let (left, right) = (logical(self, first), logical(self, second));
                infix(left, ".neqv.", right, Level::Equivalence, Level::Equivalence, Level::Or)
            }
            BoolOp::Equal if bools => {
                let (left, right) = (logical(self, first), logical(self, second));
                infix(left, ".eqv.", right, Level::Equivalence, Level::Equivalence, Level::Or)
            }
            _ => {
                let sign = match op {
                    BoolOp::LessThan => "<",
                    BoolOp::LessOrEqual => "<=",
                    BoolOp::GreaterThan => ">",
                    BoolOp::GreaterOrEqual => ">=",
                    BoolOp::Equal => "==",
                    _ => "/=",
                };
                let real = first.1.elem.is_real() && second.1.elem.is_real();
                let (left, right) = (self.as_number(first), self.as_number(second));
                // Compilers warn of reals compared for equality; this says the same.
                if real && matches!(op, BoolOp::Equal | BoolOp::NotEqual) && is_zero(&right.text) && self.cx.is_derivative(self.unit) {
                    self.intrinsics.insert("abs");
                    let is = infix(self.call("abs", vec![left], false), "<=", right, Level::Relation, Level::Sum, Level::Sum);
                    return if op == BoolOp::Equal { is } else { prefix(".not. ", is, Level::Not, Level::Primary) };
                }
                infix(left, sign, right, Level::Relation, Level::Sum, Level::Sum)
            }
        }
    }

    fn missing_operand(&self) -> Piece<'static> {
        self.cx.refuse(problems::malformed(self.cx.program, self.span, "an operation lacks an operand"));
        Piece::of("0", Level::Primary)
    }

    /// A number as a truth value, as C reads it.
    fn as_logical<'e>(&self, p: Piece<'e>, ty: ElemType) -> Piece<'e> {
        match ty.base {
            BaseType::Integer | BaseType::Real => infix(p, "/=", Piece::of("0", Level::Primary), Level::Relation, Level::Sum, Level::Sum),
            _ => p,
        }
    }

    /// A truth value as a number, as C computes with it.
    fn as_number<'e>(&mut self, (p, t): (Piece<'e>, ValueType)) -> Piece<'e> {
        if t.elem.base != BaseType::Bool {
            return p;
        }
        self.intrinsics.insert("merge");
        let (one, zero) = (Piece::of("1", Level::Primary), Piece::of("0", Level::Primary));
        self.call("merge", vec![one, zero, p], false)
    }

    /// `left .and. right` (or `.or.`) with `right` evaluated only where `left` leaves the result open.
    fn short_circuit<'e>(&mut self, and: bool, left: Piece<'e>, right: Piece<'e>) -> Piece<'e> {
        let depth = left.depth.max(right.depth) + 1;
        if self.no_prelude || depth > MAX_DEPTH {
            return self.refuse_condition("its left side guards its right side");
        }
        let t = self.temporary(ElemType::BOOL);
        let name = self.temporaries[t].name.clone();
        let mut prelude = left.prelude;
        prelude.push(Prelude::Set(t, left.text));
        let mut then = right.prelude;
        then.push(Prelude::Set(t, right.text));
        prelude.push(Prelude::Choose(t, if and { name } else { format!(".not. {name}") }, then, Vec::new()));
        Piece { elements: left.elements, ..self.temporary_piece(t, prelude, depth) }
    }

    fn refuse_condition(&self, why: &str) -> Piece<'static> {
        self.cx.refuse(problems::conditional_value(self.cx.program, self.span, why));
        Piece::of("0", Level::Primary)
    }

    fn operation<'e>(&mut self, op: &'e Operation, mut operands: Vec<(Piece<'e>, ValueType)>, ty: ValueType) -> Piece<'e> {
        let name = op.name.as_str();
        if name == "select" {
            return self.select(op, operands, ty);
        }
        self.check_unsigned(name, &operands);
        match (name, operands.len()) {
            ("plus_scal", 1) => operands.remove(0).0,
            ("minus_scal", 1) => {
                let p = self.as_number(operands.remove(0));
                Piece { negative: true, ..prefix("-", p, Level::Sum, Level::Product) }
            }
            ("add_scal_scal" | "sub_scal_scal" | "mul_scal_scal" | "div_scal_scal" | "pow_scal_scal", 2) => {
                let right = operands.remove(1);
                let (left, right) = (self.as_number(operands.remove(0)), self.as_number(right));
                match name {
                    "add_scal_scal" => sum(left, true, right),
                    "sub_scal_scal" => sum(left, false, right),
                    "mul_scal_scal" => product(left, "*", right),
                    "div_scal_scal" => Piece { hazard: true, ..product(left, "/", right) },
                    _ => Piece { hazard: true, ..tight(left, "**", right, Level::Power, Level::Primary, Level::Power) },
                }
            }
            ("exp2_scal", 1) => {
                let two = types::literal(&two(ty.elem), false).map_or("2.0d0".into(), |l| l.0);
                let p = self.real_operand(operands.remove(0));
                Piece { hazard: true, ..tight(Piece::of(two, Level::Primary), "**", p, Level::Power, Level::Primary, Level::Power) }
            }
            (n, 2) if n.starts_with("string_") => {
                let sign = match n {
                    "string_eq_scal_scal" => "==",
                    "string_ne_scal_scal" => "/=",
                    "string_ge_scal_scal" => ">=",
                    "string_le_scal_scal" => "<=",
                    "string_lt_scal_scal" => "<",
                    _ => ">",
                };
                let right = operands.remove(1).0;
                infix(operands.remove(0).0, sign, right, Level::Relation, Level::Sum, Level::Sum)
            }
            ("real_scal" | "int_scal" | "nint_scal" | "ifloor_scal" | "iceil_scal", 1) => self.conversion(op, operands.remove(0), ty),
            ("complex_scal", 2) => {
                self.intrinsics.insert("cmplx");
                let mut p = self.call("cmplx", operands.into_iter().map(|(p, _)| p).collect(), false);
                if types::width(ty.elem) != 32 {
                    p.text.pop();
                    p.text.push_str(if types::width(ty.elem) == 128 { ", 16)" } else { ", 8)" });
                }
                p
            }
            ("isinf_scal", 1) => {
                let real = types::literal(&two(operands[0].1.elem), false).map_or("2.0d0".into(), |l| l.0);
                self.intrinsics.extend(["abs", "huge"]);
                let p = self.call("abs", vec![operands.remove(0).0], false);
                infix(p, ">", Piece::of(format!("huge({real})"), Level::Primary), Level::Relation, Level::Sum, Level::Sum)
            }
            _ => self.function(op, operands, ty),
        }
    }

    /// An operation that is a function call in Fortran.
    fn function<'e>(&mut self, op: &'e Operation, mut operands: Vec<(Piece<'e>, ValueType)>, ty: ValueType) -> Piece<'e> {
        let Some(f) = intrinsics::function(&op.name) else {
            // Legal where nothing is differentiated; its own language knows it.
            let text = if op.spelling.is_empty() { &op.name } else { &op.spelling };
            if self.cx.foreign || !super::names::is_legal(text) {
                self.cx.refuse(problems::unknown_operation(self.cx.program, self.span, text));
            }
            return self.call(text, operands.into_iter().map(|(p, _)| p).collect(), true);
        };
        match f.home {
            Home::Intrinsic => self.intrinsics.insert(f.name),
            Home::Ieee => self.ieee.insert(f.name),
            Home::Runtime => self.runtime.insert(f.name),
        };
        if f.home == Home::Runtime
            && (!matches!(types::width(ty.elem), 32 | 64 | 128) || (f.name == "overbar_fma" && types::width(ty.elem) == 128))
        {
            self.cx.refuse(problems::no_counterpart(
                self.cx.program,
                self.span,
                format!("`{}` of this kind", op.name),
                "the run-time module has it for reals of 32 and 64 bits",
            ));
        }
        let promoted = operands.iter().map(|(_, t)| t.elem).reduce(xaif::types::promote).unwrap_or_default();
        let common = match f.rule {
            Rule::SameReal if !matches!(promoted.base, BaseType::Real | BaseType::Complex) => ElemType::REAL64,
            _ => promoted,
        };
        let fixed_name = match (op.name.as_str(), op.spelling.to_ascii_lowercase().as_str()) {
            ("shr_scal_scal", "shiftr") if !self.cx.foreign => "shiftr",
            _ => f.name,
        };
        let inquiry = f.rule == Rule::Inquiry;
        if self.cx.row && matches!(f.name, "size" | "lbound" | "ubound" | "shape") {
            self.reverse_dimension(f.name, &mut operands);
        }
        let mut pieces: Vec<Piece<'e>> = Vec::with_capacity(operands.len());
        for (i, operand) in operands.into_iter().enumerate() {
            let from = operand.1.elem;
            pieces.push(match f.rule {
                Rule::Plain => self.as_number_if(from.base == BaseType::Bool && op.name.ends_with("_scal"), operand),
                Rule::Inquiry => operand.0,
                Rule::Real => self.real_operand(operand),
                Rule::Same | Rule::SameReal => {
                    let p = self.as_number(operand);
                    let literal_zero = i > 0 && p.text == "0" && common.base == BaseType::Integer;
                    if types::same(from, common) || literal_zero { p } else { self.convert(p, common) }
                }
            });
        }
        let mut piece = self.call(fixed_name, pieces, !f.total);
        if inquiry {
            piece.hazard = false;
            piece.elements.clear();
        }
        piece
    }

    /// The dimension that an inquiry asks about, counted from the other end since dimensions are printed in reverse.
    fn reverse_dimension(&self, name: &str, operands: &mut [(Piece, ValueType)]) {
        match operands {
            [_] if name == "size" => {}
            [(_, array), (dimension, _)] if dimension.text.parse::<u8>().is_ok_and(|d| (1..=array.rank).contains(&d)) => {
                let d: u8 = dimension.text.parse().unwrap_or(1);
                dimension.text = (array.rank + 1 - d).to_string();
            }
            _ => self.cx.refuse(problems::no_counterpart(
                self.cx.program,
                self.span,
                format!("`{name}` of an unknown dimension"),
                "the dimensions of the array are printed in reverse",
            )),
        }
    }

    fn as_number_if<'e>(&mut self, yes: bool, operand: (Piece<'e>, ValueType)) -> Piece<'e> {
        if yes { self.as_number(operand) } else { operand.0 }
    }

    fn real_operand<'e>(&mut self, operand: (Piece<'e>, ValueType)) -> Piece<'e> {
        let base = operand.1.elem.base;
        let p = self.as_number(operand);
        if matches!(base, BaseType::Integer | BaseType::Bool) { self.convert(p, ElemType::REAL64) } else { p }
    }

    /// A value converted to a numeric type.
    pub fn convert<'e>(&mut self, p: Piece<'e>, to: ElemType) -> Piece<'e> {
        self.intrinsics.insert(match to.base {
            BaseType::Integer => "int",
            BaseType::Complex => "cmplx",
            _ if types::width(to) == 64 => "dble",
            _ => "real",
        });
        let text = types::converted(&p.text, to);
        Piece { text, level: Level::Primary, negative: false, ..p }
    }

    /// A conversion that the source states.
    fn conversion<'e>(&mut self, op: &'e Operation, operand: (Piece<'e>, ValueType), ty: ValueType) -> Piece<'e> {
        let p = self.as_number(operand);
        let function = match op.name.as_str() {
            "real_scal" => "real",
            "int_scal" => "int",
            "nint_scal" => "nint",
            "ifloor_scal" => "floor",
            _ => "ceiling",
        };
        self.intrinsics.insert(function);
        let kind = if self.cx.foreign { None } else { types::kind_of_conversion(&op.spelling) };
        let text = match (kind, types::width(ty.elem)) {
            (Some(kind), _) => format!("{function}({}, {})", p.text, self.kind_name(kind)),
            (None, _) if function == "real" || function == "int" => {
                if function == "real" && types::width(ty.elem) == 64 {
                    self.intrinsics.insert("dble");
                }
                types::converted(&p.text, ty.elem)
            }
            (None, 64) => format!("{function}({}, 8)", p.text),
            (None, _) => format!("{function}({})", p.text),
        };
        Piece { text, level: Level::Primary, negative: false, hazard: p.hazard || function != "real", ..p }
    }

    /// A kind parameter under the name that it has in this unit.
    fn kind_name(&self, kind: &str) -> String {
        let u = self.cx.program.unit(self.unit);
        match self.cx.program.lookup(u.scope, kind).and_then(|s| self.names.get(s)) {
            Some(name) => name.to_owned(),
            None => kind.to_owned(),
        }
    }

    /// `select(c, a, b)`: MERGE where both operands may be evaluated, else an IF block before the statement.
    fn select<'e>(&mut self, op: &Operation, operands: Vec<(Piece<'e>, ValueType)>, ty: ValueType) -> Piece<'e> {
        let Ok([condition, a, b]) = <[_; 3]>::try_from(operands) else { return self.missing_operand() };
        let condition = self.as_logical(condition.0, condition.1.elem);
        let to = ty.elem;
        let arm = |w: &mut Self, (p, t): (Piece<'e>, ValueType)| match (t.elem.base, to.base) {
            (BaseType::Bool, BaseType::Bool) => p,
            (_, BaseType::Bool) => w.as_logical(p, t.elem),
            _ => {
                let from = if t.elem.base == BaseType::Bool { ElemType::INTEGER } else { t.elem };
                let p = w.as_number((p, t));
                if types::same(from, to) || types::spelling(to).is_none() { p } else { w.convert(p, to) }
            }
        };
        let (a, b) = (arm(self, a), arm(self, b));
        let loose = |p: &Piece| p.hazard || !p.prelude.is_empty() || p.elements.iter().any(|e| !condition.elements.contains(e));
        if !loose(&a) && !loose(&b) {
            self.intrinsics.insert("merge");
            return self.call("merge", vec![a, b, condition], false);
        }
        if ty.rank > 0 && !self.cx.foreign && op.spelling.eq_ignore_ascii_case("merge") && a.prelude.is_empty() && b.prelude.is_empty() {
            // The source evaluates both itself.
            self.intrinsics.insert("merge");
            return self.call("merge", vec![a, b, condition], true);
        }
        let depth = a.depth.max(b.depth).max(condition.depth) + 1;
        if self.no_prelude || depth > MAX_DEPTH {
            return self.refuse_condition("only one of two operands may be evaluated");
        }
        if ty.rank > 0 || types::spelling(to).is_none() {
            return self.refuse_condition("the choice is made for each element of an array");
        }
        let t = self.temporary(to);
        let mut then = a.prelude;
        then.push(Prelude::Set(t, a.text));
        let mut other = b.prelude;
        other.push(Prelude::Set(t, b.text));
        let mut prelude = condition.prelude;
        prelude.push(Prelude::Choose(t, condition.text, then, other));
        Piece { elements: condition.elements, ..self.temporary_piece(t, prelude, depth) }
    }

    /// Operands of a choice that the caller prints as a statement.
    pub fn choice(&mut self, e: &Expr) -> Option<[(Expr, ValueType); 3]> {
        let root = e.nodes.last()?;
        let NodeKind::Op(op) = &root.kind else { return None };
        if op.name != "select" || root.operands.len() != 3 {
            return None;
        }
        let types = xaif::types::of_expr(self.cx.program, e);
        let part = |i: usize| (e.subexpr(root.operands[i]), types[root.operands[i].index()]);
        Some([part(0), part(1), part(2)])
    }

    /// Wrap-around of unsigned numbers is not what Fortran's integers do.
    fn check_unsigned(&self, operation: &str, operands: &[(Piece, ValueType)]) {
        let risky = matches!(operation, "sub_scal_scal" | "minus_scal" | "b_not" | "shr_scal_scal" | "shl_scal_scal");
        if !risky || !self.cx.foreign {
            return;
        }
        let names: Vec<&str> = operands.iter().map(|(p, _)| p.text.as_str()).collect();
        let scope = self.cx.program.unit(self.unit).scope;
        for name in names {
            let symbol = self.cx.program.lookup(scope, name);
            if symbol.is_some_and(|s| self.cx.program.symbol(s).has_attribute("unsigned")) {
                let what = format!("arithmetic on the unsigned variable `{name}`");
                self.cx.refuse(problems::no_counterpart(
                    self.cx.program,
                    self.span,
                    what,
                    "Fortran has no unsigned integers, which wrap around",
                ));
            }
        }
    }

    /// The text of `value` made fit to be assigned to a variable of type `to`: narrowing conversions are written out.
    pub fn assigned<'e>(&mut self, p: Piece<'e>, from: ElemType, to: ElemType) -> Piece<'e> {
        use BaseType::{Bool, Integer, Real};
        match (from.base, to.base) {
            (Bool, Integer | Real) => {
                let p = self.as_number((p, ValueType { elem: from, rank: 0 }));
                if to.base == Real { self.convert(p, to) } else { p }
            }
            (Integer | Real, Bool) => self.as_logical(p, from),
            (Real, Integer) => self.convert(p, to),
            (Real, Real) | (Integer, Integer) if types::width(from) > types::width(to) && to.bits > 0 => self.convert(p, to),
            (Integer, Real) if types::width(from) > types::width(to) => self.convert(p, to),
            _ => p,
        }
    }
}

fn two(ty: ElemType) -> xaif::model::Constant {
    let ty = if ty.base == BaseType::Real { ty } else { ElemType::REAL64 };
    xaif::model::Constant { ty, fe_type: Default::default(), value: "2.0".into(), spelling: Default::default() }
}
