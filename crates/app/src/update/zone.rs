//! Display time zone: cycles through the initial zone, UTC, the zone of the machine and the zone of the logs.

use crate::model::Model;
use crate::msg::Effect;
use rustc_hash::FxHashMap;
use widetui_store::Snapshot;
use widetui_store::source::Zoning;
use widetui_time::zone::Zone;

use super::primitives::notices::say;
use super::primitives::tables;

/// Switches to the next display time zone.
pub(super) fn turn(model: &mut Model) -> Vec<Effect> {
    let first = model.first_zone.get_or_insert(model.zone.clone()).clone();
    let all = zones(first, own(&model.snapshot), middle(&model.snapshot));
    let at = all.iter().position(|(_, zone)| *zone == model.zone);
    let next = (at.unwrap_or(0) + 1) % all.len();
    let Some((what, zone)) = all.get(next).filter(|_| all.len() > 1) else {
        return say(model, format!("all times here are {}", model.zone));
    };
    model.zone = zone.clone();
    say(model, format!("times in {zone}{what}"));
    // Tables contain formatted times.
    model.epoch += 1;
    tables::refresh(model)
}

/// Returns the display time zones with a description each, without zones that have the same offset in the middle of the
/// run.
fn zones(first: Zone, own: Option<Zone>, middle: i64) -> Vec<(&'static str, Zone)> {
    let mut all = vec![("", first)];
    let more = [
        ("", Some(Zone::Utc)),
        (", the zone of this machine", Some(Zone::Local)),
        (", the zone of the logs", own),
    ];
    for (what, zone) in more {
        let Some(zone) = zone else { continue };
        let offset = zone.offset_at_utc(middle);
        if all.iter().all(|(_, z)| z.offset_at_utc(middle) != offset) {
            all.push((what, zone));
        }
    }
    all
}

/// Middle of the time range of the run, UTC ns.
fn middle(snapshot: &Snapshot) -> i64 {
    snapshot.range().map_or(0, |(from, to)| from.midpoint(to))
}

/// Returns the most frequent zone of records that do not state their zone.
fn own(snapshot: &Snapshot) -> Option<Zone> {
    let mut counts: FxHashMap<i32, u64> = FxHashMap::default();
    for source in snapshot.sources.iter() {
        if let Zoning::Local { offsets, .. } = &source.zoning
            && let Some((_, offset)) = offsets.first()
        {
            *counts.entry(*offset).or_default() += source.stats.records();
        }
    }
    let most = counts.into_iter().max_by_key(|(offset, n)| (*n, *offset))?;
    Some(match most.0 {
        0 => Zone::Utc,
        offset => Zone::Fixed(offset),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_zones_show_the_same() {
        let told = |first, own| -> Vec<String> {
            let all = zones(first, own, 0);
            let all = all.iter().filter(|(_, z)| *z != Zone::Local);
            all.map(|(_, zone)| zone.to_string()).collect()
        };
        let plus = Zone::Fixed(7200);
        assert_eq!(told(plus.clone(), Some(Zone::Utc)).len(), 2);
        assert_eq!(told(plus.clone(), Some(plus.clone())).len(), 2);
        assert_eq!(told(Zone::Utc, Some(plus)).len(), 2);
        assert_eq!(told(Zone::Utc, None), ["UTC"]);
    }
}
