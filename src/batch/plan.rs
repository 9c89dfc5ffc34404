//! From a folder or a manifest to the items of a batch.
//!
//! Lives here: which files are items, what their outputs are called, which shard they belong to. Never here: reading their contents.

use super::manifest::{Entry, Manifest};
use super::settings::Settings;
use crate::arguments::Choices;
use crate::pipeline::{self, idle, idle::Idle};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::path::{Component, Path, PathBuf};
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// Where a batch keeps journal, reports and certificates, below its output folder.
pub const STATE: &str = "overbar-batch";

/// Folders are not searched deeper than this.
const MAX_DEPTH: usize = 64;

/// One thing to do.
#[derive(Debug)]
pub struct Item {
    /// The output below the output folder, with `/` between its parts: the item's name.
    pub output: String,
    /// What is read, as diagnostics call it.
    pub files: Vec<PathBuf>,
    /// Its options as words, for its fingerprint.
    pub words: Vec<String>,
    /// Its options.
    pub choices: Choices,
    /// Where the manifest asks for it; 0: it was found in a folder.
    line: u32,
}

impl Item {
    /// The bytes of its files; of one that is not there, none.
    pub fn size(&self) -> u64 {
        self.files.iter().filter_map(|f| std::fs::metadata(f).ok()).map(|m| m.len()).sum()
    }

    /// Its options that do nothing for it. The dialect of a document is not known before it is read.
    pub fn idle(&self) -> Vec<Idle> {
        let files = || self.files.iter().map(PathBuf::as_path);
        let document = self.choices.language.is_none() && self.files.iter().all(|f| is_xaif(f));
        let language = if document { None } else { pipeline::language_of(files(), self.choices.language).ok() };
        if language.is_none() && !document {
            return Vec::new();
        }
        let mut out = idle::reading(&self.choices.reading, idle::kind(files(), language));
        let stock = self.choices.dialect == Some(crate::arguments::Dialect::Openad);
        out.extend(idle::derivatives(&self.choices.derivatives, stock, language));
        let writing = &self.choices.writing;
        out.extend(idle::without(&[
            (writing.no_primal && document, "no-primal", "no source text is written for XAIF"),
            (self.choices.dialect.is_some() && !document, "dialect", "no XAIF is written for source text"),
        ]));
        out
    }
}

/// The items of a folder: every C, Fortran and XAIF file in it and below it, without hidden ones and those in `out`.
///
/// # Errors
/// What is wrong with the options; a folder that cannot be read.
pub fn of_folder(folder: &Path, out: &Path, settings: &Settings) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let out = std::fs::canonicalize(out).ok();
    let mut items = Vec::new();
    let mut open = vec![(folder.to_owned(), 0usize)];
    while let Some((at, depth)) = open.pop() {
        let unread = |e: std::io::Error| vec![Diagnostic::error("OB0101", format!("cannot read {}: {e}", at.display()))];
        for entry in std::fs::read_dir(&at).map_err(unread)? {
            let entry = entry.map_err(unread)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(unread)?);
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            // Links to folders are not followed: they may lead back.
            if kind.is_dir() {
                let own = out.is_some() && std::fs::canonicalize(&path).ok() == out;
                if !own && depth < MAX_DEPTH {
                    open.push((path, depth + 1));
                }
            } else if (pipeline::is_source(&path) && !pipeline::is_header(&path) || is_xaif(&path)) && path.is_file() {
                let output = name_below(path.strip_prefix(folder).unwrap_or(&path));
                let choices = settings.choices("", 0).map_err(|d| vec![d])?;
                items.push(Item { output, files: vec![path], words: settings.words(), choices, line: 0 });
            }
        }
    }
    Ok(items)
}

fn is_xaif(path: &Path) -> bool {
    pipeline::extension(path).eq_ignore_ascii_case("xaif")
}

/// The items of a manifest. `settings` are those of the command line; `file` is the manifest, to whose folder its paths are relative.
///
/// # Errors
/// Patterns that match nothing, options that are none, with the manifest's line.
pub fn of_manifest(manifest: &Manifest, file: &Path, settings: &Settings) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let name = file.display().to_string();
    let defaults = settings.then(&manifest.defaults.clone().below(folder));
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    for entry in &manifest.items {
        let settings = defaults.then(&entry.settings.clone().below(folder));
        match found(entry, folder, &name) {
            Ok(found) => {
                for (output, files) in found {
                    match settings.choices(&name, entry.line) {
                        Ok(choices) => items.push(Item { output, files, words: settings.words(), choices, line: entry.line }),
                        Err(d) => problems.push(d),
                    }
                }
            }
            Err(d) => problems.push(d),
        }
    }
    problems.dedup();
    if problems.is_empty() { Ok(items) } else { Err(problems) }
}

