//! Encoding of key names as the bytes that a terminal sends.

/// Bytes of `keys`: literal text, and key names in angle brackets, such as
/// `"gg<down><c-w>query<enter>"`.
///
/// Names: `esc enter tab s-tab space bs del ins up down left right home end pageup pagedown
/// f1`..`f12`, and `lt` for `<`. Prefixes for names and letters: `c-` (control), `a-` (alt), `s-`
/// (shift). A program that receives escape and another key at once takes them for alt and that key:
/// send `<esc>` alone and wait for its effect.
///
/// # Errors
///
/// Unknown key name.
pub fn bytes_of(keys: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = keys;
    while let Some(start) = rest.find('<') {
        out.extend(&rest.as_bytes()[..start]);
        let inside = &rest[start + 1..];
        let end = inside
            .find('>')
            .ok_or_else(|| format!("no `>` after `<` in keys {keys:?} (write `<lt>`)"))?;
        let name = &inside[..end];
        out.extend(named(name).ok_or_else(|| format!("unknown key <{name}> in {keys:?}"))?);
        rest = &inside[end + 1..];
    }
    out.extend(rest.as_bytes());
    Ok(out)
}

fn named(name: &str) -> Option<Vec<u8>> {
    let mut base = name;
    let (mut shift, mut alt, mut control) = (false, false, false);
    while let Some((modifier, rest)) = base.split_once('-').filter(|(_, rest)| !rest.is_empty()) {
        match modifier {
            "s" => shift = true,
            "a" => alt = true,
            "c" => control = true,
            _ => return None,
        }
        base = rest;
    }
    if base == "tab" && shift {
        return Some(b"\x1b[Z".to_vec());
    }
    // xterm: 1 plus the sum of shift 1, alt 2, control 4, as the last parameter.
    let modifiers = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(control);
    if let Some(letter) = cursor_key(base) {
        return Some(match modifiers {
            1 if base.starts_with('f') => format!("\x1bO{letter}").into_bytes(),
            1 => format!("\x1b[{letter}").into_bytes(),
            n => format!("\x1b[1;{n}{letter}").into_bytes(),
        });
    }
    if let Some(code) = numbered_key(base) {
        return Some(match modifiers {
            1 => format!("\x1b[{code}~").into_bytes(),
            n => format!("\x1b[{code};{n}~").into_bytes(),
        });
    }
    let mut byte = match base {
        "esc" => 0x1b,
        "enter" => b'\r',
        "tab" => b'\t',
        "space" => b' ',
        "bs" => 0x7f,
        "lt" => b'<',
        one if one.len() == 1 => one.bytes().next()?,
        _ => return None,
    };
    if shift {
        byte = byte.to_ascii_uppercase();
    }
    if control {
        byte = match byte {
            b' ' => 0,
            b'a'..=b'z' | b'A'..=b'Z' | b'['..=b'_' => byte & 0x1f,
            _ => return None,
        };
    }
    Some(if alt { vec![0x1b, byte] } else { vec![byte] })
}

fn cursor_key(name: &str) -> Option<char> {
    Some(match name {
        "up" => 'A',
        "down" => 'B',
        "right" => 'C',
        "left" => 'D',
        "end" => 'F',
        "home" => 'H',
        "f1" => 'P',
        "f2" => 'Q',
        "f3" => 'R',
        "f4" => 'S',
        _ => return None,
    })
}

fn numbered_key(name: &str) -> Option<u8> {
    Some(match name {
        "ins" => 2,
        "del" => 3,
        "pageup" => 5,
        "pagedown" => 6,
        "f5" => 15,
        "f6" => 17,
        "f7" => 18,
        "f8" => 19,
        "f9" => 20,
        "f10" => 21,
        "f11" => 23,
        "f12" => 24,
        _ => return None,
    })
}

/// Mouse event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// Left button pressed and released.
    Click,
    /// Left button pressed and held.
    Press,
    /// Movement with the left button held.
    Drag,
    /// Left button released.
    Release,
    /// One notch of the wheel, upwards.
    WheelUp,
    /// One notch of the wheel, downwards.
    WheelDown,
}

/// Bytes of a mouse event in the SGR encoding (mode 1006).
pub fn mouse_bytes(mouse: Mouse, col: u16, row: u16) -> Vec<u8> {
    let event = |button: u8, end: char| format!("\x1b[<{button};{};{}{end}", col + 1, row + 1);
    match mouse {
        Mouse::Click => event(0, 'M') + &event(0, 'm'),
        Mouse::Press => event(0, 'M'),
        Mouse::Drag => event(32, 'M'),
        Mouse::Release => event(0, 'm'),
        Mouse::WheelUp => event(64, 'M'),
        Mouse::WheelDown => event(65, 'M'),
    }
    .into_bytes()
}
