//! Extraction of keys from the values of another key, parsing each distinct value once.

use std::borrow::Cow;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_format::catalog::keys::KeyView;
use widetui_format::pattern::Spans;
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE, disputed_rows};

use crate::extraction::{Extracted, ExtractionGroups, to_owned_values};
use crate::spec::ExtractionRule;

/// Parses the values of a key that occur in the snapshot. `None` when cancelled.
pub(crate) fn extract(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    source_key: &str,
    participants: Option<Selection>,
    cancel: &Cancel,
) -> Option<Extracted> {
    let key = snapshot.catalog.keys.find(source_key);
    let Some(key) = key else {
        return Some(Extracted::none(0));
    };
    let duplicated_rows = disputed_rows(snapshot);
    let counts: FxHashMap<Code, usize> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            let mut counts: FxHashMap<Code, usize> = FxHashMap::default();
            if cancel.is_cancelled() {
                return counts;
            }
            let view = SegmentView::new(snapshot, index, &duplicated_rows[index]);
            let bits = participants.as_ref().and_then(|s| s.segment(index));
            for at in 0..view.segment.groups.len() {
                count_values(&view, at, key, bits, &mut counts);
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
    let spellings = Spellings::new(snapshot, key);
    let mut codes: Vec<(Code, usize)> = counts.into_iter().collect();
    codes.sort_unstable();
    let (mut groups, mut events, mut all) = (Vec::new(), 0, 0);
    let mut spans = Spans::new();
    for (code, rows) in codes {
        all += rows;
        let texts = spellings.texts(code);
        let mut read = texts
            .iter()
            .filter_map(|text| Some(to_owned_values(&rule.extract(text, &mut spans)?)));
        if let Some(values) = read.next() {
            events += rows;
            groups.push((code, values));
        }
    }
    Some(Extracted {
        groups_by: ExtractionGroups::ByValue(key),
        groups,
        participants,
        events,
        candidates: all,
    })
}

/// Canonical spellings of the values of a key that records and paths state.
pub(crate) fn stated(snapshot: &Snapshot, key: KeyId) -> Vec<String> {
    let mut counts: FxHashMap<Code, usize> = FxHashMap::default();
    for index in 0..snapshot.segments.len() {
        let view = SegmentView::new(snapshot, index, &[]);
        for at in 0..view.segment.groups.len() {
            count_values(&view, at, key, None, &mut counts);
        }
    }
    let view = snapshot.catalog.keys.get(key);
    let spelling = |code: Code| view.and_then(|view| view.spelling(code));
    counts.into_keys().filter_map(spelling).collect()
}

/// Spellings of the values of a key in the logs.
struct Spellings<'a> {
    view: Option<&'a KeyView>,
    /// Non-canonical spellings by canonical code.
    others: FxHashMap<Code, Vec<&'a str>>,
}

impl<'a> Spellings<'a> {
    fn new(snapshot: &'a Snapshot, key: KeyId) -> Spellings<'a> {
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

    /// Spellings of a value: first those of the logs in alphabetical order, then the canonical one.
    fn texts(&self, code: Code) -> Vec<Cow<'a, str>> {
        let others = self.others.get(&code).into_iter().flatten();
        let mut texts: Vec<Cow<'a, str>> = others.map(|text| Cow::Borrowed(*text)).collect();
        texts.extend(self.view.and_then(|v| v.spelling(code)).map(Cow::Owned));
        texts
    }
}

/// Counts the rows per value of a key in a group of a segment; each element of a list counts once.
fn count_values(
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
    match group.key_column(key) {
        KeyColumn::Absent => {}
        KeyColumn::Const(code) => note(code, (0..rows.len()).filter(|p| is_in(*p)).count()),
        KeyColumn::Rows(codes) => {
            let inside = codes.iter().enumerate().filter(|(p, _)| is_in(*p));
            inside.for_each(|(_, code)| note(*code, 1));
        }
        KeyColumn::Elements(codes) => codes.iter().for_each(|code| note(*code, 1)),
    }
}
