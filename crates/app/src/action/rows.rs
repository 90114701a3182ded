//! Rows of the table for what is kept, copied and arranged; other names of actions; what they have to be told.

use super::{Action, ActionRow, Topic, plots, row};

/// Rows besides those of the table's own file.
pub(super) const MORE: &[ActionRow] = {
    use Action as A;
    use Topic::{Find, Move, Program, View};
    &[
        row(
            A::PrevMark,
            Find,
            "previous-mark",
            "mark back",
            "To the previous marked record",
        ),
        row(
            A::Note,
            Find,
            "note",
            "note",
            "Write a note to the record; an empty one takes it away",
        ),
        row(
            A::Marks,
            Find,
            "marks",
            "marks",
            "All marks and notes, to jump to",
        ),
        row(
            A::Messages,
            Program,
            "messages",
            "messages",
            "What the program said in this line, the newest last",
        ),
        row(
            A::Forget,
            Find,
            "forget",
            "forget",
            "In the list of marks: take mark and note away",
        ),
        row(
            A::SearchOn,
            Find,
            "search-on",
            "search on",
            "Search, or go on to the next hit",
        ),
        row(
            A::SearchSubject,
            Find,
            "search-subject",
            "same",
            "Search for what this record is about",
        ),
        row(
            A::SearchSubjectBack,
            Find,
            "search-subject-back",
            "same back",
            "The same, backwards",
        ),
        row(
            A::CursorTop,
            Move,
            "cursor-to-top",
            "to top",
            "Scroll so that the cursor stands at the top",
        ),
        row(
            A::CursorMiddle,
            Move,
            "cursor-to-middle",
            "to middle",
            "Scroll so that the cursor stands in the middle",
        ),
        row(
            A::CursorBottom,
            Move,
            "cursor-to-bottom",
            "to bottom",
            "Scroll so that the cursor stands at the bottom",
        ),
        row(
            A::ScrollDown,
            Move,
            "scroll-down",
            "scroll",
            "Scroll by a row, the cursor stays on its record",
        ),
        row(
            A::ScrollUp,
            Move,
            "scroll-up",
            "scroll back",
            "Scroll back by a row, the cursor stays on its record",
        ),
        row(
            A::RecordRight,
            View,
            "record-right",
            "right",
            "The record to the right of the list",
        ),
        row(
            A::RecordBelow,
            View,
            "record-below",
            "below",
            "The record below the list",
        ),
        row(
            A::RecordHidden,
            View,
            "record-hidden",
            "list only",
            "The list alone, without the record",
        ),
        row(
            A::RecordWider,
            View,
            "record-larger",
            "larger",
            "More room for the record",
        ),
        row(
            A::RecordNarrower,
            View,
            "record-smaller",
            "smaller",
            "Less room for the record",
        ),
        row(
            A::Mouse,
            Program,
            "mouse",
            "mouse",
            "Give the mouse to the terminal, for selecting text, or take it again",
        ),
        row(A::ChooseTheme, Program, "theme", "theme", "Other colours"),
        row(A::ChooseKeymap, Program, "keymap", "keymap", "Other keys"),
        row(
            A::CopyValue,
            Program,
            "copy-value",
            "copy value",
            "Copy the value under the cursor, one of the record's, or a cell of the row",
        ),
        row(
            A::CopyJson,
            Program,
            "copy-json",
            "copy JSON",
            "Copy the record as a line of JSON",
        ),
        row(
            A::CopyCommand,
            Program,
            "copy-command",
            "copy command",
            "Copy the command line that shows the same",
        ),
        row(
            A::SaveWorkspace,
            Program,
            "save-workspace",
            "save",
            "Save marks, notes, selection and view now",
        ),
        row(
            A::RestoreWorkspace,
            Program,
            "restore-workspace",
            "restore",
            "Marks, notes, selection and view as they were saved",
        ),
        row(
            A::Quit,
            Program,
            "quit",
            "quit",
            "Close the popup or the pane, else go one step back; at the root, leave the program",
        ),
        row(
            A::Leave,
            Program,
            "leave",
            "leave",
            "Leave the program, whatever is open",
        ),
    ]
};

