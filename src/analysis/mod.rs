//! Facts about a program: pure functions from the program to side tables.
