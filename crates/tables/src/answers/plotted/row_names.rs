//! Names of timeline rows: short and unique.

use std::collections::HashMap;

use widetui_analysis::timeline::{Timeline, TimelineRow};

/// Minimum and maximum length of each part of a row's name, characters: identifiers differ at their start.
pub(super) const PART: (usize, usize) = (4, 8);
/// Maximum number of parts of a name, the innermost ones.
const PARTS: usize = 2;

/// Naming of rows without the parts that all rows share.
pub(super) struct Names {
    from: usize,
    /// Number of skipped and of shown characters of each part from `from` on: as many as keep its values distinct.
    parts: Vec<(usize, usize)>,
    /// Length of the common prefix of a name with one part, bytes; it is omitted.
    common: usize,
}

/// Length up to which a name of one part is shown whole, characters.
const WHOLE: usize = 10;

impl Names {
    /// Computes the naming of the rows of a timeline.
    pub fn of(data: &Timeline) -> Names {
        let same = |at: usize| {
            let mut values = data.rows.iter().map(|r| r.values.get(at));
            let first = values.next().flatten();
            values.all(|v| v == first)
        };
        let keys = data.keys.len();
        let from = (0..keys).find(|at| !same(*at)).unwrap_or(keys);
        let from = from
            .max(keys.saturating_sub(PARTS))
            .min(keys.saturating_sub(1));
        let length = |at: usize| cut_of(data.rows.iter().map(|r| part(r, at)).collect());
        Names {
            from,
            parts: (from..keys).map(length).collect(),
            common: match keys - from {
                1 => common_start(data.rows.iter().map(|r| part(r, from))),
                _ => 0,
            },
        }
    }

    /// Name of a row.
    pub(crate) fn name(&self, row: &TimelineRow) -> String {
        let parts = row.values.get(self.from..).unwrap_or_default();
        match parts {
            [] => row.name.clone(),
            [one] => match one.get(self.common..) {
                Some(rest) if self.common > 0 => format!("…{rest}"),
                _ => one.clone(),
            },
            parts => {
                let short = |(value, (skipped, shown)): (&String, &(usize, usize))| -> String {
                    match value.as_str() {
                        "" => "?".to_owned(),
                        value => value.chars().skip(*skipped).take(*shown).collect(),
                    }
                };
                let parts = parts.iter().zip(&self.parts).map(short);
                parts.collect::<Vec<_>>().join("/")
            }
        }
    }
}

/// Returns the number of leading characters to skip and the number to show so that values stay distinct, within the
/// limits of [`PART`] if possible.
pub(in crate::answers) fn cut_of(mut values: Vec<&str>) -> (usize, usize) {
    values.sort_unstable();
    values.dedup();
    let common = |a: &str, b: &str| {
        let pairs = a.chars().zip(b.chars());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let needed = values.windows(2).map(|w| common(w[0], w[1]) + 1).max();
    let needed = needed.unwrap_or(0);
    if needed <= PART.1 {
        return (0, needed.max(PART.0));
    }
    // The values differ far behind their start: it is skipped, up to a word if that suffices.
    let skipped = common_start(values.iter().copied());
    let skipped = values.iter().find_map(|v| v.get(..skipped));
    let skipped = skipped.map_or(0, |start| start.chars().count());
    let of_words = (
        skipped,
        needed.saturating_sub(skipped).clamp(PART.0, PART.1),
    );
    let is_distinct = |(skipped, shown): &(usize, usize)| {
        let short = |v: &&str| v.chars().skip(*skipped).take(*shown).collect::<String>();
        let mut short: Vec<String> = values.iter().map(short).collect();
        short.sort_unstable();
        short.dedup();
        short.len() == values.len()
    };
    let mut cuts = [of_words, (needed - PART.1, PART.1)].into_iter();
    cuts.find(is_distinct).unwrap_or((0, needed))
}

/// Length of the common prefix of long names up to the start of a word, bytes: for `tcp://10.0.2.96:37527` and
/// `tcp://10.0.2.97:40433` everything before 96.
fn common_start<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let names: Vec<&str> = names.filter(|n| !n.is_empty()).collect();
    let (Some(first), true) = (names.first(), names.len() > 1) else {
        return 0;
    };
    let longest = names.iter().map(|n| n.chars().count()).max();
    if longest.is_none_or(|l| l <= WHOLE) {
        return 0;
    }
    let same = |end: &usize| names.iter().all(|n| n.get(..*end) == first.get(..*end));
    let starts = first.char_indices().filter(|(_, c)| !c.is_alphanumeric());
    let starts = starts.map(|(at, c)| at + c.len_utf8());
    starts.take_while(same).last().unwrap_or(0)
}

