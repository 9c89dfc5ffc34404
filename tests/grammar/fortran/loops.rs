//! Loops of all kinds, and jumps that make some.

use super::super::text::Node;
use super::{Author, Bound, Index, N, Real, Shape, re};

impl Author {
    pub fn any_loop(&mut self) -> Vec<Node> {
        let label = self.rng.percent(self.jumps * 3).then(|| self.fresh_label());
        if let Some(l) = label {
            self.exits.push((l, false));
        }
        let saved = (self.can_leave, self.work, self.named.len());
        self.can_leave = true;
        self.work *= N;
        self.loops += 1;
        let mut out = match self.rng.below(22) {
            0..=8 => self.counted(),
            9 | 10 => self.down(),
            11 => self.strided(),
            12 | 13 => self.while_loop(),
            14 | 15 => self.endless(),
            16 => self.until_small(),
            17 if !self.fixed() => self.concurrent(),
            18 => self.test_at_bottom(),
            19 => self.test_at_top(),
            20 if self.fixed() => self.labelled(),
            _ => self.counted(),
        };
        self.loops -= 1;
        (self.can_leave, self.work) = (saved.0, saved.1);
        self.named.truncate(saved.2);
        if label.is_some()
            && let Some((l, true)) = self.exits.pop()
        {
            out.push(Node::line(format!("{l} continue")));
        }
        out
    }

    fn limit(&mut self) -> (&'static str, Bound) {
        if self.has_n && self.rng.percent(70) { ("n", Bound::Argument) } else { ("5", Bound::Five) }
    }

    fn with_index(&mut self, name: &str, bound: Bound, most: usize) -> Vec<Node> {
        self.indices.push(Index { name: name.to_owned(), bound, writable: false });
        let body = self.several(most);
        self.indices.retain(|i| i.name != name);
        body
    }

    fn loop_pragma(&mut self) -> String {
        if self.rng.percent(self.pragmas * 3) { format!("{}\n", self.foreign(true)) } else { String::new() }
    }

    fn plain_counter(&mut self) -> String {
        let i = self.fresh("i");
        self.declarations.push(format!("integer {}{i}", if self.fixed() { "" } else { ":: " }));
        i
    }

    fn counted(&mut self) -> Vec<Node> {
        let i = self.plain_counter();
        let (limit, bound) = self.limit();
        let start = [1, 1, 1, 2][self.rng.below(4)];
        let step = self.choose(&["", "", "", ", 1", ", 2"]);
        let pragma = self.loop_pragma();
        let name = if !self.fixed() && self.jumps > 0 && self.rng.percent(40) { Some(self.fresh("each")) } else { None };
        if let Some(n) = &name {
            self.named.push(n.clone());
        }
        let body = self.with_index(&i, bound, 3);
        let (before, behind) = name.map_or((String::new(), String::new()), |n| (format!("{n}: "), format!(" {n}")));
        let close = if behind.is_empty() { self.choose(&["end do", "enddo"]).to_owned() } else { format!("end do{behind}") };
        vec![Node::block(format!("{pragma}{before}do {i} = {start}, {limit}{step}"), body, close)]
    }

    fn labelled(&mut self) -> Vec<Node> {
        let (i, l) = (self.plain_counter(), self.fresh_label());
        let (limit, bound) = self.limit();
        let leave = std::mem::replace(&mut self.can_leave, false);
        let body = self.with_index(&i, bound, 3);
        self.can_leave = leave;
        vec![Node::block(format!("do {l} {i} = 1, {limit}"), body, format!("{l} continue"))]
    }

    fn down(&mut self) -> Vec<Node> {
        let i = self.plain_counter();
        let (limit, bound) = self.limit();
        let to = 1 + self.rng.below(2);
        let body = self.with_index(&i, bound, 3);
        vec![Node::block(format!("do {i} = {limit}, {to}, -1"), body, "end do")]
    }

