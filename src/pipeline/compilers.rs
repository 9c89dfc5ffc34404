//! Compiling generated code and running it, for certificates.
//!
//! Lives here: back ends, temporary folders, compilers and processes. Never here: what is compared.

use crate::arguments::{self, Language};
use crate::pipeline::{language_from, unparse_with_origins};
use overbar::evaluate::Fault;
use overbar::verify::compiled::{Compiled, Layout};
use overbar::verify::messages::{self, COUNTING, Message};
use overbar::verify::opened::opened;
use overbar::verify::{Built, Place, Workshop, harness_c, harness_fortran, reduced};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use xaif::lined::Origin;
use xaif::model::{ScopeId, SymbolKind, UnitKind};
use xaif::unparsed::UnparsedFile;
use xaif::{Diagnostic, Program};

/// A run of compiled code that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A compiler with its options.
pub struct Compiler {
    /// The language of the generated code.
    pub language: Language,
    /// The command.
    pub command: String,
    /// Further options: folders of included files, macros.
    pub flags: Vec<String>,
    /// Those of single files, by the names of the files that were read.
    pub of_files: Vec<(String, Vec<String>)>,
    /// Extension of the generated file.
    pub extension: String,
    /// Levels of optimization.
    pub levels: Vec<u8>,
    /// One generated file for each that was read.
    pub apart: bool,
    /// The names of files that are in free form.
    pub free: Vec<String>,
}

/// The levels of optimization where nothing is said.
pub const LEVELS: [u8; 2] = [0, 2];

/// What goes for all files.
const COMMON: [&str; 1] = ["-ffp-contract=off"];
/// What the head does not reach need not be there.
const SECTIONS: [&str; 2] = ["-ffunction-sections", "-fdata-sections"];

impl Compiler {
    /// The compiler of the language that a program came from, with the folders of its files.
    pub fn of(
        program: &Program,
        files: &[PathBuf],
        reading: &arguments::Reading,
        compilers: &arguments::Compilers,
        levels: &[u8],
    ) -> Compiler {
        let source = program.sources.first();
        let language = language_from(program);
        let mut flags: Vec<String> = Vec::from_iter((reading.cpp && language == Language::Fortran).then(|| "-cpp".to_owned()));
        let absolute = |p: &Path| std::path::absolute(p).unwrap_or_else(|_| p.to_owned());
        for file in files {
            let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let folder = absolute(folder).display().to_string();
            // What is included in quotes is looked for there before all other folders.
            if language == Language::C {
                flags.extend(["-iquote".to_owned(), folder.clone()]);
            }
            flags.push(format!("-I{folder}"));
        }
        flags.extend(reading.include.iter().map(|i| format!("-I{}", absolute(Path::new(i)).display())));
        flags.extend(reading.define.iter().map(|d| format!("-D{d}")));
        flags.extend(reading.undefine.iter().map(|u| format!("-U{u}")));
        flags.extend(reading.include_first.iter().flat_map(|i| ["-include".to_owned(), absolute(Path::new(i)).display().to_string()]));
        flags.extend(reading.std.iter().map(|s| format!("-std={s}")).filter(|s| has_what_is_generated(s)));
        flags.extend(reading.assumed.iter().map(|i| format!("-I{}", absolute(Path::new(i)).display())));
        let given = source.and_then(|s| Path::new(&s.file).extension()).and_then(|e| e.to_str()).map(str::to_owned);
        let extension = match (language == Language::C, source.is_some_and(|s| s.fixed_form)) {
            (true, _) => "c".to_owned(),
            (false, true) => given.filter(|e| e.starts_with(['f', 'F']) && e.len() < 4 && !e.ends_with("90")).unwrap_or_else(|| "f".into()),
            // A preprocessor goes by the first letter, whatever the form.
            (false, false) => match given {
                Some(e) if e.starts_with(['f', 'F']) && e.len() == 3 && !has_fixed_form(&format!("a.{e}")) => e,
                Some(e) if e.starts_with('F') => "F90".into(),
                _ => "f90".into(),
            },
        };
        let (named, usual) = if language == Language::C { (&compilers.cc, "cc") } else { (&compilers.fc, "gfortran") };
        let command = named.clone().unwrap_or_else(|| usual.to_owned());
        let mut levels = levels.to_vec();
        levels.sort_unstable();
        levels.dedup();
        let free = program.sources.iter().filter(|s| !s.fixed_form).map(|s| s.file.clone()).collect();
        Compiler { language, command, flags, of_files: reading.of_files.clone(), extension, levels, apart: false, free }
    }

