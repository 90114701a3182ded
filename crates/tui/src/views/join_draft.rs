//! Pane below the draft of a join: next steps or conflicts.

use ratatui::buffer::Buffer;

use crate::canvas::{area_of, put};
use widetui_app::join_details::{is_begun_only, steps, values};
use widetui_app::rect::Rect;
use widetui_tables::role::Role;
use widetui_tables::text::{cut, sanitise, width};

use super::Scene;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(area_of(buf));
    if area.is_empty() {
        return;
    }
    if is_begun_only(model) {
        let style = model.theme.style(Role::Text);
        for (y, line) in (area.top()..area.bottom()).zip(steps(model)) {
            let room = area.width.saturating_sub(3);
            put(buf, area.x + 2, y, room, &line, style);
        }
        return;
    }
    let (examples, _) = model.joins.draft.conflicts();
    let shown = &examples[..examples.len().min(area.height.into())];
    let lines: Vec<[(String, Role); 3]> = shown
        .iter()
        .map(|c| {
            [
                (c.subject(), Role::Key),
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
            put(buf, x, y, room, &text, model.theme.style(*role));
            x = x
                .saturating_add((most.min(room.into()) as u16).saturating_add(2))
                .min(area.right());
        }
    }
}
