//! Sections of a document as text of a command.

use std::io::{self, Write};

use widetui_core::words::cut;
use widetui_definition::semantics::Severity;
use widetui_report::document::{Block, Entry};

use super::colour::{TextRole, paint};
use super::output::{safe, wrap};

/// Writer of the blocks of a document.
pub struct BlockWriter<'o, W> {
    /// Output.
    pub out: &'o mut W,
    /// Start of each text of a list.
    pub bullet: &'static str,
    /// Width of the text, columns.
    pub width: usize,
}

impl<W: Write> BlockWriter<'_, W> {
    /// Writes blocks, indented by a number of columns.
    ///
    /// # Errors
    /// The output is closed.
    pub fn write(&mut self, blocks: &[Block], indent: usize) -> io::Result<()> {
        for block in blocks {
            self.block(block, indent)?;
        }
        Ok(())
    }

    fn block(&mut self, block: &Block, indent: usize) -> io::Result<()> {
        let start = " ".repeat(indent);
        match block {
            Block::Text(text) => self.wrapped(&start, &start, text),
            Block::Advice(label, text) => self.wrapped(&start, &start, &format!("{label} {text}")),
            Block::Fact(label, value) => writeln!(self.out, "{start}{label:<7}  {}", safe(value)),
            Block::Records(lines) => {
                // A single record is the finding itself and may be longer.
                let most = if lines.len() == 1 {
                    2 * self.width
                } else {
                    self.width
                };
                let mut lines = lines.iter();
                lines.try_for_each(|line| writeln!(self.out, "{start}  {}", cut(&safe(line), most)))
            }
            Block::List(texts) => {
                let first = format!("{start}{}", self.bullet);
                let rest = " ".repeat(first.len());
                let mut texts = texts.iter();
                texts.try_for_each(|text| self.wrapped(&first, &rest, text))
            }
            Block::Entry(entry) => self.entry(entry, indent),
            // Texts of commands have tables and figures of their own.
            Block::Table(_) | Block::Figure(..) | Block::Details(..) => Ok(()),
        }
    }

    fn entry(&mut self, entry: &Entry, indent: usize) -> io::Result<()> {
        let Some((number, severity)) = entry.rank else {
            writeln!(self.out, "{}{}", " ".repeat(indent), safe(&entry.title))?;
            return self.write(&entry.blocks, indent + 2);
        };
        let role = match severity {
            Severity::Error => TextRole::Error,
            Severity::Warning => TextRole::Warning,
            Severity::Info => TextRole::Heading,
        };
        let head = format!("{number}. {}: {}", severity.name(), safe(&entry.title));
        writeln!(self.out)?;
        for (n, line) in wrap(&head, self.width - 3).iter().enumerate() {
            let start = if n == 0 { "" } else { "   " };
            writeln!(self.out, "{start}{}", paint(role, line))?;
        }
        self.write(&entry.blocks, indent + 3)
    }

    /// Writes a text wrapped to the width, with the starts of its first line and of the others.
    fn wrapped(&mut self, first: &str, rest: &str, text: &str) -> io::Result<()> {
        for (n, line) in wrap(&safe(text), self.width - rest.len())
            .iter()
            .enumerate()
        {
            let start = if n == 0 { first } else { rest };
            writeln!(self.out, "{start}{line}")?;
        }
        Ok(())
    }
}
