//! Sample of a source; infers layouts and dialects from its lines if no definition provides them (see
//! `detect::guessed_layouts`). `detect::choose` decides which of them is used.

pub(crate) mod field_names;
pub(crate) mod field_plausibility;
pub(crate) mod headers;
mod zone_witnesses;

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::bytes::{leading_separators, lines, may_have_time};
use widetui_core::level::Level;
use widetui_core::words::last_part;
use widetui_source::head::SourceHead;
use widetui_time::time::NS_PER_SECOND;
use widetui_time::timeparse::{
    MONTH, Stamp, StampZone, TimePattern, detect_leading, is_coarse, parse_whole,
};

use crate::interleaved::InterleavedLayouts;
use crate::json::common_fields::{
    MESSAGES, fraction_unit_ns, is_carrier, is_level, is_nested_message, is_zone, names_level,
    names_seconds, plain,
};
use crate::json::dialect::{FractionField, JsonSpec};
use crate::json::reader::{JsonReader, time_of};
use crate::layout::Layout;
use crate::pattern::Spans;
use crate::sample::field_names::FieldNames;
use crate::sample::field_plausibility::fields_are_plausible;
use crate::sample::headers::{Header, Headers};
use crate::sample::zone_witnesses::epochs;
use crate::text::json_scan::text;
use crate::text::json_scan::walk;
use crate::text::logfmt;
use widetui_definition::json_dialect::Grammar;

/// Maximum number of sampled lines.
const MAX_LINES: usize = 400;
/// Maximum number of sampled lines before the first one with a time; few, as most lines decide the form of a log.
const MAX_PREAMBLE: usize = 8;
/// Maximum number of records whose fields are sampled.
const MAX_RECORDS: usize = 60;
/// Maximum number of alternative time fields, for records without the usual one.
const MAX_TIMES: usize = 8;
/// Offset from the first of the sampled times to the reference time, ns: a month before and eleven months after a log's
/// beginning must resolve to the right year (see `Stamp::near`).
const REFERENCE_OFFSET: i64 = 303 * 86_400 * NS_PER_SECOND;
/// Longest step back in file order that is disorder: of logs that were put together in another order, ns.
const MAX_STEP_BACK: i64 = 4 * MONTH;
/// Longest time by which a record may precede the early ones of a log, ns.
const HALF_YEAR: i64 = 6 * MONTH;
/// Offset from the first record to the reference time for times of day, ns: times up to an hour before the first record
/// must resolve to the same day, because threads write slightly late.
const TIME_OF_DAY_REFERENCE_OFFSET: i64 = 11 * 3_600 * NS_PER_SECOND;

/// Form of the lines of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleForm {
    /// Text, with or without a known layout.
    Lines,
    /// JSON objects.
    Json,
}

/// Field of some records.
struct SampleField {
    name: String,
    /// One value for each record that has the field.
    values: Vec<String>,
}

/// Sample of a source's lines: the first ones, and of long sources some at the end.
#[derive(Debug)]
pub struct Sample<'a> {
    /// Lines, without blank ones.
    pub(crate) lines: Vec<&'a [u8]>,
    /// Known layouts that occur in it, computed on first use.
    pub(crate) known: OnceCell<Vec<Arc<Layout>>>,
    headers: Headers,
    /// Times with a year in interleaved lines, ns as if they were UTC.
    pub(crate) foreign_dates: Vec<i64>,
    /// Whether interleaved lines without a time occur.
    has_untimed_interleaved: bool,
}

