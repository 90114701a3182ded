//! Layouts guessed from the lines of a source: a time or a level, and the parts before and after it.

use std::ops::Range;
use std::sync::Arc;

use widetui_core::level::Level;
use widetui_time::time::NS_PER_SECOND;
use widetui_time::timeparse::{
    Stamp, StampZone, TimePattern, detect_leading, detect_within, is_plausible,
};

use crate::catalog::keys::Keys;
use crate::detect::header;
use crate::detect::prefix::before_time;
use crate::layout::Layout;
use crate::pattern::Spans;
use crate::sample::Sample;
use crate::sample::field_plausibility::fields_are_plausible;
use crate::sample::headers::Header;
use crate::text::colours::{is_coloured, with_colours, without_colours};
use crate::text::header_words::word_at;

/// Name of guessed layouts of lines that start with a level.
pub(crate) const LEVEL_ALONE: &str = "level";

/// Minimum number of lines that start with a level to guess a layout.
const MIN_LEVELS: usize = 5;

/// Number of lines in which a time is looked for.
const SAMPLED_LINES: usize = 100;

/// Maximum length of a number after a name in a header, with its delimiters, bytes.
const MAX_NUMBER: usize = 12;

/// Beginning of lines up to the end of their time.
struct TimeHead<'a> {
    /// Pattern of the beginning.
    pattern: String,
    /// Rest of each line after the time.
    rests: Vec<&'a [u8]>,
    /// Whether the time has no date.
    is_time_of_day: bool,
}

/// Time at the beginning of some lines, and the text of those lines from the time on.
struct TimeGroup<'a> {
    lead: &'a [u8],
    time: &'static TimePattern,
    close: &'static str,
    lines: Vec<&'a [u8]>,
}

impl<'a> TimeGroup<'a> {
    /// Rest of a line that begins with such a time.
    fn rest(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let (time, len) = self.time.parse_prefix(line)?;
        let rest = line.get(len..)?.strip_prefix(self.close.as_bytes())?;
        // In a table of numbers, some values are as large as epoch times.
        if is_number(self.time) && !is_plausible(&time) {
            return None;
        }
        let ends = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
        (ends || !self.close.is_empty()).then_some(rest)
    }
}

/// Whether a time is written as a single number.
fn is_number(time: &TimePattern) -> bool {
    time.spec().starts_with("epoch")
}

/// True if a number is a time by its fraction, and as the first of a list: `[0] app.log: [1539963152.000347547, {..}]`.
fn is_listed_epoch(line: &[u8], stamp: &Stamp, at: Range<usize>) -> bool {
    let before = line.get(..at.start).unwrap_or_default();
    let is_first = matches!(before, [_, .., b'[']) && line.get(at.end) == Some(&b',');
    is_first && stamp.resolution_ns < NS_PER_SECOND
}

/// Whether times of a pattern have a date.
fn has_date(time: &TimePattern) -> bool {
    let spec = time.spec();
    !spec.starts_with('%')
        || ["%d", "%e", "%-d", "%j", "%s"]
            .iter()
            .any(|day| spec.contains(day))
}

