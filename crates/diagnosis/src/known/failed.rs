//! Failed work: items that failed at the end, grouped by their reason, and items of which an attempt failed before they
//! succeeded.

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::ids::EventId;
use widetui_evidence::actors::{InstanceIndex, RecordIndex};
use widetui_evidence::facts::{Fact, Known, Statement};

use super::reach::code;
use super::{Context, Input};

/// Most groups of failures of an entity with a fact each.
const MOST: usize = 12;

/// Item that failed.
struct Failed {
    instance: InstanceIndex,
    record: RecordIndex,
    label: Option<String>,
    /// Reason that the definition's keys or an exception of its records state.
    reason: Option<String>,
    /// Record that states the reason, if another one does.
    stated_by: Option<RecordIndex>,
    /// Items that failed because they depended on this one.
    dependents: Vec<InstanceIndex>,
}

/// Most events at which items failed that are read.
const READ: usize = 20_000;

/// Events at which items failed.
pub(super) fn events(input: &Input<'_>) -> Vec<EventId> {
    let of = |items: &Instances| -> Vec<EventId> {
        let list = items.list.iter();
        list.filter_map(|item| failing_event(items, item)).collect()
    };
    let all = input.found.work_items().flat_map(of);
    all.take(READ).collect()
}

/// Adds the facts of all work items, and notes those that succeeded. `None` if cancelled.
pub(super) fn find(context: &Context<'_>, out: &mut Known) -> Option<()> {
    for items in context.found.work_items() {
        if context.cancel.is_cancelled() {
            return None;
        }
        of_items(context, items, out);
    }
    Some(())
}

fn of_items(context: &Context<'_>, items: &Instances, out: &mut Known) {
    let events: Vec<Option<EventId>> = { items.list.iter() }
        .map(|item| failing_event(items, item))
        .collect();
    let has_failure = events.iter().any(Option::is_some);
    // Building the index of ids takes longer than all else.
    let index = has_failure.then(|| items.index());
    let mut failed: Vec<Failed> = Vec::new();
    let mut number: FxHashMap<usize, usize> = FxHashMap::default();
    let mut dependents: Vec<(usize, InstanceIndex)> = Vec::new();
    for (at, (item, event)) in items.list.iter().zip(&events).enumerate() {
        let has_attempt = || items.failures(item).next().is_some();
        if event.is_none() && !has_attempt() && out.succeeded.len() >= MOST_SUCCEEDED {
            continue;
        }
        let id = items.id(context.snapshot, item);
        let Some(instance) = context.instance(&items.entity.name, &id) else {
            continue;
        };
        let Some(record) = event.and_then(|e| context.record(e)) else {
            if has_succeeded(context, items, item) {
                out.succeeded.insert(instance);
            }
            continue;
        };
        let depends = index
            .iter()
            .flat_map(|index| items.dependencies(index, item));
        if let Some(first) = { depends }.find(|d| events.get(*d).is_some_and(Option::is_some)) {
            dependents.push((first, instance));
            number.insert(at, usize::MAX);
            continue;
        }
        number.insert(at, failed.len());
        let (reason, stated_by) = match reason(context, items, instance, record) {
            Some((reason, record)) => (Some(reason), record),
            None => (None, None),
        };
        failed.push(Failed {
            reason,
            stated_by,
            instance,
            record,
            label: items.label(context.snapshot, item),
            dependents: Vec::new(),
        });
    }
    attach(context, items, &number, dependents, &mut failed);
    out.facts.extend(groups(context, failed));
}

/// Most items that are noted as succeeded.
const MOST_SUCCEEDED: usize = 100_000;

/// Assigns dependents to the first failure of their chain.
fn attach(
    context: &Context<'_>,
    items: &Instances,
    number: &FxHashMap<usize, usize>,
    dependents: Vec<(usize, InstanceIndex)>,
    failed: &mut [Failed],
) {
    let index = (!dependents.is_empty()).then(|| items.index());
    for (mut cause, instance) in dependents {
        // A chain is not longer than the number of items; a cycle ends the search.
        for _ in 0..items.list.len() {
            match number.get(&cause) {
                Some(&usize::MAX) => {}
                Some(&at) => {
                    failed[at].dependents.push(instance);
                    break;
                }
                None => break,
            }
            let waits = index
                .iter()
                .flat_map(|i| items.dependencies(i, &items.list[cause]));
            let Some(next) = { waits }.find(|w| number.contains_key(w)) else {
                break;
            };
            cause = next;
        }
        if context.cancel.is_cancelled() {
            return;
        }
    }
}

