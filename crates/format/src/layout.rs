//! Layouts of text lines: the header of a record and its fields.
//!
//! A layout is a pattern that ends in `{message}`. Most headers are a time followed by words between single blanks, and
//! the words repeat: the writer (process, pid, thread) and the place in the code (logger, line, function, level). So
//! the fast path finds the end of each such region by counting blanks and looks its bytes up. The pattern itself is
//! matched only if the region is new or the fast path does not apply. Both paths give the same result.

use std::ops::Range;
use std::sync::Arc;

use widetui_core::bytes::{equal, starts};
use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_core::level::Level;
use widetui_time::timeparse::{LastSecond, Stamp, TimePattern};

use widetui_core::ids::ContextId;

use crate::catalog::keys::{Key, Keys};
use crate::catalog::{Catalog, Site};
use crate::pattern::levels::{LevelNames, of_priority};
use crate::pattern::message_time::MessageTime;
use crate::pattern::{Element, FieldKind, Pattern, PatternError, Spans, field_text};
use crate::text::structured_data;

/// Fields that describe the place in the code; all other fields describe the writer.
const SITE_FIELDS: &[&str] = &[
    "level",
    "logger",
    "line",
    "func",
    "file",
    "module",
    "component",
    "subsystem",
];

/// Region of the header whose bytes are looked up as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// Elements of the pattern.
    pub(crate) elements: Range<usize>,
    /// Number of blanks after which the region ends ...
    pub(crate) blanks: usize,
    /// ... and number of further bytes: for `] [`, the bracket after the blank.
    pub(crate) tail: usize,
    /// Whether it describes the place in the code (else the writer).
    pub(crate) site: bool,
}

impl Region {
    /// Length of the region at the start of `text`, if there is one; its bytes must still match its elements.
    #[inline]
    pub(crate) fn len_in(&self, text: &[u8]) -> Option<usize> {
        let mut end = 0;
        for _ in 0..self.blanks {
            end += memchr::memchr(b' ', text.get(end..)?)? + 1;
        }
        Some(end + self.tail).filter(|end| *end <= text.len())
    }
}

/// Data of the fast path.
#[derive(Clone, Debug)]
struct Fast {
    /// Literal before the time.
    lead: Box<[u8]>,
    time: TimePattern,
    /// Literal and second time after the first one.
    local: Option<(Box<[u8]>, TimePattern)>,
    /// Literal between the times and the first region.
    gap: Box<[u8]>,
    regions: Vec<Region>,
}

impl Fast {
    /// Text from the time on, if the line begins with the literal before it.
    #[inline]
    fn after_lead<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let (lead, rest) = line.split_at_checked(self.lead.len())?;
        equal(lead, &self.lead).then_some(rest)
    }
}

/// Compiled layout.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Name within the definitions: `parsl`, `python.comma`.
    pub name: String,
    /// Whole pattern.
    pub pattern: Pattern,
    /// Key of each field; `None` for time, level, message and fields whose value is not kept.
    pub(crate) keys: Vec<Option<Arc<Key>>>,
    /// Whether each field describes the place in the code (else the writer).
    pub(crate) is_site: Vec<bool>,
    time: Option<usize>,
    local: Option<usize>,
    level: Option<usize>,
    message: usize,
    levels: LevelNames,
    prefixes: LevelNames,
    /// Times in the message, used if no header has a time.
    within: Vec<MessageTime>,
    /// Names of keys that may follow the message.
    pub(crate) extras: Vec<String>,
    fast: Option<Fast>,
}

/// Parts of a line that matches a layout.
#[derive(Clone, Debug, Default)]
pub struct HeaderSpans {
    /// Main time.
    pub(crate) time: Option<Stamp>,
    /// Civil time next to it.
    pub(crate) local: Option<Stamp>,
    /// Offset of the message.
    pub(crate) message: usize,
    /// Level at the start of the message, if any; the message starts after it.
    pub(crate) level: Option<Level>,
    /// Bytes of the civil time that the fast path read last, if all times of the layout have the same length.
    pub(crate) last_local: Vec<u8>,
    /// Second that the fast path read last.
    pub(crate) last_second: Option<LastSecond>,
}

