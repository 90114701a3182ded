//! Pivot row for the records of the hosts on which an instance ran, during its life: near it, without being about it.

use std::collections::BTreeMap;

use crate::model::Model;
use crate::pivot_rows::LOOKED_AT;
use crate::popups::PivotRow;
use crate::{time_selection, times};
use widetui_core::ids::EventId;
use widetui_core::words::last_part;
use widetui_query::expr::{Comparison, Op};
use widetui_query::{Expr, Field};
use widetui_session::instances::InstanceHandle;
use widetui_store::Value;

/// Key of hosts over all systems, and last part of the keys of single systems.
const HOST: &str = "host";

/// Maximum width of the time range, columns.
const RANGE_COLUMNS: u16 = 40;

/// Pivot row for the records near an instance; `None` if no record says on which host it ran, or when.
pub(super) fn row(model: &Model, instance: &InstanceHandle) -> Option<PivotRow> {
    let (snapshot, seen) = model.instances.seen.as_ref()?;
    let (all, one) = instance.at(snapshot, seen).and_then(|at| seen.get(at))?;
    // Until another system names hosts, too, they have the key of one system alone.
    let mut hosts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in all.last_events(one, LOOKED_AT) {
        let stored = snapshot.event(EventId(id)).map(|event| event.stored());
        for (key, value, _) in stored.into_iter().flatten() {
            let name = snapshot.catalog.keys.name(key);
            if let (HOST, Value::One(host)) = (last_part(name), value) {
                let of_key = hosts.entry(name.to_owned()).or_default();
                if !of_key.contains(&host) {
                    of_key.push(host);
                }
            }
        }
    }
    let known = hosts.get(HOST).or(hosts.values().next())?.join(", ");
    let (from, to) = one.range?;
    let bound = |op, time| Expr::compare(Field::Time, op, time_selection::literal(time));
    let on_host = hosts.into_iter().map(|(key, values)| {
        Expr::Compare(Comparison {
            field: Field::Key(key),
            op: Op::In,
            values,
        })
    });
    let on_host = Expr::any_of(on_host);
    let range = times::range(model, from, to, RANGE_COLUMNS);
    Some(PivotRow {
        letter: None,
        key: "near".to_owned(),
        label: "near".to_owned(),
        value: format!("{known} · {range}"),
        expr: Expr::all_of([on_host, bound(Op::Ge, from), bound(Op::Le, to)]),
        instance: None,
        count: None,
        in_run: None,
        is_of_run: true,
    })
}
