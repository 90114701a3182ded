//! Memory of the process and its limit (`--memory`).

/// Limit of the resident set of the process, bytes. What can be computed again is dropped or computed one after another, and
/// text is written to a temporary file, from half of the limit on: the rest is left to what is needed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit(pub u64);

impl MemoryLimit {
    /// No limit.
    pub const NONE: MemoryLimit = MemoryLimit(u64::MAX);

    /// True if the process holds more than half of the limit. Takes microseconds. False where the system does not report
    /// the resident set.
    pub fn is_near(self) -> bool {
        self.0 != u64::MAX && resident().is_some_and(|held| held > self.0 / 2)
    }
}

/// Resident set of the process, bytes; `None` if the system does not report it. On Linux the second number of
/// `/proc/self/statm`, in pages (proc(5)).
pub fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    pages.checked_mul(rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_resident_set_grows_with_what_is_held() {
        let before = resident().unwrap();
        let held = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = resident().unwrap();
        assert!(after >= before + (48 << 20), "{before} to {after}");
        assert!(MemoryLimit(after).is_near());
        assert!(!MemoryLimit(after * 4).is_near() && !MemoryLimit::NONE.is_near());
        drop(held);
    }
}
