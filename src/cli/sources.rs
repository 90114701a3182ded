//! `widetui sources`: format, records, times and problems of each source.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde_json::{Map, Value as Json, json};

use widetui_core::cancel::Cancel;
use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::words::{cut, several};
use widetui_query::Selection;
use widetui_report::jsonl::JsonLines;
use widetui_report::{csv, flat};
use widetui_session::problem_lines::{ProblemSpot, problem_spots};
use widetui_store::source::Zoning;
use widetui_store::{Snapshot, Source, SourceTrait};
use widetui_time::time::{format_datetime, rfc3339_nanos};

use super::args::{Format, SelectedCommand};
use super::columnar;
use super::open::{self, read};
use super::opened::Opened;
use super::output::{Failure, SheetAlign, count, levels, safe, stdout, table};
use super::run_checks::{check_logs, check_shifts};
use super::selection::some;

/// `widetui sources`.
pub fn run(c: &SelectedCommand) -> Result<(), Failure> {
    let run = &c.run;
    if !c.select.is_all() {
        // The selection may use derived keys.
        let opened = open::load_run(run)?;
        let rows = some(&opened, &c.select)?;
        return print(
            &opened,
            &listed(&opened.snapshot, rows.as_ref()),
            run.format,
        );
    }
    let (opened, _) = read(&run.paths, &run.open)?;
    check_shifts(&opened.snapshot, &run.open.shift)?;
    print(&opened, &listed(&opened.snapshot, None), run.format)?;
    check_logs(&opened.snapshot)
}

/// A source and its selected records.
struct Listed<'a> {
    source: &'a Source,
    /// Number of records by level.
    levels: [u64; 8],
    /// Earliest and latest time of the records, UTC ns.
    first: Option<i64>,
    last: Option<i64>,
}

impl Listed<'_> {
    fn records(&self) -> u64 {
        self.levels.iter().sum()
    }
}

/// All sources, or the sources of selected records.
fn listed<'a>(snapshot: &'a Snapshot, rows: Option<&Selection>) -> Vec<Listed<'a>> {
    let all = snapshot.sources.iter().map(|source| {
        let range = source.range();
        Listed {
            source,
            levels: source.stats.levels,
            first: range.map(|range| range.0),
            last: range.map(|range| range.1),
        }
    });
    let Some(rows) = rows else {
        return all.collect();
    };
    let mut some: Vec<Listed<'a>> = all
        .map(|listed| Listed {
            levels: [0; 8],
            first: None,
            last: None,
            ..listed
        })
        .collect();
    for event in rows.ids().filter_map(|id| snapshot.event(id)) {
        let Some(own) = some.get_mut(event.source().id.index()) else {
            continue;
        };
        own.levels[event.level() as usize] += 1;
        let Some(time) = event.time() else { continue };
        own.first = Some(own.first.map_or(time, |t| t.min(time)));
        own.last = Some(own.last.map_or(time, |t| t.max(time)));
    }
    some.retain(|listed| listed.records() > 0);
    some
}

