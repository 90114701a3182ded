//! Interleaved output: lines that other programs write into a log, such as messages of a batch system in the output of
//! a job.
//!
//! Such a line may occur in any file, whatever the file's own records look like, and after text without a line end (for
//! instance a progress bar). Its message is read with the scope of its own program, not with that of the file.

pub mod quoted_text;

use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;

use widetui_core::level::Level;

use crate::interleaved::quoted_text::Quotes;
use crate::layout::{HeaderSpans, Layout};
use crate::messages::scope::Scope;
use crate::pattern::{Element, FieldKind, Pattern, Spans};

/// Layout of interleaved lines that may occur in any file.
#[derive(Debug)]
pub struct Guest {
    /// Layout; starts with a literal, or with a number and a literal.
    pub(crate) layout: Arc<Layout>,
    /// Scope of their messages.
    pub(crate) scope: Arc<Scope>,
    lead: Lead,
}

/// Start of such lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lead {
    /// Whether a number precedes the words, usually seconds since the program started.
    numbered: bool,
    words: Box<[u8]>,
}

/// Minimum length of the words after a number, bytes; shorter ones would make too many lines candidates.
const BEHIND_NUMBER: usize = 4;

impl Lead {
    /// Start of the lines of a pattern; `None` if the pattern could match any line.
    pub fn of(pattern: &Pattern) -> Option<Lead> {
        let (numbered, words) = match &pattern.elements[..] {
            [Element::Literal(words), ..] => (false, words),
            [Element::Field(field), Element::Literal(words), ..]
                if words.len() >= BEHIND_NUMBER && is_number(&pattern.fields[*field].kind) =>
            {
                (true, words)
            }
            _ => return None,
        };
        let words = words.clone();
        (words.len() <= LONGEST).then_some(Lead { numbered, words })
    }

    fn fits(&self, line: &[u8]) -> bool {
        let number = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
        let from = match self.numbered {
            true => line.iter().take_while(number).count(),
            false => 0,
        };
        (from > 0 || !self.numbered) && line[from..].starts_with(&self.words)
    }
}

fn is_number(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Int | FieldKind::Float)
}

impl Guest {
    /// Compiles an interleaved layout; `None` if it starts neither with words (of at most `LONGEST` bytes) nor with a
    /// number and words, because then it could match any line.
    pub(crate) fn new(layout: Arc<Layout>, scope: Arc<Scope>) -> Option<Guest> {
        let lead = Lead::of(&layout.pattern)?;
        Some(Guest {
            layout,
            scope,
            lead,
        })
    }

    /// Whether its lines are looked for only among lines that are not records of the file, because most records start
    /// with a number.
    pub(crate) fn is_late(&self) -> bool {
        self.lead.numbered
    }
}

/// When interleaved layouts are tried on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Before the file's own layouts, because the words identify the line.
    First,
    /// After the file's own layouts; the line may start with a number.
    Last,
}

/// All interleaved layouts and quoted texts.
#[derive(Debug)]
pub struct Guests {
    /// Interleaved layouts.
    pub(crate) list: Vec<Guest>,
    /// First bytes of their lines.
    starts: [bool; 256],
    /// Regex of the words with which their lines start; `None` if there are none. Compiled on first use, because a run
    /// without text logs needs none.
    leads: LazyLock<Option<Regex>, Leads>,
    /// Quoted texts.
    pub(crate) quotes: Quotes,
}

type Leads = Box<dyn FnOnce() -> Option<Regex> + Send>;

impl Default for Guests {
    fn default() -> Guests {
        Guests::new(Vec::new())
    }
}

impl Guests {
    /// Builds the set; the first layout that matches a line wins.
    pub(crate) fn new(list: Vec<Guest>) -> Guests {
        let mut starts = [false; 256];
        let early = || list.iter().filter(|g| !g.is_late());
        for guest in early() {
            if let Some(byte) = guest.lead.words.first().copied() {
                starts[usize::from(byte)] = true;
            }
        }
        let leads = early().map(|guest| {
            let bytes = guest.lead.words.iter();
            bytes.fold(String::new(), |out, byte| out + &format!("\\x{byte:02x}"))
        });
        let leads = leads.collect::<Vec<_>>().join("|");
        let leads: Leads = Box::new(move || {
            let pattern = (!leads.is_empty()).then(|| format!("(?-u:{leads})"))?;
            Regex::new(&pattern).ok()
        });
        Guests {
            list,
            starts,
            leads: LazyLock::new(leads),
            quotes: Quotes::default(),
        }
    }

    /// Interleaved layout and header of a line; `None` for a line of the file itself.
    pub fn of(&self, line: &[u8], spans: &mut Spans) -> Option<(&Guest, HeaderSpans)> {
        let found = self.at_start(line, spans);
        let (at, header) = found.or_else(|| self.numbered(line, spans))?;
        Some((&self.list[at], header))
    }

    /// Index and header of the interleaved layout of a line that starts with a number.
    pub(crate) fn numbered(&self, line: &[u8], spans: &mut Spans) -> Option<(usize, HeaderSpans)> {
        let is_one = line.first()?.is_ascii_digit();
        is_one
            .then(|| self.fitting(line, Asked::Last, spans))
            .flatten()
    }

    /// Whether a line starts with a byte with which some interleaved line starts; rarely true.
    #[inline(always)]
    pub(crate) fn may_start(&self, line: &[u8]) -> bool {
        line.first().is_some_and(|b| self.starts[usize::from(*b)])
    }

    /// Index and header of the interleaved layout that matches the whole line.
    #[inline]
    pub(crate) fn at_start(&self, line: &[u8], spans: &mut Spans) -> Option<(usize, HeaderSpans)> {
        self.may_start(line)
            .then(|| self.fitting(line, Asked::First, spans))
            .flatten()
    }

    fn fitting(
        &self,
        line: &[u8],
        asked: Asked,
        spans: &mut Spans,
    ) -> Option<(usize, HeaderSpans)> {
        self.list.iter().enumerate().find_map(|(at, guest)| {
            let fits = guest.is_late() == (asked == Asked::Last) && guest.lead.fits(line);
            Some((at, fits.then(|| guest.layout.matches(line, spans))??))
        })
    }

    /// Offset of the first words with which an interleaved line starts.
    pub(crate) fn words(&self, text: &[u8]) -> Option<usize> {
        Some(self.leads.as_ref()?.find(text)?.start())
    }

    /// Offset of an interleaved line after text without a line end. Only lines with a level of at least warning count,
    /// and not after a blank or a quote, because any text may quote such words.
    pub(crate) fn behind(&self, line: &[u8], spans: &mut Spans) -> Option<usize> {
        let quoted = |at: usize| matches!(line[at - 1], b' ' | b'\t' | b'\'' | b'"' | b'`' | b'(');
        let mut places = self
            .leads
            .as_ref()?
            .find_iter(line)
            .map(|found| found.start());
        places.find(|at| {
            let trouble = |(_, header): (usize, HeaderSpans)| header.level >= Some(Level::Warning);
            *at > 0 && !quoted(*at) && self.at_start(&line[*at..], spans).is_some_and(trouble)
        })
    }
}

/// Longest start words, bytes.
pub(crate) const LONGEST: usize = 64;
