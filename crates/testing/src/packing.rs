//! Writers of all supported archive formats and of some unsupported variants.
//!
//! Zip archives are written byte by byte, independent of the crate that reads them.

use std::io::Write;
use std::path::Path;

use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn zst(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut out = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn bz2(bytes: &[u8]) -> Vec<u8> {
    let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Stream compressions with their file name endings.
#[allow(clippy::type_complexity)]
pub const STREAMS: [(&str, fn(&[u8]) -> Vec<u8>); 4] =
    [(".gz", gz), (".zst", zst), (".xz", xz), (".bz2", bz2)];

pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Writes a tar archive.
pub fn tar(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(crate::runs::MODIFIED);
        tar.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    tar.into_inner().unwrap()
}

/// Zip archive member as described by its headers.
#[derive(Clone)]
pub struct Zipped {
    pub name: String,
    pub method: u16,
    pub flags: u16,
    pub crc: u32,
    pub size: u32,
    pub packed: Vec<u8>,
}

impl Zipped {
    pub fn stored(name: &str, bytes: &[u8]) -> Zipped {
        Zipped {
            name: name.to_owned(),
            method: 0,
            flags: 0,
            crc: crc(bytes),
            size: bytes.len() as u32,
            packed: bytes.to_vec(),
        }
    }

    pub fn deflated(name: &str, bytes: &[u8]) -> Zipped {
        Zipped {
            method: 8,
            packed: deflate(bytes),
            ..Zipped::stored(name, bytes)
        }
    }
}

/// Writes a zip archive; members with flag 8 have their sizes in a data descriptor after the data.
pub fn zip(members: &[Zipped]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for m in members {
        let at = out.len() as u32;
        let packed = m.packed.len() as u32;
        let mut fields = Vec::new();
        fields.extend(20u16.to_le_bytes());
        fields.extend((m.flags | 1 << 11).to_le_bytes());
        fields.extend(m.method.to_le_bytes());
        // DOS time and date of 2026-11-21 03:00:00.
        fields.extend((3u16 << 11).to_le_bytes());
        fields.extend((46u16 << 9 | 11 << 5 | 21).to_le_bytes());
        let sizes = [m.crc, packed, m.size].map(u32::to_le_bytes).concat();
        let name_len = (m.name.len() as u16).to_le_bytes();
        out.extend(b"PK\x03\x04");
        out.extend(&fields);
        let behind = m.flags & 8 != 0;
        out.extend(if behind { &[0; 12][..] } else { &sizes });
        out.extend(name_len);
        out.extend([0; 2]);
        out.extend(m.name.as_bytes());
        out.extend(&m.packed);
        if behind {
            out.extend(b"PK\x07\x08");
            out.extend(&sizes);
        }
        directory.extend(b"PK\x01\x02");
        directory.extend([20, 3]);
        directory.extend(&fields);
        directory.extend(&sizes);
        directory.extend(name_len);
        directory.extend([0; 8]);
        directory.extend((0o100_644_u32 << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(m.name.as_bytes());
    }
    let (start, len) = (out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([(members.len() as u16).to_le_bytes(); 2].concat());
    out.extend(len.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// Writes a zip archive with a different compression method for each member.
fn zip_of_all_methods(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let zipped: Vec<Zipped> = members
        .iter()
        .enumerate()
        .map(|(i, (name, bytes))| {
            let (method, packed) = match i % 4 {
                0 => (0, bytes.clone()),
                1 => (12, bz2(bytes)),
                2 => (93, zst(bytes)),
                _ => (95, xz(bytes)),
            };
            Zipped {
                method,
                packed,
                ..Zipped::stored(name, bytes)
            }
        })
        .collect();
    zip(&zipped)
}

/// Writes a zip archive as produced into a pipe: sizes follow the data of each member.
fn zip_of_a_pipe(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let zipped: Vec<Zipped> = members
        .iter()
        .map(|(name, bytes)| Zipped {
            flags: 8,
            ..Zipped::deflated(name, bytes)
        })
        .collect();
    zip(&zipped)
}

fn deflated(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let zipped: Vec<Zipped> = members
        .iter()
        .map(|(name, bytes)| Zipped::deflated(name, bytes))
        .collect();
    zip(&zipped)
}

fn one(name: &str, bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    vec![(name.to_owned(), bytes)]
}

/// Packs members into every kind of archive; returns file names and bytes.
pub fn archives(members: &[(String, Vec<u8>)]) -> Vec<(&'static str, Vec<u8>)> {
    let whole = tar(members);
    let streams: Vec<(String, Vec<u8>)> = members
        .iter()
        .enumerate()
        .map(|(i, (name, bytes))| {
            let (ending, pack) = STREAMS[i % STREAMS.len()];
            (format!("{name}{ending}"), pack(bytes))
        })
        .collect();
    vec![
        ("a.tar.zst", zst(&whole)),
        ("a.tar.xz", xz(&whole)),
        ("a.tar.bz2", bz2(&whole)),
        ("deflated.zip", deflated(members)),
        ("methods.zip", zip_of_all_methods(members)),
        ("pipe.zip", zip_of_a_pipe(members)),
        ("compressed-in.tar", tar(&streams)),
        ("zip-in.tar", tar(&one("b.zip", deflated(members)))),
        ("tar.gz-in.zip", deflated(&one("b.tar.gz", gz(&whole)))),
        ("stored-tar-in.zip", zip(&[Zipped::stored("b.tar", &whole)])),
        (
            "zip-in.tar.gz",
            gz(&tar(&one("b.zip", zip_of_a_pipe(members)))),
        ),
        ("zip.gz", gz(&zip_of_all_methods(members))),
        // Misleading endings: the format is detected from the content.
        ("archive.log", deflated(members)),
        ("archive.zip", zst(&whole)),
    ]
}

/// Files of a run as archive members with names below `run/`.
pub fn members(run: &Path) -> Vec<(String, Vec<u8>)> {
    let named = |f: std::path::PathBuf| {
        let name = f.strip_prefix(run).unwrap().display().to_string();
        (format!("run/{name}"), std::fs::read(f).unwrap())
    };
    crate::runs::files(run).into_iter().map(named).collect()
}
