//! Meaning of colours, shared by the screen and exported figures so that a state looks the same in both.

use crate::Instances;
use crate::states::States;
use crate::timeline::Timeline;

/// Meaning of a colour, from which a theme chooses the colour itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Distinguishes items by their position among the others.
    #[default]
    Own,
    /// Distinguishes items by this number.
    Hue(usize),
    /// Success.
    Good,
    /// Failure.
    Bad,
}

impl Tone {
    /// Number of previous items with the same hue, each of which makes this one paler. `hues` is
    /// the number of hues for [`Tone::Hue`], `own` for [`Tone::Own`].
    pub fn round(among: &[Tone], member: usize, (hues, own): (usize, usize)) -> usize {
        let before = |tone: Tone| among.iter().take(member).filter(|t| **t == tone).count();
        match among.get(member) {
            Some(tone @ (Tone::Good | Tone::Bad)) => before(*tone),
            Some(Tone::Hue(number)) => number / hues.max(1),
            Some(Tone::Own) | None => member / own.max(1),
        }
    }
}

/// Number of hues that every theme has.
const HUES: usize = 4;

/// Tones of `Instances::states`. States that are not final get hues, in the order of the states
/// that occur in the run, whatever is selected; final states get the tone of their outcome. So a
/// state has the same colour in all figures.
pub fn of_states(instances: &Instances) -> Vec<Tone> {
    let mut occurs = vec![0u64; instances.states.len()];
    for change in instances.list.iter().flat_map(|i| instances.changes(i)) {
        if let Some(occurs) = occurs.get_mut(usize::from(change.state)) {
            *occurs += 1;
        }
    }
    let entity = &instances.entity;
    let going = |at: &usize| occurs[*at] > 0 && !entity.is_final(&instances.states[*at]);
    // Waiting states come last, since their area lies on top of the others.
    let mut going: Vec<usize> = (0..occurs.len()).rev().filter(going).collect();
    if going.len() > HUES {
        // With more states than hues, the most frequent states get filled hues.
        going.sort_by_key(|at| std::cmp::Reverse(occurs[*at]));
    }
    let tone = |(at, name): (usize, &String)| match going.iter().position(|g| *g == at) {
        Some(number) => Tone::Hue(number),
        None if entity.failed.contains(name) => Tone::Bad,
        None => Tone::Good,
    };
    instances.states.iter().enumerate().map(tone).collect()
}

/// Tones of the colours of a timeline if they are states; otherwise empty, and each colour is
/// [`Tone::Own`].
pub fn of_timeline(found: &Instances, data: &Timeline) -> Vec<Tone> {
    let known = of_states(found);
    let tone = |name: &String| match found.states.iter().position(|s| s == name) {
        Some(at) => known.get(at).copied(),
        // Colour names that the timeline itself uses for entities without states.
        None => match name.as_str() {
            "ended" => Some(Tone::Good),
            "lost" => Some(Tone::Bad),
            "open" => Some(Tone::Hue(0)),
            _ => None,
        },
    };
    let tones: Option<Vec<Tone>> = data.colours.iter().map(tone).collect();
    tones.unwrap_or_default()
}

/// States with instances, in stacking order: final states at the bottom, waiting states on top.
pub fn stacked(found: &Instances, states: &States) -> Vec<usize> {
    let is_seen =
        |at: &usize| states.last[*at] > 0 || states.series[*at].max().is_some_and(|m| m.1 > 0);
    let mut order: Vec<usize> = (0..states.names.len()).filter(is_seen).collect();
    order.reverse();
    order.sort_by_key(|at| !found.entity.is_final(&states.names[*at]));
    order
}
