//! The only writer of the model: a message comes in, the model changes, effects go out. No I/O, no clock, no terminal.

mod availability;
mod choices;
mod clipboard;
mod command;
mod complete;
mod data;
mod export;
mod find;
mod findings;
mod flow;
mod follow;
mod joins;
mod keep;
mod line;
mod lists;
mod moves;
pub(crate) mod names;
mod newjoin;
mod plots;
mod rows;
mod runs;
mod same;
mod select;
mod shift;
mod table;
mod things;
mod time;
mod trail;

use crate::workspace::jobs::Question;

use super::action::Action;
use super::hit::Target;
use super::keymap::Resolution;
use super::keys::Key;
use super::model::{Came, Model, Notice, Pane, View};
use super::msg::{Effect, Msg};
use super::popups::Popup;

pub use availability::why_not;
pub use keep::session;
pub use things::is_ticking;

/// Takes in what happened; says what is to be done outside.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = take_in(model, msg);
    effects.extend(same::keep_up(model));
    effects.extend(plots::keep_up(model));
    effects.extend(findings::keep_up(model));
    effects
}

fn take_in(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) => press(model, key),
        Msg::Do(action) => {
            model.message = None;
            act(model, action)
        }
        Msg::Paste(text) => line::paste(model, &text),
        Msg::Click(target) => click(model, target),
        Msg::RightClick(target) => right_click(model, target),
        Msg::Drag(target) => moves::drag(model, target),
        Msg::DragSplit(column, row) => keep::drag(model, column, row),
        Msg::Release => {
            model.events.dragged_from = None;
            model.kept.is_dragging = false;
            Vec::new()
        }
        Msg::Wheel(target, rows) => moves::wheel(model, target, rows),
        Msg::Resize(columns, rows) => data::resize(model, columns, rows),
        Msg::Load(load) => {
            let mut effects = data::load(model, load);
            effects.extend(things::look(model));
            effects
        }
        Msg::Answer(slot, generation, answer) => {
            if !model.generations.is_last(slot, generation) {
                return Vec::new();
            }
            let mut effects = data::answer(model, answer);
            effects.extend(things::look(model));
            effects
        }
        Msg::Table(generation, rows) => table::arrived(model, generation, rows),
        Msg::Texts(fetched) => data::texts(model, fetched),
        Msg::Workspace(found) => keep::found(model, found),
        Msg::Tick(clock) => things::tick(model, clock),
    }
}

/// Takes in a key: as text where a line is being written, as a letter of the pivot list, else by the keymap.
fn press(model: &mut Model, key: Key) -> Vec<Effect> {
    model.message = None;
    if model.pending.is_empty()
        && let Some(c) = key.typed()
    {
        if let Some(line) = model.popup.as_mut().and_then(Popup::line) {
            line.insert(c);
            return line::changed(model);
        }
        if let Some(effects) = select::pick_letter(model, c) {
            return effects;
        }
    }
    let mut keys = std::mem::take(&mut model.pending);
    let follows = !keys.is_empty();
    keys.push(key);
    match model.keymap.resolve(&model.scopes(), &keys) {
        Resolution::Run(action) => act(model, action),
        Resolution::Pending(_) => {
            model.pending = keys;
            Vec::new()
        }
        Resolution::Nothing => {
            // Escape only gives up the sequence.
            if follows
                && model.keymap.bound(super::keymap::KeyScope::Global, key) != Some(Action::Back)
            {
                let keys: Vec<String> = keys.iter().map(Key::to_string).collect();
                say(model, format!("{} is not bound", keys.join(" ")));
            }
            Vec::new()
        }
    }
}

