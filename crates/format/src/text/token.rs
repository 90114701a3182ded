//! Splits a message into literal and variable parts.
//!
//! A token is a run of letters, digits and `_ . - / + % ~ @ $` (bytes above ASCII count as letters); trailing `.`, `-`
//! and `/` do not belong to it. A token that contains a digit is a variable; everything else is literal. Variables separated
//! like `1, 2, 3` are one variable: a list. So `Sent tasks: [30, 31] to manager b'0d1175'` has the skeleton
//! `Sent tasks: [{}] to manager b'{}'`, whatever the number of tasks.

use widetui_core::bytes::{equal, starts};

/// Maximum number of variables of a message; the last one takes the rest.
pub(crate) const MAX_VARIABLES: usize = 24;

/// Number of bytes after which the rest of a message is one variable.
pub(crate) const MAX_LITERAL: usize = 512;

const TOKEN: u8 = 1;
const DIGIT: u8 = 2;
const TRAIL: u8 = 4;

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "`b` is less than 256"
)]
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

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
const fn class(b: u8) -> u8 {
    CLASS[b as usize]
}

/// Part of a message: start and end offset.
pub type Part = (u32, u32);

/// Part of a message at these offsets.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a message is part of a line, of which `load::lines::MAX_LINE` bytes are examined"
)]
pub(crate) const fn part(start: usize, end: usize) -> Part {
    (start as u32, end as u32)
}

/// Whether a byte may occur in a token.
pub(crate) fn in_token(b: u8) -> bool {
    class(b) & TOKEN != 0
}

/// Run of token bytes.
struct Token {
    /// End of the token; the rest of the run does not belong to it.
    end: usize,
    /// End of the run.
    run: usize,
    /// Whether the token contains a digit.
    digit: bool,
}

/// Token at `pos`; empty if there is none.
#[inline]
fn token(msg: &[u8], pos: usize) -> Token {
    let mut run = pos;
    let mut seen = 0;
    while let Some(&b) = msg.get(run) {
        let class = class(b);
        if class & TOKEN == 0 {
            break;
        }
        seen |= class;
        run += 1;
    }
    let is_trail = |at: usize| msg.get(at).is_some_and(|b| class(*b) & TRAIL != 0);
    let mut end = run;
    while end > pos && is_trail(end - 1) {
        end -= 1;
    }
    let digit = seen & DIGIT != 0;
    Token { end, run, digit }
}

/// Start of the next token at or after `pos`; the end of the message if there is none.
#[inline]
fn next_token(msg: &[u8], mut pos: usize) -> usize {
    while let Some(b) = msg.get(pos) {
        if class(*b) & TOKEN == 0 {
            pos += 1;
        } else if slashes(msg, pos) {
            pos += 2;
        } else {
            break;
        }
    }
    pos
}

/// Two slashes at `pos`: part of a scheme (`tcp://`), not the start of a path.
fn slashes(msg: &[u8], pos: usize) -> bool {
    msg.get(pos..).is_some_and(|rest| rest.starts_with(b"//"))
}

/// End of the variable that starts at `pos`, including a list; `None` if no variable starts there.
#[inline]
fn variable(msg: &[u8], pos: usize) -> Option<usize> {
    let first = token(msg, pos);
    (first.digit && !slashes(msg, pos)).then(|| list_end(msg, first.end))
}

/// End of the list whose first token ends at `end`.
#[inline]
fn list_end(msg: &[u8], mut end: usize) -> usize {
    while msg.get(end) == Some(&b',') {
        let next = end + 1 + usize::from(msg.get(end + 1) == Some(&b' '));
        let token = token(msg, next);
        if !token.digit {
            break;
        }
        end = token.end;
    }
    end
}

