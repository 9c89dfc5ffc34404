//! Functions: what they are given, their declarations, their bodies.

use super::super::text::{Argument, Head, Kind, Node};
use super::{Author, Bound, Index, N, Real, Shape, Table};

/// What a parameter is.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// `int n`.
    Length,
    /// `double a`, `float a`.
    Value(bool),
    /// An array; whether it is changed; floats.
    Array(Bound, bool, bool),
    /// A pointer to one number; whether it is changed.
    Pointer(bool),
    /// Rows; whether it is changed.
    Matrix(usize, bool),
    /// `int k`, not negative.
    Integer,
    /// `int *k`, stays below `Q_N`.
    IntegerPointer,
    /// Indices; what they are below; whether they are changed.
    Indices(Bound, bool),
    /// How often it calls itself.
    Depth,
    /// A pointer to a function, by what may be given for it.
    Function(Vec<String>),
}

#[derive(Clone, Debug)]
pub struct Signature {
    pub name: String,
    pub prototype: String,
    pub parameters: Vec<Parameter>,
    pub result: bool,
    /// It changes nothing but what it returns.
    pub pure: bool,
    /// It is static.
    pub hidden: bool,
}

/// A parameter with its name and declaration.
struct Declared {
    parameter: Parameter,
    name: String,
    text: String,
}

impl Author {
    fn parameter(&mut self, k: usize, pure: bool, has_n: bool, restrict: bool) -> Declared {
        let written = !pure && self.rng.percent(if k == 0 { 20 } else { 60 });
        let bound = if has_n && self.rng.percent(80) { Bound::Argument } else { Bound::Macro };
        let choice = if pure { self.rng.below(9) } else { self.rng.below(17) };
        let r = if restrict { "restrict " } else { "" };
        let constant = if written { "" } else { "const " };
        let (parameter, name, text) = match choice {
            0..=3 => {
                let float = self.single && self.rng.percent(40);
                let name = format!("{}{k}", self.pick(&["a", "p", "u"]));
                (Parameter::Value(float), name.clone(), format!("{} {name}", if float { "float" } else { "double" }))
            }
            4..=6 | 9..=11 => {
                let float = self.single && self.rng.percent(30);
                let name = format!("{}{k}", if written { "y" } else { "x" });
                let kind = if float { "float" } else { "double" };
                let length = if bound == Bound::Argument { "n" } else { "Q_N" };
                let text = match self.rng.below(5) {
                    0 if !restrict => format!("{constant}{kind} {name}[]"),
                    1 if !restrict => format!("{constant}{kind} {name}[{length}]"),
                    _ => format!("{constant}{kind} *{r}{name}"),
                };
                (Parameter::Array(bound, written, float), name, text)
            }
            7 | 12 | 13 => {
                let name = format!("z{k}");
                (Parameter::Pointer(written), name.clone(), format!("{constant}double *{r}{name}"))
            }
            8 | 14 => {
                let rows = 2 + self.rng.below(2);
                let name = format!("m{k}");
                let text = match self.rng.below(3) {
                    0 => format!("{constant}double {name}[{rows}][Q_N]"),
                    1 => format!("{constant}double (*{name})[Q_N]"),
                    _ => format!("{constant}double {name}[][Q_N]"),
                };
                (Parameter::Matrix(rows, written), name, text)
            }
            15 if self.in_callee => (Parameter::Integer, format!("kp{k}"), format!("int kp{k}")),
            16 if self.in_callee && self.rng.percent(50) => (Parameter::IntegerPointer, format!("c{k}"), format!("int *c{k}")),
            _ if self.in_callee => {
                let name = format!("idx{k}");
                (Parameter::Indices(bound, written), name.clone(), format!("{}int *{name}", constant))
            }
            _ => (Parameter::Pointer(true), format!("z{k}"), format!("double *{r}z{k}")),
        };
        Declared { parameter, name, text }
    }

