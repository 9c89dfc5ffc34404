//! Procedures: what they are given, their declarations, their bodies.

use super::super::text::{Argument, Head, Kind, Node};
use super::{Arrangement, Author, Bound, Index, N, Real, Shape, Table};

/// How an array is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Explicit,
    /// `x(*)`.
    Size,
    /// `x(:)`.
    Shape,
    /// `x(0:n - 1)`.
    Zero,
}

/// What happens to an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    In,
    Out,
    Inout,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    Length,
    Depth,
    Scalar(Use, bool),
    Array(Bound, Use, Style, bool),
    Matrix(usize, Use),
    Integer,
    /// From one to five, and changed.
    IntegerOut,
    Indices(Bound, Use),
    Optional,
}

#[derive(Clone, Debug)]
pub struct Signature {
    pub name: String,
    pub parameters: Vec<Parameter>,
    /// Names of the parameters, for keywords.
    pub names: Vec<String>,
    pub function: bool,
    /// It changes nothing but what it returns.
    pub pure: bool,
    pub elemental: bool,
}

struct Declared {
    parameter: Parameter,
    name: String,
}

impl Author {
    fn parameter(&mut self, k: usize, pure: bool, has_n: bool) -> Declared {
        let uses = [Use::In, Use::Inout, Use::Inout, Use::Out][self.rng.below(4)];
        let uses = if pure || (k == 0 && self.rng.percent(80)) { Use::In } else { uses };
        let bound = if has_n && self.rng.percent(80) { Bound::Argument } else { Bound::Five };
        let single = self.single && self.rng.percent(35);
        let choice = if pure { self.rng.below(9) } else { self.rng.below(15) };
        let explicit = self.explicit() && self.in_callee;
        let letter = match uses {
            Use::In => "x",
            Use::Out => "w",
            Use::Inout => "y",
        };
        let (parameter, name) = match choice {
            0..=3 => (Parameter::Scalar(uses, single), format!("{}{k}", if uses == Use::In { "a" } else { "z" })),
            4..=6 | 9..=11 => {
                let style = match self.rng.below(6) {
                    0 => Style::Size,
                    1 | 2 if explicit => Style::Shape,
                    3 => Style::Zero,
                    _ => Style::Explicit,
                };
                (Parameter::Array(bound, uses, style, single), format!("{letter}{k}"))
            }
            7 | 12 => (Parameter::Matrix(1 + self.rng.below(3), uses), format!("m{k}")),
            8 | 13 if self.in_callee => {
                let written = if pure { Use::In } else { [Use::In, Use::Inout][self.rng.below(2)] };
                match self.rng.below(3) {
                    0 => (Parameter::Integer, format!("k{k}")),
                    1 if !pure => (Parameter::IntegerOut, format!("kk{k}")),
                    _ => (Parameter::Indices(bound, written), format!("idx{k}")),
                }
            }
            _ => (Parameter::Scalar(uses, false), format!("{}{k}", if uses == Use::In { "a" } else { "z" })),
        };
        Declared { parameter, name }
    }

    /// The declaration of a parameter.
    fn declare(&mut self, d: &Declared, intents: bool) -> String {
        let intent = |u: Use| match (intents, u) {
            (false, _) => "",
            (_, Use::In) => ", intent(in)",
            (_, Use::Out) => ", intent(out)",
            (_, Use::Inout) => ", intent(inout)",
        };
        let sep = if intents || !self.fixed() { " ::" } else { "" };
        let n = &d.name;
        match &d.parameter {
            Parameter::Length | Parameter::Depth | Parameter::Integer => format!("integer{}{sep} {n}", intent(Use::In)),
            Parameter::IntegerOut => format!("integer{}{sep} {n}", intent(Use::Inout)),
            Parameter::Scalar(u, single) => format!("{}{}{sep} {n}", self.type_of(*single), intent(*u)),
            Parameter::Array(b, u, style, single) => {
                let length = Self::length(*b);
                let dims = match style {
                    Style::Explicit => length.to_owned(),
                    Style::Size => "*".into(),
                    Style::Shape => ":".into(),
                    Style::Zero => format!("0:{length} - 1"),
                };
                let kind = self.type_of(*single);
                if intents && self.rng.percent(25) {
                    format!("{kind}, dimension({dims}){} :: {n}", intent(*u))
                } else {
                    format!("{kind}{}{sep} {n}({dims})", intent(*u))
                }
            }
            Parameter::Matrix(columns, u) => format!("{}{}{sep} {n}(5, {columns})", self.type_of(false), intent(*u)),
            Parameter::Indices(b, u) => format!("integer{}{sep} {n}({})", intent(*u), Self::length(*b)),
            Parameter::Optional => format!("{}, intent(in), optional :: {n}", self.type_of(false)),
        }
    }

