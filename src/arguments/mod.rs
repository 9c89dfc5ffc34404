//! Commands and options, as clap reads them. The help texts are the documentation of the options.

mod color;
mod compiler_words;
mod derivatives;
mod plot;
mod report;
#[cfg(feature = "serve")]
pub mod serve;
mod support;

use clap::{Args, Parser, Subcommand, ValueEnum};
pub use color::ColorChoice;
pub use compiler_words::of_compilers;
pub use derivatives::{Accumulation, Checkpointing, Derivatives, Inline, Preaccumulate, Reversal, Several};
pub use plot::{Picture, Plot, PlotFormat};
pub use report::{Certifying, Checker, Compilers, Page, Spot, Trial};
use std::path::PathBuf;
pub use support::{Completions, Explain, Manpage, Runtime};

/// Differentiates C and Fortran programs by source transformation.
///
/// Every command reads a file or `-` (standard input) and writes with `-o FILE` or to standard output. It exits with 0 when done, 1 when it refused
/// or a check failed (then nothing is written), 2 for a wrong command line.
#[derive(Debug, Parser)]
#[command(name = "overbar", version = VERSION, max_term_width = 100)]
pub struct Cli {
    /// How diagnostics are printed on standard error: for people, or one JSON object a line.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub message_format: MessageFormat,
    /// Whether messages and help have colours; `auto` goes by the terminal, NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: ColorChoice,
    /// Print errors only: no warnings and no notes.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print every diagnostic, also where many are alike, and say which files are read and written.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Without a command: write nothing, and fail where a derivative that `overbar.toml` lists is not what would be written now.
    #[arg(long)]
    pub check: bool,
    /// What to do; left out: make what `overbar.toml` lists.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The version, in releases with the commit that it was made from.
pub const VERSION: &str = match option_env!("OVERBAR_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Form of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Text with a snippet.
    #[default]
    Human,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Differentiate source files: front end, booster and back end in one go.
    ///
    /// The output replaces the original file: its text, with the derivative procedures added. Derivatives are certified before they are written.
    Diff(Box<Diff>),
    /// Turn source files into XAIF.
    Frontend(Frontend),
    /// Differentiate a program in XAIF.
    Boost(Boost),
    /// Turn XAIF into source text.
    Backend(Backend),
    /// Check XAIF documents against schema and semantics, and print every problem.
    Validate(Validate),
    /// Find a good elimination sequence for a linearized computational graph.
    Eliminate(Eliminate),
    /// Draw a program or a graph as SVG or DOT: call graph, control flow, expressions, linearized graphs, activity.
    ///
    /// The file is C or Fortran source, XAIF, or (by the extension .json) a graph as `eliminate` takes it. SVG is drawn without any other program, for up to
    /// 300 boxes; beyond that a part can be chosen.
    Plot(Plot),
    /// Run a unit of a program in the reference interpreter; no compiler is needed.
    ///
    /// The file is XAIF in either dialect, or C or Fortran source. Values come from a JSON file: {"args": {"n": 2, "a": [1, 2]}, "seeds": {"a": [1, 0]}};
    /// arrays of several dimensions are nested in the order of the subscripts. The answer is JSON, with reals of 17 digits.
    Eval(Eval),
    /// Check the derivatives of a program: the derivative certificate.
    ///
    /// Tangent and adjoint of each head are made, run in the interpreter and compiled, and compared with dual numbers, differences and each other. The
    /// verdict is pass, kink (not smooth at the point: the statement is named) or wrong (the first statement whose derivative is wrong is named).
    /// The exit code is 0 for pass and kink, 1 for wrong, and where no point comes to a statement with a derivative.
    Verify(Verify),
    /// Write a page about a program: source and derivative code side by side, what the analyses found, what is recorded, graphs, certificate.
    ///
    /// One HTML file without anything from elsewhere. Without -d and -b it has tangents and adjoints (of a stock document adjoints). The exit code is 1 if a derivative is wrong; the page is
    /// written then too, and says where.
    Report(Box<Page>),
    /// Differentiate many files: those of a folder, or what a manifest lists.
    ///
    /// Every input is validated, transformed, and what comes out is validated again. Outputs have the names of their inputs, below the output folder;
    /// a report is in `overbar-batch` there, as JSON, XML, JUnit XML and a page. A manifest (.toml or .xml) lists inputs, patterns, heads and options, named like
    /// the long options here, which are the defaults. Without a head, a file's own heads or flags decide, else every unit with real arguments that no other such
    /// unit calls is differentiated.
    Batch(Box<Batch>),
    /// Offer the commands over HTTP, or by one JSON request a line.
    ///
    /// POST /v1/boost?mode=adjoint with a program in XAIF answers with the differentiated program; /v1/diff takes source text, /v1/validate, /v1/verify and
    /// /v1/eliminate do what the commands do. Options are query parameters, named like the long options. / is a page for people, /v1/openapi.json lists everything.
    /// Requests run in processes of their own, which read no files, start no programs and have limits.
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
    /// Write the run-time support that generated code needs where it records values.
    Runtime(Runtime),
    /// Print the intrinsics with their partial derivatives.
    Intrinsics(Output),
    /// Explain diagnostic codes: what is meant, why, and what can be done. Words find the codes that speak of them.
    Explain(Explain),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Print the manual page, or that of a command.
    Manpage(Manpage),
}

/// A source language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C11.
    C,
    /// Fortran, free or fixed form.
    Fortran,
}