    /// The same, for what is written as one file for each that was read, or not.
    pub fn apart(self, apart: bool) -> Compiler {
        Compiler { apart, ..self }
    }

    /// The generated text.
    pub fn generate(&self, program: &Program) -> Result<String, Vec<Diagnostic>> {
        Ok(self.files(program)?.iter().map(|f| f.source.as_str()).collect())
    }

    fn files(&self, program: &Program) -> Result<Vec<UnparsedFile>, Vec<Diagnostic>> {
        unparse_with_origins(self.language, program, self.apart)
    }

    /// The names of generated files in the folder where they are compiled.
    fn names(&self, files: &[UnparsedFile], stem: &str) -> Vec<String> {
        // The form is what the text looks like, whatever its name says.
        let extension = |f: &UnparsedFile| {
            let free = self.free.contains(&f.file);
            let given = Path::new(&f.file).extension().map(|e| e.to_string_lossy().into_owned());
            given.map(|e| if free && has_fixed_form(&f.file) { format!("{}90", &e[..1]) } else { e })
        };
        let named = files.iter().enumerate().map(|(k, f)| match files.len() {
            1 => format!("{stem}.{}", self.extension),
            _ => format!("{stem}_{}.{}", k + 1, extension(f).unwrap_or_else(|| self.extension.clone())),
        });
        named.collect()
    }

