//! Scroll positions: windows follow their cursors.

use crate::layout::Areas;
use crate::model::Model;
use crate::model::view::{Body, RowLook};
use crate::{lines, view_plots};
use widetui_session::record_texts::Place;

use super::split_focus;

/// Scrolls all windows so that their cursors are visible, after a size or length changed.
pub(in crate::update) fn settle(model: &mut Model) {
    settle_view(model);
    split_focus::in_other(model, settle_view);
}

/// Scrolls the windows of the focused view so that their cursors are visible.
fn settle_view(model: &mut Model) {
    let height = usize::from(Areas::new(model).list.height);
    let len = model.len();
    match model.view.body {
        Body::Page(page) => (page.settle)(model, height),
        Body::Records => {
            model
                .events
                .list
                .reveal(height, model.followed_end().unwrap_or(len));
            model.events.list.top = lines::revealing_top(model, Areas::new(model).list);
            remember_record(model);
        }
        Body::Table(look) => {
            if let Some(table) = model.tables.get_mut(&model.view) {
                // One row is the heading; plots use further rows.
                let others = match look {
                    RowLook::Arrows => usize::from(view_plots::rows_beside_arrows(height as u16)),
                    RowLook::Bars => 2,
                    RowLook::Cells => 1,
                };
                let len = table.len();
                table.list.reveal(height.saturating_sub(others), len);
            }
        }
    }
}

/// Stores the position of the cursor, to restore it after a selection without records.
pub(in crate::update) fn remember_record(model: &mut Model) {
    let here = model
        .current()
        .map(|e| (Place::from_event(&e), e.order_time()));
    model.events.last = here.or(model.events.last);
}
