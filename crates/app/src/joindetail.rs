//! Below a join that is being built: what to do next; and when it is complete, the groups of events in which it would find
//! several values.

use crate::action::Action;
use crate::keymap::KeyScope;
use crate::model::Model;
use widetui_join::Conflict;
use widetui_tables::text::grouped;

/// Groups that are told of.
const GROUPS: usize = 6;
/// Values of a group that are told of.
const VALUES: usize = 5;

/// What is to be done until the join is complete.
pub fn steps(model: &Model) -> Vec<String> {
    let key = |action| {
        let keys = model.keymap.keys_of(&[KeyScope::NewJoin], action);
        keys.unwrap_or_else(|| "Enter".to_owned())
    };
    let (turn, apply, save) = (
        key(Action::Open),
        key(Action::ApplyJoin),
        key(Action::SaveJoin),
    );
    vec![
        format!("1  {turn} on a key that all records of one thing have: they have it the same"),
        format!("2  {turn} twice on a key that only some of them have: the others get it"),
        format!("3  {apply} puts the join in force here, {save} for all runs to come"),
    ]
}

/// Whether nothing can be tried yet.
pub fn is_begun_only(model: &Model) -> bool {
    model.joins.draft.join().is_none()
}

/// Rows that are wanted for it.
pub fn rows(model: &Model) -> u16 {
    if is_begun_only(model) {
        return steps(model).len() as u16;
    }
    let (examples, _) = model.joins.draft.conflicts();
    examples.len().min(GROUPS) as u16
}

/// What the line above says: how many there are, and what becomes of them.
pub fn heading(model: &Model) -> (String, String) {
    if is_begun_only(model) {
        return ("how a join is built".to_owned(), String::new());
    }
    let (examples, all) = model.joins.draft.conflicts();
    let title = match all {
        1 => "1 conflict: this group would get nothing".to_owned(),
        n => format!(
            "{} conflicts: these groups would get nothing",
            grouped(n as u64)
        ),
    };
    let shown = examples.len().min(GROUPS);
    let note = match shown < all {
        true => format!("the first {shown}"),
        false => String::new(),
    };
    (title, note)
}

/// Keys and values that the records of a group have the same.
pub fn group(conflict: &Conflict) -> String {
    let pairs = conflict.group.iter();
    let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key} {value}")).collect();
    pairs.join(" · ")
}

/// The first of the values that a group has for one key, and how many more there are.
pub fn values(conflict: &Conflict) -> String {
    let shown = conflict.values.iter().take(VALUES);
    let shown: Vec<&str> = shown.map(|(value, _)| value.as_str()).collect();
    let more = match conflict.values.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {} more", grouped(n as u64)),
    };
    format!("{}{more}", shown.join(", "))
}
