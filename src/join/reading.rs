//! A second reading: keys that records get from their own message, from the value of another key, or as constants.
//!
//! What it finds is a function of the record alone, so a group of such a join is told what it has before the first round:
//! the groups are the values of the key that is read or, of a message, the different things that messages say.

use std::borrow::Cow;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::format::keys::KeyView;
use crate::format::pattern::{FieldKind, Pattern, Spans};
use crate::query::bits::Bits;
use crate::query::{self, Expr, Selection};
use crate::store::Snapshot;
use crate::store::lanes::{Lane, SegmentView, UNUSABLE, copied_rows};
use crate::store::texts::TextReader;

use super::spec::{Join, JoinRule};

/// What is read again, and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingRule {
    /// The key whose value is read; none: the first line of the message.
    of: Option<String>,
    /// Only of events that fit.
    only: Option<Expr>,
    /// The first that fits counts.
    patterns: Vec<Pattern>,
    /// Keys with one value for all these events.
    consts: Vec<(String, String)>,
    gives: Vec<String>,
}

impl ReadingRule {
    /// Of the value of a key (none: of the message), for the events that fit `only`.
    ///
    /// # Errors
    /// When it gives no key, a field would have several values, or messages are to be read of all events.
    pub fn new(
        of: Option<String>,
        only: Option<Expr>,
        patterns: Vec<Pattern>,
        consts: Vec<(String, String)>,
    ) -> Result<ReadingRule, &'static str> {
        let fields = patterns.iter().flat_map(|p| &p.fields);
        let has_several = |kind: &FieldKind| {
            matches!(
                kind,
                FieldKind::List | FieldKind::Words | FieldKind::Hosts | FieldKind::Structured
            )
        };
        if fields.clone().any(|f| has_several(&f.kind)) {
            return Err("a second reading gives one value for each name: take {name:text}");
        }
        let mut gives: Vec<String> = Vec::new();
        let named = fields.map(|f| &f.name).filter(|name| !name.is_empty());
        for name in named.chain(consts.iter().map(|(name, _)| name)) {
            if !gives.contains(name) {
                gives.push(name.clone());
            }
        }
        if gives
            .iter()
            .any(|name| ["time", "localtime", "level", "message"].contains(&name.as_str()))
        {
            return Err("time, level and message are no keys: choose another name");
        }
        if gives.is_empty() {
            return Err("it names no key: write {name} in a pattern");
        }
        if of.is_none() && only.is_none() {
            return Err("which messages are read? It takes a condition");
        }
        Ok(ReadingRule {
            of,
            only,
            patterns,
            consts,
            gives,
        })
    }

    /// The key whose value is read, as a list of at most one.
    pub fn by(&self) -> &[String] {
        self.of.as_slice()
    }

    /// The keys that it gives.
    pub fn gives(&self) -> &[String] {
        &self.gives
    }

    /// The events that take part; all when there is none.
    pub fn only(&self) -> Option<&Expr> {
        self.only.as_ref()
    }

    /// The patterns, as written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(|p| p.source.as_str())
    }

    /// Constants: keys and values.
    pub fn consts(&self) -> &[(String, String)] {
        &self.consts
    }

    /// What a text says of the keys that it gives, in their order; `None` when no pattern fits.
    fn read<'t>(&'t self, text: &'t str, spans: &mut Spans) -> Option<Vec<Option<&'t str>>> {
        let fitting = self
            .patterns
            .iter()
            .find(|p| p.matches(text.as_bytes(), spans));
        if fitting.is_none() && !self.patterns.is_empty() {
            return None;
        }
        let value = |name: &String| {
            let field = fitting.and_then(|p| p.field(name));
            let span = field.and_then(|at| spans.get(at).cloned());
            // Fields end between characters: literal text and blanks do.
            let found = span.and_then(|span| text.get(span));
            let constant = || self.consts.iter().find(|(key, _)| key == name);
            found.or_else(|| constant().map(|(_, value)| value.as_str()))
        };
        let values = self.gives.iter().map(value);
        Some(values.map(|v| v.filter(|v| !v.is_empty())).collect())
    }
}

/// What a second reading would give, before anybody takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Events that would get something.
    pub events: usize,
    /// Events that take part.
    pub of: usize,
    /// Each key, how many different values it would have, and some of them.
    pub keys: Vec<(String, usize, Vec<String>)>,
}

/// Values of a key that a trial tells.
const EXAMPLES: usize = 8;

/// Tries a second reading; nothing is kept. `None` when cancelled.
pub fn trial(snapshot: &Snapshot, rule: &ReadingRule, cancel: &Cancel) -> Option<Trial> {
    let read = read(snapshot, rule, cancel)?;
    let keys = rule.gives.iter().enumerate().map(|(at, name)| {
        let values = read.groups.iter().filter_map(|(_, v)| v[at].as_deref());
        let mut seen = FxHashSet::default();
        let values: Vec<&str> = values.filter(|v| seen.insert(*v)).collect();
        let examples = values.iter().take(EXAMPLES).map(|v| (*v).to_owned());
        (name.clone(), values.len(), examples.collect())
    });
    Some(Trial {
        events: read.events,
        of: read.of,
        keys: keys.collect(),
    })
}

