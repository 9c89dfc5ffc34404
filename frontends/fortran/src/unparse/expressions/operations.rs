//! Operations of the catalogue: operators, functions, conversions.
//!
//! Lives here: how each is written. Never here: its name (see `language`).

use super::pieces::{Level, Piece, absorb, infix, prefix, product, sum, tight};
use super::writer::Writer;
use crate::unparse::language::intrinsics::{self, Home, Rule};
use crate::unparse::language::{identifiers, types};
use crate::unparse::text::problems;
use xaif::model::{BaseType, ElemType, Operation};
use xaif::types::ValueType;

impl<'c, 'p> Writer<'c, 'p> {
    /// `name(operands)`
    pub fn call<'e>(&mut self, name: &str, operands: Vec<Piece<'e>>, hazard: bool) -> Piece<'e> {
        let mut piece = Piece::of(String::new(), Level::Primary);
        let texts: Vec<String> = operands.into_iter().map(|p| absorb(&mut piece, p)).collect();
        piece.text = format!("{name}({})", texts.join(", "));
        piece.hazard |= hazard;
        piece
    }

    /// An operation of the catalogue.
    pub fn operation<'e>(&mut self, op: &'e Operation, mut operands: Vec<(Piece<'e>, ValueType)>, ty: ValueType) -> Piece<'e> {
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
            if self.cx.foreign || !identifiers::is_legal(text) {
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
        match f.name {
            "transpose" => pieces.iter_mut().for_each(|p| self.part_as_function(p)),
            "size" | "lbound" | "ubound" | "shape" => pieces.iter_mut().take(1).for_each(|p| self.structures_of(p)),
            _ => {}
        }
        let mut piece = self.call(fixed_name, pieces, !f.total);
        if inquiry {
            piece.hazard = false;
            piece.elements.clear();
        }
        piece
    }

    /// The variable that a text begins with, whether it is complex, and whether it is an array.
    fn begins_with(&self, text: &str) -> (String, bool, bool) {
        let program = self.cx.program;
        let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let symbol = program.lookup(program.unit(self.unit).scope, &name).map(|s| program.symbol(s));
        let complex = symbol.and_then(|s| s.decl.as_ref()).is_some_and(|d| d.type_text.to_ascii_lowercase().starts_with("complex"));
        (name, complex, symbol.is_some_and(|s| s.rank > 0))
    }

    /// `real(z)` for `z%re`: gfortran takes `matmul(transpose(z%re), v)` for that of other elements.
    fn part_as_function(&mut self, p: &mut Piece) {
        let (_, complex, _) = self.begins_with(&p.text);
        for (part, function) in [("%re", "real"), ("%im", "aimag")] {
            if let Some(whole) = p.text.strip_suffix(part).filter(|_| complex) {
                p.text = format!("{function}({whole})");
                self.intrinsics.insert(function);
                return;
            }
        }
    }

    /// `s` for `s%x` of all structures in an array: a component of all of them has bounds of its own, which start from 1.
    fn structures_of(&self, p: &mut Piece) {
        let (name, complex, array) = self.begins_with(&p.text);
        let part = p.text.strip_suffix("%re").or_else(|| p.text.strip_suffix("%im")).filter(|_| complex && array);
        let all = p.text.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('%') && !rest.contains('(')) && array;
        if let Some(whole) = part.map(str::to_owned).or_else(|| all.then_some(name)) {
            p.text = whole;
        }
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
