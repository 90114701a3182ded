//! Clipboard of the user's terminal (OSC 52), also through tmux and GNU screen, which need a
//! wrapped sequence.

use std::io::Write;
use std::process::{Command, Stdio};

/// Multiplexer between the program and the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Multiplexer {
    Nothing,
    Tmux,
    Screen,
}

impl Multiplexer {
    /// Detects the multiplexer from environment variables; `variable` returns the value of a
    /// variable.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Multiplexer {
        let is_set = |name: &str| variable(name).is_some_and(|v| !v.is_empty());
        if is_set("TMUX") {
            Multiplexer::Tmux
        } else if is_set("STY") {
            Multiplexer::Screen
        } else {
            Multiplexer::Nothing
        }
    }
}

/// Maximum length of a string that GNU screen passes on, in bytes.
const SCREEN: usize = 512;

/// Bytes that copy a text to the clipboard.
pub(super) fn sequence(text: &str, between: Multiplexer) -> String {
    let plain = format!("\x1b]52;c;{}\x1b\\", base64(text.as_bytes()));
    match between {
        Multiplexer::Nothing => plain,
        // Plain for tmux with `set-clipboard on`, wrapped for one with `allow-passthrough on`.
        Multiplexer::Tmux => {
            let wrapped = plain.replace('\x1b', "\x1b\x1b");
            format!("{plain}\x1bPtmux;{wrapped}\x1b\\")
        }
        Multiplexer::Screen => {
            // ST would end the wrapping, so the inner sequence ends with BEL.
            let inner = format!("\x1b]52;c;{}\x07", base64(text.as_bytes()));
            let pieces = inner.as_bytes().chunks(SCREEN).map(String::from_utf8_lossy);
            pieces.map(|piece| format!("\x1bP{piece}\x1b\\")).collect()
        }
    }
}

/// Passes a text to tmux, which forwards it to the terminal even with default settings.
pub(super) fn give_to_tmux(text: String) {
    let give = move || {
        let child = Command::new("tmux")
            .args(["load-buffer", "-w", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // If tmux cannot be started, the escape sequences must do.
        if let Ok(mut child) = child {
            if let Some(mut stdin) = child.stdin.take() {
                let _ = stdin.write_all(text.as_bytes());
            }
            let _ = child.wait();
        }
    };
    let _ = std::thread::Builder::new().name("tmux".into()).spawn(give);
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = LETTERS[(n >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_for_what_stands_between() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
        assert_eq!(
            sequence("foo", Multiplexer::Nothing),
            "\x1b]52;c;Zm9v\x1b\\"
        );
        let tmux = sequence("foo", Multiplexer::Tmux);
        assert!(
            tmux.ends_with("\x1bPtmux;\x1b\x1b]52;c;Zm9v\x1b\x1b\\\x1b\\"),
            "{tmux:?}"
        );
        let screen = sequence(&"x".repeat(2000), Multiplexer::Screen);
        assert!(screen.split("\x1bP").skip(1).all(|p| p.len() <= SCREEN + 2));
        let of = |name: &'static str| Multiplexer::of(move |n| (n == name).then(|| "1".to_owned()));
        assert_eq!(
            [of("TMUX"), of("STY"), of("X")],
            [Multiplexer::Tmux, Multiplexer::Screen, Multiplexer::Nothing]
        );
    }
}
