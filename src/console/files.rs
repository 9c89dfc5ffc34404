//! Files in and out: `-` is standard input, output files are written whole or not at all.

use super::desk::Desk;
use super::overwriting;
use super::report::{Failed, Session};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use xaif::{Diagnostic, Program};

/// The name by which diagnostics call a file.
pub fn display_name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file or of standard input.
pub fn read_bytes(session: &mut Session, path: &Path) -> Result<Vec<u8>, Failed> {
    session.takes_in(path);
    let result = if let Some(desk) = session.desk() {
        desk.borrow().read(&path.display().to_string())
    } else if is_stdin(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        read_file(path)
    };
    result.map_err(|e| session.fail([Diagnostic::error("OB0101", format!("cannot read {}: {e}", display_name(path)))]))
}

/// So many bytes are worth being read by somebody else.
#[cfg(unix)]
const PIECE: usize = 8 << 20;

/// The bytes of a file; large ones are read by all processors.
#[cfg(unix)]
fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::open(path)?;
    let about = file.metadata()?;
    let length = usize::try_from(about.len()).unwrap_or(0);
    if !about.is_file() || length < 2 * PIECE {
        return std::fs::read(path);
    }
    let mut bytes = vec![0; length];
    let pieces = bytes.chunks_mut(PIECE).enumerate().collect();
    let read = xaif::spread::over(pieces, |(k, piece): (usize, &mut [u8])| file.read_exact_at(piece, (k * PIECE) as u64));
    read.into_iter().collect::<std::io::Result<()>>()?;
    Ok(bytes)
}

#[cfg(not(unix))]
fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// The text of a source file, remembered for the snippets of diagnostics.
pub fn read_source(session: &mut Session, path: &Path) -> Result<String, Failed> {
    let bytes = read_bytes(session, path)?;
    let text = source_of(&display_name(path), bytes).map_err(|d| session.fail([d]))?;
    session.remember(&display_name(path), &text);
    Ok(text)
}

/// Bytes as source text, whatever the encoding of its comments (see [`xaif::bytes`]).
///
/// # Errors
/// OB0102 where they are no text.
pub fn source_of(name: &str, mut bytes: Vec<u8>) -> Result<String, Diagnostic> {
    // Editors put it there; it says nothing.
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    xaif::bytes::text(bytes).map_err(|(bytes, first)| no_text(name, &bytes[..first]))
}

/// The text of a file, remembered for the snippets of diagnostics.
pub fn read_text(session: &mut Session, path: &Path) -> Result<String, Failed> {
    let bytes = read_bytes(session, path)?;
    let text = text_of(&display_name(path), bytes).map_err(|d| session.fail([d]))?;
    session.remember(&display_name(path), &text);
    Ok(text)
}

/// Bytes as text.
///
/// # Errors
/// OB0102 with the place of the first that is none.
pub fn text_of(name: &str, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    String::from_utf8(bytes).map_err(|e| no_text(name, &e.as_bytes()[..e.utf8_error().valid_up_to()]))
}

/// OB0102 behind these bytes.
fn no_text(name: &str, before: &[u8]) -> Diagnostic {
    let line = before.iter().filter(|&&b| b == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|&&b| b != b'\n').count() as u32 + 1;
    let location = xaif::diagnostic::Location { file: name.to_owned(), line, column, end_line: line, end_column: column + 1 };
    Diagnostic::error("OB0102", "the file is not UTF-8 text").at(location).help("convert it, for instance with `iconv -f latin1 -t utf-8`")
}

/// Writes a file whole or not at all; what is not complete lies in a folder of the same file system.
///
/// # Errors
/// OB0103 with the words of the system.
pub fn store(path: &Path, text: &str, unfinished: &Path) -> Result<(), Diagnostic> {
    let content = if crate::pipeline::is_source(path) { Content::Source(text) } else { Content::Text(text) };
    let stored = prepared(path, unfinished, content).and_then(|file| file.persist(path).map(drop).map_err(|e| e.error));
    stored.map_err(|e| unwritten(path, &e))
}

/// OB0103.
pub fn unwritten(path: &Path, e: &std::io::Error) -> Diagnostic {
    Diagnostic::error("OB0103", format!("cannot write {}: {e}", path.display()))
}

/// What a file shall hold.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// Text.
    Text(&'a str),
    /// Source text, in the bytes that the user's comments had.
    Source(&'a str),
    /// A program as XAIF.
    Xaif(&'a Program),
}

impl Content<'_> {
    fn write_to(self, out: &mut dyn Write) -> std::io::Result<()> {
        match self {
            Content::Text(text) => out.write_all(text.as_bytes())?,
            Content::Source(text) => out.write_all(&xaif::bytes::bytes(text))?,
            Content::Xaif(program) => xaif::write::write_to(program, out)?,
        }
        out.flush()
    }
}

/// One output: what goes where. `None` is standard output.
pub struct Target<'a> {
    /// The file.
    pub path: Option<&'a Path>,
    /// What it shall hold.
    pub content: Content<'a>,
}