impl<'a> Sample<'a> {
    /// Sample of the first bytes of a source. The last line is dropped if it may be truncated.
    pub fn new(head: SourceHead<'a>) -> Sample<'a> {
        let mut all = lines(head.bytes());
        let mut lines: Vec<&[u8]> = all.by_ref().take(MAX_LINES + 1).collect();
        let mut first = lines.iter().take(MAX_LINES / 2);
        if lines.len() > MAX_LINES && !first.any(|l| may_have_time(l)) {
            // Text without a time stands before the first record.
            let later = lines.iter().skip(MAX_PREAMBLE).copied().chain(all);
            let timed = later.skip_while(|l| !may_have_time(l));
            let timed: Vec<&[u8]> = timed.take(MAX_LINES + 1 - MAX_PREAMBLE).collect();
            if !timed.is_empty() {
                lines.truncate(MAX_PREAMBLE);
                lines.extend(timed);
            }
        }
        if lines.len() > MAX_LINES
            || (!head.is_whole() && lines.len() > 1)
            || lines.last().is_some_and(|l| l.is_empty())
        {
            lines.pop();
        }
        let lines = lines
            .into_iter()
            .flat_map(|l| l.split(|b| *b == 0))
            .map(|l| l.strip_suffix(b"\r").unwrap_or(l))
            .map(|l| l.get(leading_separators(l)..).unwrap_or_default())
            .filter(|l| !l.trim_ascii().is_empty())
            .collect();
        Sample::of_lines(lines)
    }

    /// Sample of these lines.
    pub(crate) fn of_lines(lines: Vec<&'a [u8]>) -> Sample<'a> {
        Sample {
            lines,
            known: OnceCell::new(),
            headers: Headers::default(),
            foreign_dates: Vec::new(),
            has_untimed_interleaved: false,
        }
    }

    /// Sample without interleaved lines, which say nothing about the source itself.
    #[must_use]
    pub fn without_interleaved(mut self, interleaved: &InterleavedLayouts) -> Sample<'a> {
        let mut spans = Spans::new();
        let foreign_dates = &mut self.foreign_dates;
        let has_untimed = &mut self.has_untimed_interleaved;
        self.lines.retain(|line| {
            let found = interleaved.find(line, &mut spans);
            if let Some((interleaved, _)) = found {
                foreign_dates.extend(whole_dates(line));
                *has_untimed |= !interleaved.layout.has_time();
            }
            found.is_none()
        });
        self
    }

    /// Lines, without blank ones.
    pub fn lines(&self) -> &[&'a [u8]] {
        &self.lines
    }

    /// Whether the sample is JSON: most lines that start with a brace are objects, and most lines start with one.
    pub(crate) fn form(&self) -> SampleForm {
        let objects = self
            .lines
            .iter()
            .filter(|l| l.trim_ascii_start().starts_with(b"{"))
            .count();
        let looked_at = self.lines.len().min(50);
        let whole = self.lines.iter().take(looked_at);
        let whole = whole.filter(|l| walk(l, |_, _| {}).is_some());
        // Half of the lines suffice, but at least one.
        let enough = looked_at.div_ceil(2).max(1);
        let is_json = objects * 2 >= self.lines.len() && whole.take(enough).count() == enough;
        match is_json {
            true => SampleForm::Json,
            false => SampleForm::Lines,
        }
    }

    /// True if the lines are those of a script: the first one names its interpreter, and none begins with a time that has a
    /// date.
    pub(crate) fn is_script(&self) -> bool {
        let dated = |l: &&[u8]| detect_leading(l).is_some_and(|(_, stamp, ..)| stamp.date);
        let first = self.lines.first();
        first.is_some_and(|line| {
            let interpreter = line.strip_prefix(b"#!");
            interpreter.is_some_and(|name| name.trim_ascii_start().starts_with(b"/"))
        }) && !self.lines.iter().copied().any(|line| dated(&line))
    }

    /// Whether most lines begin with a time that has a date.
    pub(crate) fn is_stamped(&self) -> bool {
        let looked_at = self.lines.len().min(50);
        let dated = |l: &&&[u8]| detect_leading(l).is_some_and(|(_, stamp, ..)| stamp.date);
        let count = self.lines.iter().take(looked_at).filter(dated).count();
        count * 2 > looked_at
    }

    /// Whether nearly all lines are logfmt with at least three fields.
    pub(crate) fn is_logfmt(&self) -> bool {
        let fits = |line: &&&[u8]| {
            let mut fields = 0;
            logfmt::walk(line, |_, _| fields += 1).is_some() && fields >= 3
        };
        let looked_at = self.lines.len().min(50);
        let good = self.lines.iter().take(50).filter(fits).count();
        good > 0 && good * 10 >= looked_at * 8
    }

    /// Dialect for records that no definition describes. Time and level are recognised by their values, the message by
    /// common field names.
    pub(crate) fn inferred_dialect(&self, grammar: Grammar) -> JsonSpec {
        let mut spec = JsonSpec {
            name: match grammar {
                Grammar::Json => "json".to_owned(),
                Grammar::Logfmt => "logfmt".to_owned(),
            },
            grammar,
            ..JsonSpec::default()
        };
        let fields = self.fields(&spec);
        let is_level = |f: &&SampleField| f.values.iter().all(|v| is_level(&f.name, v));
        let levels = || fields.iter().filter(is_level);
        let named = |names: &[&str], among: &[&str]| -> Option<String> {
            let is_it = |n: &&&str| among.iter().any(|a| a.eq_ignore_ascii_case(n));
            let found = names.iter().find(is_it);
            let found = found.and_then(|n| among.iter().find(|a| a.eq_ignore_ascii_case(n)));
            found.or(among.first()).map(|n| (*n).to_owned())
        };
        let times = times(&fields, named);
        let time = times.first().cloned();
        let days = ["date", "day"].into_iter();
        let days = days.filter(|day| time.as_deref() != Some(day));
        spec.date.extend(days.map(str::to_owned));
        spec.fraction = time
            .as_deref()
            .and_then(|time| fraction_field(time, &fields));
        spec.zone = zone_field(&fields);
        spec.drop
            .extend(spec.fraction.iter().map(|f| f.name.clone()));
        spec.time.extend(times.into_iter().map(|t| (t, None)));
        let level = levels().find(|f| names_level(&f.name));
        // Some values may be levels of the program alone, such as `Usage` of NetLogger.
        let has_levels = |f: &&SampleField| {
            let mut values = f.values.iter();
            names_level(&f.name) && values.any(|v| Level::parse(v.as_bytes()).is_some())
        };
        let level = level.or_else(|| fields.iter().find(has_levels));
        let level = level.or_else(|| levels().next());
        spec.level.extend(level.map(|f| f.name.clone()));
        spec.message = message_fields(&fields);
        spec
    }

    /// Time, level and message field of the records, each if none of the dialect's own fields for it occurs in them (or, for
    /// the time, has values in the form that the dialect declares).
    pub(crate) fn missing_fields(&self, spec: &JsonSpec) -> MissingFields {
        let fields = self.fields(spec);
        let is_absent = |names: &[String]| {
            let is_there = |name: &String| fields.iter().any(|f| f.name == *name);
            !names.iter().any(is_there)
        };
        let level = || {
            let is_level = |f: &&SampleField| {
                names_level(&f.name) && f.values.iter().all(|v| is_level(&f.name, v))
            };
            // A status or type may be an outcome (`success`, `error`): it holds levels if one of its values can only be a level.
            let is_only_level = |v: &String| {
                ["debug", "info", "warn", "warning"]
                    .iter()
                    .any(|word| v.eq_ignore_ascii_case(word))
            };
            let is_status = |f: &&SampleField| {
                matches!(last_part(&f.name), "status" | "type")
                    && f.values.iter().any(is_only_level)
                    && f.values.iter().all(|v| self::is_level(&f.name, v))
            };
            let mut all = fields.iter();
            let found = fields.iter().find(is_level);
            let found = found.or_else(|| all.find(is_status));
            found.map(|f| f.name.clone())
        };
        let field_of = |name: &str| fields.iter().find(|f| f.name == *name);
        let present = || {
            spec.time
                .iter()
                .filter(|(name, _)| field_of(name).is_some())
        };
        let is_unread = |(name, pattern): &(String, Option<TimePattern>)| {
            let field = field_of(name);
            let reads = |value: &String| match pattern {
                Some(pattern) => pattern
                    .parse_prefix(value.as_bytes())
                    .is_some_and(|(_, len)| len == value.len()),
                None => true,
            };
            field.is_some_and(|field| !field.values.iter().any(reads))
        };
        let time = match present().all(is_unread) {
            true => present().next().map(|(name, _)| name.clone()),
            false => None,
        };
        MissingFields {
            time,
            zone: spec.zone.is_none().then(|| zone_field(&fields)).flatten(),
            level: is_absent(&spec.level).then(level).flatten(),
            // Records of a dialect without message fields have no text of their own.
            message: match !spec.message.is_empty() && is_absent(&spec.message) {
                true => message_fields(&fields),
                false => Vec::new(),
            },
        }
    }

    /// Fields of the first lines, in order of first occurrence.
    fn fields(&self, spec: &JsonSpec) -> Vec<SampleField> {
        let mut fields: Vec<SampleField> = Vec::new();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut scratch = Vec::new();
        for line in self.lines.iter().take(MAX_RECORDS) {
            // Most records have the same fields in the same order.
            let mut expected = 0;
            let _ = spec.walk(line, |key, raw| {
                let name = String::from_utf8_lossy(key);
                let value = String::from_utf8_lossy(text(raw, &mut scratch)).into_owned();
                let is_it = fields.get(expected).is_some_and(|f| f.name == name);
                let at = is_it.then_some(expected);
                let at = at.or_else(|| places.get(&*name).copied());
                match at.and_then(|at| fields.get_mut(at)) {
                    Some(field) => field.values.push(value),
                    None => {
                        places.insert(name.clone().into_owned(), fields.len());
                        fields.push(SampleField {
                            name: name.into_owned(),
                            values: vec![value],
                        });
                    }
                }
                expected += 1;
            });
        }
        fields
    }

    /// Number of lines that are the first of a record in a layout.
    pub fn count(&self, layout: &Layout) -> usize {
        let mut spans = Spans::new();
        self.lines
            .iter()
            .filter(|l| layout.is_header(l, &mut spans))
            .count()
    }

    /// Header of one of the lines in a layout; `None` if it has none.
    pub(crate) fn header(&self, layout: &Arc<Layout>, line: &[u8]) -> Option<Rc<Header>> {
        self.headers.get(layout, line)
    }

    /// Whether any line is the first of a record in a layout.
    pub(crate) fn occurs(&self, layout: &Arc<Layout>) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| self.header(layout, line).is_some())
    }

    /// Indices of the layouts that occur: first the most frequent one, then the most frequent one of the remaining lines, and
    /// so on; of equally frequent ones the first. Empty if none occurs. A `guess` that is right makes the search short, and
    /// never changes what is found.
    pub(crate) fn layouts(&self, candidates: &[Arc<Layout>], guess: Option<usize>) -> Vec<usize> {
        let mut left: Vec<&[u8]> = self.lines.clone();
        let mut chosen: Vec<usize> = Vec::new();
        while !left.is_empty() && chosen.len() < 4 {
            let mut best: Option<(Vec<&[u8]>, usize)> = None;
            let all = (0..).zip(candidates);
            let guessed = guess.and_then(|at| Some((at, candidates.get(at)?)));
            for (at, layout) in guessed.into_iter().chain(all) {
                let fewer = |best: &(Vec<_>, usize)| best.0.len() + usize::from(at < best.1);
                let most = best.as_ref().map_or(left.len(), fewer);
                if let Some(over) = self.unmatched_lines(layout, &left, most)
                    && self.has_plausible_time(layout, &left)
                    && fields_are_plausible(layout, &left)
                {
                    best = Some((over, at));
                }
            }
            let Some((over, layout)) = best else { break };
            chosen.push(layout);
            left = over;
        }
        chosen
    }

    /// Lines that are not the first of a record in a layout, if there are fewer than `most`; stops early for a layout that
    /// fits worse than another.
    fn unmatched_lines(
        &self,
        layout: &Arc<Layout>,
        lines: &[&'a [u8]],
        most: usize,
    ) -> Option<Vec<&'a [u8]>> {
        let mut over = Vec::new();
        for line in lines {
            if over.len() >= most {
                return None;
            }
            if self.header(layout, line).is_none() {
                over.push(*line);
            }
        }
        (over.len() < most).then_some(over)
    }

    /// True if any line that matches a layout has a plausible time; other text may start with a number, too.
    fn has_plausible_time(&self, layout: &Arc<Layout>, lines: &[&[u8]]) -> bool {
        let mut fit = lines.iter().filter_map(|line| self.header(layout, line));
        fit.any(|found| {
            let is_time = |t: Stamp| t.zone == StampZone::Local || t.ns >= FIRST_TIME;
            found.parts.time.map_or(!layout.has_time(), is_time)
        })
    }

    /// Index of the layout that reads the most lines, if they are tried in this order.
    pub fn most_frequent(&self, layouts: &[Arc<Layout>]) -> Option<usize> {
        if let [only] = layouts {
            return self.occurs(only).then_some(0);
        }
        let mut counts = vec![0usize; layouts.len()];
        for line in &self.lines {
            let mut all = layouts.iter().zip(&mut counts);
            if let Some((_, count)) = all.find(|(l, _)| self.header(l, line).is_some()) {
                *count += 1;
            }
        }
        let best = counts.iter().max().filter(|n| **n > 0)?;
        counts.iter().position(|n| n == best)
    }

    /// Dialect of this grammar whose required fields occur in the first objects; of several, the one with the most
    /// required fields.
    pub(crate) fn dialect(
        &self,
        grammar: Grammar,
        candidates: &[Arc<JsonSpec>],
    ) -> Option<Arc<JsonSpec>> {
        let mut names: Vec<FieldNames> = Vec::new();
        for line in self.lines.iter().take(20) {
            let mut fields = FieldNames::default();
            let walked = match grammar {
                Grammar::Json => walk(line, |key, _| fields.push(key)),
                Grammar::Logfmt => logfmt::walk(line, |key, _| fields.push(key)),
            };
            if walked.is_some() {
                names.push(fields);
            }
        }
        let mut best: Option<(usize, &Arc<JsonSpec>)> = None;
        for spec in candidates.iter().filter(|c| c.grammar == grammar) {
            let fits = names
                .iter()
                .filter(|fields| {
                    spec.require
                        .iter()
                        .all(|r| fields.iter().any(|f| *f == *r.as_bytes()))
                })
                .count();
            let enough = fits > 0 && fits * 2 >= names.len();
            if enough && best.is_none_or(|b| spec.require.len() > b.0) {
                best = Some((spec.require.len(), spec));
            }
        }
        best.map(|b| b.1.clone())
    }

    /// Missing parts of the stamps of a JSON dialect; `None` without a record.
    pub fn json_stamp_gaps(
        &self,
        json: &JsonReader,
        tables: &crate::catalog::Catalog,
    ) -> Option<StampGaps> {
        for line in &self.lines {
            let mut fields = Vec::new();
            let mut values = Vec::new();
            if json
                .spec
                .walk(line, |key, raw| {
                    fields.push(Box::<[u8]>::from(key));
                    values.push(raw);
                })
                .is_some()
                && let Some(stamp) = time_of(&json.form(fields, tables), &values)
            {
                return Some(StampGaps::of(&stamp));
            }
        }
        None
    }

    /// Times of JSON records and of the dated lines among them, with the offset of their spelling, s.
    pub fn times_of_objects(
        &self,
        json: &JsonReader,
        stray: &[Arc<Layout>],
        tables: &crate::catalog::Catalog,
    ) -> Vec<(Stamp, Option<i32>)> {
        let mut spans = Spans::new();
        let stated = self.stated_offset_of_fields(&json.spec);
        let times = self.lines.iter().filter_map(|line| {
            if !line.starts_with(b"{") {
                let mut all = stray.iter();
                let header = all.find_map(|layout| layout.matches(line, &mut spans))?;
                return Some((header.time?, None));
            }
            let (mut fields, mut values) = (Vec::new(), Vec::new());
            json.spec.walk(line, |key, raw| {
                fields.push(Box::<[u8]>::from(key));
                values.push(raw);
            })?;
            Some((time_of(&json.form(fields, tables), &values)?, stated))
        });
        times.collect()
    }

    /// Date with a year in the text of the lines (a time limit, the name of a written file), ns, that agrees with the
    /// day of one of these times without a year. Dates of the source itself take precedence over those in interleaved
    /// lines; the caller prefers both to the modification time.
    fn whole_date_near(&self, dated: &[Stamp]) -> Option<i64> {
        let is_day = |ns: i64| {
            let is_near = |time: &Stamp| time.near(ns).ns.abs_diff(ns) <= NEAR_DATE as u64;
            dated.iter().any(is_near)
        };
        let own = self.lines.iter().flat_map(|line| whole_dates(line));
        let mut dates = own.chain(self.foreign_dates.iter().copied());
        dates.find(|ns| is_day(*ns))
    }

    /// First complete time at the begin of a line, ns: of another program that writes to the same log.
    fn leading_date(&self) -> Option<i64> {
        self.lines.iter().find_map(|line| {
            let (_, stamp, start, _) = detect_leading(line)?;
            (start <= 1 && stamp.date && stamp.year).then_some(stamp.ns)
        })
    }

    /// Reference time for the records of a layout without year or date, ns. In most logs times increase from the first
    /// record on, and the last ones are close to the modification time of the file.
    pub fn reference_time(&self, layout: &Layout, modified: i64) -> Option<i64> {
        let mut spans = Spans::new();
        let lines = self.lines.iter();
        let times = lines.filter_map(|line| layout.matches(line, &mut spans)?.time);
        // A layout with a year has it in all of its records.
        let times: Vec<Stamp> = times.take_while(|time| !(time.date && time.year)).collect();
        let (dated, dayless): (Vec<Stamp>, Vec<Stamp>) = times.into_iter().partition(|t| t.date);
        let modified = self.whole_date_near(&dated).unwrap_or(modified);
        let mut dated = resolved_in_order(&dated, modified);
        if dated.is_empty() {
            let modified = self.leading_date().unwrap_or(modified);
            // Resolved one by one, times would change the day half a day away from the modification time, wherever that
            // is in the log; but a log begins with its first record.
            let last = dayless.last()?.near(modified).ns;
            let first = dayless
                .first()?
                .near(last.saturating_sub(TIME_OF_DAY_REFERENCE_OFFSET));
            return Some(first.ns.saturating_add(TIME_OF_DAY_REFERENCE_OFFSET));
        }
        dated.sort_unstable();
        // A log begins with its first record; a few may be out of order.
        let early = *dated.get(dated.len() / 10)?;
        let mut first = dated.iter();
        let first = first.find(|first| early.saturating_sub(**first) < HALF_YEAR)?;
        // A log of a whole year has its last record more than eleven months after the first.
        let last = dated.last()?.saturating_sub(MONTH);
        let is_one_year = last < first.saturating_add(REFERENCE_OFFSET + MONTH);
        let reference = first.saturating_add(REFERENCE_OFFSET);
        Some(match is_one_year {
            true => reference.max(last),
            false => reference,
        })
    }

    /// True if the text of some lines states the year of the records of a layout without one.
    pub fn states_year(&self, layout: &Layout) -> bool {
        let mut spans = Spans::new();
        let lines = self.lines.iter();
        let times = lines.filter_map(|line| layout.matches(line, &mut spans)?.time);
        let dated: Vec<Stamp> = times.filter(|time| time.date && !time.year).collect();
        self.whole_date_near(&dated).is_some()
    }

    /// Whether records without a time occur among those of layouts with one: text before the first record, or records in a
    /// layout without a time. Other lines without a layout continue the record above and move with it.
    pub fn has_untimed_lines(&self, layouts: &[Arc<Layout>]) -> bool {
        let (timed, untimed): (Vec<_>, Vec<_>) = layouts.iter().partition(|l| l.has_time());
        let is_untimed = |line: &&[u8]| {
            let is_header = |layout: &&Arc<Layout>| self.header(layout, line).is_some();
            untimed.iter().any(is_header) && !timed.iter().any(is_header)
        };
        !timed.is_empty()
            && (self.has_untimed_interleaved
                || self.lines.iter().any(is_untimed)
                || self.has_preamble(layouts))
    }

    /// Whether the sample begins with a line that is no header of `layouts`.
    fn has_preamble(&self, layouts: &[Arc<Layout>]) -> bool {
        let first = self.lines.iter().find(|line| !line.trim_ascii().is_empty());
        first.is_some_and(|line| layouts.iter().all(|l| self.header(l, line).is_none()))
    }

    /// Whether lines that are no record, or records without a time field, occur in a dialect with one.
    pub fn has_untimed_records(&self, spec: &JsonSpec) -> bool {
        let is_time = |key: &[u8]| {
            let is_in = |name: &str| {
                let nested = name.as_bytes().strip_prefix(key);
                nested.is_some_and(|rest| matches!(rest, [] | [b'.', ..]))
            };
            spec.time.iter().any(|(name, _)| is_in(name))
        };
        let is_untimed = |line: &&[u8]| {
            let mut is_timed = false;
            let walked = spec.walk(line, |key, _| is_timed |= is_time(key));
            walked.is_none() || !is_timed
        };
        !spec.time.is_empty() && (self.has_untimed_interleaved || self.lines.iter().any(is_untimed))
    }

    /// True if some headers of layouts without a time stand alone on their lines: the message is below.
    pub fn has_headers_alone(&self, layouts: &[Arc<Layout>]) -> bool {
        let mut spans = Spans::new();
        let untimed = || layouts.iter().filter(|layout| !layout.has_time());
        self.lines.iter().any(|line| {
            let mut headers = untimed().filter_map(|layout| layout.matches(line, &mut spans));
            let header = headers.next();
            header.is_some_and(|header| header.message_of(line).trim_ascii().is_empty())
        })
    }

    /// Missing parts of the stamps of a layout; `None` without a record.
    pub fn layout_stamp_gaps(&self, layout: &Layout) -> Option<StampGaps> {
        let mut spans = Spans::new();
        let lines = self.lines.iter();
        let times = lines.filter_map(|line| layout.matches(line, &mut spans)?.time);
        let mut gaps = times.map(|t| StampGaps::of(&t));
        let first = gaps.next()?;
        Some(StampGaps {
            coarse: first.coarse && gaps.all(|c| c.coarse),
            ..first
        })
    }
}

