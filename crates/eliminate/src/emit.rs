//! Accumulation code as text: a C function or a Fortran subroutine of the partial derivatives on the given edges.
//!
//! A temporary lives from its computation to its last use, then its place is taken by another; an entry is stored as soon as it is complete.

use super::code::{Base, Code, Term, Value};
use super::cost::{Class, Objective};
use super::graph::{Graph, Role};
use std::fmt::Write;

/// A language to write in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C11.
    C,
    /// Fortran 2018, free form.
    Fortran,
}

/// What the head of the text says.
#[derive(Clone, Debug)]
pub struct Title<'a> {
    /// The graph.
    pub name: &'a str,
    /// The objective.
    pub objective: Objective,
    /// The names of the given vertices.
    pub ids: &'a [u64],
}

/// The code of an elimination as a procedure `jacobian(c, j)`, or, where edges other than from inputs to outputs are left, `accumulate(c, r)`.
pub fn emit(graph: &Graph, code: &Code, title: &Title, language: Language) -> String {
    let complete = code.remaining.iter().all(|r| graph.role(r.source) == Role::Input && graph.role(r.target) == Role::Output);
    Text { graph, code, title, language, complete, places: Places::new(code), out: String::new() }.write()
}

/// Where results are kept.
struct Places {
    /// The temporary of each result; none where it goes into a single entry only.
    of: Vec<Option<u32>>,
    /// The entries that each result goes into.
    entries: Vec<Vec<u32>>,
    /// How many temporaries there are.
    count: u32,
}

impl Places {
    fn new(code: &Code) -> Places {
        let n = code.operations.len();
        let mut last = vec![None; n];
        for (at, operation) in code.operations.iter().enumerate() {
            for value in operation.terms.iter().flat_map(|t| [Some(t.left), t.right]).flatten() {
                if let Base::Result(k) = value.base {
                    last[k as usize] = Some(at);
                }
            }
        }
        let mut entries = vec![Vec::new(); n];
        for (e, r) in (0u32..).zip(&code.remaining) {
            if let Base::Result(k) = r.value.base {
                entries[k as usize].push(e);
            }
        }
        let mut ending: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (k, l) in (0u32..).zip(&last) {
            if let Some(l) = l {
                ending[*l].push(k);
            }
        }
        let (mut of, mut free, mut count) = (vec![None; n], Vec::new(), 0);
        for at in 0..n {
            // What is used for the last time makes room for the result itself.
            free.extend(ending[at].iter().filter_map(|&k| of[k as usize]));
            if last[at].is_some() || entries[at].len() > 1 {
                let place = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
                of[at] = Some(place);
                if last[at].is_none() {
                    free.push(place);
                }
            }
        }
        Places { of, entries, count }
    }
}

struct Text<'a> {
    graph: &'a Graph,
    code: &'a Code,
    title: &'a Title<'a>,
    language: Language,
    complete: bool,
    places: Places,
    out: String,
}

