//! Tables: columns and rows as plain data, made on the thread of a job, moved through by `update`, drawn by
//! `views::table`. A view that is a table says its columns and how an answer becomes rows (see [`super::tables`]), and
//! nothing else: cursor, order, filter of rows, widths, pivots and the mouse are the same for all.
//!
//! Cells keep numbers and times as they are; only the rows on the screen become text, so tables of 100,000 rows cost
//! no more to draw than short ones.

mod arrange;
mod cell;
pub mod csv;
pub mod natural;
mod state;
mod widths;

use widetui_core::ids::SourceId;
use widetui_query::{Expr, Field};
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;
use widetui_session::selection::SelectionStep;

use crate::plots::Plot;
use crate::plots::state::SlowIn;
use crate::role::Role;

pub use arrange::{ArrangeWish, Arranged, Sort};
pub use cell::Cell;
pub use cell::{number, percent};
pub use state::TableState;
pub use widths::{PlacedColumn, place};

/// To which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// Which part of a text that is too long is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Its start: paths.
    Start,
    /// Its middle: names that differ at their ends.
    Middle,
    /// Its end.
    End,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Name in CSV; empty if it is made of the heading.
    pub(crate) field: &'static str,
    /// To which side its cells stand.
    pub align: Align,
    /// How soon it gives way when the screen is narrow: 0 never, else the greater the sooner.
    pub(crate) rank: u8,
    /// Columns that it gets at least when it is shown and its cells want them.
    pub(crate) least: u16,
    /// Columns that it gets at most.
    pub(crate) most: u16,
    /// Whether it takes room that is left, up to `most`, beyond what its cells want.
    pub(crate) grows: bool,
    /// Look of its cells, where they have none of their own.
    pub role: Role,
    /// What of a long text is left out.
    pub cut: Cut,
}

impl Column {
    /// A column of texts.
    pub(crate) fn text(title: &'static str) -> Column {
        Column {
            title,
            field: "",
            align: Align::Left,
            rank: 0,
            least: 8,
            most: 40,
            grows: false,
            role: Role::Text,
            cut: Cut::End,
        }
    }

    /// A column of numbers, sizes or durations.
    pub fn number(title: &'static str) -> Column {
        Column {
            align: Align::Right,
            least: 1,
            most: 20,
            ..Column::text(title)
        }
    }

    /// A column of times.
    pub(crate) fn time(title: &'static str) -> Column {
        Column {
            least: 8,
            most: 23,
            role: Role::Time,
            ..Column::text(title)
        }
    }

    /// A column of bars of at most so many columns.
    pub(crate) fn bar(title: &'static str, most: u16) -> Column {
        Column {
            least: 5,
            most,
            grows: true,
            role: Role::Bars,
            ..Column::text(title)
        }
    }

    /// A column of small curves over time.
    pub(crate) fn spark(title: &'static str) -> Column {
        Column {
            least: 12,
            most: 60,
            ..Column::bar(title, 60)
        }
    }

    /// Column with this name in CSV.
    pub(crate) fn field(self, field: &'static str) -> Column {
        Column { field, ..self }
    }

    /// It gives way as the `rank`-th.
    pub(crate) fn rank(self, rank: u8) -> Column {
        Column { rank, ..self }
    }

    /// It gets at least `least` and at most `most` columns.
    pub(crate) fn between(self, least: u16, most: u16) -> Column {
        Column {
            least,
            most,
            ..self
        }
    }

    /// It takes room that is left.
    pub(crate) fn growing(self) -> Column {
        Column {
            grows: true,
            ..self
        }
    }

    /// Its cells look like this.
    pub fn role(self, role: Role) -> Column {
        Column { role, ..self }
    }

    /// Of long texts this is left out.
    pub fn cut(self, cut: Cut) -> Column {
        Column { cut, ..self }
    }
}

/// Something that a row has in common with events: what `p` offers and what filters on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonField {
    /// The field.
    pub field: Field,
    /// Word for it in the trail.
    pub label: String,
    /// The value that is compared.
    pub value: String,
    /// The value as it is shown.
    pub shown: String,
}

impl CommonField {
    /// A key and its value.
    pub(crate) fn key(
        field: Field,
        label: impl Into<String>,
        value: impl Into<String>,
    ) -> CommonField {
        let value = value.into();
        CommonField {
            field,
            label: label.into(),
            shown: value.clone(),
            value,
        }
    }
}

