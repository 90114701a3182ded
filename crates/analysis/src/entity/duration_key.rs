//! Keys with durations, in the unit of their definition: the time between a record and a transition, the time that work took.

use widetui_core::dict::NONE;
use widetui_core::ids::{EventId, KeyId};
use widetui_core::quantity::{self, Dimension};
use widetui_definition::syntax::Definition;
use widetui_store::Snapshot;

/// Key with a duration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DurationKey {
    /// Name of the key.
    pub(crate) name: String,
    /// Unit of values without one of their own, s.
    pub(crate) unit_s: f64,
}

impl DurationKey {
    /// Key with the unit that its definition states, or else seconds.
    pub(crate) fn new(system: &Definition, name: &str) -> DurationKey {
        let unit = { system.keys.get(name) }
            .and_then(|key| quantity::parse(&format!("1 {}", key.unit.as_ref()?)))
            .filter(|unit| unit.dimension == Some(Dimension::Time));
        DurationKey {
            name: name.to_owned(),
            unit_s: unit.map_or(1.0, |unit| unit.value),
        }
    }

    /// The key in a snapshot.
    pub(crate) fn find(&self, snapshot: &Snapshot) -> Option<FoundDurationKey> {
        let key = snapshot.catalog.keys.find(&self.name)?;
        Some(FoundDurationKey {
            key,
            unit_s: self.unit_s,
        })
    }
}

/// Key with a duration in a snapshot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundDurationKey {
    key: KeyId,
    unit_s: f64,
}

impl FoundDurationKey {
    /// Duration in an event, ns; `None` without a single number that is not negative.
    pub(crate) fn duration(self, snapshot: &Snapshot, event: EventId) -> Option<i64> {
        let seconds = with_value(snapshot, event, self.key, |text| {
            let quantity = quantity::parse(text)?;
            match quantity.dimension {
                None => Some(quantity.value * self.unit_s),
                Some(Dimension::Time) => Some(quantity.value),
                Some(_) => None,
            }
        });
        let seconds = seconds.flatten().filter(|s| s.is_finite() && *s >= 0.0)?;
        // The cast saturates.
        Some((seconds * 1e9) as i64)
    }
}

/// Result of `f` for the value of a key in an event; `None` if the event has no value or several.
pub(crate) fn with_value<T>(
    snapshot: &Snapshot,
    event: EventId,
    key: KeyId,
    f: impl FnOnce(&str) -> T,
) -> Option<T> {
    let mut code = NONE;
    if let Some(e) = snapshot.event(event) {
        e.for_each_code(|k, codes, _| match codes {
            [one] if k == key && code == NONE => code = *one,
            _ => {}
        });
    }
    let view = snapshot.catalog.keys.get(key)?;
    view.spelling(code).map(|text| f(&text))
}
