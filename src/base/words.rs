//! Numbers and lines in the form in which they are shown.

/// A number with a comma between thousands: `12,041`.
#[must_use]
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The lines of a text as they are to be shown, the first one also when it is empty. What a lone carriage return begins is
/// a line too: progress bars write all their states into one line of a file, which terminals draw over each other.
pub fn shown_lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split('\n').flat_map(|line| {
        let line = line.trim_end_matches('\r');
        let begins_anew = line.contains('\r');
        let states = line.split('\r');
        states.filter(move |state| !begins_anew || !state.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::{grouped, shown_lines};

    #[test]
    fn states_of_a_progress_bar_are_lines() {
        let lines = |text| shown_lines(text).collect::<Vec<_>>();
        assert_eq!(lines("a\r\nb\n\nc"), ["a", "b", "", "c"]);
        assert_eq!(
            lines("\r 0%\r 50%\r100%\r\ndone"),
            [" 0%", " 50%", "100%", "done"]
        );
        assert_eq!(lines(""), [""]);
    }

    #[test]
    fn thousands_are_grouped() {
        let all = [0, 999, 1_000, 12_041, 1_000_000].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "12,041", "1,000,000"]);
    }
}
