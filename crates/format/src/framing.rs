//! Log framing: text that container runtimes, kubectl, syslog, journald and consoles put around each line of a program
//! (a time, a stream, a name). It is removed before detection, so that a log reads the same however it was fetched.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use regex::bytes::Regex;
use std::sync::LazyLock;

use widetui_core::bytes::is_clock;
use widetui_core::level::Level;
use widetui_time::timeparse::{Stamp, StampZone, detect_leading};

use crate::catalog::sink::zone_offset;

use crate::json::common_fields::is_carrier;
use crate::messages::leading_level;
use crate::text::colours::{coloured, is_coloured, without_colours};
use crate::text::json_scan::text;
use crate::text::json_scan::{Raw, walk, walk_at};

/// Log framing of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// JSON object with the line, its stream and its time (Docker's `json-file` driver).
    DockerJson,
    /// Time, stream and completeness flag (CRI): `2026-11-21T02:16:10.0Z stderr F line`.
    Cri,
    /// Time with nanoseconds: `2026-11-21T02:16:10.123456789Z line`.
    Timestamp,
    /// Time before a line that has a time of its own, as CloudWatch and kubectl export lines:
    /// `2023-01-30T14:44:00.681+01:00<TAB>2023-01-30 13:44:00,002 INFO line`.
    OuterTimestamp,
    /// Time in any form, and words up to this number of blanks, before a line that has a time of its own, as hosting platforms
    /// and build servers write lines: `2023-01-30T14:44:00Z app[web.1]: 2023-01-30 14:44:00,002 INFO line`,
    /// `Jan 30 14:44:00 2023-01-30 14:44:00,002 INFO line`.
    OuterTime {
        /// Number of blanks between the time and the line.
        blanks: u8,
    },
    /// Time of a container runtime before the lines of records that have none. It stays before the first line of each record, and is
    /// taken off the indented lines below it.
    StampedRecords(RuntimeStamp),
    /// Pod and container, and optionally a time: `[pod/name/container] line`.
    PodPrefix,
    /// Container before a bar, and optionally a time: `worker-1  | line`; process and name of PM2: `0|worker  | line`; process
    /// of a Procfile behind a clock: `10:00:00 web.1  | line`.
    ComposePrefix,
    /// Syslog line of a host: `Nov 21 02:16:10 host program[17]: line`, `<14>1 2026-11-21T02:16:10Z host program 17 - - line`.
    HostLog,
    /// Journal entry of a host, as a JSON object with many fields.
    JournalJson,
    /// JSON object with the text of a JSON object in a field, as consumers of Kafka topics and log shippers write records:
    /// `{"offset": 3, "value": "{\"task\": 7}"}`. The text becomes a nested object, and a line that is such a text an object; also
    /// if a text was encoded several times.
    JsonText,
    /// Fields with tabs between them, as kafka-console-consumer prints records of topics: the time and its kind, and by
    /// `--property print.*` partition, offset and key, then the value. The line becomes the JSON object that other consumers write.
    /// Headers (`print.headers`) are read as the key.
    TopicConsumer,
    /// Constant words before a JSON object: `:::MLLOG {...}`, `data: {...}`.
    ConstantPrefix,
    /// Terminal colours only.
    Colours,
}

/// Framing with the time of a container runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeStamp {
    /// As [`Framing::DockerJson`].
    DockerJson,
    /// As [`Framing::Cri`].
    Cri,
    /// As [`Framing::Timestamp`].
    Timestamp,
}

impl RuntimeStamp {
    fn framing(self) -> Framing {
        match self {
            RuntimeStamp::DockerJson => Framing::DockerJson,
            RuntimeStamp::Cri => Framing::Cri,
            RuntimeStamp::Timestamp => Framing::Timestamp,
        }
    }
}

/// Line without its framing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnframedLine<'a> {
    /// Text of the line, without its end.
    pub line: Cow<'a, [u8]>,
    /// Output stream of the program.
    pub stream: Option<Cow<'a, str>>,
    /// Sender: pod, container or program.
    pub sender: Option<Cow<'a, str>>,
    /// Whether the sender's next line continues this one.
    pub continues: bool,
}

/// Number of lines examined.
const MAX_LINES: usize = 40;
/// Maximum number of senders in the first lines; more are not program names.
const MAX_SENDERS: usize = 24;

const STAMP: &str = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}";
const ZONE: &str = "(?:Z|[+-][0-9]{2}:[0-9]{2})";

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(&format!("^(?s-u:{text})")).ok()
}

static CRI: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"{STAMP}\.[0-9]+{ZONE} (stdout|stderr) ([FP])(?:[ :]|$)"
    ))
});
static TIMESTAMP: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(&format!(r"{STAMP}\.[0-9]{{9}}{ZONE}(?: |$)")));
static OUTER_TIMESTAMP: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(&format!(r"[ \t]*{STAMP}(?:[.,][0-9]+)?{ZONE}?[ \t]+")));
static POD_PREFIX: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\[pod/([^\]\s]+)\](?: |$)"));
static HOST_LOG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let short = r"[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?";
    let full = r"[A-Z][a-z]{2} [0-9-]{10} [0-9:.]{8,15} [A-Z]{2,5}";
    let iso = format!(r"{STAMP}(?:[.,][0-9]+)?(?:{ZONE}|[+-][0-9]{{4}})?");
    pattern(&format!(
        r"(?:<[0-9]{{1,3}}>)?(?:{short}|{iso}|{full}|[0-9]{{10}}\.[0-9]+) ([A-Za-z0-9_.:-]+) ([^\s:\[/]+(?:\[[0-9]+\])?):(?: |$)"
    ))
});
static HOST_LOG_5424: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"<[0-9]{{1,3}}>1 {STAMP}(?:\.[0-9]+)?{ZONE} ([^ ]+) ([^ ]+) ([^ ]+) [^ ]+ (?:-|(?:\[[^\]]*\])+)(?: (?:\xEF\xBB\xBF)?|$)"
    ))
});
static COMPOSE_PREFIX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"([0-9]{2}:[0-9]{2}:[0-9]{2} )?((?:[0-9]+\|)?[A-Za-z][A-Za-z0-9_.-]*)[ \t]*\|(?:\x1b\[[0-9;]*m)?(?: |$)",
    )
});

