//! Tar archives, read sequentially. Only this module uses the tar crate.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum number of bytes between two members: headers and long-name records. More would be an attempt to fill the
/// memory.
const BETWEEN: u64 = 1 << 20;

/// Member of a tar archive.
#[derive(Debug)]
pub struct TarMember {
    /// Path of the member in the archive.
    pub name: Vec<u8>,
    /// Stated length in bytes.
    pub size: u64,
    /// Modification time, ns since the epoch.
    pub modified: i64,
    /// Target of a hard link, which holds the bytes.
    pub link: Option<Vec<u8>>,
    /// Offset of the bytes in the archive; `None` if they are not contiguous (sparse file).
    pub start: Option<u64>,
}

/// Error that ended the reading of a tar archive.
#[derive(Debug)]
pub struct TarError {
    /// Offset reached in the archive.
    pub offset: u64,
    /// Underlying error.
    pub error: io::Error,
}

/// Whether a file starts with a tar header, including the old format without a magic number.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    if head.get(257..262) == Some(b"ustar") {
        return true;
    }
    let Some(header) = head.get(..512) else {
        return false;
    };
    let header = tar::Header::from_byte_slice(header);
    let bytes = header.as_bytes();
    let sum = bytes[..148]
        .iter()
        .chain(&bytes[156..])
        .fold(8 * 32, |sum, b| sum + u32::from(*b));
    bytes[0] != 0 && header.cksum().is_ok_and(|told| told == sum) && header.entry_size().is_ok()
}

/// Calls `visit` with each regular file and hard link in the archive, and a reader of its bytes.
///
/// # Errors
/// Offset and error; the members before it were visited.
pub fn each_member(
    stream: &mut dyn Read,
    mut visit: impl FnMut(TarMember, &mut dyn Read) -> ControlFlow<()>,
) -> Result<(), TarError> {
    let state = Rc::new(State::default());
    let mut archive = tar::Archive::new(Gate {
        inner: stream,
        state: state.clone(),
    });
    let failed = |error: io::Error| TarError {
        offset: state.position.get(),
        error,
    };
    let mut entries = archive.entries().map_err(failed)?;
    loop {
        state.allowance.set(Some(BETWEEN));
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(failed)?;
        state.allowance.set(None);
        let kind = entry.header().entry_type();
        // Some programs store the bytes with each hard link.
        let is_link = kind.is_hard_link() && entry.size() == 0;
        if kind.is_file() || kind.is_gnu_sparse() || kind.is_hard_link() {
            let link = is_link.then(|| entry.link_name_bytes()).flatten();
            let member = TarMember {
                name: entry.path_bytes().into_owned(),
                size: entry.size(),
                modified: i64::try_from(entry.header().mtime().unwrap_or(0))
                    .unwrap_or(i64::MAX)
                    .saturating_mul(1_000_000_000),
                link: link.map(Cow::into_owned),
                start: (!kind.is_gnu_sparse()).then(|| entry.raw_file_position()),
            };
            if visit(member, &mut entry).is_break() {
                return Ok(());
            }
        }
        // Drains the member here, so that the allowance below covers only headers.
        io::copy(&mut entry, &mut io::sink()).map_err(failed)?;
    }
    if state.ended.get() {
        return Err(failed(io::Error::other(
            "the end-of-archive marker is missing; the archive may be truncated here",
        )));
    }
    Ok(())
}

#[derive(Default)]
struct State {
    position: Cell<u64>,
    /// Number of bytes that may be read before the next member; `None` within a member.
    allowance: Cell<Option<u64>>,
    ended: Cell<bool>,
}

struct Gate<'a> {
    inner: &'a mut dyn Read,
    state: Rc<State>,
}

impl Read for Gate<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.state
            .position
            .set(self.state.position.get() + n as u64);
        if n == 0 && !buf.is_empty() {
            self.state.ended.set(true);
        }
        if let Some(left) = self.state.allowance.get() {
            let left = left.checked_sub(n as u64).ok_or_else(|| {
                io::Error::other("a name or header of more than a megabyte: this is no log archive")
            })?;
            self.state.allowance.set(Some(left));
        }
        Ok(n)
    }
}
