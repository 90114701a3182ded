//! Resources that were ended without a failure: the work on them was taken away and not lost.

use rustc_hash::FxHashMap;

use widetui_analysis::entity::Id;

use crate::findings::context::Context;

/// Ended resources, by the last key of their id.
#[derive(Debug, Default)]
pub(crate) struct EndedResources {
    by_last: FxHashMap<(String, String), Vec<Ended>>,
}

/// Index among all, id, and end, UTC ns.
type Ended = (usize, Id, i64);

impl EndedResources {
    /// Collects the resources of the snapshot that ended without a failure.
    pub(crate) fn new(look: &Context<'_>) -> EndedResources {
        let carriers = look.found.resources();
        let all = carriers.flat_map(|carriers| {
            carriers.list.iter().filter_map(|carrier| {
                let change = carriers.changes(carrier).last()?;
                let state = carriers.states.get(usize::from(change.state))?;
                let is_over = carriers.entity.is_final(state)
                    && !carriers.entity.failed_states.contains(state);
                is_over.then(|| (carriers.id(look.snapshot, carrier), change.time))
            })
        });
        EndedResources::of(all)
    }

    fn of(all: impl Iterator<Item = (Id, i64)>) -> EndedResources {
        let mut over = EndedResources::default();
        for (place, (id, time)) in all.enumerate() {
            if let Some(last) = id.last().cloned() {
                over.by_last
                    .entry(last)
                    .or_default()
                    .push((place, id, time));
            }
        }
        over
    }

    /// Time at which a resource that contains `places` ended, if it did not fail.
    pub(crate) fn taken_away(&self, places: &Id) -> Option<i64> {
        let ended = places.iter().filter_map(|p| self.by_last.get(p)).flatten();
        // Common keys must agree; keys such as the run may be missing.
        let fits = |id: &Id| {
            let mut named = id.iter().filter(|p| places.iter().any(|q| q.0 == p.0));
            named.all(|p| places.contains(p))
        };
        let first = ended.filter(|e| fits(&e.1)).min_by_key(|e| e.0);
        first.map(|e| e.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id() -> impl Strategy<Value = Id> {
        let pair = |key: &'static str| (0..3u8).prop_map(move |v| (key.to_owned(), v.to_string()));
        let keys = (
            pair("run"),
            pair("block"),
            pair("node"),
            1..4usize,
            0..3usize,
        );
        keys.prop_map(|(run, block, node, len, turn)| {
            let mut all = vec![run, block, node];
            all.rotate_left(turn);
            all.truncate(len);
            all
        })
    }

    /// Reference implementation: the first match in all entries.
    fn naive(all: &[(Id, i64)], places: &Id) -> Option<i64> {
        let fits = |own: &Id| {
            own.last().is_some_and(|p| places.contains(p))
                && own
                    .iter()
                    .filter(|p| places.iter().any(|q| q.0 == p.0))
                    .all(|p| places.contains(p))
        };
        all.iter().find(|(own, _)| fits(own)).map(|a| a.1)
    }

    proptest! {
        #[test]
        fn what_was_taken_away_is_found_as_by_looking_at_all(ids in proptest::collection::vec(id(), 0..12), places in id()) {
            let all: Vec<(Id, i64)> = ids.into_iter().zip(0..).collect();
            let over = EndedResources::of(all.iter().cloned());
            prop_assert_eq!(over.taken_away(&places), naive(&all, &places));
        }
    }
}
