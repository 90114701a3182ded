//! Terminal session: enters raw mode and the alternate screen, and restores the terminal however
//! the program ends.

use std::io::{self, BufWriter, IsTerminal, PipeReader, Read, Stdout, Write, stderr, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use widetui_app::clipboard_text::ClipboardText;
use widetui_app::hit::HitMap;
use widetui_app::model::Model;
use widetui_core::lock;

use super::osc52::{Multiplexer, give_to_tmux, sequence};
use super::paint::plain;
use super::scroll::{OutputFeatures, frame};
use super::views;
use crate::theme::Theme;

/// Whether the terminal is in raw mode and on the alternate screen.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is captured while the terminal is taken.
static MOUSE: AtomicBool = AtomicBool::new(true);

/// Held while a frame is written.
static FRAME_WRITER: Mutex<()> = Mutex::new(());

/// Maximum time to wait for the end of a frame before the terminal is restored.
const FRAME_PATIENCE: Duration = Duration::from_millis(200);

/// Messages of libraries and of the runtime (a failed allocation, a panic) while the screen is taken.
static HELD_ERRORS: Mutex<Option<HeldErrors>> = Mutex::new(None);

/// Standard error that is held in a pipe.
struct HeldErrors {
    terminal: OwnedFd,
    pipe: PipeReader,
}

/// Size of the output buffer, in bytes.
const FRAME: usize = 1 << 16;

/// Terminal session. Dropping it restores the terminal.
pub(crate) struct OwnedTerminal {
    out: CrosstermBackend<BufWriter<Stdout>>,
    /// Current content of the screen.
    shown: Buffer,
    /// Position of the cursor (`Some(None)`: hidden); `None` if unknown.
    cursor: Option<Option<(u16, u16)>>,
    ways: OutputFeatures,
}

impl std::fmt::Debug for OwnedTerminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Screen")
    }
}

impl OwnedTerminal {
    /// Enters the alternate screen, and captures the mouse if `mouse` is set.
    ///
    /// # Errors
    /// The terminal cannot be configured or written to.
    pub(crate) fn enter(mouse: bool, ways: OutputFeatures) -> io::Result<OwnedTerminal> {
        MOUSE.store(mouse, Ordering::SeqCst);
        take()?;
        let out = BufWriter::with_capacity(FRAME, stdout());
        Ok(OwnedTerminal {
            out: CrosstermBackend::new(out),
            shown: Buffer::default(),
            cursor: None,
            ways,
        })
    }

    /// Number of columns and rows.
    pub(crate) fn size(&self) -> (u16, u16) {
        self.out
            .size()
            .map_or((80, 24), |size| (size.width, size.height))
    }

    /// Draws the model in one synchronized update; returns the mouse targets.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn draw(&mut self, model: &Model, theme: &Theme) -> io::Result<HitMap> {
        let area = Rect::from((Position::ORIGIN, self.out.size()?));
        if area != self.shown.area {
            self.clear()?;
        }
        let mut next = Buffer::empty(area);
        let hits = views::draw(model, theme, &mut next);
        plain(&mut next);
        let bytes = frame(&self.shown, &next, self.ways);
        let cursor = views::text_cursor(model);
        if bytes.is_empty() && self.cursor == Some(cursor) {
            return Ok(hits);
        }
        let _writing = lock::hold(&FRAME_WRITER);
        if !is_taken() {
            // Another thread ends the process and has restored the terminal.
            return Ok(hits);
        }
        // Through the same writer as the frame: out of order, the sequence would have no effect.
        queue!(self.out, BeginSynchronizedUpdate)?;
        io::Write::write_all(&mut self.out, &bytes)?;
        match cursor {
            Some(at) => {
                self.out.set_cursor_position(at)?;
                self.out.show_cursor()?;
            }
            None if self.cursor != Some(None) => self.out.hide_cursor()?,
            None => {}
        }
        queue!(self.out, EndSynchronizedUpdate)?;
        io::Write::flush(&mut self.out)?;
        (self.shown, self.cursor) = (next, Some(cursor));
        Ok(hits)
    }

    /// Discards the known content of the screen, so that the next frame is written in full.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        let area = Rect::from((Position::ORIGIN, self.out.size()?));
        self.out.clear()?;
        self.shown = Buffer::empty(area);
        self.cursor = None;
        Ok(())
    }

    /// Copies text to the clipboard of the user's terminal (OSC 52).
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn copy(&mut self, text: &ClipboardText) -> io::Result<()> {
        let text = text.as_str();
        let between = Multiplexer::of(|name| std::env::var(name).ok());
        let backend = &mut self.out;
        backend.write_all(sequence(text, between).as_bytes())?;
        io::Write::flush(backend)?;
        if between == Multiplexer::Tmux {
            give_to_tmux(text.to_owned());
        }
        Ok(())
    }

    /// Captures the mouse, or releases it to the terminal.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn mouse(&mut self, ours: bool) -> io::Result<()> {
        MOUSE.store(ours, Ordering::SeqCst);
        if ours {
            execute!(self.out, EnableMouseCapture)
        } else {
            execute!(self.out, DisableMouseCapture)
        }
    }

    /// Restores the terminal and stops the process; enters the alternate screen again on
    /// continuation.
    ///
    /// # Errors
    /// The terminal cannot be configured again.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        restore_terminal();
        // Stop the whole process group, as the shell does for Ctrl-Z.
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        take()?;
        self.clear()
    }
}

