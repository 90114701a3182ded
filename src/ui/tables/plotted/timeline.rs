//! Who did what when.

use crate::analysis::Entity;
use crate::analysis::timeline::{Bar, Ending, Timeline, TimelineRow as Carried};
use crate::base::time::format_span;
use crate::base::words::several;
use crate::query::Field;
use crate::ui::plots::gantt::{Gantt, Took};
use crate::ui::plots::{Plot, Tone};
use crate::ui::table::{Cell, Column, CommonField, Row, RowGoal, Table};
use crate::ui::text::{grouped, width};
use crate::workspace::plots::{Picked, ids_step};

use super::last_part;

/// Characters of each part of a row's name, at least and at most: identifiers differ at their start.
const PART: (usize, usize) = (4, 8);
/// Parts of a name: the innermost are what tells rows apart.
const PARTS: usize = 2;
/// Rows at most; what has none is counted.
const MOST: usize = 20_000;

pub(super) fn table(found: Picked, mut data: Timeline, by: Option<String>) -> Table {
    if data.keys.is_empty() {
        name_each(&found, &mut data);
    }
    let (from, to) = data.range.unwrap_or_default();
    let span = to.saturating_sub(from).max(1);
    let work = Work::of(&found.entity, &data);
    let names = Names::of(&data);
    let mut rows: Vec<Row> = Vec::new();
    let mut gantt = Gantt {
        legend: legend(&data),
        took: took(&data),
        tones: tones(&found, &data),
        unknown: data
            .colours
            .iter()
            .position(String::is_empty)
            .map(|at| at as u16),
        ..Gantt::default()
    };
    let (mut things, mut left_out) = (0u64, 0u64);
    for carried in &data.rows {
        let shown = names.name(carried);
        gantt.names = gantt.names.max(width(&shown) as u16);
        let mut busy = work.share(carried, span);
        gantt.has_busy |= busy != Cell::Empty;
        for (at, lane) in lanes(carried).into_iter().enumerate() {
            let own = lane.bars.iter().filter(|b| b.ending != Ending::Changes);
            let own = own.count() as u64;
            things += own;
            if rows.len() >= MOST {
                left_out += own;
                continue;
            }
            // What has no room in a row stands in the next, which needs no name of its own.
            let shown = if at == 0 { &shown[..] } else { "" };
            let place = rows.len();
            rows.push(row(
                &found,
                (&data.keys, by.as_deref()),
                &lane,
                shown,
                (place, std::mem::take(&mut busy)),
            ));
            gantt.lanes.push(lane);
        }
    }
    let title = match &by {
        Some(by) => format!("{} by {by}", found.entity.plural()),
        None => found.entity.plural(),
    };
    let mut note = several(things as usize, &found.entity.title);
    if data.unstarted > 0 {
        note = format!("{note} · {} with no known start", grouped(data.unstarted));
    }
    if left_out > 0 {
        note = format!("{note} · {} had no room", grouped(left_out));
    }
    if gantt.has_busy {
        note = format!("{note} · busy: % of {}", format_span(span));
    }
    gantt.of = Some(found);
    let columns = vec![Column::text("row"), Column::number("busy")];
    Table::new(columns, rows, "nothing here has a start")
        .titled(title.clone())
        .noted(note)
        .with_plot(title, Plot::Gantt(Box::new(gantt)))
}

/// Names rows of one thing each: by their runs, where there are several, by their numbers, and by what they are.
fn name_each(found: &Picked, data: &mut Timeline) {
    let snapshot = found.snapshot();
    let one = |row: &Carried| found.list.get(row.bars.first()?.of as usize);
    let outer = |row: &Carried| {
        let mut id = one(row).map_or(Vec::new(), |one| found.id(snapshot, one));
        id.pop();
        id.pop().map_or(String::new(), |(_, value)| value)
    };
    let runs: Vec<String> = data.rows.iter().map(outer).collect();
    let is_one_run = runs.windows(2).all(|pair| pair[0] == pair[1]);
    let mut rows: Vec<(String, Carried)> = runs.into_iter().zip(data.rows.drain(..)).collect();
    // By run; within one the order stays.
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    for (run, mut row) in rows {
        if !is_one_run {
            let run: String = run.chars().take(PART.1).collect();
            row.name = format!("{run}/{}", row.name);
        }
        if let Some(label) = one(&row).and_then(|one| found.label(snapshot, one)) {
            row.name = format!("{} {label}", row.name);
        }
        data.rows.push(row);
    }
}

/// Which bars are work that keeps what carries them busy; a thing that only waits or lies there does not.
struct Work {
    /// By colour.
    colours: Vec<bool>,
}

impl Work {
    fn of(entity: &Entity, data: &Timeline) -> Work {
        // Where a definition says what begins it, that is where it begins to be carried out; else its states say it.
        let is_work = |colour: &String| match entity.start {
            Some(_) => true,
            None => entity.executing.contains(colour),
        };
        let has_carriers = !data.keys.is_empty();
        let colours = data.colours.iter();
        Work {
            colours: colours.map(|c| has_carriers && is_work(c)).collect(),
        }
    }

