//! Zip archives. Only this module uses the zip crate, which reads the central directory at the end of the archive. If
//! that is missing (a truncated archive), members are found by their local headers. `codec` decompresses members.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use widetui_time::time::days_from_civil;

use super::codec::{inflate_member, zip_method_name};
use super::text::{Text, read_range};

/// Signatures of a local file header, and of a central directory entry and both end-of-directory records.
const MEMBER: &[u8] = b"PK\x03\x04";
const DIRECTORY: [&[u8]; 3] = [b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06"];
/// Optional signature of a data descriptor (the sizes after a member).
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Length of a local file header without the name.
const HEADER: usize = 30;
/// Maximum length of a name; longer ones are taken as a false match.
const NAME: usize = 4096;

/// Whether a file starts like a zip archive.
pub(crate) fn is_zip(head: &[u8]) -> bool {
    // An archive without members consists of the end-of-directory record only.
    head.starts_with(MEMBER) || (head.starts_with(b"PK\x05\x06") && head.len() >= 22)
}

/// Member of a zip archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipMember {
    /// Path of the member in the archive.
    pub name: String,
    /// Length in the archive, bytes.
    pub packed: u64,
    /// Stated decompressed length; 0 if unknown.
    pub size: u64,
    /// Modification time, ns (zone unknown, taken as UTC).
    pub modified: i64,
    header: u64,
    checksum: Option<u32>,
}

/// Members of a zip archive.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files in the archive.
    pub members: Vec<ZipMember>,
    /// Problem of the archive itself, with its byte offset.
    pub problem: Option<(Option<u64>, String)>,
}

/// Location and compression of a member's data.
#[derive(Debug)]
pub struct MemberPlace {
    /// Offset of the data in the archive.
    pub start: u64,
    /// Whether the data is uncompressed.
    pub stored: bool,
    method: u16,
}

/// Lists the files of a zip archive: up to `most`, and one more if there are more.
pub fn list(archive: &Arc<dyn Text>, most: u64) -> Listing {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    match directory(archive, most) {
        Ok(members) => Listing {
            members,
            problem: None,
        },
        Err(error) => match scan(&**archive, most) {
            Ok(members) => Listing {
                members,
                problem: Some((
                    Some(archive.len()),
                    format!(
                        "the archive's directory, at its end, cannot be read ({error}): it may be truncated; \
                         the members found by searching are read"
                    ),
                )),
            },
            Err(error) => Listing {
                members: Vec::new(),
                problem: Some((None, format!("the archive cannot be read: {error}"))),
            },
        },
    }
}

fn directory(archive: &Arc<dyn Text>, most: usize) -> io::Result<Vec<ZipMember>> {
    // The zip crate reads all entries at once, so their number is checked before.
    let entries = directory_entries(&**archive)?;
    if entries > (most as u64).saturating_mul(2).max(1 << 16) {
        let text = format!("it claims to have {entries} entries");
        return Err(io::Error::other(text));
    }
    let reader = BufReader::new(TextWindow::new(archive.clone(), 0, archive.len()));
    let zip = zip::ZipArchive::new(reader).map_err(|e| io::Error::other(e.to_string()))?;
    let mut members = Vec::with_capacity(zip.len().min(most));
    for index in 0..zip.len() {
        if members.len() > most {
            break;
        }
        let entry = zip
            .by_index_data(index)
            .map_err(|e| io::Error::other(e.to_string()))?;
        if !entry.is_file() {
            continue;
        }
        let name = match entry.name() {
            Ok(name) => name.into_owned(),
            Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
        };
        let stamp = entry.last_modified();
        members.push(ZipMember {
            name,
            packed: entry.compressed_size(),
            size: entry.size(),
            modified: stamp.map_or(0, |t| dos_time(t.datepart(), t.timepart())),
            header: entry.header_start(),
            checksum: Some(entry.crc32()),
        });
    }
    Ok(members)
}

/// Largest number of entries stated by any end-of-directory record.
fn directory_entries(archive: &dyn Text) -> io::Result<u64> {
    // The end-of-directory record has 22 bytes and a comment; the zip64 record before it has a 64-bit count.
    const SHORT: usize = 22;
    const LONG: usize = 56;
    const TAIL: usize = SHORT + 0xffff + 20 + LONG + (1 << 16);
    let from = archive.len().saturating_sub(TAIL as u64);
    let tail = read_range(archive, from, TAIL)?;
    let ends = memchr::memmem::find_iter(&tail, b"PK").filter_map(|at| {
        let end = &tail[at..];
        // Total entries, and entries on this disk of a split archive.
        let short = |at: usize| Some(u16::from_le_bytes(*end.get(at..)?.first_chunk()?).into());
        let long = |at: usize| Some(u64::from_le_bytes(*end.get(at..)?.first_chunk()?));
        match end {
            end if end.starts_with(DIRECTORY[1]) => short(8).max(short(10)),
            end if end.starts_with(DIRECTORY[2]) => long(24).max(long(32)),
            _ => None,
        }
    });
    Ok(ends.max().unwrap_or(0))
}

