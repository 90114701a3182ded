//! Runs a program in a pseudo-terminal and observes its screen.
//!
//! The program starts with an empty environment and a new home directory, so that no setting of the
//! machine affects the screen. Tests wait for conditions, never for fixed times: a slow machine
//! makes them slow, but does not make them fail.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process, kill_process_group};
use rustix::termios::{LocalModes, tcgetattr};

use super::keys::{Mouse, bytes_of, mouse_bytes};
use super::modes::{Modes, SYNCHRONIZED};
use super::screen::Screen;
pub use super::watched::Exit;
use super::watched::Watched;

/// Maximum time to wait for a condition: 20 seconds, or the seconds in `SCREEN_WAIT_SECONDS`.
pub fn default_limit() -> Duration {
    let seconds = std::env::var("SCREEN_WAIT_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|s| s.parse().ok()).unwrap_or(20))
}

/// Program to run, with arguments, environment and terminal size.
pub struct PtyCommand {
    program: OsString,
    args: Vec<OsString>,
    envs: Vec<(OsString, OsString)>,
    cwd: Option<PathBuf>,
    cols: u16,
    rows: u16,
}

/// Input modes of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSettings {
    /// Input is passed on line by line (off in raw mode).
    pub canonical: bool,
    /// Input is echoed (off in raw mode).
    pub echo: bool,
}

/// Running (or finished) program and its terminal.
pub struct PtySession {
    watched: Arc<Watched>,
    master: Box<dyn MasterPty + Send>,
    writer: Mutex<Box<dyn Write + Send>>,
    pid: Pid,
    waiter: Option<JoinHandle<()>>,
    home: tempfile::TempDir,
}

