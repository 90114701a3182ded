//! Tables as plain data: columns and rows, built on the thread of a job, navigated by `update`, drawn by
//! `views::table`. A view that is a table defines only its columns and how an answer becomes rows (see
//! [`super::answers`]); cursor, order, filter, widths, pivots and the mouse work alike in all tables.
//!
//! Cells keep numbers and times as values; only the rows on the screen are formatted, so a table of 100,000 rows is
//! drawn as fast as a short one.

mod arrange;
mod cell;
pub mod csv;
pub mod natural;
mod state;
mod widths;

use std::borrow::Cow;

use widetui_analysis::entity::Id;
use widetui_core::ids::SourceId;
use widetui_query::{Expr, Field};
use widetui_report::figure::Figure;
use widetui_session::instances::InstanceHandle;
use widetui_session::plots::{EntityInstances, InstanceSet, Messages};
use widetui_session::record_texts::Place;
use widetui_session::selection::SelectionStep;

use crate::plots::settings::SlowestSubject;
use crate::role::Role;

pub use arrange::{ArrangeRequest, Arranged, Sort};
pub use cell::Cell;
pub use cell::{number, percent};
pub use state::TableState;
pub use widetui_report::sheet::SheetAlign as Align;
pub use widths::{PlacedColumn, place};

/// Part of a long text that is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Start: for paths.
    Start,
    /// Middle: for names that differ at their ends.
    Middle,
    /// End.
    End,
}

/// Column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub title: Cow<'static, str>,
    /// Heading where the whole one would take the room of another column; empty if there is none.
    pub(crate) short_title: &'static str,
    /// Name in CSV; derived from the heading if empty.
    pub(crate) field: Cow<'static, str>,
    /// Alignment of cells.
    pub align: Align,
    /// Priority on a narrow screen: 0 for a column that is always shown; greater ranks are hidden first.
    pub(crate) rank: u8,
    /// Minimum width if cells need it, terminal columns.
    pub(crate) min_width: u16,
    /// Maximum width, terminal columns.
    pub(crate) max_width: u16,
    /// Whether the column takes spare room up to `most`, beyond the width of its cells.
    pub(crate) grows: bool,
    /// Style of cells without one of their own.
    pub role: Role,
    /// Part of a long text that is cut.
    pub cut: Cut,
}

impl Column {
    /// Column of texts.
    pub(crate) fn text(title: impl Into<Cow<'static, str>>) -> Column {
        Column {
            title: title.into(),
            short_title: "",
            field: Cow::Borrowed(""),
            align: Align::Left,
            rank: 0,
            min_width: 8,
            max_width: 40,
            grows: false,
            role: Role::Text,
            cut: Cut::End,
        }
    }

    /// Column of numbers, sizes or durations.
    pub fn number(title: impl Into<Cow<'static, str>>) -> Column {
        Column {
            align: Align::Right,
            min_width: 1,
            max_width: 20,
            ..Column::text(title)
        }
    }

    /// Column of times.
    pub(crate) fn time(title: impl Into<Cow<'static, str>>) -> Column {
        Column {
            min_width: 8,
            max_width: 23,
            role: Role::Time,
            ..Column::text(title)
        }
    }

    /// Column of bars of at most `most` terminal columns.
    pub(crate) fn bar(title: impl Into<Cow<'static, str>>, most: u16) -> Column {
        Column {
            min_width: 5,
            max_width: most,
            grows: true,
            role: Role::Bars,
            ..Column::text(title)
        }
    }

    /// Column of sparklines over time.
    pub(crate) fn spark(title: impl Into<Cow<'static, str>>) -> Column {
        Column {
            min_width: 12,
            max_width: 60,
            ..Column::bar(title, 60)
        }
    }

    /// Heading, or the short one if there is one.
    pub fn heading(&self, is_short: bool) -> &str {
        match is_short && !self.short_title.is_empty() {
            true => self.short_title,
            false => &self.title,
        }
    }

    /// Sets the name in CSV.
    pub(crate) fn field(self, field: Cow<'static, str>) -> Column {
        Column { field, ..self }
    }

    /// Sets the heading of narrow screens.
    pub(crate) fn short(self, short_title: &'static str) -> Column {
        Column {
            short_title,
            ..self
        }
    }

