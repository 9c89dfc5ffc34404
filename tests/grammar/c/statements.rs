//! Statements other than loops.

use super::super::text::Node;
use super::expressions::paren;
use super::{Author, Bound, Index, Real, Shape};

impl Author {
    /// What may be set: a scalar or an element, not a float where that is said.
    pub fn target(&mut self, double: bool) -> Option<String> {
        let list: Vec<Real> = self.reals.iter().filter(|v| v.writable && !(double && v.float)).cloned().collect();
        if list.is_empty() {
            return None;
        }
        let v = self.pick(&list);
        Some(self.element(&v))
    }

    /// Several statements, for a body.
    pub fn several(&mut self, most: usize) -> Vec<Node> {
        let mut out = Vec::new();
        let saved = (self.reals.len(), self.indices.len(), self.tables.len());
        self.depth += 1;
        if self.rng.percent(12) {
            let name = self.fresh("v");
            let e = self.real(1);
            out.push(Node::line(format!("double {name} = {e};")));
            self.reals.push(Real { address: Some(format!("&{name}")), name, shape: Shape::Scalar, writable: true, float: false });
        }
        for _ in 0..1 + self.rng.below(most) {
            out.extend(self.statement());
        }
        self.depth -= 1;
        self.reals.truncate(saved.0);
        self.indices.truncate(saved.1);
        self.tables.truncate(saved.2);
        out
    }

    /// One thing that is done, with what belongs to it.
    pub fn statement(&mut self) -> Vec<Node> {
        let mut out = Vec::new();
        if self.rng.percent(self.pragmas) {
            out.push(Node::line(self.foreign(false)));
        }
        if self.rng.percent(5) {
            out.push(Node::line(self.pick(&["/* next */", "// and so on", "/* a * b; x = 3; */", ";"])));
        }
        if self.budget == 0 || self.depth > 4 {
            out.extend(self.assignment());
            return out;
        }
        self.budget -= 1;
        let made = match self.rng.below(100) {
            0..=33 => self.assignment(),
            34..=43 => self.branch(),
            44..=64 if self.loops < 3 && self.work < 60 => self.any_loop(),
            65..=73 => self.any_call().into_iter().collect(),
            74..=78 => self.switch(),
            79..=84 => self.integer_statement(),
            85..=87 => self.library(),
            88..=90 => self.pair(),
            91..=92 if self.jumps > 0 && self.work < 10 => self.web(),
            93 => self.scope(),
            _ => self.jump(),
        };
        out.extend(made);
        if out.is_empty() {
            out.extend(self.assignment());
        }
        out
    }

    fn scope(&mut self) -> Vec<Node> {
        let body = self.several(3);
        vec![Node::block("{", body, "}")]
    }

    pub fn assignment(&mut self) -> Vec<Node> {
        let Some(v) = self.target(false) else { return Vec::new() };
        let e = self.real(2);
        let p = paren(&e);
        let line = match self.rng.below(24) {
            0..=8 => format!("{v} = {e};"),
            9..=11 => format!("{v} += 0.3 * {p};"),
            12 => format!("{v} -= 0.2 * {p};"),
            13 => format!("{v} *= cos({e});"),
            14 => {
                let d = self.positive(1);
                format!("{v} /= {d};")
            }
            15 => format!("{v} = 0.5 * {v} + {p};"),
            16 => format!("{v} = {v} * sin({e});"),
            17 => format!("{v} = sin({v}) + {p};"),
            18 => {
                // An assignment within an expression, of a variable that nothing else names.
                let name = self.fresh("w");
                self.declarations.push(format!("double {name};"));
                format!("{v} = ({name} = {p}) * {name}2;").replace(&format!("{name}2"), &self.constant().replace('-', ""))
            }
            19 => {
                let c = self.condition();
                let other = self.real(1);
                format!("{v} = ({c}) ? {p} : {};", paren(&other))
            }
            20 => {
                let other = self.real(1);
                match self.target(false) {
                    // One after the other.
                    Some(w) => format!("{v} = {e}, {w} = {};", paren(&other)),
                    None => format!("{v} = {e};"),
                }
            }
            21 => {
                let Some(w) = self.target(false) else { return Vec::new() };
                // A chain; the subscripts read no real number, and what is set twice is no element.
                if v == w || v.contains(['[', '*']) || w.contains(['[', '*']) { format!("{v} = {e};") } else { format!("{v} = {w} = {e};") }
            }
            22 => {
                let guard = self.condition();
                format!("if ({guard}) {v} = {e};")
            }
            _ => format!("{v} = {e} + {};", self.constant()),
        };
        vec![Node::line(line)]
    }

