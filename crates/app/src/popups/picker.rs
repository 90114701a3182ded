//! Picker: a list filtered by typing, used for commands, keys and values, help, marks, themes and
//! keymaps.

use std::borrow::Cow;
use std::sync::Arc;

use crate::command::Command;
use crate::focus::{Focus, commands};
use crate::fuzzy;
use crate::keymap::KeyScope;
use widetui_core::words::{last_part, several};
use widetui_query::{Expr, Field};
use widetui_session::comparison::ComparedSide;
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;
use widetui_session::rows::ValueStat;
use widetui_tables::plots::settings::PlotChoice;

use super::{PopupState, TextInput};

/// Maximum number of values listed.
const MAX_VALUES: usize = 200;

/// Topic of the commands that are useful in the current view; they are listed again under their own
/// topic.
pub const HERE: &str = "here";

/// Effect of choosing an item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemAction {
    /// Runs a command.
    Run(Command),
    /// Runs a command with the argument typed after its name.
    RunWith(Command, String),
    /// Changes an option of the views over time.
    SetPlotOption(PlotChoice),
    /// Opens a filter prompt for this key.
    Filter(String),
    /// Adds a filter: the label for the breadcrumb, and the expression.
    Pivot(String, Expr),
    /// Selects the records of an instance.
    SelectInstance(Box<InstanceHandle>),
    /// Opens the table of the instances of an entity, by its dotted name.
    OpenInstances(String),
    /// Opens the trace of an instance.
    OpenTrace(Box<InstanceHandle>),
    /// Jumps to a record.
    Record(Place),
    /// Compares the selection with this side.
    CompareWith(Box<ComparedSide>),
    /// Opens a prompt, prefilled with this text, for the expression to compare the selection with.
    CompareWritten(String),
    /// Compares two runs.
    CompareRuns,
    /// Copies a text.
    Copy(String),
    /// Applies the theme with this name.
    Theme(String),
    /// Loads the keymap with this name.
    Keymap(String),
}

/// Item of a picker.
#[derive(Clone, Debug)]
pub struct Item {
    /// Name, as listed and matched.
    pub name: String,
    /// One-line description.
    pub summary: String,
    /// Further words that find the item.
    pub(crate) aliases: &'static str,
    /// Keys bound to the command.
    pub keys: String,
    /// Topic under which the item is listed.
    pub topic: &'static str,
    /// Effect of choosing the item.
    pub action: ItemAction,
    /// Reason why the command is not available now.
    pub why_not: Option<String>,
}

impl Item {
    /// Item without keys and aliases.
    pub(crate) fn choice(name: String, summary: &str, action: ItemAction) -> Item {
        Item {
            name,
            summary: summary.to_owned(),
            aliases: "",
            keys: String::new(),
            topic: "choice",
            action,
            why_not: None,
        }
    }
}

/// Purpose of a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerKind {
    /// Command palette: runs a command, or finds a key, a value or an instance.
    Palette,
    /// Help: lists all keys.
    Help,
    /// List of marks and notes.
    Marks,
    /// Message log.
    Messages,
    /// Choice among few options.
    Choice,
    /// Choice of the other side of a comparison with the selection.
    Compare,
}

/// List filtered by typing.
#[derive(Clone, Debug)]
pub struct Picker {
    /// Purpose.
    pub kind: PickerKind,
    /// Title of the frame, for a choice.
    pub title: Cow<'static, str>,
    /// Search line.
    pub line: TextInput,
    /// All items except values.
    pub items: Vec<Item>,
    /// Values of keys; `None` until they are counted.
    pub(crate) values: Option<Arc<[ValueStat]>>,
    /// Instances whose names match the search line; listed first.
    pub(crate) matching_instances: Vec<Item>,
    /// Whether the search for instances by name is still running.
    pub(crate) is_looking: bool,
    /// Items that match the search line, the best first.
    pub shown: Vec<Item>,
    /// Index of the item under the cursor.
    pub cursor: usize,
}

impl Picker {
    /// Picker with `items` and an empty search line.
    pub(crate) fn new(kind: PickerKind, items: Vec<Item>) -> Picker {
        let mut picker = Picker {
            kind,
            title: Cow::Borrowed("choose"),
            line: TextInput::default(),
            items,
            values: None,
            matching_instances: Vec::new(),
            is_looking: false,
            shown: Vec::new(),
            cursor: 0,
        };
        picker.refresh();
        picker
    }

    /// Sets the title of the frame.
    pub(crate) fn titled(self, title: impl Into<Cow<'static, str>>) -> Picker {
        Picker {
            title: title.into(),
            ..self
        }
    }

