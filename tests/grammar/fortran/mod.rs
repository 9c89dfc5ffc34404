//! Fortran programs as people write them, free and fixed form: modules, COMMON, internal and external procedures, sections, WHERE, labels.
//!
//! Never here: how derivatives are made or checked. Programs are well defined: subscripts are in range, divisors away from zero, loops end,
//! nothing is read that was not set, and no call sets what it gets under another name. Where real and complex arithmetic need another text
//! both stand there, between the marks of [`alt`]; [`pick`] takes one of them.

mod calls;
mod expressions;
mod loops;
mod procedures;
mod statements;

use super::rng::Rng;
use super::text::{File, Language, Node, Program};
use procedures::Signature;

/// The length that arrays have at the head.
pub const N: usize = 5;

/// What a number is an upper bound of, so that it is a subscript (all begin at one).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// From 1 to the argument `n`.
    Argument,
    /// From 1 to 5.
    Five,
    /// Not negative, that is all.
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Scalar,
    /// As many elements as the bound says; the lower bound is another one where it is told.
    Array(Bound, i64),
    /// Five rows, so many columns.
    Matrix(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Real {
    pub name: String,
    pub shape: Shape,
    pub writable: bool,
    pub single: bool,
    /// It may stand as a whole in array statements.
    pub whole: bool,
}

#[derive(Clone, Debug)]
pub struct Index {
    pub name: String,
    pub bound: Bound,
    pub writable: bool,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub length: Bound,
    pub writable: bool,
}

/// How procedures are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// All in one module.
    Module,
    /// Callees in a module that the head uses.
    Uses,
    External,
    /// Callees are internal procedures of the head.
    Internal,
    /// External, in fixed form.
    Fixed,
}

pub struct Author {
    pub rng: Rng,
    pub arrangement: Arrangement,
    pub single: bool,
    /// How the type is written.
    pub double: &'static str,
    pub reals: Vec<Real>,
    pub indices: Vec<Index>,
    pub tables: Vec<Table>,
    pub constants: Vec<String>,
    pub globals: Vec<Real>,
    /// Declarations of the COMMON block, for each procedure.
    pub common: Vec<String>,
    pub signatures: Vec<Signature>,
    pub unseen: Vec<Signature>,
    pub has_n: bool,
    pub counter: usize,
    pub label: usize,
    pub depth: usize,
    pub loops: usize,
    pub work: usize,
    pub budget: usize,
    pub can_leave: bool,
    pub can_return: bool,
    /// Names of the loops around.
    pub named: Vec<String>,
    /// Labels behind nests.
    pub exits: Vec<(usize, bool)>,
    pub jumps: usize,
    pub pragmas: usize,
    pub declarations: Vec<String>,
    pub in_callee: bool,
    pub pure: bool,
    pub used: Vec<String>,
    pub statement_functions: bool,
}

/// Two texts, for real and for complex arithmetic.
pub fn alt(real: &str, complex: &str) -> String {
    format!("\u{27e6}{real}\u{a6}{complex}\u{27e7}")
}

/// The real part in comparisons.
pub fn re(e: &str) -> String {
    alt(&format!("({e})"), &format!("real({e}, 8)"))
}

/// The first or the second of all pairs of texts.
pub fn pick(text: &str, second: bool) -> String {
    let mut stack: Vec<(String, bool)> = vec![(String::new(), true)];
    for c in text.chars() {
        match c {
            '\u{27e6}' => stack.push((String::new(), !second)),
            '\u{a6}' => {
                if let Some(top) = stack.last_mut() {
                    if second {
                        top.0.clear();
                    }
                    top.1 = second;
                }
            }
            '\u{27e7}' => {
                if let Some((inner, _)) = stack.pop()
                    && let Some(top) = stack.last_mut()
                    && top.1
                {
                    top.0.push_str(&inner);
                }
            }
            _ => {
                if let Some(top) = stack.last_mut()
                    && top.1
                {
                    top.0.push(c);
                }
            }
        }
    }
    stack.pop().map(|t| t.0).unwrap_or_default()
}

/// The text in complex arithmetic.
pub fn complex(raw: &str, prefix: &str, fixed: bool) -> String {
    layout(&pick(raw, true).replace("Q_", prefix), fixed)
}

/// The text in real arithmetic.
pub fn plain(raw: &str, prefix: &str, fixed: bool) -> String {
    layout(&pick(raw, false).replace("Q_", prefix), fixed)
}

/// Lines of no more than so many columns; in fixed form with their columns.
fn layout(text: &str, fixed: bool) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let body = line.trim_start();
        if !fixed {
            let mut rest = line.to_owned();
            let comment = body.starts_with('!');
            while rest.len() > 118 && !comment {
                let cut = rest[..110].rfind(' ').filter(|&c| c > 20).unwrap_or(110);
                out.push_str(&rest[..cut]);
                out.push_str(" &\n");
                rest = format!("      {}", rest[cut..].trim_start());
            }
            out.push_str(&rest);
            out.push('\n');
            continue;
        }
        let comment = body.starts_with(['*', '!']) || body.starts_with("c$") || body.starts_with("C$") || body.starts_with("cdir$");
        if comment || (body.starts_with("c ") && !body.contains('=')) {
            out.push_str(body);
            out.push('\n');
            continue;
        }
        let digits = body.chars().take_while(char::is_ascii_digit).count();
        let (label, mut rest) = if digits > 0 { (&body[..digits], body[digits..].trim_start()) } else { ("", body) };
        let mut first = true;
        loop {
            let (now, later) = if rest.len() > 66 { rest.split_at(66) } else { (rest, "") };
            let column = if first { format!("{label:<6}") } else { "     &".into() };
            out.push_str(&column);
            out.push_str(now);
            out.push('\n');
            first = false;
            if later.is_empty() {
                break;
            }
            rest = later;
        }
    }
    out
}

