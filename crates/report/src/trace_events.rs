//! Traces in the Trace Event Format, which Perfetto and Chrome open: lifetimes of instances as slices on tracks, states
//! as counters, messages as arrows.
//!
//! A track of the format is a thread of a process. Instances that ran on a resource are slices on the thread of that
//! resource (`worker 1`), in the process of the resource that encloses it (`manager 3619e747ac56`); other instances are
//! slices on as many threads as overlap requires, in a process of their entity. Senders and receivers of messages are
//! the threads of a last process. Times are microseconds since the start of the trace, with nanoseconds as decimals:
//! a reader that parses them as 64-bit floats keeps all digits for ten days.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use widetui_analysis::Instances;
use widetui_analysis::flow::{Flow, FlowMark, FlowMessage};
use widetui_analysis::states::States;
use widetui_analysis::timeline::{Bar, Ending, Timeline, TimelineRow, pack_lanes};
use widetui_core::words::several;
use widetui_store::Snapshot;
use widetui_time::time::rfc3339_nanos;

use super::jsonl::line;
use super::sheet::{id_object, seconds, time};

/// Longest slice of a step of a message, ns: arrows are drawn between slices, and a step takes no time.
const STEP: i64 = 1_000;

/// Rows of a timeline as tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackRows {
    /// Each row is a resource with tracks of its own.
    Resources,
    /// Each row is an instance; instances that do not overlap share a track.
    Instances,
}

/// Lifetimes and states of the instances of an entity.
#[derive(Clone, Debug)]
pub struct EntityLifetimes<'a> {
    /// Instances.
    pub instances: &'a Instances,
    /// Lifetimes, coloured by state.
    pub timeline: Timeline,
    /// Meaning of the rows of the timeline.
    pub rows: TrackRows,
    /// Number of instances in each state.
    pub states: States,
}

/// Number of objects in a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSize {
    /// Lifetimes of instances.
    pub lifetimes: usize,
    /// Arrows from work items to their attempts, and of messages.
    pub arrows: usize,
}

/// Writes a trace.
///
/// # Errors
/// Errors of `out`.
pub fn write(
    snapshot: &Snapshot,
    entities: &[EntityLifetimes<'_>],
    flow: &Flow,
    out: &mut dyn Write,
) -> io::Result<TraceSize> {
    let first = { entities.iter() }.filter_map(|e| Some(e.timeline.range?.0));
    let counted = { entities.iter().flat_map(|e| &e.states.series) }
        .filter_map(|steps| Some(steps.points.first()?.0));
    let marks = { flow.messages.iter() }.flat_map(|m| marks(m).map(|(mark, _)| mark.time));
    let origin = first.chain(counted).chain(marks).min().unwrap_or_default();
    let mut trace = TraceWriter {
        out,
        origin,
        last_number: 0,
        arrows: 0,
        is_first: true,
    };
    let head = json!({
        "program": concat!("widetui ", env!("CARGO_PKG_VERSION")),
        "start": rfc3339_nanos(origin),
    });
    write!(
        trace.out,
        "{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[",
        line(&head)
    )?;
    let mut slices: Vec<Vec<Option<Slice>>> = Vec::with_capacity(entities.len());
    for entity in entities {
        slices.push(trace.lifetimes(snapshot, entity)?);
    }
    for (attempts, own) in entities.iter().zip(&slices) {
        if attempts.rows == TrackRows::Resources {
            for (items, of_items) in entities.iter().zip(&slices) {
                let is_owner = items.rows == TrackRows::Instances
                    && items.instances.entity.is_work_item()
                    && items.instances.entity.system == attempts.instances.entity.system;
                if is_owner {
                    trace.attempts((attempts.instances, own), (items.instances, of_items))?;
                }
            }
        }
    }
    trace.messages(snapshot, flow)?;
    writeln!(trace.out, "\n]}}")?;
    Ok(TraceSize {
        lifetimes: slices.iter().flatten().flatten().count(),
        arrows: trace.arrows,
    })
}

/// Thread of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Track {
    process: u32,
    thread: u32,
}

/// Lifetime of an instance as it was written.
#[derive(Clone, Debug)]
struct Slice {
    track: Track,
    /// Start of the lifetime and of each further state, UTC ns, ascending.
    starts: Vec<i64>,
    /// End, UTC ns.
    end: i64,
}

