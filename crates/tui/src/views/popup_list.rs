//! Picker (palette, help, choices): search line and matching items. Also the list of keys after a
//! prefix.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{put, put_right};
use widetui_app::command::Command;
use widetui_app::hit::{HitMap, Target};
use widetui_app::keymap::{Next, Resolution};
use widetui_app::keys::Key;
use widetui_app::model::Model;
use widetui_app::popups::{Item, ItemAction, Picker, PickerKind};
use widetui_app::update::why_not;
use widetui_core::nearest::did_you_mean;
use widetui_tables::role::Role;
use widetui_tables::text::{cut, width, wrap};

/// Maximum width of the list, in columns.
const WIDEST: u16 = 104;

/// Area of the picker on the screen.
fn area(model: &Model, picker: &Picker) -> Rect {
    let (columns, rows) = model.screen.size;
    let body = rows.saturating_sub(2);
    let height = match picker.kind {
        PickerKind::Palette => (body * 2 / 3).max(8).min(body),
        PickerKind::Help => body,
        PickerKind::Messages => (picker.items.len() as u16 + 3)
            .clamp(5, body.max(5))
            .min(body),
        PickerKind::Marks | PickerKind::Choice | PickerKind::Compare => {
            (picker.items.len() as u16 + 3).clamp(5, 24).min(body)
        }
    };
    let width = WIDEST.min(columns.saturating_sub(4));
    Rect::new(
        (columns - width) / 2,
        1.min(rows.saturating_sub(1)),
        width,
        height,
    )
}

pub(super) fn draw(
    model: &Scene<'_>,
    picker: &Picker,
    body: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let area = area(model, picker).intersection(body);
    let (title, note) = title(model, picker);
    let inner = super::frame(model, area, title, &note, buf);
    if inner.height < 2 {
        return;
    }
    hits.add(area, Target::Popup);
    let theme = model.theme;
    let ground = theme.style(Role::Popup);
    let style = |role| ground.patch(theme.style(role));
    let x = put(buf, inner.x + 1, inner.y, 2, "› ", style(Role::HintKey));
    let room = inner.right().saturating_sub(x);
    let (typed, prompt) = (&picker.line.text, style(Role::Prompt));
    put(buf, x, inner.y, room, typed, prompt);
    let rows = Rect::new(inner.x, inner.y + 1, inner.width, inner.height - 1);
    let names = columns_of_names(picker, inner);
    let rows = draw_whole(model, picker, names, rows, buf);
    let grouped = picker.kind == PickerKind::Help && picker.line.text.trim().is_empty();
    let lines = lines(picker, grouped);
    let at = lines
        .iter()
        .position(|l| *l == Line::Item(picker.cursor))
        .unwrap_or(0);
    let top = (at + 1).saturating_sub(usize::from(rows.height));
    for (line, y) in lines.iter().skip(top).zip(rows.top()..rows.bottom()) {
        let row = Rect::new(rows.x, y, rows.width, 1);
        match line {
            Line::Blank => {}
            Line::Heading(topic) => {
                put(buf, row.x + 2, y, row.width, topic, style(Role::Muted));
            }
            Line::Item(index) => {
                if let Some(item) = picker.shown.get(*index) {
                    hits.add(row, Target::PopupRow(*index));
                    draw_item(model, item, names, row, buf);
                }
                if *index == picker.cursor {
                    let cursor = theme.style(Role::PopupCursor);
                    super::mark_row(buf, row, cursor);
                    put(buf, row.x, y, 1, "▌", cursor.patch(theme.style(Role::Bar)));
                }
            }
        }
    }
    if picker.shown.is_empty() {
        let names = picker.items.iter().map(|i| i.name.as_str());
        let hint = did_you_mean(picker.line.text.trim(), names);
        let text = format!("no match{hint}");
        let muted = style(Role::Muted);
        let room = rows.width.saturating_sub(2);
        put(buf, rows.x + 2, rows.y, room, &text, muted);
    }
}

/// Width of the column of names; descriptions get most of the room.
fn columns_of_names(picker: &Picker, inner: Rect) -> u16 {
    let names = picker.shown.iter().map(|i| width(&i.name));
    let most = usize::from(inner.width) * 2 / 5;
    names.max().unwrap_or(0).min(most) as u16
}

