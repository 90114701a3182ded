//! Meaning of colours, shared by the screen and exported figures so that a state looks the same in both.

use crate::Instances;
use crate::states::States;
use crate::timeline::Timeline;

/// Meaning of a colour, from which a theme chooses the colour itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Distinguishes items by their position among the others.
    #[default]
    Position,
    /// Distinguishes items by this number.
    Hue(usize),
    /// Colour of success, such as a task that ended well.
    Success,
    /// Colour of failure, such as a failed task.
    Failure,
}

impl Tone {
    /// Number of previous items with the same hue, each of which makes this one paler. `hues` is
    /// the number of hues for [`Tone::Hue`], `own` for [`Tone::Position`].
    pub fn hue_repetition(among: &[Tone], member: usize, (hues, own): (usize, usize)) -> usize {
        let before = |tone: Tone| among.iter().take(member).filter(|t| **t == tone).count();
        match among.get(member) {
            Some(tone @ (Tone::Success | Tone::Failure)) => before(*tone),
            Some(Tone::Hue(number)) => number / hues.max(1),
            Some(Tone::Position) | None => member / own.max(1),
        }
    }
}

/// Tones of `Instances::states`. A state has the same colour in all figures of all runs: failures and other final states that of
/// their outcome, all others a hue by their phase and place in the definition.
pub fn state_tones(instances: &Instances) -> Vec<Tone> {
    let entity = &instances.entity;
    let phase = |name: &&String| match () {
        () if entity.executing_states.contains(name) => 0,
        () if entity.waiting_states.contains(name) => 1,
        () => 2,
    };
    let is_final = |name: &&String| entity.is_final(name) || entity.failed_states.contains(name);
    let mut ongoing: Vec<&String> = entity
        .states
        .iter()
        .filter(|name| !is_final(name))
        .collect();
    ongoing.sort_by_key(phase);
    let tone = |name: &String| match ongoing.iter().position(|other| *other == name) {
        Some(number) => Tone::Hue(number),
        None if entity.failed_states.contains(name) => Tone::Failure,
        None if entity.is_final(name) => Tone::Success,
        // Of a state that the definition does not know only the name is the same in another run.
        None => Tone::Hue(name.bytes().map(usize::from).sum()),
    };
    instances.states.iter().map(tone).collect()
}

/// Tones of the colours of a timeline if they are states; otherwise empty, and each colour is
/// [`Tone::Position`].
pub fn timeline_tones(found: &Instances, data: &Timeline) -> Vec<Tone> {
    let known = state_tones(found);
    let tone = |name: &String| match found.states.iter().position(|s| s == name) {
        Some(at) => known.get(at).copied(),
        // Colour names that the timeline itself uses for entities without states.
        None => match name.as_str() {
            "ended" => Some(Tone::Success),
            "lost" => Some(Tone::Failure),
            "open" => Some(Tone::Hue(0)),
            _ => None,
        },
    };
    let tones: Option<Vec<Tone>> = data.colours.iter().map(tone).collect();
    tones.unwrap_or_default()
}

/// States with instances, in stacking order: final states at the bottom, waiting states on top.
pub fn stacking_order(found: &Instances, states: &States) -> Vec<usize> {
    let is_seen = |at: &usize| {
        states.final_counts[*at] > 0 || states.series[*at].max().is_some_and(|m| m.1 > 0)
    };
    let mut order: Vec<usize> = (0..states.names.len()).filter(is_seen).collect();
    order.reverse();
    order.sort_by_key(|at| !found.entity.is_final(&states.names[*at]));
    order
}
