//! Last line of the screen: key hints, notice, or prompt (see `prompt`).

use crate::views::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, put_right, to_ratatui};
use widetui_app::command::Command;
use widetui_app::hit::{HitMap, Target};
use widetui_app::keymap::KeyScope;
use widetui_app::message_log::Notice;
use widetui_app::model::Pane;
use widetui_app::model::view::Body;
use widetui_app::popups::Prompt;
use widetui_app::update::why_not;
use widetui_core::words::several;
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, sanitise, width, wrap};

use super::prompt;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    if let Some(prompt) = model.popup_of::<Prompt>() {
        return prompt::draw(model, prompt, area, buf);
    }
    let end = draw_place(model, area, buf);
    if let Some(message) = &model.message {
        return draw_message(
            model,
            message,
            Rect {
                width: end.saturating_sub(area.x),
                ..area
            },
            buf,
        );
    }
    let scopes = model.scopes();
    let brushed: &[Command] = match model.events.time_selection {
        Some(_) if scopes[0] == KeyScope::Events || model.view.is_over_time() => {
            &[Command::Open, Command::Back, Command::ZoomIn]
        }
        _ => &[],
    };
    let focus = model.focus();
    let others = focus.hints.iter().filter(|a| !brushed.contains(a));
    // In a split, the key that moves the focus comes right after the keys of the view.
    let (other, others): (&[Command], Vec<&Command>) = match model.beside() {
        Some(_) if model.popup.is_none() && model.pane != Pane::Breadcrumb => (
            &[Command::NextPane],
            others.filter(|a| **a != Command::NextPane).collect(),
        ),
        // A view without room is hidden behind the other one.
        None if model.split.is_some()
            && model.popup.is_none()
            && model.pane != Pane::Breadcrumb =>
        {
            (&[Command::OtherView], others.collect())
        }
        _ => (&[], others.collect()),
    };
    let (first, rest) = others.split_at(others.len().min(2));
    let offers: Vec<KeyHint> = brushed
        .iter()
        .chain(first.iter().copied())
        .chain(other)
        .chain(rest.iter().copied())
        .filter_map(|command| hint(model, &scopes, *command, !brushed.is_empty()))
        .collect();
    // The hints of palette and help stay at the end, whatever is left out.
    let is_way_on =
        |o: &KeyHint| matches!(o.target, Target::Hint(Command::Palette | Command::Help));
    let (mut tail, mut offers): (Vec<KeyHint>, Vec<KeyHint>) =
        offers.into_iter().partition(is_way_on);
    if !tail.is_empty() {
        tail.splice(0..0, views_hint(model, &scopes));
    }
    match area.width {
        ..40 => tail.clear(),
        40..100 => tail.retain(|o| o.target != Target::Hint(Command::Palette)),
        _ => {}
    }
    let room = |tail: &[KeyHint]| {
        usize::from(end.saturating_sub(area.x + 1)).saturating_sub(total_width(tail))
    };
    // Unavailable commands are shown only if there is room, and dimmed.
    while total_width(&offers) > room(&tail)
        && let Some(at) = offers.iter().rposition(|o| !o.is_of_use)
    {
        offers.remove(at);
    }
    while total_width(&offers) > room(&tail) && offers.len() > 1 {
        offers.pop();
    }
    // If only one of them has room, help lists the others.
    if total_width(&offers) > room(&tail) {
        tail.retain(|o| o.target == Target::Hint(Command::Help));
    }
    if total_width(&offers) > room(&tail) {
        tail.clear();
    }
    draw_hints(model, area.x + 1, area.y, end, &offers, buf, hits);
    let at = end.saturating_sub(total_width(&tail) as u16);
    draw_hints(model, at, area.y, end, &tail, buf, hits);
}

