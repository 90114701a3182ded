//! Open steps: stuck instances have no next step, so the time since their last record is missing from the durations of
//! steps.

use crate::findings::unfinished_items;
use crate::meaning::Meaning;
use widetui_analysis::Instances;
use widetui_analysis::columns::{EventProperty, PropertyColumn};
use widetui_analysis::entity::{Instance, has_ended};
use widetui_analysis::latency::step_times;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::summary::Summary;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_diagnosis::unfinished::WaitState;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

/// Template of a record, and the occurrence number of the template in its instance, from 1.
pub(crate) type LastStep = (String, u32);

/// Stuck instances whose last record is the same step.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenStep {
    /// The step.
    pub after: LastStep,
    /// Time from that record to the end of the instance's run (or of the window, if earlier), ns.
    pub since: Summary,
    /// The instances, longest first: indices into `Instances::list`.
    pub instances: Vec<usize>,
}

/// Groups the stuck instances in the scope by their last step; counts the same records as the durations of steps do.
/// `None` if cancelled.
#[must_use]
pub fn open_steps(
    snapshot: &Snapshot,
    meaning: &Meaning,
    instances: &Instances,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<OpenStep>> {
    let kept = scope.contains_instances(snapshot, instances);
    let is_open =
        |(one, kept): (&Instance, &bool)| *kept && !has_ended(&instances.standing(snapshot, one));
    let has_open = || instances.list.iter().zip(&kept).any(is_open);
    // Records without an instance decide together with other entities.
    let is_decided = instances.undecided_events == 0;
    let entity = &instances.entity;
    if !entity.is_work_item() || !entity.can_end() || is_decided && !has_open() {
        return Some(Vec::new());
    }
    let stuck = unfinished_items(snapshot, meaning, cancel)?;
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
        Some(OpenStep {
            after,
            since: Summary::from_values(&mut times)?,
            instances: all.into_iter().map(|(_, at)| at).collect(),
        })
    });
    Some(told.collect())
}
