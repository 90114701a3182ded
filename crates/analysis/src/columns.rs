//! Values of all events in flat columns, indexed by event, for fast access in analyses that iterate
//! over instances.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_query::{Field, resolve_key};
use widetui_store::Snapshot;
use widetui_store::event_columns::{codes_of_key, segment_slices};
use widetui_store::key_column::{UNUSABLE, UsualSpellings};

/// Property by which events are grouped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventProperty {
    /// Template of the message.
    Template,
    /// Severity level.
    Level,
    /// Kind of the source; its tag if the kind is unknown.
    Source,
    /// Value of a key.
    Key(KeyId),
    /// Value that an analysis assigned.
    Assigned(Arc<EventLabels>),
}

/// Values that an analysis assigns to events, such as their runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventLabels {
    /// Name of the property.
    pub name: &'static str,
    /// Index into `names` for each event; `NONE` without a value.
    pub codes: Vec<Code>,
    /// Texts of the values.
    pub names: Vec<String>,
}

impl EventProperty {
    /// Parses the name of a property; `None` if no event has such a key.
    pub fn parse(snapshot: &Snapshot, name: &str) -> Option<EventProperty> {
        match Field::named(name) {
            Field::Template => Some(EventProperty::Template),
            Field::Level => Some(EventProperty::Level),
            Field::Source => Some(EventProperty::Source),
            Field::Key(name) => resolve_key(&snapshot.catalog.keys, &name).map(EventProperty::Key),
            Field::Time | Field::Message => None,
        }
    }

    /// Name of the property.
    pub fn name<'s>(&self, snapshot: &'s Snapshot) -> &'s str {
        match self {
            EventProperty::Template => "template",
            EventProperty::Level => "level",
            EventProperty::Source => "source",
            EventProperty::Key(key) => snapshot.catalog.keys.name(*key),
            EventProperty::Assigned(labels) => labels.name,
        }
    }
}

/// Column with one property of all events. Equal codes are equal values; `NONE` for events without
/// a value.
#[derive(Clone, Debug)]
pub struct PropertyColumn {
    /// Code of the property's value for each event; `NONE` without a value.
    pub(crate) codes: Vec<Code>,
    property: EventProperty,
    names: Vec<String>,
    usual: UsualSpellings,
}

impl PropertyColumn {
    /// Reads a property of all events; `None` when cancelled.
    pub fn read(
        snapshot: &Snapshot,
        property: &EventProperty,
        cancel: &Cancel,
    ) -> Option<PropertyColumn> {
        let mut out = PropertyColumn {
            codes: vec![NONE; snapshot.len()],
            property: property.clone(),
            names: Vec::new(),
            usual: UsualSpellings::default(),
        };
        let mut interned: FxHashMap<String, Code> = FxHashMap::default();
        let mut intern = |name: String| {
            let next = interned.len() as Code;
            *interned.entry(name).or_insert(next)
        };
        let codes = segment_slices(snapshot, &mut out.codes)
            .into_par_iter()
            .enumerate();
        match property {
            EventProperty::Template | EventProperty::Level => {
                let shapes = snapshot.catalog.shapes.iter();
                let of_shape: Vec<Code> = shapes
                    .map(|shape| match property {
                        EventProperty::Level => intern(shape.level.name().to_owned()),
                        _ => {
                            let template = snapshot.catalog.templates.get(shape.template.index());
                            template.map_or(NONE, |t| intern(t.text.to_string()))
                        }
                    })
                    .collect();
                codes.for_each(|(index, slice)| {
                    for group in &snapshot.segments[index].groups {
                        let code = of_shape.get(group.shape.index()).copied();
                        for row in &group.rows {
                            slice[usize::from(*row)] = code.unwrap_or(NONE);
                        }
                    }
                });
            }
            EventProperty::Source => {
                let sources = snapshot.sources.iter();
                let of_source: Vec<Code> = sources
                    .map(|source| match source.kind.as_str() {
                        "" => intern(source.tag.clone()),
                        kind => intern(kind.to_owned()),
                    })
                    .collect();
                codes.for_each(|(index, slice)| {
                    for part in &snapshot.segments[index].parts {
                        let first = part.first_row as usize;
                        let code = of_source.get(part.source.index()).copied();
                        slice[first..first + part.rows as usize].fill(code.unwrap_or(NONE));
                    }
                });
            }
            EventProperty::Assigned(labels) => {
                drop(codes);
                out.codes.clone_from(&labels.codes);
                out.names.clone_from(&labels.names);
                return (!cancel.is_cancelled()).then_some(out);
            }
            EventProperty::Key(key) => {
                out.usual = UsualSpellings::new(snapshot, std::iter::once(key));
                drop(codes);
                out.codes = codes_of_key(snapshot, *key, cancel)?;
            }
        }
        let mut names: Vec<(String, Code)> = interned.into_iter().collect();
        names.sort_unstable_by_key(|n| n.1);
        out.names = names.into_iter().map(|n| n.0).collect();
        (!cancel.is_cancelled()).then_some(out)
    }

    /// Code of an event; `NONE` without a value.
    #[inline]
    pub fn code(&self, event: EventId) -> Code {
        self.codes.get(event.index()).copied().unwrap_or(NONE)
    }

    /// Text of a code; empty for `NONE`.
    pub fn text(&self, snapshot: &Snapshot, code: Code) -> String {
        match (&self.property, code) {
            (_, NONE) => String::new(),
            (EventProperty::Key(_), UNUSABLE) => "(several)".to_owned(),
            (EventProperty::Key(key), code) => self.usual.text(snapshot, *key, code),
            (_, code) => self.names.get(code as usize).cloned().unwrap_or_default(),
        }
    }

    /// First usable value of some events, `NONE` if none has one.
    pub(crate) fn first_code(&self, events: &[u32]) -> Code {
        let known = |code: &Code| *code != NONE && *code != UNUSABLE;
        let codes = events.iter().map(|e| self.code(EventId(*e)));
        codes.into_iter().find(known).unwrap_or(NONE)
    }
}
