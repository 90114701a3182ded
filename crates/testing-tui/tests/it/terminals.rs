//! Programs in the pseudo-terminal, key names, terminal modes.

use std::time::Duration;

use widetui_testing_tui::keys::{Mouse, bytes_of, mouse_bytes};
use widetui_testing_tui::modes::{self, Modes};
use widetui_testing_tui::pty::{Exit, PtyCommand, PtySession, Signal, default_limit};
use widetui_testing_tui::screen::Color;

/// A shell script in the pseudo-terminal.
fn shell(script: &str) -> PtySession {
    PtyCommand::new("/bin/sh")
        .args(["-c", script])
        .size(40, 6)
        .spawn()
        .unwrap()
}

#[test]
fn output_is_seen_with_its_colours() {
    let session = shell(r"printf 'plain \033[1;31mred\033[0m\n'; exit 3");
    let screen = session.wait_for_text("red").unwrap();
    let (row, col) = screen.find("red").unwrap();
    let style = screen.cell(row, col).unwrap().style;
    assert_eq!((style.fg, style.bold), (Color::Indexed(1), true));
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(3));
    assert_eq!(session.exit_status(), Some(Exit::Code(3)));
    assert!(session.raw_output().starts_with(b"plain \x1b[1;31mred"));
}

#[test]
fn what_is_sent_is_read() {
    let session = shell(r#"printf 'name? '; read -r name; printf 'hello %s.\n' "$name""#);
    session.wait_for_text("name?").unwrap();
    session.send("you<lt>3<enter>").unwrap();
    let screen = session.wait_for_text("hello you<3.").unwrap();
    assert!(
        screen.text().starts_with("name? you<3\n"),
        "{}",
        screen.text()
    );
}

#[test]
fn the_environment_is_empty_but_for_what_a_terminal_needs() {
    let session = PtyCommand::new("/bin/sh")
        .args(["-c", "env; printf 'here='; pwd; echo done"])
        .env("ADDED", "by test")
        .size(120, 24)
        .spawn()
        .unwrap();
    let screen = session.wait_for_text("done").unwrap();
    let lines: Vec<String> = screen.text().lines().map(str::to_owned).collect();
    let home = session.home().display();
    for line in [
        format!("HOME={home}"),
        format!("XDG_CONFIG_HOME={home}/config"),
        format!("here={home}"),
        "LANG=C.UTF-8".to_owned(),
        "COLORTERM=truecolor".to_owned(),
        "TERM=xterm-256color".to_owned(),
        "ADDED=by test".to_owned(),
    ] {
        assert!(lines.contains(&line), "{line} in\n{}", screen.text());
    }
    for name in ["CARGO", "USER", "RUST"] {
        assert!(
            !lines.iter().any(|l| l.starts_with(name)),
            "{name} in\n{}",
            screen.text()
        );
    }
    assert!(session.home().join("config").is_dir());
}

#[test]
fn a_resize_reaches_the_program() {
    let session = shell(
        "trap 'stty size' WINCH; stty size; echo ready; while :; do read -r line && exit; done",
    );
    let screen = session.wait_for_text("ready").unwrap();
    assert!(screen.text().contains("6 40"), "{}", screen.text());
    session.resize(100, 12).unwrap();
    let screen = session.wait_for_text("12 100").unwrap();
    assert_eq!((screen.cols, screen.rows), (100, 12));
}

#[test]
fn a_signal_can_be_caught() {
    let session = shell("trap 'echo caught; exit 7' TERM; echo ready; while :; do read -r x; done");
    session.wait_for_text("ready").unwrap();
    session.kill(Signal::TERM).unwrap();
    assert_eq!(session.wait_exit(default_limit()).unwrap(), Exit::Code(7));
    assert!(session.screen().text().contains("caught"));
    assert!(session.kill(Signal::TERM).is_err());
}

#[test]
fn a_signal_can_kill() {
    let session = shell("echo ready; read -r x");
    session.wait_for_text("ready").unwrap();
    session.kill(Signal::KILL).unwrap();
    let exit = session.wait_exit(default_limit()).unwrap();
    assert!(matches!(exit, Exit::Signal(_)), "{exit:?}");
}

#[test]
fn a_vain_wait_shows_the_last_screen() {
    let session = shell("echo something else; read -r x");
    session.wait_for_text("something").unwrap();
    let error = session
        .wait_for(|text| text.contains("never"), Duration::from_millis(50))
        .unwrap_err();
    assert!(error.contains("|something else"), "{error}");
    // The end of the program ends the wait, long before the limit.
    session.send("<enter>").unwrap();
    let error = session.wait_for_text("never").unwrap_err();
    assert!(error.contains("closed the terminal"), "{error}");
}

#[test]
fn a_program_that_cannot_start_is_an_error() {
    assert!(PtyCommand::new("/no/such/program").spawn().is_err());
    assert!(PtyCommand::new("/bin/sh").size(0, 5).spawn().is_err());
}

#[test]
fn half_a_synchronized_frame_is_never_returned() {
    let session =
        shell(r"printf '\033[?2026hhalf'; read -r x; printf ' whole\033[?2026l'; read -r x");
    let early = session.wait_for(|text| text.contains("half"), Duration::from_millis(200));
    assert!(early.is_err());
    session.send("<enter>").unwrap();
    let screen = session.wait_for_text("half").unwrap();
    assert!(screen.text().contains("whole"), "{}", screen.text());
}

#[test]
fn line_settings_are_those_of_the_terminal() {
    let session = shell("stty -echo -icanon; echo raw; read -r x; stty echo icanon; echo cooked");
    session.wait_for_text("raw").unwrap();
    let settings = session.line_settings().unwrap();
    assert_eq!((settings.canonical, settings.echo), (false, false));
    session.send("<enter>").unwrap();
    session.wait_exit(default_limit()).unwrap();
    let settings = session.line_settings().unwrap();
    assert_eq!((settings.canonical, settings.echo), (true, true));
}

#[test]
fn modes_are_read_from_the_stream_of_a_program() {
    let session = shell(
        r"printf '\033[?1049h\033[?1000;1006h\033[?25lin'; read -r x
          printf '\033[?1006l\033[?1000l\033[?1049l\033[?25hout'",
    );
    session.wait_for_text("in").unwrap();
    let modes = session.modes();
    assert!(modes.is_on(modes::ALTERNATE_SCREEN) && modes.is_on(modes::MOUSE_BUTTONS));
    assert!(!modes.is_on(modes::CURSOR_SHOWN));
    assert_eq!(session.cursor(), None);
    assert_eq!(modes.left_behind().len(), 4, "{modes:?}");
    session.send("<enter>").unwrap();
    session.wait_exit(default_limit()).unwrap();
    assert_eq!(session.modes().left_behind(), [""; 0]);
    assert!(session.cursor().is_some());
}

#[test]
fn modes_left_on_are_named() {
    let left = |bytes: &[u8]| Modes::of(bytes).left_behind();
    assert_eq!(left(b"\x1b[?2004h"), ["bracketed paste is on"]);
    assert_eq!(left(b"\x1b[?25l\x1b[?25h"), [""; 0]);
    assert_eq!(left(b"\x1b[?7l"), ["line wrap is off"]);
    assert_eq!(
        left(b"\x1b[>1u\x1b[>5u\x1b[<u"),
        ["1 keyboard modes are pushed"]
    );
    assert_eq!(left(b"\x1b[4 q"), ["cursor style is 4"]);
    assert_eq!(left(b"\x1b[4 q\x1b[0 q"), [""; 0]);
    assert_eq!(left(b"\x1b[31mred"), ["text attributes are set"]);
    assert_eq!(left(b"\x1b[31mred\x1b[0m"), [""; 0]);
    assert_eq!(left(b"\x1b[?1003h\x1b[>1u\x1b[3m\x1bc"), [""; 0]);
    // A title is a string, not a switch.
    assert_eq!(left(b"\x1b]0;[?25l\x07\x1b]0;[?25l\x1b\\"), [""; 0]);
    // The same, byte by byte.
    let mut modes = Modes::default();
    for byte in b"\x1b]0;t\x07\x1b[?1049;2004h" {
        modes.feed(&[*byte]);
    }
    assert_eq!(
        modes.left_behind(),
        ["alternate screen is on", "bracketed paste is on"]
    );
}

#[test]
fn keys_become_the_bytes_of_a_terminal() {
    for (keys, bytes) in [
        ("abc", "abc"),
        ("a<enter>b", "a\rb"),
        ("<up><s-down><c-right>", "\x1b[A\x1b[1;2B\x1b[1;5C"),
        ("<c-w><c-a><a-x><c-space>", "\x17\x01\x1bx\0"),
        (
            "<pagedown><f1><f5><c-del>",
            "\x1b[6~\x1bOP\x1b[15~\x1b[3;5~",
        ),
        ("<s-tab><tab><bs><esc>", "\x1b[Z\t\x7f\x1b"),
        ("a <lt> b > c", "a < b > c"),
        ("日<lt>", "日<"),
    ] {
        assert_eq!(bytes_of(keys).unwrap(), bytes.as_bytes(), "{keys}");
    }
    assert!(bytes_of("<nokey>").is_err());
    assert!(bytes_of("a < b").is_err());
    assert_eq!(mouse_bytes(Mouse::Click, 0, 4), b"\x1b[<0;1;5M\x1b[<0;1;5m");
    assert_eq!(mouse_bytes(Mouse::WheelDown, 9, 9), b"\x1b[<65;10;10M");
}
