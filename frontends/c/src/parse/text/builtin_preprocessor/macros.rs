//! Macros: definitions, and expansion with hide sets as in the standard's own description.
//!
//! Lives here: object-like and function-like macros. Never here: directives. What uses `#`, `##` or variable arguments is known by name only, and refused where it is used.

use super::{Problem, broken, names, uncertain, words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Tokens that all expansions together may have: beyond, macros that multiply each other are at work.
const MAX_TOKENS: usize = 500_000;
/// Arguments of macros nest no deeper.
const MAX_DEPTH: usize = 60;

/// A token with the line on which it stands, and the macros that are not expanded in it any more.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub text: Rc<str>,
    pub line: u32,
    /// The bytes of the text that it is, unless a macro's body made it.
    pub place: Option<(usize, usize)>,
    hidden: Rc<BTreeSet<Rc<str>>>,
}

impl Token {
    pub fn new(text: &str, line: u32) -> Token {
        Token { text: text.into(), line, place: None, hidden: Rc::default() }
    }

    /// The same as a token of the text itself.
    pub fn at(self, start: usize, end: usize) -> Token {
        Token { place: Some((start, end)), ..self }
    }

    pub fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }

    fn is(&self, text: &str) -> bool {
        &*self.text == text
    }
}

#[derive(Clone, Debug)]
enum Macro {
    /// Stands for its body.
    Object(Vec<Token>),
    /// With parameters.
    Function(Vec<Rc<str>>, Vec<Token>),
    /// Cannot be worked out here; why.
    Other(&'static str),
}

/// What is defined.
#[derive(Debug, Default)]
pub(super) struct Macros {
    table: FxHashMap<Rc<str>, Macro>,
    /// Names that were undefined by the text.
    gone: FxHashSet<Rc<str>>,
    /// Standard headers that were included.
    headers: FxHashSet<&'static str>,
}

impl Macros {
    /// A header has been included.
    pub fn include(&mut self, header: &'static str) {
        self.headers.insert(header);
    }

    /// `NAME body` or `NAME(a, b) body`.
    pub fn define(&mut self, text: &str, line: u32) -> Result<(), Problem> {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || name == "defined" {
            return Err(broken(line, format!("`#define {text}` defines no name")));
        }
        let (parameters, body) = match rest.strip_prefix('(') {
            None => (None, words(rest, line)),
            Some(list) => {
                let Some((list, body)) = list.split_once(')') else { return Err(broken(line, "the parameters of a macro have no end")) };
                (Some(list), words(body, line))
            }
        };
        let pastes = body.iter().any(|t| t.is("#")) && parameters.is_some() || body.windows(2).any(|w| w[0].is("#") && w[1].is("#"));
        let parameters: Option<Vec<Rc<str>>> =
            parameters.map(|list| list.split(',').map(str::trim).filter(|p| !p.is_empty()).map(Rc::from).collect());
        let made = match parameters {
            _ if pastes => Macro::Other("makes text or names with # or ##"),
            Some(list) if list.iter().any(|p| p.ends_with("...")) => Macro::Other("has variable arguments"),
            Some(list) => {
                if list.iter().any(|p| !Token::new(p, line).is_name()) {
                    return Err(broken(line, "a parameter of a macro is no name"));
                }
                Macro::Function(list, body)
            }
            None => Macro::Object(body),
        };
        self.gone.remove(name);
        self.table.insert(name.into(), made);
        Ok(())
    }

    /// `NAME`.
    pub fn undefine(&mut self, text: &str, line: u32) -> Result<(), Problem> {
        let name = text.trim();
        if !Token::new(name, line).is_name() || name.contains(char::is_whitespace) {
            return Err(broken(line, "`#undef` needs a name"));
        }
        if self.table.remove(name).is_none() && names::in_headers(name, &self.headers) {
            // What the front end knows of it cannot be taken from it.
            return Err(uncertain(line, format!("`#undef {name}` takes away what a standard header defines")));
        }
        self.gone.insert(name.into());
        Ok(())
    }

    /// Whether it is a macro that may be followed by arguments.
    pub fn takes_arguments(&self, name: &str) -> bool {
        matches!(self.table.get(name), Some(Macro::Function(..)))
    }

