//! What is special about a source besides that it has records.

/// Something that is special about a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Its records are rows of a database: what was written down about things, often later, not what they did.
    Table,
    /// It was written at once, about what was before: printed by a command, fetched from a service. It is no log that could
    /// fall silent.
    Dump,
    /// Its lines were made of something else: rows of a table, elements of a document. They are its records, and no lines of a
    /// file.
    Made,
    /// The user gave it as facts about the run, besides the run itself.
    Facts,
    /// Its records have what joins gave them when they were written down.
    Joined,
    /// It is another source once more, which lies where its run does.
    Again,
}

/// All that is special about a source; of an ordinary log nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Natures(u8);

impl Natures {
    /// Whether this is special about it.
    pub fn has(self, nature: Nature) -> bool {
        self.0 & bit(nature) != 0
    }

    /// Says whether it is.
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
