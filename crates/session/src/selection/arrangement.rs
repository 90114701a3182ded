//! What is shown of what is selected, as far as it can be taken back: the stretch of time, the order of tables, shifted times.

use std::collections::BTreeMap;
use std::sync::Arc;

use widetui_core::ids::SourceId;

use super::{Changed, SelectionStack, State};

/// A stretch of time, UTC ns; `None` for the whole run.
pub type Stretch = Option<(i64, i64)>;

/// The number of the column by which the rows of a table are ordered, and whether the greatest come first; `None` for the
/// table's own order.
pub type TableOrder = Option<(usize, bool)>;

/// The stretch of time on the screen, the orders of tables by the names of their views, and by how many ns the times of sources
/// are shifted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Arranged {
    stretch: Stretch,
    orders: BTreeMap<&'static str, TableOrder>,
    shifts: BTreeMap<SourceId, i64>,
}

impl SelectionStack {
    /// Another stretch of time is shown. Says whether anything changed.
    pub fn show_stretch(&mut self, before: Stretch, after: Stretch) -> bool {
        self.arrange(
            |arranged| arranged.stretch = before,
            |arranged| arranged.stretch = after,
        )
    }

    /// A table is ordered in another way: the name of its view. Says whether anything changed.
    pub fn order(&mut self, view: &'static str, before: TableOrder, after: TableOrder) -> bool {
        self.arrange(
            |arranged| _ = arranged.orders.insert(view, before),
            |arranged| _ = arranged.orders.insert(view, after),
        )
    }

    /// The times of a source are shifted by another number of ns. Says whether anything changed.
    pub fn shift(&mut self, source: SourceId, before: i64, after: i64) -> bool {
        self.arrange(
            |arranged| _ = arranged.shifts.insert(source, before),
            |arranged| _ = arranged.shifts.insert(source, after),
        )
    }

    /// Goes on from what is there, which may have become another without anybody's wish, as when a table is another one.
    fn arrange(
        &mut self,
        is: impl FnOnce(&mut Arranged),
        becomes: impl FnOnce(&mut Arranged),
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

/// What of this is other than it was; every change is one of them.
pub(super) fn unlike(now: &Arranged, before: &Arranged) -> Changed {
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
    shifted.unwrap_or(Changed::Stretch(now.stretch))
}
