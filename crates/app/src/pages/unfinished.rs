//! Page of unfinished work: unfinished work items with their dependents, idle resources, silent
//! sources, and a summary.

use std::sync::Arc;

use crate::command::Command;
use crate::loading::Loading;
use crate::model::{Model, View};
use widetui_core::ids::EventId;
use widetui_core::words::several;
use widetui_diagnosis::unfinished::{Told, UnfinishedWork, WaitState, WorkStatus};
use widetui_draft::user_drafts;
use widetui_session::instances;
use widetui_session::record_texts::Place;
use widetui_session::unfinished_details::UnfinishedDetails;
use widetui_tables::role::Role;
use widetui_tables::table::RowAction;
use widetui_tables::text::{grouped, sanitise, wrap};

use crate::page_line as page;

mod others;
mod stuck;

/// Maximum number of work items that are listed one by one.
const MAX_LISTED: usize = 100;
/// Width at which prose is wrapped, in columns.
const TEXT_WIDTH: usize = 110;

/// Line of the page of unfinished work, with an optional destination.
pub type StuckLine = page::PageLine<StuckLink>;

/// Destination of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckLink {
    /// Unfinished work item, by index.
    Stuck(usize),
    /// All instances of the entity of an unfinished work item, by index of the item.
    Kind(usize),
    /// Notable work item where none is stuck, by index.
    Notable(usize),
    /// Record, by event id.
    Event(EventId),
}

fn title(text: impl Into<String>) -> StuckLine {
    StuckLine::title(text)
}

fn line(pieces: Vec<(String, Role)>, link: Option<StuckLink>) -> StuckLine {
    StuckLine::new(pieces, link)
}

fn plain(text: impl Into<String>, role: Role) -> StuckLine {
    StuckLine::plain(text, role)
}

/// Unfinished work to show: all of it, or the items with selected records.
fn shown(model: &Model) -> Option<&Arc<UnfinishedDetails>> {
    model.instances.unfinished_among(model.selection.steps())
}

/// Left and right text of the line above the view.
pub fn heading(model: &Model) -> (String, String) {
    let known = shown(model).map(|s| &s.hung);
    let note = known.filter(|hung| hung.told == Told::Selected && !hung.is_clear());
    let note = note.map(|hung| {
        format!(
            "{} of {} unfinished, those with records selected",
            grouped(hung.told().count() as u64),
            grouped(hung.stuck.len() as u64)
        )
    });
    (title_of(model), note.unwrap_or_default())
}

fn title_of(model: &Model) -> String {
    let Some(stuck) = shown(model) else {
        return "hung".to_owned();
    };
    let hung = &stuck.hung;
    let of = |pace: WaitState| hung.told().filter(|s| s.standing == pace).count();
    let (roots, waiting) = (
        of(WaitState::Root) + of(WaitState::Circle),
        of(WaitState::Waiting),
    );
    let left = of(WaitState::LeftBehind);
    let again: usize = hung.goals.iter().map(|g| g.again).sum();
    let (roots, behind) = waiting_for_resource(hung, roots);
    // While a run goes on, unfinished work may still end.
    let odd = hung.unblocked().filter(|item| hung.is_stuck(item)).count();
    let stuck = match odd {
        _ if !model.is_live() => "stuck".to_owned(),
        0 => "unfinished".to_owned(),
        odd if odd == roots => "stuck".to_owned(),
        odd => format!("unfinished ({} stuck)", grouped(odd as u64)),
    };
    let is_some = hung.told == Told::Selected && !hung.is_clear();
    let nothing = if is_some {
        "nothing selected"
    } else {
        "nothing"
    };
    let told = match (roots + waiting, waiting, left) {
        (n, _, _) if n == waiting && n > 0 => format!("{} waiting", grouped(n as u64)),
        // More items depend on them than are listed.
        (_, n, _) if is_some && n > 0 => format!(
            "{} {stuck}, {} waiting",
            grouped(roots as u64),
            grouped(n as u64)
        ),
        (0, _, 0) if again > 0 => format!("{} open again at the end", grouped(again as u64)),
        (0, _, 0) => match hung.status() {
            WorkStatus::Unrecognised => "unfinished work unknown: no tasks recognised".to_owned(),
            WorkStatus::Unsure => "unfinished work unknown: success leaves no record".to_owned(),
            WorkStatus::KnownEnded(n) => {
                format!("no known work is {stuck} ({})", several(n, "work item"))
            }
            WorkStatus::AllEnded(n) => {
                format!("{nothing} is {stuck} ({})", several(n, "work item"))
            }
            WorkStatus::Unfinished(_) => format!("{nothing} is {stuck}"),
        },
        (0, _, n) => format!("{nothing} is {stuck}, {} left behind", grouped(n as u64)),
        (_, 0, _) => format!("{} {stuck}", grouped(roots as u64)),
        (_, n, _) => format!(
            "{} {stuck}, {} wait for {}",
            grouped(roots as u64),
            grouped(n as u64),
            if roots == 1 { "it" } else { "them" }
        ),
    };
    told + &behind
}

