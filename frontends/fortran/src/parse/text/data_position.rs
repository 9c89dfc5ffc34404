//! DATA statements among statements and constructs, moved to the declarations: they say what variables hold at the start, wherever they stand, and the
//! grammar knows them there.
//!
//! ```text
//! real a(2)                              real a(2)
//! if (x > 0) then                        data a /1.0, 2.0/
//!   data a /1.0, 2.0/            ->      if (x > 0) then
//!   y = a(1)*x                             y = a(1)*x
//! ```
//!
//! Lives here: which lines of canonical text move, and where to; each character keeps its place in the original text. Never here: what the statements say.

use super::lines::Spliced;

/// What a statement is for the order of a unit's text.
enum Step {
    Opens,
    Closes,
    /// A program unit starts or ends.
    Unit,
    Declaration,
    Data,
    Other,
}

/// Moves them.
pub fn beside_declarations(spliced: Spliced) -> Spliced {
    if !spliced.lines.iter().any(|l| is_data(&l.text)) {
        return spliced;
    }
    let steps: Vec<Step> = spliced.lines.iter().map(|l| step(&l.text)).collect();
    // The order in which the lines are to stand.
    let mut order: Vec<usize> = Vec::with_capacity(steps.len());
    // How many constructs are open, and where in the order declarations end, or the outermost construct starts where there are none.
    let (mut open, mut start, mut declared) = (0_usize, 0, None);
    let mut moved = false;
    for (k, s) in steps.iter().enumerate() {
        match s {
            Step::Opens => {
                if open == 0 {
                    start = order.len();
                }
                open += 1;
            }
            Step::Closes => open = open.saturating_sub(1),
            Step::Unit => (open, declared) = (0, None),
            Step::Declaration if open == 0 => declared = Some(order.len() + 1),
            Step::Data if spliced.lines[k].label.is_empty() => {
                let to = declared.unwrap_or(if open == 0 { order.len() } else { start });
                moved |= to < order.len();
                order.insert(to, k);
                (start, declared) = (start + 1, Some(to + 1));
                continue;
            }
            Step::Declaration | Step::Data | Step::Other => {}
        }
        order.push(k);
    }
    if moved { reordered(spliced, &order) } else { spliced }
}

fn reordered(spliced: Spliced, order: &[usize]) -> Spliced {
    let mut out = Spliced::default();
    let mut starts = vec![0];
    starts.extend(spliced.text.match_indices('\n').map(|(at, _)| at + 1));
    for &k in order {
        let bytes = starts[k]..starts[k + 1];
        out.text.push_str(&spliced.text[bytes.clone()]);
        out.places.extend_from_slice(&spliced.places[bytes]);
    }
    let mut lines: Vec<_> = spliced.lines.into_iter().map(Some).collect();
    out.lines = order.iter().filter_map(|&k| lines[k].take()).collect();
    out
}

/// Statements are told by how they begin and end; a name before a colon is that of a construct.
fn step(text: &str) -> Step {
    let text = text.to_ascii_lowercase();
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let named = compact.split_once(':').filter(|(n, rest)| !rest.starts_with(':') && n.chars().all(|c| c.is_alphanumeric() || c == '_'));
    let statement = named.map_or(compact.as_str(), |n| n.1);
    if statement == "end"
        || ["endsubroutine", "endfunction", "endprogram", "endmodule", "endprocedure", "contains"].iter().any(|w| statement.starts_with(w))
    {
        return Step::Unit;
    }
    if ["endif", "enddo", "endselect", "endwhere", "endforall", "endassociate", "endblock", "endcritical"]
        .iter()
        .any(|w| statement.starts_with(w))
    {
        return Step::Closes;
    }
    if is_data(&text) {
        return Step::Data;
    }
    // Definitions of types and interfaces are behind them.
    if is_declaration(&text) || ["endtype", "endinterface", "endenum"].iter().any(|w| statement.starts_with(w)) {
        return Step::Declaration;
    }
    let behind_parenthesis = || closing(statement).map(|at| &statement[at + 1..]);
    let opens = statement.starts_with("if(") && behind_parenthesis() == Some("then")
        || statement == "do"
        || statement.starts_with("dowhile(")
        || statement.starts_with("doconcurrent(")
        || is_counted_do(statement)
        || ["selectcase(", "selecttype(", "selectrank(", "associate("].iter().any(|w| statement.starts_with(w))
        || ["where(", "forall("].iter().any(|w| statement.starts_with(w)) && behind_parenthesis() == Some("")
        || statement == "block"
        || statement == "critical";
    if opens { Step::Opens } else { Step::Other }
}