/// Greatest difference between the clock of a line and that of its framing, besides the zone, ns.
const MAX_TWIN_DELAY: i64 = 2_000_000_000;
/// Maximum offset of the clock of a line behind its framing, bytes.
const MAX_CLOCK_OFFSET: usize = 12;

/// Time at the start of a line, or its first clock; the parts of the date that it leaves out are those of the time of its
/// framing.
pub fn own_time(outer: Stamp, line: &[u8]) -> Option<Stamp> {
    if let Some((_, own, ..)) = detect_leading(line).filter(|(_, own, ..)| own.date) {
        return Some(own.near(outer.ns));
    }
    let head = line.get(..MAX_CLOCK_OFFSET).unwrap_or(line);
    let mut colons = memchr::memchr_iter(b':', head);
    let colon = colons.find(|colon| *colon >= 2 && is_clock(line, *colon))?;
    let (_, own, ..) = detect_leading(line.get(colon.checked_sub(2)?..)?)?;
    Some(own.near(outer.ns))
}

/// Maximum offset of the first digit in a syslog line: `Nov 21` and the priority before it.
const MAX_DATE_OFFSET: usize = 12;

/// Pattern, if the first byte of the line is a possible start. Compiling the pattern takes longer than checking all
/// lines of a small run.
fn if_first(
    line: &[u8],
    may_begin: impl Fn(&u8) -> bool,
    pattern: &'static LazyLock<Option<Regex>>,
) -> Option<&'static Regex> {
    line.first().filter(|b| may_begin(b))?;
    pattern.as_ref()
}

/// All framings, in the order in which they are tried.
const ALL: [Framing; 12] = [
    Framing::DockerJson,
    Framing::Cri,
    Framing::Timestamp,
    Framing::OuterTimestamp,
    Framing::PodPrefix,
    Framing::ComposePrefix,
    Framing::HostLog,
    Framing::JournalJson,
    Framing::JsonText,
    Framing::TopicConsumer,
    Framing::ConstantPrefix,
    Framing::Colours,
];

impl Framing {
    /// Framing of the first lines of a source; usually `None`.
    pub fn detect(lines: &[&[u8]]) -> Option<Framing> {
        let lines = lines.get(..MAX_LINES).unwrap_or(lines);
        let first = lines.first()?;
        // Lines before the first object remain as they are.
        let begins = |kind: &Framing| {
            matches!(kind, Framing::ConstantPrefix | Framing::JsonText)
                || kind.unframe(first).is_some()
        };
        let fits = |kind: &Framing| begins(kind) && kind.fits_most_lines(lines);
        let found = ALL.into_iter().find(fits);
        found.or_else(|| outer_time(lines).filter(fits))
    }

    /// Whether nearly all lines have this framing.
    fn fits_most_lines(self, lines: &[&[u8]]) -> bool {
        let opened = lines.iter().filter_map(|line| self.unframe(line));
        let (mut count, mut records, mut senders) = (0, 0, Vec::new());
        for unframed in opened {
            count += 1;
            records += usize::from(is_record(&unframed.line));
            let sender = unframed.sender.unwrap_or_default();
            if !senders.contains(&sender) {
                senders.push(sender);
            }
        }
        if self.is_host_log() {
            return count * 10 >= lines.len() * 9;
        }
        // Words that vary are part of the message.
        let leads = || lines.iter().filter_map(|line| constant_prefix(line));
        if self == Framing::ConstantPrefix {
            let alike = leads().all(|l| Some(l) == leads().next());
            return alike && count * 10 >= lines.len() * 6;
        }
        // The outer time is removed only if the lines have a complete time of their own; others continue them.
        if matches!(self, Framing::OuterTimestamp | Framing::OuterTime { .. }) {
            let is_timed = |line: &&&[u8]| {
                self.unframe(line)
                    .is_some_and(|own| self.is_twin(line, &own))
            };
            let timed = lines.iter().filter(is_timed).count();
            // Behind words, a line without a time keeps that of the framing.
            let is_enough = match self {
                Framing::OuterTime { .. } => timed > 0 && timed * 3 >= count,
                _ => timed * 2 > count,
            };
            return count * 10 >= lines.len() * 9 && is_enough;
        }
        // Records of one topic may carry texts of several forms.
        if self == Framing::JsonText {
            return count > 0;
        }
        // Continuation lines, such as those of a traceback, do not repeat the colours of their record.
        if self == Framing::Colours {
            return count * 2 >= lines.len();
        }
        // A level may also stand before a bar.
        let is_level = |s: &Cow<'_, str>| Level::parse(s.as_bytes()).is_some();
        count * 10 >= lines.len() * 9
            && senders.len() <= MAX_SENDERS
            && (self == Framing::PodPrefix
                || senders.len() <= 2
                || senders.len() * 2 <= count
                || records * 2 > count)
            && !(self == Framing::ComposePrefix && senders.iter().any(is_level))
    }

    /// True if a line has a time of its own that repeats that of its framing: a date, if the framing states its zone, or
    /// else the same clock.
    fn is_twin(self, line: &[u8], own: &UnframedLine<'_>) -> bool {
        let Some(outer) = self.time(line) else {
            return false;
        };
        if outer.zone == StampZone::Known
            && detect_leading(&own.line).is_some_and(|(_, stamp, ..)| stamp.date)
        {
            return true;
        }
        own_time(outer, &own.line).is_some_and(|own| {
            let rest = match zone_offset(outer, own) {
                Some((_, rest)) => rest,
                // A clock alone is that of some zone.
                None if !outer.date => {
                    let apart = own.ns.saturating_sub(outer.ns) + QUARTER / 2;
                    apart.rem_euclid(QUARTER) - QUARTER / 2
                }
                None => own.ns.saturating_sub(outer.near(own.ns).ns),
            };
            rest.abs() <= MAX_TWIN_DELAY
        })
    }

