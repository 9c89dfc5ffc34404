//! Structures and unions as types: what their definitions say of their members.
//!
//! Lives here: definitions, members by name (those of members without a name among them), sizes. Never here: variables (see `structures`).

use super::declarations::Declared;
use crate::parse::context::records::{Field, Found, Record};
use crate::parse::context::state::{Binding, Lower};
use crate::parse::context::terms::{constant, integer, op};
use crate::parse::context::values::{Operand, Value};
use crate::parse::language::types::{CType, Extent};
use crate::parse::text::refusals::{EXPRESSION, Res, refuse};
use crate::parse::text::tokens::scan;
use lang_c::ast::{Expression as E, SpecifierQualifier, StructDeclaration, StructKind, StructType, TypeQualifier};
use lang_c::span::Node;
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::model::Expr;

/// How a type begins that is known as that of what a type of pointers points to: `__typeof__(*(data)0)`.
const POINTED_AT: &str = "__typeof__(*(";

/// Members in members.
const DEEPEST: usize = 16;

/// The words of a text, comments and lines left out.
fn words(text: &str) -> String {
    let (mut out, mut last) = (String::new(), 0);
    for t in &scan(text).tokens {
        if !out.is_empty() && t.start > last {
            out.push(' ');
        }
        out.push_str(&text[t.start..t.end]);
        last = t.end;
    }
    out
}

/// `struct` or `union`.
fn word(s: &StructType) -> &'static str {
    if s.kind.node == StructKind::Union { "union" } else { "struct" }
}

/// The name with the word before it: no identifier on its own.
pub(crate) fn record_tag(s: &StructType) -> Option<SmolStr> {
    s.identifier.as_ref().map(|i| format_smolstr!("{} {}", word(s), i.node.name))
}

