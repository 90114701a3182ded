//! Commands of the explorer, each defined once.
//!
//! [`for_each_command`] is the list of all commands. To add a command, add an entry and the
//! function that it runs, in `update`. An entry is a line with four texts,
//!
//! ```text
//! [Down] "down" in Move, "down", "One row down";
//! ```
//!
//! the name in keymaps, the palette and the documentation; the heading in the help; one or two words
//! for the hint line; the line in the help, the palette and the documentation; and then, in this
//! order:
//!
//! | field | meaning |
//! |---|---|
//! | `counted true` | a count before the command runs it that many times (optional) |
//! | `aliases` | other words by which the palette finds the command (optional) |
//! | `argument KIND => FUNCTION` | kind of argument the palette takes after the name, and the function that takes it (optional) |
//! | `unavailable` | reason why the command has no effect now, if there is one (optional) |
//! | `run` | function that runs the command (none if it only opens a view, or popups and panes alone handle it) |
//!
//! This module expands the list into [`Command`] and [`COMMANDS`], `update::dispatch` into the
//! functions of `run` and `run_with`, `update::availability` into those of `unavailable`. Paths are
//! resolved there.

/// Expands `$expand!` with the list of all commands.
macro_rules! for_each_command {
    ($expand:ident) => {
        $expand! {
            [Down] "down" in Move, "down", "One row down";
                counted true; aliases "scroll move"; run |m| moves::vertical(m, Command::Down);
            [Up] "up" in Move, "up", "One row up";
                counted true; aliases "scroll move"; run |m| moves::vertical(m, Command::Up);
            [First] "first" in Move, "first", "To the first row";
                counted true; aliases "top begin home start"; run |m| moves::vertical(m, Command::First);
            [Last] "last" in Move, "last", "To the last row";
                counted true; aliases "bottom end"; run |m| moves::vertical(m, Command::Last);
            [HalfDown] "half-page-down" in Move, "half page", "Half a page down";
                counted true; aliases "scroll move"; run |m| moves::vertical(m, Command::HalfDown);
            [HalfUp] "half-page-up" in Move, "half page up", "Half a page up";
                counted true; aliases "scroll move"; run |m| moves::vertical(m, Command::HalfUp);
            [PageDown] "page-down" in Move, "page", "One page down";
                counted true; aliases "scroll move"; run |m| moves::vertical(m, Command::PageDown);
            [PageUp] "page-up" in Move, "page up", "One page up";
                counted true; aliases "scroll move"; run |m| moves::vertical(m, Command::PageUp);
            [Left] "left" in Move, "left", "Scroll long lines to the left; in a picture over time: earlier";
                counted true; unavailable no_picture; run |m| moves::sideways(m, Command::Left);
            [Right] "right" in Move, "right", "Scroll long lines to the right; in a picture over time: later";
                counted true; unavailable no_picture; run |m| moves::sideways(m, Command::Right);
            [Open] "open" in Move, "open", "Open the record, the row or the item under the cursor; accept the line";
                counted true; aliases "enter drill select accept"; unavailable open; run |m| (m.view.open)(m);
            [Back] "back" in Move, "back", "Undo the last step, whatever it was: a popup, a filter, another view";
                counted true; aliases "escape close cancel"; run places::back;
            [NextPane] "next-pane" in Move, "pane", "To the next pane";
                counted true; run places::next_pane;
            [PrevPane] "previous-pane" in Move, "back", "A pane back";
                counted true; run places::next_pane;
            [Search] "search" in Find, "search", "Search the messages, or the rows of a table, for a text or for a /pattern/ between slashes";
                counted true; aliases "find grep regex regexp pattern text";
                argument "text or /pattern/" => |m, text| popups::answer(m, PromptKind::Search, text);
                run prompts::open_search;
            [NextHit] "next-hit" in Find, "next", "To the next hit of the search";
                counted true; unavailable not_searched; run |m| find::next_hit(m, Direction::Forward);
            [PrevHit] "previous-hit" in Find, "previous", "To the previous hit of the search";
                counted true; unavailable not_searched; run |m| find::next_hit(m, Direction::Backward);
            [NextError] "next-error" in Find, "error", "To the next error";
                counted true; aliases "failure exception problem";
                run |m| find::severe(m, Level::Error, Direction::Forward);
            [PrevError] "previous-error" in Find, "error back", "To the previous error";
                counted true; aliases "failure exception problem";
                run |m| find::severe(m, Level::Error, Direction::Backward);
            [NextWarning] "next-warning" in Find, "warning", "To the next warning or error";
                counted true; run |m| find::severe(m, Level::Warning, Direction::Forward);
            [PrevWarning] "previous-warning" in Find, "warning back", "To the previous warning or error";
                counted true; run |m| find::severe(m, Level::Warning, Direction::Backward);
            [Mark] "mark" in Find, "mark", "Mark the record, or take the mark away";
                counted true; aliases "bookmark"; unavailable no_record; run find::mark;
            [NextMark] "next-mark" in Find, "next mark", "To the next marked record";
                counted true; aliases "bookmark"; unavailable |m| unless(!m.marks.is_empty(), "nothing is marked");
                run |m| find::next_mark(m, Direction::Forward);
            [Pivot] "pivot" in Select, "pivot", "Show everything with the same value of one of this record's keys";
                aliases "same drill group follow";
                unavailable |m| no_row(m).or_else(|| nothing_listed(m)).or_else(|| no_record(m));
                run popups::open_pivot;
            [PivotOut] "pivot-out" in Select, "leave out", "In tables, the pivot list and the record: leave out what has this value";
                aliases "exclude hide"; unavailable |m| no_row(m).or_else(|| pivot_out(m));
                run table::pivot_out;
            [PivotWhole] "pivot-in-run" in Select, "whole run", "In the pivot list: pick in the whole run, not only in what is selected; again: only there";
                aliases "everywhere all run"; unavailable pivot_in_run; run popups::turn_scope;
            [Filter] "filter" in Select, "filter", "Show only records that fit an expression";
                aliases "where select only expression query level severity grep";
                argument "expression" => |m, text| popups::answer(m, PromptKind::Filter, text);
                run |m| prompts::open_filter(m, "");
            [Undo] "undo" in Select, "undo", "Undo the last change of the selection or of the joins";
                counted true; unavailable |m| unless(m.selection.can_undo(), "there is nothing to undo");
                run undo::undo;
            [Redo] "redo" in Select, "redo", "Redo what was undone";
                counted true; unavailable |m| unless(m.selection.can_redo(), "nothing was undone"); run undo::redo;
            [Repeat] "repeat" in Select, "again", "Run the last command again that searched, selected or changed the view";
                counted true; aliases "dot redo again last"; unavailable no_call; run repeat;
            [Clear] "clear-selection" in Select, "all", "Drop all steps of the selection";
                aliases "reset everything drop";
                unavailable |m| unless(!m.selection.is_all(), "nothing is selected");
                run |m| selection::keep(m, 0);
            [Palette] "palette" in Program, "commands", "Find a command or a key by name";
                aliases "commands run"; run popups::palette;
            [Help] "help" in Program, "help", "All keys and commands, searchable";
                aliases "keys bindings ?"; run popups::help;
            [Copy] "copy" in Program, "copy", "Copy the record to the clipboard (OSC 52)";
                aliases "yank clipboard"; run clipboard::record;
            [Redraw] "redraw" in Program, "redraw", "Draw the whole screen anew";
                run redraw;
            [Suspend] "suspend" in Program, "suspend", "Stop the program until the shell's fg";
                run |_| vec![Effect::Suspend];
            [DeleteBack] "delete-back" in Edit, "delete", "Delete the character before the cursor";
                unavailable edit;
            [DeleteWord] "delete-word" in Edit, "delete word", "Delete the word before the cursor";
                unavailable edit;
            [DeleteForward] "delete-forward" in Edit, "delete", "Delete the character after the cursor";
                unavailable edit;
            [DeleteNextWord] "delete-next-word" in Edit, "delete word", "Delete to the end of the next word";
                unavailable edit;
            [DeleteToStart] "delete-to-start" in Edit, "delete to start", "Delete all before the cursor";
                unavailable edit;
            [DeleteToEnd] "delete-to-end" in Edit, "delete to end", "Delete all behind the cursor";
                unavailable edit;
            [Yank] "yank" in Edit, "insert deleted", "Insert the text that was deleted last";
                aliases "paste kill"; unavailable edit;
            [WordLeft] "word-left" in Edit, "word left", "To the start of the word before the cursor";
                unavailable edit;
            [WordRight] "word-right" in Edit, "word right", "To the end of the word after the cursor";
                unavailable edit;
            [LineStart] "line-start" in Edit, "line start", "To the start of the line";
                unavailable edit;
            [LineEnd] "line-end" in Edit, "line end", "To the end of the line";
                unavailable edit;
            [ViewEvents] "view-events" in View, "events", "View 1: all records of all sources in time order";
                aliases "list log records";
            [ViewHung] "view-hung" in View, "hung", "View 2: what began and never ended";
                aliases "stuck unfinished waiting";
            [ViewDiagnose] "view-diagnose" in View, "diagnose", "What is wrong: findings, worst first, with their evidence and what to do";
                aliases "findings problems wrong errors failures causes doctor"; run findings::open_view;
            [ViewContrast] "view-contrast" in View, "what differs", "What is different about the records selected, against all others; without a selection about errors";
                aliases "difference bubbleup against baseline versus why";
            [ViewRuns] "view-runs" in View, "runs", "The runs, one row each: when, how long, what ended and what did not";
                aliases "directories history trend";
            [ViewCompare] "view-compare" in View, "compare", "What is selected beside the rest, another worker, an earlier selection; two runs; failed work beside the rest";
                aliases "diff two versus side"; argument "expression" => compare::tell;
                unavailable nothing_to_compare; run runs::begin;
            [ViewStates] "view-states" in View, "states", "View 3: how many are in which state, over time";
            [ViewTimeline] "view-timeline" in View, "timeline", "View 4: who did what when";
                aliases "gantt";
            [ViewLatency] "view-latency" in View, "latency", "View 5: where the time goes, step by step; once more: what it went to, waiting for what";
                aliases "steps durations slow"; run plots::view_latency;
            [ViewFlow] "view-flow" in View, "flow", "Messages between actors as a sequence diagram; once more: their kinds, and how long they took";
                aliases "sequence diagram messages arrows requests answers lost actors"; run flow::turn;
            [ViewJoins] "view-joins" in View, "joins", "View 6: which keys imply which";
                run joins::open;
            [ViewEntities] "view-entities" in View, "entities", "View 7: tasks, workers, blocks as tables";
                aliases "tables tasks workers";
            [ViewKeys] "view-keys" in View, "keys", "View 8: keys and their values";
                aliases "fields attributes columns";
            [ViewSources] "view-sources" in View, "sources", "View 9: what was read, how, and what could not be";
                aliases "files";
            [ViewChecks] "view-check" in View, "check", "What records should look like, as the definitions say: each rule, and which records break it";
                aliases "rules lint schema violations broken validate";
            [ViewBeside] "view-beside" in View, "view beside", "A second view beside this one; both have the selection, the time range and the moment in common";
                aliases "split pane window layout"; unavailable |m| split(m, Command::ViewBeside);
                run |m| panes::split(m, Command::ViewBeside);
            [ViewBelow] "view-below" in View, "view below", "A second view below this one";
                aliases "split pane window layout"; unavailable |m| split(m, Command::ViewBelow);
                run |m| panes::split(m, Command::ViewBelow);
            [OtherView] "other-view" in View, "other view", "To the other view on the screen";
                unavailable |m| split(m, Command::OtherView); run |m| panes::split(m, Command::OtherView);
            [SwapViews] "swap-views" in View, "swap", "The two views change places";
                unavailable |m| split(m, Command::SwapViews); run |m| panes::split(m, Command::SwapViews);
            [CloseView] "close-view" in View, "close", "Close this view: the other one has the whole screen";
                unavailable |m| split(m, Command::CloseView); run |m| panes::split(m, Command::CloseView);
            [OnlyView] "only-view" in View, "this alone", "This view alone: close the other one";
                unavailable |m| split(m, Command::OnlyView); run |m| panes::split(m, Command::OnlyView);
            [ViewLarger] "view-larger" in View, "larger", "More room for this view, less for the other";
                counted true; unavailable |m| split(m, Command::ViewLarger);
                run |m| panes::split(m, Command::ViewLarger);
            [ViewSmaller] "view-smaller" in View, "smaller", "Less room for this view, more for the other";
                counted true; unavailable |m| split(m, Command::ViewSmaller);
                run |m| panes::split(m, Command::ViewSmaller);
            [Joins] "joins" in View, "joins", "Join keys: see, switch and add joins";
                run joins::open;
            [RecordPane] "record-pane" in View, "record", "Show or hide the record below the list";
                aliases "detail layout toggle"; run places::record_pane;
            [TimeDisplay] "time-display" in View, "time", "Times as clock, from the start of the run, as steps only, or with steps to the same key";
                aliases "clock relative absolute"; run |m| time::over_time(m, Command::TimeDisplay);
            [Wrap] "wrap" in View, "wrap", "Wrap or cut long lines: of the list, or of the record in its pane";
                aliases "lines long fold"; run rows::wrap;
            [Follow] "follow" in View, "follow", "Follow sources as they grow";
                aliases "tail live pause freeze resume stop hold autoscroll"; run follow::toggle;
            [GotoTime] "goto-time" in Find, "go to time", "Go to a time: 18:03:20, +5s, -2m, 50%, #100 (the 100th row), an epoch, a full date";
                counted true; aliases "jump when clock";
                argument "time" => |m, text| popups::answer(m, PromptKind::Goto, text); unavailable no_record;
                run prompts::open_goto;
            [JumpBack] "jump-back" in Find, "back", "Back to where the cursor was before it jumped to a hit, an error, a mark, a time, an end";
                counted true; aliases "jump list return previous place";
                run |m| jumps::jump(m, Direction::Backward);
            [JumpForward] "jump-forward" in Find, "forth", "Forth again to where the last jump back came from";
                counted true; aliases "jump list next place"; run |m| jumps::jump(m, Direction::Forward);
            [NextSame] "next-same" in Find, "next same", "To the next record with the same value of the key last pivoted on";
                counted true; aliases "follow value"; run |m| same::go(m, Direction::Forward);
            [PrevSame] "previous-same" in Find, "same back", "To the previous record with the same value of the key last pivoted on";
                counted true; aliases "follow value"; run |m| same::go(m, Direction::Backward);
            [Highlight] "highlight" in Select, "highlight", "Mark the records with this value without filtering; again to stop";
                aliases "colour mark value"; run same::highlight;
            [BrushStart] "brush-start" in Select, "from here", "Start the time selection at the record under the cursor";
                aliases "range from until select time"; unavailable no_picture;
                run |m| time::over_time(m, Command::BrushStart);
            [BrushEnd] "brush-end" in Select, "to here", "End the time selection at the record under the cursor";
                aliases "range from until select time"; unavailable no_picture;
                run |m| time::over_time(m, Command::BrushEnd);
            [BrushEarlier] "brush-earlier" in Select, "earlier", "Move the edge of the time selection that was set last to earlier times";
                counted true; aliases "range select time"; unavailable no_picture;
                run |m| time::over_time(m, Command::BrushEarlier);
            [BrushLater] "brush-later" in Select, "later", "Move the edge of the time selection that was set last to later times";
                counted true; aliases "range select time"; unavailable no_picture;
                run |m| time::over_time(m, Command::BrushLater);
            [BrushTake] "brush-filter" in Select, "only selection", "Show only records within the time selection";
                aliases "range between select time"; run |m| time::over_time(m, Command::BrushTake);
            [HideSource] "hide-source" in Select, "hide", "Hide the source of this record, or show it again";
                aliases "mute exclude file"; unavailable no_row; run rows::hide_source;
            [Trail] "trail" in Select, "steps", "To the steps of the selection: drop or edit one of them";
                aliases "steps breadcrumbs edit selection"; run breadcrumb_steps::toggle;
            [RemoveStep] "remove-step" in Select, "remove", "In the breadcrumbs: drop the step under the cursor";
                aliases "delete drop";
            [TimeClock] "time-clock" in View, "clock", "Times as a clock shows them";
                aliases "times delta"; run |m| time::over_time(m, Command::TimeClock);
            [TimeFromStart] "time-from-start" in View, "from start", "Times from the start of the run";
                aliases "times delta"; run |m| time::over_time(m, Command::TimeFromStart);
            [TimeStep] "time-steps" in View, "steps", "Only the step from the row before";
                aliases "times delta"; run |m| time::over_time(m, Command::TimeStep);
            [TimeSameKey] "time-same-key" in View, "same key", "Steps from the record before with the same value of the key last pivoted on";
                aliases "times delta"; run |m| time::over_time(m, Command::TimeSameKey);
            [ShowZone] "time-zone" in View, "zone", "Times in UTC, in the zone of this machine, or in that of the logs";
                aliases "timezone tz utc local clock zulu"; run zone::turn;
            [ZoomIn] "zoom-in" in View, "zoom", "Zoom the overview in: to the time selection, else around the cursor";
                counted true; aliases "overview strip scale"; unavailable no_picture;
                run |m| time::over_time(m, Command::ZoomIn);
            [ZoomOut] "zoom-out" in View, "zoom out", "Show more of the run in the overview";
                counted true; aliases "overview strip scale"; unavailable no_picture;
                run |m| time::over_time(m, Command::ZoomOut);
            [ZoomAll] "zoom-all" in View, "whole run", "Show the whole run in the overview";
                aliases "overview strip scale"; unavailable no_picture;
                run |m| time::over_time(m, Command::ZoomAll);
            [Context] "context" in View, "context", "Context lines around the selected records: of their source, of all sources, none";
                aliases "neighbours around surrounding lines"; unavailable no_context; run rows::next_context;
            [ContextMore] "context-more" in View, "more context", "One more context line on each side";
                counted true; aliases "neighbours around surrounding lines"; unavailable no_context;
                run |m| rows::more_context(m, 1);
            [ContextLess] "context-less" in View, "less context", "One context line less on each side";
                counted true; aliases "neighbours around surrounding lines"; run |m| rows::more_context(m, -1);
            [Unfold] "unfold" in View, "unfold", "Show all lines of the record in the list, or only its first";
                aliases "expand lines multi"; run rows::unfold_record;
            [PrevMark] "previous-mark" in Find, "mark back", "To the previous marked record";
                counted true; aliases "back bookmark";
                unavailable |m| unless(!m.marks.is_empty(), "nothing is marked");
                run |m| find::next_mark(m, Direction::Backward);
            [Note] "note" in Find, "note", "Write a note to the record; an empty one takes it away";
                counted true; aliases "comment annotate remark"; argument "text" => user_files::note_on_current;
                unavailable no_record; run user_files::open_note;
            [Marks] "marks" in Find, "marks", "All marks and notes, to jump to";
                counted true; aliases "bookmarks notes list";
                unavailable |m| unless(!m.marks.is_empty() || !m.user_data.notes.is_empty(), "nothing is marked");
                run popups::marks;
            [Messages] "messages" in Program, "messages", "Message log: past notifications, the newest last";
                aliases "log notices status said errors history"; run notifications::open;
            [Forget] "forget" in Find, "forget", "In the list of marks: take mark and note away";
                counted true; aliases "delete remove unmark"; unavailable forget; run popups::forget;
            [SearchOn] "search-on" in Find, "search on", "Search, or go on to the next hit";
                counted true; aliases "isearch"; run find::search_on;
            [SearchSubject] "search-subject" in Find, "same", "Search for what this record is about";
                counted true; aliases "star word identifier"; unavailable no_record;
                run |m| find::subject(m, Direction::Forward);
            [SearchSubjectBack] "search-subject-back" in Find, "same back", "The same, backwards";
                counted true; aliases "hash word identifier"; unavailable no_record;
                run |m| find::subject(m, Direction::Backward);
            [CursorTop] "cursor-to-top" in Move, "to top", "Scroll so that the cursor stands at the top";
                counted true; aliases "recenter"; run |m| moves::scroll(m, Command::CursorTop);
            [CursorMiddle] "cursor-to-middle" in Move, "to middle", "Scroll so that the cursor stands in the middle";
                counted true; aliases "recenter center centre"; run |m| moves::scroll(m, Command::CursorMiddle);
            [CursorBottom] "cursor-to-bottom" in Move, "to bottom", "Scroll so that the cursor stands at the bottom";
                counted true; aliases "recenter"; run |m| moves::scroll(m, Command::CursorBottom);
            [ScrollDown] "scroll-down" in Move, "scroll", "Scroll by a row, the cursor stays on its record";
                counted true; aliases "line"; run |m| moves::scroll(m, Command::ScrollDown);
            [ScrollUp] "scroll-up" in Move, "scroll back", "Scroll back by a row, the cursor stays on its record";
                counted true; aliases "line"; run |m| moves::scroll(m, Command::ScrollUp);
            [RecordRight] "record-right" in View, "right", "The record to the right of the list";
                aliases "layout split vertical side pane"; run user_files::record_right;
            [RecordBelow] "record-below" in View, "below", "The record below the list";
                aliases "layout split horizontal bottom pane"; run user_files::record_below;
            [RecordHidden] "record-hidden" in View, "list only", "The list alone, without the record";
                aliases "layout close pane zoom"; run user_files::hide_record;
            [RecordWider] "record-larger" in View, "larger", "More room for the record";
                counted true; aliases "layout grow wider taller resize split";
                run |m| user_files::resize(m, user_files::STEP);
            [RecordNarrower] "record-smaller" in View, "smaller", "Less room for the record";
                counted true; aliases "layout shrink narrower shorter resize split";
                run |m| user_files::resize(m, -user_files::STEP);
            [Mouse] "mouse" in Program, "mouse", "Give the mouse to the terminal, for selecting text, or take it again";
                aliases "capture select"; run user_files::toggle_mouse;
            [ChooseTheme] "theme" in Program, "theme", "Other colours";
                aliases "colors colours dark light scheme"; argument "theme" => popups::wear;
                run popups::themes;
            [ChooseKeymap] "keymap" in Program, "keymap", "Other keys";
                aliases "keys bindings vim emacs"; argument "keymap" => popups::press_by; run popups::keymaps;
            [CopyValue] "copy-value" in Program, "copy value", "Copy the value under the cursor, one of the record's, or a cell of the row";
                aliases "yank clipboard cell"; run clipboard::value;
            [CopyJson] "copy-json" in Program, "copy JSON", "Copy the record as a line of JSON";
                aliases "yank clipboard export"; unavailable no_record; run clipboard::json;
            [CopyPath] "copy-path" in Program, "copy path", "Copy the path of the record's file, or of the source under the cursor";
                aliases "yank clipboard file name source editor"; unavailable no_record; run clipboard::path;
            [CopyId] "copy-id" in Program, "copy id", "Copy the id of the instance under the cursor, as an expression";
                aliases "yank clipboard task worker name key"; unavailable no_instance; run clipboard::id;
            [CopyTitle] "copy-title" in Program, "copy title", "Copy the title of the run, as the first line begins";
                aliases "yank clipboard name header breadcrumb"; run clipboard::title;
            [CopyCommand] "copy-command" in Program, "copy command", "Copy the command line that shows the same";
                aliases "yank clipboard shell share reproduce"; unavailable |m| m.user_data.opened.why_not;
                run clipboard::command_line;
            [SaveWorkspace] "save-workspace" in Program, "save", "Save marks, notes, selection and view now";
                aliases "write store session"; run user_files::save;
            [RestoreWorkspace] "restore-workspace" in Program, "restore", "Marks, notes, selection and view as they were saved";
                aliases "load session read";
                unavailable |m| unless(m.user_data.offer.is_some(), "no workspace of this run was saved");
                run user_files::restore_saved;
            [Quit] "quit" in Program, "quit", "Undo the last step, whatever it was; at the start, leave the program";
                aliases "exit leave close back return"; run places::quit;
            [Leave] "leave" in Program, "leave", "Leave the program, whatever is open";
                aliases "q exit"; run |_| vec![Effect::Quit];
            [ViewTemplates] "view-templates" in View, "templates", "Messages with their variable parts taken out, counted";
            [Frequency] "frequency" in View, "values", "The values of this key, counted";
                run table::frequency;
            [SortNext] "sort-right" in View, "sort", "Order the table by the next column; beyond the last by its own order";
                counted true; unavailable no_row; run |m| tables::sort(m, Command::SortNext);
            [SortPrev] "sort-left" in View, "sort back", "Order the table by the column before";
                counted true; run |m| tables::sort(m, Command::SortPrev);
            [SortTurn] "sort-turn" in View, "turn order", "Turn the order of the table round";
                unavailable no_row; run |m| tables::sort(m, Command::SortTurn);
            [Shift] "shift-source" in View, "shift", "Shift the times of a source whose clock was wrong, in the table of sources";
                run shift::open;
            [Trace] "trace" in View, "about it", "Trace of the task or other instance under the cursor: its events and the time between them";
                argument "entity and id" => name_lookup::tell;
                unavailable |m| no_row(m).or_else(|| nothing_listed(m)); run instance_views::trace;
            [FilterRows] "only-rows" in Find, "only rows with", "In tables: show only the rows that have these words";
                counted true; aliases "narrow words grep less";
                unavailable |m| unless(m.view.is_table(), "only in tables"); run popups::filter_rows;
            [Switch] "switch-join" in Select, "on or off", "Switch the join under the cursor on or off";
                run joins::switch_current;
            [NewJoin] "new-join" in View, "new join", "Build a join: events with the same of some keys get other keys from each other";
                run join_builder::begin;
            [Draft] "draft-definition" in Program, "draft", "Write a first definition for the logs that none knows to your own ones, as `widetui systems draft` does";
                aliases "teach define definition format system parser learn layout";
                unavailable nothing_to_draft; run sources::open_draft;
            [NameKeys] "name-keys" in Select, "name", "Give names to what varies in this message, or to parts of this key's values: they become keys of all such records";
                run reading::name;
            [AddConstant] "add-constant" in Select, "constant", "Give the selected records a key with a value of your own, or one made of other keys (`mysim.at = {host}:{pid}`)";
                run reading::constant;
            [TypeConstant] "type-constant" in Select, "constant", "Give all records, or those of a source, a key with a value: mysim.site = north @ worker_1.log";
                argument "line" => |m, text| reading::tell(m, TypedJoin::Constant, text);
                run |m| reading::typed(m, TypedJoin::Constant);
            [TypeRename] "type-rename" in Select, "rename", "Give the values of a key to another one, too: item = mysim.job";
                argument "line" => |m, text| reading::tell(m, TypedJoin::Rename, text);
                run |m| reading::typed(m, TypedJoin::Rename);
            [TypeImply] "type-imply" in Select, "imply", "State which keys imply which: mysim.run, mysim.job => mysim.node";
                argument "line" => |m, text| reading::tell(m, TypedJoin::Imply, text);
                run |m| reading::typed(m, TypedJoin::Imply);
            [TypeBracket] "type-bracket" in Select, "bracket", "Join a thread's records between two messages: \"begin\" .. \"end\" => mysim.job";
                argument "line" => |m, text| reading::tell(m, TypedJoin::Bracket, text);
                run |m| reading::typed(m, TypedJoin::Bracket);
            [ApplyJoin] "apply-join" in Select, "apply", "Put the join that is being built, or the suggested one, in force";
                run join_builder::apply;
            [SaveJoin] "save-join" in Select, "save", "Put the join in force, and write it to your own definitions";
                run join_builder::save;
            [ViewSpans] "view-spans" in View, "durations", "Durations: a histogram, the longest, percentiles by any key";
                aliases "duration histogram percentiles slowest how long";
            [ViewDag] "view-dag" in View, "dependencies", "Dependencies: which waits for which, and the critical path";
                aliases "dag graph tree parents children waits for critical path";
                unavailable no_dependencies; run plots::view_dag;
            [ViewThroughput] "view-throughput" in View, "throughput", "How many finish, over time: the rate, and the numbers by any key";
                aliases "rate finished completed per second done speed";
            [ViewSeries] "view-series" in View, "numbers", "A numeric key over time, grouped by any other key";
                aliases "series plot graph metric gauge measurement queue";
                argument "key" => |m, text| choices::tell(m, Command::ViewSeries, text);
                run plots::view_series;
            [PlotEntity] "entity" in View, "entity", "States, timeline, latency and durations of another entity";
                aliases "kind type task";
                argument "entity" => |m, text| choices::tell(m, Command::PlotEntity, text);
                unavailable no_picture; run plots::choose_entity;
            [PlotBy] "group-by" in View, "group", "Group rows, lines or durations by another key";
                aliases "split rows lanes worker";
                argument "key" => |m, text| choices::tell(m, Command::PlotBy, text);
                unavailable |m| no_picture(m).or_else(|| no_split(m)); run plots::choose_split;
            [SpanStart] "span-start" in View, "spans start", "Durations are counted from records like this one (or from what fits a filter) to those where spans end";
                aliases "between two messages how long mark concurrency";
                argument "expression" => |m, text| span_marks::tell(m, Command::SpanStart, text);
                run |m| span_marks::mark_here(m, Command::SpanStart);
            [SpanEnd] "span-end" in View, "spans end", "Durations are counted to records like this one (or to what fits a filter), from those where spans start";
                aliases "between two messages how long mark concurrency";
                argument "expression" => |m, text| span_marks::tell(m, Command::SpanEnd, text);
                run |m| span_marks::mark_here(m, Command::SpanEnd);
            [PairBy] "pair-by" in View, "pair", "Which end belongs to which start: the one with the same value of a key";
                aliases "spans key join match";
                argument "key" => |m, text| choices::tell(m, Command::PairBy, text); run plots::choose_pairing;
            [PlotColour] "colour-by" in View, "colours", "Colour the bars of the timeline by another key";
                aliases "color state app";
                argument "key" => |m, text| choices::tell(m, Command::PlotColour, text);
                unavailable |m| no_picture(m).or_else(|| not_timeline(m)); run plots::choose_colour;
            [AddCurve] "add-curve" in View, "add curve", "Add a curve to the overview: a numeric key, a state (mysim.job:running), running instances (mysim.job)";
                aliases "sparkline plot queue state number count";
                argument "curve" => |m, text| choices::tell(m, Command::AddCurve, text);
                run |m| choices::offer(m, Command::AddCurve);
            [DropCurve] "drop-curve" in View, "drop curve", "Remove a curve from the overview";
                aliases "sparkline remove delete";
                argument "curve" => |m, text| choices::tell(m, Command::DropCurve, text);
                run |m| choices::offer(m, Command::DropCurve);
            [Export] "export" in View, "write", "Write to files: records as JSON lines, CSV or text, a picture as SVG, its numbers or the table as CSV, a page as text, or a report of the selection as HTML or Markdown";
                aliases "write save file svg csv jsonl txt log html markdown image figure table records report";
                argument "file name" => |m, text| export::write(m, text.trim()); run export::open;
            [PlotsWith] "plots" in View, "plots", "Draw pictures with braille, blocks or ASCII";
                aliases "dots font characters unicode";
                argument "characters" => |m, text| choices::tell(m, Command::PlotsWith, text);
                run |m| choices::offer(m, Command::PlotsWith);
            [NextBar] "next-bar" in Move, "next bar", "To the start of the next bar of the row";
                counted true; aliases "gantt timeline"; unavailable |m| no_row(m).or_else(|| not_timeline(m));
                run |m| plots::beside(m, Direction::Forward);
            [PrevBar] "previous-bar" in Move, "bar back", "To the start of the bar before";
                counted true; aliases "gantt timeline"; unavailable |m| no_row(m).or_else(|| not_timeline(m));
                run |m| plots::beside(m, Direction::Backward);
        }
    };
}
pub(crate) use for_each_command;

macro_rules! define_commands {
    ($(
        [$command:ident] $name:literal in $topic:ident, $hint:literal, $summary:literal;
        $(counted $counted:literal;)?
        $(aliases $aliases:literal;)?
        $(argument $argument:literal => $run_with:expr;)?
        $(unavailable $unavailable:expr;)?
        $(run $run:expr;)?
    )*) => {
        /// Command of the explorer, run by keys, the mouse or the palette.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $summary] $command,)*
        }

        /// All commands, in the order of the help.
        pub static COMMANDS: &[CommandInfo] = &[$(CommandInfo {
            command: Command::$command,
            name: $name,
            topic: Topic::$topic,
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