/// Writer of the events of a trace, one per line.
struct TraceWriter<'w> {
    out: &'w mut dyn Write,
    /// Start of the trace, UTC ns.
    origin: i64,
    /// Last number of a process or thread; both are numbered together, as no thread is the main thread of its process.
    last_number: u32,
    /// Number of arrows, which is the id of the last one.
    arrows: usize,
    is_first: bool,
}

impl TraceWriter<'_> {
    /// Writes an event; `rest` are its further members, each after a comma.
    fn event(&mut self, phase: char, name: &str, rest: std::fmt::Arguments<'_>) -> io::Result<()> {
        let before = if self.is_first { "\n" } else { ",\n" };
        self.is_first = false;
        let name = line(&name.into());
        write!(
            self.out,
            "{before}{{\"ph\":\"{phase}\",\"name\":{name}{rest}}}"
        )
    }

    /// Time since the start of the trace, µs with decimals.
    fn micros(&self, time: i64) -> String {
        micros(time.saturating_sub(self.origin))
    }

    /// Adds a process; the explorers of traces list processes in the order of their numbers.
    fn process(&mut self, name: &str) -> io::Result<u32> {
        self.last_number += 1;
        let number = self.last_number;
        self.describe(("process", number), &format!("\"pid\":{number}"), name)?;
        Ok(number)
    }

    /// Adds a thread.
    fn thread(&mut self, process: u32, name: &str) -> io::Result<Track> {
        self.last_number += 1;
        let thread = self.last_number;
        let ids = format!("\"pid\":{process},\"tid\":{thread}");
        self.describe(("thread", thread), &ids, name)?;
        Ok(Track { process, thread })
    }

    /// Writes the name and the order of a process or thread with these members.
    fn describe(&mut self, (kind, number): (&str, u32), ids: &str, name: &str) -> io::Result<()> {
        for (what, args) in [
            ("name", json!({ "name": name })),
            ("sort_index", json!({ "sort_index": number })),
        ] {
            let (what, args) = (format!("{kind}_{what}"), line(&args));
            self.event('M', &what, format_args!(",{ids},\"args\":{args}"))?;
        }
        Ok(())
    }

    /// Writes a slice from a start to an end, UTC ns.
    fn slice(
        &mut self,
        track: Track,
        (name, category): (&str, &str),
        (start, end): (i64, i64),
        args: Map<String, Json>,
    ) -> io::Result<()> {
        let Track { process, thread } = track;
        let (at, length) = (self.micros(start), micros(end.saturating_sub(start)));
        let (category, args) = (line(&category.into()), line(&Json::Object(args)));
        self.event('X', name, format_args!(",\"cat\":{category},\"pid\":{process},\"tid\":{thread},\"ts\":{at},\"dur\":{length},\"args\":{args}"))
    }

    /// Writes an arrow between the innermost slices on two tracks at two times, UTC ns. Arrows that lead back in time
    /// are left out, as readers drop them: clocks disagree, or the sender wrote its record late.
    fn arrow(
        &mut self,
        name: &str,
        (from, leaves): (Track, i64),
        (to, arrives): (Track, i64),
    ) -> io::Result<()> {
        if arrives < leaves {
            return Ok(());
        }
        self.arrows += 1;
        let id = self.arrows;
        for (phase, track, time, rest) in
            [('s', from, leaves, ""), ('f', to, arrives, ",\"bp\":\"e\"")]
        {
            let Track { process, thread } = track;
            let at = self.micros(time);
            self.event(phase, name, format_args!(",\"cat\":\"flow\",\"id\":{id},\"pid\":{process},\"tid\":{thread},\"ts\":{at}{rest}"))?;
        }
        Ok(())
    }

    /// Writes the lifetimes of an entity's instances and the number in each state. Returns the slice of each instance.
    fn lifetimes(
        &mut self,
        snapshot: &Snapshot,
        of: &EntityLifetimes<'_>,
    ) -> io::Result<Vec<Option<Slice>>> {
        let plural = of.instances.entity.plural();
        let own_process = self.process(&plural)?;
        self.counters(own_process, &plural, &of.states)?;
        let mut slices = vec![None; of.instances.list.len()];
        match of.rows {
            TrackRows::Resources => {
                let mut processes: HashMap<&[String], u32> = HashMap::new();
                for row in &of.timeline.rows {
                    let (outer, inner) = row.values.split_at(row.values.len().saturating_sub(1));
                    let process = match processes.get(outer) {
                        Some(process) => *process,
                        None if outer.iter().all(String::is_empty) => own_process,
                        None => {
                            let place = place_name(&of.timeline.keys, outer);
                            self.process(&format!("{place} ({plural})"))?
                        }
                    };
                    processes.insert(outer, process);
                    let keys = of.timeline.keys.get(outer.len()..).unwrap_or_default();
                    let name = place_name(keys, inner);
                    let lanes =
                        (0..row.lanes).map(|lane| self.thread(process, &lane_name(&name, lane)));
                    let lanes: Vec<Track> = lanes.collect::<io::Result<_>>()?;
                    for (instance, bars) in by_instance(row) {
                        let lane = bars.first().map_or(0, |bar| bar.lane as usize);
                        let slice = self.instance(snapshot, of, (instance, &bars), lanes[lane])?;
                        slices[instance as usize] = Some(slice);
                    }
                }
            }
            TrackRows::Instances => {
                let rows = of.timeline.rows.iter().flat_map(by_instance);
                let mut all: Vec<(u32, Vec<Bar>)> = rows.collect();
                all.sort_by_key(|(instance, bars)| (extent(bars), *instance));
                let (lanes, number) = pack_lanes(all.iter().map(|(_, bars)| extent(bars)));
                let tracks =
                    (0..number).map(|lane| self.thread(own_process, &lane_name(&plural, lane)));
                let tracks: Vec<Track> = tracks.collect::<io::Result<_>>()?;
                for ((instance, bars), lane) in all.iter().zip(lanes) {
                    let track = tracks[lane as usize];
                    let slice = self.instance(snapshot, of, (*instance, bars), track)?;
                    slices[*instance as usize] = Some(slice);
                }
            }
        }
        Ok(slices)
    }

    /// Writes the lifetime of an instance, with its states as slices inside of it if it has several.
    fn instance(
        &mut self,
        snapshot: &Snapshot,
        of: &EntityLifetimes<'_>,
        (at, bars): (u32, &[Bar]),
        track: Track,
    ) -> io::Result<Slice> {
        let found = of.instances;
        let instance = &found.list[at as usize];
        let title = found.title(snapshot, instance);
        let (start, end) = extent(bars);
        let state = |bar: &Bar| {
            let name = of.timeline.colours.get(usize::from(bar.colour));
            name.cloned().unwrap_or_default()
        };
        let last = bars.last();
        let outcome = match last.map(|bar| bar.ending) {
            Some(Ending::Lost) => "lost",
            Some(Ending::Failed) => "failed",
            Some(Ending::Unfinished) => "unfinished",
            Some(Ending::Ended | Ending::Continues) | None => "ended",
        };
        let mut args = Map::new();
        args.insert("instance".into(), title.clone().into());
        args.insert("state".into(), last.map(state).into());
        args.insert("outcome".into(), outcome.into());
        args.insert("start".into(), time(Some(start)));
        args.extend(id_object(snapshot, &found.places(snapshot, instance)));
        args.extend(id_object(snapshot, &found.id(snapshot, instance)));
        let label = found.label(snapshot, instance);
        let name = label.unwrap_or(title);
        self.slice(track, (&name, &found.entity.name), (start, end), args)?;
        // Outer slices stand before inner ones that begin at the same time: so readers nest them.
        if bars.len() > 1 {
            for bar in bars {
                let inner = (state(bar), "state");
                self.slice(track, (&inner.0, inner.1), (bar.start, bar.end), Map::new())?;
            }
        }
        Ok(Slice {
            track,
            starts: bars.iter().map(|bar| bar.start).collect(),
            end,
        })
    }

    /// Writes the number of instances in each state as counters, one per state.
    fn counters(&mut self, process: u32, plural: &str, states: &States) -> io::Result<()> {
        let mut changes: BTreeMap<i64, Map<String, Json>> = BTreeMap::new();
        for (name, steps) in states.names.iter().zip(&states.series) {
            for (time, count) in &steps.points {
                let at = changes.entry(*time).or_default();
                at.insert(name.clone(), (*count).into());
            }
        }
        for (time, counts) in changes {
            let (at, args) = (self.micros(time), line(&Json::Object(counts)));
            self.event(
                'C',
                plural,
                format_args!(",\"pid\":{process},\"ts\":{at},\"args\":{args}"),
            )?;
        }
        Ok(())
    }

    /// Writes an arrow from each work item to each of its attempts: from the state that the item was in to the start of
    /// the attempt.
    fn attempts(
        &mut self,
        (attempts, slices): (&Instances, &[Option<Slice>]),
        (items, of_items): (&Instances, &[Option<Slice>]),
    ) -> io::Result<()> {
        for (attempt, slice) in attempts.list.iter().zip(slices) {
            let (Some(slice), Some(event)) = (slice, attempt.start) else {
                continue;
            };
            let mut owners = Vec::new();
            items.for_each_of_event(event, |at| owners.push(at));
            owners.dedup();
            // A record about several items does not tell whose attempt it is.
            let [owner] = owners[..] else { continue };
            let Some(item) = &of_items[owner] else {
                continue;
            };
            let start = slice.starts.first().copied().unwrap_or(slice.end);
            let before = item.starts.iter().rfind(|t| **t <= start);
            if let Some(leaves) = before {
                let name = format!("{} of {}", attempts.entity.title, items.entity.title);
                self.arrow(&name, (item.track, *leaves), (slice.track, start))?;
            }
        }
        Ok(())
    }

    /// Writes messages: for each time at which an actor makes steps of messages a short slice on its track, and arrows
    /// between them.
    fn messages(&mut self, snapshot: &Snapshot, flow: &Flow) -> io::Result<()> {
        if flow.messages.is_empty() {
            return Ok(());
        }
        let mut steps: BTreeMap<Option<u32>, BTreeMap<i64, Vec<MessageMark<'_>>>> = BTreeMap::new();
        for message in &flow.messages {
            for (mark, step) in marks(message) {
                let of_actor = steps.entry(step.actor(message)).or_default();
                of_actor.entry(mark.time).or_default().push((message, step));
            }
        }
        let process = self.process("messages")?;
        let mut tracks: HashMap<Option<u32>, Track> = HashMap::new();
        for (actor, of_actor) in &steps {
            let track = self.thread(process, flow.actor(*actor))?;
            tracks.insert(*actor, track);
            let mut moments = of_actor.iter().peekable();
            while let Some((start, made)) = moments.next() {
                let longest = start.saturating_add(STEP);
                let end = moments.peek().map_or(longest, |next| longest.min(*next.0));
                let (name, kind, args) = step_slice(snapshot, flow, *start, made);
                self.slice(track, (&name, &kind), (*start, end), args)?;
            }
        }
        for arrow in flow.arrows() {
            let ends = { tracks.get(&arrow.tail).zip(arrow.leaves) }
                .zip(tracks.get(&arrow.head).zip(arrow.arrives));
            if let Some(((tail, leaves), (head, arrives))) = ends {
                let message = flow.messages.get(arrow.message as usize);
                let name = message.map_or("", |message| kind_of(flow, message));
                self.arrow(name, (*tail, leaves), (*head, arrives))?;
            }
        }
        Ok(())
    }
}

