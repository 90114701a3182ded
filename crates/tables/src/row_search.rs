//! A text searched for in the rows of a view that is no list of records: a table, or a page of lines.

use widetui_core::direction::Direction;
use widetui_query::Matcher;

/// What is searched for, and where it is. Of records there is [`super::model::TextSearch`]: their texts are read in the
/// background, rows are all there.
#[derive(Clone, Debug, Default)]
pub struct RowSearch {
    /// What was searched; empty for nothing.
    pub line: String,
    /// Finds it in texts; `None` for nothing.
    pub matcher: Option<Matcher>,
    /// Places of the rows that have it, from above.
    pub hits: Vec<usize>,
    /// Whether they are those of the rows as they are shown.
    pub is_known: bool,
    /// Where to go when they are known.
    pub waiting: Option<Direction>,
}

impl RowSearch {
    /// Looks for it in the texts of rows, each with its place.
    pub fn look<'a, T: Iterator<Item = std::borrow::Cow<'a, str>>>(
        &mut self,
        rows: impl Iterator<Item = T>,
    ) {
        self.hits.clear();
        self.is_known = true;
        let Some(matcher) = &self.matcher else {
            return;
        };
        let has = |mut texts: T| texts.any(|text| matcher.is_in(&text));
        let hits = rows
            .enumerate()
            .filter_map(|(at, row)| has(row).then_some(at));
        self.hits.extend(hits);
    }

    /// Which of the hits a place is, counted from 1.
    pub fn number(&self, place: usize) -> Option<usize> {
        self.hits.binary_search(&place).ok().map(|at| at + 1)
    }
}