    /// Sets the priority on a narrow screen.
    pub(crate) fn rank(self, rank: u8) -> Column {
        Column { rank, ..self }
    }

    /// Sets the minimum and maximum width, terminal columns.
    pub(crate) fn between(self, least: u16, most: u16) -> Column {
        Column {
            min_width: least,
            max_width: most,
            ..self
        }
    }

    /// Lets the column take spare room.
    pub(crate) fn growing(self) -> Column {
        Column {
            grows: true,
            ..self
        }
    }

    /// Sets the style of cells.
    pub fn role(self, role: Role) -> Column {
        Column { role, ..self }
    }

    /// Sets the part of long texts that is cut.
    pub fn cut(self, cut: Cut) -> Column {
        Column { cut, ..self }
    }
}

/// Value that a row shares with events: a pivot, and a condition of filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PivotValue {
    /// Field.
    pub field: Field,
    /// Label in the breadcrumb.
    pub label: String,
    /// Value for comparison.
    pub value: String,
    /// Value as shown.
    pub shown: String,
}

impl PivotValue {
    /// Builds the pair of a key and its value, shown as it is.
    pub(crate) fn key(
        field: Field,
        label: impl Into<String>,
        value: impl Into<String>,
    ) -> PivotValue {
        let value = value.into();
        PivotValue {
            field,
            label: label.into(),
            shown: value.clone(),
            value,
        }
    }
}

/// Action of Enter on a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RowAction {
    /// None.
    #[default]
    Nothing,
    /// Selects the events with the first of the row's `pivots`.
    Pivot,
    /// Adds a step to the selection.
    Filter(Box<SelectionStep>),
    /// Replaces the selection by a step.
    Only(Box<SelectionStep>),
    /// Moves the cursor to an event in the list of all.
    Event(Place),
    /// Shows the values of a field.
    Values(Field),
    /// Focuses the pane with the details of a source.
    Source(SourceId),
    /// Shows the events of an instance.
    Instance(Box<InstanceHandle>),
    /// Shows the events of several instances.
    Members(Box<InstanceSet>),
    /// Shows the instances of an entity (dotted name).
    Instances(String),
    /// Shows these instances in the graph of dependencies.
    Dependencies(Vec<Id>),
    /// Shows the conflicts of a join.
    Conflicts(String),
    /// Switches a join on or off.
    Switch(String),
    /// Shows the slowest instances of a step or phase.
    Slowest(Box<SlowestSubject>),
    /// Shows the records of a message, by its index in the plot of the table.
    Message(u32),
    /// Shows the messages whose records match a step.
    Messages(Box<SelectionStep>),
}

/// Row of a table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Stable name: the cursor stays on the row with this name when the table is updated.
    pub name: String,
    /// Cells, one per column.
    pub cells: Vec<Cell>,
    /// Action of Enter.
    pub action: RowAction,
    /// Values that the row shares with events; the first is its subject.
    pub pivots: Vec<PivotValue>,
    /// Whether the row is drawn faint.
    pub is_faint: bool,
    /// Lines below the table while the cursor is on the row, each with its label.
    pub details: Vec<(&'static str, String)>,
}

impl Row {
    /// Row with a stable name.
    pub(crate) fn new(name: impl Into<String>, cells: Vec<Cell>) -> Row {
        Row {
            name: name.into(),
            cells,
            ..Row::default()
        }
    }

    /// Sets the action of Enter.
    pub(crate) fn with_action(self, action: impl Into<Option<RowAction>>) -> Row {
        let action = action.into().unwrap_or_default();
        Row { action, ..self }
    }

    /// Sets the values that the row shares with events.
    pub(crate) fn with_pivots(self, pivots: impl IntoIterator<Item = PivotValue>) -> Row {
        let pivots = pivots.into_iter().collect();
        Row { pivots, ..self }
    }

    /// As [`Row::with_pivots`]; Enter selects the events with the first value.
    pub(crate) fn pivoting(self, pivots: impl IntoIterator<Item = PivotValue>) -> Row {
        let row = self.with_pivots(pivots);
        let action = (!row.pivots.is_empty()).then_some(RowAction::Pivot);
        row.with_action(action)
    }

