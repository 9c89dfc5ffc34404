//! What the front end does not translate: the codes, in one place, and the error type that carries a construct's place.
//!
//! Codes OB2001..OB2009 concern the text as a whole, OB201x pointers, OB202x types, OB203x expressions, OB204x statements, OB205x calls.
//! Never here: decisions.

use lang_c::span::{Node, Span};

/// Text that does not parse.
pub(crate) const SYNTAX: &str = "OB2004";
/// Nesting or length beyond the limits.
pub(crate) const LIMITS: &str = "OB2005";
/// A declaration that contradicts another one, or a name that is not declared.
pub(crate) const DECLARATION: &str = "OB2006";
/// Files that read differently where they are one text.
pub(crate) const JOINED: &str = "OB2009";
/// A pointer whose target is not one array for its whole life.
pub(crate) const POINTER_TARGET: &str = "OB2010";
/// Pointer to pointer, array of pointers.
pub(crate) const POINTER_TO_POINTER: &str = "OB2011";
/// A pointer that is seen as another type.
pub(crate) const POINTER_CAST: &str = "OB2012";
/// A pointer value that is stored, compared or tested in a way that has no counterpart.
pub(crate) const POINTER_VALUE: &str = "OB2013";
/// malloc and its kin in another form than the documented ones.
pub(crate) const ALLOCATION: &str = "OB2014";
/// A struct or union.
pub(crate) const RECORD: &str = "OB2020";
/// A type with no counterpart (complex, atomic, `va_list`).
pub(crate) const TYPE: &str = "OB2021";
/// Extent of a variable-length array that the arguments do not give.
pub(crate) const EXTENT: &str = "OB2022";
/// An initializer that is not understood.
pub(crate) const INITIALIZER: &str = "OB2023";
/// Side effects whose order C leaves open.
pub(crate) const ORDER: &str = "OB2030";
/// An expression with no counterpart.
pub(crate) const EXPRESSION: &str = "OB2031";
/// Something is set that cannot be set.
pub(crate) const LVALUE: &str = "OB2032";
/// A statement with no counterpart (asm, computed goto).
pub(crate) const STATEMENT: &str = "OB2040";
/// `case` inside another construct than its `switch`.
pub(crate) const SWITCH: &str = "OB2041";
/// A label that is missing or stands twice, or control flow that does not nest.
pub(crate) const LABEL: &str = "OB2042";
/// A call through a pointer, or with arguments that do not fit.
pub(crate) const CALL: &str = "OB2050";
/// A library function in a form that is not understood (memset, memcpy).
pub(crate) const LIBRARY: &str = "OB2051";
/// A function that cannot be translated as such (variadic, old style).
pub(crate) const FUNCTION: &str = "OB2052";
/// A call of the run-time support's stack.
pub(crate) const STACK: &str = "OB2053";

/// A construct that is not translated.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub code: &'static str,
    /// Bytes of the preprocessed text.
    pub span: Span,
    pub message: String,
    pub reason: Option<String>,
    pub help: Option<String>,
}

/// What lowering returns.
pub(crate) type Res<T> = Result<T, Refusal>;

impl Refusal {
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Refusal {
        Refusal { code, span, message: message.into(), reason: None, help: None }
    }

    pub fn because(mut self, reason: impl Into<String>) -> Refusal {
        self.reason = Some(reason.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Refusal {
        self.help = Some(help.into());
        self
    }
}

/// A refusal of a node.
pub(crate) fn refuse<T, R>(code: &'static str, node: &Node<T>, message: impl Into<String>) -> Res<R> {
    Err(Refusal::new(code, node.span, message))
}
