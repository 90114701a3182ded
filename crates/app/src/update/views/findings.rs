//! View of the findings of the diagnosis: a page on which one finding is expanded.

use super::*;
use crate::findings::FindingSearch;
use crate::page_line::PageLine;
use crate::pages::findings as page;
use crate::update::findings;
use crate::update::primitives::findings_cursor as cursor;
use widetui_core::direction::Direction;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "diagnose",
    body: Body::Page(&PAGE),
    focus: Focus {
        keys: &[KeyScope::Diagnose],
        hints: commands! {
            Open NextPane Unfold Pivot Trace Copy ViewHung ViewEvents Palette Help
        },
        labels: &[
            (Command::Open, "its records"),
            (Command::NextPane, "next finding"),
            (Command::Unfold, "fold"),
        ],
    },
    pivot_title: "same as this record",
    // The command examines the whole run, and lists only results that have selected records.
    command_line: |m| subcommand(&["diagnose"], chosen(m)),
    copied: |m| Some(page::text(m)),
    record: under_cursor::finding_record,
    instance: |m| {
        let own = under_cursor::finding_instance(m);
        own.or_else(|| under_cursor::instance_of_record(m))
    },
    followed: under_cursor::finding_record,
    open: findings::open,
    run: |m, command| match command {
        Command::PrevPane => Some(cursor::previous(m)),
        Command::NextPane | Command::Unfold | Command::Left | Command::Right => {
            Some(cursor::in_list(m, command))
        }
        _ => None,
    },
    undo: findings::give_up,
    has_story: |m| {
        let found = m.findings.found.as_ref();
        found.is_none_or(|found| !found.diagnosis.findings.is_empty())
    },
    ..TABLE
};

static PAGE: Page = Page {
    heading: page::heading,
    lines: |m, columns| {
        let lines = page::lines(m, columns).into_iter();
        lines.map(PageLine::without_target).collect()
    },
    list: |m| m.findings.list,
    search: |m| &m.findings.text,
    place: |m| m.findings.place(),
    text: page::text,
    is_awaited: |m| m.findings.found.is_none() && m.findings.search != FindingSearch::GivenUp,
    search_mut: |m| &mut m.findings.text,
    texts: |m| page::searched_texts(m).into_iter().map(|(_, text)| text).collect(),
    go: cursor::to_place,
    step: cursor::step,
    next: |m, direction| {
        match direction {
            Direction::Forward => cursor::next(m),
            Direction::Backward => cursor::previous(m),
        };
    },
    click: cursor::click,
    settle: |m, _| cursor::place(m),
};
