//! Measurements as described by definitions.

use crate::columns::EventProperty;
use widetui_core::quantity::{self, Dimension};
use widetui_core::words::name_words;
use widetui_definition::syntax::Definition;
use widetui_definition::text::Text;
use widetui_format::catalog::keys::KeysView;
use widetui_store::Snapshot;

use crate::series::SeriesKind;

/// Number of values of a key in which a unit is looked for.
const SAMPLED_VALUES: usize = 50;

/// Measurement: a numeric key with title and unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesSpec {
    /// Numeric key.
    pub key: String,
    /// Title for the user.
    pub title: String,
    /// Name of the system definition that contains the measurement.
    pub(crate) system: String,
    /// Keys that split the series into lines.
    pub split_keys: Vec<String>,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// Interpolation of the values: gauge or counter.
    pub kind: SeriesKind,
    /// Rank for the overview, smallest first; `None` to show only on request.
    pub(crate) overview_rank: Option<u32>,
}

impl SeriesSpec {
    /// Measurement of a key by the definitions, or one with the name of the key. Without a unit in the definition, the
    /// unit is that of the values.
    pub fn for_key(known: &[SeriesSpec], keys: &KeysView, key: &str) -> SeriesSpec {
        let found = known.iter().find(|s| s.key == key).cloned();
        let mut spec = found.unwrap_or_else(|| SeriesSpec {
            key: key.to_owned(),
            title: key.to_owned(),
            ..SeriesSpec::default()
        });
        if spec.unit.is_empty()
            && let Some(view) = keys.find(key).and_then(|id| keys.get(id))
        {
            let entries = view.dict.iter().take(SAMPLED_VALUES);
            let mut dimensions = entries.filter_map(|(_, text)| quantity::parse(text)?.dimension);
            dimensions
                .next()
                .map_or("", Dimension::unit)
                .clone_into(&mut spec.unit);
        }
        spec
    }

    /// Keys that split the series into lines and occur in the data.
    pub fn split_properties(&self, snapshot: &Snapshot) -> Vec<EventProperty> {
        let keys = self.split_keys.iter();
        keys.filter_map(|k| snapshot.catalog.keys.find(k).map(EventProperty::Key))
            .collect()
    }
}

/// Measurements of a definition.
pub fn from_definition(def: &Definition) -> Vec<SeriesSpec> {
    let text = |t: &Text| t.get_ref().clone();
    let spec = |s: &widetui_definition::semantics::SeriesDef| {
        let key = text(&s.key);
        SeriesSpec {
            title: match s.title.as_str() {
                "" => name_words(&key),
                title => title.to_owned(),
            },
            key,
            system: text(&def.name),
            split_keys: s.by.iter().map(text).collect(),
            unit: s.unit.clone(),
            kind: s.kind,
            overview_rank: s.first,
        }
    };
    def.series.iter().map(spec).collect()
}