    /// Makes a parameter known to the body.
    fn introduce(&mut self, d: &Declared) {
        let real = |name: String, shape, writable, float, address| Real { name, shape, writable, float, address };
        let n = d.name.clone();
        match &d.parameter {
            Parameter::Length => {}
            Parameter::Value(float) => {
                let changes = self.rng.percent(30);
                self.reals.push(real(n.clone(), Shape::Scalar, changes, *float, None));
            }
            Parameter::Array(b, w, float) => self.reals.push(real(n.clone(), Shape::Array(*b), *w, *float, Some(n))),
            Parameter::Pointer(w) => self.reals.push(real(format!("*{n}"), Shape::Scalar, *w, false, Some(n))),
            Parameter::Matrix(rows, w) => self.reals.push(real(n.clone(), Shape::Matrix(*rows), *w, false, Some(n))),
            Parameter::Integer => self.indices.push(Index { text: n, bound: Bound::None, writable: true }),
            Parameter::IntegerPointer => self.indices.push(Index { text: format!("*{n}"), bound: Bound::Macro, writable: true }),
            Parameter::Indices(b, w) => self.tables.push(Table { name: n, length: *b, contents: *b, writable: *w }),
            Parameter::Depth | Parameter::Function(_) => {}
        }
    }

    fn reset(&mut self) {
        self.reals.clear();
        self.indices.clear();
        self.tables.retain(|t| t.name == "Q_order");
        self.counter = 0;
        self.loops = 0;
        self.work = 1;
        self.can_break = false;
        self.can_continue = false;
        self.exits.clear();
        self.declarations.clear();
        self.depth = 0;
    }

    /// A function that others call.
    pub fn function(&mut self, name: &str) -> Node {
        self.reset();
        self.in_callee = true;
        let pure = self.rng.percent(45);
        let result = pure || self.rng.percent(30);
        let has_n = !pure || self.rng.percent(40);
        let restrict = self.rng.percent(20);
        let recursive = self.rng.percent(10);
        self.has_n = has_n;
        let mut list = Vec::new();
        if has_n {
            list.push(Declared { parameter: Parameter::Length, name: "n".into(), text: "int n".into() });
        }
        if recursive {
            list.push(Declared { parameter: Parameter::Depth, name: "level".into(), text: "int level".into() });
        }
        for k in 0..1 + self.rng.below(4) {
            let d = self.parameter(k, pure, has_n, restrict);
            list.push(d);
        }
        if self.rng.percent(25) && !list.iter().any(|d| d.text.contains("[n]")) {
            let by = self.rng.below(list.len());
            list.rotate_left(by);
        }
        list.iter().for_each(|d| self.introduce(d));
        let hidden = self.rng.percent(40);
        let kind = match (hidden, self.rng.percent(20)) {
            (true, true) => "static inline ",
            (true, false) => "static ",
            _ => "",
        };
        let texts: Vec<&str> = list.iter().map(|d| d.text.as_str()).collect();
        let prototype = format!("{kind}{} {name}({})", if result { "double" } else { "void" }, texts.join(", "));
        if !pure {
            let globals = self.globals.clone();
            self.reals.extend(globals);
        }
        let mut signature = Signature {
            name: name.to_owned(),
            prototype: prototype.clone(),
            parameters: list.iter().map(|d| d.parameter.clone()).collect(),
            result,
            pure,
            hidden,
        };
        self.budget = 6 + self.rng.below(10);
        let statements = 2 + self.rng.below(3);
        let mut body = self.body(result, statements);
        if recursive {
            // It comes to an end before anything else is done.
            let arguments = self.arguments(&signature, Some("level - 1"));
            if let Some(arguments) = arguments {
                let call = if result { format!("*r += 0.5 * {name}({arguments});") } else { format!("{name}({arguments});") };
                let call = call.replace("*r +=", "res +=");
                let at = body.len().saturating_sub(1);
                body.insert(at, Node::block("if (level > 0) {", vec![Node::line(call)], "}"));
            }
        }
        // A recursive one has effects in an order that matters.
        signature.pure &= !recursive;
        self.signatures.push(signature);
        Node::block(format!("{prototype} {{"), body, "}")
    }