/// Where the result goes.
#[derive(Debug, Args)]
pub struct Output {
    /// Write to this file instead of standard output; it is written whole or not at all.
    #[arg(short, long, value_name = "FILE", group = "placed")]
    pub output: Option<PathBuf>,
}

/// Where source text goes.
#[derive(Debug, Args)]
pub struct Placing {
    #[command(flatten)]
    pub output: Output,
    /// Write one file for each that was read, with its name, to this folder; C files stay translation units of their own.
    #[arg(short = 'O', long, value_name = "FOLDER", group = "placed")]
    pub output_folder: Option<PathBuf>,
}

/// How source text is read.
#[derive(Clone, Debug, Default, Args)]
pub struct Reading {
    /// A folder in which the preprocessor looks for included files.
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<String>,
    /// A macro for the preprocessor.
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// A macro that the preprocessor of C does not have.
    #[arg(short = 'U', long, value_name = "NAME")]
    pub undefine: Vec<String>,
    /// A header that is read before each C file; `-include FILE` says the same.
    #[arg(long, value_name = "FILE")]
    pub include_first: Vec<String>,
    /// The standard of C by which files are read, such as c99; `-std=c99` says the same.
    #[arg(long, value_name = "STANDARD")]
    pub std: Option<String>,
    /// A compilation database: folders, macros, headers and standard of each C file as it says.
    #[arg(short = 'p', long, value_name = "compile_commands.json")]
    pub compile_commands: Option<PathBuf>,
    /// Options of the preprocessor for each file, by its name; no option, but what a compilation database says.
    #[arg(skip)]
    pub of_files: Vec<(String, Vec<String>)>,
    /// Folders in which headers were found that no other folder has, looked in last; no option, but what the project's folders tell.
    #[arg(skip)]
    pub assumed: Vec<String>,
    /// Fortran in fixed source form, whatever the extension says.
    #[arg(long, conflicts_with = "free_form")]
    pub fixed_form: bool,
    /// Fortran in free source form, whatever the extension says.
    #[arg(long)]
    pub free_form: bool,
    /// Run the preprocessor on Fortran files of every extension; without it, on those with an upper case one (.F90, .F).
    #[arg(long, conflicts_with = "no_preprocessor")]
    pub cpp: bool,
    /// Run no preprocessor: macros and conditions are worked out here as far as that is certain, and of included files only well-known system headers are understood.
    #[arg(long)]
    pub no_preprocessor: bool,
    /// The number of elements of an array that is an argument and does not declare it, by other arguments (`work=n*m`), or one number for each dimension
    /// (`a=n,m`); of one unit alone: `step:work=n*m`. May be given several times.
    #[arg(long, value_name = "NAME=ELEMENTS")]
    pub extent: Vec<String>,
    /// The range in which the numbers of an argument or a shared variable lie (`t=250:320`), for the points that are drawn where derivatives are checked; of one
    /// unit alone: `step:t=250:320`. May be given several times.
    #[arg(long, value_name = "NAME=LOW:HIGH", allow_hyphen_values = true)]
    pub range: Vec<String>,
    /// Say of every function that was left out of the program why, not only of those that the heads need.
    #[arg(long)]
    pub explain_all: bool,
    /// No file may be read and no program started for what the text includes; no option, but a property of whoever asks.
    #[arg(skip)]
    pub confined: bool,
    /// The units that heads name, if they are known before the text is read: what is left out of others is not said. No option either.
    #[arg(skip)]
    pub wanted: Vec<String>,
    /// The units that heads name, if they are known before the text is read: what these get from their callers counts. No option either.
    #[arg(skip)]
    pub heads: Vec<String>,
}