    /// Sets the lines below the table; empty ones are left out.
    pub(crate) fn with_details<const N: usize>(self, lines: [(&'static str, String); N]) -> Row {
        let details = lines.into_iter().filter(|(_, text)| !text.is_empty());
        let details = self.details.into_iter().chain(details).collect();
        Row { details, ..self }
    }

    /// Draws the row faint.
    pub(crate) fn faint(self, is_faint: bool) -> Row {
        Row { is_faint, ..self }
    }
}

/// Rows to which commands lead from a row, as indices into `Table::rows`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowLinks {
    /// Row that the row waits for.
    pub before: Option<usize>,
    /// Row that waits for the row.
    pub after: Option<usize>,
}

/// Entity that a table is about, for commands and views when the user chose none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSubject {
    /// Dotted name of the entity.
    pub entity: String,
    /// Dotted name of the resource that makes up the rows, if any.
    pub resource: Option<String>,
}

/// Limit of measured cell widths, terminal columns: a column exceeds its maximum only if room is left over.
const MAX_MEASURED_WIDTH: u16 = 160;

/// Answer as columns and rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Entity that the table is about, if it is about instances.
    pub subject: Option<TableSubject>,
    /// Condition of the shown records if the user chose none.
    pub default_condition: Option<Expr>,
    /// Title, if it differs from the name of the view.
    pub title: Option<String>,
    /// Figure above the rows, or in their place.
    pub figure: Option<Figure>,
    /// Instances that the bars of the figure stand for.
    pub instances: Option<EntityInstances>,
    /// Messages that the arrows of the figure stand for.
    pub messages: Option<Messages>,
    /// Remarks in the title line, after the name of the view and the number of rows.
    pub note: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows in default order.
    pub rows: Vec<Row>,
    /// Links of the rows; empty if rows have none.
    pub links: Vec<RowLinks>,
    /// Text in place of rows if there are none.
    pub empty_text: &'static str,
    /// Row of the cursor when the table is first shown.
    pub(crate) initial_row: usize,
    /// Time of the cursor when the table is first shown, UTC ns.
    pub initial_time: Option<i64>,
    /// Default order, if it is that of a column.
    pub order: Option<Sort>,
    /// Width of the widest cell of each column, terminal columns; 0 for times, whose width the renderer knows.
    pub(crate) natural_widths: Vec<u16>,
}

impl Table {
    /// Builds a table and measures its cells.
    pub(crate) fn new(columns: Vec<Column>, rows: Vec<Row>, empty_text: &'static str) -> Table {
        let mut natural = vec![0u16; columns.len()];
        for row in &rows {
            for ((widest, column), cell) in natural.iter_mut().zip(&columns).zip(&row.cells) {
                if *widest < column.max_width.max(MAX_MEASURED_WIDTH) {
                    *widest = (*widest).max(cell.columns());
                }
            }
        }
        Table {
            subject: None,
            default_condition: None,
            title: None,
            figure: None,
            instances: None,
            messages: None,
            note: String::new(),
            columns,
            rows,
            links: Vec::new(),
            empty_text,
            initial_row: 0,
            initial_time: None,
            order: None,
            natural_widths: natural,
        }
    }

    /// Sets the title.
    pub(crate) fn with_title(self, title: impl Into<String>) -> Table {
        Table {
            title: Some(title.into()),
            ..self
        }
    }

    /// Sets the row of the cursor when the table is first shown.
    pub(crate) fn with_initial_row(self, start: usize) -> Table {
        Table {
            initial_row: start,
            ..self
        }
    }

    /// Sets the figure above the rows.
    pub(crate) fn with_figure(self, figure: Figure) -> Table {
        let figure = Some(figure);
        Table { figure, ..self }
    }

    /// Title of the instance of a bar in the figure.
    pub fn title_of(&self, instance: u32) -> Option<String> {
        let found = self.instances.as_ref()?;
        Some(found.title(found.list.get(instance as usize)?))
    }

    /// Width of the widest cell of a column, terminal columns.
    pub fn natural_width(&self, column: usize) -> u16 {
        self.natural_widths.get(column).copied().unwrap_or(0)
    }

    /// Declares the default order by a column.
    pub(crate) fn with_order(self, column: usize, is_descending: bool) -> Table {
        let order = Some(Sort {
            column,
            is_descending,
        });
        Table { order, ..self }
    }

    /// Sets the remarks of the title line.
    pub(crate) fn with_note(self, note: impl Into<String>) -> Table {
        Table {
            note: note.into(),
            ..self
        }
    }
}
