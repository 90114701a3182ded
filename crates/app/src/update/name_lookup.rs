//! Instances in the palette: found by name while the name is typed, and offered as items.

use crate::command::Command;
use crate::model::Model;
use crate::msg::Effect;
use crate::popups::{Item, ItemAction, Picker, PickerKind};
use widetui_analysis::entity::names::{InstanceQuery, UnresolvedName};
use widetui_core::nearest::suggestion;
use widetui_core::words::several;
use widetui_session::jobs::Question;
use widetui_session::names::{NameMatch, NameQuery};

use super::instance_views;
use super::primitives::notices::alert;
use super::primitives::questions::ask;

/// Heading of instances in the palette.
const TOPIC: &str = "instances";
/// Maximum number of instances that the palette offers.
const MOST: usize = 6;
/// Maximum number of instances in the list that opens when a name matches several.
const SAME: usize = 200;

/// Updates the instances that match the line of the palette. They precede all items, except when the
/// line is a command with its argument. The search runs in the background, since a run may have
/// millions of instances; previous results stay while they match.
pub(super) fn rewritten(model: &mut Model) -> Vec<Effect> {
    let Some(picker) = model.popup_of_mut::<Picker>() else {
        return Vec::new();
    };
    let text = picker.line.text.trim().to_owned();
    let is_told =
        matches!(picker.shown.first(), Some(i) if matches!(i.action, ItemAction::RunWith(..)));
    picker.is_looking = false;
    if picker.kind != PickerKind::Palette || text.is_empty() || is_told {
        picker.matching_instances.clear();
        return Vec::new();
    }
    let lower = text.to_lowercase();
    picker
        .matching_instances
        .retain(|item| item.topic == TOPIC && item.name.to_lowercase().contains(&lower));
    let instances = std::mem::take(&mut picker.matching_instances);
    let first = row_called(model, &text).into_iter().chain(instances);
    offer(model, first.collect());
    let Some(wish) = wish(model, &text, MOST) else {
        return Vec::new();
    };
    if let Some(picker) = model.popup_of_mut::<Picker>() {
        picker.is_looking = true;
    }
    vec![ask(model, Question::InstanceNames(wish))]
}

/// Replaces the matching instances at the top of the palette. The cursor stays on its item, or on the
/// first one.
fn offer(model: &mut Model, items: Vec<Item>) {
    let Some(picker) = model.popup_of_mut::<Picker>() else {
        return;
    };
    let before = picker.matching_instances.len();
    picker.cursor = match picker.cursor {
        0 => 0,
        at if at < before => at.min(items.len()),
        at => at - before + items.len(),
    };
    picker.shown.splice(0..before, items.iter().cloned());
    picker.matching_instances = items;
}

/// Shows the instances found for `text`, unless the line of the palette has changed since.
pub(super) fn found(model: &mut Model, text: &str, found: &[NameMatch]) {
    let is_asked = |p: &Picker| p.is_looking && p.line.text.trim() == text;
    if !model.popup_of::<Picker>().is_some_and(is_asked) {
        return;
    }
    let items = row_called(model, text).into_iter().chain(items(found));
    offer(model, items.collect());
    if let Some(picker) = model.popup_of_mut::<Picker>() {
        picker.is_looking = false;
    }
}

/// Completes a running search in the foreground before Enter takes the first item, so that the
/// item is the best match.
pub(super) fn know(model: &mut Model) {
    let Some(picker) = model.popup_of::<Picker>() else {
        return;
    };
    if !picker.is_looking || picker.cursor > 0 {
        return;
    }
    let text = picker.line.text.trim().to_owned();
    let called = find(model, &text, MOST);
    found(model, &text, &called);
}

/// Two items per instance: one selects its records, one shows its trace.
fn items(found: &[NameMatch]) -> Vec<Item> {
    let items = found.iter().flat_map(|c| {
        let records = several(c.records, "record");
        let of = match c.description.as_str() {
            "" => String::new(),
            of => format!("{of} · "),
        };
        let instance = || Box::new(c.instance.clone());
        let name = &c.instance.name;
        [
            item(
                name.clone(),
                format!("{of}{records}: only these"),
                ItemAction::SelectInstance(instance()),
            ),
            item(
                format!("about {name}"),
                format!("{of}{records}, with the steps between them"),
                ItemAction::OpenTrace(instance()),
            ),
        ]
    });
    items.collect()
}

/// Item that goes to a row of the list of records, for a line that is only a row number (as in
/// editors).
fn row_called(model: &Model, text: &str) -> Option<Item> {
    let rows = model.len();
    let number: usize = text.parse().ok().filter(|n| (1..=rows).contains(n))?;
    Some(Item {
        topic: "rows",
        ..item(
            format!("#{number}"),
            format!("to row {number} of {}", several(rows, "record")),
            ItemAction::RunWith(Command::GotoTime, format!("#{number}")),
        )
    })
}

fn item(name: String, summary: String, action: ItemAction) -> Item {
    Item {
        name,
        summary,
        aliases: "",
        keys: String::new(),
        topic: TOPIC,
        action,
        why_not: None,
    }
}

/// Query for at most `most` instances by name; `None` until the instances of the run are known.
fn wish(model: &Model, text: &str, most: usize) -> Option<NameQuery> {
    let (snapshot, seen) = model.instances.seen.clone()?;
    Some(NameQuery {
        snapshot,
        seen,
        instance_cache: model.meaning.instance_cache.clone(),
        text: text.to_owned(),
        most,
    })
}

fn find(model: &Model, text: &str, most: usize) -> Vec<NameMatch> {
    wish(model, text, most).map_or(Vec::new(), |wish| wish.find())
}

/// Shows the trace of the instance named by the command's argument. Opens a list if several match;
/// alerts if none does.
pub(super) fn tell(model: &mut Model, text: &str) -> Vec<Effect> {
    model.popup = None;
    if model.instances.seen.is_none() {
        return alert(model, "it is not known yet what the run is about");
    }
    let mut found = find(model, text, SAME);
    match found.len() {
        0 => {
            let keys = model.key_of(Command::ViewEntities);
            let names = model.meaning.names(&model.snapshot);
            let query = InstanceQuery::parse_name(text).ok();
            let near = query.and_then(|query| match names.instances(&query) {
                Err(UnresolvedName::Unknown(near)) => near,
                _ => None,
            });
            let hint = suggestion(near.as_deref());
            let text = format!("no instance is called {text}{hint}; {keys} lists the entities");
            alert(model, text)
        }
        1 => instance_views::about(model, found.remove(0).instance),
        _ => {
            let items = found.into_iter().map(|c| {
                let summary = format!("{} · {}", c.description, several(c.records, "record"));
                let name = c.instance.name.clone();
                item(name, summary, ItemAction::OpenTrace(Box::new(c.instance)))
            });
            let picker = Picker::new(PickerKind::Choice, items.collect()).titled("about which?");
            model.popup = Some(picker.into());
            Vec::new()
        }
    }
}
