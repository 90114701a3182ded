//! Times in the text of records that tell the zone of their local times: the epoch of the same moment.

use std::sync::Arc;

use widetui_time::time::NS_PER_SECOND;
use widetui_time::timeparse::{
    Stamp, StampZone, TimePattern, detect_leading, offset_of_zone, trailing_offset,
};

use crate::catalog::sink::zone_offset;
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;
use crate::pattern::Spans;
use crate::sample::Sample;
use crate::text::json_scan::Raw;

/// Greatest difference between a record and an epoch in it, besides the zone, ns.
const MAX_DELAY: i64 = 2 * NS_PER_SECOND;
/// Greatest difference of a single pair, which could agree by chance, ns.
const MAX_DELAY_ALONE: i64 = NS_PER_SECOND / 10;
/// Number of epochs that agree otherwise.
const MIN_WITNESSES: usize = 2;
/// Number of bytes before an epoch that say what it is.
const BEFORE: usize = 24;
/// Words before a time that is not that of the record.
const OTHER_TIMES: [&str; 9] = [
    "exp", "until", "deadline", "valid", "next", "lease", "ttl", "due", "schedul",
];

/// Epoch beside the local time of its record.
struct Witness {
    epoch: i64,
    offset: i32,
    /// Difference besides the zone, ns.
    delay: i64,
    /// True if the local time has a fraction.
    is_fine: bool,
}

