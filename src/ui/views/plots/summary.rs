//! Below the rows of a timeline, where few of them leave room: what the colours stand for, and how long each of it took.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::base::time::format_span;
use crate::ui::model::Model;
use crate::ui::plots::Looks;
use crate::ui::plots::gantt::{Gantt, sign};
use crate::ui::text::{glyph, grouped, put, put_right, width};
use crate::ui::theme::Role;
use crate::ui::views::rule;

/// Headings of the numbers, and the columns of each with the gap before it.
const HEADS: [(&str, u16); 4] = [("n", 8), ("mean", 11), ("longest", 11), ("in all", 11)];
/// Columns of a name at most.
const NAME: u16 = 40;

/// Draws it, if a line, a heading and some rows have room there; says whether all colours are in it.
pub(super) fn draw(
    model: &Model,
    gantt: &Gantt,
    area: Rect,
    looks: Looks<'_>,
    buf: &mut Buffer,
) -> bool {
    let kinds = gantt.legend.len().min(gantt.took.len());
    let room = usize::from(area.height).saturating_sub(2);
    if kinds == 0 || room < kinds.min(3) {
        return false;
    }
    let widest = gantt
        .legend
        .iter()
        .map(|(name, _)| width(name) as u16)
        .max();
    let names = widest.unwrap_or(0).clamp(8, NAME);
    let numbers: u16 = HEADS.iter().map(|h| h.1).sum();
    if area.width < names + numbers + 5 {
        return false;
    }
    let muted = model.screen.theme.style(Role::Muted);
    let line = Rect::new(area.x, area.y, area.width, 1);
    rule::line(model, line, buf);
    let style = model.screen.theme.style(Role::Title);
    put(
        buf,
        area.x + 1,
        area.y,
        area.width,
        " what took how long ",
        style,
    );
    let cells = |texts: [&str; 4], y: u16, role: Role, buf: &mut Buffer| {
        let mut from = area.x + 4 + names;
        for (text, (_, columns)) in texts.iter().zip(HEADS) {
            put_right(
                buf,
                from,
                from + columns,
                y,
                text,
                model.screen.theme.style(role),
            );
            from += columns;
        }
    };
    cells(HEADS.map(|h| h.0), area.y + 1, Role::Muted, buf);
    // Where not all have room the last row says so.
    let shown = if kinds > room { room - 1 } else { kinds };
    for (at, y) in (0..shown).zip(area.y + 2..) {
        let (name, count) = &gantt.legend[at];
        let took = &gantt.took[at];
        let (symbol, look) = sign(gantt, at, looks);
        glyph(buf, area.x + 2, y, symbol, look);
        put(
            buf,
            area.x + 4,
            y,
            names,
            name,
            model.screen.theme.style(Role::Text),
        );
        let mean = took.all / i64::try_from((*count).max(1)).unwrap_or(i64::MAX);
        let (mean, longest, all) = (
            format_span(mean),
            format_span(took.longest),
            format_span(took.all),
        );
        cells(
            [&grouped(*count), &mean, &longest, &all],
            y,
            Role::Text,
            buf,
        );
    }
    if shown < kinds {
        let text = format!("and {} more", grouped((kinds - shown) as u64));
        put(buf, area.x + 4, area.bottom() - 1, area.width, &text, muted);
    }
    shown == kinds
}
