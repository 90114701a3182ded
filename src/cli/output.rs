//! Output of commands: a closed pipe ends quietly, text is made harmless for terminals.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use unicode_width::UnicodeWidthStr;

use super::colour::{self, Piece, TextRole, paint};

use widetui_core::lock::hold;
use widetui_core::words::printable;
pub use widetui_core::words::{grouped as count, plural};
pub use widetui_report::sheet::{SheetAlign, safe};
use widetui_session::export_files::export::{self as written, ExportFile};
use widetui_source::codec::Packer;
use widetui_store::Snapshot;

/// Failure of a command.
#[derive(Debug)]
pub enum Failure {
    /// The reader closed the output.
    Closed,
    /// Nothing matched; without a message.
    Nothing,
    /// Something is wrong in the run, as the output says, and the exit status has to say so.
    Wrong,
    /// The requested object does not exist; a message.
    Absent(String),
    /// Message for the user.
    Message(String),
}

/// Failure of a command, after its output, if something is wrong and `--exit-code` is given.
pub fn verdict(is_exit_code: bool, is_wrong: bool) -> Result<(), Failure> {
    match is_exit_code && is_wrong {
        true => Err(Failure::Wrong),
        false => Ok(()),
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::Closed;
        }
        Failure::Message(match hold(&FILE).as_ref() {
            Some(file) => written::cannot(&file.path, &error),
            None => format!("cannot write the output: {error}"),
        })
    }
}

/// File of `-o`, which takes the output.
struct OutputFile {
    path: PathBuf,
    bytes: Packer<ExportFile>,
    is_terminal: bool,
}

/// File that takes the output instead of standard output.
static FILE: Mutex<Option<OutputFile>> = Mutex::new(None);

/// Writes the output to a file from now on, until [`keep`]. Standard output (`-`) is no file.
///
/// # Errors
/// The file cannot be written.
pub fn redirect(path: &Path) -> Result<(), Failure> {
    if written::is_stdout(path) {
        return Ok(());
    }
    let name = path.to_string_lossy().to_lowercase();
    let (_, codec) = Packer::<ExportFile>::of_name(&name);
    let file = written::create(path).map_err(Failure::Message)?;
    *hold(&FILE) = Some(OutputFile {
        path: path.to_owned(),
        bytes: Packer::new(file, codec),
        is_terminal: is_terminal_at(path),
    });
    Ok(())
}

/// Checks that the output is no file of the run.
///
/// # Errors
/// It is one.
pub fn check_sources(snapshot: &Snapshot) -> Result<(), Failure> {
    match hold(&FILE).as_ref() {
        Some(file) => written::check_sources(&file.path, snapshot).map_err(Failure::Message),
        None => Ok(()),
    }
}

/// Moves the file of the output to its path, unless the command failed: then an older file is unchanged.
///
/// # Errors
/// The failure of the command; the file cannot be written.
pub fn keep(done: Result<(), Failure>) -> Result<(), Failure> {
    let file = hold(&FILE).take();
    if let (Some(file), Ok(()) | Err(Failure::Nothing | Failure::Wrong | Failure::Absent(_))) =
        (file, &done)
    {
        let bytes = { file.bytes.finish() }.map_err(|e| written::cannot(&file.path, &e));
        let kept = bytes.and_then(|bytes| written::keep(&file.path, bytes));
        kept.map_err(Failure::Message)?;
    }
    done
}

/// Leaves the file of the output as it was: there is nothing to write.
pub fn discard() {
    hold(&FILE).take();
}

/// True if the output goes to a terminal.
pub fn is_terminal() -> bool {
    match hold(&FILE).as_ref() {
        Some(file) => file.is_terminal,
        None => io::stdout().is_terminal(),
    }
}

/// True if a path is that of a terminal, or `-` and standard output is one.
pub fn is_terminal_at(path: &Path) -> bool {
    if written::is_stdout(path) {
        return io::stdout().is_terminal();
    }
    let is_device = |meta: fs::Metadata| meta.file_type().is_char_device();
    fs::metadata(path).is_ok_and(is_device) && File::open(path).is_ok_and(|f| f.is_terminal())
}

/// Output as bytes: standard output, or the file of [`redirect`].
pub struct Bytes;

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match hold(&FILE).as_mut() {
            Some(file) => file.bytes.write(bytes),
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match hold(&FILE).as_mut() {
            Some(file) => file.bytes.flush(),
            None => io::stdout().flush(),
        }
    }
}

/// Output of text, JSON lines and CSV, buffered. It carries no control characters but line feeds and tabs and no
/// bidirectional controls, in any format: what is piped may end on a terminal.
pub fn stdout() -> BufWriter<Output> {
    BufWriter::with_capacity(
        64 * 1024,
        Output {
            out: Bytes,
            is_terminal: is_terminal(),
            cut: Vec::new(),
        },
    )
}

