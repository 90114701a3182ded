//! Splits a message into literal and variable parts.
//!
//! A token is a run of letters, digits and `_ . - / + % ~ @ $` (bytes above ASCII count as letters); trailing `.`, `-`
//! and `/` do not belong to it. A token with a digit in it is a variable; everything else is literal. Variables that follow
//! each other as `1, 2, 3` are one variable: a list. So `Sent tasks: [30, 31] to manager b'0d1175'` has the skeleton
//! `Sent tasks: [{}] to manager b'{}'`, whatever the number of tasks.

use crate::base::bytes::{equal, starts};

/// A message has at most this many variables; the last one takes the rest.
pub const MAX_VARIABLES: usize = 24;

/// What follows after this many bytes is one variable.
pub const MAX_LITERAL: usize = 512;

const TOKEN: u8 = 1;
const DIGIT: u8 = 2;
const TRAIL: u8 = 4;

const CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut b = 0;
    while b < 256 {
        let c = b as u8;
        if c.is_ascii_alphanumeric()
            || c >= 0x80
            || matches!(c, b'_' | b'+' | b'%' | b'~' | b'@' | b'$')
        {
            table[b] |= TOKEN;
        }
        if c.is_ascii_digit() {
            table[b] |= DIGIT;
        }
        if matches!(c, b'.' | b'-' | b'/') {
            table[b] |= TOKEN | TRAIL;
        }
        b += 1;
    }
    table
};

/// A part of a message: start and end byte.
pub type Part = (u32, u32);

/// Whether a byte can be inside a token.
pub fn in_token(b: u8) -> bool {
    CLASS[b as usize] & TOKEN != 0
}

/// End of the token that starts at `pos` and whether it holds a digit. `pos` itself when no token starts there.
#[inline]
fn token(msg: &[u8], pos: usize) -> (usize, bool) {
    let mut end = pos;
    let mut seen = 0;
    while let Some(&b) = msg.get(end) {
        let class = CLASS[b as usize];
        if class & TOKEN == 0 {
            break;
        }
        seen |= class;
        end += 1;
    }
    while end > pos && CLASS[msg[end - 1] as usize] & TRAIL != 0 {
        end -= 1;
    }
    (end, seen & DIGIT != 0)
}

/// Two slashes at `pos`: part of a scheme (`tcp://`), not the start of a path.
fn slashes(msg: &[u8], pos: usize) -> bool {
    msg[pos] == b'/' && msg.get(pos + 1) == Some(&b'/')
}

/// End of the variable that starts at `pos`, with the list that follows it; `None` when no variable starts there.
#[inline]
fn variable(msg: &[u8], pos: usize) -> Option<usize> {
    let (mut end, digit) = token(msg, pos);
    if !digit || slashes(msg, pos) {
        return None;
    }
    while msg.get(end) == Some(&b',') {
        let next = end + 1 + usize::from(msg.get(end + 1) == Some(&b' '));
        let (to, digit) = token(msg, next);
        if !digit {
            break;
        }
        end = to;
    }
    Some(end)
}

/// Finds the variables of a message (one line). Says whether the last one was cut short and takes all that is left.
pub fn tokenize(msg: &[u8], variables: &mut Vec<Part>) -> bool {
    variables.clear();
    let mut pos = 0;
    while pos < msg.len() {
        if CLASS[msg[pos] as usize] & TOKEN == 0 {
            pos += 1;
            continue;
        }
        if slashes(msg, pos) {
            pos += 2;
            continue;
        }
        if pos >= MAX_LITERAL {
            variables.push((pos as u32, msg.len() as u32));
            return true;
        }
        match variable(msg, pos) {
            Some(_) if variables.len() + 1 == MAX_VARIABLES => {
                variables.push((pos as u32, msg.len() as u32));
                return true;
            }
            Some(end) => {
                variables.push((pos as u32, end as u32));
                pos = end;
            }
            None => {
                // Over the token and what was cut from its end.
                pos += 1;
                while pos < msg.len() && CLASS[msg[pos] as usize] & TOKEN != 0 {
                    pos += 1;
                }
            }
        }
    }
    false
}

