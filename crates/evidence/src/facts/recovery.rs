//! Signs of life after a failure: the instance goes on, the attempt is repeated with success, the whole ends well.

use rustc_hash::FxHashSet;
use widetui_core::level::Level;

use crate::actors::{RecordIndex, Records};
use crate::data::Word;

/// Records of a source after a failure among which a repeated success is sought.
const NEAR: usize = 12;

/// Probability that what a record reports came right later.
pub(super) fn recovered(records: &Records, at: RecordIndex) -> f64 {
    let r = records.record(at);
    if r.time.is_none() {
        return 0.0;
    }
    let is_good = |x: RecordIndex| {
        let x = records.record(x);
        x.meanings.is_good() && x.level < Level::Warning
    };
    for i in records.named(r).iter().take(4).copied() {
        if records.is_place(i) || matches!(records.class(i), "pid" | "id" | "file" | "log" | "name")
        {
            continue;
        }
        let later = records
            .of(i)
            .iter()
            .rev()
            .copied()
            .take_while(|x| *x > at)
            .take(3);
        if { later }.any(is_good) {
            return 1.0;
        }
    }
    let own = records
        .of_source
        .get(r.source as usize)
        .map_or(&[][..], |o| o);
    let from = own.partition_point(|x| *x <= at);
    let later = &own[from..];
    let stems = stems(records.text(r.template));
    for x in later.iter().take(NEAR).filter(|x| is_good(**x)) {
        let shared = self::stems(records.text(records.record(*x).template))
            .intersection(&stems)
            .count();
        let same = records.named(r).iter().filter(|i| !records.is_place(**i));
        let same = { same }.all(|i| records.named(records.record(*x)).contains(i));
        if shared >= 2 && same {
            return 1.0;
        }
    }
    // The writer goes on for long, and its last records are in order.
    let ends_well = later.iter().rev().take(3).all(|x| {
        let x = records.record(*x);
        x.level < Level::Error && !x.meanings.is_trouble()
    });
    let has_good = later.iter().any(|x| is_good(*x));
    match later.len() >= 5 && ends_well {
        true if has_good => 0.7,
        true => 0.55,
        false => 0.0,
    }
}

/// Beginnings of long words.
fn stems(text: &str) -> FxHashSet<String> {
    let words = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|w| w.len() >= 5);
    words
        .map(|w| w.chars().take(6).collect::<String>().to_lowercase())
        .collect()
}

/// Last records of each source.
fn ends(records: &Records) -> impl Iterator<Item = RecordIndex> {
    records
        .of_source
        .iter()
        .filter_map(|all| all.last())
        .copied()
}

/// True if the run ended well as a whole: its last records say so, and no source ends with a failure.
pub fn ended_well(records: &Records) -> bool {
    let dated = (0..records.list.len() as u32)
        .rev()
        .filter(|r| records.record(*r).time.is_some());
    let says =
        { dated.take(3).chain(ends(records)) }.any(|r| records.record(r).meanings.has(Word::Well));
    says && !ends_with_failure(records)
}

/// True if a source ends with a failure.
pub fn ends_with_failure(records: &Records) -> bool {
    ends(records).any(|r| {
        let r = records.record(r);
        r.level >= Level::Error
            || r.exception.is_some()
            || r.meanings.is_trouble() && r.level != Level::Debug
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::made;

    #[test]
    fn a_repeated_success_recovers() {
        let records = made(
            "1 a.log INFO download 6 started
             2 a.log ERROR download 6: checksum mismatch
             3 a.log INFO download 6 started
             4 a.log INFO download 6 verified ok
             4 a.log INFO download 7 started
             5 a.log INFO download 7 verified ok",
        );
        assert!(recovered(&records, 1) > 0.9);
        assert!(!ended_well(&records));
    }

    #[test]
    fn runs_say_that_they_ended_well() {
        assert!(ended_well(&made(
            "1 a.log WARNING slow\n2 a.log INFO all 12 tasks done"
        )));
        assert!(!ended_well(&made(
            "1 a.log INFO all 12 tasks done\n2 b.log ERROR write failed"
        )));
    }
}
