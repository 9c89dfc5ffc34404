//! Programs built by hand, printed, compiled and run.
//!
//! Lives here: what the tests of this back end share.

mod control;
mod foreign;
mod units;

use super::{UnparseOptions, Unparsed, unparse};
use std::path::Path;
use std::process::Command;
use xaif::build::GraphBuilder;
use xaif::model::*;

/// A program under construction: one file scope, units added one by one.
pub struct Maker {
    /// The program.
    pub p: Program,
}

impl Maker {
    /// An empty Fortran program.
    pub fn fortran() -> Maker {
        let mut p = Program { case_insensitive: true, ..Program::default() };
        p.sources.push(Source::new("kernel.f90", "fortran", false, ""));
        p.add_scope(Scope::default());
        Maker { p }
    }

    /// An empty C program.
    pub fn c() -> Maker {
        let mut m = Maker::fortran();
        m.p.case_insensitive = false;
        m.p.index_order = IndexOrder::Row;
        m.p.sources[0] = Source::new("kernel.c", "c", false, "");
        m
    }

    /// A scope inside another one.
    pub fn scope(&mut self, parent: ScopeId) -> ScopeId {
        self.p.add_scope(Scope { parent: Some(parent), ..Scope::default() })
    }

    /// A unit without statements.
    pub fn unit(&mut self, name: &str, parent: ScopeId, kind: UnitKind) -> (UnitId, ScopeId) {
        let symbol = self.p.add_symbol(Symbol::subroutine(name, parent));
        let scope = self.scope(parent);
        let u = self.p.add_unit(Unit { kind, ..Unit::new(symbol, scope) });
        (u, scope)
    }

    /// A local variable.
    pub fn local(&mut self, scope: ScopeId, name: &str, ty: ElemType) -> SymbolId {
        self.p.add_symbol(Symbol::variable(name, ty, scope))
    }

    /// A variable with a storage.
    pub fn stored(&mut self, scope: ScopeId, name: &str, ty: ElemType, storage: Storage) -> SymbolId {
        let s = self.local(scope, name, ty);
        self.decl(s).storage = storage;
        s
    }

    /// A declaration, to be changed.
    pub fn decl(&mut self, s: SymbolId) -> &mut Decl {
        self.p.symbol_mut(s).decl.get_or_insert_with(Default::default)
    }

    /// Dimensions with these lower and upper bounds.
    pub fn dims(&mut self, s: SymbolId, dims: &[(i64, Option<Expr>)]) {
        self.p.symbol_mut(s).rank = dims.len() as u8;
        self.decl(s).dims = dims
            .iter()
            .map(|(l, u)| Dim { lower: Bound::Expr(Expr::int(*l)), upper: u.clone().map_or(Bound::Unknown, Bound::Expr) })
            .collect();
    }

    /// A formal argument.
    pub fn formal(&mut self, unit: UnitId, name: &str, ty: ElemType, intent: Intent) -> SymbolId {
        let scope = self.p.unit(unit).scope;
        let s = self.stored(scope, name, ty, Storage::Argument);
        let position = self.p.unit(unit).formals.len() as u32 + 1;
        self.p.units[unit.index()].formals.push(Formal::new(position, s, intent));
        s
    }

    /// The function's result.
    pub fn result(&mut self, unit: UnitId, name: &str, ty: ElemType) -> SymbolId {
        let s = self.formal(unit, name, ty, Intent::Out);
        if let Some(f) = self.p.units[unit.index()].formals.last_mut() {
            f.result = true;
        }
        s
    }

    /// Gives a unit its statements.
    pub fn body(&mut self, unit: UnitId, make: impl FnOnce(&mut GraphBuilder)) {
        let mut b = GraphBuilder::new(self.p.unit(unit).scope);
        make(&mut b);
        let built = b.finish().unwrap();
        let u = &mut self.p.units[unit.index()];
        u.graph = built.graph;
        u.structured = built.structured;
    }

    /// Prints the program.
    pub fn print(&self) -> Unparsed {
        unparse(&self.p, &UnparseOptions::default()).unwrap_or_else(|d| panic!("{d:#?}"))
    }

    /// The codes of the refusals.
    pub fn refusals(&self) -> Vec<&'static str> {
        match unparse(&self.p, &UnparseOptions::default()) {
            Ok(out) => panic!("not refused:\n{}", out.source),
            Err(d) => d.iter().map(|d| d.code).collect(),
        }
    }
}