/// Distinct beginnings of first lines of records, up to their time.
fn time_heads<'a>(own: &[&'a [u8]]) -> Vec<TimeHead<'a>> {
    let mut all: Vec<TimeGroup<'a>> = Vec::new();
    for line in own.iter().copied() {
        let Some((time, _, start, end)) = detect_leading(line) else {
            continue;
        };
        // A number alone on its line can be anything.
        let after = line.get(end..).unwrap_or_default();
        if is_number(time) && after.trim_ascii().is_empty() {
            continue;
        }
        let (lead, rest) = line.split_at_checked(start).unwrap_or_default();
        let close = closing(line, start, end);
        let same = |l: &&mut TimeGroup<'_>| {
            l.lead == lead && l.close == close && std::ptr::eq(l.time, time)
        };
        match all.iter_mut().find(same) {
            Some(known) => known.lines.push(rest),
            None => all.push(TimeGroup {
                lead,
                time,
                close,
                lines: vec![rest],
            }),
        }
    }
    let head = |of: &TimeGroup<'a>| {
        let lead = String::from_utf8_lossy(of.lead)
            .replace('{', "{{")
            .replace('}', "}}");
        // A date that is ambiguous in one line (day or month first) is settled by the other lines.
        let alike = all
            .iter()
            .filter(|o| o.lead == of.lead && o.close == of.close);
        let lines = alike.flat_map(|other| &other.lines);
        TimeHead {
            is_time_of_day: !has_date(of.time),
            pattern: format!("{lead}{{time:{}}}{}", of.time.spec(), of.close),
            rests: lines.filter_map(|line| of.rest(line)).collect(),
        }
    };
    all.iter().map(head).collect()
}

/// Longest text before the time of a line that is taken literally, bytes.
const MAX_LITERAL: usize = 48;

/// Number of words before a time, in brackets or after a sign, of a sentence: `Superblock last write time (Mon Jun 11 ..`.
const SENTENCE_WORDS: usize = 3;

/// Words before a date that is not that of a record: of a build, a release, a work.
const BANNERS: [&str; 10] = [
    "built ",
    "build date",
    "build time",
    "build:",
    "compiled",
    "copyright",
    "(c) ",
    "released",
    "release date",
    "(default, ",
];

/// True if a text before a date announces the build or the release of a program: `python_version: 3.9.2 (default, `.
fn is_banner(lead: &[u8]) -> bool {
    let lead = String::from_utf8_lossy(lead).to_ascii_lowercase();
    // `3.9.2`, but no address.
    let is_version = |word: &str| {
        let parts = word.trim_start_matches('v').split('.');
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        (2..=3).contains(&parts.clone().count()) && parts.into_iter().all(is_number)
    };
    let words = lead.split(|c: char| c.is_whitespace() || "(),;:'\"[]".contains(c));
    let has_version = || words.into_iter().any(is_version);
    BANNERS.iter().any(|banner| lead.contains(banner))
        || has_version() && (lead.contains("version") || lead.trim_end().ends_with('('))
}

/// True if a layout reads the zone behind the time of a line as the start of the message: `10:00:00.123456+01:00 [info] x`.
fn drops_zone(layout: &Layout, line: &[u8], header: &Header) -> bool {
    let time = layout.pattern.field("time");
    let own = header.parts.time;
    let is_local = own.is_some_and(|time| time.zone == StampZone::Local);
    let end = time.and_then(|time| header.spans.get(time));
    let end = end.map(|time| time.end);
    let rest = end.filter(|_| is_local).and_then(|end| line.get(end..));
    let rest = rest.map(|rest| rest.strip_prefix(b" ").unwrap_or(rest));
    let is_digit = |b: &u8| b.is_ascii_digit();
    match rest {
        Some([b'+' | b'-', digits @ ..]) => {
            let hours = digits.iter().take_while(|b| is_digit(b)).count();
            let minutes = match digits.get(hours..) {
                Some([b':', minutes @ ..]) => minutes.iter().take_while(|b| is_digit(b)).count(),
                _ => 0,
            };
            matches!((hours, minutes), (4, 0) | (2, 2))
        }
        _ => false,
    }
}

/// First time within a line, see [`detect_within`], that may be that of a record.
fn time_within(line: &[u8]) -> Option<(&'static TimePattern, Stamp, usize, usize)> {
    detect_within(line).filter(|found| line.get(..found.2).is_some_and(|lead| !is_banner(lead)))
}

