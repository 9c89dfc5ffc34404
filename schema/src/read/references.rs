//! References: a variable, an element, a section.
//!
//! Lives here: the elements of the VariableReference type. Never here: where such a reference may stand.

use super::reader::Reader;
use super::xml::{Fallible, Ns, Tag, keep_spelling};
use crate::model::{RefOrigin, Subscripts, SymbolId, Tri, Triplet, VarRef};
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::borrow::Cow;

/// A reference with the id and the annotation that its element has.
pub(super) struct Referred {
    pub reference: VarRef,
    pub vertex_id: SmolStr,
    pub annotation: SmolStr,
}

impl<'a> Reader<'a> {
    /// A reference that stands alone: its own id and annotation stay with it.
    pub(super) fn lone_reference(&mut self, tag: &Tag<'a>) -> Fallible<VarRef> {
        let Referred { mut reference, vertex_id, annotation } = self.reference(tag)?;
        if (!vertex_id.is_empty() && vertex_id != "1") || !annotation.is_empty() {
            let origin = reference.origin.get_or_insert_default();
            origin.vertex_id = vertex_id;
            origin.annotation = annotation;
        }
        Ok(reference)
    }

    /// The attributes and the content of an element of the VariableReference type.
    pub(super) fn reference(&mut self, tag: &Tag<'a>) -> Fallible<Referred> {
        let mut origin = RefOrigin::default();
        let vertex_id = self.x.name("vertex_id");
        let annotation = self.x.name("annotation");
        origin.alias = self.x.number(tag, "alias", 0)?;
        origin.du_ud = self.x.number(tag, "du_ud", 0)?;
        let active = self.tri(tag, &mut origin.extras)?;
        let deriv = self.x.spelled_flag(tag, "deriv", false, &mut origin.extras)?;
        let constant = self.x.spelled_flag(tag, "constant", false, &mut origin.extras)?;
        let live = self.x.spelled_flag(tag, "live", true, &mut origin.extras)?;
        self.x.rest(tag, &mut origin.extras)?;
        let mut reference = VarRef { deriv, constant, live, active, ..VarRef::whole(SymbolId(0)) };
        let (mut symbols, mut arrays) = (0, 0);
        let mut edge: Option<(Cow<str>, Cow<str>)> = None;
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "SymbolReference") => {
                    symbols += 1;
                    reference.symbol = self.symbol_reference(&child, &mut origin)?;
                }
                (Ns::Xaif, "ArrayElementReference") => {
                    arrays += 1;
                    origin.array_vertex = self.x.name("vertex_id");
                    self.x.no_rest(&child)?;
                    reference.subscripts = self.triplets(&child)?;
                }
                (Ns::Xaif, "VariableReferenceEdge") => {
                    origin.edge_id = SmolStr::new(self.x.required(&child, "edge_id")?);
                    let source = self.x.required(&child, "source")?;
                    let target = self.x.required(&child, "target")?;
                    self.x.no_rest(&child)?;
                    if edge.replace((source, target)).is_some() {
                        self.x.error(&child, "OB1034", "a second edge in a variable reference")?;
                    }
                    self.x.leaf()?;
                }
                _ => self.x.foreign(&child)?,
            }
        }
        self.check_reference(tag, symbols, arrays, edge.as_ref(), &origin)?;
        forget_canonical(&mut origin);
        if origin != RefOrigin::default() {
            reference.origin = Some(Box::new(origin));
        }
        Ok(Referred { reference, vertex_id, annotation })
    }

    fn check_reference(
        &mut self,
        tag: &Tag,
        symbols: usize,
        arrays: usize,
        edge: Option<&(Cow<str>, Cow<str>)>,
        origin: &RefOrigin,
    ) -> Fallible<()> {
        let symbol = if origin.symbol_vertex.is_empty() { "1" } else { &origin.symbol_vertex };
        let array = if origin.array_vertex.is_empty() { "1" } else { &origin.array_vertex };
        let message = match (symbols, arrays, edge) {
            (1, 0, None) => return Ok(()),
            (1, 1, Some((source, target))) if *source == *symbol && *target == *array && symbol != array => return Ok(()),
            (0, ..) => "a variable reference without a symbol",
            (1, 0 | 1, Some(_)) => "the edge of a variable reference does not lead from its symbol to its subscripts",
            (1, 1, None) => "a variable reference whose subscripts no edge joins to the symbol",
            (1, ..) => "a variable reference with subscripts of subscripts",
            _ => "a variable reference with more than one symbol",
        };
        self.x.error(tag, "OB1034", message)
    }

    /// `active` of a reference: undefined, true or false.
    pub(super) fn tri(&mut self, tag: &Tag, extras: &mut crate::model::Extras) -> Fallible<Tri> {
        let Some(v) = self.x.get("active") else { return Ok(Tri::Undefined) };
        let t = match &*v {
            "undefined" => Tri::Undefined,
            "true" => Tri::True,
            "false" => Tri::False,
            "1" | "0" => {
                keep_spelling(extras, "active", &v);
                if v == "1" { Tri::True } else { Tri::False }
            }
            _ => {
                self.x.bad_value(tag, "active", &v, "undefined, true or false")?;
                Tri::Undefined
            }
        };
        Ok(t)
    }

    fn symbol_reference(&mut self, tag: &Tag<'a>, origin: &mut RefOrigin) -> Fallible<SymbolId> {
        origin.symbol_vertex = self.x.name("vertex_id");
        origin.symbol_annotation = self.x.name("annotation");
        let symbol = self.symbol_of(tag)?;
        self.x.no_rest(tag)?;
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "SymbolReferenceProperty") => {
                    let name = SmolStr::new(self.x.required(&child, "name")?);
                    let value = SmolStr::new(self.x.required(&child, "value")?);
                    self.x.no_rest(&child)?;
                    origin.properties.push((name, value));
                    self.x.leaf()?;
                }
                _ => self.x.foreign(&child)?,
            }
        }
        Ok(symbol)
    }

    fn triplets(&mut self, tag: &Tag<'a>) -> Fallible<Subscripts> {
        let mut triplets: SmallVec<[Triplet; 2]> = SmallVec::new();
        while let Some(child) = self.x.child()? {
            match (child.ns, child.local) {
                (Ns::Xaif, "IndexTriplet") => {
                    self.x.no_rest(&child)?;
                    let triplet = self.triplet()?;
                    triplets.push(triplet);
                }
                // The older layout has the index alone.
                (Ns::Xaif, "Index") => {
                    self.x.no_rest(&child)?;
                    self.x.problem(&child, old_layout("Index without IndexTriplet"))?;
                    if let Some(e) = self.expression(&child)? {
                        triplets.push(Triplet::element(e));
                    }
                }
                _ => self.x.foreign(&child)?,
            }
        }
        if triplets.is_empty() {
            self.x.error(tag, "OB1015", "an array element reference without subscripts")?;
        }
        Ok(triplets.into_iter().collect())
    }

    fn triplet(&mut self) -> Fallible<Triplet> {
        let mut t = Triplet::default();
        while let Some(child) = self.x.child()? {
            let part = match (child.ns, child.local) {
                (Ns::Xaif, "Index") => &mut t.index,
                (Ns::Xaif, "Bound") => &mut t.bound,
                (Ns::Xaif, "Stride") => &mut t.stride,
                _ => {
                    self.x.foreign(&child)?;
                    continue;
                }
            };
            self.x.no_rest(&child)?;
            let e = self.expression(&child)?;
            if part.is_some() {
                self.x.error(&child, "OB1016", format!("a second {} in a subscript", child.local))?;
            }
            *part = e;
        }
        Ok(t)
    }
}

/// The warning for what only old files have.
pub(super) fn old_layout(what: &str) -> crate::Diagnostic {
    crate::Diagnostic::warning("OB1017", format!("{what}: an older form of the format, read as the present one"))
}

/// Ids that the writer would give anyway are not kept.
fn forget_canonical(origin: &mut RefOrigin) {
    for (id, canonical) in [(&mut origin.symbol_vertex, "1"), (&mut origin.array_vertex, "2"), (&mut origin.edge_id, "1")] {
        if id == canonical {
            *id = SmolStr::default();
        }
    }
}
