//! Story pane, beside a view on a wide screen: the last records of the instance under the cursor, and the text of the record
//! under it.

use widetui_core::words::several;
use widetui_session::record_texts::Place;
use widetui_store::EventRef;

use crate::frame::Frame;
use crate::model::Model;

/// Least screen width for the story pane, in columns.
const FROM: u16 = 140;

/// Number of records that are examined for the record under the cursor, per line of the pane.
const EXAMINED: usize = 8;

/// Content of the story pane.
#[derive(Debug)]
pub struct Story<'a> {
    /// Instance with the number of its records, or the source of a record without an instance.
    pub title: String,
    /// Records in time order.
    pub records: Vec<EventRef<'a>>,
    /// Index of the record whose text is shown.
    pub chosen: usize,
}

impl Model {
    /// True if the view has a story pane on the screen.
    pub(crate) fn has_story(&self) -> bool {
        let has_room = self.screen.size.0 >= FROM && self.split.is_none();
        has_room && self.record.shown && (self.view.has_story)(self)
    }

    /// Content of the story pane, with at most as many records as it has lines; `None` without a pane, or if the row
    /// under the cursor is about no record.
    pub fn story(&self) -> Option<Story<'_>> {
        let lines = usize::from(Frame::new(self).story.height);
        if lines == 0 {
            return None;
        }
        let current = (self.view.followed)(self);
        self.story_of_instance(current.as_ref(), lines).or_else(|| {
            let event = current?;
            Some(Story {
                title: self.source_names.name_of(event.source()).to_owned(),
                records: vec![event],
                chosen: 0,
            })
        })
    }

    fn story_of_instance(&self, current: Option<&EventRef<'_>>, lines: usize) -> Option<Story<'_>> {
        let instance = (self.view.instance)(self)?;
        let (snapshot, seen) = self.instances.seen.as_ref()?;
        let at = instance.at(snapshot, seen)?;
        let (all, one) = seen.get(at)?;
        let mut records = all.last_events(one, EXAMINED * lines);
        records.reverse();
        let event = |id: &u32| snapshot.event(widetui_core::ids::EventId(*id));
        let records: Vec<EventRef<'_>> = records.iter().filter_map(event).collect();
        let place = current.map(Place::from_event);
        let of_place = |place| records.iter().position(|e| Place::from_event(e) == place);
        let last = records.len().checked_sub(1)?;
        let chosen = place.and_then(of_place).unwrap_or(last);
        // The record under the cursor with those before it, and those after it as far as there is room.
        let end = (chosen + lines / 3 + 1).max(lines).min(records.len());
        let start = end.saturating_sub(lines);
        let count = several(all.event_count(one), "record");
        Some(Story {
            title: format!("{} · {count}", instance.full_name()),
            records: records[start..end].to_vec(),
            chosen: chosen - start,
        })
    }
}