    fn strided(&mut self) -> Vec<Node> {
        let (i, s) = (self.plain_counter(), self.plain_counter());
        let (limit, bound) = self.limit();
        let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
        let step = if all.is_empty() { "2".to_owned() } else { format!("1 + mod({}, 3)", self.choose(&all)) };
        let body = self.with_index(&i, bound, 2);
        vec![Node::line(format!("{s} = {step}")), Node::block(format!("do {i} = 1, {limit}, {s}"), body, "end do")]
    }

    fn while_loop(&mut self) -> Vec<Node> {
        let k = self.plain_counter();
        let (limit, bound) = self.limit();
        let early = self.rng.percent(50);
        let (le, lt) = if self.fixed() { (".le.", ".lt.") } else { ("<=", "<") };
        let extra = if self.rng.percent(30) {
            let e = self.real(1);
            format!(" .and. {} {lt} 1.7173d0", re(&e))
        } else {
            String::new()
        };
        if early {
            let mut body = vec![Node::line(format!("{k} = {k} + 1"))];
            body.extend(self.with_index(&k, bound, 3));
            vec![Node::line(format!("{k} = 0")), Node::block(format!("do while ({k} {lt} {limit}{extra})"), body, "end do")]
        } else {
            let leave = std::mem::replace(&mut self.can_leave, false);
            let mut body = self.with_index(&k, bound, 3);
            self.can_leave = leave;
            body.push(Node::line(format!("{k} = {k} + 1")));
            vec![Node::line(format!("{k} = 1")), Node::block(format!("do while ({k} {le} {limit}{extra})"), body, "end do")]
        }
    }

    fn endless(&mut self) -> Vec<Node> {
        let k = self.plain_counter();
        let (limit, bound) = self.limit();
        let gt = if self.fixed() { ".ge." } else { ">=" };
        let mut body = vec![Node::line(format!("{k} = {k} + 1"))];
        let first = self.rng.percent(50);
        let leave = Node::line(format!("if ({k} {gt} {limit}) exit"));
        if first {
            body.push(leave);
            body.extend(self.with_index(&k, bound, 2));
        } else {
            let old = std::mem::replace(&mut self.can_leave, false);
            body.extend(self.with_index(&k, bound, 2));
            self.can_leave = old;
            body.push(leave);
        }
        vec![Node::line(format!("{k} = 0")), Node::block("do", body, "end do")]
    }

    fn until_small(&mut self) -> Vec<Node> {
        let (k, v) = (self.plain_counter(), self.fresh("q"));
        self.declarations.push(format!("{} {}{v}", self.type_of(false), if self.fixed() { "" } else { ":: " }));
        let start = self.real(1);
        self.reals.push(Real { name: v.clone(), shape: Shape::Scalar, writable: false, single: false, whole: false });
        let mut body = self.with_index(&k, Bound::None, 2);
        self.reals.retain(|r| r.name != v);
        let shrink =
            self.choose(&[format!("{v} = 0.6d0*{v} + 0.01d0"), format!("{v} = 0.55d0*{v}"), format!("{v} = {v} - 0.4d0*sin({v})")]);
        body.insert(0, Node::line(format!("{k} = {k} + 1")));
        body.insert(1, Node::line(shrink));
        let (gt, lt) = if self.fixed() { (".gt.", ".lt.") } else { (">", "<") };
        let mut out = vec![
            Node::line(format!("{k} = 0")),
            Node::line(format!("{v} = 1.5d0 + ({start})**2/(1.0d0 + ({start})**2)")),
            Node::block(format!("do while ({} {gt} 0.4173d0 .and. {k} {lt} 6)", re(&v)), body, "end do"),
        ];
        if let Some(t) = self.target() {
            out.push(Node::line(format!("{t} = {t}*0.5d0 + {v}")));
        }
        out
    }

