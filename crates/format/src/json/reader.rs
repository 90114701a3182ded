//! Reads JSON lines, one object per line, in a dialect.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_core::level::Level;
use widetui_core::lock::hold;
use widetui_time::time::NS_PER_SECOND;
use widetui_time::timeparse::{Stamp, StampZone, TimePattern, offset_of_zone, parse_whole};

use crate::catalog::Catalog;
use crate::catalog::keys::{Key, MAX_ALWAYS_STORED};
use crate::fields::{Fields, first_line};
use crate::json::common_fields::level_scale;
use crate::json::compose::Compose;
use crate::json::dialect::JsonSpec;
use crate::json::form::{Duration, Form, FormColumn};
use crate::messages::continuation_lines;
use crate::messages::scope::Scope;
use crate::pattern::Spans;
use crate::pattern::levels::{LevelNames, LevelScale};
use crate::text::hosts;
use crate::text::json_scan::{Raw, elements, field_name, nth, text};

/// Size up to which further fields are added to a summary, bytes.
const MAX_SUMMARY: usize = 120;

/// Maximum number of columns of a record.
const MAX_COLUMNS: usize = 2048;
/// Maximum number of keys that the records of one reader add to those of the run, so that a source with ever new fields
/// takes none from the others.
const MAX_NEW_KEYS: u32 = 5_000;

/// Reader of the records of one dialect.
#[derive(Debug, Default)]
pub struct JsonReader {
    /// The dialect.
    pub spec: Arc<JsonSpec>,
    /// Number of the dialect within the run.
    pub id: u32,
    /// Number of keys that its records added.
    new_keys: AtomicU32,
    /// Forms of records that were read on their own, by the names of their fields, each with its length behind it.
    forms: Mutex<FxHashMap<Box<[u8]>, Arc<Form>>>,
}

/// Maximum number of forms that are kept for records that are read on their own.
const MAX_KNOWN_FORMS: usize = 1024;

/// Number of fields, and size of their names, for which a record that is read on its own has room at once.
const EXPECTED_FIELDS: usize = 32;
const EXPECTED_NAMES: usize = 1024;

impl JsonReader {
    /// Reader of a dialect with this number within the run.
    pub fn new(spec: Arc<JsonSpec>, id: u32) -> JsonReader {
        JsonReader {
            spec,
            id,
            ..JsonReader::default()
        }
    }

    /// Keys and values of an object that encloses records, without lists and long values.
    pub(crate) fn enclosing_values(&self, object: &[u8], tables: &Catalog) -> Vec<(KeyId, Code)> {
        let spec = &self.spec;
        let mut out: Vec<(KeyId, Code)> = Vec::new();
        let mut scratch = Vec::new();
        let _ = spec.walk_object(object, &mut |name, raw| {
            let is_list = spec.records.as_ref().is_some_and(|r| r.is_list(name));
            if is_list || matches!(raw, Raw::Null | Raw::Array(_) | Raw::Object(_)) {
                return;
            }
            let value = text(raw, &mut scratch);
            if value.is_empty() || value.len() > MAX_ALWAYS_STORED || self.is_null(value) {
                return;
            }
            if let Some(name) = spec.key_name(&field_name(name))
                && let Some(key) = tables.keys.get(&name)
                && value.len() <= key.longest()
                && out.iter().all(|(k, _)| *k != key.id)
            {
                out.push((key.id, key.code(&String::from_utf8_lossy(value))));
            }
        });
        out
    }

