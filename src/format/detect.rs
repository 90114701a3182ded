//! A sample of a source, and how its records look where no definition says so: layouts and dialects guessed from its
//! lines. `choose` decides who is asked.

use std::sync::Arc;

use crate::base::level::Level;
use crate::base::timeparse::{Stamp, StampZone, guess_known, is_coarse};
use crate::source::head::SourceHead;

use super::colours::{coloured, with_colours, without_colours};
use super::guests::Guests;
use super::header;
use super::json::{JsonReader, text, time_of};
use super::jsonscan::walk;
use super::jsonspec::{Grammar, JsonSpec};
use super::keys::Keys;
use super::layout::Layout;
use super::logfmt;
use super::pattern::Spans;

/// Lines that are looked at.
const LINES: usize = 400;

/// Fewer lines that start with a level do not make a layout.
const FEW_LEVELS: usize = 5;

/// What the lines of a sample are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleForm {
    /// Text, in some layout or none.
    Lines,
    /// A JSON object each.
    Json,
}

/// How lines begin up to the end of their time.
struct TimeHead<'a> {
    /// As a pattern.
    pattern: String,
    /// What stands behind it in each line.
    rests: Vec<&'a [u8]>,
}

/// A field of some records.
struct SampleField {
    name: String,
    /// One for each record that has it.
    values: Vec<String>,
}

/// A sample of a source's lines: the first ones, and some of its end when it is long.
#[derive(Debug)]
pub struct Sample<'a> {
    lines: Vec<&'a [u8]>,
}

impl<'a> Sample<'a> {
    /// From the first bytes of a source. The last line is left out when it may be cut.
    pub fn new(head: SourceHead<'a>) -> Sample<'a> {
        let lines = head.bytes().split(|b| *b == b'\n');
        let mut lines: Vec<&[u8]> = lines.take(LINES + 1).collect();
        if lines.len() > LINES
            || (!head.is_whole() && lines.len() > 1)
            || lines.last().is_some_and(|l| l.is_empty())
        {
            lines.pop();
        }
        let lines = lines
            .into_iter()
            .map(|l| l.strip_suffix(b"\r").unwrap_or(l))
            .filter(|l| !l.trim_ascii().is_empty())
            .collect();
        Sample { lines }
    }

    /// Without the lines that others wrote, which say nothing about the source's own.
    #[must_use]
    pub fn without(mut self, guests: &Guests) -> Sample<'a> {
        let mut spans = Spans::new();
        self.lines
            .retain(|line| guests.of(line, &mut spans).is_none());
        self
    }

    /// Its lines, blank ones left out.
    pub fn lines(&self) -> &[&'a [u8]] {
        &self.lines
    }

    /// Whether each line looks like a JSON object: most lines that start with a brace are one, and most lines do.
    pub fn form(&self) -> SampleForm {
        let objects = self
            .lines
            .iter()
            .filter(|l| l.trim_ascii_start().starts_with(b"{"))
            .count();
        let whole = self
            .lines
            .iter()
            .take(50)
            .filter(|l| walk(l, |_, _| {}).is_some())
            .count();
        let is_json =
            whole > 0 && objects * 2 >= self.lines.len() && whole * 2 >= self.lines.len().min(50);
        match is_json {
            true => SampleForm::Json,
            false => SampleForm::Lines,
        }
    }

    /// Whether nearly all lines are logfmt with at least three fields.
    pub fn is_logfmt(&self) -> bool {
        let fits = |line: &&&[u8]| {
            let mut fields = 0;
            logfmt::walk(line, |_, _| fields += 1).is_some() && fields >= 3
        };
        let looked_at = self.lines.len().min(50);
        let good = self.lines.iter().take(50).filter(fits).count();
        good > 0 && good * 10 >= looked_at * 8
    }

