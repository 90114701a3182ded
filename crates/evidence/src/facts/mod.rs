//! Facts: typed statements about instances, each with a strength, found without an order among them.
//!
//! | module | facts |
//! |---|---|
//! | [`courses`] | steps of the instances of a class: the base of those below |
//! | `left` | left its class, none went on |
//! | `slow` | slow steps, by instance and place |
//! | `locks` | holds and wants |
//! | `waits` | waits for, cycles, logs that end with a wait |
//! | `short` | counts below their total, and who is missing |
//! | `killed` | ended from outside |
//! | `unread` | names with another spelling, names that one side alone has |
//! | `writers` | a second writer of a log |
//! | `limits` | limits below what is needed |
//! | `trends` | numbers that only grow |
//! | `odd` | one number, log, version or repetition unlike the others |
//! | `contrast` | what the failed share and the others do not have |
//! | `trouble` | exceptions, reasons, errors, warnings, quiet deviations |
//! | `recovery` | signs of life after a failure, outcome of the whole |
//! | `interrupts`, `clocks` | interrupts, silences, steps of clocks |

mod clocks;
mod contrast;
pub mod courses;
mod fact;
mod interrupts;
mod killed;
mod left;
mod limits;
mod locks;
mod odd;
mod recovery;
mod short;
mod slow;
mod trends;
mod trouble;
mod unread;
mod waits;
mod writers;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::actors::{InstanceIndex, RecordIndex, Records};

pub use fact::{Fact, Statement};
pub use limits::UNRELATED_LIMIT;
pub use recovery::{ended_well, ends_with_failure};

/// Detector of facts.
type Detector = fn(&Records) -> Vec<Fact>;

/// Detectors that need the records alone.
const DETECTORS: [Detector; 7] = [
    short::find,
    killed::find,
    unread::find,
    writers::find,
    limits::find,
    trends::find,
    clocks::find,
];

/// Facts that definitions know, and the records and instances about which they say more than words.
#[derive(Debug, Default)]
pub struct Known {
    /// Facts.
    pub facts: Vec<Fact>,
    /// Records of harmless messages.
    pub harmless: FxHashSet<RecordIndex>,
    /// Work items that succeeded.
    pub succeeded: FxHashSet<InstanceIndex>,
}

/// Finds all facts, and adds them to those that definitions know.
pub fn find(records: &Records, known: Known) -> Vec<Fact> {
    let alone = || {
        DETECTORS
            .par_iter()
            .map(|find| find(records))
            .collect::<Vec<_>>()
    };
    let related = || {
        let courses = courses::courses(records);
        let (holds, wants) = locks::find(records, &courses);
        let mut out = vec![
            left::find(records, &courses),
            slow::find(records, &courses),
            holds,
        ];
        out.push(odd::find(records, &courses));
        out.push(contrast::find(records, &courses));
        out.push(waits::find(records, &wants));
        out
    };
    let trouble = || trouble::find(records, &known.harmless, &known.succeeded);
    let ((alone, trouble), related) = rayon::join(|| rayon::join(alone, trouble), related);
    let mut out = known.facts;
    let found = alone.into_iter().chain(related).flatten().chain(trouble);
    out.extend(found.filter(|f| !f.records.is_empty()));
    // Work that succeeded went its way, whatever others did.
    for fact in &mut out {
        let has_succeeded = |i: &InstanceIndex| known.succeeded.contains(i);
        if fact.statement.is_symptom() && fact.subject.iter().any(has_succeeded) {
            fact.recovered = 1.0;
        }
    }
    out.extend(interrupts::find(records));
    interrupts::weaken(&mut out);
    out
}
