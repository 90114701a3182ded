//! Spool of decompressed text for random access: blocks that are compressed individually, in memory within a limit,
//! then in an unnamed temporary file (which the system deletes in any case).

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use widetui_core::lock;
use widetui_core::memory::MemoryLimit;

use super::file::read_fully;
use super::recent_blocks::RecentBlocks;
use super::text::{Text, at_most};

/// Text bytes per block.
pub const BLOCK: usize = 256 * 1024;

#[derive(Debug, Clone)]
enum Block {
    Memory(Arc<[u8]>),
    File {
        offset: u64,
        len: usize,
    },
    /// Uncompressed start of a block that is not complete yet.
    Partial(Arc<[u8]>),
    Lost,
}

/// Memory limit and temporary file, shared by all spooled texts of a run.
#[derive(Debug)]
pub struct Spool {
    limit: MemoryLimit,
    /// Compressed bytes in memory.
    used: AtomicU64,
    file: Mutex<Overflow>,
    /// First error of the temporary file.
    failure: OnceLock<String>,
}

#[derive(Debug, Default)]
enum Overflow {
    #[default]
    Unused,
    Open {
        file: Arc<File>,
        end: u64,
    },
    Failed,
}

impl Spool {
    /// Creates a spool that keeps compressed text in memory up to half of the limit, and only while the process is not
    /// near it.
    pub fn new(limit: MemoryLimit) -> Spool {
        Spool {
            limit,
            used: AtomicU64::new(0),
            file: Mutex::default(),
            failure: OnceLock::new(),
        }
    }

    /// Reason why text was lost, for the user: the memory limit, and the error of the temporary file.
    pub fn loss(&self) -> String {
        let folder = tempfile::env::temp_dir();
        let error = self.failure.get().map_or("no error", String::as_str);
        format!(
            "the memory limit is reached, and a temporary file in {} cannot be written: {error} (set TMPDIR to a folder with \
             room, or raise --memory)",
            folder.display()
        )
    }

    fn keep(&self, raw: &[u8]) -> Block {
        let packed = lz4_flex::block::compress_prepend_size(raw);
        let len = packed.len() as u64;
        let used = self.used.fetch_add(len, Ordering::Relaxed) + len;
        if used <= self.limit.0 / 2 && !self.limit.is_near() {
            return Block::Memory(packed.into());
        }
        self.used.fetch_sub(len, Ordering::Relaxed);
        match self.overflow(&packed) {
            Ok(block) => block,
            Err(error) => {
                self.failure.get_or_init(|| error.to_string());
                Block::Lost
            }
        }
    }

    /// Frees a block in memory; blocks in the temporary file stay there.
    fn release(&self, block: &Block) {
        if let Block::Memory(packed) = block {
            self.used.fetch_sub(packed.len() as u64, Ordering::Relaxed);
        }
    }

    fn overflow(&self, packed: &[u8]) -> io::Result<Block> {
        let mut overflow = lock::hold(&self.file);
        if let Overflow::Unused = *overflow {
            *overflow = Overflow::Failed;
            *overflow = Overflow::Open {
                file: Arc::new(tempfile::tempfile()?),
                end: 0,
            };
        }
        match &mut *overflow {
            Overflow::Open { file, end } => {
                let offset = *end;
                // After a write error (no space left) the data so far stays readable, and later blocks may fit again.
                file.write_all_at(packed, offset)?;
                *end += packed.len() as u64;
                Ok(Block::File {
                    offset,
                    len: packed.len(),
                })
            }
            Overflow::Unused | Overflow::Failed => Err(io::Error::other("no temporary file")),
        }
    }

