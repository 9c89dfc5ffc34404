//! Unions whose members are all made of numbers of one real type: one array, under several names.
//!
//! ```text
//! union vec { struct { float x, y, z; }; struct { pair xy; float rest; }; float v[3]; } a;      a.y, a.xy.y      are      a.v[1]
//! ```
//!
//! The member that is an array of all the numbers stands for the union; the others are places in it. What begins at such a place (`a.xy`, `m.rows[1]`) is no structure
//! of the model: it is copied number by number.
//! Lives here: which unions these are, and the places. Never here: unions of several types, which are refused (see `member_variables`).

use crate::parse::context::places::{LValue, Pointer};
use crate::parse::context::records::{Field, Found};
use crate::parse::context::state::Lower;
use crate::parse::context::terms::{moved, op};
use crate::parse::language::types::{CType, Extent};
use crate::parse::text::refusals::{RECORD, Refusal, Res};
use lang_c::span::Span;
use xaif::model::Expr;

/// Types within types are looked at no deeper.
const DEEPEST: usize = 16;
/// More numbers are not copied one by one.
const MOST: i64 = 64;

fn refused<T>(span: Span) -> Res<T> {
    Err(Refusal::new(RECORD, span, "this part of a union is not followed")
        .because("where it lies in the array of the union's numbers is not known")
        .help("use the member that is an array, or copy the part to a variable"))
}

