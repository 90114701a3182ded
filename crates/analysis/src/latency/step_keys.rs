//! Keys that distinguish the rows of steps: the template of an event, and values of keys.

use rustc_hash::FxHashMap;

use crate::Instances;
use crate::columns::{EventProperty, PropertyColumn};
use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_store::Snapshot;

/// Combination of template and split values of every event, as one number.
pub(super) struct StepKeys {
    /// Number of the combination of each event.
    pub(crate) by_event: Vec<u32>,
    labels: Vec<PropertyColumn>,
    values: Vec<Box<[Code]>>,
}

impl StepKeys {
    /// Numbers the combinations of template and split values; an event without a split value has the
    /// first one of its instance. `None` when cancelled.
    pub(crate) fn new(
        snapshot: &Snapshot,
        instances: &Instances,
        split: &[EventProperty],
        cancel: &Cancel,
    ) -> Option<StepKeys> {
        let all = std::iter::once(&EventProperty::Template).chain(split);
        let mut labels: Vec<PropertyColumn> = all
            .map(|by| PropertyColumn::read(snapshot, by, cancel))
            .collect::<Option<_>>()?;
        for label in labels.iter_mut().skip(1) {
            for instance in &instances.list {
                let events = instances.events(instance);
                let first = label.first_code(events);
                for event in events {
                    if let Some(code) = label.codes.get_mut(*event as usize)
                        && *code == NONE
                    {
                        *code = first;
                    }
                }
            }
        }
        let mut known: FxHashMap<Box<[Code]>, u32> = FxHashMap::default();
        let mut values: Vec<Box<[Code]>> = Vec::new();
        let mut of = vec![0; snapshot.len()];
        let mut here: Vec<Code> = Vec::new();
        let mut last = 0u32;
        for (event, number) in of.iter_mut().enumerate() {
            here.clear();
            here.extend(labels.iter().map(|l| l.codes[event]));
            if values.get(last as usize).is_none_or(|v| **v != *here) {
                last = match known.get(&here[..]) {
                    Some(number) => *number,
                    None => {
                        values.push(here.clone().into());
                        known.insert(here.clone().into(), values.len() as u32 - 1);
                        values.len() as u32 - 1
                    }
                };
            }
            *number = last;
        }
        labels.iter_mut().for_each(|l| l.codes = Vec::new());
        Some(StepKeys {
            by_event: of,
            labels,
            values,
        })
    }

    /// Number of combinations.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Template and split values of a combination, as text.
    pub(crate) fn names(&self, snapshot: &Snapshot, kind: u32) -> (String, Vec<String>) {
        let codes = self.values.get(kind as usize);
        let code = |at: usize| codes.and_then(|c| c.get(at)).copied().unwrap_or(NONE);
        let labels = self.labels.iter().enumerate();
        let mut texts: Vec<String> = labels.map(|(at, l)| l.text(snapshot, code(at))).collect();
        let template = texts.drain(..1).next().unwrap_or_default();
        (template, texts)
    }
}
