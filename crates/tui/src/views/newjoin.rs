//! Below a join that is being built: what to do next; and when it is complete, the groups of events in which it would find
//! several values.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::action::Action;
use crate::keymap::KeyScope;
use crate::model::Model;
use crate::text::{cut, grouped, put, sanitise, width};
use crate::theme::Role;
use widetui_join::Conflict;

/// Groups that are told of.
const GROUPS: usize = 6;
/// Values of a group that are told of.
const VALUES: usize = 5;

/// What is to be done until the join is complete.
fn steps(model: &Model) -> Vec<String> {
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
fn is_begun_only(model: &Model) -> bool {
    model.joins.draft.join().is_none()
}

/// Rows that are wanted for it.
pub(crate) fn rows(model: &Model) -> u16 {
    if is_begun_only(model) {
        return steps(model).len() as u16;
    }
    let (examples, _) = model.joins.draft.conflicts();
    examples.len().min(GROUPS) as u16
}

/// What the line above says: how many there are, and what becomes of them.
pub(super) fn heading(model: &Model) -> (String, String) {
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

fn group(conflict: &Conflict) -> String {
    let pairs = conflict.group.iter();
    let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key} {value}")).collect();
    pairs.join(" · ")
}

fn values(conflict: &Conflict) -> String {
    let shown = conflict.values.iter().take(VALUES);
    let shown: Vec<&str> = shown.map(|(value, _)| value.as_str()).collect();
    let more = match conflict.values.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {} more", grouped(n as u64)),
    };
    format!("{}{more}", shown.join(", "))
}

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    if is_begun_only(model) {
        let style = model.screen.theme.style(Role::Text);
        for (y, line) in (area.top()..area.bottom()).zip(steps(model)) {
            put(
                buf,
                area.x + 2,
                y,
                area.width.saturating_sub(3),
                &line,
                style,
            );
        }
        return;
    }
    let (examples, _) = model.joins.draft.conflicts();
    let shown = &examples[..examples.len().min(area.height.into())];
    let lines: Vec<[(String, Role); 3]> = shown
        .iter()
        .map(|c| {
            [
                (group(c), Role::Key),
                (c.key.clone(), Role::Muted),
                (values(c), Role::Value),
            ]
        })
        .collect();
    let widest = |at: usize, most: usize| {
        let all = lines.iter().map(|line| width(&sanitise(&line[at].0)));
        all.max().unwrap_or(0).min(most)
    };
    let half = usize::from(area.width) / 2;
    let columns = [widest(0, half), widest(1, half / 2), usize::MAX];
    for (y, line) in (area.top()..).zip(&lines) {
        let mut x = area.x + 2;
        for ((text, role), most) in line.iter().zip(columns) {
            let room = area.right().saturating_sub(x + 1);
            let text = sanitise(text);
            let text = cut(&text, most.min(room.into()));
            put(buf, x, y, room, &text, model.screen.theme.style(*role));
            x = x
                .saturating_add((most.min(room.into()) as u16).saturating_add(2))
                .min(area.right());
        }
    }
}
