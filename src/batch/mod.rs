//! Many files at once: `overbar batch`.
//!
//! Lives here: what a batch is made of, in the order of a run. Never here: how programs are differentiated (see `pipeline`).
//!
//! * `manifest`, `settings`, `plan`: what is asked for, as items that each have an output of their own
//! * `execute`: items on several threads, none of which can harm another
//! * `work`, `heads`: what is done to one item
//! * `journal`, `outcome`: what is finished, so that a later run goes on from there
//! * `progress`, `report`: what people and programs see of it

mod execute;
mod journal;
mod manifest;
mod outcome;
mod plan;
mod progress;
mod report;
mod settings;
mod work;

use crate::arguments;
use crate::console::files::{store, text_of};
use crate::console::overwriting::identity;
use crate::console::report::{Failed, Session};
use crate::pipeline::{self, certificate::hash};
use clap::ArgMatches;
use execute::{Manner, execute};
use journal::Journal;
use outcome::{Outcome, Stage, Status};
use plan::{Item, STATE, Shard};
use progress::Progress;
use report::Report;
use settings::Settings;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;
use work::{Product, Setting, blank, load, refused};
use xaif::Diagnostic;

/// Runs the command. `matches` are the same words as `a`, of which only those that were really given count as options of items.
pub fn run(session: &mut Session, a: &arguments::Batch, matches: &ArgMatches) -> Result<(), Failed> {
    let state = a.output.join(STATE);
    if a.merge {
        let report = report::merge(&a.output).map_err(|found| session.fail(found))?;
        return conclude(session, &report, &state);
    }
    let shard = part(a.shard.as_deref()).map_err(|d| {
        session.print([d]);
        Failed(2)
    })?;
    let items = items(session, a, matches)?;
    let sizes: Vec<u64> = items.iter().map(Item::size).collect();
    // Parts that have seen other sizes do not make a whole.
    let plan = hash(items.iter().flat_map(|i| [i.output.clone(), i.words.join("\n")]).chain(sizes.iter().map(u64::to_string)));
    let total = items.len();
    let own = shard.map(|s| s.of(&sizes));
    let items: Vec<Item> =
        items.into_iter().enumerate().filter(|(k, _)| own.as_ref().is_none_or(|own| own[*k])).map(|(_, item)| item).collect();
    let own = shard.map_or(state.clone(), |s| state.join(s.folder()));
    std::fs::create_dir_all(&own).map_err(|e| session.fail([crate::console::files::unwritten(&own, &e)]))?;
    let (journal, before) = Journal::open(&own, a.resume).map_err(|d| session.fail([d]))?;
    let unfinished = own.join(UNFINISHED);
    support(&unfinished).map_err(|d| session.fail([d]))?;
    let mut earlier = if a.resume { journal::others(&state, &own) } else { BTreeMap::new() };
    let noted: Vec<String> = before.keys().cloned().collect();
    earlier.extend(before);
    let batch = Batch {
        out: a.output.clone(),
        setting: Setting { runtime: unfinished.join(RUNTIME), tool: tool(), verify: a.verify, compilers: a.compilers.clone() },
        unfinished: unfinished.clone(),
        earlier,
    };
    let jobs = a.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let begun = Instant::now();
    let notes = Notes { folder: &own, journal, noted, progress: Progress::new(items.len(), session.format(), session.is_quiet()) };
    let manner = Manner { jobs, keep_going: a.keep_going };
    let done = execute(&items, manner, |item| notes.done(&batch, item), |item, why| notes.panicked(item, &why));
    notes.progress.finish();
    // Nobody needs it any more; what is left there the next run clears.
    let _ = std::fs::remove_dir_all(&unfinished);
    let done =
        done.map_err(|e| session.fail([Diagnostic::error("OB0149", format!("no threads to work with: {e}")).help("use fewer --jobs")]))?;
    let written = notes.journal.finish();
    let mut report = Report {
        tool: batch.setting.tool.clone(),
        plan,
        total,
        shard: shard.map(|s| format!("{}/{}", s.index, s.count)),
        jobs,
        seconds: begun.elapsed().as_secs_f64(),
        counts: BTreeMap::new(),
        items: items.iter().zip(done).map(|(item, o)| o.unwrap_or_else(|| blank(item))).collect(),
    };
    report.count();
    written.map_err(|e| session.fail([crate::console::files::unwritten(&own.join(journal::NAME), &e)]))?;
    conclude(session, &report, &own)
}