/// Times without a year, in file order, ns: the last one near the modification time, each other one before its successor
/// or up to [`MAX_STEP_BACK`] after it. A longer step back is the turn of a year.
fn resolved_in_order(times: &[Stamp], modified: i64) -> Vec<i64> {
    let mut reference = modified;
    let mut resolved: Vec<i64> = Vec::with_capacity(times.len());
    for time in times.iter().rev() {
        let ns = time.near(reference).ns;
        resolved.push(ns);
        // `Stamp::near` allows a month after its reference.
        reference = ns.saturating_add(MAX_STEP_BACK - MONTH).min(modified);
    }
    resolved
}

/// Fields that records have for their time, level and message and their dialect does not describe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MissingFields {
    /// Field with the time, in another form than the dialect declares.
    pub time: Option<String>,
    /// Field with the zone of the time.
    pub zone: Option<String>,
    /// Field with the level.
    pub level: Option<String>,
    /// Fields with the message.
    pub message: Vec<String>,
}

/// Fields that hold the message by their names, of which a record has one: a field, and if it holds the record of
/// another program in some records the field of that record (`log`, `log.msg`); else a nested field (`detail.message`).
fn message_fields(fields: &[SampleField]) -> Vec<String> {
    let named = |name: &str| fields.iter().find(|f| plain(&f.name) == name);
    let outer = MESSAGES.iter().find_map(|name| named(name));
    // Loki's lines; elsewhere a line number.
    let is_text = |field: &&SampleField| field.values.iter().any(|v| v.contains(' '));
    let outer = outer.or_else(|| named("line").filter(is_text));
    let carried = |name: &&str| {
        fields.iter().find(|f| {
            let (carrier, field) = f.name.rsplit_once('.').unwrap_or_default();
            field.eq_ignore_ascii_case(name)
                && is_carrier(last_part(carrier).as_bytes())
                && outer.is_none_or(|outer| outer.name == carrier)
        })
    };
    let inner = MESSAGES.iter().find_map(carried);
    let is_nested = |f: &&SampleField| is_nested_message(&f.name) || f.name == "textPayload";
    let nested = || fields.iter().find(is_nested);
    let found = match (outer, inner) {
        (None, None) => [nested(), None],
        found => [found.0, found.1],
    };
    let found = found.into_iter().flatten();
    found.map(|f| f.name.clone()).collect()
}

