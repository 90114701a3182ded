//! Terminal session: enters raw mode and the alternate screen, and restores the terminal however
//! the program ends.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

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

use super::osc52::{Multiplexer, give_to_tmux, sequence};
use super::paint::plain;
use super::rescue;
use super::scroll::{OutputFeatures, frame};
use super::views;
use crate::theme::Theme;

/// Whether the terminal is in raw mode and on the alternate screen; read by the panic hook.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is captured while the terminal is taken.
static MOUSE: AtomicBool = AtomicBool::new(true);

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
        install_panic_hook();
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

/// Restores the terminal if it was taken. Write errors are ignored.
pub(crate) fn restore_terminal() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = stdout();
    let _ = queue!(
        out,
        EndSynchronizedUpdate,
        ResetColor,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        Show
    );
    let _ = out.flush();
    let _ = disable_raw_mode();
}

/// Installs a hook that, on a panic of any thread, saves the workspace, restores the terminal so
/// that the message is visible, and exits.
fn install_panic_hook() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    let before = std::panic::take_hook();
    let interface = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if rescue::is_saving_thread() || widetui_core::guard::is_guarded() {
            return;
        }
        let ours = TAKEN.load(Ordering::SeqCst);
        let saved = rescue::save();
        restore_terminal();
        before(info);
        rescue::report(saved);
        if ours && std::thread::current().id() != interface {
            // Other threads would continue to draw on the restored terminal.
            std::process::exit(101);
        }
    }));
}
