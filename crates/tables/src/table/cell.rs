//! Cells of tables.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::role::Role;
use crate::text::{grouped, size, width};
use widetui_core::ids::SourceId;
use widetui_core::level::Level;
use widetui_report::figure::Spread;
use widetui_time::time::{format_span, rfc3339_nanos};

/// Cell of a table. Values are formatted only when they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// Empty: the column does not apply.
    #[default]
    Empty,
    /// Unknown value.
    Unknown,
    /// Text.
    Text(String),
    /// Text with a style of its own.
    Styled(String, Role),
    /// Pieces of text, each with its style.
    Pieces(Vec<(String, Role)>),
    /// Name of a source, in the colour of its kind.
    Source(SourceId, String),
    /// Level.
    Level(Level),
    /// Count.
    Count(u64),
    /// Count with a style of its own; blank for 0.
    NonZero(u64, Role),
    /// Number.
    Number(f64),
    /// Number with a text and style of its own.
    Formatted(f64, String, Role),
    /// Duration, ns.
    Span(i64),
    /// Duration of an unfinished instance so far, ns.
    OpenSpan(i64),
    /// Size, bytes.
    Bytes(u64),
    /// Time, UTC ns.
    Time(i64),
    /// Share from 0 to 1, shown in percent.
    Share(f64),
    /// Share from 0 to 1, shown as a bar.
    Bar(f64),
    /// Distribution of durations, shown as a bar.
    Spread(Spread),
    /// Counts in time bins of equal length, shown as a sparkline scaled to the row.
    Spark(Box<[u32]>),
}

impl Cell {
    /// Cell of a time, or an unknown one.
    pub(crate) fn time(time: Option<i64>) -> Cell {
        time.map_or(Cell::Unknown, Cell::Time)
    }

    /// Cell of a number, or an unknown one.
    pub fn number(value: Option<f64>) -> Cell {
        value.map_or(Cell::Unknown, Cell::Number)
    }

    /// Cell of a count, or an unknown one.
    pub(crate) fn count(value: Option<u64>) -> Cell {
        value.map_or(Cell::Unknown, Cell::Count)
    }

    /// Preferred width, terminal columns; 0 for cells of any width.
    pub(crate) fn columns(&self) -> u16 {
        let columns = match self {
            Cell::Empty | Cell::Time(_) | Cell::Bar(_) | Cell::Spread(_) | Cell::Spark(_) => 0,
            // A level is drawn as its letter.
            Cell::Unknown | Cell::Level(_) => 1,
            Cell::Text(text)
            | Cell::Styled(text, _)
            | Cell::Source(_, text)
            | Cell::Formatted(_, text, _) => width(text),
            Cell::Pieces(pieces) => pieces.iter().map(|(text, _)| width(text)).sum(),
            // Computed without formatting: there may be 100,000 cells.
            Cell::Count(n) => digits(*n),
            Cell::NonZero(0, _) => 0,
            Cell::NonZero(n, _) => digits(*n),
            other => width(&other.text()),
        };
        u16::try_from(columns).unwrap_or(u16::MAX)
    }

    /// Text for the clipboard and for the filter of rows. Times are in UTC.
    pub fn text(&self) -> String {
        match self {
            Cell::Empty | Cell::Bar(_) | Cell::Spread(_) | Cell::Spark(_) | Cell::NonZero(0, _) => {
                String::new()
            }
            Cell::Unknown => "–".to_owned(),
            Cell::Text(text)
            | Cell::Styled(text, _)
            | Cell::Source(_, text)
            | Cell::Formatted(_, text, _) => text.clone(),
            Cell::Pieces(pieces) => pieces.iter().map(|(text, _)| text.as_str()).collect(),
            Cell::Level(level) => level.name().to_owned(),
            Cell::Count(n) | Cell::NonZero(n, _) => grouped(*n),
            Cell::Number(x) => number(*x),
            Cell::Span(ns) => format_span(*ns),
            Cell::OpenSpan(ns) => format!("{}+", format_span(*ns)),
            Cell::Bytes(bytes) => size(*bytes),
            Cell::Time(ns) => rfc3339_nanos(*ns),
            Cell::Share(share) => percent(*share),
        }
    }