    /// Makes a parameter known to the body; what must be done first.
    fn introduce(&mut self, d: &Declared, out: &mut Vec<Node>) {
        let n = d.name.clone();
        let real = |shape, u: Use, single, whole| Real { name: n.clone(), shape, writable: u != Use::In, single, whole };
        match &d.parameter {
            Parameter::Scalar(u, single) => {
                if *u == Use::Out {
                    out.push(Node::line(format!("{n} = {}", self.constant())));
                }
                self.reals.push(real(Shape::Scalar, *u, *single, false));
            }
            Parameter::Array(b, u, style, single) => {
                let lower = if *style == Style::Zero { 0 } else { 1 };
                if *u == Use::Out {
                    if *style == Style::Size {
                        out.push(Node::line(format!("{n}(1:{}) = {}", Self::length(*b), self.constant())));
                    } else {
                        out.push(Node::line(format!("{n} = {}", self.constant())));
                    }
                }
                let whole = *style != Style::Size && !(*style == Style::Shape);
                self.reals.push(real(Shape::Array(*b, lower), *u, *single, whole));
            }
            Parameter::Matrix(c, u) => {
                if *u == Use::Out {
                    out.push(Node::line(format!("{n} = {}", self.constant())));
                }
                self.reals.push(real(Shape::Matrix(*c), *u, false, false));
            }
            Parameter::Integer => self.indices.push(Index { name: n, bound: Bound::None, writable: false }),
            Parameter::IntegerOut => self.indices.push(Index { name: n, bound: Bound::Five, writable: true }),
            Parameter::Indices(b, u) => self.tables.push(Table { name: n, length: *b, writable: *u != Use::In }),
            Parameter::Optional | Parameter::Length | Parameter::Depth => {}
        }
    }

    fn reset(&mut self) {
        self.reals.clear();
        self.indices.clear();
        self.tables.clear();
        self.counter = 0;
        self.label = 0;
        self.loops = 0;
        self.work = 1;
        self.depth = 0;
        self.can_leave = false;
        self.named.clear();
        self.exits.clear();
        self.declarations.clear();
        self.statement_functions = false;
    }

    /// A procedure that others call.
    pub fn procedure(&mut self, name: &str) -> Node {
        self.reset();
        self.in_callee = true;
        let pure = self.rng.percent(45);
        let elemental = pure && self.explicit() && self.rng.percent(25);
        let function = pure || self.rng.percent(25);
        let has_n = !elemental && (!pure || self.rng.percent(50));
        let recursive = !pure && self.explicit() && self.rng.percent(10);
        self.has_n = has_n;
        self.pure = pure;
        let mut list = Vec::new();
        if has_n {
            list.push(Declared { parameter: Parameter::Length, name: "n".into() });
        }
        if recursive {
            list.push(Declared { parameter: Parameter::Depth, name: "level".into() });
        }
        for k in 0..1 + self.rng.below(4) {
            let d = if elemental {
                Declared { parameter: Parameter::Scalar(Use::In, false), name: format!("a{k}") }
            } else {
                self.parameter(k, pure, has_n)
            };
            list.push(d);
        }
        if self.rng.percent(25) && !elemental {
            let by = self.rng.below(list.len());
            list.rotate_left(by);
        }
        let optional = self.explicit() && !elemental && self.rng.percent(20);
        if optional {
            list.push(Declared { parameter: Parameter::Optional, name: "scale".into() });
        }
        let signature = Signature {
            name: name.to_owned(),
            parameters: list.iter().map(|d| d.parameter.clone()).collect(),
            names: list.iter().map(|d| d.name.clone()).collect(),
            function,
            pure: pure && !recursive,
            elemental,
        };
        self.budget = 6 + self.rng.below(10);
        let statements = 2 + self.rng.below(3);
        if !pure {
            let globals = self.globals.clone();
            self.reals.extend(globals);
        }
        let (declarations, mut body) = self.body(&list, function.then_some("res"), statements, pure);
        if optional && let Some(v) = self.target() {
            let at = body.len().saturating_sub(1);
            body.insert(at, Node::line(format!("if (present(scale)) {v} = {v}*scale")));
        }
        if recursive {
            self.used.clear();
            if let Some(arguments) = self.arguments(&signature, Some("level - 1")) {
                let call = if function { format!("deeper = {name}({arguments})") } else { format!("call {name}({arguments})") };
                let mut inner = vec![Node::line(call)];
                if function {
                    inner.push(Node::line("res = res + 0.5d0*deeper"));
                }
                let at = body.len().saturating_sub(1);
                body.insert(at, Node::block("if (level > 0) then", inner, "end if"));
            }
        }
        let mut all = declarations;
        if recursive && function {
            let kind = self.type_of(false);
            all.push(Node::line(format!("{kind} :: deeper")));
        }
        all.extend(body);
        let names: Vec<&str> = list.iter().map(|d| d.name.as_str()).collect();
        let mut prefix = String::new();
        if elemental {
            prefix.push_str("elemental ");
        } else if recursive {
            prefix.push_str("recursive ");
        }
        let arguments = names.join(", ");
        let (open, close) = if function {
            (format!("{prefix}function {name}({arguments}) result(res)"), format!("end function {name}"))
        } else {
            (format!("{prefix}subroutine {name}({arguments})"), format!("end subroutine {name}"))
        };
        let (open, close) = if self.fixed() { (open.replace(" result(res)", ""), "end".to_owned()) } else { (open, close) };
        self.signatures.push(signature);
        if self.fixed() && function {
            // The function's own name is its result.
            all = all.into_iter().map(|n| renamed(n, name)).collect();
        }
        Node::block(open, all, close)
    }

