//! Errors of a run, before and after they know their place.
//!
//! Lives here: the error type of the interpreter and the list of its codes. Never here: how a place is found.
//!
//! | code | meaning |
//! |---|---|
//! | OB6001 | the program has no such unit, argument or variable |
//! | OB6002 | an input is missing, or has the wrong type or shape |
//! | OB6003 | the input file is not what it has to be |
//! | OB6004 | the budget of steps, calls, memory or tape is used up |
//! | OB6005 | a graph or an expression is malformed |
//! | OB6010 | an undefined value is used |
//! | OB6011 | an index is out of bounds |
//! | OB6012 | an integer is divided by zero |
//! | OB6013 | an integer overflows |
//! | OB6014 | a value of another type is needed |
//! | OB6015 | shapes do not agree |
//! | OB6016 | an array has no memory: not allocated, absent, or of unknown extent |
//! | OB6017 | an argument does not fit its formal |
//! | OB6020 | a unit is called that the program does not contain |
//! | OB6021 | an operation that the interpreter does not know |
//! | OB6022 | an opaque statement was passed over (warning) |
//! | OB6023 | a real is divided by zero (warning) |
//! | OB6024 | a result is infinite or no number (warning) |
//! | OB6025 | the program is not smooth between both sides of the point (warning) |
//! | OB6030 | a value is taken from an empty stack |
//! | OB6031 | what is taken from the stack is not what was put there |
//! | OB6032 | something is left on the stack at the end |
//! | OB6040 | the program stopped itself |
//! | OB6050 | an argument that is read has no value |
//! | OB6051 | seeds are missing, or given where nothing asks for them |
//! | OB6052 | a unit cannot be run that way |

use xaif::Diagnostic;

/// A diagnostic on its way up; boxed, for it is rare and large.
pub type Fault = Box<Diagnostic>;

/// An error with code and message, the place still open.
pub fn fault(code: &'static str, message: impl Into<String>) -> Fault {
    Box::new(Diagnostic::error(code, message))
}
