//! Value numbers: equal values get one number, and a variable where partial derivatives read them.
//!
//! Lives here: what is equal. Never here: vertices and edges of operations (see `operations`).

use super::{Flattening, Key, Value};
use crate::linearize::graph::Line;
use crate::linearize::places::Met;
use smallvec::SmallVec;
use xaif::model::{Expr, NodeKind, VarRef};
use xaif::types;

impl Flattening<'_> {
    fn value(&mut self, key: Key) -> u32 {
        let fresh = self.values.len() as u32;
        let n = *self.keys.entry(key).or_insert(fresh);
        if n == fresh {
            self.values.push(Value::default());
        }
        n
    }

    /// The value of an active reference.
    pub(super) fn active_leaf(&mut self, r: &VarRef, at: usize, node: usize) -> u32 {
        if let Met::One(d) = self.definition_places.find(r, self.setting_sharing())
            && let Some(Some((_, v))) = self.definitions.get(d as usize)
        {
            return *v;
        }
        if let Some(k) = self.input_places.exact(r) {
            return self.input_values[k as usize];
        }
        let name = self.setting.program().symbol(r.symbol).name.clone();
        let vertex = self.vertex(name, at, node);
        self.values.push(Value { vertex: Some(vertex), variable: None });
        let value = self.values.len() as u32 - 1;
        let k = self.inputs.len() as u32;
        self.inputs.push(r.clone());
        self.input_values.push(value);
        let Flattening { input_places, setting, .. } = self;
        input_places.enter(r, k, &**setting);
        self.hold(r);
        value
    }

    /// The value of a reference without derivative; that of its subscripts counts with it.
    pub(super) fn passive_leaf(&mut self, r: &VarRef) -> u32 {
        let suspect = self.setting.suspect(r.symbol);
        let version = self.writes.get(&r.symbol).copied().unwrap_or(0) + if suspect { self.suspects_written << 32 } else { 0 };
        let mut subscripts = SmallVec::new();
        for e in r.index_exprs() {
            let n = self.passive(e);
            subscripts.push(n);
        }
        self.value(Key::Leaf(r.symbol, subscripts, version))
    }

    fn passive(&mut self, e: &Expr) -> u32 {
        let mut numbers: Vec<u32> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let operands: SmallVec<[u32; 2]> = n.operands.iter().map(|o| numbers[o.index()]).collect();
            numbers.push(self.number(&n.kind, operands));
        }
        numbers.pop().unwrap_or_else(|| self.anything())
    }

    /// A value that is equal to no other.
    pub(super) fn anything(&mut self) -> u32 {
        self.values.push(Value::default());
        self.values.len() as u32 - 1
    }

    pub(super) fn number(&mut self, kind: &NodeKind, operands: SmallVec<[u32; 2]>) -> u32 {
        match kind {
            NodeKind::Var(r) => self.passive_leaf(r),
            NodeKind::Const(c) => self.value(Key::Constant(c.ty.base, c.ty.bits, c.value.clone())),
            NodeKind::Op(op) => self.value(Key::Operation(op.name.clone(), op.ty, operands)),
            NodeKind::Bool(op) => self.value(Key::Relation(*op as u8, operands)),
            NodeKind::FunctionCall(_) => self.anything(),
        }
    }

    /// Puts a value into a variable, unless it is in one. False where it stays as it is.
    pub(super) fn shared(&mut self, e: &mut Expr, value: u32) -> bool {
        if e.nodes.len() == 1 || !e.nodes.iter().any(|n| matches!(n.kind, NodeKind::Var(_))) {
            return false;
        }
        match self.values[value as usize].variable {
            Some(s) => *e = Expr::sym(s),
            None => {
                let ty = types::of(self.setting.program(), e).elem;
                let s = self.setting.variable(ty);
                self.lines.push(Line::Set(s, std::mem::replace(e, Expr::sym(s))));
                self.values[value as usize].variable = Some(s);
            }
        }
        true
    }
}
