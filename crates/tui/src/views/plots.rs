//! Plots above tables, timelines, and curves below the overview.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{area_of, glyph, put, put_right};
use crate::plots::{MemberStyles, axis, bars, lines, spark, stacked};
use widetui_analysis::overview::{Curve, CurveSubject};
use widetui_analysis::series::SeriesKind;
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::{Areas, margins, sentence_lines};
use widetui_app::table_columns::MARGIN;
use widetui_report::figure::{CurveStyle, MAX_LINES, Panel, Plot, tones};
use widetui_tables::plots::number::short;
use widetui_tables::plots::settings::CurveColumns;
use widetui_tables::plots::{PlotCurve, TimeAxis};
use widetui_tables::role::Role;
use widetui_tables::text::{cut, sanitise, width};

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
    let picture = Rect::new(area.x, area.y, area.width, area.height - 1);
    let curves = &*curves.grown(axis.range, usize::from(axis.columns));
    // All panels have the same states; the legend has their sums.
    let named = curves.by_name();
    let named = match curves.style {
        CurveStyle::Lines(_) => named.get(..MAX_LINES).unwrap_or(&named),
        CurveStyle::Areas => &named,
    };
    match curves.panels.as_slice() {
        [_] => {
            match curves.style {
                CurveStyle::Lines(scale) => {
                    lines::draw(named, &axis, picture, (styles, scale), buf)
                }
                CurveStyle::Areas => stacked::draw(named, None, &axis, picture, styles, buf),
            }
            draw_values(model, (named, curves.style), &axis, picture, buf);
        }
        panels => draw_panels(model, panels, &axis, picture, styles, buf),
    }
    let members = match curves.style {
        CurveStyle::Areas => nonzero_at_cursor(model, named),
        CurveStyle::Lines(_) => (0..named.len()).collect(),
    };
    let room = (x, rule.right().saturating_sub(1), rule.y);
    legend(model, (named, &members), room, styles, buf);
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

