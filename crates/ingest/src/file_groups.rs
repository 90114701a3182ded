//! Grouping of small files into units of work, and their order.

use std::cmp::Reverse;
use std::ops::Range;

use widetui_source::discover::FoundFile;

/// Maximum size of a unit in bytes and in files.
const UNIT_BYTES: u64 = 4 << 20;
const UNIT_FILES: usize = 256;

/// Fixed cost of a file expressed in bytes: opening and detection, which dominate for many small files of different
/// kinds.
const FILE_COST: u64 = 16 << 10;

/// Minimum number of units (approximate) if there are several, so that threads finish together.
const UNITS: u64 = 8;

/// Groups adjacent files into units, most expensive first, so that threads finish together. Depends on the files only,
/// so that each load groups the same records.
pub(super) fn groups(found: &[FoundFile]) -> Vec<Range<usize>> {
    let bytes = |range: &Range<usize>| found[range.clone()].iter().map(|f| f.bytes).sum::<u64>();
    let most = match bytes(&(0..found.len())) {
        all if all <= UNIT_BYTES => UNIT_BYTES,
        all => (all / UNITS).min(UNIT_BYTES),
    };
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut sum = 0;
    for (at, file) in found.iter().enumerate() {
        sum += file.bytes;
        match groups.last_mut() {
            Some(group) if sum <= most && group.len() < UNIT_FILES => group.end = at + 1,
            _ => {
                groups.push(at..at + 1);
                sum = file.bytes;
            }
        }
    }
    groups.sort_by_cached_key(|group| Reverse(bytes(group) + group.len() as u64 * FILE_COST));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(bytes: &[u64]) -> Vec<FoundFile> {
        let file = |bytes: &u64| FoundFile {
            bytes: *bytes,
            path: Default::default(),
            name: String::new(),
            modified: 0,
            id: (0, 0),
        };
        bytes.iter().map(file).collect()
    }

    #[test]
    fn each_file_is_in_one_group_and_the_largest_groups_come_first() {
        const MB: u64 = 1 << 20;
        let found = files(&[MB, 10, 20, 3 * MB, 0, MB / 2, MB / 8]);
        assert_eq!(groups(&found), [3..4, 0..1, 4..6, 6..7, 1..3]);
        assert_eq!(
            groups(&found[..3]).as_slice(),
            std::slice::from_ref(&(0..3))
        );
        let many = files(&vec![1; 2 * UNIT_FILES + 1]);
        assert_eq!(groups(&many), [0..256, 256..512, 512..513]);
        // Units do not grow with the total size.
        let large = files(&vec![MB; 100]);
        assert!(groups(&large).iter().all(|group| group.len() == 4));
        assert!(groups(&[]).is_empty());
    }
}
