//! A second reading: keys that records get from their own message, from the value of another key, from the values of several
//! put together, or as constants.
//!
//! What it finds is a function of the record alone, so a group of such a join is told what it has before the first round:
//! the groups are the values of the key that is read or, of a message, the different things that messages say.

mod composed;
mod keys;
mod messages;

use rustc_hash::FxHashSet;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::KeyId;
use crate::format::pattern::{FieldKind, Pattern, Spans};
use crate::query::{self, Expr, Selection};
use crate::store::Snapshot;

use super::spec::{Join, JoinRule};

pub use composed::Composition;

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
    /// A key that is made of others, and how.
    made: Option<(String, Composition)>,
    gives: Vec<String>,
}

const NO_KEY: &str = "time, level and message are no keys: choose another name";

fn is_no_key(name: &str) -> bool {
    ["time", "localtime", "level", "message"].contains(&name)
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
        if gives.iter().any(|name| is_no_key(name)) {
            return Err(NO_KEY);
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
            made: None,
            gives,
        })
    }

    /// Of the values of several keys, put together into one; for the events that have all of them and fit `only`.
    ///
    /// # Errors
    /// When what it gives is no key, or one of those that it is made of.
    pub fn composed(
        key: String,
        made: Composition,
        only: Option<Expr>,
        consts: Vec<(String, String)>,
    ) -> Result<ReadingRule, &'static str> {
        let names = consts.iter().map(|(name, _)| name);
        let gives: Vec<String> = std::iter::once(&key).chain(names).cloned().collect();
        if gives.iter().any(|name| is_no_key(name)) {
            return Err(NO_KEY);
        }
        if made.keys().contains(&key) {
            return Err("a key cannot be made of itself: choose another name");
        }
        Ok(ReadingRule {
            of: None,
            only,
            patterns: Vec::new(),
            consts,
            made: Some((key, made)),
            gives,
        })
    }

    /// The keys whose values are read.
    pub fn by(&self) -> &[String] {
        match &self.made {
            Some((_, made)) => made.keys(),
            None => self.of.as_slice(),
        }
    }

    /// The key whose value is taken apart or renamed.
    pub fn of(&self) -> Option<&str> {
        self.of.as_deref()
    }

    /// The key that is made of others, and how.
    pub fn made(&self) -> Option<(&str, &Composition)> {
        let (key, made) = self.made.as_ref()?;
        Some((key, made))
    }

    /// What a group has whose key was put together.
    fn with_constants(&self, value: String) -> Vec<Option<String>> {
        let consts = self.consts.iter().map(|(_, value)| value.clone());
        std::iter::once(value).chain(consts).map(Some).collect()
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

/// Tries a second reading; nothing is kept. `None` when cancelled. As when it is in force, it sees what records say, and not
/// what joins gave.
pub fn trial(snapshot: &Snapshot, rule: &ReadingRule, cancel: &Cancel) -> Option<Trial> {
    let read = read(&snapshot.bare(), rule, cancel)?;
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
    if let Some((_, made)) = &rule.made {
        return composed::read(snapshot, rule, made, only, cancel);
    }
    match (&rule.of, only) {
        (Some(of), only) => keys::read(snapshot, rule, of, only, cancel),
        (None, Some(only)) => messages::read(snapshot, rule, only, cancel),
        (None, None) => None,
    }
}

fn owned(values: &[Option<&str>]) -> Vec<Option<String>> {
    values.iter().map(|v| v.map(str::to_owned)).collect()
}