/// Does an action.
fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    use Action as A;
    if let Some(effects) = line::act(model, action).or_else(|| trail::act(model, action)) {
        return effects;
    }
    match action {
        A::Mark if model.view == View::Runs => runs::mark(model),
        A::NextPane | A::Unfold | A::Left | A::Right if model.view == View::Diagnose => {
            findings::act(model, action)
        }
        A::NextPane if model.view.is_flow() => flow::turn(model),
        A::Down
        | A::Up
        | A::First
        | A::Last
        | A::HalfDown
        | A::HalfUp
        | A::PageDown
        | A::PageUp
        | A::Left
        | A::Right => moves::act(model, action),
        A::Open => open(model),
        A::Back => back(model),
        A::NextPane => {
            model.popup = None;
            model.pane = match model.pane {
                Pane::List if model.view.has_detail() => Pane::Record,
                _ => Pane::List,
            };
            moves::settle(model);
            Vec::new()
        }
        A::Pivot => select::open_pivot(model),
        A::PivotOut if model.popup.is_none() && model.view.is_table() => table::leave_out(model),
        A::PivotOut => select::pick(model, select::Sense::Out),
        A::Frequency => table::frequency(model),
        A::Shift => shift::open(model),
        A::SortNext | A::SortPrev | A::SortTurn => table::sort(model, action),
        A::Highlight | A::NextSame | A::PrevSame => same::act(model, action),
        A::Trail => trail::toggle(model),
        // Only in the trail.
        A::RemoveStep => Vec::new(),
        A::GotoTime => line::open_goto(model),
        A::Filter => line::open_filter(model, ""),
        A::Search if model.view.is_table() => line::open_rows(model),
        A::Search => line::open_search(model),
        A::Undo => select::undo(model),
        A::Redo => select::redo(model),
        A::Clear => select::keep(model, 0),
        A::NextHit
        | A::PrevHit
        | A::NextError
        | A::PrevError
        | A::NextWarning
        | A::PrevWarning
        | A::Mark
        | A::NextMark
        | A::PrevMark
        | A::SearchOn
        | A::SearchSubject
        | A::SearchSubjectBack => {
            show(model, View::Events);
            find::act(model, action)
        }
        A::ViewEvents => show(model, View::Events),
        A::ViewKeys => show(model, View::Keys),
        A::ViewTemplates => show(model, View::Templates),
        A::ViewSources => show(model, View::Sources),
        A::ViewHung => show(model, View::Hung),
        A::ViewDiagnose => findings::open_view(model),
        A::ViewContrast => show(model, View::Contrast),
        A::ViewRuns => show(model, View::Runs),
        A::ViewCompare => runs::compare(model),
        A::ViewFlow => flow::turn(model),
        A::ViewEntities => show(model, View::Entities),
        A::ViewJoins | A::Joins => joins::open(model),
        A::Trace => things::trace(model),
        A::Switch => joins::switch_current(model),
        A::NewJoin => newjoin::begin(model),
        A::ApplyJoin => newjoin::apply(model),
        A::SaveJoin => newjoin::save(model),
        A::ViewStates
        | A::ViewTimeline
        | A::ViewLatency
        | A::ViewSpans
        | A::ViewSeries
        | A::PlotEntity
        | A::PlotBy
        | A::PlotColour
        | A::AddCurve
        | A::DropCurve
        | A::PlotsWith
        | A::NextBar
        | A::PrevBar => plots::act(model, action),
        A::Export => export::open(model),
        A::Follow => follow::toggle(model),
        A::TimeDisplay
        | A::TimeClock
        | A::TimeFromStart
        | A::TimeStep
        | A::TimeSameKey
        | A::BrushStart
        | A::BrushEnd
        | A::BrushEarlier
        | A::BrushLater
        | A::BrushTake
        | A::ZoomIn
        | A::ZoomOut
        | A::ZoomAll => {
            let is_time = matches!(action, A::TimeDisplay | A::TimeClock | A::TimeFromStart);
            let stays = model.view.is_over_time()
                || (is_time && (model.view.is_plotted() || model.view.is_flow()));
            if !stays {
                show(model, View::Events);
            }
            time::act(model, action)
        }
        A::HideSource if model.view == View::Sources => rows::act(model, action),
        A::Wrap => rows::act(model, action),
        A::Unfold | A::HideSource | A::Context | A::ContextMore | A::ContextLess => {
            show(model, View::Events);
            rows::act(model, action)
        }
        A::RecordPane => {
            model.record.shown = !model.record.shown;
            model.pane = Pane::List;
            moves::settle(model);
            Vec::new()
        }
        A::Palette => lists::palette(model),
        A::Help => lists::help(model),
        A::Marks => lists::marks(model),
        A::ChooseTheme => lists::themes(model),
        A::ChooseKeymap => lists::keymaps(model),
        A::Copy | A::CopyValue | A::CopyJson | A::CopyCommand => clipboard::act(model, action),
        A::Note
        | A::Forget
        | A::RecordRight
        | A::RecordBelow
        | A::RecordHidden
        | A::RecordWider
        | A::RecordNarrower
        | A::Mouse
        | A::SaveWorkspace
        | A::RestoreWorkspace => keep::act(model, action),
        A::CursorTop | A::CursorMiddle | A::CursorBottom | A::ScrollDown | A::ScrollUp => {
            moves::scroll(model, action)
        }
        // Only where a line is written.
        A::DeleteBack | A::DeleteWord => Vec::new(),
        A::Redraw => {
            model.texts = super::texts::TextCache::default();
            vec![Effect::Redraw]
        }
        A::Suspend => vec![Effect::Suspend],
        A::Quit => vec![Effect::Quit],
    }
}

fn show(model: &mut Model, view: View) -> Vec<Effect> {
    model.popup = None;
    if model.view != view {
        if view == View::Events {
            plots::leave(model);
        }
        model.view = view;
        model.came = None;
        model.pane = Pane::List;
        model.record.top = 0;
        moves::settle(model);
    }
    table::refresh(model)
}

