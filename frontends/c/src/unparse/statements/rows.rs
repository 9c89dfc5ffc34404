//! Memory for matrices whose rows pointers lead to.
//!
//! Pointers and rows lie in one block, the pointers first, so that one call of `free` gives all of it back. Lives here: that block. Never
//! here: memory of other arrays (see `statement`).

use crate::unparse::language::precedence::{Place, Prec};
use crate::unparse::printer::Printer;
use xaif::model::{Expr, SymbolId, Triplet, VarRef};

impl Printer<'_> {
    /// Memory for all rows that `object` names, and for the pointers to them.
    pub fn allocate_rows(&mut self, object: &VarRef, zeroed: bool) {
        let symbol = self.program.symbol(object.symbol);
        let extent = |k: usize| {
            let mut one = object.clone();
            for (_, t) in one.subscripts.iter_mut().enumerate().filter(|(d, _)| *d != k) {
                *t = Triplet { index: Some(Expr::int(0)), bound: None, stride: None };
            }
            self.shape(&one).and_then(|s| s.into_iter().next())
        };
        let (Some(rows), Some(length), false) = (extent(0), extent(1), symbol.ty.bits > 64) else {
            return self.refuse_array(object.symbol, "the extents of its allocation are not known");
        };
        (self.needs.stdlib, self.needs.stdio) = (true, true);
        let name = self.name(object.symbol);
        let (bare, compared) = (self.expression(&rows, Place::Bare), self.expression(&rows, Place::Left(Prec::Relation)));
        let (factor, last) = (self.expression(&rows, Place::Left(Prec::Mul)), self.expression(&rows, Place::Right(Prec::Add)));
        // No negative number of elements becomes a huge one; where rows are as long as there are many, that is asked for already.
        let m = self.expression(&length, Place::Left(Prec::Mul));
        let m = if length.as_int().is_some() || length == rows || m.starts_with("(size_t)") {
            m
        } else {
            let (tested, otherwise) = (self.expression(&length, Place::Left(Prec::Relation)), self.expression(&length, Place::Bare));
            format!("({tested} > 0 ? {otherwise} : 0)")
        };
        let size = self.size_of_element(object.symbol);
        let one = format!("sizeof *{name} + {m} * {size}");
        let memory = if zeroed { format!("calloc({bare}, {one})") } else { format!("malloc({factor} * ({one}))") };
        let (memory, there) = match rows.as_int() {
            Some(_) => (memory, String::new()),
            None => (format!("{compared} > 0 ? {memory} : NULL"), format!(" && {compared} > 0")),
        };
        self.declare_or(format!("{name} = {memory}"));
        self.out.open(format!("if (!{name}{there}) {{"));
        self.out.text(format!("fprintf(stderr, \"no memory for {}\\n\");", symbol.name));
        self.out.text("abort();");
        self.out.close("}");
        let k = self.names.fresh(&["i", "j", "k", "l", "k"]);
        self.out.text(format!("for (long {k} = 0; {k} < {last}; {k}++)"));
        self.out.level += 1;
        self.out.text(format!("{name}[{k}] = (void *)((char *)({name} + {last}) + {k} * {m} * {size});"));
        self.out.level -= 1;
        self.names.give_back(&k);
    }

    /// The size of what a row is made of. (`sizeof **a` would look at `*a` where that is an array of variable length.)
    fn size_of_element(&mut self, id: SymbolId) -> String {
        let inner: Vec<Expr> = self.extents(id).into_iter().skip(2).flatten().collect();
        if inner.is_empty() {
            return format!("sizeof **{}", self.name(id));
        }
        let mut text = self.type_text(id).to_string();
        for e in inner {
            let e = self.expression(&e, Place::Bare);
            text.push_str(&format!("[{e}]"));
        }
        format!("sizeof({text})")
    }
}