/// Part of a row's name; empty if it has none.
fn part(row: &TimelineRow, at: usize) -> &str {
    row.values.get(at).map_or("", String::as_str)
}

/// Shortens the numbers of rows, each with its label: long numbers are cut to what distinguishes rows with equal
/// labels.
pub(super) fn short_numbers<'n>(
    numbers: impl Iterator<Item = &'n str>,
    labels: &[Option<String>],
) -> Vec<String> {
    let numbers: Vec<&str> = numbers.collect();
    let mut of_label: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
    for (number, label) in numbers.iter().zip(labels) {
        of_label.entry(label.as_deref()).or_default().push(number);
    }
    let is_long = |all: &Vec<&str>| all.iter().any(|n| n.chars().count() > WHOLE);
    let cuts: HashMap<Option<&str>, (usize, usize)> = of_label
        .into_iter()
        .filter(|(label, all)| label.is_some() && is_long(all))
        .map(|(label, all)| (label, cut_of(all)))
        .collect();
    let short = |(number, label): (&&str, &Option<String>)| match cuts.get(&label.as_deref()) {
        Some((skipped, shown)) => number.chars().skip(*skipped).take(*shown).collect(),
        None => (*number).to_owned(),
    };
    numbers.iter().zip(labels).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_shortened_and_distinct() {
        let numbers = [
            "run_scenario-6a75a7a6-188a88f5277d-0",
            "run_scenario-6a75a7a6-188a88f5277d-1",
            "run_scenario-6a75a7a6-188a88f5277d-10",
            "reduce-6a75a7a6",
            "7",
        ];
        let label = |text: &str| Some(text.to_owned());
        let labels = [
            label("run"),
            label("run"),
            label("run"),
            label("reduce"),
            None,
        ];
        let short = short_numbers(numbers.into_iter(), &labels);
        assert_eq!(short, ["0", "1", "10", "redu", "7"]);
    }

    #[test]
    fn row_names_keep_the_distinguishing_parts() {
        let row = |values: &[&str]| TimelineRow {
            name: values.join(" ").trim().to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            ..TimelineRow::default()
        };
        let names = |keys: usize, rows: &[&[&str]]| -> Vec<String> {
            let data = Timeline {
                rows: rows.iter().map(|r| row(r)).collect(),
                keys: vec![String::new(); keys],
                ..Timeline::default()
            };
            let names = Names::of(&data);
            data.rows.iter().map(|r| names.name(r)).collect()
        };
        let one = [&["m", "0"][..], &["m", "1"]];
        assert_eq!(names(2, &one), ["0", "1"]);
        let two = [&["9d89e23d77", "0"][..], &["322ce8a1b2", "0"]];
        assert_eq!(names(2, &two), ["9d89/0", "322c/0"]);
        let close = [&["9d89e2aa", "0"][..], &["9d89e2bb", "0"]];
        assert_eq!(names(2, &close), ["9d89e2a/0", "9d89e2b/0"]);
        let runs = [
            &["run-20261121T014416Z-x", "0"][..],
            &["run-20261121T014802Z-x", "0"],
        ];
        assert_eq!(names(2, &runs), ["121T0144/0", "121T0148/0"]);
        let late = [&["a", "worker-demeter-1"][..], &["b", "worker-demeter-2"]];
        assert_eq!(names(2, &late), ["a/1", "b/2"]);
        let tcp = [&["tcp://10.0.2.96:37527"][..], &["tcp://10.0.2.97:40433"]];
        assert_eq!(names(1, &tcp), ["…96:37527", "…97:40433"]);
        assert_eq!(
            names(1, &[&["worker-1"], &["worker-2"]]),
            ["worker-1", "worker-2"]
        );
        assert_eq!(names(1, &[&["a-long-single-one"]]), ["a-long-single-one"]);
    }
}
