//! Host lists in the notation of batch systems: `c[1-3,7]`, `nid00[1-3]`, `r[1-2]n[01-16],login1` (Slurm, Flux,
//! ClusterShell), `node1/0*4+node2/0*4` (PBS).

/// Maximum number of hosts of a list; the text itself is stored under its own key.
pub(crate) const MAX_HOSTS: usize = 512;

/// Maximum number of brackets in the name of a host; a name with more is no list.
const MAX_DIMENSIONS: usize = 8;

/// Maximum number of digits of a number in a range, with the zeros before it.
const MAX_DIGITS: usize = 20;

/// Hosts in a text, in order; a text in brackets that is not such a list is one host.
pub(crate) fn hosts(text: &[u8]) -> Vec<Vec<u8>> {
    let mut out: Vec<Vec<u8>> = Vec::new();
    let mut depth = 0usize;
    let is_end = |byte: &u8| {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(byte, b',' | b'+' | b' ')
    };
    for word in text.split(is_end) {
        // The rest is a slot on the host.
        let name = word.split(|b| *b == b'/').next().unwrap_or_default();
        // `(null)` and `(Resources)` stand for no host.
        if name.is_empty() || name.contains(&b'(') {
            continue;
        }
        for host in expanded(name) {
            if out.len() == MAX_HOSTS {
                return out;
            }
            if out.last() != Some(&host) {
                out.push(host);
            }
        }
    }
    out
}

/// Hosts in a text, as strings.
pub(crate) fn spelled(text: &str) -> Vec<String> {
    let all = hosts(text.as_bytes()).into_iter();
    all.map(|host| String::from_utf8_lossy(&host).into_owned())
        .collect()
}

/// Hosts of one word with ranges in brackets.
fn expanded(word: &[u8]) -> Vec<Vec<u8>> {
    let mut out = vec![Vec::new()];
    let mut rest = word;
    let is_list = memchr::memchr_iter(b'[', word).count() <= MAX_DIMENSIONS;
    while memchr::memchr(b'[', rest).is_some() {
        let Some((before, inside, after)) = bracket(rest).filter(|_| is_list) else {
            return vec![word.to_vec()];
        };
        let parts = parts(inside);
        let longer = out.iter().flat_map(|start| {
            let join = |part| [start, before, part].concat();
            parts.iter().map(move |part| join(part.as_slice()))
        });
        out = longer.take(MAX_HOSTS).collect();
        rest = after;
    }
    out.iter_mut().for_each(|host| host.extend_from_slice(rest));
    out
}

/// Text before the first bracket, in it and after it; `None` if it is not closed.
fn bracket(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (before, rest) = text.split_at_checked(memchr::memchr(b'[', text)?)?;
    let (inside, after) = rest.split_at_checked(memchr::memchr(b']', rest)?)?;
    Some((before, inside.get(1..)?, after.get(1..)?))
}

/// Numbers in brackets: `1-3,7`; text that is not a range stands for itself.
fn parts(inside: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for part in inside.split(|b| *b == b',') {
        match range(part) {
            Some((from, to, width)) => {
                let left = (MAX_HOSTS - out.len().min(MAX_HOSTS)) as u64;
                let last = to.min(from.saturating_add(left));
                out.extend((from..=last).map(|n| format!("{n:0width$}").into_bytes()));
            }
            None => out.push(part.to_vec()),
        }
    }
    out.truncate(MAX_HOSTS);
    out
}

/// First number, last number and number of digits of a range.
fn range(part: &[u8]) -> Option<(u64, u64, usize)> {
    let (from, to) = std::str::from_utf8(part).ok()?.split_once('-')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| is_number)
    };
    let (first, last) = (number(from)?, number(to)?);
    (first <= last && from.len() <= MAX_DIGITS).then_some((first, last, from.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> String {
        let all = hosts(text.as_bytes());
        let all: Vec<String> = all
            .into_iter()
            .map(|h| String::from_utf8(h).unwrap())
            .collect();
        all.join(" ")
    }

    #[test]
    fn lists_name_their_hosts() {
        for (text, names) in [
            ("c2", "c2"),
            ("c[1-3,7]", "c1 c2 c3 c7"),
            ("nid00[1-3]", "nid001 nid002 nid003"),
            ("nid[008-011],login1", "nid008 nid009 nid010 nid011 login1"),
            ("r[1-2]n[1-2]x", "r1n1x r1n2x r2n1x r2n2x"),
            ("c[01,9-10]", "c01 c9 c10"),
            ("node1/0*4+node2/1", "node1 node2"),
            ("n1/0+n1/1+n2/0", "n1 n2"),
            ("c[3-1]", "c3-1"),
            ("c[1-", "c[1-"),
            ("(null)", ""),
            ("(Resources)", ""),
            ("", ""),
        ] {
            assert_eq!(listed(text), names, "{text}");
        }
    }

    #[test]
    fn what_is_too_long_for_a_list_is_one_host() {
        let zeros = "0".repeat(70_000);
        for text in [format!("c[{zeros}1-{zeros}2]"), "c[1]".repeat(70_000)] {
            assert_eq!(hosts(text.as_bytes()).len(), 1);
        }
        assert_eq!(listed("a[1]b[2]c[3-4]"), "a1b2c3 a1b2c4");
        assert_eq!(listed("c[1[2]"), "c1[2");
    }

    #[test]
    fn lists_have_an_end() {
        for text in ["c[1-99999999999]", "a[0-999]b[0-999]c[0-999]"] {
            assert_eq!(hosts(text.as_bytes()).len(), MAX_HOSTS, "{text}");
        }
        let many = "c[1-500],".repeat(9);
        assert_eq!(hosts(many.as_bytes()).len(), MAX_HOSTS);
    }
}
