//! Prompt for extraction rules: names for the variable parts of a template or of a key's values, constants for the selected
//! records, and composed keys. The rule is previewed while the user types.

use std::sync::Arc;

use crate::model::Model;
use crate::msg::Effect;
use crate::popups::{Prompt, PromptKind};
use crate::under_cursor;
use crate::view_state::{ExtractionDraft, ExtractionSource};
use widetui_format::catalog::Shape;
use widetui_format::pattern::Pattern;
use widetui_join::{
    Composition, ExtractionPreview, ExtractionRule, Join, JoinRule, Receivers, TypedJoin,
};
use widetui_query::{Expr, Field, QueryError};
use widetui_session::jobs::Question;
use widetui_store::EventRef;
use widetui_tables::table::RowAction;

use super::joins;
use super::primitives::notices::say;
use super::primitives::prompts;
use super::primitives::questions::ask;

/// Opens the extraction prompt for the key under the cursor, otherwise for the message of the record or template.
pub(super) fn name(model: &mut Model) -> Vec<Effect> {
    let subject = (model.view.extraction)(model);
    let Some(subject) = subject else {
        return say(
            model,
            "names are given to what varies in a record's message, in a template or in a key's values",
        );
    };
    let text = match &subject {
        ExtractionSource::Template { pattern, .. } => pattern.clone(),
        _ => "{}".to_owned(),
    };
    open(model, subject, &text)
}

/// Returns the key under the cursor of the record pane, otherwise the message of the record.
pub(super) fn of_record(model: &Model) -> Option<ExtractionSource> {
    match under_cursor::pivot_row_in_record(model) {
        Some(row) => Some(ExtractionSource::Key(row.key)),
        None => template(&model.current()?),
    }
}

/// Returns the key under the cursor of a table.
pub(super) fn key_of_row(model: &Model) -> Option<ExtractionSource> {
    match &model.table()?.current()?.action {
        RowAction::Values(Field::Key(name)) => Some(ExtractionSource::Key(name.clone())),
        _ => None,
    }
}

/// Returns the template of a record's message, and its pattern with empty braces as variable parts.
fn template(event: &EventRef<'_>) -> Option<ExtractionSource> {
    let text = event.template()?.text.to_string();
    let pattern = pattern_of(event.shape()?);
    Some(ExtractionSource::Template { text, pattern })
}

/// Returns the template under the cursor, with the pattern of its first shape.
pub(super) fn template_of_row(model: &Model) -> Option<ExtractionSource> {
    let same = &model.table()?.current()?.pivots;
    let text = same.iter().find(|same| same.field == Field::Template);
    let text = text.map(|same| same.value.clone())?;
    let (shapes, templates) = (
        &model.snapshot.catalog.shapes,
        &model.snapshot.catalog.templates,
    );
    let is_wanted = |shape: &&Arc<Shape>| {
        let template = templates.get(shape.template.index());
        template.is_some_and(|t| *t.text == *text)
    };
    let pattern = pattern_of(shapes.iter().find(is_wanted)?);
    Some(ExtractionSource::Template { text, pattern })
}

/// Pattern of a shape: its literals, with empty braces for the variable parts.
fn pattern_of(shape: &Shape) -> String {
    let parts = shape.literals.iter().map(|part| {
        let text = String::from_utf8_lossy(part);
        text.replace('{', "{{").replace('}', "}}")
    });
    parts.collect::<Vec<String>>().join("{}")
}

/// Opens the extraction prompt for a constant or a composed key of the selected records.
pub(super) fn constant(model: &mut Model) -> Vec<Effect> {
    let steps = model.selection.steps().iter().map(|s| s.expr.clone());
    let only = (!model.selection.is_all()).then(|| Expr::all_of(steps));
    open(model, ExtractionSource::Selected(only), "")
}

fn open(model: &mut Model, subject: ExtractionSource, text: &str) -> Vec<Effect> {
    let kind = match &subject {
        ExtractionSource::Typed(kind) => PromptKind::Typed(*kind),
        _ => PromptKind::Extraction,
    };
    model.joins.reading = Some(ExtractionDraft {
        subject,
        trial: None,
        widened: None,
    });
    let effects = prompts::open(model, kind, text);
    // The user types the first name between the first braces.
    if let Some(prompt) = model.popup_of_mut::<Prompt>() {
        prompt.line.at = text.find("{}").map_or(text.len(), |at| at + 1);
    }
    effects
}

/// Opens the prompt for a typed join.
pub(super) fn typed(model: &mut Model, kind: TypedJoin) -> Vec<Effect> {
    open(model, ExtractionSource::Typed(kind), "")
}

/// Applies a typed join, or shows its line with the error.
pub(super) fn tell(model: &mut Model, kind: TypedJoin, line: &str) -> Vec<Effect> {
    let mut effects = open(model, ExtractionSource::Typed(kind), line);
    if let Some(prompt) = model.popup_of::<Prompt>().cloned() {
        model.popup = None;
        effects.extend(accept(model, prompt));
    }
    effects
}

/// Kind of the typed join whose prompt is open.
fn typed_kind(model: &Model) -> Option<TypedJoin> {
    match model.joins.reading.as_ref()?.subject {
        ExtractionSource::Typed(kind) => Some(kind),
        _ => None,
    }
}

