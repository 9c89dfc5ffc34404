//! The outline of a Fortran text: its statements, modules and procedures, and which names they use.
//!
//! Lives here: just enough of the form of a text to leave out parts of it for a check. Never here: what is left out.

use crate::reduced::{Role, rewrite};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a text consists of.
#[derive(Default)]
pub struct Outline {
    pub modules: Vec<Module>,
    /// Procedures of the file and of its modules; those inside of them are parts of them.
    pub units: Vec<Unit>,
}

impl Outline {
    /// Notes that a line includes what is not there. The lines that go with it: a procedure needs what nobody has, a module goes as a whole.
    pub fn without_text(&mut self, line: usize) -> Option<Range<usize>> {
        if let Some(u) = self.units.iter_mut().find(|u| u.lines.contains(&line)) {
            u.uses.push(Use { lines: line..line + 1, module: "(text)".to_owned(), only: None });
            return Some(line..line + 1);
        }
        let m = self.modules.iter().position(|m| m.lines.contains(&line))?;
        let gone = std::mem::take(&mut self.modules[m]);
        self.units.retain(|u| u.module != Some(m));
        Some(gone.lines)
    }

    /// All USE statements.
    pub fn uses(&self) -> impl Iterator<Item = &Use> {
        self.modules.iter().flat_map(|m| &m.uses).chain(self.units.iter().flat_map(|u| &u.uses))
    }
}

/// A module (or submodule, or main program), without its procedures.
#[derive(Default)]
pub struct Module {
    pub name: String,
    pub lines: Range<usize>,
    pub uses: Vec<Use>,
    /// Lists of names of procedures.
    pub lists: Vec<List>,
    /// The names that its declarations use.
    pub roles: BTreeMap<String, Role>,
    /// What names of types, interfaces and bindings lead to.
    pub named: Vec<(String, BTreeMap<String, Role>)>,
}

impl Module {
    /// The names that its declarations and those of its procedures use that are kept.
    pub fn kept_words(&self, o: &Outline, kept: impl Fn(&Unit) -> bool) -> BTreeMap<String, Role> {
        let mut out = self.roles.clone();
        for u in o.units.iter().filter(|u| u.module.is_some_and(|m| o.modules[m].name == self.name) && kept(u)) {
            u.roles.iter().for_each(|(n, r)| add(&mut out, n, *r));
        }
        out
    }
}

/// A procedure.
pub struct Unit {
    pub name: String,
    pub module: Option<usize>,
    pub lines: Range<usize>,
    pub uses: Vec<Use>,
    pub roles: BTreeMap<String, Role>,
}

/// A USE statement.
pub struct Use {
    pub lines: Range<usize>,
    pub module: String,
    /// Names with those that they have in the module.
    pub only: Option<Vec<(String, String)>>,
}

/// A statement that ends with a list of names: PUBLIC, PRIVATE, MODULE PROCEDURE, bindings.
pub struct List {
    lines: Range<usize>,
    before: String,
    names: Vec<String>,
}

impl List {
    /// The list without some names, in the text.
    pub fn without(&self, gone: &BTreeSet<String>, lines: &mut [String], fixed: bool) {
        let target = |n: &String| n.rsplit("=>").next().unwrap_or(n).trim().to_owned();
        let kept: Vec<&str> = self.names.iter().filter(|n| !gone.contains(&target(n))).map(String::as_str).collect();
        if kept.len() < self.names.len() {
            let text = if kept.is_empty() { String::new() } else { format!("{}{}", self.before, kept.join(", ")) };
            rewrite(self.lines.clone(), &text, lines, fixed);
        }
    }
}

fn add(roles: &mut BTreeMap<String, Role>, name: &str, role: Role) {
    let known = roles.entry(name.to_owned()).or_insert(role);
    *known = role.max(*known);
}

/// A statement, in lower case, without comments and with empty texts.
struct Statement {
    lines: Range<usize>,
    code: String,
}

