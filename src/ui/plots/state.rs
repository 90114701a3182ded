//! What the views that draw over time keep: about what they are, and the moment under their cursor.

use std::sync::Arc;

use crate::workspace::plots::{Curve, CurveOf, Grouping, StepOf};

/// See the module's text. What is shown of the time, and the brush, are those of the events (`EventList`).
#[derive(Clone, Debug, Default)]
pub struct PlotState {
    /// The kind of things (dotted name); `None` for the one that fits best.
    pub entity: Option<String>,
    /// By what the rows of the timeline are made.
    pub grouping: Grouping,
    /// The key that colours the timeline; `None`: what things are.
    pub colour: Option<String>,
    /// The key by which spans are told apart.
    pub spans_by: Option<String>,
    /// The number that is drawn.
    pub key: Option<String>,
    /// The key by which its lines are told apart.
    pub key_by: Option<String>,
    /// The step whose slowest instances are shown.
    pub step: Option<StepOf>,
    /// The moment under the cursor, UTC ns; `None`: that of the record under the cursor of the events.
    pub moment: Option<i64>,
    /// The curves that the user wants under the strip; `None` for those that say most.
    pub curves: Option<Vec<CurveOf>>,
    /// The curves under the strip.
    pub drawn: Arc<[Curve]>,
    /// The state of the selection (`Model::epoch`) that they were asked for.
    pub epoch: u64,
    /// Whether they are being computed.
    pub is_asked: bool,
}
