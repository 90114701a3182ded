//! SQLite databases as sources: each table is a stream of lines, each row a JSON object with the rowid first.
//!
//! A database may be in use by a program that must not be blocked, in a folder that must not be modified:
//!
//! * no lock is taken, and nothing is written next to it (SQLite itself would create a `-shm` file to read a
//!   write-ahead log);
//! * a small database is read into memory if it does not change meanwhile, a large one is read in place as immutable;
//! * a database with a write-ahead log or a journal is copied together with it to a temporary folder, and SQLite reads
//!   the copy: this includes the newest committed rows, but not those of an open transaction;
//! * columns that are computed on read are left out, as their expressions come from an untrusted file.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Rows};

use widetui_core::cancel::Cancel;
use widetui_core::jsontext::ObjectLine;

pub use super::database_copy::DatabaseState;
use super::database_copy::{self, Consistency, CopyFolder};

/// Maximum size of a database that is read into memory, bytes.
const SMALL: u64 = 64 << 20;

/// Approximate maximum length of a row's line, bytes: longer lines would be truncated and thus be invalid JSON.
const LINE: usize = 768 * 1024;

/// Number of SQLite VM steps between checks for cancellation; some thousand checks per second.
const STEPS: i32 = 10_000;

/// Value of `hidden` in `pragma_table_xinfo` for a virtual generated column.
const COMPUTED: i64 = 2;

/// Approximate size of the row buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// Database opened read-only, without locks.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    /// Temporary folder of the copy, deleted on drop.
    _folder: Option<CopyFolder>,
    /// State of the files at opening, if the database is read in place.
    in_place: Option<DatabaseState>,
    /// Notes for the user about how the database was opened.
    pub notes: Vec<String>,
}

/// Table of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbTable {
    /// Name of the table.
    pub name: String,
    /// Names of the columns.
    pub(crate) columns: Vec<String>,
    /// Names of columns computed on read, which are left out.
    pub computed: Vec<String>,
    /// Whether the table has a rowid that is not hidden by a column of the same name.
    has_rowid: bool,
}

impl Database {
    /// Opens a file, which may be in use. Cancellation makes later reads fail.
    ///
    /// # Errors
    /// Reason why the database cannot be read, for the user.
    pub fn open(path: &Path, cancel: &Cancel) -> Result<Database, String> {
        let state = database_copy::state(path).map_err(|e| e.to_string())?;
        if !state.has_more() && state.bytes() <= SMALL {
            let (bytes, consistency) = database_copy::read(path).map_err(|e| e.to_string())?;
            if consistency == Consistency::Consistent {
                return Database::from_bytes(bytes, cancel);
            }
        }
        if !state.has_more() && state.bytes() > SMALL {
            return Database::in_place(path, state, cancel);
        }
        match database_copy::copy(path) {
            Ok(copy) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = Connection::open_with_flags(&copy.path, flags).map_err(text)?;
                let mut database = Database::checked(connection, cancel)?;
                database._folder = Some(copy.folder);
                if copy.consistency == Consistency::Changed {
                    database.notes.push(
                        "it changed during each attempt to copy it: rows may be missing".to_owned(),
                    );
                }
                Ok(database)
            }
            Err(error) => {
                let mut database = Database::in_place(path, state, cancel)?;
                database.notes.push(format!(
                    "it is being written to and cannot be copied to the temporary folder ({error}; set TMPDIR): its newest rows are missing"
                ));
                Ok(database)
            }
        }
    }

    /// Reads the state of the database files; equal states mean that nothing was written.
    ///
    /// # Errors
    /// The database file cannot be read.
    pub fn state(path: &Path) -> io::Result<DatabaseState> {
        database_copy::state(path)
    }

    /// Opens a database held in memory, such as an archive member. Cancellation makes later reads fail.
    ///
    /// # Errors
    /// Reason why the database cannot be read, for the user.
    pub fn from_bytes(mut bytes: Vec<u8>, cancel: &Cancel) -> Result<Database, String> {
        // A database in memory has no write-ahead log: resets the format versions (bytes 18 and 19 of the header) to
        // rollback journal.
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

    /// Opens the file in place as immutable.
    fn in_place(path: &Path, state: DatabaseState, cancel: &Cancel) -> Result<Database, String> {
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
        // A URI path that begins with two slashes would name a host.
        uri = uri.replacen("file://", "file:/", 1);
        uri.push_str("?mode=ro&immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(uri, flags).map_err(text)?;
        let mut database = Database::checked(connection, cancel)?;
        database.in_place = Some(state);
        Ok(database)
    }

    /// Disables everything in the schema that could run code: the database may be malicious.
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

    /// Lists the tables in the order of their names, without views and internal tables.
    ///
    /// # Errors
    /// The database is damaged or no database; message for the user.
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
                // Stored generated columns were computed when the row was written.
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

    /// Passes the rows of a table to `f` as a stream of JSON lines.
    ///
    /// # Errors
    /// The table cannot be read at all; message for the user.
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
        // Indices may be damaged although the table is not, and are not in the order of insertion.
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

    /// Whether the file was changed since it was opened in place, so that rows read may be inconsistent.
    pub fn was_changed(&self, path: &Path) -> bool {
        self.in_place
            .as_ref()
            .is_some_and(|state| database_copy::state(path).ok().as_ref() != Some(state))
    }
}

/// Rows of a table as JSON lines. An error ends the stream and is stored in `failed`.
pub struct TableLines<'a> {
    rows: Rows<'a>,
    names: Vec<String>,
    buffer: Vec<u8>,
    used: usize,
    done: bool,
    /// Number of rows read.
    pub count: u64,
    /// Number of rows with a truncated value.
    pub cut: u64,
    /// Error that ended the stream, for the user.
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
        let mut left = self.buffer.get(self.used..).unwrap_or_default();
        let n = left.read(buf)?;
        self.used += n;
        Ok(n)
    }
}

/// Writes a blob as text if it is printable UTF-8, else in hexadecimal digits.
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