fn is_data(text: &str) -> bool {
    text.get(..5).is_some_and(|w| w.eq_ignore_ascii_case("data ")) && text.ends_with('/')
}

/// A statement that declares: two colons outside of parentheses, or one of these words and no assignment.
pub fn is_declaration(text: &str) -> bool {
    let mut depth = 0;
    let outside: String = text
        .chars()
        .filter(|c| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0 && *c != ')'
        })
        .collect();
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let words = [
        "integer",
        "real",
        "double",
        "complex",
        "logical",
        "character",
        "dimension",
        "parameter",
        "implicit",
        "save",
        "external",
        "intrinsic",
        "common",
        "equivalence",
    ];
    outside.contains("::") || words.contains(&word.as_str()) && !outside.contains('=')
}

/// `doi=1,n`, and no assignment to a variable whose name starts with these letters. Loops that end at a label have none here.
fn is_counted_do(statement: &str) -> bool {
    let Some(rest) = statement.strip_prefix("do") else { return false };
    let Some((index, range)) = rest.split_once('=') else { return false };
    let mut depth = 0;
    let comma = range.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    comma && index.starts_with(|c: char| c.is_alphabetic()) && index.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Where the first parenthesis closes.
fn closing(statement: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    for (k, c) in statement.char_indices() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(k);
                }
            }
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{form, preprocess};
    use super::*;

    fn moved(text: &str) -> Vec<String> {
        let rows = preprocess::rows("a.f90", text, false, false, &[], false).unwrap();
        let before = form::splice(&rows, false).spliced;
        let after = beside_declarations(before);
        assert_eq!(after.text.len(), after.places.len());
        after.lines.into_iter().map(|l| l.text).collect()
    }

    #[test]
    fn data_moves_to_the_declarations() {
        let text = "subroutine s(x)\nreal(8) b(3), m(2)\ninteger c\ny = 1\nif (x > 0) then\nwhere (m(:) > 0)\na = 1\nend where\na: do i = 1, n\n\
                    data b / - 1.0, 2*3.0 /\nend do a\ndata c /1/\nendif\nend\n";
        let want = ["integer c", "data b / - 1.0, 2*3.0 /", "data c /1/", "y = 1", "if (x > 0) then"];
        assert_eq!(moved(text)[2..7], want);
    }

    #[test]
    fn without_declarations_data_moves_before_the_outermost_construct() {
        let text = "y = 1\ndo i = 1, (n)\nif (a) then\ndata b /2/\nend if\nend do\nend\n";
        assert_eq!(moved(text)[..3], ["y = 1", "data b /2/", "do i = 1, (n)"]);
    }

    #[test]
    fn what_is_no_construct_moves_nothing() {
        let text = "if (x > 0) y = 1\nwhere (m > 0) a = 1\ndo10 = 3\ndo 10 i = 1, n\n10 continue\nreal = 2\ndata b /1/\nend\n";
        assert_eq!(moved(text)[6], "data b /1/");
    }

    #[test]
    fn a_unit_that_ends_closes_what_is_open() {
        let text = "subroutine s\nreal :: x\ndo i = 1, (n)\nend subroutine s\nsubroutine t\nk = 2\ndata k /1/\nend\n";
        assert_eq!(moved(text)[6], "data k /1/");
    }
}
