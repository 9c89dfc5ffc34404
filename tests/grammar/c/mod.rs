//! C programs as people write them, thought up from the grammar: several functions, globals, macros, tables, pragmas, files.
//!
//! Never here: how derivatives are made or checked. Programs are well defined: indices are in range, divisors away from zero, loops end,
//! nothing is read that was not set, no variable is read and changed in one expression.

mod calls;
mod expressions;
mod functions;
mod loops;
mod pointers;
mod statements;

use super::rng::Rng;
use super::text::{File, Language, Node, Program};
use functions::Signature;

/// The length that arrays have at the head, as the macro `Q_N` has it too.
pub const N: usize = 5;

/// What a number is an upper bound of, so that it is an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Below the argument `n`.
    Argument,
    /// Below `Q_N`.
    Macro,
    /// Not negative, that is all.
    None,
}

/// An array's or a scalar's place.
#[derive(Clone, Debug)]
pub enum Shape {
    Scalar,
    /// As many elements as `n` or `Q_N` says.
    Array(Bound),
    /// So many rows of `Q_N` elements.
    Matrix(usize),
}

/// A real variable.
#[derive(Clone, Debug)]
pub struct Real {
    /// As it is named; with its star where it is a pointer to a scalar.
    pub name: String,
    pub shape: Shape,
    pub writable: bool,
    pub float: bool,
    /// The address of it, where it has one.
    pub address: Option<String>,
}

/// What stands for an index.
#[derive(Clone, Debug)]
pub struct Index {
    pub text: String,
    pub bound: Bound,
    pub writable: bool,
}

/// Integer arrays; their elements are indices below `Q_N`, or below `n`.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub length: Bound,
    pub contents: Bound,
    pub writable: bool,
}

/// The one who writes a program.
pub struct Author {
    pub rng: Rng,
    pub single: bool,
    pub reals: Vec<Real>,
    pub indices: Vec<Index>,
    pub tables: Vec<Table>,
    /// Constant tables of the file, `Q_N` long.
    pub constants: Vec<String>,
    pub signatures: Vec<Signature>,
    /// Macros of one argument.
    pub macros: Vec<String>,
    /// Procedures without text.
    pub unseen: Vec<Signature>,
    pub globals: Vec<Real>,
    /// Whether the function has `n`.
    pub has_n: bool,
    pub counter: usize,
    pub depth: usize,
    pub loops: usize,
    /// Rounds around the place, to keep the work small.
    pub work: usize,
    pub can_break: bool,
    pub can_continue: bool,
    pub can_return: bool,
    /// What is returned at this place.
    pub returned: Option<String>,
    /// A label behind the nest of loops, and whether somebody jumps there.
    pub exits: Vec<(String, bool)>,
    pub pragmas: usize,
    pub jumps: usize,
    /// Declarations that stand at the beginning of the function.
    pub declarations: Vec<String>,
    pub in_callee: bool,
    pub budget: usize,
}

impl Author {
    fn new(seed: u64) -> Author {
        let mut rng = Rng::new(seed ^ 0x0c0c_0c0c);
        let single = rng.percent(10);
        let pragmas = [0, 0, 4, 12][rng.below(4)];
        let jumps = [0, 5, 12][rng.below(3)];
        Author {
            rng,
            single,
            reals: Vec::new(),
            indices: Vec::new(),
            tables: Vec::new(),
            constants: Vec::new(),
            signatures: Vec::new(),
            macros: Vec::new(),
            unseen: Vec::new(),
            globals: Vec::new(),
            has_n: true,
            counter: 0,
            depth: 0,
            loops: 0,
            work: 1,
            can_break: false,
            can_continue: false,
            can_return: false,
            returned: None,
            exits: Vec::new(),
            pragmas,
            jumps,
            declarations: Vec::new(),
            in_callee: false,
            budget: 0,
        }
    }

