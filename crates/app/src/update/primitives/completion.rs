//! Completions in a line of a filter or of a typed join: requested at every change, listed above the line, and chosen with Tab
//! and arrow keys.

use std::sync::Arc;

use crate::model::Model;
use crate::msg::Effect;
use crate::popups::{Completions, Prompt, PromptKind, TextInput};
use widetui_core::direction::Direction;
use widetui_join::TypedJoin;
use widetui_query::{Completion, KeyStat};
use widetui_session::jobs::Question;

use super::questions::ask;

/// Open prompt with completions.
pub(in crate::update) fn filter(model: &mut Model) -> Option<&mut Prompt> {
    let prompt = model.popup_of_mut::<Prompt>()?;
    let is_completed = prompt.kind.is_filter() || matches!(prompt.kind, PromptKind::Typed(_));
    is_completed.then_some(prompt)
}

/// Names offered first in a renaming: keys that no definition knows, and behind the sign those by which work items are named.
fn preferred_names(model: &Model) -> Vec<String> {
    let prompt = model.popup_of::<Prompt>();
    let Some(prompt) = prompt.filter(|p| p.kind == PromptKind::Typed(TypedJoin::Rename)) else {
        return Vec::new();
    };
    if prompt.line.before().contains('=') {
        let entities = model.meaning.entities.iter().filter(|e| e.is_work_item());
        return entities
            .filter_map(|e| e.id.first()?.last().cloned())
            .collect();
    }
    let keys = model.snapshot.catalog.keys.iter();
    let unknown = keys.filter(|view| !view.key.is_defined());
    unknown.map(|view| view.key.name.to_string()).collect()
}

/// Start of the word before the cursor of a typed join.
fn word_start(line: &TextInput) -> usize {
    let before = line.before();
    let is_end = |c: char| c.is_whitespace() || [',', '=', '>', '@', '{'].contains(&c);
    before.rfind(is_end).map_or(0, |at| at + 1)
}

/// Beginning of an expression that only names of keys complete.
const BEFORE_KEY: &str = "has ";

/// Requests the completions at the cursor, after statistics of the keys if these are not known yet.
pub(in crate::update) fn ask_again(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = filter(model) else {
        return Vec::new();
    };
    prompt.offers.chosen = None;
    let (mut text, mut at) = (prompt.line.text.clone(), prompt.line.at);
    if !prompt.kind.is_filter() {
        text = format!(
            "{BEFORE_KEY}{}",
            &prompt.line.before()[word_start(&prompt.line)..]
        );
        at = text.len();
    }
    match model.key_stats.clone() {
        Some(stats) => vec![ask(model, Question::Complete(text, at, stats))],
        None => vec![ask(model, Question::KeyStats)],
    }
}

/// Stores the statistics of the run's keys, and requests completions.
pub(in crate::update) fn stats_counted(model: &mut Model, stats: Arc<[KeyStat]>) -> Vec<Effect> {
    model.key_stats = Some(stats);
    ask_again(model)
}

/// Shows completions above the line.
pub(in crate::update) fn offered(model: &mut Model, mut items: Vec<Completion>) {
    let first = preferred_names(model);
    let Some(prompt) = filter(model) else {
        return;
    };
    if !prompt.kind.is_filter() {
        items.sort_by_key(|c| !first.contains(&c.text));
        let range = word_start(&prompt.line)..prompt.line.at;
        items.retain(|c| c.replace.start >= BEFORE_KEY.len());
        items.iter_mut().for_each(|c| c.replace = range.clone());
    }
    // A single completion that is already typed adds nothing.
    let typed = |c: &Completion| prompt.line.text.get(c.replace.clone()) == Some(c.text.as_str());
    let is_done = items.len() == 1 && items.first().is_some_and(typed);
    prompt.offers = Completions {
        items: if is_done { Vec::new() } else { items },
        chosen: None,
        typed: prompt.line.clone(),
    };
}

/// Inserts the next or previous completion into the line. The cycle passes through the line as typed,
/// before the first completion and after the last.
pub(in crate::update) fn choose(model: &mut Model, direction: Direction) {
    let Some(prompt) = filter(model) else {
        return;
    };
    let places = prompt.offers.items.len() + 1;
    let now = prompt.offers.chosen.map_or(0, |at| at + 1);
    let to = match direction {
        Direction::Forward => now + 1,
        Direction::Backward => now + places - 1,
    } % places;
    put(prompt, to.checked_sub(1));
}

/// Restores the line as typed; returns whether a completion was inserted.
pub(in crate::update) fn give_up(model: &mut Model) -> bool {
    match filter(model) {
        Some(prompt) if prompt.offers.chosen.is_some() => {
            put(prompt, None);
            true
        }
        _ => false,
    }
}

/// Sets the line to the typed text with the chosen completion; `None` restores the typed text.
pub(in crate::update) fn put(prompt: &mut Prompt, chosen: Option<usize>) {
    let offers = &mut prompt.offers;
    let item = chosen.and_then(|at| offers.items.get(at));
    offers.chosen = chosen.filter(|_| item.is_some());
    prompt.line = offers.typed.clone();
    let Some(item) = item else { return };
    // The completions belong to the line as typed, so their byte ranges apply to it.
    if prompt.line.text.get(item.replace.clone()).is_some() {
        let mut line = TextInput::new(&prompt.line.text);
        line.text.replace_range(item.replace.clone(), &item.text);
        line.go_to(item.replace.start + item.text.len());
        prompt.line = line;
    }
}
