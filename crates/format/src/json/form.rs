//! Forms: the use of each field of a JSON record, and the columns of all records with the same fields.

use std::sync::Arc;

use widetui_core::ids::KeyId;
use widetui_time::timeparse::TimePattern;

use crate::catalog::Catalog;
use crate::catalog::keys::Key;
use crate::json::compose::Composed;
use crate::pattern::levels::LevelScale;

/// Fields of a record, in order, with the use of each; shared by all records with the same fields.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// Number in the tables of the run, part of the code site; 0 if not assigned.
    pub(crate) id: u32,
    /// Field names as written between the quotes, dotted for nested objects.
    pub(crate) fields: Vec<Box<[u8]>>,
    /// Fields that may hold the time, in order of preference.
    pub(crate) time: Vec<(usize, Option<TimePattern>)>,
    /// Field with the date if the time has none.
    pub(crate) date: Option<usize>,
    /// Field with the fraction of a second if the time has whole seconds, and its unit in ns.
    pub(crate) fraction: Option<(usize, i64)>,
    /// Field with the zone if the time has none.
    pub(crate) zone: Option<usize>,
    /// Fields that may hold the level, in order of preference, with their numeric scale.
    pub(crate) level: Vec<(usize, LevelScale)>,
    /// Fields that may hold the message, in order of preference.
    pub(crate) message: Vec<usize>,
    /// Fields that may hold the template, in order of preference.
    pub(crate) template: Vec<usize>,
    /// Fields that identify the writer.
    pub(crate) writer: Vec<(usize, Arc<Key>)>,
    /// Columns of fields.
    pub(crate) columns: Vec<FormColumn>,
    /// Columns of host lists, after those of fields, each with the key of a single host.
    pub(crate) hosts: Vec<FormColumn>,
    /// Columns of durations, after all others.
    pub(crate) durations: Vec<Duration>,
    /// Keys of all columns.
    pub(crate) keys: Box<[KeyId]>,
    /// Message composed of fields.
    pub(crate) composed: Option<Composed>,
    /// Whether times without a zone are UTC.
    pub(crate) utc: bool,
    /// Whether the fields are all the keys of a record, so that host lists are not split.
    pub(crate) is_complete: bool,
    /// Template of records without a message.
    pub(crate) summary: Arc<str>,
    /// Whether some fields have no column and exist in the text only.
    pub(crate) is_cut: bool,
    /// Uses of each field, computed by `note_uses`.
    pub(crate) uses: Box<[Uses]>,
}

/// Uses of a field: the parts of a record that must be computed again if only this field differs from the previous
/// record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Column of the field.
    pub(crate) column: Option<u32>,
    /// The level depends on it.
    pub(crate) level: bool,
    /// The writer depends on it.
    pub(crate) writer: bool,
    /// The message or its template depends on it.
    pub(crate) message: bool,
    /// Further columns (hosts, durations) depend on it.
    pub(crate) others: bool,
}

impl Uses {
    /// Combined uses of two fields, without their columns.
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

/// Column of a form.
#[derive(Clone, Debug)]
pub(crate) struct FormColumn {
    /// Field with the value; `None` in a form that is wider than the record.
    pub(crate) at: Option<usize>,
    /// The key.
    pub(crate) key: Arc<Key>,
}

/// Seconds between two time fields.
#[derive(Clone, Debug)]
pub(crate) struct Duration {
    /// Fields with start and end; `None` in a form that is wider than the record.
    pub(crate) between: Option<(usize, usize)>,
    /// The key of the seconds.
    pub(crate) key: Arc<Key>,
}

impl Form {
    /// Whether one of the fields is a message.
    pub(crate) fn has_message(&self) -> bool {
        !self.message.is_empty() || self.composed.is_some()
    }

    /// Computes the uses of each field.
    pub(crate) fn note_uses(&mut self) {
        let mut uses = vec![Uses::default(); self.fields.len()];
        let mut note = |at: usize, what: &dyn Fn(&mut Uses)| {
            if let Some(uses) = uses.get_mut(at) {
                what(uses);
            }
        };
        for (column, FormColumn { at, .. }) in (0..).zip(&self.columns) {
            if let Some(at) = at {
                note(*at, &|uses| uses.column = Some(column));
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

    /// Sets the columns of fields, followed by those of host lists; columns of durations stay as they are.
    pub(crate) fn set_columns(&mut self, columns: Vec<FormColumn>, tables: &Catalog) {
        let named = |key: &Key| columns.iter().any(|c| c.key.id == key.id);
        let lists = columns.iter().filter(|_| !self.is_complete);
        let hosts = lists.filter_map(|c| {
            let key = tables.keys.host_key(&c.key)?;
            (!named(&key)).then_some(FormColumn { at: c.at, key })
        });
        self.hosts = hosts.collect();
        self.columns = columns;
        let columns = self.columns.iter().chain(&self.hosts).map(|c| c.key.id);
        let durations = self.durations.iter().map(|d| d.key.id);
        self.keys = columns.chain(durations).collect();
    }
}
