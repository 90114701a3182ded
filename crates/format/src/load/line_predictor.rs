//! Line predictor: keeps the last line of each form and shape that a loader thread has met (a track), to compare the
//! next line with.
//!
//! A program goes through the same steps again and again, and from one execution of a step to the next, little changes:
//! the time, a number. So a line is compared with the last line of the step that followed last time (`json_gaps`), and
//! everything that did not change is taken from the results of that line (`Told`).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, ShapeId};
use widetui_core::level::Level;

use crate::catalog::Site;
use crate::load::json_gaps::{Fit, Gaps, LONGEST, MayDiffer, Reading};
use crate::text::json_scan::Raw;

/// Maximum number of tracks and bytes of their lines per dialect and thread; further steps share a track of the same
/// form.
const MOST: usize = 2048;
const MOST_BYTES: usize = 4 << 20;

/// Number of remembered followers of a track; a line is compared with the last line of each before it is walked.
const FOLLOWERS: usize = 4;

/// Steps recur in the same order: the last `LAST` tracks predict the next one. For each of at most `CONTEXTS`
/// sequences, `EXPECTED` predictions are kept.
const LAST: usize = 3;
const EXPECTED: usize = 2;
const CONTEXTS: usize = 4096;

/// Trust in the prediction of the next step: maximum, initial value, and loss per wrong prediction; a right one adds 1.
/// At 0, one track per form is used for `WITHOUT_TRUST` lines before prediction is tried again.
const MOST_TRUST: u32 = 256;
const FIRST_TRUST: u32 = 128;
const LOST_TRUST: u32 = 2;
const WITHOUT_TRUST: u32 = 4096;

/// Results for the last record of a track.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Severity according to its fields.
    pub(crate) level: Level,
    /// Writer according to its fields.
    pub(crate) context: Option<ContextId>,
    /// Code site; `None` if no result of the record can be reused.
    pub(crate) site: Option<Arc<Site>>,
    /// Cells of its fields.
    pub(crate) fields: Vec<Code>,
    /// Shape of its message.
    pub(crate) shape: ShapeId,
    /// Index of the shape in the thread's cache.
    pub(crate) planned: u32,
    /// Cells of its message and the resulting level; `None` if they do not describe it completely.
    pub(crate) message: Option<(Vec<Code>, Level)>,
}

/// Track: one step of a program.
#[derive(Debug)]
struct Track {
    form: u32,
    gaps: Gaps,
    told: Option<Box<Told>>,
    /// Tracks that followed this one, last one first.
    followers: [u32; FOLLOWERS],
}

/// Tracks of one dialect and thread.
pub(crate) struct Tracks {
    tracks: Vec<Track>,
    /// Tracks by form and shape.
    known: FxHashMap<(u32, ShapeId), u32>,
    /// One track of each form.
    of_form: FxHashMap<u32, u32>,
    /// Per form, the track for lines of any shape, used if the steps come in no predictable order.
    of_all: FxHashMap<u32, u32>,
    trust: u32,
    /// Number of lines read without trust.
    without: u32,
    last: usize,
    /// Last tracks, last one first, and the tracks that followed such a sequence.
    met_last: [u32; LAST],
    met_after: FxHashMap<[u32; LAST], [u32; EXPECTED]>,
    /// Total size of the first line of each track.
    bytes: usize,
    /// Positions of the values of the current line.
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
    /// Track whose last line has the same fields as the current one, among those that followed the previous lines;
    /// fills the values of the line.
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

    /// Form of a track's lines.
    pub(crate) fn form(&self, at: usize) -> usize {
        self.tracks[at].form as usize
    }

    /// Takes the results of a track's last record; `settle` puts them back.
    #[inline]
    pub(crate) fn take(&mut self, at: usize) -> Option<Box<Told>> {
        self.tracks[at].told.take()
    }

    /// Keeps the current line, of this form and shape. It was compared with the line of track `at`, whose results are
    /// `was`. Returns the track of the line and its results, which the caller updates and passes to `give`.
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

    /// Counts a predicted step, or a step that was read without trust.
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

    /// Stores the results of the record that is now the last one of a track.
    #[inline]
    pub(crate) fn give(&mut self, at: usize, told: Box<Told>) {
        self.tracks[at].told = Some(told);
    }

    /// Track of a form and shape, or of another shape if there are too many tracks.
    fn place(&mut self, form: u32, shape: ShapeId, line: &[u8]) -> usize {
        if let Some(at) = self.known.get(&(form, shape)) {
            return *at as usize;
        }
        let is_full = self.tracks.len() >= MOST || self.bytes >= MOST_BYTES;
        if is_full && let Some(at) = self.of_form.get(&form) {
            return *at as usize;
        }
        self.bytes += line.len().min(LONGEST);
        // A new step could not have been predicted.
        self.trust = (self.trust + LOST_TRUST).min(MOST_TRUST);
        let at = self.new_track(form);
        self.known.insert((form, shape), at);
        self.of_form.entry(form).or_insert(at);
        at as usize
    }

    /// Track of a form for lines of any shape.
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

    /// Notes the track of a line.
    #[inline]
    fn met(&mut self, at: usize) {
        let track = at as u32;
        let followers = &mut self.tracks[self.last].followers;
        // A track that always has the same follower needs no sequences.
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