/// The literal parts between the variables: one more than there are variables (none after an open one).
pub fn literals(msg: &[u8], variables: &[Part]) -> Box<[Box<[u8]>]> {
    let mut parts = Vec::with_capacity(variables.len() + 1);
    let mut pos = 0;
    for (start, end) in variables {
        parts.push(msg[pos..*start as usize].into());
        pos = *end as usize;
    }
    parts.push(msg[pos..].into());
    parts.into()
}

/// Whether `msg` tokenises to exactly these literals (of a shape that is not open); fills the variables.
///
/// Gives the same answer as comparing `literals(tokenize(msg))`, without looking at the literal bytes one by one.
#[inline]
pub fn fits(msg: &[u8], literals: &[Box<[u8]>], variables: &mut Vec<Part>) -> bool {
    variables.clear();
    let mut pos = 0;
    let Some((last, heads)) = literals.split_last() else {
        return false;
    };
    for literal in heads {
        if !starts(&msg[pos..], literal) {
            return false;
        }
        pos += literal.len();
        let Some(end) = variable(msg, pos) else {
            return false;
        };
        variables.push((pos as u32, end as u32));
        pos = end;
    }
    equal(&msg[pos..], last)
}

/// The template text of literals: `{}` for each variable.
pub fn template(literals: &[Box<[u8]>]) -> String {
    let mut out = String::new();
    for (i, literal) in literals.iter().enumerate() {
        if i > 0 {
            out.push_str("{}");
        }
        out.push_str(&String::from_utf8_lossy(literal));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn skeleton(msg: &str) -> String {
        let mut vars = Vec::new();
        tokenize(msg.as_bytes(), &mut vars);
        template(&literals(msg.as_bytes(), &vars))
    }

    #[test]
    fn variables_are_tokens_with_digits() {
        assert_eq!(
            skeleton("Sent tasks: [30, 31] to manager b'0d1175223706'"),
            "Sent tasks: [{}] to manager b'{}'"
        );
        assert_eq!(
            skeleton("Task 7 failed after 2 retry attempts."),
            "Task {} failed after {} retry attempts."
        );
        assert_eq!(skeleton("took 3.5 s. done 7."), "took {} s. done {}.");
        assert_eq!(
            skeleton("exit code -9, a->b 0->1"),
            "exit code {}, a->b {}->{}"
        );
        assert_eq!(
            skeleton("tcp://127.0.0.1:54090 /a/b/c1.log"),
            "tcp://{}:{} {}"
        );
        assert_eq!(
            skeleton("changing state from pending to launched"),
            "changing state from pending to launched"
        );
    }

    #[test]
    fn long_messages_end_in_one_variable() {
        let many = "1 ".repeat(100);
        let mut vars = Vec::new();
        assert!(tokenize(many.as_bytes(), &mut vars));
        assert_eq!(vars.len(), MAX_VARIABLES);
        assert_eq!(vars.last().unwrap().1 as usize, many.len());
    }

    proptest! {
        #[test]
        fn fits_agrees_with_tokenize(a in "[a-c0-2 ,.:/-]{0,40}", b in "[a-c0-2 ,.:/-]{0,40}") {
            let (mut va, mut vb, mut vf) = (Vec::new(), Vec::new(), Vec::new());
            let open_a = tokenize(a.as_bytes(), &mut va);
            let open_b = tokenize(b.as_bytes(), &mut vb);
            prop_assume!(!open_a && !open_b);
            let la = literals(a.as_bytes(), &va);
            let same = la == literals(b.as_bytes(), &vb);
            prop_assert_eq!(fits(b.as_bytes(), &la, &mut vf), same);
            if same { prop_assert_eq!(&vf, &vb); }
            prop_assert!(fits(a.as_bytes(), &la, &mut vf));
        }

        #[test]
        fn any_bytes_do(msg in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let mut vars = Vec::new();
            tokenize(&msg, &mut vars);
            let parts = literals(&msg, &vars);
            let len: usize = parts.iter().map(|p| p.len()).sum::<usize>() + vars.iter().map(|v| (v.1 - v.0) as usize).sum::<usize>();
            prop_assert_eq!(len, msg.len());
        }
    }
}
