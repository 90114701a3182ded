use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn rows(text: &str) -> (Vec<Value>, Vec<String>) {
    let mut rows = ColumnLines::new(text.as_bytes());
    let mut out = String::new();
    rows.read_to_string(&mut out).unwrap();
    let lines = out.lines().map(|l| serde_json::from_str(l).unwrap());
    (lines.collect(), rows.problems())
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
fn cells_stand_below_their_names_or_dashes() {
    assert!(look(Head::whole(DASHES.as_bytes())));
    let want = json!([
        {"JobID": 7, "JobName": "hello", "State": "COMPLETED", "ExitCode": "0:0"},
        {"JobID": "7.batch", "JobName": "batch", "State": "CANCELLED", "ExitCode": null},
        {"JobID": 8, "JobName": "my long n+", "State": "CANCELLED+", "ExitCode": "0:15"},
    ]);
    assert_eq!(rows(DASHES), (want.as_array().unwrap().clone(), vec![]));
    assert!(look(Head::whole(CAPITALS.as_bytes())));
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
    assert!(look(Head::whole(text.as_bytes())));
    let (rows, problems) = rows(&text);
    let printed: Vec<&Value> = rows.iter().map(|r| &r["printed"]).collect();
    let (first, second) = ("Sun Nov 22 04:10:23 2026", "2026-11-22T04:11:23");
    assert_eq!(printed, [first, first, second, second, second]);
    assert_eq!(rows[4]["WHEN"], "now");
    assert!(problems.is_empty());
}

#[test]
fn what_is_no_row_is_kept_as_text() {
    let text = format!("A report\n\n{DASHES}\nthis is the end and no row\n");
    let report = format!("A report\n\n{DASHES}");
    assert!(look(Head::whole(report.as_bytes())));
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
        assert!(!look(Head::whole(log.as_bytes())), "{log}");
    }
    // A table in the middle of a job's output is a part of that.
    let output = format!("{CAPITALS}Loading modules, this takes a while\ndone: 17 s\nstep 1\n");
    assert!(!look(Head::whole(output.as_bytes())));
}

proptest! {
    #[test]
    fn any_text_does(text in "([A-Z]{1,4}|[-=]{2,5}|[a-zü0-9.:]{1,9}|  |\t| |\n){0,60}") {
        look(Head::whole(text.as_bytes()));
        rows(&text);
    }

    #[test]
    fn no_word_is_lost(cells in prop::collection::vec(prop::collection::vec("[a-z0-9ü]{1,8}", 4), 1..9)) {
        let mut text = format!("{:>8} {:<8} {:>8} {:<8}\n", "ONE", "TWO", "THREE", "FOUR");
        for c in &cells {
            text += &format!("{:>8} {:<8} {:>8} {:<8}\n", c[0], c[1], c[2], c[3]);
        }
        let (rows, problems) = rows(&text);
        prop_assert!(problems.is_empty());
        for (row, c) in rows.iter().zip(&cells) {
            for (name, cell) in ["ONE", "TWO", "THREE", "FOUR"].iter().zip(c) {
                let got = row[*name].as_str().map_or_else(|| row[*name].to_string(), str::to_owned);
                prop_assert!(got == *cell || is_number(cell.as_bytes()));
            }
        }
    }
}