impl Lower<'_> {
    /// The numbers that a type consists of: their type, and how many there are.
    pub fn numbers_of(&self, ty: &CType) -> Option<(CType, i64)> {
        self.numbers_in(ty, 0)
    }

    fn numbers_in(&self, ty: &CType, depth: usize) -> Option<(CType, i64)> {
        match ty {
            CType::Real(_) => Some((ty.clone(), 1)),
            CType::Array(of, Extent::Fixed(n)) if *n > 0 => {
                let (number, count) = self.numbers_in(of, depth)?;
                Some((number, count.checked_mul(*n)?))
            }
            CType::Record(_) => {
                let record = self.record_of(ty).filter(|r| depth < DEEPEST && !r.odd)?;
                let mut all: Option<(CType, i64)> = None;
                for f in &record.fields {
                    let (number, count) = self.numbers_in(&f.ty, depth + 1).filter(|_| !f.bits && !f.constant && !f.volatile)?;
                    all = Some(match all {
                        None => (number, count),
                        Some((known, n)) if known == number => (number, if record.union { n.max(count) } else { n.checked_add(count)? }),
                        Some(_) => return None,
                    });
                }
                all
            }
            _ => None,
        }
    }

    /// The array that stands for a union of numbers.
    pub fn overlaid(&self, ty: &CType) -> Option<Field> {
        let record = self.record_of(ty).filter(|r| r.union && r.fields.len() > 1)?;
        let (number, count) = self.numbers_of(ty)?;
        let covers = |f: &&Field| self.numbers_of(&f.ty).is_some_and(|(_, n)| n == count);
        let arrays = || record.fields.iter().filter(|f| !f.name.is_empty() && f.ty.rank() > 0 && *f.ty.element() == number).filter(covers);
        arrays().find(|f| f.ty.rank() == 1).or_else(|| arrays().find(|f| f.ty.rank() == 2)).cloned()
    }

    /// Whether a list without names gives such a union's array its numbers in order: they go to the first member.
    pub fn is_listed_in_order(&self, ty: &CType) -> bool {
        let Some(record) = self.record_of(ty) else { return true };
        if self.overlaid(ty).is_some() {
            let count = |t: &CType| self.numbers_of(t).map(|n| n.1);
            return record.fields.first().is_some_and(|f| count(&f.ty) == count(ty));
        }
        record.fields.iter().filter(|f| f.name.is_empty()).all(|f| self.is_listed_in_order(&f.ty))
    }

    /// The first member of such a union, to which a list without names gives its values.
    pub fn first_overlay(&self, ty: &CType) -> Option<Found> {
        let field = self.overlaid(ty)?;
        let first = self.record_of(ty)?.fields.first()?.ty.clone();
        Some(Found { field, in_union: false, assumed: false, handed_out: false, overlay: Some((0, first)) })
    }

    /// A member of such a union: the array, and where in it what has that name begins.
    pub fn overlaid_member(&self, ty: &CType, name: &str, in_union: bool) -> Option<Found> {
        let field = self.overlaid(ty)?;
        let overlay = if field.name == name { None } else { Some(self.offset_in(ty, name, 0)?) };
        Some(Found { field, in_union, assumed: false, handed_out: false, overlay })
    }

    /// How many numbers lie in front of a member, and its type.
    fn offset_in(&self, ty: &CType, name: &str, depth: usize) -> Option<(i64, CType)> {
        let record = self.record_of(ty).filter(|_| depth < DEEPEST)?;
        let mut before = 0;
        for f in &record.fields {
            if f.name == name {
                return Some((before, f.ty.clone()));
            }
            if f.name.is_empty()
                && let Some((inside, inner)) = self.offset_in(&f.ty, name, depth + 1)
            {
                return Some((before + inside, inner));
            }
            if !record.union {
                before += self.numbers_of(&f.ty)?.1;
            }
        }
        None
    }

    /// Whether a structure is a place in the array of a union.
    pub fn is_overlay(&self, lv: &LValue) -> bool {
        matches!(lv.ty, CType::Record(_)) && !self.structures.contains_key(&lv.base) && self.overlays.contains_key(&lv.base)
    }

    /// What begins so many numbers behind the start of an array.
    pub fn overlay(&mut self, array: LValue, offset: i64, ty: CType, span: Span) -> Res<LValue> {
        let extents: Option<Vec<i64>> = array.ty.extents().iter().map(|x| if let Extent::Fixed(n) = x { Some(*n) } else { None }).collect();
        let Some(extents) = extents.filter(|x| (1..=2).contains(&x.len())) else { return refused(span) };
        let mut subs = array.subs;
        subs.extend(extents.iter().map(|_| Expr::int(0)));
        self.overlays.insert(array.base, extents);
        self.behind(LValue { base: array.base, subs, ty: array.ty }, offset, ty, span)
    }

    /// What begins so many numbers behind a place in such an array.
    fn behind(&self, at: LValue, offset: i64, ty: CType, span: Span) -> Res<LValue> {
        let Some(extents) = self.overlays.get(&at.base) else { return refused(span) };
        let mut subs = at.subs;
        let Some(last) = subs.pop() else { return refused(span) };
        let begins = match (&extents[..], last.as_int()) {
            ([_], _) => {
                subs.push(moved(last, Expr::int(offset)));
                0
            }
            ([_, length], Some(first)) => {
                let (row, place) = ((first + offset) / length, (first + offset) % length);
                let Some(rows) = subs.pop() else { return refused(span) };
                subs.extend([moved(rows, Expr::int(row)), Expr::int(place)]);
                place
            }
            _ if offset == 0 => {
                subs.push(last);
                1
            }
            _ => return refused(span),
        };
        // Rows of a matrix end where they end.
        let fits = match (&ty, &extents[..]) {
            (CType::Array(of, _), [_, _]) if of.rank() > 0 => false,
            (CType::Array(of, Extent::Fixed(n)), [_, length]) => match self.numbers_of(of) {
                Some((_, 1)) => begins + n <= *length,
                Some((_, k)) => begins == 0 && k % length == 0,
                None => false,
            },
            (CType::Record(_), [_, length]) => begins == 0 || begins + self.numbers_of(&ty).map_or(*length, |n| n.1) <= *length,
            _ => true,
        };
        if fits { Ok(LValue { base: at.base, subs, ty }) } else { refused(span) }
    }

    /// A member of a structure that is a place in such an array.
    pub fn member_of_overlay(&self, of: &LValue, name: &str, span: Span) -> Res<LValue> {
        match self.offset_in(&of.ty, name, 0) {
            Some((offset, ty)) => self.behind(of.clone(), offset, ty, span),
            None => refused(span),
        }
    }

    /// A pointer to a row that begins in the middle of such an array.
    pub fn is_row_within(&self, p: &Pointer) -> bool {
        p.to.rank() > 0 && self.overlays.contains_key(&p.base) && p.subs.len() == self.program.symbol(p.base).rank as usize
    }

    /// `p + i` of a pointer to such structures; `None` for other pointers.
    pub fn moved_in_overlay(&self, p: &Pointer, i: &Expr, span: Span) -> Option<Res<Pointer>> {
        let extents = self.overlays.get(&p.base)?;
        if self.structures.contains_key(&p.base) || !(matches!(p.to, CType::Record(_)) || self.is_row_within(p)) || i.as_int() == Some(0) {
            return None;
        }
        let count = self.numbers_of(&p.to).map_or(0, |n| n.1);
        let mut p = p.clone();
        let (step, place) = match &extents[..] {
            [_] => (count, p.subs.len().checked_sub(1)),
            [_, length] if count % length == 0 => (count / length, p.subs.len().checked_sub(2)),
            _ => return Some(refused(span)),
        };
        let Some(s) = place.and_then(|k| p.subs.get_mut(k)) else { return Some(refused(span)) };
        let by = if step == 1 { i.clone() } else { op("mul_scal_scal", "", [i.clone(), Expr::int(step)]) };
        *s = moved(s.clone(), by);
        Some(Ok(p))
    }

    /// The k-th number of a structure that has no others.
    pub fn number_at(&mut self, of: &LValue, k: i64, span: Span) -> Res<LValue> {
        let Some((number, _)) = self.numbers_of(&of.ty) else { return refused(span) };
        if self.is_overlay(of) {
            return self.behind(of.clone(), k, number, span);
        }
        let (mut at, mut left) = (of.clone(), k);
        loop {
            match at.ty.clone() {
                CType::Real(_) => return Ok(at),
                CType::Array(inner, _) => {
                    let count = self.numbers_of(&inner).map_or(1, |n| n.1);
                    at.subs.push(Expr::int(left / count));
                    (at.ty, left) = ((*inner).clone(), left % count);
                }
                ty => {
                    let mut found = None;
                    for f in self.all_fields(&ty).unwrap_or_default() {
                        let count = self.numbers_of(&f.field.ty).map_or(0, |n| n.1);
                        if f.in_union {
                            return refused(span);
                        }
                        if left < count {
                            found = Some(f);
                            break;
                        }
                        left -= count;
                    }
                    let Some(found) = found else { return refused(span) };
                    at.base = self.member_symbol(at.base, &found, span)?;
                    at.ty = found.field.ty;
                }
            }
        }
    }

    /// `a = b`, number by number.
    pub fn copy_numbers(&mut self, to: &LValue, from: &LValue, span: Span) -> Res<()> {
        let Some((_, count)) = self.numbers_of(&to.ty).filter(|n| n.1 <= MOST) else { return refused(span) };
        if to.base == from.base && self.is_overlay(from) {
            // They may overlap.
            let between = self.structure_of_overlay(from, span)?;
            return self.copy_numbers(to, &between, span);
        }
        let mut pairs = Vec::new();
        for k in 0..count {
            pairs.push((self.number_at(to, k, span)?, self.number_at(from, k, span)?));
        }
        for (k, (x, y)) in pairs.into_iter().enumerate() {
            self.settable(&x, span)?;
            self.emit_part(x.reference(), Expr::var(y.reference()), span, k == 0);
        }
        Ok(())
    }

    /// A structure that can be handed over in place of one that is a place in an array.
    pub fn structure_of_overlay(&mut self, from: &LValue, span: Span) -> Res<LValue> {
        let to = LValue { base: self.temporary_structure("part", &from.ty), subs: Vec::new(), ty: from.ty.clone() };
        self.copy_numbers(&to, from, span)?;
        Ok(to)
    }

    /// The place that a member with members and elements in it means: `steps` are those behind the member.
    pub fn within_overlay(&mut self, array: LValue, found: &Found, steps: &[Part], span: Span) -> Res<LValue> {
        match self.offset_within(found, steps) {
            Some((offset, ty)) => self.overlay(array, offset, ty, span),
            None => refused(span),
        }
    }

    /// How many numbers lie in front of that place, and its type.
    pub fn offset_within(&self, found: &Found, steps: &[Part]) -> Option<(i64, CType)> {
        let (mut at, mut ty) = found.overlay.clone()?;
        for s in steps {
            let (offset, inner) = match (s, &ty) {
                (Part::Element(k), CType::Array(of, _)) => (k * self.numbers_of(of)?.1, (**of).clone()),
                (Part::Element(_), _) => return None,
                (Part::Member(f), _) => match &f.overlay {
                    Some(inside) => inside.clone(),
                    None => self.offset_in(&ty, &f.field.name, 0)?,
                },
            };
            (at, ty) = (at + offset, inner);
        }
        Some((at, ty))
    }
}

/// A step into what an initializer list gives a value.
pub(crate) enum Part {
    Element(i64),
    Member(Found),
}
