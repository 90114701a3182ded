//! Zones of the tz database that times name: `2026-07-15 10:00:00 America/Chicago`.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::zone::{NamedZone, ZONE_FOLDERS, Zone};

/// Length of the longest name, bytes.
const LONGEST: usize = 40;

/// Maximum number of names that are looked up; the tz database has about 600.
const MAX_NAMES: usize = 1_000;

/// Zones by name; `None` for a name that is no zone.
static KNOWN: LazyLock<Mutex<HashMap<Box<str>, Option<&'static Zone>>>> =
    LazyLock::new(Mutex::default);

/// Zone at the start of a text by its area and place, and the length of its name. `None` without one, or if this machine has
/// no zone files.
pub(super) fn at_start(text: &[u8]) -> Option<(&'static Zone, usize)> {
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'+' | b'-');
    let len = text.iter().take(LONGEST + 1).take_while(is_part).count();
    let name = std::str::from_utf8(text.get(..len)?).ok()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains('/');
    if !is_name || len > LONGEST {
        return None;
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(zone) = known.get(name) {
        return zone.map(|zone| (zone, len));
    }
    if known.len() >= MAX_NAMES {
        return None;
    }
    let zone = NamedZone::load(name, &ZONE_FOLDERS).ok();
    let zone: Option<&'static Zone> = zone.map(|zone| &*Box::leak(Box::new(Zone::Named(zone))));
    known.insert(name.into(), zone);
    zone.map(|zone| (zone, len))
}
