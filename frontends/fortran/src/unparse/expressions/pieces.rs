//! Printed pieces of expressions and how operators put them together.
//!
//! Lives here: binding strength, parentheses, what a piece carries besides its text. Never here: what an operation is called.

use xaif::model::VarRef;

/// References to array elements that are remembered when it is asked what a condition has evaluated already.
const MAX_ELEMENTS: usize = 16;

/// Binding strength, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the operators' own names
pub enum Level {
    Equivalence,
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    Power,
    Primary,
}

/// A statement of a prelude; variables are numbered as in [`Writer::temporaries`].
#[derive(Clone, Debug, PartialEq)]
pub enum Prelude {
    /// `t = text`
    Set(usize, String),
    /// `if (condition) then ... else ... end if`, of which either side ends by setting the variable.
    Choose(usize, String, Vec<Prelude>, Vec<Prelude>),
}

/// A printed expression.
#[derive(Clone, Debug)]
pub struct Piece<'e> {
    /// Its text.
    pub text: String,
    /// What must be done before.
    pub prelude: Vec<Prelude>,
    /// How strongly its last operator binds.
    pub level: Level,
    /// The text starts with a minus sign that applies to all of a product.
    pub negative: bool,
    /// Evaluating it where the program would not could trap.
    pub hazard: bool,
    /// Array elements that it reads, each possibly out of bounds where the program would not read it.
    pub elements: Vec<&'e VarRef>,
    /// How deeply choices nest in the prelude.
    pub depth: usize,
}

impl Piece<'_> {
    /// Text without anything else to it.
    pub fn of(text: impl Into<String>, level: Level) -> Piece<'static> {
        Piece { text: text.into(), prelude: Vec::new(), level, negative: false, hazard: false, elements: Vec::new(), depth: 0 }
    }
}

/// Appends a prelude, leaving out what is there already (a shared operand).
pub fn join(to: &mut Vec<Prelude>, more: Vec<Prelude>) {
    for item in more {
        if !to.contains(&item) {
            to.push(item);
        }
    }
}

/// Takes over everything of an operand but its text.
pub fn absorb<'e>(into: &mut Piece<'e>, operand: Piece<'e>) -> String {
    join(&mut into.prelude, operand.prelude);
    into.hazard |= operand.hazard;
    into.depth = into.depth.max(operand.depth);
    for e in operand.elements {
        if into.elements.len() >= MAX_ELEMENTS {
            into.hazard = true;
        } else if !into.elements.contains(&e) {
            into.elements.push(e);
        }
    }
    operand.text
}

/// The next level.
pub fn stronger(level: Level) -> Level {
    match level {
        Level::Equivalence => Level::Or,
        Level::Or => Level::And,
        Level::And => Level::Not,
        Level::Not => Level::Relation,
        Level::Relation => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Power,
        Level::Power | Level::Primary => Level::Primary,
    }
}

fn guarded(piece: Piece<'_>, at_least: Level) -> Piece<'_> {
    if piece.level >= at_least {
        return piece;
    }
    Piece { text: format!("({})", piece.text), level: Level::Primary, negative: false, ..piece }
}

/// A sign before an operand.
pub fn prefix<'e>(sign: &str, p: Piece<'e>, level: Level, at_least: Level) -> Piece<'e> {
    let p = guarded(p, at_least);
    Piece { text: format!("{sign}{}", p.text), level, negative: false, ..p }
}

/// An operator with spaces around it.
pub fn infix<'e>(left: Piece<'e>, sign: &str, right: Piece<'e>, level: Level, left_least: Level, right_least: Level) -> Piece<'e> {
    tight(left, &format!(" {sign} "), right, level, left_least, right_least)
}

/// An operator between its operands, which get parentheses where they bind less than they must.
pub fn tight<'e>(left: Piece<'e>, sign: &str, right: Piece<'e>, level: Level, left_least: Level, right_least: Level) -> Piece<'e> {
    let (left, right) = (guarded(left, left_least), guarded(right, right_least));
    let mut out = Piece::of(String::new(), level);
    let l = absorb(&mut out, left);
    let r = absorb(&mut out, right);
    out.text = format!("{l}{sign}{r}");
    out
}

/// A sum or difference. A term with a minus sign in front is subtracted instead of added, and the other way round.
pub fn sum<'e>(left: Piece<'e>, plus: bool, right: Piece<'e>) -> Piece<'e> {
    let (plus, right) = match right.text.strip_prefix('-') {
        Some(rest) if right.negative && right.level == Level::Sum => {
            let text = rest.to_owned();
            (!plus, Piece { text, negative: false, level: Level::Product, ..right })
        }
        _ => (plus, right),
    };
    infix(left, if plus { "+" } else { "-" }, right, Level::Sum, Level::Sum, Level::Product)
}

/// A product or quotient. A leading minus needs no parentheses: `-a*b` is the same number as `(-a)*b`.
pub fn product<'e>(left: Piece<'e>, sign: &str, right: Piece<'e>) -> Piece<'e> {
    if left.negative && left.level == Level::Sum {
        let out = tight(Piece { level: Level::Product, ..left }, sign, right, Level::Sum, Level::Product, Level::Power);
        return Piece { negative: true, ..out };
    }
    tight(left, sign, right, Level::Product, Level::Product, Level::Power)
}
