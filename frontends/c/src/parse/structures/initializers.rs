//! Initial values of structures: which member of which element each expression of an initializer list goes to.
//!
//! ```text
//! struct { int n; double v[2]; } t[] = {{1, 2.0, 3.0}, [1].v[1] = 4.0};      ->      [0].n, [0].v[0], [0].v[1], [1].v[1]
//! ```
//!
//! Lives here: lists with and without inner braces, designators, and what becomes of them: assignments for a variable of the function, tables for what keeps its value.
//! Never here: lists of plain arrays (see `local_declarations`).

use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::records::Found;
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::terms::zero_of;
use crate::parse::context::values::Operand;
use crate::parse::language::types::{CType, Extent};
use crate::parse::structures::overlaid_numbers::Part;
use crate::parse::text::refusals::{INITIALIZER, Refusal, Res, refuse};
use crate::parse::text::syntax::uncast;
use crate::parse::types::declarations::{Declared, Specified};
use lang_c::ast::{Designator, Expression as E, Initializer, InitializerListItem};
use lang_c::span::{Node, Span};
use smol_str::{SmolStr, ToSmolStr};
use std::collections::BTreeMap;
use xaif::model::{Expr, Storage, SymbolId};

/// Elements of a table at most.
const LARGEST: i64 = 200_000;

/// A step from an object to a part of it.
#[derive(Clone, Debug)]
enum Step {
    Index(i64),
    Member(Box<Found>),
}

/// An expression with the way to what it is the initial value of.
struct Entry<'a> {
    path: Vec<Step>,
    value: &'a Node<E>,
}

/// The subscripts on a way, and the members.
fn parted(path: &[Step]) -> (Vec<i64>, Vec<Found>) {
    let (mut indices, mut members) = (Vec::new(), Vec::new());
    for s in path {
        match s {
            Step::Index(k) => indices.push(*k),
            Step::Member(f) => members.push((**f).clone()),
        }
    }
    (indices, members)
}

fn part_of(s: &Step) -> Part {
    match s {
        Step::Index(k) => Part::Element(*k),
        Step::Member(f) => Part::Member((**f).clone()),
    }
}

impl<'a> Lower<'a> {
    /// A structure that a function declares, or an array of them.
    pub fn local_structure(
        &mut self,
        s: &Specified,
        mut d: Declared,
        fact: Option<usize>,
        init: Option<&'a Node<Initializer>>,
        span: Span,
        whole: Span,
    ) -> Res<()> {
        d.ty = self.completed(d.ty, init)?;
        let plain = Specified { constant: d.constant, ..s.clone() };
        let symbol = self.declare_structure(&plain, &d.name, &d.ty, d.place, span)?;
        self.link(fact, symbol);
        let ty = d.ty.clone();
        self.bind(d.name, Binding::Variable(Variable { ty: d.ty, place: Place::Object(symbol), value: None, fact }));
        let Some(init) = init else { return Ok(()) };
        if s.fixed {
            let constant = d.constant && self.initializer_is_constant(init);
            return self.keep_initial(symbol, &ty, Some(init), constant, span);
        }
        match &init.node {
            Initializer::List(items) => self.assign_initial(symbol, &ty, items, whole),
            Initializer::Expression(e) => {
                let Operand::Structure(from) = self.full(e, |l, e| l.operand(e))? else {
                    return refuse(INITIALIZER, e.as_ref(), "this structure is not followed");
                };
                self.copy_structure(&LValue { base: symbol, subs: Vec::new(), ty }, &from, whole)
            }
        }
    }

    /// The parts that an object consists of, in order: the k-th one with its type.
    fn part_at(&self, ty: &CType, k: i64) -> Option<(Step, CType)> {
        match ty {
            CType::Array(of, extent) => {
                let inside = !matches!(extent, Extent::Fixed(n) if k >= *n);
                inside.then(|| (Step::Index(k), (**of).clone()))
            }
            _ => {
                if !self.is_listed_in_order(ty) {
                    let found = self.first_overlay(ty).filter(|_| k == 0)?;
                    let inner = found.clone().ty();
                    return Some((Step::Member(Box::new(found)), inner));
                }
                let fields = self.all_fields(ty)?;
                let found = fields.get(usize::try_from(k).ok()?)?.clone();
                let inner = found.field.ty.clone();
                Some((Step::Member(Box::new(found)), inner))
            }
        }
    }

