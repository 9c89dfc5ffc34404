//! Statements other than loops.

use super::super::text::Node;
use super::expressions::paren;
use super::{Author, Bound, Index, Real, Shape, re};

impl Author {
    pub fn target(&mut self) -> Option<String> {
        let list: Vec<Real> = self.reals.iter().filter(|v| v.writable).cloned().collect();
        if list.is_empty() {
            return None;
        }
        let v = self.choose(&list);
        Some(self.element(&v))
    }

    pub fn several(&mut self, most: usize) -> Vec<Node> {
        let mut out = Vec::new();
        self.depth += 1;
        let kept = self.indices.len();
        for _ in 0..1 + self.rng.below(most) {
            out.extend(self.statement());
        }
        self.indices.truncate(kept);
        self.depth -= 1;
        out
    }

    pub fn statement(&mut self) -> Vec<Node> {
        let mut out = Vec::new();
        if self.rng.percent(self.pragmas) {
            out.push(Node::line(self.foreign(false)));
        }
        if self.rng.percent(5) {
            out.push(Node::line(if self.fixed() { "c next" } else { "! x = y; and so on" }));
        }
        if self.budget == 0 || self.depth > 4 {
            out.extend(self.assignment());
            return out;
        }
        self.budget -= 1;
        let made = match self.rng.below(100) {
            0..=30 => self.assignment(),
            31..=40 => self.branch(),
            41..=61 if self.loops < 3 && self.work < 60 => self.any_loop(),
            62..=70 => self.any_call().into_iter().collect(),
            71..=75 => self.select(),
            76..=80 => self.integer_statement(),
            81..=88 => self.array_statement(),
            89..=90 => self.exchange(),
            91..=92 if self.jumps > 0 && self.work < 10 => self.web(),
            93 if !self.fixed() => self.block(),
            94 => self.arithmetic_if(),
            _ => self.jump(),
        };
        out.extend(made);
        if out.is_empty() {
            out.extend(self.assignment());
        }
        out
    }

    pub fn assignment(&mut self) -> Vec<Node> {
        let Some(v) = self.target() else { return Vec::new() };
        let e = self.real(2);
        let p = paren(&e);
        let line = match self.rng.below(18) {
            0..=8 => format!("{v} = {e}"),
            9..=11 => format!("{v} = {v} + 0.3d0*{p}"),
            12 => format!("{v} = {v} - 0.2d0*{p}"),
            13 => format!("{v} = {v}*cos({e})"),
            14 => format!("{v} = 0.5d0*{v} + {p}"),
            15 => format!("{v} = sin({v}) + {p}"),
            16 => {
                let c = self.condition();
                format!("if ({c}) {v} = {e}")
            }
            _ => format!("{v} = {e} + {}", self.constant()),
        };
        vec![Node::line(line)]
    }

    fn branch(&mut self) -> Vec<Node> {
        let mut arms = Vec::new();
        let c = self.condition();
        let body = self.several(2);
        arms.push((format!("if ({c}) then"), body));
        if self.rng.percent(25) {
            let c = self.condition();
            let body = self.several(2);
            arms.push((format!("else if ({c}) then"), body));
        }
        if self.rng.percent(50) {
            let body = self.several(2);
            arms.push(("else".into(), body));
        }
        vec![Node { arms, close: Some(self.choose(&["end if", "endif"]).into()) }]
    }

    fn select(&mut self) -> Vec<Node> {
        let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
        let selector = if all.is_empty() {
            let e = self.real(1);
            format!("int(3.0d0*abs(sin({})))", re(&e))
        } else {
            format!("mod({}, 4)", self.choose(&all))
        };
        let mut arms = Vec::new();
        let mut cases = ["case (0)", "case (1, 7)", "case (2:3)", "case default"];
        let by = self.rng.below(4);
        cases.rotate_left(by);
        let count = 2 + self.rng.below(3);
        for (k, c) in cases.iter().take(count).enumerate() {
            let open = if k == 0 { format!("select case ({selector})\n{c}") } else { (*c).to_owned() };
            let body = self.several(2);
            arms.push((open, body));
        }
        vec![Node { arms, close: Some("end select".into()) }]
    }