/// Name, category and arguments of the slice of the steps that an actor makes at one time: one, or those of a batch.
fn step_slice(
    snapshot: &Snapshot,
    flow: &Flow,
    start: i64,
    made: &[(&FlowMessage, MessageStep)],
) -> (String, String, Map<String, Json>) {
    let mut args = Map::new();
    args.insert("start".into(), time(Some(start)));
    let kind = made
        .first()
        .map_or("", |(message, _)| kind_of(flow, message));
    if let [(message, step)] = made {
        args.insert("step".into(), step.name().into());
        args.insert("status".into(), message.status.name().into());
        args.insert("latency_s".into(), seconds(message.latency()));
        args.extend(id_object(snapshot, &flow.id(snapshot, message)));
        let name = match flow.label(message) {
            "" => kind,
            label => label,
        };
        return (name.to_owned(), kind.to_owned(), args);
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, step) in made {
        *counts.entry(step.name()).or_default() += 1;
    }
    for (step, count) in counts {
        args.insert(step.into(), count.into());
    }
    (several(made.len(), "step"), kind.to_owned(), args)
}

/// Name of the flow of a message.
fn kind_of<'f>(flow: &'f Flow, message: &FlowMessage) -> &'f str {
    let kind = flow.kinds.get(usize::from(message.kind));
    kind.map_or("", String::as_str)
}

