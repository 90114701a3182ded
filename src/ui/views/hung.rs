//! What began and never ended: what is stuck and who waits for it, who has nothing to do, what fell silent, in words.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::analysis::hung::words::{
    WAITS_UNNAMED, clock, plural, several, silence, waits_for_failed, words,
};
use crate::analysis::hung::{Hung, Idle, Pace, Stuck, Why, alike};
use crate::base::ids::EventId;
use crate::ui::hit::HitMap;
use crate::ui::model::{Loading, Model};
use crate::ui::table::{Cell, Goal};
use crate::ui::tables::instances::place;
use crate::ui::text::{grouped, sanitise, wrap};
use crate::ui::theme::Role;
use crate::workspace::fetch::Place;
use crate::workspace::things;

use super::page;

/// Things that are told of one by one.
const LISTED: usize = 100;
/// Waiters of one of them that are told of.
const WAITERS: usize = 6;
/// Columns of a line of words.
const MEASURE: usize = 110;

/// A line of the view.
pub(crate) type Line = page::Line<To>;

/// Where a line leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// To something stuck, by its number.
    Stuck(usize),
    /// To an event.
    Event(EventId),
}

fn title(text: impl Into<String>) -> Line {
    Line::title(text)
}

fn line(pieces: Vec<(String, Role)>, goal: Option<To>) -> Line {
    Line::of(pieces, goal)
}

fn said(text: impl Into<String>, role: Role) -> Line {
    Line::said(text, role)
}

/// What the line above the view says.
pub(super) fn heading(model: &Model) -> String {
    let Some(stuck) = &model.things.stuck else {
        return "hung".to_owned();
    };
    let hung = &stuck.hung;
    let of = |pace: Pace| hung.stuck.iter().filter(|s| s.standing == pace).count();
    let (roots, waiting) = (of(Pace::Root) + of(Pace::Circle), of(Pace::Waiting));
    let left = of(Pace::LeftBehind);
    match (roots + waiting, waiting, left) {
        (0, _, 0) => "nothing is stuck".to_owned(),
        (0, _, n) => format!("nothing is stuck, {} left behind", grouped(n as u64)),
        (_, 0, _) => format!("{} stuck", grouped(roots as u64)),
        (_, n, _) => format!(
            "{} stuck, {} wait for {}",
            grouped(roots as u64),
            grouped(n as u64),
            if roots == 1 { "it" } else { "them" }
        ),
    }
}

/// All lines of the view at a width.
pub(crate) fn lines(model: &Model, columns: u16) -> Vec<Line> {
    let Some(known) = &model.things.stuck else {
        let text = match (&model.loading, model.things.is_running) {
            (Loading::Failed(_), _) => "nothing could be read",
            (Loading::Running { .. }, _) => "the run is still being read …",
            (_, true) => "looking for what is stuck …",
            (_, false) if model.joins.is_running => "working out which records belong together …",
            _ => {
                "no definition in force says what these records are about: nothing can be said about what did not end"
            }
        };
        return vec![said(text, Role::Muted)];
    };
    let mut out = Vec::new();
    roots(model, known, columns, &mut out);
    left_behind(model, &known.hung, &mut out);
    idle(model, &known.hung, &mut out);
    silent(model, known, &mut out);
    out.push(title("in words"));
    let text = words(&model.snapshot, &known.hung, &model.zone);
    let room = usize::from(columns.saturating_sub(4)).clamp(16, MEASURE);
    let text = sanitise(&text);
    out.extend(wrap(&text, room).into_iter().map(|l| said(l, Role::Text)));
    // The first part needs no title of its own: it stands below the line above the view.
    if out.first().is_some_and(|l| l.is_title) {
        let first = out.remove(0);
        if first.pieces[0].0 != "in words" {
            out.insert(0, said(first.pieces[0].0.clone(), Role::Muted));
        }
    }
    out
}

fn age(stuck: &Stuck) -> String {
    let state = stuck.state.clone().unwrap_or_default();
    match stuck.age {
        Some(age) => format!("{state} {}", Cell::OpenSpan(age).text()),
        None => state,
    }
}

fn name(stuck: &Stuck) -> Vec<(String, Role)> {
    let mut out = vec![(stuck.called(), Role::Strong)];
    if let Some(label) = &stuck.label {
        out.push((format!("  {label}"), Role::Text));
    }
    out
}