impl Reading {
    /// The same for those who ask for these units alone.
    pub fn wanting<'a>(&self, units: impl Iterator<Item = &'a str>) -> Reading {
        let heads: Vec<String> = units.map(str::to_owned).collect();
        let wanted = if self.explain_all { Vec::new() } else { heads.clone() };
        Reading { wanted, heads, ..self.clone() }
    }
}

/// What source text is written.
#[derive(Debug, Args)]
pub struct Writing {
    /// Write the derivative procedures only, to be linked beside the original.
    #[arg(long)]
    pub no_primal: bool,
    /// Also write a header (C) or interface module (Fortran) with the derivative interfaces to this file.
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
}

impl Diff {
    /// The files that derivatives are written to, in order; none where that is standard output.
    pub fn outputs(&self) -> Vec<PathBuf> {
        let mut out: Vec<PathBuf> = match &self.placing.output_folder {
            Some(folder) => self.files.iter().filter_map(|f| Some(folder.join(f.file_name()?))).collect(),
            None => self.placing.output.output.iter().cloned().collect(),
        };
        out.extend(self.writing.header.clone());
        out
    }
}

#[derive(Debug, Args)]
pub struct Diff {
    /// Source files, all in the same language.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The language, where the extension does not say it.
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    #[command(flatten)]
    pub derivatives: Derivatives,
    #[command(flatten)]
    pub certifying: Certifying,
    #[command(flatten)]
    pub spot: Spot,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub writing: Writing,
    #[command(flatten)]
    pub placing: Placing,
    /// Also write a rule for Make to this file: the outputs, and the files that were read for them, included ones too.
    #[arg(long, value_name = "FILE", requires = "placed")]
    pub depfile: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Frontend {
    /// The language.
    #[arg(value_enum)]
    pub language: Language,
    /// Source files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A head to be noted in the XAIF: `unit(dependents)/(independents)`.
    #[arg(long, value_name = "HEAD")]
    pub head: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub output: Output,
}

/// A dialect of XAIF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// Stock XAIF with self-contained extensions.
    Overbar,
    /// Stock XAIF only.
    Openad,
}

/// Options of derivatives: there are none with `--annotate`.
const OF_DERIVATIVES: [&str; 31] = [
    "tangent",
    "adjoint",
    "vector",
    "head",
    "zero_init",
    "with_values",
    "may_overlap",
    "reversal",
    "rules",
    "catalogue",
    "checkpoint",
    "preaccumulate",
    "order",
    "search",
    "inline",
    "passes",
    "explain",
    "facts",
    "stats",
    "tangent_suffix",
    "adjoint_suffix",
    "tangent_variable_suffix",
    "adjoint_variable_suffix",
    "certificate",
    "require_certificate",
    "certify_budget",
    "input",
    "cc",
    "fc",
    "extent",
    "range",
];

