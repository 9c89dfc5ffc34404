//! Calls of functions: of those of the program, and of those without text.

use super::super::text::Node;
use super::functions::{Parameter, Signature};
use super::{Author, Bound, Shape};

impl Author {
    /// The arguments of a call; none where something that is needed is not at hand.
    pub fn arguments(&mut self, s: &Signature, level: Option<&str>) -> Option<String> {
        let mut out = Vec::new();
        let mut used: Vec<String> = Vec::new();
        for p in &s.parameters {
            let text = match p {
                Parameter::Length => {
                    if self.has_n {
                        "n".to_owned()
                    } else {
                        "Q_N".to_owned()
                    }
                }
                Parameter::Depth => level.unwrap_or("2").to_owned(),
                Parameter::Function(list) => self.pick(list),
                Parameter::Value(_) => self.real(1),
                Parameter::Array(bound, written, float) => self.array_argument(*bound, *written, *float, &mut used)?,
                Parameter::Pointer(written) => self.pointer_argument(*written, &mut used)?,
                Parameter::Matrix(rows, written) => {
                    let list: Vec<_> = self
                        .reals
                        .iter()
                        .filter(|v| matches!(v.shape, Shape::Matrix(r) if r >= *rows) && (v.writable || !written))
                        .filter(|v| !used.contains(&v.name))
                        .cloned()
                        .collect();
                    if list.is_empty() {
                        return None;
                    }
                    let v = self.pick(&list);
                    used.push(v.name.clone());
                    v.name
                }
                Parameter::Integer => {
                    let all: Vec<String> = self.indices.iter().map(|i| i.text.clone()).collect();
                    if all.is_empty() { self.rng.below(4).to_string() } else { self.pick(&all) }
                }
                Parameter::IntegerPointer => {
                    let list: Vec<String> = self
                        .indices
                        .iter()
                        .filter(|i| i.bound == Bound::Macro && i.writable && (i.text == "c" || i.text.starts_with('*')))
                        .map(|i| i.text.clone())
                        .collect();
                    if list.is_empty() {
                        return None;
                    }
                    let i = self.pick(&list);
                    i.strip_prefix('*').map_or_else(|| format!("&{i}"), str::to_owned)
                }
                Parameter::Indices(bound, written) => {
                    let list: Vec<String> = self
                        .tables
                        .iter()
                        .filter(|t| t.contents == *bound && (t.length == *bound || t.length == Bound::Macro) && (t.writable || !written))
                        .map(|t| t.name.clone())
                        .collect();
                    if list.is_empty() {
                        return None;
                    }
                    self.pick(&list)
                }
            };
            out.push(text);
        }
        Some(out.join(", "))
    }

    fn array_argument(&mut self, bound: Bound, written: bool, float: bool, used: &mut Vec<String>) -> Option<String> {
        let mut list = Vec::new();
        for v in &self.reals {
            // Twice the same array is legal, and rare.
            let taken = used.contains(&v.name);
            if v.float != float || (written && !v.writable) || taken {
                continue;
            }
            match v.shape {
                Shape::Array(b) if b == Bound::Macro || b == bound => list.push((v.name.clone(), v.name.clone())),
                Shape::Matrix(rows) => {
                    let row = self.rng.clone().below(rows);
                    list.push((v.name.clone(), format!("{}[{row}]", v.name)));
                }
                _ => {}
            }
        }
        if !written && !float && !self.constants.is_empty() && (list.is_empty() || self.rng.percent(12)) {
            return Some(self.pick(&self.constants.clone()));
        }
        if list.is_empty() {
            return None;
        }
        let (name, text) = self.pick(&list);
        used.push(name);
        Some(text)
    }

    fn pointer_argument(&mut self, written: bool, used: &mut Vec<String>) -> Option<String> {
        let mut list = Vec::new();
        for v in self.reals.clone() {
            if v.float || (written && !v.writable) || used.contains(&v.name) {
                continue;
            }
            match v.shape {
                Shape::Scalar => list.extend(v.address.clone().map(|a| (v.name.clone(), a))),
                Shape::Array(b) => {
                    let i = self.index(b);
                    list.push((v.name.clone(), format!("&{}[{i}]", v.name)));
                }
                Shape::Matrix(_) => {
                    let e = self.element(&v);
                    if !e.starts_with('*') {
                        list.push((v.name.clone(), format!("&{e}")));
                    }
                }
            }
        }
        if list.is_empty() {
            return None;
        }
        let (name, text) = self.pick(&list);
        used.push(name);
        Some(text)
    }

