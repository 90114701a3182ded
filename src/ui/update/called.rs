//! Things that are called by their names in the palette: offered while they are written, and shown.

use crate::base::words::{id_words, several};
use crate::ui::action::Action;
use crate::ui::model::Model;
use crate::ui::msg::Effect;
use crate::ui::popups::{Item, Picker, PickerGoal, PickerKind, Popup};
use crate::workspace::called::{Called, called, meant};
use crate::workspace::things::Thing;

use super::{alert, apart, things};

/// Things that are offered.
const MOST: usize = 6;
/// Things of one name among which one is chosen.
const SAME: usize = 200;

/// What is called as the line of the palette says is offered before all else but a command with its argument.
pub(super) fn rewritten(model: &mut Model) {
    let Some(Popup::Picker(picker)) = &model.popup else {
        return;
    };
    let text = picker.line.text.trim();
    let is_told = matches!(picker.shown.first(), Some(i) if matches!(i.goal, PickerGoal::Tell(..)));
    if picker.kind != PickerKind::Palette || text.is_empty() || is_told {
        return;
    }
    let row = row_called(model, text);
    let found = find(model, text, MOST);
    let told = told(model, &found);
    let items: Vec<Item> = found
        .iter()
        .zip(told)
        .flat_map(|(c, of)| {
            let records = several(c.records, "record");
            let of = if of.is_empty() {
                of
            } else {
                format!("{of} · ")
            };
            let thing = || Box::new(c.thing.clone());
            let name = &c.thing.name;
            [
                item(
                    name.clone(),
                    format!("{of}{records}: only these"),
                    PickerGoal::Thing(thing()),
                ),
                item(
                    format!("about {name}"),
                    format!("{of}{records}, with the steps between them"),
                    PickerGoal::About(thing()),
                ),
            ]
        })
        .collect();
    if let Some(Popup::Picker(picker)) = &mut model.popup {
        picker.shown.splice(0..0, items.into_iter().chain(row));
    }
}

/// The row of the list of records that a number alone may mean: editors go there.
fn row_called(model: &Model, text: &str) -> Option<Item> {
    let rows = model.len();
    let number: usize = text.parse().ok().filter(|n| (1..=rows).contains(n))?;
    Some(Item {
        topic: "rows",
        ..item(
            format!("#{number}"),
            format!("to row {number} of {}", several(rows, "record")),
            PickerGoal::Tell(Action::GotoTime, format!("#{number}")),
        )
    })
}

/// What is said of each beside its name: what it is, and of several with one name what tells them apart.
fn told(model: &Model, found: &[Called]) -> Vec<String> {
    let of = |called: &Called| {
        let same = found.iter().map(|c| &c.thing);
        let same: Vec<&Thing> = same.filter(|t| t.name == called.thing.name).collect();
        let told = apart::told_apart(model, &same);
        let at = same.iter().position(|t| t.id == called.thing.id);
        let told = at.and_then(|at| told.into_iter().nth(at));
        match told.filter(|t| !t.is_empty() && same.len() > 1) {
            Some(told) => told,
            None if same.len() > 1 => id_words(&called.thing.id, ", "),
            None => called.thing.label.clone().unwrap_or_default(),
        }
    };
    found.iter().map(of).collect()
}

fn item(name: String, summary: String, goal: PickerGoal) -> Item {
    Item {
        name,
        summary,
        aliases: "",
        keys: String::new(),
        topic: "things",
        goal,
        why_not: None,
    }
}

fn find(model: &Model, text: &str, most: usize) -> Vec<Called> {
    let Some((snapshot, seen)) = &model.things.seen else {
        return Vec::new();
    };
    let (run, all) = ((&**snapshot, &**seen), &model.meaning.things);
    let meant = meant(run, all, text, most);
    meant.unwrap_or_else(|| called(run, all, text, most))
}

/// Shows all about the thing that was written behind the action's name; of several one is chosen.
pub(super) fn tell(model: &mut Model, text: &str) -> Vec<Effect> {
    model.popup = None;
    if model.things.seen.is_none() {
        alert(
            model,
            "it is not known yet what the run is about".to_owned(),
        );
        return Vec::new();
    }
    let mut found = find(model, text, SAME);
    match found.len() {
        0 => {
            let keys = model.keymap.keys_of(&model.scopes(), Action::ViewEntities);
            let keys = keys.unwrap_or_else(|| "view-entities".to_owned());
            alert(
                model,
                format!("nothing is called {text}: {keys} lists what there is"),
            );
            Vec::new()
        }
        1 => things::about(model, found.remove(0).thing),
        _ => {
            let told = told(model, &found);
            let items = found.into_iter().zip(told).map(|(c, what)| {
                let summary = format!("{what} · {}", several(c.records, "record"));
                let name = c.thing.name.clone();
                item(name, summary, PickerGoal::About(Box::new(c.thing)))
            });
            let picker = Picker::new(PickerKind::Choice, items.collect()).titled("about which?");
            model.popup = Some(Popup::Picker(picker));
            Vec::new()
        }
    }
}
