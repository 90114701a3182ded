//! SQLite databases as sources: every table is a stream of lines, each row a JSON object, its rowid first.
//!
//! A database may be in use by a program that must never wait for us, and lies in a folder that is not ours:
//!
//! * no lock is taken and nothing is written beside it (SQLite itself would make a `-shm` file to read a write-ahead log);
//! * a small one is read into memory while it stands still, a large one is read in place as if nobody changed it;
//! * one with a write-ahead log or a journal is copied with them to a temporary folder, and SQLite reads the copy: so the
//!   newest rows are seen, and those of a transaction that is under way are not;
//! * what it computes when it is read is left out, for whoever made it says what is computed.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Rows};

use widetui_core::cancel::Cancel;
use widetui_core::jsontext::ObjectLine;

pub use super::dbcopy::Look;
use super::dbcopy::{self, Stillness};

/// A database up to this many bytes is read into memory.
const SMALL: u64 = 64 << 20;

/// No line is much longer than this, bytes: longer ones would be cut, and be no JSON any more.
const LINE: usize = 768 * 1024;

/// SQLite asks whether to stop after so many of its steps: some thousand times a second.
const STEPS: i32 = 10_000;

/// How SQLite marks a generated column whose values are not stored.
const COMPUTED: i64 = 2;

/// Rows are written to a buffer of about this many bytes.
const BUFFER: usize = 64 * 1024;

/// An open database, read only: neither locked nor written to.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    /// Where its copy lies; goes with it.
    _folder: Option<tempfile::TempDir>,
    /// How the file looked when it was opened, when it is read in place.
    in_place: Option<Look>,
    /// What is to be said about how it was opened.
    pub notes: Vec<String>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbTable {
    /// Its name.
    pub name: String,
    /// Names of its columns.
    pub(crate) columns: Vec<String>,
    /// Names of columns that are computed when they are read: left out.
    pub computed: Vec<String>,
    /// It has a rowid that is not called as one of the columns.
    has_rowid: bool,
}

impl Database {
    /// Opens a file, which may be in use. Reading ends with an error when it is cancelled.
    ///
    /// # Errors
    /// Why it cannot be read, for people.
    pub fn open(path: &Path, cancel: &Cancel) -> Result<Database, String> {
        let look = dbcopy::look(path).map_err(|e| e.to_string())?;
        if !look.has_more() && look.bytes() <= SMALL {
            let (bytes, stillness) = dbcopy::read(path).map_err(|e| e.to_string())?;
            if stillness == Stillness::Still {
                return Database::from_bytes(bytes, cancel);
            }
        }
        if !look.has_more() && look.bytes() > SMALL {
            return Database::in_place(path, look, cancel);
        }
        match dbcopy::copy(path) {
            Ok(copy) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = Connection::open_with_flags(&copy.path, flags).map_err(text)?;
                let mut database = Database::checked(connection, cancel)?;
                database._folder = Some(copy.folder);
                if copy.stillness == Stillness::Changed {
                    database.notes.push(
                        "it was changed all the time while it was copied: rows may be missing"
                            .to_owned(),
                    );
                }
                Ok(database)
            }
            Err(error) => {
                let mut database = Database::in_place(path, look, cancel)?;
                database.notes.push(format!(
                    "it is being written to and cannot be copied to the temporary folder ({error}; set TMPDIR): its newest rows are not seen"
                ));
                Ok(database)
            }
        }
    }

    /// How the files of a database look now: while that stays so, nothing came.
    ///
    /// # Errors
    /// When the database itself cannot be read.
    pub fn look(path: &Path) -> io::Result<Look> {
        dbcopy::look(path)
    }

    /// Opens the bytes of a database, a member of an archive. Reading ends with an error when it is cancelled.
    ///
    /// # Errors
    /// Why it cannot be read, for people.
    pub fn from_bytes(mut bytes: Vec<u8>, cancel: &Cancel) -> Result<Database, String> {
        // A database in memory has no write-ahead log: say that it needs none.
        if let Some(version @ [2, 2]) = bytes.get_mut(18..20) {
            version.copy_from_slice(&[1, 1]);
        }
        let mut connection = Connection::open_in_memory().map_err(text)?;
        connection
            .deserialize_read_exact("main", &bytes[..], bytes.len(), true)
            .map_err(text)?;
        drop(bytes);
        Database::checked(connection, cancel)
    }

    /// Reads the file where it is, as if nobody changed it.
    fn in_place(path: &Path, look: Look, cancel: &Cancel) -> Result<Database, String> {
        let mut uri = "file:".to_owned();
        for byte in std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()) {
            match byte {
                b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                    uri.push(char::from(*byte));
                }
                _ => {
                    let _ = write!(uri, "%{byte:02x}");
                }
            }
        }
        // A name that begins with two slashes would name a machine.
        uri = uri.replacen("file://", "file:/", 1);
        uri.push_str("?mode=ro&immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(uri, flags).map_err(text)?;
        let mut database = Database::checked(connection, cancel)?;
        database.in_place = Some(look);
        Ok(database)
    }

    /// A database may have been made to do harm: nothing in its schema may run.
    fn checked(mut connection: Connection, cancel: &Cancel) -> Result<Database, String> {
        let cancel = cancel.clone();
        connection
            .progress_handler(STEPS, Some(move || cancel.is_cancelled()))
            .map_err(text)?;
        for (config, value) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ] {
            connection.set_db_config(config, value).map_err(text)?;
        }
        connection
            .execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")
            .map_err(text)?;
        Ok(Database {
            connection,
            _folder: None,
            in_place: None,
            notes: Vec::new(),
        })
    }

    /// Its tables, in the order of their names; views and what SQLite keeps for itself are none.
    ///
    /// # Errors
    /// When it is damaged or no database, for people.
    pub fn tables(&self) -> Result<Vec<DbTable>, String> {
        let read = || -> rusqlite::Result<Vec<DbTable>> {
            let mut list = self.connection.prepare(
                "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
                 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
            )?;
            let mut columns = self
                .connection
                .prepare("SELECT name, hidden FROM pragma_table_xinfo(?1) WHERE hidden <> 1")?;
            let mut tables = Vec::new();
            let mut rows = list.query([])?;
            while let Some(row) = rows.next()? {
                let (name, without_rowid): (String, bool) = (row.get(0)?, row.get(1)?);
                let all = columns
                    .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect::<rusqlite::Result<Vec<(String, i64)>>>()?;
                let taken = all.iter().any(|c| c.0.eq_ignore_ascii_case("rowid"));
                // Values of other generated columns were stored when the row was written.
                let (computed, stored): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(|c| c.1 == COMPUTED);
                tables.push(DbTable {
                    has_rowid: !without_rowid && !taken,
                    name,
                    columns: stored.into_iter().map(|c| c.0).collect(),
                    computed: computed.into_iter().map(|c| c.0).collect(),
                });
            }
            Ok(tables)
        };
        read().map_err(text)
    }

    /// Hands the rows of a table to `f` as a stream of lines.
    ///
    /// # Errors
    /// When the table cannot be read at all, for people.
    pub fn with_rows<T>(
        &self,
        table: &DbTable,
        f: impl FnOnce(&mut TableLines<'_>) -> T,
    ) -> Result<T, String> {
        let name = quoted(&table.name);
        let mut wanted: Vec<String> = table.columns.iter().map(|c| quoted(c)).collect();
        let mut names = table.columns.clone();
        if table.has_rowid {
            wanted.insert(0, "rowid".to_owned());
            names.insert(0, "rowid".to_owned());
        }
        // An index may be broken where the table is not, and its order is not that in which rows came.
        let sql = format!("SELECT {} FROM {name} NOT INDEXED", wanted.join(", "));
        let mut statement = self.connection.prepare(&sql).map_err(text)?;
        let rows = statement.query([]).map_err(text)?;
        Ok(f(&mut TableLines {
            rows,
            names,
            buffer: Vec::new(),
            used: 0,
            count: 0,
            cut: 0,
            failed: None,
            done: false,
        }))
    }

    /// Whether the file was changed since it was opened, so that what was read in place may not fit together.
    pub fn was_changed(&self, path: &Path) -> bool {
        self.in_place
            .as_ref()
            .is_some_and(|look| dbcopy::look(path).ok().as_ref() != Some(look))
    }
}