/// What is open.
enum Open {
    /// A module, a submodule or a main program.
    Module(usize),
    /// A procedure of a file or a module.
    Unit(usize),
    /// A procedure inside of one, or in an interface.
    Inner,
    Interface(Option<String>),
    Type(String),
}

/// Reads the outline of a text.
pub fn outline(text: &str, fixed: bool) -> Outline {
    let mut out = Outline::default();
    let mut stack: Vec<Open> = Vec::new();
    for s in statements(text, fixed) {
        let words = words(&s.code);
        let in_unit = stack.iter().find_map(|o| if let Open::Unit(u) = o { Some(*u) } else { None });
        let in_module = stack.iter().find_map(|o| if let Open::Module(m) = o { Some(*m) } else { None });
        let in_interface = matches!(stack.last(), Some(Open::Interface(_)));
        if closes(&words, &s.code) {
            match stack.pop() {
                Some(Open::Unit(u)) => out.units[u].lines.end = s.lines.end,
                Some(Open::Module(m)) => out.modules[m].lines.end = s.lines.end,
                _ => {}
            }
            continue;
        }
        let opened = opens(&words, &s.code, in_interface);
        match opened {
            Some(Opens::Module(name)) => {
                stack.push(Open::Module(out.modules.len()));
                out.modules.push(Module { name, lines: s.lines.clone(), ..Module::default() });
                continue;
            }
            Some(Opens::Procedure(name)) if in_unit.is_none() && !in_interface => {
                stack.push(Open::Unit(out.units.len()));
                out.units.push(Unit { name, module: in_module, lines: s.lines.clone(), uses: Vec::new(), roles: BTreeMap::new() });
            }
            Some(Opens::Procedure(_)) => stack.push(Open::Inner),
            Some(Opens::Interface(name)) => stack.push(Open::Interface(name)),
            Some(Opens::Type(name)) => stack.push(Open::Type(name)),
            None => {}
        }
        let in_unit = stack.iter().find_map(|o| if let Open::Unit(u) = o { Some(*u) } else { None });
        match (in_unit, in_module) {
            (Some(u), _) => {
                let unit = &mut out.units[u];
                match use_of(&s) {
                    Some(found) => unit.uses.push(found),
                    None => roles(&s.code, &mut unit.roles),
                }
            }
            (None, Some(m)) => declares(&mut out.modules[m], &s, &stack),
            (None, None) => {}
        }
    }
    out
}

/// A statement of a module before its procedures.
fn declares(module: &mut Module, s: &Statement, stack: &[Open]) {
    if let Some(found) = use_of(s) {
        module.uses.push(found);
        return;
    }
    let mut found = BTreeMap::new();
    roles(&s.code, &mut found);
    match list_of(s, stack.last()) {
        Some(list) => {
            for n in &list.names {
                let (name, target) = n.split_once("=>").map_or((n.as_str(), n.as_str()), |(a, b)| (a.trim(), b.trim()));
                module.named.push((name.to_owned(), BTreeMap::from([(target.to_owned(), Role::Value)])));
            }
            module.lists.push(list);
        }
        None => found.iter().for_each(|(n, r)| add(&mut module.roles, n, *r)),
    }
    // What uses a type or an interface may come to all that it names.
    if let Some(Open::Type(name) | Open::Interface(Some(name))) =
        stack.iter().find(|o| matches!(o, Open::Type(_) | Open::Interface(Some(_))))
    {
        module.named.push((name.clone(), found));
    }
}