impl Sample<'_> {
    /// Offsets of the local zone from UTC, s, with their epochs (UTC ns): by epochs in the text of records that have a local
    /// time of the same moment. Empty unless nearly all of them agree.
    pub fn zone_witnesses(&self, layouts: &[Arc<Layout>]) -> Vec<(i64, i32)> {
        let stated = self.zones_of_preamble(layouts);
        if !stated.is_empty() {
            return stated;
        }
        let mut spans = Spans::new();
        let mut witnesses: Vec<Witness> = Vec::new();
        let mut local: Option<Stamp> = None;
        for line in &self.lines {
            let header = layouts.iter().find_map(|l| l.matches(line, &mut spans));
            let mut text = *line;
            if let Some(header) = header {
                local = header.time.filter(|time| time.zone == StampZone::Local);
                text = &line[header.message..];
            }
            let Some(local) = local.filter(|time| time.date) else {
                continue;
            };
            let found = epochs(text).filter_map(|epoch| {
                let (offset, delay) = zone_offset(epoch, local.near(epoch.ns))?;
                (delay.abs() <= MAX_DELAY).then_some(Witness {
                    epoch: epoch.ns,
                    offset,
                    delay,
                    is_fine: local.resolution_ns < NS_PER_SECOND,
                })
            });
            witnesses.extend(found);
        }
        witnesses.sort_by_key(|w| w.epoch);
        witnesses.dedup_by_key(|w| w.epoch);
        let count = |offset: i32| witnesses.iter().filter(|w| w.offset == offset).count();
        let Some(usual) = witnesses.iter().max_by_key(|w| count(w.offset)) else {
            return Vec::new();
        };
        let (offset, n) = (usual.offset, count(usual.offset));
        let is_sure = n >= MIN_WITNESSES || usual.is_fine && usual.delay.abs() <= MAX_DELAY_ALONE;
        match is_sure && n * 4 >= witnesses.len() * 3 {
            true => {
                let agreeing = witnesses.iter().filter(|w| w.offset == offset);
                agreeing.map(|w| (w.epoch, offset)).collect()
            }
            false => Vec::new(),
        }
    }

    /// Offsets by the zone that the text before the first record states: `# time zone: Europe/Berlin`, `All times are UTC`.
    fn zones_of_preamble(&self, layouts: &[Arc<Layout>]) -> Vec<(i64, i32)> {
        let mut spans = Spans::new();
        let mut time_of = |line: &[u8]| {
            let mut all = layouts.iter();
            all.find_map(|layout| layout.matches(line, &mut spans))
                .and_then(|header| header.time)
        };
        let timed = self.lines.iter().position(|line| time_of(line).is_some());
        let Some(first) = timed.filter(|first| *first > 0) else {
            return Vec::new();
        };
        let mut preamble = self.lines[..first].iter().take(MAX_TIMES);
        let Some(zone) = preamble.find_map(|line| zone_in_text(line)) else {
            return Vec::new();
        };
        let records = self.lines[first..].iter().take(MAX_TIMES);
        let times = records.filter_map(|line| time_of(line));
        let times = times.filter(|time| time.zone == StampZone::Local && time.year);
        let offsets = times.filter_map(|time| {
            let offset = offset_of_zone(zone, time.ns)?;
            let epoch = time.ns.saturating_sub(offset * NS_PER_SECOND);
            Some((epoch, i32::try_from(offset).ok()?))
        });
        offsets.collect()
    }

    /// Offset from UTC that all times of the records in some layouts state in digits, s.
    pub fn stated_offset(&self, layouts: &[Arc<Layout>]) -> Option<i32> {
        common_offset(self.times_with_zones(layouts, "%z").into_iter())
    }

    /// Offset from UTC that all times of the first records in a dialect state in digits, s.
    pub fn stated_offset_of_fields(&self, spec: &JsonSpec) -> Option<i32> {
        let (name, _) = spec.time.first()?;
        let mut times: Vec<&[u8]> = Vec::new();
        for line in self.lines.iter().take(MAX_RECORDS) {
            let _ = spec.walk(line, |key, raw| {
                if let Raw::Text { bytes, .. } = raw
                    && key == name.as_bytes()
                {
                    times.push(bytes);
                }
            });
        }
        common_offset(times.into_iter())
    }

    /// Texts of the first times in layouts whose times are in ISO 8601 or have a part such as `%Z`.
    pub fn times_with_zones(&self, layouts: &[Arc<Layout>], part: &str) -> Vec<&[u8]> {
        let has_part = |time: &TimePattern| time.spec() == "iso" || time.spec().contains(part);
        let is_zoned = |layout: &Arc<Layout>| layout.time_of_header().is_some_and(has_part);
        if !layouts.iter().any(is_zoned) {
            return Vec::new();
        }
        let mut spans = Spans::new();
        let lines = self.lines.iter().take(MAX_TIMES);
        let times = lines.filter_map(|line| {
            let mut all = layouts.iter();
            let layout = all.find(|layout| layout.matches(line, &mut spans).is_some())?;
            let field = layout.pattern.field("time").filter(|_| is_zoned(layout))?;
            line.get(spans.get(field)?.clone())
        });
        times.collect()
    }
}

/// Words that announce the zone of the times of a log, in lower case.
const ANNOUNCEMENTS: [&str; 8] = [
    "time zone",
    "timezone",
    "tz=",
    "tz:",
    "times are",
    "times in",
    "timestamps are",
    "timestamps in",
];

/// Zone that a line announces.
fn zone_in_text(line: &[u8]) -> Option<&[u8]> {
    let lower = line.to_ascii_lowercase();
    let mut words = ANNOUNCEMENTS.iter();
    let at = words.find_map(|word| {
        let found = memchr::memmem::find(&lower, word.as_bytes())?;
        Some(found + word.len())
    })?;
    let is_end = |b: &u8| b.is_ascii_whitespace() || b".=:;,()[]\"'".contains(b);
    // The colon of an offset is no end.
    let is_offset = |word: &[u8]| matches!(word.first(), Some(b'+' | b'-'));
    let rest = line.get(at..)?;
    let by_blanks = rest
        .split(u8::is_ascii_whitespace)
        .filter(|word| is_offset(word));
    let mut all = by_blanks.chain(rest.split(is_end));
    all.find(|word| {
        let is_capital = word.first().is_some_and(u8::is_ascii_uppercase) || is_offset(word);
        is_capital && offset_of_zone(word, 0).is_some()
    })
}

