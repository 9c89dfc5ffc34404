//! Outputs that would replace what the command has read.
//!
//! Lives here: which files are one, whatever their names. Never here: writing.

use super::included;
use std::path::{Path, PathBuf};
use xaif::Diagnostic;

/// What tells a file from all others; `None` for what is no file: a device may be read and written.
#[cfg(unix)]
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|m| (m.dev(), m.ino()))
}

/// What tells a file from all others.
#[cfg(not(unix))]
pub fn identity(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok().filter(|p| p.is_file())
}

/// OB0112 where one of these outputs is an input, or a file that an input includes.
pub fn refusal<'a>(outputs: impl IntoIterator<Item = &'a Path>, inputs: &[PathBuf], folders: &[String]) -> Option<Diagnostic> {
    // Most outputs are not there yet.
    let outputs: Vec<_> = outputs.into_iter().filter_map(|path| Some((path, identity(path)?))).collect();
    if outputs.is_empty() {
        return None;
    }
    let is_read = |file: &Path| outputs.iter().find(|(_, id)| identity(file).as_ref() == Some(id)).map(|(path, _)| *path);
    let included = || included::files(inputs, folders).into_iter().find_map(|file| Some((is_read(&file)?, "an included file")));
    let (path, what) = inputs.iter().find_map(|file| Some((is_read(file)?, "an input"))).or_else(included)?;
    let message = format!("the output {} would replace {what}", path.display());
    let d = Diagnostic::error("OB0112", message)
        .because("what it is made from would be lost, and a second run would differentiate derivatives");
    Some(d.help("write it to a file of another name"))
}