    /// Declarations, and everything that is done.
    fn body(&mut self, list: &[Declared], result: Option<&str>, statements: usize, pure: bool) -> (Vec<Node>, Vec<Node>) {
        let intents = !self.fixed() && (pure || self.rng.percent(75) || list.iter().any(|d| matches!(d.parameter, Parameter::Optional)));
        let mut top = Vec::new();
        if self.arrangement == Arrangement::Uses && !self.in_callee {
            top.push(Node::line("use Q_mod"));
        }
        top.push(Node::line("implicit none"));
        let mut first: Vec<&Declared> = list.iter().filter(|d| d.parameter == Parameter::Length).collect();
        first.extend(list.iter().filter(|d| d.parameter != Parameter::Length));
        for d in &first {
            let text = self.declare(d, intents);
            top.push(Node::line(text));
        }
        for c in self.common.clone() {
            if !pure {
                top.push(Node::line(c));
            }
        }
        let mut out = Vec::new();
        for d in &first {
            self.introduce(d, &mut out);
        }
        if let Some(r) = result {
            let kind = self.type_of(false);
            top.push(Node::line(format!("{kind}{} {r}", if self.fixed() { "" } else { " ::" })));
            out.push(Node::line(format!("{r} = {}", self.constant())));
            self.reals.push(Real { name: r.into(), shape: Shape::Scalar, writable: true, single: false, whole: false });
        }
        self.can_return = self.rng.percent(self.jumps * 4);
        self.locals(&mut top, &mut out, pure);
        if !self.explicit() {
            for s in self.signatures.clone().iter().filter(|s| s.function) {
                let kind = self.type_of(false);
                top.push(Node::line(format!("{kind}{} {}", if self.fixed() { "" } else { " ::" }, s.name)));
                if self.rng.percent(40) {
                    top.push(Node::line(format!("external {}", s.name)));
                }
            }
        }
        for s in self.unseen.clone() {
            if s.function {
                let kind = self.type_of(false);
                top.push(Node::line(format!("{kind}{} {}", if self.fixed() { "" } else { " ::" }, s.name)));
            }
            top.push(Node::line(format!("external {}", s.name)));
        }
        let mut rest = Vec::new();
        for _ in 0..statements {
            rest.extend(self.statement());
        }
        if let Some(r) = result {
            let e = self.real(2);
            rest.push(Node::line(format!("{r} = {r} + 0.3d0*({e})")));
        } else if self.rng.percent(15) {
            rest.push(Node::line("return"));
        }
        top.extend(self.declarations.drain(..).map(Node::line));
        if self.fixed() && self.rng.percent(20) && !pure {
            let kind = self.type_of(false);
            top.push(Node::line(format!("{kind} soft, u")));
            top.push(Node::line("soft(u) = 0.7d0*tanh(u)"));
        }
        out.extend(rest);
        (top, out)
    }