impl HeaderSpans {
    /// Message on the line of the header.
    #[inline]
    pub(crate) fn message_of<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        line.get(self.message..).unwrap_or_default()
    }
}

impl Layout {
    /// Compiles a layout.
    ///
    /// # Errors
    /// An invalid pattern, or one that does not end in `{message}`.
    pub fn compile(name: &str, source: &str, keys: &Keys) -> Result<Layout, PatternError> {
        let pattern = Pattern::compile(source)?;
        let message = match pattern.elements.last() {
            Some(Element::Field(i))
                if pattern.fields.get(*i).is_some_and(|f| f.name == "message") =>
            {
                *i
            }
            _ => {
                return Err(PatternError {
                    text: "a layout must end in {message}".into(),
                    at: source.len(),
                });
            }
        };
        // Syslog's priority is a key; it provides the level if nothing else does.
        let level = pattern.field("level").or_else(|| {
            pattern
                .fields
                .iter()
                .position(|f| f.kind == FieldKind::Priority)
        });
        let special = |f: &str| matches!(f, "" | "time" | "localtime" | "level" | "message");
        let layout = Layout {
            name: name.to_owned(),
            keys: pattern
                .fields
                .iter()
                .map(|f| {
                    if special(&f.name) {
                        None
                    } else {
                        keys.get(&f.name)
                    }
                })
                .collect(),
            is_site: pattern
                .fields
                .iter()
                .map(|f| SITE_FIELDS.contains(&f.name.as_str()) || f.kind == FieldKind::Priority)
                .collect(),
            time: pattern.field("time"),
            local: pattern.field("localtime"),
            level,
            message,
            levels: LevelNames::default(),
            prefixes: LevelNames::default(),
            within: Vec::new(),
            extras: Vec::new(),
            fast: None,
            pattern,
        };
        let fast = layout.plan_fast();
        Ok(Layout { fast, ..layout })
    }

    /// Layout with spellings of levels: values of its level field, and prefixes of messages.
    pub(crate) fn with_levels(self, levels: LevelNames, prefixes: LevelNames) -> Layout {
        Layout {
            levels,
            prefixes,
            ..self
        }
    }

    /// Layout with names of keys that may follow the message as `name: value`.
    pub(crate) fn with_extras(self, extras: Vec<String>) -> Layout {
        Layout { extras, ..self }
    }

    /// Layout whose messages may contain their time.
    pub(crate) fn with_times(self, within: Vec<MessageTime>) -> Layout {
        Layout { within, ..self }
    }

    fn level(&self, field: usize, bytes: &[u8]) -> Option<Level> {
        match self.pattern.fields.get(field)?.kind {
            FieldKind::Priority => of_priority(bytes),
            _ => self.levels.parse(bytes),
        }
    }

    /// Moves the level prefix of the message to `out.level`.
    #[inline]
    fn take_prefix(&self, line: &[u8], out: &mut HeaderSpans) {
        out.level = None;
        if !self.prefixes.is_empty()
            && let Some((level, len)) = self.prefixes.prefix(out.message_of(line))
        {
            out.level = Some(level);
            out.message += len;
        }
    }

    /// Level prefix of a message on the line after its header, with its length in bytes.
    pub(crate) fn prefix_of(&self, message: &[u8]) -> Option<(Level, usize)> {
        self.prefixes.prefix(message)
    }

    /// Regions of the fast path; empty if there is no fast path.
    pub(crate) fn regions(&self) -> &[Region] {
        self.fast.as_ref().map_or(&[], |f| &f.regions)
    }

    /// Whether a region of the fast path describes the place in the code (else the writer).
    pub(crate) fn region_is_site(&self, region: usize) -> bool {
        self.regions().get(region).is_some_and(|r| r.site)
    }

