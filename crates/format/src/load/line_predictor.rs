//! Line predictor: keeps the last line of each step of a program, which is identified by the form and the shape of its
//! lines, to compare the next line with.
//!
//! A program goes through the same steps again and again, and from one execution of a step to the next, little changes:
//! the time, a number. So a line is compared with the last line of the step that followed last time (`json_gaps`), and
//! everything that did not change is taken from the results of that line (`LastRecord`).

#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "steps are numbered as they are added, never removed, and fewer than 2^32, as forms are"
)]

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, ShapeId};
use widetui_core::level::Level;

use crate::catalog::Site;
use crate::load::json_gaps::{Fit, Gaps, MAX_LEN, MayDiffer, Reading};
use crate::text::json_scan::Raw;

/// Maximum number of steps and bytes of their lines per dialect and thread; further steps share one of the same form.
const MAX_STEPS: usize = 2048;
const MAX_BYTES: usize = 4 << 20;

/// Number of remembered followers of a step; a line is compared with the last line of each before it is walked.
const FOLLOWERS: usize = 4;

/// Steps recur in the same order: the last `SEQUENCE` steps predict the next one. For each of at most `MAX_SEQUENCES`
/// sequences, `EXPECTED` predictions are kept.
const SEQUENCE: usize = 3;
const EXPECTED: usize = 2;
const MAX_SEQUENCES: usize = 4096;

/// Trust in the prediction of the next step: maximum, initial value, and loss per wrong prediction; a right one adds 1.
/// At 0, one step per form is used for `WITHOUT_TRUST` lines before prediction is tried again.
const MAX_TRUST: u32 = 256;
const FIRST_TRUST: u32 = 128;
const LOST_TRUST: u32 = 2;
const WITHOUT_TRUST: u32 = 4096;

/// Results for the last record of a step.
#[derive(Debug, Default)]
pub(crate) struct LastRecord {
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
    pub(crate) cached_shape: u32,
    /// Cells of its message and the resulting level; `None` if they do not describe it completely.
    pub(crate) message: Option<(Vec<Code>, Level)>,
}

/// Step of a program: the last line of one form and shape.
#[derive(Debug)]
struct Step {
    form: u32,
    gaps: Gaps,
    last_record: Option<Box<LastRecord>>,
    /// Steps that followed this one, last one first.
    followers: [u32; FOLLOWERS],
}

/// Steps of one dialect and thread.
pub(crate) struct LinePredictor {
    steps: Vec<Step>,
    /// Steps by form and shape.
    known: FxHashMap<(u32, ShapeId), u32>,
    /// One step of each form.
    of_form: FxHashMap<u32, u32>,
    /// Per form, the step for lines of any shape, used if the steps come in no predictable order.
    any_shape: FxHashMap<u32, u32>,
    trust: u32,
    /// Number of lines read without trust.
    without_trust: u32,
    last: usize,
    /// Last steps, last one first, and the steps that followed such a sequence.
    last_steps: [u32; SEQUENCE],
    steps_after: FxHashMap<[u32; SEQUENCE], [u32; EXPECTED]>,
    /// Total size of the first line of each step.
    bytes: usize,
    /// Positions of the values of the current line.
    pub(crate) reading: Reading,
}

impl Default for LinePredictor {
    fn default() -> LinePredictor {
        LinePredictor {
            steps: Vec::new(),
            known: FxHashMap::default(),
            of_form: FxHashMap::default(),
            any_shape: FxHashMap::default(),
            trust: FIRST_TRUST,
            without_trust: 0,
            last: 0,
            last_steps: [0; SEQUENCE],
            steps_after: FxHashMap::default(),
            bytes: 0,
            reading: Reading::default(),
        }
    }
}