    fn is_aggregate(&self, ty: &CType) -> bool {
        matches!(ty, CType::Array(..)) || self.record_of(ty).is_some()
    }

    /// The expressions of a list in braces for an object of this type.
    fn entries(&mut self, ty: &CType, items: &'a [Node<InitializerListItem>], at: &[Step], out: &mut Vec<Entry<'a>>) -> Res<()> {
        let (mut item, mut next) = (0, 0i64);
        while let Some(i) = items.get(item) {
            let (step, inner) = if i.node.designation.is_empty() {
                let Some(found) = self.part_at(ty, next) else {
                    return refuse(INITIALIZER, i, "there are more values than the object has parts");
                };
                found
            } else {
                let (path, inner, first) = self.designated(ty, i)?;
                if path.len() > 1 {
                    let all: Vec<Step> = at.iter().cloned().chain(path).collect();
                    let follows = items.get(item + 1).is_some_and(|n| n.node.designation.is_empty());
                    if follows {
                        return refuse(INITIALIZER, i, "this designator is followed by a value without one");
                    }
                    self.entry(&inner, items, item, &all, out)?;
                    item += 1;
                    next = first + 1;
                    continue;
                }
                next = first;
                (path[0].clone(), inner)
            };
            let mut path = at.to_vec();
            path.push(step);
            item = self.entry(&inner, items, item, &path, out)?;
            next += 1;
        }
        Ok(())
    }

    /// Takes what belongs to one part from an item on, and returns the item behind it.
    fn entry(
        &mut self,
        ty: &CType,
        items: &'a [Node<InitializerListItem>],
        item: usize,
        path: &[Step],
        out: &mut Vec<Entry<'a>>,
    ) -> Res<usize> {
        let Some(i) = items.get(item) else { return Ok(item) };
        match &i.node.initializer.node {
            Initializer::List(list) if self.is_aggregate(ty) => {
                self.entries(ty, list, path, out)?;
                Ok(item + 1)
            }
            Initializer::List(list) => match &list[..] {
                [Node { node: InitializerListItem { initializer, .. }, .. }] => match &initializer.node {
                    Initializer::Expression(e) => {
                        out.push(Entry { path: path.to_vec(), value: e });
                        Ok(item + 1)
                    }
                    Initializer::List(_) => refuse(INITIALIZER, i, "this initializer is not supported"),
                },
                _ => refuse(INITIALIZER, i, "this initializer is not supported"),
            },
            Initializer::Expression(e) => {
                let text = matches!(e.node, E::StringLiteral(_));
                let whole = matches!(ty, CType::Record(_)) && self.type_of(e).as_ref() == Some(ty);
                if !self.is_aggregate(ty) || text || whole {
                    out.push(Entry { path: path.to_vec(), value: e });
                    return Ok(item + 1);
                }
                // Without braces of its own, the part takes as many items as it has parts.
                let (mut at, mut k) = (item, 0);
                while let Some((step, inner)) = self.part_at(ty, k) {
                    if items.get(at).is_none_or(|n| at > item && !n.node.designation.is_empty()) {
                        break;
                    }
                    let mut path = path.to_vec();
                    path.push(step);
                    at = self.entry(&inner, items, at, &path, out)?;
                    k += 1;
                    if self.record_of(ty).is_some_and(|r| r.union) {
                        break;
                    }
                }
                if at == item {
                    return refuse(INITIALIZER, i, "this initializer is not supported");
                }
                Ok(at)
            }
        }
    }

    /// What `[2].x` in front of a value names: the way there, the type, and the number of the outermost part.
    fn designated(&mut self, ty: &CType, item: &Node<InitializerListItem>) -> Res<(Vec<Step>, CType, i64)> {
        let (mut path, mut inner, mut first) = (Vec::new(), ty.clone(), 0);
        for (depth, d) in item.node.designation.iter().enumerate() {
            let (step, to, number) = match &d.node {
                Designator::Index(e) => {
                    let k = self.constant_integer(e).and_then(|v| i64::try_from(v).ok()).filter(|k| (0..LARGEST).contains(k));
                    let found = k.filter(|_| matches!(inner, CType::Array(..))).and_then(|k| Some((self.part_at(&inner, k)?, k)));
                    let Some(((step, to), k)) = found else { return refuse(INITIALIZER, d, "this designator names no element") };
                    (step, to, k)
                }
                Designator::Member(name) => {
                    let fields = self.all_fields(&inner).unwrap_or_default();
                    let found = self.field(&inner, &name.node.name);
                    let known = found.and_then(|f| Some((fields.iter().position(|x| x.field.name == f.field.name)?, f)));
                    let Some((k, found)) = known else {
                        return refuse(INITIALIZER, d, "this designator names no member that is known");
                    };
                    (Step::Member(Box::new(found.clone())), found.ty(), k as i64)
                }
                Designator::Range(_) => return refuse(INITIALIZER, d, "this designator is not supported"),
            };
            if depth == 0 {
                first = number;
            }
            path.push(step);
            inner = to;
        }
        Ok((path, inner, first))
    }