    /// The part of a stretch of time in which something is carried out in a place; nothing where that is not known.
    fn share(&self, carried: &Carried, span: i64) -> Cell {
        if carried.name.is_empty() || !self.colours.contains(&true) {
            return Cell::Empty;
        }
        let is_work = |bar: &&Bar| self.colours.get(usize::from(bar.colour)) == Some(&true);
        // By start, so that what overlaps counts once.
        let (mut busy, mut until) = (0i64, i64::MIN);
        for bar in carried.bars.iter().filter(is_work) {
            let from = bar.start.max(until);
            busy = busy.saturating_add(bar.end.saturating_sub(from).max(0));
            until = until.max(bar.end);
        }
        Cell::Share(busy as f64 / span as f64)
    }
}

/// What colours stand for, and how many things have it.
fn legend(data: &Timeline) -> Vec<(String, u64)> {
    let mut counts = vec![0u64; data.colours.len()];
    let mut last: Vec<Option<u32>> = vec![None; data.colours.len()];
    for bar in data.rows.iter().flat_map(|r| &r.bars) {
        let at = usize::from(bar.colour);
        // A thing that comes back to a state has it once.
        if let (Some(count), Some(last)) = (counts.get_mut(at), last.get_mut(at))
            && last.replace(bar.of) != Some(bar.of)
        {
            *count += 1;
        }
    }
    let name = |name: &String| match name.as_str() {
        "" => "(none)".to_owned(),
        name => name.to_owned(),
    };
    data.colours.iter().map(name).zip(counts).collect()
}

/// What the colours say, where they are those of states.
fn tones(found: &Picked, data: &Timeline) -> Vec<Tone> {
    let known = super::tones(found);
    let tone = |name: &String| match found.states.iter().position(|s| s == name) {
        Some(at) => known.get(at).copied(),
        // Words of the timeline's own, for what has no states.
        None => match name.as_str() {
            "ended" => Some(Tone::Good),
            "lost" => Some(Tone::Bad),
            "open" => Some(Tone::Hue(0)),
            _ => None,
        },
    };
    let tones: Option<Vec<Tone>> = data.colours.iter().map(tone).collect();
    tones.unwrap_or_default()
}

/// How long the things of each colour took.
fn took(data: &Timeline) -> Vec<Took> {
    let mut out = vec![Took::default(); data.colours.len()];
    let bars = data.rows.iter().flat_map(|r| &r.bars);
    for bar in bars {
        if let Some(took) = out.get_mut(usize::from(bar.colour)) {
            let length = bar.end.saturating_sub(bar.start);
            took.all = took.all.saturating_add(length);
            took.longest = took.longest.max(length);
        }
    }
    out
}

/// A row for each lane.
fn lanes(carried: &Carried) -> Vec<Carried> {
    let mut out: Vec<Carried> = (0..carried.lanes)
        .map(|_| Carried {
            name: carried.name.clone(),
            values: carried.values.clone(),
            bars: Vec::new(),
            lanes: 1,
        })
        .collect();
    for bar in &carried.bars {
        if let Some(lane) = out.get_mut(bar.lane as usize) {
            lane.bars.push(Bar { lane: 0, ..*bar });
        }
    }
    out
}

/// How rows are named: what is the same for all of them is left out.
struct Names {
    from: usize,
    /// Of each part from there on the characters that are left out at its start, and those that are shown: so many as tell
    /// its values apart.
    parts: Vec<(usize, usize)>,
    /// Bytes at the start of the only part that are the same for all rows, and say nothing therefore.
    common: usize,
}

/// A name of one part that is no longer than this is shown whole.
const WHOLE: usize = 10;

impl Names {
    fn of(data: &Timeline) -> Names {
        let same = |at: usize| {
            let mut values = data.rows.iter().map(|r| r.values.get(at));
            let first = values.next().flatten();
            values.all(|v| v == first)
        };
        let keys = data.keys.len();
        let from = (0..keys).find(|at| !same(*at)).unwrap_or(keys);
        let from = from
            .max(keys.saturating_sub(PARTS))
            .min(keys.saturating_sub(1));
        let length = |at: usize| {
            let mut values: Vec<&str> = data.rows.iter().map(|r| part(r, at)).collect();
            values.sort_unstable();
            values.dedup();
            let common = |a: &str, b: &str| {
                let pairs = a.chars().zip(b.chars());
                pairs.take_while(|(a, b)| a == b).count()
            };
            let needed = values.windows(2).map(|w| common(w[0], w[1]) + 1).max();
            let needed = needed.unwrap_or(0);
            // What they differ in stands far behind: their start is left out.
            let skipped = match needed > PART.1 {
                true => common_start(values.iter().copied()),
                false => 0,
            };
            let skipped = values.iter().find_map(|v| v.get(..skipped));
            let skipped = skipped.map_or(0, |start| start.chars().count());
            let shown = needed.saturating_sub(skipped).clamp(PART.0, PART.1);
            (skipped, shown)
        };
        Names {
            from,
            parts: (from..keys).map(length).collect(),
            common: match keys - from {
                1 => common_start(data.rows.iter().map(|r| part(r, from))),
                _ => 0,
            },
        }
    }

