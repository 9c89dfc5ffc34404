//! Expressions: term graphs over variables, constants and intrinsics.

use super::handles::{Extras, SymbolId};
use super::lists::{Operands, Subscripts};
use super::operation::{Op, Operation};
use super::types::{BaseType, ElemType};
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::sync::Arc;

/// A vertex of an [`Expr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Position in [`Expr::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value that may also be left open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tri {
    /// As the symbol says.
    #[default]
    Undefined,
    /// Yes.
    True,
    /// No.
    False,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Type and width.
    pub ty: ElemType,
    /// `feType`, verbatim.
    pub fe_type: SmolStr,
    /// The value: decimal for numbers (`1.5e-3`, `-7`), `true`/`false`, text verbatim.
    pub value: SmolStr,
    /// The source's own spelling (`1.d0`, `0x10`, `1e-3f`), empty if there is none.
    pub spelling: SmolStr,
}

/// One dimension of a subscript. An index alone is an element; with a bound or a stride it is a section, whose omitted parts are the declared bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triplet {
    /// The element, or the lower end of the section.
    pub index: Option<Expr>,
    /// The upper end, inclusive.
    pub bound: Option<Expr>,
    /// The step. A whole dimension (`:`) has none of the three.
    pub stride: Option<Expr>,
}

impl Triplet {
    /// The element at an index.
    pub fn element(index: Expr) -> Triplet {
        Triplet { index: Some(index), bound: None, stride: None }
    }

    fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.index.iter_mut().chain(&mut self.bound).chain(&mut self.stride)
    }

    /// True unless it selects one element.
    pub fn is_section(&self) -> bool {
        self.index.is_none() || self.bound.is_some() || self.stride.is_some()
    }
}

/// What a file says of a reference: ids, where they are not the canonical ones, and keys into sets that stand elsewhere in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefOrigin {
    /// `vertex_id` of the reference itself (call arguments and references of propagators; expression vertices have it in [`NodeOrigin`]).
    pub vertex_id: SmolStr,
    /// `vertex_id` of SymbolReference.
    pub symbol_vertex: SmolStr,
    /// `vertex_id` of ArrayElementReference.
    pub array_vertex: SmolStr,
    /// `edge_id` of VariableReferenceEdge.
    pub edge_id: SmolStr,
    /// Annotation of the reference.
    pub annotation: SmolStr,
    /// Annotation of SymbolReference.
    pub symbol_annotation: SmolStr,
    /// SymbolReferenceProperty pairs.
    pub properties: Vec<(SmolStr, SmolStr)>,
    /// Key into the alias sets.
    pub alias: u32,
    /// Key into the du/ud sets.
    pub du_ud: u32,
    /// Which optional attributes were written out, and unknown ones.
    pub extras: Extras,
}

/// A reference to a variable, an element or a section.
#[derive(Clone, Debug, PartialEq)]
pub struct VarRef {
    /// The variable.
    pub symbol: SymbolId,
    /// One triplet for each dimension, in source order; empty: no subscripts.
    pub subscripts: Subscripts,
    /// The derivative component (openad dialect and propagators only).
    pub deriv: bool,
    /// `active` of the reference.
    pub active: Tri,
    /// `constant` attribute.
    pub constant: bool,
    /// `live` attribute of a left-hand side.
    pub live: bool,
    /// What the file that it came from says of it.
    pub origin: Option<Box<RefOrigin>>,
}

impl VarRef {
    /// The variable itself, whole.
    pub fn whole(symbol: SymbolId) -> VarRef {
        VarRef {
            symbol,
            subscripts: Subscripts::default(),
            deriv: false,
            active: Tri::Undefined,
            constant: false,
            live: true,
            origin: None,
        }
    }

    /// An element of it.
    pub fn element(symbol: SymbolId, indices: impl IntoIterator<Item = Expr>) -> VarRef {
        VarRef { subscripts: indices.into_iter().map(Triplet::element).collect(), ..VarRef::whole(symbol) }
    }

    /// The same subscripts on another variable.
    pub fn with_symbol(&self, symbol: SymbolId) -> VarRef {
        VarRef { subscripts: self.subscripts.clone(), ..VarRef::whole(symbol) }
    }

    /// Key into the alias sets of the file that it came from; 0: none.
    pub fn alias(&self) -> u32 {
        self.origin.as_ref().map_or(0, |o| o.alias)
    }

    /// Key into the du/ud sets of the file that it came from; 0: none.
    pub fn du_ud(&self) -> u32 {
        self.origin.as_ref().map_or(0, |o| o.du_ud)
    }

