//! Small programs as sets of variables: which of their loops are fused, and what is recorded then.

use super::super::flow::{Step, Write};
use super::*;

const X: Var = 0;
const S: Var = 1;
const T: Var = 2;
const I: Var = 3;
const N: Var = 4;

fn assign(id: Id, to: Var, kills: bool, reads: &[Var], needs: &[Var]) -> Flow {
    Flow::Step(Step {
        id,
        reads: reads.into(),
        writes: [Write { var: to, kills, ..Write::default() }].into(),
        adjoint: true,
        needs: needs.into(),
        cost: 1,
        ..Step::default()
    })
}

fn decided(code: &[Flow], outputs: &[Var]) -> (Decisions, Shifts) {
    let mut scalars = Bits::none(5);
    insert_all(&mut scalars, &[S, T, I, N]);
    let savable = Savable { scalars, values: vec![0, 1, 1, 1, 1], ..Savable::default() };
    let (decisions, shifts, _) = fuse(code, &Overlaps::apart(5), outputs, &[], &savable, 10);
    (decisions, shifts)
}

/// do i = 1, n; t = x(i)*x(i); s = s + t*t
fn squares(first: Flow) -> Vec<Flow> {
    let body = vec![first, assign(2, S, true, &[S, T], &[T])];
    vec![Flow::counted(0, I, vec![N], body)]
}

#[test]
fn iterations_that_stand_alone_record_nothing() {
    let (d, shifts) = decided(&squares(assign(1, T, true, &[X, I], &[X, I])), &[]);
    let shift = shifts[&0];
    assert!(d.live(1) && !d.live(1 + shift) && !d.live(0) && d.reversed(0));
    assert!(!d.recorded(1, T));
    assert_eq!(d.on_entry, [X, N]);
    // Where the sum is needed later, the forward sweep runs the loop, too.
    let (d, shifts) = decided(&squares(assign(1, T, true, &[X, I], &[X, I])), &[S]);
    assert!(d.live(0) && d.live(1 + shifts[&0]) && d.live(1));
}

#[test]
fn iterations_that_depend_on_each_other_record() {
    // t = t*x(i)
    let (d, shifts) = decided(&squares(assign(1, T, true, &[T, X, I], &[T, X, I])), &[]);
    assert!(shifts.is_empty() && d.recorded(1, T) && d.live(0));
}

#[test]
fn the_state_of_a_loop_is_recorded_once_an_iteration() {
    // n = t*x(i); s = n*n; t = s*n: three records, or that of t
    let body = || vec![assign(1, N, true, &[T, X, I], &[T, X, I]), assign(2, S, true, &[N], &[N]), assign(3, T, true, &[S, N], &[S, N])];
    let (d, shifts) = decided(&[Flow::counted(0, I, vec![], body())], &[T]);
    assert_eq!((shifts.len(), d.state(0)), (1, &[T][..]));
    assert!((1..3).all(|k| d.live(k) && d.live(k + shifts[&0])) && !d.recorded(3, T));
    // An array is no state.
    let body =
        vec![assign(1, X, false, &[X, T, I], &[X, T, I]), assign(2, S, true, &[X, N], &[X, N]), assign(3, N, true, &[S, X], &[S, X])];
    let (d, shifts) = decided(&[Flow::counted(0, I, vec![], body)], &[N]);
    assert!(shifts.is_empty() && d.state(0).is_empty());
}

#[test]
fn a_product_over_all_iterations_records() {
    // t = t*x(i); nobody reads t but its own adjoint, so only the first iteration would find what it reads
    let body = vec![assign(1, T, true, &[T, X, I], &[T, X, I])];
    let (d, shifts) = decided(&[Flow::counted(0, I, vec![N], body)], &[]);
    assert!(shifts.is_empty() && d.live(1) && d.recorded(1, T));
}

#[test]
fn elements_of_an_iteration_are_its_own() {
    // x(i) = n; t = x(i)*x(i): x is written, but by each iteration for itself
    let body = vec![assign(1, X, false, &[N, I], &[]), assign(2, T, true, &[X, I], &[X, I])];
    let code = |own: &[Var]| {
        [Flow::Counted {
            id: 0,
            index: I,
            operands: vec![N],
            own: own.to_vec(),
            slices: Vec::new(),
            histories: Vec::new(),
            fresh: Vec::new(),
            apart: Vec::new(),
            promised: false,
            body: body.clone(),
        }]
    };
    let (d, shifts) = decided(&code(&[]), &[]);
    assert!(shifts.is_empty() && d.recorded(1, X));
    let (d, shifts) = decided(&code(&[X]), &[]);
    assert!(!shifts.is_empty() && d.live(1) && !d.live(0) && !d.recorded(1, X));
}

#[test]
fn elements_that_are_read_and_set_again_are_left_for_the_reverse_sweep() {
    // t = x(i)*n; x(i) = t*t
    let body = vec![assign(1, T, true, &[X, N, I], &[N]), assign(2, X, false, &[T, I], &[T, I])];
    let code = [Flow::Counted {
        id: 0,
        index: I,
        operands: vec![N],
        own: vec![X],
        slices: Vec::new(),
        histories: Vec::new(),
        fresh: Vec::new(),
        apart: vec![X],
        promised: false,
        body,
    }];
    let (d, shifts) = decided(&code, &[]);
    assert!(!shifts.is_empty() && d.live(1) && !d.live(0) && !d.recorded(1, T));
    // Where somebody reads them later the forward sweep has set them already.
    let (d, shifts) = decided(&code, &[X]);
    assert!(shifts.is_empty() && d.live(0) && d.recorded(1, T));
}

#[test]
fn what_must_happen_once_is_not_repeated() {
    let Flow::Step(s) = assign(1, T, true, &[X, I], &[X, I]) else { unreachable!() };
    let (d, shifts) = decided(&squares(Flow::Step(Step { once: true, ..s })), &[]);
    assert!(shifts.is_empty() && d.recorded(1, T));
}

#[test]
fn a_scalar_that_was_needed_before_the_loop_is_saved() {
    // s = t*t; do i = 1, n; t = x(i)*x(i); s = s + t*t
    let mut code = squares(assign(2, T, true, &[X, I], &[X, I]));
    code = vec![
        assign(0, S, true, &[T], &[T]),
        Flow::counted(
            1,
            I,
            vec![N],
            match code.remove(0) {
                Flow::Counted { body, .. } => body
                    .into_iter()
                    .enumerate()
                    .map(|(k, f)| match f {
                        Flow::Step(s) => Flow::Step(Step { id: 2 + k as Id, ..s }),
                        other => other,
                    })
                    .collect(),
                _ => Vec::new(),
            },
        ),
    ];
    // Nobody reads t later: the forward sweep leaves it alone, the reverse sweep keeps it.
    let (d, shifts) = decided(&code, &[]);
    assert!(shifts.contains_key(&1) && d.saved(1).is_empty());
    assert_eq!(d.kept(1), [T]);
    let (d, _) = decided(&code, &[T]);
    assert_eq!(d.saved(1), [T]);
}
