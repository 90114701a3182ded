//! Overview above the list: its request and its time range.

use crate::layout;
use crate::model::Model;
use crate::msg::Effect;
use widetui_session::jobs::Question;
use widetui_session::overview::OverviewRequest;
use widetui_session::selection::TimeRange;
use widetui_time::time::format_span;

use super::notices::say;
use super::questions::ask;

/// Requests the distribution of the rows over time, for the overview.
pub(in crate::update) fn request(model: &mut Model) -> Effect {
    let fits = model.events.highlight.as_ref().and_then(|h| h.fits.clone());
    let bins = layout::bins(model);
    model.events.bins = Some(bins);
    let wish = OverviewRequest {
        rows: model.rows.clone(),
        bins,
        range: model.events.zoom,
        marked: fits.map(|(fits, _)| fits),
    };
    ask(model, Question::Overview(wish))
}

/// Zooms the overview and the views over time to a time range (`None` for the whole run).
pub(in crate::update) fn show_time_range(model: &mut Model, stretch: TimeRange) -> Vec<Effect> {
    model.events.zoom = stretch;
    let what = match stretch {
        None => "the overview shows the whole run".to_owned(),
        Some((from, to)) => {
            let span = format_span(to.saturating_sub(from));
            format!("the overview shows {span}")
        }
    };
    say(model, what);
    vec![request(model)]
}

/// Pans to another time range of the same length.
pub(in crate::update) fn pan(model: &mut Model, next: (i64, i64)) -> Vec<Effect> {
    // Undo reverts the zoom as a whole, not each pan.
    model.events.zoom = Some(next);
    vec![request(model)]
}