/// Other words for an action, by which the palette finds it.
pub fn aliases(action: Action) -> &'static str {
    use Action as A;
    match action {
        A::ViewSpans
        | A::ViewThroughput
        | A::ViewSeries
        | A::PlotEntity
        | A::PlotBy
        | A::PlotColour
        | A::SpanStart
        | A::SpanEnd
        | A::PairBy
        | A::AddCurve
        | A::DropCurve
        | A::Export
        | A::PlotsWith
        | A::NextBar
        | A::PrevBar => plots::aliases(action),
        A::PrevMark => "back bookmark",
        A::JumpBack => "jump list return previous place",
        A::JumpForward => "jump list next place",
        A::Note => "comment annotate remark",
        A::Marks => "bookmarks notes list",
        A::Messages => "log notices status said errors history",
        A::Forget => "delete remove unmark",
        A::GotoTime => "jump when clock",
        A::NextSame | A::PrevSame => "follow value",
        A::Highlight => "colour mark value",
        A::BrushStart | A::BrushEnd => "range from until select time",
        A::BrushEarlier | A::BrushLater => "range select time",
        A::BrushTake => "range between select time",
        A::HideSource => "mute exclude file",
        A::Trail => "steps breadcrumbs edit selection",
        A::RemoveStep => "delete drop",
        A::TimeClock | A::TimeFromStart | A::TimeStep | A::TimeSameKey => "times delta",
        A::ZoomIn | A::ZoomOut | A::ZoomAll => "overview strip scale",
        A::Context | A::ContextMore | A::ContextLess => "neighbours around surrounding lines",
        A::Unfold => "expand lines multi",
        A::SearchOn => "isearch",
        A::SearchSubject => "star word identifier",
        A::SearchSubjectBack => "hash word identifier",
        A::CursorTop => "recenter",
        A::CursorMiddle => "recenter center centre",
        A::CursorBottom => "recenter",
        A::ScrollDown => "line",
        A::ScrollUp => "line",
        A::RecordRight => "layout split vertical side pane",
        A::RecordBelow => "layout split horizontal bottom pane",
        A::RecordHidden => "layout close pane zoom",
        A::RecordWider => "layout grow wider taller resize split",
        A::RecordNarrower => "layout shrink narrower shorter resize split",
        A::Mouse => "capture select",
        A::ChooseTheme => "colors colours dark light scheme",
        A::ChooseKeymap => "keys bindings vim emacs",
        A::CopyValue => "yank clipboard cell",
        A::CopyJson => "yank clipboard export",
        A::CopyCommand => "yank clipboard shell share reproduce",
        A::SaveWorkspace => "write store session",
        A::RestoreWorkspace => "load session read",
        A::Down | A::Up | A::PageDown | A::PageUp | A::HalfDown | A::HalfUp => "scroll move",
        A::First => "top begin home start",
        A::Last => "bottom end",
        A::Open => "enter drill select accept",
        A::Back => "escape close cancel",
        A::Pivot => "same drill group follow",
        A::PivotOut => "exclude hide",
        A::Filter => "where select only expression query level severity grep",
        A::Clear => "reset everything drop",
        A::FilterRows => "narrow words grep less",
        A::Search => "find grep regex regexp pattern text",
        A::NextError | A::PrevError => "failure exception problem",
        A::Mark | A::NextMark => "bookmark",
        A::ViewEvents => "list log records",
        A::ViewHung => "stuck unfinished waiting",
        A::ViewContrast => "difference bubbleup against baseline versus why",
        A::ViewRuns => "directories history trend",
        A::ViewFlow => "sequence diagram messages arrows requests answers lost actors",
        A::ViewCompare => "diff two versus side",
        A::ViewDiagnose => "findings problems wrong errors failures causes doctor",
        A::ViewTimeline => "gantt",
        A::ViewLatency => "steps durations slow",
        A::ViewEntities => "tables tasks workers",
        A::ViewKeys => "fields attributes columns",
        A::ViewSources => "files",
        A::ViewChecks => "rules lint schema violations broken validate",
        A::Follow => "tail live",
        A::TimeDisplay => "clock relative absolute",
        A::ShowZone => "timezone tz utc local clock zulu",
        A::Draft => "teach define definition format system parser learn layout",
        A::ViewBeside | A::ViewBelow => "split pane window layout",
        A::PivotWhole => "everywhere all run",
        A::Wrap => "lines long fold",
        A::RecordPane => "detail layout toggle",
        A::Palette => "commands run",
        A::Help => "keys bindings ?",
        A::Copy => "yank clipboard",
        A::Quit => "exit leave close back return",
        _ => "",
    }
}

/// What an action has to be told before it can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An expression.
    Expression,
    /// A text that messages contain.
    Text,
    /// A thing: `task 5`, `mysim.job=5`.
    Thing,
    /// A time.
    Time,
    /// The text of a note.
    Note,
    /// The name of a theme.
    Theme,
    /// The name of a keymap.
    Keymap,
    /// The name of a key, a kind of things, a curve.
    Name,
    /// The name of a file.
    File,
}

/// What an action has to be told, if anything.
pub fn argument(action: Action) -> Option<Argument> {
    Some(match action {
        Action::Filter | Action::ViewCompare | Action::SpanStart | Action::SpanEnd => {
            Argument::Expression
        }
        Action::Search => Argument::Text,
        Action::Trace => Argument::Thing,
        Action::GotoTime => Argument::Time,
        Action::Note => Argument::Note,
        Action::Export => Argument::File,
        Action::ChooseTheme => Argument::Theme,
        Action::ChooseKeymap => Argument::Keymap,
        Action::PlotEntity
        | Action::PlotBy
        | Action::PlotColour
        | Action::PairBy
        | Action::AddCurve
        | Action::DropCurve
        | Action::PlotsWith
        | Action::ViewSeries => Argument::Name,
        _ => return None,
    })
}