    /// Gives it these keys, into the alias sets and the du/ud sets.
    pub fn set_keys(&mut self, alias: u32, du_ud: u32) {
        if (alias, du_ud) != (self.alias(), self.du_ud()) {
            let origin = self.origin.get_or_insert_default();
            (origin.alias, origin.du_ud) = (alias, du_ud);
        }
    }

    /// Takes its ids away; keys stay.
    pub fn forget_ids(&mut self) {
        let (alias, du_ud) = (self.alias(), self.du_ud());
        self.origin = None;
        self.set_keys(alias, du_ud);
    }

    /// All index, bound and stride expressions.
    pub fn index_exprs(&self) -> impl Iterator<Item = &Expr> {
        self.subscripts.iter().flat_map(|t| t.index.iter().chain(&t.bound).chain(&t.stride))
    }

    /// All index, bound and stride expressions, to be changed.
    pub fn index_exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.subscripts.iter_mut().flat_map(Triplet::exprs_mut)
    }

    /// Calls `visit` for every reference in the subscripts, and then for this one.
    pub fn for_each_ref_mut(&mut self, visit: &mut dyn FnMut(&mut VarRef)) {
        // Constant subscripts stay shared.
        if self.index_exprs().any(|e| e.refs().next().is_some()) {
            self.subscripts.change(|list| list.iter_mut().flat_map(Triplet::exprs_mut).for_each(|e| e.for_each_ref_mut(visit)));
        }
        visit(self);
    }

    /// True where the reference itself takes no part in derivatives, whatever its variable does.
    pub fn is_passive(&self) -> bool {
        self.active == Tri::False
    }

    /// True where some subscript selects more than one element.
    pub fn has_section(&self) -> bool {
        self.subscripts.iter().any(Triplet::is_section)
    }
}

/// Relational and logical operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BoolOp {
    LessThan,
    LessOrEqual,
    GreaterThan,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    Xor,
}

impl BoolOp {
    /// All of them, with their names in the XML.
    pub const ALL: [(BoolOp, &'static str); 10] = [
        (BoolOp::LessThan, "less_than"),
        (BoolOp::LessOrEqual, "less_or_equal"),
        (BoolOp::GreaterThan, "greater_than"),
        (BoolOp::GreaterOrEqual, "greater_or_equal"),
        (BoolOp::Equal, "equal"),
        (BoolOp::NotEqual, "not_equal"),
        (BoolOp::And, "and"),
        (BoolOp::Or, "or"),
        (BoolOp::Not, "not"),
        (BoolOp::Xor, "xor"),
    ];

    /// Name in the XML.
    pub fn name(self) -> &'static str {
        BoolOp::ALL.iter().find(|(op, _)| *op == self).map_or("", |(_, name)| name)
    }

    /// The operator of that name.
    pub fn from_name(name: &str) -> Option<BoolOp> {
        BoolOp::ALL.iter().find(|(_, n)| *n == name).map(|(op, _)| *op)
    }
}

/// What a vertex is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A variable; leaf.
    Var(VarRef),
    /// A constant; leaf.
    Const(Arc<Constant>),
    /// An intrinsic over its operands.
    Op(Op),
    /// A relation or a connective over its operands.
    Bool(BoolOp),
    /// A call of a unit: legal in the schema, never made by us; operands are its arguments.
    FunctionCall(SymbolId),
}

/// Ids of an expression vertex as they stood in a file, where they are not the canonical ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeOrigin {
    /// `vertex_id`.
    pub vertex_id: SmolStr,
    /// `edge_id` of the edge from each operand.
    pub edge_ids: Vec<SmolStr>,
    /// Annotation of the vertex.
    pub annotation: SmolStr,
    /// Other attributes, known and unknown (`type`, `rType`, `rShape` of an intrinsic), verbatim.
    pub extras: Extras,
}

/// A vertex with its operands in position order.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// The operands: always earlier in [`Expr::nodes`].
    pub operands: Operands,
    /// Ids in the file it came from.
    pub origin: Option<Box<NodeOrigin>>,
}

/// A term graph with one root. The nodes are in topological order (operands first) and the last is the root, so every pass
/// over it is a loop, never a recursion. A node may have several parents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expr {
    /// The vertices, operands before operators, root last. Empty only in a malformed program.
    pub nodes: Vec<Node>,
}

impl Expr {
    /// A leaf or an operator whose operands are already in place.
    fn push(&mut self, kind: NodeKind, operands: Operands) -> NodeId {
        self.nodes.push(Node { kind, operands, origin: None });
        NodeId(self.nodes.len() as u32 - 1)
    }

