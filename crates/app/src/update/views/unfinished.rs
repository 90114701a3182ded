//! View of unfinished work: a page of work items that began and have not ended.

use super::*;
use crate::event_list::CursorAnchor;
use crate::page_line::PageLine;
use crate::pages::unfinished as page;
use crate::update::availability;
use crate::update::primitives::navigation::{show_records, to_record};
use crate::update::primitives::{record_cursor, scrolling, selection};
use widetui_core::direction::Direction;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_tables::list::moved;
use widetui_tables::table::RowAction;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "hung",
    shown_by: Some(Command::ViewHung),
    body: Body::Page(&PAGE),
    focus: Focus {
        keys: &[KeyScope::Hung],
        hints: commands! { Open Trace Pivot Copy ViewEntities ViewEvents Palette Help },
        labels: &[(Command::Open, "its events")],
    },
    pivot_title: "same as this",
    // The command examines the whole run, and lists only results that have selected records.
    command_line: |m| subcommand(&["hung"], chosen(m)),
    copied: |m| Some(page::text(m)),
    // Rows are work items; the record is only chosen when a row is opened.
    record: |_| None,
    instance: |m| match page::link_under_cursor(m)? {
        RowAction::Instance(instance) => Some(*instance),
        _ => None,
    },
    followed: |m| m.snapshot.event(page::last_record(m)?),
    nothing_listed: availability::nothing_stuck,
    open,
    has_story: |m| m.instances.stuck.as_ref().is_none_or(|s| !s.hung.is_clear()),
    ..TABLE
};

static PAGE: Page = Page {
    heading: page::heading,
    lines: |m, columns| {
        let lines = page::lines(m, columns).into_iter();
        lines.map(PageLine::without_target).collect()
    },
    list: |m| m.instances.hung,
    search: |m| &m.instances.search,
    place: |m| m.instances.hung.cursor,
    text: page::text,
    is_awaited: |m| m.instances.unfinished_among(m.selection.steps()).is_none(),
    search_mut: |m| &mut m.instances.search,
    texts: |m| page::shown_lines(m).iter().map(|l| l.text()).collect(),
    go: |m, line| m.instances.hung.cursor = line,
    step,
    next: |m, direction| match direction {
        Direction::Forward => step(m, 1),
        Direction::Backward => step(m, -1),
    },
    click: |m, line| std::mem::replace(&mut m.instances.hung.cursor, line) == line,
    settle: |m, height| {
        let len = page::shown_lines(m).len();
        m.instances.hung.reveal(height, len);
    },
};

/// Opens the line under the cursor: the last log record of an instance shows where it is stuck, even if database rows follow
/// it.
fn open(model: &mut Model) -> Vec<Effect> {
    match page::link_under_cursor(model) {
        Some(RowAction::Instance(instance)) => {
            let last = page::last_record(model);
            let row = last.and_then(|id| model.rows.row_of(&model.snapshot, id));
            let mut effects = show_records(model);
            if let Some(row) = row {
                record_cursor::jump_to(model, row);
            }
            let step = SelectionStep::for_instance(&instance, StepEffect::Keep);
            effects.extend(selection::push(model, step));
            model.events.anchor = match row {
                Some(_) => CursorAnchor::Record,
                None => CursorAnchor::Last,
            };
            effects
        }
        Some(RowAction::Event(place)) => to_record(model, place),
        _ => Vec::new(),
    }
}

/// Moves the cursor: by one to the next line that can be opened, otherwise by lines.
fn step(model: &mut Model, rows: i64) {
    let lines = page::shown_lines(model);
    let from = model.instances.hung.cursor.min(lines.len().saturating_sub(1));
    let leads = |at: &usize| lines.get(*at).is_some_and(|l| l.link.is_some());
    let next = match rows {
        1 => (from + 1..lines.len()).find(leads),
        -1 => (0..from).rev().find(leads),
        _ => None,
    };
    model.instances.hung.cursor = next.unwrap_or_else(|| moved(from, rows, lines.len()));
    scrolling::settle(model);
}
