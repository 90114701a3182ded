//! Zip archives (PKWARE's APPNOTE.TXT), listed by the central directory at the end of the archive: every entry, also
//! several of one name. If the directory is missing (a truncated archive), members are found by their local headers.
//! `codec` decompresses members.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use widetui_time::time::days_from_civil;

use super::codec::{inflate_member, zip_method_name};
use super::text::{Text, at_most, read_range};

/// Signatures of a local file header, and of a central directory entry and both end-of-directory records.
const MEMBER: &[u8] = b"PK\x03\x04";
const DIRECTORY: [&[u8]; 3] = [b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06"];
/// Optional signature of a data descriptor (the sizes after a member).
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Lengths without names, extra fields and comments: local file header, central directory entry, end-of-directory record,
/// that of large archives, and the locator of that one.
const HEADER: usize = 30;
const ENTRY: usize = 46;
const END: usize = 22;
const LONG_END: usize = 56;
const LOCATOR: usize = 20;
/// System number of Unix, whose attributes have the file mode in their upper half.
const UNIX: u16 = 3;
/// Characters 128 to 255 of code page 437.
const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
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

/// Lists the files of a zip archive: up to `most`, and one more if there are more. Members that share bytes are refused:
/// a few kilobytes can hold terabytes in this way.
pub fn list(archive: &Arc<dyn Text>, most: u64) -> Listing {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    match directory(archive, most) {
        Ok(members) if overlap(&members) => Listing {
            members: Vec::new(),
            problem: Some((
                None,
                "members of the archive overlap (a zip bomb?): it is not read".to_owned(),
            )),
        },
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

/// Whether a member begins before the end of another one.
fn overlap(members: &[ZipMember]) -> bool {
    let mut ranges: Vec<(u64, u64)> = { members.iter() }
        .map(|m| {
            let len = m.packed.saturating_add(HEADER as u64);
            (m.header, m.header.saturating_add(len))
        })
        .collect();
    ranges.sort_unstable();
    let mut pairs = ranges.iter().zip(ranges.iter().skip(1));
    pairs.any(|((_, end), (start, _))| start < end)
}

/// Members according to the central directory.
fn directory(archive: &Arc<dyn Text>, most: usize) -> io::Result<Vec<ZipMember>> {
    let place = directory_place(&**archive)?;
    let window = TextWindow::new(archive.clone(), place.start, place.len);
    let mut reader = BufReader::new(window);
    let mut members = Vec::new();
    let mut read = 0;
    while read < place.len && members.len() <= most {
        let (member, len) = directory_entry(&mut reader, place.shift)?;
        read += len;
        members.extend(member);
    }
    Ok(members)
}

/// Location of the central directory.
struct DirectoryPlace {
    start: u64,
    len: u64,
    /// Length of what precedes the archive in its file (a program that unpacks it), which stated offsets leave out.
    shift: u64,
}

/// Finds the central directory by the record at the end of the archive, APPNOTE 4.3.14 to 4.3.16.
fn directory_place(archive: &dyn Text) -> io::Result<DirectoryPlace> {
    let missing = || io::Error::other("its end record is missing");
    let from = archive.len().saturating_sub((END + 0xffff) as u64);
    let tail = read_range(archive, from, END + 0xffff)?;
    // The comment behind the record may have its signature, too: the first one whose comment ends the file.
    let mut ends = memchr::memmem::find_iter(&tail, DIRECTORY[1]);
    let fields = Fields(&tail);
    let at = ends.find(|at| {
        let comment = fields.u16(at + 20);
        comment.is_some_and(|len| at + END + usize::from(len) == tail.len())
    });
    let at = at.ok_or_else(missing)?;
    let stated = fields.u32(at + 12).zip(fields.u32(at + 16));
    let (mut len, mut offset) = stated
        .map(|(a, b)| (a.into(), b.into()))
        .ok_or_else(missing)?;
    let mut end = from + at as u64;
    // The record of large archives, and the locator between it and the short record.
    let long_at = end.saturating_sub((LOCATOR + LONG_END) as u64);
    let long = read_range(archive, long_at, LONG_END)?;
    if long.starts_with(DIRECTORY[2])
        && let Some(stated) = Fields(&long).u64(40).zip(Fields(&long).u64(48))
    {
        ((len, offset), end) = (stated, long_at);
    }
    let start = end.checked_sub(len);
    let place = start.and_then(|start| {
        let shift = start.checked_sub(offset)?;
        Some(DirectoryPlace { start, len, shift })
    });
    place.ok_or_else(|| io::Error::other("its end record states another place"))
}

/// Reads an entry of the central directory (APPNOTE 4.3.12); returns the member, if it is a file, and the length of the
/// entry.
fn directory_entry(reader: &mut impl Read, shift: u64) -> io::Result<(Option<ZipMember>, u64)> {
    let damaged = || io::Error::other("an entry is damaged");
    let mut head = [0; ENTRY];
    reader.read_exact(&mut head)?;
    let fields = Fields(&head);
    let parts = [28, 30, 32].map(|at| usize::from(fields.u16(at).unwrap_or(0)));
    let mut rest = vec![0; parts.iter().sum()];
    reader.read_exact(&mut rest)?;
    let len = (ENTRY + rest.len()) as u64;
    let (name, rest) = rest.split_at(parts[0]);
    let (extra, _) = rest.split_at(parts[1]);
    if !head.starts_with(DIRECTORY[0]) || name.len() > NAME {
        return Err(damaged());
    }
    let number = |at| fields.u32(at).map(u64::from).ok_or_else(damaged);
    let (mut size, mut packed, mut header) = (number(24)?, number(20)?, number(42)?);
    widen(extra, [&mut size, &mut packed, &mut header]);
    let (made_by, mode) = (fields.u16(4).map(|v| v >> 8), number(38)? >> 16);
    let is_link = made_by == Some(UNIX) && mode & 0o170_000 == 0o120_000;
    if is_link || name.ends_with(b"/") || name.ends_with(b"\\") {
        return Ok((None, len));
    }
    let stamp = fields.u16(14).zip(fields.u16(12));
    let member = ZipMember {
        name: file_name(name),
        packed,
        size,
        modified: stamp.map_or(0, |(date, time)| dos_time(date, time)),
        header: header.saturating_add(shift),
        checksum: fields.u32(16),
    };
    Ok((Some(member), len))
}

/// Replaces values beyond 4 GiB, which stand in the zip64 extra field (ID 1), APPNOTE 4.5.3.
fn widen<const N: usize>(mut extra: &[u8], values: [&mut u64; N]) {
    let mut values = values.into_iter();
    while let [a, b, c, d, more @ ..] = extra {
        let len = usize::from(u16::from_le_bytes([*c, *d])).min(more.len());
        let (mut field, next) = more.split_at(len);
        if u16::from_le_bytes([*a, *b]) == 1 {
            for value in values.by_ref().filter(|value| **value == 0xffff_ffff) {
                if let Some((first, after)) = field.split_first_chunk::<8>() {
                    *value = u64::from_le_bytes(*first);
                    field = after;
                }
            }
        }
        extra = next;
    }
}

/// Name of a member: UTF-8, else in code page 437 (APPNOTE D.1).
fn file_name(bytes: &[u8]) -> String {
    let of = |byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(at) => CODE_PAGE_437.chars().nth(at.into()).unwrap_or('\u{fffd}'),
    };
    match std::str::from_utf8(bytes) {
        Ok(name) => name.to_owned(),
        Err(_) => bytes.iter().map(of).collect(),
    }
}

/// Little-endian numbers at offsets of a header.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..)?.first_chunk().copied()
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.bytes(at).map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.bytes(at).map(u64::from_le_bytes)
    }
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
    let fields = Fields(&head);
    let u16_at = |at| fields.u16(at).unwrap_or(0);
    let u32_at = |at| fields.u32(at).unwrap_or(0);
    let (name_len, extra_len) = (usize::from(u16_at(26)), usize::from(u16_at(28)));
    let rest = read_range(archive, offset + HEADER as u64, name_len + extra_len)?;
    if rest.len() < name_len + extra_len || name_len > NAME {
        return Ok(None);
    }
    let (name, extra) = rest.split_at(name_len);
    let (mut packed, mut size) = (u64::from(u32_at(18)), u64::from(u32_at(22)));
    widen(extra, [&mut size, &mut packed]);
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
                name: file_name(&header.name),
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
            let rest = bytes.get(hit..).unwrap_or_default();
            if marks.iter().any(|m| rest.starts_with(m)) {
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
        let room = at_most(buf.len(), self.len.saturating_sub(self.at));
        let n = match (self.start.checked_add(self.at), buf.get_mut(..room)) {
            (Some(offset), Some(room @ [_, ..])) => self.text.read_at(offset, room)?,
            _ => 0,
        };
        self.at += n as u64;
        Ok(n)
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
        self.sum.update(buf.get(..n).unwrap_or_default());
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
    fn a_directory_elsewhere_than_stated_is_not_read() {
        let mut bytes = members(3);
        let mut long = DIRECTORY[2].to_vec();
        long.resize(LONG_END, 0);
        long[40..48].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        bytes.extend(long);
        bytes.extend([0; LOCATOR]);
        bytes.extend(DIRECTORY[1]);
        bytes.extend([0; 18]);
        let listing = listed(bytes, 100);
        assert_eq!(listing.members.len(), 3);
        let (_, problem) = listing.problem.unwrap();
        assert!(problem.contains("states another place"), "{problem}");
    }

    /// Archive with a directory of these members: name, bytes, offset of the local header if it is not the own one.
    fn archive(before: &[u8], members: &[(&[u8], &[u8], Option<u32>)], after: &[u8]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, data, at) in members {
            let at = at.unwrap_or(bytes.len() as u32);
            let mut head = [0; HEADER];
            head[..4].copy_from_slice(MEMBER);
            head[26] = name.len() as u8;
            bytes.extend([&head[..], name, data].concat());
            let mut entry = [0; ENTRY];
            entry[..4].copy_from_slice(DIRECTORY[0]);
            entry[20] = data.len() as u8;
            entry[28] = name.len() as u8;
            entry[42..46].copy_from_slice(&at.to_le_bytes());
            directory.extend([&entry[..], name].concat());
        }
        let mut end = vec![0; END];
        end[..4].copy_from_slice(DIRECTORY[1]);
        end[12..16].copy_from_slice(&(directory.len() as u32).to_le_bytes());
        end[16..20].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        end[20] = after.len() as u8;
        [before, &bytes, &directory, &end, after].concat()
    }

    #[test]
    fn members_of_one_name_are_all_listed_also_behind_a_program() {
        let two: [(&[u8], &[u8], _); 2] = [(b"a.log", b"12", None), (b"a.log", b"345", None)];
        for (before, after) in [
            (&b""[..], &b""[..]),
            (b"#!/bin/sh\n", b"PK\x05\x06 in a comment"),
        ] {
            let listing = listed(archive(before, &two, after), 10);
            assert_eq!(listing.problem, None);
            let found: Vec<_> = { listing.members.iter() }
                .map(|m| (&*m.name, m.packed, m.header - before.len() as u64))
                .collect();
            assert_eq!(found, [("a.log", 2, 0), ("a.log", 3, 37)]);
        }
    }

    #[test]
    fn members_that_share_bytes_are_refused() {
        let same: [(&[u8], &[u8], _); 2] = [(b"a", b"12", None), (b"b", b"12", Some(0))];
        let inner: [(&[u8], &[u8], _); 2] = [(b"a", b"12", None), (b"b", b"12", Some(31))];
        for members in [same, inner] {
            let listing = listed(archive(b"", &members, b""), 10);
            assert_eq!(listing.members, []);
            assert!(listing.problem.unwrap().1.contains("overlap"));
        }
    }

    #[test]
    fn names_are_utf_8_or_of_code_page_437() {
        assert_eq!(CODE_PAGE_437.chars().count(), 128);
        for (bytes, name) in [
            (&b"\x84.log"[..], "ä.log"),
            ("ä.log".as_bytes(), "ä.log"),
            (b"\xe1\xff", "ß\u{a0}"),
        ] {
            assert_eq!(file_name(bytes), name);
        }
    }
}
