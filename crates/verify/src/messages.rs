//! What a compiler says of generated code: which of its messages are objections to what was made.
//!
//! Errors count, and warnings of what is not set before it is read, or never set, or not declared: with these a compiler may make anything of the code at
//! another level of optimization. What it says of the user's own text does not count, nor what is said of a copy of it in the same words.
//! Lives here: reading of messages. Never here: processes.

use super::certificate::Place;
use super::place::line_of;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::lined::Origin;

/// The options of warnings that count.
pub const COUNTING: [&str; 9] = [
    "-Wuninitialized",
    "-Wmaybe-uninitialized",
    "-Wsometimes-uninitialized",
    "-Wunused-dummy-argument",
    "-Wreturn-type",
    "-Wimplicit-function-declaration",
    "-Wimplicit-int",
    "-Wint-conversion",
    "-Wincompatible-pointer-types",
];

/// A message of a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The file as the compiler names it; empty where it names none.
    pub file: String,
    /// The line, from 1; 0 where none is named.
    pub line: u32,
    /// An error, not a warning.
    pub error: bool,
    /// The words.
    pub text: String,
}

impl Message {
    /// The option that turns the warning on, as compilers say at the end of it.
    fn option(&self) -> Option<&'static str> {
        let end = self.text.rsplit_once('[')?.1.trim_end_matches(']').replace("-Werror=", "-W");
        COUNTING.into_iter().find(|o| *o == end)
    }

    /// Whether it says that something is wrong with the code.
    fn counts(&self) -> bool {
        // Arguments that are not used are listed under the same option as those that are not set.
        let set = self.option() != Some("-Wunused-dummy-argument") || self.text.contains("not set");
        self.error || (set && self.option().is_some())
    }

    /// The names that it quotes; gfortran has one of its own for what a function returns.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let quoted = self.text.split('\'').skip(1).step_by(2).map(str::to_lowercase);
        quoted.map(|n| n.strip_prefix("__result_").map(str::to_owned).unwrap_or(n))
    }
}

/// The errors and warnings in what a compiler has printed, in the forms of C and of gfortran (where the place stands on a line before).
pub fn read(printed: &str) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    let mut at = (String::new(), 0);
    for line in printed.lines() {
        let place = placed(line);
        let rest = place.as_ref().map_or(line, |(_, _, rest)| *rest).trim();
        if let Some((file, number, _)) = place {
            at = (file.to_owned(), number);
        }
        let word = |w: &str| rest.get(..w.len()).filter(|s| s.eq_ignore_ascii_case(w)).map(|_| rest[w.len()..].trim());
        let found = ["fatal error:", "error:"].iter().find_map(|w| word(w)).map(|t| (true, t));
        if let Some((error, text)) = found.or_else(|| word("warning:").map(|t| (false, t))) {
            out.push(Message { file: at.0.clone(), line: at.1, error, text: text.to_owned() });
        } else if let Some(text) = line.split_once("error: ").map(|p| p.1).filter(|_| !line.starts_with(' ')) {
            // Of the linker, or of the compiler itself.
            out.push(Message { file: String::new(), line: 0, error: true, text: text.to_owned() });
        }
    }
    out
}

/// `FILE:LINE:COLUMN: rest`.
fn placed(line: &str) -> Option<(&str, u32, &str)> {
    let (file, rest) = line.split_once(':').filter(|(f, _)| !f.is_empty() && !f.contains(' '))?;
    let (number, rest) = rest.split_once(':')?;
    let number = number.parse().ok()?;
    let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'-').count();
    let rest = if digits > 0 { rest[digits..].strip_prefix(':').unwrap_or(&rest[digits..]) } else { rest };
    Some((file, number, rest))
}

/// What is said against lines that were made, in the file of that name whose lines have these origins: the first of each kind, errors first.
///
/// `boosted` is the program that the file was made from.
pub fn objections(messages: &[Message], file: &str, origins: &[Origin], boosted: &Program) -> Vec<Place> {
    let origin = |m: &Message| origins.get(m.line.checked_sub(1)? as usize).copied();
    let here = messages.iter().filter(|m| m.file == file && m.counts());
    let (mut own, mut made) = (Vec::new(), Vec::new());
    for m in here {
        match origin(m) {
            Some(Origin::Made { unit, place }) => made.push((m, unit, place)),
            Some(Origin::Copied(..)) if !m.error => own.push(m),
            // What is wrong with a copied line in this file and not by itself comes of what stands around it.
            _ => made.push((m, None, xaif::model::Span::NONE)),
        }
    }
    let excused: BTreeSet<(&str, String)> = own.iter().flat_map(|m| m.names().filter_map(|n| Some((m.option()?, n)))).collect();
    let original = |name: &str| {
        let base = |s: &xaif::model::Symbol| s.decl.as_ref().and_then(|d| d.derivative_of).map(|b| boosted.symbol(b).name.to_lowercase());
        boosted.symbols.iter().filter(|s| s.name.eq_ignore_ascii_case(name)).find_map(base)
    };
    let is_copy = |m: &Message| {
        let said = |n: String| m.option().is_some_and(|o| excused.contains(&(o, n)));
        m.names().any(|n| said(n.clone()) || original(&n).is_some_and(said))
    };
    made.retain(|(m, ..)| m.error || !is_copy(m));
    made.sort_by_key(|(m, ..)| (!m.error, m.line));
    made.dedup_by_key(|(m, ..)| m.text.clone());
    let place = |&(m, unit, span): &(&Message, Option<xaif::model::UnitId>, xaif::model::Span)| {
        let location = boosted.location(span);
        Place {
            statement: location.as_ref().map_or_else(String::new, |l| line_of(boosted, l)),
            location,
            units: unit.into_iter().map(|u| boosted.unit_name(u).to_owned()).collect(),
            message: format!("the compiler says of the code made for this: {}", m.text),
        }
    };
    made.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let c = "generated.c: In function 'f_b':\ngenerated.c:27:5: error: label 'next' used but not defined\n   27 |     goto next;\n      |     ^~~~\n\
                 In file included from driver.c:2:\ngenerated.c:9:3: warning: 'z' may be used uninitialized [-Wmaybe-uninitialized]\n\
                 /usr/bin/ld: x.o: undefined reference to 'g'\ncollect2: error: ld returned 1 exit status\n";
        let list = read(c);
        assert_eq!(
            list.iter().map(|m| (m.file.as_str(), m.line, m.error)).collect::<Vec<_>>(),
            [("generated.c", 27, true), ("generated.c", 9, false), ("", 0, true)]
        );
        assert_eq!(list[1].option(), Some("-Wmaybe-uninitialized"));
        let fortran = "generated.f90:3:17:\n\n    3 | subroutine u(x, t, y)\n      |                 1\n\
                       Warning: Dummy argument 't' at (1) was declared INTENT(OUT) but was not set [-Wunused-dummy-argument]\n\
                       generated.f90:5:2-9: Error: Syntax error\n";
        let list = read(fortran);
        assert!(list[0].counts() && list[0].line == 3 && list[0].names().next().as_deref() == Some("t"), "{list:?}");
        assert!(list[1].error && list[1].line == 5 && list[1].text == "Syntax error", "{list:?}");
    }

    #[test]
    fn results_of_functions_have_the_name_of_the_function() {
        let printed = "a.f90:7:22:\n\n  7 | return\nWarning: '__result_f' may be used uninitialized [-Wmaybe-uninitialized]\n";
        let list = read(printed);
        assert_eq!(list[0].names().next().as_deref(), Some("f"));
    }
}