    /// Whether the framing is a host's log of all its programs. Most of these programs have no format of their own, so
    /// the framing is the only metadata and is kept.
    pub fn is_host_log(self) -> bool {
        matches!(self, Framing::HostLog | Framing::JournalJson)
    }

    /// True if the framing is the name of the sender before a line.
    pub fn names_sender(self) -> bool {
        matches!(self, Framing::PodPrefix | Framing::ComposePrefix)
    }

    /// The framing whose time stays before each record; `None` if it has no time.
    pub fn of_stamped_records(self) -> Option<Framing> {
        Some(Framing::StampedRecords(match self {
            Framing::DockerJson => RuntimeStamp::DockerJson,
            Framing::Cri => RuntimeStamp::Cri,
            Framing::Timestamp => RuntimeStamp::Timestamp,
            _ => return None,
        }))
    }

    /// Spelling of the time in the framing of a line that has no time of its own and is not a part of another one.
    pub fn stamp_of_plain<'l>(self, line: &'l [u8], own: &[u8]) -> Option<Cow<'l, [u8]>> {
        let is_plain = own
            .first()
            .is_some_and(|b| !b.is_ascii_whitespace() && *b != b'{');
        let is_own = is_plain && detect_leading(own).is_none();
        is_own.then(|| self.stamp(line))?
    }

    /// Spelling of the time in the framing of a line.
    fn stamp(self, line: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Framing::Cri | Framing::Timestamp => {
                let end = memchr::memchr(b' ', line)?;
                Some(Cow::Borrowed(line.get(..end)?))
            }
            Framing::OuterTime { .. } => {
                let (_, stamp, start, end) = detect_leading(line)?;
                Some(Cow::Borrowed(line.get(start..end).filter(|_| stamp.date)?))
            }
            Framing::DockerJson => {
                let (mut time, mut scratch) = (None, Vec::new());
                walk(line, |key, raw| {
                    if key == b"time" {
                        time = Some(Cow::Owned(text(raw, &mut scratch).to_vec()));
                    }
                })?;
                time
            }
            _ => None,
        }
    }

    /// Keys and values that a sender's name provides.
    pub fn sender_keys(self, sender: &str) -> Vec<(&'static str, &str)> {
        let parts = sender.split_once('/');
        match parts {
            _ if sender.is_empty() => Vec::new(),
            Some((host, program)) if self.is_host_log() => {
                let (program, pid) = split_pid(program);
                let pid = pid.map(|pid| ("pid", pid));
                let all = [("host", host), ("program", program)]
                    .into_iter()
                    .chain(pid);
                all.filter(|(_, value)| !value.is_empty()).collect()
            }
            Some((pod, container)) => vec![("pod", pod), ("container", container)],
            None => vec![("container", sender)],
        }
    }

    /// Time with a zone in the framing of a line.
    pub fn time(self, line: &[u8]) -> Option<Stamp> {
        let leading = |text: &[u8]| detect_leading(text).map(|(_, stamp, ..)| stamp);
        match self {
            Framing::Cri
            | Framing::Timestamp
            | Framing::OuterTimestamp
            | Framing::OuterTime { .. } => leading(line),
            Framing::DockerJson => {
                let (mut time, mut scratch) = (None, Vec::new());
                walk(line, |key, raw| {
                    if key == b"time" {
                        time = leading(text(raw, &mut scratch));
                    }
                })?;
                time
            }
            _ => None,
        }
    }

    /// Removes the framing of a line; `None` if the line does not have this framing.
    pub fn unframe(self, line: &[u8]) -> Option<UnframedLine<'_>> {
        let plain = |rest| UnframedLine {
            line: uncoloured(rest),
            stream: None,
            sender: None,
            continues: false,
        };
        match self {
            Framing::DockerJson => docker_object(line),
            Framing::StampedRecords(stamp) => {
                let framing = stamp.framing();
                let mut own = framing.unframe(line)?;
                let begins = own.line.first().is_some_and(|b| !is_blank(*b));
                if let Some(stamp) = framing.stamp(line).filter(|_| begins) {
                    own.line = Cow::Owned([&*stamp, b" ", &*own.line].concat());
                }
                Some(own)
            }
            Framing::Cri => {
                let found = if_first(line, u8::is_ascii_digit, &CRI)?.captures(line)?;
                Some(UnframedLine {
                    stream: word(line, found.get(1)),
                    continues: found.get(2).is_some_and(|m| m.as_bytes() == b"P"),
                    ..plain(tail(line, found.get(0)?.end()))
                })
            }
            Framing::Timestamp => {
                let found = if_first(line, u8::is_ascii_digit, &TIMESTAMP)?.find(line)?;
                Some(plain(tail(line, found.end())))
            }
            Framing::OuterTimestamp => {
                let begins = |b: &u8| b.is_ascii_digit() || matches!(b, b' ' | b'\t');
                let found = if_first(line, begins, &OUTER_TIMESTAMP)?.find(line)?;
                Some(plain(tail(line, found.end())))
            }
            Framing::OuterTime { blanks } => {
                let mut at = outer_time_end(line)?;
                for _ in 0..blanks {
                    let blank = tail(line, at).iter().position(|b| is_blank(*b));
                    at = blank.map_or(line.len(), |blank| at + blank + 1);
                }
                Some(plain(tail(line, at)))
            }
            Framing::PodPrefix | Framing::ComposePrefix => {
                let start = coloured(line);
                let from = tail(line, start);
                let (regex, name) = match self {
                    Framing::PodPrefix => (if_first(from, |b| *b == b'[', &POD_PREFIX)?, 1),
                    _ => {
                        memchr::memchr(b'|', from)?;
                        let regex = if_first(from, u8::is_ascii_alphanumeric, &COMPOSE_PREFIX)?;
                        (regex, 2)
                    }
                };
                let found = regex.captures(from)?;
                let rest = tail(from, found.get(0)?.end());
                let stamped = if_first(rest, u8::is_ascii_digit, &TIMESTAMP);
                let time = stamped.and_then(|r| r.find(rest)).map_or(0, |m| m.end());
                let line = uncoloured(tail(rest, time));
                let is_dated = || detect_leading(&line).is_some_and(|(_, own, ..)| own.date);
                // The clock before the name is the only time of other lines.
                let line = match found.get(1).filter(|_| name > 1) {
                    Some(clock) if !is_dated() => [clock.as_bytes(), &line].concat().into(),
                    _ => line,
                };
                Some(UnframedLine {
                    line,
                    sender: word(from, found.get(name)),
                    ..plain(&[])
                })
            }
            Framing::HostLog => {
                // The line starts with a time.
                line.iter()
                    .take(MAX_DATE_OFFSET)
                    .find(|b| b.is_ascii_digit())?;
                if let Some(found) = host_line_5424(line) {
                    return Some(found);
                }
                let begins = |b: &u8| *b == b'<' || b.is_ascii_uppercase() || b.is_ascii_digit();
                let found = if_first(line, begins, &HOST_LOG)?.captures(line)?;
                let (host, program) = (word(line, found.get(1))?, word(line, found.get(2))?);
                Some(UnframedLine {
                    sender: Some(Cow::Owned(format!("{host}/{program}"))),
                    ..plain(without_cookie(tail(line, found.get(0)?.end())))
                })
            }
            Framing::JournalJson => journal_entry(line),
            Framing::JsonText | Framing::TopicConsumer => {
                let object = match self {
                    Framing::JsonText => nested_texts(line),
                    _ => topic_record(line),
                };
                object.map(|line| UnframedLine {
                    line: Cow::Owned(line),
                    ..plain(&[])
                })
            }
            Framing::ConstantPrefix => Some(plain(tail(line, constant_prefix(line)?.len()))),
            Framing::Colours => is_coloured(line).then(|| plain(line)),
        }
    }
}

