//! Plots above tables, timelines, and curves below the overview.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{area_of, glyph, put};
use crate::plots::curves::CurveFrame;
use crate::plots::legend::{LegendEntry, fitting};
use crate::plots::{self, MemberStyles, axis, bars};
use widetui_analysis::series::SeriesKind;
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::{Areas, margins, sentence_lines};
use widetui_app::table_columns::MARGIN;
use widetui_report::figure::{Plot, TimeOrigin};
use widetui_tables::drawing::height;
use widetui_tables::plots::TimeAxis;
use widetui_tables::plots::settings::CurveColumns;
use widetui_tables::role::Role;
use widetui_tables::text::{sanitise, width};

use widetui_app::times;
use widetui_app::view_plots::{axis_of, figure_of, time_at_cursor};

mod summary;
pub(super) mod timeline;

/// Draws the plot above a table, with the line above the plot.
pub(super) fn draw(model: &Scene<'_>, areas: &Areas, buf: &mut Buffer, hits: &mut HitMap) {
    let Some(figure) = figure_of(model) else {
        return;
    };
    let area = areas.plot.intersection(area_of(buf));
    if area.is_empty() {
        return;
    }
    let styles = MemberStyles::new(model.theme, model.screen.drawing());
    let rule = areas.plot_rule.intersection(area_of(buf));
    super::rule::line(model, rule, buf);
    let x = super::rule::title(model, rule, &figure.title, Role::Title, buf);
    let inner = Rect::new(
        area.x + 1,
        area.y,
        area.width.saturating_sub(2),
        area.height,
    );
    let curves = match &figure.plot {
        Plot::Bars(groups) => return bars::draw(groups, inner, styles, buf),
        plot @ Plot::Words(_) => {
            let style = model.theme.style(Role::Text);
            for (y, line) in (area.y..area.bottom()).zip(sentence_lines(plot, area.width)) {
                put(buf, area.x + MARGIN, y, area.width, &sanitise(&line), style);
            }
            return;
        }
        Plot::Curves(curves) => curves,
        Plot::Gantt(_) | Plot::Sequence(_) | Plot::Graph(_) => return,
    };
    let Some(axis) = axis_of(model) else { return };
    let frame = CurveFrame {
        styles,
        axis,
        moment: time_at_cursor(model),
    };
    let picture = Rect::new(area.x, area.y, area.width, area.height - 1);
    let entries = plots::curves::draw(curves, &frame, picture, buf);
    legend(
        model,
        &entries,
        (x, rule.right().saturating_sub(1), rule.y),
        buf,
    );
    draw_axis(model, &axis, area.bottom() - 1, buf);
    add_columns(&axis, area, hits);
}

/// Makes the columns of a plot clickable.
fn add_columns(axis: &TimeAxis, area: Rect, hits: &mut HitMap) {
    for column in 0..axis.columns {
        let stretch = Rect::new(axis.left + column, area.y, 1, area.height);
        hits.add(stretch, Target::OverviewBar(usize::from(column)));
    }
}

/// Draws the time under the cursor on the line below a plot.
pub(super) fn marker(model: &Scene<'_>, areas: &Areas, buf: &mut Buffer) {
    if areas.plot.height > 0
        && model.view.is_over_time()
        && let (Some(axis), Some(time)) = (axis_of(model), time_at_cursor(model))
    {
        axis::draw_cursor(&axis, time, areas.list_rule.y, model.theme, buf);
    }
}

/// Draws the axis with the time selection.
pub(super) fn draw_axis(model: &Scene<'_>, axis: &TimeAxis, y: u16, buf: &mut Buffer) {
    let (origin, offset) = (TimeOrigin::Clock, |t| times::offset(model, t));
    axis::draw(axis, origin, y, model.theme, offset, buf);
    if let Some(brush) = model.events.time_selection {
        let shown = (brush.from.max(axis.range.0), brush.to.min(axis.range.1));
        if shown.0 <= shown.1 {
            axis::draw_brush(axis, shown, y, model.theme, buf);
        }
    }
}

/// Draws the legend of curves at the end of the line above them, after the time of its values.
fn legend(
    model: &Scene<'_>,
    entries: &[LegendEntry],
    (left, right, y): (u16, u16, u16),
    buf: &mut Buffer,
) {
    let digits = model.source_names.digits.min(3);
    let time = time_at_cursor(model).filter(|_| !entries.is_empty());
    let clock = time.map(|t| times::clock(model).digits(t, digits));
    let clock = clock.map_or(String::new(), |clock| format!(" at {clock} "));
    let room = right.saturating_sub(left + 2 + width(&clock) as u16);
    let (_, columns) = fitting(entries, room);
    let (title, text) = (
        model.theme.style(Role::Title),
        model.theme.style(Role::Text),
    );
    let from = right
        .saturating_sub(columns + width(&clock) as u16)
        .max(left);
    let x = put(buf, from, y, right.saturating_sub(from), &clock, title);
    plots::legend::draw(entries, (x, right), y, (text, title), buf);
}

/// Draws the curves below the overview, one row each.
pub(super) fn curves(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let Some(overview) = model.overview.as_ref().filter(|s| !s.events.is_empty()) else {
        return;
    };
    let axis = TimeAxis {
        range: overview.range,
        left: area.x + margins(area.width).0,
        columns: overview.events.len() as u16,
    };
    let frame = CurveFrame {
        styles: MemberStyles::new(model.theme, model.screen.drawing()),
        axis,
        moment: time_at_cursor(model),
    };
    let moment = time_at_cursor(model);
    let (drawn, count) = (&model.plots.drawn, usize::from(axis.columns));
    let known = &model.plots.columns;
    let anew = match known.is_of(drawn, axis.range, count) {
        true => None,
        false => Some(CurveColumns::new(drawn.clone(), axis.range, count)),
    };
    let values = anew.as_ref().unwrap_or(known).values();
    for ((curve, columns), y) in drawn.iter().zip(values).zip(area.top()..area.bottom()) {
        // The cursor may be outside of the zoomed range.
        let moment = moment.filter(|t| (axis.range.0..=axis.range.1).contains(t));
        let now = moment.and_then(|time| match curve.kind {
            SeriesKind::Gauge => curve.value_at(time),
            // A counter is drawn as its growth, which has no value at a point in time.
            SeriesKind::Counter => *columns.get(usize::from(axis.column_of(time)))?,
        });
        let room = usize::from(axis.left - area.x);
        // Without the unit, for which the row has no room.
        let own = curve.title.strip_prefix(&*curve.unit).map(str::trim_start);
        let mut names = curve.names();
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            names.insert(1, own.to_owned());
        }
        let title = names.into_iter().find(|name| width(name) + 2 <= room);
        let title = title.unwrap_or_else(|| curve.subject.short_name().to_owned());
        let most = columns.iter().flatten().copied().fold(0.0, f64::max);
        for (column, value) in (0..axis.columns).zip(columns) {
            let share = value.unwrap_or_default() / most.max(f64::MIN_POSITIVE);
            if share > 0.0 {
                let style = model.theme.style(Role::Curve);
                glyph(buf, axis.left + column, y, height(share), style);
            }
        }
        let line = Rect::new(area.x, y, area.width, 1);
        frame.beside(&title, (now, most), line, buf);
    }
}
