//! Construction of a timeline: bars of instances, grouped into rows.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::Instances;
use crate::columns::{EventProperty, PropertyColumn};
use crate::entity::{Execution, Instance, InstanceEnd, Standing, StateChange};
use crate::resources::Resources;
use crate::runs::RunEnds;
use crate::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_store::key_column::UsualSpellings;
use widetui_time::time::NO_TIME;

use crate::timeline::row_order::sort_rows;
use crate::timeline::{Bar, Colour, Ending, Grouping, Progress, Timeline, TimelineRow, pack_lanes};

/// Maximum number of distinct colours; all others share one.
const MAX_COLOURS: usize = 60;

/// Builds the timeline of the instances in scope. `None` when cancelled.
pub fn timeline(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    grouping: &Grouping,
    colour: &Colour,
    cancel: &Cancel,
) -> Option<Timeline> {
    let kept = scope.contains_instances(snapshot, instances);
    let colour_source = match colour {
        Colour::State => None,
        Colour::Label => Some(InstanceProperty::labels(snapshot, instances)),
        Colour::By(by) => Some(InstanceProperty::Events(PropertyColumn::read(
            snapshot, by, cancel,
        )?)),
    };
    let places = grouping.keys.iter();
    let places = places.map(|key| InstanceProperty::of_key(snapshot, instances, *key, cancel));
    let places: Vec<InstanceProperty> = places.collect::<Option<_>>()?;
    let ends = RunEnds::of(snapshot, [&instances.entity], cancel)?;
    let innermost = instances.entity.place_keys.last();
    let innermost = innermost.and_then(|name| snapshot.catalog.keys.find(name));
    let by_resource = innermost.is_some_and(|key| grouping.keys.contains(&key));
    let build = |at: usize, instance: &Instance| {
        let group: Box<[Code]> = match grouping.keys.is_empty() {
            true => [at as Code].into(),
            false => { places.iter() }
                .map(|p| p.code(instances, at, instance))
                .collect(),
        };
        let code = colour_source
            .as_ref()
            .map(|c| c.code(instances, at, instance));
        let run_end = || ends.end_for_instance(snapshot, instances, instance);
        let standings = standings(snapshot, instances, instance, by_resource);
        let bars = standings.into_iter().filter_map(|standing| {
            let group = group.clone();
            bar_parts(
                instances, instance, at as u32, standing, run_end, group, code,
            )
        });
        bars.collect()
    };
    let found: Vec<Vec<BarParts>> = instances
        .list
        .par_iter()
        .enumerate()
        .filter(|(at, _)| kept[*at] && !cancel.is_cancelled())
        .map(|(at, instance)| build(at, instance))
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut out = Timeline {
        unstarted: found.iter().filter(|f| f.is_empty()).count() as u64,
        ..Timeline::default()
    };
    let mut rows: HashMap<Box<[Code]>, Vec<BarParts>> = HashMap::new();
    let window = scope.window;
    let touches = |l: &BarParts| window.overlaps(l.start(), l.end());
    for bar_parts in found.into_iter().flatten().filter(touches) {
        rows.entry(bar_parts.group.clone())
            .or_default()
            .push(bar_parts);
    }
    let palette = palette(snapshot, instances, colour_source.as_ref(), &rows);
    out.rows = build_rows(snapshot, instances, &places, rows, &palette);
    let bars = || out.rows.iter().flat_map(|r| &r.bars);
    let first = bars().map(|b| b.start).min();
    out.range = first.zip(bars().map(|b| b.end).max());
    let keys = grouping.keys.iter();
    out.keys = keys
        .map(|k| snapshot.catalog.keys.name(*k).to_owned())
        .collect();
    out.colours = palette.names;
    Some(out)
}

/// Names and orders the rows. Without grouping keys each row is one instance.
fn build_rows(
    snapshot: &Snapshot,
    instances: &Instances,
    places: &[InstanceProperty],
    rows: HashMap<Box<[Code]>, Vec<BarParts>>,
    palette: &Palette,
) -> Vec<TimelineRow> {
    let mut named: Vec<TimelineRow> = rows
        .into_iter()
        .map(|(group, mut parts_list)| {
            parts_list.sort_by_key(|l| (l.start(), l.end(), l.instance));
            let parts = places.iter().zip(group.iter());
            let values: Vec<String> = parts.map(|(p, c)| p.text(snapshot, *c)).collect();
            let name = match places.is_empty() {
                true => instances.short_name(snapshot, &instances.list[group[0] as usize]),
                false => {
                    let parts: Vec<&str> = values.iter().map(String::as_str).collect();
                    parts.join(" ").trim().to_owned()
                }
            };
            build_row(name, values, &parts_list, palette)
        })
        .collect();
    sort_rows(&mut named);
    named
}

