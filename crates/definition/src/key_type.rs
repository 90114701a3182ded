//! Types of keys, which define equality and order of values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tuple;

/// Type of a key: comparison of its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyType {
    /// No declared type: integers compare as integers, everything else as text.
    #[default]
    Auto,
    /// Integers: `03` = `3` = `+3`.
    Int,
    /// Numbers: `1.50` = `1.5`.
    Float,
    /// Exact text.
    Text,
    /// `true` or `false` in any spelling.
    Bool,
    /// A UUID in any spelling: case and dashes are ignored.
    Uuid,
    /// A hexadecimal identifier: `0x1F` = `1f`; leading zeros are significant.
    Hex,
    /// A Python bytes literal: `b'4f65'` = `4f65`.
    Bytes,
    /// Parts in brackets: `('a', 2)` = `["a", 2]`.
    Tuple,
    /// Exact text that is the path of a file: a source with that path has the value.
    Path,
    /// A host: case and the domain are ignored (`Nid00317.example.org` = `nid00317`); addresses are exact.
    Host,
    /// A job of a batch system: without its server, step or leading zeros (`90210.pbs01` = `90210`); a member of an array
    /// has its index (`7[3]` = `7_3`).
    Job,
}

impl KeyType {
    /// Name in definitions and output.
    pub fn name(self) -> &'static str {
        match self {
            KeyType::Auto => "auto",
            KeyType::Int => "int",
            KeyType::Float => "float",
            KeyType::Text => "text",
            KeyType::Bool => "bool",
            KeyType::Uuid => "uuid",
            KeyType::Hex => "hex",
            KeyType::Bytes => "bytes",
            KeyType::Tuple => "tuple",
            KeyType::Path => "path",
            KeyType::Host => "host",
            KeyType::Job => "job",
        }
    }

    /// Canonical form of a spelling; `None` if the spelling is canonical already.
    pub fn canonical(self, text: &str) -> Option<String> {
        let form = match self {
            KeyType::Text | KeyType::Path => return None,
            KeyType::Auto | KeyType::Int => match text.trim().parse::<i64>() {
                Ok(n) => n.to_string(),
                Err(_) if self == KeyType::Int => text.trim().to_owned(),
                Err(_) => return None,
            },
            KeyType::Float => match text.trim().parse::<f64>() {
                Ok(x) if x.is_finite() => format!("{x}"),
                _ => return None,
            },
            KeyType::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "1" => "true".to_owned(),
                "false" | "no" | "0" => "false".to_owned(),
                _ => return None,
            },
            KeyType::Uuid => text
                .trim_matches(|c| c == '{' || c == '}')
                .chars()
                .filter(|c| *c != '-')
                .map(|c| c.to_ascii_lowercase())
                .collect(),
            KeyType::Hex => match base64(text) {
                Some(digits) => digits,
                None => {
                    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
                    digits.unwrap_or(text).to_ascii_lowercase()
                }
            },
            KeyType::Tuple => tuple::canonical(text),
            KeyType::Host => host(text),
            KeyType::Job => batch_job(text),
            KeyType::Bytes => {
                let inner = text.strip_prefix('b').unwrap_or(text);
                let quote = |c| c == '\'' || c == '"';
                if inner.len() >= 2 && inner.starts_with(quote) && inner.ends_with(quote) {
                    inner[1..inner.len() - 1].to_owned()
                } else {
                    return None;
                }
            }
        };
        (form != text).then_some(form)
    }
}

/// Name of a host without its domain, in lower case; an address as it is.
fn host(text: &str) -> String {
    let text = text.trim();
    let is_address = text.contains(':') || text.parse::<std::net::Ipv4Addr>().is_ok();
    let name = match text.split_once('.') {
        Some((name, _)) if !is_address && !name.is_empty() => name,
        _ => text,
    };
    name.to_ascii_lowercase()
}

/// Number of a batch job without its server or step, and the index of a member of an array or of a further process of a
/// cluster: `7[3].pbs01` is `7_3`, `7.0` is `7`, `7.2` is `7_2`. Of what a command says of a submission the number alone:
/// `Submitted batch job 7`, `Job <7> is submitted to queue <normal>.` Sources: qsub(1B) of OpenPBS
/// (`sequence[index].server`), sacct(1) (`job_index`, `job.step`), bsub(1) (`job[index]`), condor_q(1) (`cluster.process`),
/// sbatch(1).
fn batch_job(text: &str) -> String {
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut words = text.split(|c: char| c.is_whitespace() || "<>()'\"".contains(c));
    let word = words.find(is_number).unwrap_or(text.trim());
    let (name, rest) = word.split_once('.').unwrap_or((word, ""));
    let process = rest.trim_start_matches('0');
    let (number, index) = match name.split_once(['_', '[']) {
        Some((number, index)) => (number, index.trim_end_matches(']')),
        // The first process of a cluster is the job of its number; other words are servers and steps.
        None if process.bytes().all(|b| b.is_ascii_digit()) => (name, process),
        None => (name, ""),
    };
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return text.trim().to_owned();
    }
    let number = match number.trim_start_matches('0') {
        "" => "0",
        number => number,
    };
    match index {
        "" => number.to_owned(),
        index => format!("{number}_{index}"),
    }
}

/// Converts a base64 text to hexadecimal digits: the JSON form of Protocol Buffers encodes ids in base64. Only text
/// with `=` padding is recognised, as ids of 8 and of 16 bytes have it; other text may be hexadecimal.
fn base64(text: &str) -> Option<String> {
    let bare = text.trim_end_matches('=');
    let filled = text.len() - bare.len();
    if !(1..=2).contains(&filled) || !text.len().is_multiple_of(4) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let (mut bits, mut held) = (0u32, 0u32);
    for digit in bare.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            let byte = (held >> bits) & 0xff;
            out.extend(
                [byte >> 4, byte & 0xf].map(|n| char::from_digit(n, 16).unwrap_or_default()),
            );
            held &= (1 << bits) - 1;
        }
    }
    Some(out)
}