    /// Declarations, everything set, statements, the end.
    fn body(&mut self, result: bool, statements: usize) -> Vec<Node> {
        let mut out = Vec::new();
        let top = self.rng.percent(30);
        if result {
            out.push(Node::line(format!("double res = {};", self.constant())));
            self.reals.push(Real { name: "res".into(), shape: Shape::Scalar, writable: true, float: false, address: Some("&res".into()) });
            self.returned = Some("res".into());
        } else {
            self.returned = None;
        }
        self.can_return = self.rng.percent(self.jumps * 4);
        let locals = self.locals(top);
        out.extend(locals);
        let mut rest = Vec::new();
        for _ in 0..statements {
            rest.extend(self.statement());
        }
        out.extend(self.declarations.drain(..).map(Node::line));
        out.extend(rest);
        // What was computed counts.
        if result {
            let e = self.real(2);
            out.push(Node::line(format!("res += 0.3 * ({e});")));
            out.push(Node::line(if self.rng.percent(70) { "return res;".to_owned() } else { format!("return {};", self.tail()) }));
        } else if self.rng.percent(10) {
            out.push(Node::line("return;"));
        }
        out
    }

    fn tail(&mut self) -> String {
        self.pick(&["sin(res)", "res * res", "(res)", "res + 0.25 * tanh(res)", "RE(res) > 0.3173 ? res : 2.0 * res"]).to_owned()
    }

    fn locals(&mut self, top: bool) -> Vec<Node> {
        let mut out = Vec::new();
        for k in 0..1 + self.rng.below(3) {
            let float = self.single && self.rng.percent(35);
            let kind = if float { "float" } else { "double" };
            let name = format!("t{k}");
            match self.rng.below(8) {
                0 | 1 => {
                    let zero = self.rng.percent(50);
                    if zero {
                        out.push(Node::line(format!("{kind} {name}[Q_N] = {{0.0}};")));
                    } else {
                        let list: Vec<String> = (0..N).map(|_| self.constant()).collect();
                        out.push(Node::line(format!("{kind} {name}[] = {{{}}};", list.join(", "))));
                    }
                    let address = Some(name.clone());
                    self.reals.push(Real { name, shape: Shape::Array(Bound::Macro), writable: true, float, address });
                }
                2 => {
                    out.push(Node::line(format!("double {name}[2][Q_N] = {{{{{}}}, {{0.2, 0.3}}}};", self.constant())));
                    self.reals.push(Real {
                        name: name.clone(),
                        shape: Shape::Matrix(2),
                        writable: true,
                        float: false,
                        address: Some(name),
                    });
                }
                3 if self.rng.percent(30) => {
                    let start = if self.has_n { "n" } else { "Q_N" };
                    out.push(Node::line(format!("double *{name} = malloc({start} * sizeof(double));")));
                    out.push(Node::line(format!("for (int q = 0; q < {start}; q++) {name}[q] = 0.1 * q;")));
                    let shape = Shape::Array(if self.has_n { Bound::Argument } else { Bound::Macro });
                    self.reals.push(Real { name: name.clone(), shape, writable: true, float: false, address: Some(name) });
                }
                _ => {
                    let init = if top { self.constant() } else { self.real(1) };
                    out.push(Node::line(format!("{kind} {name} = {init};")));
                    let address = if float { None } else { Some(format!("&{name}")) };
                    self.reals.push(Real { name, shape: Shape::Scalar, writable: true, float, address });
                }
            }
        }
        self.integers(&mut out);
        out
    }

    fn integers(&mut self, out: &mut Vec<Node>) {
        if self.rng.percent(45) {
            let kind = self.pick(&["int", "int", "long", "unsigned", "size_t", "unsigned char", "short"]);
            out.push(Node::line(format!("{kind} c = {};", self.rng.below(3))));
            self.indices.push(Index {
                text: if kind == "int" { "c".into() } else { "(int) c".into() },
                bound: Bound::Macro,
                writable: true,
            });
        }
        if self.rng.percent(35) {
            let list: Vec<String> = (0..N).map(|_| self.rng.below(N).to_string()).collect();
            let kind = self.pick(&["int", "int", "long", "short"]);
            out.push(Node::line(format!("{kind} idx[Q_N] = {{{}}};", list.join(", "))));
            if kind == "int" {
                self.tables.push(Table { name: "idx".into(), length: Bound::Macro, contents: Bound::Macro, writable: true });
            } else {
                self.tables.push(Table { name: "idx".into(), length: Bound::Macro, contents: Bound::Macro, writable: false });
            }
        }
    }

