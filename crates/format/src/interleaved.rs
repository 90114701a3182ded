//! Interleaved output: lines that other programs write into a log, such as messages of a batch system in the output of
//! a job.
//!
//! Such a line may occur in any file, whatever the file's own records look like, and after text without a line end (for
//! instance a progress bar). Its message is read with the scope of its own program, not with that of the file.

pub mod quoted_text;

use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;

use widetui_core::level::Level;

use crate::interleaved::quoted_text::QuotedTexts;
use crate::layout::{HeaderSpans, Layout};
use crate::messages::scope::Scope;
use crate::pattern::{Element, Field, FieldKind, Pattern, Spans};

/// Layout of interleaved lines that may occur in any file.
#[derive(Debug)]
pub struct InterleavedLayout {
    /// Layout; starts with a literal, or with a number and a literal.
    pub(crate) layout: Arc<Layout>,
    /// Scope of their messages.
    pub(crate) scope: Arc<Scope>,
    line_start: LineStart,
}

/// Start of such lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineStart {
    /// Whether a number precedes the words, usually seconds since the program started.
    after_number: bool,
    words: Box<[u8]>,
}

/// Minimum length of the words after a number, bytes; shorter ones would make too many lines candidates.
const MIN_AFTER_NUMBER: usize = 4;

impl LineStart {
    /// Start of the lines of a pattern; `None` if the pattern could match any line.
    pub fn of(pattern: &Pattern) -> Option<LineStart> {
        let (after_number, words) = match &pattern.elements[..] {
            [Element::Literal(words), ..] => (false, words),
            [Element::Field(field), Element::Literal(words), ..]
                if words.len() >= MIN_AFTER_NUMBER
                    && pattern.fields.get(*field).is_some_and(is_number) =>
            {
                (true, words)
            }
            _ => return None,
        };
        let words = words.clone();
        (words.len() <= MAX_LEN).then_some(LineStart {
            after_number,
            words,
        })
    }

    fn fits(&self, line: &[u8]) -> bool {
        let number = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
        let from = match self.after_number {
            true => line.iter().take_while(number).count(),
            false => 0,
        };
        let rest = line.get(from..).filter(|_| from > 0 || !self.after_number);
        rest.is_some_and(|rest| rest.starts_with(&self.words))
    }
}

fn is_number(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Int | FieldKind::Float)
}

impl InterleavedLayout {
    /// Compiles an interleaved layout; `None` if it starts neither with words (of at most `MAX_LEN` bytes) nor with a
    /// number and words, because then it could match any line.
    pub(crate) fn new(layout: Arc<Layout>, scope: Arc<Scope>) -> Option<InterleavedLayout> {
        let line_start = LineStart::of(&layout.pattern)?;
        Some(InterleavedLayout {
            layout,
            scope,
            line_start,
        })
    }

    /// Whether its lines are looked for only among lines that are not records of the file, because most records start
    /// with a number.
    pub(crate) fn starts_with_number(&self) -> bool {
        self.line_start.after_number
    }
}

/// When interleaved layouts are tried on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookUp {
    /// Before the file's own layouts, because the words identify the line.
    BeforeOwnLayouts,
    /// After the file's own layouts; the line may start with a number.
    AfterOwnLayouts,
}

/// All interleaved layouts and quoted texts.
#[derive(Debug)]
pub struct InterleavedLayouts {
    /// Interleaved layouts.
    pub(crate) list: Vec<InterleavedLayout>,
    /// First bytes of their lines.
    starts: [bool; 256],
    /// Regex of the words with which their lines start; `None` if there are none. Compiled on first use, because a run
    /// without text logs needs none.
    line_starts: LazyLock<Option<Regex>, Leads>,
    /// Quoted texts.
    pub(crate) quoted_texts: QuotedTexts,
}

type Leads = Box<dyn FnOnce() -> Option<Regex> + Send>;

impl Default for InterleavedLayouts {
    fn default() -> InterleavedLayouts {
        InterleavedLayouts::new(Vec::new())
    }
}