/// True if a line without a time of its own belongs to the record above it: it is indented, or begins a traceback.
pub fn continues_record(line: &[u8]) -> bool {
    let heads = [
        &b"Traceback"[..],
        b"Caused by",
        b"During handling",
        b"The above exception",
    ];
    line.first().is_none_or(|b| is_blank(*b)) || heads.iter().any(|head| line.starts_with(head))
}

/// Unit of the offsets of zones, ns.
const QUARTER: i64 = 900_000_000_000;
/// Longest text between the time of a framing and that of the line, bytes.
const MAX_MIDDLE: usize = 64;
/// Number of first lines among which one with two times is looked for.
const MAX_OUTER: usize = 5;
/// Length of the part of a line with both times, bytes.
const MAX_TIMES: usize = 160;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// End of the time at the start of a line, with its bracket.
fn outer_time_end(line: &[u8]) -> Option<usize> {
    let (_, _, start, end) = detect_leading(line)?;
    let is_closed = matches!(
        (line.get(..start)?.last(), line.get(end)),
        (Some(b'['), Some(b']')) | (Some(b'('), Some(b')'))
    );
    Some(end + usize::from(is_closed))
}

/// Framing by a time of any form, if one of the first lines has two times with a few words between them.
fn outer_time(lines: &[&[u8]]) -> Option<Framing> {
    lines.iter().take(MAX_OUTER).find_map(|line| {
        let head = line.get(..MAX_TIMES).unwrap_or(line);
        let clocks = memchr::memchr_iter(b':', head).filter(|at| is_clock(head, *at));
        if clocks.count() < 2 {
            return None;
        }
        let rest = tail(head, outer_time_end(head)?);
        let starts = (1..rest.len().min(MAX_MIDDLE)).filter_map(|at| rest.split_at_checked(at));
        let (middle, _) = starts.into_iter().find(|(middle, own)| {
            let is_start = middle.last().is_some_and(|b| is_blank(*b))
                && own.first().is_some_and(|b| !is_blank(*b));
            is_start
                && detect_leading(own).is_some_and(|(_, stamp, start, _)| start < 2 && stamp.date)
        })?;
        let words = middle.split(|b| is_blank(*b)).filter(|w| !w.is_empty());
        let is_level = |word: &[u8]| {
            let inner = word.trim_ascii();
            let is_part = |b: &u8| b.is_ascii_alphabetic();
            let from = inner.iter().position(is_part).unwrap_or(0);
            let to = inner.iter().rposition(is_part).map_or(0, |to| to + 1);
            let word = inner.get(from..to).unwrap_or_default();
            Level::parse(word).is_some()
        };
        let is_prose = |word: &[u8]| word.iter().all(u8::is_ascii_lowercase);
        let is_message = words.clone().any(is_level) || words.filter(|w| is_prose(w)).count() > 1;
        let blanks = middle.iter().filter(|b| is_blank(**b)).count();
        (!is_message).then_some(Framing::OuterTime {
            blanks: u8::try_from(blanks).ok()?,
        })
    })
}

/// Syslog line in the form of RFC 5424 without its header.
fn host_line_5424(line: &[u8]) -> Option<UnframedLine<'_>> {
    line.iter().skip(1).take(4).find(|b| **b == b'>')?;
    let found = if_first(line, |b| *b == b'<', &HOST_LOG_5424)?.captures(line)?;
    let part = |at: usize| word(line, found.get(at));
    let (host, program, pid) = (part(1)?, part(2)?, part(3)?);
    let pid = match &*pid {
        "-" => String::new(),
        pid => format!("[{pid}]"),
    };
    Some(UnframedLine {
        line: uncoloured(without_cookie(tail(line, found.get(0)?.end()))),
        stream: None,
        sender: Some(Cow::Owned(format!("{host}/{program}{pid}"))),
        continues: false,
    })
}

/// Text of a syslog message without the cookie that announces an object (Common Event Expression).
fn without_cookie(message: &[u8]) -> &[u8] {
    let object = message.strip_prefix(b"@cee:");
    object.map_or(message, <[u8]>::trim_ascii_start)
}

/// Whether a line is evidently a record of a program: it begins with a time or states a level.
fn is_record(line: &[u8]) -> bool {
    detect_leading(line).is_some() || leading_level::level(line).is_some()
}