pub const REAL: ElemType = ElemType::REAL64;
pub const INT: ElemType = ElemType::INTEGER;

pub fn v(s: SymbolId) -> Expr {
    Expr::sym(s)
}

pub fn at(s: SymbolId, i: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::var(VarRef::element(s, i))
}

pub fn real(x: f64) -> Expr {
    Expr::real(x, 64)
}

pub fn op(name: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::op(name, operands)
}

pub fn add(a: Expr, b: Expr) -> Expr {
    op("add_scal_scal", [a, b])
}

pub fn sub(a: Expr, b: Expr) -> Expr {
    op("sub_scal_scal", [a, b])
}

pub fn mul(a: Expr, b: Expr) -> Expr {
    op("mul_scal_scal", [a, b])
}

pub fn div(a: Expr, b: Expr) -> Expr {
    op("div_scal_scal", [a, b])
}

pub fn set(s: SymbolId, e: Expr) -> Stmt {
    Stmt::assign(VarRef::whole(s), e)
}

pub fn lt(a: Expr, b: Expr) -> Expr {
    Expr::boolean(BoolOp::LessThan, [a, b])
}

pub fn le(a: Expr, b: Expr) -> Expr {
    Expr::boolean(BoolOp::LessOrEqual, [a, b])
}

pub fn gt(a: Expr, b: Expr) -> Expr {
    Expr::boolean(BoolOp::GreaterThan, [a, b])
}

pub fn eq(a: Expr, b: Expr) -> Expr {
    Expr::boolean(BoolOp::Equal, [a, b])
}

/// `do i = first, last`
pub fn upto(i: SymbolId, first: Expr, last: Expr) -> ForLoop {
    ForLoop { explicit: false, init: set(i, first), condition: le(v(i), last), update: set(i, add(v(i), Expr::int(1))), counted: true }
}

pub fn call(callee: SymbolId, arguments: impl IntoIterator<Item = Expr>) -> Stmt {
    let arguments = arguments.into_iter().enumerate().map(|(i, e)| CallArgument::new(i as u32 + 1, e)).collect();
    Stmt::new(StmtKind::Call(Call { callee, arguments, formal_count: None, active: Tri::Undefined }))
}

fn gfortran(folder: &Path, arguments: &[&str]) {
    let out = Command::new("gfortran").args(arguments).current_dir(folder).output().expect("gfortran is installed");
    let complaints = String::from_utf8_lossy(&out.stderr);
    // COMMON is obsolescent in Fortran 2018, which is the user's choice.
    let warned = complaints.lines().any(|l| l.starts_with("Warning:") && !l.contains("COMMON block"));
    assert!(out.status.success() && !warned, "{complaints}");
}

/// The run-time module, compiled once: a folder with its module and object files.
fn runtime() -> &'static Path {
    static FOLDER: std::sync::OnceLock<tempfile::TempDir> = std::sync::OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("overbar_runtime.f90"), crate::RUNTIME).unwrap();
            gfortran(folder.path(), &["-std=f2018", "-Wall", "-Wextra", "-pedantic", "-c", "overbar_runtime.f90"]);
            folder
        })
        .path()
}

fn check(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
    let include = format!("-I{}", runtime().display());
    let out = Command::new("gfortran").args(["-std=f2018", "-Wall", &include, "-c", name]).current_dir(folder).output().unwrap();
    let complaints = String::from_utf8_lossy(&out.stderr);
    let excepted = ["COMMON block", "-Walign-commons", "-Wunused-dummy-argument"];
    let warned = complaints.lines().any(|l| l.starts_with("Warning:") && !excepted.iter().any(|e| l.contains(e)));
    assert!(out.status.success() && !warned, "{complaints}\n{text}");
}

/// Compiles text without a warning.
pub fn compiles(text: &str, fixed: bool) {
    let folder = tempfile::tempdir().unwrap();
    check(folder.path(), if fixed { "unit.f" } else { "unit.f90" }, text);
}

/// Compiles text with a main program and returns what it prints.
pub fn runs(text: &str, main: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    check(folder.path(), "unit.f90", text);
    std::fs::write(folder.path().join("main.f90"), main).unwrap();
    let (include, object) = (format!("-I{}", runtime().display()), runtime().join("overbar_runtime.o").display().to_string());
    gfortran(folder.path(), &["-g", "-fcheck=all", &include, "unit.f90", "main.f90", &object, "-o", "main"]);
    let out = Command::new(folder.path().join("main")).output().unwrap();
    assert!(out.status.success(), "{}\n{text}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}