/// Draws a notice. A long one takes lines of the view, so that it can be read in full.
fn draw_message(model: &Scene<'_>, message: &Notice, area: Rect, buf: &mut Buffer) {
    let role = match message.is_alert {
        true => Role::Alert,
        false => Role::Message,
    };
    let style = model.theme.style(role);
    let room = area.width.saturating_sub(2);
    let lines = match usize::from(room) {
        columns if width(&message.text) > columns => wrap(&sanitise(&message.text), columns),
        _ => vec![message.text.clone()],
    };
    // At least two thirds of the view stay visible.
    let most = usize::from(area.y / 3) + 1;
    let above = lines.len().min(most) - 1;
    let ground = model.theme.style(Role::Popup);
    for (at, y) in (area.y - above as u16..=area.y).enumerate() {
        let style = match at < above {
            true => {
                let row = Rect::new(buf.area.x, y, buf.area.width, 1);
                for x in row.left()..row.right() {
                    glyph(buf, x, y, " ", Style::reset());
                }
                buf.set_style(to_ratatui(row), ground);
                ground.patch(style)
            }
            false => style,
        };
        let line = match at == above {
            true => lines[at..].join(" "),
            false => lines[at].clone(),
        };
        put(buf, area.x + 1, y, room, &line, style);
    }
}

/// Hint: a key and its effect here.
struct KeyHint {
    keys: String,
    what: String,
    target: Target,
    is_of_use: bool,
}

/// Width of the hints, including the gap after each.
fn total_width(offers: &[KeyHint]) -> usize {
    offers
        .iter()
        .map(|o| width(&o.keys) + width(&o.what) + 3)
        .sum()
}

fn hint(
    model: &Scene<'_>,
    scopes: &[KeyScope],
    command: Command,
    is_brushed: bool,
) -> Option<KeyHint> {
    // In a search line, letters are text.
    let writes = scopes[0] == KeyScope::Picker;
    let is_key = |keys: &String| !writes || keys.chars().count() > 1 || !keys.is_ascii();
    let keys = model.keymap.all_keys_of(scopes, command);
    let enter = (model.view.open_label)(model).filter(|_| model.popup.is_none());
    if command == Command::Open && enter == Some("") {
        return None;
    }
    let goes_over = command == Command::NextPane && model.beside().is_some();
    let behind = model.split.filter(|_| model.beside().is_none());
    let behind = behind.map(|pair| format!("{}, behind", pair.other.title));
    let what = match (is_brushed, command) {
        _ if goes_over => "other pane",
        (_, Command::ViewLatency) if model.view.other_form.is_some() => {
            model.view.other_form.unwrap_or_default()
        }
        (_, Command::OtherView) if behind.is_some() => behind.as_deref().unwrap_or_default(),
        (true, Command::Open) => "only the brush",
        (true, Command::Back) => "drop it",
        (_, Command::Open) if enter.is_some() => enter.unwrap_or_default(),
        _ => model.focus().label(command),
    };
    Some(KeyHint {
        keys: keys.into_iter().find(is_key)?,
        what: what.to_owned(),
        target: Target::Hint(command),
        is_of_use: why_not(model, command).is_none(),
    })
}

/// Hint of the key prefix under which the keymap has the views.
fn views_hint(model: &Scene<'_>, scopes: &[KeyScope]) -> Option<KeyHint> {
    let prefix = model.keymap.prefix_of(scopes, Command::ViewTemplates)?;
    let name = model.keymap.group(scopes, &[prefix]);
    Some(KeyHint {
        keys: prefix.to_string(),
        what: name
            .and_then(|n| n.split_whitespace().next())
            .unwrap_or("views")
            .to_owned(),
        target: Target::KeyHint(prefix),
        is_of_use: true,
    })
}

fn draw_hints(
    model: &Scene<'_>,
    mut x: u16,
    y: u16,
    end: u16,
    offers: &[KeyHint],
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    for offer in offers {
        let from = x;
        let (key_role, role) = match offer.is_of_use {
            true => (Role::HintKey, Role::Hint),
            false => (Role::Faint, Role::Faint),
        };
        let room = |x: u16| end.saturating_sub(x);
        x = put(buf, x, y, room(x), &offer.keys, model.theme.style(key_role));
        let style = model.theme.style(role);
        x = put(buf, x + 1, y, room(x + 1), &offer.what, style);
        hits.add(Rect::new(from, y, x.saturating_sub(from), 1), offer.target);
        x += 2;
    }
}

