//! The record under the cursor: its keys in columns, each with where it comes from, then its whole text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::time::format_datetime;
use crate::store::{EventRef, Origin, Value};
use crate::ui::hit::{HitMap, Target};
use crate::ui::layout::Areas;
use crate::ui::model::Model;
use crate::ui::text::{grouped, put, put_from, restyle, sanitise, width, wrap};
use crate::ui::theme::Role;

use super::times;

/// Narrowest column of keys.
const COLUMN: u16 = 56;
/// Widest name of a key.
const NAME: usize = 26;
/// Lines of a text shown; what is longer is better opened elsewhere.
const MAX_LINES: usize = 10_000;

struct Pair {
    name: String,
    value: String,
    origin: &'static str,
}

/// Number of lines of the record under the cursor, for scrolling.
pub(crate) fn length(model: &Model) -> usize {
    let area = Areas::of(model).record;
    match model.current() {
        Some(event) if area.width > 0 => {
            let pairs = pairs(model, &event).len();
            key_rows(pairs, area.width) + 1 + text_lines(model, &event, area.width).len()
        }
        _ => 0,
    }
}

fn columns(width: u16) -> usize {
    usize::from((width / COLUMN).clamp(1, 4))
}

fn key_rows(pairs: usize, width: u16) -> usize {
    pairs.div_ceil(columns(width))
}

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    hits.add(area, Target::Record);
    let Some(event) = model.current() else { return };
    let pairs = pairs(model, &event);
    let rows = key_rows(pairs.len(), area.width);
    let text = text_lines(model, &event, area.width);
    for y in 0..area.height {
        let line = model.record_top + usize::from(y);
        let at = Rect::new(area.x, area.y + y, area.width, 1);
        if line < rows {
            draw_keys(model, &pairs, rows, line, at, buf);
        } else if line > rows
            && let Some(text) = text.get(line - rows - 1)
        {
            draw_text(model, text, at, buf);
        }
    }
}

/// Keys read column by column: the eye goes down.
fn draw_keys(
    model: &Model,
    pairs: &[Pair],
    rows: usize,
    line: usize,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = &model.theme;
    let count = columns(area.width);
    let column_width = area.width / count as u16;
    for column in 0..count {
        let of_column = pairs.iter().skip(column * rows).take(rows);
        let names = of_column
            .map(|p| width(&p.name))
            .max()
            .unwrap_or(0)
            .min(NAME) as u16;
        let Some(pair) = pairs.get(column * rows + line).filter(|_| line < rows) else {
            continue;
        };
        let x = area.x + 1 + column as u16 * column_width;
        let end = (area.x + (column as u16 + 1) * column_width).min(area.right());
        let room = |x: u16| end.saturating_sub(x + 1);
        put(
            buf,
            x,
            area.y,
            names.min(room(x)),
            &pair.name,
            theme.style(Role::Key),
        );
        let x = x + names + 2;
        let keep = if pair.origin.is_empty() {
            0
        } else {
            pair.origin.len() as u16 + 3
        };
        let shown = room(x).saturating_sub(keep);
        let x = put(buf, x, area.y, shown, &pair.value, theme.style(Role::Value));
        if keep > 0 {
            let text = format!(" ⟵ {}", pair.origin);
            put(buf, x, area.y, room(x), &text, theme.style(Role::Origin));
        }
    }
}

fn pairs(model: &Model, event: &EventRef<'_>) -> Vec<Pair> {
    let source = event.source();
    let mut out = vec![Pair {
        name: "time".into(),
        value: event.time().map_or("–".into(), |t| {
            format!(
                "{} {}",
                format_datetime(t, times::offset(model, t), 9),
                model.zone
            )
        }),
        origin: "",
    }];
    let level = event.level().name();
    if !level.is_empty() {
        out.push(Pair {
            name: "level".into(),
            value: level.into(),
            origin: "",
        });
    }
    let stored = event.stored();
    let mut add = |wanted: Origin, origin: &'static str| {
        for (id, value, from) in &stored {
            if *from == wanted {
                out.push(Pair {
                    name: event.snapshot.catalog.keys.name(*id).to_owned(),
                    value: match value {
                        Value::One(value) => value.clone(),
                        Value::Many(values) => values.join(", "),
                    },
                    origin,
                });
            }
        }
    };
    add(Origin::Record, "");
    add(Origin::Path, "path");
    // Values that are not kept in columns are in the text alone.
    if let Some(record) = model.text(event) {
        for (name, values) in &record.pairs {
            if !out.iter().any(|p| p.name == *name) {
                out.push(Pair {
                    name: name.clone(),
                    value: values.join(", "),
                    origin: "",
                });
            }
        }
    }
    out.push(Pair {
        name: "source".into(),
        value: source.path.clone(),
        origin: "",
    });
    out
}

fn text_lines(model: &Model, event: &EventRef<'_>, columns: u16) -> Vec<String> {
    let Some(record) = model.text(event) else {
        return vec!["reading …".to_owned()];
    };
    let room = usize::from(columns.saturating_sub(2));
    let mut out: Vec<String> = Vec::new();
    for line in record.text.lines().take(MAX_LINES) {
        let clean = sanitise(line);
        if model.wrap {
            out.extend(wrap(&clean, room));
        } else {
            out.push(clean.into_owned());
        }
    }
    if record.left_out > 0 {
        out.push(format!(
            "… and {} bytes more",
            grouped(record.left_out as u64)
        ));
    }
    out
}

fn draw_text(model: &Model, text: &str, area: Rect, buf: &mut Buffer) {
    let style: Style = model.theme.style(Role::Text);
    let skip = if model.wrap { 0 } else { model.left };
    let x = area.x + 1;
    let room = area.width.saturating_sub(2);
    let end = put_from(buf, x, area.y, room, text, skip, style);
    let look = model.theme.style(Role::Match);
    for hit in super::hits_in(model, text) {
        for column in width(&text[..hit.start])..width(&text[..hit.end]) {
            let at = column
                .checked_sub(skip)
                .and_then(|c| x.checked_add(u16::try_from(c).ok()?));
            if let Some(at) = at.filter(|at| *at < end) {
                restyle(buf, at, area.y, look);
            }
        }
    }
}
