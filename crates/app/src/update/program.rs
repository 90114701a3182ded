//! What concerns the program as a whole: what it writes, whether it follows, its screen, its end.

use crate::action::Action;
use crate::model::Model;
use crate::msg::Effect;
use crate::text_cache::TextCache;

use super::{export, follow};

/// An action of this subject; `None` when it is another one's.
pub(super) fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Export => export::open(model),
        Action::Follow => follow::toggle(model),
        Action::Redraw => {
            model.texts = TextCache::default();
            vec![Effect::Redraw]
        }
        Action::Suspend => vec![Effect::Suspend],
        _ => return None,
    })
}