/// Assigns colours: in the entity's order of states, or by frequency.
fn palette(
    snapshot: &Snapshot,
    instances: &Instances,
    colour_source: Option<&InstanceProperty>,
    rows: &HashMap<Box<[Code]>, Vec<BarParts>>,
) -> Palette {
    let mut palette = Palette::default();
    match colour_source {
        None => {
            let mut used = vec![false; instances.states.len() + 4];
            let all = rows.values().flatten().flat_map(|l| &l.parts);
            all.for_each(|p| used[p.1 as usize] = true);
            let names = instances.states.iter().map(String::as_str);
            let names = names.chain(["ended", "lost", "open", "failed"]);
            for (at, name) in names.enumerate().filter(|(at, _)| used[*at]) {
                palette.add(at as Code, name.to_owned());
            }
        }
        Some(labels) => {
            let mut counts: HashMap<Code, u64> = HashMap::new();
            let all = rows.values().flatten().flat_map(|l| &l.parts);
            all.for_each(|p| *counts.entry(p.1).or_default() += 1);
            let mut counts: Vec<(Code, u64)> = counts.into_iter().collect();
            // Unknown values come last.
            counts.sort_unstable_by_key(|(code, n)| (*code == NONE, std::cmp::Reverse(*n), *code));
            for (code, _) in counts {
                palette.add(code, labels.text(snapshot, code));
            }
        }
    }
    palette
}

/// Lifetime of an instance in parts of one colour, none of zero length unless the whole is.
struct BarParts {
    instance: u32,
    group: Box<[Code]>,
    /// Start (UTC ns) and colour of each part.
    parts: Vec<(i64, Code)>,
    end: i64,
    ending: Ending,
    progress: Progress,
}

impl BarParts {
    fn start(&self) -> i64 {
        self.parts.first().map_or(self.end, |p| p.0)
    }

    fn end(&self) -> i64 {
        self.end
    }
}

/// Standing of an instance, or of each of its executions if it repeats.
fn standings(
    snapshot: &Snapshot,
    instances: &Instances,
    instance: &Instance,
    by_resource: bool,
) -> Vec<Standing> {
    let mut standing = instances.standing(snapshot, instance);
    if instances.entity.is_repeated {
        let executions = instances.executions(instance);
        if executions.len() > 1 {
            let last = executions.len() - 1;
            let of = |(at, execution): (usize, Execution)| Standing {
                start: Some(execution.start.time),
                end: { execution.end }.map_or(InstanceEnd::Unfinished, InstanceEnd::Ended),
                state: standing.state.filter(|_| at == last),
                ..standing
            };
            return executions.into_iter().enumerate().map(of).collect();
        }
    }
    // In the row of its resource a bar begins when the instance is placed there.
    if by_resource && let Some(there) = placement_time(instances, instance) {
        standing.start = standing.start.map(|start| start.max(there));
    }
    vec![standing]
}

/// Time at which an instance was placed on its resource by its states, UTC ns.
fn placement_time(instances: &Instances, instance: &Instance) -> Option<i64> {
    let entity = &instances.entity;
    if entity.executing_states.is_empty() && entity.unplaced_states.is_empty() {
        return None;
    }
    let is_in = |states: &[String], state: u16| {
        let name = instances.states.get(usize::from(state));
        name.is_some_and(|name| states.contains(name))
    };
    let changes = instances.history(instance);
    let mut all = changes.iter();
    let execution = all.find(|c| is_in(&entity.executing_states, c.state));
    let left = || {
        let mut changes = changes.iter();
        let is_there = |c: &&StateChange| !is_in(&entity.unplaced_states, c.state);
        changes
            .find(is_there)
            .filter(|_| !entity.unplaced_states.is_empty())
    };
    let first = execution.or_else(left);
    first.map(|c| c.time).filter(|time| *time != NO_TIME)
}

