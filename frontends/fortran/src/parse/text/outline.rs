//! Program units of a canonical text, told by the lines with which they begin and end: what is known even where the grammar fails.
//!
//! Lives here: which rows belong to which unit. Never here: what is wrong with one (see `isolate`).

use super::lines::Line;

/// What kind of unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Subroutine,
    Function,
    /// A module or a submodule: what it holds can be told apart.
    Module,
    /// A main program, block data, a procedure whose head says nothing of its kind.
    Other,
    /// A main program without a PROGRAM statement.
    Headless,
}

/// A unit by its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    pub kind: Kind,
    /// In lower case.
    pub name: String,
    /// The row that begins it.
    pub head: usize,
    /// The row that ends it.
    pub end: usize,
    /// The row with CONTAINS.
    pub contains: Option<usize>,
    /// The unit around it, by its position.
    pub host: Option<usize>,
}

/// The units of a text in the order of their heads.
pub fn units(lines: &[Line]) -> Vec<Outline> {
    let mut out: Vec<Outline> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut in_interface = false;
    for (row, line) in lines.iter().enumerate() {
        let text = line.text.to_ascii_lowercase();
        if text.is_empty() {
            continue;
        }
        if in_interface {
            in_interface = !is_end(&text, "interface");
            continue;
        }
        if opens_interface(&text) {
            in_interface = true;
            continue;
        }
        if let Some((kind, name)) = heading(&text) {
            out.push(Outline { kind, name, head: row, end: row, contains: None, host: open.last().copied() });
            open.push(out.len() - 1);
        } else if ends_unit(&text) {
            if let Some(unit) = open.pop() {
                out[unit].end = row;
            }
        } else if text == "contains" && open.last().is_some_and(|&u| !defines_type(lines, out[u].head, row)) {
            if let Some(&unit) = open.last() {
                out[unit].contains = Some(row);
            }
        } else if open.is_empty() {
            out.push(Outline { kind: Kind::Headless, name: String::new(), head: row, end: row, contains: None, host: None });
            open.push(out.len() - 1);
        }
    }
    for unit in open {
        out[unit].end = lines.len().saturating_sub(1);
    }
    out
}

/// Whether the rows between end within the definition of a type, which has a CONTAINS of its own.
fn defines_type(lines: &[Line], from: usize, to: usize) -> bool {
    let before = lines[from..to].iter().rev().map(|l| l.text.to_ascii_lowercase());
    for text in before {
        if is_end(&text, "type") {
            return false;
        }
        if opens_type(&text) {
            return true;
        }
    }
    false
}

/// `type t`, `type, extends(s) :: t`, and no declaration of a variable.
pub fn opens_type(text: &str) -> bool {
    text.strip_prefix("type").is_some_and(|rest| {
        let rest = rest.trim_start();
        !rest.starts_with(['(', '=', '%']) && (rest.starts_with([',', ':']) || text.starts_with("type ")) && !rest.contains('=')
    }) && !text.starts_with("type is")
}

/// `interface`, `abstract interface`, `interface operator (+)`.
pub fn opens_interface(text: &str) -> bool {
    let text = text.strip_prefix("abstract ").map_or(text, str::trim_start);
    text.strip_prefix("interface")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') && !rest.trim_start().starts_with(['=', '(', '%']))
}

/// `end type t`, `endtype`.
pub fn is_end(text: &str, word: &str) -> bool {
    text.strip_prefix("end").is_some_and(|rest| rest.trim_start().starts_with(word)) && !text.contains('=')
}

fn ends_unit(text: &str) -> bool {
    text == "end"
        || ["subroutine", "function", "program", "module", "submodule", "procedure", "block data", "blockdata"]
            .iter()
            .any(|w| is_end(text, w))
}

/// The kind and the name of the unit that a statement begins.
pub fn heading(text: &str) -> Option<(Kind, String)> {
    let mut rest = text;
    let mut module = false;
    loop {
        let word = word_of(rest);
        let behind = rest[word.len()..].trim_start();
        match word {
            "recursive" | "pure" | "elemental" | "impure" | "non_recursive" => rest = behind,
            "module" => {
                if module {
                    return None;
                }
                (module, rest) = (true, behind);
            }
            "subroutine" | "function" => {
                let name = word_of(behind);
                let after = behind[name.len()..].trim_start();
                let kind = if word == "function" { Kind::Function } else { Kind::Subroutine };
                let head = after.is_empty() && kind == Kind::Subroutine
                    || after.starts_with('(') && !after.contains('=')
                    || after.starts_with("bind");
                return (head || after.starts_with('(') && after.contains("bind"))
                    .then(|| (kind, name.to_owned()))
                    .filter(|(_, n)| !n.is_empty());
            }
            "procedure" if module => {
                let name = word_of(behind);
                return (!name.is_empty() && behind.len() == name.len()).then(|| (Kind::Other, name.to_owned()));
            }
            "integer" | "real" | "logical" | "complex" | "character" | "type" | "class" | "doubleprecision" | "double" => {
                rest = behind;
                if word == "double" {
                    rest = rest.strip_prefix("precision").or_else(|| rest.strip_prefix("complex"))?.trim_start();
                }
                if let Some(more) = rest.strip_prefix('*') {
                    rest = more.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
                }
                if rest.starts_with('(') {
                    rest = rest[closing(rest)? + 1..].trim_start();
                }
                if !rest.contains("function") {
                    return None;
                }
            }
            "submodule" => {
                let name = behind.get(closing(behind)? + 1..)?.trim();
                return Some((Kind::Module, name.to_owned()));
            }
            "program" if !behind.is_empty() && word_of(behind).len() == behind.len() => return Some((Kind::Other, behind.to_owned())),
            "block" if word_of(behind) == "data" => return Some((Kind::Other, behind[4..].trim().to_owned())),
            "blockdata" => return Some((Kind::Other, behind.trim().to_owned())),
            name if module => return (!name.is_empty() && behind.is_empty()).then(|| (Kind::Module, name.to_owned())),
            _ => return None,
        }
    }
}

/// The word at the start of a text.
fn word_of(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// Where the parenthesis closes that the text starts with.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (k, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return Some(k);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Kind, String, usize, usize)> {
        let lines: Vec<Line> = text.lines().map(|l| Line { text: l.into(), ..Line::default() }).collect();
        units(&lines).into_iter().map(|u| (u.kind, u.name, u.head, u.end)).collect()
    }

    #[test]
    fn units_are_told_by_their_first_and_last_lines() {
        let text = "module m\ntype, extends(s) :: t\ncontains\nprocedure :: p\nend type t\ninterface\nsubroutine s(x)\nend subroutine\n\
                    end interface\ncontains\npure real(kind=8) function f(x) result(y)\nend function f\nmodule subroutine g\nend\nend module m\n\
                    double precision function h(a)\nif (a) then\nend if\nend\nsubroutine s(x) bind(c, name='s')\nend subroutine\nx = 1\nend\n";
        let want = [
            (Kind::Module, "m", 0, 14),
            (Kind::Function, "f", 10, 11),
            (Kind::Subroutine, "g", 12, 13),
            (Kind::Function, "h", 15, 18),
            (Kind::Subroutine, "s", 19, 20),
            (Kind::Headless, "", 21, 22),
        ];
        assert_eq!(found(text), want.map(|(k, n, a, b)| (k, n.to_owned(), a, b)));
        assert_eq!(found("submodule (a) b\ncontains\nmodule procedure c\nend procedure\nend submodule b\n").len(), 2);
        assert_eq!(found("block data\nreal function = 2\nend\n").len(), 1);
    }
}
