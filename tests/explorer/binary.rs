//! The real program in a terminal: it starts, takes keys, and gives the terminal back however it ends.

use super::common::keys::Mouse;
use super::common::pty::{Exit, PtyCommand, PtySession, Signal, default_limit};

fn start() -> PtySession {
    let session = PtyCommand::new(env!("CARGO_BIN_EXE_widetui"))
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queue-run")])
        .size(110, 30)
        .spawn()
        .unwrap();
    session.wait_for_text("5 sources").unwrap();
    session.wait_for_text("Starting run 17").unwrap();
    session
}

fn assert_given_back(session: &PtySession) {
    assert_eq!(session.modes().left_behind(), [""; 0]);
    let line = session.line_settings().unwrap();
    assert!(line.canonical && line.echo);
}

#[test]
fn it_is_used_and_left() {
    let session = start();
    session.send("e").unwrap();
    session.wait_for_text("Traceback").unwrap();
    session.send("po").unwrap();
    session.wait_for_text("job 9 9").unwrap();
    session.mouse(Mouse::WheelDown, 30, 10).unwrap();
    session.resize(80, 24).unwrap();
    session
        .wait_for(
            |text| text.lines().count() == 24 && text.contains("job 9 9"),
            default_limit(),
        )
        .unwrap();
    session.send("q").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    assert_given_back(&session);
}

#[test]
fn signals_end_it_and_the_terminal_is_given_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let session = start();
        session.kill(signal).unwrap();
        let exit = session.wait_exit(default_limit()).unwrap();
        assert!(matches!(exit, Exit::Signal(_)), "{signal:?}: {exit:?}");
        assert_given_back(&session);
    }
}

#[test]
fn it_stops_and_goes_on() {
    let session = start();
    session.send("<c-z>").unwrap();
    let gone = || session.modes().left_behind().is_empty();
    let end = std::time::Instant::now() + default_limit();
    while !gone() && std::time::Instant::now() < end {
        std::thread::yield_now();
    }
    assert_given_back(&session);
    session.kill(Signal::CONT).unwrap();
    session.wait_for_text("Starting run 17").unwrap();
    session.send("e").unwrap();
    session.wait_for_text("Traceback").unwrap();
    session.send("q").unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(0));
    assert_given_back(&session);
}

#[test]
fn nothing_of_a_log_is_obeyed() {
    let session = start();
    session.send("/No space<enter>").unwrap();
    session.wait_for_text("␛[31mred␛[0m").unwrap();
    let raw = String::from_utf8_lossy(&session.raw_output()).into_owned();
    assert!(!raw.contains("\x1b[31mred"));
    session.send("q").unwrap();
    session.wait_exit(default_limit()).unwrap();
}
