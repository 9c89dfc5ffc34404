//! Rules for units whose text is not there: what a library's procedure reads and writes, and which procedures compute its derivatives.
//!
//! A rules file is TOML (`docs/rules.md`):
//!
//! ```toml
//! [[unit]]
//! name = "ddot"
//! arguments = [
//!   { name = "n", access = "read" },
//!   { name = "x", access = "read", array = true, derivative = true },
//!   { name = "y", access = "read", array = true, derivative = true },
//! ]
//! result = { name = "s", derivative = true }
//! tangent = { unit = "ddot_d", arguments = ["n", "x", "dot(x)", "y", "dot(y)", "s"], result = "dot(s)" }
//! adjoint = { unit = "ddot_b", arguments = ["n", "x", "bar(x)", "y", "bar(y)", "bar(s)"] }
//! ```
//!
//! Lives here: the file's form, and what can be said of it without a program. Never here: programs (see `declare`).

pub(crate) mod declare;
pub(crate) mod drawn;

use crate::signature::{Role, Signature};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// What is done to an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Its value is used and stays.
    Read,
    /// It is set as a whole, whatever it was.
    Write,
    /// Both, or only a part is set.
    ReadWrite,
}

/// An argument, or the result, of a unit.
#[derive(Clone, Debug)]
pub struct Argument {
    /// What the rules call it.
    pub name: String,
    /// What is done to it.
    pub access: Access,
    /// It is an array.
    pub array: bool,
    /// It carries a derivative.
    pub derivative: bool,
}

/// A unit that computes derivatives.
#[derive(Clone, Debug)]
pub struct Derivative {
    /// Its name.
    pub unit: String,
    /// What it takes; indices are those of [`UnitRule::arguments`], that of the result comes behind them.
    pub signature: Signature,
    /// Arguments of the original, by index, that the adjoint overwrites.
    pub overwrites: Vec<usize>,
    /// A line that derivative code which calls it needs.
    pub declaration: Option<String>,
}

/// What is said of a unit.
#[derive(Clone, Debug)]
pub struct UnitRule {
    /// Its name.
    pub name: String,
    /// Its arguments, in order; a function's result is the last.
    pub arguments: Vec<Argument>,
    /// The last argument is the result.
    pub function: bool,
    /// What computes the tangent.
    pub tangent: Option<Derivative>,
    /// What computes the adjoint.
    pub adjoint: Option<Derivative>,
    /// Arguments of its derivative units may overlap; where nothing is said, if those of the original may by their declarations.
    pub may_overlap: Option<bool>,
    /// Where the rules say this.
    pub place: Location,
}

