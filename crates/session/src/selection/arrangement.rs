//! Display settings with undo: time range, order of tables, time shifts of sources.

use std::collections::BTreeMap;
use std::sync::Arc;

use widetui_core::ids::SourceId;

use super::{Changed, SelectionStack, State};

/// Time range in UTC ns; `None` for the whole run.
pub type TimeRange = Option<(i64, i64)>;

/// Column by which a table is sorted, and whether in descending order; `None` for the table's default order.
pub type TableOrder = Option<(usize, bool)>;

/// Time range on the screen, orders of tables by the names of their views, and time shifts of sources in ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DisplaySettings {
    stretch: TimeRange,
    orders: BTreeMap<&'static str, TableOrder>,
    shifts: BTreeMap<SourceId, i64>,
}

impl SelectionStack {
    /// Changes the displayed time range. Returns whether anything changed.
    pub fn show_time_range(&mut self, before: TimeRange, after: TimeRange) -> bool {
        self.arrange(
            |arranged| arranged.stretch = before,
            |arranged| arranged.stretch = after,
        )
    }

    /// Changes the order of a view's table. Returns whether anything changed.
    pub fn order(&mut self, view: &'static str, before: TableOrder, after: TableOrder) -> bool {
        self.arrange(
            |arranged| _ = arranged.orders.insert(view, before),
            |arranged| _ = arranged.orders.insert(view, after),
        )
    }

    /// Changes the time shift of a source, in ns. Returns whether anything changed.
    pub fn shift(&mut self, source: SourceId, before: i64, after: i64) -> bool {
        self.arrange(
            |arranged| _ = arranged.shifts.insert(source, before),
            |arranged| _ = arranged.shifts.insert(source, after),
        )
    }

    /// Records a change from the actual previous setting (`is`), which may differ from the recorded one, for example
    /// after the table itself has changed.
    fn arrange(
        &mut self,
        is: impl FnOnce(&mut DisplaySettings),
        becomes: impl FnOnce(&mut DisplaySettings),
    ) -> bool {
        let mut now = (*self.now.arranged).clone();
        is(&mut now);
        let mut next = now.clone();
        becomes(&mut next);
        self.now.arranged = Arc::new(now);
        if next == *self.now.arranged {
            return false;
        }
        self.go(State {
            arranged: Arc::new(next),
            ..self.now.clone()
        });
        true
    }
}

/// Returns the setting that differs from `before`.
pub(super) fn difference(now: &DisplaySettings, before: &DisplaySettings) -> Changed {
    let other = |(view, order): (&&'static str, &TableOrder)| {
        let known = before.orders.get(view).copied().flatten();
        (known != *order).then_some((*view, *order))
    };
    if let Some((view, order)) = now.orders.iter().find_map(other) {
        return Changed::Order(view, order);
    }
    let gone = before
        .orders
        .iter()
        .find(|(view, order)| order.is_some() && !now.orders.contains_key(**view));
    if let Some((view, _)) = gone {
        return Changed::Order(view, None);
    }
    let shifted = |(source, ns): (&SourceId, &i64)| {
        let known = before.shifts.get(source)?;
        (known != ns).then_some(Changed::Shift(*source, *ns))
    };
    let shifted = now.shifts.iter().find_map(shifted);
    shifted.unwrap_or(Changed::TimeRange(now.stretch))
}