/// Pattern of a time and the exact text before it in a line.
pub(crate) fn literal_head(line: &[u8]) -> Option<String> {
    let (time, _, start, end) = detect_leading(line).or_else(|| time_within(line))?;
    let lead = std::str::from_utf8(line.get(..start)?).ok()?;
    // Text that differs from line to line could not be found again, and words before a time are a sentence.
    let ends_in_word = lead
        .trim_end()
        .ends_with(|last: char| last.is_alphanumeric());
    let words = lead.split(' ');
    let words =
        words.filter(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic()));
    let is_sentence = ends_in_word || words.clone().count() >= SENTENCE_WORDS;
    let is_level = |word: &str| {
        let is_capital = word.len() > 2 && word.bytes().all(|b| b.is_ascii_uppercase());
        is_capital && Level::parse(word.as_bytes()).is_some()
    };
    // Other lines have other levels.
    if words.clone().any(is_level) && head_with_fields(line).is_some() {
        return None;
    }
    // Text in quotes is a value, except in an object that is no JSON, or if the time is the value: `time="2026-..`.
    let is_value = lead.ends_with("=\"") && lead.matches('"').count() == 1;
    let is_quoted = lead.contains('"') && !lead.starts_with('{') && !is_value;
    if lead.len() > MAX_LITERAL
        || is_sentence
        || is_quoted
        || lead.bytes().any(|b| b.is_ascii_digit())
    {
        return None;
    }
    let lead = lead.replace('{', "{{").replace('}', "}}");
    let close = closing(line, start, end);
    Some(format!("{lead}{{time:{}}}{close}{{message}}", time.spec()))
}

/// Pattern of a time and the fields of the text in brackets before it in a line: `({component} pid={pid:int}) `.
pub(crate) fn head_with_fields(line: &[u8]) -> Option<String> {
    let (time, stamp, start, end) = time_within(line)?;
    let lead = line.get(..start)?;
    let first = word_at((line, 0));
    let is_capital = first.len() > 2 && first.iter().all(u8::is_ascii_uppercase);
    let is_level = is_capital && Level::parse(first).is_some();
    let is_bracketed = matches!(lead.first(), Some(b'(' | b'[')) || is_level;
    let (_, before) = before_time(&[lead, lead])
        .filter(|_| is_bracketed && stamp.date && start <= MAX_LITERAL)?;
    let close = closing(line, start, end);
    Some(format!(
        "{before}{{time:{}}}{close}{{message}}",
        time.spec()
    ))
}

/// Closing bracket after a time for the bracket that was opened before it: `[2026-..]`, `[agent 2026-..]`.
fn closing(line: &[u8], start: usize, end: usize) -> &'static str {
    let mut open: Vec<u8> = Vec::new();
    for byte in line.iter().take(start.min(MAX_LITERAL)) {
        match byte {
            b'[' | b'(' | b'<' => open.push(*byte),
            b']' | b')' | b'>' => drop(open.pop()),
            _ => {}
        }
    }
    match (open.last(), line.get(end)) {
        (Some(b'['), Some(b']')) => "]",
        (Some(b'('), Some(b')')) => ")",
        (Some(b'<'), Some(b'>')) => ">",
        _ => "",
    }
}

