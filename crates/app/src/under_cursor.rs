//! Object under the cursor of any view: record, instance, table row or value.

use crate::findings::FindingCursor;
use crate::model::{Model, Pane, View};
use crate::pages::unfinished;
use crate::popups::{PivotRow, Popup};
use crate::screen_split::CursorTarget;
use crate::view::{Body, Page, RowLook};
use crate::view_plots::sequence_of;
use crate::{pivot_rows, record as pane};
use widetui_query::{Expr, Field};
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;
use widetui_store::EventRef;
use widetui_tables::plots::sequence::Sequence;
use widetui_tables::table::{PivotValue, Row, RowAction};

/// Record under the cursor; on the title of a finding, its first evidence record.
pub(crate) fn finding_record(model: &Model) -> Option<EventRef<'_>> {
    let findings = &model.findings.found.as_ref()?.diagnosis.findings;
    let (finding, number) = match model.findings.spot {
        FindingCursor::Finding(at) => (findings.get(at)?, 0),
        FindingCursor::Evidence(at, number) => (findings.get(at)?, number),
        FindingCursor::Words(_) => return None,
    };
    model.snapshot.event(*finding.evidence.get(number)?)
}

/// Instance that the finding under the cursor is about, if it is about a single one.
pub(crate) fn finding_instance(model: &Model) -> Option<InstanceHandle> {
    let findings = &model.findings.found.as_ref()?.diagnosis.findings;
    let FindingCursor::Finding(at) = model.findings.spot else {
        return None;
    };
    let (entity, id) = findings.get(at)?.subject.clone()?;
    let entities = model.meaning.instance_cache.entities();
    let title = entities.iter().find(|e| e.name == entity);
    let title = title.map_or(entity.as_str(), |e| e.title.as_str());
    let number = id.last().map_or("", |p| p.1.as_str());
    Some(InstanceHandle {
        name: format!("{title} {number}"),
        instance_cache: model.meaning.instance_cache.clone(),
        label: None,
        entity,
        id,
    })
}

/// First record of the message under the cursor.
pub(crate) fn message_record(model: &Model) -> Option<EventRef<'_>> {
    let (state, sequence): (_, &Sequence) = sequence_of(&model.shown())?;
    let RowAction::Message(at) = state.current()?.action else {
        return None;
    };
    sequence.messages.event(at)
}

/// Returns the instance under the cursor in any view.
pub(crate) fn instance(model: &Model) -> Option<InstanceHandle> {
    if let Some(Popup::Pivot(pivot)) = &model.popup {
        return pivot.rows.get(pivot.cursor)?.instance.clone();
    }
    match model.view.row().body {
        Body::Records => {
            let event = model.current()?;
            pivot_rows::instances_of_record(model, &event)
                .into_iter()
                .next()?
                .instance
        }
        Body::Page(Page::Findings) => finding_instance(model).or_else(|| {
            let event = finding_record(model)?;
            pivot_rows::instances_of_record(model, &event)
                .into_iter()
                .next()?
                .instance
        }),
        Body::Page(Page::Unfinished) => match unfinished::link_under_cursor(model)? {
            RowAction::Instance(instance) => Some(*instance),
            _ => None,
        },
        Body::Table(RowLook::Arrows) => {
            let event = message_record(model)?;
            pivot_rows::instances_of_record(model, &event)
                .into_iter()
                .next()?
                .instance
        }
        Body::Table(RowLook::Cells | RowLook::Bars) => match &model.table()?.current()?.action {
            RowAction::Instance(instance) => Some((**instance).clone()),
            RowAction::Event(place) if model.view != View::Trace => {
                let id = model.snapshot.event_at(place.source, place.offset)?;
                let event = model.snapshot.event(id)?;
                pivot_rows::instances_of_record(model, &event)
                    .into_iter()
                    .next()?
                    .instance
            }
            _ => None,
        },
    }
}

/// Returns the record or moment under the cursor of the focused view (`None` for a list of records).
pub(crate) fn record_or_moment(model: &Model) -> Option<CursorTarget> {
    if model.view.is_over_time() {
        return model.plots.moment.map(CursorTarget::Moment);
    }
    let place = match model.view.row().body {
        Body::Records => None,
        Body::Page(Page::Unfinished) => {
            let id = unfinished::last_record(model);
            id.and_then(|id| model.snapshot.event(id))
                .map(|e| Place::from_event(&e))
        }
        Body::Page(Page::Findings) => finding_record(model).map(|e| Place::from_event(&e)),
        Body::Table(RowLook::Arrows) => message_record(model).map(|e| Place::from_event(&e)),
        Body::Table(RowLook::Cells | RowLook::Bars) => match model.table()?.current()?.action {
            RowAction::Event(place) => Some(place),
            _ => None,
        },
    };
    place.map(CursorTarget::Record)
}

