//! Special properties of sources with records.

/// Special property of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Rows of a database: written about instances, often later, not by them.
    Table,
    /// Snapshot of the past, printed by a command or fetched from a service. Its end does not count as silence.
    Dump,
    /// Records made from rows of a table or elements of a document, not from lines of a file.
    Made,
    /// Facts given by the user besides the run.
    Facts,
    /// Exported records, which include the values that joins had derived.
    Joined,
    /// Replica of another source within the run of that source.
    Again,
}

/// Set of special properties; empty for an ordinary log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Natures(u8);

impl Natures {
    /// Whether a property is in the set.
    pub fn has(self, nature: Nature) -> bool {
        self.0 & bit(nature) != 0
    }

    /// Adds or removes a property.
    pub fn set(&mut self, nature: Nature, is_so: bool) {
        match is_so {
            true => self.0 |= bit(nature),
            false => self.0 &= !bit(nature),
        }
    }
}

fn bit(nature: Nature) -> u8 {
    1 << nature as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_set_and_taken_back_without_the_others() {
        let mut natures = Natures::default();
        natures.set(Nature::Table, true);
        natures.set(Nature::Joined, true);
        assert!(natures.has(Nature::Table) && natures.has(Nature::Joined));
        natures.set(Nature::Table, false);
        assert!(!natures.has(Nature::Table) && natures.has(Nature::Joined));
        assert!(!natures.has(Nature::Facts));
    }
}
