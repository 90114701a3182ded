//! Tests: first bytes of followed files.

use std::time::Duration;

use super::Live;

fn times(live: &Live) -> usize {
    let places = 0..live.snapshot.len();
    let times = places.filter_map(|at| live.snapshot.at(at)?.time());
    times.count()
}

#[test]
fn the_mark_before_a_text_is_of_no_record() {
    let mut live = Live::open(tempfile::tempdir().unwrap());
    for part in [
        "\u{feff}",
        "2026-01-01 00:00:00 INFO a",
        " b\n",
        "2026-01-01 00:00:01 INFO c\n",
    ] {
        live.append("a.log", part.as_bytes());
        live.poll(Duration::from_secs(3));
    }
    live.settle();
    assert_eq!(live.messages(), ["a b", "c"]);
    assert_eq!(times(&live), 2);
}

#[test]
fn a_first_line_that_comes_in_parts_is_looked_at_when_it_is_whole() {
    let mut live = Live::open(tempfile::tempdir().unwrap());
    let long = "m".repeat(150_000);
    live.append("a.jsonl", b"{\"message\": \"");
    for part in long.as_bytes().chunks(50_000) {
        live.append("a.jsonl", part);
        live.poll(Duration::from_secs(3));
    }
    live.append("a.jsonl", b"\", \"time\": \"2026-01-01T00:00:00Z\"}\n");
    live.append(
        "a.jsonl",
        b"{\"message\": \"b\", \"time\": \"2026-01-01T00:00:01Z\"}\n",
    );
    live.settle();
    assert_eq!((live.snapshot.len(), times(&live)), (2, 2));
}