/// Draws the position of the cursor in the list, right-aligned; returns its first column.
fn draw_place(model: &Scene<'_>, area: Rect, buf: &mut Buffer) -> u16 {
    let (at, len) = match model.view.body {
        Body::Records => (model.events.list.cursor, model.len()),
        Body::Page(_) => (0, 0),
        Body::Table(_) => model.table().map_or((0, 0), |t| (t.list.cursor, t.len())),
    };
    let hits = hits(model, at);
    if len == 0 && hits.is_empty() || area.width < 30 {
        return area.right();
    }
    let share = match len {
        0 => String::new(),
        1 => "100 %".to_owned(),
        _ => format!("{:>3} %", at * 100 / (len - 1)),
    };
    let gap = if hits.is_empty() || share.is_empty() {
        ""
    } else {
        " · "
    };
    // Fixed width, so that the hints do not move while the share grows from 0 to 100.
    let text = format!("{hits}{gap}{share}");
    let style = model.theme.style(Role::Muted);
    put_right(buf, area.x, area.right() - 1, area.y, &text, style).saturating_sub(2)
}

/// Number of search hits, and the index of the one under the cursor; empty without a search.
fn hits(model: &Scene<'_>, at: usize) -> String {
    let of = |number: Option<usize>, all: usize| match number {
        Some(n) => format!("{}/{}", grouped(n as u64), several(all, "hit")),
        None => several(all, "hit"),
    };
    if let Some(search) = model.row_search() {
        let place = model.view.page().map_or(at, |page| (page.place)(model));
        return match search.line.is_empty() {
            true => String::new(),
            false => of(search.match_number(place), search.hits.len()),
        };
    }
    match &model.search.hits {
        Some(hits) if !model.search.line.is_empty() => {
            let number = hits.binary_search(&(at as u32)).ok();
            of(number.map(|n| n + 1), hits.len())
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;
    use crate::theme::Theme;
    use widetui_app::keymap::Keymap;
    use widetui_app::model::{Model, View};

    fn drawn(view: View, columns: u16) -> String {
        let theme = Theme::named("dark", crate::colour::Depth::True).unwrap();
        let mut model = Model::new("", Keymap::standard(), "dark");
        model.view = view;
        let area = Rect::new(0, 0, columns, 1);
        let mut buf = Buffer::empty(to_ratatui(area));
        let scene = Scene::new(&model, &theme);
        draw(&scene, area, &mut buf, &mut HitMap::default());
        (0..columns)
            .map(|x| buf.cell((x, 0)).unwrap().symbol())
            .collect()
    }

    #[test]
    fn the_way_to_everything_else_is_never_cut_off() {
        for view in View::ALL.iter().copied() {
            // What its first key does takes more words than those of others.
            let narrowest = if view == View::NEW_JOIN { 50 } else { 40 };
            for columns in narrowest..200 {
                let text = drawn(view, columns);
                assert!(
                    text.trim_end().ends_with("v views  ? help")
                        || text.trim_end().ends_with("v views  : commands  ? help"),
                    "{columns} {text:?}"
                );
                assert_eq!(text.contains(": commands"), columns >= 100, "{text:?}");
            }
        }
        assert!(drawn(View::EVENTS, 30).starts_with(" Enter open"));
        drawn(View::EVENTS, 1);
    }

    #[test]
    fn what_would_do_nothing_gives_way() {
        // Nothing was changed yet, so there is nothing to undo.
        assert!(!drawn(View::EVENTS, 100).contains("undo"));
        assert!(drawn(View::EVENTS, 190).contains("u undo"));
    }
}
