//! Fields of the use of resources: load and capacity over time, and the use of each resource.

use serde_json::{Map, Value as Json};

use widetui_analysis::utilisation::{ResourceUse, WEIGHT_UNIT};

use crate::schema::{Schema, SchemaColumn};

/// Load in instances, or in the unit of their weight; rounded to nine digits: three thirds are one.
pub fn load(parts: i128) -> f64 {
    (parts as f64 / (WEIGHT_UNIT as f64 / 1e9)).round() / 1e9
}

/// Columns of the load from a moment (UTC ns) on.
pub fn running() -> Schema<(i64, i128)> {
    type Col = SchemaColumn<(i64, i128)>;
    Schema::from(vec![
        Col::text("kind", |_| "running".to_owned()),
        Col::time("time", |point| point.0),
        Col::number("value", |point| load(point.1)),
    ])
}

/// Columns of the number of resources from a moment (UTC ns) on.
pub fn capacity() -> Schema<(i64, i64)> {
    type Col = SchemaColumn<(i64, i64)>;
    Schema::from(vec![
        Col::text("kind", |_| "capacity".to_owned()),
        Col::time("time", |point| point.0),
        Col::count("capacity", |point| point.1.unsigned_abs()),
    ])
}

/// Use of a resource.
pub struct ResourceLine<'a> {
    /// Id of the resource.
    pub id: Map<String, Json>,
    /// Entity of the resource.
    pub entity: &'a str,
    /// Use.
    pub used: &'a ResourceUse,
}

/// Columns of the use of each resource.
pub fn resources<'a>() -> Schema<ResourceLine<'a>> {
    type Col<'a> = SchemaColumn<ResourceLine<'a>>;
    Schema::from(vec![
        Col::text("kind", |_| "carrier".to_owned()).hidden(),
        Col::object("carrier", |line| line.id.clone()).heading("resource"),
        Col::text("entity", |line| line.entity.to_owned()).hidden(),
        Col::time("start", |line| line.used.start),
        Col::time("end", |line| line.used.end).hidden(),
        Col::duration("life_s", |line| {
            line.used.end.saturating_sub(line.used.start)
        })
        .heading("life"),
        Col::share("busy", |line| line.used.busy),
        Col::duration("cold_s", |line| line.used.cold_start).heading("cold start"),
        Col::count("carried", |line| line.used.executions),
    ])
}
