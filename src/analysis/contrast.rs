//! What is different about some events: values that are more frequent among them than among all others.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::base::words::grouped;
use crate::query::{Field, Selection, values};
use crate::store::Snapshot;

use super::check::once;

/// A value that tells the selected events from the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Distinct {
    /// The key; `template`, `level` and `source` too.
    pub key: String,
    /// The value.
    pub value: String,
    /// Selected events that have it.
    pub inside: u64,
    /// Other events that have it.
    pub outside: u64,
    /// How sure it is that this is no chance, in bits: the log-likelihood ratio of the two shares. The greater, the more it tells.
    pub score: f64,
}

/// The selected events, the others, and what tells them apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contrast {
    /// Number of selected events.
    pub inside: u64,
    /// Number of the others.
    pub outside: u64,
    /// By score, best first.
    pub values: Vec<Distinct>,
}

impl Contrast {
    /// How many events there are inside and outside, in words.
    pub fn told(&self) -> String {
        let (inside, outside) = (grouped(self.inside), grouped(self.outside));
        format!("{inside} events inside, {outside} outside")
    }
}

/// The values that are over-represented in a selection; records that stand in several sources count once. `None` when cancelled.
pub fn contrast(snapshot: &Snapshot, selected: &Selection, cancel: &Cancel) -> Option<Contrast> {
    let inside = once(snapshot, selected.clone());
    let mut outside = once(snapshot, Selection::all(snapshot));
    outside.and_not(selected);
    let (n, m) = (inside.len() as u64, outside.len() as u64);
    let keys = snapshot.catalog.keys.iter();
    let mut fields: Vec<Field> = keys.map(|k| Field::key(&k.key.name)).collect();
    fields.extend([Field::Template, Field::Level, Field::Source]);
    let of_field = |field: &Field| -> Option<Vec<Distinct>> {
        let here = values(snapshot, field, Some(&inside), cancel)?;
        if here.is_empty() {
            return Some(Vec::new());
        }
        // To count all is quicker than to count the others; where some records are copies it is not the same.
        let all_count = snapshot.copies.is_empty();
        let rest = if all_count { None } else { Some(&outside) };
        let there = values(snapshot, field, rest, cancel)?;
        let there: FxHashMap<String, u64> = there.into_iter().collect();
        let found = here.into_iter().filter_map(|(value, a)| {
            let mut b = there.get(&value).copied().unwrap_or(0);
            if all_count {
                b = b.saturating_sub(a);
            }
            let score = score((a.min(n), n), (b.min(m), m))?;
            Some(Distinct {
                key: field.name().to_owned(),
                value,
                inside: a,
                outside: b,
                score,
            })
        });
        Some(found.collect())
    };
    let found: Option<Vec<Vec<Distinct>>> = fields.par_iter().map(of_field).collect();
    let mut values: Vec<Distinct> = found?.into_iter().flatten().collect();
    let name = |d: &Distinct| (d.key.clone(), d.value.clone());
    values.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| name(a).cmp(&name(b)))
    });
    Some(Contrast {
        inside: n,
        outside: m,
        values,
    })
}

/// The log-likelihood ratio of `a` of `n` against `b` of `m`, bits; `None` when the first share is not the greater.
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
    fn what_is_sure_and_exclusive_scores_best() {
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
        // 10 of 10 against 0 of 90 is as much as is known about who is who.
        let entropy = -(0.1f64 * 0.1f64.log2() + 0.9 * 0.9f64.log2()) * 100.0;
        assert!((all - entropy).abs() < 1e-9);
    }
}