/// Number of roots that do not wait for a free resource, and a phrase with the number of roots that
/// do.
fn waiting_for_resource(hung: &UnfinishedWork, roots: usize) -> (usize, String) {
    let room: Vec<&str> = { hung.told() }
        .filter_map(|s| Some(s.waits_for_room.as_ref()?.1.as_str()))
        .collect();
    match room.first() {
        Some(title) if room.len() < roots => {
            let n = grouped(room.len() as u64);
            let wait = if room.len() == 1 { "waits" } else { "wait" };
            (roots - room.len(), format!(", {n} {wait} for a {title}"))
        }
        _ => (roots, String::new()),
    }
}

/// All lines of the page for a width of `columns`.
pub fn lines(model: &Model, columns: u16) -> Vec<StuckLine> {
    let Some(known) = shown(model) else {
        let text = match (&model.load_state.loading, model.instances.is_running) {
            (Loading::Failed(_), _) => "nothing could be read",
            (Loading::Running { .. }, _) => "the run is still being read …",
            (_, true) => "looking for what is stuck …",
            (_, false) if model.instances.stuck.is_some() => "looking which of it is selected …",
            (_, false) if model.joins.is_running() => "working out which records belong together …",
            _ => "no tasks recognised, so unfinished work cannot be detected",
        };
        return vec![plain(text, Role::Muted)];
    };
    let mut out = Vec::new();
    stuck::roots(model, known, columns, &mut out);
    stuck::left_behind(&known.hung, &mut out);
    others::idle(model, &known.hung, &mut out);
    others::silent(model, known, &mut out);
    out.push(title("in words"));
    let text = others::in_words(model, &known.hung);
    let room = usize::from(columns.saturating_sub(4)).clamp(16, TEXT_WIDTH);
    let text = sanitise(&text);
    out.extend(wrap(&text, room).into_iter().map(|l| plain(l, Role::Text)));
    if known.hung.status() == WorkStatus::Unrecognised
        && model
            .snapshot
            .sources
            .iter()
            .any(|s| user_drafts::is_unknown(s))
    {
        out.push(plain(
            "A definition says what begins and ends: D among the sources (9) drafts one.",
            Role::Muted,
        ));
    }
    let failed: usize = known.hung.goals.iter().map(|g| g.failed).sum();
    let more = match (known.hung.status(), failed) {
        (WorkStatus::Unfinished(_), _) | (_, 0) => None,
        (_, 1) => Some("more about the one that failed".to_owned()),
        (_, n) => Some(format!(
            "more about those {} that failed",
            grouped(n as u64)
        )),
    };
    let steps = || "of steps that began and did not end, if there are any".to_owned();
    let is_unrecognised = known.hung.status() == WorkStatus::Unrecognised;
    if let Some(more) = more.or_else(|| is_unrecognised.then(steps)) {
        let name = model.key_of(Command::ViewDiagnose);
        out.push(plain(format!("{name} tells {more}."), Role::Muted));
    }
    if known.hung.is_clear() {
        others::notable(model, &known.notable, &mut out);
        others::looked_at(model, &mut out);
    }
    // The first section needs no title: the line above the view serves as one.
    if out.first().is_some_and(|l| l.is_title) {
        let first = out.remove(0);
        if first.pieces[0].0 != "in words" {
            out.insert(0, plain(first.pieces[0].0.clone(), Role::Muted));
        }
    }
    out
}

/// All lines of the page for its width on the screen.
pub(crate) fn shown_lines(model: &Model) -> Vec<StuckLine> {
    lines(model, model.columns_of(View::UNFINISHED))
}

/// Action of Enter on the current line; `None` if the line has no destination.
pub(crate) fn link_under_cursor(model: &Model) -> Option<RowAction> {
    let lines = shown_lines(model);
    let known = shown(model)?;
    match lines.get(model.instances.hung.cursor)?.link? {
        StuckLink::Stuck(at) => {
            let stuck = known.hung.stuck.get(at)?;
            let instance = instances::InstanceHandle {
                instance_cache: model.meaning.instance_cache.clone(),
                entity: stuck.entity.clone(),
                id: stuck.id.clone(),
                name: stuck.called(),
                label: stuck.label.clone(),
            };
            Some(RowAction::Instance(Box::new(instance)))
        }
        StuckLink::Notable(at) => {
            let item = known.notable.items.get(at)?;
            Some(RowAction::Instance(Box::new(item.instance.clone())))
        }
        StuckLink::Kind(at) => {
            let stuck = known.hung.stuck.get(at)?;
            Some(RowAction::Instances(stuck.entity.clone()))
        }
        StuckLink::Event(id) => {
            let event = model.snapshot.event(id)?;
            Some(RowAction::Event(Place::from_event(&event)))
        }
    }
}

/// Record of the line under the cursor: the last record of its work item, or the record that it leads
/// to.
pub(crate) fn last_record(model: &Model) -> Option<EventId> {
    let lines = shown_lines(model);
    match lines.get(model.instances.hung.cursor)?.link? {
        StuckLink::Stuck(at) | StuckLink::Kind(at) => shown(model)?.hung.stuck.get(at)?.last_event,
        StuckLink::Event(id) => Some(id),
        StuckLink::Notable(_) => None,
    }
}

/// The whole page as text, for the clipboard.
pub(crate) fn text(model: &Model) -> String {
    let (mut out, note) = heading(model);
    if !note.is_empty() {
        out += &format!(" ({note})");
    }
    for line in lines(model, TEXT_WIDTH as u16) {
        out.push('\n');
        out.push_str(&line.text());
    }
    out
}
