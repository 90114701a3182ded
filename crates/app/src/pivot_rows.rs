//! Rows of the pivot list for the object under the cursor.

mod near;
mod roles;

use crate::model::Model;
use crate::popups::PivotRow;
use widetui_query::{Expr, Field};
use widetui_session::instances::InstanceHandle;
use widetui_store::{EventRef, Value};
use widetui_tables::answers::instances::pivot_title;
use widetui_tables::key_rank::{self, Rank};
use widetui_tables::table::PivotValue;

/// Number of records of an instance, latest first, that are searched for the resources on which it ran.
const LOOKED_AT: usize = 64;

/// Maximum number of pivot rows for resources of the first instance of a record.
const BESIDE: usize = 12;

/// Pivot rows for the instances of a record.
pub(crate) fn instances_of_record(model: &Model, event: &EventRef<'_>) -> Vec<PivotRow> {
    let about = model.instances.about(event).into_iter();
    about
        .filter_map(|(seen, at)| {
            let instance =
                InstanceHandle::new(&model.meaning.instance_cache, event.snapshot, &seen, at)?;
            let (all, _) = seen.get(at)?;
            let value = pivot_title(event.snapshot, all, at)?;
            Some(instance_row(instance, all.entity.title.clone(), value))
        })
        .collect()
}

fn instance_row(instance: InstanceHandle, title: String, value: String) -> PivotRow {
    PivotRow {
        letter: None,
        key: title.clone(),
        label: title,
        value,
        expr: instance.expr(),
        instance: Some(instance),
        count: None,
        in_run: None,
        is_of_run: false,
    }
}

/// Pivot rows of an instance: itself, and the instances that its latest records name.
pub(crate) fn of_instance(model: &Model, instance: &InstanceHandle) -> Vec<PivotRow> {
    let title = instance.name.rsplit_once(' ');
    let title = title.map_or(instance.name.as_str(), |(title, _)| title);
    let number = instance.id.last().map_or("", |p| p.1.as_str());
    let value = match &instance.label {
        Some(label) => format!("{number} {label}"),
        None => number.to_owned(),
    };
    let mut rows = vec![instance_row(instance.clone(), title.to_owned(), value)];
    let Some((snapshot, seen)) = &model.instances.seen else {
        return rows;
    };
    let Some((all, one)) = instance.at(snapshot, seen).and_then(|at| seen.get(at)) else {
        return rows;
    };
    // Enclosing instances, from the innermost outward.
    let last = all.last_events(one, LOOKED_AT).into_iter();
    for event in last.filter_map(|id| snapshot.event(widetui_core::ids::EventId(id))) {
        for found in instances_of_record(model, &event) {
            if rows.iter().all(|r| r.instance != found.instance) {
                rows.push(found);
            }
        }
    }
    // For a resource or a run, the last work items on it are arbitrary, so only entities with one instance stay.
    if !all.entity.is_work_item() {
        let kinds: Vec<String> = rows.iter().map(|r| r.key.clone()).collect();
        let is_only = |kind: &String| kinds.iter().filter(|k| *k == kind).count() == 1;
        rows.retain(|r| is_only(&r.key) || r.instance.as_ref() == Some(instance));
    }
    rows.extend(near::row(model, instance));
    rows
}

/// Pivot rows for resources that a record does not name, but that belong to its first work item: the worker of a failed
/// task is not in the record of its failure.
pub(crate) fn resources_of_work(model: &Model, own: &[PivotRow]) -> Vec<PivotRow> {
    let Some((first, instance)) = own.first().and_then(|r| Some((r, r.instance.as_ref()?))) else {
        return Vec::new();
    };
    let entities = model.meaning.instance_cache.entities();
    let work = { entities.iter() }.find(|e| e.name == instance.entity && e.is_work_item());
    let Some(work) = work else {
        return Vec::new();
    };
    let number = instance.id.last().map_or("", |p| p.1.as_str());
    let of = format!("{} {number}", first.label);
    let rows = of_instance(model, instance).into_iter();
    // A batch job is work of its own, and a place of the work that it carries.
    let is_place = |key: &String| work.place_keys.contains(key);
    let is_carrier = |row: &PivotRow| {
        let entity = row.instance.as_ref().map(|t| &t.entity);
        let entity = entities.iter().find(|e| Some(&e.name) == entity);
        entity.is_some_and(|e| e.is_resource() || e.space_key.iter().any(is_place))
    };
    // Resources of all attempts, the last attempt first.
    let known: Vec<&String> = own.iter().map(|r| &r.label).collect();
    let is_new = |row: &PivotRow| !known.contains(&&row.label) && is_carrier(row);
    let named = |row: PivotRow| PivotRow {
        value: format!("{} · of {of}", row.value),
        ..row
    };
    rows.filter(is_new).take(BESIDE).map(named).collect()
}

