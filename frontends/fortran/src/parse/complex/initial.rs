//! Initial values of complex variables, for each part.
//!
//! ```text
//! complex(8) :: z(2) = [(1d0, 2d0), (3d0, 4d0)]     ->     z%re = [1d0, 3d0],  z%im = [2d0, 4d0]
//! ```
//!
//! Lives here: the texts and values that the parts start with. Never here: DATA, declarations.

use crate::parse::context::state::Lower;

/// Whether a text may be a literal number, with a sign or a kind.
fn is_number(text: &str) -> bool {
    let t = text.trim().trim_start_matches(['+', '-']).trim_start();
    t.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && t.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-'))
}

/// The text with one part (0 or 1) in the place of each complex literal; nothing where it has others in it.
fn part_of(text: &str, part: usize) -> Option<String> {
    let (mut out, mut rest, mut found) = (String::new(), text, false);
    while let Some(at) = rest.find('(') {
        let (before, inside) = rest.split_at(at);
        out.push_str(before);
        let end = inside.find(')')?;
        let numbers: Vec<&str> = inside[1..end].split(',').collect();
        if numbers.len() == 2 && numbers.iter().all(|n| is_number(n)) && !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        {
            out.push_str(numbers[part].trim());
            rest = &inside[end + 1..];
            found = true;
        } else {
            out.push('(');
            rest = &inside[1..];
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

impl<'t> Lower<'t> {
    /// Gives the parts of complex variables the initial values of their variables.
    pub fn initial_parts(&mut self) {
        if !self.has_complex() {
            return;
        }
        for base in self.p.scope(self.cur.scope).symbols.clone() {
            let Some(decl) = self.p.symbol(base).decl.clone().filter(|_| self.is_complex_symbol(base)) else { continue };
            let name = self.p.symbol(base).name.to_ascii_lowercase();
            for (k, part) in ["re", "im"].into_iter().enumerate() {
                let Some(&leaf) = self.names.get(&(self.cur.scope, format!("{name}%{part}"))) else { continue };
                if let Some(text) = part_of(&decl.init_text, k) {
                    self.decl(leaf).init_text = text.into();
                } else if let Some(v) = self.complex_values.get(&base).cloned() {
                    let v = if k == 0 { v.re.clone() } else { self.imaginary(&v) };
                    let v = self.as_real(v, self.p.symbol(leaf).ty);
                    self.decl(leaf).init = Some(v.e);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn parts_of_initial_values() {
        assert_eq!(part_of("(1d0, -2.5d0)", 1).as_deref(), Some("-2.5d0"));
        assert_eq!(part_of("[(1d0,2d0), (3._dp,4)]", 0).as_deref(), Some("[1d0, 3._dp]"));
        assert_eq!(part_of("reshape([(1,2),(3,4)], [2, 1])", 1).as_deref(), Some("reshape([2,4], [2, 1])"));
        assert_eq!(part_of("(/ (1,2), (3,4) /)", 0).as_deref(), Some("(/ 1, 3 /)"));
        assert_eq!(part_of("cmplx(1, 2)", 0), None);
        assert_eq!(part_of("i*2", 0), None);
    }
}