fn roots(model: &Model, known: &things::Stuck, columns: u16, out: &mut Vec<Line>) {
    let hung = &known.hung;
    let roots: Vec<(usize, &Stuck)> = hung
        .stuck
        .iter()
        .enumerate()
        .filter(|(_, s)| matches!(s.standing, Pace::Root | Pace::Circle))
        .collect();
    let waiters = if roots.len() > 10 { 1 } else { WAITERS };
    let all: Vec<&Stuck> = roots.iter().map(|r| r.1).collect();
    let number = |stuck: &Stuck| roots.iter().find(|r| std::ptr::eq(r.1, stuck)).map(|r| r.0);
    let mut told = 0;
    for group in alike(&all) {
        let [root, others @ ..] = group.as_slice() else {
            continue;
        };
        if told >= LISTED {
            break;
        }
        let at = number(root).unwrap_or_default();
        let mut pieces = name(root);
        pieces.push((format!("   {}", age(root)), Role::WarningText));
        let place = place(&root.place);
        let has_room = columns >= 150;
        if !place.is_empty() && has_room {
            pieces.push((format!("   {place}"), Role::Muted));
        }
        out.push(line(pieces, Some(To::Stuck(at))));
        if !place.is_empty() && !has_room {
            let pieces = [("  in   ".to_owned(), Role::Muted), (place, Role::Text)];
            out.push(line(pieces.to_vec(), None));
        }
        let mut pieces = vec![("  last ".to_owned(), Role::Muted)];
        if let Some((id, event)) = root
            .last_event
            .and_then(|id| Some((id, model.snapshot.event(id)?)))
        {
            if let Some(time) = event.time() {
                pieces.push((clock(time, &model.zone), Role::Time));
            }
            if let Some((source, text)) = known.words.get(&id.0) {
                pieces.push((format!("  {source}  "), Role::Muted));
                pieces.push((format!("“{text}”"), Role::Text));
            }
        } else {
            pieces.push(("–".to_owned(), Role::Faint));
        }
        let last = root.last_event.map(To::Event);
        out.push(line(pieces, last));
        let mut facts = Vec::new();
        if let Some((title, begun, _)) = &root.begun_there {
            facts.push(format!(
                "its {title} began at {}",
                clock(*begun, &model.zone)
            ));
        }
        if let Some((title, ended, _)) = &root.finished_there
            && root.begun_there.is_none()
        {
            facts.push(format!(
                "its {title} was completed at {} but did not come back",
                clock(*ended, &model.zone)
            ));
        }
        facts.extend(waits_for_failed(root, &model.zone));
        facts.extend(root.waits_unnamed.then(|| WAITS_UNNAMED.to_owned()));
        if let Some(label) = &root.label {
            facts.push(match root.peers_ended {
                0 => format!("no other {label} ended"),
                n => format!("{} {label} ended", grouped(n as u64)),
            });
        }
        match (root.waiters.len(), root.all_waiters) {
            (0, _) => facts.push("nothing waits for it".to_owned()),
            (direct, Some(all)) if all > direct => facts.push(format!(
                "{} wait for it, {} more through them",
                grouped(direct as u64),
                grouped((all - direct) as u64)
            )),
            (1, _) => facts.push("1 waits for it".to_owned()),
            (direct, _) => facts.push(format!("{} wait for it", grouped(direct as u64))),
        }
        if root.standing == Pace::Circle {
            facts.push("in a circle of waits".to_owned());
        }
        out.push(said(format!("  {}", facts.join(" · ")), Role::Muted));
        tree(hung, root, waiters, out);
        told += 1;
        for (nth, other) in others.iter().enumerate().take(LISTED - told) {
            let at = number(other).unwrap_or_default();
            let lead = if nth == 0 { "  alike " } else { "        " };
            let mut pieces = vec![(lead.to_owned(), Role::Muted)];
            pieces.push((other.called(), Role::Strong));
            pieces.push((format!("   {}", age(other)), Role::Muted));
            out.push(line(pieces, Some(To::Stuck(at))));
            told += 1;
        }
    }
    if roots.len() > told {
        let more = grouped((roots.len() - told) as u64);
        out.push(said(
            format!("and {more} more; the tables of entities list all"),
            Role::Muted,
        ));
    }
}

/// Those that wait for something, each on a line.
fn tree(hung: &Hung, root: &Stuck, most: usize, out: &mut Vec<Line>) {
    let direct: Vec<(usize, &Stuck)> = root
        .waiters
        .iter()
        .filter_map(|w| Some((*w, hung.stuck.get(*w)?)))
        .collect();
    let shown = direct.len().min(most);
    for (n, (at, waiter)) in direct[..shown].iter().enumerate() {
        let is_last = n + 1 == direct.len();
        let branch = if is_last { "  └─ " } else { "  ├─ " };
        let mut pieces = vec![(branch.to_owned(), Role::Rule)];
        pieces.extend(name(waiter));
        pieces.push((format!("   {}", age(waiter)), Role::Muted));
        let names = waiter.waits_for.iter().take(4);
        let names: Vec<&str> = names.map(|w| hung.stuck[*w].number()).collect();
        let more = waiter.waits_for.len() - names.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        pieces.push((
            format!("   waits for {}{more}", names.join(", ")),
            Role::Muted,
        ));
        if !waiter.waiters.is_empty() {
            let n = waiter.all_waiters.unwrap_or(waiter.waiters.len());
            pieces.push((format!("   {} behind it", grouped(n as u64)), Role::Muted));
        }
        out.push(line(pieces, Some(To::Stuck(*at))));
    }
    if direct.len() > shown {
        let more = grouped((direct.len() - shown) as u64);
        let text = format!("{more} more");
        out.push(line(
            vec![("  └─ ".to_owned(), Role::Rule), (text, Role::Muted)],
            None,
        ));
    }
}

