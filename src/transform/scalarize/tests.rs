//! Array statements as loops.