    /// How many structures an initializer list gives an array without extent.
    pub fn structures_listed(&mut self, of: &CType, items: &'a [Node<InitializerListItem>]) -> Res<i64> {
        let mut out = Vec::new();
        let open = CType::Array(std::rc::Rc::new(of.clone()), Extent::Unknown);
        self.entries(&open, items, &[], &mut out)?;
        let indices = out.iter().filter_map(|e| if let Some(Step::Index(k)) = e.path.first() { Some(*k + 1) } else { None });
        Ok(indices.max().unwrap_or(0))
    }

    /// Assignments of the initial values of a structure of the function, or of an array of them; what the list leaves out is zero.
    pub fn assign_initial(&mut self, base: SymbolId, ty: &CType, items: &'a [Node<InitializerListItem>], span: Span) -> Res<()> {
        let mut entries = Vec::new();
        self.entries(ty, items, &[], &mut entries)?;
        // All values are there before anything is set: a list may name its own variable's former contents only by mistake.
        let whole = LValue { base, subs: Vec::new(), ty: ty.element().clone() };
        self.zero_left_out(&whole, ty, &entries, span)?;
        for Entry { path, value } in entries {
            let (indices, members) = parted(&path);
            let subs: Vec<Expr> = indices.iter().map(|k| Expr::int(*k)).collect();
            if let Some(lv) = self.initial_overlay(&whole, &path, value.span)? {
                self.set_initial(&lv, value)?;
                continue;
            }
            if let Some((last, before)) = members.split_last()
                && (last.in_union || !(last.field.ty.element().is_arithmetic() || self.is_structure(&last.field.ty)))
            {
                self.initial_pointer(&LValue { subs, ..whole.clone() }, before, last, value, span)?;
                continue;
            }
            let Some(lv) = self.at_path(&LValue { subs, ..whole.clone() }, &members, span)? else { continue };
            self.set_initial(&lv, value)?;
        }
        Ok(())
    }

    /// The initial value of one part.
    fn set_initial(&mut self, lv: &LValue, value: &'a Node<E>) -> Res<()> {
        let element = lv.ty.element().clone();
        if let CType::Record(_) = element {
            let Operand::Structure(from) = self.full(value, |l, e| l.operand(e))? else {
                return refuse(INITIALIZER, value, "this structure is not followed");
            };
            return self.copy_structure(&LValue { ty: element, ..lv.clone() }, &from, value.span);
        }
        if matches!(value.node, E::StringLiteral(_)) {
            return refuse(INITIALIZER, value, "a text in a structure is not followed");
        }
        let v = self.full(value, |l, e| l.value(e))?.stored_as(&element);
        self.emit_assignment(lv.reference(), v, value.span);
        Ok(())
    }

    /// The subscripts on a way, and the members; of a union of numbers, those of the array that stands for it.
    fn parted_in_array(&self, path: &[Step]) -> Option<(Vec<i64>, Vec<Found>)> {
        let Some(k) = path.iter().position(|s| matches!(s, Step::Member(f) if f.overlay.is_some())) else { return Some(parted(path)) };
        let (before, behind) = path.split_at(k + 1);
        let (mut indices, members) = parted(before);
        let found = members.last()?;
        let (mut at, last) = self.offset_within(found, &behind.iter().map(part_of).collect::<Vec<_>>())?;
        if !last.is_real() {
            return None;
        }
        let inner = extents(&found.field.ty);
        for n in (1..inner.len()).map(|k| inner[k..].iter().product::<i64>()).chain([1]) {
            indices.push(at / n);
            at %= n;
        }
        Some((indices, members))
    }