    fn unpack(&self, block: &Block) -> io::Result<Vec<u8>> {
        let bad = |e: lz4_flex::block::DecompressError| io::Error::other(e.to_string());
        match block {
            Block::Memory(packed) => {
                lz4_flex::block::decompress_size_prepended(packed).map_err(bad)
            }
            Block::File { offset, len } => {
                let file = match &*lock::hold(&self.file) {
                    Overflow::Open { file, .. } => file.clone(),
                    _ => return Err(io::Error::other("the temporary file is gone")),
                };
                let mut packed = vec![0; *len];
                let n = read_fully(&file, &mut packed, *offset)?;
                packed.truncate(n);
                lz4_flex::block::decompress_size_prepended(&packed).map_err(bad)
            }
            Block::Partial(raw) => Ok(raw.to_vec()),
            Block::Lost => Err(io::Error::other(format!(
                "this part was not kept: {}",
                self.loss()
            ))),
        }
    }
}

/// Index of the block that contains a byte of a text, and the byte's place in it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "2^32 blocks are a petabyte, and a place is less than the length of a block"
)]
const fn place_of(offset: u64) -> (usize, usize) {
    let block = BLOCK as u64;
    ((offset / block) as usize, (offset % block) as usize)
}

/// Spooled text, which grows while it is read from its source.
#[derive(Debug)]
pub struct SpoolText {
    spool: Arc<Spool>,
    /// Blocks with their lengths in uncompressed bytes.
    blocks: RwLock<Vec<Option<(usize, Block)>>>,
    len: AtomicU64,
    /// Uncompressed blocks that were read last.
    recent: Mutex<RecentBlocks<Arc<Vec<u8>>>>,
}

impl SpoolText {
    /// Creates an empty text.
    pub fn new(spool: Arc<Spool>) -> SpoolText {
        SpoolText {
            spool,
            blocks: RwLock::default(),
            len: AtomicU64::new(0),
            recent: Mutex::default(),
        }
    }

    /// Stores bytes that start at a multiple of `BLOCK`; only the last call may end with a partial block. Calls may
    /// come from several threads in any order; a call with bytes stored before replaces them. Returns the number of
    /// bytes lost for lack of space.
    pub fn keep(&self, offset: u64, bytes: &[u8]) -> u64 {
        self.keep_blocks(offset, bytes, |raw| self.spool.keep(raw))
    }

    /// Stores like `keep`, but leaves a partial last block uncompressed in memory, as it will be completed soon.
    pub fn keep_partial(&self, offset: u64, bytes: &[u8]) -> u64 {
        self.keep_blocks(offset, bytes, |raw| match raw.len() < BLOCK {
            true => Block::Partial(raw.into()),
            false => self.spool.keep(raw),
        })
    }

    fn keep_blocks(&self, offset: u64, bytes: &[u8], keep: impl Fn(&[u8]) -> Block) -> u64 {
        let mut lost = 0;
        for (index, raw) in (place_of(offset).0..).zip(bytes.chunks(BLOCK)) {
            let block = keep(raw);
            if let Block::Lost = block {
                lost += raw.len() as u64;
            }
            let mut blocks = lock::write(&self.blocks);
            if blocks.len() <= index {
                blocks.resize(index + 1, None);
            }
            // Calls may come in any order: the longer block is the newer one.
            let old = match blocks.get_mut(index) {
                Some(slot) if slot.as_ref().is_none_or(|b| b.0 < raw.len()) => {
                    slot.replace((raw.len(), block)).map(|b| b.1)
                }
                _ => Some(block),
            };
            drop(blocks);
            if let Some(old) = old {
                self.spool.release(&old);
            }
            lock::hold(&self.recent).remove(index as u64 * BLOCK as u64);
        }
        self.len
            .fetch_max(offset + bytes.len() as u64, Ordering::Relaxed);
        lost
    }

    /// Stores all bytes of a stream.
    ///
    /// # Errors
    /// Error of the stream; the bytes before it are stored.
    pub fn fill(&self, stream: &mut dyn Read) -> io::Result<()> {
        let mut block = Vec::with_capacity(BLOCK);
        let mut offset = 0;
        loop {
            block.clear();
            let read = (&mut *stream).take(BLOCK as u64).read_to_end(&mut block);
            self.keep(offset, &block);
            read?;
            if block.len() < BLOCK {
                return Ok(());
            }
            offset += block.len() as u64;
        }
    }

