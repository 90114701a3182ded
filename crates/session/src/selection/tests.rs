use super::*;
use proptest::prelude::*;

fn step(n: u8) -> SelectionStep {
    SelectionStep::new(n.to_string(), Expr::Text(n.to_string()))
}

#[test]
fn a_step_is_in_force_once() {
    let mut stack = SelectionStack::default();
    assert!(stack.push(step(1)) && !stack.push(step(1)));
    assert!(stack.pop() && !stack.pop() && stack.is_all());
    assert_eq!(stack.undo(), Some(Changed::Steps));
    assert_eq!(stack.steps(), [step(1)]);
}

#[test]
fn hidden_sources_are_one_step() {
    let mut stack = SelectionStack::default();
    assert!(stack.toggle_source("a") && stack.toggle_source("b"));
    assert!(stack.push(step(1)));
    assert_eq!(stack.steps().len(), 2);
    assert_eq!(stack.steps()[0].label, "2 sources hidden");
    assert!(!stack.toggle_source("a"));
    assert_eq!(stack.hidden(), Some((0, &["b".to_owned()][..])));
    assert!(!stack.toggle_source("b"));
    assert_eq!(stack.steps(), [step(1)]);
    assert!(stack.undo().is_some() && stack.hidden().is_some());
}

#[test]
fn steps_and_joins_have_one_order_of_time() {
    let mut stack = SelectionStack::default();
    let switch = |name: &str| {
        let name = name.to_owned();
        move |joins: &mut JoinChoice| {
            joins.off.insert(name);
        }
    };
    stack.push(step(1));
    assert!(stack.change_joins(switch("a")) && !stack.change_joins(switch("a")));
    stack.push(step(2));
    assert!(stack.change_joins(switch("b")));
    let seen = |stack: &SelectionStack| (stack.steps().len(), stack.joins().off.len());
    let mut back = Vec::new();
    while stack.undo().is_some() {
        back.push(seen(&stack));
    }
    assert_eq!(back, [(2, 1), (1, 1), (1, 0), (0, 0)]);
    let mut forth = Vec::new();
    while let Some(changed) = stack.redo() {
        forth.push((seen(&stack), changed == Changed::Steps));
    }
    let expected = [(1, 0), (1, 1), (2, 1), (2, 2)];
    assert_eq!(forth, expected.map(|s| (s, s == (1, 0) || s == (2, 1))));
    // A new change discards the redo history.
    stack.undo();
    stack.push(step(3));
    assert!(!stack.can_redo() && stack.joins().off.len() == 1);
}

#[test]
fn shifts_of_times_have_their_place_in_the_order_of_changes() {
    let mut stack = SelectionStack::default();
    let (a, b) = (SourceId(3), SourceId(5));
    stack.push(step(1));
    // Source `a` had a shift when the run was opened.
    assert!(stack.shift(a, 20, 90) && !stack.shift(a, 90, 90));
    assert!(stack.shift(b, 0, -7));
    assert!(stack.show_time_range(None, Some((1, 2))));
    assert!(stack.shift(a, 90, 0));
    let back = [
        Changed::Shift(a, 90),
        Changed::TimeRange(None),
        Changed::Shift(b, 0),
        Changed::Shift(a, 20),
        Changed::Steps,
    ];
    assert_eq!(back.each_ref().map(|_| stack.undo().unwrap()), back);
    let forth = [
        Changed::Steps,
        Changed::Shift(a, 90),
        Changed::Shift(b, -7),
        Changed::TimeRange(Some((1, 2))),
        Changed::Shift(a, 0),
    ];
    assert_eq!(forth.each_ref().map(|_| stack.redo().unwrap()), forth);
}

proptest! {
    #[test]
    fn undo_and_redo_are_inverse(changes in prop::collection::vec(0u8..8, 0..30)) {
        let mut stack = SelectionStack::default();
        let mut states = vec![stack.steps().to_vec()];
        for n in changes {
            let changed = match n { 4 => stack.remove(1), 5 => stack.replace(0, step(9)), 6 => stack.pop(), 7 => stack.keep(1),
                n => stack.push(step(n)) };
            if changed { states.push(stack.steps().to_vec()); }
        }
        for state in states.iter().rev().skip(1) {
            prop_assert!(stack.undo().is_some());
            prop_assert_eq!(stack.steps(), state.as_slice());
        }
        prop_assert!(stack.undo().is_none() && stack.is_all());
        for state in states.iter().skip(1) {
            prop_assert!(stack.redo().is_some());
            prop_assert_eq!(stack.steps(), state.as_slice());
        }
        prop_assert!(stack.redo().is_none());
    }
}
