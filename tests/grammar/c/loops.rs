//! Loops of all kinds, and jumps that make some.

use super::super::text::Node;
use super::{Author, Bound, Index, N, Real, Shape};

impl Author {
    pub fn any_loop(&mut self) -> Vec<Node> {
        let label = (self.rng.percent(self.jumps * 3)).then(|| self.fresh("out"));
        if let Some(l) = &label {
            self.exits.push((l.clone(), false));
        }
        let saved = (self.can_break, self.can_continue, self.work, self.indices.len());
        self.can_break = true;
        self.can_continue = true;
        self.work *= N;
        self.loops += 1;
        let mut out = match self.rng.below(24) {
            0..=9 => self.counted(),
            10 | 11 => self.down(),
            12 => self.strided(),
            13 | 14 => self.while_loop(),
            15 | 16 => self.do_loop(),
            17 => self.endless(),
            18 => self.until_small(),
            19 | 20 => self.pointer_loop(),
            21 => self.test_at_bottom(),
            22 => self.test_at_top(),
            _ => self.walk(),
        };
        self.loops -= 1;
        (self.can_break, self.can_continue, self.work, _) = saved;
        self.indices.truncate(saved.3);
        if label.is_some()
            && let Some((l, true)) = self.exits.pop()
        {
            out.push(Node::line(format!("{l}:;")));
        }
        out
    }

    /// The limit of a loop, and what its index is below.
    fn limit(&mut self) -> (&'static str, Bound) {
        if self.has_n && self.rng.percent(70) { ("n", Bound::Argument) } else { ("Q_N", Bound::Macro) }
    }

    fn with_index(&mut self, name: &str, bound: Bound, most: usize) -> Vec<Node> {
        self.indices.push(Index { text: name.to_owned(), bound, writable: false });
        let body = self.several(most);
        self.indices.retain(|i| i.text != name);
        body
    }

    fn loop_pragma(&mut self) -> String {
        if !self.rng.percent(self.pragmas * 3) {
            return String::new();
        }
        let p = self.pick(&[
            "#pragma GCC ivdep",
            "#pragma GCC unroll 2",
            "#pragma omp parallel for",
            "#pragma omp simd",
            "#pragma ivdep",
            "#pragma unroll(2)",
            "#pragma nounroll",
        ]);
        format!("{p}\n")
    }

    fn counted(&mut self) -> Vec<Node> {
        let i = self.fresh("i");
        let (limit, bound) = self.limit();
        let start = [0, 0, 0, 1][self.rng.below(4)];
        let outside = self.rng.percent(25);
        let kind = self.pick(&["int", "int", "int", "long", "unsigned", "size_t"]);
        // Arithmetic of unsigned numbers is another one.
        let (kind, text) = if outside || kind == "int" { ("int", i.clone()) } else { (kind, format!("(int) {i}")) };
        let end = if self.rng.percent(15) { format!("{i} <= {limit} - 1") } else { format!("{i} < {limit}") };
        let step = self.pick(&["++", "++", "++", " += 1", " += 2"]);
        let pragma = self.loop_pragma();
        let declared = if outside {
            self.declarations.push(format!("int {i};"));
            String::new()
        } else {
            format!("{kind} ")
        };
        let body = self.with_index(&text, bound, 3);
        let head = format!("{pragma}for ({declared}{i} = {start}; {end}; {i}{step})");
        if body.len() == 1 && body[0].close.is_none() && !body[0].arms[0].0.contains('#') && self.rng.percent(50) {
            let line = &body[0].arms[0].0;
            if !line.starts_with("double") && !line.starts_with("//") && !line.starts_with("/*") {
                return vec![Node::line(format!("{head}\n  {line}"))];
            }
        }
        vec![Node::block(format!("{head} {{"), body, "}")]
    }

