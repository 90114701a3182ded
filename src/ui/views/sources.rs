//! The table of sources: what was read, how, and what could not be.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::base::diag::Severity;
use crate::base::level::Level;
use crate::base::time::{format_datetime, format_span};
use crate::store::Source;
use crate::store::source::Zoning;
use crate::ui::following::Following;
use crate::ui::hit::{HitMap, Target};
use crate::ui::model::Model;
use crate::ui::text::{cut_start, grouped, put, put_right, sanitise, size, wrap};
use crate::ui::theme::Role;

use super::times;

/// A column: heading, width, from which width of the table on it is shown.
struct Column {
    title: &'static str,
    width: u16,
    from: u16,
    is_number: bool,
    text: fn(&Model, &Source) -> String,
}

/// Stands for a column that is shown from 90 columns on, and only where files are followed.
const LIVE: u16 = u16::MAX;

const COLUMNS: &[Column] = &[
    Column {
        title: "format",
        width: 16,
        from: 100,
        is_number: false,
        text: |_, s| format(s),
    },
    Column {
        title: "records",
        width: 11,
        from: 0,
        is_number: true,
        text: |_, s| count(s.is_log, s.stats.records()),
    },
    Column {
        title: "size",
        width: 8,
        from: 60,
        is_number: true,
        text: |_, s| size(s.bytes),
    },
    Column {
        title: "first",
        width: 19,
        from: 152,
        is_number: false,
        text: |m, s| time(m, s.first()),
    },
    Column {
        title: "last",
        width: 19,
        from: 132,
        is_number: false,
        text: |m, s| time(m, s.last()),
    },
    Column {
        title: "quiet for",
        width: 9,
        from: LIVE,
        is_number: true,
        text: |m, s| quiet(m, s),
    },
    Column {
        title: "W",
        width: 6,
        from: 70,
        is_number: true,
        text: |_, s| some(warnings(s)),
    },
    Column {
        title: "E",
        width: 6,
        from: 50,
        is_number: true,
        text: |_, s| some(errors(s)),
    },
    Column {
        title: "zone",
        width: 14,
        from: 176,
        is_number: false,
        text: |_, s| zone(s),
    },
    Column {
        title: "⚠",
        width: 4,
        from: 40,
        is_number: true,
        text: |_, s| some(problems(s)),
    },
];

fn format(source: &Source) -> String {
    match &source.system {
        Some(system) if !source.layout.starts_with(system.as_str()) => {
            format!("{system} {}", source.layout)
        }
        _ => source.layout.clone(),
    }
}

fn count(known: bool, n: u64) -> String {
    if known { grouped(n) } else { "–".to_owned() }
}

fn some(n: u64) -> String {
    if n == 0 { String::new() } else { grouped(n) }
}

fn warnings(source: &Source) -> u64 {
    source.stats.levels[Level::Warning as usize]
}

fn errors(source: &Source) -> u64 {
    source.stats.levels[Level::Error as usize] + source.stats.levels[Level::Critical as usize]
}

fn problems(source: &Source) -> u64 {
    let bad = source
        .problems
        .iter()
        .filter(|p| p.severity >= Severity::Warning);
    bad.count() as u64
}

fn time(model: &Model, time: Option<i64>) -> String {
    time.map_or("–".to_owned(), |t| {
        format_datetime(t, times::offset(model, t), 0)
    })
}

/// How long before the last write to any source this one was written to.
fn quiet(model: &Model, source: &Source) -> String {
    let sources = model.snapshot.sources.iter();
    let latest = sources.map(|s| s.modified).max().unwrap_or(0);
    match source.modified {
        0 => "–".to_owned(),
        at => format_span(latest.saturating_sub(at)),
    }
}

