//! Cells of tables.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::plots::spread::Spread;
use crate::role::Role;
use crate::text::{grouped, size, width};
use widetui_core::ids::SourceId;
use widetui_core::level::Level;
use widetui_time::time::{format_span, rfc3339_nanos};

/// A cell of a table. Values stay as they are until they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// Nothing to be said.
    #[default]
    Empty,
    /// There should be a value, but it is not known.
    Unknown,
    /// A text.
    Text(String),
    /// A text with a look of its own.
    Styled(String, Role),
    /// Several texts one after the other, each with its look.
    Pieces(Vec<(String, Role)>),
    /// The name of a source, in the colour of its kind.
    Source(SourceId, String),
    /// A level.
    Level(Level),
    /// How many.
    Count(u64),
    /// How many, with a look of its own; blank for none.
    Some(u64, Role),
    /// A number.
    Number(f64),
    /// A number with a text and a look of its own.
    Told(f64, String, Role),
    /// A stretch of time, ns.
    Span(i64),
    /// A stretch of time that has not ended, ns.
    OpenSpan(i64),
    /// Bytes.
    Bytes(u64),
    /// A moment, UTC ns.
    Time(i64),
    /// A share from 0 to 1, in percent.
    Share(f64),
    /// A share from 0 to 1, as a bar.
    Bar(f64),
    /// How long something takes, as a bar.
    Spread(Spread),
    /// Counts over time, in stretches of equal length; against the greatest of the row.
    Spark(Box<[u32]>),
}

impl Cell {
    /// A time, or that it is not known.
    pub(crate) fn time(time: Option<i64>) -> Cell {
        time.map_or(Cell::Unknown, Cell::Time)
    }

    /// A number, or that it is not known.
    pub fn number(value: Option<f64>) -> Cell {
        value.map_or(Cell::Unknown, Cell::Number)
    }

    /// A count, or that it is not known.
    pub(crate) fn count(value: Option<u64>) -> Cell {
        value.map_or(Cell::Unknown, Cell::Count)
    }

    /// The columns that it wants; 0 for what is made to fit.
    pub(crate) fn columns(&self) -> u16 {
        let columns = match self {
            Cell::Empty | Cell::Time(_) | Cell::Bar(_) | Cell::Spread(_) | Cell::Spark(_) => 0,
            // A level is drawn as its letter.
            Cell::Unknown | Cell::Level(_) => 1,
            Cell::Text(text)
            | Cell::Styled(text, _)
            | Cell::Source(_, text)
            | Cell::Told(_, text, _) => width(text),
            Cell::Pieces(pieces) => pieces.iter().map(|(text, _)| width(text)).sum(),
            // Without making the text: there may be 100,000 of them.
            Cell::Count(n) => digits(*n),
            Cell::Some(0, _) => 0,
            Cell::Some(n, _) => digits(*n),
            other => width(&other.text()),
        };
        u16::try_from(columns).unwrap_or(u16::MAX)
    }

    /// What it says, for the clipboard and for the filter of rows. Times are UTC.
    pub fn text(&self) -> String {
        match self {
            Cell::Empty | Cell::Bar(_) | Cell::Spread(_) | Cell::Spark(_) | Cell::Some(0, _) => {
                String::new()
            }
            Cell::Unknown => "–".to_owned(),
            Cell::Text(text)
            | Cell::Styled(text, _)
            | Cell::Source(_, text)
            | Cell::Told(_, text, _) => text.clone(),
            Cell::Pieces(pieces) => pieces.iter().map(|(text, _)| text.as_str()).collect(),
            Cell::Level(level) => level.name().to_owned(),
            Cell::Count(n) | Cell::Some(n, _) => grouped(*n),
            Cell::Number(x) => number(*x),
            Cell::Span(ns) => format_span(*ns),
            Cell::OpenSpan(ns) => format!("{}+", format_span(*ns)),
            Cell::Bytes(bytes) => size(*bytes),
            Cell::Time(ns) => rfc3339_nanos(*ns),
            Cell::Share(share) => percent(*share),
        }
    }

    /// What a search looks through: what stands on the screen. A time is none, as it is shown in ways of the user's choice.
    pub fn searched(&self) -> Option<Cow<'_, str>> {
        match self {
            Cell::Time(_) => None,
            Cell::Text(text)
            | Cell::Styled(text, _)
            | Cell::Source(_, text)
            | Cell::Told(_, text, _) => Some(Cow::Borrowed(text)),
            Cell::Level(level) => Some(Cow::Owned(level.letter().to_string())),
            other => Some(Cow::<str>::Owned(other.text())).filter(|text| !text.is_empty()),
        }
    }

    /// Whether a text in small letters is part of what it says. Only of texts: nobody looks for a number in a column
    /// of counts.
    pub(crate) fn contains(&self, lower: &str) -> bool {
        let has = |text: &str| text.to_lowercase().contains(lower);
        match self {
            Cell::Text(text) | Cell::Styled(text, _) | Cell::Source(_, text) => has(text),
            Cell::Pieces(pieces) => pieces.iter().any(|(text, _)| has(text)),
            Cell::Level(level) => has(level.name()),
            _ => false,
        }
    }

    /// The order of cells of one column: numbers by value, texts by letters, numbers in texts by value. What is not
    /// known is less than all that is.
    #[cfg(test)]
    pub(crate) fn order(&self, other: &Cell) -> Ordering {
        self.key().order(&other.key())
    }

    /// By what it is ordered.
    pub(crate) fn key(&self) -> CellKey<'_> {
        CellKey {
            measure: self.measure(),
            letters: self.letters(),
        }
    }

    /// The number by which it is ordered.
    fn measure(&self) -> Option<f64> {
        Some(match self {
            Cell::Count(n) | Cell::Some(n, _) | Cell::Bytes(n) => *n as f64,
            Cell::Number(x) | Cell::Told(x, ..) | Cell::Share(x) | Cell::Bar(x) => *x,
            Cell::Span(ns) | Cell::OpenSpan(ns) | Cell::Time(ns) => *ns as f64,
            Cell::Spread(spread) => spread.p50,
            Cell::Level(level) => f64::from(*level as u8),
            // Where the curve begins: rows that begin later come later.
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

/// By what a cell is ordered among those of its column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellKey<'a> {
    measure: Option<f64>,
    letters: Option<&'a str>,
}

impl CellKey<'_> {
    /// The order of two.
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

/// Columns of a number with commas.
fn digits(n: u64) -> usize {
    let digits = n.checked_ilog10().map_or(1, |d| d as usize + 1);
    digits + (digits - 1) / 3
}

/// A number as people read it: at most four digits that matter, powers of ten beyond what a column holds.
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
    let decimals = 3 - (size.log10().floor() as i32).clamp(-4, 3);
    let text = format!("{x:.*}", decimals as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A share in percent; what is not nothing is not shown as 0, what is not all not as 100.
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
            (0.012_346, "0.01235"),
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
