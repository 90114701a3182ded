//! Lists to pick from by writing a part of the name: commands, keys and values, help, marks, themes, keymaps.

use std::borrow::Cow;
use std::sync::Arc;

use crate::action::{Action, argument};
use crate::fuzzy;
use widetui_core::words::several;
use widetui_query::{Expr, Field};
use widetui_session::comparison::Side;
use widetui_session::instances::Thing;
use widetui_session::record_texts::Place;
use widetui_session::rows::ValueStat;
use widetui_tables::plots::state::PlotChoice;

use super::TextInput;

/// Values that are listed at once.
const VALUES: usize = 200;

/// Heading of what is of use where one is; it stands once more under its own.
pub const HERE: &str = "here";

/// What an item of a list leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum PickerGoal {
    /// This is done.
    Run(Action),
    /// This is done with what was written behind its name.
    Tell(Action, String),
    /// This is shown in the views that draw over time.
    Choose(PlotChoice),
    /// A filter on this key is begun.
    Filter(String),
    /// Only records with a value: what the trail says, and what they fit.
    Pivot(String, Expr),
    /// Only the records of a thing.
    Thing(Box<Thing>),
    /// All about a thing.
    About(Box<Thing>),
    /// To this record.
    Record(Place),
    /// What is selected is shown beside this.
    CompareWith(Box<Side>),
    /// What is selected is shown beside what fits an expression that is written, beginning with this.
    CompareWritten(String),
    /// Two runs are shown side by side.
    CompareRuns,
    /// This is copied.
    Copy(String),
    /// This theme.
    Theme(String),
    /// This keymap.
    Keymap(String),
}

/// An item of a list.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// What it is, in a line.
    pub summary: String,
    /// Other words by which it is found.
    pub aliases: &'static str,
    /// Keys that do it.
    pub keys: String,
    /// Its heading.
    pub topic: &'static str,
    /// What it leads to.
    pub goal: PickerGoal,
    /// Why it cannot be done now.
    pub why_not: Option<String>,
}

/// Why a list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerKind {
    /// To run something by name, or to find a key or a value.
    Palette,
    /// To see all keys.
    Help,
    /// To see marks and notes.
    Marks,
    /// To see what the program said.
    Messages,
    /// To choose one of few.
    Choice,
    /// To choose what is compared with what is selected, or to write an expression.
    Compare,
}

/// A list to pick from by writing a part of the name.
#[derive(Clone, Debug)]
pub struct Picker {
    /// Why it is shown.
    pub kind: PickerKind,
    /// What is chosen, in the frame of a choice.
    pub title: Cow<'static, str>,
    /// What was written.
    pub line: TextInput,
    /// All items but values.
    pub items: Vec<Item>,
    /// Values of keys, once they were counted.
    pub values: Option<Arc<[ValueStat]>>,
    /// What is called as the line says, before all others that are shown.
    pub called: Vec<Item>,
    /// Whether it is still looked for what is called so.
    pub is_looking: bool,
    /// Those that fit the line, the best first.
    pub shown: Vec<Item>,
    /// The one under the cursor.
    pub cursor: usize,
}

impl Picker {
    /// A list of these items.
    pub fn new(kind: PickerKind, items: Vec<Item>) -> Picker {
        let mut picker = Picker {
            kind,
            title: Cow::Borrowed("choose"),
            line: TextInput::default(),
            items,
            values: None,
            called: Vec::new(),
            is_looking: false,
            shown: Vec::new(),
            cursor: 0,
        };
        picker.refresh();
        picker
    }

    /// The same with a title of its own.
    pub fn titled(self, title: impl Into<Cow<'static, str>>) -> Picker {
        Picker {
            title: title.into(),
            ..self
        }
    }

    /// Finds the items that fit the line: what is called so, what has the words in its name, values, what is like it.
    pub fn refresh(&mut self) {
        self.cursor = 0;
        // Whoever is used to searching with a slash writes one here, too; alone it is that key.
        let written = match self.line.text.strip_prefix('/') {
            Some(rest) if !rest.is_empty() && self.kind == PickerKind::Help => rest,
            _ => &self.line.text,
        };
        let query = written.trim().to_lowercase();
        let words = |text: &str| {
            let text = text.to_lowercase();
            query.split_whitespace().all(|word| text.contains(word))
        };
        if query.is_empty() {
            self.shown = self.items.clone();
            return;
        }
        let items: Vec<&Item> = self.items.iter().filter(|i| i.topic != HERE).collect();
        // Summaries are long: letters that are somewhere in them in this order say nothing.
        let told_so = items.iter().copied();
        let told_so = told_so.filter(|i| words(&format!("{} {}", i.aliases, i.summary)));
        let fits = fuzzy::rank(written, items.iter().map(|i| i.name.as_str()));
        let fits = fits.into_iter().filter_map(|i| items.get(i).copied());
        let (mut named, mut alike): (Vec<&Item>, Vec<&Item>) = fits.partition(|i| words(&i.name));
        // A name by itself, or a short one, is meant before what only contains it.
        named.sort_by_key(|i| {
            let name = i.name.to_lowercase();
            (name != query, name.rsplit('.').next() != Some(&query))
        });
        for item in told_so {
            let is_in = |list: &[&Item]| list.iter().any(|i| std::ptr::eq(*i, item));
            if !is_in(&named) && !is_in(&alike) {
                alike.push(item);
            }
        }
        let (named, alike) = (named.into_iter().cloned(), alike.into_iter().cloned());
        let (named, alike): (Vec<Item>, Vec<Item>) = (named.collect(), alike.collect());
        let (exact, values) = self.fitting_values(&query);
        let told = told(written, &self.items);
        self.shown = told
            .into_iter()
            .chain(exact)
            .chain(named)
            .chain(values)
            .chain(alike)
            .collect();
    }

