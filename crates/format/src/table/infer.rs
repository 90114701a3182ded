//! Infers the meaning of the columns of a table without a definition, from their names and values.

use std::sync::Arc;

use crate::definitions::kinds::Compiled;
use crate::json::common_fields::{
    MESSAGES, is_event_type, is_level, is_nested_message, is_zone, names_level, plain,
};
use crate::json::dialect::JsonSpec;
use crate::sample::Sample;
use crate::text::json_scan::text;
use crate::text::json_scan::{Raw, walk};
use widetui_core::lock;
use widetui_time::timeparse::parse_whole;

/// Maximum number of rows examined.
const MAX_ROWS: usize = 100;

/// Names of time columns, in order of preference, without `@`, dashes and underscores.
const TIME_NAMES: [&str; 18] = [
    "time",
    "timestamp",
    "ts",
    "t",
    "when",
    "created",
    "createdat",
    "date",
    "datetime",
    "eventtime",
    "logtime",
    "begin",
    "start",
    "starttime",
    "timebegan",
    "submittime",
    "end",
    "endtime",
];

/// Words in a name that show that a number is a time.
const TIME_WORDS: [&str; 10] = [
    "time",
    "timestamp",
    "stamp",
    "date",
    "start",
    "started",
    "begin",
    "end",
    "ended",
    "when",
];

#[derive(Default)]
struct Column {
    name: String,
    /// Number of values.
    values: usize,
    times: usize,
    /// Number of times that are plain numbers.
    numbers: usize,
    levels: usize,
    /// Number of kinds of events that stand for levels.
    event_types: usize,
    /// Number of zones.
    zones: usize,
    /// Last value without a date; `falls` notes whether any is earlier than the one before, which shows durations
    /// instead of times of day.
    clock: Vec<u8>,
    falls: usize,
}

impl Compiled {
    /// Dialect of the rows of a table. The time is the first column with a usual name that is full of times, else any
    /// column of times; a numeric column counts only if its name says so. Without a time, the rows are facts.
    pub fn table_dialect(&self, sample: &Sample<'_>) -> Arc<JsonSpec> {
        let spec = infer(sample);
        let key = format!(
            "table {:?} {:?} {:?} {:?}",
            spec.time, spec.zone, spec.level, spec.message
        );
        let mut known = lock::hold(&self.inferred);
        known.entry(key).or_insert_with(|| Arc::new(spec)).clone()
    }
}