impl Lower<'_> {
    /// The type that a structure or union specifier names, defined from here on if it says what is in it.
    pub fn record(&mut self, s: &Node<StructType>) -> Res<CType> {
        let (kind, tag) = (word(&s.node), record_tag(&s.node));
        let Some(list) = &s.node.declarations else {
            return Ok(match tag.as_ref().and_then(|t| self.find(t)) {
                Some(Binding::Typedef { ty, .. }) => ty.clone(),
                _ => CType::Record(tag.unwrap_or_default()),
            });
        };
        let name = match &tag {
            Some(tag) if self.body.is_none() => tag.clone(),
            Some(tag) => format_smolstr!("{tag} ({})", s.span.start),
            None => format_smolstr!("{kind} ({})", s.span.start),
        };
        if let Some(tag) = tag.filter(|_| self.body.is_some()) {
            let ty = CType::Record(name.clone());
            self.bind(tag, Binding::Typedef { ty, constant: false, enumerated: None, local: true });
        }
        let mut record = Record { union: kind == "union", ..Record::default() };
        for d in list {
            let StructDeclaration::Field(f) = &d.node else { continue };
            self.fields(&f.node, &mut record)?;
        }
        if self.body.is_some() || s.node.identifier.is_none() {
            let from = s.node.identifier.as_ref().map_or_else(|| s.span.start + kind.len(), |i| i.span.end);
            let text = self.text.get(from..s.span.end).unwrap_or_default();
            record.text = Some(format_smolstr!("{kind} {}", words(text)));
        }
        self.records.insert(name.clone(), Rc::new(record));
        Ok(CType::Record(name))
    }

    /// A name for a structure that has none of its own: that of its type, or of a type of pointers to it.
    pub fn name_record(&mut self, d: &Declared) {
        match &d.ty {
            CType::Record(name) => drop(self.record_names.insert(name.clone(), d.name.clone())),
            CType::Pointer(p) => {
                if let CType::Record(name) = &p.to {
                    self.record_names.entry(name.clone()).or_insert_with(|| format_smolstr!("{POINTED_AT}{})0)", d.name));
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, f: &lang_c::ast::StructField, record: &mut Record) -> Res<()> {
        let mut types = Vec::new();
        let (mut constant, mut volatile) = (false, false);
        for s in &f.specifiers {
            match &s.node {
                SpecifierQualifier::TypeSpecifier(t) => types.push(t),
                SpecifierQualifier::TypeQualifier(q) => {
                    constant |= q.node == TypeQualifier::Const;
                    volatile |= q.node == TypeQualifier::Volatile;
                    record.odd |= q.node == TypeQualifier::Atomic;
                }
                SpecifierQualifier::Extension(_) => {}
            }
        }
        let place = f.specifiers.first().map_or(lang_c::span::Span { start: 0, end: 0 }, |s| s.span);
        let (ty, inner) = self.base_type(&types, place)?;
        let text = self.spelled(&types, &ty);
        let field = |name, ty, constant| Field { name, ty, text: text.clone(), bits: false, constant, volatile };
        if f.declarators.is_empty() {
            record.fields.push(field(SmolStr::default(), ty, constant || inner));
            return Ok(());
        }
        for d in &f.declarators {
            let Some(declarator) = &d.node.declarator else { continue };
            let declared = self.declarator(&ty, constant || inner, declarator)?;
            record.fields.push(Field { bits: d.node.bit_width.is_some(), ..field(declared.name, declared.ty, declared.constant) });
        }
        Ok(())
    }

    /// What is known of a structure or union.
    pub fn record_of(&self, ty: &CType) -> Option<Rc<Record>> {
        let CType::Record(name) = ty else { return None };
        self.records.get(name).cloned()
    }

    /// A member of that name.
    pub fn field(&self, ty: &CType, name: &str) -> Option<Found> {
        self.field_in(ty, name, false, 0)
    }

    fn field_in(&self, ty: &CType, name: &str, shared: bool, depth: usize) -> Option<Found> {
        let record = self.record_of(ty).filter(|_| depth < DEEPEST)?;
        if let Some(found) = self.overlaid_member(ty, name, shared) {
            return Some(found);
        }
        let in_union = shared || record.union && record.fields.len() > 1;
        record.fields.iter().find_map(|f| match f.name.is_empty() {
            true => self.field_in(&f.ty, name, in_union, depth + 1),
            false => (f.name == name).then(|| Found { field: f.clone(), in_union, assumed: false, handed_out: false, overlay: None }),
        })
    }

    /// The members of a structure in the order of their declarations, those of members without a name in their place. Nothing where some are not understood.
    pub fn all_fields(&self, ty: &CType) -> Option<Vec<Found>> {
        let mut out = Vec::new();
        self.gather_fields(ty, false, 0, &mut out).then_some(out)
    }

    fn gather_fields(&self, ty: &CType, shared: bool, depth: usize, out: &mut Vec<Found>) -> bool {
        let Some(record) = self.record_of(ty).filter(|r| depth < DEEPEST && !r.odd) else { return false };
        if let Some(field) = self.overlaid(ty) {
            out.push(Found { field, in_union: shared, assumed: false, handed_out: false, overlay: None });
            return true;
        }
        let in_union = shared || record.union && record.fields.len() > 1;
        record.fields.iter().all(|f| {
            if f.name.is_empty() {
                return self.gather_fields(&f.ty, in_union, depth + 1, out);
            }
            out.push(Found { field: f.clone(), in_union, assumed: false, handed_out: false, overlay: None });
            true
        })
    }

    /// The size in bytes and the alignment, as the usual binary interfaces lay structures out.
    pub fn layout(&self, ty: &CType) -> Option<(i64, i64)> {
        self.layout_in(ty, 0)
    }

    fn layout_in(&self, ty: &CType, depth: usize) -> Option<(i64, i64)> {
        match ty {
            CType::Array(of, Extent::Fixed(n)) => {
                let (size, align) = self.layout_in(of, depth)?;
                Some((size.checked_mul(*n)?, align))
            }
            CType::Record(_) => {
                let record = self.record_of(ty).filter(|r| depth < DEEPEST && !r.odd && !r.fields.iter().any(|f| f.bits))?;
                let (mut end, mut widest) = (0i64, 1i64);
                for f in &record.fields {
                    let (size, align) = self.layout_in(&f.ty, depth + 1)?;
                    let start = if record.union { 0 } else { end.checked_add(align - 1)? / align * align };
                    end = end.max(start.checked_add(size)?);
                    widest = widest.max(align);
                }
                Some((end.checked_add(widest - 1)? / widest * widest, widest))
            }
            _ => ty.size().map(|n| (n, n.clamp(1, 16))),
        }
    }

    /// `sizeof` of a type.
    pub fn size_of(&mut self, ty: &CType, e: &Node<E>) -> Res<Operand> {
        if let Some((n, _)) = self.layout(ty) {
            let spelling = self.text.get(e.span.start..e.span.end).unwrap_or_default();
            return Ok(Operand::Value(Value::new(constant(&CType::SIZE, smol_str::format_smolstr!("{n}"), spelling), CType::SIZE)));
        }
        let mut at = ty;
        let mut product: Option<Expr> = None;
        while let CType::Array(of, extent) = at {
            let n = match extent {
                Extent::Fixed(n) => Expr::int(*n),
                Extent::Variable(n) => (**n).clone(),
                _ => return refuse(EXPRESSION, e, "the size of this array is not known"),
            };
            product = Some(product.map_or(n.clone(), |p| op("mul_scal_scal", "", [p, n])));
            at = of;
        }
        match (product, self.layout(at).map(|(n, _)| n)) {
            (Some(p), Some(n)) => {
                Ok(Operand::Value(Value::new(op("mul_scal_scal", "", [p, integer(i128::from(n), &CType::SIZE)]), CType::SIZE)))
            }
            _ => refuse(EXPRESSION, e, "the size of this object is not known"),
        }
    }
}
