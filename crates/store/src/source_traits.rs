//! Traits of sources: origin and nature of their records.

/// Trait of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceTrait {
    /// Rows of a database: written about instances, often later, not by them.
    Table,
    /// Snapshot of the past, printed by a command or fetched from a service. Its end does not count as silence.
    Dump,
    /// Records made from rows of a table or elements of a document, not from lines of a file.
    Synthetic,
    /// Facts given by the user besides the run.
    Facts,
    /// Exported records, which include the values that joins had derived.
    Exported,
    /// Replica of another source within the run of that source.
    Replica,
    /// Lines without a time occur between its records.
    UntimedLines,
}

/// Set of traits; empty for an ordinary log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceTraits(u8);

impl SourceTraits {
    /// Whether a trait is in the set.
    pub fn has(self, source_trait: SourceTrait) -> bool {
        self.0 & bit(source_trait) != 0
    }

    /// Adds or removes a trait.
    pub fn set(&mut self, source_trait: SourceTrait, is_so: bool) {
        match is_so {
            true => self.0 |= bit(source_trait),
            false => self.0 &= !bit(source_trait),
        }
    }
}

fn bit(source_trait: SourceTrait) -> u8 {
    1 << source_trait as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_are_independent() {
        let mut traits = SourceTraits::default();
        traits.set(SourceTrait::Table, true);
        traits.set(SourceTrait::Exported, true);
        assert!(traits.has(SourceTrait::Table) && traits.has(SourceTrait::Exported));
        traits.set(SourceTrait::Table, false);
        assert!(!traits.has(SourceTrait::Table) && traits.has(SourceTrait::Exported));
        assert!(!traits.has(SourceTrait::Facts));
    }
}