/// Parts of the bar of an instance; `None` if it never started.
fn bar_parts(
    instances: &Instances,
    instance: &Instance,
    index: u32,
    standing: Standing,
    run_end: impl Fn() -> i64,
    group: Box<[Code]>,
    colour: Option<Code>,
) -> Option<BarParts> {
    let start = standing.start?;
    let (end, ending) = match standing.end {
        _ if instances.is_open_again(&standing) => (run_end(), Ending::Unfinished),
        InstanceEnd::Ended(t) if instances.has_failed(instance, &standing) => (t, Ending::Failed),
        InstanceEnd::Ended(t) => (t, Ending::Ended),
        InstanceEnd::Lost(t) => (t, Ending::Lost),
        // An entity without ends lasts until its last record.
        InstanceEnd::Unfinished if !instances.entity.can_end() => {
            (instance.range.map_or(start, |r| r.1), Ending::Ended)
        }
        InstanceEnd::Unfinished => (run_end(), Ending::Unfinished),
    };
    let end = end.max(start);
    let mut parts: Vec<(i64, Code)> = Vec::new();
    match colour {
        Some(code) => parts.push((start, code)),
        None => {
            for change in instances
                .history(instance)
                .iter()
                .filter(|c| c.time != NO_TIME && c.time < end.max(start + 1))
            {
                let at = change.time.max(start);
                match parts.last_mut() {
                    Some(last) if last.0 == at => last.1 = Code::from(change.state),
                    _ => parts.push((at, Code::from(change.state))),
                }
            }
            let how = match ending {
                Ending::Lost => 1,
                Ending::Unfinished => 2,
                Ending::Failed => 3,
                Ending::Ended | Ending::Continues => 0,
            };
            let how = (instances.states.len() + how) as Code;
            if parts.first().is_none_or(|p| p.0 > start) {
                let before = parts.first().map_or(how, |p| p.1);
                parts.insert(0, (start, before));
            }
        }
    }
    Some(BarParts {
        instance: index,
        group,
        parts,
        end,
        ending,
        progress: match colour {
            Some(_) if ending == Ending::Unfinished => progress_of(instances, instance),
            _ => Progress::Begun,
        },
    })
}

/// Progress of an unfinished instance by its reported states.
fn progress_of(instances: &Instances, instance: &Instance) -> Progress {
    let entity = &instances.entity;
    let waits = |change: &StateChange| {
        let name = instances.states.get(usize::from(change.state));
        name.is_some_and(|name| {
            !entity.executing_states.contains(name)
                && !entity.executed_states.contains(name)
                && !entity.is_final(name)
        })
    };
    let changes = instances.changes(instance);
    match entity.executing_states.is_empty() || changes.is_empty() || !changes.iter().all(waits) {
        true => Progress::Begun,
        false => Progress::Waiting,
    }
}

/// Packs the bars of one row into lanes.
fn build_row(
    name: String,
    values: Vec<String>,
    parts_list: &[BarParts],
    palette: &Palette,
) -> TimelineRow {
    let (lanes, number) = pack_lanes(parts_list.iter().map(|l| (l.start(), l.end())));
    let mut bars = Vec::with_capacity(parts_list.len());
    for (bar_parts, lane) in parts_list.iter().zip(lanes) {
        for (at, (start, code)) in bar_parts.parts.iter().enumerate() {
            let next = bar_parts.parts.get(at + 1);
            bars.push(Bar {
                start: *start,
                end: next.map_or(bar_parts.end, |n| n.0),
                ending: next.map_or(bar_parts.ending, |_| Ending::Continues),
                lane,
                instance: bar_parts.instance,
                colour: palette.get(*code),
                progress: bar_parts.progress,
            });
        }
    }
    bars.sort_by_key(|b| (b.start, b.lane));
    TimelineRow {
        name,
        values,
        bars,
        lanes: number,
        lifetime: None,
    }
}

