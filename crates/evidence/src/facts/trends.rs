//! Numbers that only grow, up to the failure or towards a limit.

use rustc_hash::FxHashMap;

use super::fact::{Fact, Statement};
use crate::actors::{Measure, RecordIndex, Records};
use crate::data::{Data, Word};
use widetui_core::level::Level;

/// Least number of values.
const VALUES: usize = 6;

/// Finds numbers that only grow.
pub(super) fn find(records: &Records) -> Vec<Fact> {
    let mut series: FxHashMap<(u32, u32, u16), Vec<(RecordIndex, Measure)>> = FxHashMap::default();
    let data = Data::get();
    let mut grows: FxHashMap<(u32, u32), bool> = FxHashMap::default();
    for (at, r) in (0..).zip(&records.list) {
        for m in records.measures(r).iter().filter(|m| !m.is_limit) {
            // Its own word decides, then those of its line: progress grows as it should.
            let may = *grows.entry((r.template, m.class)).or_insert_with(|| {
                let own = data.meanings(records.text(m.class));
                let line = data.meanings(records.text(r.template));
                own.has(Word::Growing)
                    || !own.has(Word::Progress) && line.has(Word::Growing) && m.dimension.is_some()
            });
            if may {
                series
                    .entry((r.source, r.template, m.slot))
                    .or_default()
                    .push((at, *m));
            }
        }
    }
    let mut series: Vec<_> = series
        .into_iter()
        .filter(|(_, s)| s.len() >= VALUES)
        .collect();
    series.sort_by_key(|(key, _)| *key);
    let facts = series
        .into_iter()
        .filter_map(|(_, values)| trend(records, &values));
    let mut facts: Vec<Fact> = facts.collect();
    facts.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    facts.truncate(5);
    facts
}

fn trend(records: &Records, values: &[(RecordIndex, Measure)]) -> Option<Fact> {
    let ((_, first), (last_at, last)) = (values.first()?, values.last()?);
    let steps = values.windows(2).map(|w| w[1].1.value - w[0].1.value);
    let n = (values.len() - 1) as f64;
    let up = steps.clone().filter(|d| *d > 0.0).count() as f64 / n;
    let down = steps.filter(|d| *d < 0.0).count() as f64 / n;
    if first.value < 0.0
        || up < 0.7
        || down > 0.1
        || last.value < 2.0 * first.value.max(1e-9)
        || last.value - first.value < 3.0
    {
        return None;
    }
    let near = last.value * 0.8..last.value * 1.5;
    let limit = records.list.iter().find_map(|r| {
        let mut limits = records.measures(r).iter();
        limits.find(|m| {
            m.is_limit
                && m.dimension.is_some()
                && m.dimension == first.dimension
                && near.contains(&m.value)
        })
    });
    let after = records
        .list
        .iter()
        .skip((*last_at as usize).saturating_sub(3));
    let fails = { after }.any(|r| r.level >= Level::Error || r.meanings.has(Word::Kill));
    let strength =
        0.35 + 0.25 * f64::from(u8::from(limit.is_some())) + 0.25 * f64::from(u8::from(fails));
    let statement = Statement::Trend {
        first: first.value,
        last: last.value,
        times: values.len() as u32,
        limit: limit.map(|l| l.value),
    };
    let r = records.record(*last_at);
    let named = records
        .named(r)
        .iter()
        .copied()
        .filter(|i| !records.is_place(*i))
        .take(3);
    let mut fact = Fact::new(statement, strength)
        .about(named.chain([r.actor]))
        .shown_by([*last_at, values[0].0]);
    fact.time = records.record(values[0].0).seconds();
    Some(fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::made;

    fn run(word: &str, end: &str) -> Vec<Fact> {
        let lines: Vec<String> = (0..10)
            .map(|i| format!("{i} a.log INFO poll: {word} {} MB", 100 + 90 * i))
            .collect();
        find(&made(&(lines.join("\n") + end)))
    }

    #[test]
    fn memory_that_only_grows_is_a_trend() {
        assert_eq!(run("memory", "\n11 a.log ERROR killed").len(), 1);
    }

    #[test]
    fn progress_is_no_trend() {
        assert!(run("received", "\n11 a.log INFO done").is_empty());
    }
}