/// Writes all targets. Every file is completed beside its place before the first one is moved there, and before anything is printed.
///
/// # Errors
/// OB0111 where two outputs have one place, OB0112 where one has that of an input, OB0103 where one cannot be written.
pub fn write_all(session: &mut Session, targets: &[Target]) -> Result<(), Failed> {
    if let Some(path) = twice(targets) {
        let d = Diagnostic::error("OB0111", format!("two outputs are to be written to {}", path.display()));
        session.print([d.help("give each of them a file of its own")]);
        return Err(Failed(2));
    }
    if let Some(desk) = session.desk() {
        return place(&mut desk.borrow_mut(), targets).map_err(|e| session.fail([unwritten(Path::new("an answer"), &e)]));
    }
    let paths = targets.iter().filter_map(|t| t.path.filter(|p| !is_stdin(p)));
    if let Some(d) = overwriting::refusal(paths, session.inputs(), session.included_folders()) {
        session.print([d]);
        return Err(Failed(2));
    }
    let files = || targets.iter().filter_map(|t| Some((t.path.filter(|p| !is_stdin(p))?, t.content)));
    let mut ready = Vec::new();
    for (path, content) in files().filter(|(path, _)| !is_special(path)) {
        let file = prepare(path, content).map_err(|e| cannot_write(session, path, &e))?;
        ready.push((path, file));
    }
    // A device or a pipe takes what it is given; a file put in its place would be another thing.
    for (path, content) in files().filter(|(path, _)| is_special(path)) {
        let opened = std::fs::OpenOptions::new().write(true).open(path);
        opened.and_then(|mut f| content.write_to(&mut f)).map_err(|e| cannot_write(session, path, &e))?;
    }
    for target in targets.iter().filter(|t| t.path.is_none_or(is_stdin)) {
        let written = target.content.write_to(&mut std::io::stdout().lock());
        printed(session, written)?;
    }
    for (path, file) in ready {
        file.persist(path).map_err(|e| cannot_write(session, path, &e.error))?;
        session.tells(|| format!("wrote {}", path.display()));
    }
    Ok(())
}

/// Makes a folder for outputs, with those around it.
///
/// # Errors
/// OB0103 where it cannot be made.
pub fn make_folder(session: &mut Session, folder: &Path) -> Result<(), Failed> {
    if session.desk().is_some() {
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|e| cannot_write(session, folder, &e))
}

/// What came of writing to standard output.
///
/// # Errors
/// Without a word where nobody reads it any more (`| head`), else with OB0103.
pub fn printed(session: &Session, written: std::io::Result<()>) -> Result<(), Failed> {
    written.map_err(|e| match e.kind() {
        std::io::ErrorKind::BrokenPipe => Failed(1),
        _ => session.fail([unwritten(Path::new("standard output"), &e)]),
    })
}

/// A place that two targets have.
fn twice<'a>(targets: &[Target<'a>]) -> Option<&'a Path> {
    // The same file may have several names; one that does not exist yet is told by its folder.
    let place = |path: &Path| {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::canonicalize(path)
            .or_else(|_| std::fs::canonicalize(folder).map(|f| f.join(path.file_name().unwrap_or_default())))
            .unwrap_or_else(|_| path.to_owned())
    };
    let mut seen: Vec<PathBuf> = Vec::new();
    targets.iter().filter_map(|t| t.path.filter(|p| !is_stdin(p) && !is_special(p))).find(|path| {
        let place = place(path);
        let again = seen.contains(&place);
        seen.push(place);
        again
    })
}

/// Puts all targets on a desk.
fn place(desk: &mut Desk, targets: &[Target]) -> std::io::Result<()> {
    for target in targets {
        let mut bytes = Vec::new();
        target.content.write_to(&mut bytes)?;
        match target.path.filter(|p| !is_stdin(p)) {
            Some(path) => drop(desk.written.insert(path.display().to_string(), bytes)),
            None => desk.output.append(&mut bytes),
        }
    }
    Ok(())
}

/// Whether there is something at that place that is neither a file nor a folder.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

fn cannot_write(session: &mut Session, path: &Path, e: &std::io::Error) -> Failed {
    session.fail([unwritten(path, e)])
}

fn prepare(path: &Path, content: Content) -> std::io::Result<tempfile::NamedTempFile> {
    prepared(path, path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")), content)
}

/// A file that is complete, but lies in a folder where it does not stay.
fn prepared(path: &Path, folder: &Path, content: Content) -> std::io::Result<tempfile::NamedTempFile> {
    if path.is_dir() {
        return Err(std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".overbar-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any program would create it: the user's mask takes away what it has to.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // The name of a file that nobody asked for is nobody's business: a folder that is not there is told as the system tells it.
    std::fs::metadata(folder)?;
    let mut file = builder.tempfile_in(folder).map_err(|e| std::io::Error::from(e.kind()))?;
    content.write_to(&mut file)?;
    Ok(file)
}
