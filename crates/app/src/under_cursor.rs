//! Object under the cursor of any view: record, instance, table row or value.

use crate::findings::FindingCursor;
use crate::model::screen_split::CursorTarget;
use crate::model::{Model, Pane};
use crate::popups::{Pivot, PivotRow};
use crate::{pivot_rows, record as pane};
use widetui_query::{Expr, Field};
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;
use widetui_store::EventRef;
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
    // Instances that no definition knows have their records in the finding alone.
    let title = &entities.iter().find(|e| e.name == entity)?.title;
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
    let state = model.table()?;
    let RowAction::Message(at) = state.current()?.action else {
        return None;
    };
    state.table.messages.as_ref()?.event(at)
}

/// Instance under the cursor of the pivot list or view.
pub(crate) fn instance(model: &Model) -> Option<InstanceHandle> {
    match model.popup_of::<Pivot>() {
        Some(pivot) => pivot.current()?.instance.clone(),
        None => (model.view.instance)(model),
    }
}

/// First instance that the record under the cursor names.
pub(crate) fn instance_of_record(model: &Model) -> Option<InstanceHandle> {
    let event = (model.view.record)(model)?;
    let mut instances = pivot_rows::instances_of_record(model, &event).into_iter();
    instances.next()?.instance
}

/// Instance that the table row under the cursor stands for.
pub(crate) fn instance_of_row(model: &Model) -> Option<InstanceHandle> {
    match &row(model)?.action {
        RowAction::Instance(instance) => Some((**instance).clone()),
        _ => None,
    }
}

/// Instance that the table row under the cursor stands for, or the first one that its record names.
pub(crate) fn instance_of_row_or_record(model: &Model) -> Option<InstanceHandle> {
    instance_of_row(model).or_else(|| instance_of_record(model))
}

/// Record that the table row under the cursor stands for.
pub(crate) fn record_of_row(model: &Model) -> Option<EventRef<'_>> {
    let RowAction::Event(place) = row(model)?.action else {
        return None;
    };
    let id = model.snapshot.event_at(place.source, place.offset)?;
    model.snapshot.event(id)
}

/// Returns the record or moment under the cursor of the focused view (`None` for a list of records).
pub(crate) fn record_or_moment(model: &Model) -> Option<CursorTarget> {
    if model.view.is_over_time() {
        return model.plots.moment.map(CursorTarget::Moment);
    }
    let record = (model.view.followed)(model)?;
    Some(CursorTarget::Record(Place::from_event(&record)))
}

/// Pivot rows for the cursor position in the current view: of the record, else of the instance, else of the values of the row.
pub(crate) fn pivot_rows(model: &Model) -> Vec<PivotRow> {
    if let Some(event) = (model.view.record)(model) {
        return pivot_rows::of_record(model, &event);
    }
    if let Some(instance) = (model.view.instance)(model) {
        return pivot_rows::of_instance(model, &instance);
    }
    let same = row(model).map_or(&[][..], |r| &r.pivots);
    let of_value = |same: &PivotValue| PivotRow {
        key: same.field.name().to_owned(),
        ..PivotRow::of_value(&same.label, &same.shown, pivot_rows::value_expr(same))
    };
    same.iter().map(of_value).collect()
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
    (model.view.is_records() && model.pane == Pane::Record)
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
        None => {
            let expr = Expr::equals(Field::named(&name), value.as_str());
            PivotRow::of_value(&name, &value, expr)
        }
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
