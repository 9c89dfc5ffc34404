//! Functions whose result is an array: their callers hand it over, as the model does anyhow.

use xaif::Program;
use xaif::model::UnitKind;

/// Makes them units without a result.
pub(super) fn as_arguments(program: &mut Program) {
    for id in program.unit_ids() {
        let unit = program.unit(id);
        let array = unit.result().is_some_and(|f| program.symbol(f.symbol).rank > 0);
        if unit.kind == UnitKind::Function && array {
            let unit = &mut program.units[id.index()];
            unit.kind = UnitKind::Subroutine;
            unit.formals.iter_mut().for_each(|f| f.result = false);
        }
    }
}