/// What looking closer at a row does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RowGoal {
    /// Nothing.
    #[default]
    Nothing,
    /// Shows the events that have what the row has: the first of its `same`.
    Pivot,
    /// Shows the events that fit.
    Filter(SelectionStep),
    /// Shows the events that fit, whatever is selected now.
    Only(SelectionStep),
    /// Shows an event among the others.
    Event(Place),
    /// Shows the values of a field.
    Values(Field),
    /// Goes into the pane that describes the source.
    Source(SourceId),
    /// Shows the events of a thing.
    Instance(Box<InstanceHandle>),
    /// Shows the things of a kind (dotted name).
    Instances(String),
    /// Shows the conflicts of a join.
    Conflicts(String),
    /// Switches a join on or off.
    Switch(String),
    /// Shows the things for which a step took longest, or which spent most time on something.
    Slowest(SlowIn),
    /// Shows the records of a message: its number in the picture of the table.
    Message(u32),
    /// Shows the messages that these records are about.
    Messages(SelectionStep),
}

/// A row of a table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What it is about; the cursor stays on it when a newer table comes.
    pub name: String,
    /// One cell per column.
    pub cells: Vec<Cell>,
    /// What looking closer does.
    pub goal: RowGoal,
    /// What it has in common with events, what it is about first.
    pub same: Vec<CommonField>,
    /// Whether it is only listed: drawn faint.
    pub is_faint: bool,
}

/// Of which things a table tells when nobody chose: dotted names, as the commands take them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSubject {
    /// The kind of things.
    pub entity: String,
    /// The kind of what carries them, where it makes the rows.
    pub carrier: Option<String>,
}

/// Columns up to which cells are measured: a column gets more than its most only where nothing else wants the room.
const WIDEST: u16 = 160;

/// One answer as columns and rows, in the order in which it was made.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Of which things it tells, where that is worked out.
    pub about: Option<TableSubject>,
    /// What the records fit that it tells of, when nobody chose any.
    pub usual: Option<Expr>,
    /// What the line above it calls it, when the name of the view does not say it.
    pub title: Option<String>,
    /// What is drawn above it, and what the line above that says.
    pub plot: Option<(String, Plot)>,
    /// What the line above it says beside the name of the view and the number of rows.
    pub note: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, in the order in which they are shown when nobody asked for another.
    pub rows: Vec<Row>,
    /// What stands there instead of rows when there are none.
    pub nothing: &'static str,
    /// The row on which the cursor stands when it is shown for the first time.
    pub(crate) start: usize,
    /// The column by which the rows are in order, upwards, when nobody asked for another one.
    pub by: Option<usize>,
    /// Columns that the widest cell of each column wants; times are left to the one who draws.
    pub(crate) natural: Vec<u16>,
}

impl Table {
    /// A table; measures its cells.
    pub(crate) fn new(columns: Vec<Column>, rows: Vec<Row>, nothing: &'static str) -> Table {
        let mut natural = vec![0u16; columns.len()];
        for row in &rows {
            for ((widest, column), cell) in natural.iter_mut().zip(&columns).zip(&row.cells) {
                if *widest < column.most.max(WIDEST) {
                    *widest = (*widest).max(cell.columns());
                }
            }
        }
        Table {
            about: None,
            usual: None,
            title: None,
            plot: None,
            note: String::new(),
            columns,
            rows,
            nothing,
            start: 0,
            by: None,
            natural,
        }
    }

    /// With a name of its own.
    pub(crate) fn titled(self, title: impl Into<String>) -> Table {
        Table {
            title: Some(title.into()),
            ..self
        }
    }

    /// With the row on which the cursor stands at first: the one that says most.
    pub(crate) fn beginning_at(self, start: usize) -> Table {
        Table { start, ..self }
    }

    /// With something drawn above it.
    pub(crate) fn with_plot(self, title: impl Into<String>, plot: Plot) -> Table {
        Table {
            plot: Some((title.into(), plot)),
            ..self
        }
    }

    /// With rows that are in the order of a column.
    pub(crate) fn ordered_by(self, column: usize) -> Table {
        Table {
            by: Some(column),
            ..self
        }
    }

    /// With a remark for the line above it.
    pub(crate) fn noted(self, note: impl Into<String>) -> Table {
        Table {
            note: note.into(),
            ..self
        }
    }
}
