//! Exchange of the two views of a split screen.

use crate::model::Model;

/// Exchanges the focused view and the other one in the model; both keep their halves of the screen.
pub(in crate::update) fn exchange(model: &mut Model) {
    let Some(split) = &mut model.split else {
        return;
    };
    std::mem::swap(&mut model.view, &mut split.other);
    std::mem::swap(&mut model.pane, &mut split.pane);
    split.keys = split.keys.opposite();
}

/// Runs `act` while the other view is focused; `None` if the screen is not split.
pub(in crate::update) fn in_other<T>(
    model: &mut Model,
    act: impl FnOnce(&mut Model) -> T,
) -> Option<T> {
    model.beside()?;
    exchange(model);
    let done = act(model);
    exchange(model);
    Some(done)
}