/// Draws the complete description of the current item below the list, if its row is too short;
/// returns the remaining area.
fn draw_whole(
    model: &Scene<'_>,
    picker: &Picker,
    names: u16,
    rows: Rect,
    buf: &mut Buffer,
) -> Rect {
    let Some(item) = picker.shown.get(picker.cursor) else {
        return rows;
    };
    let text = described(item);
    let taken = 6 + usize::from(names) + width(&item.keys) + 2;
    let columns = usize::from(rows.width.saturating_sub(4));
    if width(&text) + taken <= usize::from(rows.width) || columns < 8 {
        return rows;
    }
    let mut lines = match width(&item.name) > usize::from(names) {
        true => wrap(&format!("{}: {text}", item.name), columns),
        false => wrap(&text, columns),
    };
    // The list itself needs most of the room.
    lines.truncate(usize::from(rows.height / 3));
    let height = lines.len() as u16;
    let style = model.theme.style(Role::Popup);
    let style = style.patch(model.theme.style(Role::Text));
    for (line, y) in lines.iter().zip(rows.bottom() - height..) {
        let room = rows.width.saturating_sub(3);
        put(buf, rows.x + 2, y, room, line, style);
    }
    Rect {
        height: rows.height - height,
        ..rows
    }
}

/// Description of an item, and the reason if it is not available.
fn described(item: &Item) -> String {
    match &item.why_not {
        None => item.summary.clone(),
        Some(reason) => format!("{} · {reason}", item.summary),
    }
}

/// Title of the picker, and a note about its use.
fn title<'a>(model: &Scene<'_>, picker: &'a Picker) -> (&'a str, String) {
    let key = |command| model.key_of(command);
    match picker.kind {
        PickerKind::Palette => (
            "commands, entities, sources, keys and values",
            "write a part of the name".to_owned(),
        ),
        PickerKind::Help => {
            let (run, close) = (key(Command::Open), key(Command::Back));
            let note = format!("write to search · {run} runs it · {close} closes");
            ("help", note)
        }
        PickerKind::Marks => {
            let (go, forget) = (key(Command::Open), key(Command::Forget));
            let note = format!("{go} goes there · {forget} takes it away");
            ("marks and notes", note)
        }
        PickerKind::Messages => {
            let (copy, close) = (key(Command::Open), key(Command::Back));
            let note = format!("write to search · {copy} copies it · {close} closes");
            ("messages, the newest last", note)
        }
        PickerKind::Compare => (
            &picker.title,
            "write a part of the name, or an expression".to_owned(),
        ),
        PickerKind::Choice => (&picker.title, "write a part of the name".to_owned()),
    }
}