impl PtyCommand {
    /// Program by its absolute path (`env!("CARGO_BIN_EXE_...")`), in a terminal of 80 x 24.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            envs: Vec::new(),
            cwd: None,
            cols: 80,
            rows: 24,
        }
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable; overrides defaults.
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.envs
            .push((key.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Sets the working directory; the default is the new home directory.
    pub fn cwd(mut self, dir: impl AsRef<Path>) -> Self {
        self.cwd = Some(dir.as_ref().to_owned());
        self
    }

    /// Sets the size of the terminal, in cells.
    pub fn size(mut self, cols: u16, rows: u16) -> Self {
        (self.cols, self.rows) = (cols, rows);
        self
    }

    /// Starts the program.
    ///
    /// # Errors
    ///
    /// Step that failed: terminal, home directory or program.
    pub fn spawn(self) -> Result<PtySession, String> {
        let home = tempfile::tempdir().map_err(|e| format!("fresh home: {e}"))?;
        let mut command = CommandBuilder::new(&self.program);
        command.args(&self.args);
        command.env_clear();
        for (key, value) in [
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("LANG", "C.UTF-8"),
            ("TZ", "UTC"),
            ("SHELL", "/bin/sh"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ] {
            command.env(key, value);
        }
        command.env("HOME", home.path());
        for (key, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_RUNTIME_DIR", "runtime"),
            ("TMPDIR", "tmp"),
        ] {
            let path = home.path().join(folder);
            std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            command.env(key, path);
        }
        for (key, value) in &self.envs {
            command.env(key, value);
        }
        command.cwd(self.cwd.as_deref().unwrap_or(home.path()));

        let (rows, cols) = size_of(self.cols, self.rows)?;
        let pair = native_pty_system()
            .openpty(pty_size(self.cols, self.rows))
            .map_err(|e| format!("open a pseudo-terminal: {e}"))?;
        let child = pair
            .slave
            .spawn_command(command)
            .map_err(|e| format!("run {}: {e:#}", self.program.display()))?;
        // The copy in this process would keep the terminal open after the program has ended.
        drop(pair.slave);
        let pid = child
            .process_id()
            .and_then(|pid| Pid::from_raw(pid.cast_signed()))
            .ok_or("the program has no process id")?;

        let reader = pair.master.try_clone_reader().map_err(|e| e.to_string())?;
        let writer = pair.master.take_writer().map_err(|e| e.to_string())?;
        let (watched, waiter) = Watched::start(rows, cols, reader, child);
        Ok(PtySession {
            watched,
            master: pair.master,
            writer: Mutex::new(writer),
            pid,
            waiter: Some(waiter),
            home,
        })
    }
}

impl PtySession {
    /// Types keys: literal text, and names in angle brackets as in [`bytes_of`].
    ///
    /// # Errors
    ///
    /// Unknown key name, or a closed terminal.
    pub fn send(&self, keys: &str) -> Result<(), String> {
        self.send_bytes(&bytes_of(keys)?)
    }

    /// Sends raw bytes.
    ///
    /// # Errors
    ///
    /// The terminal is closed.
    pub fn send_bytes(&self, bytes: &[u8]) -> Result<(), String> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = writer.write_all(bytes).and_then(|()| writer.flush());
        sent.map_err(|e| format!("send {:?}: {e}", String::from_utf8_lossy(bytes)))
    }

    /// Sends text as a bracketed paste.
    ///
    /// # Errors
    ///
    /// As [`Self::send_bytes`].
    pub fn paste(&self, text: &str) -> Result<(), String> {
        self.send_bytes(format!("\x1b[200~{text}\x1b[201~").as_bytes())
    }

    /// Sends a mouse event at a zero-based column and row.
    ///
    /// # Errors
    ///
    /// As [`Self::send_bytes`].
    pub fn mouse(&self, mouse: Mouse, col: u16, row: u16) -> Result<(), String> {
        self.send_bytes(&mouse_bytes(mouse, col, row))
    }

    /// Waits until the text of the screen meets a condition, and returns that screen. Screens
    /// within a synchronized update are ignored.
    ///
    /// # Errors
    ///
    /// The last screen, if the limit passed or the program ended before.
    pub fn wait_for(
        &self,
        condition: impl Fn(&str) -> bool,
        limit: Duration,
    ) -> Result<Screen, String> {
        let started = Instant::now();
        let outcome = self.watched.wait(limit, |seen| {
            let whole = !seen.modes.is_on(SYNCHRONIZED) || seen.ended;
            let screen = whole.then(|| Screen::from_vt100(seen.parser.screen()));
            match screen {
                Some(screen) if condition(&screen.text()) => Some(Ok(screen)),
                _ if seen.ended => Some(Err(())),
                _ => None,
            }
        });
        let reason = match outcome {
            Some(Ok(screen)) => return Ok(screen),
            Some(Err(())) => "the program closed the terminal".to_owned(),
            None => format!("nothing for {:.1} s", started.elapsed().as_secs_f64()),
        };
        Err(format!(
            "{reason}; last screen:\n{}",
            framed(&self.screen())
        ))
    }

    /// Waits, with the default limit, until the screen contains `needle`.
    ///
    /// # Errors
    ///
    /// As [`Self::wait_for`].
    pub fn wait_for_text(&self, needle: &str) -> Result<Screen, String> {
        self.wait_for(|text| text.contains(needle), default_limit())
            .map_err(|e| format!("waited for {needle:?}: {e}"))
    }

    /// Waits until the program has ended and all its output has been read.
    ///
    /// # Errors
    ///
    /// The last screen, if the limit passed before.
    pub fn wait_exit(&self, limit: Duration) -> Result<Exit, String> {
        self.watched
            .wait(limit, |seen| seen.exit.clone().filter(|_| seen.ended))
            .ok_or_else(|| format!("still running; last screen:\n{}", framed(&self.screen())))
    }

    /// Exit status of the program, if it has ended.
    pub fn exit_status(&self) -> Option<Exit> {
        self.watched.lock().exit.clone()
    }

    /// Current screen; may be an incomplete frame.
    pub fn screen(&self) -> Screen {
        Screen::from_vt100(self.watched.lock().parser.screen())
    }

    /// Zero-based column and row of the cursor; `None` while it is hidden.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        let seen = self.watched.lock();
        let (row, col) = seen.parser.screen().cursor_position();
        (!seen.parser.screen().hide_cursor()).then_some((col, row))
    }

    /// All output of the program so far.
    pub fn raw_output(&self) -> Vec<u8> {
        self.watched.lock().raw.clone()
    }

    /// Terminal modes set by the output so far.
    pub fn modes(&self) -> Modes {
        self.watched.lock().modes.clone()
    }

    /// Current input modes of the terminal; after the program's end they must be those of a shell.
    ///
    /// # Errors
    ///
    /// The terminal cannot be queried.
    pub fn line_settings(&self) -> Result<LineSettings, String> {
        use rustix::fs::{Mode, OFlags, open};
        let path = self.master.tty_name().ok_or("the terminal has no name")?;
        let tty = open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())
            .map_err(|e| format!("{}: {e}", path.display()))?;
        let modes = tcgetattr(&tty).map_err(|e| e.to_string())?.local_modes;
        Ok(LineSettings {
            canonical: modes.contains(LocalModes::ICANON),
            echo: modes.contains(LocalModes::ECHO),
        })
    }

    /// Changes the size of the terminal; the program gets `SIGWINCH`.
    ///
    /// # Errors
    ///
    /// A size of zero, or a terminal that cannot be resized.
    pub fn resize(&self, cols: u16, rows: u16) -> Result<(), String> {
        let (height, width) = size_of(cols, rows)?;
        // The emulator first, so that output for the new size finds it resized.
        self.watched.lock().parser.set_size(height, width);
        self.master
            .resize(pty_size(cols, rows))
            .map_err(|e| format!("resize: {e}"))
    }

    /// Sends a signal to the program.
    ///
    /// # Errors
    ///
    /// The program has ended, or the system call failed.
    pub fn kill(&self, signal: Signal) -> Result<(), String> {
        if let Some(exit) = self.exit_status() {
            return Err(format!("the program has ended: {exit:?}"));
        }
        kill_process(self.pid, signal).map_err(|e| format!("kill: {e}"))
    }

    /// Home directory of the program, initially empty.
    pub fn home(&self) -> &Path {
        self.home.path()
    }
}

impl Drop for PtySession {
    fn drop(&mut self) {
        if self.exit_status().is_none() {
            // The program leads its own session, so this includes its children.
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
        if let Some(waiter) = self.waiter.take() {
            let _ = waiter.join();
        }
    }
}

fn pty_size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// Rows and columns for the emulator.
fn size_of(cols: u16, rows: u16) -> Result<(NonZeroU16, NonZeroU16), String> {
    let size = NonZeroU16::new(rows).zip(NonZeroU16::new(cols));
    size.ok_or_else(|| format!("a terminal of {cols} x {rows} cells"))
}

/// Text of the screen in a frame, so that blank rows are visible in a message.
fn framed(screen: &Screen) -> String {
    let rule = "-".repeat(usize::from(screen.cols));
    let lines: String = (0..screen.rows)
        .map(|row| format!("|{}\n", screen.line(row)))
        .collect();
    format!("+{rule}\n{lines}+{rule}")
}
