//! Records that report a problem in so many words: exceptions, reasons, errors, warnings, and quiet deviations.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_core::level::Level;

use super::fact::{Fact, Statement};
use super::recovery::recovered;
use crate::actors::{InstanceIndex, Record, RecordIndex, Records};
use crate::data::{Meanings, Word};

/// Most records of a group that are examined for recovery.
const EXAMINED: usize = 50;

/// Problem that a group of records reports.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key<'a> {
    Template(u32, u32),
    Exception(&'a str, u32),
}

impl<'a> Key<'a> {
    /// Problem that the records report, wherever they stand.
    fn problem(&self) -> (Option<u32>, &'a str) {
        match self {
            Key::Template(template, _) => (Some(*template), ""),
            Key::Exception(root, _) => (None, root),
        }
    }
}

/// Longest time between a record and its copy in another log, s.
const TWIN: f64 = 1.0;

/// True if each record repeats one of the others: at its time, in its words, and about no other instance.
fn are_copies(records: &Records, copies: &[RecordIndex], others: &[RecordIndex]) -> bool {
    let is_twin = |copy: &Record, other: &Record| {
        let times = copy.seconds().zip(other.seconds());
        let named = records.named(other);
        let is_named = |i: &InstanceIndex| {
            named.contains(i) || records.is_place(*i) || records.class(*i) == "log"
        };
        copy.template == other.template
            && times.is_some_and(|(a, b)| (a - b).abs() <= TWIN)
            && records.named(copy).iter().all(is_named)
    };
    let mut copies = copies.iter().map(|r| records.record(*r));
    copies.all(|copy| others.iter().any(|r| is_twin(copy, records.record(*r))))
}

/// Records that report one problem, with their copies in other logs.
struct Group {
    records: Vec<RecordIndex>,
    copies: Vec<RecordIndex>,
}

