//! Calls, what procedures share, and procedures without text.

use super::super::text::Node;
use super::procedures::{Parameter, Signature, Style, Use};
use super::{Arrangement, Author, Bound, Real, Shape, alt};

impl Author {
    /// The arguments of a call; none where something that is needed is not at hand. No variable is handed over twice, and no shared one.
    pub fn arguments(&mut self, s: &Signature, level: Option<&str>) -> Option<String> {
        let mut out = Vec::new();
        for (p, name) in s.parameters.iter().zip(&s.names) {
            let text = match p {
                Parameter::Length => {
                    if self.has_n {
                        "n".to_owned()
                    } else {
                        "5".to_owned()
                    }
                }
                Parameter::Depth => level.unwrap_or("2").to_owned(),
                Parameter::Scalar(Use::In, single) => {
                    let e = self.real(1);
                    let kind = if *single { 4 } else { 8 };
                    let own = if *single { format!("real({e}, 4)") } else { format!("dble({e})") };
                    alt(&own, &format!("cmplx({e}, kind={kind})"))
                }
                Parameter::Optional => {
                    if self.rng.percent(50) {
                        continue;
                    }
                    let e = self.real(1);
                    format!("{name}={}", alt(&format!("dble({e})"), &format!("cmplx({e}, kind=8)")))
                }
                Parameter::Scalar(_, single) => self.scalar_variable(*single)?,
                Parameter::Array(b, u, style, single) => self.array_variable(*b, *u, *style, *single)?,
                Parameter::Matrix(columns, u) => {
                    let list: Vec<Real> = self
                        .passable()
                        .into_iter()
                        .filter(|v| matches!(v.shape, Shape::Matrix(c) if c >= *columns) && (v.writable || *u == Use::In) && !v.single)
                        .collect();
                    if list.is_empty() {
                        return None;
                    }
                    let v = self.choose(&list);
                    self.used.push(v.name.clone());
                    v.name
                }
                Parameter::Integer => {
                    let all: Vec<String> = self.indices.iter().map(|i| i.name.clone()).collect();
                    if all.is_empty() { self.rng.below(4).to_string() } else { format!("{} + 0", self.choose(&all)) }
                }
                Parameter::IntegerOut => {
                    let list: Vec<String> =
                        self.indices.iter().filter(|i| i.bound == Bound::Five && i.writable).map(|i| i.name.clone()).collect();
                    let list: Vec<String> = list.into_iter().filter(|n| !self.used.contains(n)).collect();
                    if list.is_empty() {
                        return None;
                    }
                    let i = self.choose(&list);
                    self.used.push(i.clone());
                    i
                }
                Parameter::Indices(b, u) => {
                    let list: Vec<String> = self
                        .tables
                        .iter()
                        .filter(|t| t.length == *b && (t.writable || *u == Use::In) && !self.used.contains(&t.name))
                        .map(|t| t.name.clone())
                        .collect();
                    if list.is_empty() {
                        return None;
                    }
                    let t = self.choose(&list);
                    self.used.push(t.clone());
                    t
                }
            };
            out.push(text);
        }
        Some(out.join(", "))
    }

    /// Variables that may be handed over: not shared, not handed over already.
    fn passable(&self) -> Vec<Real> {
        let shared = |v: &Real| self.globals.iter().any(|g| g.name == v.name);
        self.reals.iter().filter(|v| !shared(v) && !self.used.contains(&v.name)).cloned().collect()
    }

    fn scalar_variable(&mut self, single: bool) -> Option<String> {
        let list: Vec<Real> = self.passable().into_iter().filter(|v| v.writable && v.single == single).collect();
        if list.is_empty() {
            return None;
        }
        let v = self.choose(&list);
        self.used.push(v.name.clone());
        Some(self.element(&v))
    }

    fn array_variable(&mut self, b: Bound, u: Use, style: Style, single: bool) -> Option<String> {
        let mut list = Vec::new();
        for v in self.passable() {
            if v.single != single || (u != Use::In && !v.writable) {
                continue;
            }
            match v.shape {
                Shape::Array(have, _) if (have == Bound::Five || have == b) && (v.whole || style != Style::Shape) => {
                    list.push((v.name.clone(), v.name.clone()));
                }
                Shape::Matrix(_) if b == Bound::Five => list.push((v.name.clone(), format!("{}(:, 1)", v.name))),
                _ => {}
            }
        }
        if list.is_empty() {
            return None;
        }
        let (name, text) = self.choose(&list);
        self.used.push(name);
        Some(text)
    }

    pub fn call_in_expression(&mut self) -> Option<String> {
        if self.depth > 2 || self.work > 30 {
            return None;
        }
        let list: Vec<Signature> =
            self.signatures.iter().filter(|s| s.pure && s.function && (!self.pure || s.elemental)).cloned().collect();
        if list.is_empty() {
            return None;
        }
        let s = self.choose(&list);
        self.depth += 2;
        let kept = std::mem::take(&mut self.used);
        let arguments = self.arguments(&s, None);
        self.used = kept;
        self.depth -= 2;
        Some(format!("{}({})", s.name, arguments?))
    }

