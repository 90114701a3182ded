//! Counts of the values of one key.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_core::level::Level;
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::KeyView;
use widetui_store::Snapshot;
use widetui_store::display_names::display_names;

use crate::bits::Bits;
use crate::expr::Field;
use crate::row_values::{for_each_row, read_each};
use crate::selection::Selection;

/// Returns the values of a field with the number of records of each, most frequent first, among all records or a
/// selection. Equal values are merged under their most frequent spelling. A record with several values counts for each.
/// Sources are listed by display name, templates by text; times and messages are not counted. `None` if cancelled.
#[must_use]
pub fn values(
    snapshot: &Snapshot,
    field: &Field,
    selection: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Vec<(String, u64)>> {
    let counted = match field {
        Field::Time | Field::Message => FxHashMap::default(),
        Field::Level => by_shape(snapshot, selection, |shape| {
            let shape = snapshot.catalog.shapes.get(shape)?;
            (shape.level != Level::Unknown).then(|| shape.level.name().to_owned())
        }),
        Field::Template => by_shape(snapshot, selection, |shape| {
            let template = snapshot.catalog.shapes.get(shape)?.template;
            let template = snapshot.catalog.templates.get(template.index())?;
            Some(template.text.to_string())
        }),
        Field::Source => by_source(snapshot, selection),
        Field::Key(name) => match crate::resolve(&snapshot.catalog.keys, name) {
            Some(id) => of_key(snapshot, id, selection, cancel)?,
            None => FxHashMap::default(),
        },
    };
    let mut list: Vec<(String, u64)> = counted.into_iter().collect();
    list.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Some(list)
}

type Counted = FxHashMap<String, u64>;

fn by_shape(
    snapshot: &Snapshot,
    selection: Option<&Selection>,
    name: impl Fn(usize) -> Option<String>,
) -> Counted {
    let mut rows = vec![0u64; snapshot.catalog.shapes.len()];
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let chosen = selection.map(|s| s.segment(index));
        for group in &segment.groups {
            let count = match chosen {
                None => group.rows.len(),
                Some(bits) => {
                    let inside = |row: &&u16| bits.is_some_and(|b| b.get(**row as usize));
                    group.rows.iter().filter(inside).count()
                }
            };
            if let Some(rows) = rows.get_mut(group.shape.index()) {
                *rows += count as u64;
            }
        }
    }
    let mut counted = Counted::default();
    for (shape, count) in rows.into_iter().enumerate().filter(|(_, n)| *n > 0) {
        if let Some(name) = name(shape) {
            *counted.entry(name).or_default() += count;
        }
    }
    counted
}

fn by_source(snapshot: &Snapshot, selection: Option<&Selection>) -> Counted {
    let mut counted = Counted::default();
    let names = display_names(&snapshot.sources);
    for (index, segment) in snapshot.segments.iter().enumerate() {
        for part in &segment.parts {
            let (first, rows) = (part.first_row as usize, part.rows as usize);
            let count = match selection.map(|s| s.segment(index)) {
                None => rows,
                Some(bits) => bits.map_or(0, |b| b.ones_in(first, first + rows).count()),
            };
            if let Some(name) = names.get(part.source.index()).filter(|_| count > 0) {
                *counted.entry(name.clone()).or_default() += count as u64;
            }
        }
    }
    counted
}

/// Codes counted in one segment, and the rows whose values must be read.
#[derive(Debug, Default)]
struct Tally {
    codes: FxHashMap<Code, u64>,
    deferred: Option<Bits>,
}

fn of_key(
    snapshot: &Snapshot,
    id: KeyId,
    selection: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Counted> {
    let Some(key) = snapshot.catalog.keys.get(id) else {
        return Some(Counted::default());
    };
    let tallies: Vec<Tally> = snapshot
        .segments
        .par_iter()
        .enumerate()
        .map(|(index, _)| {
            let nothing = Bits::none(0);
            let chosen = selection.map(|s| s.segment(index).unwrap_or(&nothing));
            if cancel.is_cancelled() {
                return Tally::default();
            }
            tally(snapshot, index, key, chosen)
        })
        .collect();
    let mut codes: FxHashMap<Code, u64> = FxHashMap::default();
    for tally in &tallies {
        for (code, count) in &tally.codes {
            *codes.entry(*code).or_default() += count;
        }
    }
    let coded = codes
        .into_iter()
        .filter_map(|(code, count)| Some((key.spelling(code)?, count)));
    let read = read_deferred(snapshot, &tallies, id, cancel);
    if cancel.is_cancelled() {
        return None;
    }
    Some(merge(key, coded.chain(read)))
}

/// Merges the counts of equal values under the most frequent spelling.
fn merge(key: &KeyView, spellings: impl Iterator<Item = (String, u64)>) -> Counted {
    let mut equal: FxHashMap<String, Counted> = FxHashMap::default();
    for (spelling, count) in spellings {
        let canonical = key.key.kind.canonical(&spelling);
        let canonical = canonical.unwrap_or_else(|| spelling.clone());
        *equal
            .entry(canonical)
            .or_default()
            .entry(spelling)
            .or_default() += count;
    }
    let mut counted = Counted::default();
    for spellings in equal.into_values() {
        let total = spellings.values().sum();
        let usual = spellings
            .into_iter()
            .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        if let Some((spelling, _)) = usual {
            counted.insert(spelling, total);
        }
    }
    counted
}

fn tally(snapshot: &Snapshot, index: usize, key: &KeyView, chosen: Option<&Bits>) -> Tally {
    let mut out = Tally::default();
    let mut deferred = Bits::none(snapshot.segments[index].len());
    for_each_row(snapshot, index, key, chosen, |row, codes| {
        if codes.contains(&DEFER) {
            deferred.set(row);
        } else {
            for code in codes {
                *out.codes.entry(*code).or_default() += 1;
            }
        }
    });
    out.deferred = deferred.any().then_some(deferred);
    out
}

/// Reads and counts the values that are not in columns.
fn read_deferred(
    snapshot: &Snapshot,
    tallies: &[Tally],
    id: KeyId,
    cancel: &Cancel,
) -> Vec<(String, u64)> {
    let deferred: Vec<Option<&Bits>> = tallies.iter().map(|t| t.deferred.as_ref()).collect();
    let counted = read_each(
        snapshot,
        &deferred,
        id,
        cancel,
        |counted: &mut Counted, value, _| {
            *counted.entry(value).or_default() += 1;
        },
    );
    counted.into_iter().flatten().collect()
}