    fn down(&mut self) -> Vec<Node> {
        let i = self.fresh("i");
        let (limit, bound) = self.limit();
        let head = match self.rng.below(3) {
            0 => format!("for (int {i} = {limit} - 1; {i} >= 0; {i}--)"),
            1 => format!("for (int {i} = {limit} - 1; {i} > 0; --{i})"),
            _ => format!("for (int {i} = {limit}; {i}-- > 0;)"),
        };
        let body = self.with_index(&i, bound, 3);
        vec![Node::block(format!("{head} {{"), body, "}")]
    }

    fn strided(&mut self) -> Vec<Node> {
        let (i, s) = (self.fresh("i"), self.fresh("s"));
        let (limit, bound) = self.limit();
        let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
        let step = if all.is_empty() { "2".to_owned() } else { format!("1 + {} % 3", self.pick(&all)) };
        let body = self.with_index(&i, bound, 2);
        vec![Node::block(
            "{",
            vec![
                Node::line(format!("int {s} = {step};")),
                Node::block(format!("for (int {i} = 0; {i} < {limit}; {i} += {s}) {{"), body, "}"),
            ],
            "}",
        )]
    }

    fn while_loop(&mut self) -> Vec<Node> {
        let k = self.fresh("k");
        let (limit, bound) = self.limit();
        let early = self.rng.percent(50);
        self.can_continue = false;
        let extra = if self.rng.percent(30) { format!(" && {}", self.while_condition()) } else { String::new() };
        let mut body = self.with_index(&k, bound, 3);
        let open = if early && extra.is_empty() {
            // The index is one ahead in the body.
            format!("int {k} = -1;\nwhile (++{k} < {limit}) {{")
        } else {
            body.push(Node::line(self.pick(&[format!("{k}++;"), format!("++{k};"), format!("{k} += 1;")])));
            format!("int {k} = 0;\nwhile ({k} < {limit}{extra}) {{")
        };
        vec![Node::block("{", vec![Node::block(open, body, "}")], "}")]
    }

    fn while_condition(&mut self) -> String {
        let e = self.real(1);
        format!("RE({e}) < {}", self.pick(&["1.7173", "2.3791", "0.9137"]))
    }

    fn do_loop(&mut self) -> Vec<Node> {
        let k = self.fresh("k");
        let (limit, bound) = self.limit();
        let at_end = self.rng.percent(60);
        let (open, close, first) = if at_end {
            (format!("int {k} = 0;\ndo {{"), format!("}} while (++{k} < {limit});"), false)
        } else {
            self.can_continue = false;
            (format!("int {k} = 0;\ndo {{"), format!("}} while ({k} < {limit});"), true)
        };
        let mut body = self.with_index(&k, bound, 3);
        if first {
            body.push(Node::line(format!("{k}++;")));
        }
        if self.rng.percent(self.jumps * 2) {
            let c = self.condition();
            let v = self.assignment();
            body.push(Node::block(format!("if ({c}) {{"), vec![Node::line("continue;")], "}"));
            if at_end {
                body.extend(v);
            }
        } else if self.rng.percent(self.jumps * 2) {
            body.push(Node::line("continue;"));
        }
        vec![Node::block("{", vec![Node::block(open, body, close)], "}")]
    }

    fn endless(&mut self) -> Vec<Node> {
        let k = self.fresh("k");
        self.can_continue = false;
        let mut body = self.with_index(&k, Bound::Macro, 2);
        let at = self.rng.below(body.len() + 1);
        let leave = self.pick(&[format!("if (++{k} >= Q_N) break;"), format!("if ({k}++ == Q_N - 1) break;")]);
        // Before that nothing may go beyond.
        let at = if at < body.len() { body.len() } else { at };
        body.insert(at, Node::line(leave));
        let open = format!("int {k} = 0;\n{} {{", self.pick(&["for (;;)", "while (1)"]));
        vec![Node::block("{", vec![Node::block(open, body, "}")], "}")]
    }

