//! Contrast: values that are more frequent among some events than among all others.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::words::grouped;
use widetui_format::catalog::keys::KeyView;
use widetui_query::code_counts::CodeCounts;
use widetui_query::tally::tally;
use widetui_query::{Field, Selection, values};
use widetui_store::Snapshot;

use crate::check::without_duplicates;

mod repeats;

/// Value that is more frequent among the selected events than among the others.
#[derive(Clone, Debug, PartialEq)]
pub struct DistinguishingValue {
    /// Name of the key, or `template`, `level`, `source`.
    pub key: String,
    /// Text of the value.
    pub value: String,
    /// Number of selected events with the value.
    pub inside: u64,
    /// Number of other events with the value.
    pub outside: u64,
    /// Log-likelihood ratio of the two shares, bits: the greater, the less likely the difference is
    /// chance.
    pub score: f64,
    /// Equivalent values of other keys: values of the same records, or the same value in some of
    /// these records. Best first.
    pub equivalents: Vec<DistinguishingValue>,
}

/// Result of a contrast: sizes of both sides and the distinguishing values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contrast {
    /// Number of selected events.
    pub inside: u64,
    /// Number of other events.
    pub outside: u64,
    /// Distinguishing values by score, best first.
    pub values: Vec<DistinguishingValue>,
}

impl Contrast {
    /// Text with the number of events inside and outside of the selection.
    pub fn summary(&self) -> String {
        let (inside, outside) = (grouped(self.inside), grouped(self.outside));
        let events = if self.inside == 1 { "event" } else { "events" };
        format!("{inside} {events} inside, {outside} outside")
    }
}

/// Finds values that are over-represented in a selection compared with all other records of `among`
/// (`None`: all records); duplicate records count once, fields in `besides` are skipped. `None`
/// when cancelled.
pub fn contrast(
    snapshot: &Snapshot,
    selected: &Selection,
    among: Option<&Selection>,
    excluded_fields: &[Field],
    cancel: &Cancel,
) -> Option<Contrast> {
    let mut inside = without_duplicates(snapshot, selected.clone());
    let all = among.cloned();
    let mut outside = without_duplicates(snapshot, all.unwrap_or_else(|| Selection::all(snapshot)));
    if among.is_some() {
        inside.and(&outside);
    }
    outside.and_not(selected);
    let sides = ContrastSides {
        inside_count: inside.len() as u64,
        outside_count: outside.len() as u64,
        inside,
        outside,
        is_restricted: among.is_some(),
    };
    let counts = tally(snapshot, &sides.inside, among, cancel)?;
    let is_news = |name: &str| excluded_fields.iter().all(|field| field.name() != name);
    let keys = snapshot.catalog.keys.iter().zip(counts);
    let keys = keys.filter(|(key, _)| is_news(&key.key.name));
    let keys: Vec<(&KeyView, CodeCounts)> = keys.collect();
    let of_key = |(key, counts): (&KeyView, CodeCounts)| match counts.deferred {
        [0, 0] => Some(sides.over_represented_in_counts(key, &counts)),
        // Values that are not stored are read from the text, key by key.
        _ => sides.over_represented_in_field(snapshot, &Field::key(&key.key.name), cancel),
    };
    let found: Option<Vec<Vec<DistinguishingValue>>> = keys.into_par_iter().map(of_key).collect();
    let fields = [Field::Template, Field::Level, Field::Source];
    let others = fields.par_iter().filter(|field| is_news(field.name()));
    let others = others.map(|field| sides.over_represented_in_field(snapshot, field, cancel));
    let others: Option<Vec<Vec<DistinguishingValue>>> = others.collect();
    let mut values: Vec<DistinguishingValue> =
        found?.into_iter().chain(others?).flatten().collect();
    values.sort_by(|a, b| {
        let by_name = || (&a.key, &a.value).cmp(&(&b.key, &b.value));
        b.score.total_cmp(&a.score).then_with(by_name)
    });
    let values = repeats::merge_equivalents(snapshot, values, among, cancel)?;
    Some(Contrast {
        inside: sides.inside_count,
        outside: sides.outside_count,
        values,
    })
}

/// Both sides of a contrast.
struct ContrastSides {
    inside: Selection,
    outside: Selection,
    inside_count: u64,
    outside_count: u64,
    /// Whether some records belong to neither side.
    is_restricted: bool,
}

impl ContrastSides {
    /// Builds a value from its counts inside and outside; `None` if the value is not
    /// over-represented.
    fn distinguishing_value(
        &self,
        key: &str,
        value: String,
        a: u64,
        b: u64,
    ) -> Option<DistinguishingValue> {
        Some(DistinguishingValue {
            score: self.score(a, b)?,
            key: key.to_owned(),
            value,
            inside: a,
            outside: b,
            equivalents: Vec::new(),
        })
    }

