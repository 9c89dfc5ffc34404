//! Extents of arguments that nothing declares, as whoever asks gives them: `work=n*m`, `a=n,m`, `step:work=n*m`.
//!
//! Lives here: reading them, and noting them at the arguments. Never here: what is made of an extent.

use xaif::model::{BaseType, Bound, Decl, Dim, Expr, IndexOrder, SymbolId, UnitId};
use xaif::{Diagnostic, Program};

/// Expressions do not nest deeper.
const DEEPEST: usize = 100;

/// Notes extents at the arguments that they are given for.
///
/// # Errors
/// OB0136: a text is written wrongly, names what is not there, or contradicts a declaration.
pub fn apply(program: &mut Program, texts: &[String]) -> Result<(), Vec<Diagnostic>> {
    let problems: Vec<Diagnostic> = texts.iter().filter_map(|t| one(program, t).err()).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn wrong(text: &str, why: &str) -> Diagnostic {
    Diagnostic::error("OB0136", format!("--extent '{text}': {why}"))
        .help("write the name of an argument and its number of elements by other arguments, such as 'work=n*m', 'a=n,m' or 'step:work=n*m'")
}

fn one(program: &mut Program, text: &str) -> Result<(), Diagnostic> {
    let (of, extents) = text.split_once('=').ok_or_else(|| wrong(text, "there is no `=`"))?;
    let (unit, name) = of.split_once(':').map_or((None, of.trim()), |(u, n)| (Some(u.trim()), n.trim()));
    let mut places: Vec<(UnitId, SymbolId)> = Vec::new();
    for u in program.unit_ids() {
        if unit.is_none_or(|wanted| program.same_name(program.unit_name(u), wanted)) {
            let formals = program.unit(u).formals.iter().map(|f| f.symbol);
            places.extend(
                formals.filter(|&s| program.symbol(s).rank > 0 && program.same_name(&program.symbol(s).name, name)).map(|s| (u, s)),
            );
        }
    }
    if places.is_empty() {
        return Err(wrong(text, &format!("no unit has an array `{name}` as an argument")));
    }
    for (u, s) in places {
        let mut reader = Reader { program, unit: u, rest: extents, depth: 0 };
        let mut list = vec![reader.sum().map_err(|why| wrong(text, &why))?];
        while reader.takes(",") {
            list.push(reader.sum().map_err(|why| wrong(text, &why))?);
        }
        if !reader.rest.trim().is_empty() {
            return Err(wrong(text, &format!("`{}` is not understood", reader.rest.trim())));
        }
        let rank = usize::from(program.symbol(s).rank);
        if list.len() != rank {
            return Err(wrong(text, &format!("`{name}` has {rank} dimensions in {}", program.unit_name(u))));
        }
        let first = i64::from(program.index_order == IndexOrder::Column);
        let decl = program.symbol_mut(s).decl.get_or_insert_default();
        for (k, extent) in list.into_iter().enumerate() {
            note(decl, k, extent, first).map_err(|why| wrong(text, &why))?;
        }
        // It need not be positive in calls that do not come to the array.
        if !decl.attributes.iter().any(|a| a == "guarded") {
            decl.attributes.push("guarded".into());
        }
    }
    Ok(())
}

/// Notes the extent of a dimension, unless it is declared.
fn note(decl: &mut Decl, k: usize, extent: Expr, first: i64) -> Result<(), String> {
    let unknown = Dim { lower: Bound::Expr(Expr::int(first)), upper: Bound::Unknown };
    if decl.dims.len() <= k {
        decl.dims.resize(k + 1, unknown);
    }
    let dim = &mut decl.dims[k];
    if matches!(dim.lower, Bound::Unknown) {
        dim.lower = Bound::Expr(Expr::int(first));
    }
    let Bound::Expr(lower) = dim.lower.clone() else { return Ok(()) };
    let upper = match lower.as_int() {
        Some(1) => extent,
        Some(n) if extent.as_int().is_some() => Expr::int(extent.as_int().unwrap_or_default() + n - 1),
        Some(0) => Expr::op("sub_scal_scal", [extent, Expr::int(1)]),
        _ => Expr::op("sub_scal_scal", [Expr::op("add_scal_scal", [lower, extent]), Expr::int(1)]),
    };
    match &dim.upper {
        // Dimensions behind the first may be declared, and be said again.
        Bound::Expr(_) if k > 0 => Ok(()),
        Bound::Expr(e) if *e == upper => Ok(()),
        Bound::Expr(_) => Err("the argument declares its extent".to_owned()),
        _ => {
            dim.upper = Bound::Expr(upper);
            Ok(())
        }
    }
}

/// Reads sums of products of numbers and names.
struct Reader<'p> {
    program: &'p Program,
    unit: UnitId,
    rest: &'p str,
    depth: usize,
}

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<Expr, String> {
        let mut out = self.product()?;
        loop {
            if self.takes("+") {
                out = Expr::op("add_scal_scal", [out, self.product()?]);
            } else if self.takes("-") {
                out = Expr::op("sub_scal_scal", [out, self.product()?]);
            } else {
                return Ok(out);
            }
        }
    }

    fn product(&mut self) -> Result<Expr, String> {
        let mut out = self.factor()?;
        while self.takes("*") {
            out = Expr::op("mul_scal_scal", [out, self.factor()?]);
        }
        Ok(out)
    }

    fn factor(&mut self) -> Result<Expr, String> {
        if self.takes("(") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err("that is nested too deep".to_owned());
            }
            let inner = self.sum()?;
            self.depth -= 1;
            return if self.takes(")") { Ok(inner) } else { Err("a parenthesis is not closed".to_owned()) };
        }
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.is_empty() {
            return Err("a number or a name is missing".to_owned());
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().map(Expr::int).map_err(|_| format!("`{word}` is no number of elements"));
        }
        let unit = self.program.unit(self.unit);
        let formal = unit.formals.iter().map(|f| f.symbol).find(|&s| self.program.same_name(&self.program.symbol(s).name, word));
        let global = || {
            let list = self.program.scopes.first().map_or(&[][..], |s| &s.symbols);
            list.iter().copied().find(|&s| self.program.same_name(&self.program.symbol(s).name, word))
        };
        match formal.or_else(global) {
            Some(s) if self.program.symbol(s).ty.base == BaseType::Integer && self.program.symbol(s).rank == 0 => Ok(Expr::sym(s)),
            Some(_) => Err(format!("`{word}` is not a whole number")),
            None => Err(format!("{} has no argument `{word}`", self.program.unit_name(self.unit))),
        }
    }
}