impl<'a> Sample<'a> {
    /// Layouts of a time with any text before and after it, if most lines that are not indented start with one: first a
    /// layout with all header parts that can be recognised, if there are any, then one that reads the remaining lines.
    /// `is_writer` recognises some logger names.
    pub(crate) fn guessed_layouts(
        &self,
        keys: &Keys,
        is_writer: &dyn Fn(&[u8]) -> bool,
    ) -> Vec<Layout> {
        if self.lines.iter().any(|line| is_coloured(line)) {
            return self.guessed_coloured(keys, is_writer);
        }
        let own = self.first_lines();
        let heads = time_heads(own.get(..SAMPLED_LINES).unwrap_or(&own));
        // The first of those that the most lines have.
        let most = heads.iter().map(|head| head.rests.len()).max();
        let found = most.unwrap_or(0);
        let first = heads.iter().find(|head| head.rests.len() == found);
        // All lines may be indented: a number padded with blanks comes first.
        let own = match own.len() * 2 < self.lines.len() {
            true => self.lines.clone(),
            false => own,
        };
        // A complete time after a time of day is that of the program's own record: `10:00:00 web.1 | 2026-11-21 10:00:00,123`.
        let is_time_of_day = first.is_some_and(|head| head.is_time_of_day);
        let more_than = if is_time_of_day { 0 } else { found };
        if (is_time_of_day || found * 2 < own.len().min(SAMPLED_LINES))
            && let Some(head) = self.head_within(&own, more_than)
            && (!is_time_of_day || !head.is_time_of_day)
        {
            return self.layouts_of_head(&head, keys, is_writer);
        }
        // In a log, numbers that are times start most lines.
        let is_rare = found * 2 < own.len().min(SAMPLED_LINES);
        let first = first.filter(|head| !(is_rare && head.pattern.contains("{time:epoch")));
        match first {
            None => self.level_layout(keys).into_iter().collect(),
            Some(_) if found < 2 && self.lines.len() > 2 => Vec::new(),
            Some(head) => self.layouts_of_head(head, keys, is_writer),
        }
    }