    /// A dialect for records that no definition describes: time and level go by the looks of the values, the message by
    /// its usual names.
    pub fn inferred_dialect(&self, grammar: Grammar) -> JsonSpec {
        let mut spec = JsonSpec {
            name: match grammar {
                Grammar::Json => "json".to_owned(),
                Grammar::Logfmt => "logfmt".to_owned(),
            },
            grammar,
            ..JsonSpec::default()
        };
        let fields = self.fields(&spec);
        let all = |test: fn(&[u8]) -> bool| -> Vec<&str> {
            let fits = fields
                .iter()
                .filter(|f| f.values.iter().all(|v| test(v.as_bytes())));
            fits.map(|f| f.name.as_str()).collect()
        };
        let times =
            all(|v| guess_known(v).is_some_and(|(_, _, start, end)| start == 0 && end == v.len()));
        let levels = all(|v| Level::parse(v).is_some());
        let named = |names: &[&str], among: &[&str]| -> Option<String> {
            let found = names.iter().find(|n| among.contains(n)).or(among.first());
            found.map(|n| (*n).to_owned())
        };
        let time = named(
            &[
                "time",
                "timestamp",
                "@timestamp",
                "ts",
                "t",
                "when",
                "created",
                "date",
                "datetime",
            ],
            &times,
        );
        let days = ["date", "day"].into_iter();
        let days = days.filter(|day| time.as_deref() != Some(day));
        spec.date.extend(days.map(str::to_owned));
        spec.time.extend(time.map(|t| (t, None)));
        spec.level.extend(named(
            &["level", "lvl", "severity", "levelname", "at"],
            &levels,
        ));
        let message = ["msg", "message", "event", "text", "body", "log"];
        let is_field = |name: &&&str| fields.iter().any(|f| f.name == **name);
        spec.message.extend(
            message
                .iter()
                .filter(is_field)
                .map(|n| (*n).to_owned())
                .take(1),
        );
        spec
    }

    /// The fields of the first lines, in their order.
    fn fields(&self, spec: &JsonSpec) -> Vec<SampleField> {
        let mut fields: Vec<SampleField> = Vec::new();
        let mut scratch = Vec::new();
        for line in self.lines.iter().take(20) {
            // Most records have the same fields in the same order.
            let mut expected = 0;
            let _ = spec.walk(line, |key, raw| {
                let name = String::from_utf8_lossy(key);
                let value = String::from_utf8_lossy(text(raw, &mut scratch)).into_owned();
                let is_it = fields.get(expected).is_some_and(|f| f.name == name);
                let at = is_it.then_some(expected);
                match at.or_else(|| fields.iter().position(|f| f.name == name)) {
                    Some(at) => fields[at].values.push(value),
                    None => fields.push(SampleField {
                        name: name.into_owned(),
                        values: vec![value],
                    }),
                }
                expected += 1;
            });
        }
        fields
    }

    /// How many lines are the first of a record in a layout.
    pub fn count(&self, layout: &Layout) -> usize {
        let mut spans = Spans::new();
        self.lines
            .iter()
            .filter(|l| layout.is_header(l, &mut spans))
            .count()
    }

    /// The layouts that occur: that of most lines first, then those of lines that it leaves over. Empty when none does.
    pub fn layouts(&self, candidates: &[Arc<Layout>]) -> Vec<Arc<Layout>> {
        let mut left: Vec<&[u8]> = self.lines.clone();
        let mut chosen: Vec<Arc<Layout>> = Vec::new();
        let mut spans = Spans::new();
        while !left.is_empty() && chosen.len() < 4 {
            let mut best: Option<(usize, &Arc<Layout>)> = None;
            for layout in candidates {
                let count = left
                    .iter()
                    .filter(|l| layout.is_header(l, &mut spans))
                    .count();
                if count > best.map_or(0, |b| b.0) && is_believable(layout, &left, &mut spans) {
                    best = Some((count, layout));
                }
            }
            let Some((count, layout)) = best else { break };
            chosen.push(layout.clone());
            if count == left.len() {
                break;
            }
            left.retain(|l| !layout.is_header(l, &mut spans));
        }
        chosen
    }

    /// Which of some layouts, tried in this order, reads most lines.
    pub fn usual(&self, layouts: &[Arc<Layout>]) -> Option<usize> {
        let mut spans = Spans::new();
        if let [only] = layouts {
            let mut lines = self.lines.iter();
            return lines.any(|l| only.is_header(l, &mut spans)).then_some(0);
        }
        let mut counts = vec![0usize; layouts.len()];
        for line in &self.lines {
            if let Some(at) = layouts.iter().position(|l| l.is_header(line, &mut spans)) {
                counts[at] += 1;
            }
        }
        let best = counts.iter().max().filter(|n| **n > 0)?;
        counts.iter().position(|n| n == best)
    }

