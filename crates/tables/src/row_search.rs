//! Text search in the rows of a table or the lines of a page.

use widetui_core::direction::Direction;
use widetui_query::Matcher;

/// Search text and matches. Texts of records are searched in the background by the text search of the event list; rows
/// are in memory.
#[derive(Clone, Debug, Default)]
pub struct RowSearch {
    /// Search text as typed; empty for none.
    pub line: String,
    /// Matcher of the search text; `None` for none.
    pub matcher: Option<Matcher>,
    /// Positions of matching rows, ascending.
    pub hits: Vec<usize>,
    /// Whether `hits` belong to the current rows.
    pub is_known: bool,
    /// Row under the cursor before the search.
    pub origin: usize,
    /// Direction to move in as soon as `hits` are known.
    pub pending_move: Option<Direction>,
}

impl RowSearch {
    /// Finds the matches in the texts of rows, in their order.
    pub fn search<'a, T: Iterator<Item = std::borrow::Cow<'a, str>>>(
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

    /// Number of a matching row among all matches, from 1.
    pub fn match_number(&self, place: usize) -> Option<usize> {
        self.hits.binary_search(&place).ok().map(|at| at + 1)
    }
}
