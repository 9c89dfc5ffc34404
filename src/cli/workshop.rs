//! Compiling generated code and running it, for certificates.
//!
//! Lives here: back ends, temporary folders, compilers and processes. Never here: what is compared.

use super::args::Language;
use overbar::evaluate::Fault;
use overbar::verify::Workshop;
use overbar::verify::compiled::{Compiled, Layout};
use overbar::verify::engine::Engine;
use overbar::verify::{harness_c, harness_fortran};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xaif::model::UnitKind;
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
    /// Extension of the generated file.
    pub extension: String,
}

impl Compiler {
    /// The generated file.
    pub fn generate(&self, program: &Program) -> Result<String, Vec<Diagnostic>> {
        match self.language {
            Language::C => overbar_c::unparse(program, &overbar_c::UnparseOptions { no_primal: false, header: false }).map(|u| u.source),
            Language::Fortran => {
                overbar_fortran::unparse(program, &overbar_fortran::UnparseOptions { no_primal: false, header: false }).map(|u| u.source)
            }
        }
    }

    fn compile(&self, folder: &Path, arguments: &[&str]) -> Result<(), Diagnostic> {
        let output = Command::new(&self.command).args(arguments).args(&self.flags).current_dir(folder).stdin(Stdio::null()).output();
        let output = output.map_err(|e| {
            Diagnostic::warning("OB6067", format!("the compiler `{}` cannot be started: {e}", self.command))
                .because("compiled code was not checked; what the interpreter checked stands")
                .help("name another one with --cc or --fc, or give --run interpreter")
        })?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = text.lines().find(|l| l.to_lowercase().contains("error")).or_else(|| text.lines().next()).unwrap_or("without a word");
        Err(Diagnostic::warning("OB6068", format!("`{}` does not compile generated code with its harness: {}", self.command, first.trim()))
            .because("compiled code was not checked; what the interpreter checked stands"))
    }

    fn prepare(&self, folder: &Path, layout: &Layout) -> Result<(), Diagnostic> {
        let generated = self
            .generate(layout.boosted)
            .map_err(|mut l| l.pop().unwrap_or_else(|| Diagnostic::warning("OB6068", "no code was generated")))?;
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), xaif::bytes::bytes(text))
                .map_err(|e| Diagnostic::warning("OB6068", format!("cannot write a temporary file: {e}")))
        };
        let name = format!("generated.{}", self.extension);
        write(&name, &generated)?;
        match self.language {
            Language::C => {
                let records = generated.contains("\"overbar.h\"");
                write("overbar.h", overbar_c::RUNTIME)?;
                write("driver.c", &harness_c::driver(layout, &name, records)?)?;
                self.compile(folder, &["-w", "-O1", "-ffp-contract=off", "driver.c", "-o", "run", "-lm"])
            }
            Language::Fortran => {
                let records = generated.to_ascii_lowercase().contains("overbar_runtime");
                write("overbar_runtime.f90", overbar_fortran::RUNTIME)?;
                write("driver.f90", &harness_fortran::driver(layout, records)?)?;
                let common = ["-w", "-O1", "-ffp-contract=off"];
                let mut objects = vec!["driver.o", "generated.o"];
                if records {
                    self.compile(folder, &[&common[..], &["-c", "overbar_runtime.f90"]].concat())?;
                    objects.push("overbar_runtime.o");
                }
                self.compile(folder, &[&common[..], &["-fallow-argument-mismatch", "-c", &name, "-o", "generated.o"]].concat())?;
                self.compile(folder, &[&common[..], &["-ffree-line-length-none", "-c", "driver.f90"]].concat())?;
                let mut link = vec!["-o", "run"];
                // The user's main program is not the one to be run: the first one counts.
                if layout.boosted.units.iter().any(|u| u.kind == UnitKind::Main) {
                    link.push("-Wl,--allow-multiple-definition");
                }
                self.compile(folder, &[&link[..], &objects].concat())
            }
        }
    }
}

impl Workshop for Compiler {
    fn build<'a>(&'a self, layout: Layout<'a>) -> Result<Box<dyn Engine + 'a>, Diagnostic> {
        let folder = tempfile::Builder::new().prefix("overbar-verify-").tempdir();
        let folder = folder.map_err(|e| Diagnostic::warning("OB6068", format!("cannot make a temporary folder: {e}")))?;
        self.prepare(folder.path(), &layout)?;
        let runner = Box::new(move |input: &str| run(folder.path(), input));
        Ok(Box::new(Compiled::new(layout, runner)))
    }
}

fn failed(message: String) -> Fault {
    Box::new(Diagnostic::error("OB6066", message))
}

/// Runs the driver: it reads the file `request` and writes the file `answer`, for standard input and output may be the program's own.
fn run(folder: &Path, input: &str) -> Result<String, Fault> {
    let start = |e: std::io::Error| failed(format!("the compiled harness cannot be started: {e}"));
    std::fs::write(folder.join("request"), input).map_err(start)?;
    let errors = std::fs::File::create(folder.join("errors")).map_err(start)?;
    let mut child = Command::new(folder.join("run"))
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
    let said = errors.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
    Err(failed(format!("compiled code ends with {status} {said}")))
}
