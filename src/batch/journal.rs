//! The journal of a batch: one line for each item that is finished.
//!
//! Lives here: its lines, and what a later run learns from them. Never here: what is done.
//!
//! A line is written with one call and never changed. A process that is killed leaves at most one line that is not complete, which the next run cuts
//! off. What stands in a line is believed only as far as hashes confirm it, so nothing depends on the order in which files reached the disk.

use super::outcome::Outcome;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;
use xaif::Diagnostic;

/// The name of the file.
pub const NAME: &str = "journal.jsonl";

/// An open journal.
pub struct Journal {
    file: Mutex<File>,
}

impl Journal {
    /// Opens the journal of a batch in its folder: empty, or with what was done before.
    ///
    /// # Errors
    /// OB0103; OB0144 where another process is writing it.
    pub fn open(folder: &Path, resume: bool) -> Result<(Journal, BTreeMap<String, Outcome>), Diagnostic> {
        let path = folder.join(NAME);
        let unwritten = |e: std::io::Error| crate::console::files::unwritten(&path, &e);
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(unwritten)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(Diagnostic::error("OB0144", format!("another batch is writing {}", path.display()))
                    .because("two processes would do the same items")
                    .help("wait for it, split the batch with --shard, or choose another output folder"));
            }
            // Some file systems know no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut before = BTreeMap::new();
        if resume {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(unwritten)?;
            let complete = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1);
            before = lines(&bytes[..complete]);
            file.set_len(complete as u64).map_err(unwritten)?;
            file.seek(SeekFrom::End(0)).map_err(unwritten)?;
        } else {
            file.set_len(0).map_err(unwritten)?;
        }
        Ok((Journal { file: Mutex::new(file) }, before))
    }

    /// Notes that an item is finished.
    ///
    /// # Errors
    /// What the system says.
    pub fn note(&self, outcome: &Outcome) -> std::io::Result<()> {
        let mut line = serde_json::to_string(outcome)?;
        line.push('\n');
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.flush()
    }

    /// Everything is on the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(&self) -> std::io::Result<()> {
        self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner).sync_all()
    }
}

/// What lines say; the last one about an item counts, and lines that say nothing are passed over.
fn lines(bytes: &[u8]) -> BTreeMap<String, Outcome> {
    let found = bytes.split(|&b| b == b'\n').filter_map(|l| serde_json::from_slice::<Outcome>(l).ok());
    found.map(|o| (o.output.clone(), o)).collect()
}

/// What the journals of all shards below a folder say, this one's excepted.
pub fn others(state: &Path, own: &Path) -> BTreeMap<String, Outcome> {
    let mut folders: Vec<_> = std::fs::read_dir(state).into_iter().flatten().flatten().map(|e| e.path()).collect();
    folders.push(state.to_owned());
    folders.sort();
    let mut out = BTreeMap::new();
    for folder in folders.iter().filter(|f| *f != own) {
        if let Ok(bytes) = std::fs::read(folder.join(NAME)) {
            out.extend(lines(&bytes));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::outcome::Status;

    #[test]
    fn a_line_that_was_cut_off_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = |name: &str| Outcome { output: name.into(), status: Status::Done, ..Outcome::default() };
        let (j, before) = Journal::open(folder.path(), true).unwrap();
        assert!(before.is_empty());
        j.note(&outcome("a")).unwrap();
        j.note(&outcome("b")).unwrap();
        assert_eq!(Journal::open(folder.path(), true).err().map(|d| d.code), Some("OB0144"));
        drop(j);
        let path = folder.path().join(NAME);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
        let (j, before) = Journal::open(folder.path(), true).unwrap();
        assert_eq!(before.keys().collect::<Vec<_>>(), ["a"]);
        j.note(&outcome("c")).unwrap();
        drop(j);
        let (_, before) = Journal::open(folder.path(), true).unwrap();
        assert_eq!(before.keys().collect::<Vec<_>>(), ["a", "c"]);
        drop(Journal::open(folder.path(), false).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }
}