    /// Sample of the lines outside some layouts that begin with a date and a time of day and are not indented.
    pub(crate) fn stamped_lines_outside(&self, layouts: &[Arc<Layout>]) -> Sample<'a> {
        let is_stamped = |line: &[u8]| {
            let found = detect_leading(line).or_else(|| time_within(line));
            found.is_some_and(|(time, stamp, start, end)| {
                stamp.date
                    && stamp.resolution_ns <= NS_PER_SECOND
                    && start <= MAX_LITERAL
                    && (!is_number(time) || is_listed_epoch(line, &stamp, start..end))
            })
        };
        let lines = self.lines.iter().copied().filter(|line| {
            !line.starts_with(b" ")
                && !line.starts_with(b"\t")
                && !layouts.iter().any(|layout| {
                    let header = self.header(layout, line);
                    header.is_some_and(|header| !drops_zone(layout, line, &header))
                })
                && is_stamped(&without_colours(line))
        });
        Sample::of_lines(lines.collect())
    }

    /// Layouts of lines with this beginning.
    fn layouts_of_head(
        &self,
        head: &TimeHead<'a>,
        keys: &Keys,
        is_writer: &dyn Fn(&[u8]) -> bool,
    ) -> Vec<Layout> {
        let Some((all, loose)) = self.after_head(&head.pattern, keys) else {
            return Vec::new();
        };
        let parts = header::after_time(&head.rests, is_writer);
        let compile = |pattern: String| Layout::compile("time", &pattern, keys).ok();
        let fine = match parts.is_empty() {
            true => None,
            false => compile(format!("{}{parts}{{message}}", head.pattern)),
        };
        let mut layouts = match fine.map(|fine| (self.count(&fine), fine)) {
            Some((count, fine)) if count == all => vec![fine],
            Some((count, fine)) if count * 2 > all => {
                let numbered = self.numbered_name(head, &parts).and_then(compile);
                [Some(fine), numbered, Some(loose)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            _ => vec![loose],
        };
        // Other lines may have the time and no further part of the header; a number alone does not count as a time.
        let blank = head.rests.iter().all(|rest| rest.first() == Some(&b' '));
        let bare = format!(
            "{}{}{{message}}",
            head.pattern,
            if blank { " " } else { "" }
        );
        let is_new = layouts.iter().all(|l| l.pattern.source != bare);
        if is_new && !head.pattern.contains("{time:epoch") {
            layouts.extend(compile(bare));
        }
        layouts
    }

    /// Pattern of the lines with a number after the only name of the header, if most have none: `engine *64 - ` beside
    /// `engine - `, `engine[17]: ` beside `engine: `.
    fn numbered_name(&self, head: &TimeHead<'a>, parts: &str) -> Option<String> {
        let (before, field) = parts.split_once('{')?;
        let (field, after) = field.split_once('}')?;
        let time = Layout::compile(
            "time",
            &format!("{}{{message}}", head.pattern),
            &Keys::default(),
        );
        let time = time.ok()?;
        let mut spans = Spans::new();
        let number = self.lines.iter().find_map(|line| {
            let header = time.matches(line, &mut spans)?;
            let rest = header.message_of(line).strip_prefix(before.as_bytes())?;
            let rest = rest.get(word_at((rest, 0)).len()..)?;
            let number = rest.get(..memchr::memmem::find(rest, after.as_bytes())?)?;
            let is_number = number.iter().any(u8::is_ascii_digit)
                && number.len() <= MAX_NUMBER
                && !number
                    .iter()
                    .any(|b| b.is_ascii_alphabetic() || b"{}".contains(b));
            is_number.then(|| String::from_utf8_lossy(number))
        })?;
        let digits = |c: char| c.is_ascii_digit();
        let (opening, rest) = number.split_at(number.find(digits)?);
        let closing = rest.trim_start_matches(digits);
        let is_plain = !field.contains(':') && !after.is_empty() && !after.contains('{');
        let name = if opening == "[" { "pid" } else { "" };
        let pattern = format!(
            "{}{before}{{{field}}}{opening}{{{name}:int}}{closing}{after}{{message}}",
            head.pattern
        );
        is_plain.then_some(pattern)
    }

    /// As [`guessed_layouts`](Self::guessed_layouts), for lines with terminal colours.
    fn guessed_coloured(&self, keys: &Keys, is_writer: &dyn Fn(&[u8]) -> bool) -> Vec<Layout> {
        let plain: Vec<Vec<u8>> = self.lines.iter().map(|l| without_colours(l)).collect();
        let plain = Sample::of_lines(plain.iter().map(Vec::as_slice).collect());
        let guessed = plain.guessed_layouts(keys, is_writer).into_iter();
        let with = guessed.filter_map(|l| with_colours(&l.pattern.source));
        let compiled = with.map(|pattern| Layout::compile("time", &pattern, keys));
        compiled.filter_map(Result::ok).collect()
    }

    /// Lines that are probably the first of a record, before a layout is known: lines without indentation, or all lines
    /// if only indented ones have times. Times in quotes are values in a document of several lines.
    fn first_lines(&self) -> Vec<&'a [u8]> {
        let indented = |l: &&&[u8]| l.starts_with(b" ") || l.starts_with(b"\t");
        let timed = |lines: &mut dyn Iterator<Item = &&'a [u8]>| {
            let lines = lines.take(SAMPLED_LINES);
            let has = |l: &&&[u8]| {
                let lead = detect_leading(l).and_then(|at| l.get(..at.2));
                lead.is_some_and(|lead| !lead.contains(&b'"'))
            };
            lines.filter(has).count()
        };
        let all = self.lines.iter();
        let (inner, outer) = (
            timed(&mut all.clone().filter(indented)),
            timed(&mut all.clone().filter(|l| !indented(l))),
        );
        let own = all.filter(|l| !indented(l)).copied();
        let own: Vec<&[u8]> = own.collect();
        match inner > outer && inner > own.len() {
            true => self.lines.clone(),
            false => own,
        }
    }

    /// Beginning of lines whose time follows other parts of the header; `None` if it is not shared by 60 % of the
    /// lines, or by at most `more_than` of them.
    fn head_within(&self, own: &[&'a [u8]], more_than: usize) -> Option<TimeHead<'a>> {
        let own = own.get(..SAMPLED_LINES).unwrap_or(own);
        let found = own.iter().filter_map(|line| {
            let (pattern, stamp, start, end) = time_within(line)?;
            Some((pattern.spec(), *line, start, end, stamp.date))
        });
        let found: Vec<_> = found.collect();
        let count = |spec: &str| found.iter().filter(|f| f.0 == spec).count();
        let spec = found.iter().map(|f| f.0).max_by_key(|spec| count(spec))?;
        let fit = found.iter().filter(|f| f.0 == spec);
        let fit: Vec<_> = fit.collect();
        let texts = fit.iter().filter_map(|f| f.1.get(..f.2));
        let texts: Vec<&[u8]> = texts.collect();
        let (alike, before) = before_time(&texts)?;
        if alike.len() * 10 < own.len() * 6 || alike.len() <= more_than {
            return None;
        }
        let (_, line, start, end, _) = fit.get(*alike.first()?)?;
        let close = closing(line, *start, *end);
        let rests = alike.iter().filter_map(|at| {
            let (_, line, _, end, _) = fit.get(*at)?;
            line.get(*end..)?.strip_prefix(close.as_bytes())
        });
        Some(TimeHead {
            is_time_of_day: found.iter().any(|f| f.0 == spec && !f.4),
            pattern: format!("{before}{{time:{spec}}}{close}"),
            rests: rests.collect(),
        })
    }

    /// Layout of a time and the header part after it that most lines have, with the number of lines.
    fn after_head(&self, head: &str, keys: &Keys) -> Option<(usize, Layout)> {
        // The level may follow directly, with or without brackets.
        let tries = [
            format!("{head} [{{level}}] {{message}}"),
            format!("{head} {{level}}: {{message}}"),
            format!("{head} {{level}} {{message}}"),
            format!("{head} - {{level}} - {{message}}"),
            format!("{head}: {{message}}"),
            format!("{head} {{message}}"),
            format!("{head}\t{{message}}"),
            format!("{head}{{message}}"),
        ];
        let compiled = |pattern: &String| Layout::compile("time", pattern, keys).ok();
        let mut best: Option<(usize, Layout)> = None;
        for layout in tries.iter().filter_map(compiled) {
            let count = self.count(&layout);
            if count > best.as_ref().map_or(0, |b| b.0)
                && fields_are_plausible(&layout, &self.lines)
            {
                best = Some((count, layout));
            }
        }
        best
    }

    /// Layout of a level, if most lines that are not indented start with one and none starts with a time: `INFO:
    /// message`, or with a time after the level.
    fn level_layout(&self, keys: &Keys) -> Option<Layout> {
        let own = self.lines.iter().filter(|l| !l.starts_with(b" ")).count();
        let alone = [
            "{level}: {message}",
            "[{level}] {message}",
            "[{level}]: {message}",
            "{level}[{:int}] {message}",
            "[{component}][{level}{:pad}] {message}",
            "[{component}] [{level}{:pad}] {message}",
            "<{severity:priority}>{message}",
        ];
        let timed = self.time_behind_level().map(|time| {
            [
                format!("[{{level}}] {{time:{time}}} {{message}}"),
                format!("{{level}} {{time:{time}}} {{message}}"),
            ]
        });
        let tries = timed.into_iter().flatten().chain(alone.map(str::to_owned));
        let mut compiled = tries.filter_map(|p| Layout::compile(LEVEL_ALONE, &p, keys).ok());
        compiled.find(|layout| {
            let count = self.count(layout);
            count >= MIN_LEVELS && count * 10 >= own * 6
        })
    }

    /// Time format after the first word of a line, if that word is a level.
    fn time_behind_level(&self) -> Option<&'static str> {
        self.lines.iter().take(20).find_map(|line| {
            let (word, rest) = line.split_at_checked(memchr::memchr(b' ', line)?)?;
            let word = word
                .strip_prefix(b"[")
                .and_then(|w| w.strip_suffix(b"]"))
                .unwrap_or(word);
            Level::parse(word)?;
            let (pattern, _, start, _) = detect_leading(rest.get(1..)?)?;
            (start == 0).then(|| pattern.spec())
        })
    }
}
