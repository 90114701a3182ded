//! What can be done where a line is written.

use super::{Action, ActionRow, Topic, row};

/// Rows of the table of actions.
pub(super) const ROWS: &[ActionRow] = {
    use Action as A;
    use Topic::Edit;
    &[
        row(
            A::DeleteBack,
            Edit,
            "delete-back",
            "delete",
            "Delete the character before the cursor",
        ),
        row(
            A::DeleteWord,
            Edit,
            "delete-word",
            "delete word",
            "Delete the word before the cursor",
        ),
        row(
            A::DeleteToStart,
            Edit,
            "delete-to-start",
            "delete to start",
            "Delete all before the cursor",
        ),
        row(
            A::DeleteToEnd,
            Edit,
            "delete-to-end",
            "delete to end",
            "Delete all behind the cursor",
        ),
    ]
};