    fn locals(&mut self, top: &mut Vec<Node>, out: &mut Vec<Node>, pure: bool) {
        let sep = if self.fixed() { "" } else { " ::" };
        for k in 0..1 + self.rng.below(3) {
            let single = self.single && self.rng.percent(35);
            let kind = self.type_of(single);
            let name = format!("t{k}");
            let mut shape = Shape::Scalar;
            let mut whole = true;
            match self.rng.below(10) {
                0 | 1 => {
                    let lower = [1, 1, 0, -1][self.rng.below(4)];
                    let dims = if lower == 1 { "5".to_owned() } else { format!("{lower}:{}", lower + 4) };
                    top.push(Node::line(format!("{kind}{sep} {name}({dims})")));
                    out.push(Node::line(format!("{name} = {}", self.constant())));
                    shape = Shape::Array(Bound::Five, lower);
                }
                2 if self.has_n => {
                    top.push(Node::line(format!("{kind}{sep} {name}(n)")));
                    out.push(Node::line(format!("{name} = {}", self.constant())));
                    shape = Shape::Array(Bound::Argument, 1);
                }
                3 => {
                    top.push(Node::line(format!("{kind}{sep} {name}(5, 2)")));
                    out.push(Node::line(format!("{name} = {}", self.constant())));
                    shape = Shape::Matrix(2);
                }
                4 if !self.fixed() && !pure => {
                    let length = if self.has_n { "n" } else { "5" };
                    top.push(Node::line(format!("{kind}, allocatable :: {name}(:)")));
                    out.push(Node::line(format!("allocate ({name}({length}))")));
                    out.push(Node::line(format!("{name} = {}", self.constant())));
                    shape = Shape::Array(if self.has_n { Bound::Argument } else { Bound::Five }, 1);
                }
                5 if !self.fixed() && self.rng.percent(40) => {
                    top.push(Node::block(
                        format!("type :: pair{k}"),
                        vec![Node::line(format!("{kind} :: a")), Node::line(format!("{kind} :: b(5)"))],
                        format!("end type pair{k}"),
                    ));
                    top.push(Node::line(format!("type(pair{k}) :: s{k}")));
                    out.push(Node::line(format!("s{k}%a = {}", self.constant())));
                    out.push(Node::line(format!("s{k}%b = {}", self.constant())));
                    self.reals.push(Real { name: format!("s{k}%a"), shape: Shape::Scalar, writable: true, single, whole: false });
                    self.reals.push(Real {
                        name: format!("s{k}%b"),
                        shape: Shape::Array(Bound::Five, 1),
                        writable: true,
                        single,
                        whole: true,
                    });
                    continue;
                }
                _ => {
                    top.push(Node::line(format!("{kind}{sep} {name}")));
                    let e = self.real(1);
                    out.push(Node::line(format!("{name} = {e}")));
                    whole = false;
                }
            }
            self.reals.push(Real { name, shape, writable: true, single, whole });
        }
        if self.rng.percent(45) {
            top.push(Node::line(format!("integer{sep} c")));
            out.push(Node::line(format!("c = {}", 1 + self.rng.below(4))));
            self.indices.push(Index { name: "c".into(), bound: Bound::Five, writable: true });
        }
        if self.rng.percent(35) {
            top.push(Node::line(format!("integer{sep} idx(5)")));
            let list: Vec<String> = (0..N).map(|_| (1 + self.rng.below(N)).to_string()).collect();
            out.push(Node::line(format!("idx = (/ {} /)", list.join(", "))));
            self.tables.push(Table { name: "idx".into(), length: Bound::Five, writable: true });
        }
        if self.rng.percent(20) && !pure {
            let list: Vec<String> = (0..N).map(|_| self.odd()).collect();
            let kind = self.type_of(false);
            if self.fixed() {
                top.push(Node::line(format!("{kind} tab(5)")));
                top.push(Node::line(format!("data tab /{}/", list.join(", "))));
            } else {
                top.push(Node::line(format!("{kind}, parameter :: tab(5) = [{}]", list.join(", "))));
            }
            self.reals.push(Real { name: "tab".into(), shape: Shape::Array(Bound::Five, 1), writable: false, single: false, whole: false });
        }
    }