/// Parses the text of the prompt as an extraction rule.
fn rule(model: &Model, text: &str) -> Result<ExtractionRule, QueryError> {
    let wrong = |what: String, at: usize, len: usize| QueryError {
        text: what,
        query: text.to_owned(),
        at,
        len,
        suggestion: None,
    };
    let Some(draft) = &model.joins.reading else {
        return Err(wrong("nothing is read".to_owned(), 0, 0));
    };
    let pattern = || Pattern::compile(text).map_err(|e| wrong(e.text, e.at, 1));
    let (of, only, patterns, consts) = match &draft.subject {
        ExtractionSource::Key(key) => (Some(key.clone()), None, vec![pattern()?], Vec::new()),
        ExtractionSource::Template { text, .. } => {
            let only = Expr::equals(Field::Template, text.as_str());
            (None, Some(only), vec![pattern()?], Vec::new())
        }
        ExtractionSource::Typed(_) => return Err(wrong("nothing is read".to_owned(), 0, 0)),
        ExtractionSource::Selected(only) => {
            let pair = text.split_once('=').map(|(k, v)| (k.trim(), v.trim()));
            let Some((key, value)) = pair.filter(|(k, v)| !k.is_empty() && !v.is_empty()) else {
                let what =
                    "write a key and its value: mysim.phase = warmup, mysim.at = {host}:{pid}";
                return Err(wrong(what.to_owned(), 0, 0));
            };
            if value.contains('{') {
                let start = text.find(value).unwrap_or(0);
                let made = Composition::compile(value);
                let made = made.map_err(|e| wrong(e.text, start + e.at, 1))?;
                let rule = ExtractionRule::composed(key.to_owned(), made, only.clone(), Vec::new());
                return rule.map_err(|what| wrong(what.to_owned(), 0, key.len()));
            }
            if only.is_none() {
                let what =
                    "select records first: a constant for all records would distinguish nothing";
                return Err(wrong(what.to_owned(), 0, 0));
            }
            let value = value.trim_matches('"').to_owned();
            (
                None,
                only.clone(),
                Vec::new(),
                vec![(key.to_owned(), value)],
            )
        }
    };
    ExtractionRule::new(of, only, patterns, consts).map_err(|what| {
        let at = text.find("{}").unwrap_or(0);
        wrong(what.to_owned(), at, 2)
    })
}

/// Requests a preview of the rule after the text changed, and returns the syntax error to show.
pub(super) fn changed(model: &mut Model, text: &str) -> (Option<QueryError>, Vec<Effect>) {
    if let Some(draft) = &mut model.joins.reading {
        draft.trial = None;
        draft.widened = None;
    }
    if let Some(kind) = typed_kind(model) {
        return match kind.parse(text) {
            Ok(join) => {
                let known = joins::active(model);
                (None, vec![ask(model, Question::Preview(known, join))])
            }
            Err(problem) => (Some(problem).filter(|p| p.len > 0), Vec::new()),
        };
    }
    match rule(model, text) {
        Ok(rule) => (None, vec![ask(model, Question::Trial(Box::new(rule)))]),
        // While the user types, only syntax errors are shown, not a missing name or value.
        Err(problem) => (Some(problem).filter(|p| p.len == 1), Vec::new()),
    }
}

/// Stores the preview of the rule.
pub(super) fn tried(model: &mut Model, trial: ExtractionPreview) {
    if let Some(draft) = &mut model.joins.reading {
        draft.trial = Some(trial);
    }
}

/// Applies the rule; the prompt stays open with the error if it is invalid or matches no record.
pub(super) fn accept(model: &mut Model, prompt: Prompt) -> Vec<Effect> {
    let text = prompt.line.text.trim().to_owned();
    if let Some(kind) = typed_kind(model) {
        return match kind.parse(&text) {
            Ok(join) => {
                model.joins.reading = None;
                let own = model.selection.joins().own.iter();
                if own
                    .chain(&model.meaning.joins)
                    .any(|j| j.is_named(&join.name))
                {
                    return say(model, format!("{} is in force already", join.name));
                }
                say(
                    model,
                    format!(
                        "{} is in force · it stands among the joins, where it can be saved",
                        join.name
                    ),
                );
                joins::add(model, join)
            }
            Err(problem) => keep_with(model, prompt, problem),
        };
    }
    let rule = rule(model, &text).and_then(|rule| match trial_of(model) {
        Some(trial) if trial.events == 0 => Err(QueryError {
            text: "no record fits".to_owned(),
            query: text.clone(),
            at: 0,
            len: text.len(),
            suggestion: None,
        }),
        _ => Ok(rule),
    });
    let rule = match rule {
        Ok(rule) => rule,
        Err(problem) => return keep_with(model, prompt, problem),
    };
    let keys = rule.extracted_keys().join(", ");
    let of = model
        .joins
        .reading
        .take()
        .map(|draft| draft.subject.describe());
    let name = unused(model, &format!("{} ⇒ {keys}", of.unwrap_or_default()));
    say(
        model,
        format!("{keys} is read now · it stands among the joins, where it can be saved"),
    );
    let join = Join {
        name,
        system: None,
        receivers: Receivers::All,
        rule: JoinRule::Extraction(rule),
    };
    joins::add(model, join)
}

/// Keeps the prompt open with an error.
fn keep_with(model: &mut Model, prompt: Prompt, problem: QueryError) -> Vec<Effect> {
    let prompt = Prompt {
        problem: Some(problem),
        ..prompt
    };
    model.popup = Some(prompt.into());
    Vec::new()
}

fn trial_of(model: &Model) -> Option<&ExtractionPreview> {
    model.joins.reading.as_ref()?.trial.as_ref()
}

/// Returns the name, with a number appended if another join has it already.
fn unused(model: &Model, name: &str) -> String {
    let own = &model.selection.joins().own;
    let is_used = |name: &str| {
        let mut all = model.meaning.joins.iter().chain(own);
        all.any(|j| j.name == name)
    };
    let mut numbered = (2..).map(|n| format!("{name} ({n})"));
    match is_used(name) {
        false => name.to_owned(),
        true => numbered.find(|n| !is_used(n)).unwrap_or_default(),
    }
}
