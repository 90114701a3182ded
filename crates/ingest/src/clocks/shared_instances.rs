//! Clock offsets shown by records about the same instances in a log without a zone and in others.
//!
//! Two programs record one event about a job in about the same second, each on its clock and in its words. If the records of a
//! log about instances that others know, too, are the same whole number of quarters of an hour away from theirs, the assumed
//! zone of the log is wrong by these quarters. An instance is a value of a key, or a name with letters and digits under any
//! keys, since programs of different systems have few keys in common. A single random id shows the offset, as nothing else has
//! the id. Instances with many kinds of records (a node, a worker) coincide under any offset and do not count; neither do those
//! with the same words on both sides, which two runs of one program have.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::folders;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;
use widetui_store::source::{Source, Zoning};

use crate::clocks::{ClockOffset, Range, SECOND, has_assumed_zone, is_assumed, range_of};

/// Maximum number of records of a source that are examined.
const RECORDS: u64 = 32_768;
/// Maximum number of records that are examined in all.
const ALL_RECORDS: u64 = 131_072;
/// Maximum number of records about an instance that count, on each side; about a node, a worker there are more.
const FEW: usize = 12;
/// Maximum number of seconds with records that name a random id by which alone an offset is shown.
const FEW_OF_ID: usize = 2;
/// Maximum number of judged sources that are compared by one instance.
const SOURCES: usize = 32;
/// Smallest length of a random id, bytes.
const ID: usize = 16;
/// Smallest length of a name with letters and digits, bytes.
const NAME: usize = 5;
/// Number of instances that show an offset, without random ids.
const ENOUGH: usize = 3;
const QUARTER: i64 = 900;
const HOUR: i64 = 4 * QUARTER;
/// Tolerance between two reports of an event, s.
const NEAR: i64 = 1;
/// Offsets of zones, s: from Baker Island to Kiribati.
const ZONES: std::ops::RangeInclusive<i64> = -12 * HOUR..=14 * HOUR;

/// Role of a source in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Source of which the zone is assumed.
    Judged,
    /// Source whose times are right, or to which those of others are relative.
    Reference,
}

/// Kind of the value that identifies an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ValueKind {
    /// Number, or a word of an identifier.
    #[default]
    OfKey,
    /// Name with letters and digits: `wo-17000`.
    Name,
    /// Many hexadecimal digits.
    RandomId,
}

/// Records about an instance on one side. A program that asks for the state of a job again and again reports it once: of many
/// records the first of each template counts.
#[derive(Clone, Debug, Default)]
struct Reports {
    /// Seconds of the records, each once; at most `FEW + 1`.
    all: Vec<i64>,
    /// Templates of the messages, with the second of the first record of each; at most `FEW + 1`.
    first: Vec<(u32, i64)>,
}

impl Reports {
    fn add(&mut self, second: i64, template: u32) {
        if self.all.len() <= FEW && !self.all.contains(&second) {
            self.all.push(second);
        }
        if self.first.len() <= FEW && !self.first.iter().any(|(of, _)| *of == template) {
            self.first.push((template, second));
        }
    }

    /// Seconds that count; `None` if too many do.
    fn seconds(&self) -> Option<Vec<i64>> {
        let is_few = |n: usize| (1..=FEW).contains(&n);
        match is_few(self.all.len()) {
            true => Some(self.all.clone()),
            false if is_few(self.first.len()) => Some(self.first.iter().map(|(_, s)| *s).collect()),
            false => None,
        }
    }
}

/// Reports about an instance: those of the references, with one of their sources, and those of each judged source, with the key.
#[derive(Clone, Debug, Default)]
struct Mentions {
    kind: ValueKind,
    reference: Reports,
    witness: usize,
    judged: Vec<(usize, KeyId, Reports)>,
}

