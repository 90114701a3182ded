//! Lines that others write amid the records of any file: what a batch system says in the output of a job.
//!
//! Such a line may stand in every file, whatever its own records look like, and behind text that did not end its line (a
//! progress bar, for one). Its words are read by the messages of whom it is from, not by those of the file.

use std::sync::Arc;

use memchr::memmem::Finder;

use crate::base::level::Level;
use crate::base::time::NO_TIME;

use super::catalog::Catalog;
use super::encode::Encoder;
use super::kinds::Compiled;
use super::layout::{HeaderSpans, Layout};
use super::lines::whole_site;
use super::pattern::{Element, Spans};
use super::scope::Scope;
use super::shapes::{Cells, Message, ShapeCache};
use super::sink::{Head, RecordSink};

/// Lines of one layout that may stand in any file.
#[derive(Debug)]
pub struct Guest {
    /// What they look like; starts with a literal.
    pub layout: Arc<Layout>,
    /// What reads their messages.
    pub scope: Arc<Scope>,
    lead: Finder<'static>,
}

impl Guest {
    /// A guest; `None` when its layout does not start with a literal, as then any line might be one of its.
    pub fn new(layout: Arc<Layout>, scope: Arc<Scope>) -> Option<Guest> {
        let Some(Element::Literal(lead)) = layout.pattern.elements.first() else {
            return None;
        };
        let lead = Finder::new(&lead[..]).into_owned();
        Some(Guest {
            layout,
            scope,
            lead,
        })
    }
}

/// All that may stand amid the records of a file.
#[derive(Debug)]
pub struct Guests {
    list: Vec<Guest>,
    /// First bytes of their lines.
    starts: [bool; 256],
}

impl Default for Guests {
    fn default() -> Guests {
        Guests::new(Vec::new())
    }
}

impl Guests {
    /// These guests; the first whose layout a line fits is the one.
    pub fn new(list: Vec<Guest>) -> Guests {
        let mut starts = [false; 256];
        for guest in &list {
            if let Some(byte) = guest.lead.needle().first() {
                starts[usize::from(*byte)] = true;
            }
        }
        Guests { list, starts }
    }

    /// Whose line this is, and its header; `None`: the file's own.
    #[inline]
    pub fn of(&self, line: &[u8], spans: &mut Spans) -> Option<(&Guest, HeaderSpans)> {
        match line.first() {
            Some(byte) if self.starts[usize::from(*byte)] => {
                let (at, header) = self.at_start(line, spans)?;
                Some((&self.list[at], header))
            }
            _ => None,
        }
    }

    fn at_start(&self, line: &[u8], spans: &mut Spans) -> Option<(usize, HeaderSpans)> {
        self.list.iter().enumerate().find_map(|(at, guest)| {
            let fits = line.starts_with(guest.lead.needle());
            Some((at, fits.then(|| guest.layout.matches(line, spans))??))
        })
    }

    /// Where a guest's line begins behind text of the file that did not end its own. Only trouble counts, and nothing
    /// behind a blank or a quote: any text may quote such words.
    pub fn behind(&self, line: &[u8], spans: &mut Spans) -> Option<usize> {
        let quoted = |at: usize| matches!(line[at - 1], b' ' | b'\t' | b'\'' | b'"' | b'`' | b'(');
        let starts = self
            .list
            .iter()
            .flat_map(|guest| guest.lead.find_iter(line));
        starts
            .filter(|at| *at > 0 && !quoted(*at))
            .filter(|at| {
                let found = self.at_start(&line[*at..], spans);
                found.is_some_and(|(_, header)| header.level >= Some(Level::Warning))
            })
            .min()
    }
}

impl Compiled {
    /// What may stand amid the records of any file.
    pub fn guests(&self) -> Arc<Guests> {
        let guest = |(layout, scope): &(usize, usize)| {
            Guest::new(self.layout(*layout)?, self.scope(*scope))
        };
        let made = || Arc::new(Guests::new(self.amid.iter().filter_map(guest).collect()));
        self.guests.get_or_init(made).clone()
    }
}

/// One loader thread's caches for the guests of one reader.
#[derive(Default)]
pub struct GuestCache {
    spans: Spans,
    shapes: Vec<ShapeCache>,
    cells: Cells,
}

impl GuestCache {
    /// Reads a line if it is a guest's; says whether it is.
    #[inline]
    pub fn record(
        &mut self,
        (tables, guests, encoder): (&Catalog, &Guests, &mut Encoder),
        line: &[u8],
        (offset, reference): (u64, i64),
        sink: &mut impl RecordSink,
    ) -> bool {
        match line.first() {
            Some(byte) if guests.starts[usize::from(*byte)] => {}
            _ => return false,
        }
        let Some((at, header)) = guests.at_start(line, &mut self.spans) else {
            return false;
        };
        let guest = &guests.list[at];
        let (site, context) = whole_site(tables, &guest.layout, line, &header, &self.spans);
        let Some(site) = site else { return false };
        let message = Message {
            site: &site,
            line: &line[header.message..],
            named: None,
        };
        if self.shapes.len() < guests.list.len() {
            self.shapes
                .resize_with(guests.list.len(), ShapeCache::default);
        }
        let shapes = &mut self.shapes[at];
        let shape = shapes.shape(tables, &guest.scope, encoder, message, &mut self.cells);
        let Some(shape) = shape else { return false };
        let head = Head {
            offset,
            time: header.time.map_or(NO_TIME, |t| t.near(reference).ns),
            shape,
            context,
            level: self.cells.level,
        };
        sink.record(head, &self.cells.codes, &self.cells.lists);
        true
    }

    /// Where a guest's line begins inside one of the file's own.
    pub fn behind(&mut self, guests: &Guests, line: &[u8]) -> Option<usize> {
        guests.behind(line, &mut self.spans)
    }
}