/// Field that holds the zone of the times beside it.
fn zone_field(fields: &[SampleField]) -> Option<String> {
    let is_it = |f: &&SampleField| f.values.iter().all(|value| is_zone(&f.name, value));
    fields.iter().find(is_it).map(|f| f.name.clone())
}

/// Fields that may be the time of a record, the usual one first. A number counts only if its field is named like a
/// time, because sizes can be as large as times.
fn times(
    fields: &[SampleField],
    most_frequent: impl Fn(&[&str], &[&str]) -> Option<String>,
) -> Vec<String> {
    const NAMES: [&str; 9] = [
        "time",
        "timestamp",
        "@timestamp",
        "ts",
        "t",
        "when",
        "created",
        "date",
        "datetime",
    ];
    let is_number = |v: &String| v.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let is_time = |v: &String| parse_whole(v.as_bytes()).is_some();
    let good = fields.iter().filter(|f| {
        f.values.iter().all(is_time) && (is_time_name(&f.name) || !f.values.iter().any(is_number))
    });
    let good: Vec<&SampleField> = good.collect();
    let names: Vec<&str> = good.iter().map(|f| f.name.as_str()).collect();
    let Some(first) = most_frequent(&NAMES, &names) else {
        return Vec::new();
    };
    let most = fields.iter().map(|f| f.values.len()).max().unwrap_or(0);
    let occurs = |f: &&&SampleField| f.name == first && f.values.len() * 10 >= most * 9;
    let mut all = vec![first.clone()];
    if good.iter().find(occurs).is_none() {
        let others = names.iter().filter(|n| **n != first && is_time_name(n));
        all.extend(others.take(MAX_TIMES).map(|n| (*n).to_owned()));
    }
    all
}