impl Timeline {
    /// Sets the lifetime of each row's resource, if the resources are those of the row keys. If all
    /// instances are in scope, idle resources get a row, too.
    pub fn set_lifetimes(
        &mut self,
        snapshot: &Snapshot,
        resources: &Resources,
        scope: &AnalysisScope,
    ) {
        let window = scope.window;
        let mut lifetimes: HashMap<Vec<String>, (i64, i64)> = HashMap::new();
        let all = resources.instances.list.iter().zip(&resources.lifetimes);
        for (resource, lifetime) in all {
            let id = resources.instances.id(snapshot, resource);
            let value = |key: &String| id.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
            let values: Option<Vec<String>> = self.keys.iter().map(value).collect();
            if let (Some(values), Some(lifetime)) = (values, lifetime) {
                let known = lifetimes
                    .entry(values)
                    .or_insert((lifetime.start, lifetime.end));
                *known = (known.0.min(lifetime.start), known.1.max(lifetime.end));
            }
        }
        let within = |(from, to): (i64, i64)| {
            let from = window.since.map_or(from, |since| since.max(from));
            let to = window.until.map_or(to, |until| until.min(to));
            Some((from, to)).filter(|(from, to)| from < to)
        };
        for row in &mut self.rows {
            row.lifetime = lifetimes.remove(&row.values).and_then(within);
        }
        if scope.events.is_some() || scope.excluded.is_some() || self.rows.is_empty() {
            return;
        }
        let idle = lifetimes.into_iter().filter_map(|(values, lifetime)| {
            Some(TimelineRow {
                name: values.join(" ").trim().to_owned(),
                values,
                lanes: 1,
                lifetime: Some(within(lifetime)?),
                ..TimelineRow::default()
            })
        });
        self.rows.extend(idle);
        sort_rows(&mut self.rows);
    }
}

/// Property of instances, by which they have colours and rows.
enum InstanceProperty {
    /// Index of a place key, and the key.
    Place(usize, KeyId, UsualSpellings),
    /// First value in the events of an instance.
    Events(PropertyColumn),
    /// Code of the label of each instance, and the names of the codes.
    Labels(Vec<Code>, Vec<String>),
}

impl InstanceProperty {
    /// Labels of instances.
    fn labels(snapshot: &Snapshot, instances: &Instances) -> InstanceProperty {
        let mut names: Vec<String> = Vec::new();
        let mut known: HashMap<(KeyId, Code), Code> = HashMap::new();
        let mut spelled: HashMap<String, Code> = HashMap::new();
        let list = instances.list.iter().map(|instance| {
            let Some(label) = instance.label else {
                return NONE;
            };
            *known.entry(label).or_insert_with(|| {
                let name = instances.label(snapshot, instance).unwrap_or_default();
                *spelled.entry(name).or_insert_with_key(|name| {
                    names.push(name.clone());
                    names.len() as Code - 1
                })
            })
        });
        let list = list.collect();
        InstanceProperty::Labels(list, names)
    }

    /// Values of a key: of the place, or in the events. `None` when cancelled.
    fn of_key(
        snapshot: &Snapshot,
        found: &Instances,
        key: KeyId,
        cancel: &Cancel,
    ) -> Option<InstanceProperty> {
        let of_events = EventProperty::Key(key);
        match found.place_keys.iter().position(|k| *k == key) {
            Some(at) => {
                let usual = UsualSpellings::new(snapshot, std::iter::once(&key));
                Some(InstanceProperty::Place(at, key, usual))
            }
            None => {
                PropertyColumn::read(snapshot, &of_events, cancel).map(InstanceProperty::Events)
            }
        }
    }

    fn code(&self, instances: &Instances, at: usize, instance: &Instance) -> Code {
        let code = match self {
            InstanceProperty::Place(at, ..) => instances.place_codes(instance).get(*at),
            InstanceProperty::Events(column) => {
                return column.first_code(instances.events(instance));
            }
            InstanceProperty::Labels(list, _) => list.get(at),
        };
        code.copied().unwrap_or(NONE)
    }

    fn text(&self, snapshot: &Snapshot, code: Code) -> String {
        match self {
            InstanceProperty::Place(_, key, usual) => usual.text(snapshot, *key, code),
            InstanceProperty::Events(column) => column.text(snapshot, code),
            InstanceProperty::Labels(_, names) => {
                names.get(code as usize).cloned().unwrap_or_default()
            }
        }
    }
}

/// Names of the colours, and the colour of each code.
#[derive(Default)]
struct Palette {
    names: Vec<String>,
    known: HashMap<Code, u16>,
}

impl Palette {
    fn add(&mut self, code: Code, name: String) {
        if self.names.len() <= MAX_COLOURS {
            let is_rest = self.names.len() == MAX_COLOURS;
            self.names
                .push(if is_rest { "others".to_owned() } else { name });
        }
        self.known.insert(code, (self.names.len() - 1) as u16);
    }

    fn get(&self, code: Code) -> u16 {
        self.known.get(&code).copied().unwrap_or_default()
    }
}
