//! Derivative components as variables of their own.
//!
//! Lives here: which variable is whose, and that those which no caller hands in begin as zero. Never here: what is done with them.

use crate::linearize::fold;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use xaif::Program;
use xaif::model::{Decl, Formal, Intent, Mode, Passing, ScopeId, Stmt, Storage, Symbol, SymbolId, UnitId, VarRef, Vertex, VertexKind};

/// Which variable is whose derivative.
#[derive(Default)]
pub struct Components {
    of: FxHashMap<SymbolId, SymbolId>,
    all: FxHashSet<SymbolId>,
    /// Those that nobody hands in, by the scope that declares them.
    own: Vec<(ScopeId, SymbolId)>,
}

/// A name that nothing in sight of a scope has.
pub fn free_name(program: &Program, scope: ScopeId, wish: &str) -> SmolStr {
    let taken = |name: &str| {
        program.lookup(scope, name).is_some() || program.units.iter().any(|u| program.same_name(&program.symbol(u.symbol).name, name))
    };
    let numbered = (1..).map(|n| format_smolstr!("{wish}{n}"));
    std::iter::once(SmolStr::from(wish)).chain(numbered).find(|n| !taken(n)).unwrap_or_default()
}

/// These symbols with all that their declarations name.
pub fn with_bounds(program: &Program, symbols: impl Iterator<Item = SymbolId>) -> Vec<SymbolId> {
    let mut open: Vec<SymbolId> = symbols.collect();
    let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
    while let Some(s) = open.pop() {
        if seen.insert(s)
            && let Some(d) = &program.symbol(s).decl
        {
            d.bound_exprs().for_each(|e| open.extend(e.refs().map(|r| r.symbol)));
        }
    }
    let mut out: Vec<SymbolId> = seen.into_iter().collect();
    out.sort_unstable();
    out
}

impl Components {
    /// Gives a unit an argument behind each of its active ones.
    pub fn add_arguments(&mut self, program: &mut Program, unit: UnitId, mode: Mode) {
        let mut formals: Vec<Formal> = Vec::new();
        for f in program.unit(unit).formals.clone() {
            let s = program.symbol(f.symbol);
            let active = s.active && s.ty.is_real();
            formals.push(f.clone());
            if active {
                let symbol = self.add(program, f.symbol, mode);
                formals.push(Formal { symbol, intent: Intent::Inout, intent_declared: true, ..f });
            }
        }
        formals.iter_mut().zip(1..).for_each(|(f, position)| f.position = position);
        program.units[unit.index()].formals = formals;
    }

    /// The derivative of a variable.
    ///
    /// # Errors
    /// Why it has none.
    pub fn get(&mut self, program: &mut Program, unit: UnitId, of: SymbolId, mode: Mode) -> Result<SymbolId, &'static str> {
        if let Some(&c) = self.of.get(&of) {
            return Ok(c);
        }
        if program.unit(unit).formals.iter().any(|f| f.symbol == of) {
            return Err("it is a passive argument, so no caller has a derivative for it");
        }
        if matches!(program.symbol(of).storage(), Storage::Common(_)) {
            return Err("it lies in a COMMON block, which has no room for it");
        }
        let c = self.add(program, of, mode);
        self.own.push((program.symbol(of).scope, c));
        Ok(c)
    }

    /// Whether a variable is the derivative of another one.
    pub fn has(&self, s: SymbolId) -> bool {
        self.all.contains(&s)
    }

    fn add(&mut self, program: &mut Program, of: SymbolId, mode: Mode) -> SymbolId {
        let original = program.symbol(of).clone();
        let suffix = if mode == Mode::Tangent { "d" } else { "b" };
        let name = free_name(program, original.scope, &format_smolstr!("{}{suffix}", original.name));
        let plain = |mut decl: Box<Decl>| {
            decl.attributes.retain(|a| a != "const");
            let (init, init_text, comment) = Default::default();
            Box::new(Decl { derivative_of: Some(of), init, init_text, comment, passing: Passing::Reference, ..*decl })
        };
        // A stock document says no more of a variable than its symbol does.
        let decl = original.decl.map(plain);
        let c = program.add_symbol(Symbol { id: name.clone(), name, active: false, decl, ..original });
        self.of.insert(of, c);
        self.all.insert(c);
        c
    }

    /// Lets those that belong to units begin as zero there.
    pub fn start_from_zero(&self, program: &mut Program) {
        for id in program.unit_ids().collect::<Vec<_>>() {
            let scope = program.unit(id).scope;
            let own = self.own.iter().filter(|(s, _)| *s == scope).map(|&(_, c)| c);
            let stmts: Vec<Box<Stmt>> = own.map(|c| Box::new(Stmt::assign(VarRef::whole(c), fold::zero(program.symbol(c).ty)))).collect();
            if stmts.is_empty() {
                continue;
            }
            let graph = &mut program.units[id.index()].graph;
            let Some(entry) = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Entry)) else { continue };
            let Some((edge, next)) = graph.first_edge(entry, petgraph::Outgoing).and_then(|e| Some((e, graph.edge_endpoints(e)?.1))) else {
                continue;
            };
            let label = graph[edge].clone();
            let first = graph.add_node(Vertex::new(VertexKind::Block { scope, stmts }));
            graph.remove_edge(edge);
            graph.add_edge(entry, first, Default::default());
            graph.add_edge(first, next, label);
        }
    }
}
