use super::*;

const X: Var = 0;
const Y: Var = 1;
const T: Var = 2;
const I: Var = 3;
const N: Var = 4;

fn free(n: usize) -> Overlaps {
    Overlaps::apart(n)
}

fn assign(id: Id, to: Var, kills: bool, reads: &[Var], needs: &[Var]) -> Flow {
    let place = if kills { Vec::new() } else { vec![I] };
    Flow::Step(Step {
        id,
        reads: reads.into(),
        writes: [Write { var: to, kills, place: place.into(), ..Write::default() }].into(),
        adjoint: !needs.is_empty(),
        needs: needs.into(),
        ..Step::default()
    })
}

#[test]
fn what_only_the_result_needs_is_neither_executed_nor_recorded() {
    // t = sin(x); y = t*t; t = 2*y  (the last needs nothing, and nobody reads t)
    let code = [assign(0, T, true, &[X], &[X]), assign(1, Y, true, &[T], &[T]), assign(2, T, true, &[Y], &[])];
    let d = decide(&code, &free(5), &[], &[]);
    assert!(d.live(0) && !d.live(1) && !d.live(2));
    assert!(!d.recorded(2, T));
    assert_eq!(d.on_entry, [X]);
    // Where t is an output, it is executed, and the old t is recorded.
    let d = decide(&code, &free(5), &[T], &[]);
    assert!(d.live(1) && d.live(2) && d.recorded(2, T) && d.reversed(2));
}

#[test]
fn a_loop_carries_requirements_round() {
    // while (n) { x = x*y }   needs x and y before
    let body = vec![assign(1, X, true, &[X, Y], &[X, Y])];
    let d = decide(&[Flow::Tested { id: 0, operands: vec![N], body }], &free(5), &[], &[]);
    assert!(d.live(0) && d.live(1) && d.recorded(1, X));
    assert!(!d.recorded(1, Y));
    assert_eq!(d.on_entry, [X, Y, N]);
}

#[test]
fn a_counted_loop_sets_its_index_itself() {
    // for i: y[i] = sin(x[i]);  for i: x[i] = 0 * y[i]
    let one = Flow::counted(0, I, vec![N], vec![assign(1, Y, false, &[X, I], &[X, I])]);
    let two = Flow::counted(2, I, vec![N], vec![assign(3, X, false, &[Y, I], &[I])]);
    let d = decide(&[one, two], &free(5), &[X], &[]);
    assert!(!d.recorded(2, I), "the index is not required between the loops");
    assert!(d.recorded(3, X) && d.live(1));
    assert!(d.kept(0).is_empty());
    assert_eq!(d.on_entry, [X, Y, N]);
}

#[test]
fn an_index_that_is_required_is_kept_round_a_loop_that_only_runs_backward() {
    // y = x[i]*t;  for i: t += x[i]*x[i]  whose results nobody reads
    let one = assign(0, Y, true, &[X, I, T], &[X, I, T]);
    let two = Flow::counted(1, I, vec![N], vec![assign(2, Y, true, &[Y, X, I], &[X, I])]);
    let d = decide(&[one, two], &free(5), &[], &[]);
    assert!(!d.live(1) && d.reversed(1));
    assert_eq!(d.kept(1), [I]);
}

#[test]
fn overlapping_variables_are_recorded() {
    // y = sin(x); t = 1 where t may be x
    let code = [assign(0, Y, true, &[X], &[X]), assign(1, T, true, &[], &[]), assign(2, N, true, &[T, Y], &[])];
    assert!(!decide(&code, &free(5), &[N], &[]).recorded(1, T));
    let mut o = free(5);
    o.others[X as usize].push(T);
    o.others[T as usize].push(X);
    assert!(decide(&code, &o, &[N], &[]).recorded(1, T));
}

#[test]
fn deep_nests_are_decided_quickly() {
    let mut code = vec![assign(1000, X, true, &[X, Y], &[X, Y]), assign(1001, Y, true, &[X], &[X])];
    for id in 0..300 {
        code = vec![Flow::Tested { id, operands: vec![N], body: code }, assign(id + 2000, T, true, &[X], &[X])];
    }
    let d = decide(&code, &free(5), &[], &[]);
    assert!(d.recorded(1000, X) && d.recorded(1001, Y));
}