/// Offset from UTC that all times state in digits, s.
fn common_offset<'t>(times: impl Iterator<Item = &'t [u8]>) -> Option<i32> {
    let mut offsets = times.map(trailing_offset);
    let first = offsets.next()??;
    offsets.all(|offset| offset == Some(first)).then_some(first)
}

/// Number of records whose time field is examined.
const MAX_RECORDS: usize = 8;

/// Number of lines whose times are examined.
const MAX_TIMES: usize = 50;

/// Epochs with a fraction in a text; whole seconds may be any number. Not those that are announced as another time.
pub(super) fn epochs(text: &[u8]) -> impl Iterator<Item = Stamp> {
    let points = memchr::memchr_iter(b'.', text);
    points.filter_map(move |point| {
        let digits = text[..point].iter().rev();
        let start = point - digits.take_while(|b| b.is_ascii_digit()).count();
        if point - start != SECONDS_LEN || !text.get(point + 1)?.is_ascii_digit() {
            return None;
        }
        let before = &text[start.saturating_sub(BEFORE)..start];
        if before
            .last()
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.')
        {
            return None;
        }
        let words = String::from_utf8_lossy(before).to_ascii_lowercase();
        let (pattern, stamp, at, _) = detect_leading(&text[start..])?;
        let is_epoch = at == 0 && pattern.spec() == "epoch";
        (is_epoch && !OTHER_TIMES.iter().any(|word| words.contains(word))).then_some(stamp)
    })
}

/// Number of digits of the seconds since the epoch, from 2001 to 2286.
const SECONDS_LEN: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::keys::Keys;
    use widetui_source::head::SourceHead;

    fn offsets(pattern: &str, lines: &str) -> Vec<i32> {
        let layout = Layout::compile("time", pattern, &Keys::default()).unwrap();
        let sample = Sample::new(SourceHead::whole(lines.as_bytes()));
        let found = sample.zone_witnesses(&[Arc::new(layout)]);
        found.into_iter().map(|(_, offset)| offset).collect()
    }

    #[test]
    fn text_before_the_first_record_announces_its_zone() {
        let zone = |line: &str| {
            let zone = zone_in_text(line.as_bytes())?;
            Some(String::from_utf8_lossy(zone).into_owned())
        };
        for (line, expected) in [
            ("# time zone: CET", Some("CET")),
            ("All times are UTC.", Some("UTC")),
            ("(timestamps in UTC+1)", Some("UTC+1")),
            ("TZ=+01:00", Some("+01:00")),
            ("timezone is unknown", None),
            ("started in CET", None),
        ] {
            assert_eq!(zone(line).as_deref(), expected, "{line}");
        }
        let python = "{time:%Y-%m-%d %H:%M:%S} {level} {message}";
        let text = "# times are UTC+2\n2023-02-15 10:00:00 INFO x\n";
        assert_eq!(offsets(python, text), [7_200]);
    }

    #[test]
    fn epochs_beside_local_times_tell_the_zone() {
        let syslog = "{time:%b %e %H:%M:%S} {host} {message}";
        let one = "Dec 12 09:13:12 host x: [1670796792.2440] a\n";
        let two = "Dec 12 09:13:19 host x: [1670796799.1009] b\n";
        assert_eq!(offsets(syslog, &format!("{one}{two}")), [39_600; 2]);
        assert_eq!(offsets(syslog, one), [0; 0], "one may be chance");
        let other = "Dec 12 09:13:19 host x: expires 1670796799.1009\n";
        assert_eq!(offsets(syslog, &format!("{other}{other}")), [0; 0]);
        // An epoch to the millisecond in a line below its record.
        let fine = "2022-06-20 22:59:37,906 ERROR x\n  \"created\":\"@1655737177.888558363\"\n";
        let python = "{time:%Y-%m-%d %H:%M:%S,%f} {level} {message}";
        assert_eq!(offsets(python, fine), [28_800]);
    }
}