    /// Score of a value that `a` selected and `b` other events have.
    fn score(&self, a: u64, b: u64) -> Option<f64> {
        score(
            (a.min(self.inside_count), self.inside_count),
            (b.min(self.outside_count), self.outside_count),
        )
    }

    /// Over-represented values of a key. Spellings of one value are merged; the spelling of most
    /// selected events is shown.
    fn over_represented_in_counts(
        &self,
        key: &KeyView,
        counts: &CodeCounts,
    ) -> Vec<DistinguishingValue> {
        let mut codes: FxHashMap<Code, ValueCounts> = FxHashMap::default();
        let mut spellings: FxHashMap<Code, u64> = FxHashMap::default();
        for (code, [outside, inside]) in counts.iter() {
            let value = codes.entry(key.dict.canonical(code)).or_default();
            value.inside += u64::from(inside);
            value.outside += u64::from(outside);
            if inside > 0 {
                *spellings.entry(code).or_default() += u64::from(inside);
            }
        }
        codes.retain(|_, v| v.inside > 0 && self.score(v.inside, v.outside).is_some());
        for (code, events) in spellings {
            let Some(value) = codes.get_mut(&key.dict.canonical(code)) else {
                continue;
            };
            let Some(text) = key.spelling(code) else {
                continue;
            };
            let is_usual = match &value.spelling {
                None => true,
                Some((most, known)) => (events, known) > (*most, &text),
            };
            if is_usual {
                value.spelling = Some((events, text));
            }
        }
        let name = &*key.key.name;
        let values = codes.into_values();
        values
            .filter_map(|v| self.distinguishing_value(name, v.spelling?.1, v.inside, v.outside))
            .collect()
    }

    /// Over-represented values of a field, counted for this field alone.
    fn over_represented_in_field(
        &self,
        snapshot: &Snapshot,
        field: &Field,
        cancel: &Cancel,
    ) -> Option<Vec<DistinguishingValue>> {
        let here = values(snapshot, field, Some(&self.inside), cancel)?;
        if here.is_empty() {
            return Some(Vec::new());
        }
        // Counting all events is faster than counting the others, but gives a different result with
        // duplicate records.
        let all_count = snapshot.duplicates.is_empty() && !self.is_restricted;
        let rest = if all_count { None } else { Some(&self.outside) };
        let there = values(snapshot, field, rest, cancel)?;
        let there: FxHashMap<String, u64> = there.into_iter().collect();
        let found = here.into_iter().filter_map(|(value, a)| {
            let b = there.get(&value).copied().unwrap_or(0);
            let b = if all_count { b.saturating_sub(a) } else { b };
            self.distinguishing_value(field.name(), value, a, b)
        });
        Some(found.collect())
    }
}

/// Counts and most frequent spelling of a value.
#[derive(Default)]
struct ValueCounts {
    inside: u64,
    outside: u64,
    spelling: Option<(u64, String)>,
}

/// Log-likelihood ratio of `a` of `n` against `b` of `m`, bits; `None` if the first share is not
/// greater.
fn score((a, n): (u64, u64), (b, m): (u64, u64)) -> Option<f64> {
    let (a, n, b, m) = (a as f64, n as f64, b as f64, m as f64);
    if a * m <= b * n {
        return None;
    }
    let part = |k: f64, of: f64, p: f64| {
        let yes = if k > 0.0 {
            k * (k / of / p).log2()
        } else {
            0.0
        };
        let rest = of - k;
        let no = (rest / of) / (1.0 - p);
        yes + if rest > 0.0 { rest * no.log2() } else { 0.0 }
    };
    let p = (a + b) / (n + m);
    Some(part(a, n, p) + if m > 0.0 { part(b, m, p) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::score;

    #[test]
    fn certain_and_exclusive_values_score_best() {
        let all = score((10, 10), (0, 90)).unwrap();
        let most = score((9, 10), (0, 90)).unwrap();
        let common = score((10, 10), (80, 90)).unwrap();
        let few = score((1, 10), (0, 90)).unwrap();
        assert!(
            all > most && most > few && few > common,
            "{all} {most} {few} {common}"
        );
        assert_eq!(score((1, 10), (9, 90)), None);
        assert_eq!(score((5, 10), (5, 5)), None);
        // A perfect separation of 10 against 90 scores the entropy of membership.
        let entropy = -(0.1f64 * 0.1f64.log2() + 0.9 * 0.9f64.log2()) * 100.0;
        assert!((all - entropy).abs() < 1e-9);
    }
}