    /// The procedure to be differentiated, with its internal procedures.
    pub fn head(&mut self, internal: Vec<Node>) -> (Node, Head) {
        self.reset();
        self.in_callee = false;
        self.has_n = true;
        self.pure = false;
        let function = self.rng.percent(35);
        let mut list = vec![Declared { parameter: Parameter::Length, name: "n".into() }];
        for k in 0..2 + self.rng.below(3) {
            let d = self.parameter(k, false, true);
            list.push(d);
        }
        let uses = |d: &Declared| match d.parameter {
            Parameter::Scalar(u, _) | Parameter::Array(_, u, ..) | Parameter::Matrix(_, u) => Some(u),
            _ => None,
        };
        if !list.iter().any(|d| matches!(uses(d), Some(Use::In | Use::Inout))) {
            list.push(Declared { parameter: Parameter::Scalar(Use::In, false), name: "a8".into() });
        }
        if !function && !list.iter().any(|d| matches!(uses(d), Some(Use::Out | Use::Inout))) {
            list.push(Declared { parameter: Parameter::Scalar(Use::Inout, false), name: "z9".into() });
        }
        self.budget = 12 + self.rng.below(14);
        let statements = 3 + self.rng.below(4);
        let globals = self.globals.clone();
        self.reals.extend(globals);
        let result = function.then(|| if self.rng.percent(50) && !self.fixed() { "value" } else { "Q_head" });
        let (mut declarations, mut body) = self.body(&list, result, statements, false);
        let at = body.len().saturating_sub(1);
        for s in self.signatures.clone() {
            if self.rng.percent(70)
                && let Some(nodes) = self.call_statement(&s)
            {
                for (k, n) in nodes.into_iter().enumerate() {
                    body.insert(at + k, n);
                }
            }
        }
        declarations.extend(self.declarations.drain(..).map(Node::line));
        // A statement function stands last among declarations.
        if let Some(k) = declarations.iter().position(|n| n.arms[0].0.starts_with("soft(")) {
            let n = declarations.remove(k);
            declarations.push(n);
        }
        declarations.extend(body);
        if !internal.is_empty() {
            declarations.push(Node::line("contains"));
            declarations.extend(internal);
        }
        let names: Vec<&str> = list.iter().map(|d| d.name.as_str()).collect();
        let arguments = names.join(", ");
        let (open, close) = match result {
            Some("value") => (format!("function Q_head({arguments}) result(value)"), "end function Q_head"),
            Some(_) => (format!("function Q_head({arguments})"), "end function Q_head"),
            None => (format!("subroutine Q_head({arguments})"), "end subroutine Q_head"),
        };
        let close = if self.fixed() { "end" } else { close };
        let mut head = Head { result: result.map(|_| "Q_head".to_owned()), ..Head::default() };
        for d in &list {
            head.arguments.push(argument(d));
        }
        self.choose_sides(&mut head);
        (Node::block(open, declarations, close), head)
    }

    fn choose_sides(&mut self, head: &mut Head) {
        let all = self.rng.percent(65);
        for a in head.arguments.iter().filter(|a| a.kind != Kind::Length) {
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
    let kind = |single: bool| if single { Kind::Float } else { Kind::Double };
    let (kind, elements, uses) = match d.parameter {
        Parameter::Scalar(u, s) => (kind(s), 1, u),
        Parameter::Array(_, u, _, s) => (kind(s), N, u),
        Parameter::Matrix(c, u) => (Kind::Double, 5 * c, u),
        _ => (Kind::Length, 1, Use::In),
    };
    let array = matches!(d.parameter, Parameter::Array(..));
    let matrix = matches!(d.parameter, Parameter::Matrix(..));
    Argument { name: d.name.clone(), kind, value: false, elements, array, matrix, read: uses != Use::Out, written: uses != Use::In }
}

/// `res` is the function's name.
fn renamed(node: Node, name: &str) -> Node {
    let word = |text: &str| -> String {
        let mut out = String::new();
        let mut token = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() || c == '_' {
                token.push(c);
                continue;
            }
            out.push_str(if token == "res" { name } else { &token });
            token.clear();
            out.push(c);
        }
        out.pop();
        out
    };
    Node {
        arms: node.arms.into_iter().map(|(open, body)| (word(&open), body.into_iter().map(|n| renamed(n, name)).collect())).collect(),
        close: node.close.map(|c| word(&c)),
    }
}
