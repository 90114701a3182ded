//! Commands of the explorer, each defined once.
//!
//! [`for_each_command`] is the list of all commands. To add a command, add an entry and the
//! function that it runs, in `update`. An entry states, in this order:
//!
//! | field | meaning |
//! |---|---|
//! | `name` | name in keymaps, the palette and the documentation |
//! | `topic` | heading in the help |
//! | `hint` | one or two words for the hint line |
//! | `summary` | line in the help, the palette and the documentation |
//! | `counted: true` | a count before the command runs it that many times (optional) |
//! | `aliases` | other words by which the palette finds the command (optional) |
//! | `argument`, `run_with` | kind of argument the palette takes after the name, and the function that takes it (optional) |
//! | `unavailable` | reason why the command has no effect now, if there is one (optional) |
//! | `run` | function that runs the command |
//!
//! This module expands the list into [`Command`] and [`COMMANDS`], `update::dispatch` into the
//! functions of `run` and `run_with`, `update::availability` into those of `unavailable`. Paths are
//! resolved there.

/// Expands `$expand!` with the list of all commands.
macro_rules! for_each_command {
    ($expand:ident) => {
        $expand! {
            Down {
                name: "down",
                topic: Topic::Move,
                hint: "down",
                summary: "One row down",
                counted: true,
                aliases: "scroll move",
                run: |m| moves::vertical(m, Command::Down),
            }
            Up {
                name: "up",
                topic: Topic::Move,
                hint: "up",
                summary: "One row up",
                counted: true,
                aliases: "scroll move",
                run: |m| moves::vertical(m, Command::Up),
            }
            First {
                name: "first",
                topic: Topic::Move,
                hint: "first",
                summary: "To the first row",
                counted: true,
                aliases: "top begin home start",
                run: |m| moves::vertical(m, Command::First),
            }
            Last {
                name: "last",
                topic: Topic::Move,
                hint: "last",
                summary: "To the last row",
                counted: true,
                aliases: "bottom end",
                run: |m| moves::vertical(m, Command::Last),
            }
            HalfDown {
                name: "half-page-down",
                topic: Topic::Move,
                hint: "half page",
                summary: "Half a page down",
                counted: true,
                aliases: "scroll move",
                run: |m| moves::vertical(m, Command::HalfDown),
            }
            HalfUp {
                name: "half-page-up",
                topic: Topic::Move,
                hint: "half page up",
                summary: "Half a page up",
                counted: true,
                aliases: "scroll move",
                run: |m| moves::vertical(m, Command::HalfUp),
            }
            PageDown {
                name: "page-down",
                topic: Topic::Move,
                hint: "page",
                summary: "One page down",
                counted: true,
                aliases: "scroll move",
                run: |m| moves::vertical(m, Command::PageDown),
            }
            PageUp {
                name: "page-up",
                topic: Topic::Move,
                hint: "page up",
                summary: "One page up",
                counted: true,
                aliases: "scroll move",
                run: |m| moves::vertical(m, Command::PageUp),
            }
            Left {
                name: "left",
                topic: Topic::Move,
                hint: "left",
                summary: "Scroll long lines to the left; in a picture over time: earlier",
                counted: true,
                unavailable: no_picture,
                run: |m| moves::sideways(m, Command::Left),
            }
            Right {
                name: "right",
                topic: Topic::Move,
                hint: "right",
                summary: "Scroll long lines to the right; in a picture over time: later",
                counted: true,
                unavailable: no_picture,
                run: |m| moves::sideways(m, Command::Right),
            }
            Open {
                name: "open",
                topic: Topic::Move,
                hint: "open",
                summary: "Look closer: at the record, into the row, accept the line",
                counted: true,
                aliases: "enter drill select accept",
                unavailable: open,
                run: |m| (m.view.open)(m),
            }
            Back {
                name: "back",
                topic: Topic::Move,
                hint: "back",
                summary: "Undo the last step, whatever it was: a popup, a filter, another view",
                counted: true,
                aliases: "escape close cancel",
                run: places::back,
            }
            NextPane {
                name: "next-pane",
                topic: Topic::Move,
                hint: "pane",
                summary: "To the next pane",
                counted: true,
                run: places::next_pane,
            }
            PrevPane {
                name: "previous-pane",
                topic: Topic::Move,
                hint: "back",
                summary: "A pane back",
                counted: true,
                run: places::next_pane,
            }
            Search {
                name: "search",
                topic: Topic::Find,
                hint: "search",
                summary: "Search the messages, or the rows of a table, for a text or for a /pattern/ between slashes",
                counted: true,
                aliases: "find grep regex regexp pattern text",
                argument: "text or /pattern/",
                run_with: |m, text| line::answer(m, PromptKind::Search, text),
                run: prompts::open_search,
            }
            NextHit {
                name: "next-hit",
                topic: Topic::Find,
                hint: "next",
                summary: "To the next hit of the search",
                counted: true,
                unavailable: not_searched,
                run: |m| find::next_hit(m, Direction::Forward),
            }
            PrevHit {
                name: "previous-hit",
                topic: Topic::Find,
                hint: "previous",
                summary: "To the previous hit of the search",
                counted: true,
                unavailable: not_searched,
                run: |m| find::next_hit(m, Direction::Backward),
            }
            NextError {
                name: "next-error",
                topic: Topic::Find,
                hint: "error",
                summary: "To the next error",
                counted: true,
                aliases: "failure exception problem",
                run: |m| find::severe(m, Level::Error, Direction::Forward),
            }
            PrevError {
                name: "previous-error",
                topic: Topic::Find,
                hint: "error back",
                summary: "To the previous error",
                counted: true,
                aliases: "failure exception problem",
                run: |m| find::severe(m, Level::Error, Direction::Backward),
            }
            NextWarning {
                name: "next-warning",
                topic: Topic::Find,
                hint: "warning",
                summary: "To the next warning or error",
                counted: true,
                run: |m| find::severe(m, Level::Warning, Direction::Forward),
            }
            PrevWarning {
                name: "previous-warning",
                topic: Topic::Find,
                hint: "warning back",
                summary: "To the previous warning or error",
                counted: true,
                run: |m| find::severe(m, Level::Warning, Direction::Backward),
            }
            Mark {
                name: "mark",
                topic: Topic::Find,
                hint: "mark",
                summary: "Mark the record, or take the mark away",
                counted: true,
                aliases: "bookmark",
                unavailable: no_record,
                run: find::mark,
            }
            NextMark {
                name: "next-mark",
                topic: Topic::Find,
                hint: "next mark",
                summary: "To the next marked record",
                counted: true,
                aliases: "bookmark",
                unavailable: |m| unless(!m.marks.is_empty(), "nothing is marked"),
                run: |m| find::next_mark(m, Direction::Forward),
            }
            Pivot {
                name: "pivot",
                topic: Topic::Select,
                hint: "pivot",
                summary: "Show everything with the same value of one of this record's keys",
                aliases: "same drill group follow",
                unavailable: |m| no_row(m).or_else(|| nothing_listed(m)).or_else(|| no_record(m)),
                run: select::open_pivot,
            }
            PivotOut {
                name: "pivot-out",
                topic: Topic::Select,
                hint: "leave out",
                summary: "In tables, the pivot list and the record: leave out what has this value",
                aliases: "exclude hide",
                unavailable: |m| no_row(m).or_else(|| pivot_out(m)),
                run: select::pivot_out,
            }
            PivotWhole {
                name: "pivot-in-run",
                topic: Topic::Select,
                hint: "whole run",
                summary: "In the pivot list: pick in the whole run, not only in what is selected; again: only there",
                aliases: "everywhere all run",
                unavailable: pivot_in_run,
                run: select::turn_scope,
            }
            Filter {
                name: "filter",
                topic: Topic::Select,
                hint: "filter",
                summary: "Show only records that fit an expression",
                aliases: "where select only expression query level severity grep",
                argument: "expression",
                run_with: |m, text| line::answer(m, PromptKind::Filter, text),
                run: |m| prompts::open_filter(m, ""),
            }
            Undo {
                name: "undo",
                topic: Topic::Select,
                hint: "undo",
                summary: "Undo the last change of the selection or of the joins",
                counted: true,
                unavailable: |m| unless(m.selection.can_undo(), "there is nothing to undo"),
                run: undo::undo,
            }
            Redo {
                name: "redo",
                topic: Topic::Select,
                hint: "redo",
                summary: "Redo what was undone",
                counted: true,
                unavailable: |m| unless(m.selection.can_redo(), "nothing was undone"),
                run: undo::redo,
            }
            Repeat {
                name: "repeat",
                topic: Topic::Select,
                hint: "again",
                summary: "Run the last command again that searched, selected or changed the view",
                counted: true,
                aliases: "dot redo again last",
                unavailable: no_call,
                run: repeat,
            }
            Clear {
                name: "clear-selection",
                topic: Topic::Select,
                hint: "all",
                summary: "Drop all steps of the selection",
                aliases: "reset everything drop",
                unavailable: |m| unless(!m.selection.is_all(), "nothing is selected"),
                run: |m| selection::keep(m, 0),
            }
            Palette {
                name: "palette",
                topic: Topic::Program,
                hint: "commands",
                summary: "Find a command or a key by name",
                aliases: "commands run",
                run: lists::palette,
            }
            Help {
                name: "help",
                topic: Topic::Program,
                hint: "help",
                summary: "All keys and commands, searchable",
                aliases: "keys bindings ?",
                run: lists::help,
            }
            Copy {
                name: "copy",
                topic: Topic::Program,
                hint: "copy",
                summary: "Copy the record to the clipboard (OSC 52)",
                aliases: "yank clipboard",
                run: clipboard::record,
            }
            Redraw {
                name: "redraw",
                topic: Topic::Program,
                hint: "redraw",
                summary: "Draw the whole screen anew",
                run: redraw,
            }
            Suspend {
                name: "suspend",
                topic: Topic::Program,
                hint: "suspend",
                summary: "Stop the program until the shell's fg",
                run: |_| vec![Effect::Suspend],
            }
            DeleteBack {
                name: "delete-back",
                topic: Topic::Edit,
                hint: "delete",
                summary: "Delete the character before the cursor",
                unavailable: edit,
                run: no_effect,
            }
            DeleteWord {
                name: "delete-word",
                topic: Topic::Edit,
                hint: "delete word",
                summary: "Delete the word before the cursor",
                unavailable: edit,
                run: no_effect,
            }
            DeleteForward {
                name: "delete-forward",
                topic: Topic::Edit,
                hint: "delete",
                summary: "Delete the character after the cursor",
                unavailable: edit,
                run: no_effect,
            }
            DeleteNextWord {
                name: "delete-next-word",
                topic: Topic::Edit,
                hint: "delete word",
                summary: "Delete to the end of the next word",
                unavailable: edit,
                run: no_effect,
            }
            DeleteToStart {
                name: "delete-to-start",
                topic: Topic::Edit,
                hint: "delete to start",
                summary: "Delete all before the cursor",
                unavailable: edit,
                run: no_effect,
            }
            DeleteToEnd {
                name: "delete-to-end",
                topic: Topic::Edit,
                hint: "delete to end",
                summary: "Delete all behind the cursor",
                unavailable: edit,
                run: no_effect,
            }
            Yank {
                name: "yank",
                topic: Topic::Edit,
                hint: "insert deleted",
                summary: "Insert the text that was deleted last",
                aliases: "paste kill",
                unavailable: edit,
                run: no_effect,
            }
            WordLeft {
                name: "word-left",
                topic: Topic::Edit,
                hint: "word left",
                summary: "To the start of the word before the cursor",
                unavailable: edit,
                run: no_effect,
            }
            WordRight {
                name: "word-right",
                topic: Topic::Edit,
                hint: "word right",
                summary: "To the end of the word after the cursor",
                unavailable: edit,
                run: no_effect,
            }
            LineStart {
                name: "line-start",
                topic: Topic::Edit,
                hint: "line start",
                summary: "To the start of the line",
                unavailable: edit,
                run: no_effect,
            }
            LineEnd {
                name: "line-end",
                topic: Topic::Edit,
                hint: "line end",
                summary: "To the end of the line",
                unavailable: edit,
                run: no_effect,
            }
            ViewEvents {
                name: "view-events",
                topic: Topic::View,
                hint: "events",
                summary: "View 1: all records of all sources in time order",
                aliases: "list log records",
                run: |m| places::show_own(m, Command::ViewEvents),
            }
            ViewHung {
                name: "view-hung",
                topic: Topic::View,
                hint: "hung",
                summary: "View 2: what began and never ended",
                aliases: "stuck unfinished waiting",
                run: |m| places::show_own(m, Command::ViewHung),
            }
            ViewDiagnose {
                name: "view-diagnose",
                topic: Topic::View,
                hint: "diagnose",
                summary: "What is wrong: findings, worst first, with their evidence and what to do",
                aliases: "findings problems wrong errors failures causes doctor",
                run: findings::open_view,
            }
            ViewContrast {
                name: "view-contrast",
                topic: Topic::View,
                hint: "what differs",
                summary: "What is different about the records selected, against all others; without a selection about errors",
                aliases: "difference bubbleup against baseline versus why",
                run: |m| places::show_own(m, Command::ViewContrast),
            }
            ViewRuns {
                name: "view-runs",
                topic: Topic::View,
                hint: "runs",
                summary: "The runs, one row each: when, how long, what ended and what did not",
                aliases: "directories history trend",
                run: |m| places::show_own(m, Command::ViewRuns),
            }
            ViewCompare {
                name: "view-compare",
                topic: Topic::View,
                hint: "compare",
                summary: "What is selected beside the rest, another worker, an earlier selection; or two runs",
                aliases: "diff two versus side",
                argument: "expression",
                run_with: compare::tell,
                unavailable: nothing_to_compare,
                run: runs::begin,
            }
            ViewStates {
                name: "view-states",
                topic: Topic::View,
                hint: "states",
                summary: "View 3: how many are in which state, over time",
                run: |m| places::show_own(m, Command::ViewStates),
            }
            ViewTimeline {
                name: "view-timeline",
                topic: Topic::View,
                hint: "timeline",
                summary: "View 4: who did what when",
                aliases: "gantt",
                run: |m| places::show_own(m, Command::ViewTimeline),
            }
            ViewLatency {
                name: "view-latency",
                topic: Topic::View,
                hint: "latency",
                summary: "View 5: where the time goes, step by step; once more: what it went to, waiting for what",
                aliases: "steps durations slow",
                run: plots::view_latency,
            }
            ViewFlow {
                name: "view-flow",
                topic: Topic::View,
                hint: "flow",
                summary: "Messages between actors as a sequence diagram; once more: their kinds, and how long they took",
                aliases: "sequence diagram messages arrows requests answers lost actors",
                run: flow::turn,
            }
            ViewJoins {
                name: "view-joins",
                topic: Topic::View,
                hint: "joins",
                summary: "View 6: which keys imply which",
                run: joins::open,
            }
            ViewEntities {
                name: "view-entities",
                topic: Topic::View,
                hint: "entities",
                summary: "View 7: tasks, workers, blocks as tables",
                aliases: "tables tasks workers",
                run: |m| places::show_own(m, Command::ViewEntities),
            }
            ViewKeys {
                name: "view-keys",
                topic: Topic::View,
                hint: "keys",
                summary: "View 8: keys and their values",
                aliases: "fields attributes columns",
                run: |m| places::show_own(m, Command::ViewKeys),
            }
            ViewSources {
                name: "view-sources",
                topic: Topic::View,
                hint: "sources",
                summary: "View 9: what was read, how, and what could not be",
                aliases: "files",
                run: |m| places::show_own(m, Command::ViewSources),
            }
            ViewChecks {
                name: "view-check",
                topic: Topic::View,
                hint: "check",
                summary: "What records should look like, as the definitions say: each rule, and which records break it",
                aliases: "rules lint schema violations broken validate",
                run: |m| places::show_own(m, Command::ViewChecks),
            }
            ViewBeside {
                name: "view-beside",
                topic: Topic::View,
                hint: "view beside",
                summary: "A second view beside this one; both have the selection, the time range and the moment in common",
                aliases: "split pane window layout",
                unavailable: |m| split(m, Command::ViewBeside),
                run: |m| panes::split(m, Command::ViewBeside),
            }
            ViewBelow {
                name: "view-below",
                topic: Topic::View,
                hint: "view below",
                summary: "A second view below this one",
                aliases: "split pane window layout",
                unavailable: |m| split(m, Command::ViewBelow),
                run: |m| panes::split(m, Command::ViewBelow),
            }
            OtherView {
                name: "other-view",
                topic: Topic::View,
                hint: "other view",
                summary: "To the other view on the screen",
                unavailable: |m| split(m, Command::OtherView),
                run: |m| panes::split(m, Command::OtherView),
            }
            SwapViews {
                name: "swap-views",
                topic: Topic::View,
                hint: "swap",
                summary: "The two views change places",
                unavailable: |m| split(m, Command::SwapViews),
                run: |m| panes::split(m, Command::SwapViews),
            }
            CloseView {
                name: "close-view",
                topic: Topic::View,
                hint: "close",
                summary: "Close this view: the other one has the whole screen",
                unavailable: |m| split(m, Command::CloseView),
                run: |m| panes::split(m, Command::CloseView),
            }
            OnlyView {
                name: "only-view",
                topic: Topic::View,
                hint: "this alone",
                summary: "This view alone: close the other one",
                unavailable: |m| split(m, Command::OnlyView),
                run: |m| panes::split(m, Command::OnlyView),
            }
            ViewLarger {
                name: "view-larger",
                topic: Topic::View,
                hint: "larger",
                summary: "More room for this view, less for the other",
                counted: true,
                unavailable: |m| split(m, Command::ViewLarger),
                run: |m| panes::split(m, Command::ViewLarger),
            }
            ViewSmaller {
                name: "view-smaller",
                topic: Topic::View,
                hint: "smaller",
                summary: "Less room for this view, more for the other",
                counted: true,
                unavailable: |m| split(m, Command::ViewSmaller),
                run: |m| panes::split(m, Command::ViewSmaller),
            }
            Joins {
                name: "joins",
                topic: Topic::View,
                hint: "joins",
                summary: "Join keys: see, switch and add joins",
                run: joins::open,
            }
            RecordPane {
                name: "record-pane",
                topic: Topic::View,
                hint: "record",
                summary: "Show or hide the record below the list",
                aliases: "detail layout toggle",
                run: places::record_pane,
            }
            TimeDisplay {
                name: "time-display",
                topic: Topic::View,
                hint: "time",
                summary: "Times as clock, from the start of the run, as steps only, or with steps to the same key",
                aliases: "clock relative absolute",
                run: |m| time::over_time(m, Command::TimeDisplay),
            }
            Wrap {
                name: "wrap",
                topic: Topic::View,
                hint: "wrap",
                summary: "Wrap or cut long lines: of the list, or of the record in its pane",
                aliases: "lines long fold",
                run: rows::wrap,
            }
            Follow {
                name: "follow",
                topic: Topic::View,
                hint: "follow",
                summary: "Follow sources as they grow",
                aliases: "tail live",
                run: follow::toggle,
            }
            GotoTime {
                name: "goto-time",
                topic: Topic::Find,
                hint: "go to time",
                summary: "Go to a time: 18:03:20, +5s, -2m, 50%, #100 (the 100th row), an epoch, a full date",
                counted: true,
                aliases: "jump when clock",
                argument: "time",
                run_with: |m, text| line::answer(m, PromptKind::Goto, text),
                unavailable: no_record,
                run: prompts::open_goto,
            }
            JumpBack {
                name: "jump-back",
                topic: Topic::Find,
                hint: "back",
                summary: "Back to where the cursor was before it jumped to a hit, an error, a mark, a time, an end",
                counted: true,
                aliases: "jump list return previous place",
                run: |m| jumps::jump(m, Direction::Backward),
            }
            JumpForward {
                name: "jump-forward",
                topic: Topic::Find,
                hint: "forth",
                summary: "Forth again to where the last jump back came from",
                counted: true,
                aliases: "jump list next place",
                run: |m| jumps::jump(m, Direction::Forward),
            }
            NextSame {
                name: "next-same",
                topic: Topic::Find,
                hint: "next same",
                summary: "To the next record with the same value of the key last pivoted on",
                counted: true,
                aliases: "follow value",
                run: |m| same::go(m, Direction::Forward),
            }
            PrevSame {
                name: "previous-same",
                topic: Topic::Find,
                hint: "same back",
                summary: "To the previous record with the same value of the key last pivoted on",
                counted: true,
                aliases: "follow value",
                run: |m| same::go(m, Direction::Backward),
            }
            Highlight {
                name: "highlight",
                topic: Topic::Select,
                hint: "highlight",
                summary: "Mark the records with this value without filtering; again to stop",
                aliases: "colour mark value",
                run: same::highlight,
            }
            BrushStart {
                name: "brush-start",
                topic: Topic::Select,
                hint: "from here",
                summary: "Start the time selection at the record under the cursor",
                aliases: "range from until select time",
                unavailable: no_picture,
                run: |m| time::over_time(m, Command::BrushStart),
            }
            BrushEnd {
                name: "brush-end",
                topic: Topic::Select,
                hint: "to here",
                summary: "End the time selection at the record under the cursor",
                aliases: "range from until select time",
                unavailable: no_picture,
                run: |m| time::over_time(m, Command::BrushEnd),
            }
            BrushEarlier {
                name: "brush-earlier",
                topic: Topic::Select,
                hint: "earlier",
                summary: "Move the edge of the time selection that was set last to earlier times",
                counted: true,
                aliases: "range select time",
                unavailable: no_picture,
                run: |m| time::over_time(m, Command::BrushEarlier),
            }
            BrushLater {
                name: "brush-later",
                topic: Topic::Select,
                hint: "later",
                summary: "Move the edge of the time selection that was set last to later times",
                counted: true,
                aliases: "range select time",
                unavailable: no_picture,
                run: |m| time::over_time(m, Command::BrushLater),
            }
            BrushTake {
                name: "brush-filter",
                topic: Topic::Select,
                hint: "only selection",
                summary: "Show only records within the time selection",
                aliases: "range between select time",
                run: |m| time::over_time(m, Command::BrushTake),
            }
            HideSource {
                name: "hide-source",
                topic: Topic::Select,
                hint: "hide",
                summary: "Hide the source of this record, or show it again",
                aliases: "mute exclude file",
                unavailable: no_row,
                run: rows::hide_source,
            }
            Trail {
                name: "trail",
                topic: Topic::Select,
                hint: "steps",
                summary: "To the steps of the selection: drop or edit one of them",
                aliases: "steps breadcrumbs edit selection",
                run: breadcrumb_steps::toggle,
            }
            RemoveStep {
                name: "remove-step",
                topic: Topic::Select,
                hint: "remove",
                summary: "In the breadcrumbs: drop the step under the cursor",
                aliases: "delete drop",
                run: no_effect,
            }
            TimeClock {
                name: "time-clock",
                topic: Topic::View,
                hint: "clock",
                summary: "Times as a clock shows them",
                aliases: "times delta",
                run: |m| time::over_time(m, Command::TimeClock),
            }
            TimeFromStart {
                name: "time-from-start",
                topic: Topic::View,
                hint: "from start",
                summary: "Times from the start of the run",
                aliases: "times delta",
                run: |m| time::over_time(m, Command::TimeFromStart),
            }
            TimeStep {
                name: "time-steps",
                topic: Topic::View,
                hint: "steps",
                summary: "Only the step from the row before",
                aliases: "times delta",
                run: |m| time::over_time(m, Command::TimeStep),
            }
            TimeSameKey {
                name: "time-same-key",
                topic: Topic::View,
                hint: "same key",
                summary: "Steps from the record before with the same value of the key last pivoted on",
                aliases: "times delta",
                run: |m| time::over_time(m, Command::TimeSameKey),
            }
            ShowZone {
                name: "time-zone",
                topic: Topic::View,
                hint: "zone",
                summary: "Times in UTC, in the zone of this machine, or in that of the logs",
                aliases: "timezone tz utc local clock zulu",
                run: zone::turn,
            }
            ZoomIn {
                name: "zoom-in",
                topic: Topic::View,
                hint: "zoom",
                summary: "Zoom the overview in: to the time selection, else around the cursor",
                counted: true,
                aliases: "overview strip scale",
                unavailable: no_picture,
                run: |m| time::over_time(m, Command::ZoomIn),
            }
            ZoomOut {
                name: "zoom-out",
                topic: Topic::View,
                hint: "zoom out",
                summary: "Show more of the run in the overview",
                counted: true,
                aliases: "overview strip scale",
                unavailable: no_picture,
                run: |m| time::over_time(m, Command::ZoomOut),
            }
            ZoomAll {
                name: "zoom-all",
                topic: Topic::View,
                hint: "whole run",
                summary: "Show the whole run in the overview",
                aliases: "overview strip scale",
                unavailable: no_picture,
                run: |m| time::over_time(m, Command::ZoomAll),
            }
            Context {
                name: "context",
                topic: Topic::View,
                hint: "context",
                summary: "Context lines around the selected records: of their source, of all sources, none",
                aliases: "neighbours around surrounding lines",
                unavailable: no_context,
                run: rows::next_context,
            }
            ContextMore {
                name: "context-more",
                topic: Topic::View,
                hint: "more context",
                summary: "One more context line on each side",
                counted: true,
                aliases: "neighbours around surrounding lines",
                unavailable: no_context,
                run: |m| rows::more_context(m, 1),
            }
            ContextLess {
                name: "context-less",
                topic: Topic::View,
                hint: "less context",
                summary: "One context line less on each side",
                counted: true,
                aliases: "neighbours around surrounding lines",
                run: |m| rows::more_context(m, -1),
            }
            Unfold {
                name: "unfold",
                topic: Topic::View,
                hint: "unfold",
                summary: "Show all lines of the record in the list, or only its first",
                aliases: "expand lines multi",
                run: rows::unfold_record,
            }
            PrevMark {
                name: "previous-mark",
                topic: Topic::Find,
                hint: "mark back",
                summary: "To the previous marked record",
                counted: true,
                aliases: "back bookmark",
                unavailable: |m| unless(!m.marks.is_empty(), "nothing is marked"),
                run: |m| find::next_mark(m, Direction::Backward),
            }
            Note {
                name: "note",
                topic: Topic::Find,
                hint: "note",
                summary: "Write a note to the record; an empty one takes it away",
                counted: true,
                aliases: "comment annotate remark",
                argument: "text",
                run_with: user_files::note_on_current,
                unavailable: no_record,
                run: user_files::open_note,
            }
            Marks {
                name: "marks",
                topic: Topic::Find,
                hint: "marks",
                summary: "All marks and notes, to jump to",
                counted: true,
                aliases: "bookmarks notes list",
                unavailable: |m| unless(!m.marks.is_empty() || !m.user_data.notes.is_empty(), "nothing is marked"),
                run: lists::marks,
            }
            Messages {
                name: "messages",
                topic: Topic::Program,
                hint: "messages",
                summary: "Message log: past notifications, the newest last",
                aliases: "log notices status said errors history",
                run: notifications::open,
            }
            Forget {
                name: "forget",
                topic: Topic::Find,
                hint: "forget",
                summary: "In the list of marks: take mark and note away",
                counted: true,
                aliases: "delete remove unmark",
                unavailable: forget,
                run: lists::forget,
            }
            SearchOn {
                name: "search-on",
                topic: Topic::Find,
                hint: "search on",
                summary: "Search, or go on to the next hit",
                counted: true,
                aliases: "isearch",
                run: find::search_on,
            }
            SearchSubject {
                name: "search-subject",
                topic: Topic::Find,
                hint: "same",
                summary: "Search for what this record is about",
                counted: true,
                aliases: "star word identifier",
                unavailable: no_record,
                run: |m| find::subject(m, Direction::Forward),
            }
            SearchSubjectBack {
                name: "search-subject-back",
                topic: Topic::Find,
                hint: "same back",
                summary: "The same, backwards",
                counted: true,
                aliases: "hash word identifier",
                unavailable: no_record,
                run: |m| find::subject(m, Direction::Backward),
            }
            CursorTop {
                name: "cursor-to-top",
                topic: Topic::Move,
                hint: "to top",
                summary: "Scroll so that the cursor stands at the top",
                counted: true,
                aliases: "recenter",
                run: |m| moves::scroll(m, Command::CursorTop),
            }
            CursorMiddle {
                name: "cursor-to-middle",
                topic: Topic::Move,
                hint: "to middle",
                summary: "Scroll so that the cursor stands in the middle",
                counted: true,
                aliases: "recenter center centre",
                run: |m| moves::scroll(m, Command::CursorMiddle),
            }
            CursorBottom {
                name: "cursor-to-bottom",
                topic: Topic::Move,
                hint: "to bottom",
                summary: "Scroll so that the cursor stands at the bottom",
                counted: true,
                aliases: "recenter",
                run: |m| moves::scroll(m, Command::CursorBottom),
            }
            ScrollDown {
                name: "scroll-down",
                topic: Topic::Move,
                hint: "scroll",
                summary: "Scroll by a row, the cursor stays on its record",
                counted: true,
                aliases: "line",
                run: |m| moves::scroll(m, Command::ScrollDown),
            }
            ScrollUp {
                name: "scroll-up",
                topic: Topic::Move,
                hint: "scroll back",
                summary: "Scroll back by a row, the cursor stays on its record",
                counted: true,
                aliases: "line",
                run: |m| moves::scroll(m, Command::ScrollUp),
            }
            RecordRight {
                name: "record-right",
                topic: Topic::View,
                hint: "right",
                summary: "The record to the right of the list",
                aliases: "layout split vertical side pane",
                run: user_files::record_right,
            }
            RecordBelow {
                name: "record-below",
                topic: Topic::View,
                hint: "below",
                summary: "The record below the list",
                aliases: "layout split horizontal bottom pane",
                run: user_files::record_below,
            }
            RecordHidden {
                name: "record-hidden",
                topic: Topic::View,
                hint: "list only",
                summary: "The list alone, without the record",
                aliases: "layout close pane zoom",
                run: user_files::hide_record,
            }
            RecordWider {
                name: "record-larger",
                topic: Topic::View,
                hint: "larger",
                summary: "More room for the record",
                counted: true,
                aliases: "layout grow wider taller resize split",
                run: |m| user_files::resize(m, user_files::STEP),
            }
            RecordNarrower {
                name: "record-smaller",
                topic: Topic::View,
                hint: "smaller",
                summary: "Less room for the record",
                counted: true,
                aliases: "layout shrink narrower shorter resize split",
                run: |m| user_files::resize(m, -user_files::STEP),
            }
            Mouse {
                name: "mouse",
                topic: Topic::Program,
                hint: "mouse",
                summary: "Give the mouse to the terminal, for selecting text, or take it again",
                aliases: "capture select",
                run: user_files::toggle_mouse,
            }
            ChooseTheme {
                name: "theme",
                topic: Topic::Program,
                hint: "theme",
                summary: "Other colours",
                aliases: "colors colours dark light scheme",
                argument: "theme",
                run_with: lists::wear,
                run: lists::themes,
            }
            ChooseKeymap {
                name: "keymap",
                topic: Topic::Program,
                hint: "keymap",
                summary: "Other keys",
                aliases: "keys bindings vim emacs",
                argument: "keymap",
                run_with: lists::press_by,
                run: lists::keymaps,
            }
            CopyValue {
                name: "copy-value",
                topic: Topic::Program,
                hint: "copy value",
                summary: "Copy the value under the cursor, one of the record's, or a cell of the row",
                aliases: "yank clipboard cell",
                run: clipboard::value,
            }
            CopyJson {
                name: "copy-json",
                topic: Topic::Program,
                hint: "copy JSON",
                summary: "Copy the record as a line of JSON",
                aliases: "yank clipboard export",
                unavailable: no_record,
                run: clipboard::json,
            }
            CopyPath {
                name: "copy-path",
                topic: Topic::Program,
                hint: "copy path",
                summary: "Copy the path of the record's file, or of the source under the cursor",
                aliases: "yank clipboard file name source editor",
                unavailable: no_record,
                run: clipboard::path,
            }
            CopyId {
                name: "copy-id",
                topic: Topic::Program,
                hint: "copy id",
                summary: "Copy the id of the instance under the cursor, as an expression",
                aliases: "yank clipboard task worker name key",
                unavailable: no_instance,
                run: clipboard::id,
            }
            CopyTitle {
                name: "copy-title",
                topic: Topic::Program,
                hint: "copy title",
                summary: "Copy the title of the run, as the first line begins",
                aliases: "yank clipboard name header breadcrumb",
                run: clipboard::title,
            }
            CopyCommand {
                name: "copy-command",
                topic: Topic::Program,
                hint: "copy command",
                summary: "Copy the command line that shows the same",
                aliases: "yank clipboard shell share reproduce",
                unavailable: |m| m.user_data.opened.why_not,
                run: clipboard::command_line,
            }
            SaveWorkspace {
                name: "save-workspace",
                topic: Topic::Program,
                hint: "save",
                summary: "Save marks, notes, selection and view now",
                aliases: "write store session",
                run: user_files::save,
            }
            RestoreWorkspace {
                name: "restore-workspace",
                topic: Topic::Program,
                hint: "restore",
                summary: "Marks, notes, selection and view as they were saved",
                aliases: "load session read",
                unavailable: |m| unless(m.user_data.offer.is_some(), "no workspace of this run was saved"),
                run: user_files::restore_saved,
            }
            Quit {
                name: "quit",
                topic: Topic::Program,
                hint: "quit",
                summary: "Undo the last step, whatever it was; at the start, leave the program",
                aliases: "exit leave close back return",
                run: places::quit,
            }
            Leave {
                name: "leave",
                topic: Topic::Program,
                hint: "leave",
                summary: "Leave the program, whatever is open",
                aliases: "q exit",
                run: |_| vec![Effect::Quit],
            }
            ViewTemplates {
                name: "view-templates",
                topic: Topic::View,
                hint: "templates",
                summary: "Messages with their variable parts taken out, counted",
                run: |m| places::show_own(m, Command::ViewTemplates),
            }
            Frequency {
                name: "frequency",
                topic: Topic::View,
                hint: "values",
                summary: "The values of this key, counted",
                run: table::frequency,
            }
            SortNext {
                name: "sort-right",
                topic: Topic::View,
                hint: "sort",
                summary: "Order the table by the next column; beyond the last by its own order",
                counted: true,
                unavailable: no_row,
                run: |m| tables::sort(m, Command::SortNext),
            }
            SortPrev {
                name: "sort-left",
                topic: Topic::View,
                hint: "sort back",
                summary: "Order the table by the column before",
                counted: true,
                run: |m| tables::sort(m, Command::SortPrev),
            }
            SortTurn {
                name: "sort-turn",
                topic: Topic::View,
                hint: "turn order",
                summary: "Turn the order of the table round",
                unavailable: no_row,
                run: |m| tables::sort(m, Command::SortTurn),
            }
            Shift {
                name: "shift-source",
                topic: Topic::View,
                hint: "shift",
                summary: "Shift the times of a source whose clock was wrong, in the table of sources",
                run: shift::open,
            }
            Trace {
                name: "trace",
                topic: Topic::View,
                hint: "about it",
                summary: "Trace of the task or other instance under the cursor: its events and the time between them",
                argument: "entity and id",
                run_with: name_lookup::tell,
                unavailable: |m| no_row(m).or_else(|| nothing_listed(m)),
                run: instance_views::trace,
            }
            FilterRows {
                name: "only-rows",
                topic: Topic::Find,
                hint: "only rows with",
                summary: "In tables: show only the rows that have these words",
                counted: true,
                aliases: "narrow words grep less",
                unavailable: |m| unless(m.view.is_table(), "only in tables"),
                run: line::filter_rows,
            }
            Switch {
                name: "switch-join",
                topic: Topic::Select,
                hint: "on or off",
                summary: "Switch the join under the cursor on or off",
                run: joins::switch_current,
            }
            NewJoin {
                name: "new-join",
                topic: Topic::View,
                hint: "new join",
                summary: "Build a join: events with the same of some keys get other keys from each other",
                run: join_builder::begin,
            }
            Draft {
                name: "draft-definition",
                topic: Topic::Program,
                hint: "draft",
                summary: "Write a first definition for the logs that none knows to your own ones, as `widetui systems draft` does",
                aliases: "teach define definition format system parser learn layout",
                unavailable: nothing_to_draft,
                run: sources::open_draft,
            }
            NameKeys {
                name: "name-keys",
                topic: Topic::Select,
                hint: "name",
                summary: "Give names to what varies in this message, or to parts of this key's values: they become keys of all such records",
                run: reading::name,
            }
            AddConstant {
                name: "add-constant",
                topic: Topic::Select,
                hint: "constant",
                summary: "Give the selected records a key with a value of your own, or one made of other keys (`mysim.at = {host}:{pid}`)",
                run: reading::constant,
            }
            ApplyJoin {
                name: "apply-join",
                topic: Topic::Select,
                hint: "apply",
                summary: "Put the join that is being built, or the suggested one, in force",
                run: join_builder::apply,
            }
            SaveJoin {
                name: "save-join",
                topic: Topic::Select,
                hint: "save",
                summary: "Put the join in force, and write it to your own definitions",
                run: join_builder::save,
            }
            ViewSpans {
                name: "view-spans",
                topic: Topic::View,
                hint: "durations",
                summary: "Durations: a histogram, the longest, percentiles by any key",
                aliases: "duration histogram percentiles slowest how long",
                run: |m| places::show_own(m, Command::ViewSpans),
            }
            ViewThroughput {
                name: "view-throughput",
                topic: Topic::View,
                hint: "throughput",
                summary: "How many finish, over time: the rate, and the numbers by any key",
                aliases: "rate finished completed per second done speed",
                run: |m| places::show_own(m, Command::ViewThroughput),
            }
            ViewSeries {
                name: "view-series",
                topic: Topic::View,
                hint: "numbers",
                summary: "A numeric key over time, grouped by any other key",
                aliases: "series plot graph metric gauge measurement queue",
                argument: "key",
                run_with: |m, text| choices::tell(m, Command::ViewSeries, text),
                run: plots::view_series,
            }
            PlotEntity {
                name: "things",
                topic: Topic::View,
                hint: "entity",
                summary: "States, timeline, latency and durations of another entity",
                aliases: "entity kind task",
                argument: "entity",
                run_with: |m, text| choices::tell(m, Command::PlotEntity, text),
                unavailable: no_picture,
                run: plots::choose_entity,
            }
            PlotBy {
                name: "group-by",
                topic: Topic::View,
                hint: "group",
                summary: "Group rows, lines or durations by another key",
                aliases: "split rows lanes worker",
                argument: "key",
                run_with: |m, text| choices::tell(m, Command::PlotBy, text),
                unavailable: |m| no_picture(m).or_else(|| no_split(m)),
                run: plots::choose_split,
            }
            SpanStart {
                name: "span-start",
                topic: Topic::View,
                hint: "spans start",
                summary: "Durations are counted from records like this one (or from what fits a filter) to those where spans end",
                aliases: "between two messages how long mark concurrency",
                argument: "expression",
                run_with: |m, text| span_marks::tell(m, Command::SpanStart, text),
                run: |m| span_marks::mark_here(m, Command::SpanStart),
            }
            SpanEnd {
                name: "span-end",
                topic: Topic::View,
                hint: "spans end",
                summary: "Durations are counted to records like this one (or to what fits a filter), from those where spans start",
                aliases: "between two messages how long mark concurrency",
                argument: "expression",
                run_with: |m, text| span_marks::tell(m, Command::SpanEnd, text),
                run: |m| span_marks::mark_here(m, Command::SpanEnd),
            }
            PairBy {
                name: "pair-by",
                topic: Topic::View,
                hint: "pair",
                summary: "Which end belongs to which start: the one with the same value of a key",
                aliases: "spans key join match",
                argument: "key",
                run_with: |m, text| choices::tell(m, Command::PairBy, text),
                run: plots::choose_pairing,
            }
            PlotColour {
                name: "colour-by",
                topic: Topic::View,
                hint: "colours",
                summary: "Colour the bars of the timeline by another key",
                aliases: "color state app",
                argument: "key",
                run_with: |m, text| choices::tell(m, Command::PlotColour, text),
                unavailable: |m| no_picture(m).or_else(|| not_timeline(m)),
                run: plots::choose_colour,
            }
            AddCurve {
                name: "add-curve",
                topic: Topic::View,
                hint: "add curve",
                summary: "Add a curve to the overview: a numeric key, a state (mysim.job:running), running instances (mysim.job)",
                aliases: "sparkline plot queue state number count",
                argument: "curve",
                run_with: |m, text| choices::tell(m, Command::AddCurve, text),
                run: |m| choices::offer(m, Command::AddCurve),
            }
            DropCurve {
                name: "drop-curve",
                topic: Topic::View,
                hint: "drop curve",
                summary: "Remove a curve from the overview",
                aliases: "sparkline remove delete",
                argument: "curve",
                run_with: |m, text| choices::tell(m, Command::DropCurve, text),
                run: |m| choices::offer(m, Command::DropCurve),
            }
            Export {
                name: "export",
                topic: Topic::View,
                hint: "write",
                summary: "Write to files: records as JSON lines, CSV or text, a picture as SVG, its numbers or the table as CSV, a page as text",
                aliases: "write save file svg csv jsonl txt log image figure table records",
                argument: "file name",
                run_with: |m, text| export::write(m, text.trim()),
                run: export::open,
            }
            PlotsWith {
                name: "plots",
                topic: Topic::View,
                hint: "plots",
                summary: "Draw pictures with braille, blocks or ASCII",
                aliases: "dots font characters unicode",
                argument: "characters",
                run_with: |m, text| choices::tell(m, Command::PlotsWith, text),
                run: |m| choices::offer(m, Command::PlotsWith),
            }
            NextBar {
                name: "next-bar",
                topic: Topic::Move,
                hint: "next bar",
                summary: "To the start of the next bar of the row",
                counted: true,
                aliases: "gantt timeline",
                unavailable: |m| no_row(m).or_else(|| not_timeline(m)),
                run: |m| plots::beside(m, Direction::Forward),
            }
            PrevBar {
                name: "previous-bar",
                topic: Topic::Move,
                hint: "bar back",
                summary: "To the start of the bar before",
                counted: true,
                aliases: "gantt timeline",
                unavailable: |m| no_row(m).or_else(|| not_timeline(m)),
                run: |m| plots::beside(m, Direction::Backward),
            }
        }
    };
}
pub(crate) use for_each_command;