    /// The dialect whose required fields are in the first objects; of several the one that needs most.
    pub fn dialect(&self, candidates: &[Arc<JsonSpec>]) -> Option<Arc<JsonSpec>> {
        let mut names: Vec<Vec<Vec<u8>>> = Vec::new();
        for line in self.lines.iter().take(20) {
            let mut fields = Vec::new();
            if walk(line, |key, _| fields.push(key.to_vec())).is_some() {
                names.push(fields);
            }
        }
        let mut best: Option<(usize, &Arc<JsonSpec>)> = None;
        for spec in candidates {
            let fits = names
                .iter()
                .filter(|fields| {
                    spec.require
                        .iter()
                        .all(|r| fields.iter().any(|f| f == r.as_bytes()))
                })
                .count();
            let enough = fits > 0 && fits * 2 >= names.len();
            if enough && best.is_none_or(|b| spec.require.len() > b.0) {
                best = Some((spec.require.len(), spec));
            }
        }
        best.map(|b| b.1.clone())
    }

    /// Layouts of a time, whatever stands before and behind it, when most lines that are not indented start with one: one
    /// with all parts of the header that can be told, if there are any, then one that takes what that leaves over.
    /// `is_writer` knows some names of those who write.
    pub fn guessed_layouts(&self, keys: &Keys, is_writer: &dyn Fn(&[u8]) -> bool) -> Vec<Layout> {
        if self.lines.iter().any(|line| coloured(line) > 0) {
            return self.guessed_coloured(keys, is_writer);
        }
        let heads = self.time_heads();
        let found: usize = heads.iter().map(|head| head.rests.len()).sum();
        if found == 0 {
            return self.levels_alone(keys).into_iter().collect();
        }
        if found < 2 && self.lines.len() > 2 {
            return Vec::new();
        }
        // The first of those that most lines have.
        let most = heads.iter().map(|head| head.rests.len()).max();
        let Some(head) = heads.iter().find(|head| Some(head.rests.len()) == most) else {
            return Vec::new();
        };
        let Some((all, loose)) = self.behind_head(&head.pattern, keys) else {
            return Vec::new();
        };
        let parts = header::behind_time(&head.rests, is_writer);
        let fine = format!("{}{parts}{{message}}", head.pattern);
        let fine = match parts.is_empty() {
            true => None,
            false => Layout::compile("time", &fine, keys).ok(),
        };
        match fine.map(|fine| (self.count(&fine), fine)) {
            Some((count, fine)) if count == all => vec![fine],
            Some((count, fine)) if count * 2 > all => vec![fine, loose],
            _ => vec![loose],
        }
    }

    /// As [`guessed_layouts`](Self::guessed_layouts), of lines with the colours of a terminal.
    fn guessed_coloured(&self, keys: &Keys, is_writer: &dyn Fn(&[u8]) -> bool) -> Vec<Layout> {
        let plain: Vec<Vec<u8>> = self.lines.iter().map(|l| without_colours(l)).collect();
        let plain = Sample {
            lines: plain.iter().map(Vec::as_slice).collect(),
        };
        let guessed = plain.guessed_layouts(keys, is_writer).into_iter();
        let with = guessed.filter_map(|l| with_colours(&l.pattern.source));
        let compiled = with.map(|pattern| Layout::compile("time", &pattern, keys));
        compiled.filter_map(Result::ok).collect()
    }