    fn integer_statement(&mut self) -> Vec<Node> {
        let list: Vec<Index> = self.indices.iter().filter(|i| i.writable).cloned().collect();
        let tables: Vec<_> = self.tables.iter().filter(|t| t.writable).cloned().collect();
        let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
        if !tables.is_empty() && self.rng.percent(60) {
            let t = self.choose(&tables);
            let (at, other) = (self.index(t.length), self.index(t.length));
            let limit = Self::length(t.length);
            let by = if all.is_empty() || self.rng.percent(50) { self.rng.below(3).to_string() } else { self.choose(&all) };
            let line = match self.rng.below(4) {
                0 | 1 => format!("{0}({at}) = mod({0}({at}) + {by}, {limit}) + 1", t.name),
                2 => format!("{0}({at}) = {limit} + 1 - {0}({other})", t.name),
                _ => format!("{0} = mod({0} + {by}, {limit}) + 1", t.name),
            };
            return vec![Node::line(line)];
        }
        if list.is_empty() {
            return Vec::new();
        }
        let i = self.choose(&list);
        let by = 1 + self.rng.below(3);
        let line = match self.rng.below(4) {
            0 => format!("{0} = mod({0} + {by}, 5) + 1", i.name),
            1 => format!("{} = {}", i.name, self.index(Bound::Five)),
            2 => {
                let e = self.real(1);
                format!("{} = 1 + int(3.0d0*abs(sin({})))", i.name, re(&e))
            }
            _ => format!("if ({0} < 5) {0} = {0} + 1", i.name).replace(" < ", if self.fixed() { " .lt. " } else { " < " }),
        };
        vec![Node::line(line)]
    }

    /// Statements over whole arrays and sections.
    fn array_statement(&mut self) -> Vec<Node> {
        let arrays = |a: &Author, w: bool| -> Vec<Real> {
            a.reals.iter().filter(|v| v.whole && matches!(v.shape, Shape::Array(..)) && (v.writable || !w)).cloned().collect()
        };
        let targets = arrays(self, true);
        if targets.is_empty() {
            return Vec::new();
        }
        let t = self.choose(&targets);
        let Shape::Array(b, lower) = t.shape else { return Vec::new() };
        let same: Vec<Real> = arrays(self, false).into_iter().filter(|v| v.shape == t.shape).collect();
        let s = self.choose(&same);
        let (c, n) = (self.constant(), Self::length(b));
        let scalar = paren(&self.real(1));
        let list: Vec<Node> = match self.rng.below(9) {
            0 => vec![Node::line(format!("{} = {c}*{} + {scalar}", t.name, s.name))],
            1 => vec![Node::line(format!("{0} = 0.5d0*{0} + sin({1})", t.name, s.name))],
            2 if lower == 1 => vec![Node::line(format!("{0}(2:{n}) = 0.4d0*{0}(1:{n} - 1) + {1}(2:{n})", t.name, s.name))],
            3 if lower == 1 => vec![Node::line(format!("{0}({n}:1:-1) = {1}(1:{n})*{scalar}", t.name, s.name))],
            4 | 5 => {
                let mask = format!("{} > {}", re(&s.name), self.odd());
                let mut arms = vec![(format!("where ({mask})"), vec![Node::line(format!("{} = {c}*cos({})", t.name, s.name))])];
                let mut list = Vec::new();
                if self.rng.percent(50) {
                    // gfortran 12 reads an element of the array again for each element that it sets.
                    let w = self.fresh("scalar");
                    self.declarations.push(format!("{} {}{w}", self.type_of(false), if self.fixed() { "" } else { ":: " }));
                    list.push(Node::line(format!("{w} = {scalar}")));
                    arms.push(("elsewhere".into(), vec![Node::line(format!("{} = {w}", t.name))]));
                }
                list.push(Node { arms, close: Some("end where".into()) });
                list
            }
            6 if lower == 1 && !self.fixed() => {
                let i = self.fresh("i");
                self.declarations.push(format!("integer :: {i}"));
                vec![Node::line(format!("forall ({i} = 1:{n}) {}({i}) = {c}*{}({n} + 1 - {i})", t.name, s.name))]
            }
            7 => vec![Node::line(format!("{} = {scalar}", t.name))],
            _ => match self.matrix_times(&t, b) {
                Some(n) => vec![n],
                None => vec![Node::line(format!("{0} = {0} - 0.1d0*{1}**2", t.name, s.name))],
            },
        };
        list
    }

