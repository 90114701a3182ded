//! Taking the terminal and giving it back, in every way the program can end.

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

use super::osc52::{Between, give_to_tmux, sequence};
use super::paint::plain;
use super::rescue;
use super::scroll::{Ways, frame};
use super::views;
use crate::theme::Theme;

/// Whether the terminal is ours now; read by the panic hook.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is, while the terminal is.
static MOUSE: AtomicBool = AtomicBool::new(true);

/// Bytes of a frame collected before they are written.
const FRAME: usize = 1 << 16;

/// The terminal while it is ours. Dropping it gives it back.
pub struct OwnedTerminal {
    out: CrosstermBackend<BufWriter<Stdout>>,
    /// What the terminal shows.
    shown: Buffer,
    /// Where its cursor is seen, or that it is not; nothing while nobody knows.
    cursor: Option<Option<(u16, u16)>>,
    ways: Ways,
}

impl std::fmt::Debug for OwnedTerminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Screen")
    }
}

impl OwnedTerminal {
    /// Takes the terminal, and the mouse if it is wanted.
    ///
    /// # Errors
    /// When it cannot be switched or written to.
    pub fn enter(mouse: bool, ways: Ways) -> io::Result<OwnedTerminal> {
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

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.out
            .size()
            .map_or((80, 24), |size| (size.width, size.height))
    }

    /// Draws the model as one update; says what stands where.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn draw(&mut self, model: &Model, theme: &Theme) -> io::Result<HitMap> {
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
        // Through the same writer as the frame: a begin that overtakes or trails the frame does nothing.
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

    /// Forgets what is on the screen, so that the next frame is drawn whole.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn clear(&mut self) -> io::Result<()> {
        let area = Rect::from((Position::ORIGIN, self.out.size()?));
        self.out.clear()?;
        self.shown = Buffer::empty(area);
        self.cursor = None;
        Ok(())
    }

    /// Puts text on the clipboard of the user's terminal (OSC 52).
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn copy(&mut self, text: &ClipboardText) -> io::Result<()> {
        let text = text.as_str();
        let between = Between::of(|name| std::env::var(name).ok());
        let backend = &mut self.out;
        backend.write_all(sequence(text, between).as_bytes())?;
        io::Write::flush(backend)?;
        if between == Between::Tmux {
            give_to_tmux(text.to_owned());
        }
        Ok(())
    }

    /// Takes the mouse, or gives it to the terminal.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn mouse(&mut self, ours: bool) -> io::Result<()> {
        MOUSE.store(ours, Ordering::SeqCst);
        if ours {
            execute!(self.out, EnableMouseCapture)
        } else {
            execute!(self.out, DisableMouseCapture)
        }
    }

    /// Gives the terminal back and stops the process; takes it again when continued.
    ///
    /// # Errors
    /// When the terminal cannot be taken again.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back();
        // To the whole process, as the shell's own key would do.
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        take()?;
        self.clear()
    }
}

impl Drop for OwnedTerminal {
    fn drop(&mut self) {
        give_back();
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
    switched.inspect_err(|_| give_back())
}

/// Gives the terminal back as it was; does nothing when it is not ours. What cannot be written any more is let go.
pub fn give_back() {
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

/// A panic of any thread first saves the workspace, then gives the terminal back, so that its message is seen, and ends the
/// program.
fn install_panic_hook() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    let before = std::panic::take_hook();
    let interface = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if rescue::is_saving_thread() {
            return;
        }
        let ours = TAKEN.load(Ordering::SeqCst);
        let saved = rescue::save();
        give_back();
        before(info);
        rescue::report(saved);
        if ours && std::thread::current().id() != interface {
            // The interface would go on over a terminal that it no longer has.
            std::process::exit(101);
        }
    }));
}
