//! Sanitised text for the clipboard: pasting into a shell executes control characters, so text from
//! a log must not contain any.

use widetui_core::words::is_format_control;
use widetui_format::text::colours::without_colours;

/// Text that is safe to paste. Its only control characters (C0, DEL, C1) are line feeds and tabs,
/// and it has no bidirectional controls or invisible characters. [`super::msg::Effect::Copy`]
/// accepts no other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipboardText(String);

impl ClipboardText {
    /// Replaces unsafe characters visibly: C0 controls and DEL by their Unicode symbols (`␛`),
    /// others by U+FFFD. The notation in angle brackets that the screen uses would be a redirection
    /// in a shell. Colour sequences are removed, and CR LF becomes LF.
    pub(crate) fn new(text: &str) -> ClipboardText {
        if text
            .bytes()
            .all(|b| matches!(b, b'\n' | b'\t' | b' '..=b'~'))
        {
            return ClipboardText(text.to_owned());
        }
        let plain = without_colours(text.as_bytes());
        let plain = String::from_utf8_lossy(&plain).replace("\r\n", "\n");
        ClipboardText(plain.chars().map(safe).collect())
    }

    /// Text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Longest prefix of at most `bytes` bytes that ends at a character boundary.
    #[must_use]
    pub(crate) fn cut(&self, bytes: usize) -> ClipboardText {
        let ends = (0..=bytes.min(self.0.len())).rev();
        let start = ends.filter_map(|end| self.0.get(..end)).next();
        ClipboardText(start.unwrap_or_default().to_owned())
    }
}

/// Replacement of an unsafe character; `c` itself if it is safe.
fn safe(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '␡',
        // Scripts and emoji need joiners, and a narrow no-break space is visible: all three are
        // harmless.
        '\u{200c}' | '\u{200d}' | '\u{202f}' => c,
        c if c.is_control() || is_format_control(c) => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_key_is_pasted() {
        for (text, copied) in [
            ("a\tb\nc", "a\tb\nc"),
            ("größe 日本 e\u{301}", "größe 日本 e\u{301}"),
            (
                "x\x1b[201~\x15touch /tmp/x #\rrest",
                "x␛[201~␕touch /tmp/x #␍rest",
            ),
            ("one\r\ntwo\r\n", "one\ntwo\n"),
            ("a \x1b[1;31mred\x1b[0m word", "a red word"),
            ("\x1b[\x1b[0m1m", "␛[1m"),
            ("\0\u{7f}\u{85}\u{9b}31m", "␀␡��31m"),
            ("user\u{202e}gnp.exe\u{2066}\u{200b}", "user�gnp.exe��"),
            ("tag\u{e0041}", "tag�"),
            (
                "👨\u{200d}👩 ⚠\u{fe0f} 1\u{202f}000\u{a0}€",
                "👨\u{200d}👩 ⚠\u{fe0f} 1\u{202f}000\u{a0}€",
            ),
        ] {
            assert_eq!(ClipboardText::new(text).as_str(), copied, "{text:?}");
        }
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let text = ClipboardText::new("aé日");
        let cut = |bytes| text.cut(bytes).0;
        assert_eq!(
            [cut(0), cut(2), cut(3), cut(5), cut(9)],
            ["", "a", "aé", "aé", "aé日"]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_left_that_a_terminal_obeys(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = ClipboardText::new(&String::from_utf8_lossy(&bytes));
            prop_assert!(text.as_str().chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()), "{:?}", text);
        }
    }
}
