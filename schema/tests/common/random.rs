//! Random programs that use every field of the model.
#![allow(dead_code)]

use petgraph::graph::NodeIndex;
use xaif::model::expr::RefOrigin;
use xaif::model::*;

/// Splitmix64: the same program for the same seed everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self) -> bool {
        self.next().is_multiple_of(3)
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Text that an XML writer may stumble over.
    pub fn text(&mut self) -> String {
        const PIECES: [&str; 22] = [
            "x",
            "=",
            " ",
            "  ",
            "\n",
            "\t",
            "\r",
            "\r\n",
            "<",
            ">",
            "&",
            "\"",
            "'",
            "]]>",
            "&amp;",
            "\u{c}",
            "\u{0}",
            "\u{241B}",
            "\u{241B}C;",
            "ä€😀",
            "--",
            "\u{FFFF}",
        ];
        (0..self.below(6)).map(|_| self.pick(&PIECES)).collect()
    }

    fn span(&mut self) -> Span {
        let mut n = || (self.next() % 1000) as u32;
        Span { source: SourceId(n() % 3), line: n(), column: n(), end_line: n(), end_column: n() }
    }

    fn elem(&mut self) -> ElemType {
        use BaseType::*;
        ElemType { base: self.pick(&[Void, Real, Integer, Complex, Bool, Char, String, Opaque]), bits: self.pick(&[0, 8, 32, 64, 80, 128]) }
    }

    fn tri(&mut self) -> Tri {
        self.pick(&[Tri::Undefined, Tri::True, Tri::False])
    }

    fn reference(&mut self, symbols: usize, depth: usize) -> VarRef {
        let mut r = VarRef::whole(SymbolId(self.below(symbols) as u32));
        if depth > 0 && self.chance() {
            r.subscripts = (0..1 + self.below(2))
                .map(|_| Triplet {
                    index: self.chance().then(|| self.expr(symbols, depth - 1)),
                    bound: self.chance().then(|| self.expr(symbols, depth - 1)),
                    stride: self.chance().then(|| self.expr(symbols, depth - 1)),
                })
                .collect();
        }
        r.deriv = self.chance();
        r.active = self.tri();
        r.constant = self.chance();
        if self.chance() {
            let o = RefOrigin {
                symbol_annotation: self.text().into(),
                properties: vec![(self.text().into(), self.text().into())],
                ..Default::default()
            };
            r.origin = Some(Box::new(o));
        }
        r.set_keys(self.below(3) as u32, self.below(3) as u32);
        r
    }

    fn constant(&mut self) -> Expr {
        Expr::constant(Constant {
            ty: self.elem(),
            fe_type: self.pick(&["", "F8", "I4", "UNK"]).into(),
            value: self.text().into(),
            spelling: self.text().into(),
        })
    }

    pub fn expr(&mut self, symbols: usize, depth: usize) -> Expr {
        match self.below(if depth == 0 { 2 } else { 6 }) {
            0 => Expr::var(self.reference(symbols, depth)),
            1 => self.constant(),
            2 => {
                let (op, arity) = self.pick(&[(BoolOp::And, 2), (BoolOp::Not, 1), (BoolOp::LessOrEqual, 2)]);
                Expr::boolean(op, (0..arity).map(|_| self.expr(symbols, depth - 1)).collect::<Vec<_>>())
            }
            3 => {
                // A vertex with two parents.
                let mut e = self.expr(symbols, depth - 1);
                let shared = e.root_id();
                let op = Operation { name: "mul_scal_scal".into(), ty: None, spelling: Default::default() };
                e.nodes.push(Node { kind: NodeKind::Op(op.into()), operands: [shared, shared].into_iter().collect(), origin: None });
                e
            }
            4 => {
                let name = self.pick(&["fma", "select"]);
                Expr::op(name, (0..3).map(|_| self.expr(symbols, depth - 1)).collect::<Vec<_>>())
            }
            _ => {
                let ty = self.elem();
                let mut e = Expr::op_typed("real_scal", ty, &self.text(), [self.expr(symbols, depth - 1)]);
                if self.chance() {
                    let o = expr::NodeOrigin { annotation: self.text().into(), ..Default::default() };
                    if let Some(last) = e.nodes.last_mut() {
                        last.origin = (!o.annotation.is_empty()).then(|| Box::new(o));
                    }
                }
                e
            }
        }
    }

    fn arguments(&mut self, symbols: usize) -> Vec<CallArgument> {
        (0..self.below(4))
            .map(|i| CallArgument {
                keyword: self.text().into(),
                annotation: self.text().into(),
                ..CallArgument::new(i as u32 + 1, self.expr(symbols, 2))
            })
            .collect()
    }

    fn stmt(&mut self, symbols: usize, id: usize) -> Stmt {
        let mut do_chain = 0;
        let kind = match self.below(5) {
            0 | 1 => {
                do_chain = self.below(3) as u32;
                StmtKind::Assignment { lhs: VarRef { live: self.chance(), ..self.reference(symbols, 2) }, rhs: self.expr(symbols, 3) }
            }
            2 => StmtKind::Call(Call {
                callee: SymbolId(self.below(symbols) as u32),
                arguments: self.arguments(symbols),
                formal_count: Some(self.below(9) as u32),
                active: self.tri(),
            }),
            3 => {
                use MarkerClass::*;
                StmtKind::Marker(Box::new(Marker {
                    annotation: self.text().into(),
                    class: self.pick(&[Unknown, Io, Allocate, Deallocate, Comment, Pragma, Stop, Assertion, Passive]),
                    text: self.text(),
                    object: self.chance().then(|| self.reference(symbols, 2)),
                    zeroed: self.chance(),
                    reads: (0..self.below(3)).map(|_| SymbolId(self.below(symbols) as u32)).collect(),
                    writes: (0..self.below(3)).map(|_| SymbolId(self.below(symbols) as u32)).collect(),
                }))
            }
            _ => StmtKind::Runtime { name: self.pick(&["push", "pop"]).into(), arguments: self.arguments(symbols) },
        };
        let reversal = (matches!(kind, StmtKind::Call(_)) && self.chance()).then(|| self.pick(&[CallReversal::Joint, CallReversal::Split]));
        Stmt {
            reversal,
            id: format!("s{id}").into(),
            line: self.below(99) as u32,
            do_chain,
            span: self.span(),
            comment: self.text().into(),
            text: self.text().into(),
            ..Stmt::new(kind)
        }
    }

    fn assignment(&mut self, symbols: usize, id: usize) -> Stmt {
        let kind = StmtKind::Assignment { lhs: self.reference(symbols, 0), rhs: self.expr(symbols, 1) };
        Stmt { id: format!("s{id}").into(), span: self.span(), ..Stmt::new(kind) }
    }

    fn graph(&mut self, symbols: usize, scope: ScopeId) -> FlowGraph {
        let mut g = FlowGraph::default();
        let n = 1 + self.below(6);
        let mut id = 0;
        for i in 0..n {
            let kind = match self.below(11) {
                0 => VertexKind::Entry,
                1 => VertexKind::Exit,
                2 | 3 => VertexKind::Block {
                    scope,
                    stmts: (0..self.below(4))
                        .map(|_| {
                            id += 1;
                            self.stmt(symbols, id)
                        })
                        .map(Box::new)
                        .collect(),
                },
                4 => {
                    id += 2;
                    VertexKind::For(Box::new(ForLoop {
                        explicit: self.chance(),
                        init: self.assignment(symbols, id - 1),
                        condition: self.expr(symbols, 2),
                        update: self.assignment(symbols, id),
                        counted: self.chance(),
                    }))
                }
                5 => VertexKind::Pre(self.expr(symbols, 2)),
                6 => VertexKind::Post(self.expr(symbols, 2)),
                7 => VertexKind::EndLoop,
                8 => VertexKind::Branch(self.expr(symbols, 2)),
                9 => VertexKind::EndBranch,
                _ => self.pick(&[VertexKind::Goto, VertexKind::Label]),
            };
            g.add_node(Vertex {
                parallel: matches!(&kind, VertexKind::For(f) if f.counted) && self.chance(),
                checkpoint: match matches!(&kind, VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_)) && self.chance() {
                    true if self.chance() => Some(xaif::model::Snapshots { most: xaif::model::MostSnapshots::Memory(4096), every: 8 }),
                    true => Some(xaif::model::Snapshots { most: xaif::model::MostSnapshots::Count(3), every: 1 }),
                    false => None,
                },
                id: format!("v{i}").into(),
                annotation: self.text().into(),
                line: self.below(9) as u32,
                follows: self.chance().then(|| NodeIndex::new(self.below(n))),
                label: self.text().into(),
                comment: self.text().into(),
                text: self.text().into(),
                span: self.span(),
                ..Vertex::new(kind)
            });
        }
        for i in 0..self.below(8) {
            use Jump::*;
            let e = FlowEdge {
                id: format!("e{i}").into(),
                value: self.chance().then(|| self.below(9) as i64 - 4),
                jump: self.chance().then(|| self.pick(&[Break, Continue, Return, Goto, FallThrough])),
                annotation: self.text().into(),
                ..FlowEdge::default()
            };
            g.add_edge(NodeIndex::new(self.below(n)), NodeIndex::new(self.below(n)), e);
        }
        g
    }

    fn joining(&mut self) -> Joining {
        match (self.chance(), self.chance()) {
            (false, false) => Joining::AsItStands,
            (false, true) => {
                let replaced = vec![Replaced { line: 3, column: 7, end_line: 4, end_column: 9, text: "(double, int)".into() }];
                Joining::Redeclared { headers_once: self.chance(), replaced }
            }
            (true, false) => Joining::HeadersOnce,
            (true, true) => Joining::Apart { line: 3, column: 7, why: self.text() },
        }
    }

    fn decl(&mut self, symbols: usize, rank: usize) -> Decl {
        let bound = |r: &mut Random| match r.below(3) {
            0 => Bound::Unknown,
            1 => Bound::Expr(Expr::int(r.below(9) as i64 - 3)),
            _ => Bound::Expr(r.expr(symbols, 2)),
        };
        Decl {
            type_text: self.text().into(),
            passing: self.pick(&[Passing::Reference, Passing::Value, Passing::Descriptor]),
            storage: match self.below(8) {
                0 => Storage::Argument,
                1 => Storage::Static,
                2 => Storage::Global,
                3 => Storage::Extern,
                4 => Storage::Constant,
                5 => Storage::Common(self.text().into()),
                _ => Storage::Local,
            },
            dims: (0..rank).map(|_| Dim { lower: bound(self), upper: bound(self) }).collect(),
            attributes: (0..self.below(3)).map(|_| self.text().into()).collect(),
            init: self.chance().then(|| self.expr(symbols, 2)),
            init_text: self.text().into(),
            may_alias: self.chance(),
            derivative_of: self.chance().then(|| SymbolId(self.below(symbols) as u32)),
            comment: self.text().into(),
        }
    }

    /// A program; not a sensible one, but one whose every part must survive.
    pub fn program(&mut self) -> Program {
        let scopes = 1 + self.below(3);
        let per_scope = 1 + self.below(4);
        let symbols = scopes * per_scope;
        let mut p = Program {
            name: self.text().into(),
            prefix: self.text().into(),
            index_order: self.pick(&[IndexOrder::Row, IndexOrder::Column]),
            case_insensitive: self.chance(),
            document: "d.xaif".into(),
            provenance: self.text(),
            ..Program::default()
        };
        for _ in 0..self.below(3) {
            let source =
                Source { joining: self.joining(), ..Source::new(self.text(), &self.text(), self.chance(), self.text() + &self.text()) };
            p.sources.push(source);
        }
        for _ in 0..self.below(3) {
            let mut names = || self.chance().then(|| (0..self.below(3)).map(|_| self.text()).collect());
            let (dependents, independents) = (names(), names());
            p.heads.push(Head { unit: self.text(), dependents, independents });
        }
        for i in 0..scopes {
            let parent = (i > 0).then(|| ScopeId(self.below(i) as u32));
            let edge_id = if parent.is_some() { format!("e{i}").into() } else { Default::default() };
            p.add_scope(Scope { parent, edge_id, annotation: self.text().into(), span: self.span(), ..Scope::default() });
        }
        for i in 0..symbols {
            let mut s = Symbol::variable(format!("n{i}"), self.elem(), ScopeId((i / per_scope) as u32));
            s.kind = self.pick(&[SymbolKind::Variable, SymbolKind::Subroutine, SymbolKind::Pointer]);
            s.fe_type = self.pick(&["", "F8", "I4"]).into();
            s.rank = self.below(8) as u8;
            s.void_shape = s.rank == 0 && self.chance();
            s.active = self.chance();
            s.temp = self.chance();
            s.pointer = self.chance();
            s.annotation = self.text().into();
            s.span = self.span();
            if self.chance() {
                s.name = self.text().into();
            }
            let rank = usize::from(s.rank);
            s.decl = self.chance().then(|| Box::new(self.decl(symbols, rank)));
            if s.decl.is_none() && self.chance() {
                s.bounds = (0..rank).map(|_| (self.below(9) as i64 - 4, self.below(9) as i64)).collect();
            }
            p.add_symbol(s);
        }
        p.alias_sets = vec![AliasSet::default(), AliasSet { key: 1, ranges: vec![AliasRange { from: 1, to: 2, partial: self.chance() }] }];
        p.duud_sets = vec![StatementSet::default(), StatementSet { key: 1, statements: vec!["".into(), "s1".into()] }];
        p.do_sets = vec![StatementSet::default()];
        let units = self.below(4);
        for i in 0..units {
            let u = self.unit(i, units, scopes, symbols);
            p.add_unit(u);
        }
        for i in 0..if units > 0 { self.below(3) } else { 0 } {
            let (caller, callee) = (UnitId(self.below(units) as u32), UnitId(self.below(units) as u32));
            p.calls.push(CallEdge { id: format!("c{i}").into(), caller, callee, extras: Extras::default() });
        }
        p
    }

    fn unit(&mut self, i: usize, units: usize, scopes: usize, symbols: usize) -> Unit {
        let scope = ScopeId(self.below(scopes) as u32);
        let mut u = Unit::new(SymbolId(self.below(symbols) as u32), scope);
        u.id = format!("u{i}").into();
        u.kind = self.pick(&[UnitKind::Subroutine, UnitKind::Function, UnitKind::Container, UnitKind::Main]);
        u.annotation = self.text().into();
        u.comment = self.text();
        u.span = self.span();
        u.imports = (0..self.below(3)).map(|_| self.text()).collect();
        u.prefixes = (0..self.below(3)).map(|_| self.text().into()).collect();
        u.derivation = self.chance().then(|| Derivation {
            of: UnitId(self.below(units) as u32),
            mode: self.pick(&[Mode::Tangent, Mode::Adjoint, Mode::Forward, Mode::Reverse]),
        });
        u.directions = if self.chance() { std::num::NonZeroU16::new(self.below(9) as u16) } else { None };
        for k in 0..self.below(3) {
            let mut f =
                Formal::new(k as u32 + 1, SymbolId(self.below(symbols) as u32), self.pick(&[Intent::In, Intent::Out, Intent::Inout]));
            f.intent_declared = self.chance();
            f.deriv = self.chance();
            f.result = self.chance();
            f.annotation = self.text().into();
            u.formals.push(f);
        }
        u.has_argument_list = !u.formals.is_empty() || self.chance();
        if self.chance() {
            let template = self.text().into();
            let list = (0..self.below(3)).map(|k| Replacement {
                placeholder: k as u32,
                structured: self.chance(),
                graph: self.graph(symbols, scope),
            });
            u.replacements = Some((template, list.collect()));
            return u;
        }
        u.active = self.chance();
        u.structured = self.chance();
        let mut effects = || self.chance().then(|| (0..self.below(3)).map(|_| self.reference(symbols, 1)).collect());
        u.effects = SideEffects { mod_local: effects(), modified: effects(), read_local: effects(), read: effects(), on_entry: effects() };
        u.graph = self.graph(symbols, scope);
        u
    }
}