    pub fn call_statement(&mut self, s: &Signature) -> Option<Vec<Node>> {
        if self.pure {
            return None;
        }
        let depth = std::mem::replace(&mut self.depth, 3);
        self.used.clear();
        let arguments = self.arguments(s, None);
        self.used.clear();
        self.depth = depth;
        let arguments = arguments?;
        if !s.function {
            return Some(vec![Node::line(format!("call {}({arguments})", s.name))]);
        }
        let name = self.fresh("r");
        let kind = self.type_of(false);
        self.declarations.push(format!("{kind}{} {name}", if self.fixed() { "" } else { " ::" }));
        let v = self.target()?;
        Some(vec![Node::line(format!("{name} = {}({arguments})", s.name)), Node::line(format!("{v} = 0.5d0*{v} + tanh({name})"))])
    }

    pub fn any_call(&mut self) -> Option<Node> {
        if self.work > 30 || self.pure {
            return None;
        }
        let list = if !self.unseen.is_empty() && self.rng.percent(30) { self.unseen.clone() } else { self.signatures.clone() };
        if list.is_empty() {
            return None;
        }
        let s = self.choose(&list);
        let mut nodes = self.call_statement(&s)?;
        if nodes.len() == 1 {
            return nodes.pop();
        }
        // Both together, so that both go together.
        Some(Node { arms: nodes.into_iter().map(|n| (n.arms[0].0.clone(), Vec::new())).collect(), close: None })
    }

    /// What the procedures of a module or of a file have in common.
    pub fn shared(&mut self) -> Vec<Node> {
        let mut out = Vec::new();
        let double = self.type_of(false);
        match self.arrangement {
            Arrangement::Module | Arrangement::Uses => {
                out.push(Node::line("implicit none"));
                if self.rng.percent(30) {
                    out.push(Node::line(format!("{double}, parameter :: Q_table(5) = [0.1d0, 0.7d0, 1.3d0, 0.4d0, 0.9d0]")));
                    self.constants.push("Q_table".into());
                }
                if self.rng.percent(30) {
                    let attribute = self.choose(&["", ", save", ", public", ", private"]);
                    let attribute =
                        if self.arrangement == Arrangement::Uses { attribute.replace("private", "save") } else { attribute.to_owned() };
                    out.push(Node::line(format!("{double}{attribute} :: Q_g0 = 0.3d0")));
                    self.globals.push(Real { name: "Q_g0".into(), shape: Shape::Scalar, writable: true, single: false, whole: false });
                }
                if self.rng.percent(20) {
                    out.push(Node::line(format!("{double} :: Q_g1(5) = 0.25d0")));
                    self.globals.push(Real {
                        name: "Q_g1".into(),
                        shape: Shape::Array(Bound::Five, 1),
                        writable: true,
                        single: false,
                        whole: true,
                    });
                }
            }
            Arrangement::External | Arrangement::Fixed if self.rng.percent(30) => {
                let sep = if self.fixed() { "" } else { " ::" };
                self.common.push(format!("{double}{sep} cg, ch(5)"));
                self.common.push("common /Q_blk/ cg, ch".into());
                // Set by whoever reads it first is not certain: the linker's zeros are.
                self.globals.push(Real { name: "cg".into(), shape: Shape::Scalar, writable: true, single: false, whole: false });
                self.globals.push(Real {
                    name: "ch".into(),
                    shape: Shape::Array(Bound::Five, 1),
                    writable: true,
                    single: false,
                    whole: true,
                });
            }
            _ => {}
        }
        out
    }

    /// Procedures of which the tool sees no text.
    pub fn unseen_procedures(&mut self) -> Vec<Node> {
        if !self.rng.percent(8) {
            return Vec::new();
        }
        let kind = alt("real(8)", "complex(8)");
        let mut out = Vec::new();
        let mut add = |a: &mut Author, name: &str, lines: &[String], parameters: Vec<Parameter>, function: bool| {
            let head = if function { "function" } else { "subroutine" };
            let names: Vec<String> = parameters.iter().map(|_| "v".to_owned()).collect();
            let mut body = vec![Node::line("implicit none")];
            body.extend(lines.iter().map(Node::line));
            out.push(Node::block(format!("{head} {name}({})", names.join(", ")), body, format!("end {head}")));
            a.unseen.push(Signature { name: name.into(), parameters, names, function, pure: false, elemental: false });
        };
        let kept = [format!("{kind} kept"), "common /Q_kept/ kept".to_owned()];
        let with = |more: &[String]| -> Vec<String> { kept.iter().cloned().chain(more.iter().cloned()).collect() };
        let scalar = |u| vec![Parameter::Scalar(u, false)];
        match self.rng.below(4) {
            0 => {
                add(self, "Q_put", &with(&[format!("{kind} v"), "kept = v".into()]), scalar(Use::In), false);
                add(self, "Q_get", &with(&[format!("{kind} v"), "v = kept".into()]), scalar(Use::Inout), false);
            }
            1 => add(self, "Q_smooth", &[format!("{kind} v, Q_smooth"), "Q_smooth = sin(v)".into()], scalar(Use::In), true),
            2 => {
                let array = vec![Parameter::Array(Bound::Five, Use::Inout, Style::Explicit, false)];
                add(self, "Q_scale", &[format!("{kind} v(5)"), "v = 0.5d0*v".into()], array, false);
            }
            _ => {
                let array = vec![Parameter::Array(Bound::Five, Use::In, Style::Explicit, false)];
                add(self, "Q_watch", &with(&[format!("{kind} v(5)"), "kept = v(2)".into()]), array, false);
                add(self, "Q_seen", &with(&[format!("{kind} v"), "v = kept".into()]), scalar(Use::Inout), false);
            }
        }
        out
    }
}
