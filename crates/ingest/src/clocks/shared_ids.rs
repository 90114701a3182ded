//! Clock offsets shown by ids that occur in a log without a zone and in one with a zone.
//!
//! Two logs that report the same event of a worker or a request name it by the same random id, under keys of their own. If
//! the only records with that id are whole hours apart, to the second, the assumed zone is wrong by these hours.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::folders;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;
use widetui_store::source::{Source, Zoning};

use crate::clocks::{ClockOffset, SECOND, is_assumed};

/// Maximum number of records of a source that are examined.
const RECORDS: u64 = 4_096;
/// Maximum number of records that are examined in all.
const ALL_RECORDS: u64 = 131_072;
/// Maximum number of seconds with records that name an id, on each side; ids of more records are named all the time.
const FEW: usize = 2;
/// Smallest length of a random id, bytes.
const ID: usize = 16;
const HOUR: i64 = 3_600;
/// Tolerance between two reports of an event, s.
const NEAR: i64 = 1;
/// Offsets of zones, s: from Baker Island to Kiribati.
const ZONES: std::ops::RangeInclusive<i64> = -12 * HOUR..=14 * HOUR;

/// Seconds of the records that name an id, each with the index of its source, by side.
#[derive(Clone, Debug, Default)]
struct Mentions {
    without: Vec<(i64, usize)>,
    with: Vec<(i64, usize)>,
}

impl Mentions {
    /// Hours to add to the times without a zone, so that both sides have a record in the same second, with the sources of
    /// these records; `None` if there is no such number of hours. The id counts only if it has `FEW` seconds.
    fn hours(&self) -> Option<(i64, usize, usize)> {
        let pairs = self
            .without
            .iter()
            .flat_map(|a| self.with.iter().map(move |b| (a, b)));
        let offsets = pairs.filter_map(|(a, b)| {
            let apart = b.0.checked_sub(a.0)?;
            let hours = apart.saturating_add(HOUR / 2).div_euclid(HOUR);
            (apart.abs_diff(hours * HOUR) <= NEAR.unsigned_abs()).then_some((hours, a.1, b.1))
        });
        offsets.min_by_key(|(hours, ..)| hours.abs())
    }

    fn counts(&self) -> bool {
        let few = |list: &[(i64, usize)]| (1..=FEW).contains(&list.len());
        few(&self.without) && few(&self.with)
    }
}

/// Finds the offset of the logs without a zone; `None` if no id shows one, or if ids show several.
pub(super) fn find_offset(snapshot: &Snapshot) -> Option<ClockOffset> {
    let sides: Vec<Option<bool>> = snapshot.sources.iter().map(|s| side(s)).collect();
    if !sides.contains(&Some(true)) || !sides.contains(&Some(false)) {
        return None;
    }
    let mentions = mentions(snapshot, &sides);
    let compared: Vec<&Mentions> = mentions.iter().filter(|m| m.counts()).collect();
    let offsets: Vec<(i64, usize, usize)> = compared.iter().filter_map(|m| m.hours()).collect();
    let (hours, own, other) = *offsets.first()?;
    let is_shown = hours != 0
        && offsets.iter().all(|offset| offset.0 == hours)
        && offsets.len() * 4 >= compared.len() * 3;
    let (own, other) = (snapshot.sources.get(own)?, snapshot.sources.get(other)?);
    let Zoning::Local {
        offsets: assumed, ..
    } = &own.zoning
    else {
        return None;
    };
    let assumed = assumed.last().map_or(0, |offset| offset.1);
    let offset = i64::from(assumed) - hours * HOUR;
    if !is_shown || !ZONES.contains(&offset) {
        return None;
    }
    let mut above = folders::above(&own.path);
    let folder = above.find(|folder| folders::is_in(&other.path, folder))?;
    let logs = snapshot
        .sources
        .iter()
        .zip(&sides)
        .filter(|(source, side)| **side == Some(true) && folders::is_in(&source.path, folder));
    Some(ClockOffset {
        logs: logs.map(|(source, _)| source.id).collect(),
        folder: folder.to_owned(),
        example: (own.tag.clone(), other.tag.clone()),
        correction: hours * HOUR * SECOND,
        offset: i32::try_from(offset).ok()?,
        is_sure: true,
        is_stated: false,
    })
}

/// Whether a source has no zone; `None` for sources that are not compared.
fn side(source: &Source) -> Option<bool> {
    source.range()?;
    if is_assumed(source) {
        return Some(true);
    }
    (matches!(source.zoning, Zoning::Stated) && source.shift == 0).then_some(false)
}

/// Mentions of all random ids in the first records of each source.
fn mentions(snapshot: &Snapshot, sides: &[Option<bool>]) -> Vec<Mentions> {
    let mut out: Vec<Mentions> = Vec::new();
    let mut by_text: FxHashMap<String, usize> = FxHashMap::default();
    let mut by_code: FxHashMap<(KeyId, Code), Option<usize>> = FxHashMap::default();
    let mut examined: FxHashMap<u32, u64> = FxHashMap::default();
    let mut all = 0;
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in &segment.parts {
            let at = part.source.index();
            let Some(is_without) = sides.get(at).copied().flatten() else {
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
                event.for_each_code(|key, codes, _| {
                    for code in codes {
                        let found = by_code.entry((key, *code)).or_insert_with(|| {
                            let text = snapshot.catalog.keys.get(key)?.spelling(*code)?;
                            is_random_id(&text).then(|| {
                                *by_text.entry(text.to_string()).or_insert_with(|| {
                                    out.push(Mentions::default());
                                    out.len() - 1
                                })
                            })
                        });
                        let Some(mentions) = found.and_then(|at| out.get_mut(at)) else {
                            continue;
                        };
                        let list = match is_without {
                            true => &mut mentions.without,
                            false => &mut mentions.with,
                        };
                        if list.len() <= FEW && list.iter().all(|known| known.0 != second) {
                            list.push((second, at));
                        }
                    }
                });
            }
        }
    }
    out
}

/// Whether a value is a random id: many hexadecimal digits, some of them letters, perhaps with hyphens.
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

    fn mentions(without: &[i64], with: &[i64]) -> Mentions {
        let list = |seconds: &[i64]| seconds.iter().map(|s| (*s, 0)).collect();
        Mentions {
            without: list(without),
            with: list(with),
        }
    }

    #[test]
    fn whole_hours_between_reports_are_an_offset() {
        let hours = |without: &[i64], with: &[i64]| mentions(without, with).hours().map(|h| h.0);
        assert_eq!(hours(&[70_000], &[66_400]), Some(-1));
        assert_eq!(hours(&[70_000], &[88_001]), Some(5));
        assert_eq!(hours(&[70_000], &[70_001]), Some(0));
        assert_eq!(hours(&[70_000], &[68_000]), None);
        assert_eq!(
            hours(&[70_000, 10], &[66_400, 11]),
            Some(0),
            "the nearest counts"
        );
        assert!(!mentions(&[1, 2, 3], &[4]).counts() && !mentions(&[], &[4]).counts());
    }

    #[test]
    fn random_ids_are_hexadecimal() {
        assert!(is_random_id("57dc5d02-64da-4e5c-b7eb-98d8c2a2c1fa"));
        assert!(!is_random_id("1234567890123456") && !is_random_id("node-0001-rack-07"));
        assert!(!is_random_id("deadbeef"));
    }
}