/// Finds the variables of a message (one line). Returns whether the last one takes the rest of the message.
pub fn tokenize(msg: &[u8], variables: &mut Vec<Part>) -> bool {
    variables.clear();
    let mut pos = 0;
    loop {
        pos = next_token(msg, pos);
        if pos >= msg.len() {
            return false;
        }
        if pos >= MAX_LITERAL {
            variables.push(part(pos, msg.len()));
            return true;
        }
        let token = token(msg, pos);
        if !token.digit {
            pos = token.run;
            continue;
        }
        if variables.len() + 1 == MAX_VARIABLES {
            variables.push(part(pos, msg.len()));
            return true;
        }
        let end = list_end(msg, token.end);
        variables.push(part(pos, end));
        pos = end;
    }
}

/// Literal parts between the variables, one more than there are variables (none after an open one).
#[expect(
    clippy::indexing_slicing,
    reason = "variables are parts of the message in the order of their offsets"
)]
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

/// Whether `msg` tokenises to exactly these literals; in an `open` shape, the last variable takes the rest. Fills the
/// variables.
///
/// Gives the same result as comparing `literals(tokenize(msg))`, without examining the literal bytes one by one.
#[inline]
pub fn fits(msg: &[u8], literals: &[Box<[u8]>], open: bool, variables: &mut Vec<Part>) -> bool {
    variables.clear();
    let mut pos = 0;
    let Some((last, heads)) = literals.split_last() else {
        return false;
    };
    for (at, literal) in heads.iter().enumerate() {
        if !msg.get(pos..).is_some_and(|rest| starts(rest, literal)) {
            return false;
        }
        let from = pos;
        pos += literal.len();
        if open && at + 1 == heads.len() {
            variables.push(part(pos, msg.len()));
            return opens(msg, from, pos, heads.len());
        }
        let Some(end) = variable(msg, pos) else {
            return false;
        };
        if pos >= MAX_LITERAL {
            return false;
        }
        variables.push(part(pos, end));
        pos = end;
    }
    msg.get(pos..).is_some_and(|rest| equal(rest, last))
        && (msg.len() <= MAX_LITERAL || all_early(msg, pos, msg.len()))
}

/// Whether the last of `variables` variables starts at `pos` and takes the rest, if the one before it ends at `from`.
fn opens(msg: &[u8], from: usize, pos: usize, variables: usize) -> bool {
    let is_last = pos >= MAX_LITERAL || variables == MAX_VARIABLES && token(msg, pos).digit;
    is_last && all_early(msg, from, pos) && pos < msg.len() && next_token(msg, pos) == pos
}

/// Whether the tokens in a range are literal, and all start before the point from which the rest is one variable.
fn all_early(msg: &[u8], from: usize, to: usize) -> bool {
    let mut pos = next_token(msg, from);
    while pos < to {
        let token = token(msg, pos);
        if pos >= MAX_LITERAL || token.digit {
            return false;
        }
        pos = next_token(msg, token.run);
    }
    pos == to
}

/// Longest part of a text that is certain to be literal in every message that contains the text, unless an open
/// variable takes it; `None` if there is none. In a message it lies within one literal.
pub fn surely_literal(text: &[u8]) -> Option<&[u8]> {
    // The start and the end of the text may be parts of a token with a digit, or of a list.
    let first = text.iter().position(|b| !in_token(*b))?;
    let last = text.iter().rposition(|b| !in_token(*b))?;
    let inner = text.get(first..=last).filter(|inner| inner.is_ascii())?;
    let mut tokens = inner.split(|b| !in_token(*b)).filter(|t| !t.is_empty());
    let is_word = |token: &[u8]| !token.iter().any(u8::is_ascii_digit);
    // Separators without a word between them may be those of a list.
    (tokens.clone().next().is_some() && tokens.all(is_word)).then_some(inner)
}