/// Finds groups of such records; `harmless` ones aside. What concerns work that `succeeded` came right.
pub(super) fn find(
    records: &Records,
    harmless: &FxHashSet<RecordIndex>,
    succeeded: &FxHashSet<InstanceIndex>,
) -> Vec<Fact> {
    let mut groups: FxHashMap<Key<'_>, Vec<RecordIndex>> = FxHashMap::default();
    for (at, r) in (0..).zip(&records.list) {
        if harmless.contains(&at) {
            continue;
        }
        let group = records
            .group_of_source
            .get(r.source as usize)
            .copied()
            .unwrap_or_default();
        let key = match &r.exception {
            Some(e) if e.is_interrupt => continue,
            Some(e) => Key::Exception(e.root.get(..60).unwrap_or(&e.root), group),
            None if is_telling(records, r) => Key::Template(r.template, group),
            None => continue,
        };
        groups.entry(key).or_default().push(at);
    }
    let mut groups: Vec<(Key<'_>, Group)> = groups
        .into_iter()
        .map(|(key, records)| {
            (
                key,
                Group {
                    records,
                    copies: Vec::new(),
                },
            )
        })
        .collect();
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    // What a console repeats says nothing new; the record with a level counts.
    groups.dedup_by(|(later, other), (key, group)| {
        let has_level = |group: &Group| {
            { group.records.iter() }.any(|r| records.record(*r).level != Level::Unknown)
        };
        let are_twins =
            key.problem() == later.problem() && are_copies(records, &other.records, &group.records);
        if are_twins {
            let is_better = has_level(other) && !has_level(group);
            if is_better && are_copies(records, &group.records, &other.records) {
                std::mem::swap(&mut other.records, &mut group.records);
            }
            group.copies.append(&mut other.records);
            group.copies.append(&mut other.copies);
        }
        are_twins
    });
    groups
        .into_iter()
        .map(|(_, group)| fact(records, succeeded, &group))
        .collect()
}

fn is_telling(records: &Records, r: &Record) -> bool {
    let m = r.meanings;
    if r.level >= Level::Warning || r.printed.is_some() {
        return true;
    }
    if m.has(Word::Harmless) || m.has(Word::Interrupt) {
        return false;
    }
    let few = 3 + records.total / 100;
    match r.level {
        Level::Unknown => {
            m.has(Word::Trouble)
                || m.has(Word::Reason)
                || m.has(Word::Quiet) && records.count(r.template) <= few
        }
        _ => {
            (m.has(Word::Quiet) || m.has(Word::Hard)) && records.count(r.template) <= few
                || m.has(Word::Trouble) && m.has(Word::Hard)
        }
    }
}

fn fact(records: &Records, succeeded: &FxHashSet<InstanceIndex>, group: &Group) -> Fact {
    let at = &group.records;
    let first = records.record(at[0]);
    let level = at
        .iter()
        .map(|r| records.record(*r).level)
        .max()
        .unwrap_or_default();
    // Warnings of Python's `warnings` module have no level: `UserWarning: …`.
    let is_warning = level == Level::Unknown && records.text(first.template).contains("Warning: ");
    let level = if is_warning { Level::Warning } else { level };
    let exception = first.exception.as_ref();
    let m = exception.map_or(first.meanings, |e| e.meanings);
    let m = if m.any() {
        m
    } else {
        first.printed.unwrap_or(m)
    };
    let statement = statement(m, level, exception.is_some());
    let mut strength = strength(&statement, m, level);
    if m.has(Word::Effect) {
        strength *= 0.6;
    }
    let named = |r: &RecordIndex| records.named(records.record(*r)).iter().copied();
    let own: Vec<InstanceIndex> = at
        .iter()
        .chain(&group.copies)
        .take(200)
        .flat_map(named)
        .filter(|i| !records.is_place(*i))
        .collect();
    let subject = own.iter().copied().find(|i| {
        !matches!(
            records.class(*i),
            "pid" | "id" | "file" | "log" | "name" | "address" | "#"
        )
    });
    let mut fact = Fact::new(statement, strength)
        .about(subject.into_iter().chain(own))
        .shown_by(at.iter().chain(&group.copies).copied().take(20));
    fact.subject = subject.or(Some(first.actor));
    fact.is_bad = match level {
        Level::Unknown => m.is_trouble() || exception.is_some(),
        Level::Error | Level::Critical => true,
        _ => false,
    };
    let examined = &at[..at.len().min(EXAMINED)];
    let came_right = |r: &RecordIndex| {
        let mut named = records.named(records.record(*r)).iter();
        match named.any(|i| succeeded.contains(i)) {
            true => 1.0,
            false => recovered(records, *r),
        }
    };
    fact.recovered = examined.iter().map(came_right).sum::<f64>() / examined.len() as f64;
    let count: f64 = at.iter().map(|r| records.record(*r).weight).sum();
    fact.count = count.round() as u32;
    fact.time = at.iter().find_map(|r| records.record(*r).seconds());
    fact
}

fn statement(m: Meanings, level: Level, is_exception: bool) -> Statement {
    match level {
        _ if is_exception => Statement::Exception,
        Level::Error | Level::Critical if m.has(Word::Reason) => Statement::Reason,
        Level::Error | Level::Critical => Statement::Error,
        Level::Unknown if m.has(Word::Reason) && m.is_trouble() => Statement::Reason,
        Level::Unknown if m.is_trouble() => Statement::Error,
        Level::Warning if m.has(Word::Hard) => Statement::Reason,
        Level::Warning => Statement::Warning,
        _ => Statement::Quiet,
    }
}

fn strength(statement: &Statement, m: Meanings, level: Level) -> f64 {
    let hard = m.has(Word::Hard);
    match statement {
        Statement::Exception if level < Level::Error && level != Level::Unknown => 0.65,
        Statement::Exception => 0.9,
        Statement::Reason if level == Level::Warning => 0.55,
        Statement::Reason if hard => 0.85,
        Statement::Reason => 0.7,
        Statement::Error => 0.6,
        Statement::Warning if m.is_trouble() => 0.5,
        Statement::Warning => 0.3,
        _ if hard => 0.65,
        _ if level == Level::Debug => 0.4,
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn reasons_are_stronger_than_effects() {
        let records = made(
            "1 a.log INFO chunk 3 started
             2 a.log ERROR cannot write chunk 3: no space left on device
             3 a.log ERROR 1 of 8 chunks failed
             4 a.log WARNING slow disk",
        );
        let facts = find(&records, &FxHashSet::default(), &FxHashSet::default());
        let of = |name: &str| facts.iter().find(|f| f.statement.name() == name).unwrap();
        assert!(of("reason").strength > of("error").strength);
        assert!(of("warning").strength < of("error").strength);
        assert_eq!(name(&records, of("reason").subject.unwrap()), "chunk 3");
    }

    #[test]
    fn what_the_console_repeats_is_one_problem() {
        let find = |text: &str| {
            let records = made(text);
            let facts = find(&records, &FxHashSet::default(), &FxHashSet::default());
            let shown = facts[0].records[0];
            (facts.len(), records.record(shown).level)
        };
        let console = "0 console.txt - hello\n0 console.txt - press q to leave\n";
        let one = "1 a.log ERROR probe lost its lock\n1.2 console.txt - probe lost its lock\n2 a.log INFO up\n3 a.log INFO down\n";
        assert_eq!(find(&[console, one].concat()), (1, Level::Error));
        let two = "1 a.log ERROR probe lost its lock\n9 console.txt - probe lost its lock\n2 a.log INFO up\n3 a.log INFO down\n";
        let two = [console, two].concat();
        let two = find(&two);
        assert_eq!(two.0, 2);
    }

    #[test]
    fn harmless_words_are_no_trouble() {
        assert!(
            find(
                &made("1 a.log INFO finished with 0 errors\n2 a.log - error rate 0.01 below bound"),
                &FxHashSet::default(),
                &FxHashSet::default()
            )
            .is_empty()
        );
    }
}