/// Lists sources.
fn print(opened: &Opened, sources: &[Listed<'_>], format: Format) -> Result<(), Failure> {
    let mut out = stdout();
    match format {
        Format::Jsonl => {
            let mut lines = JsonLines::default();
            for source in sources {
                lines.write(object(&opened.snapshot, source), &mut out)?;
            }
        }
        Format::Csv => {
            let names = [
                "source",
                "path",
                "system",
                "layout",
                "records",
                "bytes",
                "first",
                "last",
                "levels",
                "problems",
                "problem_lines",
                "zone",
            ];
            writeln!(out, "{}", csv::row(names))?;
            for source in sources {
                let object = object(&opened.snapshot, source);
                let cells: Vec<String> = names
                    .iter()
                    .map(|n| match object.get(*n) {
                        Some(Json::String(text)) => text.clone(),
                        Some(Json::Null) | None => String::new(),
                        Some(other) => other.to_string(),
                    })
                    .collect();
                writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
            }
        }
        Format::Text => text(opened, sources, &mut out)?,
        Format::Arrow | Format::Parquet => {
            let objects = sources.iter().map(|s| object(&opened.snapshot, s));
            return columnar::print(&flat::of_objects(objects), format);
        }
    }
    Ok(out.flush()?)
}

fn object(snapshot: &Snapshot, listed: &Listed<'_>) -> Map<String, Json> {
    let source = listed.source;
    let time = |t: Option<i64>| t.map_or(Json::Null, |t| Json::String(rfc3339_nanos(t)));
    let counts: Map<String, Json> = levels(&listed.levels)
        .into_iter()
        .map(|(l, n)| (l.to_owned(), n.into()))
        .collect();
    let problems: Vec<String> = source.problems.iter().map(ToString::to_string).collect();
    let object = json!({
        "source": source.tag,
        "path": source.path,
        "system": source.system,
        "layout": source.layout,
        "records": listed.records(),
        "bytes": source.bytes,
        "first": time(listed.first),
        "last": time(listed.last),
        "levels": counts,
        "problems": problems,
        "problem_lines": problem_lines(snapshot, source),
        "zone": zone(source),
    });
    match object {
        Json::Object(map) => map,
        _ => Map::new(),
    }
}

/// Problems of a source with a place, each with its first line.
fn problem_lines(snapshot: &Snapshot, source: &Source) -> Vec<Json> {
    let spots = problem_spots(snapshot, source.id, &Cancel::default()).unwrap_or_default();
    let placed = source.problems.iter().filter_map(|p| {
        let at = p.offset?;
        Some((p, spots.iter().find(|s| s.offset == at)?))
    });
    let object = |(problem, spot): (&Diagnostic, &ProblemSpot)| {
        json!({
            "problem": problem.text,
            "count": problem.lines,
            "byte": spot.offset,
            "line": spot.line,
            "text": spot.text,
        })
    };
    placed.map(object).collect()
}

/// Writes the problems of sources, each with its first line.
fn problems(opened: &Opened, sources: &[Listed<'_>], out: &mut impl Write) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let sources = sources.iter().map(|s| s.source);
    let with = sources.filter(|s| s.problems.iter().any(|p| p.severity > Severity::Note));
    for (at, source) in with.enumerate() {
        if at == 0 {
            writeln!(out, "\nproblems:")?;
        }
        let spots = problem_spots(snapshot, source.id, &Cancel::default()).unwrap_or_default();
        writeln!(out, "{}", safe(&source.path))?;
        for problem in &source.problems {
            if problem.severity == Severity::Note {
                continue;
            }
            writeln!(out, "  {}", safe(&problem.message()))?;
            let spot = spots.iter().find(|s| Some(s.offset) == problem.offset);
            let Some((spot, line)) = spot.and_then(|s| Some((s, s.line?))) else {
                continue;
            };
            let what = if source.has_trait(SourceTrait::Synthetic) {
                "record"
            } else {
                "line"
            };
            let text = cut(&safe(&spot.text), WIDEST);
            writeln!(out, "    {what} {}: {text}", count(line))?;
        }
    }
    Ok(())
}

/// Width of a quoted line, characters.
const WIDEST: usize = 120;

/// Reason why a file is listed and not read, if that is no problem.
fn notes(source: &Source) -> String {
    let notes = source.problems.iter();
    let notes = notes.filter(|p| p.severity == Severity::Note);
    safe(
        &notes
            .map(Diagnostic::message)
            .collect::<Vec<_>>()
            .join("; "),
    )
}

/// Zone of a source, stated or inferred.
fn zone(source: &Source) -> Option<String> {
    match &source.zoning {
        Zoning::Stated if source.stats.first.is_some() => Some("UTC, as written".to_owned()),
        Zoning::Stated => None,
        Zoning::Local { how, .. } => Some(how.clone()),
    }
}

fn text(opened: &Opened, sources: &[Listed<'_>], out: &mut impl Write) -> Result<(), Failure> {
    let (logs, rest): (Vec<&Listed<'_>>, Vec<&Listed<'_>>) =
        sources.iter().partition(|s| s.source.is_log);
    let time = |t: Option<i64>| {
        t.map_or_else(
            || "–".to_owned(),
            |t| format_datetime(t, opened.zone.offset_at_utc(t), 3),
        )
    };
    let rows: Vec<Vec<String>> = logs
        .iter()
        .map(|s| {
            let counts: Vec<String> = levels(&s.levels)
                .into_iter()
                .filter(|(l, _)| matches!(*l, "critical" | "error" | "warning"))
                .map(|(l, n)| format!("{} {l}", count(n)))
                .collect();
            vec![
                safe(&s.source.tag),
                safe(&s.source.path),
                s.source.layout.clone(),
                count(s.records()),
                count(s.source.bytes),
                time(s.first),
                time(s.last),
                counts.join(", "),
            ]
        })
        .collect();
    let columns = [
        ("source", SheetAlign::Left),
        ("path", SheetAlign::Left),
        ("layout", SheetAlign::Left),
        ("records", SheetAlign::Right),
        ("bytes", SheetAlign::Right),
        ("first", SheetAlign::Left),
        ("last", SheetAlign::Left),
        ("", SheetAlign::Left),
    ];
    table(out, &columns, &rows)?;
    if !rest.is_empty() {
        writeln!(out, "\nlisted, not read:")?;
        let rows: Vec<Vec<String>> = rest
            .iter()
            .map(|s| s.source)
            .map(|s| vec![safe(&s.path), s.layout.clone(), count(s.bytes), notes(s)])
            .collect();
        table(
            out,
            &[
                ("path", SheetAlign::Left),
                ("what", SheetAlign::Left),
                ("bytes", SheetAlign::Right),
                ("", SheetAlign::Left),
            ],
            &rows,
        )?;
    }
    let records: u64 = logs.iter().map(|s| s.records()).sum();
    let logs: Vec<&Source> = logs.iter().map(|s| s.source).collect();
    zones(&logs, out)?;
    problems(opened, sources, out)?;
    let bytes: u64 = logs.iter().map(|s| s.bytes).sum();
    writeln!(
        out,
        "\n{} records in {} logs, {} bytes; {} bytes of memory",
        count(records),
        count(logs.len() as u64),
        count(bytes),
        count(opened.snapshot.memory().total() as u64)
    )?;
    Ok(())
}

/// Writes the zones of logs whose times have none; each zone once, with some of its logs.
fn zones(logs: &[&Source], out: &mut impl Write) -> Result<(), Failure> {
    // A zone inferred from several logs names one of them.
    let mut taken: BTreeMap<String, (BTreeSet<String>, Vec<&str>)> = BTreeMap::new();
    for source in logs.iter().filter(|s| s.zoning != Zoning::Stated) {
        let Some(text) = zone(source) else { continue };
        let (zone, from) = text.split_once(", as in ").unwrap_or((&text, ""));
        let (shown_by, tags) = taken.entry(zone.into()).or_default();
        shown_by.insert(from.into());
        tags.push(&source.tag);
    }
    let is_one = taken.len() == 1;
    for (zone, (shown_by, tags)) in taken {
        let more = match shown_by.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let from = shown_by.into_iter().next().filter(|from| !from.is_empty());
        let from = from.map_or_else(String::new, |from| format!(", as in {from}{more}"));
        let of = match is_one {
            true => String::new(),
            false => format!(" in {}", named(&tags)),
        };
        writeln!(
            out,
            "\ntimes without a zone{}: {}",
            safe(&of),
            safe(&(zone + &from))
        )?;
    }
    Ok(())
}

/// First of several logs, by their tags.
fn named(tags: &[&str]) -> String {
    const NAMED: usize = 3;
    let first = tags[..tags.len().min(NAMED)].join(", ");
    match tags.len().checked_sub(NAMED) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {}", several(more, "more log")),
    }
}