impl InterleavedLayouts {
    /// Builds the set; the first layout that matches a line wins.
    pub(crate) fn new(list: Vec<InterleavedLayout>) -> InterleavedLayouts {
        let mut starts = [false; 256];
        let early = || list.iter().filter(|g| !g.starts_with_number());
        for layout in early() {
            let first = layout.line_start.words.first();
            if let Some(start) = first.and_then(|byte| starts.get_mut(usize::from(*byte))) {
                *start = true;
            }
        }
        let line_starts = early().map(|layout| {
            let bytes = layout.line_start.words.iter();
            bytes.fold(String::new(), |out, byte| out + &format!("\\x{byte:02x}"))
        });
        let line_starts = line_starts.collect::<Vec<_>>().join("|");
        let line_starts: Leads = Box::new(move || {
            let pattern = (!line_starts.is_empty()).then(|| format!("(?-u:{line_starts})"))?;
            Regex::new(&pattern).ok()
        });
        InterleavedLayouts {
            list,
            starts,
            line_starts: LazyLock::new(line_starts),
            quoted_texts: QuotedTexts::default(),
        }
    }

    /// Interleaved layout and header of a line; `None` for a line of the file itself.
    pub fn find(
        &self,
        line: &[u8],
        spans: &mut Spans,
    ) -> Option<(&InterleavedLayout, HeaderSpans)> {
        let found = self.at_start(line, spans);
        let (at, header) = found.or_else(|| self.after_number(line, spans))?;
        Some((self.list.get(at)?, header))
    }

    /// Index and header of the interleaved layout of a line that starts with a number.
    pub(crate) fn after_number(
        &self,
        line: &[u8],
        spans: &mut Spans,
    ) -> Option<(usize, HeaderSpans)> {
        let is_one = line.first()?.is_ascii_digit();
        is_one
            .then(|| self.fitting(line, LookUp::AfterOwnLayouts, spans))
            .flatten()
    }

    /// Whether a line starts with a byte with which some interleaved line starts; rarely true.
    #[inline(always)]
    pub(crate) fn may_start(&self, line: &[u8]) -> bool {
        let start = line.first().and_then(|b| self.starts.get(usize::from(*b)));
        start.is_some_and(|start| *start)
    }

    /// Index and header of the interleaved layout that matches the whole line.
    #[inline]
    pub(crate) fn at_start(&self, line: &[u8], spans: &mut Spans) -> Option<(usize, HeaderSpans)> {
        self.may_start(line)
            .then(|| self.fitting(line, LookUp::BeforeOwnLayouts, spans))
            .flatten()
    }

    fn fitting(
        &self,
        line: &[u8],
        look_up: LookUp,
        spans: &mut Spans,
    ) -> Option<(usize, HeaderSpans)> {
        self.list.iter().enumerate().find_map(|(at, layout)| {
            let fits = layout.starts_with_number() == (look_up == LookUp::AfterOwnLayouts)
                && layout.line_start.fits(line);
            Some((at, fits.then(|| layout.layout.matches(line, spans))??))
        })
    }

    /// Offset of the first words with which an interleaved line starts.
    pub(crate) fn find_words(&self, text: &[u8]) -> Option<usize> {
        Some(self.line_starts.as_ref()?.find(text)?.start())
    }

    /// Offset of an interleaved line after text without a line end. Only lines with a level of at least warning count,
    /// and not after a blank or a quote, because any text may quote such words.
    pub(crate) fn after_text(&self, line: &[u8], spans: &mut Spans) -> Option<usize> {
        let quotes = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\'' | b'"' | b'`' | b'(');
        let mut places = self
            .line_starts
            .as_ref()?
            .find_iter(line)
            .map(|found| found.start());
        places.find(|at| {
            let trouble = |(_, header): (usize, HeaderSpans)| header.level >= Some(Level::Warning);
            let (before, rest) = line.split_at_checked(*at).unwrap_or_default();
            before.last().is_some_and(|byte| !quotes(byte))
                && self.at_start(rest, spans).is_some_and(trouble)
        })
    }
}

/// Longest start words, bytes.
pub(crate) const MAX_LEN: usize = 64;