/// A rules file.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Its text.
    pub text: String,
    /// What it says.
    pub units: Vec<UnitRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    unit: Vec<Spanned<RawUnit>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawUnit {
    name: Spanned<String>,
    #[serde(default)]
    arguments: Vec<Spanned<RawArgument>>,
    result: Option<Spanned<RawResult>>,
    tangent: Option<RawDerivative>,
    adjoint: Option<RawDerivative>,
    may_overlap: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawArgument {
    name: String,
    access: Access,
    #[serde(default)]
    array: bool,
    #[serde(default)]
    derivative: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawResult {
    name: String,
    #[serde(default)]
    derivative: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDerivative {
    unit: Spanned<String>,
    arguments: Vec<Spanned<String>>,
    result: Option<Spanned<String>>,
    overwrites: Option<Vec<Spanned<String>>>,
    declaration: Option<String>,
}

/// Reads a rules file.
///
/// # Errors
/// Text that is no TOML or has other fields (OB0150), names that are not there or not possible (OB0151), derivative units that do not take what they must
/// (OB0152): all that were found, each with its place.
pub fn read(file: &str, text: &str) -> Result<Rules, Vec<Diagnostic>> {
    let r = Reader { file, text };
    let parsed: File = toml::from_str(text).map_err(|e| {
        let place = r.place(e.span().unwrap_or(0..text.len().min(1)));
        vec![
            Diagnostic::error("OB0150", format!("the rules cannot be read: {}", e.message()))
                .at(place)
                .help("docs/rules.md shows all fields"),
        ]
    })?;
    let mut problems = Vec::new();
    let units: Vec<UnitRule> = parsed.unit.iter().map(|u| r.unit(u, &mut problems)).collect();
    for (i, u) in units.iter().enumerate() {
        if units[..i].iter().any(|o| o.name == u.name) {
            problems.push(
                Diagnostic::error("OB0151", format!("there are two rules for {}", u.name)).at(u.place.clone()).help("say all in one"),
            );
        }
    }
    if problems.is_empty() { Ok(Rules { text: text.to_owned(), units }) } else { Err(problems) }
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    /// Line and column, counted from 1, in characters.
    fn place(&self, span: Range<usize>) -> Location {
        let at = |offset: usize| {
            let before = self.text.get(..offset).unwrap_or(self.text);
            let start = before.rfind('\n').map_or(0, |i| i + 1);
            (before.matches('\n').count() as u32 + 1, before[start..].chars().count() as u32 + 1)
        };
        let ((line, column), (end_line, end_column)) = (at(span.start), at(span.end));
        Location { file: self.file.to_owned(), line, column, end_line, end_column }
    }

    fn unit(&self, raw: &Spanned<RawUnit>, problems: &mut Vec<Diagnostic>) -> UnitRule {
        let u = raw.get_ref();
        let mut arguments: Vec<Argument> = Vec::new();
        let wrong = |span: Range<usize>, message: String| Diagnostic::error("OB0151", message).at(self.place(span));
        for name in [&u.name].into_iter().chain(u.tangent.iter().map(|d| &d.unit)).chain(u.adjoint.iter().map(|d| &d.unit)) {
            if !is_name(name.get_ref()) {
                problems.push(wrong(name.span(), format!("`{}` is no name of a procedure", name.get_ref())).help("write the plain name"));
            }
        }
        for a in &u.arguments {
            let (span, a) = (a.span(), a.get_ref());
            if !is_name(&a.name) || arguments.iter().any(|b| b.name == a.name) {
                problems.push(
                    wrong(span, format!("`{}` is no name, or the name of two arguments", a.name))
                        .help("give each argument a name of its own"),
                );
            }
            arguments.push(Argument { name: a.name.clone(), access: a.access, array: a.array, derivative: a.derivative });
        }
        if let Some(r) = &u.result {
            let (span, r) = (r.span(), r.get_ref());
            if !is_name(&r.name) || arguments.iter().any(|b| b.name == r.name) {
                problems.push(
                    wrong(span, format!("`{}` is no name, or that of an argument too", r.name)).help("give the result a name of its own"),
                );
            }
            arguments.push(Argument { name: r.name.clone(), access: Access::Write, array: false, derivative: r.derivative });
        }
        let function = u.result.is_some();
        let tangent = u.tangent.as_ref().map(|d| self.derivative(d, "dot", &arguments, function, problems));
        let adjoint = u.adjoint.as_ref().map(|d| self.derivative(d, "bar", &arguments, function, problems));
        let place = self.place(u.name.span());
        UnitRule { name: u.name.get_ref().clone(), arguments, function, tangent, adjoint, may_overlap: u.may_overlap, place }
    }

    fn role(&self, text: &Spanned<String>, word: &str, arguments: &[Argument], problems: &mut Vec<Diagnostic>) -> Option<Role> {
        let t = text.get_ref().trim();
        let inner = t.strip_prefix(word).and_then(|r| r.trim().strip_prefix('(')).and_then(|r| r.strip_suffix(')')).map(str::trim);
        let name = inner.unwrap_or(t);
        let found = arguments.iter().position(|a| a.name == name);
        match (found, inner) {
            (Some(k), None) => return Some(Role::Primal(k)),
            (Some(k), Some(_)) if arguments[k].derivative => return Some(Role::Derivative(k)),
            (Some(_), Some(_)) => problems.push(
                Diagnostic::error("OB0152", format!("{name} has no derivative that could be handed over"))
                    .at(self.place(text.span()))
                    .help(format!("add `derivative = true` to {name}, or leave out `{t}`")),
            ),
            (None, _) => {
                let names: Vec<&str> = arguments.iter().map(|a| a.name.as_str()).collect();
                problems.push(
                    Diagnostic::error("OB0151", format!("there is no argument `{name}`"))
                        .at(self.place(text.span()))
                        .help(format!("write an argument ({}), or {word}(NAME) for its derivative", names.join(", "))),
                );
            }
        }
        None
    }

    fn derivative(
        &self,
        d: &RawDerivative,
        word: &str,
        arguments: &[Argument],
        function: bool,
        problems: &mut Vec<Diagnostic>,
    ) -> Derivative {
        let place = self.place(d.unit.span());
        let mut roles: Vec<Role> = d.arguments.iter().filter_map(|a| self.role(a, word, arguments, problems)).collect();
        let own = d.result.as_ref().and_then(|r| self.role(r, word, arguments, problems));
        let bad = |message: String, help: String| Diagnostic::error("OB0152", message).at(place.clone()).help(help);
        let result = function.then(|| arguments.len() - 1);
        if let Some(r) = own {
            if word == "bar" || Some(r.index()) != result {
                problems.push(bad(
                    format!("{} cannot return that as its result", d.unit.get_ref()),
                    "only a tangent unit can be a function, and returns the original's result or its derivative".into(),
                ));
            }
            roles.push(r);
        }
        for (i, r) in roles.iter().enumerate() {
            if roles[..i].contains(r) {
                let name = &arguments[r.index()].name;
                problems.push(bad(format!("{} takes {name} or its derivative twice", d.unit.get_ref()), "hand each over once".into()));
            }
        }
        for (k, a) in arguments.iter().enumerate() {
            if a.derivative && !roles.contains(&Role::Derivative(k)) {
                problems.push(bad(
                    format!("{} does not take the derivative of {}", d.unit.get_ref(), a.name),
                    format!("add {word}({}) to its arguments, or say that {} carries none", a.name, a.name),
                ));
            }
            if word == "dot" && a.access != Access::Read && !roles.contains(&Role::Primal(k)) {
                problems.push(bad(
                    format!("{} does not set {}", d.unit.get_ref(), a.name),
                    format!("it stands in the place of the original: hand over {} too", a.name),
                ));
            }
            if word == "bar" && Some(k) == result && roles.contains(&Role::Primal(k)) {
                problems.push(bad(
                    format!("{} takes the value of the result", d.unit.get_ref()),
                    "that value is gone when the adjoint runs; let it compute it again".into(),
                ));
            }
        }
        let mut overwrites: Vec<usize> = Vec::new();
        match &d.overwrites {
            // What the original sets its adjoint may set as well.
            None => overwrites.extend(
                (0..arguments.len())
                    .filter(|&k| arguments[k].access != Access::Read && Some(k) != result && roles.contains(&Role::Primal(k))),
            ),
            Some(list) => {
                for text in list {
                    match self.role(text, word, arguments, problems) {
                        Some(Role::Primal(k)) if roles.contains(&Role::Primal(k)) => overwrites.push(k),
                        Some(_) => problems.push(
                            Diagnostic::error("OB0152", format!("{} is not handed to {}", text.get_ref(), d.unit.get_ref()))
                                .at(self.place(text.span()))
                                .help("name arguments that it takes"),
                        ),
                        None => {}
                    }
                }
            }
        }
        let signature = Signature { roles, is_function: own.is_some() };
        Derivative { unit: d.unit.get_ref().clone(), signature, overwrites, declaration: d.declaration.clone() }
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const DDOT: &str = r#"[[unit]]
name = "ddot"
arguments = [
  { name = "n", access = "read" },
  { name = "x", access = "read", array = true, derivative = true },
  { name = "y", access = "read", array = true, derivative = true },
]
result = { name = "s", derivative = true }
tangent = { unit = "ddot_d", arguments = ["n", "x", "dot(x)", "y", "dot(y)", "s"], result = "dot(s)" }
adjoint = { unit = "ddot_b", arguments = ["n", "x", "bar(x)", "y", "bar(y)", "bar(s)"] }
"#;

    #[test]
    fn a_rule_says_what_its_derivatives_take() {
        let rules = read("r.toml", DDOT).unwrap();
        let u = &rules.units[0];
        use Role::{Derivative as D, Primal as P};
        assert_eq!(
            u.tangent.as_ref().unwrap().signature,
            Signature { roles: vec![P(0), P(1), D(1), P(2), D(2), P(3), D(3)], is_function: true }
        );
        assert_eq!(u.adjoint.as_ref().unwrap().signature.roles, [P(0), P(1), D(1), P(2), D(2), D(3)]);
        assert_eq!((u.place.line, u.place.column), (2, 8));
    }

    #[test]
    fn wrong_rules_are_errors_with_their_place() {
        let of = |from: &str, to: &str| {
            assert!(DDOT.contains(from), "{from}");
            let found = read("r.toml", &DDOT.replacen(from, to, 1)).unwrap_err();
            let place = found[0].location.clone().unwrap();
            (found[0].code, place.line, place.column)
        };
        assert_eq!(of("access = \"read\" }", "access = \"reads\" }").0, "OB0150");
        assert_eq!(of("result =", "results ="), ("OB0150", 8, 1));
        assert_eq!(of("[[unit]]", "[[unit"), ("OB0150", 1, 7));
        assert_eq!(of("\"bar(y)\"", "\"bar(z)\""), ("OB0151", 10, 68));
        assert_eq!(of("\"bar(y)\", ", ""), ("OB0152", 10, 20));
        assert_eq!(of("\"dot(y)\", \"s\"", "\"dot(y)\""), ("OB0152", 9, 20));
        assert_eq!(of("name = \"y\"", "name = \"x\"").0, "OB0151");
        assert_eq!(of("\"bar(y)\", \"bar(s)\"", "\"bar(y)\", \"bar(n)\", \"bar(s)\"").0, "OB0152");
        assert_eq!(read("r.toml", &DDOT.repeat(2)).unwrap_err()[0].code, "OB0151");
    }
}
