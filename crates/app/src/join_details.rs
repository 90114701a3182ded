//! Details below a join draft: the next steps, or the conflicts of a complete draft (groups of
//! events with several values).

use crate::command::Command;
use crate::keymap::KeyScope;
use crate::model::Model;
use widetui_join::Conflict;
use widetui_tables::text::grouped;

/// Maximum number of groups listed.
const MAX_GROUPS: usize = 6;
/// Maximum number of values listed per group.
const MAX_VALUES: usize = 5;

/// Steps that complete the join.
pub fn steps(model: &Model) -> Vec<String> {
    let key = |command| {
        let keys = model.keymap.keys_of(&[KeyScope::NewJoin], command);
        keys.unwrap_or_else(|| "Enter".to_owned())
    };
    let (turn, apply, save) = (
        key(Command::Open),
        key(Command::ApplyJoin),
        key(Command::SaveJoin),
    );
    vec![
        format!("1  {turn} on a key that all records of one instance share"),
        format!("2  {turn} twice on a key that only some of them have: the others get it"),
        format!("3  {apply} puts the join in force here, {save} for all runs to come"),
    ]
}

/// Whether the draft is too incomplete to be tried.
pub fn is_begun_only(model: &Model) -> bool {
    model.joins.draft.join().is_none()
}

/// Height of the pane, in rows.
pub(crate) fn rows(model: &Model) -> u16 {
    if is_begun_only(model) {
        return steps(model).len() as u16;
    }
    let (examples, _) = model.joins.draft.conflicts();
    examples.len().min(MAX_GROUPS) as u16
}

/// Title and note of the line above the pane: number of conflicts and their effect.
pub fn heading(model: &Model) -> (String, String) {
    if is_begun_only(model) {
        return ("how a join is built".to_owned(), String::new());
    }
    let (examples, all) = model.joins.draft.conflicts();
    let title = match all {
        1 => "1 conflict: its events would get nothing".to_owned(),
        n => format!(
            "{} conflicts: their events would get nothing",
            grouped(n as u64)
        ),
    };
    let shown = examples.len().min(MAX_GROUPS);
    let note = match shown < all {
        true => format!("the first {shown}"),
        false => String::new(),
    };
    (title, note)
}

/// First values of one key in a group, and the number of further ones.
pub fn values(conflict: &Conflict) -> String {
    let shown = conflict.values.iter().take(MAX_VALUES);
    let shown: Vec<&str> = shown.map(|(value, _)| value.as_str()).collect();
    let more = match conflict.values.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {} more", grouped(n as u64)),
    };
    format!("{}{more}", shown.join(", "))
}