    /// As long as a number is large, but not too often.
    fn until_small(&mut self) -> Vec<Node> {
        let k = self.fresh("k");
        let v = self.fresh("q");
        let start = self.real(1);
        let name = v.clone();
        self.reals.push(Real { name: name.clone(), shape: Shape::Scalar, writable: false, float: false, address: None });
        let mut body = self.with_index(&k, Bound::None, 2);
        self.reals.retain(|r| r.name != name);
        let shrink = self.pick(&[
            format!("{v} = 0.6 * {v} + 0.01;"),
            format!("{v} *= 0.55;"),
            format!("{v} = {v} - 0.4 * sin({v});"),
            format!("{v} /= 1.7;"),
        ]);
        body.insert(0, Node::line(shrink));
        self.declarations.push(format!("double {v};"));
        let open = format!("int {k} = 0;\n{v} = 1.5 + fabs({start} + 0.0173);\nwhile (RE({v}) > 0.4173 && {k}++ < 6) {{");
        let mut list = vec![Node::block(open, body, "}")];
        if let Some(t) = self.target(false) {
            list.push(Node::line(format!("{t} = {t} * 0.5 + {v};")));
        }
        vec![Node::block("{", list, "}")]
    }

    /// A pointer that walks over an array.
    fn pointer_loop(&mut self) -> Vec<Node> {
        let list: Vec<Real> = self.reals.iter().filter(|v| matches!(v.shape, Shape::Array(_)) && !v.float).cloned().collect();
        if list.is_empty() {
            return self.counted();
        }
        let v = self.pick(&list);
        let p = self.fresh("p");
        let length = if matches!(v.shape, Shape::Array(Bound::Argument)) { "n" } else { "Q_N" };
        let writes = v.writable && self.rng.percent(60);
        let constant = if v.writable && self.rng.percent(70) { "" } else { "const " };
        let e = self.real(1);
        let Some(t) = self.target(true) else { return Vec::new() };
        let star =
            Real { name: format!("*{p}"), shape: Shape::Scalar, writable: writes && constant.is_empty(), float: false, address: None };
        match self.rng.below(4) {
            0 => {
                self.reals.push(star);
                let body = self.several(2);
                self.reals.retain(|r| r.name != format!("*{p}"));
                vec![Node::block(format!("for ({constant}double *{p} = {0}; {p} < {0} + {length}; {p}++) {{", v.name), body, "}")]
            }
            1 if writes => vec![Node::block(
                "{",
                vec![
                    Node::line(format!("double *{p} = {};", v.name)),
                    Node::line(format!("while ({p} != {} + {length}) *{p}++ = {e};", v.name)),
                ],
                "}",
            )],
            2 => vec![Node::block(
                "{",
                vec![
                    Node::line(format!("const double *{p} = {} + {length};", v.name)),
                    Node::block(
                        format!("for (int q = 0; q < {length}; q++) {{"),
                        vec![Node::line(format!("double one = *--{p};")), Node::line(format!("{t} = 0.7 * {t} + sin(one);"))],
                        "}",
                    ),
                ],
                "}",
            )],
            _ => vec![Node::block(
                "{",
                vec![
                    Node::line(format!("const double *{p} = {}, *end = {0} + {length};", v.name)),
                    Node::line(format!("while ({p} < end) {{ {t} += 0.2 * *{p} * *{p}; {p}++; }}")),
                ],
                "}",
            )],
        }
    }

    /// The test stands at the bottom, and is jumped to first.
    fn test_at_bottom(&mut self) -> Vec<Node> {
        let (k, body_label, test) = (self.fresh("k"), self.fresh("body"), self.fresh("test"));
        let (limit, bound) = self.limit();
        (self.can_break, self.can_continue) = (false, false);
        self.declarations.push(format!("int {k};"));
        let body = self.with_index(&k, bound, 2);
        vec![
            Node::line(format!("{k} = 0;")),
            Node::line(format!("goto {test};")),
            Node::line(format!("{body_label}:;")),
            Node::block("{", body, "}"),
            Node::line(format!("{k}++;")),
            Node::line(format!("{test}: if ({k} < {limit}) goto {body_label};")),
        ]
    }

