//! Programs that no front end makes: plain graphs, unsigned loops backwards, recorded arrays, and what is refused.

mod common;
use common::{compile, folder, run};
use overbar_c::{UnparseOptions, unparse};
use xaif::Program;
use xaif::build::GraphBuilder;
use xaif::model::*;

/// A program with one unit `f` and a way to add symbols to it.
struct Maker {
    program: Program,
    scope: ScopeId,
    formals: Vec<Formal>,
}

impl Maker {
    fn new(order: IndexOrder) -> Maker {
        let mut program = Program { index_order: order, ..Program::default() };
        let file = program.add_scope(Scope::default());
        let scope = program.add_scope(Scope { parent: Some(file), ..Scope::default() });
        Maker { program, scope, formals: Vec::new() }
    }

    fn symbol(&mut self, name: &str, ty: ElemType, dims: Vec<Dim>, change: impl FnOnce(&mut Decl)) -> SymbolId {
        let mut s = Symbol::variable(name, ty, self.scope);
        s.rank = dims.len() as u8;
        let decl = s.decl.get_or_insert_default();
        decl.dims = dims;
        change(decl);
        self.program.add_symbol(s)
    }

    fn argument(&mut self, name: &str, ty: ElemType, passing: Passing, dims: Vec<Dim>) -> SymbolId {
        let s = self.symbol(name, ty, dims, |d| {
            d.storage = Storage::Argument;
            d.passing = passing;
        });
        self.formals.push(Formal::new(self.formals.len() as u32 + 1, s, Intent::Inout));
        s
    }

    fn finish(mut self, graph: FlowGraph, structured: bool) -> Program {
        let name = self.program.add_symbol(Symbol::subroutine("f", ScopeId(0)));
        let unit = Unit { graph, structured, formals: self.formals, ..Unit::new(name, self.scope) };
        self.program.add_unit(unit);
        self.program
    }
}

fn upto(n: i64) -> Dim {
    Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Expr(Expr::int(n - 1)) }
}

fn sum(a: Expr, b: Expr) -> Expr {
    Expr::op("add_scal_scal", [a, b])
}

fn print(p: &Program) -> String {
    match unparse(p, &UnparseOptions::default()) {
        Ok(out) => out.source,
        Err(problems) => panic!("{}", problems.iter().map(|p| format!("{p}\n")).collect::<String>()),
    }
}

fn codes(p: &Program) -> Vec<&'static str> {
    unparse(p, &UnparseOptions::default()).unwrap_err().iter().map(|d| d.code).collect()
}

/// for (i = n - 1; i >= 0; i--) s = 2 * s + i, with an unsigned i.
#[test]
fn unsigned_loops_end_when_they_run_backwards() {
    let loop_down = |step: i64| {
        let mut m = Maker::new(IndexOrder::Row);
        let n = m.argument("n", ElemType::INTEGER, Passing::Value, vec![]);
        let s = m.argument("s", ElemType::REAL64, Passing::Reference, vec![]);
        let i = m.symbol("i", ElemType::INTEGER, vec![], |d| d.attributes.push("unsigned".into()));
        for id in [n, i] {
            m.program.symbol_mut(id).decl.get_or_insert_default().attributes.push("unsigned".into());
        }
        let mut b = GraphBuilder::new(m.scope);
        let set = |rhs| Stmt::assign(VarRef::whole(i), rhs);
        b.begin_for(ForLoop {
            explicit: false,
            init: set(Expr::op("sub_scal_scal", [Expr::sym(n), Expr::int(1)])),
            condition: Expr::boolean(BoolOp::GreaterOrEqual, [Expr::sym(i), Expr::int(0)]),
            update: set(sum(Expr::sym(i), Expr::int(-step))),
            counted: true,
        });
        b.stmt(Stmt::assign(VarRef::whole(s), sum(Expr::op("mul_scal_scal", [Expr::int(2), Expr::sym(s)]), Expr::sym(i))));
        b.end_loop();
        let built = b.finish().unwrap();
        m.finish(built.graph, built.structured)
    };
    let text = print(&loop_down(1));
    assert!(text.contains("for (unsigned int i = n; i-- > 0;)"), "{text}");
    let dir = folder();
    let f = compile(dir.path(), "f.c", &text);
    let driver = compile(
        dir.path(),
        "main.c",
        "#include <stdio.h>\nvoid f(unsigned int n, double *s);\nint main(void) {\n  double s = 1, t = 5;\n  f(4, &s);\n  f(0, &t);\n  printf(\"%g %g\\n\", s, t);\n  return 0;\n}\n",
    );
    assert_eq!(run(dir.path(), &[&driver, &f], &[]).1, "50 5\n");
    assert_eq!(codes(&loop_down(2)), ["OB5114"]);
}