impl Author {
    fn new(seed: u64) -> Author {
        let mut rng = Rng::new(seed ^ 0x0f0f_0f0f_0f0f);
        use Arrangement::*;
        let arrangement = [Module, Module, Uses, External, Internal, Fixed][rng.below(6)];
        let double = ["real(8)", "double precision", "real*8", "real(kind=8)"][rng.below(4)];
        Author {
            single: rng.percent(12),
            jumps: [0, 5, 12][rng.below(3)],
            pragmas: [0, 0, 4, 12][rng.below(4)],
            rng,
            arrangement,
            double,
            reals: Vec::new(),
            indices: Vec::new(),
            tables: Vec::new(),
            constants: Vec::new(),
            globals: Vec::new(),
            common: Vec::new(),
            signatures: Vec::new(),
            unseen: Vec::new(),
            has_n: true,
            counter: 0,
            label: 0,
            depth: 0,
            loops: 0,
            work: 1,
            budget: 0,
            can_leave: false,
            can_return: false,
            named: Vec::new(),
            exits: Vec::new(),
            declarations: Vec::new(),
            in_callee: false,
            pure: false,
            used: Vec::new(),
            statement_functions: false,
        }
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.counter += 1;
        format!("{stem}{}", self.counter)
    }

    pub fn fresh_label(&mut self) -> usize {
        self.label += 10;
        self.label
    }

    pub fn choose<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.rng.below(list.len())].clone()
    }

    /// The type of a real variable.
    pub fn type_of(&self, single: bool) -> String {
        if single {
            return alt("real(4)", "complex(4)");
        }
        match self.double {
            "double precision" => alt("double precision", "complex(8)"),
            "real*8" => alt("real*8", "complex*16"),
            other => alt(other, "complex(8)"),
        }
    }

    pub fn fixed(&self) -> bool {
        self.arrangement == Arrangement::Fixed
    }

    /// Whether callers see the interfaces of what they call.
    pub fn explicit(&self) -> bool {
        !matches!(self.arrangement, Arrangement::External | Arrangement::Fixed)
    }

    /// A directive of another tool.
    pub fn foreign(&mut self, loops: bool) -> String {
        let (free_loop, free) = (
            ["!$omp parallel do", "!$omp simd", "!dir$ ivdep", "!DIR$ UNROLL(2)", "!GCC$ ivdep", "!$acc loop", "!$openad xxx loop"],
            [
                "!$omp barrier",
                "!$acc wait",
                "!dir$ noinline",
                "!IBM* NOTE",
                "!$vendor on",
                "!$openad xxx other thing",
                "!$ here()",
                "!$omp flush",
            ],
        );
        let (fixed_loop, fixed) = (
            ["c$omp parallel do", "c$dir no_recurrence", "cdir$ ivdep", "!dir$ ivdep", "c$openad xxx loop", "*vdir nodep", "C$acc loop"],
            [
                "c$omp barrier",
                "c$openad XXX Template ad_template.f",
                "*$* optimize(2)",
                "c$vendor on",
                "!$acc wait",
                "c$par barrier",
                "c$assert do (serial)",
                "*vocl total",
            ],
        );
        let text = match (self.fixed(), loops) {
            (false, true) => self.choose(&free_loop),
            (false, false) => self.choose(&free),
            (true, true) => self.choose(&fixed_loop),
            (true, false) => self.choose(&fixed),
        };
        // A conditional line would be code for others.
        if text.starts_with("!$ ") { "!$omp taskwait".into() } else { text.to_owned() }
    }
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut a = Author::new(seed);
    let mut module = a.shared();
    let unseen = a.unseen_procedures();
    let callees = [0, 1, 1, 2, 2, 3][a.rng.below(6)];
    let mut procedures = Vec::new();
    for k in 0..callees {
        procedures.push(a.procedure(&format!("Q_f{}", k + 1)));
    }
    let internal = if a.arrangement == Arrangement::Internal { std::mem::take(&mut procedures) } else { Vec::new() };
    let (head_node, mut head) = a.head(internal);
    let mut files = vec![File { nodes: Vec::new() }];
    let open = "module Q_mod".to_owned();
    match a.arrangement {
        Arrangement::Module => {
            module.push(Node::line("contains"));
            if a.rng.percent(30) {
                module.push(head_node);
                module.extend(procedures);
            } else {
                module.extend(procedures);
                module.push(head_node);
            }
            head.module = Some("Q_mod".into());
            files[0].nodes.push(Node::block(open, module, "end module Q_mod"));
        }
        Arrangement::Uses => {
            if !procedures.is_empty() {
                module.push(Node::line("contains"));
            }
            module.extend(procedures);
            files[0].nodes.push(Node::block(open, module, "end module Q_mod"));
            if a.rng.percent(35) {
                files.push(File { nodes: Vec::new() });
            }
            files.last_mut().expect("there is one").nodes.push(head_node);
        }
        _ => {
            if a.rng.percent(30) {
                files[0].nodes.push(head_node);
                files[0].nodes.extend(procedures);
            } else {
                files[0].nodes.extend(procedures);
                files[0].nodes.push(head_node);
            }
        }
    }
    if a.fixed() && a.rng.percent(20) {
        files[0].nodes.insert(0, Node::line("c$openad XXX Template ad_template.f"));
    }
    Program { language: Language::Fortran, files, unseen, head, single: a.single, fixed: a.fixed() }
}
