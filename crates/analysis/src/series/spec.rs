//! Measurements as definitions describe them.

use crate::columns::By;
use widetui_definition::syntax::Definition;
use widetui_definition::text::Text;
use widetui_store::Snapshot;

use crate::series::SeriesKind;

/// A measurement that a definition knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesSpec {
    /// The numeric key.
    pub key: String,
    /// For people.
    pub title: String,
    /// The definition that it comes from.
    pub system: String,
    /// Keys that tell one line from another.
    pub by: Vec<String>,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// How its values go on.
    pub kind: SeriesKind,
    /// Shown without being asked for: the smaller the number, the sooner.
    pub first: Option<u32>,
}

impl SeriesSpec {
    /// What definitions say about a key; of one that they do not know, its name.
    pub fn of_key(known: &[SeriesSpec], key: &str) -> SeriesSpec {
        let found = known.iter().find(|s| s.key == key).cloned();
        found.unwrap_or_else(|| SeriesSpec {
            key: key.to_owned(),
            title: key.to_owned(),
            ..SeriesSpec::default()
        })
    }

    /// What tells its lines apart, as far as the data has it.
    pub fn apart(&self, snapshot: &Snapshot) -> Vec<By> {
        let keys = self.by.iter();
        keys.filter_map(|k| snapshot.catalog.keys.find(k).map(By::Key))
            .collect()
    }
}

/// The measurements of a definition.
pub fn of_definition(def: &Definition) -> Vec<SeriesSpec> {
    let text = |t: &Text| t.get_ref().clone();
    let spec = |s: &widetui_definition::meaning::SeriesDef| {
        let key = text(&s.key);
        SeriesSpec {
            title: match s.title.as_str() {
                "" => key.rsplit('.').next().unwrap_or(&key).replace('_', " "),
                title => title.to_owned(),
            },
            key,
            system: text(&def.name),
            by: s.by.iter().map(text).collect(),
            unit: s.unit.clone(),
            kind: s.kind,
            first: s.first,
        }
    };
    def.series.iter().map(spec).collect()
}