    /// The place of a part of a union of numbers; `None` for what is none.
    fn initial_overlay(&mut self, whole: &LValue, path: &[Step], span: Span) -> Res<Option<LValue>> {
        let Some(k) = path.iter().position(|s| matches!(s, Step::Member(f) if f.overlay.is_some())) else { return Ok(None) };
        let (before, behind) = path.split_at(k + 1);
        let (indices, members) = parted(before);
        let subs = indices.iter().map(|k| Expr::int(*k)).collect();
        let (Some(found), Some(array)) = (members.last(), self.at_path(&LValue { subs, ..whole.clone() }, &members, span)?) else {
            return Ok(None);
        };
        let steps: Vec<Part> = behind.iter().map(part_of).collect();
        self.within_overlay(array, found, &steps, span).map(Some)
    }

    /// The initial value of a member that is no number: null, or the target of a pointer.
    fn initial_pointer(&mut self, whole: &LValue, before: &[Found], last: &Found, value: &'a Node<E>, span: Span) -> Res<()> {
        if self.operand_is_null(value) == Some(true) {
            return Ok(());
        }
        let of = match before.is_empty() {
            true => Some(whole.clone()),
            false => self.at_path(whole, before, span)?,
        };
        match of.filter(|of| of.subs.is_empty() && self.program.symbol(of.base).rank == 0 && !last.in_union) {
            Some(of) => self.set_member_target(&of, last.field.name.clone(), value).map(drop),
            None => refuse(INITIALIZER, value, format!("the member `{}` gets a value that is not followed", last.field.name)),
        }
    }

    /// Members that a list does not name in full become zero first.
    fn zero_left_out(&mut self, whole: &LValue, ty: &CType, entries: &[Entry], span: Span) -> Res<()> {
        let outer: i64 = extents(ty).iter().product();
        let mut numbers: Vec<Vec<Found>> = Vec::new();
        self.each_plain_number(ty.element(), &mut Vec::new(), &mut numbers);
        for path in numbers {
            let names = |p: &[Found]| p.iter().map(|f| f.field.name.clone()).collect::<Vec<_>>();
            let inner: i64 = path.iter().flat_map(|f| extents(&f.field.ty)).product();
            let mut given: Vec<Vec<i64>> = Vec::new();
            let mut through_whole = 0;
            for e in entries {
                let (indices, members) = parted(&e.path);
                if names(&members) == names(&path) {
                    given.push(indices);
                } else if names(&path).starts_with(&names(&members)) {
                    through_whole += 1;
                }
            }
            given.sort();
            given.dedup();
            if given.len() as i64 == outer * inner
                || through_whole == 1 && outer == 1 && path.iter().rev().skip(1).all(|f| f.field.ty.rank() == 0)
            {
                continue;
            }
            let Some(lv) = self.at_path(whole, &path, span)? else { continue };
            let zero = zero_of(lv.ty.element());
            let lhs = self.whole_reference(&lv);
            self.emit_part(lhs, zero, span, false);
        }
        Ok(())
    }

    /// The members of a type that are numbers; others are passed over, as are reals that share their memory.
    fn each_plain_number(&mut self, ty: &CType, path: &mut Vec<Found>, out: &mut Vec<Vec<Found>>) {
        for found in self.all_fields(ty).unwrap_or_default() {
            let inner = found.field.ty.clone();
            if found.in_union && inner.element().is_real() {
                continue;
            }
            path.push(found);
            if inner.element().is_arithmetic() {
                out.push(path.clone());
            } else if self.record_of(inner.element()).is_some() {
                self.each_plain_number(inner.element(), path, out);
            }
            path.pop();
        }
    }

