//! The reference interpreter of XAIF.