/// The part of the batch that is asked for.
fn part(text: Option<&str>) -> Result<Option<Shard>, Diagnostic> {
    let Some(text) = text else { return Ok(None) };
    let refused =
        || Diagnostic::error("OB0149", format!("`{text}` is no part of a batch")).help("write I/N with I from 1 to N, such as 2/8");
    Shard::parse(text).map(Some).ok_or_else(refused)
}

/// Where finished items are told, in the journal and to people.
struct Notes<'a> {
    /// The folder of the journal.
    folder: &'a Path,
    journal: Journal,
    /// What stands in this journal already, in order.
    noted: Vec<String>,
    progress: Progress,
}

impl Notes<'_> {
    /// Does an item and tells of it, and whether it failed.
    fn done(&self, batch: &Batch, item: &Item) -> (Outcome, bool) {
        let begun = Instant::now();
        let mut outcome = batch.item(item);
        outcome.seconds = begun.elapsed().as_secs_f64();
        let outcome = self.finished(outcome);
        let failed = outcome.status.is_failure();
        (outcome, failed)
    }

    /// Tells of an item that an error of this program ended.
    fn panicked(&self, item: &Item, why: &str) -> Outcome {
        let mut outcome = blank(item);
        outcome.status = Status::Panicked;
        outcome.say(&[Diagnostic::error("OB0148", format!("an internal error ended the work on {}: {why}", item.output))
            .because("an error of this program; nothing was written, and other items are not concerned")
            .help("please report it with the input")]);
        self.finished(outcome)
    }

    fn finished(&self, mut outcome: Outcome) -> Outcome {
        // What stands in this journal already is not said again.
        if !(outcome.resumed && self.noted.binary_search(&outcome.output).is_ok())
            && let Err(e) = self.journal.note(&outcome)
        {
            outcome.say(&[crate::console::files::unwritten(&self.folder.join(journal::NAME), &e)]);
            outcome = refused(outcome, Stage::Store);
        }
        self.progress.finished(&outcome);
        outcome
    }
}

/// Writes the report, and says how it ended.
fn conclude(session: &Session, report: &Report, folder: &Path) -> Result<(), Failed> {
    report::write(report, folder).map_err(|d| session.fail([d]))?;
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let said = writeln!(out, "{}; see {}", report.summary(), folder.join("report.html").display()).and_then(|()| out.flush());
    crate::console::files::printed(session, said)?;
    if report.failed() { Err(Failed(1)) } else { Ok(()) }
}

/// The items of the whole batch, in the order of their names.
fn items(session: &mut Session, a: &arguments::Batch, matches: &ArgMatches) -> Result<Vec<Item>, Failed> {
    let settings = Settings::from_matches(matches);
    let input: PathBuf = a.input.clone().unwrap_or_default();
    let misused = |session: &mut Session, found: Vec<Diagnostic>| {
        session.print(found);
        Failed(2)
    };
    let unread = |e: std::io::Error| Diagnostic::error("OB0101", format!("cannot read {}: {e}", input.display()));
    let name = input.display().to_string();
    let found = if input.is_dir() {
        plan::of_folder(&input, &a.output, &settings)
    } else if manifest::is_manifest(&input) {
        let text = std::fs::read(&input).map_err(unread).and_then(|bytes| text_of(&name, bytes)).map_err(|d| session.fail([d]))?;
        session.remember(&name, &text);
        manifest::read(&name, &text).and_then(|m| plan::of_manifest(&m, &input, &settings))
    } else {
        Err(vec![
            Diagnostic::error("OB0149", format!("{name} is neither a folder nor a manifest"))
                .help("give a folder, or a manifest whose name ends in .toml or .xml"),
        ])
    };
    let items = found.and_then(|items| plan::settled(items, &name)).map_err(|found| misused(session, found))?;
    if items.is_empty() {
        let d = Diagnostic::error("OB0149", format!("there is nothing to do in {name}"))
            .because("no file of C, Fortran or XAIF (.xaif) is in it or below it");
        return Err(misused(session, vec![d]));
    }
    let idle = pipeline::idle::everywhere(items.iter().map(|i| (&i.words[..], i.idle())));
    if !idle.is_empty() {
        return Err(misused(session, pipeline::idle::refused(idle)));
    }
    let inputs: BTreeSet<_> = items.iter().flat_map(|i| &i.files).filter_map(|f| identity(f)).collect();
    if let Some(item) = items.iter().find(|i| identity(&a.output.join(&i.output)).is_some_and(|o| inputs.contains(&o))) {
        let d = Diagnostic::error("OB0142", format!("the output {} would replace an input", item.output))
            .help("choose another output folder with -o");
        return Err(misused(session, vec![d]));
    }
    Ok(items)
}