/// `for i: body`, where each iteration has a slice of `a` for itself.
fn sliced(id: Id, a: Var, all: bool, body: Vec<Flow>) -> Flow {
    let slices = vec![Slice { var: a, all }];
    let (own, histories, fresh, apart) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Flow::Counted { id, index: I, operands: vec![N], own, slices, histories, fresh, apart, promised: false, body }
}

/// a[i] = ..., all that an iteration has of `a`.
fn element(id: Id, a: Var, reads: &[Var], needs: &[Var]) -> Flow {
    let Flow::Step(mut s) = assign(id, a, false, reads, needs) else { unreachable!() };
    s.writes[0].fills = true;
    Flow::Step(s)
}

#[test]
fn what_all_iterations_have_overwritten_is_needed_no_more() {
    // t = y*y where y is an array;  for i: y[i] = x;  for i: y[i] = 2*x
    let code = |all: bool| {
        let loops = |id: Id| sliced(id, Y, all, vec![element(id + 1, Y, &[X], &[])]);
        vec![assign(0, T, true, &[Y], &[Y]), loops(1), loops(3), assign(5, X, true, &[Y, T], &[])]
    };
    let d = decide(&code(true), &free(5), &[X, Y], &[]);
    assert!(d.live(4) && !d.live(2), "the second loop leaves nothing of the first");
    let d = decide(&code(false), &free(5), &[X, Y], &[]);
    assert!(d.live(4) && d.live(2) && d.recorded(2, Y) && d.recorded(4, Y), "some elements may be as they were");
    // with t = y between the loops both are run
    let between = |all: bool| {
        let mut c = code(all);
        c.insert(2, assign(9, N, true, &[Y], &[]));
        decide(&c, &free(5), &[X, Y, N], &[])
    };
    let (d, e) = (between(true), between(false));
    assert!(d.live(2) && d.recorded(2, Y) && !d.recorded(4, Y));
    assert!(e.recorded(2, Y) && e.recorded(4, Y));
    assert!(d.on_entry.contains(&Y), "its value is read before the loops");
}

#[test]
fn an_iteration_sees_its_own_slice_only() {
    // for i: { t = y[i]; y[i] = t*t }: what the iteration before has set is no business of this one
    let body = vec![assign(1, T, true, &[Y], &[]), element(2, Y, &[T], &[T])];
    let d = decide(&[sliced(0, Y, true, body.clone())], &free(5), &[Y], &[]);
    assert!(d.live(1) && d.live(2) && d.on_entry.contains(&Y) && !d.recorded(2, Y));
    // for i: { y[i] = x; t = y[i]*y[i]; y[i] = 0 }: nothing of y comes from outside, and its first value is recorded once
    let body = vec![element(1, Y, &[X], &[]), assign(2, T, true, &[Y, T], &[Y]), element(3, Y, &[], &[])];
    let d = decide(&[sliced(0, Y, true, body.clone())], &free(5), &[T, Y], &[]);
    assert!(!d.on_entry.contains(&Y) && !d.recorded(1, Y) && d.recorded(3, Y));
    // in a loop around that has no slices the iterations meet again, but the array is as the last iteration has left it
    let outer = Flow::Tested { id: 7, operands: vec![N], body: vec![sliced(0, Y, true, body)] };
    let d = decide(&[outer], &free(5), &[T, Y], &[]);
    assert!(!d.recorded(1, Y) && d.recorded(3, Y) && d.on_entry.contains(&Y), "there may be no iterations at all");
}

#[test]
fn a_step_that_can_be_undone_moves_what_is_recorded_to_what_comes_later() {
    // while (n) { i = 0; while (n) { x = x*t(i); i = i + 1 } }
    let step = |undoes: bool| match assign(1, I, true, &[I], &[]) {
        Flow::Step(s) => Flow::Step(Step { undoes, ..s }),
        other => other,
    };
    let code = |undoes: bool| {
        let inner = vec![assign(0, X, true, &[X, T, I], &[T, I]), step(undoes)];
        let outer = vec![assign(2, I, true, &[], &[]), Flow::Tested { id: 3, operands: vec![N], body: inner }];
        [Flow::Tested { id: 4, operands: vec![N], body: outer }]
    };
    let d = decide(&code(false), &free(5), &[], &[]);
    assert!(d.recorded(1, I) && !d.undone(1));
    let d = decide(&code(true), &free(5), &[], &[]);
    assert!(d.undone(1) && d.reversed(1) && !d.recorded(1, I) && d.recorded(2, I));
    assert_eq!(d.at_end, [T, I], "the value from behind is where the undoing starts");
}