    /// A call whose value stands in an expression.
    pub fn call_in_expression(&mut self) -> Option<String> {
        if self.depth > 2 || self.work > 30 {
            return None;
        }
        let list: Vec<Signature> = self.signatures.iter().filter(|s| s.pure && s.result).cloned().collect();
        if list.is_empty() {
            return None;
        }
        let s = self.pick(&list);
        self.depth += 2;
        let arguments = self.arguments(&s, None);
        self.depth -= 2;
        Some(format!("{}({})", s.name, arguments?))
    }

    pub fn call_statement(&mut self, s: &Signature) -> Option<Node> {
        // Values that a call gets are worked out before it changes anything.
        let saved = self.depth;
        self.depth = 3;
        let arguments = self.arguments(s, None);
        self.depth = saved;
        let arguments = arguments?;
        if !s.result {
            return Some(Node::line(format!("{}({arguments});", s.name)));
        }
        if !s.pure {
            let name = self.fresh("r");
            let declared = format!("double {name} = {}({arguments});", s.name);
            let v = self.target(true)?;
            return Some(Node::block("{", vec![Node::line(declared), Node::line(format!("{v} = 0.5 * {v} + tanh({name});"))], "}"));
        }
        let v = self.target(true)?;
        Some(Node::line(format!("{v} = {}({arguments});", s.name)))
    }

    pub fn any_call(&mut self) -> Option<Node> {
        if self.work > 30 {
            return None;
        }
        if !self.unseen.is_empty() && self.rng.percent(30) {
            let s = self.pick(&self.unseen.clone());
            return self.call_statement(&s);
        }
        if self.signatures.is_empty() {
            return None;
        }
        let s = self.pick(&self.signatures.clone());
        self.call_statement(&s)
    }

    /// Functions of which only the declarations are seen, and what they do.
    pub fn unseen_functions(&mut self, top: &mut Vec<Node>) -> Vec<Node> {
        if !self.rng.percent(9) {
            return Vec::new();
        }
        let mut out = vec![Node::line("static double Q_kept = 0.3;")];
        let mut add = |a: &mut Author, prototype: &str, body: &str, parameters: Vec<Parameter>, result: bool| {
            let external = if a.rng.percent(50) { "extern " } else { "" };
            top.push(Node::line(format!("{external}{prototype};")));
            out.push(Node::line(format!("{prototype} {{ {body} }}")));
            let name = prototype.split('(').next().unwrap_or_default().rsplit([' ', '*']).next().unwrap_or_default().to_owned();
            a.unseen.push(Signature { name, prototype: prototype.into(), parameters, result, pure: false, hidden: false });
        };
        match self.rng.below(5) {
            0 => {
                add(self, "void Q_put(double v)", "Q_kept = v;", vec![Parameter::Value(false)], false);
                add(self, "double Q_get(void)", "return Q_kept;", Vec::new(), true);
            }
            1 => {
                add(self, "void Q_store(const double *v)", "Q_kept = *v;", vec![Parameter::Pointer(false)], false);
                add(self, "void Q_load(double *v)", "*v = Q_kept;", vec![Parameter::Pointer(true)], false);
            }
            2 => add(self, "double Q_smooth(double v)", "Q_kept += 0.1; return sin(v);", vec![Parameter::Value(false)], true),
            3 => {
                let array = Parameter::Array(Bound::Macro, true, false);
                add(self, "void Q_scale(double *v)", "for (int i = 0; i < 5; i++) v[i] *= Q_kept;", vec![array], false);
            }
            _ => {
                let array = Parameter::Array(Bound::Macro, false, false);
                add(self, "void Q_watch(const double v[], double w)", "Q_kept = v[0] + w;", vec![array, Parameter::Value(false)], false);
                add(self, "double Q_seen(void)", "return Q_kept;", Vec::new(), true);
            }
        }
        out
    }
}
