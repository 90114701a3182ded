//! Pools: resources that could take an unfinished work item, which are those of its run and of the place that its owner
//! chose. Resources of other runs or places are irrelevant to it.

use widetui_analysis::entity::{Entity, Instance, Instances};
use widetui_store::Snapshot;

use crate::unfinished::model::{IdleResources, UnfinishedItem, UnfinishedWork, WaitState};
use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::Id;

/// Keys of the places that work is sent to before a resource takes it: places that only group resources.
pub(crate) fn keys(found: &AllInstances, goal: &Entity, carriers: &Instances) -> Vec<String> {
    let groups = found.occurring.iter().map(|of| &of.entity);
    let groups = groups.filter(|of| {
        of.is_resource() && of.place_keys.is_empty() && of.name != carriers.entity.name
    });
    let mut ends: Vec<String> = groups
        .flat_map(|of| &of.id)
        .filter_map(|id| id.last())
        .filter(|key| goal.place_keys.contains(*key) && carriers.entity.place_keys.contains(*key))
        .cloned()
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Place of a resource by these keys.
pub(crate) fn place(
    snapshot: &Snapshot,
    carriers: &Instances,
    carrier: &Instance,
    keys: &[String],
) -> Id {
    let mut places = carriers.places(snapshot, carrier);
    places.retain(|(key, _)| keys.contains(key));
    places
}

/// Whether run and place of a work item agree with a run and place, as far as known.
pub(crate) fn fits(stuck: &UnfinishedItem, run: Option<usize>, place: &Id) -> bool {
    let is_other = |(key, value): &(String, String)| {
        let mut own = stuck.place.iter().filter(|p| p.0 == *key).peekable();
        own.peek().is_some() && own.all(|p| p.1 != *value)
    };
    (run.is_none() || stuck.run.is_none() || run == stuck.run) && !place.iter().any(is_other)
}

impl IdleResources {
    /// Whether these resources could take an unfinished work item.
    pub(crate) fn can_take(&self, stuck: &UnfinishedItem) -> bool {
        self.goal == stuck.entity && fits(stuck, self.run, &self.place)
    }
}

/// Names the pools of idle resources, if other pools have none of the unfinished work.
pub(crate) fn call(hung: &mut UnfinishedWork) {
    let called = |idle: &IdleResources| {
        let stuck = hung.stuck.iter();
        let mut stuck =
            stuck.filter(|s| s.entity == idle.goal && s.standing != WaitState::LeftBehind);
        let others = || hung.idle.iter().filter(|o| o.goal == idle.goal);
        let is_place_news = !idle.place.is_empty()
            && (others().any(|o| o.place != idle.place)
                || stuck.clone().any(|s| !fits(s, None, &idle.place)));
        let run = idle.run.and_then(|run| hung.runs.get(run));
        let no_place = Id::new();
        let run = run.filter(|_| {
            others().any(|o| o.run != idle.run) || stuck.any(|s| !fits(s, idle.run, &no_place))
        });
        let place = widetui_analysis::entity::names::format_places(&idle.place);
        match (is_place_news, run) {
            (true, Some(run)) => format!(" of {place} of {}", run.short_name()),
            (true, None) => format!(" of {place}"),
            (false, Some(run)) => format!(" of {}", run.name()),
            (false, None) => String::new(),
        }
    };
    let names: Vec<String> = hung.idle.iter().map(called).collect();
    for (idle, name) in hung.idle.iter_mut().zip(names) {
        idle.whose = name;
    }
}