    /// Pattern of the main time.
    pub(crate) fn time_of_header(&self) -> Option<&TimePattern> {
        self.time_pattern(self.time?)
    }

    /// True if times of the layout may have a zone or none.
    pub fn has_optional_zone(&self) -> bool {
        self.time_of_header()
            .is_some_and(|time| time.spec() == "iso")
    }

    fn time_pattern(&self, field: usize) -> Option<&TimePattern> {
        match &self.pattern.fields.get(field)?.kind {
            FieldKind::Time(t) => Some(t),
            _ => None,
        }
    }

    fn plan_fast(&self) -> Option<Fast> {
        let mut at = 0;
        let lead = self.literal(&mut at);
        if !self.is_field(at, self.time) {
            return None;
        }
        let time = self.time_pattern(self.time?)?.clone();
        at += 1;
        let mut gap = self.literal(&mut at);
        let mut local = None;
        if self.is_field(at, self.local) {
            local = Some((gap, self.time_pattern(self.local?)?.clone()));
            at += 1;
            gap = self.literal(&mut at);
        }
        Some(Fast {
            lead,
            time,
            local,
            gap,
            regions: self.plan_regions(at)?,
        })
    }

    /// Literal text at an element, possibly empty; moves `at` past it.
    fn literal(&self, at: &mut usize) -> Box<[u8]> {
        match self.pattern.elements.get(*at) {
            Some(Element::Literal(bytes)) => {
                *at += 1;
                bytes.clone()
            }
            _ => Box::default(),
        }
    }

    fn is_field(&self, at: usize, field: Option<usize>) -> bool {
        let element = self.pattern.elements.get(at);
        field.is_some() && matches!(element, Some(Element::Field(i)) if Some(*i) == field)
    }

    /// Regions from an element up to the message; `None` if they cannot be found by counting blanks.
    fn plan_regions(&self, mut at: usize) -> Option<Vec<Region>> {
        let elements = &self.pattern.elements;
        let mut regions: Vec<Region> = Vec::new();
        while let Some(element) = elements.get(at)
            && !self.is_field(at, Some(self.message))
        {
            match element {
                Element::Field(i) if !is_counted(&self.pattern.fields.get(*i)?.kind) => {
                    return None;
                }
                Element::Field(i) => {
                    let site = *self.is_site.get(*i)?;
                    if regions.last().is_none_or(|region| region.site != site) {
                        self.end_region(regions.last_mut())?;
                        regions.push(Region {
                            elements: at..at,
                            blanks: 0,
                            tail: 0,
                            site,
                        });
                    }
                }
                Element::Literal(bytes) => {
                    let region = regions.last_mut()?;
                    region.blanks += bytes.iter().filter(|b| **b == b' ').count();
                }
            }
            at += 1;
            regions.last_mut()?.elements.end = at;
        }
        self.end_region(regions.last_mut())?;
        // The loader's tables are keyed by two region numbers per class.
        let of_class = |site: bool| regions.iter().filter(|r| r.site == site).count();
        (of_class(true) <= 2 && of_class(false) <= 2).then_some(regions)
    }

    /// A region can be found by counting only if it ends in literal text with a blank.
    fn end_region(&self, region: Option<&mut Region>) -> Option<()> {
        let Some(region) = region else {
            return Some(());
        };
        let last = self
            .pattern
            .elements
            .get(region.elements.end.wrapping_sub(1));
        let Some(Element::Literal(bytes)) = last else {
            return None;
        };
        let blank = bytes.iter().rposition(|b| *b == b' ')?;
        region.tail = bytes.len() - blank - 1;
        Some(())
    }

    /// Cheap test of the first bytes: true if the line cannot be the first of a record.
    #[inline]
    pub(crate) fn rejects(&self, line: &[u8]) -> bool {
        self.fast.as_ref().is_some_and(|fast| {
            let rest = fast.after_lead(line);
            rest.is_none_or(|rest| fast.time.quick_reject(rest))
        })
    }