    fn test_at_top(&mut self) -> Vec<Node> {
        let (k, again, done) = (self.fresh("k"), self.fresh("again"), self.fresh("done"));
        let (limit, bound) = self.limit();
        (self.can_break, self.can_continue) = (false, false);
        self.declarations.push(format!("int {k};"));
        let body = self.with_index(&k, bound, 2);
        vec![
            Node::line(format!("{k} = 0;")),
            Node::line(format!("{again}: if ({k} >= {limit}) goto {done};")),
            Node::block("{", body, "}"),
            Node::line(format!("{k}++;")),
            Node::line(format!("goto {again};")),
            Node::line(format!("{done}:;")),
        ]
    }

    /// Elements are taken one after the other by an index that counts by itself.
    fn walk(&mut self) -> Vec<Node> {
        let list: Vec<Real> = self.reals.iter().filter(|v| matches!(v.shape, Shape::Array(_)) && v.writable && !v.float).cloned().collect();
        if list.is_empty() {
            return self.counted();
        }
        let v = self.pick(&list);
        let Shape::Array(b) = v.shape else { return Vec::new() };
        let limit = if b == Bound::Argument { "n" } else { "Q_N" };
        let (k, i) = (self.fresh("k"), self.fresh("i"));
        let e = self.with_expression(&i, b);
        let write = self.pick(&[format!("{}[{k}++] = {e};", v.name), format!("{}[{k}] = {e}, {k}++;", v.name)]);
        vec![Node::block(
            "{",
            vec![
                Node::line(format!("int {k} = 0;")),
                Node::block(format!("for (int {i} = 0; {i} < {limit}; {i}++) {{"), vec![Node::line(write)], "}"),
            ],
            "}",
        )]
    }

    fn with_expression(&mut self, i: &str, b: Bound) -> String {
        self.indices.push(Index { text: i.to_owned(), bound: b, writable: false });
        let e = self.real(2);
        self.indices.retain(|x| x.text != i);
        e
    }

    /// Parts with jumps between them in any order; a counter lets them end.
    pub fn web(&mut self) -> Vec<Node> {
        let g = self.fresh("g");
        self.declarations.push(format!("int {g} = 0;"));
        let count = 2 + self.rng.below(3);
        let labels: Vec<String> = (0..=count).map(|_| self.fresh("part")).collect();
        let saved = (self.can_break, self.can_continue, self.work);
        (self.can_break, self.can_continue) = (false, false);
        self.work *= 6;
        let mut out = vec![Node::line(format!("{g} = 0;"))];
        for k in 0..count {
            out.push(Node::line(format!("{}:;", labels[k])));
            let body = self.several(2);
            let nested = self.rng.percent(25);
            let to = self.rng.below(count + 1);
            let jump = format!("if (++{g} < 7 && ({})) goto {};", self.condition(), labels[to]);
            if nested {
                let c = self.condition();
                let mut body = body;
                body.push(Node::line(jump));
                if self.rng.percent(40) {
                    // A label inside of a branch, to which others jump.
                    let inner = self.fresh("inner");
                    body.insert(0, Node::line(format!("{inner}:;")));
                    out.push(Node::block(format!("if ({c}) {{"), body, "}"));
                    let c = self.condition();
                    out.push(Node::line(format!("if (++{g} < 7 && ({c})) goto {inner};")));
                } else {
                    out.push(Node::block(format!("if ({c}) {{"), body, "}"));
                }
            } else {
                out.push(Node::block("{", body, "}"));
                if self.rng.percent(75) {
                    out.push(Node::line(jump));
                }
            }
        }
        out.push(Node::line(format!("{}:;", labels[count])));
        (self.can_break, self.can_continue, self.work) = saved;
        out
    }
}