impl Text<'_> {
    fn write(mut self) -> String {
        let fortran = self.language == Language::Fortran;
        let name = if self.complete { "jacobian" } else { "accumulate" };
        let result = if self.complete { "j" } else { "r" };
        self.head(result);
        let given = self.graph.given.len().max(1);
        if fortran {
            let size = if self.complete {
                format!("{},{}", self.graph.outputs.len(), self.graph.inputs.len())
            } else {
                self.code.remaining.len().to_string()
            };
            self.line(&format!("subroutine {name}(c, {result})"));
            self.line("  implicit none");
            self.line(&format!("  double precision, intent(in) :: c({given})"));
            self.line(&format!("  double precision, intent(out) :: {result}({size})"));
            for first in (0..self.places.count).step_by(12) {
                let names: Vec<String> = (first..(first + 12).min(self.places.count)).map(|k| format!("t{k}")).collect();
                self.line(&format!("  double precision :: {}", names.join(", ")));
            }
            self.line("");
        } else {
            self.line(&format!("void {name}(const double c[], double {result}[]) {{"));
            for first in (0..self.places.count).step_by(16) {
                let names: Vec<String> = (first..(first + 16).min(self.places.count)).map(|k| format!("t{k}")).collect();
                self.line(&format!("  double {};", names.join(", ")));
            }
        }
        self.zeros();
        self.body();
        self.line(if fortran { "end subroutine" } else { "}" });
        self.out
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn comment(&mut self, text: &str) {
        let line = if self.language == Language::Fortran { format!("! {text}") } else { format!("/* {text} */") };
        self.line(&line);
    }

    fn head(&mut self, result: &str) {
        // A name that would end the comment, or a line, is shown without what would.
        let name: String =
            self.title.name.chars().filter(|c| !c.is_control()).take(80).collect::<String>().replace("*/", "* /").replace("/*", "/ *");
        let multiplications = self.code.multiplications;
        self.comment(&format!("{name}: {multiplications} multiplications, objective {}.", self.title.objective));
        let base = if self.language == Language::Fortran { 1 } else { 0 };
        self.comment(&format!("c: the partial derivatives on the edges, in the order of the graph, from {base}."));
        if self.complete {
            let by = if self.language == Language::Fortran { "j(k, i)" } else { "j[k * inputs + i]" };
            self.comment(&format!("{by}: the derivative of output k by input i, in the order of the graph."));
            return;
        }
        self.comment(&format!("{result}: the factors on the edges that are left:"));
        let id = |v: u32| self.title.ids[self.graph.vertices[v as usize].origin as usize];
        let edges: Vec<String> = self.code.remaining.iter().map(|r| format!("{} -> {}", id(r.source), id(r.target))).collect();
        for group in edges.chunks(8) {
            self.comment(&group.join(", "));
        }
    }

    /// Entries that are zero whatever the factors are.
    fn zeros(&mut self) {
        let all = self.graph.outputs.len() * self.graph.inputs.len();
        if self.complete && self.code.remaining.len() < all {
            match self.language {
                Language::Fortran => self.line("  j = 0.0d0"),
                Language::C => {
                    self.line(&format!("  for (int k = 0; k < {all}; k++) {{"));
                    self.line("    j[k] = 0.0;");
                    self.line("  }");
                }
            }
        }
    }

    fn body(&mut self) {
        let end = if self.language == Language::Fortran { "" } else { ";" };
        let mut uses_given = false;
        let targets = self.targets();
        for (k, r) in self.code.remaining.iter().enumerate() {
            if !matches!(r.value.base, Base::Result(_)) {
                uses_given |= matches!(r.value.base, Base::Given(_));
                let value = self.signed(r.value);
                self.line(&format!("  {} = {value}{end}", targets[k]));
            }
        }
        for (at, operation) in self.code.operations.iter().enumerate() {
            uses_given |=
                operation.terms.iter().any(|t| [Some(t.left), t.right].into_iter().flatten().any(|v| matches!(v.base, Base::Given(_))));
            let sum = self.sum(&operation.terms);
            match (self.places.of[at], &self.places.entries[at][..]) {
                (Some(place), entries) => {
                    let entries: Vec<u32> = entries.to_vec();
                    self.statement(&format!("t{place}"), &sum, end);
                    for e in entries {
                        let sign = if self.code.remaining[e as usize].value.negative { "-" } else { "" };
                        self.line(&format!("  {} = {sign}t{place}{end}", targets[e as usize]));
                    }
                }
                (None, &[e]) if self.code.remaining[e as usize].value.negative => {
                    self.statement(&targets[e as usize], &format!("-({sum})"), end)
                }
                (None, &[e]) => self.statement(&targets[e as usize], &sum, end),
                // Nothing needs the result: the products led to an edge that another step dropped.
                (None, _) => {}
            }
        }
        if self.language == Language::C {
            if !uses_given {
                self.line("  (void)c;");
            }
            if self.code.remaining.is_empty() && (!self.complete || self.graph.outputs.len() * self.graph.inputs.len() == 0) {
                self.line("  (void)j;");
            }
        }
    }

    /// An assignment, with continuation lines where it is long.
    fn statement(&mut self, target: &str, value: &str, end: &str) {
        let line = format!("  {target} = {value}{end}");
        if self.language == Language::C || line.len() <= 120 {
            return self.line(&line);
        }
        let mut rest = line.as_str();
        while rest.len() > 118 {
            let Some(cut) = rest[..116].rfind(' ').filter(|&c| c > 4) else { break };
            let (head, tail) = rest.split_at(cut);
            self.line(&format!("{head} &"));
            self.out.push_str("     ");
            rest = tail;
        }
        self.line(rest);
    }

    /// Where each remaining edge is stored.
    fn targets(&self) -> Vec<String> {
        let position = |list: &[u32]| {
            let mut at = vec![0; list.iter().max().map_or(0, |&m| m as usize + 1)];
            list.iter().enumerate().for_each(|(k, &v)| at[v as usize] = k);
            at
        };
        let (rows, columns) = (position(&self.graph.outputs), position(&self.graph.inputs));
        let name = |(k, r): (usize, &super::code::Remaining)| {
            let origin = |v: u32| self.graph.vertices[v as usize].origin as usize;
            match (self.complete, self.language) {
                (true, Language::C) => format!("j[{}]", rows[origin(r.target)] * self.graph.inputs.len() + columns[origin(r.source)]),
                (true, Language::Fortran) => format!("j({},{})", rows[origin(r.target)] + 1, columns[origin(r.source)] + 1),
                (false, Language::C) => format!("r[{k}]"),
                (false, Language::Fortran) => format!("r({})", k + 1),
            }
        };
        self.code.remaining.iter().enumerate().map(name).collect()
    }

    fn sum(&self, terms: &[Term]) -> String {
        let mut text = String::new();
        for (k, t) in terms.iter().enumerate() {
            let sign = match (k, t.left.negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            text.push_str(sign);
            text.push_str(&self.factor(t.left.base));
            if let Some(right) = t.right {
                // Writing to a string cannot fail.
                let _ = write!(text, "*{}", self.factor(right.base));
            }
        }
        text
    }

    fn signed(&self, v: Value) -> String {
        format!("{}{}", if v.negative { "-" } else { "" }, self.factor(v.base))
    }

    fn factor(&self, base: Base) -> String {
        match base {
            Base::One => self.number(1.0),
            Base::Given(k) => {
                let raw = self.graph.given[k as usize];
                match raw.value.filter(|_| raw.class < Class::Variable) {
                    Some(v) if v < 0.0 => format!("({})", self.number(v)),
                    Some(v) => self.number(v),
                    None if self.language == Language::Fortran => format!("c({})", k + 1),
                    None => format!("c[{k}]"),
                }
            }
            Base::Result(k) => self.places.of[k as usize].map_or_else(String::new, |place| format!("t{place}")),
        }
    }

    fn number(&self, v: f64) -> String {
        let text = format!("{v:?}");
        match self.language {
            Language::C => text,
            Language::Fortran if text.contains('e') => text.replace('e', "d"),
            Language::Fortran => format!("{text}d0"),
        }
    }
}