    /// Whether a line begins as the records of the layout do, but with a time that does not exist.
    pub(crate) fn has_impossible_time(&self, line: &[u8]) -> bool {
        self.fast.as_ref().is_some_and(|fast| {
            let rest = fast.after_lead(line);
            rest.is_some_and(|rest| fast.time.has_form(rest))
        })
    }

    /// Reads the times of a line into `out` without matching the pattern. Returns the offset of the first region;
    /// `None` if the slow path must decide.
    #[inline]
    pub(crate) fn times(
        &self,
        line: &[u8],
        want_local: bool,
        out: &mut HeaderSpans,
    ) -> Option<usize> {
        let fast = self.fast.as_ref()?;
        let rest = fast.after_lead(line)?;
        let (time, used) = fast.time.parse_after(rest, &mut out.last_second)?;
        let mut pos = fast.lead.len() + used;
        out.time = (!time.is_unset()).then_some(time);
        out.local = None;
        if let Some((literal, pattern)) = &fast.local {
            if !starts(line.get(pos..)?, literal) {
                return None;
            }
            pos += literal.len();
            let rest = line.get(pos..)?;
            // Most records have the same second as the previous one, and text that parsed once parses again.
            let last = out.last_local.as_slice();
            if !want_local && !last.is_empty() && starts(rest, last) {
                pos += last.len();
            } else {
                let (local, used) = pattern.parse_prefix(rest)?;
                out.local = Some(local);
                out.last_local.clear();
                if pattern.fixed_len() == Some(used) {
                    out.last_local.extend_from_slice(rest.get(..used)?);
                }
                pos += used;
            }
        }
        starts(line.get(pos..)?, &fast.gap).then(|| pos + fast.gap.len())
    }

    /// Completes the header that `times` started: the message begins at `pos`, after the regions.
    #[inline]
    pub(crate) fn message_from(&self, pos: usize, line: &[u8], out: &mut HeaderSpans) {
        out.message = pos;
        self.take_prefix(line, out);
    }

    /// Matches the whole pattern and fills `spans` with the ranges of its fields.
    pub(crate) fn matches(&self, line: &[u8], spans: &mut Spans) -> Option<HeaderSpans> {
        if self.rejects(line) || !self.pattern.matches(line, spans) {
            return None;
        }
        let stamp = |field: Option<usize>| {
            let field = field?;
            Some(
                self.time_pattern(field)?
                    .parse_prefix(field_text(line, spans, field))?
                    .0,
            )
        };
        let mut header = HeaderSpans {
            time: stamp(self.time).filter(|time| !time.is_unset()),
            local: stamp(self.local),
            message: spans.get(self.message)?.start,
            ..HeaderSpans::default()
        };
        self.take_prefix(line, &mut header);
        if self.time.is_none() {
            let message = header.message_of(line);
            header.time = self.within.iter().find_map(|w| w.find(message));
        }
        Some(header)
    }

    /// Pattern of lines that have the time of this layout, and a message in place of the other header parts; `None` if the
    /// layout does not begin with a date.
    pub(crate) fn bare_pattern(&self) -> Option<String> {
        let time = self.time?;
        let begins = match &self.pattern.elements[..] {
            [Element::Field(first), ..] | [Element::Literal(_), Element::Field(first), ..] => {
                *first == time
            }
            _ => false,
        };
        let spec = self.time_pattern(time)?.spec();
        let is_date = ["iso", "%d", "%e", "%j"]
            .iter()
            .any(|part| spec.contains(part));
        let source = &self.pattern.source;
        let end = source.find("{time:")? + source.get(source.find("{time:")?..)?.find('}')? + 1;
        let closing = source[end..].find(|c| !"])>".contains(c))?;
        let blank = source[end + closing..].starts_with(' ');
        let upto = end + closing + usize::from(blank);
        // Without a delimiter, a longer number could begin a line.
        (begins && is_date && upto > end).then(|| format!("{}{{message}}", &source[..upto]))
    }