    fn block(&self, index: usize) -> io::Result<Arc<Vec<u8>>> {
        let start = index as u64 * BLOCK as u64;
        if let Some((_, block)) = lock::hold(&self.recent).find(start..start + 1) {
            return Ok(block.clone());
        }
        let block = lock::read(&self.blocks).get(index).cloned().flatten();
        let (_, block) = block.ok_or_else(|| io::Error::other("this part is not inflated yet"))?;
        let raw = Arc::new(self.spool.unpack(&block)?);
        lock::hold(&self.recent).add(start..start + raw.len() as u64, raw.clone());
        Ok(raw)
    }
}

impl Drop for SpoolText {
    fn drop(&mut self) {
        let blocks = std::mem::take(&mut *lock::write(&self.blocks));
        for (_, block) in blocks.into_iter().flatten() {
            self.spool.release(&block);
        }
    }
}

impl Text for SpoolText {
    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let wanted = at_most(buf.len(), self.len().saturating_sub(offset));
        let mut done = 0;
        while let Some(room @ [_, ..]) = buf.get_mut(done..wanted) {
            let (index, place) = place_of(offset + done as u64);
            let block = match self.block(index) {
                Ok(block) => block,
                Err(error) if done == 0 => return Err(error),
                // Text before a missing block can be read.
                Err(_) => break,
            };
            match block.get(place..).unwrap_or_default().read(room)? {
                0 => break,
                n => done += n,
            }
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::read_range;

    #[test]
    fn a_block_that_comes_bit_by_bit_is_written_once() {
        let raw: Vec<u8> = (0..BLOCK + BLOCK / 2)
            .map(|i| (i * i / 7 % 251) as u8)
            .collect();
        let spool = Arc::new(Spool::new(MemoryLimit(0)));
        let text = SpoolText::new(spool.clone());
        let written = || match &*lock::hold(&spool.file) {
            Overflow::Open { end, .. } => *end,
            _ => 0,
        };
        for end in (0..raw.len()).step_by(1000).chain([raw.len()]) {
            let from = end / BLOCK * BLOCK;
            // A block is compressed when it is complete, followed by the rest.
            if from > 0 && end - from < 1000 {
                text.keep(0, &raw[..from]);
            }
            assert_eq!(text.keep_partial(from as u64, &raw[from..end]), 0);
            let last = end.saturating_sub(10);
            assert_eq!(read_range(&text, last as u64, 10).unwrap(), &raw[last..end]);
        }
        assert_eq!(read_range(&text, 0, raw.len()).unwrap(), raw);
        assert!(written() <= BLOCK as u64 * 2, "{}", written());
    }

    #[test]
    fn any_place_can_be_read_again_in_memory_and_from_the_file() {
        let raw: Vec<u8> = (0..BLOCK * 3 + 1000)
            .map(|i| (i * i / 7 % 251) as u8)
            .collect();
        for limit in [MemoryLimit::NONE, MemoryLimit(0)] {
            let text = SpoolText::new(Arc::new(Spool::new(limit)));
            text.keep(BLOCK as u64 * 2, &raw[BLOCK * 2..]);
            text.keep(0, &raw[..BLOCK * 2]);
            assert_eq!(text.len(), raw.len() as u64);
            for (at, len) in [
                (0, 10),
                (BLOCK - 5, 10),
                (BLOCK * 2 - 1, BLOCK + 2),
                (raw.len() - 3, 100),
                (raw.len() + 5, 1),
            ] {
                let want = &raw[at.min(raw.len())..(at + len).min(raw.len())];
                assert_eq!(read_range(&text, at as u64, len).unwrap(), want);
            }
        }
    }
}