/// A loop of blocks and branches without any structure marked: Collatz steps.
#[test]
fn plain_graphs_become_gotos() {
    let mut m = Maker::new(IndexOrder::Row);
    let n = m.argument("n", ElemType::INTEGER, Passing::Reference, vec![]);
    let steps = m.argument("steps", ElemType::INTEGER, Passing::Reference, vec![]);
    let scope = m.scope;
    let block = |stmt: Stmt| Vertex::new(VertexKind::Block { scope, stmts: vec![Box::new(stmt)] });
    let mut g = FlowGraph::default();
    let entry = g.add_node(Vertex::new(VertexKind::Entry));
    let start = g.add_node(block(Stmt::assign(VarRef::whole(steps), Expr::int(0))));
    let test = g.add_node(Vertex::new(VertexKind::Branch(Expr::boolean(BoolOp::NotEqual, [Expr::sym(n), Expr::int(1)]))));
    let even = Expr::op("mod_scal_scal", [Expr::sym(n), Expr::int(2)]);
    let parity = g.add_node(Vertex::new(VertexKind::Branch(even)));
    let half = g.add_node(block(Stmt::assign(VarRef::whole(n), Expr::op("div_scal_scal", [Expr::sym(n), Expr::int(2)]))));
    let triple = Expr::op("mul_scal_scal", [Expr::int(3), Expr::sym(n)]);
    let more = g.add_node(block(Stmt::assign(VarRef::whole(n), sum(triple, Expr::int(1)))));
    let count = g.add_node(block(Stmt::assign(VarRef::whole(steps), sum(Expr::sym(steps), Expr::int(1)))));
    let exit = g.add_node(Vertex::new(VertexKind::Exit));
    let value = |v| FlowEdge { value: Some(v), ..FlowEdge::default() };
    g.add_edge(entry, start, FlowEdge::default());
    g.add_edge(start, test, FlowEdge::default());
    g.add_edge(test, parity, value(1));
    g.add_edge(test, exit, FlowEdge::default());
    g.add_edge(parity, half, value(0));
    g.add_edge(parity, more, FlowEdge::default());
    g.add_edge(half, count, FlowEdge::default());
    g.add_edge(more, count, FlowEdge::default());
    g.add_edge(count, test, FlowEdge::default());
    let text = print(&m.finish(g, false));
    assert!(text.contains("goto"), "{text}");
    let dir = folder();
    let f = compile(dir.path(), "f.c", &text);
    let driver = compile(
        dir.path(),
        "main.c",
        "#include <stdio.h>\nvoid f(int *n, int *steps);\nint main(void) {\n  int n = 27, s;\n  f(&n, &s);\n  printf(\"%d %d\\n\", n, s);\n  return 0;\n}\n",
    );
    assert_eq!(run(dir.path(), &[&driver, &f], &[]).1, "1 111\n");
}

/// Whole arrays, rows and columns are recorded and come back, in both storage orders.
#[test]
fn arrays_and_sections_are_recorded() {
    for order in [IndexOrder::Row, IndexOrder::Column] {
        let mut m = Maker::new(order);
        let a = m.argument("a", ElemType::REAL64, Passing::Reference, vec![upto(3), upto(4)]);
        let v = m.argument("v", ElemType { base: BaseType::Real, bits: 32 }, Passing::Reference, vec![upto(5)]);
        let k = m.symbol("k", ElemType::INTEGER, vec![], |_| {});
        let row = VarRef { subscripts: vec![Triplet::element(Expr::int(1)), Triplet::default()].into(), ..VarRef::whole(a) };
        let column = VarRef { subscripts: vec![Triplet::default(), Triplet::element(Expr::int(2))].into(), ..VarRef::whole(a) };
        let part = Triplet { index: Some(Expr::int(1)), bound: Some(Expr::int(3)), stride: None };
        let odd = Triplet { index: Some(Expr::int(0)), bound: Some(Expr::int(4)), stride: Some(Expr::int(2)) };
        let parts = [
            VarRef::whole(a),
            row,
            column,
            VarRef { subscripts: vec![part].into(), ..VarRef::whole(v) },
            VarRef { subscripts: vec![odd].into(), ..VarRef::whole(v) },
            VarRef::whole(k),
        ];
        let mut b = GraphBuilder::new(m.scope);
        b.stmt(Stmt::assign(VarRef::whole(k), Expr::int(7)));
        for p in &parts {
            b.stmt(Stmt::runtime("push", Expr::var(p.clone())));
            let zero = if p.symbol == k { Expr::int(0) } else { Expr::real(-1.0, 64) };
            b.stmt(Stmt::assign(p.clone(), zero));
        }
        for p in parts.iter().rev() {
            b.stmt(Stmt::runtime("pop", Expr::var(p.clone())));
        }
        let element = VarRef::element(a, [Expr::int(0), Expr::int(0)]);
        b.stmt(Stmt::assign(element.clone(), sum(Expr::var(element), Expr::sym(k))));
        let built = b.finish().unwrap();
        let text = print(&m.finish(built.graph, built.structured));
        assert!(text.contains("ob_push_double_array(&a[0][0], 12);"), "{text}");
        let dir = folder();
        let f = compile(dir.path(), "f.c", &text);
        let driver = compile(
            dir.path(),
            "main.c",
            "#include <stdio.h>\nvoid f(void *a, float *v);\nint main(void) {\n  double a[12];\n  float v[5];\n  int bad = 0;\n  for (int i = 0; i < 12; i++)\n    a[i] = i;\n  \
             for (int i = 0; i < 5; i++)\n    v[i] = 0.5f * i;\n  f(a, v);\n  for (int i = 0; i < 12; i++)\n    bad += a[i] != i + (i == 0 ? 7 : 0);\n  \
             for (int i = 0; i < 5; i++)\n    bad += v[i] != 0.5f * i;\n  printf(\"%d\\n\", bad);\n  return 0;\n}\n",
        );
        assert_eq!(run(dir.path(), &[&driver, &f], &[]).1, "0\n", "{text}");
    }
}