fn left_behind(_: &Model, hung: &Hung, out: &mut Vec<Line>) {
    let left: Vec<(usize, &Stuck)> = hung
        .stuck
        .iter()
        .enumerate()
        .filter(|(_, s)| s.standing == Pace::LeftBehind)
        .collect();
    if left.is_empty() {
        return;
    }
    out.push(title("left behind: their run ended properly without them"));
    for (at, stuck) in left.iter().take(LISTED) {
        let mut pieces = name(stuck);
        pieces.push((
            format!("   {}", stuck.state.clone().unwrap_or_default()),
            Role::Muted,
        ));
        if !stuck.place.is_empty() {
            pieces.push((format!("   {}", place(&stuck.place)), Role::Muted));
        }
        out.push(line(pieces, Some(To::Stuck(*at))));
    }
    if left.len() > LISTED {
        let more = grouped((left.len() - LISTED) as u64);
        out.push(said(format!("and {more} more"), Role::Muted));
    }
}

fn idle(model: &Model, hung: &Hung, out: &mut Vec<Line>) {
    if hung.idle.is_empty() {
        return;
    }
    out.push(title("idle"));
    for Idle {
        title,
        alive,
        idle,
        since,
        ..
    } in &hung.idle
    {
        let mut text = match (idle.len(), *alive) {
            (0, 1) => format!("the only {title} is at work"),
            (0, all) => format!("all {} are at work", several(all, title)),
            (n, all) if n == all => format!("all of {}", several(all, title)),
            (n, all) => format!(
                "{} of {} {}",
                grouped(n as u64),
                grouped(all as u64),
                plural(title)
            ),
        };
        if let Some(since) = since.filter(|_| !idle.is_empty()) {
            text += &format!(" since {}", clock(since, &model.zone));
        }
        let names: Vec<&str> = idle
            .iter()
            .take(8)
            .filter_map(|(id, _)| id.last().map(|p| p.1.as_str()))
            .collect();
        if !names.is_empty() {
            let more = if idle.len() > names.len() {
                ", …"
            } else {
                ""
            };
            text += &format!(": {}{more}", names.join(", "));
        }
        out.push(said(text, Role::Text));
    }
}

fn silent(model: &Model, known: &things::Stuck, out: &mut Vec<Line>) {
    let hung = &known.hung;
    let silent = hung.silent.iter().filter(|s| s.why == Why::Unknown);
    let silent: Vec<_> = silent.collect();
    if !silent.is_empty() {
        out.push(title("silent"));
    }
    for one in silent.iter().take(LISTED / 4) {
        let text = silence(one, &model.zone);
        out.push(line(
            vec![(text, Role::Text)],
            Some(To::Event(one.last_event)),
        ));
    }
    if silent.len() > LISTED / 4 {
        let more = grouped((silent.len() - LISTED / 4) as u64);
        out.push(said(format!("and {more} more"), Role::Muted));
    }
    if let Some(id) = hung.last_error.filter(|_| !hung.is_clear())
        && let Some((source, text)) = known.words.get(&id.0)
    {
        out.push(title("last error before it"));
        let time = model.snapshot.event(id).and_then(|e| e.time());
        let time = time.map_or(String::new(), |t| clock(t, &model.zone));
        let pieces = vec![
            (time, Role::Time),
            (format!("  {source}  "), Role::Muted),
            (text.clone(), Role::ErrorText),
        ];
        out.push(line(pieces, Some(To::Event(id))));
    }
}

/// What looking closer at the line under the cursor does.
pub(crate) fn goal(model: &Model) -> Option<Goal> {
    let lines = lines(model, model.size.0);
    let known = model.things.stuck.as_ref()?;
    match lines.get(model.things.hung.cursor)?.goal? {
        To::Stuck(at) => {
            let stuck = known.hung.stuck.get(at)?;
            let thing = things::Thing {
                things: model.meaning.things.clone(),
                entity: stuck.entity.clone(),
                id: stuck.id.clone(),
                name: stuck.called(),
                label: stuck.label.clone(),
            };
            Some(Goal::Thing(Box::new(thing)))
        }
        To::Event(id) => {
            let event = model.snapshot.event(id)?;
            Some(Goal::Event(Place::of(&event)))
        }
    }
}

/// The last words of what is stuck under the cursor.
pub(crate) fn last_words(model: &Model) -> Option<EventId> {
    let lines = lines(model, model.size.0);
    match lines.get(model.things.hung.cursor)?.goal? {
        To::Stuck(at) => model.things.stuck.as_ref()?.hung.stuck.get(at)?.last_event,
        To::Event(id) => Some(id),
    }
}

/// All of it as a text, for the clipboard.
pub(crate) fn text(model: &Model) -> String {
    let mut out = heading(model);
    for line in lines(model, MEASURE as u16) {
        out.push('\n');
        out.push_str(&line.text());
    }
    out
}

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let lines = lines(model, model.size.0);
    page::draw(model, &lines, model.things.hung, area, buf, hits);
}
