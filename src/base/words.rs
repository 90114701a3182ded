//! Numbers in words.

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

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        let all = [0, 999, 1_000, 12_041, 1_000_000].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "12,041", "1,000,000"]);
    }
}
