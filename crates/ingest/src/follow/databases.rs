//! Following of databases. If the database file or its write-ahead log changed, each table is read again and new rows
//! are added. A table with changed rows is reread as a whole, but only at intervals: that invalidates all cached
//! results of the run.

use crate::source_entries::{problem, remove_problems};
use std::fs;
use std::time::{Duration, Instant};

use crate::source_entries::short_name;
use crate::tables::DATABASE_LISTED;
use widetui_core::diag::Severity;
use widetui_source::file::modified;
use widetui_source::sqlite::{Database, DbTable};
use widetui_store::SourceTrait;

use super::derived_rows::is_soon;
use super::derived_sources::Derived;
use super::derived_sources::{FollowedTable, Rows, Tables};
use super::follower::Follower;
use super::growing::Growing;
use super::watched::FileState;

/// Start of the problem text of a database that became unreadable.
const UNREADABLE: &str = "the database cannot be read any more while it is followed: ";

/// Minimum interval between rereads of a table with changed rows.
const ANEW: Duration = Duration::from_secs(30);
/// Additional interval per record of the run.
const ANEW_EACH: Duration = Duration::from_micros(20);

impl Follower {
    /// Starts following a file as a database.
    pub(super) fn follow_database(&mut self, at: usize) {
        let file = &mut self.files[at];
        if matches!(file.derived, Some(Derived::Tables(_))) {
            return;
        }
        file.derived = Some(Derived::Tables(Box::default()));
        file.lines.log = None;
        let id = file.lines.id;
        self.clear_not_followed(id);
        self.shared.change(id, |s| {
            DATABASE_LISTED.clone_into(&mut s.layout);
            s.is_log = false;
        });
        self.is_changed = true;
    }

    /// Checks whether a database was written to, and reads new rows; returns the number of bytes read.
    pub(super) fn visit_database(&mut self, at: usize, state: &FileState, now: Instant) -> u64 {
        let file = &mut self.files[at];
        let Some(Derived::Tables(mut tables)) = file.derived.take() else {
            return 0;
        };
        let path = file.path.clone();
        let mut bytes = 0;
        match Database::state(&path) {
            Err(error) => self.report_unreadable(at, &error),
            // Unchanged since it was opened. A write-ahead log may hold more rows than at that time.
            Ok(found)
                if tables.state.is_none()
                    && matches!(state, FileState::Same)
                    && !found.has_more() =>
            {
                tables.state = Some(found);
            }
            Ok(found) => {
                let is_known = tables.state.as_ref() == Some(&found) && !tables.is_behind;
                if !is_known && !tables.last.is_some_and(|last| is_soon(last, now)) {
                    let written = fs::metadata(&path).map_or(0, |meta| modified(&meta));
                    bytes = self.read_tables(at, &mut tables, written, now);
                }
            }
        }
        self.files[at].derived = Some(Derived::Tables(tables));
        bytes
    }

    /// Exports the tables of a database again and reads the new rows; returns the number of bytes read.
    pub(super) fn read_tables(
        &mut self,
        at: usize,
        tables: &mut Tables,
        written: i64,
        now: Instant,
    ) -> u64 {
        let started = Instant::now();
        let file = &mut self.files[at];
        let (id, path) = (file.lines.id, file.path.clone());
        file.is_unreadable = false;
        // Recorded before reading: rows that arrive meanwhile are read at the next poll.
        tables.state = Database::state(&path).ok();
        let length = fs::metadata(&path).map_or(file.len, |meta| meta.len());
        (file.len, file.modified) = (length, written);
        let opened = Database::open(&path, &self.cancel);
        let listed = opened.and_then(|database| Ok((database.tables()?, database)));
        let mut bytes = 0;
        tables.is_behind = false;
        match listed {
            Ok((listed, database)) => {
                remove_problems(&self.shared, id, |text| text.starts_with(UNREADABLE));
                for table in listed {
                    let table = (&database, &table);
                    bytes += self.read_table(at, tables, table, (written, now));
                }
            }
            Err(error) => {
                let text = format!("{UNREADABLE}{error}");
                problem(&self.shared, id, Severity::Warning, text);
                self.is_changed = true;
            }
        }
        tables.last = Some((now, started.elapsed()));
        self.shared
            .change(id, |s| (s.bytes, s.modified) = (length, written));
        if bytes > 0 {
            self.files[at].grew = Some(now);
        }
        bytes
    }

    /// Reads the new rows of one table; returns the number of bytes read.
    fn read_table(
        &mut self,
        at: usize,
        tables: &mut Tables,
        (database, table): (&Database, &DbTable),
        (written, now): (i64, Instant),
    ) -> u64 {
        let place = tables.all.iter().position(|t| t.name == table.name);
        let place = place.unwrap_or_else(|| {
            let lines = self.enter_table(at, &table.name);
            tables.all.push(FollowedTable {
                name: table.name.clone(),
                rows: Rows::new(None, lines),
                last_reread: None,
            });
            tables.all.len() - 1
        });
        let each = u32::try_from(self.base.len()).unwrap_or(u32::MAX);
        let rest = ANEW.max(ANEW_EACH.saturating_mul(each));
        let FollowedTable {
            rows, last_reread, ..
        } = &mut tables.all[place];
        let id = rows.lines.id;
        let known = self.known_rows(rows);
        let made = database.with_rows(table, |lines| {
            let made = self.reparse(lines, known.as_deref());
            (made.map_err(|error| error.to_string()), lines.failed.take())
        });
        let read = match made {
            Ok((Ok(made), None)) if made.is_changed() => {
                if last_reread.is_some_and(|then| now.duration_since(then) < rest) {
                    tables.is_behind = true;
                    return 0;
                }
                *last_reread = Some(now);
                self.read_new(rows, made, written)
            }
            Ok((Ok(made), None)) if made.is_longer(known.as_deref()) => {
                self.read_new(rows, made, written)
            }
            Ok((Ok(_), None)) => return 0,
            // A transient inconsistency disappears at the next poll, which removes the problem.
            Ok((Err(error), _)) | Ok((_, Some(error))) | Err(error) => {
                let text = format!("{UNREADABLE}{error}");
                problem(&self.shared, id, Severity::Warning, text);
                self.is_changed = true;
                return 0;
            }
        };
        remove_problems(&self.shared, id, |text| text.starts_with(UNREADABLE));
        self.shared
            .change(id, |s| s.traits.set(SourceTrait::Table, true));
        read.unwrap_or(0)
    }

    /// Source of a table: the one listed when the run was opened, else a new one.
    fn enter_table(&mut self, at: usize, table: &str) -> Growing {
        let file = self.files[at].lines.name.clone();
        let path = format!("{}/{table}", file.strip_suffix(".gz").unwrap_or(&file));
        let id = self.source_at(&path).unwrap_or_else(|| {
            let nothing = std::sync::Arc::<widetui_source::text::MemoryText>::default();
            let id = self.shared.update(|h| h.add(&path, 0, nothing));
            let tag = format!("{}/{table}", short_name(&file));
            self.rename(id, &path, Some(tag));
            id
        });
        Growing::new(id, path)
    }
}