    // One vertex takes the room of one: most expressions of a large program are leaves.
    fn leaf(kind: NodeKind) -> Expr {
        let mut e = Expr { nodes: Vec::with_capacity(1) };
        e.push(kind, Operands::new());
        e
    }

    /// A variable.
    pub fn var(reference: VarRef) -> Expr {
        Expr::leaf(NodeKind::Var(reference))
    }

    /// A scalar variable, or a whole array.
    pub fn sym(symbol: SymbolId) -> Expr {
        Expr::var(VarRef::whole(symbol))
    }

    /// A constant.
    pub fn constant(constant: Constant) -> Expr {
        Expr::leaf(NodeKind::Const(Arc::new(constant)))
    }

    /// An integer constant of default width.
    pub fn int(value: i64) -> Expr {
        Expr::constant(Constant {
            ty: ElemType::INTEGER,
            fe_type: SmolStr::default(),
            value: smol_str::format_smolstr!("{value}"),
            spelling: SmolStr::default(),
        })
    }

    /// A real constant; Rust's shortest form that reads back to the same value.
    pub fn real(value: f64, bits: u16) -> Expr {
        Expr::constant(Constant {
            ty: ElemType { base: BaseType::Real, bits },
            fe_type: SmolStr::default(),
            value: smol_str::format_smolstr!("{value:?}"),
            spelling: SmolStr::default(),
        })
    }

    /// A truth value.
    pub fn bool(value: bool) -> Expr {
        Expr::constant(Constant {
            ty: ElemType::BOOL,
            fe_type: SmolStr::default(),
            value: SmolStr::new_static(if value { "true" } else { "false" }),
            spelling: SmolStr::default(),
        })
    }

    /// An intrinsic over operands.
    pub fn op(name: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::node(NodeKind::Op(Op::named(name)), operands)
    }

    /// An intrinsic with a stated result type and spelling (a conversion).
    pub fn op_typed(name: &str, ty: ElemType, spelling: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::node(NodeKind::Op(Operation { name: name.into(), ty: Some(ty), spelling: spelling.into() }.into()), operands)
    }

    /// A relation or connective over operands.
    pub fn boolean(op: BoolOp, operands: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::node(NodeKind::Bool(op), operands)
    }

    /// Any operator over operands, which are appended one after the other.
    pub fn node(kind: NodeKind, operands: impl IntoIterator<Item = Expr>) -> Expr {
        let operands: SmallVec<[Expr; 2]> = operands.into_iter().collect();
        let mut e = Expr { nodes: Vec::with_capacity(1 + operands.iter().map(|o| o.nodes.len()).sum::<usize>()) };
        let roots = operands.into_iter().map(|o| e.append(o)).collect();
        e.push(kind, roots);
        e
    }