    /// The initial values of a structure that keeps its value, or of a table of them, as tables of its members.
    pub fn tabulate(&mut self, base: SymbolId, ty: &CType, items: &'a [Node<InitializerListItem>], span: Span) -> Res<()> {
        items.iter().for_each(|i| self.note_functions(&i.node.initializer.node));
        let mut entries = Vec::new();
        self.entries(ty, items, &[], &mut entries)?;
        let mut numbers: Vec<Vec<Found>> = Vec::new();
        self.each_plain_number(ty.element(), &mut Vec::new(), &mut numbers);
        let whole = LValue { base, subs: Vec::new(), ty: ty.element().clone() };
        let mut tables: BTreeMap<Vec<SmolStr>, Vec<(Vec<i64>, SmolStr)>> = BTreeMap::new();
        for e in &entries {
            let Some((indices, members)) = self.parted_in_array(&e.path) else {
                return Err(Refusal::new(INITIALIZER, e.value.span, "this part of a union gets a value that is not followed")
                    .help("give all its numbers in a list, or name the member that is an array"));
            };
            let text = self.text.get(e.value.span.start..e.value.span.end).unwrap_or_default();
            tables.entry(members.iter().map(|f| f.field.name.clone()).collect()).or_default().push((indices, text.into()));
        }
        self.kept_targets(&whole, &entries, span)?;
        // Which of the members of a union has been given a value nobody says.
        for path in numbers.into_iter().filter(|p| !p.iter().any(|f| f.in_union)) {
            let Some(lv) = self.at_path(&whole, &path, span)? else { continue };
            let mut shape = extents(ty);
            shape.extend(path.iter().flat_map(|f| extents(&f.field.ty)));
            let count: i64 = shape.iter().product();
            if count > LARGEST {
                return Err(Refusal::new(INITIALIZER, span, "this table is too large"));
            }
            let zero = if lv.ty.element().is_real() { "0.0" } else { "0" };
            let mut list = vec![zero.to_smolstr(); usize::try_from(count).unwrap_or(0)];
            let key: Vec<SmolStr> = path.iter().map(|f| f.field.name.clone()).collect();
            for (indices, text) in tables.remove(&key).unwrap_or_default() {
                let place = indices.iter().zip(&shape).fold(0, |p, (k, n)| p * n + k);
                if let Some(slot) = usize::try_from(place).ok().and_then(|p| list.get_mut(p)) {
                    *slot = text;
                }
            }
            let text = match shape.is_empty() {
                true => list.swap_remove(0),
                false => smol_str::format_smolstr!("{{{}}}", list.join(", ")),
            };
            let symbol = self.program.symbol_mut(lv.base);
            symbol.decl.get_or_insert_default().init_text = text;
        }
        Ok(())
    }

    /// The targets of pointers in a structure of the file that nothing stores to: `static const struct series s = {coefficients, 14};`.
    fn kept_targets(&mut self, whole: &LValue, entries: &[Entry<'a>], span: Span) -> Res<()> {
        let symbol = self.program.symbol(whole.base);
        let name = symbol.name.clone();
        // Other files know those that are neither.
        let private = *symbol.storage() == Storage::Constant || symbol.has_attribute("static");
        let own = self.body.is_none() && private && symbol.rank == 0 && !self.stored.contains(&name);
        for e in entries.iter().filter(|_| own) {
            let (_, members) = parted(&e.path);
            let Some((last, before)) = members.split_last() else { continue };
            let CType::Pointer(to) = &last.field.ty else { continue };
            let E::Identifier(i) = &uncast(e.value).node else { continue };
            let Some(Binding::Variable(v)) = self.find(&i.node.name) else { continue };
            let (Place::Object(base), CType::Array(of, Extent::Fixed(_))) = (&v.place, &v.ty) else { continue };
            if **of != to.to || !of.is_arithmetic() {
                continue;
            }
            let target = Pointer { base: *base, subs: vec![Expr::int(0)], to: to.to.clone() };
            let of = match before.is_empty() {
                true => Some(whole.clone()),
                false => self.at_path(whole, before, span)?,
            };
            if let Some(of) = of.filter(|of| of.subs.is_empty() && !last.in_union) {
                self.targets.insert((of.base, last.field.name.clone()), target);
            }
        }
        Ok(())
    }

    /// Gives a structure that keeps its value its initial values.
    pub fn keep_initial(&mut self, base: SymbolId, ty: &CType, init: Option<&'a Node<Initializer>>, constant: bool, span: Span) -> Res<()> {
        let Some(init) = init else { return Ok(()) };
        let Initializer::List(items) = &init.node else {
            return Err(Refusal::new(INITIALIZER, span, "a structure that keeps its value is initialized with something that is no list"));
        };
        if constant && let Some(d) = &mut self.program.symbol_mut(base).decl {
            d.storage = Storage::Constant;
        }
        self.tabulate(base, ty, items, span)?;
        let text = self.original(init.span);
        let text = if text.is_empty() { self.text.get(init.span.start..init.span.end).unwrap_or_default().to_owned() } else { text };
        if let Some(d) = &mut self.program.symbol_mut(base).decl {
            d.init_text = text.trim_start_matches(['=', ' ']).into();
        }
        Ok(())
    }
}

/// The constant extents of an array; nothing for what is none.
fn extents(ty: &CType) -> Vec<i64> {
    ty.extents().iter().map(|x| if let Extent::Fixed(n) = x { *n } else { 0 }).collect()
}