    /// Rounds in any order.
    fn concurrent(&mut self) -> Vec<Node> {
        let list: Vec<Real> = self.reals.iter().filter(|v| matches!(v.shape, Shape::Array(_, 1)) && v.writable).cloned().collect();
        if list.is_empty() {
            return self.counted();
        }
        let v = self.choose(&list);
        let Shape::Array(b, _) = v.shape else { return Vec::new() };
        let i = self.plain_counter();
        let others: Vec<Real> = self.reals.clone();
        self.reals.retain(|r| r.name != v.name);
        let pure_only = std::mem::take(&mut self.signatures);
        self.indices.push(Index { name: i.clone(), bound: b, writable: false });
        let e = self.real(2);
        self.indices.pop();
        self.signatures = pure_only;
        self.reals = others;
        let n = Self::length(b);
        vec![Node::block(
            format!("do concurrent ({i} = 1:{n})"),
            vec![Node::line(format!("{0}({i}) = 0.5d0*{0}({i}) + {e}", v.name))],
            "end do",
        )]
    }

    fn test_at_bottom(&mut self) -> Vec<Node> {
        let (k, first, test) = (self.plain_counter(), self.fresh_label(), self.fresh_label());
        let (limit, bound) = self.limit();
        let leave = std::mem::replace(&mut self.can_leave, false);
        let mut out = vec![Node::line(format!("{k} = 1")), Node::line(format!("goto {test}")), Node::line(format!("{first} continue"))];
        out.extend(self.with_index(&k, bound, 2));
        out.push(Node::line(format!("{k} = {k} + 1")));
        out.push(Node::line(format!("{test} if ({k} {} {limit}) goto {first}", if self.fixed() { ".le." } else { "<=" })));
        self.can_leave = leave;
        out
    }

    fn test_at_top(&mut self) -> Vec<Node> {
        let (k, again, done) = (self.plain_counter(), self.fresh_label(), self.fresh_label());
        let (limit, bound) = self.limit();
        let leave = std::mem::replace(&mut self.can_leave, false);
        let mut out = vec![
            Node::line(format!("{k} = 1")),
            Node::line(format!("{again} if ({k} {} {limit}) go to {done}", if self.fixed() { ".gt." } else { ">" })),
        ];
        out.extend(self.with_index(&k, bound, 2));
        out.push(Node::line(format!("{k} = {k} + 1")));
        out.push(Node::line(format!("goto {again}")));
        out.push(Node::line(format!("{done} continue")));
        self.can_leave = leave;
        out
    }

    /// Parts with jumps between them in any order; a counter lets them end.
    pub fn web(&mut self) -> Vec<Node> {
        let g = self.plain_counter();
        let count = 2 + self.rng.below(3);
        let labels: Vec<usize> = (0..=count).map(|_| self.fresh_label()).collect();
        let saved = (self.can_leave, self.work);
        self.can_leave = false;
        self.work *= 6;
        let lt = if self.fixed() { ".lt." } else { "<" };
        let mut out = vec![Node::line(format!("{g} = 0"))];
        for k in 0..count {
            out.push(Node::line(format!("{} continue", labels[k])));
            let mut body = self.several(2);
            let to = labels[self.rng.below(count + 1)];
            let c = self.condition();
            let jump = [Node::line(format!("{g} = {g} + 1")), Node::line(format!("if ({g} {lt} 7 .and. ({c})) goto {to}"))];
            if self.rng.percent(25) {
                let c = self.condition();
                body.extend(jump);
                out.push(Node::block(format!("if ({c}) then"), body, "end if"));
            } else {
                out.extend(body);
                if self.rng.percent(60) {
                    out.extend(jump);
                } else if self.rng.percent(30) {
                    let other = labels[self.rng.below(count + 1)];
                    out.push(jump[0].clone());
                    let computed = format!("goto ({to}, {other}), mod({g}, 3)");
                    out.push(Node::line(format!("if ({g} {lt} 7) {computed}")));
                }
            }
        }
        out.push(Node::line(format!("{} continue", labels[count])));
        (self.can_leave, self.work) = saved;
        out
    }
}