/// Converts an MS-DOS date and time (resolution 2 s) to ns; 0 if invalid.
fn dos_time(date: u16, time: u16) -> i64 {
    let (year, month, day) = (
        1980 + i64::from(date >> 9),
        u32::from(date >> 5 & 15),
        u32::from(date & 31),
    );
    if !(1..=12).contains(&month) || day == 0 {
        return 0;
    }
    let seconds =
        i64::from(time >> 11) * 3600 + i64::from(time >> 5 & 63) * 60 + i64::from(time & 31) * 2;
    (days_from_civil(year, month, day) * 86_400 + seconds) * 1_000_000_000
}

/// Local file header.
struct Header {
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u64,
    size: u64,
    modified: i64,
    name: Vec<u8>,
    /// Length of the header including name and extra fields.
    len: u64,
}

/// Reads the local file header at `offset`; `None` if there is none.
fn header(archive: &dyn Text, offset: u64) -> io::Result<Option<Header>> {
    let head = read_range(archive, offset, HEADER)?;
    if head.len() < HEADER || !head.starts_with(MEMBER) {
        return Ok(None);
    }
    let u16_at = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
    let (name_len, extra_len) = (usize::from(u16_at(26)), usize::from(u16_at(28)));
    let rest = read_range(archive, offset + HEADER as u64, name_len + extra_len)?;
    if rest.len() < name_len + extra_len || name_len > NAME {
        return Ok(None);
    }
    let (name, mut extra) = rest.split_at(name_len);
    let (mut packed, mut size) = (u64::from(u32_at(18)), u64::from(u32_at(22)));
    // Sizes beyond 4 GiB are in the zip64 extra field (ID 1).
    while let [a, b, c, d, more @ ..] = extra {
        let len = usize::from(u16::from_le_bytes([*c, *d])).min(more.len());
        let (mut field, next) = more.split_at(len);
        if u16::from_le_bytes([*a, *b]) == 1 {
            for value in [&mut size, &mut packed] {
                if *value == 0xffff_ffff
                    && let Some((first, after)) = field.split_first_chunk::<8>()
                {
                    *value = u64::from_le_bytes(*first);
                    field = after;
                }
            }
        }
        extra = next;
    }
    Ok(Some(Header {
        flags: u16_at(6),
        method: u16_at(8),
        checksum: u32_at(14),
        packed,
        size,
        modified: dos_time(u16_at(12), u16_at(10)),
        name: name.to_vec(),
        len: (HEADER + name_len + extra_len) as u64,
    }))
}

/// Finds members by their local file headers.
fn scan(archive: &dyn Text, most: usize) -> io::Result<Vec<ZipMember>> {
    let mut members = Vec::new();
    let end = archive.len();
    let mut at = 0;
    while at < end && members.len() <= most {
        let Some(header) = header(archive, at)? else {
            let four = read_range(archive, at, 4)?;
            if DIRECTORY.contains(&&four[..]) {
                break;
            }
            let Some(next) = find(archive, at + 1, &[MEMBER])? else {
                break;
            };
            at = next;
            continue;
        };
        let start = at + header.len;
        let known = header.flags & 8 == 0 || header.packed > 0;
        // Sizes follow the data, so it ends at the next signature at the latest.
        let stop = if known {
            start.saturating_add(header.packed).min(end)
        } else {
            let marks = [MEMBER, DESCRIPTOR, DIRECTORY[0]];
            find(archive, start, &marks)?.unwrap_or(end)
        };
        if !header.name.ends_with(b"/") {
            members.push(ZipMember {
                name: String::from_utf8_lossy(&header.name).into_owned(),
                packed: stop - start,
                size: if known { header.size } else { 0 },
                modified: header.modified,
                header: at,
                checksum: known.then_some(header.checksum),
            });
        }
        at = stop;
    }
    Ok(members)
}

