//! Lexer of the expression language. The set of characters in a word depends on its position, so the parser requests a
//! kind of token: a value may be `b'4f65'` or `/a/b=c`, a word of the message may not.

/// Position of a value, which decides where an unquoted one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueIn {
    /// In a list: ends at a comma.
    List,
    /// After an operator: may contain commas.
    Comparison,
}

/// An unclosed quote: byte offset of its opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unclosed(pub usize);

/// A position in the text of a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'t> {
    pub(crate) text: &'t str,
    pub(crate) pos: usize,
}

/// Operators, longer ones first.
const SIGNS: [(&str, crate::expr::Op); 10] = {
    use crate::expr::Op;
    [
        ("==", Op::Eq),
        ("=~", Op::Match),
        ("!=", Op::Ne),
        ("!~", Op::NoMatch),
        ("<=", Op::Le),
        (">=", Op::Ge),
        ("=", Op::Eq),
        ("<", Op::Lt),
        (">", Op::Gt),
        ("~", Op::Match),
    ]
};

impl<'t> Scanner<'t> {
    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.pos..).unwrap_or("")
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn blanks(&mut self) {
        let rest = self.rest();
        self.pos += rest.len() - rest.trim_start().len();
    }

    pub(crate) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// Consumes `text` if it comes next.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    /// Consumes a symbolic operator if one comes next.
    pub(crate) fn sign(&mut self) -> Option<crate::expr::Op> {
        let (_, op) = SIGNS.iter().find(|(sign, _)| self.take(sign))?;
        Some(*op)
    }

    /// Returns the next word without consuming it: a key, a keyword or a word of the message; empty if there is none.
    pub(crate) fn word(&self) -> &'t str {
        let rest = self.rest();
        let mut end = rest.len();
        for (at, c) in rest.char_indices() {
            let stop = match c {
                '(' | ')' | '"' | '`' | '=' | '<' | '>' | '~' => true,
                '!' => rest[at + 1..].starts_with(['=', '~']),
                '\'' => at == 0,
                c => c.is_whitespace(),
            };
            if stop {
                end = at;
                break;
            }
        }
        &rest[..end]
    }

    /// Consumes a quoted text; the scanner is at the opening quote. A backslash escapes a quote or a backslash; before
    /// any other character it is literal.
    pub(crate) fn quoted(&mut self) -> Result<String, Unclosed> {
        let open = self.pos;
        let mut chars = self.rest().char_indices().peekable();
        let Some((_, quote)) = chars.next() else {
            return Err(Unclosed(open));
        };
        let mut out = String::new();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.pos = open + at + c.len_utf8();
                return Ok(out);
            }
            match chars.peek() {
                Some(&(_, next)) if c == '\\' && (next == quote || next == '\\') => {
                    out.push(next);
                    chars.next();
                }
                _ => out.push(c),
            }
        }
        self.pos = self.text.len();
        Err(Unclosed(open))
    }

    /// Consumes a key in backticks (a doubled backtick is a literal one).
    pub(crate) fn backticked(&mut self) -> Result<String, Unclosed> {
        let open = self.pos;
        self.pos += 1;
        let mut out = String::new();
        loop {
            let Some(len) = self.rest().find('`') else {
                self.pos = self.text.len();
                return Err(Unclosed(open));
            };
            out.push_str(&self.rest()[..len]);
            self.pos += len + 1;
            if !self.take("`") {
                return Ok(out);
            }
            out.push('`');
        }
    }

    /// Consumes a pattern between slashes, as in awk and less, and returns it without them: blanks and parentheses
    /// belong to the pattern, and a slash inside is escaped by a backslash. Returns `None` for other text that begins
    /// with a slash, such as a path.
    pub(crate) fn slashed(&mut self, place: ValueIn) -> Option<&'t str> {
        let inside = self.rest().strip_prefix('/')?;
        let mut is_escaped = false;
        let is_end = |c: char| match c {
            _ if is_escaped => {
                is_escaped = false;
                false
            }
            '\\' => {
                is_escaped = true;
                false
            }
            c => c == '/',
        };
        let end = inside.find(is_end).filter(|end| *end > 0)?;
        let is_whole = match inside[end + 1..].chars().next() {
            None | Some(')') => true,
            Some(',') => place == ValueIn::List,
            Some(c) => c.is_whitespace(),
        };
        is_whole.then(|| {
            self.pos += end + 2;
            &inside[..end]
        })
    }

    /// Consumes an unquoted value: up to a blank, an unmatched closing parenthesis or, in a list, a comma. A Python
    /// bytes literal is one value even with blanks in it.
    pub(crate) fn bare_value(&mut self, place: ValueIn) -> &'t str {
        let rest = self.rest();
        let mut depth = 0;
        let mut end = rest.len();
        let mut skip = 0;
        if let Some(quote @ ('\'' | '"')) = rest.strip_prefix('b').and_then(|r| r.chars().next())
            && let Some(len) = rest[2..].find(quote)
        {
            skip = 2 + len + 1;
        }
        for (at, c) in rest.char_indices().filter(|(at, _)| *at >= skip) {
            match c {
                '(' => depth += 1,
                ')' if depth > 0 => depth -= 1,
                ')' => {
                    end = at;
                    break;
                }
                c if c.is_whitespace() || (place == ValueIn::List && depth == 0 && c == ',') => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        self.pos += end;
        &rest[..end]
    }
}
