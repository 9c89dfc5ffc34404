//! Building small programs directly in the model, for tests.
#![allow(dead_code)]
#![allow(missing_docs)]

use xaif::build::GraphBuilder;
use xaif::model::*;

pub const R64: ElemType = ElemType::REAL64;
pub const R32: ElemType = ElemType { base: BaseType::Real, bits: 32 };
pub const INT: ElemType = ElemType::INTEGER;

/// An empty program with its file scope.
pub fn program(order: IndexOrder) -> Program {
    let mut p = Program { name: "test".into(), index_order: order, ..Program::default() };
    p.add_scope(Scope::default());
    p
}

/// A unit under construction.
pub struct Builder<'a> {
    pub program: &'a mut Program,
    pub scope: ScopeId,
    pub unit: Unit,
    pub graph: GraphBuilder,
}

impl<'a> Builder<'a> {
    pub fn new(program: &'a mut Program, name: &str) -> Builder<'a> {
        let symbol = program.add_symbol(Symbol::subroutine(name, ScopeId(0)));
        let scope = program.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
        let unit = Unit::new(symbol, scope);
        Builder { program, scope, unit, graph: GraphBuilder::new(scope) }
    }

    pub fn symbol(&mut self, name: &str, ty: ElemType, dims: &[(Expr, Option<Expr>)], storage: Storage, passing: Passing) -> SymbolId {
        let mut s = Symbol::variable(name, ty, self.scope);
        s.rank = dims.len() as u8;
        s.active = ty.is_real();
        s.decl = Some(Box::new(Decl {
            passing,
            storage,
            dims: dims
                .iter()
                .map(|(l, u)| Dim { lower: Bound::Expr(l.clone()), upper: u.clone().map_or(Bound::Unknown, Bound::Expr) })
                .collect(),
            ..Decl::default()
        }));
        self.program.add_symbol(s)
    }

    pub fn local(&mut self, name: &str, ty: ElemType) -> SymbolId {
        self.symbol(name, ty, &[], Storage::Local, Passing::Reference)
    }

    pub fn local_array(&mut self, name: &str, ty: ElemType, dims: &[(Expr, Option<Expr>)]) -> SymbolId {
        self.symbol(name, ty, dims, Storage::Local, Passing::Reference)
    }

    pub fn formal(&mut self, name: &str, ty: ElemType, dims: &[(Expr, Option<Expr>)], intent: Intent, passing: Passing) -> SymbolId {
        let s = self.symbol(name, ty, dims, Storage::Argument, passing);
        let position = self.unit.formals.len() as u32 + 1;
        self.unit.formals.push(Formal::new(position, s, intent));
        s
    }

    pub fn reference(&mut self, name: &str, ty: ElemType, intent: Intent) -> SymbolId {
        self.formal(name, ty, &[], intent, Passing::Reference)
    }

    pub fn value(&mut self, name: &str, ty: ElemType) -> SymbolId {
        self.formal(name, ty, &[], Intent::In, Passing::Value)
    }

    /// A function's result as the last formal.
    pub fn result(&mut self, name: &str, ty: ElemType) -> SymbolId {
        let s = self.symbol(name, ty, &[], Storage::Local, Passing::Reference);
        let position = self.unit.formals.len() as u32 + 1;
        self.unit.formals.push(Formal { result: true, ..Formal::new(position, s, Intent::Out) });
        self.unit.kind = UnitKind::Function;
        s
    }

    pub fn set(&mut self, s: SymbolId, e: Expr) {
        self.graph.stmt(Stmt::assign(VarRef::whole(s), e));
    }

    pub fn set_at(&mut self, s: SymbolId, indices: impl IntoIterator<Item = Expr>, e: Expr) {
        self.graph.stmt(Stmt::assign(VarRef::element(s, indices), e));
    }

    pub fn call(&mut self, callee: SymbolId, arguments: impl IntoIterator<Item = Expr>) {
        let arguments: Vec<CallArgument> = arguments.into_iter().enumerate().map(|(k, e)| CallArgument::new(k as u32 + 1, e)).collect();
        let formal_count = Some(arguments.len() as u32);
        self.graph.stmt(Stmt::new(StmtKind::Call(Call { callee, arguments, formal_count, active: Tri::Undefined })));
    }

    /// `for (i = from; i <= to; i += 1)`, counted.
    pub fn begin_for(&mut self, i: SymbolId, from: Expr, to: Expr) {
        self.begin_for_step(i, from, to, 1, true);
    }

    pub fn begin_for_step(&mut self, i: SymbolId, from: Expr, to: Expr, step: i64, counted: bool) {
        let compare = if step > 0 { BoolOp::LessOrEqual } else { BoolOp::GreaterOrEqual };
        self.graph.begin_for(ForLoop {
            explicit: false,
            init: Stmt::assign(VarRef::whole(i), from),
            condition: Expr::boolean(compare, [Expr::sym(i), to]),
            update: Stmt::assign(VarRef::whole(i), add(Expr::sym(i), Expr::int(step))),
            counted,
        });
    }

    pub fn finish(mut self) -> UnitId {
        let built = self.graph.finish().expect("labels are defined");
        self.unit.graph = built.graph;
        self.unit.structured = built.structured;
        self.program.add_unit(self.unit)
    }
}

pub fn add(a: Expr, b: Expr) -> Expr {
    Expr::op("add_scal_scal", [a, b])
}
pub fn sub(a: Expr, b: Expr) -> Expr {
    Expr::op("sub_scal_scal", [a, b])
}
pub fn mul(a: Expr, b: Expr) -> Expr {
    Expr::op("mul_scal_scal", [a, b])
}
pub fn div(a: Expr, b: Expr) -> Expr {
    Expr::op("div_scal_scal", [a, b])
}
pub fn f1(name: &str, a: Expr) -> Expr {
    Expr::op(name, [a])
}
pub fn sym(s: SymbolId) -> Expr {
    Expr::sym(s)
}
pub fn at(s: SymbolId, indices: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::var(VarRef::element(s, indices))
}
pub fn int(i: i64) -> Expr {
    Expr::int(i)
}
pub fn real(x: f64) -> Expr {
    Expr::real(x, 64)
}
pub fn less(a: Expr, b: Expr) -> Expr {
    Expr::boolean(BoolOp::LessThan, [a, b])
}
