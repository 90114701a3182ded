//! Pivot row for the records of the hosts on which an instance ran, during its life: near it, without being about it.

use crate::model::Model;
use crate::pivot_rows::LOOKED_AT;
use crate::popups::PivotRow;
use crate::{time_selection, times};
use widetui_core::ids::EventId;
use widetui_query::expr::{Comparison, Op};
use widetui_query::{Expr, Field};
use widetui_session::instances::InstanceHandle;
use widetui_store::Value;

/// Key of hosts over all systems.
const HOST: &str = "host";

/// Maximum width of the time range, columns.
const RANGE_COLUMNS: u16 = 40;

/// Pivot row for the records near an instance; `None` if no record says on which host it ran, or when.
pub(super) fn row(model: &Model, instance: &InstanceHandle) -> Option<PivotRow> {
    let (snapshot, seen) = model.instances.seen.as_ref()?;
    let (all, one) = instance.at(snapshot, seen).and_then(|at| seen.get(at))?;
    let key = snapshot.catalog.keys.find(HOST)?;
    let mut hosts: Vec<String> = Vec::new();
    for id in all.last_events(one, LOOKED_AT) {
        let stored = snapshot.event(EventId(id)).map(|event| event.stored());
        for (name, value, _) in stored.into_iter().flatten() {
            if let (true, Value::One(host)) = (name == key, value)
                && !hosts.contains(&host)
            {
                hosts.push(host);
            }
        }
    }
    let (from, to) = one.range?;
    let bound = |op, time| Expr::compare(Field::Time, op, time_selection::literal(time));
    let on_host = match hosts.as_slice() {
        [] => return None,
        [host] => Expr::equals(Field::Key(HOST.to_owned()), host.as_str()),
        hosts => Expr::Compare(Comparison {
            field: Field::Key(HOST.to_owned()),
            op: Op::In,
            values: hosts.to_vec(),
        }),
    };
    let range = times::range(model, from, to, RANGE_COLUMNS);
    Some(PivotRow {
        letter: None,
        key: "near".to_owned(),
        label: "near".to_owned(),
        value: format!("{} · {range}", hosts.join(", ")),
        expr: Expr::all_of([on_host, bound(Op::Ge, from), bound(Op::Le, to)]),
        instance: None,
        count: None,
        in_run: None,
        is_of_run: true,
    })
}