/// Event at which a work item failed, if it did.
fn failing_event(items: &Instances, item: &Instance) -> Option<EventId> {
    let changes = items.history(item);
    let last = items.decisive_change(&changes)?;
    items.is_failure(last.state).then_some(last.event)
}

/// Most records of an item that are searched for its reason.
const SEARCHED: usize = 40;

/// Reason of a failure, and the record that states it if it is another one: the exception or the keys of the failing record,
/// else those of the last records before it.
fn reason(
    context: &Context<'_>,
    items: &Instances,
    instance: InstanceIndex,
    failing: RecordIndex,
) -> Option<(String, Option<RecordIndex>)> {
    let records = context.records;
    let raised = |r: RecordIndex| Some(records.record(r).exception.as_ref()?.root.clone());
    let stated = |r: RecordIndex, names: &[String]| {
        let event = context.snapshot.event(records.record(r).event)?;
        let keys = &context.snapshot.catalog.keys;
        let values = names.iter().filter_map(|name| {
            let key = keys.find(name)?;
            let view = keys.get(key)?;
            let value = view.spelling(code(&event, key)?)?;
            let is_number = value.starts_with(|c: char| c.is_ascii_digit());
            Some(match is_number {
                true => format!("{} {value}", view.key.label),
                false => value,
            })
        });
        let values: Vec<String> = values.filter(|v| !v.is_empty()).collect();
        (!values.is_empty()).then(|| values.join(": "))
    };
    let entity = &items.entity;
    if let Some(own) = raised(failing).or_else(|| stated(failing, &entity.failure_keys)) {
        return Some((own, None));
    }
    let before = records.of(instance).iter().rev().filter(|r| **r != failing);
    let others = before.take(SEARCHED).copied();
    let other = others.clone().find_map(|r| Some((raised(r)?, Some(r))));
    let other = other.or_else(|| {
        others
            .clone()
            .find_map(|r| Some((stated(r, &entity.failure_keys)?, Some(r))))
    });
    other.or_else(|| {
        let codes = &entity.failure_code_keys;
        let all = std::iter::once(failing).chain(others);
        { all }.find_map(|r| Some((stated(r, codes)?, Some(r).filter(|r| *r != failing))))
    })
}

/// True if an item ended, in no state of failure.
fn has_succeeded(context: &Context<'_>, items: &Instances, item: &Instance) -> bool {
    let standing = items.standing(context.snapshot, item);
    widetui_analysis::entity::has_ended(&standing) && !items.has_failed(item, &standing)
}

/// One fact for all items of a label that failed with records of one kind, or with one exception.
fn groups(context: &Context<'_>, failed: Vec<Failed>) -> Vec<Fact> {
    let records = context.records;
    type Key = (Option<String>, u32, Option<String>);
    let mut groups: FxHashMap<Key, Vec<Failed>> = FxHashMap::default();
    for one in failed {
        let record = records.record(one.record);
        let exception = one.reason.as_ref().map(|reason| kind(reason).to_owned());
        let template = if exception.is_some() {
            0
        } else {
            record.template
        };
        let key = (one.label.clone(), template, exception);
        groups.entry(key).or_default().push(one);
    }
    let mut groups: Vec<(Key, Vec<Failed>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| {
        let first = group.iter().map(|f| f.record).min();
        (std::cmp::Reverse(group.len()), first)
    });
    groups.truncate(MOST);
    let groups = groups.into_iter();
    groups
        .map(|((label, ..), group)| fact(context, label, group))
        .collect()
}

/// Class of an exception, and its message without names and numbers.
fn kind(root: &str) -> &str {
    let end = root.find(|c: char| c.is_ascii_digit() || "'\"/".contains(c));
    root.get(..end.unwrap_or(root.len()).min(60))
        .unwrap_or(root)
}

fn fact(context: &Context<'_>, label: Option<String>, mut group: Vec<Failed>) -> Fact {
    group.sort_by_key(|f| f.record);
    let dependents = group.iter().flat_map(|f| f.dependents.iter().copied());
    let dependents: Vec<InstanceIndex> = dependents.collect();
    let statement = Statement::Failed {
        label,
        reason: group.first().and_then(|f| f.reason.clone()),
        dependents: u32::try_from(dependents.len()).unwrap_or(u32::MAX),
    };
    let stated = group.iter().filter_map(|f| f.stated_by).take(1);
    let records: Vec<RecordIndex> = stated.chain(group.iter().map(|f| f.record)).collect();
    // It says at least as much as the record of its exception.
    let fact = Fact::new(statement, 0.92)
        .about(group.iter().map(|f| f.instance))
        .bad();
    let mut fact = context.shown(fact, &records);
    fact.affected = dependents;
    fact.count = u32::try_from(group.len()).unwrap_or(u32::MAX);
    fact
}