/// Maximum distance between a date in the text of a line and a time without a year to belong together, ns; zones
/// differ.
const NEAR_DATE: i64 = 26 * 3_600 * NS_PER_SECOND;

/// Times with a year in the text of a line, see [`written_times`], or as an epoch with a fraction, ns as if they were UTC.
fn whole_dates(line: &[u8]) -> impl Iterator<Item = i64> {
    let written = written_times(line).map(|(stamp, _)| stamp.ns);
    written.chain(epochs(line).map(|stamp| stamp.ns))
}

/// Maximum number of places in the text of a line at which a time is tried: each is compared with all layouts, and a line may
/// have megabytes of words and numbers (`mon 17 mon 17`).
const MAX_TRIED: usize = 8;

/// Times with a year in the text of a line, with their spellings: in ISO 8601, as web servers write them
/// (`15/Feb/2019:09:59:59`), in mails (`15 Feb 2019 09:59:59 +0000`), and by `date` (`Fri Feb 15 09:59:59 2019`). Tries the
/// first [`MAX_TRIED`] places that look like one.
fn written_times(line: &[u8]) -> impl Iterator<Item = (Stamp, &[u8])> {
    let is_start = |at: &usize| {
        let (before, rest) = line.split_at_checked(*at).unwrap_or_default();
        let is_digit = |at: usize| rest.get(at).is_some_and(u8::is_ascii_digit);
        let is_word = before.last().is_some_and(u8::is_ascii_alphanumeric);
        let has =
            |places: [usize; 2], sign: u8| places.iter().all(|at| rest.get(*at) == Some(&sign));
        let is_iso = || (0..4).all(is_digit) && has([4, 7], b'-');
        let is_of_server = || (0..2).all(is_digit) && has([2, 6], b'/');
        let is_of_mail = || (0..2).all(is_digit) && has([2, 6], b' ');
        let is_month = || rest.iter().take(3).all(u8::is_ascii_alphabetic);
        let is_of_date = || has([3, 6], b' ') && is_digit(5) && is_month();
        !is_word && (is_iso() || is_of_server() || is_of_mail() || is_of_date())
    };
    let starts = (0..line.len().saturating_sub(18)).filter(is_start);
    starts.take(MAX_TRIED).filter_map(|at| {
        let rest = line.get(at..)?;
        let (_, stamp, start, end) = detect_leading(rest)?;
        let is_whole = start == 0 && stamp.date && stamp.year;
        Some((stamp, rest.get(..end).filter(|_| is_whole)?))
    })
}

