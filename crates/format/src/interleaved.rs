//! Lines that others write amid the records of any file: what a batch system says in the output of a job.
//!
//! Such a line may stand in every file, whatever its own records look like, and behind text that did not end its line (a
//! progress bar, for one). Its words are read by the messages of whom it is from, not by those of the file.

pub mod quoted_text;

use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;

use widetui_core::level::Level;

use crate::interleaved::quoted_text::Quotes;
use crate::layout::{HeaderSpans, Layout};
use crate::messages::scope::Scope;
use crate::pattern::{Element, FieldKind, Pattern, Spans};

/// Lines of one layout that may stand in any file.
#[derive(Debug)]
pub struct Guest {
    /// What they look like; starts with a literal.
    pub(crate) layout: Arc<Layout>,
    /// What reads their messages.
    pub(crate) scope: Arc<Scope>,
    lead: Lead,
}

/// What such lines start with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lead {
    /// A number stands before the words: seconds since it began, as a rule.
    numbered: bool,
    words: Box<[u8]>,
}

/// Words behind a number are at least so long, bytes: else many lines would have to be looked at.
const BEHIND_NUMBER: usize = 4;

impl Lead {
    /// What lines of a pattern start with; `None` when any line might be one of its.
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
    /// A guest; `None` when its layout does not start with words (of at most `LONGEST` bytes), or a number and words, as
    /// then any line might be one of its.
    pub(crate) fn new(layout: Arc<Layout>, scope: Arc<Scope>) -> Option<Guest> {
        let lead = Lead::of(&layout.pattern)?;
        Some(Guest {
            layout,
            scope,
            lead,
        })
    }

    /// Whether its lines are looked for only among those that are no records of the file: most records start with a number.
    pub(crate) fn is_late(&self) -> bool {
        self.lead.numbered
    }
}

/// When it is asked whose a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Before the file's own layouts: their words are enough.
    First,
    /// Of a line that is no record of the file itself: it may start with a number.
    Last,
}

/// All that may stand amid the records of a file.
#[derive(Debug)]
pub struct Guests {
    pub(crate) list: Vec<Guest>,
    /// First bytes of their lines.
    starts: [bool; 256],
    /// The words that their lines start with; `None` when there are none. Nobody asks for them of a run without text.
    leads: LazyLock<Option<Regex>, Leads>,
    /// What is quoted.
    pub(crate) quotes: Quotes,
}

type Leads = Box<dyn FnOnce() -> Option<Regex> + Send>;

impl Default for Guests {
    fn default() -> Guests {
        Guests::new(Vec::new())
    }
}

impl Guests {
    /// These guests; the first whose layout a line fits is the one.
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

    /// Whose line this is, and its header; `None`: the file's own.
    pub fn of(&self, line: &[u8], spans: &mut Spans) -> Option<(&Guest, HeaderSpans)> {
        let found = self.at_start(line, spans);
        let (at, header) = found.or_else(|| self.numbered(line, spans))?;
        Some((&self.list[at], header))
    }

    /// Whose line one is that starts with a number.
    pub(crate) fn numbered(&self, line: &[u8], spans: &mut Spans) -> Option<(usize, HeaderSpans)> {
        let is_one = line.first()?.is_ascii_digit();
        is_one
            .then(|| self.fitting(line, Asked::Last, spans))
            .flatten()
    }

    /// Whether a line begins with a byte that lines of some guest begin with: hardly any does.
    #[inline(always)]
    pub(crate) fn may_start(&self, line: &[u8]) -> bool {
        line.first().is_some_and(|b| self.starts[usize::from(*b)])
    }

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

    /// Where words that a guest's line starts with stand first.
    pub(crate) fn words(&self, text: &[u8]) -> Option<usize> {
        Some(self.leads.as_ref()?.find(text)?.start())
    }

    /// Where a guest's line begins behind text of the file that did not end its own. Only trouble counts, and nothing
    /// behind a blank or a quote: any text may quote such words.
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

/// No words of a guest are longer, bytes.
pub(crate) const LONGEST: usize = 64;