/// How the events of a second reading find their group.
#[derive(Debug)]
pub(super) enum Groups {
    /// By the value of this key.
    Of(KeyId),
    /// By a number of their own, for each row of a segment.
    Rows(Vec<Option<Box<[Code]>>>),
}

/// What was read: groups, and what each has.
#[derive(Debug)]
struct Read {
    groups_by: Groups,
    groups: Vec<(Code, Vec<Option<String>>)>,
    only: Option<Selection>,
    events: usize,
    of: usize,
}

/// What a second reading knows of its groups.
#[derive(Debug)]
pub(super) struct Told<'j> {
    /// Whose it is.
    pub join: &'j Join,
    /// How events find their group.
    pub groups_by: Groups,
    /// The keys that it gives.
    pub gives: Vec<KeyId>,
    /// Groups, and the codes of what each has, one for each of `gives`; `NONE` where it says nothing.
    pub groups: Vec<(Code, Vec<Code>)>,
    /// The events that take part; all when there is none.
    pub only: Option<Selection>,
}

/// All second readings among some joins. Keys and values that no record names are put into the run's tables: those who
/// look at what was read here need a newer copy of the catalog. `None` when cancelled.
pub(super) fn tell<'j>(
    snapshot: &Snapshot,
    joins: &'j [Join],
    cancel: &Cancel,
) -> Option<Vec<Told<'j>>> {
    let mut told = Vec::new();
    for join in joins {
        let JoinRule::Reading(rule) = &join.rule else {
            continue;
        };
        let read = read(snapshot, rule, cancel)?;
        if read.groups.is_empty() {
            continue;
        }
        let keys: Option<Vec<_>> = rule
            .gives
            .iter()
            .map(|name| snapshot.tables.keys.get(name))
            .collect();
        // The run has no room for more keys.
        let Some(keys) = keys else {
            continue;
        };
        let codes = |values: &Vec<Option<String>>| -> Vec<Code> {
            let pairs = keys.iter().zip(values);
            pairs
                .map(|(key, value)| value.as_ref().map_or(NONE, |v| key.code(v)))
                .collect()
        };
        told.push(Told {
            join,
            gives: keys.iter().map(|key| key.id).collect(),
            groups: read.groups.iter().map(|(g, v)| (*g, codes(v))).collect(),
            groups_by: read.groups_by,
            only: read.only,
        });
    }
    Some(told)
}

fn read(snapshot: &Snapshot, rule: &ReadingRule, cancel: &Cancel) -> Option<Read> {
    let only = match &rule.only {
        Some(only) => Some(query::select(snapshot, only, cancel)?),
        None => None,
    };
    match (&rule.of, only) {
        (Some(of), only) => of_key(snapshot, rule, of, only, cancel),
        (None, Some(only)) => of_messages(snapshot, rule, only, cancel),
        (None, None) => None,
    }
}

/// Reads the values of a key that occur.
fn of_key(
    snapshot: &Snapshot,
    rule: &ReadingRule,
    of: &str,
    only: Option<Selection>,
    cancel: &Cancel,
) -> Option<Read> {
    let key = snapshot.catalog.keys.find(of);
    let Some(key) = key else {
        return Some(Read {
            groups_by: Groups::Rows(Vec::new()),
            groups: Vec::new(),
            only,
            events: 0,
            of: 0,
        });
    };
    let copied = copied_rows(snapshot);
    let counts: FxHashMap<Code, usize> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            let mut counts: FxHashMap<Code, usize> = FxHashMap::default();
            if cancel.is_cancelled() {
                return counts;
            }
            let view = SegmentView::new(snapshot, index, &copied[index]);
            let bits = only.as_ref().and_then(|s| s.segment(index));
            for at in 0..view.segment.groups.len() {
                count(&view, at, key, bits, &mut counts);
            }
            counts
        })
        .reduce(FxHashMap::default, |mut a, b| {
            b.into_iter().for_each(|(code, n)| {
                *a.entry(code).or_default() += n;
            });
            a
        });
    if cancel.is_cancelled() {
        return None;
    }
    let spellings = Spellings::of(snapshot, key);
    let mut codes: Vec<(Code, usize)> = counts.into_iter().collect();
    codes.sort_unstable();
    let (mut groups, mut events, mut all) = (Vec::new(), 0, 0);
    let mut spans = Spans::new();
    for (code, rows) in codes {
        all += rows;
        let texts = spellings.texts(code);
        let mut read = texts
            .iter()
            .filter_map(|text| Some(owned(&rule.read(text, &mut spans)?)));
        if let Some(values) = read.next() {
            events += rows;
            groups.push((code, values));
        }
    }
    Some(Read {
        groups_by: Groups::Of(key),
        groups,
        only,
        events,
        of: all,
    })
}

/// How the values of a key are spelled in the logs.
struct Spellings<'a> {
    view: Option<&'a KeyView>,
    /// Of values with other spellings than the canonical one.
    others: FxHashMap<Code, Vec<&'a str>>,
}

