//! Work items that did not begin because every resource that could take them is busy with unfinished work.

use crate::unfinished::model::{IdleResources, UnfinishedItem, UnfinishedWork, WaitState};

/// Whether a work item did not begin, and nothing else explains why.
fn did_not_begin(stuck: &UnfinishedItem) -> bool {
    let was_begun = stuck.begun_there.is_some() || stuck.finished_there.is_some();
    let was_at_work = stuck.is_executing || stuck.was_executing;
    let is_explained = stuck.because.is_some()
        || stuck.waits_unnamed
        || !stuck.failed_first.is_empty()
        || stuck.known.nobody.is_some()
        || stuck.known.cut.is_some()
        || stuck.known.unseen.is_some();
    stuck.standing == WaitState::Root && !was_begun && !was_at_work && !is_explained
}

/// Notes the work items that did not begin because all resources of their pool are busy with other unfinished work.
pub(crate) fn look(hung: &mut UnfinishedWork) {
    let full = hung.idle.iter().filter(|i| {
        let is_known = i.nameless.is_empty() && i.given_up.is_empty();
        i.alive > 0 && i.busy == i.alive && is_known
    });
    for full in full.cloned().collect::<Vec<IdleResources>>() {
        let places: Vec<Vec<(String, String)>> = { hung.stuck.iter() }
            .filter(|s| full.can_take(s) && s.begun_there.is_some())
            .map(|s| s.spot().cloned().collect())
            .collect();
        for stuck in hung.stuck.iter_mut().filter(|s| full.can_take(s)) {
            let is_there = |place: &Vec<(String, String)>| {
                let mut own = stuck.spot().peekable();
                own.peek().is_some() && own.all(|part| place.contains(part))
            };
            if did_not_begin(stuck) && places.iter().any(is_there) {
                stuck.waits_for_room = Some((full.alive, full.title.clone()));
            }
        }
    }
}

impl UnfinishedItem {
    /// Phrase for the wait: `waits for a worker: all 2 have other unfinished work`.
    pub fn waits_for_room(&self) -> Option<String> {
        let (all, title) = self.waits_for_room.as_ref()?;
        Some(match all {
            1 => format!("waits for the one {title}, which has other unfinished work"),
            2 => format!("waits for a {title}: both have other unfinished work"),
            n => format!("waits for a {title}: all {n} have other unfinished work"),
        })
    }
}
