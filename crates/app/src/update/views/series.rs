//! View of a numeric key over time.

use super::*;
use widetui_session::plots::LinesBy;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "numbers",
    split: Split::ByKey(|key| PlotChoice::Lines(key.map_or(LinesBy::Nothing, |key| LinesBy::Keys(vec![key])))),
    question: |m| {
        let (key, by) = (m.plots.choices.key.clone()?, m.plots.choices.key_by.clone());
        plot(m, PlotKind::Series(key, by, None))
    },
    command_line: |m| {
        let key = m.plots.choices.key.as_deref().ok_or("no key was chosen")?;
        let by = match &m.plots.choices.key_by {
            LinesBy::Default => None,
            LinesBy::Nothing => Some("none"),
            LinesBy::Keys(by) => by.first().map(String::as_str),
        };
        let words = [&["series", key], &option("--by", by)[..]].concat();
        subcommand(&words, scope(m))
    },
    export_subject: |m| m.plots.choices.key.as_deref(),
    ..OVER_TIME
};