    fn branch(&mut self) -> Vec<Node> {
        let mut arms = Vec::new();
        let c = self.condition();
        let body = self.several(2);
        arms.push((format!("if ({c}) {{"), body));
        if self.rng.percent(25) {
            let c = self.condition();
            let body = self.several(2);
            arms.push((format!("}} else if ({c}) {{"), body));
        }
        if self.rng.percent(50) {
            let body = self.several(2);
            arms.push(("} else {".into(), body));
        }
        vec![Node { arms, close: Some("}".into()) }]
    }

    fn switch(&mut self) -> Vec<Node> {
        let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
        let selector = if all.is_empty() {
            let l = self.target(false).unwrap_or_else(|| "0.3".into());
            format!("(int) (fabs(sin({l})) * 3.0)")
                .replace("fabs(sin(", "RE(fabs(sin(")
                .replace("))", ")))")
                .replace(") * 3.0))", ")) * 3.0)")
        } else {
            let i = self.pick(&all);
            format!("{i} % 4")
        };
        // The selector above may not balance where names hold parentheses.
        if selector.matches('(').count() != selector.matches(')').count() {
            return Vec::new();
        }
        let (breaks, continues) = (self.can_break, self.can_continue);
        self.can_break = false;
        let mut arms = Vec::new();
        let mut first = true;
        let mut values = [0usize, 1, 2, 3];
        let by = self.rng.below(4);
        values.rotate_left(by);
        let count = 2 + self.rng.below(2);
        let with_default = self.rng.below(count + 2);
        for (k, v) in values.iter().take(count).enumerate() {
            let mut open = if first { format!("switch ({selector}) {{\n") } else { String::new() };
            first = false;
            open.push_str(&format!("case {v}:"));
            if self.rng.percent(15) {
                open.push_str(&format!("\ncase {}:", v + 10));
            }
            if k == with_default {
                open.push_str("\ndefault:");
            }
            let mut body = vec![Node::block("{", self.several(2), "}")];
            if self.rng.percent(70) {
                body.push(Node::line("break;"));
            } else if self.rng.percent(50) {
                body.push(Node::line("/* falls through */"));
            }
            arms.push((open, body));
        }
        if with_default == count {
            arms.push(("default:".into(), vec![Node::block("{", self.several(1), "}"), Node::line("break;")]));
        }
        (self.can_break, self.can_continue) = (breaks, continues);
        vec![Node { arms, close: Some("}".into()) }]
    }

    /// Something done to integers: counters, index arrays.
    fn integer_statement(&mut self) -> Vec<Node> {
        let list: Vec<Index> = self.indices.iter().filter(|i| i.writable).cloned().collect();
        let tables: Vec<_> = self.tables.iter().filter(|t| t.writable).cloned().collect();
        let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
        if !tables.is_empty() && self.rng.percent(60) {
            let t = self.pick(&tables);
            let at = self.index(t.length);
            let limit = if t.contents == Bound::Argument { "n" } else { "Q_N" };
            let by = if all.is_empty() || self.rng.percent(50) { (1 + self.rng.below(3)).to_string() } else { self.pick(&all) };
            let other = self.index(t.length);
            let line = match self.rng.below(5) {
                0 | 1 => format!("{0}[{at}] = ({0}[{at}] + {by}) % {limit};", t.name),
                2 => format!("{0}[{at}] = {limit} - 1 - {0}[{other}];", t.name),
                3 => {
                    return vec![Node::block(
                        "{",
                        vec![
                            Node::line(format!("int other = {}[{at}];", t.name)),
                            Node::line(format!("{0}[{at}] = {0}[{other}];", t.name)),
                            Node::line(format!("{}[{other}] = other;", t.name)),
                        ],
                        "}",
                    )];
                }
                _ => format!("for (int q = 0; q < {limit}; q++) {0}[q] = ({0}[q] + q) % {limit};", t.name),
            };
            return vec![Node::line(line)];
        }
        if list.is_empty() {
            return Vec::new();
        }
        let i = self.pick(&list);
        let name = i.text.trim_start_matches("(int) ").to_owned();
        let by = 1 + self.rng.below(3);
        let line = match self.rng.below(5) {
            0 => format!("{name} = ({name} + {by}) % Q_N;"),
            1 => format!("{name} = {};", self.index(Bound::Macro)),
            2 => {
                let e = self.real(1);
                format!("{name} = (int) RE(fabs(3.0 * sin({e})));")
            }
            3 => format!("if ({name} < Q_N - 1) {};", if name.starts_with('*') { format!("({name})++") } else { format!("{name}++") }),
            _ => format!("{name} = {name} > {by} ? {name} - {by} : {};", self.rng.below(3)),
        };
        vec![Node::line(line)]
    }

