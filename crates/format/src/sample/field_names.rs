//! Field names of a record during detection.

/// Names in one buffer, because separate allocations would cost more than comparing them.
#[derive(Default)]
pub(crate) struct FieldNames {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl FieldNames {
    /// Appends a name.
    pub(crate) fn push(&mut self, name: &[u8]) {
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
    }

    /// Names, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .filter_map(|(start, end)| self.text.get(start..*end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order() {
        let mut names = FieldNames::default();
        for name in ["a", "", "bc"] {
            names.push(name.as_bytes());
        }
        assert!(names.iter().eq([&b"a"[..], b"", b"bc"]));
        assert_eq!(FieldNames::default().iter().count(), 0);
    }
}