/// Draws panels one below the other on one scale, as many as have a row, each with its name on the left and its sum at the
/// time cursor on the right.
fn draw_panels(
    model: &Scene<'_>,
    panels: &[Panel],
    axis: &TimeAxis,
    area: Rect,
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    let shown = panels.len().min(usize::from(area.height));
    let height = area.height / (shown as u16).max(1);
    let peak = panels.iter().map(|p| stacked::peak(&p.curves, axis));
    let peak = peak.fold(0.0, f64::max);
    let (muted, text) = (
        model.theme.style(Role::Muted),
        model.theme.style(Role::Text),
    );
    let names = axis.left.saturating_sub(area.x + 2);
    let (from, end) = (axis.left + axis.columns + 1, area.right().saturating_sub(1));
    for (at, panel) in panels[..shown].iter().enumerate() {
        let y = area.y + at as u16 * height;
        stacked::draw_areas(
            peak,
            &panel.curves,
            axis,
            Rect::new(area.x, y, area.width, height),
            styles,
            buf,
        );
        let is_last = at + 1 == shown && shown < panels.len();
        let name = match is_last {
            true => format!("{} +{} more", panel.name, panels.len() - shown),
            false => panel.name.clone(),
        };
        put(
            buf,
            area.x + 1,
            y,
            names,
            &cut(&sanitise(&name), names.into()),
            text,
        );
        let sum = time_at_cursor(model).map(|time| {
            { panel.curves.iter() }
                .filter_map(|c| c.at(time))
                .fold(0.0, |a, b| a + b)
        });
        let most = stacked::peak(&panel.curves, axis);
        let now = sum.map_or("–".to_owned(), short);
        put_right(
            buf,
            from,
            end,
            y,
            &format!("{now}  max {}", short(most)),
            muted,
        );
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

/// Draws the axis with the time selection and the time cursor.
fn draw_axis(model: &Scene<'_>, axis: &TimeAxis, y: u16, buf: &mut Buffer) {
    axis::draw(axis, y, model.theme, |t| times::offset(model, t), buf);
    if let Some(brush) = model.events.time_selection {
        let shown = (brush.from.max(axis.range.0), brush.to.min(axis.range.1));
        if shown.0 <= shown.1 {
            axis::draw_brush(axis, shown, y, model.theme, buf);
        }
    }
}

/// Indices of the curves that are not zero at the time cursor; the table below lists the others.
fn nonzero_at_cursor(model: &Scene<'_>, curves: &[PlotCurve]) -> Vec<usize> {
    let now = |c: &PlotCurve| time_at_cursor(model).and_then(|t| c.at(t));
    let curves = curves.iter().enumerate();
    curves
        .filter(|(_, c)| now(c).is_some_and(|value| value != 0.0))
        .map(|(at, _)| at)
        .collect()
}

/// Draws the legend in the line above the plot: the given curves with their values at the time
/// cursor.
fn legend(
    model: &Scene<'_>,
    (curves, members): (&[PlotCurve], &[usize]),
    (left, right, y): (u16, u16, u16),
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    let time = time_at_cursor(model);
    let at = |c: &PlotCurve| match time.and_then(|t| c.at(t)) {
        Some(value) => format!("{} {}", c.name, short(value)),
        None => format!("{} –", c.name),
    };
    let texts: Vec<String> = members.iter().map(|m| at(&curves[*m])).collect();
    let clock = time.map(|t| times::clock(model).digits(t, model.source_names.digits.min(3)));
    let none = if members.is_empty() { "nothing " } else { "" };
    let clock = clock.map_or(String::new(), |c| format!(" at {c} {none}"));
    // Right-aligned; entries without room are left out, the last first.
    let room = usize::from(right.saturating_sub(left + 2)).saturating_sub(width(&clock));
    let mut taken = 0;
    let mut shown = 0;
    for text in &texts {
        let wanted = width(text) + 4;
        if taken + wanted > room {
            break;
        }
        taken += wanted;
        shown += 1;
    }
    let all = width(&clock) + taken + if shown < texts.len() { 2 } else { 0 };
    let muted = model.theme.style(Role::Title);
    let mut x = right.saturating_sub(all as u16).max(left);
    x = put(buf, x, y, right.saturating_sub(x), &clock, muted);
    let tones = tones(curves);
    for (member, text) in members.iter().copied().zip(&texts).take(shown) {
        let style = styles.style(member, tones[member]);
        glyph(buf, x, y, styles.sign_for_tones(&tones, member), style);
        x = put(buf, x + 1, y, right.saturating_sub(x), " ", muted);
        x = put(
            buf,
            x,
            y,
            right.saturating_sub(x),
            text,
            model.theme.style(Role::Text),
        );
        x = put(buf, x, y, right.saturating_sub(x), "  ", muted);
    }
    if shown < texts.len() {
        put(buf, x, y, right.saturating_sub(x), "… ", muted);
    }
}

/// Draws the value at the time cursor and the maximum to the right of a plot.
fn draw_values(
    model: &Scene<'_>,
    (curves, style): (&[PlotCurve], CurveStyle),
    axis: &TimeAxis,
    area: Rect,
    buf: &mut Buffer,
) {
    let from = axis.left + axis.columns + 1;
    let end = area.right().saturating_sub(1);
    let sum = |time: i64| {
        let values = curves.iter().filter_map(|c| c.at(time));
        match style {
            CurveStyle::Areas => values.reduce(|a, b| a + b),
            CurveStyle::Lines(_) => values.reduce(f64::max),
        }
    };
    let now = time_at_cursor(model).and_then(sum);
    let muted = model.theme.style(Role::Muted);
    let most = match style {
        CurveStyle::Areas => stacked::peak(curves, axis),
        CurveStyle::Lines(_) => lines::range(curves, axis).1,
    };
    let most = format!("max {}", short(most));
    put_right(buf, from, end, area.y, &most, muted);
    if area.height > 1 {
        let now = now.map_or("–".to_owned(), short);
        put_right(
            buf,
            from,
            end,
            area.y + 1,
            &now,
            model.theme.style(Role::Text),
        );
    }
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
    let right = area.right().saturating_sub(1);
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
        let title = match &curve.subject {
            CurveSubject::Unfinished(_) | CurveSubject::State { .. } => {
                let room = usize::from(axis.left - area.x);
                let mut names = curve.names().into_iter();
                names.find(|name| width(name) + 2 <= room)
            }
            CurveSubject::Key(_) if is_like_state(model, &curve.subject) => {
                Some(own_title(curve).to_owned())
            }
            _ => None,
        };
        let title = title.unwrap_or_else(|| curve.subject.short_name().to_owned());
        let row = spark::SparkRow {
            title: &title,
            columns,
            now,
            look: model.theme.style(Role::Curve),
        };
        spark::draw(row, &axis, (area.x + 1, right, y), model.theme, buf);
    }
}

/// Whether a key has the same meaning as a state whose curve is shown too: `queued_jobs` and
/// `queued jobs`.
fn is_like_state(model: &Scene<'_>, key: &CurveSubject) -> bool {
    let letters = |text: &str| -> String {
        let all = text.chars().filter(|c| c.is_alphanumeric());
        all.flat_map(char::to_lowercase).collect()
    };
    let word = letters(key.short_name());
    let states = model.plots.drawn.iter().filter_map(|c| match &c.subject {
        CurveSubject::State { entity, state } => Some((entity, state)),
        _ => None,
    });
    let mut names = states.map(|(entity, state)| {
        let of = model.meaning.entities.iter().find(|e| e.name == *entity);
        let things = of.map_or_else(String::new, |e| e.plural());
        let last = things.rsplit(' ').next().unwrap_or_default();
        letters(&format!("{state} {last}"))
    });
    names.any(|name| name == word)
}

/// Title of a curve without its unit, for which the plot has no room.
fn own_title(curve: &Curve) -> &str {
    let counted = curve.title.strip_prefix(&curve.unit);
    let rest = counted.and_then(|rest| rest.strip_prefix(' '));
    rest.unwrap_or(&curve.title)
}
