//! A statement with a derivative as vertices and edges.
//!
//! Lives here: one right-hand side. Never here: whether the statement may take part.

use super::Flattening;
use crate::linearize::graph::{Edge, Line};
use crate::linearize::places::Met;
use crate::linearize::work::{self, Load, Tally};
use crate::linearize::{Factor, LocalPartials, factor, fold};
use smallvec::SmallVec;
use xaif::catalogue::PartialNode;
use xaif::model::{Expr, NodeId, NodeKind, VarRef};
use xaif::types;

/// A part of a right-hand side with variables in the place of values that are shared.
struct Rewritten {
    expr: Expr,
    /// There are none.
    same: bool,
}

/// An operation over values in variables.
struct Operation<'e> {
    whole: &'e Expr,
    /// It is what stands in the statement.
    same: bool,
    /// The variable in which its result is, if it is in one.
    small: Option<&'e Expr>,
}

impl Flattening<'_> {
    pub(super) fn extend(&mut self, at: usize, lhs: &VarRef, rhs: &Expr, partials: &LocalPartials) {
        let wanted = wanted(rhs, partials);
        let mut exprs: Vec<Rewritten> = Vec::with_capacity(rhs.nodes.len());
        let mut numbers: SmallVec<[u32; 16]> = SmallVec::new();
        // How often each vertex is still asked for.
        let mut uses: SmallVec<[u32; 16]> = smallvec::smallvec![0; rhs.nodes.len()];
        rhs.nodes.iter().flat_map(|n| &*n.operands).for_each(|o| uses[o.index()] += 1);
        for (i, n) in rhs.nodes.iter().enumerate() {
            let operands: SmallVec<[u32; 2]> = n.operands.iter().map(|o| numbers[o.index()]).collect();
            if let (NodeKind::Var(r), true) = (&n.kind, wanted[i]) {
                let value = self.active_leaf(r, at, i);
                numbers.push(value);
                exprs.push(Rewritten { expr: Expr::var(r.clone()), same: true });
                continue;
            }
            // What is computed from values with derivatives, but has none, is no value that another statement could share by its key alone.
            let value = match &n.kind {
                NodeKind::Var(r) if self.has_derivative(r) => match self.definition_places.find(r, self.setting_sharing()) {
                    Met::One(d) => match self.definitions.get(d as usize) {
                        Some(Some((_, v))) => *v,
                        _ => self.anything(),
                    },
                    _ => self.passive_leaf(r),
                },
                kind => self.number(kind, operands),
            };
            numbers.push(value);
            let mut same = n.operands.iter().all(|o| exprs[o.index()].same);
            let mut inner: SmallVec<[Expr; 2]> = SmallVec::new();
            for o in &*n.operands {
                uses[o.index()] -= 1;
                let operand = &mut exprs[o.index()].expr;
                inner.push(if uses[o.index()] == 0 { std::mem::take(operand) } else { operand.clone() });
            }
            let op = match &n.kind {
                NodeKind::Op(op) if wanted[i] => op,
                kind => {
                    exprs.push(Rewritten { expr: Expr::node(kind.clone(), inner), same });
                    continue;
                }
            };
            let known = self.values[value as usize];
            if known.vertex.is_some() {
                exprs.push(match known.variable {
                    Some(s) => Rewritten { expr: Expr::sym(s), same: false },
                    None => Rewritten { expr: Expr::node(n.kind.clone(), inner), same },
                });
                continue;
            }
            let (arguments, result) = self.read_by_partials(op.name.as_str(), &partials.factors[i]);
            for (k, e) in inner.iter_mut().enumerate() {
                if arguments.contains(&(k as u32 + 1)) {
                    same &= !self.shared(e, numbers[n.operands[k].index()]);
                }
            }
            let whole = Expr::node(n.kind.clone(), inner);
            let mut small = result.then(|| whole.clone());
            if !small.as_mut().is_some_and(|small| self.shared(small, value)) {
                small = None;
            }
            let vertex = self.vertex(op.name.clone(), at, i);
            self.values[value as usize].vertex = Some(vertex);
            let operation = Operation { whole: &whole, same, small: small.as_ref() };
            self.edges_into(vertex, &operation, &n.operands, &numbers, &partials.factors[i]);
            same &= small.is_none();
            exprs.push(Rewritten { expr: small.unwrap_or(whole), same });
        }
        let rewritten = exprs.pop().filter(|r| !r.same).map(|r| r.expr);
        let value = numbers.pop().unwrap_or_else(|| self.anything());
        self.lines.push(Line::Statement(at, rewritten));
        self.define(lhs, value);
        self.active += 1;
        self.behind = at + 1;
        self.lines_kept = self.lines.len();
        self.reckon(rhs, Some(partials));
        self.work_kept = self.work;
    }

    /// A place has this value from now on.
    fn define(&mut self, lhs: &VarRef, value: u32) {
        if let Met::One(d) = self.definition_places.find(lhs, self.setting_sharing())
            && let Some(old) = self.definitions.get_mut(d as usize)
        {
            *old = None;
        }
        let d = self.definitions.len() as u32;
        self.definitions.push(Some((lhs.clone(), value)));
        let Flattening { definition_places, setting, .. } = self;
        definition_places.enter(lhs, d, &**setting);
        self.hold(lhs);
        self.written(lhs.symbol);
    }

    /// Adds up what a statement is to compute by itself.
    pub(super) fn reckon(&mut self, rhs: &Expr, partials: Option<&LocalPartials>) {
        let mut together = Tally::default();
        together.add(rhs);
        self.work.values += together.sum;
        if let Some(partials) = partials {
            let mut apart = Tally::default();
            let mut edges = 0;
            for f in partials.factors.iter().flatten().flatten() {
                if let Factor::Value(e) = f {
                    together.factor(e);
                    apart.factor(e);
                    edges += work::MULTIPLICATION;
                }
                edges += work::ADDITION;
            }
            let edges = Load::light(edges);
            self.work.adjoint += apart.sum + edges;
            together.sum += edges;
        }
        self.work.tangent += together.sum;
    }

    /// Which operands the factors of an operation read, and whether they read its result.
    fn read_by_partials(&self, name: &str, factors: &[Option<Factor>]) -> (SmallVec<[u32; 4]>, bool) {
        let mut arguments = SmallVec::new();
        let mut result = false;
        let Some(entry) = self.setting.catalogue().get(name) else { return (arguments, result) };
        for (f, p) in factors.iter().zip(&entry.partials) {
            if !matches!(f, Some(Factor::Value(_))) {
                continue;
            }
            for n in &p.nodes {
                match n {
                    PartialNode::Argument(k) => arguments.push(*k),
                    PartialNode::Result => result = true,
                    _ => {}
                }
            }
        }
        (arguments, result)
    }

    /// The edges of an operation, whose factors were `before` in the statement as it stands.
    fn edges_into(&mut self, vertex: u32, operation: &Operation, operands: &[NodeId], numbers: &[u32], before: &[Option<Factor>]) {
        let &Operation { whole, same, small } = operation;
        let types = if same { Vec::new() } else { types::of_expr(self.setting.program(), whole) };
        let root = whole.nodes.len() - 1;
        let first = self.edges.len();
        for (k, o) in operands.iter().enumerate() {
            let Some(Some(as_it_stands)) = before.get(k) else { continue };
            let Some(source) = self.values[numbers[o.index()] as usize].vertex else { continue };
            let mut factor = if same {
                as_it_stands.clone()
            } else {
                let Ok(Some(f)) = factor(self.setting.program(), self.setting.catalogue(), whole, &types, root, k) else { continue };
                f
            };
            if let Factor::Value(e) = &mut factor {
                if let Some(small) = small
                    && let Some(shorter) = e.replaced(whole, small)
                {
                    *e = shorter;
                }
                // `-2.5` is an operation where it is written, and a number here.
                if let (NodeKind::Op(op), [o]) = (&e.root().kind, &e.root().operands[..])
                    && op.name == "minus_scal"
                    && let inner = e.subexpr(*o)
                    && fold::number(&inner).is_some_and(|n| n > 0.0)
                {
                    factor = Factor::from_expr(fold::Fold { program: self.setting.program() }.neg(inner)).unwrap_or(factor);
                }
            }
            match self.edges[first..].iter_mut().find(|e| e.source == source) {
                Some(edge) => {
                    let f = fold::Fold { program: self.setting.program() };
                    let (a, b) = (edge.factor.to_expr(self.ty), factor.to_expr(self.ty));
                    let sum = match a == b {
                        true => f.mul(fold::real(2.0, None, self.ty), a),
                        false => {
                            let (a, b) = f.meeting(a, b, self.ty, |x, y| x + y);
                            f.add(a, b)
                        }
                    };
                    // A sum of opposite constants is no dependence, but as an edge it does no harm.
                    edge.factor = Factor::from_expr(sum.clone()).unwrap_or(Factor::Value(sum));
                }
                None => self.edges.push(Edge { source, target: vertex, factor }),
            }
        }
        self.lines.extend((first..self.edges.len()).map(|k| Line::Edge(k as u32)));
    }
}

/// The vertices of an expression that active variables reach and that reach the root.
fn wanted(e: &Expr, partials: &LocalPartials) -> Vec<bool> {
    let mut out = vec![false; e.nodes.len()];
    if let (Some(root), Some(true)) = (out.last_mut(), partials.active.last()) {
        *root = true;
    }
    for i in (0..e.nodes.len()).rev() {
        if out[i] {
            for (o, f) in e.nodes[i].operands.iter().zip(&partials.factors[i]) {
                if f.is_some() {
                    out[o.index()] = true;
                }
            }
        }
    }
    out
}
