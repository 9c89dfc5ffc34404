//! Random statements: loops, branches, jumps, assignments, calls.
//!
//! Never here: declarations, expressions.

use super::generate::{Generator, Variable, add, mul, op, sub};
use super::tree::Item;
use xaif::model::*;

impl Generator {
    pub(super) fn sequence(&mut self, depth: usize) -> Vec<Item> {
        let mut out = Vec::new();
        for _ in 0..1 + self.rng.below(if depth == 0 { 8 } else { 4 }) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            out.extend(self.item(depth));
        }
        out
    }

    pub(super) fn item(&mut self, depth: usize) -> Vec<Item> {
        let choice = self.rng.below(100);
        if depth < 4 && choice < 14 && !self.free_loops.is_empty() {
            return self.for_loop(depth);
        }
        match choice {
            14..=19 if depth < 4 => self.while_loop(depth),
            20..=31 if depth < 4 => {
                let c = self.condition();
                let then = self.sequence(depth + 1);
                let other = if self.rng.percent(60) { self.sequence(depth + 1) } else { Vec::new() };
                vec![Item::If(c, then, other)]
            }
            32..=34 if depth < 4 => self.switch(depth),
            35..=39 if self.features.jumps => {
                let c = self.condition();
                let jump = match self.rng.below(6) {
                    0 | 1 if self.loop_depth > 0 => vec![Item::Break(self.rng.below(self.loop_depth))],
                    2 | 3 if self.loop_depth > 0 => vec![Item::Continue(0)],
                    4 if self.webs > 0 => return vec![Item::Leave(c, self.rng.below(4))],
                    _ if self.rng.percent(40) => self.leave(),
                    _ => return self.assignment(),
                };
                vec![Item::If(c, jump, Vec::new())]
            }
            40..=43 if self.features.gotos && depth < 3 && self.rng.percent(50) => self.web(depth),
            40..=43 if self.features.gotos && depth < 3 => {
                let c = self.condition();
                let body = self.sequence(depth + 1);
                vec![Item::Skip(c, body)]
            }
            44..=52 if self.self_index + 1 < self.signatures.len() => {
                let k = self.self_index + 1 + self.rng.below(self.signatures.len() - self.self_index - 1);
                self.call(k)
            }
            53..=57 => {
                // Integer arithmetic that stays small.
                let e = self.int(2);
                let lhs = match self.rng.pick(&self.ints) {
                    Some(&s) => VarRef::whole(s),
                    None => return self.assignment(),
                };
                vec![Item::Assign(lhs, op("modulo_scal_scal", [e, Expr::int(7)]))]
            }
            58..=60 => {
                let Some(t) = self.rng.pick(&self.tables).cloned() else { return self.assignment() };
                let at = add(self.index(), Expr::int(t.lower));
                let value = op("modulo_scal_scal", [self.int(2), Expr::sym(self.n)]);
                vec![Item::Assign(VarRef::element(t.symbol, [at]), value)]
            }
            61..=68 if self.features.arrays => self.array_statement(),
            _ => self.assignment(),
        }
    }

    /// Parts between which control jumps forth and back, loops with several entries among them.
    fn web(&mut self, depth: usize) -> Vec<Item> {
        let Some(guard) = self.guards.pop() else { return self.assignment() };
        self.webs += 1;
        let count = 2 + self.rng.below(3);
        let mut parts = Vec::new();
        for k in 0..count {
            // The first part may be a jump alone, into the middle.
            let body = if k == 0 && self.rng.percent(40) { Vec::new() } else { self.sequence(depth + 1) };
            let jump = self.rng.percent(70).then(|| (self.condition(), self.rng.below(count)));
            parts.push((body, jump));
        }
        self.webs -= 1;
        self.guards.push(guard);
        vec![Item::Web(guard, parts)]
    }

    pub(super) fn for_loop(&mut self, depth: usize) -> Vec<Item> {
        let Some(i) = self.free_loops.pop() else { return Vec::new() };
        let step = [1, 1, 1, -1, 2, -2][self.rng.below(6)];
        let from = [0, 0, 1, 5][self.rng.below(4)];
        let mut head = self.head_for(i, from, step, true);
        let mut before = Vec::new();
        if self.features.order == IndexOrder::Column
            && self.rng.percent(15)
            && let Some(s) = self.strides.pop()
        {
            before.push(self.open_stride(&mut head, i, from, s));
        }
        self.loops.push(i);
        self.loop_depth += 1;
        let body = self.sequence(depth + 1);
        self.loop_depth -= 1;
        self.loops.pop();
        self.free_loops.insert(0, i);
        before.push(Item::For(Box::new(head), body));
        // The variable keeps what it had when the loop ended.
        if self.rng.percent(10)
            && let Some(&k) = self.rng.pick(&self.ints)
        {
            before.push(Item::Assign(VarRef::whole(k), op("modulo_scal_scal", [Expr::sym(i), Expr::int(7)])));
        }
        before
    }

    /// Makes the loop one whose direction is not known: `do i = from, n - 1, s` with s = 1 or 2, or none at all where s is negative.
    fn open_stride(&mut self, head: &mut ForLoop, i: SymbolId, from: i64, s: SymbolId) -> Item {
        let last = || sub(Expr::sym(self.n), Expr::int(1));
        let sign = |r, with| {
            let side = Expr::boolean(r, [Expr::sym(s), Expr::int(0)]);
            Expr::boolean(BoolOp::And, [side, Expr::boolean(with, [Expr::sym(i), last()])])
        };
        let upward = sign(BoolOp::GreaterThan, BoolOp::LessOrEqual);
        let downward = sign(BoolOp::LessThan, BoolOp::GreaterOrEqual);
        head.init = Stmt::assign(VarRef::whole(i), Expr::int(from));
        head.condition = Expr::boolean(BoolOp::Or, [upward, downward]);
        head.update = Stmt::assign(VarRef::whole(i), add(Expr::sym(i), Expr::sym(s)));
        // Downward from 0 there is only the element at n-1 = from, so there a negative stride goes round at most once.
        let value = add(op("modulo_scal_scal", [self.int(1), Expr::int(2)]), Expr::int(1));
        Item::Assign(VarRef::whole(s), value)
    }

    /// Loops whose trip count is not known on entry; the counter moves first, so that they end whatever the body does.
    pub(super) fn while_loop(&mut self, depth: usize) -> Vec<Item> {
        let Some(i) = self.free_loops.pop() else { return Vec::new() };
        let start = Item::Assign(VarRef::whole(i), Expr::int(0));
        let more = Expr::boolean(BoolOp::LessThan, [Expr::sym(i), Expr::int(1 + self.rng.below(4) as i64)]);
        let kind = self.rng.below(if self.features.gotos { 4 } else { 3 });
        let condition = if self.rng.percent(50) && kind < 3 {
            let c = self.condition();
            Expr::boolean(BoolOp::And, [more.clone(), c])
        } else {
            more.clone()
        };
        // Not counted: the loop variable takes part in the body, and the bound may change.
        if kind == 2 {
            let Some(&k) = self.rng.pick(&self.ints) else { return Vec::new() };
            self.loop_depth += 1;
            let mut body = self.sequence(depth + 1);
            self.loop_depth -= 1;
            body.push(Item::Assign(VarRef::whole(k), sub(Expr::sym(k), Expr::int(1))));
            let head = ForLoop {
                explicit: false,
                init: Stmt::assign(VarRef::whole(i), Expr::int(0)),
                condition: Expr::boolean(BoolOp::LessThan, [Expr::sym(i), Expr::sym(k)]),
                update: Stmt::assign(VarRef::whole(i), add(Expr::sym(i), Expr::int(1))),
                counted: false,
            };
            self.free_loops.insert(0, i);
            return vec![Item::For(Box::new(head), body)];
        }
        self.loop_depth += usize::from(kind < 2);
        let mut body = vec![Item::Assign(VarRef::whole(i), add(Expr::sym(i), Expr::int(1)))];
        let rest = self.sequence(depth + 1);
        body.extend(rest);
        self.loop_depth -= usize::from(kind < 2);
        self.free_loops.insert(0, i);
        let item = match kind {
            0 => Item::While(condition, body),
            1 => Item::DoWhile(condition, body),
            _ => Item::Again(more, body),
        };
        vec![start, item]
    }

    pub(super) fn switch(&mut self, depth: usize) -> Vec<Item> {
        let selector = op("modulo_scal_scal", [self.int(1), Expr::int(4)]);
        let mut arms = Vec::new();
        let falls = self.features.order == IndexOrder::Row && self.features.jumps;
        for values in [vec![0], vec![1, 3]] {
            let body = self.sequence(depth + 1);
            let runs_on = falls && self.rng.percent(25);
            arms.push((values, body, runs_on));
        }
        if self.rng.percent(60) {
            let body = self.sequence(depth + 1);
            arms.push((Vec::new(), body, false));
        } else if let Some(last) = arms.last_mut() {
            last.2 = false;
        }
        vec![Item::Switch(selector, arms)]
    }

    pub(super) fn assignment(&mut self) -> Vec<Item> {
        if let Some((at, parts)) = self.at.clone()
            && let Some(v) = self.rng.pick(&parts).cloned()
            && self.rng.percent(50)
        {
            // The last dimension at least; an element's value depends on what was there.
            let mut indices: Vec<Expr> = (0..v.rank).map(|_| Expr::sym(at)).collect();
            if v.rank > 1 && self.rng.percent(60) {
                indices[0] = self.index();
            }
            let shifted = indices.into_iter().map(|i| if v.lower == 0 { i } else { add(i, Expr::int(v.lower)) });
            let lhs = VarRef::element(v.symbol, shifted);
            let old = Expr::var(lhs.clone());
            let e = self.real(2);
            return vec![Item::Assign(lhs, mul(old, op("sin_scal", [e])))];
        }
        let targets: Vec<Variable> = self.reals.iter().filter(|v| v.writable()).cloned().collect();
        let Some(v) = self.rng.pick(&targets).cloned() else { return Vec::new() };
        let lhs = self.reference(&v);
        let old = Expr::var(lhs.clone());
        let e = self.real(3);
        let rhs = match self.rng.below(8) {
            0 => add(old, e),
            1 => sub(old, e),
            2 => mul(old, op("cos_scal", [e])),
            3 => add(e, mul(Expr::real(0.5, 64), old)),
            _ => e,
        };
        vec![Item::Assign(lhs, rhs)]
    }
}