impl Drop for OwnedTerminal {
    fn drop(&mut self) {
        restore_terminal();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    // Without a pipe messages appear on the screen.
    let _ = hold_errors();
    let switched = execute!(
        stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        Hide,
        MoveTo(0, 0)
    )
    .and_then(|()| match MOUSE.load(Ordering::SeqCst) {
        true => execute!(stdout(), EnableMouseCapture),
        false => Ok(()),
    });
    switched.inspect_err(|_| restore_terminal())
}

/// Whether the terminal is taken.
pub(crate) fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Restores the terminal if it was taken. Write errors are ignored.
pub(crate) fn restore_terminal() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // First, as the output may wait for ever.
    let _ = disable_raw_mode();
    let _whole = frame_end();
    let mut bytes = Vec::new();
    let _ = queue!(
        bytes,
        EndSynchronizedUpdate,
        ResetColor,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        Show
    );
    // Not through the standard library: the event loop may be blocked while it holds the lock of its writer.
    let mut rest = &bytes[..];
    while let Ok(written @ 1..) = rustix::io::write(stdout(), rest) {
        rest = rest.get(written..).unwrap_or_default();
    }
    print_held_errors();
}

/// Waits for the end of a frame that another thread writes, [`FRAME_PATIENCE`] at most: that thread may be blocked.
fn frame_end() -> Option<MutexGuard<'static, ()>> {
    let deadline = Instant::now() + FRAME_PATIENCE;
    loop {
        match FRAME_WRITER.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => return None,
        }
    }
}

/// Holds what is written to standard error, if that is a terminal.
fn hold_errors() -> io::Result<()> {
    if !stderr().is_terminal() {
        return Ok(());
    }
    let (pipe, writer) = io::pipe()?;
    // Messages beyond the capacity of the pipe are lost rather than waited for.
    rustix::io::ioctl_fionbio(&writer, true)?;
    let terminal = stderr().as_fd().try_clone_to_owned()?;
    *lock::hold(&HELD_ERRORS) = Some(HeldErrors { terminal, pipe });
    Ok(rustix::stdio::dup2_stderr(&writer)?)
}

/// Prints what was held, and later messages directly.
fn print_held_errors() {
    let Some(mut held) = lock::hold(&HELD_ERRORS).take() else {
        return;
    };
    let mut text = Vec::new();
    // Closes the last writer of the pipe, unless a child process has it, too.
    let restored = rustix::stdio::dup2_stderr(&held.terminal);
    let _ = rustix::io::ioctl_fionbio(&held.pipe, true);
    let _ = held.pipe.read_to_end(&mut text);
    if restored.is_ok() {
        let _ = stderr().write_all(&text);
    }
}
