//! Derivation of a value: stated by the record, or given by joins.

use widetui_core::ids::KeyId;
use widetui_store::EventRef;
use widetui_store::ValueOrigin;
use widetui_store::derived::JoinKind;

/// Derivation of a value of an event; the least certain link of a chain counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Derivation {
    /// Stated by the record, its path, or the first record of its file.
    Direct,
    /// Derived by a join.
    Join,
    /// Derived by a bracket, or by a join on such a value.
    Bracket,
    /// Stated by a row of facts, without a time.
    Fact,
}

impl Derivation {
    /// Name of the derivation in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Derivation::Direct => "direct",
            Derivation::Join => "join",
            Derivation::Bracket => "bracket",
            Derivation::Fact => "fact",
        }
    }
}

/// Origin of the value of a key in an event; `None` if the event has no value.
fn origin_of(event: &EventRef<'_>, key: KeyId) -> Option<ValueOrigin> {
    let mut found: Option<ValueOrigin> = None;
    event.for_each_code(|k, _, origin| {
        if k == key {
            found.get_or_insert(origin);
        }
    });
    found
}

/// Key by which a join gave an event its value of a key: the left key that names an instance. `None` for other values.
pub fn joining_key(event: &EventRef<'_>, key: KeyId) -> Option<KeyId> {
    let Some(ValueOrigin::Join(join)) = origin_of(event, key) else {
        return None;
    };
    let join = event.snapshot.derived.joins.get(usize::from(join))?;
    // Keys that exist only inside joins, such as lives of processes, have no name.
    let is_named = |key: &&KeyId| event.snapshot.catalog.keys.get(**key).is_some();
    join.by.iter().rev().find(is_named).copied()
}

/// Maximum length of a chain of joins that is followed; a chain cannot be longer than the number of
/// keys of an event.
const MAX_CHAIN: usize = 12;

/// Derivation of the value of a key in an event; `None` if the event has no value.
pub fn derivation_of(event: &EventRef<'_>, key: KeyId) -> Option<Derivation> {
    let value = derivation_within(event, key, MAX_CHAIN)?;
    Some(if event.time().is_none() {
        Derivation::Fact
    } else {
        value
    })
}

/// Derivation of a value, following at most `depth` joins.
fn derivation_within(event: &EventRef<'_>, key: KeyId, depth: usize) -> Option<Derivation> {
    let join = match origin_of(event, key)? {
        ValueOrigin::Record | ValueOrigin::Path => return Some(Derivation::Direct),
        ValueOrigin::Join(join) => event.snapshot.derived.joins.get(usize::from(join))?,
    };
    Some(match join.kind {
        JoinKind::FirstRecord | JoinKind::ConsecutiveRuns => Derivation::Direct,
        JoinKind::Extraction => {
            let of = join.by.first().filter(|_| depth > 0);
            return of.map_or(Some(Derivation::Direct), |key| {
                crate::derivation::derivation_within(event, *key, depth - 1)
            });
        }
        JoinKind::Bracket => Derivation::Bracket,
        JoinKind::Keys if depth == 0 => Derivation::Join,
        JoinKind::Keys => {
            let links = join
                .by
                .iter()
                .filter_map(|k| derivation_within(event, *k, depth - 1));
            links.fold(Derivation::Join, Derivation::max)
        }
    })
}