/// Template of literals: `{}` for each variable. Blanks at the end are dropped, so that messages with and without them
/// share a template.
pub(crate) fn template(literals: &[Box<[u8]>]) -> String {
    let mut out = String::new();
    for (i, literal) in literals.iter().enumerate() {
        if i > 0 {
            out.push_str("{}");
        }
        out.push_str(&String::from_utf8_lossy(literal));
    }
    out.truncate(out.trim_end_matches([' ', '\t']).len());
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

    #[test]
    fn certain_literals_are_found() {
        let part = |text: &str| {
            let part = surely_literal(text.as_bytes());
            part.map(|part| String::from_utf8_lossy(part).into_owned())
        };
        let said = part("Traceback (most recent call last)");
        assert_eq!(said.as_deref(), Some(" (most recent call last)"));
        for text in ["lost", "task lost", "1, 2", "a (3) b", "", ", "] {
            assert_eq!(part(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn certain_literals_lie_in_literals(before in "[a-c0-2 ,./-]{0,12}", text in "[a-b0 ,./(é-]{0,9}", after in "[a-c0-2 ,./-]{0,12}") {
            let msg = format!("{before}{text}{after}");
            let mut variables = Vec::new();
            if let Some(part) = surely_literal(text.as_bytes())
                && !tokenize(msg.as_bytes(), &mut variables)
            {
                let literals = literals(msg.as_bytes(), &variables);
                let is_in = |l: &[u8]| l.windows(part.len()).any(|w| w == part);
                prop_assert!(literals.iter().any(|l| is_in(l)), "{:?}", msg);
            }
        }

        #[test]
        fn fits_agrees_with_tokenize(a in "[a-c0-2 ,.:/-]{0,40}", b in "[a-c0-2 ,.:/-]{0,40}") {
            let (mut va, mut vb, mut vf) = (Vec::new(), Vec::new(), Vec::new());
            let open_a = tokenize(a.as_bytes(), &mut va);
            let open_b = tokenize(b.as_bytes(), &mut vb);
            let la = literals(a.as_bytes(), &va);
            let same = open_a == open_b && la == literals(b.as_bytes(), &vb);
            prop_assert_eq!(fits(b.as_bytes(), &la, open_a, &mut vf), same);
            if same { prop_assert_eq!(&vf, &vb); }
            prop_assert!(fits(a.as_bytes(), &la, open_a, &mut vf));
        }

        /// Messages of one template that are long enough, or have enough variables, for the rest of some to be one
        /// variable.
        #[test]
        fn fits_agrees_with_tokenize_on_long_messages(
            words in proptest::collection::vec("[ab]{1,9}[ ,:./-]{1,2}", 1..60),
            numbers in proptest::collection::vec("|[0-9]{1,4}|[0-9]{1,3}, [0-9]{1,3}|[a-b0-9/]{30,60}", 60),
            other in proptest::collection::vec("|[0-9]{1,4}|[0-9]{1,3}, [0-9]{1,3}|[a-b0-9/]{30,60}", 60),
            kept in 0usize..61,
            long in (1usize..600, 1usize..600),
        ) {
            let message = |numbers: &[String], long: usize| -> Vec<u8> {
                let long = "7".repeat(long).into_bytes();
                let parts = words.iter().zip(numbers).flat_map(|(word, n)| [word.as_bytes(), n.as_bytes(), b" "]);
                long.iter().chain(parts.flatten()).copied().collect()
            };
            let a = message(&numbers, long.0);
            let b = message(&[&numbers[..kept], &other[kept..]].concat(), long.1);
            let (mut va, mut vb, mut vf) = (Vec::new(), Vec::new(), Vec::new());
            let open_a = tokenize(&a, &mut va);
            let open_b = tokenize(&b, &mut vb);
            let la = literals(&a, &va);
            let same = open_a == open_b && la == literals(&b, &vb);
            prop_assert_eq!(fits(&b, &la, open_a, &mut vf), same);
            if same { prop_assert_eq!(&vf, &vb); }
            prop_assert!(fits(&a, &la, open_a, &mut vf));
            prop_assert_eq!(&vf, &va);
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
