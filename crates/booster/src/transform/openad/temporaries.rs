//! Symbols that the booster adds to a stock program: `prefix` + kind + `_` + a running number over the whole file.

use rustc_hash::FxHashSet;
use smol_str::{SmolStr, format_smolstr};
use xaif::model::{BaseType, Bound, Dim, ElemType, Program, ScopeId, Symbol, SymbolId, VarRef};

/// What a temporary is for, which its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A partial derivative.
    Partial,
    /// A derivative that is needed after its variable is overwritten; active.
    Carrier,
    /// Argument conversion; active or not.
    Conversion {
        /// Whether it has a derivative.
        active: bool,
    },
    /// Everything else.
    Plain,
}

/// Makes temporaries.
pub struct Temporaries {
    prefix: SmolStr,
    taken: FxHashSet<SmolStr>,
    counts: [u32; 4],
}

impl Temporaries {
    /// Names that clash with nothing in the program.
    pub fn new(program: &Program) -> Temporaries {
        let prefix = if program.prefix.is_empty() { SmolStr::new_static("ad_") } else { program.prefix.clone() };
        Temporaries { prefix, taken: program.symbols.iter().map(|s| s.id.clone()).collect(), counts: [0; 4] }
    }

    /// A name that nothing has yet.
    pub fn name(&mut self, kind: Kind) -> SmolStr {
        let (slot, name) = match kind {
            Kind::Partial => (0, "lin"),
            Kind::Carrier => (1, "prp"),
            Kind::Conversion { .. } => (2, "tyc"),
            Kind::Plain => (3, "Symbol"),
        };
        loop {
            let id = format_smolstr!("{}{name}_{}", self.prefix, self.counts[slot]);
            self.counts[slot] += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }

    /// A temporary of that kind and type in a scope, shaped like a reference (a scalar if there is none).
    pub fn add(&mut self, program: &mut Program, scope: ScopeId, kind: Kind, ty: ElemType, like: Option<(&VarRef, u8)>) -> SymbolId {
        let id = self.name(kind);
        let mut symbol = Symbol::variable(id, ty, scope);
        symbol.temp = true;
        symbol.active = matches!(kind, Kind::Carrier | Kind::Conversion { active: true });
        symbol.fe_type = fe_type(ty);
        symbol.decl = None;
        if let Some((reference, rank)) = like
            && rank > 0
        {
            symbol.rank = rank;
            let model = program.symbol(reference.symbol);
            if reference.subscripts.is_empty() && model.rank == rank {
                symbol.bounds = model.bounds.clone();
                symbol.decl =
                    model.decl.as_ref().filter(|d| !d.dims.is_empty()).map(|d| {
                        Box::new(xaif::model::Decl { type_text: d.type_text.clone(), dims: d.dims.clone(), ..Default::default() })
                    });
            } else {
                symbol.decl = Some(Box::new(xaif::model::Decl {
                    dims: vec![Dim { lower: Bound::Unknown, upper: Bound::Unknown }; rank as usize],
                    ..Default::default()
                }));
            }
        }
        program.add_symbol(symbol)
    }
}

/// The front end's name of a machine type; integers that control the flow have none, which stock tools read as 8 bytes.
pub fn fe_type(ty: ElemType) -> SmolStr {
    match (ty.base, ty.bits) {
        (BaseType::Real, 32) => "F4".into(),
        (BaseType::Real, 128) => "F16".into(),
        (BaseType::Real, _) => "F8".into(),
        (BaseType::Integer, 64) => "I8".into(),
        _ => SmolStr::default(),
    }
}
