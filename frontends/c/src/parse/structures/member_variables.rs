//! Structures as variables: their members are variables of their own.
//!
//! ```text
//! struct body { double x, v[3]; } s;      ->      s, and with it  s%x, s%v
//! ```
//!
//! A structure is a variable of no type that the model knows; a member that is a number or an array of numbers is a variable beside it, with the dimensions of the
//! structure before its own, made where the text first names it. A member that is a structure is one like it (`s%inner`), and so is what a member points to, with one
//! more dimension ([`xaif::members`] has the words). A cast is needed always where a pointer to void is followed, and to set something where it is one to constants.
//! Lives here: these variables and references to them, assignments of whole structures. Never here: calls (see `member_arguments`), initial values (see `initializers`).

use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::records::Found;
use crate::parse::context::state::{Lower, Variable};
use crate::parse::context::values::Operand;
use crate::parse::language::types::{CType, Extent};
use crate::parse::text::refusals::{LVALUE, POINTER_CAST, POINTER_TARGET, RECORD, Refusal, Res, refuse};
use crate::parse::types::declarations::Specified;
use lang_c::ast::{Expression as E, MemberExpression, MemberOperator};
use lang_c::span::{Node, Span};
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::callbacks;
use xaif::members::{PATH, REACHED, SHARED, STRUCTURE, TYPE, Way, way};
use xaif::model::{BaseType, Bound, Decl, Dim, ElemType, Expr, Passing, Storage, Symbol, SymbolId, SymbolKind};
use xaif::rows::{CONSTANT_ROWS, ROWS};