fn zone(source: &Source) -> String {
    match &source.zoning {
        Zoning::Stated if source.stats.first.is_some() => "stated".to_owned(),
        Zoning::Stated => "–".to_owned(),
        Zoning::Local { offsets, .. } => match offsets.first() {
            Some((_, offset)) => {
                let minutes = offset.unsigned_abs() / 60;
                let sign = if *offset < 0 { '-' } else { '+' };
                format!("assumed {sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            None => "assumed".to_owned(),
        },
    }
}

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    let is_live = model.follow.state != Following::Off && area.width >= 90;
    let is_shown = |c: &&Column| area.width >= c.from || (c.from == LIVE && is_live);
    let shown: Vec<&Column> = COLUMNS.iter().filter(is_shown).collect();
    let taken: u16 = shown.iter().map(|c| c.width + 2).sum();
    let path_room = area.width.saturating_sub(taken + 3);
    let row = |y: u16| Rect::new(area.x, area.y + y, area.width, 1);
    let tag_room = model.tag_columns(area.width).min(path_room);
    let with_path = path_room > tag_room + 12;
    let muted = theme.style(Role::Muted);
    let head = if with_path { "source" } else { "tag" };
    put(buf, area.x + 2, area.y, path_room, head, muted);
    let cells = |y: u16, buf: &mut Buffer, text: &dyn Fn(&Column) -> (String, Role)| {
        let mut x = area.x + 2 + path_room + 2;
        for column in &shown {
            let (text, role) = text(column);
            let end = (x + column.width).min(area.right());
            if column.is_number {
                put_right(buf, x, end, y, &text, theme.style(role));
            } else {
                put(buf, x, y, end.saturating_sub(x), &text, theme.style(role));
            }
            x += column.width + 2;
        }
    };
    cells(area.y, buf, &|c| (c.title.to_owned(), Role::Muted));
    let list = model.sources;
    for y in 1..area.height {
        let index = list.top + usize::from(y) - 1;
        let Some(source) = model.snapshot.sources.get(index) else {
            break;
        };
        let line = row(y);
        hits.add(line, Target::Source(index));
        let tag = if source.is_log {
            theme.tag(model.kind_of(source))
        } else {
            theme.style(Role::Faint)
        };
        let x =
            put(buf, area.x + 2, line.y, tag_room, &source.tag, tag).max(area.x + 2 + tag_room) + 2;
        if with_path {
            let room = (area.x + 2 + path_room).saturating_sub(x);
            let path = cut_start(
                source.path.get(model.common_path..).unwrap_or(&source.path),
                usize::from(room),
            );
            let role = if source.is_log {
                Role::Text
            } else {
                Role::Muted
            };
            put(buf, x, line.y, room, &path, theme.style(role));
        }
        cells(line.y, buf, &|c| {
            let role = match c.title {
                "W" => Role::BarsWarning,
                "E" => Role::BarsError,
                "⚠" => Role::Warning,
                "records" => Role::Text,
                _ => Role::Muted,
            };
            ((c.text)(model, source), role)
        });
        if index == list.cursor {
            let look = theme.style(Role::Cursor);
            super::mark_row(buf, line, look);
            put(
                buf,
                area.x,
                line.y,
                1,
                "▌",
                look.patch(theme.style(Role::Bar)),
            );
        }
    }
}

/// What is known of the source under the cursor, in words.
pub(super) fn draw_one(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(source) = model.current_source().filter(|_| !area.is_empty()) else {
        return;
    };
    let theme = &model.theme;
    let mut lines: Vec<(String, String, Role)> =
        vec![("path".into(), source.path.clone(), Role::Text)];
    let mut add = |name: &str, text: String, role: Role| lines.push((name.into(), text, role));
    let what = match &source.system {
        Some(system) => format!("{system}, {}", source.layout),
        None if source.is_log => format!("{}, no definition claims it", source.layout),
        None => source.layout.clone(),
    };
    add("format", what, Role::Text);
    if source.is_log {
        let levels: Vec<String> = Level::ALL
            .iter()
            .zip(source.stats.levels)
            .filter(|(_, n)| *n > 0)
            .map(|(l, n)| {
                let name = if l.name().is_empty() {
                    "no level"
                } else {
                    l.name()
                };
                format!("{} {name}", grouped(n))
            })
            .collect();
        add("records", levels.join(" · "), Role::Text);
        if source.stats.timeless > 0 {
            let text = format!("{} records without a time", grouped(source.stats.timeless));
            add("times", text, Role::Text);
        }
        if let Zoning::Local { how, .. } = &source.zoning {
            add("zone", how.clone(), Role::Text);
        }
    }
    for problem in &source.problems {
        let (name, role) = match problem.severity {
            Severity::Note => ("note", Role::Text),
            Severity::Warning => ("warning", Role::WarningText),
            Severity::Error => ("error", Role::ErrorText),
        };
        let place = problem
            .offset
            .map_or(String::new(), |o| format!(" (byte {})", grouped(o)));
        add(name, format!("{}{place}", problem.text), role);
    }
    let mut y = area.y;
    for (name, text, role) in lines {
        let room = area.width.saturating_sub(12);
        for (i, piece) in wrap(&sanitise(&text), usize::from(room)).iter().enumerate() {
            if y >= area.bottom() {
                return;
            }
            if i == 0 {
                put(buf, area.x + 1, y, 9, &name, theme.style(Role::Key));
            }
            put(buf, area.x + 11, y, room, piece, theme.style(role));
            y += 1;
        }
    }
}