    /// A name that nothing else has in the function.
    pub fn fresh(&mut self, stem: &str) -> String {
        self.counter += 1;
        format!("{stem}{}", self.counter)
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.rng.below(list.len())].clone()
    }
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut a = Author::new(seed);
    let mut top = a.preamble();
    let unseen = a.unseen_functions(&mut top);
    let callees = [0, 1, 1, 2, 2, 3][a.rng.below(6)];
    let mut functions = Vec::new();
    for k in 0..callees {
        functions.push(a.function(&format!("Q_f{}", k + 1)));
    }
    functions.extend(a.calls_through_pointers(&mut top));
    let (head_node, head) = a.head();
    let mut files = Vec::new();
    if callees > 0 && a.rng.percent(20) {
        // The functions are in a file of their own, with their prototypes and macros in both.
        let mut own = top.clone();
        // One definition of what both share.
        own.retain(|n| !n.arms[0].0.starts_with("double Q_") && !n.arms[0].0.starts_with("int Q_"));
        let shared: Vec<Node> = top
            .iter()
            .filter(|n| n.arms[0].0.starts_with("double Q_") && !n.arms[0].0.contains('('))
            .map(|n| Node::line(format!("extern {};", n.arms[0].0.split(" =").next().unwrap_or_default().trim_end_matches(';'))))
            .collect();
        own.extend(shared);
        own.extend(top.iter().filter(|n| n.arms[0].0.starts_with("double Q_") && n.arms[0].0.contains('(')).cloned());
        own.extend(a.signatures.iter().filter(|s| !s.hidden).map(|s| Node::line(format!("{};", s.prototype))));
        if a.signatures.iter().all(|s| !s.hidden) {
            let mut first = top;
            first.extend(functions);
            own.push(head_node);
            let both = [File { nodes: first }, File { nodes: own }];
            files.extend(both);
            if a.rng.percent(30) {
                files.reverse();
            }
        } else {
            top.extend(functions);
            top.push(head_node);
            files.push(File { nodes: top });
        }
    } else {
        if a.rng.percent(20) {
            // Used before they are defined.
            top.extend(a.signatures.iter().map(|s| Node::line(format!("{};", s.prototype))));
            top.push(head_node);
            functions.reverse();
            top.extend(functions);
        } else {
            top.extend(functions);
            top.push(head_node);
        }
        files.push(File { nodes: top });
    }
    Program { language: Language::C, files, unseen, head, single: a.single, fixed: false }
}

impl Author {
    fn preamble(&mut self) -> Vec<Node> {
        let mut out = Vec::new();
        if self.rng.percent(40) {
            out.push(Node::line("/* Made by hand,\n   in a hurry. */"));
        }
        for h in ["math.h", "stdlib.h", "string.h"] {
            out.push(Node::line(format!("#include <{h}>")));
        }
        out.push(Node::line(format!("#define Q_N {N}")));
        if self.rng.percent(50) {
            out.push(Node::line("#define Q_SQ(x) ((x) * (x))"));
            self.macros.push("Q_SQ".into());
        }
        if self.rng.percent(30) {
            out.push(Node::line("#define Q_SOFT(u) (0.7 * tanh(u))"));
            self.macros.push("Q_SOFT".into());
        }
        if self.rng.percent(25) {
            out.push(Node::line("#ifdef Q_NEVER\n#error no\n#else\n#define Q_HALF(u) (0.5 * (u) + 0.1)\n#endif"));
            self.macros.push("Q_HALF".into());
        }
        for k in 0..self.rng.below(3) {
            let name = format!("Q_tab{k}");
            let qualifier = ["static const ", "static const ", "static ", "const "][self.rng.below(4)];
            let list: Vec<String> = (0..N).map(|_| self.constant()).collect();
            let length = if self.rng.percent(50) { "Q_N" } else { "" };
            if qualifier != "const " {
                out.push(Node::line(format!("{qualifier}double {name}[{length}] = {{{}}};", list.join(", "))));
                self.constants.push(name);
            }
        }
        if self.rng.percent(25) {
            let list: Vec<String> = (0..N).map(|_| self.rng.below(N).to_string()).collect();
            out.push(Node::line(format!("static const int Q_order[Q_N] = {{{}}};", list.join(", "))));
            self.tables.push(Table { name: "Q_order".into(), length: Bound::Macro, contents: Bound::Macro, writable: false });
        }
        if self.rng.percent(25) {
            for k in 0..1 + self.rng.below(2) {
                let array = self.rng.percent(35);
                let name = format!("Q_g{k}");
                let kind = if self.rng.percent(60) { "static " } else { "" };
                let (dims, value) = if array { ("[Q_N]", "{0.25}".to_owned()) } else { ("", self.constant()) };
                out.push(Node::line(format!("{kind}double {name}{dims} = {value};")));
                let shape = if array { Shape::Array(Bound::Macro) } else { Shape::Scalar };
                let address = if array { name.clone() } else { format!("&{name}") };
                self.globals.push(Real { name, shape, writable: true, float: false, address: Some(address) });
            }
        }
        if self.pragmas > 0 && self.rng.percent(30) {
            out.push(Node::line(self.foreign(true)));
        }
        out
    }

    /// A directive of another tool.
    pub fn foreign(&mut self, outside: bool) -> String {
        let anywhere = [
            "#pragma omp barrier",
            "#pragma scop",
            "#pragma endscop",
            "#pragma vendor note(here)",
            "#pragma message_off",
            "#pragma region inner",
            "#pragma endregion",
            "#pragma STDC FP_CONTRACT OFF",
            "#pragma GCC diagnostic push",
            "#pragma acc wait",
            "#pragma clang fp contract(off)",
        ];
        let file = ["#pragma once_upon a time", "#pragma GCC optimize (\"O1\")", "#pragma scop", "#pragma weak_hint"];
        if outside { self.pick(&file).to_owned() } else { self.pick(&anywhere).to_owned() }
    }
}