    fn name(&self, row: &Carried) -> String {
        let parts = row.values.get(self.from..).unwrap_or_default();
        match parts {
            [] if row.name.is_empty() => "not known".to_owned(),
            [] => row.name.clone(),
            _ if row.name.is_empty() => "not known".to_owned(),
            [one] => match one.get(self.common..) {
                Some(rest) if self.common > 0 => format!("…{rest}"),
                _ => one.clone(),
            },
            parts => {
                let short = |(value, (skipped, shown)): (&String, &(usize, usize))| -> String {
                    value.chars().skip(*skipped).take(*shown).collect()
                };
                let parts = parts.iter().zip(&self.parts).map(short);
                parts.collect::<Vec<_>>().join("/")
            }
        }
    }
}

/// How many bytes of long names are the same at their start, up to where a word begins: of `tcp://10.0.2.96:37527` and
/// `tcp://10.0.2.97:40433` all before 96.
fn common_start<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let names: Vec<&str> = names.filter(|n| !n.is_empty()).collect();
    let (Some(first), true) = (names.first(), names.len() > 1) else {
        return 0;
    };
    let longest = names.iter().map(|n| n.chars().count()).max();
    if longest.is_none_or(|l| l <= WHOLE) {
        return 0;
    }
    let same = |end: &usize| names.iter().all(|n| n.get(..*end) == first.get(..*end));
    let starts = first.char_indices().filter(|(_, c)| !c.is_alphanumeric());
    let starts = starts.map(|(at, c)| at + c.len_utf8());
    starts.take_while(same).last().unwrap_or(0)
}

/// A part of a row's name.
fn part(row: &Carried, at: usize) -> &str {
    row.values.get(at).map_or("", String::as_str)
}

fn row(
    found: &Picked,
    (keys, by): (&[String], Option<&str>),
    lane: &Carried,
    shown: &str,
    (place, busy): (usize, Cell),
) -> Row {
    let (goal, same) = match (keys.is_empty(), lane.bars.first()) {
        (true, Some(bar)) => {
            let at = bar.of as usize;
            let own = found.list.get(at);
            let same = own.map(|one| super::same(found.snapshot(), found, one));
            (
                found.step(at).map(RowGoal::Filter),
                same.unwrap_or_default(),
            )
        }
        _ => {
            let known = keys.iter().cloned().zip(lane.values.iter().cloned());
            let known: Vec<(String, String)> = known.filter(|p| !p.1.is_empty()).collect();
            let label: String = known
                .last()
                .map_or("", |p| &p.1)
                .chars()
                .take(PART.1)
                .collect();
            let label = format!("{} {label}", by.unwrap_or_default());
            let same = known.iter().rev();
            let same = same.map(|(k, v)| CommonField::key(Field::key(k), last_part(k), v.clone()));
            let same: Vec<CommonField> = same.collect();
            let step = ids_step(label.trim().to_owned(), &known);
            (
                Some(RowGoal::Filter(step)).filter(|_| !known.is_empty()),
                same,
            )
        }
    };
    Row {
        // Rows of one carrier have one name; the place tells them apart.
        name: format!("{place} {shown}"),
        cells: vec![Cell::Text(shown.to_owned()), busy],
        goal: goal.unwrap_or_default(),
        same,
        is_faint: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_by_what_tells_them_apart() {
        let row = |values: &[&str]| Carried {
            name: values.join(" ").trim().to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            ..Carried::default()
        };
        let names = |keys: usize, rows: &[&[&str]]| -> Vec<String> {
            let data = Timeline {
                rows: rows.iter().map(|r| row(r)).collect(),
                keys: vec![String::new(); keys],
                ..Timeline::default()
            };
            let names = Names::of(&data);
            data.rows.iter().map(|r| names.name(r)).collect()
        };
        let one = [&["m", "0"][..], &["m", "1"]];
        assert_eq!(names(2, &one), ["0", "1"]);
        let two = [&["9d89e23d77", "0"][..], &["322ce8a1b2", "0"]];
        assert_eq!(names(2, &two), ["9d89/0", "322c/0"]);
        let close = [&["9d89e2aa", "0"][..], &["9d89e2bb", "0"], &["", ""]];
        assert_eq!(names(2, &close), ["9d89e2a/0", "9d89e2b/0", "not known"]);
        let late = [&["a", "worker-demeter-1"][..], &["b", "worker-demeter-2"]];
        assert_eq!(names(2, &late), ["a/1", "b/2"]);
        let tcp = [&["tcp://10.0.2.96:37527"][..], &["tcp://10.0.2.97:40433"]];
        assert_eq!(names(1, &tcp), ["…96:37527", "…97:40433"]);
        assert_eq!(
            names(1, &[&["worker-1"], &["worker-2"]]),
            ["worker-1", "worker-2"]
        );
        assert_eq!(names(1, &[&["a-long-single-one"]]), ["a-long-single-one"]);
    }
}