    /// Values that are what was written, and values that contain it.
    fn fitting_values(&self, query: &str) -> (Vec<Item>, Vec<Item>) {
        let (mut exact, mut near) = (Vec::new(), Vec::new());
        for stat in self.values.iter().flat_map(|v| v.iter()) {
            let value = stat.value.to_lowercase();
            if value == query || format!("{} {value}", stat.label.to_lowercase()) == query {
                exact.push(stat);
                continue;
            }
            let key = stat.key.to_lowercase();
            // One of the words must be in the value: a key alone is an item of its own.
            let mut words = query.split_whitespace();
            let is_near = words.clone().all(|w| value.contains(w) || key.contains(w))
                && words.any(|w| value.contains(w));
            if is_near {
                near.push(stat);
            }
        }
        near.sort_by_key(|s| {
            (
                !s.value.to_lowercase().starts_with(query),
                u64::MAX - s.events,
            )
        });
        let items =
            |stats: Vec<&ValueStat>| stats.into_iter().take(VALUES).map(value_item).collect();
        (items(exact), items(near))
    }

    /// The item under the cursor.
    pub fn current(&self) -> Option<&Item> {
        self.shown.get(self.cursor)
    }
}

fn value_item(stat: &ValueStat) -> Item {
    let expr = Expr::equals(Field::key(&stat.key), stat.value.as_str());
    Item {
        name: stat.value.clone(),
        summary: match stat.events {
            1 => format!("{}: 1 record has it", stat.key),
            n => format!("{}: {} have it", stat.key, several(n as usize, "record")),
        },
        aliases: "",
        keys: String::new(),
        topic: "values",
        goal: PickerGoal::Pivot(format!("{} {}", stat.label, stat.value), expr),
        why_not: None,
    }
}

/// Another name of an action that is told something.
const TOLD_AS: [(&str, &str); 1] = [("about", "trace")];

/// The action whose name was written, with what was written behind it.
fn told(line: &str, items: &[Item]) -> Option<Item> {
    let (name, rest) = line.trim_start().split_once(' ')?;
    let rest = rest.trim();
    let other = TOLD_AS.iter().find(|(other, _)| *other == name);
    let name = other.map_or(name, |(_, name)| name);
    let item = items.iter().find(|i| i.name == name)?;
    let PickerGoal::Run(action) = item.goal else {
        return None;
    };
    // The start of the name of a choice means that one: `theme li`.
    let is_begun = |i: &Item| {
        let is_choice = matches!(i.goal, PickerGoal::Theme(_) | PickerGoal::Keymap(_));
        is_choice && i.name.starts_with(line.trim())
    };
    if rest.is_empty() || argument(action).is_none() || items.iter().any(is_begun) {
        return None;
    }
    Some(Item {
        summary: rest.to_owned(),
        goal: PickerGoal::Tell(action, rest.to_owned()),
        ..item.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str, action: Action) -> Item {
        Item {
            name: name.to_owned(),
            summary: String::new(),
            aliases: "",
            keys: String::new(),
            topic: "",
            goal: PickerGoal::Run(action),
            why_not: None,
        }
    }

    #[test]
    fn what_is_called_so_comes_first() {
        let items = vec![
            item("filter", Action::Filter),
            item("copy-value", Action::CopyValue),
        ];
        let mut picker = Picker::new(PickerKind::Palette, items);
        let stat = |key: &str, value: &str, events| ValueStat {
            key: key.to_owned(),
            label: key.to_owned(),
            value: value.to_owned(),
            events,
        };
        picker.values = Some(
            [
                stat("job", "9", 3),
                stat("job", "19", 70),
                stat("node", "copy", 2),
            ]
            .into(),
        );
        let mut names = |line: &str| -> Vec<String> {
            picker.line = TextInput::of(line);
            picker.refresh();
            picker
                .shown
                .iter()
                .map(|i| format!("{} {}", i.name, i.summary).trim().to_owned())
                .collect()
        };
        assert_eq!(
            names("job 9"),
            ["9 job: 3 records have it", "19 job: 70 records have it"]
        );
        assert_eq!(
            names("copy")[..2],
            ["copy node: 2 records have it", "copy-value"]
        );
        assert_eq!(names("filter job = 9")[0], "filter job = 9");
        assert_eq!(names("").len(), 2);
        assert_eq!(names("ftr"), ["filter"]);
        assert_eq!(names("copy-value x"), Vec::<String>::new());
    }

    #[test]
    fn a_short_name_finds_its_key_first() {
        let keys = ["a.worker_count", "worker_id", "a.worker", "b.coworker"];
        let items = keys.map(|key| item(key, Action::Filter)).into();
        let mut picker = Picker::new(PickerKind::Choice, items);
        picker.line = TextInput::of("worker");
        picker.refresh();
        assert_eq!(picker.current().map(|i| i.name.as_str()), Some("a.worker"));
    }
}