    /// Whether its records have a time.
    pub fn has_time(&self) -> bool {
        self.time.is_some()
    }

    /// Whether a line is the first of a record in this layout.
    pub fn is_header(&self, line: &[u8], spans: &mut Spans) -> bool {
        self.matches(line, spans).is_some()
    }

    /// Time of a line that is the first of a record in this layout.
    #[must_use]
    pub fn time_of(&self, line: &[u8]) -> Option<Stamp> {
        self.matches(line, &mut Spans::new())?.time
    }

    /// Level and key values of the fields in `elements`, whose ranges are `spans`; `site` selects fields of the code
    /// site, else those of the writer.
    pub(crate) fn values(
        &self,
        elements: Range<usize>,
        site: bool,
        text: &[u8],
        spans: &Spans,
    ) -> (Option<Level>, Vec<(KeyId, Code)>) {
        let mut level = None;
        let mut values = Vec::new();
        for element in self.pattern.elements.get(elements).unwrap_or_default() {
            let Element::Field(i) = element else { continue };
            if self.is_site.get(*i) != Some(&site) {
                continue;
            }
            let bytes = field_text(text, spans, *i);
            if Some(*i) == self.level {
                level = self.level(*i, bytes);
            }
            if let Some(Some(key)) = self.keys.get(*i) {
                values.push((key.id, key.code(&String::from_utf8_lossy(bytes))));
            }
        }
        (level, values)
    }

    /// Keys and values of structured data in the header of a matched line. Layouts with such a field have no fast path.
    pub(crate) fn structured(
        &self,
        line: &[u8],
        spans: &Spans,
        keys: &Keys,
    ) -> Vec<(Arc<Key>, String)> {
        let fields = self.pattern.fields.iter().zip(spans);
        fields
            .filter(|(field, _)| field.kind == FieldKind::Structured)
            .flat_map(|(_, span)| {
                structured_data::pairs(line.get(span.clone()).unwrap_or_default())
            })
            .filter_map(|(name, value)| Some((keys.get(&name)?, value)))
            .filter(|(key, value)| value.len() <= key.longest())
            .collect()
    }

    /// Level of a matched line.
    pub(crate) fn level_of(&self, line: &[u8], header: &HeaderSpans, spans: &Spans) -> Level {
        let field = || self.level(self.level?, field_text(line, spans, self.level?));
        header.level.or_else(field).unwrap_or_default()
    }

    /// Keys and spellings in the header of a matched line.
    pub(crate) fn header_values(&self, line: &[u8], spans: &Spans) -> Vec<(Arc<Key>, String)> {
        self.keys
            .iter()
            .zip(spans)
            .filter_map(|(key, span)| {
                let key = key.clone()?;
                Some((
                    key,
                    String::from_utf8_lossy(line.get(span.clone())?).into_owned(),
                ))
            })
            .collect()
    }
}

/// Whether the blanks in a field of this kind can be counted, so that it may be part of a region.
fn is_counted(kind: &FieldKind) -> bool {
    !matches!(
        kind,
        FieldKind::Pad
            | FieldKind::Colour
            | FieldKind::Time(_)
            | FieldKind::Last
            | FieldKind::Phrase
            | FieldKind::Rest
            | FieldKind::Structured
    )
}

/// Site and context of a header that the whole pattern matched.
pub(crate) fn whole_site(
    tables: &Catalog,
    layout: &Layout,
    line: &[u8],
    header: &HeaderSpans,
    spans: &Spans,
) -> (Arc<Site>, Option<ContextId>) {
    let all = 0..layout.pattern.elements.len();
    let (level, consts) = layout.values(all.clone(), true, line, spans);
    let (_, mut values) = layout.values(all, false, line, spans);
    let data = layout.structured(line, spans, &tables.keys);
    values.extend(data.iter().map(|(key, value)| (key.id, key.code(value))));
    let level = header.level.or(level);
    let context = (!values.is_empty()).then(|| tables.context(&values));
    (tables.site(level.unwrap_or_default(), &consts), context)
}