/// Message and a step of it.
type MessageMark<'m> = (&'m FlowMessage, MessageStep);

/// Step of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageStep {
    Sent,
    Received,
    Replied,
    Answered,
}

impl MessageStep {
    fn name(self) -> &'static str {
        match self {
            MessageStep::Sent => "sent",
            MessageStep::Received => "received",
            MessageStep::Replied => "replied",
            MessageStep::Answered => "answered",
        }
    }

    /// Actor at which the step is made.
    fn actor(self, message: &FlowMessage) -> Option<u32> {
        match self {
            MessageStep::Sent | MessageStep::Answered => message.sender,
            MessageStep::Received | MessageStep::Replied => message.receiver,
        }
    }
}

/// Known steps of a message.
fn marks(message: &FlowMessage) -> impl Iterator<Item = (FlowMark, MessageStep)> {
    let steps = [
        (message.sent, MessageStep::Sent),
        (message.received, MessageStep::Received),
        (message.replied, MessageStep::Replied),
        (message.answered, MessageStep::Answered),
    ];
    let steps = steps.into_iter();
    steps.filter_map(|(mark, step)| Some((mark?, step)))
}

/// Bars of each instance of a row in time order, instances by their first bar.
fn by_instance(row: &TimelineRow) -> Vec<(u32, Vec<Bar>)> {
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut out: Vec<(u32, Vec<Bar>)> = Vec::new();
    for bar in &row.bars {
        let place = *places.entry(bar.instance).or_insert(out.len());
        match out.get_mut(place) {
            Some((_, bars)) => bars.push(*bar),
            None => out.push((bar.instance, vec![*bar])),
        }
    }
    out
}

