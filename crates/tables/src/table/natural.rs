//! Natural order of texts: `task 2` before `task 10`.

/// Piece of a text: a number compared by value, or other characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Piece {
    /// Digits without leading zeros: their number, and the digits.
    Number(usize, String),
    /// Text between digits.
    Text(String),
}

/// Splits a text into pieces, whose order is the natural order.
#[must_use]
pub(crate) fn natural(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_number);
        let (piece, left) = rest.split_at(end.unwrap_or(rest.len()));
        pieces.push(match is_number {
            true => {
                let digits = piece.trim_start_matches('0');
                Piece::Number(digits.len(), digits.to_owned())
            }
            false => Piece::Text(piece.to_owned()),
        });
        rest = left;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_ordered_by_value() {
        let mut names = [
            "b", "task 10", "task 2", "10", "9", "a7b", "a07a", "", "007",
        ];
        names.sort_by_key(|name| natural(name));
        assert_eq!(
            names,
            [
                "", "007", "9", "10", "a07a", "a7b", "b", "task 2", "task 10"
            ]
        );
    }
}