/// Field in the same object that holds the fraction of a second for a field of whole seconds.
fn fraction_field(time: &str, fields: &[SampleField]) -> Option<FractionField> {
    let object = |name: &str| name.len() - last_part(name).len();
    let is_sibling =
        |name: &str| object(name) == object(time) && name[..object(name)] == time[..object(time)];
    let mut siblings = fields
        .iter()
        .filter(|f| names_seconds(time) && is_sibling(&f.name));
    siblings.find_map(|field| {
        let unit_ns = fraction_unit_ns(&field.name)?;
        let name = field.name.clone();
        Some(FractionField { name, unit_ns })
    })
}

/// True if a field is named like a time: `Submission Time`, `startedAt`, `ts`, `ts_ms`.
fn is_time_name(name: &str) -> bool {
    // Types of MongoDB's extended JSON: `t.$date.$numberLong`.
    let name = name.trim_end_matches(".$numberLong");
    let name = name.trim_end_matches(".$date");
    let lower = last_part(name).to_ascii_lowercase();
    // `ts_ms`, `t-sec`
    let is_unit = |word: &str| names_seconds(word) || fraction_unit_ns(word).is_some();
    let lower = match lower.rsplit_once(['_', '-']) {
        Some((before, unit)) if is_unit(unit) => before,
        _ => &lower,
    };
    let contains = [
        "time", "stamp", "date", "when", "created", "start", "end", "epoch",
    ];
    matches!(lower, "ts" | "t" | "at")
        || names_seconds(name)
        || last_part(name).ends_with("At")
        || lower.ends_with("_at")
        || lower.ends_with("_ts")
        || contains.iter().any(|part| lower.contains(part))
}

