//! Figures as lines of text, drawn as on a screen without colours.

use ratatui::buffer::Buffer;
use widetui_analysis::series::BinAggregate;
use widetui_app::rect::Rect;
use widetui_report::figure::{CurveStyle, Curves, Figure, Plot};
use widetui_report::svg::FigureFrame;
use widetui_tables::drawing::Drawing;
use widetui_tables::plots::TimeAxis;
use widetui_tables::role::Role;
use widetui_tables::text::width;

use super::curves::{self, CurveFrame};
use super::{MemberStyles, axis, bars, legend};
use crate::canvas::to_ratatui;
use crate::colour::Depth;
use crate::theme::Theme;

/// Setting of a figure in a text.
pub struct TextFrame<'a> {
    /// Selected time range, and zone of times.
    pub frame: &'a FigureFrame,
    /// Columns of curves.
    pub columns: u16,
    /// Value of a curve in a column.
    pub aggregate: BinAggregate,
}

/// Width of bars with their names, columns.
const BARS: u16 = 72;
/// Maximum number of rows of bars, and of panels.
const BAR_ROWS: u16 = 12;
const ROWS: u16 = 24;
/// Height of a single line or area, and of areas on one another, rows.
const HEIGHTS: (u16, u16) = (8, 12);
/// Width of a scale, of numbers beside a picture, and maximum width of a name, columns.
const SCALE: u16 = 8;
const NUMBERS: u16 = 12;
const NAME: usize = 30;

/// Lines of a figure; none of a plot whose rows are those of its table.
pub fn lines(figure: &Figure, setting: &TextFrame<'_>) -> Vec<String> {
    let Some(theme) = Theme::named("mono", Depth::None) else {
        return Vec::new();
    };
    let styles = MemberStyles::new(&theme, Drawing::Blocks);
    match &figure.plot {
        Plot::Bars(groups) => {
            let shown = groups.iter().filter(|group| !group.is_listed);
            let rows: usize = shown.map(|group| group.rows.len()).sum();
            let area = Rect::new(0, 0, BARS, (rows as u16).min(BAR_ROWS));
            let mut buf = Buffer::empty(to_ratatui(area));
            bars::draw(groups, area, styles, &mut buf);
            text_of(&buf)
        }
        Plot::Curves(curves) => {
            let range = setting.frame.range(figure);
            let parts = usize::from(setting.columns);
            let curves = curves.binned(range, parts, setting.aggregate).apart();
            curve_lines(figure, setting, &curves, styles)
        }
        Plot::Words(_) | Plot::Gantt(_) | Plot::Sequence(_) | Plot::Graph(_) => Vec::new(),
    }
}

fn curve_lines(
    figure: &Figure,
    setting: &TextFrame<'_>,
    curves: &Curves,
    styles: MemberStyles<'_>,
) -> Vec<String> {
    let panels = curves.panels.len() as u16;
    let names = { curves.panels.iter() }.map(|panel| width(&panel.name).min(NAME));
    let (left, height) = match (panels, curves.all().count()) {
        (..2, ..2) => (SCALE, HEIGHTS.0),
        (..2, _) if matches!(curves.style, CurveStyle::Areas) => (SCALE, HEIGHTS.1),
        (..2, _) => (SCALE, HEIGHTS.0),
        _ => (
            names.max().unwrap_or_default() as u16 + 3,
            panels.min(ROWS) * if panels * 2 <= ROWS { 2 } else { 1 },
        ),
    };
    let frame = CurveFrame {
        styles,
        axis: TimeAxis {
            range: setting.frame.range(figure),
            left,
            columns: setting.columns,
        },
        moment: None,
    };
    let area = Rect::new(0, 0, left + setting.columns + NUMBERS, height);
    let mut buf = Buffer::empty(to_ratatui(Rect {
        height: height + 2,
        ..area
    }));
    let entries = curves::draw(curves, &frame, area, &mut buf);
    let zone = &setting.frame.zone;
    let offset = |at| zone.offset_at_utc(at);
    axis::draw(
        &frame.axis,
        figure.origin,
        height,
        styles.theme,
        offset,
        &mut buf,
    );
    let is_named = entries.len() > 1 && curves.panels.iter().any(|panel| panel.curves.len() > 1);
    if is_named {
        let style = styles.theme.style(Role::Text);
        let room = (left, area.right());
        legend::draw(&entries, room, height + 1, (style, style), &mut buf);
    }
    text_of(&buf)
}

/// Text of cells, without blanks at the ends of lines and empty lines at the end.
fn text_of(buf: &Buffer) -> Vec<String> {
    let rows = buf.content.chunks(usize::from(buf.area.width).max(1));
    let line = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(|cell| cell.symbol()).collect();
        text.trim_end().to_owned()
    };
    let mut lines: Vec<String> = rows.map(line).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}
