//! Order of the rows of a timeline.

use std::collections::HashMap;

use crate::timeline::TimelineRow;

/// Orders rows by begin; rows of one outer place (the workers of a manager) stay together, in the
/// order of their numbers. Names that are identifiers have no meaningful order. The unknown place
/// comes last.
pub(super) fn sort_rows(rows: &mut [TimelineRow]) {
    let outer = |row: &TimelineRow| -> Vec<String> {
        let inner = row.values.len().saturating_sub(1);
        row.values[..inner].to_vec()
    };
    let start = |row: &TimelineRow| {
        let first = row.bars.iter().map(|b| b.start).min();
        first.or(row.lifetime.map(|l| l.0)).unwrap_or(i64::MAX)
    };
    let mut first: HashMap<Vec<String>, i64> = HashMap::new();
    for row in rows.iter() {
        let known = first.entry(outer(row)).or_insert(i64::MAX);
        *known = start(row).min(*known);
    }
    // Numbers are assigned in order; other names of the innermost place may be random.
    let is_numbered = rows.iter().all(|row| {
        let inner = row.values.last();
        inner.is_some_and(|name| name.chars().all(|c| c.is_ascii_digit()))
    });
    rows.sort_by_cached_key(|row| {
        let outer = outer(row);
        let begins = first.get(&outer).copied().unwrap_or(i64::MAX);
        let inner = row.values.last().map_or("", String::as_str);
        let (number, own) = match is_numbered {
            true => (natural_key(inner), 0),
            false => (Vec::new(), start(row)),
        };
        (
            row.name.is_empty(),
            begins,
            outer,
            number,
            own,
            natural_key(&row.name),
        )
    });
}

/// Sort key of a name, split into words and numbers, so that 10 comes after 9.
fn natural_key(name: &str) -> Vec<(String, u64)> {
    let mut out: Vec<(String, u64)> = vec![(String::new(), 0)];
    let mut in_number = false;
    for c in name.chars() {
        match c.to_digit(10) {
            Some(digit) => {
                if let Some(last) = out.last_mut() {
                    last.1 = last.1.saturating_mul(10).saturating_add(u64::from(digit));
                }
                in_number = true;
            }
            None => {
                if in_number {
                    out.push((String::new(), 0));
                    in_number = false;
                }
                if let Some(last) = out.last_mut() {
                    last.0.push(c);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{Bar, Ending, Progress};

    fn row(values: &[&str], start: i64) -> TimelineRow {
        TimelineRow {
            name: values.join(" ").trim().to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            bars: vec![Bar {
                start,
                end: start + 1,
                ending: Ending::Ended,
                lane: 0,
                instance: 0,
                colour: 0,
                progress: Progress::Begun,
            }],
            ..TimelineRow::default()
        }
    }

    fn ordered(rows: &[(&[&str], i64)]) -> Vec<String> {
        let mut rows: Vec<TimelineRow> = rows.iter().map(|(v, s)| row(v, *s)).collect();
        sort_rows(&mut rows);
        rows.into_iter().map(|r| r.name).collect()
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["w 10", "w 9", "v", "w 9 b"];
        names.sort_by_key(|n| natural_key(n));
        assert_eq!(names, ["v", "w 9", "w 9 b", "w 10"]);
    }

    #[test]
    fn rows_are_ordered_by_start_and_numbers_within_a_place() {
        let workers: [(&[&str], i64); 5] = [
            (&["1c3b", "0"], 50),
            (&["", ""], 1),
            (&["9d89", "10"], 10),
            (&["9d89", "2"], 20),
            (&["1c3b", "1"], 40),
        ];
        assert_eq!(
            ordered(&workers),
            ["9d89 2", "9d89 10", "1c3b 0", "1c3b 1", ""]
        );
        // Identifiers are random.
        assert_eq!(ordered(&[(&["0a"], 9), (&["ff"], 3)]), ["ff", "0a"]);
        assert_eq!(ordered(&[(&["10"], 3), (&["9"], 9)]), ["9", "10"]);
    }
}
