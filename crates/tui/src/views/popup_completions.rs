//! Completion list above the prompt.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{put, put_right};
use widetui_app::command::Command;
use widetui_app::hit::{HitMap, Target};
use widetui_app::popups::Prompt;
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, width};

/// Maximum number of rows shown.
const ROWS: usize = 8;
/// Maximum width of completions, and of their descriptions, in columns.
const TEXT: usize = 48;
const NOTE: usize = 60;

pub(super) fn draw(
    model: &Scene<'_>,
    prompt: &Prompt,
    column: u16,
    body: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let offers = &prompt.offers;
    // The preview of an extraction has the line above the prompt.
    let below = u16::from(prompt.kind.is_extraction());
    let body = Rect::new(
        body.x,
        body.y,
        body.width,
        body.height.saturating_sub(below),
    );
    let rows = ROWS.min(offers.items.len());
    let rows = rows.min(usize::from(body.height.saturating_sub(2)));
    // An error in the input takes the place of the list and is more important.
    if rows == 0 || prompt.problem.is_some() {
        return;
    }
    let widest = |of: fn(&widetui_query::Completion) -> &str, most: usize| {
        let widths = offers.items.iter().map(|item| width(of(item)));
        widths.max().unwrap_or(0).min(most) as u16
    };
    let texts = widest(|c| &c.text, TEXT);
    let notes = widest(|c| &c.note, NOTE);
    let top = offers.chosen.map_or(0, |at| (at + 1).saturating_sub(rows));
    let keys = &model.snapshot.catalog.keys;
    let what = match offers
        .items
        .iter()
        .all(|item| keys.find(&item.text).is_some())
    {
        true => "keys",
        false => "completions",
    };
    let (last, all) = (top + rows, offers.items.len());
    let title = format!(
        "{what} {}–{} of {}",
        top + 1,
        grouped(last as u64),
        grouped(all as u64)
    );
    let key = |command| model.key_of(command);
    let note = format!(
        "{} completes · {} leaves",
        key(Command::NextPane),
        key(Command::Back)
    );
    let least = (width(&title).max(width(&note)) + 6) as u16;
    let columns = (texts + notes + 7).max(least).min(body.width);
    let x = column
        .saturating_sub(2)
        .min(body.right().saturating_sub(columns));
    let height = rows as u16 + 2;
    let area = Rect::new(x, body.bottom() - height, columns, height);
    hits.add(area, Target::Popup);
    let area = super::frame(model, area, &title, &note, buf);
    let columns = area.width;
    let theme = model.theme;
    let ground = theme.style(Role::Popup);
    for (y, at) in (area.top()..area.bottom()).zip(top..) {
        let Some(item) = offers.items.get(at) else {
            break;
        };
        let line = Rect::new(area.x, y, columns, 1);
        hits.add(line, Target::PopupRow(at));
        let style = |role| ground.patch(theme.style(role));
        let end = line.right().saturating_sub(1);
        let room = |x: u16| end.saturating_sub(x);
        let x = line.x + 1;
        let columns = texts.min(room(x));
        put(buf, x, y, columns, &item.text, style(Role::Value));
        let from = x + texts + 2;
        if from < end {
            put_right(buf, from, end, y, &item.note, style(Role::Muted));
        }
        if offers.chosen == Some(at) {
            super::mark_row(buf, line, theme.style(Role::PopupCursor));
        }
    }
}