    /// Functions of the library that move memory.
    fn library(&mut self) -> Vec<Node> {
        let whole = |a: &Author, w: bool| -> Vec<Real> {
            a.reals.iter().filter(|v| matches!(v.shape, Shape::Array(_)) && !v.float && (v.writable || !w)).cloned().collect()
        };
        let targets = whole(self, true);
        if targets.is_empty() {
            return Vec::new();
        }
        let t = self.pick(&targets);
        let length = |v: &Real| if matches!(v.shape, Shape::Array(Bound::Argument)) { "n" } else { "Q_N" };
        let sources: Vec<Real> = whole(self, false).into_iter().filter(|s| s.name != t.name).collect();
        let local_only = self.reals.iter().filter(|v| v.name.starts_with('t')).map(|v| v.name.clone()).collect::<Vec<_>>();
        // Arguments may be one array.
        let apart = |s: &Real| local_only.contains(&s.name) || local_only.contains(&t.name);
        let sources: Vec<Real> = sources.into_iter().filter(apart).collect();
        if !sources.is_empty() && self.rng.percent(60) {
            let s = self.pick(&sources);
            let n = if length(&t) == "n" || length(&s) == "n" { "n" } else { "Q_N" };
            return vec![Node::line(format!("memcpy({}, {}, {n} * sizeof(double));", t.name, s.name))];
        }
        vec![Node::line(format!("memset({}, 0, {} * sizeof(double));", t.name, length(&t)))]
    }

    /// Two statements that belong together: an exchange, a running sum, a pointer that is set and used.
    fn pair(&mut self) -> Vec<Node> {
        match self.rng.below(3) {
            0 => {
                let (Some(a), Some(b)) = (self.target(true), self.target(true)) else { return Vec::new() };
                let name = self.fresh("old");
                vec![Node::block(
                    "{",
                    vec![
                        Node::line(format!("double {name} = {a};")),
                        Node::line(format!("{a} = {b};")),
                        Node::line(format!("{b} = {name};")),
                    ],
                    "}",
                )]
            }
            1 => {
                let list: Vec<Real> =
                    self.reals.iter().filter(|v| matches!(v.shape, Shape::Array(_)) && v.writable && !v.float).cloned().collect();
                if list.is_empty() {
                    return Vec::new();
                }
                let v = self.pick(&list);
                let Shape::Array(b) = v.shape else { return Vec::new() };
                let at = self.index(b);
                let name = self.fresh("e");
                let e = self.real(1);
                let lines = vec![
                    Node::line(format!("double *{name} = &{}[{at}];", v.name)),
                    Node::line(format!("*{name} = 0.5 * *{name} + {};", paren(&e))),
                ];
                vec![Node::block("{", lines, "}")]
            }
            _ => {
                let Some(v) = self.target(false) else { return Vec::new() };
                let name = self.fresh("h");
                let (e, f) = (self.real(2), self.real(1));
                let lines = vec![
                    Node::line(format!("const double {name} = {e};")),
                    Node::line(format!("{v} = {name} * {name} - {} * {name};", paren(&f))),
                ];
                vec![Node::block("{", lines, "}")]
            }
        }
    }

    /// Out of a loop, of the nest, of the function; always under a condition.
    fn jump(&mut self) -> Vec<Node> {
        if !self.rng.percent(self.jumps * 7) {
            return Vec::new();
        }
        let c = self.condition();
        let what = match self.rng.below(5) {
            0 | 1 if self.can_break => "break;".to_owned(),
            2 if self.can_continue => "continue;".to_owned(),
            3 if self.can_return => self.returned.as_ref().map_or("return;".to_owned(), |r| format!("return {r};")),
            _ if !self.exits.is_empty() => {
                let k = self.rng.below(self.exits.len());
                self.exits[k].1 = true;
                format!("goto {};", self.exits[k].0)
            }
            _ => return Vec::new(),
        };
        vec![Node::line(format!("if ({c}) {what}"))]
    }
}
