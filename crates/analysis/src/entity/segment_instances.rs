//! Instances of an entity in one segment.

use std::sync::Arc;

use crate::entity::extent::{Extents, extents};
use crate::entity::ids::Ids;
use crate::entity::members::{RowInstances, RowMembers};
use crate::entity::named_values::{EventChoice, NamedValues, collect_values};
use crate::entity::plan::{EntityPlan, InstanceMark};
use crate::entity::shared_columns::{KeyNumber, SegmentColumns};

/// Event, instance in the segment, and the mark.
pub(super) type FoundMark = (u32, u32, InstanceMark);

/// Instances of one entity in one segment.
#[derive(Debug, Default)]
pub(super) struct SegmentInstances {
    /// Ids of the instances.
    pub(crate) ids: Ids,
    /// Instances of the rows.
    pub(crate) rows: Arc<RowInstances>,
    /// First and last events of the instances.
    pub(crate) extents: Extents,
    /// Facts about the instances.
    pub(crate) marks: Vec<FoundMark>,
    /// Labels from the first events of instances.
    pub(crate) labels: NamedValues,
    /// Places from the last events of instances.
    pub(crate) places: NamedValues,
    /// Number of rows whose instance cannot be decided.
    pub(crate) undecided: u64,
}

impl SegmentInstances {
    /// Empty result for an entity with this number of alternative ids.
    pub(crate) fn new(alternatives: usize) -> SegmentInstances {
        SegmentInstances {
            ids: Ids::new(alternatives),
            ..SegmentInstances::default()
        }
    }

    /// Adds the instances of the rows, extents, labels and places; the result is complete then, and small, as the results of all
    /// segments wait for the last one.
    pub(crate) fn completed(
        mut self,
        (segment_columns, plan): (&SegmentColumns<'_>, &EntityPlan),
        (labels, places): (&[KeyNumber], &[KeyNumber]),
        members: RowMembers,
    ) -> SegmentInstances {
        let instances = self.ids.len();
        let values =
            |keys, choice| collect_values((segment_columns, &members), keys, (instances, choice));
        self.labels = values(labels, EventChoice::First);
        self.places = values(places, EventChoice::Last);
        self.rows = Arc::new(members.pack(instances));
        self.extents = extents((segment_columns, plan), &self.rows, instances);
        self.marks.shrink_to_fit();
        self.ids.close();
        self
    }
}