    /// The function to be differentiated, and what is known of it.
    pub fn head(&mut self) -> (Node, Head) {
        self.reset();
        self.in_callee = false;
        self.has_n = true;
        let restrict = self.rng.percent(25);
        let result = self.rng.percent(40);
        let mut list = vec![Declared { parameter: Parameter::Length, name: "n".into(), text: "int n".into() }];
        for k in 0..2 + self.rng.below(3) {
            let d = self.parameter(k, false, true, restrict);
            list.push(d);
        }
        if !list.iter().any(|d| matches!(d.parameter, Parameter::Array(_, false, _) | Parameter::Value(_))) {
            list.push(Declared { parameter: Parameter::Value(false), name: "a8".into(), text: "double a8".into() });
        }
        let writes =
            |d: &Declared| matches!(d.parameter, Parameter::Array(_, true, _) | Parameter::Pointer(true) | Parameter::Matrix(_, true));
        if !result && !list.iter().any(writes) {
            list.push(Declared {
                parameter: Parameter::Pointer(true),
                name: "z9".into(),
                text: format!("double *{}z9", if restrict { "restrict " } else { "" }),
            });
        }
        list.iter().for_each(|d| self.introduce(d));
        let mut head = Head { result: result.then(|| "Q_head".to_owned()), ..Head::default() };
        for d in &list {
            head.arguments.push(argument(d));
        }
        self.choose(&mut head);
        let globals = self.globals.clone();
        self.reals.extend(globals);
        let texts: Vec<&str> = list.iter().map(|d| d.text.as_str()).collect();
        let open = format!("{} Q_head({}) {{", if result { "double" } else { "void" }, texts.join(", "));
        self.budget = 12 + self.rng.below(14);
        let statements = 3 + self.rng.below(4);
        let mut body = self.body(result, statements);
        // All that the head may change is set in any case.
        for v in self.reals.clone().iter().filter(|v| v.writable && v.address.is_some() && v.name.ends_with(|c: char| c.is_ascii_digit())) {
            let formal = list.iter().any(|d| v.name.trim_start_matches('*') == d.name && !matches!(d.parameter, Parameter::Value(_)));
            if formal {
                let (target, e) = (self.element(v), self.real(1));
                let at = body.len().saturating_sub(1 + usize::from(result));
                body.insert(at, Node::line(format!("{target} = 0.5 * {target} + {};", super::expressions::paren(&e))));
            }
        }
        // Callees are called.
        let at = body.len().saturating_sub(1 + usize::from(result));
        for s in self.signatures.clone() {
            if self.rng.percent(70)
                && let Some(call) = self.call_statement(&s)
            {
                body.insert(at, call);
            }
        }
        (Node::block(open, body, "}"), head)
    }

    /// Which arguments are independent, and which dependent.
    fn choose(&mut self, head: &mut Head) {
        let all = self.rng.percent(65);
        for a in &head.arguments {
            if a.kind == Kind::Length {
                continue;
            }
            if a.read && (all || self.rng.percent(60)) {
                head.independents.push(a.name.clone());
            }
            if a.written && (all || self.rng.percent(60)) {
                head.dependents.push(a.name.clone());
            }
        }
        if let Some(r) = &head.result
            && (all || head.dependents.is_empty() || self.rng.percent(70))
        {
            head.dependents.push(r.clone());
        }
        if head.dependents.is_empty() {
            head.dependents.extend(head.arguments.iter().find(|a| a.written).map(|a| a.name.clone()));
        }
        if head.independents.is_empty() {
            head.independents.extend(head.arguments.iter().find(|a| a.read && a.kind != Kind::Length).map(|a| a.name.clone()));
        }
    }
}

fn argument(d: &Declared) -> Argument {
    let (kind, value, elements, written) = match d.parameter {
        Parameter::Value(f) => (if f { Kind::Float } else { Kind::Double }, true, 1, false),
        Parameter::Array(_, w, f) => (if f { Kind::Float } else { Kind::Double }, false, N, w),
        Parameter::Pointer(w) => (Kind::Double, false, 1, w),
        Parameter::Matrix(rows, w) => (Kind::Double, false, rows * N, w),
        _ => (Kind::Length, true, 1, false),
    };
    let array = matches!(d.parameter, Parameter::Array(..));
    let matrix = matches!(d.parameter, Parameter::Matrix(..));
    Argument { name: d.name.clone(), kind, value, elements, array, matrix, read: true, written }
}