macro_rules! define_commands {
    ($($command:ident {
        name: $name:literal,
        topic: $topic:expr,
        hint: $hint:literal,
        summary: $summary:literal,
        $(counted: $counted:literal,)?
        $(aliases: $aliases:literal,)?
        $(argument: $argument:literal, run_with: $run_with:expr,)?
        $(unavailable: $unavailable:expr,)?
        run: $run:expr,
    })*) => {
        /// Command of the explorer, run by keys, the mouse or the palette.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $summary] $command,)*
        }

        /// All commands, in the order of the help.
        pub static COMMANDS: &[CommandInfo] = &[$(CommandInfo {
            command: Command::$command,
            name: $name,
            topic: $topic,
            hint: $hint,
            summary: $summary,
            is_counted: matches!(first(&[$($counted)?]), Some(true)),
            aliases: concat!("" $(, $aliases)?),
            argument: first(&[$($argument)?]),
        },)*];
    };
}
for_each_command!(define_commands);

/// First element of a list of at most one.
pub(crate) const fn first<T: Copy>(list: &[T]) -> Option<T> {
    match list {
        [first, ..] => Some(*first),
        [] => None,
    }
}

/// Description of a command.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// Command that the entry describes.
    pub command: Command,
    /// Name in keymaps and the palette.
    pub name: &'static str,
    /// One or two words for the hint line.
    pub hint: &'static str,
    /// Line in the help and the palette.
    pub summary: &'static str,
    /// Whether a count before the command runs it that many times.
    pub(crate) is_counted: bool,
    /// Other words by which the palette finds the command, separated by blanks.
    pub aliases: &'static str,
    /// Kind of argument that the palette takes after the name; `None` if the command takes none.
    pub argument: Option<&'static str>,
    /// Heading in the help.
    pub(crate) topic: Topic,
}

/// Headings of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "`title` names each of them")]
pub(crate) enum Topic {
    Move,
    Find,
    Select,
    View,
    Edit,
    Program,
}

impl Topic {
    /// Text of the heading.
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

    /// Position of the topic in the palette while its line is empty: commands that are hard to
    /// guess come first.
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

impl Command {
    /// Description of the command.
    pub fn info(self) -> &'static CommandInfo {
        // The list has the order of the variants.
        &COMMANDS[self as usize]
    }

    /// Command with this name.
    pub(crate) fn named(name: &str) -> Option<Command> {
        COMMANDS.iter().find(|c| c.name == name).map(|c| c.command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_summaries_are_sentences_without_full_stop() {
        let names: HashSet<&str> = COMMANDS.iter().map(|c| c.name).collect();
        assert_eq!(names.len(), COMMANDS.len());
        for info in COMMANDS {
            assert_eq!(info.command.info().name, info.name);
            assert_eq!(Command::named(info.name), Some(info.command));
            assert!(info.summary.len() > 5 && !info.summary.ends_with('.'));
        }
    }
}
