//! Times in the text of records that show the zone of their local times: the epoch of the same moment.

use std::sync::Arc;

use widetui_time::time::NS_PER_SECOND;
use widetui_time::timeparse::{
    Stamp, StampZone, TimePattern, detect_leading, offset_of_zone, trailing_offset,
};

use crate::catalog::sink::zone_offset;
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;
use crate::pattern::Spans;
use crate::sample::{MAX_TRIED, Sample, written_times};
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

/// Time with a zone beside the local time of its record.
struct Witness {
    epoch: i64,
    offset: i32,
    /// Difference besides the zone, ns.
    delay: i64,
    /// True if the local time has a fraction, or the time states the offset that its difference from the local time shows.
    is_fine: bool,
}

/// Time with a zone in a text.
#[derive(Clone, Copy)]
struct Instant {
    stamp: Stamp,
    /// Offset from UTC of its spelling, s; `None` for an epoch.
    stated: Option<i32>,
}

impl Instant {
    /// Evidence beside the local time of a record; `None` if they are of different moments.
    fn beside(self, local: Stamp) -> Option<Witness> {
        let epoch = self.stamp;
        let (offset, delay) = zone_offset(epoch, local.near(epoch.ns))?;
        (delay.abs() <= MAX_DELAY).then_some(Witness {
            epoch: epoch.ns,
            offset,
            delay: match self.stated == Some(offset) {
                true => 0,
                false => delay,
            },
            is_fine: local.resolution_ns < NS_PER_SECOND || self.stated == Some(offset),
        })
    }
}

/// Times with a zone in a text, that of the record excepted.
fn instants(text: &[u8]) -> impl Iterator<Item = Instant> {
    let written = written_times(text).filter(|(stamp, _)| stamp.zone == StampZone::Known);
    let written = written.filter(|(_, time)| !is_other_time(text, time));
    let written = written.map(|(stamp, time)| Instant {
        stamp,
        stated: stated_offset(time),
    });
    let epochs = epochs(text).map(|stamp| Instant {
        stamp,
        stated: None,
    });
    written.chain(epochs)
}

/// True if the words before a part of a text announce it as another time than that of the record.
fn is_other_time(text: &[u8], time: &[u8]) -> bool {
    let at = time.as_ptr() as usize - text.as_ptr() as usize;
    let before = text.get(at.saturating_sub(BEFORE)..at);
    before.is_some_and(announces_other_time)
}

fn announces_other_time(before: &[u8]) -> bool {
    let words = String::from_utf8_lossy(before).to_ascii_lowercase();
    OTHER_TIMES.iter().any(|word| words.contains(word))
}

/// Offset from UTC that a time states, s: in digits, or by the name of a zone.
fn stated_offset(time: &[u8]) -> Option<i32> {
    let name = || time.rsplit(|b| *b == b' ').next();
    let named = || offset_of_zone(name()?, 0).and_then(|offset| i32::try_from(offset).ok());
    let is_utc = || time.ends_with(b"Z").then_some(0);
    trailing_offset(time).or_else(is_utc).or_else(named)
}

