//! Random programs survive writing and reading, down to the last field.
mod common;

use common::random::Random;
use proptest::prelude::*;
use xaif::model::Dialect;
use xaif::read::{Limits, read};
use xaif::write::write;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_program_in_our_dialect_is_what_it_was(seed in any::<u64>()) {
        let program = Random(seed).program();
        let text = write(&program);
        let (again, warnings) = read("d.xaif", text.as_bytes(), &Limits::default()).map_err(|e| TestCaseError::fail(format!("{}\n{text}", e[0])))?;
        prop_assert!(warnings.is_empty(), "{}", warnings[0]);
        let (before, after) = (format!("{program:#?}"), format!("{again:#?}"));
        if before != after {
            let at = before.lines().zip(after.lines()).position(|(a, b)| a != b).unwrap_or(0);
            let context = |s: &str| s.lines().skip(at.saturating_sub(12)).take(16).collect::<Vec<_>>().join("\n");
            prop_assert!(false, "{}\n=====\n{}\n=====\n{text}", context(&before), context(&after));
        }
        prop_assert_eq!(write(&again), text);
    }

    /// The openad dialect loses what stock XAIF cannot say, and nothing more the second time.
    #[test]
    fn the_openad_dialect_has_a_fixpoint(seed in any::<u64>()) {
        let program = xaif::Program { dialect: Dialect::Openad, ..Random(seed).program() };
        let text = write(&program);
        prop_assert!(!text.contains("ob:"));
        let (again, _) = read("d.xaif", text.as_bytes(), &Limits::default()).map_err(|e| TestCaseError::fail(format!("{}\n{text}", e[0])))?;
        prop_assert_eq!(write(&again), text);
    }
}