/// Version and program of the tool: outputs of another one are not taken for its own.
fn tool() -> String {
    let program = std::env::current_exe().and_then(std::fs::read).map(|bytes| hash([bytes])).unwrap_or_default();
    format!("overbar {} {}", env!("CARGO_PKG_VERSION"), program.get(..16).unwrap_or("unknown"))
}

/// The folder, below that of the journal, for files that are not complete.
const UNFINISHED: &str = "unfinished";
/// The folder below it with the run-time support.
const RUNTIME: &str = "runtime";

/// Clears the folder for what is not complete, and writes the run-time support of both languages there.
fn support(unfinished: &Path) -> Result<(), Diagnostic> {
    let folder = unfinished.join(RUNTIME);
    let write = || -> std::io::Result<()> {
        if unfinished.exists() {
            std::fs::remove_dir_all(unfinished)?;
        }
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("overbar.h"), overbar_c::RUNTIME)?;
        std::fs::write(folder.join("overbar_runtime.f90"), overbar_fortran::RUNTIME)
    };
    write().map_err(|e| crate::console::files::unwritten(&folder, &e))
}

/// What all items of a run share.
struct Batch {
    /// The output folder.
    out: PathBuf,
    /// What items need to know.
    setting: Setting,
    /// Where files lie that are not complete.
    unfinished: PathBuf,
    /// What earlier runs did.
    earlier: BTreeMap<String, Outcome>,
}

impl Batch {
    /// Does an item, or finds it done.
    fn item(&self, item: &Item) -> Outcome {
        let loaded = match load(item, &self.setting) {
            Ok(loaded) => loaded,
            Err(d) => {
                let mut outcome = blank(item);
                outcome.say(&[d]);
                return refused(outcome, Stage::Open);
            }
        };
        let earlier = self.earlier.get(&item.output);
        if let Some(before) = earlier.filter(|b| b.key == loaded.key && self.is_there(b)) {
            return Outcome { resumed: true, ..before.clone() };
        }
        let (outcome, product) = work::work(item, loaded, &self.setting);
        match self.store(item, &outcome, &product) {
            Ok(()) => {
                if outcome.status != Status::Done && earlier.is_some_and(|b| self.is_there(b)) {
                    // What an earlier run wrote for an earlier input is no output of this one.
                    let _ = std::fs::remove_file(self.out.join(&item.output));
                }
                outcome
            }
            Err(d) => {
                let mut outcome = outcome;
                outcome.say(&[d]);
                refused(outcome, Stage::Store)
            }
        }
    }

    fn certificate(&self, output: &str) -> PathBuf {
        self.out.join(STATE).join("certificates").join(format!("{output}.json"))
    }

    /// Whether what an earlier run did is still there as it left it.
    fn is_there(&self, before: &Outcome) -> bool {
        match before.status {
            Status::Nothing => true,
            Status::Done => {
                let same = |c: &outcome::Content| std::fs::read(self.out.join(&before.output)).is_ok_and(|b| hash([b]) == c.hash);
                before.content.as_ref().is_some_and(same)
                    && (!self.setting.verify || before.verdict.is_none() || self.certificate(&before.output).is_file())
            }
            _ => false,
        }
    }

    /// Writes what was made: the certificate first, so that whoever sees the output can see it too.
    fn store(&self, item: &Item, outcome: &Outcome, product: &Product) -> Result<(), Diagnostic> {
        if outcome.status != Status::Done {
            return Ok(());
        }
        let certificate = product.certificate.as_ref().map(|text| (self.certificate(&item.output), text));
        let output = product.text.as_ref().map(|text| (self.out.join(&item.output), text));
        for (path, text) in certificate.into_iter().chain(output) {
            let folder = path.parent().unwrap_or(&self.out);
            std::fs::create_dir_all(folder).map_err(|e| crate::console::files::unwritten(folder, &e))?;
            store(&path, text, &self.unfinished)?;
        }
        Ok(())
    }
}
