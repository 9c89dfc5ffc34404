//! Names that are legal in Fortran.
//!
//! Lives here: the spelling of one name. Never here: what it is the name of.

/// The longest name that Fortran allows.
const MAX_LENGTH: usize = 63;

/// A legal name as near as possible to the given one.
pub fn legal(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert(0, 'x');
    }
    out.truncate(MAX_LENGTH);
    out
}

/// True where the name can stand as it is.
pub fn is_legal(name: &str) -> bool {
    !name.is_empty() && legal(name) == name
}

/// `base`, or `base_1`, `base_2`, ... until it is free (`taken` sees lower case).
pub fn unique(base: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(&base.to_ascii_lowercase()) {
        return base.to_owned();
    }
    let mut n = 1;
    loop {
        let suffix = format!("_{n}");
        let mut name = base.to_owned();
        name.truncate(MAX_LENGTH - suffix.len());
        name.push_str(&suffix);
        if !taken(&name.to_ascii_lowercase()) {
            return name;
        }
        n += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_names() {
        assert_eq!(legal("_x"), "x_x");
        assert_eq!(legal("a.b c"), "a_b_c");
        assert_eq!(legal("2d"), "x2d");
        assert_eq!(legal(&"y".repeat(90)).len(), MAX_LENGTH);
        assert!(is_legal("Nx_1"));
        assert!(!is_legal(""));
    }
}
