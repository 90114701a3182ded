//! Steps behind which nothing more came: things that are stuck have no next step, so the time that they have been where they
//! are is in none of the steps of all.

use crate::findings::stuck;
use crate::meaning::Meaning;
use widetui_analysis::Instances;
use widetui_analysis::columns::{EventProperty, PropertyColumn};
use widetui_analysis::latency::step_times;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::summary::Summary;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_diagnosis::unfinished::WaitState;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

/// The template of a record, and the how-manieth of that template it is in its instance, from 1.
pub(crate) type LastStep = (String, u32);

/// Things that are stuck, of which the last record is that of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Unended {
    /// The step.
    pub after: LastStep,
    /// From that record to the end of the run of each (to the end of the window, where that is earlier), ns.
    pub since: Summary,
    /// Them, the longest first: indices into `Instances::list`.
    pub things: Vec<usize>,
}

/// Of the things in scope those that are stuck, by the step that was their last; the same records count as for the steps
/// themselves. `None` when cancelled.
#[must_use]
pub fn unended(
    snapshot: &Snapshot,
    meaning: &Meaning,
    instances: &Instances,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<Unended>> {
    let stuck = stuck(snapshot, meaning, cancel)?;
    let kept = scope.contains_instances(instances);
    let is_meant = |entity: &str, at: usize| {
        entity == instances.entity.name && kept.get(at).copied().unwrap_or(false)
    };
    let mut stuck = { stuck.iter() }
        .filter(|s| s.standing != WaitState::LeftBehind && is_meant(&s.entity, s.instance))
        .peekable();
    if stuck.peek().is_none() {
        return Some(Vec::new());
    }
    let times = step_times(snapshot, scope.tables);
    let labels = PropertyColumn::read(snapshot, &EventProperty::Template, cancel)?;
    let window = scope.window;
    let mut found: Vec<(LastStep, Vec<(i64, usize)>)> = Vec::new();
    for one in stuck {
        let Some(instance) = instances.list.get(one.instance) else {
            continue;
        };
        let Some(end) = one.since.zip(one.age).map(|(s, age)| s.saturating_add(age)) else {
            continue;
        };
        let end = window.until.map_or(end, |until| end.min(until));
        let is_before = |event: &&u32| {
            let time = times.get(**event as usize).copied().unwrap_or(NO_TIME);
            time != NO_TIME && time < end
        };
        let events = instances.events(instance).iter().filter(is_before);
        let Some(last) = events.clone().next_back() else {
            continue;
        };
        let code = labels.code(EventId(*last));
        let nth = events.filter(|e| labels.code(EventId(**e)) == code).count();
        let from = times[*last as usize].max(window.since.unwrap_or(i64::MIN));
        let after = (labels.text(snapshot, code), nth as u32);
        let took = (end.saturating_sub(from), one.instance);
        match found.iter_mut().find(|f| f.0 == after) {
            Some((_, all)) => all.push(took),
            None => found.push((after, vec![took])),
        }
    }
    let told = found.into_iter().filter_map(|(after, mut all)| {
        all.sort_unstable_by(|a, b| b.cmp(a));
        let mut times: Vec<i64> = all.iter().map(|(took, _)| *took).collect();
        Some(Unended {
            after,
            since: Summary::from_values(&mut times)?,
            things: all.into_iter().map(|(_, at)| at).collect(),
        })
    });
    Some(told.collect())
}
