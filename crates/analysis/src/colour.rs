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

/// Number of hues that every theme has.
const MIN_HUES: usize = 4;

/// Tones of `Instances::states`. States that are not final get hues, in the order of the states
/// that occur in the run, whatever is selected; final states get the tone of their outcome. So a
/// state has the same colour in all figures.
pub fn state_tones(instances: &Instances) -> Vec<Tone> {
    let mut frequency = vec![0u64; instances.states.len()];
    for change in instances.list.iter().flat_map(|i| instances.changes(i)) {
        if let Some(frequency) = frequency.get_mut(usize::from(change.state)) {
            *frequency += 1;
        }
    }
    let entity = &instances.entity;
    let ongoing = |at: &usize| frequency[*at] > 0 && !entity.is_final(&instances.states[*at]);
    // Waiting states come last, since their area lies on top of the others.
    let mut ongoing: Vec<usize> = (0..frequency.len()).rev().filter(ongoing).collect();
    if ongoing.len() > MIN_HUES {
        // With more states than hues, the most frequent states get filled hues.
        ongoing.sort_by_key(|at| std::cmp::Reverse(frequency[*at]));
    }
    let tone = |(at, name): (usize, &String)| match ongoing.iter().position(|g| *g == at) {
        Some(number) => Tone::Hue(number),
        None if entity.failed_states.contains(name) => Tone::Failure,
        None => Tone::Success,
    };
    instances.states.iter().enumerate().map(tone).collect()
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