    /// Whether a name is defined.
    pub fn is_defined(&self, name: &str, line: u32) -> Result<bool, Problem> {
        if self.table.contains_key(name) {
            return Ok(true);
        }
        if self.gone.contains(name) {
            return Ok(false);
        }
        names::is_defined(name, &self.headers).ok_or_else(|| uncertain(line, format!("whether `{name}` is defined is not known here")))
    }

    /// The value of a name in a condition that no macro of the text stands for.
    pub fn value(&self, name: &str, line: u32) -> Result<i128, Problem> {
        if let Some(value) = names::value(name, &self.headers) {
            return Ok(value);
        }
        match self.is_defined(name, line)? {
            false => Ok(0),
            true => Err(uncertain(line, format!("the value of `{name}` is not known here"))),
        }
    }

    /// Expands a stretch of tokens.
    pub fn expand(&self, tokens: Vec<Token>) -> Result<Vec<Token>, Problem> {
        // Most text has no macros.
        if self.table.is_empty() || !tokens.iter().any(|t| self.table.contains_key(&t.text)) {
            return Ok(tokens);
        }
        self.expand_within(tokens, 0, &mut 0)
    }

    fn expand_within(&self, mut tokens: Vec<Token>, depth: usize, made: &mut usize) -> Result<Vec<Token>, Problem> {
        // The next one last.
        tokens.reverse();
        let mut out = Vec::new();
        while let Some(t) = tokens.pop() {
            let found = self.table.get(&t.text).filter(|_| !t.hidden.contains(&t.text));
            let (body, hidden): (Vec<Token>, _) = match found {
                None => {
                    out.push(t);
                    continue;
                }
                Some(Macro::Other(why)) => return Err(uncertain(t.line, format!("the macro `{}` {why}", t.text))),
                Some(Macro::Object(body)) => (body.clone(), (*t.hidden).clone()),
                Some(Macro::Function(parameters, body)) => {
                    if !tokens.last().is_some_and(|n| n.is("(")) {
                        out.push(t);
                        continue;
                    }
                    if depth >= MAX_DEPTH {
                        return Err(too_far(t.line, "macros nest too deeply"));
                    }
                    let (arguments, close) = arguments(&mut tokens, &t)?;
                    let empty = parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty();
                    if arguments.len() != parameters.len() && !empty {
                        return Err(broken(
                            t.line,
                            format!("the macro `{}` has {} parameters, not {}", t.text, parameters.len(), arguments.len()),
                        ));
                    }
                    let expanded = arguments.into_iter().map(|a| self.expand_within(a, depth + 1, made)).collect::<Result<Vec<_>, _>>()?;
                    let mut filled = Vec::new();
                    for b in body {
                        match parameters.iter().position(|p| *p == b.text).and_then(|k| expanded.get(k)) {
                            Some(argument) => filled.extend(argument.iter().cloned()),
                            None => filled.push(b.clone()),
                        }
                        if filled.len() > MAX_TOKENS {
                            return Err(too_far(t.line, "macros expand to too much text"));
                        }
                    }
                    (filled, t.hidden.intersection(&close.hidden).cloned().collect())
                }
            };
            *made += body.len() + 1;
            if *made > MAX_TOKENS {
                return Err(too_far(t.line, "macros expand to too much text"));
            }
            let mut hidden = hidden;
            hidden.insert(Rc::clone(&t.text));
            let hidden = Rc::new(hidden);
            for b in body.into_iter().rev() {
                // Own tokens share one set.
                let hidden = if b.hidden.is_empty() { Rc::clone(&hidden) } else { Rc::new(&*b.hidden | &*hidden) };
                tokens.push(Token { line: t.line, hidden, ..b });
            }
        }
        Ok(out)
    }
}

/// The arguments of an invocation, and the bracket that closes it.
fn arguments(tokens: &mut Vec<Token>, name: &Token) -> Result<(Vec<Vec<Token>>, Token), Problem> {
    tokens.pop();
    let (mut all, mut depth) = (vec![Vec::new()], 0);
    while let Some(t) = tokens.pop() {
        match &*t.text {
            ")" if depth == 0 => return Ok((all, t)),
            "," if depth == 0 => {
                all.push(Vec::new());
                continue;
            }
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if let Some(last) = all.last_mut() {
            last.push(t);
        }
    }
    Err(uncertain(name.line, format!("the arguments of the macro `{}` have no end before the next directive", name.text)))
}

fn too_far(line: u32, message: &str) -> Problem {
    Problem { code: "OB2005", line, message: message.to_owned(), reason: "the parser has limits" }
}