#[derive(Debug, Args)]
pub struct Boost {
    /// The XAIF document; standard input if left out.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    #[command(flatten)]
    pub derivatives: Derivatives,
    #[command(flatten)]
    pub certifying: Certifying,
    #[command(flatten)]
    pub spot: Spot,
    /// The number of elements of an array that is an argument and does not declare it, as for `diff`. May be given several times.
    #[arg(long, value_name = "NAME=ELEMENTS")]
    pub extent: Vec<String>,
    /// The range in which the numbers of a variable lie, as for `diff`. May be given several times.
    #[arg(long, value_name = "NAME=LOW:HIGH", allow_hyphen_values = true)]
    pub range: Vec<String>,
    /// Write the program itself with what the analyses find, instead of derivatives: alias sets, use-definition and definition-use chains, lists of side effects.
    #[arg(long, conflicts_with_all = OF_DERIVATIVES)]
    pub annotate: bool,
    /// Dialect of the output; that of the input if left out.
    #[arg(long, value_enum)]
    pub dialect: Option<Dialect>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
pub struct Backend {
    /// The language.
    #[arg(value_enum)]
    pub language: Language,
    /// The XAIF document; standard input if left out.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    #[command(flatten)]
    pub writing: Writing,
    #[command(flatten)]
    pub placing: Placing,
}

#[derive(Debug, Args)]
pub struct Validate {
    /// XAIF documents.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Check against the schema only.
    #[arg(long)]
    pub schema_only: bool,
}

/// The graph is JSON: `{"vertices":[{"id":0},...], "edges":[{"src":0,"dst":1,"kind":"unit|constant|variable","copy":false,"value":0.5},...],
/// "inputs":[...], "outputs":[...]}`, where `copy` and `value` may be left out.
#[derive(Debug, Args)]
pub struct Eliminate {
    /// The graph; `-` for standard input.
    #[arg(value_name = "GRAPH.json")]
    pub file: PathBuf,
    /// Heuristics, ties of each decided by the next, instead of a search.
    #[arg(long, value_name = "NAME[,NAME...]", conflicts_with = "search")]
    pub order: Option<String>,
    /// What the heuristics of `--order` eliminate at a time.
    #[arg(long, value_enum, default_value_t, requires = "order")]
    pub technique: Technique,
    /// A sequence from elsewhere, whole or in part, to be checked and counted: a list in JSON as `order` in what `--format json` prints.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["order", "search"])]
    pub sequence: Option<PathBuf>,
    /// What is minimized: `plain` counts every product except with copies, `aware` only those that are no products with 1 or -1 or of constants,
    /// `propagate:K` also K products for each edge that is left when elimination stops early.
    #[arg(long, value_name = "plain|aware|propagate:K", default_value = "aware")]
    pub objective: String,
    /// Search for that long. Without it the search is bounded by its moves, and always gives the same.
    #[arg(long, value_name = "SECONDS")]
    pub search: Option<f64>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t)]
    pub format: AnswerFormat,
    /// Print the accumulation code as a procedure in this language instead.
    #[arg(long, value_enum)]
    pub emit: Option<Language>,
    #[command(flatten)]
    pub output: Output,
}

/// What is eliminated at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Technique {
    /// A vertex.
    #[default]
    Vertex,
    /// An edge, at its front or back.
    Edge,
    /// A pair of adjacent edges.
    Face,
}

