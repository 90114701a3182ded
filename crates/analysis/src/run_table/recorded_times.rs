//! Begin and end of runs as stated by database rows about whole runs.

use rustc_hash::FxHashMap;

use crate::Instances;
use widetui_core::cancel::Cancel;
use widetui_query::{Expr, Field, select};
use widetui_store::source::Zoning;
use widetui_store::{Snapshot, Source};
use widetui_time::timeparse::parse_literal;
use widetui_time::zone::Zone;

/// Earliest and latest time stated by such rows, by index of the instance, UTC ns. `None` when
/// cancelled.
pub(super) fn recorded_times(
    snapshot: &Snapshot,
    instances: &Instances,
    cancel: &Cancel,
) -> Option<FxHashMap<usize, (i64, i64)>> {
    let mut out: FxHashMap<usize, (i64, i64)> = FxHashMap::default();
    for name in &instances.entity.time_keys {
        let Some(key) = snapshot.catalog.keys.find(name) else {
            continue;
        };
        let stating = select(snapshot, &Expr::Has(Field::key(name)), cancel)?;
        for id in stating.ids() {
            let Some(event) = snapshot.event(id).filter(|e| e.time().is_none()) else {
                continue;
            };
            let value = event.stored().into_iter().find(|value| value.0 == key);
            let time = value.and_then(|v| parse_time(snapshot, event.source(), &v.1.to_string()));
            let Some(time) = time else { continue };
            instances.for_each_of_event(id, |at| {
                let known = out.entry(at).or_insert((time, time));
                *known = (known.0.min(time), known.1.max(time));
            });
        }
    }
    Some(out)
}

/// Parses a time in a source, UTC ns: by the clock of that source, or of another one in its folder
/// if it has no times of its own.
fn parse_time(snapshot: &Snapshot, source: &Source, text: &str) -> Option<i64> {
    let folder = |source: &Source| source.path.rsplit_once('/').map(|p| p.0.to_owned());
    let is_local = |source: &Source| matches!(source.zoning, Zoning::Local { .. });
    let time = parse_literal(text, 0, &Zone::Utc).ok()?;
    // A time with a zone does not depend on the clock.
    if parse_literal(text, 0, &Zone::Fixed(3600)).ok()? == time {
        return Some(time);
    }
    let mut neighbours = snapshot.sources.iter().map(AsRef::as_ref);
    let own = folder(source);
    let clock = match is_local(source) {
        true => Some(source),
        false => neighbours.find(|s| is_local(s) && folder(s) == own),
    };
    Some(clock.map_or(time, |clock| clock.utc(time)))
}
