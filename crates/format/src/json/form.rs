//! What the fields of a JSON record are for, and the columns that records with the same fields have.

use std::sync::Arc;

use widetui_core::ids::KeyId;
use widetui_time::timeparse::TimePattern;

use crate::catalog::Catalog;
use crate::catalog::keys::Key;
use crate::json::compose::Composed;
use crate::json::usual_fields::names_priority;

/// What the numbers of a field of levels mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelScale {
    /// As in Python's `levelno`: 20 is info.
    Python,
    /// As bunyan and pino write them: 30 is info.
    Bunyan,
    /// Severities of RFC 5424: 6 is info.
    Severity,
}

impl LevelScale {
    pub(crate) fn of(field: &str) -> LevelScale {
        match field {
            "levelno" => LevelScale::Python,
            field if names_priority(field) => LevelScale::Severity,
            _ => LevelScale::Bunyan,
        }
    }
}

/// The fields of a record, in their order, and what each is for: shared by all records with the same fields.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// Number in the run's tables, part of the code site; 0 while it has none.
    pub(crate) id: u32,
    /// Field names as they stand between the quotes, dotted for nested objects.
    pub(crate) fields: Vec<Box<[u8]>>,
    /// Fields that may hold the time, best first.
    pub(crate) time: Vec<(usize, Option<TimePattern>)>,
    /// The field with the day, where the time names none.
    pub(crate) date: Option<usize>,
    /// Field with the fraction of a second, where the time is whole seconds, and its unit in ns.
    pub(crate) fraction: Option<(usize, i64)>,
    /// Fields that may hold the level, best first, and what their numbers mean.
    pub(crate) level: Vec<(usize, LevelScale)>,
    /// Fields that may hold the message, best first.
    pub(crate) message: Vec<usize>,
    /// Fields that may hold the template, best first.
    pub(crate) template: Vec<usize>,
    /// Fields that say who writes.
    pub(crate) writer: Vec<(usize, Arc<Key>)>,
    /// Its columns.
    pub(crate) columns: Vec<FormColumn>,
    /// Behind them those of fields that are lists of hosts, with the key of each host.
    pub(crate) hosts: Vec<FormColumn>,
    /// Behind all others those of durations.
    pub(crate) durations: Vec<Duration>,
    /// Keys of all columns.
    pub(crate) keys: Box<[KeyId]>,
    /// The message, made of fields.
    pub(crate) composed: Option<Composed>,
    /// Times without a zone are UTC.
    pub(crate) utc: bool,
    /// The fields are all keys there are: no host is taken out of a list of hosts.
    pub(crate) is_complete: bool,
    /// Template of records without a message.
    pub(crate) summary: Arc<str>,
    /// Some fields have no column: they stand in the text only.
    pub(crate) is_cut: bool,
    /// What each field is used for, by `note_uses`.
    pub(crate) uses: Box<[Uses]>,
}

/// What a field is used for: what of a record is told anew when only this field has another value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Its column.
    pub(crate) column: Option<u32>,
    /// The level is told by it.
    pub(crate) level: bool,
    /// It says who writes.
    pub(crate) writer: bool,
    /// The message, or what it is a template of, is made of it.
    pub(crate) message: bool,
    /// Columns beside its own are filled by it.
    pub(crate) others: bool,
}

impl Uses {
    /// What two fields are used for; the columns are left out.
    #[inline]
    #[must_use]
    pub(crate) fn and(self, other: Uses) -> Uses {
        Uses {
            column: None,
            level: self.level | other.level,
            writer: self.writer | other.writer,
            message: self.message | other.message,
            others: self.others | other.others,
        }
    }
}

/// A column of a form.
#[derive(Clone, Debug)]
pub(crate) struct FormColumn {
    /// The field with the value; `None` in a form that is wider than the record.
    pub(crate) at: Option<usize>,
    /// The key.
    pub(crate) key: Arc<Key>,
}

/// The seconds between two fields with times.
#[derive(Clone, Debug)]
pub(crate) struct Duration {
    /// Those with the start and the end; `None` in a form that is wider than the record.
    pub(crate) between: Option<(usize, usize)>,
    /// The key of the seconds.
    pub(crate) key: Arc<Key>,
}

impl Form {
    /// Whether a message is among the fields.
    pub(crate) fn has_message(&self) -> bool {
        !self.message.is_empty() || self.composed.is_some()
    }

    /// Notes what each field is used for.
    pub(crate) fn note_uses(&mut self) {
        let mut uses = vec![Uses::default(); self.fields.len()];
        let mut note = |at: usize, what: &dyn Fn(&mut Uses)| {
            if let Some(uses) = uses.get_mut(at) {
                what(uses);
            }
        };
        for (column, FormColumn { at, .. }) in self.columns.iter().enumerate() {
            if let Some(at) = at {
                note(*at, &|uses| uses.column = Some(column as u32));
            }
        }
        self.level
            .iter()
            .for_each(|(at, _)| note(*at, &|uses| uses.level = true));
        self.writer
            .iter()
            .for_each(|(at, _)| note(*at, &|uses| uses.writer = true));
        let message = self.message.iter().chain(&self.template);
        message.for_each(|at| note(*at, &|uses| uses.message = true));
        let hosts = self.hosts.iter().filter_map(|column| column.at);
        let between = self.durations.iter().filter_map(|d| d.between);
        let others = hosts.chain(between.flat_map(|(start, end)| [start, end]));
        others.for_each(|at| note(at, &|uses| uses.others = true));
        if self.composed.is_some() {
            uses.iter_mut().for_each(|uses| uses.message = true);
        }
        self.uses = uses.into();
    }

    /// Gives it these columns, and behind them those of hosts; those of durations stay as they are.
    pub(crate) fn set_columns(&mut self, columns: Vec<FormColumn>, tables: &Catalog) {
        let named = |key: &Key| columns.iter().any(|c| c.key.id == key.id);
        let lists = columns.iter().filter(|_| !self.is_complete);
        let hosts = lists.filter_map(|c| {
            let key = tables.keys.hosts_of(&c.key)?;
            (!named(&key)).then_some(FormColumn { at: c.at, key })
        });
        self.hosts = hosts.collect();
        self.columns = columns;
        let columns = self.columns.iter().chain(&self.hosts).map(|c| c.key.id);
        let durations = self.durations.iter().map(|d| d.key.id);
        self.keys = columns.chain(durations).collect();
    }
}
