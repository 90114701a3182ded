//! Command that opens the row, record or key under the cursor.

use crate::model::{Model, Pane, View};
use crate::msg::Effect;
use crate::view::{Body, Page, RowLook};

use super::primitives::scrolling;
use super::{findings, instance_views, join_builder, plots, select, table, time};

/// Opens the row, record or key under the cursor.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    match model.view.row().body {
        Body::Records if model.events.time_selection.is_some() && model.pane == Pane::List => {
            time::take(model)
        }
        // In the record pane, opening applies to the key under the cursor.
        Body::Records if model.pane == Pane::Record => select::open_pivot(model),
        Body::Records => {
            if !model.is_empty() {
                model.pane = Pane::Record;
                scrolling::settle(model);
            }
            Vec::new()
        }
        Body::Page(Page::Unfinished) => instance_views::open_hung(model),
        Body::Page(Page::Findings) => findings::open(model),
        Body::Table(_) if model.view == View::NewJoin => join_builder::turn(model),
        Body::Table(_) if model.view.is_over_time() && model.events.time_selection.is_some() => {
            time::take(model)
        }
        Body::Table(RowLook::Bars) => plots::open(model).unwrap_or_else(|| table::open(model)),
        Body::Table(RowLook::Cells | RowLook::Arrows) => table::open(model),
    }
}