    /// Appends another graph and returns its root; the caller makes it an operand of something.
    pub fn append(&mut self, other: Expr) -> NodeId {
        let base = self.nodes.len() as u32;
        self.nodes.extend(other.nodes.into_iter().map(|mut n| {
            for o in &mut n.operands {
                o.0 += base;
            }
            n
        }));
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The root.
    ///
    /// # Panics
    /// On an empty expression, which the reader never returns and no constructor makes.
    pub fn root(&self) -> &Node {
        self.nodes.last().expect("an expression has a root")
    }

    /// The root's handle.
    pub fn root_id(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// A vertex.
    pub fn node_at(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The expression below (and with) a vertex, as one of its own.
    pub fn subexpr(&self, id: NodeId) -> Expr {
        if self.nodes[id.index()].operands.is_empty() {
            return Expr::leaf(self.nodes[id.index()].kind.clone());
        }
        let mut wanted: SmallVec<[bool; 64]> = smallvec::smallvec![false; id.index() + 1];
        wanted[id.index()] = true;
        for i in (0..=id.index()).rev() {
            if wanted[i] {
                for o in &self.nodes[i].operands {
                    wanted[o.index()] = true;
                }
            }
        }
        let mut place: SmallVec<[NodeId; 32]> = smallvec::smallvec![NodeId(0); id.index() + 1];
        let mut out = Expr { nodes: Vec::with_capacity(wanted.iter().filter(|w| **w).count()) };
        for i in 0..=id.index() {
            if wanted[i] {
                let n = &self.nodes[i];
                place[i] = out.push(n.kind.clone(), n.operands.iter().map(|o| place[o.index()]).collect());
            }
        }
        out
    }

    /// The expression with another one in place of each occurrence of a third; `None` if there is none.
    pub fn replaced(&self, what: &Expr, with: &Expr) -> Option<Expr> {
        let hit: Vec<bool> = (0..self.nodes.len()).map(|i| self.equals_below(NodeId(i as u32), what, what.root_id())).collect();
        if !hit.contains(&true) {
            return None;
        }
        let mut wanted = vec![false; self.nodes.len()];
        wanted[self.nodes.len() - 1] = true;
        for i in (0..self.nodes.len()).rev().filter(|&i| !hit[i]) {
            if wanted[i] {
                self.nodes[i].operands.iter().for_each(|o| wanted[o.index()] = true);
            }
        }
        let mut out = Expr { nodes: Vec::with_capacity(self.nodes.len()) };
        let mut place = vec![NodeId(0); self.nodes.len()];
        for (i, n) in self.nodes.iter().enumerate().filter(|(i, _)| wanted[*i]) {
            place[i] = if hit[i] {
                out.append(with.clone())
            } else {
                out.push(n.kind.clone(), n.operands.iter().map(|o| place[o.index()]).collect())
            };
        }
        Some(out)
    }

    /// Whether what is below (and with) a vertex is the same as what is below one of another expression, however much of it either shares.
    fn equals_below(&self, id: NodeId, other: &Expr, at: NodeId) -> bool {
        let mut work: SmallVec<[(NodeId, NodeId); 16]> = smallvec::smallvec![(id, at)];
        let mut next = 0;
        while let Some(&(a, b)) = work.get(next) {
            next += 1;
            let (a, b) = (&self.nodes[a.index()], &other.nodes[b.index()]);
            if a.kind != b.kind || a.operands.len() != b.operands.len() {
                return false;
            }
            for pair in a.operands.iter().copied().zip(b.operands.iter().copied()) {
                // Leaves are quick to compare, and there is nothing below them that could be met again and again.
                if other.nodes[pair.1.index()].operands.is_empty() || !work.contains(&pair) {
                    work.push(pair);
                }
            }
        }
        true
    }

    /// All references at the expression's own level (those inside subscripts are not visited).
    pub fn refs(&self) -> impl Iterator<Item = &VarRef> {
        self.nodes.iter().filter_map(|n| match &n.kind {
            NodeKind::Var(r) => Some(r),
            _ => None,
        })
    }

    /// Calls `visit` for every reference, those inside subscripts included (before the reference that they subscript).
    pub fn for_each_ref<'a>(&'a self, visit: &mut dyn FnMut(&'a VarRef)) {
        for r in self.refs() {
            for e in r.index_exprs() {
                e.for_each_ref(visit);
            }
            visit(r);
        }
    }

    /// Whether `holds` of every reference, those inside subscripts included.
    pub fn every_ref(&self, holds: &dyn Fn(&VarRef) -> bool) -> bool {
        self.refs().all(|r| holds(r) && r.index_exprs().all(|e| e.every_ref(holds)))
    }

    /// The same as [`Expr::for_each_ref`] with the references open to change.
    pub fn for_each_ref_mut(&mut self, visit: &mut dyn FnMut(&mut VarRef)) {
        for n in &mut self.nodes {
            if let NodeKind::Var(r) = &mut n.kind {
                r.for_each_ref_mut(visit);
            }
        }
    }

    /// The constant, if the expression is one.
    pub fn as_constant(&self) -> Option<&Constant> {
        match (&self.root().kind, self.nodes.len()) {
            (NodeKind::Const(c), 1) => Some(c),
            _ => None,
        }
    }

    /// The integer, if the expression is an integer constant.
    pub fn as_int(&self) -> Option<i64> {
        self.as_constant().filter(|c| c.ty.base == BaseType::Integer).and_then(|c| c.value.parse().ok())
    }

    /// The variable, if the expression is nothing but one.
    pub fn as_var(&self) -> Option<&VarRef> {
        match (&self.root().kind, self.nodes.len()) {
            (NodeKind::Var(r), 1) => Some(r),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_occurrence_is_replaced() {
        let x = || Expr::int(3);
        let f = || Expr::op("sin_scal", [x()]);
        let e = Expr::op("add_scal_scal", [f(), Expr::op("mul_scal_scal", [f(), x()])]);
        let r = e.replaced(&f(), &Expr::int(7)).unwrap();
        assert_eq!(r, Expr::op("add_scal_scal", [Expr::int(7), Expr::op("mul_scal_scal", [Expr::int(7), x()])]));
        assert!(e.replaced(&Expr::int(9), &x()).is_none());
    }
}
