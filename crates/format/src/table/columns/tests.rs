use super::*;
use crate::text::json_scan::text;
use crate::text::json_scan::walk;
use proptest::prelude::*;
use serde_json::{Value, json};
use widetui_source::head::Extent;

fn rows(text: &str) -> (Vec<Value>, Vec<String>) {
    let mut rows = ColumnLines::new(text.as_bytes());
    let mut out = String::new();
    rows.read_to_string(&mut out).unwrap();
    let lines = out.lines().map(|l| serde_json::from_str(l).unwrap());
    (lines.collect(), rows.problems())
}

/// Names and values of a line as written, without quotes.
fn spelled(line: &str) -> Vec<(String, String)> {
    let own = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (mut pairs, mut scratch) = (Vec::new(), Vec::new());
    let whole = walk(line.as_bytes(), |name, raw| {
        pairs.push((own(name), own(text(raw, &mut scratch))));
    });
    assert!(whole.is_some(), "{line}");
    pairs
}

const DASHES: &str = "\
JobID           JobName      State ExitCode
------------ ---------- ---------- --------
7                hello   COMPLETED      0:0
7.batch          batch   CANCELLED
8            my long n+ CANCELLED+     0:15
";

const CAPITALS: &str = concat!(
    "             JOBID     NAME ST       TIME  NODES NODELIST(REASON)\n",
    "                12   my job PD       0:00     99 (launch failed requeued held)\n",
    "             9_[3]  timeout  R 1-12:00:31      1 c01\n",
);

#[test]
fn cells_are_below_their_names_or_dashes() {
    assert!(detect(SourceHead::whole(DASHES.as_bytes())));
    let want = json!([
        {"JobID": 7, "JobName": "hello", "State": "COMPLETED", "ExitCode": "0:0"},
        {"JobID": "7.batch", "JobName": "batch", "State": "CANCELLED", "ExitCode": null},
        {"JobID": 8, "JobName": "my long n+", "State": "CANCELLED+", "ExitCode": "0:15"},
    ]);
    assert_eq!(rows(DASHES), (want.as_array().unwrap().clone(), vec![]));
    assert!(detect(SourceHead::whole(CAPITALS.as_bytes())));
    let want = json!([
        {"JOBID": 12, "NAME": "my job", "ST": "PD", "TIME": "0:00", "NODES": 99, "NODELIST(REASON)": "(launch failed requeued held)"},
        {"JOBID": "9_[3]", "NAME": "timeout", "ST": "R", "TIME": "1-12:00:31", "NODES": 1, "NODELIST(REASON)": "c01"},
    ]);
    assert_eq!(rows(CAPITALS), (want.as_array().unwrap().clone(), vec![]));
}

#[test]
fn tables_that_are_printed_again_say_when() {
    let text = format!(
        "Sun Nov 22 04:10:23 2026\n{CAPITALS}\n2026-11-22T04:11:23\n{CAPITALS}\nID    WHAT  WHEN\n1     a     now\n"
    );
    assert!(detect(SourceHead::whole(text.as_bytes())));
    let (rows, problems) = rows(&text);
    let printed: Vec<&Value> = rows.iter().map(|r| &r["printed"]).collect();
    let (first, second) = ("Sun Nov 22 04:10:23 2026", "2026-11-22T04:11:23");
    assert_eq!(printed, [first, first, second, second, second]);
    assert_eq!(rows[4]["WHEN"], "now");
    assert!(problems.is_empty());
}

#[test]
fn other_lines_are_kept_as_text() {
    let text = format!("A report\n\n{DASHES}\nthis is the end and no row\n");
    let report = format!("A report\n\n{DASHES}");
    assert!(detect(SourceHead::whole(report.as_bytes())));
    let (rows, problems) = rows(&text);
    assert_eq!(rows[0], json!({"text": "A report"}));
    assert_eq!(rows[4], json!({"text": "this is the end and no row"}));
    assert_eq!((rows.len(), problems.len()), (5, 1));
}

#[test]
fn logs_are_no_tables() {
    for log in [
        "",
        "\n\n",
        "STARTING THE SIMULATION NOW\nreading input\nstep 1 of 10\n",
        "MD STEP ENERGY\n2026-11-20 10:00:00 INFO the first step took long\n2026-11-20 10:00:01 WARN again\n",
        "hello world\n----- -----\n",
        "WARNING DISK FULL\nWARNING DISK FULL\n",
        "WARNING THE NODE IS SLOW\nstep 1 of 10 took 3 s, all is well here\nstep 2 of 10 took 3 s, all is well here\n",
        "Results\n=======\n\nall 3 tests passed\n",
        "a b c\n1 2 3\n4 5 6\n",
    ] {
        assert!(!detect(SourceHead::whole(log.as_bytes())), "{log}");
    }
    // A table inside the output of a job is part of that output.
    let output = format!("{CAPITALS}Loading modules, this takes a while\ndone: 17 s\nstep 1\n");
    assert!(!detect(SourceHead::whole(output.as_bytes())));
}