/// Longest text before an object, bytes; a longer text is a message.
const MAX_PREFIX: usize = 24;

/// Words before an object, if they contain neither a level nor anything variable.
fn constant_prefix(line: &[u8]) -> Option<&[u8]> {
    let at = memchr::memchr(b'{', line)?;
    let (constant_prefix, object) = line.split_at_checked(at)?;
    let is_constant = |b: &u8| b.is_ascii_alphabetic() || b" :@_-.>#|".contains(b);
    let words = constant_prefix.split(|b| !b.is_ascii_alphabetic());
    let good = (1..=MAX_PREFIX).contains(&at)
        && constant_prefix.iter().all(is_constant)
        && matches!(constant_prefix.last(), Some(b' ' | b':'))
        && constant_prefix.iter().any(|b| !b.is_ascii_whitespace())
        && !words.into_iter().any(|word| Level::parse(word).is_some())
        && walk(object, |_, _| {}).is_some();
    good.then_some(constant_prefix)
}

/// Program and, if there is one, its process id: `program[17]`.
pub fn split_pid(program: &str) -> (&str, Option<&str>) {
    let bare = program.strip_suffix(']');
    let split = bare.and_then(|p| p.rsplit_once('['));
    split.map_or((program, None), |(name, pid)| (name, Some(pid)))
}

fn tail(line: &[u8], at: usize) -> &[u8] {
    line.get(at..).unwrap_or_default()
}

fn word<'a>(line: &'a [u8], found: Option<regex::bytes::Match<'_>>) -> Option<Cow<'a, str>> {
    Some(String::from_utf8_lossy(line.get(found?.range())?))
}

/// Line without terminal colours.
fn uncoloured(line: &[u8]) -> Cow<'_, [u8]> {
    match memchr::memchr(0x1b, line) {
        None => Cow::Borrowed(line),
        Some(_) => Cow::Owned(without_colours(line)),
    }
}

/// Line in an object that has no other fields than the line, its stream, its time and attributes.
fn docker_object(line: &[u8]) -> Option<UnframedLine<'_>> {
    let (mut log, mut stream, mut time) = (None, None, false);
    let mut has_other_fields = false;
    let mut scratch = Vec::new();
    walk(line, |key, raw| match key {
        b"log" => log = matches!(raw, Raw::Text { .. }).then(|| text(raw, &mut scratch).to_vec()),
        b"stream" => {
            let mut own = Vec::new();
            stream = Some(String::from_utf8_lossy(text(raw, &mut own)).into_owned());
        }
        b"time" => time = true,
        other => has_other_fields |= !other.starts_with(b"attrs"),
    })?;
    let (mut log, stream) = (log?, stream?);
    if has_other_fields || !time || !matches!(stream.as_str(), "stdout" | "stderr") {
        return None;
    }
    let continues = log.pop_if(|last| *last == b'\n').is_none();
    log.pop_if(|last| *last == b'\r');
    let line = match memchr::memchr(0x1b, &log) {
        None => log,
        Some(_) => without_colours(&log),
    };
    Some(UnframedLine {
        line: Cow::Owned(line),
        stream: Some(Cow::Owned(stream)),
        sender: None,
        continues,
    })
}