/// Outputs and inputs that an entry means.
fn found(entry: &Entry, folder: &Path, manifest: &str) -> Result<Vec<(String, Vec<PathBuf>)>, Diagnostic> {
    let wrong = |message: String, help: &str| Diagnostic::error("OB0143", message).at(at(manifest, entry.line)).help(help);
    let default = |path: &Path| name_below(path.strip_prefix(folder).unwrap_or(path));
    if !entry.files.is_empty() {
        let files: Vec<PathBuf> = entry.files.iter().map(|f| folder.join(f)).collect();
        if let Some(missing) = files.iter().find(|f| !f.is_file()) {
            return Err(wrong(format!("there is no file {}", missing.display()), "paths are relative to the manifest's folder"));
        }
        let output = entry.output.clone().unwrap_or_else(|| files.first().map(|f| default(f)).unwrap_or_default());
        return Ok(vec![(output, files)]);
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    for pattern in &entry.inputs {
        let whole = Path::new(&glob::Pattern::escape(&folder.to_string_lossy())).join(pattern);
        let options = glob::MatchOptions { require_literal_separator: true, require_literal_leading_dot: true, case_sensitive: true };
        let list = glob::glob_with(&whole.to_string_lossy(), options);
        let list =
            list.map_err(|e| wrong(format!("`{pattern}` is no pattern: {e}"), "`*` and `?` match within a name, `**` any folders"))?;
        let mut matched = false;
        for path in list {
            let path = path.map_err(|e| Diagnostic::error("OB0101", format!("cannot read {}: {}", e.path().display(), e.error())))?;
            if path.is_file() {
                matched = true;
                if seen.insert(path.clone()) {
                    paths.push(path);
                }
            }
        }
        if !matched {
            return Err(wrong(format!("no file matches `{pattern}`"), "paths are relative to the manifest's folder"));
        }
    }
    if let Some(output) = &entry.output {
        if paths.len() > 1 {
            let message = format!("one output, {output}, for {} inputs", paths.len());
            return Err(wrong(message, "leave output out, or list the files of one program under files"));
        }
        return Ok(vec![(output.clone(), paths)]);
    }
    Ok(paths.into_iter().map(|p| (default(&p), vec![p])).collect())
}

fn at(manifest: &str, line: u32) -> Option<Location> {
    (line > 0).then(|| Location { file: manifest.to_owned(), line, column: 1, end_line: line, end_column: 2 })
}

/// A relative path as a name.
fn name_below(path: &Path) -> String {
    let parts = path.components().filter_map(|c| match c {
        Component::Normal(p) => Some(p.to_string_lossy().into_owned()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Puts items in the order of their names, and checks the names.
///
/// # Errors
/// OB0142: names that leave the output folder, that are the batch's own, that collide with each other or with a folder.
pub fn settled(mut items: Vec<Item>, manifest: &str) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    for i in &mut items {
        let path = Path::new(&i.output);
        let inside = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) && path.file_name().is_some();
        if !inside {
            let message = format!("the output `{}` is not below the output folder", i.output);
            problems.push(Diagnostic::error("OB0142", message).at(at(manifest, i.line)).help("give a relative name without `..`"));
        }
        i.output = name_below(path);
        if i.output.split('/').next() == Some(STATE) {
            let message = format!("the output `{}` lies where the batch keeps its own files", i.output);
            problems.push(Diagnostic::error("OB0142", message).at(at(manifest, i.line)).help("give it another name"));
        }
    }
    items.sort_by(|a, b| a.output.cmp(&b.output).then(a.line.cmp(&b.line)));
    let mut names: BTreeMap<&str, &Item> = BTreeMap::new();
    for i in &items {
        if let Some(other) = names.insert(&i.output, i) {
            let inputs = |i: &Item| i.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(" and ");
            let message = format!("two items write {}: that of {} and that of {}", i.output, inputs(other), inputs(i));
            let place = at(manifest, i.line.max(other.line));
            problems.push(Diagnostic::error("OB0142", message).at(place).help("give one of them another name with output"));
        }
    }
    for i in &items {
        let folders = i.output.match_indices('/').map(|(k, _)| &i.output[..k]);
        if let Some(other) = folders.filter_map(|f| names.get(f)).next() {
            let message = format!("the output {} would be a file and the folder of {}", other.output, i.output);
            problems
                .push(Diagnostic::error("OB0142", message).at(at(manifest, i.line.max(other.line))).help("give one of them another name"));
        }
    }
    if problems.is_empty() { Ok(items) } else { Err(problems) }
}

/// What an item takes whatever its size, in bytes of input that take as long.
const START: u64 = 2_000;

/// A part of a batch: the `index`-th of `count`, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

impl Shard {
    /// Reads `2/8`.
    pub fn parse(text: &str) -> Option<Shard> {
        let (index, count) = text.split_once('/')?;
        let (index, count) = (index.parse().ok()?, count.parse().ok()?);
        (1..=count).contains(&index).then_some(Shard { index, count })
    }

    /// Its folder below [`STATE`].
    pub fn folder(self) -> String {
        format!("shard-{}-of-{}", self.index, self.count)
    }

    /// Whether each of the items, which have so many bytes, is its: the largest come first, and each goes to the part that has least until then. All parts
    /// find the same.
    pub fn of(self, sizes: &[u64]) -> Vec<bool> {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&k| Reverse(sizes[k]));
        let mut parts: BinaryHeap<Reverse<(u64, usize)>> = (0..self.count.min(sizes.len())).map(|part| Reverse((0, part))).collect();
        let mut its = vec![false; sizes.len()];
        for k in order {
            let Some(Reverse((load, part))) = parts.pop() else { break };
            its[k] = part == self.index - 1;
            parts.push(Reverse((load + sizes[k] + START, part)));
        }
        its
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn parts_have_sizes_that_are_near_to_each_other() {
        let sizes: Vec<u64> = (0..40).map(|k| if k % 4 == 0 { 90_000 } else { 10_000 + k * 100 }).collect();
        let parts: Vec<Vec<bool>> = (1..=4).map(|index| Shard { index, count: 4 }.of(&sizes)).collect();
        for k in 0..sizes.len() {
            assert_eq!(parts.iter().filter(|p| p[k]).count(), 1, "each item has one part");
        }
        let loads: Vec<u64> = parts.iter().map(|p| p.iter().zip(&sizes).filter(|(own, _)| **own).map(|(_, s)| s).sum()).collect();
        let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
        assert!(100 * most <= 110 * least, "{loads:?}");
        // More parts than items: some have nothing to do.
        assert_eq!((1..=9).filter(|&index| Shard { index, count: 9 }.of(&[5, 6]).contains(&true)).count(), 2);
    }
}
