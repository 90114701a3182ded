//! Plain words that name instances: `packing mon`, `packed mon`. The same words vary at one place of two templates that
//! have no other variable part.

use rustc_hash::{FxHashMap, FxHashSet};

use super::batch::ReadRecord;
use super::interner::Interner;
use super::lexer::{Form, Mention};

/// Most templates that are compared.
const MOST: usize = 3_000;

/// Place of a word: template with `*` at the word.
type Place = u32;

/// Adds such names to the records that have them; the template loses the word.
pub(super) fn find(read: &mut [ReadRecord], texts: &mut Interner) {
    let mut seen = FxHashSet::default();
    let plain: Vec<u32> = read
        .iter()
        .filter(|r| r.mentions.is_empty() && seen.insert(r.template))
        .map(|r| r.template)
        .take(MOST)
        .collect();
    let mut words_at: FxHashMap<Place, FxHashSet<u32>> = FxHashMap::default();
    let mut places_of: FxHashMap<u32, Vec<(Place, u32)>> = FxHashMap::default();
    for template in plain {
        let text = texts.text(template).to_owned();
        if text.len() > 120 || text.split(' ').count() > 12 {
            continue;
        }
        for (start, word) in words(&text) {
            let place = format!("{}*{}", &text[..start], &text[start + word.len()..]);
            let (place, word) = (texts.number(&place), texts.number(word));
            words_at.entry(place).or_default().insert(word);
            places_of.entry(template).or_default().push((place, word));
        }
    }
    words_at.retain(|_, words| words.len() >= 3);
    let mut places: Vec<Place> = words_at.keys().copied().collect();
    places.sort_unstable();
    places.truncate(300);
    let mut good: FxHashSet<Place> = FxHashSet::default();
    for (i, a) in places.iter().enumerate() {
        for b in &places[i + 1..] {
            let (x, y) = (&words_at[a], &words_at[b]);
            let shared = x.intersection(y).count();
            if shared >= 3 && 10 * shared >= 6 * x.len().max(y.len()) {
                good.extend([*a, *b]);
            }
        }
    }
    if good.is_empty() {
        return;
    }
    let class = texts.number("item");
    for r in read.iter_mut().filter(|r| r.mentions.is_empty()) {
        let of = places_of.get(&r.template);
        let Some((place, word)) = of.and_then(|all| all.iter().find(|(p, _)| good.contains(p)))
        else {
            continue;
        };
        r.template = *place;
        r.mentions.push(Mention {
            class,
            value: *word,
            spelling: *word,
            leads: true,
            form: Form::Word,
        });
    }
}

/// Words of letters and digits with their positions.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_inside = c.is_alphanumeric() || c == '_' || c == '-';
        match (is_inside, start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                out.push((from, &text[from..i]));
                start = None;
            }
            _ => {}
        }
    }
    out.retain(|(_, w)| w.starts_with(|c: char| c.is_alphabetic()));
    out
}