/// What a member is, as far as variables can be made of it.
enum Part<'t> {
    Number,
    Structure,
    /// Pointers to rows of numbers, and whether the numbers may be set and the pointers are constant.
    Rows(&'t CType, (bool, bool)),
    /// What a pointer points to, and whether it may be set.
    Numbers(&'t CType, bool),
    Structures(&'t CType, bool),
}

/// No type of the model.
pub(crate) const OPAQUE: ElemType = ElemType { base: BaseType::Opaque, bits: 0 };

/// The attribute that says which type a structure has.
fn type_word(ty: &CType) -> SmolStr {
    match ty.element() {
        CType::Record(name) => format_smolstr!("{TYPE}{name}"),
        other => format_smolstr!("{TYPE}{}", other.describe()),
    }
}

impl<'a> Lower<'a> {
    /// Whether variables can be made of the members of a type.
    pub fn is_structure(&self, ty: &CType) -> bool {
        let of = ty.element();
        self.record_of(of).is_some_and(|r| !r.odd && (!r.union || self.overlaid(of).is_some()))
    }

    /// Makes a symbol one of a structure of this type.
    pub fn become_structure(&self, symbol: &mut Symbol, ty: &CType) {
        symbol.kind = SymbolKind::Variable;
        symbol.pointer = false;
        symbol.ty = OPAQUE;
        symbol.decl.get_or_insert_default().attributes.extend([STRUCTURE, type_word(ty)]);
    }

    /// How derivative code spells a type that is a structure.
    pub fn record_text(&self, ty: &CType) -> SmolStr {
        let CType::Record(name) = ty else { return ty.spelling() };
        let alias = || self.record_names.get(name).cloned();
        match self.record_of(ty).and_then(|r| r.text.clone()) {
            Some(text) => alias().unwrap_or(text),
            None => name.clone(),
        }
    }

    /// A local structure of the front end's own.
    pub fn temporary_structure(&mut self, base: &str, ty: &CType) -> SymbolId {
        let t = self.temporary(base, &CType::Void);
        let text = self.record_text(ty);
        let s = self.program.symbol_mut(t);
        s.ty = OPAQUE;
        let decl = s.decl.get_or_insert_default();
        decl.type_text = text;
        decl.attributes.extend([STRUCTURE, type_word(ty)]);
        self.structures.insert(t, ty.clone());
        t
    }

    /// A local structure, or an array of them; its initial value is another matter.
    pub fn declare_structure(&mut self, s: &Specified, name: &str, ty: &CType, place: (usize, usize), span: Span) -> Res<SymbolId> {
        if s.volatile {
            return Err(Refusal::new(RECORD, span, format!("`{name}` is volatile")).because("what others change is not differentiated"));
        }
        if ty.extents().iter().any(|x| !matches!(x, Extent::Fixed(_) | Extent::Variable(_))) {
            return Err(Refusal::new(RECORD, span, format!("the number of structures in `{name}` is not known on entry to the function"))
                .because("each of their members is an array, which must have an extent that arguments and constants give")
                .help("compute it from arguments that do not change, or pass the structures as an argument"));
        }
        let mut symbol = self.new_symbol(name, ty, s, place);
        self.become_structure(&mut symbol, ty);
        if let Some(d) = &mut symbol.decl {
            d.storage = if s.fixed { Storage::Static } else { Storage::Local };
            if s.fixed {
                d.attributes.push(SmolStr::new_static("static"));
            }
        }
        let name = symbol.name.clone();
        let depth = self.blocks.len();
        self.body().depths.insert(name, depth);
        let symbol = self.program.add_symbol(symbol);
        self.structures.insert(symbol, ty.element().clone());
        Ok(symbol)
    }

    /// The place that `s.x` or `p->x` names.
    pub fn member(&mut self, e: &'a Node<E>, m: &'a MemberExpression) -> Res<LValue> {
        let of = match m.operator.node {
            MemberOperator::Direct => match &m.expression.node {
                E::Call(_) | E::Conditional(_) | E::BinaryOperator(_) | E::Comma(_) => match self.operand(&m.expression)? {
                    Operand::Structure(lv) => lv,
                    _ => return Err(self.no_member(e)),
                },
                _ => self.place(&m.expression)?,
            },
            MemberOperator::Indirect => {
                let p = self.pointer(&m.expression)?;
                LValue { base: p.base, subs: p.subs, ty: p.to }
            }
        };
        self.member_of(&of, &m.identifier.node.name, e)
    }

    pub fn no_member(&self, e: &Node<E>) -> Refusal {
        let name = self.original(e.span);
        Refusal::new(RECORD, e.span, format!("`{name}` is a member of a structure that is not followed"))
            .because("which structure it is a member of is not known")
            .help("pass the structure itself, or a pointer to it that gets no other target")
    }

    /// A member of a structure that is there.
    pub fn member_of(&mut self, of: &LValue, name: &str, e: &Node<E>) -> Res<LValue> {
        if self.is_overlay(of) {
            return self.member_of_overlay(of, name, e.span);
        }
        if !self.structures.contains_key(&of.base) {
            return Err(self.no_member(e));
        }
        let Some(found) = self.field(&of.ty, name) else {
            return refuse(RECORD, e, format!("`{}` has no member `{name}` that is known here", of.ty.describe()));
        };
        let base = self.member_symbol(of.base, &found, e.span)?;
        let whole = LValue { base, subs: of.subs.clone(), ty: found.field.ty.with_rows() };
        match found.overlay {
            Some((offset, ty)) => self.overlay(whole, offset, ty, e.span),
            None => Ok(whole),
        }
    }

    /// `(T *)s->p` of a pointer to void in a structure: what it points to is taken for a `T`, here and everywhere. `None`: it is something else.
    pub fn cast_member(&mut self, inner: &'a Node<E>, to: &CType) -> Res<Option<Pointer>> {
        let E::Member(m) = &inner.node else { return Ok(None) };
        let untyped = matches!(self.type_of(inner), Some(CType::Pointer(p)) if p.to == CType::Void);
        if !untyped || !matches!(to, CType::Record(_)) || !self.is_structure(to) {
            return Ok(None);
        }
        let of = match m.node.operator.node {
            MemberOperator::Direct => self.place(&m.node.expression)?,
            MemberOperator::Indirect => {
                let p = self.pointer(&m.node.expression)?;
                LValue { base: p.base, subs: p.subs, ty: p.to }
            }
        };
        let Some(mut found) = self.field(&of.ty, &m.node.identifier.node.name).filter(|_| self.structures.contains_key(&of.base)) else {
            return Ok(None);
        };
        let constant = matches!(&found.field.ty, CType::Pointer(p) if p.constant);
        found.field.ty = CType::pointer(to.clone(), constant);
        found.assumed = true;
        let base = self.member_symbol(of.base, &found, inner.span)?;
        if self.structures.get(&base) != Some(to) {
            return Err(Refusal::new(POINTER_CAST, inner.span, "a pointer to void in a structure is cast to several types")
                .because("what is stored through one could not be followed through the other"));
        }
        let mut subs = of.subs;
        subs.push(Expr::int(0));
        Ok(Some(Pointer { base, subs, to: to.clone() }))
    }

    /// The variable of a member, made where there is none yet.
    pub fn member_symbol(&mut self, base: SymbolId, found: &Found, span: Span) -> Res<SymbolId> {
        let key = (base, found.field.name.clone());
        if let Some(&s) = self.members.get(&key) {
            return Ok(s);
        }
        let part = self.part(base, found, span)?;
        let name = format_smolstr!("{}%{}", self.program.symbol(base).name, found.field.name);
        let known = self.program.lookup(self.program.symbol(base).scope, &name);
        let symbol = match known {
            Some(s) => s,
            None => {
                let symbol = self.new_member(base, found, &part, name);
                self.program.add_symbol(symbol)
            }
        };
        match part {
            Part::Structure => drop(self.structures.insert(symbol, found.field.ty.element().clone())),
            Part::Structures(to, _) => drop(self.structures.insert(symbol, to.clone())),
            _ => {}
        }
        self.members.insert(key, symbol);
        Ok(symbol)
    }

    /// What a member is; refused where no variable can be made of it.
    fn part<'t>(&self, base: SymbolId, found: &'t Found, span: Span) -> Res<Part<'t>> {
        let (field, outer) = (&found.field, self.program.symbol(base));
        let refused = |why: &str| {
            Refusal::new(RECORD, span, format!("the member `{}` is used here", field.name))
                .because(why)
                .help("pass what is needed of it as an argument of its own")
        };
        if found.in_union && field.ty.element().is_real() {
            return Err(refused("it shares its memory with other members of a union, which may have other types"));
        }
        if field.volatile && field.ty.element().is_real() {
            return Err(refused("it is volatile, and what others change is not differentiated"));
        }
        if field.constant && field.ty.element().is_real() {
            return Err(refused("it is constant, and the derivative of it would be, too"));
        }
        let fixed = field.ty.extents().iter().skip(1).all(|x| matches!(x, Extent::Fixed(_)));
        let open = matches!(field.ty, CType::Array(_, Extent::Unknown));
        if !fixed || open && outer.rank > 0 {
            return Err(refused("its extents are not constants"));
        }
        if let Some(constant) = field.ty.constant_rows() {
            if *outer.storage() != Storage::Argument {
                return Err(refused("it leads to rows from a structure that is no argument, and they have no target that is known here"));
            }
            if outer.rank > 0 || outer.has_attribute(&REACHED) {
                return Err(refused("it leads to rows, and there are several of it"));
            }
            let row = match &field.ty {
                CType::Pointer(p) => &p.to,
                other => other.element(),
            };
            return match row {
                CType::Pointer(to) => Ok(Part::Rows(&to.to, constant)),
                _ => Err(refused("it leads to rows that are not followed")),
            };
        }
        match &field.ty {
            t if t.element().is_arithmetic() => Ok(Part::Number),
            t if self.record_of(t.element()).is_some_and(|r| !r.odd) => Ok(Part::Structure),
            CType::Pointer(p) => {
                let number = p.to.is_arithmetic() && !matches!(p.to, CType::Int { char: true, .. });
                if !number && !self.is_structure(&p.to) {
                    return Err(refused("it is a pointer to something that is no number and no structure of numbers"));
                }
                if *outer.storage() != Storage::Argument {
                    return Err(refused("it is a pointer in a structure that is no argument, and has no target that is known here"));
                }
                if !number && self.record_text(&p.to).contains(['*', '[', '{']) {
                    return Err(refused("it is a pointer to a structure whose type has no name"));
                }
                Ok(if number { Part::Numbers(&p.to, p.constant) } else { Part::Structures(&p.to, p.constant) })
            }
            t if t.element() == &CType::Void || matches!(t, CType::Function(_)) => Err(refused("it is no number")),
            t => Err(refused(&format!("{} is not followed", t.describe()))),
        }
    }

    /// What stands behind a member's name on its way, up to the star of a pointer.
    fn brackets(&self, found: &Found, part: &Part, rank: usize, star: &str) -> String {
        let first = if matches!(found.field.ty, CType::Array(..)) { "[]" } else { "*" };
        match part {
            // The cast is one of the pointer in front of which it stands.
            Part::Rows(to, (true, _)) if first == "*" => format!("!{} *!*", to.spelling()),
            Part::Rows(to, (true, _)) => format!("[]!{}!", to.spelling()),
            Part::Rows(..) => first.to_owned(),
            Part::Numbers(to, true) => format!("!{}!", to.spelling()),
            Part::Structures(to, _) if found.assumed => format!("?{}?", self.record_text(to)),
            Part::Structures(to, true) => format!("!{}!", self.record_text(to)),
            _ if star.is_empty() => "[]".repeat(rank),
            _ => String::new(),
        }
    }

    fn new_member(&mut self, base: SymbolId, found: &Found, part: &Part, name: SmolStr) -> Symbol {
        let (field, outer) = (&found.field, self.program.symbol(base).clone());
        let around = outer.decl.clone().unwrap_or_default();
        let (ty, more, star) = match part {
            Part::Number => (field.ty.clone(), self.dims(&field.ty), ""),
            Part::Structure => (CType::Void, self.dims(&field.ty), ""),
            Part::Rows(to, _) => {
                let first = match &field.ty {
                    CType::Array(_, extent) => self.dims(&CType::Array(Rc::new((*to).clone()), extent.clone())),
                    _ => vec![open_dim()],
                };
                ((*to).clone(), first.into_iter().chain([open_dim()]).collect(), "*")
            }
            Part::Numbers(to, _) => ((*to).clone(), vec![open_dim()], "*"),
            Part::Structures(..) => (CType::Void, vec![open_dim()], "*"),
        };
        let rows = !star.is_empty() && !around.dims.is_empty() || outer.has_attribute(&ROWS);
        let brackets = self.brackets(found, part, more.len(), star);
        let elem = if ty == CType::Void { OPAQUE } else { ty.elem() };
        let mut symbol = Symbol::variable(name, elem, outer.scope);
        symbol.span = outer.span;
        let own = if found.handed_out { format!("({})", field.name) } else { field.name.to_string() };
        let path = way(&outer).unwrap_or_default().then(Way(&format!("{own}{brackets}{star}")));
        let mut attributes = vec![format_smolstr!("{PATH}{path}")];
        if ty.element().is_unsigned() {
            attributes.push(SmolStr::new_static("unsigned"));
        }
        if let CType::Callback(_) = ty.element() {
            attributes.push(SmolStr::new_static(callbacks::POINTER));
        }
        let reached = matches!(part, Part::Numbers(..) | Part::Structures(..) | Part::Rows(..));
        if reached || outer.has_attribute(&REACHED) {
            attributes.push(REACHED);
        }
        if rows || matches!(part, Part::Rows(..)) {
            attributes.push(ROWS);
        }
        if let Part::Rows(_, (_, true)) = part {
            attributes.push(CONSTANT_ROWS);
        }
        let fixed = match part {
            Part::Numbers(_, constant) | Part::Structures(_, constant) | Part::Rows(_, (constant, _)) => *constant,
            _ => field.constant || outer.has_attribute("const"),
        };
        if fixed {
            attributes.push(SmolStr::new_static("const"));
        }
        if let Part::Structures(to, _) = part {
            attributes.extend([STRUCTURE, type_word(to)]);
        }
        if matches!(part, Part::Structure) {
            attributes.extend([STRUCTURE, type_word(&field.ty)]);
        }
        if found.in_union || outer.has_attribute(&SHARED) {
            attributes.push(SHARED);
        }
        let dims: Vec<Dim> = around.dims.iter().cloned().chain(more).collect();
        symbol.rank = dims.len().min(u8::MAX as usize) as u8;
        symbol.decl = Some(Box::new(Decl {
            type_text: match part {
                Part::Structures(to, _) => self.record_text(to),
                Part::Numbers(to, _) | Part::Rows(to, _) => to.spelling(),
                _ if matches!(ty.element(), CType::Callback(_)) => ty.element().spelling(),
                _ => field.text.clone(),
            },
            dims,
            attributes,
            ..Decl::default()
        }));
        place_within(&mut symbol, &outer, reached);
        symbol
    }

    /// A structure as a value: the place where it is.
    pub fn structure_value(&mut self, v: &Variable, e: &Node<E>) -> Res<LValue> {
        match &v.place {
            Place::Object(base) if self.structures.contains_key(base) => Ok(LValue { base: *base, subs: Vec::new(), ty: v.ty.clone() }),
            _ => Err(self.no_member(e)),
        }
    }

    /// Refuses to set what shares its memory, and what is constant.
    pub fn settable(&self, lv: &LValue, span: Span) -> Res<()> {
        let symbol = self.program.symbol(lv.base);
        if symbol.has_attribute(&SHARED) {
            return Err(Refusal::new(RECORD, span, "a member of a union is set")
                .because("other members of the union would change with it")
                .help("use a structure"));
        }
        if way(symbol).is_some() && matches!(lv.ty, CType::Pointer(_)) {
            return Err(Refusal::new(POINTER_TARGET, span, "a pointer in a structure gets another target")
                .because("what it points to from then on is not followed")
                .help("use a pointer variable of the function"));
        }
        if way(symbol).is_some() && *symbol.storage() == Storage::Constant {
            return Err(Refusal::new(LVALUE, span, "a member of a constant structure is set"));
        }
        Ok(())
    }
}

/// A dimension of which nobody says how long it is.
pub(crate) fn open_dim() -> Dim {
    Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Unknown }
}

/// Gives a member the storage of its structure. What is in a structure that is passed by value is a copy, and arrays in it are that, too; what is `reached` by a pointer
/// is neither a copy nor bound by what is said of the structure.
pub(crate) fn place_within(member: &mut Symbol, structure: &Symbol, reached: bool) {
    let around = structure.decl.clone().unwrap_or_default();
    let by_value = around.passing == Passing::Value && !reached;
    let rank = member.rank;
    let decl = member.decl.get_or_insert_default();
    decl.attributes.extend(around.attributes.iter().filter(|a| matches!(a.as_str(), "static" | "thread_local")).cloned());
    let argument = around.storage == Storage::Argument;
    decl.passing = match argument {
        true if by_value && rank == 0 => Passing::Value,
        true => Passing::Reference,
        false => Passing::default(),
    };
    decl.may_alias = if argument { reached || !by_value && !structure.has_attribute("restrict") } else { around.may_alias };
    decl.storage = around.storage;
}
