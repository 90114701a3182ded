//! Navigation history: the places to which `back` returns, one for each step of the user.

use super::screen_split::ScreenSplit;
use super::view::{View, ViewSubject};
use crate::event_list::TimeSelection;
use crate::findings::FindingCursor;
use widetui_session::record_texts::Place;
use widetui_session::rows::Rows;
use widetui_session::selection::{SelectionStep, TableOrder};
use widetui_tables::list::List;
use widetui_tables::plots::settings::PlotChoices;

/// Entry of the navigation history: the place before a step.
#[derive(Clone, Debug)]
pub struct NavigationEntry {
    /// View that the user left.
    pub(crate) view: View,
    /// Split of the screen, if there was one.
    pub(crate) split: Option<ScreenSplit>,
    /// Subject of the view, if it was chosen in another view.
    pub(crate) chosen: Option<ViewSubject>,
    /// Steps of the selection when the user left.
    pub(crate) steps: Vec<SelectionStep>,
    /// Rows of the selection; set in the view of findings only, where a pivot on an evidence record
    /// applies to these rows.
    pub(crate) rows: Option<Rows>,
    /// Record under the cursor of the list of records.
    pub(crate) record: Option<Place>,
    /// Number of rows above that cursor on the screen.
    pub(crate) above: usize,
    /// Name of the table row under the cursor, and the number of rows above it on the screen.
    pub(crate) row: Option<(String, usize)>,
    /// Order of the rows of the table.
    pub(crate) order: TableOrder,
    /// Groups and subjects of plots.
    pub(crate) plots: PlotChoices,
    /// Time under the cursor of views over time, UTC ns.
    pub(crate) moment: Option<i64>,
    /// Time selection.
    pub(crate) time_selection: Option<TimeSelection>,
    /// Cursor and window of the page of unfinished work.
    pub(crate) unfinished: List,
    /// Cursor of the page of findings, the expanded finding, and the window.
    pub(crate) finding: (FindingCursor, usize, List),
    /// Steps of the selection when the next view was complete; `None` until then.
    pub(crate) arrived: Option<Vec<SelectionStep>>,
}
