//! Programs for unit tests, made by hand in few words.

use xaif::build::GraphBuilder;
use xaif::model::*;

/// A program under construction.
pub struct Maker {
    pub program: Program,
}

/// A unit under construction.
pub struct UnitMaker<'a> {
    pub program: &'a mut Program,
    pub unit: Unit,
    pub graph: GraphBuilder,
}

impl Maker {
    pub fn new() -> Maker {
        let mut program = Program::default();
        program.add_scope(Scope::default());
        Maker { program }
    }

    /// A unit; arguments are `name:kind` with kinds `real`, `int`, `value` (real by value), `array` (real, 1:n), `result`.
    pub fn unit(&mut self, name: &str, arguments: &[&str], body: impl FnOnce(&mut UnitMaker)) -> UnitId {
        let p = &mut self.program;
        let symbol = p.lookup(ScopeId(0), name).unwrap_or_else(|| p.add_symbol(Symbol::subroutine(name, ScopeId(0))));
        let scope = p.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
        let unit = Unit::new(symbol, scope);
        let mut m = UnitMaker { program: p, unit, graph: GraphBuilder::new(scope) };
        for (i, a) in arguments.iter().enumerate() {
            let (name, kind) = a.split_once(':').unwrap();
            let s = m.local(
                name,
                if kind == "int" {
                    "int"
                } else if kind == "array" {
                    "array"
                } else {
                    "real"
                },
            );
            let decl = m.program.symbol_mut(s).decl.as_mut().unwrap();
            decl.storage = Storage::Argument;
            if kind == "value" {
                decl.passing = Passing::Value;
            }
            let mut f = Formal::new(i as u32 + 1, s, Intent::Inout);
            if kind == "result" {
                f.result = true;
                f.intent = Intent::Out;
                m.unit.kind = UnitKind::Function;
            }
            m.unit.formals.push(f);
        }
        body(&mut m);
        let UnitMaker { mut unit, graph, .. } = m;
        let built = graph.finish().unwrap();
        unit.graph = built.graph;
        unit.structured = built.structured;
        self.program.add_unit(unit)
    }

    /// A real variable of file scope.
    pub fn global(&mut self, name: &str) -> SymbolId {
        let mut s = Symbol::variable(name, ElemType::REAL64, ScopeId(0));
        s.decl.as_mut().unwrap().storage = Storage::Global;
        self.program.add_symbol(s)
    }
}

impl UnitMaker<'_> {
    pub fn local(&mut self, name: &str, kind: &str) -> SymbolId {
        let ty = if kind == "int" { ElemType::INTEGER } else { ElemType::REAL64 };
        let mut s = Symbol::variable(name, ty, self.unit.scope);
        if kind == "array" {
            s.rank = 1;
            let upper = match self.program.lookup(self.unit.scope, "n") {
                Some(n) => Bound::Expr(Expr::sym(n)),
                None => Bound::Expr(Expr::int(5)),
            };
            s.decl.as_mut().unwrap().dims = vec![Dim { lower: Bound::Expr(Expr::int(1)), upper }];
        }
        self.program.add_symbol(s)
    }

    pub fn sym(&self, name: &str) -> SymbolId {
        self.program.lookup(self.unit.scope, name).unwrap_or_else(|| panic!("no {name}"))
    }

    /// `x`, `a(i)`, a number, or prefix notation: `(mul_scal_scal x y)`.
    pub fn expr(&self, text: &str) -> Expr {
        let tokens: Vec<String> = text.replace('(', " ( ").replace(')', " ) ").split_whitespace().map(str::to_owned).collect();
        let mut at = 0;
        self.parse(&tokens, &mut at)
    }

    fn parse(&self, t: &[String], at: &mut usize) -> Expr {
        let word = &t[*at];
        *at += 1;
        if word == "(" {
            let name = t[*at].clone();
            *at += 1;
            let mut operands = Vec::new();
            while t[*at] != ")" {
                operands.push(self.parse(t, at));
            }
            *at += 1;
            if name == "at" {
                let array = operands.remove(0);
                return Expr::var(VarRef::element(array.as_var().unwrap().symbol, operands));
            }
            if let Some(op) = BoolOp::from_name(&name) {
                return Expr::boolean(op, operands);
            }
            let full = match name.as_str() {
                "+" => "add_scal_scal",
                "-" => "sub_scal_scal",
                "*" => "mul_scal_scal",
                "/" => "div_scal_scal",
                other => other,
            };
            return Expr::op(full, operands);
        }
        if let Ok(i) = word.parse::<i64>() {
            return Expr::int(i);
        }
        if let Ok(v) = word.parse::<f64>() {
            return Expr::real(v, 64);
        }
        Expr::sym(self.sym(word))
    }

    /// `lhs = rhs` in the notation of [`UnitMaker::expr`].
    pub fn set(&mut self, lhs: &str, rhs: &str) {
        let l = self.expr(lhs).as_var().unwrap().clone();
        let r = self.expr(rhs);
        self.graph.stmt(Stmt::assign(l, r));
    }

    pub fn call(&mut self, name: &str, arguments: &[&str]) {
        let arguments = arguments.iter().enumerate().map(|(i, a)| CallArgument::new(i as u32 + 1, self.expr(a))).collect();
        let callee = match self.program.lookup(ScopeId(0), name) {
            Some(s) => s,
            None => self.program.add_symbol(Symbol::subroutine(name, ScopeId(0))),
        };
        self.graph.stmt(Stmt::new(StmtKind::Call(Call { callee, arguments, formal_count: None, active: Tri::Undefined })));
    }

    /// do i = 1, n
    pub fn begin_do(&mut self, i: &str, n: &str) {
        let v = self.sym(i);
        let head = ForLoop {
            explicit: false,
            init: Stmt::assign(VarRef::whole(v), Expr::int(1)),
            condition: Expr::boolean(BoolOp::LessOrEqual, [Expr::sym(v), self.expr(n)]),
            update: Stmt::assign(VarRef::whole(v), Expr::op("add_scal_scal", [Expr::sym(v), Expr::int(1)])),
            counted: true,
        };
        self.graph.begin_for(head);
    }
}

impl UnitMaker<'_> {
    /// if (x > 0) then, closed by `graph.end_branch()`.
    pub fn begin_if_positive(&mut self, x: &str) {
        let condition = Expr::boolean(BoolOp::GreaterThan, [self.expr(x), Expr::int(0)]);
        self.graph.begin_branch(condition);
        self.graph.arm(&[1]);
    }
}