    /// Folders of included files and modules.
    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.flags.iter().filter_map(|f| f.strip_prefix("-I")).map(Path::new)
    }

    /// Runs the compiler. What it says, and whether it was content.
    fn compile(&self, folder: &Path, arguments: &[&str]) -> Result<(bool, String), Diagnostic> {
        let mut command = Command::new(&self.command);
        // Messages are read.
        command.args(arguments).args(&self.flags).current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C");
        let output = command.output().map_err(|e| {
            Diagnostic::warning("OB6067", format!("the compiler `{}` cannot be started: {e}", self.command))
                .because("compiled code was not checked; what the interpreter checked stands")
                .help("name another one with --cc or --fc, or give --run interpreter")
        })?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// Texts with what it takes to compile them, in files of their own.
    fn write(&self, folder: &Path, layout: &Layout, files: Vec<UnparsedFile>) -> Result<Made, Diagnostic> {
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), xaif::bytes::bytes(text))
                .map_err(|e| Diagnostic::warning("OB6068", format!("cannot write a temporary file: {e}")))
        };
        let names = self.names(&files, "generated");
        for (name, file) in names.iter().zip(&files) {
            write(name, &file.source)?;
        }
        let generated: Vec<(String, Vec<Origin>)> = names.iter().cloned().zip(files.iter().map(|f| f.origins.clone())).collect();
        if self.language == Language::C {
            // The driver includes the file of the head, where what is private to it can be reached.
            let head = layout.subject.program.unit(layout.subject.unit).span.source;
            let home = layout.subject.program.sources.get(head.index()).map_or("", |s| s.file.as_str());
            let included = files.iter().position(|f| f.file == home).unwrap_or(0);
            let text = &files[included].source;
            write("overbar.h", overbar_c::RUNTIME)?;
            write("driver.c", &harness_c::driver(layout, &names[included], text, files.len() > 1)?)?;
            for (k, (name, file)) in names.iter().zip(&files).enumerate() {
                let own = self.of_files.iter().find(|(f, _)| *f == file.file).map_or(&[][..], |(_, list)| list);
                let list: String = own.iter().filter(|o| has_what_is_generated(o)).map(|o| format!("{}\n", quoted(o))).collect();
                if !list.is_empty() {
                    write(&flags_of(if k == included { "driver.c" } else { name }), &list)?;
                }
            }
            let mut compiled = names;
            compiled[included] = "driver.c".into();
            let asserts = files.iter().any(|f| f.source.contains("assert"));
            return Ok(Made { files: compiled, generated, asserts });
        }
        let records = files.iter().any(|f| f.source.to_ascii_lowercase().contains("overbar_runtime"));
        write("overbar_runtime.f90", overbar_fortran::RUNTIME)?;
        let (driver, private) = harness_fortran::driver(layout, records)?;
        write("driver.f90", &format!("{driver}{}", overbar_fortran::drawn_procedures(layout.boosted)))?;
        let given = |module: &str| self.folders().any(|f| f.join(format!("{module}.mod")).exists());
        let is_file = |name: &str| self.folders().any(|f| f.join(name).exists());
        let texts: Vec<(&str, bool)> = names.iter().zip(&files).map(|(n, f)| (f.source.as_str(), has_fixed_form(n))).collect();
        let reduced = reduced::reduced(&texts, &head_and_derivatives(layout), &given, &is_file);
        let mut modules = None;
        if let Some(reduced) = &reduced {
            write("missing_modules.f90", &reduced.modules)?;
            modules = Some("missing_modules.f90".to_owned());
        }
        if reduced.is_some() || !private.is_empty() {
            for (k, (name, file)) in names.iter().zip(&files).enumerate() {
                let text = reduced.as_ref().map_or(&file.source, |r| &r.texts[k]);
                write(name, &opened(text, &private))?;
            }
        }
        let runtime = records.then(|| "overbar_runtime.f90".to_owned());
        let all = runtime.into_iter().chain(modules).chain(names).chain(["driver.f90".into()]);
        Ok(Made { files: all.collect(), generated, asserts: false })
    }

    /// The options for a file.
    fn options(&self, name: &str) -> Vec<&'static str> {
        let mut out: Vec<&str> = COMMON.into();
        if cfg!(target_os = "linux") {
            out.extend(SECTIONS);
        }
        match (self.language, name) {
            (Language::C, _) => {
                out.extend(COUNTING.into_iter().filter(|w| !w.contains("dummy") && !w.contains("sometimes")));
                // The user's main program is not the one to be run.
                out.extend((name != "driver.c").then_some("-Dmain=ob_h_user_main"));
            }
            (_, "overbar_runtime.f90" | "missing_modules.f90") => out.push("-w"),
            (_, "driver.f90") => out.extend(["-w", "-ffree-line-length-none"]),
            _ => out.extend([
                "-fallow-argument-mismatch",
                "-Wuninitialized",
                "-Wmaybe-uninitialized",
                "-Wunused-dummy-argument",
                "-Wreturn-type",
            ]),
        }
        out
    }

    /// Compiles the files, each by itself. The messages of those that were taken, or of the first that was not.
    fn objects(&self, folder: &Path, files: &[String], options: &[&str]) -> Result<Result<String, String>, Diagnostic> {
        let mut said = String::new();
        for file in files {
            let own = flags_of(file);
            let own = Some(format!("@{own}")).filter(|_| folder.join(&own).exists());
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let (good, text) =
                self.compile(folder, &[&self.options(file)[..], &own, options, &["-c", file, "-o", &object(file)]].concat())?;
            if !good {
                return Ok(Err(text));
            }
            said.push_str(&text);
        }
        Ok(Ok(said))
    }

    /// Whether the original is taken without what was made.
    fn takes_original(&self, folder: &Path, layout: &Layout) -> bool {
        let Ok(files) = self.files(layout.subject.program) else { return false };
        let names = self.names(&files, "original");
        let written = names.iter().zip(&files).all(|(name, f)| std::fs::write(folder.join(name), xaif::bytes::bytes(&f.source)).is_ok());
        written && self.objects(folder, &names, &["-O0"]).is_ok_and(|made| made.is_ok())
    }

    /// What to say where the files are not taken: an objection if that is for what was made; else there is nothing to run.
    fn refused(&self, folder: &Path, layout: &Layout, made: &Made, said: &str) -> Result<Vec<Place>, Diagnostic> {
        let messages = messages::read(said);
        let first = messages.iter().find(|m| m.error).map_or_else(|| said.lines().next().unwrap_or("without a word").trim(), |m| &m.text);
        let names: Vec<String> = made.generated.iter().map(|g| g.0.clone()).collect();
        let alone = || self.objects(folder, &names, &["-O0"]).is_ok_and(|made| made.is_ok());
        if (self.language == Language::C && alone()) || !messages.iter().any(|m| m.error && names.contains(&m.file)) {
            return Err(Diagnostic::warning(
                "OB6068",
                format!("`{}` does not compile the harness of generated code: {first}", self.command),
            )
            .because("compiled code was not run; what the interpreter checked stands"));
        }
        if !self.takes_original(folder, layout) {
            return Err(Diagnostic::warning("OB6068", format!("`{}` does not compile the original: {first}", self.command))
                .because("compiled code was not checked; what the interpreter checked stands"));
        }
        Ok(made.objections(&messages, layout.boosted))
    }

    /// Compiles and links at a level. What is said against what was made; `None` where it is not taken at all.
    fn prepare(&self, folder: &Path, layout: &Layout, made: &Made, level: u8) -> Result<(bool, Vec<Place>), Diagnostic> {
        let option = format!("-O{level}");
        let said = match self.objects(folder, &made.files, &[&option])? {
            Ok(said) => said,
            Err(said) => return Ok((false, self.refused(folder, layout, made, &said)?)),
        };
        // Drawn inputs need not be those that the program asserts, and what it asserts has no derivative.
        if made.asserts && self.objects(folder, &made.files, &[&option, "-DNDEBUG", "-w"])?.is_err() {
            self.objects(folder, &made.files, &[&option])?.ok();
        }
        let objects: Vec<String> = made.files.iter().map(|f| object(f)).collect();
        let output = format!("run{level}");
        let mut link: Vec<&str> = objects.iter().map(String::as_str).chain(["-o", &output, "-lm"]).collect();
        if cfg!(target_os = "linux") {
            link.push("-Wl,--gc-sections");
        }
        // The user's main program is not the one to be run: the first one counts.
        if self.language == Language::Fortran && layout.boosted.units.iter().any(|u| u.kind == UnitKind::Main) {
            link.push("-Wl,--allow-multiple-definition");
        }
        let (mut good, mut text) = self.compile(folder, &link)?;
        let undefined_names = |text: &str| undefined(text).map(str::to_owned).collect::<BTreeSet<String>>();
        let mut missing = undefined_names(&text);
        // `inline` alone defines nothing that another file could call: what is not written into its callers is missing then.
        let has_text = |m: &String| layout.boosted.units.iter().any(|u| layout.boosted.symbol(u.symbol).name == *m);
        if self.language == Language::C && !good && missing.iter().any(has_text) {
            let more: &[&str] = if made.asserts { &["-DNDEBUG", "-w"] } else { &[] };
            if self.objects(folder, &made.files, &[&[option.as_str(), "-fgnu89-inline"][..], more].concat())?.is_ok() {
                (good, text) = self.compile(folder, &link)?;
                missing = undefined_names(&text);
            }
        }
        // The head may call what is not there on ways that it does not take.
        if !good && !missing.is_empty() && missing.iter().all(|m| is_function(layout.subject.program, m)) {
            let written = std::fs::write(folder.join("missing.c"), missing.iter().map(|m| missing_function(m)).collect::<String>());
            if written.is_ok() && self.compile(folder, &["-w", "-fno-builtin", "-c", "missing.c", "-o", "missing.o"])?.0 {
                link.push("missing.o");
                (good, text) = self.compile(folder, &link)?;
            }
        }
        if !good {
            let missing = undefined(&text).next();
            let why = missing.map_or_else(|| text.lines().next().unwrap_or("").trim().to_owned(), |m| format!("`{m}` is not there"));
            return Err(Diagnostic::warning("OB6068", format!("generated code cannot be linked with its harness: {why}"))
                .because("compiled code was not run; what the interpreter checked stands"));
        }
        Ok((true, made.objections(&messages::read(&said), layout.boosted)))
    }
}

