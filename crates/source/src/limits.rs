//! Limits of archives: decompression bombs must fill neither memory nor disk, while large archives must be readable.

use std::io::{self, Read};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of members that are allowed for archives of any size.
const UNQUESTIONED_MEMBERS: u64 = 20_000;
/// Beyond that, bytes of the archive per member: even well-compressed names and headers take more.
const LEAST_PACKED: u64 = 8;

/// Limits of an archive with all nested archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Decompressed bytes that are allowed at any ratio.
    pub unquestioned: u64,
    /// Beyond `unquestioned`, decompressed bytes per byte of the archive: logs compress by a factor of 10 to 60, bombs
    /// by a thousand.
    pub ratio: u64,
    /// Total decompressed bytes.
    pub expanded: u64,
    /// Total number of members.
    pub members: u64,
    /// Depth of nested archives and compressed streams.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            unquestioned: 2 << 30,
            ratio: 250,
            expanded: 1 << 40,
            members: 500_000,
            depth: 4,
        }
    }
}

/// Usage of one outermost archive. Nested archives share the account, so that an archive of archives obeys the same
/// limits.
#[derive(Debug)]
pub struct Account {
    limits: Limits,
    /// Length of the archive in bytes, as far as known.
    packed: AtomicU64,
    inflated: AtomicU64,
    members: AtomicU64,
    closed: OnceLock<String>,
}

impl Account {
    /// Creates the account of an archive of `packed` bytes; 0 for a pipe, of which the bytes are counted by `add_packed`.
    pub fn new(limits: Limits, packed: u64) -> Account {
        Account {
            limits,
            packed: AtomicU64::new(packed),
            inflated: AtomicU64::new(0),
            members: AtomicU64::new(0),
            closed: OnceLock::new(),
        }
    }

    /// Adds bytes of the archive that arrived through a pipe.
    pub(crate) fn add_packed(&self, bytes: u64) {
        self.packed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Message about the exceeded limit, if any: nothing more may be read.
    pub fn closed(&self) -> Option<&str> {
        self.closed.get().map(String::as_str)
    }

    /// Checks the nesting depth (1 for an archive that is a file itself).
    ///
    /// # Errors
    /// Message for the user.
    pub fn check_depth(&self, depth: usize) -> Result<(), String> {
        if depth > self.limits.depth {
            return Err(format!(
                "left out: packed more than {} times into each other (unpack it to read it)",
                self.limits.depth
            ));
        }
        Ok(())
    }

    /// Counts a member.
    ///
    /// # Errors
    /// Too many members.
    pub fn add_member(&self) -> io::Result<()> {
        let most = self.member_limit();
        if self.members.fetch_add(1, Ordering::Relaxed) >= most {
            return self.close(format!(
                "has more than {most} members; the rest is left out"
            ));
        }
        Ok(())
    }

    /// Maximum number of members for the current size.
    fn member_limit(&self) -> u64 {
        let by_size = self.packed.load(Ordering::Relaxed) / LEAST_PACKED;
        self.limits.members.min(by_size.max(UNQUESTIONED_MEMBERS))
    }

    /// Number of members that are still allowed.
    pub fn remaining_members(&self) -> u64 {
        let met = self.members.load(Ordering::Relaxed);
        self.member_limit().saturating_sub(met)
    }

    /// Counts decompressed bytes.
    ///
    /// # Errors
    /// Limits exceeded.
    pub(crate) fn add_inflated(&self, bytes: u64) -> io::Result<()> {
        if let Some(text) = self.closed() {
            return Err(io::Error::other(text.to_owned()));
        }
        let Limits {
            unquestioned,
            ratio,
            expanded,
            ..
        } = self.limits;
        let sum = self.inflated.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if sum > unquestioned && sum / ratio.max(1) > self.packed.load(Ordering::Relaxed) {
            return self.close(format!(
                "expands to more than {ratio} times its size; the rest is left out"
            ));
        }
        if sum > expanded {
            return self.close(format!(
                "expands to more than {expanded} bytes; the rest is left out"
            ));
        }
        Ok(())
    }

    /// Checks whether a member of the stated length is within the limits, so that an oversized member is not even
    /// begun.
    ///
    /// # Errors
    /// Limits would be exceeded.
    pub fn check_stated_len(&self, bytes: u64) -> io::Result<()> {
        if self.closed().is_some() {
            // Data decompressed before the limit was exceeded may still be read.
            return Ok(());
        }
        let bytes = bytes.min(u64::MAX / 2);
        let result = self.add_inflated(bytes);
        if result.is_ok() {
            // Subtracts instead of restoring: other threads may have spent meanwhile.
            self.inflated.fetch_sub(bytes, Ordering::Relaxed);
        }
        result
    }

    fn close(&self, text: String) -> io::Result<()> {
        let text = self.closed.get_or_init(|| text);
        Err(io::Error::other(text.clone()))
    }
}

/// Reader that counts decompressed bytes in an account.
pub struct Metered<'a, R> {
    inner: R,
    account: &'a Account,
}

impl<'a, R: Read> Metered<'a, R> {
    /// Wraps a reader of decompressed bytes.
    pub fn new(inner: R, account: &'a Account) -> Metered<'a, R> {
        Metered { inner, account }
    }
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.account.add_inflated(n as u64)?;
        Ok(n)
    }
}

/// Reader that counts the bytes of an archive that arrive through a pipe.
pub struct CountedStream<'a, R> {
    inner: R,
    account: &'a Account,
}

impl<'a, R: Read> CountedStream<'a, R> {
    /// Wraps a reader of compressed bytes.
    pub fn new(inner: R, account: &'a Account) -> CountedStream<'a, R> {
        CountedStream { inner, account }
    }
}

impl<R: Read> Read for CountedStream<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.account.add_packed(n as u64);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_without_bytes_are_counted_against_the_size() {
        let room = |packed| Account::new(Limits::default(), packed).remaining_members();
        assert_eq!(room(1000), UNQUESTIONED_MEMBERS);
        assert_eq!(room(300_000), 37_500);
        assert_eq!(room(1 << 40), Limits::default().members);
        let account = Account::new(Limits::default(), 1000);
        let read = (0..30_000)
            .take_while(|_| account.add_member().is_ok())
            .count();
        assert_eq!(
            (read as u64, account.remaining_members()),
            (UNQUESTIONED_MEMBERS, 0)
        );
        assert!(account.closed().unwrap().contains("20000 members"));
    }

    #[test]
    fn a_ratio_counts_beyond_what_is_read_anyway() {
        let limits = Limits {
            unquestioned: 1000,
            ratio: 10,
            expanded: 5000,
            members: 2,
            depth: 4,
        };
        let account = Account::new(limits, 200);
        account.add_inflated(1000).unwrap();
        account.add_inflated(1000).unwrap();
        let error = account.add_inflated(1).err().map(|e| e.to_string());
        assert!(error.is_none(), "{error:?}");
        assert!(account.add_inflated(200).is_err());
        assert!(account.closed().unwrap().contains("10 times"));
        // An exceeded limit stays exceeded.
        account.add_packed(1_000_000);
        assert!(account.add_inflated(1).is_err());

        let account = Account::new(limits, 1_000_000);
        assert!(account.add_inflated(5001).is_err());
        assert!(account.closed().unwrap().contains("5000 bytes"));

        let account = Account::new(limits, 1_000_000);
        assert!(account.add_member().is_ok() && account.add_member().is_ok());
        assert!(account.add_member().is_err());
        assert!(account.check_depth(4).is_ok() && account.check_depth(5).is_err());
    }
}
