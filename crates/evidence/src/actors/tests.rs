use super::samples::{made, name};
use super::*;

fn actors(records: &Records) -> Vec<String> {
    let actors = records.list.iter().map(|r| name(records, r.actor));
    actors.collect()
}

fn names(records: &Records) -> Vec<String> {
    let used = (0..records.instances.len() as u32).filter(|i| !records.of(*i).is_empty());
    let mut all: Vec<String> = used.map(|i| name(records, i)).collect();
    all.sort();
    all
}

#[test]
fn a_log_for_each_instance_is_its_actor() {
    let records = made(
        "1 rank0.log INFO step 1 sent to rank 1
         1 rank1.log INFO step 1 sent to rank 0
         2 rank0.log INFO waiting for rank 1",
    );
    assert_eq!(actors(&records), ["rank 0", "rank 1", "rank 0"]);
    let last = records.list.last().unwrap();
    assert!(
        records
            .named(last)
            .iter()
            .any(|i| name(&records, *i) == "rank 1")
    );
}

#[test]
fn threads_of_one_log_are_actors() {
    let records = made(
        "1 a.log@loader-1 INFO took lock alpha
         2 a.log@loader-2 INFO took lock beta
         3 a.log@MainThread INFO up",
    );
    assert_eq!(
        actors(&records),
        ["loader 1", "loader 2", "thread MainThread"]
    );
}

#[test]
fn the_first_name_of_a_line_is_the_actor_if_the_log_has_several() {
    let records = made(
        "1 a.log INFO tile 1: loaded
         1 a.log INFO tile 2: loaded
         2 a.log INFO tile 1: written
         2 a.log INFO tile 2: written
         3 a.log INFO all done",
    );
    assert_eq!(
        actors(&records),
        ["tile 1", "tile 2", "tile 1", "tile 2", "log a.log"]
    );
}

#[test]
fn measured_numbers_name_nothing() {
    let records = made(
        "1 a.log INFO block 8: 12 rows read in 3 s, depth 4
         2 a.log INFO block 9: 13 rows read in 4 s, depth 5
         3 a.log INFO block 8: 12 rows written
         4 a.log INFO block 9: 13 rows written",
    );
    assert_eq!(names(&records), ["block 8", "block 9", "log a.log"]);
    let first = &records.list[0];
    let values: Vec<f64> = records.measures(first).iter().map(|m| m.value).collect();
    assert_eq!(values, [12.0, 3.0, 4.0]);
}

#[test]
fn process_ids_in_brackets_are_those_of_logs() {
    let records = made(
        "1 worker-16494.log INFO [16494] unit 1
         1 worker-16496.log INFO [16496] unit 2
         2 guard.log INFO over the limit: 16496",
    );
    assert_eq!(name(&records, records.list[1].actor), "worker 16496");
    let guard = &records.list[2];
    assert!(
        records
            .named(guard)
            .iter()
            .any(|i| name(&records, *i) == "worker 16496")
    );
}

#[test]
fn plain_words_that_recur_are_items() {
    let records = made(
        "1 a.log INFO packing mon
         2 a.log INFO packed mon
         3 a.log INFO packing tue
         4 a.log INFO packed tue
         5 a.log INFO packing wed
         6 a.log INFO packed wed
         7 a.log INFO packing thu",
    );
    assert_eq!(
        names(&records),
        ["item mon", "item thu", "item tue", "item wed", "log a.log"]
    );
}

#[test]
fn logs_that_share_their_templates_are_alike() {
    let records = made(
        "1 node-a.log INFO round 1 exchanged 300 cells
         1 node-b.log INFO round 1 exchanged 301 cells
         2 node-a.log INFO waiting for cells of node-b",
    );
    let last = records.list.last().unwrap();
    let named: Vec<String> = records
        .named(last)
        .iter()
        .map(|i| name(&records, *i))
        .collect();
    assert_eq!(named, ["log node-b.log", "log node-a.log"]);
}

#[test]
fn tracebacks_over_several_records_are_one() {
    let records = made(
        "- a.err - Traceback (most recent call last):\\n  File \"/opt/py/pool.py\", line 8, in next
         - a.err - IndexError: pop from an empty deque
         - a.err - During handling of the above exception, another exception occurred:
         - a.err - Traceback (most recent call last):\\n  File \"/home/ana/s.py\", line 4, in <module>
         - a.err - KeyboardInterrupt
         - a.err - bye",
    );
    let raised: Vec<usize> = (0..6)
        .filter(|i| records.list[*i].exception.is_some())
        .collect();
    assert_eq!(raised, [4]);
    assert!(records.list[1].is_interrupted && !records.list[5].is_interrupted);
}