impl Mentions {
    /// Reports of a source; `None` if too many sources have some.
    fn reports(&mut self, side: Side, source: usize, key: KeyId) -> Option<&mut Reports> {
        if side == Side::Reference {
            self.witness = source;
            return Some(&mut self.reference);
        }
        let known = { self.judged.iter() }.position(|(of, by, _)| (*of, *by) == (source, key));
        if known.is_none() && self.judged.len() < SOURCES {
            self.judged.push((source, key, Reports::default()));
        }
        let at = known.unwrap_or(self.judged.len().saturating_sub(1));
        let found = self
            .judged
            .get_mut(at)
            .filter(|(of, by, _)| (*of, *by) == (source, key));
        found.map(|(_, _, reports)| reports)
    }
}

/// Quarters of an hour by which the seconds `own` and `reference` of an instance are apart, each once.
fn quarters(own: &[i64], reference: &[i64]) -> Vec<i64> {
    let pairs = { own.iter() }.flat_map(|a| reference.iter().map(move |b| (a, b)));
    let apart = pairs.filter_map(|(a, b)| {
        let apart = b.checked_sub(*a)?;
        let quarters = apart.saturating_add(QUARTER / 2).div_euclid(QUARTER);
        (apart.abs_diff(quarters * QUARTER) <= NEAR.unsigned_abs()).then_some(quarters)
    });
    let mut out: Vec<i64> = apart.collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Evidence about the clock of a source by the values of one key.
#[derive(Clone, Debug, Default)]
struct Votes {
    /// Number of instances by offset, quarters of an hour: those with random ids, and others.
    by_offset: FxHashMap<i64, (usize, usize)>,
    compared: usize,
    witness: usize,
}

impl Votes {
    fn add(&mut self, mentions: &Mentions, own: &Reports) {
        let reference = &mentions.reference;
        let is_random_id = mentions.kind == ValueKind::RandomId;
        let is_of_both =
            |(template, _): &(u32, i64)| reference.first.iter().any(|(other, _)| other == template);
        let is_one_program = || own.first.iter().any(is_of_both);
        let (Some(seconds), Some(others)) = (own.seconds(), reference.seconds()) else {
            return;
        };
        if !is_random_id && is_one_program() {
            return;
        }
        let is_sure = is_random_id && seconds.len().max(others.len()) <= FEW_OF_ID;
        self.compared += 1;
        self.witness = mentions.witness;
        for offset in quarters(&seconds, &others) {
            let (sure, others) = self.by_offset.entry(offset).or_default();
            *match is_sure {
                true => sure,
                false => others,
            } += 1;
        }
    }

    /// Offset that nearly all instances show, quarters of an hour, and their number; `None` without enough of them.
    fn offset(&self) -> Option<(i64, usize)> {
        let number = |(sure, others): &(usize, usize)| sure + others;
        let by_number = |(offset, n): &(&i64, &(usize, usize))| (number(n), Reverse(offset.abs()));
        let (offset, n) = self.by_offset.iter().max_by_key(by_number)?;
        let is_shown = n.0 > 0 && *offset % 4 == 0 || number(n) >= ENOUGH;
        (is_shown && number(n) * 4 >= self.compared * 3).then_some((*offset, number(n)))
    }
}

/// Evidence about the clocks of judged sources, by source and key.
type AllVotes = FxHashMap<usize, FxHashMap<KeyId, Votes>>;

/// Offset of a source by the key with most instances that show one, quarters of an hour, and a witness; `None` if its clock is
/// right, or if another key shows another offset.
fn shown_offset(votes: &FxHashMap<KeyId, Votes>) -> Option<(i64, usize)> {
    let shown = votes
        .values()
        .filter_map(|votes| Some((votes.offset()?, votes.witness)));
    let shown: Vec<((i64, usize), usize)> = shown.collect();
    let ((offset, _), witness) =
        { shown.iter() }.max_by_key(|((offset, n), _)| (*n, Reverse(offset.abs())))?;
    let is_common = shown.iter().all(|((other, _), _)| other == offset);
    (is_common && *offset != 0).then_some((*offset, *witness))
}

/// Finds the sources of which the zone is wrong, those with the same offset in one entry.
pub(crate) fn find_offsets(snapshot: &Snapshot) -> Vec<ClockOffset> {
    let Some(sides) = sides(snapshot) else {
        return Vec::new();
    };
    let mut votes = AllVotes::default();
    for mentions in mentions(snapshot, &sides) {
        for (source, key, reports) in &mentions.judged {
            let votes = votes.entry(*source).or_default().entry(*key).or_default();
            votes.add(&mentions, reports);
        }
    }
    let mut found: Vec<ClockOffset> = Vec::new();
    let shown = votes.iter().filter_map(|(at, votes)| {
        let (offset, witness) = shown_offset(votes)?;
        Some((*at, offset, witness))
    });
    let mut shown: Vec<(usize, i64, usize)> = shown.collect();
    shown.sort_unstable();
    for (own, quarters, witness) in shown {
        let (Some(source), Some(witness)) =
            (snapshot.sources.get(own), snapshot.sources.get(witness))
        else {
            continue;
        };
        let offset = assumed_offset(source) - quarters * QUARTER;
        let Some(offset) = i32::try_from(offset)
            .ok()
            .filter(|_| ZONES.contains(&offset))
        else {
            continue;
        };
        let correction = quarters * QUARTER * SECOND;
        match found
            .iter_mut()
            .find(|f| f.correction == correction && f.offset == offset)
        {
            Some(known) => {
                known.folder =
                    folders::common(&known.folder, folders::folder(&source.path)).to_owned();
                known.logs.push(source.id);
            }
            None => found.push(ClockOffset {
                logs: vec![source.id],
                folder: folders::folder(&source.path).to_owned(),
                example: (source.tag.clone(), witness.tag.clone()),
                correction,
                offset,
                is_sure: true,
                is_stated: false,
            }),
        }
    }
    add_companions(snapshot, &sides, &votes, &mut found);
    found
}

/// Adds the judged sources without instances in common with others that are beside corrected ones, in a folder where no other
/// correction was found, at overlapping times: they have the same clock.
fn add_companions(
    snapshot: &Snapshot,
    sides: &[Option<Side>],
    votes: &AllVotes,
    found: &mut [ClockOffset],
) {
    let range = |at: usize| snapshot.sources.get(at).and_then(|s| range_of(s));
    let spans = |offset: &ClockOffset| -> Vec<Range> {
        { offset.logs.iter() }
            .filter_map(|log| range(log.index()))
            .collect()
    };
    let spans: Vec<Vec<Range>> = found.iter().map(spans).collect();
    for (source, side) in snapshot.sources.iter().zip(sides) {
        let has_evidence =
            |votes: &FxHashMap<KeyId, Votes>| votes.values().any(|votes| votes.offset().is_some());
        let is_silent = !votes.get(&source.id.index()).is_some_and(has_evidence);
        let own = range_of(source).filter(|_| *side == Some(Side::Judged) && is_silent);
        let Some(own) = own else { continue };
        let mut beside = (0..found.len()).filter(|at| {
            let meets = |other: &Range| own.0 <= other.1 && other.0 <= own.1;
            folders::is_in(&source.path, &found[*at].folder) && spans[*at].iter().any(meets)
        });
        if let (Some(at), None) = (beside.next(), beside.next()) {
            found[at].logs.push(source.id);
        }
    }
}

/// Assumed offset from UTC, s.
fn assumed_offset(source: &Source) -> i64 {
    match &source.zoning {
        Zoning::Local { offsets, .. } => offsets.last().map_or(0, |offset| offset.1.into()),
        _ => 0,
    }
}

/// Role of each source; `None` for those that are not compared, and `None` if there is nothing to compare.
fn sides(snapshot: &Snapshot) -> Option<Vec<Option<Side>>> {
    let is_reference = |s: &Source| matches!(s.zoning, Zoning::Stated) && s.shift == 0;
    let side = |source: &Source| {
        range_of(source)?;
        match is_reference(source) {
            true => Some(Side::Reference),
            false => has_assumed_zone(source).then_some(Side::Judged),
        }
    };
    let sides: Vec<Option<Side>> = snapshot.sources.iter().map(|s| side(s)).collect();
    let has = |side| sides.contains(&Some(side));
    if has(Side::Reference) {
        return has(Side::Judged).then_some(sides);
    }
    // Without a stated zone the longest log is right, with those of its time.
    let judged = snapshot.sources.iter().filter(|s| is_assumed(s));
    let longest = judged.max_by_key(|s| (s.stats.records(), Reverse(s.id)))?;
    let longest = range_of(longest)?;
    let is_apart = |own: Range| {
        own.0.saturating_sub(longest.1) > HOUR * SECOND / 4
            || longest.0.saturating_sub(own.1) > HOUR * SECOND / 4
    };
    let sides: Vec<Option<Side>> = { snapshot.sources.iter().zip(sides) }
        .map(|(source, side)| {
            side?;
            Some(match is_apart(range_of(source)?) {
                true => Side::Judged,
                false => Side::Reference,
            })
        })
        .collect();
    sides.contains(&Some(Side::Judged)).then_some(sides)
}

/// Mentions of instances in the first records of each source: of values of identifiers, and of random ids.
fn mentions(snapshot: &Snapshot, sides: &[Option<Side>]) -> Vec<Mentions> {
    let mut out: Vec<Mentions> = Vec::new();
    let mut by_text: FxHashMap<String, usize> = FxHashMap::default();
    let mut by_code: FxHashMap<(KeyId, Code), Option<usize>> = FxHashMap::default();
    let mut examined: FxHashMap<u32, u64> = FxHashMap::default();
    let mut all = 0;
    let mut instance = |key: KeyId, code: Code, out: &mut Vec<Mentions>| {
        let view = snapshot.catalog.keys.get(key)?;
        let text = view.spelling(code)?;
        let kind = kind_of(&text, view.key.identifier)?;
        let mut add = || {
            out.push(Mentions {
                kind,
                ..Mentions::default()
            });
            out.len() - 1
        };
        Some(match kind {
            ValueKind::OfKey => add(),
            ValueKind::Name | ValueKind::RandomId => {
                *by_text.entry(text.to_string()).or_insert_with(add)
            }
        })
    };
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in &segment.parts {
            let at = part.source.index();
            let Some(side) = sides.get(at).copied().flatten() else {
                continue;
            };
            let known = examined.entry(part.source.0).or_default();
            let wanted = RECORDS.saturating_sub(*known).min(ALL_RECORDS - all);
            let rows = u64::from(part.rows).min(wanted);
            *known += rows;
            all += rows;
            for row in part.first_row..part.first_row + rows as u32 {
                let Some(event) = snapshot.event(EventId(base + row)) else {
                    continue;
                };
                let Some(time) = event.time() else { continue };
                let second = time.div_euclid(SECOND);
                let template = event.shape().map_or(u32::MAX, |shape| shape.template.0);
                event.for_each_code(|key, codes, _| {
                    for code in codes {
                        let found = *{ by_code.entry((key, *code)) }
                            .or_insert_with(|| instance(key, *code, &mut out));
                        let mentions = found.and_then(|at| out.get_mut(at));
                        if let Some(reports) = mentions.and_then(|m| m.reports(side, at, key)) {
                            reports.add(second, template);
                        }
                    }
                });
            }
        }
    }
    out
}

