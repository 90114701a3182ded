//! Curves over time: in one panel with its scale, or in panels below each other.

use ratatui::buffer::Buffer;
use widetui_analysis::series::BinAggregate;
use widetui_app::rect::Rect;
use widetui_report::figure::{CurveStyle, Curves, MAX_LINES, Panel, tones};
use widetui_tables::plots::number::short;
use widetui_tables::plots::{PlotCurve, TimeAxis};
use widetui_tables::role::Role;
use widetui_tables::text::{cut, sanitise};

use super::legend::LegendEntry;
use super::member_styles::MemberStyles;
use super::{lines, stacked};
use crate::canvas::{put, put_right};

/// Setting of curves.
pub(crate) struct CurveFrame<'a> {
    /// Styles.
    pub(crate) styles: MemberStyles<'a>,
    /// Axis of time.
    pub(crate) axis: TimeAxis,
    /// Time under the cursor.
    pub(crate) moment: Option<i64>,
}

impl CurveFrame<'_> {
    /// Draws the maximum and the value at the cursor to the right of a picture.
    fn numbers(&self, now: Option<f64>, most: f64, area: Rect, buf: &mut Buffer) {
        let theme = self.styles.theme;
        let from = self.axis.left + self.axis.columns + 1;
        let end = area.right().saturating_sub(1);
        let (most, muted) = (format!("max {}", short(most)), theme.style(Role::Muted));
        let before = put_right(buf, from, end, area.y, &most, muted);
        let (end, y) = match area.height {
            ..2 => (before.saturating_sub(1), area.y),
            _ => (end, area.y + 1),
        };
        if self.moment.is_some() {
            let now = now.map_or("–".to_owned(), short);
            put_right(buf, from, end, y, &now, theme.style(Role::Text));
        }
    }

    /// Draws the name of a picture on its left, its maximum and its value at the cursor on its right.
    pub(crate) fn beside(
        &self,
        name: &str,
        (now, most): (Option<f64>, f64),
        area: Rect,
        buf: &mut Buffer,
    ) {
        let room = self.axis.left.saturating_sub(area.x + 2);
        let style = self.styles.theme.style(Role::Muted);
        let name = sanitise(name);
        let name = cut(&name, room.into());
        put(buf, area.x + 1, area.y, room, &name, style);
        self.numbers(now, most, area, buf);
    }

    /// Sum of curves at the cursor, or the greatest of lines.
    fn now(&self, curves: &[PlotCurve], style: CurveStyle) -> Option<f64> {
        let moment = self.moment?;
        curves
            .iter()
            .filter_map(|c| c.at(moment))
            .reduce(match style {
                CurveStyle::Areas => |a, b| a + b,
                CurveStyle::Lines(_) => f64::max,
            })
    }
}

/// Draws curves, and returns the entries of their legend, with the values at the cursor.
pub(crate) fn draw(
    curves: &Curves,
    frame: &CurveFrame<'_>,
    area: Rect,
    buf: &mut Buffer,
) -> Vec<LegendEntry> {
    let CurveFrame { styles, axis, .. } = frame;
    let curves = &*curves.grown(axis.range);
    // All panels have the same states; the legend has their sums.
    let named = curves.by_name();
    let named = match curves.style {
        CurveStyle::Lines(_) => named.get(..MAX_LINES).unwrap_or(&named),
        CurveStyle::Areas => &named,
    };
    let most = match (curves.panels.as_slice(), curves.style) {
        ([_], CurveStyle::Lines(scale)) => {
            let (least, most) = lines::range(named, axis);
            match named {
                // A single line from zero is easier to see as an area.
                [one] if scale.axis_range(least, most).0 == 0.0 => {
                    let parts = usize::from(axis.columns);
                    let highest = one.binned(axis.range, parts, BinAggregate::Max);
                    stacked::draw(&[highest], None, axis, area, *styles, buf);
                }
                _ => lines::draw(named, axis, area, (*styles, scale), buf),
            }
            Some(most)
        }
        ([_], CurveStyle::Areas) => {
            stacked::draw(named, None, axis, area, *styles, buf);
            Some(stacked::peak(named, axis))
        }
        (panels, style) => {
            draw_panels(panels, style, frame, area, buf);
            None
        }
    };
    if let Some(most) = most {
        frame.numbers(frame.now(named, curves.style), most, area, buf);
    }
    let tones = tones(named);
    let entry = |(at, curve): (usize, &PlotCurve)| {
        let value = frame.moment.map(|moment| curve.at(moment));
        // The table below lists the areas that are zero.
        let is_shown = match (curves.style, value) {
            (CurveStyle::Areas, Some(value)) => value.is_some_and(|value| value != 0.0),
            _ => !curve.points.is_empty(),
        };
        is_shown.then(|| LegendEntry {
            symbol: styles.sign_for_tones(&tones, at),
            style: styles.style(at, curve.tone),
            text: match value {
                Some(Some(value)) => format!("{} {}", curve.name, short(value)),
                Some(None) => format!("{} –", curve.name),
                None => curve.name.clone(),
            },
        })
    };
    named.iter().enumerate().filter_map(entry).collect()
}

/// Draws panels one below the other, as many as have a row, with their names and numbers; areas are on one scale.
fn draw_panels(
    panels: &[Panel],
    style: CurveStyle,
    frame: &CurveFrame<'_>,
    area: Rect,
    buf: &mut Buffer,
) {
    let axis = &frame.axis;
    let shown = panels.len().min(usize::from(area.height));
    let height = area.height / (shown as u16).max(1);
    let peaks = panels.iter().map(|p| stacked::peak(&p.curves, axis));
    let peaks: Vec<f64> = peaks.collect();
    let highest = peaks.iter().copied().fold(0.0, f64::max);
    let tops = (area.y..area.bottom()).step_by(usize::from(height.max(1)));
    for (((at, panel), peak), y) in panels.iter().enumerate().zip(&peaks).zip(tops).take(shown) {
        let scale = match style {
            CurveStyle::Areas => highest,
            CurveStyle::Lines(_) => *peak,
        };
        let area = Rect::new(area.x, y, area.width, height);
        stacked::draw_areas(scale, &panel.curves, axis, area, frame.styles, buf);
        let name = match panels.len() - shown {
            more if more > 0 && at + 1 == shown => format!("{} +{more} more", panel.name),
            _ => panel.name.clone(),
        };
        frame.beside(&name, (frame.now(&panel.curves, style), *peak), area, buf);
    }
}
