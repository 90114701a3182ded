//! Wait graph of unfinished work items: waiters, roots and cycles.

use crate::unfinished::model::{UnfinishedItem, WaitState};

/// Maximum total number of steps along waits for the count of all waiters.
const STEPS: usize = 20_000_000;

/// Fills in waiters, roots, cycles and counts.
pub(crate) fn connect(stuck: &mut [UnfinishedItem]) {
    for at in 0..stuck.len() {
        for other in stuck[at].waits_for.clone() {
            stuck[other].waiters.push(at);
        }
    }
    // Topological order: an item's root is known when those of all its dependencies are.
    let mut left: Vec<usize> = stuck.iter().map(|s| s.waits_for.len()).collect();
    let mut ready: Vec<usize> = (0..stuck.len()).filter(|at| left[*at] == 0).collect();
    while let Some(at) = ready.pop() {
        let roots = stuck[at].waits_for.iter().map(|w| stuck[*w].root);
        // The list is sorted, so the smallest index is the oldest item.
        stuck[at].root = roots.min().unwrap_or(at);
        for waiter in &stuck[at].waiters {
            left[*waiter] -= 1;
            if left[*waiter] == 0 {
                ready.push(*waiter);
            }
        }
    }
    for (s, left) in stuck.iter_mut().zip(&left) {
        if *left > 0 && s.standing == WaitState::Waiting {
            s.standing = WaitState::Circle;
        }
    }
    count_waiters(stuck);
}

fn count_waiters(stuck: &mut [UnfinishedItem]) {
    let mut seen = vec![usize::MAX; stuck.len()];
    let mut steps = 0;
    let mut queue = Vec::new();
    for at in 0..stuck.len() {
        seen[at] = at;
        queue.push(at);
        let mut count = 0;
        while let Some(one) = queue.pop() {
            steps += stuck[one].waiters.len() + 1;
            if steps > STEPS {
                return;
            }
            for waiter in &stuck[one].waiters {
                if seen[*waiter] != at {
                    seen[*waiter] = at;
                    count += 1;
                    queue.push(*waiter);
                }
            }
        }
        stuck[at].all_waiters = Some(count);
    }
}