/// Writes to the output.
///
/// # Errors
/// The output is closed.
pub fn write_out<E>(
    write: impl FnOnce(&mut BufWriter<Output>) -> Result<(), E>,
) -> Result<(), Failure>
where
    Failure: From<E>,
{
    let mut out = stdout();
    write(&mut out)?;
    Ok(out.flush()?)
}

/// Output, see [`stdout`].
pub struct Output {
    out: Bytes,
    is_terminal: bool,
    /// Start of an incomplete character.
    cut: Vec<u8>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = !self.is_terminal && !colour::is_on();
        if is_plain && self.cut.is_empty() && is_harmless(bytes) {
            return self.out.write(bytes);
        }
        self.cut.extend_from_slice(bytes);
        let (text, rest) = whole(&self.cut);
        let mut shown = String::with_capacity(text.len());
        for piece in colour::pieces(&text) {
            match piece {
                Piece::Text(text) if self.is_terminal => {
                    let lines = text.split('\n').map(safe).collect::<Vec<_>>();
                    shown.push_str(&lines.join("\n"));
                }
                Piece::Text(text) => shown.push_str(&printable(text)),
                Piece::Colour(colour) => shown.push_str(colour),
            }
        }
        self.cut = rest;
        self.out.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether bytes certainly contain no control characters but line feeds and tabs, and no bidirectional controls.
fn is_harmless(bytes: &[u8]) -> bool {
    // 0xc2 begins the controls U+0080 to U+009F, 0xd8 and 0xe2 the bidirectional ones, each among others.
    let is_suspect = |byte: &u8| {
        *byte < b' ' && !matches!(byte, b'\n' | b'\t') || matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2)
    };
    // Without an exit at each byte the compiler checks several at a time.
    let mut blocks = bytes.chunks(256);
    !blocks.any(|block| { block.iter() }.fold(false, |found, byte| found | is_suspect(byte)))
}

/// Text of bytes, and the bytes of an incomplete character at their end.
fn whole(bytes: &[u8]) -> (String, Vec<u8>) {
    let end = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    (
        String::from_utf8_lossy(&bytes[..end]).into_owned(),
        bytes[end..].to_vec(),
    )
}

/// Writes a message to standard error, made harmless as it may contain names from a log. Errors of writing are ignored.
pub fn warn(text: impl std::fmt::Display) {
    let text = text.to_string();
    let lines: Vec<String> = text.split('\n').map(safe).collect();
    let _ = writeln!(io::stderr(), "widetui: {}", lines.join("\n"));
}

/// Writes rows as columns with headings.
pub fn table(
    out: &mut impl Write,
    columns: &[(&str, SheetAlign)],
    rows: &[Vec<String>],
) -> io::Result<()> {
    let mut widths: Vec<usize> = columns.iter().map(|c| c.0.width()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let heading: Vec<String> = columns.iter().map(|c| c.0.to_owned()).collect();
    for (at, row) in std::iter::once(&heading).chain(rows).enumerate() {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            let fill = " ".repeat(widths[i].saturating_sub(cell.width()));
            if i > 0 {
                line.push_str("  ");
            }
            match columns[i].1 {
                SheetAlign::Left => line.push_str(&format!("{cell}{fill}")),
                SheetAlign::Right => line.push_str(&format!("{fill}{cell}")),
            }
        }
        match at {
            0 => writeln!(out, "{}", paint(TextRole::Heading, line.trim_end()))?,
            _ => writeln!(out, "{}", line.trim_end())?,
        }
    }
    Ok(())
}

/// Text in lines of at most `width` columns, broken at spaces.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_not_torn() {
        let text = "aé\u{85}".as_bytes();
        let (first, rest) = whole(&text[..2]);
        assert_eq!((first.as_str(), rest.as_slice()), ("a", &text[1..2]));
        let (all, rest) = whole(text);
        assert_eq!((safe(&all).as_str(), rest.len()), ("aé<85>", 0));
    }

    #[test]
    fn controls_are_suspect_wherever_they_stand() {
        assert!(is_harmless("aé\n\t日~".repeat(300).as_bytes()));
        for control in ["\0", "\r", "\x1b", "\x7f", "\u{9b}", "\u{61c}", "\u{202e}"] {
            let text = format!("{}{control}", "a".repeat(300));
            assert!(!is_harmless(text.as_bytes()), "{control:?}");
        }
    }

    #[test]
    fn text_is_wrapped_and_harmless() {
        assert_eq!(wrap("a bc  def", 4), ["a bc", "def"]);
        let tricks = "\u{61c}\u{ad}\u{2028}\u{2060}\u{fff9}\u{e0041}";
        assert_eq!(safe(tricks), "<61C><AD><2028><2060><FFF9><E0041>");
        assert_eq!(safe("a\x1b[31m\tb\u{202e}"), "a␛[31m b<202E>");
    }
}
