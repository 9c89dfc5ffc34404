//! USE lines: which local name an entity of another module has in a unit.
//!
//! Lives here: reading of the import lines that units carry verbatim. Never here: layout.

/// One USE statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The module, in lower case.
    pub module: String,
    /// It has an ONLY list, so that nothing else is visible.
    pub only: bool,
    /// Local name and name in the module, in lower case; equal where there is no renaming.
    pub names: Vec<(String, String)>,
}

/// A line that begins the definition of a type, and no declaration.
pub fn is_definition(line: &str) -> bool {
    let lower = line.trim_start().to_ascii_lowercase();
    lower.strip_prefix("type").is_some_and(|rest| !rest.trim_start().starts_with('('))
}

/// The group of a line that declares a NAMELIST.
pub fn namelist(line: &str) -> Option<&str> {
    line.strip_prefix("namelist /")?.split('/').next()
}

/// Reads a USE statement; `None` for any other line.
pub fn parse_use(line: &str) -> Option<Use> {
    let joined: String = line.lines().map(strip_line).collect::<Vec<_>>().join(" ");
    let text = joined.trim().to_ascii_lowercase();
    let rest = text.strip_prefix("use")?;
    if !rest.starts_with([' ', ',', ':']) {
        return None;
    }
    let rest = match rest.find("::") {
        Some(i) => &rest[i + 2..],
        None => rest,
    };
    let mut parts = rest.splitn(2, ',');
    let module = parts.next()?.trim().to_owned();
    if module.is_empty() || !module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let list = parts.next().unwrap_or("").trim();
    let (only, list) = match list.strip_prefix("only") {
        Some(r) if r.trim_start().starts_with(':') => (true, r.trim_start().trim_start_matches(':')),
        _ => (false, list),
    };
    let names = list
        .split(',')
        .filter_map(|item| {
            let item = item.trim();
            if item.is_empty() {
                return None;
            }
            Some(match item.split_once("=>") {
                Some((local, remote)) => (local.trim().to_owned(), remote.trim().to_owned()),
                None => (item.to_owned(), item.to_owned()),
            })
        })
        .collect();
    Some(Use { module, only, names })
}

/// A line without its comment and continuation signs.
fn strip_line(line: &str) -> String {
    let line = match line.find('!') {
        Some(i) => &line[..i],
        None => line,
    };
    let line = line.trim();
    let line = line.strip_prefix('&').unwrap_or(line);
    line.strip_suffix('&').unwrap_or(line).to_owned()
}

/// The local name of `name` of `module` under these USE statements; `None` if it is not visible.
pub fn local_name(uses: &[Use], module: &str, name: &str) -> Option<String> {
    let (module, name) = (module.to_ascii_lowercase(), name.to_ascii_lowercase());
    uses.iter().filter(|u| u.module == module).find_map(|u| {
        let listed = u.names.iter().find(|(_, remote)| *remote == name).map(|(local, _)| local.clone());
        listed.or_else(|| (!u.only).then(|| name.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_statements() {
        let u = parse_use("use, intrinsic :: iso_fortran_env, only: wp => real64, &\n  & int32 ! kinds").unwrap();
        assert_eq!(u.module, "iso_fortran_env");
        assert!(u.only);
        assert_eq!(u.names, [("wp".into(), "real64".into()), ("int32".into(), "int32".into())]);
        let plain = parse_use("  USE Grid").unwrap();
        assert_eq!((plain.module.as_str(), plain.only), ("grid", false));
        assert_eq!(parse_use("useful = 1"), None);
        assert_eq!(parse_use("interface"), None);
        let renamed = parse_use("use m, a => b").unwrap();
        assert_eq!(local_name(std::slice::from_ref(&renamed), "M", "b").as_deref(), Some("a"));
        assert_eq!(local_name(&[renamed], "m", "c").as_deref(), Some("c"));
        assert_eq!(local_name(&[u], "iso_fortran_env", "real32"), None);
    }
}
