//! Lines of JSON that are kept for those that will come: of each form and shape that a loader thread met the last one.
//!
//! A program goes through the same steps again and again, and of one step to the next time it is taken little changes: the
//! time, a number. So a line is held against the last one of the step that followed last time (`jsongaps`), and what is
//! not told anew is taken from what that one gave (`Told`).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, ShapeId};
use widetui_core::level::Level;

use crate::catalog::Site;
use crate::load::json_gaps::{Fit, Gaps, LONGEST, MayDiffer, Reading};
use crate::text::json_scan::Raw;

/// So many tracks, and so many bytes of their lines, are kept of one dialect; further steps share the track of another of the form.
const MOST: usize = 2048;
const MOST_BYTES: usize = 4 << 20;

/// Of so many tracks it is known that they followed one: a line is held against each before it is walked.
const FOLLOWERS: usize = 4;

/// The same steps come in the same order: so many that came last tell which is next, and so many are kept for them, for at
/// most so many orders.
const LAST: usize = 3;
const EXPECTED: usize = 2;
const CONTEXTS: usize = 4096;

/// How much it is trusted that the steps before tell which is next: so much at most, so much at first, less by so much for a step
/// that was another one, more by one for each other. Without any trust it is tried again after so many lines.
const MOST_TRUST: u32 = 256;
const FIRST_TRUST: u32 = 128;
const LOST_TRUST: u32 = 2;
const WITHOUT_TRUST: u32 = 4096;

/// What the last record of a track gave.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Severity by its fields.
    pub(crate) level: Level,
    /// Who wrote it, by its fields.
    pub(crate) context: Option<ContextId>,
    /// Its code site; `None` when nothing of the record may be taken for the next one.
    pub(crate) site: Option<Arc<Site>>,
    /// Cells of its fields.
    pub(crate) fields: Vec<Code>,
    /// The shape of its message.
    pub(crate) shape: ShapeId,
    /// Where the thread's shapes have it.
    pub(crate) planned: u32,
    /// Cells of its message, and the level that this tells; `None` where there is more to it.
    pub(crate) message: Option<(Vec<Code>, Level)>,
}

/// One step of a program.
#[derive(Debug)]
struct Track {
    form: u32,
    gaps: Gaps,
    told: Option<Box<Told>>,
    /// Tracks that followed it, the last one first.
    followers: [u32; FOLLOWERS],
}

/// The tracks of one dialect, of one thread.
pub(crate) struct Tracks {
    tracks: Vec<Track>,
    /// By form and shape.
    known: FxHashMap<(u32, ShapeId), u32>,
    /// One of each form.
    of_form: FxHashMap<u32, u32>,
    /// Of each form that for all its lines, whatever their shape, where steps come in no order.
    of_all: FxHashMap<u32, u32>,
    trust: u32,
    /// Lines that were read without.
    without: u32,
    last: usize,
    /// Those met last, the last one first, and which followed upon such.
    met_last: [u32; LAST],
    met_after: FxHashMap<[u32; LAST], [u32; EXPECTED]>,
    /// Those of the lines that were kept first.
    bytes: usize,
    /// Of the line at hand.
    pub(crate) reading: Reading,
}

impl Default for Tracks {
    fn default() -> Tracks {
        Tracks {
            tracks: Vec::new(),
            known: FxHashMap::default(),
            of_form: FxHashMap::default(),
            of_all: FxHashMap::default(),
            trust: FIRST_TRUST,
            without: 0,
            last: 0,
            met_last: [0; LAST],
            met_after: FxHashMap::default(),
            bytes: 0,
            reading: Reading::default(),
        }
    }
}