/// Start of the first and end of the last bar, UTC ns.
fn extent(bars: &[Bar]) -> (i64, i64) {
    let ends = bars.first().zip(bars.last());
    ends.map_or((0, 0), |(first, last)| (first.start, last.end))
}

/// Name of a place: `worker 1`, from the keys and values that identify it.
fn place_name(keys: &[String], values: &[String]) -> String {
    let part = |(key, value): (&String, &String)| {
        let title = key.rsplit('.').next().unwrap_or(key);
        match value.as_str() {
            "" => format!("unknown {title}"),
            value => format!("{title} {value}"),
        }
    };
    let parts: Vec<String> = keys.iter().zip(values).map(part).collect();
    parts.join(" ")
}

/// Name of a track among those of one place.
fn lane_name(place: &str, lane: u32) -> String {
    match lane {
        0 => place.to_owned(),
        lane => format!("{place} ({})", lane + 1),
    }
}

/// Nanoseconds as microseconds with decimals. Readers multiply the 64-bit float by 1,000 and cut it off, which may lose a
/// nanosecond, so that slices no longer nest: a further digit prevents this.
fn micros(ns: i64) -> String {
    let ns = ns.max(0);
    let mut text = format!("{}.{:03}", ns / 1_000, ns % 1_000);
    if text
        .parse::<f64>()
        .is_ok_and(|read| (read * 1_000.0) as i64 != ns)
    {
        text.push('2');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_nanoseconds() {
        assert_eq!(micros(0), "0.000");
        assert_eq!(micros(1), "0.001");
        assert_eq!(micros(1_234_567_891), "1234567.891");
        // As readers of 64-bit floats see them, up to ten days.
        for ns in [1_234_567_891, 1_001, 1_009, 10 * 86_400 * 1_000_000_000 - 1] {
            for ns in ns..ns + 1_000 {
                let read: f64 = micros(ns).parse().unwrap();
                assert_eq!((read * 1_000.0) as i64, ns);
                assert_eq!((read * 1_000.0).round() as i64, ns);
            }
        }
    }

    #[test]
    fn places_are_named_by_their_keys() {
        let names = |values: &[&str]| values.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        let keys = names(&["t.manager", "t.worker"]);
        assert_eq!(
            place_name(&keys, &names(&["3619", "1"])),
            "manager 3619 worker 1"
        );
        assert_eq!(place_name(&keys[1..], &names(&[""])), "unknown worker");
        assert_eq!(lane_name("worker 1", 1), "worker 1 (2)");
    }
}
