//! The values of one key, counted.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::KeyId;
use crate::base::level::Level;
use crate::format::encode::DEFER;
use crate::format::keys::KeyView;
use crate::store::Snapshot;
use crate::store::column::Cell;

use super::bits::Bits;
use super::columns::columns_of;
use super::expr::Field;
use super::scan::{Place, blocks, parts_by_source, readable};
use super::selection::Selection;

/// The values of a field and the number of events that have each, most frequent first; of all events or of some. Values
/// that are equal count as one, in their most frequent spelling. An event with several values counts for each. Sources
/// are named by tag, templates by text; times and messages are not counted. `None` when cancelled.
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
        Field::Key(name) => match super::resolve(&snapshot.catalog.keys, name) {
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
    for (index, segment) in snapshot.segments.iter().enumerate() {
        for part in &segment.parts {
            let (first, rows) = (part.first_row as usize, part.rows as usize);
            let count = match selection.map(|s| s.segment(index)) {
                None => rows,
                Some(bits) => bits.map_or(0, |b| b.ones_in(first, first + rows).count()),
            };
            if let Some(source) = snapshot.source(part.source).filter(|_| count > 0) {
                *counted.entry(source.tag.clone()).or_default() += count as u64;
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

/// Counts the spellings of equal values together, under the most frequent one.
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
    let segment = &*snapshot.segments[index];
    let catalog = &snapshot.catalog;
    let id = key.key.id;
    let among = |values: &[(KeyId, Code)], out: &mut Vec<Code>| {
        out.extend(values.iter().filter(|(k, _)| *k == id).map(|(_, c)| *c));
    };
    let in_contexts = catalog
        .contexts
        .iter()
        .any(|c| c.iter().any(|(k, _)| *k == id));
    let mut out = Tally::default();
    let mut owned = Bits::none(segment.len());
    let mut deferred = Bits::none(segment.len());
    let mut own: Vec<Code> = Vec::new();
    for (number, group) in segment.groups.iter().enumerate() {
        let derived = snapshot.derived.columns(index, number).iter();
        let derived = derived.filter(|c| c.key == id).map(|c| &c.cells);
        let columns: Vec<_> = columns_of(&group.columns, id).chain(derived).collect();
        let mut consts = Vec::new();
        if let Some(shape) = catalog.shapes.get(group.shape.index()) {
            among(&shape.consts, &mut consts);
        }
        if columns.is_empty() && consts.is_empty() && !in_contexts {
            continue;
        }
        for (place, row) in group.rows.iter().enumerate() {
            let row = *row as usize;
            own.clear();
            own.extend_from_slice(&consts);
            for column in &columns {
                match column.cell(place) {
                    Cell::Absent => {}
                    Cell::One(code) => own.push(code),
                    Cell::Many(codes) => own.extend_from_slice(codes),
                    Cell::Deferred => own.push(DEFER),
                }
            }
            if in_contexts
                && let Some(context) = segment.context(row)
                && let Some(values) = catalog.contexts.get(context.index())
            {
                among(values, &mut own);
            }
            own.retain(|c| *c != NONE);
            if own.is_empty() {
                continue;
            }
            owned.set(row);
            if chosen.is_none_or(|c| c.get(row)) {
                if own.contains(&DEFER) {
                    deferred.set(row);
                } else {
                    count_once(&mut out.codes, key, &mut own);
                }
            }
        }
    }
    // What a record says itself wins over what its path says.
    for part in &segment.parts {
        let mut path = Vec::new();
        if let Some(source) = snapshot.source(part.source) {
            among(&source.consts, &mut path);
        }
        if path.is_empty() {
            continue;
        }
        let first = part.first_row as usize;
        let rows = (first..first + part.rows as usize)
            .filter(|row| !owned.get(*row) && chosen.is_none_or(|c| c.get(*row)))
            .count();
        if rows > 0 {
            path.retain(|c| *c != NONE);
            path.iter()
                .for_each(|c| *out.codes.entry(*c).or_default() += rows as u64);
        }
    }
    out.deferred = deferred.any().then_some(deferred);
    out
}

/// Counts the different values of one event.
fn count_once(codes: &mut FxHashMap<Code, u64>, key: &KeyView, own: &mut Vec<Code>) {
    if own.len() > 1 {
        let mut seen: Vec<Code> = Vec::new();
        own.retain(|code| {
            let canonical = key.dict.canonical(*code);
            let new = !seen.contains(&canonical);
            if new {
                seen.push(canonical);
            }
            new
        });
    }
    for code in own {
        *codes.entry(*code).or_default() += 1;
    }
}

/// The values that are not in columns, read from the text.
fn read_deferred(
    snapshot: &Snapshot,
    tallies: &[Tally],
    id: KeyId,
    cancel: &Cancel,
) -> Vec<(String, u64)> {
    let open = |segment: usize, first, end| {
        let rows = tallies[segment].deferred.as_ref();
        rows.is_some_and(|rows| rows.any_in(first, end))
    };
    let sources = parts_by_source(&snapshot.segments, open);
    let counted = sources.par_iter().map(|parts| {
        let mut counted = Counted::default();
        let Some((source, reader)) = readable(snapshot, parts.source) else {
            return counted;
        };
        let places = parts.parts.iter().flat_map(|&(index, first, end)| {
            let rows = tallies[index].deferred.iter();
            rows.flat_map(move |rows| rows.ones_in(first, end))
                .map(move |row| Place::of(snapshot, index, row))
        });
        blocks(source, places, cancel, |block| {
            for index in 0..block.places.len() {
                let fields = reader.fields(block.record(index), &snapshot.tables);
                let mut own: Vec<String> = Vec::new();
                let named = fields.pairs.into_iter().filter(|(k, _)| k.id == id);
                for (key, spellings) in named {
                    for spelling in spellings {
                        let same = |o: &String| {
                            let kind = key.kind;
                            kind.canonical(o).as_deref().unwrap_or(o)
                                == kind.canonical(&spelling).as_deref().unwrap_or(&spelling)
                        };
                        if !own.iter().any(same) {
                            own.push(spelling);
                        }
                    }
                }
                own.into_iter()
                    .for_each(|value| *counted.entry(value).or_default() += 1);
            }
        });
        counted
    });
    let counted: Vec<Counted> = counted.collect();
    counted.into_iter().flatten().collect()
}