/// Returns the record under the cursor of the view (`None` if the row stands for no single record).
pub(crate) fn record(model: &Model) -> Option<EventRef<'_>> {
    let of_row = || match model.table()?.current()?.action {
        RowAction::Event(place) => {
            let id = model.snapshot.event_at(place.source, place.offset)?;
            model.snapshot.event(id)
        }
        _ => None,
    };
    match model.view.row().body {
        Body::Records => model.current(),
        // Rows are work items; the record is only chosen when a row is opened.
        Body::Page(Page::Unfinished) => None,
        Body::Page(Page::Findings) => finding_record(model),
        Body::Table(RowLook::Arrows) => message_record(model),
        Body::Table(RowLook::Cells | RowLook::Bars) => of_row(),
    }
}

/// Pivot rows for the cursor position in the current view.
pub(crate) fn pivot_rows(model: &Model) -> Vec<PivotRow> {
    match model.view.row().body {
        Body::Records => model
            .current()
            .map_or(Vec::new(), |e| pivot_rows::of_record(model, &e)),
        Body::Page(Page::Findings) => {
            finding_record(model).map_or(Vec::new(), |e| pivot_rows::of_record(model, &e))
        }
        Body::Page(Page::Unfinished) => {
            let instance = instance(model);
            instance.map_or(Vec::new(), |t| pivot_rows::of_instance(model, &t))
        }
        Body::Table(_) => pivot_rows_of_table(model),
    }
}

/// Returns the first pivot row of the row under the cursor; `None` for a row of the keys view, which has no value.
pub(crate) fn pivot_row(model: &Model) -> Option<PivotRow> {
    let row = model.table().and_then(|t| t.current());
    if model.view.is_table() && row.is_some_and(|r| matches!(r.action, RowAction::Values(_))) {
        return None;
    }
    pivot_rows(model).into_iter().next()
}

/// Key and value under the cursor of the record pane, if that pane is focused.
pub(crate) fn key_of_record(model: &Model) -> Option<(String, String)> {
    (model.view == View::Events && model.pane == Pane::Record)
        .then(|| pane::key_under_cursor(model))
        .flatten()
}

/// Returns the pivot row of the key under the cursor of the record pane.
pub(crate) fn pivot_row_in_record(model: &Model) -> Option<PivotRow> {
    let (name, value) = key_of_record(model)?;
    let mut rows = model
        .current()
        .map_or(Vec::new(), |e| pivot_rows::of_record(model, &e));
    let at = rows
        .iter()
        .position(|r| r.key == name && r.instance.is_none());
    Some(match at {
        Some(at) => rows.swap_remove(at),
        // Keys that are not stored in columns are matched against the text of the record.
        None => PivotRow {
            letter: None,
            label: name.clone(),
            expr: Expr::equals(Field::named(&name), value.as_str()),
            key: name,
            value,
            instance: None,
            count: None,
            in_run: None,
            is_of_run: false,
        },
    })
}

pub(crate) fn row(model: &Model) -> Option<&Row> {
    model.table()?.current()
}

/// Returns the cells of the row under the cursor, separated by tabs.
pub(crate) fn row_text(model: &Model) -> Option<String> {
    let texts: Vec<String> = row(model)?.cells.iter().map(|c| c.text()).collect();
    Some(texts.join("\t"))
}

/// Returns whether the row under the cursor has an instance or value to exclude.
pub(crate) fn can_leave_out(model: &Model) -> bool {
    let is_thing = matches!(row(model).map(|r| &r.action), Some(RowAction::Instance(_)));
    is_thing || value(model).is_some()
}

/// Returns the value of the row under the cursor (`None` for a row of the keys view, which has no value).
pub(crate) fn value(model: &Model) -> Option<PivotValue> {
    let row = row(model).filter(|row| !matches!(row.action, RowAction::Values(_)))?;
    row.pivots.first().cloned()
}

/// Pivot rows of the row under the cursor.
pub(crate) fn pivot_rows_of_table(model: &Model) -> Vec<PivotRow> {
    if let Some(RowAction::Instance(instance)) = row(model).map(|r| &r.action) {
        return pivot_rows::of_instance(model, instance);
    }
    if let Some(RowAction::Event(place)) = row(model).map(|r| &r.action) {
        let id = model.snapshot.event_at(place.source, place.offset);
        let event = id.and_then(|id| model.snapshot.event(id));
        return event.map_or(Vec::new(), |e| pivot_rows::of_record(model, &e));
    }
    if let Some(event) = message_record(model) {
        return pivot_rows::of_record(model, &event);
    }
    let same = row(model).map_or(&[][..], |r| &r.pivots);
    same.iter()
        .map(|same| PivotRow {
            letter: None,
            key: same.field.name().to_owned(),
            label: same.label.clone(),
            value: same.shown.clone(),
            expr: pivot_rows::value_expr(same),
            instance: None,
            count: None,
            in_run: None,
            is_of_run: false,
        })
        .collect()
}