impl LinePredictor {
    /// Step whose last line has the same fields as the current one, among those that followed the previous lines;
    /// fills the values of the line.
    #[inline]
    pub(crate) fn predict<'a>(
        &mut self,
        line: &'a [u8],
        values: &mut Vec<Raw<'a>>,
    ) -> Option<usize> {
        let followers = self.steps.get(self.last)?.followers;
        let expected = match self.steps_after.is_empty() {
            true => None,
            false => self.steps_after.get(&self.last_steps),
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
            let gaps = &self.steps[*at as usize].gaps;
            match gaps.read(line, may, values, &mut self.reading) {
                Fit::Same => return Some(*at as usize),
                Fit::Unusual => unusual = unusual.or(Some(*at as usize)),
                Fit::Other => {}
            }
        }
        let at = unusual?;
        let gaps = &self.steps[at].gaps;
        let fit = gaps.read(line, MayDiffer::Any, values, &mut self.reading);
        (fit == Fit::Same).then_some(at)
    }

    /// Form of a step's lines.
    pub(crate) fn form(&self, at: usize) -> usize {
        self.steps[at].form as usize
    }

    /// Takes the results of a step's last record; `keep_line` puts them back.
    #[inline]
    pub(crate) fn take(&mut self, at: usize) -> Option<Box<LastRecord>> {
        self.steps[at].last_record.take()
    }

    /// Keeps the current line, of this form and shape. It was compared with the line of step `at`, whose results are
    /// `last_record`. Returns the step of the line and its results, which the caller updates and passes to `put_back`.
    #[inline]
    pub(crate) fn keep_line(
        &mut self,
        (at, last_record): (Option<usize>, Option<Box<LastRecord>>),
        (form, shape): (usize, ShapeId),
        line: &[u8],
    ) -> (usize, Box<LastRecord>) {
        let form = form as u32;
        let without_trust = self.trust == 0;
        if let (Some(at), Some(last_record)) = (at, last_record) {
            let is_own = match without_trust {
                true => self.any_shape.get(&form) == Some(&(at as u32)),
                false => last_record.shape == shape,
            };
            if is_own {
                self.steps[at].gaps.keep(line, &mut self.reading);
                self.note_step(at);
                self.trust_more(without_trust);
                return (at, last_record);
            }
            self.steps[at].last_record = Some(last_record);
        }
        let at = match without_trust {
            true => self.step_for_any_shape(form),
            false => self.step_for(form, shape, line),
        };
        let step = &mut self.steps[at];
        step.gaps.keep_other(line, &mut self.reading);
        let last_record = step.last_record.take().unwrap_or_default();
        self.note_step(at);
        match without_trust {
            true => self.trust_more(true),
            false => self.trust = self.trust.saturating_sub(LOST_TRUST),
        }
        (at, last_record)
    }

    /// Counts a predicted step, or a step that was read without trust.
    #[inline]
    fn trust_more(&mut self, without_trust: bool) {
        if !without_trust {
            self.trust = (self.trust + 1).min(MAX_TRUST);
            return;
        }
        self.without_trust += 1;
        if self.without_trust >= WITHOUT_TRUST {
            (self.without_trust, self.trust) = (0, FIRST_TRUST);
        }
    }

    /// Stores the results of the record that is now the last one of a step.
    #[inline]
    pub(crate) fn put_back(&mut self, at: usize, last_record: Box<LastRecord>) {
        self.steps[at].last_record = Some(last_record);
    }

    /// Step of a form and shape, or of another shape if there are too many steps.
    fn step_for(&mut self, form: u32, shape: ShapeId, line: &[u8]) -> usize {
        if let Some(at) = self.known.get(&(form, shape)) {
            return *at as usize;
        }
        let is_full = self.steps.len() >= MAX_STEPS || self.bytes >= MAX_BYTES;
        if is_full && let Some(at) = self.of_form.get(&form) {
            return *at as usize;
        }
        self.bytes += line.len().min(MAX_LEN);
        // A new step could not have been predicted.
        self.trust = (self.trust + LOST_TRUST).min(MAX_TRUST);
        let at = self.new_step(form);
        self.known.insert((form, shape), at);
        self.of_form.entry(form).or_insert(at);
        at as usize
    }

    /// Step of a form for lines of any shape.
    fn step_for_any_shape(&mut self, form: u32) -> usize {
        if let Some(at) = self.any_shape.get(&form) {
            return *at as usize;
        }
        let at = self.new_step(form);
        self.any_shape.insert(form, at);
        at as usize
    }

    fn new_step(&mut self, form: u32) -> u32 {
        let at = self.steps.len() as u32;
        self.steps.push(Step {
            form,
            gaps: Gaps::default(),
            last_record: None,
            followers: [at; FOLLOWERS],
        });
        at
    }

    /// Notes the step of a line.
    #[inline]
    fn note_step(&mut self, at: usize) {
        let step = at as u32;
        let followers = &mut self.steps[self.last].followers;
        // A step that always has the same follower needs no sequences.
        if *followers != [step; FOLLOWERS] {
            let at_last = FOLLOWERS - 1;
            let known = followers.iter().position(|f| *f == step);
            followers[..=known.unwrap_or(at_last)].rotate_right(1);
            followers[0] = step;
            if self.steps_after.len() > MAX_SEQUENCES {
                self.steps_after.clear();
            }
            let expected = self.steps_after.entry(self.last_steps);
            let expected = expected.or_insert([step; EXPECTED]);
            if expected[0] != step {
                *expected = [step, expected[0]];
            }
        }
        self.last_steps.rotate_right(1);
        self.last_steps[0] = step;
        self.last = at;
    }
}