/// Reference implementation of cells: each word is compared with each column.
fn naive(words: &[Range<usize>], columns: &[Column]) -> Option<Vec<Option<Range<usize>>>> {
    let last = columns.len() - 1;
    let columns_of_word = |word: &Range<usize>| -> Vec<usize> {
        let is = |at: &usize| {
            let place = &columns[*at].place;
            word.start < place.end && place.start < word.end
                || *at == last && word.start >= place.start
        };
        (0..=last).filter(is).collect()
    };
    let columns_of_word: Vec<Vec<usize>> = words.iter().map(columns_of_word).collect();
    let mut cells: Vec<Option<Range<usize>>> = vec![None; columns.len()];
    for (at, word) in words.iter().enumerate() {
        let owner = match columns_of_word[at].as_slice() {
            [owner] => *owner,
            [] => {
                let left = (0..at).rev().find(|n| !columns_of_word[*n].is_empty());
                let right = (at..words.len()).find(|n| !columns_of_word[*n].is_empty());
                match (left, right) {
                    (Some(l), Some(r)) => {
                        let before = words[l + 1].start - words[l].end;
                        let after = words[r].start - words[r - 1].end;
                        columns_of_word[if after < before { r } else { l }][0]
                    }
                    (left, right) => columns_of_word[left.or(right)?][0],
                }
            }
            _ => return None,
        };
        cells[owner].get_or_insert(word.clone()).end = word.end;
    }
    Some(cells)
}

#[test]
fn thousands_of_columns_are_read_as_few_are() {
    let name = |at: usize| format!("C{at:<6}");
    let row = |row: usize| {
        (0..8000)
            .map(|at| format!("{:<7}", at * row))
            .collect::<String>()
    };
    let mut text: String = (0..8000).map(name).collect::<String>() + "\n";
    for at in 1..30 {
        text += &(row(at) + "\n");
    }
    assert!(detect(SourceHead::of(text.as_bytes(), Extent::Cut)));
    let (rows, problems) = rows(&text);
    assert_eq!((rows.len(), problems.len()), (29, 0));
    assert_eq!(rows[28]["C7999"], 7999 * 29);
}

proptest! {
    #[test]
    fn cells_are_below_their_columns(places in prop::collection::vec((1usize..4, 1usize..5), 1..12), line in "([a-zü]{1,5}| | ){1,40}") {
        let mut end = 0;
        let mut columns = Vec::new();
        for (gap, width) in places {
            columns.push(Column { name: "x".to_owned(), place: end + gap - 1..end + gap - 1 + width });
            end += gap - 1 + width;
        }
        let words = words(&line);
        let table = Table { columns, ..Table::default() };
        if let Some(got) = table.cells(&line, &words) {
            let want = naive(&words, &table.columns).unwrap();
            let text = |place: &Option<Range<usize>>| -> String {
                let place = place.clone().unwrap_or_default();
                line.chars().skip(place.start).take(place.len()).collect()
            };
            prop_assert_eq!(got, want.iter().map(text).collect::<Vec<_>>());
        } else {
            // A word in two columns, or a row that is badly aligned.
            let bad = naive(&words, &table.columns).is_none_or(|cells| {
                let filled = cells.iter().flatten().count();
                let aligned = cells.iter().zip(&table.columns).filter(|(cell, column)| {
                    cell.as_ref().is_some_and(|c| c.start == column.place.start || c.end == column.place.end)
                });
                aligned.count() * 2 <= filled || filled * 3 < table.columns.len() || filled < 2
            });
            prop_assert!(bad);
        }
    }

    #[test]
    fn any_text_does(text in "([A-Z]{1,4}|[-=]{2,5}|[a-zü0-9.:]{1,9}|  |\t| |\n){0,60}") {
        detect(SourceHead::whole(text.as_bytes()));
        rows(&text);
    }

    #[test]
    fn no_word_is_lost(cells in prop::collection::vec(prop::collection::vec("[a-z0-9ü]{1,8}", 4), 1..9)) {
        let mut text = format!("{:>8} {:<8} {:>8} {:<8}\n", "ONE", "TWO", "THREE", "FOUR");
        for c in &cells {
            text += &format!("{:>8} {:<8} {:>8} {:<8}\n", c[0], c[1], c[2], c[3]);
        }
        let mut lines = ColumnLines::new(text.as_bytes());
        let mut out = String::new();
        lines.read_to_string(&mut out).unwrap();
        prop_assert!(lines.problems().is_empty());
        prop_assert_eq!(out.lines().count(), cells.len());
        for (line, c) in out.lines().zip(&cells) {
            // As text, because a number may exceed what a parser supports.
            let row = spelled(line);
            for (name, cell) in ["ONE", "TWO", "THREE", "FOUR"].iter().zip(c) {
                let got = row.iter().find(|(n, _)| n == name).map(|(_, value)| value);
                prop_assert_eq!(got, Some(cell));
            }
        }
    }
}
