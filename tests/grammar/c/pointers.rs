//! Functions that get other functions: as arguments, in a structure, chosen by a condition or from a table.
//!
//! Never here: what the functions do, and the calls (see `calls`).

use super::super::text::Node;
use super::Author;
use super::functions::{Parameter, Signature};

/// `const double x[Q_N]` without its name's surroundings: the name.
fn name_of(parameter: &str) -> String {
    let plain = parameter.split('[').next().unwrap_or_default().trim_end_matches(')');
    plain.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
}

impl Author {
    /// Adds functions that call others through pointers; what stands before all functions goes to `top`.
    pub fn calls_through_pointers(&mut self, top: &mut Vec<Node>) -> Vec<Node> {
        let mut out = Vec::new();
        if !self.rng.percent(30) {
            return out;
        }
        for (k, s) in self.signatures.clone().into_iter().enumerate() {
            if s.parameters.contains(&Parameter::Depth) || !self.rng.percent(60) {
                continue;
            }
            let plain = s.prototype.replace("static inline ", "").replace("static ", "");
            let Some((head, list)) = plain.split_once('(') else { continue };
            let list = list.strip_suffix(')').unwrap_or(list).to_owned();
            let result = head.split(' ').next().unwrap_or_default().to_owned();
            let names: Vec<String> = list.split(", ").map(name_of).collect();
            let arguments = names.join(", ");
            let give = if s.result { "return " } else { "" };
            let pointer = |name: &str| format!("{result} (*{name})({list})");
            // Another function of the same kind.
            let twin = Signature {
                name: format!("Q_twin{k}"),
                prototype: format!("static {result} Q_twin{k}({list})"),
                hidden: true,
                ..s.clone()
            };
            let body = if s.result { format!("return 0.5 * {}({arguments}) + 0.1;", s.name) } else { format!("{}({arguments});", s.name) };
            out.push(Node::block(format!("{} {{", twin.prototype), vec![Node::line(body)], "}"));
            let either = [s.name.clone(), twin.name.clone(), format!("&{}", twin.name)];
            let (given, body) = match self.rng.below(4) {
                0 => (Some(pointer("Q_call")), vec![Node::line(format!("{give}Q_call({arguments});"))]),
                1 => {
                    let line = format!("struct Q_held{k} {{ {}; double weight; }};", pointer("run"));
                    top.push(Node::line(line));
                    (Some(format!("const struct Q_held{k} *held")), vec![Node::line(format!("{give}held->run({arguments});"))])
                }
                2 => {
                    let table = format!("static {} = {{{}, {}}};", pointer(&format!("const Q_table{k}[2]")), s.name, twin.name);
                    out.push(Node::line(table));
                    let which = self.rng.below(2);
                    (None, vec![Node::line(format!("{give}(*Q_table{k}[{which}])({arguments});"))])
                }
                _ => {
                    let first = format!("{} = {};", pointer("now"), self.pick(&either));
                    let then = format!("if (RE({}) > 0.2917)\n  now = {};", self.pick(&["0.3", "0.1"]), self.pick(&either));
                    (None, vec![Node::line(first), Node::line(then), Node::line(format!("{give}now({arguments});"))])
                }
            };
            let own = given.clone().into_iter().chain((!list.is_empty()).then(|| list.clone())).collect::<Vec<_>>().join(", ");
            let hidden = self.rng.percent(60);
            let prototype = format!("{}{result} Q_through{k}({own})", if hidden { "static " } else { "" });
            out.push(Node::block(format!("{prototype} {{"), body, "}"));
            let mut parameters = s.parameters.clone();
            if given.is_some() {
                let held = given.as_ref().is_some_and(|g| g.starts_with("const struct"));
                let texts = either.iter().map(|f| if held { format!("&(const struct Q_held{k}){{{f}, 0.5}}") } else { f.clone() });
                parameters.insert(0, Parameter::Function(texts.collect()));
            }
            self.signatures.push(Signature { name: format!("Q_through{k}"), prototype, parameters, hidden, ..s });
            self.signatures.push(twin);
        }
        out
    }
}