    /// How lines that are not indented begin up to their time, each way once.
    fn time_heads(&self) -> Vec<TimeHead<'a>> {
        let mut heads: Vec<TimeHead<'a>> = Vec::new();
        let own = |l: &&&[u8]| !l.starts_with(b" ") && !l.starts_with(b"\t");
        for line in self.lines.iter().filter(own).take(100) {
            let Some((pattern, _, start, end)) = guess_known(line) else {
                continue;
            };
            // A number alone in its line may be anything.
            if pattern.spec().starts_with("epoch") && line[end..].trim_ascii().is_empty() {
                continue;
            }
            let close = match (start.checked_sub(1).map(|at| line[at]), line.get(end)) {
                (Some(b'['), Some(b']')) => "]",
                (Some(b'('), Some(b')')) => ")",
                (Some(b'<'), Some(b'>')) => ">",
                _ => "",
            };
            let lead = String::from_utf8_lossy(&line[..start])
                .replace('{', "{{")
                .replace('}', "}}");
            let pattern = format!("{lead}{{time:{}}}{close}", pattern.spec());
            let rest = &line[end + close.len()..];
            match heads.iter_mut().find(|head| head.pattern == pattern) {
                Some(known) => known.rests.push(rest),
                None => heads.push(TimeHead {
                    pattern,
                    rests: vec![rest],
                }),
            }
        }
        heads
    }

    /// The layout of a time and what may follow it that most lines have, and how many have it.
    fn behind_head(&self, head: &str, keys: &Keys) -> Option<(usize, Layout)> {
        // The level may follow at once, in brackets or not.
        let tries = [
            format!("{head} [{{level}}] {{message}}"),
            format!("{head} {{level}}: {{message}}"),
            format!("{head} {{level}} {{message}}"),
            format!("{head} - {{level}} - {{message}}"),
            format!("{head} {{message}}"),
            format!("{head}{{message}}"),
        ];
        let compiled = |pattern: &String| Layout::compile("time", pattern, keys).ok();
        let mut best: Option<(usize, Layout)> = None;
        for layout in tries.iter().filter_map(compiled) {
            let count = self.count(&layout);
            if count > best.as_ref().map_or(0, |b| b.0) {
                best = Some((count, layout));
            }
        }
        best
    }

    /// A layout of a level, when most lines that are not indented start with one and none with a time: `INFO: message`, or
    /// with a time behind it.
    fn levels_alone(&self, keys: &Keys) -> Option<Layout> {
        let own = self.lines.iter().filter(|l| !l.starts_with(b" ")).count();
        let alone = [
            "{level}: {message}",
            "[{level}] {message}",
            "[{level}]: {message}",
        ];
        let timed = self.time_behind_level().map(|time| {
            [
                format!("[{{level}}] {{time:{time}}} {{message}}"),
                format!("{{level}} {{time:{time}}} {{message}}"),
            ]
        });
        let tries = timed.into_iter().flatten().chain(alone.map(str::to_owned));
        let mut compiled = tries.filter_map(|p| Layout::compile("level", &p, keys).ok());
        compiled.find(|layout| {
            let count = self.count(layout);
            count >= FEW_LEVELS && count * 10 >= own * 6
        })
    }

    /// How the time is written that stands behind the first word of a line, where that is a level.
    fn time_behind_level(&self) -> Option<&'static str> {
        self.lines.iter().take(20).find_map(|line| {
            let at = memchr::memchr(b' ', line)?;
            let word = &line[..at];
            let word = word
                .strip_prefix(b"[")
                .and_then(|w| w.strip_suffix(b"]"))
                .unwrap_or(word);
            Level::parse(word)?;
            let (pattern, _, start, _) = guess_known(&line[at + 1..])?;
            (start == 0).then(|| pattern.spec())
        })
    }

    /// What the stamps of a JSON dialect say; `None` without a record.
    pub fn json_clock(
        &self,
        json: &JsonReader,
        tables: &super::catalog::Catalog,
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

    /// What the stamps of a layout's records say; `None` without a record.
    pub fn layout_clock(&self, layout: &Layout) -> Option<StampGaps> {
        let mut spans = Spans::new();
        let times = self
            .lines
            .iter()
            .filter_map(|line| layout.matches(line, &mut spans)?.time);
        let times: Vec<StampGaps> = times.map(|t| StampGaps::of(&t)).collect();
        let first = *times.first()?;
        Some(StampGaps {
            coarse: times.iter().all(|c| c.coarse),
            ..first
        })
    }
}

/// Numbers that would be earlier times, ns since the epoch, are no times: 1973-03-03, where they come to have nine digits.
const FIRST_TIME: i64 = 100_000_000_000_000_000;

/// Whether any of the lines that fit a layout has a time that a log may have: a line of an odd text may begin with a
/// number, too.
fn is_believable(layout: &Layout, lines: &[&[u8]], spans: &mut Spans) -> bool {
    let mut fit = lines.iter().filter_map(|line| layout.matches(line, spans));
    fit.any(|found| {
        let is_time = |t: Stamp| t.zone == StampZone::Local || t.ns >= FIRST_TIME;
        found.time.map_or(!layout.has_time(), is_time)
    })
}

/// What stamps leave unsaid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StampGaps {
    /// They name no zone.
    pub local: bool,
    /// They have whole seconds only, or no date.
    pub coarse: bool,
    /// They lack the year or the whole date.
    pub partial: bool,
    /// They are times of day, without any date.
    pub undated: bool,
}

impl StampGaps {
    fn of(stamp: &Stamp) -> StampGaps {
        StampGaps {
            local: stamp.zone == StampZone::Local,
            coarse: is_coarse(stamp),
            partial: !stamp.date || !stamp.year,
            undated: !stamp.date,
        }
    }
}
