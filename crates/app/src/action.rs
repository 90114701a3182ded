//! The table of actions: everything the explorer can be told to do, by name.
//!
//! Keymaps, hints, help and palette all come from this table. A new action is a variant, a row, and an arm in
//! the `act` of its subject in `update`.

mod events;
mod hints;
mod plots;
mod rows;
mod tables;
mod text;
mod views;

pub use hints::hints;
pub use rows::{Argument, aliases, argument};

/// Something to do. Keys, mouse and palette all end in one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the table says what each of them does")]
pub enum Action {
    Down,
    Up,
    First,
    Last,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Left,
    Right,
    Open,
    Back,
    NextPane,
    PrevPane,
    Pivot,
    PivotOut,
    PivotWhole,
    Filter,
    Undo,
    Redo,
    Clear,
    Search,
    FilterRows,
    NextHit,
    PrevHit,
    NextError,
    PrevError,
    NextWarning,
    PrevWarning,
    Mark,
    NextMark,
    ViewEvents,
    ViewHung,
    ViewDiagnose,
    ViewContrast,
    ViewRuns,
    ViewCompare,
    ViewFlow,
    ViewStates,
    ViewTimeline,
    ViewLatency,
    ViewJoins,
    ViewEntities,
    ViewKeys,
    ViewTemplates,
    ViewSources,
    ViewChecks,
    ViewBeside,
    ViewBelow,
    OtherView,
    SwapViews,
    CloseView,
    OnlyView,
    ViewLarger,
    ViewSmaller,
    Frequency,
    SortNext,
    SortPrev,
    SortTurn,
    Shift,
    Trace,
    Switch,
    NewJoin,
    Draft,
    NameKeys,
    AddConstant,
    ApplyJoin,
    SaveJoin,
    Joins,
    Follow,
    TimeDisplay,
    TimeClock,
    TimeFromStart,
    TimeStep,
    TimeSameKey,
    ShowZone,
    GotoTime,
    BrushStart,
    BrushEnd,
    BrushEarlier,
    BrushLater,
    BrushTake,
    ZoomIn,
    ZoomOut,
    ZoomAll,
    HideSource,
    Context,
    ContextMore,
    ContextLess,
    Highlight,
    NextSame,
    PrevSame,
    Trail,
    RemoveStep,
    Unfold,
    Wrap,
    RecordPane,
    Palette,
    Copy,
    Help,
    PrevMark,
    JumpBack,
    JumpForward,
    Note,
    Marks,
    Messages,
    Forget,
    SearchOn,
    SearchSubject,
    SearchSubjectBack,
    CursorTop,
    CursorMiddle,
    CursorBottom,
    ScrollDown,
    ScrollUp,
    RecordRight,
    RecordBelow,
    RecordHidden,
    RecordWider,
    RecordNarrower,
    Mouse,
    ChooseTheme,
    ChooseKeymap,
    CopyValue,
    CopyJson,
    CopyCommand,
    SaveWorkspace,
    RestoreWorkspace,
    DeleteBack,
    DeleteWord,
    DeleteToStart,
    DeleteToEnd,
    ViewSpans,
    ViewThroughput,
    ViewSeries,
    PlotEntity,
    PlotBy,
    SpanStart,
    SpanEnd,
    PairBy,
    PlotColour,
    AddCurve,
    DropCurve,
    Export,
    PlotsWith,
    NextBar,
    PrevBar,
    Redraw,
    Suspend,
    Leave,
    Quit,
}

/// What the program says about an action.
#[derive(Clone, Copy, Debug)]
pub struct ActionRow {
    /// The action.
    pub action: Action,
    /// Its name in keymaps and the palette.
    pub name: &'static str,
    /// One or two words for the line of hints.
    pub hint: &'static str,
    /// One line for help and palette.
    pub summary: &'static str,
    /// Under which heading help lists it.
    pub(crate) topic: Topic,
}

/// Headings of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum Topic {
    Move,
    Find,
    Select,
    View,
    Edit,
    Program,
}

impl Topic {
    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Topic::Move => "move",
            Topic::Find => "find",
            Topic::Select => "select",
            Topic::View => "view",
            Topic::Edit => "text",
            Topic::Program => "program",
        }
    }
}

impl Topic {
    /// Where the palette has its actions, before anything was written: what one cannot guess comes first.
    pub(crate) fn rank_in_palette(self) -> u8 {
        match self {
            Topic::View => 0,
            Topic::Select => 1,
            Topic::Find => 2,
            Topic::Program => 3,
            Topic::Move => 4,
            Topic::Edit => 5,
        }
    }
}

const fn row(
    action: Action,
    topic: Topic,
    name: &'static str,
    hint: &'static str,
    summary: &'static str,
) -> ActionRow {
    ActionRow {
        action,
        name,
        hint,
        summary,
        topic,
    }
}

/// All actions.
pub const TABLE: &[ActionRow] = {
    const TEXT: &[ActionRow] = &joined::<{ BASE.len() + text::ROWS.len() }>(BASE, text::ROWS);
    const VIEWS: &[ActionRow] = &joined::<{ TEXT.len() + views::ROWS.len() }>(TEXT, views::ROWS);
    const EVENTS: &[ActionRow] =
        &joined::<{ VIEWS.len() + events::ROWS.len() }>(VIEWS, events::ROWS);
    const MORE: &[ActionRow] = &joined::<{ EVENTS.len() + rows::MORE.len() }>(EVENTS, rows::MORE);
    const TABLES: &[ActionRow] = &joined::<{ MORE.len() + tables::ROWS.len() }>(MORE, tables::ROWS);
    &joined::<{ TABLES.len() + plots::ROWS.len() }>(TABLES, plots::ROWS)
};

