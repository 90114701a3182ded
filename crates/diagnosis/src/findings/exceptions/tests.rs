//! Parsing of tracebacks.

use crate::findings::exceptions::*;

#[test]
fn a_traceback_is_known_by_its_last_line() {
    let text = "Task 3 failed\nTraceback (most recent call last):\n  File \"/a/b.py\", line 7, in f\n    raise X\n\
                pkg.errors.BadThing: no\n";
    let thing = read(text).unwrap();
    assert_eq!((&*thing.name, &*thing.place), ("BadThing", "b.py:7"));
    assert_eq!(thing.line, "pkg.errors.BadThing: no");
    // A class local to a function, and an exception without a text.
    let local = read(&text.replace("pkg.errors.BadThing: no", "f.<locals>.My_Odd: no")).unwrap();
    assert_eq!(local.name, "My_Odd");
    let bare = read(&text.replace("pkg.errors.BadThing: no", "Empty")).unwrap();
    assert_eq!(bare.line, "Empty");
}

#[test]
fn the_text_of_an_exception_is_no_other_one() {
    let text = "x\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n    ^^^\n\
                RuntimeError: first\nKeyError: second\n  File \"no.py\", line 9, in h\n";
    let read = read(text).unwrap();
    assert_eq!(
        (&*read.line, &*read.place),
        ("RuntimeError: first", "a.py:1")
    );
    assert_eq!(read.origin, None);
}

#[test]
fn marks_below_a_line_of_code_end_nothing() {
    let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g(x)\n^^^^~~\n  File \"b.py\", line 2, in g\n\
                \x20   return h()\n           ^^^\nOSError: gone\n";
    let read = read(text).unwrap();
    assert_eq!((&*read.line, &*read.place), ("OSError: gone", "b.py:2"));
}

#[test]
fn a_sentence_goes_on_in_the_next_line() {
    let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: the graph could not be read. This as a rule\n\
                means that versions differ. For more see\nhttps://example.org\n";
    let told = "RuntimeError: the graph could not be read. This as a rule means that versions differ. For more see \
                https://example.org";
    assert_eq!(read(text).unwrap().line, told);
}

#[test]
fn a_text_that_begins_below_its_name_is_told() {
    let text = "x\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n\
                jobs.errors.TooManyError: Error 1:\n\tEXIT CODE: 137\n\n\tSTDERR: Killed\n";
    let line = read(text).unwrap().line;
    assert_eq!(
        line,
        "jobs.errors.TooManyError: Error 1: EXIT CODE: 137 STDERR: Killed"
    );
}

#[test]
fn an_exception_that_was_never_raised_is_one() {
    let text = "Setting bad state due to exception\njobs.errors.TooManyError: Error 1:\n\tEXIT CODE: 137\n";
    let bad = read(text).unwrap();
    assert_eq!(
        (&*bad.name, &*bad.line),
        (
            "TooManyError",
            "jobs.errors.TooManyError: Error 1: EXIT CODE: 137"
        )
    );
    assert_eq!(read("one line"), None);
    assert_eq!(read("two lines\nof text: no exception"), None);
}

#[test]
fn what_others_write_into_a_traceback_is_read_over() {
    let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n\
                step 3 of 7: done\nOSError: gone\n";
    assert_eq!(read(text).unwrap().line, "OSError: gone");
}

#[test]
fn a_group_is_told_by_what_is_in_it() {
    let text = "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1, in f\n  |     g()\n\
                \x20 | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n\
                \x20   | Traceback (most recent call last):\n    |   File \"b.py\", line 2, in g\n    | Halt: now\n\
                \x20   +------------------------------------\n";
    let read = read(text).unwrap();
    assert_eq!((&*read.line, &*read.place), ("Halt: now", "b.py:2"));
    assert_eq!(
        read.origin.as_deref(),
        Some("ExceptionGroup: two (2 sub-exceptions)")
    );
}

#[test]
fn the_first_of_a_chain_is_the_cause() {
    let text = "x\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'k'\n\n\
                During handling of the above exception, another exception occurred:\n\n\
                Traceback (most recent call last):\n  File \"b.py\", line 2, in g\nNameError: name";
    let read = read(text).unwrap();
    assert_eq!(read.origin.as_deref(), Some("KeyError: 'k'"));
    assert_eq!((&*read.name, &*read.place), ("NameError", "b.py:2"));
}

#[test]
fn words_before_a_colon_are_no_exception() {
    assert!(is_exception("ValueError: x"));
    assert!(is_exception("KeyboardInterrupt"));
    assert!(!is_exception("Warning signs: x"));
    assert!(!is_exception("/bin/sh: Error"));
    assert!(!is_exception(""));
}

/// The place is where it was raised, not where another process raised it again.
#[test]
fn an_exception_that_is_raised_again_has_its_first_place() {
    let text = "Traceback (most recent call last):\n  File \"/w/agents.py\", line 24, in on_startup\nPermissionError: no\n\n\
                The above exception was the direct cause of the following exception:\n\n\
                Traceback (most recent call last):\n  File \"/w/manager.py\", line 546, in _run\nPermissionError: no\n";
    assert_eq!(read(text).unwrap().at(), "agents.py:24 in on_startup");
}

/// A process pool quotes the traceback of the worker after a class of its own.
#[test]
fn what_only_quotes_another_traceback_is_none_of_the_chain() {
    let frame =
        "Traceback (most recent call last):\n  File \"/a/pool.py\", line 5, in f\n    raise X\n";
    let quoted = |class: &str| {
        format!("x\n{frame}{class}: \n\"\"\"\n{frame}ValueError: no rows in part 7\n\"\"\"\n")
    };
    let told = read(&quoted("pool.ExceptionWithTraceback")).unwrap();
    assert_eq!(told.line, "ValueError: no rows in part 7");
    assert_eq!(told.origin, None);
}

/// The error of a client names no cause; the first of the engines does.
#[test]
fn a_list_of_remote_exceptions_has_the_first_one() {
    let text = "Traceback (most recent call last):\n  File \"/w/client.py\", line 8, in gather\n    raise e\n\
                ipyparallel.error.CompositeError: one or more exceptions raised in: fit\n\
                [0:apply]ValueError: no rows in part 7\n[1:apply]KeyError: 'x'\n";
    assert_eq!(
        read(text).unwrap().line,
        "ValueError: no rows in part 7 (in ipyparallel.error.CompositeError: one or more exceptions raised in: fit)"
    );
}

#[test]
fn the_caller_is_the_last_place_outside_of_libraries() {
    let text = "Traceback (most recent call last):\n  File \"/home/u/tally.py\", line 41, in main\n    db.set(k)\n  \
                File \"/opt/v/lib/python3.11/site-packages/redis/client.py\", line 9, in set\n    raise E\n\
                redis.ResponseError: MISCONF\n";
    let raised = read(text).unwrap();
    assert_eq!(raised.at(), "client.py:9 in set");
    assert_eq!(raised.caller.as_deref(), Some("tally.py:41 in main"));
    let own = text.replace("/opt/v/lib/python3.11/site-packages", "/home/u");
    assert_eq!(read(&own).unwrap().caller, None);
    let later = format!(
        "{}\nDuring handling of the above exception, another exception occurred:\n\n{}",
        text,
        text.replace("/home/u", "/opt/v/lib/python3.11/json")
            .replace("MISCONF", "again")
    );
    assert_eq!(read(&later).unwrap().caller, None);
}