    /// Updates `shown` for the search line: items with that exact name, then items with the words
    /// in their names, values, and fuzzy matches.
    pub(crate) fn refresh(&mut self) {
        self.cursor = 0;
        // A leading slash is accepted as the habit of starting a search; alone it is the key `/`.
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
        // Summaries are matched by words only: in long texts nearly every fuzzy query matches.
        let told_so = items.iter().copied();
        let told_so = told_so.filter(|i| words(&format!("{} {}", i.aliases, i.summary)));
        let fits = fuzzy::rank(written, items.iter().map(|i| i.name.as_str()));
        let fits = fits.into_iter().filter_map(|i| items.get(i).copied());
        let (mut named, mut alike): (Vec<&Item>, Vec<&Item>) = fits.partition(|i| words(&i.name));
        let is_alias = |i: &Item| i.aliases.split(' ').any(|alias| alias == query);
        let called = items.iter().copied().filter(|i| is_alias(i));
        let called: Vec<&Item> = called.filter(|i| !words(&i.name)).collect();
        alike.retain(|i| !is_alias(i));
        named.extend(called);
        // An exact or short name precedes a whole alias, and both longer names that contain the same words.
        named.sort_by_key(|i| {
            let name = i.name.to_lowercase();
            (name != query, !is_alias(i), last_part(&name) != query)
        });
        for item in told_so {
            let is_in = |list: &[&Item]| list.iter().any(|i| std::ptr::eq(*i, item));
            if !is_in(&named) && !is_in(&alike) {
                alike.push(item);
            }
        }
        let (named, alike) = (named.into_iter().cloned(), alike.into_iter().cloned());
        let (named, alike): (Vec<Item>, Vec<Item>) = (named.collect(), alike.collect());
        let (exact, values) = self.matching_values(&query);
        let action_with_argument = action_with_argument(written, &self.items);
        self.shown = action_with_argument
            .into_iter()
            .chain(exact)
            .chain(named)
            .chain(values)
            .chain(alike)
            .collect();
    }

    /// Values equal to the query, and values that contain it.
    fn matching_values(&self, query: &str) -> (Vec<Item>, Vec<Item>) {
        let (mut exact, mut near) = (Vec::new(), Vec::new());
        for stat in self.values.iter().flat_map(|v| v.iter()) {
            let value = stat.value.to_lowercase();
            if value == query || format!("{} {value}", stat.label.to_lowercase()) == query {
                exact.push(stat);
                continue;
            }
            let key = stat.key.to_lowercase();
            // At least one word must be in the value: keys are items of their own.
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
            |stats: Vec<&ValueStat>| stats.into_iter().take(MAX_VALUES).map(value_item).collect();
        (items(exact), items(near))
    }

    /// Item under the cursor.
    pub(crate) fn current(&self) -> Option<&Item> {
        self.shown.get(self.cursor)
    }
}

impl PopupState for Picker {
    fn focus(&self) -> Focus {
        Focus {
            keys: &[KeyScope::Picker],
            hints: match self.kind {
                PickerKind::Marks => commands! { Open Down Up Forget Back },
                _ => commands! { Open Down Up Back },
            },
            labels: match self.kind {
                PickerKind::Palette | PickerKind::Help => &[(Command::Open, "run")],
                PickerKind::Messages => &[(Command::Open, "copy")],
                PickerKind::Compare => &[(Command::Open, "compare")],
                PickerKind::Marks => &[(Command::Open, "go there")],
                PickerKind::Choice => &[(Command::Open, "choose")],
            },
        }
    }

    fn line(&mut self) -> Option<&mut TextInput> {
        Some(&mut self.line)
    }

    fn list(&mut self) -> Option<(&mut usize, usize)> {
        Some((&mut self.cursor, self.shown.len()))
    }
}

fn value_item(stat: &ValueStat) -> Item {
    let expr = Expr::equals(Field::key(&stat.key), stat.value.as_str());
    let summary = match stat.events {
        1 => format!("{}: 1 record has it", stat.key),
        n => format!("{}: {} have it", stat.key, several(n as usize, "record")),
    };
    let action = ItemAction::Pivot(format!("{} {}", stat.label, stat.value), expr);
    Item {
        topic: "values",
        ..Item::choice(stat.value.clone(), &summary, action)
    }
}

/// Aliases of commands that take an argument.
const ALIASES: [(&str, &str); 1] = [("about", "trace")];

/// Command that `line` names, with the rest of the line as its argument.
fn action_with_argument(line: &str, items: &[Item]) -> Option<Item> {
    let (name, rest) = line.trim_start().split_once(' ')?;
    let rest = rest.trim();
    let other = ALIASES.iter().find(|(other, _)| *other == name);
    let name = other.map_or(name, |(_, name)| name);
    let item = items.iter().find(|i| i.name == name)?;
    let ItemAction::Run(command) = item.action else {
        return None;
    };
    // The unique beginning of an option suffices: `theme li`.
    let is_begun = |i: &Item| {
        let is_choice = matches!(i.action, ItemAction::Theme(_) | ItemAction::Keymap(_));
        is_choice && i.name.starts_with(line.trim())
    };
    if rest.is_empty() || command.info().argument.is_none() || items.iter().any(is_begun) {
        return None;
    }
    Some(Item {
        summary: rest.to_owned(),
        action: ItemAction::RunWith(command, rest.to_owned()),
        ..item.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str, command: Command) -> Item {
        Item {
            name: name.to_owned(),
            summary: String::new(),
            aliases: "",
            keys: String::new(),
            topic: "",
            action: ItemAction::Run(command),
            why_not: None,
        }
    }

    #[test]
    fn what_is_called_so_comes_first() {
        let items = vec![
            item("filter", Command::Filter),
            item("copy-value", Command::CopyValue),
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
            picker.line = TextInput::new(line);
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
        let items = keys.map(|key| item(key, Command::Filter)).into();
        let mut picker = Picker::new(PickerKind::Choice, items);
        picker.line = TextInput::new("worker");
        picker.refresh();
        assert_eq!(picker.current().map(|i| i.name.as_str()), Some("a.worker"));
    }
}