/// Whether the name of a file says that its text is in fixed form.
fn has_fixed_form(file: &str) -> bool {
    let extension = Path::new(file).extension().and_then(|e| e.to_str()).unwrap_or_default();
    ["f", "for", "f77", "ftn"].iter().any(|k| k.eq_ignore_ascii_case(extension))
}

/// The names of what a driver calls.
fn head_and_derivatives(layout: &Layout) -> BTreeSet<String> {
    let derived = layout.modes().map(|(.., map)| layout.boosted.unit_name(map.unit));
    let head = layout.subject.program.unit_name(layout.subject.unit);
    derived.chain([head]).map(str::to_ascii_lowercase).collect()
}

/// What is to be compiled.
struct Made {
    /// The files, those first that others need.
    files: Vec<String>,
    /// The generated ones, with the origins of their lines.
    generated: Vec<(String, Vec<Origin>)>,
    /// Some of them may have assertions.
    asserts: bool,
}

impl Made {
    /// What is said against the generated files.
    fn objections(&self, messages: &[Message], boosted: &Program) -> Vec<Place> {
        self.generated.iter().flat_map(|(name, origins)| messages::objections(messages, name, origins, boosted)).collect()
    }
}

/// The names that a linker misses.
fn undefined(said: &str) -> impl Iterator<Item = &str> {
    said.lines().filter_map(|l| l.split_once("undefined reference to ")).map(|p| p.1.trim_matches(['`', '\'', '"']))
}

/// Whether a name can only be that of a function.
fn is_function(program: &Program, name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain && !program.symbols.iter().any(|s| s.kind != SymbolKind::Subroutine && s.scope == ScopeId(0) && s.name == name)
}

