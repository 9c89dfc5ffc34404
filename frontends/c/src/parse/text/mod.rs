//! The text before anything is known of its functions.
//!
//! * `input`, `refusals`: what comes in, and what is said of it that is not translated,
//! * `preprocess`, or `builtin_preprocessor` with `standard_headers`: macros and headers,
//! * `tokens`, `nesting_limits`, `comments`, `pragmas`, `source_map`: what is kept of the text as
//!   the user wrote it,
//! * `syntax`, `expressions_mut`: the tree,
//! * `old_style`, `returned_arguments`, `shifted_memory`, `aligned_memory`, `pointer_lives` (with
//!   `pointer_webs`): what is read as if it were written in another way; `unread`, `syntax_errors`: what cannot be read.
//!
//! Lives here: tokens, places and the tree. Never here: names that a declaration gives a meaning.

pub mod aligned_memory;
pub mod builtin_preprocessor;
pub mod comments;
pub mod expressions_mut;
pub mod input;
pub mod nesting_limits;
pub mod old_style;
pub mod pointer_lives;
pub mod pointer_webs;
pub mod pragmas;
pub mod preprocess;
pub mod refusals;
pub mod returned_arguments;
pub mod shifted_memory;
pub mod source_map;
pub mod standard_headers;
pub mod syntax;
pub mod syntax_errors;
pub mod tokens;
pub mod unread;