impl Sample<'_> {
    /// Offsets of the local zone from UTC, s, with their epochs (UTC ns): by the words of the log, else by times with a zone in
    /// the text of records that have a local time of the same moment. Empty unless nearly all of them agree.
    pub fn zone_witnesses(&self, layouts: &[Arc<Layout>]) -> Vec<(i64, i32)> {
        let stated = self.zones_in_words(layouts);
        if !stated.is_empty() {
            return stated;
        }
        let mut spans = Spans::new();
        let mut witnesses: Vec<Witness> = Vec::new();
        let mut local: Option<Stamp> = None;
        // Before the first record, and times of records that state their zone.
        let mut early: Vec<Instant> = Vec::new();
        for line in &self.lines {
            let header = layouts.iter().find_map(|l| l.matches(line, &mut spans));
            let mut text = *line;
            let own = header.as_ref().and_then(|header| header.time);
            if let Some(header) = &header {
                text = header.message_of(line);
                match own {
                    Some(time) if time.zone == StampZone::Local => local = own,
                    Some(time) if time.date => early.push(Instant {
                        stamp: time,
                        stated: written_times(line)
                            .next()
                            .and_then(|(_, t)| stated_offset(t)),
                    }),
                    _ => local = None,
                }
            }
            let of_record = local.filter(|time| time.date);
            if header.is_none() && of_record.is_none() {
                // A text may write both times of a moment.
                let mut written = written_times(text).map(|(stamp, _)| stamp);
                if let Some(beside) = written.find(|time| time.zone == StampZone::Local) {
                    witnesses.extend(epochs(text).filter_map(|stamp| {
                        Instant {
                            stamp,
                            stated: None,
                        }
                        .beside(beside)
                    }));
                }
            }
            match of_record {
                Some(local) => {
                    let all = early.drain(..).chain(instants(text));
                    witnesses.extend(all.filter_map(|instant| instant.beside(local)));
                }
                None => early.extend(instants(text).take(MAX_EARLY - early.len().min(MAX_EARLY))),
            }
        }
        witnesses.sort_by_key(|w| w.epoch);
        witnesses.dedup_by_key(|w| w.epoch);
        let count = |offset: i32| witnesses.iter().filter(|w| w.offset == offset).count();
        let Some(usual) = witnesses.iter().max_by_key(|w| count(w.offset)) else {
            return Vec::new();
        };
        let (offset, n) = (usual.offset, count(usual.offset));
        let mut agreeing = witnesses.iter().filter(|w| w.offset == offset);
        let is_sure =
            n >= MIN_WITNESSES || agreeing.any(|w| w.is_fine && w.delay.abs() <= MAX_DELAY_ALONE);
        match is_sure && n * 4 >= witnesses.len() * 3 {
            true => {
                let agreeing = witnesses.iter().filter(|w| w.offset == offset);
                agreeing.map(|w| (w.epoch, offset)).collect()
            }
            false => Vec::new(),
        }
    }

    /// Offset from UTC, s, of times without a zone among times that state theirs; `None` without evidence.
    ///
    /// `times` are those of the records in file order, with the offset of their spelling. Times of about the same moment show
    /// it, else the offset by which all times are in order.
    pub fn offset_among(&self, times: &[(Stamp, Option<i32>)]) -> Option<i32> {
        let is_local = |time: &Stamp| time.zone == StampZone::Local && time.date && time.year;
        let pairs = times.windows(2).filter_map(|pair| match pair {
            [(a, stated), (b, _)] | [(b, _), (a, stated)]
                if a.zone == StampZone::Known && is_local(b) =>
            {
                let instant = Instant {
                    stamp: *a,
                    stated: *stated,
                };
                Some((instant, *b))
            }
            _ => None,
        });
        let pairs: Vec<(Instant, Stamp)> = pairs.collect();
        let near: Vec<i32> = pairs
            .iter()
            .filter_map(|(instant, local)| Some(instant.beside(*local)?.offset))
            .collect();
        let is_common = |of: &[i32], offset: i32| {
            of.iter().filter(|o| **o == offset).count() * 4 >= of.len() * 3
        };
        if let Some(offset) = near
            .iter()
            .copied()
            .find(|offset| is_common(&near, *offset))
        {
            return Some(offset);
        }
        let stated = pairs.first()?.0.stated.unwrap_or(0);
        let is_in_order = |(instant, local): &(Instant, Stamp)| {
            let on_clock = i64::from(stated).saturating_mul(NS_PER_SECOND);
            let apart = instant.stamp.ns.saturating_add(on_clock).abs_diff(local.ns);
            apart <= MAX_GAP.unsigned_abs()
        };
        pairs.iter().all(is_in_order).then_some(stated)
    }

    /// Times of the records in some layouts, with the offset of their spelling, s.
    pub fn times_of_lines(&self, layouts: &[Arc<Layout>]) -> Vec<(Stamp, Option<i32>)> {
        let mut spans = Spans::new();
        let times = self.lines.iter().filter_map(|line| {
            let mut all = layouts.iter();
            let layout = all.find(|layout| layout.is_header(line, &mut spans))?;
            let time = layout.matches(line, &mut spans)?.time?;
            let field = layout.pattern.field("time");
            let text = field.and_then(|field| line.get(spans.get(field)?.clone()));
            Some((time, text.and_then(stated_offset)))
        });
        times.collect()
    }

    /// Offsets by the zone that the log states in words: in the text before the first record (`# time zone: Europe/Berlin`, `All
    /// times are UTC`), and by a property of the system (`user.timezone = Europe/Prague`, `Time zone: CET`). Empty if they differ.
    fn zones_in_words(&self, layouts: &[Arc<Layout>]) -> Vec<(i64, i32)> {
        let mut spans = Spans::new();
        let (mut times, mut zones): (Vec<Stamp>, Vec<&[u8]>) = (Vec::new(), Vec::new());
        for line in &self.lines {
            let mut all = layouts.iter();
            let header = all.find_map(|layout| layout.matches(line, &mut spans));
            let time = header.as_ref().and_then(|header| header.time);
            times.extend(time.filter(|time| time.zone == StampZone::Local && time.date));
            let text = header.map_or(*line, |header| header.message_of(line));
            let is_preamble = times.is_empty() && time.is_none();
            let before = zone_of_property(text);
            zones.extend(before.or_else(|| zone_in_text(text).filter(|_| is_preamble)));
        }
        let Some(zone) = zones
            .first()
            .filter(|zone| zones.iter().all(|o| o == *zone))
        else {
            return Vec::new();
        };
        let times = times.iter().take(MAX_TIMES);
        let offsets = times.filter_map(|time| {
            let local = match time.year {
                true => *time,
                // The offset may depend on the year by an hour only.
                false => time.near(EARLY_YEAR),
            };
            let offset = offset_of_zone(zone, local.ns)?;
            let epoch = local.ns.saturating_sub(offset * NS_PER_SECOND);
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

/// Words before the announcement of the zone of the system.
const OF_SYSTEM: [&str; 9] = [
    "using", "system", "default", "server", "local", "jvm", "host", "the", "user.",
];

/// Zone of the system that a text begins with: `user.timezone = Europe/Prague`, `Default time zone: CET`.
fn zone_of_property(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_start();
    let lower = text.get(..MAX_ANNOUNCEMENT).unwrap_or(text);
    let lower = lower.to_ascii_lowercase();
    let names = ["timezone", "time zone", "tz="];
    let found = names.iter().filter_map(|name| {
        let at = memchr::memmem::find(&lower, name.as_bytes())?;
        Some((at, *name))
    });
    let (start, name) = found.min()?;
    let before = String::from_utf8_lossy(lower.get(..start)?).into_owned();
    let mut words = before
        .split([' ', '-', ':', '[', ']', '"'])
        .filter(|w| !w.is_empty());
    let is_alone = words.all(|word| OF_SYSTEM.contains(&word));
    let rest = text.get(start + name.len()..)?.trim_ascii_start();
    let is_value = name.ends_with('=')
        || rest.starts_with(b"=")
        || rest.starts_with(b":")
        || rest.starts_with(b"is ")
        || rest.starts_with(b"\"");
    (is_alone && is_value).then(|| zone_at(rest))?
}

/// Zone that a line announces.
fn zone_in_text(line: &[u8]) -> Option<&[u8]> {
    let lower = line.to_ascii_lowercase();
    let mut words = ANNOUNCEMENTS.iter();
    let at = words.find_map(|word| {
        let found = memchr::memmem::find(&lower, word.as_bytes())?;
        Some(found + word.len())
    })?;
    zone_at(line.get(at..)?)
}

/// First zone in a text.
fn zone_at(rest: &[u8]) -> Option<&[u8]> {
    let is_end = |b: &u8| b.is_ascii_whitespace() || b".=:;,()[]\"'".contains(b);
    // The colon of an offset is no end.
    let is_offset = |word: &[u8]| matches!(word.first(), Some(b'+' | b'-'));
    let by_blanks = rest
        .split(u8::is_ascii_whitespace)
        .filter(|word| is_offset(word));
    let words = rest.split(is_end).filter(|word| !word.is_empty());
    let mut all = by_blanks.take(1).chain(words.take(MAX_WORDS));
    all.find(|word| {
        let is_capital = word.first().is_some_and(u8::is_ascii_uppercase) || is_offset(word);
        is_capital && offset_of_zone(word, 0).is_some()
    })
}

/// Offset from UTC that all times state in digits, s; the last one may be torn.
fn common_offset<'t>(times: impl Iterator<Item = &'t [u8]>) -> Option<i32> {
    let mut offsets: Vec<Option<i32>> = times.map(trailing_offset).collect();
    offsets.pop_if(|last| last.is_none());
    let first = (*offsets.first()?)?;
    offsets
        .iter()
        .all(|offset| *offset == Some(first))
        .then_some(first)
}

/// Number of records whose time field is examined.
const MAX_RECORDS: usize = 8;

/// Number of lines whose times are examined.
const MAX_TIMES: usize = 50;
/// Number of times with a zone that are kept until a local time follows.
const MAX_EARLY: usize = 64;
/// Greatest distance of neighbouring records of one file whose zones are the same, ns.
const MAX_GAP: i64 = 1_800 * NS_PER_SECOND;
/// Length of the text in which the zone of the system is announced, bytes.
const MAX_ANNOUNCEMENT: usize = 64;
/// Number of words after an announcement among which the zone is.
const MAX_WORDS: usize = 4;
/// 2000-01-01, ns.
const EARLY_YEAR: i64 = 946_684_800 * NS_PER_SECOND;

/// Epochs with a fraction in a text, at the first [`MAX_TRIED`] places that look like one; whole seconds may be any number. Not
/// those that are announced as another time.
pub(super) fn epochs(text: &[u8]) -> impl Iterator<Item = Stamp> {
    let points = memchr::memchr_iter(b'.', text);
    let starts = points.filter_map(move |point| {
        let digits = text.get(..point)?.iter().rev();
        let start = point - digits.take_while(|b| b.is_ascii_digit()).count();
        if point - start != SECONDS_LEN || !text.get(point + 1)?.is_ascii_digit() {
            return None;
        }
        let before = text.get(start.saturating_sub(BEFORE)..start)?;
        if before
            .last()
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.')
        {
            return None;
        }
        Some((start, before))
    });
    starts.take(MAX_TRIED).filter_map(move |(start, before)| {
        let (pattern, stamp, at, _) = detect_leading(text.get(start..)?)?;
        let is_epoch = at == 0 && pattern.spec() == "epoch";
        (is_epoch && !announces_other_time(before)).then_some(stamp)
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
            ("user 7 changed timezone of job 5", None),
            ("started in CET", None),
        ] {
            assert_eq!(zone(line).as_deref(), expected, "{line}");
        }
        let python = "{time:%Y-%m-%d %H:%M:%S} {level} {message}";
        let text = "# times are UTC+2\n2023-02-15 10:00:00 INFO x\n";
        assert_eq!(offsets(python, text), [7_200]);
    }

    #[test]
    fn properties_of_the_system_are_zones() {
        let zone = |text: &str| {
            let zone = zone_of_property(text.as_bytes())?;
            Some(String::from_utf8_lossy(zone).into_owned())
        };
        for (text, expected) in [
            ("\tuser.timezone = Europe/Prague", Some("Europe/Prague")),
            ("Default time zone: CET", Some("CET")),
            ("TZ=America/Chicago", Some("America/Chicago")),
            ("timezone is UTC", Some("UTC")),
            ("user.timezone = ", None),
            ("user 17 has timezone=CET", None),
            ("timezone of the user: CET", None),
        ] {
            assert_eq!(zone(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn times_without_a_zone_take_it_from_their_neighbours() {
        let sample = Sample::of_lines(Vec::new());
        let at = |seconds: i64, zone: StampZone| Stamp {
            ns: seconds * NS_PER_SECOND,
            zone,
            date: true,
            year: true,
            resolution_ns: NS_PER_SECOND,
        };
        let (known, local) = (StampZone::Known, StampZone::Local);
        let among = |times: &[(i64, StampZone, Option<i32>)]| {
            let times: Vec<_> = times
                .iter()
                .map(|(s, zone, o)| (at(*s, *zone), *o))
                .collect();
            sample.offset_among(&times)
        };
        assert_eq!(
            among(&[(7_200, local, None), (1, known, Some(0))]),
            Some(7_200)
        );
        assert_eq!(among(&[(0, local, None), (60, known, Some(0))]), Some(0));
        assert_eq!(
            among(&[(3_600, local, None), (60, known, Some(3_600))]),
            Some(3_600)
        );
        assert_eq!(among(&[(36_600, local, None), (60, known, Some(0))]), None);
        assert_eq!(among(&[(0, local, None)]), None);
    }

    #[test]
    fn times_are_tried_at_few_places_of_a_line() {
        let date = "15 Feb 2019 09:59:59 +0000";
        for words in ["mon 17 ", "job 17 ", "jan 17 ", "17 okt ", "2023-02-3 "] {
            let found = |count| {
                let line = words.repeat(count) + date;
                written_times(line.as_bytes()).count()
            };
            assert_eq!((found(2), found(1000)), (1, 0), "{words}");
        }
        let epochs = epochs("1670796792.5 ".repeat(1000).as_bytes()).count();
        assert_eq!(epochs, MAX_TRIED);
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
        // Times with a zone beside the same clock.
        let cloud = "2019-02-12 23:17:25,228 DEBUG run at Tue, 12 Feb 2019 23:17:25 +0000. Up\n";
        let python = "{time:%Y-%m-%d %H:%M:%S,%f} {level} {message}";
        assert_eq!(offsets(python, cloud), [0]);
        let expiry = "2019-02-12 23:17:25,228 DEBUG expires at 2019-02-13T23:17:25.228Z\n";
        assert_eq!(offsets(python, expiry), [0; 0]);
        let journal = "-- Logs begin at Tue 2019-02-12 23:17:25 CET, end at Tue 2019-02-12 23:19:00 CET. --\nFeb 12 23:17:25 h x: y\n";
        assert_eq!(offsets(syslog, journal), [3_600]);
        let both = "Start printer at Sat Aug 31 11:26:29 2024 (1725096389.3 63.1)\nStart printer at Sat Aug 31 11:46:40 2024 (1725097600.4 21.7)\n";
        assert_eq!(offsets(python, both), [7_200; 2]);
        // An epoch to the millisecond in a line below its record.
        let fine = "2022-06-20 22:59:37,906 ERROR x\n  \"created\":\"@1655737177.888558363\"\n";
        let python = "{time:%Y-%m-%d %H:%M:%S,%f} {level} {message}";
        assert_eq!(offsets(python, fine), [28_800]);
    }
}