/// Form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub struct Eval {
    /// The program: XAIF, C or Fortran.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The unit to run; it may be a derivative unit of a boosted program. May be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    pub unit: Option<String>,
    /// Values of arguments and globals, and seeds; `-` is standard input.
    #[arg(long, value_name = "VALUES.json")]
    pub input: Option<PathBuf>,
    /// Derivatives along the seeds of inputs, by dual numbers.
    #[arg(long, group = "question")]
    pub tangent: bool,
    /// Adjoints of the inputs for seeds of outputs: the adjoint of the unit is made and run.
    #[arg(long, group = "question")]
    pub adjoint: bool,
    /// The whole Jacobian, by dual numbers; --head narrows it.
    #[arg(long, group = "question")]
    pub jacobian: bool,
    /// Dependents and independents of the Jacobian or the adjoint, where not all are wanted: `unit(dependents)/(independents)`.
    #[arg(long, value_name = "HEAD")]
    pub head: Option<String>,
    /// Print the records of the run too: the first N (1000) in the order in which they are made, each with the line that makes it, the variable, and where it is put.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1000", conflicts_with_all = ["tangent", "jacobian"])]
    pub tape: Option<usize>,
    /// Statements after which a run is given up.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Variables without a value are zero instead of an error.
    #[arg(long)]
    pub zero_start: bool,
    /// The language, where the extension does not say it.
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub output: Output,
}

/// Where derivative code is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Run {
    /// In the interpreter.
    Interpreter,
    /// Compiled.
    Compiled,
    /// Both.
    #[default]
    Both,
}

/// Form of a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CertificateFormat {
    /// For people.
    #[default]
    Text,
    /// JSON.
    Json,
    /// XML, with a schema.
    Xml,
}

#[derive(Debug, Args)]
pub struct Verify {
    /// The program: C or Fortran files, or one XAIF document.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What to check: `unit(dependents)/(independents)`, as for diff. May be given several times; left out: the heads that the file notes.
    #[arg(long, value_name = "HEAD")]
    pub head: Vec<String>,
    #[command(flatten)]
    pub trial: Trial,
    /// Where the derivative code is run.
    #[arg(long, value_enum, default_value_t)]
    pub run: Run,
    /// Fail where the certificate is not the same as this one (JSON), or where nothing is checked.
    #[arg(long, value_name = "CERT.json")]
    pub frozen: Option<PathBuf>,
    /// Form of the certificate.
    #[arg(long, value_enum, default_value_t)]
    pub format: CertificateFormat,
    #[command(flatten)]
    pub several: Several,
    /// Check adjoints that start from zero instead of incrementing what the caller passes.
    #[arg(long)]
    pub zero_init: bool,
    /// Check adjoints that compute the values too, as for diff.
    #[arg(long)]
    pub with_values: bool,
    /// Arguments of a head may overlap each other, as for diff.
    #[arg(long)]
    pub may_overlap: bool,
    /// How calls are reversed, as for diff.
    #[arg(long, value_enum)]
    pub reversal: Option<Reversal>,
    #[command(flatten)]
    pub checkpointing: Checkpointing,
    #[command(flatten)]
    pub accumulation: Accumulation,
    /// The language, where the extension does not say it.
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
pub struct Batch {
    /// A manifest, or a folder whose C, Fortran and XAIF files (.xaif) are differentiated, those in folders below too.
    #[arg(value_name = "MANIFEST|FOLDER", required_unless_present = "merge")]
    pub input: Option<PathBuf>,
    /// The folder for outputs and report.
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// How many items are done at once; all processors if left out.
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Do the other items where one has failed.
    #[arg(short, long)]
    pub keep_going: bool,
    /// Leave out what an earlier run has done, as long as inputs, included files, options, tool and output are the same.
    #[arg(long)]
    pub resume: bool,
    /// Do the I-th of N parts of the batch, from 1 on; parts have about as many bytes of input each.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Join the reports of all parts in the output folder.
    #[arg(long, conflicts_with_all = ["input", "shard", "resume"])]
    pub merge: bool,
    /// Store the certificate of each item, in `overbar-batch/certificates`.
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub compilers: Compilers,
    #[command(flatten)]
    pub choices: Choices,
}

/// The options that an item of a batch can have.
#[derive(Debug, Args)]
pub struct Choices {
    #[command(flatten)]
    pub derivatives: Derivatives,
    #[command(flatten)]
    pub certifying: Certifying,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub writing: Writing,
    /// The language, where the extension does not say it.
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    /// Dialect of XAIF output; that of the input if left out.
    #[arg(long, value_enum)]
    pub dialect: Option<Dialect>,
}