/// The rows of a table as lines of JSON. An error ends the stream; it is told by `failed`.
pub struct TableLines<'a> {
    rows: Rows<'a>,
    names: Vec<String>,
    buffer: Vec<u8>,
    used: usize,
    done: bool,
    /// Rows read.
    pub count: u64,
    /// Rows of which a value was too long and is cut.
    pub cut: u64,
    /// What ended the stream early, for people.
    pub failed: Option<String>,
}

impl TableLines<'_> {
    fn fill(&mut self) {
        self.buffer.clear();
        self.used = 0;
        while self.buffer.len() < BUFFER && !self.done {
            let row = match self.rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => {
                    self.done = true;
                    return;
                }
                Err(error) => {
                    self.done = true;
                    self.failed = Some(text(error));
                    return;
                }
            };
            let mut line = ObjectLine::new(&mut self.buffer, LINE);
            for (at, name) in self.names.iter().enumerate() {
                match row.get_ref(at) {
                    Ok(ValueRef::Integer(n)) => line.bare(name, &n.to_string()),
                    Ok(ValueRef::Real(x)) if x.is_finite() => line.bare(name, &format!("{x:?}")),
                    Ok(ValueRef::Real(x)) if x > 0.0 => line.bare(name, "Infinity"),
                    Ok(ValueRef::Real(_)) => line.bare(name, "-Infinity"),
                    Ok(ValueRef::Text(value)) => line.text(name, value),
                    Ok(ValueRef::Blob(bytes)) => blob(&mut line, name, bytes),
                    Ok(ValueRef::Null) | Err(_) => line.bare(name, "null"),
                }
            }
            self.cut += u64::from(line.end());
            self.count += 1;
        }
    }
}

impl Read for TableLines<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.used == self.buffer.len() {
            self.fill();
        }
        let n = buf.len().min(self.buffer.len() - self.used);
        buf[..n].copy_from_slice(&self.buffer[self.used..self.used + n]);
        self.used += n;
        Ok(n)
    }
}

/// Bytes that are text are shown as such, others in hexadecimal digits.
fn blob(line: &mut ObjectLine<'_>, name: &str, bytes: &[u8]) {
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    if std::str::from_utf8(bytes).is_ok_and(|t| t.chars().all(plain)) {
        return line.text(name, bytes);
    }
    let mut digits = String::new();
    for byte in bytes.iter().take(LINE) {
        let _ = write!(digits, "{byte:02x}");
    }
    line.text(name, digits.as_bytes());
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text(error: rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => {
            message.unwrap_or_else(|| code.to_string())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
#[path = "sqlite/tests.rs"]
mod tests;