/// Numbers below this value are not times, ns since the epoch: 1973-03-03, when epoch seconds get nine digits.
const FIRST_TIME: i64 = 100_000_000_000_000_000;

/// Part of the date that stamps do not state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateGap {
    /// None: the date is complete.
    #[default]
    None,
    /// Year, which nothing else in the source states.
    Year,
    /// Whole date.
    Day,
}

/// Parts that stamps do not state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StampGaps {
    /// No zone.
    pub local: bool,
    /// Whole seconds only, or no date.
    pub coarse: bool,
    /// No year, or no date at all.
    pub partial: bool,
    /// Part of the date.
    pub gap: DateGap,
    /// Some stamps state their zone, others do not.
    pub is_mixed: bool,
    /// Some lines have no stamp.
    pub untimed_lines: bool,
}

impl StampGaps {
    fn of(stamp: &Stamp) -> StampGaps {
        StampGaps {
            local: stamp.zone == StampZone::Local,
            coarse: is_coarse(stamp),
            partial: !stamp.date || !stamp.year,
            gap: match (stamp.date, stamp.year) {
                (false, _) => DateGap::Day,
                (true, false) => DateGap::Year,
                (true, true) => DateGap::None,
            },
            is_mixed: false,
            untimed_lines: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::keys::Keys;
    use proptest::prelude::*;

    const LAYOUTS: [&str; 4] = [
        "{time:iso} {logger} [{level}] {message}",
        "{time:iso} {logger} {message}",
        "{time:iso} [{level}] {message}",
        "{time:iso} {message}",
    ];
    const LINES: [&str; 4] = [
        "2026-11-21T10:00:00Z a.b [INFO] started",
        "2026-11-21T10:00:01Z [ERROR] failed",
        "2026-11-21T10:00:02Z done",
        "  File \"a.py\", line 3",
    ];

    proptest! {
        #[test]
        fn a_guess_changes_no_layout(
            lines in proptest::collection::vec(0..LINES.len(), 1..12),
            order in Just([0, 1, 2, 3]).prop_shuffle(),
            guess in 0..LAYOUTS.len() + 1,
        ) {
            let compile = |at: usize| Layout::compile("l", LAYOUTS[at], &Keys::default()).unwrap();
            let layouts: Vec<Arc<Layout>> = order.iter().map(|at| Arc::new(compile(*at))).collect();
            let lines = lines.iter().map(|at| LINES[*at].as_bytes()).collect();
            let sample = Sample::of_lines(lines);
            prop_assert_eq!(sample.layouts(&layouts, None), sample.layouts(&layouts, Some(guess)));
        }
    }
}