impl<'a> Spellings<'a> {
    fn of(snapshot: &'a Snapshot, key: KeyId) -> Spellings<'a> {
        let view = snapshot.catalog.keys.get(key);
        let mut others: FxHashMap<Code, Vec<&str>> = FxHashMap::default();
        for (code, text) in view.iter().flat_map(|v| v.dict.iter()) {
            let canonical = view.map_or(code, |v| v.dict.canonical(code));
            if canonical != code {
                others.entry(canonical).or_default().push(text);
            }
        }
        others.values_mut().for_each(|texts| texts.sort_unstable());
        Spellings { view, others }
    }

    /// The spellings of a value: as logs have it, by the alphabet, and its canonical one.
    fn texts(&self, code: Code) -> Vec<Cow<'a, str>> {
        let others = self.others.get(&code).into_iter().flatten();
        let mut texts: Vec<Cow<'a, str>> = others.map(|text| Cow::Borrowed(*text)).collect();
        texts.extend(self.view.and_then(|v| v.spelling(code)).map(Cow::Owned));
        texts
    }
}

/// Counts the values of a key in a group of a segment; those in a list count once each.
fn count(
    view: &SegmentView<'_>,
    at: usize,
    key: KeyId,
    bits: Option<&Bits>,
    counts: &mut FxHashMap<Code, usize>,
) {
    let group = view.group(at);
    let rows = &group.group.rows;
    let is_in = |place: usize| bits.is_none_or(|b| b.get(usize::from(rows[place])));
    let mut note = |code: Code, n: usize| {
        if code != NONE && code != UNUSABLE && n > 0 {
            *counts.entry(code).or_default() += n;
        }
    };
    match group.lane(key) {
        Lane::Absent => {}
        Lane::Const(code) => note(code, (0..rows.len()).filter(|p| is_in(*p)).count()),
        Lane::Rows(codes) => {
            let inside = codes.iter().enumerate().filter(|(p, _)| is_in(*p));
            inside.for_each(|(_, code)| note(*code, 1));
        }
        Lane::Slots(codes) => codes.iter().for_each(|code| note(*code, 1)),
    }
}

/// What the rows of one segment say: the number of each, and what each number stands for.
#[derive(Default)]
struct Said {
    rows: Vec<(usize, u32)>,
    values: Vec<Vec<Option<String>>>,
}

/// Reads the messages of some events.
fn of_messages(
    snapshot: &Snapshot,
    rule: &ReadingRule,
    only: Selection,
    cancel: &Cancel,
) -> Option<Read> {
    let said: Vec<Said> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| match only.segment(index) {
            Some(bits) => of_segment(snapshot, rule, index, bits, cancel),
            None => Said::default(),
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut numbers: FxHashMap<Vec<Option<String>>, Code> = FxHashMap::default();
    let mut groups = Vec::new();
    let (mut rows, mut events) = (Vec::new(), 0);
    for (segment, said) in snapshot.segments.iter().zip(said) {
        events += said.rows.len();
        let global: Vec<Code> = said
            .values
            .into_iter()
            .map(|values| {
                let next = numbers.len() as Code;
                *numbers.entry(values).or_insert_with_key(|values| {
                    groups.push((next, values.clone()));
                    next
                })
            })
            .collect();
        rows.push((!said.rows.is_empty()).then(|| {
            let mut codes = vec![NONE; segment.len()];
            for (row, number) in said.rows {
                codes[row] = global[number as usize];
            }
            codes.into_boxed_slice()
        }));
    }
    Some(Read {
        groups_by: Groups::Rows(rows),
        groups,
        of: only.len(),
        only: None,
        events,
    })
}

fn of_segment(
    snapshot: &Snapshot,
    rule: &ReadingRule,
    index: usize,
    bits: &Bits,
    cancel: &Cancel,
) -> Said {
    let mut said = Said::default();
    let mut numbers: FxHashMap<Vec<Option<String>>, u32> = FxHashMap::default();
    let mut texts = TextReader::default();
    let mut spans = Spans::new();
    for row in bits.ones() {
        if cancel.is_cancelled() {
            break;
        }
        let message = match rule.patterns.is_empty() {
            // Constants take no look at the text.
            true => Some(String::new()),
            false => message(
                snapshot,
                EventId(snapshot.bases[index] + row as u32),
                &mut texts,
            ),
        };
        let Some(message) = message else {
            continue;
        };
        let line = message.lines().next().unwrap_or_default();
        let Some(values) = rule.read(line, &mut spans) else {
            continue;
        };
        let values = owned(&values);
        let next = said.values.len() as u32;
        let number = *numbers.entry(values).or_insert_with_key(|values| {
            said.values.push(values.clone());
            next
        });
        said.rows.push((row, number));
    }
    said
}

fn message(snapshot: &Snapshot, id: EventId, texts: &mut TextReader) -> Option<String> {
    let event = snapshot.event(id)?;
    let reader = event.source().reader.clone()?;
    // What cannot be read is noted by whoever reads it.
    Some(reader.message(texts.record(&event).ok()?))
}

fn owned(values: &[Option<&str>]) -> Vec<Option<String>> {
    values.iter().map(|v| v.map(str::to_owned)).collect()
}