    /// Form and values of a record.
    fn form_of<'r>(&self, record: &'r [u8], tables: &Catalog) -> Option<(Arc<Form>, Vec<Raw<'r>>)> {
        let mut values = Vec::with_capacity(EXPECTED_FIELDS);
        let mut names = Vec::with_capacity(EXPECTED_NAMES);
        self.spec.walk(record, |key, raw| {
            names.extend_from_slice(key);
            names.extend_from_slice(&key.len().to_ne_bytes());
            values.push(raw);
        })?;
        if let Some(form) = hold(&self.forms).get(&*names) {
            return Some((form.clone(), values));
        }
        let mut fields = Vec::with_capacity(values.len());
        self.spec
            .walk(record, |key, _| fields.push(Box::<[u8]>::from(key)))?;
        let form = Arc::new(self.form(fields, tables));
        let mut forms = hold(&self.forms);
        if forms.len() >= MAX_KNOWN_FORMS {
            forms.clear();
        }
        forms.insert(names.into(), form.clone());
        Some((form, values))
    }

    /// Reads one record on its own, given the messages that apply and the reference of times without a date (UTC ns),
    /// without the values of fields whose keys are not wanted.
    pub(crate) fn fields(
        &self,
        record: &[u8],
        (scope, reference): (&Scope, i64),
        tables: &Catalog,
        is_wanted: &dyn Fn(KeyId) -> bool,
    ) -> Fields {
        let Some((form, values)) = self.form_of(record, tables) else {
            let message = String::from_utf8_lossy(record).trim_end().to_owned();
            let (line, _) = first_line(record);
            return Fields {
                level: scope.level(line).unwrap_or_default(),
                pairs: scope.read(line, tables),
                message,
                ..Fields::default()
            };
        };
        let mut pairs: Vec<(Arc<Key>, Vec<String>)> = Vec::new();
        for (at, key) in &form.writer {
            let raw = values.get(*at).copied();
            let spelled = raw.map_or(Vec::new(), |raw| self.spellings(raw));
            if !spelled.is_empty() {
                pairs.push((key.clone(), spelled));
            }
        }
        // The summary of a record without a message names all its fields.
        let is_wanted = |column: &&FormColumn| !form.has_message() || is_wanted(column.key.id);
        for column in form.columns.iter().filter(is_wanted) {
            let raw = column.at.and_then(|at| values.get(at).copied());
            let spelled = raw.map_or(Vec::new(), |raw| self.spellings(raw));
            if !spelled.is_empty() {
                pairs.push((column.key.clone(), spelled));
            }
        }
        for column in form.hosts.iter().filter(is_wanted) {
            let raw = column.at.and_then(|at| values.get(at).copied());
            let lists = raw.map_or(Vec::new(), |raw| self.spellings(raw));
            let hosts: Vec<String> = lists.iter().flat_map(|list| hosts::spelled(list)).collect();
            if !hosts.is_empty() {
                pairs.push((column.key.clone(), hosts));
            }
        }
        for duration in &form.durations {
            if let Some(seconds) = duration_of(&form, &values, duration) {
                pairs.push((duration.key.clone(), vec![seconds]));
            }
        }
        let mut message = Vec::new();
        match (&form.composed, form.message.first()) {
            (Some(composed), _) => {
                composed.message(&mut message, |at, out| {
                    self.push_text(nth(&values, at), out)
                });
            }
            (None, Some(at)) => {
                let mut scratch = Vec::new();
                message.extend_from_slice(self.without_end(text(nth(&values, *at), &mut scratch)));
            }
            (None, None) => message = summary(&pairs).into_bytes(),
        }
        let mut level = level_of(&self.spec.levels, &form, &values);
        if form.has_message() {
            // The bytes as loaded: text that is not UTF-8 may follow a name.
            let (line, rest) = first_line(&message);
            let from_lines = scope.continuation_patterns(line, &mut Spans::new());
            let from_lines = from_lines
                .map_or_else(Vec::new, |f| continuation_lines::spelled(f, rest, |_| None));
            let named = scope.read(line, tables);
            if level == Level::Unknown {
                level = scope.level(line).unwrap_or_default();
            }
            // Fields of the record take precedence over its continuation lines.
            let own = |(key, values): &(Arc<Key>, Vec<String>)| {
                !values.is_empty() && !form.keys.contains(&key.id)
            };
            let keys_of_lines: Vec<KeyId> = from_lines.iter().map(|(key, _)| key.id).collect();
            let named = named
                .into_iter()
                .filter(|(key, _)| !keys_of_lines.contains(&key.id));
            pairs.extend(from_lines.into_iter().chain(named).filter(own));
        }
        Fields {
            time: time_of(&form, &values).map(|t| t.near(reference)),
            level,
            message: String::from_utf8_lossy(&message).into_owned(),
            pairs,
        }
    }

    /// Message without the line end of the original line: a field named `log` on its own holds lines as written. Other
    /// messages stay as they are, so that exports can be read back unchanged.
    fn without_end<'m>(&self, message: &'m [u8]) -> &'m [u8] {
        let is_line = self.spec.message.iter().eq(["log"]);
        match message.strip_suffix(b"\n").filter(|_| is_line) {
            Some(bare) => bare.strip_suffix(b"\r").unwrap_or(bare),
            None => message,
        }
    }

    /// Message of a record.
    pub(crate) fn message(&self, record: &[u8]) -> String {
        if let Some(compose) = &self.spec.compose {
            return self.composed(compose, record);
        }
        let mut best: Option<(usize, Raw<'_>)> = None;
        let found = self.spec.walk(record, |key, raw| {
            if let Some(rank) = self.spec.message.iter().position(|m| m.as_bytes() == key)
                && best.is_none_or(|b| rank < b.0)
            {
                best = Some((rank, raw));
            }
        });
        let mut scratch = Vec::new();
        match (found, best) {
            (Some(()), Some((_, raw))) => {
                let message = self.without_end(text(raw, &mut scratch));
                String::from_utf8_lossy(message).into_owned()
            }
            (Some(()), None) => self.summary_of(record),
            (None, _) => String::from_utf8_lossy(record).trim_end().to_owned(),
        }
    }

    fn composed(&self, compose: &Compose, record: &[u8]) -> String {
        let mut fields: Vec<(String, Raw<'_>)> = Vec::new();
        let walked = self
            .spec
            .walk(record, |key, raw| fields.push((field_name(key), raw)));
        if walked.is_none() {
            return String::from_utf8_lossy(record).trim_end().to_owned();
        }
        let composed = compose.resolve(|name| fields.iter().position(|f| f.0 == name));
        let mut out = Vec::new();
        composed.message(&mut out, |at, out| {
            let raw = fields.get(at).map_or(Raw::Null, |(_, raw)| *raw);
            self.push_text(raw, out);
        });
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Appends a value as it appears in a message.
    pub(crate) fn push_text(&self, raw: Raw<'_>, out: &mut Vec<u8>) {
        let list = match raw {
            Raw::Array(array) => elements(array),
            _ => None,
        };
        let Some(list) = list else {
            let mut scratch = Vec::new();
            let value = text(raw, &mut scratch);
            if !self.is_null(value) {
                out.extend_from_slice(value);
            }
            return;
        };
        // A list appears without its JSON syntax.
        let start = out.len();
        for element in list {
            let before = out.len();
            if before > start {
                out.extend_from_slice(b", ");
            }
            let from = out.len();
            self.push_text(element, out);
            if out.len() == from {
                out.truncate(before);
            }
        }
    }

    fn summary_of(&self, record: &[u8]) -> String {
        let mut pairs = Vec::new();
        let _ = self.spec.walk(record, |key, raw| {
            let name = field_name(key);
            let spec = &self.spec;
            let special = spec.time.iter().any(|t| t.0 == name)
                || spec.level.contains(&name)
                || spec.drop.contains(&name);
            if !special {
                pairs.push((spec.renamed(&name).to_owned(), self.spellings(raw)));
            }
        });
        join(pairs.iter().map(|(name, values)| (name.as_str(), values)))
    }

    /// Values of a field as a key stores them; none for null.
    pub fn spellings(&self, raw: Raw<'_>) -> Vec<String> {
        let mut scratch = Vec::new();
        match raw {
            Raw::Null => Vec::new(),
            Raw::Array(array) => match elements(array) {
                Some(list) => list.into_iter().flat_map(|r| self.spellings(r)).collect(),
                None => vec![String::from_utf8_lossy(array).into_owned()],
            },
            Raw::Object(_) | Raw::Bare(_) | Raw::Bytes(_) | Raw::Text { .. } => {
                let value = text(raw, &mut scratch);
                if self.is_null(value) {
                    Vec::new()
                } else {
                    vec![String::from_utf8_lossy(value).into_owned()]
                }
            }
        }
    }

    /// Whether a string means "no value" in this dialect.
    pub(crate) fn is_null(&self, value: &[u8]) -> bool {
        self.spec.null.iter().any(|n| n.as_bytes() == value)
    }
}

fn summary(pairs: &[(Arc<Key>, Vec<String>)]) -> String {
    join(pairs.iter().map(|(key, values)| (&*key.name, values)))
}

fn join<'a>(pairs: impl Iterator<Item = (&'a str, &'a Vec<String>)>) -> String {
    pairs
        .map(|(name, values)| format!("{name}={}", values.join(",")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Time of a record: the first field that holds one.
pub(crate) fn time_of(form: &Form, values: &[Raw<'_>]) -> Option<Stamp> {
    let mut stamp = form
        .time
        .iter()
        .find_map(|(at, pattern)| stamp(values, *at, pattern.as_ref()))?;
    if !stamp.date
        && let Some(whole) = form.date.and_then(|date| dated(form, values, date))
    {
        stamp = whole;
    }
    if let Some((at, unit_ns)) = form.fraction
        && stamp.resolution_ns >= NS_PER_SECOND
        && let Some(fraction) = fraction_ns(values, at, unit_ns)
    {
        stamp.ns += fraction;
        stamp.resolution_ns = unit_ns;
    }
    if form.utc {
        stamp.zone = StampZone::Known;
    }
    if let Some(at) = form.zone
        && stamp.zone == StampZone::Local
        && stamp.year
        && let Some(offset) = zone_of(values, at, stamp.ns)
    {
        stamp.ns = stamp.ns.saturating_sub(offset * NS_PER_SECOND);
        stamp.zone = StampZone::Known;
    }
    Some(stamp)
}

/// Seconds that the zone in a field is ahead of UTC when its clocks show `local`.
fn zone_of(values: &[Raw<'_>], at: usize, local: i64) -> Option<i64> {
    let mut scratch = Vec::new();
    offset_of_zone(text(*values.get(at)?, &mut scratch).trim_ascii(), local)
}

/// Fraction of a second in a field, given in units of `unit_ns`, ns; `None` if the field has none, or a second or more.
fn fraction_ns(values: &[Raw<'_>], at: usize, unit_ns: i64) -> Option<i64> {
    let mut scratch = Vec::new();
    let number = text(*values.get(at)?, &mut scratch);
    let number: i64 = std::str::from_utf8(number).ok()?.parse().ok()?;
    let ns = number.checked_mul(unit_ns)?;
    (0..NS_PER_SECOND).contains(&ns).then_some(ns)
}

/// Time of a record whose date is in a separate field.
fn dated(form: &Form, values: &[Raw<'_>], date: usize) -> Option<Stamp> {
    let mut scratch = Vec::new();
    let mut whole = text(*values.get(date)?, &mut scratch).trim_ascii().to_vec();
    let (at, _) = form.time.first()?;
    whole.push(b' ');
    let mut scratch = Vec::new();
    whole.extend_from_slice(text(*values.get(*at)?, &mut scratch).trim_ascii());
    parse_whole(&whole).filter(|stamp| stamp.date)
}

/// Seconds between two times of a record.
pub(crate) fn duration_of(form: &Form, values: &[Raw<'_>], duration: &Duration) -> Option<String> {
    let (start, end) = duration.between.as_ref()?;
    let pattern = |at: &usize| form.time.iter().find(|t| t.0 == *at)?.1.as_ref();
    let usual = pattern(start).or(pattern(end));
    let (start, end) = (stamp(values, *start, usual)?, stamp(values, *end, usual)?);
    let ns = end.ns.checked_sub(start.ns)?;
    let (sign, ns) = (if ns < 0 { "-" } else { "" }, ns.unsigned_abs());
    let text = format!("{sign}{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    Some(text.to_owned())
}

/// Time in a field. The epoch itself counts as no time, because programs write it if they have none.
fn stamp(values: &[Raw<'_>], at: usize, pattern: Option<&TimePattern>) -> Option<Stamp> {
    let found = {
        let (Raw::Text { bytes, .. } | Raw::Bare(bytes)) = *values.get(at)? else {
            return None;
        };
        let bytes = bytes.trim_ascii();
        match pattern {
            Some(pattern) => {
                let (stamp, used) = pattern.parse_prefix(bytes)?;
                (used == bytes.len()).then_some(stamp)
            }
            None => parse_whole(bytes),
        }
    };
    found.filter(|stamp| !stamp.is_unset())
}

/// Level of a record.
pub(crate) fn level_of(names: &LevelNames, form: &Form, values: &[Raw<'_>]) -> Level {
    form.level
        .iter()
        .find_map(|(at, scale)| match *values.get(*at)? {
            Raw::Text { bytes, .. } => names.parse(bytes).or_else(|| number_level(bytes, *scale)),
            Raw::Bare(bytes) => names.own(bytes).or_else(|| number_level(bytes, *scale)),
            _ => None,
        })
        // The empty spelling is that of records without a level.
        .or_else(|| names.own(b""))
        .unwrap_or_default()
}

fn number_level(bytes: &[u8], scale: LevelScale) -> Option<Level> {
    scale.level(std::str::from_utf8(bytes).ok()?.parse().ok()?)
}

impl JsonReader {
    /// Key of a field; `None` if it is new, and the reader or the run has reached its limit of keys.
    fn key(&self, name: &str, tables: &Catalog) -> Option<Arc<Key>> {
        tables.keys.find(name).or_else(|| {
            let before = self.new_keys.fetch_add(1, Ordering::Relaxed);
            (before < MAX_NEW_KEYS).then(|| tables.keys.get(name))?
        })
    }

    /// Computes the form of records with these fields; without a number, and with a column for each field.
    pub(crate) fn form(&self, fields: Vec<Box<[u8]>>, tables: &Catalog) -> Form {
        let spec = &self.spec;
        let position = |name: &str| fields.iter().position(|f| **f == *name.as_bytes());
        let time: Vec<_> = spec
            .time
            .iter()
            .filter_map(|(n, p)| Some((position(n)?, p.clone())))
            .collect();
        let level: Vec<_> = spec
            .level
            .iter()
            .filter_map(|n| Some((position(n)?, level_scale(n))))
            .collect();
        let message: Vec<_> = spec.message.iter().filter_map(|n| position(n)).collect();
        let template: Vec<_> = spec.template.iter().filter_map(|n| position(n)).collect();
        let mut columns: Vec<FormColumn> = Vec::new();
        let mut writer = Vec::new();
        let mut known: FxHashSet<KeyId> = FxHashSet::default();
        let mut summary = String::new();
        let mut is_cut = false;
        for (at, field) in fields.iter().enumerate() {
            let name = field_name(field);
            let special = time.iter().any(|t| t.0 == at)
                || level.iter().any(|l| l.0 == at)
                // A message that the dialect gives a name is a key, too.
                || message.contains(&at) && !spec.rename.contains_key(&name)
                || template.contains(&at);
            if special {
                continue;
            }
            let Some(renamed) = spec.key_name(&name) else {
                continue;
            };
            let key = match columns.len() < MAX_COLUMNS {
                true => self.key(&renamed, tables),
                false => None,
            };
            let Some(key) = key else {
                is_cut = true;
                continue;
            };
            if spec.writer.contains(&name) {
                writer.push((at, key));
                continue;
            }
            if spec.defer.contains(&name) {
                key.defer();
            }
            if known.insert(key.id) {
                if summary.len() < MAX_SUMMARY && !key.is_deferred() {
                    let gap = if summary.is_empty() { "" } else { " " };
                    summary.push_str(&format!("{gap}{renamed}={{}}"));
                }
                columns.push(FormColumn { at: Some(at), key });
            }
        }
        // A process precedes its threads, whatever the order of the fields.
        writer.sort_by_key(|(at, _): &(usize, Arc<Key>)| {
            let name = fields.get(*at).map(|field| field_name(field));
            spec.writer
                .iter()
                .position(|known| Some(known) == name.as_ref())
        });
        let durations = spec.durations.iter().filter_map(|[start, end, key]| {
            Some(Duration {
                between: Some((position(start)?, position(end)?)),
                key: tables.keys.get(key)?,
            })
        });
        let durations = durations.collect();
        let mut form = Form {
            composed: spec.compose.as_ref().map(|c| c.resolve(position)),
            durations,
            utc: spec.utc,
            is_complete: spec.complete,
            date: spec.date.iter().find_map(|n| position(n)),
            fraction: (spec.fraction.as_ref()).and_then(|f| Some((position(&f.name)?, f.unit_ns))),
            zone: spec.zone.as_ref().and_then(|n| position(n)),
            fields,
            time,
            level,
            message,
            template,
            writer,
            summary: summary.into(),
            is_cut,
            ..Form::default()
        };
        form.set_columns(columns, tables);
        form
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_in_turn_have_the_fields_that_each_has_alone() {
        let tables = Catalog::default();
        let pairs = |reader: &JsonReader, record: &str| {
            let fields = reader.fields(record.as_bytes(), (&Scope::default(), 0), &tables, &|_| {
                true
            });
            let pairs = fields.pairs.into_iter();
            pairs
                .map(|(key, values)| (key.name.to_string(), values))
                .collect::<Vec<_>>()
        };
        let records = [
            r#"{"a": 1, "b": "x"}"#,
            r#"{"a": 2, "b": "y"}"#,
            r#"{"b": "y", "a": 2}"#,
            r#"{"a": 3}"#,
            r#"{"a": 4, "b": "z", "c": {"d": [5, 6]}}"#,
        ];
        let reader = JsonReader::default();
        for record in records.iter().chain(records.iter().rev()) {
            let alone = pairs(&JsonReader::default(), record);
            assert_eq!(pairs(&reader, record), alone, "{record}");
            assert!(!alone.is_empty());
        }
    }

    #[test]
    fn one_reader_leaves_keys_to_the_others() {
        let tables = Catalog::default();
        let columns = |reader: &JsonReader, fields: Vec<String>| {
            let fields = fields.into_iter().map(|f| f.into_bytes().into()).collect();
            let form = reader.form(fields, &tables);
            (form.columns.len(), form.is_cut)
        };
        let greedy = JsonReader::default();
        let many = (0..30_000).map(|n| format!("many{n}")).collect();
        assert_eq!(columns(&greedy, many), (MAX_COLUMNS, true));
        for n in 0..30_000 {
            columns(&greedy, vec![format!("one{n}")]);
        }
        assert_eq!(columns(&greedy, vec!["new".to_owned()]), (0, true));
        // Its first keys are known.
        assert_eq!(columns(&greedy, vec!["many7".to_owned()]), (1, false));
        let other = JsonReader::default();
        assert_eq!(columns(&other, vec!["new".to_owned()]), (1, false));
    }
}