/// What a stub says before the name of the function that it stands for.
const MISSING: &str = "ob_h_missing ";
/// The exit code of a stub.
const MISSING_CODE: i32 = 4;

/// A function in the place of one that is not there: what C has as a macro under that name, else one that ends the program.
fn missing_function(name: &str) -> String {
    match name {
        "isnan" | "isinf" | "isfinite" => format!("int {name}(double x) {{ return __builtin_{name}(x); }}\n"),
        "signbit" => "int signbit(double x) { return __builtin_signbit(x) != 0; }\n".to_owned(),
        _ => format!(
            "int fputs(const char *, void *);\nvoid _Exit(int);\nextern void *stderr;\nvoid {name}(void) {{\n  fputs(\"{MISSING}{name}\\n\", stderr);\n  _Exit({MISSING_CODE});\n}}\n"
        ),
    }
}

/// The file beside a generated one that has the options of what it comes from.
fn flags_of(file: &str) -> String {
    format!("{file}.flags")
}

/// An option as such a file has it.
fn quoted(option: &str) -> String {
    format!("\"{}\"", option.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Generated code is C99; an older standard is that of the original alone.
fn has_what_is_generated(option: &str) -> bool {
    let older = ["c89", "c90", "gnu89", "gnu90", "iso9899:1990", "iso9899:199409"];
    option != "-ansi" && option.strip_prefix("-std=").is_none_or(|s| !older.contains(&s))
}

fn object(file: &str) -> String {
    format!("{}.o", file.rsplit_once('.').map_or(file, |p| p.0))
}

impl Workshop for Compiler {
    fn build<'a>(&'a self, layout: Layout<'a>) -> Result<Built<'a>, Diagnostic> {
        let folder = tempfile::Builder::new().prefix("overbar-verify-").tempdir();
        let folder = Rc::new(folder.map_err(|e| Diagnostic::warning("OB6068", format!("cannot make a temporary folder: {e}")))?);
        let files = self
            .files(layout.boosted)
            .map_err(|mut l| l.pop().unwrap_or_else(|| Diagnostic::warning("OB6068", "no code was generated")))?;
        let made = self.write(folder.path(), &layout, files)?;
        let layout = Rc::new(layout);
        let mut built = Built { engines: Vec::new(), objections: Vec::new() };
        for &level in &self.levels {
            let (ready, objections) = self.prepare(folder.path(), &layout, &made, level)?;
            built.objections.extend(objections.into_iter().filter(|o| !built.objections.contains(o)).collect::<Vec<_>>());
            if !ready {
                break;
            }
            let (folder, program) = (Rc::clone(&folder), format!("run{level}"));
            let runner = Box::new(move |input: &str| run(folder.path(), &program, input));
            built.engines.push((format!("-O{level}"), Box::new(Compiled::new(Rc::clone(&layout), runner))));
        }
        Ok(built)
    }
}

fn failed(message: String) -> Fault {
    Box::new(Diagnostic::error("OB6066", message))
}

/// Runs the driver: it reads the file `request` and writes the file `answer`, for standard input and output may be the program's own.
fn run(folder: &Path, program: &str, input: &str) -> Result<String, Fault> {
    let start = |e: std::io::Error| failed(format!("the compiled harness cannot be started: {e}"));
    std::fs::write(folder.join("request"), input).map_err(start)?;
    let errors = std::fs::File::create(folder.join("errors")).map_err(start)?;
    let mut child = Command::new(folder.join(program))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .map_err(start)?;
    let begin = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begin.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed(format!("compiled code runs longer than {} seconds", PATIENCE.as_secs())));
            }
            Ok(None) => std::thread::sleep(Duration::from_micros(if begin.elapsed().as_millis() < 20 { 200 } else { 5000 })),
            Err(e) => return Err(start(e)),
        }
    };
    if status.success() {
        return std::fs::read_to_string(folder.join("answer")).map_err(|e| failed(format!("the compiled harness left no answer: {e}")));
    }
    let errors = std::fs::read(folder.join("errors")).unwrap_or_default();
    let errors = String::from_utf8_lossy(&errors).into_owned();
    if let (Some(MISSING_CODE), Some(name)) = (status.code(), errors.lines().find_map(|l| l.strip_prefix(MISSING))) {
        let d = Diagnostic::warning("OB6068", format!("compiled code calls `{name}`, which is not there"));
        return Err(Box::new(d.because("compiled code was not checked; what the interpreter checked stands")));
    }
    let said = errors.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
    Err(failed(format!("compiled code ends with {status} {said}")))
}
