//! Random programs and what is checked of them, for the test and for the example `soak`.
#![allow(dead_code)]

pub mod arrays;
pub mod calls;
pub mod check;
pub mod compiled;
pub mod expressions;
pub mod found;
pub mod gather;
pub mod generate;
pub mod metamorphic;
pub mod openad;
pub mod requests;
pub mod rng;
pub mod rows;
pub mod shrink;
pub mod statements;
pub mod tree;
pub mod vary;
