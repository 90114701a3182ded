//! Values that shell completions suggest for names, from the built-in definitions, themes and keymaps.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

use widetui_app::embedded::{KEYMAPS, THEMES};
use widetui_format::definitions::systems::Systems;

/// Kinds of plots.
const PLOTS: [&str; 10] = [
    "series:",
    "states:",
    "timeline:",
    "spans:",
    "concurrency:",
    "throughput:",
    "latency:",
    "flow",
    "curves:",
    "dag",
];

/// Properties by which rows are split, besides keys.
const PROPERTIES: [&str; 5] = ["source", "level", "template", "run", "depth"];

/// Parser of a name that suggests known names and accepts all others: logs have entities and keys of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggested {
    /// Built-in themes.
    Themes,
    /// Built-in keymaps.
    Keymaps,
    /// Entities of the built-in definitions.
    Entities,
    /// Flows of messages of the built-in definitions.
    Flows,
    /// Keys by which the instances of entities are identified, labelled and placed.
    Keys,
    /// Numeric keys that are plotted over time.
    Series,
    /// Kinds of plots.
    Plots,
}

impl Suggested {
    /// True if a definition has the name, whole or without the name of its system: `parsl.task`, `task`.
    pub fn knows(self, typed: &str) -> bool {
        let is_end = |name: &String| {
            let before = name.strip_suffix(typed);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        !typed.is_empty() && self.names().iter().any(is_end)
    }

    /// Names, sorted.
    fn names(self) -> BTreeSet<String> {
        let systems = Systems::builtin;
        match self {
            Suggested::Themes => THEMES.iter().map(|(name, _)| (*name).to_owned()).collect(),
            Suggested::Keymaps => KEYMAPS.iter().map(|(name, _)| (*name).to_owned()).collect(),
            Suggested::Plots => PLOTS.iter().map(|kind| (*kind).to_owned()).collect(),
            Suggested::Entities => {
                let systems = systems();
                let entities = systems.iter().flat_map(|system| &system.def.entity);
                entities.map(|e| e.name.get_ref().clone()).collect()
            }
            Suggested::Flows => {
                let systems = systems();
                let flows = systems.iter().flat_map(|system| &system.def.flow);
                flows.map(|f| f.name.get_ref().clone()).collect()
            }
            Suggested::Series => {
                let systems = systems();
                let series = systems.iter().flat_map(|system| system.def.series.iter());
                series.map(|s| s.key.get_ref().clone()).collect()
            }
            Suggested::Keys => {
                let systems = systems();
                let entities = systems.iter().flat_map(|system| &system.def.entity);
                let keys = entities.flat_map(|e| {
                    let ids = e.id.iter().flatten();
                    ids.chain(&e.label).chain(&e.runs_in)
                });
                let keys = keys.map(|key| key.get_ref().clone());
                keys.chain(PROPERTIES.map(str::to_owned)).collect()
            }
        }
    }
}

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        // Names live as long as the arguments, which is until the end of the process.
        let names = self.names().into_iter();
        Some(Box::new(
            names.map(|name| PossibleValue::new(&*name.leak())),
        ))
    }
}