/// The list of names at the end of a statement.
fn list_of(s: &Statement, within: Option<&Open>) -> Option<List> {
    let code = s.code.trim();
    let start = match within {
        Some(Open::Module(_)) if code.starts_with("public") || code.starts_with("private") => {
            code.find("::").map_or(if code.starts_with("public") { 6 } else { 7 }, |at| at + 2)
        }
        Some(Open::Interface(_)) if code.starts_with("module procedure") || code.starts_with("procedure") => {
            let word = code.find("procedure")? + 9;
            code.find("::").map_or(word, |at| at + 2)
        }
        Some(Open::Type(_)) if code.starts_with("procedure") && !code.contains("pointer") => code.find("::").map_or(9, |at| at + 2),
        _ => return None,
    };
    let names: Vec<String> = code[start..].split(',').map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect();
    let plain = names.iter().all(|n| n.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '=' | '>' | ' ')));
    (plain && !names.is_empty()).then(|| List { lines: s.lines.clone(), before: format!("{} ", code[..start].trim_end()), names })
}

fn use_of(s: &Statement) -> Option<Use> {
    let rest = s.code.trim().strip_prefix("use")?;
    let rest = match rest.split_once("::") {
        Some((_, name)) => name,
        None if rest.starts_with(char::is_whitespace) => rest,
        None => return None,
    };
    let (module, list) = rest.split_once(',').map_or((rest, None), |(m, l)| (m, Some(l.trim())));
    let module = module.trim().to_owned();
    if !module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let only = list.and_then(|l| l.strip_prefix("only")).and_then(|l| l.trim_start().strip_prefix(':')).map(|l| {
        let pair = |n: &str| n.split_once("=>").map_or((n.to_owned(), n.to_owned()), |(a, b)| (a.trim().to_owned(), b.trim().to_owned()));
        l.split(',').map(str::trim).filter(|n| !n.is_empty()).map(pair).collect()
    });
    Some(Use { lines: s.lines.clone(), module, only })
}

/// The names of a statement, with how they are used.
fn roles(code: &str, out: &mut BTreeMap<String, Role>) {
    let mut before = "";
    for w in words(code) {
        let at = w.as_ptr() as usize - code.as_ptr() as usize;
        let spaceless = code[..at].trim_end();
        let role = match before {
            "call" if spaceless.ends_with("call") => Role::Subroutine,
            "type" | "class" if spaceless.ends_with('(') => Role::Type,
            _ => Role::Value,
        };
        add(out, w, role);
        // A kind is behind the number.
        if let Some((_, kind)) = w.split_once('_').filter(|(n, _)| n.chars().all(|c| c.is_ascii_digit() || c == 'e' || c == 'd')) {
            add(out, kind, Role::Value);
        }
        before = w;
    }
}

/// Names, and what numbers have behind them.
fn words(code: &str) -> Vec<&str> {
    code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect()
}

/// What a statement opens.
enum Opens {
    Module(String),
    Procedure(String),
    Interface(Option<String>),
    Type(String),
}

fn opens(words: &[&str], code: &str, in_interface: bool) -> Option<Opens> {
    let code = code.trim();
    let plain = code.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c.is_whitespace());
    match words {
        ["module" | "program", name] if plain && *name != "procedure" => return Some(Opens::Module((*name).to_owned())),
        ["module", "procedure", name] if plain && !in_interface => return Some(Opens::Procedure((*name).to_owned())),
        ["block", "data", rest @ ..] if plain => return Some(Opens::Module(rest.first().map_or(String::new(), |n| (*n).to_owned()))),
        ["submodule", .., name] if code.ends_with(name) => return Some(Opens::Module((*name).to_owned())),
        ["abstract", "interface"] => return Some(Opens::Interface(None)),
        ["interface", rest @ ..] if !code.contains('=') || code.contains('(') => {
            return Some(Opens::Interface(rest.first().map(|n| (*n).to_owned())));
        }
        ["type", rest @ ..] if !rest.is_empty() && !code[4..].trim_start().starts_with(['(', '*', '=']) && rest[0] != "is" => {
            let name = code.split_once("::").map_or(rest[0], |(_, n)| n.trim());
            let name: String = name.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            return Some(Opens::Type(name));
        }
        _ => {}
    }
    let at = words.iter().position(|w| matches!(*w, "subroutine" | "function"))?;
    let name = words.get(at + 1)?;
    let before = &code[..words[at].as_ptr() as usize - code.as_ptr() as usize];
    // Before the word stand prefixes alone.
    let is_prefix = |w: &str| {
        let kinds = ["real", "integer", "logical", "complex", "character", "double", "precision", "type", "class"];
        kinds.contains(&w) || ["pure", "elemental", "impure", "recursive", "module", "non_recursive"].contains(&w)
    };
    let mut depth = 0_usize;
    let outside: String = before
        .chars()
        .filter(|c| {
            depth += usize::from(*c == '(');
            let inside = depth > 0;
            depth -= usize::from(*c == ')' && depth > 0);
            !inside
        })
        .collect();
    let prefixes = outside.split(|c: char| c.is_whitespace() || c == '*').filter(|w| !w.is_empty());
    let good = prefixes.into_iter().all(|w| is_prefix(w) || w.chars().all(|c| c.is_ascii_digit()));
    let rest = code[name.as_ptr() as usize - code.as_ptr() as usize + name.len()..].trim_start();
    (good && (rest.is_empty() || rest.starts_with('(') || rest.starts_with("bind"))).then(|| Opens::Procedure((*name).to_owned()))
}