/// Looks closer at what is under the cursor. Out of views that tell of the run as a whole one comes back to where one was.
fn open(model: &mut Model) -> Vec<Effect> {
    let (from, steps) = (model.view, model.selection.steps().to_vec());
    let effects = closer(model);
    if model.view == View::Events && from.is_come_back_to() {
        let depth = model.selection.steps().len();
        model.came = Some(Came { from, steps, depth });
    }
    effects
}

fn closer(model: &mut Model) -> Vec<Effect> {
    match model.view {
        View::Events if model.events.brush.is_some() && model.pane == Pane::List => {
            time::take(model)
        }
        // In the record the key under the cursor is what one looks closer at.
        View::Events if model.pane == Pane::Record => select::open_pivot(model),
        View::Events => {
            if !model.is_empty() {
                model.pane = Pane::Record;
                moves::settle(model);
            }
            Vec::new()
        }
        View::Hung => things::open_hung(model),
        View::Diagnose => findings::open(model),
        View::NewJoin => newjoin::turn(model),
        view if view.is_over_time() && model.events.brush.is_some() => time::take(model),
        View::Timeline => plots::open(model).unwrap_or_else(|| table::open(model)),
        _ => table::open(model),
    }
}

/// Back by one: out of the record, out of the view, out of the last step of the selection.
fn back(model: &mut Model) -> Vec<Effect> {
    if complete::give_up(model) || table::drop_filter(model) || model.popup.take().is_some() {
        return Vec::new();
    }
    if model.pane != Pane::List {
        model.pane = Pane::List;
        moves::settle(model);
        return Vec::new();
    }
    if model.view.is_over_time() && model.events.brush.take().is_some() {
        return Vec::new();
    }
    if model.view.is_table() {
        return table::back(model);
    }
    if model.view == View::Diagnose
        && let Some(effects) = findings::give_up(model)
    {
        return effects;
    }
    if matches!(model.view, View::Hung | View::Diagnose) {
        return show(model, View::Events);
    }
    if model.events.brush.take().is_some() {
        return Vec::new();
    }
    if model.events.context.is_some() {
        return rows::show(model, None);
    }
    if model.events.highlight.is_some() {
        return same::stop(model);
    }
    if !model.search.line.is_empty() {
        model.search = super::model::TextSearch::default();
        return Vec::new();
    }
    if let Some(came) = model.came.take() {
        if model.selection.steps().len() <= came.depth {
            let mut effects = select::replace_all(model, came.steps);
            effects.extend(show(model, came.from));
            return effects;
        }
        model.came = Some(came);
    }
    if !model.selection.is_all() {
        return select::keep(model, model.selection.steps().len() - 1);
    }
    let keys = model.keymap.keys_of(&model.scopes(), Action::Quit);
    say(
        model,
        format!("{} leaves", keys.as_deref().unwrap_or("quit")),
    );
    Vec::new()
}

fn click(model: &mut Model, target: Target) -> Vec<Effect> {
    model.message = None;
    // A sequence of keys ends with a click, unless it is on one of the keys that can follow.
    if !matches!(target, Target::Press(_)) {
        model.pending.clear();
    }
    match target {
        Target::Hint(action) => act(model, action),
        Target::Press(key) => press(model, key),
        Target::Step(count) => select::keep(model, count),
        Target::PopupRow(row) => line::click(model, row),
        Target::Popup => Vec::new(),
        Target::Split => {
            model.kept.is_dragging = model.popup.is_none();
            Vec::new()
        }
        Target::Row(_)
        | Target::List
        | Target::Record
        | Target::TableRow(_)
        | Target::TableHead(_)
        | Target::Stretch(_)
        | Target::Lane(..)
        | Target::Bar(_) => {
            // Beside an open popup a click closes it.
            if model.popup.take().is_some() {
                return Vec::new();
            }
            moves::click(model, target)
        }
    }
}

/// A row that is pointed at with the other button says by what it can be pivoted on.
fn right_click(model: &mut Model, target: Target) -> Vec<Effect> {
    let is_row = matches!(target, Target::Row(_) | Target::TableRow(_));
    if !is_row || model.popup.is_some() {
        return click(model, target);
    }
    model.message = None;
    model.pending.clear();
    moves::point(model, target);
    act(model, Action::Pivot)
}

/// Asks a question; its answer counts as long as no later one of its kind is asked.
fn ask(model: &mut Model, question: Question) -> Effect {
    Effect::Ask {
        generation: model.generations.next(question.slot()),
        snapshot: model.snapshot.clone(),
        question,
    }
}

fn say(model: &mut Model, text: String) {
    model.message = Some(Notice {
        text,
        is_alert: false,
    });
}

fn alert(model: &mut Model, text: String) {
    model.message = Some(Notice {
        text,
        is_alert: true,
    });
}
