//! What the parser expected where it stopped, in words.
//!
//! Lives here: the message and its place. Never here: what becomes of the text.

use lang_c::driver::SyntaxError;

/// What closes something; where the parser could take one of these, that is what is missing.
const CLOSING: [&str; 4] = [")", "]", ";", ":"];

/// What is said of a text that cannot be read, and the offset that it is said of: where something is missing at the end of a line, that is there.
pub(crate) fn described(e: &SyntaxError) -> (String, usize) {
    let at = e.offset.min(e.source.len());
    let found: String = e.source[at..].split_whitespace().next().unwrap_or_default().chars().take(40).collect();
    let found = if found.is_empty() { "the end of the file".to_owned() } else { format!("`{found}`") };
    let takes = |w: &str| e.expected.contains(w);
    let begins_expression = takes("~") || takes("!");
    // An empty statement, a block and an expression: anywhere in a function, where its end may come, too.
    let statement = takes(";") && takes("{") && begins_expression;
    let closing = CLOSING.into_iter().find(|c| takes(c)).filter(|_| !statement);
    let wanted = match closing {
        Some(c) => format!("`{c}`"),
        None if statement && at >= e.source.trim_end().len() => "`}`".to_owned(),
        None if statement => "a statement".to_owned(),
        None if begins_expression => "an expression".to_owned(),
        None if takes("typedef") => "a declaration".to_owned(),
        None if takes("}") => "`}`".to_owned(),
        None if takes("[_a-zA-Z]") => "a name".to_owned(),
        None => return (format!("syntax error at {found}"), at),
    };
    let message = format!("syntax error: expected {wanted} before {found}");
    let before = e.source[..at].trim_end();
    let ended = closing.is_some() && e.source[before.len()..at].contains('\n') && !before.is_empty() && !is_marker(before);
    (message, if ended { before.len() - before.chars().next_back().map_or(0, char::len_utf8) } else { at })
}

/// Whether a text ends in a line of the preprocessor, which is no place of the user's.
fn is_marker(text: &str) -> bool {
    text.rsplit('\n').next().is_some_and(|l| l.trim_start().starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::super::unread::config;
    use super::*;

    #[test]
    fn what_is_missing_is_named_where_it_is_missing() {
        for (text, wanted, before) in [
            ("double f(double x) {\n  double y = x *;\n  return y;\n}\n", "expected an expression before `;`", ";\n  return"),
            ("double f(double x) {\n  double y = x\n  return y;\n}\n", "expected `;` before `return`", "x\n  return"),
            ("double f(double x) {\n  if (x > 0 {\n    x = 1;\n  }\n}\n", "expected `)` before `{`", "{\n    x"),
            ("double f(double x) {\n  x = 1;\n", "expected `}` before the end of the file", ""),
            ("double f(double x) {\n  x = 1;\n  )\n}\n", "expected a statement before `)`", ")\n}"),
            ("double f(double x) {\n  return x[1;\n}\n", "expected `]` before `;`", ";\n}"),
        ] {
            let e = lang_c::driver::parse_preprocessed(&config(), text.to_owned()).unwrap_err();
            let (message, at) = described(&e);
            assert_eq!(message, format!("syntax error: {wanted}"), "{text} {:?}", e.expected);
            assert!(text[at..].starts_with(before), "{text}: {:?}", &text[at..]);
        }
    }
}