#[test]
fn names_that_c_forbids_are_changed() {
    let mut m = Maker::new(IndexOrder::Column);
    let double = m.argument("double", ElemType::REAL64, Passing::Reference, vec![]);
    let exp = m.argument("exp", ElemType::REAL64, Passing::Reference, vec![]);
    let unused = m.argument("unused", ElemType::REAL64, Passing::Reference, vec![]);
    let never = m.symbol("never", ElemType::REAL64, vec![], |_| {});
    let mut b = GraphBuilder::new(m.scope);
    b.stmt(Stmt::assign(VarRef::whole(never), Expr::sym(exp)));
    b.stmt(Stmt::assign(VarRef::whole(double), Expr::op("exp_scal", [Expr::sym(exp)])));
    let built = b.finish().unwrap();
    let p = m.finish(built.graph, true);
    assert_eq!(p.symbol(unused).name, "unused");
    let text = print(&p);
    assert!(
        text.ends_with("void f(double *double_, double *exp_, double *unused) {\n  (void)unused;\n  *double_ = exp(*exp_);\n}\n"),
        "{text}"
    );
    compile(folder().path(), "f.c", &text);
}

#[test]
fn what_has_no_counterpart_is_refused() {
    let with = |ty: ElemType, make: &dyn Fn(SymbolId) -> Stmt| {
        let mut m = Maker::new(IndexOrder::Column);
        let x = m.argument("x", ty, Passing::Reference, vec![]);
        let mut b = GraphBuilder::new(m.scope);
        b.stmt(make(x));
        let built = b.finish().unwrap();
        codes(&m.finish(built.graph, true))
    };
    let set = |x, e| Stmt::assign(VarRef::whole(x), e);
    let marker =
        |text: &str| Stmt::new(StmtKind::Marker(Box::new(Marker { text: text.into(), class: MarkerClass::Io, ..Marker::default() })));
    assert_eq!(with(ElemType::REAL64, &|_| marker("print *, x")), ["OB5101"]);
    assert_eq!(with(ElemType { base: BaseType::Complex, bits: 64 }, &|x| set(x, Expr::int(1))), ["OB5102"]);
    assert_eq!(with(ElemType::REAL64, &|x| set(x, Expr::op("frobnicate", [Expr::sym(x)]))), ["OB5103"]);
    assert_eq!(with(ElemType::REAL64, &|x| set(x, Expr::var(VarRef { deriv: true, ..VarRef::whole(x) }))), ["OB5104"]);
    assert_eq!(with(ElemType::REAL64, &|x| Stmt::runtime("push_s0", Expr::sym(x))), ["OB5111"]);
    assert_eq!(with(ElemType::REAL64, &|x| set(x, Expr::op("mul_scal_scal", [Expr::sym(x)]))), ["OB5113"]);
}

/// Deep and shared terms neither overflow the stack nor fill the memory.
#[test]
fn large_expressions_are_handled() {
    let with = |e: &dyn Fn(SymbolId) -> Expr| {
        let mut m = Maker::new(IndexOrder::Row);
        let x = m.argument("x", ElemType::REAL64, Passing::Reference, vec![]);
        let mut b = GraphBuilder::new(m.scope);
        b.stmt(Stmt::assign(VarRef::whole(x), e(x)));
        let built = b.finish().unwrap();
        m.finish(built.graph, true)
    };
    let chain = |x: SymbolId| {
        let mut e = Expr::op("sin_scal", [Expr::sym(x)]);
        for _ in 0..20_000 {
            let node = Node { kind: e.root().kind.clone(), operands: [e.root_id()].into_iter().collect(), origin: None };
            e.nodes.push(node);
        }
        e
    };
    assert!(print(&with(&chain)).matches("sin(").count() > 20_000);
    let shared = |x: SymbolId| {
        let mut e = Expr::op("add_scal_scal", [Expr::sym(x), Expr::sym(x)]);
        for _ in 0..60 {
            let node = Node { kind: e.root().kind.clone(), operands: [e.root_id(), e.root_id()].into_iter().collect(), origin: None };
            e.nodes.push(node);
        }
        e
    };
    assert_eq!(codes(&with(&shared)), ["OB5104"]);
}