/// Line whose carried texts of JSON objects are nested objects; `None` if there is no such text.
fn nested_texts(line: &[u8]) -> Option<Vec<u8>> {
    // An object in a text begins with a brace and an escaped quote.
    memchr::memmem::find(line, br"{\")?;
    if let Some(object) = decoded_object(line.trim_ascii()) {
        return Some(nested_texts(&object).unwrap_or(object));
    }
    let mut found: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let (mut scratch, mut has_template) = (Vec::new(), false);
    walk_at(line, |key, raw, span| {
        has_template |= key == b"template";
        let is_carried = || is_carrier(key.rsplit(|b| *b == b'.').next().unwrap_or(key));
        if matches!(raw, Raw::Text { escaped: true, .. }) && is_carried() {
            let inner = text(raw, &mut scratch).trim_ascii();
            let decoded = decoded_object(inner);
            let inner = decoded.as_deref().unwrap_or(inner);
            let mut has_fields = false;
            let is_object = inner.first() == Some(&b'{')
                && !inner.contains(&b'\n')
                && walk(inner, |_, _| has_fields = true).is_some();
            if is_object && has_fields {
                found.push((span, inner.to_vec()));
            }
        }
    })?;
    // The message of an exported record is a text, whatever it looks like.
    if found.is_empty() || has_template {
        return None;
    }
    let mut out = Vec::with_capacity(line.len());
    let mut from = 0;
    for (span, inner) in found {
        out.extend_from_slice(line.get(from..span.start)?);
        out.extend_from_slice(&inner);
        from = span.end;
    }
    out.extend_from_slice(tail(line, from));
    Some(out)
}

/// Maximum number of times that a text is decoded.
const MAX_ENCODINGS: usize = 3;

/// Object that a JSON string has as its text, encoded once or more.
fn decoded_object(literal: &[u8]) -> Option<Vec<u8>> {
    let mut text = literal.to_vec();
    for _ in 0..MAX_ENCODINGS {
        if !text.starts_with(b"\"") {
            break;
        }
        text = serde_json::from_slice::<String>(&text).ok()?.into_bytes();
    }
    let is_new = text.len() != literal.len();
    (is_new && text.starts_with(b"{") && !text.contains(&b'\n')).then_some(text)
}

/// Object with the fields of a record that a consumer of a topic printed, in the order of its options
/// `print.timestamp`, `print.partition`, `print.offset`, `print.headers`, `print.key`.
fn topic_record(line: &[u8]) -> Option<Vec<u8>> {
    let line = std::str::from_utf8(line).ok()?;
    let (time, mut rest) = match line.strip_prefix("NO_TIMESTAMP\t") {
        Some(rest) => ("null", rest),
        None => {
            let (time, rest) = ["CreateTime:", "LogAppendTime:"]
                .iter()
                .find_map(|kind| line.strip_prefix(kind))?
                .split_once('\t')?;
            time.parse::<u64>().ok()?;
            (time, rest)
        }
    };
    let mut object = format!(r#"{{"topic":null,"timestamp":{time}"#);
    for (label, name) in [("Partition:", "partition"), ("Offset:", "offset")] {
        let field = rest.strip_prefix(label).and_then(|r| r.split_once('\t'));
        let number = field.and_then(|(number, rest)| Some((number.parse::<u64>().ok()?, rest)));
        let shown = number.map_or("null".to_owned(), |(number, _)| number.to_string());
        object += &format!(r#","{name}":{shown}"#);
        rest = number.map_or(rest, |(_, rest)| rest);
    }
    if let Some((field, after)) = rest.split_once('\t') {
        let headers = topic_headers(field).filter(|_| after.contains('\t'));
        if let Some(headers) = &headers {
            object += &format!(r#","headers":{}"#, serde_json::to_string(headers).ok()?);
        }
        if headers.is_some() || field == "NO_HEADERS" {
            rest = after;
        }
    }
    // A text before another tab is the key; a value may have tabs, too, but begins with a brace then.
    let is_key = |key: &str| !key.starts_with('{') || walk(key.as_bytes(), |_, _| {}).is_some();
    if let Some((key, value)) = rest.split_once('\t').filter(|(key, _)| is_key(key)) {
        if key != "null" {
            object += &format!(r#","key":{}"#, serde_json::to_string(key).ok()?);
        }
        rest = value;
    }
    let decoded = decoded_object(rest.as_bytes());
    let value = decoded.as_deref().unwrap_or(rest.as_bytes());
    let mut object = (object + r#","value":"#).into_bytes();
    match value.first() == Some(&b'{') && walk(value, |_, _| {}).is_some() {
        true => object.extend_from_slice(value),
        false => object.extend_from_slice(serde_json::to_string(rest).ok()?.as_bytes()),
    }
    object.push(b'}');
    Some(object)
}

/// Headers of a record of a topic, as a console consumer prints them: `run:r1,trace:abc1`.
fn topic_headers(text: &str) -> Option<BTreeMap<&str, &str>> {
    let is_name = |name: &str| {
        let is_in_names = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !name.is_empty() && name.chars().all(is_in_names)
    };
    let pairs = text.split(',').map(|pair| pair.split_once(':'));
    pairs
        .map(|pair| pair.filter(|(name, _)| is_name(name)))
        .collect()
}

/// Line in an object with the fields of a journal entry.
fn journal_entry(line: &[u8]) -> Option<UnframedLine<'_>> {
    let mut fields: [Option<Vec<u8>>; 4] = [const { None }; 4];
    let (mut moment, mut scratch) = (false, Vec::new());
    walk(line, |key, raw| {
        let at = match key {
            b"MESSAGE" => 0,
            b"_HOSTNAME" => 1,
            // The name that the program gave itself.
            own if own.ends_with(b"_IDENTIFIER") => 2,
            b"_PID" => 3,
            b"__REALTIME_TIMESTAMP" => return moment = true,
            _ => return,
        };
        if matches!(raw, Raw::Text { .. })
            && let Some(field) = fields.get_mut(at)
        {
            *field = Some(text(raw, &mut scratch).to_vec());
        }
    })?;
    let [message, host, program, pid] = fields;
    let (message, program) = (message.filter(|_| moment)?, program?);
    let part = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let pid = pid.map(|pid| format!("[{}]", part(&pid)));
    let host = part(&host.unwrap_or_default());
    let sender = format!("{host}/{}{}", part(&program), pid.unwrap_or_default());
    let line = match memchr::memchr(0x1b, &message) {
        None => message,
        Some(_) => without_colours(&message),
    };
    Some(UnframedLine {
        line: Cow::Owned(line),
        stream: None,
        sender: Some(Cow::Owned(sender)),
        continues: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn around(framing: Framing, line: &str) -> String {
        match framing {
            Framing::DockerJson => {
                let log = serde_json::to_string(&format!("{line}\n")).unwrap();
                format!(
                    r#"{{"log":{log},"stream":"stderr","time":"2026-11-21T02:16:10.000000001Z"}}"#
                )
            }
            Framing::Cri => format!("2026-11-21T02:16:10.5+01:00 stderr F {line}"),
            Framing::Timestamp => format!("2026-11-21T02:16:10.000000001Z {line}"),
            Framing::PodPrefix => format!("[pod/a-7f/worker] {line}"),
            Framing::ComposePrefix => format!("\u{1b}[36mworker-1  |\u{1b}[0m {line}"),
            Framing::HostLog => format!("Nov 21 02:16:10 host worker[17]: {line}"),
            Framing::JournalJson => {
                let line = serde_json::to_string(line).unwrap();
                format!(
                    r#"{{"__REALTIME_TIMESTAMP":"1795226458258309","_HOSTNAME":"host","SYSLOG_IDENTIFIER":"worker","_PID":"17","MESSAGE":{line}}}"#
                )
            }
            Framing::ConstantPrefix
            | Framing::TopicConsumer
            | Framing::OuterTimestamp
            | Framing::OuterTime { .. }
            | Framing::StampedRecords(_)
            | Framing::JsonText => {
                unreachable!("hold some lines only")
            }
            Framing::Colours => format!("\u{1b}[32m{line}\u{1b}[0m"),
        }
    }

    #[test]
    fn the_same_words_before_objects_are_taken_off() {
        let lines = [
            r#":::MLLOG {"time_ms": 1603468037631, "key": "eval_stop"}"#,
            r#":::MLLOG {"time_ms": 1603468037632, "key": "eval_start"}"#,
        ];
        let lines = lines.map(str::as_bytes);
        assert_eq!(Framing::detect(&lines), Some(Framing::ConstantPrefix));
        let unframed = Framing::ConstantPrefix.unframe(lines[0]).unwrap();
        assert!(unframed.line.starts_with(b"{\"time_ms\""));
        for pair in [
            [r#"sent {"t": 1}"#, r#"received {"t": 2}"#],
            [r#"ERROR {"t": 1}"#, r#"ERROR {"t": 2}"#],
            [r#"17 {"t": 1}"#, r#"17 {"t": 2}"#],
            [r#"{"t": 1}"#, r#"{"t": 2}"#],
            ["take {", "take {"],
        ] {
            assert_eq!(Framing::detect(&pair.map(str::as_bytes)), None, "{pair:?}");
        }
    }

    #[test]
    fn the_time_stays_before_records_without_one() {
        let framing = Framing::Cri.of_stamped_records().unwrap();
        let unframed = |line: &str| {
            let line = format!("2023-02-15T10:00:01.1Z stdout F {line}");
            String::from_utf8(framing.unframe(line.as_bytes()).unwrap().line.to_vec()).unwrap()
        };
        assert_eq!(
            unframed("fail: App[0]"),
            "2023-02-15T10:00:01.1Z fail: App[0]"
        );
        assert_eq!(unframed("      lost"), "      lost");
        assert_eq!(Framing::PodPrefix.of_stamped_records(), None);
    }

    #[test]
    fn texts_of_objects_become_nested_objects() {
        let kafka =
            r#"{"offset": 5, "value": "{\"task\": 7, \"note\": \"a \\\"b\\\"\"}", "key": null}"#;
        let nested = r#"{"offset": 5, "value": {"task": 7, "note": "a \"b\""}, "key": null}"#;
        let plain = r#"{"offset": 6, "value": "task 7", "key": null}"#;
        let lines = [plain, kafka].map(str::as_bytes);
        // Encoded twice, in a field and as the whole line.
        let twice = r#"{"offset": 5, "value": "\"{\\\"task\\\": 7}\""}"#;
        for (line, object) in [
            (twice, r#"{"offset": 5, "value": {"task": 7}}"#),
            (r#""{\"task\": 7}""#, r#"{"task": 7}"#),
            (
                r#""{\"value\": \"{\\\"task\\\": 7}\"}""#,
                r#"{"value": {"task": 7}}"#,
            ),
        ] {
            assert_eq!(Framing::detect(&[line.as_bytes()]), Some(Framing::JsonText));
            let unframed = Framing::JsonText.unframe(line.as_bytes()).unwrap();
            assert_eq!(String::from_utf8_lossy(&unframed.line), object);
        }
        assert_eq!(
            Framing::JsonText.unframe(br#""a text with {\"braces\"}""#),
            None
        );
        assert_eq!(Framing::detect(&lines), Some(Framing::JsonText));
        let unframed = |line: &str| {
            let unframed = Framing::JsonText.unframe(line.as_bytes())?;
            Some(String::from_utf8_lossy(&unframed.line).into_owned())
        };
        assert_eq!(unframed(kafka).as_deref(), Some(nested));
        assert_eq!(unframed(plain), None);
        // Within other objects, with the line end of the program.
        let deep = r#"{"event": {"Log": "{\"a\": 1}\n"}, "id": 1}"#;
        assert_eq!(
            unframed(deep).as_deref(),
            Some(r#"{"event": {"Log": {"a": 1}}, "id": 1}"#)
        );
        // No object, an empty one, one with more behind it, an object in a field of the program's own.
        for text in [
            r#"{"value": "{\"a"}"#,
            r#"{"value": "{}"}"#,
            r#"{"value": "{\"a\": 1} and"}"#,
            r#"{"arguments": "{\"a\": 1}"}"#,
        ] {
            assert_eq!(unframed(text), None, "{text}");
        }
    }

    #[test]
    fn records_of_topics_become_objects() {
        for (fields, object) in [
            (
                "Partition:2\tOffset:17\trun-7\ttask 7\tdone",
                r#""partition":2,"offset":17,"key":"run-7","value":"task 7\tdone""#,
            ),
            (
                "Partition:2\tOffset:17\t{\"a\":\t1}",
                r#""partition":2,"offset":17,"value":{"a":	1}"#,
            ),
            (
                r#""{\"a\": 1}""#,
                r#""partition":null,"offset":null,"value":{"a": 1}"#,
            ),
            (
                "Partition:1\tOffset:101\trun:r1,trace:abc1\tk-1\t{\"a\": 1}",
                r#""partition":1,"offset":101,"headers":{"run":"r1","trace":"abc1"},"key":"k-1","value":{"a": 1}"#,
            ),
            (
                "NO_HEADERS\tnull\t{\"a\": 1}",
                r#""partition":null,"offset":null,"value":{"a": 1}"#,
            ),
            (
                "{\"id\": 7}\t{\"a\": 1}",
                r#""partition":null,"offset":null,"key":"{\"id\": 7}","value":{"a": 1}"#,
            ),
            (
                "{no object",
                r#""partition":null,"offset":null,"value":"{no object""#,
            ),
        ] {
            let object = format!(r#"{{"topic":null,"timestamp":1795226317864,{object}}}"#);
            for kind in ["CreateTime", "LogAppendTime"] {
                let line = format!("{kind}:1795226317864\t{fields}");
                assert_eq!(
                    Framing::detect(&[line.as_bytes()]),
                    Some(Framing::TopicConsumer)
                );
                let unframed = Framing::TopicConsumer.unframe(line.as_bytes()).unwrap();
                assert_eq!(String::from_utf8_lossy(&unframed.line), object);
            }
        }
        let undated = Framing::TopicConsumer
            .unframe(b"NO_TIMESTAMP\tPartition:0\t{\"ts\": 5}")
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&undated.line),
            r#"{"topic":null,"timestamp":null,"partition":0,"offset":null,"value":{"ts": 5}}"#
        );
        for line in [
            "CreateTime:soon\ttask",
            "CreateTime:1795226317864",
            "Offset:5\ttask",
        ] {
            assert_eq!(
                Framing::TopicConsumer.unframe(line.as_bytes()),
                None,
                "{line}"
            );
        }
    }

    #[test]
    fn a_stamp_is_taken_off_where_lines_have_one_of_their_own() {
        let inner = "2023-01-30 13:44:00,002 - distributed.nanny - INFO - Start";
        for outer in [
            "2023-01-30T14:44:00.681+01:00 ",
            "2023-01-30T14:44:00.681+01:00\t",
            "\t2023-01-30T14:44:00+01:00\t",
            "2023-01-30T13:44:00.681Z ",
        ] {
            let lines = [inner, "    at below", inner].map(|line| format!("{outer}{line}"));
            let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            assert_eq!(
                Framing::detect(&lines),
                Some(Framing::OuterTimestamp),
                "{outer}"
            );
            let unframed = Framing::OuterTimestamp.unframe(lines[0]).unwrap();
            assert_eq!(&*unframed.line, inner.as_bytes());
        }
        for (outer, blanks) in [
            ("[2023-01-30T13:44:00.681Z] ", 1),
            ("Jan 30 13:44:00 ", 1),
            ("13:44:00  ", 2),
            ("2023-01-30T13:44:00.681+00:00 app[web.1]: ", 2),
            ("2023-01-30T13:44:00Z {app=\"x\", pod=\"x-0\"} ", 3),
            ("2023-01-30T13:44:00.681Z 00O ", 2),
        ] {
            let lines = [inner, "    at below", inner].map(|line| format!("{outer}{line}"));
            let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            let framing = Framing::OuterTime { blanks };
            assert_eq!(Framing::detect(&lines), Some(framing), "{outer}");
            let unframed = framing.unframe(lines[1]).unwrap();
            assert_eq!(&*unframed.line, b"    at below", "{outer}");
        }
        for line in [
            "2023-01-30 13:44:00,002 INFO at 2023-01-30 13:44:00 it began",
            "2023-01-30 13:44:00,002 job began at 2023-01-30 13:44:00 here",
            "2023-01-30 13:44:00,002 app: next run is at 2023-01-30 19:48:00 then",
        ] {
            assert_eq!(Framing::detect(&[line.as_bytes(); 3]), None, "{line}");
        }
        // A clock without a date repeats that of the framing.
        for (line, framing) in [
            (
                "2021-06-01T06:01:07.4+02:00 E0601 04:01:07.4 1 a.go:7] it",
                Some(Framing::OuterTimestamp),
            ),
            (
                "2021-06-01T06:01:07.4 E0601 06:01:07.4 1 a.go:7] it",
                Some(Framing::OuterTimestamp),
            ),
            ("2021-06-01T06:01:07.4 E0601 05:01:07.4 1 a.go:7] it", None),
            ("2021-06-01T06:01:07.4Z took 06:11:09 in all", None),
            ("2023-01-30T14:44:00.681+01:00 INFO started", None),
        ] {
            assert_eq!(Framing::detect(&[line.as_bytes(); 3]), framing, "{line}");
        }
    }

    proptest! {
        #[test]
        fn unframing_returns_the_original_lines(lines in proptest::collection::vec("[^\\x00-\\x1f]{0,40}", 1..30)) {
            for framing in ALL.into_iter().filter(|e| {
                !matches!(e, Framing::JsonText | Framing::TopicConsumer | Framing::ConstantPrefix | Framing::OuterTimestamp | Framing::OuterTime { .. })
            }) {
                let packed: Vec<String> = lines.iter().map(|l| around(framing, l)).collect();
                let packed: Vec<&[u8]> = packed.iter().map(String::as_bytes).collect();
                for (line, packed) in lines.iter().zip(&packed) {
                    let unframed = framing.unframe(packed).unwrap();
                    prop_assert_eq!(&*unframed.line, line.as_bytes());
                    prop_assert!(!unframed.continues);
                }
                prop_assert_eq!(Framing::detect(&packed), Some(framing));
            }
        }
    }

    #[test]
    fn usual_logs_have_no_framing() {
        for line in [
            "2026-11-21 02:16:10,123 - app - INFO - started",
            "2026-11-21T02:16:10Z INFO started",
            "INFO | 2026-11-21 02:16:10 | started",
            "2026-11-21 02:16:10.365 | INFO     | app:f:4 - met",
            "[job 17] started",
            r#"{"time":"2026-11-21T02:16:10Z","log":"x"}"#,
            r#"{"time":"2026-11-21T02:16:10Z","log":"x","stream":"stdout","user":"a"}"#,
            "| a | b |",
            "17 | 2026-11-21 02:16:10 started",
            "",
        ] {
            assert_eq!(Framing::detect(&[line.as_bytes(); 3]), None, "{line}");
        }
    }

    #[test]
    fn sender_and_stream_are_reported() {
        let unframe = |e: Framing, line: &'static str| e.unframe(line.as_bytes()).unwrap();
        let unframed = unframe(Framing::Cri, "2026-11-21T02:16:10.5Z stdout P half a");
        assert_eq!(unframed.stream.as_deref(), Some("stdout"));
        assert!(unframed.continues);
        let unframed = unframe(
            Framing::PodPrefix,
            "[pod/a-7f/worker] 2026-11-21T02:16:10.123456789Z x",
        );
        assert_eq!(unframed.sender.as_deref(), Some("a-7f/worker"));
        assert_eq!(&*unframed.line, b"x");
        for (line, rest) in [
            (
                "10:00:00 web.1    | 2023-02-15 10:00:00,123 x",
                "2023-02-15 10:00:00,123 x",
            ),
            ("10:00:00 web.1    | x", "10:00:00 x"),
        ] {
            let unframed = unframe(Framing::ComposePrefix, line);
            assert_eq!(unframed.sender.as_deref(), Some("web.1"));
            assert_eq!(&*unframed.line, rest.as_bytes());
        }
        let unframed = unframe(
            Framing::HostLog,
            "<14>1 2026-11-21T02:16:10.5Z host worker 17 ID4 [a@1 b=\"c\"] 2026-11-21 02:16:10,123 x",
        );
        assert_eq!(unframed.sender.as_deref(), Some("host/worker[17]"));
        assert_eq!(&*unframed.line, b"2026-11-21 02:16:10,123 x");
        let unframed = unframe(Framing::ComposePrefix, "worker-1  | x | y");
        assert_eq!(unframed.sender.as_deref(), Some("worker-1"));
        assert_eq!(&*unframed.line, b"x | y");
    }
}