impl Tracks {
    /// The track whose last line the line at hand has the fields of, if it is one of those that followed the lines before;
    /// fills its values.
    #[inline]
    pub(crate) fn foretold<'a>(
        &mut self,
        line: &'a [u8],
        values: &mut Vec<Raw<'a>>,
    ) -> Option<usize> {
        let followers = self.tracks.get(self.last)?.followers;
        let expected = match self.met_after.is_empty() {
            true => None,
            false => self.met_after.get(&self.met_last),
        };
        let guesses = expected.into_iter().flatten().chain(&followers);
        let may = match self.trust {
            0 => MayDiffer::Any,
            _ => MayDiffer::Usual,
        };
        let (mut tried, mut count) = ([u32::MAX; EXPECTED + FOLLOWERS], 0);
        let mut unusual = None;
        for at in guesses {
            if tried[..count].contains(at) {
                continue;
            }
            tried[count] = *at;
            count += 1;
            let gaps = &self.tracks[*at as usize].gaps;
            match gaps.read(line, may, values, &mut self.reading) {
                Fit::Same => return Some(*at as usize),
                Fit::Unusual => unusual = unusual.or(Some(*at as usize)),
                Fit::Other => {}
            }
        }
        let at = unusual?;
        let gaps = &self.tracks[at].gaps;
        let fit = gaps.read(line, MayDiffer::Any, values, &mut self.reading);
        (fit == Fit::Same).then_some(at)
    }

    /// The form of a track's lines.
    pub(crate) fn form(&self, at: usize) -> usize {
        self.tracks[at].form as usize
    }

    /// Takes out what the last record of a track gave; `settle` puts it back.
    #[inline]
    pub(crate) fn take(&mut self, at: usize) -> Option<Box<Told>> {
        self.tracks[at].told.take()
    }

    /// Keeps the line that `reading` is about, which is of this form and shape. It was held against the line of track `at`,
    /// which had `was` to tell. Gives what the track of the record has to tell, to be told anew, and where to `give` it.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        (at, was): (Option<usize>, Option<Box<Told>>),
        (form, shape): (usize, ShapeId),
        line: &[u8],
    ) -> (usize, Box<Told>) {
        let form = form as u32;
        let without = self.trust == 0;
        if let (Some(at), Some(told)) = (at, was) {
            let is_own = match without {
                true => self.of_all.get(&form) == Some(&(at as u32)),
                false => told.shape == shape,
            };
            if is_own {
                self.tracks[at].gaps.keep(line, &mut self.reading);
                self.met(at);
                self.trust_more(without);
                return (at, told);
            }
            self.tracks[at].told = Some(told);
        }
        let at = match without {
            true => self.place_of_all(form),
            false => self.place(form, shape, line),
        };
        let track = &mut self.tracks[at];
        track.gaps.keep_other(line, &mut self.reading);
        let told = track.told.take().unwrap_or_default();
        self.met(at);
        match without {
            true => self.trust_more(true),
            false => self.trust = self.trust.saturating_sub(LOST_TRUST),
        }
        (at, told)
    }

    /// After a step that was foretold, or any that was read without trust.
    #[inline]
    fn trust_more(&mut self, without: bool) {
        if !without {
            self.trust = (self.trust + 1).min(MOST_TRUST);
            return;
        }
        self.without += 1;
        if self.without >= WITHOUT_TRUST {
            (self.without, self.trust) = (0, FIRST_TRUST);
        }
    }

    /// Puts back what the record told that is the last one of a track now.
    #[inline]
    pub(crate) fn give(&mut self, at: usize, told: Box<Told>) {
        self.tracks[at].told = Some(told);
    }

    /// The track of a form and shape. Where there are too many it is that of another shape.
    fn place(&mut self, form: u32, shape: ShapeId, line: &[u8]) -> usize {
        if let Some(at) = self.known.get(&(form, shape)) {
            return *at as usize;
        }
        let is_full = self.tracks.len() >= MOST || self.bytes >= MOST_BYTES;
        if is_full && let Some(at) = self.of_form.get(&form) {
            return *at as usize;
        }
        self.bytes += line.len().min(LONGEST);
        // What comes for the first time could not be foretold.
        self.trust = (self.trust + LOST_TRUST).min(MOST_TRUST);
        let at = self.new_track(form);
        self.known.insert((form, shape), at);
        self.of_form.entry(form).or_insert(at);
        at as usize
    }

    /// The track of a form for lines of any shape.
    fn place_of_all(&mut self, form: u32) -> usize {
        if let Some(at) = self.of_all.get(&form) {
            return *at as usize;
        }
        let at = self.new_track(form);
        self.of_all.insert(form, at);
        at as usize
    }

    fn new_track(&mut self, form: u32) -> u32 {
        let at = self.tracks.len() as u32;
        self.tracks.push(Track {
            form,
            gaps: Gaps::default(),
            told: None,
            followers: [at; FOLLOWERS],
        });
        at
    }

    /// Notes which track a line is of.
    #[inline]
    fn met(&mut self, at: usize) {
        let track = at as u32;
        let followers = &mut self.tracks[self.last].followers;
        // Where one always follows there is nothing to tell apart.
        if *followers != [track; FOLLOWERS] {
            let at_last = FOLLOWERS - 1;
            let known = followers.iter().position(|f| *f == track);
            followers[..=known.unwrap_or(at_last)].rotate_right(1);
            followers[0] = track;
            if self.met_after.len() > CONTEXTS {
                self.met_after.clear();
            }
            let expected = self.met_after.entry(self.met_last);
            let expected = expected.or_insert([track; EXPECTED]);
            if expected[0] != track {
                *expected = [track, expected[0]];
            }
        }
        self.met_last.rotate_right(1);
        self.met_last[0] = track;
        self.last = at;
    }
}