/// First offset at or after `from` with one of the signatures.
fn find(archive: &dyn Text, from: u64, marks: &[&[u8]]) -> io::Result<Option<u64>> {
    const STEP: usize = 1 << 20;
    let mut at = from;
    while at < archive.len() {
        let bytes = read_range(archive, at, STEP)?;
        for hit in memchr::memmem::find_iter(&bytes, b"PK") {
            if marks.iter().any(|m| bytes[hit..].starts_with(m)) {
                return Ok(Some(at + hit as u64));
            }
        }
        if bytes.len() < STEP {
            break;
        }
        at += (STEP - 3) as u64;
    }
    Ok(None)
}

/// Locates the data of a member.
///
/// # Errors
/// Message for the user: the member is encrypted, compressed by an unsupported method, or missing.
pub fn locate(archive: &dyn Text, member: &ZipMember) -> Result<MemberPlace, String> {
    let header = match header(archive, member.header) {
        Ok(Some(header)) => header,
        Ok(None) => {
            return Err(format!(
                "the archive has no member at byte {}, where its directory says",
                member.header
            ));
        }
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    if header.flags & 1 != 0 || header.method == 99 {
        return Err("is encrypted (unpack it with its password to read it)".to_owned());
    }
    if inflate_member(header.method, 0, io::empty()).is_none() {
        return Err(format!(
            "is packed by method {} ({}), which cannot be read here (unpack it to read it)",
            header.method,
            zip_method_name(header.method)
        ));
    }
    Ok(MemberPlace {
        start: member.header + header.len,
        stored: header.method == 0,
        method: header.method,
    })
}

/// Decompresses a member and verifies its checksum at the end. `watch` may wrap the reader of the compressed data.
pub fn open<'a, R: Read + 'a>(
    archive: &Arc<dyn Text>,
    member: &ZipMember,
    place: &MemberPlace,
    watch: impl FnOnce(TextWindow) -> R,
) -> Box<dyn Read + 'a> {
    let window = TextWindow::new(archive.clone(), place.start, member.packed);
    // `locate` has checked that the method is supported.
    let inner = inflate_member(place.method, member.size, watch(window))
        .unwrap_or_else(|| Box::new(io::empty()));
    Box::new(Checked {
        inner,
        expected: member.checksum,
        sum: flate2::Crc::new(),
    })
}

/// Range of a text as a stream.
#[derive(Debug)]
pub struct TextWindow {
    text: Arc<dyn Text>,
    start: u64,
    len: u64,
    at: u64,
}

impl TextWindow {
    fn new(text: Arc<dyn Text>, start: u64, len: u64) -> TextWindow {
        TextWindow {
            text,
            start,
            len,
            at: 0,
        }
    }
}

impl Read for TextWindow {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let room = self.len.saturating_sub(self.at).min(buf.len() as u64) as usize;
        let n = match self.start.checked_add(self.at) {
            Some(offset) if room > 0 => self.text.read_at(offset, &mut buf[..room])?,
            _ => 0,
        };
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for TextWindow {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

struct Checked<'a> {
    inner: Box<dyn Read + 'a>,
    expected: Option<u32>,
    sum: flate2::Crc,
}

impl Read for Checked<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.sum.update(&buf[..n]);
        if n == 0
            && !buf.is_empty()
            && let Some(expected) = self.expected.take()
            && expected != self.sum.sum()
        {
            return Err(io::Error::other("the checksum does not match"));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::MemoryText;

    /// Archive with `count` empty members with names of one byte.
    fn members(count: usize) -> Vec<u8> {
        let mut one = MEMBER.to_vec();
        one.resize(HEADER, 0);
        one[26] = 1;
        one.push(b'a');
        one.repeat(count)
    }

    fn listed(bytes: Vec<u8>, most: u64) -> Listing {
        let archive: Arc<dyn Text> = Arc::new(MemoryText(bytes));
        list(&archive, most)
    }

    #[test]
    fn no_more_members_are_listed_than_there_is_room_for() {
        assert_eq!(listed(members(1000), 10_000).members.len(), 1000);
        assert_eq!(listed(members(1000), 10).members.len(), 11);
    }

    #[test]
    fn a_directory_that_is_too_long_is_not_read() {
        let mut bytes = members(3);
        let mut long = DIRECTORY[2].to_vec();
        long.resize(56, 0);
        long[32..40].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        bytes.extend(long);
        bytes.extend(DIRECTORY[1]);
        bytes.extend([0; 18]);
        let listing = listed(bytes, 100);
        assert_eq!(listing.members.len(), 3);
        let (_, problem) = listing.problem.unwrap();
        assert!(problem.contains("1099511627776 entries"), "{problem}");
    }
}