/// Whether a statement closes something that [`opens`] opens.
fn closes(words: &[&str], code: &str) -> bool {
    let kinds = ["module", "submodule", "program", "subroutine", "function", "procedure", "interface", "type"];
    let code = code.trim();
    let plain = !code.contains('=') || code.contains("operator") || code.contains("assignment");
    match words {
        ["end"] => code == "end",
        ["end", "block", "data", ..] | ["endblock", "data", ..] => true,
        ["end", kind, ..] => plain && kinds.contains(kind),
        [word, ..] => plain && word.strip_prefix("end").is_some_and(|kind| kinds.contains(&kind)),
        [] => false,
    }
}

/// The statements of a text.
fn statements(text: &str, fixed: bool) -> Vec<Statement> {
    let mut out: Vec<Statement> = Vec::new();
    let mut goes_on = false;
    for (k, line) in text.lines().enumerate() {
        if line.starts_with('#') || fixed && line.starts_with(['c', 'C', '*', '!', 'd', 'D']) {
            continue;
        }
        let (continues, line) = match fixed {
            true => {
                let sixth = line.chars().nth(5).filter(|_| line.is_ascii() && !line[..5].contains('\t'));
                let rest = if line.is_ascii() { line.get(6.min(line.len())..72.min(line.len())).unwrap_or("") } else { line };
                match sixth {
                    Some(c) if c != ' ' && c != '0' => (true, rest),
                    Some(_) => (false, rest),
                    None => (false, line),
                }
            }
            false => (goes_on, line),
        };
        let code = bare(line);
        let code = code.trim();
        if code.is_empty() {
            continue;
        }
        let more = !fixed && code.ends_with('&');
        // A word ends with its line, unless a sign says that it goes on.
        let whole = fixed || !code.starts_with('&');
        let code = if fixed { code } else { code.trim_start_matches('&').trim_end_matches('&') };
        match out.last_mut().filter(|_| continues) {
            Some(last) => {
                last.code.extend(whole.then_some(' '));
                last.code.push_str(code.trim());
                last.lines.end = k + 1;
            }
            None => {
                // A label is no part of a statement.
                let code = code.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
                out.extend(code.split(';').map(|code| Statement { lines: k..k + 1, code: code.trim().to_owned() }));
            }
        }
        goes_on = more;
    }
    out
}

/// A line in lower case, without its comment and what is in its texts.
fn bare(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match quote {
            Some(q) => {
                if c == q {
                    quote = None;
                    out.push(c);
                }
            }
            None if c == '!' => break,
            None => {
                quote = matches!(c, '\'' | '"').then_some(c);
                out.push(c.to_ascii_lowercase());
            }
        }
    }
    // A text that goes on in the next line ends with this sign.
    if quote.is_some() && line.trim_end().ends_with('&') {
        out.push('&');
    }
    out
}
