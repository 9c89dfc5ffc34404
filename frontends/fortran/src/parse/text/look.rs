//! Which source form a text is in, by its look.
//!
//! Lives here: what lines can be in one form only. Never here: names of files, and what lines mean.

/// Words with which a line of free form may start in the column where fixed form has the sign of a comment.
const STARTS: [&str; 14] = [
    "call",
    "case",
    "character",
    "class",
    "close",
    "codimension",
    "common",
    "complex",
    "concurrent",
    "contains",
    "contiguous",
    "continue",
    "critical",
    "cycle",
];

/// Whether a text can only be in free form: some line of it is none of fixed form, and no line of it is none of free form.
pub fn is_free(text: &str) -> bool {
    let mut free = false;
    // The statement before goes on.
    let mut open = false;
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        let start: Vec<char> = line.chars().take(6).collect();
        let first = start.first().copied().unwrap_or(' ');
        let code = line.split('!').next().unwrap_or_default().trim_end();
        if code.trim().is_empty() {
            continue;
        }
        let comment = match first {
            '*' => !open,
            'c' | 'C' => {
                let word: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
                let rest = line[word.len()..].trim_start();
                // A name of its own that gets a value, or the name of a construct.
                let is_name = rest.starts_with(['=', ':']) || (rest.starts_with(['(', '%']) && rest.contains('='));
                !open && !is_name && !STARTS.iter().any(|s| word.eq_ignore_ascii_case(s))
            }
            _ => false,
        };
        let continued = start.len() == 6 && start[..5].iter().all(|c| *c == ' ') && !matches!(start[5], ' ' | '0');
        // In fixed form the sixth column tells that a statement goes on; what stands there in free form starts one.
        if comment || continued && !open && !start[5].is_ascii_alphabetic() && start[5] != '&' {
            return false;
        }
        // Behind a tab stands a statement, in whatever form.
        let in_label = !start.contains(&'\t') && start.iter().take(5).any(|c| !c.is_ascii_digit() && !c.is_whitespace());
        free |= in_label && !matches!(first, 'c' | 'C' | '*' | 'd' | 'D');
        open = code.ends_with('&');
        free |= open && line.chars().take(72).collect::<String>().trim_end().ends_with('&') && !continued;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::is_free;

    #[test]
    fn free_form_under_the_name_of_fixed_form_is_seen() {
        assert!(is_free(
            "module m\ncontains\n  subroutine s(x, &\n               y)\n  real :: x, y\n  y = x\n  end subroutine\nend module\n"
        ));
        assert!(is_free("#include \"a.h\"\nSUBROUTINE s(x)\n  REAL x\ncall t(x)\nc(1) = 2\nEND\n"));
        // Tabs, labels, comments of both kinds, lines that go on.
        assert!(!is_free("      subroutine s(x)\nc     a comment\n      real x\n      x = 1 +\n     &    2\n 10   continue\n      end\n"));
        assert!(!is_free("! a comment\n      subroutine s(x)\n      real x\n      x = 1 +\n     1    2\n      end\n"));
        assert!(!is_free("* all\nsubroutine s\n      end\n"));
        assert!(!is_free("\tsubroutine s\n\tend\n"));
        assert!(!is_free("d     print *, 1\n      end\n"));
    }
}