/// Draws an item: name in a column of width `names`, description, and keys on the right.
fn draw_item(model: &Scene<'_>, item: &Item, names: u16, row: Rect, buf: &mut Buffer) {
    let ground = model.theme.style(Role::Popup);
    let style = |role| ground.patch(model.theme.style(role));
    let is_alert = matches!(&item.action, ItemAction::Copy(_)) && item.name.ends_with('!');
    let (name, key, summary) = match item.why_not {
        None if is_alert => (Role::ErrorText, Role::Count, Role::ErrorText),
        None if matches!(&item.action, ItemAction::Copy(_)) => {
            (Role::Time, Role::Count, Role::Text)
        }
        None => (Role::Text, Role::HintKey, Role::Muted),
        Some(_) => (Role::Faint, Role::Faint, Role::Faint),
    };
    let y = row.y;
    let x = row.x + 2 + names + 2;
    // The user's key sequences may be long; they start after the name at the earliest.
    let room = usize::from((row.right() - 2).saturating_sub(x));
    let told = cut(&item.keys, room);
    let keys = put_right(buf, x, row.right() - 2, y, &told, style(key));
    put(buf, row.x + 2, y, names, &item.name, style(name));
    let room = keys.saturating_sub(x + 2);
    put(buf, x, y, room, &described(item), style(summary));
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    Blank,
    Heading(&'static str),
    Item(usize),
}

fn lines(picker: &Picker, grouped: bool) -> Vec<Line> {
    let mut out = Vec::new();
    let mut topic = "";
    for (index, item) in picker.shown.iter().enumerate() {
        if grouped && item.topic != topic {
            if !out.is_empty() {
                out.push(Line::Blank);
            }
            topic = item.topic;
            out.push(Line::Heading(topic));
        }
        out.push(Line::Item(index));
    }
    out
}

/// Column and row of the text cursor in the search line.
pub(super) fn cursor(model: &Model, picker: &Picker) -> Option<(u16, u16)> {
    let area = area(model, picker);
    let before = u16::try_from(width(picker.line.before())).unwrap_or(u16::MAX);
    let x = (area.x + 4).saturating_add(before);
    (x < area.right() && area.height > 2).then_some((x, area.y + 1))
}

/// Draws the list of keys that may follow the keys pressed so far.
pub(super) fn draw_pending(model: &Scene<'_>, body: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if model.pending.is_empty() {
        return;
    }
    let Resolution::Pending(next) = model.keymap.resolve(&model.scopes(), &model.pending) else {
        return;
    };
    let rows = listed(model, next);
    let widest = rows.iter().map(|r| width(&r.what)).max().unwrap_or(0);
    let keys = rows.iter().map(|r| width(&r.keys)).max().unwrap_or(0) as u16;
    let beside = keys.clamp(5, MOST_KEYS) + 3;
    let widest = widest.min(usize::from(WIDEST)) as u16 + beside;
    // Many keys are listed in two columns rather than over the whole height.
    let fits = body.width >= 2 * (widest.min(36) + 1) + 2;
    let is_cut = rows.len() + 2 > usize::from(body.height);
    let is_many = rows.len() > 12 && (fits || is_cut && body.width >= 40);
    let columns = if is_many { 2 } else { 1 };
    let height = (rows.len().div_ceil(columns) as u16 + 2).min(body.height);
    let columns_wide = (widest * columns as u16 + 2).max(40).min(body.width);
    let area = Rect::new(
        body.right() - columns_wide,
        body.bottom().saturating_sub(height),
        columns_wide,
        height,
    );
    let pressed: Vec<String> = model.pending.iter().map(Key::to_string).collect();
    let mut title = pressed.join(" ");
    if let Some(name) = model.keymap.group(&model.scopes(), &model.pending) {
        title = format!("{title}  {name}");
    }
    let inner = super::frame(model, area, &title, "", buf);
    let ground = model.theme.style(Role::Popup);
    let style = |role| ground.patch(model.theme.style(role));
    let column = inner.width / columns as u16;
    let per_column = usize::from(inner.height).min(rows.len().div_ceil(columns));
    let places = per_column * columns;
    // If not all keys fit, the last row says so.
    let listed = match rows.len() > places {
        true => places.saturating_sub(1),
        false => rows.len(),
    };
    for (at, row) in rows.iter().enumerate().take(listed) {
        let x = inner.x + (at / per_column.max(1)) as u16 * column;
        let y = inner.y + (at % per_column.max(1)) as u16;
        let (key, role) = match row.is_of_use {
            true => (Role::HintKey, Role::Text),
            false => (Role::Faint, Role::Faint),
        };
        put(buf, x + 1, y, beside - 3, &row.keys, style(key));
        let room = column.saturating_sub(beside);
        put(buf, x + beside - 1, y, room, &row.what, style(role));
        hits.add(Rect::new(x, y, column, 1), Target::KeyHint(row.key));
    }
    if listed < rows.len() && places > 0 {
        let x = inner.x + (columns as u16 - 1) * column;
        let more = format!("… {} more: ? lists all", rows.len() - listed);
        let (y, muted) = (inner.bottom() - 1, style(Role::Muted));
        put(buf, x + 1, y, column - 1, &more, muted);
    }
}

/// Maximum width of the column of keys.
const MOST_KEYS: u16 = 14;

/// Row of the list of following keys.
struct Follows {
    keys: String,
    key: Key,
    what: String,
    is_of_use: bool,
}

/// Following keys, one row per command: several keys may run the same command.
fn listed(model: &Scene<'_>, next: Vec<Next>) -> Vec<Follows> {
    let mut out: Vec<(Option<Command>, Follows)> = Vec::new();
    for next in next {
        let known = out
            .iter_mut()
            .find(|(a, _)| a.is_some() && *a == next.command);
        if let Some((_, row)) = known {
            row.keys = format!("{} {}", row.keys, next.key);
            continue;
        }
        let reason = next.command.and_then(|command| why_not(model, command));
        out.push((
            next.command,
            Follows {
                keys: next.key.to_string(),
                key: next.key,
                what: reason.map_or(next.what.clone(), |r| format!("{} · {r}", next.what)),
                is_of_use: reason.is_none(),
            },
        ));
    }
    out.into_iter().map(|(_, row)| row).collect()
}