    /// Text for searches: the text on the screen. `None` for a time, whose display format depends on the settings.
    pub fn search_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Cell::Time(_) => None,
            Cell::Text(text)
            | Cell::Styled(text, _)
            | Cell::Source(_, text)
            | Cell::Formatted(_, text, _) => Some(Cow::Borrowed(text)),
            Cell::Level(level) => Some(Cow::Owned(level.letter().to_string())),
            other => Some(Cow::<str>::Owned(other.text())).filter(|text| !text.is_empty()),
        }
    }

    /// Whether the text contains `lower`, ignoring case. Always false for numbers: filters are for texts.
    pub(crate) fn contains(&self, lower: &str) -> bool {
        let has = |text: &str| text.to_lowercase().contains(lower);
        match self {
            Cell::Text(text) | Cell::Styled(text, _) | Cell::Source(_, text) => has(text),
            Cell::Pieces(pieces) => pieces.iter().any(|(text, _)| has(text)),
            Cell::Level(level) => has(level.name()),
            _ => false,
        }
    }

    /// Order of cells of one column: numbers by value, texts in natural order. Unknown cells come first.
    #[cfg(test)]
    pub(crate) fn order(&self, other: &Cell) -> Ordering {
        self.key().order(&other.key())
    }

    /// Sort key.
    pub(crate) fn key(&self) -> CellKey<'_> {
        CellKey {
            measure: self.measure(),
            letters: self.letters(),
        }
    }

    /// Number by which the cell is ordered; `None` for texts.
    fn measure(&self) -> Option<f64> {
        Some(match self {
            Cell::Count(n) | Cell::NonZero(n, _) | Cell::Bytes(n) => *n as f64,
            Cell::Number(x) | Cell::Formatted(x, ..) | Cell::Share(x) | Cell::Bar(x) => *x,
            Cell::Span(ns) | Cell::OpenSpan(ns) | Cell::Time(ns) => *ns as f64,
            Cell::Spread(spread) => spread.p50,
            Cell::Level(level) => f64::from(*level as u8),
            // Sparklines are ordered by their first non-empty bin.
            Cell::Spark(counts) => counts.iter().position(|n| *n > 0)? as f64,
            Cell::Text(text) | Cell::Styled(text, _) => text.parse().ok()?,
            Cell::Empty | Cell::Unknown | Cell::Pieces(_) | Cell::Source(..) => return None,
        })
    }

    fn letters(&self) -> Option<&str> {
        match self {
            Cell::Text(text) | Cell::Styled(text, _) | Cell::Source(_, text) => Some(text),
            Cell::Pieces(pieces) => pieces.first().map(|(text, _)| text.as_str()),
            _ => None,
        }
    }
}

/// Sort key of a cell in its column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellKey<'a> {
    measure: Option<f64>,
    letters: Option<&'a str>,
}

impl CellKey<'_> {
    /// Compares two sort keys.
    pub(crate) fn order(&self, other: &CellKey<'_>) -> Ordering {
        match (self.measure, other.measure) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Greater,
            (None, Some(_)) => Ordering::Less,
            (None, None) => match (self.letters, other.letters) {
                (Some(a), Some(b)) => a.cmp(b),
                (a, b) => a.is_some().cmp(&b.is_some()),
            },
        }
    }
}

/// Width of a count with thousands separators, terminal columns.
fn digits(n: u64) -> usize {
    let digits = n.checked_ilog10().map_or(1, |d| d as usize + 1);
    digits + (digits - 1) / 3
}

/// Number with at most four significant digits, below 1 with two; an exponent for numbers too wide for a column.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{x:.3e}");
    }
    if x.fract() == 0.0 || size >= 1000.0 {
        let whole = grouped(size.round() as u64);
        return if x < 0.0 { format!("-{whole}") } else { whole };
    }
    let digits = if size < 1.0 { 1 } else { 3 };
    let decimals = digits - (size.log10().floor() as i32).clamp(-4, 3);
    let text = format!("{x:.*}", decimals as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Share in percent; a share above 0 is never shown as 0, a share below 1 never as 100.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 0.1 => "<0.1 %".to_owned(),
        p if p < 9.95 => format!("{p:.1} %"),
        p if p >= 100.0 => "100 %".to_owned(),
        p if p > 99.0 => "99 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_not_wrong() {
        for (x, text) in [
            (0.0, "0"),
            (12.0, "12"),
            (1_234_567.0, "1,234,567"),
            (-3.25, "-3.25"),
            (0.012_346, "0.012"),
            (123.456, "123.5"),
            (1e-9, "1.000e-9"),
            (54_321.6, "54,322"),
            (4410.4, "4,410"),
            (-1000.2, "-1,000"),
        ] {
            assert_eq!(number(x), text, "{x}");
        }
        assert_eq!(percent(0.0001), "<0.1 %");
        assert_eq!(percent(0.9999), "99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.037), "3.7 %");
    }

    #[test]
    fn the_width_of_a_count_is_that_of_its_text() {
        for n in [0, 9, 10, 999, 1000, 123_456, 1_234_567] {
            assert_eq!(usize::from(Cell::Count(n).columns()), grouped(n).len());
        }
    }

    #[test]
    fn cells_are_ordered_by_value() {
        let text = |t: &str| Cell::Text(t.to_owned());
        assert_eq!(text("9").order(&text("10")), Ordering::Less);
        assert_eq!(text("b").order(&text("a")), Ordering::Greater);
        assert_eq!(Cell::Unknown.order(&Cell::Count(0)), Ordering::Less);
        assert_eq!(Cell::Time(5).order(&Cell::Time(4)), Ordering::Greater);
    }
}
