//! Marks: facts about instances at events, sorted by instance and time.

use std::mem::take;

use crate::entity::ids::NO_INSTANCE;
use crate::entity::plan::InstanceMark;
use crate::entity::segment_instances::SegmentInstances;
use crate::entity::shared_columns::EventPositions;
use crate::entity::slice;

/// Fact about an instance stated by an event.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    /// Position of the event among all events in time order.
    position: u32,
    /// Id of the event that states the fact.
    pub(crate) event: u32,
    /// Kind of the fact.
    pub(crate) kind: InstanceMark,
}

/// Marks of all instances, ordered by instance.
pub(super) struct Marks {
    all: Vec<Mark>,
    /// Start of the marks of each instance in `all`, and the end of the last.
    starts: Vec<u32>,
    /// Whether each instance has an event of the `begun` condition.
    pub(crate) begun: Vec<bool>,
}

impl Marks {
    /// Collects the marks of all segments; `run_numbers` maps the instances of a segment to numbers of the
    /// whole run.
    pub(crate) fn collect(
        found: &mut [SegmentInstances],
        run_numbers: &[Vec<u32>],
        instances: usize,
        places: &EventPositions,
    ) -> Marks {
        let mut starts = vec![0u32; instances + 1];
        let mut begun = vec![false; instances];
        for (found, run_numbers) in found.iter().zip(run_numbers) {
            for (_, own, mark) in &found.marks {
                let at = run_numbers[*own as usize];
                match mark {
                    _ if at == NO_INSTANCE => {}
                    InstanceMark::Begun => begun[at as usize] = true,
                    _ => starts[at as usize + 1] += 1,
                }
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let total = starts.last().map_or(0, |end| *end as usize);
        let none = Mark {
            position: 0,
            event: 0,
            kind: InstanceMark::Start,
        };
        let mut all = vec![none; total];
        for (found, run_numbers) in found.iter_mut().zip(run_numbers) {
            for (event, own, what) in take(&mut found.marks) {
                let at = run_numbers[own as usize];
                if at != NO_INSTANCE && what != InstanceMark::Begun {
                    let next = &mut next[at as usize];
                    let place = places.by_event[event as usize];
                    all[*next as usize] = Mark {
                        position: place,
                        event,
                        kind: what,
                    };
                    *next += 1;
                }
            }
        }
        Marks { all, starts, begun }
    }

    /// Sorts the marks of each instance by time; dependencies come last.
    pub(crate) fn sort(&mut self) {
        for range in self.starts.windows(2).filter(|w| w[1] > w[0] + 1) {
            let own = &mut self.all[range[0] as usize..range[1] as usize];
            own.sort_unstable_by_key(|mark| {
                let is_wait = matches!(
                    mark.kind,
                    InstanceMark::DependsOn(..) | InstanceMark::AwaitedBy(_)
                );
                (is_wait, mark.position, mark.kind)
            });
        }
    }

    /// Marks of one instance in time order.
    pub(crate) fn of_instance(&self, at: u32) -> &[Mark] {
        let at = at as usize;
        slice(&self.all, (self.starts[at], self.starts[at + 1]))
    }
}