/// Two lists of rows as one.
const fn joined<const N: usize>(first: &[ActionRow], more: &[ActionRow]) -> [ActionRow; N] {
    let mut out = [first[0]; N];
    let mut at = 0;
    while at < N {
        out[at] = if at < first.len() {
            first[at]
        } else {
            more[at - first.len()]
        };
        at += 1;
    }
    out
}

const BASE: &[ActionRow] = {
    use Action as A;
    use Topic::{Find, Move, Program, Select};
    &[
        row(A::Down, Move, "down", "down", "One row down"),
        row(A::Up, Move, "up", "up", "One row up"),
        row(A::First, Move, "first", "first", "To the first row"),
        row(A::Last, Move, "last", "last", "To the last row"),
        row(
            A::HalfDown,
            Move,
            "half-page-down",
            "half page",
            "Half a page down",
        ),
        row(
            A::HalfUp,
            Move,
            "half-page-up",
            "half page up",
            "Half a page up",
        ),
        row(A::PageDown, Move, "page-down", "page", "One page down"),
        row(A::PageUp, Move, "page-up", "page up", "One page up"),
        row(
            A::Left,
            Move,
            "left",
            "left",
            "Scroll long lines to the left; in a picture over time: earlier",
        ),
        row(
            A::Right,
            Move,
            "right",
            "right",
            "Scroll long lines to the right; in a picture over time: later",
        ),
        row(
            A::Open,
            Move,
            "open",
            "open",
            "Look closer: at the record, into the row, accept the line",
        ),
        row(
            A::Back,
            Move,
            "back",
            "back",
            "Back: close what is open, go one step back, drop the last filter",
        ),
        row(A::NextPane, Move, "next-pane", "pane", "To the next pane"),
        row(A::PrevPane, Move, "previous-pane", "back", "A pane back"),
        row(
            A::Search,
            Find,
            "search",
            "search",
            "Search the messages, or the rows of a table, for a text or for a /pattern/ between slashes",
        ),
        row(
            A::NextHit,
            Find,
            "next-hit",
            "next",
            "To the next hit of the search",
        ),
        row(
            A::PrevHit,
            Find,
            "previous-hit",
            "previous",
            "To the previous hit of the search",
        ),
        row(
            A::NextError,
            Find,
            "next-error",
            "error",
            "To the next error",
        ),
        row(
            A::PrevError,
            Find,
            "previous-error",
            "error back",
            "To the previous error",
        ),
        row(
            A::NextWarning,
            Find,
            "next-warning",
            "warning",
            "To the next warning or error",
        ),
        row(
            A::PrevWarning,
            Find,
            "previous-warning",
            "warning back",
            "To the previous warning or error",
        ),
        row(
            A::Mark,
            Find,
            "mark",
            "mark",
            "Mark the record, or take the mark away",
        ),
        row(
            A::NextMark,
            Find,
            "next-mark",
            "next mark",
            "To the next marked record",
        ),
        row(
            A::Pivot,
            Select,
            "pivot",
            "pivot",
            "Show everything with the same value of one of this record's keys",
        ),
        row(
            A::PivotOut,
            Select,
            "pivot-out",
            "leave out",
            "In tables, the pivot list and the record: leave out what has this value",
        ),
        row(
            A::PivotWhole,
            Select,
            "pivot-in-run",
            "whole run",
            "In the pivot list: pick in the whole run, not only in what is selected; again: only there",
        ),
        row(
            A::Filter,
            Select,
            "filter",
            "filter",
            "Show only records that fit an expression",
        ),
        row(
            A::Undo,
            Select,
            "undo",
            "undo",
            "Undo the last change of the selection or of the joins",
        ),
        row(A::Redo, Select, "redo", "redo", "Redo what was undone"),
        row(
            A::Clear,
            Select,
            "clear-selection",
            "all",
            "Drop all steps of the selection",
        ),
        row(
            A::Palette,
            Program,
            "palette",
            "commands",
            "Find a command or a key by name",
        ),
        row(
            A::Help,
            Program,
            "help",
            "help",
            "All keys and commands, searchable",
        ),
        row(
            A::Copy,
            Program,
            "copy",
            "copy",
            "Copy the record to the clipboard (OSC 52)",
        ),
        row(
            A::Redraw,
            Program,
            "redraw",
            "redraw",
            "Draw the whole screen anew",
        ),
        row(
            A::Suspend,
            Program,
            "suspend",
            "suspend",
            "Stop the program until the shell's fg",
        ),
    ]
};

impl Action {
    /// Its row of the table.
    pub fn row(self) -> &'static ActionRow {
        // The test below checks that every action has a row.
        TABLE.iter().find(|r| r.action == self).unwrap_or(&TABLE[0])
    }

    /// The action of this name.
    pub(crate) fn named(name: &str) -> Option<Action> {
        TABLE.iter().find(|r| r.name == name).map(|r| r.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_action_has_one_row_and_one_name() {
        let names: HashSet<&str> = TABLE.iter().map(|r| r.name).collect();
        let actions: HashSet<Action> = TABLE.iter().map(|r| r.action).collect();
        assert_eq!(names.len(), TABLE.len());
        assert_eq!(actions.len(), TABLE.len());
        // The last variant counts them all.
        assert_eq!(Action::Quit as usize + 1, TABLE.len());
        for row in TABLE {
            assert_eq!(Action::named(row.name), Some(row.action));
            assert!(row.summary.len() > 5 && !row.summary.ends_with('.'));
        }
    }
}