/// Kind of a value; `None` for values that identify nothing: words, fractions, durations.
fn kind_of(text: &str, is_identifier: bool) -> Option<ValueKind> {
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    let is_name = text.len() >= NAME
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && has(u8::is_ascii_digit)
        && !has(u8::is_ascii_whitespace);
    match text {
        _ if is_random_id(text) => Some(ValueKind::RandomId),
        _ if is_name => Some(ValueKind::Name),
        _ if is_identifier || text.bytes().all(|b| b.is_ascii_digit()) => Some(ValueKind::OfKey),
        _ => None,
    }
}

/// True if a value is a random id: many hexadecimal digits, some of them letters, perhaps with hyphens.
fn is_random_id(text: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_hexdigit() || b == b'-';
    text.len() >= ID
        && text.bytes().all(is_part)
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports in these seconds by templates of their own, numbered from `template`.
    fn reports(seconds: &[i64], template: u32) -> Reports {
        let mut reports = Reports::default();
        { seconds.iter().zip(template..) }
            .for_each(|(second, template)| reports.add(*second, template));
        reports
    }

    fn offset(instances: &[(&[i64], &[i64])], kind: ValueKind) -> Option<i64> {
        let mut votes = Votes::default();
        for (own, reference) in instances {
            let mentions = Mentions {
                kind,
                reference: reports(reference, 1_000),
                ..Mentions::default()
            };
            votes.add(&mentions, &reports(own, 2));
        }
        shown_offset(&[(KeyId(0), votes)].into_iter().collect()).map(|shown| shown.0)
    }

    #[test]
    fn one_random_id_shows_whole_hours() {
        let of = |own: &[i64], reference: &[i64]| offset(&[(own, reference)], ValueKind::RandomId);
        assert_eq!(of(&[70_000], &[66_400]), Some(-4));
        assert_eq!(of(&[70_000], &[88_001]), Some(20));
        assert_eq!(of(&[70_000], &[70_001]), None);
        assert_eq!(of(&[70_000], &[68_000]), None);
        assert_eq!(of(&[70_000], &[70_900]), None, "a quarter may be chance");
        assert_eq!(of(&[70_000, 10], &[66_400, 11]), None, "the nearest counts");
        assert_eq!(of(&[1, 2, 3], &[3_601]), None, "not so rare");
    }

    #[test]
    fn instances_that_end_in_the_same_second_show_it() {
        let own: Vec<[i64; 2]> = (0..5).map(|i| [i * 7, i * 7 + 40]).collect();
        let other = |by: i64| -> Vec<[i64; 1]> { (0..5).map(|i| [by + i * 7 + 40]).collect() };
        let of = |n: usize, by: i64| {
            let other = other(by);
            let pairs = own.iter().zip(&other).take(n);
            let pairs: Vec<(&[i64], &[i64])> = pairs.map(|(a, b)| (&a[..], &b[..])).collect();
            offset(&pairs, ValueKind::OfKey)
        };
        assert_eq!(of(5, 28_800), Some(32));
        assert_eq!(of(5, 20_700), Some(23), "5 h 45 min");
        assert_eq!(of(2, 28_800), None, "two may be chance");
        assert_eq!(of(5, 28_803), None);
        assert_eq!(of(5, 0), None);
    }

    #[test]
    fn frequent_instances_show_nothing() {
        let always: Vec<i64> = (0..200).collect();
        let later: Vec<i64> = always.iter().map(|s| s + 28_800).collect();
        let nodes = [(&always[..], &later[..]); 6];
        assert_eq!(offset(&nodes, ValueKind::Name), None);
    }

    #[test]
    fn the_first_record_of_a_template_counts() {
        let mut polls = Reports::default();
        (50..90).for_each(|second| polls.add(second, 7));
        assert_eq!(polls.seconds(), Some(vec![50]));
    }

    #[test]
    fn two_runs_of_one_program_show_nothing() {
        let mut votes = Votes::default();
        for i in 0..6 {
            let mentions = Mentions {
                reference: reports(&[i * 7], 1),
                ..Mentions::default()
            };
            votes.add(&mentions, &reports(&[i * 7 + 3_600], 1));
        }
        assert_eq!(votes.offset(), None);
    }

    #[test]
    fn names_have_letters_and_digits() {
        let of = |text: &str| kind_of(text, false);
        assert_eq!(of("wo-17000"), Some(ValueKind::Name));
        assert_eq!(of("7001"), Some(ValueKind::OfKey));
        assert_eq!((of("complete"), of("12.4"), of("1.5s")), (None, None, None));
        assert_eq!(kind_of("node", true), Some(ValueKind::OfKey));
    }

    #[test]
    fn random_ids_are_hexadecimal() {
        assert!(is_random_id("57dc5d02-64da-4e5c-b7eb-98d8c2a2c1fa"));
        assert!(!is_random_id("1234567890123456") && !is_random_id("node-0001-rack-07"));
        assert!(!is_random_id("deadbeef"));
    }
}