/// Removes keys that repeat an instance of the list: of "worker 1" and "parsl.worker 1" only the instance stays, as the key
/// alone also matches worker 1 of every other manager.
pub(crate) fn drop_repeated_keys(model: &Model, rows: &mut Vec<PivotRow>) {
    let entities = model.meaning.instance_cache.entities();
    let mut known: Vec<(String, String)> = Vec::new();
    for instance in rows.iter().filter_map(|row| row.instance.as_ref()) {
        known.extend(instance.id.last().cloned());
        // Alternative identifiers: a run is also identified by its directory.
        let entity = entities.iter().find(|e| e.name == instance.entity);
        let others = entity.iter().flat_map(|e| &e.id).filter(|id| id.len() == 1);
        let label = instance.label.iter();
        known.extend(label.flat_map(|l| others.clone().map(move |id| (id[0].clone(), l.clone()))));
    }
    rows.retain(|row| {
        let is_it = |(key, value): &(String, String)| *key == row.key && *value == row.value;
        row.instance.is_some() || !known.iter().any(is_it)
    });
}

/// Maximum number of values of a list-valued key that the pivot list offers.
const LIST_VALUES: usize = 3;

/// Pivot rows of a record: its instances, instances in other roles, then its keys, source and template.
pub(crate) fn of_record(model: &Model, event: &EventRef<'_>) -> Vec<PivotRow> {
    let mut rows: Vec<(Rank, PivotRow)> = Vec::new();
    let mut add = |rank: Rank, field: Field, key: &str, label: &str, value: &str| {
        rows.push((
            rank,
            PivotRow {
                letter: None,
                key: key.to_owned(),
                label: label.to_owned(),
                value: value.to_owned(),
                expr: Expr::equals(field, value),
                instance: None,
                count: None,
                in_run: None,
                is_of_run: false,
            },
        ));
    };
    for key in key_rank::ranked_keys(event) {
        let field = || Field::Key(key.name.clone());
        match &key.value {
            Value::One(value) => add(key.rank, field(), &key.name, &key.label, value),
            Value::Many(values) => values
                .iter()
                .take(LIST_VALUES)
                .for_each(|value| add(key.rank, field(), &key.name, &key.label, value)),
        }
    }
    let name = model.source_names.name_of(event.source());
    add(Rank::Writer, Field::Source, "source", "source", name);
    if let Some(template) = event.template() {
        add(
            Rank::Writer,
            Field::Template,
            "template",
            "template",
            &template.text,
        );
    }
    // The stable sort preserves the order of keys of the same rank.
    rows.sort_by_key(|(rank, _)| *rank);
    let instances = instances_of_record(model, event);
    let where_it_ran = resources_of_work(model, &instances);
    let instances = instances.into_iter().chain(where_it_ran);
    let instances: Vec<PivotRow> = instances.collect();
    let rows: Vec<PivotRow> = rows.into_iter().map(|(_, row)| row).collect();
    let in_roles = roles::rows(model, &instances, &rows);
    let near = { instances.iter() }.find_map(|row| near::row(model, row.instance.as_ref()?));
    let instances = instances.into_iter().chain(in_roles).chain(near);
    let mut rows: Vec<PivotRow> = instances.chain(rows).collect();
    // Several sources can have the same name, so they are matched by path.
    let own = rows.iter_mut().filter(|r| r.key == "source");
    own.for_each(|r| r.expr = Expr::equals(Field::Source, event.source().path.as_str()));
    rows
}

pub(crate) fn value_expr(same: &PivotValue) -> Expr {
    Expr::equals(same.field.clone(), same.value.as_str())
}
