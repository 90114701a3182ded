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

/// Steps that complete the join, or its conflicts, each with a label.
pub(crate) fn lines(model: &Model) -> Vec<(&'static str, String)> {
    let key = |command| {
        let keys = model.keymap.keys_of(&[KeyScope::NewJoin], command);
        keys.unwrap_or_else(|| "Enter".to_owned())
    };
    let (turn, apply, save) = (
        key(Command::Open),
        key(Command::ApplyJoin),
        key(Command::SaveJoin),
    );
    if !is_begun_only(model) {
        let (examples, _) = model.joins.draft.conflicts();
        let line = |c: &Conflict| format!("{}: {} {}", c.subject(), c.key, values(c));
        let shown = examples.iter().take(MAX_GROUPS);
        return shown.map(|c| ("conflict", line(c))).collect();
    }
    vec![
        (
            "1",
            format!("{turn} on a key that all records of one instance share"),
        ),
        (
            "2",
            format!("{turn} twice on a key that only some of them have: the others get it"),
        ),
        (
            "3",
            format!("{apply} puts the join in force here, {save} for all runs to come"),
        ),
    ]
}

/// Whether the draft is too incomplete to be tried.
fn is_begun_only(model: &Model) -> bool {
    model.joins.draft.join().is_none()
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
fn values(conflict: &Conflict) -> String {
    let shown = conflict.values.iter().take(MAX_VALUES);
    let shown: Vec<&str> = shown.map(|(value, _)| value.as_str()).collect();
    let more = match conflict.values.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {} more", grouped(n as u64)),
    };
    format!("{}{more}", shown.join(", "))
}