    fn matrix_times(&mut self, t: &Real, b: Bound) -> Option<Node> {
        let list: Vec<Real> = self.reals.iter().filter(|v| matches!(v.shape, Shape::Matrix(_))).cloned().collect();
        if list.is_empty() || b != Bound::Five {
            return None;
        }
        let m = self.choose(&list);
        let Shape::Matrix(columns) = m.shape else { return None };
        let column = 1 + self.rng.below(columns);
        Some(Node::line(match self.rng.below(2) {
            0 => format!("{0} = 0.5d0*{0} + {1}(:, {column})", t.name, m.name),
            _ => format!("{0} = 0.2d0*sum({1}, 2) + sin({0})", t.name, m.name),
        }))
    }

    fn exchange(&mut self) -> Vec<Node> {
        let (Some(a), Some(b)) = (self.target(), self.target()) else { return Vec::new() };
        let name = self.fresh("old");
        self.declarations.push(format!("{} :: {name}", self.type_of(false)));
        vec![Node::line(format!("{name} = {a}")), Node::line(format!("{a} = {b}")), Node::line(format!("{b} = {name}"))]
    }

    fn block(&mut self) -> Vec<Node> {
        let name = self.fresh("u");
        let e = self.real(1);
        let kind = self.type_of(false);
        self.reals.push(Real { name: name.clone(), shape: Shape::Scalar, writable: true, single: false, whole: false });
        let mut body = vec![Node::line(format!("{kind} :: {name}")), Node::line(format!("{name} = {e}"))];
        body.extend(self.several(2));
        self.reals.retain(|r| r.name != name);
        vec![Node::block("block", body, "end block")]
    }

    fn arithmetic_if(&mut self) -> Vec<Node> {
        if !self.fixed() || self.jumps == 0 {
            return Vec::new();
        }
        let (low, high, end) = (self.fresh_label(), self.fresh_label(), self.fresh_label());
        let e = self.real(1);
        let mut out = vec![Node::line(format!("if ({} - {}) {low}, {low}, {high}", re(&e), self.odd()))];
        let leave = std::mem::replace(&mut self.can_leave, false);
        out.push(Node::line(format!("{low} continue")));
        out.extend(self.several(1));
        out.push(Node::line(format!("goto {end}")));
        out.push(Node::line(format!("{high} continue")));
        out.extend(self.several(1));
        out.push(Node::line(format!("{end} continue")));
        self.can_leave = leave;
        out
    }

    fn jump(&mut self) -> Vec<Node> {
        if !self.rng.percent(self.jumps * 7) {
            return Vec::new();
        }
        let c = self.condition();
        let what = match self.rng.below(6) {
            0 | 1 if self.can_leave => self.choose(&["exit", "cycle"]).to_owned(),
            2 if !self.named.is_empty() => {
                let n = self.choose(&self.named.clone());
                format!("{} {n}", self.choose(&["exit", "cycle"]))
            }
            3 if self.can_return => "return".to_owned(),
            _ if !self.exits.is_empty() => {
                let k = self.rng.below(self.exits.len());
                self.exits[k].1 = true;
                format!("goto {}", self.exits[k].0)
            }
            _ => return Vec::new(),
        };
        vec![Node::line(format!("if ({c}) {what}"))]
    }
}
