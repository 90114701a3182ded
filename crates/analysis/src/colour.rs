//! Meaning of colours, shared by the screen and exported figures so that a state looks the same in both.

use crate::Instances;
use crate::states::States;
use crate::timeline::Timeline;

/// What the colour of something says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Which one it is, by its place among the others.
    #[default]
    Own,
    /// The same, by this number.
    Hue(usize),
    /// That it is well.
    Good,
    /// That it is not.
    Bad,
}

impl Tone {
    /// How often its hue was given to others before, where there are so many hues for what goes on (`hues`) and for
    /// what is told apart by its place (`own`): each time it is paler.
    pub fn round(among: &[Tone], member: usize, (hues, own): (usize, usize)) -> usize {
        let before = |tone: Tone| among.iter().take(member).filter(|t| **t == tone).count();
        match among.get(member) {
            Some(tone @ (Tone::Good | Tone::Bad)) => before(*tone),
            Some(Tone::Hue(number)) => number / hues.max(1),
            Some(Tone::Own) | None => member / own.max(1),
        }
    }
}

/// Hues that all themes have.
const HUES: usize = 4;

/// What the colours of states say, as `Instances::states` has them: what goes on has the hues, in the order of the states that
/// occur in the run, whatever is selected; what ended says how. So a state looks the same in all pictures of these things.
pub fn of_states(instances: &Instances) -> Vec<Tone> {
    let mut occurs = vec![0u64; instances.states.len()];
    for change in instances.list.iter().flat_map(|i| instances.changes(i)) {
        if let Some(occurs) = occurs.get_mut(usize::from(change.state)) {
            *occurs += 1;
        }
    }
    let entity = &instances.entity;
    let going = |at: &usize| occurs[*at] > 0 && !entity.is_final(&instances.states[*at]);
    // What waits to begin comes last: its picture lies on top of the others.
    let mut going: Vec<usize> = (0..occurs.len()).rev().filter(going).collect();
    if going.len() > HUES {
        // Those that are seen most have the hues that are filled.
        going.sort_by_key(|at| std::cmp::Reverse(occurs[*at]));
    }
    let tone = |(at, name): (usize, &String)| match going.iter().position(|g| *g == at) {
        Some(number) => Tone::Hue(number),
        None if entity.failed.contains(name) => Tone::Bad,
        None => Tone::Good,
    };
    instances.states.iter().enumerate().map(tone).collect()
}

/// What the colours of a timeline say, where they are those of states; else nothing, and each is its own.
pub fn of_timeline(found: &Instances, data: &Timeline) -> Vec<Tone> {
    let known = of_states(found);
    let tone = |name: &String| match found.states.iter().position(|s| s == name) {
        Some(at) => known.get(at).copied(),
        // Words of the timeline's own, for what has no states.
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

/// The states that somebody was in, as they lie on each other: what is over at the bottom, and what waits to begin on
/// top.
pub fn stacked(found: &Instances, states: &States) -> Vec<usize> {
    let is_seen =
        |at: &usize| states.last[*at] > 0 || states.series[*at].max().is_some_and(|m| m.1 > 0);
    let mut order: Vec<usize> = (0..states.names.len()).filter(is_seen).collect();
    order.reverse();
    order.sort_by_key(|at| !found.entity.is_final(&states.names[*at]));
    order
}
