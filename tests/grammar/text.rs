//! A program as text: a tree of lines and blocks, and what is known of its head.
//!
//! Never here: how any of it is thought up, what is done with it. Texts hold a few marks, which [`Program::print`] replaces:
//! `Q_` begins every name that must be unique among many programs, `RE(...)` is the real part where a program is printed in complex arithmetic.

/// A line, or a construct with bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What opens each arm (`if (x) {`, `} else {`), and what stands in it. A plain line is one without a body and a close.
    pub arms: Vec<(String, Vec<Node>)>,
    /// What closes it; nothing for a plain line.
    pub close: Option<String>,
}

impl Node {
    pub fn line(text: impl Into<String>) -> Node {
        Node { arms: vec![(text.into(), Vec::new())], close: None }
    }

    pub fn block(open: impl Into<String>, body: Vec<Node>, close: impl Into<String>) -> Node {
        Node { arms: vec![(open.into(), body)], close: Some(close.into()) }
    }

    fn print(&self, depth: usize, out: &mut String) {
        for (open, body) in &self.arms {
            lines(open, depth, out);
            body.iter().for_each(|n| n.print(depth + 1, out));
        }
        if let Some(close) = &self.close {
            lines(close, depth, out);
        }
    }

    /// How many lines it opens.
    pub fn size(&self) -> usize {
        self.arms.iter().map(|(_, body)| 1 + size(body)).sum()
    }
}

pub fn size(list: &[Node]) -> usize {
    list.iter().map(Node::size).sum()
}

/// Preprocessor lines and labels of fixed form keep their column.
fn lines(text: &str, depth: usize, out: &mut String) {
    for line in text.split('\n') {
        if !line.starts_with('#') && !line.is_empty() {
            out.push_str(&"  ".repeat(depth));
        }
        out.push_str(line);
        out.push('\n');
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Fortran,
}

/// What an argument of the head is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer that is the length of arrays.
    Length,
    Double,
    Float,
}

/// An argument of the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub name: String,
    pub kind: Kind,
    /// Passed by value (C).
    pub value: bool,
    /// How many numbers it is.
    pub elements: usize,
    pub array: bool,
    pub matrix: bool,
    pub read: bool,
    pub written: bool,
}

/// The procedure to be differentiated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    pub arguments: Vec<Argument>,
    /// A function with a result.
    pub result: Option<String>,
    /// The module that it is in (Fortran).
    pub module: Option<String>,
    pub independents: Vec<String>,
    pub dependents: Vec<String>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    pub nodes: Vec<Node>,
}

/// A program; its head is called `Q_head`.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub language: Language,
    pub files: Vec<File>,
    /// Procedures of which the tool sees no text, in the same language.
    pub unseen: Vec<Node>,
    pub head: Head,
    pub single: bool,
    /// Fixed source form.
    pub fixed: bool,
}

impl Program {
    /// The text of each file in real arithmetic; the names begin as told.
    pub fn print(&self, prefix: &str) -> Vec<String> {
        self.files.iter().map(|f| self.one(&f.nodes, prefix, false)).collect()
    }

    /// The same in complex arithmetic.
    pub fn print_complex(&self, prefix: &str) -> Vec<String> {
        self.files.iter().map(|f| self.one(&f.nodes, prefix, true)).collect()
    }

    /// What the tool does not see.
    pub fn print_unseen(&self, prefix: &str, complex: bool) -> String {
        self.one(&self.unseen, prefix, complex)
    }

    fn one(&self, nodes: &[Node], prefix: &str, complex: bool) -> String {
        let text = text_of(nodes);
        match (self.language, complex) {
            (Language::C, false) => real(&text, prefix),
            (Language::C, true) => text.replace("Q_", prefix),
            (Language::Fortran, false) => super::fortran::plain(&text, prefix, self.fixed),
            (Language::Fortran, true) => super::fortran::complex(&text, prefix, self.fixed),
        }
    }

    pub fn size(&self) -> usize {
        self.files.iter().map(|f| size(&f.nodes)).sum()
    }
}

/// C in real arithmetic.
pub fn real(text: &str, prefix: &str) -> String {
    text.replace("RE(", "(").replace("Q_", prefix)
}

fn text_of(nodes: &[Node]) -> String {
    let mut out = String::new();
    nodes.iter().for_each(|n| n.print(0, &mut out));
    out
}
