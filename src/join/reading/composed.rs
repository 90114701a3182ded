//! Puts the values of several keys of a record together, as a text with places for them says.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::KeyId;
use crate::format::pattern::{Element, Pattern, PatternError};
use crate::query::Selection;
use crate::store::Snapshot;
use crate::store::lanes::{GroupView, Lane, SegmentView, UNUSABLE, copied_rows};

use super::{Groups, Read, ReadingRule};

/// A text with places for the values of keys: `{host}:{pid}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    source: String,
    parts: Vec<Part>,
    keys: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// Place of a key among the keys.
    Key(usize),
}

impl Composition {
    /// Reads a text with places; two braces stand for one.
    ///
    /// # Errors
    /// As a pattern; also when a place names no key, says more than its name, or there is none.
    pub fn compile(source: &str) -> Result<Composition, PatternError> {
        let wrong = |text: &str, at: usize| PatternError {
            text: text.to_owned(),
            at,
        };
        let pattern = Pattern::compile(source)?;
        let mut keys: Vec<String> = Vec::new();
        let mut parts = Vec::new();
        for element in &pattern.elements {
            parts.push(match element {
                Element::Literal(text) => Part::Text(String::from_utf8_lossy(text).into_owned()),
                Element::Field(at) => {
                    let name = &pattern.fields[*at].name;
                    let place = format!("{{{name}}}");
                    let Some(start) = source.find(&place).filter(|_| !name.is_empty()) else {
                        let at = source.find(&format!("{{{name}:")).or(source.find("{}"));
                        let text = "a place has the name of a key and nothing else: {host}";
                        return Err(wrong(text, at.unwrap_or(0)));
                    };
                    if ["time", "localtime", "level", "message", "template"]
                        .contains(&name.as_str())
                    {
                        return Err(wrong("this is no key", start));
                    }
                    let known = keys.iter().position(|key| key == name);
                    Part::Key(known.unwrap_or_else(|| {
                        keys.push(name.clone());
                        keys.len() - 1
                    }))
                }
            });
        }
        match keys.is_empty() {
            true => Err(wrong("it names no key: write {host}:{pid}", 0)),
            false => Ok(Composition {
                source: source.to_owned(),
                parts,
                keys,
            }),
        }
    }

    /// As it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The keys whose values it puts together.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The text with these values, one for each key.
    fn filled(&self, values: &[String]) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Key(at) => values[*at].clone(),
        };
        self.parts.iter().map(part).collect()
    }
}

/// What the rows of one segment have: which combination of values each, by its number here.
#[derive(Default)]
struct Found {
    rows: Vec<(usize, u32)>,
    values: Vec<Vec<Code>>,
}

/// Puts together what events say, those of all keys that are wanted: who lacks one gets nothing.
pub(super) fn read(
    snapshot: &Snapshot,
    rule: &ReadingRule,
    composition: &Composition,
    only: Option<Selection>,
    cancel: &Cancel,
) -> Option<Read> {
    let of = only.as_ref().map_or(snapshot.len(), Selection::len);
    let catalog = &snapshot.catalog.keys;
    let keys = composition.keys.iter().map(|name| catalog.find(name));
    let Some(keys) = keys.collect::<Option<Vec<KeyId>>>() else {
        return Some(Read {
            groups_by: Groups::Rows(Vec::new()),
            groups: Vec::new(),
            only: None,
            events: 0,
            of,
        });
    };
    let copied = copied_rows(snapshot);
    let found: Vec<Found> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            let bits = only.as_ref().map(|only| only.segment(index));
            // Nothing of this segment is wanted.
            if cancel.is_cancelled() || bits.is_some_and(|bits| bits.is_none()) {
                return Found::default();
            }
            let view = SegmentView::new(snapshot, index, &copied[index]);
            let is_in = |row: usize| bits.flatten().is_none_or(|bits| bits.get(row));
            let mut found = Found::default();
            let mut numbers = FxHashMap::default();
            for at in 0..view.segment.groups.len() {
                of_group(view.group(at), &keys, is_in, (&mut numbers, &mut found));
            }
            found
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut numbers: FxHashMap<Vec<Code>, Code> = FxHashMap::default();
    let (mut groups, mut rows, mut events) = (Vec::new(), Vec::new(), 0);
    for (segment, found) in snapshot.segments.iter().zip(found) {
        let global = found.values.into_iter().map(|codes| {
            let next = numbers.len() as Code;
            *numbers.entry(codes).or_insert_with_key(|codes| {
                let spelled = keys.iter().zip(codes).map(|(key, code)| {
                    let view = catalog.get(*key);
                    view.and_then(|v| v.spelling(*code)).unwrap_or_default()
                });
                let spelled: Vec<String> = spelled.collect();
                groups.push((next, rule.with_constants(composition.filled(&spelled))));
                next
            })
        });
        let global: Vec<Code> = global.collect();
        events += found.rows.len();
        rows.push((!found.rows.is_empty()).then(|| {
            let mut codes = vec![NONE; segment.len()];
            for (row, number) in found.rows {
                codes[row] = global[number as usize];
            }
            codes.into_boxed_slice()
        }));
    }
    Some(Read {
        groups_by: Groups::Rows(rows),
        groups,
        only: None,
        events,
        of,
    })
}

fn of_group(
    group: GroupView<'_>,
    keys: &[KeyId],
    is_in: impl Fn(usize) -> bool,
    (numbers, found): (&mut FxHashMap<Vec<Code>, u32>, &mut Found),
) {
    let lanes: Vec<Lane> = keys.iter().map(|key| group.lane(*key)).collect();
    if lanes.iter().any(Lane::is_absent) {
        return;
    }
    for (place, row) in group.group.rows.iter().enumerate() {
        let row = usize::from(*row);
        let codes = lanes.iter().map(|lane| lane.row(place, group.ends));
        let codes: Vec<Code> = codes.collect();
        if !is_in(row) || codes.iter().any(|c| *c == NONE || *c == UNUSABLE) {
            continue;
        }
        let next = found.values.len() as u32;
        let number = *numbers.entry(codes).or_insert_with_key(|codes| {
            found.values.push(codes.clone());
            next
        });
        found.rows.push((row, number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_with_the_values_of_keys() {
        let made = Composition::compile("{{{a.host}}}:{pid}/{a.host}").expect("a text");
        assert_eq!(made.keys(), ["a.host", "pid"]);
        let values = ["n1", "7"].map(str::to_owned);
        assert_eq!(made.filled(&values), "{n1}:7/n1");
    }

    #[test]
    fn what_is_no_place_for_a_key_is_refused() {
        for wrong in [
            "",
            "x",
            "{}",
            "{host}:{}",
            "{host",
            "{pid:int}",
            "{message}",
        ] {
            assert!(Composition::compile(wrong).is_err(), "{wrong}");
        }
    }
}
