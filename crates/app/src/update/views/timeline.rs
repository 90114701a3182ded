//! View of instances as bars over time.

use super::*;
use crate::update::{export, plots};
use crate::view_plots::{gantt_of, time_at_cursor, timeline_row_at_cursor};
use widetui_session::instances::InstanceHandle;
use widetui_session::plots::{ColourBy, RowsBy};
use widetui_tables::table::TableSubject;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "timeline",
    shown_by: Some(Command::ViewTimeline),
    body: Body::Table(RowLook::Bars),
    split: Split::ByResource,
    focus: Focus {
        keys: &[KeyScope::Timeline, KeyScope::Plot, KeyScope::Table],
        hints: commands! {
            Open NextBar PlotBy PlotColour PlotEntity ZoomIn ZoomAll BrushStart BrushEnd Right
            Export Pivot Palette Help
        },
        labels: &[(Command::Right, "later")],
    },
    question: |m| {
        let (rows, colour) = (m.plots.choices.rows_by.clone(), m.plots.choices.colour.clone());
        plot(m, PlotKind::Timeline(rows, colour))
    },
    command_line: |m| {
        let plot = format!("timeline:{}", settings(m)?);
        let file = format!("{}.svg", export::name(m));
        let words = ["export", "--output", &file, "--plot", &plot];
        subcommand(&words, scope(m))
    },
    copied: under_cursor::row_text,
    instance: |m| bar_at_cursor(m).or_else(|| under_cursor::instance_of_row_or_record(m)),
    open: |m| match m.events.time_selection {
        Some(_) => time::take(m),
        None => plots::open(m).unwrap_or_else(|| table::open(m)),
    },
    has_story: |_| true,
    ..OVER_TIME
};

/// Instance of the bar of the row at the time cursor, or before it.
fn bar_at_cursor(model: &Model) -> Option<InstanceHandle> {
    let shown = model.shown();
    let (state, gantt) = gantt_of(&shown)?;
    let bar = gantt.at(timeline_row_at_cursor(state)?, time_at_cursor(model)?)?;
    state.table.instances.as_ref()?.handle(bar.instance as usize)
}

/// Settings of the timeline as `ENTITY:ROWS:COLOUR`, without trailing empty parts.
fn settings(model: &Model) -> Result<String, &'static str> {
    let TableSubject { entity, resource } = about(model)?;
    let rows = match (&model.plots.choices.rows_by, resource) {
        (RowsBy::Each, _) | (_, None) => "",
        (_, Some(name)) => name,
    };
    let colour = match &model.plots.choices.colour {
        ColourBy::Default if is_labelled(model) => "label",
        ColourBy::Default | ColourBy::State => "",
        ColourBy::Key(name) => name,
    };
    let text = format!("{entity}:{rows}:{colour}");
    Ok(text.trim_end_matches(':').to_owned())
}

/// True if instances on the timeline have labels, which then are the default colours.
fn is_labelled(model: &Model) -> bool {
    let found = model.table().and_then(|state| state.table.instances.as_ref());
    found.is_some_and(|f| f.list.iter().any(|i| i.label.is_some()))
}