fn infer(sample: &Sample<'_>) -> JsonSpec {
    let mut columns: Vec<Column> = Vec::new();
    let mut scratch = Vec::new();
    for line in sample.lines().iter().take(MAX_ROWS) {
        let mut at = 0;
        let _ = walk(line, |name, raw| {
            let name = String::from_utf8_lossy(name);
            if columns.get(at).is_none_or(|c| c.name != name) {
                at = columns
                    .iter()
                    .position(|c| c.name == name)
                    .unwrap_or_else(|| {
                        columns.push(Column {
                            name: name.into_owned(),
                            ..Column::default()
                        });
                        columns.len() - 1
                    });
            }
            let bare = matches!(raw, Raw::Bare(_));
            let value = text(raw, &mut scratch);
            if !value.is_empty()
                && let Some(column) = columns.get_mut(at)
            {
                let found = parse_whole(value);
                let time = found.is_some();
                if found.is_some_and(|stamp| !stamp.date) && !bare {
                    column.falls += usize::from(value < column.clock.as_slice());
                    column.clock = value.to_vec();
                }
                column.values += 1;
                column.times += usize::from(time);
                column.numbers += usize::from(time && bare);
                let value = String::from_utf8_lossy(value);
                column.levels += usize::from(is_level(&column.name, &value));
                column.zones += usize::from(is_zone(&column.name, &value));
                column.event_types += usize::from(is_event_type(&column.name, &value));
            }
            at += 1;
        });
    }
    let is_time = |c: &&Column| {
        let name = plain(&c.name);
        c.values > 0
            && c.times == c.values
            && c.falls == 0
            && (c.numbers == 0 || TIME_NAMES.contains(&name.as_str()) || names_time(&c.name))
    };
    let times: Vec<&Column> = columns.iter().filter(is_time).collect();
    let time = TIME_NAMES
        .iter()
        .find_map(|n| times.iter().find(|c| plain(&c.name) == *n))
        .or(times.first());
    let of = |names: &[&str], fits: fn(&Column) -> bool| -> Option<String> {
        names.iter().find_map(|n| {
            let mut found = columns.iter().filter(|c| plain(&c.name) == *n && fits(c));
            found.next().map(|c| c.name.clone())
        })
    };
    let mut spec = JsonSpec {
        name: "table".to_owned(),
        ..JsonSpec::default()
    };
    spec.time.extend(time.map(|c| (c.name.clone(), None)));
    let is_level = |c: &&Column| names_level(&c.name) && c.values > 0 && c.levels == c.values;
    let is_zone = |c: &&Column| c.values > 0 && c.zones == c.values;
    spec.zone = columns.iter().find(is_zone).map(|c| c.name.clone());
    let is_event_type = |c: &&Column| c.values > 0 && c.event_types == c.values;
    let level = columns.iter().find(is_level);
    let level = level.or_else(|| columns.iter().find(is_event_type));
    spec.level.extend(level.map(|c| c.name.clone()));
    let nested = || {
        let is_nested = |c: &&Column| c.values > 0 && is_nested_message(&c.name);
        columns.iter().find(is_nested).map(|c| c.name.clone())
    };
    spec.message
        .extend(of(&MESSAGES, |c| c.values > 0).or_else(nested));
    spec
}

/// Whether the last word of a name, or the one before `at`, `s` and the like, shows that a number is a time.
fn names_time(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
    let last = match words.split_last() {
        Some((&("s" | "ms" | "us" | "ns" | "utc" | "epoch"), rest)) => rest.last(),
        _ => words.last(),
    };
    last.is_some_and(|w| TIME_WORDS.contains(w) || w.ends_with("time"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_source::head::SourceHead;

    fn columns(lines: &str) -> (String, String, String) {
        let spec = infer(&Sample::new(SourceHead::whole(lines.as_bytes())));
        let first = |list: &[String]| list.first().cloned().unwrap_or_default();
        let time = spec.time.first().map(|t| t.0.clone()).unwrap_or_default();
        (time, first(&spec.level), first(&spec.message))
    }

    #[test]
    fn columns_are_known_by_name_and_values() {
        let row = r#"{"job_id": 1795225387, "End": null, "submit_time": 1795225387.5, "state": "ok", "severity": "WARN", "event": "x"}"#;
        let want = ("submit_time".into(), "severity".into(), "event".into());
        assert_eq!(columns(row), want);
        let row = "{\"a\": \"x\", \"finished\": \"2026-11-20 19:43:07\", \"level\": 3}\n{\"a\": \"x\", \"finished\": null, \"level\": 4}\n";
        assert_eq!(columns(row).0, "finished");
        assert_eq!(columns(row).1, "");
        // Numbers that could be times do not count unless the name says so.
        assert_eq!(columns(r#"{"parsl.task": 1795225387, "chain": "a"}"#).0, "");
        assert_eq!(
            columns(r#"{"time_id": 1795225387, "endpoint": 1795225387}"#).0,
            ""
        );
        assert_eq!(
            columns(r#"{"job.start_time_s": 1795225387}"#).0,
            "job.start_time_s"
        );
        // CPU times of processes are durations.
        let took = "{\"TIME\": \"00:01:49\"}\n{\"TIME\": \"00:00:00\"}\n";
        assert_eq!(columns(took).0, "");
        let clock = "{\"TIME\": \"00:01:49\"}\n{\"TIME\": \"00:02:00\"}\n";
        assert_eq!(columns(clock).0, "TIME");
        assert_eq!(columns("").0, "");
    }
}
